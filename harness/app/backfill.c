/* SPDX-License-Identifier: MIT */
#include "app/backfill.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/changepoints.h"
#include "app/duel.h"
#include "app/runs.h"
#include "compare/backfill.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "record/removal.h"

#define SKIPPED      "skipped.jsonl"
#define MOST_SKIPPED ((size_t)64 << 20)
#define METRIC       "/relative_time"
#define INTERVAL     1.96 /* standard errors: 95% */
#define LEAST_SLICE  1.0  /* seconds */
/* Six invocations have an interval of 90%. */
#define LEAST_INVOCATIONS 6

static double seconds_left(const struct bench_app_backfill *backfill)
{
	double budget = backfill->request->measure.budget_seconds;
	return budget > 0 ? budget - (bench_clock_seconds() - backfill->started) : INFINITY;
}

/* Too little for another commit. */
static bool is_exhausted(const struct bench_app_backfill *backfill)
{
	return seconds_left(backfill) <= backfill->request->run_budget / 2;
}

static bool stopped(const struct bench_app_backfill *backfill)
{
	return *backfill->host->stop;
}

/* A..B: the commits, A included, so that a change in the first commit after it shows. */
static int find_range(struct bench_app_backfill *backfill, struct bench_error *error)
{
	const struct bench_app_backfill_request *request = backfill->request;
	struct bench_arena *arena = &backfill->arena;
	const char *range = request->range, *dots = strstr(range, "..");
	struct bench_app_commit *commits;
	struct bench_error cause;
	char *first, *last;
	if (!dots || dots == range || !dots[2] || dots[2] == '.' || strstr(dots + 2, ".."))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' is no range: expected A..B, two commits of one branch, such as "
				  "v1.0..main",
				  range);
	const char *from = bench_arena_format(arena, "%.*s", (int)(dots - range), range), *to = dots + 2;
	if (bench_app_commit_resolve(request->repository, from, arena, &first, error) != 0 ||
	    bench_app_commit_resolve(request->repository, to, arena, &last, error) != 0)
		return -1;
	backfill->branch = bench_app_commit_branch(request->repository, to, arena);
	if (strcmp(first, last) == 0)
		return bench_fail(error, BENCH_USAGE, "'%s': both are the commit %.12s", range, first);
	if (bench_app_commits(request->repository, first, last, arena, &commits, &backfill->count, &cause) !=
	    0)
		return bench_fail(error, cause.code,
				  cause.code == BENCH_NOTHING ? "'%s': %.12s is not an ancestor of %.12s"
							      : "'%s', %.12s to %.12s: git cannot list the "
								"commits",
				  range, first, last);
	backfill->commits = bench_arena_alloc(arena, backfill->count, sizeof(*backfill->commits));
	for (size_t i = 0; i < backfill->count; i++)
		backfill->commits[i].commit = commits[i];
	return 0;
}

/* What is measured: the metrics by which commits are compared, and the host. */
static int find_keys(struct bench_app_backfill *backfill, struct bench_error *error)
{
	struct bench_arena *arena = &backfill->arena;
	BENCH_SCOPED_MEASURE measure = {0};

	if (bench_app_measure_plan(&measure, &backfill->request->measure, backfill->host, NULL, error) != 0)
		return -1;
	for (size_t i = 0; i < measure.plan->case_count; i++)
		BENCH_PUSH(arena, backfill->keys, backfill->key_count) =
			bench_arena_format(arena, "%s" METRIC, measure.plan->cases[i].key);
	backfill->fingerprint = bench_arena_string(arena, bench_record_fact(measure.run, "fingerprint"));
	return 0;
}

/* A relative time has " against ..." behind its name where the history has several references. */
static size_t find_key(const struct bench_app_backfill *backfill, const char *key)
{
	size_t at = 0, length = 0;
	while (at < backfill->key_count &&
	       (length = strlen(backfill->keys[at]),
		strncmp(backfill->keys[at], key, length) != 0 || (key[length] && key[length] != ' ')))
		at++;
	return at;
}

static size_t find_commit(const struct bench_app_backfill *backfill, const char *hash)
{
	size_t at = 0;
	while (at < backfill->count && strcmp(backfill->commits[at].commit.hash, hash) != 0)
		at++;
	return at;
}

/* A value that this host has backfilled of these cases, and where it belongs. */
struct value {
	struct bench_point point;
	size_t key, commit;
};

/* The values that have an anchor of this kind; `label` NULL: any. *values in `arena`, by key, then oldest run
 * first. */
static int read_values(const struct bench_app_backfill *backfill, const char *label,
		       struct bench_arena *arena, struct value **values, size_t *count,
		       struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_point *points;
	size_t point_count = 0;

	*values = NULL;
	*count = 0;
	if (bench_app_open_store(backfill->request->measure.places.db, &store, error) != 0)
		return error->code == BENCH_NOTHING ? 0 : -1;
	if (bench_store_history(store, "*" METRIC "*", arena, &points, &point_count, error) != 0)
		return -1;
	for (size_t i = 0; i < point_count; i++) {
		const struct bench_point *point = &points[i];
		const struct value value = {*point, find_key(backfill, point->key),
					    find_commit(backfill, point->commit)};
		if (bench_record_anchor_is_commit(point->anchor) && value.key < backfill->key_count &&
		    (!label || strcmp(point->anchor, label) == 0) &&
		    strcmp(point->fingerprint, backfill->fingerprint) == 0)
			BENCH_PUSH(arena, *values, *count) = value;
	}
	return 0;
}

/* The anchor that most of the values have, of those that the repository knows; its full name in *found. */
static bool find_usual_anchor(struct bench_app_backfill *backfill, const struct value *values, size_t count,
			      char **found)
{
	struct usual {
		const char *anchor;
		size_t count;
	} *anchors = NULL;
	struct bench_error unknown;
	size_t anchor_count = 0, most;
	for (size_t i = 0; i < count; i++) {
		struct usual *usual = bench_text_find_or_add(&backfill->arena, &anchors, &anchor_count,
							     sizeof(*anchors), values[i].point.anchor);
		usual->count++;
	}
	for (size_t left = anchor_count; left > 0; left--) {
		most = 0;
		for (size_t at = 1; at < anchor_count; at++)
			if (anchors[at].count > anchors[most].count)
				most = at;
		if (bench_app_commit_resolve(backfill->request->repository,
					     anchors[most].anchor + strlen(BENCH_ANCHOR_COMMIT),
					     &backfill->arena, found, &unknown) == 0)
			return true;
		anchors[most].count = 0;
	}
	return false;
}

/* The one that was asked for, or that of earlier calls, or the newest commit. */
static int find_anchor(struct bench_app_backfill *backfill, struct bench_error *error)
{
	const struct bench_app_backfill_request *request = backfill->request;
	struct bench_arena *arena = &backfill->arena;
	struct value *values;
	size_t count;
	if (request->anchor) {
		if (bench_app_commit_resolve(request->repository, request->anchor, arena, &backfill->anchor,
					     error) != 0)
			return -1;
	} else {
		if (read_values(backfill, NULL, arena, &values, &count, error) != 0)
			return -1;
		if (!find_usual_anchor(backfill, values, count, &backfill->anchor))
			backfill->anchor = backfill->commits[backfill->count - 1].commit.hash;
	}
	backfill->label = bench_arena_format(arena, BENCH_ANCHOR_COMMIT "%s", backfill->anchor);
	return 0;
}

/* For skipped.jsonl: what a build has to make, and which cases are measured against which anchor. */
static void name_kinds(struct bench_app_backfill *backfill)
{
	const struct bench_app_backfill_request *request = backfill->request;
	struct bench_arena *arena = &backfill->arena;
	struct bench_text makes = {0};
	size_t file_count;
	const char *const *files = bench_app_bisect_code_files(&backfill->code, arena, &file_count);
	uint64_t hash = bench_hash_bytes(BENCH_HASH_START, backfill->label, strlen(backfill->label) + 1);
	bench_text_add_shell(&makes, request->program ? request->program : "");
	for (size_t i = 0; i < file_count + request->keep_count; i++)
		bench_text_add_command(&makes, " %s",
				       i < file_count ? files[i] : request->keep[i - file_count]);
	for (size_t i = 0; i < backfill->key_count; i++)
		hash = bench_hash_bytes(hash, backfill->keys[i], strlen(backfill->keys[i]) + 1);
	backfill->makes = bench_text_keep(&makes, arena);
	backfill->cases = bench_arena_format(arena, "%016" PRIx64, hash);
}

/* Commits that any run of this host is of: these are not missing. */
static int forget_known(struct bench_app_backfill *backfill, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_run_row *rows;
	size_t count;
	if (bench_app_open_store(backfill->request->measure.places.db, &store, error) != 0)
		return error->code == BENCH_NOTHING ? 0 : -1;
	int result = bench_store_runs(store, 0, &arena, &rows, &count, error);
	for (size_t i = 0; result == 0 && i < count; i++) {
		size_t at = find_commit(backfill, rows[i].commit);
		if (at < backfill->count && !*rows[i].aside && !rows[i].dirty && rows[i].finished &&
		    strcmp(rows[i].fingerprint, backfill->fingerprint) == 0)
			backfill->commits[at].wanted = false;
	}
	return result;
}

/* Fills in what the history has of the commits, and what is still wanted. */
static int read_history(struct bench_app_backfill *backfill, struct bench_error *error)
{
	const struct bench_app_backfill_request *request = backfill->request;
	BENCH_SCOPED_ARENA arena = {0};
	struct value *values;
	size_t count, size = backfill->count * backfill->key_count;
	for (size_t i = 0; i < size; i++)
		backfill->shifts[i] = backfill->errors[i] = NAN;
	int result = read_values(backfill, backfill->label, &arena, &values, &count, error);
	for (size_t i = 0; result == 0 && i < count; i++) {
		const struct bench_point *point = &values[i].point;
		size_t at = values[i].commit * backfill->key_count + values[i].key;
		if (values[i].commit == backfill->count)
			continue;
		backfill->shifts[at] = log(point->median);
		backfill->errors[at] = log(point->ci_hi / point->ci_lo) / 2 / INTERVAL;
		backfill->commits[values[i].commit].measured = true;
	}
	for (size_t i = 0; i < backfill->count; i++) {
		struct bench_app_backfill_commit *commit = &backfill->commits[i];
		commit->wanted = !commit->measured && !commit->skipped &&
				 (!request->every || (backfill->count - 1 - i) % request->every == 0);
	}
	return result == 0 && request->missing ? forget_known(backfill, error) : result;
}

void bench_app_backfill_read_skipped(struct bench_app_backfill *backfill, char *data, size_t length)
{
	for (char *line = data, *end; (end = memchr(line, '\n', (size_t)(data + length - line)));
	     line = end + 1) {
		BENCH_SCOPED_JSON *event = bench_json_parse(line, (size_t)(end - line), SKIPPED, NULL);
		size_t at = find_commit(backfill, bench_json_string_or(event, "commit", ""));
		const char *cases = bench_json_string_or(event, "cases", "");
		if (at < backfill->count &&
		    strcmp(bench_json_string_or(event, "build", ""), backfill->request->build) == 0 &&
		    strcmp(bench_json_string_or(event, "makes", ""), backfill->makes) == 0 &&
		    (!*cases || strcmp(cases, backfill->cases) == 0))
			backfill->commits[at].skipped =
				bench_arena_string(&backfill->arena, bench_json_string_or(event, "why", ""));
	}
}

/* Reads the commits that earlier calls have skipped. */
static int read_skipped(struct bench_app_backfill *backfill, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	if (bench_file_read(bench_arena_format(&backfill->arena, "%s/" SKIPPED, backfill->state),
			    MOST_SKIPPED, &data, &length, error) != 0)
		return -1;
	bench_app_backfill_read_skipped(backfill, data, length);
	return 0;
}

static int open_state(struct bench_app_backfill *backfill, struct bench_error *error)
{
	const struct bench_app_backfill_request *request = backfill->request;
	struct bench_arena *arena = &backfill->arena;
	const char *named = request->state;
	if (!named)
		named = bench_arena_format(arena, "%s/backfill", request->measure.places.runs_dir);
	if (bench_app_worktree_state(named, SKIPPED, "backfill", arena, &backfill->state, &backfill->log,
				     error) != 0)
		return -1;
	const char *state = backfill->state;
	backfill->tree = (struct bench_app_worktree){.repository = request->repository,
						     .path = bench_arena_format(arena, "%s/tree", state)};
	return bench_file_make_folder(bench_arena_format(arena, "%s/logs", state), error) != 0 ||
			       bench_file_make_folder(bench_arena_format(arena, "%s/anchors", state),
						      error) != 0
		       ? -1
		       : read_skipped(backfill, error);
}

/* Remembers a commit that cannot be built or, without the `log` of a build, measured. */
static int skip(struct bench_app_backfill *backfill, size_t position, const char *why, const char *log,
		struct bench_error *error)
{
	struct bench_app_backfill_commit *commit = &backfill->commits[position];
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "commit", commit->commit.hash);
	cJSON_AddStringToObject(event, "build", backfill->request->build);
	cJSON_AddStringToObject(event, "makes", backfill->makes);
	cJSON_AddStringToObject(event, "cases", log ? "" : backfill->cases);
	cJSON_AddStringToObject(event, "why", why);
	commit->skipped = bench_arena_string(&backfill->arena, why);
	if (bench_app_worktree_note(backfill->state, SKIPPED, backfill->log, event, error) != 0)
		return -1;
	bench_app_note(backfill->host, "%.12s is skipped: %s%s%s", commit->commit.hash, why,
		       log ? "; its output is in " : "", log ? log : "");
	return 0;
}

static char *side_of(struct bench_app_backfill *backfill, const char *folder)
{
	return bench_app_bisect_code_side(&backfill->code, backfill->request->program, backfill->self, folder,
					  &backfill->arena);
}

/* Builds a commit; *side: it. */
static int build(struct bench_app_backfill *backfill, const char *hash, const char *folder, char **side,
		 const char **log, struct bench_error *error)
{
	const struct bench_app_backfill_request *request = backfill->request;
	struct bench_arena *arena = &backfill->arena;
	struct bench_app_build options = {
		.command = request->build,
		.executable = request->program,
		.keep = request->keep,
		.keep_count = request->keep_count,
		.whole = backfill->code.count && !request->keep_count,
		.limit_seconds = fmin(request->build_limit, fmax(seconds_left(backfill), LEAST_SLICE)),
		.stop = backfill->host->stop};
	options.made = bench_app_bisect_code_files(&backfill->code, arena, &options.made_count);
	struct bench_session_program program;
	*log = bench_arena_format(arena, "%s/logs/%s.log", backfill->state, hash);
	*side = side_of(backfill, folder);
	return bench_app_worktree_build(&backfill->tree, hash, &options, folder, *log, error) != 0 ||
			       bench_app_bisect_code_finish(&backfill->code, folder, error) != 0 ||
			       bench_app_duel_identify(*side, arena, &program, error) != 0
		       ? -1
		       : 0;
}

static int refuse_anchor(const struct bench_app_backfill *backfill, const char *why, const char *log,
			 struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "the anchor, %.12s, cannot be measured: %s%s%s; --anchor names another",
			  backfill->anchor, why, log ? "; its output is in " : "", log ? log : "");
}

/* The anchor, built unless an earlier call did. 1: there was no time. */
static int provide_anchor(struct bench_app_backfill *backfill, char **side, struct bench_error *error)
{
	struct bench_arena *arena = &backfill->arena;
	const char *folder = bench_arena_format(arena, "%s/anchors/%s", backfill->state, backfill->anchor);
	const char *log;
	struct bench_session_program program;
	struct bench_error cause;
	*side = side_of(backfill, folder);
	if (bench_file_is_folder(folder) && bench_app_duel_identify(*side, arena, &program, &cause) == 0)
		return 0;
	bench_app_note(backfill->host, "building the anchor, %.12s", backfill->anchor);
	if (build(backfill, backfill->anchor, folder, side, &log, &cause) == 0)
		return 0;
	*side = NULL;
	return stopped(backfill) || seconds_left(backfill) <= 0
		       ? 1
		       : refuse_anchor(backfill, cause.text, log, error);
}

/* The run of one commit. */
struct bout {
	struct bench_app_backfill *backfill;
	struct bench_app_backfill_commit *commit;
	struct bench_app_request request;
	struct bench_app_measure measure;
	struct bench_app_duel duel;
};

/* The run is of this commit, and as old. */
static int date(struct bout *bout, struct bench_error *error)
{
	const struct bench_app_backfill *backfill = bout->backfill;
	struct bench_run *run = bout->measure.run;
	const char *hash = bout->commit->commit.hash;
	char now[40];
	run->git = (struct bench_git){.present = true,
				      .commit = bench_arena_string(&run->arena, hash),
				      .branch = bench_arena_string(&run->arena, backfill->branch)};
	bench_clock_iso(run->started, now, sizeof(now));
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "backfilled", now);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "anchor", backfill->label);
	/* What was measured is not this executable. */
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "executable", hash);
	bout->measure.dated = true;
	return bench_app_commit_time(backfill->request->repository, hash, &run->started, error);
}

/* As long as --run-budget says, or a duel takes. */
static void choose_size(struct bout *bout)
{
	const struct bench_app_backfill *backfill = bout->backfill;
	struct bench_run *run = bout->measure.run;
	double asked = backfill->request->run_budget, groups = (double)bout->measure.plan->group_count;
	if (asked > 0)
		run->budget_seconds = asked;
	if (asked > 0 && !bout->request.invocations)
		run->invocations =
			(unsigned)fmin(fmax(asked / BENCH_APP_DUEL_BOUT_SECONDS / groups, LEAST_INVOCATIONS),
				       BENCH_APP_DUEL_INVOCATIONS);
	run->budget_seconds = fmax(fmin(run->budget_seconds, seconds_left(backfill)), LEAST_SLICE);
}

/* 1: the commit cannot be measured; *error says why. */
static int prepare(struct bout *bout, const char *anchor, const char *side, struct bench_error *error)
{
	struct bench_app_measure *measure = &bout->measure;
	bout->request = bout->backfill->request->measure;
	bout->request.budget_seconds = 0;
	bout->duel.judging.alpha = bout->backfill->request->alpha;
	if (bench_app_measure_plan(measure, &bout->request, bout->backfill->host, NULL, error) != 0)
		return -1;
	bout->duel.head_may_lack = true;
	/* The anchor is known to answer. */
	if (bench_app_duel_meet(&bout->duel, &bout->request.cases, anchor, side, measure->plan, error) != 0)
		return error->code == BENCH_ENVIRONMENT || error->code == BENCH_NO_MEMORY ? -1 : 1;
	if (bout->duel.base_count == 0)
		return refuse_anchor(bout->backfill, "it has none of the cases", NULL, error);
	if (bout->duel.head_count == 0) {
		bench_fail(error, BENCH_NOTHING, "it has none of the cases");
		return 1;
	}
	if (bench_app_duel_enter(&bout->duel, NULL, measure, error) != 0 || date(bout, error) != 0)
		return -1;
	choose_size(bout);
	measure->quiet = true;
	measure->budget_option = "run-budget";
	return bench_app_measure_open(measure, error);
}

/* Why the run has no value at all; NULL: it has one. */
static const char *has_nothing(const struct bench_run *run)
{
	for (size_t i = 0; i < run->result_count; i++)
		if (run->results[i].status == BENCH_STATUS_OK)
			return NULL;
	return run->result_count && *run->results[0].reason ? run->results[0].reason : "no case was measured";
}

/* The history gets whole runs with values only. */
static int keep(struct bout *bout, struct bench_error *error)
{
	struct bench_app_measure *measure = &bout->measure;
	const struct bench_run *run = measure->run;
	const char *nothing = has_nothing(run);
	struct bench_error ignored;
	if (!run->interrupted && !nothing)
		return bench_app_measure_keep(measure) == BENCH_OUTCOME_NOT_KEPT
			       ? bench_fail(error, BENCH_ENVIRONMENT,
					    "a commit was measured, but could not be stored")
			       : 0;
	bench_record_folder_close(&measure->folder);
	bench_record_removal_do(bout->request.places.runs_dir, run->id, &ignored);
	if (run->interrupted)
		return 0;
	bench_fail(error, BENCH_NOTHING, "%s", nothing);
	return 1;
}

/* Measures a commit that was built against the anchor. */
static int compete(struct bench_app_backfill *backfill, size_t position, const char *anchor, const char *side,
		   struct bench_error *error)
{
	struct bout bout = {.backfill = backfill, .commit = &backfill->commits[position]};
	struct bench_error cause = {0};
	int result = prepare(&bout, anchor, side, &cause);
	/* BENCH_NOTHING: a worker takes no turns, as that of another version may be. */
	if (result == 0 && bench_app_measure_run(&bout.measure, &cause) != 0)
		result = cause.code == BENCH_NOTHING ? 1 : -1;
	if (result == 0)
		result = keep(&bout, &cause);
	if (stopped(backfill))
		result = 0; /* what failed may have failed by that */
	else if (result < 0)
		*error = cause;
	else if (result > 0 && strcmp(bout.commit->commit.hash, backfill->anchor) == 0)
		result = refuse_anchor(backfill, cause.text, NULL, error);
	else if (result > 0)
		result = skip(backfill, position, cause.text, NULL, error);
	bench_app_measure_free(&bout.measure);
	bench_app_duel_free(&bout.duel);
	return result;
}

/* Builds a commit and measures it, unless it turns out to be one to skip. */
static int measure(struct bench_app_backfill *backfill, size_t position, const char *anchor,
		   struct bench_error *error)
{
	const struct bench_app_commit *commit = &backfill->commits[position].commit;
	const char *log, *folder = bench_arena_format(&backfill->arena, "%s/commit", backfill->state);
	struct bench_error cause;
	char *side;
	bench_app_note(backfill->host, "building %.12s of %.10s, %s", commit->hash, commit->date,
		       commit->subject);
	bool built = build(backfill, commit->hash, folder, &side, &log, &cause) == 0;
	if (stopped(backfill) || is_exhausted(backfill))
		return 0; /* it is not the commit's fault */
	if (built)
		return compete(backfill, position, anchor, side, error);
	if (cause.code != BENCH_ENVIRONMENT)
		return skip(backfill, position, cause.text, log, error);
	*error = cause;
	return -1;
}

/* How a commit that has just been measured came out: over all cases. */
static void note_measured(const struct bench_app_backfill *backfill, size_t position)
{
	double sum = 0;
	size_t count = 0;
	for (size_t k = 0; k < backfill->key_count; k++) {
		double shift = backfill->shifts[position * backfill->key_count + k];
		if (isfinite(shift)) {
			sum += shift;
			count++;
		}
	}
	if (count)
		bench_app_note(backfill->host, "%.12s: %.3fx the anchor's time (%zu case%s)",
			       backfill->commits[position].commit.hash, exp(sum / (double)count), count,
			       bench_text_plural(count));
}

/* After a commit was tried. What has no value in the history by now would be tried again without end. */
static int settle(struct bench_app_backfill *backfill, size_t position, struct bench_error *error)
{
	struct bench_app_backfill_commit *commit = &backfill->commits[position];
	if (commit->measured)
		note_measured(backfill, position);
	if (commit->measured || commit->skipped || stopped(backfill) || is_exhausted(backfill))
		return 0;
	commit->wanted = false;
	return skip(backfill, position, "its run has no time relative to the anchor", NULL, error);
}

/* The next commit to measure; false: none, or enough are. */
static bool choose(const struct bench_app_backfill *backfill, size_t *next)
{
	BENCH_SCOPED_ARENA arena = {0};
	bool *wanted = bench_arena_alloc(&arena, backfill->count, sizeof(*wanted));
	size_t measured = 0;
	for (size_t i = 0; i < backfill->count; i++) {
		wanted[i] = backfill->commits[i].wanted;
		measured += backfill->commits[i].measured;
	}
	const struct bench_backfill_history history = {backfill->count, backfill->key_count, wanted,
						       backfill->shifts, backfill->errors};
	return (!backfill->request->steps || measured < backfill->request->steps) &&
	       bench_compare_backfill_next(&history, next);
}

static int fill(struct bench_app_backfill *backfill, struct bench_error *error)
{
	size_t next = backfill->count, done;
	char *anchor = NULL;
	for (;;) {
		done = next;
		if (read_history(backfill, error) != 0)
			return -1;
		if (done < backfill->count && settle(backfill, done, error) != 0)
			return -1;
		bool more = choose(backfill, &next);
		backfill->exhausted = more && is_exhausted(backfill);
		if (!more || stopped(backfill) || backfill->exhausted)
			return 0;
		int result = anchor ? 0 : provide_anchor(backfill, &anchor, error);
		if (result == 0)
			result = measure(backfill, next, anchor, error);
		if (result < 0)
			return -1;
	}
}

static int by_key_and_commit(const void *left, const void *right)
{
	const struct value *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->commit > b->commit) - (a->commit < b->commit);
}

/* Where the times relative to the anchor shifted, by the commits of the range. */
static int find_changes(struct bench_app_backfill *backfill, struct bench_error *error)
{
	const struct bench_app_changepoint_options options = {.least = backfill->request->threshold,
							      .alpha = backfill->request->alpha};
	struct bench_arena *arena = &backfill->arena;
	struct value *values;
	size_t count, kept = 0;
	if (read_values(backfill, backfill->label, arena, &values, &count, error) != 0)
		return -1;
	if (count > 1)
		qsort(values, count, sizeof(*values), by_key_and_commit);
	struct bench_point *points = bench_arena_alloc(arena, count + 1, sizeof(*points));
	for (size_t i = 0; i < count; i++)
		if (values[i].commit < backfill->count)
			points[kept++] = values[i].point;
	backfill->change_count = bench_app_changepoints(points, kept, &options, arena, &backfill->changes);
	return 0;
}

static enum bench_outcome outcome_of(const struct bench_app_backfill *backfill)
{
	if (stopped(backfill))
		return BENCH_OUTCOME_INTERRUPTED;
	for (size_t i = 0; i < backfill->count; i++)
		if (backfill->commits[i].measured)
			return BENCH_OUTCOME_GOOD;
	return backfill->exhausted ? BENCH_OUTCOME_UNCLEAR : BENCH_OUTCOME_NOTHING;
}

int bench_app_backfill(struct bench_app_backfill *backfill, const struct bench_app_backfill_request *request,
		       const struct bench_app_host *host, struct bench_error *error)
{
	struct bench_arena *arena = &backfill->arena;
	*backfill = (struct bench_app_backfill){
		.request = request, .host = host, .log = -1, .started = bench_clock_seconds()};
	if (bench_app_build_check(request->program, request->keep, request->keep_count, error) != 0 ||
	    bench_app_duel_check(&request->measure.settings, error) != 0 ||
	    bench_app_duel_self(arena, &backfill->self, error) != 0 || find_range(backfill, error) != 0 ||
	    (request->code.count && bench_app_bisect_code_place(&request->code, request->repository, arena,
								&backfill->code, error) != 0) ||
	    find_keys(backfill, error) != 0 || find_anchor(backfill, error) != 0)
		return -1;
	name_kinds(backfill);
	if (open_state(backfill, error) != 0)
		return -1;
	const size_t size = backfill->count * backfill->key_count;
	backfill->shifts = bench_arena_alloc(arena, size + 1, sizeof(double));
	backfill->errors = bench_arena_alloc(arena, size + 1, sizeof(double));
	bench_app_note(host, "%zu commits, %zu case%s, anchor %.12s, state in %s", backfill->count,
		       backfill->key_count, bench_text_plural(backfill->key_count), backfill->anchor,
		       backfill->state);
	host->begin(host->context); /* builds are stopped by signals, too */
	int result = fill(backfill, error);
	host->end(host->context);
	bench_app_worktree_remove(&backfill->tree);
	if (result == 0)
		result = find_changes(backfill, error);
	backfill->outcome = outcome_of(backfill);
	return result;
}

void bench_app_backfill_free(struct bench_app_backfill *backfill)
{
	if (backfill->request && backfill->log >= 0)
		close(backfill->log);
	bench_arena_free(&backfill->arena);
}
