/* SPDX-License-Identifier: MIT */
#include "compare/baseline.h"

#include <stdlib.h>
#include <string.h>

static size_t window_of(const char *text)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);
	return !*end && count <= BENCH_COMPARE_WINDOW_MAX ? count : 0;
}

enum bench_baseline_kind bench_compare_baseline_kind(const char *text, size_t *window)
{
	static const char rolling[] = "rolling:", anchor[] = "anchor";
	const char *rest = text + sizeof(anchor) - 1;
	if (window)
		*window = 0;
	if (strncmp(text, rolling, sizeof(rolling) - 1) == 0) {
		if (window)
			*window = window_of(text + sizeof(rolling) - 1);
		return BENCH_BASELINE_ROLLING;
	}
	if (strncmp(text, anchor, sizeof(anchor) - 1) == 0 && (!*rest || *rest == ' '))
		return BENCH_BASELINE_ANCHOR;
	return BENCH_BASELINE_NAMED;
}
