/* SPDX-License-Identifier: MIT */
/* What a worker writes: its events, into samples.jsonl, and its heartbeat. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "measure/worker/internal.h"

static const char *const phase_words[] = {
	[BENCH_PHASE_STARTING] = "",
	[BENCH_PHASE_OPEN] = "while its device was opened",
	[BENCH_PHASE_SET_UP] = "in its setup",
	[BENCH_PHASE_PREPARE] = "while it was prepared",
	[BENCH_PHASE_FIRST_CALL] = "in its first call",
	[BENCH_PHASE_CHECK] = "in its first check",
	[BENCH_PHASE_FLUSH] = "while caches were flushed",
	[BENCH_PHASE_SAMPLES] = "while it was sampled",
	[BENCH_PHASE_LAST_CHECK] = "in its last check",
	[BENCH_PHASE_REPORT] = "in its report",
	[BENCH_PHASE_TEARDOWN] = "in its teardown",
	[BENCH_PHASE_LEAVING] = "after its last case",
};

const char *bench_worker_phase_words(enum bench_phase phase)
{
	return phase < BENCH_PHASES ? phase_words[phase] : "";
}

static void beat(struct bench_heartbeat *heartbeat)
{
	atomic_fetch_add_explicit(&heartbeat->beats, 1, memory_order_relaxed);
}

void worker_enter(struct worker *worker, const struct worker_case *active, enum bench_phase phase)
{
	atomic_store_explicit(&worker->heartbeat->current, active ? (long)active->job_case->index : -1,
			      memory_order_relaxed);
	atomic_store_explicit(&worker->heartbeat->phase, (int)phase, memory_order_relaxed);
	beat(worker->heartbeat);
}

double worker_at(const struct worker *worker)
{
	return bench_clock_seconds() - worker->start;
}

/* Nothing is written after a failure: what follows it would be read without it. */
static void give_up(struct worker *worker, int cause)
{
	atomic_store(&worker->heartbeat->unwritten, cause);
	bench_fail(&worker->write_error, BENCH_ENVIRONMENT, "cannot write samples.jsonl: %s",
		   strerror(cause));
}

/*
 * One line, one write: with O_APPEND no other process can write in between, and a kill leaves the file with
 * whole lines, or with a part of one at its end.
 */
void worker_write(struct worker *worker, const struct bench_event *event)
{
	if (worker->write_error.text[0])
		return;
	char *line = bench_record_event_line(event);
	size_t length = strlen(line);
	line[length++] = '\n'; /* over the NUL: the length is known */
	if (bench_file_append(worker->events, line, length) != 0)
		give_up(worker, errno);
	free(line);
}

struct bench_event worker_event(struct worker *worker, const struct worker_case *active,
				enum bench_event_kind kind)
{
	beat(worker->heartbeat);
	return (struct bench_event){
		.kind = kind, .index = active->job_case->index, .invocation = (int)worker->job->invocation};
}

void worker_begin(struct worker *worker, const struct worker_case *active)
{
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_BEGIN);
	worker_write(worker, &event);
}

void worker_sample(struct worker *worker, const struct worker_case *active,
		   const struct bench_event_sample *sample)
{
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_SAMPLE);
	event.sample = *sample;
	worker_write(worker, &event);
}

void worker_note(struct worker *worker, const struct worker_case *active, const char *name, const char *value)
{
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_NOTE);
	event.note = (struct bench_event_note){name, value};
	worker_write(worker, &event);
}

static void end_case(struct worker *worker, struct worker_case *active, struct bench_event_end end)
{
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_END);
	event.end = end;
	worker_write(worker, &event);
	active->live = false;
}

void worker_end(struct worker *worker, struct worker_case *active, enum bench_status status,
		const char *reason, enum bench_stop stopped)
{
	end_case(worker, active,
		 (struct bench_event_end){
			 .status = status, .reason = reason, .stopped = bench_record_stop_name(stopped)});
}

void worker_end_with_error(struct worker *worker, struct worker_case *active, const struct bench_error *error)
{
	enum bench_status status = BENCH_STATUS_FAILED;
	if (error->code == BENCH_UNSUPPORTED)
		status = BENCH_STATUS_UNSUPPORTED;
	else if (error->code == BENCH_NOTHING) /* in a duel: nothing to compare it with */
		status = BENCH_STATUS_SKIPPED;
	end_case(worker, active,
		 (struct bench_event_end){.status = status,
					  .reason = error->text,
					  .stopped = bench_record_stop_name(BENCH_STOP_NONE),
					  .usage = error->code == BENCH_USAGE});
}
