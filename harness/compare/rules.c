/* SPDX-License-Identifier: MIT */
/* What a user says of metrics by pattern (struct bench_metric_rule). */
#include "compare/internal.h"
#include "core/text.h"

bool bench_compare_is_ignored(const struct bench_compare_options *options, const char *key)
{
	for (size_t i = 0; i < options->rule_count; i++)
		if (options->rules[i].ignored && bench_text_match(options->rules[i].pattern, key))
			return true;
	return false;
}

double bench_compare_asked(const struct bench_compare_options *options, const char *key)
{
	for (size_t i = options->rule_count; i > 0; i--)
		if (options->rules[i - 1].threshold > 0 &&
		    bench_text_match(options->rules[i - 1].pattern, key))
			return options->rules[i - 1].threshold;
	return options->threshold;
}

const char *bench_compare_owner(const struct bench_compare_options *options, const char *key)
{
	for (size_t i = options->rule_count; i > 0; i--)
		if (options->rules[i - 1].owner && bench_text_match(options->rules[i - 1].pattern, key))
			return options->rules[i - 1].owner;
	return "";
}
