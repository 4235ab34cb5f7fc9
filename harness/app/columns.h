/* SPDX-License-Identifier: MIT */
/* Several runs, branches or backends side by side. */
#ifndef BENCH_APP_COLUMNS_H
#define BENCH_APP_COLUMNS_H

#include "app/measure.h"
#include "compare/columns.h"

struct bench_app_columns_request {
	/* As bench_app_load_run has them, or LABEL=VALUE, a branch or a commit: its newest run. */
	const char *const *names;
	size_t count;
	const char *baseline; /* with fewer than two names: the first column, as in bench_app_compare */
	const char *by;       /* as in bench_compare_columns_cut; NULL: each name is a column */
	bool means;           /* geometric means, too */
};

/*
 * Each column as bench_app_compare judges it with the first one, or as the runs cut by a key. BENCH_USAGE for
 * a name or key that is none or stands there twice, BENCH_NOTHING without anything to compare. The caller
 * frees with bench_compare_columns_free, also after a failure.
 */
int bench_app_columns(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_app_columns_request *request,
		      const struct bench_compare_options *options, struct bench_columns *columns,
		      struct bench_error *error);

#endif
