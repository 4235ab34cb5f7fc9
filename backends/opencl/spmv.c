/* Sparse matrix times vector: kernels/spmv_cpu.cl and spmv_gpu.cl, which say how they work. */
#include "backends/check.h"
#include "internal.h"

#define GROUP     128 /* work-items of a group of a GPU */
#define LEAST_LOG 2   /* a team is 2^2 to GROUP work-items */
#define MOST_LOG  7

static int check(const struct bench_device *device, const struct bench_spmv *spmv, bool gpu,
		 struct bench_error *error)
{
	if (bench_opencl_check_f64(device, spmv->dtype, error) != 0 ||
	    bench_spmv_check("opencl", spmv, bench_opencl_bytes, error) != 0)
		return -1;
	if (gpu && spmv->kernel == BENCH_SPMV_ADAPTIVE && spmv->block_entries > BENCH_SPMV_BLOCK_GPU)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: spmv: blocks of up to %zu entries: a group of device %s takes %d",
				  spmv->block_entries, device->info.slug, BENCH_SPMV_BLOCK_GPU);
	return 0;
}

/* The base-2 logarithm of a team: the largest power of two up to the mean length of a row, within limits. */
static unsigned team_log(const struct bench_spmv *spmv)
{
	unsigned log = LEAST_LOG;
	if (spmv->kernel != BENCH_SPMV_GROUP)
		return 0;
	while (log < MOST_LOG && spmv->entries / spmv->rows >= (size_t)2 << log)
		log++;
	return log;
}

enum { JOIN = BENCH_SPMV_ADAPTIVE + 1 }; /* the kernel that adds up the parts of rows */

static int get_kernel(struct bench_device *device, const struct bench_spmv *spmv, bool gpu, unsigned which,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[2][4] = {{"spmv_spans", "spmv_spans", "spmv_blocks", "spmv_join"},
						{"spmv_row", "spmv_group", "spmv_adaptive", "spmv_join"}};
	unsigned log = gpu ? team_log(spmv) : 0;
	struct bench_opencl_kernel **slot =
		&device->kernels[BENCH_OPENCL_OF_spmv]
				[((size_t)spmv->dtype * (JOIN + 1) + which) * (MOST_LOG + 1) + log];
	const char *type = bench_opencl_real(spmv->dtype), *name = names[gpu][which];
	int result = 0;
	if (!*slot && gpu)
		result = bench_opencl_variant(device, "spmv_gpu.cl", name, slot, error,
					      "-DREAL=%s -DGROUP=%d -DTEAM=%d -DBLOCK=%d", type, GROUP,
					      1 << log, BENCH_SPMV_BLOCK_GPU);
	else if (!*slot)
		result = bench_opencl_variant(device, "spmv_cpu.cl", name, slot, error,
					      "-DREAL=%s -DINDEX=%s -DBY_LANES=%d -DWIDTH=%zu", type,
					      spmv->dtype == BENCH_F64 ? "ulong" : "uint",
					      spmv->kernel != BENCH_SPMV_ROW,
					      bench_opencl_vector_lanes(device, spmv->dtype));
	*kernel = *slot;
	return result;
}

/* Rows of a work-item of a CPU: enough that starting it costs nothing beside it. */
static size_t span_rows(const struct bench_device *device, const struct bench_spmv *spmv)
{
	size_t span = (size_t)((double)device->tuned[BENCH_OPENCL_SPMV_SPAN] * (double)spmv->rows /
			       (double)(spmv->rows + spmv->entries));
	return span ? span : 1;
}

/* Work-groups of a launch. */
static size_t count_groups(const struct bench_device *device, const struct bench_spmv *spmv, bool gpu)
{
	if (spmv->kernel == BENCH_SPMV_ADAPTIVE)
		return spmv->block_count;
	if (!gpu)
		return bench_opencl_divide_up(spmv->rows, span_rows(device, spmv));
	return bench_opencl_divide_up(spmv->rows << team_log(spmv), GROUP);
}

/* The sums of blocks that are parts of rows are in device->parts. */
static int join_parts(struct bench_device *device, const struct bench_spmv *spmv, bool gpu,
		      struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, spmv, gpu, JOIN, &kernel, error) != 0)
		return -1;
	cl_uint block_count = (cl_uint)spmv->block_count;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &spmv->y->memory},      {sizeof(cl_mem), &spmv->blocks->memory},
		{sizeof(cl_mem), &spmv->splits->memory}, {sizeof(cl_mem), &device->parts.memory},
		{sizeof(block_count), &block_count},
	};
	return bench_opencl_launch_groups(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments),
					  spmv->split_count, gpu ? GROUP : 1, error);
}

int bench_opencl_spmv(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	bool gpu = device->info.kind != BENCH_DEVICE_CPU, adaptive = spmv->kernel == BENCH_SPMV_ADAPTIVE;
	bool split = adaptive && spmv->split_count > 0;
	if (check(device, spmv, gpu, error) != 0 ||
	    get_kernel(device, spmv, gpu, spmv->kernel, &kernel, error) != 0 ||
	    (split && bench_opencl_reserve(device, &device->parts,
					   spmv->block_count * bench_dtype_bytes(spmv->dtype), error) != 0))
		return -1;
	cl_uint rows = (cl_uint)spmv->rows, span = (cl_uint)span_rows(device, spmv);
	cl_mem parts = split ? device->parts.memory : NULL;
	struct bench_opencl_argument arguments[7] = {
		{sizeof(cl_mem), &spmv->offsets->memory}, {sizeof(cl_mem), &spmv->columns->memory},
		{sizeof(cl_mem), &spmv->values->memory},  {sizeof(cl_mem), &spmv->x->memory},
		{sizeof(cl_mem), &spmv->y->memory},
	};
	if (adaptive) {
		arguments[5] = (struct bench_opencl_argument){sizeof(cl_mem), &spmv->blocks->memory};
		arguments[6] = (struct bench_opencl_argument){sizeof(cl_mem), &parts};
	} else {
		arguments[5] = (struct bench_opencl_argument){sizeof(rows), &rows};
		arguments[6] = (struct bench_opencl_argument){sizeof(span), &span}; /* of spmv_spans alone */
	}
	if (bench_opencl_launch_groups(device, kernel, arguments, gpu && !adaptive ? 6 : 7,
				       count_groups(device, spmv, gpu), gpu ? GROUP : 1, error) != 0)
		return -1;
	return split ? join_parts(device, spmv, gpu, error) : 0;
}
