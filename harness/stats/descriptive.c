/* SPDX-License-Identifier: MIT */
/* Location and spread of one sample. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "stats/internal.h"
#include "stats/stats.h"

int bench_stats_order(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Up to this count, sorted by insertion, without an allocation. */
enum { FEW = 32, MOST_TURNS = 64 };

static void insert(double *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t to = i;

		for (; to > 0 && values[to - 1] > value; to--)
			values[to] = values[to - 1];
		values[to] = value;
	}
}

static double middle_of(double a, double b, double c)
{
	double low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Divides more than FEW values by Hoare's method: those before the place that is returned are not above the
 * others. */
static size_t divide(double *values, size_t count)
{
	double pivot = middle_of(values[0], values[count / 2], values[count - 1]), value;
	size_t low = 0, high = count - 1;

	for (;; low++, high--) {
		while (values[low] < pivot)
			low++;
		while (values[high] > pivot)
			high--;
		if (low >= high)
			return low;
		value = values[low];
		values[low] = values[high];
		values[high] = value;
	}
}

/*
 * Samples are sorted often: by quicksort, without a call a comparison. `turns`: how often it may divide
 * before the library's sort has the rest, which no order of the values makes slow.
 */
static void sort_parts(double *values, size_t count, unsigned turns)
{
	for (; count > FEW && turns > 0; turns--) {
		size_t low = divide(values, count);

		sort_parts(values, low, turns - 1);
		values += low;
		count -= low;
	}
	if (count > FEW)
		qsort(values, count, sizeof(*values), bench_stats_order);
	else
		insert(values, count);
}

static bool is_sorted(const double *values, size_t count)
{
	size_t ordered = 1;

	while (ordered < count && values[ordered - 1] <= values[ordered])
		ordered++;
	return ordered >= count;
}

void bench_stats_sort(double *values, size_t count)
{
	if (!is_sorted(values, count))
		sort_parts(values, count, MOST_TURNS);
}

/* Puts the value with rank `at` at its place, smaller ones before and larger ones behind it. */
static void select_rank(double *values, size_t count, size_t at)
{
	unsigned turns = MOST_TURNS;

	for (; count > FEW && turns > 0; turns--) {
		size_t low = divide(values, count);
		bool behind = at >= low;

		values += behind ? low : 0;
		at -= behind ? low : 0;
		count = behind ? count - low : low;
	}
	sort_parts(values, count, turns);
}

double stats_select(double *values, size_t count, size_t at)
{
	select_rank(values, count, at);
	return values[at];
}

double *stats_sorted_copy(const double *values, size_t count)
{
	double *copy = bench_memory_alloc(count, sizeof(*copy));

	if (count > 0)
		memcpy(copy, values, count * sizeof(*copy));
	bench_stats_sort(copy, count);
	return copy;
}

/* The mean as it builds up (Welford 1962), which neither overflows in the sum nor cancels in the squares. */
static double running_mean(const double *values, size_t count, double *squares)
{
	double mean = 0;

	*squares = 0;
	for (size_t i = 0; i < count; i++) {
		double delta = values[i] - mean;

		mean += delta / (double)(i + 1);
		*squares += delta * (values[i] - mean);
	}
	return mean;
}

double bench_stats_mean(const double *values, size_t count)
{
	double squares;

	return count == 0 ? NAN : running_mean(values, count, &squares);
}

double bench_stats_stddev(const double *values, size_t count)
{
	double squares;

	if (count < 2)
		return NAN;
	running_mean(values, count, &squares);
	return sqrt(squares / (double)(count - 1));
}

/* Of values that this may put in another order. */
static double quantile_of(double *values, size_t count, double p)
{
	double position = p * (double)(count - 1), next;
	size_t below = (size_t)position;

	below = below < count - 1 ? below : count - 1;
	if (!is_sorted(values, count))
		select_rank(values, count, below);
	if (below == count - 1)
		return values[below];
	next = values[below + 1];
	for (size_t i = below + 2; i < count; i++)
		next = values[i] < next ? values[i] : next;
	return values[below] + (position - (double)below) * (next - values[below]);
}

double bench_stats_quantile(const double *values, size_t count, double p)
{
	double few[FEW], *own = few, result;

	if (count == 0)
		return NAN;
	if (count == 1)
		return values[0];
	if (count > FEW)
		own = bench_memory_alloc(count, sizeof(*own));
	result = quantile_of(memcpy(own, values, count * sizeof(*own)), count, p);
	if (own != few)
		free(own);
	return result;
}

double bench_stats_median(const double *values, size_t count)
{
	return bench_stats_quantile(values, count, 0.5);
}

double bench_stats_smaller_half(const double *values, size_t count)
{
	BENCH_SCOPED_MEMORY double *sorted = stats_sorted_copy(values, count);
	return bench_stats_mean(sorted, (count + 1) / 2);
}
