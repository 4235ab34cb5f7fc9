/* SPDX-License-Identifier: MIT */
#include "suites/devices/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int bench_place_topology(hwloc_topology_t *topology, struct bench_error *error)
{
	*topology = NULL;
	if (hwloc_topology_init(topology) != 0)
		return bench_fail(error, BENCH_NO_MEMORY, "devices: no memory for the machine's topology");
	/* Whoever looks for what lies behind PCI devices would load drivers of other interfaces. */
	if (hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL) ==
		    0 &&
	    hwloc_topology_load(*topology) == 0)
		return 0;
	bench_fail(error, BENCH_ENVIRONMENT, "devices: hwloc cannot read the machine's topology: %s",
		   strerror(errno));
	hwloc_topology_destroy(*topology);
	*topology = NULL;
	return -1;
}

/* Nodes of devices, or of slow memory alone, have no processors. */
static bool is_usable(hwloc_obj_t node, hwloc_const_bitmap_t allowed)
{
	return hwloc_bitmap_intersects(node->cpuset, allowed);
}

static hwloc_obj_t next_usable(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, hwloc_obj_t node)
{
	do
		node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node);
	while (node && !is_usable(node, allowed));
	return node;
}

/* The relative latency from one node to another, as the firmware tells it; 0: it does not. */
static hwloc_uint64_t distance(hwloc_topology_t topology, hwloc_obj_t from, hwloc_obj_t to)
{
	struct hwloc_distances_s *distances;
	hwloc_uint64_t there = 0, back = 0;
	unsigned count = 1;
	if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
	    count == 0)
		return 0;
	if (hwloc_distances_obj_pair_values(distances, from, to, &there, &back) != 0)
		there = 0;
	hwloc_distances_release(topology, distances);
	return there;
}

/* The nodes that are local to the device; NULL, with the reason, where that tells none from another. */
static hwloc_const_nodeset_t find_local(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
					const char *pci, char *why, size_t size)
{
	hwloc_obj_t node = next_usable(topology, allowed, NULL), device;
	bool all = true;
	if (!node || !next_usable(topology, allowed, node)) {
		snprintf(why, size, "the processors that may be used are of one NUMA node");
		return NULL;
	}
	if (!*pci) {
		snprintf(why, size,
			 "the device does not tell its PCI address, by which its NUMA node is found");
		return NULL;
	}
	device = hwloc_get_pcidev_by_busidstring(topology, pci);
	if (!device) {
		snprintf(why, size, "the machine's topology has no PCI device %.40s", pci);
		return NULL;
	}
	hwloc_const_nodeset_t local = hwloc_get_non_io_ancestor_obj(topology, device)->nodeset;
	for (; node; node = next_usable(topology, allowed, node))
		all &= hwloc_bitmap_isset(local, node->os_index) != 0;
	if (!all)
		return local;
	snprintf(why, size, "PCI device %.40s is as near to one NUMA node as to another", pci);
	return NULL;
}

/* How far a node is from the device, to compare with others. */
static hwloc_uint64_t farness(hwloc_topology_t topology, hwloc_const_nodeset_t local, hwloc_obj_t node)
{
	hwloc_obj_t home = hwloc_get_numanode_obj_by_os_index(topology, (unsigned)hwloc_bitmap_first(local));
	if (hwloc_bitmap_isset(local, node->os_index))
		return 0;
	return 1 + (home ? distance(topology, home, node) : 0);
}

static hwloc_obj_t find_node(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
			     hwloc_const_nodeset_t local, bool far)
{
	hwloc_obj_t node = next_usable(topology, allowed, NULL), found = node;
	hwloc_uint64_t best = farness(topology, local, node);
	while ((node = next_usable(topology, allowed, node))) {
		const hwloc_uint64_t here = farness(topology, local, node);
		if (far ? here > best : here < best) {
			found = node;
			best = here;
		}
	}
	return found;
}

int bench_place_find(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, const char *pci, bool far,
		     struct bench_place *place, struct bench_error *error)
{
	*place = (struct bench_place){.processors = hwloc_bitmap_dup(allowed), .node = -1, .home = -1};
	if (!place->processors)
		return bench_fail(error, BENCH_NO_MEMORY, "devices: no memory for a set of processors");
	hwloc_const_nodeset_t local = find_local(topology, allowed, pci, place->why, sizeof(place->why));
	if (!local)
		return far ? bench_fail(error, BENCH_UNSUPPORTED, "no node is farther than another: %s",
					place->why)
			   : 0;
	hwloc_obj_t node = find_node(topology, allowed, local, far);
	place->node = (int)node->os_index;
	place->home = hwloc_bitmap_weight(local) == 1 ? hwloc_bitmap_first(local) : -1;
	hwloc_bitmap_and(place->processors, allowed, node->cpuset);
	return 0;
}

void bench_place_free(struct bench_place *place)
{
	hwloc_bitmap_free(place->processors);
	*place = (struct bench_place){0};
}

int bench_place_bind(hwloc_topology_t topology, const struct bench_place *place, struct bench_error *error)
{
	if (hwloc_set_cpubind(topology, place->processors, HWLOC_CPUBIND_THREAD) == 0)
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT, "devices: a thread cannot be bound to NUMA node %d: %s",
			  place->node, strerror(errno));
}

/* The nodes that memory lies on, as a list; "": the system does not tell. */
static void list_nodes(hwloc_topology_t topology, const void *memory, size_t bytes, char *text, size_t size)
{
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
	*text = '\0';
	if (nodes &&
	    hwloc_get_area_memlocation(topology, memory, bytes, nodes, HWLOC_MEMBIND_BYNODESET) == 0 &&
	    !hwloc_bitmap_iszero(nodes))
		hwloc_bitmap_list_snprintf(text, size, nodes);
	hwloc_bitmap_free(nodes);
}

void bench_place_describe(hwloc_topology_t topology, const struct bench_place *place, const void *memory,
			  size_t bytes, char *text, size_t size)
{
	char nodes[64], home[32] = "several nodes";
	list_nodes(topology, memory, bytes, nodes, sizeof(nodes));
	if (place->home >= 0)
		snprintf(home, sizeof(home), "node %d", place->home);
	if (place->node < 0)
		snprintf(text, size, "not placed: %s", place->why);
	else
		snprintf(text, size, "driven from NUMA node %d, memory on %s%s; the device is at %s",
			 place->node, *nodes ? "node " : "a node that the system does not tell", nodes, home);
}
