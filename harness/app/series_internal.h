/* SPDX-License-Identifier: MIT */
/* What the readers of series share: tables of values as they are written. */
#ifndef BENCH_APP_SERIES_INTERNAL_H
#define BENCH_APP_SERIES_INTERNAL_H

#include <stdint.h>

#include "app/series.h"

/* What is read, and the set that it is appended to. */
struct app_series_reader {
	const char *what; /* the file, in messages */
	struct bench_arena *arena;
	struct bench_app_series_set *set;
	struct bench_error *error;
};

/* Appends "WHAT: ..." to the notes of the set, unless it is there. */
void app_series_note(struct app_series_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A name in a document: "runs.sort.time". Not in the arena: a short file has places for gigabytes. */
struct app_place {
	char path[402];
};
/* -1, with the error, where the name would be too long: two series never share a name that was cut. `path`
 * may be that of `place`. */
int app_series_join(struct app_series_reader *reader, const char *path, const char *name,
		    struct app_place *place);

enum app_cell_kind { APP_CELL_MISSING, APP_CELL_NUMBER, APP_CELL_ODD };

/* A value as it is written. */
struct app_cell {
	size_t row;
	const char *text; /* NULL: a number of JSON */
	const char *unit; /* in the text or next to it; "": none */
	double value;
	enum app_cell_kind kind;
};

/* Reads `text`, or the number `value` where it is NULL. */
struct app_cell app_series_read_cell(struct bench_arena *arena, const char *text, double value);

struct app_column {
	const char *name;
	struct app_cell *cells; /* by row, which may have none */
	size_t count;
	size_t named; /* cells that have named their rows */
	bool is_text; /* half or more of its values are texts; app_series_find_labels */
	enum { APP_DATA, APP_LABEL, APP_NAME, APP_UNIT } role;
};

#define APP_NO_ROW SIZE_MAX

/*
 * A line of CSV, an item of an array, or an item of a list in such a row. Labels and names of the outer row
 * hold for the inner one.
 */
struct app_row {
	size_t outer; /* which is before it; APP_NO_ROW: none */
	size_t place; /* line or item, from 1 */
	/* The list of which it is an item that has a name or, where `place` is not 0, a number; NULL: it is
	 * of the series of its outer row. Names of the row's columns begin with it. */
	const char *path;
};

struct app_table {
	struct app_series_reader *reader;
	const char *path;       /* of its series */
	const char *place_word; /* "line", "item" */
	struct app_row *rows;
	size_t row_count;
	struct app_column *columns;
	size_t column_count;
	size_t next; /* the column to look at first */
};

size_t app_table_row(struct app_table *table, size_t outer, size_t place, const char *path);
/* The column of that name, added if missing; NULL, with the error, if there are too many. */
struct app_column *app_table_column(struct app_table *table, const char *name);
/* Adds a cell. -1, with the error, where the column has one of the row `since` or later. */
int app_table_put(struct app_table *table, const char *name, size_t since, size_t row, const char *text,
		  double value);
/* The place of the outermost row. */
size_t app_table_place(const struct app_table *table, size_t row);

/* Is it the name of a date or a commit, beyond doubt? */
bool app_series_is_label_name(const char *name);
bool app_series_is_hash(const char *text); /* hexadecimal, as a commit's */
/* Is it the name of what names series: name, metric, benchmark or the like? */
bool app_series_is_name(const char *name);

/* The columns that label the rows; NULL: there is none. */
struct app_labels {
	const struct app_column *time, *commit;
	const double *times; /* of the rows, NaN: not known; NULL: not dates, so without an order */
};
/* Finds them, and makes it the role of all columns that are labels by name and content. */
void app_series_find_labels(struct app_table *table, struct app_labels *labels);

/* Adds the series of a table to the reader's, and notes what is not a series. */
int app_table_finish(struct app_table *table);

int app_series_csv(struct app_series_reader *reader, const char *data);
int app_series_json(struct app_series_reader *reader, char *data, size_t length); /* changes the data */

#endif
