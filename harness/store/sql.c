/* SPDX-License-Identifier: MIT */
#include "store/sql.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "store/engine.h"

#define MOST_PARAMETERS 20

int store_damaged(struct bench_store *store, const char *what, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "database '%s': %s; it is damaged: 'bench db check' says what, %s", store->path,
			  what, store->engine->remedy);
}

int store_missing(const char *what, const char *name, struct bench_error *error)
{
	return bench_fail(error, BENCH_NOTHING,
			  "there is no history yet: no %s '%s' ('bench run' makes it, and 'bench ingest' "
			  "from run folders)",
			  what, name);
}

void bench_store_close(struct bench_store *store)
{
	if (!store)
		return;
	store->engine->close(store);
	bench_arena_free(&store->names);
	free(store->path);
	free(store);
}

int bench_store_size(struct bench_store *store, int64_t *bytes, struct bench_error *error)
{
	*bytes = 0;
	return store_number(store, bytes, error, store->engine->size, "") < 0 ? -1 : 0;
}

int bench_store_compact(struct bench_store *store, struct bench_error *error)
{
	return store_script(store, store->engine->compact, error);
}

int store_prepare(struct bench_store *store, const char *sql, struct store_statement **statement,
		  struct bench_error *error)
{
	return store->engine->prepare(store, sql, false, statement, error);
}

void store_finish(struct store_statement *statement)
{
	if (statement)
		statement->store->engine->finish(statement);
}

int store_next(struct bench_store *store, struct store_statement *statement, struct bench_error *error)
{
	return store->engine->next(statement, error);
}

static struct store_value value_of(char type, va_list *values)
{
	struct store_value value = {.type = STORE_NULL};
	switch (type) {
	case 't':
		value.data = va_arg(*values, const char *);
		value.type = value.data ? STORE_TEXT : STORE_NULL;
		value.bytes = value.data ? strlen(value.data) : 0;
		break;
	case 'i':
		value.type = STORE_INTEGER;
		value.integer = va_arg(*values, int64_t);
		break;
	case 'r':
		value.real = va_arg(*values, double);
		value.type = isnan(value.real) ? STORE_NULL : STORE_REAL;
		break;
	case 'b':
		value.data = va_arg(*values, const void *);
		value.bytes = va_arg(*values, size_t);
		value.type = value.data ? STORE_BLOB : STORE_NULL;
		break;
	default:
		break;
	}
	return value;
}

static int start(struct bench_store *store, struct store_statement *statement, struct bench_error *error,
		 const char *types, va_list *values)
{
	static const char letters[] = {
		[STORE_INTEGER] = 'i', [STORE_REAL] = 'r', [STORE_TEXT] = 't', [STORE_BLOB] = 'b'};
	struct store_parameter parameters[MOST_PARAMETERS];
	int count = 0;
	for (; types[count] && count < MOST_PARAMETERS; count++) {
		enum store_type declared = STORE_INTEGER;
		while (declared < STORE_BLOB && letters[declared] != types[count])
			declared++;
		parameters[count] = (struct store_parameter){value_of(types[count], values), declared};
	}
	return store_start_with(store, statement, parameters, count, error);
}

int store_start_with(struct bench_store *store, struct store_statement *statement,
		     const struct store_parameter *parameters, int count, struct bench_error *error)
{
	return store->engine->start(statement, parameters, count, error);
}

int store_start(struct bench_store *store, struct store_statement *statement, struct bench_error *error,
		const char *types, ...)
{
	va_list values;
	va_start(values, types);
	int state = start(store, statement, error, types, &values);
	va_end(values);
	return state;
}

static int select_with(struct bench_store *store, struct store_statement **statement,
		       struct bench_error *error, const char *sql, const char *types, va_list *values)
{
	if (store->engine->prepare(store, sql, true, statement, error) != 0)
		return -1;
	return start(store, *statement, error, types, values);
}

int store_select(struct bench_store *store, struct store_statement **statement, struct bench_error *error,
		 const char *sql, const char *types, ...)
{
	va_list values;
	va_start(values, types);
	int state = select_with(store, statement, error, sql, types, &values);
	va_end(values);
	return state;
}

int store_write(struct bench_store *store, struct bench_error *error, const char *sql, const char *types, ...)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	va_list values;
	va_start(values, types);
	int state = select_with(store, &statement, error, sql, types, &values);
	va_end(values);
	return state;
}

int store_number(struct bench_store *store, int64_t *number, struct bench_error *error, const char *sql,
		 const char *types, ...)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	va_list values;
	va_start(values, types);
	int state = select_with(store, &statement, error, sql, types, &values);
	va_end(values);
	if (state == 1)
		*number = store_int(statement, 0);
	return state;
}

int store_write_new(struct bench_store *store, int64_t *id, struct bench_error *error, const char *sql,
		    const char *types, ...)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	va_list values;
	va_start(values, types);
	int state = select_with(store, &statement, error, sql, types, &values);
	va_end(values);
	return store_returned(store, statement, state, id, error);
}

int store_returned(struct bench_store *store, struct store_statement *statement, int state, int64_t *id,
		   struct bench_error *error)
{
	if (state == 0)
		store_damaged(store, "a row that is written is not kept", error);
	if (state != 1)
		return -1;
	*id = store_int(statement, 0);
	return store_next(store, statement, error) == 0 ? 0 : -1;
}

int store_changed(struct bench_store *store, int64_t *count, struct bench_error *error)
{
	return store->engine->changed(store, count, error);
}

int store_texts(struct bench_store *store, struct bench_arena *arena, char ***texts, size_t *count,
		struct bench_error *error, const char *sql, const char *types, ...)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	va_list values;
	*texts = NULL;
	*count = 0;
	va_start(values, types);
	int state = select_with(store, &statement, error, sql, types, &values);
	va_end(values);
	for (; state == 1; state = store_next(store, statement, error))
		BENCH_PUSH(arena, *texts, *count) = store_text(arena, statement, 0);
	return state;
}

int store_script(struct bench_store *store, const char *sql, struct bench_error *error)
{
	return store->engine->script(store, sql, error);
}

int bench_store_begin(struct bench_store *store, struct bench_error *error)
{
	const int status = store->depth ? store_script(store, "SAVEPOINT inside", error)
					: store->engine->begin(store, error);
	store->depth += status == 0;
	return status;
}

int bench_store_end(struct bench_store *store, int status, struct bench_error *error)
{
	struct bench_error ignored;
	bool inner = --store->depth > 0;
	if (status == 0)
		status = store_script(store, inner ? "RELEASE inside" : "COMMIT", error);
	/* Some errors (a full disk) have already rolled it back; a second time does no harm. */
	if (status != 0)
		(void)store_script(store, inner ? "ROLLBACK TO inside; RELEASE inside" : "ROLLBACK",
				   &ignored);
	return status;
}

struct store_value store_column(const struct store_statement *row, int column)
{
	return row->store->engine->column(row, column);
}

int store_columns(const struct store_statement *row)
{
	return row->store->engine->columns(row);
}

int64_t store_int(const struct store_statement *row, int column)
{
	const struct store_value value = store_column(row, column);
	return value.type == STORE_INTEGER ? value.integer : 0;
}

double store_real(const struct store_statement *row, int column)
{
	const struct store_value value = store_column(row, column);
	return value.type == STORE_REAL      ? value.real
	       : value.type == STORE_INTEGER ? (double)value.integer
					     : NAN;
}

const char *store_chars(const struct store_statement *row, int column)
{
	const struct store_value value = store_column(row, column);
	return value.type == STORE_TEXT ? value.data : NULL;
}

char *store_text(struct bench_arena *arena, const struct store_statement *row, int column)
{
	const char *text = store_chars(row, column);
	return bench_arena_string(arena, text ? text : "");
}
