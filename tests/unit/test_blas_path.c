/* SPDX-License-Identifier: MIT */
/* The backend openblas with libraries that are named by their path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/library.h"
#include "backends/backends.h"
#include "core/file.h"
#include "extend/extend.h"
#include "scratch.h"

static const struct bench_backend *find(const char *name)
{
	for (size_t i = 0; bench_backends[i]; i++)
		if (strcmp(bench_backends[i]->name, name) == 0)
			return bench_backends[i];
	return NULL;
}

static const char *resolve(const char *list)
{
	static struct bench_arena arena;
	struct bench_error error;
	const char *names = bench_app_libraries(list, &arena, &error);
	if (!names)
		fail_msg("%s", error.text);
	return names;
}

static void a_library_by_its_path_is_a_backend_named_after_its_file(void **state)
{
	(void)state;
	size_t count;
	assert_string_equal(resolve("opencl,openblas:" FAKE_BLAS ",openblas:0"),
			    "opencl,openblas+fake_blas,openblas:0");
	assert_non_null(find("openblas+fake_blas"));
	/* Named again, it is the same. */
	assert_string_equal(resolve("openblas:" FAKE_BLAS), "openblas+fake_blas");
	assert_non_null(strstr(bench_extend_texts(&count)[0], "\"kind\":\"library\""));
	assert_int_equal(count, 1);
}

static void it_computes_by_the_functions_of_that_library(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_device *device;
	struct bench_buffer *buffers[3];
	const struct bench_open_options options = {.threads = 1};
	const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 1, 0, 3};
	float c[4];
	const struct bench_backend *fake = find(resolve("openblas:" FAKE_BLAS));
	assert_int_equal(fake->open(0, &options, &device, &error), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fake->alloc(device, sizeof(a), &buffers[i], &error), 0);
	fake->upload(device, buffers[0], a, sizeof(a), &error);
	fake->upload(device, buffers[1], b, sizeof(b), &error);
	const struct bench_gemm gemm = {.m = 2,
					.n = 2,
					.k = 3,
					.alpha = 1,
					.a = buffers[0],
					.lda = 3,
					.b = buffers[1],
					.ldb = 2,
					.c = buffers[2],
					.ldc = 2};
	assert_int_equal(fake->gemm(device, &gemm, &error), 0);
	fake->download(device, buffers[2], c, sizeof(c), &error);
	const float want[] = {5, 11, 14, 23};
	assert_memory_equal(c, want, sizeof(want));
	for (size_t i = 0; i < 3; i++)
		fake->release(device, buffers[i]);
	fake->close(device);
}

/* "openblas:" and another file of the same name. */
static const char *copy_of_fake(const char *folder)
{
	static char text[160];
	struct bench_error error;
	char *data;
	size_t length;
	snprintf(text, sizeof(text), "openblas:%s/libfake_blas.so", folder);
	assert_int_equal(bench_file_read(FAKE_BLAS, (size_t)1 << 24, &data, &length, &error), 0);
	assert_int_equal(bench_file_write(strchr(text, '/'), data, length, &error), 0);
	free(data);
	return text;
}

/* A kernel set for a CPU with shorter vectors than this one's. */
static void a_kernel_set_below_the_cpu_is_replaced_or_named(void **state)
{
	struct bench_device_info info;
	size_t count;
	const struct bench_backend *fake = find(resolve("openblas:" FAKE_BLAS));
	assert_int_equal(fake->devices(&info, 1, &count, NULL), 0);
	assert_int_equal(strncmp(info.platform, "OpenBLAS 9.8.7, ", 16), 0);
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		/* The choice was for that library alone. */
		assert_non_null(strstr(info.platform, "kernels (not its own choice"));
		assert_null(getenv("OPENBLAS_CORETYPE"));
		setenv("OPENBLAS_CORETYPE", "Prescott", 1);
		fake = find(resolve(copy_of_fake(*state)));
		assert_string_equal(fake->name, "openblas+fake_blas_2");
		assert_int_equal(fake->devices(&info, 1, &count, NULL), 0);
		assert_string_equal(info.platform, "OpenBLAS 9.8.7, Prescott kernels (below this CPU)");
		assert_non_null(strstr(info.note, "unset OPENBLAS_CORETYPE"));
		unsetenv("OPENBLAS_CORETYPE");
	}
#endif
}

static void what_is_no_such_library_is_refused(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	struct bench_error error;
	size_t count;
	assert_null(bench_app_libraries("openblas:/no/such/lib.so", &arena, &error));
	assert_non_null(strstr(error.text, "/no/such/lib.so: No such file"));
	assert_null(bench_app_libraries("opencl:" FAKE_BLAS, &arena, &error));
	assert_non_null(strstr(error.text, "only openblas takes the path of a library"));
	assert_string_equal(bench_app_libraries("openblas:/etc/passwd", &arena, &error), "openblas+passwd");
	assert_int_equal(find("openblas+passwd")->devices(NULL, 0, &count, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "cannot be loaded"));
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_by_its_path_is_a_backend_named_after_its_file),
		cmocka_unit_test(it_computes_by_the_functions_of_that_library),
		in_scratch(a_kernel_set_below_the_cpu_is_replaced_or_named),
		cmocka_unit_test(what_is_no_such_library_is_refused),
	};
	unsetenv("OPENBLAS_CORETYPE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
