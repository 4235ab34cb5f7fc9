/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the user's in CUDA C++, by the specification of those in OpenCL C: bench/op/kernel.h. NVRTC
 * compiles them. Local memory is the dynamic shared memory of the launch, and no parameter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { OPTIONS = 64 };

struct bench_built_kernel {
	cuda_module module;
	cuda_function function;
	unsigned grid[BENCH_KERNEL_DIMENSIONS], block[BENCH_KERNEL_DIMENSIONS], shared_bytes;
	void *parameters[BENCH_KERNEL_ARGUMENTS]; /* each allocated, as cuLaunchKernel takes them */
};

static void release(struct bench_device *device, struct bench_built_kernel *built)
{
	if (!built)
		return;
	cuda_enter(device, NULL);
	if (built->module)
		cuda.cuModuleUnload(built->module);
	for (size_t i = 0; i < BENCH_KERNEL_ARGUMENTS; i++)
		free(built->parameters[i]);
	free(built);
}

/* The compiler's messages, "k.cu(3): error: ...", in the one line that an error has, as "k.cu:3: error: ...".
 */
static int fail_to_compile(const struct bench_device *device, int status, nvrtc_program program,
			   const struct bench_kernel *kernel, struct bench_error *error)
{
	size_t bytes = 0, file = strlen(kernel->file);
	char *log = NULL, *end;
	if (cuda.nvrtcGetProgramLogSize(program, &bytes) == 0)
		log = calloc(1, bytes + 1);
	if (log)
		cuda.nvrtcGetProgramLog(program, log);
	if (log && strncmp(log, kernel->file, file) == 0 && log[file] == '(' && (end = strstr(log, "): "))) {
		log[file] = ':';
		memmove(end, end + 1, strlen(end));
	}
	for (char *at = log; at && *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	bench_fail(error, BENCH_FAILED, "%s (%s in nvrtcCompileProgram, device %s)",
		   log && *log ? log : kernel->file, cuda.nvrtcGetErrorString(status), device->name);
	free(log);
	return -1;
}

/* For this GPU, with the options of the specification, which blanks separate. */
static int compile(struct bench_device *device, const struct bench_kernel *kernel, nvrtc_program program,
		   struct bench_error *error)
{
	const char *options[OPTIONS];
	char target[32], *words = strdup(kernel->options), *rest = words, *word;
	int major, minor, count = 1;
	if (!words)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the options");
	while (count < OPTIONS && (word = strtok_r(rest, " ", &rest)))
		options[count++] = word;
	int result = CUDA_CALL(cuDeviceGetAttribute, device->name, error, &major, CUDA_CAPABILITY_MAJOR,
			       device->id) ||
		     CUDA_CALL(cuDeviceGetAttribute, device->name, error, &minor, CUDA_CAPABILITY_MINOR,
			       device->id);
	if (result == 0) {
		snprintf(target, sizeof(target), "--gpu-architecture=sm_%d%d", major, minor);
		options[0] = target;
		int status = cuda.nvrtcCompileProgram(program, count, options);
		if (status)
			result = fail_to_compile(device, status, program, kernel, error);
	}
	free(words);
	return result ? -1 : 0;
}

static int load(struct bench_device *device, nvrtc_program program, struct bench_built_kernel *built,
		struct bench_error *error)
{
	size_t bytes;
	if (NVRTC_CALL(nvrtcGetCUBINSize, device->name, error, program, &bytes))
		return -1;
	char *image = malloc(bytes);
	int result = image ? NVRTC_CALL(nvrtcGetCUBIN, device->name, error, program, image)
			   : bench_fail(error, BENCH_NO_MEMORY, "no host memory for a kernel");
	if (result == 0)
		result = CUDA_CALL(cuModuleLoadData, device->name, error, &built->module, image);
	free(image);
	return result;
}

static int make(struct bench_device *device, const struct bench_kernel *kernel,
		struct bench_built_kernel *built, struct bench_error *error)
{
	nvrtc_program program = NULL;
	if (NVRTC_CALL(nvrtcCreateProgram, device->name, error, &program, kernel->source, kernel->file, 0,
		       NULL, NULL))
		return -1;
	int result = compile(device, kernel, program, error) || load(device, program, built, error);
	cuda.nvrtcDestroyProgram(&program);
	if (result)
		return -1;
	int status = cuda.cuModuleGetFunction(&built->function, built->module, kernel->name);
	if (status == CUDA_NOT_FOUND)
		return bench_fail(
			error, BENCH_USAGE,
			"%s: there is no kernel %s: declare it extern \"C\" __global__ void %s(...)",
			kernel->file, kernel->name, kernel->name);
	return cuda_check(status, "cuModuleGetFunction", device->name, error);
}

/* Of a parameter of the kernel; 0: it has fewer. */
static int size_of(struct bench_device *device, const struct bench_built_kernel *built, size_t index,
		   size_t *bytes, struct bench_error *error)
{
	size_t offset;
	int status = cuda.cuFuncGetParamInfo(built->function, index, &offset, bytes);
	if (status == CUDA_INVALID_VALUE) {
		*bytes = 0;
		return 0;
	}
	return cuda_check(status, "cuFuncGetParamInfo", device->name, error);
}

/* Sets the parameters, which must have the sizes that the kernel has, and the blocks. */
static int set(struct bench_device *device, const struct bench_kernel *kernel,
	       struct bench_built_kernel *built, struct bench_error *error)
{
	size_t count = 0, has;
	built->shared_bytes = 0;
	for (size_t i = 0; i < kernel->argument_count; i++) {
		const struct bench_kernel_argument *argument = &kernel->arguments[i];
		cuda_address address = argument->buffer ? argument->buffer->address + argument->offset : 0;
		size_t bytes = argument->buffer ? sizeof(address) : argument->bytes;
		if (!argument->buffer && !argument->value) {
			built->shared_bytes += (unsigned)argument->bytes;
			continue;
		}
		if (size_of(device, built, count, &has, error))
			return -1;
		if (has == 0 || has != bytes)
			return bench_fail(
				error, BENCH_USAGE,
				"%s: parameter %zu (`%s`) of kernel %s has %zu bytes in the source, "
				"and %zu in the specification",
				kernel->file, count + 1, argument->name, kernel->name, has, bytes);
		if (!built->parameters[count] && !(built->parameters[count] = malloc(bytes)))
			return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a parameter");
		memcpy(built->parameters[count++], argument->buffer ? &address : argument->value, bytes);
	}
	if (size_of(device, built, count, &has, error))
		return -1;
	if (has)
		return bench_fail(error, BENCH_USAGE,
				  "%s: kernel %s takes more parameters than the %zu of the specification",
				  kernel->file, kernel->name, count);
	for (size_t d = 0; d < BENCH_KERNEL_DIMENSIONS; d++) {
		bool used = d < kernel->dimensions;
		size_t block = used ? kernel->local[d] : 1;
		if (block == 0)
			return bench_fail(error, BENCH_USAGE,
					  "%s: a CUDA kernel needs 'local' in its specification: the threads "
					  "of a block",
					  kernel->file);
		built->block[d] = (unsigned)block;
		built->grid[d] = used ? (unsigned)(kernel->global[d] / block) : 1;
	}
	return 0;
}

static int build(struct bench_device *device, const struct bench_kernel *kernel,
		 struct bench_built_kernel **built, struct bench_error *error)
{
	if (!strstr(kernel->source, "__global__"))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "cuda: %s has no __global__ function: it is not CUDA C++", kernel->file);
	if (cuda_load_compiler(error) || cuda_enter(device, error))
		return -1;
	struct bench_built_kernel *made = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the kernel %s", kernel->name);
	if (make(device, kernel, made, error) || set(device, kernel, made, error)) {
		release(device, made);
		return -1;
	}
	*built = made;
	return 0;
}

static int change(struct bench_device *device, struct bench_built_kernel *built,
		  const struct bench_kernel *kernel, struct bench_error *error)
{
	return set(device, kernel, built, error);
}

static int enqueue(struct bench_device *device, struct bench_built_kernel *built, struct bench_error *error)
{
	if (cuda_enter(device, error) || cuda_clock_start(device, error) ||
	    CUDA_CALL(cuLaunchKernel, device->name, error, built->function, built->grid[0], built->grid[1],
		      built->grid[2], built->block[0], built->block[1], built->block[2], built->shared_bytes,
		      device->stream, built->parameters, NULL))
		return -1;
	return cuda_clock_stop(device, error);
}

/* There is no pattern of 8 bytes: its halves alternate. */
static int set_bytes(struct bench_device *device, cuda_address at, size_t bytes, const void *pattern,
		     size_t pattern_bytes, struct bench_error *error)
{
	unsigned char one;
	unsigned short two;
	unsigned four;
	if (pattern_bytes == 1) {
		memcpy(&one, pattern, sizeof(one));
		return CUDA_CALL(cuMemsetD8Async, device->name, error, at, one, bytes, device->stream);
	}
	if (pattern_bytes == 2) {
		memcpy(&two, pattern, sizeof(two));
		return CUDA_CALL(cuMemsetD16Async, device->name, error, at, two, bytes / 2, device->stream);
	}
	for (size_t part = 0; part < pattern_bytes; part += sizeof(four)) {
		memcpy(&four, (const char *)pattern + part, sizeof(four));
		if (CUDA_CALL(cuMemsetD2D32Async, device->name, error, at + part, pattern_bytes, four, 1,
			      bytes / pattern_bytes, device->stream))
			return -1;
	}
	return 0;
}

static int fill(struct bench_device *device, struct bench_buffer *buffer, size_t offset, size_t bytes,
		const void *pattern, size_t pattern_bytes, struct bench_error *error)
{
	if (cuda_load_compiler(error) || cuda_enter(device, error) || cuda_clock_start(device, error) ||
	    set_bytes(device, buffer->address + offset, bytes, pattern, pattern_bytes, error))
		return -1;
	return cuda_clock_stop(device, error);
}

static int read_part(struct bench_device *device, const struct bench_buffer *buffer, size_t offset,
		     size_t bytes, void *host, struct bench_error *error)
{
	const struct bench_buffer part = {buffer->address + offset};
	return cuda_backend.download(device, &part, host, bytes, error);
}

const struct bench_kernel_hooks cuda_kernels = {build, enqueue,   release, change,
						fill,  read_part, NULL /* no images */};
