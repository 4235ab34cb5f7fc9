/* SPDX-License-Identifier: MIT */
/*
 * The alarms of a gate: read before it judges, followed and kept after it, accepted by people. What opens and
 * closes one: compare/alarms.h.
 */
#ifndef BENCH_APP_ALARMS_H
#define BENCH_APP_ALARMS_H

#include "app/line.h"
#include "compare/alarms.h"
#include "report/render/alarm_list.h"
#include "store/store.h"

struct bench_app_alarms {
	struct bench_alarm *alarms; /* of the host, track and line, open and closed, oldest first */
	size_t count;
	struct bench_arena arena; /* of all this */
};

/*
 * The alarms of the run's host and track whose first bad run is on its line of history: what a branch did is
 * no alarm of another; nor are ratios to another reference metrics of the run. The run may be yet to be
 * measured: host and selection suffice. Store NULL: there are none. bench_app_alarms_free in any case.
 */
int bench_app_alarms_load(struct bench_store *store, const struct bench_run *run,
			  const struct bench_app_line *line, struct bench_app_alarms *alarms,
			  struct bench_error *error);
void bench_app_alarms_free(struct bench_app_alarms *alarms);

/*
 * Once, with the final verdicts of a gate on `run`: opens, follows and closes alarms in the history `db`, and
 * says on the verdicts which they are under. `last`: the run before (NULL: as the line of history has it).
 * `changes` (NULL: none) open some, too: what looking back over the history has found. The alarms are read
 * again, since somebody may have accepted one while the gate measured. After a failure the verdicts say what
 * could not be kept, too: new alarms have the id 0. `hooked`: hooks are told of these alarms from now on
 * (app/hooks.h).
 */
int bench_app_alarms_update(const char *db, const struct bench_run *run, const struct bench_app_line *line,
			    const struct bench_run *last, const struct bench_changes *changes, bool hooked,
			    struct bench_comparison *comparison, struct bench_error *error);

/* Says on the verdicts which alarms they are under, and changes none: for a run that is looked at. */
int bench_app_alarms_tell(struct bench_store *store, const struct bench_run *run,
			  const struct bench_app_line *line, struct bench_comparison *comparison,
			  struct bench_error *error);

/*
 * The alarms that `id_or_pattern` names, each with those of its metrics that it names: all of the alarm with
 * that id, or those that match the pattern; with `open`, those alone that are open. NULL: all. In `arena`,
 * oldest first. BENCH_NOTHING if nothing has that name, BENCH_USAGE for an id that never existed.
 */
int bench_app_alarms_find(struct bench_store *store, const char *id_or_pattern, bool open,
			  struct bench_arena *arena, struct bench_alarm **alarms, size_t *count,
			  struct bench_error *error);

/* The host and the command of the run that an alarm began with, as a person knows them; in the arena. */
struct bench_alarm_origin bench_app_alarms_origin(struct bench_store *store, const struct bench_alarm *alarm,
						  struct bench_arena *arena);

/*
 * Accepts what matches of the open alarms of a host ("": of all): runs count again from `run` on, which
 * started at `since`. *count: the metrics that were accepted. The shift itself is bench_app_accept's
 * (app/baseline.h), which calls this.
 */
int bench_app_alarms_close(struct bench_store *store, const struct bench_accepted_row *shift, size_t *count,
			   struct bench_error *error);

/* A shift that is no longer accepted. */
struct bench_app_withdrawn {
	const struct bench_accepted_row *shift;
	const struct bench_accepted_row *others; /* that are still accepted */
	size_t other_count;
};
/* Is the metric no longer accepted with it? Not where another of that run or a later one accepts it, too. */
bool bench_app_withdrawn_has(const struct bench_app_withdrawn *withdrawn, const char *key);
/* What that shift had closed is open again. *count: the metrics. */
int bench_app_alarms_reopen(struct bench_store *store, const struct bench_app_withdrawn *withdrawn,
			    size_t *count, struct bench_error *error);

#endif
