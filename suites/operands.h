/* SPDX-License-Identifier: MIT */
/*
 * Operands: the arrays that a suite's operation reads and writes, each in host memory and on the device.
 *
 * Most suites call one operation of the backend, over and over, on a few arrays. This is their state:
 *
 *	struct state {
 *		struct bench_operands operands;        the first member
 *		struct bench_operand a, b, c;          as many as the operation has
 *		struct bench_elementwise elementwise;  the arguments of the call
 *	};
 *
 * Their setup makes the state (bench_operands_begin), then the inputs and the outputs. The hook prepare is
 *bench_operands_spoil, teardown is bench_operands_teardown, and run is BENCH_RUN(elementwise).
 * suites/elementwise.c is the shortest example.
 */
#ifndef SUITES_OPERANDS_H
#define SUITES_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/case.h"
#include "bench/error.h"
#include "kit/rng.h"

/* {0} has no memory, neither here nor there. */
struct bench_operand {
	enum bench_dtype dtype;
	size_t count; /* elements */
	void *host;
	struct bench_buffer *buffer;
	bool output;
	struct bench_operand *next; /* of the case's */
};

/* The first member of a case's state: all operands that were made for it. */
struct bench_operands {
	struct bench_operand *first;
};

/* Allocates case->state, of `bytes` zeros; NULL, with an error that names the suite, without memory. */
void *bench_state_make(struct bench_case *bench_case, size_t bytes, const char *suite,
		       struct bench_error *error);
/* A hook teardown: frees the state, if there is one, and nothing that it points to. */
void bench_state_free(struct bench_case *bench_case);

/* Of a parameter with choices among f32, f64, f16, bf16, tf32 and c32. */
enum bench_dtype bench_operand_dtype(const struct bench_value *value);

/* The values of the case's inputs, by its parameter data; uniform in a suite without one. */
enum bench_data bench_operand_data(const struct bench_case *bench_case);

/* BENCH_UNSUPPORTED where the backend `lacks` something (NULL: it does not), or the device the type. */
int bench_operands_supported(const struct bench_case *bench_case, const char *lacks, enum bench_dtype dtype,
			     struct bench_error *error);

/* bench_operands_supported, then bench_state_make: how most setups begin. NULL with the error. */
void *bench_operands_begin(struct bench_case *bench_case, size_t bytes, const char *suite, const char *lacks,
			   enum bench_dtype dtype, struct bench_error *error);

/* What the device has done so far; zeros if the backend does not count it. */
struct bench_device_stats bench_case_stats(const struct bench_case *bench_case);

/*
 * Each allocates both memories of an operand within the case's state, and adds it to state->operands. After a
 * failure it may be half made; the teardown frees it all the same.
 *
 * An input is filled, here and on the device, with the values of bench_operand_data from `stream` of the
 * case's seed. An output is what bench_operands_spoil spoils. One that is only made is the suite's own to
 * fill.
 */
int bench_operand_make(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
		       struct bench_operand *operand, struct bench_error *error);
int bench_operand_input(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
			uint64_t stream, struct bench_operand *operand, struct bench_error *error);
int bench_operand_output(const struct bench_case *bench_case, enum bench_dtype dtype, size_t count,
			 struct bench_operand *operand, struct bench_error *error);

size_t bench_operand_bytes(const struct bench_operand *operand);
int bench_operand_upload(const struct bench_case *bench_case, const struct bench_operand *operand,
			 struct bench_error *error);
int bench_operand_download(const struct bench_case *bench_case, struct bench_operand *operand,
			   struct bench_error *error);

/* A hook prepare: NaN in all of every output, here and on the device. */
int bench_operands_spoil(struct bench_case *bench_case, struct bench_error *error);

/* A hook teardown: frees all operands, and the state as bench_state_free does. */
void bench_operands_teardown(struct bench_case *bench_case);

/* BENCH_SUITE_HOOKS (suites/suites.h), and both of the above. */
#define BENCH_OPERANDS_HOOKS                                                                                 \
	BENCH_SUITE_HOOKS, .prepare = bench_operands_spoil, .teardown = bench_operands_teardown

/* A hook run: in each iteration the backend's operation NAME, with the arguments in the member NAME of the
 * state. */
#define BENCH_RUN(name)                                                                                      \
	static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)        \
	{                                                                                                    \
		const struct state *state = bench_case->state;                                               \
		for (uint64_t i = 0; i < iterations; i++)                                                    \
			if (bench_case->backend->name(bench_case->device, &state->name, error))              \
				return -1;                                                                   \
		return 0;                                                                                    \
	}

/* An element of an f32 or f64 operand on the host, and its replacement, rounded to the type. */
static inline double bench_operand_element(const struct bench_operand *operand, size_t index)
{
	return operand->dtype == BENCH_F64 ? ((const double *)operand->host)[index]
					   : (double)((const float *)operand->host)[index];
}

static inline void bench_operand_set(struct bench_operand *operand, size_t index, double value)
{
	if (operand->dtype == BENCH_F64)
		((double *)operand->host)[index] = value;
	else
		((float *)operand->host)[index] = (float)value;
}

/* A buffer with the bytes of `host`; of none, a buffer all the same. The caller releases it. */
int bench_buffer_make(const struct bench_case *bench_case, const void *host, size_t bytes,
		      struct bench_buffer **buffer, struct bench_error *error);

/*
 * The hook work of an operation on `vectors` vectors of `count` elements, each of them read or written once:
 * everything except flops and items. BENCH_USAGE if `count`, a parameter of that name, cannot be the size of
 * a vector.
 */
int bench_vectors_work(const char *suite, const struct bench_value *count, enum bench_dtype dtype,
		       unsigned vectors, struct bench_work *work, struct bench_error *error);

/* BENCH_USAGE unless `width`, a parameter of that name, is 0, 1, 2, 4, 8 or 16. */
int bench_vectors_width(const char *suite, const struct bench_value *width, struct bench_error *error);

#endif
