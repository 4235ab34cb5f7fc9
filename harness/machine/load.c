/* SPDX-License-Identifier: MIT */
#include "machine/load.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/clock.h"
#include "core/file.h"
#include "machine/thread.h"

#define SHORTEST_SECONDS 0.1
#define CANNOT_BE                                                                                            \
	0.25 /* cores: if others used less than minus this, the ticks are not those of our processors */

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };

/* "cpu3 1 2 ...": the number; -1 for the line "cpu" of all, -2 for any other. *rest: what follows it. */
static long processor_of(const char *line, const char **rest)
{
	char *end;
	if (strncmp(line, "cpu", 3) != 0)
		return -2;
	*rest = line + 3;
	if (line[3] == ' ')
		return -1;
	long number = strtol(line + 3, &end, 10);
	*rest = end;
	return end == line + 3 || *end != ' ' || number < 0 || number >= CPU_SETSIZE ? -2 : number;
}

static bool add_line(const char *fields, struct bench_load *load)
{
	double ticks[FIELDS];
	for (int i = 0; i < FIELDS; i++) {
		char *end;
		ticks[i] = (double)strtoull(fields, &end, 10);
		if (end == fields)
			return false;
		fields = end;
	}
	double busy = ticks[USER] + ticks[NICE] + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ];
	load->busy += busy;
	load->steal += ticks[STEAL];
	load->total += busy + ticks[STEAL] + ticks[IDLE] + ticks[IOWAIT];
	return true;
}

void bench_machine_load_read_stat(const char *path, const cpu_set_t *allowed, struct bench_load *load)
{
	char line[512];
	struct bench_load all = {0}, some = {0};
	size_t present = 0;
	bool right = true;
	BENCH_SCOPED_FILE *file = bench_file_open(path);
	/* The processors' lines come first; those after them are long. */
	while (file && right && fgets(line, sizeof(line), file)) {
		const char *fields;
		long processor = processor_of(line, &fields);
		if (processor == -2)
			break;
		present += processor >= 0;
		if (processor == -1)
			right = add_line(fields, &all);
		else if (!allowed || CPU_ISSET((size_t)processor, allowed)) {
			some.processors++;
			right = add_line(fields, &some);
		}
	}
	/* The line of all is better if it fits: it is rounded to ticks once, not once for each processor. */
	const struct bench_load *best = some.processors == present && all.total > 0 ? &all : &some;
	bool known = right && some.processors > 0 && best->total > 0;
	load->busy = known ? best->busy : NAN;
	load->steal = known ? best->steal : NAN;
	load->total = known ? best->total : NAN;
	load->processors = some.processors;
}

static double waited_of(int folder, const char *task)
{
	char text[128], *second, *end;
	if (!bench_machine_thread_read(folder, task, "schedstat", text, sizeof(text)))
		return NAN;
	strtoull(text, &second, 10);
	unsigned long long nanoseconds = strtoull(second, &end, 10);
	return second == text || end == second ? NAN : (double)nanoseconds * 1e-9;
}

void bench_machine_load_read_threads(const char *path, struct bench_load *load)
{
	const struct dirent *entry;
	BENCH_SCOPED_FOLDER *folder = bench_file_open_folder(path);
	double sum = 0;
	size_t readable = 0;
	load->threads = 0;
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		/* The waiting of a thread that has ended since it was listed is lost. */
		double waited = waited_of(dirfd(folder), entry->d_name);
		load->threads++;
		readable += isnan(waited) ? 0 : 1;
		sum += isnan(waited) ? 0 : waited;
	}
	load->waited = readable ? sum : NAN;
}

static double processor_seconds(int who)
{
	struct rusage usage = {0};
	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The processors that any thread of this process may use: each may be bound to a different one. */
static bool find_allowed(cpu_set_t *allowed)
{
	const struct dirent *entry;
	BENCH_SCOPED_FOLDER *folder = bench_file_open_folder("/proc/self/task");
	CPU_ZERO(allowed);
	while (folder && (entry = readdir(folder))) {
		cpu_set_t own;
		long thread = strtol(entry->d_name, NULL, 10);
		if (thread > 0 && sched_getaffinity((pid_t)thread, sizeof(own), &own) == 0)
			CPU_OR(allowed, allowed, &own);
	}
	return CPU_COUNT(allowed) > 0;
}

void bench_machine_load_read(struct bench_load *load)
{
	cpu_set_t allowed;
	bench_machine_load_read_stat("/proc/stat", find_allowed(&allowed) ? &allowed : NULL, load);
	bench_machine_load_read_threads("/proc/self/task", load);
	load->own = processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
	load->at = bench_clock_seconds();
}

struct bench_load_use bench_machine_load_between(const struct bench_load *from, const struct bench_load *to)
{
	struct bench_load_use use = {to->at - from->at, NAN, NAN, NAN};
	double total = to->total - from->total, cores = (double)to->processors;
	if (use.seconds >= SHORTEST_SECONDS && total > 0 && from->processors == to->processors) {
		use.steal = fmax(0, (to->steal - from->steal - 1) / total * cores);
		use.others = (to->busy - from->busy) / total * cores - (to->own - from->own) / use.seconds;
		use.others = use.others < -CANNOT_BE ? NAN : fmax(0, use.others);
	}
	double waited = use.seconds > 0 ? fmax(0, to->waited - from->waited) / use.seconds : NAN;
	if (isnan(to->waited) || isnan(from->waited))
		return use;
	if (!isnan(use.others))
		use.waited = fmin(waited, use.others);
	else if (to->threads <= to->processors)
		use.waited = waited;
	return use;
}
