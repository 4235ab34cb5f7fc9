/* SPDX-License-Identifier: MIT */
#include "plan/sets.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "suites/shapes.h"

enum { MOST_NAMES = 128 }; /* among which the nearest to an unknown one is looked for */

int bench_plan_find_param(const struct bench_suite *suite, const char *name)
{
	for (int i = 0; suite->params[i].name; i++)
		if (strcmp(suite->params[i].name, name) == 0)
			return i;
	return -1;
}

static int no_such_key(const char *key, const struct bench_suite *const *suites, struct bench_error *error)
{
	const char *names[MOST_NAMES];
	size_t n = 0;
	BENCH_SCOPED_TEXT list = {0};
	for (size_t s = 0; suites[s]; s++) {
		bench_text_add(&list, "%s%s has", s ? "; " : "", suites[s]->name);
		for (const struct bench_param *p = suites[s]->params; p->name; p++) {
			bench_text_add(&list, "%s %s", p == suites[s]->params ? "" : ",", p->name);
			if (n < sizeof(names) / sizeof(names[0]))
				names[n++] = p->name;
		}
	}
	const char *nearest = bench_text_nearest(key, names, n);
	bench_fail(error, BENCH_USAGE, "no suite of this run has a parameter '%s': %s%s%s%s", key,
		   list.data ? list.data : "", BENCH_DID_YOU_MEAN(nearest));
	return -1;
}

char *bench_plan_set_split(char *text)
{
	char *equals = strchr(text, '=');
	if (!equals || equals == text || !equals[1])
		return NULL;
	*equals = '\0';
	return equals + 1;
}

static bool knows_data(const struct bench_suite *suite, const char *list)
{
	const int index = bench_plan_find_param(suite, BENCH_PLAN_DATA);
	struct bench_value value;
	struct bench_error refusal;
	char word[BENCH_VALUE_PATH_MAX];
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(list, ","), list);
	return index >= 0 && bench_value_parse(&suite->params[index], word, &value, &refusal) == 0;
}

bool bench_plan_set_is_meant(const struct bench_plan_options *options, const struct bench_suite *suite,
			     const char *key, const char *list)
{
	bool others = false;
	if (strcmp(key, BENCH_PLAN_DATA) != 0 || knows_data(suite, list))
		return true;
	for (size_t s = 0; options->suites[s]; s++)
		others |= knows_data(options->suites[s], list);
	return !others;
}

bool bench_plan_set_takes_shapes(const struct bench_suite *suite, const char *key, const char *list)
{
	return strcmp(key, "shapes") == 0 && bench_plan_find_param(suite, key) < 0 &&
	       (strchr(list, '@') || bench_shapes_next(suite->name, NULL));
}

static int no_such_shapes(const char *name, const struct bench_suite *const *suites,
			  struct bench_error *error)
{
	const char *names[MOST_NAMES];
	size_t n = 0;
	BENCH_SCOPED_TEXT text = {0};
	for (size_t s = 0; suites[s]; s++) {
		const struct bench_shapes *list = NULL;
		while (n < sizeof(names) / sizeof(names[0]) &&
		       (list = bench_shapes_next(suites[s]->name, list))) {
			bench_text_add(&text, "%s%s of %s", n ? ", " : "", list->name, list->suite);
			names[n++] = list->name;
		}
	}
	const char *nearest = bench_text_nearest(name, names, n);
	bench_fail(error, BENCH_USAGE, "no suite of this run has shapes '%s': there are %s%s%s%s", name,
		   text.data ? text.data : "", BENCH_DID_YOU_MEAN(nearest));
	return -1;
}

/* Of "NAME,@FILE,..": each is a file, which is read later, or the name of a list of some suite. */
static int check_shapes(const char *names, const struct bench_suite *const *suites, struct bench_error *error)
{
	for (const char *at = names;; at++) {
		char name[64];
		size_t length = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		bool known = *name == '@';
		for (size_t s = 0; suites[s]; s++)
			known |= bench_plan_set_takes_shapes(suites[s], "shapes", names) &&
				 bench_shapes_find(suites[s]->name, name);
		if (!known)
			return no_such_shapes(name, suites, error);
		at += length;
		if (!*at)
			return 0;
	}
}

int bench_plan_sets_check(const struct bench_plan_options *options, struct bench_error *error)
{
	for (size_t i = 0; i < options->set_count; i++) {
		char key[256];
		snprintf(key, sizeof(key), "%s", options->sets[i]);
		char *list = bench_plan_set_split(key);
		if (!list)
			return bench_fail(error, BENCH_USAGE,
					  "--set %s: expected key=value or key=value1,value2",
					  options->sets[i]);
		bool known = false, shapes = false;
		for (size_t s = 0; options->suites[s]; s++) {
			known |= !options->suites[s]->host_only && strcmp(key, BENCH_PLAN_THREADS) == 0;
			known |= bench_plan_find_param(options->suites[s], key) >= 0;
			shapes |= bench_plan_set_takes_shapes(options->suites[s], key, list);
		}
		if (!known && !shapes)
			return no_such_key(key, options->suites, error);
		if (!known && check_shapes(options->sets[i] + (list - key), options->suites, error) != 0)
			return -1;
	}
	return 0;
}
