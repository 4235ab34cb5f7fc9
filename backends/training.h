/*
 * What every backend checks of the operations of bench/training.h before it touches a buffer: sizes
 * of 1 to 2^31 - 1 that fit the buffers. `bytes` tells the size of one of the backend's buffers.
 */
#ifndef BACKENDS_TRAINING_H
#define BACKENDS_TRAINING_H

#include <stddef.h>

#include "bench/backend.h"

typedef size_t bench_buffer_size(const struct bench_buffer *buffer);

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
