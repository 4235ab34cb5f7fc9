/*
 * The history: results.db (SQLite, WAL, foreign keys on). schema/results.sql says what the
 * tables hold; it is embedded at build, as are the migrations.
 *
 * Several processes may write at once (busy time-out 30 s). A store is used by one thread.
 * Every failure is BENCH_ENVIRONMENT with the database's path and SQLite's own text, but
 * for an unknown run or name, which is BENCH_NOTHING and lists the nearest.
 */
#ifndef BENCH_STORE_STORE_H
#define BENCH_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"
#include "record/record.h"

struct bench_store;

enum bench_store_mode {
	BENCH_STORE_READ,  /* must exist */
	BENCH_STORE_WRITE, /* made, or migrated forward, where needed */
};

/*
 * A file that is not a database, is damaged (quick integrity check of its header and
 * schema), or has a newer schema than this program: refused by name, and never changed.
 */
int bench_store_open(const char *path, enum bench_store_mode mode, struct bench_store **store,
		     struct bench_error *error);
void bench_store_close(struct bench_store *store); /* NULL is allowed */

/* Takes a settled record in, in one transaction. A run that is there already: *added false, nothing changes.
 */
int bench_store_ingest(struct bench_store *store, const struct bench_run *run, bool *added,
		       struct bench_error *error);

/* The whole record back, as it was ingested (samples too); the caller frees it with bench_run_free. */
int bench_store_load(struct bench_store *store, const char *id, struct bench_run **run,
		     struct bench_error *error);

/* The id of the run that is `back` before the last one (0: the last), by start time then id. BENCH_NOTHING if
 * none. */
int bench_store_last(struct bench_store *store, unsigned back, char *id, size_t size,
		     struct bench_error *error);

/* The id of the newest run of a host in which a case of `suite` on a device ended ok; "" if there is none. */
int bench_store_last_of(struct bench_store *store, const char *suite, const char *backend, const char *device,
			const char *fingerprint, char *id, size_t size, struct bench_error *error);

struct bench_run_row {
	char *id, *preset, *commit, *branch, *folder;
	char *host, *fingerprint; /* the host's name, and what identifies it */
	char *suites;             /* "gemm,transfer" */
	bool dirty, interrupted;
	int64_t started, finished;
	unsigned results, not_ok; /* cases in all, and those failed or incorrect */
};

/* Newest first, at most `limit` (0: all). Strings live in `arena`. */
int bench_store_runs(struct bench_store *store, size_t limit, struct bench_arena *arena,
		     struct bench_run_row **rows, size_t *count, struct bench_error *error);

struct bench_point {
	char *run, *commit, *key; /* key: full metric name */
	char *unit;
	int64_t started;
	double median, ci_lo, ci_hi;
	enum bench_better better;
};

/* Every stored value of the metrics whose full name matches the pattern, by key, then oldest first. */
int bench_store_history(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			struct bench_point **points, size_t *count, struct bench_error *error);

/* The full names of all metrics in the history that match, sorted. */
int bench_store_metrics(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			char ***keys, size_t *count, struct bench_error *error);

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

/* One verdict of a comparison, as it is kept. */
struct bench_verdict_row {
	const char *key;                       /* full metric name */
	const char *verdict;                   /* "same", "slower", ... */
	double ratio, lo, hi, p_adjusted, mde; /* NaN where there is none */
};

/* Keeps the verdicts of a comparison, in place of those of the same candidate and baseline name. */
int bench_store_keep_verdicts(struct bench_store *store, const char *candidate, const char *baseline_name,
			      const struct bench_verdict_row *rows, size_t count, struct bench_error *error);

#endif
