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
	BENCH_PARAM_REAL,   /* a finite decimal number */
	BENCH_PARAM_CHOICE, /* one of the words in `choices` */
	BENCH_PARAM_TEXT,   /* a word, or the path of a file or folder, of which the last name is the key's */
};

struct bench_param {
	const char *name; /* [a-z][a-z0-9_]*, unique in its table, at most 31 characters */
	enum bench_param_type type;
	const char *fallback; /* the value where nothing sets one; "=NAME" follows that parameter */
	const char *choices;  /* CHOICE: the words, separated by '|'; else NULL */
	int64_t min, max;     /* INT: the smallest and largest value, inclusive */
	const char *help;     /* one line, with the unit */
};

#define BENCH_VALUE_MAX 48
#define BENCH_GIVEN_MAX 4096 /* of a TEXT as given, with its NUL */

struct bench_value {
	char text[BENCH_VALUE_MAX]; /* canonical: what history's keys show */
	int64_t integer;            /* INT: the value; CHOICE: the index of the word; REAL: 0 */
	double real;                /* INT, REAL: the value; CHOICE: 0 */
	const char *given; /* TEXT: all of it, perhaps a path; points at what was parsed. Else NULL */
};

/* The text that bench_value_parse reads back as this value. */
static inline const char *bench_value_given(const struct bench_value *value)
{
	return value->given ? value->given : value->text;
}

/*
 * Parses `text` as a value of `param` into `value`. BENCH_USAGE with the parameter,
 * the text and what would be right (the range, or the choices and the nearest).
 *
 * A TEXT keeps a pointer to `text`, which must outlive the value. Blanks, control characters,
 * ',' and '=' are refused, as they divide keys and lists. Where it holds a '/', it is a path, and
 * `value->text` is its last name: a folder of the user's is no part of a key, and a name that is no
 * path stays told from one by the '/' in `value->given`.
 */
int bench_value_parse(const struct bench_param *param, const char *text, struct bench_value *value,
		      struct bench_error *error);

#ifdef __cplusplus
}
#endif
#endif
