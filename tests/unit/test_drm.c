/* SPDX-License-Identifier: MIT */
/*
 * GPUs of other vendors by the kernel's files, on trees that look as Linux 6.1 (amdgpu, i915) and 6.8 (xe)
 * make them. No such device was at hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "machine/drm.h"
#include "measure/worker/watch.h"
#include "scratch.h"

#define PCI  "0000:03:00.0"
#define GPU  "bus/pci/devices/" PCI "/"
#define I915 GPU "drm/card1/gt/gt0/"
#define XE   GPU "tile0/gt0/freq0/"

static void put_bytes(const char *root, const char *name, const void *bytes, size_t size)
{
	char path[512];
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/%s", root, name);
	*strrchr(path, '/') = '\0';
	assert_int_equal(bench_file_make_folder(path, &error), 0);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void put(const char *root, const char *name, const char *text)
{
	put_bytes(root, name, text, strlen(text));
}

static void drop(const char *root, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(remove(path), 0);
}

/* The table of amdgpu, with this throttle status where the kernel has it. */
static void put_metrics(const char *root, uint8_t format, uint8_t revision, uint16_t size, size_t at,
			uint64_t status)
{
	unsigned char table[256] = {0};
	memset(table, 0x5a, sizeof(table));
	memcpy(table, &size, sizeof(size));
	table[2] = format;
	table[3] = revision;
	memcpy(table + at, &status, sizeof(status));
	put_bytes(root, GPU "gpu_metrics", table, size);
}

static struct bench_nvml_gpu read_gpu(const char *root)
{
	struct bench_drm gpu;
	struct bench_nvml_gpu figures;
	assert_true(bench_machine_drm_open(&gpu, root, PCI));
	bench_machine_drm_read(&gpu, &figures);
	return figures;
}

static void put_amdgpu(const char *root)
{
	put(root, GPU "pp_dpm_sclk", "0: 500Mhz \n1: 1900Mhz *\n2: 2575Mhz \n");
	put(root, GPU "gpu_busy_percent", "97\n");
	put(root, GPU "hwmon/hwmon5/name", "amdgpu\n");
	put(root, GPU "hwmon/hwmon5/freq1_input", "1900000000\n");
	put_metrics(root, 1, 3, 120, 112, 0);
}

static void amdgpu_tells_clocks_and_throttling(void **state)
{
	static const struct {
		uint64_t status;
		long bits;
		bool throttled;
	} rows[] = {{0, 0, false},
		    {1, BENCH_NVML_POWER_CAP, false},                 /* PPT0 */
		    {UINT64_C(1) << 16, BENCH_NVML_POWER_CAP, false}, /* TDC_GFX */
		    {UINT64_C(1) << 36, BENCH_NVML_HEAT, true},       /* TEMP_HOTSPOT */
		    {UINT64_C(1) << 44, BENCH_NVML_SLOWDOWN, true},   /* VRHOT0 */
		    {UINT64_C(1) << 47, BENCH_NVML_SLOWDOWN, true},   /* PROCHOT_GFX */
		    {UINT64_C(1) << 56, 0, false},                    /* PPM */
		    {UINT64_MAX, -1, false}};
	put_amdgpu(*state);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_metrics(*state, 1, 3, 120, 112, rows[i].status);
		struct bench_nvml_gpu gpu = read_gpu(*state);
		assert_string_equal(gpu.name, "amdgpu");
		assert_int_equal(gpu.clock_mhz, 1900);
		assert_int_equal(gpu.most_mhz, 2575);
		assert_int_equal(gpu.busy_percent, 97);
		assert_int_equal(gpu.processes, -1);
		assert_int_equal(gpu.throttle, rows[i].bits);
		assert_int_equal(bench_machine_nvml_is_throttled(gpu.throttle), rows[i].throttled);
		/* An APU's table has it elsewhere. */
		put_metrics(*state, 2, 2, 128, 120, rows[i].status);
		assert_int_equal(read_gpu(*state).throttle, rows[i].bits);
	}
}

static void what_amdgpu_does_not_tell_is_not_known(void **state)
{
	put_amdgpu(*state);
	/* Tables whose bits mean something else on each device, and what is cut or damaged. */
	put_metrics(*state, 1, 1, 96, 64, 1);
	assert_int_equal(read_gpu(*state).throttle, -1);
	put_metrics(*state, 1, 4, 200, 40, 1);
	assert_int_equal(read_gpu(*state).throttle, -1);
	put_metrics(*state, 1, 3, 119, 112, 1);
	assert_int_equal(read_gpu(*state).throttle, -1);
	put(*state, GPU "gpu_metrics", "x");
	assert_int_equal(read_gpu(*state).throttle, -1);
	put(*state, GPU "gpu_metrics", "");
	assert_int_equal(read_gpu(*state).throttle, -1);
	drop(*state, GPU "gpu_metrics");
	assert_int_equal(read_gpu(*state).throttle, -1);
	put(*state, GPU "gpu_busy_percent", "250\n");
	put(*state, GPU "pp_dpm_sclk", "no levels:\n: :");
	put(*state, GPU "hwmon/hwmon5/freq1_input", "fast\n");
	struct bench_nvml_gpu gpu = read_gpu(*state);
	assert_int_equal(gpu.busy_percent, -1);
	assert_int_equal(gpu.most_mhz, -1);
	assert_int_equal(gpu.clock_mhz, -1);
}

/* The same reasons in another place. */
static void check_intel(const char *root, const char *name, const char *clocks, const char *status,
			const char *prefix)
{
	static const struct {
		const char *reason;
		long bits;
	} rows[] = {{"pl1", BENCH_NVML_POWER_CAP},
		    {"vr_tdc", BENCH_NVML_POWER_CAP},
		    {"thermal", BENCH_NVML_HEAT},
		    {"ratl", BENCH_NVML_HEAT},
		    {"prochot", BENCH_NVML_SLOWDOWN}};
	char path[256];
	struct bench_nvml_gpu gpu = read_gpu(root);
	assert_string_equal(gpu.name, name);
	assert_int_equal(gpu.clock_mhz, 2050);
	assert_int_equal(gpu.most_mhz, 2400);
	assert_int_equal(gpu.throttle, -1);
	snprintf(path, sizeof(path), "%s%s", clocks, status);
	put(root, path, "0\n");
	assert_int_equal(read_gpu(root).throttle, 0);
	/* Status without a reason that is known: something holds it back. */
	put(root, path, "1\n");
	assert_int_equal(read_gpu(root).throttle, BENCH_NVML_SLOWDOWN);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", clocks, prefix, rows[i].reason);
		put(root, path, "1\n");
		assert_int_equal(read_gpu(root).throttle, rows[i].bits);
		put(root, path, "0\n");
	}
	snprintf(path, sizeof(path), "%s%s", clocks, status);
	put(root, path, "maybe\n");
	assert_int_equal(read_gpu(root).throttle, -1);
}

static void i915_tells_clocks_and_throttling(void **state)
{
	put(*state, I915 "rps_act_freq_mhz", "2050\n");
	put(*state, I915 "rps_RP0_freq_mhz", "2400\n");
	check_intel(*state, "i915", I915, "throttle_reason_status", "throttle_reason_");
	/* Asleep: no clock is no lowest clock. */
	put(*state, I915 "rps_act_freq_mhz", "0\n");
	assert_int_equal(read_gpu(*state).clock_mhz, -1);
}

static void xe_tells_clocks_and_throttling(void **state)
{
	put(*state, XE "act_freq", "2050\n");
	put(*state, XE "rp0_freq", "2400\n");
	check_intel(*state, "xe", XE, "throttle/status", "throttle/reason_");
}

static void another_device_is_none(void **state)
{
	struct bench_drm gpu;
	struct bench_nvml_gpu figures;
	put(*state, GPU "vendor", "0x10de\n");
	assert_false(bench_machine_drm_open(&gpu, *state, PCI));
	assert_int_equal(gpu.driver, BENCH_DRM_NONE);
	assert_false(bench_machine_drm_open(&gpu, *state, "0000:99:00.0"));
	bench_machine_drm_read(&gpu, &figures);
	assert_int_equal(figures.throttle, -1);
	assert_int_equal(figures.clock_mhz, -1);
	assert_string_equal(figures.name, "");
	put(*state, "class/drm/card0/device/tile0/gt0/freq0/act_freq", "300");
	assert_true(bench_machine_drm_open_card(&gpu, *state, "card0"));
	assert_int_equal(gpu.driver, BENCH_DRM_XE);
}

static void a_window_with_a_hot_gpu_is_disturbed(void **state)
{
	struct bench_watch watch;
	struct bench_watched watched;
	put_amdgpu(*state);
	put_metrics(*state, 1, 3, 120, 112, UINT64_C(1) << 36 | 1);
	bench_worker_watch_start(&watch, NAN, NULL, -1, false);
	bench_worker_watch_drm(&watch, *state, "0000:99:00.0");
	bench_worker_watch_drm(&watch, *state, PCI);
	bench_worker_watch_open(&watch);
	assert_int_equal(bench_worker_watch_visited(&watch, true), BENCH_VISITS_DISTURBED);
	assert_non_null(strstr(watch.reason, "the device was throttled"));
	bench_worker_watch_summarize(&watch, &watched);
	assert_string_equal(watched.device, "lowest clock 1900 MHz, held back by: power limit, heat");
	bench_worker_watch_end(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(amdgpu_tells_clocks_and_throttling),
		in_scratch(what_amdgpu_does_not_tell_is_not_known),
		in_scratch(i915_tells_clocks_and_throttling),
		in_scratch(xe_tells_clocks_and_throttling),
		in_scratch(another_device_is_none),
		in_scratch(a_window_with_a_hot_gpu_is_disturbed),
	};
	return cmocka_run_group_tests_name("drm", tests, NULL, NULL);
}
