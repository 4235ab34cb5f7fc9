/* pytest-benchmark: --benchmark-json. Its rounds are samples of one process. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "interchange/internal.h"
#include "stats/stats.h"

static const struct interchange_quantity round_time = {"time", "s", BENCH_BETTER_LOWER, false};

static bool is_pytest(const struct interchange_reader *in)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in->root, "benchmarks");
	return cJSON_IsArray(list) && cJSON_HasObjectItem(in->root, "machine_info");
}

static const char *text_of(const cJSON *item, const char *member)
{
	return bench_json_string_or(item, member, "");
}

/* A parameter's value as a text; what is neither text nor number has none. */
static const char *value_text(const struct interchange_reader *in, const cJSON *value)
{
	if (cJSON_IsString(value))
		return value->valuestring;
	if (cJSON_IsNumber(value))
		return bench_arena_format(in->arena, "%.15g", value->valuedouble);
	return cJSON_IsBool(value) ? (cJSON_IsTrue(value) ? "True" : "False") : "";
}

/* "tests/test_a.py::TestB::test_c[10-x]": the file, TestB::test_c, and parameters by their names, or 10-x. */
static struct interchange_case new_case(const struct interchange_reader *in, const cJSON *item,
					const char *fullname)
{
	const char *test = strstr(fullname, "::");
	const char *name = test ? test + 2 : fullname;
	const char *bracket = strchr(name, '[');
	const cJSON *params = cJSON_GetObjectItemCaseSensitive(item, "params"), *param;
	const int length = bracket && bracket > name ? (int)(bracket - name) : (int)strlen(name);
	struct interchange_case fresh =
		interchange_case(in, fullname, bench_arena_format(in->arena, "%.*s", length, name));
	if (test)
		interchange_param(in, &fresh, "file",
				  bench_arena_format(in->arena, "%.*s", (int)(test - fullname), fullname));
	const size_t before = fresh.param_count;
	cJSON_ArrayForEach(param, params) interchange_param(in, &fresh, param->string, value_text(in, param));
	/* Values that are no texts have an id in the brackets alone. */
	if (bracket && fresh.param_count != before + (size_t)cJSON_GetArraySize(params))
		fresh.param_count = before;
	if (bracket && fresh.param_count == before)
		interchange_param(
			in, &fresh, "param",
			bench_arena_format(in->arena, "%.*s", (int)strcspn(bracket + 1, "]"), bracket + 1));
	return fresh;
}

static int read_stats(struct interchange_reader *in, const cJSON *item, const char *what,
		      struct interchange_case *to)
{
	const cJSON *stats, *data, *value;
	double median;
	if (bench_json_object(item, "stats", what, &stats, in->error) != 0)
		return -1;
	const double iterations = bench_json_number_or(stats, "iterations", 1);
	to->iterations = iterations >= 1 && iterations < 1e15 ? (uint64_t)iterations : 1;
	data = cJSON_GetObjectItemCaseSensitive(stats, "data");
	if (!cJSON_IsArray(data) || !data->child) {
		interchange_say(
			in->draft->notes,
			"%s has no rounds (--benchmark-save-data writes them): the median stands as one "
			"sample",
			in->file->path);
		return bench_json_number(stats, "median", what, &median, in->error) != 0
			       ? -1
			       : interchange_sample(in, to, &round_time, 0, median);
	}
	cJSON_ArrayForEach(value, data)
	{
		if (!cJSON_IsNumber(value))
			return interchange_fail(in, "'data' of '%.100s' holds what is no number", to->id);
		if (interchange_sample(in, to, &round_time, 0, value->valuedouble) != 0)
			return -1;
	}
	return 0;
}

/* What the test has added: numbers are metrics, texts are notes. */
static int read_extra(struct interchange_reader *in, const cJSON *item, struct interchange_case *to)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(item, "extra_info"))
	{
		const struct interchange_quantity extra = {member->string, "", BENCH_BETTER_NONE, true};
		if (cJSON_IsNumber(member) && interchange_sample(in, to, &extra, 0, member->valuedouble) != 0)
			return -1;
		if (cJSON_IsString(member) && to->note_count < 100)
			interchange_note(in, to, bench_arena_format(in->arena, "extra.%.50s", member->string),
					 member->valuestring);
	}
	return 0;
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const char *name;
	if (bench_json_string(item, "name", what, &name, in->error) != 0)
		return -1;
	const struct interchange_case fresh =
		new_case(in, item, bench_json_string_or(item, "fullname", name));
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	if (!to)
		return -1;
	if (*text_of(item, "group"))
		interchange_note(in, to, "group", text_of(item, "group"));
	return read_stats(in, item, what, to) != 0 ? -1 : read_extra(in, item, to);
}

static int read_facts(struct interchange_reader *in)
{
	const cJSON *machine = cJSON_GetObjectItemCaseSensitive(in->root, "machine_info");
	const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");
	const cJSON *commit = cJSON_GetObjectItemCaseSensitive(in->root, "commit_info");
	const double processors = bench_json_number_or(cpu, "count", 0);
	int64_t started;
	interchange_fact(in, "name", text_of(machine, "node"));
	interchange_fact(in, "cpu", text_of(cpu, "brand_raw"));
	interchange_fact(in, "cpu", text_of(cpu, "brand")); /* before version 4 */
	interchange_fact(in, "os", text_of(machine, "system"));
	interchange_fact(in, "kernel", text_of(machine, "release"));
	interchange_fact(in, "lib.python", text_of(machine, "python_version"));
	if (processors > 0)
		interchange_fact(in, "processors", bench_arena_format(in->arena, "%.15g", processors));
	if (interchange_time(text_of(in->root, "datetime"), &started))
		interchange_started(in, started);
	return interchange_commit(in, text_of(commit, "id"), text_of(commit, "branch"),
				  bench_json_bool_or(commit, "dirty", false));
}

static int read_pytest(struct interchange_reader *in)
{
	const cJSON *list, *item;
	size_t index = 0;
	if (bench_json_array(in->root, "benchmarks", in->file->path, &list, in->error) != 0 ||
	    read_facts(in) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		char what[400];
		snprintf(what, sizeof(what), "%.300s: benchmarks[%zu]", in->file->path, index++);
		if (read_benchmark(in, item, what) != 0)
			return -1;
	}
	return 0;
}

static void write_facts(const struct bench_run *run, cJSON *root)
{
	cJSON *machine = cJSON_AddObjectToObject(root, "machine_info");
	double processors = 0;
	char date[32];
	bench_text_real(interchange_host(run, "processors"), &processors);
	interchange_utc(run->started, date);
	cJSON_AddStringToObject(machine, "node", interchange_host(run, "name"));
	cJSON_AddStringToObject(machine, "system", interchange_host(run, "os"));
	cJSON_AddStringToObject(machine, "release", interchange_host(run, "kernel"));
	cJSON_AddStringToObject(machine, "python_version", interchange_host(run, "lib.python"));
	cJSON *cpu = cJSON_AddObjectToObject(machine, "cpu");
	cJSON_AddStringToObject(cpu, "brand_raw", interchange_host(run, "cpu"));
	interchange_add_number(cpu, "count", processors);
	cJSON *commit = cJSON_AddObjectToObject(root, "commit_info");
	if (run->git.present) {
		cJSON_AddStringToObject(commit, "id", run->git.commit);
		cJSON_AddStringToObject(commit, "branch", run->git.branch);
		cJSON_AddBoolToObject(commit, "dirty", run->git.dirty);
	}
	cJSON_AddStringToObject(root, "datetime", date);
	cJSON_AddStringToObject(root, "version", "4.0.0");
}

/* The figures that its own compare shows. */
static void write_stats(cJSON *item, const struct bench_result *result, const double *values, size_t count)
{
	cJSON *stats = cJSON_AddObjectToObject(item, "stats");
	const double q1 = bench_stats_quantile(values, count, 0.25),
		     q3 = bench_stats_quantile(values, count, 0.75);
	const double iqr = q3 - q1, mean = bench_stats_mean(values, count);
	const double spread = bench_stats_stddev(values, count), deviation = isnan(spread) ? 0 : spread;
	size_t far = 0, out = 0;
	double total = 0, low = q3, high = q1;
	for (size_t i = 0; i < count; i++) {
		total += values[i];
		far += fabs(values[i] - mean) > deviation;
		out += values[i] < q1 - 1.5 * iqr || values[i] > q3 + 1.5 * iqr;
		if (values[i] >= q1 - 1.5 * iqr && values[i] < low)
			low = values[i];
		if (values[i] <= q3 + 1.5 * iqr && values[i] > high)
			high = values[i];
	}
	interchange_add_number(stats, "min", bench_stats_quantile(values, count, 0));
	interchange_add_number(stats, "max", bench_stats_quantile(values, count, 1));
	interchange_add_number(stats, "mean", mean);
	interchange_add_number(stats, "stddev", deviation);
	interchange_add_number(stats, "rounds", (double)count);
	interchange_add_number(stats, "median", bench_stats_median(values, count));
	interchange_add_number(stats, "iqr", iqr);
	interchange_add_number(stats, "q1", q1);
	interchange_add_number(stats, "q3", q3);
	interchange_add_number(stats, "iqr_outliers", (double)out);
	interchange_add_number(stats, "stddev_outliers", (double)far);
	char outliers[64];
	snprintf(outliers, sizeof(outliers), "%zu;%zu", far, out);
	cJSON_AddStringToObject(stats, "outliers", outliers);
	interchange_add_number(stats, "ld15iqr", low);
	interchange_add_number(stats, "hd15iqr", high);
	interchange_add_number(stats, "ops", mean > 0 ? 1 / mean : NAN);
	interchange_add_number(stats, "total", total);
	interchange_add_list(stats, "data", values, count);
	interchange_add_number(stats, "iterations", result->iterations ? (double)result->iterations : 1);
}

static void write_extra(cJSON *item, const struct bench_result *result)
{
	static const char prefix[] = "extra.";
	cJSON *extra = cJSON_AddObjectToObject(item, "extra_info");
	for (size_t i = 0; i < result->note_count; i++)
		if (strncmp(result->notes[i].name, prefix, sizeof(prefix) - 1) == 0)
			cJSON_AddStringToObject(extra, result->notes[i].name + sizeof(prefix) - 1,
						result->notes[i].value);
	for (size_t m = 0; m < result->metric_count; m++)
		if (interchange_is_measured(&result->metrics[m]) &&
		    strcmp(result->metrics[m].name, "time") != 0)
			interchange_add_number(extra, interchange_metric_name(result, &result->metrics[m]),
					       result->metrics[m].summary.median);
}

static void write_benchmark(struct bench_arena *arena, cJSON *list, const struct bench_result *result,
			    const struct bench_metric *time)
{
	size_t count, param_count, written = 0;
	const double *values = interchange_values(arena, time, &count);
	const struct bench_attribute *params = interchange_params(arena, result, &param_count);
	const char *fullname = interchange_title(arena, result, '='),
		   *group = interchange_note_of(result, "group");
	const char *test = strstr(fullname, "::");
	cJSON *item = cJSON_CreateObject(), *named = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	cJSON_AddItemToObject(item, "group", *group ? cJSON_CreateString(group) : cJSON_CreateNull());
	cJSON_AddStringToObject(item, "name", test ? test + 2 : fullname);
	cJSON_AddStringToObject(item, "fullname", fullname);
	for (size_t i = 0; i < param_count; i++)
		if (strcmp(params[i].name, "file") != 0 && strcmp(params[i].name, "param") != 0) {
			cJSON_AddStringToObject(named, params[i].name, params[i].value);
			written++;
		}
	if (written == 0)
		cJSON_Delete(named);
	cJSON_AddItemToObject(item, "params", written ? named : cJSON_CreateNull());
	const char *bracket = strchr(fullname, '[');
	const int length = bracket ? (int)strcspn(bracket + 1, "]") : 0;
	cJSON_AddItemToObject(
		item, "param",
		length ? cJSON_CreateString(bench_arena_format(arena, "%.*s", length, bracket + 1))
		       : cJSON_CreateNull());
	write_extra(item, result);
	cJSON_AddObjectToObject(item, "options");
	write_stats(item, result, values, count);
}

static void write_pytest(const struct bench_run *run, struct bench_interchange_notes *notes,
			 struct bench_text *out)
{
	static const char what[] = "pytest-benchmark's JSON";
	struct bench_arena arena = {0};
	cJSON *root = cJSON_CreateObject();
	write_facts(run, root);
	cJSON *list = cJSON_AddArrayToObject(root, "benchmarks");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *time = interchange_time_of(&run->results[i], what, notes);
		if (time)
			write_benchmark(&arena, list, &run->results[i], time);
	}
	interchange_say_medians(run, what, notes);
	interchange_print(root, true, out);
	bench_arena_free(&arena);
}

const struct bench_interchange_format bench_interchange_pytest = {
	.name = "pytest",
	.is = is_pytest,
	.read = read_pytest,
	.write = write_pytest,
};
