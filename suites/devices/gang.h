/* SPDX-License-Identifier: MIT */
/*
 * A gang: the other devices of a backend. Each is a station with its own thread, and repeats a job from
 * bench_gang_start to bench_gang_stop. One thread, the case's, calls all functions.
 */
#ifndef SUITES_DEVICES_GANG_H
#define SUITES_DEVICES_GANG_H

#include "suites/devices/station.h"

#define BENCH_GANG_MOST 64

struct bench_gang;

/*
 * Opens all devices of the backend but `own`, or those of its kind alone, and sets them up, all at the same
 * time. There is one at least. The job has to outlive the gang. *gang is NULL on failure.
 */
int bench_gang_open(const struct bench_station_job *job, size_t own, bool alike, struct bench_gang **gang,
		    struct bench_error *error);
void bench_gang_close(struct bench_gang *gang); /* NULL is allowed */

void bench_gang_start(struct bench_gang *gang);
/* They end what they are at. */
void bench_gang_stop(struct bench_gang *gang);
/* Waits until all have ended. -1 where one of them has failed. */
int bench_gang_wait(struct bench_gang *gang, struct bench_error *error);
/*
 * After bench_gang_wait: the iterations from the start to the stop, over all of them. An iteration that the
 * stop interrupted counts by the share of its time before the stop.
 */
double bench_gang_done(struct bench_gang *gang);

/* After bench_gang_wait: makes the results of all wrong. */
int bench_gang_spoil(struct bench_gang *gang, struct bench_error *error);
size_t bench_gang_size(const struct bench_gang *gang);
/* After bench_gang_wait: the result of member `index`, n x n; NULL where it did nothing since it was spoiled.
 */
int bench_gang_result(struct bench_gang *gang, size_t index, const float **host, struct bench_error *error);

#endif
