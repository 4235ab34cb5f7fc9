/* SPDX-License-Identifier: MIT */
/* JMH: -rf json. Each fork is a process, and so an invocation. */

#include "interchange/internal.h"

static bool is_jmh(const struct interchange_reader *in)
{
	const cJSON *first = cJSON_IsArray(in->root) ? in->root->child : NULL;
	return cJSON_HasObjectItem(first, "primaryMetric") && cJSON_HasObjectItem(first, "benchmark");
}

/* The mean of an iteration's histogram of [value, count]; false: it has none. */
static bool histogram_mean(const cJSON *pairs, double *mean)
{
	const cJSON *pair;
	double sum = 0, count = 0;
	cJSON_ArrayForEach(pair, pairs)
	{
		const cJSON *value = cJSON_GetArrayItem(pair, 0), *times = cJSON_GetArrayItem(pair, 1);
		if (!cJSON_IsNumber(value) || !cJSON_IsNumber(times))
			return false;
		sum += value->valuedouble * times->valuedouble;
		count += times->valuedouble;
	}
	*mean = sum / count;
	return count > 0;
}

/* rawData, or rawDataHistogram: a list of iterations a fork; the score stands where there is neither. */
static int read_metric(struct interchange_reader *in, const cJSON *metric, const char *what,
		       const struct interchange_quantity *quantity, struct interchange_case *to)
{
	const cJSON *plain = bench_json_member(metric, "rawData"), *fork, *iteration;
	const cJSON *data = plain ? plain : bench_json_member(metric, "rawDataHistogram");
	int invocation = 0;
	double value;
	cJSON_ArrayForEach(fork, data)
	{
		cJSON_ArrayForEach(iteration, fork)
		{
			value = iteration->valuedouble;
			if (cJSON_IsArray(iteration) ? !histogram_mean(iteration, &value)
						     : !cJSON_IsNumber(iteration))
				return interchange_fail(in, "'%.100s': an iteration's '%s' is no number",
							to->id, quantity->name);
			if (interchange_sample(in, to, quantity, invocation, value) != 0)
				return -1;
		}
		invocation++;
	}
	if (invocation > 0)
		return 0;
	return interchange_single(in, to, quantity, metric, "score", what,
				  "no iterations: scores stand as one sample each");
}

/* What a profiler has added, by its own names. A rate of it is no rate of the benchmark's work. */
static int read_secondary(struct interchange_reader *in, const cJSON *metrics, const char *what,
			  struct interchange_case *to)
{
	const cJSON *metric;
	cJSON_ArrayForEach(metric, metrics)
	{
		const struct interchange_quantity quantity = {metric->string,
							      interchange_text(metric, "scoreUnit"),
							      BENCH_BETTER_NONE, INTERCHANGE_UNSAID};
		const cJSON *score = bench_json_member(metric, "score");
		/* NaN is what a profiler did not see. */
		if (cJSON_IsNumber(score) && read_metric(in, metric, what, &quantity, to) != 0)
			return -1;
	}
	return 0;
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const char *name, *unit;
	const cJSON *metric;
	struct bench_unit parsed;
	if (bench_json_string(item, "benchmark", what, &name, in->error) != 0 ||
	    bench_json_object(item, "primaryMetric", what, &metric, in->error) != 0)
		return -1;
	struct interchange_case fresh = interchange_case(in, name, name);
	interchange_param(in, &fresh, "mode", interchange_text(item, "mode"));
	const double threads = bench_json_number_or(item, "threads", 1);
	if (threads > 1)
		interchange_param(in, &fresh, "threads", bench_arena_format(in->arena, "%.15g", threads));
	interchange_params(in, &fresh, bench_json_member(item, "params"));
	struct interchange_case *to = interchange_enter(in, fresh, false);
	if (!to || bench_json_string(metric, "scoreUnit", what, &unit, in->error) != 0)
		return -1;
	const bool known = bench_unit_parse(unit, &parsed);
	const char *called = known ? bench_arena_string(in->arena, parsed.name) : "score";
	const struct interchange_quantity quantity = INTERCHANGE_CUSTOM(called, unit);
	if (read_metric(in, metric, what, &quantity, to) != 0)
		return -1;
	interchange_fact(in, "lib.java", interchange_text(item, "jdkVersion"));
	return read_secondary(in, bench_json_member(item, "secondaryMetrics"), what, to);
}

static int read_jmh(struct interchange_reader *in)
{
	return interchange_each(in, in->root, "", read_benchmark);
}

INTERCHANGE_FORMAT(jmh, is_jmh, read_jmh, NULL);
