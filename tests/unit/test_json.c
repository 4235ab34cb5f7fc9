/* SPDX-License-Identifier: MIT */
/* JSON: numbers, members, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/json.h"
#include "core/text.h"
#include "kit/rng.h"

static void numbers_in_json_read_back_bit_for_bit(void **state)
{
	(void)state;
	struct bench_rng rng;
	bench_rng_start(&rng, 7, 0);
	for (int i = 0; i < 2000; i++) {
		double value = ldexp(bench_rng_uniform(&rng) - 0.5, (int)bench_rng_below(&rng, 400) - 200);
		cJSON *object = cJSON_CreateObject();
		bench_json_add_number(object, "x", value);
		char *text = cJSON_PrintUnformatted(object);
		struct bench_error error;
		cJSON *again = bench_json_parse(text, strlen(text), "text", &error);
		double read = 0;
		assert_int_equal(bench_json_number(again, "x", "text", &read, &error), 0);
		assert_memory_equal(&read, &value, sizeof(value));
		free(text);
		cJSON_Delete(object);
		cJSON_Delete(again);
	}
	cJSON *object = cJSON_CreateObject();
	bench_json_add_number(object, "x", NAN);
	bench_json_add_number(object, "y", INFINITY);
	char *text = cJSON_PrintUnformatted(object);
	assert_string_equal(text, "{\"x\":null,\"y\":null}");
	free(text);
	cJSON_Delete(object);
}

static void json_that_is_none_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "{", "{\"a\":1} x", "[1,", "{\"a\" 1}", "nul"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bench_error error;
		assert_null(bench_json_parse(bad[i], strlen(bad[i]), "the file", &error));
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, "the file"));
	}
	/* Deeper than any document of ours: the parser has a limit, and the stack survives. */
	char *deep = malloc(200001);
	memset(deep, '[', 200000);
	deep[200000] = '\0';
	assert_null(bench_json_parse(deep, 200000, "deep", NULL));
	free(deep);
}

static void members_are_checked_for_type_and_range(void **state)
{
	(void)state;
	struct bench_error error;
	const char *text = "{\"s\":\"x\",\"n\":1.5,\"i\":7,\"big\":1e300,\"a\":[],\"o\":{},\"b\":true}";
	cJSON *object = bench_json_parse(text, strlen(text), "it", &error);
	const char *string;
	double number;
	int64_t integer;
	const cJSON *item;
	assert_int_equal(bench_json_string(object, "s", "it", &string, &error), 0);
	assert_int_equal(bench_json_string(object, "n", "it", &string, &error), -1);
	assert_non_null(strstr(error.text, "it: member 'n'"));
	assert_int_equal(bench_json_string(object, "gone", "it", &string, &error), -1);
	assert_non_null(strstr(error.text, "is missing"));
	assert_int_equal(bench_json_integer(object, "i", "it", 0, 10, &integer, &error), 0);
	assert_int_equal(integer, 7);
	assert_int_equal(bench_json_integer(object, "i", "it", 8, 10, &integer, &error), -1);
	assert_int_equal(bench_json_integer(object, "n", "it", 0, 10, &integer, &error), -1);
	assert_int_equal(bench_json_integer(object, "big", "it", 0, 10, &integer, &error), -1);
	assert_int_equal(bench_json_number(object, "s", "it", &number, &error), -1);
	assert_int_equal(bench_json_array(object, "a", "it", &item, &error), 0);
	assert_int_equal(bench_json_array(object, "o", "it", &item, &error), -1);
	assert_int_equal(bench_json_object(object, "o", "it", &item, &error), 0);
	assert_int_equal(bench_json_object(object, "a", "it", &item, &error), -1);
	assert_true(bench_json_bool_or(object, "b", false));
	assert_string_equal(bench_json_string_or(object, "gone", "else"), "else");
	assert_true(bench_json_number_or(object, "gone", 3) == 3);
	cJSON_Delete(object);
}

static void json_is_shown_with_the_same_value(void **state)
{
	(void)state;
	static const char value[] = "\033\xc2\x9b ##[error] \xe2\x80\xae \xc3\xa4 \\ ::x";
	struct bench_text shown = {0};
	cJSON *item = cJSON_CreateString(value);
	char *json = cJSON_Print(item);
	bench_text_add_json(&shown, json);
	assert_string_equal(shown.data, "\"\\u001b\\u009b \\u0023#[error] \\u202e \xc3\xa4 \\\\ ::x\"");
	cJSON *back = cJSON_Parse(shown.data);
	assert_string_equal(cJSON_GetStringValue(back), value);
	cJSON_Delete(back);
	cJSON_Delete(item);
	cJSON_free(json);
	bench_text_free(&shown);
}

static void a_document_of_too_many_values_is_refused(void **state)
{
	(void)state;
	const size_t size = (size_t)40 << 20;
	struct bench_error error;
	char *text = malloc(size);
	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = i % 2 ? '0' : ',';
	text[0] = '[';
	text[size - 1] = ']';
	assert_null(bench_json_parse(text, size, "a file", &error));
	assert_non_null(strstr(error.text, "more than 16777216 values"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_in_json_read_back_bit_for_bit),
		cmocka_unit_test(json_that_is_none_is_refused),
		cmocka_unit_test(members_are_checked_for_type_and_range),
		cmocka_unit_test(json_is_shown_with_the_same_value),
		cmocka_unit_test(a_document_of_too_many_values_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
