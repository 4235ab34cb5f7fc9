/* SPDX-License-Identifier: MIT */
/*
 * What the parts of suite launch share: launch.c has its table and the empty launches, program.c
 * the programs, share.c the host's share of a call.
 */
#ifndef SUITES_LAUNCH_LAUNCH_H
#define SUITES_LAUNCH_LAUNCH_H

#include "suites/operands.h"

/* Metrics of the suite's own, in the order of its table. */
enum {
	BENCH_LAUNCH_ENQUEUE_TIME,
	BENCH_LAUNCH_BUILD_TIME,
	BENCH_LAUNCH_KERNEL_TIME,
	BENCH_LAUNCH_HOST_SHARE,
	BENCH_LAUNCH_METRICS
};

enum {
	BENCH_LAUNCH_SHARE_COUNT = 1000000, /* elements of the sum, the size of published figures */
	BENCH_LAUNCH_SAMPLES_MAX = 1000,    /* of a metric of ours: those beyond are left out */
};

struct bench_launch_series {
	double values[BENCH_LAUNCH_SAMPLES_MAX];
	size_t count;
};

/* The state of a case. */
struct bench_launch {
	struct bench_operands operands;
	uint64_t batch;
	enum bench_compile_from from;     /* programs */
	struct bench_device_stats before; /* at prepare() */
	double seconds;                   /* of the last run(): in the calls of which there were `calls` */
	uint64_t calls;
	struct bench_launch_series series[BENCH_LAUNCH_METRICS];
	uint64_t stamp; /* that the last program was to write */
	struct bench_buffer *out;
	struct bench_operand a, b, c;
	struct bench_elementwise add;
};

/* The hooks of bench/suite.h for some values of `what`, called with a struct bench_launch. */
struct bench_launch_kind {
	int (*setup)(struct bench_case *bench_case, struct bench_error *error);
	int (*run)(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error);
	int (*prepare)(struct bench_case *bench_case, struct bench_error *error); /* NULL: nothing to do */
	int (*observe)(struct bench_case *bench_case, struct bench_error *error); /* NULL: nothing to do */
	int (*check)(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		     struct bench_error *error);
};

extern const struct bench_launch_kind bench_launch_program;
extern const struct bench_launch_kind bench_launch_share;

double bench_launch_now(void); /* seconds */
/* Keeps a sample of one of our metrics. */
void bench_launch_keep(struct bench_launch *state, int metric, double value);
/* How far a count is off. */
double bench_launch_miscount(uint64_t found, uint64_t expected);

#endif
