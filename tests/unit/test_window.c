/* SPDX-License-Identifier: MIT */
/*
 * The window: what it makes of a counter that moves in steps, by a simulated clock; and the worker's windows,
 * by the true clock and a library in NVML's place.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "measure/worker/internal.h"
#include "measure/worker/window.h"
#include "scratch.h"

/* A device, its counter and the clock. */
struct device {
	double at, watts, step, delay; /* delay: of the first step */
	double each;                   /* seconds of an iteration */
	double stands_at, fails_at;    /* the counter's; INFINITY: never */
	double breaks_at;              /* the work's */
	double goes_back_at;
	double reading, idle, done_at, spent; /* of one that works by itself: seconds to read the counter;
						 watts; when its work is done; joules */
	size_t marks;
	double marked[BENCH_WINDOW_SPANS + 1];
};

static int work(void *context, uint64_t iterations, struct bench_error *error)
{
	struct device *device = context;
	device->at += (double)iterations * device->each;
	return device->at < device->breaks_at ? 0 : bench_fail(error, BENCH_FAILED, "it broke");
}

static int finish_work(void *context, struct bench_error *error)
{
	(void)context;
	(void)error;
	return 0;
}

/* A device that works by itself. */
static int hand_over(void *context, uint64_t iterations, struct bench_error *error)
{
	struct device *device = context;
	(void)error;
	device->done_at = device->at + (double)iterations * device->each;
	return 0;
}

static void pass(struct device *device, double until)
{
	double busy = fmax(0, fmin(until, device->done_at) - device->at);
	device->spent += busy * device->watts + (until - device->at - busy) * device->idle;
	device->at = until;
}

static int wait_for_it(void *context, struct bench_error *error)
{
	struct device *device = context;
	(void)error;
	pass(device, fmax(device->at, device->done_at));
	return 0;
}

static int read_slowly(void *context, double *value, struct bench_error *error)
{
	struct device *device = context;
	(void)error;
	*value = device->spent;
	pass(device, device->at + device->reading);
	return 0;
}

static int count(void *context, double *value, struct bench_error *error)
{
	const struct device *device = context;
	double until = fmin(device->at, device->stands_at);
	if (device->at >= device->fails_at)
		return bench_fail(error, BENCH_UNSUPPORTED, "the counter is gone");
	*value = 1000 + floor((until - device->delay) / device->step) * device->step * device->watts;
	if (device->at >= device->goes_back_at)
		*value -= 900;
	return 0;
}

static int meter(void *context, double *value, struct bench_error *error)
{
	const struct device *device = context;
	(void)error;
	*value = device->watts + (device->at - floor(device->at) < 0.5 ? 10 : -10);
	return 0;
}

static void mark(void *context, size_t index)
{
	struct device *device = context;
	assert_int_equal(index, device->marks);
	device->marked[device->marks++] = device->at;
}

static double at(void *context)
{
	return ((struct device *)context)->at;
}

static struct device device_of(double watts, double each)
{
	return (struct device){.at = 7.03,
			       .watts = watts,
			       .each = each,
			       .step = 0.1,
			       .delay = 0.017,
			       .stands_at = INFINITY,
			       .fails_at = INFINITY,
			       .breaks_at = INFINITY,
			       .goes_back_at = INFINITY};
}

static struct bench_window_options options_of(struct device *device, double seconds)
{
	double batch = ceil(5e-3 / device->each);
	return (struct bench_window_options){.start = work,
					     .finish = finish_work,
					     .energy = count,
					     .mark = mark,
					     .now = at,
					     .context = device,
					     .step_seconds = device->step,
					     .batch = (uint64_t)batch,
					     .seconds = seconds};
}

static struct bench_window run(struct device *device, const struct bench_window_options *options)
{
	struct bench_window window;
	struct bench_error error;
	if (bench_worker_window_run(options, &window, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(device->marks, window.span_count + 1);
	return window;
}

static double joules_of(const struct bench_window *window)
{
	double joules = 0;
	for (size_t i = 0; i < window->span_count; i++)
		joules += window->spans[i].joules;
	return joules / (double)window->iterations;
}

static void energy_is_power_times_time(void **state)
{
	(void)state;
	static const double each[] = {4e-6, 1.7e-4, 3e-3, 0.011, 0.13};
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct device device = device_of(310, each[i]);
		const struct bench_window_options options = options_of(&device, 10);
		const struct bench_window window = run(&device, &options);
		assert_string_equal(window.why, "");
		assert_int_equal(window.span_count, BENCH_WINDOW_SPANS);
		assert_true(window.steps >= BENCH_WINDOW_STEPS);
		assert_true(window.half > 0 && window.half <= fmin(fmax(6.1e-3, each[i]), 0.1) / 2);
		assert_true(fabs(joules_of(&window) / (310 * each[i]) - 1) <= window.half);
		for (size_t s = 0; s < window.span_count; s++)
			assert_true(window.spans[s].seconds >= BENCH_WINDOW_SPAN);
		/* Nothing of the lead is in it. */
		assert_true(device.marked[0] - 7.03 >= BENCH_WINDOW_LEAD);
	}
}

/* A reading of some milliseconds must not leave the device idle: its iterations would share that energy. */
static void a_counter_that_is_slow_to_read_adds_nothing(void **state)
{
	(void)state;
	static const double each[] = {5e-6, 3.7e-4, 0.012, 0.2};
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct device device = device_of(400, each[i]);
		struct bench_window_options options = options_of(&device, 10);
		device.reading = 6e-3;
		device.idle = 100;
		options.start = hand_over;
		options.finish = wait_for_it;
		options.energy = read_slowly;
		options.step_seconds = 1e-3;
		const struct bench_window window = run(&device, &options);
		assert_string_equal(window.why, "");
		assert_true(fabs(joules_of(&window) / (400 * each[i]) - 1) < 0.01);
	}
}

static void short_steps_need_no_longer(void **state)
{
	(void)state;
	struct device device = device_of(65, 2e-5);
	device.step = 1e-3;
	const struct bench_window_options options = options_of(&device, 10);
	const struct bench_window window = run(&device, &options);
	assert_int_equal(window.span_count, BENCH_WINDOW_SPANS);
	assert_true(window.seconds < 2.1);
	assert_true(window.half <= 1e-3 / 2);
	assert_true(fabs(joules_of(&window) / (65 * 2e-5) - 1) <= window.half);
}

static void a_meter_is_added_up(void **state)
{
	(void)state;
	struct device device = device_of(200, 1e-4);
	struct bench_window_options options = options_of(&device, 10);
	options.energy = meter;
	options.is_power = true;
	const struct bench_window window = run(&device, &options);
	assert_string_equal(window.why, "");
	assert_int_equal(window.span_count, BENCH_WINDOW_SPANS);
	assert_true(isnan(window.half));
	assert_true(fabs(joules_of(&window) / (200 * 1e-4) - 1) < 0.02);
}

static void without_a_counter_there_are_spans(void **state)
{
	(void)state;
	struct device device = device_of(200, 1e-4);
	struct bench_window_options options = options_of(&device, 10);
	options.energy = NULL;
	const struct bench_window window = run(&device, &options);
	assert_int_equal(window.span_count, BENCH_WINDOW_SPANS);
	assert_true(isnan(window.spans[0].joules));
	assert_true(*window.why);
	assert_true(fabs(window.spans[1].seconds / (double)window.spans[1].iterations - 1e-4) < 1e-9);
}

static void little_time_gives_one_span_or_none(void **state)
{
	(void)state;
	struct device device = device_of(200, 1e-4);
	struct bench_window_options options = options_of(&device, 1.2);
	struct bench_window window = run(&device, &options);
	assert_int_equal(window.span_count, 1);
	assert_string_equal(window.why, "");
	assert_true(fabs(joules_of(&window) / (200 * 1e-4) - 1) <= window.half);
	/* Cut short. */
	device = device_of(200, 1e-4);
	options.seconds = 0.62;
	window = run(&device, &options);
	assert_int_equal(window.span_count, 1);
	assert_true(window.spans[0].seconds < BENCH_WINDOW_SPAN);
	assert_string_equal(window.why, "");
	assert_true(fabs(joules_of(&window) / (200 * 1e-4) - 1) <= window.half);
	device = device_of(200, 1e-4);
	options.seconds = 0.4;
	window = run(&device, &options);
	assert_non_null(strstr(window.why, "too little time"));
	for (size_t i = 0; i < window.span_count; i++)
		assert_true(isnan(window.spans[i].joules));
	device = device_of(200, 1e-4);
	options.seconds = 0;
	window = run(&device, &options);
	assert_true(*window.why);
	assert_int_equal(window.span_count, 0);
	/* Iterations that are longer than all of it. */
	device = device_of(200, 5);
	options = options_of(&device, 1);
	window = run(&device, &options);
	assert_true(*window.why);
}

static void what_the_counter_does_wrong_is_no_energy(void **state)
{
	(void)state;
	struct device device = device_of(200, 1e-4);
	struct bench_window_options options = options_of(&device, 10);
	struct bench_window window;
	device.fails_at = 8;
	window = run(&device, &options);
	assert_string_equal(window.why, "the counter is gone");
	assert_int_equal(window.span_count, BENCH_WINDOW_SPANS);
	for (size_t i = 0; i < window.span_count; i++)
		assert_true(isnan(window.spans[i].joules));
	device = device_of(200, 1e-4);
	device.fails_at = 0;
	window = run(&device, &options);
	assert_string_equal(window.why, "the counter is gone");
	device = device_of(200, 1e-4);
	device.stands_at = 0;
	window = run(&device, &options);
	assert_string_equal(window.why, "the counter stood still");
	/* It stands still later: there is no second half. */
	device = device_of(200, 1e-4);
	device.stands_at = 7.5;
	window = run(&device, &options);
	assert_true(*window.why);
	device = device_of(200, 1e-4);
	device.goes_back_at = 8;
	window = run(&device, &options);
	assert_non_null(strstr(window.why, "which cannot be"));
	device = device_of(3e6, 1e-4);
	window = run(&device, &options);
	assert_string_equal(window.why, "the counter says 3e+06 W, which cannot be");
}

static void work_that_fails_ends_it(void **state)
{
	(void)state;
	for (double breaks_at = 7; breaks_at < 9; breaks_at += 0.1) {
		struct device device = device_of(200, 1e-4);
		const struct bench_window_options options = options_of(&device, 10);
		struct bench_window window;
		struct bench_error error;
		device.breaks_at = breaks_at;
		assert_int_equal(bench_worker_window_run(&options, &window, &error), -1);
		assert_string_equal(error.text, "it broke");
	}
}

/* The worker's part, with one case on the second GPU of the fake. */

static int sleep_a_while(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct timespec time = {.tv_nsec = 1000000 * (long)(iterations < 100 ? iterations : 100)};
	if (bench_case->state)
		return bench_fail(error, BENCH_FAILED, "the kernel failed");
	nanosleep(&time, NULL);
	return 0;
}

static const struct bench_metric_spec own[] = {
	{"dram_activity", "ratio", BENCH_BETTER_NONE, "what the suite takes for it"},
	{"energy", "J", BENCH_BETTER_LOWER, "likewise"},
	{0}};
static const struct bench_suite suite = {.name = "plain", .run = sleep_a_while},
				measuring = {.name = "measuring", .metrics = own, .run = sleep_a_while};

static int is_done(struct bench_device *device, struct bench_error *error)
{
	(void)device;
	(void)error;
	return 0;
}
static const struct bench_backend finishing = {.finish = is_done};

struct made {
	struct worker worker;
	struct worker_case active;
	struct bench_job job;
	struct bench_job_case job_case;
	struct bench_device_info info;
	struct bench_heartbeat heartbeat;
	struct bench_sampler_item item;
	size_t sampled;
	char *events;
};

static void make(struct made *made, const char *scratch, bool energy, bool counters)
{
	static char path[256];
	static int device;
	snprintf(path, sizeof(path), "%s/events", scratch);
	remove(path);
	*made = (struct made){
		.info = {.kind = BENCH_DEVICE_GPU, .platform = "NVIDIA CUDA", .pci = "0000:3b:00.0"},
		.job = {.energy = energy, .counters = counters},
		.item = {.estimate = 1e-3, .iterations = 2}};
	made->job.suite = &suite;
	made->active.job_case = &made->job_case;
	made->active.bench_case.info = &made->info;
	made->active.bench_case.backend = &finishing;
	made->active.bench_case.device = (struct bench_device *)&device;
	made->worker = (struct worker){.job = &made->job,
				       .heartbeat = &made->heartbeat,
				       .active = &made->active,
				       .sampled = &made->sampled,
				       .events = open(path, O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0600)};
	assert_true(made->worker.events >= 0);
	made->worker.watch.gpu = 0; /* by its address it is the other one */
	made->events = path;
}

static char *windows(struct made *made, double seconds, const char *sys, const char *library)
{
	char *text;
	size_t length;
	struct bench_error error;
	const struct worker_window_places places = {sys, library};
	worker_window_all(&made->worker, &made->item, 1, bench_clock_seconds() + seconds, &places);
	close(made->worker.events);
	bench_arena_free(&made->worker.arena);
	assert_int_equal(bench_file_read(made->events, 1 << 20, &text, &length, &error), 0);
	return text;
}

static double first_value(const char *events, const char *metric)
{
	char text[64];
	snprintf(text, sizeof(text), "\"metric\":\"%s\",\"value\":", metric);
	const char *found = strstr(events, text);
	return found ? strtod(found + strlen(text), NULL) : NAN;
}

static size_t occurrences(const char *events, const char *text)
{
	size_t found = 0;
	for (const char *at_ = events; (at_ = strstr(at_, text)); at_++)
		found++;
	return found;
}

static void a_gpu_gives_energy_and_counters_in_one_window(void **state)
{
	struct made made;
	make(&made, *state, true, true);
	char *events = windows(&made, 10, NULL, FAKE_NVML);
	assert_false(made.item.failed);
	assert_int_equal(occurrences(events, "\"energy\",\"value\""), BENCH_WINDOW_SPANS);
	assert_int_equal(occurrences(events, "\"dram_bytes\",\"value\""), BENCH_WINDOW_SPANS);
	/* On a busy machine steps are seen late, and sleeping takes longer. */
	assert_true(first_value(events, "power") > 100 && first_value(events, "power") < 400);
	assert_true(first_value(events, "energy") / first_value(events, "power") >= 1e-3);
	assert_true(fabs(first_value(events, "occupancy") - 0.3) < 1e-9);
	/* The whole bandwidth, over the time of an iteration. */
	double each = first_value(events, "energy") / first_value(events, "power");
	assert_true(fabs(first_value(events, "dram_bytes") / (3.35232e12 * each) - 1) < 1e-6);
	/* What cannot be is not told. */
	assert_true(isnan(first_value(events, "fp16_activity")) &&
		    isnan(first_value(events, "fp32_activity")));
	assert_non_null(strstr(events, "\"energy_window\",\"value\":\"NVML: "));
	assert_null(strstr(events, "unsupported"));
	assert_non_null(strstr(events, "\"unit\":\"J\",\"better\":\"lower\""));
	free(events);
	/* A metric that the suite has is the suite's. */
	make(&made, *state, false, true);
	made.job.suite = &measuring;
	events = windows(&made, 2, NULL, FAKE_NVML);
	assert_true(first_value(events, "occupancy") > 0);
	assert_true(isnan(first_value(events, "dram_activity")));
	free(events);
	make(&made, *state, true, false);
	made.job.suite = &measuring;
	events = windows(&made, 0.9, NULL, FAKE_NVML);
	assert_non_null(strstr(events, "\"energy\",\"value\":\"unsupported: the suite itself measures it"));
	free(events);
}

static void what_a_gpu_cannot_count_is_a_note(void **state)
{
	struct made made;
	/* GPM without energy, of a GPU that has none of it: the one that is counted first. */
	make(&made, *state, false, true);
	made.info.pci[0] = '\0';
	char *events = windows(&made, 0.3, NULL, FAKE_NVML);
	assert_non_null(
		strstr(events, "\"gpu_counters\",\"value\":\"unsupported: the GPU has no performance"));
	assert_null(strstr(events, "\"energy\""));
	free(events);
	make(&made, *state, true, true);
	events = windows(&made, 0.3, *state, "libnothing-of-this-name.so.1");
	assert_non_null(strstr(events, "\"gpu_counters\",\"value\":\"unsupported: only NVML counts"));
	assert_non_null(strstr(events, "hwmon has neither energy nor power"));
	free(events);
	make(&made, *state, true, false);
	made.job.cold = true;
	events = windows(&made, 0.3, *state, FAKE_NVML);
	assert_non_null(strstr(events, "unsupported: with --cache cold"));
	free(events);
	make(&made, *state, true, true);
	made.item.fixed = 3;
	events = windows(&made, 0.3, *state, FAKE_NVML);
	assert_int_equal(occurrences(events, "unsupported: the number of its iterations is fixed"), 2);
	free(events);
	make(&made, *state, true, true);
	made.active.bench_case.state = &made;
	events = windows(&made, 0.3, *state, FAKE_NVML);
	assert_true(made.item.failed);
	assert_string_equal(made.item.error.text, "the kernel failed");
	assert_string_equal(events, "");
	free(events);
	/* Not asked for: nothing happens. */
	make(&made, *state, false, false);
	events = windows(&made, 10, *state, FAKE_NVML);
	assert_string_equal(events, "");
	free(events);
}

/* A note with that reason and no value; without a reason a value, unless a busy machine had no time for it.
 */
static void assert_failed(const char *events, const char *note, const char *metric, const char *why)
{
	char text[96];
	snprintf(text, sizeof(text), "\"%s\",\"value\":\"unsupported: ", note);
	const char *found = strstr(events, text);
	if (why) {
		assert_non_null(found);
		assert_non_null(strstr(found, why));
		assert_true(isnan(first_value(events, metric)));
	} else if (found) {
		assert_non_null(strstr(found, "too little time"));
	} else {
		assert_true(first_value(events, metric) > 0);
	}
}

static void each_call_that_fails_is_a_note(void **state)
{
	static const struct {
		const char *call, *energy, *counters;
	} rows[] = {{"nvmlInit", "hwmon has neither", "only NVML counts"},
		    /* Another GPU's figures are none of this one's. */
		    {"nvmlDeviceGetHandleByPciBusId", "hwmon has neither", "only NVML counts"},
		    {"nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetTotalEnergyConsumption", NULL},
		    {"nvmlGpmQueryDeviceSupport", NULL, "nvmlGpmQueryDeviceSupport"},
		    {"nvmlGpmSampleAlloc", NULL, "nvmlGpmSampleAlloc"},
		    {"nvmlGpmSampleGet", NULL, "nvmlGpmSampleGet"},
		    {"nvmlGpmMetricsGet", NULL, "nvmlGpmMetricsGet"}};
	void *library = dlopen(FAKE_NVML, RTLD_NOW), *symbol;
	void (*refuse)(const char *call);
	assert_non_null(library);
	symbol = dlsym(library, "fake_nvml_fail");
	memcpy(&refuse, &symbol, sizeof(refuse));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made made;
		make(&made, *state, true, true);
		refuse(rows[i].call);
		char *events = windows(&made, 0.9, *state, FAKE_NVML);
		assert_failed(events, "energy", "energy", rows[i].energy);
		assert_failed(events, "gpu_counters", "occupancy", rows[i].counters);
		free(events);
	}
	/* The memory's clock: shares, but no bytes. */
	struct made made;
	make(&made, *state, false, true);
	refuse("memory clock");
	char *events = windows(&made, 2, *state, FAKE_NVML);
	assert_true(first_value(events, "dram_activity") > 0);
	assert_true(isnan(first_value(events, "dram_bytes")));
	assert_non_null(strstr(events, "\"dram_bytes\",\"value\":\"unsupported: NVML gave no steady clock"));
	free(events);
	refuse("");
	dlclose(library);
}

/* bench why: the same of one case, without events. */
static int observe(struct made *made, const char *library, double values[BENCH_OBSERVED_KINDS],
		   struct bench_error *unread)
{
	const struct worker_window_places places = {NULL, library};
	struct worker_item item = {&made->worker, &made->active};
	struct bench_error error;
	made->active.observed.iterations = 1000;
	made->active.observed.seconds = 1;
	int result = worker_window_observe(&item, &places, values, unread, &error);
	close(made->worker.events);
	assert_true(result == 0 || strcmp(error.text, "the kernel failed") == 0);
	return result;
}

static void what_may_explain_is_read_in_a_short_window(void **state)
{
	static const char *const failing[] = {"nvmlInit",
					      "nvmlDeviceGetHandleByPciBusId",
					      "nvmlGpmSampleAlloc",
					      "second nvmlGpmSampleAlloc",
					      "nvmlGpmSampleGet",
					      "nvmlGpmMetricsGet",
					      "nvmlGpmQueryDeviceSupport"};
	double values[BENCH_OBSERVED_KINDS];
	struct bench_error unread;
	struct made made;
	void *library = dlopen(FAKE_NVML, RTLD_NOW), *symbol;
	void (*refuse)(const char *call);
	assert_non_null(library);
	symbol = dlsym(library, "fake_nvml_fail");
	memcpy(&refuse, &symbol, sizeof(refuse));
	refuse("");
	make(&made, *state, false, false);
	assert_int_equal(observe(&made, FAKE_NVML, values, &unread), 0);
	assert_string_equal(unread.text, "");
	assert_true(fabs(values[BENCH_OBSERVED_OCCUPANCY] - 0.3) < 1e-9 &&
		    fabs(values[BENCH_OBSERVED_SM] - 0.2) < 1e-9);
	assert_true(values[BENCH_OBSERVED_CLOCK] == 1.2e9);
	/* Bytes at the whole bandwidth, cycles at half of the clock, in one time: of an iteration of 1 ms. */
	double each = values[BENCH_OBSERVED_DRAM] / 3.35232e12;
	assert_true(each > 0.9e-3);
	assert_true(fabs(values[BENCH_OBSERVED_TENSOR] / (0.5 * 1.2e9 * each) - 1) < 1e-6);
	assert_true(isnan(values[BENCH_OBSERVED_F32]) && isnan(values[BENCH_OBSERVED_F64]) &&
		    isnan(values[BENCH_OBSERVED_F16]) && isnan(values[BENCH_OBSERVED_REGISTERS]));
	for (size_t i = 0; i < sizeof(failing) / sizeof(failing[0]); i++) {
		make(&made, *state, false, false);
		refuse(failing[i]);
		assert_int_equal(observe(&made, FAKE_NVML, values, &unread), 0);
		assert_true(unread.text[0] != '\0' && isnan(values[BENCH_OBSERVED_OCCUPANCY]));
	}
	/* Without the clock there are shares. */
	make(&made, *state, false, false);
	refuse("clock");
	assert_int_equal(observe(&made, FAKE_NVML, values, &unread), 0);
	assert_true(values[BENCH_OBSERVED_OCCUPANCY] > 0 && isnan(values[BENCH_OBSERVED_CLOCK]) &&
		    isnan(values[BENCH_OBSERVED_TENSOR]));
	refuse("");
	make(&made, *state, false, false);
	made.active.fixed = 3;
	assert_int_equal(observe(&made, FAKE_NVML, values, &unread), 0);
	assert_non_null(strstr(unread.text, "the number of its iterations is fixed"));
	make(&made, *state, false, false);
	made.active.bench_case.state = &made;
	assert_int_equal(observe(&made, FAKE_NVML, values, &unread), -1);
	dlclose(library);
}

static void a_slice_keeps_room_for_windows(void **state)
{
	static const struct {
		bool energy, counters;
		enum bench_device_kind kind;
		double slice, reserve;
	} rows[] = {{false, false, BENCH_DEVICE_GPU, 300, 0},
		    {true, false, BENCH_DEVICE_GPU, 300, BENCH_WINDOW_SECONDS},
		    {false, true, BENCH_DEVICE_GPU, 4, 2},
		    {false, true, BENCH_DEVICE_CPU, 4, 0},
		    /* Nothing counts: no time is kept for it. */
		    {true, false, BENCH_DEVICE_CPU, 4, 0}};
	const struct worker_window_places places = {*state, FAKE_NVML};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made made;
		make(&made, *state, rows[i].energy, rows[i].counters);
		made.info.kind = rows[i].kind;
		assert_true(worker_window_reserve(&made.worker, &made.item, 1, rows[i].slice, &places) ==
			    rows[i].reserve);
		assert_true(worker_window_reserve(&made.worker, &made.item, 0, rows[i].slice, &places) == 0);
		assert_int_equal(lseek(made.worker.events, 0, SEEK_END), 0);
		close(made.worker.events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energy_is_power_times_time),
		cmocka_unit_test(a_counter_that_is_slow_to_read_adds_nothing),
		cmocka_unit_test(short_steps_need_no_longer),
		cmocka_unit_test(a_meter_is_added_up),
		cmocka_unit_test(without_a_counter_there_are_spans),
		cmocka_unit_test(little_time_gives_one_span_or_none),
		cmocka_unit_test(what_the_counter_does_wrong_is_no_energy),
		cmocka_unit_test(work_that_fails_ends_it),
		in_scratch(a_gpu_gives_energy_and_counters_in_one_window),
		in_scratch(what_a_gpu_cannot_count_is_a_note),
		in_scratch(each_call_that_fails_is_a_note),
		in_scratch(what_may_explain_is_read_in_a_short_window),
		in_scratch(a_slice_keeps_room_for_windows),
	};
	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
