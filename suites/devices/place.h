/* SPDX-License-Identifier: MIT */
/*
 * A place: from which processors a device is driven, and so on which NUMA node the memory lies that its
 * thread is the first to write. What is near to what the machine says itself (hwloc), by the device's PCI
 * address.
 */
#ifndef SUITES_DEVICES_PLACE_H
#define SUITES_DEVICES_PLACE_H

#include <hwloc.h>
#include <stdbool.h>

#include "bench/error.h"

struct bench_place {
	hwloc_bitmap_t processors; /* none is nearer than another where node is -1: all of `allowed` */
	int node;                  /* as the system counts them; -1: none was chosen, */
	char why[160];             /* and why */
	int home;                  /* the node that the device is at; -1: not known, or several */
};

/* The machine's topology with its PCI devices, for what follows; the caller destroys it. */
int bench_place_topology(hwloc_topology_t *topology, struct bench_error *error);

/*
 * The place of a device with that address ("": not known): at the nearest node, or the farthest, among those
 * with processors of `allowed`. As far as the nodes' distances are known; else the first one. -1 where it
 * cannot be farther than near, as on a machine with one node: BENCH_UNSUPPORTED with the reason.
 * bench_place_free frees it in any case.
 */
int bench_place_find(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, const char *pci, bool far,
		     struct bench_place *place, struct bench_error *error);
void bench_place_free(struct bench_place *place); /* {0} is allowed */

/* Binds the calling thread. */
int bench_place_bind(hwloc_topology_t topology, const struct bench_place *place, struct bench_error *error);

/* "driven from node 1, its memory on node 1; it is at node 0": what is so of memory that has been written. */
void bench_place_describe(hwloc_topology_t topology, const struct bench_place *place, const void *memory,
			  size_t bytes, char *text, size_t size);

#endif
