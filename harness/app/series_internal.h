/* What the readers of series share: values as they are written, in tables. */
#ifndef BENCH_APP_SERIES_INTERNAL_H
#define BENCH_APP_SERIES_INTERNAL_H

#include "app/series.h"
#include "core/csv.h"
#include "core/unit.h"

/* What is read, and the set that it is appended to. */
struct app_series_reader {
	const char *what; /* the file, in messages */
	struct bench_arena *arena;
	struct bench_app_series_set *set;
	const size_t *lines;  /* of the items of JSON Lines */
	const void *document; /* which are in this array; NULL: it is one document */
	struct bench_error *error;
};

/* Appends "WHAT: ..." to the notes of the set, unless it is there. */
void app_series_note(struct app_series_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A new series of `count` values, which are 0; NULL, with the error, where it is one too many or too long. */
struct bench_app_series *app_series_add(struct app_series_reader *reader, const char *name, size_t count);

/* A name in a document: "runs.sort.time". Not in the arena: a short file has places for gigabytes. */
struct app_place {
	char path[402];
};
/* -1, with the error, where the name would be too long: two series never share a name that was cut. */
int app_series_join(struct app_series_reader *reader, const char *path, const char *name,
		    struct app_place *place);

enum app_cell_kind { APP_CELL_MISSING, APP_CELL_NUMBER, APP_CELL_ODD };

/* A value as it is written. */
struct app_cell {
	size_t row;
	const char *text; /* NULL: a number of JSON */
	const char *unit; /* in the text or beside it; "": none */
	double value;
	enum app_cell_kind kind;
};

struct app_column {
	const char *name;
	struct app_cell *cells; /* by row; a row may have none, or several */
	size_t count;
	const void *source; /* the object that the newest cell is a member of */
	bool is_label;      /* it stands for its rows, whatever it holds */
	enum { APP_DATA, APP_LABEL, APP_NAME, APP_USED } role; /* APP_USED: units of another column */
};

struct app_table {
	const char *path;       /* of its series */
	const char *place_word; /* "line", "item" */
	size_t *places;         /* of the rows */
	size_t row_count;
	struct app_column *columns;
	size_t column_count;
	size_t next; /* the column to look at first */
};

size_t app_table_row(struct app_series_reader *reader, struct app_table *table, size_t place);
/* The column of that name, made where there is none; NULL, with the error, where there are too many. */
struct app_column *app_table_column(struct app_series_reader *reader, struct app_table *table,
				    const char *name);
/* `text`: kept by the caller; NULL: it is the number `value`. */
void app_table_put(struct app_series_reader *reader, struct app_column *column, size_t row, const char *text,
		   double value);

/* What reads a text as a number that is missing: "", "nan", "n/a", "-inf" ... */
bool app_series_is_missing(const char *text);
/* Is the text a number, with or without a unit? `cell` has the text, and gets the rest. */
void app_series_read_cell(struct bench_arena *arena, struct app_cell *cell);

/* Is it the name of what names series: name, metric, benchmark or the like? */
bool app_series_names(const char *name);
/* Is it the name of a date or a commit, beyond doubt? */
bool app_series_is_label_name(const char *name);
bool app_series_is_hash(const char *text); /* hexadecimal, as a commit's */

/* The columns that label the rows; NULL: there is none. */
struct app_labels {
	const struct app_column *time, *commit;
	const double *times; /* of the rows, NaN: not known; NULL: they are no dates, and have no order */
};
/* Finds them, and makes it the role of all columns that are labels by name and content. */
void app_series_find_labels(struct app_series_reader *reader, struct app_table *table,
			    struct app_labels *labels);

/* Adds the series of a table to the reader's, and says what of it is none. */
int app_table_finish(struct app_series_reader *reader, struct app_table *table);

/* A table of texts, in the rows' order, with a header or without. Changes the fields. */
int app_series_fields(struct app_series_reader *reader, const struct bench_csv *csv, const char *path,
		      const char *place_word);
int app_series_csv(struct app_series_reader *reader, const char *data);
int app_series_json(struct app_series_reader *reader, char *data, size_t length); /* changes the data */

#endif
