/* SPDX-License-Identifier: MIT */
/* The record as metrics.json, there and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/metric.h"
#include "core/text.h"
#include "record/internal.h"

#define WATCHED(field) .offset = offsetof(struct bench_watched, field)
#define CHECK(field)   .offset = offsetof(struct bench_check, field)
#define RESULT(field)  .offset = offsetof(struct bench_result, field)

const struct member record_check_members[] = {
	{"error", MEMBER_QUANTITY_OR_NULL, CHECK(error)},
	{"tolerance", MEMBER_QUANTITY, CHECK(tolerance)},
	{"method", MEMBER_FIELD, CHECK(method), sizeof(((struct bench_check *)NULL)->method)},
	{0},
};

const struct member record_watched_members[] = {
	{"disturbed", MEMBER_SHARE, WATCHED(disturbed)},
	{"canary", MEMBER_QUANTITY_OR_NULL, WATCHED(canary)},
	{"canary_worst", MEMBER_QUANTITY_OR_NULL, WATCHED(canary_worst)},
	{"others", MEMBER_QUANTITY_OR_NULL, WATCHED(others)},
	{"steal", MEMBER_QUANTITY_OR_NULL, WATCHED(steal)},
	{"frequency", MEMBER_QUANTITY_OR_NULL, WATCHED(frequency)},
	{"device", MEMBER_TEXT, WATCHED(device), RECORD_MAX_TEXT},
	{0},
};

static const struct member watched_entry[] = {
	{"invocation", MEMBER_INVOCATION, WATCHED(invocation)},
	{"", MEMBER_ALL_OF, .members = record_watched_members},
	{0},
};

static const struct member status_members[] = {
	{"status", MEMBER_WORD, RESULT(status), .words = &record_status_words},
	{"reason", MEMBER_TEXT, RESULT(reason), RECORD_MAX_TEXT},
	{0},
};

static const struct member outcome_members[] = {
	{"iterations", MEMBER_SIZE, RESULT(iterations)},
	{"stopped", MEMBER_TEXT, RESULT(stopped), RECORD_MAX_NAME, .words = &record_stop_words},
	{0},
};

/* The indices of those that were disturbed; none where none was. */
static void add_marks(cJSON *object, const struct bench_series *series)
{
	cJSON *indices = NULL;
	for (size_t i = 0; series->disturbed && i < series->count; i++) {
		if (!series->disturbed[i])
			continue;
		if (!indices)
			indices = cJSON_AddArrayToObject(object, "disturbed");
		cJSON_AddItemToArray(indices, bench_json_real((double)i));
	}
}

static void add_samples(cJSON *object, const struct bench_metric *metric)
{
	cJSON *list = cJSON_AddArrayToObject(object, "samples");
	for (size_t i = 0; i < metric->series_count; i++) {
		const struct bench_series *series = &metric->series[i];
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		bench_json_add_number(item, "invocation", series->invocation);
		cJSON *values = cJSON_AddArrayToObject(item, "values");
		for (size_t j = 0; j < series->count; j++)
			cJSON_AddItemToArray(values, bench_json_real(series->values[j]));
		add_marks(item, series);
	}
}

static void add_metric(cJSON *list, const struct bench_metric *metric)
{
	const struct bench_summary *summary = &metric->summary;
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	record_add_text(item, "name", metric->name);
	record_add_text(item, "unit", metric->unit);
	record_add_text(item, "better", bench_record_better_name(metric->better));
	record_add_text(item, "derived_from", metric->derived_from);
	bench_json_add_number(item, "median", summary->median);
	cJSON *interval = cJSON_AddArrayToObject(item, "ci");
	/* The file stays as it was: where the level is 0, the ends repeat the value, and say nothing. */
	bool known = summary->ci_level > 0;
	cJSON_AddItemToArray(interval, bench_json_real(known ? summary->ci_lo : summary->median));
	cJSON_AddItemToArray(interval, bench_json_real(known ? summary->ci_hi : summary->median));
	bench_json_add_number(item, "ci_level", summary->ci_level);
	record_add_text(item, "ci_over", summary->over_samples ? "samples" : "invocations");
	bench_json_add_number(item, "min", summary->min);
	bench_json_add_number(item, "mean", summary->mean);
	bench_json_add_number(item, "stddev", summary->stddev);
	bench_json_add_number(item, "p05", summary->p05);
	bench_json_add_number(item, "p95", summary->p95);
	bench_json_add_number(item, "n", (double)summary->count);
	if (summary->disturbed)
		bench_json_add_number(item, "disturbed", (double)summary->disturbed);
	add_samples(item, metric);
}

static void add_watched(cJSON *object, const struct bench_result *result)
{
	cJSON *list = result->watched_count ? cJSON_AddArrayToObject(object, "watched") : NULL;
	for (size_t i = 0; i < result->watched_count; i++) {
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		record_add_members(item, watched_entry, &result->watched[i]);
	}
}

static int by_point(const void *a, const void *b)
{
	const struct bench_result *x = *(const struct bench_result *const *)a;
	const struct bench_result *y = *(const struct bench_result *const *)b;
	int order = strcmp(x->suite, y->suite);
	order = order ? order : strcmp(bench_record_point(x), bench_record_point(y));
	return order ? order : (x > y) - (x < y);
}

static bool same_point(const struct bench_result *a, const struct bench_result *b)
{
	return strcmp(a->suite, b->suite) == 0 && strcmp(bench_record_point(a), bench_record_point(b)) == 0;
}

/* Of each result the next one at the same point, on another target: its index; SIZE_MAX: none. malloc'd. */
static size_t *chain_points(const struct bench_run *run)
{
	const size_t count = run->result_count;
	const struct bench_result **order = bench_memory_alloc(count, sizeof(const struct bench_result *));
	size_t *next = bench_memory_alloc(count, sizeof(*next));
	for (size_t i = 0; i < count; i++)
		order[i] = &run->results[i];
	qsort(order, count, sizeof(const struct bench_result *), by_point);
	for (size_t i = 0; i < count; i++)
		next[order[i] - run->results] = i + 1 < count && same_point(order[i], order[i + 1])
							? (size_t)(order[i + 1] - run->results)
							: SIZE_MAX;
	free(order);
	return next;
}

/* Against the later results at its point. Computed from the samples: nothing reads it back. */
static void add_versus(cJSON *object, const struct bench_run *run, const size_t *next, size_t at)
{
	cJSON *list = NULL;
	const struct bench_result *result = &run->results[at];
	while ((at = next[at]) != SIZE_MAX) {
		struct bench_versus versus;
		if (!bench_record_versus(result, &run->results[at], &versus))
			continue;
		const struct bench_summary *ratio = &versus.ratio;
		list = list ? list : cJSON_AddArrayToObject(object, "versus");
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		record_add_text(item, "key", run->results[at].key);
		bench_json_add_number(item, "ratio", ratio->median);
		cJSON *interval = cJSON_AddArrayToObject(item, "ci");
		cJSON_AddItemToArray(interval, bench_json_real(ratio->ci_lo));
		cJSON_AddItemToArray(interval, bench_json_real(ratio->ci_hi));
		bench_json_add_number(item, "ci_level", ratio->ci_level);
		bench_json_add_number(item, "n", (double)ratio->count);
		record_add_text(item, "verdict", bench_record_versus_name(versus.verdict));
	}
}

static cJSON *new_result(const struct bench_run *run, const size_t *next, size_t at)
{
	const struct bench_result *result = &run->results[at];
	struct bench_result shown = *result;
	cJSON *item = cJSON_CreateObject();
	record_add_case(item, result);
	if (result->status == BENCH_STATUS_PENDING) {
		shown.status = BENCH_STATUS_SKIPPED;
		shown.reason = (char *)(uintptr_t)record_cut_short;
	}
	record_add_members(item, status_members, &shown);
	if (result->checked)
		record_add_members(cJSON_AddObjectToObject(item, "check"), record_check_members,
				   &result->check);
	else
		cJSON_AddNullToObject(item, "check");
	record_add_members(item, outcome_members, result);
	add_watched(item, result);
	add_versus(item, run, next, at);
	cJSON *metrics = cJSON_AddArrayToObject(item, "metrics");
	for (size_t i = 0; i < result->metric_count; i++)
		add_metric(metrics, &result->metrics[i]);
	return item;
}

/* Prints and frees it; `indent` goes before each line after the first. */
static void print(struct bench_text *text, cJSON *item, const char *indent)
{
	char *printed = bench_json_print(item, true), *line, *rest = printed;
	while ((line = strsep(&rest, "\n")))
		bench_text_add(text, "%s%s%s", line == printed ? "" : "\n", line == printed ? "" : indent,
			       line);
	free(printed);
}

static const char schema_member[] = "schema";

void record_add_schema(cJSON *object, const char *schema)
{
	record_add_text(object, schema_member, schema);
}

int record_check_schema(const struct reader *in, const cJSON *object, const char *expected)
{
	char *schema;
	if (record_read_text(in, object, schema_member, RECORD_MAX_NAME, &schema) != 0)
		return -1;
	if (strcmp(schema, expected) != 0)
		return record_fail(in, "has schema '%s'; this version of bench reads '%s'", schema, expected);
	return 0;
}

char *bench_record_to_json(const struct bench_run *run)
{
	cJSON *document = cJSON_CreateObject();
	record_add_schema(document, BENCH_METRICS_SCHEMA);
	record_add_head(document, run);
	cJSON_AddArrayToObject(document, "results");
	struct bench_text text = {0};
	print(&text, document, "");
	/* One by one: all results as one document take many times the memory of their text. */
	static const char end[] = "]\n}";
	text.length -= sizeof(end) - 1;
	BENCH_SCOPED_MEMORY size_t *next = chain_points(run);
	for (size_t i = 0; i < run->result_count; i++) {
		bench_text_add(&text, "%s", i ? ", " : "");
		print(&text, new_result(run, next, i), "\t\t");
	}
	bench_text_add(&text, "%s\n", end);
	return text.data;
}

/* Bytes that are no text would be longer once they are written. */
static bool is_unit(const char *text)
{
	const char *at = text;
	uint32_t point;
	for (size_t length; *at; at += length) {
		length = bench_text_utf8(at, &point);
		if (length == 0)
			return false;
	}
	return at > text && at - text <= RECORD_MAX_NAME;
}

int record_check_metric(const struct reader *in, const char *name, const char *unit, const char *better,
			struct bench_metric_spec *metric)
{
	const struct bench_metric_spec *known = bench_metric_known(name);
	if (known && !unit)
		unit = known->unit;
	if (known && !better)
		better = bench_record_better_name(known->better);
	if (!record_is_name(name))
		return record_fail(in, "'%.80s' is no legal metric name", name);
	if (!unit || !better)
		return record_fail(
			in,
			"metric '%s' is not one that the harness knows, so 'unit' and 'better' must be given",
			name);
	if (!is_unit(unit) || !bench_record_better_parse(better, &metric->better))
		return record_fail(in,
				   "metric '%s' has unit '%.80s', better '%.80s'; expected a unit of at most "
				   "%d bytes of UTF-8 and lower, higher or none",
				   name, unit, better, RECORD_MAX_NAME);
	if (known && (strcmp(unit, known->unit) != 0 || metric->better != known->better))
		return record_fail(in, "metric '%s' is in %s (better: %s), not in %s (better: %s)", name,
				   known->unit, bench_record_better_name(known->better), unit, better);
	metric->name = name;
	metric->unit = unit;
	return 0;
}

/* What is computed again from the samples: the file's values need only have the right type. */
static int check_computed(const struct reader *in, const cJSON *item, const char *const *numbers,
			  size_t count, const char *word)
{
	const cJSON *interval, *end;
	double ignored;
	char *text;
	for (size_t i = 0; i < count; i++) {
		if (record_read_number_or_null(in, item, numbers[i], &ignored) != 0)
			return -1;
	}
	if (bench_json_array(item, "ci", in->what, &interval, in->error) != 0 ||
	    record_read_text(in, item, word, RECORD_MAX_NAME, &text) != 0)
		return -1;
	cJSON_ArrayForEach(end, interval)
	{
		if (!cJSON_IsNumber(end) && !cJSON_IsNull(end))
			return record_fail(in, "'ci' holds something that is no number");
	}
	return 0;
}

static int check_summary(const struct reader *in, const cJSON *item)
{
	static const char *const numbers[] = {"median", "ci_level", "min", "mean",
					      "stddev", "p05",      "p95", "n"};
	return check_computed(in, item, numbers, sizeof(numbers) / sizeof(numbers[0]), "ci_over");
}

/* It may not be there: older versions wrote none. */
static int check_versus(const struct reader *in, const cJSON *object)
{
	static const char *const numbers[] = {"ratio", "ci_level", "n"};
	const cJSON *list, *item;
	char *text;
	if (!cJSON_GetObjectItemCaseSensitive(object, "versus"))
		return 0;
	if (bench_json_array(object, "versus", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		if (record_read_text(in, item, "key", BENCH_KEY_MAX, &text) != 0 ||
		    check_computed(in, item, numbers, sizeof(numbers) / sizeof(numbers[0]), "verdict") != 0)
			return -1;
	}
	return 0;
}

/* The member disturbed of a series that has its values: indices, in order. It may not be there. */
static int read_marks(const struct reader *in, const cJSON *object, struct bench_series *series)
{
	const cJSON *list, *item;
	double next = 0;
	if (!cJSON_GetObjectItemCaseSensitive(object, "disturbed"))
		return 0;
	if (bench_json_array(object, "disturbed", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		double index = cJSON_IsNumber(item) ? item->valuedouble : NAN;
		if (!(index >= next && index < (double)series->count) || index != floor(index))
			return record_fail(in,
					   "'disturbed' of invocation %d holds something that is no index of "
					   "its %zu samples, or not in order",
					   series->invocation, series->count);
		record_flag(in->arena, series, (size_t)index, (size_t)index + 1);
		next = index + 1;
	}
	return 0;
}

/* The samples of one invocation as a new series of the metric `like`. */
static int read_series(const struct reader *in, const cJSON *item, const struct bench_metric_spec *like,
		       struct bench_result *result, size_t *samples)
{
	int64_t invocation;
	const cJSON *list, *value;
	if (bench_json_integer(item, "invocation", in->what, 0, RECORD_MAX_INVOCATION, &invocation,
			       in->error) != 0 ||
	    bench_json_array(item, "values", in->what, &list, in->error) != 0)
		return -1;
	const struct bench_metric *known = bench_record_metric(result, like->name);
	for (size_t i = 0; known && i < known->series_count; i++) {
		if (known->series[i].invocation == (int)invocation)
			return record_fail(in, "invocation %d stands there twice", (int)invocation);
	}
	size_t count = 0, given = (size_t)cJSON_GetArraySize(list);
	if (given == 0)
		return record_fail(in, "invocation %d has no samples", (int)invocation);
	if (given > RECORD_MAX_SAMPLES - *samples)
		return record_fail(in, "more than %d samples in all", RECORD_MAX_SAMPLES);
	struct bench_series *series = record_add_series(
		in->arena, record_add_metric(in->arena, result, like, ""), (int)invocation, given, 1);
	cJSON_ArrayForEach(value, list)
	{
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
			return record_fail(in, "sample %zu is no finite number", count);
		series->values[count++] = value->valuedouble;
	}
	*samples += given;
	return read_marks(in, item, series);
}

static int read_one_metric(const struct reader *in, const cJSON *item, struct bench_result *result,
			   size_t *samples)
{
	struct bench_metric_spec metric;
	const cJSON *list, *series;
	char *name, *derived_from;
	if (record_read_text(in, item, "name", RECORD_MAX_NAME, &name) != 0 ||
	    record_read_text(in, item, "derived_from", RECORD_MAX_NAME, &derived_from) != 0 ||
	    record_check_metric(in, name, bench_json_string_or(item, "unit", NULL),
				bench_json_string_or(item, "better", NULL), &metric) != 0 ||
	    check_summary(in, item) != 0 ||
	    bench_json_array(item, "samples", in->what, &list, in->error) != 0)
		return -1;
	if (*derived_from)
		return 0;
	if (bench_record_metric(result, name))
		return record_fail(in, "metric '%s' stands there twice", name);
	cJSON_ArrayForEach(series, list)
	{
		if (read_series(in, series, &metric, result, samples) != 0)
			return -1;
	}
	return 0;
}

static int read_metrics(const struct reader *in, const cJSON *object, struct bench_result *result,
			size_t *samples)
{
	const cJSON *list, *item;
	size_t index = 0;
	if (bench_json_array(object, "metrics", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		char what[640];
		snprintf(what, sizeof(what), "%s.metrics[%zu]", in->what, index++);
		const struct reader inner = {in->arena, what, in->error};
		if (read_one_metric(&inner, item, result, samples) != 0)
			return -1;
		if (result->metric_count > RECORD_MAX_METRICS)
			return record_fail(in, "more than %d metrics", RECORD_MAX_METRICS);
	}
	return 0;
}

static int read_watched(const struct reader *in, const cJSON *object, struct bench_result *result)
{
	const cJSON *list, *item;
	/* Files of before it was watched have none. */
	if (!cJSON_GetObjectItemCaseSensitive(object, "watched"))
		return 0;
	if (bench_json_array(object, "watched", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		struct bench_watched watched = {0};
		if (record_read_members(in, item, watched_entry, &watched) != 0 ||
		    record_keep_watched(in, &watched, result, 1) != 0)
			return -1;
	}
	return 0;
}

static int read_outcome(const struct reader *in, const cJSON *object, struct bench_result *result)
{
	const cJSON *check = cJSON_GetObjectItemCaseSensitive(object, "check");
	if (record_read_members(in, object, status_members, result) != 0 ||
	    record_read_members(in, object, outcome_members, result) != 0 ||
	    read_watched(in, object, result) != 0 || check_versus(in, object) != 0)
		return -1;
	if (cJSON_IsNull(check))
		return 0;
	if (bench_json_object(object, "check", in->what, &check, in->error) != 0)
		return -1;
	result->checked = true;
	return record_read_members(in, check, record_check_members, &result->check);
}

static int read_results(const struct reader *in, const cJSON *document, struct bench_run *run)
{
	const cJSON *list, *item;
	size_t samples = 0;
	if (bench_json_array(document, "results", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		char what[512];
		snprintf(what, sizeof(what), "%s: results[%zu]", in->what, run->result_count);
		const struct reader inner = {in->arena, what, in->error};
		if (record_read_case(&inner, item, run) != 0)
			return -1;
		struct bench_result *result = &run->results[run->result_count - 1];
		if (read_outcome(&inner, item, result) != 0 ||
		    read_metrics(&inner, item, result, &samples) != 0)
			return -1;
	}
	return record_check_unique(run, in->what, in->error);
}

int bench_record_from_json(const char *data, size_t length, const char *what, struct bench_run **run,
			   struct bench_error *error)
{
	BENCH_SCOPED_JSON *document = bench_json_parse(data, length, what, error);
	if (!document)
		return -1;
	struct bench_run *draft = bench_record_new();
	const struct reader in = {&draft->arena, what, error};
	int status = -1;
	if (record_check_schema(&in, document, BENCH_METRICS_SCHEMA) == 0 &&
	    record_read_head(&in, document, draft) == 0)
		status = read_results(&in, document, draft);
	if (status != 0) {
		bench_record_free(draft);
		return -1;
	}
	bench_record_finalise(draft);
	*run = draft;
	return 0;
}
