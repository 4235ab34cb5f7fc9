/* SPDX-License-Identifier: MIT */
/* Every sample as a row, with the same columns in every run: long CSV, and JSON Lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "interchange/internal.h"

/* Named as those of the views (schema/migrate-7-8.sql). */
static const char *const columns[] = {"run",        "started_utc", "host",      "commit_hash", "branch",
				      "aside",      "case_key",    "metric",    "unit",        "better",
				      "invocation", "sample",      "disturbed", "value"};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), TEXTS = COLUMNS - 4 };

struct row {
	const char *texts[TEXTS];
	double numbers[COLUMNS - TEXTS];
};

static void add_csv(const struct row *row, struct bench_text *out)
{
	for (size_t i = 0; i < TEXTS; i++) {
		interchange_add_field(out, row->texts[i]);
		bench_text_add(out, ",");
	}
	for (size_t i = TEXTS; i < COLUMNS; i++)
		bench_text_add(out, i + 1 < COLUMNS ? "%.17g," : "%.17g\n", row->numbers[i - TEXTS]);
}

static void add_json(const struct row *row, struct bench_text *out)
{
	cJSON *object = cJSON_CreateObject();
	for (size_t i = 0; i < TEXTS; i++)
		cJSON_AddStringToObject(object, columns[i], row->texts[i]);
	/* cJSON would print 15 digits of a number. */
	for (size_t i = TEXTS; i < COLUMNS; i++) {
		char number[32];
		snprintf(number, sizeof(number), "%.17g", row->numbers[i - TEXTS]);
		cJSON_AddRawToObject(object, columns[i], number);
	}
	char *text = bench_json_print(object, false);
	bench_text_add_json(out, text);
	bench_text_add(out, "\n");
	free(text);
}

static void add_metric(const struct bench_run *run, const char *started, const struct bench_result *result,
		       const struct bench_metric *metric, bool json, struct bench_text *out)
{
	struct row row = {{run->id, started, interchange_host(run, "name"), run->git.commit, run->git.branch,
			   bench_record_attribute_get(run->labels, run->label_count, "aside"), result->key,
			   metric->name, metric->unit, bench_record_better_name(metric->better)},
			  {0}};
	for (size_t s = 0; s < metric->series_count; s++)
		for (size_t i = 0; i < metric->series[s].count; i++) {
			const struct bench_series *series = &metric->series[s];
			row.numbers[0] = series->invocation;
			row.numbers[1] = (double)i;
			row.numbers[2] = series->disturbed && series->disturbed[i];
			row.numbers[3] = series->values[i];
			(json ? add_json : add_csv)(&row, out);
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
