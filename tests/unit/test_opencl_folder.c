/* SPDX-License-Identifier: MIT */
/* Where caches go, and which folder PoCL is given where its own cannot be used. No device. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/opencl/runtime/folder.h"
#include "core/file.h"
#include "scratch.h"

static char home[PATH_MAX], temporary[PATH_MAX];

static int use_scratch(void **state)
{
	static const char *const ours[] = {"BENCH_CACHE_DIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "TMPDIR"};
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		unsetenv(ours[i]);
	if (make_scratch(state) != 0)
		return -1;
	snprintf(home, sizeof(home), "%s/home", (char *)*state);
	snprintf(temporary, sizeof(temporary), "%s/tmp", (char *)*state);
	return mkdir(temporary, 0777) || chmod(temporary, 01777) || setenv("TMPDIR", temporary, 1) ||
	       setenv("HOME", home, 1);
}

static void the_cache_folder_is_the_first_that_is_named(void **state)
{
	(void)state;
	char path[PATH_MAX], wanted[PATH_MAX + 32];
	snprintf(wanted, sizeof(wanted), "%s/.cache/bench", home);
	assert_true(bench_opencl_folder_own(path, sizeof(path)));
	assert_string_equal(path, wanted);
	setenv("XDG_CACHE_HOME", "relative", 1); /* invalid, by the specification */
	assert_true(bench_opencl_folder_own(path, sizeof(path)));
	assert_string_equal(path, wanted);
	setenv("XDG_CACHE_HOME", "/xdg", 1);
	assert_true(bench_opencl_folder_own(path, sizeof(path)));
	assert_string_equal(path, "/xdg/bench");
	setenv("BENCH_CACHE_DIR", "/own", 1);
	assert_true(bench_opencl_folder_own(path, sizeof(path)));
	assert_string_equal(path, "/own");
	assert_false(bench_opencl_folder_own(path, 4));
	unsetenv("BENCH_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_false(bench_opencl_folder_own(path, sizeof(path)));
}

/* The folder that PoCL is told; NULL: none, it has its own. */
static const char *told(bool *found)
{
	unsetenv("POCL_CACHE_DIR");
	bench_opencl_folder_for_pocl(found);
	return getenv("POCL_CACHE_DIR");
}

static void pocl_keeps_a_folder_that_can_be_used(void **state)
{
	(void)state;
	bool found = false;
	assert_null(told(&found));
	assert_true(found);
	setenv("POCL_CACHE_DIR", "/what/the/user/says", 1);
	assert_string_equal(bench_opencl_folder_for_pocl(&found), "");
	assert_true(found);
	assert_string_equal(getenv("POCL_CACHE_DIR"), "/what/the/user/says");
}

static void pocl_is_given_one_where_its_own_cannot_be_used(void **state)
{
	(void)state;
	static const char *const homes[] = {NULL, "", "/dev/null", "/proc/no-such-home"};
	char wanted[PATH_MAX + 64];
	struct stat status;
	bool found = false;
	snprintf(wanted, sizeof(wanted), "%s/bench-%lu/pocl", temporary, (unsigned long)geteuid());
	for (size_t i = 0; i < sizeof(homes) / sizeof(*homes); i++) {
		if (homes[i])
			setenv("HOME", homes[i], 1);
		else
			unsetenv("HOME");
		assert_string_equal(told(&found), wanted);
		assert_true(found);
		assert_int_equal(stat(wanted, &status), 0);
		assert_int_equal(status.st_mode & 07777, 0700);
		/* Asked again in one process, it is still said. */
		assert_non_null(strstr(bench_opencl_folder_for_pocl(&found), wanted));
	}
	snprintf(wanted, sizeof(wanted), "%s/own/pocl", temporary);
	char own[PATH_MAX + 8];
	snprintf(own, sizeof(own), "%s/own", temporary);
	setenv("BENCH_CACHE_DIR", own, 1);
	assert_string_equal(told(&found), wanted);
	setenv("BENCH_CACHE_DIR", "/dev/null/own", 1);
	setenv("TMPDIR", "/dev/null", 1);
	assert_null(told(&found));
	assert_false(found);
}

static void pocl_is_not_given_one_that_others_can_write(void **state)
{
	(void)state;
	char path[PATH_MAX + 64];
	bool found = true;
	setenv("HOME", "/dev/null", 1);
	snprintf(path, sizeof(path), "%s/bench-%lu", temporary, (unsigned long)geteuid());
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_null(told(&found));
	assert_false(found);
	/* Nor left its own, if that is so. */
	assert_int_equal(chmod(path, 0700), 0);
	setenv("HOME", home, 1);
	assert_null(told(&found));
	snprintf(path, sizeof(path), "%s/.cache/pocl/kcache", home);
	assert_int_equal(chmod(path, 0770), 0);
	assert_non_null(strstr(told(&found), "bench/pocl"));
}

#define in_home(test) cmocka_unit_test_setup_teardown(test, use_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_home(the_cache_folder_is_the_first_that_is_named),
		in_home(pocl_keeps_a_folder_that_can_be_used),
		in_home(pocl_is_given_one_where_its_own_cannot_be_used),
		in_home(pocl_is_not_given_one_that_others_can_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
