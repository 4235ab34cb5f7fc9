/* SPDX-License-Identifier: MIT */
#include "store/tables.h"

#include "core/text.h"
#include "store/engine.h"

#define MOST_COLUMNS 20 /* of a table */

#define WHOLE  ""
#define OF_RUN " WHERE run = ?"
#define TABLE(name, condition, order, what, digest)                                                          \
	{#name,                                                                                              \
	 "SELECT * FROM " #name condition " ORDER BY " order,                                                \
	 what,                                                                                               \
	 STORE_DIGEST_##digest,                                                                              \
	 sizeof(condition) > 1,                                                                              \
	 __builtin_strcmp(#name, order) == 0},

const struct store_table store_tables[STORE_TABLE_COUNT] = {STORE_TABLES(TABLE, TABLE)};

int store_put_row(struct bench_store *to, struct store_statement **put, const char *insert, const char *table,
		  const struct store_statement *row, struct bench_error *error)
{
	struct store_parameter values[MOST_COLUMNS];
	const int count = store_columns(row);
	if (!*put) {
		BENCH_SCOPED_TEXT sql = {0};
		bench_text_add(&sql, "%s INTO %s VALUES (?", insert, table);
		for (int i = 1; i < count; i++)
			bench_text_add(&sql, ", ?");
		bench_text_add(&sql, ")");
		const int status = store_prepare(to, sql.data, put, error);
		if (status != 0)
			return -1;
	}
	for (int i = 0; i < count; i++)
		values[i] = (struct store_parameter){store_column(row, i), STORE_NULL};
	return store_start_with(to, *put, values, count, error);
}
