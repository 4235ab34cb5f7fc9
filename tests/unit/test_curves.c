/* SPDX-License-Identifier: MIT */
/* The functions that the loops of the openblas backend are made of: how far they err, and what is special. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "backends/cpu/curves.h"
#include "kit/reference.h"

/* Odd, so that the bits of a sample differ in all places. */
enum { FLOATS_STEP = 20011 };

/* Error over what is allowed, u |x| (suites/activation.h allows 16). */
static double gelu_error(double found, enum bench_activation function, double x, double unit)
{
	return fabs(found - bench_reference_activation(function, x)) / (unit * fabs(x));
}

static void gelu_of_all_floats_errs_by_less_than_3_units(void **state)
{
	(void)state;
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += FLOATS_STEP) {
		float x = curve_as_f32((uint32_t)bits);
		/* A unit of the smallest ones is no number. */
		if (!isfinite(x) || fabsf(x) < 1e-37F)
			continue;
		if (!(gelu_error((double)curve_gelu_f32(x), BENCH_ACTIVATION_GELU, (double)x, 0x1p-24) < 3))
			fail_msg("gelu(%g) is %g", (double)x, (double)curve_gelu_f32(x));
		if (!(gelu_error((double)curve_gelu_tanh_f32(x), BENCH_ACTIVATION_GELU_TANH, (double)x,
				 0x1p-24) < 3))
			fail_msg("gelu_tanh(%g) is %g", (double)x, (double)curve_gelu_tanh_f32(x));
	}
}

static void gelu_of_doubles_errs_by_less_than_6_units(void **state)
{
	(void)state;
	/* Of which the reference has up to 4. */
	for (int i = -50000; i < 50000; i++) {
		double x = i * 1.2345e-3 + 1e-5;
		if (!(gelu_error(curve_gelu_f64(x), BENCH_ACTIVATION_GELU, x, 0x1p-53) < 6))
			fail_msg("gelu(%g) is %.17g", x, curve_gelu_f64(x));
		if (!(gelu_error(curve_gelu_tanh_f64(x), BENCH_ACTIVATION_GELU_TANH, x, 0x1p-53) < 6))
			fail_msg("gelu_tanh(%g) is %.17g", x, curve_gelu_tanh_f64(x));
	}
}

static void gelu_of_negative_numbers_keeps_digits_that_1_plus_erf_loses(void **state)
{
	(void)state;
	for (int i = 1; i < 50000; i++) {
		float x = (float)i * -1e-4F;
		double expected = bench_reference_activation(BENCH_ACTIVATION_GELU, (double)x);
		if (!(fabs((double)curve_gelu_f32(x) / expected - 1) < 1e-2))
			fail_msg("gelu(%g) is %g, not %g", (double)x, (double)curve_gelu_f32(x), expected);
	}
}

static void special_numbers_are_as_in_the_limit(void **state)
{
	(void)state;
	static const double zeros[] = {0, -0.0, -1e30, -100};
	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
		assert_true(curve_gelu_f32((float)zeros[i]) == 0);
		assert_true(curve_gelu_tanh_f32((float)zeros[i]) == 0);
		assert_true(curve_gelu_f64(zeros[i]) == 0);
		assert_true(curve_gelu_tanh_f64(zeros[i]) == 0);
	}
	static const double same[] = {1e30, 100, (double)INFINITY};
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_true(curve_gelu_f32((float)same[i]) == (float)same[i]);
		assert_true(curve_gelu_tanh_f32((float)same[i]) == (float)same[i]);
		assert_true(curve_gelu_f64(same[i]) == same[i]);
		assert_true(curve_gelu_tanh_f64(same[i]) == same[i]);
	}
	assert_true(isnan(curve_gelu_f32(NAN)) && isnan(curve_gelu_tanh_f32(NAN)));
	assert_true(isnan(curve_gelu_f64((double)NAN)) && isnan(curve_gelu_tanh_f64((double)NAN)));
	assert_true(curve_exp2_f32(-127) == 0 && curve_exp2_f32(128) == INFINITY);
	assert_true(curve_exp2_f64(-1023) == 0 && curve_exp2_f64(1024) == (double)INFINITY);
	for (int e = -126; e < 128; e++)
		assert_true(curve_exp2_f32((float)e) == ldexpf(1, e));
	for (int e = -1022; e < 1024; e++)
		assert_true(curve_exp2_f64(e) == ldexp(1, e));
}

/* Normal numbers of two words err by so many epsilon of their radius; 12 are allowed (bench/op/random.h). */
static void expect_normal(uint64_t a, uint64_t b)
{
	const double turn = 2 * acos(-1.0);
	float found[2];
	double wide[2];
	curve_normal_f32((uint32_t)(a >> 32), (uint32_t)(b >> 32), &found[0], &found[1]);
	curve_normal_f64(a, b, &wide[0], &wide[1]);
	for (int i = 0; i < 2; i++) {
		double u = (double)(a >> 40) * 0x1p-24, v = turn * (double)(b >> 40) * 0x1p-24;
		double radius = sqrt(-2 * log1p(-u)), expected = radius * (i ? sin(v) : cos(v));
		if (!(fabs((double)found[i] - expected) <= 3 * 0x1p-23 * radius))
			fail_msg("f32 of %llx, %llx: %g, not %g", (unsigned long long)a,
				 (unsigned long long)b, (double)found[i], expected);
		u = (double)(a >> 11) * 0x1p-53, v = turn * (double)(b >> 11) * 0x1p-53;
		radius = sqrt(-2 * log1p(-u)), expected = radius * (i ? sin(v) : cos(v));
		/* Of which the angle of the expected one has up to 6. */
		if (!(fabs(wide[i] - expected) <= 9 * 0x1p-52 * radius))
			fail_msg("f64 of %llx, %llx: %.17g, not %.17g", (unsigned long long)a,
				 (unsigned long long)b, wide[i], expected);
	}
}

static void normal_numbers_err_by_few_epsilon_of_their_radius(void **state)
{
	(void)state;
	static const uint64_t edges[] = {0,
					 1,
					 UINT64_C(1) << 61,
					 UINT64_C(1) << 62,
					 UINT64_C(1) << 63,
					 UINT64_MAX << 61,
					 UINT64_MAX << 11,
					 UINT64_MAX};
	enum { EDGES = sizeof(edges) / sizeof(edges[0]) };
	for (size_t i = 0; i < EDGES; i++)
		for (size_t j = 0; j < EDGES; j++)
			expect_normal(edges[i], edges[j]);
	/* All over both ranges, by Weyl's sequences. */
	for (uint64_t i = 0, a = 0, b = 0; i < 200000;
	     i++, a += UINT64_C(0x9e3779b97f4a7c15), b += UINT64_C(0xc2b2ae3d27d4eb4f))
		expect_normal(a, b);
}

static void uniform_numbers_are_exact(void **state)
{
	(void)state;
	for (uint64_t i = 0, a = 0; i < 10000; i++, a += UINT64_C(0x9e3779b97f4a7c15)) {
		assert_true(curve_uniform_f64(a) == (double)(a >> 11) * 0x1p-53);
		assert_true(curve_uniform_f32((uint32_t)(a >> 32)) == (float)(a >> 40) * 0x1p-24F);
	}
	assert_true(curve_uniform_f64(UINT64_MAX) == 1 - 0x1p-53 && curve_uniform_f64(0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gelu_of_all_floats_errs_by_less_than_3_units),
		cmocka_unit_test(gelu_of_doubles_errs_by_less_than_6_units),
		cmocka_unit_test(gelu_of_negative_numbers_keeps_digits_that_1_plus_erf_loses),
		cmocka_unit_test(special_numbers_are_as_in_the_limit),
		cmocka_unit_test(normal_numbers_err_by_few_epsilon_of_their_radius),
		cmocka_unit_test(uniform_numbers_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
