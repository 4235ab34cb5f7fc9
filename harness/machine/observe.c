/* SPDX-License-Identifier: MIT */
#include "machine/observe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CACHE_MISS(cache)                                                                                    \
	(PERF_COUNT_HW_CACHE_##cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) |                                  \
	 (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

static const struct event {
	enum bench_observed_kind kind;
	uint32_t type;
	uint64_t config;
} events[BENCH_OBSERVE_EVENTS] = {
	/* Software: the kernel counts it itself. */
	{BENCH_OBSERVED_MIGRATIONS, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{BENCH_OBSERVED_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{BENCH_OBSERVED_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{BENCH_OBSERVED_CACHE_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{BENCH_OBSERVED_BRANCH_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{BENCH_OBSERVED_L1D_MISSES, PERF_TYPE_HW_CACHE, CACHE_MISS(L1D)},
	{BENCH_OBSERVED_DTLB_MISSES, PERF_TYPE_HW_CACHE, CACHE_MISS(DTLB)},
};

void bench_machine_observe_open(struct bench_observe *observe)
{
	for (size_t i = 0; i < BENCH_OBSERVE_EVENTS; i++) {
		bool hardware = events[i].type != PERF_TYPE_SOFTWARE;
		struct perf_event_attr attr;
		memset(&attr, 0, sizeof(attr));
		attr.type = events[i].type;
		attr.size = sizeof(attr);
		attr.config = events[i].config;
		attr.inherit = 1;
		/* A migration happens in the kernel: without it, there are none. */
		attr.exclude_kernel = attr.exclude_hv = hardware;
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		observe->fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		observe->causes[i] = observe->fds[i] < 0 ? errno : 0;
	}
}

/* A count, scaled to the whole time where events share the processor's counters. */
static double read_event(int fd)
{
	struct {
		uint64_t value, enabled_ns, running_ns;
	} now;
	if (fd < 0 || read(fd, &now, sizeof(now)) != (ssize_t)sizeof(now))
		return NAN;
	if (now.running_ns == 0)
		return now.enabled_ns == 0 ? 0 : NAN;
	return (double)now.value * ((double)now.enabled_ns / (double)now.running_ns);
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

void bench_machine_observe_read(const struct bench_observe *observe, double values[BENCH_OBSERVED_KINDS])
{
	const struct mallinfo2 heap = mallinfo2();
	struct timespec host = {0};
	struct rusage own = {0}, programs = {0};
	for (size_t i = 0; i < BENCH_OBSERVED_KINDS; i++)
		values[i] = NAN;
	for (size_t i = 0; i < BENCH_OBSERVE_EVENTS; i++)
		values[events[i].kind] = read_event(observe->fds[i]);
	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &programs);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &host);
	values[BENCH_OBSERVED_USER_TIME] = seconds_of(&own.ru_utime) + seconds_of(&programs.ru_utime);
	values[BENCH_OBSERVED_SYSTEM_TIME] = seconds_of(&own.ru_stime) + seconds_of(&programs.ru_stime);
	values[BENCH_OBSERVED_MINOR_FAULTS] = (double)(own.ru_minflt + programs.ru_minflt);
	values[BENCH_OBSERVED_MAJOR_FAULTS] = (double)(own.ru_majflt + programs.ru_majflt);
	values[BENCH_OBSERVED_SWITCHES] = (double)(own.ru_nvcsw + programs.ru_nvcsw);
	values[BENCH_OBSERVED_PREEMPTIONS] = (double)(own.ru_nivcsw + programs.ru_nivcsw);
	values[BENCH_OBSERVED_HOST_TIME] = (double)host.tv_sec + 1e-9 * (double)host.tv_nsec;
	values[BENCH_OBSERVED_HEAP] = (double)heap.uordblks + (double)heap.hblkhd;
}

void bench_machine_observe_memory(double *resident, double *huge)
{
	char line[256];
	unsigned long long kib;
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	*resident = *huge = NAN;
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Rss: %llu", &kib) == 1)
			*resident = 1024.0 * (double)kib;
		else if (sscanf(line, "AnonHugePages: %llu", &kib) == 1)
			*huge = 1024.0 * (double)kib;
	}
	if (file)
		fclose(file);
}

static void tell_event(const struct bench_observe *observe, size_t i, const char *source,
		       void (*tell)(void *context, const char *source, const char *text), void *context)
{
	int cause = observe->causes[i];
	char text[256];
	if (cause == 0)
		return;
	if (cause == EACCES || cause == EPERM)
		snprintf(text, sizeof(text),
			 "the kernel forbids them (a container may, too); to allow them: sudo sysctl "
			 "kernel.perf_event_paranoid=%d",
			 events[i].type == PERF_TYPE_SOFTWARE ? 1 : 2);
	else if (cause == ENOENT || cause == EOPNOTSUPP || cause == ENODEV)
		snprintf(text, sizeof(text),
			 "this machine has none, as most virtual machines; to have them: a machine of its "
			 "own, or a virtual PMU (qemu: -cpu host,pmu=on)");
	else
		snprintf(text, sizeof(text), "perf_event_open: %s", strerror(cause));
	tell(context, source, text);
}

static size_t count_nodes(void)
{
	char path[64];
	size_t count = 0;
	do
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%zu", count);
	while (access(path, F_OK) == 0 && ++count < 1024);
	return count;
}

void bench_machine_observe_unread(const struct bench_observe *observe,
				  void (*tell)(void *context, const char *source, const char *text),
				  void *context)
{
	double resident, huge;
	tell_event(observe, 0, "migrations", tell, context);
	tell_event(observe, 1, "hardware counters", tell, context); /* instructions stand for all */
	for (size_t i = 2; i < BENCH_OBSERVE_EVENTS && observe->causes[1] == 0; i++)
		tell_event(observe, i, bench_observed[events[i].kind].title, tell, context);
	bench_machine_observe_memory(&resident, &huge);
	if (isnan(huge))
		tell(context, "huge pages", "/proc/self/smaps_rollup has none; it needs Linux 4.14 or later");
	if (count_nodes() > 1)
		tell(context, "memory by node",
		     "it is not read yet; to see it: numastat -p $(pidof bench), while it runs");
}

void bench_machine_observe_close(struct bench_observe *observe)
{
	for (size_t i = 0; i < BENCH_OBSERVE_EVENTS; i++)
		if (observe->fds[i] >= 0)
			close(observe->fds[i]);
}
