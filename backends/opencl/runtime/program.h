/* SPDX-License-Identifier: MIT */
/* Programs and their kernels: built, or loaded from the cache, at their first use. */
#ifndef BENCH_OPENCL_PROGRAM_H
#define BENCH_OPENCL_PROGRAM_H

#include "backends/opencl/runtime/device.h"

enum { BENCH_OPENCL_ARGUMENTS_KEPT = 24 };
struct bench_opencl_kernel {
	cl_kernel handle;
	bool launched; /* once at least */
	bool recent;   /* since reports were last forgotten (reports.h) */
	size_t group;  /* work-items of a group, as it was launched last; 0: the driver's choice */
	char name[32];
	/* The arguments that are set; 0 bytes: not known. They count while the device's `released` is this.
	 */
	struct {
		size_t bytes;
		unsigned char value[160];
	} arguments[BENCH_OPENCL_ARGUMENTS_KEPT];
	uint64_t released;
	struct bench_opencl_kernel *twin; /* NULL: not asked for yet */
	struct bench_opencl_kernel *next;
};

/*
 * A kernel of one program. `file` is the name of an embedded source ("gemm_cpu.cl"). The same file, options
 * and name give the same kernel again. The device owns it.
 */
int bench_opencl_kernel(struct bench_device *device, const char *file, const char *options, const char *name,
			struct bench_opencl_kernel **kernel, struct bench_error *error);
/*
 * A kernel of a source that is not embedded, which messages call `file`. Each call gives a new kernel, since
 * a kernel keeps its arguments.
 */
int bench_opencl_kernel_of(struct bench_device *device, const char *file, const char *source,
			   const char *options, const char *name, struct bench_opencl_kernel **kernel,
			   struct bench_error *error);
/* Does the source compile? It is neither kept nor counted. */
bool bench_opencl_compiles(struct bench_device *device, const char *source, const char *options);
/* The same kernel with its own arguments, for another thread; NULL: it cannot be had. */
struct bench_opencl_kernel *bench_opencl_kernel_twin(struct bench_opencl_kernel *kernel);
/* Work-items of a group: `at_most`, or as many as the device runs of this kernel. */
int bench_opencl_group_size(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
			    size_t at_most, size_t *group, struct bench_error *error);
/*
 * Takes a kernel's program off the device, with all its kernels, as if nobody had asked for it. `store`:
 * writes it to the cache, if it was compiled here. None of it may be in use, or be a variant (variants.h).
 */
void bench_opencl_program_drop(struct bench_device *device, const struct bench_opencl_kernel *kernel,
			       bool store);
void bench_opencl_programs_free(struct bench_device *device);
/* Writes those that were compiled here to the cache. */
void bench_opencl_programs_store(const struct bench_device *device);
/* Calls visit for each program, with its kernels. */
void bench_opencl_programs_each(struct bench_device *device,
				void (*visit)(struct bench_device *device, cl_program program,
					      struct bench_opencl_kernel *kernels, void *context),
				void *context);
/* The compiler's log, malloc'd; NULL where it is missing. */
char *bench_opencl_program_log(const struct bench_device *device, cl_program program);
/*
 * The program's binary, malloc'd with room for two bytes more; NULL where it cannot be had. A program is
 * built for one device: where the context has two, the other one has no binary, or (PoCL 3.1) is not listed.
 */
unsigned char *bench_opencl_program_binary(cl_program program, size_t *bytes);
/* A program of a binary, built. NULL: it is not this device's, or is damaged. */
cl_program bench_opencl_program_load(struct bench_device *device, const unsigned char *binary, size_t bytes,
				     const char *options);
/* All work is done, or has failed: marks the programs from the cache that have run as good or bad. */
void bench_opencl_programs_settle(struct bench_device *device, bool good);

/* How kernels are told an element's type: REAL for f32 and f64, */
static inline const char *bench_opencl_real(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? "double" : "float";
}

/* HALF (gemm_stored.cl) for types that are only stored, */
static inline int bench_opencl_half(enum bench_dtype dtype)
{
	return dtype == BENCH_F16 ? 1 : dtype == BENCH_BF16 ? 2 : 0;
}

/* and TYPE (gemm_tensor.cl) for those of tensor cores. */
static inline int bench_opencl_tensor_type(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? 4 : dtype == BENCH_TF32 ? 3 : bench_opencl_half(dtype);
}

#endif
