/* SPDX-License-Identifier: MIT */
#include "app/tune_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/tune_duel.h"
#include "app/tuning.h"
#include "app/turn.h"
#include "backends/backends.h"
#include "core/clock.h"
#include "core/text.h"
#include "extend/extend.h"
#include "machine/pin.h"
#include "measure/session/session.h"
#include "suites/kernel/point.h"

#define BUDGET_SECONDS 300.0
#define PROOF_SHARE    0.25 /* of the budget, for the duel; */
#define FAR_AHEAD      0.8  /* or only what its least pairs take, if the best takes this part of the time; */
#define PAIR_OPENINGS  1.4  /* each takes so many openings: two processes, from start to end; */
#define ASKING_PAIRS   2    /* ending the search's workers and asking both sides take as long as so many; */
#define PROOF_MOST     0.6  /* and at most this */
#define PROOF_GUESS    0.5  /* before the first batch */
#define OVER_BUDGET    0.2  /* of the budget, which the least pairs may take beyond it */
#define FINAL_SHARE    0.12 /* of the search: the best again, longer; */
#define FINALS_SHARE   0.3  /* or all FINALISTS, if that takes at most this */
#define FINAL_SECONDS  0.5  /* of measuring in a final */
#define FINALISTS      16
#define LAST           4    /* of them are in the second final, if there are two, */
#define LAST_OPENINGS  4    /* which so many processes hold, */
#define LAST_SHARE     0.15 /* or as many as open in this part of the budget: 1 at least */
#define RANKED         ((size_t)4 * FINALISTS)
#define BATCH          64   /* combinations and the yardstick, at most */
#define LEAST_BATCH    4    /* and at least, if there is time */
#define GROWTH         4    /* times as many as in the batch before, at most */
#define BATCHES        5    /* that the time that is left is divided into, */
#define STAYED_SHARE   0.25 /* of the first start: a guess of a later one's, with the same worker */
#define START_SHARE    0.3  /* unless starting them takes more than this part of it */
#define FIRST_BATCH    8    /* at most, while it is not known what they take */
#define FIRST_SECONDS  8.0  /* of the budget for each of them */
#define EFFORT_SECONDS 0.01 /* of measuring a combination in a batch, at least, */
#define EFFORT_SHARE   0.15 /* or this part of what building it takes, */
#define EFFORT_MOST    0.04 /* and at most */
#define LEAST_LIMIT    20.0 /* seconds: compiling counts */
#define BUILT_BEFORE   0.4  /* of the time of the compiler, where the driver has the program in its cache */
#define LEAST_ROUND    0.5  /* seconds of another round of the search */
#define PROGRAM_CACHE  "BENCH_PROGRAM_CACHE"

struct search {
	struct bench_app_tune *tune;
	struct bench_app_tune_kernel *kernel;
	struct bench_store *store;
	struct bench_rng rng;
	double time_limit;  /* seconds that a candidate may hang */
	double first_batch; /* combinations, as many as the budget allows */
	size_t builders;    /* of its combinations, at the same time */
	/* The batch before: of how many. It took each_seconds a combination, 0: not known, of which
	 * again_seconds would be taken again, and start_seconds besides; the first one opening_seconds, in
	 * which it started the worker. */
	size_t count;
	double each_seconds, again_seconds, start_seconds, opening_seconds;
	double effort;                  /* seconds of measuring a combination in the next one */
	double budget, end;             /* seconds, and when they are over */
	double proof_part;              /* of the duel's time that is still kept for it */
	struct bench_session_kept kept; /* from batch to batch */
};

char *bench_app_tune_kernel_words(const struct bench_kernel_spec *spec, size_t combination, bool all,
				  struct bench_arena *arena)
{
	struct bench_text list = {0};
	for (size_t t = 0; t < spec->tunable_count; t++) {
		const uint64_t value = bench_kernel_tune_value(spec, combination, t);
		if (all)
			bench_text_add(&list, "%s%s=%llu", t ? "," : "",
				       spec->tunables[t].name + strlen(spec->suite.name) + 1,
				       (unsigned long long)value);
		else
			bench_app_tuning_add(&list, &spec->tunables[t], value);
	}
	return list.data ? bench_text_keep(&list, arena) : bench_arena_string(arena, "");
}

static char *words(const struct search *search, size_t combination)
{
	return bench_app_tune_kernel_words(search->kernel->spec, combination, true, &search->tune->arena);
}

static struct bench_app_cases cases_of(struct bench_arena *arena, const struct bench_kernel_spec *spec,
				       const struct bench_target *target)
{
	const char **suite = bench_arena_alloc(arena, 1, sizeof(*suite));
	*suite = spec->suite.name;
	return (struct bench_app_cases){
		.suites = suite,
		.suite_count = 1,
		.preset = "quick",
		.backends = bench_arena_format(arena, "%s:%zu", target->backend->name, target->index),
		.targets = target,
		.target_count = 1};
}

/* Do sizes and constraints allow a combination in all cases? */
static bool is_allowed(const struct bench_plan *plan, size_t combination, struct bench_error *error)
{
	for (size_t i = 0; i < plan->case_count; i++) {
		const struct bench_planned *planned = &plan->cases[i];
		struct bench_value values[BENCH_KERNEL_PARAMS + 1];
		struct bench_kernel_point point;
		struct bench_kernel_plan launches;
		const struct bench_case bench_case = {.values = values, .suite = planned->suite};
		memcpy(values, planned->values, planned->value_count * sizeof(*values));
		values[planned->value_count - 1].integer = (int64_t)combination + 1;
		if (bench_kernel_point_make(&bench_case, &point, error) != 0 ||
		    bench_kernel_plan_make(&bench_case, &point, point.program, &launches, error) != 0)
			return false;
		bench_arena_free(&launches.arena);
	}
	return true;
}

static int make_space(struct bench_app_tune *tune, struct bench_app_tune_kernel *kernel,
		      struct bench_error *error)
{
	struct bench_arena *arena = &tune->arena;
	const struct bench_kernel_spec *spec = kernel->spec;
	const struct bench_app_cases cases = cases_of(arena, kernel->searched, kernel->target);
	const size_t count = bench_kernel_tune_count(spec);
	size_t *sizes = bench_arena_alloc(arena, spec->tunable_count, sizeof(*sizes)), allowed_count = 0;
	bool *allowed = bench_arena_alloc(arena, count, sizeof(*allowed));
	struct bench_plan *plan = NULL;
	struct bench_error cause, first = {0};
	if (bench_app_plan(&cases, NULL, &plan, error) != 0)
		return -1;
	for (size_t t = 0; t < spec->tunable_count; t++)
		sizes[t] = spec->tunables[t].value_count;
	kernel->ratios = bench_arena_alloc(arena, count, sizeof(*kernel->ratios));
	kernel->refuted = bench_arena_alloc(arena, count, sizeof(*kernel->refuted));
	for (size_t i = 0; i < count; i++) {
		kernel->ratios[i] = i ? NAN : 1;
		allowed[i] = is_allowed(plan, i, &cause);
		allowed_count += allowed[i];
		if (!allowed[i] && !first.text[0])
			first = cause;
	}
	bench_plan_free(plan);
	kernel->space = (struct bench_tune_space){sizes, spec->tunable_count, count, allowed, kernel->ratios};
	if (allowed_count < count)
		bench_app_note(tune->host, "%zu of %zu combinations are possible; the first that is not: %s",
			       allowed_count, count, first.text);
	return 0;
}

int bench_app_tune_kernel_find(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
			       const struct bench_app_host *host, struct bench_error *error)
{
	static const struct bench_settings settings = {.pin = true};
	const struct bench_kernel_spec *spec = bench_kernel_tune_spec(0);
	const char *missing = "";
	*tune = (struct bench_app_tune){.request = request, .host = host};
	if (!spec)
		return bench_fail(
			error, BENCH_USAGE,
			"the specification leaves nothing to tune: give it \"tune\": {\"TX\": [8, 16, "
			"32]} (docs/user-kernels.md)");
	bench_machine_settings_apply(&settings);
	if (bench_plan_target_resolve(bench_backends, request->backends ? request->backends : "opencl",
				      &tune->arena, &tune->targets, &tune->target_count, error) != 0)
		return -1;
	tune->fingerprint = bench_machine_environment_fingerprint(&tune->arena);
	for (size_t i = 0; i < tune->target_count; i++) {
		const struct bench_target *target = &tune->targets[i];
		if (target->unavailable || !target->backend->kernels) {
			missing = target->unavailable ? target->unavailable : "a backend cannot run kernels";
			continue;
		}
		if (bench_app_tuning_slug(tune->targets, i) != target->info.slug)
			continue;
		struct bench_app_tune_kernel *kernel =
			bench_arena_push(&tune->arena, &tune->kernels, &tune->kernel_count, sizeof(*kernel));
		*kernel = (struct bench_app_tune_kernel){.spec = spec,
							 .searched = bench_kernel_tune_searched(0),
							 .target = target,
							 .gain = {1, 1, 1},
							 .run = ""};
		if (make_space(tune, kernel, error) != 0)
			return -1;
	}
	return tune->kernel_count ? 0
				  : bench_fail(error, BENCH_NOTHING,
					       "nothing to tune: no device that is selected runs "
					       "the kernel; %s",
					       missing);
}

static struct bench_tuning_query query_of(const struct bench_app_tune *tune,
					  const struct bench_app_tune_kernel *kernel)
{
	return (struct bench_tuning_query){.fingerprint = tune->fingerprint,
					   .backend = kernel->target->backend->name,
					   .device = kernel->target->info.slug,
					   .driver = kernel->target->info.driver,
					   .name = kernel->spec->identity};
}

static void take_row(struct bench_app_tune_kernel *kernel, const struct bench_tuning_row *row)
{
	if (row->value >= kernel->space.count)
		return;
	kernel->tried += isnan(kernel->ratios[row->value]) != 0;
	kernel->ratios[row->value] = row->ratio > 0 ? row->ratio : (double)INFINITY;
	/* Only a duel has an interval. */
	kernel->refuted[row->value] = !row->chosen && isfinite(row->step_lo) && row->step_lo > 0;
	if (!row->chosen)
		return;
	kernel->current = row->value;
	kernel->gain = (struct bench_tune_ratio){row->ratio, row->lo, row->hi};
	kernel->run = row->run;
}

int bench_app_tune_kernel_recall(struct bench_app_tune *tune, struct bench_store *store,
				 struct bench_error *error)
{
	struct bench_tuning_row *rows;
	size_t count;
	for (size_t i = 0; i < tune->kernel_count; i++) {
		const struct bench_tuning_query query = query_of(tune, &tune->kernels[i]);
		if (bench_store_tuning(store, &query, &tune->arena, &rows, &count, error) != 0)
			return -1;
		for (size_t r = 0; r < count; r++)
			take_row(&tune->kernels[i], &rows[r]);
		tune->rows += count;
	}
	return 0;
}

int bench_app_tune_kernel_restart(struct bench_app_tune *tune, struct bench_store *store,
				  struct bench_error *error)
{
	size_t count;
	for (size_t i = 0; i < tune->kernel_count; i++) {
		const struct bench_tuning_query query = query_of(tune, &tune->kernels[i]);
		if (bench_store_tuning_forget(store, &query, &count, error) != 0)
			return -1;
	}
	return 0;
}

/* The best that was measured and that no duel has refuted. */
static size_t best_of(const struct bench_app_tune_kernel *kernel)
{
	size_t best = kernel->current;
	for (size_t i = 0; i < kernel->space.count; i++)
		if (isfinite(kernel->ratios[i]) && !kernel->refuted[i] &&
		    kernel->ratios[i] < kernel->ratios[best])
			best = i;
	return best;
}

static struct bench_tuning_row row_of(const struct search *search, size_t combination, size_t base,
				      const struct bench_tune_ratio *step,
				      const struct bench_tune_ratio *total, bool chosen, const char *run)
{
	const struct bench_tuning_query query = query_of(search->tune, search->kernel);
	return (struct bench_tuning_row){.fingerprint = query.fingerprint,
					 .backend = query.backend,
					 .device = query.device,
					 .driver = query.driver,
					 .name = query.name,
					 .value = combination,
					 .base = base,
					 .step = step->ratio,
					 .step_lo = step->lo,
					 .step_hi = step->hi,
					 .ratio = total->ratio,
					 .lo = total->lo,
					 .hi = total->hi,
					 .chosen = chosen,
					 .run = bench_arena_string(&search->tune->arena, run)};
}

static int keep(const struct search *search, const struct bench_tuning_row *rows, size_t count,
		struct bench_error *error)
{
	if (bench_store_tuning_put(search->store, rows, count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		take_row(search->kernel, &rows[i]);
	return 0;
}

/* The combination that a result is of; SIZE_MAX: the yardstick. */
static size_t combination_of(const struct bench_result *result)
{
	const char *text =
		bench_record_attribute_get(result->params, result->param_count, BENCH_KERNEL_CANDIDATE);
	return strtoul(text, NULL, 10) - 1;
}

/*
 * A combination's time over the yardstick's: the geometric mean over the cases. NaN where one is not ok or
 * has no pairs, since the buffers of both do not fit the device together; with the reason.
 */
static double ratio_of(const struct bench_run *run, size_t combination, const char **reason)
{
	double sum = 0;
	size_t cases = 0;
	*reason = "it was not measured";
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (combination_of(result) != combination || result->status == BENCH_STATUS_UNSUPPORTED)
			continue;
		const struct bench_metric *metric = bench_record_metric(result, "relative_time");
		if (result->status != BENCH_STATUS_OK || !metric || !metric->series_count) {
			*reason = result->status == BENCH_STATUS_OK ? "nothing to compare it with"
				  : *result->reason                 ? result->reason
						    : bench_record_status_name(result->status);
			return NAN;
		}
		sum += log(bench_record_median(metric->series, metric->series_count));
		cases++;
	}
	return cases ? exp(sum / (double)cases) : (double)NAN;
}

/* What a batch takes beside its combinations, most of whose time goes into their compiler, is its start. The
 * first one starts builders, too, which open the device in the same time. */
static void take_costs(struct search *search, const struct bench_run *run, size_t count, double seconds)
{
	double compiling = 0, loading = 0; /* the compiler, which the yardstick waits for */
	double building = search->kept.build_seconds;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *metric =
			bench_record_metric(&run->results[i], "first_call_compile");
		if (metric && metric->series_count)
			*(combination_of(&run->results[i]) == SIZE_MAX ? &loading : &compiling) +=
				bench_record_median(metric->series, metric->series_count);
	}
	const double sampling = 2 * search->effort * (double)count;
	search->start_seconds = fmax(0, seconds - building - compiling - sampling);
	if (search->count == 0) {
		search->opening_seconds = fmax(0, search->start_seconds - loading);
		search->start_seconds = STAYED_SHARE * search->opening_seconds;
		building = fmax(0, building - search->opening_seconds);
	}
	search->each_seconds = (building + compiling + sampling) / (double)count;
	search->again_seconds =
		((search->kept.builds ? 1 : BUILT_BEFORE) * compiling + sampling) / (double)count;
	search->count = count;
	const double building_each = search->each_seconds - 2 * search->effort;
	search->effort = fmin(EFFORT_MOST, fmax(EFFORT_SECONDS, EFFORT_SHARE * building_each));
}

/* Combinations that are measured together, by one process or by several in turn. */
struct batch {
	size_t base; /* the yardstick: another combination, the best before */
	size_t count, combinations[BATCH];
	double logs[BATCH]; /* sums of the logarithms of the time over the yardstick's, of all processes */
	size_t openings;    /* their number */
};

/* Keeps what a batch has shown, and names what failed. */
static int take_batch(struct search *search, const struct bench_run *run, struct batch *batch,
		      struct bench_error *error)
{
	struct bench_app_tune_kernel *kernel = search->kernel;
	const double before = kernel->ratios[batch->base];
	struct bench_tuning_row rows[BATCH];
	const char *reason;
	for (size_t i = 0; i < run->result_count; i++)
		if (combination_of(&run->results[i]) == SIZE_MAX &&
		    run->results[i].status != BENCH_STATUS_OK &&
		    run->results[i].status != BENCH_STATUS_UNSUPPORTED)
			return bench_fail(error, BENCH_FAILED, "%s, against which others are measured: %s",
					  words(search, batch->base), run->results[i].reason);
	batch->openings++;
	for (size_t i = 0; i < batch->count; i++) {
		const size_t combination = batch->combinations[i];
		batch->logs[i] += log(ratio_of(run, combination, &reason));
		const double step = exp(batch->logs[i] / (double)batch->openings);
		const struct bench_tune_ratio over = {step, NAN, NAN}, total = {before * step, NAN, NAN};
		if (isnan(step))
			bench_app_note(search->tune->host, "%s %s is dropped: %s", kernel->spec->suite.name,
				       words(search, combination), reason);
		rows[i] = row_of(search, combination, batch->base, &over, &total, false, run->id);
	}
	return keep(search, rows, batch->count, error);
}

/*
 * Bench's cache asks the driver for binaries, for which PoCL compiles everything again: too much for programs
 * most of which are never used again.
 */
static int run_uncached(struct bench_app_measure *measure, struct bench_error *error)
{
	const bool ours = !getenv(PROGRAM_CACHE) && setenv(PROGRAM_CACHE, "off", 1) == 0;
	const int result = bench_app_measure_run(measure, error);
	if (ours)
		unsetenv(PROGRAM_CACHE);
	return result;
}

/* Measures combinations, interleaved with the yardstick: each for `effort` seconds. */
static int measure_batch(struct search *search, struct batch *batch, double effort, bool final,
			 struct bench_error *error)
{
	struct bench_app_tune *tune = search->tune;
	struct bench_arena *arena = &tune->arena;
	struct bench_app_tune_kernel *kernel = search->kernel;
	const double start = bench_clock_seconds();
	BENCH_SCOPED_MEASURE measure = {0};
	struct bench_text set = {0}, command = {0};
	bench_text_add(&command, "bench tune");
	bench_extend_options(&command);
	bench_text_add(&set, BENCH_KERNEL_CANDIDATE "=0");
	for (size_t i = 0; i < batch->count; i++)
		bench_text_add(&set, ",%zu", batch->combinations[i] + 1);
	const char *sets = bench_text_keep(&set, arena);
	const char *label = bench_arena_format(arena, "aside=tune %s", kernel->spec->suite.name);
	struct bench_app_request request = {
		.cases = cases_of(arena, kernel->searched, kernel->target),
		.command = bench_text_keep(&command, arena),
		.places = tune->request->places,
		.no_store = true,
		.labels = &label,
		.label_count = 1,
		.settings = {.pin = true, .unwatched = true},
		.overrides = {.tuning = bench_app_tune_kernel_words(kernel->spec, batch->base, false, arena)},
		.precision = 0.001,
		.budget_seconds = effort * (double)(batch->count + 1),
		.invocations = 1,
		.seed = tune->request->seed,
		.time_limit = search->time_limit,
		.wait_seconds = tune->request->wait_seconds};
	request.cases.sets = &sets;
	request.cases.set_count = 1;
	int result = bench_app_measure_plan(&measure, &request, tune->host, NULL, error);
	if (result == 0)
		result = bench_app_measure_open(&measure, error);
	if (result == 0) {
		measure.bounded = false;
		measure.quiet = measure.brief = true;
		measure.kept = &search->kept;
		search->kept.builds = final ? 0 : search->builders;
		result = run_uncached(&measure, error);
	}
	tune->interrupted = *tune->host->stop || (result == 0 && measure.run->interrupted);
	if (tune->interrupted)
		result = 0;
	else if (result == 0)
		result = take_batch(search, measure.run, batch, error);
	/* The finals have their programs from the driver's cache. */
	if (result == 0 && !tune->interrupted && !final)
		take_costs(search, measure.run, batch->count, bench_clock_seconds() - start);
	return result;
}

/* Of the next batch, at most as many as fit into the time. */
static double size_of(const struct search *search, double fit)
{
	if (search->count == 0)
		return fmin(fit, search->first_batch);
	/* Each batch tells where to look next, so that there are several even if time is short. */
	const double enough = search->start_seconds / (START_SHARE * search->each_seconds);
	const double size = fmax(LEAST_BATCH, fmax(enough, ceil(fit / BATCHES)));
	return fmin(fmin(fit, BATCH), fmin(size, GROWTH * (double)search->count));
}

/* Seconds of a process that measures the last ones. */
static double seconds_of_opening(const struct search *search)
{
	return search->opening_seconds + FINAL_SECONDS / 2 + LAST * search->again_seconds;
}

/*
 * Processes that fit into the time, and measure the last ones. Where buffers and threads happen to lie can
 * make more of a difference than these do, and stays as it is within a process.
 */
static size_t openings_of(const struct search *search, double seconds)
{
	return (size_t)fmax(1, fmin(LAST_OPENINGS, floor(seconds / seconds_of_opening(search))));
}

/* Seconds of the finals that begin with so many. */
static double finals_of(const struct search *search, size_t wanted)
{
	const size_t openings = openings_of(search, LAST_SHARE * search->budget);
	const double last = openings > 1
				    ? (double)openings * seconds_of_opening(search)
				    : search->start_seconds + FINAL_SECONDS + LAST * search->again_seconds;
	return last + (wanted <= LAST ? 0
				      : search->start_seconds + FINAL_SECONDS +
						(double)wanted * search->again_seconds);
}

/* What the finals get of the time of a search. */
static double share_of_finals(const struct search *search, double seconds)
{
	const double all = finals_of(search, FINALISTS);
	return search->count && all < FINALS_SHARE * seconds ? all : FINAL_SHARE * seconds;
}

/* That the fewest pairs of a duel take, as far as the first start tells. */
static double seconds_of_pairs(const struct search *search)
{
	return (BENCH_APP_TUNE_PAIRS + ASKING_PAIRS) * PAIR_OPENINGS * search->opening_seconds;
}

/* When the search ends, and the duel begins. */
static double until(const struct search *search)
{
	const struct bench_app_tune_kernel *kernel = search->kernel;
	const bool far = kernel->ratios[best_of(kernel)] < FAR_AHEAD * kernel->ratios[kernel->current];
	const double pairs = seconds_of_pairs(search);
	const double proof = search->count ? fmin(PROOF_MOST * search->budget,
						  fmax(pairs, far ? 0 : PROOF_SHARE * search->budget))
					   : PROOF_GUESS * search->budget;
	return search->end - search->proof_part * proof;
}

/* New combinations, until it is time for the finals. */
static int explore(struct search *search, struct bench_error *error)
{
	struct bench_app_tune_kernel *kernel = search->kernel;
	const double start = bench_clock_seconds();
	while (!search->tune->interrupted) {
		struct batch batch = {.base = best_of(kernel)};
		const double end = until(search);
		const double left = end - share_of_finals(search, end - start) - bench_clock_seconds();
		const double fit = search->each_seconds > 0
					   ? floor((left - search->start_seconds) / search->each_seconds)
					   : search->first_batch;
		if (!(left > 0) || fit < 1)
			break;
		batch.count = bench_compare_tune_space_next(&kernel->space, (size_t)size_of(search, fit),
							    &search->rng, batch.combinations);
		if (batch.count == 0)
			break;
		if (measure_batch(search, &batch, search->effort, false, error) != 0)
			return -1;
		const size_t best = best_of(kernel);
		if (!search->tune->interrupted)
			bench_app_note(search->tune->host,
				       "%s: %zu of %zu measured, best %s: %.1f%% of the default's time",
				       kernel->spec->suite.name, kernel->tried,
				       kernel->tried + bench_compare_tune_space_left(&kernel->space),
				       words(search, best), 100 * kernel->ratios[best]);
	}
	return 0;
}

/* A final of `wanted`, of which the best so far is the yardstick; 1: there are no others. */
static int hold_final(struct search *search, size_t wanted, size_t openings, struct bench_error *error)
{
	const struct bench_app_tune_kernel *kernel = search->kernel;
	const double effort = (openings > 1 ? FINAL_SECONDS / 2 : FINAL_SECONDS) / (double)wanted;
	struct batch batch = {.base = best_of(kernel)};
	size_t ranked[RANKED], some = bench_compare_tune_space_best(&kernel->space, RANKED, ranked);
	for (size_t i = 0; i < some && batch.count + 1 < wanted; i++)
		if (ranked[i] != batch.base && !kernel->refuted[ranked[i]])
			batch.combinations[batch.count++] = ranked[i];
	if (batch.count == 0)
		return 1;
	for (size_t i = 0; i < openings && !search->tune->interrupted; i++) {
		if (openings > 1)
			bench_session_end_kept(&search->kept);
		if (measure_batch(search, &batch, effort, true, error) != 0)
			return -1;
	}
	return 0;
}

/* Measures the best again, longer, and then the best of these: `*winner` is what remains. */
static int decide(struct search *search, size_t *winner, struct bench_error *error)
{
	const double end = until(search);
	size_t wanted = FINALISTS;
	int result = 0;
	while (wanted > 2 && finals_of(search, wanted) > end - bench_clock_seconds())
		wanted /= 2;
	if (wanted > LAST)
		result = hold_final(search, wanted, 1, error);
	const double left = end - bench_clock_seconds();
	if (result == 0 && !search->tune->interrupted && (left > 0 || search->each_seconds == 0))
		result = hold_final(search, wanted < LAST ? wanted : LAST, openings_of(search, left), error);
	*winner = best_of(search->kernel);
	return result < 0 ? -1 : 0;
}

/* The duel of the winner with what is in force; a winner that is proven is in force from then on. */
static int prove(struct search *search, size_t winner, struct bench_error *error)
{
	struct bench_app_tune *tune = search->tune;
	struct bench_app_tune_kernel *kernel = search->kernel;
	const struct bench_kernel_spec *spec = kernel->spec;
	const double left = search->end - bench_clock_seconds(), pairs = seconds_of_pairs(search);
	struct bench_app_tune_duel duel = {
		.host = tune->host,
		.places = tune->request->places,
		.arena = &tune->arena,
		.suite = spec->suite.name,
		.sets = "",
		.target = kernel->target,
		.base = bench_app_tune_kernel_words(spec, kernel->current, false, &tune->arena),
		.head = bench_app_tune_kernel_words(spec, winner, false, &tune->arena),
		.budget = fmax(round(1e3 * left), 1) / 1e3,
		.least_pairs = pairs <= left + OVER_BUDGET * search->budget ? BENCH_APP_TUNE_PAIRS : 0,
		.what = bench_arena_format(&tune->arena, "%s %s", spec->suite.name, words(search, winner)),
		.against = words(search, kernel->current)};
	bench_session_end_kept(&search->kept);
	int result = bench_app_tune_duel_measure(&duel, error);
	tune->interrupted = duel.interrupted;
	/* What too short a duel leaves open is open. */
	if (result == 0 && duel.outcome.too_few) {
		bench_app_note(tune->host, "the same command with a longer --budget goes on with this duel");
	} else if (result == 0 && !tune->interrupted) {
		const struct bench_tune_ratio *step = &duel.outcome.all;
		const struct bench_tune_ratio total =
			isnan(step->ratio) ? *step : bench_compare_tune_chain(&kernel->gain, step);
		const struct bench_tuning_row row = row_of(search, winner, kernel->current, step, &total,
							   duel.outcome.wins, duel.measure.run->id);
		result = keep(search, &row, 1, error);
	}
	bench_app_tune_duel_free(&duel);
	return result;
}

static int tune_one(struct search *search, double budget, struct bench_error *error)
{
	struct bench_app_tune *tune = search->tune;
	struct bench_app_tune_kernel *kernel = search->kernel;
	size_t winner = kernel->current;
	search->budget = budget;
	search->end = bench_clock_seconds() + budget;
	search->proof_part = 1;
	search->first_batch =
		fmin(FIRST_BATCH, fmax((double)search->builders, floor(budget / FIRST_SECONDS)));
	search->time_limit = fmin(BENCH_APP_TUNE_TIME_LIMIT, fmax(LEAST_LIMIT, budget / 4));
	bench_rng_start(&search->rng, tune->request->seed, kernel->tried);
	if (bench_compare_tune_space_left(&kernel->space) == 0)
		bench_app_note(tune->host,
			       "%s: all combinations were measured before; --restart measures them again",
			       kernel->spec->suite.name);
	for (;;) {
		if (explore(search, error) != 0 ||
		    (!tune->interrupted && decide(search, &winner, error) != 0))
			return -1;
		if (tune->interrupted)
			return 0;
		if (kernel->ratios[winner] < BENCH_TUNE_LEAST_RATIO * kernel->ratios[kernel->current])
			return prove(search, winner, error);
		/* There is no duel yet, and its time is there to search. */
		if (bench_compare_tune_space_left(&kernel->space) == 0 ||
		    !(search->end - until(search) >
		      fmax(search->start_seconds + search->each_seconds, LEAST_ROUND)))
			break;
		search->proof_part /= 2;
	}
	bench_app_note(tune->host, "%s: %s stays: no other combination is faster by more than 1%%",
		       kernel->spec->suite.name, words(search, kernel->current));
	return 0;
}

/* One for each processor, unless there is only one. Few combinations are not worth starting them. */
static size_t builders_of(const struct bench_app_tune_kernel *kernel)
{
	cpu_set_t allowed[BENCH_PIN_SETS];
	bench_machine_pin_allowed(allowed);
	const size_t count = (size_t)CPU_COUNT_S(sizeof(allowed), allowed);
	if (count < 2 || bench_compare_tune_space_left(&kernel->space) <= FIRST_BATCH)
		return 0;
	return count < BENCH_SESSION_BUILDERS ? count : BENCH_SESSION_BUILDERS;
}

int bench_app_tune_kernel_measure(struct bench_app_tune *tune, struct bench_store *store, double budget,
				  struct bench_error *error)
{
	double waited;
	if (bench_app_turn_take(tune->request->wait_seconds, "bench tune", tune->host, &waited, error) != 0)
		return -1;
	const double each = budget > 0 ? budget / (double)tune->kernel_count : BUDGET_SECONDS;
	for (size_t i = 0; i < tune->kernel_count && !tune->interrupted; i++) {
		struct search search = {.tune = tune,
					.kernel = &tune->kernels[i],
					.store = store,
					.effort = EFFORT_SECONDS,
					.builders = builders_of(&tune->kernels[i]),
					.kept.worker.events = -1};
		const int result = tune_one(&search, each, error);
		bench_session_end_kept(&search.kept);
		if (result != 0)
			return -1;
	}
	return 0;
}
