/* SPDX-License-Identifier: MIT */
#include "report/render/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "stats/signed.h"

#define PARAM          "command"
#define MOST_LOGS      100 /* neighboring pairs are averaged to no more than this */
#define FEW_LOGS       30  /* below it, their correlation is bounded */
#define FEW_CORRELATED 0.5
#define MOST_TIMES     10 /* as many runs are advised */

/* The logarithms of the ratios of pairs, in the order taken. */
struct logs {
	double *values;
	size_t count;
};

bool bench_render_commands_has(const struct bench_run *run, const char *suite)
{
	bool found = false;
	for (size_t i = 0; i < run->selection.extension_count && !found; i++) {
		const char *text = run->selection.extensions[i];
		BENCH_SCOPED_JSON *extension = bench_json_parse(text, strlen(text), "an extension", NULL);
		found = strcmp(bench_json_string_or(extension, "kind", ""), "exec") == 0 &&
			strcmp(bench_json_string_or(extension, "suite", "exec"), suite) == 0;
	}
	return found;
}

/* The command of a result that has times; NULL: it is none. */
static const char *command_of(const struct bench_run *run, const struct bench_result *result)
{
	return result->status == BENCH_STATUS_OK && result->param_count > 0 &&
			       strcmp(result->params[0].name, PARAM) == 0 &&
			       bench_record_metric(result, "time") &&
			       bench_render_commands_has(run, result->suite)
		       ? result->params[0].value
		       : NULL;
}

/* Do they differ in the command alone? */
static bool are_beside(const struct bench_result *a, const struct bench_result *b)
{
	bool same = strcmp(a->suite, b->suite) == 0 && a->param_count == b->param_count;
	for (size_t i = 1; same && i < a->param_count; i++)
		same = strcmp(a->params[i].value, b->params[i].value) == 0;
	return same;
}

static double median_of(const struct bench_result *result)
{
	return bench_record_metric(result, "time")->summary.median;
}

static void add_pairs(const struct bench_series *fast, const struct bench_series *slow, struct logs *logs)
{
	for (size_t i = 0; i < fast->count && i < slow->count; i++)
		if (fast->values[i] > 0 && slow->values[i] > 0)
			logs->values[logs->count++] = log(slow->values[i] / fast->values[i]);
}

static struct logs take_logs(const struct bench_metric *fast, const struct bench_metric *slow)
{
	size_t most = 0;
	struct logs logs = {0};
	for (size_t s = 0; s < fast->series_count; s++)
		most += fast->series[s].count;
	logs.values = bench_memory_alloc(most + 1, sizeof(*logs.values));
	for (size_t s = 0; s < fast->series_count; s++) {
		const struct bench_series *other = bench_record_series(slow, fast->series[s].invocation);
		if (other)
			add_pairs(&fast->series[s], other, &logs);
	}
	size_t each = (logs.count + MOST_LOGS - 1) / MOST_LOGS, kept = 0;
	for (size_t at = 0; each > 1 && at + each <= logs.count; at += each)
		logs.values[kept++] = bench_stats_mean(logs.values + at, each);
	if (each > 1)
		logs.count = kept;
	return logs;
}

/*
 * Only where it is significant, and bounded for few pairs: ten of them cannot tell a correlation of 0.99,
 * whose interval has no end, from a drift during the run.
 */
static double correlation_of(const struct logs *logs)
{
	double most = logs->count < FEW_LOGS ? FEW_CORRELATED : 1;
	return bench_stats_dependence(logs->values, logs->count) > 1
		       ? fmin(most, bench_stats_correlation(logs->values, logs->count))
		       : 0;
}

/* The interval contains 1, and is no tie. */
static void add_undecided(const struct bench_result *fast, const struct bench_result *slow,
			  struct bench_interval ratio, struct bench_text *out)
{
	double runs = (double)bench_record_metric(fast, "time")->summary.count;
	double wanted = bench_record_count_for_tie(runs, ratio.lo, ratio.hi);
	bench_text_add(out, "%s and %s: undecided, %.2fx [%.2f, %.2f]; ", fast->params[0].value,
		       slow->params[0].value, ratio.estimate, ratio.lo, ratio.hi);
	if (wanted > MOST_TIMES * runs)
		bench_text_add(out, "too noisy to tell (bench doctor names the load)\n");
	else
		bench_text_add(out, "about --runs %.0f would decide\n", wanted);
}

static void compare(const struct bench_result *fast, const struct bench_result *slow, struct bench_text *out)
{
	const double level = BENCH_COMMANDS_LEVEL;
	const char *a = fast->params[0].value, *b = slow->params[0].value;
	struct logs logs = take_logs(bench_record_metric(fast, "time"), bench_record_metric(slow, "time"));
	struct bench_interval shift = {.level = 0};
	if (logs.count > 1)
		shift = bench_stats_signed_series(logs.values, logs.count, level, correlation_of(&logs));
	double ratio = exp(shift.estimate), lo = exp(shift.lo), hi = exp(shift.hi);
	for (size_t i = 1; i < fast->param_count; i++)
		bench_text_add(out, "%s=%s%s", fast->params[i].name, fast->params[i].value,
			       i + 1 < fast->param_count ? "," : ": ");
	if (shift.level < level - 0.01)
		bench_text_add(out, "%s and %s: too few runs to tell them apart (--runs 10)\n", a, b);
	else if (lo > 1)
		bench_text_add(out, "%s is %.2fx [%.2f, %.2f] faster than %s\n", a, ratio, lo, hi, b);
	else if (hi < 1) /* its median is lower, and most of its pairs are slower */
		bench_text_add(out, "%s is %.2fx [%.2f, %.2f] faster than %s\n", b, 1 / ratio, 1 / hi, 1 / lo,
			       a);
	else if (bench_record_is_tie(lo, hi))
		bench_text_add(out, "%s and %s are not different: %.2fx [%.2f, %.2f]\n", a, b, ratio, lo, hi);
	else
		add_undecided(fast, slow, (struct bench_interval){ratio, lo, hi, level}, out);
	free(logs.values);
}

/* Those beside the first of them, which `done` has not yet. */
static void compare_group(const struct bench_run *run, size_t first, bool *done, struct bench_text *out)
{
	const struct bench_result *results = run->results, *fastest = &results[first];
	for (size_t i = first; i < run->result_count; i++)
		if (command_of(run, &results[i]) && are_beside(&results[first], &results[i])) {
			done[i] = true;
			if (median_of(&results[i]) < median_of(fastest))
				fastest = &results[i];
		}
	for (size_t i = first; i < run->result_count; i++)
		if (&results[i] != fastest && command_of(run, &results[i]) &&
		    are_beside(&results[first], &results[i]))
			compare(fastest, &results[i], out);
}

void bench_render_commands(const struct bench_run *run, struct bench_text *out)
{
	BENCH_SCOPED_MEMORY bool *done = bench_memory_alloc(run->result_count + 1, sizeof(*done));
	for (size_t i = 0; i < run->result_count; i++)
		if (!done[i] && command_of(run, &run->results[i]))
			compare_group(run, i, done, out);
}
