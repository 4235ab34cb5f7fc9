/* SPDX-License-Identifier: MIT */
/*
 * Nights of a gate that remembers: how often is there a false alarm, is a step found, does it stay red until
 * it is accepted or mended, and what of a drift, a spike, a second step?
 *
 * nights          a small version with promises, for ctest
 * nights TRIALS [STEP [ROW [SEED]]]
 *                 so many trials of each plot, and tables in Markdown (docs/notes/history-error-rates.md); of
 * a step of STEP (1.1), and of 1.06; of ROW alone, counted from 1; 0: of all
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/nights.h"
#include "statistics/simulate.h"

enum { STEP = 3, BAD_NIGHTS = 12, AFTER = 15, QUIET_NIGHTS = 90, DRIFT_NIGHTS = 15 };

/* What is counted over the trials of one setting. */
struct counts {
	size_t trials;
	size_t nights, false_nights, suspect_nights, too_little, verdicts, undecided; /* nothing changed */
	size_t false_thirds[3];                               /* of the nights, in order */
	size_t found_by[BAD_NIGHTS + 1], stayed, stay_trials; /* the step; of those that were found */
	size_t split_nights, stay_nights; /* nights after it was found, and those that took it for another */
	size_t recovered_within[AFTER + 1], recover_trials;
	size_t green, accept_trials;         /* after it was accepted, to the end */
	size_t drift_seen[DRIFT_NIGHTS + 1]; /* by that night */
	size_t spike_alarm;                  /* of one night, both looks */
	size_t second_found;                 /* a further step, while the alarm is open */
	size_t again_found;                  /* after two bad nights and a fix, +60% */
};

static void unchanged(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = QUIET_NIGHTS};
	struct seen seen;

	nights_play(setting, &plot, rng, &seen);
	for (size_t i = 0; i < plot.nights; i++) {
		bool is_false = seen.opened[i] || seen.others[i];

		counts->false_nights += is_false;
		counts->false_thirds[3 * i / plot.nights] += is_false;
		counts->suspect_nights += seen.suspected[i];
		counts->too_little += seen.too_little[i];
	}
	counts->nights += plot.nights;
	counts->undecided += seen.undecided;
	counts->verdicts += plot.nights * METRICS;
}

/* Notes of each night whether it was found by then; returns the first that did, or `end`. */
static size_t note_found(const bool *found, size_t from, size_t end, size_t *by_night)
{
	size_t first = from;

	while (first < end && !found[first])
		first++;
	for (size_t n = first - from + 1; first < end && n <= end - from; n++)
		by_night[n]++;
	return first;
}

/* A step of `size` from night STEP on, for BAD_NIGHTS; then it is mended, or accepted. */
static void step(const struct setting *setting, struct bench_rng *rng, double size, bool accepted,
		 struct counts *counts)
{
	struct plot plot = {.nights = STEP + BAD_NIGHTS + AFTER};
	struct seen seen;
	size_t end = STEP + BAD_NIGHTS, first;
	bool stayed = true, green = true, over[MOST_NIGHTS];

	for (size_t i = STEP; i < (accepted ? plot.nights : end); i++)
		plot.ratio[i] = size;
	plot.accepted[end - 1] = accepted;
	nights_play(setting, &plot, rng, &seen);
	counts->trials++;
	first = note_found(seen.red, STEP, end, counts->found_by);
	for (size_t i = first; i < end; i++)
		stayed &= seen.red[i];
	for (size_t i = first + 1; i < end; i++) {
		counts->split_nights += seen.alarms[i - 1] > 0 && seen.alarms[i] > seen.alarms[i - 1];
		counts->stay_nights++;
	}
	counts->stay_trials += first < end;
	counts->stayed += first < end && stayed;
	if (!seen.red[end - 1])
		return;
	for (size_t i = end; i < plot.nights; i++) {
		green &= !seen.red[i];
		over[i] = !seen.red[i];
	}
	counts->accept_trials += accepted;
	counts->green += accepted && green;
	counts->recover_trials += !accepted;
	if (!accepted)
		note_found(over, end, plot.nights, counts->recovered_within);
}

static void drift(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = DRIFT_NIGHTS};
	struct seen seen;

	for (size_t i = 0; i < plot.nights; i++)
		plot.ratio[i] = pow(1.01, (double)(i + 1));
	nights_play(setting, &plot, rng, &seen);
	note_found(seen.red, 0, plot.nights, counts->drift_seen);
}

/* The machine is slow for a whole night. */
static void spike(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = 5, .spike = {[2] = 1.15}};
	struct seen seen;

	nights_play(setting, &plot, rng, &seen);
	counts->spike_alarm += seen.red[2] || seen.red[3];
}

/* A second step of `size` above the first, eight nights later. */
static void second_step(const struct setting *setting, struct bench_rng *rng, double size,
			struct counts *counts)
{
	struct plot plot = {.nights = 2 + 8 + 8};
	struct seen seen;

	for (size_t i = 2; i < plot.nights; i++)
		plot.ratio[i] = i < 10 ? size : size * size;
	nights_play(setting, &plot, rng, &seen);
	counts->second_found += seen.alarms[9] >= 1 && seen.alarms[plot.nights - 1] > seen.alarms[9];
}

static void step_again(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = 12, .ratio = {[2] = 1.3, [3] = 1.3, [9] = 1.6, [10] = 1.6, [11] = 1.6}};
	struct seen seen;

	nights_play(setting, &plot, rng, &seen);
	counts->again_found += seen.red[10] && seen.red[11];
}

static uint64_t seed; /* added to those of the tables */

static void play_steps(const struct setting *setting, size_t trials, double size, uint64_t stream,
		       struct counts *counts)
{
	struct bench_rng rng;

	bench_rng_start(&rng, 20261123 + seed, stream);
	for (size_t i = 0; i < trials; i++) {
		step(setting, &rng, size, i % 2 != 0, counts);
		drift(setting, &rng, counts);
		spike(setting, &rng, counts);
		second_step(setting, &rng, size, counts);
		step_again(setting, &rng, counts);
	}
}

static void play_unchanged(const struct setting *setting, size_t trials, uint64_t stream,
			   struct counts *counts)
{
	struct bench_rng rng;

	bench_rng_start(&rng, 20261126 + seed, stream);
	for (size_t i = 0; i < trials; i++)
		unchanged(setting, &rng, counts);
}

/* "12.5%", or "-" of nothing; good until a dozen calls later. */
static const char *percent(size_t hits, size_t trials)
{
	static char texts[16][16];
	static size_t next;
	char *text = texts[next++ % 16];

	snprintf(text, sizeof(texts[0]), trials ? "%.1f%%" : "-", 100 * (double)hits / (double)trials);
	return text;
}

static struct setting setting_of(enum judge judge, enum shape shape, enum sky sky, double run_deviation)
{
	bool anchored = judge == JUDGE_ANCHOR;

	return (struct setting){.judge = judge,
				.shape = shape,
				.sky = sky,
				.run_deviation = run_deviation,
				.residual = 0.02,
				.threshold = anchored ? 0.02 : 0.05,
				.invocations = anchored ? 16 : 10,
				.again = anchored ? 32 : 20};
}

static void name_of(const struct setting *setting, char *name, size_t size)
{
	snprintf(name, size, "%s, %s, nights %s %.0f%%", judge_names[setting->judge],
		 shape_names[setting->shape], sky_names[setting->sky], 100 * setting->run_deviation);
}

static void print_unchanged(struct setting setting, size_t trials, uint64_t stream)
{
	struct counts kept = {0}, forgotten = {0};
	size_t third = trials * QUIET_NIGHTS / 3;
	char name[96];

	name_of(&setting, name, sizeof(name));
	play_unchanged(&setting, trials, stream, &kept);
	setting.forgets = true;
	play_unchanged(&setting, trials, stream, &forgotten);
	printf("| %s | %s (%zu/%zu) | %s, %s, %s | %s (%zu/%zu) | %s | %s | %s |\n", name,
	       percent(kept.false_nights, kept.nights), kept.false_nights, kept.nights,
	       percent(kept.false_thirds[0], third), percent(kept.false_thirds[1], third),
	       percent(kept.false_thirds[2], third), percent(forgotten.false_nights, forgotten.nights),
	       forgotten.false_nights, forgotten.nights, percent(kept.suspect_nights, kept.nights),
	       percent(kept.undecided, kept.verdicts), percent(kept.too_little, kept.nights));
	fflush(stdout);
}

static void print_steps(const struct setting *setting, double size, size_t trials, uint64_t stream)
{
	struct counts counts = {0};
	char name[96];

	name_of(setting, name, sizeof(name));
	play_steps(setting, trials, size, stream, &counts);
	printf("| %s, %+.0f%% | %s, %s, %s, %s | %s (%zu/%zu) | %s, %s, %s of %zu | %s (%zu/%zu) | %s, %s | "
	       "%s "
	       "| %s | %s | %s |\n",
	       name, 100 * (size - 1), percent(counts.found_by[1], trials),
	       percent(counts.found_by[2], trials), percent(counts.found_by[3], trials),
	       percent(counts.found_by[8], trials), percent(counts.stayed, counts.stay_trials), counts.stayed,
	       counts.stay_trials, percent(counts.recovered_within[2], counts.recover_trials),
	       percent(counts.recovered_within[4], counts.recover_trials),
	       percent(counts.recovered_within[AFTER], counts.recover_trials), counts.recover_trials,
	       percent(counts.green, counts.accept_trials), counts.green, counts.accept_trials,
	       percent(counts.drift_seen[8], trials), percent(counts.drift_seen[DRIFT_NIGHTS], trials),
	       percent(counts.spike_alarm, trials), percent(counts.second_found, trials),
	       percent(counts.split_nights, counts.stay_nights), percent(counts.again_found, trials));
	fflush(stdout);
}

/* Each kind of night and of noise, with nights of 1%; and larger nights. */
static size_t list_settings(enum judge judge, struct setting *settings)
{
	static const double deviations[SKIES] = {
		[SKY_NORMAL] = 0.01,      [SKY_SKEWED] = 0.02, [SKY_FOLLOWING] = 0.02, [SKY_LASTING] = 0.02,
		[SKY_CHANGING] = 0.01,    [SKY_SPIKES] = 0.01, [SKY_WEEKEND] = 0.01,   [SKY_LEVELS] = 0.005,
		[SKY_OWN_LEVELS] = 0.005, [SKY_MISSING] = 0.01};
	size_t count = 0;

	for (int shape = 0; shape < SHAPES; shape++)
		settings[count++] = setting_of(judge, (enum shape)shape, SKY_NORMAL, 0.01);
	settings[count++] = setting_of(judge, SHAPE_LOGNORMAL, SKY_NORMAL, 0.03);
	settings[count++] = setting_of(judge, SHAPE_LOGNORMAL, SKY_NORMAL, 0.05);
	for (int sky = SKY_NORMAL + 1; sky < SKIES; sky++)
		settings[count++] = setting_of(judge, SHAPE_LOGNORMAL, (enum sky)sky, deviations[sky]);
	return count;
}

/* Counts a row; is it the only one that is wanted, or are all? */
static bool is_wanted(size_t *row, size_t only)
{
	return ++*row == only || only == 0;
}

static void print_tables(size_t trials, double size, size_t only)
{
	struct setting settings[SHAPES + 2 + SKIES];
	size_t row = 0;

	printf("%zu trials of %d nights a row.\n\n| judged by, noise, nights | nights with a false alarm | "
	       "in "
	       "each third of the nights | without memory | nights with a suspicion | metrics undecided | "
	       "nights with too little decided |\n|---|---|---|---|---|---|---|\n",
	       trials, QUIET_NIGHTS);
	for (int judge = 0; judge < JUDGES; judge++) {
		size_t count = list_settings((enum judge)judge, settings);

		for (size_t s = 0; s < count; s++)
			if (is_wanted(&row, only))
				print_unchanged(settings[s], trials, 100 * (uint64_t)judge + s);
	}
	printf("\n%zu trials a row.\n\n| judged by, noise, nights, step | found by night 1, 2, 3, 8 | red "
	       "every "
	       "night | recovered within 2 nights, 4, %d | green after accepting | drift by night 8, 15 | "
	       "spike "
	       "of "
	       "15%%: alarm | second step | nights that split a step | +60%% after a fix "
	       "|\n|---|---|---|---|---|---|---|---|---|---|\n",
	       trials, AFTER);
	for (int judge = 0; judge < JUDGES; judge++) {
		size_t count = list_settings((enum judge)judge, settings);

		for (size_t s = 0; s < count; s++)
			if (is_wanted(&row, only))
				print_steps(&settings[s], size, trials, 1000 + 100 * (uint64_t)judge + s);
		for (size_t s = 0; s < count; s++)
			if (is_wanted(&row, only))
				print_steps(&settings[s], 1.06, trials, 2000 + 100 * (uint64_t)judge + s);
	}
}

/* The promises, in a few seconds. */
static int keep_promises(void)
{
	int failed = 0;

	for (int judge = 0; judge < JUDGES; judge++) {
		struct setting setting = setting_of((enum judge)judge, SHAPE_LOGNORMAL, SKY_NORMAL, 0.01);
		struct counts counts = {0};
		char name[96], what[160];
		size_t soon = judge == JUDGE_ANCHOR ? 1 : 4;

		name_of(&setting, name, sizeof(name));
		play_steps(&setting, 10, 1.1, 50 + (uint64_t)judge, &counts);
		play_unchanged(&setting, 2, 50 + (uint64_t)judge, &counts);
		snprintf(what, sizeof(what), "%s: a false alarm", name);
		failed += rate_within(what, counts.false_nights, counts.nights, 0, 0.01);
		snprintf(what, sizeof(what), "%s: +10%% by night %zu", name, soon);
		failed += rate_within(what, counts.found_by[soon], counts.trials, 1, 1);
		snprintf(what, sizeof(what), "%s: and red every night", name);
		failed += rate_within(what, counts.stayed, counts.stay_trials, 1, 1);
		snprintf(what, sizeof(what), "%s: a second step is found", name);
		failed += rate_within(what, counts.second_found, counts.trials, 0.95, 1);
		snprintf(what, sizeof(what), "%s: and one step is not two", name);
		failed += rate_within(what, counts.split_nights, counts.stay_nights, 0, 0.01);
		snprintf(what, sizeof(what), "%s: recovers", name);
		failed += rate_within(what, counts.recovered_within[AFTER], counts.recover_trials, 1, 1);
	}
	return failed;
}

int main(int argc, char **argv)
{
	size_t trials = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	size_t only = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	if (argc == 1)
		return keep_promises() ? 1 : 0;
	if (trials == 0) {
		fprintf(stderr, "usage: nights [TRIALS [STEP [ROW [SEED]]]]\n");
		return 2;
	}
	print_tables(trials, argc > 2 ? strtod(argv[2], NULL) : 1.1, only);
	return 0;
}
