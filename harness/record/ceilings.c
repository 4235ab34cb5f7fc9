/* SPDX-License-Identifier: MIT */
/*
 * Shares of the device's measured ceilings (roofline: Williams, Waterman and Patterson, 2009), and
 * rates that cannot be. docs/suites/peak.md is for users.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/internal.h"

/* Caches may hold less than this, so that such a case can exceed a ceiling of memory. */
#define RESIDENT_BYTES ((uint64_t)256 << 20)
/* A ceiling is a measurement too. */
#define IMPLAUSIBLE 1.1

#define SHARE "peak_share"

const char *const bench_record_ceiling_types[] = {
	[BENCH_F32] = "f32",   [BENCH_F64] = "f64",   [BENCH_F16] = "f16",
	[BENCH_BF16] = "bf16", [BENCH_TF32] = "tf32",
};

enum bench_dtype bench_record_ceiling_type(const struct bench_result *result)
{
	const char *dtype = bench_record_param(result, "dtype");
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		if (strcmp(dtype, bench_record_ceiling_types[i]) == 0)
			return (enum bench_dtype)i;
	return BENCH_F32;
}

/*
 * FLOP/s; 0: not known. CPUs compute in f32 what has less than its bits, and GPUs on other units, which suite
 * peak may not have measured.
 */
static double flop_rate_of(const struct bench_result *result, const struct bench_device_record *device)
{
	const double *rates = device->ceilings.flop_rate;
	enum bench_dtype type = bench_record_ceiling_type(result);
	if (rates[type] == 0 && type != BENCH_F64 && device->info.kind == BENCH_DEVICE_CPU)
		return rates[BENCH_F32];
	return rates[type];
}

static double median_of(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	return metric && metric->summary.median > 0 ? metric->summary.median : 0;
}

/* The median of the best invocation: what other work of the machine took away is not the device's. */
static double best_of(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	double best = 0;
	bool disturbed;
	for (size_t i = 0; metric && i < metric->series_count; i++)
		best = fmax(best, bench_record_series_median(&metric->series[i], &disturbed));
	return best;
}

static void raise_ceiling(struct bench_ceilings *ceilings, double *ceiling, double reached, const char *run)
{
	if (!(reached > *ceiling))
		return;
	*ceiling = reached;
	snprintf(ceilings->run, sizeof(ceilings->run), "%s", run);
}

/* What this run reached itself counts as well; but a bandwidth of little data is a cache's. */
static void take_own(struct bench_run *run, struct bench_device_record *device)
{
	struct bench_ceilings *ceilings = &device->ceilings;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status != BENCH_STATUS_OK || strcmp(result->suite, "peak") != 0 ||
		    bench_record_device(run, result->backend, result->device) != device)
			continue;
		double *flop_rate = &ceilings->flop_rate[bench_record_ceiling_type(result)];
		raise_ceiling(ceilings, flop_rate, best_of(result, "flop_rate"), run->id);
		if (result->work.device_bytes >= RESIDENT_BYTES)
			raise_ceiling(ceilings, &ceilings->bandwidth, best_of(result, "bandwidth"), run->id);
	}
}

/* Why no device could have been so fast; "" where it could. */
static void find_implausible(const struct bench_result *result, double compute_seconds, double memory_seconds,
			     char *why, size_t size)
{
	double time = median_of(result, "time");
	bool resident = result->work.device_bytes < RESIDENT_BYTES;
	bool compute = compute_seconds > IMPLAUSIBLE * time;
	if (time == 0 || !(compute || (!resident && memory_seconds > IMPLAUSIBLE * time)))
		return;
	snprintf(why, size, "%.3g times the %s that this device reached when it was measured",
		 fmax(compute ? compute_seconds : 0, resident ? 0 : memory_seconds) / time,
		 compute ? "arithmetic" : "bandwidth");
}

static void derive_share(struct bench_run *run, struct bench_result *result,
			 const struct bench_device_record *device)
{
	char why[128] = "";
	if (device && result->status == BENCH_STATUS_OK && strcmp(result->suite, "peak") != 0) {
		const struct bench_ceilings *ceilings = &device->ceilings;
		double flop_rate = flop_rate_of(result, device);
		double bandwidth = ceilings->bandwidth;
		double compute = flop_rate > 0 ? result->work.flops / flop_rate : 0;
		double memory = bandwidth > 0 ? result->work.bytes / bandwidth : 0;
		/* Half a roof says nothing of what is under it. */
		bool known = (result->work.flops == 0 || flop_rate > 0) &&
			     (result->work.bytes == 0 || bandwidth > 0);
		double least = known ? fmax(compute, memory) : 0;
		record_derive_rate(run, result, SHARE, least, "time");
		record_summarize_rate(result, SHARE, least, "time");
		find_implausible(result, compute, memory, why, sizeof(why));
	}
	if (*why)
		bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "implausible",
					   why);
	else
		record_drop_note(result, "implausible");
}

static bool same_ceilings(const struct bench_ceilings *a, const struct bench_ceilings *b)
{
	bool same = a->bandwidth == b->bandwidth;
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		same &= a->flop_rate[i] == b->flop_rate[i];
	return same;
}

void record_derive_shares(struct bench_run *run)
{
	bool changed = false;
	for (size_t i = 0; i < run->device_count; i++) {
		struct bench_device_record *device = &run->devices[i];
		take_own(run, device);
		changed |= !same_ceilings(&device->ceilings, &device->applied);
		device->applied = device->ceilings;
	}
	for (size_t i = 0; i < run->result_count; i++) {
		struct bench_result *result = &run->results[i];
		if (changed || !result->is_final)
			derive_share(run, result, bench_record_device(run, result->backend, result->device));
	}
}
