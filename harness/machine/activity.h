/* SPDX-License-Identifier: MIT */
/*
 * What the machine did between two moments: the time of its CPUs and of each process, and the time in which
 * threads waited. Two snapshots of /proc, and their difference.
 */
#ifndef BENCH_MACHINE_ACTIVITY_H
#define BENCH_MACHINE_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/arena.h"

struct bench_process_time {
	pid_t pid;
	char name[64];
	uint64_t ticks; /* of CPU time, user and system, since its start */
};

struct bench_activity {
	bool there;                /* /proc/stat could be read */
	uint64_t busy, steal, all; /* ticks of all CPUs together, since the machine's start */
	struct bench_process_time *processes;
	size_t process_count;
	bool pressure_there;
	uint64_t waited_us; /* in which some thread waited for a CPU (/proc/pressure/cpu, "some") */
	bool swap_there;
	uint64_t swap_pages; /* written to and read from swap */
};

/* A snapshot of what is below `proc` ("/proc"); its processes live in the arena. */
void bench_machine_activity_read(const char *proc, struct bench_arena *arena,
				 struct bench_activity *activity);

enum { BENCH_ACTIVITY_TOP = 3 };

struct bench_activity_change {
	double others; /* CPUs that processes other than `self` kept busy */
	double unseen; /* the part of these that belongs to no visible process */
	double steal;  /* fraction of the CPUs' time that the hypervisor gave to others */
	size_t top_count;
	struct {
		char name[64];
		double cpus;
	} top[BENCH_ACTIVITY_TOP]; /* the largest users, by name, the largest first */
};

/* False if one of the snapshots is not there, or no time (`seconds`) passed between them. */
bool bench_machine_activity_difference(const struct bench_activity *before,
				       const struct bench_activity *after, pid_t self, double seconds,
				       struct bench_activity_change *change);

#endif
