/* SPDX-License-Identifier: MIT */
/*
 * Parameters: the named, typed knobs of a suite. A suite declares a const table of
 * them; the harness parses, checks, sweeps and records their values. The values of a
 * case, in table order, are its identity in all history, so a parameter is never
 * renamed or moved lightly.
 */
#ifndef BENCH_PARAM_H
#define BENCH_PARAM_H

#include <stdint.h>

#include "bench/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bench_param_type {
	BENCH_PARAM_INT,    /* decimal; KiB, MiB, GiB (powers of 1024) and K, M, G (of 1000) are understood */
	BENCH_PARAM_REAL,   /* a finite decimal number, known by its shortest text: 1.50 is 1.5 */
	BENCH_PARAM_CHOICE, /* one of the words in `choices` */
	BENCH_PARAM_PATH,   /* a word of `choices`, or the path of a file or folder: with a '/' or a '.' */
	/*
	 * Any text, as it is written: 1.1 and 1.10 are two. A key has %XX for what it cannot hold. In sweeps,
	 * write %XX for anything except letters, digits and ".+_-".
	 */
	BENCH_PARAM_TEXT,
};

struct bench_param {
	const char *name; /* [a-z][a-z0-9_]*, unique in its table, at most 31 characters */
	enum bench_param_type type;
	const char *fallback; /* the value where nothing sets one; "=NAME" follows that parameter */
	const char *choices;  /* CHOICE, PATH: the words, separated by '|'; else NULL */
	int64_t min, max;     /* INT: the smallest and largest value, inclusive */
	const char *help;     /* one line, with the unit */
};

#define BENCH_VALUE_MAX      48
#define BENCH_VALUE_PATH_MAX 256

struct bench_value {
	/* Canonical: what history's keys show. Of a path its last name; what is longer ends in '~' and a
	 * hash. */
	char text[BENCH_VALUE_MAX];
	int64_t integer; /* INT: the value; CHOICE, PATH: the index of the word, -1 for a path; else 0 */
	double real;     /* INT, REAL: the value; else 0 */
	char path[BENCH_VALUE_PATH_MAX]; /* PATH, TEXT: as it was given, where it is no word of `choices`;
					    else empty */
};

/* What bench_value_parse makes the same value of again: what was given, else the text. */
static inline const char *bench_value_given(const struct bench_value *value)
{
	return value->path[0] ? value->path : value->text;
}

/*
 * Parses `text` as a value of `param` into `value`. BENCH_USAGE with the parameter,
 * the text and what would be right (the range, or the choices and the nearest). Whether
 * there is such a file or folder is for the suite to find out.
 */
int bench_value_parse(const struct bench_param *param, const char *text, struct bench_value *value,
		      struct bench_error *error);

#ifdef __cplusplus
}
#endif
#endif
