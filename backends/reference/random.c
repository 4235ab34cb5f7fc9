/* SPDX-License-Identifier: MIT */
/* Random numbers: block by block, in double. */
#include <math.h>

#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/rng.h"

#define TWO_PI 6.283185307179586476925

/* A pair of uniform numbers to one of normal ones. */
static void make_normal(double pair[2])
{
	double radius = sqrt(-2 * log(1 - pair[0])), angle = TWO_PI * pair[1];
	pair[0] = radius * cos(angle);
	pair[1] = radius * sin(angle);
}

/* Four elements. */
static void block_f32(enum bench_random_distribution distribution, const uint32_t block[4], uint32_t bits[4])
{
	for (int i = 0; i < 4; i += 2) {
		double pair[2] = {(block[i] >> 8) * 0x1p-24, (block[i + 1] >> 8) * 0x1p-24};
		if (distribution == BENCH_RANDOM_NORMAL)
			make_normal(pair);
		for (int j = 0; j < 2; j++) {
			union {
				float value;
				uint32_t bits;
			} element = {.value = (float)pair[j]};
			bits[i + j] = distribution == BENCH_RANDOM_BITS ? block[i + j] : element.bits;
		}
	}
}

/* Two elements. */
static void block_f64(enum bench_random_distribution distribution, const uint32_t block[4], uint64_t bits[2])
{
	const uint64_t words[] = {block[0] | (uint64_t)block[1] << 32, block[2] | (uint64_t)block[3] << 32};
	double pair[2] = {(double)(words[0] >> 11) * 0x1p-53, (double)(words[1] >> 11) * 0x1p-53};
	if (distribution == BENCH_RANDOM_NORMAL)
		make_normal(pair);
	for (int j = 0; j < 2; j++) {
		union {
			double value;
			uint64_t bits;
		} element = {.value = pair[j]};
		bits[j] = distribution == BENCH_RANDOM_BITS ? words[j] : element.bits;
	}
}

int bench_reference_random(struct bench_device *device, const struct bench_random *random,
			   struct bench_error *error)
{
	(void)device;
	if (bench_cpu_check_random("reference", random, error))
		return -1;
	bool wide = random->dtype == BENCH_F64;
	size_t of_a_block = wide ? 2 : 4;
	for (size_t i = 0; i < random->count; i += of_a_block) {
		uint32_t block[4], narrow_made[4];
		uint64_t wide_made[2];
		bench_rng_block(random->seed, random->stream, random->position + i / of_a_block, block);
		block_f32(random->distribution, block, narrow_made);
		block_f64(random->distribution, block, wide_made);
		for (size_t j = 0; j < of_a_block && i + j < random->count; j++) {
			if (wide)
				((uint64_t *)random->out->data)[i + j] = wide_made[j];
			else
				((uint32_t *)random->out->data)[i + j] = narrow_made[j];
		}
	}
	return 0;
}
