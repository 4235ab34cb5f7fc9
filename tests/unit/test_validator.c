/* SPDX-License-Identifier: MIT */
/* What is made of Oclgrind's log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/worker/validator.h"

static char path[] = "/tmp/bench-validator-XXXXXX";

static void append(const char *text)
{
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	(void)state;
	int file = mkstemp(path);
	return file < 0 || close(file) != 0 || setenv("OCLGRIND_LOG", path, 1) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("OCLGRIND_LOG");
	return unlink(path);
}

static void findings_are_told_once_with_the_kernel(void **state)
{
	(void)state;
	char out[256];
	size_t seen = 0;
	assert_false(bench_worker_validator_found(&seen, out, sizeof(out)));
	append("\nInvalid read of size 4 at global memory address 0x1000000000040\n"
	       "\tKernel: elementwise\n"
	       "\tEntity: Global(16,0,0) Local(16,0,0) Group(0,0,0)\n"
	       "\t  %0 = load float\n\t\n");
	assert_true(bench_worker_validator_found(&seen, out, sizeof(out)));
	assert_string_equal(out, "Oclgrind: Invalid read of size 4 at global memory address 0x1000000000040, "
				 "kernel elementwise, Global(16,0,0) Local(16,0,0) Group(0,0,0)");
	assert_false(bench_worker_validator_found(&seen, out, sizeof(out)));
	append("\nWrite-write data race at local memory address 0x1\n\tKernel: sum\n\n"
	       "\tFirst entity: Global(1,0,0)\n\tSecond entity: Global(2,0,0)\n"
	       "\nInvalid write of size 8 at global memory address 0x2\n\tKernel: other\n");
	assert_true(bench_worker_validator_found(&seen, out, sizeof(out)));
	assert_string_equal(out, "Oclgrind: Write-write data race at local memory address 0x1, kernel sum, "
				 "Global(1,0,0) (and 1 more)");
}

static void a_short_buffer_is_enough(void **state)
{
	(void)state;
	size_t seen = 0;
	char out[12];
	append("Invalid read\n\tKernel: k\n\tEntity: e\nInvalid read\n");
	assert_true(bench_worker_validator_found(&seen, out, sizeof(out)));
	assert_string_equal(out, "Oclgrind: I");
}

static void without_a_log_nothing_is_found(void **state)
{
	(void)state;
	size_t seen = 0;
	char out[64];
	setenv("OCLGRIND_LOG", "/nowhere/log", 1);
	assert_false(bench_worker_validator_found(&seen, out, sizeof(out)));
	unsetenv("OCLGRIND_LOG");
	assert_false(bench_worker_validator_found(&seen, out, sizeof(out)));
	setenv("OCLGRIND_LOG", path, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_are_told_once_with_the_kernel),
		cmocka_unit_test(a_short_buffer_is_enough),
		cmocka_unit_test(without_a_log_nothing_is_found),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
