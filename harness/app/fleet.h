/* SPDX-License-Identifier: MIT */
/*
 * A fleet: the runs of many machines in one history. A run belongs to it by its labels: `fleet` names the job
 * that measured it, NAME or NAME.STAMP, and `node` the machine (without: the host's name). Jobs of one NAME
 * are nights of one gate. compare/fleet.h says what a class and a group are.
 */
#ifndef BENCH_APP_FLEET_H
#define BENCH_APP_FLEET_H

#include "app/host.h"
#include "app/line.h"
#include "compare/fleet.h"
#include "compare/gate.h"
#include "store/store.h"

#define BENCH_APP_FLEET_JOB  "fleet"
#define BENCH_APP_FLEET_NODE "node"
#define BENCH_APP_FLEET_GPU  "gpu" /* of the node, where a run has one of several */

/* The runs of one class that were asked for the same. */
struct bench_app_fleet_group {
	char *class, *about, *track;
	char **nodes; /* names, by number */
	size_t node_count;
	char **jobs; /* by number: the first is the newest, or the one that was named */
	size_t job_count;
	struct bench_fleet_run *runs; /* newest first */
	size_t run_count, tonight;    /* tonight: of the first job */
	bool is_past;    /* jobs of that name that began later have runs of it, too: alarms follow those */
	char **left_out; /* "run X: why it is not compared" */
	size_t left_out_count;
};

struct bench_app_fleet {
	struct bench_arena arena;
	struct bench_arena results; /* of the runs */
	char *job;                  /* the newest, or the one that was named */
	struct bench_app_fleet_group *groups;
	size_t group_count;
	struct bench_run **loaded;
	size_t loaded_count;
	size_t cut_short;                  /* runs that are left out since they did not end */
	struct bench_app_line line;        /* of history, of the job's newest run */
	struct bench_app_line_tally tally; /* of the runs of earlier jobs */
};

/*
 * Loads the runs of a job (NULL: of the newest), and of the jobs of its name before it: for each group of its
 * own `nights` of them, and those under an alarm, which do not count. Runs whose environment is not that of
 * most of their job and group are left out, and those of earlier jobs that are not on the job's line of
 * history. BENCH_NOTHING where there is no such job. bench_app_fleet_free in
 * any case.
 */
int bench_app_fleet_load(struct bench_store *store, const struct bench_app_line_request *request,
			 const char *job, size_t nights, struct bench_app_fleet *fleet,
			 struct bench_error *error);
void bench_app_fleet_free(struct bench_app_fleet *fleet);

/* The runs of a group, as compare/fleet.h has them. */
struct bench_fleet_group bench_app_fleet_runs(const struct bench_app_fleet_group *group);
/* Which nodes are odd, over all groups: compare/fleet.h. In the fleet's arena; `group` is an index of
 * fleet->groups. */
void bench_app_fleet_odd(struct bench_app_fleet *fleet, const struct bench_compare_options *options,
			 struct bench_fleet_odd **odd, size_t *count);

/* What a gate says of one group. */
struct bench_app_fleet_verdicts {
	const struct bench_app_fleet_group *group;
	struct bench_comparison *comparison; /* NULL: none, for the reason `why` */
	struct bench_gate_undecided undecided;
	enum bench_outcome outcome;
	size_t nights; /* that it was compared with */
	struct bench_error why;
};

/*
 * Judges the job against up to `nights` before it, each group separately as one machine, with alpha shared
 * among the groups. Opens, follows and closes their alarms in the history `db`, except for past groups. A
 * group that the job before had and this one lacks is wrong. *verdicts: one a group, in the fleet's arena;
 * bench_app_fleet_gate_free frees what they own. `hooked`: as in bench_app_alarms_update.
 */
int bench_app_fleet_gate(struct bench_app_fleet *fleet, struct bench_store *store, const char *db,
			 size_t nights, bool hooked, const struct bench_compare_options *options,
			 const struct bench_app_host *host, struct bench_app_fleet_verdicts **verdicts,
			 struct bench_error *error);
/* That of all groups together. */
enum bench_outcome bench_app_fleet_outcome(const struct bench_app_fleet_verdicts *verdicts, size_t count);
void bench_app_fleet_gate_free(struct bench_app_fleet_verdicts *verdicts, size_t count);

#endif
