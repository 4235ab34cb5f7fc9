/* Kernels of the user's: bench/op/kernel.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct bench_built_kernel {
	struct bench_opencl_kernel *kernel; /* the device's */
	struct bench_opencl_launch launch;
	cl_mem parts[BENCH_KERNEL_ARGUMENTS]; /* what the kernel sees of buffers */
	size_t part_count;
};

/* Types of elements that a source may spell out. Any other may be an alias, of which nothing is known. */
static const char *const types[] = {"char", "uchar", "short", "ushort", "int",   "uint",
				    "long", "ulong", "half",  "float",  "double"};

/* The type of which "float4*" has elements; NULL: not known. */
static const char *element_of(const char *type)
{
	const size_t length = strcspn(type, "0123456789*");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == length && strncmp(types[i], type, length) == 0)
			return types[i];
	return NULL;
}

/* What the source says of its arguments, where the driver tells. */
static int check_argument(const struct bench_kernel *kernel, cl_kernel handle, cl_uint index,
			  struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	char type[64] = "";
	if (clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(type) - 1, type, NULL) !=
	    CL_SUCCESS)
		return 0;
	const char *element = element_of(type);
	const bool pointer = strchr(type, '*') != NULL;
	if (element && ((argument->value != NULL) == pointer || strcmp(element, argument->type) != 0))
		return bench_fail(
			error, BENCH_USAGE,
			"%s: argument %u of kernel %s is '%s' in the source, and %s is %s%s in the spec",
			kernel->file, (unsigned)index + 1, kernel->name, type, argument->name,
			argument->value ? "a " : "a buffer of ", argument->type);
	return 0;
}

static int check_arguments(const struct bench_device *device, const struct bench_kernel *kernel,
			   cl_kernel handle, struct bench_error *error)
{
	cl_uint count = 0;
	cl_int status = clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetKernelInfo", kernel->name);
	if (count != kernel->argument_count)
		return bench_fail(error, BENCH_USAGE,
				  "%s: kernel %s takes %u arguments, and the spec has %zu", kernel->file,
				  kernel->name, (unsigned)count, kernel->argument_count);
	for (cl_uint i = 0; i < count; i++)
		if (check_argument(kernel, handle, i, error) != 0)
			return -1;
	return 0;
}

static int set_argument(const struct bench_device *device, const struct bench_kernel *kernel, cl_uint index,
			struct bench_built_kernel *built, struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	const cl_buffer_region region = {argument->offset, argument->bytes};
	cl_int status = CL_SUCCESS;
	char what[160];
	snprintf(what, sizeof(what), "argument %u (%s) of kernel %s", (unsigned)index + 1, argument->name,
		 kernel->name);
	if (argument->buffer) {
		cl_mem part = clCreateSubBuffer(argument->buffer->memory, CL_MEM_READ_WRITE,
						CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
		status = bench_opencl_made(part, status);
		if (status != CL_SUCCESS)
			return bench_opencl_fail(error, device, status, "clCreateSubBuffer", what);
		built->parts[built->part_count++] = part;
		status = clSetKernelArg(built->kernel->handle, index, sizeof(part), &part);
	} else {
		status = clSetKernelArg(built->kernel->handle, index, argument->bytes, argument->value);
	}
	return status == CL_SUCCESS ? 0 : bench_opencl_fail(error, device, status, "clSetKernelArg", what);
}

static void release(struct bench_device *device, struct bench_built_kernel *built)
{
	(void)device;
	if (!built)
		return;
	for (size_t i = 0; i < built->part_count; i++)
		clReleaseMemObject(built->parts[i]);
	free(built);
}

static int build(struct bench_device *device, const struct bench_kernel *kernel,
		 struct bench_built_kernel **built, struct bench_error *error)
{
	/* So that a driver knows the types of arguments. */
	static const char info[] = "-cl-kernel-arg-info";
	struct bench_built_kernel *made = calloc(1, sizeof(*made));
	char *options = NULL;
	int result = -1;
	if (!made || asprintf(&options, "%s%s%s", info, *kernel->options ? " " : "", kernel->options) < 0) {
		free(made);
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the kernel %s", kernel->name);
	}
	if (bench_opencl_kernel_of(device, kernel->file, kernel->source, options, kernel->name, &made->kernel,
				   error) != 0 ||
	    check_arguments(device, kernel, made->kernel->handle, error) != 0)
		goto out;
	for (cl_uint i = 0; i < kernel->argument_count; i++)
		if (set_argument(device, kernel, i, made, error) != 0)
			goto out;
	made->launch.dimensions = (cl_uint)kernel->dimensions;
	memcpy(made->launch.global, kernel->global, sizeof(made->launch.global));
	memcpy(made->launch.local, kernel->local, sizeof(made->launch.local));
	*built = made;
	made = NULL;
	result = 0;
out:
	release(device, made);
	free(options);
	return result;
}

static int enqueue(struct bench_device *device, struct bench_built_kernel *built, struct bench_error *error)
{
	return bench_opencl_launch(device, built->kernel, &built->launch, error);
}

const struct bench_kernel_hooks bench_opencl_kernels = {build, enqueue, release};
