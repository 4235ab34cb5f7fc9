/* What a worker writes: its events, into samples.jsonl, and its heartbeat. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "measure/worker/internal.h"

void worker_beat(struct worker *worker, const struct worker_case *active)
{
	atomic_store_explicit(&worker->heartbeat->current, (long)active->job_case->index,
			      memory_order_relaxed);
	atomic_fetch_add_explicit(&worker->heartbeat->beats, 1, memory_order_relaxed);
}

double worker_at(const struct worker *worker)
{
	return bench_clock_seconds() - worker->start;
}

/*
 * One line, one write: with O_APPEND no other process can write in between, and a kill leaves the file with
 * whole lines.
 */
void worker_write(struct worker *worker, const struct bench_event *event)
{
	char *line = worker->write_error.text[0] ? NULL : bench_record_event_line(event);
	if (!line)
		return;
	size_t length = strlen(line);
	line[length++] = '\n'; /* over the NUL: the length is known */
	if (bench_file_append(worker->events, line, length) != 0)
		bench_fail(&worker->write_error, BENCH_ENVIRONMENT, "cannot write samples.jsonl: %s",
			   strerror(errno));
	free(line);
}

struct bench_event worker_event(struct worker *worker, const struct worker_case *active,
				enum bench_event_kind kind)
{
	worker_beat(worker, active);
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

void worker_end(struct worker *worker, struct worker_case *active, enum bench_status status,
		const char *reason, enum bench_stop stopped)
{
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_END);
	event.end = (struct bench_event_end){status, reason, bench_record_stop_name(stopped)};
	worker_write(worker, &event);
	active->live = false;
	active->ended = true;
}

void worker_end_with_error(struct worker *worker, struct worker_case *active, const struct bench_error *error)
{
	enum bench_status status = BENCH_STATUS_FAILED;
	if (error->code == BENCH_UNSUPPORTED)
		status = BENCH_STATUS_UNSUPPORTED;
	else if (error->code == BENCH_NOTHING) /* in a duel: nothing to compare it with */
		status = BENCH_STATUS_SKIPPED;
	worker_end(worker, active, status, error->text, BENCH_STOP_NONE);
}
