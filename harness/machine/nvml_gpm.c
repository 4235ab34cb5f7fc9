/* SPDX-License-Identifier: MIT */
#include "machine/nvml_gpm.h"

#include <math.h>
#include <string.h>

/*
 * From nvml.h of version 13 (driver 580), as NVIDIA/go-nvml has it: nvmlGpmSupport_t, nvmlGpmMetric_t and
 * nvmlGpmMetricsGet_t. The versions of both structures are 1. The array has grown from 98 to 333 members
 * under that one version, so the library uses as many as `count` says.
 */
#define VERSION 1
#define MOST    333

struct support {
	unsigned version, supported;
};

struct metric {
	unsigned id;
	int status; /* 0: the value holds */
	double value;
	struct {
		char *name, *long_name, *unit;
	} info;
};

struct request {
	unsigned version, count;
	void *first, *second;
	struct metric metrics[MOST];
};

_Static_assert(sizeof(void *) != 8 || sizeof(struct metric) == 40, "nvmlGpmMetric_t");
_Static_assert(sizeof(void *) != 8 || offsetof(struct request, metrics) == 24, "nvmlGpmMetricsGet_t");

static struct {
	int (*query)(struct nvml_device *gpu, struct support *support);
	int (*alloc)(void **sample);
	int (*free)(void *sample);
	int (*get)(struct nvml_device *gpu, void *sample);
	int (*metrics)(struct request *request);
} calls;

static const struct {
	const char *name;
	void *function;
} symbols[] = {
	{"nvmlGpmQueryDeviceSupport", &calls.query}, {"nvmlGpmSampleAlloc", &calls.alloc},
	{"nvmlGpmSampleFree", &calls.free},          {"nvmlGpmSampleGet", &calls.get},
	{"nvmlGpmMetricsGet", &calls.metrics},
};

/* nvmlGpmMetricId_t; values are percent. */
static const unsigned ids[BENCH_GPMS] = {
	[BENCH_GPM_SM] = 2,   [BENCH_GPM_OCCUPANCY] = 3, [BENCH_GPM_TENSOR] = 5, [BENCH_GPM_DRAM] = 10,
	[BENCH_GPM_F64] = 11, [BENCH_GPM_F32] = 12,      [BENCH_GPM_F16] = 13,
};

static int load(struct bench_error *error)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = bench_machine_nvml_symbol(symbols[i].name);
		if (!symbol)
			return bench_fail(error, BENCH_UNSUPPORTED, "this driver has no %s", symbols[i].name);
		memcpy(symbols[i].function, &symbol, sizeof(symbol));
	}
	return 0;
}

int bench_machine_nvml_gpm_open(struct bench_nvml_gpm *gpm, unsigned index, struct bench_error *error)
{
	struct support support = {.version = VERSION};
	struct nvml_device *gpu;
	*gpm = (struct bench_nvml_gpm){0};
	if (load(error) != 0 || bench_machine_nvml_handle(index, &gpu, error) != 0)
		return -1;
	int status = calls.query(gpu, &support);
	if (status)
		return bench_machine_nvml_failed(error, "nvmlGpmQueryDeviceSupport", status);
	if (!support.supported)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the GPU has no performance monitoring by NVML (GPM): Hopper and newer do");
	gpm->gpu = gpu;
	for (size_t i = 0; i < 2; i++) {
		status = calls.alloc(&gpm->samples[i]);
		if (!status && gpm->samples[i])
			continue;
		gpm->samples[i] = NULL;
		bench_machine_nvml_gpm_close(gpm);
		return bench_machine_nvml_failed(error, "nvmlGpmSampleAlloc", status);
	}
	return 0;
}

int bench_machine_nvml_gpm_mark(struct bench_nvml_gpm *gpm, struct bench_error *error)
{
	void *oldest = gpm->samples[0];
	int status = calls.get(gpm->gpu, oldest);
	if (status) {
		gpm->marks = 0; /* what the call left in there is no reading */
		return bench_machine_nvml_failed(error, "nvmlGpmSampleGet", status);
	}
	gpm->samples[0] = gpm->samples[1];
	gpm->samples[1] = oldest;
	gpm->marks++;
	return 0;
}

/* The hardware's own counting may end slightly above the whole. */
static double share_of(const struct metric *metric)
{
	double share = metric->value / 100;
	return metric->status == 0 && share >= 0 && share <= 1.01 ? fmin(share, 1) : NAN;
}

int bench_machine_nvml_gpm_read(struct bench_nvml_gpm *gpm, double shares[BENCH_GPMS],
				struct bench_error *error)
{
	struct request request = {
		.version = VERSION, .count = BENCH_GPMS, .first = gpm->samples[0], .second = gpm->samples[1]};
	for (size_t i = 0; i < BENCH_GPMS; i++) {
		request.metrics[i] = (struct metric){.id = ids[i], .status = -1, .value = NAN};
		shares[i] = NAN;
	}
	if (gpm->marks < 2)
		return bench_fail(error, BENCH_FAILED, "GPM has fewer than two readings");
	int status = calls.metrics(&request);
	if (status)
		return bench_machine_nvml_failed(error, "nvmlGpmMetricsGet", status);
	for (size_t i = 0; i < BENCH_GPMS; i++)
		shares[i] = share_of(&request.metrics[i]);
	return 0;
}

void bench_machine_nvml_gpm_close(struct bench_nvml_gpm *gpm)
{
	for (size_t i = 0; gpm->gpu && i < 2; i++)
		if (gpm->samples[i])
			calls.free(gpm->samples[i]);
	*gpm = (struct bench_nvml_gpm){0};
}
