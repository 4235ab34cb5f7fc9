/* SPDX-License-Identifier: MIT */
/* What the compiler made of the kernels: the hook kernel_reports. */
#ifndef BENCH_OPENCL_REPORTS_H
#define BENCH_OPENCL_REPORTS_H

#include "backends/opencl/runtime/device.h"

void bench_opencl_kernel_reports(struct bench_device *device,
				 void (*tell)(void *context, const struct bench_kernel_report *report),
				 void *context);

#endif
