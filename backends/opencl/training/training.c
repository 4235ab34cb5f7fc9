/* SPDX-License-Identifier: MIT */
/* The operations of a training: training.cl, which says how they work. */
#include "backends/opencl/runtime/operations.h"

#include "backends/check.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "training.cl"

enum { GATHER, RELU, SOFTMAX, BIAS, CLASSIFY };

/* Groups: of neighbors in a row, of rows, and those that kernel bias_step is compiled for. */
enum { LINE = 64, ROW_GROUP = 64, BIAS_COLUMNS = 16, BIAS_ROWS = 16 };
enum { GATHER_ROWS = 8 }; /* of a work-item of a CPU */

/* Pixels that a work-item converts, columns that it sums: a CPU's vector of floats, or what keeps a GPU's
 * accesses joined. */
static size_t vector_width(const struct bench_device *device)
{
	return bench_opencl_is_cpu(device) ? 16 : 4;
}

static int launch(struct bench_device *device, int which, struct bench_opencl_launch launch,
		  const struct bench_opencl_list *list, struct bench_error *error)
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
	launch.arguments = list->arguments;
	launch.count = list->count;
	return bench_opencl_launch(device, kernel, &launch, error);
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

static int gather(struct bench_device *device, const struct bench_training_gather *gather,
		  struct bench_error *error)
{
	if (bench_training_check_gather(gather, bench_opencl_bytes, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, gather->images, gather->labels, gather->order);
	BENCH_OPENCL_ULONGS(&list, gather->first);
	BENCH_OPENCL_UINTS(&list, gather->pixels);
	BENCH_OPENCL_MEMORIES(&list, gather->x, gather->x_labels);
	if (bench_opencl_is_cpu(device))
		BENCH_OPENCL_UINTS(&list, gather->count, GATHER_ROWS);
	struct bench_opencl_launch work =
		over_elements(gather->count, bench_opencl_divide_up(gather->pixels, vector_width(device)));
	if (bench_opencl_is_cpu(device))
		work = (struct bench_opencl_launch){
			.dimensions = 1,
			.global = {bench_opencl_divide_up(gather->count, GATHER_ROWS)},
			.local = {1}};
	return launch(device, GATHER, work, &list, error);
}

static int relu(struct bench_device *device, const struct bench_training_relu *relu,
		struct bench_error *error)
{
	if (bench_training_check_relu(relu, bench_opencl_bytes, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, relu->x, relu->bias);
	BENCH_OPENCL_UINTS(&list, relu->columns);
	return launch(device, RELU, over_elements(relu->rows, relu->columns), &list, error);
}

static int softmax(struct bench_device *device, const struct bench_training_softmax *softmax,
		   struct bench_error *error)
{
	if (bench_training_check_softmax(softmax, bench_opencl_bytes, error) != 0)
		return -1;
	cl_float factor = (cl_float)softmax->factor;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, softmax->x, softmax->bias, softmax->labels);
	BENCH_OPENCL_UINTS(&list, softmax->rows, softmax->columns);
	bench_opencl_list_add(&list, sizeof(factor), &factor);
	return launch(device, SOFTMAX, over_rows(softmax->rows), &list, error);
}

static int bias(struct bench_device *device, const struct bench_training_bias *bias,
		struct bench_error *error)
{
	if (bench_training_check_bias(bias, bench_opencl_bytes, error) != 0)
		return -1;
	bool masked = bias->activations != NULL;
	cl_float factor = (cl_float)bias->factor;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, masked ? bias->activations : bias->gradient, bias->gradient, bias->bias);
	BENCH_OPENCL_UINTS(&list, bias->rows, bias->columns, masked);
	bench_opencl_list_add(&list, sizeof(factor), &factor);
	struct bench_opencl_launch work = {.dimensions = 2,
					   .global = {round_up(bias->columns, BIAS_COLUMNS), BIAS_ROWS},
					   .local = {BIAS_COLUMNS, BIAS_ROWS}};
	if (bench_opencl_is_cpu(device))
		work = (struct bench_opencl_launch){
			.dimensions = 1,
			.global = {bench_opencl_divide_up(bias->columns, vector_width(device))},
			.local = {1}};
	return launch(device, BIAS, work, &list, error);
}

static int classify(struct bench_device *device, const struct bench_training_classify *classify,
		    struct bench_error *error)
{
	if (bench_training_check_classify(classify, bench_opencl_bytes, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, classify->x, classify->bias);
	BENCH_OPENCL_UINTS(&list, classify->rows, classify->columns);
	BENCH_OPENCL_ULONGS(&list, classify->first);
	BENCH_OPENCL_MEMORIES(&list, classify->classes);
	return launch(device, CLASSIFY, over_rows(classify->rows), &list, error);
}

const struct bench_training bench_opencl_training = {
	.gather = gather, .relu = relu, .softmax = softmax, .bias = bias, .classify = classify};
