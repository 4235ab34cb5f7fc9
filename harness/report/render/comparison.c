#include "report/render/comparison.h"

#include <math.h>
#include <string.h>

#include "report/render/alarms.h"
#include "report/render/words.h"

#define LISTED 20 /* of what is faster, and of what is new, in a terminal */

enum bench_tone bench_render_comparison_tone(const struct bench_verdict *verdict)
{
	static const enum bench_tone tones[BENCH_VERDICT_KINDS] = {
		[BENCH_FASTER] = BENCH_TONE_GOOD,   [BENCH_SLOWER] = BENCH_TONE_BAD,
		[BENCH_UNCLEAR] = BENCH_TONE_DOUBT, [BENCH_MISSING] = BENCH_TONE_BAD,
		[BENCH_BROKEN] = BENCH_TONE_BAD,
	};
	return tones[verdict->kind];
}

enum { VERDICT, METRIC, CHANGE, INTERVAL, P, THRESHOLD, MDE, BASE, NOW, ALARM, OWNER, REASON, COLUMNS };

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

/* key_under: the key stands on a line of its own under the row, for terminals that it would not fit. */
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
	if (isfinite(verdict->ratio))
		bench_render_grid_set(grid, row, CHANGE, bench_render_comparison_tone(verdict),
				      bench_render_words_change(arena, verdict->ratio));
	if (isfinite(verdict->lo) && isfinite(verdict->hi))
		bench_render_grid_put(grid, row, INTERVAL,
				      bench_arena_format(arena, "%s..%s",
							 bench_render_words_change(arena, verdict->lo),
							 bench_render_words_change(arena, verdict->hi)));
	bench_render_grid_put(grid, row, P, bench_render_words_p(arena, verdict->p_adjusted));
	if (verdict->threshold > comparison->options.threshold ||
	    (verdict->asked > 0 && verdict->asked < comparison->options.threshold))
		bench_render_grid_put(
			grid, row, THRESHOLD,
			bench_arena_format(arena, "%s%s",
					   bench_render_words_percent(arena, verdict->threshold),
					   verdict->learned_runs > 0 ? " learned" : ""));
	if (isfinite(verdict->mde))
		bench_render_grid_put(grid, row, MDE, bench_render_words_percent(arena, verdict->mde));
	set_quantity(grid, row, BASE, verdict->base_median, verdict->unit);
	set_quantity(grid, row, NOW, verdict->candidate_median, verdict->unit);
	if (verdict->alarm)
		bench_render_grid_put(grid, row, ALARM, bench_render_alarms_cell(arena, verdict->alarm));
	if (verdict->owner && *verdict->owner)
		bench_render_grid_put(grid, row, OWNER, bench_render_words_line(arena, verdict->owner));
	return row;
}

/*
 * The verdicts [start, end) of one kind; a reason that several in a row share stands once,
 * under the last of them.
 */
static void add_kind(const struct bench_comparison *comparison, size_t start, size_t end, bool key_under,
		     struct bench_grid *grid)
{
	const struct bench_verdict *verdicts = comparison->verdicts;
	enum bench_verdict_kind kind = verdicts[start].kind;
	size_t limit = kind == BENCH_FASTER || kind == BENCH_NEW ? LISTED : end - start, sharing = 0;
	size_t stop = end - start > limit ? start + limit : end;
	for (size_t i = start; i < stop; i++) {
		const char *reason = verdicts[i].reason;
		size_t row = add_verdict(comparison, grid, &verdicts[i], key_under);
		sharing++;
		if (i + 1 < stop && strcmp(verdicts[i + 1].reason, reason) == 0)
			continue;
		if (*reason)
			bench_render_grid_under(
				grid, row,
				sharing == 1
					? reason
					: bench_arena_format(&grid->arena, "these %zu: %s", sharing, reason));
		sharing = 0;
	}
	if (stop < end)
		bench_render_grid_across(
			grid, bench_render_grid_row(grid), VERDICT, BENCH_TONE_PLAIN,
			bench_arena_format(&grid->arena,
					   "... and %zu more %s; json, csv and markdown list all", end - stop,
					   bench_compare_verdict_name(kind)));
}

void bench_render_comparison_add_same(struct bench_arena *arena, const struct bench_comparison *comparison,
				      struct bench_text *out)
{
	double largest = NAN;
	const char *least_sure = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind == BENCH_SAME && isfinite(verdict->mde) && !(verdict->mde <= largest)) {
			largest = verdict->mde;
			least_sure = verdict->key;
		}
	}
	size_t count = comparison->counts[BENCH_SAME];
	if (count == 0)
		return;
	bench_text_add(out, "%zu metric%s same", count, count == 1 ? " is the" : "s are the");
	if (least_sure)
		bench_text_add(out, "; the largest MDE is %s (%s)",
			       bench_render_words_percent(arena, largest),
			       bench_render_words_line(arena, least_sure));
	bench_text_add(out, "\n");
}

void bench_render_comparison_add_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
					const char *prefix, struct bench_text *out)
{
	struct bench_alarm_group *groups;
	size_t count;
	bench_render_alarms(arena, comparison, &groups, &count);
	for (size_t i = 0; i < count; i++)
		bench_text_add(out, "%s%s\n", prefix, bench_render_alarms_line(arena, &groups[i]));
}

/* What of the verdicts is to be remarked upon. */
struct exceptions {
	size_t learned_runs; /* the most that taught a metric how far runs differ */
	size_t raised;       /* metrics with a threshold of their own */
	size_t disturbed;    /* metrics judged without some of their invocations */
};

static struct exceptions count_exceptions(const struct bench_comparison *comparison)
{
	struct exceptions found = {0};
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->learned_runs > found.learned_runs)
			found.learned_runs = verdict->learned_runs;
		found.raised += verdict->threshold > fmax(verdict->asked, comparison->options.threshold);
		found.disturbed += verdict->base_disturbed + verdict->candidate_disturbed > 0;
	}
	return found;
}

static void add_environment(struct bench_arena *arena, const char *what, char *const *differences,
			    size_t count, const char *prefix, struct bench_text *out)
{
	for (size_t i = 0; i < count; i++) {
		bench_text_add(out, "%s%s: ", prefix, what);
		if (*prefix)
			bench_render_words_add_markdown(out, differences[i]);
		else
			bench_text_add(out, "%s", bench_render_words_line(arena, differences[i]));
		bench_text_add(out, "\n");
	}
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
	if (comparison->removed)
		bench_text_add(out, "%sremoved: %zu accepted\n", prefix, comparison->removed);
	add_environment(arena, "environment changed, as allowed", comparison->env_changes,
			comparison->env_change_count, prefix, out);
	add_environment(arena, "environment differs", comparison->env_notes, comparison->env_note_count,
			prefix, out);
}

/* Keys are what a reader copies: they are never cut, but go under their rows in a narrow terminal. */
static bool needs_key_under(const struct bench_comparison *comparison, unsigned width)
{
	const size_t others = 72; /* columns that all but the key take */
	for (size_t i = 0; i < comparison->verdict_count && width; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind != BENCH_SAME && bench_render_words_columns(verdict->key) + others > width)
			return true;
	}
	return false;
}

void bench_render_comparison_grid(const struct bench_comparison *comparison, unsigned width,
				  struct bench_grid *grid)
{
	bool key_under = needs_key_under(comparison, width);
	bench_render_grid_columns(grid, columns, COLUMNS);
	/* Verdicts are sorted, worst first, so that those of a kind stand together. */
	for (size_t start = 0, end; start < comparison->verdict_count; start = end) {
		for (end = start + 1; end < comparison->verdict_count; end++) {
			if (comparison->verdicts[end].kind != comparison->verdicts[start].kind)
				break;
		}
		if (comparison->verdicts[start].kind != BENCH_SAME)
			add_kind(comparison, start, end, key_under, grid);
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
