/* SPDX-License-Identifier: MIT */
/* Every sample as a row, with the same columns in every run: long CSV, and JSON Lines. */
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "interchange/internal.h"

/* Named as those of the views (schema/migrate-7-8.sql). The last four are numbers. */
static const char *const columns[] = {"run",        "started_utc", "host",      "commit_hash", "branch",
				      "aside",      "case_key",    "metric",    "unit",        "better",
				      "invocation", "sample",      "disturbed", "value"};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), TEXTS = COLUMNS - 4 };

/* What all samples of a metric have in common: the start of their rows. */
static void add_texts(const char *const texts[TEXTS], bool json, struct bench_text *out)
{
	cJSON *object = json ? cJSON_CreateObject() : NULL;
	for (size_t i = 0; i < TEXTS; i++)
		if (json) {
			cJSON_AddStringToObject(object, columns[i], texts[i]);
		} else {
			interchange_add_field(out, texts[i]);
			bench_text_add(out, ",");
		}
	if (json) {
		BENCH_SCOPED_MEMORY char *text = bench_json_print(object, false);
		text[strlen(text) - 1] = '\0'; /* the brace that closes it */
		bench_text_add_json(out, text);
	}
}

static void add_metric(const struct bench_run *run, const char *started, const struct bench_result *result,
		       const struct bench_metric *metric, bool json, struct bench_text *out)
{
	const char *const texts[TEXTS] = {run->id,
					  started,
					  bench_record_fact(run, "name"),
					  run->git.commit,
					  run->git.branch,
					  bench_record_label(run, "aside"),
					  result->key,
					  metric->name,
					  metric->unit,
					  bench_record_better_name(metric->better)};
	BENCH_SCOPED_TEXT start = {0};
	add_texts(texts, json, &start);
	for (size_t s = 0; s < metric->series_count; s++) {
		const struct bench_series *series = &metric->series[s];
		for (size_t i = 0; i < series->count; i++)
			bench_text_add(out,
				       json ? "%s,\"invocation\":%d,\"sample\":%zu,\"disturbed\":%d,"
					      "\"value\":%.17g}\n"
					    : "%s%d,%zu,%d,%.17g\n",
				       start.data, series->invocation, i,
				       series->disturbed && series->disturbed[i], series->values[i]);
	}
}

void bench_interchange_samples_head(struct bench_text *out)
{
	for (size_t i = 0; i < COLUMNS; i++)
		bench_text_add(out, i + 1 < COLUMNS ? "%s," : "%s\n", columns[i]);
}

void bench_interchange_samples(const struct bench_run *run, bool json, struct bench_text *out)
{
	char started[32];
	interchange_utc(run->started, started);
	/* As the views write it. */
	if (*started) {
		started[10] = ' ';
		started[19] = '\0';
	}
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++)
			if (interchange_is_measured(&run->results[i].metrics[m]))
				add_metric(run, started, &run->results[i], &run->results[i].metrics[m], json,
					   out);
}
