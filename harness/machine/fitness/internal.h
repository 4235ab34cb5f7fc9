/* SPDX-License-Identifier: MIT */
/* What the checks of machine/fitness share; no other room includes this. */
#ifndef BENCH_MACHINE_FITNESS_INTERNAL_H
#define BENCH_MACHINE_FITNESS_INTERNAL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "machine/activity.h"
#include "machine/fitness/fitness.h"
#include "machine/fitness/selftest.h"

/* What a check reads, and the finding that it fills. */
struct probe {
	struct bench_arena *arena;
	const char *proc, *sys, *etc;
	const struct bench_fitness_options *options;
	cpu_set_t allowed;                   /* CPUs that this process may use */
	unsigned threads;                    /* that cases use */
	struct bench_clock_quality clock;    /* of the harness's clock */
	struct bench_activity before, after; /* around a second in which this process slept */
	struct bench_selftest selftest;
	bool siblings;             /* the self-test's two threads shared a core */
	double seconds;            /* between before and after */
	uint64_t throttled_before; /* fitness_throttle_count before all that */
	struct bench_finding *finding;
	const char *why; /* after fitness_read gave NULL: why, or "" where there is no such file */
};

struct fitness_check {
	const char *name;
	void (*check)(struct probe *probe);
};

/* The checks, one table in each file; it ends with a NULL name. */
extern const struct fitness_check fitness_processor_checks[], fitness_load_checks[], fitness_limit_checks[],
	fitness_memory_checks[], fitness_timing_checks[], fitness_library_checks[], fitness_gpu_checks[],
	fitness_storage_checks[];

/*
 * The text of a small file below `root`, blanks at its end cut off, in the arena. NULL where it cannot
 * be read: probe->why.
 */
char *fitness_read(struct probe *probe, const char *root, const char *path);
/* The number that a file below /sys starts with; false if it cannot be read. */
bool fitness_number(struct probe *probe, const char *root, const char *path, double *value);

/* Good below `good`, advice below `advice`, bad from there. */
static inline enum bench_grade fitness_grade(double value, double good, double advice)
{
	return value < good ? BENCH_GRADE_GOOD : value < advice ? BENCH_GRADE_ADVICE : BENCH_GRADE_BAD;
}

/* Fill the finding. */
void fitness_found(struct probe *probe, enum bench_grade grade, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fitness_tell(struct probe *probe, char **text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define fitness_cost(probe, ...)    fitness_tell(probe, &(probe)->finding->cost, __VA_ARGS__)
#define fitness_change(probe, ...)  fitness_tell(probe, &(probe)->finding->change, __VA_ARGS__)
#define fitness_command(probe, ...) fitness_tell(probe, &(probe)->finding->command, __VA_ARGS__)
/* Fills the finding as unknown: because of probe->why, or because there is no such file. */
void fitness_unknown(struct probe *probe, const char *path);

/* "0-3,8" (the kernel's lists of CPUs and nodes) into a set; and a set as such a list. */
void fitness_parse_list(const char *text, cpu_set_t *set);
char *fitness_list(struct probe *probe, const cpu_set_t *set);

/* Calls visit for each entry of a folder below `root` whose name starts with `prefix`; false: no such folder.
 */
bool fitness_each(struct probe *probe, const char *root, const char *folder, const char *prefix,
		  void (*visit)(struct probe *probe, const char *entry, void *context), void *context);

/* How often the processor was throttled for heat since the machine's start; *there: it counts that. */
uint64_t fitness_throttle_count(struct probe *probe, bool *there);

/* Fills the finding from what was read of GPUs. */
struct bench_nvml_gpu;
void fitness_gpus(struct probe *probe, const struct bench_nvml_gpu *gpus, size_t count);

#endif
