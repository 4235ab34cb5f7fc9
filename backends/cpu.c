/* SPDX-License-Identifier: MIT */
#include "backends/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backends/check.h"
#include "backends/conv2d.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

/* The value of the first line "key<blanks>: value" of /proc/cpuinfo; "" where there is none. */
static void find_value(const char *cpuinfo, const char *key, char *out, size_t size)
{
	out[0] = '\0';
	size_t length = strlen(key);
	for (const char *line = cpuinfo; line && *line;) {
		const char *end = strchr(line, '\n');
		const char *value = line + length;
		if (strncmp(line, key, length) == 0 && value[strspn(value, " \t")] == ':') {
			value += strspn(value, " \t");
			value += 1 + strspn(value + 1, " \t");
			snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
			return;
		}
		line = end ? end + 1 : NULL;
	}
}

void bench_cpu_identify(const char *cpuinfo, const char *machine, struct bench_device_info *info)
{
	char maker[32], family[16], model[16], text[96];
	find_value(cpuinfo, "vendor_id", maker, sizeof(maker));
	find_value(cpuinfo, "cpu family", family, sizeof(family));
	find_value(cpuinfo, "model", model, sizeof(model));
	if (!family[0] || !model[0]) {
		find_value(cpuinfo, "CPU implementer", maker, sizeof(maker));
		find_value(cpuinfo, "CPU part", model, sizeof(model));
		family[0] = '\0';
	}
	const char *vendor = strcmp(maker, "GenuineIntel") == 0   ? "intel"
			     : strcmp(maker, "AuthenticAMD") == 0 ? "amd"
								  : maker;
	if (vendor[0] && model[0])
		snprintf(text, sizeof(text), "cpu-%s-%s-%s", vendor, family, model);
	else
		snprintf(text, sizeof(text), "cpu-%.64s", machine);
	bench_text_slug(info->slug, sizeof(info->slug), text);
	find_value(cpuinfo, "model name", info->name, sizeof(info->name));
	if (!info->name[0])
		snprintf(info->name, sizeof(info->name), "%.64s CPU", machine);
}

void bench_cpu_describe(struct bench_device_info *info)
{
	/* The first processor's lines are all that is needed. */
	char cpuinfo[8192] = "";
	FILE *file = bench_file_open("/proc/cpuinfo");
	if (file) {
		cpuinfo[fread(cpuinfo, 1, sizeof(cpuinfo) - 1, file)] = '\0';
		fclose(file);
	}
	struct utsname system = {0};
	uname(&system);
	*info = (struct bench_device_info){.kind = BENCH_DEVICE_CPU, .f64 = true};
	bench_cpu_identify(cpuinfo, system.machine, info);
	long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
	     page_bytes = sysconf(_SC_PAGESIZE);
	info->compute_units = cores > 0 ? (unsigned)cores : 1;
	if (pages > 0 && page_bytes > 0)
		info->memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
	info->max_buffer_bytes = info->memory_bytes;
}

int bench_cpu_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		   struct bench_error *error)
{
	if (index != 0)
		return bench_fail(error, BENCH_USAGE, "there is one CPU device, 0: no device %zu", index);
	*device = calloc(1, sizeof(**device));
	if (!*device)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory to open the CPU device");
	/* Asking for their number reads a file. */
	(*device)->threads = options->threads ? options->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	return 0;
}

void bench_cpu_close(struct bench_device *device)
{
	if (!device)
		return;
	bench_conv2d_forget(&device->conv2d);
	free(device->workspace);
	free(device);
}

int bench_cpu_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		    struct bench_error *error)
{
	(void)device;
	*buffer = calloc(1, sizeof(**buffer));
	if (!*buffer || !((*buffer)->data = bench_memory_alloc_operand(bytes))) {
		free(*buffer);
		*buffer = NULL;
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a buffer of %zu bytes", bytes);
	}
	(*buffer)->bytes = bytes;
	return 0;
}

void bench_cpu_release(struct bench_device *device, struct bench_buffer *buffer)
{
	(void)device;
	if (!buffer)
		return;
	free(buffer->data);
	free(buffer);
}

static int check_range(const char *operation, const struct bench_buffer *buffer, size_t bytes,
		       struct bench_error *error)
{
	if (bytes <= buffer->bytes)
		return 0;
	return bench_fail(error, BENCH_FAILED, "%s of %zu bytes, but the buffer has %zu", operation, bytes,
			  buffer->bytes);
}

int bench_cpu_upload(struct bench_device *device, struct bench_buffer *buffer, const void *host, size_t bytes,
		     struct bench_error *error)
{
	(void)device;
	if (check_range("upload", buffer, bytes, error))
		return -1;
	memcpy(buffer->data, host, bytes);
	return 0;
}

int bench_cpu_download(struct bench_device *device, const struct bench_buffer *buffer, void *host,
		       size_t bytes, struct bench_error *error)
{
	(void)device;
	if (check_range("download", buffer, bytes, error))
		return -1;
	memcpy(host, buffer->data, bytes);
	return 0;
}

int bench_cpu_finish(struct bench_device *device, struct bench_error *error)
{
	/* Every operation here returns when it is done. */
	(void)device;
	(void)error;
	return 0;
}

int bench_cpu_host_alloc(struct bench_device *device, size_t bytes, enum bench_host_memory kind, void **host,
			 struct bench_error *error)
{
	(void)device;
	if (kind != BENCH_HOST_PAGEABLE)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "no page-locked memory: the CPU copies within ordinary host memory, and no "
				  "transfer engine reads it");
	if (posix_memalign(host, (size_t)sysconf(_SC_PAGESIZE), bytes)) {
		*host = NULL;
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a transfer of %zu bytes",
				  bytes);
	}
	return 0;
}

void bench_cpu_host_free(struct bench_device *device, void *host)
{
	(void)device;
	free(host);
}

int bench_cpu_reserve(struct bench_device *device, size_t bytes, void **workspace, struct bench_error *error)
{
	if (device->workspace_bytes < bytes) {
		free(device->workspace);
		device->workspace_bytes = 0;
		device->workspace = bench_memory_alloc_operand(bytes);
		if (!device->workspace)
			return bench_fail(error, BENCH_NO_MEMORY,
					  "no host memory for a workspace of %zu bytes", bytes);
		device->workspace_bytes = bytes;
	}
	*workspace = device->workspace;
	return 0;
}

size_t bench_cpu_bytes(const struct bench_buffer *buffer)
{
	return buffer->bytes;
}

/* Two threads gain from about this many on; a parallel region costs a few microseconds. */
#define PARALLEL_COUNT 32768

unsigned bench_cpu_threads(const struct bench_device *device, size_t count)
{
	if (count < PARALLEL_COUNT)
		return 1;
	return device->threads;
}

int bench_cpu_check_dtype(const char *backend, const char *operation, enum bench_dtype dtype,
			  struct bench_error *error)
{
	if (bench_dtype_is_plain(dtype))
		return 0;
	return bench_fail(error, BENCH_UNSUPPORTED, "%s: no %s in f16, bf16 or tf32", backend, operation);
}

int bench_cpu_check_function(const char *backend, enum bench_activation function, struct bench_error *error)
{
	if (function == BENCH_ACTIVATION_RELU || function == BENCH_ACTIVATION_GELU ||
	    function == BENCH_ACTIVATION_GELU_TANH)
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s: no activation function %d", backend, (int)function);
}

int bench_cpu_check_width(const char *backend, unsigned width, struct bench_error *error)
{
	if (width <= 1)
		return 0;
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "%s: no width=%u: plain C, vectorized by the compiler, has width=1 only", backend,
			  width);
}

int bench_cpu_check_reduction(const char *backend, const struct bench_reduction *reduction,
			      struct bench_error *error)
{
	if (reduction->stages != BENCH_REDUCTION_ONE && reduction->stages != BENCH_REDUCTION_AUTO)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%s: stages=one only: a loop of the host leaves no parts to finish",
				  backend);
	if (bench_cpu_check_dtype(backend, "reduction", reduction->dtype, error))
		return -1;
	return bench_reduction_check(backend, reduction, bench_cpu_bytes, error);
}

void *bench_cpu_reduction_result(const struct bench_reduction *reduction)
{
	return reduction->to ? reduction->to->data : reduction->result;
}

int bench_cpu_check_random(const char *backend, const struct bench_random *random, struct bench_error *error)
{
	if (bench_cpu_check_dtype(backend, "random numbers", random->dtype, error))
		return -1;
	return bench_random_check(backend, random, bench_cpu_bytes, error);
}

unsigned bench_cpu_vector_bits(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return 512;
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 256 : 128;
#else
	return 0;
#endif
}
