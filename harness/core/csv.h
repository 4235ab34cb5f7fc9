/* SPDX-License-Identifier: MIT */
/* Tables of text: comma-separated values and the like. From outside: sizes are bounded. */
#ifndef BENCH_CORE_CSV_H
#define BENCH_CORE_CSV_H

#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"

struct bench_csv_row {
	size_t line; /* in the file, from 1 */
	char **fields;
};

struct bench_csv {
	char separator;
	struct bench_csv_row *rows;
	size_t row_count, column_count; /* column_count: fields of each row */
};

/*
 * Reads a NUL-terminated text with the same number of fields in each row. Tabs, semicolons or commas separate
 * them, as the first rows suggest. A field may be quoted, and then hold separators and line ends (RFC 4180).
 * Lines end with LF, CR LF or CR; a byte order mark, empty lines and comments are skipped. A line that begins
 * with '#' is a comment before the first row, and after it if it has another number of fields. In a table of
 * one column, no field begins with '#'. Blanks around a field do not belong to it. Empty fields at the end of
 * a row are dropped if the first row has none there. `most`: rows, `most_columns`: fields of one. What is
 * kept lies in `arena`. BENCH_ENVIRONMENT, "WHAT: line N: ...".
 */
int bench_csv_read(const char *data, const char *what, size_t most, size_t most_columns,
		   struct bench_arena *arena, struct bench_csv *table, struct bench_error *error);

#endif
