/* SPDX-License-Identifier: MIT */
/* Order statistics of all differences between two samples. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"

/* One pass over the differences b[j] - a[i] without listing them, which lie on both sides of x. */
struct sweep {
	double count; /* of those <= x */
	double below; /* the largest that is <= x */
	double above; /* the smallest that is > x */
};

/*
 * The first of the values from `first` on with b - a[i] <= x; else `count`. Steps double, then halve: this
 * finds a near place at once, and looks at few of many values.
 */
static size_t pass_over(const double *a, size_t count, size_t first, double b, double x)
{
	size_t step = 1, end;

	if (first >= count || !(b - a[first] > x))
		return first;
	for (; first + step < count && b - a[first + step] > x; step *= 2)
		first += step;
	end = first + step < count ? first + step : count;
	while (end - first > 1) {
		size_t middle = first + (end - first) / 2;

		if (b - a[middle] > x)
			first = middle;
		else
			end = middle;
	}
	return end;
}

/* Rounded subtraction is monotone, so that the place where b[j] - a[i] passes x only moves up with j. */
static struct sweep sweep_at(const double *a, size_t a_count, const double *b, size_t b_count, double x)
{
	struct sweep sweep = {0, -DBL_MAX, DBL_MAX};
	size_t first = 0; /* b[j] - a[i] <= x for i >= first */

	for (size_t j = 0; j < b_count; j++) {
		first = pass_over(a, a_count, first, b[j], x);
		sweep.count += (double)(a_count - first);
		if (first < a_count && b[j] - a[first] > sweep.below)
			sweep.below = b[j] - a[first];
		if (first > 0 && b[j] - a[first - 1] < sweep.above)
			sweep.above = b[j] - a[first - 1];
	}
	return sweep;
}

/* The range of the k-th: [lo, hi], with the counts of values below lo and up to hi. */
struct range {
	double lo, hi, below_lo, up_to_hi;
};

/* What a sweep says of the k-th, if it says anything new. */
static void narrow(struct range *range, double k, const struct sweep *sweep)
{
	if (sweep->count >= k) {
		if (sweep->below < range->hi) {
			range->hi = sweep->below;
			range->up_to_hi = sweep->count;
		}
	} else if (sweep->above > range->lo) {
		range->lo = sweep->above;
		range->below_lo = sweep->count;
	}
}

/* Up to this many differences, listing is faster than searching. */
enum { FEW = 64 };

/* Of the differences in a range, the k-th of all: there are few enough to list them. */
static double pick(const double *a, size_t a_count, const double *b, size_t b_count, double k,
		   const struct range *range)
{
	size_t room = (size_t)(range->up_to_hi - range->below_lo), count = 0, first = 0;
	double *listed = bench_memory_alloc(room, sizeof(*listed)), value;

	for (size_t j = 0; j < b_count; j++) {
		first = pass_over(a, a_count, first, b[j], range->hi);
		for (size_t i = first; i < a_count && b[j] - a[i] >= range->lo && count < room; i++)
			listed[count++] = b[j] - a[i];
	}
	value = stats_select(listed, count, (size_t)(k - range->below_lo) - 1);
	free(listed);
	return value;
}

/*
 * Narrows the range of each of `count`, always to values that are differences, until one is left, or few.
 * Counts seen for one narrow the ranges of the others. The next place to look alternates between the one that
 * the counts at the ends suggest, which is mostly near, and half-way, which is never bad.
 */
static void search(const double *a, size_t a_count, const double *b, size_t b_count, const double *k,
		   struct range *ranges, size_t count)
{
	const double few = (double)(a_count + b_count);

	for (size_t i = 0; i < count; i++) {
		struct range *range = &ranges[i];

		for (unsigned turn = 0; range->lo < range->hi; turn++) {
			double share = (k[i] - range->below_lo) / (range->up_to_hi - range->below_lo), x;
			struct sweep sweep;

			if (range->up_to_hi - range->below_lo <= few) {
				range->lo = range->hi = pick(a, a_count, b, b_count, k[i], range);
				break;
			}
			share = turn % 2 ? 0.5 : share;
			x = (1 - share) * range->lo + share * range->hi;
			sweep = sweep_at(a, a_count, b, b_count, x < range->hi ? x : range->lo);
			for (size_t j = i; j < count; j++)
				narrow(&ranges[j], k[j], &sweep);
		}
	}
}

void stats_difference_orders(const double *a, size_t a_count, const double *b, size_t b_count,
			     const double *k, double *values, size_t count)
{
	struct range ranges[BENCH_MOST_ORDERS];

	/* A difference that overflows counts as the largest double. */
	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct range){fmax(-DBL_MAX, b[0] - a[a_count - 1]),
					   fmin(DBL_MAX, b[b_count - 1] - a[0]), 0,
					   (double)a_count * (double)b_count};
	search(a, a_count, b, b_count, k, ranges, count);
	for (size_t i = 0; i < count; i++)
		values[i] = ranges[i].lo;
}

/* Of all differences of the values with each other, half are negative or of a value with itself. */
double stats_distance_order(const double *values, size_t count, double k)
{
	double n = (double)count, before = 0.5 * n * (n + 1);
	struct range range = {0, fmin(DBL_MAX, values[count - 1] - values[0]), before, n * n};

	k += before;
	search(values, count, values, count, &k, &range, 1);
	return range.lo;
}

double stats_difference_median(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double count = (double)a_count * (double)b_count;
	double k[] = {floor(count / 2) + 1, ceil(count / 2)}, values[2], listed[FEW];

	if (count <= FEW) {
		for (size_t i = 0; i < a_count; i++)
			for (size_t j = 0; j < b_count; j++)
				listed[i * b_count + j] = b[j] - a[i];
		return bench_stats_median(listed, a_count * b_count);
	}
	stats_difference_orders(a, a_count, b, b_count, k, values, 2);
	return 0.5 * values[0] + 0.5 * values[1];
}
