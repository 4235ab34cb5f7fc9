/* SPDX-License-Identifier: MIT */
/* Random numbers, and rounding to half, bfloat and tf32. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kit/half.h"
#include "kit/rng.h"

/* Known answer of philox4x32-10 from Random123's own kat_vectors: counter 0, key 0. */
static void random_numbers_are_philox(void **state)
{
	(void)state;
	struct bench_rng rng;
	bench_rng_start(&rng, 0, 0);
	assert_int_equal(bench_rng_u32(&rng), 0x6627e8d5);
	assert_int_equal(bench_rng_u32(&rng), 0xe169c58d);
	assert_int_equal(bench_rng_u32(&rng), 0xbc57ac4c);
	assert_int_equal(bench_rng_u32(&rng), 0x9b00dbd8);
}

static void random_numbers_have_the_moments_they_should(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct bench_rng rng;
	double sum = 0, squares = 0, uniform = 0;
	size_t seen[7] = {0};
	bench_rng_start(&rng, 42, 3);
	for (int i = 0; i < N; i++) {
		double x = bench_rng_normal(&rng);
		sum += x;
		squares += x * x;
		uniform += bench_rng_uniform(&rng);
		seen[bench_rng_below(&rng, 7)]++;
	}
	/* Six standard errors each. */
	assert_true(fabs(sum / N) < 6 / sqrt(N));
	assert_true(fabs(squares / N - 1) < 6 * sqrt(2.0 / N));
	assert_true(fabs(uniform / N - 0.5) < 6 * sqrt(1.0 / 12 / N));
	for (int i = 0; i < 7; i++)
		assert_true(fabs((double)seen[i] - N / 7.0) < 6 * sqrt(N / 7.0));
}

static void a_shuffle_keeps_every_item(void **state)
{
	(void)state;
	size_t items[100], seen[100] = {0};
	struct bench_rng rng;
	bench_rng_start(&rng, 1, 1);
	for (size_t i = 0; i < 100; i++)
		items[i] = i;
	bench_rng_shuffle(&rng, items, 100);
	bool moved = false;
	for (size_t i = 0; i < 100; i++) {
		seen[items[i]]++;
		moved |= items[i] != i;
	}
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved);
}

static void every_type_is_filled_with_the_same_values(void **state)
{
	(void)state;
	float singles[1003];
	double doubles[1003];
	uint16_t halves[1003];
	bench_rng_fill(9, 2, BENCH_F32, singles, 1003);
	bench_rng_fill(9, 2, BENCH_F64, doubles, 1003);
	bench_rng_fill(9, 2, BENCH_F16, halves, 1003);
	for (size_t i = 0; i < 1003; i++) {
		assert_true((double)singles[i] == doubles[i]);
		assert_int_equal(halves[i], bench_half_from_double(doubles[i]));
		assert_true(doubles[i] >= -1 && doubles[i] < 1);
	}
	double shorter[5];
	bench_rng_fill(9, 2, BENCH_F64, shorter, 5);
	assert_memory_equal(shorter, doubles, sizeof(shorter));
	bench_rng_fill(9, 3, BENCH_F64, shorter, 5);
	assert_memory_not_equal(shorter, doubles, sizeof(shorter));
}

/* The first values of history's inputs: they stay these, bit for bit. */
static void uniform_data_stay_as_they_are(void **state)
{
	(void)state;
	static const float first[] = {-0x1.e3e39p-1F, -0x1.ebecep-2F,  -0x1.1bdbcp-1F,
				      -0x1.25d43p-3F, -0x1.12b194p-1F, 0x1.c1294p-1F};
	float values[6];
	bench_rng_fill_data(BENCH_DATA_UNIFORM, 1, 1, BENCH_F32, values, 6);
	assert_memory_equal(values, first, sizeof(first));
}

static void data_have_the_distribution_of_their_name(void **state)
{
	(void)state;
	enum { COUNT = 100000 };
	static const struct {
		enum bench_data data;
		double variance, largest;
	} rows[] = {{BENCH_DATA_UNIFORM, 1.0 / 3, 1},
		    {BENCH_DATA_NORMAL, 1, 5.8},
		    {BENCH_DATA_INTEGERS, 2, 2},
		    {BENCH_DATA_ZEROS, 0, 0}};
	double *values = malloc(COUNT * sizeof(*values));
	float *singles = malloc(COUNT * sizeof(*singles));
	uint16_t halves[9];
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		double sum = 0, squares = 0, magnitudes = 0;
		bench_rng_fill_data(rows[r].data, 9, 2, BENCH_F64, values, COUNT);
		bench_rng_fill_data(rows[r].data, 9, 2, BENCH_F32, singles, COUNT);
		bench_rng_fill_data(rows[r].data, 9, 2, BENCH_F16, halves, 9);
		for (size_t i = 0; i < COUNT; i++) {
			assert_true((double)singles[i] == values[i]);
			assert_true(i >= 9 || halves[i] == bench_half_from_double(values[i]));
			assert_true(fabs(values[i]) <= rows[r].largest);
			assert_true(rows[r].data != BENCH_DATA_INTEGERS || values[i] == rint(values[i]));
			sum += values[i];
			squares += values[i] * values[i];
			magnitudes += fabs(values[i]);
		}
		assert_true(fabs(sum / COUNT) < 0.02);
		assert_true(fabs(squares / COUNT - rows[r].variance) < 0.02);
		assert_true(fabs(magnitudes / COUNT - bench_rng_magnitude(rows[r].data)) < 0.01);
	}
	free(values);
	free(singles);
}

/* `rounded` is the nearest number of `units` to `value`, and between two the even one. */
static void expect_nearest(double value, double rounded, double unit)
{
	double units = rounded / unit, off = fabs(value - rounded) / unit;
	if (units != floor(units) || off > 0.5 || (off == 0.5 && fmod(units, 2) != 0))
		fail_msg("%a is rounded to %a, in units of %a", value, rounded, unit);
}

static void bfloat_and_tf32_round_to_the_nearest_even(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 0x10000; bits++) {
		double value = (double)bench_bfloat_to_float((uint16_t)bits);
		if (isnan(value))
			assert_true(isnan(bench_bfloat_to_float(bench_bfloat_from_double(value))));
		else
			assert_int_equal(bench_bfloat_from_double(value), bits);
	}
	struct bench_rng rng;
	bench_rng_start(&rng, 1, 1);
	for (int i = 0; i < 100000; i++) {
		/* 24 digits from 1 to 2; of every eighth only those that decide, which makes ties. */
		uint64_t digits = bench_rng_below(&rng, 1 << 23);
		double bfloat = 1 + (double)(i % 8 ? digits : digits >> 15 << 15) * 0x1p-23;
		double tf32 = 1 + (double)(i % 8 ? digits : digits >> 12 << 12) * 0x1p-23;
		expect_nearest(bfloat, (double)bench_bfloat_to_float(bench_bfloat_from_double(bfloat)),
			       0x1p-7);
		expect_nearest(-tf32, (double)bench_tf32_from_double(-tf32), 0x1p-10);
	}
	/* Beyond the range, and the largest number within it. */
	assert_true(isinf(bench_bfloat_to_float(bench_bfloat_from_double(0x1.ffp127))));
	assert_int_equal(bench_bfloat_from_double(0x1.fefp127), 0x7f7f);
	assert_true(isinf(bench_tf32_from_double(-1e300)));
	assert_true(isnan(bench_tf32_from_double(NAN)));
	assert_int_equal(bench_bfloat_from_double(-0.0), 0x8000);
}

static void every_half_is_a_float_and_comes_back(void **state)
{
	(void)state;
	for (unsigned half = 0; half < 0x10000; half++) {
		unsigned exponent = half >> 10 & 31, digits = half & 1023;
		double size = exponent ? ldexp(1024 + digits, (int)exponent - 25) : ldexp(digits, -24);
		float value = bench_half_to_float((uint16_t)half);
		if (exponent == 31 && digits) {
			assert_true(isnan(value));
			assert_true(isnan(bench_half_to_float(bench_half_from_double((double)value))));
			continue;
		}
		if (exponent == 31)
			size = (double)INFINITY;
		if ((double)value != (half & 0x8000 ? -size : size) || !signbit(value) != !(half & 0x8000))
			fail_msg("half %#x is %g, not %g", half, (double)value, size);
		assert_int_equal(bench_half_from_double((double)value), half);
	}
}

static void between_two_halves_the_nearer_is_taken_and_of_two_as_near_the_even_one(void **state)
{
	(void)state;
	for (unsigned half = 0; half < 0x7bff; half++) {
		double low = (double)bench_half_to_float((uint16_t)half),
		       high = (double)bench_half_to_float((uint16_t)(half + 1)), middle = (low + high) / 2;
		unsigned even = half & 1 ? half + 1 : half;
		assert_int_equal(bench_half_from_double(middle), even);
		assert_int_equal(bench_half_from_double(-middle), even | 0x8000);
		assert_int_equal(bench_half_from_double(nextafter(middle, 0)), half);
		assert_int_equal(bench_half_from_double(nextafter(middle, high)), half + 1);
	}
	/* 65520 lies between the largest and what would follow it. */
	assert_int_equal(bench_half_from_double(nextafter(65520, 0)), 0x7bff);
	assert_int_equal(bench_half_from_double(65520), 0x7c00);
	assert_int_equal(bench_half_from_double(-1e300), 0xfc00);
	assert_int_equal(bench_half_from_double(5e-324), 0);
	assert_int_equal(bench_half_from_double(-0.0), 0x8000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers_are_philox),
		cmocka_unit_test(random_numbers_have_the_moments_they_should),
		cmocka_unit_test(a_shuffle_keeps_every_item),
		cmocka_unit_test(every_type_is_filled_with_the_same_values),
		cmocka_unit_test(uniform_data_stay_as_they_are),
		cmocka_unit_test(data_have_the_distribution_of_their_name),
		cmocka_unit_test(every_half_is_a_float_and_comes_back),
		cmocka_unit_test(bfloat_and_tf32_round_to_the_nearest_even),
		cmocka_unit_test(between_two_halves_the_nearer_is_taken_and_of_two_as_near_the_even_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
