/* SPDX-License-Identifier: MIT */
#include "backends/opencl/gemm/maps.h"

#include <string.h>

#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"

enum { MAP_BYTES = 128, MAP_ITEMS = 32 }; /* of gemm_map.cl */

static int make_map(struct bench_device *device, const struct bench_opencl_gemm_map *map, cl_uint number,
		    struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct bench_buffer *maps = &bench_opencl_gemm_of(device)->maps;
	if (bench_opencl_reserve(device, maps, (size_t)BENCH_OPENCL_GEMM_MAPS * MAP_BYTES, error) != 0 ||
	    bench_opencl_kernel(device, "gemm_map.cl", "", "gemm_map", &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	bench_opencl_list_add(&list, sizeof(cl_mem), &map->memory);
	BENCH_OPENCL_MEMORIES(&list, maps);
	BENCH_OPENCL_UINTS(&list, number, map->bytes, map->rows, map->columns, map->count);
	BENCH_OPENCL_ULONGS(&list, map->ld, map->count > 1 ? map->stride : map->ld);
	BENCH_OPENCL_UINTS(&list, map->box_rows);
	return bench_opencl_launch_groups(device, kernel, &list, 1, MAP_ITEMS, error);
}

int bench_opencl_gemm_map(struct bench_device *device, const struct bench_opencl_gemm_map *map,
			  cl_uint *number, struct bench_error *error)
{
	struct bench_opencl_gemm *own = bench_opencl_gemm_of(device);
	if (own->released != device->released) {
		/* A new buffer may have the handle of an old one, and another address. */
		own->made_count = 0;
		own->released = device->released;
	}
	size_t kept = bench_opencl_smaller(own->made_count, BENCH_OPENCL_GEMM_MAPS);
	for (size_t i = 0; i < kept; i++)
		if (memcmp(&own->made[i], map, sizeof(*map)) == 0) {
			*number = (cl_uint)i;
			return 0;
		}
	/* The oldest gives way. The queue is in order: what uses it is enqueued before. */
	*number = (cl_uint)(own->made_count % BENCH_OPENCL_GEMM_MAPS);
	own->made[*number] = (struct bench_opencl_gemm_map){0};
	if (make_map(device, map, *number, error) != 0)
		return -1;
	own->made[*number] = *map;
	own->made_count++;
	return 0;
}
