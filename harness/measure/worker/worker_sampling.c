/* SPDX-License-Identifier: MIT */
/* Sampling in a worker: its cases become items of the sampler or, in a duel, of segments.h. */
#include <math.h>

#include "core/metric.h"
#include "machine/quiesce.h"
#include "measure/worker/internal.h"
#include "measure/worker/segments.h"
#include "measure/worker/times.h"

#define SAMPLE_SECONDS 2e-3 /* a sample's least length: long against interrupts, short against drift */
#define BRIEF_SAMPLES  12   /* in a case's part of a slice that asks for short ones */
#define VISIT_SAMPLES  3
#define SET_SECONDS    0.25 /* of a visit of variants: some pairs of products of 1024 */
#define MAX_SAMPLES    1000

int worker_enqueue(struct worker_case *active, const struct bench_suite *suite, uint64_t iterations,
		   struct bench_error *error)
{
	if (active->copies.count == 0) {
		active->ran += iterations;
		return suite->run(&active->bench_case, iterations, error);
	}
	active->ran++;
	return bench_worker_copies_run(&active->copies, &active->bench_case, iterations, error);
}

int worker_call(struct worker_case *active, const struct bench_suite *suite, uint64_t iterations,
		struct bench_error *error)
{
	const struct bench_case *bench_case = &active->bench_case;
	if (worker_enqueue(active, suite, iterations, error) != 0)
		return -1;
	return bench_case->device ? bench_case->backend->finish(bench_case->device, error) : 0;
}

/* A call whose work is counted where there are counters. */
static int call_counted(struct worker_item *item, uint64_t iterations, struct bench_error *error)
{
	const struct bench_counters *counters = &item->worker->counters;
	double before[BENCH_COUNTERS_MOST], *counted = item->active->counted;
	bench_counters_read(counters, before);
	if (worker_call(item->active, item->worker->job->suite, iterations, error) != 0)
		return -1;
	bench_counters_read(counters, counted);
	for (size_t i = 0; i < counters->count; i++)
		counted[i] = (counted[i] - before[i]) / (double)iterations;
	return 0;
}

int worker_item_run(void *context, uint64_t iterations, struct bench_error *error)
{
	struct worker_item *item = context;
	uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
	worker_enter(item->worker, item->active, BENCH_PHASE_SAMPLES);
	if (call_counted(item, iterations, error) != 0)
		return -1;
	bench_worker_slowdown_spin(&bench_clock_real, start, item->active->slowdown);
	return 0;
}

/* What is not known of a case's device time, once. */
static void tell_within(struct worker_item *item, double seconds)
{
	static const char name[] = "device_time_within";
	const struct bench_metric_spec *spec = bench_metric_known(name);
	if (item->active->told_within)
		return;
	item->active->told_within = true;
	worker_sample(item->worker, item->active,
		      &(struct bench_event_sample){.metric = name,
						   .value = seconds,
						   .iterations = 1,
						   .at = worker_at(item->worker),
						   .unit = spec->unit,
						   .better = bench_record_better_name(spec->better)});
}

static int item_run_device(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	struct worker_item *item = context;
	const struct bench_case *bench_case = &item->active->bench_case;
	uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
	*seconds = NAN; /* as long as the backend does not say */
	worker_enter(item->worker, item->active, BENCH_PHASE_SAMPLES);
	uint64_t launches = worker_device_stats(item->active).launches;
	if (bench_case->backend->time_begin(bench_case->device, error) != 0)
		return -1;
	int result = call_counted(item, iterations, error);
	/* Also after a failure: the device must leave its timing mode. */
	if (bench_case->backend->time_end(bench_case->device, seconds, result == 0 ? error : NULL) != 0)
		result = -1;
	/* Where the stamps' own cost is known: the kernels took between all of the time and that much less.
	 */
	if (result == 0 && item->active->stamp > 0) {
		launches = worker_device_stats(item->active).launches - launches;
		*seconds -= (double)launches * item->active->stamp / 2;
		tell_within(item, (double)launches * item->active->stamp / 2 / (double)iterations);
	}
	if (result == 0)
		bench_worker_slowdown_spin(&bench_clock_real, start, item->active->slowdown);
	return result;
}

/* Nobody waits for the device before row_end does. */
static int item_run_row(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	struct worker_item *item = context;
	struct worker_case *active = item->active;
	const struct bench_case *bench_case = &active->bench_case;
	struct bench_device_row row = {.seconds = NAN};
	struct bench_error refused;
	*seconds = NAN;
	worker_enter(item->worker, active, BENCH_PHASE_SAMPLES);
	if (bench_case->backend->row_begin(bench_case->device, &refused) != 0) {
		bool cannot = refused.code == BENCH_UNSUPPORTED;
		if (!cannot)
			*error = refused;
		return cannot ? 0 : -1;
	}
	int result = worker_enqueue(active, item->worker->job->suite, iterations, error);
	if (bench_case->backend->row_end(bench_case->device, &row, result == 0 ? error : NULL) != 0)
		result = -1;
	*seconds = row.seconds;
	active->stamp = row.stamp;
	if (result == 0 && !isnan(row.seconds))
		tell_within(item, row.within / (double)iterations);
	return result;
}

static int item_observe(void *context, struct bench_error *error)
{
	struct worker_item *item = context;
	return item->worker->job->suite->observe(&item->active->bench_case, item->active->ran, error);
}

static int item_before(void *context, struct bench_error *error)
{
	struct worker_item *item = context;
	worker_enter(item->worker, item->active, BENCH_PHASE_PREPARE);
	return item->active->bench_case.before_call(&item->active->bench_case, error);
}

static int item_spoil(void *context, struct bench_error *error)
{
	struct worker_item *item = context;
	return worker_prepare(item->worker, item->active, error);
}

/* What was counted in the sample that was just taken. */
static void take_counts(struct worker *worker, const struct worker_case *active, uint64_t iterations)
{
	static const struct {
		const char *name;
		enum bench_better better;
	} metrics[BENCH_COUNTERS_CPU] = {[BENCH_COUNTER_INSTRUCTIONS] = {"instructions", BENCH_BETTER_LOWER},
					 [BENCH_COUNTER_CYCLES] = {"cycles", BENCH_BETTER_NONE},
					 [BENCH_COUNTER_CACHE_MISSES] = {"cache_misses", BENCH_BETTER_NONE}};
	for (size_t i = 0; i < worker->counters.count; i++)
		if (isfinite(active->counted[i]))
			worker_sample(worker, active,
				      &(struct bench_event_sample){
					      .metric = metrics[i].name,
					      .value = active->counted[i],
					      .iterations = iterations,
					      .at = worker_at(worker),
					      .unit = "count",
					      .better = bench_record_better_name(metrics[i].better)});
}

static int take_sample(void *context, size_t item, enum bench_sample_kind kind, double value,
		       uint64_t iterations)
{
	struct worker *worker = context;
	struct worker_case *active = &worker->active[worker->sampled[item]];
	const struct bench_event_sample sample = {.metric = bench_record_sample_name(kind),
						  .value = value,
						  .iterations = iterations,
						  .at = worker_at(worker)};
	active->flags.taken[kind]++;
	if (kind == BENCH_SAMPLE_RELATIVE) {
		BENCH_PUSH(&worker->arena, active->relatives, active->relative_count) = sample;
		return 0;
	}
	worker_sample(worker, active, &sample);
	if (kind == BENCH_SAMPLE_DEVICE_TIME && !(active->fastest > 0 && active->fastest < value))
		active->fastest = value;
	if (kind == BENCH_SAMPLE_TIME)
		take_counts(worker, active, iterations);
	return worker->write_error.text[0] ? -1 : 0;
}

/* Flags the case's samples since the last judgment, if they were disturbed: those already written by an
 * event, those kept back (relative times) directly. */
static void flag_samples(struct worker *worker, struct worker_case *active, enum bench_visits visits)
{
	bool disturbed = visits != BENCH_VISITS_FINE;
	size_t first = active->flags.judged[BENCH_SAMPLE_RELATIVE];
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_DISTURBED);
	event.disturbed.reason = worker->watch.reason;
	for (size_t i = first; disturbed && i < active->relative_count; i++)
		active->relatives[i].disturbed = true;
	if (bench_worker_flags_judge(&active->flags, visits, &event.disturbed))
		worker_write(worker, &event);
}

static enum bench_visits visited(void *context, bool last)
{
	struct worker *worker = context;
	for (size_t i = 0; i < worker->job->case_count; i++)
		bench_worker_flags_visited(&worker->active[i].flags);
	enum bench_visits visits = bench_worker_watch_visited(&worker->watch, last);
	for (size_t i = 0; visits != BENCH_VISITS_OPEN && i < worker->job->case_count; i++)
		flag_samples(worker, &worker->active[i], visits);
	return visits;
}

static void quiesce(void *context)
{
	(void)context;
	bench_machine_quiesce();
}

static int flush_caches(void *context, size_t item, struct bench_error *error)
{
	struct worker *worker = context;
	const struct worker_case *active = &worker->active[worker->sampled[item]];
	worker_enter(worker, active, BENCH_PHASE_FLUSH);
	return bench_worker_flush_run(worker->flush, &active->bench_case, error);
}

/* The live cases as items; those that share a device share a pool. */
static size_t make_items(struct worker *worker, struct worker_item *contexts,
			 struct bench_sampler_item *items)
{
	const struct bench_job *job = worker->job;
	size_t count = 0;
	size_t *item_of = bench_arena_alloc(&worker->arena, job->case_count, sizeof(*item_of));
	for (size_t i = 0; i < job->case_count; i++) {
		struct worker_case *active = &worker->active[i];
		if (!active->live)
			continue;
		contexts[count] = (struct worker_item){worker, active};
		const struct bench_case *bench_case = &active->bench_case;
		bool device_time = bench_case->device && bench_case->info->device_time &&
				   bench_case->backend->time_begin && !bench_case->no_device_time;
		items[count] = (struct bench_sampler_item){
			.run = worker_item_run,
			.run_device = device_time ? item_run_device : NULL,
			.run_row = device_time && bench_case->backend->row_begin &&
						   bench_case->info->kind == BENCH_DEVICE_GPU
					   ? item_run_row
					   : NULL,
			.observe = job->suite->observe ? item_observe : NULL,
			.spoil = job->suite->prepare ? item_spoil : NULL,
			.before = bench_case->before_call ? item_before : NULL,
			.observer = job->observed ? &worker_observer : NULL,
			.fresh = bench_case->fresh,
			.context = &contexts[count],
			.fixed = active->fixed,
			.ready = 1 + active->copies.count,
			.pool = (int)i};
		for (size_t j = 0; bench_case->device && j < count; j++)
			if (contexts[j].active->bench_case.device == bench_case->device)
				items[count].pool = items[j].pool;
		/* No device time of fixed items: it would take additional calls. */
		if (active->fixed)
			items[count].run_device = NULL;
		item_of[i] = count;
		worker->indices[count] = job->cases[i].index;
		worker->sampled[count++] = i;
	}
	for (size_t i = 0; i < count; i++) {
		size_t reference = job->cases[worker->sampled[i]].reference;
		if (reference != BENCH_NO_REFERENCE && worker->active[reference].live)
			items[i].reference = &items[item_of[reference]];
	}
	return count;
}

/* Nobody knew how long the preparation takes when the slice was cut from the budget. */
static double slice_of(const struct bench_job *job)
{
	double left = job->until_seconds - bench_clock_seconds();
	return job->until_seconds > 0 ? fmax(0, fmin(job->slice_seconds, left)) : job->slice_seconds;
}

size_t worker_sample_all(struct worker *worker, struct bench_sampler_item *items)
{
	const struct bench_job *job = worker->job;
	struct worker_item *contexts = bench_arena_alloc(&worker->arena, job->case_count, sizeof(*contexts));
	size_t count = make_items(worker, contexts, items);
	if (job->paired) {
		bench_worker_segments_serve(BENCH_WORKER_CHANNEL, items, worker->indices, count,
					    bench_machine_quiesce);
		return count;
	}
	if (!count)
		return 0;
	const struct worker_window_places places = {.library = BENCH_NVML_LIBRARY};
	double slice = slice_of(job), until = bench_clock_seconds() + slice;
	double reserve = worker_window_reserve(worker, items, count, slice, &places);
	double sample = job->brief ? slice / (double)count / BRIEF_SAMPLES : SAMPLE_SECONDS;
	struct bench_sampler_options options = {.clock = &bench_clock_real,
						.witness = bench_worker_times_witness,
						.precision = job->precision,
						.slice_seconds = slice - reserve,
						.sample_seconds = fmin(SAMPLE_SECONDS, sample),
						.visit_samples = VISIT_SAMPLES,
						.set_seconds = SET_SECONDS,
						.uneven = job->brief,
						.max_samples = MAX_SAMPLES,
						.least_samples = job->least_samples,
						.seed = job->seed ^ ((uint64_t)job->invocation << 32) ^
							job->cases[0].index,
						.in_order = job->in_order,
						.quiesce = quiesce,
						.flush = worker->flush ? flush_caches : NULL,
						.sample = take_sample,
						.context = worker};
	bench_clock_calibrate(&bench_clock_real, &options.quality);
	if (!job->unwatched) {
		options.visited = visited;
		options.least_seconds = BENCH_WATCH_LEAST_SECONDS;
	}
	bench_worker_watch_open(&worker->watch);
	if (bench_worker_sampler_run(items, count, &options) != 0 && !worker->write_error.text[0])
		bench_fail(&worker->write_error, BENCH_NO_MEMORY, "no memory for the samples");
	worker_window_all(worker, items, count, until, &places);
	return count;
}
