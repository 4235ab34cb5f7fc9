/* SPDX-License-Identifier: MIT */
/* A folder for plots, the points of a series, and the plot of a trend: for tests of report/plot. */
#ifndef PLOT_FIXTURE_H
#define PLOT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "report/plot/gnuplot.h"
#include "report/plot/plot.h"
#include "report_fixture.h"

static char folder[64];
static struct bench_arena scratch;

static inline int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/bench-plot-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* Fails where anything but the plot was left behind. */
static inline int remove_folder(void **state)
{
	(void)state;
	bench_arena_free(&scratch);
	return rmdir(folder);
}

static inline const char *output(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* A place for one plot. */
static inline struct bench_plot_place *into(const char *name)
{
	static struct bench_plot_place place;
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	place = (struct bench_plot_place){.file = path};
	return &place;
}

/* The picture as text, removed from the folder; the caller frees it. */
static inline char *take(const char *path, size_t *length)
{
	char *data;
	struct bench_error error;
	if (bench_file_read(path, 16 << 20, &data, length, &error) != 0)
		fail_msg("%s", error.text);
	unlink(path);
	return data;
}

static inline void assert_drawn(int result, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s", error->text);
}

static inline bool no_gnuplot(void)
{
	if (system("gnuplot --version >/dev/null 2>&1") == 0)
		return false;
	print_message("skipped: gnuplot is not installed\n");
	return true;
}

static inline struct bench_point point(const char *key, const char *run, int64_t started, double median)
{
	static char unit[] = "s", host[] = "h", commit[] = "4af884b1c2d35e6f7081920a3b4c5d6e7f809182";
	return (struct bench_point){.run = bench_arena_string(&scratch, run),
				    .commit = commit,
				    .key = bench_arena_string(&scratch, key),
				    .unit = unit,
				    .started = started,
				    .median = median,
				    .ci_lo = median * 0.98,
				    .ci_hi = median * 1.03,
				    .better = BENCH_BETTER_LOWER,
				    .fingerprint = host,
				    .accepted = ""};
}

static inline int trend(const struct bench_point *points, size_t count, const struct bench_change *changes,
			size_t change_count, const char *name, struct bench_error *error)
{
	const struct bench_plot_trend trend = {
		.points = points, .count = count, .changes = changes, .change_count = change_count};
	return bench_plot_trend(&trend, into(name), error);
}

static inline size_t occurrences(const char *text, const char *part)
{
	size_t count = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

/* The value of the script that a stand-in for gnuplot has been given; the caller frees it. */
static inline char *script_of(int (*draw)(const void *what, struct bench_error *error), const void *what)
{
	char path[128], program[160], *old = bench_arena_string(&scratch, getenv("PATH"));
	struct bench_error error;
	size_t length;
	snprintf(path, sizeof(path), "%s/bin", folder);
	snprintf(program, sizeof(program), "%s/gnuplot", path);
	assert_int_equal(mkdir(path, 0700), 0);
	FILE *file = fopen(program, "w");
	assert_non_null(file);
	fputs("#!/bin/sh\nexec cat\n", file);
	fclose(file);
	chmod(program, 0700);
	setenv("PATH", bench_arena_format(&scratch, "%s:%s", path, old), 1);
	int result = draw(what, &error);
	setenv("PATH", old, 1);
	unlink(program);
	rmdir(path);
	assert_drawn(result, &error);
	return take(output("a.svg"), &length);
}

/* The y range of the first panel. */
static inline void range_of(const char *script, double *lo, double *hi)
{
	const char *at = strstr(script, "set yrange [");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "set yrange [%lf:%lf]", lo, hi), 2);
}

#endif
