/* SPDX-License-Identifier: MIT */
/* Random numbers into a vector, an operation of a backend. */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "bench/dtype.h"

struct bench_buffer;

enum bench_random_distribution { BENCH_RANDOM_BITS, BENCH_RANDOM_UNIFORM, BENCH_RANDOM_NORMAL };

/*
 * Fills out[i] for i < count, count >= 1, from the generator Philox 4x32-10 (Salmon et al., "Parallel
 * random numbers: as easy as 1, 2, 3", SC11); nothing beyond is written. The key is `seed`; the counter is
 * (block, stream), low words first, of which every block gives four 32-bit numbers v0..v3. The first
 * element is of block `position`; blocks after the last wrap to 0. It is the stream of kit/rng.h.
 *
 * One block makes four elements of f32, or two of f64, whose 64-bit numbers are v0 | v1 << 32 and
 * v2 | v3 << 32; the surplus of the last block is dropped.
 *
 *   BITS     the numbers as they are: uint32_t, of F64 uint64_t
 *   UNIFORM  in [0, 1): the upper 24 bits times 2^-24, of F64 the upper 53 times 2^-53; exact
 *   NORMAL   mean 0, variance 1, by Box and Muller (Annals of Mathematical Statistics 29(2), 1958). Two
 *            neighboring uniform values u, v make r cos(2 pi v) and r sin(2 pi v), r = sqrt(-2 log(1 - u)).
 *            The error of each is at most 12 r of the type's epsilon.
 */
struct bench_random {
	enum bench_random_distribution distribution;
	enum bench_dtype dtype;
	size_t count;
	uint64_t seed, stream, position;
	struct bench_buffer *out;
};

#endif
