/* SPDX-License-Identifier: MIT */
/* The two workers of a duel: how they are started, told what to do, and ended. */
#include "measure/session/duel_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GREETING_SECONDS 60.0 /* some device drivers take long to find their devices */
#define EXIT_SECONDS     10.0

/* The worker has ended: what the block's end says of it. */
static void take_end(struct duel_block *block, int who, enum bench_process_end outcome)
{
	struct bench_session_worker *worker = &block->workers[who];
	struct bench_block_end *end = block->end;
	worker->started = worker->process.waits;
	end->outcome = outcome;
	end->reused = worker->reused;
	end->by_base = who == DUEL_BASE;
	end->current = worker->process.current;
	end->phase = worker->process.phase;
	end->unwritten = worker->process.unwritten;
}

/*
 * Ends the worker `who`, which has crashed, has been silent for so long (below 0: printed too much), or is to
 * be stopped: `outcome`, as far as is known.
 */
static enum duel_step over(struct duel_block *block, int who, enum bench_process_end outcome,
			   double silent_seconds)
{
	struct bench_session_worker *worker = &block->workers[who];
	struct bench_block_end *end = block->end;
	const struct bench_process_limits limits = {.time_seconds = EXIT_SECONDS,
						    .stop = block->options->limits.stop};
	if (outcome != BENCH_CRASHED)
		kill(worker->process.pid, SIGKILL);
	enum bench_process_end ended =
		bench_session_process_wait(&worker->process, &limits, end->what, sizeof(end->what));
	take_end(block, who, ended == BENCH_STOPPED ? BENCH_STOPPED : outcome);
	const char *where = bench_worker_phase_words(end->phase);
	if (outcome == BENCH_HUNG && silent_seconds < 0)
		snprintf(end->what, sizeof(end->what), BENCH_SESSION_PRINTED " and was ended");
	else if (outcome == BENCH_HUNG)
		snprintf(end->what, sizeof(end->what),
			 "gave no sign of life for %.3g s%s%s and was ended (--time-limit)", silent_seconds,
			 *where ? " " : "", where);
	else if (ended == BENCH_HUNG)
		snprintf(end->what, sizeof(end->what), "closed its connection to this process%s%s",
			 *where ? " " : "", where);
	return DUEL_OVER;
}

/* Waits for the next message of the worker `who`, while its heartbeat goes on. */
enum duel_step session_duel_receive(struct duel_block *block, int who, double limit_seconds,
				    char message[BENCH_SEGMENTS_MESSAGE])
{
	struct bench_session_worker *worker = &block->workers[who];
	struct bench_process_limits limits = block->options->limits;
	limits.time_seconds = limit_seconds;
	switch (bench_session_process_listen(&worker->process, worker->process.channel, &limits)) {
	case BENCH_NEWS_STOP:
		return over(block, who, BENCH_STOPPED, 0);
	case BENCH_NEWS_SILENT:
		return over(block, who, BENCH_HUNG, limit_seconds);
	case BENCH_NEWS_PRINTING:
		return over(block, who, BENCH_HUNG, -1);
	case BENCH_NEWS_READY:
		break;
	}
	return bench_worker_segments_receive(worker->process.channel, message)
		       ? DUEL_GOES_ON
		       : over(block, who, BENCH_CRASHED, 0);
}

/* The same cases on another device. */
static struct bench_job_case *move_cases(struct duel_block *block, const struct bench_target *target)
{
	const struct bench_job *job = block->job;
	struct bench_job_case *cases = bench_arena_alloc(&block->arena, job->case_count, sizeof(*cases));
	for (size_t i = 0; i < job->case_count; i++) {
		cases[i] = job->cases[i];
		if (!cases[i].backend)
			continue;
		cases[i].backend = target->backend;
		cases[i].device = target->index;
		snprintf(cases[i].slug, sizeof(cases[i].slug), "%s", target->info.slug);
	}
	return cases;
}

/* The job of one worker. */
static struct bench_job job_of(struct duel_block *block, int who)
{
	struct bench_job job = *block->job;
	if (block->programs[who]->target)
		job.cases = move_cases(block, block->programs[who]->target);
	job.paired = true;
	job.observed = block->observed;
	/* A version too old to wait for orders would sample at once: this keeps it short. */
	job.slice_seconds = 0;
	job.extensions = block->programs[who]->extensions;
	job.extension_count = block->programs[who]->extension_count;
	job.overrides = bench_session_program_overrides(block->programs[who], &block->job->overrides);
	return job;
}

/* The base's events are kept in memory, from the start of its block on. */
static int open_events(const struct duel_block *block, int who)
{
	int *events = &block->workers[who].events;
	if (*events < 0)
		*events = who == DUEL_BASE ? memfd_create("bench-base-events", MFD_CLOEXEC)
					   : bench_session_process_duplicate(block->folder->events);
	if (*events < 0 || fcntl(*events, F_SETFL, O_APPEND) != 0)
		return -1;
	return who == DUEL_BASE ? ftruncate(*events, 0) : 0;
}

/* Starts a worker of the block, or gives the one that waits its job. */
static int start_worker(struct duel_block *block, int who)
{
	struct bench_session_worker *worker = &block->workers[who];
	if (open_events(block, who) != 0)
		return bench_fail(block->error, BENCH_ENVIRONMENT, "cannot connect to a worker: %s",
				  strerror(errno));
	const struct bench_process_setup setup = {
		.environment = bench_session_program_environment(block->programs[who], block->programs[!who],
								 &block->job->overrides, &block->arena),
		.connected = true,
		.fixed_layout = true};
	const struct bench_job job = job_of(block, who);
	return bench_session_worker_start(worker, block->programs[who]->executable, block->options->arguments,
					  &setup, &job, worker->events, block->folder->log, block->error);
}

static const char *greeting_of(const struct duel_block *block)
{
	return block->observed ? BENCH_SEGMENTS_OBSERVES : BENCH_SEGMENTS_GREETING;
}

/* A worker has not answered as the protocol says: an error, unless the run is being stopped. */
static enum duel_step refuse(struct duel_block *block, int who)
{
	const struct bench_session_program *program = block->programs[who];
	if (block->end->outcome == BENCH_STOPPED)
		return DUEL_OVER;
	bench_fail(block->error, BENCH_NOTHING,
		   "'%s' (%s) does not take turns as a worker: it needs a version of bench whose duels speak "
		   "%s, or it ended early; %s/run.log may say more",
		   program->text, program->version ? program->version : "no version", greeting_of(block),
		   block->folder->path);
	return DUEL_ERROR;
}

/* Starts both workers, which find their devices at the same time. */
enum duel_step session_duel_start_both(struct duel_block *block)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
		if (start_worker(block, who) != 0)
			return DUEL_ERROR;
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++) {
		enum duel_step step = session_duel_receive(block, who, GREETING_SECONDS, message);
		if (step == DUEL_OVER && (block->end->current >= 0 || block->workers[who].reused))
			return DUEL_OVER; /* it came to a case, so it is a worker */
		if (step != DUEL_GOES_ON || strcmp(message, greeting_of(block)) != 0)
			return refuse(block, who);
	}
	return DUEL_GOES_ON;
}

/* Waits until a worker reports that it has done its command. */
static enum duel_step receive_done(struct duel_block *block, int who, const char *done)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	enum duel_step step = session_duel_receive(block, who, block->options->limits.time_seconds, message);
	return step == DUEL_GOES_ON && strcmp(message, done) != 0 ? refuse(block, who) : step;
}

/*
 * Both set up at the same time, but make their first calls one after the other: made at once, they would
 * disturb what a library measures in its first call, such as a convolution's choice of its algorithm.
 */
enum duel_step session_duel_set_up_both(struct duel_block *block)
{
	int first = block->job->invocation % 2 ? DUEL_HEAD : DUEL_BASE;
	enum duel_step step = DUEL_GOES_ON;
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].process.channel, "set up");
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES && step == DUEL_GOES_ON; who++)
		step = receive_done(block, who, "set up");
	for (int i = 0; i < DUEL_EXECUTABLES && step == DUEL_GOES_ON; i++) {
		int who = i ? !first : first;
		bench_worker_segments_send(block->workers[who].process.channel, "call");
		step = receive_done(block, who, "called");
	}
	return step;
}

/* Receives which cases a worker has set up and found correct. */
static enum duel_step receive_cases(struct duel_block *block, int who)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (;;) {
		size_t index, fixed;
		int rows = 0;
		enum duel_step step =
			session_duel_receive(block, who, block->options->limits.time_seconds, message);
		if (step != DUEL_GOES_ON || strcmp(message, "ready") == 0)
			return step;
		if (sscanf(message, "case %zu %zu rows%n", &index, &fixed, &rows) != 2)
			return refuse(block, who);
		for (size_t i = 0; i < block->job->case_count; i++) {
			struct duel_case *paired_case = &block->paired_cases[i];
			if (paired_case->index != index)
				continue;
			paired_case->set_up[who] = true;
			paired_case->fixed = fixed;
			paired_case->has_rows[who] = rows > 0;
		}
	}
}

/* Both check their first calls, at the same time: nothing is being timed. */
enum duel_step session_duel_check_first(struct duel_block *block)
{
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].process.channel, "check");
	enum duel_step step = receive_cases(block, DUEL_BASE);
	return step == DUEL_GOES_ON ? receive_cases(block, DUEL_HEAD) : step;
}

/* A case that the base failed has nothing to compare the head with. */
static void drop_where_base_failed(struct duel_block *block, const char *line, size_t length)
{
	struct bench_event event;
	if (bench_record_event_read(line, length, "an event of the base", &event, NULL) != 0)
		return;
	if (event.kind == BENCH_EVENT_END && event.end.status != BENCH_STATUS_OK)
		bench_worker_segments_send(block->workers[DUEL_HEAD].process.channel,
					   "drop %zu in the base: %s: %s", event.index,
					   bench_record_status_name(event.end.status), event.end.reason);
	bench_record_event_free(&event);
}

static int read_base(struct duel_block *block)
{
	int fd = block->workers[DUEL_BASE].events;
	off_t size = lseek(fd, 0, SEEK_END);
	char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
	ssize_t got = data ? pread(fd, data, (size_t)size, 0) : -1;
	if (got != size || !data) {
		free(data);
		return bench_fail(block->error, BENCH_ENVIRONMENT, "cannot read the base's events: %s",
				  got < 0 ? strerror(errno) : "there are fewer than there were");
	}
	for (char *line = data, *end; (end = memchr(line, '\n', (size_t)(data + got - line))); line = end + 1)
		drop_where_base_failed(block, line, (size_t)(end - line));
	free(data);
	return 0;
}

/* Both check their cases once more, at the same time: nothing more is timed. */
enum duel_step session_duel_check_both(struct duel_block *block, bool precise)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].process.channel, "end %s",
					   precise ? "precision" : "budget");
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++) {
		enum duel_step step =
			session_duel_receive(block, who, block->options->limits.time_seconds, message);
		if (step != DUEL_GOES_ON)
			return step;
	}
	for (size_t i = 0; i < block->job->case_count; i++)
		if (*block->paired_cases[i].refused)
			bench_worker_segments_send(block->workers[DUEL_HEAD].process.channel, "drop %zu %s",
						   block->paired_cases[i].index,
						   block->paired_cases[i].refused);
	return read_base(block) == 0 ? DUEL_GOES_ON : DUEL_ERROR;
}

/* Waits until a worker has left, or waits for another job: it has its command to leave. */
static enum duel_step dismiss(struct duel_block *block, int who)
{
	struct bench_block_end *end = block->end;
	enum bench_process_end outcome = bench_session_process_wait(
		&block->workers[who].process, &block->options->limits, end->what, sizeof(end->what));
	take_end(block, who, outcome);
	return outcome == BENCH_EXITED ? DUEL_GOES_ON : DUEL_OVER;
}

/* Likewise of the base, all of whose part is done: whatever it does now, the head's results hold. */
static void dismiss_base(struct duel_block *block)
{
	const struct bench_block_end of_head = *block->end;
	if (dismiss(block, DUEL_BASE) == DUEL_OVER && block->end->outcome != BENCH_STOPPED)
		bench_record_folder_log(block->folder, "the base, after all was measured: %s",
					block->end->what);
	*block->end = of_head;
}

enum duel_step session_duel_dismiss_both(struct duel_block *block)
{
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].process.channel, "leave");
	enum duel_step step = dismiss(block, DUEL_HEAD);
	if (step == DUEL_GOES_ON)
		dismiss_base(block);
	return step;
}
