/* SPDX-License-Identifier: MIT */
/* An anchor: a program that is kept, and interleaved with later runs. */
#ifndef BENCH_RECORD_ANCHOR_H
#define BENCH_RECORD_ANCHOR_H

#include <stdbool.h>
#include <string.h>

/* A run's label `anchor` is the id of the run that became the anchor of the gate's nights; or, in a run that
 * was backfilled, this and the full name of the commit that all commits were interleaved with. */
#define BENCH_ANCHOR_COMMIT "commit "

static inline bool bench_record_anchor_is_commit(const char *anchor)
{
	return strncmp(anchor, BENCH_ANCHOR_COMMIT, sizeof(BENCH_ANCHOR_COMMIT) - 1) == 0;
}

/*
 * How far the anchor is from the level that a metric is judged against. A metric without one is judged
 * against the anchor itself.
 */
struct bench_anchor_level {
	const char *key; /* of the metric: its full name */
	double shift;    /* logarithm of the anchor's value over the level */
	double error;    /* its standard error */
	double chain;    /* logarithm of the anchor's value over the first anchor's: for the history */
};

#endif
