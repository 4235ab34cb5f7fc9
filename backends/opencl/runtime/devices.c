/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/devices.h"

#include <ctype.h>
#include <hwloc/opencl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/folder.h"
#include "backends/opencl/runtime/slug.h"
#include "core/file.h"
#include "core/text.h"

/*
 * PoCL's own switch: 1 pins each of its threads to a core. Without it the scheduler wakes two of them on one
 * core for most of a short kernel. The same GEMM then takes up to twice as long in one process as in the
 * next. A value that the user has set is kept.
 */
#define POCL_PIN "POCL_AFFINITY"

/*
 * PoCL's list of the drivers that it is to have. Beside the one with threads we want that which runs a kernel
 * in the calling thread, for small ones (struct bench_device, caller). The names are those of PoCL up to 3,
 * which later ones know too. A list that the user has set is kept. Ours is unset again: other programs that
 * this one starts, such as an older bench, would list the second driver as a device.
 */
#define POCL_DRIVERS "POCL_DEVICES"

#define MAX_PLATFORMS 64
#define MAX_DEVICES   256 /* of one platform */

/* What is the same for all devices of this process. */
struct host {
	char cpu_model[128];   /* "": unknown */
	const char *pocl_note; /* of PoCL's devices, as in struct bench_device_info */
	bool pocl_has_folder;
};

/* The "model name" of /proc/cpuinfo, trimmed, or "". */
static void read_cpu_model(char *out, size_t size)
{
	char line[512];
	*out = '\0';
	FILE *file = bench_file_open("/proc/cpuinfo");
	if (!file)
		return;
	while (!*out && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');
		if (!colon || strncmp(line, "model name", 10) != 0)
			continue;
		char *start = colon + 1, *end = start + strlen(start);
		while (isspace((unsigned char)*start))
			start++;
		while (end > start && isspace((unsigned char)end[-1]))
			*--end = '\0';
		snprintf(out, size, "%s", start);
	}
	fclose(file);
}

void bench_opencl_clean(char *text)
{
	uint32_t point;
	for (size_t length; *text; text += length) {
		length = bench_text_utf8(text, &point);
		if (length && point >= ' ' && !(point >= 0x7f && point < 0xa0))
			continue;
		*text = *text == '\t' ? ' ' : '?';
		length = 1;
	}
}

/* Takes a text as a driver gave it, without blanks around it. */
static void take_text(char *text, char *out, size_t size)
{
	char *start = text, *end = text + strlen(text);
	while (isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		*--end = '\0';
	snprintf(out, size, "%.*s", (int)size - 1, start);
	bench_opencl_clean(out);
}

cl_int bench_opencl_device_text(cl_device_id id, cl_device_info what, char *out, size_t size)
{
	char text[1024] = "";
	cl_int status = clGetDeviceInfo(id, what, sizeof(text) - 1, text, NULL);
	if (status != CL_SUCCESS)
		*text = '\0';
	take_text(text, out, size);
	return status;
}

static cl_int platform_text(cl_platform_id id, cl_platform_info what, char *out, size_t size)
{
	char text[1024] = "";
	cl_int status = clGetPlatformInfo(id, what, sizeof(text) - 1, text, NULL);
	if (status != CL_SUCCESS)
		*text = '\0';
	take_text(text, out, size);
	return status;
}

/* A number property; 0 where it cannot be had. Smaller types leave the upper bytes zero (little-endian). */
static uint64_t device_number(cl_device_id id, cl_device_info what)
{
	uint64_t value = 0;
	return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value : 0;
}

/* The numbers that choose kernels and sizes, each within what a device can have. */
enum { TYPE, UNITS, MEMORY, LARGEST, LOCAL, QUEUES, WIDTH_F32, WIDTH_F64, NUMBERS };
static const struct {
	cl_device_info what;
	const char *name;
	uint64_t least, most;
} numbers[NUMBERS] = {
	[TYPE] = {CL_DEVICE_TYPE, "CL_DEVICE_TYPE", 1, UINT32_MAX},
	[UNITS] = {CL_DEVICE_MAX_COMPUTE_UNITS, "CL_DEVICE_MAX_COMPUTE_UNITS", 1, 1 << 20},
	[MEMORY] = {CL_DEVICE_GLOBAL_MEM_SIZE, "CL_DEVICE_GLOBAL_MEM_SIZE", 1, UINT64_C(1) << 50},
	[LARGEST] = {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "CL_DEVICE_MAX_MEM_ALLOC_SIZE", 1, UINT64_C(1) << 50},
	[LOCAL] = {CL_DEVICE_LOCAL_MEM_SIZE, "CL_DEVICE_LOCAL_MEM_SIZE", 1, UINT64_C(1) << 32},
	[QUEUES] = {CL_DEVICE_QUEUE_PROPERTIES, "CL_DEVICE_QUEUE_PROPERTIES", 0, UINT32_MAX},
	[WIDTH_F32] = {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", 0, 1024},
	[WIDTH_F64] = {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE", 0, 1024},
};

/*
 * Reads them all. A device of which one is unknown or impossible would be measured with other kernels than it
 * is meant to have, or with none.
 */
static int read_numbers(cl_device_id id, const char *name, uint64_t values[NUMBERS],
			struct bench_error *error)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		values[i] = 0;
		cl_int status = clGetDeviceInfo(id, numbers[i].what, sizeof(values[i]), &values[i], NULL);
		if (status != CL_SUCCESS)
			return bench_opencl_fail(error, NULL, status, "clGetDeviceInfo", numbers[i].name);
		if (values[i] < numbers[i].least || values[i] > numbers[i].most)
			return bench_fail(error, BENCH_UNSUPPORTED, "device '%s' says that its %s is %llu",
					  name, numbers[i].name, (unsigned long long)values[i]);
	}
	return 0;
}

/* CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV of cl_nv_device_attribute_query; other drivers do not know it. */
#define NVIDIA_CAPABILITY 0x4000

/* cl_khr_pci_bus_info; drivers without it refuse the number. */
#define PCI_BUS_INFO 0x410F
struct pci_address {
	cl_uint domain, bus, device, function;
};

/* By the standard's extension, or by AMD's or NVIDIA's own. */
static void read_pci(cl_device_id id, char *out, size_t size)
{
	struct pci_address pci;
	if (clGetDeviceInfo(id, PCI_BUS_INFO, sizeof(pci), &pci, NULL) != CL_SUCCESS &&
	    hwloc_opencl_get_device_pci_busid(id, &pci.domain, &pci.bus, &pci.device, &pci.function) != 0)
		return;
	if (pci.bus <= 0xff && pci.device <= 0x1f && pci.function <= 7)
		snprintf(out, size, "%04x:%02x:%02x.%x", pci.domain, pci.bus, pci.device, pci.function);
}

/* What the environment makes of every device: tests of the GPU's kernels on a CPU. */
#define KIND "BENCH_OPENCL_KIND"

static enum bench_device_kind kind_of(uint64_t type)
{
	const char *forced = getenv(KIND);
	if (forced && *forced)
		return strcmp(forced, "cpu") == 0 ? BENCH_DEVICE_CPU : BENCH_DEVICE_GPU;
	if (type & CL_DEVICE_TYPE_CPU)
		return BENCH_DEVICE_CPU;
	return type & CL_DEVICE_TYPE_GPU ? BENCH_DEVICE_GPU : BENCH_DEVICE_ACCELERATOR;
}

/* The names of a device, its platform and driver; in the driver's text also what the user may have changed.
 */
static int describe_names(struct bench_opencl_device *device, const struct host *host,
			  struct bench_error *error)
{
	struct bench_device_info *info = &device->info;
	char platform[256] = "", version[256] = "", both[600];
	cl_int status = bench_opencl_device_text(device->id, CL_DEVICE_NAME, info->name, sizeof(info->name));
	if (status == CL_SUCCESS)
		status = bench_opencl_device_text(device->id, CL_DRIVER_VERSION, info->driver,
						  sizeof(info->driver));
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, NULL, status, "clGetDeviceInfo", "its name or its driver");
	status = platform_text(device->platform, CL_PLATFORM_NAME, platform, sizeof(platform));
	if (status == CL_SUCCESS)
		status = platform_text(device->platform, CL_PLATFORM_VERSION, version, sizeof(version));
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, NULL, status, "clGetPlatformInfo", "its name or its version");
	snprintf(both, sizeof(both), "%s, %s", platform, version);
	snprintf(info->platform, sizeof(info->platform), "%.*s", (int)sizeof(info->platform) - 1, both);
	const char *pin = getenv(POCL_PIN);
	if (bench_opencl_is_pocl(platform)) {
		if (pin && strcmp(pin, "1") == 0)
			strncat(info->driver, ", pinned threads",
				sizeof(info->driver) - strlen(info->driver) - 1);
		if (!device->caller)
			strncat(info->driver, ", none in the calling thread",
				sizeof(info->driver) - strlen(info->driver) - 1);
		snprintf(info->note, sizeof(info->note), "%s", host->pocl_note);
	}
	bench_opencl_slug(info->slug, sizeof(info->slug), platform, info->name, host->cpu_model);
	/* Kernels for another kind of device are no part of this one's history. */
	const char *forced = getenv(KIND);
	if (forced && *forced) {
		size_t length = strlen(info->slug);
		snprintf(info->slug + length, sizeof(info->slug) - length, "-as-%s", forced);
	}
	return 0;
}

static int describe(struct bench_opencl_device *device, const struct host *host, struct bench_error *error)
{
	struct bench_device_info *info = &device->info;
	uint64_t values[NUMBERS];
	if (describe_names(device, host, error) != 0 ||
	    read_numbers(device->id, info->name, values, error) != 0)
		return -1;
	info->kind = kind_of(values[TYPE]);
	device->nvidia_capability = (unsigned)device_number(device->id, NVIDIA_CAPABILITY);
	if (strstr(info->platform, "NVIDIA") && !device->nvidia_capability)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "device '%s' does not tell its compute capability", info->name);
	/* Oclgrind, which looks for races, has none: OpenCL 1.2 promises no such fence. */
	device->has_fence = device->nvidia_capability ||
			    (values[TYPE] & CL_DEVICE_TYPE_CPU && !strstr(info->platform, "Oclgrind"));
	device->has_addresses = device->has_fence;
	device->local_bytes = values[LOCAL];
	device->cache_bytes = device_number(device->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
	device->native_width[0] = values[WIDTH_F32];
	device->native_width[1] = values[WIDTH_F64];
	info->compute_units = (unsigned)values[UNITS];
	uint64_t clock_mhz = device_number(device->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	info->clock_mhz = clock_mhz < 100000 ? (unsigned)clock_mhz : 0;
	info->memory_bytes = values[MEMORY];
	info->max_buffer_bytes = values[LARGEST] < values[MEMORY] ? values[LARGEST] : values[MEMORY];
	info->f64 = device_number(device->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
	info->f16 = true; /* loads and stores of half are in the core, whatever the device computes in */
	read_pci(device->id, info->pci, sizeof(info->pci));
	info->device_time = values[QUEUES] & CL_QUEUE_PROFILING_ENABLE;
	/* Where host and device share memory there is no bus to page-lock memory for. */
	const char *forced = getenv(KIND);
	info->pinned = info->kind != BENCH_DEVICE_CPU &&
		       ((forced && *forced) || !device_number(device->id, CL_DEVICE_HOST_UNIFIED_MEMORY));
	return 0;
}

/* Is a device of PoCL's of this name the one that runs kernels in the calling thread? By the older and the
 * newer name of its driver. */
static bool is_callers(const char *name)
{
	return strncmp(name, "basic-", 6) == 0 || strncmp(name, "cpu-minimal-", 12) == 0;
}

/*
 * Of PoCL's two devices of one processor the one that runs kernels in the calling thread comes off the
 * list, and with the other. Alone it stays. *count: how many are left. A CL status.
 */
static cl_int pair_pocl(cl_device_id *ids, cl_uint *count, cl_device_id *caller)
{
	bool callers[MAX_DEVICES] = {false};
	cl_uint kept = 0, with_threads = 0;
	for (cl_uint i = 0; i < *count; i++) {
		char name[256];
		cl_int status = bench_opencl_device_text(ids[i], CL_DEVICE_NAME, name, sizeof(name));
		if (status != CL_SUCCESS)
			return status;
		callers[i] = is_callers(name);
		with_threads += !callers[i];
	}
	if (with_threads != 1)
		return CL_SUCCESS;
	for (cl_uint i = 0; i < *count; i++) {
		if (callers[i])
			*caller = ids[i];
		else
			ids[kept++] = ids[i];
	}
	*count = kept;
	return CL_SUCCESS;
}

/* Removes what a driver counted and did not give; returns how many are left. */
static cl_uint drop_missing(cl_device_id *ids, cl_uint count)
{
	cl_uint kept = 0;
	for (cl_uint i = 0; i < count && i < MAX_DEVICES; i++)
		if (ids[i])
			ids[kept++] = ids[i];
	return kept;
}

/* Appends the devices of a platform that can be used to the list; a device that cannot says why in `error`.
 */
static void add_platform(cl_platform_id platform, const struct host *host, struct bench_opencl_device **list,
			 size_t *count, struct bench_error *error)
{
	cl_device_id ids[MAX_DEVICES] = {NULL}, caller = NULL;
	cl_uint found = 0;
	char name[256] = "";
	cl_int status = platform_text(platform, CL_PLATFORM_NAME, name, sizeof(name));
	if (status == CL_SUCCESS)
		status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &found);
	found = drop_missing(ids, found);
	if (status == CL_SUCCESS && bench_opencl_is_pocl(name))
		status = pair_pocl(ids, &found, &caller);
	if (status != CL_SUCCESS || found == 0) {
		const char *said =
			bench_opencl_error_name(status == CL_SUCCESS ? CL_DEVICE_NOT_FOUND : status);
		bench_fail(error, BENCH_UNSUPPORTED,
			   "platform '%s' has none that is available (%s in clGetDeviceIDs)%s", name,
			   said ? said : "unknown error",
			   bench_opencl_is_pocl(name) && !host->pocl_has_folder
				   ? "; PoCL has no folder for its cache: name one in POCL_CACHE_DIR"
				   : "");
		return;
	}
	struct bench_opencl_device *grown = realloc(*list, (*count + found) * sizeof(**list));
	if (!grown) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for %u devices", (unsigned)found);
		return;
	}
	*list = grown;
	for (cl_uint i = 0; i < found; i++) {
		struct bench_opencl_device *device = &grown[*count];
		*device = (struct bench_opencl_device){.platform = platform, .id = ids[i], .caller = caller};
		if (!device_number(ids[i], CL_DEVICE_AVAILABLE))
			bench_fail(error, BENCH_UNSUPPORTED,
				   "platform '%s' has one that is not available (CL_DEVICE_AVAILABLE)", name);
		else if (describe(device, host, error) == 0)
			++*count;
	}
}

/* The variables of ours that choose among a few words. */
static int check_variables(struct bench_error *error)
{
	const char *forced = getenv(KIND), *cache = getenv("BENCH_PROGRAM_CACHE");
	if (forced && *forced && strcmp(forced, "cpu") != 0 && strcmp(forced, "gpu") != 0)
		return bench_fail(error, BENCH_USAGE, KIND "=%s: it is cpu or gpu", forced);
	if (cache && *cache && strcmp(cache, "on") != 0 && strcmp(cache, "off") != 0)
		return bench_fail(error, BENCH_USAGE, "BENCH_PROGRAM_CACHE=%s: it is on or off", cache);
	return 0;
}

static int enumerate(const struct host *host, struct bench_opencl_device **list, size_t *count,
		     struct bench_error *error)
{
	cl_platform_id platforms[MAX_PLATFORMS] = {NULL};
	cl_uint platform_count = 0;
	struct bench_error why = {.text = "no platform has one"};
	cl_int status = clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
	*list = NULL;
	*count = 0;
	if (status != CL_SUCCESS || platform_count == 0)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no OpenCL platform: install a driver (Debian, Ubuntu: pocl-opencl-icd) or "
				  "check the .icd files in /etc/OpenCL/vendors");
	for (cl_uint i = 0; i < platform_count && i < MAX_PLATFORMS; i++)
		if (platforms[i])
			add_platform(platforms[i], host, list, count, &why);
	if (*count)
		return 0;
	free(*list);
	*list = NULL;
	return bench_fail(error, BENCH_UNSUPPORTED, "no OpenCL device: %s%s", why.text,
			  strstr(why.text, "POCL_CACHE_DIR") ? "" : "; check its driver");
}

/*
 * ocl-icd (2.3) cuts the value of this variable apart where it lies, in the environment: programs that are
 * started afterwards would find the first library of the list alone.
 */
#define LOADER_LIST "OCL_ICD_FILENAMES"

int bench_opencl_enumerate(struct bench_opencl_device **list, size_t *count, struct bench_error *error)
{
	/* PoCL reads them when it is asked for devices for the first time. */
	struct host host;
	if (check_variables(error) != 0)
		return -1;
	bool ours = !getenv(POCL_DRIVERS);
	const char *value = getenv(LOADER_LIST);
	char *libraries = value ? strdup(value) : NULL;
	read_cpu_model(host.cpu_model, sizeof(host.cpu_model));
	host.pocl_note = bench_opencl_folder_for_pocl(&host.pocl_has_folder);
	setenv(POCL_PIN, "1", 0);
	if (ours)
		setenv(POCL_DRIVERS, "pthread basic", 1);
	int result = enumerate(&host, list, count, error);
	if (ours)
		unsetenv(POCL_DRIVERS);
	if (libraries)
		setenv(LOADER_LIST, libraries, 1);
	free(libraries);
	return result;
}

int bench_opencl_devices(struct bench_device_info *info, size_t capacity, size_t *count,
			 struct bench_error *error)
{
	struct bench_opencl_device *list;
	if (bench_opencl_enumerate(&list, count, error) != 0)
		return -1;
	for (size_t i = 0; i < *count && i < capacity; i++)
		info[i] = list[i].info;
	free(list);
	return 0;
}
