/* SPDX-License-Identifier: MIT */
#include "machine/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* From NVIDIA's "NVML API Reference Guide" and nvml.h of version 13; all return 0 for success. */
#define INSUFFICIENT_SIZE 7
#define NOT_FOUND         6
#define CLOCK_SM          1
#define CLOCK_MEMORY      2

typedef struct nvml_device *device;

struct utilization {
	unsigned gpu, memory;
};

struct process {
	unsigned pid;
	unsigned long long memory;
	unsigned instance, compute_instance;
};

/* Of one process, over the driver's last period, of at most a second: percent. */
struct process_use {
	unsigned pid;
	unsigned long long at_us; /* of the real-time clock */
	unsigned multiprocessors, memory, encoder, decoder;
};

static struct {
	void *handle;
	int (*init)(void);
	int (*shutdown)(void);
	const char *(*error_string)(int status);
	int (*count)(unsigned *count);
	int (*by_index)(unsigned index, device *gpu);
	int (*name)(device gpu, char *name, unsigned length);
	int (*persistence)(device gpu, int *mode);
	int (*throttle)(device gpu, unsigned long long *reasons);
	int (*clock)(device gpu, int type, unsigned *mhz);
	int (*most_clock)(device gpu, int type, unsigned *mhz);
	/* With no room for an answer, it tells how many there are. */
	int (*processes)(device gpu, unsigned *count, void *infos);
	int (*utilization)(device gpu, struct utilization *use);
	int (*by_pci)(const char *address, device *gpu);
	int (*index)(device gpu, unsigned *index);
	int (*energy)(device gpu, unsigned long long *millijoules);
	int (*bus_width)(device gpu, unsigned *bits);
	int (*process_list)(device gpu, unsigned *count, struct process *processes);
	int (*process_use)(device gpu, struct process_use *uses, unsigned *count,
			   unsigned long long since_us);
} nvml;

static const struct {
	const char *name;
	void *function;
	bool optional; /* older drivers lack it: NULL then */
} symbols[] = {
	{"nvmlInit_v2", &nvml.init, false},
	{"nvmlShutdown", &nvml.shutdown, false},
	{"nvmlErrorString", &nvml.error_string, false},
	{"nvmlDeviceGetCount_v2", &nvml.count, false},
	{"nvmlDeviceGetHandleByIndex_v2", &nvml.by_index, false},
	{"nvmlDeviceGetName", &nvml.name, false},
	{"nvmlDeviceGetPersistenceMode", &nvml.persistence, false},
	{"nvmlDeviceGetCurrentClocksThrottleReasons", &nvml.throttle, false},
	{"nvmlDeviceGetClockInfo", &nvml.clock, false},
	{"nvmlDeviceGetMaxClockInfo", &nvml.most_clock, false},
	{"nvmlDeviceGetComputeRunningProcesses", &nvml.processes, false},
	{"nvmlDeviceGetUtilizationRates", &nvml.utilization, false},
	{"nvmlDeviceGetHandleByPciBusId_v2", &nvml.by_pci, true},
	{"nvmlDeviceGetIndex", &nvml.index, true},
	{"nvmlDeviceGetTotalEnergyConsumption", &nvml.energy, true},
	{"nvmlDeviceGetMemoryBusWidth", &nvml.bus_width, true},
	{"nvmlDeviceGetComputeRunningProcesses_v3", &nvml.process_list, true},
	{"nvmlDeviceGetProcessUtilization", &nvml.process_use, true},
};

static int give_up(struct bench_error *error, int status, const char *what)
{
	bench_fail(error, BENCH_UNSUPPORTED, "%s: %s", what, nvml.error_string(status));
	dlclose(nvml.handle);
	return -1;
}

int bench_machine_nvml_open(const char *library, unsigned *count, struct bench_error *error)
{
	nvml.handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!nvml.handle)
		return bench_fail(error, BENCH_UNSUPPORTED, "%s", dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(nvml.handle, symbols[i].name);
		if (!symbol && !symbols[i].optional) {
			dlclose(nvml.handle);
			return bench_fail(error, BENCH_UNSUPPORTED, "%s has no function %s", library,
					  symbols[i].name);
		}
		memcpy(symbols[i].function, &symbol, sizeof(symbol));
	}
	int status = nvml.init();
	if (status)
		return give_up(error, status, "nvmlInit");
	status = nvml.count(count);
	if (status) {
		nvml.shutdown();
		return give_up(error, status, "nvmlDeviceGetCount");
	}
	return 0;
}

static void read_clock(device handle, long *throttle, int *clock_mhz)
{
	unsigned long long reasons;
	unsigned mhz;
	*throttle = nvml.throttle(handle, &reasons) == 0 ? (long)reasons : -1;
	*clock_mhz = nvml.clock(handle, CLOCK_SM, &mhz) == 0 ? (int)mhz : -1;
}

void bench_machine_nvml_read_clock(unsigned index, long *throttle, int *clock_mhz)
{
	device handle;
	*throttle = -1;
	*clock_mhz = -1;
	if (nvml.by_index(index, &handle) == 0)
		read_clock(handle, throttle, clock_mhz);
}

int bench_machine_nvml_read(unsigned index, struct bench_nvml_gpu *gpu, struct bench_error *error)
{
	*gpu = (struct bench_nvml_gpu){.persistent = -1, .most_mhz = -1, .processes = -1, .busy_percent = -1};
	device handle;
	int mode, status = nvml.by_index(index, &handle);
	unsigned number = 0;
	struct utilization use;
	if (status)
		return bench_fail(error, BENCH_UNSUPPORTED, "GPU %u: %s", index, nvml.error_string(status));
	if (nvml.name(handle, gpu->name, sizeof(gpu->name)) != 0)
		gpu->name[0] = '\0';
	if (nvml.persistence(handle, &mode) == 0)
		gpu->persistent = mode;
	read_clock(handle, &gpu->throttle, &gpu->clock_mhz);
	if (nvml.most_clock(handle, CLOCK_SM, &number) == 0)
		gpu->most_mhz = (int)number;
	number = 0;
	status = nvml.processes(handle, &number, NULL);
	if (status == 0 || status == INSUFFICIENT_SIZE)
		gpu->processes = (int)number;
	if (nvml.utilization(handle, &use) == 0)
		gpu->busy_percent = (int)use.gpu;
	return 0;
}

/* The driver wants room for all that it keeps, of which it gives few. */
enum { PROCESSES = 64, PROCESS_USES = 512 };

static bool is_listed(device handle, long own)
{
	struct process processes[PROCESSES];
	unsigned count = PROCESSES;
	bool listed = false;
	if (nvml.process_list(handle, &count, processes) != 0)
		return false;
	for (unsigned i = 0; i < count && i < PROCESSES; i++)
		listed |= processes[i].pid == own;
	return listed;
}

double bench_machine_nvml_others(unsigned index, long own)
{
	device handle;
	struct process_use uses[PROCESS_USES];
	unsigned count = PROCESS_USES;
	struct timespec now;
	double others = 0;
	if (!nvml.process_list || !nvml.process_use || nvml.by_index(index, &handle) != 0 ||
	    !is_listed(handle, own))
		return NAN;
	clock_gettime(CLOCK_REALTIME, &now);
	int status = nvml.process_use(handle, uses, &count, ((unsigned long long)now.tv_sec - 1) * 1000000);
	if (status == NOT_FOUND) /* of one that used it */
		return 0;
	for (unsigned i = 0; status == 0 && i < count && i < PROCESS_USES; i++)
		if (uses[i].pid != own && uses[i].multiprocessors <= 100)
			others += uses[i].multiprocessors / 100.0;
	return status == 0 ? fmin(others, 1) : NAN;
}

int bench_machine_nvml_find(const char *pci, unsigned *index)
{
	device handle;
	if (!nvml.by_pci || !nvml.index || nvml.by_pci(pci, &handle) != 0)
		return -1;
	return nvml.index(handle, index) == 0 ? 0 : -1;
}

void *bench_machine_nvml_symbol(const char *name)
{
	return dlsym(nvml.handle, name);
}

int bench_machine_nvml_failed(struct bench_error *error, const char *what, int status)
{
	return bench_fail(error, BENCH_UNSUPPORTED, "%s: %s", what, nvml.error_string(status));
}

int bench_machine_nvml_handle(unsigned index, struct nvml_device **handle, struct bench_error *error)
{
	int status = nvml.by_index(index, handle);
	return status ? bench_machine_nvml_failed(error, "nvmlDeviceGetHandleByIndex", status) : 0;
}

int bench_machine_nvml_energy(unsigned index, double *joules, struct bench_error *error)
{
	device handle;
	unsigned long long millijoules = 0;
	if (!nvml.energy)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "this driver has no nvmlDeviceGetTotalEnergyConsumption");
	if (bench_machine_nvml_handle(index, &handle, error) != 0)
		return -1;
	int status = nvml.energy(handle, &millijoules);
	if (status)
		return bench_machine_nvml_failed(error, "nvmlDeviceGetTotalEnergyConsumption", status);
	*joules = (double)millijoules * 1e-3;
	return 0;
}

int bench_machine_nvml_bandwidth(unsigned index, double *bytes_per_second, struct bench_error *error)
{
	device handle;
	unsigned mhz = 0, bits = 0;
	if (!nvml.bus_width)
		return bench_fail(error, BENCH_UNSUPPORTED, "this driver has no nvmlDeviceGetMemoryBusWidth");
	if (bench_machine_nvml_handle(index, &handle, error) != 0)
		return -1;
	int status = nvml.clock(handle, CLOCK_MEMORY, &mhz);
	if (status)
		return bench_machine_nvml_failed(error, "nvmlDeviceGetClockInfo of the memory", status);
	status = nvml.bus_width(handle, &bits);
	if (status)
		return bench_machine_nvml_failed(error, "nvmlDeviceGetMemoryBusWidth", status);
	if (!mhz || !bits)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the driver says %u MHz and %u bits of the memory", mhz, bits);
	*bytes_per_second = 2 * 1e6 * (double)mhz * (double)bits / 8;
	return 0;
}

void bench_machine_nvml_close(void)
{
	nvml.shutdown();
	dlclose(nvml.handle);
}

bool bench_machine_nvml_is_throttled(long throttle)
{
	return throttle > 0 &&
	       (throttle & (BENCH_NVML_SLOWDOWN | BENCH_NVML_HEAT | BENCH_NVML_POWER_BRAKE)) != 0;
}

void bench_machine_nvml_words(long throttle, char *out, size_t size)
{
	static const struct {
		long bits;
		const char *words;
	} reasons[] = {{BENCH_NVML_POWER_CAP, "power limit"},
		       {BENCH_NVML_SLOWDOWN, "hardware slowdown"},
		       {BENCH_NVML_HEAT, "heat"},
		       {BENCH_NVML_POWER_BRAKE, "power brake"}};
	size_t length = 0;
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (throttle < 0 || !(throttle & reasons[i].bits) || length >= size)
			continue;
		int added =
			snprintf(out + length, size - length, "%s%s", length ? ", " : "", reasons[i].words);
		length += added > 0 ? (size_t)added : 0;
	}
}
