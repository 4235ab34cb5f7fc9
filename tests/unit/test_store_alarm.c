/* SPDX-License-Identifier: MIT */
/* Alarms as they are kept. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_fixture.h"

static struct bench_alarm *make_alarm(struct bench_arena *arena, const char *first_bad, long long since,
				      const char *const *keys, size_t count)
{
	struct bench_alarm *alarm = bench_arena_alloc(arena, 1, sizeof(*alarm));
	*alarm = (struct bench_alarm){.fingerprint = bench_arena_string(arena, "host"),
				      .track = bench_arena_string(arena, "preset=nightly;"),
				      .first_bad = bench_arena_string(arena, first_bad),
				      .last_good = bench_arena_string(arena, "good"),
				      .bad_commit = bench_arena_string(arena, "b0b0"),
				      .good_commit = bench_arena_string(arena, "a0a0"),
				      .culprit = bench_arena_string(arena, ""),
				      .since = since};
	for (size_t i = 0; i < count; i++) {
		struct bench_alarm_metric *metric =
			bench_arena_push(arena, &alarm->metrics, &alarm->metric_count, sizeof(*metric));
		*metric = (struct bench_alarm_metric){.key = bench_arena_string(arena, keys[i]),
						      .unit = bench_arena_string(arena, "s"),
						      .level = 1e-3,
						      .ratio = 1.2,
						      .lo = 1.1,
						      .hi = 1.3,
						      .last_ratio = NAN,
						      .last_lo = NAN,
						      .last_hi = NAN,
						      .last_run = bench_arena_string(arena, first_bad),
						      .nights = 1,
						      .closed_run = bench_arena_string(arena, ""),
						      .why = bench_arena_string(arena, "")};
	}
	return alarm;
}

static size_t load(struct bench_store *store, const char *host, const char *track, bool open,
		   struct bench_arena *arena, struct bench_alarm **alarms)
{
	size_t count;
	must(bench_store_alarms(store, host, track, open, arena, alarms, &count, &error));
	return count;
}

static void an_alarm_reads_back_as_it_was_kept(void **state)
{
	static const char *const keys[] = {"a/time", "b/time"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_alarm *alarm = make_alarm(&arena, "bad", 2000, keys, 2), *alarms;
	assert_int_equal(load(store, NULL, NULL, false, &arena, &alarms), 0);
	must(bench_store_alarm_keep(store, alarm, &error));
	assert_true(alarm->id > 0);
	assert_int_equal(load(store, "host", "preset=nightly;", true, &arena, &alarms), 1);
	assert_int_equal(alarms[0].id, alarm->id);
	assert_string_equal(alarms[0].fingerprint, "host");
	assert_string_equal(alarms[0].first_bad, "bad");
	assert_string_equal(alarms[0].last_good, "good");
	assert_string_equal(alarms[0].bad_commit, "b0b0");
	assert_string_equal(alarms[0].good_commit, "a0a0");
	assert_int_equal(alarms[0].since, 2000);
	assert_int_equal(alarms[0].metric_count, 2);
	const struct bench_alarm_metric *metric = &alarms[0].metrics[1];
	assert_string_equal(metric->key, "b/time");
	assert_string_equal(metric->unit, "s");
	assert_int_equal(metric->state, BENCH_ALARM_OPEN);
	assert_true(metric->level == 1e-3 && metric->ratio == 1.2 && metric->lo == 1.1 && metric->hi == 1.3);
	assert_true(isnan(metric->last_ratio));
	assert_int_equal(metric->nights, 1);
	assert_true(query(state, "SELECT count(*) FROM alarm_metric WHERE closed IS NULL") == 2);
	assert_int_equal(load(store, "elsewhere", NULL, false, &arena, &alarms), 0);
	assert_int_equal(load(store, NULL, "preset=quick;", false, &arena, &alarms), 0);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void an_alarm_is_open_while_one_of_its_metrics_is(void **state)
{
	static const char *const keys[] = {"a/time", "b/time"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_alarm *alarms, *alarm = make_alarm(&arena, "bad", 2000, keys, 2);
	must(bench_store_alarm_keep(store, make_alarm(&arena, "later", 3000, keys, 1), &error));
	must(bench_store_alarm_keep(store, alarm, &error));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(load(store, "host", NULL, true, &arena, &alarms), 2);
		assert_string_equal(alarms[0].first_bad, "bad");
		alarm->metrics[i].state = BENCH_ALARM_RECOVERED;
		alarm->metrics[i].closed_run = bench_arena_string(&arena, "back");
		alarm->metrics[i].closed = 5000;
		alarm->metrics[i].nights = 4;
		must(bench_store_alarm_keep(store, alarm, &error));
	}
	assert_int_equal(load(store, "host", NULL, true, &arena, &alarms), 1);
	assert_string_equal(alarms[0].first_bad, "later");
	assert_int_equal(load(store, "host", NULL, false, &arena, &alarms), 2);
	assert_int_equal(alarms[0].metrics[0].state, BENCH_ALARM_RECOVERED);
	assert_int_equal(alarms[0].metrics[0].closed, 5000);
	assert_int_equal(alarms[0].metrics[0].nights, 4);
	assert_string_equal(alarms[0].metrics[0].closed_run, "back");
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A gate that measured for an hour does not open again what was accepted meanwhile. */
static void what_others_have_accepted_or_found_stays(void **state)
{
	static const char *const keys[] = {"a/time"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_alarm *alarms, *stale = make_alarm(&arena, "bad", 2000, keys, 1),
				    *fresh = make_alarm(&arena, "bad", 2000, keys, 1);
	must(bench_store_alarm_keep(store, stale, &error));
	fresh->metrics[0].state = BENCH_ALARM_ACCEPTED;
	fresh->metrics[0].why = bench_arena_string(&arena, "so");
	fresh->culprit = bench_arena_string(&arena, "c0c0");
	must(bench_store_alarm_keep(store, fresh, &error));
	assert_int_equal(fresh->id, stale->id);
	must(bench_store_alarm_keep(store, stale, &error));
	assert_int_equal(load(store, NULL, NULL, false, &arena, &alarms), 1);
	assert_int_equal(alarms[0].metrics[0].state, BENCH_ALARM_ACCEPTED);
	assert_string_equal(alarms[0].metrics[0].why, "so");
	assert_string_equal(alarms[0].culprit, "c0c0");
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void processes_that_keep_the_same_alarm_at_once_make_one(void **state)
{
	static const char *const keys[] = {"a/time", "b/time", "c/time", "d/time"};
	struct bench_arena arena = {0};
	struct bench_alarm *alarms;
	pid_t children[4];
	bench_store_close(open_store(state));
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct bench_store *store = NULL;
			bool kept = bench_store_open(store_path(state, "results.db"), BENCH_STORE_WRITE,
						     &store, &error) == 0 &&
				    bench_store_alarm_keep(
					    store, make_alarm(&arena, "bad", 2000, keys + i, 1), &error) == 0;
			_exit(kept ? 0 : 1);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	struct bench_store *store = open_store(state);
	assert_int_equal(load(store, NULL, NULL, true, &arena, &alarms), 1);
	assert_int_equal(alarms[0].metric_count, 4);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void a_damaged_state_is_refused_by_name(void **state)
{
	static const char *const keys[] = {"a/time"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_alarm *alarms;
	size_t count;
	must(bench_store_alarm_keep(store, make_alarm(&arena, "bad", 2000, keys, 1), &error));
	run_sql(state, "results.db", "UPDATE alarm_metric SET state = 'ajar'");
	assert_int_equal(bench_store_alarms(store, NULL, NULL, false, &arena, &alarms, &count, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "the alarm on 'a/time' has the state 'ajar'"));
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A gate that has read the alarm before keeps it as it is. */
static void what_why_has_said_stays(void **state)
{
	static const char *const keys[] = {"a/time"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_alarm *alarm = make_alarm(&arena, "bad", 2000, keys, 1), *alarms;
	must(bench_store_alarm_keep(store, alarm, &error));
	load(store, NULL, NULL, true, &arena, &alarms);
	assert_string_equal(alarms[0].cause, "");
	must(bench_store_alarm_explained(store, alarm->id, "slower by 8%: page faults 0 -> 64", &error));
	must(bench_store_alarm_keep(store, alarm, &error));
	load(store, NULL, NULL, true, &arena, &alarms);
	assert_string_equal(alarms[0].cause, "slower by 8%: page faults 0 -> 64");
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A gate that knows nothing of hooks, and reads the alarm before they are told, takes nothing back. */
static void what_hooks_were_told_stays(void **state)
{
	static const char *const keys[] = {"a/time"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_alarm *alarm = make_alarm(&arena, "bad", 2000, keys, 1), *alarms;
	must(bench_store_alarm_keep(store, alarm, &error));
	load(store, NULL, NULL, true, &arena, &alarms);
	assert_null(alarms[0].told);
	alarm->told = bench_arena_string(&arena, "");
	must(bench_store_alarm_keep(store, alarm, &error));
	load(store, NULL, NULL, true, &arena, &alarms);
	assert_string_equal(alarms[0].told, "");
	must(bench_store_alarm_told(store, alarm->id, "opened", &error));
	must(bench_store_alarm_keep(store, alarm, &error));
	alarm->told = NULL;
	must(bench_store_alarm_keep(store, alarm, &error));
	load(store, NULL, NULL, true, &arena, &alarms);
	assert_string_equal(alarms[0].told, "opened");
	bench_arena_free(&arena);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(an_alarm_reads_back_as_it_was_kept),
		in_scratch(an_alarm_is_open_while_one_of_its_metrics_is),
		in_scratch(what_others_have_accepted_or_found_stays),
		in_scratch(processes_that_keep_the_same_alarm_at_once_make_one),
		in_scratch(a_damaged_state_is_refused_by_name),
		in_scratch(what_why_has_said_stays),
		in_scratch(what_hooks_were_told_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
