/* SPDX-License-Identifier: MIT */
/*
 * Cases that have another name since. Nothing that was measured is changed: names are replaced as they are
 * read. A rename is a row of `accepted` with removal 2, whose pattern is the old name: the case is gone under
 * that name, and rightly so, which is what a bench that knows no renames makes of it.
 */
#include <string.h>
#include <time.h>

#include "core/text.h"
#include "store/sql.h"

#define WHY       "renamed to "
#define MOST_HOPS 16 /* from one name to the next: renames in a circle cannot be stored, and end here */

/* Those of the history; a store reads them once. What cannot be read is no reason here to read nothing. */
static void read_renames(struct bench_store *store)
{
	STORE_SCOPED_STATEMENT *row = NULL;
	struct bench_error ignored;
	int state;
	if (store->has_renames)
		return;
	store->has_renames = true;
	state = store_select(store, &row, &ignored,
			     "SELECT pattern, why, created FROM accepted WHERE removal = 2 ORDER BY accepted",
			     "");
	for (; state == 1; state = store_next(store, row, &ignored)) {
		const char *why = store_chars(row, 1);
		if (!why || strncmp(why, WHY, strlen(WHY)) != 0)
			continue;
		BENCH_PUSH(&store->names, store->renames, store->rename_count) = (struct bench_rename_row){
			store_text(&store->names, row, 0),
			bench_arena_string(&store->names, why + strlen(WHY)), store_int(row, 2)};
	}
}

static void forget_renames(struct bench_store *store)
{
	store->has_renames = false;
	store->rename_count = 0;
	store->renames = NULL;
}

/* The length of the name, if the key is of that case, or of what is below it; else 0. */
static size_t begins(const char *key, const char *name)
{
	const size_t length = strlen(name);
	return strncmp(key, name, length) == 0 && (!key[length] || key[length] == '/') ? length : 0;
}

char *store_new_name(struct bench_store *store, struct bench_arena *arena, const char *key)
{
	char *name = NULL;
	if (store->as_written)
		return NULL;
	read_renames(store);
	for (size_t hop = 0; hop < MOST_HOPS; hop++) {
		const char *now = name ? name : key;
		size_t i = 0, length = 0;
		for (; i < store->rename_count && length == 0; i++)
			length = begins(now, store->renames[i].old);
		if (length == 0)
			break;
		name = bench_arena_format(arena, "%s%s", store->renames[i - 1].now, now + length);
	}
	return name;
}

char *store_named(struct bench_store *store, struct bench_arena *arena, char *key)
{
	char *name = key ? store_new_name(store, arena, key) : NULL;
	return name ? name : key;
}

/* The parameters behind the target of a key, "k=v,k=v", into the result. */
static void set_params(struct bench_arena *arena, struct bench_result *result, const char *text)
{
	char *rest = bench_arena_string(arena, text), *word;
	result->params = NULL;
	result->param_count = 0;
	while ((word = bench_text_next(&rest, ','))) {
		char *equals = strchr(word, '=');
		if (!equals)
			continue;
		*equals = '\0';
		bench_record_attribute_set(arena, &result->params, &result->param_count, word, equals + 1);
	}
}

void store_rename_results(struct bench_store *store, struct bench_arena *arena, struct bench_run *run)
{
	for (size_t i = 0; i < run->result_count; i++) {
		struct bench_result *result = &run->results[i];
		char *key = store_new_name(store, arena, result->key);
		const char *target = key ? strchr(key, '/') : NULL;
		/* A run with both keeps both apart. */
		if (!target || BENCH_FIND(run->results, run->result_count, key))
			continue;
		result->key = key;
		result->suite = bench_arena_format(arena, "%.*s", (int)(target - key), key);
		set_params(arena, result, bench_record_point(result));
	}
	for (size_t i = 0; i < run->result_count; i++)
		run->results[i].relative_to = store_named(store, arena, run->results[i].relative_to);
}

/* "suite/backend:device" at the start of both, and the same device. */
static bool is_same_target(const char *old, const char *now)
{
	const char *a = strchr(old, '/'), *b = strchr(now, '/');
	return a && b && strcspn(a + 1, "/") == strcspn(b + 1, "/") &&
	       strncmp(a, b, 1 + strcspn(a + 1, "/")) == 0;
}

static bool is_case(const char *key)
{
	const char *target = strchr(key, '/');
	for (const char *c = key; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return target && target > key && target[1] &&
	       !strchr(target + 1 + strcspn(target + 1, "/") + 1, '/') && strlen(key) < BENCH_KEY_MAX;
}

/* Does some run have a metric of that case, by the name that it was measured under? */
static int has_metrics(struct bench_store *store, const char *key, bool *has, struct bench_error *error)
{
	char **keys;
	size_t count;
	BENCH_SCOPED_ARENA arena = {0};
	*has = false;
	const int status =
		store_texts(store, &arena, &keys, &count, error, "SELECT DISTINCT key FROM metric_key", "");
	for (size_t i = 0; status == 0 && i < count; i++)
		*has |= begins(keys[i], key) > 0;
	return status;
}

/*
 * What follows the measured: alarms and anchors of before the rename. On the way back, those stay whose run
 * has measured that name itself.
 */
static int move_state(struct bench_store *store, const char *from, const char *to, int64_t before, bool back,
		      struct bench_error *error)
{
	static const struct {
		const char *table, *of, *run, *since;
	} moved[] = {{"alarm_metric", "alarm", "first_bad", "since"},
		     {"anchor_level", "anchor", "run", "created"}};
	int status = 0;
	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]) && status == 0; i++) {
		const char *table = moved[i].table, *of = moved[i].of;
		const char *sql = bench_arena_format(
			&store->names,
			"UPDATE %s SET key = ?2 || substr(key, length(?1) + 1) WHERE (key = ?1 OR "
			"substr(key, 1, length(?1) + 1) = ?1 || '/') AND %s IN (SELECT %s FROM %s WHERE "
			"%s < ?3 AND (?4 = 0 OR NOT EXISTS (SELECT 1 FROM run JOIN metric USING (run) JOIN "
			"metric_key AS k USING (metric_key) WHERE run.id = %s.%s AND k.key = %s.key))) AND "
			"NOT EXISTS (SELECT 1 FROM %s AS m WHERE m.%s = %s.%s AND m.key = ?2 || "
			"substr(%s.key, length(?1) + 1))",
			table, of, of, of, moved[i].since, of, moved[i].run, table, table, of, table, of,
			table);
		status = store_write(store, error, sql, "ttii", from, to, before, (int64_t)back);
	}
	return status;
}

/* Ends the transaction in which all of this changed. */
static int end(struct bench_store *store, int status, struct bench_error *error)
{
	const struct store_part alarms = {.kind = STORE_DIGEST_ALARMS},
				anchors = {.kind = STORE_DIGEST_ANCHORS};
	forget_renames(store);
	if (status == 0)
		status = store_digest_put(store, &alarms, error);
	if (status == 0)
		status = store_digest_put(store, &anchors, error);
	return store_end_table(store, status, STORE_DIGEST_ACCEPTED, error);
}

/* Inside the transaction, in which no other process renames. */
static int undo(struct bench_store *store, const char *old, struct bench_error *error)
{
	const struct bench_rename_row *found = BENCH_FIND(store->renames, store->rename_count, old);
	if (!found)
		return bench_fail(error, BENCH_USAGE,
				  "'%.200s' has not been renamed; 'bench runs rename' lists what has", old);
	if (store_write(store, error, "DELETE FROM accepted WHERE pattern = ? AND removal = 2", "t", old) !=
	    0)
		return -1;
	return move_state(store, found->now, old, found->created, true, error);
}

static int rename_case(struct bench_store *store, const char *old, const char *now, struct bench_error *error)
{
	const struct bench_rename_row *found = BENCH_FIND(store->renames, store->rename_count, old);
	const int64_t at = (int64_t)time(NULL);
	bool has = false;
	if (found)
		return bench_fail(error, BENCH_USAGE,
				  "'%.200s' has been renamed to '%.200s': undo that first (bench runs "
				  "rename --undo)",
				  old, found->now);
	const char *back = store_new_name(store, &store->names, now);
	if (strcmp(back ? back : now, old) == 0)
		return undo(store, now, error);
	if (has_metrics(store, old, &has, error) != 0)
		return -1;
	if (!has)
		return store_unknown(store, BENCH_NOTHING, "case", old,
				     "SELECT DISTINCT substr(key, 1, length(key) - length(name) - 1) FROM "
				     "metric_key ORDER BY 1",
				     error);
	const char *why = bench_arena_format(&store->names, WHY "%s", now);
	if (store_write(store, error,
			"INSERT INTO accepted (pattern, since, run, fingerprint, why, created, removal) "
			"VALUES (?, ?, '', '', ?, ?, 2)",
			"titi", old, at, why, at) != 0)
		return -1;
	return move_state(store, old, now, at, false, error);
}

/* Begins the transaction, and reads the renames as they are in it. */
static int begin(struct bench_store *store, struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	forget_renames(store);
	read_renames(store);
	return 0;
}

int bench_store_rename(struct bench_store *store, const char *old, const char *now, struct bench_error *error)
{
	if (!is_case(old) || !is_case(now))
		return bench_fail(error, BENCH_USAGE,
				  "'%.200s': expected a case, SUITE/BACKEND:DEVICE/PARAMETERS; 'bench list "
				  "metrics' shows them with a metric behind",
				  is_case(old) ? now : old);
	if (strcmp(old, now) == 0 || !is_same_target(old, now))
		return bench_fail(
			error, BENCH_USAGE,
			"a rename changes suite or parameters of a case, and not its device: '%.200s' "
			"and '%.200s'",
			old, now);
	return begin(store, error) == 0 ? end(store, rename_case(store, old, now, error), error) : -1;
}

int bench_store_rename_undo(struct bench_store *store, const char *old, struct bench_error *error)
{
	return begin(store, error) == 0 ? end(store, undo(store, old, error), error) : -1;
}

int bench_store_renames(struct bench_store *store, struct bench_arena *arena, struct bench_rename_row **rows,
			size_t *count, struct bench_error *error)
{
	int64_t probe;
	/* Here, what cannot be read is an error. */
	if (store_number(store, &probe, error, "SELECT 1 FROM accepted", "") < 0)
		return -1;
	read_renames(store);
	*count = store->rename_count;
	*rows = bench_arena_alloc(arena, *count + 1, sizeof(**rows));
	for (size_t i = 0; i < *count; i++)
		(*rows)[i] = (struct bench_rename_row){bench_arena_string(arena, store->renames[i].old),
						       bench_arena_string(arena, store->renames[i].now),
						       store->renames[i].created};
	return 0;
}
