/* SPDX-License-Identifier: MIT */
#include "report/render/why.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define CAUSES     3    /* that the sentence names */
#define LARGE      2    /* from this ratio on, it is "x40" and not a percentage */
#define VAST       1000 /* from this ratio on, the values say more */
#define FACT_CHARS 60   /* of a fact in the sentence */

static bool is_function(const struct bench_why_row *row)
{
	return row->about->rank == BENCH_RANK_FUNCTION;
}

static void add_quantity(struct bench_text *out, double value, const char *unit)
{
	char text[64];
	if (strcmp(unit, "count") == 0 || strcmp(unit, "ratio") == 0)
		snprintf(text, sizeof(text), "%.4g", value);
	else if (value == 0)
		snprintf(text, sizeof(text), "0");
	else if (strcmp(unit, "share") == 0)
		snprintf(text, sizeof(text), "%.3g%%", 100 * value);
	else
		bench_text_quantity(text, sizeof(text), value, unit);
	bench_text_add(out, "%s", text);
}

static void add_values(struct bench_text *out, const struct bench_why_change *change, const char *unit)
{
	add_quantity(out, change->base, unit);
	bench_text_add(out, " -> ");
	add_quantity(out, change->head, unit);
}

/* "x40", "+310%", "-50%", "0 -> 40"; of shares, "50% -> 25%". */
static void add_change(struct bench_text *out, const struct bench_why_change *change, const char *unit)
{
	double ratio = change->interval.estimate;
	if (!change->is_ratio || ratio < 1.0 / LARGE || ratio >= VAST || strcmp(unit, "share") == 0) {
		add_values(out, change, unit);
	} else if (ratio >= LARGE) {
		bench_text_add(out, "x%.3g", ratio);
	} else {
		bench_text_add(out, "%+.*f%%", fabs(ratio - 1) < 0.1 ? 1 : 0, 100 * (ratio - 1));
	}
}

static void add_interval(struct bench_text *out, const struct bench_why_change *change, const char *unit)
{
	const struct bench_interval *interval = &change->interval;
	char lo[64], hi[64];
	if (change->is_ratio && interval->lo >= LARGE)
		bench_text_add(out, interval->hi >= VAST ? "x%.0f..%.0f" : "x%.3g..%.3g", interval->lo,
			       interval->hi);
	else if (change->is_ratio)
		bench_text_add(out, "%+.1f%%..%+.1f%%", 100 * (interval->lo - 1), 100 * (interval->hi - 1));
	else {
		bench_text_difference(lo, sizeof(lo), interval->lo, unit);
		bench_text_difference(hi, sizeof(hi), interval->hi, unit);
		bench_text_add(out, "%s..%s", lo, hi);
	}
}

/* What an occupancy follows from: "(registers 128 -> 168)". */
static void add_limits(struct bench_text *out, const struct bench_why *why)
{
	size_t count = 0;
	for (size_t i = 0; i < why->row_count; i++) {
		const struct bench_why_row *row = &why->rows[i];
		if (!row->change.differs || (row->about != &bench_observed[BENCH_OBSERVED_REGISTERS] &&
					     row->about != &bench_observed[BENCH_OBSERVED_LOCAL] &&
					     row->about != &bench_observed[BENCH_OBSERVED_GROUP]))
			continue;
		bench_text_add(out, "%s%s ", count++ ? ", " : " (", row->name);
		add_values(out, &row->change, row->about->unit);
	}
	bench_text_add(out, "%s", count ? ")" : "");
}

static void add_cause(struct bench_text *out, const struct bench_why *why, const struct bench_why_row *row)
{
	bench_text_add(out, "%s ", row->name);
	if (is_function(row) && !row->change.is_ratio)
		bench_text_add(out, "%.0f%% -> %.0f%% of the processor's time",
			       100 * fmin(row->base_share, 1), 100 * fmin(row->head_share, 1));
	else
		add_change(out, &row->change, row->about->unit);
	if (row->about == &bench_observed[BENCH_OBSERVED_OCCUPANCY_LIMIT])
		add_limits(out, why);
}

static void add_percent(struct bench_text *out, const struct bench_why_change *change, int sign)
{
	const struct bench_interval *interval = &change->interval;
	double ends[] = {sign * 100 * (interval->lo - 1), sign * 100 * (interval->hi - 1)};
	int digits = 100 * fabs(interval->estimate - 1) >= 100 ? 0 : 1;
	bench_text_add(out, "%.*f%% [%.*f, %.*f]", digits, sign * 100 * (interval->estimate - 1), digits,
		       fmin(ends[0], ends[1]), digits, fmax(ends[0], ends[1]));
}

/* As many whole items of a list as fit. */
static void add_brief(struct bench_text *out, const char *brief)
{
	size_t length = strlen(brief);
	bool cut = length > FACT_CHARS;
	for (length = cut ? FACT_CHARS : length; cut && length && brief[length] != ','; length--)
		;
	if (cut && !length) /* a single one */
		length = FACT_CHARS;
	bench_text_add(out, " %.*s%s", (int)length, brief, cut ? " ..." : "");
}

static void add_facts(struct bench_text *out, const struct bench_why *why, int place, size_t *named)
{
	for (size_t i = 0; i < why->fact_count; i++) {
		if ((int)why->facts[i].place != place || *named > CAUSES)
			continue;
		bench_text_add(out, "%s%s", (*named)++ ? ", " : ": ", why->facts[i].what);
		add_brief(out, why->facts[i].brief);
	}
}

static void add_causes(struct bench_text *out, const struct bench_why *why)
{
	size_t named = 0, functions = 0;
	bool mixed = false;
	add_facts(out, why, BENCH_FACT_FIRST, &named);
	for (size_t i = 0; i < why->row_count && named < CAUSES; i++) {
		const struct bench_why_row *row = &why->rows[i];
		if (!row->explains || (is_function(row) && functions++))
			continue;
		if (!mixed && row->about->rank >= BENCH_RANK_FUNCTION)
			add_facts(out, why, BENCH_FACT_MIX, &named);
		mixed |= row->about->rank >= BENCH_RANK_FUNCTION;
		bench_text_add(out, "%s", named++ ? ", " : ": ");
		add_cause(out, why, row);
	}
	if (!mixed)
		add_facts(out, why, BENCH_FACT_MIX, &named);
	bool observed = named > 0;
	add_facts(out, why, BENCH_FACT_LAST, &named);
	if (!observed)
		bench_text_add(out, "%snothing that was observed explains it", named ? "; " : ": ");
}

char *bench_render_why_sentence(struct bench_arena *arena, const struct bench_whys *whys,
				const struct bench_why *why)
{
	const struct bench_why_change *change = why->of_first_call ? &why->first_call : &why->time;
	BENCH_SCOPED_TEXT out = {0};
	if (why->answer == BENCH_WHY_TOO_FEW) {
		bench_text_add(&out,
			       "unclear: %zu invocation%s too few for %zu test%s (--invocations, and a "
			       "--budget that has room for them)",
			       whys->invocations, whys->invocations == 1 ? " is" : "s are", whys->tests,
			       bench_text_plural(whys->tests));
	} else if (why->answer == BENCH_WHY_UNCLEAR) {
		bench_text_add(&out, "unclear: ");
		add_percent(&out, change, 1);
		bench_text_add(&out, " is not certain beside %zu tests; more invocations would decide it",
			       whys->tests);
	} else if (why->answer == BENCH_WHY_NONE) {
		bench_text_add(&out, "no difference: ");
		add_percent(&out, change, 1);
	} else {
		bool slower = why->answer == BENCH_WHY_SLOWER;
		bench_text_add(&out, "%s%s by ",
			       why->of_first_call ? "the time is not different; first call " : "",
			       slower ? "slower" : "faster");
		add_percent(&out, change, slower ? 1 : -1);
		add_causes(&out, why);
	}
	return bench_arena_string(arena, out.data);
}

static void put(struct bench_grid *grid, size_t row, size_t column, struct bench_text *text)
{
	bench_render_grid_put(grid, row, column, text->data ? text->data : "");
	bench_text_free(text);
}

static void add_row(struct bench_grid *grid, const char *name, const struct bench_why_change *change,
		    const char *unit, const char *word)
{
	size_t row = bench_render_grid_row(grid);
	struct bench_text text = {0};
	bench_render_grid_put(grid, row, 0, name);
	add_quantity(&text, change->base, unit);
	put(grid, row, 1, &text);
	add_quantity(&text, change->head, unit);
	put(grid, row, 2, &text);
	add_change(&text, change, unit);
	put(grid, row, 3, &text);
	add_interval(&text, change, unit);
	put(grid, row, 4, &text);
	bench_render_grid_set(grid, row, 5, strcmp(word, "explains") == 0 ? BENCH_TONE_BAD : BENCH_TONE_PLAIN,
			      word);
}

static const char *word_of(const struct bench_why_row *row)
{
	return row->explains ? "explains" : row->change.differs ? "differs" : "";
}

void bench_render_why_grid(const struct bench_why *why, bool all, struct bench_grid *grid)
{
	static const struct bench_grid_column columns[] = {{"observed", false, 0}, {"base", true, 0},
							   {"head", true, 0},      {"change", true, 0},
							   {"interval", true, 1},  {"", false, 0}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	add_row(grid, "time", &why->time, "s", why->time.differs ? "differs" : "");
	for (size_t i = 0; i < why->row_count; i++)
		if (all || why->rows[i].change.differs)
			add_row(grid, why->rows[i].name, &why->rows[i].change, why->rows[i].about->unit,
				word_of(&why->rows[i]));
}

/* The columns for programs. */
enum { CASE, KIND, NAME, UNIT, BASE, HEAD, CHANGE, LO, HI, P, TEXT, COLUMNS };

static size_t add_exact(struct bench_grid *grid, const struct bench_why *why, const char *kind,
			const char *name, const char *text)
{
	size_t row = bench_render_grid_row(grid);
	bench_render_grid_put(grid, row, CASE, why->key);
	bench_render_grid_put(grid, row, KIND, kind);
	bench_render_grid_put(grid, row, NAME, name);
	bench_render_grid_put(grid, row, TEXT, text);
	return row;
}

static void add_numbers(struct bench_grid *grid, size_t row, const struct bench_why_change *change,
			const char *unit)
{
	const double values[] = {change->base,        change->head,        change->interval.estimate,
				 change->interval.lo, change->interval.hi, change->p_adjusted};
	bench_render_grid_put(grid, row, UNIT, unit);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct bench_text text = {0};
		if (isfinite(values[i]))
			bench_text_add(&text, "%.9g", values[i]);
		put(grid, row, BASE + i, &text);
	}
}

static void add_case(const struct bench_whys *whys, const struct bench_why *why, struct bench_grid *grid)
{
	static const char *const answers[] = {[BENCH_WHY_NONE] = "no difference",
					      [BENCH_WHY_SLOWER] = "slower",
					      [BENCH_WHY_FASTER] = "faster",
					      [BENCH_WHY_TOO_FEW] = "unclear",
					      [BENCH_WHY_UNCLEAR] = "unclear"};
	BENCH_SCOPED_ARENA arena = {0};
	const struct bench_why_change *change = why->of_first_call ? &why->first_call : &why->time;
	size_t row = add_exact(grid, why, answers[why->answer], why->of_first_call ? "first_call" : "time",
			       bench_render_why_sentence(&arena, whys, why));
	add_numbers(grid, row, change, "s");
	for (size_t i = 0; i < why->row_count; i++) {
		const struct bench_why_row *from = &why->rows[i];
		row = add_exact(grid, why, *word_of(from) ? word_of(from) : "same",
				is_function(from) ? from->name : from->about->name,
				from->change.is_ratio ? "head over base" : "head less base");
		add_numbers(grid, row, &from->change, from->about->unit);
	}
	for (size_t i = 0; i < why->fact_count; i++)
		add_exact(grid, why, "fact", why->facts[i].what,
			  why->facts[i].detail ? why->facts[i].detail : why->facts[i].brief);
	for (size_t i = 0; i < why->unread_count; i++) {
		size_t length = strcspn(why->unread[i], ":");
		add_exact(grid, why, "unread",
			  bench_arena_format(&arena, "%.*s", (int)length, why->unread[i]),
			  why->unread[i] + length + (why->unread[i][length] ? 2 : 0));
	}
}

void bench_render_why_exact(const struct bench_whys *whys, struct bench_grid *grid)
{
	static const struct bench_grid_column columns[COLUMNS] = {
		{"case", false, 0},     {"kind", false, 0}, {"name", false, 0},  {"unit", false, 0},
		{"base", true, 0},      {"head", true, 0},  {"change", true, 0}, {"change_lo", true, 0},
		{"change_hi", true, 0}, {"p", true, 0},     {"text", false, 0}};
	bench_render_grid_columns(grid, columns, COLUMNS);
	for (size_t i = 0; i < whys->count; i++)
		add_case(whys, &whys->cases[i], grid);
}
