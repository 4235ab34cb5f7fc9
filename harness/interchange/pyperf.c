/* pyperf: -o FILE. Each of its runs is a process, and so an invocation; calibrations have no values. */
#include <string.h>

#include "core/json.h"
#include "interchange/internal.h"

static bool is_pyperf(const struct interchange_reader *in)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in->root, "benchmarks");
	return cJSON_IsArray(list) && cJSON_HasObjectItem(in->root, "version") &&
	       (!list->child || cJSON_HasObjectItem(list->child, "runs"));
}

static const cJSON *metadata_of(const cJSON *of)
{
	return cJSON_GetObjectItemCaseSensitive(of, "metadata");
}

/* Of the benchmark, or, where it is the file's only one, of the file. */
static const char *text_of(const struct interchange_reader *in, const cJSON *item, const char *member)
{
	return bench_json_string_or(metadata_of(item), member,
				    bench_json_string_or(metadata_of(in->root), member, ""));
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const cJSON *run, *value, *runs;
	const char *unit = text_of(in, item, "unit"), *name = text_of(in, item, "name");
	const bool is_time = !*unit || strcmp(unit, "second") == 0;
	const struct interchange_quantity quantity = {is_time                     ? "time"
						      : strcmp(unit, "byte") == 0 ? "memory"
										  : "value",
						      is_time                        ? "s"
						      : strcmp(unit, "integer") == 0 ? "count"
										     : unit,
						      is_time ? BENCH_BETTER_LOWER : BENCH_BETTER_NONE,
						      is_time ? INTERCHANGE_SAID : INTERCHANGE_BY_UNIT};
	int invocation = 0;
	int64_t started;
	struct interchange_case fresh =
		interchange_case(in, *name ? name : "benchmark", *name ? name : "benchmark");
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	if (!to || bench_json_array(item, "runs", what, &runs, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(run, runs)
	{
		const cJSON *values = cJSON_GetObjectItemCaseSensitive(run, "values");
		if (bench_date_parse(bench_json_string_or(metadata_of(run), "date", ""), &started))
			interchange_started(in, started);
		cJSON_ArrayForEach(value, values)
		{
			if (!cJSON_IsNumber(value))
				return interchange_fail(in, "'%.100s': a value is no number", to->id);
			if (interchange_sample(in, to, &quantity, invocation, value->valuedouble) != 0)
				return -1;
		}
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
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in->root, "benchmarks");
	const double processors = bench_json_number_or(
		metadata_of(in->root), "cpu_count",
		bench_json_number_or(metadata_of(list ? list->child : NULL), "cpu_count", 0));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		interchange_fact(in, facts[i][1], text_of(in, list ? list->child : NULL, facts[i][0]));
	if (processors > 0)
		interchange_fact(in, "processors", bench_arena_format(in->arena, "%.15g", processors));
	return interchange_each(in, list, "benchmarks", read_benchmark);
}

const struct bench_interchange_format bench_interchange_pyperf = {
	.name = "pyperf",
	.is = is_pyperf,
	.read = read_pyperf,
};
