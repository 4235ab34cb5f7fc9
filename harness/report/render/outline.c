/* SPDX-License-Identifier: MIT */
#include "report/render/outline.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

#define LISTED 20 /* failed cases, or missing metrics, that are named one by one */

static void add(struct bench_arena *arena, struct bench_outline *outline, const char *label,
		enum bench_tone tone, const char *text)
{
	struct bench_outline_line *line =
		bench_arena_push(arena, &outline->lines, &outline->count, sizeof(*line));
	*line = (struct bench_outline_line){label, bench_render_words_line(arena, text), tone};
}

/* A line for those beyond the first LISTED. */
static void add_more(struct bench_arena *arena, struct bench_outline *outline, enum bench_tone tone,
		     size_t count, const char *which)
{
	if (count > LISTED)
		add(arena, outline, "", tone,
		    bench_arena_format(arena, "... and %zu more %s", count - LISTED, which));
}

/* The disturbed share of the visits, and the worst disturbance. */
static void add_disturbed(struct bench_arena *arena, const struct bench_run *run,
			  struct bench_outline *outline)
{
	double share = 0, others = 0, steal = 0, canary = 0;
	size_t count = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		for (size_t j = 0; j < run->results[i].watched_count; j++) {
			const struct bench_watched *watched = &run->results[i].watched[j];
			count++;
			share += watched->disturbed;
			if (!(watched->disturbed > 0))
				continue;
			others = fmax(others, watched->others);
			steal = fmax(steal, watched->steal);
			canary = fmax(canary, watched->canary_worst);
		}
	}
	if (!(share > 0))
		return;
	struct bench_text text = {0};
	bench_text_add(&text, "disturbed: %s of the visits",
		       bench_render_words_percent(arena, share / (double)count));
	const char *separator = " (";
	static const char *const names[] = {"others", "steal", "canary"};
	const double values[] = {others, steal, canary};
	for (size_t i = 0; i < 3; i++) {
		if (!(values[i] > 0))
			continue;
		bench_text_add(&text, i < 2 ? "%s%s %.2f cores" : "%s%s %.1fx", separator, names[i],
			       values[i]);
		separator = ", ";
	}
	bench_text_add(&text, "%s", *separator == ',' ? ")" : "");
	add(arena, outline, "watch", BENCH_TONE_DOUBT, text.data);
	bench_text_free(&text);
}

/* Runs that are not results say so right below their name. */
static void add_aside(struct bench_arena *arena, const struct bench_run *run, struct bench_outline *outline)
{
	const char *aside = bench_record_attribute_get(run->labels, run->label_count, "aside"), *amount = "";
	size_t slowed = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note = bench_record_attribute_get(result->notes, result->note_count, "slowdown");
		slowed += *note != '\0';
		amount = *note ? note : amount;
	}
	if (slowed)
		add(arena, outline, "slowed", BENCH_TONE_BAD,
		    bench_arena_format(arena,
				       "%zu of %zu cases, by %s, on purpose (BENCH_SLOWDOWN): no result",
				       slowed, run->result_count, amount));
	if (*aside)
		add(arena, outline, "aside", BENCH_TONE_DOUBT,
		    bench_arena_format(arena, "%s: rolling baselines pass this run over", aside));
}

struct bench_outline bench_render_outline_head(struct bench_arena *arena, const struct bench_run *run)
{
	struct bench_outline outline = {0};
	bool partial = run->interrupted || run->finished == 0;
	const char *cut = run->interrupted ? ", interrupted" : partial ? ", cut short" : "";
	add(arena, &outline, "run", partial ? BENCH_TONE_DOUBT : BENCH_TONE_PLAIN,
	    bench_arena_format(arena, "%s%s, commit %s, preset %s, %u invocation%s", run->id, cut,
			       bench_render_words_commit(arena, &run->git), run->preset, run->invocations,
			       bench_text_plural(run->invocations)));
	add_aside(arena, run, &outline);
	struct bench_text host = {0};
	static const struct {
		const char *name, *after;
	} facts[] = {{"name", ""}, {"cpu", ""}, {"cores", " cores"}, {"governor", " governor"}};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *value = bench_record_attribute_get(run->host, run->host_count, facts[i].name);
		if (*value)
			bench_text_add(&host, "%s%s%s", host.length ? ", " : "", value, facts[i].after);
	}
	if (host.length)
		add(arena, &outline, "host", BENCH_TONE_PLAIN, host.data);
	bench_text_free(&host);
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_device_record *device = &run->devices[i];
		add(arena, &outline, "device", BENCH_TONE_PLAIN,
		    bench_arena_format(arena, "%s:%s, %s%s%s", device->backend, device->info.slug,
				       device->info.name, *device->info.driver ? ", driver " : "",
				       device->info.driver));
	}
	const char *tuned = bench_record_attribute_get(run->host, run->host_count, "env.BENCH_TUNING");
	if (*tuned)
		add(arena, &outline, "tuned", BENCH_TONE_PLAIN, tuned);
	add_disturbed(arena, run, &outline);
	return outline;
}

static void add_counts(struct bench_arena *arena, const struct bench_run *run, struct bench_outline *outline)
{
	static const enum bench_status order[] = {BENCH_STATUS_OK,      BENCH_STATUS_INCORRECT,
						  BENCH_STATUS_FAILED,  BENCH_STATUS_UNSUPPORTED,
						  BENCH_STATUS_SKIPPED, BENCH_STATUS_PENDING};
	size_t counts[BENCH_STATUS_INCORRECT + 1] = {0};
	for (size_t i = 0; i < run->result_count; i++)
		counts[run->results[i].status]++;
	struct bench_text text = {0};
	bench_text_add(&text, "%zu case%s", run->result_count, bench_text_plural(run->result_count));
	const char *separator = ": ";
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (counts[order[i]] == 0)
			continue;
		bench_text_add(&text, "%s%zu %s", separator, counts[order[i]],
			       bench_record_status_name(order[i]));
		separator = ", ";
	}
	bool bad = counts[BENCH_STATUS_INCORRECT] + counts[BENCH_STATUS_FAILED] > 0;
	add(arena, outline, "", run->result_count == 0 || bad ? BENCH_TONE_BAD : BENCH_TONE_PLAIN, text.data);
	bench_text_free(&text);
}

/* Incorrect and failed cases, one by one. */
static void add_bad(struct bench_arena *arena, const struct bench_run *run, struct bench_outline *outline)
{
	size_t seen = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status != BENCH_STATUS_INCORRECT && result->status != BENCH_STATUS_FAILED)
			continue;
		if (seen++ >= LISTED)
			continue;
		add(arena, outline, bench_record_status_name(result->status), BENCH_TONE_BAD,
		    bench_arena_format(arena, "%s: %s", result->key, bench_render_words_reason(result)));
	}
	add_more(arena, outline, BENCH_TONE_BAD, seen, "that failed; json and csv list all");
}

/* Reasons, each with how many cases it holds for. */
struct reasons {
	struct reason {
		const char *text;
		size_t count;
	} * items;
	size_t count;
};

static void count_reason(struct bench_arena *arena, struct reasons *reasons, const char *text)
{
	size_t i = 0;
	while (i < reasons->count && strcmp(reasons->items[i].text, text) != 0)
		i++;
	if (i == reasons->count) {
		struct reason *reason =
			bench_arena_push(arena, &reasons->items, &reasons->count, sizeof(*reason));
		reason->text = text;
	}
	reasons->items[i].count++;
}

static void add_reasons(struct bench_arena *arena, const struct reasons *reasons, const char *label,
			struct bench_outline *outline)
{
	for (size_t i = 0; i < reasons->count && i < LISTED; i++)
		add(arena, outline, label, BENCH_TONE_DOUBT,
		    bench_arena_format(arena, "%zu case%s: %s", reasons->items[i].count,
				       bench_text_plural(reasons->items[i].count), reasons->items[i].text));
	add_more(arena, outline, BENCH_TONE_DOUBT, reasons->count, "reasons; json and csv list all");
}

/* Reasons of the cases that were not measured. */
static void add_not_measured(struct bench_arena *arena, const struct bench_run *run, enum bench_status status,
			     struct bench_outline *outline)
{
	struct reasons reasons = {0};
	for (size_t i = 0; i < run->result_count; i++)
		if (run->results[i].status == status)
			count_reason(arena, &reasons, bench_render_words_reason(&run->results[i]));
	add_reasons(arena, &reasons, bench_record_status_name(status), outline);
}

/* Why measured cases lack a metric of that name. */
static void add_lacking(struct bench_arena *arena, const struct bench_run *run, const char *name,
			struct bench_outline *outline)
{
	struct reasons reasons = {0};
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note = bench_record_attribute_get(result->notes, result->note_count, name);
		if (result->status == BENCH_STATUS_OK && *note)
			count_reason(arena, &reasons, note);
	}
	add_reasons(arena, &reasons, name, outline);
}

/* Notes on numbers, by the name of the note, one by one. */
static void add_notes(struct bench_arena *arena, const struct bench_run *run, const char *name,
		      enum bench_tone tone, struct bench_outline *outline)
{
	size_t seen = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note = bench_record_attribute_get(result->notes, result->note_count, name);
		if (result->status == BENCH_STATUS_OK && *note && seen++ < LISTED)
			add(arena, outline, name, tone,
			    bench_arena_format(arena, "%s: %s", result->key, note));
	}
	add_more(arena, outline, tone, seen,
		 bench_arena_format(arena, "with such a note (%s); json lists all", name));
}

/* Cases that stopped at the budget, and their widest interval. */
static void add_stopped(struct bench_arena *arena, const struct bench_run *run, struct bench_outline *outline)
{
	size_t stopped = 0;
	double widest = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status != BENCH_STATUS_OK || strcmp(result->stopped, "budget") != 0)
			continue;
		stopped++;
		const struct bench_metric *time = bench_record_metric(result, "time");
		double half = time ? bench_render_words_half(&time->summary) : NAN;
		if (isfinite(half) && half > widest)
			widest = half;
	}
	if (stopped)
		add(arena, outline, "", BENCH_TONE_DOUBT,
		    bench_arena_format(arena,
				       "%zu case%s stopped at the budget before the precision of %g%% "
				       "(widest interval +/-%s)",
				       stopped, bench_text_plural(stopped), 100 * run->precision,
				       bench_render_words_percent(arena, widest)));
}

#define FEWEST_FOR_95 6 /* medians, whose extremes are an interval of 1 - 2^-5 */

/*
 * What would. An interval of this level is of `counted` medians, undisturbed ones: where all invocations that
 * were asked for were made, it takes more of them, else more time.
 */
static const char *what_gives_95(struct bench_arena *arena, const struct bench_run *run,
				 const struct bench_metric *metric)
{
	double counted = fmax(1, round(1 - log2(1 - metric->summary.ci_level)));
	double times = FEWEST_FOR_95 / counted;
	if (metric->series_count < run->invocations && run->budget_seconds > 0)
		return bench_arena_format(arena, "--budget %.0fs would give 95%%",
					  ceil(times * run->budget_seconds));
	return bench_arena_format(arena, "--invocations %.0f would give 95%%",
				  ceil(times * (double)metric->series_count));
}

/* A note where the intervals mean less than 95%: those of one invocation, or of too few. */
static void add_interval_note(struct bench_arena *arena, const struct bench_run *run,
			      struct bench_outline *outline)
{
	double level = 1;
	bool within = false;
	const struct bench_metric *least = NULL;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *time = bench_record_metric(&run->results[i], "time");
		if (!time || isnan(bench_render_words_half(&time->summary)))
			continue;
		within |= time->summary.over_samples;
		if (time->summary.ci_level < level)
			least = time;
		level = time->summary.ci_level < level ? time->summary.ci_level : level;
	}
	if (within)
		add(arena, outline, "", BENCH_TONE_PLAIN,
		    "+/- is within one invocation; between invocations it is wider (--invocations K shows "
		    "it)");
	else if (least && level < 0.945)
		add(arena, outline, "", BENCH_TONE_PLAIN,
		    bench_arena_format(arena, "+/- is an interval of %.0f%% confidence: %s", 100 * level,
				       what_gives_95(arena, run, least)));
}

/* The comparison in a sentence, and the metrics that it misses, which have no row elsewhere. */
static void add_verdicts(struct bench_arena *arena, const struct bench_comparison *comparison,
			 struct bench_outline *outline)
{
	const size_t *counts = comparison->counts;
	bool bad = counts[BENCH_BROKEN] + counts[BENCH_MISSING] + counts[BENCH_SLOWER] > 0;
	add(arena, outline, "", bad ? BENCH_TONE_BAD : BENCH_TONE_PLAIN,
	    bench_render_words_summary(arena, comparison));
	size_t missing = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind == BENCH_MISSING && missing++ < LISTED)
			add(arena, outline, "missing", BENCH_TONE_BAD, verdict->key);
	}
	add_more(arena, outline, BENCH_TONE_BAD, missing, "that are missing; json and csv list all");
	char **alarms;
	size_t count = bench_render_alarms_lines(arena, comparison, &alarms);
	for (size_t i = 0; i < count; i++)
		add(arena, outline, "", BENCH_TONE_BAD, alarms[i]);
}

struct bench_outline bench_render_outline_foot(struct bench_arena *arena, const struct bench_run *run,
					       const struct bench_comparison *comparison)
{
	struct bench_outline outline = {0};
	add_counts(arena, run, &outline);
	add_bad(arena, run, &outline);
	add_not_measured(arena, run, BENCH_STATUS_UNSUPPORTED, &outline);
	add_not_measured(arena, run, BENCH_STATUS_SKIPPED, &outline);
	add_lacking(arena, run, "relative_time", &outline);
	/* Of suite exec. */
	add_lacking(arena, run, "net_time", &outline);
	add_lacking(arena, run, "peak_memory", &outline);
	add_lacking(arena, run, "counters", &outline);
	/* How they were measured, what was left out, and what is implausible. */
	add_notes(arena, run, "apart", BENCH_TONE_DOUBT, &outline);
	add_notes(arena, run, "device_time", BENCH_TONE_DOUBT, &outline);
	add_notes(arena, run, "launch_overhead", BENCH_TONE_DOUBT, &outline);
	add_notes(arena, run, "implausible", BENCH_TONE_BAD, &outline);
	add_stopped(arena, run, &outline);
	add_interval_note(arena, run, &outline);
	if (comparison)
		add_verdicts(arena, comparison, &outline);
	return outline;
}
