/* SPDX-License-Identifier: MIT */
/*
 * Copies from one device of a backend to another: what the API has for it, by whatever way the driver takes
 * (a link between the devices, or the host's memory, without the caller's part in it).
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stddef.h>

#include "bench/error.h"

/* A buffer on either device, and what copies between them. Private to the backend. */
struct bench_peer;

enum bench_peer_end { BENCH_PEER_SOURCE, BENCH_PEER_TARGET };

/*
 * All are required. Those that return int give 0, or -1 with `error` filled. The hooks of a pair are called
 * from one thread, the same from open to close.
 */
struct bench_peer_hooks {
	/*
	 * Buffers of `bytes` >= 1, contents undefined, on device `source` and on device `target`, which are
	 * two different ones by their numbers in the order of devices(). BENCH_UNSUPPORTED where the API has
	 * no copy between these two.
	 */
	int (*open)(size_t source, size_t target, size_t bytes, struct bench_peer **peer,
		    struct bench_error *error);
	void (*close)(struct bench_peer *peer); /* NULL is allowed */
	/* All bytes of one end from or to the host; complete when they return. */
	int (*write)(struct bench_peer *peer, enum bench_peer_end end, const void *host,
		     struct bench_error *error);
	int (*read)(struct bench_peer *peer, enum bench_peer_end end, void *host, struct bench_error *error);
	/*
	 * Enqueues a copy of all bytes from the source to the target, after SOURCE was written once. They
	 * cross each time: what the target's device still has of a copy before is not used again.
	 */
	int (*copy)(struct bench_peer *peer, struct bench_error *error);
	int (*finish)(struct bench_peer *peer, struct bench_error *error);
};

#endif
