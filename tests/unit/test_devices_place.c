/* SPDX-License-Identifier: MIT */
/* Which NUMA node is near a device, and which is far: on machines that hwloc makes up, with PCI devices put
 * into their XML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suites/devices/place.h"

#define DEVICE "0000:3b:00.0"
#define AT_ALL (-1)

/* So many packages, each a NUMA node of two cores, with the device in one of them, or AT_ALL of them. */
static hwloc_topology_t machine(unsigned packages, int device_in)
{
	static const char pci[] = "<object type=\"PCIDev\" gp_index=\"9999\" pci_busid=\"" DEVICE
				  "\" pci_type=\"0302 [10de:2330] [10de:16c1] a1\" pci_link_speed=\"63\"/>\n";
	char text[64], *xml, *place;
	int length;
	hwloc_topology_t topology;
	snprintf(text, sizeof(text), "package:%u [numa] core:2 pu:1", packages);
	assert_int_equal(hwloc_topology_init(&topology), 0);
	assert_int_equal(hwloc_topology_set_synthetic(topology, text), 0);
	assert_int_equal(hwloc_topology_load(topology), 0);
	assert_int_equal(hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0), 0);
	/* Before the end of the package's element, or of the machine's, which their depth tells. */
	place = strstr(xml, device_in == AT_ALL ? "\n  </object>" : "\n    </object>");
	for (int i = 0; i < device_in; i++)
		place = strstr(place + 1, "\n    </object>");
	assert_non_null(place);
	char *whole = malloc((size_t)length + sizeof(pci));
	int size = sprintf(whole, "%.*s%s%s", (int)(place + 1 - xml), xml, pci, place + 1);
	hwloc_free_xmlbuffer(topology, xml);
	hwloc_topology_destroy(topology);

	assert_int_equal(hwloc_topology_init(&topology), 0);
	assert_int_equal(
		hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL),
		0);
	assert_int_equal(hwloc_topology_set_xmlbuffer(topology, whole, size + 1), 0);
	assert_int_equal(hwloc_topology_load(topology), 0);
	free(whole);
	return topology;
}

/* The node, or AT_ALL with the reason in *why; `allowed`: a list of processors. */
static int node_of(hwloc_topology_t topology, const char *allowed, const char *pci, bool far,
		   const char *processors, char why[160])
{
	hwloc_bitmap_t may = hwloc_bitmap_alloc();
	struct bench_error error = {0};
	struct bench_place place;
	char list[64];
	hwloc_bitmap_list_sscanf(may, allowed);
	int result = bench_place_find(topology, may, pci, far, &place, &error), node = place.node;
	assert_int_equal(result, far && node < 0 ? -1 : 0);
	if (result != 0) {
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, place.why));
	}
	snprintf(why, 160, "%s", place.why);
	hwloc_bitmap_list_snprintf(list, sizeof(list), place.processors);
	assert_string_equal(list, processors);
	bench_place_free(&place);
	hwloc_bitmap_free(may);
	return node;
}

static void near_is_the_node_of_the_device_and_far_another(void **state)
{
	(void)state;
	char why[160];
	for (int at = 0; at < 2; at++) {
		hwloc_topology_t topology = machine(2, at);
		static const char *const processors[] = {"0-1", "2-3"};
		assert_int_equal(node_of(topology, "0-3", DEVICE, false, processors[at], why), at);
		assert_int_equal(node_of(topology, "0-3", DEVICE, true, processors[1 - at], why), 1 - at);
		hwloc_topology_destroy(topology);
	}
}

static void only_processors_that_may_be_used_are(void **state)
{
	(void)state;
	char why[160];
	hwloc_topology_t topology = machine(3, 1);
	assert_int_equal(node_of(topology, "1-2", DEVICE, false, "2", why), 1);
	assert_int_equal(node_of(topology, "1-2", DEVICE, true, "1", why), 0);
	/* Neither is the device's: both are as far. */
	assert_int_equal(node_of(topology, "1,4", DEVICE, false, "1", why), 0);
	assert_int_equal(node_of(topology, "2-3", DEVICE, true, "2-3", why), -1);
	assert_non_null(strstr(why, "of one NUMA node"));
	hwloc_topology_destroy(topology);
}

static void what_is_not_known_places_nothing_and_is_said(void **state)
{
	static const struct {
		unsigned packages;
		int at;
		const char *pci, *why;
	} cases[] = {
		{1, 0, DEVICE, "of one NUMA node"},
		{2, 0, "", "does not tell its PCI address"},
		{2, 0, "0000:3c:00.0", "has no PCI device 0000:3c:00.0"},
		{2, 0, "an address that is none and as long as no address ever is",
		 "has no PCI device an address that is none"},
		{2, AT_ALL, DEVICE, "as near to one NUMA node as to another"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int far = 0; far < 2; far++) {
			char why[160];
			const char *all = cases[i].packages == 1 ? "0-1" : "0-3";
			hwloc_topology_t topology = machine(cases[i].packages, cases[i].at);
			assert_int_equal(node_of(topology, all, cases[i].pci, far, all, why), -1);
			if (!strstr(why, cases[i].why))
				fail_msg("'%s' does not say '%s'", why, cases[i].why);
			hwloc_topology_destroy(topology);
		}
}

static void distances_say_which_node_is_the_farthest(void **state)
{
	enum { NODES = 4 };
	hwloc_uint64_t values[NODES * NODES] = {10, 21, 31, 12, 21, 10, 21, 21,
						31, 21, 10, 21, 12, 21, 21, 10};
	hwloc_obj_t nodes[NODES];
	char why[160];
	(void)state;
	hwloc_topology_t topology = machine(NODES, 0);
	for (unsigned i = 0; i < NODES; i++)
		nodes[i] = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, i);
	hwloc_distances_add_handle_t handle = hwloc_distances_add_create(
		topology, "NUMALatency", HWLOC_DISTANCES_KIND_FROM_USER | HWLOC_DISTANCES_KIND_MEANS_LATENCY,
		0);
	assert_non_null(handle);
	assert_int_equal(hwloc_distances_add_values(topology, handle, NODES, nodes, values, 0), 0);
	assert_int_equal(hwloc_distances_add_commit(topology, handle, 0), 0);
	assert_int_equal(node_of(topology, "0-7", DEVICE, false, "0-1", why), 0);
	assert_int_equal(node_of(topology, "0-7", DEVICE, true, "4-5", why), 2);
	/* Without the device's own node. */
	assert_int_equal(node_of(topology, "2-7", DEVICE, false, "6-7", why), 3);
	hwloc_topology_destroy(topology);
}

/* On the machine itself: a thread is bound, and where its memory lies is said. */
static void a_thread_is_bound_and_its_memory_found(void **state)
{
	struct bench_error error = {0};
	hwloc_topology_t topology;
	struct bench_place place;
	char text[320];
	(void)state;
	assert_int_equal(bench_place_topology(&topology, &error), 0);
	hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
	assert_int_equal(hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD), 0);
	assert_int_equal(bench_place_find(topology, allowed, "", false, &place, &error), 0);
	assert_int_equal(bench_place_bind(topology, &place, &error), 0);
	char *memory = calloc(1, 1 << 20);
	bench_place_describe(topology, &place, memory, 1 << 20, text, sizeof(text));
	assert_non_null(strstr(text, "not placed: "));
	/* As if it were a node's. */
	place.node = 0;
	place.home = 1;
	bench_place_describe(topology, &place, memory, 1 << 20, text, sizeof(text));
	if (strncmp(text, "driven from NUMA node 0, memory on ", 35) != 0 ||
	    !strstr(text, "; the device is at node 1"))
		fail_msg("%s", text);
	hwloc_bitmap_zero(place.processors);
	assert_int_equal(bench_place_bind(topology, &place, &error), -1);
	free(memory);
	bench_place_free(&place);
	hwloc_bitmap_free(allowed);
	hwloc_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_is_the_node_of_the_device_and_far_another),
		cmocka_unit_test(only_processors_that_may_be_used_are),
		cmocka_unit_test(what_is_not_known_places_nothing_and_is_said),
		cmocka_unit_test(distances_say_which_node_is_the_farthest),
		cmocka_unit_test(a_thread_is_bound_and_its_memory_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
