/* SPDX-License-Identifier: MIT */
/*
 * From samples to what is published: final statuses, derived metrics, summaries. What is final already and
 * has had no event since is left as it is, and derived series grow with those that they are derived from: a
 * run may be made final after every group of its cases.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/metric.h"
#include "core/text.h"
#include "record/internal.h"

const char record_cut_short[] = "not measured: the run was cut short";

double record_check_excess(const struct bench_check *check)
{
	if (isnan(check->error))
		return INFINITY;
	if (check->tolerance > 0)
		return check->error / check->tolerance;
	return check->error <= check->tolerance ? 0 : INFINITY;
}

/* A derived metric; NULL if no metric has that name, or a measured one has. */
static struct bench_metric *find_derived(const struct bench_result *result, const char *name)
{
	for (size_t i = 0; i < result->metric_count; i++)
		if (strcmp(result->metrics[i].name, name) == 0 && *result->metrics[i].derived_from)
			return &result->metrics[i];
	return NULL;
}

static void drop_metric(struct bench_result *result, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < result->metric_count; i++)
		if (strcmp(result->metrics[i].name, name) != 0)
			result->metrics[kept++] = result->metrics[i];
	result->metric_count = kept;
}

static bool has_rate(const struct bench_metric *by, double amount)
{
	if (!by || !(amount > 0))
		return false;
	for (size_t i = 0; i < by->series_count; i++) {
		for (size_t j = 0; j < by->series[i].count; j++) {
			if (!(by->series[i].values[j] > 0) || !isfinite(amount / by->series[i].values[j]))
				return false;
		}
	}
	return true;
}

void record_derive_rate(struct bench_run *run, struct bench_result *result, const char *name, double amount,
			const char *by)
{
	const struct bench_metric *divisor = bench_record_metric(result, by);
	struct bench_metric *rate = find_derived(result, name);
	if (!has_rate(divisor, amount)) {
		if (rate)
			drop_metric(result, name);
		return;
	}
	if (!rate && bench_record_metric(result, name))
		return;
	/* Adding a metric may move the array that `divisor` points into, but not its series. */
	const struct bench_series *series = divisor->series;
	size_t series_count = divisor->series_count;
	const struct bench_metric_spec *like = bench_metric_known(name);
	rate = record_add_metric(&run->arena, result, like ? like : bench_metric_asked(name), by);
	for (size_t i = 0; i < series_count; i++) {
		struct bench_series *to = i < rate->series_count
						  ? &rate->series[i]
						  : record_add_series(&run->arena, rate, series[i].invocation,
								      series[i].count, record_expected(run));
		to->disturbed = series[i].disturbed;
		for (size_t j = 0; j < series[i].count; j++)
			to->values[j] = amount / series[i].values[j];
	}
}

/* A negative launch overhead is impossible: a note reports it. */
static void mark_negative(struct bench_run *run, struct bench_result *result,
			  const struct bench_metric *overhead)
{
	size_t below = 0;
	for (size_t i = 0; i < overhead->series_count; i++)
		below += overhead->series[i].values[0] < 0;
	if (below)
		bench_record_attribute_set(
			&run->arena, &result->notes, &result->note_count, overhead->name,
			bench_arena_format(&run->arena,
					   "below 0 in %zu of %zu invocation%s: with its time stamps on, the "
					   "device takes longer than a call without them",
					   below, overhead->series_count,
					   bench_text_plural(overhead->series_count)));
}

/*
 * What a single iteration takes on top of the device's time, in each invocation that has both. Iterations in
 * a row hide their launches behind each other, so that `time` less device time may well be negative.
 */
static void derive_overhead(struct bench_run *run, struct bench_result *result)
{
	static const char name[] = "launch_overhead";
	const struct bench_metric *latency = bench_record_metric(result, "latency");
	const struct bench_metric *device = bench_record_metric(result, "device_time");
	struct bench_metric *overhead = find_derived(result, name);
	if (!latency || !device || (!overhead && bench_record_metric(result, name)))
		return;
	const struct bench_metric host = *latency, inner = *device;
	for (size_t i = 0; i < host.series_count; i++) {
		int invocation = host.series[i].invocation;
		const struct bench_series *own = bench_record_series(&inner, invocation);
		if (!own || bench_record_series(overhead, invocation))
			continue;
		if (!overhead)
			overhead = record_add_metric(&run->arena, result, bench_metric_known(name), "time");
		struct bench_series *to =
			record_add_series(&run->arena, overhead, invocation, 1, record_expected(run));
		bool outer_disturbed, inner_disturbed;
		to->values[0] = bench_record_series_median(&host.series[i], &outer_disturbed) -
				bench_record_series_median(own, &inner_disturbed);
		if (outer_disturbed || inner_disturbed)
			record_flag(&run->arena, to, 0, 1);
	}
	if (overhead)
		mark_negative(run, result, overhead);
}

/* Measured metrics in the order in which they came, then derived ones in this. */
static size_t rank(const struct bench_metric *metric)
{
	static const char *const derived[] = {"flop_rate",       "bandwidth",      "item_rate",
					      "launch_overhead", "flop_per_joule", "bytes_per_joule",
					      "peak_share"};
	const size_t count = sizeof(derived) / sizeof(derived[0]);
	size_t at = 0;
	if (!*metric->derived_from)
		return 0;
	while (at < count && strcmp(derived[at], metric->name) != 0)
		at++;
	return at + 1;
}

static void sort_metrics(struct bench_result *result)
{
	for (size_t i = 1; i < result->metric_count; i++) {
		struct bench_metric metric = result->metrics[i];
		size_t at = i;
		for (; at > 0 && rank(&result->metrics[at - 1]) > rank(&metric); at--)
			result->metrics[at] = result->metrics[at - 1];
		result->metrics[at] = metric;
	}
}

/* Some notes are events and some are derived: by name, their order is that of no moment. */
static void sort_notes(struct bench_result *result)
{
	for (size_t i = 1; i < result->note_count; i++) {
		struct bench_attribute note = result->notes[i];
		size_t at = i;
		for (; at > 0 && strcmp(result->notes[at - 1].name, note.name) > 0; at--)
			result->notes[at] = result->notes[at - 1];
		result->notes[at] = note;
	}
}

static void finalise_status(struct bench_arena *arena, struct bench_result *result)
{
	const struct bench_check *check = &result->check;
	if (result->status == BENCH_STATUS_PENDING) {
		result->status = BENCH_STATUS_SKIPPED;
		result->reason = bench_arena_string(arena, record_cut_short);
	}
	if (result->status == BENCH_STATUS_OK && *result->reason)
		result->reason = bench_arena_string(arena, "");
	/* In every case: a result that failed its check is never published. */
	if (!result->checked || check->error <= check->tolerance)
		return;
	if (result->status != BENCH_STATUS_INCORRECT || !*result->reason)
		result->reason = bench_arena_format(arena, "error %.3g is above the tolerance %.3g",
						    check->error, check->tolerance);
	result->status = BENCH_STATUS_INCORRECT;
}

/* The result of that key, looked for from `near` outwards: variants stand close to each other. */
static const struct bench_result *find_result(const struct bench_run *run, const char *key, size_t near)
{
	const size_t reach =
		10000; /* cases of a plan: further off there is none but in a file made to hurt */
	for (size_t step = 0; step < reach && (step <= near || near + step < run->result_count); step++) {
		if (step <= near && strcmp(run->results[near - step].key, key) == 0)
			return &run->results[near - step];
		if (near + step < run->result_count && strcmp(run->results[near + step].key, key) == 0)
			return &run->results[near + step];
	}
	return NULL;
}

/* A ratio to something that failed or was wrong, even in another invocation, is not given. */
static void drop_relative(struct bench_run *run, struct bench_result *result)
{
	if (result->status != BENCH_STATUS_OK || !*result->relative_to)
		return;
	const struct bench_result *against =
		find_result(run, result->relative_to, (size_t)(result - run->results));
	if (against && against->status == BENCH_STATUS_OK)
		return;
	char why[BENCH_KEY_MAX + 64];
	snprintf(why, sizeof(why), "none: %s is %s", result->relative_to,
		 against ? bench_record_status_name(against->status) : "not in this run");
	drop_metric(result, "relative_time");
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "relative_time", why);
}

void record_drop_note(struct bench_result *result, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < result->note_count; i++)
		if (strcmp(result->notes[i].name, name) != 0)
			result->notes[kept++] = result->notes[i];
	result->note_count = kept;
}

/* What is not ok has no numbers, and no notes about them: it may have been ok when it was made final before.
 */
static void drop_numbers(struct bench_result *result)
{
	static const char *const names[] = {"relative_time", "relative_device_time", "launch_overhead",
					    "implausible", "traffic"};
	result->metric_count = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		record_drop_note(result, names[i]);
}

static void summarize(struct bench_metric *metric)
{
	bench_record_summarize(metric->series, metric->series_count, &metric->summary);
}

/*
 * The rate of the time (or energy) that is shown: median and interval are those of the time, turned over. The
 * median of an even number of rates is another, since it lies between two.
 */
void record_summarize_rate(struct bench_result *result, const char *name, double amount, const char *by)
{
	struct bench_metric *rate = find_derived(result, name);
	if (!rate)
		return;
	const struct bench_summary divisor = bench_record_metric(result, by)->summary;
	summarize(rate);
	rate->summary.median = amount / divisor.median;
	rate->summary.ci_lo = amount / divisor.ci_hi;
	rate->summary.ci_hi = amount / divisor.ci_lo;
}

/* Amounts of work a second, and for each joule. */
static const struct {
	const char *name, *by;
	size_t amount; /* offset in struct bench_work */
} rates[] = {{"flop_rate", "time", offsetof(struct bench_work, flops)},
	     {"bandwidth", "time", offsetof(struct bench_work, bytes)},
	     {"item_rate", "time", offsetof(struct bench_work, items)},
	     {"flop_per_joule", "energy", offsetof(struct bench_work, flops)},
	     {"bytes_per_joule", "energy", offsetof(struct bench_work, bytes)}};
#define RATES (sizeof(rates) / sizeof(rates[0]))

/* Joules of a suite or another tool may be those of something else than an iteration. */
static bool is_counted(const struct bench_result *result, const char *by)
{
	return strcmp(by, "energy") != 0 || *bench_record_note(result, "energy_window");
}

static double amount_of(const struct bench_result *result, size_t rate)
{
	return !is_counted(result, rates[rate].by)
		       ? 0
		       : *(const double *)((const char *)&result->work + rates[rate].amount);
}

static void derive(struct bench_run *run, struct bench_result *result)
{
	if (result->status != BENCH_STATUS_OK)
		drop_numbers(result);
	drop_relative(run, result);
	for (size_t i = 0; i < RATES; i++)
		record_derive_rate(run, result, rates[i].name, amount_of(result, i), rates[i].by);
	derive_overhead(run, result);
	sort_metrics(result);
	for (size_t i = 0; i < result->metric_count; i++)
		summarize(&result->metrics[i]);
	for (size_t i = 0; i < RATES; i++)
		record_summarize_rate(result, rates[i].name, amount_of(result, i), rates[i].by);
	record_mark_traffic(run, result);
}

void bench_record_finalise(struct bench_run *run)
{
	bool fell = false; /* some result is no longer ok: ratios to it are checked again */
	for (size_t i = 0; i < run->result_count; i++) {
		if (run->results[i].is_final)
			continue;
		finalise_status(&run->arena, &run->results[i]);
		fell |= run->results[i].status != BENCH_STATUS_OK;
	}
	for (size_t i = 0; i < run->result_count; i++) {
		struct bench_result *result = &run->results[i];
		if (fell && *result->relative_to)
			result->is_final = false;
		if (!result->is_final)
			derive(run, result);
	}
	/* These need the medians of others. */
	record_derive_shares(run);
	for (size_t i = 0; i < run->result_count; i++) {
		sort_notes(&run->results[i]);
		run->results[i].is_final = true;
	}
}
