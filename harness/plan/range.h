/* SPDX-License-Identifier: MIT */
/* Ranges of numbers: "64:4096", both ends included; by steps "64:4096:+64" or by factors "64:4096:*2". */
#ifndef BENCH_PLAN_RANGE_H
#define BENCH_PLAN_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "bench/param.h"

struct bench_range {
	double from, to;
	double step;   /* 0: none was given */
	double factor; /* 0: none was given */
};

/* Is it meant as a range: a number, and a ':' behind it? */
bool bench_plan_range_is(const char *text);
/*
 * Reads a range; `param`: of a whole number's its suffixes (KiB, ..) and bounds hold for both ends, NULL: any
 * numbers. BENCH_USAGE with what is expected.
 */
int bench_plan_range_read(const char *text, const struct bench_param *param, struct bench_range *range,
			  struct bench_error *error);
/* Is the value one of the range? Without a step or a factor, any between its ends is. */
bool bench_plan_range_has(const struct bench_range *range, double value);
/* The value with that number, from 0; NaN where the range ends before. Without step or factor by steps of 1.
 */
double bench_plan_range_value(const struct bench_range *range, size_t number);

#endif
