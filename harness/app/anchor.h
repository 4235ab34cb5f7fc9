/* SPDX-License-Identifier: MIT */
/*
 * The anchor of a gate: the executable of an accepted run, kept with the history and interleaved with that of
 * each night. Effects of machine, driver, clock and neighbors cancel in their ratio. Nights of one host, one
 * command (bench_compare_track) and one line of history share an anchor until another replaces it. The new
 * one keeps the ratio of the two (struct bench_anchor_level), so that a metric is always judged against the
 * same level.
 */
#ifndef BENCH_APP_ANCHOR_H
#define BENCH_APP_ANCHOR_H

#include "app/alarms.h"
#include "app/measure.h"
#include "compare/compare.h"

#define BENCH_APP_ANCHOR "anchor" /* as a baseline: the executable that the run was interleaved with */

struct bench_app_anchor {
	struct bench_arena arena;
	const char *db, *fingerprint;
	char *track, *content; /* content: of this executable, which is kept too */
	bool first;            /* there is no anchor yet: this executable is interleaved with itself */
	struct bench_anchor_row row;
	char *program; /* the other executable, in the form that a duel takes */
	char *name;    /* "anchor 20261101-021500", for reports */
};

/*
 * Keeps this executable, and finds the anchor of the nights of `measure` (which is open, with a store): the
 * newest whose run is on the line of history. *others: how many are of other lines.
 * *lost, in the anchor's arena: why an anchor that there was cannot be measured any more; NULL: none was
 * lost. The places of `measure` must outlive the anchor. bench_app_anchor_free in any case.
 */
int bench_app_anchor_find(struct bench_app_anchor *anchor, const struct bench_app_measure *measure,
			  const struct bench_app_line *line, char **lost, size_t *others,
			  struct bench_error *error);
/* From now on as in the first night: the anchor cannot be started. */
int bench_app_anchor_drop(struct bench_app_anchor *anchor, struct bench_error *error);

/*
 * After a night: this executable becomes the anchor in the first night, or if it has cases that the anchor
 * lacks. It does not if a case is broken or missing, or if it was slowed on purpose. `comparison` has the
 * final verdicts; NULL in the first night. It removes copies that nothing needs any more.
 */
int bench_app_anchor_settle(struct bench_app_anchor *anchor, const struct bench_app_measure *measure,
			    const struct bench_comparison *comparison, struct bench_error *error);

/*
 * The executable of the level before an alarm: the anchor of its track, in the form that a duel takes, in
 * `arena`. BENCH_NOTHING where none is kept.
 */
int bench_app_anchor_of_alarm(const char *db, const struct bench_alarm *alarm, struct bench_arena *arena,
			      char **program, struct bench_error *error);

/* Was the run interleaved with an anchor other than its own executable? */
bool bench_app_anchor_has(const struct bench_run *run);
/*
 * Judges a stored run against its anchor, with the levels of that time. A run that confirmed it is pooled
 * with it. Of the options threshold and alpha count. BENCH_NOTHING where it has no anchor, or the history
 * does not know it.
 */
int bench_app_anchor_compare(struct bench_store *store, const struct bench_run *run,
			     const struct bench_compare_options *options,
			     struct bench_comparison **comparison, struct bench_error *error);

/*
 * What the machine did: the anchor's own time in a stored run over the median of the nights before it (ten at
 * most), chained over anchors, the median over the cases. NaN where no case has been measured on three nights
 * before.
 */
double bench_app_anchor_machine(struct bench_store *store, const struct bench_run *run,
				struct bench_error *error);

/*
 * A shift was accepted: run `id`, interleaved with an anchor, sets the new level of the metrics that match
 * the pattern. Its executable becomes the anchor if it is still kept. A run that was not measured so changes
 * nothing.
 */
int bench_app_anchor_accept(struct bench_store *store, const char *db, const char *id, const char *pattern,
			    const char *why, struct bench_error *error);
/* That taken back: the levels of these metrics are what they were before, whatever is the anchor by now. */
int bench_app_anchor_withdraw(struct bench_store *store, const struct bench_app_withdrawn *withdrawn,
			      struct bench_error *error);

void bench_app_anchor_free(struct bench_app_anchor *anchor);

#endif
