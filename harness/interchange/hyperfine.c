/* SPDX-License-Identifier: MIT */
/* hyperfine: --export-json. Each run of a command is a fresh process: an invocation. */
#include "interchange/internal.h"

static const struct interchange_quantity wall = INTERCHANGE_COST("time", "s");

static bool is_hyperfine(const struct interchange_reader *in)
{
	const cJSON *list = bench_json_member(in->root, "results");
	return cJSON_IsArray(list) && cJSON_HasObjectItem(cJSON_GetArrayItem(list, 0), "command");
}

static int read_times(struct interchange_reader *in, const cJSON *item, const char *what,
		      struct interchange_case *to)
{
	const cJSON *times = bench_json_member(item, "times"), *time;
	int invocation = 0;
	if (!times)
		return interchange_single(in, to, &wall, item, "median", what,
					  "no times of single runs: the median stands as one sample");
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
	static const struct interchange_quantity memory = INTERCHANGE_COST("peak_memory", "B");
	const cJSON *value;
	int invocation = 0;
	cJSON_ArrayForEach(value, bench_json_member(item, "memory_usage_byte"))
	{
		if (cJSON_IsNumber(value) &&
		    interchange_sample(in, to, &memory, invocation, value->valuedouble) != 0)
			return -1;
		invocation++;
	}
	return 0;
}

/* Of all runs. */
static int read_mean(struct interchange_reader *in, const cJSON *item, const char *member, const char *name,
		     struct interchange_case *to)
{
	const struct interchange_quantity quantity = {name, "s", BENCH_BETTER_NONE, INTERCHANGE_SAID};
	const cJSON *mean = bench_json_member(item, member);
	return cJSON_IsNumber(mean) ? interchange_sample(in, to, &quantity, 0, mean->valuedouble) : 0;
}

/* How many of its runs ended with another status than 0, or by a signal, which is null. */
static void read_statuses(struct interchange_reader *in, const cJSON *item, struct interchange_case *to)
{
	const cJSON *list = bench_json_member(item, "exit_codes"), *status, *first = NULL;
	int other = 0;
	cJSON_ArrayForEach(status, list)
	{
		const bool bad = !cJSON_IsNumber(status) || status->valuedouble != 0;
		first = bad && !first ? status : first;
		other += bad;
	}
	if (!first)
		return;
	const char *how = cJSON_IsNumber(first)
				  ? bench_arena_format(in->arena, "with status %.15g", first->valuedouble)
				  : "by a signal";
	interchange_end(to, BENCH_STATUS_FAILED,
			bench_arena_format(in->arena, "%d of %d runs failed, the first %s", other,
					   cJSON_GetArraySize(list), how));
}

static int read_result(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const char *command;
	if (bench_json_string(item, "command", what, &command, in->error) != 0)
		return -1;
	struct interchange_case fresh = interchange_case(in, command, command);
	interchange_params(in, &fresh, bench_json_member(item, "parameters"));
	struct interchange_case *to = interchange_enter(in, fresh, false);
	if (!to || read_times(in, item, what, to) != 0 || read_memory(in, item, to) != 0)
		return -1;
	if (read_mean(in, item, "user", "user_time", to) != 0 ||
	    read_mean(in, item, "system", "system_time", to) != 0)
		return -1;
	read_statuses(in, item, to);
	return 0;
}

static int read_hyperfine(struct interchange_reader *in)
{
	return interchange_each(in, bench_json_member(in->root, "results"), "results", read_result);
}

INTERCHANGE_FORMAT(hyperfine, is_hyperfine, read_hyperfine, NULL);
