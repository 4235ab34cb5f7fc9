/* SPDX-License-Identifier: MIT */
/*
 * openblas+onednn: as openblas, but convolutions by oneDNN, the library that frameworks use on CPUs. It is
 * there to be compared with. The library is loaded at its first use, as OpenBLAS is.
 *
 * The arrays are those of every backend, and all that a call takes is in its time: where the library prefers
 * another layout (with blocks of 8 or 16 channels), it reorders the input and the weights before, and the
 * output after. With DNNL_VERBOSE=1 in the environment the library prints the time of each of these.
 */
#include <omp.h>
#ifdef BENCH_WITHOUT_ONEDNN
#define DNNL_VERSION_MAJOR 0
#else
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "backends/conv2d.h"
#include "backends/cpu.h"
#include "backends/library.h"
#include "backends/openblas/operations.h"

#if DNNL_VERSION_MAJOR == 2 || DNNL_VERSION_MAJOR == 3

enum { IN, WEIGHTS, OUT, ARRAYS };

/* Version 3 hides layouts behind pointers, and describes a convolution in one call instead of two. */
#if DNNL_VERSION_MAJOR == 2
typedef const dnnl_memory_desc_t *layout;
/* clang-format off */
#define FUNCTIONS_OF_VERSION(DO) \
	DO(dnnl_memory_desc_init_by_strides, strided) \
	DO(dnnl_memory_desc_init_by_tag, tagged) \
	DO(dnnl_dilated_convolution_forward_desc_init, convolution) \
	DO(dnnl_primitive_desc_create, describe)
#else
typedef const_dnnl_memory_desc_t layout;
#define FUNCTIONS_OF_VERSION(DO) \
	DO(dnnl_memory_desc_create_with_strides, strided) \
	DO(dnnl_memory_desc_create_with_tag, tagged) \
	DO(dnnl_memory_desc_destroy, layout_destroy) \
	DO(dnnl_convolution_forward_primitive_desc_create, convolution)
/* clang-format on */
#endif

/* The library's functions, and what they are called here. */
/* clang-format off */
#define FUNCTIONS(DO) \
	DO(dnnl_version, version) \
	DO(dnnl_get_effective_cpu_isa, isa) \
	DO(dnnl_engine_create, engine_create) \
	DO(dnnl_stream_create, stream_create) \
	DO(dnnl_stream_wait, stream_wait) \
	DO(dnnl_memory_desc_equal, equal) \
	DO(dnnl_memory_create, memory_create) \
	DO(dnnl_memory_destroy, memory_destroy) \
	DO(dnnl_memory_set_data_handle, set_data) \
	DO(dnnl_primitive_desc_query_md, layout_in) \
	DO(dnnl_primitive_desc_destroy, description_destroy) \
	DO(dnnl_reorder_primitive_desc_create, describe_reorder) \
	DO(dnnl_primitive_create, primitive_create) \
	DO(dnnl_primitive_execute, execute) \
	DO(dnnl_primitive_destroy, primitive_destroy) \
	FUNCTIONS_OF_VERSION(DO)
/* clang-format on */

static struct library {
#define MEMBER(function, name) __typeof__(function) *name; /* NOLINT(bugprone-macro-parentheses) */
	FUNCTIONS(MEMBER)
	dnnl_engine_t engine;
	dnnl_stream_t stream;
} library;

static const struct bench_library file = {
	.file = BENCH_ONEDNN_FILE,
	.name = "oneDNN",
	.packages = "Debian: libdnnl2, libdnnl3 or libdnnl3.6, whichever has this file",
	.least = "the version that bench was built with",
};

#define SYMBOL(function, name) {#function, offsetof(struct library, name)},
static const struct bench_symbol symbols[] = {FUNCTIONS(SYMBOL){0}};

/* A shape and algorithm that is ready to run; kept until the device is closed. */
struct plan {
	struct bench_conv2d shape; /* without buffers */
	dnnl_primitive_t convolution;
	dnnl_primitive_t reorders[ARRAYS]; /* NULL: the library takes our layout */
	dnnl_memory_t ours[ARRAYS];        /* on the buffers of the call */
	dnnl_memory_t theirs[ARRAYS];      /* NULL where there is no reorder */
	struct plan *next;
};
static struct plan *plans;

static int fail(struct bench_error *error, dnnl_status_t status, const char *what)
{
	enum bench_code code = status == dnnl_unimplemented   ? BENCH_UNSUPPORTED
			       : status == dnnl_out_of_memory ? BENCH_NO_MEMORY
							      : BENCH_FAILED;
	return bench_fail(error, code, "openblas+onednn: %s: %s (%d)", what,
			  status == dnnl_unimplemented   ? "the library has no such convolution"
			  : status == dnnl_out_of_memory ? "no memory"
							 : "the library failed",
			  (int)status);
}

static int load(struct bench_error *error)
{
	if (library.stream)
		return 0;
	if (!bench_library_open(&file, symbols, &library, error))
		return -1;
	dnnl_status_t status = library.engine_create(&library.engine, dnnl_cpu, 0);
	if (!status)
		status = library.stream_create(&library.stream, library.engine, dnnl_stream_default_flags);
	return status ? fail(error, status, "dnnl_stream_create") : 0;
}

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	if (load(error) != 0 || bench_backend_openblas.devices(info, capacity, count, error) != 0)
		return -1;
	if (capacity == 0)
		return 0;
	const dnnl_version_t *version = library.version();
	size_t at = strlen(info->driver);
	snprintf(info->driver + at, sizeof(info->driver) - at, ", oneDNN %d.%d.%d isa 0x%x", version->major,
		 version->minor, version->patch, (unsigned)library.isa());
	return 0;
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	if (load(error) != 0 || bench_backend_openblas.open(index, options, device, error) != 0)
		return -1;
	omp_set_num_threads((int)bench_cpu_threads(*device, SIZE_MAX));
	return 0;
}

static void free_plan(struct plan *plan)
{
	for (int i = 0; i < ARRAYS; i++) {
		if (plan->reorders[i])
			library.primitive_destroy(plan->reorders[i]);
		if (plan->ours[i])
			library.memory_destroy(plan->ours[i]);
		if (plan->theirs[i])
			library.memory_destroy(plan->theirs[i]);
	}
	if (plan->convolution)
		library.primitive_destroy(plan->convolution);
	free(plan);
}

static void close_device(struct bench_device *device)
{
	while (plans) {
		struct plan *next = plans->next;
		free_plan(plans);
		plans = next;
	}
	bench_cpu_close(device);
}

static layout layout_of(const dnnl_memory_desc_t *made)
{
#if DNNL_VERSION_MAJOR == 2
	return made;
#else
	return *made;
#endif
}

static void free_layouts(dnnl_memory_desc_t made[ARRAYS])
{
#if DNNL_VERSION_MAJOR == 2
	(void)made;
#else
	for (int i = 0; i < ARRAYS; i++)
		if (made[i])
			library.layout_destroy(made[i]);
#endif
}

/* The convolution of arrays with these layouts. */
static dnnl_status_t describe(dnnl_primitive_desc_t *description, const struct bench_conv2d *conv,
			      const dnnl_memory_desc_t arrays[ARRAYS])
{
	const dnnl_dim_t step = (dnnl_dim_t)conv->stride, apart = (dnnl_dim_t)conv->dilation - 1,
			 edge = (dnnl_dim_t)conv->pad;
	const dnnl_dims_t steps = {step, step}, gaps = {apart, apart}, edges = {edge, edge};
	const dnnl_alg_kind_t algorithm = conv->algorithm == BENCH_CONV2D_WINOGRAD ? dnnl_convolution_winograd
										   : dnnl_convolution_direct;
	const layout in = layout_of(&arrays[IN]), weights = layout_of(&arrays[WEIGHTS]),
		     out = layout_of(&arrays[OUT]);
#if DNNL_VERSION_MAJOR == 2
	dnnl_convolution_desc_t operation;
	dnnl_status_t status = library.convolution(&operation, dnnl_forward_inference, algorithm, in, weights,
						   NULL, out, steps, gaps, edges, edges);
	return status ? status : library.describe(description, &operation, NULL, library.engine, NULL);
#else
	return library.convolution(description, library.engine, dnnl_forward_inference, algorithm, in,
				   weights, NULL, out, steps, gaps, edges, edges, NULL);
#endif
}

/* The arrays as they are, and with the library's choice of a layout. */
static dnnl_status_t describe_arrays(const struct bench_conv2d *conv, dnnl_memory_desc_t ours[ARRAYS],
				     dnnl_memory_desc_t any[ARRAYS])
{
	dnnl_dim_t n = (dnnl_dim_t)conv->n, c = (dnnl_dim_t)conv->c, h = (dnnl_dim_t)conv->h,
		   w = (dnnl_dim_t)conv->w, k = (dnnl_dim_t)conv->k, r = (dnnl_dim_t)conv->r,
		   s = (dnnl_dim_t)conv->s, g = (dnnl_dim_t)conv->groups;
	dnnl_dim_t rows = (dnnl_dim_t)bench_conv2d_extent(conv, conv->h, conv->r);
	dnnl_dim_t columns = (dnnl_dim_t)bench_conv2d_extent(conv, conv->w, conv->s);
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct {
		int dimensions;
		dnnl_dims_t sizes, nchw, nhwc; /* strides */
	} arrays[ARRAYS] = {
		[IN] = {4, {n, c, h, w}, {c * h * w, h * w, w, 1}, {h * w * c, 1, w * c, c}},
		[WEIGHTS] = {5,
			     {g, k / g, c / g, r, s},
			     {k / g * (c / g) * r * s, c / g * r * s, r * s, s, 1},
			     {k / g, 1, k, s * (c / g) * k, c / g * k}},
		[OUT] = {4,
			 {n, k, rows, columns},
			 {k * rows * columns, rows * columns, columns, 1},
			 {rows * columns * k, 1, columns * k, k}},
	};
	dnnl_status_t status = dnnl_success;
	for (int i = 0; i < ARRAYS && !status; i++) {
		/* Without groups the weights have four dimensions: for those the library has more kernels. */
		int skipped = i == WEIGHTS && g == 1;
		const dnnl_dim_t *strides = nhwc ? arrays[i].nhwc : arrays[i].nchw;
		int dimensions = arrays[i].dimensions - skipped;
		status = library.strided(&ours[i], dimensions, arrays[i].sizes + skipped, dnnl_f32,
					 strides + skipped);
		if (!status)
			status = library.tagged(&any[i], dimensions, arrays[i].sizes + skipped, dnnl_f32,
						dnnl_format_tag_any);
	}
	return status;
}

/* A reorder between two layouts, and memory in theirs. */
static dnnl_status_t plan_reorder(struct plan *plan, int array, layout ours, layout theirs)
{
	dnnl_primitive_desc_t description;
	bool after = array == OUT;
	if (library.equal(ours, theirs))
		return dnnl_success;
	dnnl_status_t status =
		library.memory_create(&plan->theirs[array], theirs, library.engine, DNNL_MEMORY_ALLOCATE);
	if (!status)
		status = library.describe_reorder(&description, after ? theirs : ours, library.engine,
						  after ? ours : theirs, library.engine, NULL);
	if (status)
		return status;
	status = library.primitive_create(&plan->reorders[array], description);
	library.description_destroy(description);
	return status;
}

static dnnl_status_t make_plan(struct plan *plan)
{
	static const dnnl_query_t queries[ARRAYS] = {
		[IN] = dnnl_query_src_md, [WEIGHTS] = dnnl_query_weights_md, [OUT] = dnnl_query_dst_md};
	const struct bench_conv2d *conv = &plan->shape;
	dnnl_memory_desc_t ours[ARRAYS] = {0}, any[ARRAYS] = {0};
	dnnl_primitive_desc_t description = NULL;
	dnnl_status_t status = describe_arrays(conv, ours, any);
	if (!status)
		status = describe(&description, conv, any);
	for (int i = 0; i < ARRAYS && !status; i++) {
		status = library.memory_create(&plan->ours[i], layout_of(&ours[i]), library.engine,
					       DNNL_MEMORY_NONE);
		if (!status)
			status = plan_reorder(plan, i, layout_of(&ours[i]),
					      library.layout_in(description, queries[i], 0));
	}
	if (!status)
		status = library.primitive_create(&plan->convolution, description);
	if (description)
		library.description_destroy(description);
	free_layouts(ours);
	free_layouts(any);
	return status;
}

static struct plan *find_plan(const struct bench_conv2d *conv, enum bench_conv2d_algorithm algorithm,
			      struct bench_error *error)
{
	for (struct plan *plan = plans; plan; plan = plan->next)
		if (plan->shape.algorithm == algorithm && bench_conv2d_is_like(&plan->shape, conv))
			return plan;
	struct plan *plan = calloc(1, sizeof(*plan));
	if (!plan) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for a convolution");
		return NULL;
	}
	plan->shape = *conv;
	plan->shape.algorithm = algorithm;
	dnnl_status_t status = make_plan(plan);
	if (status) {
		free_plan(plan);
		fail(error, status, bench_conv2d_algorithm_name(algorithm));
		return NULL;
	}
	plan->next = plans;
	plans = plan;
	return plan;
}

static dnnl_status_t reorder(const struct plan *plan, int array)
{
	bool after = array == OUT;
	const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, after ? plan->theirs[array] : plan->ours[array]},
					     {DNNL_ARG_TO, after ? plan->ours[array] : plan->theirs[array]}};
	return plan->reorders[array] ? library.execute(plan->reorders[array], library.stream, 2, arguments)
				     : dnnl_success;
}

static dnnl_memory_t operand(const struct plan *plan, int array)
{
	return plan->theirs[array] ? plan->theirs[array] : plan->ours[array];
}

static int run(const struct bench_conv2d *conv, enum bench_conv2d_algorithm algorithm,
	       struct bench_error *error)
{
	const struct plan *plan = find_plan(conv, algorithm, error);
	if (!plan)
		return -1;
	void *const data[ARRAYS] = {
		[IN] = conv->in->data, [WEIGHTS] = conv->weights->data, [OUT] = conv->out->data};
	dnnl_status_t status = dnnl_success;
	for (int i = 0; i < ARRAYS && !status; i++)
		status = library.set_data(plan->ours[i], data[i]);
	const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, operand(plan, IN)},
					     {DNNL_ARG_WEIGHTS, operand(plan, WEIGHTS)},
					     {DNNL_ARG_DST, operand(plan, OUT)}};
	for (int i = IN; i < OUT && !status; i++)
		status = reorder(plan, i);
	if (!status)
		status = library.execute(plan->convolution, library.stream, 3, arguments);
	if (!status)
		status = reorder(plan, OUT);
	if (!status)
		status = library.stream_wait(library.stream);
	return status ? fail(error, status, "dnnl_primitive_execute") : 0;
}

static int direct(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	(void)device;
	return run(conv, BENCH_CONV2D_DIRECT, error);
}

static int winograd(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	(void)device;
	return run(conv, BENCH_CONV2D_WINOGRAD, error);
}

static int conv2d(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	static const struct bench_conv2d_methods methods = {
		.backend = "openblas+onednn",
		.run = {[BENCH_CONV2D_DIRECT] = direct, [BENCH_CONV2D_WINOGRAD] = winograd},
		.finish = bench_cpu_finish,
		.bytes = bench_cpu_bytes,
	};
	if (conv->dtype != BENCH_F32)
		return bench_fail(error, BENCH_UNSUPPORTED, "openblas+onednn: conv2d in f32 only");
	return bench_conv2d_dispatch(&methods, device, &device->conv2d, conv, error);
}

#else

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	(void)info, (void)capacity, (void)count;
	if (DNNL_VERSION_MAJOR == 0)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "bench was built without oneDNN: install its header (Debian, Ubuntu: "
				  "libdnnl-dev), and build again");
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "built with the header of oneDNN %d: this backend knows the interfaces of 2 and 3",
			  DNNL_VERSION_MAJOR);
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	(void)index, (void)options, (void)device;
	return devices(NULL, 0, NULL, error);
}

static void close_device(struct bench_device *device)
{
	bench_cpu_close(device);
}

static int conv2d(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	return bench_openblas_conv2d(device, conv, error);
}

#endif

const struct bench_backend bench_backend_onednn = {
	.name = "openblas+onednn",
	.summary = "as openblas, but convolutions by oneDNN",
	BENCH_CPU_HOOKS,
	BENCH_OPENBLAS_OPERATIONS,
	.devices = devices,
	.open = open_device,
	.close = close_device,
	.conv2d = conv2d,
};
