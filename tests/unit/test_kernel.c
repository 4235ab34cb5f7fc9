/* SPDX-License-Identifier: MIT */
/* Specifications of users' kernels, right and wrong: how they are read, planned and laid out. */
#include "kernel_fixture.h"

static int read_spec(const char *spec, struct bench_arena *arena, struct bench_kernel_spec **read,
		     struct bench_error *error)
{
	cJSON *extension = extension_of(axpy, spec);
	int result = bench_kernel_spec_read(extension, arena, read, error);
	cJSON_Delete(extension);
	return result;
}

static void a_short_spec_is_a_suite(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	struct bench_value values[MAX_PARAMS];
	if (read_spec("{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"flops\": \"2 * n\"}", &arena, &spec,
		      &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(spec->suite.name, "k");
	assert_string_equal(spec->programs[0].ops.list[0].launch.kernel, "axpy");
	assert_string_equal(spec->suite.sweeps[BENCH_PRESET_QUICK][0], "n=100,1000");
	assert_null(spec->suite.variants);
	set_values(&spec->suite, "n=1000", values);
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	struct bench_kernel_point point;
	struct bench_work work = {0};
	assert_int_equal(bench_kernel_point_make(&bench_case, &point, &error), 0);
	assert_int_equal(bench_kernel_point_work(spec, &point, &work, &error), 0);
	struct bench_kernel_plan plan;
	assert_int_equal(bench_kernel_plan_make(&bench_case, &point, point.program, &plan, &error), 0);
	assert_true(plan.step_count == 1 && plan.steps[0].global[0] == 1000);
	assert_true(work.flops == 2000 && work.bytes == 12000);
	bench_arena_free(&plan.arena);
	assert_true(work.device_bytes == 2 * (4000 + 2 * BENCH_KERNEL_GUARD));
	bench_arena_free(&arena);
}

static void types_options_and_sizes_follow_parameters(void **state)
{
	(void)state;
	static const char text[] =
		"{\"name\": \"mm\", \"summary\": \"s\", \"params\": {\"n\": {\"values\": [20], \"min\": 2, "
		"\"max\": 64,"
		"\"help\": \"rows\"}, \"dtype\": [\"float\", \"double\"], \"f\": [0.5, 2], \"low\": -3},"
		"\"args\": [{\"name\": \"c\", \"type\": \"{dtype}\", \"shape\": [\"n\", \"n / 2\"], "
		"\"access\": \"out\","
		"\"check\": \"f\", \"tolerance\": 0.5}, {\"name\": \"tile\", \"type\": \"{dtype}\", "
		"\"shape\": 16,"
		"\"access\": \"local\"}, {\"name\": \"k\", \"type\": \"uchar\", \"value\": \"low + 5\"}],"
		"\"options\": \"-DREAL={dtype} -DF={f}\", \"global\": [\"ceil(n / 8) * 8\", 4], \"local\": "
		"[8, 1],"
		"\"variants\": {\"plain\": {}, \"wide\": {\"kernel\": \"global\", \"local\": [4, 2]}},"
		"\"presets\": {\"quick\": \"n=20\", \"full\": [\"n=64\", \"variant=wide\"]}, \"bytes\": 7}";
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	struct bench_value values[MAX_PARAMS];
	struct bench_kernel_point point;
	struct bench_work work = {0};
	if (read_spec(text, &arena, &spec, &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(spec->suite.sweeps[BENCH_PRESET_QUICK][0], "n=20 variant=plain,wide");
	assert_string_equal(spec->suite.sweeps[BENCH_PRESET_FULL][0], "n=64 variant=plain,wide");
	assert_string_equal(spec->suite.sweeps[BENCH_PRESET_FULL][1], "variant=wide");
	assert_string_equal(spec->suite.variants, "variant");
	set_values(&spec->suite, "dtype=double variant=wide", values);
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	assert_int_equal(bench_kernel_point_make(&bench_case, &point, &error), 0);
	struct bench_kernel_plan plan;
	assert_int_equal(bench_kernel_plan_make(&bench_case, &point, point.program, &plan, &error), 0);
	assert_string_equal(plan.kernels[0].options, "-DREAL=double -DF=0.5");
	assert_string_equal(plan.kernels[0].spec->kernel, "global");
	assert_true(plan.steps[0].global[0] == 24 && plan.steps[0].local[0] == 4 &&
		    plan.steps[0].local[1] == 2);
	bench_arena_free(&plan.arena);
	assert_true(point.arguments[0].count == 200 && point.arguments[0].bytes == 1600);
	assert_true(point.arguments[1].bytes == 128 && point.arguments[2].number[0] == 2);
	assert_int_equal(bench_kernel_point_work(spec, &point, &work, &error), 0);
	assert_true(work.bytes == 7);
	bench_arena_free(&arena);
}

static void a_wrong_spec_is_refused_with_line_and_column(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *place, *words;
	} rows[] = {
		{"{\n\"args\": [,]}", "k.json:2:10:", "not valid JSON"},
		{"{\"args\": [", "k.json:1:11:", "JSON"},
		{"[1]", "k.json:1:1:", "object"},
		{"{}", "k.json:1:1:", "'args'"},
		{"{\n  \"globl\": 1}", "k.json:2:3:", "did you mean 'global'"},
		{"{" ARGUMENTS ", \"params\": 3}", "k.json:1:", "'params' is an object"},
		{"{\"params\": {\"N\": 3}," ARGUMENTS "}", "k.json:1:13:", "no name of a parameter"},
		{"{\"params\": {\"i0\": 3}," ARGUMENTS "}", "k.json:1:13:", "number of an element"},
		{"{\"params\": {\"n\": 3, \"n\": 4}," ARGUMENTS "}", "k.json:1:21:", "already"},
		{"{\"params\": {\"n\": []}," ARGUMENTS "}", "k.json:1:18:", "no value"},
		{"{\"params\": {\"n\": [1, \"x\"]}," ARGUMENTS "}", "k.json:1:22:", "expected numbers"},
		{"{\"params\": {\"n\": [\"a b\"]}," ARGUMENTS "}", "k.json:1:19:", "without blanks"},
		{"{\"params\": {\"n\": {\"valus\": 3}}," ARGUMENTS "}",
		 "k.json:1:19:", "did you mean 'values'"},
		{"{\"params\": {\"n\": {\"min\": 3}}," ARGUMENTS "}", "k.json:1:18:", "lacks 'values'"},
		{"{\"params\": {\"n\": {\"values\": 3, \"max\": \"x\"}}," ARGUMENTS "}",
		 "k.json:1:39:", "whole"},
		{"{" PARAMS ",\n\"args\": [1]}", "k.json:2:10:", "an argument is an object"},
		{"{" PARAMS ",\n\"args\": [{\"type\": \"int\"}]}", "k.json:2:10:", "'name'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\"}]}", "k.json:2:10:", "lacks 'type'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"flot\"}]}",
		 "k.json:2:32:", "did you mean 'float'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"float\"}]}",
		 "k.json:2:10:", "lacks 'value'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"float\", \"value\": \"m\"}]}",
		 "k.json:2:51:", "no name 'm'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"n\", \"type\": \"int\", \"value\": 3}]}",
		 "k.json:2:48:", "'n' is a parameter, whose value it has"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"kernel\": \"axpi\"}",
		 "k.json:1:", "there is no kernel 'axpi': there are axpy; did you mean 'axpy'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"value\": 3, \"fill\": 1}]}",
		 "k.json:2:51:", "without 'shape'"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", \"value\": 1}]}",
		 "k.json:2:53:", "say 'fill'"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", "
		 "\"access\": \"inn\"}]}",
		 "k.json:2:63:", "no access 'inn'"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"value\": 1, \"access\": \"in\"}]}",
		 "k.json:2:61:", "without 'shape'"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", \"check\": 1}]}",
		 "k.json:2:53:", "does not write"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", \"access\": "
		 "\"out\", \"fill\": 1}]}",
		 "k.json:2:70:", "does not read"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": [1, 2, 3, 4]}]}",
		 "k.json:2:58:", "dimensions"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": []}]}",
		 "k.json:2:48:", "no dimension"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": true}]}",
		 "k.json:2:48:", "expected a number, or an expression"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\"}]}",
		 "k.json:2:9:", "no argument is written"},
		{"{" PARAMS ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", "
		 "\"access\": \"out\"}]}",
		 "k.json:2:10:", "nothing says what x must hold"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", \"access\": \"out\","
		 "\"check\": \"x[i]\"}]}",
		 "k.json:2:79:", "(checks see the 'out' buffers that stand earlier in 'args')"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": \"n\", \"access\": \"out\","
		 "\"check\": 1, \"tolerance\": -2}]}",
		 "k.json:2:94:", "'tolerance' is a number"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": 1, \"access\": \"out\", "
		 "\"check\": {\"fil\": 1}}]}",
		 "k.json:2:", "did you mean 'file'"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": 1, \"access\": \"out\", "
		 "\"check\": {}}]}",
		 "k.json:2:", "a check is an expression"},
		{"{" PARAMS
		 ",\n\"args\": [{\"name\": \"x\", \"type\": \"int\", \"shape\": 1, \"access\": \"out\", "
		 "\"check\": {\"file\": 3}}]}",
		 "k.json:2:", "text in quotes"},
		{"{" PARAMS "," ARGUMENTS "}", "k.json:1:1:", "'global' is missing"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"local\": [1, 2]}", "k.json:1:2",
		 "have the same number"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"kernel\": \"a b\"}",
		 "k.json:1:", "no name of a kernel"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"kernel\": 3}",
		 "k.json:1:", "text in quotes"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"variants\": []}",
		 "k.json:1:", "'variants' is an object"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"variants\": {\"a\": {}, \"a\": {}}}",
		 "k.json:1:", "a variant has a unique name"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"variants\": {\"a\": {\"flops\": 1}}}",
		 "k.json:1:", "no member 'flops'"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"reference\": {}}",
		 "k.json:1:", "'reference' is an object with 'kernel'"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"presets\": []}",
		 "k.json:1:", "'presets' is an object"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"presets\": {\"slow\": \"n=1\"}}",
		 "k.json:1:", "no member 'slow'"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"presets\": {\"quick\": []}}",
		 "k.json:1:", "no sweep"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"presets\": {\"quick\": [1]}}",
		 "k.json:1:", "sweeps"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"global\": \"n\"}",
		 "k.json:1:", "'global' twice"},
		{"{" PARAMS "," ARGUMENTS ", \"global\": \"n\", \"flops\": \"2 *\"}",
		 "k.json:1:", "it ends here"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_kernel_spec *spec;
		struct bench_error error = {0};
		if (read_spec(rows[i].spec, &arena, &spec, &error) == 0)
			fail_msg("row %zu was accepted", i);
		if (strncmp(error.text, rows[i].place, strlen(rows[i].place)) != 0 ||
		    !strstr(error.text, rows[i].words) || error.code != BENCH_USAGE)
			fail_msg("row %zu: %s", i, error.text);
		bench_arena_free(&arena);
	}
}

/* A chain over buffers x (in), t (scratch), y (out), s (of structures, in), w (of structures, out), z (local)
 * and number n; what of it is wrong. */
#define CHAIN(structs, more, launches)                                                                       \
	"{" PARAMS ",\n\"structs\": " structs ",\n\"args\": [{\"name\": \"n\", \"type\": \"int\"},"          \
	"{\"name\": \"x\", \"type\": \"float\", \"shape\": \"n\"}, {\"name\": \"t\", \"type\": \"float\", "  \
	"\"shape\": \"n\", \"access\": \"scratch\"}, {\"name\": \"y\", \"type\": \"float\", \"shape\": "     \
	"\"n\", "                                                                                            \
	"\"access\": \"out\", \"check\": \"x[i]\"}, {\"name\": \"s\", \"type\": \"pair\", \"shape\": "       \
	"\"n\"}, "                                                                                           \
	"{\"name\": \"z\", \"type\": \"float\", \"shape\": 8, \"access\": \"local\"}" more                   \
	"],\n\"global\": \"n\", \"launches\": " launches "}"
#define PAIR               "{\"pair\": {\"a\": \"int\", \"b\": \"float2\"}}"
#define ONE                "[{\"args\": [\"x\", \"y\"]}]"
#define ARG(arg)           CHAIN(PAIR, ",\n" arg, ONE)
#define STRUCTS(structs)   CHAIN(structs, "", ONE)
#define LAUNCHES(launches) CHAIN(PAIR, "", launches)

static void a_wrong_chain_is_refused_with_line_and_column(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *place, *words;
	} rows[] = {
		/* structures */
		{STRUCTS("[]"), "k.json:2:12:", "'structs' is an object"},
		{STRUCTS("{\"pair\": 3}"), "k.json:2:13:", "a structure has a unique name"},
		{STRUCTS("{\"pair\": {}}"), "k.json:2:13:", "a structure has a field"},
		{STRUCTS("{\"pair\": {\"packed\": true}}"), "k.json:2:13:", "a structure has a field"},
		{STRUCTS("{\"pair\": {\"packed\": 1}}"), "k.json:2:32:", "its type in quotes"},
		{STRUCTS("{\"pair\": {\"a\": \"int\", \"aligned\": 12}}"), "k.json:2:45:", "a power of 2"},
		{STRUCTS("{\"pair\": {\"a\": \"pair\"}}"), "k.json:2:27:", "no type 'pair'"},
		{STRUCTS("{\"p\": {\"a\": \"int\"}, \"pair\": {\"a\": \"p[0]\"}}"),
		 "k.json:2:", "no type 'p'"},
		{STRUCTS("{\"p\": {\"a\": \"int\"}, \"q\": {\"b\": \"p[2]\"}, \"pair\": {\"c\": \"q[3]\"}}"),
		 "k.json:2:", "an array of structures with arrays of structures"},
		{STRUCTS("{\"float\": {\"a\": \"int\"}}"), "k.json:2:13:", "a structure has a unique name"},
		{STRUCTS("{\"pair\": {\"a b\": \"int\"}}"), "k.json:2:22:", "a field has a unique name"},
		{STRUCTS("{\"pair\": {\"a\": \"int\", \"a\": \"int\"}}"),
		 "k.json:2:", "a field has a unique"},
		{STRUCTS("{\"pair\": {\"a\": 4}}"), "k.json:2:27:", "its type in quotes"},
		{STRUCTS("{\"pair\": {\"a\": \"intt\"}}"), "k.json:2:27:", "did you mean 'int'"},
		{STRUCTS("{\"pair\": {\"a\": \"int5\"}}"), "k.json:2:27:", "2, 3, 4, 8 or 16"},
		{STRUCTS("{\"pair\": {\"a\": \"int[0]\"}}"), "k.json:2:27:", "no type of numbers"},
		{STRUCTS("{\"pair\": {\"a\": \"int[3\"}}"), "k.json:2:27:", "no type of numbers"},
		{STRUCTS("{\"pair\": {\"a\": \"int3[2]\"}}"), "k.json:2:27:", "no type of numbers"},
		{STRUCTS("{\"triple\": {\"a\": \"int\"}}"), "k.json:3:", "no type 'pair'"},
		/* arguments */
		{ARG("{\"name\": \"p\", \"type\": \"pair\"}"), "k.json:4:1:", "lacks 'value'"},
		{ARG("{\"name\": \"p\", \"type\": \"pair\", \"value\": 3}"),
		 "k.json:4:", "value is an object"},
		{ARG("{\"name\": \"p\", \"type\": \"pair\", \"value\": {\"a\": 3}}"),
		 "k.json:4:", "lacks field 'b'"},
		{ARG("{\"name\": \"p\", \"type\": \"pair\", \"value\": {\"a\": 3, \"c\": 1}}"),
		 "k.json:4:", "no member 'c'"},
		{ARG("{\"name\": \"p\", \"type\": \"pair\", \"value\": {\"a\": 3, \"b\": [1, 2, 3]}}"),
		 "k.json:4:", "3 values for 2 elements"},
		{ARG("{\"name\": \"v\", \"type\": \"float7\", \"value\": 1}"),
		 "k.json:4:23:", "2, 3, 4, 8 or 16"},
		{ARG("{\"name\": \"v\", \"type\": \"float[4]\", \"value\": 1}"),
		 "k.json:4:23:", "an array by value is in a structure"},
		{ARG("{\"name\": \"v\", \"type\": \"float4\", \"shape\": \"n\"}"),
		 "k.json:4:23:", "no type 'float4'"},
		{ARG("{\"name\": \"v\", \"type\": \"float\", \"declared\": \"char\", \"value\": 1}"),
		 "k.json:4:32:", "'declared' is for a buffer"},
		{ARG("{\"name\": \"v\", \"type\": \"float\", \"declared\": \"byte\", \"shape\": 1}"),
		 "k.json:4:44:", "no type 'byte'"},
		{ARG("{\"name\": \"l\", \"type\": \"pair\", \"shape\": 4, \"access\": \"local\"}"),
		 "k.json:4:23:", "local memory is of numbers"},
		{ARG("{\"name\": \"w\", \"type\": \"pair\", \"shape\": 4, \"access\": \"out\"}"),
		 "k.json:4:1:", "nothing says what w must hold"},
		{ARG("{\"name\": \"w\", \"type\": \"pair\", \"shape\": 4, \"access\": \"out\", \"check\": "
		     "\"i\"}"),
		 "k.json:4:", "of structures it is an object"},
		{ARG("{\"name\": \"w\", \"type\": \"pair\", \"shape\": 4, \"access\": \"out\", \"check\": "
		     "{\"a\": "
		     "1}}"),
		 "k.json:4:", "nothing says what field 'b' must hold"},
		{ARG("{\"name\": \"w\", \"type\": \"pair\", \"shape\": 4, \"fill\": {\"c\": 1}}"),
		 "k.json:4:", "no member 'c'"},
		{ARG("{\"name\": \"w\", \"type\": \"pair\", \"shape\": [1, 2, 3]}"),
		 "k.json:4:", "at most two dimensions"},
		{ARG("{\"name\": \"w\", \"type\": \"int\", \"shape\": 4, \"access\": \"out\", \"check\": "
		     "\"s.c[i]\"}"),
		 "k.json:4:", "no name 's.c'"},
		{ARG("{\"name\": \"u\", \"type\": \"int\", \"shape\": 4, \"access\": \"scratch\", \"check\": "
		     "1}"),
		 "k.json:4:", "does not write"},
		{ARG("{\"name\": \"t\", \"type\": \"int\", \"value\": 4}"),
		 "k.json:4:10:", "there is a 't' already"},
		/* launches */
		{LAUNCHES("{}"), "k.json:4:28:", "'launches' is a list"},
		{LAUNCHES("[]"), "k.json:4:28:", "'launches' is a list"},
		{LAUNCHES("[3]"), "k.json:4:29:", "expected a launch"},
		{LAUNCHES("[{\"kernl\": \"f\"}]"), "k.json:4:30:", "did you mean 'kernel'"},
		{LAUNCHES("[{\"kernel\": \"f g\"}]"), "k.json:4:40:", "no name of a kernel"},
		{LAUNCHES("[{\"name\": \"f-g\"}]"), "k.json:4:38:", "'name' has letters"},
		{LAUNCHES("[{\"args\": \"x\"}]"), "k.json:4:38:", "'args' of a launch is a list"},
		{LAUNCHES("[{\"args\": [1]}]"), "k.json:4:39:", "expected the name of one"},
		{LAUNCHES("[{\"args\": [\"xx\"]}]"), "k.json:4:39:", "no argument 'xx'"},
		{LAUNCHES("[{\"args\": [\"(int n\"]}]"), "k.json:4:39:", "(TYPE)EXPRESSION"},
		{LAUNCHES("[{\"args\": [\"(integer)n\"]}]"), "k.json:4:39:", "no type 'integer'"},
		{LAUNCHES("[{\"args\": [\"(int2)n\"]}]"), "k.json:4:39:", "one of the spec's 'args'"},
		{LAUNCHES("[{\"args\": [\"(int)m\"]}]"), "k.json:4:45:", "no name 'm'"},
		{LAUNCHES("[{\"args\": [\"(int)\"]}]"), "k.json:4:45:", "it ends here"},
		{LAUNCHES("[{\"global\": [1, 2], \"local\": 3}]"),
		 "k.json:4:57:", "'global' has 2 dimensions"},
		{LAUNCHES("[{\"global\": \"k\"}]"), "k.json:4:41:", "no name 'k'"},
		{LAUNCHES("[{\"launches\": " ONE "}]"), "k.json:4:29:", "a loop has 'to'"},
		{LAUNCHES("[{\"to\": 3, \"launches\": []}]"), "k.json:4:51:", "'launches' is a list"},
		{LAUNCHES("[{\"for\": 3, \"to\": 3, \"launches\": " ONE "}]"),
		 "k.json:4:37:", "text in quotes"},
		{LAUNCHES("[{\"for\": \"n\", \"to\": 3, \"launches\": " ONE "}]"),
		 "k.json:4:37:", "'n' already"},
		{LAUNCHES("[{\"for\": \"x\", \"to\": 3, \"launches\": " ONE "}]"),
		 "k.json:4:37:", "'x' already"},
		{LAUNCHES("[{\"for\": \"k\", \"to\": \"k\", \"launches\": " ONE "}]"),
		 "k.json:4:49:", "no name 'k'"},
		{LAUNCHES("[{\"to\": 3, \"until\": \"y[0]\", \"unless\": 1, \"launches\": " ONE "}]"),
		 "k.json:4:", "no member 'unless'"},
		{LAUNCHES("[{\"to\": 3, \"until\": \"q[0]\", \"launches\": " ONE "}]"),
		 "k.json:4:49:", "no name 'q'"},
		{LAUNCHES("[{\"to\": 3, \"until\": \"s[0]\", \"launches\": " ONE "}]"),
		 "k.json:4:49:", "no name 's'"},
		{LAUNCHES("[{\"to\": 2, \"launches\": [{\"to\": 2, \"launches\": [{\"to\": 2, \"launches\": "
			  "[{\"to\": 2, "
			  "\"launches\": " ONE "}]}]}]}]"),
		 "k.json:4:", "more than 3 loops"},
		{LAUNCHES("[{\"set\": \"t\"}]"), "k.json:4:29:", "'set' lacks 'value'"},
		{LAUNCHES("[{\"set\": \"x\", \"value\": 0}]"), "k.json:4:37:", "only read"},
		{LAUNCHES("[{\"set\": \"n\", \"value\": 0}]"), "k.json:4:37:", "no buffer 'n'"},
		{LAUNCHES("[{\"set\": \"s\", \"value\": 0}]"), "k.json:4:37:", "a buffer of structures"},
		{LAUNCHES("[{\"set\": \"t\", \"value\": 0, \"to\": 3}]"), "k.json:4:", "no member 'to'"},
		{LAUNCHES("[{\"swap\": \"t\"}]"), "k.json:4:38:", "'swap' has two buffers"},
		{LAUNCHES("[{\"swap\": [\"t\", \"y\", \"t\"]}]"), "k.json:4:38:", "'swap' has two buffers"},
		{LAUNCHES("[{\"swap\": [\"t\", \"x\"]}]"), "k.json:4:44:", "only read"},
		{LAUNCHES("[{\"swap\": [\"t\", 3]}]"), "k.json:4:44:", "say which buffer"},
		{LAUNCHES(ONE ", \"sources\": \"a.cl\""), "k.json:4:", "'sources' is a list"},
		{LAUNCHES(ONE ", \"sources\": [3]"), "k.json:4:", "the name of a file"},
		{LAUNCHES(ONE ", \"variants\": {\"v\": {\"launches\": 3}}"),
		 "k.json:4:", "'launches' is a list"},
		{LAUNCHES(ONE ", \"reference\": {\"args\": [\"x\"]}"),
		 "k.json:4:", "an object with 'kernel'"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_kernel_spec *spec;
		struct bench_error error = {0};
		if (read_spec(rows[i].spec, &arena, &spec, &error) == 0)
			fail_msg("row %zu was accepted: %s", i, rows[i].words);
		if (strncmp(error.text, rows[i].place, strlen(rows[i].place)) != 0 ||
		    !strstr(error.text, rows[i].words) || error.code != BENCH_USAGE)
			fail_msg("row %zu, %s %s: %s", i, rows[i].place, rows[i].words, error.text);
		bench_arena_free(&arena);
	}
}

/* The plan of a spec at its fallbacks; -1 with the error. */
static int plan_of(const char *text, struct bench_arena *arena, struct bench_kernel_plan *plan,
		   struct bench_error *error)
{
	struct bench_kernel_spec *spec;
	struct bench_value values[MAX_PARAMS];
	struct bench_kernel_point *point = bench_arena_alloc(arena, 1, sizeof(*point));
	if (read_spec(text, arena, &spec, error) != 0)
		fail_msg("%s", error->text);
	set_values(&spec->suite, "n=8", values);
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	return bench_kernel_point_make(&bench_case, point, error) != 0
		       ? -1
		       : bench_kernel_plan_make(&bench_case, point, point->program, plan, error);
}

static void loops_are_unrolled_and_swaps_followed(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_kernel_plan plan;
	struct bench_error error = {0};
	if (plan_of(LAUNCHES("[{\"set\": \"t\", \"value\": -2}, {\"for\": \"k\", \"from\": 2, \"to\": \"n - "
			     "3\", "
			     "\"launches\": [{\"args\": [\"x\", \"t\", \"y\", \"(int)10 * k\"], \"global\": "
			     "\"n - k\"}, "
			     "{\"swap\": [\"t\", \"y\"]}]}, {\"to\": 2, \"until\": \"t[0] > 1\", "
			     "\"launches\": "
			     "[{\"args\": [\"y\"]}]}]"),
		    &arena, &plan, &error) != 0)
		fail_msg("%s", error.text);
	/* set, three launches, two rounds of a launch and an until */
	assert_int_equal(plan.step_count, 8);
	assert_int_equal(plan.kernel_count, 3);
	assert_true(plan.steps[0].kind == BENCH_KERNEL_SET && plan.steps[0].memory == 2);
	float pattern;
	memcpy(&pattern, plan.steps[0].pattern, sizeof(pattern));
	assert_true(pattern == -2);
	for (size_t k = 2; k < 5; k++) {
		int32_t number;
		const struct bench_kernel_step *step = &plan.steps[k - 1];
		memcpy(&number, plan.numbers[step->numbers], sizeof(number));
		assert_true(number == (int32_t)(10 * k) && step->global[0] == 8 - k);
		assert_int_equal(plan.kernels[step->kernel].memory[1], k % 2 ? 3 : 2);
	}
	/* After three swaps y is t's memory. */
	assert_true(plan.places[2] == 3 && plan.places[3] == 2);
	assert_int_equal(plan.kernels[plan.steps[4].kernel].memory[0], 2);
	assert_true(plan.steps[5].kind == BENCH_KERNEL_UNTIL && plan.steps[5].next == 8 &&
		    !plan.steps[5].last);
	assert_true(plan.steps[7].next == 8 && plan.steps[7].last);
	bench_arena_free(&plan.arena);
	bench_arena_free(&arena);
}

static void a_plan_that_cannot_be_is_refused_with_its_place(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *words;
	} rows[] = {
		{LAUNCHES("[{\"to\": 0, \"launches\": " ONE "}]"), "are no rounds"},
		{LAUNCHES("[{\"from\": 0.5, \"to\": 3, \"launches\": " ONE "}]"), "are no rounds"},
		{LAUNCHES("[{\"to\": 60000, \"launches\": [{\"args\": []}, {\"args\": []}]}]"),
		 "more than 65536"},
		{LAUNCHES("[{\"to\": 60000, \"launches\": [{\"to\": 60000, \"launches\": [{\"swap\": [\"t\", "
			  "\"y\"]}]}]}]"),
		 "more than 65536"},
		{LAUNCHES("[{\"for\": \"k\", \"to\": 9, \"launches\": [{\"global\": \"n - k\"}]}]"),
		 "no whole number"},
		{LAUNCHES("[{\"for\": \"k\", \"to\": 9, \"launches\": [{\"local\": 3}]}]"),
		 "no multiple of groups"},
		{LAUNCHES("[{\"args\": [\"(uchar)300\"]}]"), "300 does not fit '(uchar)300'"},
		{CHAIN(PAIR, ", {\"name\": \"c\", \"type\": \"char\", \"shape\": 1, \"access\": \"scratch\"}",
		       "[{\"set\": \"c\", \"value\": 200}]"),
		 "200 does not fit c"},
		{CHAIN(PAIR, ", {\"name\": \"c\", \"type\": \"char\", \"shape\": 1, \"access\": \"scratch\"}",
		       "[{\"swap\": [\"c\", \"t\"]}]"),
		 "c and t cannot be swapped"},
		{LAUNCHES("[{\"to\": 2, \"until\": 0, \"launches\": [{\"swap\": [\"t\", \"y\"]}]}]"),
		 "odd number of times"},
		{ARG("{\"name\": \"v\", \"type\": \"float4\", \"value\": [1, 2, 3]}"),
		 "v has more than 3 elements"},
		{ARG("{\"name\": \"v\", \"type\": \"float2\", \"value\": [1, 2, 3]}"),
		 "3 values, and v has 2 elements"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_kernel_plan plan;
		struct bench_error error = {0};
		if (plan_of(rows[i].spec, &arena, &plan, &error) == 0)
			fail_msg("row %zu was accepted: %s", i, rows[i].words);
		if (!strstr(error.text, rows[i].words) || strncmp(error.text, "k.json:", 7) != 0)
			fail_msg("row %zu: %s", i, error.text);
		bench_arena_free(&arena);
	}
}

static void structures_lie_as_c_lays_them_out(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	if (read_spec(STRUCTS("{\"pair\": {\"a\": \"char\", \"b\": \"float3\", \"c\": \"short[3]\", \"d\": "
			      "\"uchar\", "
			      "\"e\": \"double\", \"f\": \"uchar2[2]\"}}"),
		      &arena, &spec, &error) != 0)
		fail_msg("%s", error.text);
	static const size_t offsets[] = {0, 16, 32, 38, 40, 48}, counts[] = {1, 3, 3, 1, 1, 4};
	const struct bench_kernel_layout *layout = &spec->layouts[0];
	assert_int_equal(layout->count, 6);
	assert_int_equal(layout->bytes, 64);
	for (size_t f = 0; f < 6; f++) {
		assert_int_equal(layout->fields[f].offset, offsets[f]);
		assert_int_equal(layout->fields[f].type.count, counts[f]);
	}
	bench_arena_free(&arena);
}

/* What fits no point of the parameters: said before anything is allocated. */
#define TUNE(members) "{" PARAMS ",\n" members ",\n\"global\": \"n\"," ARGUMENTS "}"

/* What a compiler makes of them is what the specification says. */
static void packed_and_nested_structures_lie_as_c_lays_them_out(void **state)
{
	(void)state;
	struct point {
		float x;
		double y;
	};
	struct __attribute__((packed)) tight {
		char tag;
		struct point at;
		short half[3];
	};
	struct __attribute__((aligned(32))) whole {
		char id;
		struct tight tight;
		struct point near[5];
		int end;
	};
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	if (read_spec(STRUCTS("{\"point\": {\"x\": \"float\", \"y\": \"double\"}, \"tight\": {\"packed\": "
			      "true, "
			      "\"tag\": \"char\", \"at\": \"point\", \"half\": \"short[3]\"}, \"pair\": "
			      "{\"id\": "
			      "\"char\", \"tight\": \"tight\", \"near\": \"point[5]\", \"end\": \"int\", "
			      "\"aligned\": 32}}"),
		      &arena, &spec, &error) != 0)
		fail_msg("%s", error.text);
	const struct bench_kernel_layout *whole = &spec->layouts[2];
	static const struct {
		const char *name;
		size_t offset, elements, times;
	} rows[] = {{"id", offsetof(struct whole, id), 1, 1},
		    {"tight.tag", offsetof(struct whole, tight.tag), 1, 1},
		    {"tight.at.x", offsetof(struct whole, tight.at.x), 1, 1},
		    {"tight.at.y", offsetof(struct whole, tight.at.y), 1, 1},
		    {"tight.half", offsetof(struct whole, tight.half), 3, 1},
		    {"near.x", offsetof(struct whole, near[0].x), 5, 5},
		    {"near.y", offsetof(struct whole, near[0].y), 5, 5},
		    {"end", offsetof(struct whole, end), 1, 1}};
	assert_int_equal(spec->layouts[1].bytes, sizeof(struct tight));
	assert_int_equal(whole->bytes, sizeof(struct whole));
	assert_int_equal(whole->count, sizeof(rows) / sizeof(rows[0]));
	for (size_t f = 0; f < whole->count; f++) {
		assert_string_equal(whole->fields[f].name, rows[f].name);
		assert_int_equal(whole->fields[f].offset, rows[f].offset);
		assert_int_equal(whole->fields[f].type.count, rows[f].elements);
		assert_int_equal(whole->fields[f].times, rows[f].times);
	}
	/* The backend is also told of the structures, by their names in the source. */
	assert_int_equal(whole->bare_count, whole->count + 3);
	assert_string_equal(whole->bare[8].name, "near[0].x");
	assert_true(!whole->bare[7].type && whole->bare[7].is_array &&
		    whole->bare[7].bytes == sizeof(struct point[5]));
	struct bench_value values[MAX_PARAMS];
	struct bench_kernel_point *point = bench_arena_alloc(&arena, 1, sizeof(*point));
	set_values(&spec->suite, "n=100", values);
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	assert_int_equal(bench_kernel_point_make(&bench_case, point, &error), 0);
	/* Argument s: y of the third neighbor of structure 7. */
	size_t place;
	assert_true(bench_kernel_point_find(&point->columns[spec->arguments[4].column + 6],
					    (const double[]){7, 2}, 2, &place));
	assert_int_equal(place, 7 * sizeof(struct whole) + offsetof(struct whole, near[2].y));
	bench_arena_free(&arena);
}

static void an_image_is_a_buffer_of_its_channels(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	struct bench_value values[MAX_PARAMS];
	struct bench_kernel_point *point = bench_arena_alloc(&arena, 1, sizeof(*point));
	size_t place;
	if (read_spec(IMAGES, &arena, &spec, &error) != 0)
		fail_msg("%s", error.text);
	set_values(&spec->suite, "n=100", values);
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	assert_int_equal(bench_kernel_point_make(&bench_case, point, &error), 0);
	assert_int_equal(point->arguments[0].bytes, sizeof(uint16_t[100][3][4]));
	assert_true(bench_kernel_point_find(&point->columns[0], (const double[]){7, 1, 2}, 3, &place));
	assert_int_equal(place, ((7 * 3 + 1) * 4 + 2) * sizeof(uint16_t));
	assert_true(spec->arguments[0].image->bare.read_only && spec->arguments[0].image->texel.bytes == 8);
	assert_int_equal(spec->arguments[1].column_count, 0);
	assert_false(spec->arguments[1].sampler->normalized);
	assert_int_equal(spec->arguments[1].sampler->filter, 0x1141);     /* CL_FILTER_LINEAR */
	assert_int_equal(spec->arguments[1].sampler->addressing, 0x1130); /* CL_ADDRESS_NONE */
	bench_arena_free(&arena);
}

static void wrong_tunables_are_refused_with_line_and_member(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *place, *words;
	} rows[] = {
		{TUNE("\"tune\": [8]"), "k.json:2:9:", "'tune' is an object"},
		{TUNE("\"tune\": {}"), "k.json:2:9:", "'tune' is an object"},
		{TUNE("\"tune\": {\"T X\": [1]}"), "k.json:2:10:", "'T X' is no name of a tunable"},
		{TUNE("\"tune\": {\"9\": [1]}"), "k.json:2:10:", "'9' is no name of a tunable"},
		{TUNE("\"tune\": {\"n\": [1]}"), "k.json:2:10:", "there is a 'n' already"},
		{TUNE("\"tune\": {\"T\": [1], \"T\": [2]}"), "k.json:2:20:", "there is a 'T' already"},
		{TUNE("\"tune\": {\"x\": [1]}"), "k.json:3:", "there is a 'x' already"},
		{TUNE("\"tune\": {\"i0\": [1]}"), "k.json:2:10:", "'i0' is the number of an element"},
		{TUNE("\"tune\": {\"T\": 8}"), "k.json:2:15:", "tunable T: expected its values"},
		{TUNE("\"tune\": {\"T\": []}"), "k.json:2:15:", "tunable T: expected its values"},
		{TUNE("\"tune\": {\"T\": [8, \"a\"]}"), "k.json:2:19:", "tunable T: expected whole numbers"},
		{TUNE("\"tune\": {\"T\": [1.5]}"), "k.json:2:16:", "tunable T: expected whole numbers"},
		{TUNE("\"tune\": {\"T\": [-1]}"), "k.json:2:16:", "tunable T: expected whole numbers"},
		{TUNE("\"tune\": {\"T\": [1, 2, 1]}"), "k.json:2:22:", "tunable T has the value 1 twice"},
		{TUNE("\"tune\": {\"T\": [1]}, \"variants\": {\"a\": {}}"),
		 "k.json:2:1:", "'tune' beside 'variants'"},
		{TUNE("\"constraints\": [\"n > 1\"]"), "k.json:2:1:", "'constraints' without 'tune'"},
		{TUNE("\"tune\": {\"T\": [1]}, \"constraints\": \"T > 0\""),
		 "k.json:2:36:", "'constraints' is a list"},
		{TUNE("\"tune\": {\"T\": [1]}, \"constraints\": []"),
		 "k.json:2:36:", "'constraints' is a list"},
		{TUNE("\"tune\": {\"T\": [1]}, \"constraints\": [1]"), "k.json:2:37:", "in quotes"},
		{TUNE("\"tune\": {\"T\": [1]}, \"constraints\": [\"T <\"]"),
		 "k.json:2:41:", "and it ends here"},
		{TUNE("\"tune\": {\"T\": [1]}, \"constraints\": [\"T < U\"]"), "k.json:2:42:", "no name 'U'"},
		{TUNE("\"tune\": {\"T\": [1]}, \"flops\": \"T\""), "k.json:2:31:", "no name 'T'"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_kernel_spec *spec;
		struct bench_error error = {0};
		if (read_spec(rows[i].spec, &arena, &spec, &error) == 0)
			fail_msg("row %zu was accepted", i);
		if (strncmp(error.text, rows[i].place, strlen(rows[i].place)) != 0 ||
		    !strstr(error.text, rows[i].words) || error.code != BENCH_USAGE)
			fail_msg("row %zu: %s", i, error.text);
		bench_arena_free(&arena);
	}
}

static void too_many_combinations_are_refused(void **state)
{
	(void)state;
	struct bench_text text = {0};
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	bench_text_add(&text, "{" PARAMS ", \"global\": \"n\", " ARGUMENTS ", \"tune\": {");
	for (size_t t = 0; t < 17; t++)
		bench_text_add(&text, "%s\n\"T%zu\": [0, 1]", t ? "," : "", t);
	bench_text_add(&text, "}}");
	assert_int_equal(read_spec(text.data, &arena, &spec, &error), -1);
	/* "n" is one of the sixteen. */
	assert_non_null(strstr(error.text, "more than 16 parameters and tunables"));
	assert_int_equal(strncmp(error.text, "k.json:17:1:", 12), 0);
	bench_text_free(&text);
	bench_text_add(&text, "{" PARAMS ", \"global\": \"n\", " ARGUMENTS ", \"tune\": {");
	for (size_t t = 0; t < 6; t++)
		bench_text_add(&text, "%s\n\"T%zu\": [0, 1, 2, 3, 4, 5, 6, 7]", t ? "," : "", t);
	bench_text_add(&text, "}}");
	assert_int_equal(read_spec(text.data, &arena, &spec, &error), -1);
	assert_non_null(strstr(error.text, "k.json:7:1: more than 65536 combinations"));
	bench_text_free(&text);
	bench_arena_free(&arena);
}

/* The options and the first local size of the launch with a candidate, or of the reference beside it. */
static int launch_of(const struct bench_kernel_spec *spec, int64_t candidate, bool reference, char *options,
		     size_t *local, struct bench_error *error)
{
	struct bench_value values[MAX_PARAMS];
	struct bench_kernel_point point;
	struct bench_kernel_plan plan;
	set_values(&spec->suite, "n=100", values);
	values[1].integer = candidate;
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	if (bench_kernel_point_make(&bench_case, &point, error) != 0 ||
	    bench_kernel_plan_make(&bench_case, &point, reference ? &spec->reference : point.program, &plan,
				   error) != 0)
		return -1;
	strcpy(options, plan.kernels[0].options);
	*local = plan.steps[0].local[0];
	bench_arena_free(&plan.arena);
	return 0;
}

static void tunables_go_into_options_and_sizes(void **state)
{
	(void)state;
	static const char text[] = TUNE(
		"\"options\": \"-DT={T} -DU={U}\", \"local\": \"T\", \"reference\": {\"kernel\": \"axpy\"},"
		"\"tune\": {\"T\": [4, 10, 3], \"U\": [0, 7]}, \"constraints\": [\"T * U < n\", \"T + U != "
		"4\"]");
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	char options[512];
	size_t local;
	if (read_spec(text, &arena, &spec, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_kernel_tune_count(spec), 6);
	assert_string_equal(spec->tunables[1].name, "k.U");
	assert_int_equal(spec->tunables[0].fallback, 4);
	/* The defaults break the second constraint, and a case says so. */
	assert_int_equal(launch_of(spec, 0, false, options, &local, &error), -1);
	assert_non_null(strstr(error.text, "k.json:2:"));
	assert_non_null(strstr(error.text, "constraints: 'T + U != 4' does not hold for n=100,T=4,U=0"));
	spec->tuned[0] = 10;
	assert_int_equal(launch_of(spec, 0, false, options, &local, &error), 0);
	assert_string_equal(options, "-DT=10 -DU=0");
	assert_int_equal(local, 10);
	/* The reference is that of the defaults, whatever is in force. */
	assert_int_equal(launch_of(spec, 0, true, options, &local, &error), 0);
	assert_string_equal(options, "-DT=4 -DU=0");
	bench_kernel_tune_search(spec, &arena);
	assert_string_equal(spec->suite.name, "k_search");
	assert_int_equal(launch_of(spec, 2, false, options, &local, &error), 0); /* combination 1 */
	assert_string_equal(options, "-DT=4 -DU=7");
	assert_int_equal(launch_of(spec, 0, false, options, &local, &error), 0);
	assert_string_equal(options, "-DT=10 -DU=0");
	/* 3 work-items do not divide 100. */
	assert_int_equal(launch_of(spec, 5, false, options, &local, &error), -1);
	assert_non_null(strstr(error.text, "no multiple of groups of 3"));
	bench_arena_free(&arena);
}

static void sizes_that_cannot_be_are_refused_with_the_place(void **state)
{
	(void)state;
	static const struct {
		const char *settings, *words;
	} rows[] = {{"n=7", "no whole number"},

		    {"n=8 m=-1", "no whole number"},
		    {"n=8 t=flot", "no type 'flot'"},
		    {"n=1000000 m=1000000000000", "overflows"},
		    {"n=8 w=-2", "no amount of work"},
		    {"n=8 g=3", "no multiple of groups of 3"},
		    {"n=8 b=300", "300 does not fit b, of type uchar"}};
	static const char text[] = "{\"params\": {\"n\": 8, \"m\": [1, -1], \"t\": [\"float\", \"flot\"], "
				   "\"w\": [1, -2], \"g\": 1, \"b\": 1},"
				   "\"args\": [{\"name\": \"b\", \"type\": \"uchar\"}, {\"name\": \"y\", "
				   "\"type\": \"{t}\", \"shape\": [\"n / 2\","
				   "\"m\", \"m\"], \"access\": \"out\", \"check\": 0}], \"global\": \"n\", "
				   "\"local\": \"g\", \"flops\": \"w\"}";
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	if (read_spec(text, &arena, &spec, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_value values[MAX_PARAMS];
		struct bench_kernel_point point;
		struct bench_work work = {0};
		set_values(&spec->suite, rows[i].settings, values);
		const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
		struct bench_kernel_plan plan = {0};
		if (bench_kernel_point_make(&bench_case, &point, &error) == 0 &&
		    bench_kernel_plan_make(&bench_case, &point, point.program, &plan, &error) == 0 &&
		    bench_kernel_point_work(spec, &point, &work, &error) == 0)
			fail_msg("%s was accepted", rows[i].settings);
		if (!strstr(error.text, rows[i].words) || strncmp(error.text, "k.json:1:", 9) != 0)
			fail_msg("%s: %s", rows[i].settings, error.text);
		bench_arena_free(&plan.arena);
	}
	bench_arena_free(&arena);
}

static void numbers_of_every_type_are_kept(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		double value, kept;
	} rows[] = {{"char", -128, -128},         {"uchar", 255, 255},       {"short", -300, -300},
		    {"ushort", 65535, 65535},     {"int", -5, -5},           {"uint", 4e9, 4e9},
		    {"long", -0x1p60, -0x1p60},   {"ulong", 0x1p63, 0x1p63}, {"half", 0.1, 0x1.998p-4},
		    {"float", 0.1, (double)0.1f}, {"double", 0.1, 0.1}};
	static const struct {
		const char *type;
		double value;
	} unfit[] = {{"char", 128}, {"uchar", -1}, {"short", 1e9},  {"uint", -1},   {"ulong", 0x1p64},
		     {"int", NAN},  {"int", 2.5},  {"float", 1e39}, {"half", 65520}};
	const struct bench_kernel_type *type;
	struct bench_error error;
	unsigned char data[16];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(bench_kernel_type_find(rows[i].type, &type, &error), 0);
		assert_true(bench_kernel_data_set(type, data, 1, rows[i].value));
		assert_true(bench_kernel_data_get(type, data, 1) == rows[i].kept);
	}
	for (size_t i = 0; i < sizeof(unfit) / sizeof(unfit[0]); i++) {
		assert_int_equal(bench_kernel_type_find(unfit[i].type, &type, &error), 0);
		assert_false(bench_kernel_data_set(type, data, 0, unfit[i].value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_spec_is_a_suite),
		cmocka_unit_test(types_options_and_sizes_follow_parameters),
		cmocka_unit_test(a_wrong_spec_is_refused_with_line_and_column),
		cmocka_unit_test(a_wrong_chain_is_refused_with_line_and_column),
		cmocka_unit_test(loops_are_unrolled_and_swaps_followed),
		cmocka_unit_test(a_plan_that_cannot_be_is_refused_with_its_place),
		cmocka_unit_test(structures_lie_as_c_lays_them_out),
		cmocka_unit_test(packed_and_nested_structures_lie_as_c_lays_them_out),
		cmocka_unit_test(an_image_is_a_buffer_of_its_channels),
		cmocka_unit_test(wrong_tunables_are_refused_with_line_and_member),
		cmocka_unit_test(too_many_combinations_are_refused),
		cmocka_unit_test(tunables_go_into_options_and_sizes),
		cmocka_unit_test(sizes_that_cannot_be_are_refused_with_the_place),
		cmocka_unit_test(numbers_of_every_type_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
