/* SPDX-License-Identifier: MIT */
/* Series of files, of any origin: read, or refused with the place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/series.h"
#include "core/file.h"
#include "core/text.h"

#define SERIES_FOLDER BENCH_SOURCE_DIR "/../shared/data/series"

static struct bench_error error;

static int parse(const char *text, struct bench_arena *arena, struct bench_app_series_set *set)
{
	*set = (struct bench_app_series_set){0};
	return bench_app_series_parse(text, strlen(text), "x", arena, set, &error);
}

/* What was read as one line: "name [unit<]: label=1 label=nan, 1 lost (line 2: 'y'); name: 2". Of a unit, '<'
 * says that less is better, '>' that more is. */
static void show(const struct bench_app_series_set *set, struct bench_text *out)
{
	static const char *const directions[] = {
		[BENCH_BETTER_LOWER] = "<", [BENCH_BETTER_HIGHER] = ">", [BENCH_BETTER_NONE] = ""};
	bench_text_add(out, "%s", "");
	for (size_t s = 0; s < set->count; s++) {
		const struct bench_app_series *series = &set->items[s];
		bench_text_add(out, "%s%s", s ? "; " : "", series->name);
		if (*series->unit || series->better != BENCH_BETTER_NONE)
			bench_text_add(out, " [%s%s]", series->unit, directions[series->better]);
		bench_text_add(out, ":");
		for (size_t i = 0; i < series->count; i++) {
			const char *label = series->labels ? series->labels[i] : "";
			bench_text_add(out, " %s%s%g", label, *label ? "=" : "", series->values[i]);
		}
		if (series->lost > 0)
			bench_text_add(out, ", %zu lost (%s)", series->lost, series->lost_where);
	}
}

static void assert_read(const char *text, const char *expected)
{
	struct bench_arena arena = {0};
	struct bench_text out = {0};
	struct bench_app_series_set set;
	if (parse(text, &arena, &set) != 0)
		fail_msg("%s: %s", text, error.text);
	show(&set, &out);
	if (strcmp(out.data, expected) != 0)
		fail_msg("%s\nis read as %s\nnot as     %s", text, out.data, expected);
	bench_text_free(&out);
	bench_arena_free(&arena);
}

static void columns_of_numbers_are_series(void **state)
{
	(void)state;
	assert_read("1\n2.5\n3e1\n", "column 1: 1 2.5 30");
	assert_read("\xef\xbb\xbf"
		    "a\r\n1\r\n2\r\n",
		    "a: 1 2");
	assert_read("# of a night\na,b\n\n1,2\n3,4\n", "a: 1 3; b: 2 4");
	assert_read("a;b\n1;x\n2;y\n", "a: 1 2");
	assert_read("\"a, b\"\t\"say \"\"c\"\"\"\n1\t2\n", "a, b: 1; say \"c\": 2");
	assert_read("a,b\n1,\nNaN,2\n null , 3\n-,4\n", "a: 1 nan nan nan; b: nan 2 3 4");
	assert_read("1,2\n3,4", "column 1: 1 3; column 2: 2 4");
	assert_read("when,128\n1,2\n3,4", "when: 1 3; 128: 2 4");
	assert_read("c0,1\nc1,2", "column 2: c0=1 c1=2");
	assert_read("commit,ms\nc0,\nc1,2", "ms [<]: c0=nan c1=2");
}

static void times_and_commits_label_the_rows(void **state)
{
	(void)state;
	assert_read("time,commit,v\n2026-01-01,c1,5\n2026-01-02,c2,6\n",
		    "v: 2026-01-01 c1=5 2026-01-02 c2=6");
	assert_read("Date,v\nmon,5\n,6\n", "v: mon=5 6");
	assert_read("v,Revision\n5,17\n9,18\n8,20\n", "v: 17=5 18=9 20=8");
	assert_read("commit,time\nc1,5\nc2,6\n", "time: c1=5 c2=6");
	assert_read("{\"commit\":[\"a\",\"b\"],\"v\":[1,2]}", "v: a=1 b=2");
	assert_read("{\"time\":[7,8],\"commit\":[\"a\",\"b\"],\"x\":{\"y\":[1]},\"v\":[1,2]}",
		    "time: a=7 b=8; v: a=1 b=2; x.y: 1");
	assert_read("{\"time\":[7,8]}", "time: 7 8");
}

static void arrays_of_numbers_are_series(void **state)
{
	(void)state;
	assert_read("[1,2,null,4]", "values: 1 2 nan 4");
	assert_read(" {\"a\":[1,2],\"b\":{\"c\":[3]},\"expected\":[9],\"n\":7}", "a: 1 2; b.c: 3");
	assert_read("[{\"name\":\"s\",\"series\":[1,2],\"expected_change_points\":[1]}]", "s.series: 1 2");
	assert_read("[[1,2,3],[4,5,6]]", "[0]: 1 2 3; [1]: 4 5 6");
	assert_read("{\"a\":[[\"r1\",5],[17,null]]}", "a: r1=5 17=nan");
	assert_read("[{\"date\":\"d1\",\"commit\":\"c\",\"v\":5,\"w\":6},{\"date\":\"d2\",\"v\":7}]",
		    "v: d1 c=5 d2=7; w: d1 c=6");
	assert_read("{\"benchmarks\":[{\"name\":\"a\",\"ms\":1},{\"name\":\"b\",\"ms\":2},{\"name\":\"a\","
		    "\"ms\":3}]}",
		    "benchmarks.a.ms [<]: 1 3; benchmarks.b.ms [<]: 2");
	assert_read("[{\"time\":1},{\"time\":2}]", "time: 1 2");
	assert_read("[{\"x\":[1]},{\"x\":[2]}]", "[0].x: 1; [1].x: 2");
}

static void names_among_the_rows_are_series(void **state)
{
	(void)state;
	assert_read("metric,started,ms\na,t1,1\nb,t1,5\na,t2,2\nb,t2,\n",
		    "a.ms [<]: t1=1 t2=2; b.ms [<]: t1=5 t2=nan");
	assert_read("name,x,y\na,1,2\nb,3,4\n", "a.x: 1; b.x: 3; a.y: 2; b.y: 4");
	assert_read("name,ms\n1,2\n3,4\n", "name: 1 3; ms [<]: 2 4");
	assert_read("[{\"Benchmark\":\"a\",\"x\":1},{\"test\":\"b\",\"x\":2}]", "a.x: 1; b.x: 2");
}

/* What other people's files look like, and what they are read as. */
static const struct {
	const char *text, *series;
	const char *note; /* part of a note; NULL: there is none */
	size_t lost;      /* lines and items */
} others[] = {
	/* Labels: by name and content, one time and one commit; all other numbers are searched. */
	{"commit,date,time,memory\na1b2c3,2026-01-01,10,5\na1b2c4,2026-01-02,15,5\n",
	 "time: 2026-01-01 a1b2c3=10 2026-01-02 a1b2c4=15; memory: 2026-01-01 a1b2c3=5 2026-01-02 a1b2c4=5",
	 "not searched: 'commit' (labels the values), 'date' (labels the values)", 0},
	{"build,run,version,index\n1.5,3,2,9\n1.4,4,2,7\n1.6,3,2,8\n",
	 "build: 1.5 1.4 1.6; run: 3 4 3; version: 2 2 2; index: 9 7 8", NULL, 0},
	{"build,v\n101,5\n102,6\n104,5\n", "v: 101=5 102=6 104=5",
	 "not searched: 'build' (labels the values)", 0},
	{"time,v\n0,5\n10,6\n20,5\n", "v: 0=5 10=6 20=5", "'time' (labels the values)", 0},
	{"commit,time\nx,1\ny,2\nz,3\n", "time: x=1 y=2 z=3", "'commit' (labels the values)", 0},
	{"timestamp,v\n1768000000,5\n1768003600,6\n", "v: 1768000000=5 1768003600=6", "'timestamp'", 0},
	{"date,hash,sort\n2026-01-01,12,5\n2026-01-02,11,6\n",
	 "hash: 2026-01-01=12 2026-01-02=11; sort: 2026-01-01=5 2026-01-02=6", "not searched: 'date'", 0},
	{"real_time,v\n1200000000,5\n1100000000,6\n1300000000,5\n",
	 "real_time: 1.2e+09 1.1e+09 1.3e+09; v: 5 6 5", NULL, 0},
	{"nightly,what,v\n2026-01-01,12ab34f,5\n2026-01-02,1234567,6\n",
	 "v: 2026-01-01 12ab34f=5 2026-01-02 1234567=6", "'what' (labels the values)", 0},
	{"date,commit_date,branch,v\n2026-01-02,2026-01-01,main,5\n", "v: 2026-01-02=5",
	 "'commit_date' (another label), 'branch' (texts: 'main')", 0},
	{"2026-01-01,5\n2026-01-02,6\n", "column 2: 2026-01-01=5 2026-01-02=6", "not searched: 'column 1'",
	 0},
	{",v\n0,5\n1,6\n2,7\n", "v: 0=5 1=6 2=7", "not searched: 'column 1'", 0},
	/* Oldest first, where times say which is which. */
	{"date,v\n2026-01-03,3\n2026-01-02,2\n,9\n2026-01-01,1\n",
	 "v: 2026-01-01=1 9 2026-01-02=2 2026-01-03=3",
	 "1 series is newest first by 'date': searched oldest first", 0},
	{"date,v\n2026-01-02,2\n2026-01-01,1\n2026-01-02,3\n", "v: 2026-01-01=1 2026-01-02=2 2026-01-02=3",
	 "1 series is in no order by 'date': searched oldest first", 0},
	{"when,v\n2026-01-02T00:30+02:00,2\n2026-01-01T23:00Z,3\n",
	 "v: 2026-01-02T00:30+02:00=2 2026-01-01T23:00Z=3", "'when'", 0},
	{"epoch,v\n1768003600000,2\n1768000000000,1\n", "v: 1768000000000=1 1768003600000=2", "newest first",
	 0},
	{"date,v\n2026-01-03,3\nsoon,2\n2026-01-01,1\n", "v: 2026-01-01=1 soon=2 2026-01-03=3",
	 "line 3: 'soon' in 'date' is no date", 0},
	{"date,v\n03.01.2026,3\n02.01.2026,2\n", "v: 03.01.2026=3 02.01.2026=2",
	 "'date' has values that are no dates: the order is that of the file", 0},
	{"name,date,v\na,2026-01-02,2\nb,2026-01-02,4\na,2026-01-01,1\nb,2026-01-01,3\n",
	 "a.v: 2026-01-01=1 2026-01-02=2; b.v: 2026-01-01=3 2026-01-02=4", "2 series are newest first", 0},
	/* Runs that hold lists. */
	{"[{\"date\":\"2026-01-01\",\"benches\":[{\"name\":\"a\",\"value\":10},{\"name\":\"b\",\"value\":1}]}"
	 ","
	 "{\"date\":\"2026-01-02\",\"benches\":[{\"name\":\"b\",\"value\":2},{\"name\":\"a\",\"value\":11}]}"
	 "]",
	 "benches.a.value: 2026-01-01=10 2026-01-02=11; benches.b.value: 2026-01-01=1 2026-01-02=2", "'date'",
	 0},
	{"[{\"sha\":\"c1\",\"results\":[{\"value\":1},{\"value\":5}]},{\"sha\":\"c2\",\"results\":[{"
	 "\"value\":2}]}]",
	 "results[0].value: c1=1 c2=2; results[1].value: c1=5", "'sha'", 0},
	{"[{\"commit\":\"c1\",\"samples\":[1,2]},{\"commit\":\"c2\",\"samples\":[3]}]",
	 "samples: c1=1 c1=2 c2=3", "'commit'", 0},
	{"window.BENCHMARK_DATA = {\"entries\":{\"S\":[{\"commit\":{\"id\":\"c0ffee1\",\"timestamp\":"
	 "\"2026-01-01T10:00:00+01:00\"},\"date\":1768000000000,\"benches\":[{\"name\":\"a\",\"value\":5,"
	 "\"unit\":\"ns/iter\",\"range\":\"+/- 1\"}]},{\"commit\":{\"id\":\"c0ffee2\",\"timestamp\":"
	 "\"2026-01-02T10:00:00+01:00\"},\"date\":1768090000000,\"benches\":[{\"name\":\"a\",\"value\":6,"
	 "\"unit\":\"us/iter\",\"range\":\"+/- 1\"}]}]}};\n",
	 "entries.S.benches.a.value [s<]: 2026-01-01T10:00:00+01:00 c0ffee1=5e-09 2026-01-02T10:00:00+01:00 "
	 "c0ffee2=6e-06",
	 "'date' (another label)", 0},
	{"[{\"sha\":\"c1\",\"l\":[{\"name\":\"a\",\"v\":1},{\"name\":\"b\",\"v\":2},7]},"
	 "{\"sha\":\"c2\",\"l\":[{\"name\":\"a\",\"v\":3}]}]",
	 "l.a.v: c1=1 c2=3; l.b.v: c1=2", "item 3 of 'l' is no object, as most are: left out", 1},
	{"[{\"commit\":\"c1\",\"metrics\":{\"a\":1,\"b\":{\"c\":2}}},{\"commit\":\"c2\",\"metrics\":{\"a\":3}"
	 "}]",
	 "metrics.a: c1=1 c2=3; metrics.b.c: c1=2", "'commit'", 0},
	{"[{\"name\":\"a\",\"history\":[{\"date\":\"2026-01-01\",\"v\":1},{\"date\":\"2026-01-02\",\"v\":2}]}"
	 "]",
	 "a.history.v: 2026-01-01=1 2026-01-02=2", "'history.date'", 0},
	{"[{\"name\":\"a\",\"created\":\"2025-01-01\",\"l\":[{\"date\":\"2026-01-02\",\"v\":1},{\"date\":"
	 "\"2026-01-01\",\"v\":2}]}]",
	 "a.l.v: 2026-01-01=2 2026-01-02=1", "'created' (another label)", 0},
	{"[{\"test\":\"x\",\"commit\":\"c1\",\"l\":[{\"name\":\"a\",\"value\":1},{\"name\":\"b\",\"value\":2}"
	 "]},"
	 "{\"test\":\"x\",\"commit\":\"c2\",\"l\":[{\"name\":\"a\",\"value\":3}],\"v\":4}]",
	 "x.l.a.value: c1=1 c2=3; x.l.b.value: c1=2; x.v: c2=4", "'commit'", 0},
	{"[{\"name\":\"a\",\"dates\":[\"2026-01-01\",\"2026-01-02\"],\"v\":[1,2]}]",
	 "a.v: 2026-01-01=1 2026-01-02=2", "'dates'", 0},
	{"[[1768000000,\"1.5\"],[1768000060,\"2\"]]", "values: 1768000000=1.5 1768000060=2",
	 "'timestamp' (labels the values)", 0},
	/* JSON Lines, and what is odd among values. */
	{"{\"date\":\"2026-01-01\",\"v\":1}\r\n\r\n{\"date\":\"2026-01-02\",\"v\":2}\r\n",
	 "v: 2026-01-01=1 2026-01-02=2", "'date'", 0},
	{"{\"v\":1}\n{\"v\":2}\n{\"v\":\n{\"v\":3}", "v: 1 2 3", "line 3 is not valid JSON: left out", 1},
	{"{\"v\":1}\n{\"v\":2}\n\n\"x\"\n", "v: 1 2",
	 "line 4 of 'the document' is no object, as most are: left out", 1},
	{"{\"v\":1}\n{\"v\":\"x\"}\n{\"v\":2}\n", "v: 1 nan 2, 1 lost (line 2: 'x')", NULL, 0},
	{"[\"r1\",1]\n[\"r2\",2]\n", "values: r1=1 r2=2", "'timestamp' has values that are no dates", 0},
	{"[1,2,\"x\",{},4]", "values: 1 2 nan nan 4, 2 lost (item 3: 'x', item 4: 'an object')", NULL, 0},
	{"{\"a\":{\"b\":[1,true,2]}}", "a.b: 1 nan 2, 1 lost (item 2: 'true')", NULL, 0},
	{"[1,1e999,\"NaN\",2]", "values: 1 nan nan 2, 1 lost (item 2: a number larger than any can be)", NULL,
	 0},
	{"[{\"v\":1},7,{\"v\":2}]", "v: 1 2", "item 2 of 'the document' is no object", 1},
	{"[{\"v\":1},null,{\"v\":null}]", "v: 1 nan", NULL, 0},
	{"a\n1\n2\nFAIL\n1e999\n5\n", "a: 1 2 nan nan 5, 2 lost (line 4: 'FAIL', line 5: '1e999')", NULL, 0},
	/* Text. */
	{"\xef\xbb\xbf"
	 "a,\"b\nc\"\r\n1,2\r\n",
	 "a: 1; b\nc: 2", NULL, 0},
	{"build,v\n#101,5\n#102,6\n", "v: #101=5 #102=6", "'build'", 0},
	{"# a\nv\r1\r2\r", "v: 1 2", NULL, 0},
	{"a,b,\n1,2,\n3,4\n", "a: 1 3; b: 2 4", "not searched: 'column 3' (no values)", 0},
	{"date;v\n2026-01-01;1,5\n2026-01-02;1,234\n2026-01-03;2\n",
	 "v: 2026-01-01=1.5 2026-01-02=1.234 2026-01-03=2", "'date'", 0},
	{"1,5;2,5\n3,5;4,25\n", "column 1: 1.5 3.5; column 2: 2.5 4.25", NULL, 0},
	{"v,w\n1,2\nInfinity,NaN\n-inf,?\n#N/A,#DIV/0!\n2,-\n", "v: 1 nan nan nan 2; w: 2 nan nan nan nan",
	 NULL, 0},
	{"v,v\n1,2\n3,4\n", "v: 1 3; v (column 2): 2 4",
	 "several columns are called 'v': one is 'v (column 2)'", 0},
	/* Units and directions, as they are stated. */
	{"t\n12 ms\n900us\n0.5 s\n", "t [s<]: 0.012 0.0009 0.5", NULL, 0},
	{"t\n12 ms\n13\n14 ms\n", "t [s<]: 0.012 nan 0.014, 1 lost (line 3: '13')", NULL, 0},
	{"t\n12 ms\n13 MB\n14 ms\n", "t [s<]: 0.012 nan 0.014, 1 lost (line 3: '13 MB')", NULL, 0},
	{"t,v\n12 mb,1\n13 mb,2\n", "v: 1 2", "not searched: 't' (texts: '12 mb')", 0},
	{"t;v\n1,5 ms;1\n2,5 ms;2\n", "t [s<]: 0.0015 0.0025; v: 1 2", NULL, 0},
	{"time_ms,rate [MB/s],x\n1,2,3\n", "time_ms [<]: 1; rate [MB/s] [>]: 2; x: 3", NULL, 0},
	{"metric,value,unit\ntime,900,us\nrss,1,MiB\ntime,1,ms\nrss,2,MiB\n",
	 "time.value [s<]: 0.0009 0.001; rss.value [B]: 1.04858e+06 2.09715e+06", NULL, 0},
	{"name,value,unit\na,1,widgets\na,2,widgets\na,3,gadgets\n",
	 "a.value [widgets]: 1 2 nan, 1 lost (line 4: '3' in 'gadgets')", NULL, 0},
};

static void files_of_others_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series_set set;
		struct bench_text notes = {0};
		assert_read(others[i].text, others[i].series);
		assert_int_equal(parse(others[i].text, &arena, &set), 0);
		bench_text_add(&notes, "%s", "");
		for (size_t n = 0; n < set.note_count; n++)
			bench_text_add(&notes, "%s\n", set.notes[n]);
		if (others[i].note ? !strstr(notes.data, others[i].note) : notes.length > 0)
			fail_msg("%s\nis noted as %s\nnot as      %s", others[i].text, notes.data,
				 others[i].note ? others[i].note : "nothing");
		if (set.lost != others[i].lost)
			fail_msg("%s\n%zu lost, not %zu", others[i].text, set.lost, others[i].lost);
		bench_text_free(&notes);
		bench_arena_free(&arena);
	}
}

static void what_is_no_series_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "no series of numbers"},
		{"\n# 1\n", "no series of numbers"},
		{"a,b\nx,y\n", "no series of numbers"},
		{"{}", "no series of numbers"},
		{"[\"a\",\"b\"]", "no series of numbers"},
		{"a,b\n\n1,2\n3\n", "line 4 has 1 field, and line 1 has 2"},
		{"1\n2,3\n", "line 2 has 2 fields, and line 1 has 1"},
		{"a\n\"1\n2\n", "line 2: a quote is not closed"},
		{"a\n\"1\"x\n", "line 2: text behind a closed quote"},
		{"date,v\n", "no series of numbers"},
		{"[{\"v\":[]}]", "no series of numbers"},
		{"date,v\n2026-01-01,\"1,234\"\n", "line 2: '1,234' has a decimal comma or a thousands"},
		{"v\n\"1,234,567\"\n", "line 2: '1,234,567' has a thousands separator"},
		{"v\n1 234\n", "line 2: '1 234' has a thousands separator"},
		{"v\n1'234.5\n", "line 2: '1'234.5' has a thousands separator"},
		{"v;w\n1.234.567;1\n", "line 2: '1.234.567' has a thousands separator"},
		{"v;w\n1,5;1\n2.5;1\n", "line 2: '1,5' has a decimal comma: write all numbers"},
		{"v;w\n1,234;1\n2,345;1\n", "line 2: '1,234' has a decimal comma or a thousands separator"},
		{"v\n\"1,5\"\n", "line 2: '1,5' has a decimal comma"},
		{"v\n1,5\n2,5\n", "line 2 has 2 fields"},
		{"[{\"v\":1,\"v\":2}]", "item 1 has two members 'v'"},
		{"[{\"a.b\":1,\"a\":{\"b\":2}}]", "item 1 has two members 'a.b'"},
		{"{\"v\":[1],\"v\":[2]}", "has two members 'v'"},
		{"{\n\"v\": [1,\n2\n", "not valid JSON"},
		{"[1,2", "not valid JSON"},
		{"[1,NaN]", "not valid JSON"},
		{"{\"2026-01-01\":1,\"2026-01-02\":2}", "no series of numbers"},
		{"[1] x", "text after the end"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series_set set;
		assert_int_equal(parse(rows[i].text, &arena, &set), -1);
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s' lacks '%s'", error.text, rows[i].message);
		bench_arena_free(&arena);
	}
}

static void bytes_of_0_are_refused(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series_set set = {0};
	(void)state;
	assert_int_equal(bench_app_series_parse("1\0002\n", 4, "x", &arena, &set, &error), -1);
	assert_non_null(strstr(error.text, "not a text"));
	bench_arena_free(&arena);
}

/* `count` times `item`, between `head` and `tail`; the caller frees it. */
static char *repeated(const char *head, const char *item, size_t count, const char *tail)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", head);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&text, "%s", item);
	bench_text_add(&text, "%s", tail);
	return text.data;
}

static void sizes_are_bounded(void **state)
{
	const struct {
		const char *head, *item, *tail, *message;
		size_t count;
	} rows[] = {
		{"", "1\n", "", "more than 10000 rows", BENCH_APP_SERIES_VALUES + 2},
		{"", "1,", "1\n", "more than 2000 columns", BENCH_APP_SERIES_MOST},
		{"[", "1,", "1]", "more than 10000 values", BENCH_APP_SERIES_VALUES},
		{"[", "[1],", "[1]]", "more than 2000 series", BENCH_APP_SERIES_MOST},
		{"", "[", "", "not valid JSON", 100000},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series_set set;
		char *text = repeated(rows[i].head, rows[i].item, rows[i].count, rows[i].tail);
		assert_int_equal(parse(text, &arena, &set), -1);
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s' lacks '%s'", error.text, rows[i].message);
		free(text);
		bench_arena_free(&arena);
	}
}

/* Every start of a text, and the text with each byte replaced: read or refused, and nothing worse. */
static void damaged_texts_are_an_error_at_worst(void **state)
{
	static const char *const texts[] = {
		"time,commit,\"a \"\"b\"\"\",c\n2026-01-01,c0,1.5,nan\n2026-01-02,\"c1\",-2e3,7\n",
		"{\"a\":[1,null,3],\"time\":[\"x\",2,\"z\"],\"b\":[[1,2],[3,4]],\"c\":[{\"name\":\"n\","
		"\"time\":1,\"v\":2},{\"v\":3}]}",
	};
	static const char bytes[] = "\",;[]{}\n:0x-\\ \xff";
	(void)state;
	for (size_t t = 0; t < 2; t++) {
		size_t length = strlen(texts[t]);
		for (size_t i = 0; i < length; i++)
			for (size_t b = 0; b < sizeof(bytes); b++) {
				struct bench_arena arena = {0};
				struct bench_app_series_set set = {0};
				/* In memory of its own, so that a sanitizer sees a byte read too many. */
				size_t kept = b == 0 ? i : length;
				char *copy = malloc(kept + 1);
				memcpy(copy, texts[t], kept);
				if (b > 0)
					copy[i] = bytes[b - 1];
				copy = realloc(copy, kept ? kept : 1);
				if (bench_app_series_parse(copy, kept, "x", &arena, &set, &error) != 0)
					assert_true(*error.text);
				free(copy);
				bench_arena_free(&arena);
			}
	}
}

static void missing_values_keep_their_places(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series_set set;
	struct bench_change *changes;
	struct bench_app_series_options options = {.alpha = 0.01, .least = 0.05};
	size_t linear;
	(void)state;
	assert_int_equal(parse("commit,v\na,10\nb,10.1\nc,\nd,10.05\ne,9.9\nf,nan\ng,20\nh,20.1\ni,19.9\n",
			       &arena, &set),
			 0);
	assert_int_equal(bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear),
			 1);
	assert_int_equal(changes[0].index, 6);
	assert_string_equal(changes[0].last_run, "e");
	assert_string_equal(changes[0].first_run, "g");
	assert_true(fabs(changes[0].ratio.estimate - 2) < 0.05 && !changes[0].is_difference);
	assert_int_equal(linear, 0);
	options.least = 1.5;
	assert_int_equal(bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear),
			 0);
	bench_arena_free(&arena);
}

static void values_not_above_0_are_searched_as_they_are(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series_set set;
	struct bench_change *changes;
	struct bench_app_series_options options = {.alpha = 0.01, .least = 0.05};
	size_t linear;
	(void)state;
	assert_int_equal(parse("[-1,0,-0.5,-1,-0.2,9,9.5,9.2,9.9]", &arena, &set), 0);
	assert_int_equal(bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear),
			 1);
	assert_true(changes[0].is_difference && changes[0].index == 5);
	assert_true(changes[0].ratio.estimate > 9 && changes[0].ratio.estimate < 11);
	assert_int_equal(linear, 1);
	assert_int_equal(parse("[1,1.1,1,1.05,1,9,9.5,9.2,9.9]", &arena, &set), 0);
	options.linear = true;
	assert_int_equal(bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear),
			 1);
	assert_true(changes[0].is_difference);
	assert_int_equal(linear, 0);
	bench_arena_free(&arena);
}

static void a_direction_is_what_the_series_states_unless_one_is_given(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series_set set;
	struct bench_change *changes;
	struct bench_app_series_options options = {
		.alpha = 0.01, .least = 0.05, .as_stated = true, .better = BENCH_BETTER_NONE};
	size_t linear;
	(void)state;
	assert_int_equal(parse("ms,v\n1,1\n1.01,1\n1.02,1\n1,1\n1.01,1\n2,2\n2.01,2\n2.02,2\n2,2\n2.01,2\n",
			       &arena, &set),
			 0);
	assert_int_equal(bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear),
			 2);
	assert_int_equal(changes[0].better, BENCH_BETTER_LOWER);
	assert_int_equal(changes[1].better, BENCH_BETTER_NONE);
	options.as_stated = false;
	assert_int_equal(bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear),
			 2);
	assert_int_equal(changes[0].better, BENCH_BETTER_NONE);
	bench_arena_free(&arena);
}

static void series_too_short_for_a_change_take_no_share_of_alpha(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series_set set;
	(void)state;
	assert_int_equal(parse("{\"a\":[1,2,3,4,5,6],\"b\":[1,2,3,4,5,null],\"c\":[1]}", &arena, &set), 0);
	assert_true(bench_app_series_is_searched(&set.items[0]));
	assert_false(bench_app_series_is_searched(&set.items[1]));
	assert_false(bench_app_series_is_searched(&set.items[2]));
	bench_arena_free(&arena);
}

static void published_files_are_read(void **state)
{
	static const struct {
		const char *name;
		size_t series;
	} files[] = {{"mongodb-spa/expected_cases.json", 21}, {"mongodb-spa/profiling_small.json", 1},
		     {"mongodb-spa/long_series.json", 1},     {"otava/small_cases.json", 2},
		     {"otava/tigerbeetle.json", 31},          {"otava/sample.csv", 2},
		     {"otava/sample_multi_branch.csv", 2},    {"otava/histostat.csv", 14}};
	(void)state;
	if (!bench_file_is_folder(SERIES_FOLDER)) {
		print_message("skipped: no folder " SERIES_FOLDER "\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series_set set = {0};
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", SERIES_FOLDER, files[i].name);
		if (bench_app_series_read(path, NULL, &arena, &set, &error) != 0)
			fail_msg("%s", error.text);
		assert_int_equal(set.count, files[i].series);
		bench_arena_free(&arena);
	}
}

static void a_small_file_takes_little_memory(void **state)
{
	(void)state;
	enum { OBJECTS = 10000 };
	struct bench_arena arena = {0};
	struct bench_app_series_set set;
	struct bench_text text = {0};
	bench_text_add(&text, "{\"%0300d\":[{}", 0);
	for (int i = 1; i < OBJECTS; i++)
		bench_text_add(&text, ",{}");
	bench_text_add(&text, "]}");
	assert_int_equal(parse(text.data, &arena, &set), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	if (bench_arena_bytes(&arena) > 100 * OBJECTS)
		fail_msg("%zu bytes", bench_arena_bytes(&arena));
	bench_arena_free(&arena);
	bench_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_numbers_are_series),
		cmocka_unit_test(times_and_commits_label_the_rows),
		cmocka_unit_test(arrays_of_numbers_are_series),
		cmocka_unit_test(names_among_the_rows_are_series),
		cmocka_unit_test(files_of_others_are_read),
		cmocka_unit_test(what_is_no_series_is_refused_with_its_place),
		cmocka_unit_test(bytes_of_0_are_refused),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(damaged_texts_are_an_error_at_worst),
		cmocka_unit_test(missing_values_keep_their_places),
		cmocka_unit_test(values_not_above_0_are_searched_as_they_are),
		cmocka_unit_test(a_direction_is_what_the_series_states_unless_one_is_given),
		cmocka_unit_test(series_too_short_for_a_change_take_no_share_of_alpha),
		cmocka_unit_test(published_files_are_read),
		cmocka_unit_test(a_small_file_takes_little_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
