/* SPDX-License-Identifier: MIT */
#include "app/bisect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/bisect_alarm.h"
#include "app/bisect_state.h"
#include "app/duel.h"
#include "app/plugin.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "suites/suites.h"

/*
 * The standard error of a duel should be a sixth of the step, so that three of them lie between the step and
 * its middle. The last duel measures the step: a tenth.
 */
#define PROBE_TIMES   6.0
#define CONFIRM_TIMES 10.0
/* Six invocations have an interval of 90%; to twelve the rank test can say more. */
#define LEAST_PROBE   6
#define LEAST_CONFIRM 12
/* Of what is left of the budget. */
#define WHOLE_SHARE 0.15
#define PROBE_SHARE 0.25
#define LEAST_SLICE 1.0  /* seconds */
#define LEAST_BOUT  0.25 /* seconds of an invocation */
#define PROBE_BOUT  0.75 /* the same, of a probe */
/* So often GOOD and BAD are set against each other before they count as undecided. */
#define MOST_ATTEMPTS 3

static double seconds_left(const struct bench_app_bisect *bisect)
{
	double budget = bisect->request->measure.budget_seconds;
	return budget > 0 ? budget - (bench_clock_seconds() - bisect->started) : INFINITY;
}

static bool stopped(const struct bench_app_bisect *bisect)
{
	return *bisect->host->stop;
}

static const char *short_hash(const struct bench_app_bisect *bisect, size_t position, char *out, size_t size)
{
	snprintf(out, size, "%.12s", bisect->commits[position].commit.hash);
	return out;
}

static void add_option(struct bench_text *command, const char *name, const char *value)
{
	if (value)
		bench_text_add_option(command, name, value);
}

/* The options that choose the cases. */
static void add_selection(struct bench_text *command, const struct bench_app_request *request)
{
	for (size_t i = 0; i < request->cases.suite_count; i++)
		add_option(command, "suite", request->cases.suites[i]);
	add_option(command, "backend", request->cases.backends);
	add_option(command, "filter", request->cases.filter);
	for (size_t i = 0; i < request->cases.set_count; i++)
		add_option(command, "set", request->cases.sets[i]);
	add_option(command, "preset", request->cases.preset);
	if (request->threads)
		bench_text_add(command, " --threads %u", request->threads);
}

/* The duel that is made of every commit, as a command; the state and the records have it. */
static char *duel_command(struct bench_app_bisect *bisect)
{
	struct bench_text command = {0};
	bench_text_add(&command, "bench duel");
	add_selection(&command, &bisect->request->measure);
	for (size_t i = 0; i < bisect->code.count; i++)
		add_option(&command, bisect->code.options[i].option, bisect->code.options[i].value);
	return bench_text_keep(&command, &bisect->arena);
}

/* The files of a commit that are kept. */
static char *kept_folder(struct bench_app_bisect *bisect, size_t position)
{
	return bench_arena_format(&bisect->arena, "%s/commits/%s", bisect->state,
				  bisect->commits[position].commit.hash);
}

static char *side_of(struct bench_app_bisect *bisect, size_t position)
{
	return bench_app_bisect_code_side(&bisect->code, bisect->request->program, bisect->self,
					  kept_folder(bisect, position), &bisect->arena);
}

/* The suite of a case, by its key. */
static char *suite_of(struct bench_arena *arena, const char *key)
{
	return bench_arena_format(arena, "%.*s", (int)strcspn(key, "/"), key);
}

/* The options that choose an alarm's cases: their suites and, of one suite, their parameters' values. */
static void add_alarm_cases(struct bench_app_bisect *bisect, struct bench_text *command)
{
	struct bench_arena *arena = &bisect->arena;
	const char **options = NULL;
	size_t count = 0, suites = 0;
	for (int params = 0; params < 2; params++)
		for (size_t i = 0; bisect->only[i] && (!params || suites == 1); i++) {
			const char *last = strrchr(bisect->only[i], '/');
			char *rest = bench_arena_string(
				     arena, params && last ? last + 1 : suite_of(arena, bisect->only[i])),
			     *word;
			while ((word = bench_text_next(&rest, ','))) {
				bool known = BENCH_FIND(options, count, word) != NULL;
				if (known)
					continue;
				suites += !params;
				BENCH_PUSH(arena, options, count) = word;
				add_option(command, params ? "set" : "suite", word);
			}
		}
}

/*
 * The command that says why the commit found is slower, by what is kept of it and of the one before it. The
 * head's code is that of the command itself.
 */
static void name_why(struct bench_app_bisect *bisect)
{
	const struct bench_bisect_state *found = &bisect->found;
	struct bench_text command = {0};
	if (bisect->outcome != BENCH_OUTCOME_GOOD || !bisect->commits[found->base].built ||
	    !bisect->commits[found->head].built)
		return;
	bench_text_add_command(&command, "bench why %s ", side_of(bisect, found->base));
	bench_text_add(&command, "%s", side_of(bisect, found->head));
	add_selection(&command, &bisect->request->measure);
	if (bisect->told)
		bench_text_add(&command, " --alarm %lld", (long long)bisect->told);
	else if (bisect->only && !bisect->request->measure.cases.suite_count && !bisect->code.count)
		add_alarm_cases(bisect, &command);
	bisect->why = bench_text_keep(&command, &bisect->arena);
}

/* It must be a bench that knows duels, and that can load the code. */
static int identify(struct bench_app_bisect *bisect, size_t position, struct bench_session_program *side,
		    struct bench_error *error)
{
	return bench_app_duel_identify(side_of(bisect, position), &bisect->arena, side, error);
}

/* The code of BAD becomes this process's own, which plans by it. */
static int adopt_code(struct bench_app_bisect *bisect, struct bench_error *error)
{
	struct bench_session_program side;
	size_t shipped = 0;
	const char **names = NULL;
	if (bisect->suites || !bisect->code.count)
		return 0;
	if (identify(bisect, bisect->count - 1, &side, error) != 0)
		return -1;
	while (bench_suites[shipped])
		shipped++;
	for (size_t i = 0; i < side.extension_count; i++)
		if (bench_app_extend(side.extensions[i], error) != 0)
			return -1;
	for (size_t i = shipped; bench_suites[i]; i++)
		BENCH_PUSH(&bisect->arena, names, bisect->suite_count) = bench_suites[i]->name;
	bisect->suites = names;
	return 0;
}

static bool is_end(const struct bench_app_bisect *bisect, size_t position)
{
	return position == 0 || position == bisect->count - 1;
}

/* It cannot be measured: another is asked instead, unless it is an end of the range. `log`: more on it; "":
 * none. */
static int give_up_on(struct bench_app_bisect *bisect, size_t position, const char *why, const char *log,
		      struct bench_error *error)
{
	char hash[16];
	const char *more = *log ? "; its output is in " : "";
	short_hash(bisect, position, hash, sizeof(hash));
	if (is_end(bisect, position))
		return bench_fail(error, BENCH_ENVIRONMENT, "%s, %s, cannot be measured: %s%s%s",
				  position ? "BAD" : "GOOD", hash, why, more, log);
	bench_app_note(bisect->host, "%s is skipped: %s%s%s", hash, why, more, log);
	return bench_app_bisect_note_skipped(bisect, position, why, error);
}

/* Builds the commit, unless that was done before. It may turn out to be one to skip: 0 as well. */
static int provide(struct bench_app_bisect *bisect, size_t position, struct bench_error *error)
{
	const struct bench_app_bisect_request *request = bisect->request;
	struct bench_app_bisect_commit *commit = &bisect->commits[position];
	struct bench_arena *arena = &bisect->arena;
	double start = bench_clock_seconds();
	struct bench_error cause;
	char hash[16];
	if (commit->built || commit->skipped)
		return 0;
	const char *log = bench_arena_format(arena, "%s/logs/%s.log", bisect->state, commit->commit.hash);
	struct bench_session_program side;
	struct bench_app_build build = {
		.command = request->build,
		.executable = request->program,
		.keep = request->keep,
		.keep_count = request->keep_count,
		.whole = bisect->code.count && !request->keep_count,
		.limit_seconds = fmin(request->build_limit, fmax(seconds_left(bisect), LEAST_SLICE)),
		.stop = bisect->host->stop};
	build.made = bench_app_bisect_code_files(&bisect->code, arena, &build.made_count);
	bench_app_note(bisect->host, "building %s, %s", short_hash(bisect, position, hash, sizeof(hash)),
		       commit->commit.subject);
	int result = bench_app_worktree_build(&bisect->tree, commit->commit.hash, &build,
					      kept_folder(bisect, position), log, &cause);
	if (result == 0)
		log = ""; /* tells nothing of what follows */
	if (result == 0)
		result = bench_app_bisect_code_finish(&bisect->code, kept_folder(bisect, position), &cause);
	if (result == 0)
		result = identify(bisect, position, &side, &cause);
	if (stopped(bisect) || (result != 0 && seconds_left(bisect) <= 0))
		return 0; /* it is not the commit's fault */
	if (result == 0)
		return bench_app_bisect_note_built(bisect, position, bench_clock_seconds() - start, error);
	if (cause.code == BENCH_ENVIRONMENT) {
		*error = cause;
		return -1;
	}
	return give_up_on(bisect, position, cause.text, log, error);
}

/* One duel of two commits. */
struct bout {
	struct bench_app_bisect *bisect;
	size_t base, head;
	struct bench_app_request request;
	struct bench_app_measure measure;
	struct bench_app_duel duel;
	double started;
};

static bool is_looked_at(const struct bench_app_bisect *bisect, size_t position)
{
	struct bench_bisect_look ignored;
	return bench_compare_bisect_pool(bisect->looks, bisect->look_count, 0, position, &ignored) > 0;
}

/* Which of the two a duel failed by: the base, where it alone has not been measured before. */
static size_t blamed(const struct bout *bout)
{
	const struct bench_app_bisect *bisect = bout->bisect;
	return bout->base > 0 && !is_looked_at(bisect, bout->base) && is_looked_at(bisect, bout->head)
		       ? bout->base
		       : bout->head;
}

/* The fewest that can decide this number of cases. */
static unsigned least_invocations(const struct bout *bout)
{
	return BENCH_APP_DUEL_SPARE +
	       (unsigned)bench_compare_duel_needed((double)bout->measure.plan->case_count,
						   bout->duel.judging.alpha);
}

/*
 * The duel of the good and the bad commit has the usual length, and doubles it each time that it did not
 * decide. With a budget it takes a share, or half if the share is too short to decide.
 */
static void choose_whole(struct bout *bout)
{
	const struct bench_app_bisect *bisect = bout->bisect;
	struct bench_run *run = bout->measure.run;
	double left = seconds_left(bisect), groups = (double)bout->measure.plan->group_count;
	double longer = exp2((double)bisect->attempts);
	if (!bout->request.invocations)
		run->invocations = (unsigned)(run->invocations * longer);
	run->budget_seconds *= longer;
	double share = fmax(fmin(WHOLE_SHARE * longer, 0.5) * left,
			    fmin(0.5 * left, LEAST_BOUT * groups * least_invocations(bout)));
	if (!(share < run->budget_seconds))
		return;
	run->budget_seconds = fmax(share, LEAST_SLICE);
	double room = share / BENCH_APP_DUEL_BOUT_SECONDS / groups;
	if (!bout->request.invocations)
		run->invocations = (unsigned)fmax(fmin(room, run->invocations), least_invocations(bout));
}

/* Time enough that none of them is lost: they are few. */
static double probe_seconds(const struct bout *bout)
{
	return PROBE_BOUT * bout->measure.run->invocations * (double)bout->measure.plan->case_count;
}

/* As many invocations as the step asks for, by the spread of the first duel's. */
static void choose_probe(struct bout *bout)
{
	const struct bench_app_bisect *bisect = bout->bisect;
	const struct bench_bisect_state *state = &bisect->found;
	bool confirms = state->next == BENCH_BISECT_CONFIRM;
	struct bench_run *run = bout->measure.run;
	if (!bout->request.invocations)
		run->invocations = bench_compare_bisect_invocations(
			bisect->looks[0].error, bisect->invocations, state->step,
			confirms ? CONFIRM_TIMES : PROBE_TIMES, confirms ? LEAST_CONFIRM : LEAST_PROBE,
			BENCH_APP_DUEL_INVOCATIONS);
	run->budget_seconds =
		fmax(fmin(probe_seconds(bout), PROBE_SHARE * seconds_left(bisect)), LEAST_SLICE);
}

/* 1: one of the two cannot be measured; *error says why. */
static int prepare(struct bout *bout, struct bench_error *error)
{
	struct bench_app_bisect *bisect = bout->bisect;
	struct bench_app_measure *measure = &bout->measure;
	const char **only = bisect->only;
	if (bisect->look_count) {
		only = bench_arena_alloc(&bisect->arena, bisect->case_count + 1, sizeof(*only));
		for (size_t i = 0; i < bisect->case_count; i++)
			only[i] = bisect->cases[i].key;
	}
	bout->request = bisect->request->measure;
	bout->request.command = duel_command(bisect);
	/* Who brings a suite means it. */
	if (!bout->request.cases.suite_count) {
		bout->request.cases.suites = bisect->suites;
		bout->request.cases.suite_count = bisect->suite_count;
	}
	bout->request.budget_seconds = 0;
	bout->duel.judging = (struct bench_duel_options){.threshold = bisect->request->threshold,
							 .alpha = bisect->request->alpha,
							 .floor = BENCH_COMPARE_FLOOR};
	if (bench_app_measure_plan(measure, &bout->request, bisect->host, only, error) != 0)
		return -1;
	bout->duel.head_may_lack = true;
	if (bench_app_duel_meet(&bout->duel, &bout->request.cases, side_of(bisect, bout->base),
				side_of(bisect, bout->head), measure->plan, error) != 0)
		return error->code == BENCH_NOTHING ? 1 : -1;
	if (bisect->look_count && bout->duel.head_count == 0) {
		bench_fail(error, BENCH_NOTHING, "it has none of the cases");
		return 1;
	}
	if (bench_app_duel_enter(&bout->duel, "bisect", measure, error) != 0)
		return -1;
	if (bisect->look_count)
		choose_probe(bout);
	else
		choose_whole(bout);
	bench_app_duel_name_sides(&bout->duel, measure->run);
	measure->quiet = true;
	return bench_app_measure_open(measure, error);
}

/* The case that has changed most, by the estimates; NULL: none has one. */
static const struct bench_verdict *most_changed(const struct bench_comparison *comparison, bool faster)
{
	const struct bench_verdict *most = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->ratio > 0 &&
		    (!most || (faster ? verdict->ratio < most->ratio : verdict->ratio > most->ratio)))
			most = verdict;
	}
	return most;
}

/* GOOD and BAD do not differ, or it is not known yet: then 0, and the search asks again. */
static int refuse(const struct bench_comparison *comparison, struct bout *bout, struct bench_error *error)
{
	struct bench_app_bisect *bisect = bout->bisect;
	const struct bench_app_bisect_request *request = bisect->request;
	const struct bench_verdict *most = most_changed(comparison, request->faster);
	const char *word = request->faster ? "faster" : "slower";
	double edge = (request->faster ? -1 : 1) * log1p(request->threshold);
	if (!most)
		return bench_fail(error, BENCH_NOTHING,
				  "no case was measured on both GOOD and BAD; the first, %s: %s",
				  comparison->verdicts[0].key, comparison->verdicts[0].reason);
	const char *change = bench_arena_format(&bisect->arena, ": at most %+.2f%% (%+.2f%% to %+.2f%%), %s",
						100 * (most->ratio - 1), 100 * (most->lo - 1),
						100 * (most->hi - 1), most->key);
	if (most->kind == BENCH_UNCLEAR && log(most->ratio) / edge >= 1) {
		bisect->attempts++;
		bench_app_note(bisect->host, "no case is certainly %s yet%s; measuring again", word, change);
		return 0;
	}
	return bench_fail(
		error, BENCH_NOTHING,
		"no difference between GOOD and BAD: no case is %s by %.3g%% or more%s. 'bench show "
		"%s' has the times",
		word, 100 * request->threshold, change, bout->measure.run->id);
}

static size_t most_invocations(const struct bench_comparison *comparison)
{
	size_t most = 1;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (comparison->verdicts[i].candidate_invocations > most)
			most = comparison->verdicts[i].candidate_invocations;
	return most;
}

/* The duel of GOOD and BAD says which cases decide, if any does. */
static int judge_whole(struct bout *bout, struct bench_error *error)
{
	struct bench_app_bisect *bisect = bout->bisect;
	const struct bench_run *run = bout->measure.run;
	BENCH_SCOPED_COMPARISON *comparison = NULL;
	struct bench_bisect_case *cases;

	if (bench_compare_duel(run, &bout->duel.judging, &comparison, error) != 0)
		return -1;
	size_t count =
		bench_compare_bisect_cases(run, comparison, bisect->request->faster, &bisect->arena, &cases);
	bisect->case_count = 0;
	if (count == 0)
		return refuse(comparison, bout, error);
	if (bench_app_bisect_note_cases(bisect, cases, count, most_invocations(comparison), error) != 0)
		return -1;
	bench_app_note(bisect->host, "%s: %zu of %zu case%s", bisect->request->faster ? "faster" : "slower",
		       count, bout->measure.plan->case_count,
		       bench_text_plural(bout->measure.plan->case_count));
	return 0;
}

static int judge(struct bout *bout, struct bench_error *error)
{
	struct bench_app_bisect *bisect = bout->bisect;
	const struct bench_run *run = bout->measure.run;
	struct bench_bisect_look look = {.base = bout->base, .head = bout->head};
	char base[16], head[16];
	if (!bisect->look_count) {
		if (judge_whole(bout, error) != 0)
			return -1;
		if (!bisect->case_count)
			return 0;
	}
	const char *lacking = bench_compare_bisect_look(run, bisect->cases, bisect->case_count,
							bisect->request->faster, &look);
	if (lacking) {
		const struct bench_result *result = bench_record_find(run, lacking);
		const char *why = bench_arena_format(&bisect->arena, "%s: %s", lacking,
						     result && *result->reason ? result->reason
									       : "it was not measured");
		return give_up_on(bisect, blamed(bout), why, "", error);
	}
	bench_app_note(bisect->host, "%s against %s: %+.2f%% (+-%.2f%%)",
		       short_hash(bisect, look.head, head, sizeof(head)),
		       short_hash(bisect, look.base, base, sizeof(base)),
		       100 * expm1(bisect->request->faster ? -look.shift : look.shift),
		       100 * BENCH_APP_BISECT_INTERVAL * look.error);
	return bench_app_bisect_note_duel(bisect, &look, run->id, bench_clock_seconds() - bout->started,
					  error);
}

/* A signal ends it without a word. */
static int compete(struct bench_app_bisect *bisect, size_t base, size_t head, struct bench_error *error)
{
	struct bout bout = {.bisect = bisect, .base = base, .head = head, .started = bench_clock_seconds()};
	struct bench_error cause = {0};
	int result = prepare(&bout, &cause);
	/* BENCH_NOTHING: a worker takes no turns, as that of another version may be. */
	if (result == 0 && bench_app_measure_run(&bout.measure, &cause) != 0)
		result = cause.code == BENCH_NOTHING ? 1 : -1;
	if (result == 0 && bench_app_measure_keep(&bout.measure) == BENCH_OUTCOME_NOT_KEPT)
		result =
			bench_fail(&cause, BENCH_ENVIRONMENT, "a duel was measured, but could not be stored");
	if (stopped(bisect)) {
		result = 0;
	} else if (result == 0) {
		result = judge(&bout, error);
	} else if (result > 0) {
		result = give_up_on(bisect, blamed(&bout), cause.text, "", error);
	} else {
		*error = cause;
	}
	bench_app_measure_free(&bout.measure);
	bench_app_duel_free(&bout.duel);
	return result;
}

/* Builds both, unless one is found to be one to skip, and sets them against each other. */
static int measure_pair(struct bench_app_bisect *bisect, size_t base, size_t head, struct bench_error *error)
{
	const size_t both[] = {base, head};
	for (size_t i = 0; i < 2; i++) {
		if (provide(bisect, both[i], error) != 0)
			return -1;
		if (!bisect->commits[both[i]].built)
			return 0;
	}
	if (adopt_code(bisect, error) != 0)
		return -1;
	return compete(bisect, base, head, error);
}

/* What is known; false where GOOD and BAD have not been set against each other yet. */
static bool judge_all(struct bench_app_bisect *bisect)
{
	const struct bench_bisect_search search = {bisect->count - 1, bisect->skipped, bisect->looks,
						   bisect->look_count, bisect->request->error};
	size_t last = bisect->count - 1;
	if (!bench_compare_bisect_pool(bisect->looks, bisect->look_count, 0, last, &bisect->whole))
		return false;
	bench_compare_bisect(&search, &bisect->arena, &bisect->found);
	bench_compare_bisect_pool(bisect->looks, bisect->look_count, bisect->found.base, bisect->found.head,
				  &bisect->step);
	return true;
}

static int search(struct bench_app_bisect *bisect, struct bench_error *error)
{
	for (;;) {
		bool known = judge_all(bisect);
		const struct bench_bisect_state *state = &bisect->found;
		if (known && state->next == BENCH_BISECT_FOUND) {
			bisect->outcome = BENCH_OUTCOME_GOOD;
			return 0;
		}
		bisect->outcome = stopped(bisect) ? BENCH_OUTCOME_INTERRUPTED : BENCH_OUTCOME_UNCLEAR;
		bisect->exhausted = seconds_left(bisect) <= 0;
		if (stopped(bisect) || bisect->exhausted || bisect->attempts == MOST_ATTEMPTS ||
		    (known && state->next == BENCH_BISECT_UNDECIDED))
			return 0;
		size_t base = known ? state->base : 0, head = known ? state->head : bisect->count - 1;
		if (measure_pair(bisect, base, head, error) != 0)
			return -1;
	}
}

/* The ends of the range, as revisions. */
static int find_ends(struct bench_app_bisect *bisect, const char **good, const char **bad,
		     struct bench_error *error)
{
	const struct bench_app_bisect_request *request = bisect->request;
	struct bench_alarm *alarm;
	*good = request->good;
	*bad = request->bad;
	if (!request->alarm)
		return 0;
	if (bench_app_bisect_alarm_find(request->measure.places.db, request->alarm, &bisect->arena, &alarm,
					error) != 0)
		return -1;
	bisect->culprit = alarm->culprit;
	if (request->alarm_cases)
		bisect->only = bench_app_bisect_alarm_cases(alarm, &bisect->arena);
	if (*good)
		return 0;
	*good = alarm->good_commit;
	*bad = alarm->bad_commit;
	if (**good && **bad)
		return 0;
	return bench_fail(error, BENCH_NOTHING,
			  "alarm %lld has no commits: name them, 'bench bisect GOOD BAD --alarm %lld'",
			  (long long)request->alarm, (long long)request->alarm);
}

static int find_commits(struct bench_app_bisect *bisect, struct bench_error *error)
{
	const char *repository = bisect->request->repository, *good, *bad;
	struct bench_arena *arena = &bisect->arena;
	struct bench_app_commit *commits;
	if (find_ends(bisect, &good, &bad, error) != 0 ||
	    bench_app_commit_resolve(repository, good, arena, &bisect->good, error) != 0 ||
	    bench_app_commit_resolve(repository, bad, arena, &bisect->bad, error) != 0 ||
	    bench_app_commits(repository, bisect->good, bisect->bad, arena, &commits, &bisect->count,
			      error) != 0)
		return -1;
	bisect->commits = bench_arena_alloc(arena, bisect->count, sizeof(*bisect->commits));
	bisect->skipped = bench_arena_alloc(arena, bisect->count, sizeof(*bisect->skipped));
	for (size_t i = 0; i < bisect->count; i++)
		bisect->commits[i].commit = commits[i];
	return 0;
}

/* Does the alarm name a commit that was not among those searched? This is then about the rest of its change.
 */
static bool names_another(const struct bench_app_bisect *bisect)
{
	for (size_t i = 1; i < bisect->count; i++)
		if (strcmp(bisect->commits[i].commit.hash, bisect->culprit) == 0)
			return false;
	return *bisect->culprit != '\0';
}

/* Updates the alarm that asked; names one that did not. */
static int tell_alarm(struct bench_app_bisect *bisect, struct bench_error *error)
{
	const struct bench_app_bisect_request *request = bisect->request;
	const struct bench_bisect_state *found = &bisect->found;
	const char *db = request->measure.places.db;
	if (bisect->outcome != BENCH_OUTCOME_GOOD || found->head - found->base > 1)
		return 0;
	const char *commit = bisect->commits[found->head].commit.hash;
	if (request->alarm) {
		if (names_another(bisect)) {
			bench_app_note(bisect->host,
				       "alarm %lld keeps its commit, %.12s, which was not searched",
				       (long long)request->alarm, bisect->culprit);
			return 0;
		}
		bisect->told = request->alarm;
		return bench_app_bisect_alarm_tell(db, request->alarm, commit, error);
	}
	/* What was found stands without it. */
	if (bench_app_bisect_alarm_around(db, request->repository, commit, &bisect->alarm, error) != 0)
		bench_app_warn(bisect->host, "cannot read the alarms: %s", error->text);
	return 0;
}

/* What an earlier call has kept may have been removed since. */
static void forget_lost(struct bench_app_bisect *bisect)
{
	for (size_t i = 0; i < bisect->count; i++)
		if (bisect->commits[i].built &&
		    access(bench_arena_format(&bisect->arena, "%s/%s", kept_folder(bisect, i),
					      bisect->request->program ? bisect->request->program : ""),
			   X_OK) != 0)
			bisect->commits[i].built = false;
}

/* The folders of the state, and the work tree that it will have. */
static int prepare_state(struct bench_app_bisect *bisect, struct bench_error *error)
{
	struct bench_arena *arena = &bisect->arena;
	if (bench_app_bisect_open(bisect, duel_command(bisect), error) != 0)
		return -1;
	bisect->tree =
		(struct bench_app_worktree){.repository = bisect->request->repository,
					    .path = bench_arena_format(arena, "%s/tree", bisect->state)};
	if (bench_file_make_folder(bench_arena_format(arena, "%s/commits", bisect->state), error) != 0 ||
	    bench_file_make_folder(bench_arena_format(arena, "%s/logs", bisect->state), error) != 0)
		return -1;
	forget_lost(bisect);
	if (bisect->look_count)
		bench_app_note(bisect->host, "continuing with %zu earlier duel%s, in %s", bisect->look_count,
			       bench_text_plural(bisect->look_count), bisect->state);
	else
		bench_app_note(bisect->host, "%zu commit%s, state in %s", bisect->count - 1,
			       bench_text_plural(bisect->count - 1), bisect->state);
	return 0;
}

int bench_app_bisect(struct bench_app_bisect *bisect, const struct bench_app_bisect_request *request,
		     const struct bench_app_host *host, struct bench_error *error)
{
	*bisect = (struct bench_app_bisect){
		.request = request, .host = host, .log = -1, .started = bench_clock_seconds()};
	if (bench_app_build_check(request->program, request->keep, request->keep_count, error) != 0 ||
	    bench_app_duel_check(&request->measure.settings, error) != 0 ||
	    find_commits(bisect, error) != 0 ||
	    bench_app_duel_self(&bisect->arena, &bisect->self, error) != 0 ||
	    (request->code.count && bench_app_bisect_code_place(&request->code, request->repository,
								&bisect->arena, &bisect->code, error) != 0) ||
	    prepare_state(bisect, error) != 0)
		return -1;
	host->begin(host->context); /* builds are stopped by signals, too */
	int result = search(bisect, error);
	host->end(host->context);
	bench_app_worktree_remove(&bisect->tree);
	if (result != 0)
		return -1;
	int status = tell_alarm(bisect, error);
	name_why(bisect);
	return status;
}

void bench_app_bisect_free(struct bench_app_bisect *bisect)
{
	if (bisect->request && bisect->log >= 0)
		close(bisect->log);
	bench_arena_free(&bisect->arena);
}
