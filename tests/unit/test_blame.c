/* SPDX-License-Identifier: MIT */
/*
 * Who is blamed where a worker dies: the guilty one has failed, and the innocent ones of its group have all
 * their invocations.
 */
#include "blame_fixture.h"

static const struct {
	const char *at, *where;
} hooks[] = {
	{"setup", "in its setup"},       {"prepare", "while it was prepared"}, {"call", "in its first call"},
	{"check", "in its first check"}, {"samples", "while it was sampled"},  {"last", "in its last check"},
	{"report", "in its report"},     {"teardown", "in its teardown"},
};

/* In each hook, whichever of the group are bad. `test_blame all` takes every pair of the two, else each of
 * both. */
static bool take_all;

static void exactly_the_bad_cases_are_blamed(void **state)
{
	static const char *const bads[] = {"b", "a", "c", "ac", "abc"};
	const size_t bad_count = sizeof(bads) / sizeof(bads[0]);
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]) * bad_count; i++) {
		size_t hook = i / bad_count, bad = i % bad_count;
		if (!take_all && hook % bad_count != bad)
			continue;
		char sets[128], reason[128];
		snprintf(sets, sizeof(sets), "kind=a,b,c bad=%s at=%s how=abort", bads[bad], hooks[hook].at);
		snprintf(reason, sizeof(reason), "crashed %s: SIGABRT (Aborted)", hooks[hook].where);
		struct bench_run *run = measure(state, sets, "cool", NULL);
		assert_blamed(run, BENCH_STATUS_FAILED, reason);
		bench_record_free(run);
	}
}

static void whichever_way_it_goes(void **state)
{
	static const struct {
		const char *sets, *reason;
	} ways[] = {
		{"bad=b at=setup how=segv", "crashed in its setup: SIGSEGV"},
		{"bad=b at=call how=kill", "crashed in its first call: SIGKILL (Killed, which is sent where"},
		{"bad=b at=call how=exit", "ended its process in its first call, with exit status 5"},
		{"bad=b at=samples how=exit0", "ended its process while it was sampled, with exit status 0"},
		{"bad=c at=teardown how=exit0", "ended its process in its teardown, with exit status 0"},
		{"bad=b at=call how=tear", "crashed in its first call: SIGKILL"},
		{"bad=b at=setup how=shut", "closed the file of its process's events"},
	};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char sets[128];
		snprintf(sets, sizeof(sets), "kind=a,b,c %s", ways[i].sets);
		struct bench_run *run = measure(state, sets, "cool", NULL);
		assert_blamed(run, BENCH_STATUS_FAILED, ways[i].reason);
		bench_record_free(run);
	}
}

static void a_hang_costs_the_time_limit_once(void **state)
{
	static const struct {
		const char *sets, *reason;
	} hangs[] = {
		{"kind=a,b bad=a at=call how=hang", "s in its first call and was ended (--time-limit)"},
		{"kind=a,b bad=b at=teardown how=hang", "s in its teardown and was ended (--time-limit)"},
	};
	for (size_t i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++) {
		double start = bench_clock_seconds();
		budget = 30;
		struct bench_run *run = measure(state, hangs[i].sets, "cool", NULL);
		budget = 0;
		assert_non_null(strstr(warnings, "which the budget of 30 s does not count"));
		assert_blamed(run, BENCH_STATUS_FAILED, hangs[i].reason);
		bench_record_free(run);
		assert_true(bench_clock_seconds() - start > HANG_LIMIT_SECONDS);
	}
}

static const char *note_of(const struct bench_result *result, const char *name)
{
	return bench_record_attribute_get(result->notes, result->note_count, name);
}

static void without_its_reference_a_variant_says_why_it_has_no_relative_time(void **state)
{
	struct bench_run *run = measure(state, "kind=a,b bad=a at=call how=abort samples=0", "cool", NULL);
	assert_int_equal(run->results[0].status, BENCH_STATUS_FAILED);
	assert_whole(&run->results[1]);
	assert_non_null(strstr(note_of(&run->results[1], "relative_time"), "is failed"));
	bench_record_free(run);
}

static void what_crashes_only_beside_others_is_measured_by_itself(void **state)
{
	struct bench_run *run = measure(state, "kind=a,b,c bad=b at=call how=beside samples=0", "cool", NULL);
	for (size_t i = 0; i < run->result_count; i++)
		assert_whole(&run->results[i]);
	assert_non_null(
		strstr(note_of(&run->results[1], "apart"),
		       "measured by itself from invocation 0 on; beside others: crashed in its first call"));
	assert_non_null(strstr(note_of(&run->results[1], "relative_time"), "is measured by itself"));
	assert_string_equal(note_of(&run->results[0], "apart"), "");
	assert_non_null(strstr(warnings, "; beside others: crashed"));
	bench_record_free(run);
}

/* A run that is resumed knows it without another crash. */
static void what_was_set_apart_stays_apart(void **state)
{
	static const char sets[] = "kind=a,b,c bad=b at=call how=beside";
	struct bench_run *run = measure(state, sets, "cool", NULL), *again;
	struct bench_plan *plan = plan_of(sets, "cool");
	const struct bench_session_options options = session_options(NULL);
	struct bench_folder folder;
	struct bench_error error;
	char path[PATH_MAX], *data = NULL;
	size_t length;
	assert_true(bench_file_join(path, sizeof(path), run->folder, "samples.jsonl"));
	assert_int_equal(bench_file_read(path, 1 << 24, &data, &length, &error), 0);
	const char *second = strstr(data, "\"invocation\":1");
	assert_non_null(second);
	while (second > data && second[-1] != '\n')
		second--;
	assert_int_equal(truncate(path, second - data), 0);
	free(data);
	warnings[0] = '\0';
	if (bench_record_load_folder(run->folder, &again, &error) != 0 ||
	    bench_record_folder_reopen(&folder, run->folder, &error) != 0 ||
	    bench_session_run(again, plan, &folder, &options, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < again->result_count; i++)
		assert_whole(&again->results[i]);
	assert_string_equal(warnings, "");
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	bench_record_free(again);
	bench_record_free(run);
}

static void what_fails_after_the_last_case_costs_none(void **state)
{
	static const char *const ends[] = {"kind=a,b bad=b at=close", "kind=a,b bad=b at=exit"};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct bench_run *run = measure(state, ends[i], "cool", NULL);
		for (size_t r = 0; r < run->result_count; r++)
			assert_whole(&run->results[r]);
		assert_non_null(strstr(warnings, "after its last case"));
		assert_non_null(strstr(warnings, "what it measured is kept"));
		bench_record_free(run);
	}
}

static void a_device_that_crashes_costs_its_own_cases(void **state)
{
	struct bench_run *run = measure(state, "kind=a,b", "cool,burning", NULL);
	assert_int_equal(run->result_count, 4);
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (strcmp(result->backend, "cool") == 0) {
			assert_whole(result);
			continue;
		}
		assert_int_equal(result->status, BENCH_STATUS_FAILED);
		assert_non_null(strstr(result->reason, "crashed while its device was opened: SIGSEGV"));
	}
	bench_record_free(run);
}

static void in_a_duel_too(void **state)
{
	static const struct {
		const char *sets, *reason;
	} bouts[] = {
		{"kind=a,b,c bad=b at=setup how=abort", "crashed in its setup: SIGABRT"},
		{"kind=a,b,c bad=a at=call how=segv", "crashed in its first call: SIGSEGV"},
		{"kind=a,b,c bad=b at=samples how=abort", "crashed while it was sampled: SIGABRT"},
		{"kind=a,b,c bad=b at=last how=exit0",
		 "ended its process in its last check, with exit status 0"},
		{"kind=a,b,c bad=c at=call how=hang", "s in its first call and was ended"},
	};
	char executable[PATH_MAX];
	for (size_t i = 0; i < sizeof(bouts) / sizeof(bouts[0]); i++) {
		struct bench_duel duel = make_duel(true, executable, sizeof(executable));
		struct bench_run *run = measure(state, bouts[i].sets, "cool", &duel);
		assert_blamed(run, BENCH_STATUS_FAILED, bouts[i].reason);
		bench_record_free(run);
	}
	struct bench_duel duel = make_duel(false, executable, sizeof(executable));
	struct bench_run *run = measure(state, "kind=a,b,c bad=b at=call how=abort", "cool", &duel);
	assert_blamed(run, BENCH_STATUS_SKIPPED, "in the base: crashed in its first call: SIGABRT");
	bench_record_free(run);
	/* The head's results are whole by then. */
	run = measure(state, "kind=a,b bad=b at=teardown how=abort", "cool", &duel);
	for (size_t r = 0; r < run->result_count; r++)
		assert_whole(&run->results[r]);
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	int status;
	if (is_worker(argc, argv, &status))
		return status;
	take_all = argc == 2 && strcmp(argv[1], "all") == 0;
	const struct CMUnitTest tests[] = {
		in_scratch(exactly_the_bad_cases_are_blamed),
		in_scratch(whichever_way_it_goes),
		in_scratch(a_hang_costs_the_time_limit_once),
		in_scratch(without_its_reference_a_variant_says_why_it_has_no_relative_time),
		in_scratch(what_crashes_only_beside_others_is_measured_by_itself),
		in_scratch(what_was_set_apart_stays_apart),
		in_scratch(what_fails_after_the_last_case_costs_none),
		in_scratch(a_device_that_crashes_costs_its_own_cases),
		in_scratch(in_a_duel_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
