/* What is in a history beside its runs, out of a file of which not all can be read any more. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "store/engine.h"
#include "store/sqlite.h"

/* SQLite's locks on a file: bytes far behind its end (sqlite.org/fileformat2.html, "The Lock-Byte Page"). */
#define LOCK_START 0x40000000
#define LOCK_BYTES 512

#define MOST_COLUMNS 20 /* of a table */

int bench_store_is_used(const char *path, bool *used, struct bench_error *error)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_START, .l_len = LOCK_BYTES};
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0 || fcntl(file, F_GETLK, &lock) != 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "database '%s': %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return -1;
	}
	close(file);
	*used = lock.l_type != F_UNLCK;
	return 0;
}

/*
 * Rows are put under the same numbers, so that a table that comes over whole has its old digest. What refers
 * to a run finds it by its id: ?1 of these statements.
 */
static const struct {
	const char *what, *select, *insert;
	enum store_digest digest;
} tables[] = {
	{"baselines", "SELECT * FROM baseline ORDER BY baseline",
	 "INSERT OR IGNORE INTO baseline VALUES (?, ?, ?)", STORE_DIGEST_BASELINES},
	{"runs of baselines",
	 "SELECT id, baseline_run.baseline, position FROM baseline_run LEFT JOIN run USING (run) ORDER BY "
	 "baseline_run.baseline, position",
	 "INSERT OR IGNORE INTO baseline_run SELECT ?2, run, ?3 FROM run WHERE id = ?1",
	 STORE_DIGEST_BASELINES},
	{"verdicts",
	 "SELECT id, verdict.baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold, "
	 "verdict.ci_level, "
	 "finished FROM verdict LEFT JOIN run USING (run) ORDER BY verdict.run, verdict.baseline, key",
	 /* Not on a record that is more complete than the one that was judged. */
	 "INSERT OR IGNORE INTO verdict SELECT run, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM run WHERE "
	 "id = ?1 AND finished IS ?12",
	 STORE_DIGEST_VERDICTS},
	{"accepted", "SELECT * FROM accepted ORDER BY accepted",
	 "INSERT OR IGNORE INTO accepted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", STORE_DIGEST_ACCEPTED},
	{"tuning", "SELECT * FROM tuning ORDER BY tuning",
	 "INSERT OR IGNORE INTO tuning VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	 STORE_DIGEST_TUNING},
	{"alarms", "SELECT * FROM alarm ORDER BY alarm",
	 "INSERT OR IGNORE INTO alarm VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", STORE_DIGEST_ALARMS},
	{"metrics of alarms", "SELECT * FROM alarm_metric ORDER BY alarm, key",
	 "INSERT OR IGNORE INTO alarm_metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	 STORE_DIGEST_ALARMS},
	{"anchors", "SELECT * FROM anchor ORDER BY anchor",
	 "INSERT OR IGNORE INTO anchor VALUES (?, ?, ?, ?, ?, ?, ?, ?)", STORE_DIGEST_ANCHORS},
	{"levels of anchors", "SELECT * FROM anchor_level ORDER BY anchor, key",
	 "INSERT OR IGNORE INTO anchor_level VALUES (?, ?, ?, ?, ?)", STORE_DIGEST_ANCHORS},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* 1: it is there; 0: it has no place; -1. */
static int put_row(struct bench_store *to, struct store_statement *put, struct store_statement *row,
		   struct bench_error *error)
{
	struct store_parameter values[MOST_COLUMNS];
	const int count = store_columns(row);
	for (int i = 0; i < count; i++)
		values[i] = (struct store_parameter){store_column(row, i), STORE_NULL};
	if (store_start_with(to, put, values, count, error) == 0)
		return sqlite3_changes(to->db) > 0;
	/* A row that breaks a rule of the table is damaged. */
	return (sqlite3_errcode(to->db) & 0xff) == SQLITE_CONSTRAINT ? 0 : -1;
}

static int copy_table(struct bench_store *from, struct bench_store *to, size_t table,
		      struct bench_arena *arena, struct bench_store_copied *copied, struct bench_error *error)
{
	struct store_statement *row = NULL, *put = NULL;
	struct bench_error cause;
	int result = store_prepare(to, tables[table].insert, &put, error);
	int state = result == 0 ? store_select(from, &row, &cause, tables[table].select, "") : 0;
	copied->problem = "";
	for (; state == 1; state = store_next(from, row, &cause)) {
		const int there = put_row(to, put, row, error);
		if (there < 0) {
			result = -1;
			break;
		}
		copied->rows += there == 1;
		copied->lost += there == 0;
	}
	if (state < 0 && cause.code == BENCH_NO_MEMORY) {
		*error = cause;
		result = -1;
	} else if (state < 0) {
		copied->problem = bench_arena_string(arena, cause.text);
	}
	store_finish(row);
	store_finish(put);
	return result;
}

/* Are the rows of it, in the file that they came from, those that were written? -1: there was no memory to
 * see. */
static int is_intact(struct bench_store *from, enum store_digest kind, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct store_part *parts;
	struct bench_error cause = {0};
	size_t count;
	bool kept, right, intact = store_digest_parts(from, &arena, &parts, &count, &cause) == 0;
	for (size_t i = 0; i < count && intact; i++)
		if (parts[i].kind == kind)
			intact = store_digest_check(from, &parts[i], &kept, &right, &cause) == 0 && right;
	bench_arena_free(&arena);
	if (cause.code != BENCH_NO_MEMORY)
		return intact;
	*error = cause;
	return -1;
}

int bench_store_copy(struct bench_store *from, struct bench_store *to, struct bench_arena *arena,
		     struct bench_store_copied **copied, size_t *count, struct bench_error *error)
{
	*copied = NULL;
	*count = 0;
	if (bench_store_begin(to, error) != 0)
		return -1;
	int status = 0;
	for (size_t i = 0; i < TABLES && status == 0; i++) {
		struct bench_store_copied *one = bench_arena_push(arena, copied, count, sizeof(*one));
		one->what = tables[i].what;
		status = copy_table(from, to, i, arena, one, error);
		int intact = status == 0 && one->lost == 0 && !*one->problem
				     ? is_intact(from, tables[i].digest, error)
				     : 0;
		one->intact = intact > 0;
		status = intact < 0 ? -1 : status;
	}
	if (status == 0)
		status = store_digest_all(to, error);
	return bench_store_end(to, status, error);
}
