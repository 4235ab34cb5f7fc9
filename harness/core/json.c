/* SPDX-License-Identifier: MIT */
#include "core/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static size_t line_at(const char *text, size_t at)
{
	size_t line = 1;
	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

cJSON *bench_json_parse(const char *data, size_t length, const char *what, struct bench_error *error)
{
	const char *end = NULL;
	/* cJSON takes about 80 bytes per value, and no run comes near this limit. The count is an upper
	 * bound. */
	const size_t most = (size_t)16 << 20;
	size_t values = 1;
	for (size_t i = 0; i < length; i++)
		values += data[i] == ',' || data[i] == '[' || data[i] == '{';
	if (values > most) {
		bench_fail(error, BENCH_ENVIRONMENT, "%s: more than %zu values", what, most);
		return NULL;
	}
	cJSON *document = cJSON_ParseWithLengthOpts(data, length, &end, false);
	if (!document) {
		size_t at = end && end >= data ? (size_t)(end - data) : 0;
		bench_fail(error, BENCH_ENVIRONMENT, "%s: not valid JSON (line %zu, at byte %zu of %zu)",
			   what, line_at(data, at), at, length);
		return NULL;
	}
	for (; end < data + length; end++) {
		if (*end != ' ' && *end != '\t' && *end != '\n' && *end != '\r' && *end != '\0') {
			bench_fail(error, BENCH_ENVIRONMENT,
				   "%s: text after the end of the JSON document (at byte %zu)", what,
				   (size_t)(end - data));
			cJSON_Delete(document);
			return NULL;
		}
	}
	return document;
}

static int wrong_type(const char *what, const char *member, const char *expected, const cJSON *item,
		      struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT, "%s: member '%s' %s; expected %s", what, member,
			  item ? "has another type" : "is missing", expected);
}

int bench_json_string(const cJSON *object, const char *member, const char *what, const char **value,
		      struct bench_error *error)
{
	const cJSON *item = bench_json_member(object, member);
	if (!cJSON_IsString(item))
		return wrong_type(what, member, "a string", item, error);
	*value = item->valuestring;
	return 0;
}

int bench_json_number(const cJSON *object, const char *member, const char *what, double *value,
		      struct bench_error *error)
{
	const cJSON *item = bench_json_member(object, member);
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return wrong_type(what, member, "a finite number", item, error);
	*value = item->valuedouble;
	return 0;
}

int bench_json_integer(const cJSON *object, const char *member, const char *what, int64_t min, int64_t max,
		       int64_t *value, struct bench_error *error)
{
	double number = 0;
	if (bench_json_number(object, member, what, &number, error) != 0)
		return -1;
	/* Within 2^53 a double holds every whole number, and the casts below are defined. */
	if (number != floor(number) || fabs(number) > 0x1p53 || (int64_t)number < min ||
	    (int64_t)number > max)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "%s: member '%s' is %.17g; expected a whole number from %lld to %lld", what,
				  member, number, (long long)min, (long long)max);
	*value = (int64_t)number;
	return 0;
}

int bench_json_array(const cJSON *object, const char *member, const char *what, const cJSON **value,
		     struct bench_error *error)
{
	*value = bench_json_member(object, member);
	return cJSON_IsArray(*value) ? 0 : wrong_type(what, member, "an array", *value, error);
}

int bench_json_object(const cJSON *object, const char *member, const char *what, const cJSON **value,
		      struct bench_error *error)
{
	*value = bench_json_member(object, member);
	return cJSON_IsObject(*value) ? 0 : wrong_type(what, member, "an object", *value, error);
}

const char *bench_json_string_or(const cJSON *object, const char *member, const char *fallback)
{
	const cJSON *item = bench_json_member(object, member);
	return cJSON_IsString(item) ? item->valuestring : fallback;
}

double bench_json_number_or(const cJSON *object, const char *member, double fallback)
{
	const cJSON *item = bench_json_member(object, member);
	return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

bool bench_json_bool_or(const cJSON *object, const char *member, bool fallback)
{
	const cJSON *item = bench_json_member(object, member);
	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

cJSON *bench_json_real(double value)
{
	if (!isfinite(value))
		return cJSON_CreateNull();
	/* cJSON's own form may lose the last bit; the shortest of %.15g to %.17g that reads back does not. */
	char text[40];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	cJSON *item = cJSON_CreateRaw(text);
	return item;
}

char *bench_json_print(cJSON *document, bool lines)
{
	char *text = lines ? cJSON_Print(document) : cJSON_PrintUnformatted(document);
	if (!text)
		bench_memory_exhausted("the text of a JSON document");
	cJSON_Delete(document);
	return text;
}

void bench_json_add_number(cJSON *object, const char *member, double value)
{
	cJSON_AddItemToObject(object, member, bench_json_real(value));
}
