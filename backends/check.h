/* SPDX-License-Identifier: MIT */
/*
 * What every backend checks of an operation before it touches a buffer. `bytes` tells the size of one of the
 * backend's buffers, and `backend` is the name that the text of an error shows.
 */
#ifndef BACKENDS_CHECK_H
#define BACKENDS_CHECK_H

#include <stddef.h>

#include "bench/backend.h"

typedef size_t bench_buffer_size(const struct bench_buffer *buffer);

/* BENCH_USAGE for a count that the buffers do not hold, or a value that `to` does not. */
int bench_reduction_check(const char *backend, const struct bench_reduction *reduction,
			  bench_buffer_size *bytes, struct bench_error *error);
int bench_random_check(const char *backend, const struct bench_random *random, bench_buffer_size *bytes,
		       struct bench_error *error);

/* BENCH_USAGE where the sizes of struct bench_peak are not multiples of what they must be, or do not fit. */
int bench_peak_check(const char *backend, const struct bench_peak *peak, bench_buffer_size *bytes,
		     struct bench_error *error);

/*
 * Do the sizes hold to bench/op/spmv.h and fit the buffers? BENCH_USAGE with what does not;
 * BENCH_UNSUPPORTED for f16, bf16 and tf32.
 */
int bench_spmv_check(const char *backend, const struct bench_spmv *spmv, bench_buffer_size *bytes,
		     struct bench_error *error);

/* BENCH_USAGE for sizes that are not 1 to 2^31 - 1, or do not fit the buffers. */
int bench_training_check_gather(const struct bench_training_gather *gather, bench_buffer_size *bytes,
				struct bench_error *error);
int bench_training_check_relu(const struct bench_training_relu *relu, bench_buffer_size *bytes,
			      struct bench_error *error);
int bench_training_check_softmax(const struct bench_training_softmax *softmax, bench_buffer_size *bytes,
				 struct bench_error *error);
int bench_training_check_bias(const struct bench_training_bias *bias, bench_buffer_size *bytes,
			      struct bench_error *error);
int bench_training_check_classify(const struct bench_training_classify *classify, bench_buffer_size *bytes,
				  struct bench_error *error);

#endif
