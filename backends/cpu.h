/* SPDX-License-Identifier: MIT */
/*
 * What the backends that compute on the host's own CPU share: its description, and
 * hooks of struct bench_backend whose buffers are ordinary host memory. The hooks' own
 * contracts are in bench/backend.h.
 */
#ifndef BACKENDS_CPU_H
#define BACKENDS_CPU_H

#include <stddef.h>

#include "bench/backend.h"

struct bench_conv2d_measured;
struct openblas;

struct bench_device {
	unsigned threads; /* that it was opened with; else all of the machine's */
	struct bench_conv2d_measured *conv2d;
	const struct openblas
		*library; /* of the backends openblas+NAME, which the process keeps; else NULL */
	void *workspace;  /* of operations, for one call; see bench_cpu_reserve */
	size_t workspace_bytes;
};

struct bench_buffer {
	size_t bytes;
	void *data; /* aligned to 64 bytes */
};

/*
 * Fills the slug, name, kind, cores, memory and abilities of this machine's CPU; platform
 * and driver stay empty.
 */
void bench_cpu_describe(struct bench_device_info *info);

/*
 * The slug and name out of the text of /proc/cpuinfo and the machine name of uname(2).
 * The slug is made from what the silicon says it is (cpu-intel-6-207 by vendor, family and
 * model; cpu-0x41-0xd0c by implementer and part), since neither of the alternatives will
 * do: the model name of a virtual machine says no more than "Intel Xeon Processor", and
 * the kernel set that a library picks (OpenBLAS: SkylakeX, Prescott) changes with
 * its version and environment; that belongs to the driver, not to the device.
 */
void bench_cpu_identify(const char *cpuinfo, const char *machine, struct bench_device_info *info);

int bench_cpu_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		   struct bench_error *error);
void bench_cpu_close(struct bench_device *device);
int bench_cpu_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		    struct bench_error *error);
void bench_cpu_release(struct bench_device *device, struct bench_buffer *buffer);
int bench_cpu_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host, size_t bytes,
		     struct bench_error *error);
int bench_cpu_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
		       size_t bytes, struct bench_error *error);
int bench_cpu_finish(struct bench_device *device, struct bench_error *error);
int bench_cpu_host_alloc(struct bench_device *device, size_t bytes, enum bench_host_memory kind, void **host,
			 struct bench_error *error);
void bench_cpu_host_free(struct bench_device *device, void *host);

/* The hooks above, for a backend's table. */
#define BENCH_CPU_HOOKS                                                                                      \
	.open = bench_cpu_open, .close = bench_cpu_close, .alloc = bench_cpu_alloc,                          \
	.release = bench_cpu_release, .upload = bench_cpu_upload, .download = bench_cpu_download,            \
	.finish = bench_cpu_finish, .host_alloc = bench_cpu_host_alloc, .host_free = bench_cpu_host_free

/* Memory for one call of an operation, `bytes` at least, aligned to 64; the next call has the same one. */
int bench_cpu_reserve(struct bench_device *device, size_t bytes, void **workspace, struct bench_error *error);
size_t bench_cpu_bytes(const struct bench_buffer *buffer); /* its size */

/*
 * Threads for a loop over `count` elements: 1 where waking the others costs more than they
 * save, else those that the device was opened with.
 */
unsigned bench_cpu_threads(const struct bench_device *device, size_t count);

/* BENCH_UNSUPPORTED for f16, bf16 and tf32, in which the CPU's plain C does not compute. */
int bench_cpu_check_dtype(const char *backend, const char *operation, enum bench_dtype dtype,
			  struct bench_error *error);

/* BENCH_USAGE for what is no function to apply to a vector. */
int bench_cpu_check_function(const char *backend, enum bench_activation function, struct bench_error *error);

/*
 * BENCH_UNSUPPORTED for a width other than 0 and 1: loops in plain C are vectorized by the
 * compiler, as it sees fit. `backend` is the name that the reason shows.
 */
int bench_cpu_check_width(const char *backend, unsigned width, struct bench_error *error);

/*
 * BENCH_UNSUPPORTED for stages other than one and auto (a loop of the host leaves nothing to finish) and for
 * f16, bf16 and tf32; BENCH_USAGE for a count that the buffers do not hold.
 */
int bench_cpu_check_reduction(const char *backend, const struct bench_reduction *reduction,
			      struct bench_error *error);
/* Where the value goes: on a CPU a buffer of the device is memory like any other. */
void *bench_cpu_reduction_result(const struct bench_reduction *reduction);

/* BENCH_UNSUPPORTED for f16, bf16 and tf32; BENCH_USAGE for a count that the buffer does not hold. */
int bench_cpu_check_random(const char *backend, const struct bench_random *random, struct bench_error *error);

/* Bits of the vectors of this CPU: 512 of AVX-512, 256 of AVX2, 128 of an x86 without; 0: not known. */
unsigned bench_cpu_vector_bits(void);

#endif
