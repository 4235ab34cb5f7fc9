/* SPDX-License-Identifier: MIT */
/* What a report says of a run that was disturbed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/format/format.h"
#include "report_fixture.h"

static void watch(struct bench_run *run, size_t index, struct bench_watched watched)
{
	struct bench_result *result = &run->results[index];
	struct bench_watched *slot =
		bench_arena_push(&run->arena, &result->watched, &result->watched_count, sizeof(*slot));
	*slot = watched;
	slot->device = bench_arena_string(&run->arena, "");
}

static void assert_says(const struct bench_run *run, const struct bench_format *format, const char *line)
{
	struct bench_report_options options = {.format = format};
	struct bench_text out = {0};
	options.format->run(run, NULL, &options, &out);
	if (line && !strstr(out.data, line))
		fail_msg("no '%s' in\n%s", line, out.data);
	if (!line && strstr(out.data, "disturbed"))
		fail_msg("disturbed in\n%s", out.data);
	bench_text_free(&out);
}

static void a_quiet_run_says_nothing(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run();
	assert_says(run, &bench_format_table, NULL);
	watch(run, 0, (struct bench_watched){.canary_worst = 1.2, .others = 0.2, .frequency = 3e9});
	assert_says(run, &bench_format_table, NULL);
	assert_says(run, &bench_format_markdown, NULL);
	bench_record_free(run);
}

static void a_disturbed_run_says_how_much_and_by_what(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run();
	watch(run, 0, (struct bench_watched){.canary_worst = 9, .others = 0.2});
	watch(run, 0,
	      (struct bench_watched){
		      .invocation = 1, .disturbed = 0.24, .canary_worst = 1.9, .others = 0.98, .steal = NAN});
	assert_says(run, &bench_format_table,
		    "\nnoise: 12% of the measurements were disturbed and left out: other programs used 1.0 "
		    "cores (bench doctor names them)\n");
	assert_says(run, &bench_format_markdown,
		    "noise: 12% of the measurements were disturbed and left out");
	/* One that could see nothing but a canary. */
	run->results[0].watched_count = 0;
	watch(run, 0,
	      (struct bench_watched){.disturbed = 1, .canary_worst = 1.3, .others = NAN, .steal = 0.07});
	assert_says(run, &bench_format_table,
		    "noise: all measurements were disturbed and left out: the hypervisor took 0.07 "
		    "cores\n");
	run->results[0].metrics[0].summary.disturbed = run->results[0].metrics[0].series_count;
	assert_says(run, &bench_format_table,
		    "noise: all measurements were disturbed, and count as they are: the hypervisor took 0.07 "
		    "cores\n");
	run->results[0].watched[0].steal = 0;
	assert_says(run, &bench_format_table, ": a fixed piece of work took 1.3 times as long\n");
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_run_says_nothing),
		cmocka_unit_test(a_disturbed_run_says_how_much_and_by_what),
	};
	return cmocka_run_group_tests_name("report_watched", tests, NULL, NULL);
}
