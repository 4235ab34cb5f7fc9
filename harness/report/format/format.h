/* SPDX-License-Identifier: MIT */
/*
 * The output formats. Each is a file of this folder with a `const struct bench_format`, and a line in
 * BENCH_FORMATS, from which --format derives its values, help and messages. docs/adding-a-format.md shows how
 * to add one.
 */
#ifndef BENCH_REPORT_FORMAT_FORMAT_H
#define BENCH_REPORT_FORMAT_FORMAT_H

#include <stdbool.h>

#include "bench/error.h"
#include "compare/changes.h"
#include "compare/columns.h"
#include "compare/compare.h"
#include "compare/power.h"
#include "core/text.h"
#include "record/record.h"
#include "report/render/gate.h"
#include "report/render/grid.h"
#include "report/render/next.h"

/* One format per line: NAME is its name for --format, bench_format_NAME its struct. The first is the default.
 */
/* clang-format off */
#define BENCH_FORMATS(FORMAT) \
	FORMAT(table)         \
	FORMAT(json)          \
	FORMAT(csv)           \
	FORMAT(markdown)      \
	FORMAT(junit)         \
	FORMAT(github)        \
	FORMAT(comment)
/* clang-format on */

struct bench_report_options {
	const struct bench_format *format;
	bool color;     /* table: ANSI colors */
	unsigned width; /* table: columns of the terminal; 0: not limited */
	bool repeat;    /* table: the command line that repeats each case, under it */
	bool wide;      /* table of a run: every column, however wide */
	const char *const
		*columns; /* table of a run: metrics to show in addition, NULL-terminated; NULL: none */
	bool stats;       /* table: how the samples of each case are distributed, behind it */
	/* Of comparisons: */
	unsigned failing; /* what fails: bits of enum bench_failing */
	unsigned only;    /* bits (1 << enum bench_verdict_kind) of the kinds that the caller kept; 0: all */
	bool all;         /* table: list every verdict, where it would cut lists short or sum them up */
	bool explain;     /* with the statistics: p-values, the smallest visible change, full reasons */
	const char *command; /* that made the comparison, quoted for a shell; NULL: unknown */
	const char *places;  /* what commands about the same history need: " --db other.db"; NULL: nothing */
	const struct bench_run *candidate;    /* junit: the run, for commit, time and host; NULL: unknown */
	const struct bench_report_gate *gate; /* NULL: not a gate's */
	const struct bench_changes *changes;  /* level shifts in the history; NULL: nobody asked */
};

/*
 * A format. Pure: it adds its text to `out`, at least a line, and the caller prints it. NULL marks what it
 * cannot render; --format then reports that.
 */
struct bench_format {
	const char *name;
	bool exact;    /* for programs: SI base units, every digit */
	bool terminal; /* for people at a terminal: hints and summaries may stand around it */
	/* Comparisons also go, in this format, to the file that GITHUB_STEP_SUMMARY names; NULL: they do not.
	 */
	const struct bench_format *step_summary;

	/* A run, with its verdicts where `comparison` is not NULL. */
	void (*run)(const struct bench_run *run, const struct bench_comparison *comparison,
		    const struct bench_report_options *options, struct bench_text *out);
	void (*comparison)(const struct bench_comparison *comparison,
			   const struct bench_report_options *options, struct bench_text *out);
	/* Several columns, each compared with the first; `only` is applied here. */
	void (*columns)(const struct bench_columns *columns, const struct bench_report_options *options,
			struct bench_text *out);
	/* A list; the titles of its columns are their names. */
	void (*grid)(struct bench_grid *grid, const struct bench_report_options *options,
		     struct bench_text *out);
	/* The counts of `bench power`. */
	void (*power)(const struct bench_power *power, const struct bench_report_options *options,
		      struct bench_text *out);
	/* Replaces a comparison that failed, so that CI shows more than a status; may be NULL. */
	void (*refusal)(const char *verb, const char *why, struct bench_text *out);
};

/* The commands to run next, as the options of a comparison say; see bench_render_next. */
size_t bench_format_next(struct bench_arena *arena, const struct bench_comparison *comparison,
			 const struct bench_report_options *options, struct bench_next **next);

#define BENCH_FORMAT_DECLARE(name) extern const struct bench_format bench_format_##name;
BENCH_FORMATS(BENCH_FORMAT_DECLARE)

extern const struct bench_format *const bench_formats[]; /* in the order of BENCH_FORMATS; ends with NULL */

/* What a verb asks a format to render: one of the functions above. */
enum bench_rendered {
	BENCH_RENDERED_RUN,
	BENCH_RENDERED_COMPARISON,
	BENCH_RENDERED_GRID,
	BENCH_RENDERED_POWER,
	BENCH_RENDERED_COLUMNS
};
#define BENCH_RENDERED 5

/* "table, json and csv": the formats that can render `what`, with `last` before the last one. In `arena`. */
char *bench_format_list(struct bench_arena *arena, enum bench_rendered what, const char *last);

/*
 * The format that `text` names, for a verb that renders `what`. BENCH_USAGE where there is no such format
 * (the message lists all, and the nearest) or it cannot render that (the message lists those that can).
 */
int bench_format_parse(const char *text, const char *verb, enum bench_rendered what,
		       const struct bench_format **format, struct bench_error *error);

#endif
