/* The record as JSON: metrics.json, and the first two kinds of event. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/json.h"
#include "core/text.h"
#include "record/internal.h"

/*
 * A JSON string. File names and command lines may hold any bytes; what is no UTF-8 becomes
 * U+FFFD, or other programs could not read the file at all.
 */
static cJSON *text_item(const char *value)
{
	struct bench_text clean = {0};
	for (const char *at = value; *at;) {
		uint32_t point;
		size_t length = bench_text_utf8(at, &point);
		bench_text_add_bytes(&clean, length ? at : "\xef\xbf\xbd", length ? length : 3);
		at += length ? length : 1;
	}
	cJSON *item = cJSON_CreateString(clean.data ? clean.data : "");
	bench_text_free(&clean);
	return item;
}

static void add_text(cJSON *object, const char *member, const char *value)
{
	cJSON_AddItemToObject(object, member, text_item(value));
}

/* Above 2^53 a JSON number is not exact: a size is cut to it (8 PiB), which says "at least". */
static void add_size(cJSON *object, const char *member, uint64_t value)
{
	const uint64_t limit = (uint64_t)1 << 53;
	bench_json_add_number(object, member, (double)(value < limit ? value : limit));
}

static void add_list(cJSON *object, const char *member, char *const *items, size_t count)
{
	cJSON *list = cJSON_AddArrayToObject(object, member);
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(list, text_item(items[i]));
}

static void add_pairs(cJSON *object, const char *member, const struct bench_pair *pairs, size_t count)
{
	cJSON *list = cJSON_AddObjectToObject(object, member);
	for (size_t i = 0; i < count; i++) {
		cJSON *name = text_item(pairs[i].name);
		add_text(list, cJSON_GetStringValue(name), pairs[i].value);
		cJSON_Delete(name);
	}
}

static void add_run(cJSON *object, const struct bench_run *run)
{
	cJSON *item = cJSON_AddObjectToObject(object, "run");
	add_text(item, "id", run->id);
	bench_json_add_number(item, "started", (double)run->started);
	bench_json_add_number(item, "finished", run->finished ? (double)run->finished : NAN);
	cJSON_AddBoolToObject(item, "interrupted", run->interrupted);
	add_text(item, "command", run->command);
	add_text(item, "preset", run->preset);
	add_pairs(item, "labels", run->labels, run->label_count);
	bench_json_add_number(item, "budget_seconds", run->budget_seconds);
	bench_json_add_number(item, "precision", run->precision);
	bench_json_add_number(item, "invocations", run->invocations);
	/* A string: a seed has 64 bits, a JSON number 53. */
	char seed[24];
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	add_text(item, "seed", seed);
	cJSON *selection = cJSON_AddObjectToObject(item, "selection");
	add_list(selection, "suites", run->selection.suites, run->selection.suite_count);
	add_list(selection, "targets", run->selection.targets, run->selection.target_count);
	add_text(selection, "backends", run->selection.backends);
	add_text(selection, "filter", run->selection.filter);
	add_list(selection, "sets", run->selection.sets, run->selection.set_count);
}

static void add_git(cJSON *object, const struct bench_git *git)
{
	if (!git->present) {
		cJSON_AddNullToObject(object, "git");
		return;
	}
	cJSON *item = cJSON_AddObjectToObject(object, "git");
	add_text(item, "commit", git->commit);
	add_text(item, "branch", git->branch);
	cJSON_AddBoolToObject(item, "dirty", git->dirty);
	add_list(item, "dirty_files", git->dirty_files, git->dirty_count);
}

static void add_ceilings(cJSON *object, const struct bench_ceilings *ceilings)
{
	if (!*ceilings->run)
		return;
	cJSON *item = cJSON_AddObjectToObject(object, "ceilings");
	bench_json_add_number(item, "flop_rate_f32", ceilings->flop_rate_f32);
	bench_json_add_number(item, "flop_rate_f64", ceilings->flop_rate_f64);
	bench_json_add_number(item, "bandwidth", ceilings->bandwidth);
	add_text(item, "run", ceilings->run);
}

static void add_devices(cJSON *object, const struct bench_run *run)
{
	cJSON *list = cJSON_AddArrayToObject(object, "devices");
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_device_info *info = &run->devices[i].info;
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		add_text(item, "backend", run->devices[i].backend);
		add_text(item, "device", info->slug);
		add_text(item, "name", info->name);
		add_text(item, "platform", info->platform);
		add_text(item, "driver", info->driver);
		add_text(item, "kind", bench_device_kind_name(info->kind));
		bench_json_add_number(item, "compute_units", info->compute_units);
		bench_json_add_number(item, "clock_mhz", info->clock_mhz);
		add_size(item, "memory_bytes", info->memory_bytes);
		add_size(item, "max_buffer_bytes", info->max_buffer_bytes);
		cJSON_AddBoolToObject(item, "f64", info->f64);
		cJSON_AddBoolToObject(item, "device_time", info->device_time);
		cJSON_AddBoolToObject(item, "pinned", info->pinned);
		add_ceilings(item, &run->devices[i].ceilings);
	}
}

/* What is known before measuring starts. */
static void add_head(cJSON *object, const struct bench_run *run)
{
	add_run(object, run);
	add_git(object, &run->git);
	add_pairs(object, "host", run->host, run->host_count);
	add_devices(object, run);
}

static void add_case(cJSON *object, const struct bench_result *result)
{
	add_text(object, "suite", result->suite);
	add_text(object, "backend", result->backend);
	add_text(object, "device", result->device);
	add_pairs(object, "case", result->params, result->param_count);
	cJSON *work = cJSON_AddObjectToObject(object, "work");
	bench_json_add_number(work, "flops", result->work.flops);
	bench_json_add_number(work, "bytes", result->work.bytes);
	bench_json_add_number(work, "items", result->work.items);
	add_size(work, "device_bytes", result->work.device_bytes);
	add_size(work, "largest_bytes", result->work.largest_bytes);
	add_size(work, "host_bytes", result->work.host_bytes);
	if (*result->relative_to)
		add_text(object, "relative_to", result->relative_to);
	add_text(object, "repeat", result->repeat);
	add_pairs(object, "notes", result->notes, result->note_count);
}

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
	add_text(item, "name", metric->name);
	add_text(item, "unit", metric->unit);
	add_text(item, "better", bench_better_name(metric->better));
	add_text(item, "derived_from", metric->derived_from);
	bench_json_add_number(item, "median", summary->median);
	cJSON *interval = cJSON_AddArrayToObject(item, "ci");
	cJSON_AddItemToArray(interval, bench_json_real(summary->ci_lo));
	cJSON_AddItemToArray(interval, bench_json_real(summary->ci_hi));
	bench_json_add_number(item, "ci_level", summary->ci_level);
	add_text(item, "ci_over", summary->over_samples ? "samples" : "invocations");
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

static void add_check(cJSON *object, const struct bench_result *result)
{
	if (!result->checked) {
		cJSON_AddNullToObject(object, "check");
		return;
	}
	cJSON *item = cJSON_AddObjectToObject(object, "check");
	bench_json_add_number(item, "error", result->check.error);
	bench_json_add_number(item, "tolerance", result->check.tolerance);
	add_text(item, "method", result->check.method);
}

static void add_watched(cJSON *object, const struct bench_result *result)
{
	cJSON *list = result->watched_count ? cJSON_AddArrayToObject(object, "watched") : NULL;
	for (size_t i = 0; i < result->watched_count; i++) {
		const struct bench_watched *watched = &result->watched[i];
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		bench_json_add_number(item, "invocation", watched->invocation);
		bench_json_add_number(item, "disturbed", watched->disturbed);
		bench_json_add_number(item, "canary", watched->canary);
		bench_json_add_number(item, "canary_worst", watched->canary_worst);
		bench_json_add_number(item, "others", watched->others);
		bench_json_add_number(item, "steal", watched->steal);
		bench_json_add_number(item, "frequency", watched->frequency);
		add_text(item, "device", watched->device);
	}
}

static void add_result(cJSON *list, const struct bench_result *result)
{
	bool pending = result->status == BENCH_STATUS_PENDING;
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	add_case(item, result);
	add_text(item, "status", bench_status_name(pending ? BENCH_STATUS_SKIPPED : result->status));
	add_text(item, "reason", pending ? record_cut_short : result->reason);
	add_check(item, result);
	add_size(item, "iterations", result->iterations);
	add_text(item, "stopped", result->stopped);
	add_watched(item, result);
	cJSON *metrics = cJSON_AddArrayToObject(item, "metrics");
	for (size_t i = 0; i < result->metric_count; i++)
		add_metric(metrics, &result->metrics[i]);
}

char *bench_record_to_json(const struct bench_run *run)
{
	cJSON *document = cJSON_CreateObject();
	cJSON_AddStringToObject(document, "schema", BENCH_METRICS_SCHEMA);
	add_head(document, run);
	cJSON *results = cJSON_AddArrayToObject(document, "results");
	for (size_t i = 0; i < run->result_count; i++)
		add_result(results, &run->results[i]);
	struct bench_text text = {0};
	char *printed = cJSON_Print(document);
	if (printed) {
		bench_text_add_bytes(&text, printed, strlen(printed));
		bench_text_add_bytes(&text, "\n", 1);
	}
	free(printed);
	cJSON_Delete(document);
	return text.data;
}

static char *print_line(cJSON *event)
{
	char *line = cJSON_PrintUnformatted(event);
	cJSON_Delete(event);
	return line;
}

char *bench_record_run_event(const struct bench_run *run)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", "run");
	cJSON_AddStringToObject(event, "schema", BENCH_SAMPLES_SCHEMA);
	add_head(event, run);
	return print_line(event);
}

char *bench_record_case_event(const struct bench_run *run, size_t index)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", "case");
	bench_json_add_number(event, "index", (double)index);
	add_case(event, &run->results[index]);
	return print_line(event);
}
