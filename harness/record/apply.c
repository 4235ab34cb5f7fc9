/* SPDX-License-Identifier: MIT */
/*
 * The record from events. The samples of an invocation wait until it ends: only then is it known that its
 * last check passed. Where they wait is used again by later invocations, so that a run grows by its samples
 * alone.
 */
#include <stdio.h>
#include <string.h>

#include "record/internal.h"

struct pending_metric {
	char name[RECORD_MAX_NAME + 1], unit[RECORD_MAX_NAME + 1];
	enum bench_better better;
	size_t count; /* samples */
};

struct pending_sample {
	double value;
	unsigned metric; /* which of the metrics */
	bool disturbed;
};

/* What an open invocation of a case has said. */
struct pending {
	struct pending *next; /* of those that are free */
	int invocation;
	struct pending_metric metrics[RECORD_MAX_METRICS];
	size_t metric_count;
	struct pending_sample *samples;
	size_t sample_count, sample_capacity;
	struct bench_watched watched;
	bool is_watched;
	uint64_t iterations;
};

struct case_progress {
	struct pending *open; /* NULL: no invocation is in progress */
	int *ended;           /* the invocations that have */
	size_t ended_count;
};

struct bench_record_state {
	struct case_progress *cases;
	size_t count;
	size_t samples; /* in all */
	struct pending *free;
};

/* What an event is about. */
struct subject {
	struct bench_result *result;
	struct case_progress *progress;
};

static struct bench_record_state *state_of(struct bench_run *run)
{
	if (!run->state)
		run->state = bench_arena_alloc(&run->arena, 1, sizeof(*run->state));
	struct bench_record_state *state = run->state;
	while (state->count < run->result_count)
		bench_arena_push(&run->arena, &state->cases, &state->count, sizeof(*state->cases));
	return state;
}

static int find_subject(const struct reader *in, const struct bench_event *event, struct bench_run *run,
			struct subject *subject)
{
	if (run->result_count == 0)
		return record_fail(in, "no case has been introduced yet");
	if (event->index >= run->result_count)
		return record_fail(in, "member 'case' is %zu; expected a whole number from 0 to %zu",
				   event->index, run->result_count - 1);
	subject->result = &run->results[event->index];
	subject->progress = &state_of(run)->cases[event->index];
	return 0;
}

/* Of the invocation that the event is of, which has to be open; NULL: the error is filled. */
static struct pending *find_pending(const struct reader *in, const struct bench_event *event,
				    struct bench_run *run, struct subject *subject)
{
	if (find_subject(in, event, run, subject) != 0)
		return NULL;
	struct pending *open = subject->progress->open;
	if (open && open->invocation == event->invocation)
		return open;
	record_set_error(in, "invocation %d of '%s' has not begun", event->invocation, subject->result->key);
	return NULL;
}

static int require_not_ended(const struct reader *in, const struct bench_event *event,
			     const struct subject *subject)
{
	for (size_t i = 0; i < subject->progress->ended_count; i++) {
		if (subject->progress->ended[i] == event->invocation)
			return record_fail(in, "invocation %d of '%s' has ended already", event->invocation,
					   subject->result->key);
	}
	return 0;
}

static int apply_run(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	if (record_check_schema(in, event->document, BENCH_SAMPLES_SCHEMA) != 0)
		return -1;
	return record_read_head(in, event->document, run);
}

static int apply_case(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	if (event->index != run->result_count)
		return record_fail(in, "member 'index' is %zu; expected %zu", event->index,
				   run->result_count);
	return record_read_case(in, event->document, run);
}

/* An invocation that begins again drops what its first attempt had measured. */
static int apply_begin(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	if (find_subject(in, event, run, &subject) != 0 || require_not_ended(in, event, &subject) != 0)
		return -1;
	struct pending *open = subject.progress->open;
	if (!open && run->state->free) {
		open = run->state->free;
		run->state->free = open->next;
	} else if (!open) {
		open = bench_arena_alloc(in->arena, 1, sizeof(*open));
	}
	open->invocation = event->invocation;
	open->metric_count = 0;
	open->sample_count = 0;
	open->is_watched = false;
	open->iterations = 0;
	subject.progress->open = open;
	return 0;
}

static struct pending_metric *find_metric(struct pending *open, const char *name)
{
	for (size_t i = 0; i < open->metric_count; i++)
		if (strcmp(open->metrics[i].name, name) == 0)
			return &open->metrics[i];
	return NULL;
}

static int change_of_metric(const struct reader *in, const char *name)
{
	return record_fail(in, "metric '%s' changes its unit or direction", name);
}

/* The metric that the sample belongs to, or NULL with the error filled. */
static struct pending_metric *metric_of(const struct reader *in, const struct bench_event_sample *sample,
					struct pending *open)
{
	struct bench_metric_spec spec;
	if (record_check_metric(in, sample->metric, sample->unit, sample->better, &spec) != 0)
		return NULL;
	struct pending_metric *metric = find_metric(open, sample->metric);
	if (metric && strcmp(metric->unit, spec.unit) == 0 && metric->better == spec.better)
		return metric;
	if (metric) {
		change_of_metric(in, sample->metric);
		return NULL;
	}
	if (open->metric_count == RECORD_MAX_METRICS) {
		record_set_error(in, "more than %d metrics", RECORD_MAX_METRICS);
		return NULL;
	}
	metric = &open->metrics[open->metric_count++];
	*metric = (struct pending_metric){.better = spec.better};
	snprintf(metric->name, sizeof(metric->name), "%s", spec.name);
	snprintf(metric->unit, sizeof(metric->unit), "%s", spec.unit);
	return metric;
}

static void push_sample(struct bench_arena *arena, struct pending *open, struct pending_sample sample)
{
	if (open->sample_count == open->sample_capacity) {
		size_t capacity = open->sample_capacity ? 2 * open->sample_capacity : 64;
		struct pending_sample *grown = bench_arena_alloc(arena, capacity, sizeof(*grown));
		if (open->sample_count)
			memcpy(grown, open->samples, open->sample_count * sizeof(*grown));
		open->samples = grown;
		open->sample_capacity = capacity;
	}
	open->samples[open->sample_count++] = sample;
}

static int apply_sample(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	const struct bench_event_sample *sample = &event->sample;
	struct pending *open = find_pending(in, event, run, &subject);
	if (!open)
		return -1;
	if (run->state->samples == RECORD_MAX_SAMPLES)
		return record_fail(in, "more than %d samples in all", RECORD_MAX_SAMPLES);
	struct pending_metric *metric = metric_of(in, sample, open);
	if (!metric)
		return -1;
	push_sample(in->arena, open,
		    (struct pending_sample){sample->value, (unsigned)(metric - open->metrics),
					    sample->disturbed});
	metric->count++;
	run->state->samples++;
	if (strcmp(sample->metric, bench_record_sample_name(BENCH_SAMPLE_TIME)) == 0)
		open->iterations = sample->iterations;
	return 0;
}

static int check_range(const struct reader *in, const struct bench_event_range *range, struct pending *open)
{
	const struct pending_metric *metric = find_metric(open, range->metric);
	if (!metric)
		return record_fail(in, "metric '%.80s' has no samples", range->metric);
	if (range->first >= range->end || range->end > metric->count)
		return record_fail(in, "'%s' is no range [first, end] of its %zu samples", metric->name,
				   metric->count);
	return 0;
}

static void mark_range(const struct bench_event_range *range, struct pending *open)
{
	const struct pending_metric *metric = find_metric(open, range->metric);
	size_t at = 0; /* among those of the metric */
	for (size_t i = 0; i < open->sample_count && at < range->end; i++) {
		struct pending_sample *sample = &open->samples[i];
		if (sample->metric != (unsigned)(metric - open->metrics) || at++ < range->first)
			continue;
		sample->disturbed = true;
	}
}

static int apply_disturbed(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	const struct bench_event_disturbed *disturbed = &event->disturbed;
	struct pending *open = find_pending(in, event, run, &subject);
	for (size_t i = 0; open && i < disturbed->range_count; i++)
		if (check_range(in, &disturbed->ranges[i], open) != 0)
			return -1;
	for (size_t i = 0; open && i < disturbed->range_count; i++)
		mark_range(&disturbed->ranges[i], open);
	return open ? 0 : -1;
}

static int apply_watched(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	struct pending *open = find_pending(in, event, run, &subject);
	if (!open)
		return -1;
	open->watched = event->watched.seen;
	open->watched.invocation = event->invocation;
	open->watched.device = bench_arena_string(in->arena, open->watched.device);
	open->is_watched = true;
	return 0;
}

/* Counts at once, whether its invocation ends or not: a wrong result is wrong. */
static int apply_check(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	if (!find_pending(in, event, run, &subject))
		return -1;
	struct bench_result *result = subject.result;
	if (!result->checked || record_check_excess(&event->check) > record_check_excess(&result->check))
		result->check = event->check;
	result->checked = true;
	result->is_final = false;
	return 0;
}

static int apply_note(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	if (find_subject(in, event, run, &subject) != 0)
		return -1;
	struct bench_result *result = subject.result;
	if (!*event->note.name || result->note_count == RECORD_MAX_ATTRIBUTES)
		return record_fail(in, "a note without a name, or more than %d notes", RECORD_MAX_ATTRIBUTES);
	bench_record_attribute_set(in->arena, &result->notes, &result->note_count, event->note.name,
				   event->note.value);
	result->is_final = false;
	return 0;
}

/* The samples of the open invocation join those of the result. */
static void publish(struct bench_run *run, struct bench_result *result, const struct pending *open)
{
	for (size_t m = 0; m < open->metric_count; m++) {
		const struct pending_metric *from = &open->metrics[m];
		const struct bench_metric_spec spec = {from->name, from->unit, from->better, NULL};
		struct bench_metric *metric = record_add_metric(&run->arena, result, &spec, "");
		struct bench_series *series = record_add_series(&run->arena, metric, open->invocation,
								from->count, record_expected(run));
		for (size_t i = 0, at = 0; i < open->sample_count; i++) {
			const struct pending_sample *sample = &open->samples[i];
			if (sample->metric != m)
				continue;
			if (sample->disturbed)
				record_flag(&run->arena, series, at, at + 1);
			series->values[at++] = sample->value;
		}
	}
	if (open->iterations)
		result->iterations = open->iterations;
}

/* The most severe status over the invocations, with its first reason. */
static void raise_status(struct bench_arena *arena, struct bench_result *result, enum bench_status status,
			 const char *reason, bool is_usage)
{
	bool cut_short =
		result->status == BENCH_STATUS_SKIPPED && strcmp(result->reason, record_cut_short) == 0;
	if (!cut_short && status <= result->status)
		return;
	result->status = status;
	result->reason = bench_arena_string(arena, reason);
	result->is_usage = is_usage;
}

/* A new metric must mean in this invocation what it meant in the ones before. */
static int require_same_metrics(const struct reader *in, const struct bench_result *result,
				const struct pending *open)
{
	for (size_t i = 0; i < open->metric_count; i++) {
		const struct pending_metric *metric = &open->metrics[i];
		const struct bench_metric *before = bench_record_metric(result, metric->name);
		if (before && (strcmp(before->unit, metric->unit) != 0 || before->better != metric->better))
			return change_of_metric(in, metric->name);
	}
	return 0;
}

static int apply_end(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	struct subject subject;
	const struct bench_event_end *end = &event->end;
	if (find_subject(in, event, run, &subject) != 0 || require_not_ended(in, event, &subject) != 0)
		return -1;
	struct bench_result *result = subject.result;
	struct case_progress *progress = subject.progress;
	struct pending *open = progress->open;
	if (end->status == BENCH_STATUS_OK) {
		if (!find_pending(in, event, run, &subject) || require_same_metrics(in, result, open) != 0)
			return -1;
		publish(run, result, open);
	}
	if (open && open->invocation == event->invocation && open->is_watched &&
	    record_keep_watched(in, &open->watched, result, record_expected(run)) != 0)
		return -1;
	raise_status(in->arena, result, end->status, end->reason, end->usage);
	/* Of all invocations' stops, the budget wins: at least one did not reach the precision. */
	if (*end->stopped && strcmp(result->stopped, bench_record_stop_name(BENCH_STOP_BUDGET)) != 0 &&
	    strcmp(result->stopped, end->stopped) != 0)
		result->stopped = bench_arena_string(in->arena, end->stopped);
	BENCH_PUSH(in->arena, progress->ended, progress->ended_count) = event->invocation;
	if (open) {
		open->next = run->state->free;
		run->state->free = open;
	}
	progress->open = NULL;
	result->is_final = false;
	return 0;
}

static int apply_finish(const struct reader *in, const struct bench_event *event, struct bench_run *run)
{
	(void)in;
	run->finished = event->finish.finished;
	run->interrupted = event->finish.interrupted;
	return 0;
}

typedef int apply_function(const struct reader *in, const struct bench_event *event, struct bench_run *run);

static apply_function *const functions[] = {
	[BENCH_EVENT_RUN] = apply_run,
	[BENCH_EVENT_CASE] = apply_case,
	[BENCH_EVENT_BEGIN] = apply_begin,
	[BENCH_EVENT_SAMPLE] = apply_sample,
	[BENCH_EVENT_DISTURBED] = apply_disturbed,
	[BENCH_EVENT_WATCHED] = apply_watched,
	[BENCH_EVENT_CHECK] = apply_check,
	[BENCH_EVENT_NOTE] = apply_note,
	[BENCH_EVENT_END] = apply_end,
	[BENCH_EVENT_FINISH] = apply_finish,
};

int bench_record_apply(struct bench_run *run, const struct bench_event *event, struct bench_error *error)
{
	const struct reader in = {&run->arena, record_event_kinds[event->kind].name, error};
	if (event->kind >= sizeof(functions) / sizeof(functions[0]) || !functions[event->kind])
		return 0;
	return functions[event->kind](&in, event, run);
}

int bench_record_apply_line(struct bench_run *run, const char *line, size_t length, const char *what,
			    struct bench_error *error)
{
	struct bench_event event;
	struct bench_error cause = {0};
	if (bench_record_event_read(line, length, what, &event, error) != 0)
		return -1;
	const int status = bench_record_apply(run, &event, &cause);
	bench_record_event_free(&event);
	return status == 0 ? 0 : bench_fail(error, cause.code, "%s: %s", what, cause.text);
}
