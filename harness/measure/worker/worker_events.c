/* What a worker writes: its events into samples.jsonl, and its signs of life. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/json.h"
#include "measure/worker/worker_parts.h"

/* Tells the watching process which case is at work, and that it is alive. */
void worker_beat(struct worker *worker, const struct worker_case *active)
{
	atomic_store_explicit(&worker->pulse->current, (long)active->job_case->index, memory_order_relaxed);
	atomic_fetch_add_explicit(&worker->pulse->beats, 1, memory_order_relaxed);
}

/*
 * One line, one write: with O_APPEND nothing of another process comes between, and a kill
 * leaves the file with whole lines.
 */
void worker_write(struct worker *worker, cJSON *event)
{
	char *line = cJSON_PrintUnformatted(event);
	cJSON_Delete(event);
	if (!line || worker->write_error.text[0]) {
		free(line);
		return;
	}
	size_t length = strlen(line);
	line[length++] = '\n'; /* over the NUL: the length is known */
	ssize_t written;
	do
		written = write(worker->events, line, length);
	while (written < 0 && errno == EINTR);
	if (written != (ssize_t)length)
		bench_fail(&worker->write_error, BENCH_ENVIRONMENT, "cannot write samples.jsonl: %s",
			   written < 0 ? strerror(errno) : "the disk is full");
	free(line);
}

cJSON *worker_new_event(const char *name, struct worker *worker, const struct worker_case *active)
{
	worker_beat(worker, active);
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", name);
	bench_json_add_number(event, "case", (double)active->job_case->index);
	bench_json_add_number(event, "invocation", worker->job->invocation);
	return event;
}

cJSON *worker_new_sample(struct worker *worker, const struct worker_case *active, const char *metric,
			 double value, uint64_t iterations, double at)
{
	cJSON *event = worker_new_event("sample", worker, active);
	cJSON_AddStringToObject(event, "metric", metric);
	bench_json_add_number(event, "value", value);
	bench_json_add_number(event, "iterations", (double)iterations);
	bench_json_add_number(event, "at", at);
	return event;
}

void worker_sample_event(struct worker *worker, const struct worker_case *active, const char *metric,
			 double seconds, uint64_t iterations)
{
	worker_write(worker, worker_new_sample(worker, active, metric, seconds, iterations,
					       bench_clock_seconds() - worker->start));
}

void worker_note(struct worker *worker, const struct worker_case *active, const char *name, const char *value)
{
	cJSON *event = worker_new_event("note", worker, active);
	cJSON_AddStringToObject(event, "name", name);
	cJSON_AddStringToObject(event, "value", value);
	worker_write(worker, event);
}

void worker_end(struct worker *worker, struct worker_case *active, enum bench_status status,
		const char *reason, enum bench_stop stopped)
{
	static const char *const stops[] = {"", "precision", "budget"};
	cJSON *event = worker_new_event("end", worker, active);
	cJSON_AddStringToObject(event, "status", bench_status_name(status));
	cJSON_AddStringToObject(event, "reason", reason);
	cJSON_AddStringToObject(event, "stopped", stops[stopped]);
	worker_write(worker, event);
	active->live = false;
	active->ended = true;
}

void worker_end_with_error(struct worker *worker, struct worker_case *active, const struct bench_error *error)
{
	enum bench_status status = BENCH_STATUS_FAILED;
	if (error->code == BENCH_UNSUPPORTED)
		status = BENCH_STATUS_UNSUPPORTED;
	else if (error->code == BENCH_NOTHING) /* in a duel, nothing to set it against */
		status = BENCH_STATUS_SKIPPED;
	worker_end(worker, active, status, error->text, BENCH_STOP_NONE);
}
