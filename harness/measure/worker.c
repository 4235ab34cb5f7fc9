#include "measure/worker.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/json.h"
#include "measure/idle.h"
#include "measure/sampler.h"
#include "measure/validator.h"
#include "record/record.h"

#define SAMPLE_SECONDS 2e-3 /* a sample's least length: long against interrupts, short against drift */
#define VISIT_SAMPLES  3
#define MAX_SAMPLES    1000

struct active {
	const struct bench_job_case *job_case;
	struct bench_case bench_case;
	uint64_t ran; /* iterations since prepare() */
	bool live;    /* set up, and nothing has gone wrong */
	bool ended;   /* its end event is written */
};

struct worker {
	const struct bench_job *job;
	int events;
	struct bench_pulse *pulse;
	double start;
	struct bench_error write_error; /* text empty: all events are written */
	struct bench_arena arena;
	struct active *active; /* one a case of the job */
	size_t *sampled;       /* the case behind each sampler item */
	size_t validated;      /* of the validator's log, bytes that have been looked at */
};

/* Tells the watching process which case is at work, and that it is alive. */
static void beat(struct worker *worker, const struct active *active)
{
	atomic_store_explicit(&worker->pulse->current, (long)active->job_case->index, memory_order_relaxed);
	atomic_fetch_add_explicit(&worker->pulse->beats, 1, memory_order_relaxed);
}

static double seconds_now(void)
{
	return (double)bench_clock_real.now_ns(bench_clock_real.context) * 1e-9;
}

/*
 * One line, one write: with O_APPEND nothing of another process comes between, and a kill
 * leaves the file with whole lines.
 */
static void write_event(struct worker *worker, cJSON *event)
{
	char *line = cJSON_PrintUnformatted(event);
	cJSON_Delete(event);
	if (!line || worker->write_error.text[0]) {
		free(line);
		return;
	}
	size_t length = strlen(line);
	line[length++] = '\n'; /* over the NUL: the length is known */
	ssize_t written;
	do
		written = write(worker->events, line, length);
	while (written < 0 && errno == EINTR);
	if (written != (ssize_t)length)
		bench_fail(&worker->write_error, BENCH_ENVIRONMENT, "cannot write samples.jsonl: %s",
			   written < 0 ? strerror(errno) : "the disk is full");
	free(line);
}

static cJSON *new_event(const char *name, struct worker *worker, const struct active *active)
{
	beat(worker, active);
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", name);
	bench_json_add_number(event, "case", (double)active->job_case->index);
	bench_json_add_number(event, "invocation", worker->job->invocation);
	return event;
}

static void sample_event(struct worker *worker, const struct active *active, const char *metric,
			 double seconds, uint64_t iterations)
{
	cJSON *event = new_event("sample", worker, active);
	cJSON_AddStringToObject(event, "metric", metric);
	bench_json_add_number(event, "value", seconds);
	bench_json_add_number(event, "iterations", (double)iterations);
	bench_json_add_number(event, "at", seconds_now() - worker->start);
	write_event(worker, event);
}

static void end_event(struct worker *worker, struct active *active, enum bench_status status,
		      const char *reason, enum bench_stop stopped)
{
	static const char *const stops[] = {"", "precision", "budget"};
	cJSON *event = new_event("end", worker, active);
	cJSON_AddStringToObject(event, "status", bench_status_name(status));
	cJSON_AddStringToObject(event, "reason", reason);
	cJSON_AddStringToObject(event, "stopped", stops[stopped]);
	write_event(worker, event);
	active->live = false;
	active->ended = true;
}

static void end_with_error(struct worker *worker, struct active *active, const struct bench_error *error)
{
	end_event(worker, active,
		  error->code == BENCH_UNSUPPORTED ? BENCH_STATUS_UNSUPPORTED : BENCH_STATUS_FAILED,
		  error->text, BENCH_STOP_NONE);
}

static int run_and_finish(struct active *active, const struct bench_suite *suite, uint64_t iterations,
			  struct bench_error *error)
{
	struct bench_case *bench_case = &active->bench_case;
	active->ran += iterations;
	if (suite->run(bench_case, iterations, error) != 0)
		return -1;
	return bench_case->device ? bench_case->backend->finish(bench_case->device, error) : 0;
}

static int prepare(struct active *active, const struct bench_suite *suite, struct bench_error *error)
{
	active->ran = 0;
	return suite->prepare ? suite->prepare(&active->bench_case, error) : 0;
}

/* Runs the suite's check and reports it. 0: passed. Else the case has ended. */
static int check(struct worker *worker, struct active *active)
{
	const struct bench_suite *suite = worker->job->suite;
	struct bench_check found = {.error = NAN};
	struct bench_error error;
	beat(worker, active);
	if (suite->check(&active->bench_case, active->ran, &found, &error) != 0) {
		end_with_error(worker, active, &error);
		return -1;
	}
	/* What the kernel must not do, even where its result is right. */
	if (bench_validator_found(&worker->validated, error.text, sizeof(error.text))) {
		end_event(worker, active, BENCH_STATUS_FAILED, error.text, BENCH_STOP_NONE);
		return -1;
	}
	cJSON *event = new_event("check", worker, active);
	bench_json_add_number(event, "error", found.error);
	bench_json_add_number(event, "tolerance", found.tolerance);
	cJSON_AddStringToObject(event, "method", found.method);
	write_event(worker, event);
	if (found.error <= found.tolerance)
		return 0;
	bench_fail(&error, BENCH_FAILED, "error %.3g, tolerance %.3g (%s)", found.error, found.tolerance,
		   found.method);
	end_event(worker, active, BENCH_STATUS_INCORRECT, error.text, BENCH_STOP_NONE);
	return -1;
}

static struct bench_device_stats device_stats(const struct active *active)
{
	struct bench_device_stats stats = {0};
	const struct bench_case *bench_case = &active->bench_case;
	if (bench_case->device && bench_case->backend->device_stats)
		bench_case->backend->device_stats(bench_case->device, &stats);
	return stats;
}

/* The first call, timed: whatever is compiled or loaded on demand is in it. */
static int first_call(struct worker *worker, struct active *active, struct bench_error *error)
{
	struct bench_device_stats before = device_stats(active);
	bench_idle_wait();
	double start = seconds_now();
	if (run_and_finish(active, worker->job->suite, 1, error) != 0)
		return -1;
	double seconds = seconds_now() - start;
	struct bench_device_stats after = device_stats(active);
	bool compiled = after.compiled > before.compiled, cached = after.cached > before.cached;
	sample_event(worker, active, compiled ? "first_call_compile" : "first_call", seconds, 1);
	if (compiled || cached) {
		cJSON *note = new_event("note", worker, active);
		cJSON_AddStringToObject(note, "name", "program");
		cJSON_AddStringToObject(note, "value", compiled ? "compiled" : "cached");
		write_event(worker, note);
	}
	return 0;
}

/*
 * Up to the first sample: set up, called once, checked, and made ready to be timed. The
 * first call is what is checked: where one takes seconds, another would be time wasted.
 */
static void start_case(struct worker *worker, struct active *active)
{
	const struct bench_suite *suite = worker->job->suite;
	struct bench_error error;
	write_event(worker, new_event("begin", worker, active));
	active->live = true;
	if (suite->setup(&active->bench_case, &error) != 0 || prepare(active, suite, &error) != 0 ||
	    first_call(worker, active, &error) != 0) {
		end_with_error(worker, active, &error);
		return;
	}
	if (check(worker, active) == 0 && prepare(active, suite, &error) != 0)
		end_with_error(worker, active, &error);
}

struct item_context {
	struct worker *worker;
	struct active *active;
};

static int item_run(void *context, uint64_t iterations, struct bench_error *error)
{
	struct item_context *item = context;
	beat(item->worker, item->active);
	return run_and_finish(item->active, item->worker->job->suite, iterations, error);
}

static int item_run_device(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	struct item_context *item = context;
	const struct bench_case *bench_case = &item->active->bench_case;
	beat(item->worker, item->active);
	if (bench_case->backend->time_begin(bench_case->device, error) != 0)
		return -1;
	int result = run_and_finish(item->active, item->worker->job->suite, iterations, error);
	/* Also after a failure: the device must leave its timing mode. */
	if (bench_case->backend->time_end(bench_case->device, seconds, result == 0 ? error : NULL) != 0)
		result = -1;
	return result;
}

static int take_sample(void *context, size_t item, enum bench_sample_kind kind, double seconds,
		       uint64_t iterations)
{
	struct worker *worker = context;
	static const char *const metrics[] = {[BENCH_SAMPLE_TIME] = "time",
					      [BENCH_SAMPLE_LATENCY] = "latency",
					      [BENCH_SAMPLE_DEVICE_TIME] = "device_time"};
	sample_event(worker, &worker->active[worker->sampled[item]], metrics[kind], seconds, iterations);
	return worker->write_error.text[0] ? -1 : 0;
}

static void settle(void *context)
{
	(void)context;
	bench_idle_wait();
}

static void sample_live(struct worker *worker)
{
	const struct bench_job *job = worker->job;
	struct item_context *contexts = bench_arena_alloc(&worker->arena, job->case_count, sizeof(*contexts));
	struct bench_sampler_item *items = bench_arena_alloc(&worker->arena, job->case_count, sizeof(*items));
	size_t count = 0;
	for (size_t i = 0; i < job->case_count; i++) {
		struct active *active = &worker->active[i];
		if (!active->live)
			continue;
		contexts[count] = (struct item_context){worker, active};
		bool device_time = active->bench_case.device && active->bench_case.info->device_time &&
				   active->bench_case.backend->time_begin;
		items[count] = (struct bench_sampler_item){.run = item_run,
							   .run_device = device_time ? item_run_device : NULL,
							   .context = &contexts[count],
							   .pool = (int)i};
		worker->sampled[count++] = i;
	}
	if (!count)
		return;
	struct bench_sampler_options options = {.clock = &bench_clock_real,
						.precision = job->precision,
						.slice_seconds = job->slice_seconds,
						.sample_seconds = SAMPLE_SECONDS,
						.visit_samples = VISIT_SAMPLES,
						.max_samples = MAX_SAMPLES,
						.seed = job->seed ^ ((uint64_t)job->invocation << 32) ^
							job->cases[0].index,
						.settle = settle,
						.sample = take_sample,
						.context = worker};
	bench_clock_calibrate(&bench_clock_real, &options.quality);
	if (bench_sampler_run(items, count, &options) != 0 && !worker->write_error.text[0])
		bench_fail(&worker->write_error, BENCH_NO_MEMORY, "no memory for the samples");
	for (size_t i = 0; i < count; i++) {
		struct active *active = contexts[i].active;
		if (items[i].failed)
			end_with_error(worker, active, &items[i].error);
		else if (check(worker, active) == 0)
			end_event(worker, active, BENCH_STATUS_OK, "", items[i].stopped);
	}
}

static void open_case(struct worker *worker, struct active *active, struct bench_device_info *info)
{
	const struct bench_job_case *job_case = active->job_case;
	const struct bench_backend *backend = job_case->backend;
	struct bench_error error;
	if (backend) {
		struct bench_open_options options = {.threads = worker->job->threads};
		if (backend->open(job_case->device, &options, &active->bench_case.device, &error) != 0) {
			write_event(worker, new_event("begin", worker, active));
			end_with_error(worker, active, &error);
			return;
		}
		active->bench_case.backend = backend;
		active->bench_case.info = info;
	}
	start_case(worker, active);
}

/* What the backend says of the device that the case is on. */
static void find_info(const struct bench_job_case *job_case, struct bench_device_info *info)
{
	struct bench_arena arena = {0};
	struct bench_device_info *all;
	size_t count;
	if (job_case->backend && bench_target_devices(job_case->backend, &arena, &all, &count, NULL) == 0 &&
	    job_case->device < count)
		*info = all[job_case->device];
	bench_arena_free(&arena);
}

int bench_worker_run(const struct bench_job *job, int events, struct bench_pulse *pulse,
		     struct bench_error *error)
{
	struct worker worker = {.job = job, .events = events, .pulse = pulse, .start = seconds_now()};
	struct active *active = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*active));
	struct bench_device_info *infos = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*infos));
	worker.active = active;
	worker.sampled = bench_arena_alloc(&worker.arena, job->case_count, sizeof(*worker.sampled));
	for (size_t i = 0; i < job->case_count; i++) {
		active[i].job_case = &job->cases[i];
		active[i].bench_case.values = job->values;
		active[i].bench_case.seed = job->seed;
		find_info(&job->cases[i], &infos[i]);
		open_case(&worker, &active[i], &infos[i]);
	}
	sample_live(&worker);
	for (size_t i = 0; i < job->case_count; i++) {
		job->suite->teardown(&active[i].bench_case);
		if (active[i].bench_case.device)
			active[i].bench_case.backend->close(active[i].bench_case.device);
	}
	bench_arena_free(&worker.arena);
	if (worker.write_error.text[0]) {
		if (error)
			*error = worker.write_error;
		return -1;
	}
	return 0;
}
