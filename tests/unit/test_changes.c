/* SPDX-License-Identifier: MIT */
/* Changes of a history: what may have caused them, and which a gate's report shows. */
#include <math.h>

#include "app/changepoints.h"
#include "store_fixture.h"

enum { NIGHTS = 16, STEP = 9 };

#define CASE_KEY "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1"

/* What a history is made of; from night STEP on the factors are multiplied with. */
struct made {
	double time, relative, anchor; /* factors; relative 0: no anchor */
	const char *kernel;            /* from STEP on; NULL: as before */
	bool same_executable;
	size_t cases;              /* that the step is in, of two; 0: both */
	double device;             /* the factor of a device time; 0: there is none */
	const char *label, *value; /* on every third run; NULL: none */
};

static void add_sample(struct bench_run *run, int index, const char *metric, double value)
{
	char line[256];
	for (int i = 0; i < 5; i++) {
		snprintf(line, sizeof(line),
			 "{\"event\":\"sample\",\"case\":%d,\"invocation\":0,\"metric\":\"%s\",%s\"value\":"
			 "%.17g,\"iterations\":4,\"at\":0.5}",
			 index, metric,
			 strncmp(metric, "base_", 5) == 0 ? "\"unit\":\"s\",\"better\":\"none\"," : "",
			 value * (1 + 1e-4 * i));
		fixture_must_apply(run, line);
	}
}

static struct bench_run *make_night(const struct made *made, int night)
{
	char id[32], executable[32];
	snprintf(id, sizeof(id), "n%02d", night);
	struct bench_run *run = fixture_head(id, 1000 + night);
	bool stepped = night >= STEP;
	double noise = 1 + 0.003 * (night * 7 % 5 - 2);
	snprintf(executable, sizeof(executable), "%d", made->same_executable ? 0 : night);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "executable", executable);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "kernel",
				   stepped && made->kernel ? made->kernel : "5.1");
	if (made->relative > 0)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "anchor", "n00");
	if (made->label && night % 3 == 0)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, made->label,
					   made->value);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"));
	fixture_must_apply(run, FIXTURE_CASE(1, "opencl", "pocl-cpu", "2048"));
	for (int c = 0; c < 2; c++) {
		bool steps = stepped && (made->cases == 0 || c < (int)made->cases);
		fixture_must_apply(run, c ? FIXTURE_BEGIN(1, 0) : FIXTURE_BEGIN(0, 0));
		add_sample(run, c, "time", 0.01 * noise * (steps ? made->time : 1));
		if (made->relative > 0) {
			add_sample(run, c, "relative_time", 1.02 * noise * (steps ? made->relative : 1));
			add_sample(run, c, "base_time", 0.0098 * noise * (steps ? made->anchor : 1));
		}
		if (made->device > 0) {
			add_sample(run, c, "device_time", 0.005 * noise * (steps ? made->device : 1));
			add_sample(run, c, "relative_device_time", 1.01 * noise * (steps ? made->device : 1));
			add_sample(run, c, "base_device_time", 0.0049 * noise);
		}
		fixture_must_apply(run, c ? FIXTURE_END(1, 0, "ok", "", "budget")
					  : FIXTURE_END(0, 0, "ok", "", "budget"));
	}
	fixture_must_apply(run, FIXTURE_FINISH);
	bench_record_finalise(run);
	return run;
}

static struct bench_store *make_history(void **state, const struct made *made)
{
	struct bench_store *store = open_store(state);
	for (int night = 0; night < NIGHTS; night++)
		must_ingest(store, make_night(made, night));
	return store;
}

/* The explained changes of a pattern, in `arena`. */
static size_t search(struct bench_store *store, const char *pattern, struct bench_arena *arena,
		     struct bench_change **changes)
{
	const struct bench_app_changepoint_options options = {.least = 0.05, .alpha = 0.01};
	struct bench_point *points;
	size_t count;
	must(bench_store_history(store, pattern, arena, &points, &count, &error));
	count = bench_app_changepoints(points, count, &options, arena, changes);
	must(bench_app_changepoints_explain(store, NULL, *changes, count, arena, &error));
	return count;
}

/* Of the history's one change, or the two of its cases: cause, and a part of why. */
static void assert_cause(void **state, const struct made *made, size_t expected, const char *pattern,
			 enum bench_change_cause cause, const char *why)
{
	struct bench_arena arena = {0};
	struct bench_change *changes;
	struct bench_store *store = make_history(state, made);
	size_t count = search(store, pattern, &arena, &changes);
	assert_int_equal(count, expected);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(changes[i].first_run, "n09");
		assert_string_equal(changes[i].last_run, "n08");
		assert_string_equal(bench_compare_cause_name(changes[i].cause),
				    bench_compare_cause_name(cause));
		if (!strstr(changes[i].why, why))
			fail_msg("'%s' lacks '%s'", changes[i].why, why);
	}
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void shift_against_the_anchor_is_the_codes(void **state)
{
	const struct made made = {.time = 1.1, .relative = 1.1, .anchor = 1, .kernel = "5.2"};
	assert_cause(state, &made, 2, "*/time", BENCH_CHANGE_CODE,
		     "against the anchor +10.0%, the anchor itself");
}

static void shift_of_the_anchor_itself_is_the_machines(void **state)
{
	const struct made made = {.time = 1.1, .relative = 1, .anchor = 1.1};
	assert_cause(state, &made, 2, "*/time", BENCH_CHANGE_MACHINE, "the anchor itself +10.0%");
}

static void shift_of_the_devices_time_is_explained_by_its_own_ratio(void **state)
{
	const struct made made = {.time = 1.1, .relative = 1, .anchor = 1.1, .device = 1.2};
	struct bench_arena arena = {0};
	struct bench_change *changes;
	struct bench_store *store = make_history(state, &made);
	assert_int_equal(search(store, "*/device_time", &arena, &changes), 2);
	assert_int_equal(changes[0].cause, BENCH_CHANGE_CODE);
	assert_non_null(strstr(changes[0].why, "against the anchor +20.0%, the anchor itself"));
	assert_int_equal(search(store, "*/relative_device_time", &arena, &changes), 2);
	assert_int_equal(changes[0].cause, BENCH_CHANGE_CODE);
	assert_int_equal(search(store, "*/time", &arena, &changes), 2);
	assert_int_equal(changes[0].cause, BENCH_CHANGE_MACHINE);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void shift_of_rates_is_explained_by_the_same_runs(void **state)
{
	const struct made made = {.time = 1.1, .relative = 1.1, .anchor = 1};
	assert_cause(state, &made, 2, "*/flop_rate", BENCH_CHANGE_CODE, "against the anchor");
}

/* Both shifted, the anchor more: the one metric is still the code's, and the other the machine's. */
static void metrics_of_the_anchor_speak_for_themselves(void **state)
{
	const struct made made = {.time = 1.32, .relative = 1.1, .anchor = 1.2};
	struct bench_arena arena = {0};
	struct bench_change *changes;
	struct bench_store *store = make_history(state, &made);
	assert_int_equal(search(store, "*/relative_time", &arena, &changes), 2);
	assert_int_equal(changes[0].cause, BENCH_CHANGE_CODE);
	assert_int_equal(search(store, "*/base_time", &arena, &changes), 2);
	assert_int_equal(changes[0].cause, BENCH_CHANGE_MACHINE);
	assert_int_equal(search(store, "*/time", &arena, &changes), 2);
	assert_int_equal(changes[0].cause, BENCH_CHANGE_MACHINE);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void shift_that_the_anchor_does_not_explain_has_no_cause(void **state)
{
	const struct made made = {.time = 1.1, .relative = 1, .anchor = 1};
	assert_cause(state, &made, 2, "*/time", BENCH_CHANGE_UNKNOWN, "against the anchor");
}

static void same_executable_means_the_machine(void **state)
{
	const struct made made = {.time = 1.1, .kernel = "5.2", .same_executable = true};
	assert_cause(state, &made, 2, "*/time", BENCH_CHANGE_MACHINE,
		     "the same executable; kernel: 5.1, now 5.2");
}

static void fact_that_changed_where_all_shifted_means_the_machine(void **state)
{
	const struct made made = {.time = 1.1, .kernel = "5.2"};
	assert_cause(state, &made, 2, "*/time", BENCH_CHANGE_MACHINE, "kernel: 5.1, now 5.2");
}

static void fact_that_changed_where_one_shifted_is_said(void **state)
{
	const struct made made = {.time = 1.1, .kernel = "5.2", .cases = 1};
	assert_cause(state, &made, 1, "*/time", BENCH_CHANGE_UNKNOWN, "kernel: 5.1, now 5.2");
}

static void other_executable_and_nothing_else_has_no_cause(void **state)
{
	const struct made made = {.time = 1.1};
	assert_cause(state, &made, 2, "*/time", BENCH_CHANGE_UNKNOWN, "2 of 2 metrics shifted at this run");
}

/* A new anchor is 10% faster, and the level of what is judged stays: the ratios are chained. */
static void ratios_to_several_anchors_are_chained(void **state)
{
	const struct made made = {.time = 1, .relative = 1.1, .anchor = 1 / 1.1};
	struct bench_arena arena = {0};
	struct bench_app_changepoint_options options = {.least = 0.05, .alpha = 0.01};
	struct bench_store *store = make_history(state, &made);
	static const char *const patterns[] = {"*/relative_time", "*/base_time"};
	for (size_t p = 0; p < 2; p++) {
		struct bench_change *changes;
		struct bench_point *points;
		size_t count;
		must(bench_store_history(store, patterns[p], &arena, &points, &count, &error));
		assert_string_equal(points[0].anchor, "n00");
		assert_int_equal(bench_app_changepoints(points, count, &options, &arena, &changes), 2);
		for (size_t i = 0; i < count; i++)
			points[i].level_shift = points[i].started >= 1000 + STEP ? -log(1.1) : 0;
		assert_int_equal(bench_app_changepoints(points, count, &options, &arena, &changes), 0);
	}
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A relative time is against a variant in runs without an anchor: no shift where the first has one. */
static void runs_with_and_without_an_anchor_are_two_series(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_changepoint_options options = {.least = 0.05, .alpha = 0.01};
	struct bench_change *changes;
	struct bench_point *points;
	size_t count;
	const struct made made = {.time = 1, .relative = 2, .anchor = 1};
	struct bench_store *store = make_history(state, &made);
	must(bench_store_history(store, "*/relative_time", &arena, &points, &count, &error));
	for (size_t i = 0; i < count; i++)
		if (points[i].started < 1000 + STEP)
			points[i].anchor = "";
	assert_int_equal(bench_app_changepoints(points, count, &options, &arena, &changes), 0);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* The last five runs are 10% slower: with intervals of 1% that is a change, with intervals of 80% it is none.
 */
static void runs_with_wide_intervals_weigh_less(void **state)
{
	static char key[] = "s/b:d/n=1/time", host[] = "h", commit[] = "", unit[] = "s", runs[20][4];
	struct bench_app_changepoint_options options = {.least = 0.05, .alpha = 0.01};
	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct bench_arena arena = {0};
		struct bench_point points[20];
		struct bench_change *changes;
		for (int i = 0; i < 20; i++) {
			double median = (i < 15 ? 1 : 1.1) * (1 + 0.003 * (i * 7 % 5 - 2));
			double half = wide && i >= 15 ? 0.4 : 0.005;
			snprintf(runs[i], sizeof(runs[i]), "n%02u", (unsigned)i % 100u);
			points[i] = (struct bench_point){.run = runs[i],
							 .commit = commit,
							 .key = key,
							 .unit = unit,
							 .started = i,
							 .median = median,
							 .ci_lo = median * (1 - half),
							 .ci_hi = median * (1 + half),
							 .accepted = "",
							 .fingerprint = host};
		}
		assert_int_equal(bench_app_changepoints(points, 20, &options, &arena, &changes), !wide);
		bench_arena_free(&arena);
	}
}

static void commits_and_drivers_count_where_executables_are_not_known(void **state)
{
	struct bench_arena arena = {0};
	struct bench_run *last = make_night(&(struct made){.time = 1}, 0);
	struct bench_run *first = make_night(&(struct made){.time = 1}, 1);
	struct bench_change change = {.key = "", .why = ""};
	static char empty[] = "";
	(void)state;
	for (size_t i = 0; i < first->host_count; i++)
		if (strcmp(first->host[i].name, "executable") == 0)
			first->host[i].value = empty;
	bench_compare_change_explain(&change, last, first, &arena);
	assert_int_equal(change.cause, BENCH_CHANGE_UNKNOWN); /* its files differ from the commit's */
	assert_string_equal(change.why, "");
	last->git.dirty = first->git.dirty = false;
	bench_compare_change_explain(&change, last, first, &arena);
	assert_int_equal(change.cause, BENCH_CHANGE_MACHINE);
	assert_string_equal(change.why, "no commit between");
	snprintf(first->devices[0].info.driver, sizeof(first->devices[0].info.driver), "3.2");
	snprintf(first->devices[0].info.platform, sizeof(first->devices[0].info.platform), "PoCL 3.2");
	bench_record_attribute_set(&last->arena, &last->host, &last->host_count, "cpu_limit", "max");
	bench_record_attribute_set(&first->arena, &first->host, &first->host_count, "governor", "powersave");
	bench_compare_change_explain(&change, last, first, &arena);
	assert_string_equal(
		change.why,
		"no commit between; governor: not recorded, now powersave; cpu_limit: max, now not "
		"recorded; driver of opencl: 3.1, now 3.2; and 1 more");
	/* What a command runs is not this program. */
	bench_record_attribute_set(&last->arena, &last->host, &last->host_count, "executable", "1234");
	bench_record_attribute_set(&first->arena, &first->host, &first->host_count, "executable", "1234");
	snprintf(first->git.commit, 2, "1");
	change.key = "exec/host:cpu/command=make/time";
	bench_compare_change_explain(&change, last, first, &arena);
	assert_int_equal(change.cause, BENCH_CHANGE_UNKNOWN);
	change.key = "gemm/a:b/n=1/time";
	bench_compare_change_explain(&change, last, first, &arena);
	assert_int_equal(change.cause, BENCH_CHANGE_MACHINE);
	bench_compare_change_explain(&change, NULL, first, &arena);
	assert_int_equal(change.cause, BENCH_CHANGE_UNKNOWN);
	assert_string_equal(change.why, "");
	bench_arena_free(&arena);
	bench_record_free(last);
	bench_record_free(first);
}

/* The changes that a report of the last night shows. */
static size_t recent(struct bench_store *store, const struct made *made, int night, size_t runs,
		     struct bench_arena *arena, struct bench_changes *changes)
{
	const struct bench_app_changepoint_options options = {.least = 0.05, .alpha = 0.01, .runs = runs};
	struct bench_run *run = make_night(made, night);
	must(bench_app_changepoints_recent(store, run, NULL, &options, arena, changes, &error));
	bench_record_free(run);
	return changes->count;
}

static void report_shows_what_began_in_the_last_runs(void **state)
{
	const struct made made = {.time = 1.1, .relative = 1.1, .anchor = 1};
	struct bench_arena arena = {0};
	struct bench_changes changes;
	struct bench_store *store = make_history(state, &made);
	/* time and relative_time of both cases; neither rates nor what is neither better nor worse */
	assert_int_equal(recent(store, &made, NIGHTS - 1, NIGHTS, &arena, &changes), 4);
	assert_string_equal(changes.items[0].key, CASE_KEY "/relative_time");
	assert_string_equal(changes.items[1].key, CASE_KEY "/time");
	assert_int_equal(changes.items[1].cause, BENCH_CHANGE_CODE);
	assert_int_equal(changes.items[1].together, 3);
	assert_int_equal(changes.runs, NIGHTS);
	assert_int_equal(recent(store, &made, NIGHTS - 1, NIGHTS - STEP, &arena, &changes), 4);
	assert_int_equal(recent(store, &made, NIGHTS - 1, NIGHTS - STEP - 1, &arena, &changes), 0);
	/* What came after a run is not known to it. */
	assert_int_equal(recent(store, &made, STEP - 1, NIGHTS, &arena, &changes), 0);
	bench_arena_free(&arena);
	bench_store_close(store);
}

static void report_is_of_one_host_and_track(void **state)
{
	const struct made made = {.time = 1.1};
	struct bench_arena arena = {0};
	struct bench_changes changes;
	struct bench_app_changepoint_options options = {.least = 0.05, .alpha = 0.01, .runs = NIGHTS};
	struct bench_store *store = make_history(state, &made);
	struct bench_run *run = make_night(&made, NIGHTS - 1);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "threads", "1");
	must(bench_app_changepoints_recent(store, run, NULL, &options, &arena, &changes, &error));
	assert_int_equal(changes.count, 0);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "threads", "2");
	must(bench_app_changepoints_recent(store, run, NULL, &options, &arena, &changes, &error));
	assert_int_equal(changes.count, 2);
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "fingerprint", "other");
	must(bench_app_changepoints_recent(store, run, NULL, &options, &arena, &changes, &error));
	assert_int_equal(changes.count, 0);
	bench_record_free(run);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* Runs that were set aside leave a gap, and neither a change nor a night. */
static void runs_set_aside_are_no_nights(void **state)
{
	const struct made made = {.time = 1.1, .label = "aside", .value = "confirms another"};
	struct bench_arena arena = {0};
	struct bench_changes changes;
	struct bench_store *store = make_history(state, &made);
	assert_int_equal(recent(store, &made, NIGHTS - 1, NIGHTS, &arena, &changes), 2);
	assert_string_equal(changes.items[0].first_run, "n10");
	assert_string_equal(changes.items[0].last_run, "n08");
	assert_int_equal(recent(store, &made, NIGHTS - 1, 3, &arena, &changes), 0);
	assert_int_equal(recent(store, &made, NIGHTS - 1, 4, &arena, &changes), 2);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A plug-in is code, as the executable is, whatever repository it comes from. */
static void another_build_of_a_plugin_is_no_environment(void **state)
{
	struct bench_run *runs[2];
	struct bench_arena arena = {0};
	(void)state;
	for (int i = 0; i < 2; i++) {
		runs[i] = fixture_head(i ? "new" : "old", 1000 + i);
		runs[i]->git = (struct bench_git){.present = true, .commit = i ? "b2" : "a1", .branch = ""};
		bench_record_attribute_set(&runs[i]->arena, &runs[i]->host, &runs[i]->host_count,
					   "plugin.mine.so", i ? "22, commit b2-dirty" : "11, commit a1");
		bench_record_attribute_set(&runs[i]->arena, &runs[i]->host, &runs[i]->host_count,
					   "plugin.built.so", i ? "44" : "33");
	}
	bench_record_attribute_set(&runs[0]->arena, &runs[0]->host, &runs[0]->host_count, "plugin.other.so",
				   "55, commit f5");
	bench_record_attribute_set(&runs[1]->arena, &runs[1]->host, &runs[1]->host_count, "plugin.other.so",
				   "66, commit f6");
	bench_record_attribute_set(&runs[1]->arena, &runs[1]->host, &runs[1]->host_count, "plugin.added.so",
				   "77, commit f7");
	assert_string_equal(bench_compare_changed_facts(runs[0], runs[1], &arena), "");
	/* What was built again from the same commit was built by something else. */
	runs[1]->git.commit = "a1";
	assert_string_equal(bench_compare_changed_facts(runs[0], runs[1], &arena),
			    "plugin.built.so: 33, now 44");
	bench_record_free(runs[0]);
	bench_record_free(runs[1]);
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(shift_against_the_anchor_is_the_codes),
		in_scratch(shift_of_the_anchor_itself_is_the_machines),
		in_scratch(shift_of_the_devices_time_is_explained_by_its_own_ratio),
		in_scratch(shift_of_rates_is_explained_by_the_same_runs),
		in_scratch(metrics_of_the_anchor_speak_for_themselves),
		in_scratch(shift_that_the_anchor_does_not_explain_has_no_cause),
		in_scratch(same_executable_means_the_machine),
		in_scratch(fact_that_changed_where_all_shifted_means_the_machine),
		in_scratch(fact_that_changed_where_one_shifted_is_said),
		in_scratch(other_executable_and_nothing_else_has_no_cause),
		in_scratch(ratios_to_several_anchors_are_chained),
		in_scratch(runs_with_and_without_an_anchor_are_two_series),
		cmocka_unit_test(runs_with_wide_intervals_weigh_less),
		cmocka_unit_test(another_build_of_a_plugin_is_no_environment),
		in_scratch(commits_and_drivers_count_where_executables_are_not_known),
		in_scratch(report_shows_what_began_in_the_last_runs),
		in_scratch(report_is_of_one_host_and_track),
		in_scratch(runs_set_aside_are_no_nights),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
