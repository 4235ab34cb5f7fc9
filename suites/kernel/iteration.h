/* SPDX-License-Identifier: MIT */
/*
 * An iteration of a user's kernels on a device: what the backend has built, and its launches in the order of
 * the plan, with loops that end where the buffers say so. One thread uses a case and its iterations.
 */
#ifndef SUITES_KERNEL_ITERATION_H
#define SUITES_KERNEL_ITERATION_H

#include "suites/kernel/check.h"

struct bench_kernel_iteration {
	const struct bench_kernel_results *results; /* whose buffers its kernels take; the caller's */
	struct bench_kernel_plan plan;
	struct bench_kernel_built *built; /* the kernels of the plan */
};

/* What is done around each launch of an iteration; launches: so far, with this one. */
struct bench_kernel_watch {
	int (*before)(struct bench_case *bench_case, struct bench_error *error); /* NULL: nothing is */
	int (*after)(struct bench_case *bench_case, const struct bench_kernel_step *step, size_t launches,
		     void *context, struct bench_error *error);
	void *context;
};

/* Of the spec's launches, or of its reference's. It is to be freed after a failure, too. */
int bench_kernel_iteration_make(const struct bench_case *bench_case,
				const struct bench_kernel_results *results,
				const struct bench_kernel_spec_program *from,
				struct bench_kernel_iteration *iteration, struct bench_error *error);
/* Enqueues one. Kernels are built at their first launch: BENCH_USAGE with a place in the specification.
 * watch: NULL: nobody does. */
int bench_kernel_iteration_run(struct bench_case *bench_case, struct bench_kernel_iteration *iteration,
			       const struct bench_kernel_watch *watch, struct bench_error *error);
/* One of zeros, too. */
void bench_kernel_iteration_free(const struct bench_case *bench_case,
				 struct bench_kernel_iteration *iteration);

#endif
