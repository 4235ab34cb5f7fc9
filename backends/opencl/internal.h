/*
 * What the files of the OpenCL backend share. Functions that return int give 0, or -1
 * with `error` filled. Everything belongs to the one thread that calls the backend.
 */
#ifndef BENCH_OPENCL_INTERNAL_H
#define BENCH_OPENCL_INTERNAL_H

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"

struct bench_buffer {
	cl_mem memory;
	size_t bytes;
};

struct bench_opencl_queue {
	cl_command_queue plain;     /* ordinary work: collects no times */
	cl_command_queue profiling; /* made by the first time_begin; else NULL */
	bool timing;                /* between time_begin and time_end: work goes to `profiling` */
	bool idle;                  /* nothing was enqueued since all was finished */
	cl_event *events;           /* of what was enqueued since time_begin */
	size_t count, capacity;
};

/* How large a tile of C a group of a GPU computes. */
enum bench_opencl_gemm_size {
	BENCH_OPENCL_GEMM_SMALL,
	BENCH_OPENCL_GEMM_LARGE,
	BENCH_OPENCL_GEMM_WIDE,
	BENCH_OPENCL_GEMM_SIZES
};

/* GEMM's own: kernels by variant, made at first use, and the memory for packed slices. */
struct bench_opencl_gemm {
	struct bench_opencl_kernel *cpu[BENCH_DTYPES][6][2][8];
	/* By dtype, tensor cores or not, size, transposes, fit, end, whether tiles have several groups. */
	struct bench_opencl_kernel *gpu_kernels[BENCH_DTYPES][2][BENCH_OPENCL_GEMM_SIZES][2][2][3][8][2];
	bool no_wgmma;                                   /* the driver refused it */
	struct bench_buffer packed_a, packed_b, partial; /* grow, freed at close */
	struct bench_buffer arrived;                     /* counters of tiles, made at first use */
};

/* A kernel made for so many rows and columns of taps. */
struct bench_opencl_conv2d_taps {
	size_t r, s;
	struct bench_opencl_kernel *kernel; /* NULL: none yet */
};
enum { BENCH_OPENCL_CONV2D_TILES = 3 }; /* sizes of what a group of a GPU computes */

/* Convolution's own: kernels by variant, made at first use; the choices; memory, which grows. */
struct bench_opencl_conv2d {
	/* By dtype, layout, log2 of channels of a tile and of lanes, kernel. */
	struct bench_opencl_kernel *direct[2][2][4][5][2];
	/* By dtype, layout, tile: for the taps that were asked for last. */
	struct bench_opencl_conv2d_taps implicit[2][2][BENCH_OPENCL_CONV2D_TILES];
	struct bench_opencl_kernel *matrix[2][2][2];   /* by dtype, layout, kernel */
	struct bench_opencl_kernel *winograd[2][2][3]; /* by dtype, layout, kernel */
	struct bench_conv2d_measured *measured;
	struct bench_buffer padded, packed, offsets, windows, product;
};

/*
 * Where an operation finds its kernels again: device->kernels[BENCH_OPENCL_OF_NAME], by a number that it
 * gives to the variant; NULL until bench_opencl_variant has made it. gemm and conv2d, which have more, have a
 * struct above.
 */
#define BENCH_OPENCL_NUMBER(name, of) BENCH_OPENCL_##of##_##name,
enum { BENCH_OPERATIONS(BENCH_OPENCL_NUMBER, OF) BENCH_OPENCL_OPERATIONS };
enum { BENCH_OPENCL_VARIANTS = 80, BENCH_OPENCL_WIDTHS = 5 /* 1, 2, 4, 8, 16 */ };

/* One for each operation of bench/op/training.h. */
enum { BENCH_OPENCL_TRAINING_KERNELS = 5 };

/* The numbers that are left to measurement: tuning.c says what they are. */
enum bench_opencl_tunable {
	BENCH_OPENCL_GEMM_ROWS,
	BENCH_OPENCL_GEMM_SLICE,
	BENCH_OPENCL_GEMM_BLOCK,
	BENCH_OPENCL_GEMM_DIRECT,
	BENCH_OPENCL_GEMM_BAND,
	BENCH_OPENCL_GEMM_SHARE,
	BENCH_OPENCL_SPMV_SPAN,
	BENCH_OPENCL_REDUCTION_GROUPS,
	BENCH_OPENCL_TUNABLES
};

struct bench_device {
	cl_device_id id;
	bool sub_device; /* `id` is ours to release */
	cl_context context;
	/*
	 * Of the same context, with programs and queues of its own: what is enqueued there is done by the
	 * calling thread, at once, which for small kernels is sooner than other threads are awake. For what
	 * finds this device idle; bench_opencl_queue finishes it before anything else is enqueued here. NULL:
	 * there is none.
	 */
	struct bench_device *caller;
	struct bench_device_info info;
	unsigned nvidia_capability; /* the major number of an NVIDIA device's compute capability; 0: another's
				     */
	bool has_fence; /* kernels have one that reaches the whole device: a group can read what others wrote
			 */
	uint64_t local_bytes;   /* local memory that a group may have */
	size_t native_width[2]; /* elements of its vectors, of f32 and of f64; 0: no such vectors */
	uint64_t tuned[BENCH_OPENCL_TUNABLES];
	struct bench_opencl_queue queue;
	struct bench_opencl_program *programs; /* a list, in the order of first use, last first */
	bool trying;                           /* some of them are from the cache, and not settled yet */
	struct bench_device_stats stats;
	unsigned threads;                      /* of the host that copies may use; 0: all */
	struct bench_opencl_host *host_blocks; /* what host_alloc gave out */
	void *staging;                         /* one of them, for staged copies; made at first use */
	struct bench_opencl_gemm gemm;
	struct bench_opencl_conv2d conv2d;
	struct bench_opencl_kernel *kernels[BENCH_OPENCL_OPERATIONS][BENCH_OPENCL_VARIANTS];
	struct bench_buffer parts;         /* of sums; grows, freed with the reductions */
	struct bench_opencl_kernel *empty; /* made at first use */
	struct bench_opencl_kernel *training[BENCH_OPENCL_TRAINING_KERNELS]; /* made at first use */
};

static inline size_t bench_opencl_divide_up(size_t value, size_t by)
{
	return (value + by - 1) / by;
}

static inline size_t bench_opencl_bytes(const struct bench_buffer *buffer)
{
	return buffer->bytes;
}

/* The type of an element, in kernels on f32 and f64. */
static inline const char *bench_opencl_real(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? "double" : "float";
}

/* opencl.c: the hooks of the same names. */

int bench_opencl_devices(struct bench_device_info *info, size_t capacity, size_t *count,
			 struct bench_error *error);
int bench_opencl_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		      struct bench_error *error);
void bench_opencl_close(struct bench_device *device);
void bench_opencl_device_stats(const struct bench_device *device, struct bench_device_stats *stats);

/* tuning.c */

/* By enum bench_opencl_tunable; at the end the name is NULL. */
extern const struct bench_tunable bench_opencl_tunables[];
/* Fills device->tuned. */
void bench_opencl_tune(struct bench_device *device, const struct bench_open_options *options);

/* errors.c */

/*
 * The status of a call that makes an object: a driver may say CL_SUCCESS and give none, which is
 * BENCH_OPENCL_NO_OBJECT, a number that OpenCL does not use.
 */
#define BENCH_OPENCL_NO_OBJECT (-30001)
static inline cl_int bench_opencl_made(const void *object, cl_int status)
{
	return status == CL_SUCCESS && !object ? BENCH_OPENCL_NO_OBJECT : status;
}
const char *bench_opencl_error_name(cl_int status);
/* "STATUS in CALL, WHAT, device SLUG"; `what` (may be NULL) is "kernel gemm_tile", "4096 bytes". */
int bench_opencl_fail(struct bench_error *error, const struct bench_device *device, cl_int status,
		      const char *call, const char *what);

/* devices.c */

struct bench_opencl_device {
	cl_platform_id platform;
	cl_device_id id;
	cl_device_id caller; /* the same processor, by the calling thread; NULL: there is none */
	struct bench_device_info info;
	unsigned nvidia_capability; /* these four as in struct bench_device */
	bool has_fence;
	uint64_t local_bytes;
	size_t native_width[2];
};

/* Makes what a driver says one line of UTF-8, for terminals, tables and files: '?' for all else. */
void bench_opencl_clean(char *text);
/* A text property of a device, one line of UTF-8 without blanks around it; "" where it cannot be had. */
cl_int bench_opencl_device_text(cl_device_id id, cl_device_info what, char *out, size_t size);
/*
 * All devices of all platforms, in the loader's order, in a malloc'd *list. A platform
 * that fails is left out, and so is a device that says of itself what cannot be. None at all:
 * BENCH_UNSUPPORTED with the reason. BENCH_USAGE for an unknown value of one of our variables.
 */
int bench_opencl_enumerate(struct bench_opencl_device **list, size_t *count, struct bench_error *error);

/* memory.c: the hooks of the same names. */

int bench_opencl_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		       struct bench_error *error);
void bench_opencl_release(struct bench_device *device, struct bench_buffer *buffer);
/* Makes `buffer` ({0} at first) at least `bytes` large; its contents are lost when it grows. */
int bench_opencl_reserve(struct bench_device *device, struct bench_buffer *buffer, size_t bytes,
			 struct bench_error *error);
int bench_opencl_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			size_t bytes, struct bench_error *error);
int bench_opencl_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
			  size_t bytes, struct bench_error *error);
int bench_opencl_host_alloc(struct bench_device *device, size_t bytes, enum bench_host_memory kind,
			    void **host, struct bench_error *error);
void bench_opencl_host_free(struct bench_device *device, void *host);
void bench_opencl_host_free_all(struct bench_device *device);

/* staging.c: copies of 1 or more bytes between a buffer and ordinary memory, complete when they return. */

int bench_opencl_staged_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			       size_t bytes, struct bench_error *error);
int bench_opencl_staged_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
				 size_t bytes, struct bench_error *error);

/* program.c */

/*
 * A kernel of one program. `file` is a name in the table of embedded sources
 * ("gemm_cpu.cl"); the program is built, or loaded from the cache, at its first use with
 * these options. Asked for again, it is the same kernel. The device owns it.
 */
struct bench_opencl_kernel {
	cl_kernel handle;
	bool launched; /* once at least */
	char name[32];
	/* The numbers that it has as arguments; 0 bytes: not known. */
	struct {
		size_t bytes;
		unsigned char value[8];
	} numbers[16];
	struct bench_opencl_kernel *next;
};
int bench_opencl_kernel(struct bench_device *device, const char *file, const char *options, const char *name,
			struct bench_opencl_kernel **kernel, struct bench_error *error);
/* bench_opencl_kernel, with options as of printf, at most 319 bytes. */
int bench_opencl_variant(struct bench_device *device, const char *file, const char *name,
			 struct bench_opencl_kernel **kernel, struct bench_error *error, const char *options,
			 ...) __attribute__((format(printf, 6, 7)));
/* Work-items of a group: `at_most`, or as many as the device runs of this kernel. */
int bench_opencl_group_size(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
			    size_t at_most, size_t *group, struct bench_error *error);
/*
 * A kernel of a source that is not embedded, which messages call `file`; one of its own at each call, since
 * it keeps its arguments.
 */
int bench_opencl_kernel_of(struct bench_device *device, const char *file, const char *source,
			   const char *options, const char *name, struct bench_opencl_kernel **kernel,
			   struct bench_error *error);
/*
 * Takes a kernel's program off the device, as if it had never been asked for, with all its
 * kernels; `store`: into the cache, if it was compiled here. Nothing of it may be in use.
 */
void bench_opencl_program_drop(struct bench_device *device, const struct bench_opencl_kernel *kernel,
			       bool store);
void bench_opencl_programs_free(struct bench_device *device);
/* All work is done, or has failed: of the programs that came from the cache, those that ran are `good` or
 * not. */
void bench_opencl_programs_settle(struct bench_device *device, bool good);

/* queue.c: the queues, launches and device time. */

int bench_opencl_queue_open(struct bench_device *device, struct bench_error *error);
void bench_opencl_queue_close(struct bench_device *device);
/* The queue that work goes to now, for who enqueues some: it is idle no more. */
cl_command_queue bench_opencl_queue(struct bench_device *device);
/* Where an enqueue stores its event: a slot while timing, else NULL. A failed enqueue leaves it unused. */
int bench_opencl_event_slot(struct bench_device *device, cl_event **slot, struct bench_error *error);
void bench_opencl_event_commit(struct bench_device *device);

struct bench_opencl_argument {
	size_t bytes;
	const void *value;
};
struct bench_opencl_launch {
	const struct bench_opencl_argument *arguments;
	cl_uint count;
	cl_uint dimensions;
	size_t global[3], local[3]; /* local[0] 0: the driver's choice */
	/*
	 * Bit i: argument i is a number of up to 8 bytes, and is set only where it is another than at the
	 * launch before. Never of buffers: the handle of one that was released may come back for another.
	 */
	unsigned numbers;
};
int bench_opencl_launch(struct bench_device *device, struct bench_opencl_kernel *kernel,
			const struct bench_opencl_launch *launch, struct bench_error *error);
/* In one dimension: so many groups, of so many work-items each. */
int bench_opencl_launch_groups(struct bench_device *device, struct bench_opencl_kernel *kernel,
			       const struct bench_opencl_argument *arguments, cl_uint count, size_t groups,
			       size_t items, struct bench_error *error);
/* An array of arguments and their number, for these. */
#define BENCH_OPENCL_ARGUMENTS(array) (array), (cl_uint)(sizeof(array) / sizeof((array)[0]))

int bench_opencl_finish(struct bench_device *device, struct bench_error *error);
int bench_opencl_time_begin(struct bench_device *device, struct bench_error *error);
int bench_opencl_time_end(struct bench_device *device, double *seconds, struct bench_error *error);

/* The operations, each in the file of its name; and what those that keep more than kernels free at close. */

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, opencl)
void bench_opencl_gemm_close(struct bench_device *device);
void bench_opencl_conv2d_close(struct bench_device *device);
void bench_opencl_reduction_close(struct bench_device *device);

/* vectors.c: what operations on vectors share, `width` elements to a work-item. */

/* BENCH_UNSUPPORTED for f64 on a device without it, */
int bench_opencl_check_f64(const struct bench_device *device, enum bench_dtype dtype,
			   struct bench_error *error);
/* and for a type that every kernel on vectors lacks too. */
int bench_opencl_check_real(const struct bench_device *device, const char *operation, enum bench_dtype dtype,
			    struct bench_error *error);
/* BENCH_USAGE where `buffer` does not hold 1 <= count elements. */
int bench_opencl_check_vector(const char *operation, const char *name, const struct bench_buffer *buffer,
			      enum bench_dtype dtype, size_t count, struct bench_error *error);
/* The base-2 logarithm, 0 to 4, of a width; BENCH_USAGE where there is none such. */
int bench_opencl_width_log(const char *operation, unsigned width, unsigned *log, struct bench_error *error);
/* Elements of a vector of a CPU device as wide as its own are: of 16, 32 or 64 bytes. */
size_t bench_opencl_vector_lanes(const struct bench_device *device, enum bench_dtype dtype);
/* Launches one work-item for each `width` of `count` elements, and some with nothing to do. */
int bench_opencl_launch_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
				const struct bench_opencl_argument *arguments, cl_uint argument_count,
				size_t count, unsigned width, struct bench_error *error);

/* launch.c */

int bench_opencl_empty(struct bench_device *device, struct bench_error *error);
int bench_opencl_compile(struct bench_device *device, const struct bench_compile *compile, double *seconds,
			 struct bench_error *error);

/* user_kernel.c */

extern const struct bench_kernel_hooks bench_opencl_kernels;

/* training.c */

extern const struct bench_training bench_opencl_training;

/* The hooks that every backend on OpenCL devices shares, for its table. */
#define BENCH_OPENCL_HOOKS                                                                                   \
	.alloc = bench_opencl_alloc, .release = bench_opencl_release, .upload = bench_opencl_upload,         \
	.download = bench_opencl_download, .finish = bench_opencl_finish,                                    \
	.host_alloc = bench_opencl_host_alloc, .host_free = bench_opencl_host_free,                          \
	.device_stats = bench_opencl_device_stats, BENCH_BACKEND_OPERATIONS(opencl),                         \
	.empty = bench_opencl_empty, .compile = bench_opencl_compile, .training = &bench_opencl_training

/* A number as a kernel argument of the elements' type: double where that is f64, else float. */
union bench_opencl_scalar {
	cl_float f32;
	cl_double f64;
};
static inline union bench_opencl_scalar bench_opencl_scalar(enum bench_dtype dtype, double value)
{
	union bench_opencl_scalar scalar = {0};
	if (dtype == BENCH_F64)
		scalar.f64 = value;
	else
		scalar.f32 = (cl_float)value;
	return scalar;
}

#endif
