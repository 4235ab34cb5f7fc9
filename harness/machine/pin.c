/* SPDX-License-Identifier: MIT */
#include "machine/pin.h"

#include <string.h>

/* As OpenMP 4.5 declares them in omp.h: clang-tidy does not find gcc's. */
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int *processors);

#define BYTES (BENCH_PIN_SETS * sizeof(cpu_set_t))

/*
 * libgomp makes its places from the mask that the process was started with; nothing else remembers that mask.
 * If nothing is bound, there are no places.
 */
void bench_machine_pin_allowed(cpu_set_t allowed[BENCH_PIN_SETS])
{
	int places = omp_get_num_places(), processors[CPU_SETSIZE];
	memset(allowed, 0, BYTES);
	for (int i = 0; i < places; i++) {
		int count = omp_get_place_num_procs(i);
		if (count > CPU_SETSIZE)
			continue;
		omp_get_place_proc_ids(i, processors);
		for (int j = 0; j < count; j++)
			CPU_SET_S((size_t)processors[j], BYTES, allowed);
	}
	if (places <= 0)
		sched_getaffinity(0, BYTES, allowed);
}

void bench_machine_pin_release(struct bench_pin *pin)
{
	cpu_set_t allowed[BENCH_PIN_SETS];
	memset(pin, 0, sizeof(*pin));
	bench_machine_pin_allowed(allowed);
	if (sched_getaffinity(0, BYTES, pin->own) != 0)
		return;
	pin->bound = memcmp(allowed, pin->own, BYTES) != 0;
	if (pin->bound)
		sched_setaffinity(0, BYTES, allowed);
}

void bench_machine_pin_hold(const struct bench_pin *pin)
{
	if (pin->bound)
		sched_setaffinity(0, BYTES, pin->own);
}
