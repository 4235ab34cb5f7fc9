/* SPDX-License-Identifier: MIT */
/* A record grows by what is measured, and by nothing else, however often it is made final. */
#include "record_fixture.h"

enum { CASES = 40, INVOCATIONS = 10, SAMPLES = 20 };

/* A run whose cases are known, none of them measured. */
static struct bench_run *introduced(void)
{
	struct bench_run *run = fixture_head("20260101-000000", 1767225600);
	for (int i = 0; i < CASES; i++) {
		char line[1024];
		snprintf(line, sizeof(line),
			 "{\"event\":\"case\",\"index\":%d,\"suite\":\"toy\",\"backend\":\"opencl\","
			 "\"device\":"
			 "\"pocl-cpu\",\"case\":{\"n\":\"%d\"},\"work\":{\"flops\":1e9,\"bytes\":1e6,"
			 "\"items\":1,"
			 "\"device_bytes\":8,\"largest_bytes\":8,\"host_bytes\":8},\"repeat\":\"bench run\","
			 "\"notes\":{}}",
			 i, i);
		fixture_must_apply(run, line);
	}
	return run;
}

static void measure(struct bench_run *run, int index, int invocation)
{
	char line[256];
	const char *const subject = "\"case\":%d,\"invocation\":%d";
	char about[64];
	snprintf(about, sizeof(about), subject, index, invocation);
	snprintf(line, sizeof(line), "{\"event\":\"begin\",%s}", about);
	fixture_must_apply(run, line);
	for (int i = 0; i < SAMPLES; i++) {
		static const char *const metrics[] = {"time", "latency", "device_time"};
		for (int m = 0; m < 3; m++) {
			snprintf(line, sizeof(line),
				 "{\"event\":\"sample\",%s,\"metric\":\"%s\",\"value\":%g,\"iterations\":1,"
				 "\"at\":1}",
				 about, metrics[m], 1e-3 + 1e-6 * i);
			fixture_must_apply(run, line);
		}
	}
	snprintf(line, sizeof(line), "{\"event\":\"check\",%s,\"error\":0,\"tolerance\":1,\"method\":\"\"}",
		 about);
	fixture_must_apply(run, line);
	snprintf(line, sizeof(line),
		 "{\"event\":\"watched\",%s,\"disturbed\":0,\"canary\":1,\"canary_worst\":1,\"others\":0,"
		 "\"steal\":null,\"frequency\":null,\"device\":\"\"}",
		 about);
	fixture_must_apply(run, line);
	snprintf(line, sizeof(line),
		 "{\"event\":\"end\",%s,\"status\":\"ok\",\"reason\":\"\",\"stopped\":\"\"}", about);
	fixture_must_apply(run, line);
}

static void measure_all(struct bench_run *run, bool final_each_time)
{
	for (int k = 0; k < INVOCATIONS; k++) {
		for (int i = 0; i < CASES; i++) {
			measure(run, i, k);
			if (final_each_time)
				bench_record_finalise(run);
		}
	}
	bench_record_finalise(run);
}

static void what_is_final_takes_no_more_memory(void **state)
{
	(void)state;
	struct bench_run *run = introduced();
	measure_all(run, false);
	size_t bytes = bench_arena_bytes(&run->arena);
	for (int i = 0; i < 1000; i++)
		bench_record_finalise(run);
	assert_int_equal(bench_arena_bytes(&run->arena), bytes);
	bench_record_free(run);
}

static void a_record_made_final_after_every_group_is_the_same_in_the_same_memory(void **state)
{
	(void)state;
	struct bench_run *once = introduced(), *often = introduced();
	measure_all(once, false);
	measure_all(often, true);
	char *a = bench_record_to_json(once), *b = bench_record_to_json(often);
	assert_string_equal(a, b);
	free(a);
	free(b);
	assert_true(bench_arena_bytes(&often->arena) <
		    bench_arena_bytes(&once->arena) + bench_arena_bytes(&once->arena) / 20);
	bench_record_free(once);
	bench_record_free(often);
}

/* Beside the samples that it keeps. */
static void finished_groups_take_memory_for_their_results_alone(void **state)
{
	(void)state;
	struct bench_run *run = introduced();
	size_t first = 0, at[CASES + 1];
	measure(run, 0, 0);
	first = bench_arena_bytes(&run->arena);
	for (int i = 0; i < CASES; i++) {
		at[i] = bench_arena_bytes(&run->arena);
		for (int k = i == 0; k < INVOCATIONS; k++)
			measure(run, i, k);
		bench_record_finalise(run);
	}
	at[CASES] = bench_arena_bytes(&run->arena);
	/* The second half of the groups as much as the first: nothing is done again for the ones before. */
	size_t first_half = at[CASES / 2] - first, second_half = at[CASES] - at[CASES / 2];
	assert_true(second_half < first_half + first_half / 10);
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_final_takes_no_more_memory),
		cmocka_unit_test(a_record_made_final_after_every_group_is_the_same_in_the_same_memory),
		cmocka_unit_test(finished_groups_take_memory_for_their_results_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
