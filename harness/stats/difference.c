/* Order statistics of all differences between two samples. */
#include <float.h>
#include <math.h>

#include "stats/parts.h"

/* One pass over the differences b[j] - a[i] without listing them, which lie on both sides of x. */
struct sweep {
	double count; /* of those <= x */
	double below; /* the largest that is <= x */
	double above; /* the smallest that is > x */
};

/* Rounded subtraction is monotone, so that the place where b[j] - a[i] passes x only moves up with j. */
static struct sweep sweep_at(const double *a, size_t a_count, const double *b, size_t b_count, double x)
{
	struct sweep sweep = {0, -DBL_MAX, DBL_MAX};
	size_t first = 0; /* b[j] - a[i] <= x for i >= first */

	for (size_t j = 0; j < b_count; j++) {
		while (first < a_count && b[j] - a[first] > x)
			first++;
		sweep.count += (double)(a_count - first);
		if (first < a_count && b[j] - a[first] > sweep.below)
			sweep.below = b[j] - a[first];
		if (first > 0 && b[j] - a[first - 1] < sweep.above)
			sweep.above = b[j] - a[first - 1];
	}
	return sweep;
}

/*
 * Narrows the range in which it lies, each time to values that are differences, until one
 * is left. The next place to look is by turns where the counts at the ends would have it,
 * which is mostly near, and half-way, which is never bad.
 */
double bench_difference_order(const double *a, size_t a_count, const double *b, size_t b_count, double k)
{
	/* A difference that overflows counts as the largest double. */
	double lo = fmax(-DBL_MAX, b[0] - a[a_count - 1]), hi = fmin(DBL_MAX, b[b_count - 1] - a[0]);
	double below_lo = 0, up_to_hi = (double)a_count * (double)b_count;

	for (unsigned turn = 0; lo < hi; turn++) {
		double share = turn % 2 ? 0.5 : (k - below_lo) / (up_to_hi - below_lo);
		double x = (1 - share) * lo + share * hi;
		struct sweep sweep = sweep_at(a, a_count, b, b_count, x < hi ? x : lo);

		if (sweep.count >= k) {
			hi = sweep.below;
			up_to_hi = sweep.count;
		} else {
			lo = sweep.above;
			below_lo = sweep.count;
		}
	}
	return lo;
}

double bench_difference_median(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double count = (double)a_count * (double)b_count, half = floor(count / 2);
	double upper = bench_difference_order(a, a_count, b, b_count, half + 1);
	struct sweep sweep;

	if (2 * half < count)
		return upper;
	/* The one before it is the same, or the next below. */
	sweep = sweep_at(a, a_count, b, b_count, nextafter(upper, -INFINITY));
	return sweep.count < half ? upper : 0.5 * sweep.below + 0.5 * upper;
}
