/* What the checks of measure/fitness share. No other file of the room includes this. */
#ifndef BENCH_MACHINE_FITNESS_PARTS_H
#define BENCH_MACHINE_FITNESS_PARTS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "machine/activity.h"
#include "machine/fitness/fitness.h"
#include "machine/fitness/selftest.h"

/* What a check looks at, and the finding that it fills. */
struct look {
	struct bench_arena *arena;
	const char *proc, *sys, *etc;
	const struct bench_fitness_options *options;
	cpu_set_t allowed;                   /* CPUs that this process may use */
	unsigned threads;                    /* that cases use */
	struct bench_clock_quality clock;    /* of the harness's clock */
	struct bench_activity before, after; /* of a second in which this process did nothing */
	struct bench_selftest selftest;
	bool siblings;             /* the self-test's two threads shared a core */
	double seconds;            /* between before and after */
	uint64_t throttled_before; /* look_throttle_count before all that */
	struct bench_finding *finding;
	const char *why; /* after look_read gave NULL: why, or "" where there is no such file */
};

struct look_check {
	const char *name;
	void (*check)(struct look *look);
};

/* The checks, a table a file; each ends with a NULL name. */
extern const struct look_check look_processor_checks[], look_load_checks[], look_limit_checks[],
	look_memory_checks[], look_timing_checks[], look_library_checks[], look_gpu_checks[],
	look_storage_checks[];

/*
 * The text of a small file below `root`, blanks at its end cut off, in the arena. NULL where it cannot
 * be read: look->why.
 */
char *look_read(struct look *look, const char *root, const char *path);
/* The number that a file below /sys starts with; false where there is none to be read. */
bool look_number(struct look *look, const char *root, const char *path, double *value);

/* Fill the finding. */
void look_found(struct look *look, enum bench_grade grade, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void look_cost(struct look *look, const char *format, ...) __attribute__((format(printf, 2, 3)));
void look_change(struct look *look, const char *format, ...) __attribute__((format(printf, 2, 3)));
void look_command(struct look *look, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Unknown: look->why, or that there is no such file. */
void look_unknown(struct look *look, const char *path);

/* "0-3,8" (the kernel's lists of CPUs and nodes) into a set; and a set as such a list. */
void look_parse_list(const char *text, cpu_set_t *set);
char *look_list(struct look *look, const cpu_set_t *set);

/* Calls visit for each entry of a folder below `root` whose name starts with `prefix`; false: no such folder.
 */
bool look_each(struct look *look, const char *root, const char *folder, const char *prefix,
	       void (*visit)(struct look *look, const char *entry, void *context), void *context);

/* How often the processor was throttled for heat, since the start of the machine; *there: it counts that. */
uint64_t look_throttle_count(struct look *look, bool *there);

/* Fills the finding from what was read of GPUs. */
struct bench_nvml_gpu;
void look_gpus(struct look *look, const struct bench_nvml_gpu *gpus, size_t count);

/* Runs one table's checks, a finding each. */
void look_run(struct look *look, struct bench_fitness *fitness, const struct look_check *checks);

#endif
