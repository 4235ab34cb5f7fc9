/* GEMM: checks the problem and chooses the scheme. */
#include "gemm.h"

int bench_opencl_gemm_open(struct bench_device *device, struct bench_error *error)
{
	return bench_opencl_scheme(device, "BENCH_OPENCL_GEMM", &device->gemm.gpu, error);
}

void bench_opencl_gemm_close(struct bench_device *device)
{
	if (device->gemm.packed_a.memory)
		clReleaseMemObject(device->gemm.packed_a.memory);
	if (device->gemm.packed_b.memory)
		clReleaseMemObject(device->gemm.packed_b.memory);
}

/* Does a matrix of rows x columns as stored, `ld` elements a row, lie within its buffer? */
static int check_matrix(const struct bench_gemm *gemm, const char *name, const struct bench_buffer *buffer,
			size_t rows, size_t columns, size_t ld, struct bench_error *error)
{
	size_t elements = buffer->bytes / bench_dtype_bytes(gemm->dtype);
	if (ld < columns)
		return bench_fail(error, BENCH_USAGE, "gemm: ld%s is %zu, less than its %zu columns", name,
				  ld, columns);
	if (columns > elements || (rows - 1) > (elements - columns) / ld)
		return bench_fail(error, BENCH_USAGE,
				  "gemm: %s of %zu x %zu (row stride %zu) exceeds its buffer of %zu bytes",
				  name, rows, columns, ld, buffer->bytes);
	return 0;
}

int bench_opencl_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	if (gemm->dtype == BENCH_F64 && !device->info.f64)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no double precision: device %s lacks cl_khr_fp64", device->info.slug);
	if (gemm->m < 1 || gemm->n < 1 || gemm->k < 1 || gemm->m > INT32_MAX || gemm->n > INT32_MAX ||
	    gemm->k > INT32_MAX)
		return bench_fail(error, BENCH_USAGE, "gemm: m, n and k are 1 to 2^31 - 1, not %zu, %zu, %zu",
				  gemm->m, gemm->n, gemm->k);
	if (check_matrix(gemm, "a", gemm->a, gemm->trans_a ? gemm->k : gemm->m,
			 gemm->trans_a ? gemm->m : gemm->k, gemm->lda, error) != 0 ||
	    check_matrix(gemm, "b", gemm->b, gemm->trans_b ? gemm->n : gemm->k,
			 gemm->trans_b ? gemm->k : gemm->n, gemm->ldb, error) != 0 ||
	    check_matrix(gemm, "c", gemm->c, gemm->m, gemm->n, gemm->ldc, error) != 0)
		return -1;
	return device->gemm.gpu ? bench_opencl_gemm_gpu(device, gemm, error)
				: bench_opencl_gemm_cpu(device, gemm, error);
}
