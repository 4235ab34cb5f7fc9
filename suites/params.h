/* SPDX-License-Identifier: MIT */
/* Rows of a suite's parameter table (bench/param.h), one line each. The table ends with {.name = NULL}. */
#ifndef SUITES_PARAMS_H
#define SUITES_PARAMS_H

#include "bench/param.h"
#include "kit/rng.h"

/* A whole number from `least` to `most`. */
#define BENCH_INT(name_, fallback_, least, most, help_)                                                      \
	{                                                                                                    \
		.name = (name_), .type = BENCH_PARAM_INT, .fallback = (fallback_), .min = (least),           \
		.max = (most), .help = (help_)                                                               \
	}

/* Any finite number. */
#define BENCH_REAL(name_, fallback_, help_)                                                                  \
	{                                                                                                    \
		.name = (name_), .type = BENCH_PARAM_REAL, .fallback = (fallback_), .help = (help_)          \
	}

/* One of the words "a|b|c". */
#define BENCH_CHOICE(name_, fallback_, words, help_)                                                         \
	{                                                                                                    \
		.name = (name_), .type = BENCH_PARAM_CHOICE, .fallback = (fallback_), .choices = (words),    \
		.help = (help_)                                                                              \
	}

/* The values of the inputs, which bench_operand_input makes. It stands last. */
#define BENCH_DATA                                                                                           \
	{                                                                                                    \
		.name = "data", .type = BENCH_PARAM_CHOICE, .fallback = "uniform",                           \
		.choices = BENCH_DATA_WORDS,                                                                 \
		.help = "values of the inputs: uniform in [-1, 1), normal, whole numbers from -2 to 2, 0"    \
	}

/* One of the words, or the path of a file or folder. */
#define BENCH_PATH(name_, fallback_, words, help_)                                                           \
	{                                                                                                    \
		.name = (name_), .type = BENCH_PARAM_PATH, .fallback = (fallback_), .choices = (words),      \
		.help = (help_)                                                                              \
	}

#endif
