/* The operations of a training: training.cl, which says how they work. */
#include "backends/opencl/training/training.h"

#include "backends/check.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "training.cl"

enum { GATHER, RELU, SOFTMAX, BIAS, CLASSIFY };

/* Groups: of neighbours in a row, of rows, and those that kernel bias_step is compiled for. */
enum { LINE = 64, ROW_GROUP = 64, BIAS_COLUMNS = 16, BIAS_ROWS = 16 };
enum { GATHER_ROWS = 8 }; /* of a work-item of a CPU */

/* Pixels that a work-item converts, columns that it sums: a CPU's vector of floats, or what keeps a GPU's
 * accesses joined. */
static size_t vector_width(const struct bench_device *device)
{
	return bench_opencl_is_cpu(device) ? 16 : 4;
}

static int launch(struct bench_device *device, int which, const struct bench_opencl_launch *launch,
		  struct bench_error *error)
{
	static const char *const names[2][5] = {
		{"gather", "relu", "softmax", "bias_step", "classify"},
		{"gather_rows", "relu", "softmax", "bias_columns", "classify"}};
	const struct bench_opencl_variant variant = {
		SOURCE, names[bench_opencl_is_cpu(device)][which], {0}, 0};
	struct bench_opencl_kernel *kernel;
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DWIDTH=%zu -DFETCHES_AHEAD=%d",
				 vector_width(device), bench_opencl_is_cpu(device)) != 0)
		return -1;
	return bench_opencl_launch(device, kernel, launch, error);
}

static size_t round_up(size_t value, size_t to)
{
	return bench_opencl_divide_up(value, to) * to;
}

/* rows x columns work-items. */
static struct bench_opencl_launch over_elements(size_t rows, size_t columns)
{
	return (struct bench_opencl_launch){
		.dimensions = 2, .global = {round_up(columns, LINE), rows}, .local = {LINE, 1}};
}

static struct bench_opencl_launch over_rows(size_t rows)
{
	return (struct bench_opencl_launch){
		.dimensions = 1, .global = {round_up(rows, ROW_GROUP)}, .local = {ROW_GROUP}};
}

#define TAKES(work, list)                                                                                    \
	((work).arguments = (list), (work).count = (cl_uint)(sizeof(list) / sizeof((list)[0])))

static int gather(struct bench_device *device, const struct bench_training_gather *gather,
		  struct bench_error *error)
{
	if (bench_training_check_gather(gather, bench_opencl_bytes, error) != 0)
		return -1;
	cl_ulong first = gather->first;
	cl_uint pixels = (cl_uint)gather->pixels, rows = (cl_uint)gather->count, of_item = GATHER_ROWS;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &gather->images->memory},
		{sizeof(cl_mem), &gather->labels->memory},
		{sizeof(cl_mem), &gather->order->memory},
		{sizeof(first), &first},
		{sizeof(pixels), &pixels},
		{sizeof(cl_mem), &gather->x->memory},
		{sizeof(cl_mem), &gather->x_labels->memory},
		{sizeof(rows), &rows}, /* on CPUs alone, as what follows */
		{sizeof(of_item), &of_item},
	};
	struct bench_opencl_launch work =
		over_elements(gather->count, bench_opencl_divide_up(gather->pixels, vector_width(device)));
	if (bench_opencl_is_cpu(device))
		work = (struct bench_opencl_launch){
			.dimensions = 1,
			.global = {bench_opencl_divide_up(gather->count, GATHER_ROWS)},
			.local = {1}};
	TAKES(work, arguments);
	work.count -= bench_opencl_is_cpu(device) ? 0 : 2;
	return launch(device, GATHER, &work, error);
}

static int relu(struct bench_device *device, const struct bench_training_relu *relu,
		struct bench_error *error)
{
	if (bench_training_check_relu(relu, bench_opencl_bytes, error) != 0)
		return -1;
	cl_uint columns = (cl_uint)relu->columns;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &relu->x->memory},
		{sizeof(cl_mem), &relu->bias->memory},
		{sizeof(columns), &columns},
	};
	struct bench_opencl_launch work = over_elements(relu->rows, relu->columns);
	TAKES(work, arguments);
	return launch(device, RELU, &work, error);
}

static int softmax(struct bench_device *device, const struct bench_training_softmax *softmax,
		   struct bench_error *error)
{
	if (bench_training_check_softmax(softmax, bench_opencl_bytes, error) != 0)
		return -1;
	cl_uint rows = (cl_uint)softmax->rows, columns = (cl_uint)softmax->columns;
	cl_float factor = (cl_float)softmax->factor;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &softmax->x->memory},
		{sizeof(cl_mem), &softmax->bias->memory},
		{sizeof(cl_mem), &softmax->labels->memory},
		{sizeof(rows), &rows},
		{sizeof(columns), &columns},
		{sizeof(factor), &factor},
	};
	struct bench_opencl_launch work = over_rows(softmax->rows);
	TAKES(work, arguments);
	return launch(device, SOFTMAX, &work, error);
}

static int bias(struct bench_device *device, const struct bench_training_bias *bias,
		struct bench_error *error)
{
	if (bench_training_check_bias(bias, bench_opencl_bytes, error) != 0)
		return -1;
	cl_uint rows = (cl_uint)bias->rows, columns = (cl_uint)bias->columns;
	cl_uint masked = bias->activations != NULL;
	cl_float factor = (cl_float)bias->factor;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), masked ? &bias->activations->memory : &bias->gradient->memory},
		{sizeof(cl_mem), &bias->gradient->memory},
		{sizeof(cl_mem), &bias->bias->memory},
		{sizeof(rows), &rows},
		{sizeof(columns), &columns},
		{sizeof(masked), &masked},
		{sizeof(factor), &factor},
	};
	struct bench_opencl_launch work = {.dimensions = 2,
					   .global = {round_up(bias->columns, BIAS_COLUMNS), BIAS_ROWS},
					   .local = {BIAS_COLUMNS, BIAS_ROWS}};
	if (bench_opencl_is_cpu(device))
		work = (struct bench_opencl_launch){
			.dimensions = 1,
			.global = {bench_opencl_divide_up(bias->columns, vector_width(device))},
			.local = {1}};
	TAKES(work, arguments);
	return launch(device, BIAS, &work, error);
}

static int classify(struct bench_device *device, const struct bench_training_classify *classify,
		    struct bench_error *error)
{
	if (bench_training_check_classify(classify, bench_opencl_bytes, error) != 0)
		return -1;
	cl_uint rows = (cl_uint)classify->rows, columns = (cl_uint)classify->columns;
	cl_ulong first = classify->first;
	const struct bench_opencl_argument arguments[] = {
		{sizeof(cl_mem), &classify->x->memory},
		{sizeof(cl_mem), &classify->bias->memory},
		{sizeof(rows), &rows},
		{sizeof(columns), &columns},
		{sizeof(first), &first},
		{sizeof(cl_mem), &classify->classes->memory},
	};
	struct bench_opencl_launch work = over_rows(classify->rows);
	TAKES(work, arguments);
	return launch(device, CLASSIFY, &work, error);
}

const struct bench_training bench_opencl_training = {
	.gather = gather, .relu = relu, .softmax = softmax, .bias = bias, .classify = classify};
