/* SPDX-License-Identifier: MIT */
/*
 * A library with the names of NVML and two GPUs, of which the second is hot, and has GPM. Any of its calls
 * may be made to fail. The declarations are those of nvml.h, version 13 (NVIDIA/go-nvml), written again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int status);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned length);
int nvmlDeviceGetPersistenceMode(void *device, int *mode);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *infos);
int nvmlDeviceGetUtilizationRates(void *device, unsigned *percents);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device);
int nvmlDeviceGetIndex(void *device, unsigned *index);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits);
struct process {
	unsigned pid;
	unsigned long long memory;
	unsigned instance, compute_instance;
};
struct process_use {
	unsigned pid;
	unsigned long long at_us;
	unsigned multiprocessors, memory, encoder, decoder;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *processes);
int nvmlDeviceGetProcessUtilization(void *device, struct process_use *uses, unsigned *count,
				    unsigned long long since_us);
void fake_nvml_use(const char *who, unsigned percent);
struct gpm_support {
	unsigned version, supported;
};
struct gpm_metric {
	unsigned id;
	int status;
	double value;
	char *short_name, *long_name, *unit;
};
struct gpm_metrics {
	unsigned version, count;
	void *first, *second;
	struct gpm_metric metrics[98]; /* as many as in driver 525; newer ones have room for more */
};
int nvmlGpmQueryDeviceSupport(void *device, struct gpm_support *support);
int nvmlGpmSampleAlloc(void **sample);
int nvmlGpmSampleFree(void *sample);
int nvmlGpmSampleGet(void *device, void *sample);
int nvmlGpmMetricsGet(struct gpm_metrics *metrics);
int fake_nvml_users(void);
int fake_nvml_samples(void);
void fake_nvml_fail(const char *call);

enum {
	OK,
	INVALID_ARGUMENT = 2,
	NOT_SUPPORTED = 3,
	NOT_FOUND = 6,
	INSUFFICIENT_SIZE = 7,
	UNKNOWN = 999,
	CLOCK_SM = 1,
	CLOCK_MEMORY = 2
};

static int users, samples, cold, hot;
static const char *failing = "", *users_are = "";
static unsigned use_percent;

/* The call of that name fails from now on; "": none does. The text stays the caller's. */
void fake_nvml_fail(const char *call)
{
	failing = call;
}

static int fails(const char *call)
{
	return strcmp(failing, call) == 0;
}

static double now(void)
{
	struct timespec time;
	timespec_get(&time, TIME_UTC);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int nvmlInit_v2(void)
{
	if (fails("nvmlInit"))
		return UNKNOWN;
	users++;
	return OK;
}

int nvmlShutdown(void)
{
	users--;
	return OK;
}

int fake_nvml_users(void)
{
	return users;
}

const char *nvmlErrorString(int status)
{
	return status == INVALID_ARGUMENT ? "Invalid Argument" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = 2;
	return fails("nvmlDeviceGetCount") ? UNKNOWN : OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
	*device = index == 0 ? &cold : &hot;
	if (fails("nvmlDeviceGetHandleByIndex"))
		return UNKNOWN;
	return index < 2 ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length)
{
	name[0] = device == &hot ? 'H' : 'C';
	name[1] = '\0';
	return length >= 2 ? OK : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetPersistenceMode(void *device, int *mode)
{
	*mode = 1;
	return device == &hot ? NOT_SUPPORTED : OK;
}

/* Idle and set clocks, or heat beside them. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
	*reasons = device == &hot ? 0x1 | 0x4 | 0x40 : 0x1 | 0x2;
	return OK;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = type == CLOCK_MEMORY ? 2619 : device == &hot ? 1200 : 1980;
	if (fails(type == CLOCK_MEMORY ? "memory clock" : "clock"))
		return UNKNOWN;
	return type == CLOCK_SM || type == CLOCK_MEMORY ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = 1980;
	return device && type == CLOCK_SM ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *infos)
{
	*count = device == &hot ? 3 : 0;
	return infos || *count == 0 ? OK : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *percents)
{
	percents[0] = device == &hot ? 90 : 0;
	percents[1] = 0;
	return OK;
}

#ifndef OLD_NVML
/*
 * Who uses a GPU from now on: "own", this process; "others", it and two more; "foreign", two that are not it;
 * "none", this process, which has done nothing yet. Each for so many percent of the time.
 */
void fake_nvml_use(const char *who, unsigned percent)
{
	users_are = who;
	use_percent = percent;
}

static unsigned numbers(unsigned pids[3])
{
	unsigned count = 0;
	if (strcmp(users_are, "foreign") != 0)
		pids[count++] = (unsigned)getpid();
	if (strcmp(users_are, "foreign") == 0 || strcmp(users_are, "others") == 0) {
		pids[count++] = (unsigned)getpid() + 1;
		pids[count++] = (unsigned)getpid() + 2;
	}
	return count;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *processes)
{
	unsigned pids[3], found = numbers(pids);
	if (fails("nvmlDeviceGetComputeRunningProcesses_v3") || !device)
		return UNKNOWN;
	if (*count < found)
		return INSUFFICIENT_SIZE;
	for (unsigned i = 0; i < found; i++)
		processes[i] = (struct process){.pid = pids[i]};
	*count = found;
	return OK;
}

/* As the driver does, it wants room for more than it has. */
int nvmlDeviceGetProcessUtilization(void *device, struct process_use *uses, unsigned *count,
				    unsigned long long since_us)
{
	unsigned pids[3], found = numbers(pids);
	if (fails("nvmlDeviceGetProcessUtilization") || !device || !since_us)
		return UNKNOWN;
	if (*count < 100)
		return INSUFFICIENT_SIZE;
	if (strcmp(users_are, "none") == 0)
		return NOT_FOUND;
	for (unsigned i = 0; i < found; i++)
		uses[i] = (struct process_use){.pid = pids[i], .multiprocessors = use_percent};
	*count = found;
	return OK;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device)
{
	*device = &hot;
	if (fails("nvmlDeviceGetHandleByPciBusId"))
		return UNKNOWN;
	return strcmp(address, "0000:3b:00.0") == 0 ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetIndex(void *device, unsigned *index)
{
	*index = device == &hot;
	return fails("nvmlDeviceGetIndex") ? UNKNOWN : OK;
}

/* 200 W, in steps of 100 ms. */
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
	*millijoules = 20000 * (unsigned long long)(now() * 10);
	if (fails("nvmlDeviceGetTotalEnergyConsumption"))
		return UNKNOWN;
	return device == &hot ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits)
{
	*bits = fails("no bits") ? 0 : 5120;
	return device && !fails("nvmlDeviceGetMemoryBusWidth") ? OK : UNKNOWN;
}

int nvmlGpmQueryDeviceSupport(void *device, struct gpm_support *support)
{
	if (fails("nvmlGpmQueryDeviceSupport"))
		return UNKNOWN;
	support->supported = device == &hot;
	return support->version == 1 ? OK : INVALID_ARGUMENT;
}

int nvmlGpmSampleAlloc(void **sample)
{
	if (fails("nvmlGpmSampleAlloc") || (fails("second nvmlGpmSampleAlloc") && samples > 0))
		return UNKNOWN;
	*sample = calloc(1, sizeof(double));
	samples += *sample != NULL;
	return OK;
}

int nvmlGpmSampleFree(void *sample)
{
	samples--;
	free(sample);
	return OK;
}

int fake_nvml_samples(void)
{
	return samples;
}

int nvmlGpmSampleGet(void *device, void *sample)
{
	*(double *)sample = now();
	return device == &hot && !fails("nvmlGpmSampleGet") ? OK : UNKNOWN;
}

/* Percent: ten times the number of the metric. FP16 is none that this GPU counts. */
int nvmlGpmMetricsGet(struct gpm_metrics *metrics)
{
	if (fails("nvmlGpmMetricsGet"))
		return UNKNOWN;
	if (metrics->version != 1 || *(double *)metrics->second < *(double *)metrics->first)
		return INVALID_ARGUMENT;
	for (unsigned i = 0; i < metrics->count; i++) {
		struct gpm_metric *metric = &metrics->metrics[i];
		metric->status = metric->id == 13 ? NOT_SUPPORTED : OK;
		metric->value = metric->id == 12 ? 1e30 : metric->id == 11 ? NAN : 10.0 * metric->id;
	}
	return OK;
}
#endif
