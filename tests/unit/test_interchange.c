/* SPDX-License-Identifier: MIT */
/* Files of other benchmark tools: what becomes of them, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "interchange/interchange.h"

#define FOLDER BENCH_SOURCE_DIR "/tests/data/interchange/"

static struct bench_error error;
static struct bench_interchange_notes notes;

static int end_of_test(void **state)
{
	(void)state;
	bench_arena_free(&notes.arena);
	notes = (struct bench_interchange_notes){0};
	return 0;
}

static struct bench_interchange_options options = {.started = 1700000000, .command = "bench import x"};

static const struct bench_interchange_format *format_of(const char *name, bool written)
{
	const struct bench_interchange_format *format;
	if (!name)
		return NULL;
	if (bench_interchange_find(name, written, &format, &error) != 0)
		fail_msg("%s", error.text);
	return format;
}

static size_t lost; /* results of what was read last */

/* The one run of the files. */
static int read_files(const char *from, const struct bench_interchange_file *files, size_t count,
		      struct bench_run **run)
{
	struct bench_interchange_runs runs = {0};
	const int result =
		bench_interchange_read(format_of(from, false), files, count, &options, &notes, &runs, &error);
	lost = runs.lost;
	*run = result == 0 ? runs.list[0] : NULL;
	runs.count = 0;
	bench_interchange_free(&runs);
	return result;
}

static int read_text(const char *from, const char *path, const char *text, struct bench_run **run)
{
	const struct bench_interchange_file file = {path, text, strlen(text)};
	return read_files(from, &file, 1, run);
}

static struct bench_run *read_or_fail(const char *from, const char *path, const char *text)
{
	struct bench_run *run;
	if (read_text(from, path, text, &run) != 0)
		fail_msg("%s", error.text);
	return run;
}

static char *load(const char *name, char path[512])
{
	char *data;
	size_t length;
	snprintf(path, 512, FOLDER "%s", name);
	if (bench_file_read(path, 1 << 20, &data, &length, &error) != 0)
		fail_msg("%s", error.text);
	return data;
}

static const struct bench_metric *metric_of(const struct bench_run *run, const char *key, const char *metric)
{
	for (size_t i = 0; i < run->result_count; i++)
		if (strcmp(run->results[i].key, key) == 0)
			return bench_record_metric(&run->results[i], metric);
	fail_msg("there is no case '%s'; the first is '%s'", key, run->results[0].key);
	return NULL;
}

static bool said(const char *part)
{
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.lines[i], part))
			return true;
	return false;
}

/* Each file by its content alone: how many cases, and the median of a metric. */
static const struct {
	const char *name, *from;
	size_t cases;
	const char *key, *metric;
	double median;
	size_t invocations, samples;
	const char *host, *commit;
} files[] = {
	{"gbench.json", NULL, 4, "gbench/imported:host/name=BM_copy,size=4096", "time", 39.67e-9, 1, 3, "vm",
	 "3f2a91c0aa11"},
	{"gbench_aggregates.json", NULL, 4, "gbench/imported:host/name=BM_copy,size=4096", "time", 114.4e-9,
	 1, 1, "vm", ""},
	{"hyperfine.json", NULL, 2, "hyperfine/imported:host/name=seq+1000,n=1000", "time", 841.3e-6, 12, 12,
	 "unknown", ""},
	{"pytest.json", NULL, 3, "pytest/imported:host/name=test_sort,file=test_sort.py,n=10", "time",
	 93.63e-9, 1, 6, "vm", "5496eec413ad"},
	{"criterion.jsonl", NULL, 1, "criterion/imported:host/name=norm,arg0=fast,arg1=64", "time", 4140e-9,
	 1, 3, "unknown", ""},
	{"criterion/new/sample.json", NULL, 1, "criterion/imported:host/name=sum,arg0=plain,arg1=100", "time",
	 7.522e-9, 1, 10, "unknown", ""},
	{"nvbench.json", NULL, 3, "nvbench/imported:nvidia-h100/name=copy,elements=65536", "device_time",
	 2.5e-6, 1, 4, "unknown", ""},
	{"asv/vm/8db8000a-existing-py3.11.json", NULL, 6,
	 "asv/imported:host/name=b.Sort.time_sort,n=1000,order='up'", "time", 6.219e-6, 1, 1, "vm",
	 "8db8000a8969"},
	{"bmf.json", NULL, 2, "bmf/imported:host/name=parse,size=64", "throughput", 19512195.1, 1, 1,
	 "unknown", ""},
	{"smaller.json", "smaller", 3, "smaller/imported:host/name=parse,size=64", "time", 51.25e-9, 1, 1,
	 "unknown", ""},
	{"bigger.json", "bigger", 2, "bigger/imported:host/name=hits", "value", 0.975, 1, 1, "unknown", ""},
	{"go.txt", NULL, 3, "go/imported:host/name=Sort,n=10,procs=2,pkg=example.org%2Fsorting", "time",
	 549e-9, 1, 3, "unknown", ""},
	{"wide.csv", NULL, 3, "csv/imported:host/name=sort,n=1000", "time", 1.28e-3, 1, 2, "ci", "3f2a91c0"},
	{"long.csv", NULL, 1, "csv/imported:host/name=parse,size=64", "time", 52.05e-6, 2, 3, "unknown", ""},
};

#define FILES (sizeof(files) / sizeof(files[0]))

static struct bench_run *read_file(size_t index)
{
	char path[512], *text = load(files[index].name, path);
	struct bench_run *run = read_or_fail(files[index].from, path, text);
	free(text);
	return run;
}

static void files_of_each_tool_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		struct bench_run *run = read_file(i);
		const struct bench_metric *metric = metric_of(run, files[i].key, files[i].metric);
		assert_int_equal(run->result_count, files[i].cases);
		assert_non_null(metric);
		if (fabs(metric->summary.median / files[i].median - 1) > 1e-3)
			fail_msg("%s: %g, not %g", files[i].name, metric->summary.median, files[i].median);
		assert_int_equal(metric->series_count, files[i].invocations);
		assert_int_equal(metric->summary.count, files[i].samples);
		assert_string_equal(bench_record_attribute_get(run->host, run->host_count, "name"),
				    files[i].host);
		assert_int_equal(strncmp(run->git.commit, files[i].commit, 12), 0);
		assert_true(run->started > 0 && run->finished == run->started);
		bench_record_free(run);
	}
}

static void work_units_and_directions_survive(void **state)
{
	struct bench_run *run = read_file(0);
	const struct bench_result *copy = &run->results[0];
	(void)state;
	assert_true(copy->work.bytes == 4096);
	assert_non_null(bench_record_metric(copy, "bandwidth"));
	assert_int_equal(bench_record_metric(copy, "cpu_time")->better, BENCH_BETTER_LOWER);
	assert_int_equal(bench_record_metric(copy, "touched")->better, BENCH_BETTER_NONE);
	assert_true(said("metric 'touched' has no direction"));
	assert_true(run->results[2].work.items == 1000);
	assert_int_equal(run->results[3].status, BENCH_STATUS_FAILED);
	assert_string_equal(run->results[3].reason, "no such device");
	assert_int_equal(run->selection.suite_count, 1);
	assert_string_equal(run->selection.targets[0], "imported:host");
	bench_record_free(run);
	run = read_or_fail(NULL, "x",
			   "BenchmarkA 1 5 points 3 hits/op\nUnit points better=higher\nBenchmarkB 1 7 "
			   "points 1 ns/op\n");
	assert_int_equal(bench_record_metric(&run->results[0], "points")->better, BENCH_BETTER_NONE);
	assert_int_equal(bench_record_metric(&run->results[1], "points")->better, BENCH_BETTER_HIGHER);
	assert_string_equal(bench_record_metric(&run->results[0], "hits_op")->unit, "hits/op");
	bench_record_free(run);
}

static void options_say_what_files_do_not(void **state)
{
	static const char *const better[] = {"touched=higher"};
	(void)state;
	options.better = better;
	options.better_count = 1;
	options.suite = "copying";
	options.host = "ci";
	options.commit = "0123abcd";
	options.branch = "main";
	struct bench_run *run = read_file(0);
	assert_int_equal(metric_of(run, "copying/imported:host/name=BM_copy,size=4096", "touched")->better,
			 BENCH_BETTER_HIGHER);
	assert_string_equal(bench_record_attribute_get(run->host, run->host_count, "name"), "ci");
	assert_string_equal(run->git.commit, "0123abcd");
	assert_string_equal(run->git.branch, "main");
	bench_record_free(run);
	options.commit = "HEAD";
	assert_int_equal(read_text(NULL, "x", "BenchmarkA 1 5 ns/op\n", &run), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	options = (struct bench_interchange_options){.started = 1700000000, .command = "bench import x"};
}

static void files_together_are_invocations(void **state)
{
	const struct bench_interchange_file list[] = {
		{"a", "BenchmarkA 1 5 ns/op\n", 21},
		{"b", "BenchmarkA 1 6 ns/op\nBenchmarkA 1 8 ns/op\n", 42},
		{"c", "BenchmarkA 1 7 ns/op\n", 21}};
	struct bench_run *run;
	(void)state;
	assert_int_equal(read_files(NULL, list, 3, &run), 0);
	const struct bench_metric *time = metric_of(run, "go/imported:host/name=A", "time");
	assert_int_equal(time->series_count, 3);
	assert_int_equal(time->series[1].count, 2);
	assert_int_equal(run->invocations, 3);
	assert_true(fabs(time->summary.median - 7e-9) < 1e-15);
	bench_record_free(run);
}

/* Files that have no single values: what stands in their place, and that it is said. */
static void medians_stand_where_there_are_no_samples(void **state)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"{\"results\":[{\"command\":\"a\",\"median\":0.5,\"exit_codes\":[0,0]}]}",
		 "has no times of single runs"},
		{"{\"machine_info\":{\"cpu\":{\"brand\":\"c\",\"count\":8}},\"benchmarks\":[{\"name\":\"a\","
		 "\"group\":\"g\","
		 "\"params\":{\"n\":1,\"b\":true},\"extra_info\":{\"size\":7,\"kind\":\"x\"},\"stats\":{"
		 "\"median\":0.5}}]}",
		 "has no rounds"},
		{"{\"machine_info\":{},\"benchmarks\":[{\"name\":\"a[x]\",\"params\":{\"f\":{}},\"stats\":{"
		 "\"data\":[],"
		 "\"median\":0.5}}]}",
		 "has no rounds"},
		{"{\"result_columns\":[\"result\",\"params\"],\"commit_hash\":\"\",\"results\":{\"b.time_a\":"
		 "[[0.5],[]]}}",
		 "has no samples of some benchmarks"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run = read_or_fail(NULL, "x", rows[i].text);
		const struct bench_metric *time = bench_record_metric(&run->results[0], "time");
		if (!said(rows[i].said))
			fail_msg("'%s' was not said of %s", rows[i].said, rows[i].text);
		assert_true(time && time->summary.median == 0.5 && time->summary.count == 1);
		bench_record_free(run);
	}
}

static void names_become_legal_and_stay_apart(void **state)
{
	(void)state;
	struct bench_run *run = read_or_fail(
		NULL, "x",
		"{\"results\":[{\"command\":\"a b\",\"times\":[1]},{\"command\":\"a+b\",\"times\":[1]},"
		"{\"command\":\"\\u00e9,=/%[\",\"times\":[1],\"parameters\":{\"N x\":\"1/2\",\"n_x\":\"3\"}},"
		"{\"command\":\"0123456789012345678901234567890123456789012345678\",\"times\":[1]}]}");
	assert_string_equal(run->results[0].key, "hyperfine/imported:host/name=a+b");
	assert_string_equal(run->results[1].key, "hyperfine/imported:host/name=a%2Bb");
	assert_string_equal(run->results[2].key,
			    "hyperfine/imported:host/name=%C3%A9%2C%3D%2F%25%5B,n_x=1%2F2,n_x_2=3");
	assert_non_null(strstr(run->results[3].key, "name=01234567890123456789012345678901234567~"));
	bench_record_free(run);
}

static void written(const struct bench_run *run, const char *name, struct bench_text *out)
{
	bench_text_add(out, "%s", ""); /* what the format cannot hold may leave nothing */
	format_of(name, true)->write(run, &notes, out);
}

/* Written, read and written again it is the same, byte for byte. */
static void assert_stable(const struct bench_run *run, const char *name, const char *of)
{
	struct bench_text first = {0}, second = {0};
	struct bench_run *again;
	written(run, name, &first);
	if (read_text(name, "x", first.data, &again) != 0) {
		if (error.code != BENCH_NOTHING)
			fail_msg("%s as %s: %s", of, name, error.text);
	} else {
		written(again, name, &second);
		if (strcmp(first.data, second.data) != 0)
			fail_msg("%s as %s:\n%s\n%s", of, name, first.data, second.data);
		bench_record_free(again);
	}
	bench_text_free(&first);
	bench_text_free(&second);
}

static void each_format_is_stable_the_second_time(void **state)
{
	struct bench_run *golden;
	(void)state;
	if (bench_record_load_folder(BENCH_SOURCE_DIR "/tests/golden/record", &golden, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i <= FILES; i++) {
		struct bench_run *run = i < FILES ? read_file(i) : golden;
		for (size_t f = 0; bench_interchange_formats[f]; f++)
			if (bench_interchange_formats[f]->read && bench_interchange_formats[f]->write)
				assert_stable(run, bench_interchange_formats[f]->name,
					      i < FILES ? files[i].name : "golden");
		bench_record_free(run);
	}
}

static void csv_holds_every_sample_under_its_key(void **state)
{
	struct bench_run *run, *again;
	struct bench_text out = {0};
	(void)state;
	if (bench_record_load_folder(BENCH_SOURCE_DIR "/tests/golden/record", &run, &error) != 0)
		fail_msg("%s", error.text);
	written(run, "csv", &out);
	again = read_or_fail("csv", "x", out.data);
	assert_int_equal(again->result_count, run->result_count);
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *then = &run->results[i], *now = &again->results[i];
		assert_string_equal(then->key, now->key);
		assert_int_equal(then->status, now->status);
		const struct bench_metric *a = bench_record_metric(then, "time"),
					  *b = bench_record_metric(now, "time");
		assert_true(!a == !b);
		for (size_t s = 0; a && b && s < a->series_count; s++) {
			assert_int_equal(a->series[s].count, b->series[s].count);
			assert_memory_equal(a->series[s].values, b->series[s].values,
					    a->series[s].count * sizeof(double));
		}
	}
	bench_record_free(again);
	bench_record_free(run);
	bench_text_free(&out);
}

static void openmetrics_has_families_and_an_end(void **state)
{
	struct bench_run *run = read_file(0);
	struct bench_text out = {0};
	(void)state;
	run->host[0].value = bench_arena_string(&run->arena, "a\"b\\c\nd\x1b");
	written(run, "openmetrics", &out);
	assert_non_null(
		strstr(out.data, "# TYPE bench_time_seconds gauge\n# UNIT bench_time_seconds seconds\n"));
	assert_non_null(strstr(out.data, "host=\"a\\\"b\\\\c d?\""));
	assert_non_null(strstr(out.data, "param_name=\"BM_fails\"} 0\n"));
	assert_string_equal(out.data + out.length - 6, "# EOF\n");
	bench_text_free(&out);
	bench_record_free(run);
}

static void what_is_wrong_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *from, *text, *message;
	} rows[] = {
		{NULL, "", "x: is empty"},
		{NULL, "hello\n", "text of no known tool"},
		{NULL, "{\"a\":1", "x: not valid JSON (line 1"},
		{NULL, "{\"a\":{\"b\":{\"value\":NaN}}}", "JSON of no known tool"},
		{"bmf", "{\"a\":{\"b\":{\"value\":NaN}}}", "'b': member 'value'"},
		{"bmf", "{\"a\":{}}", "'a' has no measures"},
		{"bmf", "[]", "expected an object"},
		{"bmf", "{\"\":{\"b\":{\"value\":1}}}", "a result has no name"},
		{"bmf", "{}", "there are no results"},
		{NULL, "[{\"name\":\"a\",\"unit\":\"ns\",\"value\":1}]", "--from smaller, or --from bigger"},
		{"smaller", "[{\"name\":\"a\",\"unit\":\"ns\"}]", "[0]: member 'value' is missing"},
		{"smaller",
		 "[{\"name\":\"a\",\"unit\":\"ns\",\"value\":1},{\"name\":\"a\",\"unit\":\"ns\",\"value\":1}"
		 "]",
		 "'a' stands there twice"},
		{NULL, "{\"context\":{},\"benchmarks\":[{\"name\":\"a\"}]}",
		 "benchmarks[0]: member 'real_time'"},
		{NULL,
		 "{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"real_time\":1,\"cpu_time\":1,"
		 "\"time_unit\":\"eons\"}]}",
		 "the time unit 'eons' is not known"},
		{NULL, "{\"results\":[{\"command\":\"a\",\"times\":[]}]}", "no list of times"},
		{NULL, "{\"results\":[{\"command\":\"a\",\"times\":[1,\"x\"]}]}", "item 2 is no number"},
		{NULL, "{\"results\":[{\"command\":\"a\",\"times\":[1e999]}]}", "is no number up to 1e+200"},
		{NULL, "{\"machine_info\":{},\"benchmarks\":[{\"name\":\"a\"}]}",
		 "benchmarks[0]: member 'stats'"},
		{NULL, "{\"reason\":\"benchmark-complete\"}", "line 1: member 'id' is missing"},
		{NULL,
		 "{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"unit\":\"ns\",\"iteration_count\":[1],"
		 "\"measured_values\":[1,2]}",
		 "2 values of 1 counts"},
		{NULL, "{\"devices\":[],\"benchmarks\":[{\"name\":\"a\",\"states\":[{\"axis_values\":[]}]}]}",
		 "a: has no values"},
		{"csv", "name,value\na,\n", "a: has no values"},
		{NULL,
		 "{\"result_columns\":[\"result\",\"params\"],\"commit_hash\":\"\",\"results\":{\"a\":[[1],[["
		 "]]]}}",
		 "no values of a parameter"},
		{"go", "BenchmarkA x 5 ns/op\n", "there are no results"},
		{"go", "\nBenchmarkA 1 1 ns/op five B/op\n", "line 2: 'five' is no value"},
		{"go", "BenchmarkA 1 5\n", "line 1: '5' is no value with a unit"},
		{"csv", "a,b\n1,2\n", "line 1: no column is called name"},
		{"csv", "name,b\n1,2\n", "line 1: nothing says what 'b' holds"},
		{"csv", "name,param.b\n1,2\n", "line 1: no column is called value"},
		{"csv", "name,value\na,b\n", "line 2: 'b' in column 'value' is no number"},
		{"csv", "name,value\na\n", "line 2 has 1 field"},
		{"csv", "name,value,invocation\na,1,-1\n", "line 2: invocation -1"},
		{"csv", "name,value,better\na,1,more\n", "line 2: 'more' is none of"},
		{"csv", "name,value,date\na,1,soon\n", "line 2: 'soon' is no date"},
		{"csv", "name,value,commit\na,1,abcd1\na,1,abcd2\n", "a run has one"},
		{"csv", "name,value,value\na,1,1\n", "two columns are the value"},
		{"csv", "name,suite,value\na,B ad,1\n", "'B ad' is no legal suite name"},
		{"csv", "name,value,metric,unit\na,1,m,s\na,1,m,B\n", "is in s and in B"},
		{"csv", "name,value,status\na,1,fine\n", "line 2: 'fine' is no status"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run;
		const bool refused = read_text(rows[i].from, "x", rows[i].text, &run) != 0;
		if (!refused && (lost != 1 || run->results[0].status != BENCH_STATUS_FAILED))
			fail_msg("taken: %s", rows[i].text);
		if (!(refused ? strstr(error.text, rows[i].message) != NULL : said(rows[i].message)))
			fail_msg("%s: '%s' lacks '%s'", rows[i].text, refused ? error.text : notes.lines[0],
				 rows[i].message);
		bench_record_free(run);
		end_of_test(state);
	}
}

static void what_is_no_text_is_refused(void **state)
{
	const struct bench_interchange_file list[] = {{"x", "Benchmark\0", 11},
						      {"x", "\xc3\x28", 2},
						      {"x",
						       "\xff\xfe"
						       "B\0",
						       4}};
	struct bench_run *run;
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(read_files(NULL, &list[i], 1, &run), -1);
		assert_non_null(strstr(error.text, i == 0   ? "a byte of 0"
						   : i == 1 ? "no UTF-8"
							    : "is UTF-16"));
	}
}

static void sizes_are_bounded(void **state)
{
	struct bench_text text = {0};
	struct bench_run *run;
	(void)state;
	bench_text_add(&text, "{\"results\":[{\"command\":\"a\",\"times\":[");
	for (int i = 0; i < 10001; i++)
		bench_text_add(&text, "%s1", i ? "," : "");
	bench_text_add(&text, "]}]}");
	assert_int_equal(read_text(NULL, "x", text.data, &run), 0);
	assert_true(lost == 1 && said("more than 10000 invocations"));
	bench_record_free(run);
	text.length = 0;
	for (int i = 0; i <= BENCH_INTERCHANGE_CASES; i++)
		bench_text_add(&text, "BenchmarkA%d 1 5 ns/op\n", i);
	assert_int_equal(read_text("go", "x", text.data, &run), 0);
	assert_true(lost == 1 && said("more than 20000 benchmarks"));
	bench_record_free(run);
	text.length = 0;
	bench_text_add(&text, "Benchmark%0*d 1 5 ns/op\n", 3000, 0);
	assert_int_equal(read_text("go", "x", text.data, &run), -1);
	assert_non_null(strstr(error.text, "is longer than 2000 characters"));
	bench_text_free(&text);
}

/* Each file cut at many places, and with a byte replaced there: taken or refused, and nothing worse. */
static void damaged_files_are_an_error_at_worst(void **state)
{
	static const char bytes[] = "\"x[{,:0";
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		char path[512], *text = load(files[i].name, path);
		const size_t length = strlen(text), step = length / 40 + 1;
		for (size_t at = 0; at < length; at += step) {
			struct bench_run *run;
			const char was = text[at];
			text[at] = bytes[at % (sizeof(bytes) - 1)];
			if (read_text(files[i].from, path, text, &run) == 0)
				bench_record_free(run);
			text[at] = '\0';
			if (read_text(files[i].from, path, text, &run) == 0)
				bench_record_free(run);
			else
				assert_true(*error.text);
			text[at] = was;
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(files_of_each_tool_are_read, end_of_test),
		cmocka_unit_test_teardown(work_units_and_directions_survive, end_of_test),
		cmocka_unit_test_teardown(options_say_what_files_do_not, end_of_test),
		cmocka_unit_test_teardown(files_together_are_invocations, end_of_test),
		cmocka_unit_test_teardown(medians_stand_where_there_are_no_samples, end_of_test),
		cmocka_unit_test_teardown(names_become_legal_and_stay_apart, end_of_test),
		cmocka_unit_test_teardown(each_format_is_stable_the_second_time, end_of_test),
		cmocka_unit_test_teardown(csv_holds_every_sample_under_its_key, end_of_test),
		cmocka_unit_test_teardown(openmetrics_has_families_and_an_end, end_of_test),
		cmocka_unit_test_teardown(what_is_wrong_is_refused_with_its_place, end_of_test),
		cmocka_unit_test_teardown(what_is_no_text_is_refused, end_of_test),
		cmocka_unit_test_teardown(sizes_are_bounded, end_of_test),
		cmocka_unit_test_teardown(damaged_files_are_an_error_at_worst, end_of_test),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
