/* SPDX-License-Identifier: MIT */
#include "compare/bisect.h"

#include <math.h>
#include <string.h>

#include "stats/signed.h"

/*
 * The noise of a duel about its true ratio is Student's t of four degrees of freedom: a duel that lies far
 * off says little. Its scale is the duel's own standard error and a tenth of the step: two builds of one code
 * differ by their layout, and no single duel is trusted further than that.
 */
#define FREEDOM     4
#define TRUST       0.1
#define FAR         2.0 /* scales: what lies past a level by more counts as lying there */
#define GRID        17  /* steps that are tried about the one estimated */
#define GRID_REACH  4.0 /* standard errors to either side */
#define LEAST_STEP  0.25
#define VAGUE       (1 / 6.0) /* of the step is its standard error */
#define BETWEEN     3.5       /* standard errors from both levels: a third level */
#define NO_STEP     1e-6
#define LEVEL       0.9
#define FEW         3   /* invocations: fewer have no standard error */
#define UNKNOWN     1.0 /* the standard error of those */
#define MANY_VALUES 1000000

size_t bench_compare_bisect_pool(const struct bench_bisect_look *looks, size_t count, size_t base,
				 size_t head, struct bench_bisect_look *pooled)
{
	double weights = 0, sum = 0, excess = 0;
	size_t found = 0;
	for (size_t i = 0; i < count; i++) {
		if (looks[i].base != base || looks[i].head != head)
			continue;
		double weight = 1 / (looks[i].error * looks[i].error);
		weights += weight;
		sum += weight * looks[i].shift;
		found++;
	}
	*pooled = (struct bench_bisect_look){base, head, NAN, NAN};
	if (!found)
		return 0;
	pooled->shift = sum / weights;
	for (size_t i = 0; i < count; i++)
		if (looks[i].base == base && looks[i].head == head)
			excess += pow((looks[i].shift - pooled->shift) / looks[i].error, 2);
	double inflation = found > 1 ? fmax(1, excess / (double)(found - 1)) : 1;
	pooled->error = sqrt(inflation / weights);
	return found;
}

/* Between which commits the change is looked for, and their times, as logarithms over the good one's. */
struct bracket {
	size_t low, high;
	double low_level, low_error, high_level, high_error;
};

/* How clearly a commit's time is neither of the two: the smaller distance from them, in standard errors. */
static double between(const struct bracket *bracket, const struct bench_bisect_look *look)
{
	double step = bracket->high_level - bracket->low_level;
	double own = hypot(look->error, TRUST * step);
	double from_low = (look->shift - bracket->low_level) / hypot(own, bracket->low_error);
	double from_high = (bracket->high_level - look->shift) / hypot(own, bracket->high_error);
	return fmin(from_low, from_high);
}

/* Takes the larger part of the change, as long as a commit stands between. One duel alone may be wrong. */
static struct bracket find_bracket(const struct bench_bisect_search *search)
{
	struct bracket bracket = {.high = search->commits};
	struct bench_bisect_look look, best_look;
	bench_compare_bisect_pool(search->looks, search->look_count, 0, search->commits, &look);
	/* Duels that contradict the first may leave nothing of it: then the step is vague, and no more. */
	bracket.high_level = fmax(look.shift, NO_STEP);
	bracket.high_error = look.error;
	for (;;) {
		double best = BETWEEN;
		size_t at = 0;
		for (size_t i = 0; i < search->look_count; i++) {
			size_t head = search->looks[i].head;
			if (search->looks[i].base || head <= bracket.low || head >= bracket.high ||
			    bench_compare_bisect_pool(search->looks, search->look_count, 0, head, &look) < 2)
				continue;
			double distance = between(&bracket, &look);
			if (distance <= best)
				continue;
			best = distance;
			best_look = look;
			at = head;
		}
		if (!at)
			return bracket;
		if (best_look.shift - bracket.low_level >= bracket.high_level - best_look.shift) {
			bracket.high = at;
			bracket.high_level = best_look.shift;
			bracket.high_error = best_look.error;
		} else {
			bracket.low = at;
			bracket.low_level = best_look.shift;
			bracket.low_error = best_look.error;
		}
	}
}

static double density(double residual)
{
	return -(FREEDOM + 1) / 2.0 * log1p(residual * residual / FREEDOM);
}

/* A duel that says something of the commits of the bracket. */
struct evidence {
	size_t after, head;  /* the step is in it where the change came after the one, with the other at the
				latest */
	double shift, scale; /* over the level before the step */
	double without;      /* density of no step */
	bool whole;          /* of the end itself, which says how large the step is */
};

static size_t gather(const struct bench_bisect_search *search, const struct bracket *bracket,
		     struct evidence *all)
{
	double trust = TRUST * (bracket->high_level - bracket->low_level);
	size_t count = 0;
	for (size_t i = 0; i < search->look_count; i++) {
		const struct bench_bisect_look *look = &search->looks[i];
		bool absolute = look->base == 0;
		if (look->head <= bracket->low || look->head > bracket->high ||
		    (look->base < bracket->low && !absolute))
			continue;
		struct evidence *one = &all[count++];
		one->after = absolute ? bracket->low : look->base;
		one->head = look->head;
		one->shift = look->shift - (absolute ? bracket->low_level : 0);
		one->scale = hypot(hypot(look->error, trust), absolute ? bracket->low_error : 0);
		one->without = density(fmax(one->shift / one->scale, -FAR));
		one->whole = absolute && look->head == bracket->high;
	}
	return count;
}

/* The logarithms of the likelihood of each commit, for one size of the step. */
static void find_likelihood(const struct evidence *all, size_t count, const struct bracket *bracket,
			    double step, double *sums)
{
	for (size_t k = bracket->low; k <= bracket->high + 1; k++)
		sums[k] = 0;
	for (size_t i = 0; i < count; i++) {
		double residual = (all[i].shift - step) / all[i].scale;
		/* What is slower still is past the step as well. */
		double gain = density(all[i].whole ? residual : fmin(residual, FAR)) - all[i].without;
		sums[bracket->low + 1] += all[i].without;
		sums[all[i].after + 1] += gain;
		sums[all[i].head + 1] -= gain;
	}
	for (size_t k = bracket->low + 2; k <= bracket->high; k++)
		sums[k] += sums[k - 1];
}

static void find_posterior(const struct bench_bisect_search *search, const struct bracket *bracket,
			   struct bench_arena *arena, double *posterior)
{
	size_t width = search->commits + 2;
	struct evidence *all = bench_arena_alloc(arena, search->look_count, sizeof(*all));
	double *logs = bench_arena_alloc(arena, width * GRID, sizeof(*logs));
	double step = bracket->high_level - bracket->low_level, top = -INFINITY, total = 0;
	double reach = GRID_REACH * hypot(bracket->high_error, bracket->low_error);
	size_t count = gather(search, bracket, all);
	for (size_t g = 0; g < GRID; g++) {
		double tried = step + reach * (2.0 * (double)g / (GRID - 1) - 1);
		find_likelihood(all, count, bracket, fmax(tried, LEAST_STEP * step), logs + g * width);
		for (size_t k = bracket->low + 1; k <= bracket->high; k++)
			top = fmax(top, logs[g * width + k]);
	}
	for (size_t g = 0; g < GRID; g++)
		for (size_t k = bracket->low + 1; k <= bracket->high; k++)
			posterior[k] += exp(logs[g * width + k] - top);
	for (size_t k = bracket->low + 1; k <= bracket->high; k++)
		total += posterior[k];
	for (size_t k = bracket->low + 1; k <= bracket->high; k++)
		posterior[k] /= total;
}

/* The likeliest stretch that lies between two commits next to each other, of those that can be measured. */
static void find_likeliest(const struct bench_bisect_search *search, struct bench_bisect_state *state)
{
	size_t base = state->low;
	double sum = 0;
	state->probability = 0;
	for (size_t k = state->low + 1; k <= state->high; k++) {
		sum += state->posterior[k];
		if (search->skipped[k])
			continue;
		if (sum > state->probability) {
			state->probability = sum;
			state->base = base;
			state->head = k;
		}
		base = k;
		sum = 0;
	}
}

static size_t count_looks(const struct bench_bisect_search *search, size_t base, size_t head)
{
	struct bench_bisect_look ignored;
	return bench_compare_bisect_pool(search->looks, search->look_count, base, head, &ignored);
}

/*
 * The commit with half of the probability on either side. Where the step itself is hardly known, or nothing
 * else is left, the end once more.
 */
static void choose_probe(const struct bench_bisect_search *search, struct bench_bisect_state *state)
{
	bool vague = state->step_error > VAGUE * state->step;
	bool again = count_looks(search, 0, state->high) < BENCH_BISECT_MOST_LOOKS;
	double sum = 0, best = 1;
	size_t at = again ? state->high : 0;
	for (size_t k = state->low + 1; k < state->high && !(vague && again); k++) {
		sum += state->posterior[k];
		if (search->skipped[k] || fabs(sum - 0.5) >= best ||
		    count_looks(search, 0, k) >= BENCH_BISECT_MOST_LOOKS)
			continue;
		best = fabs(sum - 0.5);
		at = k;
	}
	state->next = at ? BENCH_BISECT_PROBE : BENCH_BISECT_UNDECIDED;
	if (at) {
		state->base = 0;
		state->head = at;
	}
}

void bench_compare_bisect(const struct bench_bisect_search *search, struct bench_arena *arena,
			  struct bench_bisect_state *state)
{
	const struct bracket bracket = find_bracket(search);
	*state = (struct bench_bisect_state){
		.posterior = bench_arena_alloc(arena, search->commits + 1, sizeof(double)),
		.low = bracket.low,
		.high = bracket.high,
		.step = bracket.high_level - bracket.low_level,
		.step_error = hypot(bracket.high_error, bracket.low_error)};
	find_posterior(search, &bracket, arena, state->posterior);
	find_likeliest(search, state);
	if (state->probability < 1 - search->error)
		choose_probe(search, state);
	else if (count_looks(search, state->base, state->head) == 0)
		state->next = BENCH_BISECT_CONFIRM;
	else
		state->next = BENCH_BISECT_FOUND;
}

/* A case's logarithm, by its invocations. */
static void take_case(const struct bench_metric *metric, struct bench_arena *arena, double *shift,
		      double *error)
{
	double *logs = bench_arena_alloc(arena, metric->series_count + 1, sizeof(*logs));
	size_t count = 0;
	for (size_t i = 0; i < metric->series_count; i++) {
		double median = bench_stats_median(metric->series[i].values, metric->series[i].count);
		if (median > 0 && isfinite(median))
			logs[count++] = log(median);
	}
	struct bench_interval interval = bench_stats_signed_shift(logs, count, LEVEL);
	*shift = count ? interval.estimate : 0;
	*error = UNKNOWN;
	if (count >= FEW && interval.level > 0) {
		double width = bench_stats_student_quantile((1 + interval.level) / 2, MANY_VALUES);
		/* Equal values are as exact as the clock, and not more. */
		*error = fmax((interval.hi - interval.lo) / 2 / width, 1e-5);
	}
}

/* By which a case has changed, its time first; NULL: by none. */
static const struct bench_metric_pair *find_pair(const struct bench_comparison *comparison,
						 const struct bench_result *result, bool faster,
						 struct bench_arena *arena)
{
	for (size_t i = 0; i < BENCH_METRIC_PAIRS; i++) {
		const struct bench_metric_pair *pair = &bench_metric_pairs[i];
		const struct bench_verdict *verdict = bench_compare_find(
			comparison, bench_arena_format(arena, "%s/%s", result->key, pair->name));
		if (verdict && verdict->kind == (faster ? BENCH_FASTER : BENCH_SLOWER) &&
		    bench_record_metric(result, pair->ratio))
			return pair;
	}
	return NULL;
}

size_t bench_compare_bisect_cases(const struct bench_run *run, const struct bench_comparison *comparison,
				  bool faster, struct bench_arena *arena, struct bench_bisect_case **cases)
{
	double total = 0, shift, error;
	size_t count = 0;
	*cases = NULL;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const struct bench_metric_pair *pair = find_pair(comparison, result, faster, arena);
		if (!pair)
			continue;
		take_case(bench_record_metric(result, pair->ratio), arena, &shift, &error);
		struct bench_bisect_case *one = bench_arena_push(arena, cases, &count, sizeof(*one));
		*one = (struct bench_bisect_case){bench_arena_string(arena, result->key), 1 / (error * error),
						  pair};
		total += one->weight;
	}
	for (size_t i = 0; i < count; i++)
		(*cases)[i].weight /= total;
	return count;
}

static const struct bench_metric *find_ratio(const struct bench_run *run, const struct bench_bisect_case *one)
{
	const struct bench_result *result = bench_record_find(run, one->key);
	return result ? bench_record_metric(result, one->pair->ratio) : NULL;
}

const char *bench_compare_bisect_look(const struct bench_run *run, const struct bench_bisect_case *cases,
				      size_t count, bool faster, struct bench_bisect_look *look)
{
	BENCH_SCOPED_ARENA arena = {0};
	double sum = 0, variance = 0, shift, error;
	size_t i = 0;
	for (; i < count; i++) {
		const struct bench_metric *metric = find_ratio(run, &cases[i]);
		if (!metric)
			break;
		take_case(metric, &arena, &shift, &error);
		sum += cases[i].weight * shift;
		variance += pow(cases[i].weight * error, 2);
	}
	look->shift = faster ? -sum : sum;
	look->error = sqrt(variance);
	return i < count ? cases[i].key : NULL;
}

unsigned bench_compare_bisect_invocations(double error, size_t count, double step, double times,
					  unsigned least, unsigned most)
{
	double needed = (double)count * pow(times * error / step, 2);
	return (unsigned)fmax(fmin(ceil(needed), most), least);
}
