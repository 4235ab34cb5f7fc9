/* SPDX-License-Identifier: MIT */
/*
 * The history: results.db (SQLite, WAL, foreign keys on), or the same tables on a PostgreSQL server.
 * schema/results.sql describes the tables; it is embedded at build, as are the migrations.
 *
 * Several processes may write at once (busy time-out 30 s). One thread uses a store at a time. Every failure
 * is BENCH_ENVIRONMENT, with the path and the engine's own text. An unknown run is BENCH_NOTHING, an unknown
 * baseline or accepted shift BENCH_USAGE; both list the nearest names.
 */
#ifndef BENCH_STORE_STORE_H
#define BENCH_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"
#include "record/alarm.h"
#include "record/anchor.h"
#include "record/record.h"

struct bench_store;

enum bench_store_mode {
	BENCH_STORE_READ,   /* must exist */
	BENCH_STORE_CHANGE, /* the same, to be written; migrated forward if needed */
	BENCH_STORE_WRITE,  /* made or migrated forward if needed */
	BENCH_STORE_ANY, /* read, as far as it can be: an older one as a copy that is migrated, a damaged one
			    as it is */
};

/*
 * Is there a file of that name? For a server, *there means that the address is valid; only opening finds the
 * history. BENCH_ENVIRONMENT if it cannot tell (a folder without permission, circular links). The same if the
 * path cannot be a database: a folder, a pipe, a device, or a name that SQLite does not take for a file.
 */
int bench_store_find(const char *path, bool *there, struct bench_error *error);

/* Is it the address of a server (postgresql://..., postgres://...), and no file? */
bool bench_store_is_server(const char *path);
/* The name for people: a file's own, or an address without its password. In `arena`. */
char *bench_store_shown(const char *path, struct bench_arena *arena);
/* What the names of companion files begin with: the file's own name. For a server: a name in this user's data
 * folder ($XDG_DATA_HOME, else ~/.local/share). In `arena`. */
char *bench_store_beside(const char *path, struct bench_arena *arena);
/* Its size in bytes, on the disk or on the server. */
int bench_store_size(struct bench_store *store, int64_t *bytes, struct bench_error *error);
/* Sets the rights of a role of the server: "reader", "writer", "none". */
int bench_store_grant(const char *path, const char *what, const char *role, struct bench_error *error);

/*
 * BENCH_NOTHING if it must exist and does not. A file that is not a database, is damaged (header or schema),
 * or has a newer schema than this program is refused by name and never changed. Before migrating an older
 * one, bench keeps a copy, "<path>.before-schema-<new version>"; if that fails, nothing changes.
 */
int bench_store_open(const char *path, enum bench_store_mode mode, struct bench_store **store,
		     struct bench_error *error);
void bench_store_close(struct bench_store *store); /* NULL is allowed */
/* In place of `struct bench_store`, for a local pointer, as BENCH_SCOPED_MEMORY (core/memory.h). */
#define BENCH_SCOPED_STORE __attribute__((cleanup(bench_store_release))) struct bench_store
static inline void bench_store_release(struct bench_store *const *store)
{
	bench_store_close(*store);
}

/* Called with a line of text when a file was migrated. Set once, before there are threads. */
void bench_store_on_migration(void (*handler)(const char *text));

/*
 * Makes one transaction of the writes between them: all of them happen, or none. `status` 0: they went well.
 * Returns the status. They nest; others wait meanwhile, so that nothing long belongs in between.
 */
int bench_store_begin(struct bench_store *store, struct bench_error *error);
int bench_store_end(struct bench_store *store, int status, struct bench_error *error);

/* Reads and checks the whole file quickly; BENCH_ENVIRONMENT with SQLite's own text if it is damaged. */
int bench_store_check(struct bench_store *store, struct bench_error *error);

/* Something that is damaged. */
struct bench_store_finding {
	const char *what; /* "run:ID", "baselines", "pages", "schema" ... */
	const char *problem;
};
/*
 * Reads everything: pages and indexes, references, tables and columns, digests, heads and samples. No
 * findings: it is whole. -1: the examination itself failed. In `arena`.
 */
int bench_store_examine(struct bench_store *store, struct bench_arena *arena,
			struct bench_store_finding **findings, size_t *count, struct bench_error *error);
/* Are the rows of a run those that were written? */
int bench_store_intact(struct bench_store *store, const char *id, bool *intact, struct bench_error *error);
/* The ids of all runs in the file, in the order of ingestion; after a failure, those that could be read. In
 * `arena`. */
int bench_store_known(struct bench_store *store, struct bench_arena *arena, char ***ids, size_t *count,
		      struct bench_error *error);

/*
 * Copies the file, including its log, to `target` by rename, after bench_store_examine has found it whole.
 * BENCH_USAGE if the target exists and `overwrite` is false, or if it is a database in use.
 */
int bench_store_backup(const char *path, const char *target, bool overwrite, struct bench_error *error);
/*
 * The same between engines, row by row with their numbers, verified by digests: to a new file, or to a
 * server's schema without a history, in one transaction. BENCH_USAGE if the target has a history.
 */
int bench_store_transfer(const char *path, const char *target, struct bench_error *error);

/* Is it an intact database of another program or of a newer bench? */
int bench_store_is_foreign(const char *path, bool *foreign, struct bench_error *error);
/*
 * Writes the log back into the file, which then holds everything. Closing does the same, but does not report
 * a disk error.
 */
int bench_store_fold(struct bench_store *store, struct bench_error *error);

/* Does another process have the file open? This process must not: it would lose its locks. */
int bench_store_is_used(const char *path, bool *used, struct bench_error *error);

/* What of a table came over to another file. */
struct bench_store_copied {
	const char *what;    /* "baselines", "accepted" ... */
	size_t rows, lost;   /* lost: were read, and had no place: their run is not there */
	bool intact;         /* they are those that were written, and all of them came over */
	const char *problem; /* why not all could be read; "": they could */
};
/* Copies everything but runs, for those runs that are there, table by table, as far as it can be read. */
int bench_store_copy(struct bench_store *from, struct bench_store *to, struct bench_arena *arena,
		     struct bench_store_copied **copied, size_t *count, struct bench_error *error);

/*
 * Stores a final record, in one transaction. It is the same run as a stored one if id, start, host and the
 * samples of each common invocation agree; a different run with that id is refused. The more complete record
 * stays. A finished record is complete; an interrupted one is more complete than one cut short. Otherwise the
 * later end decides, then the number of samples. Baselines then refer to the new record, and verdicts on the
 * old one are gone. *added: the record was stored; else nothing has changed.
 */
int bench_store_ingest(struct bench_store *store, const struct bench_run *run, bool *added,
		       struct bench_error *error);

/* Does the history have a run of that id? */
int bench_store_has(struct bench_store *store, const char *id, bool *there, struct bench_error *error);

/* Loads the whole record as it was ingested, with its samples; the caller frees it with bench_record_free. */
int bench_store_load(struct bench_store *store, const char *id, struct bench_run **run,
		     struct bench_error *error);

/*
 * Loads runs as a baseline, which is all that a comparison needs. Each series has one sample, the median of
 * its invocation, and there are no derived metrics. Common parts are read once: the results live in `arena`,
 * which has to outlive the runs, and must not be changed. The caller frees each run.
 */
int bench_store_load_medians(struct bench_store *store, char *const *ids, size_t count,
			     struct bench_arena *arena, struct bench_run **runs, struct bench_error *error);

/* Loads what was known before the run was measured: command, host, selection, labels; no results. */
int bench_store_load_head(struct bench_store *store, const char *id, struct bench_run **run,
			  struct bench_error *error);

/*
 * The id of the run that is `back` before the last one (0: the last), by start time, then id. BENCH_NOTHING
 * if no such run exists. Here and below, a run with the label "aside" (its value says why: it confirmed
 * another, or was slowed on purpose) is not a part of the history, and is found only by its id.
 */
int bench_store_last(struct bench_store *store, unsigned back, char *id, size_t size,
		     struct bench_error *error);

/* The id of the newest run that was set aside for this reason, in `arena`; "": none. */
int bench_store_aside(struct bench_store *store, const char *why, struct bench_arena *arena, char **id,
		      struct bench_error *error);

/* The id of the newest run of a host in which a case of `suite` on a device ended ok; "": none. */
int bench_store_last_of(struct bench_store *store, const char *suite, const char *backend, const char *device,
			const char *fingerprint, char *id, size_t size, struct bench_error *error);

struct bench_run_row {
	char *id, *preset, *commit, *branch, *folder;
	char *shown_preset;       /* as it was asked for: a project file's, or `preset` */
	char *host, *fingerprint; /* the host's name, and what identifies it */
	char *suites;             /* "gemm,transfer" */
	char *aside;              /* why it is no part of the history; "": it is */
	bool dirty, interrupted;
	int64_t started, finished;
	unsigned results, not_ok; /* cases in all, and those failed or incorrect */
};

struct bench_older_run {
	char *id, *commit, *branch;
	int64_t started;
};

/*
 * The finished runs of a host and preset that are not aside and are older than run `id`, which started then,
 * newest first; "": all. *runs: in `arena`.
 */
int bench_store_runs_before(struct bench_store *store, const char *fingerprint, const char *preset,
			    const char *id, int64_t started, struct bench_arena *arena,
			    struct bench_older_run **runs, size_t *count, struct bench_error *error);

/* Have both the host, preset and choice of suites in common? */
bool bench_store_is_same_kind(const struct bench_run_row *a, const struct bench_run_row *b);

/* All runs, also those that are aside, newest first, at most `limit` (0: all). Strings live in `arena`. */
int bench_store_runs(struct bench_store *store, size_t limit, struct bench_arena *arena,
		     struct bench_run_row **rows, size_t *count, struct bench_error *error);

/* The commits and branches of all runs that are not aside, each pair once, in `arena`. */
struct bench_run_commit {
	char *commit, *branch;
};
int bench_store_commits(struct bench_store *store, struct bench_arena *arena,
			struct bench_run_commit **commits, size_t *count, struct bench_error *error);

struct bench_point {
	char *run, *commit, *branch, *key; /* key: full metric name */
	char *unit;
	int64_t started;
	double median, ci_lo, ci_hi;
	double ci_level; /* the confidence of that interval, as in bench_summary; NaN: not known */
	enum bench_better better;
	bool derived;         /* computed from another metric: shown, not judged */
	bool disturbed;       /* all its invocations were */
	const char *accepted; /* why the shift was accepted that counts from this point on; "": none does */
	char *fingerprint;    /* of the host */
	const char *anchor; /* id of the run that became the anchor that it was interleaved with; "": none */
	double level_shift; /* of a relative or base time: logarithm of that anchor's time over the first
			       one's */
};

/*
 * Every stored value of the metrics whose full name matches the pattern, sorted by key, then oldest first;
 * without runs that are aside. If a relative_time has been measured against more than one reference, "
 * against <key of the reference>" follows its full name, and each is a separate series.
 */
int bench_store_history(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			struct bench_point **points, size_t *count, struct bench_error *error);

/*
 * The key of the case that a relative_time of the stored run `id` is against, in `arena`; "": no case of the
 * run, such as the other executable of a duel; NULL: there is no such run. `key`: the metric's full name.
 */
int bench_store_reference(struct bench_store *store, const char *id, const char *key,
			  struct bench_arena *arena, const char **reference, struct bench_error *error);

/* The full names of all metrics in the history that match, sorted. */
int bench_store_metrics(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			char ***keys, size_t *count, struct bench_error *error);

/* Why the history needs a run, "baseline 'main' has it"; "": it does not. In `arena`. */
int bench_store_needs(struct bench_store *store, const char *id, struct bench_arena *arena, char **why,
		      struct bench_error *error);
/* Removes runs that it does not need, with the verdicts on them: all, or none. */
int bench_store_remove(struct bench_store *store, const char *const *ids, size_t count,
		       struct bench_error *error);
/* Gives the room that is free in the file back. Takes as much on the disk meanwhile as the file will have. */
int bench_store_compact(struct bench_store *store, struct bench_error *error);
/* The stored run of that id has these labels from now on. `run`: as bench_store_load_head loads it. */
int bench_store_relabel(struct bench_store *store, const struct bench_run *run, struct bench_error *error);

/* A baseline is a named set of runs; setting an existing name replaces its runs. */
struct bench_baseline_row {
	char *name;
	char **runs;
	size_t run_count;
	int64_t created;
};
int bench_store_baseline_set(struct bench_store *store, const char *name, char *const *ids, size_t count,
			     struct bench_error *error);
int bench_store_baseline_remove(struct bench_store *store, const char *name, struct bench_error *error);
int bench_store_baselines(struct bench_store *store, struct bench_arena *arena,
			  struct bench_baseline_row **rows, size_t *count, struct bench_error *error);

/*
 * An accepted shift: for the metrics whose full name matches the pattern, runs that started before `since`
 * are no longer a baseline.
 */
struct bench_accepted_row {
	const char *pattern, *why;
	int64_t since;
	const char *run;         /* the id of the run that started then */
	const char *fingerprint; /* of the host that it holds for; "": for all */
	const char *host;        /* its name; ignored when a shift is accepted */
	bool removal;            /* the run lacks these metrics, and rightly so */
	int64_t created;         /* when it was accepted */
};

/*
 * Finds the run from which a shift counts, and puts its id, start and host into *row: run `id`, or if that is
 * NULL the newest run of a host (NULL: of any) that is not aside and has a matching metric. BENCH_NOTHING if
 * no such run exists; if no run has such a metric, with the nearest.
 */
int bench_store_accept_from(struct bench_store *store, const char *pattern, const char *fingerprint,
			    const char *id, struct bench_arena *arena, struct bench_accepted_row *row,
			    struct bench_error *error);
/* Stores it, replacing one of the same pattern, run and host; `created` is now. BENCH_USAGE without a reason.
 */
int bench_store_accept(struct bench_store *store, const struct bench_accepted_row *row,
		       struct bench_error *error);
/* Those that hold for a host (NULL: all that there are), oldest first. Strings live in `arena`. */
int bench_store_accepted(struct bench_store *store, const char *fingerprint, struct bench_arena *arena,
			 struct bench_accepted_row **rows, size_t *count, struct bench_error *error);
/* Removes what was accepted under exactly this pattern, for all hosts; `run` NULL: from any run on.
 * BENCH_USAGE, with the nearest pattern, if nothing was. */
int bench_store_unaccept(struct bench_store *store, const char *pattern, const char *run,
			 struct bench_error *error);

/* A case that has another name since: its runs are read under that. */
struct bench_rename_row {
	const char *old, *now; /* keys of cases */
	int64_t created;
};
/*
 * Gives a case another name wherever the history is read; nothing that was measured is changed. Suite and
 * parameters may differ, the device not. A rename back undoes one. BENCH_USAGE for what is no case, or has
 * been renamed; BENCH_NOTHING if no run has the case.
 */
int bench_store_rename(struct bench_store *store, const char *old, const char *now,
		       struct bench_error *error);
/* The case has its old name again. BENCH_USAGE if it was not renamed. */
int bench_store_rename_undo(struct bench_store *store, const char *old, struct bench_error *error);
/* Oldest first, in `arena`. */
int bench_store_renames(struct bench_store *store, struct bench_arena *arena, struct bench_rename_row **rows,
			size_t *count, struct bench_error *error);

/*
 * A candidate value of a backend's tunable (struct bench_tunable), as measured against the value that was
 * current then. Ratios are of times, below 1: faster; NaN if it failed or gave a wrong result.
 */
struct bench_tuning_row {
	const char *fingerprint;       /* of the host */
	const char *backend, *device;  /* device: its slug */
	const char *driver;            /* the device's driver, with its version */
	const char *name;              /* of the tunable */
	uint64_t value, base;          /* the candidate, and what it was measured against */
	double step, step_lo, step_hi; /* over the base */
	double ratio, lo, hi;          /* over the default */
	bool chosen;                   /* it became the current value */
	const char *run;               /* the id of the run that measured it */
	int64_t created;
};

/* Selects rows by fingerprint, and by each of the others that is not NULL; `name` is a pattern. */
struct bench_tuning_query {
	const char *fingerprint, *backend, *device, *driver, *name;
};

/* Stores them, each replacing one of the same host, device, driver, tunable and value; `created` is now. */
int bench_store_tuning_put(struct bench_store *store, const struct bench_tuning_row *rows, size_t count,
			   struct bench_error *error);
/* All candidates that were measured, in that order. Strings live in `arena`. */
int bench_store_tuning(struct bench_store *store, const struct bench_tuning_query *query,
		       struct bench_arena *arena, struct bench_tuning_row **rows, size_t *count,
		       struct bench_error *error);
/* The tuned values: for each tunable, device and driver the candidate that was chosen last. */
int bench_store_tuned(struct bench_store *store, const struct bench_tuning_query *query,
		      struct bench_arena *arena, struct bench_tuning_row **rows, size_t *count,
		      struct bench_error *error);
/* Deletes what was measured; *count: the number of candidates deleted. */
int bench_store_tuning_forget(struct bench_store *store, const struct bench_tuning_query *query,
			      size_t *count, struct bench_error *error);

/*
 * The alarms of a host and track (each NULL: of all), oldest first, or those alone that are open. Strings
 * live in `arena`.
 */
int bench_store_alarms(struct bench_store *store, const char *fingerprint, const char *track, bool open_only,
		       struct bench_arena *arena, struct bench_alarm **alarms, size_t *count,
		       struct bench_error *error);
/*
 * Keeps an alarm with its metrics, in place of what was kept of it before, and gives a new one (id 0) its id:
 * an alarm is known by host, track and first bad run. Of what another process has kept meanwhile, metrics
 * that it accepted, a culprit where this one knows none, and the event that hooks were given, stay.
 */
int bench_store_alarm_keep(struct bench_store *store, struct bench_alarm *alarm, struct bench_error *error);
/* Hooks were given the event, by its name. */
int bench_store_alarm_told(struct bench_store *store, int64_t alarm, const char *event,
			   struct bench_error *error);
/* Keeps what `bench why` said of its largest change. */
int bench_store_alarm_explained(struct bench_store *store, int64_t alarm, const char *cause,
				struct bench_error *error);
/* A metric of an alarm that was accepted is open again. */
int bench_store_alarm_reopen(struct bench_store *store, int64_t alarm, const char *key,
			     struct bench_error *error);

/* An executable that is kept, and interleaved with the runs of a track. */
struct bench_anchor_row {
	int64_t id;
	const char *fingerprint, *track;   /* the host's; compare/compare.h */
	const char *run;                   /* the id of the run that measured it */
	const char *content;               /* of what is kept: the name of its folder */
	const char *commit;                /* that it was built from; "": not known */
	const char *branch;                /* of that run; "": not known. Ignored when it is put */
	const char *why;                   /* it became the anchor */
	int64_t created;                   /* set when it is put */
	struct bench_anchor_level *levels; /* sorted by key; 0 for the metrics that are not among them */
	size_t level_count;
};
/* The newest anchor of each host, track (each NULL: of all) and branch, oldest first. Strings live in
 * `arena`.
 */
int bench_store_anchors(struct bench_store *store, const char *fingerprint, const char *track,
			struct bench_arena *arena, struct bench_anchor_row **rows, size_t *count,
			struct bench_error *error);
/* The anchor that run `run` became, as it was at a time (Unix seconds); BENCH_NOTHING if it became none. */
int bench_store_anchor_of(struct bench_store *store, const char *run, int64_t at, struct bench_arena *arena,
			  struct bench_anchor_row *row, struct bench_error *error);
/*
 * The anchor of the host, track and branch of `now` before the first one put for this reason at `from` or
 * later. BENCH_NOTHING if none was.
 */
int bench_store_anchor_before(struct bench_store *store, const struct bench_anchor_row *now, const char *why,
			      int64_t from, struct bench_arena *arena, struct bench_anchor_row *row,
			      struct bench_error *error);
int bench_store_anchor_put(struct bench_store *store, const struct bench_anchor_row *row,
			   struct bench_error *error);

/* One verdict of a comparison, as it is kept. */
struct bench_verdict_row {
	const char *key;                       /* full metric name */
	const char *verdict;                   /* "same", "slower", ... */
	double ratio, lo, hi, p_adjusted, mde; /* NaN where there is none */
	double threshold;                      /* the change that matters for this metric; NaN: none */
	double ci_level;                       /* the confidence of lo and hi; NaN: not known */
	const char *reason, *owner;            /* compare/compare.h; "": none, or not known */
};
/* Was it judged by difference? Then it has no ratio, and lo, hi, mde and threshold are in the metric's unit.
 */
bool bench_store_verdict_is_difference(const struct bench_verdict_row *row);

/* Stores the verdicts of a comparison, replacing those of the same candidate and baseline name. */
int bench_store_keep_verdicts(struct bench_store *store, const char *candidate, const char *baseline_name,
			      const struct bench_verdict_row *rows, size_t count, struct bench_error *error);

/* Is a verdict on this metric of the run kept that left it open (`unclear`, `suspected`), whatever the
 * baseline? */
int bench_store_verdict_is_open(struct bench_store *store, const char *run, const char *key, bool *is_open,
				struct bench_error *error);

/* The last comparison of a run with a baseline, as it was named. */
struct bench_kept_comparison {
	const char *run, *baseline;
	const struct bench_verdict_row *rows; /* sorted by key */
	size_t count;
};

/* All that are kept, by run, oldest first, then by baseline. Strings live in `arena`. */
int bench_store_comparisons(struct bench_store *store, struct bench_arena *arena,
			    struct bench_kept_comparison **comparisons, size_t *count,
			    struct bench_error *error);

#endif
