/* SPDX-License-Identifier: MIT */
/* Google Benchmark: --benchmark_format=json. */
#include <math.h>
#include <string.h>

#include "interchange/internal.h"

static bool is_gbench(const struct interchange_reader *in)
{
	const cJSON *list = bench_json_member(in->root, "benchmarks");
	const cJSON *context = bench_json_member(in->root, "context");
	return cJSON_IsArray(list) && cJSON_IsObject(context);
}

/* Its own members; the other numbers are the user's counters. */
/* clang-format off */
static const char *const own[] = {
	"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
	"iterations", "real_time", "cpu_time", "bytes_per_second", "items_per_second", NULL};
/* clang-format on */

/* Rates are over the processor's time, unless the name says that real time was used. */
static bool uses_real_time(const char *name)
{
	return strstr(name, "/real_time") || strstr(name, "/manual_time");
}

static int read_work(struct interchange_reader *in, const cJSON *item, const char *name, const char *unit,
		     struct interchange_case *to)
{
	const char *time = uses_real_time(name) ? "real_time" : "cpu_time";
	const double bytes = bench_json_number_or(item, "bytes_per_second", 0);
	const double items = bench_json_number_or(item, "items_per_second", 0);
	struct bench_unit parsed;
	if (!bench_unit_parse(unit, &parsed) || strcmp(parsed.si, "s") != 0)
		return interchange_fail(in, "'%.100s': the time unit '%.20s' is not known", name, unit);
	const double seconds = bench_json_number_or(item, time, 0) * parsed.times / parsed.over;
	to->work.bytes = isfinite(bytes) && bytes > 0 ? round(bytes * seconds) : 0;
	to->work.items = isfinite(items) && items > 0 ? round(items * seconds * 1e6) / 1e6 : 0;
	return 0;
}

/* A repetition, or the median of those that are not there. */
static int read_values(struct interchange_reader *in, const cJSON *item, const char *what,
		       struct interchange_case *to)
{
	const char *unit = bench_json_string_or(item, "time_unit", "ns");
	const struct interchange_quantity time = INTERCHANGE_COST("time", unit);
	const struct interchange_quantity cpu = INTERCHANGE_COST("cpu_time", unit);
	double real_value, cpu_value;
	if (bench_json_number(item, "real_time", what, &real_value, in->error) != 0 ||
	    bench_json_number(item, "cpu_time", what, &cpu_value, in->error) != 0)
		return -1;
	if (read_work(in, item, interchange_name_of(to), unit, to) != 0 ||
	    interchange_sample(in, to, &time, 0, real_value) != 0 ||
	    interchange_sample(in, to, &cpu, 0, cpu_value) != 0)
		return -1;
	to->iterations = interchange_iterations(bench_json_number_or(item, "iterations", 1));
	if (*interchange_text(item, "label"))
		interchange_note(in, to, "label", interchange_text(item, "label"));
	return interchange_figures(in, to, item, own);
}

/* Two that are registered under one name, and not repetitions of one? */
static bool is_another(const cJSON *item, struct interchange_case *to)
{
	static const char *const members[] = {"family_index", "per_family_instance_index"};
	bool another = false;
	for (size_t i = 0; i < 2; i++) {
		const double index = bench_json_number_or(item, members[i], 0);
		another |= to->metric_count > 0 && index != to->family[i];
		to->family[i] = index;
	}
	return another;
}

/* Before run_type came, aggregates were told by the ends of their names. */
static bool is_old_aggregate(const cJSON *item, const char *name)
{
	static const char *const ends[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};
	const size_t length = strlen(name);
	bool found = false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		found |= length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0;
	return found && !cJSON_HasObjectItem(item, "run_type");
}

/* Benchmark, or the medians of those that have no repetitions, where in->more is set. */
static int read_item(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const bool medians = in->more != NULL;
	const char *aggregate = interchange_text(item, "aggregate_name"), *name, *full;
	const bool is_aggregate = strcmp(interchange_text(item, "run_type"), "aggregate") == 0;
	if (bench_json_string(item, "name", what, &full, in->error) != 0)
		return medians ? 0 : -1;
	name = bench_json_string_or(item, "run_name", full);
	if (is_aggregate != medians || (medians && strcmp(aggregate, "median") != 0) ||
	    is_old_aggregate(item, full))
		return 0;
	struct interchange_case fresh = interchange_split(in, name);
	if (medians && interchange_has(in, &fresh))
		return 0;
	struct interchange_case *to = interchange_enter(in, fresh, true);
	if (!to)
		return -1;
	if (bench_json_bool_or(item, "error_occurred", false) || bench_json_bool_or(item, "skipped", false)) {
		const bool failed = bench_json_bool_or(item, "error_occurred", false);
		const char *why = interchange_text(item, failed ? "error_message" : "skip_message");
		interchange_end(to, failed ? BENCH_STATUS_FAILED : BENCH_STATUS_SKIPPED,
				bench_arena_string(in->arena, *why ? why : "no reason is given"));
		return 0;
	}
	if (is_another(item, to))
		return interchange_fail(in, "two benchmarks are called '%.200s'", name);
	if (medians)
		interchange_say_has(in,
				    "no repetitions of some benchmarks: their median stands as one sample");
	return read_values(in, item, what, to);
}

static int read_context(struct interchange_reader *in)
{
	/* clang-format off */
	static const char *const known[] = {
		"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches",
		"load_avg", "library_build_type", "json_schema_version", NULL};
	/* clang-format on */
	const cJSON *context = bench_json_member(in->root, "context"), *member;
	interchange_dated(in, interchange_text(context, "date"));
	interchange_fact(in, "name", interchange_text(context, "host_name"));
	interchange_fact(in, "build_type", interchange_text(context, "library_build_type"));
	interchange_processors(in, bench_json_number_or(context, "num_cpus", 0));
	interchange_label(in, "executable", interchange_text(context, "executable"));
	cJSON_ArrayForEach(member, context)
	{
		if (interchange_is_among(member->string, known) || !cJSON_IsString(member))
			continue;
		/* What the user has added (--benchmark_context). */
		if (strstr(member->string, "commit") || strstr(member->string, "git_sha")) {
			if (interchange_commit(in, member->valuestring, interchange_text(context, "branch"),
					       false) != 0)
				return -1;
		} else {
			interchange_label(in, member->string, member->valuestring);
		}
	}
	return 0;
}

static int read_gbench(struct interchange_reader *in)
{
	static int medians = true;
	const cJSON *list = bench_json_member(in->root, "benchmarks");
	if (read_context(in) != 0 || interchange_each(in, list, "benchmarks", read_item) != 0)
		return -1;
	in->more = &medians;
	const int result = interchange_each(in, list, "benchmarks", read_item);
	in->more = NULL;
	return result;
}

static void write_context(const struct bench_run *run, cJSON *root)
{
	static const char *const from[] = {"commit", "branch"};
	const char *const said[] = {run->git.commit, run->git.branch};
	cJSON *context = cJSON_AddObjectToObject(root, "context");
	const char *build = bench_record_fact(run, "build_type"),
		   *processors = bench_record_fact(run, "processors");
	char date[32];
	double count = 0;
	interchange_utc(run->started, date);
	bench_text_real(processors, &count);
	cJSON_AddStringToObject(context, "date", date);
	cJSON_AddStringToObject(context, "host_name", bench_record_fact(run, "name"));
	cJSON_AddStringToObject(context, "executable", bench_record_label(run, "executable"));
	interchange_add_number(context, "num_cpus", count);
	interchange_add_number(context, "mhz_per_cpu", 0);
	cJSON_AddBoolToObject(context, "cpu_scaling_enabled", false);
	cJSON_AddArrayToObject(context, "caches");
	cJSON_AddArrayToObject(context, "load_avg");
	cJSON_AddStringToObject(context, "library_build_type", *build ? build : "release");
	for (size_t i = 0; i < 2; i++)
		if (*said[i])
			cJSON_AddStringToObject(context, from[i], said[i]);
}

/* The counter's value beside the one of that index. */
static void write_counters(struct bench_arena *arena, cJSON *item, const struct bench_result *result,
			   size_t index)
{
	for (size_t m = 0; m < result->metric_count; m++) {
		const struct bench_metric *metric = &result->metrics[m];
		size_t count;
		if (!interchange_is_measured(metric) || strcmp(metric->name, "time") == 0 ||
		    strcmp(metric->name, "cpu_time") == 0)
			continue;
		const double *values = interchange_values(arena, metric, &count);
		if (index < count)
			interchange_add_number(item, interchange_metric_name(result, metric), values[index]);
	}
}

/* What each item has. */
static cJSON *begin_item(struct bench_arena *arena, cJSON *list, const struct bench_result *result,
			 double iterations, double real, double cpu)
{
	const char *name = interchange_title(arena, result, ':');
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddStringToObject(item, "run_name", name);
	cJSON_AddStringToObject(item, "run_type", "iteration");
	interchange_add_number(item, "iterations", iterations);
	interchange_add_number(item, "real_time", real * 1e9);
	interchange_add_number(item, "cpu_time", cpu * 1e9);
	cJSON_AddStringToObject(item, "time_unit", "ns");
	return item;
}

static void write_repetition(struct bench_arena *arena, cJSON *list, const struct bench_result *result,
			     size_t family, size_t index, const double *times, size_t count)
{
	const struct bench_metric *cpu = bench_record_metric(result, "cpu_time");
	size_t cpu_count = 0;
	const double *cpu_times =
		cpu && interchange_is_measured(cpu) ? interchange_values(arena, cpu, &cpu_count) : NULL;
	const double busy = index < cpu_count ? cpu_times[index] : times[index];
	const double rated = uses_real_time(interchange_title(arena, result, ':')) ? times[index] : busy;
	cJSON *item = begin_item(arena, list, result, result->iterations ? (double)result->iterations : 1,
				 times[index], busy);
	interchange_add_number(item, "family_index", (double)family);
	interchange_add_number(item, "per_family_instance_index", 0);
	interchange_add_number(item, "repetitions", (double)count);
	interchange_add_number(item, "repetition_index", (double)index);
	interchange_add_number(item, "threads", 1);
	if (result->work.bytes > 0)
		interchange_add_number(item, "bytes_per_second", result->work.bytes / rated);
	if (result->work.items > 0)
		interchange_add_number(item, "items_per_second", result->work.items / rated);
	if (*bench_record_note(result, "label"))
		cJSON_AddStringToObject(item, "label", bench_record_note(result, "label"));
	write_counters(arena, item, result, index);
}

static void write_failed(struct bench_arena *arena, cJSON *list, const struct bench_result *result)
{
	const bool skipped = result->status == BENCH_STATUS_SKIPPED;
	cJSON *item = begin_item(arena, list, result, 0, 0, 0);
	cJSON_AddBoolToObject(item, skipped ? "skipped" : "error_occurred", true);
	cJSON_AddStringToObject(item, skipped ? "skip_message" : "error_message", result->reason);
}

static void write_gbench(const struct bench_run *run, struct bench_interchange_notes *notes,
			 struct bench_text *out)
{
	static const char what[] = "Google Benchmark's JSON";
	BENCH_SCOPED_ARENA arena = {0};
	cJSON *root = cJSON_CreateObject();
	write_context(run, root);
	cJSON *list = cJSON_AddArrayToObject(root, "benchmarks");
	size_t families = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status != BENCH_STATUS_OK) {
			write_failed(&arena, list, result);
			continue;
		}
		const struct bench_metric *time = bench_record_metric(result, "time");
		size_t count = 0;
		const double *times = time && interchange_is_measured(time)
					      ? interchange_values(&arena, time, &count)
					      : NULL;
		if (count == 0)
			interchange_say(
				notes, "%s has only cases with a time: those without one are left out", what);
		for (size_t index = 0; index < count; index++)
			write_repetition(&arena, list, result, families, index, times, count);
		families += count > 0;
	}
	interchange_say_medians(run, what, notes);
	interchange_print(root, out);
}

INTERCHANGE_FORMAT(gbench, is_gbench, read_gbench, write_gbench);
