/* SPDX-License-Identifier: MIT */
/* What a run is compared with: the runs that a text names, what was accepted, what alarms exclude. */
#include <string.h>

#include "app/alarms.h"
#include "app/before.h"
#include "app/compare.h"
#include "app/runs.h"
#include "compare/baseline.h"
#include "core/text.h"

/* Runs before the candidate from which it is learned how far runs differ. */
enum { MOST_EARLIER = 20 };

static void free_runs(struct bench_run **runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bench_record_free(runs[i]);
}

/* What failed to name a run may have been meant as a baseline. */
static void name_baselines(struct bench_store *store, const char *text, struct bench_arena *arena,
			   struct bench_error *error)
{
	struct bench_baseline_row *rows;
	size_t count;
	struct bench_error ignored;
	if (bench_store_baselines(store, arena, &rows, &count, &ignored) != 0 || count == 0)
		return;
	const char **names = bench_arena_alloc(arena, count, sizeof(*names));
	char *list = bench_arena_string(arena, "");
	for (size_t i = 0; i < count; i++) {
		names[i] = rows[i].name;
		list = bench_arena_format(arena, "%s%s%s", list, i ? ", " : "", names[i]);
	}
	const char *nearest = bench_text_nearest(text, names, count);
	bench_fail(error, BENCH_USAGE, "%s; baselines: %s%s%s%s", error->text, list,
		   BENCH_DID_YOU_MEAN(nearest));
}

/* The ids that "rolling:N" or the name of a baseline stands for; none where `text` is neither. */
static int baseline_ids(struct bench_store *store, const char *text, const struct bench_run *candidate,
			struct bench_app_baseline *into, struct bench_arena *arena, char ***ids,
			size_t *count, struct bench_error *error)
{
	struct bench_compare_options *options = &into->options;
	struct bench_baseline_row baseline;
	bool found;
	*count = 0;
	size_t n;
	if (bench_compare_baseline_kind(text, &n) == BENCH_BASELINE_ROLLING) {
		if (n == 0)
			return bench_fail(error, BENCH_USAGE,
					  "--baseline %s: expected rolling:N with N from 1 to %d", text,
					  BENCH_COMPARE_WINDOW_MAX);
		struct app_window window = {.wanted = n,
					    .excluded = options->excluded,
					    .excluded_count = options->excluded_count};
		options->newest = n;
		return app_before_fill(store, &window, candidate, into->line, arena, ids, count, &into->tally,
				       error);
	}
	if (!store)
		return 0;
	if (bench_app_find_baseline(store, text, arena, &baseline, &found, error) != 0)
		return -1;
	if (found) {
		*ids = baseline.runs;
		*count = baseline.run_count;
	}
	return 0;
}

/* Leaves out the runs of a named baseline that are off the line; none where all are. */
static void leave_out(struct bench_app_baseline *baseline)
{
	struct bench_app_line_tally tally = {0};
	size_t kept = 0;
	for (size_t i = 0; i < baseline->count; i++)
		bench_app_line_takes(baseline->line, baseline->runs[i]->git.commit,
				     baseline->runs[i]->git.branch, &tally);
	if (tally.left_out == baseline->count)
		return;
	baseline->tally = tally;
	for (size_t i = 0; i < baseline->count; i++) {
		struct bench_run *run = baseline->runs[i];
		if (bench_app_line_has(baseline->line, run->git.commit, run->git.branch))
			baseline->runs[kept++] = run;
		else
			bench_record_free(run);
	}
	baseline->count = kept;
}

/* A part of a run is no level: what it lacks would be new, and what it has is of too few invocations. */
static int check_whole(const struct bench_run *run, const char *baseline, struct bench_error *error)
{
	if (run->finished)
		return 0;
	return bench_fail(error, BENCH_NOTHING,
			  "baseline '%s': run %s was cut short: finish it ('bench run --resume %s') and "
			  "ingest it, or set the baseline again",
			  baseline, run->id, run->id);
}

/*
 * The runs that `text` names: a baseline, a run, or rolling:N, the last N finished runs before `candidate` on
 * its host, with its preset and selection. After a failure there may be some all the same.
 */
static int load_baseline(const struct bench_app_places *places, struct bench_store *store, const char *text,
			 const struct bench_run *candidate, struct bench_app_baseline *baseline,
			 struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	char **ids = NULL;
	size_t id_count;
	int result = baseline_ids(store, text, candidate, baseline, &arena, &ids, &id_count, error);
	baseline->runs = bench_arena_alloc(&baseline->arena, id_count + 1, sizeof(*baseline->runs));
	if (result == 0 && id_count > 0) {
		result = bench_store_load_medians(store, ids, id_count, &baseline->arena, baseline->runs,
						  error);
		baseline->count = result == 0 ? id_count : 0;
	}
	if (result == 0 && id_count > 0 && !baseline->options.newest)
		leave_out(baseline);
	if (result == 0 && id_count == 0) {
		result = bench_app_load_run(store, places->runs_dir, text, &baseline->runs[0], error);
		baseline->count = result == 0;
		if (result != 0 && store && error->code == BENCH_USAGE && strpbrk(text, "/~") == NULL)
			name_baselines(store, text, &arena, error);
	}
	for (size_t i = 0; result == 0 && i < baseline->count; i++)
		result = check_whole(baseline->runs[i], text, error);
	return result;
}

/* The shifts that were accepted on the candidate's host. */
static int read_accepted(struct bench_store *store, const struct bench_run *candidate,
			 struct bench_app_baseline *baseline, struct bench_error *error)
{
	struct bench_accepted_row *rows;
	size_t count;
	const char *host = bench_record_fact(candidate, "fingerprint");
	if (bench_store_accepted(store, host, &baseline->arena, &rows, &count, error) != 0)
		return -1;
	struct bench_accepted *accepted = bench_arena_alloc(&baseline->arena, count + 1, sizeof(*accepted));
	for (size_t i = 0; i < count; i++)
		accepted[i] =
			(struct bench_accepted){rows[i].pattern, rows[i].since, rows[i].why, rows[i].removal};
	baseline->options.accepted = accepted;
	baseline->options.accepted_count = count;
	return 0;
}

/* What alarms keep from teaching. */
static int read_excluded(struct bench_store *store, const struct bench_run *candidate,
			 struct bench_app_baseline *baseline, struct bench_error *error)
{
	struct bench_app_alarms alarms;
	struct bench_excluded *own;
	int result = bench_app_alarms_load(store, candidate, baseline->line, &alarms, error);
	baseline->options.excluded_count = bench_compare_alarms_excluded(
		alarms.alarms, alarms.count, candidate->started ? candidate->started : INT64_MAX,
		&baseline->arena, &own);
	baseline->options.excluded = own;
	bench_app_alarms_free(&alarms);
	return result;
}

/* The executables that runs measured; "" where it is not known. */
static int executables_of(struct bench_store *store, char *const *ids, size_t count,
			  struct bench_arena *arena, const char **executables, struct bench_error *error)
{
	for (size_t i = 0; i < count; i++) {
		BENCH_SCOPED_RUN *head = NULL;
		if (bench_store_load_head(store, ids[i], &head, error) != 0)
			return -1;
		executables[i] = bench_arena_string(arena, bench_record_fact(head, "executable"));
	}
	return 0;
}

/* Is a rolling baseline large enough to learn from the nights before it too? */
static bool learns_from_nights(const struct bench_app_baseline *baseline)
{
	return baseline->options.newest > 0 && baseline->count >= BENCH_COMPARE_ENOUGH_RUNS;
}

/* Does it measure what another of them did? */
static bool is_again(const char *const *executables, size_t count, size_t at)
{
	for (size_t j = 0; j < count && *executables[at]; j++)
		if (j != at && strcmp(executables[at], executables[j]) == 0)
			return true;
	return false;
}

static bool is_in_baseline(const struct bench_app_baseline *baseline, const char *id)
{
	for (size_t i = 0; i < baseline->count; i++)
		if (strcmp(baseline->runs[i]->id, id) == 0)
			return true;
	return false;
}

/*
 * The options' history, of the last runs before the candidate: the nights before those of a rolling baseline;
 * else those that measured the same executable as another of them, since what they differ by is not their
 * code. Without such runs, nothing is learned.
 */
static int load_earlier(struct bench_store *store, const struct bench_run *candidate,
			struct bench_app_baseline *baseline, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	char **ids = NULL;
	size_t count, kept = 0;
	int result = 0;
	if (bench_app_runs_before(store, MOST_EARLIER, candidate, baseline->line, &arena, &ids, &count,
				  error) != 0)
		return error->code == BENCH_NOTHING ? 0 : -1;
	const char **executables = bench_arena_alloc(&arena, count, sizeof(*executables));
	const bool nights = learns_from_nights(baseline);
	if (!nights)
		result = executables_of(store, ids, count, &arena, executables, error);
	for (size_t i = 0; i < count && result == 0; i++)
		if (nights ? !is_in_baseline(baseline, ids[i]) : is_again(executables, count, i))
			ids[kept++] = ids[i];
	baseline->earlier = bench_arena_alloc(&baseline->arena, kept + 1, sizeof(*baseline->earlier));
	if (result == 0)
		result = bench_store_load_medians(store, ids, kept, &baseline->arena, baseline->earlier,
						  error);
	baseline->earlier_count = result == 0 ? kept : 0;
	baseline->options.history = (const struct bench_run *const *)(uintptr_t)baseline->earlier;
	baseline->options.history_count = baseline->earlier_count;
	return result;
}

int bench_app_baseline_begin(struct bench_store *store, const struct bench_app_line *line,
			     const struct bench_run *candidate, const char *name,
			     const struct bench_compare_options *options, struct bench_app_baseline *baseline,
			     struct bench_error *error)
{
	*baseline = (struct bench_app_baseline){.name = name, .line = line, .options = *options};
	if (!store || (read_accepted(store, candidate, baseline, error) == 0 &&
		       read_excluded(store, candidate, baseline, error) == 0))
		return 0;
	bench_app_baseline_free(baseline);
	return -1;
}

int bench_app_baseline_load(const struct bench_app_places *places, struct bench_store *store,
			    const struct bench_app_line *line, const struct bench_run *candidate,
			    const char *text, const struct bench_compare_options *options,
			    struct bench_app_baseline *baseline, struct bench_error *error)
{
	if (bench_app_baseline_begin(store, line, candidate, text ? text : "the run before", options,
				     baseline, error) != 0)
		return -1;
	int result = load_baseline(places, store, text ? text : "rolling:1", candidate, baseline, error);
	/* Nobody named anything: what was measured last is better than nothing. */
	if (result != 0 && !text && error->code == BENCH_NOTHING && baseline->tally.left_out > 0 &&
	    !line->asked) {
		baseline->line = NULL;
		baseline->strayed = true;
		result = load_baseline(places, store, "rolling:1", candidate, baseline, error);
	}
	if (result == 0 && store &&
	    (baseline->count < BENCH_COMPARE_ENOUGH_RUNS || learns_from_nights(baseline)))
		result = load_earlier(store, candidate, baseline, error);
	if (result != 0)
		bench_app_baseline_free(baseline);
	return result;
}

int bench_app_baseline_compare(const struct bench_app_baseline *baseline, const struct bench_run *candidate,
			       struct bench_comparison **comparison, struct bench_error *error)
{
	if (bench_compare_runs((const struct bench_run *const *)(uintptr_t)baseline->runs, baseline->count,
			       baseline->name, candidate, &baseline->options, comparison, error) != 0)
		return -1;
	/* The comparison outlives the baseline, which owns these. */
	struct bench_arena *arena = &(*comparison)->arena;
	struct bench_compare_options *options = &(*comparison)->options;
	struct bench_accepted *own = bench_arena_alloc(arena, options->accepted_count + 1, sizeof(*own));
	for (size_t i = 0; i < options->accepted_count; i++)
		own[i] = (struct bench_accepted){
			bench_arena_string(arena, options->accepted[i].pattern), options->accepted[i].since,
			bench_arena_string(arena, options->accepted[i].why), options->accepted[i].removal};
	options->accepted = own;
	(*comparison)->line =
		baseline->strayed
			? "no run before is on this one's line: compared with the last one that is not"
			: bench_app_line_note(baseline->line, &baseline->tally, arena);
	(*comparison)->left_out = baseline->tally.left_out;
	if (baseline->line && baseline->line->asked)
		(*comparison)->branch = bench_arena_string(arena, baseline->line->asked);
	options->history = NULL;
	options->history_count = 0;
	options->excluded = NULL;
	options->excluded_count = 0;
	return 0;
}

void bench_app_baseline_end_at_change(struct bench_app_baseline *baseline, const struct bench_run *candidate,
				      const struct bench_app_host *host)
{
	struct bench_error ignored;
	size_t kept = 0;
	while (kept < baseline->count &&
	       bench_compare_check((const struct bench_run *const *)(uintptr_t)&baseline->runs[kept], 1,
				   baseline->name, candidate, &baseline->options, &ignored) == 0)
		kept++;
	if (kept == 0 || kept == baseline->count || baseline->options.allow_env_change)
		return;
	bench_app_note(host, "baseline %s: the newest %zu of its %zu runs are of this environment",
		       baseline->name, kept, baseline->count);
	while (baseline->count > kept)
		bench_record_free(baseline->runs[--baseline->count]);
}

void bench_app_baseline_free(struct bench_app_baseline *baseline)
{
	free_runs(baseline->runs, baseline->count);
	free_runs(baseline->earlier, baseline->earlier_count);
	bench_arena_free(&baseline->arena);
	*baseline = (struct bench_app_baseline){0};
}
