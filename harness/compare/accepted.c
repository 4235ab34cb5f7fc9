/* Shifts that people have accepted. */
#include <time.h>

#include "compare/internal.h"
#include "core/text.h"

const struct bench_accepted *bench_compare_find_accepted(const struct bench_comparison *comparison,
							 const struct bench_run *candidate, const char *key)
{
	const struct bench_compare_options *options = &comparison->options;
	const struct bench_accepted *latest = NULL;

	for (size_t i = 0; i < options->accepted_count; i++) {
		const struct bench_accepted *accepted = &options->accepted[i];

		/* For a run from before it, the shift has not happened yet. */
		if (accepted->since <= candidate->started && (!latest || accepted->since > latest->since) &&
		    bench_text_match(accepted->pattern, key))
			latest = accepted;
	}
	return latest;
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
	return bench_arena_format(
		arena, "a shift was accepted on %s (%s): what was measured before is no baseline any more",
		day, accepted->why && *accepted->why ? accepted->why : "no reason was given");
}
