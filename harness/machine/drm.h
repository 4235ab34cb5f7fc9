/* SPDX-License-Identifier: MIT */
/*
 * GPUs that are not NVIDIA's, by the kernel's files: clocks, and what holds them back. amdgpu, i915 and xe.
 * Reads only. Tested on trees of files alone, not on such devices.
 */
#ifndef BENCH_MACHINE_DRM_H
#define BENCH_MACHINE_DRM_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/nvml.h"

enum bench_drm_driver { BENCH_DRM_NONE, BENCH_DRM_AMDGPU, BENCH_DRM_I915, BENCH_DRM_XE };

struct bench_drm {
	enum bench_drm_driver driver; /* NONE: closed */
	char folder[192];             /* of the device */
	char clocks[288];             /* the folder with its clocks, where that is another one */
};

/* The GPU at a PCI address ("0000:03:00.0"), or behind "card0" of class drm; `sys` NULL: "/sys". False: none
 * that is known. Nothing to close. */
bool bench_machine_drm_open(struct bench_drm *gpu, const char *sys, const char *pci);
bool bench_machine_drm_open_card(struct bench_drm *gpu, const char *sys, const char *card);
/* As bench_machine_nvml_read_clock: the reasons as bits of nvml.h; -1: not given. */
void bench_machine_drm_read_clock(const struct bench_drm *gpu, long *throttle, int *clock_mhz);
/* Pure, for tests: what those read of amdgpu's gpu_metrics, and the highest of its pp_dpm_sclk in MHz; -1. */
long bench_machine_drm_metrics(const unsigned char *table, size_t length);
int bench_machine_drm_levels(const char *text);
/* All figures that its driver gives; the name is the driver's. */
void bench_machine_drm_read(const struct bench_drm *gpu, struct bench_nvml_gpu *figures);

#endif
