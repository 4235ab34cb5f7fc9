/* SPDX-License-Identifier: MIT */
#include "suites/suites.h"

#include <string.h>

#include "core/metric.h"
#include "core/text.h"

#define ENTRY(name) &bench_suite_##name,
static const struct bench_suite *table[BENCH_SUITES_MOST + 1] = {BENCH_SUITES(ENTRY) NULL};
const struct bench_suite *const *const bench_suites = (const struct bench_suite *const *)table;

enum { NAME_MAX_LENGTH = 31, METRIC_MAX_LENGTH = 63, METRICS_MAX = 32 };
#define NAME_RULE "a name is a lowercase letter, then lowercase letters, digits and '_', at most %d in all"

static bool is_legal_name(const char *name, size_t most)
{
	return name[0] >= 'a' && name[0] <= 'z' && strlen(name) <= most &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static const struct bench_param *find_param(const struct bench_suite *suite, const char *name)
{
	for (const struct bench_param *param = suite->params; param->name; param++)
		if (strcmp(param->name, name) == 0)
			return param;
	return NULL;
}

/* A fallback "=NAME" must name another parameter of the same type that has a value as its fallback. */
static int check_follows(const struct bench_suite *suite, const struct bench_param *param,
			 struct bench_error *error)
{
	const struct bench_param *followed = find_param(suite, param->fallback + 1);
	if (!followed || followed == param || followed->type != param->type ||
	    (param->choices && strcmp(followed->choices, param->choices) != 0) || !followed->fallback ||
	    followed->fallback[0] == '=')
		return bench_fail(error, BENCH_USAGE,
				  "suite '%s': parameter '%s' falls back to '%s', which must name another "
				  "parameter of its type that has its own value",
				  suite->name, param->name, param->fallback);
	return 0;
}

static int check_param(const struct bench_suite *suite, const struct bench_param *param,
		       struct bench_error *error)
{
	struct bench_error cause = {0};
	struct bench_value value;
	if (!is_legal_name(param->name, NAME_MAX_LENGTH))
		return bench_fail(error, BENCH_USAGE, "suite '%s': parameter '%s': " NAME_RULE, suite->name,
				  param->name, NAME_MAX_LENGTH);
	if (find_param(suite, param->name) != param)
		return bench_fail(error, BENCH_USAGE, "suite '%s': two parameters are named '%s'",
				  suite->name, param->name);
	if (!param->fallback || !param->help)
		return bench_fail(error, BENCH_USAGE, "suite '%s': parameter '%s' lacks '%s'", suite->name,
				  param->name, param->fallback ? "help" : "fallback");
	bool words = param->type == BENCH_PARAM_CHOICE || param->type == BENCH_PARAM_PATH;
	if (words != (param->choices != NULL))
		return bench_fail(error, BENCH_USAGE,
				  "suite '%s': parameter '%s': 'choices' goes with types CHOICE and FILE, "
				  "and only with them",
				  suite->name, param->name);
	if (param->type == BENCH_PARAM_INT && param->min > param->max)
		return bench_fail(error, BENCH_USAGE, "suite '%s': parameter '%s': min is above max",
				  suite->name, param->name);
	if (param->fallback[0] == '=')
		return check_follows(suite, param, error);
	if (bench_value_parse(param, param->fallback, &value, &cause))
		return bench_fail(error, BENCH_USAGE, "suite '%s': fallback of '%s': %s", suite->name,
				  param->name, cause.text);
	return 0;
}

/* "key=v1,v2", in place. */
static int check_setting(const struct bench_suite *suite, char *setting, struct bench_error *error)
{
	struct bench_error cause = {0};
	struct bench_value value;
	char *values = strchr(setting, '=');
	if (values)
		*values++ = '\0';
	const struct bench_param *param = find_param(suite, setting);
	if (!values || !*values || !param)
		return bench_fail(error, BENCH_USAGE, "suite '%s': sweep: '%s' is no parameter with values",
				  suite->name, setting);
	for (char *text; (text = bench_text_next(&values, ','));) {
		if (param->type == BENCH_PARAM_TEXT)
			bench_text_decode_percent(text);
		if (bench_value_parse(param, text, &value, &cause))
			return bench_fail(error, BENCH_USAGE, "suite '%s': sweep: %s", suite->name,
					  cause.text);
	}
	return 0;
}

static int check_sweeps(const struct bench_suite *suite, struct bench_error *error)
{
	for (int preset = 0; preset < BENCH_PRESETS; preset++) {
		for (size_t i = 0; suite->sweeps[preset] && suite->sweeps[preset][i]; i++) {
			BENCH_SCOPED_ARENA scratch = {0};
			char *rest = bench_arena_string(&scratch, suite->sweeps[preset][i]), *setting;
			int result = 0;
			while (result == 0 && (setting = bench_text_next(&rest, ' ')))
				result = *setting ? check_setting(suite, setting, error) : 0;
			if (result != 0)
				return -1;
		}
	}
	return 0;
}

static int check_joined(const struct bench_suite *suite, struct bench_error *error)
{
	if (!suite->joined || find_param(suite, suite->joined))
		return 0;
	return bench_fail(error, BENCH_USAGE, "suite '%s': joined '%s' must name one of its parameters",
			  suite->name, suite->joined);
}

static int check_variants(const struct bench_suite *suite, struct bench_error *error)
{
	const struct bench_param *param = suite->variants ? find_param(suite, suite->variants) : NULL;
	if (!suite->variants || (param && (param->type == BENCH_PARAM_CHOICE ||
					   (param->type == BENCH_PARAM_INT && param->min == 0))))
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "suite '%s': variants '%s' must name one of its parameters, of type CHOICE, or INT "
			  "from 0",
			  suite->name, suite->variants);
}

static int check_metric(const struct bench_suite *suite, const struct bench_metric_spec *metric,
			struct bench_error *error)
{
	if (!is_legal_name(metric->name, METRIC_MAX_LENGTH))
		return bench_fail(error, BENCH_USAGE, "suite '%s': metric '%s': " NAME_RULE, suite->name,
				  metric->name, METRIC_MAX_LENGTH);
	if (bench_metric_known(metric->name))
		return bench_fail(error, BENCH_USAGE,
				  "suite '%s': metric '%s' is one that the harness itself measures",
				  suite->name, metric->name);
	for (const struct bench_metric_spec *other = suite->metrics; other < metric; other++)
		if (strcmp(other->name, metric->name) == 0)
			return bench_fail(error, BENCH_USAGE, "suite '%s': two metrics are named '%s'",
					  suite->name, metric->name);
	if (!metric->unit || !bench_metric_unit_is_known(metric->unit))
		return bench_fail(error, BENCH_USAGE, "suite '%s': metric '%s' is in '%s'; units are %s",
				  suite->name, metric->name, metric->unit ? metric->unit : "",
				  BENCH_METRIC_UNITS);
	if (metric->better > BENCH_BETTER_HIGHER)
		return bench_fail(error, BENCH_USAGE, "suite '%s': metric '%s' has no direction that is one",
				  suite->name, metric->name);
	if (!metric->help || !*metric->help)
		return bench_fail(error, BENCH_USAGE, "suite '%s': metric '%s' lacks 'help'", suite->name,
				  metric->name);
	return 0;
}

static int check_metrics(const struct bench_suite *suite, struct bench_error *error)
{
	size_t count = 0;
	if ((suite->metrics != NULL) != (suite->report != NULL))
		return bench_fail(error, BENCH_USAGE, "suite '%s' has '%s' without '%s'", suite->name,
				  suite->metrics ? "metrics" : "report",
				  suite->metrics ? "report" : "metrics");
	for (; suite->metrics && suite->metrics[count].name; count++)
		if (check_metric(suite, &suite->metrics[count], error))
			return -1;
	if (count > METRICS_MAX)
		return bench_fail(error, BENCH_USAGE, "suite '%s' has more than %d metrics", suite->name,
				  METRICS_MAX);
	return 0;
}

int bench_suite_check(const struct bench_suite *suite, struct bench_error *error)
{
	/* The ABI first: under another one nothing else is where it is read. */
	if (suite->abi != BENCH_SUITE_ABI)
		return bench_fail(error, BENCH_USAGE,
				  "a suite has ABI %d and this bench has %d: build it against this bench's "
				  "bench/suite.h",
				  suite->abi, BENCH_SUITE_ABI);
	if (!suite->name)
		return bench_fail(error, BENCH_USAGE, "a suite has no name");
	if (!is_legal_name(suite->name, NAME_MAX_LENGTH))
		return bench_fail(error, BENCH_USAGE, "suite '%s': " NAME_RULE, suite->name, NAME_MAX_LENGTH);
	const struct {
		const char *name;
		bool present;
	} required[] = {
		{"summary", suite->summary},
		{"params", suite->params},
		{"sweeps for quick",
		 suite->sweeps[BENCH_PRESET_QUICK] && suite->sweeps[BENCH_PRESET_QUICK][0]},
		{"work", suite->work},
		{"setup", suite->setup},
		{"run", suite->run},
		{"check", suite->check},
		{"teardown", suite->teardown},
	};
	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (!required[i].present)
			return bench_fail(error, BENCH_USAGE, "suite '%s' lacks '%s', which is required",
					  suite->name, required[i].name);
	for (const struct bench_param *param = suite->params; param->name; param++)
		if (check_param(suite, param, error))
			return -1;
	return check_joined(suite, error) || check_variants(suite, error) || check_metrics(suite, error)
		       ? -1
		       : check_sweeps(suite, error);
}

int bench_suites_check(const struct bench_suite *const *suites, struct bench_error *error)
{
	for (size_t i = 0; suites[i]; i++) {
		if (bench_suite_check(suites[i], error))
			return -1;
		for (size_t j = 0; j < i; j++)
			if (strcmp(suites[i]->name, suites[j]->name) == 0)
				return bench_fail(error, BENCH_USAGE, "two suites are named '%s'",
						  suites[i]->name);
	}
	return 0;
}

int bench_suites_add(const struct bench_suite *suite, struct bench_error *error)
{
	size_t count = 0;
	if (bench_suite_check(suite, error) != 0)
		return -1;
	if (strcmp(suite->name, "all") == 0)
		return bench_fail(error, BENCH_USAGE,
				  "a suite cannot be called 'all', which means every suite");
	for (; table[count]; count++)
		if (strcmp(table[count]->name, suite->name) == 0)
			return bench_fail(error, BENCH_USAGE, "there is a suite '%s' already", suite->name);
	if (count == BENCH_SUITES_MOST)
		return bench_fail(error, BENCH_USAGE, "suite '%s': more than %d suites", suite->name,
				  BENCH_SUITES_MOST);
	table[count] = suite;
	return 0;
}
