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
 * Reads a NUL-terminated text, which is changed: fields separated by commas, semicolons or tabs, by what the
 * first line has, quoted or not, as many in each line; lines that begin with '#' and empty ones are passed
 * over. Blanks around a field are not part of it. `most`: rows, `most_columns`: fields of one. What is kept
 * lies in `arena`. BENCH_ENVIRONMENT, "WHAT: line N: ...".
 */
int bench_csv_read(char *data, const char *what, size_t most, size_t most_columns, struct bench_arena *arena,
		   struct bench_csv *table, struct bench_error *error);

#endif
