/* What devices there are: platforms, devices, their facts and slugs. */
#include "internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slug.h"

/*
 * PoCL's own switch: 1 pins each of its threads to a core. Without it the scheduler wakes two
 * of them on one core for most of a short kernel, and the same GEMM takes once or twice its time
 * from one process to the next. A value that the user has set is kept.
 */
#define POCL_PIN "POCL_AFFINITY"

/*
 * PoCL's list of the drivers that it is to have. Beside the one with threads we want that which runs a kernel
 * in the calling thread, for small ones (struct bench_device, caller). The names are those of PoCL up to 3,
 * which later ones know too. A list that the user has set is kept; ours is not left for other programs that
 * this one starts, such as an older bench, which would take the second driver for a device like any other.
 */
#define POCL_DRIVERS "POCL_DEVICES"

#define MAX_PLATFORMS 64
#define MAX_DEVICES   256 /* of one platform */

/* The "model name" of /proc/cpuinfo, trimmed, or "". */
static void read_cpu_model(char *out, size_t size)
{
	char line[512];
	*out = '\0';
	FILE *file = fopen("/proc/cpuinfo", "re");
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

/* A text property of a device; "" where it cannot be had. Blanks around it are cut off. */
static void device_text(cl_device_id id, cl_device_info what, char *out, size_t size)
{
	char text[1024] = "";
	if (clGetDeviceInfo(id, what, sizeof(text) - 1, text, NULL) != CL_SUCCESS)
		*text = '\0';
	char *start = text, *end = text + strlen(text);
	while (isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		*--end = '\0';
	snprintf(out, size, "%.*s", (int)size - 1, start);
}

static void platform_text(cl_platform_id id, cl_platform_info what, char *out, size_t size)
{
	if (clGetPlatformInfo(id, what, size - 1, out, NULL) != CL_SUCCESS)
		*out = '\0';
	out[size - 1] = '\0';
}

/* A number property; 0 where it cannot be had. Smaller types leave the upper bytes zero (little-endian). */
static uint64_t device_number(cl_device_id id, cl_device_info what)
{
	uint64_t value = 0;
	return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value : 0;
}

/* CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV of cl_nv_device_attribute_query; other drivers do not know it. */
#define NVIDIA_CAPABILITY 0x4000

/* What the environment makes of every device: tests of the GPU's kernels on a CPU. */
#define KIND "BENCH_OPENCL_KIND"

static enum bench_device_kind kind_of(cl_device_id id)
{
	const char *forced = getenv(KIND);
	if (forced && *forced)
		return strcmp(forced, "cpu") == 0 ? BENCH_DEVICE_CPU : BENCH_DEVICE_GPU;
	uint64_t type = device_number(id, CL_DEVICE_TYPE);
	if (type & CL_DEVICE_TYPE_CPU)
		return BENCH_DEVICE_CPU;
	return type & CL_DEVICE_TYPE_GPU ? BENCH_DEVICE_GPU : BENCH_DEVICE_ACCELERATOR;
}

static void describe(struct bench_opencl_device *device, const char *cpu_model)
{
	struct bench_device_info *info = &device->info;
	char platform[256] = "", version[256] = "", both[600];
	platform_text(device->platform, CL_PLATFORM_NAME, platform, sizeof(platform));
	platform_text(device->platform, CL_PLATFORM_VERSION, version, sizeof(version));
	snprintf(both, sizeof(both), "%s, %s", platform, version);
	snprintf(info->platform, sizeof(info->platform), "%.*s", (int)sizeof(info->platform) - 1, both);
	device_text(device->id, CL_DEVICE_NAME, info->name, sizeof(info->name));
	device_text(device->id, CL_DRIVER_VERSION, info->driver, sizeof(info->driver));
	/* What the user may have changed shows in what comparisons look at. */
	const char *pin = getenv(POCL_PIN);
	if (bench_opencl_is_pocl(platform) && pin && strcmp(pin, "1") == 0)
		strncat(info->driver, ", pinned threads", sizeof(info->driver) - strlen(info->driver) - 1);
	if (bench_opencl_is_pocl(platform) && !device->caller)
		strncat(info->driver, ", none in the calling thread",
			sizeof(info->driver) - strlen(info->driver) - 1);
	bench_opencl_slug(info->slug, sizeof(info->slug), platform, info->name, cpu_model);

	info->kind = kind_of(device->id);
	/* Kernels for another kind of device are no part of this one's history. */
	const char *forced = getenv(KIND);
	if (forced && *forced) {
		size_t length = strlen(info->slug);
		snprintf(info->slug + length, sizeof(info->slug) - length, "-as-%s", forced);
	}
	device->nvidia_capability = (unsigned)device_number(device->id, NVIDIA_CAPABILITY);
	device->has_fence =
		device->nvidia_capability || device_number(device->id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
	device->local_bytes = device_number(device->id, CL_DEVICE_LOCAL_MEM_SIZE);
	info->compute_units = (unsigned)device_number(device->id, CL_DEVICE_MAX_COMPUTE_UNITS);
	info->clock_mhz = (unsigned)device_number(device->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	info->memory_bytes = device_number(device->id, CL_DEVICE_GLOBAL_MEM_SIZE);
	info->max_buffer_bytes = device_number(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	info->f64 = device_number(device->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
	info->f16 = true; /* loads and stores of half are in the core, whatever the device computes in */
	info->device_time = device_number(device->id, CL_DEVICE_QUEUE_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE;
	/* Where host and device share memory there is no bus to page-lock memory for. */
	info->pinned = info->kind != BENCH_DEVICE_CPU &&
		       ((forced && *forced) || !device_number(device->id, CL_DEVICE_HOST_UNIFIED_MEMORY));
}

/* Is it PoCL's device that runs kernels in the calling thread? By the older and the newer name of its driver.
 */
static bool is_callers(cl_device_id id)
{
	char name[256];
	device_text(id, CL_DEVICE_NAME, name, sizeof(name));
	return strncmp(name, "basic-", 6) == 0 || strncmp(name, "cpu-minimal-", 12) == 0;
}

/*
 * Of PoCL's two devices of one processor the one that runs kernels in the calling thread comes off the
 * list, and with the other. Alone it stays. Returns how many are left.
 */
static cl_uint pair_pocl(cl_device_id *ids, cl_uint count, cl_device_id *caller)
{
	cl_uint kept = 0, with_threads = 0;
	*caller = NULL;
	for (cl_uint i = 0; i < count; i++)
		with_threads += !is_callers(ids[i]);
	if (with_threads != 1)
		return count;
	for (cl_uint i = 0; i < count; i++) {
		if (is_callers(ids[i]))
			*caller = ids[i];
		else
			ids[kept++] = ids[i];
	}
	return kept;
}

/* Appends the devices of a platform to the list; a CL status. */
static cl_int add_platform(cl_platform_id platform, struct bench_opencl_device **list, size_t *count,
			   const char *cpu_model)
{
	cl_device_id ids[MAX_DEVICES];
	cl_uint found = 0;
	cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &found);
	if (status != CL_SUCCESS)
		return status;
	if (found > MAX_DEVICES)
		found = MAX_DEVICES;
	cl_device_id caller = NULL;
	char name[256] = "";
	platform_text(platform, CL_PLATFORM_NAME, name, sizeof(name));
	if (bench_opencl_is_pocl(name))
		found = pair_pocl(ids, found, &caller);
	if (found == 0)
		return CL_DEVICE_NOT_FOUND;
	struct bench_opencl_device *grown = realloc(*list, (*count + found) * sizeof(**list));
	if (!grown)
		return CL_OUT_OF_HOST_MEMORY;
	*list = grown;
	for (cl_uint i = 0; i < found; i++) {
		if (!device_number(ids[i], CL_DEVICE_AVAILABLE))
			continue;
		struct bench_opencl_device *device = &grown[(*count)++];
		*device = (struct bench_opencl_device){.platform = platform, .id = ids[i], .caller = caller};
		describe(device, cpu_model);
	}
	return CL_SUCCESS;
}

static int fail_without_device(cl_int status, const char *platform, struct bench_error *error)
{
	const char *name = bench_opencl_error_name(status);
	return bench_fail(
		error, BENCH_UNSUPPORTED,
		"no OpenCL device: platform '%s' has none that is available (%s in clGetDeviceIDs); "
		"check its driver",
		platform, name ? name : "unknown error");
}

static int enumerate(struct bench_opencl_device **list, size_t *count, struct bench_error *error)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_uint platform_count = 0;
	const char *forced = getenv(KIND);
	if (forced && *forced && strcmp(forced, "cpu") != 0 && strcmp(forced, "gpu") != 0)
		return bench_fail(error, BENCH_USAGE, KIND "=%s: it is cpu or gpu", forced);
	cl_int status = clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
	*list = NULL;
	*count = 0;
	if (status != CL_SUCCESS || platform_count == 0)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no OpenCL platform: install a driver (Debian, Ubuntu: pocl-opencl-icd) or "
				  "check the .icd files in /etc/OpenCL/vendors");
	if (platform_count > MAX_PLATFORMS)
		platform_count = MAX_PLATFORMS;

	char cpu_model[128], failed_platform[128] = "";
	cl_int failure = CL_DEVICE_NOT_FOUND;
	read_cpu_model(cpu_model, sizeof(cpu_model));
	for (cl_uint i = 0; i < platform_count; i++) {
		size_t before = *count;
		status = add_platform(platforms[i], list, count, cpu_model);
		if (*count > before)
			continue;
		failure = status != CL_SUCCESS ? status : CL_DEVICE_NOT_FOUND;
		platform_text(platforms[i], CL_PLATFORM_NAME, failed_platform, sizeof(failed_platform));
	}
	if (*count)
		return 0;
	free(*list);
	*list = NULL;
	return fail_without_device(failure, failed_platform, error);
}

/*
 * ocl-icd (2.3) cuts the value of this variable apart where it lies, in the environment: programs that are
 * started afterwards would find the first library of the list alone.
 */
#define LOADER_LIST "OCL_ICD_FILENAMES"

int bench_opencl_enumerate(struct bench_opencl_device **list, size_t *count, struct bench_error *error)
{
	/* PoCL reads both when it is asked for devices for the first time. */
	bool ours = !getenv(POCL_DRIVERS);
	const char *value = getenv(LOADER_LIST);
	char *libraries = value ? strdup(value) : NULL;
	setenv(POCL_PIN, "1", 0);
	if (ours)
		setenv(POCL_DRIVERS, "pthread basic", 1);
	int result = enumerate(list, count, error);
	if (ours)
		unsetenv(POCL_DRIVERS);
	if (libraries)
		setenv(LOADER_LIST, libraries, 1);
	free(libraries);
	return result;
}
