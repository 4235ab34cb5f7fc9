/* SPDX-License-Identifier: MIT */
/*
 * The energy that a device has taken, as the system counts it: NVML of an NVIDIA GPU, hwmon of another one,
 * RAPL (powercap) of processors. Reads only. docs/how-to/energy.md is for users.
 */
#ifndef BENCH_MACHINE_ENERGY_H
#define BENCH_MACHINE_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

/* Whose energy is asked for. */
struct bench_energy_place {
	const char *sys; /* NULL: "/sys" */
	const char *pci; /* address of a GPU, "0000:03:00.0"; "": not known */
	long gpu;        /* number of an NVIDIA GPU in NVML, which is open (nvml.h); negative: none */
	bool processor;  /* the processors of this machine, with their memory where that is counted */
};

enum { BENCH_ENERGY_ZONES = 32 };

struct bench_energy {
	char what[96];       /* "NVML", "RAPL, package-0 and dram", "power1_average of amdgpu" */
	bool is_power;       /* watts are read, not joules */
	double step_seconds; /* a new value comes about as often */
	long gpu;            /* in NVML; negative: the zones */
	double joules;       /* so far, over all zones */
	size_t count;        /* of zones; 0 with gpu negative: closed */
	struct bench_energy_zone {
		char path[288]; /* of a file with microjoules or microwatts */
		double range;   /* at which it starts again; 0: not known */
		double last;    /* value; negative: it was not read yet */
	} zones[BENCH_ENERGY_ZONES];
};

/*
 * Finds and reads the counters. BENCH_UNSUPPORTED where there are none, or they may not be read: the text
 * says which command would change that, where one would. Nothing to close.
 */
int bench_machine_energy_open(struct bench_energy *energy, const struct bench_energy_place *place,
			      struct bench_error *error);
/*
 * Joules up to now, from some moment on; with is_power, the watts now. Often enough that no counter starts
 * again twice: RAPL's do after minutes. BENCH_UNSUPPORTED: a file or a driver failed, or a counter went back.
 */
int bench_machine_energy_read(struct bench_energy *energy, double *value, struct bench_error *error);

#endif
