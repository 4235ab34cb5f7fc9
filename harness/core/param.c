/* SPDX-License-Identifier: MIT */
#include "bench/param.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* "+5" or "007": to some a number, to others a word, an octal number or a mistake. */
static bool is_padded(const char *text)
{
	const char *digits = text + (*text == '-');
	return *text == '+' || (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
}

static int parse_int(const struct bench_param *param, const char *text, struct bench_value *value,
		     struct bench_error *error)
{
	static const struct {
		const char *suffix;
		int64_t factor;
	} suffixes[] = {{"", 1},          {"K", 1000},      {"M", 1000000},  {"G", 1000000000},
			{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
	char *end;
	errno = 0;
	long long number = strtoll(text, &end, 10);
	bool valid = end != text && errno == 0 && text[0] != ' ';
	int64_t factor = 0;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (strcmp(end, suffixes[i].suffix) == 0)
			factor = suffixes[i].factor;
	if (errno != ERANGE && (!valid || !factor))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' is no whole number: parameter %s takes %lld to %lld (%s)", text,
				  param->name, (long long)param->min, (long long)param->max, param->help);
	if (errno == ERANGE || __builtin_mul_overflow((int64_t)number, factor, &value->integer) ||
	    value->integer < param->min || value->integer > param->max)
		return bench_fail(error, BENCH_USAGE,
				  "%s is out of range: parameter %s takes %lld to %lld (%s)", text,
				  param->name, (long long)param->min, (long long)param->max, param->help);
	value->real = (double)value->integer;
	snprintf(value->text, sizeof(value->text), "%lld", (long long)value->integer);
	return 0;
}

static int parse_real(const struct bench_param *param, const char *text, struct bench_value *value,
		      struct bench_error *error)
{
	if (!bench_text_real(text, &value->real))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' is no number: parameter %s takes a finite number (%s)", text,
				  param->name, param->help);
	value->real += 0.0; /* -0 and 0 are one value of one key */
	/* The shortest text that reads back to the same number: one number, one key. */
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(value->text, sizeof(value->text), "%.*g", digits, value->real);
		if (strtod(value->text, NULL) == value->real)
			break;
	}
	return 0;
}

/*
 * History knows a file or folder only by its last name, so that it may move; that name must be fit for a key.
 * The suite must see to it that it is not the same as one of the parameter's words.
 */
static int parse_path(const struct bench_param *param, const char *text, struct bench_value *value,
		      struct bench_error *error)
{
	size_t end = strlen(text), start;
	while (end > 0 && text[end - 1] == '/')
		end--;
	for (start = end; start > 0 && text[start - 1] != '/';)
		start--;
	const char *name = text + start;
	size_t length = end - start;
	bool legal = length > 0 && !(length <= 2 && strncmp(name, "..", length) == 0);
	for (size_t i = 0; i < length; i++)
		legal &= name[i] > ' ' && name[i] <= '~' && !strchr(",=", name[i]);
	if (!legal || strlen(text) >= sizeof(value->path))
		return bench_fail(
			error, BENCH_USAGE,
			"parameter %s: '%s' is no path that it takes: at most %zu characters, and a last "
			"name without blanks, ',' and '=', by which results are known",
			param->name, text, sizeof(value->path) - 1);
	memcpy(value->path, name, length);
	bench_text_cut(value->text, sizeof(value->text), value->path, value->path);
	memcpy(value->path, text, strlen(text) + 1);
	value->integer = -1;
	return 0;
}

/*
 * Besides what a key is taken apart at, what would be no pattern for itself is encoded, and '~', which begins
 * the hash of what is cut: no other text has the same key.
 */
static int parse_text(const struct bench_param *param, const char *text, struct bench_value *value,
		      struct bench_error *error)
{
	BENCH_SCOPED_TEXT key = {0};
	if (!*text || strlen(text) >= sizeof(value->path))
		return bench_fail(error, BENCH_USAGE,
				  "parameter %s: '%s' is %s: it takes 1 to %zu characters", param->name, text,
				  *text ? "too long" : "no value", sizeof(value->path) - 1);
	bench_text_add_percent(&key, text, ",=/[]\\~");
	bench_text_cut(value->text, sizeof(value->text), key.data, text);
	memcpy(value->path, text, strlen(text) + 1);
	return 0;
}

static int parse_choice(const struct bench_param *param, const char *text, struct bench_value *value,
			struct bench_error *error)
{
	enum { CHOICES = 32 };
	char words[512], *rest = words, *word;
	const char *list[CHOICES];
	size_t count = 0;
	snprintf(words, sizeof(words), "%s", param->choices);
	while ((word = bench_text_next(&rest, '|')) && count < CHOICES) {
		if (strcmp(word, text) == 0) {
			value->integer = (int64_t)count;
			snprintf(value->text, sizeof(value->text), "%s", word);
			return 0;
		}
		list[count++] = word;
	}
	bool path = param->type == BENCH_PARAM_PATH;
	if (path && strpbrk(text, "./"))
		return parse_path(param, text, value, error);
	const char *nearest = bench_text_nearest(text, list, count);
	return bench_fail(error, BENCH_USAGE, "parameter %s has no value '%s': it takes %s%s%s%s%s",
			  param->name, text, param->choices, path ? " or a path" : "",
			  BENCH_DID_YOU_MEAN(nearest));
}

int bench_value_parse(const struct bench_param *param, const char *text, struct bench_value *value,
		      struct bench_error *error)
{
	*value = (struct bench_value){0};
	if ((param->type == BENCH_PARAM_INT || param->type == BENCH_PARAM_REAL) && is_padded(text))
		return bench_fail(
			error, BENCH_USAGE,
			"parameter %s: '%s' has a '+' or a zero before the number: write it without",
			param->name, text);
	switch (param->type) {
	case BENCH_PARAM_INT:
		return parse_int(param, text, value, error);
	case BENCH_PARAM_REAL:
		return parse_real(param, text, value, error);
	case BENCH_PARAM_CHOICE:
	case BENCH_PARAM_PATH:
		return parse_choice(param, text, value, error);
	case BENCH_PARAM_TEXT:
		return parse_text(param, text, value, error);
	}
	return bench_fail(error, BENCH_USAGE, "parameter %s has an unknown type %d", param->name,
			  (int)param->type);
}
