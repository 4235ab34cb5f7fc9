/* SPDX-License-Identifier: MIT */
/* Copies of operands that products on GPUs are made of: to rows at multiples of 16 bytes, and transposed. */
#include <string.h>

#include "backends/opencl/runtime/arguments.h"
#include "opencl_fixture.h"

enum { ROWS = 5, COLUMNS = 11, LD = 13, STRIDE = 70, COUNT = 3, TO_LD = 16, ITEMS = 256 };

static void pad(struct bench_device *device, size_t bytes, const void *from, size_t from_bytes, void *to,
		size_t to_bytes)
{
	struct bench_error error;
	struct bench_buffer *in, *out;
	struct bench_opencl_kernel *kernel;
	cl_ulong from_ld = LD, from_stride = STRIDE, to_ld = TO_LD;
	cl_uint rows = ROWS, columns = COLUMNS, count = COUNT;
	require(cl->alloc(device, from_bytes, &in, &error), &error);
	require(cl->alloc(device, to_bytes, &out, &error), &error);
	require(cl->upload(device, in, from, from_bytes, &error), &error);
	require(cl->upload(device, out, to, to_bytes, &error), &error);
	require(bench_opencl_kernel(device, "gemm_copy.cl", bytes == 2 ? "-DBYTES=2" : "-DBYTES=4",
				    "gemm_copy", &kernel, &error),
		&error);
	struct bench_opencl_list list = {.count = 0};
	bench_opencl_list_add(&list, sizeof(cl_mem), &in->memory);
	bench_opencl_list_add(&list, sizeof(from_ld), &from_ld);
	bench_opencl_list_add(&list, sizeof(from_stride), &from_stride);
	bench_opencl_list_add(&list, sizeof(cl_mem), &out->memory);
	bench_opencl_list_add(&list, sizeof(to_ld), &to_ld);
	bench_opencl_list_add(&list, sizeof(rows), &rows);
	bench_opencl_list_add(&list, sizeof(columns), &columns);
	bench_opencl_list_add(&list, sizeof(count), &count);
	require(bench_opencl_launch_groups(device, kernel, &list, 1, ITEMS, &error), &error);
	require(cl->download(device, out, to, to_bytes, &error), &error);
	cl->release(device, in);
	cl->release(device, out);
}

static void rows_lie_at_multiples_of_16_bytes_with_zeros_between(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_device *device = open_first(NULL);
	uint16_t from[COUNT * STRIDE], to[COUNT * ROWS * TO_LD + 8];
	uint32_t from_words[COUNT * STRIDE], to_words[COUNT * ROWS * TO_LD + 8];
	for (size_t i = 0; i < (size_t)COUNT * STRIDE; i++)
		from[i] = (uint16_t)(from_words[i] = (uint32_t)i + 1);
	memset(to, 0xff, sizeof(to));
	memset(to_words, 0xff, sizeof(to_words));
	pad(device, 2, from, sizeof(from), to, sizeof(to));
	pad(device, 4, from_words, sizeof(from_words), to_words, sizeof(to_words));
	for (size_t matrix = 0; matrix < COUNT; matrix++)
		for (size_t row = 0; row < ROWS; row++)
			for (size_t column = 0; column < TO_LD; column++) {
				size_t at = (matrix * ROWS + row) * TO_LD + column;
				size_t want = column < COLUMNS ? matrix * STRIDE + row * LD + column + 1 : 0;
				assert_int_equal(to[at], want);
				assert_int_equal(to_words[at], want);
			}
	for (size_t i = (size_t)COUNT * ROWS * TO_LD; i < sizeof(to) / sizeof(*to); i++)
		assert_true(to[i] == 0xffff && to_words[i] == 0xffffffff);
	cl->close(device);
}

enum {
	TURN_ROWS = 70,
	TURN_COLUMNS = 131,
	TURN_LD = 133,
	TURN_TO_LD = 72,
	TURN_COUNT = 2,
	TURN_TILES = 2 * 3
};
enum { TURN_STRIDE = TURN_ROWS * TURN_LD + 5, TURN_TO_STRIDE = TURN_COLUMNS * TURN_TO_LD };

/* The second operand in a launch of two, after the same one as the first. */
static void matrices_are_transposed(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_device *device = open_first(NULL);
	static uint32_t from[TURN_COUNT * TURN_STRIDE], to[2][TURN_COUNT * TURN_TO_STRIDE];
	struct bench_error error;
	struct bench_buffer *in, *out[2];
	struct bench_opencl_kernel *kernel;
	cl_ulong from_ld = TURN_LD, from_stride = TURN_STRIDE, to_ld = TURN_TO_LD;
	cl_uint rows = TURN_ROWS, columns = TURN_COLUMNS, count = TURN_COUNT,
		groups = TURN_COUNT * TURN_TILES;
	for (size_t i = 0; i < sizeof(from) / sizeof(*from); i++)
		from[i] = (uint32_t)i;
	require(cl->alloc(device, sizeof(from), &in, &error), &error);
	require(cl->upload(device, in, from, sizeof(from), &error), &error);
	require(bench_opencl_kernel(device, "gemm_copy.cl", "-DCOPY_A=2 -DCOPY_B=2", "gemm_copy", &kernel,
				    &error),
		&error);
	struct bench_opencl_list list = {.count = 0};
	for (size_t i = 0; i < 2; i++) {
		require(cl->alloc(device, sizeof(to[i]), &out[i], &error), &error);
		bench_opencl_list_add(&list, sizeof(cl_mem), &in->memory);
		bench_opencl_list_add(&list, sizeof(from_ld), &from_ld);
		bench_opencl_list_add(&list, sizeof(from_stride), &from_stride);
		bench_opencl_list_add(&list, sizeof(cl_mem), &out[i]->memory);
		bench_opencl_list_add(&list, sizeof(to_ld), &to_ld);
		bench_opencl_list_add(&list, sizeof(rows), &rows);
		bench_opencl_list_add(&list, sizeof(columns), &columns);
		bench_opencl_list_add(&list, sizeof(count), &count);
	}
	bench_opencl_list_add(&list, sizeof(groups), &groups);
	require(bench_opencl_launch_groups(device, kernel, &list, (size_t)groups * 2, ITEMS, &error), &error);
	for (size_t i = 0; i < 2; i++) {
		require(cl->download(device, out[i], to[i], sizeof(to[i]), &error), &error);
		for (size_t matrix = 0; matrix < TURN_COUNT; matrix++)
			for (size_t row = 0; row < TURN_ROWS; row++)
				for (size_t column = 0; column < TURN_COLUMNS; column++)
					assert_int_equal(
						to[i][matrix * TURN_TO_STRIDE + column * TURN_TO_LD + row],
						matrix * TURN_STRIDE + row * TURN_LD + column);
		cl->release(device, out[i]);
	}
	cl->release(device, in);
	cl->close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_lie_at_multiples_of_16_bytes_with_zeros_between),
		cmocka_unit_test(matrices_are_transposed),
	};
	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
