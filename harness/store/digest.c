/* SPDX-License-Identifier: MIT */
/*
 * Digests: a number over all rows of a run, of the verdicts on it, or of a small table. Each is stored with
 * the rows and updated in the same transaction. SQLite's pages have no checksums, so a flipped bit in a value
 * would pass for a measurement. With digests, such rows no longer match.
 */
#include <string.h>

#include "core/hash.h"
#include "store/sql.h"

#define MOST_QUERIES 3

/*
 * All columns of the rows of a part, in a defined order: ?1 is the run, ?2 the baseline. Names that many runs
 * share are digested with each run. `later`: how many of the last columns came with a later version. A NULL
 * there does not count, so that older rows keep their digest.
 */
static const struct {
	const char *name;
	struct {
		const char *sql;
		int later;
	} queries[MOST_QUERIES];
} kinds[STORE_DIGESTS] = {
	[STORE_DIGEST_RUN] = {"run",
			      {{"SELECT run.*, fingerprint FROM run JOIN host USING (host) WHERE run = ?1",
				0},
			       {"SELECT result.*, head.suite, head.text, backend, slug, method.text FROM "
				"result JOIN head USING (head) JOIN device USING (device) LEFT JOIN method "
				"ON method.method = result.method WHERE run = ?1 ORDER BY position",
				0},
			       {"SELECT run, metric_key, median, ci_lo, ci_hi, disturbed, key, name, unit, "
				"better, derived_from, ci_level FROM metric JOIN metric_key USING "
				"(metric_key) WHERE run = ?1 ORDER BY metric_key",
				1}}},
	[STORE_DIGEST_VERDICTS] = {"verdicts",
				   {{"SELECT * FROM verdict WHERE run = ?1 AND baseline = ?2 ORDER BY key",
				     3}}},
	[STORE_DIGEST_HOSTS] = {"hosts", {{"SELECT * FROM host ORDER BY host", 0}}},
	[STORE_DIGEST_DEVICES] = {"devices", {{"SELECT * FROM device ORDER BY device", 0}}},
	[STORE_DIGEST_BASELINES] = {"baselines",
				    {{"SELECT * FROM baseline ORDER BY baseline", 0},
				     {"SELECT baseline_run.*, id FROM baseline_run JOIN run USING (run) "
				      "ORDER BY baseline, position",
				      0}}},
	[STORE_DIGEST_ACCEPTED] = {"accepted", {{"SELECT * FROM accepted ORDER BY accepted", 0}}},
	[STORE_DIGEST_TUNING] = {"tuning", {{"SELECT * FROM tuning ORDER BY tuning", 0}}},
	[STORE_DIGEST_ALARMS] = {"alarms",
				 {{"SELECT * FROM alarm ORDER BY alarm", 2},
				  {"SELECT * FROM alarm_metric ORDER BY alarm, key", 2}}},
	[STORE_DIGEST_ANCHORS] = {"anchors",
				  {{"SELECT * FROM anchor ORDER BY anchor", 0},
				   {"SELECT * FROM anchor_level ORDER BY anchor, key", 0}}},
};

char *store_digest_name(const struct store_part *part, struct bench_arena *arena)
{
	const char *id = part->id ? part->id : "", *baseline = part->baseline ? part->baseline : "";
	return bench_arena_format(arena, "%s%s%s%s%s", kinds[part->kind].name, *id ? ":" : "", id,
				  *baseline ? ":" : "", baseline);
}

/* A value with its type and length before it, so that no two rows come to the same bytes. */
static uint64_t add_value(uint64_t hash, struct store_statement *row, int column)
{
	const struct store_value value = store_column(row, column);
	const unsigned char tag = (unsigned char)value.type;
	int64_t bits = value.integer;
	hash = bench_hash_bytes(hash, &tag, 1);
	if (value.type == STORE_REAL) {
		memcpy(&bits, &value.real, sizeof(bits));
	} else if (value.type == STORE_TEXT || value.type == STORE_BLOB) {
		bits = (int64_t)value.bytes;
		if (bits > 0)
			hash = bench_hash_bytes(hash, value.data, value.bytes);
	}
	for (int byte = 0; byte < 8; byte++) {
		const unsigned char part = (unsigned char)((uint64_t)bits >> 8 * byte);
		hash = bench_hash_bytes(hash, &part, 1);
	}
	return hash;
}

static int add_rows(struct bench_store *store, const struct store_part *part, const char *query, int later,
		    uint64_t *hash, size_t *rows, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *row = NULL;
	int state = part->kind >= STORE_DIGEST_HOSTS ? store_select(store, &row, error, query, "")
		    : part->kind == STORE_DIGEST_RUN
			    ? store_select(store, &row, error, query, "i", part->run)
			    : store_select(store, &row, error, query, "it", part->run, part->baseline);
	for (; state == 1; state = store_next(store, row, error)) {
		const int columns = store_columns(row);
		for (int column = 0; column < columns; column++)
			if (column < columns - later || store_column(row, column).type != STORE_NULL)
				*hash = add_value(*hash, row, column);
		(*rows)++;
	}
	return state;
}

int store_digest_compute(struct bench_store *store, const struct store_part *part, int64_t *digest,
			 size_t *rows, struct bench_error *error)
{
	uint64_t hash = BENCH_HASH_START;
	*rows = 0;
	for (int i = 0; i < MOST_QUERIES && kinds[part->kind].queries[i].sql; i++) {
		if (add_rows(store, part, kinds[part->kind].queries[i].sql,
			     kinds[part->kind].queries[i].later, &hash, rows, error) != 0)
			return -1;
	}
	memcpy(digest, &hash, sizeof(*digest));
	return 0;
}

int store_digest_put(struct bench_store *store, const struct store_part *part, struct bench_error *error)
{
	const char *kind = kinds[part->kind].name, *id = part->id ? part->id : "",
		   *baseline = part->baseline ? part->baseline : "";
	int64_t digest;
	size_t rows;
	if (store_digest_compute(store, part, &digest, &rows, error) != 0)
		return -1;
	/* What has no rows is not there; a table is, always. */
	if (rows == 0 && part->kind < STORE_DIGEST_HOSTS)
		return store_write(store, error,
				   "DELETE FROM digest WHERE kind = ? AND id = ? AND baseline = ?", "ttt",
				   kind, id, baseline);
	return store_write(store, error,
			   "INSERT INTO digest (kind, id, baseline, digest) VALUES (?, ?, ?, ?) ON CONFLICT "
			   "(kind, id, baseline) DO UPDATE SET digest = excluded.digest",
			   "ttti", kind, id, baseline, digest);
}

int store_digest_table(struct bench_store *store, enum store_digest table, struct bench_error *error)
{
	return store_digest_put(store, &(struct store_part){.kind = table}, error);
}

int store_end_table(struct bench_store *store, int status, enum store_digest table, struct bench_error *error)
{
	if (status == 0)
		status = store_digest_table(store, table, error);
	return bench_store_end(store, status, error);
}

int store_digest_check(struct bench_store *store, const struct store_part *part, bool *kept, bool *right,
		       struct bench_error *error)
{
	int64_t digest = 0, expected = 0;
	size_t rows;
	int state = store_number(store, &expected, error,
				 "SELECT digest FROM digest WHERE kind = ? AND id = ? AND baseline = ?",
				 "ttt", kinds[part->kind].name, part->id ? part->id : "",
				 part->baseline ? part->baseline : "");
	*kept = state == 1;
	if (state < 0 || store_digest_compute(store, part, &digest, &rows, error) != 0)
		return -1;
	*right = *kept && digest == expected;
	return 0;
}

static int add_parts(struct bench_store *store, struct bench_arena *arena, enum store_digest kind,
		     const char *sql, struct store_part **parts, size_t *count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *row = NULL;
	int state = store_select(store, &row, error, sql, "");
	for (; state == 1; state = store_next(store, row, error))
		BENCH_PUSH(arena, *parts, *count) =
			(struct store_part){.kind = kind,
					    .run = store_int(row, 0),
					    .id = store_text(arena, row, 1),
					    .baseline = store_text(arena, row, 2)};
	return state;
}

int store_digest_parts(struct bench_store *store, struct bench_arena *arena, struct store_part **parts,
		       size_t *count, struct bench_error *error)
{
	*parts = NULL;
	*count = 0;
	for (int kind = STORE_DIGEST_HOSTS; kind < STORE_DIGESTS; kind++)
		BENCH_PUSH(arena, *parts, *count) = (struct store_part){.kind = (enum store_digest)kind};
	if (add_parts(store, arena, STORE_DIGEST_RUN, "SELECT run, id, '' FROM run ORDER BY run", parts,
		      count, error) != 0)
		return -1;
	return add_parts(store, arena, STORE_DIGEST_VERDICTS,
			 "SELECT DISTINCT run, id, verdict.baseline FROM verdict JOIN run USING (run) ORDER "
			 "BY run, verdict.baseline",
			 parts, count, error);
}

int store_digest_orphans(struct bench_store *store, struct bench_arena *arena, char ***names, size_t *count,
			 struct bench_error *error)
{
	return store_texts(store, arena, names, count, error,
			   "SELECT kind || ':' || id || CASE baseline WHEN '' THEN '' ELSE ':' || baseline "
			   "END FROM digest AS d WHERE (kind = 'run' AND NOT EXISTS (SELECT 1 FROM run WHERE "
			   "run.id = d.id)) OR (kind = 'verdicts' AND NOT EXISTS (SELECT 1 FROM verdict JOIN "
			   "run USING (run) WHERE run.id = d.id AND verdict.baseline = d.baseline))",
			   "");
}

int store_digest_all(struct bench_store *store, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct store_part *parts;
	size_t count;
	int status = store_digest_parts(store, &arena, &parts, &count, error);
	for (size_t i = 0; i < count && status == 0; i++)
		status = store_digest_put(store, &parts[i], error);
	return status;
}
