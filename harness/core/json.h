/* SPDX-License-Identifier: MIT */
/*
 * JSON from outside, read with checks (cJSON does the parsing). Each getter says which
 * member of which thing is wrong. Numbers are written so that they read back to the same
 * double; NaN and infinities, which JSON lacks, are written as null.
 */
#ifndef BENCH_CORE_JSON_H
#define BENCH_CORE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"

/*
 * Parses one document of `length` bytes. `what` names it in messages ("runs/x/metrics.json",
 * "line 12 of ..."). The caller frees it with cJSON_Delete. NULL with the error, also for a document whose
 * values are too many or nested too deeply for memory or stack.
 */
cJSON *bench_json_parse(const char *data, size_t length, const char *what, struct bench_error *error);

/* In place of `cJSON`, for a local pointer to a document, as BENCH_SCOPED_MEMORY (memory.h). */
#define BENCH_SCOPED_JSON __attribute__((cleanup(bench_json_release))) cJSON
static inline void bench_json_release(cJSON *const *document)
{
	cJSON_Delete(*document);
}

/* Members of `object`. A missing or mistyped one: -1, BENCH_ENVIRONMENT, naming `what`.member. */
int bench_json_string(const cJSON *object, const char *member, const char *what, const char **value,
		      struct bench_error *error);
int bench_json_number(const cJSON *object, const char *member, const char *what, double *value,
		      struct bench_error *error);
/* A whole number within [min, max]. */
int bench_json_integer(const cJSON *object, const char *member, const char *what, int64_t min, int64_t max,
		       int64_t *value, struct bench_error *error);
int bench_json_array(const cJSON *object, const char *member, const char *what, const cJSON **value,
		     struct bench_error *error);
int bench_json_object(const cJSON *object, const char *member, const char *what, const cJSON **value,
		      struct bench_error *error);

/* The member of that name, or NULL; also NULL if `object` is NULL or has no members. */
static inline const cJSON *bench_json_member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The member if it is there and of that type, else the fallback. */
const char *bench_json_string_or(const cJSON *object, const char *member, const char *fallback);
double bench_json_number_or(const cJSON *object, const char *member, double fallback);
bool bench_json_bool_or(const cJSON *object, const char *member, bool fallback);

/*
 * Prints the document, over several lines or as one, and frees it: malloc'd text, which is whole. Where there
 * is no memory for it, or it is larger than the 2 GiB that cJSON can print, the process ends (memory.h).
 */
char *bench_json_print(cJSON *document, bool lines);

/* Adds a number in shortest round-trip form; a NaN or an infinity becomes null. */
void bench_json_add_number(cJSON *object, const char *member, double value);
cJSON *bench_json_real(double value);

#endif
