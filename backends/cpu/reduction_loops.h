/* SPDX-License-Identifier: MIT */
/* The loops of backends/cpu/reduction.c, which includes them through wide.h. */

typedef REAL NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(REAL)), may_alias));

/* In several vectors, so that no addition waits for the one before. */
ATTRIBUTES static double NAME(sum)(const void *data, size_t count)
{
	const size_t lanes = BYTES / sizeof(REAL);
	enum { VECTORS = 8 };
	const REAL *a = data;
	NAME(vector) sums[VECTORS] = {{0}};
	size_t i = 0;
	for (; i + VECTORS * lanes <= count; i += VECTORS * lanes)
		for (size_t j = 0; j < VECTORS; j++)
			sums[j] += *(const NAME(vector) *)(a + i + j * lanes);
	for (size_t j = VECTORS / 2; j > 0; j /= 2)
		for (size_t k = 0; k < j; k++)
			sums[k] += sums[k + j];
	REAL sum = 0;
	for (size_t j = 0; j < lanes; j++)
		sum += sums[0][j];
	for (; i < count; i++)
		sum += a[i];
	return (double)sum;
}

/* NaN where one is. The loop forgets NaNs, and so counts them. */
ATTRIBUTES static double NAME(max)(const void *data, size_t count)
{
	const REAL *a = data;
	REAL largest = -INFINITY;
	int nans = 0;
#pragma omp simd reduction(max : largest) reduction(+ : nans)
	for (size_t i = 0; i < count; i++) {
		largest = a[i] > largest ? a[i] : largest;
		nans += a[i] != a[i];
	}
	return nans ? (double)NAN : (double)largest;
}

static const struct loops NAME(loops) = {NAME(sum), NAME(max)};
