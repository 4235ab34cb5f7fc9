/* SPDX-License-Identifier: MIT */
/*
 * Functions of a number that the compiler makes vectors of: no branch, no call, no table. Those of the C
 * library are calls, one for each element.
 *
 * Their polynomials and rational functions are those of least error (Remez's second algorithm; for rational
 * ones Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23,
 * 1969). Those of the rational functions have coefficients of one sign, so that nothing cancels.
 * tests/unit/test_curves.c has the errors.
 */
#ifndef BACKENDS_CPU_CURVES_H
#define BACKENDS_CPU_CURVES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float curve_as_f32(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint32_t curve_bits_f32(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double curve_as_f64(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint64_t curve_bits_f64(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/*
 * 2^x of x in [-127, 128], of f64 in [-1023, 1024]: 0 and infinity at the ends. A polynomial of x less the
 * nearest integer, which is in the last bits of a sum with 1.5 x 2^23 (2^52).
 */
static inline float curve_exp2_f32(float x)
{
	const float shift = 0x1.8p23F + 127;
	float sum = x + shift, r = x - (sum - shift);
	float y = 0.00961848895F + r * (0.00133999318F + r * 0.000153458167F);
	y = 1 + r * (0.693147206F + r * (0.240226469F + r * (0.0555032877F + r * y)));
	return y * curve_as_f32(curve_bits_f32(sum) << 23);
}

static inline double curve_exp2_f64(double x)
{
	const double shift = 0x1.8p52 + 1023;
	double sum = x + shift, r = x - (sum - shift);
	double y = 7.0741055002376444e-9 + r * 4.4352842754773126e-10;
	y = 1.3215433090355224e-6 + r * (1.0178198009603078e-7 + r * y);
	y = 1.5403530462513071e-4 + r * (1.5252733490028248e-5 + r * y);
	y = 9.6181291075883363e-3 + r * (1.3333558146789871e-3 + r * y);
	y = 0.24022650695910156 + r * (0.055504108664819922 + r * y);
	y = 1 + r * (0.69314718055994533 + r * y);
	return y * curve_as_f64(curve_bits_f64(sum) << 52);
}

/*
 * x Phi(x), by Phi(-|x|) = exp(-x^2 / 2) P(|x|) / Q(|x|): of a negative x nothing cancels, as it does in 1 +
 * erf. P / Q has the least error times exp(-x^2 / 2). From 13.25 (37.66) on exp is 0.
 */
static inline float curve_gelu_f32(float x)
{
	float a = fabsf(x);
	a = a > 13.25F ? 13.25F : a;
	float p = 0.500000009F + a * (0.186101131F + a * 0.0354861702F);
	float q = 1 + a * (1.17008837F + a * (0.504547442F + a * (0.0835887657F + a * 0.000365468823F)));
	return (x > 0 ? x : 0) - a * (curve_exp2_f32(a * a * -0.721347520F) * p) / q;
}

static inline double curve_gelu_f64(double x)
{
	double a = fabs(x);
	a = a > 37.66 ? 37.66 : a;
	double p = 0.0015903069108276626 + a * 8.0068194748969642e-5;
	p = 0.25448777777025126 + a * (0.077002917304267219 + a * (0.014472827539294547 + a * p));
	p = 0.5 + a * (0.5022874624868288 + a * p);
	double q = 0.0039864607746728878 + a * 2.0069751517897866e-4;
	q = 0.67338041672121231 + a * (0.19704528277720823 + a * (0.036475597855506109 + a * q));
	q = 1 + a * (1.8024594857765335 + a * (1.447130150713853 + a * q));
	return (x > 0 ? x : 0) - a * (curve_exp2_f64(a * a * -0.72134752044448170) * p) / q;
}

/* x / 2 (1 + tanh(z)) = x / (1 + exp(-2 z)), z = sqrt(2 / pi) (x + 0.044715 x^3). */
static inline float curve_gelu_tanh_f32(float x)
{
	float y = x * (-2.30220820F + x * x * -0.102943240F);
	y = y > 128 ? 128 : y;
	return x / (1 + curve_exp2_f32(y < -127 ? -127 : y));
}

static inline double curve_gelu_tanh_f64(double x)
{
	double y = x * (-2.3022081981443249 + x * x * -0.10294323958002349);
	y = y > 1024 ? 1024 : y;
	return x / (1 + curve_exp2_f64(y < -1023 ? -1023 : y));
}

/* The upper bits of a number, in [0, 1): exact. */
static inline float curve_uniform_f32(uint32_t bits)
{
	return (float)(int32_t)(bits >> 8) * 0x1p-24F;
}

/* By halves, as digits of 2^52 and 2^84: a conversion of 64 bits few CPUs have for vectors. */
static inline double curve_uniform_f64(uint64_t bits)
{
	double high = curve_as_f64(0x4530000000000000 | bits >> 43) - 0x1.00000001p84;
	double low = curve_as_f64(0x4330000000000000 | (bits >> 11 & 0xffffffff));
	return (high + low) * 0x1p-53;
}

/*
 * log of x in [2^-24, 1]: x = m 2^e, m in [sqrt(1/2), sqrt(2)), and a polynomial of f = m - 1; as in
 * random.cl.
 */
static inline float curve_log_f32(float x)
{
	int32_t above = (int32_t)curve_bits_f32(x) - 0x3f3504f3;
	float f = curve_as_f32((uint32_t)(above & 0x7fffff) + 0x3f3504f3) - 1;
	float sum = 0.161805004F + f * -0.10082372F;
	sum = -0.172432259F + f * sum;
	sum = 0.199068829F + f * sum;
	sum = -0.249712288F + f * sum;
	sum = 0.333347142F + f * sum;
	sum = -0.500003219F + f * sum;
	return (float)(above >> 23) * 0.693147181F + (sum * (f * f) + f);
}

/* The same of x in [2^-53, 1], by the series of s = f / (2 + f): log m = log((1 + s) / (1 - s)). */
static inline double curve_log_f64(double x)
{
	/* 1023 more, so that it is no negative number. */
	uint64_t above = curve_bits_f64(x) - 0x3fe6a09e667f3bcd + (UINT64_C(1023) << 52);
	double e = curve_as_f64(0x4330000000000000 | above >> 52) - (0x1p52 + 1023);
	double f = curve_as_f64((above & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1;
	double s = f / (2 + f), z = s * s;
	double sum = 0.1531242927577681662 + z * 0.1481068204918113678;
	sum = 0.1818363563175966394 + z * sum;
	sum = 0.222221969784319674 + z * sum;
	sum = 0.2857142876143784815 + z * sum;
	sum = 0.3999999999929848356 + z * sum;
	sum = 0.6666666666666765265 + z * sum;
	return e * 0.6931471805599453 + (2 * s + s * (z * sum));
}

/*
 * Two normal numbers of two words, by Box and Muller (bench/op/random.h). The angle is q + z quarters of a
 * turn, z in
 * [-1/2, 1/2]; of it sine and cosine, whose places and signs are by q.
 */
static inline void curve_normal_f32(uint32_t a, uint32_t b, float *x, float *y)
{
	float radius = sqrtf(-2 * curve_log_f32(1 - curve_uniform_f32(a)));
	uint32_t q = (b + 0x20000000) >> 30;
	float z = (float)(int32_t)((b & ~UINT32_C(255)) << 2) * 0x1p-32F, t = z * z;
	float s = z * (1.57079637F + t * (-0.645963430F + t * (0.0796800330F + t * -0.00460165646F)));
	float c = 1 + t * (-1.23369765F + t * (0.253603220F + t * -0.0204172824F));
	uint32_t sine = curve_bits_f32(radius * s), cosine = curve_bits_f32(radius * c), odd = -(q & 1);
	*x = curve_as_f32(((sine & odd) | (cosine & ~odd)) ^ ((q + 1) & 2) << 30);
	*y = curve_as_f32(((cosine & odd) | (sine & ~odd)) ^ (q & 2) << 30);
}

static inline void curve_normal_f64(uint64_t a, uint64_t b, double *x, double *y)
{
	double radius = sqrt(-2 * curve_log_f64(1 - curve_uniform_f64(a)));
	double quarters = 4 * curve_uniform_f64(b), rounded = quarters + 0x1.8p52;
	uint64_t q = curve_bits_f64(rounded);
	double z = quarters - (rounded - 0x1.8p52), t = z * z;
	double s = 5.63372098508598934e-8;
	s = -3.598641754297935614e-6 + t * s;
	s = 0.0001604411502916262962 + t * s;
	s = -0.004681754132282417412 + t * s;
	s = 0.07969262624603956046 + t * s;
	s = -0.6459640975062442416 + t * s;
	s = z * (1.570796326794896614 + t * s);
	double c = -6.320557065899870994e-9;
	c = 4.710603578952988925e-7 + t * c;
	c = -0.00002520203655813090276 + t * c;
	c = 0.0009192602741467584313 + t * c;
	c = -0.02086348076330800238 + t * c;
	c = 0.2536695079010465743 + t * c;
	c = -1.23370055013616981 + t * c;
	c = 1 + t * c;
	uint64_t sine = curve_bits_f64(radius * s), cosine = curve_bits_f64(radius * c), odd = -(q & 1);
	*x = curve_as_f64(((sine & odd) | (cosine & ~odd)) ^ ((q + 1) & 2) << 62);
	*y = curve_as_f64(((cosine & odd) | (sine & ~odd)) ^ (q & 2) << 62);
}

#endif
