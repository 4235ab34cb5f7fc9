/* SPDX-License-Identifier: MIT */
/*
 * Level shifts in the history: what is known of one, and what may have been its cause. Pure, as all of this
 * room; app/changepoints.h finds them.
 */
#ifndef BENCH_COMPARE_CHANGES_H
#define BENCH_COMPARE_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "record/record.h"
#include "stats/stats.h"

#define BENCH_CHANGE_LEAST 0.0125 /* the default threshold: smaller shifts are not shown */

enum bench_change_cause { BENCH_CHANGE_UNKNOWN, BENCH_CHANGE_CODE, BENCH_CHANGE_MACHINE };

/* Where the level of a metric on one host, or of a series of a file, shifted. Strings are never NULL. */
struct bench_change {
	const char *key;  /* full metric name, or the series' */
	const char *unit; /* "": not known */
	enum bench_better better;
	const char *fingerprint; /* of the host; "": a file's */
	/* Ids of the last run of the old level and the first of the new one (or labels of a file's rows), and
	 * their commits, "" where not known. */
	const char *last_run, *last_commit, *first_run, *first_commit;
	int64_t from, started, until; /* starts of the first run of the old level, and of the first and last
					 of the new one */
	size_t index;                 /* of the first value of the new level, in the series */
	double before, after;         /* the levels, in the metric's unit */
	struct bench_interval ratio;  /* of the new level over the old one, with its 95% interval */
	bool is_difference;           /* `ratio` is the new level less the old one (no logarithms) */
	double p;                     /* of the rank test between the two levels, uncorrected */
	bool recurs;     /* the metric was at the new level before, briefly (stats/changepoints.h) */
	size_t together; /* other metrics of the host that shifted at the same run */
	size_t searched; /* metrics of the host that were searched */
	enum bench_change_cause cause;
	const char *why; /* of that cause; or, where it is not known, what else was different; "" */
};

/* What a gate's report shows. */
struct bench_changes {
	const struct bench_change *items;
	size_t count;
	size_t runs; /* the new levels began within this many of the newest runs */
};

const char *bench_compare_cause_name(enum bench_change_cause cause); /* "code", "machine", "unknown" */

/*
 * Fills cause and why of a change without an anchor, from the heads of its last and first run (NULL: not
 * known). No commit or no other executable between them, or a fact of the environment that changed where most
 * metrics shifted: the machine. What is new is in `arena`.
 */
void bench_compare_change_explain(struct bench_change *change, const struct bench_run *last,
				  const struct bench_run *first, struct bench_arena *arena);

/*
 * The same with an anchor: how the time relative to it shifted with this change, and how the anchor's own
 * did, as logarithms with their intervals. The larger one that its interval tells from 0, and that makes half
 * of the change or more, is the cause.
 */
void bench_compare_change_attribute(struct bench_change *change, const struct bench_interval *relative,
				    const struct bench_interval *anchor, struct bench_arena *arena);

/* Facts of host, build and devices in which two runs differ and that may change a speed: "kernel: A, now B;
 * ...", at most three, and how many more; "" without any. */
char *bench_compare_changed_facts(const struct bench_run *then, const struct bench_run *now,
				  struct bench_arena *arena);

#endif
