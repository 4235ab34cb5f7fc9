/* SPDX-License-Identifier: MIT */
/* Series from CSV: the columns of a table. */
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/csv.h"
#include "core/unit.h"

/* Is the first row a header: a text over numbers, or the name of what labels rows? */
static bool has_header(struct app_series_reader *reader, const struct bench_csv *csv)
{
	for (size_t i = 0; i < csv->row_count * csv->column_count; i++) {
		const char *first = csv->rows[0].fields[i % csv->column_count];
		const char *field = csv->rows[i / csv->column_count].fields[i % csv->column_count];
		if (app_series_is_label_name(first) || strcasecmp(first, "time") == 0)
			return true;
		if (!app_series_is_hash(first) &&
		    app_series_read_cell(reader->arena, first, 0).kind == APP_CELL_ODD &&
		    app_series_read_cell(reader->arena, field, 0).kind == APP_CELL_NUMBER)
			return true;
	}
	return false;
}

/* The name of a column, which no column before it has. */
static const char *name_column(struct app_series_reader *reader, char *const *names, size_t column)
{
	size_t first = 0;
	while (strcmp(names[first], names[column]) != 0)
		first++;
	if (first == column)
		return names[column];
	const char *name = bench_arena_format(reader->arena, "%s (column %zu)", names[column], column + 1);
	app_series_note(reader, "several columns are called '%.60s': one is '%.60s'", names[column], name);
	return name;
}

/* How a field writes its number, with a unit or without. */
enum mark {
	MARK_NONE,   /* it is whole, or no number */
	MARK_POINT,  /* "1.5" */
	MARK_COMMA,  /* "1,5" */
	MARK_EITHER, /* "1,234": a decimal comma, or thousands */
	MARK_GROUPS, /* "1,234.5", "1 234 567" */
	MARKS
};

static const char digits[] = "0123456789";

/* The length of what may stand between groups of three digits; 0: it may not. */
static size_t between_groups(const char *at)
{
	static const char *const signs[] = {",", ".", "'", "_", " ", "\xc2\xa0", "\xe2\x80\xaf"};
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strncmp(at, signs[i], strlen(signs[i])) == 0 &&
		    strspn(at + strlen(signs[i]), digits) == 3)
			return strlen(signs[i]);
	return 0;
}

static enum mark find_mark(const char *field)
{
	const char *at = field + (*field == '-' || *field == '+');
	const size_t lead = strspn(at, digits);
	const bool zero = *at == '0';
	char between = '\0', point = '\0';
	size_t groups = 0, length;
	struct bench_unit unit;
	at += lead;
	for (; lead > 0 && lead <= 3 && (length = between_groups(at)) && (!between || *at == between);
	     groups++) {
		between = *at;
		at += length + 3;
	}
	if ((*at == '.' || *at == ',') && *at != between) {
		point = *at;
		at += 1 + strspn(at + 1, digits);
	}
	if (lead == 0 && (!point || at[-1] == point))
		return MARK_NONE;
	if ((*at == 'e' || *at == 'E') && strspn(at + 1, "+-0123456789") > 0)
		at += 1 + strspn(at + 1, "+-0123456789");
	at += strspn(at, " ");
	if (*at && !bench_unit_parse(at, &unit))
		return MARK_NONE;
	if (groups == 0)
		return point == ',' ? MARK_COMMA : point == '.' ? MARK_POINT : MARK_NONE;
	if (groups > 1 || point || !strchr(".,", between))
		return MARK_GROUPS;
	return between == '.' ? MARK_POINT : zero ? MARK_COMMA : MARK_EITHER;
}

/* Makes points of decimal commas, where all fields have them and no separator is one; else refuses them. */
static int take_decimal_commas(struct app_series_reader *reader, const struct bench_csv *csv)
{
	static const char *const refusals[MARKS] = {
		[MARK_COMMA] = "has a decimal comma: write all numbers with a point",
		[MARK_EITHER] = "has a decimal comma or a thousands separator: write it with a point",
		[MARK_GROUPS] = "has a thousands separator: write it without"};
	const char *first[MARKS] = {NULL};
	size_t lines[MARKS] = {0};
	for (size_t i = 0; i < csv->row_count * csv->column_count; i++) {
		const struct bench_csv_row *row = &csv->rows[i / csv->column_count];
		const char *field = row->fields[i % csv->column_count];
		const enum mark mark = find_mark(field);
		lines[mark] = first[mark] ? lines[mark] : row->line;
		first[mark] = first[mark] ? first[mark] : field;
	}
	const enum mark comma = first[MARK_COMMA] ? MARK_COMMA : MARK_EITHER;
	const enum mark worst = first[MARK_GROUPS] ? MARK_GROUPS : comma;
	if (first[worst] && (worst != MARK_COMMA || csv->separator == ',' || first[MARK_POINT]))
		return bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: line %zu: '%.60s' %s", reader->what,
				  lines[worst], first[worst], refusals[worst]);
	for (size_t i = 0; first[worst] && i < csv->row_count * csv->column_count; i++) {
		char *field = csv->rows[i / csv->column_count].fields[i % csv->column_count];
		const enum mark mark = find_mark(field);
		if (mark == MARK_COMMA || mark == MARK_EITHER)
			*strchr(field, ',') = '.';
	}
	return 0;
}

int app_series_csv(struct app_series_reader *reader, const char *data)
{
	struct bench_csv csv;
	struct app_table table = {.reader = reader, .path = "", .place_word = "line"};
	if (bench_csv_read(data, reader->what, BENCH_APP_SERIES_VALUES, BENCH_APP_SERIES_MOST, reader->arena,
			   &csv, reader->error) != 0 ||
	    take_decimal_commas(reader, &csv) != 0)
		return -1;
	const bool header = csv.row_count > 0 && has_header(reader, &csv);
	const char **names = bench_arena_alloc(reader->arena, csv.column_count + 1, sizeof(*names));
	for (size_t c = 0; c < csv.column_count; c++)
		names[c] = header && *csv.rows[0].fields[c]
				   ? name_column(reader, csv.rows[0].fields, c)
				   : bench_arena_format(reader->arena, "column %zu", c + 1);
	for (size_t r = header; r < csv.row_count; r++) {
		const size_t row = app_table_row(&table, APP_NO_ROW, csv.rows[r].line, NULL);
		for (size_t c = 0; c < csv.column_count; c++)
			if (app_table_put(&table, names[c], row, row, csv.rows[r].fields[c], 0) != 0)
				return -1;
	}
	return app_table_finish(&table);
}
