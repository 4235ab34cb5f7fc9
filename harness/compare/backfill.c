/* SPDX-License-Identifier: MIT */
#include "compare/backfill.h"

#include <math.h>

#define LEAST_Z 1.0 /* chance alone differs by that much */
#define MOST_Z  8.0 /* a change, beyond doubt: however large, the gap's size decides */

static bool is_measured(const struct bench_backfill_history *history, size_t commit)
{
	for (size_t k = 0; k < history->key_count; k++)
		if (isfinite(history->shifts[commit * history->key_count + k]))
			return true;
	return false;
}

/* How far two commits differ, in standard errors: by the metric in which they differ most. */
static double difference(const struct bench_backfill_history *history, size_t a, size_t b)
{
	double most = LEAST_Z;
	for (size_t k = 0; k < history->key_count; k++) {
		size_t i = a * history->key_count + k, j = b * history->key_count + k;
		double error =
			hypot(BENCH_COMPARE_BACKFILL_FLOOR, hypot(history->errors[i], history->errors[j]));
		double z = fabs(history->shifts[i] - history->shifts[j]) / error;
		if (z > most)
			most = z;
	}
	return fmin(most, MOST_Z);
}

/* The wanted commit nearest to the middle of a gap; `wanted` gets their number. */
static size_t find_middle(const struct bench_backfill_history *history, size_t before, size_t after,
			  size_t *wanted)
{
	double middle = ((double)before + (double)after) / 2, nearest = INFINITY;
	size_t found = before;
	*wanted = 0;
	for (size_t i = before + 1; i < after; i++) {
		double distance = fabs((double)i - middle);
		if (!history->wanted[i])
			continue;
		++*wanted;
		if (distance < nearest) {
			nearest = distance;
			found = i;
		}
	}
	return found;
}

/* An end of the range: the wanted commit beyond all that are measured. */
static bool find_end(const struct bench_backfill_history *history, bool newest, size_t *next)
{
	for (size_t step = 0; step < history->commit_count; step++) {
		size_t i = newest ? history->commit_count - 1 - step : step;
		if (is_measured(history, i))
			return false;
		if (history->wanted[i]) {
			*next = i;
			return true;
		}
	}
	return false;
}

bool bench_compare_backfill_next(const struct bench_backfill_history *history, size_t *next)
{
	double most = 0;
	size_t before = 0;
	if (find_end(history, true, next) || find_end(history, false, next))
		return true;
	while (before < history->commit_count && !is_measured(history, before))
		before++;
	for (size_t after = before + 1; after < history->commit_count; after++) {
		size_t wanted;
		if (!is_measured(history, after))
			continue;
		size_t middle = find_middle(history, before, after, &wanted);
		double z = difference(history, before, after), score = (double)wanted * z * z;
		if (score > most) {
			most = score;
			*next = middle;
		}
		before = after;
	}
	return most > 0;
}
