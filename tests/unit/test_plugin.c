/* SPDX-License-Identifier: MIT */
/* Code of users, tried in a process of its own; functions as suites; texts of extensions. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/plugin.h"
#include "extend/extend.h"
#include "suites/fn/fn.h"
#include "suites/suites.h"

#define LIMIT 20

static int works(void *context, struct bench_error *error)
{
	(void)error;
	*(int *)context = 7;
	return 0;
}

static int fails(void *context, struct bench_error *error)
{
	(void)context;
	return bench_fail(error, BENCH_NOTHING, "nothing of it");
}

static int crashes(void *context, struct bench_error *error)
{
	(void)context;
	(void)error;
	raise(SIGKILL); /* as SIGSEGV, which a sanitizer would take */
	return 0;
}

static int leaves(void *context, struct bench_error *error)
{
	(void)context;
	(void)error;
	_exit(3);
}

static int hangs(void *context, struct bench_error *error)
{
	(void)context;
	(void)error;
	while (pause() < 0)
		;
	return 0;
}

static int prints(void *context, struct bench_error *error)
{
	(void)context;
	(void)error;
	printf("one\033[31m\ntwo\n");
	return 0;
}

static void test_what_a_trial_does_stays_in_its_process(void **state)
{
	(void)state;
	struct bench_error error = {0};
	int value = 1;
	assert_int_equal(bench_extend_try("it", LIMIT, works, &value, &error), 0);
	assert_int_equal(value, 1);
	assert_int_equal(bench_extend_try("it", LIMIT, fails, NULL, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_string_equal(error.text, "nothing of it");
}

static void test_what_breaks_in_a_trial_is_said(void **state)
{
	(void)state;
	static const struct {
		int (*task)(void *context, struct bench_error *error);
		double limit;
		const char *text;
	} rows[] = {{crashes, LIMIT, "it crashed: SIGKILL (Killed)"},
		    {leaves, LIMIT, "it ended the process, with exit status 3"},
		    {hangs, 0.1, "it did not end within 0.1 s"},
		    {prints, LIMIT,
		     "it writes to standard output, where results go: 'one?[31m'; let it write to stderr"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_error error = {0};
		assert_int_equal(bench_extend_try("it", rows[i].limit, rows[i].task, NULL, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_string_equal(error.text, rows[i].text);
	}
}

static void test_texts_that_are_no_extensions_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} rows[] = {{"{", "extension"},
		    {"{}", "extension: member 'kind' is missing"},
		    {"{\"kind\": \"plugn\"}", "did you mean 'plugin'?"},
		    {"{\"kind\": \"plugin\"}", "plug-in: member 'path'"},
		    {"{\"kind\": \"plugin\", \"path\": \"/x\"}", "plug-in: member 'hash'"},
		    {"{\"kind\": \"plugin\", \"path\": \"x.so\", \"hash\": \"\"}", "is not absolute"},
		    {"{\"kind\": \"plugin\", \"path\": \"/nowhere/x.so\", \"hash\": \"\"}", "/nowhere/x.so"},
		    {"{\"kind\": \"plugin\", \"path\": \"/proc/self/comm\", \"hash\": \"0\"}",
		     "has changed since the run began (its hash was 0, and is "}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_error error = {0};
		assert_int_equal(bench_extend_add(rows[i].text, &error), -1);
		assert_non_null(strstr(error.text, rows[i].message));
	}
	assert_true(bench_extend_is_code("{\"kind\": \"plugin\"}"));
	assert_false(bench_extend_is_code("{\"kind\": \"kernel\"}"));
	assert_false(bench_extend_is_code("{"));
	assert_false(bench_extend_has_code());
}

static void *make(void)
{
	return calloc(1, 1);
}

static void hook(struct bench_fn_case *fn, void *state)
{
	(void)fn;
	(void)state;
}

static void run(struct bench_fn_case *fn, void *state, uint64_t iterations)
{
	(void)fn;
	(void)state;
	(void)iterations;
}

static void check(struct bench_fn_case *fn, void *state, struct bench_check *found)
{
	(void)fn;
	(void)state;
	found->error = 0;
}

static const struct bench_fn plain = {.name = "plain",
				      .file = "a/b.c",
				      .sweep = "n=1,2K x=0.5,1 mode=a,b variant=p,q m=-1,1",
				      .make = make,
				      .drop = free,
				      .setup = hook,
				      .run = run,
				      .check = check};

static void test_a_sweep_says_the_types_of_its_parameters(void **state)
{
	(void)state;
	struct bench_error error = {0};
	const struct bench_suite *suite;
	static const enum bench_param_type types[] = {BENCH_PARAM_INT, BENCH_PARAM_REAL, BENCH_PARAM_CHOICE,
						      BENCH_PARAM_CHOICE, BENCH_PARAM_INT};
	assert_int_equal(bench_fn_suite(&plain, &suite, &error), 0);
	assert_int_equal(bench_suite_check(suite, &error), 0);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_int_equal(suite->params[i].type, types[i]);
	assert_null(suite->params[5].name);
	assert_string_equal(suite->params[0].fallback, "1");
	assert_int_equal(suite->params[0].min, 0);
	assert_true(suite->params[4].min < 0);
	assert_string_equal(suite->params[2].choices, "a|b");
	assert_string_equal(suite->variants, "variant");
	assert_string_equal(suite->summary, "a function of b.c");
	assert_null(suite->prepare);
}

static void test_functions_that_cannot_be_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *sweep, *message;
	} rows[] = {{"n", "'n' is not NAME=VALUE"},
		    {"n=", "'n=' is not NAME=VALUE"},
		    {"=1", "'=1' is not NAME=VALUE"},
		    {"a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1 m=1 n=1 o=1 p=1 q=1",
		     "more than 16 parameters"}};
	const struct bench_suite *suite;
	struct bench_error error = {0};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_fn fn = plain;
		fn.sweep = rows[i].sweep;
		assert_int_equal(bench_fn_suite(&fn, &suite, &error), -1);
		assert_non_null(strstr(error.text, rows[i].message));
	}
	struct bench_fn fn = plain;
	fn.run = NULL;
	assert_int_equal(bench_fn_suite(&fn, &suite, &error), -1);
	assert_non_null(strstr(error.text, "'plain' lacks what is required"));
}

/* Where one of these differs, raise BENCH_PLUGIN_ABI, and take number and sizes here. */
static void test_a_changed_struct_has_a_new_abi_number(void **state)
{
	(void)state;
	static const struct bench_plugin now = BENCH_PLUGIN_TABLE(NULL, NULL, NULL, NULL);
	static const int bytes[] = {88, 160, 56, 320, 80, 56, 96, 32, 296, 768, 24, 80};
	if (sizeof(void *) != 8)
		skip();
	assert_int_equal(now.abi, 8);
	assert_int_equal(sizeof(bytes), sizeof(now.bytes));
	assert_memory_equal(now.bytes, bytes, sizeof(bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_trial_does_stays_in_its_process),
		cmocka_unit_test(test_what_breaks_in_a_trial_is_said),
		cmocka_unit_test(test_texts_that_are_no_extensions_are_refused),
		cmocka_unit_test(test_a_sweep_says_the_types_of_its_parameters),
		cmocka_unit_test(test_functions_that_cannot_be_are_refused),
		cmocka_unit_test(test_a_changed_struct_has_a_new_abi_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
