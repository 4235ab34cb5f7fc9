/* SPDX-License-Identifier: MIT */
#include "core/csv.h"

#include <stdbool.h>
#include <string.h>

#include "core/text.h"

struct reader {
	const char *what;
	size_t most_columns;
	struct bench_arena *arena;
	struct bench_error *error;
	const char *at;
	size_t line; /* of `at` */
	struct bench_csv *table;
};

/* A field as it is in the text, without its quotes. */
struct span {
	const char *start;
	size_t length;
	bool quoted;
};

static bool is_blank(char c, char separator)
{
	return (c == ' ' || c == '\t') && c != separator;
}

static bool ends_field(char c, char separator)
{
	return !c || c == separator || c == '\n' || c == '\r';
}

static struct span trim(struct span field, char separator)
{
	for (; field.length > 0 && is_blank(*field.start, separator); field.start++)
		field.length--;
	while (field.length > 0 && is_blank(field.start[field.length - 1], separator))
		field.length--;
	return field;
}

/* Moves *at over a field, to what ends it. Returns what is wrong with it, or NULL. */
static const char *take_field(const char **at, char separator, struct span *field)
{
	const char *start = *at;
	while (is_blank(*start, separator))
		start++;
	const char *end = start;
	if (*start != '"') {
		while (!ends_field(*end, separator))
			end++;
		*field = trim((struct span){start, (size_t)(end - start), false}, separator);
		*at = end;
		return NULL;
	}
	for (end = ++start; *end && (*end != '"' || end[1] == '"'); end++)
		end += *end == '"';
	if (!*end)
		return "a quote is not closed";
	*field = trim((struct span){start, (size_t)(end - start), true}, separator);
	for (end++; is_blank(*end, separator);)
		end++;
	*at = end;
	return ends_field(*end, separator) ? NULL : "text behind a closed quote";
}

/* How many fields the row at `at` has; 0 if there is no row. *next: behind it. */
static size_t count_fields(const char *at, char separator, const char **next)
{
	struct span field;
	for (size_t count = 1;; count++) {
		if (take_field(&at, separator, &field) != NULL)
			return 0;
		*next = at;
		if (!*at || *at != separator)
			return count;
		at++;
	}
}

/*
 * The first of tab, semicolon and comma that gives the first two rows equally many fields. Else the first
 * that occurs in the first row; else a comma. The comma comes last since it may be a decimal comma.
 */
static char find_separator(const char *row)
{
	static const char separators[] = "\t;,";
	char found = '\0';
	for (const char *separator = separators; *separator; separator++) {
		const char *next;
		const size_t count = count_fields(row, *separator, &next);
		if (count < 2)
			continue;
		next += strspn(next, "\r\n");
		if (count_fields(next, *separator, &next) == count)
			return *separator;
		found = found ? found : *separator;
	}
	return found ? found : ',';
}

/* Moves the reader to `end`. */
static void move(struct reader *reader, const char *end)
{
	for (; reader->at < end; reader->at++)
		reader->line += *reader->at == '\n' || (*reader->at == '\r' && reader->at[1] != '\n');
}

/* Passes over empty lines and comments. */
static void skip(struct reader *reader)
{
	const struct bench_csv *table = reader->table;
	for (const char *next; *reader->at;) {
		const size_t blanks = strspn(reader->at, " \t");
		const bool comment = *reader->at == '#' &&
				     (table->column_count < 2 || count_fields(reader->at, table->separator,
									      &next) != table->column_count);
		if (!comment && !ends_field(reader->at[blanks], '\n'))
			return;
		const char *end = reader->at + (comment ? strcspn(reader->at, "\r\n") : blanks);
		move(reader, end + (*end != '\0'));
	}
}

static char *copy(const struct reader *reader, struct span field)
{
	char *text = bench_arena_alloc(reader->arena, field.length + 1, 1), *to = text;
	for (size_t i = 0; i < field.length; i++) {
		*to++ = field.start[i];
		i += field.quoted && field.start[i] == '"';
	}
	return text;
}

/* The fields of the row at the reader. */
static int take_row(struct reader *reader, struct bench_csv_row *row, size_t *count)
{
	const char separator = reader->table->separator, *at = reader->at;
	*row = (struct bench_csv_row){.line = reader->line};
	for (*count = 0;; at++) {
		struct span field;
		const char *fault = take_field(&at, separator, &field);
		if (fault)
			return bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: line %zu: %s", reader->what,
					  row->line, fault);
		if (*count >= reader->most_columns)
			return bench_fail(reader->error, BENCH_ENVIRONMENT,
					  "%s: line %zu: more than %zu columns", reader->what, row->line,
					  reader->most_columns);
		BENCH_PUSH(reader->arena, row->fields, *count) = copy(reader, field);
		if (!*at || *at != separator)
			break;
	}
	move(reader, at + (*at != '\0'));
	return 0;
}

/* Gives the row as many fields as the first one has, where it is no more than empty ones at the end that
 * differ: a separator may end lines. */
static int fit(const struct reader *reader, struct bench_csv_row *row, size_t count)
{
	const struct bench_csv *table = reader->table;
	size_t fitted = count;
	while (fitted > table->column_count && !*row->fields[fitted - 1])
		fitted--;
	while (fitted < table->column_count && !*table->rows[0].fields[fitted])
		BENCH_PUSH(reader->arena, row->fields, fitted) = bench_arena_string(reader->arena, "");
	if (fitted == table->column_count)
		return 0;
	return bench_fail(reader->error, BENCH_ENVIRONMENT,
			  "%s: line %zu has %zu field%s, and line %zu has %zu", reader->what, row->line,
			  count, bench_text_plural(count), table->rows[0].line, table->column_count);
}

int bench_csv_read(const char *data, const char *what, size_t most, size_t most_columns,
		   struct bench_arena *arena, struct bench_csv *table, struct bench_error *error)
{
	struct reader reader = {what, most_columns, arena, error, data, 1, table};
	*table = (struct bench_csv){0};
	if (strncmp(data, "\xef\xbb\xbf", 3) == 0)
		reader.at += 3;
	for (skip(&reader); *reader.at; skip(&reader)) {
		struct bench_csv_row row;
		size_t count;
		if (table->row_count == 0)
			table->separator = find_separator(reader.at);
		if (take_row(&reader, &row, &count) != 0)
			return -1;
		if (table->row_count == 0)
			table->column_count = count;
		else if (fit(&reader, &row, count) != 0)
			return -1;
		if (table->row_count > most)
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: line %zu: more than %zu rows: cut the file", what, row.line,
					  most);
		BENCH_PUSH(arena, table->rows, table->row_count) = row;
	}
	return 0;
}
