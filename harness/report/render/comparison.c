/* SPDX-License-Identifier: MIT */
#include "report/render/comparison.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/alarms.h"
#include "report/render/answer.h"
#include "report/render/bounds.h"
#include "report/render/names.h"
#include "report/render/words.h"

#define LISTED 20 /* of each kind, in a terminal */
#define LEVELS 8  /* of intervals that are told apart */

enum bench_tone bench_render_comparison_tone(const struct bench_verdict *verdict)
{
	static const enum bench_tone tones[BENCH_VERDICT_KINDS] = {
		[BENCH_FASTER] = BENCH_TONE_GOOD,   [BENCH_SLOWER] = BENCH_TONE_BAD,
		[BENCH_UNCLEAR] = BENCH_TONE_DOUBT, [BENCH_MISSING] = BENCH_TONE_BAD,
		[BENCH_BROKEN] = BENCH_TONE_BAD,    [BENCH_SUSPECTED] = BENCH_TONE_DOUBT,
	};
	return tones[verdict->kind];
}

enum { VERDICT, NAME, BASE, NOW, CHANGE, INTERVAL, COLUMNS };

static const struct bench_grid_column columns[COLUMNS] = {
	[VERDICT] = {"verdict", false, 0}, [NAME] = {"case", false, 0},    [BASE] = {"before", true, 0},
	[NOW] = {"now", true, 0},          [CHANGE] = {"change", true, 0}, [INTERVAL] = {"interval", true, 0},
};

/* What a grid is filled from. */
struct filling {
	const struct bench_comparison *comparison;
	const char *const *names; /* one per verdict */
	struct bench_grid *grid;
	const char *level; /* of the intervals, in the header */
	size_t room;       /* for a name beside the numbers; a longer one stands above them */
	bool explain;
	unsigned width;
};

static const char *quantity(struct bench_arena *arena, double value, const char *unit)
{
	return isnan(value) ? "" : bench_render_words_quantity(arena, value, unit);
}

static const char *size_of(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	return bench_compare_has_size(verdict) ? bench_render_words_size(arena, verdict) : "";
}

/* The interval without its level where that is the one that the header names. */
static const char *interval_beside(struct bench_arena *arena, const char *level,
				   const struct bench_verdict *verdict)
{
	const char *interval = bench_render_answer_interval(arena, verdict);
	const size_t length = strlen(level);
	return length && strncmp(interval, level, length) == 0 && interval[length] == ' '
		       ? interval + length + 1
		       : interval;
}

/* The level that most intervals of a table have: "95%"; "" without intervals. */
static const char *usual_level(struct bench_arena *arena, const struct bench_comparison *comparison, bool all)
{
	struct {
		const char *text;
		size_t count;
	} levels[LEVELS] = {{"", 0}};
	size_t most = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		const char *interval = bench_render_answer_interval(arena, verdict);
		const char *end = strstr(interval, "% ");
		if (!end || (verdict->kind == BENCH_SAME && !all))
			continue;
		const char *level = bench_arena_format(arena, "%.*s", (int)(end + 1 - interval), interval);
		size_t at = 0;
		while (at + 1 < LEVELS && levels[at].count && strcmp(levels[at].text, level) != 0)
			at++;
		levels[at].text = level;
		levels[at].count++;
		most = levels[at].count > levels[most].count ? at : most;
	}
	return levels[most].text;
}

/* Before, now, change and interval, from a column on. */
static void put_numbers(struct bench_grid *grid, size_t row, size_t first, const char *level,
			const struct bench_verdict *verdict)
{
	struct bench_arena *arena = &grid->arena;
	bench_render_grid_put(grid, row, first, quantity(arena, verdict->base_median, verdict->unit));
	bench_render_grid_put(grid, row, first + NOW - BASE,
			      quantity(arena, verdict->candidate_median, verdict->unit));
	bench_render_grid_set(grid, row, first + CHANGE - BASE, bench_render_comparison_tone(verdict),
			      size_of(arena, verdict));
	bench_render_grid_put(grid, row, first + INTERVAL - BASE, interval_beside(arena, level, verdict));
}

/* "needed a change of 24.6% (noise)": what `slower` takes where that is more than what was asked for. */
static const char *needed(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	const char *unit = bench_render_words_unit(verdict);
	if (!(verdict->threshold > verdict->asked) || verdict->by_difference)
		return "";
	return bench_arena_format(arena, "needed a change of %s (noise)",
				  bench_render_words_amount(arena, verdict->threshold, unit));
}

/* "by medians -1.2%", where the medians in the row say another thing than the change. */
static const char *by_medians(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	const char *text = bench_render_words_of_medians(
		arena, verdict->base_median, verdict->candidate_median, verdict->ratio, verdict->threshold);
	return *text ? bench_arena_format(arena, "by medians %s", text) : "";
}

static void add_part(struct bench_text *line, const char *text)
{
	if (*text)
		bench_text_add(line, "%s%s", line->length ? "; " : "", text);
}

/* A line under a row, broken where the terminal ends. */
static void add_under(const struct filling *filling, size_t row, const char *text)
{
	const size_t indent = 4; /* the grid's, of such lines */
	BENCH_SCOPED_TEXT lines = {0};
	bench_render_words_add_wrapped(&lines, bench_render_words_line(&filling->grid->arena, text), 0, 2,
				       filling->width > indent ? filling->width - indent : 0);
	char *rest = lines.data, *line;
	while ((line = bench_text_next(&rest, '\n')))
		if (*line)
			bench_render_grid_under(filling->grid, row, line);
}

/* "alarm 12, open"; one that is not stored has no number. */
static const char *alarm_of(struct bench_arena *arena, const struct bench_verdict_alarm *alarm)
{
	const char *state = bench_render_alarms_state(alarm);
	return alarm->id ? bench_arena_format(arena, "alarm %lld, %s", (long long)alarm->id, state)
			 : bench_arena_format(arena, "alarm, %s", state);
}

/* What else is to be known of a row, in a line; where it is explained, the statistics have what it needed. */
static const char *remark(struct bench_arena *arena, const struct bench_verdict *verdict, bool explain)
{
	struct bench_text line = {0};
	bool decided = verdict->kind == BENCH_SLOWER || verdict->kind == BENCH_FASTER;
	if (!explain && !decided && bench_compare_has_size(verdict) && !verdict->by_difference &&
	    fabs(log(verdict->ratio)) >= log1p(verdict->asked))
		add_part(&line, needed(arena, verdict));
	add_part(&line, by_medians(arena, verdict));
	if (verdict->alarm)
		add_part(&line, alarm_of(arena, verdict->alarm));
	if (verdict->owner && *verdict->owner)
		add_part(&line, bench_arena_format(arena, "owner: %s", verdict->owner));
	if (verdict->expected)
		add_part(&line, bench_render_bounds_expected(arena, verdict->expected));
	return bench_text_keep(&line, arena);
}

/* "p 0.0032; needed 12.3% (noise), learned from 9 runs; a change of 3.1% would have been seen; invocations: 5
 * before, 3 now, 1 disturbed" */
static const char *statistics(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	struct bench_text line = {0};
	const char *p = bench_render_words_p(arena, verdict->p_adjusted), *least = needed(arena, verdict);
	size_t disturbed = verdict->base_disturbed + verdict->candidate_disturbed;
	if (*p)
		add_part(&line, bench_arena_format(arena, "p %s", p));
	if (*least && verdict->learned_runs)
		least = bench_arena_format(arena, "%s, learned from %zu runs", least, verdict->learned_runs);
	add_part(&line, least);
	if (isfinite(verdict->mde))
		add_part(&line,
			 bench_arena_format(arena, "a change of %s would have been seen",
					    bench_render_words_amount(arena, verdict->mde,
								      bench_render_words_unit(verdict))));
	if (verdict->base_invocations + verdict->candidate_invocations)
		add_part(&line,
			 bench_arena_format(arena, "invocations: %zu before, %zu now",
					    verdict->base_invocations, verdict->candidate_invocations));
	if (disturbed)
		add_part(&line, bench_arena_format(arena, "%zu left out as disturbed", disturbed));
	return bench_text_keep(&line, arena);
}

static size_t add_verdict(const struct filling *filling, const struct bench_verdict *verdict)
{
	struct bench_grid *grid = filling->grid;
	const char *name = filling->names[verdict - filling->comparison->verdicts];
	const bool fits = !filling->width || bench_render_words_columns(name) + 12 <= filling->width;
	size_t row = bench_render_grid_row(grid);
	bench_render_grid_set(grid, row, VERDICT, bench_render_comparison_tone(verdict),
			      bench_compare_verdict_name(verdict->kind));
	if (bench_render_words_columns(name) <= filling->room) {
		bench_render_grid_put(grid, row, NAME, name);
	} else {
		if (fits)
			bench_render_grid_across(grid, row, NAME, BENCH_TONE_PLAIN, name);
		else
			add_under(filling, row, name);
		if (bench_compare_has_size(verdict) || !isnan(verdict->candidate_median))
			row = bench_render_grid_row(grid);
	}
	put_numbers(grid, row, BASE, filling->level, verdict);
	if (filling->explain) {
		const char *told = statistics(&grid->arena, verdict);
		add_under(filling, row, verdict->key);
		if (*told)
			add_under(filling, row, told);
	}
	return row;
}

/* The reason that stands under a row: in full where it is to be explained; of unclear ones the foot has it.
 */
static const char *reason_under(const struct filling *filling, const struct bench_verdict *verdict)
{
	if (filling->explain)
		return verdict->reason;
	return verdict->kind == BENCH_UNCLEAR ? "" : bench_render_answer_why(verdict);
}

/* Counts a verdict's text, and adds it under its row where the next verdict has another: once for those in a
 * row that share it. */
static void share(const struct filling *filling, size_t *sharing, size_t row, const char *text,
		  const char *next)
{
	(*sharing)++;
	if (next && strcmp(next, text) == 0)
		return;
	if (*text)
		add_under(filling, row,
			  *sharing == 1 ? text
					: bench_arena_format(&filling->grid->arena,
							     "the %zu rows just above: %s", *sharing, text));
	*sharing = 0;
}

/* Verdicts of one kind, `limit` of them at most. */
static void add_kind(const struct filling *filling, const struct bench_verdict *const *verdicts, size_t count,
		     size_t limit)
{
	struct bench_grid *grid = filling->grid;
	size_t stop = count > limit ? limit : count;
	size_t remarks = 0, reasons = 0;
	for (size_t i = 0; i < stop; i++) {
		const struct bench_verdict *next = i + 1 < stop ? verdicts[i + 1] : NULL;
		size_t row = add_verdict(filling, verdicts[i]);
		share(filling, &remarks, row, remark(&grid->arena, verdicts[i], filling->explain),
		      next ? remark(&grid->arena, next, filling->explain) : NULL);
		share(filling, &reasons, row, reason_under(filling, verdicts[i]),
		      next ? reason_under(filling, next) : NULL);
	}
	if (stop < count)
		bench_render_grid_across(
			grid, bench_render_grid_row(grid), VERDICT, BENCH_TONE_PLAIN,
			bench_arena_format(&grid->arena, "... and %zu more %s; --all lists them",
					   count - stop, bench_compare_verdict_name(verdicts[0]->kind)));
}

double bench_render_comparison_seen(const struct bench_comparison *comparison)
{
	double largest = NAN;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind == BENCH_SAME && !verdict->by_difference && isfinite(verdict->mde) &&
		    !(verdict->mde <= largest))
			largest = verdict->mde;
	}
	return largest;
}

void bench_render_comparison_add_same(struct bench_arena *arena, const struct bench_comparison *comparison,
				      struct bench_text *out)
{
	double seen = bench_render_comparison_seen(comparison);
	size_t count = comparison->counts[BENCH_SAME];
	if (count == 0)
		return;
	bench_text_add(out, "%zu same", count);
	if (isfinite(seen))
		bench_text_add(out, ": a change of %s would have been seen",
			       bench_render_words_percent(arena, seen));
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
	if (comparison->no_device_time)
		add_line(arena, "device_time",
			 bench_arena_format(arena, "not judged in %zu case%s%s: %s",
					    comparison->no_device_time,
					    bench_text_plural(comparison->no_device_time),
					    comparison->no_device_time > 1 ? "; the first" : "",
					    comparison->no_device_time_why),
			 prefix, out);
	if (comparison->removed)
		bench_text_add(out, "%sremoved: %zu accepted\n", prefix, comparison->removed);
	if (comparison->line)
		add_line(arena, "line of history", comparison->line, prefix, out);
	if (comparison->unchecked)
		add_line(arena, "unchecked",
			 bench_arena_format(arena,
					    "%zu case%s, of which \"check\": \"none\" accepts any result",
					    comparison->unchecked, bench_text_plural(comparison->unchecked)),
			 prefix, out);
	for (size_t i = 0; i < comparison->env_change_count; i++)
		add_line(arena, "environment changed, as allowed", comparison->env_changes[i], prefix, out);
	for (size_t i = 0; i < comparison->env_note_count; i++)
		add_line(arena, "environment differs", comparison->env_notes[i], prefix, out);
}

/* How the verdicts were made, for those who want to check: the error rate and what noise did to them. */
void bench_render_comparison_add_method(struct bench_arena *arena, const struct bench_comparison *comparison,
					const char *prefix, struct bench_text *out)
{
	size_t learned_runs = 0, raised = 0, disturbed = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		learned_runs = verdict->learned_runs > learned_runs ? verdict->learned_runs : learned_runs;
		raised += !verdict->by_difference &&
			  verdict->threshold > fmax(verdict->asked, comparison->options.threshold);
		disturbed += verdict->base_disturbed + verdict->candidate_disturbed > 0;
	}
	bench_text_add(out, "%salpha %g%%: the chance of any false alarm over all metrics together\n", prefix,
		       100 * comparison->options.alpha);
	if (learned_runs)
		bench_text_add(
			out,
			"%s%zu earlier run%s showed how far runs differ, and the intervals allow for it\n",
			prefix, learned_runs, bench_text_plural(learned_runs));
	if (raised)
		bench_text_add(out, "%s%zu metric%s more than %s for `slower`, because of noise\n", prefix,
			       raised, raised == 1 ? " needs" : "s need",
			       bench_arena_format(arena, "%.3g%%", 100 * comparison->options.threshold));
	if (disturbed)
		bench_text_add(out, "%s%zu metric%s judged without the disturbed invocations\n", prefix,
			       disturbed, disturbed == 1 ? " was" : "s were");
}

void bench_render_comparison_add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out)
{
	if (comparison->not_selected)
		bench_text_add(out, "%s%zu metric%s of the baseline %s not asked for in this run\n", prefix,
			       comparison->not_selected, bench_text_plural(comparison->not_selected),
			       comparison->not_selected == 1 ? "was" : "were");
	if (comparison->ignored)
		bench_text_add(out, "%s%zu metric%s %s not judged, as the project file says\n", prefix,
			       comparison->ignored, bench_text_plural(comparison->ignored),
			       comparison->ignored == 1 ? "is" : "are");
	bench_render_bounds_add(arena, comparison, prefix, out);
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

struct named {
	const struct bench_verdict *verdict;
	const char *name;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = bench_render_names_order(x->name, y->name);
	return order ? order : (x->verdict > y->verdict) - (x->verdict < y->verdict);
}

/* The verdicts of a kind, in `arena`: the largest changes first, else by name. */
static const struct bench_verdict **pick(const struct filling *filling, enum bench_verdict_kind kind,
					 struct bench_arena *arena, size_t *count)
{
	const struct bench_comparison *comparison = filling->comparison;
	const struct bench_verdict **picked =
		bench_arena_alloc(arena, comparison->verdict_count + 1, sizeof(*picked));
	struct named *named = bench_arena_alloc(arena, comparison->verdict_count + 1, sizeof(*named));
	*count = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (comparison->verdicts[i].kind == kind)
			named[(*count)++] = (struct named){&comparison->verdicts[i], filling->names[i]};
	if (*count > 1)
		qsort(named, *count, sizeof(*named), by_name);
	for (size_t i = 0; i < *count; i++)
		picked[i] = named[i].verdict;
	if (*count > 1 && (kind == BENCH_SLOWER || kind == BENCH_FASTER || kind == BENCH_SUSPECTED))
		qsort(picked, *count, sizeof(const struct bench_verdict *), bench_render_comparison_by_size);
	return picked;
}

/* The columns that names have beside the numbers. */
static size_t room_for_names(const struct filling *filling, bool all)
{
	const struct bench_comparison *comparison = filling->comparison;
	size_t most[COLUMNS] = {0}, total = 2;
	BENCH_SCOPED_ARENA arena = {0};
	for (size_t c = 0; c < COLUMNS; c++)
		most[c] = strlen(columns[c].title);
	most[INTERVAL] += *filling->level ? strlen(filling->level) + 1 : 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		const char *const cells[COLUMNS] = {
			[VERDICT] = bench_compare_verdict_name(verdict->kind),
			[NAME] = "",
			[BASE] = quantity(&arena, verdict->base_median, verdict->unit),
			[NOW] = quantity(&arena, verdict->candidate_median, verdict->unit),
			[CHANGE] = size_of(&arena, verdict),
			[INTERVAL] = interval_beside(&arena, filling->level, verdict)};
		for (size_t c = 0; c < COLUMNS && (all || verdict->kind != BENCH_SAME); c++) {
			size_t wanted = bench_render_words_columns(cells[c]);
			most[c] = wanted > most[c] ? wanted : most[c];
		}
	}
	for (size_t c = 0; c < COLUMNS; c++)
		total += (c == NAME ? 0 : most[c]) + (c ? 2 : 0);
	return !filling->width ? SIZE_MAX : filling->width > total ? filling->width - total : 0;
}

void bench_render_comparison_grid(const struct bench_comparison *comparison, unsigned width, bool all,
				  bool explain, struct bench_grid *grid)
{
	static const enum bench_verdict_kind order[] = {BENCH_BROKEN,    BENCH_MISSING, BENCH_SLOWER,
							BENCH_SUSPECTED, BENCH_FASTER,  BENCH_UNCLEAR,
							BENCH_NEW,       BENCH_SAME};
	struct filling filling = {.comparison = comparison,
				  .names = bench_render_names(&grid->arena, comparison),
				  .grid = grid,
				  .level = usual_level(&grid->arena, comparison, all),
				  .explain = explain,
				  .width = width};
	filling.room = room_for_names(&filling, all);
	bench_render_grid_columns(grid, columns, COLUMNS);
	if (*filling.level)
		grid->columns[INTERVAL].title =
			bench_arena_format(&grid->arena, "%s interval", filling.level);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t count;
		const struct bench_verdict **picked = pick(&filling, order[i], &grid->arena, &count);
		if (order[i] == BENCH_SAME && !all)
			continue;
		add_kind(&filling, picked, count, all ? count : LISTED);
	}
}

void bench_render_comparison_grid_all(const struct bench_comparison *comparison, bool explain,
				      struct bench_grid *grid)
{
	enum {
		FULL_VERDICT,
		FULL_KEY,
		FULL_NUMBERS,
		P = FULL_NUMBERS + 4,
		LEAST,
		SEEN,
		ALARM,
		OWNER,
		REASON
	};
	static const struct bench_grid_column more[] = {
		{"p", true, 0},      {"needed", true, 0}, {"would be seen", true, 0},
		{"alarm", false, 0}, {"owner", false, 0}, {"reason", false, 0}};
	struct bench_arena *arena = &grid->arena;
	bench_render_grid_columns(grid, columns, COLUMNS);
	bench_render_grid_columns(grid, more, sizeof(more) / sizeof(more[0]));
	grid->columns[FULL_KEY].title = "metric";
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		const char *unit = bench_render_words_unit(verdict);
		size_t row = bench_render_grid_row(grid);
		bench_render_grid_set(grid, row, FULL_VERDICT, bench_render_comparison_tone(verdict),
				      bench_compare_verdict_name(verdict->kind));
		bench_render_grid_put(grid, row, FULL_KEY, verdict->key);
		put_numbers(grid, row, FULL_NUMBERS, "", verdict);
		if (explain) {
			bench_render_grid_put(grid, row, P, bench_render_words_p(arena, verdict->p_adjusted));
			bench_render_grid_put(grid, row, LEAST, needed(arena, verdict));
			if (isfinite(verdict->mde))
				bench_render_grid_put(grid, row, SEEN,
						      bench_render_words_amount(arena, verdict->mde, unit));
		}
		if (verdict->alarm)
			bench_render_grid_put(grid, row, ALARM,
					      bench_render_alarms_cell(arena, verdict->alarm));
		if (verdict->owner && *verdict->owner)
			bench_render_grid_put(grid, row, OWNER, verdict->owner);
		const char *why = explain ? verdict->reason : bench_render_answer_why(verdict);
		const char *medians = by_medians(arena, verdict);
		bench_render_grid_put(
			grid, row, REASON,
			bench_arena_format(arena, "%s%s%s", medians, *medians && *why ? "; " : "", why));
	}
}
