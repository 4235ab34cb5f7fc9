/* SPDX-License-Identifier: MIT */
/* Two runs side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made_run.h"
#include "report/render/diff.h"

/* A case with its time in three invocations, in seconds. */
static void measure(struct bench_run *run, unsigned n, double time)
{
	const double medians[] = {time, time * 1.001, time * 0.999};
	made_metric(run, made_case(run, n), "time", BENCH_BETTER_LOWER, medians, 3);
}

static struct bench_run *made(const char *id)
{
	struct bench_run *run = made_run(id);
	measure(run, 1, 1e-3);
	measure(run, 2, 2e-3);
	return run;
}

static size_t render(struct bench_run *first, struct bench_run *second, struct bench_diff_options options,
		     struct bench_grid *grid)
{
	bench_record_finalise(first);
	bench_record_finalise(second);
	*grid = (struct bench_grid){0};
	return bench_render_diff_grid(first, second, &options, grid);
}

/* Row `at` has these texts. */
static void assert_row(const struct bench_grid *grid, size_t at, const char *const *texts)
{
	assert_true(at < grid->row_count);
	for (size_t c = 0; c < grid->column_count; c++) {
		const char *text = grid->rows[at].cells[c].text;
		assert_string_equal(text ? text : "", texts[c]);
	}
}

static void end(struct bench_run *first, struct bench_run *second, struct bench_grid *grid)
{
	bench_render_grid_free(grid);
	bench_record_free(first);
	bench_record_free(second);
}

static void runs_alike_have_no_rows_but_their_ids(void **state)
{
	struct bench_run *first = made("a"), *second = made("b");
	struct bench_grid grid;
	(void)state;
	size_t same = render(first, second, (struct bench_diff_options){0}, &grid);
	assert_int_equal(grid.row_count, 1);
	assert_row(&grid, 0, (const char *[]){"run", "id", "a", "b", ""});
	bench_render_grid_free(&grid);
	assert_int_equal(render(first, second, (struct bench_diff_options){.all = true}, &grid), 0);
	assert_int_equal(grid.row_count, same + 1);
	end(first, second, &grid);
}

static void facts_that_differ_stand_side_by_side(void **state)
{
	struct bench_run *first = made("a"), *second = made("b");
	struct bench_grid grid;
	(void)state;
	made_host(first, "kernel", "6.1");
	made_host(second, "kernel", "6.2");
	made_host(second, "governor", "power\x1b[31m\nsave");
	second->preset = bench_arena_string(&second->arena, "quick");
	second->git.present = true;
	second->git.commit = bench_arena_string(&second->arena, "0123456789abcdef");
	made_device(second, "opencl", "gpu");
	snprintf(second->devices[0].info.driver, sizeof(second->devices[0].info.driver), "3.2");
	render(first, second, (struct bench_diff_options){0}, &grid);
	assert_int_equal(grid.row_count, 8);
	assert_row(&grid, 1, (const char *[]){"plan", "preset", "nightly", "quick", ""});
	assert_row(&grid, 2,
		   (const char *[]){"plan", "targets", "openblas:cpu", "openblas:cpu, opencl:gpu", ""});
	assert_row(&grid, 3, (const char *[]){"git", "commit", "", "0123456789ab", ""});
	assert_row(&grid, 4, (const char *[]){"host", "kernel", "6.1", "6.2", ""});
	assert_string_equal(grid.rows[5].cells[1].text, "governor");
	assert_null(strpbrk(grid.rows[5].cells[3].text, "\x1b\n"));
	assert_row(&grid, 6, (const char *[]){"device", "openblas:cpu driver", "3.1", "3.2", ""});
	assert_row(&grid, 7, (const char *[]){"device", "opencl:gpu", "", "measured", ""});
	end(first, second, &grid);
}

static void results_that_lie_apart_come_with_the_largest_change_first(void **state)
{
	struct bench_run *first = made("a"), *second = made_run("b");
	struct bench_grid grid;
	(void)state;
	measure(first, 3, 1e-3);
	measure(first, 4, 1e-3);
	measure(first, 5, 1e-3);
	measure(second, 1, 1.1e-3);
	measure(second, 2, 1e-3);
	measure(second, 3, 1.0005e-3);
	made_result(second, "gemm", "openblas", "cpu", 5, BENCH_STATUS_INCORRECT);
	render(first, second, (struct bench_diff_options){0}, &grid);
	assert_int_equal(grid.row_count, 6);
	assert_row(&grid, 1, (const char *[]){"plan", "cases", "5", "4", ""});
	assert_row(&grid, 2, (const char *[]){"result", "gemm/openblas:cpu/n=4", "ok", "", ""});
	assert_row(&grid, 3,
		   (const char *[]){"result", "gemm/openblas:cpu/n=5", "ok", "incorrect: some reason", ""});
	assert_row(
		&grid, 4,
		(const char *[]){"result", "gemm/openblas:cpu/n=2/time", "2.000 ms", "1.000 ms", "-50.0%"});
	assert_int_equal(grid.rows[4].cells[4].tone, BENCH_TONE_GOOD);
	assert_row(
		&grid, 5,
		(const char *[]){"result", "gemm/openblas:cpu/n=1/time", "1.000 ms", "1.100 ms", "+10.0%"});
	assert_int_equal(grid.rows[5].cells[4].tone, BENCH_TONE_BAD);
	end(first, second, &grid);
}

static void programs_get_every_digit_and_ratios(void **state)
{
	struct bench_run *first = made_run("a"), *second = made_run("b");
	struct bench_grid grid;
	(void)state;
	measure(first, 1, 1e-3);
	measure(second, 1, 1.5e-3);
	render(first, second, (struct bench_diff_options){.exact = true}, &grid);
	assert_row(&grid, 1,
		   (const char *[]){"result", "gemm/openblas:cpu/n=1/time", "0.001", "0.0015", "1.5"});
	end(first, second, &grid);
}

static void nothing_is_cut_in_a_narrow_terminal(void **state)
{
	struct bench_run *first = made("a"), *second = made_run("b");
	struct bench_grid grid;
	(void)state;
	made_host(first, "flags", "-O2 -fno-such-thing -march=native -g");
	made_host(second, "flags", "-O2 -fno-such-thing -march=native -p");
	measure(second, 1, 2e-3);
	measure(second, 2, 2e-3);
	render(first, second, (struct bench_diff_options){.width = 80}, &grid);
	assert_row(&grid, 1, (const char *[]){"host", "flags", "", "", ""});
	assert_string_equal(grid.rows[1].under, "    first: -O2 -fno-such-thing -march=native -g\n"
						"    second: -O2 -fno-such-thing -march=native -p\n");
	assert_row(&grid, 2, (const char *[]){"result", "gemm/openblas:cpu/n=1/time", "", "", ""});
	assert_row(&grid, 3, (const char *[]){"", "", "1.000 ms", "2.000 ms", "+100.0%"});
	bench_render_grid_free(&grid);
	render(first, second, (struct bench_diff_options){.width = 1}, &grid);
	assert_string_equal(grid.rows[1].under, "    first: -O2 -fno-such-thing -march=native -g\n"
						"    second: -O2 -fno-such-thing -march=native -p\n");
	end(first, second, &grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_alike_have_no_rows_but_their_ids),
		cmocka_unit_test(facts_that_differ_stand_side_by_side),
		cmocka_unit_test(results_that_lie_apart_come_with_the_largest_change_first),
		cmocka_unit_test(programs_get_every_digit_and_ratios),
		cmocka_unit_test(nothing_is_cut_in_a_narrow_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
