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
	size_t row_count, column_count; /* each row has so many fields */
};

/*
 * Reads a NUL-terminated text: fields separated by tabs, semicolons or commas, by what the first rows have
 * in common, quoted or not (RFC 4180: a quoted field may hold separators and line ends), as many in each row.
 * Lines end with LF, CR LF or CR; a byte order mark, empty lines and comments are passed over. A line that
 * begins with '#' is a comment before the first row, and behind it where it has another number of fields; a
 * table of one column has no fields that begin so. Blanks around a field are not part of it, nor are empty
 * fields at the end of a row part of the table where the first row has none there. `most`: rows,
 * `most_columns`: fields of one. What is kept lies in `arena`. BENCH_ENVIRONMENT, "WHAT: line N: ...".
 */
int bench_csv_read(const char *data, const char *what, size_t most, size_t most_columns,
		   struct bench_arena *arena, struct bench_csv *table, struct bench_error *error);

#endif
