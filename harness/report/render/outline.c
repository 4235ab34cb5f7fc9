/* SPDX-License-Identifier: MIT */
#include "report/render/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "report/render/alarms.h"
#include "report/render/commands.h"
#include "report/render/uses.h"
#include "report/render/words.h"

#define LISTED 20 /* failed cases, or missing metrics, that are named one by one */

static void add(struct bench_arena *arena, struct bench_outline *outline, const char *label,
		enum bench_tone tone, const char *text)
{
	BENCH_PUSH(arena, outline->lines, outline->count) =
		(struct bench_outline_line){label, bench_render_words_line(arena, text), tone};
}

/* A line for those beyond the first LISTED. */
static void add_more(struct bench_arena *arena, struct bench_outline *outline, enum bench_tone tone,
		     size_t count, const char *which)
{
	if (count > LISTED)
		add(arena, outline, "", tone,
		    bench_arena_format(arena, "... and %zu more %s", count - LISTED, which));
}

/* What the watch saw over all visits, and what became of the disturbed ones. */
struct noise {
	double share, others, steal, canary;
	const char *device; /* what the driver said of a GPU that others used; or "" */
	size_t whole;       /* cases of which no invocation is undisturbed: they count as they are */
};

static struct noise find_noise(const struct bench_run *run)
{
	struct noise noise = {.device = ""};
	size_t count = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const struct bench_metric *time = bench_record_metric(result, "time");
		noise.whole += time && time->series_count && time->summary.disturbed == time->series_count;
		for (size_t j = 0; j < result->watched_count; j++) {
			const struct bench_watched *watched = &result->watched[j];
			count++;
			noise.share += watched->disturbed;
			if (!(watched->disturbed > 0))
				continue;
			noise.others = fmax(noise.others, watched->others);
			noise.steal = fmax(noise.steal, watched->steal);
			noise.canary = fmax(noise.canary, watched->canary_worst);
			if (strstr(watched->device, BENCH_WATCHED_GPU_USED))
				noise.device = watched->device;
		}
	}
	noise.share /= count ? (double)count : 1;
	return noise;
}

/*
 * The disturbed share of the measurements, the worst disturbance, and what was done about it: the watch
 * leaves disturbed samples out where undisturbed ones remain.
 */
static void add_noise(struct bench_arena *arena, const struct bench_run *run, struct bench_outline *outline)
{
	struct noise noise = find_noise(run);
	if (!(noise.share > 0))
		return;
	BENCH_SCOPED_TEXT text = {0};
	const bool all = noise.share >= 0.995;
	bench_text_add(&text, "%s measurements were disturbed",
		       all ? "all" : bench_arena_format(arena, "%.0f%% of the", fmax(100 * noise.share, 1)));
	if (noise.whole && all)
		bench_text_add(&text, ", and count as they are");
	else if (noise.whole)
		bench_text_add(&text, ", all of them in %zu case%s, which count%s as %s", noise.whole,
			       bench_text_plural(noise.whole), noise.whole == 1 ? "s" : "",
			       noise.whole == 1 ? "it is" : "they are");
	else
		bench_text_add(&text, " and left out");
	const char *separator = ": ";
	if (*noise.device) {
		bench_text_add(&text, "%s%s", separator, noise.device);
		separator = "; ";
	}
	if (noise.others >= 0.05) {
		bench_text_add(&text, "%sother programs used %.1f cores", separator, noise.others);
		separator = ", ";
	}
	if (noise.steal >= 0.05) {
		bench_text_add(&text, "%sthe hypervisor took %.2f cores", separator, noise.steal);
		separator = ", ";
	}
	/* Else the cause is known, and this is its effect. */
	if (noise.canary > 0 && *separator == ':')
		bench_text_add(&text, "%sa fixed piece of work took %.1f times as long", separator,
			       noise.canary);
	bench_text_add(&text, "%s", noise.others >= 0.05 ? " (bench doctor names them)" : "");
	add(arena, outline, "noise", BENCH_TONE_DOUBT, text.data);
}

/* Runs that are not results say so right below their name. */
static void add_aside(struct bench_arena *arena, const struct bench_run *run, struct bench_outline *outline)
{
	const char *aside = bench_record_label(run, "aside"), *amount = "";
	size_t slowed = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note = bench_record_note(result, "slowdown");
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
			       bench_render_words_commit(arena, &run->git), bench_record_preset(run),
			       run->invocations, bench_text_plural(run->invocations)));
	add_aside(arena, run, &outline);
	BENCH_SCOPED_TEXT host = {0};
	static const struct {
		const char *name, *after;
	} facts[] = {{"name", ""}, {"cpu", ""}, {"cores", " cores"}, {"governor", " governor"}};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *value = bench_record_fact(run, facts[i].name);
		if (*value)
			bench_text_add(&host, "%s%s%s", host.length ? ", " : "", value, facts[i].after);
	}
	if (host.length)
		add(arena, &outline, "host", BENCH_TONE_PLAIN, host.data);
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_device_record *device = &run->devices[i];
		add(arena, &outline, "device", BENCH_TONE_PLAIN,
		    bench_arena_format(arena, "%s:%s, %s%s%s", device->backend, device->info.slug,
				       device->info.name, *device->info.driver ? ", driver " : "",
				       device->info.driver));
	}
	const char *tuned = bench_record_fact(run, "env.BENCH_TUNING");
	if (*tuned)
		add(arena, &outline, "tuned", BENCH_TONE_PLAIN, tuned);
	return outline;
}

static void add_counts(struct bench_arena *arena, const struct bench_run *run, bool only_if_bad,
		       struct bench_outline *outline)
{
	static const enum bench_status order[] = {BENCH_STATUS_OK,      BENCH_STATUS_INCORRECT,
						  BENCH_STATUS_FAILED,  BENCH_STATUS_UNSUPPORTED,
						  BENCH_STATUS_SKIPPED, BENCH_STATUS_PENDING};
	size_t counts[BENCH_STATUS_INCORRECT + 1] = {0};
	for (size_t i = 0; i < run->result_count; i++)
		counts[run->results[i].status]++;
	BENCH_SCOPED_TEXT text = {0};
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
	if (bad || !only_if_bad)
		add(arena, outline, "", run->result_count == 0 || bad ? BENCH_TONE_BAD : BENCH_TONE_PLAIN,
		    text.data);
}

/* Reasons, each with how many cases it holds for; of those that differ in numbers, `text` is the first. */
struct reasons {
	struct reason {
		const char *text, *lowest, *highest; /* by the first number that differs */
		size_t count;
	} * items;
	size_t count;
};

/* Do they differ in nothing but numbers? *order: less than, equal to or greater than 0, as the first number
 * that differs. */
static bool are_alike(const char *a, const char *b, int *order)
{
	static const char digits[] = "0123456789.";

	*order = 0;
	while (*a && *b) {
		size_t x = strspn(a, digits), y = strspn(b, digits);
		double left = x ? strtod(a, NULL) : 0, right = y ? strtod(b, NULL) : 0;
		if ((x == 0) != (y == 0) || (x == 0 && *a != *b))
			return false;
		if (*order == 0)
			*order = (left > right) - (left < right);
		a += x ? x : 1;
		b += y ? y : 1;
	}
	return *a == *b;
}

static void count_reason(struct bench_arena *arena, struct reasons *reasons, const char *text)
{
	size_t i = 0;
	int order;

	while (i < reasons->count && !are_alike(reasons->items[i].text, text, &order))
		i++;
	if (i == reasons->count) {
		struct reason *reason =
			bench_arena_push(arena, &reasons->items, &reasons->count, sizeof(*reason));
		*reason = (struct reason){text, text, text, 0};
	}
	struct reason *reason = &reasons->items[i];
	reason->count++;
	if (are_alike(text, reason->lowest, &order) && order < 0)
		reason->lowest = text;
	if (are_alike(text, reason->highest, &order) && order > 0)
		reason->highest = text;
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

/* Incorrect and failed cases, one by one. */
static void add_bad_each(struct bench_arena *arena, const struct bench_run *run,
			 struct bench_outline *outline)
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

/* Why measured cases lack a metric of that name; nothing of what the command asked for (--runs). */
static void add_lacking(struct bench_arena *arena, const struct bench_run *run, const char *name, bool wide,
			struct bench_outline *outline)
{
	static const char as_asked[] = "none: the number of its samples is fixed"; /* harness/plan/plan.c */
	struct reasons reasons = {0};
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note = bench_record_note(result, name);
		if (result->status == BENCH_STATUS_OK && *note && (wide || strcmp(note, as_asked) != 0))
			count_reason(arena, &reasons, note);
	}
	add_reasons(arena, &reasons, name, outline);
}

/* Notes on numbers, by the name of the note, one by one. */
static void add_notes_each(struct bench_arena *arena, const struct bench_run *run, const char *name,
			   enum bench_tone tone, struct bench_outline *outline)
{
	size_t seen = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note = bench_record_note(result, name);
		if (result->status == BENCH_STATUS_OK && *note && seen++ < LISTED)
			add(arena, outline, name, tone,
			    bench_arena_format(arena, "%s: %s", result->key, note));
	}
	add_more(arena, outline, tone, seen,
		 bench_arena_format(arena, "with such a note (%s); json lists all", name));
}

#define NAMED 4 /* cases that failed alike, by name */

/* The reason of a case of that status, or its note of that name where it is ok; NULL: neither. */
static const char *remark_of(const struct bench_result *result, enum bench_status status, const char *note)
{
	if (result->status != status)
		return NULL;
	if (!note)
		return bench_render_words_reason(result);
	const char *text = bench_record_note(result, note);
	return *text ? text : NULL;
}

/* "1.45 to 2.1 times the bandwidth ...", or the text where all agree. */
static const char *range_of(struct bench_arena *arena, const struct reason *reason)
{
	static const char digits[] = "0123456789.";
	const char *low = reason->lowest, *high = reason->highest;
	size_t x = 0, y = 0;
	while (*low && strncmp(low, high, x = strspn(low, digits)) == 0 && strspn(high, digits) == x) {
		low += x ? x : 1;
		high += x ? x : 1;
	}
	y = strspn(high, digits);
	return *low ? bench_arena_format(arena, "%.*s%.*s to %.*s%s", (int)(low - reason->lowest),
					 reason->lowest, (int)x, low, (int)y, high, high + y)
		    : reason->text;
}

/* The cases with a remark like this one, by what tells them apart. */
static char *name_alike(struct bench_arena *arena, const struct bench_block *blocks, size_t block_count,
			enum bench_status status, const char *note, const char *remark)
{
	struct bench_text cases = {0};
	size_t named = 0;
	int order;
	for (size_t b = 0; b < block_count; b++)
		for (size_t i = 0; i < blocks[b].row_count; i++) {
			const struct bench_result *result = blocks[b].rows[i].result;
			const char *own = remark_of(result, status, note);
			if (own && are_alike(remark, own, &order) && ++named <= NAMED)
				bench_text_add(&cases, "%s%s%s%s", named > 1 ? "; " : "",
					       block_count > 1 ? blocks[b].suite : "",
					       block_count > 1 ? " " : "",
					       bench_render_block_case(arena, &blocks[b], result));
		}
	if (named > NAMED)
		bench_text_add(&cases, "; %zu more", named - NAMED);
	return bench_text_keep(&cases, arena);
}

/*
 * Reasons or notes, of which those that are alike share a line: a broken kernel fails for each of its sizes.
 */
static void add_alike(struct bench_arena *arena, const struct bench_block *blocks, size_t block_count,
		      enum bench_status status, const char *note, enum bench_tone tone,
		      struct bench_outline *outline)
{
	struct reasons reasons = {0};
	for (size_t b = 0; b < block_count; b++)
		for (size_t i = 0; i < blocks[b].row_count; i++) {
			const char *remark = remark_of(blocks[b].rows[i].result, status, note);
			if (remark)
				count_reason(arena, &reasons, remark);
		}
	for (size_t r = 0; r < reasons.count && r < LISTED; r++) {
		const struct reason *reason = &reasons.items[r];
		add(arena, outline, note ? note : bench_record_status_name(status), tone,
		    bench_arena_format(arena, "%zu case%s (%s)%s: %s", reason->count,
				       bench_text_plural(reason->count),
				       name_alike(arena, blocks, block_count, status, note, reason->text),
				       !note && reason->lowest != reason->highest ? ", the first" : "",
				       note ? range_of(arena, reason) : reason->text));
	}
	add_more(arena, outline, tone, reasons.count, "reasons; --wide lists all cases");
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

#define MOST_INVOCATIONS 100 /* that are advised */
#define FEWEST_FOR_95    6   /* medians, whose extremes are an interval of 1 - 2^-5 */

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

/* The times without an interval of 95%, and what the least known of them is made of. */
struct weak {
	size_t count; /* of cases */
	size_t made;  /* invocations that gave it times */
	size_t quiet; /* those that count */
};

static struct weak find_weak(const struct bench_run *run)
{
	struct weak weak = {0};
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *time = bench_record_metric(&run->results[i], "time");
		if (!time || (time->summary.ci_level >= BENCH_LEVEL_95 && !time->summary.over_samples))
			continue;
		size_t made = time->series_count, quiet = made - time->summary.disturbed;
		quiet = quiet ? quiet : made;
		if (weak.count++ == 0 || quiet < weak.quiet) {
			weak.made = made;
			weak.quiet = quiet;
		}
	}
	return weak;
}

/* What "?" behind a precision means, and what gives one of 95%. */
static void add_weak_note(struct bench_arena *arena, const struct bench_run *run,
			  struct bench_outline *outline)
{
	const struct weak weak = find_weak(run);
	double more = weak.quiet ? (double)FEWEST_FOR_95 / (double)weak.quiet : 1;
	if (weak.count == 0 || weak.made == 0)
		return;
	const char *why, *remedy;
	if (weak.made < FEWEST_FOR_95 && run->invocations >= FEWEST_FOR_95 && run->budget_seconds > 0) {
		why = bench_arena_format(arena, "the budget held %zu of %u invocations", weak.made,
					 run->invocations);
		double took = run->finished > run->started ? (double)(run->finished - run->started)
							   : run->budget_seconds;
		remedy = bench_arena_format(arena, "--budget %.0fs",
					    ceil(took * FEWEST_FOR_95 / (double)weak.made));
	} else if (weak.quiet < weak.made) {
		why = bench_arena_format(arena, "%zu of %zu invocations were disturbed",
					 weak.made - weak.quiet, weak.made);
		remedy = 2 * weak.quiet < weak.made ? "a quieter machine"
						    : bench_arena_format(arena, "--invocations %.0f",
									 ceil((double)weak.made * more));
	} else {
		why = weak.made == 1 ? "one invocation shows only its own spread"
				     : bench_arena_format(arena, "%zu invocations are too few", weak.made);
		remedy = bench_arena_format(arena, "--invocations %.0f",
					    fmax(FEWEST_FOR_95, more < 1.5 ? 2 * (double)weak.made : 0));
	}
	add(arena, outline, "", BENCH_TONE_DOUBT,
	    bench_arena_format(
		    arena,
		    "? marks a precision of less than 95%% confidence (%zu case%s): %s; %s would give 95%%",
		    weak.count, bench_text_plural(weak.count), why, remedy));
}

/* What a ratio without a verdict would take. */
struct undecided {
	size_t count;     /* of cases */
	double most;      /* invocations that would decide the widest */
	size_t disturbed; /* invocations of all cases that were measured, and all of them */
	size_t made;
};

static void take_undecided(struct undecided *undecided, const struct bench_result *result,
			   const struct bench_summary *ratio)
{
	const struct bench_metric *time = bench_record_metric(result, "time");
	const size_t made = time ? time->series_count : 0;
	undecided->count++;
	undecided->made += made;
	undecided->disturbed += time ? time->summary.disturbed : 0;
	undecided->most =
		fmax(undecided->most, bench_record_count_for_tie((double)made, ratio->ci_lo, ratio->ci_hi));
}

/* Commands have a sentence of their own. */
static struct undecided find_undecided(const struct bench_run *run, const struct bench_block *blocks,
				       size_t count)
{
	struct undecided undecided = {0};
	for (size_t b = 0; b < count; b++)
		for (size_t i = 0;
		     !bench_render_commands_has(run, blocks[b].suite) && i < blocks[b].row_count; i++) {
			const struct bench_block_row *row = &blocks[b].rows[i];
			const struct bench_metric *relative =
				bench_record_metric(row->result, "relative_time");
			if (row->versus.verdict == BENCH_VERSUS_UNDECIDED)
				take_undecided(&undecided, row->result, &row->versus.ratio);
			else if (relative && bench_record_is_undecided(&relative->summary))
				take_undecided(&undecided, row->result, &relative->summary);
		}
	return undecided;
}

/* What "undecided" means, and what would decide. */
static void add_undecided_note(struct bench_arena *arena, const struct bench_run *run,
			       const struct bench_block *blocks, size_t block_count,
			       struct bench_outline *outline)
{
	const struct undecided undecided = find_undecided(run, blocks, block_count);
	const char *remedy = "more time (--budget) and a quieter machine (bench doctor) would decide";
	if (undecided.count == 0)
		return;
	if (2 * undecided.disturbed > undecided.made)
		remedy = "most invocations were disturbed: find the load first (bench doctor)";
	else if (undecided.most <= MOST_INVOCATIONS)
		remedy = bench_arena_format(arena, "about --invocations %.0f%s would decide", undecided.most,
					    run->budget_seconds > 0 ? ", and a --budget for them," : "");
	add(arena, outline, "undecided", BENCH_TONE_DOUBT,
	    bench_arena_format(arena, "%zu case%s may differ by %.0f%% or more, or not at all; %s",
			       undecided.count, bench_text_plural(undecided.count),
			       100 * BENCH_DIFFERENCE_MATTERS, remedy));
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

/* Metrics of which a note says how they came out, or why they did not. */
static const char *const lacking[] = {
	"relative_time", "relative_device_time", "energy", "gpu_counters", "dram_bytes",
#define LACKING_SHOWN 5 /* those above, whatever columns there are */
	/* Of suite exec, of which a default table has no more than their values. */
	"net_time", "peak_memory", "counters"};
/* How cases were measured, what was left out, and what is implausible. `column`: of what a default table has
 * not. */
static const struct {
	const char *name;
	enum bench_tone tone;
	bool column;
} notes[] = {{"apart", BENCH_TONE_DOUBT, false},          {"device_time", BENCH_TONE_DOUBT, true},
	     {"launch_overhead", BENCH_TONE_DOUBT, true}, {"traffic", BENCH_TONE_DOUBT, false},
	     {"cache", BENCH_TONE_DOUBT, false},          {BENCH_NOTE_UNCHECKED, BENCH_TONE_DOUBT, false},
	     {"implausible", BENCH_TONE_BAD, false}};

static bool has_column(const struct bench_block_view *view, const char *name)
{
	for (const char *const *at = view->columns; at && *at; at++)
		if (strcmp(*at, name) == 0)
			return true;
	return false;
}

struct bench_outline bench_render_outline_foot(struct bench_arena *arena, const struct bench_run *run,
					       const struct bench_comparison *comparison,
					       const struct bench_block *blocks, size_t block_count,
					       const struct bench_block_view *view)
{
	struct bench_outline outline = {0};
	const char *answer = view->wide ? NULL : bench_render_blocks_answer(arena, blocks, block_count);
	if (answer)
		add(arena, &outline, "", BENCH_TONE_STRONG, answer);
	add_counts(arena, run, answer != NULL, &outline);
	size_t next = 0;
	for (char *total; (total = bench_render_uses(arena, run, &next));)
		add(arena, &outline, "in all", BENCH_TONE_STRONG, total);
	if (view->wide) {
		add_bad_each(arena, run, &outline);
	} else {
		add_alike(arena, blocks, block_count, BENCH_STATUS_INCORRECT, NULL, BENCH_TONE_BAD, &outline);
		add_alike(arena, blocks, block_count, BENCH_STATUS_FAILED, NULL, BENCH_TONE_BAD, &outline);
	}
	add_not_measured(arena, run, BENCH_STATUS_UNSUPPORTED, &outline);
	add_not_measured(arena, run, BENCH_STATUS_SKIPPED, &outline);
	for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++)
		if (view->wide || i < LACKING_SHOWN || has_column(view, lacking[i]))
			add_lacking(arena, run, lacking[i], view->wide, &outline);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (view->wide)
			add_notes_each(arena, run, notes[i].name, notes[i].tone, &outline);
		else if (!notes[i].column || has_column(view, notes[i].name))
			add_alike(arena, blocks, block_count, BENCH_STATUS_OK, notes[i].name, notes[i].tone,
				  &outline);
	}
	add_noise(arena, run, &outline);
	if (view->wide) {
		add_stopped(arena, run, &outline);
		add_interval_note(arena, run, &outline);
	} else {
		add_undecided_note(arena, run, blocks, block_count, &outline);
		add_weak_note(arena, run, &outline);
	}
	if (comparison)
		add_verdicts(arena, comparison, &outline);
	return outline;
}
