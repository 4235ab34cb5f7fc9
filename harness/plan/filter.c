#include "plan/filter.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

enum relation { MATCHES, EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

struct term {
	enum relation relation;
	const char *key; /* NULL for MATCHES */
	const char *value;
};

/* Splits "key<=value" in place. */
static struct term read_term(char *text)
{
	size_t at = strcspn(text, "=!<>");
	char *sign = text + at;
	struct term term = {MATCHES, NULL, text};
	if (!*sign)
		return term;
	size_t length = 1;
	if (sign[0] == '!' && sign[1] == '=') {
		term.relation = UNEQUAL;
		length = 2;
	} else if (sign[0] == '<' || sign[0] == '>') {
		bool equal = sign[1] == '=';
		term.relation =
			sign[0] == '<' ? (equal ? LESS_EQUAL : LESS) : (equal ? GREATER_EQUAL : GREATER);
		length = equal ? 2 : 1;
	} else if (sign[0] == '=') {
		term.relation = EQUAL;
		length = sign[1] == '=' ? 2 : 1;
	} else {
		return term;
	}
	*sign = '\0';
	term.key = text;
	term.value = sign + length;
	return term;
}

static const char *const own_keys[] = {"suite", "backend", "device"};

static bool is_known(const char *key, const struct bench_suite *const *suites)
{
	for (size_t i = 0; i < sizeof(own_keys) / sizeof(own_keys[0]); i++)
		if (strcmp(key, own_keys[i]) == 0)
			return true;
	for (size_t s = 0; suites[s]; s++)
		for (const struct bench_param *p = suites[s]->params; p->name; p++)
			if (strcmp(p->name, key) == 0)
				return true;
	return false;
}

int bench_plan_filter_check(const char *filter, const struct bench_suite *const *suites,
			    struct bench_error *error)
{
	char copy[1024];
	if (!filter)
		return 0;
	if (strlen(filter) >= sizeof(copy))
		return bench_fail(error, BENCH_USAGE, "--filter is longer than %zu characters",
				  sizeof(copy) - 1);
	snprintf(copy, sizeof(copy), "%s", filter);
	char *rest = copy, *item;
	while ((item = bench_text_next(&rest, ','))) {
		struct term term = read_term(item);
		double number;
		if (!*term.value)
			return bench_fail(error, BENCH_USAGE, "--filter '%s': an empty term", filter);
		if (term.key && !is_known(term.key, suites))
			return bench_fail(error, BENCH_USAGE,
					  "--filter '%s': no suite of this run has a parameter '%s' (suite, "
					  "backend and device are known too)",
					  filter, term.key);
		if (term.relation >= LESS && !bench_text_real(term.value, &number))
			return bench_fail(error, BENCH_USAGE, "--filter '%s': '%s' is no number", filter,
					  term.value);
	}
	return 0;
}

/* The value of `key` in a case, or NULL where its suite has no such parameter. */
static const char *value_of(const char *key, const struct bench_planned *planned,
			    const struct bench_target *target)
{
	if (strcmp(key, "suite") == 0)
		return planned->suite->name;
	if (strcmp(key, "backend") == 0)
		return target->backend->name;
	if (strcmp(key, "device") == 0)
		return target->info.slug;
	for (size_t i = 0; i < planned->value_count; i++)
		if (strcmp(planned->suite->params[i].name, key) == 0)
			return planned->values[i].text;
	return NULL;
}

static bool holds(const struct term *term, const struct bench_planned *planned,
		  const struct bench_target *target)
{
	if (term->relation == MATCHES) {
		char pattern[1040];
		snprintf(pattern, sizeof(pattern), "*%s*", term->value);
		return bench_text_match(pattern, planned->key);
	}
	const char *value = value_of(term->key, planned, target);
	if (!value)
		return false;
	double x, y;
	bool numbers = bench_text_real(value, &x) && bench_text_real(term->value, &y);
	switch (term->relation) {
	case EQUAL:
		return numbers ? x == y : bench_text_match(term->value, value);
	case UNEQUAL:
		return numbers ? x != y : !bench_text_match(term->value, value);
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

bool bench_plan_filter_matches(const char *filter, const struct bench_planned *planned,
			       const struct bench_target *target)
{
	char copy[1024];
	if (!filter)
		return true;
	snprintf(copy, sizeof(copy), "%s", filter);
	char *rest = copy, *item;
	while ((item = bench_text_next(&rest, ','))) {
		struct term term = read_term(item);
		if (!holds(&term, planned, target))
			return false;
	}
	return true;
}
