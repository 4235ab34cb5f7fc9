/*
 * The spread of a metric between runs of the same code: learned thresholds, and what intervals allow for.
 *
 * The rank test takes the invocations of several runs as exchangeable. They are not if runs of the same code
 * differ (by the memory that they got, the temperature, the neighbours of that night): then all invocations
 * of a new run lie off to one side, and the test finds a change where there is none. A change must therefore
 * also be larger than a prediction interval for the center of one more run of the same code, at the same
 * corrected level as the test. With N runs it has N - 1 degrees of freedom; it is wide for N = 5, and half as
 * wide for ten. The interval that is shown is at least as wide, at its own level.
 *
 * The spread is learned from the runs of the baseline if they are enough. Else from earlier runs of
 * executables that were measured more than once: what differs between runs of one executable is not its code.
 */
#include <math.h>
#include <string.h>

#include "compare/internal.h"

/* The degrees of freedom of the fewest runs of one code. */
enum { FEWEST_FREEDOM = BENCH_COMPARE_ENOUGH_RUNS - 1 };

static const char *executable_of(const struct bench_run *run)
{
	return bench_record_attribute_get(run->host, run->host_count, "executable");
}

void bench_compare_choose_history(const struct bench_compare_options *options, struct bench_arena *arena,
				  struct bench_compare_sides *sides)
{
	size_t count = options->history_count;

	if (count == 0)
		return;
	sides->history = bench_arena_alloc(arena, count, sizeof(*sides->history));
	sides->history_codes = bench_arena_alloc(arena, count, sizeof(*sides->history_codes));
	for (size_t i = 0; i < count; i++) {
		const struct bench_run *run = options->history[i];
		size_t at = sides->history_count, code = 0;

		if (!*executable_of(run) || strcmp(sides->candidate->id, run->id) == 0 ||
		    !bench_compare_same_environment(run, sides->candidate))
			continue;
		while (code < at && strcmp(executable_of(sides->history[code]), executable_of(run)) != 0)
			code++;
		sides->history[at] = run;
		sides->history_codes[at] = code < at ? sides->history_codes[code] : at;
		sides->history_count++;
	}
}

/* Learns from `runs`, for a new run that is compared with `baseline` (NULL: with `runs`). */
static struct bench_compare_learned learn_from(struct bench_compare_judging *judge,
					       const struct bench_compare_invocations *runs,
					       const struct bench_compare_invocations *baseline, size_t size)
{
	struct bench_runs values = {runs->medians, runs->run_sizes, baseline ? runs->codes : NULL,
				    runs->run_count};
	struct bench_meeting meeting = {size, baseline ? baseline->run_count : 0,
					baseline ? baseline->count : 0};
	struct bench_components components = bench_stats_components(&values, &meeting);
	size_t base_runs = baseline ? baseline->run_count : runs->run_count;

	if (isnan(components.ahead) || components.freedom + components.left_out < FEWEST_FREEDOM)
		return (struct bench_compare_learned){0};
	if (judge->freedom != components.freedom) {
		double alpha = judge->comparison->options.alpha / judge->tests;

		judge->freedom = components.freedom;
		judge->quantile = bench_stats_student_quantile(1 - 0.5 * alpha, judge->freedom);
		judge->likely_quantile =
			bench_stats_student_quantile(1 - 0.5 * (1 - BENCH_EQUIVALENCE_LEVEL), judge->freedom);
		judge->power_quantile = bench_stats_student_quantile(BENCH_AIMED_POWER, judge->freedom);
	}
	return (struct bench_compare_learned){.edge = judge->quantile * components.ahead,
					      .likely = judge->likely_quantile * components.ahead,
					      .drift = judge->power_quantile * components.between *
						       sqrt(1 + 1 / (double)base_runs),
					      .runs = components.runs};
}

struct bench_compare_learned bench_compare_learn(struct bench_compare_judging *judge,
						 const struct bench_compare_match *match)
{
	const struct bench_compare_invocations *baseline = &match->baseline;

	if (baseline->run_count >= BENCH_COMPARE_ENOUGH_RUNS)
		return learn_from(judge, baseline, NULL, match->candidate.count);
	return learn_from(judge, &match->history, baseline, match->candidate.count);
}
