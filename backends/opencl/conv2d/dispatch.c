/*
 * Convolution: the choice of the algorithm, and the direct one of CPUs, conv2d.cl, of which the
 * algorithm of Winograd takes the padding and the sums, on GPUs as well. GPUs' own is conv2d_implicit.c.
 */
#include "backends/opencl/conv2d/conv2d.h"

#include "backends/conv2d.h"

#define SOURCE     "conv2d.cl"
#define GROUP      64 /* work-items of a group on a GPU */
#define ITEMS_UNIT 16 /* work-items for each compute unit of a CPU, to even out what each takes */

enum { PAD, SUM };

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t bench_opencl_conv2d_spread(const struct bench_device *device)
{
	return device->info.kind != BENCH_DEVICE_CPU ? GROUP : 1;
}

/* Of a CPU: enough work-items to even out what each takes, not so many that starting them takes longer. */
static size_t per_item(const struct bench_device *device, size_t lines)
{
	if (device->info.kind != BENCH_DEVICE_CPU)
		return 1;
	return bench_opencl_divide_up(lines, (size_t)device->info.compute_units * ITEMS_UNIT);
}

int bench_opencl_conv2d_lines(struct bench_device *device, struct bench_opencl_kernel *kernel,
			      struct bench_opencl_argument *arguments, cl_uint count, size_t lines,
			      struct bench_error *error)
{
	size_t spread = bench_opencl_conv2d_spread(device), each = per_item(device, lines);
	cl_ulong all = lines, of_item = each;
	arguments[count - 2] = (struct bench_opencl_argument){sizeof(all), &all};
	arguments[count - 1] = (struct bench_opencl_argument){sizeof(of_item), &of_item};
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = count,
		.dimensions = 1,
		.global = {bench_opencl_divide_up(lines, each) * spread},
		.local = {spread},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

/*
 * Sums in registers: 24 vectors of the 32 of 512 bits, 12 of the 16 narrower ones; and with
 * few filters as many vectors as hide the latency of an addition.
 */
struct bench_opencl_conv2d_tile bench_opencl_conv2d_tile(const struct bench_device *device,
							 enum bench_dtype dtype, size_t filters,
							 size_t columns, bool nhwc)
{
	if (device->info.kind != BENCH_DEVICE_CPU) {
		struct bench_opencl_conv2d_tile tile = {.lanes = 1, .mr = 8, .nv = 4, .nhwc = nhwc};
		while (tile.mr > filters && tile.mr > 1)
			tile.mr /= 2;
		return tile;
	}
	bool wide = device->native_width[dtype == BENCH_F64] * bench_dtype_bytes(dtype) >= 64;
	struct bench_opencl_conv2d_tile tile = {.lanes = wide ? 64 / bench_dtype_bytes(dtype)
							      : 32 / bench_dtype_bytes(dtype),
						.mr = wide ? 8 : 4,
						.nv = 3,
						.nhwc = nhwc};
	while (tile.mr > filters && tile.mr > 1)
		tile.mr /= 2, tile.nv = wide ? 6 : 4;
	if (tile.lanes / 2 >= columns)
		tile.lanes /= 2;
	return tile;
}

static size_t log_two(size_t value)
{
	size_t log = 0;
	while (value >>= 1)
		log++;
	return log;
}

static int get_kernel(struct bench_device *device, enum bench_dtype dtype,
		      const struct bench_opencl_conv2d_tile *tile, int which,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	static const char *const names[] = {[PAD] = "conv2d_pad", [SUM] = "conv2d_direct"};
	struct bench_opencl_kernel **slot =
		&device->conv2d.direct[dtype][tile->nhwc][log_two(tile->mr)][log_two(tile->lanes)][which];
	if (!*slot && bench_opencl_variant(device, SOURCE, names[which], slot, error,
					   "-DREAL=%s -DLANES=%zu -DMR=%zu -DNV=%zu -DNHWC=%d -DSPREAD=%zu",
					   bench_opencl_real(dtype), tile->lanes, tile->mr, tile->nv,
					   tile->nhwc, bench_opencl_conv2d_spread(device)) != 0)
		return -1;
	*kernel = *slot;
	return 0;
}

int bench_opencl_conv2d_pad(struct bench_device *device, const struct bench_conv2d *conv,
			    const struct bench_opencl_conv2d_tile *tile,
			    struct bench_opencl_conv2d_padded *padded, struct bench_error *error)
{
	size_t phases = conv->stride * conv->stride, real = bench_dtype_bytes(conv->dtype);
	padded->rows = bench_opencl_divide_up(conv->h + 2 * conv->pad, conv->stride);
	padded->pitch = bench_opencl_divide_up(conv->w + 2 * conv->pad, conv->stride);
	padded->plane = phases * padded->rows * padded->pitch;
	if (padded->plane > INT32_MAX)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl: a padded channel of %zu elements: direct and winograd take up to "
				  "2^31 - 1",
				  padded->plane);
	/* A row shorter than a vector is read beyond its end, the last one beyond all. */
	struct bench_opencl_kernel *kernel;
	size_t elements = conv->n * conv->c * padded->plane + tile->lanes;
	if (bench_opencl_reserve(device, &device->conv2d.padded, elements * real, error) != 0 ||
	    bench_opencl_reserve(device, &device->conv2d.offsets, conv->r * conv->s * sizeof(cl_uint),
				 error) != 0 ||
	    get_kernel(device, conv->dtype, tile, PAD, &kernel, error) != 0)
		return -1;
	cl_uint channels = (cl_uint)conv->c, h = (cl_uint)conv->h, w = (cl_uint)conv->w, r = (cl_uint)conv->r,
		s = (cl_uint)conv->s, stride = (cl_uint)conv->stride, pad = (cl_uint)conv->pad,
		dilation = (cl_uint)conv->dilation, rows = (cl_uint)padded->rows,
		pitch = (cl_uint)padded->pitch;
	struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &conv->in->memory},
		{sizeof(cl_mem), &device->conv2d.padded.memory},
		{sizeof(cl_mem), &device->conv2d.offsets.memory},
		{sizeof(channels), &channels},
		{sizeof(h), &h},
		{sizeof(w), &w},
		{sizeof(r), &r},
		{sizeof(s), &s},
		{sizeof(stride), &stride},
		{sizeof(pad), &pad},
		{sizeof(dilation), &dilation},
		{sizeof(rows), &rows},
		{sizeof(pitch), &pitch},
		{0}, /* lines and per_item */
		{0},
	};
	return bench_opencl_conv2d_lines(device, kernel, BENCH_OPENCL_ARGUMENTS(arguments),
					 conv->n * conv->c * phases * padded->rows, error);
}

int bench_opencl_conv2d_sum(struct bench_device *device, enum bench_dtype dtype,
			    const struct bench_opencl_conv2d_tile *tile,
			    const struct bench_opencl_conv2d_sums *sums, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	if (get_kernel(device, dtype, tile, SUM, &kernel, error) != 0)
		return -1;
	size_t vectors = sums->rows * bench_opencl_divide_up(sums->columns, tile->lanes);
	size_t all_tiles = bench_opencl_divide_up(vectors, tile->nv);
	size_t blocks = sums->groups * bench_opencl_divide_up(sums->filters, tile->mr);
	size_t each = smaller(per_item(device, all_tiles * blocks * sums->images), all_tiles);
	size_t spread = bench_opencl_conv2d_spread(device);
	cl_ulong plane = sums->plane;
	cl_uint pitch = (cl_uint)sums->pitch, channels = (cl_uint)sums->channels, taps = (cl_uint)sums->taps,
		filters = (cl_uint)sums->filters, groups = (cl_uint)sums->groups, rows = (cl_uint)sums->rows,
		columns = (cl_uint)sums->columns, tiles = (cl_uint)all_tiles, of_item = (cl_uint)each;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &sums->padded},
		{sizeof(cl_mem), &device->conv2d.offsets.memory},
		{sizeof(cl_mem), &sums->weights},
		{sizeof(cl_mem), &sums->out},
		{sizeof(plane), &plane},
		{sizeof(pitch), &pitch},
		{sizeof(channels), &channels},
		{sizeof(taps), &taps},
		{sizeof(filters), &filters},
		{sizeof(groups), &groups},
		{sizeof(rows), &rows},
		{sizeof(columns), &columns},
		{sizeof(tiles), &tiles},
		{sizeof(of_item), &of_item},
	};
	size_t items = bench_opencl_divide_up(all_tiles, each);
	const struct bench_opencl_launch launch = {
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(*arguments),
		.dimensions = 3,
		.global = {bench_opencl_divide_up(items, spread) * spread, blocks, sums->images},
		.local = {spread, 1, 1},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}

static int direct_gpu(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	if (bench_opencl_conv2d_is_grouped(device, conv))
		return bench_opencl_conv2d_grouped(device, conv, error);
	if (bench_opencl_conv2d_has_tensor_cores(device, conv))
		return bench_opencl_conv2d_tensor(device, conv, error);
	if (bench_opencl_conv2d_is_tiled(device, conv))
		return bench_opencl_conv2d_tiled(device, conv, error);
	return bench_opencl_conv2d_implicit(device, conv, error);
}

static int direct(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	if (device->info.kind != BENCH_DEVICE_CPU)
		return direct_gpu(device, conv, error);
	if (bench_opencl_conv2d_has_depthwise(device, conv))
		return bench_opencl_conv2d_depthwise(device, conv, error);
	if (bench_opencl_conv2d_has_places(device, conv))
		return bench_opencl_conv2d_places(device, conv, error);
	struct bench_opencl_conv2d_sums sums = {.weights = conv->weights->memory,
						.out = conv->out->memory,
						.images = conv->n,
						.groups = conv->groups,
						.channels = conv->c / conv->groups,
						.filters = conv->k / conv->groups,
						.taps = conv->r * conv->s,
						.rows = bench_conv2d_extent(conv, conv->h, conv->r),
						.columns = bench_conv2d_extent(conv, conv->w, conv->s)};
	struct bench_opencl_conv2d_tile tile = bench_opencl_conv2d_tile(
		device, conv->dtype, sums.filters, sums.columns, conv->layout == BENCH_CONV2D_NHWC);
	struct bench_opencl_conv2d_padded padded;
	if (bench_opencl_conv2d_pad(device, conv, &tile, &padded, error) != 0)
		return -1;
	sums.padded = device->conv2d.padded.memory;
	sums.plane = padded.plane;
	sums.pitch = padded.pitch;
	return bench_opencl_conv2d_sum(device, conv->dtype, &tile, &sums, error);
}

int bench_opencl_conv2d(struct bench_device *device, const struct bench_conv2d *conv,
			struct bench_error *error)
{
	static const struct bench_conv2d_methods methods = {
		.backend = "opencl",
		.run = {[BENCH_CONV2D_DIRECT] = direct,
			[BENCH_CONV2D_IM2COL] = bench_opencl_conv2d_im2col,
			[BENCH_CONV2D_WINOGRAD] = bench_opencl_conv2d_winograd},
		.finish = bench_opencl_finish,
	};
	bool cpu = device->info.kind == BENCH_DEVICE_CPU;
	if ((cpu ? bench_opencl_check_real(device, "conv2d", conv->dtype, error)
		 : bench_opencl_check_f64(device, conv->dtype, error)) != 0 ||
	    bench_conv2d_check_buffers(conv, conv->in->bytes, conv->weights->bytes, conv->out->bytes,
				       error) != 0)
		return -1;
	return bench_conv2d_dispatch(&methods, device, &device->conv2d.measured, conv, error);
}

void bench_opencl_conv2d_close(struct bench_device *device)
{
	struct bench_opencl_conv2d *own = &device->conv2d;
	const cl_mem memory[] = {own->padded.memory, own->packed.memory, own->offsets.memory,
				 own->windows.memory, own->product.memory};
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		if (memory[i])
			clReleaseMemObject(memory[i]);
	bench_conv2d_forget(&own->measured);
}
