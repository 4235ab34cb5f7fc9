/* SPDX-License-Identifier: MIT */
/*
 * What a reader sees first of compare, gate and duel, on made data at 80, 100 and 160 columns. Expected texts
 * lie in tests/golden/report/answer/; BENCH_GOLDEN=write writes them anew.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "core/file.h"
#include "report/format/format.h"
#include "report/render/alarm_list.h"
#include "report/render/answer.h"
#include "report/render/history.h"
#include "report/render/names.h"
#include "report_fixture.h"

#define NOVEMBER 1793671200 /* 2026-11-03 02:00 UTC */

static const unsigned widths[] = {80, 100, 160};

/* A comparison, and what it was made from. */
struct scene {
	struct bench_comparison comparison;
	struct bench_run *run;
	struct bench_report_options options;
	struct bench_report_gate gate;
};

static struct bench_verdict *add(struct scene *scene, enum bench_verdict_kind kind, const char *backend,
				 unsigned n, double seconds, double ratio)
{
	char key[160];
	snprintf(key, sizeof(key), "gemm/%s/dtype=f32,m=%u,n=%u,k=%u,trans=NN%s", backend, n, n, n,
		 kind == BENCH_BROKEN ? "" : "/time");
	struct bench_verdict *verdict = fixture_verdict(&scene->comparison, kind, key, ratio, "");
	if (!isnan(ratio)) {
		verdict->base_median = seconds;
		verdict->candidate_median = seconds * ratio;
	}
	return verdict;
}

#define OPENCL   "opencl:" POCL
#define OPENBLAS "openblas:" BLAS

static void begin(struct scene *scene, const char *command, const char *baseline, const char *base_run)
{
	struct bench_arena *arena = &scene->comparison.arena;
	*scene = (struct scene){0};
	scene->run = fixture_empty("20261126-021500");
	scene->run->command = bench_arena_string(&scene->run->arena, command);
	scene->comparison.options = (struct bench_compare_options){.threshold = 0.02, .alpha = 0.01};
	scene->comparison.baseline_name = bench_arena_string(arena, baseline);
	scene->comparison.candidate_id = bench_arena_string(arena, scene->run->id);
	scene->options.command = command;
	scene->options.candidate = scene->run;
	scene->gate = (struct bench_report_gate){
		.seconds = 47, .in_turns = !base_run, .exit = "exit status 1: blocks the change"};
	if (!base_run)
		return;
	char **id = bench_arena_push(arena, &scene->comparison.baseline_ids,
				     &scene->comparison.baseline_count, sizeof(*id));
	*id = bench_arena_string(arena, base_run);
	scene->comparison.baseline_commit =
		bench_arena_string(arena, "1b2c3d4e5f60718293a4b5c6d7e8f9012a3b4c5d");
}

static void add_same(struct scene *scene, unsigned first)
{
	for (unsigned n = first; n <= 1024; n *= 2) {
		add(scene, BENCH_SAME, OPENCL, n, 4e-15 * n * n * n, 1.003);
		add(scene, BENCH_SAME, OPENBLAS, n, 3e-15 * n * n * n, 0.998);
	}
}

static struct bench_text render(const struct scene *scene, const struct bench_format *format, unsigned width)
{
	struct bench_text out = {0};
	struct bench_report_options options = scene->options;
	options.format = format;
	options.width = width;
	format->comparison(&scene->comparison, &options, &out);
	return out;
}

/* The longest line, but for commands, which are never broken. */
static void assert_fits(const char *text, unsigned width)
{
	size_t length = 0;
	for (const char *at = text, *line = text; *at; at++) {
		if (*at != '\n')
			continue;
		length = (size_t)(at - line);
		/* Commands and full names are never broken. */
		if (length > width && strncmp(line, "  bench ", strlen("  bench ")) != 0 &&
		    strncmp(line, "  BENCH_", strlen("  BENCH_")) != 0 &&
		    strncmp(line + strspn(line, " "), "gemm/", strlen("gemm/")) != 0)
			fail_msg("%zu columns of %u: %.*s", length, width, (int)length, line);
		line = at + 1;
	}
}

static void assert_golden(const char *name, const struct bench_text *text)
{
	char path[512], *expected;
	size_t length;
	struct bench_error error;
	const char *mode = getenv("BENCH_GOLDEN");
	snprintf(path, sizeof(path), "%s/tests/golden/report/answer/%s.txt", BENCH_SOURCE_DIR, name);
	if (mode && strcmp(mode, "write") == 0)
		assert_int_equal(bench_file_write(path, text->data, text->length, &error), 0);
	if (bench_file_read(path, 1 << 20, &expected, &length, &error) != 0)
		fail_msg("%s", error.text);
	if (strcmp(expected, text->data) != 0)
		fail_msg("%s differs; this is what came:\n%s", path, text->data);
	free(expected);
}

/* All widths in one text, the first line of the answer in every format for people. */
static void end(struct scene *scene, const char *name, const char *answer)
{
	static const struct bench_format *const others[] = {&bench_format_markdown, &bench_format_comment,
							    &bench_format_github};
	struct bench_text all = {0};
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct bench_text out = render(scene, &bench_format_table, widths[i]);
		assert_fits(out.data, widths[i]);
		bench_text_add(&all, "%s%u columns\n\n%s", i ? "\n" : "", widths[i], out.data);
		assert_int_equal(strncmp(out.data, answer, strlen(answer)), 0);
		bench_text_free(&out);
	}
	assert_golden(name, &all);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct bench_text out = render(scene, others[i], 0);
		/* Up to what the format escapes. */
		const char *start = bench_arena_format(&scene->comparison.arena, "%.*s",
						       (int)strcspn(answer, "%>[-"), answer);
		const char *found = strstr(out.data, start), *table = strstr(out.data, "| verdict |");
		if (!found || (table && table < found))
			fail_msg("'%s' is not what %s begins with:\n%s", answer, others[i]->name, out.data);
		bench_text_free(&out);
	}
	bench_text_free(&all);
	bench_record_free(scene->run);
	bench_arena_free(&scene->comparison.arena);
}

static void compare_of_what_is_the_same(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench run --suite gemm", "the run before", "20261125-211323");
	add_same(&scene, 64);
	end(&scene, "compare-same", "SAME: all 10 (a change of 3.1% would have been seen)");
}

static void compare_of_one_that_is_slower(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench run --suite gemm", "main", "20261125-211323");
	struct bench_verdict *slower = add(&scene, BENCH_SLOWER, OPENCL, 32, 599e-6, 1.861);
	slower->lo = 1.49;
	slower->hi = 2.33;
	slower->level = 0.999;
	add(&scene, BENCH_FASTER, OPENBLAS, 32, 12e-6, 0.874);
	add_same(&scene, 64);
	end(&scene, "compare-slower", "SLOWER: 1 of 12, 1 faster. gemm 32 opencl: 599.0 us -> 1.115 ms");
}

/* Of the names that are long, and reasons that are shared; 128 comes after 64. */
static void make_unclear(struct scene *scene, unsigned disturbed)
{
	for (unsigned n = 64; n <= 512; n *= 2) {
		struct bench_verdict *verdict =
			add(scene, BENCH_UNCLEAR, OPENCL, n, 4e-15 * n * n * n, 1.068);
		verdict->lo = 0.97;
		verdict->hi = 1.181;
		verdict->level = 0.9;
		verdict->threshold = n > 64 ? 0.246 : 0.02;
		verdict->candidate_invocations = 2;
		verdict->candidate_disturbed = disturbed;
		verdict->needed = 6;
		verdict->why = n > 64 ? bench_arena_format(&scene->comparison.arena,
							   "too few quiet invocations (2 of %u)",
							   2 + disturbed + n / 512)
				      : bench_arena_string(&scene->comparison.arena,
							   "the interval reaches past the threshold of 2%");
		verdict->reason = bench_arena_string(
			&scene->comparison.arena,
			"2 invocations a side cannot show p <= 0.005 over 2 metrics; 6 a side could");
	}
}

static void compare_of_what_is_unclear(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench run --suite gemm --budget 20s", "rolling:5", "20261125-211323");
	scene.run->budget_seconds = 20;
	bench_record_attribute_set(&scene.run->arena, &scene.run->host, &scene.run->host_count,
				   "env.BENCH_KERNELS", "my kernels");
	make_unclear(&scene, 6);
	add_same(&scene, 1024);
	end(&scene, "compare-unclear", "UNCLEAR: 4 of 6. gemm ");
}

static void compare_with_the_statistics(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench run --suite gemm --budget 20s", "rolling:5", "20261125-211323");
	make_unclear(&scene, 6);
	scene.options.explain = true;
	end(&scene, "compare-explain", "UNCLEAR: 4 of 4. gemm ");
}

static void compare_of_what_is_broken(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench run --suite gemm", "20261125-211323", "20261125-211323");
	struct bench_verdict *broken = add(&scene, BENCH_BROKEN, OPENCL, 7, NAN, NAN);
	broken->reason =
		bench_arena_string(&scene.comparison.arena, "was ok, now incorrect: b[16] is 0.31, not 0.30");
	fixture_result(scene.run, "gemm", "opencl", POCL, "dtype=f32,m=7,n=7,k=7,trans=NN",
		       BENCH_STATUS_INCORRECT, "");
	/* What the run was given in its environment, the commands that measure again are given, too. */
	bench_record_attribute_set(&scene.run->arena, &scene.run->host, &scene.run->host_count,
				   "env.BENCH_KERNELS", "my kernels");
	struct bench_verdict *missing = add(&scene, BENCH_MISSING, OPENCL, 8, NAN, NAN);
	missing->reason = bench_arena_string(&scene.comparison.arena,
					     "the command asked for it, and the run has no such case");
	add_same(&scene, 256);
	end(&scene, "compare-broken", "BROKEN: 1 of 8, 1 missing. gemm 7 opencl: was ok, now incorrect: ");
}

/* With several runs as a baseline there is none to set the run against. */
static void gate_of_a_missing_case(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench gate --suite gemm --baseline rolling:10", "rolling:10", "20261125-021500");
	char **id = bench_arena_push(&scene.comparison.arena, &scene.comparison.baseline_ids,
				     &scene.comparison.baseline_count, sizeof(*id));
	*id = bench_arena_string(&scene.comparison.arena, "20261124-021500");
	scene.options.gate = &scene.gate;
	scene.gate.exit = "exit status 4: blocks the change";
	struct bench_verdict *missing = add(&scene, BENCH_MISSING, OPENCL, 8, NAN, NAN);
	missing->reason = bench_arena_string(&scene.comparison.arena,
					     "the command asked for it, and the run has no such case");
	add_same(&scene, 256);
	end(&scene, "gate-missing", "MISSING: 1 of 7. gemm 8 opencl: the command asked for it, ");
}

static void compare_of_a_first_night(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench gate --suite gemm", "anchor 20261125-211323", NULL);
	add(&scene, BENCH_NEW, OPENCL, 64, NAN, NAN);
	add(&scene, BENCH_NEW, OPENCL, 128, NAN, NAN);
	end(&scene, "compare-first-night", "FIRST NIGHT: all 2 are new; the next run has something to ");
}

static const struct bench_verdict_alarm news = {.id = 3,
						.is_new = true,
						.since = NOVEMBER,
						.nights = 1,
						.ratio = 1.861,
						.lo = 1.49,
						.hi = 2.33,
						.ci_level = 0.95,
						.unit = "s",
						.largest = {.key = "",
							    .unit = "s",
							    .ratio = 1.861,
							    .lo = 1.49,
							    .hi = 2.33,
							    .ci_level = 0.95,
							    .now_ratio = NAN,
							    .now_lo = NAN,
							    .now_hi = NAN},
						.good_commit = "1b2c3d4e5f607182",
						.bad_commit = "4af884b1c2d35e6f",
						.culprit = ""};

static void gate_with_an_alarm(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench gate --suite gemm", "anchor 20261125-211323", NULL);
	scene.options.gate = &scene.gate;
	scene.gate.machine = 1.12;
	struct bench_verdict *slower = add(&scene, BENCH_SLOWER, OPENCL, 32, 599e-6, 1.861);
	slower->reason = bench_arena_string(&scene.comparison.arena, "confirmed in fresh processes (+84.0%)");
	slower->lo = news.lo;
	slower->hi = news.hi;
	slower->alarm = &news;
	add_same(&scene, 64);
	end(&scene, "gate-alarm", "SLOWER: 1 of 11. gemm 32 opencl: 599.0 us -> 1.115 ms (+86.1%, ");
}

static void gate_under_an_old_alarm(void **state)
{
	struct scene scene;
	struct bench_verdict_alarm old = news;
	(void)state;
	old.is_new = false;
	begin(&scene, "bench gate --suite gemm", "anchor 20261125-211323", NULL);
	scene.options.gate = &scene.gate;
	scene.options.places = " --db other.db";
	add(&scene, BENCH_UNCLEAR, OPENCL, 32, 599e-6, 1.05)->alarm = &old;
	add_same(&scene, 64);
	end(&scene, "gate-old-alarm", "ALARM: 1 of 11 under alarm 3, open since 2026-11-03. gemm 32 ");
}

static void gate_that_suspects(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench gate --suite gemm --baseline rolling:10", "rolling:10", "20261125-021500");
	scene.options.gate = &scene.gate;
	scene.gate.exit = "exit status 6: suspected, which should warn and not block";
	struct bench_verdict *suspected = add(&scene, BENCH_SUSPECTED, OPENCL, 32, 599e-6, 1.086);
	suspected->reason =
		bench_arena_string(&scene.comparison.arena, "slower on one night; the next one tells");
	add_same(&scene, 64);
	end(&scene, "gate-suspected", "SUSPECTED: 1 of 11. gemm 32 opencl: 599.0 us -> ");
}

/* So few invocations were quiet that more of them would not decide it. */
static void gate_that_cannot_decide(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench gate --suite gemm --budget 20s", "anchor 20261125-211323", NULL);
	scene.options.gate = &scene.gate;
	scene.run->budget_seconds = 20;
	scene.gate.undecided.too_many = true;
	scene.gate.exit = "exit status 6: undecided, which should warn and not block";
	make_unclear(&scene, 14);
	add_same(&scene, 1024);
	end(&scene, "gate-undecided", "UNCLEAR: 4 of 6. gemm ");
}

static void gate_of_a_young_history(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench gate --suite gemm --baseline rolling:10", "rolling:10", "20261125-021500");
	scene.options.gate = &scene.gate;
	scene.gate.undecided = (struct bench_gate_undecided){.too_many = true, .begins = true};
	scene.gate.exit = "exit status 7: nothing to judge by yet, which should not block";
	make_unclear(&scene, 6);
	end(&scene, "gate-first-nights", "FIRST NIGHTS: 4 of 4 unclear against 1 run; 5 or more can decide");
}

static void duel_of_two_builds(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench duel --suite gemm --set n=64 base/bench head/bench", "base/bench", NULL);
	bench_record_attribute_set(&scene.run->arena, &scene.run->labels, &scene.run->label_count, "aside",
				   "duel");
	add(&scene, BENCH_SLOWER, OPENBLAS, 64, 2.724e-6, 2.571);
	end(&scene, "duel-slower", "SLOWER: gemm openblas: 2.724 us -> 7.003 us (+157.1%, ");
}

/* Renders three widths, and compares. */
static void golden_of(const char *name, void (*add_text)(unsigned width, struct bench_text *out))
{
	struct bench_text all = {0};
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct bench_text out = {0};
		add_text(widths[i], &out);
		assert_fits(out.data, widths[i]);
		bench_text_add(&all, "%s%u columns\n\n%s", i ? "\n" : "", widths[i], out.data);
		bench_text_free(&out);
	}
	assert_golden(name, &all);
	bench_text_free(&all);
}

/* Of alarm 3 a metric that was far worse has recovered: the number is that of the one that is open. */
static struct bench_alarm_metric members[] = {
	{.key = "gemm/" OPENCL "/dtype=f32,m=128,n=128,k=128,trans=NN/time",
	 .unit = "s",
	 .state = BENCH_ALARM_RECOVERED,
	 .level = 40e-6,
	 .ratio = 1.497,
	 .lo = 1.48,
	 .hi = 1.51,
	 .ci_level = 0.95,
	 .last_ratio = 1.002,
	 .last_lo = 0.99,
	 .last_hi = 1.01,
	 .last_ci_level = 0.95,
	 .last_run = "20261112-021500",
	 .nights = 9,
	 .closed_run = "20261112-021500",
	 .why = ""},
	{.key = "gemm/" OPENCL "/dtype=f32,m=512,n=512,k=512,trans=NN/time",
	 .unit = "s",
	 .state = BENCH_ALARM_OPEN,
	 .level = 599e-6,
	 .ratio = 1.097,
	 .lo = 1.09,
	 .hi = 1.11,
	 .ci_level = 0.95,
	 .last_ratio = 1.211,
	 .last_lo = NAN,
	 .last_hi = NAN,
	 .last_ci_level = NAN,
	 .last_run = "20261126-021500",
	 .nights = 4,
	 .closed_run = "",
	 .why = ""}};
static const struct bench_alarm alarm_3 = {.id = 3,
					   .fingerprint = "659470b9cacf88e3",
					   .track = "preset=nightly;suite=gemm;",
					   .first_bad = "20261103-021500",
					   .last_good = "20261102-021500",
					   .bad_commit = "4af884b1c2d35e6f",
					   .good_commit = "1b2c3d4e5f607182",
					   .culprit = "",
					   .since = NOVEMBER,
					   .metrics = members,
					   .metric_count = 2};

static void add_alarm_list(unsigned width, struct bench_text *out)
{
	const struct bench_alarm_origin origin = {"buildbox", "bench gate --suite gemm --preset nightly"};
	struct bench_grid grid = {0};
	bench_render_alarm_list(&alarm_3, &origin, 1, true, &grid);
	bench_render_grid_render(&grid, width, false, out);
	bench_render_grid_free(&grid);
}

static void alarms_are_listed_by_what_is_open(void **state)
{
	struct bench_text out = {0};
	(void)state;
	golden_of("alarms", add_alarm_list);
	add_alarm_list(80, &out);
	assert_non_null(strstr(out.data, "+9.7%"));
	assert_null(strstr(out.data, "+49.7%"));
	assert_null(strstr(out.data, "..."));
	bench_text_free(&out);
}

static void add_alarm_metrics(unsigned width, struct bench_text *out)
{
	struct bench_grid grid = {0};
	bench_render_alarm_metrics(&alarm_3, 1, true, &grid);
	bench_render_grid_render(&grid, width, false, out);
	bench_render_grid_free(&grid);
}

static void metrics_of_an_alarm_have_their_full_names(void **state)
{
	(void)state;
	golden_of("alarm", add_alarm_metrics);
}

static void add_history(unsigned width, struct bench_text *out)
{
	static const struct bench_history_value values[] = {
		{.run = "20261124-021500",
		 .commit = "1b2c3d4e5f607182",
		 .key = "gemm/" OPENCL "/dtype=f32,m=128,n=128,k=128,trans=NN/time",
		 .unit = "s",
		 .started = NOVEMBER,
		 .median = 40e-6,
		 .ci_lo = 39e-6,
		 .ci_hi = 42e-6,
		 .ci_level = 0.95,
		 .accepted = ""},
		{.run = "20261125-021500",
		 .commit = "4af884b1c2d35e6f",
		 .key = "gemm/" OPENCL "/dtype=f32,m=128,n=128,k=128,trans=NN/time",
		 .unit = "s",
		 .started = NOVEMBER + 86400,
		 .median = 41e-6,
		 .ci_lo = 40e-6,
		 .ci_hi = 42e-6,
		 .ci_level = 0.5,
		 .disturbed = true,
		 .accepted = "the price of it"},
		{.run = "20261125-021500",
		 .commit = "4af884b1c2d35e6f",
		 .key = "gemm/" OPENCL "/dtype=f32,m=64,n=64,k=64,trans=NN/time",
		 .unit = "s",
		 .started = NOVEMBER + 86400,
		 .median = 9e-6,
		 .ci_lo = 9e-6,
		 .ci_hi = 9e-6,
		 .ci_level = 0,
		 .accepted = ""}};
	bench_render_history(values, sizeof(values) / sizeof(values[0]), width, false, out);
}

static void a_history_has_a_table_a_metric(void **state)
{
	struct bench_text out = {0};
	(void)state;
	golden_of("history", add_history);
	add_history(80, &out);
	assert_true(strstr(out.data, "m=64,") < strstr(out.data, "m=128,"));
	bench_text_free(&out);
}

static void names_are_short_and_told_apart(void **state)
{
	struct scene scene;
	struct bench_comparison *comparison = &scene.comparison;
	(void)state;
	begin(&scene, "bench run", "main", NULL);
	fixture_verdict(comparison, BENCH_SAME, "gemm/opencl:a/dtype=f32,m=64,n=64/time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "gemm/opencl:a/dtype=f16,m=64,n=64/time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "gemm/opencl:b/dtype=f16,m=8,n=64/time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "gemm/opencl:b/dtype=f16,m=8,n=64/device_time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "exec/host:cpu/command=loop/time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "exec/host:cpu/command=formula/time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "peak/host:cpu//time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "tools/host:cpu/command=sort,n=1/time", 1, "");
	fixture_verdict(comparison, BENCH_SAME, "imported", 1, "");
	const char *const *names = bench_render_names(&comparison->arena, comparison);
	assert_string_equal(names[0], "gemm f32 m=64");
	assert_string_equal(names[1], "gemm f16 m=64");
	assert_string_equal(names[2], "gemm f16 m=8");
	assert_string_equal(names[3], "gemm f16 m=8 device_time");
	assert_string_equal(names[4], "exec loop");
	assert_string_equal(names[5], "exec formula");
	assert_string_equal(names[6], "peak host");
	assert_string_equal(names[7], "tools sort");
	assert_string_equal(names[8], "imported");
	for (size_t i = 0; i < comparison->verdict_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(names[i], names[j]);
	bench_record_free(scene.run);
	bench_arena_free(&comparison->arena);
}

static void a_case_as_a_whole_is_told_apart_from_the_time_of_another(void **state)
{
	struct scene scene;
	struct bench_comparison *comparison = &scene.comparison;
	(void)state;
	begin(&scene, "bench run", "main", NULL);
	fixture_verdict(comparison, BENCH_NEW, "gemm/*/dtype=f16,n=64", NAN, "")->metric =
		bench_arena_string(&comparison->arena, "");
	fixture_verdict(comparison, BENCH_SAME, "gemm/*/dtype=f32,n=64/time", 1, "");
	const char *const *names = bench_render_names(&comparison->arena, comparison);
	assert_string_equal(names[0], "gemm f16");
	assert_string_equal(names[1], "gemm f32");
	bench_record_free(scene.run);
	bench_arena_free(&comparison->arena);
}

static void names_are_in_the_order_of_their_numbers(void **state)
{
	(void)state;
	assert_true(bench_render_names_order("gemm 64", "gemm 128") < 0);
	assert_true(bench_render_names_order("gemm n=1024 f32", "gemm n=320") > 0);
	assert_true(bench_render_names_order("gemm 064", "gemm 64") == 0);
	assert_true(bench_render_names_order("a", "a b") < 0);
	assert_true(bench_render_names_order("b", "a1") > 0);
}

static void an_option_of_a_command_is_replaced_or_added(void **state)
{
	struct bench_arena arena = {0};
	(void)state;
	assert_string_equal(
		bench_render_next_with(&arena, "bench gate --budget 20s --set 'a b=1'", "budget", "40s"),
		"bench gate --budget 40s --set 'a b=1'");
	assert_string_equal(bench_render_next_with(&arena, "bench duel --budget=20s a b", "invocations", "9"),
			    "bench duel --invocations 9 --budget=20s a b");
	assert_string_equal(
		bench_render_next_with(&arena, "bench gate --baseline x --db y", "baseline", NULL),
		"bench gate --db y");
	bench_arena_free(&arena);
}

/* No line names a metric by a part of its name, however narrow the terminal. */
static void a_long_name_stands_above_its_numbers_whole(void **state)
{
	struct scene scene;
	(void)state;
	begin(&scene, "bench run", "main", NULL);
	fixture_verdict(&scene.comparison, BENCH_SLOWER,
			"transfer/opencl:a/direction=upload-and-download-at-once,memory=page-locked-by-the-"
			"driver-itself/time",
			1.5, "");
	fixture_verdict(&scene.comparison, BENCH_SLOWER, "transfer/opencl:a/direction=upload,memory=x/time",
			1.2, "");
	fixture_verdict(&scene.comparison, BENCH_SLOWER,
			"transfer/opencl:a/direction=upload,memory=page-locked-by-the-driver-itself/time",
			1.1, "");
	struct bench_text out = render(&scene, &bench_format_table, 80);
	assert_non_null(strstr(out.data, "upload-and-download-at-once page-locked-by-the-driver-itself\n"));
	assert_null(strstr(out.data, "..."));
	assert_fits(out.data, 80);
	bench_text_free(&out);
	bench_record_free(scene.run);
	bench_arena_free(&scene.comparison.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compare_of_what_is_the_same),
		cmocka_unit_test(compare_of_one_that_is_slower),
		cmocka_unit_test(compare_of_what_is_unclear),
		cmocka_unit_test(compare_with_the_statistics),
		cmocka_unit_test(compare_of_what_is_broken),
		cmocka_unit_test(gate_of_a_missing_case),
		cmocka_unit_test(compare_of_a_first_night),
		cmocka_unit_test(gate_with_an_alarm),
		cmocka_unit_test(gate_under_an_old_alarm),
		cmocka_unit_test(gate_that_suspects),
		cmocka_unit_test(gate_that_cannot_decide),
		cmocka_unit_test(gate_of_a_young_history),
		cmocka_unit_test(duel_of_two_builds),
		cmocka_unit_test(alarms_are_listed_by_what_is_open),
		cmocka_unit_test(metrics_of_an_alarm_have_their_full_names),
		cmocka_unit_test(a_history_has_a_table_a_metric),
		cmocka_unit_test(names_are_short_and_told_apart),
		cmocka_unit_test(a_case_as_a_whole_is_told_apart_from_the_time_of_another),
		cmocka_unit_test(names_are_in_the_order_of_their_numbers),
		cmocka_unit_test(an_option_of_a_command_is_replaced_or_added),
		cmocka_unit_test(a_long_name_stands_above_its_numbers_whole),
	};
	/* Dates are local time: the expected texts are in UTC. */
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
