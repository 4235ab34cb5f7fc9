#include "core/device.h"

#include <strings.h>

static const char *const names[] = {
	[BENCH_DEVICE_CPU] = "cpu",
	[BENCH_DEVICE_GPU] = "gpu",
	[BENCH_DEVICE_ACCELERATOR] = "accelerator",
};

const char *bench_device_kind_name(enum bench_device_kind kind)
{
	return names[kind];
}

bool bench_device_kind_parse(const char *name, enum bench_device_kind *kind)
{
	for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (strcasecmp(name, names[k]) == 0) {
			*kind = (enum bench_device_kind)k;
			return true;
		}
	}
	return false;
}
