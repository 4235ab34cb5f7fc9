/* SPDX-License-Identifier: MIT */
#include "plan/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regex.h"
#include "core/text.h"
#include "plan/range.h"

#define MOST_TEXT  1024
#define MOST_TERMS 64

enum relation { MATCHES, EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LIKE, UNLIKE };

/* The longer sign first. */
static const struct {
	const char *sign;
	enum relation relation;
} signs[] = {{"!=", UNEQUAL},       {"!~", UNLIKE}, {"<=", LESS_EQUAL},
	     {">=", GREATER_EQUAL}, {"==", EQUAL},  {"<", LESS},
	     {">", GREATER},        {"=", EQUAL},   {"~", LIKE}};

struct term {
	enum relation relation;
	bool first; /* of an alternative */
	bool ranged, compiled;
	char *key; /* NULL: the case's own */
	char *value;
	struct bench_range range;
	regex_t expression;
};

struct bench_filter {
	char text[MOST_TEXT];
	struct term terms[MOST_TERMS];
	size_t count;
};

/* Splits "key<=value" in place. Returns the sign; NULL: there is none. */
static const char *read_term(char *text, struct term *term)
{
	term->value = text;
	for (char *at = text; *at; at++) {
		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
			size_t length = strlen(signs[i].sign);
			if (strncmp(at, signs[i].sign, length) != 0)
				continue;
			*at = '\0';
			term->relation = signs[i].relation;
			term->key = *text ? text : NULL;
			term->value = at + length;
			return signs[i].sign;
		}
	}
	return NULL;
}

static const char *const own_keys[] = {"suite", "backend", "device", BENCH_PLAN_THREADS};

static int check_key(const char *text, const char *key, const struct bench_suite *const *suites,
		     struct bench_error *error)
{
	const char *names[256];
	size_t count = 0;
	for (; count < sizeof(own_keys) / sizeof(own_keys[0]); count++)
		names[count] = own_keys[count];
	for (size_t s = 0; suites[s]; s++)
		for (const struct bench_param *p = suites[s]->params; p->name; p++) {
			if (strcmp(p->name, key) == 0)
				return 0;
			if (count < sizeof(names) / sizeof(names[0]))
				names[count++] = p->name;
		}
	if (BENCH_FIND(names, sizeof(own_keys) / sizeof(own_keys[0]), key))
		return 0;
	return bench_fail(
		error, BENCH_USAGE,
		"--filter '%s': no suite of this run has a parameter '%s' (suite, backend and device "
		"are known too)%s%s%s",
		text, key, BENCH_DID_YOU_MEAN(bench_text_nearest(key, names, count)));
}

/*
 * Counts and back references may take memory and time without a bound, and nobody needs them to choose a
 * case.
 */
static int compile(const char *text, struct term *term, struct bench_error *error)
{
	char why[128];
	for (const char *at = term->value; *at; at++)
		if (*at == '{' || (*at == '\\' && at[1] >= '0' && at[1] <= '9'))
			return bench_fail(error, BENCH_USAGE,
					  "--filter '%s': the regular expression '%s' has a count or a back "
					  "reference, which are not supported",
					  text, term->value);
	if (bench_regex_compile(&term->expression, term->value, REG_NOSUB, why, sizeof(why)) != 0)
		return bench_fail(error, BENCH_USAGE, "--filter '%s': the regular expression '%s': %s", text,
				  term->value, why);
	term->compiled = true;
	return 0;
}

/* `sign`: as the term has it; NULL: none. */
static int check_term(const char *text, const char *sign, struct term *term,
		      const struct bench_suite *const *suites, struct bench_error *error)
{
	double number;
	const char *key = term->key ? term->key : "";
	bool like = term->relation == LIKE || term->relation == UNLIKE;
	if (!sign && !*term->value)
		return bench_fail(
			error, BENCH_USAGE,
			"--filter '%s': a term is empty; terms are separated by ',' (and) or '|' (or)", text);
	if (!*term->value)
		return bench_fail(error, BENCH_USAGE, "--filter '%s': '%s%s' has no value", text, key, sign);
	if (!term->key && sign && !like)
		return bench_fail(error, BENCH_USAGE, "--filter '%s': '%s%s' has no parameter before '%s'",
				  text, sign, term->value, sign);
	if (term->key && check_key(text, term->key, suites, error) != 0)
		return -1;
	if (like)
		return compile(text, term, error);
	term->ranged =
		(term->relation == EQUAL || term->relation == UNEQUAL) && bench_plan_range_is(term->value);
	if (term->ranged) {
		if (bench_plan_range_read(term->value, NULL, &term->range, error) != 0)
			return bench_fail(error, BENCH_USAGE, "--filter '%s': %s", text, error->text);
	} else if (term->relation >= LESS && !bench_text_real(term->value, &number)) {
		return bench_fail(error, BENCH_USAGE, "--filter '%s': in '%s%s%s', '%s' is not a number",
				  text, key, sign, term->value, term->value);
	}
	return 0;
}

/* The next ',' or '|' outside of brackets, or the end. */
static char *end_of_term(char *at)
{
	size_t depth = 0;
	for (; *at && (depth > 0 || (*at != ',' && *at != '|')); at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at) && depth > 0)
			depth--;
	}
	return at;
}

int bench_plan_filter_read(const char *text, const struct bench_suite *const *suites,
			   struct bench_filter **filter, struct bench_error *error)
{
	bool first = true;
	*filter = NULL;
	if (!text)
		return 0;
	if (strlen(text) >= MOST_TEXT)
		return bench_fail(error, BENCH_USAGE, "--filter is longer than %d characters", MOST_TEXT - 1);
	struct bench_filter *made = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for a filter");
	snprintf(made->text, sizeof(made->text), "%s", text);
	for (char *at = made->text, *rest = at; rest; first = rest && text[rest - made->text - 1] == '|') {
		char *end = end_of_term(at = rest);
		rest = *end ? end + 1 : NULL;
		*end = '\0';
		char *word = bench_text_next(&at, '\0');
		if (made->count == MOST_TERMS) {
			bench_fail(error, BENCH_USAGE, "--filter has more than %d terms", MOST_TERMS);
			goto fail;
		}
		struct term *term = &made->terms[made->count++];
		term->first = first;
		const char *sign = read_term(word, term);
		if (check_term(text, sign, term, suites, error) != 0)
			goto fail;
	}
	*filter = made;
	return 0;
fail:
	bench_plan_filter_free(made);
	return -1;
}

/*
 * The value of `key` in a case, or NULL where its suite has no such parameter. *number: what it says is a
 * number, of which 1.1 and 1.10 are one.
 */
static const char *value_of(const char *key, const struct bench_planned *planned,
			    const struct bench_target *target, bool *number)
{
	*number = false;
	if (strcmp(key, "suite") == 0)
		return planned->suite->name;
	if (strcmp(key, "backend") == 0)
		return target->backend->name;
	if (strcmp(key, "device") == 0)
		return target->info.slug;
	for (size_t i = 0; i < planned->value_count; i++) {
		const enum bench_param_type type = planned->suite->params[i].type;
		if (strcmp(planned->suite->params[i].name, key) != 0)
			continue;
		*number = type == BENCH_PARAM_INT || type == BENCH_PARAM_REAL;
		return type == BENCH_PARAM_TEXT ? bench_value_given(&planned->values[i])
						: planned->values[i].text;
	}
	*number = strcmp(key, BENCH_PLAN_THREADS) == 0 && planned->threads;
	return *number ? planned->threads->text : NULL;
}

static bool equals(const struct term *term, const char *value, bool number)
{
	double x, y;
	if (strcmp(term->value, value) == 0)
		return true;
	if (term->ranged)
		return bench_text_real(value, &x) && bench_plan_range_has(&term->range, x);
	if (number && bench_text_real(value, &x) && bench_text_real(term->value, &y))
		return x == y;
	return bench_text_match(term->value, value);
}

static bool holds(const struct term *term, const struct bench_planned *planned,
		  const struct bench_target *target)
{
	bool number = false;
	const char *value = term->key ? value_of(term->key, planned, target, &number) : planned->key;
	double x, y;
	if (term->relation == MATCHES) {
		char pattern[MOST_TEXT + 2];
		snprintf(pattern, sizeof(pattern), "*%s*", term->value);
		return bench_text_match(pattern, planned->key);
	}
	if (!value)
		return false;
	bool numbers = bench_text_real(value, &x) && bench_text_real(term->value, &y);
	switch (term->relation) {
	case EQUAL:
		return equals(term, value, number);
	case UNEQUAL:
		return !equals(term, value, number);
	case LIKE:
		return regexec(&term->expression, value, 0, NULL, 0) == 0;
	case UNLIKE:
		return regexec(&term->expression, value, 0, NULL, 0) != 0;
	case LESS:
		return numbers && x < y;
	case LESS_EQUAL:
		return numbers && x <= y;
	case GREATER:
		return numbers && x > y;
	case GREATER_EQUAL:
		return numbers && x >= y;
	case MATCHES:
		break;
	}
	return false;
}

bool bench_plan_filter_matches(const struct bench_filter *filter, const struct bench_planned *planned,
			       const struct bench_target *target)
{
	bool all = true;
	for (size_t i = 0; filter && i < filter->count; i++) {
		if (filter->terms[i].first && i > 0 && all)
			return true;
		all = (all || filter->terms[i].first) && holds(&filter->terms[i], planned, target);
	}
	return all;
}

void bench_plan_filter_free(struct bench_filter *filter)
{
	for (size_t i = 0; filter && i < filter->count; i++)
		if (filter->terms[i].compiled)
			regfree(&filter->terms[i].expression);
	free(filter);
}
