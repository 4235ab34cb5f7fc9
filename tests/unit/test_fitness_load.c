/* SPDX-License-Identifier: MIT */
/* The doctor's checks of load, memory and timing: two looks at made-up machines, and made-up self-tests. */
#include <math.h>
#include <unistd.h>

#include "fitness_fixture.h"

/* /proc/stat after `busy`, `idle` and `steal` hundredths of a second of CPU time. */
static void put_stat(const struct machine *m, unsigned busy, unsigned idle, unsigned steal)
{
	char text[256];
	snprintf(text, sizeof(text), "cpu  %u 0 0 %u 0 0 0 %u 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n", busy, idle,
		 steal);
	put(m, "proc/stat", text);
}

static void put_process(const struct machine *m, int pid, const char *name, unsigned ticks)
{
	char path[64], text[256];
	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text), "%d (%s) S 1 1 1 0 -1 4194560 1 2 3 4 %u 1 0 0 20 0 1 0 5 6 7\n", pid,
		 name, ticks);
	put(m, path, text);
}

static void look_before(struct machine *m)
{
	bench_machine_activity_read(m->proc, &m->arena, &m->probe.before);
}

static void look_after(struct machine *m)
{
	bench_machine_activity_read(m->proc, &m->arena, &m->probe.after);
	/* The made-up counters are in hundredths of a second, as on every Linux that people meet. */
	m->probe.seconds = 100.0 / (double)sysconf(_SC_CLK_TCK);
}

static void an_idle_machine_has_no_load(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	put(&m, "proc/loadavg", "0.31 0.20 0.10 1/100 1234\n");
	put_stat(&m, 1000, 1000, 0);
	look_before(&m);
	put_stat(&m, 1001, 1199, 0);
	look_after(&m);
	assert_grade(&m, "load", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "load average 0.31");
	assert_grade(&m, "steal", BENCH_GRADE_GOOD);
	end_machine(&m);
}

static void the_top_users_are_named_and_this_process_is_not(void **state)
{
	struct machine m;
	make_machine(&m, state, 4);
	put_stat(&m, 1000, 1000, 0);
	put_process(&m, 101, "cc1", 50);
	put_process(&m, 102, "cc1", 50);
	put_process(&m, 103, "odd) name (", 10);
	put_process(&m, 104, "little", 10);
	put_process(&m, 105, "less", 10);
	put_process(&m, 106, "gone", 10);
	put_process(&m, (int)getpid(), "bench", 10);
	look_before(&m);
	put_stat(&m, 1300, 1100, 0);
	put_process(&m, 101, "cc1", 110);
	put_process(&m, 102, "cc1", 120);
	put_process(&m, 103, "odd) name (", 45);
	put_process(&m, 104, "little", 15);
	put_process(&m, 105, "less", 12);
	put_process(&m, (int)getpid(), "bench", 70);
	/* Its number was another's before, who had used more. */
	put_process(&m, 106, "new", 7);
	look_after(&m);
	assert_grade(&m, "load", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "others use 2.40 CPUs (cc1 1.30, odd) name ( 0.35, new 0.08; "
				     "0.60 by processes that ended or are hidden)");
	end_machine(&m);
}

static void a_little_load_is_advice(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	put_stat(&m, 1000, 1000, 0);
	look_before(&m);
	put_stat(&m, 1010, 1190, 0);
	look_after(&m);
	assert_grade(&m, "load", BENCH_GRADE_ADVICE);
	end_machine(&m);
}

static void what_stands_still_is_unknown(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	look_before(&m);
	look_after(&m);
	assert_grade(&m, "load", BENCH_GRADE_UNKNOWN);
	assert_grade(&m, "steal", BENCH_GRADE_UNKNOWN);
	put_stat(&m, 1000, 1000, 0);
	look_before(&m);
	look_after(&m);
	assert_grade(&m, "load", BENCH_GRADE_UNKNOWN);
	assert_grade(&m, "steal", BENCH_GRADE_UNKNOWN);
	put(&m, "proc/stat", "intr 1 2 3\n");
	look_after(&m);
	assert_grade(&m, "load", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void steal_is_of_the_second(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	put_stat(&m, 1000, 8000, 1000);
	look_before(&m);
	put_stat(&m, 1000, 8198, 1000);
	look_after(&m);
	/* What was stolen before is told, and not judged. */
	assert_grade(&m, "steal", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "0.0% of the CPUs' time in this second, 9.8% since");
	put_stat(&m, 1000, 8196, 1004);
	look_after(&m);
	assert_grade(&m, "steal", BENCH_GRADE_ADVICE);
	put_stat(&m, 1000, 8180, 1020);
	look_after(&m);
	assert_grade(&m, "steal", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "10.0%");
	end_machine(&m);
}

static void pressure_is_of_the_second(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	look_before(&m);
	look_after(&m);
	assert_grade(&m, "pressure", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "not counted");
	put(&m, "proc/pressure/cpu", "some avg10=99.00 avg60=1.00 avg300=1.00 total=5000000\n");
	look_before(&m);
	look_after(&m);
	m.probe.seconds = 1;
	assert_grade(&m, "pressure", BENCH_GRADE_GOOD);
	put(&m, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5050000\n");
	look_after(&m);
	m.probe.seconds = 1;
	assert_grade(&m, "pressure", BENCH_GRADE_ADVICE);
	put(&m, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5500000\n");
	look_after(&m);
	m.probe.seconds = 1;
	assert_grade(&m, "pressure", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "50%");
	end_machine(&m);
}

static void memory_must_hold_the_largest_case(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "memory", BENCH_GRADE_UNKNOWN);
	put(&m, "proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n");
	assert_grade(&m, "memory", BENCH_GRADE_GOOD);
	m.options.memory_bytes = 700e6;
	assert_grade(&m, "memory", BENCH_GRADE_GOOD);
	m.options.memory_bytes = 2e9;
	assert_grade(&m, "memory", BENCH_GRADE_BAD);
	put(&m, "proc/meminfo", "MemTotal: 2000000 kB\n");
	assert_grade(&m, "memory", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void swap_is_bad_while_pages_move(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "swap", BENCH_GRADE_UNKNOWN);
	put(&m, "proc/meminfo", "SwapTotal: 0 kB\nSwapFree: 0 kB\n");
	assert_grade(&m, "swap", BENCH_GRADE_GOOD);
	put(&m, "proc/meminfo", "SwapTotal: 1000 kB\nSwapFree: 1000 kB\n");
	assert_grade(&m, "swap", BENCH_GRADE_GOOD);
	put(&m, "proc/meminfo", "SwapTotal: 1000 kB\nSwapFree: 600 kB\n");
	put(&m, "proc/vmstat", "pgpgin 5\npswpin 10\npswpout 20\n");
	look_before(&m);
	look_after(&m);
	assert_grade(&m, "swap", BENCH_GRADE_ADVICE);
	put(&m, "proc/vmstat", "pgpgin 9\npswpin 11\npswpout 24\n");
	look_after(&m);
	assert_grade(&m, "swap", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "5 pages");
	end_machine(&m);
}

static void huge_pages_are_never_more_than_advice(void **state)
{
	static const char path[] = "sys/kernel/mm/transparent_hugepage/enabled";
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "huge-pages", BENCH_GRADE_GOOD);
	put(&m, path, "always [madvise] never\n");
	assert_grade(&m, "huge-pages", BENCH_GRADE_GOOD);
	put(&m, path, "[always] madvise never\n");
	assert_grade(&m, "huge-pages", BENCH_GRADE_ADVICE);
	put(&m, path, "always madvise [never]\n");
	assert_grade(&m, "huge-pages", BENCH_GRADE_ADVICE);
	put(&m, path, "?\n");
	assert_grade(&m, "huge-pages", BENCH_GRADE_UNKNOWN);
	put_unreadable(&m, path);
	assert_grade(&m, "huge-pages", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void a_layout_that_is_always_the_same_is_advice(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "layout", BENCH_GRADE_UNKNOWN);
	put(&m, "proc/sys/kernel/randomize_va_space", "2\n");
	assert_grade(&m, "layout", BENCH_GRADE_GOOD);
	put(&m, "proc/sys/kernel/randomize_va_space", "0\n");
	assert_grade(&m, "layout", BENCH_GRADE_ADVICE);
	end_machine(&m);
}

static void the_self_test_is_judged(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "interruptions", BENCH_GRADE_UNKNOWN);
	assert_grade(&m, "spread", BENCH_GRADE_UNKNOWN);
	assert_grade(&m, "together", BENCH_GRADE_UNKNOWN);
	struct bench_selftest *test = &m.probe.selftest;
	*test = (struct bench_selftest){
		.there = true, .samples = 400, .spread = 1.01, .both_there = true, .both = 1};
	assert_grade(&m, "interruptions", BENCH_GRADE_GOOD);
	assert_grade(&m, "spread", BENCH_GRADE_GOOD);
	assert_grade(&m, "together", BENCH_GRADE_GOOD);
	*test = (struct bench_selftest){
		.there = true, .spread = 1.1, .gaps_a_second = 4, .lost = 0.02, .both = 1.9};
	assert_grade(&m, "interruptions", BENCH_GRADE_ADVICE);
	assert_grade(&m, "spread", BENCH_GRADE_ADVICE);
	assert_grade(&m, "together", BENCH_GRADE_UNKNOWN);
	test->both_there = true;
	assert_grade(&m, "together", BENCH_GRADE_ADVICE);
	*test = (struct bench_selftest){
		.there = true, .spread = 2, .gaps_a_second = 90, .lost = 0.5, .largest_gap_seconds = 0.004};
	assert_grade(&m, "interruptions", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "90 a second of more than 1 ms, the longest 4.000 ms: 50% of the time");
	assert_says(m.finding.cost, "2.00 times as long");
	assert_grade(&m, "spread", BENCH_GRADE_BAD);
	CPU_CLR(1, &m.probe.allowed);
	assert_grade(&m, "together", BENCH_GRADE_GOOD);
	end_machine(&m);
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-6 * (1 + fabs(expected))))
		fail_msg("%.9g, not %.9g", value, expected);
}

static void gaps_and_spread_come_from_the_pieces(void **state)
{
	(void)state;
	enum { PIECES = 20000 };
	double *pieces = malloc(PIECES * sizeof(*pieces));
	struct bench_selftest test;
	assert_non_null(pieces);
	for (size_t i = 0; i < PIECES; i++)
		pieces[i] = 10000;
	bench_fitness_selftest_describe(pieces, PIECES, &test);
	assert_true(test.there);
	assert_int_equal(test.samples, 100);
	assert_near(test.spread, 1);
	assert_near(test.seconds, 0.2);
	assert_near(test.gaps_a_second, 0);
	assert_near(test.lost, 0);
	/* Four interruptions of 5 ms, and one too short to count, in four samples of a hundred. */
	for (size_t i = 0; i < 4; i++)
		pieces[100 + i * 1000] += 5e6;
	pieces[150] += 0.9e6;
	bench_fitness_selftest_describe(pieces, PIECES, &test);
	assert_near(test.largest_gap_seconds, 0.005);
	assert_near(test.gaps_a_second, 4 / 0.2209);
	assert_near(test.lost, 0.02 / 0.2209);
	assert_near(test.spread, 1);
	/* Every tenth sample takes half as long again. */
	for (size_t i = 0; i < PIECES; i++)
		pieces[i] = i / 200 % 10 ? 10000 : 15000;
	bench_fitness_selftest_describe(pieces, PIECES, &test);
	assert_near(test.spread, 1.5);
	bench_fitness_selftest_describe(pieces, 3000, &test);
	assert_false(test.there);
	bench_fitness_selftest_describe(pieces, 0, &test);
	assert_false(test.there);
	free(pieces);
}

static void the_self_test_measures(void **state)
{
	(void)state;
	struct bench_selftest test;
	bench_fitness_selftest_run(0, -1, &test);
	assert_false(test.both_there);
	/* Nothing is said of how fast or steady this machine is: only that the figures fit each other. */
	assert_true(test.lost >= 0 && test.lost < 1);
	if (!test.there)
		skip();
	assert_true(test.spread >= 1);
	assert_true(test.seconds > 0);
	assert_true((test.gaps_a_second > 0) == (test.largest_gap_seconds > 0.001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(an_idle_machine_has_no_load),
		in_scratch(the_top_users_are_named_and_this_process_is_not),
		in_scratch(a_little_load_is_advice),
		in_scratch(what_stands_still_is_unknown),
		in_scratch(steal_is_of_the_second),
		in_scratch(pressure_is_of_the_second),
		in_scratch(memory_must_hold_the_largest_case),
		in_scratch(swap_is_bad_while_pages_move),
		in_scratch(huge_pages_are_never_more_than_advice),
		in_scratch(a_layout_that_is_always_the_same_is_advice),
		in_scratch(the_self_test_is_judged),
		cmocka_unit_test(gaps_and_spread_come_from_the_pieces),
		cmocka_unit_test(the_self_test_measures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
