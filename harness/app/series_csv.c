/* Series from CSV: the columns of a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/csv.h"
#include "core/text.h"

struct table {
	struct bench_csv_row *rows;
	size_t row_count, column_count;
	const char **names; /* of the columns */
};

static bool is_missing(const char *field)
{
	static const char *const words[] = {"", "nan", "null", "none", "na", "n/a", "-"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(field, words[i]) == 0)
			return true;
	return false;
}

static bool is_number(const char *field)
{
	double value;
	return bench_text_real(field, &value);
}

/* Is the first row a header: a text over numbers, or the name of what labels rows? */
static bool has_header(const struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++) {
		const char *first = table->rows[0].fields[c];
		if (app_series_label(first) != SERIES_NO_LABEL)
			return true;
		for (size_t r = 1; !is_number(first) && !is_missing(first) && r < table->row_count; r++)
			if (is_number(table->rows[r].fields[c]))
				return true;
	}
	return false;
}

/* Takes a header off the table, or makes names up. */
static void name_columns(struct app_series_reader *reader, struct table *table)
{
	bool header = has_header(table);
	table->names = bench_arena_alloc(reader->arena, table->column_count + 1, sizeof(*table->names));
	for (size_t c = 0; c < table->column_count; c++)
		table->names[c] = header && *table->rows[0].fields[c]
					  ? table->rows[0].fields[c]
					  : bench_arena_format(reader->arena, "column %zu", c + 1);
	table->rows += header;
	table->row_count -= header;
}

/* Is it a column of numbers? One of texts is not; one of numbers with a text among them is an error. */
static int check_column(struct app_series_reader *reader, const struct table *table, size_t column,
			bool *numeric)
{
	const struct bench_csv_row *odd = NULL;
	size_t numbers = 0, texts = 0;
	for (size_t r = 0; r < table->row_count; r++) {
		const char *field = table->rows[r].fields[column];
		if (is_number(field)) {
			numbers++;
		} else if (!is_missing(field)) {
			texts++;
			odd = odd ? odd : &table->rows[r];
		}
	}
	*numeric = numbers > 0 && texts == 0;
	if (odd && numbers > texts)
		return bench_fail(reader->error, BENCH_ENVIRONMENT,
				  "%s: line %zu: '%.60s' in column '%.60s' is no number", reader->what,
				  odd->line, odd->fields[column], table->names[column]);
	return 0;
}

/* "2026-01-01 3f2a" of the first time and the first commit among the columns; NULL: there are none. */
static const char **make_labels(struct app_series_reader *reader, const struct table *table)
{
	const size_t none = table->column_count;
	size_t columns[] = {none, none};
	for (size_t c = table->column_count; c > 0; c--) {
		enum series_label label = app_series_label(table->names[c - 1]);
		if (label != SERIES_NO_LABEL)
			columns[label == SERIES_COMMIT] = c - 1;
	}
	if (columns[0] == none && columns[1] == none)
		return NULL;
	const char **labels = bench_arena_alloc(reader->arena, table->row_count + 1, sizeof(*labels));
	for (size_t r = 0; r < table->row_count; r++) {
		const char *time = columns[0] < none ? table->rows[r].fields[columns[0]] : "";
		const char *commit = columns[1] < none ? table->rows[r].fields[columns[1]] : "";
		labels[r] = bench_arena_format(reader->arena, "%s%s%s", time, *time && *commit ? " " : "",
					       commit);
	}
	return labels;
}

/* The column of texts that names series; the count of columns where there is none. */
static size_t find_names(const struct table *table)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (app_series_names(table->names[c]) && table->row_count > 0 &&
		    !is_number(table->rows[0].fields[c]))
			return c;
	return table->column_count;
}

/* One series, or one for each name among the rows. */
static int add_column(struct app_series_reader *reader, const struct table *table, size_t column,
		      const char *const *labels)
{
	struct app_series_group group = {0};
	size_t names = find_names(table);
	for (size_t r = 0; r < table->row_count; r++) {
		char *const *fields = table->rows[r].fields;
		const char *name = table->names[column];
		char joined[402];
		double value;
		if (names < table->column_count) {
			snprintf(joined, sizeof(joined), "%.300s.%.100s", fields[names], name);
			name = joined;
		}
		if (!bench_text_real(fields[column], &value))
			value = NAN;
		if (app_series_append(reader, &group, name, value, labels ? labels[r] : NULL) != 0)
			return -1;
	}
	return 0;
}

/* The columns of numbers, either those that label rows or the others. */
static int add_columns(struct app_series_reader *reader, const struct table *table, bool labelling,
		       const char *const *labels)
{
	for (size_t c = 0; c < table->column_count; c++) {
		bool numeric;
		if ((app_series_label(table->names[c]) != SERIES_NO_LABEL) != labelling)
			continue;
		if (check_column(reader, table, c, &numeric) != 0 ||
		    (numeric && add_column(reader, table, c, labels) != 0))
			return -1;
	}
	return 0;
}

int app_series_csv(struct app_series_reader *reader, char *data)
{
	struct bench_csv csv;
	size_t before = reader->count;
	if (bench_csv_read(data, reader->what, BENCH_APP_SERIES_VALUES, BENCH_APP_SERIES_MOST, reader->arena,
			   &csv, reader->error) != 0)
		return -1;
	if (csv.row_count == 0)
		return 0;
	struct table table = {csv.rows, csv.row_count, csv.column_count, NULL};
	name_columns(reader, &table);
	const char **labels = make_labels(reader, &table);
	if (add_columns(reader, &table, false, labels) != 0)
		return -1;
	/* A table of "commit,time" has times for its values. */
	return reader->count > before ? 0 : add_columns(reader, &table, true, labels);
}
