/* SPDX-License-Identifier: MIT */
/* What a user's kernel has left: its guard zones, its inputs, and its outputs against what the spec says. */
#ifndef SUITES_KERNEL_CHECK_H
#define SUITES_KERNEL_CHECK_H

#include "core/text.h"
#include "suites/kernel/point.h"

/* A buffer's memory on the host: images have guard zones on both sides. */
struct bench_kernel_memory {
	struct bench_buffer *buffer;
	unsigned char *image;    /* what it holds before a launch */
	unsigned char *found;    /* what was downloaded */
	unsigned char *expected; /* what the reference has left, without guards; NULL: nothing yet */
	bool watched;            /* reset before each launch that is checked, and compared after it */
	bool launched;           /* something, since its last comparison */
};

enum { BENCH_KERNEL_SPOIL = 0xff }; /* a byte of what is not computed yet: NaN in every real type */

struct bench_kernel_results {
	const struct bench_kernel_spec *spec;
	const struct bench_kernel_point *point;
	struct bench_kernel_memory *memory[BENCH_KERNEL_ARGUMENTS]; /* of arguments that are buffers */
	size_t guard;                                               /* bytes of guard zones on the device */
	size_t places[BENCH_KERNEL_ARGUMENTS]; /* in whose memory each argument is after the iteration */
	char launch[96];                       /* what has been launched, for messages */
	uint64_t seed;                         /* of what buffers are filled with */
};

/* Says of which outputs, or fields of them, nobody knows what they must hold; nothing if there are none. */
void bench_kernel_check_lacks(const struct bench_kernel_spec *spec, struct bench_text *words);

/* BENCH_FAILED, with the place, where a guard zone or an input has changed. */
int bench_kernel_check_intact(const struct bench_kernel_results *results, struct bench_error *error);
/* All outputs, by expressions or by `expected`. BENCH_FAILED where an expression cannot be evaluated. */
int bench_kernel_check_outputs(const struct bench_kernel_results *results, struct bench_check *check,
			       struct bench_error *error);

#endif
