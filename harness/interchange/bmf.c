/* SPDX-License-Identifier: MIT */
/* Bencher Metric Format: {"name": {"measure": {"value": 1.0, "lower_value": ..., "upper_value": ...}}}. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interchange/internal.h"

/* Measures whose unit and direction Bencher itself knows. */
static const struct {
	const char *measure;
	struct interchange_quantity quantity;
} measures[] = {
	{"latency", INTERCHANGE_COST("time", "ns")},
	{"throughput", {"throughput", "ops/s", BENCH_BETTER_HIGHER, INTERCHANGE_SAID}},
	{"build-time", INTERCHANGE_COST("build_time", "s")},
	{"file-size", INTERCHANGE_COST("file_size", "B")},
};

static const char *const bounds[][2] = {{"low", "lower_value"}, {"high", "upper_value"}};

static bool is_bmf(const struct interchange_reader *in)
{
	const cJSON *name = in->root && cJSON_IsObject(in->root) ? in->root->child : NULL;
	const cJSON *measure = name && cJSON_IsObject(name) ? name->child : NULL;
	return cJSON_IsNumber(bench_json_member(measure, "value"));
}

static struct interchange_quantity quantity_of(const char *measure)
{
	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
		if (strcmp(measures[i].measure, measure) == 0)
			return measures[i].quantity;
	return (struct interchange_quantity)INTERCHANGE_CUSTOM(measure, "");
}

static int read_measure(struct interchange_reader *in, const cJSON *measure, struct interchange_case *to)
{
	const struct interchange_quantity quantity = quantity_of(measure->string);
	char what[400];
	double value;
	snprintf(what, sizeof(what), "%.200s: '%.80s'.'%.80s'", in->file->path, to->id, measure->string);
	if (bench_json_number(measure, "value", what, &value, in->error) != 0 ||
	    interchange_sample(in, to, &quantity, 0, value) != 0)
		return -1;
	const char *name = to->metrics[to->metric_count - 1].name;
	for (size_t i = 0; i < 2; i++) {
		const double bound = bench_json_number_or(measure, bounds[i][1], NAN);
		if (isfinite(bound))
			interchange_note(in, to, bench_arena_format(in->arena, "%s.%s", bounds[i][0], name),
					 bench_arena_format(in->arena, "%.15g", bound));
	}
	return 0;
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item)
{
	const cJSON *measure;
	struct interchange_case *to = interchange_enter(in, interchange_split(in, item->string), false);
	if (!to)
		return -1;
	if (!cJSON_IsObject(item) || !item->child)
		return interchange_fail(in, "'%.200s' has no measures", item->string);
	cJSON_ArrayForEach(measure, item) if (read_measure(in, measure, to) != 0) return -1;
	return 0;
}

static int read_bmf(struct interchange_reader *in)
{
	const cJSON *item;
	if (!cJSON_IsObject(in->root))
		return interchange_fail(in, "expected an object of benchmarks");
	cJSON_ArrayForEach(item, in->root) interchange_settle(in, item->string, read_benchmark(in, item));
	interchange_say_has(in, "one value a measure, and no date, host or commit");
	return 0;
}

/* Of several values their interval; of one, what came with it. */
static void write_bounds(cJSON *item, const struct bench_result *result, const struct bench_metric *metric,
			 double times, double over)
{
	const struct bench_summary *summary = &metric->summary;
	const double interval[] = {summary->ci_lo, summary->ci_hi};
	for (size_t i = 0; i < 2; i++) {
		char key[80];
		double bound = NAN;
		snprintf(key, sizeof(key), "%s.%s", bounds[i][0], metric->name);
		if (summary->count > 1)
			bound = interval[i] / times * over;
		else
			bench_text_real(bench_record_note(result, key), &bound);
		if (isfinite(bound))
			interchange_add_number(item, bounds[i][1], bound);
	}
}

static void write_measure(struct bench_arena *arena, cJSON *object, const struct bench_result *result,
			  const struct bench_metric *metric)
{
	const char *name = interchange_metric_name(result, metric);
	double times, over;
	interchange_unit(result, metric, &times, &over);
	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
		if (strcmp(measures[i].quantity.name, metric->name) == 0) {
			name = measures[i].measure;
			struct bench_unit unit;
			if (bench_unit_parse(measures[i].quantity.unit, &unit)) {
				times = unit.times;
				over = unit.over;
			}
			break;
		} else if (strcmp(measures[i].measure, name) == 0) {
			name = bench_arena_format(arena, "own-%s", name);
		}
	cJSON *item = cJSON_AddObjectToObject(object, name);
	interchange_add_number(item, "value", interchange_rounded(metric->summary.median) / times * over);
	write_bounds(item, result, metric, times, over);
}

static void write_bmf(const struct bench_run *run, struct bench_interchange_notes *notes,
		      struct bench_text *out)
{
	static const char what[] = "Bencher's JSON";
	BENCH_SCOPED_ARENA arena = {0};
	cJSON *root = cJSON_CreateObject();
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (interchange_leaves_out(result, what, notes))
			continue;
		cJSON *object = cJSON_AddObjectToObject(root, interchange_title(&arena, result, '='));
		for (size_t m = 0; m < result->metric_count; m++)
			if (interchange_is_measured(&result->metrics[m]))
				write_measure(&arena, object, result, &result->metrics[m]);
	}
	interchange_say(notes, "%s has one value a measure, and no unit, direction, date, host or commit",
			what);
	interchange_print(root, out);
}

INTERCHANGE_FORMAT(bmf, is_bmf, read_bmf, write_bmf);
