/* SPDX-License-Identifier: MIT */
/* A device of the backend cuda: its memory, its stream and its clock. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <semaphore.h>
#include <stdbool.h>

#include "bench/backend.h"
#include "library.h"

struct bench_buffer {
	cuda_address address;
};

/* Between time_begin and time_end each operation has an event before and after it. */
struct cuda_clock {
	bool running;
	cuda_event *events;
	size_t count, made, capacity;
	/*
	 * The stream waits at a gate until the host has enqueued the next few operations. Otherwise the
	 * device could reach an operation's first event before its kernel is launched, and the time would
	 * have the launch in it.
	 */
	sem_t gate;
	unsigned behind_gate; /* operations that were enqueued since the stream came to it; 0: it is open */
};

/* Of the backend cuda+graph: a product that repeats, several of it in one launch. */
struct cuda_graph {
	bool on;
	struct bench_gemm product; /* the last one that came; its buffers live */
	cuda_graph_exec exec;      /* several of it; NULL: not captured yet */
	unsigned pending;          /* products that are not launched yet */
};

struct bench_device {
	char name[160]; /* for messages: "GPU 0 (NVIDIA H100)" */
	int id;
	cuda_context context;
	cuda_stream stream;
	cublas blas;
	cuda_address workspace;
	struct cuda_clock clock;
	struct cuda_graph graph;
};

int cuda_finish(struct bench_device *device, struct bench_error *error);

/* Makes the device that of the calling thread. */
int cuda_enter(struct bench_device *device, struct bench_error *error);

int cuda_time_begin(struct bench_device *device, struct bench_error *error);
int cuda_time_end(struct bench_device *device, double *seconds, struct bench_error *error);
/* Around what an operation enqueues; they do nothing while the clock does not run. */
int cuda_clock_start(struct bench_device *device, struct bench_error *error);
int cuda_clock_stop(struct bench_device *device, struct bench_error *error);
/* Lets the stream go on: before each call that may wait for it. */
void cuda_clock_open_gate(struct bench_device *device);
void cuda_clock_close(struct bench_device *device);

int cuda_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error);
/* Without the checks: enqueues one product, and counts its time. */
int cuda_gemm_enqueue(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error);
/* The same, uncounted. */
int cuda_gemm_multiply(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error);

/* A checked product on a device whose graph is on. */
int cuda_graph_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error);
/* Enqueues what is pending: before anything that must come after it. */
int cuda_graph_flush(struct bench_device *device, struct bench_error *error);
/* Forgets the product, whose buffers end. */
void cuda_graph_drop(struct bench_device *device);

extern const struct bench_kernel_hooks cuda_kernels;
extern const struct bench_backend cuda_backend, cuda_graph_backend;

#endif
