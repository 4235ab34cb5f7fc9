/* SPDX-License-Identifier: MIT */
/* A history as a folder of pages: what 'bench report' does. */
#ifndef BENCH_APP_REPORT_H
#define BENCH_APP_REPORT_H

#include <limits.h>

#include "app/changepoints.h"
#include "app/measure.h"
#include "compare/compare.h"
#include "report/html/html.h"

struct bench_app_report_request {
	struct bench_app_places places;
	const char *folder; /* where the pages go */
	size_t runs;        /* how many of the newest have a page */
	const char
		*baseline; /* of runs whose comparison nobody has kept: as bench_app_baseline_load takes it */
	struct bench_compare_options comparing; /* with it */
	struct bench_app_changepoint_options changes;
	const struct bench_app_host *host; /* is warned of what could not be compared */
};

/* What was written. */
struct bench_app_report {
	size_t pages, bytes;
};

/*
 * Reads the history and writes the folder: beside its place, and there by rename, so that after a kill the
 * old one is whole. A folder that is there is replaced only if such a report is all that is in it.
 * BENCH_NOTHING where the history has no run, BENCH_USAGE for a folder that is something else.
 */
int bench_app_report(const struct bench_app_report_request *request, struct bench_app_report *report,
		     struct bench_error *error);

/* report_read.c: what the history has. The caller frees it in any case, after the site that is made from it.
 */
struct bench_app_report_data {
	struct bench_html_data html;
	struct bench_arena arena;
	struct bench_run **heads; /* by run; NULL: it has no page */
	size_t head_count;
	struct bench_run **whole;
	size_t whole_count;
};
int bench_app_report_read(const struct bench_app_report_request *request, struct bench_app_report_data *data,
			  struct bench_error *error);
void bench_app_report_free(struct bench_app_report_data *data);

/* report_folder.c: the folder while it is being written. */
struct bench_app_report_folder {
	char path[PATH_MAX];      /* where it is to be */
	char temporary[PATH_MAX]; /* where it is */
	int marker;               /* open and locked, so that nobody takes it for a killed report's */
	size_t files, bytes;
};
/* Is it free, or a report alone? Builds the new folder next to it, and removes the remains of killed reports.
 */
int bench_app_report_start(struct bench_app_report_folder *folder, const char *path,
			   struct bench_error *error);
/* A file "name" or "below/name". */
int bench_app_report_write(struct bench_app_report_folder *folder, const char *name, const char *data,
			   size_t length, struct bench_error *error);
/* Puts it into its place (`status` 0), or removes it. Returns the status. */
int bench_app_report_end(struct bench_app_report_folder *folder, int status, struct bench_error *error);

#endif
