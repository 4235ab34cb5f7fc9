/* SPDX-License-Identifier: MIT */
/* Packed samples: every bit comes back, little room is taken, and data from outside does no harm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "store/pack.h"

enum { MOST = 5000 };

static struct bench_rng rng;

static void assert_same_bits(double a, double b)
{
	assert_memory_equal(&a, &b, sizeof(a));
}

/* Packs series, unpacks them and compares; the bytes that they took. */
static size_t pack(const struct bench_series *series, size_t count)
{
	static double values[MOST];
	static bool disturbed[MOST];
	struct store_packed packed = {0};
	int64_t id;
	size_t told, length;
	int before = -1;
	store_pack_metric(&packed, 77, series, count);
	assert_false(packed.bad);
	struct store_unpacking from = {.at = packed.data, .end = packed.data + packed.length};
	store_unpack_metric(&from, &id, &told);
	assert_int_equal(id, 77);
	assert_int_equal(told, count);
	for (size_t i = 0; i < count; i++) {
		const struct store_series_head head = store_unpack_series_head(&from, before);
		assert_false(from.bad);
		assert_int_equal(head.invocation, series[i].invocation);
		assert_int_equal(head.count, series[i].count);
		store_unpack_series(&from, &head, values, disturbed);
		assert_false(from.bad);
		for (size_t s = 0; s < head.count; s++) {
			assert_same_bits(values[s], series[i].values[s]);
			if (head.has_flags)
				assert_int_equal(disturbed[s], series[i].disturbed[s]);
		}
		before = head.invocation;
	}
	assert_ptr_equal(from.at, from.end);
	length = packed.length;
	store_packed_free(&packed);
	return length;
}

static size_t pack_values(double *values, size_t count)
{
	const struct bench_series series = {.values = values, .count = count};
	return pack(&series, 1);
}

/* As the sampler has it: nanoseconds over iterations. */
static double sampled(double seconds, uint64_t iterations)
{
	return (double)llround(seconds * (double)iterations * 1e9) * 1e-9 / (double)iterations;
}

static void times_of_a_process_take_two_bytes_each(void **state)
{
	(void)state;
	for (uint64_t iterations = 1; iterations < 3000000; iterations = 3 * iterations + 1) {
		double values[20];
		for (size_t i = 0; i < 20; i++)
			values[i] = sampled(2e-3 / (double)iterations * exp(0.005 * bench_rng_normal(&rng)),
					    iterations);
		assert_true(pack_values(values, 20) < 20 * 2 + 16);
	}
}

static void numbers_of_any_origin_come_back(void **state)
{
	double values[300];
	(void)state;
	for (size_t turn = 0; turn < 400; turn++) {
		size_t count = 1 + (size_t)(bench_rng_uniform(&rng) * 299);
		for (size_t i = 0; i < count; i++) {
			double x = bench_rng_normal(&rng);
			switch (turn % 8) {
			case 0:
				values[i] = x;
				break;
			case 1:
				values[i] = 1e-3 * exp(0.01 * x);
				break;
			case 2:
				values[i] = floor(1e4 * x);
				break;
			case 3:
				values[i] = round(x * 1e6) / 1e6;
				break;
			case 4:
				values[i] = exp(300 * x);
				break;
			case 5:
				values[i] = 21000.5 + 1e-5 * x - 21000.5;
				break;
			case 6:
				values[i] = 4;
				break;
			default:
				values[i] = x > 0 ? 0.0 : -0.0;
			}
			if (!isfinite(values[i]))
				values[i] = 0x1p-1074;
		}
		assert_true(pack_values(values, count) <= 11 * count + 24);
	}
}

static void one_that_is_far_off_does_not_cost_the_others(void **state)
{
	double values[100];
	(void)state;
	for (size_t i = 0; i < 100; i++)
		values[i] = sampled(1e-3 * exp(0.001 * bench_rng_normal(&rng)), 2);
	values[50] = sampled(7, 2);
	assert_true(pack_values(values, 100) < 210);
}

static void invocations_and_flags_come_back(void **state)
{
	double values[4][9];
	bool flags[9] = {true, false, false, false, false, false, false, false, true};
	struct bench_series series[4];
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t s = 0; s < 9; s++)
			values[i][s] = sampled(1e-3 * (double)(s + 1), i + 1);
		series[i] = (struct bench_series){.values = values[i], .count = 9};
	}
	series[0].invocation = 3;
	series[1].invocation = 0;
	series[2].invocation = 9999;
	series[3].invocation = -4;
	series[1].disturbed = flags;
	pack(series, 4);
	pack(series, 0);
}

static void series_without_samples_are_left_out(void **state)
{
	double value = 1;
	const struct bench_series series[] = {{.invocation = 0},
					      {.invocation = 1, .values = &value, .count = 1}};
	struct store_packed packed = {0}, alone = {0};
	(void)state;
	store_pack_metric(&packed, 1, series, 2);
	store_pack_metric(&alone, 1, series + 1, 1);
	assert_int_equal(packed.length, alone.length);
	assert_memory_equal(packed.data, alone.data, packed.length);
	store_packed_free(&packed);
	store_packed_free(&alone);
}

static struct bench_watched watched_at(size_t i)
{
	return (struct bench_watched){.invocation = (int)(i == 5 ? 70 : i),
				      .disturbed = i == 3 ? 0.25 : 0,
				      .canary = sampled(1e-4 + 1e-7 * (double)i, 1),
				      .canary_worst = 1 + 0.1 * bench_rng_uniform(&rng),
				      .others = i == 2 ? NAN : 0.25,
				      .steal = NAN,
				      .frequency = 2.6e9,
				      .device = (char *)(i < 4   ? ""
							 : i < 7 ? "1980 MHz"
								 : "1755 MHz, heat")};
}

static void what_the_watch_saw_comes_back(void **state)
{
	struct bench_watched watched[9], *back;
	struct store_packed packed = {0};
	struct bench_arena arena = {0};
	size_t count;
	(void)state;
	for (size_t i = 0; i < 9; i++)
		watched[i] = watched_at(i);
	store_pack_watched(&packed, watched, 9);
	assert_false(packed.bad);
	struct store_unpacking from = {.at = packed.data, .end = packed.data + packed.length};
	back = store_unpack_watched(&from, true, &arena, &count);
	assert_false(from.bad);
	assert_int_equal(count, 9);
	assert_ptr_equal(from.at, from.end);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(back[i].invocation, watched[i].invocation);
		assert_same_bits(back[i].disturbed, watched[i].disturbed);
		assert_same_bits(back[i].canary, watched[i].canary);
		assert_same_bits(back[i].canary_worst, watched[i].canary_worst);
		assert_same_bits(back[i].others, watched[i].others);
		assert_same_bits(back[i].steal, watched[i].steal);
		assert_same_bits(back[i].frequency, watched[i].frequency);
		assert_string_equal(back[i].device, watched[i].device);
	}
	from = (struct store_unpacking){.at = packed.data, .end = packed.data + packed.length};
	back = store_unpack_watched(&from, false, &arena, &count);
	assert_false(from.bad);
	assert_int_equal(count, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(back[i].invocation, watched[i].invocation);
		assert_same_bits(back[i].canary, watched[i].canary);
		assert_true(isnan(back[i].others));
		assert_string_equal(back[i].device, "");
	}
	bench_arena_free(&arena);
	store_packed_free(&packed);
}

/* Unpacks whatever it is, within the bytes that there are. */
static void unpack_wrong(const unsigned char *data, size_t length)
{
	/* A copy of its own, so that a sanitizer sees a step beyond it. */
	unsigned char *copy = malloc(length + 1);
	struct bench_arena arena = {0};
	int64_t id;
	size_t count, seen;
	int before = -1;
	assert_non_null(copy);
	memcpy(copy, data, length);
	struct store_unpacking from = {.at = copy, .end = copy + length};
	store_unpack_metric(&from, &id, &count);
	for (size_t i = 0; i < count && !from.bad; i++) {
		const struct store_series_head head = store_unpack_series_head(&from, before);
		if (from.bad)
			break;
		assert_true(head.count <= 8 * length + 9);
		store_unpack_series(&from, &head, bench_arena_alloc(&arena, head.count, sizeof(double)),
				    bench_arena_alloc(&arena, head.count, sizeof(bool)));
		before = head.invocation;
	}
	from = (struct store_unpacking){.at = copy, .end = copy + length};
	store_unpack_watched(&from, true, &arena, &seen);
	bench_arena_free(&arena);
	free(copy);
}

static void wrong_data_does_no_harm(void **state)
{
	double values[2][12];
	bool flags[12] = {true};
	struct bench_series series[2];
	struct store_packed packed = {0};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t s = 0; s < 12; s++)
			values[i][s] = sampled(1e-3 * exp(0.01 * bench_rng_normal(&rng)), 3);
		series[i] = (struct bench_series){.invocation = (int)i, .values = values[i], .count = 12};
	}
	series[1].disturbed = flags;
	store_pack_metric(&packed, 1, series, 2);
	for (size_t length = 0; length <= packed.length; length++)
		unpack_wrong(packed.data, length);
	for (size_t i = 0; i < 8 * packed.length; i++) {
		packed.data[i / 8] ^= (unsigned char)(1 << i % 8);
		unpack_wrong(packed.data, packed.length);
		packed.data[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	for (size_t turn = 0; turn < 20000; turn++) {
		unsigned char noise[40];
		for (size_t i = 0; i < sizeof(noise); i++)
			noise[i] = (unsigned char)(256 * bench_rng_uniform(&rng));
		unpack_wrong(noise, turn % sizeof(noise));
	}
	store_packed_free(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_a_process_take_two_bytes_each),
		cmocka_unit_test(numbers_of_any_origin_come_back),
		cmocka_unit_test(one_that_is_far_off_does_not_cost_the_others),
		cmocka_unit_test(invocations_and_flags_come_back),
		cmocka_unit_test(series_without_samples_are_left_out),
		cmocka_unit_test(what_the_watch_saw_comes_back),
		cmocka_unit_test(wrong_data_does_no_harm),
	};
	bench_rng_start(&rng, 20261123, 7);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
