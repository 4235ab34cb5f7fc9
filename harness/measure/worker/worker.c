/* SPDX-License-Identifier: MIT */
#include "measure/worker/worker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/pin.h"
#include "machine/quiesce.h"
#include "measure/worker/internal.h"
#include "measure/worker/segments.h"
#include "measure/worker/times.h"
#include "measure/worker/validator.h"
#include "suites/kernel/tune.h"

int worker_prepare(struct worker *worker, struct worker_case *active, struct bench_error *error)
{
	const struct bench_suite *suite = worker->job->suite;
	worker_enter(worker, active, BENCH_PHASE_PREPARE);
	active->ran = 0;
	return suite->prepare ? suite->prepare(&active->bench_case, error) : 0;
}

/* A number that is not finite or below 0 compares with nothing. */
static bool are_numbers(const struct bench_check *found)
{
	return isfinite(found->error) && found->error >= 0 && isfinite(found->tolerance) &&
	       found->tolerance >= 0;
}

/* What was found, as an event can hold it; an error that is NaN never passes. */
static struct bench_check presentable(const struct bench_check *found)
{
	struct bench_check check = *found;
	check.method[sizeof(check.method) - 1] = '\0';
	if (!are_numbers(found))
		check.error = NAN;
	if (!(isfinite(check.tolerance) && check.tolerance >= 0))
		check.tolerance = 0;
	return check;
}

/* Runs the suite's check of the case, or of a copy of it, and reports it. 0: passed. Else the case has ended.
 */
static int check_one(struct worker *worker, struct worker_case *active, struct bench_case *one, uint64_t ran)
{
	const struct bench_suite *suite = worker->job->suite;
	struct bench_check found = {.error = NAN};
	struct bench_error error;
	if (suite->check(one, ran, &found, &error) != 0) {
		worker_end_with_error(worker, active, &error);
		return -1;
	}
	/* What the kernel must not do, even if its result is right. */
	if (bench_worker_validator_found(&worker->validated, error.text, sizeof(error.text))) {
		worker_end(worker, active, BENCH_STATUS_FAILED, error.text, BENCH_STOP_NONE);
		return -1;
	}
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_CHECK);
	event.check = presentable(&found);
	worker_write(worker, &event);
	if (are_numbers(&found) && found.error <= found.tolerance)
		return 0;
	bench_fail(&error, BENCH_FAILED, "error %.3g, tolerance %.3g (%s)", found.error, found.tolerance,
		   event.check.method);
	worker_end(worker, active, BENCH_STATUS_INCORRECT, error.text, BENCH_STOP_NONE);
	return -1;
}

static int check(struct worker *worker, struct worker_case *active, enum bench_phase phase)
{
	struct bench_copies *copies = &active->copies;
	worker_enter(worker, active, phase);
	if (check_one(worker, active, &active->bench_case, active->ran) != 0)
		return -1;
	/* Of the copies one stands for all. */
	return copies->first_ran ? check_one(worker, active, copies->cases, copies->first_ran) : 0;
}

struct bench_device_stats worker_device_stats(const struct worker_case *active)
{
	struct bench_device_stats stats = {0};
	const struct bench_case *bench_case = &active->bench_case;
	if (bench_case->device && bench_case->backend->device_stats)
		bench_case->backend->device_stats(bench_case->device, &stats);
	return stats;
}

/* Makes and times the first call, which includes whatever is compiled or loaded on demand. */
static int first_call(struct worker *worker, struct worker_case *active, struct bench_error *error)
{
	struct bench_device_stats before = worker_device_stats(active);
	const struct bench_clock *clock = &bench_clock_real;
	double seconds;
	if (active->bench_case.before_call && active->bench_case.before_call(&active->bench_case, error) != 0)
		return -1;
	bench_machine_quiesce();
	worker_enter(worker, active, BENCH_PHASE_FIRST_CALL);
	double witnessed = bench_worker_times_witness();
	uint64_t start = clock->now_ns(clock->context);
	if (worker_call(active, worker->job->suite, 1, error) != 0)
		return -1;
	uint64_t end = clock->now_ns(clock->context);
	if (bench_worker_times_between(start, end, bench_worker_times_witness() - witnessed, &seconds,
				       error) != 0)
		return -1;
	struct bench_device_stats after = worker_device_stats(active);
	bool compiled = after.compiled > before.compiled, cached = after.cached > before.cached;
	const char *metric = bench_record_sample_name(compiled ? BENCH_SAMPLE_FIRST_CALL_COMPILE
							       : BENCH_SAMPLE_FIRST_CALL);
	worker_sample(worker, active,
		      &(struct bench_event_sample){
			      .metric = metric, .value = seconds, .iterations = 1, .at = worker_at(worker)});
	active->first_seconds = seconds;
	active->builds += after.compiled - before.compiled;
	active->first_call = compiled || cached ? 0 : seconds;
	const bool found = worker->devices->reused && after.launches > before.launches;
	if (compiled || cached || found)
		worker_note(worker, active, "program",
			    compiled ? "compiled"
			    : cached ? "cached"
				     : "in memory");
	return 0;
}

/* Records a slowdown with the case itself, whoever started this worker. */
static void note_slowdown(struct worker *worker, struct worker_case *active)
{
	const struct bench_job *job = worker->job;
	const struct bench_job_case *own = active->job_case;
	char value[32];
	if (!(job->slowdown.fraction > 0))
		return;
	active->slowdown = bench_worker_slowdown_of(
		&job->slowdown,
		bench_plan_case_key(&worker->arena, job->suite, own->backend ? own->backend->name : "host",
				    own->slug, own->values, own->value_count,
				    job->names_threads ? job->threads : 0));
	if (!(active->slowdown > 0))
		return;
	snprintf(value, sizeof(value), "%.6g%%", 100 * active->slowdown);
	worker_note(worker, active, "slowdown", value);
}

/* Sets the case up, until it can be called. */
static void set_up(struct worker *worker, struct worker_case *active)
{
	const struct bench_suite *suite = worker->job->suite;
	struct bench_error error;
	worker_enter(worker, active, BENCH_PHASE_SET_UP);
	worker_begin(worker, active);
	note_slowdown(worker, active);
	active->live = true;
	if (suite->work(&active->bench_case, &active->work, &error) != 0) {
		worker_end_with_error(worker, active, &error);
		return;
	}
	active->fixed = (size_t)active->work.samples;
	unsigned compiled = worker_device_stats(active).compiled;
	if (suite->setup(&active->bench_case, &error) != 0 || worker_prepare(worker, active, &error) != 0)
		worker_end_with_error(worker, active, &error);
	active->builds = worker_device_stats(active).compiled - compiled;
}

static void call_first(struct worker *worker, struct worker_case *active)
{
	struct bench_error error;
	if (active->live && first_call(worker, active, &error) != 0)
		worker_end_with_error(worker, active, &error);
}

/*
 * Checks the case and makes it ready to be timed. It is the first call that is checked: another one might
 * cost seconds more.
 */
static void check_first(struct worker *worker, struct worker_case *active)
{
	struct bench_error error;
	if (active->live && check(worker, active, BENCH_PHASE_CHECK) == 0 &&
	    worker_prepare(worker, active, &error) != 0)
		worker_end_with_error(worker, active, &error);
}

/* Writes the relative times that were kept back, each with its disturbance flag. */
static void write_relatives(struct worker *worker, const struct worker_case *active)
{
	for (size_t i = 0; i < active->relative_count; i++)
		worker_sample(worker, active, &active->relatives[i]);
}

bool worker_is_on_gpu(const struct worker_case *active)
{
	const struct bench_case *bench_case = &active->bench_case;
	return bench_case->device && bench_case->info && bench_case->info->kind == BENCH_DEVICE_GPU;
}

/* With cold caches a short case on a GPU gets copies, unless its iterations must follow each other. */
static void make_copies(struct worker *worker, struct worker_case *active)
{
	const struct bench_case *bench_case = &active->bench_case;
	const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct bench_error error;
	if (!worker_is_on_gpu(active) || active->fixed || bench_case->before_call || bench_case->fresh)
		return;
	worker_enter(worker, active, BENCH_PHASE_PREPARE);
	double seconds = 0;
	/* A short one several times: one call is mostly the wait for its end. */
	for (uint64_t runs = 1; runs <= 16 && seconds < 10e-3; runs += 15) {
		double start = bench_clock_seconds();
		if (worker_call(active, worker->job->suite, runs, &error) != 0) {
			worker_end_with_error(worker, active, &error);
			return;
		}
		seconds = (bench_clock_seconds() - start) / (double)runs;
	}
	bench_worker_copies_make(
		&active->copies, bench_case,
		bench_worker_copies_wanted(&active->work, bench_case->info->memory_bytes, memory, seconds));
}

/* Prepares flushing the caches before samples. A case whose caches cannot be flushed ends. */
static void open_flush(struct worker *worker)
{
	struct bench_error error;
	int made = bench_worker_flush_new(&worker->flush, &error);
	for (size_t i = 0; i < worker->job->case_count; i++) {
		struct worker_case *active = &worker->active[i];
		worker_enter(worker, active, BENCH_PHASE_FLUSH);
		if (active->live &&
		    (made != 0 || bench_worker_flush_add(worker->flush, &active->bench_case, &error) != 0))
			worker_end_with_error(worker, active, &error);
		if (active->live)
			make_copies(worker, active);
	}
}

/* A suite's own metrics on their way into events. */
struct reporting {
	struct worker *worker;
	const struct worker_case *active;
	struct bench_error error; /* of the first invalid value; text empty: all are valid */
};

static bool is_declared(const struct bench_suite *suite, const struct bench_metric_spec *metric)
{
	for (const struct bench_metric_spec *spec = suite->metrics; spec->name; spec++)
		if (spec == metric)
			return true;
	return false;
}

static void take_value(void *context, const struct bench_metric_spec *metric, double value)
{
	struct reporting *reporting = context;
	struct worker *worker = reporting->worker;
	const struct bench_suite *suite = worker->job->suite;
	if (reporting->error.text[0])
		return;
	if (!is_declared(suite, metric)) {
		bench_fail(&reporting->error, BENCH_FAILED,
			   "suite %s reports a metric that is not of its table", suite->name);
		return;
	}
	if (!isfinite(value)) {
		bench_fail(&reporting->error, BENCH_FAILED, "metric %s is %g, which is no number to publish",
			   metric->name, value);
		return;
	}
	/* What is reported as a time was spent while this process ran, on each processor at most. */
	if (strcmp(metric->unit, "s") == 0 &&
	    (value < 0 || value > worker_at(worker) * (double)sysconf(_SC_NPROCESSORS_ONLN))) {
		bench_fail(
			&reporting->error, BENCH_FAILED,
			"metric %s is %g s in a process that has run for %.3g s, which is no time to publish",
			metric->name, value, worker_at(worker));
		return;
	}
	worker_sample(worker, reporting->active,
		      &(struct bench_event_sample){.metric = metric->name,
						   .value = value,
						   .iterations = 1,
						   .at = worker_at(worker),
						   .unit = metric->unit,
						   .better = bench_record_better_name(metric->better)});
}

static void take_note(void *context, const char *name, const char *text)
{
	const struct reporting *reporting = context;
	worker_note(reporting->worker, reporting->active, name, text);
}

/* Writes the relative times and the suite's own metrics of a case whose checks have all passed. -1: the case
 * has ended. */
static int report(struct worker *worker, struct worker_case *active)
{
	const struct bench_suite *suite = worker->job->suite;
	struct reporting reporting = {.worker = worker, .active = active};
	const struct bench_report to = {&reporting, take_value, take_note};
	struct bench_error error;
	size_t reference = active->job_case->reference;
	worker_enter(worker, active, BENCH_PHASE_REPORT);
	if (reference != BENCH_NO_REFERENCE && worker->active[reference].live)
		write_relatives(worker, active);
	if (!suite->report)
		return 0;
	int result = suite->report(&active->bench_case, &to, &error);
	if (result == 0 && !reporting.error.text[0])
		return 0;
	worker_end_with_error(worker, active, result != 0 ? &error : &reporting.error);
	return -1;
}

static void write_watched(struct worker *worker, const struct worker_case *active)
{
	struct bench_event event = worker_event(worker, active, BENCH_EVENT_WATCHED);
	bench_worker_flags_summarize(&active->flags, &worker->watch, &event.watched);
	worker_write(worker, &event);
}

/* Tells a duel's driver that the last checks are made; it may drop cases that the other worker failed. */
static void leave_duel(struct worker *worker, struct bench_sampler_item *items, size_t count)
{
	bench_worker_segments_leave(BENCH_WORKER_CHANNEL, items, worker->indices, count);
	for (size_t i = 0; i < count; i++) {
		struct worker_case *active = &worker->active[worker->sampled[i]];
		if (active->live && items[i].failed)
			worker_end_with_error(worker, active, &items[i].error);
	}
}

/* The device times that were left out as they cannot be. */
static void note_refused(struct worker *worker, const struct worker_case *active,
			 const struct bench_sampler_item *item)
{
	char text[160];
	if (!item->refused_count)
		return;
	snprintf(text, sizeof(text),
		 "%zu of %zu left out in invocation %u: the device says %.3g s of a call that took %.3g s",
		 item->refused_count, item->device_samples, worker->job->invocation, item->refused_seconds,
		 item->refused_within);
	worker_note(worker, active, bench_record_sample_name(BENCH_SAMPLE_DEVICE_TIME), text);
}

/* A first call that takes hundreds of times what later ones do may have done their work. */
static void note_first_call(struct worker *worker, const struct worker_case *active,
			    const struct bench_sampler_item *item)
{
	static const double times = 300, least_seconds = 1e-4;
	char text[160];
	if (item->fixed || !(active->first_call > least_seconds) ||
	    !(active->first_call > times * item->estimate))
		return;
	snprintf(text, sizeof(text),
		 "it took %.3g s, %.0f times as long as later ones, and nothing was compiled: does it keep "
		 "results for them?",
		 active->first_call, active->first_call / item->estimate);
	worker_note(worker, active, bench_record_sample_name(BENCH_SAMPLE_FIRST_CALL), text);
}

/* How cold a GPU's caches were: what comes from its memory cannot be faster than that. */
static void note_cold(struct worker *worker, const struct worker_case *active)
{
	double most, rate = active->fastest > 0 ? active->work.bytes / active->fastest : 0;
	struct bench_error unread;
	char text[160], rates[80] = "";
	if (!worker->flush || !worker_is_on_gpu(active))
		return;
	if (rate > 0 && worker->watch.gpu >= 0 &&
	    bench_machine_nvml_bandwidth((unsigned)worker->watch.gpu, &most, &unread) == 0) {
		snprintf(rates, sizeof(rates), ", %.4g of the memory's %.4g GB/s", rate * 1e-9, most * 1e-9);
		if (rate > most)
			worker_note(worker, active, "cache",
				    "not cold: it was faster than the device's memory is");
	}
	snprintf(text, sizeof(text), "%zu launch%s behind each flush%s", 1 + active->copies.count,
		 active->copies.count ? "es, each on its own data," : "", rates);
	worker_note(worker, active, "cold", text);
}

static void tear_down(const struct worker *worker, struct worker_case *active)
{
	bench_worker_copies_free(&active->copies);
	worker->job->suite->teardown(&active->bench_case);
	active->torn_down = true;
}

/* A case that went well is torn down before it ends as ok: a crash in there is still its own. */
static void end_well(struct worker *worker, struct worker_case *active, const struct bench_sampler_item *item)
{
	note_refused(worker, active, item);
	note_first_call(worker, active, item);
	if (worker->uncounted[0])
		worker_note(worker, active, "counters", worker->uncounted);
	note_cold(worker, active);
	worker_enter(worker, active, BENCH_PHASE_TEARDOWN);
	tear_down(worker, active);
	worker_end(worker, active, BENCH_STATUS_OK, "", item->stopped);
}

/* All last checks before the first report: a variant's relative time holds if its reference is right. */
static void end_sampled(struct worker *worker, struct bench_sampler_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct worker_case *active = &worker->active[worker->sampled[i]];
		if (!worker->job->unwatched)
			write_watched(worker, active);
		if (items[i].failed)
			worker_end_with_error(worker, active, &items[i].error);
		else if (active->ran || !worker->job->paired) /* in a duel, the other may lack it */
			check(worker, active, BENCH_PHASE_LAST_CHECK);
	}
	if (worker->job->paired)
		leave_duel(worker, items, count);
	/* References end last: a variant's relative times are written while its reference is still live. */
	for (int references = 0; references < 2; references++) {
		for (size_t i = 0; i < count; i++) {
			struct worker_case *active = &worker->active[worker->sampled[i]];
			if (active->live && (items[i].reference == NULL) == (references == 1) &&
			    report(worker, active) == 0)
				end_well(worker, active, &items[i]);
		}
	}
}

static void open_case(struct worker *worker, struct worker_case *active)
{
	struct bench_error error;
	worker_enter(worker, active, BENCH_PHASE_OPEN);
	if (active->job_case->backend && worker_devices_open(worker, active, &error) != 0) {
		worker_begin(worker, active);
		worker_end_with_error(worker, active, &error);
		return;
	}
	set_up(worker, active);
}

/* Sets the cases up, makes their first calls and checks them, each step for all of them before the next. */
static void begin(struct worker *worker)
{
	const struct bench_job *job = worker->job;
	const char *greeting = job->observed ? BENCH_SEGMENTS_OBSERVES : BENCH_SEGMENTS_GREETING;
	bool begun = !job->paired || bench_worker_segments_step(BENCH_WORKER_CHANNEL, greeting, "set up");
	for (size_t i = 0; begun && i < job->case_count; i++)
		open_case(worker, &worker->active[i]);
	begun = begun && (!job->paired || bench_worker_segments_step(BENCH_WORKER_CHANNEL, "set up", "call"));
	for (size_t i = 0; begun && i < job->case_count; i++)
		call_first(worker, &worker->active[i]);
	begun = begun &&
		(!job->paired || bench_worker_segments_step(BENCH_WORKER_CHANNEL, "called", "check"));
	for (size_t i = 0; begun && i < job->case_count; i++)
		if (job->builds)
			worker->active[i].live = false; /* it is done */
		else
			check_first(worker, &worker->active[i]);
	if (job->cold)
		open_flush(worker);
}

/* All events are written: what fails from here on is no case's. */
static void leave(struct worker *worker)
{
	const struct bench_job *job = worker->job;
	worker_enter(worker, NULL, BENCH_PHASE_LEAVING);
	bench_worker_flush_free(worker->flush);
	bench_counters_close(&worker->counters);
	if (job->observed)
		bench_machine_observe_close(&worker->observe);
	for (size_t i = 0; i < job->case_count; i++)
		if (!worker->active[i].torn_down)
			tear_down(worker, &worker->active[i]);
	const bool kept = job->stays && worker_devices_clear(worker->devices);
	worker->devices->reused = kept;
	if (kept)
		worker->watch.gpu = -1; /* NVML stays open, so that the next watch does not wait for it */
	else
		bench_worker_devices_close(worker->devices);
	bench_worker_watch_end(&worker->watch);
}

static void start_watch(struct worker *worker)
{
	const struct bench_job *job = worker->job;
	bool gpu_only = true;
	for (size_t i = 0; i < job->case_count; i++)
		gpu_only &= worker_devices_info(worker, &job->cases[i])->kind == BENCH_DEVICE_GPU;
	bench_worker_watch_start(&worker->watch, job->canary_fastest, BENCH_NVML_LIBRARY,
				 worker_devices_gpu(worker), gpu_only);
	for (size_t i = 0; i < job->case_count; i++) {
		const struct bench_device_info *info = worker_devices_info(worker, &job->cases[i]);
		if (info->kind == BENCH_DEVICE_GPU && *info->pci)
			bench_worker_watch_drm(&worker->watch, NULL, info->pci);
	}
}

/* Before there are threads, which inherit the counters. A suite that counts for itself counts better. */
static void open_counters(struct worker *worker)
{
	struct bench_error error;
	const struct bench_metric_spec *metric = worker->job->suite->metrics;
	while (metric && metric->name && strcmp(metric->name, "instructions") != 0)
		metric++;
	if (!worker->job->counters || (metric && metric->name) ||
	    bench_counters_open(&worker->counters, BENCH_COUNTED_OWN, bench_counters_cpu, BENCH_COUNTERS_CPU,
				&error) == 0)
		return;
	snprintf(worker->uncounted, sizeof(worker->uncounted), "unsupported: %s", error.text);
}

int bench_worker_run(const struct bench_job *job, struct bench_worker_devices *devices,
		     const struct bench_pin *pin, int events, struct bench_heartbeat *heartbeat,
		     struct bench_error *error)
{
	struct worker worker = {.job = job,
				.devices = devices,
				.events = events,
				.heartbeat = heartbeat,
				.start = bench_clock_seconds()};
	struct worker_case *active = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*active));
	worker.active = active;
	bench_kernel_tune_use(job->tuned, job->tuned_count);
	open_counters(&worker);
	if (job->observed)
		bench_machine_observe_open(&worker.observe);
	worker.sampled = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*worker.sampled));
	worker.indices = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*worker.indices));
	for (size_t i = 0; i < job->case_count; i++) {
		active[i].job_case = &job->cases[i];
		active[i].bench_case.values = job->cases[i].values;
		active[i].bench_case.seed = job->seed;
		active[i].bench_case.suite = job->suite;
		worker_enter(&worker, &active[i], BENCH_PHASE_OPEN);
		worker_devices_info(&worker, &job->cases[i]); /* a driver that crashes does so in this case */
	}
	start_watch(&worker);
	begin(&worker);
	bench_machine_pin_hold(pin); /* the libraries have made all their threads */
	struct bench_sampler_item *items = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*items));
	size_t sampled = worker_sample_all(&worker, items);
	/* Nothing more is timed, and the other worker of a duel checks at the same time. */
	struct bench_pin released;
	bench_machine_pin_release(&released);
	end_sampled(&worker, items, sampled);
	leave(&worker);
	bench_arena_free(&worker.arena);
	if (worker.write_error.text[0]) {
		if (error)
			*error = worker.write_error;
		return -1;
	}
	return 0;
}
