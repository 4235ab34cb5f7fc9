/* SPDX-License-Identifier: MIT */
/* Products so short that the calling thread computes them, alone or with the second one, beside the queue. */
#include "backends/opencl/runtime/helper.h"
#include "gemm_fixture.h"

/*
 * C = A B by the calling thread, C += C by the queue, C = A B + C by whichever, and so on: each must see what
 * the one before it has done.
 */
static void small_products_keep_their_place_among_other_work(void **state)
{
	(void)state;
	skip_without_device();
	enum { SIDE = 48, COUNT = SIDE * SIDE, ROUNDS = 50 };
	struct bench_device *device = open_first("cpu");
	struct bench_error error;
	struct bench_device_stats before, after;
	struct matrix a = make_matrix(device, BENCH_F32, SIDE, SIDE, 0, 1, 1),
		      b = make_matrix(device, BENCH_F32, SIDE, SIDE, 0, 1, 2),
		      c = make_matrix(device, BENCH_F32, SIDE, SIDE, 0, 1, 3);
	struct bench_gemm gemm = {.dtype = BENCH_F32,
				  .m = SIDE,
				  .n = SIDE,
				  .k = SIDE,
				  .alpha = 1,
				  .a = a.buffer,
				  .b = b.buffer,
				  .c = c.buffer,
				  .lda = SIDE,
				  .ldb = SIDE,
				  .ldc = SIDE};
	const struct bench_elementwise twice = {.op = BENCH_ELEMENTWISE_ADD,
						.dtype = BENCH_F32,
						.count = COUNT,
						.width = 1,
						.a = c.buffer,
						.b = c.buffer,
						.c = c.buffer};
	float *got = c.data, want[COUNT];
	double seconds;
	/* Small whole numbers: all sums are exact. */
	for (size_t i = 0; i < COUNT; i++) {
		((float *)a.data)[i] = (float)(i % 3);
		((float *)b.data)[i] = (float)(i % 2);
	}
	send(device, &a);
	send(device, &b);
	for (size_t i = 0; i < SIDE; i++)
		for (size_t j = 0; j < SIDE; j++) {
			float sum = 0;
			for (size_t s = 0; s < SIDE; s++)
				sum += (float)((i * SIDE + s) % 3) * (float)((s * SIDE + j) % 2);
			want[i * SIDE + j] = 3 * sum;
		}
	for (int round = 0; round < ROUNDS; round++) {
		if (round % 2)
			require(cl->time_begin(device, &error), &error);
		else
			require(cl->finish(device, &error), &error);
		cl->device_stats(device, &before);
		gemm.beta = 0;
		require(cl->gemm(device, &gemm, &error), &error);
		require(cl->elementwise(device, &twice, &error), &error);
		gemm.beta = 1;
		require(cl->gemm(device, &gemm, &error), &error);
		cl->device_stats(device, &after);
		assert_int_equal(after.launches - before.launches, 3);
		if (round % 2) {
			require(cl->time_end(device, &seconds, &error), &error);
			assert_true(seconds > 0);
		}
		require(cl->download(device, c.buffer, got, c.bytes, &error), &error);
		assert_memory_equal(got, want, c.bytes);
	}
	free_matrix(device, &a);
	free_matrix(device, &b);
	free_matrix(device, &c);
	cl->close(device);
}

/* As often as it takes for the second thread to be there and a while after; without it if `alone`. How often
 * it was there. */
static unsigned multiply_often(struct bench_device *device, const struct bench_gemm *gemm, bool alone)
{
	enum { TIMES = 300 };
	struct bench_error error;
	unsigned there = 0;
	for (int i = 0; i < TIMES; i++) {
		if (alone)
			bench_opencl_helper_rest(device->caller->helper);
		else
			there += bench_opencl_helper_ready(device->caller->helper);
		require(cl->gemm(device, gemm, &error), &error);
	}
	require(cl->finish(device, &error), &error);
	return there;
}

/* Each product adds to those before it, so that a part that was left out, or done twice, would stay. */
static void small_products_are_the_same_with_and_without_a_second_thread(void **state)
{
	(void)state;
	static const struct bench_gemm gemms[] = {
		{.m = 64, .n = 64, .k = 64},
		{.m = 17, .n = 250, .k = 100, .activation = BENCH_ACTIVATION_RELU},
		{.m = 128, .n = 100, .k = 128, .trans_a = true},
		{.m = 50, .n = 33, .k = 70, .batch = 5},
		{.m = 90, .n = 90, .k = 90, .dtype = BENCH_F64},
		{.m = 256, .n = 10, .k = 128},
		{.m = 10, .n = 256, .k = 128, .batch = 3},
		{.m = 200, .n = 200, .k = 200},
	};
	unsigned there = 0;
	skip_without_device();
	struct bench_device *device = open_first(NULL);
	if (!device->caller || !device->caller->helper) {
		print_message("skipped: the device has no second thread for short work\n");
		cl->close(device);
		skip();
	}
	for (size_t i = 0; i < sizeof(gemms) / sizeof(*gemms); i++) {
		struct bench_gemm gemm = gemms[i];
		if (gemm.dtype == BENCH_F64 && !first_info().f64)
			continue;
		const size_t batch = gemm.batch ? gemm.batch : 1;
		struct matrix a = make_matrix(device, gemm.dtype, gemm.trans_a ? gemm.k : gemm.m,
					      gemm.trans_a ? gemm.m : gemm.k, 0, batch, 1);
		struct matrix b = make_matrix(device, gemm.dtype, gemm.k, gemm.n, 0, batch, 2);
		struct matrix c = make_matrix(device, gemm.dtype, gemm.m, gemm.n, 1, batch, 3);
		struct bench_error error;
		void *alone = malloc(c.bytes), *together = malloc(c.bytes);
		assert_true(alone && together);
		gemm.alpha = 1, gemm.beta = 0.75;
		gemm.a = a.buffer, gemm.b = b.buffer, gemm.c = c.buffer;
		gemm.lda = a.ld, gemm.ldb = b.ld, gemm.ldc = c.ld;
		gemm.stride_a = a.stride, gemm.stride_b = b.stride, gemm.stride_c = c.stride;
		send(device, &a);
		send(device, &b);
		send(device, &c);
		multiply_often(device, &gemm, true);
		require(cl->download(device, c.buffer, alone, c.bytes, &error), &error);
		send(device, &c);
		there += multiply_often(device, &gemm, false);
		require(cl->download(device, c.buffer, together, c.bytes, &error), &error);
		assert_memory_equal(alone, together, c.bytes);
		free(alone);
		free(together);
		free_matrix(device, &a);
		free_matrix(device, &b);
		free_matrix(device, &c);
	}
	cl->close(device);
	if (!there) {
		print_message("skipped: the second thread never had a processor\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_products_keep_their_place_among_other_work),
		cmocka_unit_test(small_products_are_the_same_with_and_without_a_second_thread),
	};
	return cmocka_set_test_filter(getenv("ONLY")),
	       cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
