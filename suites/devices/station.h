/* SPDX-License-Identifier: MIT */
/*
 * A station: one device with the work that suite devices gives it. The case's device is a station, and so is
 * each other device that works at the same time. One thread calls all hooks of a station.
 */
#ifndef SUITES_DEVICES_STATION_H
#define SUITES_DEVICES_STATION_H

#include "bench/case.h"
#include "suites/devices/place.h"

enum bench_station_work {
	BENCH_STATION_GEMM,
	BENCH_STATION_UPLOAD,
	BENCH_STATION_DOWNLOAD,
	BENCH_STATION_EXCHANGE,
	BENCH_STATION_PEER
};

/* What all stations of a case have in common: n x n floats from the case's seed, which nobody changes. */
struct bench_station_job {
	const struct bench_backend *backend;
	enum bench_station_work work;
	size_t n;
	const float *a, *b; /* b: of gemm */
	hwloc_topology_t topology;
	const struct bench_place *places;      /* by device: where its thread runs */
	const struct bench_device_info *infos; /* by device */
	size_t devices;                        /* of the backend */
};

struct bench_station {
	const struct bench_station_job *job;
	struct bench_device *device;    /* not owned */
	struct bench_device *peer;      /* of an exchange: where the copy goes; owned */
	struct bench_peer *pair;        /* of work peer, which has no other buffers on devices; owned */
	struct bench_buffer *a, *b, *c; /* c: where the work leaves its result; of an exchange on the peer */
	/* On the host, n x n, page-locked where the device has that: what an upload reads (else NULL), and
	 * what was downloaded. */
	float *source, *host;
	bool pinned;
};

/* Binds the calling thread to the place of device `index`. */
int bench_station_bind(const struct bench_station_job *job, size_t index, struct bench_error *error);
/*
 * Allocates and uploads, in the thread that was bound. index: of the device; what is exchanged goes to the
 * next one of its kind, or where it is alone of its kind, to the next one. What was made is kept on failure.
 */
int bench_station_open(struct bench_station *station, const struct bench_station_job *job,
		       struct bench_device *device, size_t index, struct bench_error *error);
void bench_station_close(struct bench_station *station);

/* Makes the result wrong everywhere, so that work which does nothing is seen. */
int bench_station_spoil(struct bench_station *station, struct bench_error *error);
/* The work once; it may be under way when this returns. */
int bench_station_run(struct bench_station *station, struct bench_error *error);
int bench_station_finish(struct bench_station *station, struct bench_error *error);
/* Brings the result of the last run into station->host. */
int bench_station_fetch(struct bench_station *station, struct bench_error *error);

#endif
