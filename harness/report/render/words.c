/* SPDX-License-Identifier: MIT */
#include "report/render/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/alarms.h"

char *bench_render_words_line(struct bench_arena *arena, const char *text)
{
	struct bench_text line = {0};
	bench_text_add_line(&line, text);
	return bench_text_keep(&line, arena);
}

char *bench_render_words_list(struct bench_arena *arena, char *const *items, size_t count)
{
	struct bench_text text = {0};
	for (size_t i = 0; i < count; i++)
		bench_text_add(&text, "%s%s", i ? ", " : "", items[i]);
	return bench_text_keep(&text, arena);
}

size_t bench_render_words_columns(const char *line)
{
	size_t columns = 0;
	for (; *line; line++)
		columns += ((unsigned char)*line & 0xc0) != 0x80;
	return columns;
}

char *bench_render_words_cut(struct bench_arena *arena, const char *line, size_t columns)
{
	if (bench_render_words_columns(line) <= columns)
		return bench_arena_string(arena, line);
	size_t dots = columns < 3 ? columns : 3, bytes = 0;
	for (size_t seen = 0; line[bytes]; bytes++) {
		seen += ((unsigned char)line[bytes] & 0xc0) != 0x80;
		if (seen > columns - dots)
			break;
	}
	return bench_arena_format(arena, "%.*s%.*s", (int)bytes, line, (int)dots, "...");
}

void bench_render_words_add_markdown(struct bench_text *out, const char *text)
{
	struct bench_text line = {0};
	bench_text_add_line(&line, text);
	for (const char *at = line.data; *at; at++) {
		if (*at == '<')
			bench_text_add(out, "&lt;");
		else if (*at == '&')
			bench_text_add(out, "&amp;");
		else if (strchr("\\`*_[]|~#>", *at))
			bench_text_add(out, "\\%c", *at);
		else
			bench_text_add_bytes(out, at, 1);
	}
	bench_text_free(&line);
}

void bench_render_words_add_behind(struct bench_arena *arena, const char *text, const char *prefix,
				   struct bench_text *out)
{
	if (*prefix)
		bench_render_words_add_markdown(out, text);
	else
		bench_text_add(out, "%s", bench_render_words_line(arena, text));
}

size_t bench_render_words_longest(const char *text, char mark)
{
	size_t longest = 0, run = 0;
	for (; *text; text++) {
		run = *text == mark ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

void bench_render_words_add_code(struct bench_text *out, const char *text)
{
	struct bench_text line = {0};
	bench_text_add_line(&line, text);
	size_t marks = bench_render_words_longest(line.data, '`') + 1;
	/* A span may not be empty, nor start or end with a backtick: blanks inside are taken off again. */
	const char *blank = marks > 1 || !*line.data ? " " : "";
	for (size_t i = 0; i < marks; i++)
		bench_text_add(out, "`");
	bench_text_add(out, "%s%s%s", blank, line.data, blank);
	for (size_t i = 0; i < marks; i++)
		bench_text_add(out, "`");
	bench_text_free(&line);
}

void bench_render_words_add_number(struct bench_text *out, double value)
{
	char text[40];
	if (!isfinite(value))
		return;
	/* 17 digits identify any double. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (digits < 17 && strtod(text, NULL) == value)
			break;
	}
	bench_text_add(out, "%s", text);
}

char *bench_render_words_quantity(struct bench_arena *arena, double value, const char *unit)
{
	char text[96];
	char *plain = bench_render_words_line(arena, unit);
	bench_text_quantity(text, sizeof(text), value, plain);
	return bench_arena_string(arena, text);
}

char *bench_render_words_percent(struct bench_arena *arena, double fraction)
{
	double percent = 100 * fraction;
	if (!isfinite(percent))
		return bench_arena_string(arena, "-");
	if (percent > 0 && percent < 0.05)
		return bench_arena_string(arena, "<0.1%");
	return bench_arena_format(arena, "%.*f%%", percent >= 99.95 ? 0 : 1, percent);
}

char *bench_render_words_number(struct bench_arena *arena, double value)
{
	struct bench_text text = {0};
	bench_render_words_add_number(&text, value);
	return bench_text_keep(&text, arena);
}

char *bench_render_words_change(struct bench_arena *arena, double ratio)
{
	double percent = 100 * (ratio - 1);
	if (!isfinite(percent))
		return bench_arena_string(arena, "-");
	if (fabs(percent) < 0.05) /* and never "-0.0%" */
		percent = 0;
	return bench_arena_format(arena, "%+.*f%%", fabs(percent) >= 999.5 ? 0 : 1, percent);
}

/* A change by difference, "+5 allocs/op", or one by ratio where `unit` is NULL. */
static char *shift(struct bench_arena *arena, double value, const char *unit)
{
	char text[96];
	if (!unit || !isfinite(value))
		return bench_render_words_change(arena, value);
	bench_text_difference(text, sizeof(text), value, bench_render_words_line(arena, unit));
	return bench_arena_string(arena, text);
}

char *bench_render_words_amount(struct bench_arena *arena, double value, const char *unit)
{
	if (!unit || !isfinite(value))
		return bench_render_words_percent(arena, value);
	const char *text = shift(arena, value, unit);
	return bench_arena_string(arena, text + (*text == '+'));
}

char *bench_render_words_bounds(struct bench_arena *arena, double lo, double hi, const char *unit)
{
	if (!isfinite(lo) || !isfinite(hi))
		return bench_arena_string(arena, "");
	char *from = shift(arena, lo, unit), *to = shift(arena, hi, unit);
	return unit && strcmp(from, to) == 0 ? from : bench_arena_format(arena, "%s..%s", from, to);
}

char *bench_render_words_kept(struct bench_arena *arena, double ratio, double lo, double hi, const char *unit)
{
	if (isfinite(ratio) || !isfinite(lo) || !isfinite(hi))
		return bench_render_words_change(arena, ratio);
	return bench_render_words_bounds(arena, lo, hi, unit);
}

/* "+28.0" of a change, as beside "+31.2%". */
static char *bound(struct bench_arena *arena, double ratio)
{
	char *text = bench_render_words_change(arena, ratio);
	text[strlen(text) - 1] = '\0';
	return text;
}

char *bench_render_words_measured(struct bench_arena *arena, double ratio, double lo, double hi, double level,
				  const char *unit)
{
	char *change = bench_render_words_kept(arena, ratio, lo, hi, unit);
	if (!isfinite(lo) || !isfinite(hi))
		return change;
	if (isfinite(ratio))
		change = bench_arena_format(arena, "%s [%s, %s]", change, bound(arena, lo), bound(arena, hi));
	return bench_arena_format(arena, "%s%s", change, bench_render_words_level(arena, level));
}

double bench_render_words_half(const struct bench_summary *summary)
{
	double above = summary->ci_hi - summary->median, below = summary->median - summary->ci_lo;
	double half = (above > below ? above : below) / fabs(summary->median);
	return isfinite(half) && summary->count > 1 ? half : NAN;
}

char *bench_render_words_level(struct bench_arena *arena, double level)
{
	/* Exact intervals of ranks come close to the level that was asked for, and seldom hit it. */
	if (!(level > 0) || (level >= 0.945 && level < 0.995))
		return bench_arena_string(arena, "");
	/* Near 100% the nines count. */
	return bench_arena_format(arena, " at %.*f%%", level < 0.995 ? 0 : 2, fmin(100 * level, 99.99));
}

char *bench_render_words_spread(struct bench_arena *arena, const struct bench_summary *summary)
{
	double half = bench_render_words_half(summary);
	if (isnan(half))
		return bench_arena_string(arena, "unknown");
	return bench_arena_format(arena, "%s%s", bench_render_words_percent(arena, half),
				  bench_render_words_level(arena, summary->ci_level));
}

char *bench_render_words_relative(struct bench_arena *arena, const struct bench_summary *summary)
{
	return bench_render_words_measured(arena, summary->median, summary->count < 2 ? NAN : summary->ci_lo,
					   summary->ci_hi, summary->ci_level, NULL);
}

char *bench_render_words_times(struct bench_arena *arena, double ratio)
{
	/* At least two digits: a thousandth matters. */
	return bench_arena_format(arena, ratio < 0.095 ? "%.2gx" : ratio < 99.5 ? "%.2fx" : "%.0fx", ratio);
}

char *bench_render_words_p(struct bench_arena *arena, double p)
{
	if (isnan(p))
		return bench_arena_string(arena, "");
	return p < 1e-4 ? bench_arena_string(arena, "<0.0001") : bench_arena_format(arena, "%.2g", p);
}

char *bench_render_words_of_medians(struct bench_arena *arena, double before, double after, double ratio)
{
	char *change = bench_render_words_change(arena, after / before);
	bool shown = isfinite(after / before) && isfinite(ratio) &&
		     strcmp(change, bench_render_words_change(arena, ratio)) != 0;
	return shown ? change : bench_arena_string(arena, "");
}

char *bench_render_words_medians(struct bench_arena *arena, double before, double after, const char *unit,
				 double ratio)
{
	if (!isfinite(before) || !isfinite(after))
		return bench_arena_string(arena, "");
	const char *change = bench_render_words_of_medians(arena, before, after, ratio);
	return bench_arena_format(arena, "%s, was %s%s%s%s", bench_render_words_quantity(arena, after, unit),
				  bench_render_words_quantity(arena, before, unit), *change ? ": " : "",
				  change, *change ? " by medians" : "");
}

char *bench_render_words_verdict_medians(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	return bench_render_words_medians(arena, verdict->base_median, verdict->candidate_median,
					  verdict->unit, verdict->ratio);
}

const char *bench_render_words_unit(const struct bench_verdict *verdict)
{
	return verdict->by_difference ? verdict->unit : NULL;
}

char *bench_render_words_size(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	return shift(arena, verdict->by_difference ? verdict->difference : verdict->ratio,
		     bench_render_words_unit(verdict));
}

char *bench_render_words_verdict_measured(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	if (!verdict->by_difference)
		return bench_render_words_measured(arena, verdict->ratio, verdict->lo, verdict->hi,
						   verdict->level, NULL);
	const char *bounds = bench_render_words_bounds(arena, verdict->lo, verdict->hi, verdict->unit);
	const char *size = bench_render_words_size(arena, verdict);
	return *bounds ? bench_arena_format(arena, "%s [%s]%s", size, bounds,
					    bench_render_words_level(arena, verdict->level))
		       : bench_arena_string(arena, size);
}

char *bench_render_words_verdict(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	const char *name = bench_compare_verdict_name(verdict->kind);
	if (verdict->kind != BENCH_SLOWER && verdict->kind != BENCH_FASTER &&
	    verdict->kind != BENCH_SUSPECTED)
		return bench_arena_string(arena, name);
	return bench_arena_format(arena, "%s %s", name, bench_render_words_size(arena, verdict));
}

char *bench_render_words_told(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	char *text = bench_arena_string(arena, "");
	const char *medians = bench_render_words_verdict_medians(arena, verdict);
	if (bench_compare_has_size(verdict))
		text = bench_arena_format(arena, "%s%s%s%s",
					  bench_render_words_verdict_measured(arena, verdict),
					  *medians ? " (" : "", medians, *medians ? ")" : "");
	if (*bench_render_words_p(arena, verdict->p_adjusted))
		text = bench_arena_format(arena, "%s%sp %s", text, *text ? ", " : "",
					  bench_render_words_p(arena, verdict->p_adjusted));
	if (*verdict->reason)
		text = bench_arena_format(arena, "%s%s%s", text, *text ? ": " : "",
					  bench_render_words_line(arena, verdict->reason));
	if (verdict->alarm)
		text = bench_arena_format(arena, "%s%s%s", text, *text ? "; " : "",
					  bench_render_alarms_told(arena, verdict->alarm));
	return *text ? text : bench_arena_string(arena, bench_compare_verdict_name(verdict->kind));
}

/* "main (20261119-231503 and 2 more)", or the run alone where it was named by its id. */
static char *name_baseline(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	const char *name = bench_render_words_line(arena, comparison->baseline_name);
	if (comparison->baseline_count == 0)
		return bench_arena_string(arena, name);
	const char *first = bench_render_words_line(arena, comparison->baseline_ids[0]);
	if (comparison->baseline_count > 1)
		return bench_arena_format(arena, "%s (%s and %zu more)", name, first,
					  comparison->baseline_count - 1);
	return strcmp(name, first) == 0 ? bench_arena_string(arena, name)
					: bench_arena_format(arena, "%s (%s)", name, first);
}

char *bench_render_words_summary(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	static const enum bench_verdict_kind order[BENCH_VERDICT_KINDS] = {
		BENCH_BROKEN,  BENCH_MISSING, BENCH_SLOWER, BENCH_SUSPECTED,
		BENCH_UNCLEAR, BENCH_FASTER,  BENCH_NEW,    BENCH_SAME};
	struct bench_text text = {0};
	bench_text_add(&text, "%zu metric%s against baseline %s:", comparison->verdict_count,
		       bench_text_plural(comparison->verdict_count), name_baseline(arena, comparison));
	const char *separator = " ";
	for (size_t i = 0; i < BENCH_VERDICT_KINDS; i++) {
		if (comparison->counts[order[i]] == 0)
			continue;
		bench_text_add(&text, "%s%zu %s", separator, comparison->counts[order[i]],
			       bench_compare_verdict_name(order[i]));
		separator = ", ";
	}
	bench_text_add(&text, "%s; family-wise alpha %g%%, threshold %g%%", *separator == ' ' ? " none" : "",
		       100 * comparison->options.alpha, 100 * comparison->options.threshold);
	return bench_text_keep(&text, arena);
}

char *bench_render_words_commit(struct bench_arena *arena, const struct bench_git *git)
{
	if (!git->present)
		return bench_arena_string(arena, "none");
	struct bench_text text = {0};
	bench_text_add(&text, "%.12s", bench_render_words_line(arena, git->commit));
	if (git->dirty && !git->dirty_count)
		bench_text_add(&text, ", perhaps dirty");
	else if (git->dirty)
		bench_text_add(&text, ", dirty (%zu%s file%s)", git->dirty_count,
			       git->dirty_count >= 100 ? " or more" : "",
			       bench_text_plural(git->dirty_count));
	bench_text_add(&text, ", %s%s", *git->branch ? "on " : "detached",
		       bench_render_words_line(arena, git->branch));
	return bench_text_keep(&text, arena);
}

const char *bench_render_words_reason(const struct bench_result *result)
{
	return *result->reason ? result->reason : "no reason was recorded";
}
