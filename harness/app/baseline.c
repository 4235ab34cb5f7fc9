/* SPDX-License-Identifier: MIT */
#include "app/baseline.h"

#include <string.h>

#include "app/alarms.h"
#include "app/anchor.h"
#include "app/runs.h"
#include "compare/compare.h"
#include "compare/fleet.h"
#include "core/text.h"
#include "machine/environment.h"

/* Can the run be compared with? Warns of oddities, and refuses what is hopeless. */
static int check_run(const struct bench_run *run, const struct bench_app_host *host,
		     struct bench_error *error)
{
	const char *aside = bench_record_label(run, "aside");
	size_t ok = 0;
	for (size_t i = 0; i < run->result_count; i++)
		ok += run->results[i].status == BENCH_STATUS_OK;
	if (run->finished == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "run %s was cut short, or is still being measured: an incomplete run "
				  "cannot be a baseline; 'bench run --resume %s' completes it",
				  run->id, run->id);
	if (ok == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "run %s has no case that is ok: there is nothing to compare with", run->id);
	if (*aside)
		bench_app_warn(host, "run %s was set aside: %s", run->id, aside);
	if (run->interrupted)
		bench_app_warn(host, "run %s was cut short", run->id);
	return 0;
}

static int check_name(const char *name, struct bench_error *error)
{
	unsigned char bad = 0;
	for (const char *c = name; *c; c++)
		bad |= *c <= ' ' || *c == '/' || *c == ':' || *c == '~' || *c == 127;
	if (bad || !*name || strlen(name) > 64 || strcmp(name, "last") == 0)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' cannot name a baseline: expected up to 64 characters without blanks, "
				  "'/', ':' and '~', and not 'last'",
				  name);
	return 0;
}

int bench_app_baseline_set(struct bench_store *store, const char *runs_dir, const char *name,
			   const char *const *texts, size_t count, const struct bench_app_host *host,
			   struct bench_arena *arena, char **first, struct bench_error *error)
{
	static const char *const last[] = {"last"};
	size_t run_count = count ? count : 1;
	char **ids = bench_arena_alloc(arena, run_count, sizeof(*ids));
	if (check_name(name, error) != 0)
		return -1;
	for (size_t i = 0; i < run_count; i++) {
		BENCH_SCOPED_RUN *run = NULL;
		bool added;
		if (bench_app_load_run(store, runs_dir, (count ? texts : last)[i], &run, error) != 0 ||
		    check_run(run, host, error) != 0 || bench_store_ingest(store, run, &added, error) != 0)
			return -1;
		ids[i] = bench_arena_string(arena, run->id);
	}
	*first = ids[0];
	return bench_store_baseline_set(store, name, ids, run_count, error);
}

/* The run that a shift counts from: its id and host. The id is NULL where it is not said. */
static int find_since(const struct bench_app_shift *shift, struct bench_store *store, const char *runs_dir,
		      struct bench_arena *arena, const char **id, const char **fingerprint,
		      struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = NULL;
	*id = NULL;
	*fingerprint = NULL;
	if (!shift->since)
		return 0;
	if (bench_app_load_run(store, runs_dir, shift->since, &run, error) != 0)
		return -1;
	*id = bench_arena_string(arena, run->id);
	*fingerprint = bench_arena_string(arena, bench_record_fact(run, "fingerprint"));
	return 0;
}

/* Does run `id` lack what `before` has and the pattern matches? */
static int is_without(struct bench_store *store, const struct bench_run *before, const char *id,
		      const char *pattern, bool *without, struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = NULL;
	if (bench_store_load(store, id, &run, error) != 0)
		return -1;
	*without = bench_compare_is_removed(before, run, pattern);
	return 0;
}

/*
 * Finds the first run after `last`, the newest run of its host with these metrics, that was asked for them
 * and lacks them: run `id`, or if that is NULL any. *found: there is one, and *row is its removal.
 */
static int find_removal(struct bench_store *store, const struct bench_accepted_row *last, const char *id,
			struct bench_arena *arena, struct bench_accepted_row *row, bool *found,
			struct bench_error *error)
{
	struct bench_run_row *rows;
	BENCH_SCOPED_RUN *before = NULL;
	size_t count, newer = 0;
	int result = 0;
	*found = false;
	if (bench_store_runs(store, 0, arena, &rows, &count, error) != 0 ||
	    bench_store_load(store, last->run, &before, error) != 0)
		return -1;
	while (newer < count && strcmp(rows[newer].id, last->run) != 0)
		newer++;
	/* Newest first: the last of those before it is the first that came after it. */
	for (size_t i = newer; i-- > 0 && result == 0 && !*found;) {
		if (*rows[i].aside || strcmp(rows[i].fingerprint, last->fingerprint) != 0 ||
		    (id && strcmp(rows[i].id, id) != 0))
			continue;
		result = is_without(store, before, rows[i].id, last->pattern, found, error);
		if (*found) {
			*row = *last;
			row->run = rows[i].id;
			row->since = rows[i].started;
			row->removal = true;
		}
	}
	return result;
}

/* The same where the run is named. One that lacks the metrics may have been the first without them. */
static int find_named(struct bench_store *store, const char *id, const char *fingerprint,
		      struct bench_arena *arena, struct bench_accepted_row *row, struct bench_error *error)
{
	struct bench_accepted_row last = *row;
	struct bench_error cause;
	bool gone = false;
	if (bench_store_accept_from(store, row->pattern, NULL, id, arena, row, error) == 0)
		return 0;
	if (error->code != BENCH_NOTHING)
		return -1;
	if ((bench_store_accept_from(store, row->pattern, fingerprint, NULL, arena, &last, &cause) != 0 ||
	     find_removal(store, &last, id, arena, row, &gone, &cause) != 0) &&
	    cause.code != BENCH_NOTHING)
		*error = cause;
	return gone ? 0 : -1;
}

/* The run from which the shift counts, or the one with which its metrics were gone. */
static int find_row(struct bench_store *store, const char *runs_dir, const struct bench_app_shift *shift,
		    struct bench_arena *arena, struct bench_accepted_row *row, struct bench_error *error)
{
	const char *id, *fingerprint;
	bool gone;
	if (find_since(shift, store, runs_dir, arena, &id, &fingerprint, error) != 0)
		return -1;
	if (id)
		return find_named(store, id, fingerprint, arena, row, error);
	fingerprint = shift->fingerprint ? shift->fingerprint : bench_machine_environment_fingerprint(arena);
	if (bench_store_accept_from(store, row->pattern, fingerprint, NULL, arena, row, error) != 0)
		return -1;
	const struct bench_accepted_row last = *row;
	return find_removal(store, &last, NULL, arena, row, &gone, error);
}

int bench_app_accept(struct bench_store *store, const struct bench_app_places *places,
		     const struct bench_app_shift *shift, struct bench_arena *arena,
		     struct bench_app_accepted *accepted, struct bench_error *error)
{
	struct bench_accepted_row row = {.pattern = shift->pattern, .why = shift->why};
	char **keys;
	if (find_row(store, places->runs_dir, shift, arena, &row, error) != 0 ||
	    bench_store_metrics(store, row.pattern, arena, &keys, &accepted->metrics, error) != 0)
		return -1;
	if (shift->all_hosts)
		row.fingerprint = "";
	else if (shift->class)
		row.fingerprint = shift->class;
	accepted->run = row.run;
	accepted->removal = row.removal;
	/* All or nothing. The anchor first: what it refuses is not accepted. */
	if (bench_store_begin(store, error) != 0)
		return -1;
	int result = row.removal ? 0
				 : bench_app_anchor_accept(store, places->db, row.run, row.pattern, row.why,
							   error);
	if (result == 0)
		result = bench_store_accept(store, &row, error);
	if (result == 0)
		result = bench_app_alarms_close(store, &row, &accepted->alarms, error);
	return bench_store_end(store, result, error);
}

/* A pattern that matches this text alone. */
static char *literal(struct bench_arena *arena, const char *text)
{
	struct bench_text pattern = {0};
	for (; *text; text++)
		bench_text_add(&pattern, "%s%c", strchr("*?[\\", *text) ? "\\" : "", *text);
	return bench_text_keep(&pattern, arena);
}

int bench_app_accept_alarms(struct bench_store *store, const struct bench_app_places *places,
			    const char *id_or_pattern, const char *why, const char *since,
			    struct bench_arena *arena, struct bench_app_accepted *accepted,
			    struct bench_error *error)
{
	struct bench_alarm *alarms;
	size_t count;
	*accepted = (struct bench_app_accepted){.run = ""};
	if (bench_app_alarms_find(store, id_or_pattern, true, arena, &alarms, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		for (size_t m = 0; m < alarms[i].metric_count; m++) {
			/* The last run under it, and not the newest of all, which may be another branch's. */
			struct bench_app_shift shift = {.pattern = literal(arena, alarms[i].metrics[m].key),
							.why = why,
							.since =
								since ? since : alarms[i].metrics[m].last_run,
							.fingerprint = alarms[i].fingerprint};
			if (bench_compare_fleet_is_class(alarms[i].fingerprint))
				shift.class = alarms[i].fingerprint;
			struct bench_app_accepted one;
			if (bench_app_accept(store, places, &shift, arena, &one, error) != 0)
				return -1;
			accepted->metrics += one.metrics;
			accepted->alarms += one.alarms;
			accepted->run = one.run;
		}
	}
	return 0;
}

/* Of those, the ones under this pattern (from run `id` on; NULL: all) to the front; their number. */
static size_t bring_forward(struct bench_accepted_row *rows, size_t count, const char *pattern,
			    const char *id)
{
	size_t front = 0;
	for (size_t i = 0; i < count; i++) {
		const struct bench_accepted_row row = rows[i];
		if (strcmp(row.pattern, pattern) != 0 || (id && strcmp(row.run, id) != 0))
			continue;
		rows[i] = rows[front];
		rows[front++] = row;
	}
	return front;
}

int bench_app_unaccept(struct bench_store *store, const char *runs_dir, const struct bench_app_shift *shift,
		       size_t *alarms, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_accepted_row *rows;
	const char *id, *fingerprint;
	size_t count;
	*alarms = 0;
	/* All or nothing. */
	if (find_since(shift, store, runs_dir, &arena, &id, &fingerprint, error) != 0 ||
	    bench_store_begin(store, error) != 0)
		return -1;
	int result = bench_store_accepted(store, NULL, &arena, &rows, &count, error);
	if (result == 0)
		result = bench_store_unaccept(store, shift->pattern, id, error);
	size_t gone = result == 0 ? bring_forward(rows, count, shift->pattern, id) : 0;
	for (size_t i = 0; i < gone && result == 0; i++) {
		const struct bench_app_withdrawn withdrawn = {&rows[i], rows + gone, count - gone};
		size_t opened = 0;
		result = rows[i].removal ? 0 : bench_app_anchor_withdraw(store, &withdrawn, error);
		if (result == 0)
			result = bench_app_alarms_reopen(store, &withdrawn, &opened, error);
		*alarms += opened;
	}
	return bench_store_end(store, result, error);
}
