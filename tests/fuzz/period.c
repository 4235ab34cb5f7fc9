/* SPDX-License-Identifier: MIT */
/* The values of --since and --until, a line each. */
#include <stdlib.h>
#include <string.h>

#include "app/period.h"
#include "fuzz.h"

void fuzz_period(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), *rest = text;
	const char *since = strsep(&rest, "\n"), *until = rest;
	struct bench_app_period period;
	struct bench_error error = {0};
	if (bench_app_period_read(since, until, 1795174200, NULL, &period, &error) == 0)
		FUZZ_CHECK(period.since <= period.until);
	else
		FUZZ_CHECK(error.code == BENCH_USAGE && strstr(error.text, "--"));
	free(text);
}
