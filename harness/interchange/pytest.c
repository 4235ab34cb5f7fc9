/* SPDX-License-Identifier: MIT */
/* pytest-benchmark: --benchmark-json. Its rounds are samples of one process. */
#include <string.h>

#include "interchange/internal.h"

static const struct interchange_quantity round_time = INTERCHANGE_COST("time", "s");

static bool is_pytest(const struct interchange_reader *in)
{
	const cJSON *list = bench_json_member(in->root, "benchmarks");
	return cJSON_IsArray(list) && cJSON_HasObjectItem(in->root, "machine_info");
}

/* "tests/test_a.py::TestB::test_c[10-x]": the file, TestB::test_c, and parameters by their names, or 10-x. */
static struct interchange_case new_case(const struct interchange_reader *in, const cJSON *item,
					const char *fullname)
{
	const char *test = strstr(fullname, "::");
	const char *name = test ? test + 2 : fullname;
	const char *bracket = strchr(name, '['), *close = strrchr(name, ']');
	const cJSON *params = bench_json_member(item, "params");
	const int length = bracket && bracket > name ? (int)(bracket - name) : (int)strlen(name);
	struct interchange_case fresh =
		interchange_case(in, fullname, bench_arena_format(in->arena, "%.*s", length, name));
	if (test)
		interchange_param(in, &fresh, "file",
				  bench_arena_format(in->arena, "%.*s", (int)(test - fullname), fullname));
	const size_t before = fresh.param_count;
	interchange_params(in, &fresh, params);
	/* Values that are no texts have an id in the brackets alone. */
	if (bracket && fresh.param_count != before + (size_t)cJSON_GetArraySize(params))
		fresh.param_count = before;
	if (bracket && fresh.param_count == before)
		interchange_param(in, &fresh, "param",
				  bench_arena_format(in->arena, "%.*s",
						     close > bracket ? (int)(close - bracket - 1)
								     : (int)strlen(bracket + 1),
						     bracket + 1));
	return fresh;
}

static int read_stats(struct interchange_reader *in, const cJSON *item, const char *what,
		      struct interchange_case *to)
{
	const cJSON *stats, *data;
	if (bench_json_object(item, "stats", what, &stats, in->error) != 0)
		return -1;
	to->iterations = interchange_iterations(bench_json_number_or(stats, "iterations", 1));
	data = bench_json_member(stats, "data");
	if (!cJSON_IsArray(data) || !data->child)
		return interchange_single(in, to, &round_time, stats, "median", what,
					  "no rounds (--benchmark-save-data writes them): the median stands "
					  "as one sample");
	return interchange_samples(in, to, &round_time, 0, data);
}

static int read_benchmark(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const char *name;
	if (bench_json_string(item, "name", what, &name, in->error) != 0)
		return -1;
	name = bench_json_string_or(item, "fullname", name);
	struct interchange_case *to = interchange_enter(in, new_case(in, item, name), false);
	if (!to)
		return -1;
	static const char *const none[] = {NULL};
	if (read_stats(in, item, what, to) != 0)
		return -1;
	/* The numbers that the test has added. */
	return interchange_figures(in, to, bench_json_member(item, "extra_info"), none);
}

static int read_facts(struct interchange_reader *in)
{
	const cJSON *machine = bench_json_member(in->root, "machine_info");
	const cJSON *cpu = bench_json_member(machine, "cpu");
	const cJSON *commit = bench_json_member(in->root, "commit_info");
	interchange_fact(in, "name", interchange_text(machine, "node"));
	interchange_fact(in, "cpu", interchange_text(cpu, "brand_raw"));
	interchange_fact(in, "cpu", interchange_text(cpu, "brand")); /* before version 4 */
	interchange_fact(in, "os", interchange_text(machine, "system"));
	interchange_fact(in, "kernel", interchange_text(machine, "release"));
	interchange_fact(in, "lib.python", interchange_text(machine, "python_version"));
	interchange_processors(in, bench_json_number_or(cpu, "count", 0));
	interchange_dated(in, interchange_text(in->root, "datetime"));
	return interchange_commit(in, interchange_text(commit, "id"), interchange_text(commit, "branch"),
				  bench_json_bool_or(commit, "dirty", false));
}

static int read_pytest(struct interchange_reader *in)
{
	return read_facts(in) != 0 ? -1
				   : interchange_each(in, bench_json_member(in->root, "benchmarks"),
						      "benchmarks", read_benchmark);
}

INTERCHANGE_FORMAT(pytest, is_pytest, read_pytest, NULL);
