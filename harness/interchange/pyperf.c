/* SPDX-License-Identifier: MIT */
/* pyperf: -o FILE. Each of its runs is a process, and so an invocation; calibrations have no values. */
#include <string.h>

#include "interchange/internal.h"

static bool is_pyperf(const struct interchange_reader *in)
{
	const cJSON *list = bench_json_member(in->root, "benchmarks");
	return cJSON_IsArray(list) && cJSON_HasObjectItem(in->root, "version") &&
	       (!list->child || cJSON_HasObjectItem(list->child, "runs"));
}

static const cJSON *metadata_of(const cJSON *of)
{
	return bench_json_member(of, "metadata");
}

/* Of the benchmark, or, where it is the file's only one, of the file. */
static const char *text_of(const struct interchange_reader *in, const cJSON *item, const char *member)
{
	return bench_json_string_or(metadata_of(item), member,
				    bench_json_string_or(metadata_of(in->root), member, ""));
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const cJSON *run, *runs;
	const char *unit = text_of(in, item, "unit"), *named = text_of(in, item, "name");
	const char *name = *named ? named : "benchmark";
	const struct interchange_quantity kinds[] = {
		INTERCHANGE_COST("time", "s"), INTERCHANGE_COST("memory", "B"),
		INTERCHANGE_CUSTOM("value", strcmp(unit, "integer") == 0 ? "count" : unit)};
	const struct interchange_quantity *quantity = &kinds[!*unit || strcmp(unit, "second") == 0 ? 0
							     : strcmp(unit, "byte") == 0           ? 1
												   : 2];
	int invocation = 0;
	struct interchange_case *to = interchange_enter(in, interchange_case(in, name, name), false);
	if (!to || bench_json_array(item, "runs", what, &runs, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(run, runs)
	{
		const cJSON *values = bench_json_member(run, "values");
		interchange_dated(in, interchange_text(metadata_of(run), "date"));
		if (interchange_samples(in, to, quantity, invocation, values) != 0)
			return -1;
		invocation += cJSON_GetArraySize(values) > 0;
	}
	return to->metric_count > 0 ? 0 : interchange_fail(in, "'%.100s' has no values", to->id);
}

static int read_pyperf(struct interchange_reader *in)
{
	static const char *const facts[][2] = {{"hostname", "name"},
					       {"cpu_model_name", "cpu"},
					       {"platform", "os"},
					       {"python_version", "lib.python"}};
	const cJSON *list = bench_json_member(in->root, "benchmarks");
	const double processors = bench_json_number_or(
		metadata_of(in->root), "cpu_count",
		bench_json_number_or(metadata_of(list ? list->child : NULL), "cpu_count", 0));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		interchange_fact(in, facts[i][1], text_of(in, list ? list->child : NULL, facts[i][0]));
	interchange_processors(in, processors);
	return interchange_each(in, list, "benchmarks", read_benchmark);
}

INTERCHANGE_FORMAT(pyperf, is_pyperf, read_pyperf, NULL);
