/* SPDX-License-Identifier: MIT */
/*
 * The backend opencl+clblast: the OpenCL backend with the matrix product of CLBlast (Nugteren, "CLBlast: a
 * tuned OpenCL BLAS library", IWOCL 2018). The library is loaded when a device is first looked for, so that
 * bench runs without it.
 *
 * It has no device time: CLBlast gives the event of its last kernel alone, and a product is
 * several where it pads or transposes first.
 */
#include "backends/opencl/runtime/cl.h" /* first: it says for which version of OpenCL the headers are read */

#ifndef BENCH_WITHOUT_CLBLAST
#include <clblast_c.h>
#endif
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "backends/library.h"
#include "backends/opencl/gemm/problem.h"
#include "backends/opencl/hooks.h"
#include "backends/opencl/runtime/errors.h"

#ifndef BENCH_WITHOUT_CLBLAST

static struct library {
	__typeof__(CLBlastSgemm) *sgemm;
	__typeof__(CLBlastDgemm) *dgemm;
	__typeof__(CLBlastCgemm) *cgemm;
	__typeof__(CLBlastSgemmStridedBatched) *sgemm_batched;
	__typeof__(CLBlastDgemmStridedBatched) *dgemm_batched;
	__typeof__(CLBlastCgemmStridedBatched) *cgemm_batched;
	__typeof__(CLBlastClearCache) *clear_cache;
	bool loaded;
	char version[32]; /* from the name of its file: the library does not say it */
} library;

static const struct bench_library file = {
	.file = "libclblast.so.1",
	.name = "CLBlast",
	.packages = "Debian, Ubuntu: libclblast1",
	.least = "CLBlast 1.4 or later",
};

static const struct bench_symbol symbols[] = {
	{"CLBlastSgemm", offsetof(struct library, sgemm)},
	{"CLBlastDgemm", offsetof(struct library, dgemm)},
	{"CLBlastCgemm", offsetof(struct library, cgemm)},
	{"CLBlastSgemmStridedBatched", offsetof(struct library, sgemm_batched)},
	{"CLBlastDgemmStridedBatched", offsetof(struct library, dgemm_batched)},
	{"CLBlastCgemmStridedBatched", offsetof(struct library, cgemm_batched)},
	{"CLBlastClearCache", offsetof(struct library, clear_cache)},
	{0},
};

/* ".../libclblast.so.1.5.3", where the loader's name leads to: "1.5.3". */
static void read_version(void)
{
	Dl_info info;
	const void *symbol;
	char path[PATH_MAX];
	const char *suffix = NULL;
	memcpy(&symbol, &library.sgemm, sizeof(symbol));
	if (dladdr(symbol, &info) && realpath(info.dli_fname, path))
		suffix = strstr(path, ".so.");
	snprintf(library.version, sizeof(library.version), "%s",
		 suffix ? suffix + strlen(".so.") : "unknown");
}

static int load(struct bench_error *error)
{
	if (library.loaded)
		return 0;
	if (!bench_library_open(&file, symbols, &library, error))
		return -1;
	read_version();
	library.loaded = true;
	return 0;
}

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	if (load(error) != 0 || bench_opencl_devices(info, capacity, count, error) != 0)
		return -1;
	for (size_t i = 0; i < *count && i < capacity; i++) {
		size_t length = strlen(info[i].driver);
		snprintf(info[i].driver + length, sizeof(info[i].driver) - length, ", CLBlast %s",
			 library.version);
		info[i].device_time = false;
	}
	return 0;
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	return load(error) == 0 ? bench_opencl_open(index, options, device, error) : -1;
}

static void close_device(struct bench_device *device)
{
	/* Its programs would keep the context alive. */
	if (device) {
		clFinish(bench_opencl_queue(device));
		library.clear_cache();
	}
	bench_opencl_close(device);
}

/* Statuses that OpenCL does not have; NULL for the others. */
static const char *status_name(CLBlastStatusCode status)
{
	switch (status) {
	case CLBlastNotImplemented:
		return "CLBlastNotImplemented";
	case CLBlastInsufficientMemoryTemp:
		return "CLBlastInsufficientMemoryTemp";
	case CLBlastInvalidLocalMemUsage:
		return "CLBlastInvalidLocalMemUsage";
	case CLBlastDatabaseError:
		return "CLBlastDatabaseError";
	case CLBlastUnknownError:
		return "CLBlastUnknownError";
	case CLBlastUnexpectedError:
		return "CLBlastUnexpectedError";
	default:
		return NULL;
	}
}

static int fail(struct bench_error *error, const struct bench_device *device, CLBlastStatusCode status,
		const char *call)
{
	const char *name = status_name(status);
	if (!name)
		return bench_opencl_fail(error, device, (cl_int)status, call, NULL);
	return bench_fail(error, BENCH_FAILED, "%s in %s, device %s", name, call, device->info.slug);
}

/* What CLBlast's gemm does not do. */
static int check_kind(const struct bench_device *device, const struct bench_gemm *gemm,
		      struct bench_error *error)
{
	if (gemm->dtype == BENCH_F16 || gemm->dtype == BENCH_BF16)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl+clblast: no gemm in f16 or bf16 with sums in single precision: "
				  "CLBlastHgemm sums in half");
	if (bench_opencl_check_f64(device, gemm->dtype, error) != 0)
		return -1;
	if (gemm->bias || gemm->activation != BENCH_ACTIVATION_NONE)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "opencl+clblast: no gemm with a bias or an activation: CLBlast's ends at "
				  "alpha A B + beta C");
	return 0;
}

static CLBlastTranspose transpose(bool trans)
{
	return trans ? CLBlastTransposeYes : CLBlastTransposeNo;
}

/* One product, or a batch: of one, the library has other kernels than of a batch of one. */
#define CALL(function, alpha, beta)                                                                          \
	(gemm->batch > 1                                                                                     \
		 ? library.function##_batched(CLBlastLayoutRowMajor, op_a, op_b, gemm->m, gemm->n, gemm->k,  \
					      alpha, a, 0, gemm->lda, gemm->stride_a, b, 0, gemm->ldb,       \
					      gemm->stride_b, beta, c, 0, gemm->ldc, gemm->stride_c,         \
					      gemm->batch, &queue, NULL)                                     \
		 : library.function(CLBlastLayoutRowMajor, op_a, op_b, gemm->m, gemm->n, gemm->k, alpha, a,  \
				    0, gemm->lda, b, 0, gemm->ldb, beta, c, 0, gemm->ldc, &queue, NULL))

static int multiply(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	cl_command_queue queue = bench_opencl_queue(device);
	CLBlastTranspose op_a = transpose(gemm->trans_a), op_b = transpose(gemm->trans_b);
	cl_mem a = gemm->a->memory, b = gemm->b->memory, c = gemm->c->memory;
	const cl_float2 alpha = {{(float)gemm->alpha, 0}}, beta = {{(float)gemm->beta, 0}};
	CLBlastStatusCode status;
	char name[32];
	if (gemm->dtype == BENCH_C32)
		status = CALL(cgemm, alpha, beta);
	else if (gemm->dtype == BENCH_F64)
		status = CALL(dgemm, gemm->alpha, gemm->beta);
	else
		status = CALL(sgemm, (float)gemm->alpha, (float)gemm->beta);
	if (status == CLBlastSuccess)
		return 0;
	snprintf(name, sizeof(name), "CLBlast%cgemm%s",
		 gemm->dtype == BENCH_C32   ? 'C'
		 : gemm->dtype == BENCH_F64 ? 'D'
					    : 'S',
		 gemm->batch > 1 ? "StridedBatched" : "");
	return fail(error, device, status, name);
}

static int gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	if (check_kind(device, gemm, error) != 0 || (!gemm->raw && bench_opencl_gemm_check(gemm, error) != 0))
		return -1;
	return multiply(device, gemm, error);
}

#else

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	(void)info, (void)capacity, (void)count;
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "bench was built without CLBlast: install its header (Debian, Ubuntu: "
			  "libclblast-dev), and build again");
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	(void)index, (void)options, (void)device;
	return devices(NULL, 0, NULL, error);
}

static void close_device(struct bench_device *device)
{
	bench_opencl_close(device);
}

static int gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	(void)device, (void)gemm;
	return devices(NULL, 0, NULL, error);
}

#endif

const struct bench_backend bench_backend_clblast = {
	.name = "opencl+clblast",
	.summary = "as opencl, but matrix products by CLBlast",
	.devices = devices,
	.open = open_device,
	.close = close_device,
	BENCH_OPENCL_HOOKS,
	.gemm = gemm,
};
