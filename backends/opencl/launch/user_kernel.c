/* SPDX-License-Identifier: MIT */
/* Kernels of the user's: bench/op/kernel.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/launch/layout.h"
#include "backends/opencl/launch/signature.h"
#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/queue.h"
#include "core/text.h"

struct bench_built_kernel {
	struct bench_opencl_kernel *kernel; /* the device's */
	struct bench_opencl_launch launch;
	cl_mem parts[BENCH_KERNEL_ARGUMENTS]; /* what the kernel sees of buffers */
	cl_sampler samplers[BENCH_KERNEL_ARGUMENTS];
	size_t part_count, sampler_count;
};

/* An image or a sampler. */
static bool is_object(const struct bench_kernel_argument *argument)
{
	return argument->is_image || argument->sampler;
}

/* What the source has in the place of an argument, and what the specification, for messages. */
static int fail_argument(const struct bench_kernel *kernel, size_t index,
			 const struct bench_opencl_parameter *parameter, const char *remedy, const char *type,
			 struct bench_error *error)
{
	static const char *const spaces[] = {"", "global ", "constant ", "local ", ""};
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	return bench_fail(error, BENCH_USAGE,
			  "%s: argument %zu (`%s`) of kernel %s is `%s%s%s`%s in the source, and %s%s in the "
			  "specification: %s%s%s",
			  kernel->file, index + 1, argument->name, kernel->name,
			  parameter->object ? "" : spaces[parameter->space], parameter->type,
			  parameter->pointer ? " *" : "",
			  parameter->space == BENCH_OPENCL_PRIVATE && !parameter->object ? " by value" : "",
			  argument->value       ? "a number of type "
			  : is_object(argument) ? "of type "
			  : argument->buffer    ? "a buffer of "
						: "local memory of ",
			  argument->type, remedy, type, *type ? "\"" : "");
}

/* Number, buffer or local memory: are they the source's? */
static int check_kind(const struct bench_kernel *kernel, size_t index,
		      const struct bench_opencl_parameter *parameter, struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	const bool local = bench_kernel_is_local(argument);
	const char *remedy = NULL;
	const bool named = bench_opencl_is_object(parameter->type);
	/* What is known by an alias and has an access is an image. */
	if (is_object(argument) && (strcmp(parameter->type, argument->type) == 0 ||
				    (parameter->object && argument->is_image && !named)))
		return 0;
	if (named && (parameter->type[0] == 'i' || strcmp(parameter->type, "sampler_t") == 0))
		return fail_argument(kernel, index, parameter, "its 'type' is \"", parameter->type, error);
	if (named || parameter->object)
		remedy = "a specification has images by their own type, such as image2d_t, and no pipes, "
			 "events and queues";
	else if (parameter->space == BENCH_OPENCL_ANYWHERE)
		return 0;
	else if (is_object(argument))
		remedy = "give it the type that the source has";
	else if (argument->value && parameter->space != BENCH_OPENCL_PRIVATE)
		remedy = "give it a 'shape' instead of a 'value'";
	else if (!argument->value && parameter->space == BENCH_OPENCL_PRIVATE)
		remedy = "leave out its 'shape', and give it a 'value'";
	else if (local && parameter->space != BENCH_OPENCL_LOCAL)
		remedy = "its 'access' is in, out or inout";
	else if (argument->buffer && parameter->space == BENCH_OPENCL_LOCAL)
		remedy = "its 'access' is local";
	return remedy ? fail_argument(kernel, index, parameter, remedy, "", error) : 0;
}

/* Does the type match the specification's? *known: it is OpenCL's own, so that this is for certain. */
static int check_type(const struct bench_kernel *kernel, size_t index,
		      const struct bench_opencl_parameter *parameter, bool *known, struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	unsigned width;
	const char *element = bench_opencl_element(parameter->type, &width);
	*known = element || is_object(argument) ||
		 (parameter->pointer && strcmp(parameter->type, "void") == 0);
	if (!element)
		return 0;
	/* A buffer of vectors is one of their elements. */
	element = argument->value ? parameter->type : element;
	if (strcmp(element, argument->type) == 0)
		return 0;
	/* Bytes may hold another type. */
	return fail_argument(kernel, index, parameter, "its 'type' is \"",
			     argument->value || !strstr(element, "char") ? element
			     : element[0] == 'u' ? "uchar\", or it is \"declared\": \"uchar"
						 : "char\", or it is \"declared\": \"char",
			     error);
}

/*
 * A declaration that compiles where a type, known by an alias, is `type`. Of a buffer it may also be a
 * vector, or a structure or union that such elements fill. Clang, of which OpenCL's compilers are made, has
 * both functions.
 */
static void add_assertion(struct bench_text *out, const struct bench_kernel_argument *argument,
			  const struct bench_opencl_parameter *parameter, size_t index, const char *type)
{
	BENCH_SCOPED_TEXT element = {0};
	const bool hidden = !argument->value && !parameter->pointer; /* the alias is a pointer */
	bench_text_add(&element, hidden ? "__typeof__(*(%s)0)" : "%s", parameter->type);
	bench_text_add(out, "\ntypedef char bench_argument_%zu[(__builtin_types_compatible_p(%s, %s)", index,
		       element.data, type);
	for (unsigned width = 2; !argument->value && strcmp(type, "half") != 0 && width <= 16;
	     width = width == 2   ? 3
		     : width == 3 ? 4
				  : 2 * width)
		bench_text_add(out, " || __builtin_types_compatible_p(%s, %s%u)", element.data, type, width);
	/* A bool is a byte. */
	if (!argument->value && strcmp(type, "uchar") == 0)
		bench_text_add(out, " || __builtin_types_compatible_p(%s, bool)", element.data);
	if (!argument->value)
		bench_text_add(out,
			       " || (__builtin_classify_type(*(global %s *)0) >= 12 && sizeof(%s) %% "
			       "sizeof(%s) == 0)",
			       element.data, element.data, type);
	bench_text_add(out, ") ? 1 : -1];\n");
}

static bool compiles_with(struct bench_device *device, const struct bench_kernel *kernel,
			  const struct bench_text *assertions)
{
	BENCH_SCOPED_TEXT source = {0};
	bench_text_add(&source, "%s\n%s", kernel->source, assertions->data ? assertions->data : "");
	return bench_opencl_compiles(device, source.data, kernel->options);
}

static bool is_type(struct bench_device *device, const struct bench_kernel *kernel, size_t index,
		    const struct bench_opencl_parameter *parameter, const char *type)
{
	BENCH_SCOPED_TEXT assertion = {0};
	add_assertion(&assertion, &kernel->arguments[index], parameter, index, type);
	return compiles_with(device, kernel, &assertion);
}

/* Asks the compiler what an alias is, which was found not to be what the specification says. */
static int fail_alias(struct bench_device *device, const struct bench_kernel *kernel, size_t index,
		      const struct bench_opencl_parameter *parameter, struct bench_error *error)
{
	for (size_t i = 0; i < BENCH_OPENCL_ELEMENTS; i++)
		if (is_type(device, kernel, index, parameter, bench_opencl_elements[i]))
			return fail_argument(kernel, index, parameter, "its 'type' is \"",
					     bench_opencl_elements[i], error);
	return fail_argument(
		kernel, index, parameter,
		kernel->arguments[index].value
			? "state the vector that it is as its 'type', or its fields in "
			  "'structs'"
			: "none of a specification's types is that: compile it as one of the same "
			  "size, such as \"options\": \"-DTYPE=uint\"",
		"", error);
}

/* Types that are known by an alias: the compiler compares them. */
static int check_aliases(struct bench_device *device, const struct bench_kernel *kernel,
			 const struct bench_opencl_parameter *parameters, const bool *aliases,
			 struct bench_error *error)
{
	static const char control[] =
		"\ntypedef char bench_control[__builtin_types_compatible_p(float, float) &&"
		" __builtin_classify_type(0) < 12 ? 1 : -1];\n";
	struct bench_text all = {0};
	int result = 0;
	for (size_t i = 0; i < kernel->argument_count; i++)
		if (aliases[i])
			add_assertion(&all, &kernel->arguments[i], &parameters[i], i,
				      kernel->arguments[i].type);
	const bool same = !all.length || compiles_with(device, kernel, &all);
	bench_text_free(&all);
	bench_text_add(&all, "%s", control);
	/* Another compiler: not known. */
	const bool can_tell = !same && compiles_with(device, kernel, &all);
	bench_text_free(&all);
	for (size_t i = 0; can_tell && result == 0 && i < kernel->argument_count; i++)
		if (aliases[i] && !is_type(device, kernel, i, &parameters[i], kernel->arguments[i].type))
			result = fail_alias(device, kernel, i, &parameters[i], error);
	return result;
}

/* What the driver says of an argument; false: nothing. */
static bool ask_driver(cl_kernel handle, cl_uint index, struct bench_opencl_parameter *parameter)
{
	char type[160] = "";
	cl_kernel_arg_address_qualifier space = 0;
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	if (clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(type) - 1, type, NULL) !=
		    CL_SUCCESS ||
	    clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space), &space, NULL) !=
		    CL_SUCCESS)
		return false;
	clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL);
	bench_opencl_parameter_read(type, strlen(type), false, parameter);
	parameter->object |= access != CL_KERNEL_ARG_ACCESS_NONE;
	parameter->space = space == CL_KERNEL_ARG_ADDRESS_GLOBAL     ? BENCH_OPENCL_GLOBAL
			   : space == CL_KERNEL_ARG_ADDRESS_CONSTANT ? BENCH_OPENCL_CONSTANT
			   : space == CL_KERNEL_ARG_ADDRESS_LOCAL    ? BENCH_OPENCL_LOCAL
								     : BENCH_OPENCL_PRIVATE;
	return true;
}

/* What the driver says, else what the source does. */
static void find_parameters(const struct bench_kernel *kernel, cl_kernel handle,
			    struct bench_opencl_parameter *parameters)
{
	size_t told = 0;
	while (told < kernel->argument_count && ask_driver(handle, (cl_uint)told, &parameters[told]))
		told++;
	if (told == kernel->argument_count)
		return;
	const size_t read =
		bench_opencl_signature(kernel->source, kernel->name, parameters, BENCH_KERNEL_ARGUMENTS);
	for (size_t i = 0; i < kernel->argument_count; i++) {
		unsigned width;
		if (read != kernel->argument_count)
			parameters[i] = (struct bench_opencl_parameter){.space = BENCH_OPENCL_ANYWHERE};
		/* An alias may be a macro that hides a pointer. */
		else if (!parameters[i].pointer && !bench_opencl_element(parameters[i].type, &width) &&
			 strncmp(parameters[i].type, "struct ", 7) != 0)
			parameters[i].space = BENCH_OPENCL_ANYWHERE;
	}
}

static int check_local_memory(const struct bench_device *device, const struct bench_kernel *kernel,
			      struct bench_error *error)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < kernel->argument_count; i++)
		if (bench_kernel_is_local(&kernel->arguments[i]))
			bytes += kernel->arguments[i].bytes;
	if (bytes <= device->local_bytes)
		return 0;
	return bench_fail(
		error, BENCH_UNSUPPORTED,
		"%s: kernel %s is given %llu bytes of local memory, and a group of device %s has %llu",
		kernel->file, kernel->name, (unsigned long long)bytes, device->info.slug,
		(unsigned long long)device->local_bytes);
}

/* Drivers answer groups that cannot be with a code that does not say which they would run. */
static int check_group(const struct bench_device *device, const struct bench_kernel *kernel, cl_kernel handle,
		       struct bench_error *error)
{
	size_t required[BENCH_KERNEL_DIMENSIONS] = {0}, most = 0, items = 1;
	bool as_required = true;
	for (size_t d = 0; d < kernel->dimensions; d++)
		items *= kernel->local[d];
	if (clGetKernelWorkGroupInfo(handle, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
				     required, NULL) != CL_SUCCESS ||
	    clGetKernelWorkGroupInfo(handle, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most,
				     NULL) != CL_SUCCESS)
		return 0;
	for (size_t d = 0; d < BENCH_KERNEL_DIMENSIONS; d++)
		as_required &= required[d] == (d < kernel->dimensions ? kernel->local[d] : 1);
	if (required[0] && !as_required)
		return bench_fail(error, BENCH_USAGE,
				  "%s: kernel %s states the size of its groups (reqd_work_group_size): its "
				  "'local' is [%zu, %zu, %zu], for as many dimensions as 'global' has",
				  kernel->file, kernel->name, required[0], required[1], required[2]);
	if (most && items > most)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%s: device %s runs kernel %s in groups of at most %zu work-items, and "
				  "'local' comes to %zu",
				  kernel->file, device->info.slug, kernel->name, most, items);
	return 0;
}

static int check_arguments(struct bench_device *device, const struct bench_kernel *kernel, cl_kernel handle,
			   struct bench_error *error)
{
	struct bench_opencl_parameter parameters[BENCH_KERNEL_ARGUMENTS];
	bool aliases[BENCH_KERNEL_ARGUMENTS] = {false}, known;
	cl_uint count = 0;
	cl_int status = clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetKernelInfo", kernel->name);
	if (count != kernel->argument_count)
		return bench_fail(error, BENCH_USAGE,
				  "%s: kernel %s takes %u arguments, and the specification has %zu",
				  kernel->file, kernel->name, (unsigned)count, kernel->argument_count);
	find_parameters(kernel, handle, parameters);
	for (size_t i = 0; i < count; i++) {
		if (check_kind(kernel, i, &parameters[i], error) != 0 ||
		    check_type(kernel, i, &parameters[i], &known, error) != 0)
			return -1;
		const struct bench_kernel_argument *argument = &kernel->arguments[i];
		/* Where the source does not tell the name of a structure, it has the specification's. */
		const char *type = parameters[i].type[0] && parameters[i].pointer == !argument->value
					   ? parameters[i].type
					   : argument->type;
		if (argument->fields && !known &&
		    bench_opencl_check_layout(device, kernel, i, type, error) != 0)
			return -1;
		aliases[i] = !known && !argument->fields && parameters[i].type[0] &&
			     parameters[i].space != BENCH_OPENCL_ANYWHERE;
	}
	return check_aliases(device, kernel, parameters, aliases, error) ||
			       check_local_memory(device, kernel, error) ||
			       check_group(device, kernel, handle, error)
		       ? -1
		       : 0;
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
	if (argument->is_image) {
		status = clSetKernelArg(built->kernel->handle, index, sizeof(cl_mem),
					&argument->buffer->memory);
	} else if (argument->sampler) {
		cl_sampler sampler =
			clCreateSampler(device->context, argument->sampler->normalized,
					argument->sampler->addressing, argument->sampler->filter, &status);
		status = bench_opencl_made(sampler, status);
		if (status != CL_SUCCESS)
			return bench_opencl_fail(error, device, status, "clCreateSampler", what);
		built->samplers[built->sampler_count++] = sampler;
		status = clSetKernelArg(built->kernel->handle, index, sizeof(sampler), &sampler);
	} else if (argument->buffer) {
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
	for (size_t i = 0; i < built->sampler_count; i++)
		clReleaseSampler(built->samplers[i]);
	free(built);
}

static int build(struct bench_device *device, const struct bench_kernel *kernel,
		 struct bench_built_kernel **built, struct bench_error *error)
{
	/* So that a driver knows the types of arguments; PoCL takes twice as long to compile with it. */
	const char *info = kernel->known ? "" : "-cl-kernel-arg-info ";
	struct bench_built_kernel *made = calloc(1, sizeof(*made));
	char *options = NULL;
	int result = -1;
	if (!made || asprintf(&options, "%s%s", info, kernel->options) < 0) {
		free(made);
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the kernel %s", kernel->name);
	}
	if (bench_opencl_kernel_of(device, kernel->file, kernel->source, options, kernel->name, &made->kernel,
				   error) != 0 ||
	    (!kernel->known && check_arguments(device, kernel, made->kernel->handle, error) != 0))
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

static int change(struct bench_device *device, struct bench_built_kernel *built,
		  const struct bench_kernel *kernel, struct bench_error *error)
{
	for (cl_uint i = 0; i < kernel->argument_count; i++)
		if (kernel->arguments[i].value && set_argument(device, kernel, i, built, error) != 0)
			return -1;
	memcpy(built->launch.global, kernel->global, sizeof(built->launch.global));
	memcpy(built->launch.local, kernel->local, sizeof(built->launch.local));
	return 0;
}

static int fill(struct bench_device *device, struct bench_buffer *buffer, size_t offset, size_t bytes,
		const void *pattern, size_t pattern_bytes, struct bench_error *error)
{
	cl_event *event;
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	const cl_int status = clEnqueueFillBuffer(bench_opencl_queue(device), buffer->memory, pattern,
						  pattern_bytes, offset, bytes, 0, NULL, event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clEnqueueFillBuffer", NULL);
	bench_opencl_event_commit(device);
	return 0;
}

static int read_part(struct bench_device *device, const struct bench_buffer *buffer, size_t offset,
		     size_t bytes, void *host, struct bench_error *error)
{
	cl_event *event;
	if (bench_opencl_event_slot(device, &event, error) != 0)
		return -1;
	const cl_int status = clEnqueueReadBuffer(bench_opencl_queue(device), buffer->memory, CL_TRUE, offset,
						  bytes, host, 0, NULL, event);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clEnqueueReadBuffer", NULL);
	bench_opencl_event_commit(device);
	bench_opencl_count_copy(device, bytes);
	device->queue.idle = true; /* all before it is done, too */
	return 0;
}

const struct bench_kernel_hooks bench_opencl_kernels = {build, enqueue,   release,           change,
							fill,  read_part, bench_opencl_image};
