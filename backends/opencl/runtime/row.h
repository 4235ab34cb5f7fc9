/* SPDX-License-Identifier: MIT */
/*
 * Device time without the launches' own cost. Time stamps around a short kernel are mostly their own cost (on
 * an H100 an empty kernel lasts 5.7 us by them), and a host that launches more slowly than the device works
 * leaves gaps. So a kernel that spins (hold.cl) keeps the device busy until everything is enqueued; then
 * the work runs in a row, and only the row's start and end are stamped. Calibrated with empty kernels at the
 * device's first row. Rows are for GPUs: a CPU's time stamps cost little.
 */
#ifndef BENCH_OPENCL_ROW_H
#define BENCH_OPENCL_ROW_H

#include "backends/opencl/runtime/program.h"

/* The hooks of the same names. */
int bench_opencl_row_begin(struct bench_device *device, struct bench_error *error);
int bench_opencl_row_end(struct bench_device *device, struct bench_device_row *row,
			 struct bench_error *error);

#endif
