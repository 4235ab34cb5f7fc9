/* SPDX-License-Identifier: MIT */
/* Correction for the number of tests. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/stats.h"

struct ranked_p {
	double p;
	size_t index;
};

static int compare_p(const void *left, const void *right)
{
	const struct ranked_p *a = left, *b = right;

	return (a->p > b->p) - (a->p < b->p);
}

void bench_stats_holm(const double *p, size_t count, double *adjusted)
{
	struct ranked_p *tests = bench_memory_alloc(count, sizeof(*tests));
	size_t made = 0;
	double largest = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(p[i]))
			tests[made++] = (struct ranked_p){p[i], i};
		else
			adjusted[i] = NAN;
	}
	if (made > 1)
		qsort(tests, made, sizeof(*tests), compare_p);
	for (size_t i = 0; i < made; i++) {
		largest = fmax(largest, fmin(1, (double)(made - i) * tests[i].p));
		adjusted[tests[i].index] = largest;
	}
	free(tests);
}
