/* SPDX-License-Identifier: MIT */
/* A made-up machine: a tree of /proc, /sys and /etc in a scratch folder, and one check on it. */
#ifndef BENCH_TESTS_FITNESS_FIXTURE_H
#define BENCH_TESTS_FITNESS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/file.h"
#include "machine/fitness/internal.h"
#include "scratch.h"

struct machine {
	char proc[160], sys[160], etc[160];
	const char *root;
	struct bench_arena arena;
	struct bench_fitness_options options;
	struct probe probe;
	struct bench_finding finding;
};

/* A machine of `cpus` CPUs, all of which the process may use, and as many threads; no file is there yet. */
static inline void make_machine(struct machine *machine, void **state, unsigned cpus)
{
	*machine = (struct machine){.root = *state};
	snprintf(machine->proc, sizeof(machine->proc), "%s/proc", machine->root);
	snprintf(machine->sys, sizeof(machine->sys), "%s/sys", machine->root);
	snprintf(machine->etc, sizeof(machine->etc), "%s/etc", machine->root);
	machine->probe = (struct probe){.arena = &machine->arena,
					.proc = machine->proc,
					.sys = machine->sys,
					.etc = machine->etc,
					.options = &machine->options,
					.threads = cpus,
					.seconds = 1,
					.clock = {.tick_ns = 1, .cost_ns = 20}};
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		CPU_SET(cpu, &machine->probe.allowed);
}

static inline void end_machine(struct machine *machine)
{
	bench_arena_free(&machine->arena);
}

static inline void path_of(const struct machine *machine, const char *path, char *out, size_t size)
{
	assert_true(snprintf(out, size, "%s/%s", machine->root, path) < (int)size);
}

/* Writes a file, "sys/devices/...", and the folders that it is in. */
static inline void put(const struct machine *machine, const char *path, const char *text)
{
	char full[512], folder[512];
	struct bench_error error;
	path_of(machine, path, full, sizeof(full));
	snprintf(folder, sizeof(folder), "%s", full);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(bench_file_make_folder(folder, &error), 0);
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A folder where a file should be: it is there and cannot be read, for root neither. */
static inline void put_unreadable(const struct machine *machine, const char *path)
{
	char full[512];
	struct bench_error error;
	path_of(machine, path, full, sizeof(full));
	(void)remove(full);
	assert_int_equal(bench_file_make_folder(full, &error), 0);
}

/* What the check of that name finds. */
static inline const struct bench_finding *look_at(struct machine *machine, const char *name)
{
	const struct fitness_check *const tables[] = {fitness_processor_checks, fitness_load_checks,
						      fitness_limit_checks,     fitness_memory_checks,
						      fitness_timing_checks,    fitness_library_checks,
						      fitness_gpu_checks,       fitness_storage_checks};
	machine->finding = (struct bench_finding){0};
	machine->probe.finding = &machine->finding;
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		for (const struct fitness_check *check = tables[t]; check->name; check++) {
			if (strcmp(check->name, name) != 0)
				continue;
			check->check(&machine->probe);
			assert_non_null(machine->finding.found);
			/* What is to be changed says what it costs. */
			if (machine->finding.grade == BENCH_GRADE_BAD)
				assert_true(machine->finding.cost && machine->finding.change);
			return &machine->finding;
		}
	}
	fail_msg("there is no check '%s'", name);
	return NULL;
}

#define assert_grade(machine, name, expected)                                                                \
	do {                                                                                                 \
		const struct bench_finding *looked = look_at((machine), (name));                             \
		if (looked->grade != (expected))                                                             \
			fail_msg("%s is %s, not %s: %s", (name), bench_fitness_grade_name(looked->grade),    \
				 bench_fitness_grade_name(expected), looked->found);                         \
	} while (0)

#define assert_says(text, part)                                                                              \
	do {                                                                                                 \
		if (!strstr((text), (part)))                                                                 \
			fail_msg("'%s' does not say '%s'", (text), (part));                                  \
	} while (0)

#endif
