/* Is the database whole? */
#include "store/sql.h"

int bench_store_check(struct bench_store *store, struct bench_error *error)
{
	sqlite3_stmt *statement = NULL;
	/* Checks every page and row, but not each index entry against its row: about a second for a gigabyte.
	 */
	int status = store_select(store, &statement, error, "PRAGMA quick_check(1)", "");
	const char *answer = status == 1 ? (const char *)sqlite3_column_text(statement, 0) : NULL;
	if (status == 1 && answer && sqlite3_stricmp(answer, "ok") == 0)
		status = 0;
	else if (status >= 0)
		status = bench_fail(error, BENCH_ENVIRONMENT, "database '%s': damaged: %s", store->path,
				    answer ? answer : "it gives no answer");
	sqlite3_finalize(statement);
	return status;
}
