/* SPDX-License-Identifier: MIT */
#include "report/render/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/alarms.h"
#include "report/render/words.h"

#define LISTED 20 /* of each kind, in a terminal */
#define FEW    5  /* up to this many unclear metrics are listed */

enum bench_tone bench_render_comparison_tone(const struct bench_verdict *verdict)
{
	static const enum bench_tone tones[BENCH_VERDICT_KINDS] = {
		[BENCH_FASTER] = BENCH_TONE_GOOD,   [BENCH_SLOWER] = BENCH_TONE_BAD,
		[BENCH_UNCLEAR] = BENCH_TONE_DOUBT, [BENCH_MISSING] = BENCH_TONE_BAD,
		[BENCH_BROKEN] = BENCH_TONE_BAD,    [BENCH_SUSPECTED] = BENCH_TONE_DOUBT,
	};
	return tones[verdict->kind];
}

enum {
	VERDICT,
	METRIC,
	CHANGE,
	INTERVAL,
	P,
	THRESHOLD,
	MDE,
	BASE,
	NOW,
	MEDIANS,
	ALARM,
	OWNER,
	REASON,
	COLUMNS
};

static const struct bench_grid_column columns[COLUMNS] = {
	[VERDICT] = {"verdict", false, 0},
	[METRIC] = {"metric", false, 0},
	[CHANGE] = {"change", true, 0},
	[INTERVAL] = {"interval", true, 1},
	[P] = {"p", true, 3},
	[THRESHOLD] = {"threshold", true, 3},
	[MDE] = {"MDE", true, 2},
	[BASE] = {"baseline", true, 5},
	[NOW] = {"now", true, 4},
	[MEDIANS] = {"by medians", true, 4},
	[ALARM] = {"alarm", false, 1},
	[OWNER] = {"owner", false, 2},
	[REASON] = {"reason", false, 0},
};

static void set_quantity(struct bench_grid *grid, size_t row, size_t column, double value, const char *unit)
{
	if (!isnan(value))
		bench_render_grid_put(grid, row, column,
				      bench_render_words_quantity(&grid->arena, value, unit));
}

/* Does its threshold differ from the one in the options? */
static bool has_own_threshold(const struct bench_comparison *comparison, const struct bench_verdict *verdict)
{
	if (verdict->by_difference)
		return bench_compare_has_size(verdict);
	return verdict->threshold > comparison->options.threshold ||
	       (verdict->asked > 0 && verdict->asked < comparison->options.threshold);
}

/* key_under: the key goes on a separate line under the row, in terminals that are too narrow for it. */
static size_t add_verdict(const struct bench_comparison *comparison, struct bench_grid *grid,
			  const struct bench_verdict *verdict, bool key_under)
{
	struct bench_arena *arena = &grid->arena;
	size_t row = bench_render_grid_row(grid);
	bench_render_grid_set(grid, row, VERDICT, bench_render_comparison_tone(verdict),
			      bench_compare_verdict_name(verdict->kind));
	if (!key_under)
		bench_render_grid_put(grid, row, METRIC, verdict->key);
	else
		bench_render_grid_under(grid, row, verdict->key);
	if (bench_compare_has_size(verdict))
		bench_render_grid_set(grid, row, CHANGE, bench_render_comparison_tone(verdict),
				      bench_render_words_size(arena, verdict));
	const char *bounds =
		bench_render_words_bounds(arena, verdict->lo, verdict->hi, bench_render_words_unit(verdict));
	if (*bounds)
		bench_render_grid_put(grid, row, INTERVAL,
				      bench_arena_format(arena, "%s%s", bounds,
							 bench_render_words_level(arena, verdict->level)));
	bench_render_grid_put(grid, row, P, bench_render_words_p(arena, verdict->p_adjusted));
	if (has_own_threshold(comparison, verdict))
		bench_render_grid_put(
			grid, row, THRESHOLD,
			bench_arena_format(arena, "%s%s",
					   bench_render_words_amount(arena, verdict->threshold,
								     bench_render_words_unit(verdict)),
					   verdict->learned_runs > 0 ? " learned" : ""));
	if (isfinite(verdict->mde))
		bench_render_grid_put(
			grid, row, MDE,
			bench_render_words_amount(arena, verdict->mde, bench_render_words_unit(verdict)));
	set_quantity(grid, row, BASE, verdict->base_median, verdict->unit);
	set_quantity(grid, row, NOW, verdict->candidate_median, verdict->unit);
	bench_render_grid_put(grid, row, MEDIANS,
			      bench_render_words_of_medians(arena, verdict->base_median,
							    verdict->candidate_median, verdict->ratio));
	if (verdict->alarm)
		bench_render_grid_put(grid, row, ALARM, bench_render_alarms_cell(arena, verdict->alarm));
	if (verdict->owner && *verdict->owner)
		bench_render_grid_put(grid, row, OWNER, bench_render_words_line(arena, verdict->owner));
	return row;
}

/*
 * Verdicts of one kind, `limit` of them at most; a reason that several in a row share stands once, under the
 * last of them.
 */
static void add_kind(const struct bench_comparison *comparison, const struct bench_verdict *const *verdicts,
		     size_t count, size_t limit, bool key_under, struct bench_grid *grid)
{
	size_t stop = count > limit ? limit : count, sharing = 0;
	for (size_t i = 0; i < stop; i++) {
		const char *reason = verdicts[i]->reason;
		size_t row = add_verdict(comparison, grid, verdicts[i], key_under);
		sharing++;
		if (i + 1 < stop && strcmp(verdicts[i + 1]->reason, reason) == 0)
			continue;
		if (*reason)
			bench_render_grid_under(
				grid, row,
				sharing == 1
					? reason
					: bench_arena_format(&grid->arena, "these %zu: %s", sharing, reason));
		sharing = 0;
	}
	if (stop < count)
		bench_render_grid_across(
			grid, bench_render_grid_row(grid), VERDICT, BENCH_TONE_PLAIN,
			bench_arena_format(&grid->arena, "... and %zu more %s; --all lists them",
					   count - stop, bench_compare_verdict_name(verdicts[0]->kind)));
}

void bench_render_comparison_add_same(struct bench_arena *arena, const struct bench_comparison *comparison,
				      struct bench_text *out)
{
	double largest = NAN;
	const char *least_sure = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind == BENCH_SAME && !verdict->by_difference && isfinite(verdict->mde) &&
		    !(verdict->mde <= largest)) {
			largest = verdict->mde;
			least_sure = verdict->key;
		}
	}
	size_t count = comparison->counts[BENCH_SAME];
	if (count == 0)
		return;
	bench_text_add(out, "%zu metric%s the same", count, count == 1 ? " is" : "s are");
	if (least_sure)
		bench_text_add(out, "; the largest MDE is %s (%s)",
			       bench_render_words_percent(arena, largest),
			       bench_render_words_line(arena, least_sure));
	bench_text_add(out, "\n");
}

void bench_render_comparison_add_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
					const char *prefix, struct bench_text *out)
{
	char **alarms;
	size_t count = bench_render_alarms_lines(arena, comparison, &alarms);
	for (size_t i = 0; i < count; i++)
		bench_text_add(out, "%s%s\n", prefix, alarms[i]);
}

/* Verdicts that deserve a remark. */
struct exceptions {
	size_t learned_runs; /* the most earlier runs that the between-run variance of a metric comes from */
	size_t raised;       /* metrics with a raised threshold */
	size_t disturbed;    /* metrics judged without some of their invocations */
};

static struct exceptions count_exceptions(const struct bench_comparison *comparison)
{
	struct exceptions found = {0};
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->learned_runs > found.learned_runs)
			found.learned_runs = verdict->learned_runs;
		found.raised += !verdict->by_difference &&
				verdict->threshold > fmax(verdict->asked, comparison->options.threshold);
		found.disturbed += verdict->base_disturbed + verdict->candidate_disturbed > 0;
	}
	return found;
}

static void add_line(struct bench_arena *arena, const char *what, const char *text, const char *prefix,
		     struct bench_text *out)
{
	bench_text_add(out, "%s%s: ", prefix, what);
	bench_render_words_add_behind(arena, text, prefix, out);
	bench_text_add(out, "\n");
}

void bench_render_comparison_add_context(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out)
{
	if (comparison->removed)
		bench_text_add(out, "%sremoved: %zu accepted\n", prefix, comparison->removed);
	if (comparison->line)
		add_line(arena, "line of history", comparison->line, prefix, out);
	for (size_t i = 0; i < comparison->env_change_count; i++)
		add_line(arena, "environment changed, as allowed", comparison->env_changes[i], prefix, out);
	for (size_t i = 0; i < comparison->env_note_count; i++)
		add_line(arena, "environment differs", comparison->env_notes[i], prefix, out);
}

void bench_render_comparison_add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out)
{
	const struct exceptions found = count_exceptions(comparison);
	size_t disturbed = found.disturbed;
	if (found.learned_runs) {
		bench_text_add(
			out,
			"%show far runs differ was learned from %zu earlier runs: intervals allow for it",
			prefix, found.learned_runs);
		if (found.raised)
			bench_text_add(out, ", and %zu metric%s a threshold above %s", found.raised,
				       found.raised == 1 ? " has" : "s have",
				       bench_render_words_percent(arena, comparison->options.threshold));
		bench_text_add(out, "\n");
	}
	if (disturbed)
		bench_text_add(
			out, "%s%zu metric%s judged without invocations in which the machine was disturbed\n",
			prefix, disturbed, disturbed == 1 ? " was" : "s were");
	if (comparison->not_selected)
		bench_text_add(out, "%s%zu metric%s of the baseline %s not asked for in this run\n", prefix,
			       comparison->not_selected, comparison->not_selected == 1 ? "" : "s",
			       comparison->not_selected == 1 ? "was" : "were");
	if (comparison->ignored)
		bench_text_add(out, "%s%zu %s left out, as the project file says\n", prefix,
			       comparison->ignored, comparison->ignored == 1 ? "is" : "are");
	bench_render_comparison_add_context(arena, comparison, prefix, out);
}

int bench_render_comparison_by_size(const void *a, const void *b)
{
	const struct bench_verdict *x = *(const struct bench_verdict *const *)a,
				   *y = *(const struct bench_verdict *const *)b;
	double left = fabs(bench_compare_size(x)), right = fabs(bench_compare_size(y));
	if (left != right)
		return left < right ? 1 : -1;
	return (x > y) - (x < y);
}

/* The verdicts of a kind, in `arena`. */
static const struct bench_verdict **pick(const struct bench_comparison *comparison,
					 enum bench_verdict_kind kind, struct bench_arena *arena,
					 size_t *count)
{
	const struct bench_verdict **picked =
		bench_arena_alloc(arena, comparison->verdict_count + 1, sizeof(*picked));
	*count = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (comparison->verdicts[i].kind == kind)
			picked[(*count)++] = &comparison->verdicts[i];
	if (kind == BENCH_SLOWER || kind == BENCH_FASTER)
		qsort(picked, *count, sizeof(const struct bench_verdict *), bench_render_comparison_by_size);
	return picked;
}

/* Readers copy keys: they are never cut, but go under their rows in a narrow terminal. */
static bool needs_key_under(const struct bench_comparison *comparison, unsigned width)
{
	const size_t others = 84; /* columns that the other cells take */
	for (size_t i = 0; i < comparison->verdict_count && width; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind != BENCH_SAME && bench_render_words_columns(verdict->key) + others > width)
			return true;
	}
	return false;
}

/* The unclear verdicts that are listed: all if they are few, else those that fail. */
static size_t keep_unclear(const struct bench_verdict **verdicts, size_t count, unsigned failing)
{
	size_t kept = 0;
	if (count <= FEW)
		return count;
	for (size_t i = 0; i < count; i++)
		if (bench_compare_fails(verdicts[i], failing))
			verdicts[kept++] = verdicts[i];
	return kept;
}

void bench_render_comparison_grid(const struct bench_comparison *comparison, unsigned width, unsigned failing,
				  bool all, struct bench_grid *grid, bool *unclear)
{
	static const enum bench_verdict_kind order[] = {BENCH_BROKEN,    BENCH_MISSING, BENCH_SLOWER,
							BENCH_SUSPECTED, BENCH_FASTER,  BENCH_NEW,
							BENCH_UNCLEAR,   BENCH_SAME};
	bool key_under = needs_key_under(comparison, width);
	bench_render_grid_columns(grid, columns, COLUMNS);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t count;
		const struct bench_verdict **picked = pick(comparison, order[i], &grid->arena, &count);
		size_t kept = all                         ? count
			      : order[i] == BENCH_SAME    ? 0
			      : order[i] == BENCH_UNCLEAR ? keep_unclear(picked, count, failing)
							  : count;
		if (order[i] == BENCH_UNCLEAR)
			*unclear = kept < count;
		add_kind(comparison, picked, kept, all ? kept : LISTED, key_under, grid);
	}
}

void bench_render_comparison_grid_all(const struct bench_comparison *comparison, struct bench_grid *grid)
{
	bench_render_grid_columns(grid, columns, COLUMNS);
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		size_t row = add_verdict(comparison, grid, &comparison->verdicts[i], false);
		bench_render_grid_put(grid, row, REASON, comparison->verdicts[i].reason);
	}
}
