/* SPDX-License-Identifier: MIT */
/* Shifts that people have accepted. */
#include <string.h>
#include <time.h>

#include "compare/internal.h"
#include "core/text.h"

static const struct bench_accepted *find_latest(const struct bench_comparison *comparison,
						const struct bench_run *candidate, const char *key,
						bool removals_only)
{
	const struct bench_compare_options *options = &comparison->options;
	const struct bench_accepted *latest = NULL;

	for (size_t i = 0; i < options->accepted_count; i++) {
		const struct bench_accepted *accepted = &options->accepted[i];

		/* For a run from before it, the shift has not happened yet. */
		if (accepted->since <= candidate->started && (!latest || accepted->since > latest->since) &&
		    (accepted->removal || !removals_only) && bench_text_match(accepted->pattern, key))
			latest = accepted;
	}
	return latest;
}

const struct bench_accepted *bench_compare_find_accepted(const struct bench_comparison *comparison,
							 const struct bench_run *candidate, const char *key)
{
	return find_latest(comparison, candidate, key, false);
}

const struct bench_accepted *bench_compare_find_removal(const struct bench_comparison *comparison,
							const struct bench_run *candidate, const char *key)
{
	return find_latest(comparison, candidate, key, true);
}

size_t bench_compare_count_accepted(const struct bench_comparison *comparison, const char *key,
				    int64_t started)
{
	const struct bench_compare_options *options = &comparison->options;
	size_t count = 0;

	for (size_t i = 0; i < options->accepted_count; i++)
		count += options->accepted[i].since <= started &&
			 bench_text_match(options->accepted[i].pattern, key);
	return count;
}

char *bench_compare_accepted_reason(struct bench_arena *arena, const struct bench_accepted *accepted)
{
	time_t since = (time_t)accepted->since;
	char day[64] = "some day";
	struct tm parts;

	if (gmtime_r(&since, &parts))
		strftime(day, sizeof(day), "%Y-%m-%d %H:%M UTC", &parts);
	if (accepted->removal)
		return bench_arena_format(arena, "it is back: its removal was accepted on %s (%s)", day,
					  accepted->why && *accepted->why ? accepted->why
									  : "no reason was given");
	return bench_arena_format(
		arena, "a shift was accepted on %s (%s): what was measured before is no baseline any more",
		day, accepted->why && *accepted->why ? accepted->why : "no reason was given");
}

bool bench_compare_is_removed(const struct bench_run *before, const struct bench_run *after,
			      const char *pattern)
{
	bool some = false;

	if (after->interrupted || after->finished == 0)
		return false;
	for (size_t i = 0; i < before->result_count; i++) {
		const struct bench_result *then = &before->results[i],
					  *now = bench_record_find(after, then->key);

		for (size_t j = 0; j < then->metric_count; j++) {
			char key[BENCH_KEY_MAX];

			if (!bench_record_metric_key(key, sizeof(key), then, &then->metrics[j]) ||
			    !bench_text_match(pattern, key) ||
			    !bench_compare_is_selected(after, before, then))
				continue;
			if (now && (now->status != BENCH_STATUS_OK ||
				    bench_record_metric(now, then->metrics[j].name)))
				return false;
			some = true;
		}
	}
	return some;
}
