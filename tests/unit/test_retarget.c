/* SPDX-License-Identifier: MIT */
/* PTX in, PTX for sm_90a out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/opencl/runtime/retarget.h"

static int retarget(const char *text, char out[256], size_t *length, struct bench_error *error)
{
	memset(out, '#', 256);
	*length = strlen(text) + 1; /* with its zero byte, as the driver counts */
	memcpy(out, text, *length);
	return bench_opencl_retarget(out, length, error);
}

static void marks_become_blanks_and_the_target_sm_90a(void **state)
{
	(void)state;
	char out[256];
	size_t length;
	struct bench_error error;
	assert_int_equal(
		retarget(
			".version 8.8\n.target sm_90\n{\n\t//sm_90a wgmma %f1;\n// a comment\n//sm_90a b;\n}",
			out, &length, &error),
		0);
	assert_string_equal(
		out, ".version 8.8\n.target sm_90a\n{\n\t         wgmma %f1;\n// a comment\n         b;\n}");
	assert_int_equal(length, strlen(out));
	assert_int_equal(out[length + 1], '#');
}

static void a_target_that_is_right_stays(void **state)
{
	(void)state;
	char out[256];
	size_t length;
	struct bench_error error;
	assert_int_equal(retarget(".target sm_90a\n//sm_90a x;", out, &length, &error), 0);
	assert_string_equal(out, ".target sm_90a\n         x;");
	assert_int_equal(length, strlen(out));
}

static void a_directive_moves_to_the_head_of_its_kernel(void **state)
{
	(void)state;
	char out[256];
	size_t length;
	struct bench_error error;
	assert_int_equal(retarget(".target sm_90\n.entry a()\n.reqntid 32, 1, 1\n{\n}\n.entry b()\n"
				  ".reqntid 384, 1, 1\n{\n\t//sm_90a entry .maxnreg 168\n\tx;\n}",
				  out, &length, &error),
			 0);
	assert_string_equal(out, ".target sm_90a\n.entry a()\n.reqntid 32, 1, 1\n{\n}\n.entry b()\n"
				 ".reqntid 384, 1, 1\n.maxnreg 168\n{\n\t              \n\tx;\n}");
	assert_int_equal(length, strlen(out));
}

static void what_is_no_such_ptx_is_refused(void **state)
{
	(void)state;
	char out[256];
	size_t length;
	struct bench_error error;
	const char *const bad[] = {"", "\177ELF //sm_90a", ".target sm_80\n//sm_90a x;", ".target sm_90\nx;",
				   ".target sm_90\n//sm_90a entry .maxnreg 168\n.reqntid 1\n"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(retarget(bad[i], out, &length, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, "sm_90a"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_become_blanks_and_the_target_sm_90a),
		cmocka_unit_test(a_target_that_is_right_stays),
		cmocka_unit_test(a_directive_moves_to_the_head_of_its_kernel),
		cmocka_unit_test(what_is_no_such_ptx_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
