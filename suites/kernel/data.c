/* SPDX-License-Identifier: MIT */
#include "suites/kernel/data.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "kit/half.h"

enum { TYPES = 11 };

static const struct bench_kernel_type types[TYPES] = {
	{"char", 1, INT8_MIN, INT8_MAX, BENCH_F64, false},
	{"uchar", 1, 0, UINT8_MAX, BENCH_F64, false},
	{"short", 2, INT16_MIN, INT16_MAX, BENCH_F64, false},
	{"ushort", 2, 0, UINT16_MAX, BENCH_F64, false},
	{"int", 4, INT32_MIN, INT32_MAX, BENCH_F64, false},
	{"uint", 4, 0, UINT32_MAX, BENCH_F64, false},
	{"long", 8, -0x1p63, 0x1p63 - 1024, BENCH_F64, false},
	{"ulong", 8, 0, 0x1p64 - 2048, BENCH_F64, false},
	{"half", 2, 0, 0, BENCH_F16, true},
	{"float", 4, 0, 0, BENCH_F32, true},
	{"double", 8, 0, 0, BENCH_F64, true},
};

int bench_kernel_type_find(const char *name, const struct bench_kernel_type **type, struct bench_error *error)
{
	const char *names[TYPES];
	for (size_t i = 0; i < TYPES; i++) {
		names[i] = types[i].name;
		if (strcmp(name, types[i].name) == 0) {
			*type = &types[i];
			return 0;
		}
	}
	return bench_text_no_such("type", name, names, TYPES, "", error);
}

int bench_kernel_type_wide(const char *name, struct bench_kernel_wide *wide, struct bench_error *error)
{
	static const size_t widths[] = {2, 3, 4, 8, 16};
	char element[16] = "";
	const size_t letters = strcspn(name, "0123456789[");
	size_t width = 1, array = 1;
	int read = 0;
	*wide = (struct bench_kernel_wide){0};
	memcpy(element, name, letters < sizeof(element) ? letters : sizeof(element) - 1);
	if (bench_kernel_type_find(letters < sizeof(element) ? element : name, &wide->type, error) != 0)
		return -1;
	const char *at = name + letters;
	if (isdigit((unsigned char)*at) && sscanf(at, "%2zu%n", &width, &read) == 1) {
		bool known = false;
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
			known |= widths[i] == width && at[0] != '0';
		wide->vector = true;
		at += read;
		if (!known)
			return bench_fail(error, BENCH_USAGE, "'%s': a vector has 2, 3, 4, 8 or 16 elements",
					  name);
	}
	if (*at == '[' && isdigit((unsigned char)at[1]) && sscanf(at, "[%5zu]%n", &array, &read) == 1 &&
	    read > 2 && array > 0) {
		wide->array = true;
		at += strcspn(at, "]") + 1;
	}
	if (*at || (wide->array && width == 3))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' is no type of numbers, such as \"float\", \"float4\" or \"float[8]\"",
				  name);
	wide->alignment = wide->type->bytes * (width == 3 ? 4 : width);
	wide->bytes = wide->alignment * array;
	wide->count = width * array;
	return 0;
}

static double get_real(const struct bench_kernel_type *type, const unsigned char *at)
{
	uint16_t half;
	float single;
	double number;
	if (type->bytes == 2)
		return (double)bench_half_to_float(*(const uint16_t *)memcpy(&half, at, sizeof(half)));
	if (type->bytes == 4)
		return (double)*(const float *)memcpy(&single, at, sizeof(single));
	return *(const double *)memcpy(&number, at, sizeof(number));
}

/* The bits of a little-endian integer, as machines that this runs on have them. */
long double bench_kernel_data_get(const struct bench_kernel_type *type, const void *data, size_t index)
{
	const unsigned char *at = (const unsigned char *)data + index * type->bytes;
	uint64_t bits = 0;
	if (type->real)
		return get_real(type, at);
	memcpy(&bits, at, type->bytes);
	if (type->least == 0)
		return (long double)bits;
	/* The sign to the top, and back. */
	const unsigned shift = (unsigned)(64 - 8 * type->bytes);
	return (long double)((int64_t)(bits << shift) >> shift);
}

const char *bench_kernel_data_why_not(double value)
{
	return value == trunc(value) ? "" : ": it is no whole number (floor, ceil and round make one)";
}

bool bench_kernel_data_set(const struct bench_kernel_type *type, void *data, size_t index, double value)
{
	unsigned char *at = (unsigned char *)data + index * type->bytes;
	if (type->real) {
		const bool finite = isfinite(value);
		const uint16_t half = type->bytes == 2 ? bench_half_from_double(value) : 0;
		const float single = type->bytes == 4 ? (float)value : 0;
		const void *from = type->bytes == 2   ? (const void *)&half
				   : type->bytes == 4 ? (const void *)&single
						      : &value;
		memcpy(at, from, type->bytes);
		/* What is meant to be infinite is said to be. */
		return !finite || (isfinite(single) && (half & 0x7c00) != 0x7c00);
	}
	if (!(value >= type->least && value <= type->most) || value != trunc(value))
		return false;
	const uint64_t bits = type->least == 0 ? (uint64_t)value : (uint64_t)(int64_t)value;
	memcpy(at, &bits, type->bytes);
	return true;
}

/*
 * Of each element another signaling NaN, or another integer: a copy from one guard to another, or of one to
 * another place, is seen, and so is an operation, which makes the NaN quiet.
 */
static void guard_element(const struct bench_kernel_type *type, unsigned char *at, uint64_t number)
{
	const uint64_t payload = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32 | 1;
	uint64_t bits = payload;
	if (type->real && type->bytes == 2)
		bits = UINT64_C(0xfc00) | (payload & 0x1ff);
	else if (type->real && type->bytes == 4)
		bits = UINT64_C(0xff800000) | (payload & 0x3fffff);
	else if (type->real)
		bits = UINT64_C(0xfff0000000000000) | payload;
	memcpy(at, &bits, type->bytes);
}

void bench_kernel_data_guard(const struct bench_kernel_type *type, unsigned char *image, size_t bytes,
			     size_t salt)
{
	unsigned char *behind = image + BENCH_KERNEL_GUARD + bytes;
	for (size_t i = 0; i < BENCH_KERNEL_GUARD; i += type->bytes) {
		const uint64_t number = (uint64_t)salt * 4 * BENCH_KERNEL_GUARD + 2 * i;
		guard_element(type, image + i, number);
		guard_element(type, behind + i, number + 1);
	}
}

/* The first byte of `count` that differs, or `count`. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t count)
{
	size_t i = 0;
	while (i < count && a[i] == b[i])
		i++;
	return i;
}

bool bench_kernel_data_overrun(const unsigned char *image, const unsigned char *found, size_t bytes,
			       int64_t *place)
{
	const size_t behind = BENCH_KERNEL_GUARD + bytes;
	size_t at = first_difference(image, found, BENCH_KERNEL_GUARD);
	*place = (int64_t)at - (int64_t)BENCH_KERNEL_GUARD;
	if (at < BENCH_KERNEL_GUARD)
		return true;
	at = first_difference(image + behind, found + behind, BENCH_KERNEL_GUARD);
	*place = (int64_t)(bytes + at);
	return at < BENCH_KERNEL_GUARD;
}
