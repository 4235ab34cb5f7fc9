/* SPDX-License-Identifier: MIT */
#include "app/anchor.h"

#include <math.h>
#include <string.h>

#include "app/kept.h"
#include "app/runs.h"
#include "compare/duel.h"
#include "core/metric.h"
#include "core/text.h"
#include "stats/signed.h"

#define FIRST "itself" /* the label of a run interleaved with its own executable */
#define LEVEL 0.90     /* of the interval that a standard error is taken from */
#define WHY   "accepted: %s"
#define APART 60 /* seconds between what one command puts, at most: an alarm has many metrics */

/* Nights before, that the anchor's own time is compared with. */
enum { LEAST_NIGHTS = 3, MOST_NIGHTS = 10 };

/* This executable, in the place of an anchor. */
static int take_itself(struct bench_app_anchor *anchor, struct bench_error *error)
{
	anchor->first = true;
	anchor->row = (struct bench_anchor_row){.run = FIRST};
	anchor->name = bench_arena_string(&anchor->arena, "itself");
	return bench_app_kept_text(anchor->db, anchor->content, &anchor->arena, &anchor->program, error);
}

int bench_app_anchor_drop(struct bench_app_anchor *anchor, struct bench_error *error)
{
	return take_itself(anchor, error);
}

/* The newest that is on the line. *row: empty if none is; *others: how many are off it. */
static int find_on_line(struct bench_app_anchor *anchor, struct bench_store *store,
			const struct bench_app_line *line, size_t *others, struct bench_error *error)
{
	struct bench_anchor_row *rows;
	size_t count;
	*others = 0;
	anchor->row = (struct bench_anchor_row){0};
	if (bench_store_anchors(store, anchor->fingerprint, anchor->track, &anchor->arena, &rows, &count,
				error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (bench_app_line_has(line, rows[i].commit, rows[i].branch))
			anchor->row = rows[i];
		else
			++*others;
	return 0;
}

int bench_app_anchor_find(struct bench_app_anchor *anchor, const struct bench_app_measure *measure,
			  const struct bench_app_line *line, char **lost, size_t *others,
			  struct bench_error *error)
{
	struct bench_run *run = measure->run;
	struct bench_error cause;
	*lost = NULL;
	*anchor = (struct bench_app_anchor){.db = measure->request->places.db,
					    .fingerprint = bench_record_fact(run, "fingerprint")};
	anchor->track = bench_compare_track(run, &anchor->arena);
	if (bench_app_kept_add(anchor->db, run, &anchor->arena, &anchor->content, error) != 0)
		return -1;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "kept", anchor->content);
	if (find_on_line(anchor, measure->store, line, others, error) != 0)
		return -1;
	if (!anchor->row.run)
		return take_itself(anchor, error);
	if (bench_app_kept_text(anchor->db, anchor->row.content, &anchor->arena, &anchor->program, &cause) !=
	    0) {
		*lost = bench_arena_string(&anchor->arena, cause.text);
		return take_itself(anchor, error);
	}
	anchor->name = bench_arena_format(&anchor->arena, "anchor %s", anchor->row.run);
	return 0;
}

int bench_app_anchor_of_alarm(const char *db, const struct bench_alarm *alarm, struct bench_arena *arena,
			      char **program, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_anchor_row *rows;
	size_t count;

	if (bench_app_open_store(db, &store, error) != 0 ||
	    bench_store_anchors(store, alarm->fingerprint, alarm->track, arena, &rows, &count, error) != 0)
		return -1;
	return count == 0 ? bench_fail(error, BENCH_NOTHING, "its gate had no anchor")
			  : bench_app_kept_text(db, rows[count - 1].content, arena, program, error);
}

/* Removes what is kept and no anchor any more. */
static void prune(struct bench_store *store, const char *db)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_anchor_row *rows;
	struct bench_error ignored;
	size_t count;
	if (bench_store_anchors(store, NULL, NULL, &arena, &rows, &count, &ignored) == 0) {
		const char **used = bench_arena_alloc(&arena, count + 1, sizeof(*used));
		for (size_t i = 0; i < count; i++)
			used[i] = rows[i].content;
		bench_app_kept_prune(db, used, count);
	}
}

/* Nothing is kept of an anchor that is at the level, and where the first one was. */
static void add_level(struct bench_arena *arena, struct bench_anchor_row *row,
		      const struct bench_anchor_level *level)
{
	struct bench_anchor_level *added;
	if (level->shift == 0 && level->error == 0 && level->chain == 0)
		return;
	added = bench_arena_push(arena, &row->levels, &row->level_count, sizeof(*added));
	*added = *level;
	added->key = bench_arena_string(arena, level->key);
}

static struct bench_anchor_level find_level(const struct bench_anchor_row *row, const char *key)
{
	const struct bench_anchor_level *level = BENCH_FIND(row->levels, row->level_count, key);
	return level ? *level : (struct bench_anchor_level){.key = key};
}

/* The standard error that an interval of logarithms stands for. */
static double error_of(double lo, double hi, double level)
{
	double half = 0.5 * (hi - lo);
	return level > 0 && isfinite(half) ? half / bench_stats_normal_quantile(0.5 + 0.5 * level) : 0;
}

/* Where the night's executable is of each metric's level: its judged ratio. */
static void add_night(struct bench_arena *arena, const struct bench_comparison *comparison,
		      const struct bench_anchor_row *before, struct bench_anchor_row *row)
{
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		const struct bench_anchor_level old = find_level(before, verdict->key);
		double shift = log(verdict->ratio);
		if (isfinite(shift))
			add_level(arena, row,
				  &(struct bench_anchor_level){
					  verdict->key, shift,
					  error_of(log(verdict->lo), log(verdict->hi), verdict->level),
					  old.chain + shift - old.shift});
	}
}

/* Should the night's executable become the anchor? */
static bool has_new_cases(const struct bench_comparison *comparison, const struct bench_run *run)
{
	return comparison->counts[BENCH_NEW] > 0 && comparison->counts[BENCH_BROKEN] == 0 &&
	       comparison->counts[BENCH_MISSING] == 0 && !*bench_record_label(run, "aside") &&
	       !run->interrupted;
}

int bench_app_anchor_settle(struct bench_app_anchor *anchor, const struct bench_app_measure *measure,
			    const struct bench_comparison *comparison, struct bench_error *error)
{
	const struct bench_run *run = measure->run;
	struct bench_anchor_row row = {.fingerprint = anchor->fingerprint,
				       .track = anchor->track,
				       .run = run->id,
				       .content = anchor->content,
				       .commit = run->git.present ? run->git.commit : "",
				       .why = anchor->first ? "the first night" : "the anchor lacks cases"};
	if (!anchor->first && !(comparison && has_new_cases(comparison, run)))
		goto out;
	if (!anchor->first)
		add_night(&anchor->arena, comparison, &anchor->row, &row);
	if (bench_store_anchor_put(measure->store, &row, error) != 0)
		return -1;
out:
	prune(measure->store, anchor->db);
	return 0;
}

/* The logarithm of a case's ratio to the anchor in a run, with its standard error; false where it has none.
 */
static bool measured(const struct bench_result *result, const char *ratio, struct bench_arena *arena,
		     double *shift, double *error)
{
	const struct bench_metric *metric = bench_record_metric(result, ratio);
	size_t count = 0;
	if (result->status != BENCH_STATUS_OK || !metric)
		return false;
	double *logs = bench_arena_alloc(arena, metric->series_count + 1, sizeof(*logs));
	for (size_t i = 0; i < metric->series_count; i++) {
		double median = bench_stats_median(metric->series[i].values, metric->series[i].count);
		if (median > 0 && isfinite(median))
			logs[count++] = log(median);
	}
	if (count == 0)
		return false;
	struct bench_interval interval =
		bench_stats_signed_series(logs, count, LEVEL, bench_stats_correlation(logs, count));
	*shift = interval.estimate;
	*error = error_of(interval.lo, interval.hi, interval.level);
	return true;
}

/* A metric's level from run `run` on. `moved`: its executable becomes the anchor. */
static struct bench_anchor_level next_level(const struct bench_anchor_level *old,
					    const struct bench_anchor_level *found, bool moved, bool accepted)
{
	if (!moved)
		return (struct bench_anchor_level){old->key, accepted ? -found->shift : old->shift,
						   accepted ? found->error : old->error, old->chain};
	return (struct bench_anchor_level){old->key, accepted ? 0 : old->shift + found->shift,
					   accepted ? 0 : hypot(old->error, found->error),
					   old->chain + found->shift};
}

static void add_levels(const struct bench_run *run, const struct bench_anchor_row *before, bool moved,
		       const char *pattern, struct bench_arena *arena, struct bench_anchor_row *row)
{
	bool is_anchor = strcmp(run->id, before->run) == 0;
	for (size_t i = 0; i < run->result_count * BENCH_METRIC_PAIRS; i++) {
		const struct bench_result *result = &run->results[i / BENCH_METRIC_PAIRS];
		const struct bench_metric_pair *pair = &bench_metric_pairs[i % BENCH_METRIC_PAIRS];
		const char *key = bench_arena_format(arena, "%s/%s", result->key, pair->name);
		const struct bench_anchor_level old = find_level(before, key);
		struct bench_anchor_level found = {.key = key};
		bool known = is_anchor || measured(result, pair->ratio, arena, &found.shift, &found.error);
		struct bench_anchor_level next =
			next_level(&old, &found, moved, bench_text_match(pattern, key));
		if (known || !moved)
			add_level(arena, row, known ? &next : &old);
	}
}

static int accept(struct bench_store *store, const char *db, const struct bench_run *run, const char *pattern,
		  const char *why, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_anchor_row *rows, before = {0};
	const char *content = bench_record_fact(run, "kept");
	struct bench_error ignored;
	char *program;
	size_t count;
	int result = bench_store_anchors(store, bench_record_fact(run, "fingerprint"),
					 bench_compare_track(run, &arena), &arena, &rows, &count, error);
	if (result != 0 || count == 0)
		return result;
	/* The newest, unless another line's was measured with this run. */
	before = rows[count - 1];
	for (size_t i = 0; i < count; i++)
		if (strcmp(run->id, rows[i].run) == 0 ||
		    strcmp(bench_record_label(run, "anchor"), rows[i].run) == 0)
			before = rows[i];
	bool is_anchor = strcmp(run->id, before.run) == 0;
	if (!is_anchor && strcmp(bench_record_label(run, "anchor"), before.run) != 0)
		return bench_fail(error, BENCH_NOTHING,
				  "run %s was interleaved with another anchor than the current one (%s): "
				  "choose a newer run with --since",
				  run->id, before.run);
	bool moved =
		!is_anchor && *content && bench_app_kept_text(db, content, &arena, &program, &ignored) == 0;
	struct bench_anchor_row row = {.fingerprint = before.fingerprint,
				       .track = before.track,
				       .run = moved ? run->id : before.run,
				       .content = moved ? content : before.content,
				       .commit = moved ? (run->git.present ? run->git.commit : "")
						       : before.commit,
				       .why = bench_arena_format(&arena, WHY, why)};
	add_levels(run, &before, moved, pattern, &arena, &row);
	return bench_store_anchor_put(store, &row, error);
}

int bench_app_anchor_accept(struct bench_store *store, const char *db, const char *id, const char *pattern,
			    const char *why, struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = NULL;
	if (bench_store_load(store, id, &run, error) != 0)
		return -1;
	return *bench_record_label(run, "anchor") ? accept(store, db, run, pattern, why, error) : 0;
}

/* Against the level that the metric had before, whatever is the anchor by now. */
static void add_restored(struct bench_arena *arena, const struct bench_anchor_row *now,
			 const struct bench_anchor_row *before, const char *key, struct bench_anchor_row *row)
{
	const struct bench_anchor_level is = find_level(now, key), was = find_level(before, key);
	add_level(arena, row,
		  &(struct bench_anchor_level){key, was.shift + is.chain - was.chain,
					       hypot(is.error, was.error), is.chain});
}

/* The current anchor, without the metrics that are no longer accepted. */
static int restore(struct bench_store *store, const struct bench_app_withdrawn *withdrawn,
		   const struct bench_anchor_row *now, const struct bench_anchor_row *before,
		   struct bench_arena *arena, struct bench_error *error)
{
	struct bench_anchor_row row = *now;
	row.levels = NULL;
	row.level_count = 0;
	row.why = bench_arena_format(arena, "no longer accepted: %s", withdrawn->shift->why);
	for (size_t i = 0; i < now->level_count; i++) {
		if (bench_app_withdrawn_has(withdrawn, now->levels[i].key))
			add_restored(arena, now, before, now->levels[i].key, &row);
		else
			add_level(arena, &row, &now->levels[i]);
	}
	for (size_t i = 0; i < before->level_count; i++)
		if (!BENCH_FIND(now->levels, now->level_count, before->levels[i].key) &&
		    bench_app_withdrawn_has(withdrawn, before->levels[i].key))
			add_restored(arena, now, before, before->levels[i].key, &row);
	return bench_store_anchor_put(store, &row, error);
}

int bench_app_anchor_withdraw(struct bench_store *store, const struct bench_app_withdrawn *withdrawn,
			      struct bench_error *error)
{
	const struct bench_accepted_row *shift = withdrawn->shift;
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_anchor_row *rows, before;
	struct bench_error cause;
	size_t count;
	int result = bench_store_anchors(store, *shift->fingerprint ? shift->fingerprint : NULL, NULL, &arena,
					 &rows, &count, error);
	for (size_t i = 0; i < count && result == 0; i++) {
		if (bench_store_anchor_before(store, &rows[i], bench_arena_format(&arena, WHY, shift->why),
					      shift->created - APART, &arena, &before, &cause) == 0) {
			result = restore(store, withdrawn, &rows[i], &before, &arena, error);
		} else if (cause.code != BENCH_NOTHING) {
			*error = cause;
			result = -1;
		}
	}
	return result;
}

bool bench_app_anchor_has(const struct bench_run *run)
{
	const char *anchor = bench_record_label(run, "anchor");
	return *anchor && strcmp(anchor, FIRST) != 0 && !bench_record_anchor_is_commit(anchor);
}

int bench_app_anchor_compare(struct bench_store *store, const struct bench_run *run,
			     const struct bench_compare_options *options,
			     struct bench_comparison **comparison, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_anchor_row row;
	BENCH_SCOPED_RUN *again = NULL;
	char *confirmed_by;
	if (!bench_app_anchor_has(run))
		return bench_fail(
			error, BENCH_NOTHING,
			"run %s was not interleaved with an anchor ('bench gate' does that); choose "
			"another --baseline",
			run->id);
	if (bench_store_anchor_of(store, bench_record_label(run, "anchor"), run->started, &arena, &row,
				  error) != 0 ||
	    bench_store_aside(store, bench_arena_format(&arena, "confirms %s", run->id), &arena,
			      &confirmed_by, error) != 0 ||
	    (*confirmed_by && bench_store_load(store, confirmed_by, &again, error) != 0))
		return -1;
	const struct bench_duel_options judging = {.base_name =
							   bench_arena_format(&arena, "anchor %s", row.run),
						   .threshold = options->threshold,
						   .alpha = options->alpha,
						   .floor = options->floor,
						   .rules = options->rules,
						   .rule_count = options->rule_count,
						   .levels = row.levels,
						   .level_count = row.level_count,
						   .again = again,
						   .two_looks = true};
	return bench_compare_duel(run, &judging, comparison, error);
}

/* Of one case: points[from..to) are its nights on all hosts, oldest first. NaN where there are too few. */
static double own_shift(const struct bench_point *points, size_t from, size_t to, const struct bench_run *run)
{
	double before[MOST_NIGHTS], now = NAN;
	size_t count = 0;
	for (size_t i = to; i-- > from && count < MOST_NIGHTS;) {
		double value = log(points[i].median) - points[i].level_shift;
		if (strcmp(points[i].fingerprint, bench_record_fact(run, "fingerprint")) != 0 ||
		    !*points[i].anchor || bench_record_anchor_is_commit(points[i].anchor) ||
		    points[i].disturbed || !isfinite(value) || points[i].started > run->started)
			continue;
		if (strcmp(points[i].run, run->id) == 0)
			now = value;
		else if (!isnan(now))
			before[count++] = value;
	}
	return count >= LEAST_NIGHTS ? now - bench_stats_median(before, count) : NAN;
}

double bench_app_anchor_machine(struct bench_store *store, const struct bench_run *run,
				struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_point *points;
	double *shifts = NULL;
	size_t count, shift_count = 0;
	if (bench_store_history(store, "*/base_time", &arena, &points, &count, error) != 0)
		return NAN;
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from; to < count && strcmp(points[to].key, points[from].key) == 0; to++)
			;
		double shift = own_shift(points, from, to, run);
		if (!isnan(shift))
			BENCH_PUSH(&arena, shifts, shift_count) = shift;
	}
	return shift_count > 0 ? exp(bench_stats_median(shifts, shift_count)) : NAN;
}

void bench_app_anchor_free(struct bench_app_anchor *anchor)
{
	bench_arena_free(&anchor->arena);
}
