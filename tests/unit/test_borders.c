/* SPDX-License-Identifier: MIT */
/* What comes in from other tools is read right, or refused by name: units, directions, identities, failures.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interchange/interchange.h"

static struct bench_error error;
static struct bench_interchange_notes notes;
static struct bench_interchange_runs runs;

static int end_of_test(void **state)
{
	(void)state;
	bench_interchange_free(&runs);
	bench_arena_free(&notes.arena);
	notes = (struct bench_interchange_notes){0};
	return 0;
}

static int take(const char *text, const char *const *columns, size_t column_count)
{
	const struct bench_interchange_options options = {.started = 1700000000,
							  .command = "bench import x",
							  .columns = columns,
							  .column_count = column_count};
	const struct bench_interchange_file file = {"x", text, strlen(text)};
	end_of_test(NULL);
	return bench_interchange_read(NULL, &file, 1, &options, &notes, &runs, &error);
}

static bool said(const char *part)
{
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.lines[i], part))
			return true;
	return false;
}

static const struct bench_result *result_of(const char *key)
{
	for (size_t i = 0; i < runs.count; i++)
		for (size_t r = 0; r < runs.list[i]->result_count; r++)
			if (strcmp(strchr(runs.list[i]->results[r].key, '/') + 1, key) == 0)
				return &runs.list[i]->results[r];
	return NULL;
}

#define NONE   BENCH_BETTER_NONE
#define LOWER  BENCH_BETTER_LOWER
#define HIGHER BENCH_BETTER_HIGHER

/* Of each file: a case, and its metric in SI (NULL: the case has failed). */
static const struct {
	const char *text, *key, *metric, *unit;
	double median;
	enum bench_better better;
	size_t lost;
} readings[] = {
	/* Units and rates in the names of columns. */
	{"name,tokens_per_s\na,104\n", "imported:host/name=a", "token_per_s", "item/s", 104, HIGHER, 0},
	{"name,throughput_mb_s\na,2\n", "imported:host/name=a", "throughput", "B/s", 2e6, HIGHER, 0},
	{"name,gflop_s\na,3\n", "imported:host/name=a", "flop_per_s", "FLOP/s", 3e9, HIGHER, 0},
	{"name,requests_per_second\na,3\n", "imported:host/name=a", "request_per_s", "item/s", 3, HIGHER, 0},
	{"name,bytes_per_ms\na,3\n", "imported:host/name=a", "bytes_per_s", "B/s", 3000, HIGHER, 0},
	{"name,items_per_second\na,3\n", "imported:host/name=a", "item_per_s", "item/s", 3, HIGHER, 0},
	{"name,ops/s\na,3\n", "imported:host/name=a", "op_per_s", "item/s", 3, HIGHER, 0},
	{"name,p99_s\na,3\n", "imported:host/name=a", "p99", "s", 3, LOWER, 0},
	{"name,p99_ms\na,3\n", "imported:host/name=a", "p99", "s", 3e-3, LOWER, 0},
	{"name,Delay (us)\na,3\n", "imported:host/name=a", "delay", "s", 3e-6, LOWER, 0},
	{"name,avg_ms,avg_mb\na,3,4\n", "imported:host/name=a", "avg_bytes", "B", 4e6, NONE, 0},
	{"name,value,unit\na,3,Mops/s\n", "imported:host/name=a", "value", "item/s", 3e6, HIGHER, 0},
	{"name,metric,value\na,read_mb_s,3\n", "imported:host/name=a", "read_mb_s", "B/s", 3e6, HIGHER, 0},
	{"name,value,unit\na,3,furlongs\n", "imported:host/name=a", "value", "furlongs", 3, NONE, 0},
	/* Text: a byte order mark, quotes, rows that begin with '#'. */
	{"\xef\xbb\xbfname,time_ms\na,3\n", "imported:host/name=a", "time", "s", 3e-3, LOWER, 0},
	{"\xef\xbb\xbf"
	 "BenchmarkA 1 5 ns/op\n",
	 "imported:host/name=A", "time", "s", 5e-9, LOWER, 0},
	/* One odd row. */
	{"name,time_ms\nb,oops\na,3\n", "imported:host/name=a", "time", "s", 3e-3, LOWER, 1},
	{"name,time_ms\nb,0\na,3\n", "imported:host/name=b", NULL, "", 0, NONE, 1},
	{"name,time_ms\nb,-1\na,3\n", "imported:host/name=b", NULL, "", 0, NONE, 1},
	{"name,value,unit,flops\na,3,s,10\na,3,s,20\n", "imported:host/name=a", NULL, "", 0, NONE, 1},
	{"name,value,unit,disturbed\na,3,s,maybe\n", "imported:host/name=a", NULL, "", 0, NONE, 1},
	/* Go. */
	{"BenchmarkA-8 100 990 ns/iter\n", "imported:host/name=A,procs=8", "time", "s", 990e-9, LOWER, 0},
	{"BenchmarkA-8 100 1.6 us/iter\n", "imported:host/name=A,procs=8", "time", "s", 1.6e-6, LOWER, 0},
	{"BenchmarkA 1 5 ns/op 3 ops/ms\n", "imported:host/name=A", "op_per_s", "item/s", 3e3, HIGHER, 0},
	{"BenchmarkA 1 5 ns/op 3 KB/op\n", "imported:host/name=A", "allocated_bytes", "B", 3e3, LOWER, 0},
	{"BenchmarkA 1 5 ns/op 3 Gbit/s\n", "imported:host/name=A", "bits_per_s", "bit/s", 3e9, HIGHER, 0},
	{"Benchmarkk8s_total 1 5 ns/op\n", "imported:host/name=k8s_total", "time", "s", 5e-9, LOWER, 0},
	{"Benchmarks begin now\nBenchmark of what\nBenchmarkA 1 5 ns/op\n", "imported:host/name=A", "time",
	 "s", 5e-9, LOWER, 0},
	{"Unit ns/op better=lower\nBenchmarkA 1 5 ns/op\n", "imported:host/name=A", "time", "s", 5e-9, LOWER,
	 0},
	{"BenchmarkA 1 5 ns/op\n--- FAIL: BenchmarkC-8\n    x_test.go:3: no\nFAIL\nFAIL\tp\t0.1s\n",
	 "imported:host/name=C,procs=8", NULL, "", 0, NONE, 0},
	{"pkg: p\nBenchmarkA 1 5 ns/op\npanic: no\nFAIL\tp\t0.1s\n", "imported:host/name=A,pkg=p", "time",
	 "s", 5e-9, LOWER, 1},
	{"{\"Action\":\"start\",\"Package\":\"p\"}\n"
	 "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"BenchmarkA-4   \"}\n"
	 "{\"Action\":\"output\",\"Package\":\"q\",\"Output\":\"BenchmarkA-4 1 7 ns/op\\n\"}\n"
	 "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"\\t 10\\t 5 ns/op\\n\"}\n",
	 "imported:host/name=A,procs=4,pkg=p", "time", "s", 5e-9, LOWER, 0},
	/* hyperfine: failed runs. */
	{"{\"results\":[{\"command\":\"a\",\"times\":[0.5,0.5],\"exit_codes\":[139,139]}]}",
	 "imported:host/name=a", NULL, "", 0, NONE, 0},
	{"{\"results\":[{\"command\":\"a\",\"times\":[0.5,0.5],\"exit_codes\":[0,null]}]}",
	 "imported:host/name=a", NULL, "", 0, NONE, 0},
	{"{\"results\":[{\"command\":\"a\",\"times\":[0.5,0.5],\"exit_codes\":[0,0]}]}",
	 "imported:host/name=a", "time", "s", 0.5, LOWER, 0},
	/* One odd entry. */
	{"{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"real_time\":5,\"cpu_time\":5,\"time_unit\":"
	 "\"ns\"},"
	 "{\"name\":\"b\",\"real_time\":Infinity,\"cpu_time\":-nan,\"time_unit\":\"ns\"}]}",
	 "imported:host/name=a", "time", "s", 5e-9, LOWER, 1},
	{"{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"real_time\":5,\"cpu_time\":5,\"time_unit\":"
	 "\"eon\"},"
	 "{\"name\":\"b\",\"real_time\":6,\"cpu_time\":5,\"time_unit\":\"us\"}]}",
	 "imported:host/name=b", "time", "s", 6e-6, LOWER, 1},
	{"{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"family_index\":0,\"real_time\":5,\"cpu_time\":5},"
	 "{\"name\":\"a\",\"family_index\":1,\"real_time\":9,\"cpu_time\":9}]}",
	 "imported:host/name=a", NULL, "", 0, NONE, 1},
	{"{\"devices\":[],\"benchmarks\":[{\"name\":\"a\",\"states\":[{\"axis_values\":[],\"summaries\":[{"
	 "\"tag\":"
	 "\"nv/cold/time/cpu/mean\",\"data\":[{\"name\":\"value\",\"value\":\"-nan\"}]}]}]}]}",
	 "imported:host/name=a", NULL, "", 0, NONE, 1},
	{"{\"machine_info\":{},\"benchmarks\":[{\"fullname\":\"t.py::test_a[x]y]\",\"name\":\"test_a\","
	 "\"stats\":{\"data\":"
	 "[0.5]}}]}",
	 "imported:host/name=test_a,file=t.py,param=x%5Dy", "time", "s", 0.5, LOWER, 0},
	{"{\"machine_info\":{},\"benchmarks\":[{\"name\":\"a\",\"params\":{\"f\":\"<S object at "
	 "0x7f11>\"},\"stats\":{"
	 "\"data\":[0.5]}},{\"name\":\"a\",\"params\":{\"f\":\"<S object at "
	 "0x7f22>\"},\"stats\":{\"data\":[0.7]}}]}",
	 "imported:host/name=a,f=<S+object>#2", "time", "s", 0.7, LOWER, 0},
	/* Formats. */
	{"{\"commit_hash\":\"abcd\",\"version\":1,\"results\":{\"b.time_a\":{\"params\":[[\"1\",\"2\"]],"
	 "\"result\":[0.5,0.7]},"
	 "\"b.time_c\":0.3,\"b.time_d\":null}}",
	 "imported:host/name=b.time_a,arg0=2", "time", "s", 0.7, LOWER, 0},
	{"[{\"benchmark\":\"p.B.m\",\"mode\":\"thrpt\",\"params\":{\"n\":\"10\"},\"primaryMetric\":{"
	 "\"score\":2,"
	 "\"scoreUnit\":\"ops/"
	 "ms\",\"rawData\":[[1,2],[3]]},\"secondaryMetrics\":{\"gc.alloc.rate\":{\"score\":5,"
	 "\"scoreUnit\":\"MB/sec\",\"rawData\":[[5]]}}}]",
	 "imported:host/name=p.B.m,mode=thrpt,n=10", "op_per_s", "item/s", 2250, HIGHER, 0},
	{"[{\"benchmark\":\"p.B.m\",\"mode\":\"avgt\",\"primaryMetric\":{\"score\":2,\"scoreUnit\":\"us/"
	 "op\",\"rawData\":"
	 "[[1,2,3]]},\"secondaryMetrics\":{\"gc.alloc.rate\":{\"score\":5,\"scoreUnit\":\"MB/"
	 "sec\",\"rawData\":[[5]]}}}]",
	 "imported:host/name=p.B.m,mode=avgt", "gc_alloc_rate", "B/s", 5e6, NONE, 0},
	{"{\"version\":\"1.0\",\"metadata\":{\"name\":\"b\",\"unit\":\"second\"},\"benchmarks\":[{\"runs\":[{"
	 "\"warmups\":[[1,1]]"
	 "},{\"values\":[0.5,0.5]},{\"values\":[0.7]}]}]}",
	 "imported:host/name=b", "time", "s", 0.6, LOWER, 0},
	{"{\"HostEnvironmentInfo\":{},\"Benchmarks\":[{\"Namespace\":\"N\",\"Type\":\"T\",\"Method\":\"M\","
	 "\"Parameters\":"
	 "\"A=1&B=x\",\"DisplayInfo\":\"T.M: DefaultJob "
	 "[A=1]\",\"Statistics\":{\"OriginalValues\":[50]},\"Memory\":{"
	 "\"BytesAllocatedPerOperation\":64}}]}",
	 "imported:host/name=N.T.M,a=1,b=x", "time", "s", 50e-9, LOWER, 0},
	{"{\"HostEnvironmentInfo\":{},\"Benchmarks\":[{\"Method\":\"M\",\"Statistics\":null}]}",
	 "imported:host/name=M", NULL, "", 0, NONE, 0},
	{"window.BENCHMARK_DATA = "
	 "{\"entries\":{\"G\":[{\"commit\":{\"id\":\"abcd1234\"},\"date\":1700000000000,\"tool\":"
	 "\"customBiggerIsBetter\",\"benches\":[{\"name\":\"a\",\"unit\":\"%\",\"value\":50}]},{\"commit\":{"
	 "\"id\":"
	 "\"abcd5678\"},\"date\":1700000100000,\"tool\":\"cargo\",\"benches\":[{\"name\":\"b\",\"unit\":\"ns/"
	 "iter\",\"value\":"
	 "7}]}]}};\n",
	 "imported:host/name=b,group=G", "time", "s", 7e-9, LOWER, 0},
	{"running 2 tests\ntest m::a          ... bench:       1,234 ns/iter (+/- 56) = 8 MB/s\ntest b ... "
	 "bench:   "
	 "2.50 us/iter (+/- "
	 "0.1)\n",
	 "imported:host/name=m::a", "time", "s", 1234e-9, LOWER, 0},
	{"Benchmarking fib 20\nfib 20                  time:   [25.9 us 26.5 us 27.1 us]\n",
	 "imported:host/name=fib+20", "time", "s", 26.5e-6, LOWER, 0},
};

static void files_are_read_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		if (take(readings[i].text, NULL, 0) != 0)
			fail_msg("%s: %s", readings[i].text, error.text);
		const struct bench_result *result = result_of(readings[i].key);
		if (!result)
			fail_msg("%s: no %s, but %s", readings[i].text, readings[i].key,
				 runs.list[0]->results[0].key);
		if (runs.lost != readings[i].lost)
			fail_msg("%s: %zu are lost: %s", readings[i].text, runs.lost,
				 notes.count ? notes.lines[0] : "");
		if ((result->status == BENCH_STATUS_FAILED) != (readings[i].metric == NULL))
			fail_msg("%s: %s", readings[i].text, bench_record_status_name(result->status));
		const struct bench_metric *metric =
			readings[i].metric ? bench_record_metric(result, readings[i].metric) : NULL;
		if (readings[i].metric && !metric)
			fail_msg("%s: no %s, but %s", readings[i].text, readings[i].metric,
				 result->metrics[0].name);
		if (metric &&
		    (strcmp(metric->unit, readings[i].unit) != 0 || metric->better != readings[i].better ||
		     fabs(metric->summary.median / readings[i].median - 1) > 1e-12))
			fail_msg("%s: %.17g %s, %s", readings[i].text, metric->summary.median, metric->unit,
				 bench_record_better_name(metric->better));
	}
}

static void what_is_not_understood_is_refused_by_name(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"name,time_avg,time_min,time_max\na,1,2,3\n",
		 "nothing says what 'time_avg', 'time_min', 'time_max'"},
		{"name,time\na,1\n", "nothing says what 'time' holds"},
		{"name,size,time_ms\na,1,2\n", "'size=param'"},
		{"name,reads_s\na,1\n", "'reads_s'"},
		{"name,value,size_kb\na,1,2\n", "'size_kb'"},
		{"name,time [ms],time [us]\na,1,2\n", "'time [ms]' and 'time [us]' are one metric"},
		{"name,size_bytes,time_ms\na,1,2\na,2,3\n", "'size_bytes' differs between rows"},
		{"\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Score Error "
		 "(99.9%)\",\"Unit\"\n",
		 "JMH's CSV"},
		{"name,iterations,real_time,cpu_time,time_unit\n\"a\",1,2,3,ns\n", "Google Benchmark's CSV"},
		{"Benchmark,Device,Device Name,Samples,CPU Time (sec)\n", "nvbench's CSV"},
		{"command,mean,stddev,median,user,system,min,max\n", "hyperfine's CSV"},
		{"<?xml version=\"1.0\"?>\n", "XML"},
		{"name,value,date\na,1,2026-02-31\n", "'2026-02-31' is no date"},
		{"name,value,date\na,1,2026-11-20T10:00:00+99:99\n", "is no date"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (take(rows[i].text, NULL, 0) == 0)
			fail_msg("taken: %s", rows[i].text);
		if (!strstr(error.text, rows[i].message))
			fail_msg("%s: '%s' lacks '%s'", rows[i].text, error.text, rows[i].message);
	}
}

static void the_user_says_what_a_column_is(void **state)
{
	static const char *const columns[] = {"size=param", "score=ops/s", "note=skip"};
	(void)state;
	assert_int_equal(take("name,size,score,note\na,1,5,x\na,2,6,y\n", columns, 3), 0);
	const struct bench_result *result = result_of("imported:host/name=a,size=2");
	assert_non_null(result);
	assert_string_equal(bench_record_metric(result, "score_op_per_s")->unit, "item/s");
	assert_int_equal(result->metric_count, 1);
}

static void each_entry_of_a_history_is_a_run_of_its_commit_and_date(void **state)
{
	(void)state;
	assert_int_equal(take("{\"entries\":{\"G\":[{\"commit\":{\"id\":\"abcd1234\"},\"date\":1700000000000,"
			      "\"tool\":\"go\",\"benches\":"
			      "[{\"name\":\"A\",\"unit\":\"ns/op\\t 0 "
			      "B/op\",\"value\":50}]},{\"commit\":{\"id\":\"abcd5678\",\"timestamp\":"
			      "\"2026-11-20T18:30:00+01:00\"},\"tool\":\"go\",\"benches\":[{\"name\":\"A\","
			      "\"unit\":\"ns/op\",\"value\":"
			      "7}]},{\"commit\":{\"id\":\"abcd9999\"},\"benches\":[]}]}}",
			      NULL, 0),
			 0);
	assert_int_equal(runs.count, 2);
	assert_string_equal(runs.list[0]->git.commit, "abcd1234");
	assert_int_equal(runs.list[0]->started, 1700000000);
	assert_string_equal(runs.list[1]->git.commit, "abcd5678");
	assert_int_equal(runs.list[1]->started, 1795195800);
	assert_int_equal(runs.lost, 1);
	assert_true(said("there are no results"));
}

static void a_key_that_is_too_long_keeps_no_other_out(void **state)
{
	struct bench_text text = {0};
	(void)state;
	bench_text_add(&text, "BenchmarkA 1 5 ns/op\nBenchmarkLong");
	for (int i = 0; i < 12; i++)
		bench_text_add(&text, "/parameter%d=%040d", i, i);
	bench_text_add(&text, " 1 5 ns/op\n");
	assert_int_equal(take(text.data, NULL, 0), 0);
	assert_int_equal(runs.lost, 1);
	assert_int_equal(runs.list[0]->result_count, 1);
	assert_true(said("is longer than"));
	bench_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(files_are_read_right, end_of_test),
		cmocka_unit_test_teardown(what_is_not_understood_is_refused_by_name, end_of_test),
		cmocka_unit_test_teardown(the_user_says_what_a_column_is, end_of_test),
		cmocka_unit_test_teardown(each_entry_of_a_history_is_a_run_of_its_commit_and_date,
					  end_of_test),
		cmocka_unit_test_teardown(a_key_that_is_too_long_keeps_no_other_out, end_of_test),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
