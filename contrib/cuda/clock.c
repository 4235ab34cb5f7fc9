/* SPDX-License-Identifier: MIT */
/* The device's own time, by pairs of events. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "device.h"

/* Few enough that the driver can queue them while the stream waits. */
enum { GATE_OPERATIONS = 16 };

/*
 * In a thread of the driver's. It gives up after a tenth of a second: the driver may have to wait for the
 * stream before it can enqueue, as when it first loads a kernel.
 */
static void wait_at_gate(void *context)
{
	sem_t *gate = context;
	struct timespec limit;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_nsec += 100000000;
	limit.tv_sec += limit.tv_nsec / 1000000000;
	limit.tv_nsec %= 1000000000;
	while (sem_timedwait(gate, &limit) != 0 && errno == EINTR)
		;
}

void cuda_clock_open_gate(struct bench_device *device)
{
	if (device->clock.behind_gate)
		sem_post(&device->clock.gate);
	device->clock.behind_gate = 0;
}

/* Records the next event in the stream. */
static int record(struct bench_device *device, struct bench_error *error)
{
	struct cuda_clock *clock = &device->clock;
	if (clock->count == clock->capacity) {
		size_t capacity = clock->capacity ? 2 * clock->capacity : 64;
		cuda_event *grown = realloc(clock->events, capacity * sizeof(*grown));
		if (!grown)
			return bench_fail(error, BENCH_NO_MEMORY, "no host memory for %zu events", capacity);
		clock->events = grown;
		clock->capacity = capacity;
	}
	if (clock->count == clock->made) {
		if (CUDA_CALL(cuEventCreate, device->name, error, &clock->events[clock->made], 0))
			return -1;
		clock->made++;
	}
	if (CUDA_CALL(cuEventRecord, device->name, error, clock->events[clock->count], device->stream))
		return -1;
	clock->count++;
	return 0;
}

int cuda_time_begin(struct bench_device *device, struct bench_error *error)
{
	if (cuda_finish(device, error))
		return -1;
	/* What a gate that gave up has left. */
	while (sem_trywait(&device->clock.gate) == 0)
		;
	device->clock.count = 0;
	device->clock.running = true;
	return 0;
}

int cuda_clock_start(struct bench_device *device, struct bench_error *error)
{
	struct cuda_clock *clock = &device->clock;
	if (!clock->running)
		return 0;
	if (clock->behind_gate == 0 &&
	    CUDA_CALL(cuLaunchHostFunc, device->name, error, device->stream, wait_at_gate, &clock->gate))
		return -1;
	clock->behind_gate++;
	return record(device, error);
}

int cuda_clock_stop(struct bench_device *device, struct bench_error *error)
{
	if (!device->clock.running)
		return 0;
	if (record(device, error))
		return -1;
	if (device->clock.behind_gate == GATE_OPERATIONS)
		cuda_clock_open_gate(device);
	return 0;
}

int cuda_time_end(struct bench_device *device, double *seconds, struct bench_error *error)
{
	struct cuda_clock *clock = &device->clock;
	double total = 0;
	int result = cuda_finish(device, error);
	clock->running = false;
	for (size_t i = 0; i + 1 < clock->count && result == 0; i += 2) {
		float milliseconds;
		result = CUDA_CALL(cuEventElapsedTime, device->name, error, &milliseconds, clock->events[i],
				   clock->events[i + 1]);
		if (result == 0)
			total += (double)milliseconds * 1e-3;
	}
	if (result == 0 && clock->count && !(total > 0))
		result = bench_fail(error, BENCH_FAILED,
				    "by its events device %s did its work in %g s: its times cannot be used",
				    device->name, total);
	if (result == 0)
		*seconds = total;
	return result;
}

void cuda_clock_close(struct bench_device *device)
{
	for (size_t i = 0; i < device->clock.made; i++)
		cuda.cuEventDestroy_v2(device->clock.events[i]);
	free(device->clock.events);
	sem_destroy(&device->clock.gate);
}
