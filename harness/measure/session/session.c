#include "measure/session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/text.h"
#include "kit/rng.h"
#include "machine/canary.h"
#include "machine/settings.h"
#include "measure/session/budget.h"
#include "measure/session/disturbance.h"
#include "measure/session/journal.h"
#include "measure/session/process.h"
#include "measure/session/replicates.h"
#include "measure/session/results.h"
#include "measure/worker/worker.h"

#define MIN_SLICE_SECONDS       0.05
#define UNLIMITED_SLICE_SECONDS 300.0 /* without a budget: what one group may take to reach the precision */
#define FIRST_OVERHEAD_SECONDS                                                                               \
	0.2                 /* of starting, setting up and checking; a guess until a group has been measured \
			     */
#define SHARED_FROM       2 /* invocations from which on the budget is divided by need */
#define LEAST_INVOCATIONS 3 /* whatever the budget: fewer tell next to nothing */
#define MAX_RESTARTS      64 /* of one group in one invocation */

struct group {
	size_t *cases; /* of the plan */
	size_t case_count;
	double overhead; /* seconds that its last worker took beside its slice */
	unsigned left;   /* invocations to come */
	unsigned owed;   /* invocations that it wants beside those asked for */
	bool finished;   /* its cases were shown as finished */
};

struct session {
	struct bench_run *run;
	const struct bench_plan *plan;
	struct bench_folder *folder;
	const struct bench_session_options *options;
	struct bench_rng rng;
	struct bench_arena arena;
	struct bench_arena worker_arena; /* of the worker that is running: its job, and `current` */
	struct bench_settings settings;
	struct bench_journal journal;
	bool *dropped; /* by case: it has failed, and is not measured again */
	bool *ended;   /* by case: it has ended in the present invocation */
	struct group *groups;
	double *needs;  /* by group: what its invocations need of the budget; NaN: not known */
	double *shares; /* by group: of the budget, 1 being an equal one */
	double start;
	struct bench_segment_length *lengths; /* by case: of its segments in a duel */
	size_t done, total;                   /* workers */
	struct bench_disturbance disturbance;
	const char *current;
};

static bool stopped(const struct session *session)
{
	return session->options->stop && *session->options->stop;
}

/* Seconds left of the budget; a large number where there is none. */
static double budget_left(const struct session *session)
{
	double budget = session->run->budget_seconds;
	return budget > 0 ? budget - (bench_clock_seconds() - session->start) : 1e9;
}

static void show(struct session *session, const struct bench_result *finished)
{
	const struct bench_session_options *options = session->options;
	if (!options->progress)
		return;
	struct bench_session_progress progress = {.done = session->done,
						  .total = session->total,
						  .elapsed = bench_clock_seconds() - session->start,
						  .left = -1,
						  .current = session->current,
						  .finished = finished};
	if (session->done)
		progress.left =
			progress.elapsed / (double)session->done * (double)(session->total - session->done);
	options->progress(options->context, &progress);
}

static void on_tick(void *context)
{
	show(context, NULL);
}

/* Takes note of an event: how the machine was, which case has ended, and whether it is measured further. */
static void note(void *context, const struct bench_event *event)
{
	struct session *session = context;
	bench_session_disturbance_note(&session->disturbance, event);
	if (event->kind != BENCH_EVENT_END)
		return;
	session->ended[event->index] = true;
	if (event->end.status != BENCH_STATUS_OK) {
		session->dropped[event->index] = true;
		bench_record_folder_log(session->folder, "%s: %s: %s", session->plan->cases[event->index].key,
					bench_record_status_name(event->end.status), event->end.reason);
	}
}

/* Writes the run and its cases, before anything is measured. */
static int begin_run(struct session *session, struct bench_error *error)
{
	struct bench_journal *journal = &session->journal;
	if (bench_session_journal_line(journal, bench_record_event_run_line(session->run), error) != 0 ||
	    bench_session_add_results(session->run, session->plan, session->options->threads, error) != 0)
		return -1;
	for (size_t i = 0; i < session->plan->case_count; i++)
		if (bench_session_journal_line(journal, bench_record_event_case_line(session->run, i),
					       error) != 0)
			return -1;
	/* The record has these already, but not what follows in the file. */
	bench_session_journal_skip(journal);
	for (size_t i = 0; i < session->plan->case_count; i++) {
		const char *reason = session->plan->cases[i].unsupported;
		const char *lacking = session->plan->cases[i].lacking;
		enum bench_status status = lacking ? BENCH_STATUS_SKIPPED : BENCH_STATUS_UNSUPPORTED;
		if ((reason || lacking) &&
		    bench_session_journal_end(journal, i, 0, status, lacking ? lacking : reason, error) != 0)
			return -1;
	}
	return bench_session_journal_catch_up(journal, error);
}

/* Resumes a run that was cut short: the record has its cases, and what was measured of them. */
static int resume_run(struct session *session, struct bench_error *error)
{
	const struct bench_event event = {.kind = BENCH_EVENT_RESUME,
					  .resume = {(double)time(NULL), session->options->used_seconds}};
	bench_session_journal_skip(&session->journal);
	for (size_t i = 0; i < session->plan->case_count; i++) {
		enum bench_status status = session->run->results[i].status;
		session->dropped[i] = status == BENCH_STATUS_FAILED || status == BENCH_STATUS_INCORRECT ||
				      status == BENCH_STATUS_UNSUPPORTED;
	}
	return bench_session_journal_event(&session->journal, &event, error);
}

/* The job of a group in an invocation: the cases that have neither ended nor been dropped. */
static struct bench_job make_job(struct session *session, const struct group *group, unsigned invocation,
				 double slice)
{
	const struct bench_plan *plan = session->plan;
	struct bench_job job = {.invocation = invocation,
				.seed = session->run->seed,
				.threads = session->options->threads,
				.precision = session->run->precision,
				.cold = session->settings.cold,
				.in_order = session->settings.in_order,
				.slice_seconds = slice,
				.canary_fastest = session->disturbance.fastest,
				/* The segments of a duel's two workers meet the same disturbance. */
				.unwatched = session->settings.unwatched || session->options->duel,
				.overrides = session->options->overrides};
	for (size_t c = 0; c < group->case_count; c++) {
		size_t i = group->cases[c];
		const struct bench_planned *planned = &plan->cases[i];
		if (session->dropped[i] || session->ended[i])
			continue;
		const struct bench_target *target = &plan->targets[planned->target];
		struct bench_job_case *job_case = bench_arena_push(&session->worker_arena, &job.cases,
								   &job.case_count, sizeof(*job_case));
		job_case->index = i;
		job_case->backend = planned->suite->host_only ? NULL : target->backend;
		job_case->device = target->index;
		snprintf(job_case->slug, sizeof(job_case->slug), "%s", target->info.slug);
		job_case->values = planned->values;
		job_case->value_count = planned->value_count;
		job_case->reference = BENCH_NO_REFERENCE;
		job.suite = planned->suite;
	}
	for (size_t i = 0; i < job.case_count; i++)
		for (size_t j = 0; j < job.case_count; j++)
			if (plan->cases[job.cases[i].index].reference == job.cases[j].index)
				job.cases[i].reference = j;
	return job;
}

static const char *describe(struct session *session, const struct bench_job *job)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", job->suite->name);
	char separator = ' ';
	for (size_t i = 0; i < job->cases[0].value_count; i++) {
		const char *name = job->suite->params[i].name;
		if (job->suite->variants && strcmp(job->suite->variants, name) == 0)
			continue;
		bench_text_add(&text, "%c%s=%s", separator, name, job->cases[0].values[i].text);
		separator = ',';
	}
	return bench_text_keep(&text, &session->worker_arena);
}

/* A worker died: the case that it was at has failed, or, if it was a duel's base, is skipped. */
static int blame(struct session *session, const struct bench_job *job, const struct bench_block_end *end,
		 struct bench_error *error)
{
	char reason[320];
	long current = end->current;
	size_t index = job->cases[0].index;
	for (size_t i = 0; i < job->case_count; i++)
		if (current == (long)job->cases[i].index && !session->ended[job->cases[i].index])
			index = job->cases[i].index;
	snprintf(reason, sizeof(reason), "%s%s", end->by_base ? "in the base: " : "", end->what);
	return bench_session_journal_end(&session->journal, index, job->invocation,
					 end->by_base ? BENCH_STATUS_SKIPPED : BENCH_STATUS_FAILED, reason,
					 error);
}

static int run_alone(struct session *session, const struct bench_job *job, struct bench_block_end *end,
		     struct bench_error *error)
{
	struct bench_process process;
	char *input = bench_worker_job_to_json(job);
	const struct bench_session_options *options = session->options;
	int started = bench_session_process_start(&process, options->executable, options->arguments, NULL,
						  input ? input : "", session->folder->events,
						  session->folder->log, error);
	free(input);
	if (started != 0)
		return -1;
	end->outcome =
		bench_session_process_wait(&process, options->time_limit_seconds, options->tick_seconds,
					   on_tick, session, options->stop, end->what, sizeof(end->what));
	end->by_base = false;
	end->current = process.current;
	end->exit_status = process.exit_status;
	return 0;
}

static int run_block(struct session *session, const struct bench_job *job, struct bench_block_end *end,
		     struct bench_error *error)
{
	const struct bench_session_options *options = session->options;
	struct bench_block_options block = {.arguments = options->arguments,
					    .lengths = session->lengths,
					    .time_limit_seconds = options->time_limit_seconds,
					    .tick_seconds = options->tick_seconds,
					    .tick = on_tick,
					    .context = session,
					    .stop = options->stop};
	return bench_session_measure_block(options->duel, job, session->folder, &block, end, error);
}

/* Runs one worker, or the two of a duel, on what is left of a group. */
static int run_worker(struct session *session, const struct bench_job *job, struct bench_error *error)
{
	struct bench_block_end end;
	if ((session->options->duel ? run_block : run_alone)(session, job, &end, error) != 0 ||
	    bench_session_journal_catch_up(&session->journal, error) != 0)
		return -1;
	if (bench_session_disturbance_end_worker(&session->disturbance))
		bench_record_folder_log(session->folder, "disturbed: %s, invocation %u: %s", session->current,
					job->invocation, session->disturbance.reason);
	if (end.outcome == BENCH_CRASHED && !end.by_base && end.exit_status == BENCH_WORKER_DISK_FULL)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "cannot write '%s/samples.jsonl': is the disk full?",
				  session->folder->path);
	if (end.outcome == BENCH_CRASHED || end.outcome == BENCH_HUNG) {
		if (blame(session, job, &end, error) != 0 ||
		    bench_session_journal_catch_up(&session->journal, error) != 0)
			return -1;
	}
	return 0;
}

static bool has_case_left(const struct session *session, const struct group *group)
{
	for (size_t i = 0; i < group->case_count; i++)
		if (!session->dropped[group->cases[i]] && !session->ended[group->cases[i]])
			return true;
	return false;
}

/* One group in one invocation: a worker, and another for what is left where one died. */
static int run_group(struct session *session, struct group *group, unsigned invocation, double slice,
		     struct bench_error *error)
{
	double start = bench_clock_seconds();
	for (int restart = 0; restart <= MAX_RESTARTS && has_case_left(session, group) && !stopped(session);
	     restart++) {
		bench_arena_free(&session->worker_arena);
		struct bench_job job = make_job(session, group, invocation, slice);
		session->current = describe(session, &job);
		if (session->options->tick_seconds > 0)
			show(session, NULL);
		if (run_worker(session, &job, error) != 0)
			return -1;
	}
	double overhead = bench_clock_seconds() - start - slice;
	group->overhead = overhead > 0 ? overhead : 0;
	return 0;
}

static void finish_cases(struct session *session, struct group *group)
{
	group->finished = true;
	bench_record_finalise(session->run);
	for (size_t i = 0; i < group->case_count; i++)
		show(session, &session->run->results[group->cases[i]]);
}

/* The part of the remaining budget that an invocation of a group may take. */
static double slice_for(const struct session *session, size_t group)
{
	double shares = 0, overhead = 0;
	if (session->run->budget_seconds <= 0)
		return UNLIMITED_SLICE_SECONDS;
	for (size_t g = 0; g < session->plan->group_count; g++) {
		shares += session->shares[g] * session->groups[g].left;
		overhead += session->groups[g].overhead * session->groups[g].left;
	}
	double slice = (budget_left(session) - overhead) * session->shares[group] / shares;
	return slice > MIN_SLICE_SECONDS ? slice : MIN_SLICE_SECONDS;
}

/* What the group's invocations need of the budget, and how many it wants beyond those asked for. */
static void pace_of_finished(struct session *session, size_t index)
{
	struct group *group = &session->groups[index];
	/* The times of a duel vary with the machine; what it is for is their ratio. */
	const char *metric =
		bench_record_sample_name(session->options->duel ? BENCH_SAMPLE_RELATIVE : BENCH_SAMPLE_TIME);
	group->owed = 0;
	session->needs[index] = NAN;
	for (size_t i = 0; i < group->case_count; i++) {
		const struct bench_result *result = &session->run->results[group->cases[i]];
		unsigned wanted = bench_session_replicates_wanted(result, session->run->invocations);
		double need = bench_session_replicates_need(result, metric, session->run->precision);
		session->needs[index] = fmax(session->needs[index], need);
		if (!session->dropped[group->cases[i]] && wanted > group->owed)
			group->owed = wanted;
	}
}

static void mark_ended(struct session *session, unsigned invocation)
{
	for (size_t i = 0; i < session->plan->case_count; i++)
		session->ended[i] = bench_session_replicates_has(&session->run->results[i], (int)invocation);
}

/* Is there nothing left to measure in an invocation? A resumed run may have it already. */
static bool is_made(struct session *session, unsigned invocation)
{
	bool left = false;
	mark_ended(session, invocation);
	for (size_t g = 0; g < session->plan->group_count; g++)
		left |= has_case_left(session, &session->groups[g]);
	return !left;
}

/* An invocation of the groups in `order`, whose `left` counts this one too. */
static int run_invocation(struct session *session, unsigned invocation, const size_t *order, size_t count,
			  struct bench_error *error)
{
	mark_ended(session, invocation);
	for (size_t g = 0; g < count && !stopped(session); g++) {
		struct group *group = &session->groups[order[g]];
		if (has_case_left(session, group) &&
		    run_group(session, group, invocation, slice_for(session, order[g]), error) != 0)
			return -1;
		session->done++;
		group->left--;
		pace_of_finished(session, order[g]);
		if (!group->left && !group->owed && !stopped(session))
			finish_cases(session, group);
	}
	return 0;
}

/* The budget does not hold another invocation: starting and checking took longer than estimated. */
static void end_at_budget(struct session *session, unsigned done)
{
	char text[160];
	snprintf(text, sizeof(text),
		 "the budget of %.0f s was over after %u of %u invocations; --budget %.0fs would hold all",
		 session->run->budget_seconds, done, session->run->invocations,
		 ceil((bench_clock_seconds() - session->start) / done * session->run->invocations));
	bench_record_folder_log(session->folder, "warning: %s", text);
	if (session->options->warn)
		session->options->warn(session->options->context, text);
}

/*
 * Makes the invocations that were asked for, with the groups shuffled anew each time; returns how many there
 * was time for, or -1. Whole invocations only: every case has as many as the others. The budget for
 * remeasurements (`owed`) is set aside. Slices shrink to what is left, so the next invocation fits if there
 * is half the time that the last one took.
 */
static int run_asked(struct session *session, size_t *order, struct bench_error *error)
{
	size_t groups = session->plan->group_count;
	unsigned asked = session->run->invocations;
	double last_seconds = 0;
	for (unsigned k = 0; k < asked && !stopped(session); k++) {
		double before = bench_clock_seconds();
		if (is_made(session, k)) {
			session->done += groups;
			continue;
		}
		if (k >= LEAST_INVOCATIONS && budget_left(session) < 0.5 * last_seconds) {
			end_at_budget(session, k);
			return (int)k;
		}
		if (k >= SHARED_FROM)
			bench_session_budget_shares(session->needs, groups, session->shares);
		if (!session->settings.in_order)
			bench_rng_shuffle(&session->rng, order, groups);
		for (size_t g = 0; g < groups; g++)
			session->groups[g].left = asked - k + session->groups[g].owed;
		if (run_invocation(session, k, order, groups, error) != 0)
			return -1;
		/* Derived series take their memory now, as the measured ones have. */
		if (k == 0)
			bench_record_finalise(session->run);
		last_seconds = bench_clock_seconds() - before;
	}
	return (int)asked;
}

/*
 * Remeasures the groups that were disturbed in too many invocations: further invocations, numbered on from
 * the last one, while there is budget, and at most as many as were asked for.
 */
static int remeasure(struct session *session, size_t *order, struct bench_error *error)
{
	unsigned asked = session->run->invocations;
	for (unsigned k = asked; k < 2 * asked && !stopped(session); k++) {
		size_t count = 0;
		for (size_t g = 0; g < session->plan->group_count; g++) {
			struct group *group = &session->groups[g];
			group->left = 0;
			if (!group->owed || budget_left(session) < group->overhead + MIN_SLICE_SECONDS)
				continue;
			group->left = group->owed;
			order[count++] = g;
		}
		if (!count)
			return 0;
		if (!session->settings.in_order)
			bench_rng_shuffle(&session->rng, order, count);
		bench_record_folder_log(session->folder,
					"invocation %u: %zu groups again, which were disturbed", k, count);
		session->total += count;
		if (run_invocation(session, k, order, count, error) != 0)
			return -1;
	}
	return 0;
}

static int measure(struct session *session, struct bench_error *error)
{
	size_t groups = session->plan->group_count;
	size_t *order = bench_arena_alloc(&session->arena, groups, sizeof(*order));
	for (size_t g = 0; g < groups; g++) {
		order[g] = g;
		session->groups[g].overhead = FIRST_OVERHEAD_SECONDS;
		session->shares[g] = 1;
		pace_of_finished(session, g);
	}
	session->total = groups * session->run->invocations;
	session->start = bench_clock_seconds() - session->options->used_seconds;
	int done = run_asked(session, order, error);
	if (done < 0 || (done == (int)session->run->invocations && remeasure(session, order, error) != 0))
		return -1;
	for (size_t g = 0; g < groups && !stopped(session); g++)
		if (!session->groups[g].finished)
			finish_cases(session, &session->groups[g]);
	return 0;
}

/* Warns of how much of the run was disturbed, if any of it was. */
static void say_disturbed(const struct session *session)
{
	char text[256];
	if (!bench_session_disturbance_words(&session->disturbance, text, sizeof(text)))
		return;
	bench_record_folder_log(session->folder, "warning: %s", text);
	if (session->options->warn)
		session->options->warn(session->options->context, text);
}

static int say_finished(struct session *session, struct bench_error *error)
{
	const struct bench_event event = {.kind = BENCH_EVENT_FINISH,
					  .finish = {time(NULL), stopped(session)}};
	if (bench_session_journal_event(&session->journal, &event, error) != 0)
		return -1;
	return bench_session_journal_catch_up(&session->journal, error);
}

int bench_session_run(struct bench_run *run, const struct bench_plan *plan, struct bench_folder *folder,
		      const struct bench_session_options *options, struct bench_error *error)
{
	struct session session = {.run = run,
				  .plan = plan,
				  .folder = folder,
				  .options = options,
				  .settings = bench_machine_settings_of(run),
				  .current = ""};
	session.journal =
		(struct bench_journal){.folder = folder, .run = run, .seen = note, .context = &session};
	struct bench_arena *arena = &session.arena;
	session.dropped = bench_arena_alloc(arena, plan->case_count, sizeof(*session.dropped));
	session.ended = bench_arena_alloc(arena, plan->case_count, sizeof(*session.ended));
	session.lengths = bench_arena_alloc(arena, plan->case_count, sizeof(*session.lengths));
	session.groups = bench_arena_alloc(arena, plan->group_count, sizeof(*session.groups));
	session.needs = bench_arena_alloc(arena, plan->group_count, sizeof(*session.needs));
	session.shares = bench_arena_alloc(arena, plan->group_count, sizeof(*session.shares));
	for (size_t i = 0; i < plan->case_count; i++) {
		struct group *group = &session.groups[plan->cases[i].group];
		*(size_t *)bench_arena_push(arena, &group->cases, &group->case_count, sizeof(size_t)) = i;
	}
	bench_rng_start(&session.rng, run->seed, 1);
	if (!session.settings.unwatched)
		session.disturbance.fastest = fmax(0, bench_machine_canary_fastest());
	int result = run->result_count ? resume_run(&session, error) : begin_run(&session, error);
	if (result == 0)
		result = measure(&session, error);
	say_disturbed(&session);
	if (result == 0)
		result = say_finished(&session, error);
	bench_record_finalise(run);
	bench_arena_free(&session.worker_arena);
	bench_arena_free(arena);
	return result;
}
