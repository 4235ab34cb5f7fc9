/* SPDX-License-Identifier: MIT */
/* Alarms: when they open, what they hold, and what closes them. */
#include "compare/alarm_stats.h"
#include "compare/alarms.h"
#include "compare/gate.h"
#include "compare_fixture.h"

/* A history of alarms, and the night at hand. */
struct nights {
	struct bench_arena arena;
	struct bench_alarm *alarms;
	size_t count;
	struct bench_comparison *comparison;
	unsigned night;
	char run[16], last_run[16];
	const char *last_commit;
	double base_median;           /* 0: the usual */
	size_t baseline_count;        /* 0: no history, but in turns */
	double reach;                 /* of the 95% intervals, as a share; 0: 0.1 */
	struct bench_changes changes; /* that looking back finds tonight */
};

/* One verdict of a night. */
struct verdict {
	const char *key;
	enum bench_verdict_kind kind;
	double ratio;
};

static void free_comparison(struct nights *nights)
{
	bench_compare_free(nights->comparison);
	nights->comparison = NULL;
}

static struct bench_comparison *make_comparison(const struct verdict *verdicts, size_t count, double base,
						double reach)
{
	struct bench_comparison *comparison = calloc(1, sizeof(*comparison));
	struct bench_arena *arena = &comparison->arena;

	/* The order of a comparison: the worst first, then the key. */
	static const enum bench_verdict_kind order[] = {BENCH_MISSING, BENCH_SLOWER, BENCH_UNCLEAR,
							BENCH_FASTER, BENCH_SAME};
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (size_t i = 0; i < count; i++) {
			struct bench_verdict *verdict;

			if (verdicts[i].kind != order[k])
				continue;
			verdict = bench_arena_push(arena, &comparison->verdicts, &comparison->verdict_count,
						   sizeof(*verdict));
			*verdict = (struct bench_verdict){.key = bench_arena_string(arena, verdicts[i].key),
							  .metric = bench_arena_string(arena, "time"),
							  .better = BENCH_BETTER_LOWER,
							  .kind = order[k],
							  .ratio = verdicts[i].ratio,
							  .asked = 0.05,
							  .lo = verdicts[i].ratio * (1 - reach),
							  .hi = verdicts[i].ratio * (1 + reach),
							  .level = 0.95,
							  .base_median = base,
							  .candidate_median = base * verdicts[i].ratio,
							  .unit = "s",
							  .reason = bench_arena_string(arena, "")};
			comparison->counts[order[k]]++;
		}
	return comparison;
}

static void judge(struct nights *nights, const char *commit, const struct verdict *verdicts, size_t count)
{
	const struct bench_alarm_night night = {.run = nights->run,
						.commit = commit,
						.fingerprint = "host",
						.track = "track",
						.started = 1000 * nights->night,
						.last_run = nights->last_run,
						.last_commit = nights->last_commit ? nights->last_commit : "",
						.changes = &nights->changes};

	free_comparison(nights);
	nights->comparison =
		make_comparison(verdicts, count, nights->base_median > 0 ? nights->base_median : 1e-3,
				nights->reach > 0 ? nights->reach : 0.1);
	nights->comparison->baseline_count = nights->baseline_count;
	bench_compare_alarms_look_back(&nights->alarms, &nights->count, &night, nights->comparison,
				       &nights->arena);
	bench_compare_alarms_update(&nights->alarms, &nights->count, &night, nights->comparison,
				    &nights->arena);
	nights->last_commit = commit;
}

/* The next night. */
static void pass(struct nights *nights, const char *commit, const struct verdict *verdicts, size_t count)
{
	snprintf(nights->last_run, sizeof(nights->last_run), "%s", nights->run);
	snprintf(nights->run, sizeof(nights->run), "run-%u", ++nights->night);
	judge(nights, commit, verdicts, count);
}

#define PASS(nights, commit, ...)                                                                            \
	pass(nights, commit, (const struct verdict[]){__VA_ARGS__},                                          \
	     sizeof((const struct verdict[]){__VA_ARGS__}) / sizeof(struct verdict))

static void end(struct nights *nights)
{
	free_comparison(nights);
	bench_arena_free(&nights->arena);
}

static const struct bench_verdict_alarm *alarm_of(const struct nights *nights, const char *key)
{
	return find(nights->comparison, key)->alarm;
}

static void what_became_slower_in_one_run_is_one_alarm(void **state)
{
	struct nights nights = {0};

	(void)state;
	PASS(&nights, "good", {"a", BENCH_SAME, 1}, {"b", BENCH_SAME, 1}, {"c", BENCH_SAME, 1});
	assert_int_equal(nights.count, 0);
	assert_null(alarm_of(&nights, "a"));
	PASS(&nights, "bad", {"a", BENCH_SLOWER, 1.2}, {"b", BENCH_SLOWER, 1.5}, {"c", BENCH_SAME, 1});
	assert_int_equal(nights.count, 1);
	const struct bench_alarm *alarm = &nights.alarms[0];
	assert_int_equal(alarm->metric_count, 2);
	assert_string_equal(alarm->first_bad, "run-2");
	assert_string_equal(alarm->last_good, "run-1");
	assert_string_equal(alarm->bad_commit, "bad");
	assert_string_equal(alarm->good_commit, "good");
	assert_int_equal(alarm->since, 2000);
	assert_string_equal(alarm->metrics[1].key, "b");
	assert_true(alarm->metrics[1].ratio == 1.5 && alarm->metrics[1].level == 1e-3);
	assert_int_equal(alarm->metrics[1].nights, 1);
	assert_true(alarm_of(&nights, "a")->is_new);
	assert_null(alarm_of(&nights, "c"));
	assert_int_equal(bench_compare_outcome(nights.comparison, BENCH_FAILING_NEW_ONLY),
			 BENCH_OUTCOME_SLOWER);
	end(&nights);
}

/* A level that shifted for the worse with run-2, in the nights up to the fifth. */
static struct bench_change shifted(const char *key, double ratio)
{
	return (struct bench_change){.key = key,
				     .better = BENCH_BETTER_LOWER,
				     .last_run = "run-1",
				     .last_commit = "good",
				     .first_run = "run-2",
				     .first_commit = "bad",
				     .started = 2000,
				     .before = 1e-3,
				     .after = 1e-3 * ratio,
				     .ratio = {ratio, ratio - 0.02, ratio + 0.02, 0.95}};
}

/* No night shows 5% where nights differ by as much; five of them do. */
static void what_the_nights_show_together_is_an_alarm_from_its_first_run_on(void **state)
{
	struct nights nights = {0};
	const struct bench_change changes[] = {shifted("a", 1.05), shifted("b", 1.2), shifted("b", 0.8),
					       shifted("c", 1.06)};

	(void)state;
	for (int i = 0; i < 4; i++)
		PASS(&nights, "x", {"a", BENCH_UNCLEAR, 1.05}, {"b", BENCH_SAME, 1},
		     {"c", BENCH_UNCLEAR, 1.06});
	nights.changes = (struct bench_changes){changes, 4, 20};
	PASS(&nights, "x", {"a", BENCH_UNCLEAR, 1.05}, {"b", BENCH_SAME, 1}, {"c", BENCH_UNCLEAR, 1.06});
	assert_int_equal(nights.count, 1);
	const struct bench_alarm *alarm = &nights.alarms[0];
	assert_string_equal(alarm->first_bad, "run-2");
	assert_string_equal(alarm->last_good, "run-1");
	assert_string_equal(alarm->bad_commit, "bad");
	assert_int_equal(alarm->since, 2000);
	assert_int_equal(alarm->metric_count, 2); /* b went back */
	assert_true(alarm->metrics[0].ratio == 1.05 && alarm->metrics[0].level == 1e-3);
	assert_true(alarm_of(&nights, "a")->is_new);
	assert_int_equal(alarm_of(&nights, "a")->nights, 1);
	assert_null(alarm_of(&nights, "b"));
	/* The same is found again the night after: one shift is one alarm. */
	PASS(&nights, "x", {"a", BENCH_UNCLEAR, 1.05}, {"b", BENCH_SAME, 1}, {"c", BENCH_SAME, 1});
	assert_int_equal(nights.count, 1);
	assert_false(alarm_of(&nights, "a")->is_new);
	assert_true(alarm_of(&nights, "c")->recovered);
	/* Neither what recovered nor what the machine did comes back. */
	PASS(&nights, "x", {"c", BENCH_SAME, 1});
	assert_null(alarm_of(&nights, "c"));
	struct bench_change other = shifted("d", 1.3);
	other.cause = BENCH_CHANGE_MACHINE;
	nights.changes = (struct bench_changes){&other, 1, 20};
	PASS(&nights, "x", {"d", BENCH_SAME, 1});
	assert_int_equal(nights.count, 1);
	end(&nights);
}

static void it_stays_open_until_the_old_level_is_back(void **state)
{
	struct nights nights = {0};

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2});
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.3});
	PASS(&nights, "3", {"a", BENCH_UNCLEAR, 1.1});
	assert_int_equal(nights.count, 1);
	assert_int_equal(nights.alarms[0].metrics[0].nights, 3);
	assert_true(nights.alarms[0].metrics[0].ratio == 1.2);
	assert_true(nights.alarms[0].metrics[0].last_ratio == 1.1);
	assert_false(alarm_of(&nights, "a")->is_new);
	/* What is under it fails, whatever tonight's verdict; not where new ones alone are asked for. */
	assert_int_equal(bench_compare_outcome(nights.comparison, 0), BENCH_OUTCOME_SLOWER);
	assert_int_equal(
		bench_compare_outcome(nights.comparison, BENCH_FAILING_NEW_ONLY | BENCH_FAILING_UNCLEAR),
		BENCH_OUTCOME_GOOD);
	assert_int_equal(bench_compare_gate_undecided(nights.comparison, 0, false).unclear, 0);
	/* It was not measured, or is gone: no night of its own. */
	PASS(&nights, "4", {"b", BENCH_SAME, 1});
	PASS(&nights, "5", {"a", BENCH_MISSING, NAN});
	assert_int_equal(nights.alarms[0].metrics[0].nights, 3);
	assert_int_equal(bench_compare_outcome(nights.comparison, BENCH_FAILING_NEW_ONLY),
			 BENCH_OUTCOME_WRONG);
	PASS(&nights, "6", {"a", BENCH_SAME, 1.01});
	assert_false(bench_record_alarm_is_open(&nights.alarms[0]));
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	assert_string_equal(nights.alarms[0].metrics[0].closed_run, "run-6");
	assert_int_equal(nights.alarms[0].metrics[0].closed, 6000);
	assert_true(alarm_of(&nights, "a")->recovered);
	assert_int_equal(bench_compare_outcome(nights.comparison, 0), BENCH_OUTCOME_GOOD);
	PASS(&nights, "7", {"a", BENCH_SAME, 1});
	assert_null(alarm_of(&nights, "a"));
	end(&nights);
}

/* Slower than a reference, and the same as last week's runs, which have drifted with it. */
static void a_drift_has_not_recovered_because_last_week_was_like_it(void **state)
{
	const struct verdict slower[] = {{"a", BENCH_SLOWER, 1.08}}, same[] = {{"a", BENCH_SAME, 1.01}},
			     faster[] = {{"a", BENCH_FASTER, 0.93}};
	struct nights nights = {.baseline_count = 10};

	(void)state;
	nights.base_median = 1e-3; /* the reference's */
	pass(&nights, "1", slower, 1);
	nights.base_median = 1.07e-3;
	pass(&nights, "2", same, 1);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	assert_int_equal(nights.alarms[0].metrics[0].nights, 2);
	pass(&nights, "3", faster, 1);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	pass(&nights, "4", faster, 1);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&nights);
}

/* One night within the threshold may be chance, nights below the middle are not. In turns one night says it.
 */
static void against_a_history_it_takes_two_nights_to_recover(void **state)
{
	struct nights nights = {.baseline_count = 10};

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.07});
	PASS(&nights, "2", {"a", BENCH_SAME, 1.01});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&nights, "3", {"a", BENCH_UNCLEAR, 1.06});
	PASS(&nights, "4", {"a", BENCH_SAME, 1.04}); /* nearer to what gave the alarm */
	PASS(&nights, "5", {"a", BENCH_SAME, 1.02});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	/* The same run again is no second night. */
	judge(&nights, "5", &(struct verdict){"a", BENCH_SAME, 1.02}, 1);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&nights, "6", {"a", BENCH_SAME, 1.01});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&nights);
}

/* Where the nights together show that the old level is back, no verdict has to. */
static void a_level_shift_back_is_a_recovery(void **state)
{
	struct nights nights = {.baseline_count = 10};
	struct bench_change change = shifted("a", 1.2);

	(void)state;
	nights.changes = (struct bench_changes){&change, 1, 20};
	for (int i = 0; i < 5; i++)
		PASS(&nights, "1", {"a", BENCH_UNCLEAR, 1.2});
	assert_int_equal(nights.count, 1);
	for (int i = 0; i < 3; i++)
		PASS(&nights, "1", {"a", BENCH_UNCLEAR, 1});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	change.started = 6000;
	change.before = 1.2e-3;
	change.after = 1.06e-3;
	change.ratio.estimate = 1 / 1.1;
	PASS(&nights, "1", {"a", BENCH_UNCLEAR, 1.01});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	change.after = 1.04e-3;
	PASS(&nights, "1", {"a", BENCH_UNCLEAR, 1.01});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&nights);
}

/* A shift that begins above the level of an open alarm has one of its own; both can recover, or one. */
static void a_second_step_is_an_alarm_above_the_first(void **state)
{
	struct nights nights = {.baseline_count = 10};
	struct bench_change change = shifted("a", 1.1);

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.1});
	for (int i = 0; i < 5; i++)
		PASS(&nights, "2", {"a", BENCH_SLOWER, 1.21});
	nights.changes = (struct bench_changes){&change, 1, 20};
	change.started = 1000; /* the first step itself */
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.21});
	assert_int_equal(nights.count, 1);
	change.started = 2000;
	change.before = 1.1e-3;
	change.after = 1.21e-3;
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.21});
	assert_int_equal(nights.count, 2);
	assert_true(nights.alarms[1].metrics[0].level == 1.1e-3);
	assert_int_equal(alarm_of(&nights, "a")->since, 2000);
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.22});
	assert_int_equal(nights.count, 2);
	/* The second step is mended, and then the first. */
	PASS(&nights, "3", {"a", BENCH_SLOWER, 1.11});
	PASS(&nights, "3", {"a", BENCH_SLOWER, 1.1});
	assert_int_equal(nights.alarms[1].metrics[0].state, BENCH_ALARM_RECOVERED);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&nights, "4", {"a", BENCH_SAME, 1.01});
	PASS(&nights, "4", {"a", BENCH_SAME, 1});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&nights);
}

/* In turns with an anchor, each step is judged against it, whose own time differs from night to night. */
static void beside_an_anchor_a_second_step_is_an_alarm_above_the_first(void **state)
{
	struct nights nights = {.reach = 0.02};
	const struct bench_alarm_metric *first, *second;

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.1});
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.14}); /* less than the threshold above it */
	nights.reach = 0.1;
	PASS(&nights, "3", {"a", BENCH_SLOWER, 1.21}); /* not certain */
	assert_int_equal(nights.count, 1);
	nights.reach = 0.02;
	nights.base_median = 2e-3;
	PASS(&nights, "4", {"a", BENCH_SLOWER, 1.21});
	assert_int_equal(nights.count, 2);
	assert_string_equal(nights.alarms[1].first_bad, "run-4");
	assert_string_equal(nights.alarms[1].last_good, "run-3");
	second = &nights.alarms[1].metrics[0];
	assert_true(fabs(second->ratio - 1.1) < 1e-9);
	assert_true(fabs(second->lo - 1.1 * exp(-hypot(0.02, 0.02))) < 1e-4);
	assert_true(fabs(second->level - 2.2e-3) < 1e-9);
	assert_true(alarm_of(&nights, "a")->is_new && !alarm_of(&nights, "a")->older->is_new);
	assert_int_equal(bench_compare_outcome(nights.comparison, BENCH_FAILING_NEW_ONLY),
			 BENCH_OUTCOME_SLOWER);
	/* The same run again, and the next night at that level, are no third step. */
	judge(&nights, "4", &(struct verdict){"a", BENCH_SLOWER, 1.21}, 1);
	nights.base_median = 1e-3;
	PASS(&nights, "5", {"a", BENCH_SLOWER, 1.22});
	assert_int_equal(nights.count, 2);
	first = &nights.alarms[0].metrics[0];
	second = &nights.alarms[1].metrics[0];
	assert_int_equal(second->nights, 2);
	assert_true(fabs(first->last_ratio - 1.22) < 1e-9);
	assert_true(fabs(second->last_ratio - 1.22 / 1.1) < 1e-9);
	/* The second step is mended, which two nights show, and then the first. */
	PASS(&nights, "6", {"a", BENCH_SLOWER, 1.11});
	assert_int_equal(second->state, BENCH_ALARM_OPEN);
	PASS(&nights, "7", {"a", BENCH_SLOWER, 1.1});
	assert_int_equal(second->state, BENCH_ALARM_RECOVERED);
	assert_int_equal(first->state, BENCH_ALARM_OPEN);
	PASS(&nights, "8", {"a", BENCH_SLOWER, 1.3}); /* another second step, and both are mended */
	assert_int_equal(nights.count, 3);
	PASS(&nights, "9", {"a", BENCH_SAME, 1.01});
	for (size_t i = 0; i < nights.count; i++)
		assert_int_equal(nights.alarms[i].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&nights);
}

/* Where one night's pairs are too few for `same`, those of two nights in turns may be enough. */
static void beside_an_anchor_two_nights_together_show_a_recovery(void **state)
{
	struct nights nights = {.reach = 0.05};

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2});
	PASS(&nights, "2", {"a", BENCH_UNCLEAR, 1.01});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	judge(&nights, "2", &(struct verdict){"a", BENCH_UNCLEAR, 1.01}, 1);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&nights, "3", {"a", BENCH_UNCLEAR, 1.05});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&nights, "4", {"a", BENCH_UNCLEAR, 0.98});
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&nights);
}

/* It may be faster by more than the threshold, and so not `same`. */
static void what_is_certainly_not_slower_has_recovered(void **state)
{
	struct nights beside = {0}, after = {.baseline_count = 10};

	(void)state;
	PASS(&beside, "1", {"a", BENCH_SLOWER, 1.2});
	PASS(&beside, "2", {"a", BENCH_UNCLEAR, 0.96});
	assert_int_equal(beside.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&beside, "3", {"a", BENCH_UNCLEAR, 0.95});
	assert_int_equal(beside.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	PASS(&after, "1", {"a", BENCH_SLOWER, 1.2});
	PASS(&after, "2", {"a", BENCH_UNCLEAR, 0.95});
	assert_int_equal(after.alarms[0].metrics[0].state, BENCH_ALARM_OPEN);
	PASS(&after, "3", {"a", BENCH_UNCLEAR, 0.95});
	assert_int_equal(after.alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	end(&beside);
	end(&after);
}

/* What nights have been at before is no shift. */
static void a_level_that_recurs_is_no_shift(void **state)
{
	struct nights nights = {.baseline_count = 10};
	struct bench_change change = shifted("a", 1.1);

	(void)state;
	nights.changes = (struct bench_changes){&change, 1, 20};
	change.recurs = true;
	PASS(&nights, "1", {"a", BENCH_UNCLEAR, 1.1});
	assert_int_equal(nights.count, 0);
	change.recurs = false;
	PASS(&nights, "2", {"a", BENCH_UNCLEAR, 1.1});
	assert_int_equal(nights.count, 1);
	end(&nights);
}

/* One alarm that recovered was a regression that was mended; if they recur, it is what nights are like. */
static void nights_of_alarms_that_come_and_go_teach_the_spread(void **state)
{
	struct nights nights = {0};
	struct bench_excluded *excluded;

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2}, {"b", BENCH_SLOWER, 1.2});
	PASS(&nights, "2", {"a", BENCH_SAME, 1}, {"b", BENCH_SLOWER, 1.2});
	assert_int_equal(bench_compare_alarms_excluded(nights.alarms, nights.count, INT64_MAX, &nights.arena,
						       &excluded),
			 2);
	assert_false(excluded[0].teaches_spread || excluded[1].teaches_spread);
	PASS(&nights, "3", {"a", BENCH_SLOWER, 1.2}, {"b", BENCH_SAME, 1});
	PASS(&nights, "4", {"a", BENCH_SAME, 1}, {"b", BENCH_SAME, 1});
	assert_int_equal(bench_compare_alarms_excluded(nights.alarms, nights.count, INT64_MAX, &nights.arena,
						       &excluded),
			 3);
	assert_true(excluded[0].teaches_spread && excluded[1].teaches_spread);
	assert_false(excluded[2].teaches_spread);
	end(&nights);
}

static void slower_again_after_recovery_is_a_new_alarm(void **state)
{
	struct nights nights = {0};

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2});
	PASS(&nights, "2", {"a", BENCH_FASTER, 0.9});
	PASS(&nights, "3", {"a", BENCH_SLOWER, 1.4});
	assert_int_equal(nights.count, 2);
	assert_true(alarm_of(&nights, "a")->is_new);
	assert_int_equal(alarm_of(&nights, "a")->since, 3000);
	/* Even in the commit of the first: that one is closed. */
	PASS(&nights, "3", {"a", BENCH_SAME, 1});
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2});
	assert_int_equal(nights.count, 3);
	end(&nights);
}

static void another_commit_is_another_alarm_and_the_same_one_is_not(void **state)
{
	struct nights nights = {0};

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2}, {"b", BENCH_UNCLEAR, 1.1}, {"c", BENCH_SAME, 1});
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2}, {"b", BENCH_SLOWER, 1.1}, {"c", BENCH_SAME, 1});
	assert_int_equal(nights.count, 1);
	assert_int_equal(nights.alarms[0].metric_count, 2);
	/* b is news, though its alarm is not. */
	assert_true(alarm_of(&nights, "b")->is_new);
	assert_false(alarm_of(&nights, "a")->is_new);
	assert_int_equal(alarm_of(&nights, "b")->since, 1000);
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.2}, {"b", BENCH_SLOWER, 1.1}, {"c", BENCH_SLOWER, 1.3});
	assert_int_equal(nights.count, 2);
	assert_int_equal(nights.alarms[1].metric_count, 1);
	assert_string_equal(nights.alarms[1].metrics[0].key, "c");
	/* Without a commit, nothing is known to be the same. */
	PASS(&nights, "", {"d", BENCH_SLOWER, 1.2});
	PASS(&nights, "", {"e", BENCH_SLOWER, 1.2});
	assert_int_equal(nights.count, 4);
	end(&nights);
}

static void a_run_that_is_judged_twice_counts_once(void **state)
{
	const struct verdict slower[] = {{"a", BENCH_SLOWER, 1.2}}, worse[] = {{"a", BENCH_SLOWER, 1.3}},
			     same[] = {{"a", BENCH_SAME, 1}};
	struct nights nights = {0};

	(void)state;
	pass(&nights, "1", slower, 1);
	judge(&nights, "1", worse, 1);
	assert_int_equal(nights.count, 1);
	assert_int_equal(nights.alarms[0].metrics[0].nights, 1);
	assert_true(alarm_of(&nights, "a")->is_new);
	pass(&nights, "2", slower, 1);
	judge(&nights, "2", slower, 1);
	assert_int_equal(nights.alarms[0].metrics[0].nights, 2);
	pass(&nights, "3", same, 1);
	judge(&nights, "3", same, 1);
	assert_int_equal(nights.count, 1);
	assert_int_equal(nights.alarms[0].metrics[0].nights, 2); /* that of the recovery was not bad */
	assert_true(alarm_of(&nights, "a")->recovered);
	/* First slower, then not, then slower after all: the alarm that began with this run. */
	pass(&nights, "4", slower, 1);
	judge(&nights, "4", same, 1);
	judge(&nights, "4", slower, 1);
	assert_int_equal(nights.count, 2);
	assert_int_equal(nights.alarms[1].metric_count, 1);
	assert_int_equal(nights.alarms[1].metrics[0].state, BENCH_ALARM_OPEN);
	end(&nights);
}

static void runs_under_an_alarm_are_excluded_until_it_is_closed(void **state)
{
	const struct bench_accepted shift = {.pattern = "b", .since = 3000, .why = "so be it"};
	struct bench_excluded *excluded;
	struct nights nights = {0};

	(void)state;
	assert_int_equal(bench_compare_alarms_excluded(NULL, 0, INT64_MAX, &nights.arena, &excluded), 0);
	PASS(&nights, "1", {"b", BENCH_SLOWER, 1.2}, {"c", BENCH_SLOWER, 1.2});
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.2}, {"c", BENCH_SAME, 1});
	assert_int_equal(bench_compare_alarms_accept(&nights.alarms[0], &shift, "run-3", &nights.arena), 1);
	assert_int_equal(bench_compare_alarms_accept(&nights.alarms[0], &shift, "run-3", &nights.arena), 0);
	assert_int_equal(nights.alarms[0].metrics[0].state, BENCH_ALARM_ACCEPTED);
	assert_string_equal(nights.alarms[0].metrics[0].why, "so be it");
	assert_int_equal(bench_compare_alarms_excluded(nights.alarms, nights.count, INT64_MAX, &nights.arena,
						       &excluded),
			 3);
	assert_string_equal(excluded[0].key, "a");
	assert_true(excluded[0].since == 2000 && excluded[0].until == INT64_MAX);
	assert_true(excluded[1].since == 1000 && excluded[1].until == 3000);
	assert_true(excluded[2].since == 1000 && excluded[2].until == 2000);
	/* An accepted one says nothing any more. */
	bench_compare_alarms_tell(nights.alarms, nights.count, "run-2", 2000, nights.comparison);
	assert_true(alarm_of(&nights, "a")->is_new);
	assert_true(alarm_of(&nights, "c")->recovered);
	/* What was excluded from the first bad run on: accepted from there, nothing is. */
	nights.alarms[1].metrics[0].state = BENCH_ALARM_ACCEPTED;
	nights.alarms[1].metrics[0].closed = 2000;
	assert_int_equal(bench_compare_alarms_excluded(nights.alarms, nights.count, INT64_MAX, &nights.arena,
						       &excluded),
			 2);
	end(&nights);
}

/* Alarms that come and go say what nights are like; a further step under an open one comes once. */
static void alarms_that_recover_at_two_times_teach_how_far_nights_differ(void **state)
{
	struct bench_alarm_metric metrics[] = {{.key = "a", .state = BENCH_ALARM_RECOVERED, .closed = 5000},
					       {.key = "a", .state = BENCH_ALARM_RECOVERED, .closed = 5000}};
	struct bench_alarm alarms[] = {{.since = 1000, .metrics = &metrics[0], .metric_count = 1},
				       {.since = 3000, .metrics = &metrics[1], .metric_count = 1}};
	struct bench_excluded *excluded;
	struct bench_arena arena = {0};

	(void)state;
	assert_int_equal(bench_compare_alarms_excluded(alarms, 2, INT64_MAX, &arena, &excluded), 2);
	assert_false(excluded[0].teaches_spread || excluded[1].teaches_spread);
	alarms[1].since = 6000;
	metrics[1].closed = 7000;
	assert_int_equal(bench_compare_alarms_excluded(alarms, 2, INT64_MAX, &arena, &excluded), 2);
	assert_true(excluded[0].teaches_spread && excluded[1].teaches_spread);
	/* For the run with which the second one recovers there is one so far. */
	assert_int_equal(bench_compare_alarms_excluded(alarms, 2, 7000, &arena, &excluded), 2);
	assert_false(excluded[0].teaches_spread || excluded[1].teaches_spread);
	bench_arena_free(&arena);
}

static void a_run_that_is_looked_at_again_is_under_the_alarms_of_its_time(void **state)
{
	struct nights nights = {0};

	(void)state;
	PASS(&nights, "1", {"a", BENCH_SLOWER, 1.2});
	PASS(&nights, "2", {"a", BENCH_SLOWER, 1.2});
	PASS(&nights, "3", {"a", BENCH_SAME, 1});
	bench_compare_alarms_tell(nights.alarms, nights.count, "run-0", 0, nights.comparison);
	assert_null(alarm_of(&nights, "a"));
	bench_compare_alarms_tell(nights.alarms, nights.count, "run-1", 1000, nights.comparison);
	assert_true(alarm_of(&nights, "a")->is_new);
	bench_compare_alarms_tell(nights.alarms, nights.count, "run-2", 2000, nights.comparison);
	assert_false(alarm_of(&nights, "a")->is_new || alarm_of(&nights, "a")->recovered);
	bench_compare_alarms_tell(nights.alarms, nights.count, "run-3", 3000, nights.comparison);
	assert_true(alarm_of(&nights, "a")->recovered);
	bench_compare_alarms_tell(nights.alarms, nights.count, "run-4", 4000, nights.comparison);
	assert_null(alarm_of(&nights, "a"));
	end(&nights);
}

/* The comparison itself: a run that is excluded is no baseline, and of the others the newest count. */
static void excluded_runs_are_no_baseline(void **state)
{
	const double levels[] = {1.5e-3, 1.5e-3, 1e-3, 1e-3, 3e-3};
	struct bench_excluded excluded = {.key = TIME_0, .since = 400, .until = INT64_MAX};
	struct bench_compare_options options = nightly;
	struct bench_run *runs[5], *candidate = made_run("tonight");
	struct bench_comparison *comparison;
	struct bench_error error;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		char id[8];
		snprintf(id, sizeof(id), "n%u", i);
		runs[i] = made_run(id);
		runs[i]->started = 500 - 100 * i; /* newest first */
		add_time(runs[i], 0, levels[i], 8, i);
	}
	add_time(candidate, 0, 1.5e-3, 8, 9);
	options.excluded = &excluded;
	options.excluded_count = 1;
	options.newest = 2;
	assert_int_equal(bench_compare_runs((const struct bench_run *const *)(uintptr_t)runs, 5, "rolling:2",
					    candidate, &options, &comparison, &error),
			 0);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, 16);
	assert_true(fabs(find(comparison, TIME_0)->ratio - 1.5) < 0.05);
	bench_compare_free(comparison);
	/* With nothing else to compare with, it says why. */
	assert_int_equal(bench_compare_runs((const struct bench_run *const *)(uintptr_t)runs, 2, "rolling:2",
					    candidate, &options, &comparison, &error),
			 0);
	assert_kind(comparison, TIME_0, BENCH_UNCLEAR);
	assert_reason(find(comparison, TIME_0), "an alarm was open");
	bench_compare_free(comparison);
	for (unsigned i = 0; i < 5; i++)
		bench_record_free(runs[i]);
	bench_record_free(candidate);
}

/* What hooks are told of an alarm of one metric, as it is and after the event that they were told last. */
static void each_event_is_due_once_and_in_order(void **state)
{
	static const struct {
		const char *told; /* NULL: nobody is told */
		enum bench_alarm_state metric;
		unsigned nights, days;
		const char *due;
	} cases[] = {
		{NULL, BENCH_ALARM_OPEN, 9, 9, ""},
		{NULL, BENCH_ALARM_RECOVERED, 9, 9, ""},
		{"", BENCH_ALARM_OPEN, 1, 0, "opened "},
		{"", BENCH_ALARM_OPEN, 9, 9, "opened "},
		{"opened", BENCH_ALARM_OPEN, 1, 0, ""},
		{"opened", BENCH_ALARM_OPEN, 2, 1, "second-night "},
		{"second-night", BENCH_ALARM_OPEN, 6, 6, ""},
		{"second-night", BENCH_ALARM_OPEN, 6, 7, "week-old "},
		{"opened", BENCH_ALARM_OPEN, 2, 7, "week-old "},
		{"week-old", BENCH_ALARM_OPEN, 30, 30, ""},
		{"opened", BENCH_ALARM_RECOVERED, 1, 1, "recovered "},
		{"week-old", BENCH_ALARM_ACCEPTED, 9, 9, "accepted "},
		{"", BENCH_ALARM_RECOVERED, 1, 1, "opened recovered "},
		{"", BENCH_ALARM_ACCEPTED, 1, 1, "opened accepted "},
		{"recovered", BENCH_ALARM_RECOVERED, 1, 30, ""},
		{"accepted", BENCH_ALARM_ACCEPTED, 1, 30, ""},
		{"accepted", BENCH_ALARM_OPEN, 3, 9, "opened "},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_alarm_metric metric = {.state = cases[i].metric, .nights = cases[i].nights};
		const struct bench_alarm alarm = {.told = (char *)(uintptr_t)cases[i].told,
						  .since = 1000,
						  .metrics = &metric,
						  .metric_count = 1};
		enum bench_alarm_event events[BENCH_ALARM_MOST_DUE];
		char due[64] = "";
		const size_t count =
			bench_record_alarm_due(&alarm, 1000 + 86400 * (int64_t)cases[i].days, events);
		for (size_t e = 0; e < count; e++) {
			snprintf(due + strlen(due), sizeof(due) - strlen(due), "%s ",
				 bench_record_alarm_event_name(events[e]));
		}
		if (strcmp(due, cases[i].due) != 0)
			fail_msg("case %zu: '%s', not '%s'", i, due, cases[i].due);
	}
}

static void what_became_of_alarms_is_counted_by_suite_and_owner(void **state)
{
	char gemm[] = "gemm/x/n=1/time", spmv[] = "spmv/x/n=1/time";
	struct bench_alarm_metric first[] = {{.key = gemm, .state = BENCH_ALARM_RECOVERED, .closed = 86400}},
				  second[] = {{.key = gemm, .state = BENCH_ALARM_ACCEPTED, .closed = 259200},
					      {.key = spmv, .state = BENCH_ALARM_OPEN}};
	const struct bench_alarm alarms[] = {{.metrics = first, .metric_count = 1},
					     {.metrics = second, .metric_count = 2}};
	const struct bench_metric_rule rule = {.pattern = "gemm/*", .owner = "@us"};
	const struct bench_compare_options options = {.rules = &rule, .rule_count = 1};
	struct bench_arena arena = {0};
	struct bench_alarm_stats *rows;
	size_t count;
	(void)state;
	bench_compare_alarm_stats(alarms, 2, &options, 432000, &arena, &rows, &count);
	static const struct bench_alarm_stats expected[] = {{"all", "", 2, 0, 1, 1, 3, 5},
							    {"suite", "gemm", 2, 1, 1, 0, 2, 3},
							    {"suite", "spmv", 1, 0, 0, 1, 5, 5},
							    {"owner", "@us", 2, 1, 1, 0, 2, 3}};
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(rows[i].by, expected[i].by);
		assert_string_equal(rows[i].name, expected[i].name);
		assert_int_equal(rows[i].opened, expected[i].opened);
		assert_int_equal(rows[i].accepted, expected[i].accepted);
		assert_int_equal(rows[i].recovered, expected[i].recovered);
		assert_int_equal(rows[i].open, expected[i].open);
		assert_true(rows[i].days_median == expected[i].days_median);
		assert_true(rows[i].days_longest == expected[i].days_longest);
	}
	bench_compare_alarm_stats(NULL, 0, &options, 0, &arena, &rows, &count);
	assert_int_equal(count, 1);
	assert_true(isnan(rows[0].days_median) && isnan(rows[0].days_longest));
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_became_slower_in_one_run_is_one_alarm),
		cmocka_unit_test(what_the_nights_show_together_is_an_alarm_from_its_first_run_on),
		cmocka_unit_test(it_stays_open_until_the_old_level_is_back),
		cmocka_unit_test(a_drift_has_not_recovered_because_last_week_was_like_it),
		cmocka_unit_test(against_a_history_it_takes_two_nights_to_recover),
		cmocka_unit_test(a_level_shift_back_is_a_recovery),
		cmocka_unit_test(a_second_step_is_an_alarm_above_the_first),
		cmocka_unit_test(beside_an_anchor_a_second_step_is_an_alarm_above_the_first),
		cmocka_unit_test(beside_an_anchor_two_nights_together_show_a_recovery),
		cmocka_unit_test(what_is_certainly_not_slower_has_recovered),
		cmocka_unit_test(a_level_that_recurs_is_no_shift),
		cmocka_unit_test(nights_of_alarms_that_come_and_go_teach_the_spread),
		cmocka_unit_test(slower_again_after_recovery_is_a_new_alarm),
		cmocka_unit_test(another_commit_is_another_alarm_and_the_same_one_is_not),
		cmocka_unit_test(a_run_that_is_judged_twice_counts_once),
		cmocka_unit_test(runs_under_an_alarm_are_excluded_until_it_is_closed),
		cmocka_unit_test(alarms_that_recover_at_two_times_teach_how_far_nights_differ),
		cmocka_unit_test(a_run_that_is_looked_at_again_is_under_the_alarms_of_its_time),
		cmocka_unit_test(excluded_runs_are_no_baseline),
		cmocka_unit_test(each_event_is_due_once_and_in_order),
		cmocka_unit_test(what_became_of_alarms_is_counted_by_suite_and_owner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
