/* SPDX-License-Identifier: MIT */
/* One value from a vector, or from two: an operation of a backend. */
#ifndef BENCH_REDUCTION_H
#define BENCH_REDUCTION_H

#include <stddef.h>

#include "bench/dtype.h"

struct bench_buffer;

enum bench_reduction_op {
	BENCH_REDUCTION_SUM,    /* of a[i] */
	BENCH_REDUCTION_MAX,    /* the largest a[i] */
	BENCH_REDUCTION_ARGMAX, /* the index of the largest a[i]; of equal ones the lowest */
	BENCH_REDUCTION_DOT,    /* the sum of a[i] * b[i] */
};

/* Who makes one value of what the many threads of a device leave. */
enum bench_reduction_stages {
	BENCH_REDUCTION_ONE,  /* nobody has to: one work-group reads everything; on a CPU backend, one loop */
	BENCH_REDUCTION_TWO,  /* many work-groups leave a part each, and a second launch reduces those */
	BENCH_REDUCTION_HOST, /* the same parts, downloaded and reduced by the host */
	BENCH_REDUCTION_LAST, /* the same parts, reduced by the last of the groups: one launch */
	BENCH_REDUCTION_AUTO, /* whichever of them the backend takes for the fastest */
};

/*
 * Reduces `count` >= 1 elements, i < count. Unlike other operations it ends with the value in host
 * memory, in all variants alike, and returns when it is there; unless the value is to stay on the device:
 * then it is enqueued like any other.
 *
 * result: one element of dtype in host memory; of ARGMAX one uint64_t.
 * to: NULL, or a buffer of the device that takes at its start what `result` would, which is not written. With
 * BENCH_REDUCTION_HOST that is BENCH_UNSUPPORTED: it would be an upload that nobody who reduces on the host
 * wants.
 *
 * Sums are taken in dtype and in an order of the backend's own. NaN: a sum or dot with one is NaN; MAX
 * is NaN where any element is, and ARGMAX the index of the first NaN. Of +0 and -0 none is larger.
 *
 * A variant that a backend lacks is BENCH_UNSUPPORTED, as is a dtype.
 */
struct bench_reduction {
	enum bench_reduction_op op;
	enum bench_dtype dtype;
	size_t count;
	enum bench_reduction_stages stages;
	const struct bench_buffer *a;
	const struct bench_buffer *b; /* DOT only; it may be a */
	void *result;
	struct bench_buffer *to; /* not a, nor b */
};

#endif
