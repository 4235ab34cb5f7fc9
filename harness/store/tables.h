/* SPDX-License-Identifier: MIT */
/* The tables of a history in the newest schema: they are listed here, and nowhere else. */
#ifndef BENCH_STORE_TABLES_H
#define BENCH_STORE_TABLES_H

#include "store/sql.h"

/*
 * T(name, condition, order, what, digest), and FIRST for the first. A table comes after those that it refers
 * to. OF_RUN: there are many rows, and they are copied run by run. Ordered by a column of the table's name,
 * its rows have numbers. `what`: what people call the rows; NULL: they are a part of a run.
 */
#define STORE_TABLES(FIRST, T)                                                                               \
	FIRST(host, WHOLE, "host", NULL, RUN)                                                                \
	T(device, WHOLE, "device", NULL, RUN)                                                                \
	T(head, WHOLE, "head", NULL, RUN)                                                                    \
	T(method, WHOLE, "method", NULL, RUN)                                                                \
	T(metric_key, WHOLE, "metric_key", NULL, RUN)                                                        \
	T(run, WHOLE, "run", NULL, RUN)                                                                      \
	T(result, OF_RUN, "result", NULL, RUN)                                                               \
	T(metric, OF_RUN, "metric_key", NULL, RUN)                                                           \
	T(baseline, WHOLE, "baseline", "baselines", BASELINES)                                               \
	T(baseline_run, WHOLE, "baseline, run", "runs of baselines", BASELINES)                              \
	T(verdict, OF_RUN, "baseline, key", "verdicts", VERDICTS)                                            \
	T(accepted, WHOLE, "accepted", "accepted", ACCEPTED)                                                 \
	T(tuning, WHOLE, "tuning", "tuning", TUNING)                                                         \
	T(alarm, WHOLE, "alarm", "alarms", ALARMS)                                                           \
	T(alarm_metric, WHOLE, "alarm, key", "metrics of alarms", ALARMS)                                    \
	T(anchor, WHOLE, "anchor", "anchors", ANCHORS)                                                       \
	T(anchor_level, WHOLE, "anchor, key", "levels of anchors", ANCHORS)                                  \
	T(digest, WHOLE, "kind, id, baseline", NULL, RUN)

#define STORE_TABLE_FIRST(name, ...) #name
#define STORE_TABLE_NEXT(name, ...)  ", " #name
/* "host, device, ..." */
#define STORE_TABLE_NAMES STORE_TABLES(STORE_TABLE_FIRST, STORE_TABLE_NEXT)

#define STORE_TABLE_ID(name, ...) STORE_TABLE_##name,
enum { STORE_TABLES(STORE_TABLE_ID, STORE_TABLE_ID) STORE_TABLE_COUNT };

struct store_table {
	const char *name;
	const char *select; /* all columns and rows, or those of run ? */
	const char *what;   /* NULL: a part of a run */
	enum store_digest digest;
	bool of_run, numbered;
};
extern const struct store_table store_tables[STORE_TABLE_COUNT];

/*
 * Puts the row at hand into a table of another history. *put: the statement that does it; NULL: it is made
 * here, `insert` ("INSERT", "INSERT OR IGNORE") all columns as they are. The caller finishes it. 0 or -1.
 */
int store_put_row(struct bench_store *to, struct store_statement **put, const char *insert, const char *table,
		  const struct store_statement *row, struct bench_error *error);

#endif
