/* SPDX-License-Identifier: MIT */
/* Verdicts: stored, and read back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

/* What of a comparison was read before: the next one mostly has the same metrics in the same order. */
struct reading {
	struct bench_store *store;
	struct bench_arena *arena;
	struct bench_verdict_row *rows, *last;
	size_t count, last_count, at; /* at: of the row of `last` that may be the next */
};

/* The text of a column; `known` where it is the same. */
static const char *text_like(struct reading *in, struct store_statement *row, int column, const char *known)
{
	const char *text = store_chars(row, column);
	if (!text)
		return "";
	return known && strcmp(known, text) == 0 ? known : store_text(in->arena, row, column);
}

/* The key of the row at hand: both lists are sorted. */
static const char *key_of(struct reading *in, struct store_statement *row)
{
	const char *text = store_chars(row, 1);
	while (text && in->at < in->last_count && strcmp(in->last[in->at].key, text) < 0)
		in->at++;
	return text_like(in, row, 1, in->at < in->last_count ? in->last[in->at].key : NULL);
}

static void read_row(struct reading *in, struct store_statement *row)
{
	const char *key = key_of(in, row), *before = in->count > 0 ? in->rows[in->count - 1].verdict : NULL;
	struct bench_verdict_row *verdict =
		bench_arena_push(in->arena, &in->rows, &in->count, sizeof(*verdict));
	*verdict = (struct bench_verdict_row){
		.key = key,
		.verdict = text_like(in, row, 2, before),
		.ratio = store_real(row, 3),
		.lo = store_real(row, 4),
		.hi = store_real(row, 5),
		.p_adjusted = store_real(row, 6),
		.mde = store_real(row, 7),
		.threshold = store_real(row, 8),
		.ci_level = store_real(row, 9),
		.reason = text_like(in, row, 10, NULL),
		.owner = text_like(in, row, 11, NULL),
	};
}

/* The comparisons of one run. */
static int read_run(struct reading *in, struct store_statement *row, int64_t run, const char *id,
		    struct bench_kept_comparison **comparisons, size_t *count, struct bench_error *error)
{
	struct bench_kept_comparison *one = NULL;
	int state = store_start(in->store, row, error, "i", run);
	for (; state == 1; state = store_next(in->store, row, error)) {
		const char *baseline = store_chars(row, 0);
		if (!one || !baseline || strcmp(one->baseline, baseline) != 0) {
			in->last = in->rows;
			in->last_count = in->count;
			in->rows = NULL;
			in->count = in->at = 0;
			one = bench_arena_push(in->arena, comparisons, count, sizeof(*one));
			*one = (struct bench_kept_comparison){.run = id,
							      .baseline = store_text(in->arena, row, 0)};
		}
		read_row(in, row);
		in->rows[in->count - 1].key =
			store_named(in->store, in->arena, (char *)(uintptr_t)in->rows[in->count - 1].key);
		one->rows = in->rows;
		one->count = in->count;
	}
	return state;
}

bool bench_store_verdict_is_difference(const struct bench_verdict_row *row)
{
	return isnan(row->ratio) && isfinite(row->lo);
}

static int compare_keys(const void *left, const void *right)
{
	return strcmp(((const struct bench_verdict_row *)left)->key,
		      ((const struct bench_verdict_row *)right)->key);
}

int bench_store_comparisons(struct bench_store *store, struct bench_arena *arena,
			    struct bench_kept_comparison **comparisons, size_t *count,
			    struct bench_error *error)
{
	struct reading in = {.store = store, .arena = arena};
	struct store_statement *runs = NULL, *rows = NULL;
	*comparisons = NULL;
	*count = 0;
	int state = store_prepare(store,
				  "SELECT baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold, "
				  "ci_level, reason, owner FROM verdict WHERE run = ? ORDER BY baseline, key",
				  &rows, error);
	if (state == 0)
		state = store_select(store, &runs, error, "SELECT run, id FROM run " OLDEST_FIRST, "");
	for (; state == 1; state = store_next(store, runs, error))
		if (read_run(&in, rows, store_int(runs, 0), store_text(arena, runs, 1), comparisons, count,
			     error) != 0) {
			state = -1;
			break;
		}
	store_finish(runs);
	store_finish(rows);
	for (size_t i = 0; store->rename_count > 0 && i < *count; i++)
		if ((*comparisons)[i].count > 1)
			qsort((void *)(uintptr_t)(*comparisons)[i].rows, (*comparisons)[i].count,
			      sizeof(struct bench_verdict_row), compare_keys);
	return state;
}

/* An empty text is not kept. */
static const char *some(const char *text)
{
	return text && *text ? text : NULL;
}

static int put_verdicts(struct bench_store *store, int64_t run, const char *baseline,
			const struct bench_verdict_row *rows, size_t count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *put = NULL;
	int status = store_write(store, error, "DELETE FROM verdict WHERE run = ? AND baseline = ?", "it",
				 run, baseline);
	if (status == 0)
		status = store_prepare(
			store,
			"INSERT INTO verdict (run, baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, "
			"threshold, ci_level, reason, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			&put, error);
	for (size_t i = 0; i < count && status == 0; i++)
		status = store_start(store, put, error, "itttrrrrrrrtt", run, baseline, rows[i].key,
				     rows[i].verdict, rows[i].ratio, rows[i].lo, rows[i].hi,
				     rows[i].p_adjusted, rows[i].mde, rows[i].threshold, rows[i].ci_level,
				     some(rows[i].reason), some(rows[i].owner));
	return status;
}

int bench_store_keep_verdicts(struct bench_store *store, const char *candidate, const char *baseline_name,
			      const struct bench_verdict_row *rows, size_t count, struct bench_error *error)
{
	int64_t run;
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = store_find_run(store, candidate, &run, error);
	if (status == 0)
		status = put_verdicts(store, run, baseline_name, rows, count, error);
	if (status == 0)
		status = store_digest_put(
			store, &(struct store_part){STORE_DIGEST_VERDICTS, run, candidate, baseline_name},
			error);
	return bench_store_end(store, status, error);
}

int bench_store_verdict_is_open(struct bench_store *store, const char *run, const char *key, bool *is_open,
				struct bench_error *error)
{
	int64_t found;
	int state = store_number(store, &found, error,
				 "SELECT 1 FROM verdict JOIN run USING (run) WHERE id = ? AND key = ? AND "
				 "verdict IN ('unclear', 'suspected')",
				 "tt", run, key);
	*is_open = state == 1;
	return state < 0 ? -1 : 0;
}
