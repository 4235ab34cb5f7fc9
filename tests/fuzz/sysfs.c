/* SPDX-License-Identifier: MIT */
/* Small files of the kernel: a number, a text, and amdgpu's table of metrics and list of clocks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "machine/drm.h"
#include "machine/sysfs.h"

void fuzz_sysfs(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	const long reasons = BENCH_NVML_POWER_CAP | BENCH_NVML_HEAT | BENCH_NVML_SLOWDOWN;
	struct bench_error error = {0};
	double value = -1;
	char text[16], *whole = fuzz_string(data, size);
	if (bench_machine_sysfs_number(path, &value, &error) == 0)
		FUZZ_CHECK(isfinite(value) && value >= 0);
	else
		FUZZ_CHECK(error.code == BENCH_UNSUPPORTED && strstr(error.text, "holds no number"));
	FUZZ_CHECK(bench_machine_sysfs_text(path, text, sizeof(text), &error) == 0);
	FUZZ_CHECK(strlen(text) < sizeof(text));
	const long throttle = bench_machine_drm_metrics(data, size);
	FUZZ_CHECK(throttle == -1 || (throttle & ~reasons) == 0);
	const int most = bench_machine_drm_levels(whole);
	FUZZ_CHECK(most == -1 || (most > 0 && most < 1000000));
	free(whole);
}
