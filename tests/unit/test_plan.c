/* The plan: targets, sweeps, --set and --filter; what is refused before anything runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure_fixture.h"

static void refuse(const struct bench_plan_options *options, enum bench_code code, const char *said)
{
	struct bench_plan *plan = NULL;
	struct bench_error error = {0};
	assert_int_equal(bench_plan_make(options, &plan, &error), -1);
	assert_int_equal(error.code, code);
	if (!strstr(error.text, said))
		fail_msg("'%s' does not say '%s'", error.text, said);
}

static size_t resolve(const char *text, struct bench_arena *arena, struct bench_target **targets)
{
	struct bench_error error;
	size_t count = 0;
	if (bench_target_resolve(backends, text, arena, targets, &count, &error) != 0)
		fail_msg("%s", error.text);
	return count;
}

static void a_device_is_chosen_by_index_kind_or_part_of_its_name(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t count, first;
	} rows[] = {{"board", 1, 1},     {"board:0", 1, 0},        {"board:gpu", 2, 1},
		    {"board:cpu", 1, 0}, {"board:slow", 1, 0},     {"board:all", 3, 0},
		    {"board:BIG", 2, 1}, {"board:2,board:2", 1, 2}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_target *targets;
		assert_int_equal(resolve(rows[i].text, &arena, &targets), rows[i].count);
		assert_int_equal(targets[0].index, rows[i].first);
		bench_arena_free(&arena);
	}
}

static void two_devices_of_one_kind_have_keys_of_their_own(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_target *targets;
	assert_int_equal(resolve("board:gpu", &arena, &targets), 2);
	assert_string_equal(targets[0].info.slug, "big-gpu");
	assert_string_equal(targets[1].info.slug, "big-gpu-2");
	bench_arena_free(&arena);
}

static void a_backend_without_a_device_stays_with_its_reason(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_target *targets;
	assert_int_equal(resolve(NULL, &arena, &targets), 2);
	assert_null(targets[0].unavailable);
	assert_non_null(strstr(targets[1].unavailable, "install a driver"));
	bench_arena_free(&arena);
}

static void an_unknown_backend_or_device_is_named_with_the_nearest(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_target *targets;
	size_t count;
	struct bench_error error;
	assert_int_equal(bench_target_resolve(backends, "bord", &arena, &targets, &count, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "'bord'"));
	assert_non_null(strstr(error.text, "did you mean 'board'"));
	assert_int_equal(bench_target_resolve(backends, "board:99", &arena, &targets, &count, &error), -1);
	assert_non_null(strstr(error.text, "board:1 (big-gpu, gpu)"));
	assert_int_equal(bench_target_resolve(backends, "board:bug-gpu", &arena, &targets, &count, &error),
			 -1);
	assert_non_null(strstr(error.text, "did you mean 'big-gpu'"));
	assert_int_equal(bench_target_resolve(backends, "", &arena, &targets, &count, &error), -1);
	bench_arena_free(&arena);
}

static void sweeps_are_crossed_and_a_shared_point_is_measured_once(void **state)
{
	(void)state;
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .preset = BENCH_PRESET_QUICK};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 5);
	assert_int_equal(plan->group_count, 5);
	assert_string_equal(plan->cases[0].key, "toy/board:slow-cpu/mode=right,m=8,n=8,x=1");
	assert_string_equal(plan->cases[1].key, "toy/board:slow-cpu/mode=right,m=8,n=8,x=0.5");
	assert_string_equal(plan->cases[4].key, "toy/board:slow-cpu/mode=right,m=4,n=16,x=1");
	bench_plan_free(plan);
}

static void set_replaces_the_first_sweep_and_drops_the_others(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=3,5,3", "x=2"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .preset = BENCH_PRESET_QUICK,
					     .sets = sets,
					     .set_count = 2};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 2);
	assert_string_equal(plan->cases[1].key, "toy/board:slow-cpu/mode=right,m=5,n=5,x=2");
	bench_plan_free(plan);
}

static void a_preset_without_sweeps_takes_the_one_before(void **state)
{
	(void)state;
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .preset = BENCH_PRESET_FULL};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 1);
	assert_string_equal(plan->cases[0].values[P_N].text, "32");
	bench_plan_free(plan);
}

static void a_group_holds_one_point_on_every_target(void **state)
{
	(void)state;
	struct bench_plan_options options = {
		.suites = both_suites, .backends = backends, .preset = BENCH_PRESET_NIGHTLY};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 3);
	assert_int_equal(plan->group_count, 2);
	assert_int_equal(plan->cases[0].group, plan->cases[1].group);
	assert_string_equal(plan->cases[1].key, "toy/bare:none/mode=right,m=32,n=32,x=1");
	assert_non_null(strstr(plan->cases[1].unsupported, "install a driver"));
	/* A suite of the host runs once, whatever backends there are. */
	assert_string_equal(plan->cases[2].key, "hosty/host:cpu/mode=right,m=32,n=32,x=1");
	assert_null(plan->cases[2].unsupported);
	bench_plan_free(plan);
}

static void a_device_that_is_too_small_is_unsupported_where_another_can(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=1024"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0,board:1",
					     .sets = sets,
					     .set_count = 1};
	struct bench_plan *plan = plan_of(&options);
	assert_null(plan->cases[0].unsupported);
	assert_non_null(strstr(plan->cases[1].unsupported, "1.000 MiB in one buffer"));
	bench_plan_free(plan);
	options.backend_text = "board:1";
	refuse(&options, BENCH_USAGE, "1.000 MiB in one buffer; big-gpu has 256.0 KiB");
}

static void what_does_not_exist_is_refused_before_anything_runs(void **state)
{
	(void)state;
	static const struct {
		const char *set, *filter, *said;
		enum bench_code code;
	} rows[] = {
		{"nn=5", NULL, "did you mean 'n'", BENCH_USAGE},
		{"n", NULL, "expected key=value", BENCH_USAGE},
		{"n=", NULL, "expected key=value", BENCH_USAGE},
		{"=5", NULL, "expected key=value", BENCH_USAGE},
		{"n=0", NULL, "out of range", BENCH_USAGE},
		{"n=5,,6", NULL, "no whole number", BENCH_USAGE},
		{"n=1000000000", NULL, "m x n overflows", BENCH_USAGE},
		{"n=1000000", NULL, "of memory; a run may take", BENCH_USAGE},
		{"mode=wrogn", NULL, "did you mean 'wrong'", BENCH_USAGE},
		{NULL, "k=3", "no suite of this run has a parameter 'k'", BENCH_USAGE},
		{NULL, "n>x", "'x' is no number", BENCH_USAGE},
		{NULL, "n=", "an empty term", BENCH_USAGE},
		{NULL, "n=7", "leaves no case", BENCH_NOTHING},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *sets[] = {rows[i].set};
		struct bench_plan_options options = {.suites = suites,
						     .backends = backends,
						     .backend_text = "board:0",
						     .sets = sets,
						     .set_count = rows[i].set != NULL,
						     .filter = rows[i].filter};
		refuse(&options, rows[i].code, rows[i].said);
	}
}

static void filters_pick_by_parameter_name_and_pattern(void **state)
{
	(void)state;
	static const struct {
		const char *filter;
		size_t cases;
	} rows[] = {{"n=8", 2},           {"n>8", 3},
		    {"n>=8", 5},          {"n<16", 2},
		    {"n<=8,x=1", 1},      {"n!=8", 3},
		    {"x=1.0", 3},         {"x=0.5", 2},
		    {"m=4", 1},           {"slow", 5},
		    {"m=4,n=1?", 1},      {"device=slow-*", 5},
		    {"backend=board", 5}, {"suite=toy,n==16", 3},
		    {"mode=ri*", 5}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_plan_options options = {.suites = suites,
						     .backends = backends,
						     .backend_text = "board:0",
						     .filter = rows[i].filter};
		struct bench_plan *plan = plan_of(&options);
		if (plan->case_count != rows[i].cases)
			fail_msg("%s leaves %zu cases, not %zu", rows[i].filter, plan->case_count,
				 rows[i].cases);
		bench_plan_free(plan);
	}
}

static void a_path_is_in_the_values_and_its_last_name_in_the_key(void **state)
{
	(void)state;
	const char *sets[] = {"file=/data/a.mtx,./b.mtx,/data/a.mtx"};
	struct bench_plan_options options = {.suites = file_suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .sets = sets,
					     .set_count = 1};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 2);
	assert_string_equal(plan->cases[0].key,
			    "filed/board:slow-cpu/mode=right,m=32,n=32,file=a.mtx,copy=a.mtx");
	assert_string_equal(plan->cases[0].values[3].given, "/data/a.mtx");
	assert_string_equal(plan->cases[0].values[4].given, "/data/a.mtx");
	assert_string_equal(plan->cases[1].key,
			    "filed/board:slow-cpu/mode=right,m=32,n=32,file=b.mtx,copy=b.mtx");
	bench_plan_free(plan);
	sets[0] = "file=/data/a.mtx,/other/a.mtx";
	refuse(&options, BENCH_USAGE, "would both be 'a.mtx' in the results");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_chosen_by_index_kind_or_part_of_its_name),
		cmocka_unit_test(two_devices_of_one_kind_have_keys_of_their_own),
		cmocka_unit_test(a_backend_without_a_device_stays_with_its_reason),
		cmocka_unit_test(an_unknown_backend_or_device_is_named_with_the_nearest),
		cmocka_unit_test(sweeps_are_crossed_and_a_shared_point_is_measured_once),
		cmocka_unit_test(set_replaces_the_first_sweep_and_drops_the_others),
		cmocka_unit_test(a_preset_without_sweeps_takes_the_one_before),
		cmocka_unit_test(a_group_holds_one_point_on_every_target),
		cmocka_unit_test(a_device_that_is_too_small_is_unsupported_where_another_can),
		cmocka_unit_test(what_does_not_exist_is_refused_before_anything_runs),
		cmocka_unit_test(filters_pick_by_parameter_name_and_pattern),
		cmocka_unit_test(a_path_is_in_the_values_and_its_last_name_in_the_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
