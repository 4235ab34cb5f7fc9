/* SPDX-License-Identifier: MIT */
/*
 * Statistics: pure functions over arrays. No I/O, no state; inputs are never changed; all are
 * safe to call from any thread. Values are finite doubles. Scratch is memory of core/memory.h.
 */
#ifndef BENCH_STATS_STATS_H
#define BENCH_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Ascending, for qsort over doubles, or over structs that begin with one; NaN has no order. */
int bench_stats_order(const void *left, const void *right);
/* The same order. */
void bench_stats_sort(double *values, size_t count);

/* NaN where count is 0 (stddev: where count < 2, with the n-1 divisor). */
double bench_stats_mean(const double *values, size_t count);
double bench_stats_stddev(const double *values, size_t count);
/* Quantile at p in [0, 1], linear between order statistics (type 7 of Hyndman & Fan 1996). */
double bench_stats_quantile(const double *values, size_t count, double p);
double bench_stats_median(const double *values, size_t count);
/*
 * The mean of the smaller half, with the middle one: how long a thing takes where nothing interrupts it, for
 * times of which interruptions only add. It moves far less than the mean, and unlike the minimum has no
 * single value to depend on.
 */
double bench_stats_smaller_half(const double *values, size_t count);

struct bench_interval {
	double estimate, lo, hi;
	double level; /* the confidence that it has, which is less than asked where the data are too few */
};

/*
 * The median with its distribution-free interval. lo and hi are the narrowest symmetric pair of order
 * statistics whose binomial coverage is at least `level` (David & Nagaraja, Order Statistics, 3rd ed., 7.1).
 * Without such a pair they are the extremes, with their coverage. One value: lo = hi = it, level 0.
 */
struct bench_interval bench_stats_median_interval(const double *values, size_t count, double level);
/*
 * The same for values in the order taken, of which neighbors may resemble each other: where
 * bench_stats_dependence says that they do, it is as wide as the effective sample size asks for.
 */
struct bench_interval bench_stats_series_interval(const double *values, size_t count, double level);

/*
 * The null distribution of the rank-sum test, kept from one call to the next of the same counts. {0} is
 * empty; the functions that take it fill it.
 */
struct bench_null {
	size_t m, n;
	double *lower;                  /* exact; NULL: of large samples */
	double tail, critical, reached; /* of large samples: the last critical value that was asked for */
};
void bench_stats_null_free(struct bench_null *null);

/*
 * Two-sided p-value of the Wilcoxon-Mann-Whitney rank-sum test: the exact permutation distribution while the
 * smaller count is <= 25 and the sum of counts <= 2000, or, with ties (by mid-ranks), <= 100. In the far tail
 * it is exact for more values, too. Otherwise a saddlepoint approximation, with the relative error given at
 * stats_drawn_sum_tail. 1 if either count is 0 or all values are equal.
 */
double bench_stats_rank_test(const double *a, size_t a_count, const double *b, size_t b_count);
double bench_stats_rank_test_kept(struct bench_null *null, const double *a, size_t a_count, const double *b,
				  size_t b_count);
/* The smallest p-value that the rank test can give with these counts and no ties. */
double bench_stats_rank_test_floor(size_t a_count, size_t b_count);

/*
 * The step that values were rounded to: the last decimal place that any of them has; 0 where one was not
 * rounded, or all are 0.
 */
double bench_stats_step(const double *values, size_t count);
/*
 * Two-sided p-value of two samples, each all alike, that lie `steps` steps apart. It is the chance that both
 * are alike and that far apart, maximized over all deviations of normal noise that is rounded to steps. 1 for
 * less than a step, or one value a side.
 */
double bench_stats_alike_test(size_t a_count, size_t b_count, double steps);

/*
 * Shift of b against a: the Hodges-Lehmann estimate (median of all b[j] - a[i]) with the
 * interval that inverts the rank-sum test (Moses; Hollander, Wolfe & Chicken,
 * Nonparametric Statistical Methods, 3rd ed., 4.3). On logarithms it is a ratio.
 */
struct bench_interval bench_stats_shift(const double *a, size_t a_count, const double *b, size_t b_count,
					double level);
struct bench_interval bench_stats_shift_kept(struct bench_null *null, const double *a, size_t a_count,
					     const double *b, size_t b_count, double level);

/*
 * Holm's step-down adjustment: p-values adjusted so that rejecting those <= alpha keeps
 * the family-wise error rate at alpha (Holm 1979). adjusted may be p itself. p is NaN for
 * a test that was not made; it does not count, and stays NaN.
 */
void bench_stats_holm(const double *p, size_t count, double *adjusted);

/*
 * The smallest true shift (same unit as the values) that in a fraction `power` of such
 * comparisons would have been found: by a rank-sum test at significance `alpha`
 * (two-sided), and with an estimate (bench_stats_shift) of `least` >= 0 or more. The method
 * and its sources stand at the definition. Infinity where the counts cannot reach alpha at
 * all, or are too small to know the spread from.
 *
 * What follows from the counts, alpha and power alone is a plan, made once for many samples.
 * `shift` is the estimate of bench_stats_shift for the samples.
 */
struct bench_detection {
	size_t a_count, b_count;
	double margin;                           /* in standard deviations of U */
	double significant, visible;             /* what U must reach: to be significant; for the estimate */
	double significant_steps, visible_steps; /* shifts that do it, in deviations of normal noise */
};
struct bench_detection bench_stats_detection(size_t a_count, size_t b_count, double alpha, double power);
double bench_stats_detectable_shift(const struct bench_detection *detection, const double *a, const double *b,
				    double shift, double least);

/* The z that a standard normal variable stays below with probability p in (0, 1). */
double bench_stats_normal_quantile(double p);
/* The p-quantile of Student's t with this number of degrees of freedom. */
double bench_stats_student_quantile(double p, size_t freedom);
/* The probability of a t at least so far from 0, on either side; to about 1e-16. */
double bench_stats_student_test(double t, size_t freedom);

/* The values of several runs, in the order taken (either way): sizes[0] >= 1 of the first, then the next
 * run's
 * ... */
struct bench_runs {
	const double *values;
	const size_t *sizes;
	const size_t *codes; /* which code each run measured, any numbers; the new run measured the first one;
				NULL: all the same */
	size_t count;
};
/* A new run, and what it is compared with. */
struct bench_meeting {
	size_t size;      /* values of the new run, 1 or more */
	size_t base_runs; /* runs that it is compared with; 0: with those that count */
	size_t base_size; /* values of these, all together */
	double center;    /* of the new run; NaN: not known. A run like it is not odd. */
};
/* How much runs of the same code differ; the model and its sources stand at the definition. */
struct bench_components {
	double between;  /* deviation from run to run, less what their invocations explain; may be 0 */
	double within;   /* deviation of invocations about the center of their run */
	double ahead;    /* deviation of the new run's center from what it is compared with; NaN: cannot be
			    known, from less than three runs, or no two of the same code */
	double center;   /* mean of the runs' centers; NaN where they are of several codes */
	size_t freedom;  /* degrees of freedom that `ahead` is known with */
	size_t runs;     /* that this was learned from */
	size_t left_out; /* 1: the oddest of them counts for neither */
};
struct bench_components bench_stats_components(const struct bench_runs *runs,
					       const struct bench_meeting *meeting);

/*
 * Do neighbors in the order taken resemble each other? 1 if that is not significant at 5%. Otherwise the
 * factor, above 1, by which the variance of their mean or median exceeds that of independent values: count /
 * factor is the effective sample size.
 */
double bench_stats_dependence(const double *values, size_t count);
/*
 * The correlation of each value with the one before it, without the bias of few values; 0 of fewer than 8, or
 * where all are alike.
 */
double bench_stats_correlation(const double *values, size_t count);
/*
 * What is known of each correlation beside those of other series that were taken together, of counts[i]
 * values each: it moves towards their mean, as far as chance explains that they differ.
 */
void bench_stats_share_correlations(double *correlations, const size_t *counts, size_t count);

/* Two peaks in one sample. */
struct bench_peaks {
	double low, high; /* their medians */
	size_t low_count, high_count;
};
/* False with one peak, or with too few values to decide (below 8). */
bool bench_stats_two_peaks(const double *values, size_t count, struct bench_peaks *peaks);

/*
 * A probability estimated from `hits` of `trials`, with its exact interval (Clopper & Pearson 1934); without
 * trials NaN in 0..1. upper: for larger probabilities, at most `hits` hits have a chance below `error`.
 * lower: for smaller ones, at least `hits` hits do.
 */
struct bench_interval bench_stats_proportion(size_t hits, size_t trials, double level);
double bench_stats_proportion_upper(size_t hits, size_t trials, double error);
double bench_stats_proportion_lower(size_t hits, size_t trials, double error);

#endif
