/* SPDX-License-Identifier: MIT */
/* Workers that stay, for the groups of an invocation and from run to run, and what becomes of them. */
#include "blame_fixture.h"

/* The processes that have reported, in all invocations of the run. */
static size_t count_processes(const struct bench_run *run)
{
	double seen[64];
	size_t count = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *process = bench_record_metric(&run->results[i], "process");
		for (size_t k = 0; process && k < process->series_count; k++) {
			size_t at = 0;
			while (at < count && seen[at] != process->series[k].values[0])
				at++;
			if (at == count && count < 64)
				seen[count++] = process->series[k].values[0];
		}
	}
	return count;
}

static void groups_on_a_gpu_share_the_process_of_an_invocation(void **state)
{
	static const struct {
		const char *sets, *backend;
		size_t processes;
	} runs[] = {
		{"kind=a,b samples=1,2,3,4", "gpu", INVOCATIONS},
		{"kind=a,b samples=1,2,3,4", "cool", (size_t)4 * INVOCATIONS},
		{"kind=a,b samples=1,2,3,4", "gpu,cool", (size_t)4 * INVOCATIONS},
	};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct bench_run *run = measure(state, runs[i].sets, runs[i].backend, NULL);
		for (size_t r = 0; r < run->result_count; r++)
			assert_int_equal(run->results[r].status, BENCH_STATUS_OK);
		assert_int_equal(count_processes(run), runs[i].processes);
		assert_string_equal(warnings, "");
		bench_record_free(run);
	}
}

/* It measures the next run into that folder, as long as all
 * goes well. */
static void a_worker_is_kept_from_run_to_run(void **state)
{
	static const struct {
		const char *sets, *backend;
		bool kept, same;
	} runs[] = {{"kind=a,b", "gpu", true, false},
		    {"kind=a", "gpu", true, true},
		    {"kind=a bad=a at=call how=abort", "gpu", false, false},
		    {"kind=a", "gpu", true, false}};
	double process = 0;
	invocations = 1;
	kept = &(struct bench_session_kept){.worker.events = -1};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct bench_run *run = measure(state, runs[i].sets, runs[i].backend, NULL);
		const struct bench_metric *now = bench_record_metric(&run->results[0], "process");
		assert_int_equal(kept->worker.process.waits, runs[i].kept);
		if (now)
			assert_int_equal(now->series[0].values[0] == process, runs[i].same);
		process = now ? now->series[0].values[0] : process;
		bench_record_free(run);
	}
	bench_session_end_kept(kept);
	assert_false(kept->worker.process.waits);
	bench_session_end_kept(kept);
	kept = NULL;
	invocations = INVOCATIONS;
}

/* They make the first calls of variants, in processes that measure nothing: what goes wrong there goes wrong
 * once more in the worker, and is blamed as ever. */
static void builders_cost_no_case(void **state)
{
	kept = &(struct bench_session_kept){.worker.events = -1, .builds = 2};
	invocations = 1;
	struct bench_run *run = measure(state, "kind=a,b,c samples=0", "gpu", NULL);
	for (size_t r = 0; r < run->result_count; r++) {
		const struct bench_metric *process = bench_record_metric(&run->results[r], "process");
		assert_int_equal(run->results[r].status, BENCH_STATUS_OK);
		assert_int_equal((pid_t)process->series[0].values[0], kept->worker.process.pid);
	}
	bench_record_free(run);
	assert_true(kept->builders[0].process.waits && kept->builders[1].process.waits);
	assert_true(kept->build_seconds > 0);
	run = measure(state, "kind=a,b bad=b at=call how=abort samples=0", "gpu", NULL);
	assert_int_equal(run->results[0].status, BENCH_STATUS_OK);
	assert_non_null(strstr(run->results[1].reason, "crashed in its first call: SIGABRT"));
	bench_record_free(run);
	assert_false(kept->builders[0].process.waits);
	assert_true(kept->builders[1].process.waits);
	bench_session_end_kept(kept);
	assert_false(kept->builders[1].process.waits);
	kept = NULL;
	invocations = INVOCATIONS;
}

/* Whatever it ends, the groups before and after have all their invocations. */
static void in_a_shared_process_exactly_the_bad_cases_are_blamed(void **state)
{
	static const struct {
		const char *sets, *reason;
	} ways[] = {
		{"kind=a bad=none,a at=call how=abort", "crashed in its first call: SIGABRT"},
		{"kind=a,b bad=none,b at=samples how=segv", "crashed while it was sampled: SIGSEGV"},
		{"kind=a bad=none,a at=setup how=shut", "closed the file of its process's events"},
		{"kind=a bad=none,a at=call how=exit0", "ended its process in its first call"},
		{"kind=a bad=none,a at=call how=hang", "s in its first call and was ended (--time-limit)"},
		{"kind=a bad=none,a at=teardown how=abort", "crashed in its teardown: SIGABRT"},
	};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char sets[128];
		snprintf(sets, sizeof(sets), "%s samples=2,3,4", ways[i].sets);
		struct bench_run *run = measure(state, sets, "gpu", NULL);
		assert_blamed(run, BENCH_STATUS_FAILED, ways[i].reason);
		bench_record_free(run);
	}
}

/* An earlier group may have spoiled the process, so a case that crashes there has another chance. */
static void what_crashes_only_after_another_group_is_measured_by_itself(void **state)
{
	struct bench_run *run =
		measure(state, "kind=a bad=none,a at=call how=beside samples=2,3,4", "gpu", NULL);
	for (size_t i = 0; i < run->result_count; i++)
		assert_whole(&run->results[i]);
	assert_non_null(strstr(warnings, "measured by itself from invocation"));
	bench_record_free(run);
}

static void what_fails_when_a_shared_process_leaves_costs_none(void **state)
{
	static const char *const ends[] = {"kind=a bad=none,a at=close", "kind=a bad=none,a at=exit"};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct bench_run *run = measure(state, ends[i], "gpu", NULL);
		for (size_t r = 0; r < run->result_count; r++)
			assert_whole(&run->results[r]);
		assert_non_null(strstr(warnings, "after its last case"));
		bench_record_free(run);
	}
}

static void the_workers_of_a_duel_stay_too(void **state)
{
	char executable[PATH_MAX];
	struct bench_duel duel = make_duel(true, executable, sizeof(executable));
	struct bench_run *run = measure(state, "kind=a,b samples=2,3,4", "gpu", &duel);
	for (size_t r = 0; r < run->result_count; r++)
		assert_whole(&run->results[r]);
	assert_int_equal(count_processes(run), INVOCATIONS);
	bench_record_free(run);
	run = measure(state, "kind=a bad=none,a at=samples how=abort samples=2,3,4", "gpu", &duel);
	assert_blamed(run, BENCH_STATUS_FAILED, "crashed while it was sampled: SIGABRT");
	bench_record_free(run);
	duel = make_duel(false, executable, sizeof(executable));
	run = measure(state, "kind=a bad=none,a at=call how=abort samples=2,3,4", "gpu", &duel);
	assert_blamed(run, BENCH_STATUS_SKIPPED, "in the base: crashed in its first call: SIGABRT");
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	int status;
	if (is_worker(argc, argv, &status))
		return status;
	const struct CMUnitTest tests[] = {
		in_scratch(groups_on_a_gpu_share_the_process_of_an_invocation),
		in_scratch(a_worker_is_kept_from_run_to_run),
		in_scratch(builders_cost_no_case),
		in_scratch(in_a_shared_process_exactly_the_bad_cases_are_blamed),
		in_scratch(what_crashes_only_after_another_group_is_measured_by_itself),
		in_scratch(what_fails_when_a_shared_process_leaves_costs_none),
		in_scratch(the_workers_of_a_duel_stay_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
