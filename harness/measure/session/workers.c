/* SPDX-License-Identifier: MIT */
/* The workers of a session: the jobs that they get, and how they start, wait for another job and leave. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/text.h"
#include "measure/session/process.h"
#include "measure/session/session_internal.h"
#include "measure/worker/worker.h"

/* Adds a case to the worker's job. */
static void add_to_job(struct session *session, size_t index, struct bench_job *job)
{
	const struct bench_planned *planned = &session->plan->cases[index];
	const struct bench_target *target = &session->plan->targets[planned->target];
	job->stays = job->stays && !session->apart[index] && !planned->suite->host_only &&
		     (target->info.kind == BENCH_DEVICE_GPU || session->options->kept) &&
		     target->backend->clear;
	struct bench_job_case *job_case =
		bench_arena_push(&session->worker_arena, &job->cases, &job->case_count, sizeof(*job_case));
	job_case->index = index;
	job_case->backend = planned->suite->host_only ? NULL : target->backend;
	job_case->device = target->index;
	snprintf(job_case->slug, sizeof(job_case->slug), "%s", target->info.slug);
	job_case->on_gpu = job_case->backend && target->info.kind == BENCH_DEVICE_GPU;
	job_case->values = planned->values;
	job_case->value_count = planned->value_count;
	job_case->reference = BENCH_NO_REFERENCE;
	job->suite = planned->suite;
}

struct bench_job session_make_job(struct session *session, const struct group *group, unsigned invocation,
				  double slice)
{
	const struct bench_plan *plan = session->plan;
	const unsigned threads = bench_plan_threads(&plan->cases[group->cases[0]]);
	struct bench_job job = {.invocation = invocation,
				.seed = session->run->seed,
				.threads = threads ? threads : session->options->threads,
				.names_threads = threads > 0,
				.precision = session->run->precision,
				.cold = session->settings.cold,
				.in_order = session->settings.in_order,
				.canary_fastest = session->disturbance.fastest,
				.least_samples = session->options->least_samples,
				.brief = session->options->brief,
				/* A disturbance hits the segments of both workers of a duel. */
				.counters = session->settings.counters,
				.energy = session->settings.energy,
				.unwatched = session->settings.unwatched || session->options->duel,
				/* Counters follow the threads that are made after them. */
				.stays = !session->settings.counters &&
					 !(session->options->duel && session->options->duel->observed),
				.folder = session->options->kept ? session->folder->path : NULL,
				.overrides = session->options->overrides,
				.extensions = session->options->extensions,
				.extension_count = session->options->extension_count};
	if (session->until > 0)
		job.until_seconds = session->start + session->run->budget_seconds;
	size_t measured = 0;
	for (size_t c = 0; c < group->case_count; c++) {
		measured += !session->dropped[group->cases[c]];
		if (session_is_left(session, group->cases[c]) && !session->apart[group->cases[c]])
			add_to_job(session, group->cases[c], &job);
	}
	for (size_t c = 0; c < group->case_count && !job.case_count; c++)
		if (session_is_left(session, group->cases[c]))
			add_to_job(session, group->cases[c], &job);
	job.slice_seconds = slice * (double)job.case_count / (double)measured;
	for (size_t i = 0; i < job.case_count; i++)
		for (size_t j = 0; j < job.case_count; j++)
			if (plan->cases[job.cases[i].index].reference == job.cases[j].index)
				job.cases[i].reference = j;
	return job;
}

const char *session_describe_job(struct session *session, const struct bench_job *job)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", job->suite->name);
	char separator = ' ';
	for (size_t i = 0; i < job->cases[0].value_count; i++) {
		const char *name = job->suite->params[i].name;
		if ((job->suite->variants && strcmp(job->suite->variants, name) == 0) ||
		    bench_plan_is_unsaid(job->suite, job->cases[0].values, i))
			continue;
		bench_text_add(&text, "%c%s=%s", separator, name, job->cases[0].values[i].text);
		separator = ',';
	}
	if (job->names_threads)
		bench_text_add(&text, "%c" BENCH_PLAN_THREADS "=%u", separator, job->threads);
	return bench_text_keep(&text, &session->worker_arena);
}

struct bench_process_limits session_limits(struct session *session)
{
	const struct bench_session_options *options = session->options;
	return (struct bench_process_limits){.time_seconds = options->time_limit_seconds,
					     .leave_seconds = session->leave_seconds,
					     .tick_seconds = options->tick_seconds,
					     .tick = session_tick,
					     .context = session,
					     .stop = options->stop,
					     .until = session->until};
}

static int run_alone(struct session *session, const struct bench_job *job, struct bench_block_end *end,
		     struct bench_error *error)
{
	struct bench_session_worker *worker = &session->workers[0];
	const struct bench_session_options *options = session->options;
	const struct bench_process_setup setup = {.connected = job->stays};
	if (bench_session_worker_start(worker, options->executable, options->arguments, &setup, job,
				       session->folder->events, session->folder->log, error) != 0) {
		if (error)
			error->code = BENCH_ENVIRONMENT; /* it is this program that cannot be started */
		return -1;
	}
	const struct bench_process_limits limits = session_limits(session);
	*end = (struct bench_block_end){.reused = worker->reused};
	end->outcome = bench_session_process_wait(&worker->process, &limits, end->what, sizeof(end->what));
	worker->started = worker->process.waits;
	end->current = worker->process.current;
	end->phase = worker->process.phase;
	end->unwritten = worker->process.unwritten;
	return 0;
}

/* Waits until the workers that were sent off have ended. */
static void await_leaving(void *context)
{
	struct session *session = context;
	const struct bench_process_limits limits = session_limits(session);
	for (size_t i = 0; i < DUEL_EXECUTABLES; i++) {
		struct bench_block_end end;
		end.outcome =
			bench_session_worker_end(&session->leaving[i], &limits, end.what, sizeof(end.what));
		if (end.outcome == BENCH_CRASHED || end.outcome == BENCH_HUNG)
			session_leave_badly(session, "groups that shared a process", &end);
	}
}

/* Lets the workers leave that wait for another job. */
static void dismiss_workers(struct session *session)
{
	await_leaving(session);
	for (size_t i = 0; i < DUEL_EXECUTABLES; i++) {
		bench_session_worker_send_off(&session->workers[i]);
		session->leaving[i] = session->workers[i];
		session->workers[i] = (struct bench_session_worker){.events = -1};
	}
}

static int run_block(struct session *session, const struct bench_job *job, struct bench_block_end *end,
		     struct bench_error *error)
{
	const struct bench_session_options *options = session->options;
	struct bench_block_options block = {.arguments = options->arguments,
					    .workers = session->workers,
					    .lengths = session->lengths,
					    .functions = session->functions,
					    .limits = session_limits(session),
					    .started = await_leaving,
					    .context = session};
	return bench_session_measure_block(options->duel, job, session->folder, &block, end, error);
}

int session_run_worker(struct session *session, const struct bench_job *job, struct bench_error *error)
{
	struct bench_block_end end;
	if (session->spoiled || !bench_session_worker_takes(&session->workers[0], job)) {
		dismiss_workers(session);
		if (!session->options->duel)
			await_leaving(session); /* a duel's: while the next ones start */
		session->processes += session->options->duel ? DUEL_EXECUTABLES : 1;
	}
	session->spoiled = false;
	if (session->options->kept)
		session_build_ahead(session, job);
	double start = bench_clock_seconds();
	session->journal.refused = 0;
	if ((session->options->duel ? run_block : run_alone)(session, job, &end, error) != 0 ||
	    bench_session_journal_settle(&session->journal, error) != 0)
		return -1;
	return session_settle_worker(session, job, &end, fmax(0, bench_clock_seconds() - start), error);
}

void session_begin_workers(struct session *session)
{
	struct bench_session_kept *kept = session->options->kept;
	session->leave_seconds = SESSION_LEAVE_SECONDS;
	for (size_t i = 0; i < DUEL_EXECUTABLES; i++)
		session->workers[i].events = session->leaving[i].events = -1;
	if (kept) {
		session->workers[0] = kept->worker;
		kept->worker = (struct bench_session_worker){.events = -1};
		kept->build_seconds = 0;
	}
}

void session_end_workers(struct session *session)
{
	struct bench_session_kept *kept = session->options->kept;
	if (kept && session->workers[0].process.waits && !session->spoiled) {
		kept->worker = session->workers[0];
		session->workers[0] = (struct bench_session_worker){.events = -1};
	}
	dismiss_workers(session);
	await_leaving(session);
}
