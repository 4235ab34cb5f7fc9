/* SPDX-License-Identifier: MIT */
/*
 * Words: the small pieces of text that the reports share. All text from outside (names, reasons, branches)
 * goes through a function that makes it safe for its destination: a terminal, a Markdown file, a CSV field.
 */
#ifndef BENCH_REPORT_RENDER_WORDS_H
#define BENCH_REPORT_RENDER_WORDS_H

#include <stddef.h>

#include "compare/compare.h"
#include "core/arena.h"
#include "core/text.h"
#include "record/record.h"

/* `text` as one line that cannot drive a terminal (bench_text_add_line). */
char *bench_render_words_line(struct bench_arena *arena, const char *text);
/* The same of a text that was put together, which is freed. */
char *bench_render_words_keep(struct bench_text *text, struct bench_arena *arena);

/* "a, b, c"; "" of none. */
char *bench_render_words_list(struct bench_arena *arena, char *const *items, size_t count);

/* Characters of a line (code points). */
size_t bench_render_words_columns(const char *line);
/* `line`, or where it has more than `columns` characters its start with "..." at its end. */
char *bench_render_words_cut(struct bench_arena *arena, const char *line, size_t columns);

/* Adds `line` with line ends in place of blanks, so that it stays within `width` columns; further lines begin
 * behind `indent` blanks. The first one begins at column `at`. width 0: as it is. */
void bench_render_words_add_wrapped(struct bench_text *out, const char *line, size_t at, size_t indent,
				    size_t width);

/* Inline text for Markdown: one line, with everything that Markdown or HTML would act on escaped. */
void bench_render_words_add_markdown(struct bench_text *out, const char *text);
/* A format of Markdown, whose %s are such text (bench_text_add_by). */
void bench_render_words_markdown(struct bench_text *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Text from outside in a line behind `prefix`, which is "" in a terminal and "- " in Markdown. */
void bench_render_words_add_behind(struct bench_arena *arena, const char *text, const char *prefix,
				   struct bench_text *out);
/* A code span, fenced by more backticks than the text has in a row. */
void bench_render_words_add_code(struct bench_text *out, const char *text);
/* The longest run of `mark` in `text`. */
size_t bench_render_words_longest(const char *text, char mark);

/* The shortest decimal that reads back to the same double; nothing where it is not finite. */
void bench_render_words_add_number(struct bench_text *out, double value);
char *bench_render_words_number(struct bench_arena *arena, double value);

char *bench_render_words_quantity(struct bench_arena *arena, double value, const char *unit);
/* Seconds for a --budget, in whole ones and rounded up to two digits. */
double bench_render_words_budget(double seconds);
/* A fraction as percent, "0.4%"; "-" where it is not finite. */
char *bench_render_words_percent(struct bench_arena *arena, double fraction);
/* A ratio as a change, "+31.2%"; "-" where it is not finite. */
char *bench_render_words_change(struct bench_arena *arena, double ratio);
/* A threshold or an MDE, "5.0%", or as a difference "5 allocs/op"; "-" where it is not finite. */
char *bench_render_words_amount(struct bench_arena *arena, double value, const char *unit);
/* The ends of an interval of such changes, "+4 B..+6 B"; one where both read alike; "" where one is not
 * finite. */
char *bench_render_words_bounds(struct bench_arena *arena, double lo, double hi, const char *unit);
/* A change as histories keep it: the ratio; without a ratio, the difference lo..hi. */
char *bench_render_words_kept(struct bench_arena *arena, double ratio, double lo, double hi,
			      const char *unit);
/* An interval with its confidence: "95% +28.0..+34.5", of a difference (in `unit`, NULL: of a ratio)
 * "95% +4 B..+6 B"; "interval unknown" where its confidence is zero; "" without one. */
char *bench_render_words_interval(struct bench_arena *arena, double lo, double hi, double level,
				  const char *unit);
/* A change as histories keep it, with its interval, "+31.2%, 95% +28.0..+34.5"; of a difference the interval
 * alone. It leaves out what is unknown. */
char *bench_render_words_measured(struct bench_arena *arena, double ratio, double lo, double hi, double level,
				  const char *unit);
/* The text behind an interval whose confidence is not 95%: " at 50%"; "" at 95% or if unknown. */
char *bench_render_words_level(struct bench_arena *arena, double level);
/* The larger half of a summary's interval as a fraction of the median; NaN without an interval. */
double bench_render_words_half(const struct bench_summary *summary);
/* The same in percent, "0.4%"; "0.4% at 50%" where its confidence is not 95%; "unknown" without an interval.
 */
char *bench_render_words_spread(struct bench_arena *arena, const struct bench_summary *summary);
/* The same for a narrow table: "2%", "0.4%"; "302%?" where its confidence is less than 95% or it is of a
 * single invocation; "?" without an interval. */
char *bench_render_words_precision(struct bench_arena *arena, const struct bench_summary *summary);
/* Three digits of a quantity: "608 us", "4.52 ms", "441 GF/s". */
char *bench_render_words_short(struct bench_arena *arena, double value, const char *unit);
/* "0.95x [0.92, 0.98]", "not different", "undecided" where the interval excludes neither 1 nor a difference
 * that matters, or "0.95x?" without an interval of 95%: then it is the ratio of the medians, which are shown
 * beside it. */
char *bench_render_words_versus(struct bench_arena *arena, const struct bench_versus *versus, double medians);
/* A summary of ratios as a change, with its interval if known: "+0.4% [-0.1,
 * +0.9]", or "+0.4% [-0.1, +0.9] at 50%". */
char *bench_render_words_relative(struct bench_arena *arena, const struct bench_summary *summary);
/* The same, but "not different" or "undecided" where the interval of 95% contains no change, and "+0.4%?"
 * without such an interval. */
char *bench_render_words_verdict_of_relative(struct bench_arena *arena, const struct bench_summary *summary);
/* How many times as fast, "0.78x". */
char *bench_render_words_times(struct bench_arena *arena, double ratio);
/* The adjusted p-value of a verdict, "0.0031", "<0.0001"; "" for NaN. */
char *bench_render_words_p(struct bench_arena *arena, double p);

/*
 * The change between two medians, "+30.9%", where it says another thing than `ratio`, which all values behind
 * them estimate: its sign, or whether it reaches `threshold` (0: the sign alone). Else "".
 */
char *bench_render_words_of_medians(struct bench_arena *arena, double before, double after, double ratio,
				    double threshold);
/* "4.091 ms, was 3.118 ms", and ": -1.9% by medians" where that has the other sign; "" without both medians.
 */
char *bench_render_words_medians(struct bench_arena *arena, double before, double after, const char *unit,
				 double ratio);
/* The same of a verdict, also where the medians would give it another one. */
char *bench_render_words_verdict_medians(struct bench_arena *arena, const struct bench_verdict *verdict);
/* What a verdict's lo and hi are differences in; NULL: they are ratios. */
const char *bench_render_words_unit(const struct bench_verdict *verdict);
/* "+31.2%", or the difference; "-" if neither is known. */
char *bench_render_words_size(struct bench_arena *arena, const struct bench_verdict *verdict);
/* The same with its interval, "+31.2%, 90% +28.0..+34.5"; of a difference "+5 B, 90% +4 B..+6 B". */
char *bench_render_words_verdict_measured(struct bench_arena *arena, const struct bench_verdict *verdict);
/* "slower +31.2%", "suspected +31.2%", "same", "broken". */
char *bench_render_words_verdict(struct bench_arena *arena, const struct bench_verdict *verdict);
/*
 * A verdict for those who read nothing else: "3.118 ms -> 4.091 ms (+31.2%, 95% +28.0..+34.5): REASON",
 * the reason in a few words, without the parts that are unknown. Never empty.
 */
char *bench_render_words_told(struct bench_arena *arena, const struct bench_verdict *verdict);
/* "2 of 3 slower than the kept build of 25 Nov 21:13, 1 unclear", without newline. */
char *bench_render_words_summary(struct bench_arena *arena, const struct bench_comparison *comparison);

/* "4af884b1c2d3, dirty (3 files), on main"; "none" outside of a work tree. */
char *bench_render_words_commit(struct bench_arena *arena, const struct bench_git *git);

/* The reason of a result that is not ok; never empty. */
const char *bench_render_words_reason(const struct bench_result *result);

#endif
