/*
 * Series of values from files: CSV and JSON of any origin. Untrusted: sizes are bounded, and an error names
 * the file and the line or the member. BENCH_ENVIRONMENT where a file cannot be read or understood,
 * BENCH_NOTHING where it has no values.
 */
#ifndef BENCH_APP_SERIES_H
#define BENCH_APP_SERIES_H

#include <stddef.h>

#include "bench/error.h"
#include "compare/changes.h"
#include "core/arena.h"

#define BENCH_APP_SERIES_BYTES  ((size_t)64 << 20) /* of a file */
#define BENCH_APP_SERIES_VALUES 20000              /* of a series: the search takes time in count^2 */
#define BENCH_APP_SERIES_MOST   10000              /* series of a file, with as many columns */

struct bench_app_series {
	const char *name;
	double *values;      /* NaN: missing */
	const char **labels; /* of the rows: a time, a commit, or both; NULL: there are none */
	size_t count;
};

/*
 * Reads all of a file; `path` "-": of standard input. What begins with '[' or '{' is JSON, all else CSV.
 *
 * CSV: separated by commas, semicolons or tabs, fields quoted or not; lines that begin with '#' are passed
 * over. A first line in which a field is no number is a header. Columns named time, date, timestamp, commit,
 * revision, sha, hash, version, build or run (in any case), and those with texts, are no series; the first
 * time or date, and the first commit or the like, label the rows. Empty fields, "nan", "null", "none" and "na"
 * are missing values.
 *
 * JSON: an array of numbers (null: missing); or an object, or an array of objects, in which arrays of
 * numbers are the series, named by the path to them (a member "name" or "metric" stands for an index). A
 * member "time" or "commit" (and the other names above) beside them, of as many items, labels their values,
 * and members whose name begins with "expected" are no series. In an array of objects the numbers of one name
 * are a series, too: [{"time": ..., "value": 1}, ...].
 *
 * column: only the series of that name, or NULL. Series are appended to *series, in `arena`.
 */
int bench_app_series_read(const char *path, const char *column, struct bench_arena *arena,
			  struct bench_app_series **series, size_t *count, struct bench_error *error);

/* As read, from memory; `what` names it in messages. */
int bench_app_series_parse(const char *data, size_t length, const char *what, struct bench_arena *arena,
			   struct bench_app_series **series, size_t *count, struct bench_error *error);

struct bench_app_series_options {
	double least; /* changes of less are left out: 0.05 is a factor of 1.05 */
	double alpha; /* the chance of any false change over all series together */
	bool linear;  /* values as they are, not their logarithms */
	enum bench_better better;
};

/*
 * The changes of all series, in their order. A series with a value that is not above 0 is searched as it is,
 * without logarithms, and so is each where `linear`: least is then a part of the old level's size. *linear:
 * how many were that needed it, without being asked. Returns how many changes; in `arena`.
 */
size_t bench_app_series_changes(const struct bench_app_series *series, size_t count,
				const struct bench_app_series_options *options, struct bench_arena *arena,
				struct bench_change **changes, size_t *linear);

#endif
