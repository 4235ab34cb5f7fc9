/* SPDX-License-Identifier: MIT */
#include "suites/operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/suite.h"
#include "kit/dense.h"
#include "kit/rng.h"

void *bench_state_make(struct bench_case *bench_case, size_t bytes, const char *suite,
		       struct bench_error *error)
{
	bench_case->state = calloc(1, bytes);
	if (!bench_case->state)
		bench_fail(error, BENCH_NO_MEMORY, "%s: no host memory", suite);
	return bench_case->state;
}

void bench_state_free(struct bench_case *bench_case)
{
	free(bench_case->state);
	bench_case->state = NULL;
}

enum bench_dtype bench_operand_dtype(const struct bench_value *value)
{
	if (strcmp(value->text, "f64") == 0)
		return BENCH_F64;
	if (strcmp(value->text, "f16") == 0)
		return BENCH_F16;
	if (strcmp(value->text, "bf16") == 0)
		return BENCH_BF16;
	if (strcmp(value->text, "c32") == 0)
		return BENCH_C32;
	return strcmp(value->text, "tf32") == 0 ? BENCH_TF32 : BENCH_F32;
}

int bench_operands_supported(const struct bench_case *bench_case, const char *lacks, enum bench_dtype dtype,
			     struct bench_error *error)
{
	if (lacks)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no %s", bench_case->backend->name,
				  lacks);
	if (dtype == BENCH_F64 && !bench_case->info->f64)
		return bench_fail(error, BENCH_UNSUPPORTED, "device %s has no double precision (f64)",
				  bench_case->info->name);
	if ((dtype == BENCH_F16 || dtype == BENCH_BF16) && !bench_case->info->f16)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no f16 and no bf16 on %s",
				  bench_case->backend->name, bench_case->info->name);
	return 0;
}

void *bench_operands_begin(struct bench_case *bench_case, size_t bytes, const char *suite, const char *lacks,
			   enum bench_dtype dtype, struct bench_error *error)
{
	if (bench_operands_supported(bench_case, lacks, dtype, error))
		return NULL;
	return bench_state_make(bench_case, bytes, suite, error);
}

struct bench_device_stats bench_case_stats(const struct bench_case *bench_case)
{
	struct bench_device_stats stats = {0};
	if (bench_case->backend->device_stats)
		bench_case->backend->device_stats(bench_case->device, &stats);
	return stats;
}

size_t bench_operand_bytes(const struct bench_operand *operand)
{
	return operand->count * bench_dtype_bytes(operand->dtype);
}

int bench_operand_make(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
		       struct bench_operand *operand, struct bench_error *error)
{
	struct bench_operands *operands = bench_case->state;
	*operand = (struct bench_operand){.dtype = dtype, .count = count, .next = operands->first};
	operands->first = operand;
	size_t bytes = bench_operand_bytes(operand);
	operand->host = malloc(bytes);
	if (!operand->host)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for an operand of %zu bytes",
				  bytes);
	return bench_case->backend->alloc(bench_case->device, bytes, &operand->buffer, error);
}

enum bench_data bench_operand_data(const struct bench_case *bench_case)
{
	const struct bench_param *params = bench_case->suite ? bench_case->suite->params : NULL;
	for (size_t i = 0; params && params[i].name; i++)
		if (strcmp(params[i].name, "data") == 0)
			return (enum bench_data)bench_case->values[i].integer;
	return BENCH_DATA_UNIFORM;
}

int bench_operand_input(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
			uint64_t stream, struct bench_operand *operand, struct bench_error *error)
{
	if (bench_operand_make(bench_case, dtype, count, operand, error))
		return -1;
	bench_rng_fill_data(bench_operand_data(bench_case), bench_case->seed, stream, dtype, operand->host,
			    count);
	return bench_operand_upload(bench_case, operand, error);
}

int bench_operand_output(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
			 struct bench_operand *operand, struct bench_error *error)
{
	int result = bench_operand_make(bench_case, dtype, count, operand, error);
	operand->output = true;
	return result;
}

int bench_operand_upload(const struct bench_case *bench_case, const struct bench_operand *operand,
			 struct bench_error *error)
{
	return bench_case->backend->upload(bench_case->device, operand->buffer, operand->host,
					   bench_operand_bytes(operand), error);
}

int bench_operand_download(const struct bench_case *bench_case, struct bench_operand *operand,
			   struct bench_error *error)
{
	return bench_case->backend->download(bench_case->device, operand->buffer, operand->host,
					     bench_operand_bytes(operand), error);
}

int bench_operands_spoil(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_operands *operands = bench_case->state;
	for (struct bench_operand *operand = operands->first; operand; operand = operand->next) {
		if (!operand->output)
			continue;
		/* All bits set: NaN in every type. */
		memset(operand->host, 0xff, bench_operand_bytes(operand));
		if (bench_operand_upload(bench_case, operand, error))
			return -1;
	}
	return 0;
}

void bench_operands_teardown(struct bench_case *bench_case)
{
	const struct bench_operands *operands = bench_case->state;
	for (struct bench_operand *operand = operands ? operands->first : NULL; operand;
	     operand = operand->next) {
		bench_case->backend->release(bench_case->device, operand->buffer);
		free(operand->host);
	}
	bench_state_free(bench_case);
}

int bench_buffer_make(const struct bench_case *bench_case, const void *host, size_t bytes,
		      struct bench_buffer **buffer, struct bench_error *error)
{
	if (bench_case->backend->alloc(bench_case->device, bytes ? bytes : 1, buffer, error))
		return -1;
	return bench_case->backend->upload(bench_case->device, *buffer, host, bytes, error);
}

int bench_vectors_work(const char *suite, const struct bench_value *count, enum bench_dtype dtype,
		       unsigned vectors, struct bench_work *work, struct bench_error *error)
{
	uint64_t bytes;
	if (count->integer < 1 || !bench_dense_bytes((uint64_t)count->integer, 1, dtype, &bytes))
		return bench_fail(error, BENCH_USAGE, "%s: count=%" PRId64 " is no size of a vector", suite,
				  count->integer);
	work->bytes = vectors * (double)bytes;
	work->device_bytes = work->host_bytes = vectors * bytes;
	work->largest_bytes = bytes;
	return 0;
}

int bench_vectors_width(const char *suite, const struct bench_value *width, struct bench_error *error)
{
	int64_t w = width->integer;
	if (w < 0 || w > 16 || (w & (w - 1)))
		return bench_fail(error, BENCH_USAGE, "%s: width=%" PRId64 ": it is 0, 1, 2, 4, 8 or 16",
				  suite, w);
	return 0;
}
