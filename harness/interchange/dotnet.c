/* SPDX-License-Identifier: MIT */
/* BenchmarkDotNet: the full JSON. A launch is a process, and so an invocation. */
#include <string.h>

#include "interchange/internal.h"

static const struct interchange_quantity operation_time = INTERCHANGE_COST("time", "ns");

static bool is_dotnet(const struct interchange_reader *in)
{
	return cJSON_IsArray(bench_json_member(in->root, "Benchmarks")) &&
	       cJSON_HasObjectItem(in->root, "HostEnvironmentInfo");
}

/* "Type.Method: Job-ABCDEF(Runtime=.NET 8.0) [N=10]": what is in the parentheses tells jobs apart; the name
 * before them may be another one in each run. */
static const char *job_of(const struct interchange_reader *in, const cJSON *item)
{
	const char *colon = strstr(interchange_text(item, "DisplayInfo"), ": ");
	const char *open = colon ? strchr(colon, '(') : NULL, *close = open ? strchr(open, ')') : NULL;
	return close ? bench_arena_format(in->arena, "%.*s", (int)(close - open - 1), open + 1) : "";
}

/* "N=10&Text=a%20b" */
static void add_params(const struct interchange_reader *in, const char *params, struct interchange_case *to)
{
	char *rest = bench_arena_string(in->arena, params), *part;
	while ((part = strsep(&rest, "&"))) {
		char *equals = strchr(part, '=');
		if (equals)
			*equals++ = '\0';
		interchange_param(in, to, equals ? part : "param", equals ? equals : part);
	}
}

/* What was measured, less the overhead where that was subtracted ("Result"). 0: there are no such
 * measurements. */
static int read_stage(struct interchange_reader *in, const cJSON *item, const char *mode, const char *stage,
		      struct interchange_case *to, int *count)
{
	const cJSON *measured;
	cJSON_ArrayForEach(measured, bench_json_member(item, "Measurements"))
	{
		const double operations = bench_json_number_or(measured, "Operations", 0);
		const double nanoseconds = bench_json_number_or(measured, "Nanoseconds", -1);
		const double launch = bench_json_number_or(measured, "LaunchIndex", 1);
		if (strcmp(interchange_text(measured, "IterationMode"), mode) != 0 ||
		    strcmp(interchange_text(measured, "IterationStage"), stage) != 0)
			continue;
		if (!(operations >= 1) || !(launch >= 1 && launch < 1e4))
			return interchange_fail(in, "'%.100s': a measurement without operations or launch",
						to->id);
		to->iterations = interchange_iterations(operations);
		if (interchange_sample(in, to, &operation_time, (int)launch - 1, nanoseconds / operations) !=
		    0)
			return -1;
		++*count;
	}
	return 0;
}

static int read_times(struct interchange_reader *in, const cJSON *item, const char *what,
		      struct interchange_case *to)
{
	/* The names of stages, of old versions, too. */
	static const char *const stages[][2] = {{"Workload", "Result"},
						{"Result", "Result"},
						{"Workload", "Actual"},
						{"MainTarget", "Result"}};
	const cJSON *statistics = bench_json_member(item, "Statistics");
	const cJSON *values = bench_json_member(statistics, "OriginalValues");
	int count = 0;
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]) && count == 0; i++)
		if (read_stage(in, item, stages[i][0], stages[i][1], to, &count) != 0)
			return -1;
	if (count > 0)
		return 0;
	if (!cJSON_IsObject(statistics)) {
		interchange_end(to, BENCH_STATUS_FAILED, "BenchmarkDotNet has no statistics of it");
		return 0;
	}
	if (cJSON_GetArraySize(values) > 0)
		return interchange_samples(in, to, &operation_time, 0, values);
	const char *centre = cJSON_HasObjectItem(statistics, "Median") ? "Median" : "Mean";
	return interchange_single(in, to, &operation_time, statistics, centre, what,
				  "no measurements: medians stand as one sample each");
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item, const char *what)
{
	static const struct interchange_quantity memory = INTERCHANGE_COST("allocated_bytes", "B");
	const cJSON *bytes =
		bench_json_member(bench_json_member(item, "Memory"), "BytesAllocatedPerOperation");
	const char *method = interchange_text(item, "Method");
	if (!*method && bench_json_string(item, "FullName", what, &method, in->error) != 0)
		return -1;
	const char *space = interchange_text(item, "Namespace"), *type = interchange_text(item, "Type");
	const char *name = bench_arena_format(in->arena, "%s%s%s%s%s", space, *space ? "." : "", type,
					      *type ? "." : "", method);
	struct interchange_case fresh = interchange_case(in, name, name);
	add_params(in, interchange_text(item, "Parameters"), &fresh);
	interchange_param(in, &fresh, "job", job_of(in, item));
	struct interchange_case *to = interchange_enter(in, fresh, false);
	if (!to || read_times(in, item, what, to) != 0)
		return -1;
	return cJSON_IsNumber(bytes) ? interchange_sample(in, to, &memory, 0, bytes->valuedouble) : 0;
}

static int read_dotnet(struct interchange_reader *in)
{
	const cJSON *host = bench_json_member(in->root, "HostEnvironmentInfo");
	interchange_fact(in, "cpu", interchange_text(host, "ProcessorName"));
	interchange_fact(in, "os", interchange_text(host, "OsVersion"));
	interchange_fact(in, "lib.dotnet", interchange_text(host, "RuntimeVersion"));
	interchange_processors(in, bench_json_number_or(host, "LogicalCoreCount", 0));
	return interchange_each(in, bench_json_member(in->root, "Benchmarks"), "Benchmarks", read_benchmark);
}

INTERCHANGE_FORMAT(dotnet, is_dotnet, read_dotnet, NULL);
