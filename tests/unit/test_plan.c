/* SPDX-License-Identifier: MIT */
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
#include "suites/shapes.h"
#include "suites/suites.h"

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
	if (bench_plan_target_resolve(backends, text, arena, targets, &count, &error) != 0)
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
	/* Also where it is measured alone, or first. */
	assert_int_equal(resolve("board:2", &arena, &targets), 1);
	assert_string_equal(targets[0].info.slug, "big-gpu-2");
	assert_int_equal(resolve("board:2,board:1", &arena, &targets), 2);
	assert_string_equal(targets[0].info.slug, "big-gpu-2");
	assert_string_equal(targets[1].info.slug, "big-gpu");
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
	assert_int_equal(bench_plan_target_resolve(backends, "bord", &arena, &targets, &count, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "'bord'"));
	assert_non_null(strstr(error.text, "did you mean 'board'"));
	assert_int_equal(bench_plan_target_resolve(backends, "board:99", &arena, &targets, &count, &error),
			 -1);
	assert_non_null(strstr(error.text, "board:1 (big-gpu, gpu)"));
	assert_int_equal(
		bench_plan_target_resolve(backends, "board:bug-gpu", &arena, &targets, &count, &error), -1);
	assert_non_null(strstr(error.text, "did you mean 'big-gpu'"));
	assert_int_equal(bench_plan_target_resolve(backends, "", &arena, &targets, &count, &error), -1);
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
	static const char *const sets[] = {"n=3,5", "x=2"};
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

static void a_library_on_another_backend_is_measured_only_by_name(void **state)
{
	(void)state;
	struct bench_backend library = board_backend;
	library.name = "board+library";
	const struct bench_backend *const table[] = {&board_backend, &library, NULL};
	struct bench_arena arena = {0};
	struct bench_target *targets;
	struct bench_error error;
	size_t count = 0;
	assert_int_equal(bench_plan_target_resolve(table, NULL, &arena, &targets, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_ptr_equal(targets[0].backend, &board_backend);
	assert_int_equal(
		bench_plan_target_resolve(table, "board,board+library", &arena, &targets, &count, &error), 0);
	assert_int_equal(count, 2);
	assert_ptr_equal(targets[1].backend, &library);
	bench_arena_free(&arena);
}

static void a_size_of_a_preset_that_fits_nowhere_is_unsupported(void **state)
{
	(void)state;
	static const char *const sweep[] = {"n=8,1000000", NULL};
	struct bench_suite large = toy_suite;
	large.sweeps[0] = sweep;
	const struct bench_suite *const one[] = {&large, NULL};
	struct bench_plan_options options = {.suites = one, .backends = backends, .backend_text = "board:0"};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 2);
	assert_null(plan->cases[0].unsupported);
	assert_non_null(strstr(plan->cases[1].unsupported, "of memory; a run may take"));
	bench_plan_free(plan);
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
		{"n=5,6,5", NULL, "parameter n is given '5' twice", BENCH_USAGE},
		{"x=1,1.0", NULL, "parameter x: '1.0' is 1, which is given already", BENCH_USAGE},
		{"n=1000,1K", NULL, "parameter n: '1K' is 1000, which", BENCH_USAGE},
		{"n=08", NULL, "a zero before the number", BENCH_USAGE},
		{"x=+1", NULL, "a '+'", BENCH_USAGE},
		{"n=1000000000", NULL, "m x n overflows", BENCH_USAGE},
		{"n=1000000", NULL, "of memory; a run may take", BENCH_USAGE},
		{"mode=wrogn", NULL, "did you mean 'wrong'", BENCH_USAGE},
		{NULL, "k=3", "no suite of this run has a parameter 'k'", BENCH_USAGE},
		{"n=16:8", NULL, "parameter n: '16:8' is not a range", BENCH_USAGE},
		{"n=8:16:2", NULL, "is not a range: expected such as 64:4096", BENCH_USAGE},
		{"n=8:16:*1", NULL, "is not a range", BENCH_USAGE},
		{"n=0:16", NULL, "out of range", BENCH_USAGE},
		{"n=1:300", NULL, "more than 256 values", BENCH_USAGE},
		{NULL, "n>x", "in 'n>x', 'x' is not a number", BENCH_USAGE},
		{NULL, "nn>1", "did you mean 'n'", BENCH_USAGE},
		{NULL, "n=8:x", "'x' is not a number", BENCH_USAGE},
		{NULL, "n=8:", "'' is not a number", BENCH_USAGE},
		{NULL, "n=16:8", "'16:8' is not a range", BENCH_USAGE},
		{NULL, "n=8|", "a term is empty", BENCH_USAGE},
		{NULL, "n>8,,n<9", "a term is empty", BENCH_USAGE},
		{NULL, "n>8,n<", "'n<' has no value", BENCH_USAGE},
		{NULL, "~", "'~' has no value", BENCH_USAGE},
		{NULL, "=8", "'=8' has no parameter before '='", BENCH_USAGE},
		{NULL, "n~(", "the regular expression '('", BENCH_USAGE},
		{NULL, "~a{9}{9}", "a count or a back reference", BENCH_USAGE},
		{NULL, "~(a)\\1", "a count or a back reference", BENCH_USAGE},
		{NULL, "~a++++++++++++++++++++++++++++++++++++++++", "more than 2000 elements", BENCH_USAGE},
		{NULL, "n=", "'n=' has no value", BENCH_USAGE},
		{NULL, "n=7", "no case matches", BENCH_NOTHING},
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

static void a_range_gives_its_values(void **state)
{
	(void)state;
	static const struct {
		const char *set;
		size_t cases;
		const char *last;
	} rows[] = {{"n=8:64:*2", 4, "n=64"},        {"n=8:20:+4", 4, "n=20"},
		    {"n=8:10", 3, "n=10"},           {"n=8,9:10,8:9,9", 3, "n=10"},
		    {"n=1KiB:4KiB:*2", 3, "n=4096"}, {"n=10:30:*1.5", 3, "n=22"},
		    {"x=0.1:0.5:+0.1", 5, "x=0.5"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_plan_options options = {.suites = suites,
						     .backends = backends,
						     .backend_text = "board:0",
						     .sets = &rows[i].set,
						     .set_count = 1};
		struct bench_plan *plan = plan_of(&options);
		if (plan->case_count % rows[i].cases != 0)
			fail_msg("%s: %zu cases", rows[i].set, plan->case_count);
		if (!strstr(plan->cases[plan->case_count - 1].key, rows[i].last))
			fail_msg("%s: %s", rows[i].set, plan->cases[plan->case_count - 1].key);
		bench_plan_free(plan);
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
		    {"mode=ri*", 5},      {"n=8|n=16", 5},
		    {"n=8,x=1|n=16", 4},  {"x=0.5 | m=4", 3},
		    {"n=8:15", 2},        {"n=8:16:*2", 5},
		    {"n=9:16:*2", 0},     {"n=4:16:+6", 3},
		    {"n!=8:9", 3},        {"x=0.5:1:+0.25", 5},
		    {"n~^(8|9)$", 2},     {"n!~^(8|9)$", 3},
		    {"~n=(8|16),x=1", 3}, {"!~x=1$", 2},
		    {"~[/,]n=8,m=8", 2},  {"n~[,6],slow", 3}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_plan_options options = {.suites = suites,
						     .backends = backends,
						     .backend_text = "board:0",
						     .filter = rows[i].filter};
		if (rows[i].cases == 0) {
			refuse(&options, BENCH_NOTHING, "no case matches");
			continue;
		}
		struct bench_plan *plan = plan_of(&options);
		if (plan->case_count != rows[i].cases)
			fail_msg("%s leaves %zu cases, not %zu", rows[i].filter, plan->case_count,
				 rows[i].cases);
		bench_plan_free(plan);
	}
}

/* The case of that key, which must be there. */
static const struct bench_planned *planned_of(const struct bench_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->case_count; i++)
		if (strcmp(plan->cases[i].key, key) == 0)
			return &plan->cases[i];
	fail_msg("no case %s", key);
	return NULL;
}

static void variants_of_one_work_share_a_group_and_know_their_base(void **state)
{
	(void)state;
	struct bench_plan_options options = {
		.suites = variant_suites, .backends = backends, .backend_text = "board:0,board:1"};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 12);
	assert_int_equal(plan->group_count, 2);
	for (size_t i = 0; i < plan->case_count; i++) {
		const struct bench_planned *planned = &plan->cases[i];
		assert_int_equal(planned->group, planned->values[V_N].integer == 16);
		assert_null(planned->reference_lacks);
		if (planned->values[V_KIND].integer == 0) {
			assert_true(planned->reference == BENCH_NO_REFERENCE);
			continue;
		}
		const struct bench_planned *base = &plan->cases[planned->reference];
		assert_int_equal(base->values[V_KIND].integer, 0);
		assert_int_equal(base->group, planned->group);
		assert_int_equal(base->target, planned->target);
	}
	bench_plan_free(plan);
}

static void a_variant_without_its_base_says_so(void **state)
{
	(void)state;
	static const char *const without[] = {"kind=other,third"}, *const fixed[] = {"samples=3"};
	struct bench_plan_options options = {.suites = variant_suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .sets = without,
					     .set_count = 1};
	struct bench_plan *plan = plan_of(&options);
	const struct bench_planned *planned =
		planned_of(plan, "varied/board:slow-cpu/base=right,kind=third,n=8,samples=0");
	assert_true(planned->reference == BENCH_NO_REFERENCE);
	assert_string_equal(planned->reference_lacks, "none: kind=plain is not in this run");
	bench_plan_free(plan);
	options.sets = fixed;
	plan = plan_of(&options);
	planned = planned_of(plan, "varied/board:slow-cpu/base=right,kind=third,n=8,samples=3");
	assert_true(planned->reference == BENCH_NO_REFERENCE);
	assert_string_equal(planned->reference_lacks, "none: the number of its samples is fixed");
	bench_plan_free(plan);
	options = (struct bench_plan_options){.suites = variant_suites,
					      .backends = backends,
					      .backend_text = "board:0",
					      .filter = "kind!=plain,n=8"};
	plan = plan_of(&options);
	assert_int_equal(plan->case_count, 2);
	assert_int_equal(plan->group_count, 1);
	assert_non_null(plan->cases[0].reference_lacks);
	bench_plan_free(plan);
}

static void variants_that_do_not_fit_together_are_measured_apart(void **state)
{
	(void)state;
	/* Four of them fill the board's memory of 1 MiB. */
	static const char *const sets[] = {"n=262144", "kind=plain,other,third,nan,inf"};
	struct bench_plan_options options = {.suites = variant_suites,
					     .backends = backends,
					     .backend_text = "board:1",
					     .sets = sets,
					     .set_count = 2};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 5);
	assert_int_equal(plan->group_count, 2);
	assert_int_equal(plan->cases[4].group, 1);
	assert_string_equal(plan->cases[4].reference_lacks,
			    "none: kind=plain does not fit the device beside it");
	bench_plan_free(plan);
}

static void more_samples_than_can_be_are_refused(void **state)
{
	(void)state;
	static const char *const sets[] = {"samples=100001"};
	struct bench_plan_options options = {.suites = variant_suites,
					     .backends = backends,
					     .backend_text = "board:0",
					     .sets = sets,
					     .set_count = 1};
	refuse(&options, BENCH_USAGE, "100001 samples are more than 100000");
}

static struct bench_plan *plan_of_shapes(const char *const *sets, size_t count)
{
	static const struct bench_suite *const products[] = {&bench_suite_gemm, &bench_suite_conv2d, NULL};
	struct bench_plan_options options = {.suites = products,
					     .backends = backends,
					     .backend_text = "board:1",
					     .sets = sets,
					     .set_count = count};
	return plan_of(&options);
}

static void every_list_of_shapes_names_its_suites_parameters_and_a_source(void **state)
{
	(void)state;
	const struct bench_shapes *list = NULL;
	size_t lists = 0;
	for (; (list = bench_shapes_next(NULL, list)); lists++) {
		char set[64];
		const char *const sets[] = {set};
		snprintf(set, sizeof(set), "shapes=%s", list->name);
		assert_ptr_equal(bench_shapes_find(list->suite, list->name), list);
		assert_true(strlen(list->source) > 0);
		struct bench_plan *plan = plan_of_shapes(sets, 1);
		assert_true(plan->case_count > 3);
		bench_plan_free(plan);
	}
	assert_true(lists > 4);
	assert_null(bench_shapes_next("null", NULL));
}

static void shapes_stand_in_place_of_the_sweeps_and_what_else_is_set_replaces_parameters(void **state)
{
	(void)state;
	static const char *const sets[] = {"shapes=vgg16,bert", "dtype=f64", "m=7"};
	struct bench_plan *plan = plan_of_shapes(sets, 3);
	assert_int_equal(plan->case_count, 5 + 9);
	assert_string_equal(plan->cases[0].key,
			    "gemm/board:big-gpu/dtype=f64,m=7,n=768,k=768,trans=NT,alpha=1,beta=0,batch=1");
	assert_string_equal(plan->cases[5].key,
			    "conv2d/board:big-gpu/dtype=f64,layout=nchw,n=1,c=3,h=224,w=224,k=64,r=3,s=3,"
			    "stride=1,pad=1,dilation=1,groups=1,algorithm=auto");
	bench_plan_free(plan);
}

/* Values of inputs are no size: the sweeps stay, and the keys of the default are those of the history. */
static void data_keep_the_sweeps_and_uniform_the_keys(void **state)
{
	(void)state;
	static const char *const sets[] = {"data=uniform,zeros"};
	struct bench_plan *whole = plan_of_shapes(sets, 0), *plan = plan_of_shapes(sets, 1);
	const struct bench_planned *other = NULL;
	size_t of_zeros = 0;
	for (size_t i = 0; i < whole->case_count; i++)
		assert_null(strstr(whole->cases[i].key, "data="));
	for (size_t i = 0; i < plan->case_count; i++)
		if (strstr(plan->cases[i].key, ",data=zeros")) {
			other = &plan->cases[i];
			of_zeros++;
		}
	assert_non_null(other);
	assert_true(of_zeros > 1 && plan->case_count == whole->case_count + of_zeros);
	bench_plan_free(whole);
	bench_plan_free(plan);
}

/* Each number is a group, which has a process of its own. A GPU does not depend on it. */
static void a_list_of_threads_makes_cases_on_cpus(void **state)
{
	(void)state;
	static const char *const sets[] = {"threads=1", "n=4", "x=1"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:0,board:1",
					     .sets = sets,
					     .set_count = 3};
	struct bench_plan *plan = plan_of(&options);
	assert_int_equal(plan->case_count, 2);
	assert_int_equal(plan->group_count, 2);
	assert_string_equal(plan->cases[0].key, "toy/board:big-gpu/mode=right,m=4,n=4,x=1");
	assert_int_equal(bench_plan_threads(&plan->cases[0]), 0);
	assert_string_equal(plan->cases[1].key, "toy/board:slow-cpu/mode=right,m=4,n=4,x=1,threads=1");
	assert_int_equal(bench_plan_threads(&plan->cases[1]), 1);
	assert_true(plan->cases[0].group != plan->cases[1].group);
	bench_plan_free(plan);
	options.filter = "threads=1";
	plan = plan_of(&options);
	assert_int_equal(plan->case_count, 1);
	bench_plan_free(plan);
}

static void threads_that_cannot_be_are_refused(void **state)
{
	(void)state;
	static const struct bench_suite *const host[] = {&bench_suite_null, NULL};
	static const char *const rows[][2] = {
		{"threads=0", "0 is out of range: parameter threads takes 1 to"},
		{"threads=1,1", "is given '1' twice"},
		{"threads=100000", "processors that this process may use"},
		{"threads=two", "'two' is no whole number"},
		{"threads=1,", "'' is no whole number"},
		{"threads=2:1", "the smaller end first"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct bench_plan_options options = {
			.suites = suites, .backends = backends, .sets = rows[i], .set_count = 1};
		refuse(&options, BENCH_USAGE, rows[i][1]);
	}
	static const char *const one[] = {"threads=1"};
	const struct bench_plan_options options = {
		.suites = host, .backends = backends, .sets = one, .set_count = 1};
	refuse(&options, BENCH_USAGE, "no suite of this run has a parameter 'threads'");
}

static void shapes_that_do_not_exist_are_refused_with_the_nearest(void **state)
{
	(void)state;
	static const char *const rows[][2] = {{"shapes=bert,lama", "did you mean 'llama'"},
					      {"shapes=vgg16", "bert of gemm"},
					      {"shapes=bert,", "shapes ''"}};
	static const struct bench_suite *const products[] = {&bench_suite_gemm, NULL};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_plan_options options = {.suites = products,
						     .backends = backends,
						     .backend_text = "board:1",
						     .sets = &rows[i][0],
						     .set_count = 1};
		refuse(&options, BENCH_USAGE, rows[i][1]);
		options.suites = suites;
		refuse(&options, BENCH_USAGE, "parameter 'shapes'");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_chosen_by_index_kind_or_part_of_its_name),
		cmocka_unit_test(two_devices_of_one_kind_have_keys_of_their_own),
		cmocka_unit_test(a_backend_without_a_device_stays_with_its_reason),
		cmocka_unit_test(an_unknown_backend_or_device_is_named_with_the_nearest),
		cmocka_unit_test(a_library_on_another_backend_is_measured_only_by_name),
		cmocka_unit_test(a_size_of_a_preset_that_fits_nowhere_is_unsupported),
		cmocka_unit_test(sweeps_are_crossed_and_a_shared_point_is_measured_once),
		cmocka_unit_test(set_replaces_the_first_sweep_and_drops_the_others),
		cmocka_unit_test(a_preset_without_sweeps_takes_the_one_before),
		cmocka_unit_test(a_group_holds_one_point_on_every_target),
		cmocka_unit_test(a_device_that_is_too_small_is_unsupported_where_another_can),
		cmocka_unit_test(what_does_not_exist_is_refused_before_anything_runs),
		cmocka_unit_test(a_range_gives_its_values),
		cmocka_unit_test(filters_pick_by_parameter_name_and_pattern),
		cmocka_unit_test(variants_of_one_work_share_a_group_and_know_their_base),
		cmocka_unit_test(a_variant_without_its_base_says_so),
		cmocka_unit_test(variants_that_do_not_fit_together_are_measured_apart),
		cmocka_unit_test(more_samples_than_can_be_are_refused),
		cmocka_unit_test(every_list_of_shapes_names_its_suites_parameters_and_a_source),
		cmocka_unit_test(
			shapes_stand_in_place_of_the_sweeps_and_what_else_is_set_replaces_parameters),
		cmocka_unit_test(a_list_of_threads_makes_cases_on_cpus),
		cmocka_unit_test(threads_that_cannot_be_are_refused),
		cmocka_unit_test(data_keep_the_sweeps_and_uniform_the_keys),
		cmocka_unit_test(shapes_that_do_not_exist_are_refused_with_the_nearest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
