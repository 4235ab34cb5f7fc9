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
	char *unavailable; /* NULL, or why the backend has no device: its cases are `unsupported` for that
			      reason */
};

/*
 * Resolves `text`, a list separated by commas (NULL: every backend but `reference` and those
 * with a "+" in their name, each with its best device: a GPU before an accelerator before a CPU, then the
 * first). A
 * backend alone means its best device; ":all" every one. A backend that finds no device
 * becomes a target that is unavailable. BENCH_USAGE for a name that nothing has, with what
 * there is and the nearest. Targets and strings live in `arena`.
 */
int bench_plan_target_resolve(const struct bench_backend *const *backends, const char *text,
			      struct bench_arena *arena, struct bench_target **targets, size_t *count,
			      struct bench_error *error);

/* All devices of one backend (in `arena`); BENCH_UNSUPPORTED with the reason where there is none. */
int bench_plan_target_devices(const struct bench_backend *backend, struct bench_arena *arena,
			      struct bench_device_info **devices, size_t *count, struct bench_error *error);

/* Is a device of slug `device` what a target of slug `target` can stand for? That may have a number at its
 * end.
 */
bool bench_plan_target_is(const char *target, const char *device);

#endif
