/*
 * The record from events. The samples of an invocation wait in the state until it ends:
 * only then is it known that its last check passed.
 */
#include <string.h>

#include "core/json.h"
#include "record/internal.h"

/* Samples of the open invocation that were disturbed: the series may still grow, and move. */
struct mark {
	const char *metric;
	size_t first, end;
};

struct case_progress {
	bool open; /* an invocation has begun and not ended */
	int invocation;
	struct bench_metric *metrics; /* of the open invocation: each with one series */
	size_t metric_count;
	struct mark *marks; /* of the open invocation */
	size_t mark_count;
	struct bench_watched watched;
	bool is_watched;
	uint64_t iterations;
	int *ended; /* the invocations that have */
	size_t ended_count;
};

struct bench_record_state {
	struct case_progress *cases;
	size_t count;
	size_t samples; /* in all */
};

/* What an event is about. */
struct subject {
	struct bench_result *result;
	struct case_progress *progress;
	int invocation;
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

static int read_case(const struct reader *in, const cJSON *event, struct bench_run *run,
		     struct subject *subject)
{
	int64_t index;
	if (run->result_count == 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: no case has been introduced yet",
				  in->what);
	if (bench_json_integer(event, "case", in->what, 0, (int64_t)run->result_count - 1, &index,
			       in->error) != 0)
		return -1;
	subject->result = &run->results[index];
	subject->progress = &state_of(run)->cases[index];
	return 0;
}

static int read_subject(const struct reader *in, const cJSON *event, struct bench_run *run,
			struct subject *subject)
{
	int64_t invocation;
	if (read_case(in, event, run, subject) != 0 ||
	    bench_json_integer(event, "invocation", in->what, 0, RECORD_MAX_INVOCATION, &invocation,
			       in->error) != 0)
		return -1;
	subject->invocation = (int)invocation;
	return 0;
}

static int require_open(const struct reader *in, const struct subject *subject)
{
	if (!subject->progress->open || subject->progress->invocation != subject->invocation)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: invocation %d of '%s' has not begun",
				  in->what, subject->invocation, subject->result->key);
	return 0;
}

static int require_not_ended(const struct reader *in, const struct subject *subject)
{
	for (size_t i = 0; i < subject->progress->ended_count; i++) {
		if (subject->progress->ended[i] == subject->invocation)
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: invocation %d of '%s' has ended already", in->what,
					  subject->invocation, subject->result->key);
	}
	return 0;
}

static int apply_run(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	if (record_check_schema(in, event, BENCH_SAMPLES_SCHEMA) != 0)
		return -1;
	return record_read_head(in, event, run);
}

static int apply_case(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	int64_t index;
	if (bench_json_integer(event, "index", in->what, (int64_t)run->result_count,
			       (int64_t)run->result_count, &index, in->error) != 0)
		return -1;
	return record_read_case(in, event, run);
}

/* An invocation that begins again drops what its first attempt had measured. */
static int apply_begin(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	if (read_subject(in, event, run, &subject) != 0 || require_not_ended(in, &subject) != 0)
		return -1;
	subject.progress->open = true;
	subject.progress->invocation = subject.invocation;
	subject.progress->metrics = NULL;
	subject.progress->metric_count = 0;
	subject.progress->marks = NULL;
	subject.progress->mark_count = 0;
	subject.progress->is_watched = false;
	subject.progress->iterations = 0;
	return 0;
}

static void push_mark(struct bench_arena *arena, struct case_progress *progress, const char *metric,
		      size_t first, size_t end)
{
	struct mark *mark = bench_arena_push(arena, &progress->marks, &progress->mark_count, sizeof(*mark));
	*mark = (struct mark){metric, first, end};
}

/* The series of the open invocation that the sample belongs to, or NULL with the error filled. */
static struct bench_series *pending_series(const struct reader *in, const cJSON *event, const char *name,
					   struct case_progress *progress)
{
	struct bench_metric metric = {0};
	if (record_read_metric(in, event, name, &metric) != 0)
		return NULL;
	for (size_t i = 0; i < progress->metric_count; i++) {
		struct bench_metric *known = &progress->metrics[i];
		if (strcmp(known->name, name) != 0)
			continue;
		if (strcmp(known->unit, metric.unit) == 0 && known->better == metric.better)
			return &known->series[0];
		bench_fail(in->error, BENCH_ENVIRONMENT, "%s: metric '%s' changes its unit or direction",
			   in->what, name);
		return NULL;
	}
	if (progress->metric_count == RECORD_MAX_METRICS) {
		bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d metrics", in->what,
			   RECORD_MAX_METRICS);
		return NULL;
	}
	return record_add_series(in->arena, &progress->metrics, &progress->metric_count, &metric,
				 progress->invocation);
}

static int apply_sample(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	const char *name;
	double value;
	uint64_t iterations;
	if (read_subject(in, event, run, &subject) != 0 || require_open(in, &subject) != 0 ||
	    bench_json_string(event, "metric", in->what, &name, in->error) != 0 ||
	    bench_json_number(event, "value", in->what, &value, in->error) != 0 ||
	    record_read_size(in, event, "iterations", &iterations) != 0)
		return -1;
	if (run->state->samples == RECORD_MAX_SAMPLES)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d samples in all", in->what,
				  RECORD_MAX_SAMPLES);
	struct bench_series *series = pending_series(in, event, name, subject.progress);
	if (!series)
		return -1;
	double *slot = bench_arena_push(in->arena, &series->values, &series->count, sizeof(*slot));
	*slot = value;
	if (bench_json_bool_or(event, "disturbed", false))
		push_mark(in->arena, subject.progress, bench_arena_string(in->arena, name), series->count - 1,
			  series->count);
	run->state->samples++;
	if (strcmp(name, "time") == 0)
		subject.progress->iterations = iterations;
	return 0;
}

/* The samples [first, end) of a metric that is there. */
static int read_range(const struct reader *in, const cJSON *item, const struct case_progress *progress,
		      struct mark *mark)
{
	for (size_t i = 0; i < progress->metric_count; i++) {
		const struct bench_metric *metric = &progress->metrics[i];
		double first = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 0));
		double end = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 1));
		if (strcmp(metric->name, item->string) != 0)
			continue;
		if (cJSON_GetArraySize(item) != 2 ||
		    !(first >= 0 && first < end && end <= (double)metric->series[0].count))
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: '%s' is no range [first, end] of its %zu samples", in->what,
					  metric->name, metric->series[0].count);
		*mark = (struct mark){metric->name, (size_t)first, (size_t)end};
		return 0;
	}
	return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: metric '%.80s' has no samples", in->what,
			  item->string);
}

static int apply_disturbed(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	struct mark marks[RECORD_MAX_METRICS];
	size_t count = 0;
	const cJSON *samples, *item;
	if (read_subject(in, event, run, &subject) != 0 || require_open(in, &subject) != 0 ||
	    bench_json_object(event, "samples", in->what, &samples, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, samples)
	{
		if (count == RECORD_MAX_METRICS)
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d metrics", in->what,
					  RECORD_MAX_METRICS);
		if (read_range(in, item, subject.progress, &marks[count++]) != 0)
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		push_mark(in->arena, subject.progress, marks[i].metric, marks[i].first, marks[i].end);
	return 0;
}

static int apply_watched(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	struct bench_watched watched;
	if (read_subject(in, event, run, &subject) != 0 || require_open(in, &subject) != 0 ||
	    record_read_watched(in, event, &watched) != 0)
		return -1;
	subject.progress->watched = watched;
	subject.progress->is_watched = true;
	return 0;
}

/* Counts at once, whether its invocation ends or not: a wrong result is wrong. */
static int apply_check(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	struct bench_check check = {0};
	if (read_subject(in, event, run, &subject) != 0 || require_open(in, &subject) != 0 ||
	    record_read_check(in, event, &check) != 0)
		return -1;
	struct bench_result *result = subject.result;
	if (!result->checked || record_check_excess(&check) > record_check_excess(&result->check))
		result->check = check;
	result->checked = true;
	return 0;
}

static int apply_note(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	char *name, *value;
	if (read_case(in, event, run, &subject) != 0 ||
	    record_read_text(in, event, "name", RECORD_MAX_NAME, &name) != 0 ||
	    record_read_text(in, event, "value", RECORD_MAX_TEXT, &value) != 0)
		return -1;
	if (!*name || subject.result->note_count == RECORD_MAX_PAIRS)
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: a note without a name, or more than %d notes", in->what,
				  RECORD_MAX_PAIRS);
	bench_pair_set(in->arena, &subject.result->notes, &subject.result->note_count, name, value);
	return 0;
}

/* The samples of the open invocation join those of the result. */
static void publish(struct bench_arena *arena, const struct subject *subject)
{
	struct case_progress *progress = subject->progress;
	for (size_t i = 0; i < progress->metric_count; i++) {
		struct bench_series *series =
			record_add_series(arena, &subject->result->metrics, &subject->result->metric_count,
					  &progress->metrics[i], subject->invocation);
		series->values = progress->metrics[i].series[0].values;
		series->count = progress->metrics[i].series[0].count;
		for (size_t j = 0; j < progress->mark_count; j++)
			if (strcmp(progress->marks[j].metric, progress->metrics[i].name) == 0)
				record_mark(arena, series, progress->marks[j].first, progress->marks[j].end);
	}
	if (progress->iterations)
		subject->result->iterations = progress->iterations;
}

/* The most severe status over the invocations, with its first reason. */
static void raise_status(struct bench_result *result, enum bench_status status, char *reason)
{
	bool cut_short =
		result->status == BENCH_STATUS_SKIPPED && strcmp(result->reason, record_cut_short) == 0;
	if (!cut_short && status <= result->status)
		return;
	result->status = status;
	result->reason = reason;
}

int record_read_stopped(const struct reader *in, const cJSON *object, char **stopped)
{
	if (record_read_text(in, object, "stopped", RECORD_MAX_NAME, stopped) != 0)
		return -1;
	if (**stopped && strcmp(*stopped, "precision") != 0 && strcmp(*stopped, "budget") != 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: member 'stopped' is '%s'; expected precision, budget or nothing",
				  in->what, *stopped);
	return 0;
}

/* A new metric must mean in this invocation what it meant in the ones before. */
static int require_same_metrics(const struct reader *in, const struct subject *subject)
{
	for (size_t i = 0; i < subject->progress->metric_count; i++) {
		const struct bench_metric *metric = &subject->progress->metrics[i];
		const struct bench_metric *before = bench_result_metric(subject->result, metric->name);
		if (before && (strcmp(before->unit, metric->unit) != 0 || before->better != metric->better))
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: metric '%s' changes its unit or direction", in->what,
					  metric->name);
	}
	return 0;
}

static int apply_end(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	struct subject subject;
	enum bench_status status;
	char *word, *reason, *stopped;
	if (read_subject(in, event, run, &subject) != 0 || require_not_ended(in, &subject) != 0 ||
	    record_read_text(in, event, "status", RECORD_MAX_NAME, &word) != 0 ||
	    record_read_text(in, event, "reason", RECORD_MAX_TEXT, &reason) != 0 ||
	    record_read_stopped(in, event, &stopped) != 0)
		return -1;
	if (!bench_status_parse(word, &status))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: member 'status' is '%s'", in->what,
				  word);
	if (status == BENCH_STATUS_OK) {
		if (require_open(in, &subject) != 0 || require_same_metrics(in, &subject) != 0)
			return -1;
		publish(in->arena, &subject);
	}
	if (subject.progress->open && subject.progress->invocation == subject.invocation &&
	    subject.progress->is_watched &&
	    record_keep_watched(in, &subject.progress->watched, subject.result) != 0)
		return -1;
	raise_status(subject.result, status, reason);
	/* Over the invocations, the budget is what is said: there the precision was not reached. */
	if (*stopped && strcmp(subject.result->stopped, "budget") != 0)
		subject.result->stopped = stopped;
	int *ended = bench_arena_push(in->arena, &subject.progress->ended, &subject.progress->ended_count,
				      sizeof(*ended));
	*ended = subject.invocation;
	subject.progress->open = false;
	return 0;
}

static int apply_finish(const struct reader *in, const cJSON *event, struct bench_run *run)
{
	int64_t finished;
	bool interrupted;
	if (record_read_time(in, event, "finished", &finished) != 0 ||
	    record_read_bool(in, event, "interrupted", &interrupted) != 0)
		return -1;
	run->finished = finished;
	run->interrupted = interrupted;
	return 0;
}

static const struct {
	const char *name;
	int (*apply)(const struct reader *in, const cJSON *event, struct bench_run *run);
} kinds[] = {
	{"run", apply_run},       {"case", apply_case},           {"begin", apply_begin},
	{"sample", apply_sample}, {"disturbed", apply_disturbed}, {"watched", apply_watched},
	{"check", apply_check},   {"note", apply_note},           {"end", apply_end},
	{"finish", apply_finish},
};

int bench_record_apply(struct bench_run *run, const cJSON *event, struct bench_error *error)
{
	const char *name;
	if (bench_json_string(event, "event", "event", &name, error) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		const struct reader in = {&run->arena, name, error};
		return kinds[i].apply(&in, event, run);
	}
	return 0;
}
