/* SPDX-License-Identifier: MIT */
#include "report/render/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/alarms.h"
#include "report/render/answer.h"

char *bench_render_words_line(struct bench_arena *arena, const char *text)
{
	struct bench_text line = {0};
	bench_text_add_line(&line, text);
	return bench_text_keep(&line, arena);
}

char *bench_render_words_keep(struct bench_text *text, struct bench_arena *arena)
{
	char *line = bench_render_words_line(arena, text->data ? text->data : "");
	bench_text_free(text);
	return line;
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

void bench_render_words_add_wrapped(struct bench_text *out, const char *line, size_t at, size_t indent,
				    size_t width)
{
	BENCH_SCOPED_ARENA arena = {0};
	char *rest = bench_arena_string(&arena, line);
	for (bool first = true; rest; first = false) {
		const char *word = strsep(&rest, " ");
		size_t columns = bench_render_words_columns(word);
		if (!first && width && at + 1 + columns > width && at > indent) {
			bench_text_add(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			bench_text_add(out, " ");
			at++;
		}
		bench_text_add(out, "%s", word);
		at += columns;
	}
}

void bench_render_words_add_markdown(struct bench_text *out, const char *text)
{
	BENCH_SCOPED_TEXT line = {0};
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
}

void bench_render_words_markdown(struct bench_text *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	bench_text_add_by(out, bench_render_words_add_markdown, format, arguments);
	va_end(arguments);
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
	BENCH_SCOPED_TEXT line = {0};
	bench_text_add_line(&line, text);
	size_t marks = bench_render_words_longest(line.data, '`') + 1;
	/* A span may not be empty, nor start or end with a backtick: blanks inside are taken off again. */
	const char *blank = marks > 1 || !*line.data ? " " : "";
	for (size_t i = 0; i < marks; i++)
		bench_text_add(out, "`");
	bench_text_add(out, "%s%s%s", blank, line.data, blank);
	for (size_t i = 0; i < marks; i++)
		bench_text_add(out, "`");
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

double bench_render_words_budget(double seconds)
{
	double step = pow(10, fmax(0, floor(log10(fmax(seconds, 1))) - 1));
	return ceil(seconds / step) * step;
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

char *bench_render_words_interval(struct bench_arena *arena, double lo, double hi, double level,
				  const char *unit)
{
	char *bounds = bench_render_words_bounds(arena, lo, hi, unit);
	char *sign = strchr(bounds, '%'), *last = strrchr(bounds, '%');
	if (!*bounds || isnan(level))
		return bounds;
	if (level <= 0) /* of one value */
		return bench_arena_string(arena, "interval unknown");
	/* The sign of per cent stands at the confidence alone. */
	if (!unit && sign != last) {
		*last = '\0';
		memmove(sign, sign + 1, strlen(sign + 1) + 1);
	}
	double percent = fmin(100 * level, 99.9);
	return bench_arena_format(arena, "%.*f%% %s", percent > 99.05 ? 1 : 0, percent, bounds);
}

char *bench_render_words_measured(struct bench_arena *arena, double ratio, double lo, double hi, double level,
				  const char *unit)
{
	const bool unknown = !isfinite(lo) || !isfinite(hi) || (!isfinite(ratio) && level <= 0);
	if (unknown)
		return bench_render_words_kept(arena, ratio, lo, hi, unit);
	const char *interval =
		bench_render_words_interval(arena, lo, hi, level, isfinite(ratio) ? NULL : unit);
	if (!isfinite(ratio))
		return bench_arena_string(arena, interval);
	return bench_arena_format(arena, "%s, %s", bench_render_words_change(arena, ratio), interval);
}

double bench_render_words_half(const struct bench_summary *summary)
{
	double above = summary->ci_hi - summary->median, below = summary->median - summary->ci_lo;
	double half = (above > below ? above : below) / fabs(summary->median);
	return isfinite(half) && summary->count > 1 ? half : NAN;
}

char *bench_render_words_level(struct bench_arena *arena, double level)
{
	if (!(level > 0) || (level >= BENCH_LEVEL_95 && level < 0.995))
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

char *bench_render_words_precision(struct bench_arena *arena, const struct bench_summary *summary)
{
	double percent = 100 * bench_render_words_half(summary);
	bool known = summary->ci_level >= BENCH_LEVEL_95 && !summary->over_samples;
	if (isnan(percent))
		return bench_arena_string(arena, "?");
	if (percent >= 999.5)
		return bench_arena_format(arena, ">999%%%s", known ? "" : "?");
	return bench_arena_format(arena, percent < 0.95 ? "%.1f%%%s" : "%.0f%%%s", fmax(percent, 0.1),
				  known ? "" : "?");
}

char *bench_render_words_short(struct bench_arena *arena, double value, const char *unit)
{
	char text[96];
	double factor;
	const char *name = bench_text_scale(value, unit, &factor), *flop = strstr(name, "FLOP/s");
	double shown = value / factor, size = fabs(shown);
	if (!isfinite(value))
		return bench_arena_string(arena, "-");
	if (value == 0)
		return bench_arena_string(arena, "0");
	snprintf(text, sizeof(text), "%.*f %.*s%s",
		 size >= 99.95   ? 0
		 : size >= 9.995 ? 1
				 : 2,
		 shown, (int)(flop ? flop - name : (long)strlen(name)), name, flop ? "F/s" : "");
	return bench_render_words_line(arena, text);
}

/* With three decimals near 1, where a thousandth matters. */
static char *near_times(struct bench_arena *arena, double ratio, bool close)
{
	return close ? bench_arena_format(arena, "%.3fx", ratio) : bench_render_words_times(arena, ratio);
}

char *bench_render_words_versus(struct bench_arena *arena, const struct bench_versus *versus, double medians)
{
	const struct bench_summary *ratio = &versus->ratio;
	if (versus->verdict == BENCH_VERSUS_NOT_DIFFERENT)
		return bench_arena_string(arena, "not different");
	if (versus->verdict == BENCH_VERSUS_UNDECIDED)
		return bench_arena_string(arena, "undecided");
	if (versus->verdict == BENCH_VERSUS_UNKNOWN)
		return bench_arena_format(arena, "%s?", bench_render_words_times(arena, medians));
	double nearest = versus->verdict == BENCH_VERSUS_FASTER ? ratio->ci_lo : ratio->ci_hi;
	bool close = fabs(nearest - 1) < 0.005;
	char *lo = near_times(arena, ratio->ci_lo, close), *hi = near_times(arena, ratio->ci_hi, close);
	lo[strlen(lo) - 1] = hi[strlen(hi) - 1] = '\0';
	return bench_arena_format(arena, "%s [%s, %s]", near_times(arena, ratio->median, close), lo, hi);
}

char *bench_render_words_verdict_of_relative(struct bench_arena *arena, const struct bench_summary *summary)
{
	if (!(summary->ci_level >= BENCH_LEVEL_95) || summary->count < 2)
		return bench_arena_format(arena, "%s?", bench_render_words_change(arena, summary->median));
	if (summary->ci_lo <= 1 && summary->ci_hi >= 1)
		return bench_arena_string(arena, bench_record_is_tie(summary->ci_lo, summary->ci_hi)
							 ? "not different"
							 : "undecided");
	return bench_render_words_relative(arena, summary);
}

char *bench_render_words_relative(struct bench_arena *arena, const struct bench_summary *summary)
{
	char *change = bench_render_words_change(arena, summary->median);
	if (summary->count < 2 || !isfinite(summary->ci_lo) || !isfinite(summary->ci_hi))
		return change;
	return bench_arena_format(arena, "%s [%s, %s]%s", change, bound(arena, summary->ci_lo),
				  bound(arena, summary->ci_hi),
				  bench_render_words_level(arena, summary->ci_level));
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

char *bench_render_words_of_medians(struct bench_arena *arena, double before, double after, double ratio,
				    double threshold)
{
	const double visible = 0.0005, medians = after / before;
	if (!(medians > 0) || !(ratio > 0) || !isfinite(medians) || !isfinite(ratio))
		return bench_arena_string(arena, "");
	bool other_sign =
		(medians > 1) != (ratio > 1) && fabs(medians - 1) >= visible && fabs(ratio - 1) >= visible;
	bool other_verdict = threshold > 0 && (fabs(log(medians)) >= log1p(threshold)) !=
						      (fabs(log(ratio)) >= log1p(threshold));
	return other_sign || other_verdict ? bench_render_words_change(arena, medians)
					   : bench_arena_string(arena, "");
}

static char *medians_of(struct bench_arena *arena, double before, double after, const char *unit,
			double ratio, double threshold)
{
	if (!isfinite(before) || !isfinite(after))
		return bench_arena_string(arena, "");
	const char *change = bench_render_words_of_medians(arena, before, after, ratio, threshold);
	return bench_arena_format(arena, "%s, was %s%s%s%s", bench_render_words_quantity(arena, after, unit),
				  bench_render_words_quantity(arena, before, unit), *change ? ": " : "",
				  change, *change ? " by medians" : "");
}

char *bench_render_words_medians(struct bench_arena *arena, double before, double after, const char *unit,
				 double ratio)
{
	return medians_of(arena, before, after, unit, ratio, 0);
}

char *bench_render_words_verdict_medians(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	return medians_of(arena, verdict->base_median, verdict->candidate_median, verdict->unit,
			  verdict->ratio, verdict->threshold);
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
	const char *interval =
		bench_render_words_interval(arena, verdict->lo, verdict->hi, verdict->level, verdict->unit);
	const char *size = bench_render_words_size(arena, verdict);
	return bench_arena_format(arena, "%s%s%s", size, *interval ? ", " : "", interval);
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
	char *text = bench_render_answer_numbers(arena, verdict);
	const char *why = bench_render_answer_why(verdict);
	if (*why)
		text = bench_arena_format(arena, "%s%s%s", text, *text ? ": " : "",
					  bench_render_words_line(arena, why));
	if (verdict->alarm)
		text = bench_arena_format(arena, "%s%s%s", text, *text ? "; " : "",
					  bench_render_alarms_told(arena, verdict->alarm));
	return *text ? text : bench_arena_string(arena, bench_compare_verdict_name(verdict->kind));
}

char *bench_render_words_summary(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	static const struct {
		enum bench_verdict_kind kind;
		const char *than;
	} order[BENCH_VERDICT_KINDS] = {{BENCH_BROKEN, " against"}, {BENCH_MISSING, " against"},
					{BENCH_SLOWER, " than"},    {BENCH_SUSPECTED, " against"},
					{BENCH_FASTER, " than"},    {BENCH_UNCLEAR, " against"},
					{BENCH_NEW, " against"},    {BENCH_SAME, " as"}};
	struct bench_text text = {0};
	const char *than = " against";
	size_t total = 0, listed = 0;
	for (size_t i = 0; i < BENCH_VERDICT_KINDS; i++)
		total += comparison->counts[i];
	for (size_t i = 0; i < BENCH_VERDICT_KINDS; i++) {
		const size_t count = comparison->counts[order[i].kind];
		/* Beside one other kind, the rest is the same. */
		if (count == 0 || (order[i].kind == BENCH_SAME && listed == 1))
			continue;
		if (listed > 0)
			bench_text_add(&text, ", %zu", count);
		else if (count == total)
			bench_text_add(&text, "%s%zu", total == 1 ? "" : "all ", total);
		else
			bench_text_add(&text, "%zu of %zu", count, total);
		bench_text_add(&text, " %s", bench_compare_verdict_name(order[i].kind));
		than = listed++ ? ", against" : order[i].than;
	}
	bench_text_add(&text, "%s%s %s", listed ? "" : "nothing to compare", than,
		       bench_render_answer_baseline(arena, comparison));
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
