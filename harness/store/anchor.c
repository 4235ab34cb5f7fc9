/* SPDX-License-Identifier: MIT */
/* Anchors: the programs that runs are interleaved with, and how far they are from the levels. */
#include <time.h>

#include "store/sql.h"

#define BRANCH  "coalesce((SELECT branch FROM run WHERE run.id = anchor.run), '')"
#define COLUMNS "anchor, fingerprint, track, run, content, commit_hash, why, created, " BRANCH

static int read_levels(struct bench_store *store, struct bench_arena *arena, struct bench_anchor_row *row,
		       struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int state = store_select(
		store, &statement, error,
		"SELECT key, shift, error, chain FROM anchor_level WHERE anchor = ? ORDER BY key", "i",
		row->id);
	for (; state == 1; state = store_next(store, statement, error))
		BENCH_PUSH(arena, row->levels, row->level_count) =
			(struct bench_anchor_level){store_text(arena, statement, 0), store_real(statement, 1),
						    store_real(statement, 2), store_real(statement, 3)};
	return state;
}

static void read_row(struct store_statement *statement, struct bench_arena *arena,
		     struct bench_anchor_row *row)
{
	*row = (struct bench_anchor_row){
		.id = store_int(statement, 0),
		.fingerprint = store_text(arena, statement, 1),
		.track = store_text(arena, statement, 2),
		.run = store_text(arena, statement, 3),
		.content = store_text(arena, statement, 4),
		.commit = store_text(arena, statement, 5),
		.why = store_text(arena, statement, 6),
		.created = store_int(statement, 7),
		.branch = store_text(arena, statement, 8),
	};
}

int bench_store_anchors(struct bench_store *store, const char *fingerprint, const char *track,
			struct bench_arena *arena, struct bench_anchor_row **rows, size_t *count,
			struct bench_error *error)
{
	struct store_statement *statement = NULL;
	*rows = NULL;
	*count = 0;
	int state = store_select(
		store, &statement, error,
		"SELECT " COLUMNS
		" FROM anchor WHERE anchor IN (SELECT max(anchor) FROM anchor WHERE (?1 IS NULL OR "
		"fingerprint = ?1) AND (?2 IS NULL OR track = ?2) GROUP BY fingerprint, track, " BRANCH
		") ORDER BY anchor",
		"tt", fingerprint, track);
	for (; state == 1; state = store_next(store, statement, error))
		read_row(statement, arena, bench_arena_push(arena, rows, count, sizeof(**rows)));
	store_finish(statement);
	for (size_t i = 0; state == 0 && i < *count; i++)
		state = read_levels(store, arena, &(*rows)[i], error);
	return state;
}

/* The one that was selected, if one was. */
static int read_selected(struct bench_store *store, struct store_statement *statement, int state,
			 const char *what, struct bench_arena *arena, struct bench_anchor_row *row,
			 struct bench_error *error)
{
	if (state == 1)
		read_row(statement, arena, row);
	store_finish(statement);
	if (state == 0)
		return bench_fail(error, BENCH_NOTHING, "%s is no anchor that the history knows", what);
	return state == 1 ? read_levels(store, arena, row, error) : -1;
}

int bench_store_anchor_of(struct bench_store *store, const char *run, int64_t at, struct bench_arena *arena,
			  struct bench_anchor_row *row, struct bench_error *error)
{
	struct store_statement *statement = NULL;
	int state = store_select(store, &statement, error,
				 "SELECT " COLUMNS
				 " FROM anchor WHERE run = ? AND created <= ? ORDER BY anchor DESC LIMIT 1",
				 "ti", run, at);
	return read_selected(store, statement, state, run, arena, row, error);
}

int bench_store_anchor_before(struct bench_store *store, const struct bench_anchor_row *now, const char *why,
			      int64_t from, struct bench_arena *arena, struct bench_anchor_row *row,
			      struct bench_error *error)
{
#define SAME "fingerprint = ?1 AND track = ?2 AND " BRANCH " = ?3"
	struct store_statement *statement = NULL;
	int state = store_select(store, &statement, error,
				 "SELECT " COLUMNS " FROM anchor WHERE " SAME
				 " AND anchor < (SELECT min(anchor) FROM anchor WHERE " SAME
				 " AND why = ?4 AND created >= ?5) ORDER BY anchor DESC LIMIT 1",
				 "tttti", now->fingerprint, now->track, now->branch, why, from);
#undef SAME
	return read_selected(store, statement, state, why, arena, row, error);
}

static int put_levels(struct bench_store *store, int64_t anchor, const struct bench_anchor_row *row,
		      struct bench_error *error)
{
	for (size_t i = 0; i < row->level_count; i++)
		if (store_write(store, error, "INSERT INTO anchor_level VALUES (?, ?, ?, ?, ?)", "itrrr",
				anchor, row->levels[i].key, row->levels[i].shift, row->levels[i].error,
				row->levels[i].chain) != 0)
			return -1;
	return 0;
}

int bench_store_anchor_put(struct bench_store *store, const struct bench_anchor_row *row,
			   struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int64_t anchor = 0;
	int status = store_write_new(store, &anchor, error,
				     "INSERT INTO anchor (fingerprint, track, run, content, commit_hash, "
				     "why, created) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING anchor",
				     "tttttti", row->fingerprint, row->track, row->run, row->content,
				     row->commit, row->why, (int64_t)time(NULL));
	if (status == 0)
		status = put_levels(store, anchor, row, error);
	return store_end_table(store, status, STORE_DIGEST_ANCHORS, error);
}
