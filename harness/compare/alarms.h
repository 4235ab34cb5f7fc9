/*
 * Alarms: what became slower stays an alarm, against the level before it, until it is accepted or has
 * recovered. Pure, as all of this room: alarms in, verdicts in, alarms out; harness/store keeps them.
 *
 * All metrics that became slower with one commit are one alarm. Runs from the first bad one of a metric on,
 * until it is closed, teach nothing about that metric (struct bench_excluded): they are in no baseline and in
 * no learned spread, also after the alarm is closed. So it is judged against the level before it every night.
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
 * What a night's final verdicts mean for the alarms of the host and track, oldest first. Changes alarms and
 * verdicts in place; what is new is in `arena`, the verdicts' alarms in the comparison's own.
 *
 * - slower, and under no open alarm: all such metrics together open one, which is appended to *alarms. Where
 *   an open alarm began with a run of the same commit, they join that: one alarm a commit.
 * - under an open alarm: the night is counted, and its ratio noted. `same` or `faster` closes it: recovered;
 *   against a history, where its level is that before the alarm, or the value is nearer to that level. A
 *   shift back to within the threshold of that level, among the night's changes and newer than the alarm,
 * stands for the verdict. Any other verdict leaves it open.
 * - every verdict on a metric that is under an alarm, or was until this night, says so in verdict->alarm.
 *
 * An open alarm whose metric has no verdict (it was not measured tonight) stays as it is. What recovered or
 * was accepted, and is slower again, opens a new one. A run that is judged twice counts once.
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
 * Accepts those of an alarm's metrics that are open and match the shift: they are closed, and runs teach
 * again from the shift's start on, which is that of `run`. Returns how many; in `arena` what is new.
 */
size_t bench_compare_alarms_accept(struct bench_alarm *alarm, const struct bench_accepted *shift,
				   const char *run, struct bench_arena *arena);

/*
 * Opens alarms for what no single night showed and the nights together do. The last change of a metric
 * counts, if it is for the worse, the machine did not make it, and no alarm nor accepted shift is of a later
 * run than its first. Its first run is the alarm's first bad one. To be called before
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
