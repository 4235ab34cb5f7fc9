/* SPDX-License-Identifier: MIT */
#include "measure/session/session_internal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/clock.h"
#include "core/text.h"
#include "machine/canary.h"
#include "measure/session/budget.h"
#include "measure/session/replicates.h"
#include "measure/session/results.h"

#define MIN_SLICE_SECONDS       0.05
#define UNLIMITED_SLICE_SECONDS 300.0 /* without a budget: what one group may take to reach the precision */
#define FIRST_OVERHEAD_SECONDS                                                                               \
	0.2 /* of starting, setting up and checking; a guess until a group has been measured                 \
	     */
#define SHARED_FROM           2   /* invocations from which on the budget is divided by need */
#define PROBE                 0.1 /* of the budget, to see what a later invocation takes */
#define UNBOUNDED_INVOCATIONS 3   /* without a limit on time: fewer tell next to nothing */

static bool was_interrupted(const struct session *session)
{
	return session->options->stop && *session->options->stop;
}

bool session_stopped(const struct session *session)
{
	return was_interrupted(session) || (session->until > 0 && bench_clock_seconds() >= session->until);
}

/* Seconds left of the budget; a large number without a budget. */
static double budget_left(const struct session *session)
{
	double budget = session->run->budget_seconds;
	return budget > 0 ? budget - (bench_clock_seconds() - session->start - session->lost_seconds) : 1e9;
}

static void show(struct session *session, const struct bench_result *finished)
{
	const struct bench_session_options *options = session->options;
	if (!options->progress)
		return;
	struct bench_session_progress progress = {.done = session->done,
						  .total = session->total,
						  .elapsed = fmax(0, bench_clock_seconds() - session->start),
						  .left = -1,
						  .current = session->current,
						  .finished = finished};
	if (session->done)
		progress.left =
			progress.elapsed / (double)session->done * (double)(session->total - session->done);
	options->progress(options->context, &progress);
}

void session_tick(void *context)
{
	show(context, NULL);
}

void session_warn(struct session *session, const char *text)
{
	bench_record_folder_log(session->folder, "warning: %s", text);
	if (session->options->warn)
		session->options->warn(session->options->context, text);
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
		session->spoiled = true;
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
		const struct bench_result *result = &session->run->results[i];
		enum bench_status status = result->status;
		session->apart[i] = *bench_record_note(result, SESSION_APART);
		session->dropped[i] = status == BENCH_STATUS_FAILED || status == BENCH_STATUS_INCORRECT ||
				      status == BENCH_STATUS_UNSUPPORTED;
	}
	return bench_session_journal_event(&session->journal, &event, error);
}

bool session_is_left(const struct session *session, size_t index)
{
	return !session->dropped[index] && !session->ended[index];
}

static bool has_case_left(const struct session *session, const struct group *group)
{
	for (size_t i = 0; i < group->case_count; i++)
		if (session_is_left(session, group->cases[i]))
			return true;
	return false;
}

/* One group in one invocation: a worker, and more where one died or cases are apart. */
static int run_group(struct session *session, struct group *group, unsigned invocation, double slice,
		     struct bench_error *error)
{
	double start = bench_clock_seconds(), lost = session->lost_seconds;
	while (!session_stopped(session)) {
		bench_arena_free(&session->worker_arena);
		struct bench_job job = session_make_job(session, group, invocation, slice);
		if (!job.case_count)
			break;
		session->current = session_describe_job(session, &job);
		if (session->options->tick_seconds > 0)
			show(session, NULL);
		if (session_run_worker(session, &job, error) != 0)
			return -1;
	}
	lost = session->lost_seconds - lost;
	group->overhead = fmax(0, bench_clock_seconds() - start - lost - slice);
	group->known = true;
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

/* The run's budget, of the command's. */
static double share_of(const struct session *session)
{
	return session->options->share > 0 ? session->options->share : 1;
}

static unsigned least_invocations(const struct session *session)
{
	unsigned usual = session->options->shortage ? 1 : UNBOUNDED_INVOCATIONS;
	return session->options->least_invocations ? session->options->least_invocations : usual;
}

/* What is known once `made` invocations are whole. */
static struct bench_budget_outlook outlook_of(const struct session *session, unsigned made)
{
	struct bench_budget_outlook outlook = {.budget_seconds = session->run->budget_seconds,
					       .used_seconds = bench_clock_seconds() - session->start,
					       .again = made > 1 ? 1 : session->again,
					       .made = made,
					       .least = least_invocations(session)};
	for (size_t g = 0; g < session->plan->group_count; g++) {
		const struct group *group = &session->groups[g];
		outlook.groups++;
		outlook.known += group->known;
		outlook.known_seconds += group->known ? group->overhead + MIN_SLICE_SECONDS : 0;
	}
	return outlook;
}

/* Those that are not known yet are taken for like the others. */
static void expect_alike(struct session *session, const struct bench_budget_outlook *outlook)
{
	for (size_t g = 0; g < session->plan->group_count; g++)
		if (!session->groups[g].known && outlook->known)
			session->groups[g].overhead =
				outlook->known_seconds / (double)outlook->known - MIN_SLICE_SECONDS;
}

/* How many cases were measured in the invocation that is being made? */
static size_t count_measured(const struct session *session)
{
	size_t count = 0;
	for (size_t i = 0; i < session->plan->case_count; i++)
		count += !session_is_left(session, i);
	return count;
}

/* Was the time up before the invocation that is being made was whole? */
static bool was_cut(const struct session *session)
{
	return count_measured(session) < session->plan->case_count && session_stopped(session);
}

/*
 * Measures a few groups of the second invocation ahead, and compares what they took with their first: only
 * that tells how much of the first went into compiling programs.
 */
static int probe_again(struct session *session, struct bench_error *error)
{
	const double most = bench_clock_seconds() + PROBE * session->run->budget_seconds;
	double first = 0, second = 0;
	mark_ended(session, 1);
	for (size_t g = 0; g < session->plan->group_count && !session_stopped(session); g++) {
		struct group *group = &session->groups[g];
		double overhead = group->overhead;
		if (!group->known || !has_case_left(session, group) ||
		    (first > 0 && bench_clock_seconds() > most))
			continue;
		if (run_group(session, group, 1, slice_for(session, g), error) != 0)
			return -1;
		if (!session_stopped(session)) { /* else it was cut, and took less than it takes */
			first += overhead + MIN_SLICE_SECONDS;
			second += group->overhead + MIN_SLICE_SECONDS;
		}
		group->overhead = overhead; /* the first invocation is still being counted */
	}
	mark_ended(session, 0);
	if (first > 0)
		session->again = fmin(1, second / first);
	return 0;
}

/* -1: the budget is a bound, and does not hold what is needed. */
static int check_budget(struct session *session, unsigned made, struct bench_error *error)
{
	struct bench_session_shortage *shortage = session->options->shortage;
	struct bench_budget_outlook outlook = outlook_of(session, made);
	expect_alike(session, &outlook);
	if (!shortage || was_interrupted(session))
		return 0;
	if (made == 0 && outlook.least > 1 && session->again == BENCH_BUDGET_AGAIN &&
	    bench_session_budget_is_short(&outlook)) {
		if (probe_again(session, error) != 0)
			return -1;
		outlook = outlook_of(session, made);
	}
	if (!bench_session_budget_is_short(&outlook) && !(made == 0 && was_cut(session)))
		return 0;
	double mean = outlook.known_seconds / (double)outlook.known, each = mean * (double)outlook.groups;
	double left = outlook.budget_seconds - outlook.used_seconds;
	double least = outlook.budget_seconds * (was_cut(session) ? 2 : BENCH_BUDGET_REACH);
	/* A hint should hold at the first try: what a few groups say of the others counts twice. */
	double needed =
		bench_session_budget_needed(&outlook) + mean * (double)(outlook.groups - outlook.known);
	*shortage = (struct bench_session_shortage){
		.needed_seconds = fmax(needed, least) / share_of(session),
		.fits = made + (outlook.known == outlook.groups && made == 0) +
			(unsigned)fmax(0, floor(left / each / outlook.again)),
		.measured = made == 0 && was_cut(session) ? count_measured(session) : 0};
	return bench_fail(error, BENCH_USAGE, "the budget is too short");
}

/* An invocation of the groups in `order`, whose `left` counts this one too. */
static int run_invocation(struct session *session, unsigned invocation, const size_t *order, size_t count,
			  struct bench_error *error)
{
	mark_ended(session, invocation);
	for (size_t g = 0; g < count && !session_stopped(session); g++) {
		struct group *group = &session->groups[order[g]];
		if (has_case_left(session, group) &&
		    run_group(session, group, invocation, slice_for(session, order[g]), error) != 0)
			return -1;
		if (invocation == 0 && check_budget(session, 0, error) != 0)
			return -1;
		session->done++;
		group->left--;
		pace_of_finished(session, order[g]);
		if (!group->left && !group->owed && !session_stopped(session))
			finish_cases(session, group);
	}
	return 0;
}

/* The budget does not hold another invocation: starting and checking took longer than estimated. */
static void end_at_budget(struct session *session, unsigned done)
{
	char text[160];
	if (session->options->least_samples)
		return; /* of which one invocation may take all of the time */
	double share = share_of(session), budget = session->run->budget_seconds;
	snprintf(text, sizeof(text),
		 "the budget of %.0f s was over after %u of %u invocations; --%s %.0fs would hold all",
		 budget / share, done, session->run->invocations,
		 session->options->budget_option ? session->options->budget_option : "budget",
		 ceil((budget - budget_left(session)) / done * session->run->invocations / share));
	session_warn(session, text);
}

/*
 * Does the budget hold another invocation? Slices shrink to what is left: where it is no bound, half the time
 * of the last one is enough. The first one compiles programs that later ones find.
 */
static bool has_time(const struct session *session, unsigned made, double last_seconds)
{
	if (session->run->budget_seconds <= 0)
		return true;
	if (!session->options->shortage)
		return made < least_invocations(session) || budget_left(session) >= 0.5 * last_seconds;
	const struct bench_budget_outlook outlook = outlook_of(session, made);
	return made == 0 || budget_left(session) >= (made == 1 ? 0.5 : 1) * outlook.known_seconds;
}

/*
 * Makes the invocations that were asked for, with the groups shuffled anew each time; returns how many there
 * was time for, or -1. Whole invocations only, so that every case has as many as the others, unless the time
 * is up. The budget for remeasurements (`owed`) is set aside.
 */
static int run_asked(struct session *session, size_t *order, struct bench_error *error)
{
	size_t groups = session->plan->group_count;
	unsigned asked = session->run->invocations;
	double last_seconds = 0;
	for (unsigned k = 0; k < asked && !session_stopped(session); k++) {
		double before = bench_clock_seconds();
		if (is_made(session, k)) {
			session->done += groups;
			continue;
		}
		if (!has_time(session, k, last_seconds)) {
			end_at_budget(session, k);
			return (int)k;
		}
		if (k >= SHARED_FROM)
			bench_session_budget_shares(session->needs, groups, session->shares);
		if (!session->settings.in_order)
			bench_rng_shuffle(&session->rng, order, groups);
		for (size_t g = 0; g < groups; g++)
			session->groups[g].left = asked - k + session->groups[g].owed;
		if (run_invocation(session, k, order, groups, error) != 0 ||
		    (k == 1 && check_budget(session, 2, error) != 0))
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
	for (unsigned k = asked; k < 2 * asked && !session_stopped(session); k++) {
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
	/* Told from wall times, which may have been set back: below 0 the run would have more than its
	 * budget. */
	session->start = bench_clock_seconds() - fmax(0, session->options->used_seconds);
	if (session->options->shortage && session->run->budget_seconds > 0)
		session->until = session->start + BENCH_BUDGET_REACH * session->run->budget_seconds;
	int done = run_asked(session, order, error);
	/* Who asks for a number of samples gets no others. */
	const bool again = done == (int)session->run->invocations && !session->options->least_samples;
	if (done < 0 || (again && remeasure(session, order, error) != 0))
		return -1;
	for (size_t g = 0; g < groups && !was_interrupted(session); g++)
		if (!session->groups[g].finished)
			finish_cases(session, &session->groups[g]);
	return 0;
}

/* Warns of how much of the run was disturbed, if any of it was. */
static void say_disturbed(struct session *session)
{
	char text[256];
	if (!bench_session_disturbance_words(&session->disturbance, text, sizeof(text)))
		return;
	if (session->options->shows_noise)
		bench_record_folder_log(session->folder, "warning: %s", text);
	else
		session_warn(session, text);
}

/* The others have had their part of the budget all the same, so the run took longer than it was to. */
static void say_lost(struct session *session)
{
	char text[160];
	if (session->run->budget_seconds <= 0 || session->lost_seconds < 1)
		return;
	snprintf(text, sizeof(text),
		 "workers that crashed or hung took %.0f s, which the budget of %.0f s does not count",
		 session->lost_seconds, session->run->budget_seconds);
	session_warn(session, text);
}

static void say_refused(struct session *session)
{
	char text[128];
	if (!session->refused)
		return;
	snprintf(text, sizeof(text), "%zu event%s of workers could not be read; run.log has details",
		 session->refused, bench_text_plural(session->refused));
	session_warn(session, text);
}

static int say_finished(struct session *session, struct bench_error *error)
{
	int64_t now = time(NULL), started = session->run->started;
	if (session->options->dated)
		now = started + (int64_t)(bench_clock_seconds() - session->start);
	const struct bench_event event = {
		.kind = BENCH_EVENT_FINISH,
		/* The wall clock may have been set back meanwhile. */
		.finish = {now < started ? started : now, was_interrupted(session)}};
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
				  .again = BENCH_BUDGET_AGAIN,
				  .current = ""};
	session.journal =
		(struct bench_journal){.folder = folder, .run = run, .seen = note, .context = &session};
	struct bench_arena *arena = &session.arena;
	session.dropped = bench_arena_alloc(arena, plan->case_count, sizeof(*session.dropped));
	session.ended = bench_arena_alloc(arena, plan->case_count, sizeof(*session.ended));
	session.apart = bench_arena_alloc(arena, plan->case_count, sizeof(*session.apart));
	session.lengths = bench_arena_alloc(arena, plan->case_count, sizeof(*session.lengths));
	session.functions = bench_arena_alloc(arena, plan->case_count, sizeof(*session.functions));
	session.groups = bench_arena_alloc(arena, plan->group_count, sizeof(*session.groups));
	session.needs = bench_arena_alloc(arena, plan->group_count, sizeof(*session.needs));
	session.shares = bench_arena_alloc(arena, plan->group_count, sizeof(*session.shares));
	for (size_t i = 0; i < plan->case_count; i++) {
		struct group *group = &session.groups[plan->cases[i].group];
		BENCH_PUSH(arena, group->cases, group->case_count) = i;
	}
	session_begin_workers(&session);
	bench_rng_start(&session.rng, run->seed, 1);
	if (!session.settings.unwatched)
		session.disturbance.fastest = fmax(0, bench_machine_canary_fastest());
	int result = run->result_count ? resume_run(&session, error) : begin_run(&session, error);
	if (result == 0)
		result = measure(&session, error);
	session_end_workers(&session);
	bench_record_folder_log(folder, "%zu worker process%s for %zu groups in all invocations",
				session.processes, session.processes == 1 ? "" : "es",
				session.disturbance.workers);
	say_disturbed(&session);
	say_lost(&session);
	say_refused(&session);
	if (result == 0)
		result = say_finished(&session, error);
	bench_record_finalise(run);
	bench_arena_free(&session.worker_arena);
	bench_arena_free(arena);
	return result;
}
