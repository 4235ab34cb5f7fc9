/* SPDX-License-Identifier: MIT */
/*
 * Targets: the devices that a run measures on, chosen by text ("opencl", "opencl:0",
 * "opencl:gpu", "opencl:h200", "openblas").
 */
#ifndef BENCH_PLAN_TARGET_H
#define BENCH_PLAN_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/backend.h"
#include "bench/error.h"
#include "core/arena.h"

struct bench_target {
	const struct bench_backend *backend;
	size_t index; /* of the device, in the backend's order */
	struct bench_device_info info;
	char *unavailable; /* NULL, or why the backend has no device: its cases are then `unsupported` */
};

/*
 * Resolves `text`, a list separated by commas. A backend alone means its best device (a GPU before an
 * accelerator before a CPU, then the first); ":all" means every one. NULL: the best device of every backend
 * except `reference` and those with a "+" in their name. A backend that finds no device becomes a target that
 * is unavailable. BENCH_USAGE for an unknown name, with those that exist and the nearest. Targets and strings
 * live in `arena`.
 */
int bench_plan_target_resolve(const struct bench_backend *const *backends, const char *text,
			      struct bench_arena *arena, struct bench_target **targets, size_t *count,
			      struct bench_error *error);

/*
 * All devices of one backend (in `arena`), asked in this process, for one that opens them (others:
 * plan/probe.h); BENCH_UNSUPPORTED with the reason if it has none.
 */
int bench_plan_target_devices(const struct bench_backend *backend, struct bench_arena *arena,
			      struct bench_device_info **devices, size_t *count, struct bench_error *error);

/* May a target of slug `target` stand for a device of slug `device`? The target's may end in a number. */
bool bench_plan_target_is(const char *target, const char *device);

#endif
