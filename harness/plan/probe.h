/* SPDX-License-Identifier: MIT */
/* The devices of a backend, asked in a separate process: a driver may crash, hang or print. */
#ifndef BENCH_PLAN_PROBE_H
#define BENCH_PLAN_PROBE_H

#include "plan/target.h"

/*
 * As bench_plan_target_devices. A driver that crashes, or takes longer than BENCH_PLAN_PROBE_SECONDS:
 * BENCH_FAILED, with what it did. BENCH_ENVIRONMENT where no process can be made. Environment variables that
 * a backend sets do not reach this process; its output goes to stderr.
 */
#define BENCH_PLAN_PROBE_SECONDS 60
int bench_plan_probe(const struct bench_backend *backend, struct bench_arena *arena,
		     struct bench_device_info **devices, size_t *count, struct bench_error *error);

#endif
