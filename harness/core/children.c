/* SPDX-License-Identifier: MIT */
#include "core/children.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "core/file.h"

#define ROUNDS   200 /* 1 s in all: a process that hangs in the kernel stays */
#define PAUSE_NS 5000000

static bool adopted;

void bench_children_adopt(void)
{
	siginfo_t info;
	/* A fork keeps the variable, and not the attribute. */
	if (adopted || (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD))
		adopted = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

static bool is_known(pid_t pid, const pid_t *known, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (known[i] == pid)
			return true;
	return false;
}

/* Ends the children of one thread; returns how many there were. A number is its own until it is reaped here.
 */
static size_t end_children_of(const char *thread, const pid_t *known, size_t count)
{
	char path[64];
	size_t found = 0;
	long pid;
	snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", thread);
	BENCH_SCOPED_FILE *file = fopen(path, "re");
	while (file && fscanf(file, "%ld", &pid) == 1) {
		if (is_known((pid_t)pid, known, count))
			continue;
		kill((pid_t)pid, SIGKILL);
		waitpid((pid_t)pid, NULL, WNOHANG);
		found++;
	}
	return found;
}

void bench_children_end(const pid_t *known, size_t count)
{
	for (int round = 0; adopted && round < ROUNDS; round++) {
		size_t found = 0;
		BENCH_SCOPED_FOLDER *threads = opendir("/proc/self/task");
		for (const struct dirent *entry; threads && (entry = readdir(threads));)
			if (entry->d_name[0] != '.')
				found += end_children_of(entry->d_name, known, count);
		if (found == 0)
			return;
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
}
