/* The operations of a training. */
#ifndef BENCH_OPENCL_TRAINING_H
#define BENCH_OPENCL_TRAINING_H

#include "bench/backend.h"

extern const struct bench_training bench_opencl_training;

#endif
