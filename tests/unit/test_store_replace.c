/* SPDX-License-Identifier: MIT */
/* A run that was taken in before it was whole: the more complete record takes the place of the other, and
 * never the other way round. */
#include "store_fixture.h"

/* What the fixture's first `events` say, of a run that was killed then. */
static struct bench_run *part_of_run(const char *id, long long started, size_t events)
{
	struct bench_run *run = fixture_head(id, started);
	for (size_t i = 0; i < events; i++)
		fixture_must_apply(run, fixture_events[i]);
	bench_record_finalise(run);
	return run;
}

#define FIRST_INVOCATION 27 /* events: all but those of the second invocation */

static struct bench_run *interrupted_run(const char *id, long long started, long long finished)
{
	struct bench_run *run = part_of_run(id, started, FIRST_INVOCATION);
	run->finished = finished;
	run->interrupted = true;
	return run;
}

static bool ingest(struct bench_store *store, struct bench_run *run)
{
	bool added;
	must(bench_store_ingest(store, run, &added, &error));
	bench_record_free(run);
	return added;
}

static void must_be_stored(struct bench_store *store, struct bench_run *expected)
{
	struct bench_run *back;
	must(bench_store_load(store, expected->id, &back, &error));
	assert_same_run(expected, back);
	bench_record_free(expected);
	bench_record_free(back);
}

static void must_be_whole(struct bench_store *store)
{
	struct bench_store_finding *findings;
	struct bench_arena arena = {0};
	size_t count;
	must(bench_store_examine(store, &arena, &findings, &count, &error));
	if (count > 0)
		fail_msg("%s: %s", findings[0].what, findings[0].problem);
	bench_arena_free(&arena);
}

static void whole_run_replaces_a_part_of_it(void **state)
{
	struct bench_store *store = open_store(state);
	assert_true(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	assert_true(query(state, "SELECT finished IS NULL FROM run") == 1);
	assert_true(ingest(store, fixture_run("a", 10)));
	must_be_stored(store, fixture_run("a", 10));
	assert_true(query(state, "SELECT count(*) FROM run") == 1);
	assert_true(query(state, "SELECT count(*) FROM result") == 5);
	assert_false(ingest(store, fixture_run("a", 10)));
	must_be_whole(store);
	bench_store_close(store);
}

static void part_never_replaces_what_has_come_further(void **state)
{
	struct bench_store *store = open_store(state);
	assert_true(ingest(store, part_of_run("a", 10, 5)));
	assert_true(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	assert_false(ingest(store, part_of_run("a", 10, 5)));
	assert_true(ingest(store, interrupted_run("a", 10, 100)));
	assert_false(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	assert_true(ingest(store, interrupted_run("a", 10, 200)));
	assert_false(ingest(store, interrupted_run("a", 10, 100)));
	assert_true(ingest(store, fixture_run("a", 10)));
	assert_false(ingest(store, interrupted_run("a", 10, 2000000000)));
	assert_false(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	must_be_stored(store, fixture_run("a", 10));
	must_be_whole(store);
	bench_store_close(store);
}

static void part_of_another_run_of_that_id_is_not_replaced(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *other = fixture_run("a", 11);
	bool added = true;
	assert_true(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	assert_int_equal(bench_store_ingest(store, other, &added, &error), -1);
	assert_false(added);
	assert_non_null(strstr(error.text, "has another run 'a'"));
	must_be_stored(store, part_of_run("a", 10, FIRST_INVOCATION));
	bench_record_free(other);
	bench_store_close(store);
}

/* Of one host and one second, in another folder: an id is no more than that. */
static void other_run_of_the_same_second_is_refused_not_taken_for_the_first(void **state)
{
	static const size_t parts[] = {FIRST_INVOCATION, FIXTURE_EVENTS};
	for (size_t i = 0; i < 2; i++) {
		struct bench_store *store = open_store(state);
		struct bench_run *other = fixture_run("a", 10);
		bool added = true;
		ingest(store, part_of_run("a", 10, parts[i]));
		other->results[0].metrics[0].series[0].values[0] *= 2;
		assert_int_equal(bench_store_ingest(store, other, &added, &error), -1);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, "has another run 'a'"));
		assert_false(added);
		must_be_stored(store, part_of_run("a", 10, parts[i]));
		bench_record_free(other);
		bench_store_close(store);
	}
}

/* Baselines stay; verdicts on the part, which are none on the whole, do not. */
static void what_refers_to_a_run_stays_when_it_is_replaced(void **state)
{
	const struct bench_verdict_row verdict = {"k",  "slower", 1.3,  1.2, 1.4, 0.001,
						  0.04, 0.05,     0.99, "",  ""};
	const struct bench_accepted_row shift = {
		.pattern = "*", .why = "so", .since = 10, .run = "a", .fingerprint = ""};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_baseline_row *rows;
	char *const ids[] = {(char *)"b", (char *)"a"};
	size_t count;
	assert_true(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	assert_true(ingest(store, fixture_run("b", 20)));
	must(bench_store_baseline_set(store, "main", ids, 2, &error));
	must(bench_store_accept(store, &shift, &error));
	must(bench_store_keep_verdicts(store, "a", "main", &verdict, 1, &error));
	must(bench_store_keep_verdicts(store, "b", "main", &verdict, 1, &error));
	assert_true(ingest(store, fixture_run("a", 10)));
	must(bench_store_baselines(store, &arena, &rows, &count, &error));
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].run_count, 2);
	assert_string_equal(rows[0].runs[1], "a");
	assert_true(query(state, "SELECT count(*) FROM accepted") == 1);
	assert_true(query(state, "SELECT count(*) FROM verdict") == 1);
	assert_true(query(state, "SELECT count(*) FROM verdict JOIN run USING (run) WHERE id = 'b'") == 1);
	must_be_whole(store);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A refusal deep in the transaction leaves the part, and what was judged by it. */
static void replacement_that_fails_changes_nothing(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	bool added = true;
	assert_true(ingest(store, part_of_run("a", 10, FIRST_INVOCATION)));
	struct bench_result *result = &run->results[1];
	struct bench_metric *twice = bench_arena_push(&run->arena, &result->metrics, &result->metric_count,
						      sizeof(*result->metrics));
	*twice = result->metrics[0];
	assert_int_equal(bench_store_ingest(store, run, &added, &error), -1);
	assert_false(added);
	must_be_stored(store, part_of_run("a", 10, FIRST_INVOCATION));
	must_be_whole(store);
	bench_record_free(run);
	bench_store_close(store);
}

static void transactions_nest_and_fail_together(void **state)
{
	char *const ids[] = {(char *)"a"};
	struct bench_store *store = open_store(state);
	assert_true(ingest(store, fixture_run("a", 10)));
	must(bench_store_begin(store, &error));
	must(bench_store_baseline_set(store, "one", ids, 1, &error));
	/* The inner one alone is taken back. */
	assert_int_equal(bench_store_baseline_remove(store, "two", &error), -1);
	must(bench_store_end(store, 0, &error));
	assert_true(query(state, "SELECT count(*) FROM baseline") == 1);
	must(bench_store_begin(store, &error));
	must(bench_store_baseline_set(store, "two", ids, 1, &error));
	assert_int_equal(bench_store_end(store, -1, &error), -1);
	assert_true(query(state, "SELECT count(*) FROM baseline") == 1);
	must_be_whole(store);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(whole_run_replaces_a_part_of_it),
		in_scratch(part_never_replaces_what_has_come_further),
		in_scratch(part_of_another_run_of_that_id_is_not_replaced),
		in_scratch(other_run_of_the_same_second_is_refused_not_taken_for_the_first),
		in_scratch(what_refers_to_a_run_stays_when_it_is_replaced),
		in_scratch(replacement_that_fails_changes_nothing),
		in_scratch(transactions_nest_and_fail_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
