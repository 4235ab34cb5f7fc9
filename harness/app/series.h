/*
 * Series of values from files: CSV and JSON of any origin. Untrusted: sizes are bounded, and an error names
 * the file and the line or the member. BENCH_ENVIRONMENT where a file cannot be read or understood,
 * BENCH_NOTHING where it has no values.
 */
#ifndef BENCH_APP_SERIES_H
#define BENCH_APP_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "compare/changes.h"
#include "core/arena.h"

#define BENCH_APP_SERIES_BYTES  ((size_t)8 << 20) /* of a file */
#define BENCH_APP_SERIES_VALUES 10000             /* of a series: the search takes time in count^2 */
#define BENCH_APP_SERIES_MOST   2000              /* series of a file; columns, too */

struct bench_app_series {
	const char *name;
	double *values;            /* NaN: missing */
	const char *const *labels; /* of the values: a time, a commit, or both; NULL: there are none */
	size_t count;
};

/*
 * Reads the series of a file; `path` "-": of standard input. What begins with '[' or '{' is JSON, all else
 * CSV. `column`: only the series of that name (BENCH_USAGE where there is none), or NULL: all. They are
 * appended to *series, in `arena`.
 *
 * CSV: fields separated by commas, semicolons or tabs, quoted or not, as many in each line; lines that begin
 * with '#' and empty ones are passed over. Columns named time, date, timestamp, commit, revision, sha, hash,
 * version, build, run, started or index (in any case) label the rows, unless no other column has numbers. A
 * column of texts named name, metric, benchmark or test makes a series of each of its names; other columns of
 * texts are passed over. A first line with such a name, or with a text over numbers, is a header. Empty
 * fields, "nan", "null", "none", "na", "n/a" and "-" are missing values.
 *
 * JSON: arrays of numbers (null: missing) are series, wherever they are, and arrays of pairs [label, number].
 * An array of objects has a series for each member that is a number, and for each name among them.
 * Arrays or members of the names above label the values beside them. What begins with "expected" is no
 * series. A series is named by the path to it.
 */
int bench_app_series_read(const char *path, const char *column, struct bench_arena *arena,
			  struct bench_app_series **series, size_t *count, struct bench_error *error);

/* The same from memory, for all series; `what` names it in messages. */
int bench_app_series_parse(const char *data, size_t length, const char *what, struct bench_arena *arena,
			   struct bench_app_series **series, size_t *count, struct bench_error *error);

struct bench_app_series_options {
	double least; /* changes of less are left out: 0.05 is a factor of 1.05 */
	double alpha; /* the chance of any false change over all series together */
	bool linear;  /* values as they are, not their logarithms */
	enum bench_better better;
};

/*
 * The changes of all series, in their order; index: that of the row. A series with a value that is not above
 * 0 is searched as it is, without logarithms, and so is each where `linear`; `least` is then a part of the
 * series' median. *linear_count: how many were without being asked. Returns how many changes; in `arena`.
 */
size_t bench_app_series_changes(const struct bench_app_series *series, size_t count,
				const struct bench_app_series_options *options, struct bench_arena *arena,
				struct bench_change **changes, size_t *linear_count);

#endif
