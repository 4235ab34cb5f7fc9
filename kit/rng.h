/* SPDX-License-Identifier: MIT */
/*
 * Random numbers: Philox 4x32-10 from Random123 (Salmon et al., "Parallel random numbers:
 * as easy as 1, 2, 3", SC11). Counter-based: the same (seed, stream, position) gives the
 * same number on every machine, whatever was drawn before.
 */
#ifndef BENCH_KIT_RNG_H
#define BENCH_KIT_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"

struct bench_rng {
	uint64_t seed, stream, position;
	uint32_t block[4];
	unsigned left; /* numbers of `block` not yet given out */
};

/* Block `position` of a stream: four 32-bit numbers. */
void bench_rng_block(uint64_t seed, uint64_t stream, uint64_t position, uint32_t block[4]);

void bench_rng_start(struct bench_rng *rng, uint64_t seed, uint64_t stream);
uint32_t bench_rng_u32(struct bench_rng *rng);
uint64_t bench_rng_below(struct bench_rng *rng,
			 uint64_t bound);        /* uniform in [0, bound), bound >= 1, unbiased */
double bench_rng_uniform(struct bench_rng *rng); /* in [0, 1) */
double bench_rng_normal(struct bench_rng *rng);  /* Box-Muller */
void bench_rng_shuffle(struct bench_rng *rng, size_t *items, size_t count); /* Fisher-Yates */

/* The values of inputs, in the order of BENCH_DATA_WORDS. */
enum bench_data {
	BENCH_DATA_UNIFORM,  /* in [-1, 1); in half they are rounded, so up to 1 */
	BENCH_DATA_NORMAL,   /* of mean 0 and variance 1; their magnitude is at most 5.8 */
	BENCH_DATA_INTEGERS, /* whole numbers from -2 to 2, exact in every type */
	BENCH_DATA_ZEROS,
};
#define BENCH_DATA_WORDS "uniform|normal|integers|zeros"

/* Fills `count` elements of `dtype`. Every type gets the same values, rounded to it. */
void bench_rng_fill_data(enum bench_data data, uint64_t seed, uint64_t stream, enum bench_dtype dtype,
			 void *out, size_t count);
/* The same, uniform. */
void bench_rng_fill(uint64_t seed, uint64_t stream, enum bench_dtype dtype, void *out, size_t count);
/* The mean magnitude of such values. */
double bench_rng_magnitude(enum bench_data data);

#endif
