/* SPDX-License-Identifier: MIT */
/* What the tests of the OpenCL backend share. */
#ifndef TESTS_OPENCL_FIXTURE_H
#define TESTS_OPENCL_FIXTURE_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backends/backends.h"
#include "core/file.h"

static const struct bench_backend *const cl = &bench_backend_opencl;
static char scratch[PATH_MAX]; /* a folder of this process, removed at the end */

static inline void in_scratch(char *path, const char *name)
{
	assert_true(bench_file_join(path, PATH_MAX, scratch, name));
}

static inline void require(int result, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s", error->text);
}

static inline void skip_without_device(void)
{
	struct bench_error error;
	size_t count;
	if (cl->devices(NULL, 0, &count, &error) == 0)
		return;
	print_message("skipped: %s\n", error.text);
	skip();
}

static inline struct bench_device *open_first(const char *scheme)
{
	struct bench_error error;
	struct bench_device *device;
	if (scheme)
		setenv("BENCH_OPENCL_KIND", scheme, 1);
	require(cl->open(0, &(struct bench_open_options){0}, &device, &error), &error);
	unsetenv("BENCH_OPENCL_KIND");
	return device;
}

static inline struct bench_device_info first_info(void)
{
	struct bench_error error;
	struct bench_device_info info;
	size_t count;
	require(cl->devices(&info, 1, &count, &error), &error);
	return info;
}

/* Set-up and tear-down of a group: the scratch folder, and an environment without our variables, nor with our
 * cache of programs: to fill it, PoCL compiles each kernel of a program once more. */
static inline int make_scratch(void **state)
{
	(void)state;
	char cache[PATH_MAX];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-opencl-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(scratch))
		return -1;
	in_scratch(cache, "cache");
	return setenv("BENCH_CACHE_DIR", cache, 1) || unsetenv("BENCH_KERNELS") ||
	       unsetenv("BENCH_OPENCL_OPTIONS") || unsetenv("BENCH_OPENCL_KIND") ||
	       setenv("BENCH_PROGRAM_CACHE", "off", 1);
}

static inline int remove_scratch(void **state)
{
	(void)state;
	char command[PATH_MAX + 16];
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command);
}

#endif
