/* SPDX-License-Identifier: MIT */
#include "machine/activity.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"

/* The start of a small file; false where it cannot be read. */
static bool read_start(const char *folder, const char *name, char *out, size_t size)
{
	char path[4096];
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return false;
	BENCH_SCOPED_FILE *file = bench_file_open(path);
	if (!file)
		return false;
	size_t length = fread(out, 1, size - 1, file);
	bool read = !ferror(file);
	out[length] = '\0';
	return read && length > 0;
}

/* "cpu  user nice system idle iowait irq softirq steal ...": guests' time is in user's already. */
static void read_cpus(const char *proc, struct bench_activity *activity)
{
	char text[512];
	unsigned long long t[8] = {0};
	if (!read_start(proc, "stat", text, sizeof(text)) ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4],
		   &t[5], &t[6], &t[7]) < 4)
		return;
	activity->there = true;
	activity->busy = t[0] + t[1] + t[2] + t[5] + t[6];
	activity->steal = t[7];
	activity->all = activity->busy + t[3] + t[4] + t[7];
}

static void read_process(const char *proc, const char *pid, struct bench_arena *arena,
			 struct bench_activity *activity)
{
	char name[300], text[1024];
	unsigned long long user, system;
	snprintf(name, sizeof(name), "%s/stat", pid);
	if (!read_start(proc, name, text, sizeof(text)))
		return;
	/* "1234 (name) S ...": the name may hold anything, so that the last ')' counts. */
	char *start = strchr(text, '('), *end = strrchr(text, ')');
	if (!start || !end || end < start ||
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
		return;
	*end = '\0';
	struct bench_process_time *process =
		bench_arena_push(arena, &activity->processes, &activity->process_count, sizeof(*process));
	process->pid = (pid_t)strtol(pid, NULL, 10);
	process->ticks = user + system;
	snprintf(process->name, sizeof(process->name), "%s", start + 1);
}

static void read_pressure(const char *proc, struct bench_activity *activity)
{
	char text[512];
	unsigned long long total;
	if (!read_start(proc, "pressure/cpu", text, sizeof(text)))
		return;
	char *line = strstr(text, "some "), *word = line ? strstr(line, "total=") : NULL;
	if (!word || sscanf(word, "total=%llu", &total) != 1)
		return;
	activity->pressure_there = true;
	activity->waited_us = total;
}

static void read_swap(const char *proc, struct bench_activity *activity)
{
	static char text[65536];
	static const char *const names[] = {"\npswpin ", "\npswpout "};
	if (!read_start(proc, "vmstat", text, sizeof(text)))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *line = strstr(text, names[i]);
		if (!line)
			continue;
		activity->swap_there = true;
		activity->swap_pages += strtoull(line + strlen(names[i]), NULL, 10);
	}
}

void bench_machine_activity_read(const char *proc, struct bench_arena *arena, struct bench_activity *activity)
{
	*activity = (struct bench_activity){0};
	read_cpus(proc, activity);
	read_pressure(proc, activity);
	read_swap(proc, activity);
	BENCH_SCOPED_FOLDER *folder = bench_file_open_folder(proc);
	const struct dirent *entry;
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			read_process(proc, entry->d_name, arena, activity);
}

/* Ticks of a process since the first snapshot; one that was not there then, or was another, began at 0. */
static uint64_t ticks_since(const struct bench_activity *before, const struct bench_process_time *process)
{
	for (size_t i = 0; i < before->process_count; i++)
		if (before->processes[i].pid == process->pid && before->processes[i].ticks <= process->ticks)
			return process->ticks - before->processes[i].ticks;
	return process->ticks;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct bench_process_time *)a)->name,
		      ((const struct bench_process_time *)b)->name);
}

/* Puts a name and what it used among the top ones, if it belongs there. */
static void rank(struct bench_activity_change *change, const char *name, double cpus)
{
	size_t at = change->top_count;
	while (at > 0 && change->top[at - 1].cpus < cpus)
		at--;
	if (at == BENCH_ACTIVITY_TOP)
		return;
	if (change->top_count < BENCH_ACTIVITY_TOP)
		change->top_count++;
	for (size_t i = change->top_count - 1; i > at; i--)
		change->top[i] = change->top[i - 1];
	change->top[at].cpus = cpus;
	snprintf(change->top[at].name, sizeof(change->top[at].name), "%s", name);
}

bool bench_machine_activity_difference(const struct bench_activity *before,
				       const struct bench_activity *after, pid_t self, double seconds,
				       struct bench_activity_change *change)
{
	*change = (struct bench_activity_change){0};
	if (!before->there || !after->there || after->all <= before->all || !(seconds > 0))
		return false;
	double per_cpu = 1 / ((double)sysconf(_SC_CLK_TCK) * seconds);
	uint64_t own = 0, seen = 0;
	struct bench_process_time *used = bench_memory_alloc(after->process_count, sizeof(*used));
	for (size_t i = 0; i < after->process_count; i++) {
		used[i] = after->processes[i];
		used[i].ticks = ticks_since(before, &after->processes[i]);
		if (used[i].pid == self)
			own += used[i].ticks;
		else
			seen += used[i].ticks;
	}
	/* The eight compilers of a build are one user. */
	qsort(used, after->process_count, sizeof(*used), by_name);
	for (size_t i = 0; i < after->process_count;) {
		uint64_t ticks = 0;
		size_t first = i;
		for (; i < after->process_count && strcmp(used[i].name, used[first].name) == 0; i++)
			ticks += used[i].pid == self ? 0 : used[i].ticks;
		if (ticks)
			rank(change, used[first].name, (double)ticks * per_cpu);
	}
	free(used);
	/* Counters of a CPU may step back a tick: a negative difference counts as 0. */
	uint64_t busy = after->busy > before->busy ? after->busy - before->busy : 0;
	uint64_t others = busy > own ? busy - own : 0;
	change->others = (double)others * per_cpu;
	change->unseen = others > seen ? (double)(others - seen) * per_cpu : 0;
	if (after->steal > before->steal)
		change->steal = (double)(after->steal - before->steal) / (double)(after->all - before->all);
	return true;
}
