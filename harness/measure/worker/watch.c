/* SPDX-License-Identifier: MIT */
#include "measure/worker/watch.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "machine/quiesce.h"
#include "measure/worker/times.h"
#include "stats/stats.h"

#define WINDOW_SECONDS 0.2
#define SHORT_SECONDS  0.1 /* a shorter last window is judged with the one before it */
#define CANARY_SECONDS 0.1 /* from one canary to the next: it takes about a hundredth of that */
#define WAIT_SECONDS   2.0 /* between waits for own threads that spin after a call */

bool bench_worker_watch_is_device_disturbed(const struct bench_watch_reading *reading)
{
	return reading->throttled || reading->gpu_others > BENCH_WATCH_GPU;
}

bool bench_worker_watch_is_disturbed(const struct bench_watch_reading *reading, char *reason, size_t size)
{
	BENCH_SCOPED_TEXT text = {0};
	if (reading->others > fmax(BENCH_WATCH_OTHERS, (double)reading->processors / 8))
		bench_text_add(&text, "other processes used %.2f cores", reading->others);
	if (reading->waited > BENCH_WATCH_WAITED)
		bench_text_add(&text, "%sit waited for %.2f cores", text.length ? ", " : "", reading->waited);
	if (reading->steal > BENCH_WATCH_STEAL)
		bench_text_add(&text, "%sthe hypervisor took %.2f cores", text.length ? ", " : "",
			       reading->steal);
	if (reading->canary > BENCH_WATCH_CANARY)
		bench_text_add(&text, "%scanary %.2fx", text.length ? ", " : "", reading->canary);
	if (reading->gpu_others > BENCH_WATCH_GPU)
		bench_text_add(&text, "%sother processes used %.0f%% of the GPU", text.length ? ", " : "",
			       100 * reading->gpu_others);
	if (reading->throttled)
		bench_text_add(&text, "%sthe device was throttled", text.length ? ", " : "");
	snprintf(reason, size, "%s", text.data ? text.data : "");
	return text.length > 0;
}

/*
 * Runs the canary only while no other thread of this process runs: such a thread would slow it, which is no
 * disturbance from outside.
 */
static void do_canary(struct bench_watch *watch)
{
	double seconds = bench_machine_canary_run(&watch->canary);
	watch->canary_at = bench_clock_seconds();
	if (!bench_worker_times_is_possible(seconds))
		return;
	BENCH_PUSH(&watch->arena, watch->canaries, watch->canary_count) = seconds;
	watch->fastest = fmin(watch->fastest, seconds);
	watch->slowest = fmax(watch->slowest, seconds);
}

static void look_at_canary(struct bench_watch *watch, bool last)
{
	double since = bench_clock_seconds() - watch->canary_at;
	if (!watch->has_canary || since < CANARY_SECONDS)
		return;
	bool idle = bench_machine_is_quiescent();
	if (!idle && !watch->never_idle && (since >= WAIT_SECONDS || (last && isnan(watch->slowest)))) {
		idle = bench_machine_quiesce();
		watch->never_idle = !idle;
	}
	if (idle)
		do_canary(watch);
}

/* The frequency of the processor that this thread runs on: that of an idle one tells nothing. */
static double frequency_now(void)
{
	char path[96];
	double khz = NAN;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
		 sched_getcpu());
	BENCH_SCOPED_FILE *file = bench_file_open(path);
	if (!file)
		return NAN;
	if (fscanf(file, "%lf", &khz) != 1)
		khz = NAN;
	return khz * 1e3;
}

/* Is the GPU slowed? *others: the share of its time that other processes used. */
static bool look_at_device(struct bench_watch *watch, double *others)
{
	long throttle;
	int mhz;
	*others = NAN;
	if (watch->gpu >= 0) {
		bench_machine_nvml_read_clock((unsigned)watch->gpu, &throttle, &mhz);
		*others = bench_machine_nvml_others((unsigned)watch->gpu, getpid());
	} else if (watch->drm.driver != BENCH_DRM_NONE) {
		bench_machine_drm_read_clock(&watch->drm, &throttle, &mhz);
	} else {
		return false;
	}
	if (throttle >= 0)
		watch->throttle = throttle | (watch->throttle < 0 ? 0 : watch->throttle);
	if (mhz >= 0 && (watch->device_mhz < 0 || mhz < watch->device_mhz))
		watch->device_mhz = mhz;
	return bench_machine_nvml_is_throttled(throttle);
}

static long open_gpu(const char *library, long gpu)
{
	struct bench_error error;
	unsigned count;
	if (gpu < 0 || bench_machine_nvml_open(library, &count, &error) != 0)
		return -1;
	if (gpu < (long)count)
		return gpu;
	bench_machine_nvml_close();
	return -1;
}

void bench_worker_watch_start(struct bench_watch *watch, double fastest, const char *library, long gpu,
			      bool gpu_only)
{
	*watch = (struct bench_watch){.fastest = fastest > 0 ? fastest : NAN,
				      .slowest = NAN,
				      .worst = {NAN, NAN, NAN, 0, NAN, false, NAN},
				      .gpu_others = NAN,
				      .frequency = NAN,
				      .gpu_only = gpu_only,
				      .gpu = open_gpu(library, gpu),
				      .device_mhz = -1,
				      .throttle = -1};
	watch->has_canary = !gpu_only && bench_machine_canary_open(&watch->canary) == 0;
	bench_machine_load_read(&watch->opened);
	watch->before = watch->opened;
	if (watch->has_canary)
		do_canary(watch);
}

void bench_worker_watch_drm(struct bench_watch *watch, const char *sys, const char *pci)
{
	if (watch->gpu < 0 && watch->drm.driver == BENCH_DRM_NONE)
		bench_machine_drm_open(&watch->drm, sys, pci);
}

void bench_worker_watch_end(struct bench_watch *watch)
{
	if (watch->has_canary)
		bench_machine_canary_close(&watch->canary);
	if (watch->gpu >= 0)
		bench_machine_nvml_close();
	bench_arena_free(&watch->arena);
}

void bench_worker_watch_open(struct bench_watch *watch)
{
	watch->before = watch->opened;
	bench_machine_load_read(&watch->opened);
}

static void keep_worst(struct bench_watch_reading *worst, const struct bench_watch_reading *reading)
{
	worst->others = fmax(worst->others, reading->others);
	worst->waited = fmax(worst->waited, reading->waited);
	worst->steal = fmax(worst->steal, reading->steal);
	worst->canary = fmax(worst->canary, reading->canary);
}

enum bench_visits bench_worker_watch_visited(struct bench_watch *watch, bool last)
{
	look_at_canary(watch, last);
	if (!last && bench_clock_seconds() - watch->opened.at < WINDOW_SECONDS)
		return BENCH_VISITS_OPEN;
	struct bench_load load;
	bench_machine_load_read(&load);
	bool is_short = load.at - watch->opened.at < SHORT_SECONDS;
	struct bench_load_use use =
		bench_machine_load_between(is_short ? &watch->before : &watch->opened, &load);
	struct bench_watch_reading reading = {.others = use.others,
					      .waited = use.waited,
					      .steal = use.steal,
					      .processors = load.processors,
					      .canary = watch->slowest / watch->fastest};
	reading.throttled = look_at_device(watch, &reading.gpu_others);
	watch->gpu_others = fmax(watch->gpu_others, reading.gpu_others);
	watch->frequency = fmin(watch->frequency, frequency_now());
	keep_worst(&watch->worst, &reading);
	if (!is_short)
		watch->before = watch->opened;
	watch->opened = load;
	watch->slowest = NAN;
	char reason[sizeof(watch->reason)];
	if (!bench_worker_watch_is_disturbed(&reading, reason, sizeof(reason)))
		return BENCH_VISITS_FINE;
	memcpy(watch->reason, reason, sizeof(reason));
	return watch->gpu_only && !bench_worker_watch_is_device_disturbed(&reading)
		       ? BENCH_VISITS_HOST_DISTURBED
		       : BENCH_VISITS_DISTURBED;
}

/* What the device's driver says, in words. */
static char *device_words(struct bench_watch *watch)
{
	char reasons[128];
	struct bench_text text = {0};
	bench_machine_nvml_words(watch->throttle, reasons, sizeof(reasons));
	if (watch->gpu_others > BENCH_WATCH_GPU)
		bench_text_add(&text, "others used up to %.0f%s", 100 * watch->gpu_others,
			       BENCH_WATCHED_GPU_USED);
	if (watch->device_mhz >= 0)
		bench_text_add(&text, "%slowest clock %d MHz", text.length ? ", " : "", watch->device_mhz);
	if (*reasons)
		bench_text_add(&text, "%sheld back by: %s", text.length ? ", " : "", reasons);
	return bench_text_keep(&text, &watch->arena);
}

/* To four digits behind the point: the rest is noise, and a history keeps it of every invocation. */
static double rounded(double value)
{
	return round(value * 1e4) / 1e4;
}

void bench_worker_watch_summarize(struct bench_watch *watch, struct bench_watched *watched)
{
	*watched = (struct bench_watched){
		.canary =
			watch->canary_count ? bench_stats_median(watch->canaries, watch->canary_count) : NAN,
		.canary_worst = rounded(watch->worst.canary),
		.others = rounded(watch->worst.others),
		.steal = rounded(watch->worst.steal),
		.frequency = watch->frequency,
		.device = device_words(watch)};
}
