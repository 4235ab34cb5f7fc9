#include "core/device.h"

#include <strings.h>

const char *const bench_device_kind_names[BENCH_DEVICE_KINDS] = {
	[BENCH_DEVICE_CPU] = "cpu",
	[BENCH_DEVICE_GPU] = "gpu",
	[BENCH_DEVICE_ACCELERATOR] = "accelerator",
};

bool bench_device_kind_parse(const char *name, enum bench_device_kind *kind)
{
	for (unsigned k = 0; k < BENCH_DEVICE_KINDS; k++) {
		if (strcasecmp(name, bench_device_kind_names[k]) == 0) {
			*kind = (enum bench_device_kind)k;
			return true;
		}
	}
	return false;
}
