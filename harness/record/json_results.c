/* The results of metrics.json from outside, and the document as a whole. */
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/metric.h"
#include "record/internal.h"

int record_read_metric(const struct reader *in, const cJSON *object, const char *name,
		       struct bench_metric *metric)
{
	const struct bench_metric_spec *known = bench_metric_known(name);
	const char *unit = bench_json_string_or(object, "unit", known ? known->unit : NULL);
	const char *word =
		bench_json_string_or(object, "better", known ? bench_better_name(known->better) : NULL);
	if (!record_is_name(name))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: '%.80s' is no legal metric name",
				  in->what, name);
	if (!unit || !word)
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: metric '%s' is not one that the harness knows, so 'unit' and 'better' "
				  "must be given",
				  in->what, name);
	if (!*unit || strlen(unit) > RECORD_MAX_NAME || !bench_better_parse(word, &metric->better))
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: metric '%s' has unit '%.80s', better '%.80s'; expected a unit of at "
				  "most %d characters and lower, higher or none",
				  in->what, name, unit, word, RECORD_MAX_NAME);
	if (known && (strcmp(unit, known->unit) != 0 || metric->better != known->better))
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: metric '%s' is in %s (better: %s), not in %s (better: %s)", in->what,
				  name, known->unit, bench_better_name(known->better), unit, word);
	metric->name = bench_arena_string(in->arena, name);
	metric->unit = bench_arena_string(in->arena, unit);
	return 0;
}

/* The summary is computed again from the samples; what stands in the file only has to be of its type. */
static int check_summary(const struct reader *in, const cJSON *item)
{
	static const char *const members[] = {"median", "ci_level", "min", "mean",
					      "stddev", "p05",      "p95", "n"};
	const cJSON *interval, *end;
	double ignored;
	char *text;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (record_read_number_or_null(in, item, members[i], &ignored) != 0)
			return -1;
	}
	if (bench_json_array(item, "ci", in->what, &interval, in->error) != 0 ||
	    record_read_text(in, item, "ci_over", RECORD_MAX_NAME, &text) != 0)
		return -1;
	cJSON_ArrayForEach(end, interval)
	{
		if (!cJSON_IsNumber(end) && !cJSON_IsNull(end))
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: 'ci' holds something that is no number", in->what);
	}
	return 0;
}

/* The samples of one invocation as a new series of the metric `like`. */
static int read_series(const struct reader *in, const cJSON *item, const struct bench_metric *like,
		       struct bench_result *result, size_t *samples)
{
	int64_t invocation;
	const cJSON *list, *value;
	if (bench_json_integer(item, "invocation", in->what, 0, RECORD_MAX_INVOCATION, &invocation,
			       in->error) != 0 ||
	    bench_json_array(item, "values", in->what, &list, in->error) != 0)
		return -1;
	const struct bench_metric *known = bench_result_metric(result, like->name);
	for (size_t i = 0; known && i < known->series_count; i++) {
		if (known->series[i].invocation == (int)invocation)
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: invocation %d stands there twice", in->what, (int)invocation);
	}
	size_t count = 0, given = (size_t)cJSON_GetArraySize(list);
	if (given == 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: invocation %d has no samples", in->what,
				  (int)invocation);
	if (given > RECORD_MAX_SAMPLES - *samples)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d samples in all", in->what,
				  RECORD_MAX_SAMPLES);
	double *values = bench_arena_alloc(in->arena, given, sizeof(*values));
	cJSON_ArrayForEach(value, list)
	{
		if (!record_is_sample(value))
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: sample %zu is no finite number",
					  in->what, count);
		values[count++] = value->valuedouble;
	}
	*samples += given;
	struct bench_series *series =
		record_add_series(in->arena, &result->metrics, &result->metric_count, like, (int)invocation);
	series->values = values;
	series->count = given;
	return record_read_marks(in, item, series);
}

static int read_one_metric(const struct reader *in, const cJSON *item, struct bench_result *result,
			   size_t *samples)
{
	struct bench_metric metric = {0};
	const cJSON *list, *series;
	char *name, *derived_from;
	if (record_read_text(in, item, "name", RECORD_MAX_NAME, &name) != 0 ||
	    record_read_text(in, item, "derived_from", RECORD_MAX_NAME, &derived_from) != 0 ||
	    record_read_metric(in, item, name, &metric) != 0 || check_summary(in, item) != 0 ||
	    bench_json_array(item, "samples", in->what, &list, in->error) != 0)
		return -1;
	if (*derived_from)
		return 0;
	if (bench_result_metric(result, name))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: metric '%s' stands there twice",
				  in->what, name);
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
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d metrics", in->what,
					  RECORD_MAX_METRICS);
	}
	return 0;
}

static int read_outcome(const struct reader *in, const cJSON *object, struct bench_result *result)
{
	char *word;
	const cJSON *check = cJSON_GetObjectItemCaseSensitive(object, "check");
	if (record_read_text(in, object, "status", RECORD_MAX_NAME, &word) != 0)
		return -1;
	if (!bench_status_parse(word, &result->status))
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: member 'status' is '%s'; expected ok, skipped, unsupported, incorrect "
				  "or failed",
				  in->what, word);
	if (record_read_text(in, object, "reason", RECORD_MAX_TEXT, &result->reason) != 0 ||
	    record_read_size(in, object, "iterations", &result->iterations) != 0 ||
	    record_read_stopped(in, object, &result->stopped) != 0 ||
	    record_read_all_watched(in, object, result) != 0)
		return -1;
	if (cJSON_IsNull(check))
		return 0;
	if (bench_json_object(object, "check", in->what, &check, in->error) != 0)
		return -1;
	result->checked = true;
	return record_read_check(in, check, &result->check);
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

int record_check_schema(const struct reader *in, const cJSON *object, const char *expected)
{
	char *schema;
	if (record_read_text(in, object, "schema", RECORD_MAX_NAME, &schema) != 0)
		return -1;
	if (strcmp(schema, expected) != 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: has schema '%s'; this version of bench reads '%s'", in->what, schema,
				  expected);
	return 0;
}

int bench_record_from_json(const char *data, size_t length, const char *what, struct bench_run **run,
			   struct bench_error *error)
{
	cJSON *document = bench_json_parse(data, length, what, error);
	if (!document)
		return -1;
	struct bench_run *draft = bench_run_new();
	const struct reader in = {&draft->arena, what, error};
	int status = -1;
	if (record_check_schema(&in, document, BENCH_METRICS_SCHEMA) == 0 &&
	    record_read_head(&in, document, draft) == 0)
		status = read_results(&in, document, draft);
	cJSON_Delete(document);
	if (status != 0) {
		bench_run_free(draft);
		return -1;
	}
	bench_record_settle(draft);
	*run = draft;
	return 0;
}
