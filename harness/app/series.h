/* SPDX-License-Identifier: MIT */
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
	double *values;            /* oldest first; NaN: missing, or left out */
	const char *const *labels; /* of the values: a time, a commit, or both; NULL: there are none */
	size_t count;
	const char *unit;         /* of the values, in SI, where their cells state one; "" */
	enum bench_better better; /* as the unit of the cells or in the name states; else none */
	size_t lost;              /* values that were left out */
	const char *lost_where;   /* "line 4: 'x', line 9: 'y'": the first of them; "" */
};

/* The series of files. {0}: none. */
struct bench_app_series_set {
	struct bench_app_series *items;
	size_t count;
	const char **notes; /* "FILE: ...": what is not searched, and why; what was turned or left out */
	size_t note_count;
	size_t lost; /* lines and items that were left out and may be of any series */
};

/*
 * Appends the series of a file, in `arena`; `path` "-": of standard input. `column`: only the series of that
 * name (BENCH_USAGE if it does not exist), or NULL: all. What is read, what labels values, in which order
 * they stand, and what is missing, odd or refused: docs/change-points.md.
 *
 * What begins with '[' or '{' is JSON, or JSON Lines, and so is what a script assigns ("NAME = {..};"); all
 * else is CSV. An odd value among numbers is left out, and counted. Series with the same name are different
 * series.
 */
int bench_app_series_read(const char *path, const char *column, struct bench_arena *arena,
			  struct bench_app_series_set *set, struct bench_error *error);

/* The same from memory, for all series; `what` names it in messages. */
int bench_app_series_parse(const char *data, size_t length, const char *what, struct bench_arena *arena,
			   struct bench_app_series_set *set, struct bench_error *error);

struct bench_app_series_options {
	double least;   /* changes of less are left out: 0.05 is a factor of 1.05 */
	double alpha;   /* the chance of any false change over all series together */
	bool linear;    /* values as they are, not their logarithms */
	bool as_stated; /* `better` is what each series states, else from the options */
	enum bench_better better;
};

/* Has it values enough for two levels? Others have no change, and take no share of alpha. */
bool bench_app_series_is_searched(const struct bench_app_series *series);

/*
 * The changes of all series, in their order; index: the row. A series with a value of 0 or less is searched
 * without logarithms, and so is every series if `linear`; `least` is then a share of the median.
 * *linear_count: how many were without being asked. Returns how many changes; in `arena`.
 */
size_t bench_app_series_changes(const struct bench_app_series *series, size_t count,
				const struct bench_app_series_options *options, struct bench_arena *arena,
				struct bench_change **changes, size_t *linear_count);

#endif
