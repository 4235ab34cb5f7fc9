/* SPDX-License-Identifier: MIT */
/*
 * A case of a suite on a backend, driven through its hooks as the harness does, for tests
 * of suites. A failing hook fails the test.
 */
#ifndef TESTS_SUITE_FIXTURE_H
#define TESTS_SUITE_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backends.h"
#include "core/text.h"
#include "suites/suites.h"

enum { MAX_PARAMS = 16 };

/* A case of `suite` at "key=value ..." on the first device of `backend`, opened. */
struct fixture {
	const struct bench_suite *suite;
	struct bench_value values[MAX_PARAMS];
	struct bench_device_info info;
	struct bench_case bench_case;
};

static inline size_t param_index(const struct bench_suite *suite, const char *name)
{
	for (size_t i = 0; suite->params[i].name; i++)
		if (strcmp(suite->params[i].name, name) == 0)
			return i;
	fail_msg("suite %s has no parameter %s", suite->name, name);
	return 0;
}

static inline void set_values(const struct bench_suite *suite, const char *settings,
			      struct bench_value *values)
{
	const char *texts[MAX_PARAMS] = {0};
	char copy[256], *rest = copy;
	struct bench_error error;
	snprintf(copy, sizeof(copy), "%s", settings);
	for (char *item; (item = bench_text_next(&rest, ' '));) {
		char *value = strchr(item, '=');
		if (!value)
			continue;
		*value = '\0';
		texts[param_index(suite, item)] = value + 1;
	}
	for (size_t i = 0; suite->params[i].name; i++) {
		size_t source = i;
		if (!texts[i] && suite->params[i].fallback[0] == '=')
			source = param_index(suite, suite->params[i].fallback + 1);
		const char *text = texts[source] ? texts[source] : suite->params[source].fallback;
		if (bench_value_parse(&suite->params[i], text, &values[i], &error))
			fail_msg("%s: %s", settings, error.text);
	}
}

/* False, with the reason in `error`, where the backend has no device. */
static inline bool open_fixture(struct fixture *fixture, const struct bench_suite *suite,
				const struct bench_backend *backend, const char *settings,
				struct bench_error *error)
{
	size_t count = 0;
	*fixture = (struct fixture){.suite = suite};
	set_values(suite, settings, fixture->values);
	fixture->bench_case = (struct bench_case){.values = fixture->values, .seed = 42};
	if (suite->host_only)
		return true;
	if (backend->devices(&fixture->info, 1, &count, error) || count == 0 ||
	    backend->open(0, &(struct bench_open_options){0}, &fixture->bench_case.device, error))
		return false;
	fixture->bench_case.backend = backend;
	fixture->bench_case.info = &fixture->info;
	return true;
}

static inline void close_fixture(struct fixture *fixture)
{
	fixture->suite->teardown(&fixture->bench_case);
	assert_null(fixture->bench_case.state);
	if (fixture->bench_case.backend)
		fixture->bench_case.backend->close(fixture->bench_case.device);
}

static inline void must(int status, const struct fixture *fixture, const char *hook,
			const struct bench_error *error)
{
	if (status)
		fail_msg("%s %s: %s", fixture->suite->name, hook, error->text);
}

static inline void finish(struct fixture *fixture)
{
	struct bench_error error = {0};
	if (fixture->bench_case.backend)
		must(fixture->bench_case.backend->finish(fixture->bench_case.device, &error), fixture,
		     "finish", &error);
}

static inline struct bench_check prepare_run_check(struct fixture *fixture, const uint64_t *batches,
						   size_t count)
{
	struct bench_error error = {0};
	struct bench_check check = {.error = (double)NAN};
	uint64_t total = 0;
	must(fixture->suite->prepare(&fixture->bench_case, &error), fixture, "prepare", &error);
	for (size_t i = 0; i < count; i++) {
		must(fixture->suite->run(&fixture->bench_case, batches[i], &error), fixture, "run", &error);
		finish(fixture);
		total += batches[i];
	}
	must(fixture->suite->check(&fixture->bench_case, total, &check, &error), fixture, "check", &error);
	assert_true(check.method[0] != '\0');
	return check;
}

static inline struct bench_check once(struct fixture *fixture)
{
	return prepare_run_check(fixture, (const uint64_t[]){1}, 1);
}

/*
 * What check() says of one iteration on the first device of a backend; false where it has
 * none, which is said.
 */
static inline bool check_suite(const struct bench_suite *suite, const struct bench_backend *backend,
			       const char *settings, struct bench_check *check)
{
	struct fixture fixture;
	struct bench_error error = {0};
	*check = (struct bench_check){.error = (double)NAN};
	if (!open_fixture(&fixture, suite, backend, settings, &error)) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return false;
	}
	struct bench_work work = {0};
	must(suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
	assert_true(work.flops > 0 || work.bytes > 0 || work.items > 0);
	must(suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	*check = once(&fixture);
	close_fixture(&fixture);
	return true;
}

#endif
