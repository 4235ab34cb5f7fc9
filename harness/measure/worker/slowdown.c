/* SPDX-License-Identifier: MIT */
#include "measure/worker/slowdown.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

int bench_worker_slowdown_parse(const char *text, struct bench_slowdown *slowdown, struct bench_error *error)
{
	char amount[BENCH_SLOWDOWN_MAX];
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	*slowdown = (struct bench_slowdown){0};
	if (strlen(text) >= BENCH_SLOWDOWN_MAX)
		return bench_fail(error, BENCH_USAGE, "%s: longer than %d characters",
				  BENCH_SLOWDOWN_VARIABLE, BENCH_SLOWDOWN_MAX - 1);
	snprintf(amount, sizeof(amount), "%.*s", (int)length, text);
	if (!bench_text_fraction(amount, &slowdown->fraction) || !(slowdown->fraction > 0) ||
	    (colon && !colon[1])) {
		slowdown->fraction = 0;
		return bench_text_no_fraction(BENCH_SLOWDOWN_VARIABLE, text, amount,
					      "how much slower, and maybe of which cases: 3%, or "
					      "3%:gemm/openblas*",
					      error);
	}
	if (colon)
		snprintf(slowdown->pattern, sizeof(slowdown->pattern), "%s", colon + 1);
	return 0;
}

int bench_worker_slowdown_read(const char *text, struct bench_slowdown *slowdown, struct bench_error *error)
{
	*slowdown = (struct bench_slowdown){0};
	return text && *text ? bench_worker_slowdown_parse(text, slowdown, error) : 0;
}

double bench_worker_slowdown_of(const struct bench_slowdown *slowdown, const char *key)
{
	bool hit = !*slowdown->pattern || bench_text_match(slowdown->pattern, key);
	return hit ? slowdown->fraction : 0;
}

void bench_worker_slowdown_spin(const struct bench_clock *clock, uint64_t start_ns, double fraction)
{
	if (!(fraction > 0))
		return;
	uint64_t took = clock->now_ns(clock->context) - start_ns;
	uint64_t wanted = took + (uint64_t)((double)took * fraction);
	while (clock->now_ns(clock->context) - start_ns < wanted)
		;
}
