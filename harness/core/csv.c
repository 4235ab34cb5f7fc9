#include "core/csv.h"

#include <stdbool.h>
#include <string.h>

struct reader {
	const char *what;
	size_t most_columns;
	struct bench_arena *arena;
	struct bench_error *error;
};

/* The next line, ended in place; NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest;
	if (!*line)
		return NULL;
	size_t length = strcspn(line, "\n");
	*rest = line + length + (line[length] == '\n');
	line[length] = '\0';
	if (length > 0 && line[length - 1] == '\r')
		line[length - 1] = '\0';
	return line;
}

/* The first of the separators that the line has outside of quotes; a comma where it has none. */
static char find_separator(const char *line)
{
	bool quoted = false;
	for (; *line; line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (!quoted && strchr(",;\t", *line))
			return *line;
	}
	return ',';
}

static char *trim(char *text)
{
	while (*text == ' ')
		text++;
	for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
		text[length - 1] = '\0';
	return text;
}

/* A quoted field, unquoted in place; *rest is moved to its closing quote's next. NULL: it is not closed. */
static char *unquote(char **rest)
{
	char *field = *rest + 1, *to = field, *from = field;
	for (; *from; from++) {
		if (*from == '"' && *++from != '"') {
			*rest = from;
			*to = '\0';
			return field;
		}
		*to++ = *from;
	}
	return NULL;
}

/* The fields of a line, ended in place, pushed to the row. */
static int split(const struct reader *reader, const struct bench_csv *table, char *line,
		 struct bench_csv_row *row, size_t *count)
{
	*count = 0;
	for (bool more = true; more;) {
		char *field = line + strspn(line, " ");
		char *end = field;
		if (*field == '"') {
			field = unquote(&end);
			if (!field)
				return bench_fail(reader->error, BENCH_ENVIRONMENT,
						  "%s: line %zu: a quote is not closed", reader->what,
						  row->line);
			end += strspn(end, " ");
			if (*end && *end != table->separator)
				return bench_fail(reader->error, BENCH_ENVIRONMENT,
						  "%s: line %zu: text behind a closed quote", reader->what,
						  row->line);
		} else {
			while (*end && *end != table->separator)
				end++;
		}
		more = *end == table->separator && *end;
		*end = '\0';
		line = end + 1;
		if (*count >= reader->most_columns)
			return bench_fail(reader->error, BENCH_ENVIRONMENT,
					  "%s: line %zu: more than %zu columns", reader->what, row->line,
					  reader->most_columns);
		*(char **)bench_arena_push(reader->arena, &row->fields, count, sizeof(char *)) =
			bench_arena_string(reader->arena, trim(field));
	}
	return 0;
}

int bench_csv_read(char *data, const char *what, size_t most, size_t most_columns, struct bench_arena *arena,
		   struct bench_csv *table, struct bench_error *error)
{
	const struct reader reader = {what, most_columns, arena, error};
	size_t line_number = 0;
	*table = (struct bench_csv){0};
	for (char *line; (line = next_line(&data));) {
		struct bench_csv_row row = {.line = ++line_number};
		size_t count;
		if (*line == '#' || !line[strspn(line, " \t")])
			continue;
		if (table->row_count == 0)
			table->separator = find_separator(line);
		if (split(&reader, table, line, &row, &count) != 0)
			return -1;
		if (table->row_count == 0)
			table->column_count = count;
		if (count != table->column_count)
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: line %zu has %zu field%s, and line %zu has %zu", what,
					  row.line, count, count == 1 ? "" : "s", table->rows[0].line,
					  table->column_count);
		if (table->row_count > most)
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: line %zu: more than %zu rows: cut the file", what, row.line,
					  most);
		*(struct bench_csv_row *)bench_arena_push(arena, &table->rows, &table->row_count,
							  sizeof(row)) = row;
	}
	return 0;
}
