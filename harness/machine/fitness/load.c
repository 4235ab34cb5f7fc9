/* SPDX-License-Identifier: MIT */
/* Checks of who else uses the machine, from one second in which this process slept. */
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "machine/fitness/internal.h"

/* "0.93 of a CPU (ninja 0.50, cc1 0.40; 0.03 not visible)" */
static void add_users(struct bench_text *text, const struct bench_activity_change *change)
{
	bench_text_add(text, "others use %.2f CPUs", change->others);
	for (size_t i = 0; i < change->top_count; i++)
		bench_text_add(text, "%s%s %.2f", i ? ", " : " (", change->top[i].name, change->top[i].cpus);
	if (change->unseen >= 0.05)
		bench_text_add(text, "%s%.2f by processes that ended or are hidden",
			       change->top_count ? "; " : " (", change->unseen);
	if (change->top_count || change->unseen >= 0.05)
		bench_text_add(text, ")");
}

/* What changed in the second; false: the finding is unknown. */
static bool read_change(struct probe *probe, struct bench_activity_change *change)
{
	if (bench_machine_activity_difference(&probe->before, &probe->after, getpid(), probe->seconds,
					      change))
		return true;
	fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s/stat cannot be read, or stands still", probe->proc);
	return false;
}

static void check_load(struct probe *probe)
{
	struct bench_activity_change change;
	BENCH_SCOPED_TEXT text = {0};
	const char *average = fitness_read(probe, probe->proc, "loadavg");
	if (!read_change(probe, &change))
		return;
	add_users(&text, &change);
	if (average)
		bench_text_add(&text, "; load average %.*s", (int)strcspn(average, " "), average);
	/* A twentieth of a CPU is a few of the kernel's ticks; a quarter hits one sample in four. */
	enum bench_grade grade = fitness_grade(change.others, 0.05, 0.25);
	fitness_found(probe, grade, "%s", text.data);
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe, "they interrupt samples, and share caches, memory bandwidth and power with them; "
			    "'interruptions' and 'spread' below show the effect");
	fitness_change(probe, "end them or wait. To see them:");
	fitness_command(probe, "top -b -n 1 -o %%CPU | head -20");
}

static void check_steal(struct probe *probe)
{
	struct bench_activity_change change;
	if (!read_change(probe, &change))
		return;
	double since_start = (double)probe->after.steal / (double)probe->after.all;
	/* The counter's step is 10 ms: one step is 0.5% of a second of two CPUs. */
	enum bench_grade grade = fitness_grade(change.steal, 0.01, 0.05);
	fitness_found(probe, grade,
		      "%.1f%% of the CPUs' time in this second, %.1f%% since the start of the machine",
		      change.steal * 100, since_start * 100);
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe, "the hypervisor gave that time to others, in the middle of samples");
	fitness_change(probe, "measure at another hour, or on a machine with dedicated CPUs; 'bench duel' "
			      "compares two builds despite it");
}

static void check_pressure(struct probe *probe)
{
	if (!probe->before.pressure_there || !probe->after.pressure_there) {
		/* Kernels before 4.20 or without CONFIG_PSI do not count it; load and steal tell most of it.
		 */
		fitness_found(probe, BENCH_GRADE_GOOD, "not counted by this kernel (load and steal are)");
		return;
	}
	uint64_t waited = probe->after.waited_us > probe->before.waited_us
				  ? probe->after.waited_us - probe->before.waited_us
				  : 0;
	double share = (double)waited * 1e-6 / probe->seconds;
	enum bench_grade grade = fitness_grade(share, 0.01, 0.1);
	fitness_found(probe, grade, "some task waited for a CPU during %.0f%% of this second", share * 100);
	if (grade == BENCH_GRADE_GOOD)
		return;
	fitness_cost(probe, "more tasks are ready than there are CPUs, so a measurement waits for its turn");
	fitness_change(probe, "end what 'load' names, or wait");
}

const struct fitness_check fitness_load_checks[] = {
	{"load", check_load},
	{"steal", check_steal},
	{"pressure", check_pressure},
	{0},
};
