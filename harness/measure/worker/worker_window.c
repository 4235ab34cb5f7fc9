/* SPDX-License-Identifier: MIT */
/*
 * Energy and a GPU's counters in a worker: after the samples, a window for each case, and what it says as
 * metrics. What cannot be had is a note of the case.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/metric.h"
#include "machine/energy.h"
#include "machine/nvml_gpm.h"
#include "measure/worker/internal.h"
#include "measure/worker/window.h"

#define BATCH_SECONDS 5e-3 /* between two readings: 1% of a span, and long against a launch */
#define MOST_SECONDS  10.0 /* of a window, where a counter moves slowly */
#define MOST_BATCH    1e9

/* The counters of one case. */
struct observed {
	struct worker *worker;
	struct worker_case *active;
	struct bench_sampler_item *item;
	struct bench_energy energy;
	struct bench_nvml_gpm gpm;
	const char *sys;  /* NULL: /sys */
	bool nvml;        /* its library is open */
	long gpu;         /* in NVML; negative: it is no NVIDIA GPU, or NVML does not know it */
	double bandwidth; /* of the GPU's memory, B/s, at the clock of the window; NaN: not known */
	double clock;     /* of its multiprocessors where the last span ended, Hz; NaN: not known */
	double shares[BENCH_WINDOW_SPANS][BENCH_GPMS];
	bool quiet;                /* only whether something can be read is asked: nothing is written */
	struct bench_error failed; /* what the counters failed of; text empty: they did not */
};

static void refuse(const struct observed *observed, const char *name, const char *why)
{
	char text[1100];
	if (observed->quiet)
		return;
	snprintf(text, sizeof(text), "unsupported: %s", why);
	worker_note(observed->worker, observed->active, name, text);
}

/* A suite that measures one of that name measures it better. */
static bool is_suites(const struct bench_suite *suite, const char *metric)
{
	const struct bench_metric_spec *own = suite->metrics;
	while (own && own->name && strcmp(own->name, metric) != 0)
		own++;
	return own && own->name;
}

static int start(void *context, uint64_t iterations, struct bench_error *error)
{
	const struct observed *observed = context;
	observed->active->ran += iterations;
	return observed->worker->job->suite->run(&observed->active->bench_case, iterations, error);
}

static int finish(void *context, struct bench_error *error)
{
	const struct bench_case *bench_case = &((struct observed *)context)->active->bench_case;
	return bench_case->device ? bench_case->backend->finish(bench_case->device, error) : 0;
}

static int read_energy(void *context, double *value, struct bench_error *error)
{
	return bench_machine_energy_read(&((struct observed *)context)->energy, value, error);
}

/* Reads the counters where a span ends, and the clock of the memory while it is at work. */
static void mark(void *context, size_t index)
{
	struct observed *observed = context;
	struct bench_error unread;
	if (!observed->gpm.gpu || observed->failed.text[0])
		return;
	if (bench_machine_nvml_gpm_mark(&observed->gpm, &observed->failed) != 0 || index == 0)
		return;
	bench_machine_nvml_gpm_read(&observed->gpm, observed->shares[index - 1], &observed->failed);
	double bandwidth;
	if (bench_machine_nvml_bandwidth((unsigned)observed->gpu, &bandwidth, &unread) != 0)
		bandwidth = NAN;
	/* One that changed in between says nothing. */
	observed->bandwidth = index == 1 || bandwidth == observed->bandwidth ? bandwidth : NAN;
	long throttle;
	int mhz;
	bench_machine_nvml_read_clock((unsigned)observed->gpu, &throttle, &mhz);
	observed->clock = mhz > 0 ? 1e6 * mhz : NAN;
}

static double now(void *context)
{
	(void)context;
	return bench_clock_seconds();
}

static void add(const struct observed *observed, const char *metric, double value, uint64_t iterations)
{
	const struct bench_metric_spec *spec = bench_metric_asked(metric);
	if (isfinite(value) && !is_suites(observed->worker->job->suite, metric))
		worker_sample(observed->worker, observed->active,
			      &(struct bench_event_sample){.metric = metric,
							   .value = value,
							   .iterations = iterations,
							   .at = worker_at(observed->worker),
							   .unit = spec->unit,
							   .better = bench_record_better_name(spec->better)});
}

static void add_energy(const struct observed *observed, const struct bench_window *window)
{
	char text[256], within[48] = "";
	if (*window->why) {
		refuse(observed, "energy", window->why);
		return;
	}
	for (size_t i = 0; i < window->span_count; i++) {
		const struct bench_window_span *span = &window->spans[i];
		add(observed, "energy", span->joules / (double)span->iterations, span->iterations);
		add(observed, "power", span->joules / span->seconds, span->iterations);
	}
	if (isfinite(window->half))
		snprintf(within, sizeof(within), ", known within %.2g%% by them", 100 * window->half);
	snprintf(text, sizeof(text), "%s: %zu steps of the counter in %.3g s, %llu iterations%s",
		 observed->energy.what, window->steps, window->seconds,
		 (unsigned long long)window->iterations, within);
	worker_note(observed->worker, observed->active, "energy_window", text);
}

static void add_counters(const struct observed *observed, const struct bench_window *window)
{
	static const char *const names[BENCH_GPMS] = {
		[BENCH_GPM_SM] = "sm_activity",         [BENCH_GPM_OCCUPANCY] = "occupancy",
		[BENCH_GPM_TENSOR] = "tensor_activity", [BENCH_GPM_DRAM] = "dram_activity",
		[BENCH_GPM_F64] = "fp64_activity",      [BENCH_GPM_F32] = "fp32_activity",
		[BENCH_GPM_F16] = "fp16_activity",
	};
	if (observed->failed.text[0] || window->span_count == 0) {
		refuse(observed, "gpu_counters",
		       observed->failed.text[0] ? observed->failed.text : "too little time");
		return;
	}
	for (size_t i = 0; i < window->span_count; i++) {
		const struct bench_window_span *span = &window->spans[i];
		const double *shares = observed->shares[i];
		for (size_t m = 0; m < BENCH_GPMS; m++)
			add(observed, names[m], shares[m], span->iterations);
		add(observed, "dram_bytes",
		    shares[BENCH_GPM_DRAM] * observed->bandwidth * span->seconds / (double)span->iterations,
		    span->iterations);
	}
	if (!isfinite(observed->bandwidth))
		refuse(observed, "dram_bytes", "NVML gave no steady clock and bus width of the memory");
}

/* Why a case cannot be iterated back to back; NULL: it can. */
static const char *obstacle(const struct observed *observed)
{
	if (observed->worker->job->cold)
		return "with --cache cold, most of the time goes into emptying the caches";
	if (observed->item->fixed)
		return "the number of its iterations is fixed: they may build on each other";
	return observed->active->bench_case.before_call ? "something else is done before each iteration"
							: NULL;
}

/* By its address, whatever API it is used by; where its driver does not tell that, NVIDIA's are counted. */
static long find_gpu(const struct observed *observed)
{
	const struct bench_device_info *info = observed->active->bench_case.info;
	unsigned index;
	if (!observed->nvml || !worker_is_on_gpu(observed->active))
		return -1;
	if (!*info->pci)
		return strstr(info->platform, "NVIDIA") ? observed->worker->watch.gpu : -1;
	return bench_machine_nvml_find(info->pci, &index) == 0 ? (long)index : -1;
}

/* Opens the counters of the GPU, unless there is a reason against it; gives the reason, or NULL. */
static const char *open_gpm(struct observed *observed, const char *why, struct bench_error *error)
{
	observed->gpm.gpu = NULL;
	if (!why && observed->gpu < 0)
		why = "only NVML counts, and this is no NVIDIA GPU that it knows";
	if (!why && bench_machine_nvml_gpm_open(&observed->gpm, (unsigned)observed->gpu, error) != 0)
		why = error->text;
	return why;
}

/* Opens what counts for an item, where it was asked for. False: there is nothing to be read. */
static bool open_counters(struct observed *observed, struct bench_sampler_item *items, size_t index)
{
	observed->active = &observed->worker->active[observed->worker->sampled[index]];
	observed->item = &items[index];
	observed->failed.text[0] = '\0';
	observed->gpu = find_gpu(observed);
	const struct bench_job *job = observed->worker->job;
	const struct bench_case *bench_case = &observed->active->bench_case;
	const struct bench_device_info *info = bench_case->device ? bench_case->info : NULL;
	const char *why = obstacle(observed);
	const char *lacking = !why && is_suites(job->suite, "energy") ? "the suite itself measures it" : why;
	struct bench_error error;
	struct bench_energy_place place = {.sys = observed->sys,
					   .pci = info ? info->pci : "",
					   .gpu = observed->gpu,
					   .processor = !info || info->kind == BENCH_DEVICE_CPU};
	bool counts = false;
	if (job->energy && !lacking && bench_machine_energy_open(&observed->energy, &place, &error) == 0)
		counts = true;
	else if (job->energy)
		refuse(observed, "energy", lacking ? lacking : error.text);
	observed->gpm.gpu = NULL;
	if (job->counters && worker_is_on_gpu(observed->active) && (why = open_gpm(observed, why, &error)))
		refuse(observed, "gpu_counters", why);
	observed->energy.count = counts ? observed->energy.count : 0;
	observed->energy.gpu = counts ? observed->energy.gpu : -1;
	return counts || observed->gpm.gpu;
}

static uint64_t batch_of(const struct bench_sampler_item *item)
{
	double wanted = item->estimate > 0 ? ceil(BATCH_SECONDS / item->estimate) : 1;
	return (uint64_t)fmax(1, fmin(wanted, MOST_BATCH));
}

static bool counts_energy(const struct observed *observed)
{
	return observed->energy.count > 0 || observed->energy.gpu >= 0;
}

static int run_window(struct observed *observed, double seconds, struct bench_window *window,
		      struct bench_error *error)
{
	const struct bench_energy *energy = &observed->energy;
	const struct bench_window_options options = {.start = start,
						     .finish = finish,
						     .energy = counts_energy(observed) ? read_energy : NULL,
						     .mark = mark,
						     .now = now,
						     .context = observed,
						     .is_power = energy->is_power,
						     .step_seconds = energy->step_seconds,
						     .batch = batch_of(observed->item),
						     .seconds = seconds};
	return bench_worker_window_run(&options, window, error);
}

static void observe(struct observed *observed, double seconds)
{
	struct bench_sampler_item *item = observed->item;
	struct bench_window window;
	if (run_window(observed, seconds, &window, &item->error) != 0) {
		item->failed = true;
		return;
	}
	if (counts_energy(observed))
		add_energy(observed, &window);
	if (observed->gpm.gpu)
		add_counters(observed, &window);
}

static struct observed begin(struct worker *worker, const struct worker_window_places *places)
{
	unsigned gpus = 0;
	struct bench_error unread;
	return (struct observed){.worker = worker,
				 .sys = places->sys,
				 .nvml = bench_machine_nvml_open(places->library, &gpus, &unread) == 0};
}

static void end(const struct observed *observed)
{
	if (observed->nvml)
		bench_machine_nvml_close();
}

static bool is_asked(const struct worker *worker)
{
	return worker->job->energy || worker->job->counters;
}

double worker_window_reserve(struct worker *worker, struct bench_sampler_item *items, size_t count,
			     double slice, const struct worker_window_places *places)
{
	size_t windows = 0;
	if (!is_asked(worker))
		return 0;
	struct observed observed = begin(worker, places);
	observed.quiet = true;
	for (size_t i = 0; i < count; i++) {
		windows += open_counters(&observed, items, i);
		bench_machine_nvml_gpm_close(&observed.gpm);
	}
	end(&observed);
	return fmin(BENCH_WINDOW_SECONDS * (double)windows, slice / 2);
}

void worker_window_all(struct worker *worker, struct bench_sampler_item *items, size_t count, double until,
		       const struct worker_window_places *places)
{
	if (!is_asked(worker))
		return;
	struct observed observed = begin(worker, places);
	for (size_t i = 0; i < count; i++) {
		double left = fmax(0, until - bench_clock_seconds()) / (double)(count - i);
		if (items[i].failed)
			continue;
		if (open_counters(&observed, items, i))
			observe(&observed, fmin(left, MOST_SECONDS));
		bench_machine_nvml_gpm_close(&observed.gpm);
	}
	end(&observed);
}

/* In an iteration: cycles of a pipe are its share of the clock's, which a change of the clock leaves alone.
 */
static void take_values(const struct observed *observed, const struct bench_window_span *span,
			double values[BENCH_OBSERVED_KINDS])
{
	const double *shares = observed->shares[0], each = span->seconds / (double)span->iterations;
	static const struct {
		enum bench_observed_kind kind;
		enum bench_gpm gpm;
	} pipes[] = {{BENCH_OBSERVED_TENSOR, BENCH_GPM_TENSOR},
		     {BENCH_OBSERVED_F64, BENCH_GPM_F64},
		     {BENCH_OBSERVED_F32, BENCH_GPM_F32},
		     {BENCH_OBSERVED_F16, BENCH_GPM_F16}};
	for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++)
		values[pipes[i].kind] = shares[pipes[i].gpm] * observed->clock * each;
	values[BENCH_OBSERVED_DRAM] = shares[BENCH_GPM_DRAM] * observed->bandwidth * each;
	values[BENCH_OBSERVED_CLOCK] = observed->clock;
	values[BENCH_OBSERVED_SM] = shares[BENCH_GPM_SM];
	values[BENCH_OBSERVED_OCCUPANCY] = shares[BENCH_GPM_OCCUPANCY];
}

int worker_window_observe(struct worker_item *item, const struct worker_window_places *places,
			  double values[BENCH_OBSERVED_KINDS], struct bench_error *unread,
			  struct bench_error *error)
{
	const struct worker_observed *told = &item->active->observed;
	struct bench_sampler_item sampled = {
		.fixed = item->active->fixed,
		.estimate = told->iterations ? told->seconds / (double)told->iterations : 0};
	struct observed observed = begin(item->worker, places);
	struct bench_window window = {0};
	struct bench_error cause;
	int result = 0;
	observed.active = item->active;
	observed.item = &sampled;
	observed.energy.gpu = -1;
	observed.gpu = find_gpu(&observed);
	for (size_t i = 0; i < BENCH_OBSERVED_KINDS; i++)
		values[i] = NAN;
	const char *why = open_gpm(&observed, obstacle(&observed), &cause);
	if (!why)
		result = run_window(&observed, BENCH_WINDOW_LEAD + 2 * BENCH_GPM_SECONDS, &window, error);
	if (!why && (observed.failed.text[0] || window.span_count == 0))
		why = observed.failed.text[0] ? observed.failed.text : "too little time";
	unread->text[0] = '\0';
	if (why)
		bench_fail(unread, BENCH_UNSUPPORTED, "%s", why);
	else
		take_values(&observed, &window.spans[0], values);
	bench_machine_nvml_gpm_close(&observed.gpm);
	end(&observed);
	return result;
}
