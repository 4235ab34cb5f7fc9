/* SPDX-License-Identifier: MIT */
/* The history: what goes in comes out, once, whoever asks. */
#include <math.h>

#include "store_fixture.h"

/* Ingests the fixture under that id. */
static bool ingest(struct bench_store *store, const char *id, long long started)
{
	bool added = false;
	struct bench_run *run = fixture_run(id, started);
	must(bench_store_ingest(store, run, &added, &error));
	bench_record_free(run);
	return added;
}

static void loaded_run_is_the_one_that_was_ingested(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("20261120-231503", 1764000000), *back = NULL;
	bool added = false;
	run->folder = bench_arena_string(&run->arena, "/somewhere/runs/20261120-231503");
	must(bench_store_ingest(store, run, &added, &error));
	assert_true(added);
	bench_store_close(store);
	must(bench_store_open(store_path(state, "results.db"), BENCH_STORE_READ, &store, &error));
	must(bench_store_load(store, run->id, &back, &error));
	assert_same_run(run, back);
	assert_string_equal(back->folder, run->folder);
	bench_record_free(run);
	bench_record_free(back);
	bench_store_close(store);
}

static void incorrect_and_unfinished_runs_come_back_as_they_were(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_head("cut", 5), *back = NULL;
	bool added;
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_CASE(1, "opencl", "pocl-cpu", "2"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_CHECK(0, 0, null));
	bench_record_finalise(run);
	must(bench_store_ingest(store, run, &added, &error));
	must(bench_store_load(store, "cut", &back, &error));
	assert_int_equal(back->results[0].status, BENCH_STATUS_INCORRECT);
	assert_true(isnan(back->results[0].check.error));
	assert_same_run(run, back);
	bench_record_free(run);
	bench_record_free(back);
	bench_store_close(store);
}

static void samples_keep_every_bit(void **state)
{
	static const double values[] = {5e-324, 1.7976931348623157e308, 0.1, -0.0, 0.30000000000000004};
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_head("bits", 5), *back = NULL;
	bool added;
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	for (int i = 0; i < 5000; i++) {
		char line[256];
		snprintf(line, sizeof(line),
			 "{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"time\",\"value\":%."
			 "17g,"
			 "\"iterations\":1}",
			 i < 5 ? values[i] : 1.0 / (i + 3));
		fixture_must_apply(run, line);
	}
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", ""));
	bench_record_finalise(run);
	must(bench_store_ingest(store, run, &added, &error));
	must(bench_store_load(store, "bits", &back, &error));
	assert_same_run(run, back);
	assert_same_real(back->results[0].metrics[0].series[0].values[3], -0.0);
	bench_record_free(run);
	bench_record_free(back);
	bench_store_close(store);
}

static void second_ingest_of_a_run_adds_nothing(void **state)
{
	struct bench_store *store = open_store(state);
	assert_true(ingest(store, "a", 10));
	double metrics = query(state, "SELECT count(*) FROM metric");
	assert_false(ingest(store, "a", 10));
	assert_true(query(state, "SELECT count(*) FROM run") == 1);
	assert_true(query(state, "SELECT count(*) FROM metric") == metrics);
	bench_store_close(store);
}

static void other_run_of_the_same_id_is_refused_not_lost(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	bool added = true;
	ingest(store, "a", 10);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "fingerprint", "beef");
	assert_int_equal(bench_store_ingest(store, run, &added, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "has another run 'a'"));
	assert_false(added);
	/* The refusal has ended its transaction. */
	assert_true(ingest(store, "b", 11));
	bench_record_free(run);
	bench_store_close(store);
}

static void refused_ingest_leaves_nothing_behind(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = fixture_run("a", 10);
	bool added = true;
	/* A metric that is there twice breaks a rule of the schema, deep in the transaction. */
	struct bench_result *result = &run->results[1];
	struct bench_metric *twice = bench_arena_push(&run->arena, &result->metrics, &result->metric_count,
						      sizeof(*result->metrics));
	*twice = result->metrics[0];
	assert_int_equal(bench_store_ingest(store, run, &added, &error), -1);
	assert_false(added);
	assert_true(query(state, "SELECT count(*) FROM run") == 0);
	assert_true(query(state, "SELECT count(*) FROM metric_key") == 0);
	assert_true(ingest(store, "a", 10));
	bench_record_free(run);
	bench_store_close(store);
}

static void last_counts_back_by_start_then_by_the_number_in_the_second(void **state)
{
	static const char *const expected[] = {"20261120-000002", "20261120-000001-10", "20261120-000001-2",
					       "20261120-000001"};
	struct bench_store *store = open_store(state);
	char id[64];
	assert_int_equal(bench_store_last(store, 0, id, sizeof(id), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	ingest(store, "20261120-000001-10", 1);
	ingest(store, "20261120-000002", 2);
	ingest(store, "20261120-000001", 1);
	ingest(store, "20261120-000001-2", 1);
	for (unsigned i = 0; i < 4; i++) {
		must(bench_store_last(store, i, id, sizeof(id), &error));
		assert_string_equal(id, expected[i]);
	}
	assert_int_equal(bench_store_last(store, 4, id, sizeof(id), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_store_close(store);
}

static void runs_before_one_are_finished_newest_first_and_not_aside(void **state)
{
	static const char *const expected[] = {"c-2", "c", "b"};
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_older_run *runs;
	size_t count;
	const struct {
		const char *id, *aside;
		long long started, finished;
	} made[] = {{"c-3", NULL, 3, 4}, {"b", NULL, 2, 3},         {"c-2", NULL, 3, 4}, {"c", NULL, 3, 4},
		    {"d", NULL, 4, 5},   {"a", "confirms b", 2, 3}, {"cut", NULL, 1, 0}};
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		struct bench_run *run = labelled_run(made[i].id, made[i].started, made[i].aside);
		run->finished = made[i].finished;
		must_ingest(store, run);
	}
	must(bench_store_runs_before(store, "f00d", "quick", "c-3", 3, &arena, &runs, &count, &error));
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(runs[i].id, expected[i]);
	assert_int_equal(runs[2].started, 2);
	must(bench_store_runs_before(store, "f00d", "quick", "", 0, &arena, &runs, &count, &error));
	assert_int_equal(count, 5);
	must(bench_store_runs_before(store, "beef", "quick", "", 0, &arena, &runs, &count, &error));
	assert_int_equal(count, 0);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void medians_are_loaded_without_samples_and_what_is_derived(void **state)
{
	struct bench_store *store = open_store(state);
	ingest(store, "a", 10);
	char *const ids[] = {(char *)"a", (char *)"b"}, *const unknown[] = {(char *)"a", (char *)"c"};
	struct bench_run *runs[2];
	struct bench_arena arena = {0};
	ingest(store, "b", 20);
	must(bench_store_load_medians(store, ids, 2, &arena, runs, &error));
	for (size_t i = 0; i < 2; i++) {
		const struct bench_result *result = &runs[i]->results[0];
		const struct bench_metric *time = bench_record_metric(result, "time");
		assert_string_equal(runs[i]->id, ids[i]);
		assert_int_equal(runs[i]->result_count, 5);
		assert_int_equal(result->status, BENCH_STATUS_OK);
		assert_non_null(time);
		assert_true(fabs(time->summary.median - 0.25) < 1e-15);
		assert_int_equal(time->series_count, 2);
		assert_int_equal(time->series[0].count, 1);
		assert_same_real(time->series[0].values[0], 0.30000000000000004);
		assert_int_equal(time->series[1].invocation, 1);
		assert_null(bench_record_metric(result, "flop_rate"));
	}
	/* What they share is there once. */
	assert_ptr_equal(runs[0]->results[0].key, runs[1]->results[0].key);
	bench_record_free(runs[0]);
	bench_record_free(runs[1]);
	assert_int_equal(bench_store_load_medians(store, unknown, 2, &arena, runs, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void unknown_run_names_the_nearest(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *run = NULL;
	assert_int_equal(bench_store_load(store, "20261120-231503", &run, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "there are none"));
	ingest(store, "20261120-231503", 1);
	ingest(store, "19990101-000000", 2);
	assert_int_equal(bench_store_load(store, "20261120-231504", &run, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "the nearest is '20261120-231503'"));
	assert_int_equal(bench_store_load(store, "x", &run, &error), -1);
	assert_non_null(strstr(error.text, "there are: 19990101-000000, 20261120-231503"));
	bench_store_close(store);
}

static void runs_are_listed_newest_first_with_what_was_in_them(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_run_row *rows;
	size_t count;
	ingest(store, "a", 10);
	ingest(store, "b", 20);
	struct bench_run *run = fixture_run("c", 30);
	bool added;
	struct bench_attribute pair = {(char *)"n", (char *)"1"};
	bench_record_add_case(run, "attention", "host", "host", &pair, 1, NULL)->status = BENCH_STATUS_FAILED;
	run->finished = 0;
	must(bench_store_ingest(store, run, &added, &error));
	must(bench_store_runs(store, 2, &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].id, "c");
	assert_string_equal(rows[0].suites, "gemm,attention");
	assert_int_equal(rows[0].results, 6);
	assert_int_equal(rows[0].not_ok, 1);
	assert_int_equal(rows[0].finished, 0);
	assert_string_equal(rows[1].id, "b");
	assert_string_equal(rows[1].host, "one");
	assert_string_equal(rows[1].branch, "main");
	assert_true(rows[1].dirty);
	assert_int_equal(rows[1].not_ok, 0);
	must(bench_store_runs(store, 0, &arena, &rows, &count, &error));
	assert_int_equal(count, 3);
	bench_record_free(run);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void history_is_by_key_then_oldest_first(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_point *points;
	size_t count;
	ingest(store, "later", 20);
	ingest(store, "sooner", 10);
	must(bench_store_history(store, "*m=1024,alpha=0.1/time", &arena, &points, &count, &error));
	assert_int_equal(count, 4);
	static const char *const keys[] = {"gemm/openblas:some-cpu/dtype=f32,m=1024,alpha=0.1/time",
					   "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1/time"};
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(points[i].key, keys[i / 2]);
		assert_string_equal(points[i].run, i % 2 ? "later" : "sooner");
		assert_int_equal(points[i].started, i % 2 ? 20 : 10);
		assert_string_equal(points[i].unit, "s");
		assert_int_equal(points[i].better, BENCH_BETTER_LOWER);
	}
	/* Of the fixture: the median of 0.3 and 0.2, and the ends of its interval. */
	assert_true(fabs(points[2].median - 0.25) < 1e-15);
	assert_same_real(points[2].ci_lo, 0.2);
	assert_same_real(points[2].ci_hi, 0.30000000000000004);
	must(bench_store_history(store, "*/bandwidth", &arena, &points, &count, &error));
	assert_int_equal(count, 4);
	assert_int_equal(points[0].better, BENCH_BETTER_HIGHER);
	must(bench_store_history(store, "*/accuracy", &arena, &points, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(points[0].unit, "share");
	assert_int_equal(points[0].better, BENCH_BETTER_HIGHER);
	assert_same_real(points[1].median, 0.97);
	must(bench_store_history(store, "nothing*", &arena, &points, &count, &error));
	assert_int_equal(count, 0);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void metrics_are_listed_once_and_sorted(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	char **keys;
	size_t count;
	ingest(store, "a", 10);
	ingest(store, "b", 20);
	must(bench_store_metrics(store, "gemm/opencl:*alpha=0.1*", &arena, &keys, &count, &error));
	/* Measured: time, latency, device_time, first_call_compile. Derived: flop_rate, bandwidth,
	 * launch_overhead. */
	assert_int_equal(count, 7);
	must(bench_store_metrics(store, "*alpha=0.2/*", &arena, &keys, &count, &error));
	assert_int_equal(count, 4);
	assert_non_null(strstr(keys[0], "/accuracy"));
	for (size_t i = 1; i < count; i++)
		assert_true(strcmp(keys[i - 1], keys[i]) < 0);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void views_join_what_queries_by_hand_ask_for(void **state)
{
	struct bench_store *store = open_store(state);
	ingest(store, "a", 10);
	ingest(store, "b", 20);
	bench_store_close(store);
	assert_true(
		fabs(query(state, "SELECT median FROM history WHERE id = 'b' AND name = 'time' AND key LIKE "
				  "'gemm/opencl:%m=1024,alpha=0.1/time'") -
		     0.25) < 1e-15);
	assert_true(query(state, "SELECT count(*) FROM history WHERE fingerprint = 'f00d' AND unit = 's'") >
		    4);
	assert_true(query(state, "SELECT count(*) FROM outcome WHERE id = 'a'") == 5);
	assert_true(query(state,
			  "SELECT error FROM outcome WHERE id = 'a' AND method = 'elementwise' AND backend = "
			  "'opencl' AND slug = 'pocl-cpu' AND head LIKE '%\"m\":\"1024\"%'") == 2e-6);
	assert_true(query(state, "SELECT count(*) FROM outcome WHERE status = 'unsupported' AND reason LIKE "
				 "'%memory' AND "
				 "suite = 'gemm' AND method IS NULL") == 2);
}

static void views_for_analysis_name_units_and_join_by_case(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_run *aside = labelled_run("c", 1764000000, "power");
	ingest(store, "a", 10);
	ingest(store, "b", 20);
	must_ingest(store, aside);
	bench_store_close(store);
	assert_true(query(state,
			  "SELECT count(*) FROM runs WHERE run = 'c' AND aside = 'power' AND "
			  "started_utc = '2025-11-24 16:00:00' AND started_utc LIKE '2025-11-%'") == 1);
	assert_true(query(state, "SELECT duration_seconds FROM runs WHERE run = 'a'") ==
		    query(state, "SELECT finished - started FROM run WHERE id = 'a'"));
	assert_true(fabs(query(state, "SELECT median_seconds FROM measurements WHERE run = 'b' AND metric = "
				      "'time' AND case_key LIKE 'gemm/opencl:%m=1024,alpha=0.1'") -
			 0.25) < 1e-15);
	/* What is no time is in no column of seconds. */
	assert_true(query(state, "SELECT count(*) FROM measurements WHERE unit = 's'") ==
		    query(state, "SELECT count(median_seconds) FROM measurements"));
	assert_true(query(state, "SELECT count(*) FROM measurements WHERE unit <> 's' AND median > 0") > 0);
	assert_true(query(state, "SELECT count(*) FROM measurements") ==
		    query(state, "SELECT count(*) FROM metric"));
	assert_true(query(state, "SELECT count(*) FROM results") ==
		    query(state, "SELECT count(*) FROM result"));
	assert_true(query(state, "SELECT count(*) FROM measurements AS m WHERE NOT EXISTS (SELECT 1 FROM "
				 "results AS r WHERE r.run = m.run AND r.case_key = m.case_key)") == 0);
	assert_true(query(state, "SELECT count(*) FROM results WHERE run = 'a' AND status = 'ok' AND "
				 "parameters LIKE '%\"m\":\"1024\"%' AND work_flops > 0") > 0);
}

static void baseline_is_set_replaced_and_removed(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_baseline_row *rows;
	size_t count;
	ingest(store, "a", 10);
	ingest(store, "b", 20);
	char *const two[] = {(char *)"b", (char *)"a", (char *)"b"}, *const one[] = {(char *)"a"};
	must(bench_store_baseline_set(store, "main", two, 3, &error));
	must(bench_store_baseline_set(store, "before", one, 1, &error));
	must(bench_store_baselines(store, &arena, &rows, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].name, "before");
	assert_string_equal(rows[1].name, "main");
	assert_int_equal(rows[1].run_count, 2);
	assert_string_equal(rows[1].runs[0], "b");
	assert_string_equal(rows[1].runs[1], "a");
	assert_true(rows[1].created > 1700000000);
	must(bench_store_baseline_set(store, "main", one, 1, &error));
	must(bench_store_baseline_remove(store, "before", &error));
	must(bench_store_baselines(store, &arena, &rows, &count, &error));
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].run_count, 1);
	assert_int_equal(bench_store_baseline_remove(store, "mian", &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "the nearest is 'main'"));
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void baseline_of_an_unknown_run_leaves_the_old_one(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_baseline_row *rows;
	size_t count;
	ingest(store, "a", 10);
	char *const good[] = {(char *)"a"}, *const bad[] = {(char *)"a", (char *)"x"};
	must(bench_store_baseline_set(store, "main", good, 1, &error));
	assert_int_equal(bench_store_baseline_set(store, "main", bad, 2, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_int_equal(bench_store_baseline_set(store, "main", good, 0, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	must(bench_store_baselines(store, &arena, &rows, &count, &error));
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].run_count, 1);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void names_that_mean_something_else_are_no_baselines(void **state)
{
	static const char *const names[] = {"",    "last", "rolling:3", "20261120-231503",
					    "a b", "a/b",  "-x",        "a;"};
	struct bench_store *store = open_store(state);
	char *const ids[] = {(char *)"a"};
	ingest(store, "a", 10);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(bench_store_baseline_set(store, names[i], ids, 1, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
	bench_store_close(store);
}

static void verdicts_replace_those_of_the_same_comparison_only(void **state)
{
	struct bench_store *store = open_store(state);
	const struct bench_verdict_row first[] = {
		{"k1", "same", 1.0, 0.99, 1.01, 0.5, 0.03, 0.05, 0.99, "", "@us"},
		{"k2", "slower", 1.3, 1.2, 1.4, 0.001, INFINITY, 0.08, 0.99, "", ""},
	};
	const struct bench_verdict_row second[] = {
		{"k3", "missing", NAN, NAN, NAN, NAN, NAN, NAN, 0.99, "not measured", ""}};
	ingest(store, "a", 10);
	must(bench_store_keep_verdicts(store, "a", "main", first, 2, &error));
	must(bench_store_keep_verdicts(store, "a", "other", first, 2, &error));
	assert_true(query(state, "SELECT ratio FROM verdict WHERE key = 'k2' AND baseline = 'main'") == 1.3);
	assert_true(isinf(query(state, "SELECT mde FROM verdict WHERE key = 'k2' AND baseline = 'main'")));
	assert_true(query(state, "SELECT threshold FROM verdict WHERE key = 'k2' AND baseline = 'main'") ==
		    0.08);
	must(bench_store_keep_verdicts(store, "a", "main", second, 1, &error));
	assert_true(query(state, "SELECT count(*) FROM verdict WHERE baseline = 'main'") == 1);
	assert_true(query(state, "SELECT count(*) FROM verdict WHERE baseline = 'other'") == 2);
	assert_true(query(state, "SELECT ratio IS NULL FROM verdict WHERE key = 'k3'") == 1);
	struct bench_kept_comparison *kept;
	struct bench_arena arena = {0};
	size_t count;
	must(bench_store_comparisons(store, &arena, &kept, &count, &error));
	assert_int_equal(count, 2);
	assert_string_equal(kept[0].rows[0].reason, "not measured");
	assert_string_equal(kept[0].rows[0].owner, "");
	assert_string_equal(kept[1].rows[0].reason, "");
	assert_string_equal(kept[1].rows[0].owner, "@us");
	bench_arena_free(&arena);
	assert_int_equal(bench_store_keep_verdicts(store, "z", "main", first, 2, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(loaded_run_is_the_one_that_was_ingested),
		in_scratch(incorrect_and_unfinished_runs_come_back_as_they_were),
		in_scratch(samples_keep_every_bit),
		in_scratch(second_ingest_of_a_run_adds_nothing),
		in_scratch(other_run_of_the_same_id_is_refused_not_lost),
		in_scratch(refused_ingest_leaves_nothing_behind),
		in_scratch(last_counts_back_by_start_then_by_the_number_in_the_second),
		in_scratch(runs_before_one_are_finished_newest_first_and_not_aside),
		in_scratch(medians_are_loaded_without_samples_and_what_is_derived),
		in_scratch(unknown_run_names_the_nearest),
		in_scratch(runs_are_listed_newest_first_with_what_was_in_them),
		in_scratch(history_is_by_key_then_oldest_first),
		in_scratch(metrics_are_listed_once_and_sorted),
		in_scratch(views_join_what_queries_by_hand_ask_for),
		in_scratch(views_for_analysis_name_units_and_join_by_case),
		in_scratch(baseline_is_set_replaced_and_removed),
		in_scratch(baseline_of_an_unknown_run_leaves_the_old_one),
		in_scratch(names_that_mean_something_else_are_no_baselines),
		in_scratch(verdicts_replace_those_of_the_same_comparison_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
