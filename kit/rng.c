/* SPDX-License-Identifier: MIT */
#include "kit/rng.h"

#include <Random123/philox.h>
#include <math.h>

#include "kit/half.h"

void bench_rng_start(struct bench_rng *rng, uint64_t seed, uint64_t stream)
{
	*rng = (struct bench_rng){.seed = seed, .stream = stream};
}

static philox4x32_ctr_t block_at(uint64_t seed, uint64_t stream, uint64_t position)
{
	philox4x32_ctr_t counter = {
		{(uint32_t)position, (uint32_t)(position >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
	philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
	return philox4x32(counter, key);
}

void bench_rng_block(uint64_t seed, uint64_t stream, uint64_t position, uint32_t block[4])
{
	philox4x32_ctr_t made = block_at(seed, stream, position);
	for (int i = 0; i < 4; i++)
		block[i] = made.v[i];
}

uint32_t bench_rng_u32(struct bench_rng *rng)
{
	if (rng->left == 0) {
		bench_rng_block(rng->seed, rng->stream, rng->position++, rng->block);
		rng->left = 4;
	}
	return rng->block[4 - rng->left--];
}

static uint64_t next_u64(struct bench_rng *rng)
{
	uint64_t low = bench_rng_u32(rng);
	return low | (uint64_t)bench_rng_u32(rng) << 32;
}

uint64_t bench_rng_below(struct bench_rng *rng, uint64_t bound)
{
	/* Numbers under 2^64 mod bound are drawn again: the rest divide evenly. */
	uint64_t reject = (0 - bound) % bound, x;
	do {
		x = next_u64(rng);
	} while (x < reject);
	return x % bound;
}

double bench_rng_uniform(struct bench_rng *rng)
{
	return (double)(next_u64(rng) >> 11) * 0x1p-53;
}

double bench_rng_normal(struct bench_rng *rng)
{
	double radius = sqrt(-2.0 * log(1.0 - bench_rng_uniform(rng)));
	return radius * cos(6.283185307179586476925 * bench_rng_uniform(rng));
}

void bench_rng_shuffle(struct bench_rng *rng, size_t *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)bench_rng_below(rng, i);
		size_t item = items[i - 1];
		items[i - 1] = items[j];
		items[j] = item;
	}
}

/* Four values of a block. 24 bits: exact in float, so every type gets the same values; only half rounds them.
 */
static void four_values(enum bench_data data, const philox4x32_ctr_t *block, double values[4])
{
	const double turn = 6.283185307179586476925;
	for (size_t j = 0; j < 4; j++) {
		const uint32_t bits = block->v[j] >> 8;
		switch (data) {
		case BENCH_DATA_UNIFORM:
			values[j] = (double)bits * 0x1p-23 - 1.0;
			break;
		case BENCH_DATA_NORMAL: {
			/* Box-Muller: a pair of the block gives the radius and the angle of two values. */
			const double first = (double)((block->v[j & 2] >> 8) + 1) * 0x1p-24;
			const double angle = turn * 0x1p-32 * (double)block->v[j | 1];
			const double radius = sqrt(-2 * log(first));
			values[j] = (double)(float)(radius * (j & 1 ? sin(angle) : cos(angle)));
			break;
		}
		case BENCH_DATA_INTEGERS:
			values[j] = (double)((uint64_t)bits * 5 >> 24) - 2;
			break;
		case BENCH_DATA_ZEROS:
			values[j] = 0;
			break;
		}
	}
}

void bench_rng_fill_data(enum bench_data data, uint64_t seed, uint64_t stream, enum bench_dtype dtype,
			 void *out, size_t count)
{
	if (dtype == BENCH_C32) {
		dtype = BENCH_F32;
		count *= 2;
	}
	for (size_t i = 0; i < count; i += 4) {
		const philox4x32_ctr_t block = block_at(seed, stream, i / 4);
		double values[4];
		four_values(data, &block, values);
		for (size_t j = 0; j < 4 && i + j < count; j++) {
			const double value = values[j];
			if (dtype == BENCH_F64)
				((double *)out)[i + j] = value;
			else if (dtype == BENCH_F16)
				((uint16_t *)out)[i + j] = bench_half_from_double(value);
			else if (dtype == BENCH_BF16)
				((uint16_t *)out)[i + j] = bench_bfloat_from_double(value);
			else if (dtype == BENCH_TF32)
				((float *)out)[i + j] = bench_tf32_from_double(value);
			else
				((float *)out)[i + j] = (float)value;
		}
	}
}

void bench_rng_fill(uint64_t seed, uint64_t stream, enum bench_dtype dtype, void *out, size_t count)
{
	bench_rng_fill_data(BENCH_DATA_UNIFORM, seed, stream, dtype, out, count);
}

double bench_rng_magnitude(enum bench_data data)
{
	static const double magnitudes[] = {[BENCH_DATA_UNIFORM] = 0.5,
					    [BENCH_DATA_NORMAL] = 0.79788456080286535588, /* sqrt(2 / pi) */
					    [BENCH_DATA_INTEGERS] = 1.2,
					    [BENCH_DATA_ZEROS] = 0};
	return magnitudes[data];
}
