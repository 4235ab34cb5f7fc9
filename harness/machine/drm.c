/* SPDX-License-Identifier: MIT */
#include "machine/drm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "machine/sysfs.h"

#define CARDS 8

static const char *const driver_names[] = {"", "amdgpu", "i915", "xe"};

static bool join(char *out, size_t size, const char *folder, const char *name)
{
	return bench_file_join(out, size, folder, name);
}

static bool has(const char *folder, const char *name)
{
	char path[320], text[8];
	struct bench_error unread;
	return join(path, sizeof(path), folder, name) &&
	       bench_machine_sysfs_text(path, text, sizeof(text), &unread) == 0;
}

/* The number in a file; -1: not given. */
static double number(const char *folder, const char *name)
{
	char path[400];
	double value;
	struct bench_error unread;
	return join(path, sizeof(path), folder, name) &&
			       bench_machine_sysfs_number(path, &value, &unread) == 0
		       ? value
		       : -1;
}

/* amdgpu: the folder of its sensors, of which the first clock is that of the cores. */
static bool find_amdgpu(struct bench_drm *gpu)
{
	char sensors[224], names[1][BENCH_SYSFS_NAME];
	if (!has(gpu->folder, "pp_dpm_sclk") && !has(gpu->folder, "gpu_metrics"))
		return false;
	gpu->driver = BENCH_DRM_AMDGPU;
	if (join(sensors, sizeof(sensors), gpu->folder, "hwmon") &&
	    bench_machine_sysfs_names(sensors, "hwmon", names, 1) == 1 &&
	    !join(gpu->clocks, sizeof(gpu->clocks), sensors, names[0]))
		gpu->clocks[0] = '\0';
	return true;
}

static bool find_i915(struct bench_drm *gpu)
{
	char cards[224], names[CARDS][BENCH_SYSFS_NAME];
	if (!join(cards, sizeof(cards), gpu->folder, "drm"))
		return false;
	size_t count = bench_machine_sysfs_names(cards, "card", names, CARDS);
	for (size_t i = 0; i < count; i++) {
		snprintf(gpu->clocks, sizeof(gpu->clocks), "%.200s/%.47s/gt/gt0", cards, names[i]);
		if (!has(gpu->clocks, "rps_act_freq_mhz"))
			continue;
		gpu->driver = BENCH_DRM_I915;
		return true;
	}
	return false;
}

static bool find_xe(struct bench_drm *gpu)
{
	if (!join(gpu->clocks, sizeof(gpu->clocks), gpu->folder, "tile0/gt0/freq0") ||
	    !has(gpu->clocks, "act_freq"))
		return false;
	gpu->driver = BENCH_DRM_XE;
	return true;
}

static bool find(struct bench_drm *gpu)
{
	if (find_amdgpu(gpu) || find_xe(gpu) || find_i915(gpu))
		return true;
	*gpu = (struct bench_drm){0};
	return false;
}

bool bench_machine_drm_open(struct bench_drm *gpu, const char *sys, const char *pci)
{
	*gpu = (struct bench_drm){0};
	snprintf(gpu->folder, sizeof(gpu->folder), "%.120s/bus/pci/devices/%.32s", sys ? sys : "/sys", pci);
	return find(gpu);
}

bool bench_machine_drm_open_card(struct bench_drm *gpu, const char *sys, const char *card)
{
	*gpu = (struct bench_drm){0};
	snprintf(gpu->folder, sizeof(gpu->folder), "%.120s/class/drm/%.40s/device", sys ? sys : "/sys", card);
	return find(gpu);
}

/* Files of i915 ("throttle_reason_pl1") and xe ("throttle/reason_pl1") with 0 or 1 in each. */
static const struct {
	const char *name;
	long bits;
} reasons[] = {
	{"pl1", BENCH_NVML_POWER_CAP},         {"pl2", BENCH_NVML_POWER_CAP},
	{"pl4", BENCH_NVML_POWER_CAP},         {"vr_tdc", BENCH_NVML_POWER_CAP},
	{"iccmax", BENCH_NVML_POWER_CAP},      {"fastvmode", BENCH_NVML_POWER_CAP},
	{"thermal", BENCH_NVML_HEAT},          {"ratl", BENCH_NVML_HEAT},
	{"vr_thermalert", BENCH_NVML_HEAT},    {"vr_thermal", BENCH_NVML_HEAT},
	{"soc_thermal", BENCH_NVML_HEAT},      {"mem_thermal", BENCH_NVML_HEAT},
	{"soc_avg_thermal", BENCH_NVML_HEAT},  {"prochot", BENCH_NVML_SLOWDOWN},
	{"psys_pl1", BENCH_NVML_POWER_BRAKE},  {"psys_pl2", BENCH_NVML_POWER_BRAKE},
	{"psys_crit", BENCH_NVML_POWER_BRAKE}, {"p0_freq", 0}, /* its own highest clock */
};

static long intel_throttle(const struct bench_drm *gpu)
{
	const char *prefix = gpu->driver == BENCH_DRM_XE ? "throttle/" : "throttle_";
	char name[64];
	snprintf(name, sizeof(name), gpu->driver == BENCH_DRM_XE ? "%sstatus" : "%sreason_status", prefix);
	double status = number(gpu->clocks, name);
	long bits = 0;
	bool named = false;
	if (status < 0)
		return -1;
	for (size_t i = 0; status > 0 && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		snprintf(name, sizeof(name), "%sreason_%s", prefix, reasons[i].name);
		bool holds = number(gpu->clocks, name) > 0;
		bits |= holds ? reasons[i].bits : 0;
		named |= holds;
	}
	/* A reason that newer hardware has is one. */
	return status > 0 && !named ? BENCH_NVML_SLOWDOWN : bits;
}

/*
 * gpu_metrics of amdgpu: a table whose head has its size (16 bits), format and revision (8 each). Of these,
 * "indep_throttle_status", whose bits all devices share (include/kgd_pp_interface.h, pm/swsmu/inc/
 * amdgpu_smu.h of Linux 6.1): bits 0 to 31 are limits of power and current, 32 to 43 temperatures, 44 to 47
 * signals that something is hot.
 */
static const struct {
	uint8_t format, revision;
	size_t at, size;
} tables[] = {{1, 3, 112, 120}, {2, 2, 120, 128}};

long bench_machine_drm_metrics(const unsigned char *table, size_t length)
{
	uint16_t size;
	uint64_t status;
	for (size_t i = 0; length >= 4 && i < sizeof(tables) / sizeof(tables[0]); i++) {
		memcpy(&size, table, sizeof(size));
		if (table[2] != tables[i].format || table[3] != tables[i].revision ||
		    size != tables[i].size || length < size)
			continue;
		memcpy(&status, table + tables[i].at, sizeof(status));
		/* All ones: the firmware does not give it. */
		if (status == UINT64_MAX)
			return -1;
		return (status & 0xffffffff ? BENCH_NVML_POWER_CAP : 0) |
		       (status >> 32 & 0xfff ? BENCH_NVML_HEAT : 0) |
		       (status >> 44 & 0xf ? BENCH_NVML_SLOWDOWN : 0);
	}
	return -1;
}

static long amd_throttle(const struct bench_drm *gpu)
{
	unsigned char table[256];
	char path[320];
	BENCH_SCOPED_FILE *file =
		join(path, sizeof(path), gpu->folder, "gpu_metrics") ? bench_file_open(path) : NULL;
	size_t length = file ? fread(table, 1, sizeof(table), file) : 0;
	return bench_machine_drm_metrics(table, length);
}

static int megahertz(double value, double unit)
{
	return value > 0 && value * unit < 1e6 ? (int)(value * unit + 0.5) : -1;
}

static int clock_of(const struct bench_drm *gpu)
{
	switch (gpu->driver) {
	case BENCH_DRM_AMDGPU:
		return *gpu->clocks ? megahertz(number(gpu->clocks, "freq1_input"), 1e-6) : -1;
	case BENCH_DRM_I915:
		return megahertz(number(gpu->clocks, "rps_act_freq_mhz"), 1);
	case BENCH_DRM_XE:
		return megahertz(number(gpu->clocks, "act_freq"), 1);
	default:
		return -1;
	}
}

/* "0: 500Mhz\n1: 2100Mhz *\n" */
int bench_machine_drm_levels(const char *text)
{
	int most = -1;
	while ((text = strchr(text, ':'))) {
		long mhz = strtol(++text, NULL, 10);
		most = mhz > 0 && mhz > most && mhz < 1000000 ? (int)mhz : most;
	}
	return most;
}

static int most_of_levels(const struct bench_drm *gpu)
{
	char path[320], text[1024];
	struct bench_error unread;
	return join(path, sizeof(path), gpu->folder, "pp_dpm_sclk") &&
			       bench_machine_sysfs_text(path, text, sizeof(text), &unread) == 0
		       ? bench_machine_drm_levels(text)
		       : -1;
}

void bench_machine_drm_read_clock(const struct bench_drm *gpu, long *throttle, int *clock_mhz)
{
	*throttle = gpu->driver == BENCH_DRM_NONE     ? -1
		    : gpu->driver == BENCH_DRM_AMDGPU ? amd_throttle(gpu)
						      : intel_throttle(gpu);
	/* A GPU that sleeps says 0. */
	*clock_mhz = clock_of(gpu);
}

void bench_machine_drm_read(const struct bench_drm *gpu, struct bench_nvml_gpu *figures)
{
	*figures = (struct bench_nvml_gpu){
		.persistent = -1, .most_mhz = -1, .processes = -1, .busy_percent = -1};
	snprintf(figures->name, sizeof(figures->name), "%s", driver_names[gpu->driver]);
	bench_machine_drm_read_clock(gpu, &figures->throttle, &figures->clock_mhz);
	if (gpu->driver == BENCH_DRM_AMDGPU) {
		double busy = number(gpu->folder, "gpu_busy_percent");
		figures->busy_percent = busy >= 0 && busy <= 100 ? (int)busy : -1;
		figures->most_mhz = most_of_levels(gpu);
	} else if (gpu->driver != BENCH_DRM_NONE) {
		figures->most_mhz = megahertz(
			number(gpu->clocks, gpu->driver == BENCH_DRM_XE ? "rp0_freq" : "rps_RP0_freq_mhz"),
			1);
	}
}
