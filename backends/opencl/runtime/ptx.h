/* SPDX-License-Identifier: MIT */
/*
 * What NVIDIA's compiler says of a kernel, and what follows from it. Pure: texts and numbers in, numbers out.
 */
#ifndef BENCH_OPENCL_PTX_H
#define BENCH_OPENCL_PTX_H

#include <stdbool.h>
#include <stddef.h>

/* Of a kernel, by the build log of -cl-nv-verbose (ptxas -v); NaN: the log does not say. */
struct bench_opencl_ptxas {
	double registers; /* of a work-item */
	double spilled;   /* bytes of its spill stores and spill loads */
	double shared;    /* bytes of a group, those of arguments not included */
};

/* False: the log says nothing of that kernel. */
bool bench_opencl_ptxas_read(const char *log, const char *kernel, struct bench_opencl_ptxas *found);

/* Room for a mix; what does not fit is left out. */
enum { BENCH_OPENCL_MIX = 960 };
/*
 * Counts the instructions of a kernel by class, as they stand in its PTX: "ld.global.v4 4, fma.f32 16".
 * Memory has its space and width, arithmetic on real numbers its type; the rest is "other". False: there is
 * no such kernel.
 */
bool bench_opencl_ptx_mix(const char *ptx, const char *kernel, char mix[BENCH_OPENCL_MIX]);

/*
 * The largest share of a multiprocessor's warps that groups of `group` work-items keep resident, by the
 * limits of a compute capability (major, minor). Registers are those of a work-item, `local` bytes those of a
 * group. NaN: the limits are not known, a number is, or not even one group fits.
 */
double bench_opencl_occupancy(unsigned major, unsigned minor, double registers, double group, double local);

#endif
