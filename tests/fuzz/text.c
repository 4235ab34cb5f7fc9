/* SPDX-License-Identifier: MIT */
/*
 * What people write as values: parameters, quantities, patterns, words. The first line is one of these, the
 * second a name that the first may match as a pattern.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/param.h"
#include "core/text.h"
#include "fuzz.h"

static const struct bench_param params[] = {
	{"n", BENCH_PARAM_INT, "1", NULL, 1, INT64_C(1) << 40, "a size"},
	{"any", BENCH_PARAM_INT, "0", NULL, INT64_MIN, INT64_MAX, "a number"},
	{"x", BENCH_PARAM_REAL, "1", NULL, 0, 0, "a factor"},
	{"dtype", BENCH_PARAM_CHOICE, "f32", "f32|f64|f16", 0, 0, "a type"},
	{"input", BENCH_PARAM_TEXT, "x", NULL, 0, 0, "what stands for it"},
	{"matrix", BENCH_PARAM_PATH, "cycle", "cycle|random", 0, 0, "a file"},
};

/* A value that was taken is in its range, may stand in a key, and is the same when it is read again. */
static void check_value(const struct bench_param *param, const char *text)
{
	struct bench_value value, again;
	struct bench_error error = {0};
	if (bench_value_parse(param, text, &value, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_USAGE && *error.text);
		return;
	}
	FUZZ_CHECK(*value.text && isfinite(value.real));
	for (const char *at = value.text; *at; at++)
		FUZZ_CHECK(*at > ' ' && *at <= '~' && !strchr(",=/", *at));
	if (param->type == BENCH_PARAM_INT)
		FUZZ_CHECK(value.integer >= param->min && value.integer <= param->max);
	if (bench_value_parse(param, bench_value_given(&value), &again, &error) != 0)
		fuzz_fail("%s", error.text);
	FUZZ_CHECK(strcmp(value.text, again.text) == 0 && strcmp(value.path, again.path) == 0);
	FUZZ_CHECK(value.integer == again.integer && value.real == again.real);
}

static void check_quantities(const char *text)
{
	static const char *const units[] = {"s", "FLOP/s", "B/s", "item/s", "ratio", "share", "B", "count"};
	double value = 0;
	char shown[400];
	if (bench_text_duration(text, &value))
		FUZZ_CHECK(value > 0 && value <= 1e7);
	if (bench_text_fraction(text, &value))
		FUZZ_CHECK(value >= 0 && value <= 10);
	if (!bench_text_real(text, &value))
		return;
	FUZZ_CHECK(isfinite(value));
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		bench_text_quantity(shown, sizeof(shown), value, units[i]);
		FUZZ_CHECK(*shown);
	}
}

static void check_slug(const char *text)
{
	char slug[24];
	bench_text_slug(slug, sizeof(slug), text);
	size_t length = strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789-");
	FUZZ_CHECK(slug[length] == '\0' && slug[0] != '-' && (length == 0 || slug[length - 1] != '-'));
}

/* Quoted for a shell, a word is one word, and the same. */
static void check_shell(const char *text)
{
	struct bench_text quoted = {0};
	bool open = true;
	bench_text_add_shell(&quoted, text);
	char *rest = quoted.data, *word = bench_text_next_shell(&rest, &open);
	FUZZ_CHECK(word && !open && strcmp(word, text) == 0);
	FUZZ_CHECK(!bench_text_next_shell(&rest, &open));
	bench_text_free(&quoted);
	char *words = fuzz_string((const uint8_t *)text, strlen(text));
	for (rest = words; bench_text_next_shell(&rest, &open);)
		;
	free(words);
}

static void check_utf8(const char *text)
{
	for (uint32_t point; *text;) {
		size_t length = bench_text_utf8(text, &point);
		FUZZ_CHECK(length <= 4 && strnlen(text, 4) >= length);
		text += length ? length : 1;
	}
}

static void check_match(const char *pattern, const char *name)
{
	bool matches = bench_text_match(pattern, name);
	/* Longer ones may take fnmatch for ever; it takes a '[' without its ']' in one way or another. */
	if (strlen(pattern) <= 12 && strlen(name) <= 12 && !strpbrk(pattern, "[\\"))
		FUZZ_CHECK(matches == (fnmatch(pattern, name, 0) == 0));
	FUZZ_CHECK(bench_text_match("*", name));
}

static void check_list(char *list)
{
	size_t length = strlen(list);
	for (char *rest = list, *item; (item = bench_text_next(&rest, ','));)
		FUZZ_CHECK(item >= list && item <= list + length && !strchr(item, ','));
}

void fuzz_text(const uint8_t *data, size_t size)
{
	char *line = fuzz_string(data, size), *name = strchr(line, '\n');
	if (name)
		*name++ = '\0';
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		check_value(&params[i], line);
	check_quantities(line);
	check_slug(line);
	check_shell(line);
	check_utf8(line);
	check_match(line, name ? name : "");
	check_list(line);
	free(line);
}
