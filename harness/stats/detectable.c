/* SPDX-License-Identifier: MIT */
/*
 * The smallest shift that a rank-sum test would have found.
 *
 * A shift of b by delta is found when U, the number of pairs with a[i] < b[j] + delta,
 * reaches its critical value. Under the shift, U is close to normal with
 *
 *   E U   = mn p1
 *   Var U = mn (p1 (1 - p1) + (n - 1)(p2 - p1^2) + (m - 1)(p3 - p1^2))
 *
 * where p1 = P(X < Y), p2 = P(X < Y and X < Y'), p3 = P(X < Y and X' < Y)
 * (Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 2.3; Noether 1987). With the exact critical
 * value this holds down to counts at which only complete separation is significant. There the familiar
 * large-sample formula (efficiency 3/pi) is far too optimistic.
 *
 * The three probabilities are taken twice, and the larger shift is the answer:
 *
 * - for normal noise of the spread that is seen in the bulk (Qn, of Rousseeuw & Croux 1993:
 *   82% efficient, breaks down at 50%), enlarged for its own uncertainty;
 * - for noise distributed as the values themselves. That includes a second peak or a straggler, which keeps U
 * from its critical value however narrow the bulk is.
 */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"
#include "stats/stats.h"

/* A test that rejects where U >= threshold, of m against n values. */
struct rank_rule {
	double m, n, threshold;
};

/* P(X < Y) falls short of 1 by q; v and w are p2 - p1^2 and p3 - p1^2. */
struct overlap {
	double q, v, w;
};

/* How many standard deviations E U lies above the threshold. */
static double margin_of(const struct rank_rule *rule, const struct overlap *overlap)
{
	double pairs = rule->m * rule->n, q = overlap->q;
	double gap = pairs * (1 - q) - rule->threshold + 0.5;
	double variance = pairs * (q * (1 - q) + (rule->n - 1) * overlap->v + (rule->m - 1) * overlap->w);

	if (variance <= 0)
		return gap > 0 ? INFINITY : -INFINITY;
	return gap / sqrt(variance);
}

/*
 * X and Y normal with standard deviation 1, Y shifted by delta. P(X < Y and X < Y') is the
 * bivariate normal probability with correlation 1/2, Phi(h) - 2 T(h, 1/sqrt(3)) with Owen's
 * function T (Owen 1956), integrated by Simpson's rule.
 */
static struct overlap normal_overlap(double delta)
{
	enum { STEPS = 8 };
	double h = delta * M_SQRT1_2, upper = 1 / sqrt(3), integral = 0, q = stats_normal_cdf(-h), v;

	for (int i = 0; i <= STEPS; i++) {
		double x = upper * i / STEPS, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;

		integral += weight * exp(-0.5 * h * h * (1 + x * x)) / (1 + x * x);
	}
	integral *= upper / (3 * STEPS) / (2 * M_PI);
	v = fmax(0, q * (1 - q) - 2 * integral);
	return (struct overlap){q, v, v};
}

/* X and Y both distributed as the `count` sorted residuals, Y shifted by delta; equal pairs count half. */
static struct overlap observed_overlap(const double *residuals, size_t count, double delta)
{
	double n = (double)count, sum = 0, below_squares = 0, above_squares = 0, p1;
	size_t less = 0, not_greater = 0, from = 0, from_equal = 0;

	for (size_t j = 0; j < count; j++) {
		double y = residuals[j] + delta, x = residuals[j] - delta, below, above;

		while (less < count && residuals[less] < y)
			less++;
		while (not_greater < count && residuals[not_greater] <= y)
			not_greater++;
		while (from < count && residuals[from] < x)
			from++;
		while (from_equal < count && residuals[from_equal] <= x)
			from_equal++;
		below = 0.5 * (double)(less + not_greater) / n;    /* P(X < y) */
		above = 1 - 0.5 * (double)(from + from_equal) / n; /* P(Y > this value as an X) */
		sum += below;
		below_squares += below * below;
		above_squares += above * above;
	}
	p1 = sum / n;
	return (struct overlap){1 - p1, fmax(0, above_squares / n - p1 * p1),
				fmax(0, below_squares / n - p1 * p1)};
}

/* The shift, in standard deviations of normal noise, at which E U is the threshold. */
static double normal_half_shift(const struct rank_rule *rule)
{
	double q = 1 - (rule->threshold - 0.5) / (rule->m * rule->n);

	return q < 0.5 ? -M_SQRT2 * bench_stats_normal_quantile(q) : 0;
}

/* The shift at which E U lies `margin` deviations of U above the threshold; to 0.1%. */
static double normal_shift(const struct rank_rule *rule, double margin, double half_shift)
{
	double lo = half_shift, hi = half_shift + 1;
	struct overlap overlap = normal_overlap(hi);

	while (hi < 64 && margin_of(rule, &overlap) < margin) {
		lo = hi;
		hi *= 2;
		overlap = normal_overlap(hi);
	}
	for (int i = 0; i < 10; i++) {
		double middle = 0.5 * (lo + hi);

		overlap = normal_overlap(middle);
		if (margin_of(rule, &overlap) >= margin)
			hi = middle;
		else
			lo = middle;
	}
	return hi;
}

/* A function of x below 0 at lo and not at hi. */
struct bracket {
	double lo, hi, at_lo, at_hi;
};

/*
 * The next point to evaluate in the search for a zero, to `precision`, at the `turn`-th evaluation of a
 * bracket that was `width` wide. Uses the ITP method (Oliveira & Takahashi, "An enhancement of the bisection
 * method average performance preserving minmax optimality", ACM TOMS 47 (2020)). It takes one evaluation more
 * than halving at worst, and mostly half as many.
 */
static double next_look(const struct bracket *bracket, double width, double precision, unsigned turn)
{
	double lo = bracket->lo, hi = bracket->hi, middle = 0.5 * (lo + hi), secant, step, away, reach;

	secant = (hi * bracket->at_lo - lo * bracket->at_hi) / (bracket->at_lo - bracket->at_hi);
	if (!isfinite(secant))
		return middle;
	step = 0.2 * (hi - lo) * (hi - lo) / width;
	away = copysign(fmax(0, fabs(middle - secant) - step), secant - middle);
	reach = precision * exp2(floor(log2(width / precision)) + 1 - turn) - 0.5 * (hi - lo);
	return middle + copysign(fmin(fabs(away), fmax(0, reach)), away);
}

/*
 * The same for noise as observed, where that is more than `least`; to 0.1% of the range of
 * the residuals, which is the most that it can be: beyond it nothing overlaps.
 */
static double observed_shift(const double *residuals, size_t count, const struct rank_rule *rule,
			     double margin, double least)
{
	struct bracket bracket = {.lo = least, .hi = residuals[count - 1] - residuals[0], .at_hi = INFINITY};
	const double width = bracket.hi - bracket.lo, precision = width / 1024;
	struct overlap overlap = observed_overlap(residuals, count, least);

	bracket.at_lo = margin_of(rule, &overlap) - margin;
	if (bracket.lo >= bracket.hi || bracket.at_lo >= 0)
		return least;
	for (unsigned turn = 0; bracket.hi - bracket.lo > precision && turn < 16; turn++) {
		double look = next_look(&bracket, width, precision, turn), found;

		overlap = observed_overlap(residuals, count, look);
		found = margin_of(rule, &overlap) - margin;
		*(found >= 0 ? &bracket.hi : &bracket.lo) = look;
		*(found >= 0 ? &bracket.at_hi : &bracket.at_lo) = found;
	}
	return bracket.hi;
}

/*
 * The standard deviation of the bulk: the k-th smallest of the pairwise distances, with the
 * consistency factor and the small-sample factor of Croux & Rousseeuw 1992. One degree of freedom went
 * into the alignment of the two samples.
 */
static double bulk_spread(const double *residuals, size_t count)
{
	double n = (double)count, half = floor(n / 2) + 1, k = 0.5 * half * (half - 1);
	double small = count % 2 ? n / (n + 1.4) : n / (n + 3.8);

	return 2.2219 * small * sqrt((n - 1) / (n - 2)) * stats_distance_order(residuals, count, k);
}

/*
 * A shift that is found in `power` of all samples must allow for an underestimated spread. It is the k that
 * solves k - z sqrt(s^2 + t^2 k^2) = d50. d50 is the shift found half the time, s the deviation that sets d95
 * apart from it, and t the relative deviation of the estimated spread.
 */
static double allow_for_estimate(double half_shift, double full_shift, double z, double count)
{
	double step = full_shift - half_shift;                /* z s */
	double shrink = 1 - z * z / (2 * 0.82 * (count - 2)); /* 1 - z^2 t^2 */

	if (shrink <= 0)
		return INFINITY;
	return (half_shift +
		sqrt(half_shift * half_shift - shrink * (half_shift * half_shift - step * step))) /
	       shrink;
}

/* The residuals of both samples together, sorted, and the spread of their bulk. */
struct noise {
	double *residuals;
	size_t count;
	double spread;
};

/*
 * The smallest shift at which U passes the rule's threshold with the power that belongs to the
 * margin; `steps` is that of normal noise with deviation 1. The range of N values falls short of that of
 * their distribution, by (N - 1)/(N + 1) for a uniform one, and their other extremes with it.
 */
static double smallest_shift(const struct noise *noise, const struct rank_rule *rule, double margin,
			     double steps)
{
	double enlarge = ((double)noise->count + 1) / ((double)noise->count - 1);
	double shift = noise->spread > 0 ? noise->spread * steps : 0;

	return enlarge * observed_shift(noise->residuals, noise->count, rule, margin, shift / enlarge);
}

/* The values of both samples in one sorted array, b moved onto a. */
static double *align(const double *a, size_t a_count, const double *b, size_t b_count, double shift)
{
	BENCH_SCOPED_MEMORY double *sorted_a = stats_sorted_copy(a, a_count),
				   *sorted_b = stats_sorted_copy(b, b_count);
	double *residuals = bench_memory_alloc(a_count + b_count, sizeof(*residuals));
	size_t i = 0, j = 0;

	while (i < a_count || j < b_count) {
		if (j == b_count || (i < a_count && sorted_a[i] <= sorted_b[j] - shift)) {
			residuals[i + j] = sorted_a[i];
			i++;
		} else {
			residuals[i + j] = sorted_b[j] - shift;
			j++;
		}
	}
	return residuals;
}

/* The shift of normal noise, in its deviations, that passes the rule's threshold with the margin's power. */
static double normal_steps(const struct rank_rule *rule, double margin)
{
	double half = normal_half_shift(rule);

	return allow_for_estimate(half, normal_shift(rule, margin, half), margin, rule->m + rule->n);
}

struct bench_detection bench_stats_detection(size_t a_count, size_t b_count, double alpha, double power)
{
	struct bench_detection detection = {.a_count = a_count,
					    .b_count = b_count,
					    .margin = bench_stats_normal_quantile(power),
					    .significant = INFINITY};
	double pairs = (double)a_count * (double)b_count, tail, critical;
	struct rank_rule rule = {(double)a_count, (double)b_count, 0};
	struct bench_null null = {0};

	if (a_count == 0 || b_count == 0 || a_count + b_count < 3)
		return detection;
	critical = stats_rank_critical(&null, a_count, b_count, 0.5 * alpha, &tail);
	bench_stats_null_free(&null);
	if (critical < 0)
		return detection;
	detection.significant = rule.threshold = pairs - critical;
	detection.significant_steps = normal_steps(&rule, detection.margin);
	/* The estimate lies above `least`: so do most differences. */
	detection.visible = rule.threshold = 0.5 * pairs + 0.5;
	detection.visible_steps = normal_steps(&rule, detection.margin);
	return detection;
}

double bench_stats_detectable_shift(const struct bench_detection *detection, const double *a, const double *b,
				    double shift, double least)
{
	size_t a_count = detection->a_count, b_count = detection->b_count;
	struct rank_rule rule = {(double)a_count, (double)b_count, detection->significant};
	struct noise noise = {.count = a_count + b_count};
	double significant, visible;

	if (isinf(detection->significant))
		return INFINITY;
	noise.residuals = align(a, a_count, b, b_count, shift);
	noise.spread = bulk_spread(noise.residuals, noise.count);
	significant = smallest_shift(&noise, &rule, detection->margin, detection->significant_steps);
	rule.threshold = detection->visible;
	visible = least + smallest_shift(&noise, &rule, detection->margin, detection->visible_steps);
	free(noise.residuals);
	return fmax(significant, visible);
}
