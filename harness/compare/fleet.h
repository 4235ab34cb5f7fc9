/* SPDX-License-Identifier: MIT */
/*
 * Runs of several machines. Pure, as all of this room.
 *
 * A class is what machines have in common that are alike: processor, cores, caches, memory in whole GiB, and
 * the devices that were measured. Runs of one class that were asked for the same form a group; nothing is
 * compared across groups. A job is what measures a fleet once, such as a night.
 */
#ifndef BENCH_COMPARE_FLEET_H
#define BENCH_COMPARE_FLEET_H

#include "compare/compare.h"

/* "class:8f0c2a91d3b4e576", in `arena`; *about: the same for people, "AMD EPYC 9654, 192 cores, 755 GiB,
 * NVIDIA H200". */
char *bench_compare_fleet_class(const struct bench_run *run, struct bench_arena *arena, char **about);

/* Is it a class, where a host's fingerprint may stand? */
bool bench_compare_fleet_is_class(const char *fingerprint);

/*
 * What keeps two runs from being compared, but that they are of two hosts: "driver of opencl:x: 1 in the
 * baseline, 2 now", in `arena`; NULL: nothing does.
 */
char *bench_compare_fleet_difference(const struct bench_run *other, const struct bench_run *run,
				     struct bench_arena *arena);

/* A run of a group. Nothing is owned. */
struct bench_fleet_run {
	const struct bench_run *run; /* as bench_store_load_medians gives it */
	size_t job, node;            /* numbers of its job and its node within the group */
};

struct bench_fleet_group {
	const struct bench_fleet_run *runs;
	size_t count, jobs, nodes;
};

/* What one metric of one node says against the other nodes of its group. */
struct bench_fleet_odd {
	size_t group, node;
	const char *key;       /* full metric name, of a record of the group */
	size_t values, others; /* runs of the node, and of others in the same jobs */
	double ratio, lo, hi;  /* of the node's values over the others' of the same job; NaN: no interval */
	enum bench_verdict_kind kind; /* slower, faster, same or unclear, as a class's other nodes go */
};

/*
 * Which nodes are odd? slower and faster: the interval lies beyond the threshold. Its level keeps the chance
 * of accusing any node of any group at or below alpha if none is off by the threshold. same: the 90% interval
 * lies within it. Of `options`, threshold, alpha and rules count. Ordered by group, key and node; in `arena`.
 */
void bench_compare_fleet_odd(const struct bench_fleet_group *groups, size_t group_count,
			     const struct bench_compare_options *options, struct bench_arena *arena,
			     struct bench_fleet_odd **odd, size_t *count);

/*
 * The nights of a group: for each job a record as of one machine, `class`, whose invocations are its runs. So
 * a class is judged as a machine is. A node's offset in the other jobs is subtracted from its values, if
 * there are at least BENCH_FLEET_LEVELS jobs besides the first: a node that is missing tonight moves nothing.
 * A case has the worst status that it had on any node. The id is the job's first run's. The caller
 * frees the records; a job without runs has NULL.
 */
void bench_compare_fleet_nights(const struct bench_fleet_group *group, const char *class,
				struct bench_run **nights);
#define BENCH_FLEET_LEVELS 3

#endif
