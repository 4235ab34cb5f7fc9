/*
 * Nights of a gate that remembers: how often is there a false alarm, is a step found on its first night, does
 * it stay red until it is accepted or mended, and what of a drift, a spike, two steps?
 *
 * nights          a small version with promises, for ctest
 * nights TRIALS   so many trials of each plot, and tables in Markdown (docs/notes/history-error-rates.md)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/nights.h"
#include "statistics/simulate.h"

enum { STEP = 3, BAD_NIGHTS = 12, AFTER = 15, QUIET_NIGHTS = 30, DRIFT_NIGHTS = 15 };

/* What is counted over the trials of one setting. */
struct counts {
	size_t trials;
	size_t nights, false_nights, too_little, verdicts, undecided; /* nothing changed */
	size_t found_first, stayed, stay_trials;                      /* the step; of those that were found */
	size_t recovered, recovered_within[AFTER + 1], recover_trials;
	size_t green, accept_trials;         /* after it was accepted, to the end */
	size_t drift_seen[DRIFT_NIGHTS + 1]; /* by that night */
	size_t spike_alarm, spike_over;      /* one night, both looks; and green the night after */
	size_t second_found;                 /* after two bad nights and a fix, +60% */
	size_t looked_back[BAD_NIGHTS + 1];  /* by that night of the step */
	size_t looked_back_false, looked_back_nights;
};

static void unchanged(const struct setting *setting, struct bench_rng *rng, bool look_back,
		      struct counts *counts)
{
	struct plot plot = {.nights = QUIET_NIGHTS};
	struct seen seen;

	nights_play(setting, &plot, look_back, rng, &seen);
	for (size_t i = 0; i < plot.nights; i++) {
		counts->false_nights += seen.opened[i] || seen.others[i];
		counts->too_little += seen.too_little[i];
	}
	counts->nights += plot.nights;
	counts->undecided += seen.undecided;
	counts->verdicts += plot.nights * METRICS;
	counts->looked_back_nights += look_back;
	for (size_t i = 0; i < plot.nights; i++)
		if (seen.looked_back[i] || seen.looked_back_others[i]) {
			counts->looked_back_false++;
			break;
		}
}

/* A step of `size` from night STEP on, for BAD_NIGHTS; then it is mended, or accepted. */
static void step(const struct setting *setting, struct bench_rng *rng, double size, bool accepted,
		 bool look_back, struct counts *counts)
{
	struct plot plot = {.nights = STEP + BAD_NIGHTS + AFTER};
	struct seen seen;
	size_t end = STEP + BAD_NIGHTS, first = 0;
	bool stayed = true;

	for (size_t i = STEP; i < (accepted ? plot.nights : end); i++)
		plot.ratio[i] = size;
	plot.accepted[end - 1] = accepted;
	nights_play(setting, &plot, look_back, rng, &seen);
	for (size_t i = STEP; look_back && i < end; i++)
		counts->looked_back[i - STEP + 1] += seen.looked_back[i];
	counts->found_first += seen.red[STEP];
	counts->trials++;
	for (first = STEP; first < end && !seen.red[first]; first++)
		;
	if (first == end)
		return;
	for (size_t i = first; i < end; i++)
		stayed &= seen.red[i];
	counts->stay_trials++;
	counts->stayed += stayed;
	if (!seen.red[end - 1])
		return;
	if (accepted) {
		bool green = true;

		for (size_t i = end; i < plot.nights; i++)
			green &= !seen.red[i];
		counts->green += green;
		counts->accept_trials++;
		return;
	}
	counts->recover_trials++;
	for (size_t i = end; i < plot.nights; i++)
		if (!seen.red[i]) {
			counts->recovered++;
			for (size_t n = i - end + 1; n <= AFTER; n++)
				counts->recovered_within[n]++;
			break;
		}
}

static void drift(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = DRIFT_NIGHTS};
	struct seen seen;
	bool found = false;

	for (size_t i = 0; i < plot.nights; i++)
		plot.ratio[i] = pow(1.01, (double)(i + 1));
	nights_play(setting, &plot, false, rng, &seen);
	for (size_t i = 0; i < plot.nights; i++)
		counts->drift_seen[i + 1] += found |= seen.red[i];
}

/* The machine is slow for a whole night. */
static void spike(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = 5, .spike = {[2] = 1.5}};
	struct seen seen;

	nights_play(setting, &plot, false, rng, &seen);
	counts->spike_alarm += seen.red[2];
	counts->spike_over += seen.red[2] && !seen.red[3];
}

static void two_steps(const struct setting *setting, struct bench_rng *rng, struct counts *counts)
{
	struct plot plot = {.nights = 12, .ratio = {[2] = 1.3, [3] = 1.3, [9] = 1.6, [10] = 1.6, [11] = 1.6}};
	struct seen seen;

	nights_play(setting, &plot, false, rng, &seen);
	counts->second_found += seen.red[9] && seen.red[10] && seen.red[11];
}

static void play_all(const struct setting *setting, size_t trials, double size, uint64_t stream,
		     struct counts *counts)
{
	struct bench_rng rng;
	bool look_back = setting->judge == JUDGE_HISTORY;

	*counts = (struct counts){0};
	bench_rng_start(&rng, 20261123, stream);
	for (size_t i = 0; i < trials; i++) {
		unchanged(setting, &rng, look_back, counts);
		step(setting, &rng, size, i % 2 != 0, look_back, counts);
		drift(setting, &rng, counts);
		spike(setting, &rng, counts);
		two_steps(setting, &rng, counts);
	}
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

/* The first night by which 95% of the trials have it; 0: none. */
static size_t night_of(const size_t *by_night, size_t nights, size_t trials, double share)
{
	for (size_t i = 1; i <= nights; i++)
		if ((double)by_night[i] >= share * (double)trials)
			return i;
	return 0;
}

static void name_of(const struct setting *setting, char *name, size_t size)
{
	snprintf(name, size, "%s, %s, nights %.0f%%", judge_names[setting->judge],
		 shape_names[setting->shape], 100 * setting->run_deviation);
}

static void print_row(const struct setting *setting, const struct counts *counts, size_t trials)
{
	char name[96], within[32] = "-";
	size_t nights = night_of(counts->recovered_within, AFTER, counts->recover_trials, 0.95);

	name_of(setting, name, sizeof(name));
	if (nights && counts->recover_trials > 0)
		snprintf(within, sizeof(within), "%zu", nights);
	printf("| %s | %s (%zu/%zu) | %s, %s | %s | %s (%zu/%zu) | %s (%zu/%zu), %s | %s (%zu/%zu) | %s, %s "
	       "| "
	       "%s, %s | %s |\n",
	       name, percent(counts->false_nights, counts->nights), counts->false_nights, counts->nights,
	       percent(counts->undecided, counts->verdicts), percent(counts->too_little, counts->nights),
	       percent(counts->found_first, counts->trials), percent(counts->stayed, counts->stay_trials),
	       counts->stayed, counts->stay_trials, percent(counts->recovered, counts->recover_trials),
	       counts->recovered, counts->recover_trials, within,
	       percent(counts->green, counts->accept_trials), counts->green, counts->accept_trials,
	       percent(counts->drift_seen[8], trials), percent(counts->drift_seen[DRIFT_NIGHTS], trials),
	       percent(counts->spike_alarm, trials), percent(counts->spike_over, counts->spike_alarm),
	       percent(counts->second_found, trials));
	fflush(stdout);
}

static struct setting setting_of(enum judge judge, enum shape shape, double run_deviation)
{
	bool anchored = judge == JUDGE_ANCHOR;

	return (struct setting){.judge = judge,
				.shape = shape,
				.run_deviation = run_deviation,
				.residual = 0.02,
				.threshold = anchored ? 0.02 : 0.05,
				.invocations = anchored ? 16 : 10,
				.again = anchored ? 32 : 20};
}

static void print_tables(size_t trials, double size)
{
	struct counts history[2 * SHAPES];
	size_t rows = 0;

	printf("%zu trials a row; the step is %+.0f%%.\n\n| judged by, noise, night's level | nights with a "
	       "false "
	       "alarm | metrics undecided; nights with too little decided | found on night 1 | red every "
	       "night | recovered; 95%% within nights | "
	       "green "
	       "after accepting | drift by night 8, 15 | spike: alarm, over next night | +60%% after a fix "
	       "|\n|---|---|---|---|---|---|---|---|---|---|\n",
	       trials, 100 * (size - 1));
	for (int judge = 0; judge < JUDGES; judge++)
		for (int shape = 0; shape < SHAPES; shape++)
			for (int loud = 0; loud < 2; loud++) {
				struct setting setting =
					setting_of((enum judge)judge, (enum shape)shape, loud ? 0.05 : 0.01);
				struct counts *counts = &history[judge == JUDGE_HISTORY ? rows++ : 0];

				play_all(&setting, trials, size,
					 100 + (uint64_t)(10 * judge + 2 * shape + loud), counts);
				print_row(&setting, counts, trials);
			}
	printf("\n| looking back over the history | step seen by night 3 | 5 | 8 | 12 | false, in a "
	       "history of %d nights |\n|---|---|---|---|---|---|\n",
	       QUIET_NIGHTS);
	for (size_t r = 0; r < rows; r++) {
		struct setting setting = setting_of(JUDGE_HISTORY, (enum shape)(r / 2), r % 2 ? 0.05 : 0.01);
		char name[96];

		name_of(&setting, name, sizeof(name));
		printf("| %s | %s | %s | %s | %s | %s |\n", name, percent(history[r].looked_back[3], trials),
		       percent(history[r].looked_back[5], trials), percent(history[r].looked_back[8], trials),
		       percent(history[r].looked_back[12], trials),
		       percent(history[r].looked_back_false, history[r].looked_back_nights));
	}
}

/* The promises, in a few seconds. */
static int keep_promises(void)
{
	int failed = 0;

	for (int loud = 0; loud < 2; loud++) {
		struct setting setting = setting_of(JUDGE_ANCHOR, SHAPE_LOGNORMAL, loud ? 0.05 : 0.01);
		struct counts counts;
		char name[96], what[160];

		name_of(&setting, name, sizeof(name));
		play_all(&setting, 10, 1.1, 50 + (uint64_t)loud, &counts);
		snprintf(what, sizeof(what), "%s: a false alarm", name);
		failed += rate_within(what, counts.false_nights, counts.nights, 0, 0.01);
		snprintf(what, sizeof(what), "%s: +10%% on its first night", name);
		failed += rate_within(what, counts.found_first, counts.trials, 1, 1);
		snprintf(what, sizeof(what), "%s: and red every night", name);
		failed += rate_within(what, counts.stayed, counts.trials, 1, 1);
		snprintf(what, sizeof(what), "%s: recovers", name);
		failed += rate_within(what, counts.recovered, counts.recover_trials, 1, 1);
	}
	return failed;
}

int main(int argc, char **argv)
{
	size_t trials = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc == 1)
		return keep_promises() ? 1 : 0;
	if (trials == 0) {
		fprintf(stderr, "usage: nights [TRIALS [STEP]]\n");
		return 2;
	}
	print_tables(trials, argc > 2 ? strtod(argv[2], NULL) : 1.1);
	return 0;
}
