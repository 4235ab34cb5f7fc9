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
	uint64_t address; /* of its first byte, to kernels; 0: was not asked for */
};

struct bench_opencl_queue {
	cl_command_queue plain;     /* ordinary work: collects no times */
	cl_command_queue profiling; /* made by the first time_begin; else NULL */
	bool timing;                /* between time_begin and time_end: work goes to `profiling` */
	bool idle;                  /* nothing was enqueued since all was finished */
	/* Of what was enqueued since time_begin: of a command, and of a second part of it, else NULL. */
	cl_event (*events)[2];
	size_t count, capacity;
};

/* How large a tile of C a group of a GPU computes. */
enum bench_opencl_gemm_size {
	BENCH_OPENCL_GEMM_SMALL,
	BENCH_OPENCL_GEMM_LARGE,
	BENCH_OPENCL_GEMM_WIDE,
	BENCH_OPENCL_GEMM_NARROW,
	BENCH_OPENCL_GEMM_SQUARE,
	BENCH_OPENCL_GEMM_SIZES
};

/*
 * A map (gemm_maps.h) is of `count` matrices of rows x columns as stored, in elements of `bytes` (2 or 4);
 * `ld` from a row to the next and `stride` from a matrix to the next are in elements, and multiples of 16
 * bytes. 128 bytes of box_rows rows (at most 256) are copied at a time.
 */
enum { BENCH_OPENCL_GEMM_MAPS = 64 };
struct bench_opencl_gemm_map {
	cl_mem memory;
	size_t bytes, rows, columns, count, ld, stride, box_rows;
};
struct bench_opencl_gemm_maps {
	struct bench_buffer memory;
	struct bench_opencl_gemm_map made[BENCH_OPENCL_GEMM_MAPS];
	size_t count;      /* that were made: the last of them are kept */
	uint64_t released; /* device->released when the first was made */
};

/* GEMM's own: kernels by variant, made at first use, and the memory for packed slices. */
struct bench_opencl_gemm {
	struct bench_opencl_kernel *cpu[BENCH_DTYPES][2][2][8];
	struct bench_opencl_kernel *direct[2][12][4][4][8];             /* by f64, rows, width, edges, end */
	struct bench_opencl_kernel *thin[BENCH_DTYPES][3][16][8][2][8]; /* by dtype, way, tile, ahead, end */
	/* By dtype, tensor cores or not, size, transposes, fit, end, whether tiles have several groups. */
	struct bench_opencl_kernel *gpu_kernels[BENCH_DTYPES][2][BENCH_OPENCL_GEMM_SIZES][2][2][3][8][2];
	/* Of thin products on GPUs, by dtype, along, reads, narrow, log2 of rows, end, several groups. */
	struct bench_opencl_kernel *gpu_thin[BENCH_DTYPES][2][4][2][5][8][2];
	bool no_wgmma;                                   /* the driver refused it */
	struct bench_buffer packed_a, packed_b, partial; /* grow, freed at close */
	struct bench_buffer arrived;                     /* counters of tiles, made at first use */
	struct bench_opencl_gemm_maps maps;
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
	struct bench_opencl_conv2d_taps implicit[BENCH_DTYPES][2][BENCH_OPENCL_CONV2D_TILES];
	struct bench_opencl_kernel *places[2][2][2];            /* by dtype, layout, kernel */
	struct bench_opencl_kernel *depthwise[2];               /* by dtype */
	struct bench_opencl_kernel *matrix[BENCH_DTYPES][2][2]; /* by dtype, layout, kernel */
	struct bench_opencl_kernel *winograd[2][2][3];          /* by dtype, layout, kernel */
	struct bench_opencl_kernel *winograd4[2][2][3];
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
	BENCH_OPENCL_GEMM_THIN,
	BENCH_OPENCL_SPMV_SPAN,
	BENCH_OPENCL_SPMV_EACH,
	BENCH_OPENCL_REDUCTION_GROUPS,
	BENCH_OPENCL_TUNABLES
};

enum { BENCH_OPENCL_EMPTY = 6, BENCH_OPENCL_EMPTY_BUFFERS = 16 };

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
	struct bench_opencl_helper *helper; /* of a caller, its second thread (helper.h); NULL: it is alone */
	struct bench_device_info info;
	unsigned nvidia_capability; /* the major number of an NVIDIA device's compute capability; 0: another's
				     */
	bool has_fence; /* kernels have one that reaches the whole device: a group can read what others wrote
			 */
	bool has_addresses;     /* buffers stay where they are, and kernels reach them by number */
	uint64_t local_bytes;   /* local memory that a group may have */
	uint64_t cache_bytes;   /* of its largest cache; 0: not known */
	size_t native_width[2]; /* elements of its vectors, of f32 and of f64; 0: no such vectors */
	uint64_t tuned[BENCH_OPENCL_TUNABLES];
	struct bench_opencl_queue queue;
	uint64_t released; /* buffers that were, so far: another may have the handle of one of them */
	struct bench_opencl_program *programs; /* a list, in the order of first use, last first */
	bool trying;                           /* some of them are from the cache, and not settled yet */
	struct bench_device_stats stats;
	unsigned threads;                      /* of the host that copies may use; 0: all */
	struct bench_opencl_host *host_blocks; /* what host_alloc gave out */
	void *staging;                         /* one of them, for staged copies; made at first use */
	void *fetched;                         /* likewise, for results of a few bytes */
	struct bench_opencl_gemm gemm;
	struct bench_opencl_conv2d conv2d;
	struct bench_opencl_kernel *kernels[BENCH_OPENCL_OPERATIONS][BENCH_OPENCL_VARIANTS];
	/* Of sums: parts, the value, and who has arrived (0 between calls). They grow, and are freed with the
	 * reductions. */
	struct bench_buffer parts, value, arrived;
	struct bench_opencl_kernel
		*empty[BENCH_OPENCL_EMPTY]; /* by the logarithm of their buffers; likewise */
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
	unsigned nvidia_capability; /* these five as in struct bench_device */
	bool has_fence, has_addresses;
	uint64_t local_bytes, cache_bytes;
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
/* Of all memory that may have been a kernel's argument. */
void bench_opencl_memory_release(struct bench_device *device, cl_mem memory);
/* Makes `buffer` ({0} at first) at least `bytes` large; its contents are lost when it grows. */
int bench_opencl_reserve(struct bench_device *device, struct bench_buffer *buffer, size_t bytes,
			 struct bench_error *error);
/* bench_opencl_reserve, of `count` counters that are 0; none of them may be in use. */
int bench_opencl_counters(struct bench_device *device, struct bench_buffer *buffer, size_t count,
			  struct bench_error *error);
int bench_opencl_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			size_t bytes, struct bench_error *error);
int bench_opencl_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
			  size_t bytes, struct bench_error *error);
/*
 * bench_opencl_download, of the few bytes of a result: waits for an event of a copy into page-locked memory,
 * where there is such. That takes NVIDIA's driver (580) 3 us less than a blocking read.
 */
enum { BENCH_OPENCL_FETCH_MOST = 4096 };
int bench_opencl_fetch(struct bench_device *device, const struct bench_buffer *buffer, void *host,
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
enum { BENCH_OPENCL_ARGUMENTS_KEPT = 24 };
struct bench_opencl_kernel {
	cl_kernel handle;
	bool launched; /* once at least */
	char name[32];
	/* The arguments that it has; 0 bytes: not known. They count while the device's `released` is this. */
	struct {
		size_t bytes;
		unsigned char value[160];
	} arguments[BENCH_OPENCL_ARGUMENTS_KEPT];
	uint64_t released;
	struct bench_opencl_kernel *twin; /* NULL: was not asked for */
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
/* Is the source one that compiles? It is neither kept nor counted. */
bool bench_opencl_compiles(struct bench_device *device, const char *source, const char *options);
/* The same kernel with arguments of its own, for another thread; NULL: it cannot be had. */
struct bench_opencl_kernel *bench_opencl_kernel_twin(struct bench_opencl_kernel *kernel);
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
int bench_opencl_make_queue(struct bench_device *device, cl_command_queue_properties properties,
			    const char *what, cl_command_queue *queue, struct bench_error *error);
/* Where an enqueue stores its event: a slot while timing, else NULL; behind it that of a second part. A
 * failed enqueue leaves it unused. */
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
};
int bench_opencl_launch(struct bench_device *device, struct bench_opencl_kernel *kernel,
			const struct bench_opencl_launch *launch, struct bench_error *error);
/* How an enqueue went: the status of the last call, which is of argument number `argument` if it set one. */
struct bench_opencl_enqueued {
	cl_int status;
	const char *call;
	cl_uint argument;
};
/* The bare launch, into a queue of the device; on any thread, if kernel and queue are its own. */
struct bench_opencl_enqueued bench_opencl_enqueue(const struct bench_device *device,
						  struct bench_opencl_kernel *kernel,
						  const struct bench_opencl_launch *launch,
						  cl_command_queue queue, cl_event *event);
int bench_opencl_fail_enqueue(struct bench_error *error, const struct bench_device *device,
			      const struct bench_opencl_kernel *kernel,
			      const struct bench_opencl_enqueued *enqueued);
/* In one dimension: so many groups, of so many work-items each. */
int bench_opencl_launch_groups(struct bench_device *device, struct bench_opencl_kernel *kernel,
			       const struct bench_opencl_argument *arguments, cl_uint count, size_t groups,
			       size_t items, struct bench_error *error);
/* An array of arguments and their number, for these. */
#define BENCH_OPENCL_ARGUMENTS(array) (array), (cl_uint)(sizeof(array) / sizeof((array)[0]))

/* arguments.c */

struct bench_opencl_list {
	struct bench_opencl_argument arguments[24];
	cl_uint count;
};
/* `value` is the caller's until the launch. */
void bench_opencl_list_add(struct bench_opencl_list *list, size_t bytes, const void *value);
/* The number of a buffer's first byte, asked of the device once for each buffer; device->has_addresses alone.
 */
int bench_opencl_address(struct bench_device *device, const struct bench_buffer *buffer, uint64_t *address,
			 struct bench_error *error);
/* For a kernel that TAKES it (buffer.cl), compiled for device->has_addresses; memory NULL: none. */
int bench_opencl_list_add_buffer(struct bench_device *device, struct bench_opencl_list *list,
				 const struct bench_buffer *buffer, struct bench_error *error);
/*
 * For a kernel whose first argument is a structure with its buffers' addresses: fills these, or, where
 * kernels do not reach buffers by number, adds the buffers. NULL among the buffers is left out.
 */
int bench_opencl_list_add_buffers(struct bench_device *device, struct bench_opencl_list *list,
				  const struct bench_buffer *const *buffers, uint64_t *const *addresses,
				  size_t count, struct bench_error *error);

/* queue.c, again */

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
/* The width that is asked for, or for 0 the fastest: 16 bytes to a GPU's work-item, all lanes to a CPU's. */
unsigned bench_opencl_width(const struct bench_device *device, enum bench_dtype dtype, unsigned asked);
/* The base-2 logarithm, 0 to 4, of a width; BENCH_USAGE where there is none such. */
int bench_opencl_width_log(const char *operation, unsigned width, unsigned *log, struct bench_error *error);
/* Elements of a vector of a CPU device as wide as its own are: of 16, 32 or 64 bytes. */
size_t bench_opencl_vector_lanes(const struct bench_device *device, enum bench_dtype dtype);
/*
 * Who runs an operation that is over when one thread has read and written so many bytes: the device, or, of
 * little work on an idle one, its caller. What computes more than it moves counts its bytes several times.
 * has_parts: it will be launched by bench_opencl_run_vectors, of which the caller's helper takes a part.
 */
struct bench_device *bench_opencl_runner(struct bench_device *device, size_t bytes, bool has_parts);
/* Are these more bytes than the caches of a CPU device hold? Then the kernel is one with PAST
 * (vector.cl). */
bool bench_opencl_goes_past(const struct bench_device *device, size_t bytes);
/*
 * A kernel that takes `buffers` vectors of `count` elements each and their count, each element from its place
 * in all of them: one work-item for each `width` elements. They are compiled with ADDRESSES
 * (buffer.cl) where it is so: on CPUs, whose helper then takes a part.
 */
bool bench_opencl_vectors_by_address(const struct bench_device *device);
enum { BENCH_OPENCL_VECTORS_MOST = 3 };
struct bench_opencl_vectors {
	const struct bench_buffer *buffer[BENCH_OPENCL_VECTORS_MOST];
	size_t buffers, count;
	enum bench_dtype dtype;
	unsigned width;
};
int bench_opencl_run_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
			     const struct bench_opencl_vectors *vectors, struct bench_error *error);
/* Launches one work-item for each `width` of `count` elements, and some with nothing to do. */
int bench_opencl_launch_vectors(struct bench_device *device, struct bench_opencl_kernel *kernel,
				const struct bench_opencl_argument *arguments, cl_uint argument_count,
				size_t count, unsigned width, struct bench_error *error);

/* launch.c */

int bench_opencl_empty(struct bench_device *device, unsigned buffers, struct bench_error *error);
int bench_opencl_compile(struct bench_device *device, const struct bench_compile *compile, double *seconds,
			 struct bench_error *error);

/* user_kernel.c */

extern const struct bench_kernel_hooks bench_opencl_kernels;

/* training.c */

extern const struct bench_training bench_opencl_training;

/* peer.c */

extern const struct bench_peer_hooks bench_opencl_peer;

/* The hooks that every backend on OpenCL devices shares, for its table. */
#define BENCH_OPENCL_HOOKS                                                                                   \
	.alloc = bench_opencl_alloc, .release = bench_opencl_release, .upload = bench_opencl_upload,         \
	.download = bench_opencl_download, .finish = bench_opencl_finish,                                    \
	.host_alloc = bench_opencl_host_alloc, .host_free = bench_opencl_host_free,                          \
	.device_stats = bench_opencl_device_stats, BENCH_BACKEND_OPERATIONS(opencl),                         \
	.empty = bench_opencl_empty, .compile = bench_opencl_compile, .training = &bench_opencl_training,    \
	.peer = &bench_opencl_peer

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
