/* SPDX-License-Identifier: MIT */
/*
 * What reads a specification: JSON, each member checked, each error with its line and column. Functions that
 * return int give 0, or -1 with reader->error filled.
 */
#ifndef SUITES_KERNEL_READER_H
#define SUITES_KERNEL_READER_H

#include "core/json.h"
#include "core/json_place.h"
#include "core/text.h"
#include "suites/kernel/spec.h"

struct bench_kernel_reader {
	struct bench_arena *arena;
	struct bench_kernel_spec *spec;
	struct bench_param *params;
	const char *file, *text;
	const cJSON *root;
	struct bench_error *error;
};

/* Names that expressions have for the number of an element. */
extern const char *const bench_kernel_reader_indices[BENCH_KERNEL_INDICES];

/* At a value, or at the name of a member. */
#define FAIL_AT(reader, item, ...)                                                                           \
	bench_json_place_fail((reader)->text, (reader)->file, (reader)->root, item, false, 0,                \
			      (reader)->error, __VA_ARGS__)
#define FAIL_AT_NAME(reader, item, ...)                                                                      \
	bench_json_place_fail((reader)->text, (reader)->file, (reader)->root, item, true, 0,                 \
			      (reader)->error, __VA_ARGS__)

/* "FILE:LINE:COLUMN: what", for what is found to be wrong later. */
const char *bench_kernel_reader_place(const struct bench_kernel_reader *reader, const cJSON *item,
				      const char *what);
/* All members are of `names`, which ends with NULL, and none is there twice. */
int bench_kernel_reader_members(const struct bench_kernel_reader *reader, const cJSON *object,
				const char *what, const char *const *names);
/* A text, where the member is there. */
int bench_kernel_reader_string(const struct bench_kernel_reader *reader, const cJSON *object,
			       const char *name, const char **value);
/* Letters, digits and '_', at most 31, and no digit first. */
bool bench_kernel_reader_is_name(const char *text);
/* An expression, or a number, over the first `symbols` symbols. */
int bench_kernel_reader_expr(const struct bench_kernel_reader *reader, const cJSON *item, const char *what,
			     size_t symbols, bool random, struct bench_kernel_expr *into);
/* One to three expressions over parameters, and counters of loops around it, where the member is there. */
int bench_kernel_reader_shape(const struct bench_kernel_reader *reader, const cJSON *object, const char *name,
			      struct bench_kernel_shape *shape);
/* The name of the next kernel of a source, and the text behind it; NULL where no more is seen. */
const char *bench_kernel_reader_kernel(const struct bench_kernel_reader *reader, const char **source);
/* A text with {NAME} for values of parameters, where the member is there. */
int bench_kernel_reader_words(const struct bench_kernel_reader *reader, const cJSON *object, const char *name,
			      struct bench_kernel_words *words);
/* The members "tune" and "constraints". */
int bench_kernel_reader_tune(const struct bench_kernel_reader *reader);
/* "structs", the list "args", and what is launched: "launches", "variants", "reference", of which those that
 * have no member take that of `base`. */
int bench_kernel_reader_layouts(const struct bench_kernel_reader *reader);
int bench_kernel_reader_arguments(const struct bench_kernel_reader *reader);
int bench_kernel_reader_programs(const struct bench_kernel_reader *reader,
				 struct bench_kernel_spec_launch *base, struct bench_text *sweep);

#endif
