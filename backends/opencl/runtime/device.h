/* SPDX-License-Identifier: MIT */
/*
 * An open device and its memory. The runtime, this folder, knows no operation. Functions that return int give
 * 0, or -1 with `error` filled. Everything belongs to the one thread that calls the backend.
 */
#ifndef BENCH_OPENCL_DEVICE_H
#define BENCH_OPENCL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/opencl/runtime/cl.h"
#include "bench/backend.h"

struct bench_buffer {
	cl_mem memory;
	size_t bytes;
	uint64_t address; /* of its first byte, as kernels see it; 0: not asked for yet */
	size_t texels[3]; /* of an image, as clEnqueueReadImage takes them; all 0: a buffer */
};

struct bench_opencl_queue {
	cl_command_queue plain;     /* ordinary work: collects no times */
	cl_command_queue profiling; /* made by the first time_begin; else NULL */
	bool timing;                /* between time_begin and time_end: work goes to `profiling` */
	bool in_row;                /* likewise, between row_begin and row_end */
	bool idle;                  /* everything that was enqueued is done */
	/* One entry per command since time_begin: its event, and that of its second part, else NULL. */
	cl_event (*events)[2];
	size_t count, capacity;
	struct {
		bool open, refused; /* refused: the device cannot do it */
		cl_event hold;
		uint64_t launches;       /* that there had been when it was opened */
		double opened, enqueued; /* when, and how long the host needed to enqueue it, in seconds */
		double hold_seconds;     /* of the next hold */
		/* Seconds of a turn of the hold, an empty kernel by its stamps, and in a row; of a row as
		 * such. 0: not known yet. */
		double turn, stamp, launch, fixed;
	} row; /* row.c */
};

/*
 * What an operation keeps on a device beside its kernels. The runtime makes `bytes` of zeros when it opens
 * the device, and calls `close` before it closes the device.
 */
struct bench_opencl_state {
	size_t bytes;
	void (*close)(void *state);
};

enum { BENCH_OPENCL_STATES = 4, BENCH_OPENCL_TUNED = 16, BENCH_OPENCL_VARIANTS = 64 };

struct bench_device {
	cl_device_id id;
	bool sub_device; /* `id` is ours to release */
	cl_context context;
	/*
	 * A device in the same context, with its own programs and queues, which runs its work in the calling
	 * thread, at once. Small kernels are done there before other threads are awake. It takes work when
	 * this device is idle; bench_opencl_queue finishes it before anything else is enqueued here. NULL:
	 * none.
	 */
	struct bench_device *caller;
	struct bench_opencl_helper *helper; /* of a caller: its second thread (helper.h); NULL: none */
	struct bench_device_info info;
	unsigned nvidia_capability; /* NVIDIA: major number of the compute capability; else 0 */
	bool has_fence;       /* kernels have a fence for the whole device: groups see each other's writes */
	bool has_addresses;   /* buffers stay in place, and kernels reach them by address */
	uint64_t local_bytes; /* local memory for one group */
	uint64_t cache_bytes; /* of its largest cache; 0: not known */
	size_t native_width[2]; /* elements of its vectors, of f32 and of f64; 0: no such vectors */
	bool no_wgmma;          /* the driver has refused PTX with wgmma (retarget.h) */
	unsigned threads;       /* of the host that copies may use; 0: all */
	uint64_t tuned[BENCH_OPENCL_TUNED]; /* backends/opencl/tuning numbers them */
	struct bench_opencl_queue queue;
	uint64_t released; /* buffers released so far; a new buffer may get the handle of an old one */
	struct bench_opencl_program *programs; /* a list, the newest first */
	bool trying;                           /* some programs are from the cache and have not run yet */
	struct bench_opencl_known *variants[BENCH_OPENCL_VARIANTS]; /* a hash table: variants.h */
	struct bench_device_stats stats;
	struct bench_device_traffic traffic;
	struct bench_opencl_host *host_blocks; /* from host_alloc */
	void *staging;                         /* one of them, for staged copies; made at first use */
	void *fetched;                         /* likewise, for results of a few bytes */
	/*
	 * Scratch for one operation at a time, grown by bench_opencl_reserve and bench_opencl_counters:
	 * partial results, one value, and counters that are 0 between operations.
	 */
	struct bench_buffer parts, value, arrived;
	struct {
		const struct bench_opencl_state *of;
		void *memory;
	} states[BENCH_OPENCL_STATES];
};

/* Do kernels here multiply this type on tensor cores? f64 at compute capability 9 alone: others are no faster
 * so. */
static inline bool bench_opencl_has_tensor_cores(const struct bench_device *device, enum bench_dtype dtype)
{
	if (dtype == BENCH_F64)
		return device->nvidia_capability == 9;
	return (dtype == BENCH_F16 || dtype == BENCH_BF16 || dtype == BENCH_TF32) &&
	       device->nvidia_capability >= 8;
}

/* The memory of a state that the device was opened with. */
void *bench_opencl_state(const struct bench_device *device, const struct bench_opencl_state *of);

static inline bool bench_opencl_is_cpu(const struct bench_device *device)
{
	return device->info.kind == BENCH_DEVICE_CPU;
}

/* BENCH_UNSUPPORTED for f64 on a device without it; check_real: for f16, bf16 and tf32 as well. */
int bench_opencl_check_f64(const struct bench_device *device, enum bench_dtype dtype,
			   struct bench_error *error);
int bench_opencl_check_real(const struct bench_device *device, const char *operation, enum bench_dtype dtype,
			    struct bench_error *error);

/* Elements of a vector as wide as a CPU device's own: 16, 32 or 64 bytes. */
size_t bench_opencl_vector_lanes(const struct bench_device *device, enum bench_dtype dtype);

static inline void bench_opencl_count_copy(struct bench_device *device, size_t bytes)
{
	device->traffic.copies++;
	device->traffic.bytes += bytes;
}

static inline size_t bench_opencl_divide_up(size_t value, size_t by)
{
	return (value + by - 1) / by;
}

static inline size_t bench_opencl_smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t bench_opencl_bytes(const struct bench_buffer *buffer)
{
	return buffer->bytes;
}

#endif
