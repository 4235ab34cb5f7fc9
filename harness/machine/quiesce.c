/* SPDX-License-Identifier: MIT */
#include "machine/quiesce.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "machine/thread.h"

#define EAGER    32 /* tries without a pause: most threads fall asleep within them */
#define TRIES    1250
#define PAUSE_NS 200000

/* "1234 (name) R ...": is the thread running? A thread that is gone is not. */
static bool is_running(int tasks, const char *thread)
{
	char text[256];
	if (!bench_machine_thread_read(tasks, thread, "stat", text, sizeof(text)))
		return false;
	/* The name may contain anything, even ')': the state follows the last one. */
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] == 'R';
}

bool bench_machine_is_quiescent(void)
{
	BENCH_SCOPED_FOLDER *folder = bench_file_open_folder("/proc/self/task");
	bool running = false;
	const struct dirent *entry;
	if (!folder)
		return true;
	while (!running && (entry = readdir(folder)))
		running = entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) != (long)gettid() &&
			  is_running(dirfd(folder), entry->d_name);
	return !running;
}

bool bench_machine_quiesce(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	bool idle = bench_machine_is_quiescent();
	for (int i = 0; i < EAGER + TRIES && !idle; i++) {
		if (i < EAGER)
			sched_yield();
		else
			nanosleep(&pause, NULL);
		idle = bench_machine_is_quiescent();
	}
	return idle;
}
