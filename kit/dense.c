#include "kit/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/half.h"

bool bench_dense_bytes(uint64_t rows, uint64_t cols, enum bench_dtype dtype, uint64_t *bytes)
{
	return !__builtin_mul_overflow(rows, cols, bytes) &&
	       !__builtin_mul_overflow(*bytes, (uint64_t)bench_dtype_bytes(dtype), bytes) &&
	       *bytes < BENCH_DENSE_BYTES_LIMIT;
}

enum bench_dtype bench_dense_dtype(const struct bench_value *value)
{
	if (strcmp(value->text, "f64") == 0)
		return BENCH_F64;
	if (strcmp(value->text, "f16") == 0)
		return BENCH_F16;
	if (strcmp(value->text, "bf16") == 0)
		return BENCH_BF16;
	return strcmp(value->text, "tf32") == 0 ? BENCH_TF32 : BENCH_F32;
}

int bench_dense_dtype_supported(const struct bench_case *bench_case, enum bench_dtype dtype,
				struct bench_error *error)
{
	if (dtype == BENCH_F64 && !bench_case->info->f64)
		return bench_fail(error, BENCH_UNSUPPORTED, "device %s has no double precision (f64)",
				  bench_case->info->name);
	if ((dtype == BENCH_F16 || dtype == BENCH_BF16) && !bench_case->info->f16)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no f16 and no bf16 on %s",
				  bench_case->backend->name, bench_case->info->name);
	return 0;
}

int bench_dense_supported(const struct bench_case *bench_case, enum bench_dtype dtype,
			  struct bench_error *error)
{
	if (!bench_case->backend->gemm)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no gemm",
				  bench_case->backend->name);
	return bench_dense_dtype_supported(bench_case, dtype, error);
}

static size_t operand_bytes(const struct bench_operand *operand)
{
	return operand->count * bench_dtype_bytes(operand->dtype);
}

int bench_operand_make(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
		       struct bench_operand *operand, struct bench_error *error)
{
	*operand = (struct bench_operand){.dtype = dtype, .count = count};
	size_t bytes = operand_bytes(operand);
	operand->host = malloc(bytes);
	if (!operand->host)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for an operand of %zu bytes",
				  bytes);
	return bench_case->backend->alloc(bench_case->device, bytes, &operand->buffer, error);
}

void bench_operand_free(const struct bench_case *bench_case, struct bench_operand *operand)
{
	bench_case->backend->release(bench_case->device, operand->buffer);
	free(operand->host);
	*operand = (struct bench_operand){0};
}

int bench_operand_upload(const struct bench_case *bench_case, struct bench_operand *operand,
			 struct bench_error *error)
{
	return bench_case->backend->upload(bench_case->device, operand->buffer, operand->host,
					   operand_bytes(operand), error);
}

int bench_operand_download(const struct bench_case *bench_case, struct bench_operand *operand,
			   struct bench_error *error)
{
	return bench_case->backend->download(bench_case->device, operand->buffer, operand->host,
					     operand_bytes(operand), error);
}

int bench_operand_fill(const struct bench_case *bench_case, uint64_t stream, struct bench_operand *operand,
		       struct bench_error *error)
{
	bench_rng_fill(bench_case->seed, stream, operand->dtype, operand->host, operand->count);
	return bench_operand_upload(bench_case, operand, error);
}

int bench_operand_spoil(const struct bench_case *bench_case, struct bench_operand *operand,
			struct bench_error *error)
{
	/* All bits set: NaN in every type. */
	memset(operand->host, 0xff, operand_bytes(operand));
	return bench_operand_upload(bench_case, operand, error);
}

double bench_operand_element(const struct bench_operand *operand, size_t index)
{
	return operand->dtype == BENCH_F64 ? ((const double *)operand->host)[index]
					   : (double)((const float *)operand->host)[index];
}

void bench_operand_set(struct bench_operand *operand, size_t index, double value)
{
	if (operand->dtype == BENCH_F64)
		((double *)operand->host)[index] = value;
	else
		((float *)operand->host)[index] = (float)value;
}

double bench_dense_roundoff(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
}

double bench_dense_rounding(enum bench_dtype dtype)
{
	return dtype == BENCH_F16 ? BENCH_HALF_ROUNDOFF : dtype == BENCH_BF16 ? BENCH_BFLOAT_ROUNDOFF : 0;
}

double bench_dense_tolerance(enum bench_dtype dtype, size_t k)
{
	return 3 * sqrt((double)k + 4) * bench_dense_roundoff(dtype) + bench_dense_rounding(dtype);
}

double bench_dense_error(double found, double expected, double normaliser)
{
	double difference = fabs(found - expected);
	return difference == 0 ? 0 : difference / normaliser;
}

double bench_dense_worse(double a, double b)
{
	return isnan(a) || a >= b ? a : b;
}

void bench_dense_signs(struct bench_rng *rng, double *x, size_t count)
{
	for (size_t i = 0; i < count; i++)
		x[i] = bench_rng_u32(rng) & 1 ? 1 : -1;
}

double *bench_dense_scratch(size_t count, struct bench_error *error)
{
	double *scratch = calloc(count, sizeof(*scratch));
	if (!scratch)
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for %zu numbers of a check", count);
	return scratch;
}
