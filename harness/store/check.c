/* SPDX-License-Identifier: MIT */
/* Is the database whole? */
#include <stdarg.h>
#include <string.h>

#include "store/engine.h"

#define MOST_FINDINGS 1000

int bench_store_check(struct bench_store *store, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	if (!store->engine->check)
		return 0;
	int status = store_select(store, &statement, error, store->engine->check, "");
	const char *answer = status == 1 ? store_chars(statement, 0) : NULL;
	if (status == 1 && answer && strcmp(answer, "ok") == 0)
		status = 0;
	else if (status >= 0)
		status = bench_fail(error, BENCH_ENVIRONMENT, "database '%s': damaged: %s", store->path,
				    answer ? answer : "it gives no answer");
	return status;
}

struct examination {
	struct bench_store *store;
	struct bench_arena *arena;
	struct bench_store_finding *findings;
	size_t count;
	bool broken_off; /* what it holds could not be asked: no verdict, and */
	struct bench_error cause;
};

static void find(struct examination *in, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void find(struct examination *in, const char *what, const char *format, ...)
{
	va_list arguments;
	if (in->count > MOST_FINDINGS)
		return;
	const bool last = in->count == MOST_FINDINGS;
	struct bench_store_finding *finding =
		bench_arena_push(in->arena, &in->findings, &in->count, sizeof(*finding));
	finding->what = bench_arena_string(in->arena, last ? "..." : what);
	va_start(arguments, format);
	finding->problem = last ? "and more" : bench_arena_vformat(in->arena, format, arguments);
	va_end(arguments);
}

/* An error as a finding: whose file it is need not be said again. One that says nothing of what is there ends
 * the examination. */
static void find_error(struct examination *in, const char *what, const struct bench_error *error)
{
	size_t path = strlen(in->store->path), start = strlen("database ''") + path;
	const char *text = error->text;
	struct bench_error ignored;
	if (in->store->unreachable || error->code == BENCH_NO_MEMORY) {
		if (!in->broken_off)
			in->cause = *error;
		in->broken_off = true;
		return;
	}
	/* What follows is read in another transaction. */
	if (in->store->engine->ends_at_error && in->store->depth == 0) {
		(void)store_script(in->store, "ROLLBACK", &ignored);
		(void)store_script(in->store, in->store->engine->begin_reading, &ignored);
	}
	if (strncmp(text, "database '", 10) == 0 && strncmp(text + 10, in->store->path, path) == 0 &&
	    strlen(text) > start + 2)
		text += start + 2;
	find(in, what, "%s", text);
}

static void examine_pages(struct examination *in)
{
	struct store_statement *row = NULL;
	struct bench_error error;
	int state = store_select(in->store, &row, &error, in->store->engine->examine, "");
	for (; state == 1; state = store_next(in->store, row, &error)) {
		const char *line = store_chars(row, 0);
		if (!line || strcmp(line, "ok") != 0)
			find(in, "pages", "%s", line ? line : "no answer");
	}
	store_finish(row);
	if (state < 0)
		find_error(in, "pages", &error);
}

static void examine_references(struct examination *in)
{
	struct store_statement *row = NULL;
	struct bench_error error;
	int state = store_select(in->store, &row, &error, in->store->engine->check_references, "");
	for (; state == 1; state = store_next(in->store, row, &error))
		find(in, store_text(in->arena, row, 0),
		     "%lld of its rows refer to rows of '%s' that are not there",
		     (long long)store_int(row, 1), store_text(in->arena, row, 2));
	store_finish(row);
	if (state < 0)
		find_error(in, "references", &error);
}

/* A file says of which program and version it is. */
static int examine_claim(struct examination *in, struct bench_store *model, struct bench_error *error)
{
	char **expected, **found;
	size_t expected_count, found_count;
	if (!in->store->engine->claim)
		return 0;
	if (store_texts(model, in->arena, &expected, &expected_count, error, model->engine->claim, "") != 0 ||
	    store_texts(in->store, in->arena, &found, &found_count, error, in->store->engine->claim, "") != 0)
		return -1;
	if (strcmp(*expected, *found) != 0)
		find(in, "schema", "the file says that it is of %s", *found);
	return 0;
}

/* Against an empty one: a table, a column or an index that is more does no harm, one that lacks does. */
static void examine_schema(struct examination *in)
{
	BENCH_SCOPED_STORE *model = NULL;
	struct bench_error error;
	char **expected, **found;
	size_t expected_count, found_count, at = 0;
	if (store_open_model(&model, &error) != 0 || examine_claim(in, model, &error) != 0 ||
	    store_texts(model, in->arena, &expected, &expected_count, &error, model->engine->columns_of,
			"") != 0 ||
	    store_texts(in->store, in->arena, &found, &found_count, &error, in->store->engine->columns_of,
			"") != 0) {
		find_error(in, "schema", &error);
	} else {
		for (size_t i = 0; i < expected_count; i++) {
			while (at < found_count && strcmp(found[at], expected[i]) < 0)
				at++;
			if (at == found_count || strcmp(found[at], expected[i]) != 0)
				find(in, "schema", "%s is missing", expected[i]);
		}
	}
}

static void examine_part(struct examination *in, const struct store_part *part)
{
	struct bench_error error;
	bool kept, right;
	const char *name = store_digest_name(part, in->arena);
	if (store_digest_check(in->store, part, &kept, &right, &error) != 0)
		find_error(in, name, &error);
	else if (!kept)
		find(in, name, "it has no digest: no bench has written it, or its digest is lost");
	else if (!right)
		find(in, name, "its rows are not those that were written");
}

/* All samples are unpacked, and all heads read. */
static void examine_run(struct examination *in, const char *id, const char *name)
{
	struct bench_error error;
	struct bench_run *run;
	if (bench_store_load(in->store, id, &run, &error) == 0)
		bench_record_free(run);
	else
		find_error(in, name, &error);
}

static void examine_parts(struct examination *in)
{
	struct store_part *parts;
	struct bench_error error;
	char **lost;
	size_t count;
	if (store_digest_parts(in->store, in->arena, &parts, &count, &error) != 0)
		find_error(in, "runs", &error);
	for (size_t i = 0; i < count; i++) {
		examine_part(in, &parts[i]);
		if (parts[i].kind == STORE_DIGEST_RUN)
			examine_run(in, parts[i].id, store_digest_name(&parts[i], in->arena));
	}
	if (store_digest_orphans(in->store, in->arena, &lost, &count, &error) != 0)
		find_error(in, "digest", &error);
	for (size_t i = 0; i < count; i++)
		find(in, lost[i], "it is lost: its digest is there, and its rows are not");
}

int bench_store_examine(struct bench_store *store, struct bench_arena *arena,
			struct bench_store_finding **findings, size_t *count, struct bench_error *error)
{
	struct examination in = {.store = store, .arena = arena};
	struct bench_error ignored;
	store->unreachable = false;
	/* A snapshot: what others write meanwhile is not there, in the one part and in the other. */
	if (store->depth == 0 && store_script(store, store->engine->begin_reading, error) != 0)
		return -1;
	if (store->engine->examine)
		examine_pages(&in);
	if (store->engine->check_references)
		examine_references(&in);
	examine_schema(&in);
	examine_parts(&in);
	if (store->depth == 0)
		(void)store_script(store, "ROLLBACK", &ignored);
	*findings = in.findings;
	*count = in.count;
	if (in.broken_off)
		*error = in.cause;
	return in.broken_off ? -1 : 0;
}

int bench_store_intact(struct bench_store *store, const char *id, bool *intact, struct bench_error *error)
{
	struct store_part part = {.kind = STORE_DIGEST_RUN, .id = id};
	bool kept;
	if (store_find_run(store, id, &part.run, error) != 0)
		return -1;
	return store_digest_check(store, &part, &kept, intact, error);
}

/* Two questions, so that what the one cannot read any more the other may still know. (With the preset, which
 * no index has, the ids are those of the rows.) */
int bench_store_known(struct bench_store *store, struct bench_arena *arena, char ***ids, size_t *count,
		      struct bench_error *error)
{
	char **digested;
	size_t digested_count;
	struct bench_error cause;
	int result =
		store_texts(store, arena, ids, count, error, "SELECT id, preset FROM run ORDER BY run", "");
	int second = store_texts(store, arena, &digested, &digested_count, &cause,
				 "SELECT id FROM digest WHERE kind = 'run'", "");
	for (size_t i = 0; i < digested_count; i++) {
		bool known = false;
		for (size_t j = 0; j < *count && !known; j++)
			known = strcmp((*ids)[j], digested[i]) == 0;
		if (!known)
			BENCH_PUSH(arena, *ids, *count) = digested[i];
	}
	if (result == 0 && second != 0)
		*error = cause;
	return result == 0 && second == 0 ? 0 : -1;
}
