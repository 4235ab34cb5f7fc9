/* What the readers of series share. */
#ifndef BENCH_APP_SERIES_INTERNAL_H
#define BENCH_APP_SERIES_INTERNAL_H

#include "app/series.h"

/* What is read, and the list that it is appended to. */
struct app_series_reader {
	const char *what; /* the file, in messages */
	struct bench_arena *arena;
	struct bench_app_series *series;
	size_t count;
	struct bench_error *error;
};

/* The kinds of names that label rows: neither, a time, or a commit or the like. */
enum series_label { SERIES_NO_LABEL, SERIES_TIME, SERIES_COMMIT };
enum series_label app_series_label(const char *name);

/* A new series without values; NULL, with the error, where there are too many. Copies the name. */
struct bench_app_series *app_series_add(struct app_series_reader *reader, const char *name);
/* Appends a value; -1, with the error, where there are too many. */
int app_series_push(struct app_series_reader *reader, struct bench_app_series *series, double value);

/* Series that grow side by side, each by its name. {0}: none yet. */
struct app_series_group {
	struct app_series_growing {
		size_t index; /* of the series in the reader */
		const char **labels;
		size_t label_count;
	} * members;
	size_t count;
};
/* Appends a value to the series of that name, and a label unless that is NULL: for all of its values, or for
 * none. */
int app_series_append(struct app_series_reader *reader, struct app_series_group *group, const char *name,
		      double value, const char *label);

/* Is it the name of what names series: name, metric, benchmark or test? */
bool app_series_names(const char *name);

int app_series_csv(struct app_series_reader *reader, char *data); /* in place */
int app_series_json(struct app_series_reader *reader, const char *data, size_t length);

#endif
