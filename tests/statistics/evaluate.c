/* SPDX-License-Identifier: MIT */
/*
 * The tables of docs/notes/gate-error-rates.md, from the trials that scripts/evaluate_gate has measured: how
 * often each way to judge cries wolf on unchanged code, and how often it finds a slowdown that was put in.
 *
 * evaluate TRIALS HISTORY, where TRIALS is the file that trials.h describes.
 *
 * Every run with HISTORY unchanged ones before it is judged against these: by the gate's comparison, and by
 * the textbook's tests on the very same samples. Markdown goes to stdout.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/duel.h"
#include "compare/gate.h"
#include "core/file.h"
#include "core/json.h"
#include "statistics/textbook.h"
#include "statistics/trials.h"
#include "stats/stats.h"

enum { MAX_HISTORY = 20, MAX_OTHERS = 40, MAX_LEARNED = 100000, CASES_MAX = 1000 };

/* The ways to judge; the last two are bench_compare_runs, with its threshold as it is by default, and lower.
 */
enum method { FIXED, RANKS, WELCH, GATE, GATE_FINE, METHODS };
static const char *const method_names[METHODS] = {"mean > 5% higher", "Mann-Whitney p < 0.05",
						  "Welch t p < 0.05", "bench, threshold 5%",
						  "bench, threshold 2%"};

/* What was counted over trials of one load and slowdown. */
struct tally {
	size_t runs, runs_slower[METHODS];       /* whole comparisons; with any metric slower */
	size_t metrics, metrics_slower[METHODS]; /* that carry the slowdown, where there is one */
	size_t unclear;                          /* by GATE */
	size_t intervals, right;                 /* of GATE, of 90%; those that hold 1 */
	double *learned;                         /* its thresholds, one a metric; MAX_LEARNED at most */
};

/* All samples of a metric in several runs, one after the other; malloc'd. */
static struct textbook_sample gather(struct bench_run *const *runs, size_t count, const char *key,
				     const char *metric_name)
{
	double *values = NULL;
	size_t total = 0;

	for (size_t r = 0; r < count; r++)
		for (size_t i = 0; i < runs[r]->result_count; i++) {
			const struct bench_metric *metric =
				strcmp(runs[r]->results[i].key, key) == 0
					? bench_record_metric(&runs[r]->results[i], metric_name)
					: NULL;
			for (size_t s = 0; metric && s < metric->series_count; s++) {
				const struct bench_series *series = &metric->series[s];

				values = realloc(values, (total + series->count + 1) * sizeof(*values));
				if (!values)
					trials_die(key, "no memory");
				memcpy(values + total, series->values, series->count * sizeof(*values));
				total += series->count;
			}
		}
	return (struct textbook_sample){values, total};
}

/* An injected slowdown is in what the host's clock measures, and not in what the device's does. */
static bool carries_slowdown(const char *metric)
{
	return strcmp(metric, "time") == 0 || strcmp(metric, "latency") == 0 ||
	       strcmp(metric, "relative_time") == 0;
}

/* The textbook's tests on one metric. */
static void judge_by_textbook(struct bench_run *const *base, size_t base_count,
			      struct bench_run *const *candidate, const char *key, const char *metric,
			      bool slower[METHODS])
{
	struct textbook_sample before = gather(base, base_count, key, metric);
	struct textbook_sample now = gather(candidate, 1, key, metric);

	if (before.count > 1 && now.count > 1) {
		slower[FIXED] = textbook_fixed_threshold(before, now);
		slower[RANKS] = textbook_rank_test(before, now);
		slower[WELCH] = textbook_welch(before, now);
	}
	free((double *)(uintptr_t)before.values);
	free((double *)(uintptr_t)now.values);
}

static struct bench_comparison *compare(struct bench_run **base, size_t base_count,
					const struct bench_run *candidate, double threshold)
{
	struct bench_compare_options options = {.threshold = threshold, .alpha = 0.01};
	struct bench_comparison *comparison;
	struct bench_error error;

	if (bench_compare_runs((const struct bench_run *const *)base, base_count, "history", candidate,
			       &options, &comparison, &error) != 0)
		trials_die(candidate->id, error.text);
	return comparison;
}

static bool is_slower(const struct bench_comparison *comparison, const char *key)
{
	const struct bench_verdict *verdict = bench_compare_find(comparison, key);

	return verdict && verdict->kind == BENCH_SLOWER;
}

static void judge_run(struct bench_run **base, size_t base_count, struct bench_run *candidate,
		      const struct trial *trial, struct tally *tally)
{
	struct bench_comparison *usual = compare(base, base_count, candidate, 0.05);
	struct bench_comparison *fine = compare(base, base_count, candidate, 0.02);
	bool any[METHODS] = {false};

	tally->runs++;
	for (size_t i = 0; i < usual->verdict_count; i++) {
		const struct bench_verdict *verdict = &usual->verdicts[i];
		bool slower[METHODS] = {
			[GATE] = verdict->kind == BENCH_SLOWER, [GATE_FINE] = is_slower(fine, verdict->key)};
		char key[BENCH_KEY_MAX];

		if (trial->slowdown > 0 && !carries_slowdown(verdict->metric))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)(strlen(verdict->key) - strlen(verdict->metric) - 1),
			 verdict->key);
		judge_by_textbook(base, base_count, &candidate, key, verdict->metric, slower);
		if (tally->learned && tally->metrics < MAX_LEARNED)
			tally->learned[tally->metrics] = verdict->threshold;
		tally->metrics++;
		tally->unclear += verdict->kind == BENCH_UNCLEAR;
		if (isfinite(verdict->lo) &&
		    (verdict->kind == BENCH_SAME || verdict->kind == BENCH_UNCLEAR)) {
			tally->intervals++;
			tally->right += verdict->lo <= 1 && verdict->hi >= 1;
		}
		for (int m = 0; m < METHODS; m++) {
			tally->metrics_slower[m] += slower[m];
			any[m] |= slower[m];
		}
	}
	for (int m = 0; m < METHODS; m++)
		tally->runs_slower[m] += any[m];
	bench_compare_free(usual);
	bench_compare_free(fine);
}

/* Walks all runs in order; unchanged ones move into the history. */
static void judge_runs(const struct trials *trials, const char *load_name, double slowdown,
		       struct tally *tally)
{
	struct bench_run *history[MAX_HISTORY];
	size_t known = 0;

	*tally = (struct tally){.learned = tally->learned};
	for (size_t t = 0; t < trials->count; t++) {
		const struct trial *trial = &trials->items[t];
		struct bench_run *run;

		if (strcmp(trial->kind, "run") != 0)
			continue;
		run = trials_load(trial->path);
		if (known == trials->history && strcmp(trial->load, load_name) == 0 &&
		    trial->slowdown == slowdown)
			judge_run(history, known, run, trial, tally);
		if (trial->slowdown > 0) {
			bench_record_free(run);
			continue;
		}
		if (known == trials->history) {
			bench_record_free(history[0]);
			memmove(history, history + 1, (known - 1) * sizeof(*history));
			known--;
		}
		history[known++] = run;
	}
	for (size_t i = 0; i < known; i++)
		bench_record_free(history[i]);
}

static void print_rate(size_t hits, size_t trials)
{
	struct bench_interval rate = bench_stats_proportion(hits, trials, 0.95);

	if (trials == 0)
		printf(" - |");
	else
		printf(" %zu of %zu (%.1f%%, %.1f..%.1f) |", hits, trials, 100 * rate.estimate, 100 * rate.lo,
		       100 * rate.hi);
}

static void print_false_alarms(const struct trials *trials)
{
	static const char *const loads[] = {"quiet", "loaded"};

	printf("## Unchanged code\n\nWhole comparisons with a false `slower`, and single metrics:\n\n"
	       "| judged by | quiet: comparisons | quiet: metrics | loaded: comparisons | loaded: metrics |\n"
	       "|---|---|---|---|---|\n");
	static double learned[2][MAX_LEARNED];
	struct tally tallies[2] = {{.learned = learned[0]}, {.learned = learned[1]}};
	for (int l = 0; l < 2; l++)
		judge_runs(trials, loads[l], 0, &tallies[l]);
	for (int m = 0; m < METHODS; m++) {
		printf("| %s |", method_names[m]);
		for (int l = 0; l < 2; l++) {
			print_rate(tallies[l].runs_slower[m], tallies[l].runs);
			print_rate(tallies[l].metrics_slower[m], tallies[l].metrics);
		}
		printf("\n");
	}
	printf("\nUnclear, threshold 5%%: quiet");
	for (int l = 0; l < 2; l++) {
		printf("%s", l ? " loaded" : "");
		print_rate(tallies[l].unclear, tallies[l].metrics);
	}
	printf("\n\nIntervals of 90%% that are right: quiet");
	for (int l = 0; l < 2; l++) {
		printf("%s", l ? " loaded" : "");
		print_rate(tallies[l].right, tallies[l].intervals);
	}
	printf("\n\nThresholds, learned or not (the median over metrics, and the quartiles): quiet");
	for (int l = 0; l < 2; l++)
		printf("%s %.1f%% (%.1f..%.1f)", l ? ", loaded" : "",
		       100 * bench_stats_quantile(learned[l], tallies[l].metrics, 0.5),
		       100 * bench_stats_quantile(learned[l], tallies[l].metrics, 0.25),
		       100 * bench_stats_quantile(learned[l], tallies[l].metrics, 0.75));
	printf("\n\n");
}

static bool is_new_level(const struct trials *trials, size_t at, const char *kind)
{
	if (strcmp(trials->items[at].kind, kind) != 0 || trials->items[at].slowdown == 0)
		return false;
	for (size_t t = 0; t < at; t++)
		if (strcmp(trials->items[t].kind, kind) == 0 &&
		    trials->items[t].slowdown == trials->items[at].slowdown)
			return false;
	return true;
}

static void print_detection(const struct trials *trials)
{
	printf("## Slowdowns put in, found by one run against the history\n\n"
	       "Of the metrics that carry it:\n\n| slowdown |");
	for (int m = 0; m < METHODS; m++)
		printf(" %s |", method_names[m]);
	printf("\n|---|---|---|---|---|---|\n");
	for (size_t t = 0; t < trials->count; t++) {
		struct tally tally = {0};

		if (!is_new_level(trials, t, "run"))
			continue;
		judge_runs(trials, "quiet", trials->items[t].slowdown, &tally);
		printf("| %g%% |", 100 * trials->items[t].slowdown);
		for (int m = 0; m < METHODS; m++)
			print_rate(tally.metrics_slower[m], tally.metrics);
		printf("\n");
	}
	printf("\n");
}

static cJSON *read_verdicts(const char *path, cJSON **document)
{
	struct bench_error error;
	char *data;
	size_t length;

	if (bench_file_read(path, (size_t)64 << 20, &data, &length, &error) != 0)
		trials_die(path, error.text);
	*document = bench_json_parse(data, length, path, &error);
	free(data);
	if (!*document)
		trials_die(path, error.text);
	return cJSON_GetObjectItemCaseSensitive(*document, "verdicts");
}

/* How many of the metrics that carry a slowdown are slower, by the verdicts of a gate or a duel. */
static void count_found(const char *path, size_t *found, size_t *metrics)
{
	cJSON *document, *verdicts = read_verdicts(path, &document);
	const cJSON *verdict;

	cJSON_ArrayForEach(verdict, verdicts)
	{
		if (!carries_slowdown(bench_json_string_or(verdict, "metric", "")))
			continue;
		(*metrics)++;
		*found += strcmp(bench_json_string_or(verdict, "verdict", ""), "slower") == 0;
	}
	cJSON_Delete(document);
}

static void print_whole(const struct trials *trials, const char *kind)
{
	printf("## Slowdowns put in, found by `bench %s`\n\n"
	       "| slowdown | trials | seconds each, at most | metrics found |\n|---|---|---|---|\n",
	       kind);
	for (size_t t = 0; t < trials->count; t++) {
		size_t found = 0, metrics = 0, count = 0;
		double longest = 0;

		if (!is_new_level(trials, t, kind))
			continue;
		for (size_t u = t; u < trials->count; u++) {
			const struct trial *trial = &trials->items[u];

			if (strcmp(trial->kind, kind) != 0 || trial->slowdown != trials->items[t].slowdown)
				continue;
			count_found(trial->path, &found, &metrics);
			count++;
			longest = fmax(longest, trial->seconds);
		}
		printf("| %g%% | %zu | %.0f |", 100 * trials->items[t].slowdown, count, longest);
		print_rate(found, metrics);
		printf("\n");
	}
	printf("\n");
}

/* What is said of a case whose code is unchanged, in log: the truth is 0. */
struct claim {
	double estimate, lo, hi; /* with its 90% interval */
};

/* The other runs of unchanged code beside the same load; the caller frees them. */
static size_t load_others(const struct trials *trials, const struct trial *trial, struct bench_run **others)
{
	size_t count = 0;

	for (size_t t = 0; t < trials->count; t++) {
		const struct trial *other = &trials->items[t];

		if (other == trial || strcmp(other->kind, trial->kind) != 0 ||
		    strcmp(other->load, trial->load) != 0 || count + 2 > MAX_OTHERS)
			continue;
		others[count++] = trials_load(other->path);
		others[count++] = trials_load(other->other_path);
	}
	return count;
}

/*
 * What bench_compare_runs says of each case's time in the second of two runs; with or without other runs as
 * history. With an alpha that is never reached all intervals are of 90%. Returns how many, at most CASES_MAX.
 */
static size_t claims_of_separate(const struct trials *trials, const struct trial *trial, bool with_history,
				 struct claim *claims)
{
	struct bench_run *runs[2 + MAX_OTHERS] = {trials_load(trial->path), trials_load(trial->other_path)};
	size_t others = with_history ? load_others(trials, trial, runs + 2) : 0, count = 0;
	struct bench_compare_options options = {
		.threshold = 0.05,
		.alpha = 1e-12,
		.history = (const struct bench_run *const *)(uintptr_t)runs,
		.history_count = with_history ? 2 + others : 0,
	};
	struct bench_comparison *comparison;
	struct bench_error error;

	if (bench_compare_runs((const struct bench_run *const *)(uintptr_t)runs, 1, "one run", runs[1],
			       &options, &comparison, &error) != 0)
		trials_die(trial->other_path, error.text);
	for (size_t i = 0; i < comparison->verdict_count && count < CASES_MAX; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];

		if (strcmp(verdict->metric, "time") == 0 && isfinite(verdict->lo) &&
		    (!with_history || verdict->learned_runs > 0))
			claims[count++] =
				(struct claim){log(verdict->ratio), log(verdict->lo), log(verdict->hi)};
	}
	bench_compare_free(comparison);
	for (size_t i = 0; i < 2 + others; i++)
		bench_record_free(runs[i]);
	return count;
}

/* The same of a duel, whose verdicts show it; those that show another level are left out. */
static size_t claims_of_duel(const struct trial *trial, struct claim *claims)
{
	cJSON *document, *verdicts = read_verdicts(trial->path, &document);
	const cJSON *verdict;
	size_t count = 0;

	cJSON_ArrayForEach(verdict, verdicts)
	{
		const cJSON *ci = cJSON_GetObjectItemCaseSensitive(verdict, "ci");
		const cJSON *lo = cJSON_GetArrayItem(ci, 0), *hi = cJSON_GetArrayItem(ci, 1);
		double level = bench_json_number_or(verdict, "ci_level", 0);
		double ratio = bench_json_number_or(verdict, "ratio", NAN);

		if (cJSON_IsNumber(lo) && cJSON_IsNumber(hi) && level > 0.85 && level < 0.96 &&
		    count < CASES_MAX)
			claims[count++] =
				(struct claim){log(ratio), log(lo->valuedouble), log(hi->valuedouble)};
	}
	cJSON_Delete(document);
	return count;
}

/* How many of the metrics of unchanged duels are called slower. */
static void print_false_alarms_of_duels(const struct trials *trials)
{
	size_t found = 0, metrics = 0;

	for (size_t t = 0; t < trials->count; t++)
		if (strcmp(trials->items[t].kind, "duel") == 0 && trials->items[t].slowdown == 0)
			count_found(trials->items[t].path, &found, &metrics);
	printf("Of these duels' metrics, called slower:");
	print_rate(found, metrics);
	printf("\n\n");
}

/* The ways to compare unchanged code with itself. */
enum way { IN_TURNS, ALONE, WITH_HISTORY, WAYS };
static const char *const way_names[WAYS] = {"duels", "two runs alone", "two runs with a history"};

/* What the unchanged trials of a way and load come to. */
struct precision {
	double width;         /* the median over trials of the median over cases */
	double error, tail;   /* of the estimates: the median, and what nine of ten do not exceed */
	size_t claims, right; /* in all; whose interval holds the truth */
};

/* Prints the width of each trial, too. */
static struct precision look_at(const struct trials *trials, const char *load_name, enum way way)
{
	static double widths[TRIALS_MAX], errors[TRIALS_MAX * 20];
	static struct claim claims[CASES_MAX];
	double own[CASES_MAX];
	struct precision all = {0};
	size_t count = 0;

	for (size_t t = 0; t < trials->count; t++) {
		const struct trial *trial = &trials->items[t];
		size_t cases;

		if (trial->slowdown > 0 || strcmp(trial->kind, way == IN_TURNS ? "duel" : "separate") != 0 ||
		    strcmp(trial->load, load_name) != 0)
			continue;
		cases = way == IN_TURNS ? claims_of_duel(trial, claims)
					: claims_of_separate(trials, trial, way == WITH_HISTORY, claims);
		for (size_t i = 0; i < cases; i++) {
			own[i] = claims[i].hi - claims[i].lo;
			all.right += claims[i].lo <= 0 && claims[i].hi >= 0;
			if (all.claims < sizeof(errors) / sizeof(*errors))
				errors[all.claims++] = 100 * fabs(claims[i].estimate);
		}
		if (cases > 0) {
			widths[count] = 100 * bench_stats_median(own, cases);
			printf(" %.2f%% (%zu)", widths[count++], cases);
		} else {
			printf(" none");
		}
	}
	printf(" |");
	all.width = bench_stats_median(widths, count);
	all.error = bench_stats_median(errors, all.claims);
	all.tail = bench_stats_quantile(errors, all.claims, 0.9);
	return all;
}

static void print_widths(const struct trials *trials)
{
	static const char *const loads[] = {"quiet", "loaded"};
	struct precision found[2][WAYS];

	printf("## How narrow is the interval?\n\n"
	       "The width of the 90%% interval of the ratio, the median over the cases (so many of them have "
	       "one), of unchanged code; and over the duels':\n\n"
	       "| machine | | widths | |\n|---|---|---|---|\n");
	for (int l = 0; l < 2; l++)
		for (int w = 0; w < WAYS; w++) {
			printf("| %s | %s |", loads[l], way_names[w]);
			found[l][w] = look_at(trials, loads[l], (enum way)w);
			printf(" %.1fx |\n", found[l][w].width / found[l][IN_TURNS].width);
		}
	printf("\nHow far the estimates of the ratio are from the truth, which is 1, and how many of these "
	       "intervals hold it:\n\n"
	       "| machine | | median | nine of ten | right |\n|---|---|---|---|---|\n");
	for (int l = 0; l < 2; l++)
		for (int w = 0; w < WAYS; w++) {
			printf("| %s | %s | %.2f%% | %.2f%% |", loads[l], way_names[w], found[l][w].error,
			       found[l][w].tail);
			print_rate(found[l][w].right, found[l][w].claims);
			printf("\n");
		}
	printf("\n");
	print_false_alarms_of_duels(trials);
}

/* Nights of a gate with its anchor, of one load and slowdown. */
struct nights {
	size_t count, alarmed, too_little; /* nights; with a metric that is slower; that end undecided */
	size_t metrics, slower, unclear;   /* by the gate, as it judges pairs today */
	size_t by_history, lone_slower,
		lone_unclear; /* the same nights' times against the ten nights before */
	size_t lone_nights, lone_alarmed;
	double seconds[TRIALS_MAX];
};

static struct bench_comparison *judge_pairs(const struct bench_run *run, const struct bench_run *again,
					    bool alone)
{
	const struct bench_duel_options options = {.base_name = "anchor",
						   .threshold = 0.02 * (alone ? BENCH_GATE_CONFIRM_SHARE : 1),
						   .alpha = alone ? BENCH_GATE_CONFIRM_ALPHA : 0.01,
						   .each_alone = alone,
						   .two_looks = !alone,
						   .again = again};
	struct bench_comparison *comparison;
	struct bench_error error;

	if (bench_compare_duel(run, &options, &comparison, &error) != 0)
		trials_die(run->id, error.text);
	return comparison;
}

/* As the gate concludes: from the night's run and, where there is one, its second. */
static void judge_night(const struct bench_run *run, const struct bench_run *again, struct nights *nights)
{
	struct bench_comparison *verdicts = judge_pairs(run, NULL, false), *second = NULL, *pooled = NULL;
	struct bench_compare_confirmation confirmation = {.run = again};

	if (again) {
		confirmation.comparison = second = judge_pairs(again, NULL, true);
		confirmation.pooled = pooled = judge_pairs(run, again, false);
	}
	bench_compare_gate_conclude(verdicts, NULL, again ? &confirmation : NULL);
	struct bench_gate_undecided undecided = bench_compare_gate_undecided(verdicts, 0.10, false);
	nights->metrics += undecided.judged;
	nights->unclear += undecided.unclear;
	nights->slower += verdicts->counts[BENCH_SLOWER];
	nights->alarmed += verdicts->counts[BENCH_SLOWER] > 0;
	nights->too_little += verdicts->counts[BENCH_SLOWER] == 0 && undecided.too_many;
	bench_compare_free(verdicts);
	bench_compare_free(second);
	bench_compare_free(pooled);
}

/*
 * The same night without its anchor: the times of tonight's executable alone. False: there is nothing to
 * judge it by, since the environment has changed.
 */
static bool judge_without(struct bench_run **history, size_t known, const struct bench_run *run,
			  struct nights *nights)
{
	const struct bench_compare_options options = {.threshold = 0.05, .alpha = 0.01};
	struct bench_comparison *verdicts;
	struct bench_error error;
	bool alarmed = false;

	if (bench_compare_runs((const struct bench_run *const *)history, known, "history", run, &options,
			       &verdicts, &error) != 0) {
		if (error.code != BENCH_NOTHING)
			trials_die(run->id, error.text);
		return false;
	}
	for (size_t i = 0; i < verdicts->verdict_count; i++) {
		const struct bench_verdict *verdict = &verdicts->verdicts[i];

		if (strcmp(verdict->metric, "time") != 0)
			continue;
		nights->by_history++;
		nights->lone_slower += verdict->kind == BENCH_SLOWER;
		nights->lone_unclear += verdict->kind == BENCH_UNCLEAR;
		alarmed |= verdict->kind == BENCH_SLOWER;
	}
	nights->lone_nights++;
	nights->lone_alarmed += alarmed;
	bench_compare_free(verdicts);
	return true;
}

static void forget(struct bench_run **history, size_t *known)
{
	for (size_t i = 0; i < *known; i++)
		bench_record_free(history[i]);
	*known = 0;
}

/* All nights in order; unchanged ones move into the history, which begins anew in another environment. */
static void walk_nights(const struct trials *trials, const char *load, double slowdown, struct nights *nights)
{
	struct bench_run *history[MAX_HISTORY];
	size_t known = 0;

	for (size_t t = 0; t < trials->count; t++) {
		const struct trial *trial = &trials->items[t];

		if (strcmp(trial->kind, "night") != 0)
			continue;
		struct bench_run *run = trials_load(trial->path);
		struct bench_run *again = trial->other_path ? trials_load(trial->other_path) : NULL;
		if (strcmp(trial->load, load) == 0 && trial->slowdown == slowdown) {
			judge_night(run, again, nights);
			if (known == trials->history && !judge_without(history, known, run, nights))
				forget(history, &known);
			nights->seconds[nights->count++] = trial->seconds;
		}
		bench_record_free(again);
		if (trial->slowdown > 0) {
			bench_record_free(run);
			continue;
		}
		if (known == trials->history) {
			bench_record_free(history[0]);
			memmove(history, history + 1, --known * sizeof(*history));
		}
		history[known++] = run;
	}
	forget(history, &known);
}

static void print_nights(const struct trials *trials)
{
	static const char *const loads[] = {"quiet", "loaded"};
	static const double slowdowns[] = {0, 0.03, 0.05};
	static struct nights nights;

	printf("## Nights of a gate with its anchor\n\n"
	       "Threshold 2%%; judged anew from what was measured. Beside it the same nights without the "
	       "anchor: the times of "
	       "each night against the %zu before it, threshold 5%%.\n\n"
	       "| load, slowdown put in | nights | seconds, median and most | nights with an alarm | metrics "
	       "slower | metrics "
	       "undecided | nights undecided | without: nights with an alarm | metrics slower | metrics "
	       "undecided "
	       "|\n|---|---|---|---|---|---|---|---|---|---|\n",
	       trials->history);
	for (size_t i = 0; i < 6; i++) {
		nights = (struct nights){0};
		walk_nights(trials, loads[i % 2], slowdowns[i / 2], &nights);
		if (nights.count == 0)
			continue;
		printf("| %s, %g%% | %zu | %.0f, %.0f |", loads[i % 2], 100 * slowdowns[i / 2], nights.count,
		       bench_stats_median(nights.seconds, nights.count),
		       bench_stats_quantile(nights.seconds, nights.count, 1));
		print_rate(nights.alarmed, nights.count);
		print_rate(nights.slower, nights.metrics);
		print_rate(nights.unclear, nights.metrics);
		print_rate(nights.too_little, nights.count);
		print_rate(nights.lone_alarmed, nights.lone_nights);
		print_rate(nights.lone_slower, nights.by_history);
		print_rate(nights.lone_unclear, nights.by_history);
		printf("\n");
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct trials trials;

	if (argc != 3 || (trials.history = strtoul(argv[2], NULL, 10)) < 1 || trials.history > MAX_HISTORY)
		trials_die("usage", "evaluate TRIALS HISTORY");
	trials_read(&trials, argv[1]);
	print_nights(&trials);
	print_whole(&trials, "gate");
	print_whole(&trials, "duel");
	print_widths(&trials);
	trials_print_levels(&trials);
	print_false_alarms(&trials);
	print_detection(&trials);
	trials_free(&trials);
	return 0;
}
