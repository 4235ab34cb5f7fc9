/* SPDX-License-Identifier: MIT */
/* The anchor's levels through nights and accepted shifts, and the programs that are kept. */
#include "app/anchor.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "app/kept.h"
#include "compare/duel.h"
#include "core/file.h"
#include "store_fixture.h"

#include "made_run.h"

#define KEY(n) "gemm/openblas:cpu/n=" #n "/time"

enum { INVOCATIONS = 12 };

/* Of the anchor, in the nights that follow. */
static double base_time = 1e-3;
/* Of the first case, over the anchor's; 0: it has none. */
static double device_ratio;

static void add_ratios(struct bench_run *run, struct bench_result *result, const char *name, double median,
		       const double *values)
{
	struct bench_metric *metric = made_metric(run, result, name, BENCH_BETTER_LOWER, values, INVOCATIONS);
	metric->unit = bench_arena_string(&run->arena, "ratio");
	metric->summary.median = median;
}

/* A night of two cases, with these ratios over the anchor; stored. */
static struct bench_run *night(struct bench_store *store, const char *id, int64_t started, const char *anchor,
			       const char *kept, const double ratios[2])
{
	struct bench_run *run = made_run(id);
	bool added;
	run->started = started;
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "anchor", anchor);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "duel_base", "./bench");
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "kept", kept);
	for (unsigned n = 0; n < 2; n++) {
		double values[INVOCATIONS], own[INVOCATIONS];
		struct bench_result *result = made_case(run, n);
		for (int i = 0; i < INVOCATIONS; i++) {
			values[i] = ratios[n] * exp(0.002 * (7 * i % INVOCATIONS - 5.5) / 5.5);
			own[i] = base_time;
		}
		add_ratios(run, result, "relative_time", ratios[n], values);
		for (int i = 0; i < INVOCATIONS; i++)
			values[i] *= device_ratio / ratios[n];
		if (n == 0 && device_ratio > 0)
			add_ratios(run, result, "relative_device_time", device_ratio, values);
		made_metric(run, result, "base_time", BENCH_BETTER_NONE, own, INVOCATIONS)->summary.median =
			base_time;
	}
	must(bench_store_ingest(store, run, &added, &error));
	return run;
}

static void put(struct bench_store *store, const struct bench_run *run, const char *content)
{
	struct bench_arena arena = {0};
	const struct bench_anchor_row row = {.fingerprint = "0123456789abcdef",
					     .track = bench_compare_track(run, &arena),
					     .run = run->id,
					     .content = content,
					     .commit = "",
					     .why = "the first night"};
	must(bench_store_anchor_put(store, &row, &error));
	bench_arena_free(&arena);
}

static struct bench_anchor_row newest(struct bench_store *store, const struct bench_run *run,
				      struct bench_arena *arena)
{
	struct bench_anchor_row *rows;
	size_t count;
	must(bench_store_anchors(store, "0123456789abcdef", bench_compare_track(run, arena), arena, &rows,
				 &count, &error));
	assert_true(count > 0);
	return rows[count - 1];
}

static void assert_level(const struct bench_anchor_row *row, size_t index, const char *key, double ratio,
			 double chain)
{
	assert_true(index < row->level_count);
	assert_string_equal(row->levels[index].key, key);
	assert_true(fabs(exp(row->levels[index].shift) - ratio) < 1e-3);
	assert_true(fabs(exp(row->levels[index].chain) - chain) < 1e-3);
}

/* The accepted run's executable is gone: the anchor stays, and the metric's level moves. */
static void a_level_moves_without_its_executable(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	struct bench_run *first = night(store, "20261101-000000", 1000, "itself", "aaaa", (double[]){1, 1});
	put(store, first, "aaaa");
	struct bench_run *second =
		night(store, "20261102-000000", 2000, "20261101-000000", "bbbb", (double[]){1.26, 1.1});
	must(bench_app_anchor_accept(store, store_path(state, "results.db"), second->id, KEY(0), "meant",
				     &error));
	struct bench_anchor_row row = newest(store, second, &arena);
	assert_string_equal(row.run, first->id);
	assert_string_equal(row.content, "aaaa");
	assert_int_equal(row.level_count, 1);
	assert_level(&row, 0, KEY(0), 1 / 1.26, 1);
	assert_true(row.levels[0].error > 0 && row.levels[0].error < 0.005);

	/* Judged against it: the same, and the other metric is slower. */
	struct bench_duel_options options = {.base_name = "anchor",
					     .threshold = 0.02,
					     .alpha = 0.01,
					     .levels = row.levels,
					     .level_count = row.level_count};
	struct bench_comparison *comparison;
	must(bench_compare_duel(second, &options, &comparison, &error));
	assert_int_equal(bench_compare_find(comparison, KEY(0))->kind, BENCH_SAME);
	assert_int_equal(bench_compare_find(comparison, KEY(1))->kind, BENCH_SLOWER);
	bench_compare_free(comparison);

	/* Another anchor's run says nothing of this one's level. */
	struct bench_run *stranger =
		night(store, "20261103-000000", 3000, "20260901-000000", "cccc", (double[]){1, 1});
	assert_int_equal(bench_app_anchor_accept(store, "x.db", stranger->id, KEY(0), "meant", &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "another anchor"));
	bench_record_free(first);
	bench_record_free(second);
	bench_record_free(stranger);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* It is kept, and becomes the anchor; what nobody accepted is still judged against its own level. */
static void an_accepted_executable_becomes_the_anchor(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	const char *db = store_path(state, "results.db");
	char *content;
	struct bench_run *first = night(store, "20261101-000000", 1000, "itself", "aaaa", (double[]){1, 1});
	put(store, first, "aaaa");
	must(bench_app_kept_add(db, first, &arena, &content, &error));
	struct bench_run *second =
		night(store, "20261102-000000", 2000, "20261101-000000", content, (double[]){1.26, 1.1});
	must(bench_app_anchor_accept(store, db, second->id, KEY(0), "meant", &error));
	struct bench_anchor_row row = newest(store, second, &arena);
	assert_string_equal(row.run, second->id);
	assert_string_equal(row.content, content);
	assert_non_null(strstr(row.why, "meant"));
	assert_int_equal(row.level_count, 2);
	assert_level(&row, 0, KEY(0), 1, 1.26);
	assert_level(&row, 1, KEY(1), 1.1, 1.1);

	/* The other one is accepted from the same run, which is the anchor by now. */
	must(bench_app_anchor_accept(store, db, second->id, KEY(1), "meant", &error));
	row = newest(store, second, &arena);
	assert_level(&row, 0, KEY(0), 1, 1.26);
	assert_level(&row, 1, KEY(1), 1, 1.1);

	/* The history goes on where it was: 1.1 over the first anchor is 1 over the second. */
	struct bench_run *third =
		night(store, "20261103-000000", 3000, "20261102-000000", content, (double[]){1, 1});
	struct bench_point *points;
	size_t count;
	must(bench_store_history(store, "gemm/openblas:cpu/n=1/relative_time", &arena, &points, &count,
				 &error));
	assert_int_equal(count, 3);
	assert_true(points[1].level_shift == 0);
	assert_true(fabs(exp(points[2].level_shift) - 1.1) < 1e-3);

	/* Later it is judged as in that night: before anything was accepted. */
	struct bench_comparison *comparison;
	const struct bench_compare_options options = {.threshold = 0.02, .alpha = 0.01};
	third->started = INT64_MAX;
	must(bench_app_anchor_compare(store, third, &options, &comparison, &error));
	assert_string_equal(comparison->baseline_name, "anchor 20261102-000000");
	assert_int_equal(comparison->counts[BENCH_SAME], 2);
	bench_compare_free(comparison);
	assert_int_equal(bench_app_anchor_compare(store, first, &options, &comparison, &error), -1);
	assert_non_null(strstr(error.text, "was not interleaved with an anchor"));
	bench_record_free(first);
	bench_record_free(second);
	bench_record_free(third);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* A case's time and device time have a level each, as they are accepted each by itself. */
static void a_device_time_has_its_own_level(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	const char *db = store_path(state, "results.db");
	char *content;
	struct bench_run *first = night(store, "20261101-000000", 1000, "itself", "aaaa", (double[]){1, 1});
	put(store, first, "aaaa");
	must(bench_app_kept_add(db, first, &arena, &content, &error));
	device_ratio = 1.3;
	struct bench_run *second =
		night(store, "20261102-000000", 2000, "20261101-000000", content, (double[]){1, 1});
	must(bench_app_anchor_accept(store, db, second->id, "*/device_time", "meant", &error));
	struct bench_anchor_row row = newest(store, second, &arena);
	assert_string_equal(row.run, second->id);
	assert_level(&row, 0, "gemm/openblas:cpu/n=0/device_time", 1, 1.3);
	struct bench_run *third =
		night(store, "20261103-000000", 3000, "20261102-000000", content, (double[]){1, 1});
	struct bench_point *points;
	size_t count;
	must(bench_store_history(store, "*/relative_device_time", &arena, &points, &count, &error));
	assert_int_equal(count, 2);
	assert_true(fabs(exp(points[1].level_shift) - 1.3) < 1e-3);
	device_ratio = 0;
	bench_record_free(first);
	bench_record_free(second);
	bench_record_free(third);
	bench_arena_free(&arena);
	bench_store_close(store);
}

/* What the night's executable has and the anchor lacks makes it the anchor; a broken case does not. */
static void new_cases_move_the_anchor(void **state)
{
	static const struct {
		enum bench_verdict_kind kind;
		const char *aside;
		bool moves;
	} nights[] = {{BENCH_NEW, NULL, true},
		      {BENCH_SAME, NULL, false},
		      {BENCH_BROKEN, NULL, false},
		      {BENCH_NEW, "slowdown 5%", false}};
	for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++) {
		struct bench_store *store = open_store(state);
		const char id[] = {'n', (char)('0' + i), '\0'};
		struct bench_run *run =
			night(store, id, 2000, "20261101-000000", "bbbb", (double[]){1.26, 1});
		struct bench_arena arena = {0};
		const struct bench_app_measure measure = {.store = store, .run = run};
		struct bench_app_anchor anchor = {.db = store_path(state, "results.db"),
						  .fingerprint = "0123456789abcdef",
						  .track = bench_compare_track(run, &arena),
						  .content = bench_arena_string(&arena, "bbbb"),
						  .row = {.run = "20261101-000000"}};
		const struct bench_duel_options options = {
			.base_name = "anchor", .threshold = 0.02, .alpha = 0.01};
		struct bench_comparison *comparison;
		if (nights[i].aside)
			bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside",
						   nights[i].aside);
		must(bench_compare_duel(run, &options, &comparison, &error));
		comparison->counts[nights[i].kind]++;
		must(bench_app_anchor_settle(&anchor, &measure, comparison, &error));
		assert_int_equal((int)query(state, "SELECT count(*) FROM anchor"), nights[i].moves);
		if (nights[i].moves) {
			struct bench_anchor_row row = newest(store, run, &arena);
			assert_level(&row, 0, KEY(0), 1.26, 1.26);
		}
		bench_compare_free(comparison);
		bench_app_anchor_free(&anchor);
		bench_arena_free(&arena);
		bench_record_free(run);
		bench_store_close(store);
		run_sql(state, "results.db", "DELETE FROM anchor");
	}
}

/* A slower machine is seen in the anchor's own times, whatever the ratios do; three nights tell what it was
 * before. */
static void the_machine_is_told_by_the_anchor(void **state)
{
	struct bench_store *store = open_store(state);
	const char *ids[] = {"20261101-000000", "20261102-000000", "20261103-000000", "20261104-000000"};
	for (int i = 0; i < 4; i++) {
		base_time = i == 3 ? 1.2e-3 : 1e-3;
		struct bench_run *run =
			night(store, ids[i], 1000 * (i + 1), "20261001-000000", "aaaa", (double[]){1 + i, 1});
		double machine = bench_app_anchor_machine(store, run, &error);
		assert_true(i < 3 ? isnan(machine) : fabs(machine - 1.2) < 1e-9);
		bench_record_free(run);
	}
	base_time = 1e-3;
	bench_store_close(store);
}

static void add_kernels(void **state, const char *text)
{
	must(bench_file_make_folder(store_path(state, "kernels"), &error));
	must(bench_file_write(store_path(state, "kernels/gemm.cl"), text, strlen(text), &error));
}

static void a_program_is_kept_with_what_it_reads(void **state)
{
	struct bench_arena arena = {0};
	struct bench_run *run = made_run("20261101-000000");
	char *plain, *live, *changed, *again, *text;
	char *db = bench_arena_string(&arena, store_path(state, "results.db"));
	must(bench_app_kept_add(db, run, &arena, &plain, &error));
	must(bench_app_kept_add(db, run, &arena, &again, &error));
	assert_string_equal(plain, again);
	add_kernels(state, "kernel void one() {}");
	setenv("BENCH_KERNELS", store_path(state, "kernels"), 1);
	must(bench_app_kept_add(db, run, &arena, &live, &error));
	assert_string_not_equal(plain, live);
	/* Kernels of its own for the one, none for the other, whatever this process is told. */
	must(bench_app_kept_text(db, live, &arena, &text, &error));
	assert_non_null(strstr(text, "/kernels "));
	must(bench_app_kept_text(db, plain, &arena, &text, &error));
	assert_non_null(strstr(text, "BENCH_KERNELS= "));
	add_kernels(state, "kernel void two() {}");
	must(bench_app_kept_add(db, run, &arena, &changed, &error));
	assert_string_not_equal(changed, live);
	setenv("BENCH_OPENCL_OPTIONS", "-DX='a b'", 1);
	must(bench_app_kept_add(db, run, &arena, &again, &error));
	assert_string_not_equal(changed, again);
	setenv("BENCH_OPENCL_KIND", "gpu", 1);
	must(bench_app_kept_add(db, run, &arena, &changed, &error));
	assert_string_not_equal(changed, again);
	unsetenv("BENCH_OPENCL_KIND");
	unsetenv("BENCH_OPENCL_OPTIONS");
	unsetenv("BENCH_KERNELS");
	must(bench_app_kept_text(db, again, &arena, &text, &error));
	assert_non_null(strstr(text, "'BENCH_OPENCL_OPTIONS=-DX='\\''a b'\\''' "));
	/* Files that were changed, or are gone, are refused. */
	must(bench_file_write(bench_arena_format(&arena, "%s.anchors/%s/kernels/gemm.cl", db, live), "x", 1,
			      &error));
	assert_int_equal(bench_app_kept_text(db, live, &arena, &text, &error), -1);
	assert_non_null(strstr(error.text, "was changed"));
	must(bench_file_write(bench_arena_format(&arena, "%s.anchors/%s/about.json", db, changed), "{", 1,
			      &error));
	assert_int_equal(bench_app_kept_text(db, changed, &arena, &text, &error), -1);
	assert_int_equal(bench_app_kept_text(db, "0123", &arena, &text, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(run);
	bench_arena_free(&arena);
}

static void what_is_old_and_not_in_use_is_removed(void **state)
{
	struct bench_arena arena = {0};
	char *db = bench_arena_string(&arena, store_path(state, "results.db"));
	const char *used[] = {"00"};
	for (int i = 0; i < 12; i++) {
		char *folder = bench_arena_format(&arena, "%s.anchors/%02d", db, i);
		struct timespec times[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
		must(bench_file_make_folder(folder, &error));
		assert_int_equal(utimensat(-100, folder, times, 0), 0);
	}
	/* What gates that were killed were about to keep goes a day later. */
	char *fresh = bench_arena_format(&arena, "%s.anchors/.new-1", db);
	char *left = bench_arena_format(&arena, "%s.anchors/.new-2", db);
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	must(bench_file_make_folder(fresh, &error));
	must(bench_file_make_folder(left, &error));
	must(bench_file_write(bench_arena_format(&arena, "%s/bench", left), "x", 1, &error));
	assert_int_equal(utimensat(-100, left, old, 0), 0);
	bench_app_kept_prune(db, used, 1);
	assert_true(bench_file_is_folder(fresh));
	assert_false(bench_file_is_folder(left));
	for (int i = 0; i < 12; i++)
		assert_int_equal(bench_file_is_folder(bench_arena_format(&arena, "%s.anchors/%02d", db, i)),
				 i == 0 || i >= 4);
	bench_arena_free(&arena);
}

/* Accepted by mistake, and known after another anchor has taken that one's place. */
static void what_is_taken_back_is_judged_as_before(void **state)
{
	struct bench_store *store = open_store(state);
	struct bench_arena arena = {0};
	const char *db = store_path(state, "results.db");
	struct bench_run *first = night(store, "20261101-000000", 1000, "itself", "aaaa", (double[]){1, 1});
	put(store, first, "aaaa");
	struct bench_run *second =
		night(store, "20261102-000000", 2000, "20261101-000000", "bbbb", (double[]){1.26, 1.1});
	must(bench_app_anchor_accept(store, db, second->id, KEY(0), "meant", &error));
	must(bench_app_anchor_accept(store, db, second->id, KEY(1), "meant", &error));
	struct bench_anchor_row row = newest(store, second, &arena);
	/* An executable that is twice as fast in the first case is the anchor by now. */
	row.run = "20261103-000000";
	row.why = "the anchor lacks cases";
	row.levels[0].shift += log(0.5);
	row.levels[0].chain += log(0.5);
	must(bench_store_anchor_put(store, &row, &error));

	const struct bench_accepted_row shifts[] = {{.pattern = KEY(0),
						     .why = "meant",
						     .since = 2000,
						     .fingerprint = "0123456789abcdef",
						     .created = (int64_t)time(NULL)},
						    {.pattern = "*", .since = 2000, .fingerprint = ""}};
	struct bench_app_withdrawn withdrawn = {shifts, shifts + 1, 1};
	must(bench_app_anchor_withdraw(store, &withdrawn, &error));
	struct bench_anchor_row same = newest(store, second, &arena);
	assert_level(&same, 0, KEY(0), 0.5 / 1.26, 0.5); /* another shift accepts it, too */
	withdrawn.other_count = 0;
	must(bench_app_anchor_withdraw(store, &withdrawn, &error));
	struct bench_anchor_row restored = newest(store, second, &arena);
	assert_string_equal(restored.run, "20261103-000000");
	assert_string_equal(restored.why, "no longer accepted: meant");
	assert_level(&restored, 0, KEY(0), 0.5, 0.5);
	assert_level(&restored, 1, KEY(1), 1 / 1.1, 1);
	bench_arena_free(&arena);
	bench_record_free(first);
	bench_record_free(second);
	bench_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(a_level_moves_without_its_executable),
		in_scratch(an_accepted_executable_becomes_the_anchor),
		in_scratch(what_is_taken_back_is_judged_as_before),
		in_scratch(a_device_time_has_its_own_level),
		in_scratch(new_cases_move_the_anchor),
		in_scratch(the_machine_is_told_by_the_anchor),
		in_scratch(a_program_is_kept_with_what_it_reads),
		in_scratch(what_is_old_and_not_in_use_is_removed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
