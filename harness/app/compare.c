#include "app/compare.h"

#include <stdlib.h>
#include <string.h>

#include "app/alarms.h"
#include "app/anchor.h"
#include "app/runs.h"
#include "compare/baseline.h"
#include "compare/gate.h"
#include "core/text.h"

/* Runs before the candidate from which it is learned how far runs differ. */
enum { MOST_EARLIER = 20 };

static void free_runs(struct bench_run **runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bench_record_free(runs[i]);
}

/* The suites that a run was asked for, "gemm,transfer". */
static char *suites_of(const struct bench_run *run, struct bench_arena *arena)
{
	char *list = bench_arena_string(arena, "");
	for (size_t i = 0; i < run->selection.suite_count; i++)
		list = bench_arena_format(arena, "%s%s%s", list, i ? "," : "", run->selection.suites[i]);
	return list;
}

/* Was run `id` asked to cover what the candidate is, and measured like it? */
static int is_alike(struct bench_store *store, const char *id, const struct bench_run *candidate, bool *alike,
		    struct bench_error *error)
{
	struct bench_run *head;
	if (bench_store_load_head(store, id, &head, error) != 0)
		return -1;
	*alike = bench_compare_same_selection(head, candidate) &&
		 bench_compare_in_turns(head) == bench_compare_in_turns(candidate);
	bench_record_free(head);
	return 0;
}

/*
 * How many runs each metric has in a rolling baseline so far: those that an alarm keeps from teaching do not
 * count. So a metric under an alarm has its N runs from before it.
 */
struct window {
	size_t wanted;
	const struct bench_excluded *excluded; /* sorted by key */
	size_t excluded_count;
	size_t plain;  /* runs that metrics have of which no alarm knows */
	size_t *taken; /* runs of the metric of excluded[i], where that is the first of its key */
};

/* Does a run that started then fill a gap? Counts it where it does. */
static bool take(struct window *window, int64_t started)
{
	bool needed = window->plain < window->wanted;
	window->plain += needed;
	for (size_t first = 0, next; first < window->excluded_count; first = next) {
		const struct bench_excluded *entries = window->excluded;
		bool teaches = true;
		for (next = first;
		     next < window->excluded_count && strcmp(entries[next].key, entries[first].key) == 0;
		     next++)
			teaches &= started < entries[next].since || started >= entries[next].until;
		if (teaches && window->taken[first] < window->wanted) {
			window->taken[first]++;
			needed = true;
		}
	}
	return needed;
}

static bool is_full(const struct window *window)
{
	bool full = window->plain >= window->wanted;
	for (size_t i = 0; i < window->excluded_count && full; i++)
		full = (i > 0 && strcmp(window->excluded[i].key, window->excluded[i - 1].key) == 0) ||
		       window->taken[i] >= window->wanted;
	return full;
}

/* Those of the runs (newest first) that are on the line, in its order, oldest first. */
static struct bench_app_line_item *find_on_line(const struct bench_app_line *line,
						const struct bench_older_run *older, size_t count,
						struct bench_arena *arena, size_t *kept)
{
	struct bench_app_line_item *items = bench_arena_alloc(arena, count + 1, sizeof(*items));
	*kept = 0;
	for (size_t i = count; i-- > 0;)
		if (bench_app_line_has(line, older[i].commit, older[i].branch))
			items[(*kept)++] =
				(struct bench_app_line_item){older[i].commit, older[i].branch, i, 0, 0};
	bench_app_line_arrange(line, items, *kept);
	return items;
}

/* Of the runs back to the oldest one that was taken. */
static void count_left_out(const struct bench_app_line *line, const struct bench_older_run *older,
			   size_t count, struct bench_app_line_tally *tally)
{
	*tally = (struct bench_app_line_tally){0};
	for (size_t i = 0; i < count; i++)
		bench_app_line_takes(line, older[i].commit, older[i].branch, tally);
}

static int has_nothing(const struct bench_run *candidate, const struct bench_app_line *line,
		       const struct bench_app_line_tally *tally, struct bench_arena *arena,
		       struct bench_error *error)
{
	const char *note = bench_app_line_note(line, tally, arena);
	return bench_fail(error, BENCH_NOTHING,
			  "nothing to compare with: no finished run before %s on this host%s with "
			  "preset '%s', suites '%s' and the same --set, --filter and --backend%s%s; name "
			  "another with --baseline",
			  *candidate->id ? candidate->id : "this one", note ? " and its line of history" : "",
			  candidate->preset, suites_of(candidate, arena), note ? "; line of history: " : "",
			  note ? note : "");
}

/* The ids of the finished runs before the candidate, newest first, that fill the window. */
static int fill(struct bench_store *store, struct window *window, const struct bench_run *candidate,
		const struct bench_app_line *line, struct bench_arena *arena, char ***ids, size_t *count,
		struct bench_app_line_tally *tally, struct bench_error *error)
{
	struct bench_older_run *older = NULL;
	size_t older_count = 0, left, reached = 0;
	*ids = NULL;
	*count = 0;
	window->taken = bench_arena_alloc(arena, window->excluded_count + 1, sizeof(*window->taken));
	const char *host = bench_record_attribute_get(candidate->host, candidate->host_count, "fingerprint");
	if (store && bench_store_runs_before(store, host, candidate->preset, candidate->id,
					     candidate->started, arena, &older, &older_count, error) != 0)
		return -1;
	const struct bench_app_line_item *items = find_on_line(line, older, older_count, arena, &left);
	while (left-- > 0 && !is_full(window)) {
		const size_t at = items[left].index;
		bool fits;
		if (is_alike(store, older[at].id, candidate, &fits, error) != 0)
			return -1;
		if (!fits || !take(window, older[at].started))
			continue;
		*(char **)bench_arena_push(arena, ids, count, sizeof(char *)) = older[at].id;
		reached = at + 1 > reached ? at + 1 : reached;
	}
	count_left_out(line, older, *count ? reached : older_count, tally);
	return *count ? 0 : has_nothing(candidate, line, tally, arena, error);
}

int bench_app_runs_before(struct bench_store *store, size_t wanted, const struct bench_run *candidate,
			  const struct bench_app_line *line, struct bench_arena *arena, char ***ids,
			  size_t *count, struct bench_error *error)
{
	struct bench_app_line_tally tally;
	return fill(store, &(struct window){.wanted = wanted}, candidate, line, arena, ids, count, &tally,
		    error);
}

/* What failed to name a run may have been meant as a baseline. */
static void name_baselines(struct bench_store *store, const char *text, struct bench_arena *arena,
			   struct bench_error *error)
{
	struct bench_baseline_row *rows;
	size_t count;
	struct bench_error cause = *error, ignored;
	if (bench_store_baselines(store, arena, &rows, &count, &ignored) != 0 || count == 0)
		return;
	const char **names = bench_arena_alloc(arena, count, sizeof(*names));
	char *list = bench_arena_string(arena, "");
	for (size_t i = 0; i < count; i++) {
		names[i] = rows[i].name;
		list = bench_arena_format(arena, "%s%s%s", list, i ? ", " : "", names[i]);
	}
	const char *nearest = bench_text_nearest(text, names, count);
	bench_fail(error, BENCH_USAGE, "%s; baselines: %s%s%s%s", cause.text, list,
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
		struct window window = {.wanted = n,
					.excluded = options->excluded,
					.excluded_count = options->excluded_count};
		options->newest = n;
		return fill(store, &window, candidate, into->line, arena, ids, count, &into->tally, error);
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
	return bench_fail(
		error, BENCH_NOTHING,
		"baseline '%s': run %s was cut short: finish it ('bench run --resume %s') and take it in, "
		"or set the baseline anew",
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
	struct bench_arena arena = {0};
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
	bench_arena_free(&arena);
	return result;
}

/* The shifts that were accepted on the candidate's host. */
static int read_accepted(struct bench_store *store, const struct bench_run *candidate,
			 struct bench_app_baseline *baseline, struct bench_error *error)
{
	struct bench_accepted_row *rows;
	size_t count;
	const char *host = bench_record_attribute_get(candidate->host, candidate->host_count, "fingerprint");
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
		struct bench_run *head;
		if (bench_store_load_head(store, ids[i], &head, error) != 0)
			return -1;
		executables[i] = bench_arena_string(
			arena, bench_record_attribute_get(head->host, head->host_count, "executable"));
		bench_record_free(head);
	}
	return 0;
}

/* Are there so many of a rolling baseline that the nights before them teach as well? */
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
 * code. Where there are none, nothing is learned.
 */
static int load_earlier(struct bench_store *store, const struct bench_run *candidate,
			struct bench_app_baseline *baseline, struct bench_error *error)
{
	struct bench_arena arena = {0};
	char **ids = NULL;
	size_t count, kept = 0;
	int result = bench_app_runs_before(store, MOST_EARLIER, candidate, baseline->line, &arena, &ids,
					   &count, error);
	if (result != 0) {
		result = error->code == BENCH_NOTHING ? 0 : -1;
		goto out;
	}
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
out:
	bench_arena_free(&arena);
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

void bench_app_baseline_free(struct bench_app_baseline *baseline)
{
	free_runs(baseline->runs, baseline->count);
	free_runs(baseline->earlier, baseline->earlier_count);
	bench_arena_free(&baseline->arena);
	*baseline = (struct bench_app_baseline){0};
}

/* Judges a run as its gate did, by its second look as well. The options are spent. */
static int compare_twice(struct bench_app_baseline *baseline, const struct bench_run *candidate,
			 const struct bench_run *again, struct bench_comparison **comparison,
			 struct bench_error *error)
{
	struct bench_comparison *pooled = NULL, *second = NULL;
	struct bench_error cause;
	baseline->options.alpha /= 2; /* as of each look */
	if (bench_app_baseline_compare(baseline, candidate, comparison, error) != 0)
		return -1;
	baseline->options.again = again;
	int result = bench_app_baseline_compare(baseline, candidate, &pooled, &cause);
	baseline->options.again = NULL;
	bench_compare_gate_ease(&baseline->options, &baseline->arena);
	if (result == 0)
		result = bench_app_baseline_compare(baseline, again, &second, &cause);
	const struct bench_compare_confirmation confirmation = {.run = again,
								.comparison = second,
								.pooled = pooled,
								.failure = result == 0 ? NULL : cause.text};
	bench_compare_gate_conclude(*comparison, NULL, &confirmation);
	bench_compare_free(pooled);
	bench_compare_free(second);
	return 0;
}

/* The second look of the gate that measured a run, which judges it against a rolling baseline; NULL: it had
 * none. */
static int load_second_look(struct bench_store *store, const struct bench_run *candidate,
			    struct bench_run **again, struct bench_error *error)
{
	struct bench_arena arena = {0};
	char *id;
	int result = bench_store_aside(store, bench_arena_format(&arena, "confirms %s", candidate->id),
				       &arena, &id, error);
	if (result == 0 && *id)
		result = bench_store_load(store, id, again, error);
	bench_arena_free(&arena);
	return result;
}

/* With what it was measured in turns with, or the runs that `text` names. */
static int compare_by(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_app_line *line, const struct bench_run *candidate, const char *text,
		      const struct bench_compare_options *options, struct bench_comparison **comparison,
		      struct bench_error *error)
{
	struct bench_app_baseline baseline;
	bool anchored = text ? strcmp(text, BENCH_APP_ANCHOR) == 0 : bench_app_anchor_has(candidate);
	if (anchored)
		return store ? bench_app_anchor_compare(store, candidate, options, comparison, error)
			     : bench_fail(error, BENCH_NOTHING,
					  "there is no history, which knows the anchor of a run");
	if (bench_app_baseline_load(places, store, line, candidate, text, options, &baseline, error) != 0)
		return -1;
	if (baseline.count == 1 && !baseline.options.newest)
		baseline.options.excluded_count = 0;
	struct bench_run *again = NULL;
	int result = text && store && baseline.options.newest
			     ? load_second_look(store, candidate, &again, error)
			     : 0;
	if (result == 0)
		result = again ? compare_twice(&baseline, candidate, again, comparison, error)
			       : bench_app_baseline_compare(&baseline, candidate, comparison, error);
	bench_record_free(again);
	bench_app_baseline_free(&baseline);
	return result;
}

int bench_app_compare(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_run *candidate, const char *text,
		      const struct bench_compare_options *options, struct bench_comparison **comparison,
		      struct bench_error *error)
{
	struct bench_app_line line;
	if (bench_app_line_of(store, &places->line, &candidate->git, &line, error) != 0)
		return -1;
	int result = compare_by(places, store, &line, candidate, text, options, comparison, error);
	if (result == 0 && bench_app_alarms_tell(store, candidate, &line, *comparison, error) != 0) {
		bench_compare_free(*comparison);
		*comparison = NULL;
		result = -1;
	}
	bench_app_line_free(&line);
	return result;
}

struct bench_verdict_row bench_app_verdict_row(const struct bench_verdict *verdict)
{
	return (struct bench_verdict_row){.key = verdict->key,
					  .verdict = bench_compare_verdict_name(verdict->kind),
					  .ratio = verdict->ratio,
					  .lo = verdict->lo,
					  .hi = verdict->hi,
					  .ci_level = verdict->level,
					  .p_adjusted = verdict->p_adjusted,
					  .mde = verdict->mde,
					  .threshold = verdict->threshold};
}

static int keep(struct bench_store *store, const struct bench_comparison *comparison,
		struct bench_error *error)
{
	struct bench_verdict_row *rows = calloc(comparison->verdict_count + 1, sizeof(*rows));
	if (!rows)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for the verdicts");
	for (size_t i = 0; i < comparison->verdict_count; i++)
		rows[i] = bench_app_verdict_row(&comparison->verdicts[i]);
	int result = bench_store_keep_verdicts(store, comparison->candidate_id, comparison->baseline_name,
					       rows, comparison->verdict_count, error);
	free(rows);
	return result;
}

int bench_app_keep_verdicts(const char *db, const struct bench_comparison *comparison,
			    struct bench_error *error)
{
	struct bench_store *store = NULL;
	int result = bench_store_open(db, BENCH_STORE_WRITE, &store, error);
	if (result == 0)
		result = keep(store, comparison, error);
	bench_store_close(store);
	return result;
}
