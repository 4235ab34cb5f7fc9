/* SPDX-License-Identifier: MIT */
/* Runs that are excluded from a metric's level, since an alarm was open for it. */
#include <string.h>

#include "compare/internal.h"

bool bench_compare_is_excluded(const struct bench_compare_options *options, const char *key, int64_t started,
			       bool of_spread)
{
	size_t from = 0, to = options->excluded_count;

	while (from < to) { /* the first that is not before the key */
		size_t middle = from + (to - from) / 2;

		if (strcmp(options->excluded[middle].key, key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < options->excluded_count && strcmp(options->excluded[from].key, key) == 0; from++)
		if (started >= options->excluded[from].since && started < options->excluded[from].until &&
		    !(of_spread && options->excluded[from].teaches_spread))
			return true;
	return false;
}
