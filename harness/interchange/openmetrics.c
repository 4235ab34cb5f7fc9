/* SPDX-License-Identifier: MIT */
/*
 * OpenMetrics text, for a textfile collector: gauges, a family a metric. Without time stamps, which such a
 * collector refuses. Written, not read: it has no samples.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interchange/internal.h"

/* Units as the format has them, and as the end of a family's name. */
static const char *unit_name(const char *unit)
{
	static const char *const names[][2] = {{"s", "seconds"},
					       {"B", "bytes"},
					       {"B/s", "bytes_per_second"},
					       {"FLOP/s", "flop_per_second"},
					       {"item/s", "items_per_second"},
					       {"ratio", "ratio"},
					       {"share", "ratio"}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i][0], unit) == 0)
			return names[i][1];
	return "";
}

static void add_label(struct bench_text *out, const char *name, const char *value)
{
	BENCH_SCOPED_TEXT line = {0};
	bench_text_add_line(&line, value);
	bench_text_add(out, "%s%s=\"", out->data[out->length - 1] == '{' ? "" : ",", name);
	for (const char *at = line.data ? line.data : ""; *at; at++)
		bench_text_add(out, strchr("\"\\", *at) ? "\\%c" : "%c", *at);
	bench_text_add(out, "\"");
}

static void add_labels(const struct bench_run *run, const struct bench_result *result, struct bench_text *out)
{
	bench_text_add(out, "{");
	add_label(out, "host", bench_record_fact(run, "name"));
	add_label(out, "suite", result->suite);
	add_label(out, "backend", result->backend);
	add_label(out, "device", result->device);
	for (size_t p = 0; p < result->param_count; p++) {
		char name[48];
		snprintf(name, sizeof(name), "param_%s", result->params[p].name);
		add_label(out, name, result->params[p].value);
	}
}

static void add_sample(const struct bench_run *run, const struct bench_result *result, const char *family,
		       const char *bound, double value, struct bench_text *out)
{
	if (!isfinite(value))
		return;
	bench_text_add(out, "%s", family);
	add_labels(run, result, out);
	if (strncmp(family, "bench_relative_time", strlen("bench_relative_time")) == 0 &&
	    *result->relative_to)
		add_label(out, "relative_to", result->relative_to);
	if (bound)
		add_label(out, "statistic", bound);
	bench_text_add(out, "} %.17g\n", value);
}

static void add_metadata(const char *family, const char *unit, const char *help, struct bench_text *out)
{
	bench_text_add(out, "# TYPE %s gauge\n", family);
	if (*unit)
		bench_text_add(out, "# UNIT %s %s\n", family, unit);
	bench_text_add(out, "# HELP %s %s\n", family, help);
}

/* All of one metric and unit, which must stand together. */
static void write_family(const struct bench_run *run, const struct bench_metric *like, struct bench_text *out)
{
	const char *unit = unit_name(like->unit);
	char family[160];
	snprintf(family, sizeof(family), "bench_%s%s%s", like->name, *unit ? "_" : "", unit);
	add_metadata(family, unit, "Median of a benchmark, with its interval.", out);
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *metric = bench_record_metric(&run->results[i], like->name);
		if (!metric || strcmp(unit_name(metric->unit), unit) != 0)
			continue;
		const struct bench_summary *summary = &metric->summary;
		add_sample(run, &run->results[i], family, "median", summary->median, out);
		add_sample(run, &run->results[i], family, "low", summary->ci_lo, out);
		add_sample(run, &run->results[i], family, "high", summary->ci_hi, out);
	}
}

static bool is_first(const struct bench_run *run, size_t result, size_t metric)
{
	const struct bench_metric *like = &run->results[result].metrics[metric];
	for (size_t i = 0; i < result; i++) {
		const struct bench_metric *other = bench_record_metric(&run->results[i], like->name);
		if (other && strcmp(unit_name(other->unit), unit_name(like->unit)) == 0)
			return false;
	}
	return true;
}

static void write_openmetrics(const struct bench_run *run, struct bench_interchange_notes *notes,
			      struct bench_text *out)
{
	add_metadata("bench_run_started_seconds", "seconds", "When the run began, in Unix time.", out);
	bench_text_add(out, "bench_run_started_seconds{");
	add_label(out, "host", bench_record_fact(run, "name"));
	add_label(out, "commit", run->git.commit);
	add_label(out, "run", run->id);
	bench_text_add(out, "} %lld\n", (long long)run->started);
	add_metadata("bench_case_ok", "", "1: the case was measured and is right, 0: it is not.", out);
	for (size_t i = 0; i < run->result_count; i++)
		add_sample(run, &run->results[i], "bench_case_ok", NULL,
			   run->results[i].status == BENCH_STATUS_OK, out);
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++)
			if (is_first(run, i, m))
				write_family(run, &run->results[i].metrics[m], out);
	bench_text_add(out, "# EOF\n");
	interchange_say(notes, "OpenMetrics has medians and intervals, and no samples");
}

INTERCHANGE_FORMAT(openmetrics, NULL, NULL, write_openmetrics);
