/* SPDX-License-Identifier: MIT */
/*
 * Alarms: a metric that became slower stays under an alarm, against the level before it, until someone
 * accepts it or it recovers. Pure, like this whole room: alarms in, verdicts in, alarms out; harness/store
 * keeps them.
 *
 * All metrics that became slower with one commit are one alarm. Runs from the first bad one of a metric until
 * the alarm closes are excluded for that metric (struct bench_excluded): they enter no baseline and no
 * learned spread, even after the alarm closes. So it is judged against the level before it every night.
 */
#ifndef BENCH_COMPARE_ALARMS_H
#define BENCH_COMPARE_ALARMS_H

#include "compare/changes.h"
#include "compare/compare.h"
#include "record/alarm.h"

/* The run that was judged, and the one before it. */
struct bench_alarm_night {
	const char *run, *commit;
	const char *fingerprint, *track;
	int64_t started;
	const char *last_run, *last_commit; /* of the newest run of the track before it; "": there is none */
	const struct bench_changes
		*changes; /* level shifts of its metrics over their history, as looking back
			     finds them (app/changepoints.h): by key, oldest first; NULL: none */
};

/*
 * Applies a night's final verdicts to the alarms of the host and track, oldest first. Changes alarms and
 * verdicts in place. New alarms are in `arena`, the verdicts' alarms in the comparison's own.
 *
 * - slower, and under no open alarm: all such metrics together open one, which is appended to *alarms. Where
 *   an open alarm began with a run of the same commit, they join that: one alarm a commit.
 * - under an open alarm: the night is counted, and its ratio noted. `same` or `faster` closes it: recovered;
 *   so does `unclear` with an interval below the threshold. Against a history, the value also has to be
 *   nearer to the level before the alarm. A newer shift back to within the threshold of that level, among
 *   the night's changes, stands for the verdict. So does the mean of two nights beside an anchor, within the
 *   threshold. Any other verdict leaves it open.
 * - slower, beside an anchor, than the first night of its open alarms by the threshold or more: a second
 *   step, which opens another alarm. Its ratios are over the level of the alarms below it.
 * - verdict->alarm is set for every metric that is under an alarm, or was until this night.
 *
 * An open alarm whose metric has no verdict (it was not measured tonight) stays as it is. A metric that is
 * slower again after it recovered or was accepted opens a new one. A run that is judged twice counts once.
 */
void bench_compare_alarms_update(struct bench_alarm **alarms, size_t *count,
				 const struct bench_alarm_night *night, struct bench_comparison *comparison,
				 struct bench_arena *arena);

/*
 * Sets verdict->alarm as the alarms are, and changes none: for a run that is looked at again, and once new
 * alarms have their ids. A run is under an alarm from the first bad run on until that with which it was
 * closed.
 */
void bench_compare_alarms_tell(const struct bench_alarm *alarms, size_t count, const char *run,
			       int64_t started, struct bench_comparison *comparison);

/*
 * Accepts those of an alarm's metrics that are open and match the shift: they are closed, and runs count
 * again from the shift's start on, which is the start of `run`. Returns how many; new data is in `arena`.
 */
size_t bench_compare_alarms_accept(struct bench_alarm *alarm, const struct bench_accepted *shift,
				   const char *run, struct bench_arena *arena);

/*
 * Opens alarms for changes that only several nights together show. The last change of a metric counts if it
 * is for the worse, not the machine's doing, and not to a level that recurs. No alarm or accepted shift may
 * be of a later run than the change's first. That first run is the alarm's first bad one. Call it before
 * bench_compare_alarms_update.
 */
void bench_compare_alarms_look_back(struct bench_alarm **alarms, size_t *count,
				    const struct bench_alarm_night *night,
				    const struct bench_comparison *comparison, struct bench_arena *arena);

/*
 * What the alarms, open and closed, exclude from teaching, sorted by key, then since; in `arena`. Returns how
 * many. Open: until INT64_MAX. As it was for a run that started `now`: what recovered with it or later had
 * not yet.
 */
size_t bench_compare_alarms_excluded(const struct bench_alarm *alarms, size_t count, int64_t now,
				     struct bench_arena *arena, struct bench_excluded **excluded);

#endif
