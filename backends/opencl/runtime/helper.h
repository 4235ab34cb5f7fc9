/* SPDX-License-Identifier: MIT */
/*
 * The second thread of a CPU device's caller (struct bench_device). It takes one of two parts of a launch
 * that is too short for PoCL's threads, which sleep between kernels and wake too late. It spins while such
 * launches follow one another. It sleeps when none has come for a while, or when the device's own threads are
 * to work. Nothing waits for it to wake: a caller that finds it asleep works alone.
 *
 * Threads: all functions are for the thread that calls the backend.
 */
#ifndef BENCH_OPENCL_HELPER_H
#define BENCH_OPENCL_HELPER_H

#include "backends/opencl/runtime/enqueue.h"

/*
 * For a caller: fills its `helper`, unless the calling thread may use only one processor. The helper may use
 * the processors that the calling thread may use now. close ends it; NULL is allowed.
 */
int bench_opencl_helper_open(struct bench_device *caller, struct bench_error *error);
void bench_opencl_helper_close(struct bench_opencl_helper *helper);

/*
 * To be asked before each launch that could have two parts: shall it have them? Yes while the helper is
 * awake, and during a trial of whether it helps, which starts after enough such launches in a row.
 */
bool bench_opencl_helper_ready(struct bench_opencl_helper *helper);

/* Puts it to sleep, so that the device's own threads have its processor. */
void bench_opencl_helper_rest(struct bench_opencl_helper *helper);

/*
 * Runs both parts, which pair.h describes, and waits for them: `mine` in `queue`, with an event each in
 * `events` unless that is NULL.
 */
struct bench_opencl_enqueued bench_opencl_helper_run(struct bench_opencl_helper *helper,
						     struct bench_opencl_kernel *kernel,
						     const struct bench_opencl_launch *mine,
						     const struct bench_opencl_launch *other,
						     cl_command_queue queue, cl_event *events);

#endif
