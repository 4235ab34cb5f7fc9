/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/open.h"

#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/devices.h"
#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/helper.h"
#include "backends/opencl/runtime/host.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/variants.h"

/*
 * Limits a CPU device to `threads` of its compute units, by a sub-device. PoCL reads its own variable,
 * POCL_MAX_PTHREAD_COUNT, only once, when it lists the devices. A GPU takes no host threads: nothing to
 * limit.
 */
static int limit_threads(struct bench_device *device, unsigned threads, struct bench_error *error)
{
	if (threads == 0 || threads >= device->info.compute_units || device->info.kind != BENCH_DEVICE_CPU)
		return 0;
	const cl_device_partition_property by_count[] = {CL_DEVICE_PARTITION_BY_COUNTS,
							 (cl_device_partition_property)threads,
							 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
	cl_device_id part = NULL;
	cl_int status = clCreateSubDevices(device->id, by_count, 1, &part, NULL);
	if (bench_opencl_made(part, status) != CL_SUCCESS)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "device %s cannot be limited to %u threads (clCreateSubDevices by counts); "
				  "leave the thread count out",
				  device->info.slug, threads);
	device->id = part;
	device->sub_device = true;
	device->info.compute_units = threads;
	return 0;
}

static int make_states(struct bench_device *device, const struct bench_opencl_state *const *states,
		       struct bench_error *error)
{
	for (size_t i = 0; states[i]; i++) {
		device->states[i].memory = calloc(1, states[i]->bytes);
		if (!device->states[i].memory)
			return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a device's record");
		device->states[i].of = states[i];
	}
	return 0;
}

void bench_opencl_clear(struct bench_device *device)
{
	struct bench_buffer *const scratch[] = {&device->parts, &device->value, &device->arrived};
	if (device->caller)
		bench_opencl_clear(device->caller);
	if (device->queue.plain)
		bench_opencl_finish(device, NULL);
	bench_opencl_host_free_all(device);
	device->staging = device->fetched = NULL;
	for (size_t i = 0; i < BENCH_OPENCL_STATES && device->states[i].of; i++) {
		device->states[i].of->close(device->states[i].memory);
		memset(device->states[i].memory, 0, device->states[i].of->bytes);
	}
	for (size_t i = 0; i < sizeof(scratch) / sizeof(*scratch); i++) {
		bench_opencl_unreserve(scratch[i]);
		*scratch[i] = (struct bench_buffer){0};
	}
	device->released++; /* kernels have had these as arguments */
	bench_opencl_programs_store(device);
}

void bench_opencl_close(struct bench_device *device)
{
	if (!device)
		return;
	if (device->caller)
		device->caller->context = NULL; /* it is this one's */
	bench_opencl_close(device->caller);
	device->caller = NULL;
	bench_opencl_helper_close(device->helper);
	bench_opencl_clear(device);
	for (size_t i = 0; i < BENCH_OPENCL_STATES; i++)
		free(device->states[i].memory);
	bench_opencl_variants_free(device);
	bench_opencl_programs_free(device);
	bench_opencl_queue_close(device);
	if (device->context)
		clReleaseContext(device->context);
	if (device->sub_device)
		clReleaseDevice(device->id);
	free(device);
}

/*
 * Opens the device that runs small kernels in the calling thread, in the context of `device`, which has no
 * queue yet.
 */
static int open_caller(struct bench_device *device, cl_device_id id,
		       const struct bench_opencl_state *const *states, struct bench_error *error)
{
	struct bench_device *caller = malloc(sizeof(*caller));
	if (!caller)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a device's record");
	*caller = *device;
	device->caller = caller;
	caller->id = id;
	caller->sub_device = false;
	caller->info.compute_units = 1;
	/* Its name tells its binaries from the device's. */
	cl_int status =
		bench_opencl_device_text(id, CL_DEVICE_NAME, caller->info.name, sizeof(caller->info.name));
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetDeviceInfo", "its name");
	if (make_states(caller, states, error) != 0 ||
	    (device->info.compute_units > 1 && bench_opencl_helper_open(caller, error) != 0))
		return -1;
	return bench_opencl_queue_open(caller, error);
}

int bench_opencl_device_open(size_t index, const struct bench_open_options *options,
			     const struct bench_opencl_state *const *states, struct bench_device **device,
			     struct bench_error *error)
{
	struct bench_opencl_device *list = NULL;
	struct bench_device *opened = NULL;
	size_t count;
	int result = -1;
	cl_int status = CL_SUCCESS;
	if (bench_opencl_enumerate(&list, &count, error) != 0)
		goto out;
	if (index >= count) {
		bench_fail(error, BENCH_USAGE, "no OpenCL device %zu: there are %zu", index, count);
		goto out;
	}
	opened = calloc(1, sizeof(*opened));
	if (!opened) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for a device's record");
		goto out;
	}
	opened->id = list[index].id;
	opened->info = list[index].info;
	opened->nvidia_capability = list[index].nvidia_capability;
	opened->has_fence = list[index].has_fence;
	opened->has_addresses = list[index].has_addresses;
	opened->local_bytes = list[index].local_bytes;
	opened->cache_bytes = list[index].cache_bytes;
	memcpy(opened->native_width, list[index].native_width, sizeof(opened->native_width));
	opened->threads = options ? options->threads : 0;
	if (limit_threads(opened, opened->threads, error) != 0)
		goto out;
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
						    (cl_context_properties)list[index].platform, 0};
	const cl_device_id ids[] = {opened->id, list[index].caller};
	opened->context = clCreateContext(properties, ids[1] ? 2 : 1, ids, NULL, NULL, &status);
	status = bench_opencl_made(opened->context, status);
	if (status != CL_SUCCESS) {
		opened->context = NULL;
		bench_opencl_fail(error, opened, status, "clCreateContext", NULL);
		goto out;
	}
	if ((ids[1] && open_caller(opened, ids[1], states, error) != 0) ||
	    make_states(opened, states, error) != 0 || bench_opencl_queue_open(opened, error) != 0)
		goto out;
	*device = opened;
	opened = NULL;
	result = 0;
out:
	bench_opencl_close(opened);
	free(list);
	return result;
}

void bench_opencl_device_stats(const struct bench_device *device, struct bench_device_stats *stats)
{
	*stats = device->stats;
	if (!device->caller)
		return;
	const struct bench_device_stats *more = &device->caller->stats;
	stats->launches += more->launches;
	stats->compiled += more->compiled;
	stats->cached += more->cached;
	stats->compile_seconds += more->compile_seconds;
	stats->load_seconds += more->load_seconds;
}

void bench_opencl_device_traffic(const struct bench_device *device, struct bench_device_traffic *traffic)
{
	*traffic = device->traffic;
	if (!device->caller)
		return;
	traffic->copies += device->caller->traffic.copies;
	traffic->bytes += device->caller->traffic.bytes;
}
