/* hyperfine: --export-json. Each run of a command is a fresh process: an invocation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "interchange/internal.h"
#include "stats/stats.h"

static const struct interchange_quantity wall = {"time", "s", BENCH_BETTER_LOWER, false};
static const struct interchange_quantity means[] = {
	{"user_time", "s", BENCH_BETTER_NONE, false},
	{"system_time", "s", BENCH_BETTER_NONE, false},
};
static const char *const mean_members[] = {"user", "system"};

static bool is_hyperfine(const struct interchange_reader *in)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in->root, "results");
	return cJSON_IsArray(list) && cJSON_HasObjectItem(cJSON_GetArrayItem(list, 0), "command");
}

static int read_times(struct interchange_reader *in, const cJSON *item, const char *what,
		      struct interchange_case *to)
{
	const cJSON *times = cJSON_GetObjectItemCaseSensitive(item, "times"), *time;
	double median;
	int invocation = 0;
	if (!times) {
		interchange_say(in->draft->notes,
				"%s has no times of single runs: the median stands as one sample",
				in->file->path);
		return bench_json_number(item, "median", what, &median, in->error) != 0
			       ? -1
			       : interchange_sample(in, to, &wall, 0, median);
	}
	if (!cJSON_IsArray(times) || !times->child)
		return interchange_fail(in, "'times' of '%.100s' is no list of times", to->id);
	cJSON_ArrayForEach(time, times)
	{
		if (!cJSON_IsNumber(time))
			return interchange_fail(in, "'times' of '%.100s': item %d is no number", to->id,
						invocation + 1);
		if (interchange_sample(in, to, &wall, invocation++, time->valuedouble) != 0)
			return -1;
	}
	return 0;
}

static int read_memory(struct interchange_reader *in, const cJSON *item, struct interchange_case *to)
{
	static const struct interchange_quantity memory = {"peak_memory", "B", BENCH_BETTER_LOWER, false};
	const cJSON *value;
	int invocation = 0;
	cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(item, "memory_usage_byte"))
	{
		if (cJSON_IsNumber(value) &&
		    interchange_sample(in, to, &memory, invocation, value->valuedouble) != 0)
			return -1;
		invocation++;
	}
	return 0;
}

static void say_statuses(struct interchange_reader *in, const cJSON *item, const char *command)
{
	const cJSON *status;
	size_t other = 0;
	cJSON_ArrayForEach(status, cJSON_GetObjectItemCaseSensitive(item, "exit_codes")) other +=
		!cJSON_IsNumber(status) || status->valuedouble != 0;
	if (other)
		interchange_say(in->draft->notes, "'%.100s' ended %zu times with another status than 0",
				command, other);
}

static int read_result(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const char *command;
	const cJSON *parameter;
	if (bench_json_string(item, "command", what, &command, in->error) != 0)
		return -1;
	struct interchange_case fresh = interchange_case(in, command, command);
	cJSON_ArrayForEach(parameter, cJSON_GetObjectItemCaseSensitive(item, "parameters"))
	{
		if (cJSON_IsString(parameter))
			interchange_param(in, &fresh, parameter->string, parameter->valuestring);
		else if (cJSON_IsNumber(parameter))
			interchange_param(in, &fresh, parameter->string,
					  bench_arena_format(in->arena, "%.15g", parameter->valuedouble));
	}
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	if (!to || read_times(in, item, what, to) != 0 || read_memory(in, item, to) != 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		const cJSON *mean = cJSON_GetObjectItemCaseSensitive(item, mean_members[i]);
		if (cJSON_IsNumber(mean) && interchange_sample(in, to, &means[i], 0, mean->valuedouble) != 0)
			return -1;
	}
	say_statuses(in, item, command);
	return 0;
}

static int read_hyperfine(struct interchange_reader *in)
{
	const cJSON *list, *item;
	size_t index = 0;
	if (bench_json_array(in->root, "results", in->file->path, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		char what[400];
		snprintf(what, sizeof(what), "%.300s: results[%zu]", in->file->path, index++);
		if (read_result(in, item, what) != 0)
			return -1;
	}
	return 0;
}

static void write_summary(cJSON *item, const double *values, size_t count)
{
	interchange_add_number(item, "mean", bench_stats_mean(values, count));
	interchange_add_number(item, "stddev", bench_stats_stddev(values, count));
	interchange_add_number(item, "median", bench_stats_median(values, count));
	interchange_add_number(item, "min", bench_stats_quantile(values, count, 0));
	interchange_add_number(item, "max", bench_stats_quantile(values, count, 1));
}

static void write_result(struct bench_arena *arena, cJSON *list, const struct bench_result *result,
			 const struct bench_metric *time)
{
	size_t count, param_count, memory_count;
	const double *values = interchange_values(arena, time, &count);
	const struct bench_attribute *params = interchange_params(arena, result, &param_count);
	const struct bench_metric *memory = bench_record_metric(result, "peak_memory");
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	cJSON_AddStringToObject(item, "command", interchange_title(arena, result, '='));
	write_summary(item, values, count);
	for (size_t i = 0; i < 2; i++) {
		const struct bench_metric *mean = bench_record_metric(result, means[i].name);
		interchange_add_number(item, mean_members[i], mean ? mean->summary.mean : NAN);
	}
	interchange_add_list(item, "times", values, count);
	if (memory) {
		const double *bytes = interchange_values(arena, memory, &memory_count);
		interchange_add_list(item, "memory_usage_byte", bytes, memory_count);
	}
	cJSON *object = param_count > 0 ? cJSON_AddObjectToObject(item, "parameters") : NULL;
	for (size_t i = 0; i < param_count; i++)
		cJSON_AddStringToObject(object, params[i].name, params[i].value);
}

static void write_hyperfine(const struct bench_run *run, struct bench_interchange_notes *notes,
			    struct bench_text *out)
{
	static const char what[] = "hyperfine's JSON";
	struct bench_arena arena = {0};
	cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "results");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *time = interchange_time_of(&run->results[i], what, notes);
		if (time)
			write_result(&arena, list, &run->results[i], time);
	}
	interchange_say(notes, "%s has no date, host or commit", what);
	interchange_say_medians(run, what, notes);
	interchange_print(root, true, out);
	bench_arena_free(&arena);
}

const struct bench_interchange_format bench_interchange_hyperfine = {
	.name = "hyperfine",
	.is = is_hyperfine,
	.read = read_hyperfine,
	.write = write_hyperfine,
};
