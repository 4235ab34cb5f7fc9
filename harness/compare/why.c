/* SPDX-License-Identifier: MIT */
#include "compare/why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/duel.h"
#include "core/text.h"
#include "stats/signed.h"

#define LEVEL             0.95
#define LEAST_EXPLAINED   0.1  /* of the time's change, by what is bounded in seconds */
#define LEAST_RELATIVE    0.5  /* of the time's relative change, by what has none */
#define FIRST_CALL_CHANGE 0.1  /* of the first call alone that asks for a reason */
#define FIRST_CALL_LEAST  1e-3 /* seconds of it */
#define LEAST_BUSY        0.9  /* of what it was, by a GPU that is as busy as before */
#define LEAST_WORKED      0.8  /* of the logarithm of the time's ratio, the processor time's */
#define SHARE_LEAST       0.05 /* of the processor's time, for a function to be tested */

/* A test, and the pairs: the logarithms of their ratios, or their differences. */
struct test {
	struct bench_why_change *change;
	double *values;
	size_t count;
};

struct judging {
	const struct bench_run *run;
	struct bench_whys *whys;
	struct test *tests; /* of pairs that are not all equal */
	size_t test_count;
	struct bench_arena arena;
};

static double value_at(const struct bench_metric *metric, int invocation, double missing)
{
	const struct bench_series *series = metric ? bench_record_series(metric, invocation) : NULL;
	return series && series->count ? bench_stats_median(series->values, series->count) : missing;
}

/* Back from logarithms. */
static void set_interval(struct bench_why_change *change, struct bench_interval interval)
{
	if (change->is_ratio) {
		interval.estimate = exp(interval.estimate);
		interval.lo = exp(interval.lo);
		interval.hi = exp(interval.hi);
	}
	change->interval = interval;
}

/*
 * Takes pairs of values to be tested. Differences that are all 0 cannot be significant, and are no test
 * (Tarone 1990). What a compiler made of a kernel does not vary: where it is the same in all invocations, it
 * differs or does not, without a test.
 */
static void add_test(struct judging *in, const double *base, const double *head, size_t count,
		     bool may_be_exact, struct bench_why_change *change)
{
	double *values = bench_arena_alloc(&in->arena, count + 1, sizeof(*values));
	bool moves = false, exact = may_be_exact;
	change->is_ratio = true;
	for (size_t i = 0; i < count; i++)
		change->is_ratio &= base[i] > 0 && head[i] > 0;
	for (size_t i = 0; i < count; i++) {
		values[i] = change->is_ratio ? log(head[i] / base[i]) : head[i] - base[i];
		moves |= values[i] != 0;
		exact &= base[i] == base[0] && head[i] == head[0];
	}
	change->base = bench_stats_median(base, count);
	change->head = bench_stats_median(head, count);
	change->p = change->p_adjusted = 1;
	set_interval(change, bench_stats_signed_shift(values, count, LEVEL));
	if (moves && exact) {
		change->p = change->p_adjusted = 0;
		change->differs = true;
	} else if (moves) {
		BENCH_PUSH(&in->arena, in->tests, in->test_count) = (struct test){change, values, count};
	}
}

/* As a duel does (compare/duel.c), where invocations resemble the ones before them. */
static double run_test(const struct test *test, double correlation)
{
	double p = bench_stats_signed_test(test->values, test->count);
	if (!(correlation > 0))
		return p;
	struct bench_interval shift =
		bench_stats_signed_series(test->values, test->count, LEVEL, correlation);
	size_t freedom = bench_stats_series_freedom(test->count, correlation);
	double deviation =
		0.5 * (shift.hi - shift.lo) / bench_stats_student_quantile(0.5 + 0.5 * LEVEL, freedom);
	set_interval(test->change, shift);
	return deviation > 0 ? fmax(p, bench_stats_student_test(shift.estimate / deviation, freedom)) : p;
}

/* The pairs of two metrics in the invocations of `time`; what is missing on one side is `missing`. */
static size_t take_pairs(struct judging *in, const struct bench_metric *time, const struct bench_metric *base,
			 const struct bench_metric *head, double missing, double **bases, double **heads)
{
	size_t count = 0;
	*bases = bench_arena_alloc(&in->arena, time->series_count + 1, sizeof(double));
	*heads = bench_arena_alloc(&in->arena, time->series_count + 1, sizeof(double));
	for (size_t i = 0; i < time->series_count; i++) {
		(*bases)[count] = value_at(base, time->series[i].invocation, missing);
		(*heads)[count] = value_at(head, time->series[i].invocation, missing);
		count += isfinite((*bases)[count]) && isfinite((*heads)[count]);
	}
	return count;
}

static const struct bench_metric *metric_of(struct judging *in, const struct bench_result *result,
					    const char *prefix, const char *name)
{
	return bench_record_metric(result, bench_arena_format(&in->arena, "%s%s", prefix, name));
}

static void take_row(struct judging *in, const struct bench_result *result, const struct bench_metric *time,
		     const struct bench_observed *about, const char *name, struct bench_why *why)
{
	const struct bench_metric *base = metric_of(in, result, BENCH_OBSERVED_BASE, name),
				  *head = metric_of(in, result, BENCH_OBSERVED_HEAD, name);
	bool is_function = about->rank == BENCH_RANK_FUNCTION;
	double *bases, *heads;
	size_t count = take_pairs(in, time, base, head, is_function ? 0 : NAN, &bases, &heads);
	if (count < 2)
		return;
	struct bench_why_row *row =
		bench_arena_push(&in->whys->arena, &why->rows, &why->row_count, sizeof(*row));
	*row = (struct bench_why_row){.about = about, .name = about->title};
	row->change.base = bench_stats_median(bases, count);
	row->change.head = bench_stats_median(heads, count);
	row->function = is_function ? name : NULL;
}

/* Splits "SYMBOL FILE" of a function's note. */
static const char *file_of(struct judging *in, const struct bench_result *result, const char *prefix,
			   const char *name, const char **symbol)
{
	struct bench_arena *arena = &in->whys->arena;
	const char *note = bench_record_note(result, bench_arena_format(&in->arena, "%s%s", prefix, name));
	size_t length = strcspn(note, " ");
	if (!*note)
		return NULL;
	*symbol = bench_arena_format(arena, "%.*s", (int)length, note);
	return bench_arena_string(arena, note[length] ? note + length + 1 : "");
}

static const char *last_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

static double busy_of(const struct bench_why *why, bool head)
{
	double busy = 0;
	for (size_t i = 0; i < why->row_count; i++)
		if (why->rows[i].about == &bench_observed[BENCH_OBSERVED_USER_TIME] ||
		    why->rows[i].about == &bench_observed[BENCH_OBSERVED_SYSTEM_TIME])
			busy += head ? why->rows[i].change.head : why->rows[i].change.base;
	return busy;
}

static void name_function(struct judging *in, const struct bench_result *result, const struct bench_why *why,
			  struct bench_why_row *row)
{
	const char *name = row->function, *symbol = name;
	double base = busy_of(why, false), head = busy_of(why, true);
	row->base_file = file_of(in, result, BENCH_OBSERVED_BASE, name, &symbol);
	row->head_file = file_of(in, result, BENCH_OBSERVED_HEAD, name, &symbol);
	row->function = symbol;
	const char *file = last_of(row->head_file ? row->head_file : row->base_file);
	row->name = symbol[0] != '[' && *file ? bench_arena_format(&in->whys->arena, "%s in %s", symbol, file)
					      : symbol;
	row->base_share = base > 0 ? row->change.base / base : 0;
	row->head_share = head > 0 ? row->change.head / head : 0;
}

static bool is_of_kernels(const struct bench_observed *about)
{
	return about >= &bench_observed[BENCH_OBSERVED_OF_KERNELS] &&
	       about < &bench_observed[BENCH_OBSERVED_OF_GPU];
}

/* The rows have their final place now: tests point to them. */
static void test_rows(struct judging *in, const struct bench_result *result, const struct bench_metric *time,
		      struct bench_why *why)
{
	for (size_t i = 0; i < why->row_count; i++) {
		struct bench_why_row *row = &why->rows[i];
		const char *name = row->function ? row->function : row->about->name;
		const struct bench_metric *base = metric_of(in, result, BENCH_OBSERVED_BASE, name),
					  *head = metric_of(in, result, BENCH_OBSERVED_HEAD, name);
		double *bases, *heads;
		size_t count = take_pairs(in, time, base, head, row->function ? 0 : NAN, &bases, &heads);
		if (row->function)
			name_function(in, result, why, row);
		if (!row->function || fmax(row->base_share, row->head_share) >= SHARE_LEAST)
			add_test(in, bases, heads, count, is_of_kernels(row->about), &row->change);
		else
			row->change.p = row->change.p_adjusted = 1;
	}
}

/* Functions that only one side, or both, have seen: each once. */
static void take_functions(struct judging *in, const struct bench_result *result,
			   const struct bench_metric *time, struct bench_why *why)
{
	static const char *const prefixes[] = {BENCH_OBSERVED_BASE BENCH_OBSERVED_FUNCTION,
					       BENCH_OBSERVED_HEAD BENCH_OBSERVED_FUNCTION};
	const struct bench_observed *about = bench_observed_find(BENCH_OBSERVED_FUNCTION);
	for (size_t p = 0; p < 2; p++)
		for (size_t m = 0; m < result->metric_count; m++) {
			const char *metric = result->metrics[m].name;
			size_t length = strlen(prefixes[p]);
			bool seen = false;
			if (strncmp(metric, prefixes[p], length) != 0)
				continue;
			const char *name = metric + length - strlen(BENCH_OBSERVED_FUNCTION);
			for (size_t i = 0; i < why->row_count; i++)
				seen |= why->rows[i].function && strcmp(why->rows[i].function, name) == 0;
			if (!seen)
				take_row(in, result, time, about, name, why);
		}
}

static void take_unread(struct judging *in, const struct bench_result *result, struct bench_why *why)
{
	for (size_t i = 0; i < result->note_count; i++)
		if (strncmp(result->notes[i].name, BENCH_OBSERVED_HEAD "unread_",
			    strlen(BENCH_OBSERVED_HEAD "unread_")) == 0)
			BENCH_PUSH(&in->whys->arena, why->unread, why->unread_count) =
				bench_arena_string(&in->whys->arena, result->notes[i].value);
}

static void take_case(struct judging *in, const struct bench_result *result, struct bench_why *why)
{
	const struct bench_metric *ratios = bench_record_metric(result, "relative_time"),
				  *base = bench_record_metric(result, "base_time"),
				  *time = bench_record_metric(result, "time");
	double *ones = bench_arena_alloc(&in->arena, ratios->series_count + 1, sizeof(*ones)),
	       *values = bench_arena_alloc(&in->arena, ratios->series_count + 1, sizeof(*values));
	why->key = bench_arena_string(&in->whys->arena, result->key);
	for (size_t i = 0; i < ratios->series_count; i++) {
		ones[i] = 1;
		values[i] = value_at(ratios, ratios->series[i].invocation, 1);
	}
	add_test(in, ones, values, ratios->series_count, false, &why->time);
	why->time.base = base ? base->summary.median : NAN;
	why->time.head = time ? time->summary.median : NAN;
	if (ratios->series_count > in->whys->invocations)
		in->whys->invocations = ratios->series_count;
	for (size_t i = 0; i < BENCH_OBSERVED_KINDS; i++)
		take_row(in, result, ratios, &bench_observed[i], bench_observed[i].name, why);
	take_functions(in, result, ratios, why);
	test_rows(in, result, ratios, why);
	take_unread(in, result, why);
}

/* How far the values of a change are apart, for an order: the logarithm of their ratio. */
static double distance(const struct bench_why_change *change)
{
	if (change->is_ratio)
		return fabs(log(change->interval.estimate));
	double low = fmin(fabs(change->base), fabs(change->head)),
	       high = fmax(fabs(change->base), fabs(change->head));
	return low > 0 ? log(high / low) : high > 0 ? log1p(high) + 1 : 0;
}

/* A GPU that is as busy as before keeps its host waiting, whose time is the same seen twice. */
static bool host_waits(const struct bench_why *why)
{
	for (size_t i = 0; i < why->row_count; i++)
		if (why->rows[i].about == &bench_observed[BENCH_OBSERVED_SM])
			return why->rows[i].change.head >= LEAST_BUSY * why->rows[i].change.base;
	return false;
}

/* If the processor time grew as the time did, processors that were not in use had other programs to run. */
static bool works_longer(const struct bench_why *why, double ratio)
{
	double base = 0, head = 0;
	for (size_t i = 0; i < why->row_count; i++)
		if (why->rows[i].about == &bench_observed[BENCH_OBSERVED_USER_TIME] ||
		    why->rows[i].about == &bench_observed[BENCH_OBSERVED_SYSTEM_TIME]) {
			base += why->rows[i].change.base;
			head += why->rows[i].change.head;
		}
	return base > 0 && log(head / base) / log(ratio) >= LEAST_WORKED;
}

static bool is_host_time(const struct bench_observed *about)
{
	return about->rank == BENCH_RANK_FUNCTION ||
	       (about->rank == BENCH_RANK_TIME && about < &bench_observed[BENCH_OBSERVED_OF_KERNELS]);
}

/* Could it be why the time changed by so many seconds, by that ratio? */
static bool can_explain(const struct bench_why_row *row, double seconds, double ratio, double alpha)
{
	const struct bench_observed *about = row->about;
	double more = row->change.head - row->change.base;
	if (!(row->change.p_adjusted <= alpha) || about->rank == BENCH_RANK_NONE ||
	    !(about->sense * more * seconds > 0) ||
	    distance(&row->change) < LEAST_RELATIVE * fabs(log(ratio)) * (about->rank < BENCH_RANK_FUNCTION))
		return false;
	return fabs(more) * about->most_seconds >= LEAST_EXPLAINED * fabs(seconds);
}

/* A library without names of its own says least. */
static int rank_of(const struct bench_why_row *row)
{
	return row->function && row->function[0] == '[' ? BENCH_RANK_NONE : (int)row->about->rank;
}

/* Those that explain come first: by rank, functions by their seconds, others by how far they are apart. */
static int by_weight(const void *left, const void *right)
{
	const struct bench_why_row *a = left, *b = right;
	if (a->explains != b->explains)
		return a->explains ? -1 : 1;
	if (!a->explains)
		return a->about < b->about ? -1 : a->about > b->about;
	if (rank_of(a) != rank_of(b))
		return rank_of(a) < rank_of(b) ? -1 : 1;
	bool functions = a->about->rank == BENCH_RANK_FUNCTION;
	double of_a = functions ? fabs(a->change.head - a->change.base) : distance(&a->change),
	       of_b = functions ? fabs(b->change.head - b->change.base) : distance(&b->change);
	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return a->about < b->about ? -1 : a->about > b->about;
}

static const struct bench_why_change *first_call_of(const struct bench_why *why)
{
	for (size_t i = 0; i < why->row_count; i++)
		if (why->rows[i].about == &bench_observed[BENCH_OBSERVED_FIRST_CALL])
			return &why->rows[i].change;
	return NULL;
}

static bool matters(const struct bench_why_change *change, double threshold)
{
	return change->differs && change->is_ratio &&
	       fabs(log(change->interval.estimate)) >= log1p(threshold);
}

static void conclude(const struct judging *in, struct bench_why *why)
{
	const struct bench_whys *whys = in->whys;
	const struct bench_why_change *first = first_call_of(why);
	if (first)
		why->first_call = *first;
	why->of_first_call = !matters(&why->time, whys->threshold) && first &&
			     matters(first, FIRST_CALL_CHANGE) &&
			     fabs(first->head - first->base) >= FIRST_CALL_LEAST;
	const struct bench_why_change *change = why->of_first_call ? &why->first_call : &why->time;
	if (why->of_first_call || matters(change, whys->threshold))
		why->answer = change->interval.estimate > 1 ? BENCH_WHY_SLOWER : BENCH_WHY_FASTER;
	double ratio = change->interval.estimate, seconds = change->base * (ratio - 1);
	bool waits = host_waits(why), works = works_longer(why, ratio);
	for (size_t i = 0; i < why->row_count && why->answer != BENCH_WHY_NONE; i++) {
		struct bench_why_row *row = &why->rows[i];
		row->explains =
			why->of_first_call
				? row->change.differs && row->about == &bench_observed[BENCH_OBSERVED_BUILDS]
				: !(waits && is_host_time(row->about)) &&
					  !(works &&
					    row->about == &bench_observed[BENCH_OBSERVED_PARALLELISM]) &&
					  can_explain(row, seconds, ratio, whys->alpha);
	}
	if (why->row_count)
		qsort(why->rows, why->row_count, sizeof(*why->rows), by_weight);
	if (why->answer != BENCH_WHY_NONE)
		return;
	bool excludes = change->interval.lo > 1 || change->interval.hi < 1;
	if (whys->invocations < bench_compare_duel_needed((double)whys->tests, whys->alpha))
		why->answer = BENCH_WHY_TOO_FEW;
	else if (!change->differs && excludes && fabs(log(ratio)) >= log1p(whys->threshold))
		why->answer = BENCH_WHY_UNCLEAR;
}

static void judge(struct judging *in)
{
	double *p = bench_arena_alloc(&in->arena, in->test_count + 1, sizeof(*p)),
	       *correlations = bench_arena_alloc(&in->arena, in->test_count + 1, sizeof(*correlations));
	size_t *counts = bench_arena_alloc(&in->arena, in->test_count + 1, sizeof(*counts));
	for (size_t i = 0; i < in->test_count; i++) {
		counts[i] = in->tests[i].count;
		correlations[i] = bench_stats_correlation(in->tests[i].values, counts[i]);
	}
	bench_stats_share_correlations(correlations, counts, in->test_count);
	for (size_t i = 0; i < in->test_count; i++)
		p[i] = in->tests[i].change->p = run_test(&in->tests[i], correlations[i]);
	bench_stats_holm(p, in->test_count, p);
	for (size_t i = 0; i < in->test_count; i++) {
		in->tests[i].change->p_adjusted = p[i];
		in->tests[i].change->differs = p[i] <= in->whys->alpha;
	}
	in->whys->tests = in->test_count ? in->test_count : 1;
}

int bench_compare_why(const struct bench_run *run, double threshold, double alpha, struct bench_whys *whys,
		      struct bench_error *error)
{
	struct judging in = {.run = run, .whys = whys};
	*whys = (struct bench_whys){.alpha = alpha, .threshold = threshold};
	whys->cases = bench_arena_alloc(&whys->arena, run->result_count + 1, sizeof(*whys->cases));
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const struct bench_metric *ratios = bench_record_metric(result, "relative_time");
		if (result->status == BENCH_STATUS_OK && ratios && ratios->series_count)
			take_case(&in, result, &whys->cases[whys->count++]);
	}
	judge(&in);
	for (size_t i = 0; i < whys->count; i++)
		conclude(&in, &whys->cases[i]);
	bench_arena_free(&in.arena);
	if (whys->count)
		return 0;
	return bench_fail(error, BENCH_NOTHING, "no case was measured on both sides%s%.300s",
			  run->result_count ? "; the first: " : "",
			  run->result_count ? run->results[0].reason : "");
}

void bench_compare_why_free(struct bench_whys *whys)
{
	bench_arena_free(&whys->arena);
}
