/*
 * NVIDIA's management library, loaded at run time: it comes with the driver, and most machines
 * have none. What a GPU is doing and what holds its clocks back. Reads only.
 */
#ifndef BENCH_MACHINE_NVML_H
#define BENCH_MACHINE_NVML_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

enum {
	BENCH_NVML_POWER_CAP = 0x4,
	BENCH_NVML_SLOWDOWN = 0x8, /* by hardware: heat or power */
	BENCH_NVML_HEAT = 0x20 | 0x40,
	BENCH_NVML_POWER_BRAKE = 0x80,
};

/* Figures that the driver does not give are -1. */
struct bench_nvml_gpu {
	char name[96];
	int persistent;          /* 1: the driver stays loaded; 0: not */
	long throttle;           /* the bits above, and others of no concern */
	int clock_mhz, most_mhz; /* of the multiprocessors: now, and at most */
	int processes;           /* that compute on it */
	int busy_percent;        /* of the last moment */
};

#define BENCH_NVML_LIBRARY "libnvidia-ml.so.1"

/*
 * Loads the library; BENCH_UNSUPPORTED with the reason where there is none, or no driver. One at a time: what
 * is open is the process's.
 */
int bench_machine_nvml_open(const char *library, unsigned *count, struct bench_error *error);
int bench_machine_nvml_read(unsigned index, struct bench_nvml_gpu *gpu, struct bench_error *error);
/* What changes while measuring, in a few microseconds: the bits, and the clock; -1 where they are not given.
 */
void bench_machine_nvml_read_clock(unsigned index, long *throttle, int *clock_mhz);
void bench_machine_nvml_close(void);

/*
 * Pure. Does something slow the GPU that is not its own work? Heat, power brake, hardware; not idling, nor
 * clocks that were set, nor the limit of its power.
 */
bool bench_machine_nvml_is_throttled(long throttle);
/* Pure. "power limit, heat": the reasons that a person may want to know of; "" for none. */
void bench_machine_nvml_words(long throttle, char *out, size_t size);

#endif
