/* SPDX-License-Identifier: MIT */
/*
 * Where this process spends its processor time, by sampling: ITIMER_PROF, whose signal comes to a thread that
 * runs, at the kernel's ticks (100 to 1000 in a second of it).
 */
#ifndef BENCH_MACHINE_PROFILE_H
#define BENCH_MACHINE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

struct bench_profile_function {
	char name[128]; /* "[libc.so.6]": of a file that has no name for it */
	char file[512]; /* "": not known */
	size_t count;   /* of samples */
};

/* False: this processor is not known, or another profiler has the timer. One at a time. */
bool bench_machine_profile_start(void);
void bench_machine_profile_stop(void);
/*
 * Of what was sampled between the two: the functions with the most samples, at most `most` of them, in that
 * order. Returns how many; *samples: in all.
 */
size_t bench_machine_profile_read(struct bench_profile_function *functions, size_t most, size_t *samples);

#endif
