/*
 * Random numbers. OpenBLAS has none, so this is what its users write beside it: a loop over
 * Random123's Philox and the mathematics library.
 */
#include <Random123/philox.h>
#include <math.h>

#include "backends/cpu.h"
#include "backends/openblas/operations.h"

#define TWO_PI 6.283185307179586476925

static philox4x32_ctr_t block_at(const struct bench_random *random, size_t i)
{
	uint64_t position = random->position + i;
	philox4x32_ctr_t counter = {{(uint32_t)position, (uint32_t)(position >> 32), (uint32_t)random->stream,
				     (uint32_t)(random->stream >> 32)}};
	philox4x32_key_t key = {{(uint32_t)random->seed, (uint32_t)(random->seed >> 32)}};
	return philox4x32(counter, key);
}

/* `count` <= 4 elements of one block. */
static void block_f32(const struct bench_random *random, philox4x32_ctr_t block, size_t count, void *out)
{
	float values[4];
	for (int i = 0; i < 4; i++)
		values[i] = (float)(block.v[i] >> 8) * 0x1p-24F;
	if (random->distribution == BENCH_RANDOM_NORMAL)
		for (int i = 0; i < 4; i += 2) {
			float radius = sqrtf(-2 * logf(1 - values[i])), sine, cosine;
			sincosf((float)TWO_PI * values[i + 1], &sine, &cosine);
			values[i] = radius * cosine;
			values[i + 1] = radius * sine;
		}
	for (size_t i = 0; i < count; i++) {
		if (random->distribution == BENCH_RANDOM_BITS)
			((uint32_t *)out)[i] = block.v[i];
		else
			((float *)out)[i] = values[i];
	}
}

/* `count` <= 2 elements of one block. */
static void block_f64(const struct bench_random *random, philox4x32_ctr_t block, size_t count, void *out)
{
	const uint64_t words[] = {block.v[0] | (uint64_t)block.v[1] << 32,
				  block.v[2] | (uint64_t)block.v[3] << 32};
	double values[] = {(double)(words[0] >> 11) * 0x1p-53, (double)(words[1] >> 11) * 0x1p-53};
	if (random->distribution == BENCH_RANDOM_NORMAL) {
		double radius = sqrt(-2 * log(1 - values[0])), sine, cosine;
		sincos(TWO_PI * values[1], &sine, &cosine);
		values[0] = radius * cosine;
		values[1] = radius * sine;
	}
	for (size_t i = 0; i < count; i++) {
		if (random->distribution == BENCH_RANDOM_BITS)
			((uint64_t *)out)[i] = words[i];
		else
			((double *)out)[i] = values[i];
	}
}

int bench_openblas_random(struct bench_device *device, const struct bench_random *random,
			  struct bench_error *error)
{
	if (bench_cpu_check_random("openblas", random, error))
		return -1;
	unsigned threads = bench_cpu_threads(device, random->count);
	bool wide = random->dtype == BENCH_F64;
	size_t of_a_block = wide ? 2 : 4, blocks = (random->count - 1) / of_a_block + 1;
	size_t in_last = random->count - (blocks - 1) * of_a_block;
#pragma omp parallel for num_threads(threads) if (threads > 1)
	for (size_t i = 0; i < blocks; i++) {
		size_t count = i + 1 == blocks ? in_last : of_a_block;
		philox4x32_ctr_t block = block_at(random, i);
		if (wide)
			block_f64(random, block, count, (double *)random->out->data + 2 * i);
		else
			block_f32(random, block, count, (float *)random->out->data + 4 * i);
	}
	return 0;
}
