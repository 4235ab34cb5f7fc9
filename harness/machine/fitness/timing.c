/* SPDX-License-Identifier: MIT */
/* Checks by measurement: what the self-test saw. */
#include "core/text.h"
#include "machine/fitness/internal.h"

static bool tested(struct probe *probe)
{
	if (probe->selftest.there)
		return true;
	fitness_found(probe, BENCH_GRADE_UNKNOWN,
		      "too few samples in a second of trying: the process got next to no CPU");
	return false;
}

static void check_interruptions(struct probe *probe)
{
	const struct bench_selftest *test = &probe->selftest;
	char largest[32];
	if (!tested(probe))
		return;
	bench_text_quantity(largest, sizeof(largest), test->largest_gap_seconds, "s");
	/* 5% is the change that a comparison looks for by default. */
	enum bench_grade grade = fitness_grade(test->lost, 0.005, 0.05);
	if (test->gaps_a_second > 0)
		fitness_found(probe, grade,
			      "%.0f a second of more than 1 ms, the longest %s: %.0f%% of the time",
			      test->gaps_a_second, largest, test->lost * 100);
	else
		fitness_found(probe, grade, "none of more than 1 ms in a second");
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe,
		     "measured: a single thread took %.2f times as long on average; threads that wait for "
		     "each other all wait for the interrupted one",
		     1 / (1 - test->lost));
	fitness_change(probe, "see load, steal and quota above");
}

static void check_spread(struct probe *probe)
{
	const struct bench_selftest *test = &probe->selftest;
	if (!tested(probe))
		return;
	enum bench_grade grade = fitness_grade(test->spread, 1.02, 1.25);
	fitness_found(probe, grade,
		      "the 95th percentile of %zu samples of the same arithmetic is %.2f times their median",
		      test->samples, test->spread);
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe, "measured: every sample has noise of this size, so more samples are needed");
	fitness_change(probe, "see governor, turbo, load and steal above; 'bench power' shows how small a "
			      "change is visible");
}

static void check_together(struct probe *probe)
{
	const struct bench_selftest *test = &probe->selftest;
	if (CPU_COUNT(&probe->allowed) == 1) {
		fitness_found(probe, BENCH_GRADE_GOOD, "one CPU: nothing runs beside a thread");
		return;
	}
	if (!tested(probe))
		return;
	if (!test->both_there) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "two threads could not be run at once");
		return;
	}
	enum bench_grade grade = test->both < 1.05 ? BENCH_GRADE_GOOD : BENCH_GRADE_ADVICE;
	fitness_found(probe, grade, "arithmetic takes %.2f times as long beside a second thread%s",
		      test->both, probe->siblings ? " on the same core" : "");
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe, "measured: the two share units, power or a core of the host, so other work "
			    "changes the times");
	fitness_change(probe, probe->siblings ? "see smt above"
					      : "keep the other CPUs idle while measuring, and compare runs "
						"of one thread count only");
}

const struct fitness_check fitness_timing_checks[] = {
	{"interruptions", check_interruptions},
	{"spread", check_spread},
	{"together", check_together},
	{0},
};
