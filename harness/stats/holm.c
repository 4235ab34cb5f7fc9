/* SPDX-License-Identifier: MIT */
/* Correction for the number of tests. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/stats.h"

struct ranked_p {
	double p;
	size_t index;
};

void bench_stats_holm(const double *p, size_t count, double *adjusted)
{
	BENCH_SCOPED_MEMORY struct ranked_p *tests = bench_memory_alloc(count, sizeof(*tests));
	size_t made = 0;
	double largest = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(p[i]))
			tests[made++] = (struct ranked_p){p[i], i};
		else
			adjusted[i] = NAN;
	}
	if (made > 1)
		qsort(tests, made, sizeof(*tests), bench_stats_order);
	for (size_t i = 0; i < made; i++) {
		largest = fmax(largest, fmin(1, (double)(made - i) * tests[i].p));
		adjusted[tests[i].index] = largest;
	}
}
