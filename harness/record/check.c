/* SPDX-License-Identifier: MIT */
/* A record that was built from something else than a file of this program: is it one that such a file may
 * hold? */
#include <math.h>
#include <string.h>

#include "record/internal.h"

static int check_series(const struct reader *in, const struct bench_metric *metric)
{
	for (size_t i = 0; i < metric->series_count; i++) {
		const struct bench_series *series = &metric->series[i];
		if (series->invocation < 0 || series->invocation > RECORD_MAX_INVOCATION)
			return record_fail(in, "metric '%s' has the invocation %d", metric->name,
					   series->invocation);
		for (size_t j = 0; j < i; j++)
			if (metric->series[j].invocation == series->invocation)
				return record_fail(in, "metric '%s' has invocation %d twice", metric->name,
						   series->invocation);
	}
	return 0;
}

static int check_metrics(const struct reader *in, const struct bench_result *result)
{
	struct bench_metric_spec spec;
	if (result->metric_count > RECORD_MAX_METRICS)
		return record_fail(in, "more than %d metrics", RECORD_MAX_METRICS);
	for (size_t i = 0; i < result->metric_count; i++) {
		const struct bench_metric *metric = &result->metrics[i];
		if (record_check_metric(in, metric->name, metric->unit,
					bench_record_better_name(metric->better), &spec) != 0 ||
		    check_series(in, metric) != 0)
			return -1;
		if (bench_record_metric(result, metric->name) != metric)
			return record_fail(in, "metric '%s' stands there twice", metric->name);
	}
	return 0;
}

static int check_watched(const struct reader *in, const struct bench_result *result)
{
	for (size_t i = 0; i < result->watched_count; i++) {
		const struct bench_watched *watched = &result->watched[i];
		const double values[] = {watched->canary, watched->canary_worst, watched->others,
					 watched->steal, watched->frequency};
		bool wrong = watched->invocation < 0 || watched->invocation > RECORD_MAX_INVOCATION ||
			     !(watched->disturbed >= 0 && watched->disturbed <= 1);
		for (size_t j = 0; j < i; j++)
			wrong |= result->watched[j].invocation == watched->invocation;
		for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++)
			wrong |= values[j] < 0 || isinf(values[j]);
		if (wrong)
			return record_fail(in, "what was seen beside invocation %d is wrong",
					   watched->invocation);
	}
	return 0;
}

static int check_result(const struct reader *in, const struct bench_result *result)
{
	const struct bench_check *check = &result->check;
	unsigned ignored;
	if (!record_find_word(&record_stop_words, result->stopped, &ignored))
		return record_fail(in, "nothing stops by '%.80s'", result->stopped);
	if (strlen(result->reason) > RECORD_MAX_TEXT)
		return record_fail(in, "the reason is longer than %d characters", RECORD_MAX_TEXT);
	if (result->checked &&
	    (check->error < 0 || isinf(check->error) || !(check->tolerance >= 0) || isinf(check->tolerance)))
		return record_fail(in, "the check found %g, of %g", check->error, check->tolerance);
	return check_metrics(in, result) != 0 ? -1 : check_watched(in, result);
}

int bench_record_check(const struct bench_run *run, struct bench_error *error)
{
	for (size_t i = 0; i < run->result_count; i++) {
		const struct reader in = {NULL, run->results[i].key, error};
		if (check_result(&in, &run->results[i]) != 0)
			return -1;
	}
	return record_check_unique(run, run->id, error);
}
