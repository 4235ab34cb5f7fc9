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

#include "core/text.h"
#include "machine/fitness/parts.h"

#define WINDOW_NS 1000000000
#define MOST_TEXT 65536 /* of a file below /proc or /sys */

const char *bench_grade_name(enum bench_grade grade)
{
	static const char *const names[] = {"good", "advice", "bad", "unknown"};
	return names[grade];
}

char *look_read(struct look *look, const char *root, const char *path)
{
	char full[4096];
	look->why = "";
	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return NULL;
	FILE *file = fopen(full, "re");
	char *text = file ? malloc(MOST_TEXT) : NULL;
	size_t length = text ? fread(text, 1, MOST_TEXT - 1, file) : 0;
	bool failed = !text || ferror(file);
	int cause = errno;
	if (file)
		fclose(file);
	char *result = NULL;
	if (failed) {
		/* ENODEV: the kernel has the file, and nothing behind it. */
		if (cause != ENOENT && cause != ENOTDIR && cause != ENODEV)
			look->why =
				bench_arena_format(look->arena, "cannot read %s: %s", full, strerror(cause));
	} else {
		while (length > 0 && isspace((unsigned char)text[length - 1]))
			length--;
		text[length] = '\0';
		result = bench_arena_string(look->arena, text);
	}
	free(text);
	return result;
}

bool look_number(struct look *look, const char *root, const char *path, double *value)
{
	char *text = look_read(look, root, path), *end;
	if (!text)
		return false;
	*value = strtod(text, &end);
	if (end != text)
		return true;
	look->why = bench_arena_format(look->arena, "%s/%s holds no number: '%.40s'", root, path, text);
	return false;
}

void look_found(struct look *look, enum bench_grade grade, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	look->finding->grade = grade;
	look->finding->found = bench_arena_vformat(look->arena, format, arguments);
	va_end(arguments);
}

void look_cost(struct look *look, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	look->finding->cost = bench_arena_vformat(look->arena, format, arguments);
	va_end(arguments);
}

void look_change(struct look *look, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	look->finding->change = bench_arena_vformat(look->arena, format, arguments);
	va_end(arguments);
}

void look_command(struct look *look, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	look->finding->command = bench_arena_vformat(look->arena, format, arguments);
	va_end(arguments);
}

void look_unknown(struct look *look, const char *path)
{
	if (look->why && *look->why)
		look_found(look, BENCH_GRADE_UNKNOWN, "%s", look->why);
	else
		look_found(look, BENCH_GRADE_UNKNOWN, "this system has no %s", path);
}

void look_parse_list(const char *text, cpu_set_t *set)
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

char *look_list(struct look *look, const cpu_set_t *set)
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
	char *list = bench_arena_string(look->arena, text.data ? text.data : "");
	bench_text_free(&text);
	return list;
}

bool look_each(struct look *look, const char *root, const char *folder, const char *prefix,
	       void (*visit)(struct look *look, const char *entry, void *context), void *context)
{
	char path[4096];
	const struct dirent *entry;
	if (snprintf(path, sizeof(path), "%s/%s", root, folder) >= (int)sizeof(path))
		return false;
	DIR *open_folder = opendir(path);
	if (!open_folder)
		return false;
	while ((entry = readdir(open_folder)))
		if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			visit(look, entry->d_name, context);
	closedir(open_folder);
	return true;
}

void look_run(struct look *look, struct bench_fitness *fitness, const struct look_check *checks)
{
	for (; checks->name; checks++) {
		look->finding = bench_arena_push(&fitness->arena, &fitness->findings, &fitness->count,
						 sizeof(*look->finding));
		look->finding->name = checks->name;
		look->why = NULL;
		checks->check(look);
	}
}

/* The first CPU allowed, and one that shares its core or, where none does, the next. */
static void choose_cpus(struct look *look, int *first, int *second)
{
	char path[96];
	cpu_set_t siblings;
	*first = *second = -1;
	CPU_ZERO(&siblings);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &look->allowed))
			continue;
		bool sibling = CPU_ISSET((size_t)cpu, &siblings);
		if (*first < 0) {
			*first = cpu;
			snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/thread_siblings_list",
				 cpu);
			const char *text = look_read(look, look->sys, path);
			if (text)
				look_parse_list(text, &siblings);
		} else if (*second < 0 || (sibling && !look->siblings)) {
			*second = cpu;
			look->siblings = sibling;
		}
	}
}

/* What takes time: a second of watching, while this process sleeps; then the self-test. */
static void measure(struct look *look)
{
	const struct timespec window = {.tv_sec = WINDOW_NS / 1000000000, .tv_nsec = WINDOW_NS % 1000000000};
	const struct bench_clock *clock = &bench_clock_real;
	int first, second;
	bool counted;
	bench_clock_calibrate(clock, &look->clock);
	look->throttled_before = look_throttle_count(look, &counted);
	uint64_t start = clock->now_ns(clock->context);
	bench_activity_read(look->proc, look->arena, &look->before);
	nanosleep(&window, NULL);
	bench_activity_read(look->proc, look->arena, &look->after);
	look->seconds = (double)(clock->now_ns(clock->context) - start) * 1e-9;
	choose_cpus(look, &first, &second);
	bench_selftest_run(first, second, &look->selftest);
}

int bench_fitness_look(const struct bench_fitness_options *options, struct bench_fitness *fitness,
		       struct bench_error *error)
{
	*fitness = (struct bench_fitness){0};
	struct look look = {.arena = &fitness->arena,
			    .proc = options->proc ? options->proc : "/proc",
			    .sys = options->sys ? options->sys : "/sys",
			    .etc = options->etc ? options->etc : "/etc",
			    .options = options};
	char cpus[4096];
	snprintf(cpus, sizeof(cpus), "%s/devices/system/cpu", look.sys);
	if (!look_read(&look, look.proc, "stat") && access(cpus, R_OK) != 0)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"there is nothing to look at: neither %s/stat nor %s can be read; mount proc "
			"and sysfs",
			look.proc, cpus);
	if (sched_getaffinity(0, sizeof(look.allowed), &look.allowed) != 0)
		CPU_ZERO(&look.allowed);
	look.threads = options->threads ? options->threads : (unsigned)CPU_COUNT(&look.allowed);
	measure(&look);
	look_run(&look, fitness, look_processor_checks);
	look_run(&look, fitness, look_load_checks);
	look_run(&look, fitness, look_limit_checks);
	look_run(&look, fitness, look_memory_checks);
	look_run(&look, fitness, look_timing_checks);
	look_run(&look, fitness, look_gpu_checks);
	look_run(&look, fitness, look_library_checks);
	look_run(&look, fitness, look_storage_checks);
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
