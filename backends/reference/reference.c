/* SPDX-License-Identifier: MIT */
/*
 * The reference backend: slow, plain and right. It makes the oracle of the checks
 * measurable, and runs the suites where no library is to be trusted.
 */
#include <stdio.h>

#include "backends/backends.h"
#include "backends/cpu.h"
#include "backends/reference/operations.h"

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	(void)error;
	*count = 1;
	if (capacity == 0)
		return 0;
	bench_cpu_describe(info);
	snprintf(info->slug, sizeof(info->slug), "cpu");
	snprintf(info->platform, sizeof(info->platform), "plain C, sums in double");
	info->compute_units = 1;
	info->f16 = true;
	return 0;
}

const struct bench_backend bench_backend_reference = {
	.name = "reference",
	.summary = "plain C on one CPU thread, sums in double: the checks use it",
	.devices = devices,
	BENCH_CPU_HOOKS,
	BENCH_BACKEND_OPERATIONS(reference),
	.peak = NULL, /* it does not claim to be fast */
	.training = &bench_reference_training,
};
