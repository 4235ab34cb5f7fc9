/* SPDX-License-Identifier: MIT */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/bounds.h"
#include "compare/internal.h"
#include "core/text.h"

static const char *const names[BENCH_VERDICT_KINDS] = {
	[BENCH_SAME] = "same",     [BENCH_FASTER] = "faster",
	[BENCH_SLOWER] = "slower", [BENCH_UNCLEAR] = "unclear",
	[BENCH_NEW] = "new",       [BENCH_MISSING] = "missing",
	[BENCH_BROKEN] = "broken", [BENCH_SUSPECTED] = "suspected",
};

/* The order in which verdicts are listed. */
static const enum bench_verdict_kind worst_first[BENCH_VERDICT_KINDS] = {
	BENCH_BROKEN,  BENCH_MISSING, BENCH_SLOWER, BENCH_SUSPECTED,
	BENCH_UNCLEAR, BENCH_NEW,     BENCH_FASTER, BENCH_SAME,
};

const char *bench_compare_verdict_name(enum bench_verdict_kind kind)
{
	return names[kind];
}

bool bench_compare_fails(const struct bench_verdict *verdict, unsigned failing)
{
	const struct bench_verdict_alarm *alarm = verdict->alarm;
	bool alarmed = alarm && !alarm->recovered;

	if (verdict->expected)
		return false;
	if (verdict->kind == BENCH_BROKEN || verdict->kind == BENCH_MISSING)
		return true;
	if (alarmed && !alarm->is_new && (failing & BENCH_FAILING_NEW_ONLY))
		return false;
	return alarmed || verdict->kind == BENCH_SLOWER ||
	       ((verdict->kind == BENCH_UNCLEAR || verdict->kind == BENCH_SUSPECTED) &&
		(failing & BENCH_FAILING_UNCLEAR));
}

static int place_of(enum bench_verdict_kind kind)
{
	int place = 0;

	while (worst_first[place] != kind)
		place++;
	return place;
}

static int compare_verdicts(const void *left, const void *right)
{
	const struct bench_verdict *a = left, *b = right;

	return a->kind != b->kind ? place_of(a->kind) - place_of(b->kind) : strcmp(a->key, b->key);
}

int bench_compare_check_options(const struct bench_compare_options *options, struct bench_error *error)
{
	if (!isfinite(options->threshold) || options->threshold < 0)
		return bench_fail(error, BENCH_USAGE, "threshold %g: it must be 0 or more, such as 5%%",
				  options->threshold);
	if (!isfinite(options->floor) || options->floor < 0)
		return bench_fail(error, BENCH_USAGE, "floor %g: it must be 0 s or more, such as 1e-9",
				  options->floor);
	if (!isfinite(options->assumed_spread) || options->assumed_spread < 0)
		return bench_fail(error, BENCH_USAGE,
				  "spread between runs %g: it must be 0 or more, such as 5%%",
				  options->assumed_spread);
	if (!(options->alpha > 0 && options->alpha < 1))
		return bench_fail(error, BENCH_USAGE, "alpha %g: it must lie between 0 and 1, such as 0.01",
				  options->alpha);
	return 0;
}

/* Refuses a run that is on both sides or twice on one: it would pass for evidence that was never measured. */
static int check_runs(const struct bench_compare_sides *sides, const char *name, struct bench_error *error)
{
	if (sides->baseline_count == 0)
		return bench_fail(
			error, BENCH_NOTHING,
			"baseline '%.100s' has no runs; bench baseline set %.100s RUN gives it some", name,
			name);
	for (size_t i = 0; i < sides->baseline_count; i++) {
		const char *id = sides->baseline[i]->id;

		if (strcmp(id, sides->candidate->id) == 0)
			return bench_fail(error, BENCH_NOTHING,
					  "run %.100s is in baseline '%.100s' itself, and would be compared "
					  "with itself; name another run or baseline",
					  id, name);
		for (size_t j = 0; j < i; j++)
			if (strcmp(id, sides->baseline[j]->id) == 0)
				return bench_fail(error, BENCH_NOTHING,
						  "run %.100s is in baseline '%.100s' twice; name it once",
						  id, name);
	}
	return 0;
}

static void describe(struct bench_comparison *comparison, const struct bench_compare_sides *sides,
		     const char *name)
{
	struct bench_arena *arena = &comparison->arena;

	comparison->baseline_name = bench_arena_string(arena, name);
	comparison->candidate_id = bench_arena_string(arena, sides->candidate->id);
	comparison->unchecked = bench_record_count_unchecked(sides->candidate);
	comparison->baseline_count = sides->baseline_count;
	comparison->baseline_ids =
		bench_arena_alloc(arena, sides->baseline_count, sizeof(*comparison->baseline_ids));
	for (size_t i = 0; i < sides->baseline_count; i++)
		comparison->baseline_ids[i] = bench_arena_string(arena, sides->baseline[i]->id);
	comparison->baseline_commit = bench_arena_string(arena, sides->baseline[0]->git.commit);
}

struct bench_verdict *bench_compare_add_verdict(struct bench_comparison *comparison,
						enum bench_verdict_kind kind, const char *key,
						const char *metric, const char *unit,
						enum bench_better better)
{
	struct bench_arena *arena = &comparison->arena;
	struct bench_verdict *verdict =
		bench_arena_push(arena, &comparison->verdicts, &comparison->verdict_count, sizeof(*verdict));

	*verdict = (struct bench_verdict){
		.kind = kind,
		.ratio = NAN,
		.lo = NAN,
		.hi = NAN,
		.level = NAN,
		.difference = NAN,
		.magnitude = NAN,
		.p = NAN,
		.p_adjusted = NAN,
		.threshold = bench_compare_asked(&comparison->options, key),
		.asked = bench_compare_asked(&comparison->options, key),
		.owner = bench_arena_string(arena, bench_compare_owner(&comparison->options, key)),
		.mde = NAN,
		.base_median = NAN,
		.candidate_median = NAN,
		.key = bench_arena_string(arena, key),
		.metric = bench_arena_string(arena, metric),
		.unit = bench_arena_string(arena, unit),
		.better = better,
		.reason = bench_arena_string(arena, ""),
	};
	return verdict;
}

void bench_compare_set_interval(struct bench_verdict *verdict, const struct bench_interval *shift)
{
	verdict->ratio = verdict->by_difference ? NAN : exp(shift->estimate);
	verdict->difference = verdict->by_difference ? shift->estimate : NAN;
	verdict->lo = verdict->by_difference ? shift->lo : exp(shift->lo);
	verdict->hi = verdict->by_difference ? shift->hi : exp(shift->hi);
	verdict->level = shift->level;
}

double bench_compare_from_shift(const struct bench_verdict *verdict, double shift)
{
	return verdict->by_difference ? shift : expm1(shift);
}

double bench_compare_size(const struct bench_verdict *verdict)
{
	if (!verdict->by_difference)
		return isfinite(verdict->ratio) && verdict->ratio > 0 ? log(verdict->ratio) : 0;
	if (!isfinite(verdict->difference) || verdict->difference == 0)
		return 0;
	return copysign(log1p(fabs(verdict->difference) / verdict->magnitude), verdict->difference);
}

bool bench_compare_has_size(const struct bench_verdict *verdict)
{
	return isfinite(verdict->by_difference ? verdict->difference : verdict->ratio);
}

char *bench_compare_size_text(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	char text[96];

	if (!bench_compare_has_size(verdict))
		return bench_arena_string(arena, "-");
	if (!verdict->by_difference)
		return bench_arena_format(arena, "%+.1f%%", 100 * (verdict->ratio - 1));
	bench_text_difference(text, sizeof(text), verdict->difference, verdict->unit);
	return bench_arena_string(arena, text);
}

void bench_compare_sort(struct bench_comparison *comparison)
{
	memset(comparison->counts, 0, sizeof(comparison->counts));
	if (comparison->verdict_count > 1)
		qsort(comparison->verdicts, comparison->verdict_count, sizeof(*comparison->verdicts),
		      compare_verdicts);
	for (size_t i = 0; i < comparison->verdict_count; i++)
		comparison->counts[comparison->verdicts[i].kind]++;
}

/* Refuses a comparison in which nothing was compared and nothing is broken or missing: it must not pass. */
static int check_outcome(const struct bench_comparison *comparison, size_t matched, struct bench_error *error)
{
	if (matched > 0 || comparison->counts[BENCH_UNCLEAR] > 0 || comparison->counts[BENCH_BROKEN] > 0 ||
	    comparison->counts[BENCH_MISSING] > 0)
		return 0;
	if (comparison->counts[BENCH_NEW] > 0)
		return bench_fail(error, BENCH_NOTHING,
				  "nothing to compare: run %.100s and baseline '%.100s' have no metric in "
				  "common (%zu are new, %zu of the baseline's were not asked for)%s",
				  comparison->candidate_id, comparison->baseline_name,
				  comparison->counts[BENCH_NEW], comparison->not_selected,
				  comparison->options.accepted_count
					  ? "; after an accepted shift the baseline needs runs measured since"
					  : "");
	return bench_fail(error, BENCH_NOTHING,
			  "nothing to compare: run %.100s has no measurement that can be judged",
			  comparison->candidate_id);
}

/* Checks everything that can be checked before comparing; notes differences of environment, or refuses. */
static int begin(const struct bench_compare_sides *sides, const char *baseline_name,
		 const struct bench_compare_options *options, struct bench_comparison *comparison,
		 struct bench_error *error)
{
	if (bench_compare_check_options(options, error) != 0 || check_runs(sides, baseline_name, error) != 0)
		return -1;
	comparison->options = *options;
	if (strcmp(sides->candidate->preset, BENCH_RECORD_IMPORTED) == 0 && !options->floor_of_imports)
		comparison->options.floor = 0;
	describe(comparison, sides, baseline_name);
	bench_compare_note_environment(comparison, sides);
	return comparison->env_change_count > 0 && !options->allow_env_change
		       ? bench_compare_refuse_environment(comparison, error)
		       : 0;
}

int bench_compare_check(const struct bench_run *const *baseline, size_t baseline_count,
			const char *baseline_name, const struct bench_run *candidate,
			const struct bench_compare_options *options, struct bench_error *error)
{
	struct bench_compare_sides sides = {
		.baseline = baseline, .baseline_count = baseline_count, .candidate = candidate};
	struct bench_comparison scratch = {0};
	int result = begin(&sides, baseline_name, options, &scratch, error);

	bench_arena_free(&scratch.arena);
	return result;
}

int bench_compare_runs(const struct bench_run *const *baseline, size_t baseline_count,
		       const char *baseline_name, const struct bench_run *candidate,
		       const struct bench_compare_options *options, struct bench_comparison **comparison,
		       struct bench_error *error)
{
	struct bench_compare_sides sides = {.baseline = baseline,
					    .baseline_count = baseline_count,
					    .candidate = candidate,
					    .again = options->again};
	struct bench_compare_matches matches = {0};
	struct bench_comparison *result = calloc(1, sizeof(*result));
	int status = -1;

	if (!result)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for a comparison");
	if (begin(&sides, baseline_name, options, result, error) == 0) {
		bench_compare_choose_history(options, &matches.arena, &sides);
		bench_compare_match_sides(result, &sides, &matches);
		bench_compare_judge(result, candidate, &matches);
		bench_compare_sort(result);
		status = check_outcome(result, matches.count, error);
		if (status == 0 && options->mean_of)
			bench_compare_means(result, &sides);
		bench_arena_free(&matches.arena);
	}
	if (status == 0)
		*comparison = result;
	else
		bench_compare_free(result);
	return status;
}

void bench_compare_free(struct bench_comparison *comparison)
{
	if (!comparison)
		return;
	bench_compare_free(comparison->means);
	bench_arena_free(&comparison->arena);
	free(comparison);
}

enum bench_outcome bench_compare_outcome(const struct bench_comparison *comparison, unsigned failing)
{
	enum bench_outcome outcome = BENCH_OUTCOME_GOOD;
	const size_t *counts = comparison->counts, *expected = comparison->expected;
	bool slower = bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT) > 0;

	if (counts[BENCH_BROKEN] > expected[BENCH_BROKEN] || counts[BENCH_MISSING] > expected[BENCH_MISSING])
		return BENCH_OUTCOME_WRONG;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];

		if (verdict->kind == BENCH_SUSPECTED && !verdict->expected)
			outcome = BENCH_OUTCOME_UNCLEAR;
		if (!bench_compare_fails(verdict, failing))
			continue;
		slower |= verdict->kind == BENCH_SLOWER || verdict->alarm;
		outcome = BENCH_OUTCOME_UNCLEAR;
	}
	if (slower)
		return BENCH_OUTCOME_SLOWER;
	if ((failing & BENCH_FAILING_UNCLEAR) &&
	    bench_compare_out_of_bounds(comparison, BENCH_BOUND_UNDECIDED) > 0)
		return BENCH_OUTCOME_UNCLEAR;
	if (comparison->verdict_count > 0 && comparison->counts[BENCH_NEW] == comparison->verdict_count)
		return BENCH_OUTCOME_BEGUN;
	return outcome;
}

const struct bench_verdict *bench_compare_find(const struct bench_comparison *comparison, const char *key)
{
	const struct bench_verdict *found = NULL, *from = comparison ? comparison->verdicts : NULL;

	/* The verdicts of each kind are contiguous and sorted by key. */
	for (size_t i = 0; comparison && i < BENCH_VERDICT_KINDS && !found; i++) {
		size_t count = comparison->counts[worst_first[i]];

		if (count > 0)
			found = bsearch(&key, from, count, sizeof(*from), bench_text_order);
		from += count;
	}
	return found;
}
