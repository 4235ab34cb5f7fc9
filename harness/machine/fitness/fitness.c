/* SPDX-License-Identifier: MIT */
/* The list of checks, and what they share: reading small files, filling findings. */
#include "machine/fitness/fitness.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "machine/fitness/internal.h"

#define WINDOW_NS 1000000000
#define MOST_TEXT 65536 /* of a file below /proc or /sys */

const char *bench_fitness_grade_name(enum bench_grade grade)
{
	static const char *const names[] = {"good", "advice", "bad", "unknown"};
	return names[grade];
}

char *fitness_read(struct probe *probe, const char *root, const char *path)
{
	char full[4096];
	probe->why = "";
	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return NULL;
	FILE *file = bench_file_open(full);
	BENCH_SCOPED_MEMORY char *text = file ? bench_memory_alloc(MOST_TEXT, 1) : NULL;
	size_t length = text ? fread(text, 1, MOST_TEXT - 1, file) : 0;
	bool failed = !text || ferror(file);
	int cause = errno;
	if (file)
		fclose(file);
	char *result = NULL;
	if (failed) {
		/* ENODEV: the kernel has the file, but nothing behind it. */
		if (cause != ENOENT && cause != ENOTDIR && cause != ENODEV)
			probe->why =
				bench_arena_format(probe->arena, "cannot read %s: %s", full, strerror(cause));
	} else {
		while (length > 0 && isspace((unsigned char)text[length - 1]))
			length--;
		text[length] = '\0';
		result = bench_arena_string(probe->arena, text);
	}
	return result;
}

bool fitness_number(struct probe *probe, const char *root, const char *path, double *value)
{
	char *text = fitness_read(probe, root, path), *end;
	if (!text)
		return false;
	*value = strtod(text, &end);
	if (end != text)
		return true;
	probe->why = bench_arena_format(probe->arena, "%s/%s holds no number: '%.40s'", root, path, text);
	return false;
}

void fitness_found(struct probe *probe, enum bench_grade grade, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	probe->finding->grade = grade;
	probe->finding->found = bench_arena_vformat(probe->arena, format, arguments);
	va_end(arguments);
}

void fitness_tell(struct probe *probe, char **text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	*text = bench_arena_vformat(probe->arena, format, arguments);
	va_end(arguments);
}

void fitness_unknown(struct probe *probe, const char *path)
{
	if (probe->why && *probe->why)
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", probe->why);
	else
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "this system has no %s", path);
}

void fitness_parse_list(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, set);
		text = *end == ',' ? end + 1 : end;
	}
}

char *fitness_list(struct probe *probe, const cpu_set_t *set)
{
	struct bench_text text = {0};
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		size_t last = cpu;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		bench_text_add(&text, "%s%zu", text.length ? "," : "", cpu);
		if (last > cpu)
			bench_text_add(&text, "-%zu", last);
		cpu = last;
	}
	return bench_text_keep(&text, probe->arena);
}

bool fitness_each(struct probe *probe, const char *root, const char *folder, const char *prefix,
		  void (*visit)(struct probe *probe, const char *entry, void *context), void *context)
{
	char path[4096];
	const struct dirent *entry;
	if (snprintf(path, sizeof(path), "%s/%s", root, folder) >= (int)sizeof(path))
		return false;
	BENCH_SCOPED_FOLDER *open_folder = bench_file_open_folder(path);
	if (!open_folder)
		return false;
	while ((entry = readdir(open_folder)))
		if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			visit(probe, entry->d_name, context);
	return true;
}

static const struct fitness_check *const tables[] = {
	fitness_processor_checks, fitness_load_checks, fitness_limit_checks,   fitness_memory_checks,
	fitness_timing_checks,    fitness_gpu_checks,  fitness_library_checks, fitness_storage_checks};

/* Runs one table's checks, a finding each. */
static void run_checks(struct probe *probe, struct bench_fitness *fitness, const struct fitness_check *checks)
{
	for (; checks->name; checks++) {
		probe->finding = bench_arena_push(&fitness->arena, &fitness->findings, &fitness->count,
						  sizeof(*probe->finding));
		probe->finding->name = checks->name;
		probe->why = NULL;
		checks->check(probe);
	}
}

/* The first CPU allowed, and one that shares its core or, where none does, the next. */
static void choose_cpus(struct probe *probe, int *first, int *second)
{
	char path[96];
	cpu_set_t siblings;
	*first = *second = -1;
	CPU_ZERO(&siblings);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &probe->allowed))
			continue;
		bool sibling = CPU_ISSET((size_t)cpu, &siblings);
		if (*first < 0) {
			*first = cpu;
			snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/thread_siblings_list",
				 cpu);
			const char *text = fitness_read(probe, probe->sys, path);
			if (text)
				fitness_parse_list(text, &siblings);
		} else if (*second < 0 || (sibling && !probe->siblings)) {
			*second = cpu;
			probe->siblings = sibling;
		}
	}
}

/* The measurements: a second in which this process sleeps and others are watched; then the self-test. */
static void measure(struct probe *probe)
{
	const struct timespec window = {.tv_sec = WINDOW_NS / 1000000000, .tv_nsec = WINDOW_NS % 1000000000};
	const struct bench_clock *clock = &bench_clock_real;
	int first, second;
	bool counted;
	bench_clock_calibrate(clock, &probe->clock);
	probe->throttled_before = fitness_throttle_count(probe, &counted);
	uint64_t start = clock->now_ns(clock->context);
	bench_machine_activity_read(probe->proc, probe->arena, &probe->before);
	nanosleep(&window, NULL);
	bench_machine_activity_read(probe->proc, probe->arena, &probe->after);
	probe->seconds = (double)(clock->now_ns(clock->context) - start) * 1e-9;
	choose_cpus(probe, &first, &second);
	bench_fitness_selftest_run(first, second, &probe->selftest);
}

int bench_fitness_check(const struct bench_fitness_options *options, struct bench_fitness *fitness,
			struct bench_error *error)
{
	*fitness = (struct bench_fitness){0};
	struct probe probe = {.arena = &fitness->arena,
			      .proc = options->proc ? options->proc : "/proc",
			      .sys = options->sys ? options->sys : "/sys",
			      .etc = options->etc ? options->etc : "/etc",
			      .options = options};
	char cpus[4096];
	snprintf(cpus, sizeof(cpus), "%s/devices/system/cpu", probe.sys);
	if (!fitness_read(&probe, probe.proc, "stat") && access(cpus, R_OK) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "there is nothing to look at: neither %s/stat nor %s can be read; mount "
				  "proc and sysfs",
				  probe.proc, cpus);
	if (sched_getaffinity(0, sizeof(probe.allowed), &probe.allowed) != 0)
		CPU_ZERO(&probe.allowed);
	probe.threads = options->threads ? options->threads : (unsigned)CPU_COUNT(&probe.allowed);
	measure(&probe);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		run_checks(&probe, fitness, tables[i]);
	return 0;
}

void bench_fitness_free(struct bench_fitness *fitness)
{
	bench_arena_free(&fitness->arena);
	*fitness = (struct bench_fitness){0};
}

void bench_fitness_add(struct bench_fitness *fitness, const struct bench_finding *finding)
{
	struct bench_finding *added =
		bench_arena_push(&fitness->arena, &fitness->findings, &fitness->count, sizeof(*added));
	added->name = finding->name;
	added->grade = finding->grade;
	added->found = bench_arena_string(&fitness->arena, finding->found);
	added->cost = bench_arena_string(&fitness->arena, finding->cost);
	added->change = bench_arena_string(&fitness->arena, finding->change);
	added->command = bench_arena_string(&fitness->arena, finding->command);
}

size_t bench_fitness_count(const struct bench_fitness *fitness, enum bench_grade grade)
{
	size_t count = 0;
	for (size_t i = 0; i < fitness->count; i++)
		count += fitness->findings[i].grade == grade;
	return count;
}
