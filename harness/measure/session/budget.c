/* SPDX-License-Identifier: MIT */
#include "measure/session/budget.h"

#include <math.h>

#include "stats/stats.h"

#define STEPS     100   /* of a bisection: to the last bit of a double */
#define KNOWN     0.25  /* of the budget has been spent when a few groups speak for all */
#define QUARTILES 1.349 /* the distance between the quartiles of normal noise, in standard deviations */

double bench_session_budget_need(const double *medians, size_t count, double precision)
{
	double spread =
		bench_stats_quantile(medians, count, 0.75) - bench_stats_quantile(medians, count, 0.25);
	double middle = fabs(bench_stats_median(medians, count));
	if (count < 2 || !(middle > 0) || !(precision > 0))
		return NAN;
	return fmax(1, spread / QUARTILES / middle / precision);
}

static double bounded(double share)
{
	return fmin(fmax(share, BENCH_BUDGET_LEAST), BENCH_BUDGET_MOST);
}

static double sum_of(const double *needs, size_t count, double scale)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += bounded(needs[i] * scale);
	return sum;
}

/*
 * What a bound takes from one share goes to the others in proportion: shares are bounded(scale * need), with
 * the one scale that makes their sum `count`. The sum grows with the scale, from a quarter of `count` to four
 * times it.
 */
static double find_scale(const double *needs, size_t count)
{
	double lo = 0, hi = BENCH_BUDGET_MOST; /* every need is 1 or more */
	for (int i = 0; i < STEPS; i++) {
		double middle = (lo + hi) / 2;
		if (sum_of(needs, count, middle) < (double)count)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

void bench_session_budget_shares(const double *needs, size_t count, double *shares)
{
	double sum = 0, known = 0;
	for (size_t i = 0; i < count; i++) {
		sum += isnan(needs[i]) ? 0 : needs[i];
		known += !isnan(needs[i]);
	}
	for (size_t i = 0; i < count; i++) {
		shares[i] = isnan(needs[i]) ? (known > 0 ? sum / known : 1) : needs[i];
		shares[i] = fmax(1, shares[i]);
	}
	double scale = find_scale(shares, count);
	for (size_t i = 0; i < count; i++)
		shares[i] = bounded(shares[i] * scale);
}

double bench_session_budget_needed(const struct bench_budget_outlook *outlook)
{
	double each = outlook->known ? outlook->known_seconds / (double)outlook->known : 0;
	size_t unknown = outlook->groups - outlook->known;
	/* The first, which is being made, counts as made: its groups are known, or in `unknown`. */
	unsigned begun = outlook->made ? outlook->made : 1;
	unsigned more = outlook->least > begun ? outlook->least - begun : 0;
	return outlook->used_seconds +
	       each * ((double)unknown + outlook->again * more * (double)outlook->groups);
}

bool bench_session_budget_is_short(const struct bench_budget_outlook *outlook)
{
	bool known =
		outlook->known == outlook->groups || outlook->used_seconds > KNOWN * outlook->budget_seconds;
	return known && outlook->known &&
	       bench_session_budget_needed(outlook) > BENCH_BUDGET_REACH * outlook->budget_seconds;
}
