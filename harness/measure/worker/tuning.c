/* SPDX-License-Identifier: MIT */
#include "measure/worker/tuning.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "core/text.h"
#include "suites/kernel/tune.h"

#define MOST_NAMES 64 /* among which the nearest is searched */

static const struct bench_tunable *find(const char *name)
{
	for (size_t i = 0; bench_backends[i]; i++)
		for (const struct bench_tunable *tunable = bench_backends[i]->tunables;
		     tunable && tunable->name; tunable++)
			if (strcmp(tunable->name, name) == 0)
				return tunable;
	return bench_kernel_tune_find(name);
}

static int fail_name(const char *name, struct bench_error *error)
{
	const char *names[MOST_NAMES];
	size_t count = 0;
	for (size_t i = 0; bench_backends[i]; i++)
		for (const struct bench_tunable *tunable = bench_backends[i]->tunables;
		     tunable && tunable->name && count < MOST_NAMES; tunable++)
			names[count++] = tunable->name;
	const struct bench_kernel_spec *spec;
	for (size_t i = 0; (spec = bench_kernel_tune_spec(i)); i++)
		for (size_t t = 0; t < spec->tunable_count && count < MOST_NAMES; t++)
			names[count++] = spec->tunables[t].name;
	const char *nearest = bench_text_nearest(name, names, count);
	return bench_fail(error, BENCH_USAGE, "%s: no backend and no kernel has a tunable '%s'%s%s%s",
			  BENCH_TUNING_VARIABLE, name, BENCH_DID_YOU_MEAN(nearest));
}

static int fail_value(const struct bench_tunable *tunable, const char *value, struct bench_error *error)
{
	BENCH_SCOPED_TEXT list = {0};
	for (size_t i = 0; i < tunable->value_count; i++)
		bench_text_add(&list, "%s%" PRIu64, i ? ", " : "", tunable->values[i]);
	bench_fail(error, BENCH_USAGE, "%s: %s='%s': it can be %s", BENCH_TUNING_VARIABLE, tunable->name,
		   value, list.data ? list.data : "nothing");
	return -1;
}

bool bench_worker_tuning_has(const struct bench_tunable *tunable, uint64_t value)
{
	for (size_t i = 0; i < tunable->value_count; i++)
		if (tunable->values[i] == value)
			return true;
	return false;
}

static bool read_value(const struct bench_tunable *tunable, const char *text, uint64_t *value)
{
	char *end;
	*value = strtoull(text, &end, 10);
	return end != text && !*end && bench_worker_tuning_has(tunable, *value);
}

int bench_worker_tuning_parse(const char *text, struct bench_arena *arena, struct bench_tuned **tuned,
			      size_t *count, struct bench_error *error)
{
	char *rest = bench_arena_string(arena, text), *word;
	*tuned = NULL;
	*count = 0;
	while (rest && *rest && (word = bench_text_next(&rest, ','))) {
		char *equals = strchr(word, '=');
		if (!equals)
			return bench_fail(error, BENCH_USAGE, "%s: '%s' is not NAME=VALUE",
					  BENCH_TUNING_VARIABLE, word);
		*equals = '\0';
		const struct bench_tunable *tunable = find(word);
		if (!tunable)
			return fail_name(word, error);
		struct bench_tuned found = {.name = tunable->name};
		if (!read_value(tunable, equals + 1, &found.value))
			return fail_value(tunable, equals + 1, error);
		for (size_t i = 0; i < *count; i++)
			if ((*tuned)[i].name == found.name)
				return bench_fail(error, BENCH_USAGE, "%s: '%s' stands twice",
						  BENCH_TUNING_VARIABLE, found.name);
		BENCH_PUSH(arena, *tuned, *count) = found;
	}
	return 0;
}
