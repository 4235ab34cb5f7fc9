/* SPDX-License-Identifier: MIT */
/* Values of zero and below, which have no ratio, and values that are all alike, which have no spread. */
#include "compare/gate.h"
#include "compare_fixture.h"

enum { MOST = 20, METRICS = 10 };
#define LOWER   BENCH_BETTER_LOWER
#define HIGHER  BENCH_BETTER_HIGHER
#define COUNT_0 CASE_0 "/count"

static const struct bench_compare_options careful = {
	.threshold = 0.05, .alpha = 0.01, .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD};

/* A metric of case n in a run. */
static void add(struct bench_run *run, unsigned n, const char *unit, enum bench_better better,
		const double *values, size_t count)
{
	made_metric(run, made_case(run, n), "count", better, values, count)->unit =
		bench_arena_string(&run->arena, unit);
}

/* `runs` runs of the baseline's values, `each` of them a run, and one of the candidate's, in each of
 * `metrics` cases; the candidate's others are as before. */
struct history {
	const char *unit;
	enum bench_better better;
	size_t runs, each, count; /* count: of the candidate's values */
	const double *base, *now;
	size_t metrics;
};

static struct bench_comparison *judge(const struct history *history,
				      const struct bench_compare_options *options)
{
	struct bench_run *base[MOST], *candidate = made_run("tonight");
	struct bench_comparison *comparison = NULL;
	struct bench_error error;
	char id[32];

	for (size_t i = 0; i < history->runs; i++) {
		snprintf(id, sizeof(id), "night-%zu", i);
		base[i] = made_run(id);
		for (unsigned m = 0; m < history->metrics; m++)
			add(base[i], m, history->unit, history->better, history->base + i * history->each,
			    history->each);
	}
	for (unsigned m = 0; m < history->metrics; m++)
		add(candidate, m, history->unit, history->better, m ? history->base : history->now,
		    m ? history->each : history->count);
	if (bench_compare_runs((const struct bench_run *const *)base, history->runs, "nights", candidate,
			       options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < history->runs; i++)
		bench_record_free(base[i]);
	bench_record_free(candidate);
	return comparison;
}

/* All of a verdict on differences. */
static void assert_difference(const struct bench_comparison *comparison, enum bench_verdict_kind kind,
			      double difference)
{
	const struct bench_verdict *verdict = find(comparison, COUNT_0);

	assert_kind(comparison, COUNT_0, kind);
	assert_true(verdict->by_difference && isnan(verdict->ratio));
	if (!(fabs(verdict->difference - difference) < 1e-9) || verdict->lo > difference ||
	    verdict->hi < difference)
		fail_msg("%g in %g..%g, not %g", verdict->difference, verdict->lo, verdict->hi, difference);
}

/* Five values a side of one run each. */
static void zero_and_negative_values_are_judged_by_their_difference(void **state)
{
	static const struct {
		double base[5], now[5];
		enum bench_better better;
		enum bench_verdict_kind kind;
		double difference;
	} rows[] = {
		{{0, 0, 0, 0, 0}, {999, 999, 999, 999, 999}, LOWER, BENCH_SLOWER, 999},
		{{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, LOWER, BENCH_SLOWER, 1},
		{{0, 0, 0, 0, 0}, {5, 7, 6, 5, 6}, LOWER, BENCH_SLOWER, 6},
		{{0, 0, 0, 0, 0}, {100, 101, 102, 100, 99}, HIGHER, BENCH_FASTER, 100},
		{{100, 101, 102, 100, 99}, {0, 0, 0, 0, 0}, HIGHER, BENCH_SLOWER, -100},
		{{100, 101, 102, 100, 99}, {0, 0, 0, 0, 0}, LOWER, BENCH_FASTER, -100},
		{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, LOWER, BENCH_SAME, 0},
		{{0, 0, 0, 0, 0}, {-3, -3, -3, -3, -3}, LOWER, BENCH_FASTER, -3},
		{{-2, -2, -2, -2, -2}, {-20, -20, -20, -20, -20}, HIGHER, BENCH_SLOWER, -18},
		{{-2, -2, -2, -2, -2}, {-20, -20, -20, -20, -20}, LOWER, BENCH_FASTER, -18},
		{{-20, -20, -20, -20, -20}, {-2, -2, -2, -2, -2}, LOWER, BENCH_SLOWER, 18},
		{{-2, -2, -2, -2, -2}, {-2, -2, -2, -2, -2}, HIGHER, BENCH_SAME, 0},
		{{-1, 0, 1, -1, 0}, {9, 10, 11, 9, 10}, LOWER, BENCH_SLOWER, 10},
		{{-100, -101, -100, -99, -100}, {100, 101, 100, 99, 100}, LOWER, BENCH_SLOWER, 200},
		/* Less than the threshold, which is 5% of the baseline's magnitude. */
		{{-100, -100, -100, -100, -100}, {-99, -99, -99, -99, -99}, LOWER, BENCH_UNCLEAR, 1},
		/* One zero of five changes nothing. */
		{{10, 0, 12, 10, 11}, {30, 31, 32, 30, 31}, LOWER, BENCH_SLOWER, 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct history history = {.unit = "errors",
					  .better = rows[i].better,
					  .runs = 1,
					  .each = 5,
					  .count = 5,
					  .base = rows[i].base,
					  .now = rows[i].now,
					  .metrics = 1};
		struct bench_comparison *comparison = judge(&history, &careful);

		assert_difference(comparison, rows[i].kind, rows[i].difference);
		bench_compare_free(comparison);
	}
}

/* So a case that begins to fail some requests is no pass, whatever the other nine do. */
static void a_metric_from_zero_fails_a_gate_of_ten(void **state)
{
	static const double zeros[8], errors[8] = {999, 999, 999, 999, 999, 999, 999, 999};
	struct history history = {.unit = "errors",
				  .better = BENCH_BETTER_LOWER,
				  .runs = 1,
				  .each = 8,
				  .count = 8,
				  .base = zeros,
				  .now = errors,
				  .metrics = METRICS};
	struct bench_comparison *comparison = judge(&history, &careful);

	(void)state;
	assert_difference(comparison, BENCH_SLOWER, 999);
	assert_int_equal(comparison->counts[BENCH_SAME], METRICS - 1);
	assert_int_equal(bench_compare_outcome(comparison, 0), BENCH_OUTCOME_SLOWER);
	bench_compare_free(comparison);
	/* Where it could not be decided, it stands out by far. */
	history.each = history.count = 1;
	comparison = judge(&history, &careful);
	assert_kind(comparison, COUNT_0, BENCH_UNCLEAR);
	assert_true(find(comparison, COUNT_0)->difference == 999);
	assert_ptr_equal(bench_compare_gate_undecided(comparison, 1, false).worst, find(comparison, COUNT_0));
	bench_compare_free(comparison);
}

/* What the verdict states is a difference throughout: 5% of 100 is 5, and the floor is of times. */
static void thresholds_and_mde_of_differences_are_in_the_unit(void **state)
{
	static const double base[] = {0, 100, 101, 99, 100, 102, 98, 100},
			    now[] = {100, 100, 101, 99, 100, 101, 99, 0};
	struct history history = {.unit = "points",
				  .better = BENCH_BETTER_LOWER,
				  .runs = 1,
				  .each = 8,
				  .count = 8,
				  .base = base,
				  .now = now,
				  .metrics = 1};
	struct bench_compare_options options = nightly;
	struct bench_comparison *comparison = judge(&history, &nightly);
	const struct bench_verdict *verdict = find(comparison, COUNT_0);

	(void)state;
	assert_kind(comparison, COUNT_0, BENCH_SAME);
	assert_true(verdict->threshold == 5 && verdict->mde >= 5 && verdict->asked == 0.05);
	assert_true(verdict->lo >= -5 && verdict->hi <= 5);
	bench_compare_free(comparison);
	options.floor = 7;
	history.unit = "s";
	comparison = judge(&history, &options);
	assert_true(find(comparison, COUNT_0)->threshold == 7);
	bench_compare_free(comparison);
}

static void sizes_of_ratios_and_differences_compare(void **state)
{
	const struct bench_verdict
		twice = {.ratio = 2},
		half = {.ratio = 0.5}, none = {.ratio = NAN},
		as_much = {.ratio = NAN, .by_difference = true, .difference = 5, .magnitude = 5},
		less = {.ratio = NAN, .by_difference = true, .difference = -5, .magnitude = 5},
		from_zero = {.ratio = NAN, .by_difference = true, .difference = 5},
		stayed = {.ratio = NAN, .by_difference = true};

	(void)state;
	assert_true(fabs(bench_compare_size(&twice) - bench_compare_size(&as_much)) < 1e-12);
	assert_true(fabs(bench_compare_size(&half) - bench_compare_size(&less)) < 1e-12);
	assert_true(bench_compare_size(&from_zero) == INFINITY && bench_compare_size(&stayed) == 0);
	assert_true(bench_compare_size(&none) == 0 && !bench_compare_has_size(&none));
}

/* ---- all alike */

static struct bench_comparison *judge_alike(const char *unit, size_t runs, size_t each, size_t count,
					    double base, double now, size_t metrics)
{
	double before[MOST * MOST], after[MOST];
	struct history history = {.unit = unit,
				  .better = BENCH_BETTER_LOWER,
				  .runs = runs,
				  .each = each,
				  .count = count,
				  .base = before,
				  .now = after,
				  .metrics = metrics};

	for (size_t i = 0; i < runs * each; i++)
		before[i] = base;
	for (size_t i = 0; i < count; i++)
		after[i] = now;
	return judge(&history, &careful);
}

static void values_that_never_differed_are_judged(void **state)
{
	static const struct {
		const char *unit;
		size_t runs, each, count;
		double base, now;
		enum bench_verdict_kind kind;
	} rows[] = {
		{"allocs/op", 10, 1, 1, 5, 15, BENCH_SLOWER},
		{"allocs/op", 10, 1, 1, 1, 3, BENCH_SLOWER},
		{"allocs/op", 10, 1, 1, 0, 5, BENCH_SLOWER},
		{"allocs/op", 10, 1, 1, 15, 5, BENCH_FASTER},
		{"allocs/op", 10, 1, 1, 5, 5, BENCH_SAME},
		{"allocs/op", 10, 1, 1, 0, 0, BENCH_SAME},
		{"allocs/op", 10, 1, 1, 1000, 1003, BENCH_SAME},
		{"allocs/op", 10, 1, 1, 5, 6, BENCH_UNCLEAR}, /* one step: a mean that was rounded */
		{"allocs/op", 10, 3, 3, 5, 15, BENCH_SLOWER},
		{"allocs/op", 5, 1, 1, 0, 999, BENCH_SLOWER},
		{"allocs/op", 4, 1, 1, 0, 999, BENCH_UNCLEAR}, /* too few of one value */
		{"s", 10, 1, 1, 1e-3, 3e-3, BENCH_SLOWER},
		{"s", 10, 1, 1, 1.234567890123456e-3, 3e-3, BENCH_SLOWER},
		{"s", 10, 1, 1, 1.234567890123456e-3, 1.234567890123456e-3, BENCH_SAME},
		{"s", 10, 1, 1, 12.3e-9, 12.3e-9, BENCH_SAME},
		{"s", 10, 1, 1, 3e-9, 4e-9, BENCH_UNCLEAR}, /* 3.4 and 3.6 are these */
		{"s", 10, 1, 1, 3e-9, 3e-9, BENCH_UNCLEAR}, /* 2.6 and 3.4 are, too */
		{"s", 1, 2, 2, 1e-6, 1e-3, BENCH_SLOWER},
		{"s", 1, 2, 2, 1e-3, 1e-6, BENCH_FASTER},
		{"s", 1, 2, 2, 1e-6, 2e-6, BENCH_UNCLEAR},
		{"allocs/op", 1, 2, 2, 7, 7, BENCH_SAME},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_comparison *comparison =
			judge_alike(rows[i].unit, rows[i].runs, rows[i].each, rows[i].count, rows[i].base,
				    rows[i].now, METRICS);

		if (find(comparison, COUNT_0)->kind != rows[i].kind)
			fail_msg("row %zu: %s, %s", i,
				 bench_compare_verdict_name(find(comparison, COUNT_0)->kind),
				 find(comparison, COUNT_0)->reason);
		assert_int_equal(comparison->counts[BENCH_SLOWER] + comparison->counts[BENCH_FASTER],
				 rows[i].kind == BENCH_SLOWER || rows[i].kind == BENCH_FASTER);
		bench_compare_free(comparison);
	}
}

/* The reason is the step, not the number of invocations. */
static void a_step_away_says_so(void **state)
{
	struct bench_comparison *comparison = judge_alike("s", 10, 1, 1, 3e-9, 4e-9, 1);

	(void)state;
	assert_reason(find(comparison, COUNT_0), "+33.3%, but p = 0.035 over 1 metric");
	bench_compare_free(comparison);
	comparison = judge_alike("s", 10, 1, 1, 3e-9, 3e-9, 1);
	assert_reason(find(comparison, COUNT_0),
		      "the values are rounded to steps of 33.3%, which a change of the");
	bench_compare_free(comparison);
}

/* One odd run of ten leaves a spread of zero as well. */
static void an_odd_run_does_not_blind_a_count(void **state)
{
	static const double base[] = {5, 5, 5, 5, 6, 5, 5, 5, 5, 5}, now = 25, still = 5;
	struct history history = {.unit = "allocs/op",
				  .better = BENCH_BETTER_LOWER,
				  .runs = 10,
				  .each = 1,
				  .count = 1,
				  .base = base,
				  .now = &now,
				  .metrics = 1};
	struct bench_comparison *comparison = judge(&history, &careful);

	(void)state;
	assert_kind(comparison, COUNT_0, BENCH_SUSPECTED);
	bench_compare_free(comparison);
	history.now = &still;
	comparison = judge(&history, &careful);
	assert_true(find(comparison, COUNT_0)->kind != BENCH_SUSPECTED);
	bench_compare_free(comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_and_negative_values_are_judged_by_their_difference),
		cmocka_unit_test(a_metric_from_zero_fails_a_gate_of_ten),
		cmocka_unit_test(thresholds_and_mde_of_differences_are_in_the_unit),
		cmocka_unit_test(sizes_of_ratios_and_differences_compare),
		cmocka_unit_test(values_that_never_differed_are_judged),
		cmocka_unit_test(a_step_away_says_so),
		cmocka_unit_test(an_odd_run_does_not_blind_a_count),
	};

	return cmocka_run_group_tests_name("compare_difference", tests, NULL, NULL);
}
