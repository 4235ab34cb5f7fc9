/* SPDX-License-Identifier: MIT */
#include "suites/devices/station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suites/gemm_check.h"

static size_t bytes_of(const struct bench_station *station)
{
	return station->job->n * station->job->n * sizeof(float);
}

static int make_host(const struct bench_station *station, bool pinned, float **host,
		     struct bench_error *error)
{
	const struct bench_backend *backend = station->job->backend;
	const size_t bytes = bytes_of(station);
	void *memory = NULL;
	if (pinned && backend->host_alloc(station->device, bytes, BENCH_HOST_PINNED, &memory, error))
		return -1;
	if (!pinned && posix_memalign(&memory, 4096, bytes))
		return bench_fail(error, BENCH_NO_MEMORY, "devices: no host memory for %zu bytes", bytes);
	*host = memory;
	return 0;
}

/* This thread writes the memory first, so that it lies near it. */
static int make_hosts(struct bench_station *station, struct bench_error *error)
{
	struct bench_error refused;
	station->pinned =
		station->job->backend->host_alloc && make_host(station, true, &station->host, &refused) == 0;
	if (!station->pinned && make_host(station, false, &station->host, error))
		return -1;
	memset(station->host, 0, bytes_of(station));
	if (station->job->work != BENCH_STATION_UPLOAD)
		return 0;
	if (make_host(station, station->pinned, &station->source, error))
		return -1;
	memcpy(station->source, station->job->a, bytes_of(station));
	return 0;
}

static void free_host(const struct bench_station *station, float *host)
{
	if (!host)
		return;
	if (station->pinned)
		station->job->backend->host_free(station->device, host);
	else
		free(host);
}

static int make_input(struct bench_station *station, const float *from, struct bench_buffer **buffer,
		      struct bench_error *error)
{
	const struct bench_backend *backend = station->job->backend;
	return backend->alloc(station->device, bytes_of(station), buffer, error) ||
			       backend->upload(station->device, *buffer, from, bytes_of(station), error)
		       ? -1
		       : 0;
}

int bench_station_bind(const struct bench_station_job *job, size_t index, struct bench_error *error)
{
	return bench_place_bind(job->topology, &job->places[index], error);
}

/* The next device of the same kind, or else the next device. */
static size_t next_of(const struct bench_station_job *job, size_t index)
{
	for (size_t i = 1; i < job->devices; i++) {
		const size_t next = (index + i) % job->devices;
		if (job->infos[next].kind == job->infos[index].kind)
			return next;
	}
	return (index + 1) % job->devices;
}

int bench_station_open(struct bench_station *station, const struct bench_station_job *job,
		       struct bench_device *device, size_t index, struct bench_error *error)
{
	const struct bench_backend *backend = job->backend;
	const size_t next = next_of(job, index);
	*station = (struct bench_station){.job = job, .device = device};
	if (job->work == BENCH_STATION_EXCHANGE &&
	    backend->open(next, &(struct bench_open_options){0}, &station->peer, error))
		return -1;
	if (make_hosts(station, error))
		return -1;
	if (job->work == BENCH_STATION_PEER)
		return backend->peer->open(index, next, bytes_of(station), &station->pair, error) ||
				       backend->peer->write(station->pair, BENCH_PEER_SOURCE, job->a, error)
			       ? -1
			       : 0;
	if (make_input(station, job->a, &station->a, error) ||
	    (job->work == BENCH_STATION_GEMM && make_input(station, job->b, &station->b, error)))
		return -1;
	return backend->alloc(station->peer ? station->peer : device, bytes_of(station), &station->c, error);
}

void bench_station_close(struct bench_station *station)
{
	if (!station->job)
		return;
	const struct bench_backend *backend = station->job->backend;
	backend->release(station->device, station->a);
	backend->release(station->device, station->b);
	backend->release(station->peer ? station->peer : station->device, station->c);
	free_host(station, station->host);
	free_host(station, station->source);
	backend->close(station->peer);
	if (station->pair)
		backend->peer->close(station->pair);
	*station = (struct bench_station){0};
}

int bench_station_spoil(struct bench_station *station, struct bench_error *error)
{
	for (size_t i = 0; i < station->job->n * station->job->n; i++)
		station->host[i] = NAN;
	if (station->pair)
		return station->job->backend->peer->write(station->pair, BENCH_PEER_TARGET, station->host,
							  error);
	return station->job->backend->upload(station->peer ? station->peer : station->device, station->c,
					     station->host, bytes_of(station), error);
}

int bench_station_run(struct bench_station *station, struct bench_error *error)
{
	const struct bench_station_job *job = station->job;
	const struct bench_backend *backend = job->backend;
	struct bench_gemm gemm;
	switch (job->work) {
	case BENCH_STATION_GEMM:
		gemm = bench_gemm_square(BENCH_F32, job->n);
		gemm.a = station->a;
		gemm.b = station->b;
		gemm.c = station->c;
		return backend->gemm(station->device, &gemm, error);
	case BENCH_STATION_UPLOAD:
		return backend->upload(station->device, station->c, station->source, bytes_of(station),
				       error);
	case BENCH_STATION_DOWNLOAD:
		return backend->download(station->device, station->a, station->host, bytes_of(station),
					 error);
	case BENCH_STATION_EXCHANGE:
		if (backend->download(station->device, station->a, station->host, bytes_of(station), error))
			return -1;
		return backend->upload(station->peer, station->c, station->host, bytes_of(station), error);
	case BENCH_STATION_PEER:
		return backend->peer->copy(station->pair, error);
	}
	return 0;
}

int bench_station_finish(struct bench_station *station, struct bench_error *error)
{
	if (station->pair)
		return station->job->backend->peer->finish(station->pair, error);
	return station->job->backend->finish(station->device, error);
}

int bench_station_fetch(struct bench_station *station, struct bench_error *error)
{
	if (station->job->work == BENCH_STATION_DOWNLOAD)
		return 0;
	if (station->pair)
		return station->job->backend->peer->read(station->pair, BENCH_PEER_TARGET, station->host,
							 error);
	return station->job->backend->download(station->peer ? station->peer : station->device, station->c,
					       station->host, bytes_of(station), error);
}
