/* SPDX-License-Identifier: MIT */
/* JSON that people write: errors in it name line and column, and numbers keep the text that they have there.
 */
#ifndef BENCH_CORE_JSON_PLACE_H
#define BENCH_CORE_JSON_PLACE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "core/text.h"

/*
 * Parses a NUL-terminated text, whose file is called `file`; the caller frees it with cJSON_Delete. The
 * `valuestring` of a number is its text: 1.10 is not 1.1 there. NULL: BENCH_USAGE, "FILE:LINE:COLUMN: not
 * valid JSON at '...'".
 */
cJSON *bench_json_place_parse(const char *text, const char *file, struct bench_error *error);

/*
 * BENCH_USAGE, "FILE:LINE:COLUMN: " and the words of `format`, with the place of `item` in the text that
 * `root` was parsed from: its value or, for a member with `name` true, its name. `into` is an offset from
 * there. Returns -1.
 */
int bench_json_place_fail(const char *text, const char *file, const cJSON *root, const cJSON *item, bool name,
			  size_t into, struct bench_error *error, const char *format, ...)
	__attribute__((format(printf, 8, 9)));

/*
 * The first member of an object that is none of `names`, or that the object has twice; NULL: there is none.
 * Adds to `words` what is wrong with it: "WHAT has no member 'x'", and the nearest name, or else all of them.
 */
const cJSON *bench_json_place_stray(const cJSON *object, const char *what, const char *const *names,
				    size_t count, struct bench_text *words);

#endif
