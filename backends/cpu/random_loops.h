/* SPDX-License-Identifier: MIT */
/* The loops of backends/cpu/random.c, which includes them through wide.h. */

#if WIDE
#define WORD       uint64_t
#define OF_A_BLOCK 2
#else
#define WORD       uint32_t
#define OF_A_BLOCK 4
#endif

/* Word `k` of a block, which is number j of those whose four numbers are in v. */
ATTRIBUTES static inline WORD NAME(word)(uint32_t v[4][ELEMENTS], size_t k, size_t j)
{
#if WIDE
	return v[2 * k][j] | (uint64_t)v[2 * k + 1][j] << 32;
#else
	return v[k][j];
#endif
}

/* The elements of BLOCKS blocks from number `first` of the stream on. */
ATTRIBUTES static void NAME(make_blocks)(const struct bench_random *random, uint64_t first, void *out)
{
	enum { BLOCKS = ELEMENTS / OF_A_BLOCK };
	uint32_t v[4][ELEMENTS];
	const philox4x32_key_t key = {{(uint32_t)random->seed, (uint32_t)(random->seed >> 32)}};
	const uint32_t stream[] = {(uint32_t)random->stream, (uint32_t)(random->stream >> 32)};
#pragma omp simd
	for (size_t j = 0; j < BLOCKS; j++) {
		uint64_t number = first + j;
		philox4x32_ctr_t counter = {
			{(uint32_t)number, (uint32_t)(number >> 32), stream[0], stream[1]}};
		philox4x32_ctr_t block = philox4x32(counter, key);
		v[0][j] = block.v[0];
		v[1][j] = block.v[1];
		v[2][j] = block.v[2];
		v[3][j] = block.v[3];
	}
	if (random->distribution == BENCH_RANDOM_BITS) {
		WORD *restrict words = out;
		for (size_t j = 0; j < BLOCKS; j++)
			for (size_t k = 0; k < OF_A_BLOCK; k++)
				words[OF_A_BLOCK * j + k] = NAME(word)(v, k, j);
	} else if (random->distribution == BENCH_RANDOM_UNIFORM) {
		REAL *restrict reals = out;
#pragma omp simd
		for (size_t j = 0; j < BLOCKS; j++)
			for (size_t k = 0; k < OF_A_BLOCK; k++)
				reals[OF_A_BLOCK * j + k] = OF_TYPE(curve_uniform)(NAME(word)(v, k, j));
	} else {
		REAL *restrict reals = out;
#pragma omp simd
		for (size_t j = 0; j < BLOCKS; j++)
			for (size_t k = 0; k < OF_A_BLOCK; k += 2) {
				REAL *to = &reals[OF_A_BLOCK * j + k];
				WORD first_word = NAME(word)(v, k, j), second = NAME(word)(v, k + 1, j);
				OF_TYPE(curve_normal)(first_word, second, &to[0], &to[1]);
			}
	}
}
#undef WORD
#undef OF_A_BLOCK

static const struct loops NAME(loops) = {NAME(make_blocks)};
