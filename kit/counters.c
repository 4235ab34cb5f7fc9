/* SPDX-License-Identifier: MIT */
#include "kit/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct bench_counter bench_counters_cpu[BENCH_COUNTERS_CPU] = {
	[BENCH_COUNTER_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[BENCH_COUNTER_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[BENCH_COUNTER_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

/* That of programs stays off in this thread: a program that it starts inherits it, and turns it on by its
 * exec. */
static int open_one(const struct bench_counter *wanted, bool started)
{
	struct perf_event_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.type = wanted->type;
	attr.size = sizeof(attr);
	attr.config = wanted->config;
	attr.disabled = started;
	attr.inherit = 1;
	attr.enable_on_exec = started;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int refuse(int cause, struct bench_error *error)
{
	int level = 0;
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int got = file ? fscanf(file, "%d", &level) : 0;
	if (file)
		fclose(file);
	if (cause == ENOENT || cause == EOPNOTSUPP || cause == ENODEV)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "this machine has no such counters (few virtual machines have)");
	if ((cause == EACCES || cause == EPERM) && got == 1)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the kernel forbids counters: kernel.perf_event_paranoid is %d (2 or less "
				  "allows these; a container may forbid them all the same)",
				  level);
	return bench_fail(error, BENCH_UNSUPPORTED, "counters: perf_event_open: %s", strerror(cause));
}

int bench_counters_open(struct bench_counters *counters, enum bench_counted counted,
			const struct bench_counter *wanted, size_t count, struct bench_error *error)
{
	*counters = (struct bench_counters){0};
	for (size_t i = 0; i < count && i < BENCH_COUNTERS_MOST; i++) {
		counters->fds[i] = open_one(&wanted[i], counted == BENCH_COUNTED_STARTED);
		if (counters->fds[i] < 0) {
			int cause = errno;
			bench_counters_close(counters);
			return refuse(cause, error);
		}
		counters->count++;
	}
	return 0;
}

void bench_counters_read(const struct bench_counters *counters, double *values)
{
	for (size_t i = 0; i < counters->count; i++) {
		struct {
			uint64_t value, enabled_ns, running_ns;
		} now;
		bool whole = read(counters->fds[i], &now, sizeof(now)) == (ssize_t)sizeof(now) &&
			     now.enabled_ns == now.running_ns;
		values[i] = whole ? (double)now.value : (double)NAN;
	}
}

void bench_counters_close(struct bench_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		close(counters->fds[i]);
	*counters = (struct bench_counters){0};
}
