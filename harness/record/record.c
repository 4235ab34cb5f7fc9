/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "record/internal.h"

#define MAX_EXPECTED 16 /* invocations: a file from outside may speak of any number */

static const char *const status_names[] = {
	[BENCH_STATUS_PENDING] = "pending", [BENCH_STATUS_OK] = "ok",
	[BENCH_STATUS_SKIPPED] = "skipped", [BENCH_STATUS_UNSUPPORTED] = "unsupported",
	[BENCH_STATUS_FAILED] = "failed",   [BENCH_STATUS_INCORRECT] = "incorrect",
};

static const char *const better_names[] = {
	[BENCH_BETTER_NONE] = "none",
	[BENCH_BETTER_LOWER] = "lower",
	[BENCH_BETTER_HIGHER] = "higher",
};

const struct member_words record_status_words = {status_names, BENCH_STATUS_OK, BENCH_STATUS_INCORRECT + 1,
						 "ok, skipped, unsupported, incorrect or failed"};

static const char *const stop_names[] = {
	[BENCH_STOP_NONE] = "",
	[BENCH_STOP_PRECISION] = "precision",
	[BENCH_STOP_BUDGET] = "budget",
};
const struct member_words record_stop_words = {stop_names, BENCH_STOP_NONE, BENCH_STOP_BUDGET + 1,
					       "precision, budget or nothing"};

const char *bench_record_stop_name(enum bench_stop stop)
{
	return stop_names[stop];
}

const char *bench_record_status_name(enum bench_status status)
{
	return status_names[status];
}

const char *bench_record_better_name(enum bench_better better)
{
	return better_names[better];
}

bool bench_record_status_parse(const char *name, enum bench_status *status)
{
	return record_find_word(&record_status_words, name, status);
}

bool bench_record_better_parse(const char *name, enum bench_better *better)
{
	static const struct member_words words = {better_names, BENCH_BETTER_NONE, BENCH_BETTER_HIGHER + 1,
						  ""};
	return record_find_word(&words, name, better);
}

struct bench_device_record *bench_record_device(const struct bench_run *run, const char *backend,
						const char *slug)
{
	for (size_t i = 0; i < run->device_count; i++)
		if (strcmp(run->devices[i].backend, backend) == 0 &&
		    strcmp(run->devices[i].info.slug, slug) == 0)
			return &run->devices[i];
	return NULL;
}

const char *bench_record_attribute_get(const struct bench_attribute *pairs, size_t count, const char *name)
{
	const struct bench_attribute *pair = BENCH_FIND(pairs, count, name);
	return pair ? pair->value : "";
}

const char *bench_record_fact(const struct bench_run *run, const char *name)
{
	return bench_record_attribute_get(run->host, run->host_count, name);
}

const char *bench_record_label(const struct bench_run *run, const char *name)
{
	return bench_record_attribute_get(run->labels, run->label_count, name);
}

const char *bench_record_note(const struct bench_result *result, const char *name)
{
	return bench_record_attribute_get(result->notes, result->note_count, name);
}

const char *bench_record_param(const struct bench_result *result, const char *name)
{
	return bench_record_attribute_get(result->params, result->param_count, name);
}

const char *bench_record_unchecked(const struct bench_result *result)
{
	return result->status == BENCH_STATUS_OK ? bench_record_note(result, BENCH_NOTE_UNCHECKED) : "";
}

size_t bench_record_count_unchecked(const struct bench_run *run)
{
	size_t count = 0;
	for (size_t i = 0; i < run->result_count; i++)
		count += *bench_record_unchecked(&run->results[i]) != '\0';
	return count;
}

void bench_record_attribute_set(struct bench_arena *arena, struct bench_attribute **pairs, size_t *count,
				const char *name, const char *value)
{
	struct bench_attribute *pair = BENCH_FIND(*pairs, *count, name);
	if (!pair) {
		pair = bench_arena_push(arena, pairs, count, sizeof(*pair));
		pair->name = bench_arena_string(arena, name);
	}
	if (!pair->value || strcmp(pair->value, value) != 0)
		pair->value = bench_arena_string(arena, value);
}

struct bench_run *bench_record_new(void)
{
	struct bench_arena arena = {0};
	struct bench_run *run = bench_arena_alloc(&arena, 1, sizeof(*run));
	char *empty = bench_arena_string(&arena, "");
	*run = (struct bench_run){
		.arena = arena,
		.id = empty,
		.command = empty,
		.preset = empty,
		.project_preset = empty,
		.folder = empty,
		.selection.backends = empty,
		.selection.filter = empty,
		.git.commit = empty,
		.git.branch = empty,
	};
	return run;
}

const char *bench_record_preset(const struct bench_run *run)
{
	return *run->project_preset ? run->project_preset : run->preset;
}

void bench_record_free(struct bench_run *run)
{
	if (!run)
		return;
	/* The run itself lies in its arena. */
	struct bench_arena arena = run->arena;
	bench_arena_free(&arena);
}

/* A word of 1..max characters: the first a lower-case letter (or, for a slug, any), the rest of the class. */
static bool is_word(const char *text, size_t max, const char *extra, bool any_first)
{
	if (!any_first && !islower((unsigned char)*text))
		return false;
	size_t length = 0;
	for (; text[length]; length++) {
		unsigned char c = (unsigned char)text[length];
		if (length >= max || c >= 0x80 || (!islower(c) && !isdigit(c) && !strchr(extra, c)))
			return false;
	}
	return length > 0;
}

bool record_is_name(const char *text)
{
	return is_word(text, RECORD_MAX_NAME, "_", false);
}

/* What may stand as a value in a key: the key is taken apart at ',', '=' and '/'. */
static bool is_value(const char *text)
{
	size_t length = 0;
	for (; text[length]; length++) {
		char c = text[length];
		if (length >= BENCH_VALUE_MAX - 1 || c <= ' ' || c >= 0x7f || strchr(",=/", c))
			return false;
	}
	return length > 0;
}

static int check_identity(const char *suite, const char *backend, const char *device,
			  const struct bench_attribute *params, size_t param_count, struct bench_error *error)
{
	if (!record_is_name(suite))
		return bench_fail(error, BENCH_ENVIRONMENT, "'%.80s' is no legal suite name", suite);
	if (!is_word(backend, RECORD_MAX_NAME, "_+", false))
		return bench_fail(error, BENCH_ENVIRONMENT, "'%.80s' is no legal backend name", backend);
	if (!is_word(device, RECORD_MAX_NAME, "-", true))
		return bench_fail(error, BENCH_ENVIRONMENT, "'%.80s' is no legal device slug", device);
	for (size_t i = 0; i < param_count; i++) {
		if (!is_word(params[i].name, 31, "_", false))
			return bench_fail(error, BENCH_ENVIRONMENT, "'%.80s' is no legal parameter name",
					  params[i].name);
		if (!is_value(params[i].value))
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "parameter '%s': '%.80s' is no legal value", params[i].name,
					  params[i].value);
	}
	return 0;
}

static char *make_key(struct bench_arena *arena, const char *suite, const char *backend, const char *device,
		      const struct bench_attribute *params, size_t param_count)
{
	struct bench_text key = {0};
	bench_text_add(&key, "%s/%s:%s/", suite, backend, device);
	for (size_t i = 0; i < param_count; i++)
		bench_text_add(&key, "%s%s=%s", i ? "," : "", params[i].name, params[i].value);
	return bench_text_keep(&key, arena);
}

struct bench_result *bench_record_add_case(struct bench_run *run, const char *suite, const char *backend,
					   const char *device, const struct bench_attribute *params,
					   size_t param_count, struct bench_error *error)
{
	if (check_identity(suite, backend, device, params, param_count, error) != 0)
		return NULL;
	struct bench_arena *arena = &run->arena;
	char *key = make_key(arena, suite, backend, device, params, param_count);
	/* Room for "/" and the longest metric name. */
	if (strlen(key) + RECORD_MAX_NAME + 2 > BENCH_KEY_MAX) {
		bench_fail(error, BENCH_ENVIRONMENT, "the key '%.100s...' is longer than %d characters", key,
			   BENCH_KEY_MAX - RECORD_MAX_NAME - 2);
		return NULL;
	}
	struct bench_result *result =
		bench_arena_push(arena, &run->results, &run->result_count, sizeof(*result));
	result->suite = bench_arena_string(arena, suite);
	result->backend = bench_arena_string(arena, backend);
	result->device = bench_arena_string(arena, device);
	for (size_t i = 0; i < param_count; i++) {
		struct bench_attribute *pair =
			bench_arena_push(arena, &result->params, &result->param_count, sizeof(*pair));
		pair->name = bench_arena_string(arena, params[i].name);
		pair->value = bench_arena_string(arena, params[i].value);
	}
	result->key = key;
	result->reason = bench_arena_string(arena, "");
	result->stopped = result->reason;
	result->repeat = result->reason;
	result->relative_to = result->reason;
	return result;
}

const struct bench_result *bench_record_find(const struct bench_run *run, const char *key)
{
	return BENCH_FIND(run->results, run->result_count, key);
}

const struct bench_metric *bench_record_metric(const struct bench_result *result, const char *name)
{
	return BENCH_FIND(result->metrics, result->metric_count, name);
}

const struct bench_series *bench_record_series(const struct bench_metric *metric, int invocation)
{
	for (size_t i = 0; metric && i < metric->series_count; i++)
		if (metric->series[i].invocation == invocation)
			return &metric->series[i];
	return NULL;
}

bool bench_record_metric_key(char *out, size_t size, const struct bench_result *result,
			     const struct bench_metric *metric)
{
	int length = snprintf(out, size, "%s/%s", result->key, metric->name);
	return length >= 0 && (size_t)length < size;
}

/*
 * An array with room for one more. The first invocation allocates the memory for all later ones, so that a
 * lack of memory shows at once. Writing to it makes the system really provide it.
 */
static void *grown(struct bench_arena *arena, void *array, size_t used, size_t *room, size_t size,
		   size_t expected)
{
	if (used < *room)
		return array;
	*room = used ? 2 * used : expected;
	void *memory = bench_arena_alloc(arena, *room, size);
	memset(memory, 0, *room * size);
	return used ? memcpy(memory, array, used * size) : memory;
}

size_t record_expected(const struct bench_run *run)
{
	return run->invocations < 1 ? 1 : run->invocations < MAX_EXPECTED ? run->invocations : MAX_EXPECTED;
}

struct bench_series *record_add_series(struct bench_arena *arena, struct bench_metric *metric, int invocation,
				       size_t count, size_t expected)
{
	struct bench_room *room = &metric->room;
	size_t used = metric->series_count, value_room = 0;
	metric->series = grown(arena, metric->series, used, &room->series, sizeof(*metric->series), expected);
	/* The others are expected to be as long. */
	if (count > room->value_count) {
		room->value_count = count * (expected > used ? expected - used : 1);
		room->values = grown(arena, NULL, 0, &value_room, sizeof(*room->values), room->value_count);
	}
	struct bench_series *series = &metric->series[metric->series_count++];
	*series = (struct bench_series){invocation, room->values, count, NULL};
	room->values += count;
	room->value_count -= count;
	return series;
}

struct bench_metric *record_add_metric(struct bench_arena *arena, struct bench_result *result,
				       const struct bench_metric_spec *like, const char *derived_from)
{
	struct bench_metric *metric = BENCH_FIND(result->metrics, result->metric_count, like->name);
	if (metric)
		return metric;
	metric = bench_arena_push(arena, &result->metrics, &result->metric_count, sizeof(*metric));
	metric->name = bench_arena_string(arena, like->name);
	metric->unit = bench_arena_string(arena, like->unit);
	metric->better = like->better;
	metric->derived_from = bench_arena_string(arena, derived_from);
	return metric;
}

void record_flag(struct bench_arena *arena, struct bench_series *series, size_t first, size_t end)
{
	if (!series->disturbed)
		series->disturbed = bench_arena_alloc(arena, series->count, sizeof(*series->disturbed));
	for (size_t i = first; i < end; i++)
		series->disturbed[i] = true;
}

int record_keep_watched(const struct reader *in, const struct bench_watched *watched,
			struct bench_result *result, size_t expected)
{
	size_t count = result->watched_count;
	for (size_t i = 0; i < count; i++)
		if (result->watched[i].invocation == watched->invocation)
			return record_fail(in, "invocation %d is watched twice", watched->invocation);
	result->watched =
		grown(in->arena, result->watched, count, &result->watched_room, sizeof(*watched), expected);
	result->watched[result->watched_count++] = *watched;
	return 0;
}

int record_check_unique(const struct bench_run *run, const char *what, struct bench_error *error)
{
	if (run->result_count < 2)
		return 0;
	int status = 0;
	char **keys = bench_memory_alloc(run->result_count, sizeof(*keys));
	for (size_t i = 0; i < run->result_count; i++)
		keys[i] = run->results[i].key;
	qsort(keys, run->result_count, sizeof(*keys), bench_text_order);
	for (size_t i = 1; i < run->result_count && status == 0; i++) {
		if (strcmp(keys[i - 1], keys[i]) == 0)
			status = bench_fail(error, BENCH_ENVIRONMENT, "%s: two results are both '%s'", what,
					    keys[i]);
	}
	free(keys);
	return status;
}
