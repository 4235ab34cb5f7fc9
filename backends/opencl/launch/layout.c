/* SPDX-License-Identifier: MIT */
#include "backends/opencl/launch/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/launch/signature.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/copies.h"
#include "backends/opencl/runtime/enqueue.h"
#include "backends/opencl/runtime/queue.h"
#include "core/text.h"

#define PROBE "bench_layout"

enum { FACTS = 3 }; /* of a field: where it begins, its bytes, the number of its elements' type or 0 */

/* The source with a kernel that writes the size of the structure, then the facts of `count` fields. */
static void write_probe(const struct bench_kernel *kernel, const char *type,
			const struct bench_kernel_field *fields, size_t count, struct bench_text *out)
{
	bench_text_add(out,
		       "%s\nkernel void " PROBE "(global ulong *out)\n{\n\t%s it;\n\tout[0] = sizeof(it);\n",
		       kernel->source, type);
	for (size_t f = 0; f < count; f++) {
		const char *name = fields[f].name, *item = fields[f].is_array ? "[0]" : "",
			   *lane = fields[f].is_vector ? ".s0" : "";
		bench_text_add(out, "\tout[%zu] = (ulong)((char *)&it.%s - (char *)&it);\n", 1 + FACTS * f,
			       name);
		bench_text_add(out, "\tout[%zu] = sizeof(it.%s);\n\tout[%zu] = 0", 2 + FACTS * f, name,
			       3 + FACTS * f);
		for (size_t e = 0; e < BENCH_OPENCL_ELEMENTS; e++)
			bench_text_add(out,
				       " + %zu * __builtin_types_compatible_p(__typeof__(it.%s%s%s), %s)",
				       e + 1, name, item, lane, bench_opencl_elements[e]);
		/* A bool, which no kernel can be given by itself, is a byte. */
		bench_text_add(out, " + 2 * __builtin_types_compatible_p(__typeof__(it.%s%s), bool);\n", name,
			       item);
	}
	bench_text_add(out, "}\n");
}

static bool compiles(struct bench_device *device, const struct bench_kernel *kernel, const char *type,
		     const struct bench_kernel_field *fields, size_t count)
{
	BENCH_SCOPED_TEXT source = {0};
	write_probe(kernel, type, fields, count, &source);
	return bench_opencl_compiles(device, source.data, kernel->options);
}

/* Runs the probe, once. */
static int ask(struct bench_device *device, const struct bench_kernel *kernel, const char *source,
	       cl_ulong *facts, size_t bytes, struct bench_error *error)
{
	struct bench_opencl_kernel *probe;
	struct bench_buffer *buffer = NULL;
	if (bench_opencl_kernel_of(device, kernel->file, source, kernel->options, PROBE, &probe, error) != 0)
		return -1;
	int result = bench_opencl_alloc(device, bytes, &buffer, error);
	if (result == 0) {
		const struct bench_opencl_argument argument = {sizeof(cl_mem), (const void *)&buffer->memory};
		const struct bench_opencl_launch launch = {&argument, 1, 1, {1}, {1}};
		result = bench_opencl_launch(device, probe, &launch, error) != 0
				 ? -1
				 : bench_opencl_download(device, buffer, facts, bytes, error);
	}
	bench_opencl_release(device, buffer);
	bench_opencl_program_drop(device, probe, false);
	return result;
}

static int fail_layout(const struct bench_kernel *kernel, size_t index, const char *type,
		       struct bench_error *error, const char *what)
{
	return bench_fail(
		error, BENCH_USAGE,
		"%s: argument %zu (`%s`) of kernel %s: structure `%s` of the source %s: state it in "
		"'structs' as the source has it",
		kernel->file, index + 1, kernel->arguments[index].name, kernel->name, type, what);
}

static int compare(const struct bench_kernel *kernel, size_t index, const char *type, const cl_ulong *facts,
		   struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	char what[320];
	for (size_t f = 0; f < argument->field_count; f++) {
		const struct bench_kernel_field *field = &argument->fields[f];
		const cl_ulong *is = &facts[1 + FACTS * f];
		const char *element = is[2] && is[2] <= BENCH_OPENCL_ELEMENTS
					      ? bench_opencl_elements[is[2] - 1]
					      : "another type",
			   *stated = field->type ? field->type : "another type";
		if (is[0] == field->offset && is[1] == field->bytes && strcmp(element, stated) == 0)
			continue;
		snprintf(
			what, sizeof(what),
			"has `%s` at byte %llu, %llu bytes of %s, and that of the specification at byte %zu, "
			"%zu bytes of %s",
			field->name, (unsigned long long)is[0], (unsigned long long)is[1], element,
			field->offset, field->bytes, field->type ? field->type : "structures");
		return fail_layout(kernel, index, type, error, what);
	}
	if (facts[0] == argument->size)
		return 0;
	snprintf(what, sizeof(what), "has %llu bytes, and that of the specification %zu",
		 (unsigned long long)facts[0], argument->size);
	return fail_layout(kernel, index, type, error, what);
}

/* What does not compile: a field that is not there, or the structure. */
static int find_missing(struct bench_device *device, const struct bench_kernel *kernel, size_t index,
			const char *type, struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	char what[128];
	if (!compiles(device, kernel, type, NULL, 0))
		return fail_layout(kernel, index, type, error, "is none that its end knows by this name");
	for (size_t f = 0; f < argument->field_count; f++) {
		if (compiles(device, kernel, type, &argument->fields[f], 1))
			continue;
		snprintf(what, sizeof(what), "has no field `%s` that is %s", argument->fields[f].name,
			 argument->fields[f].is_array    ? "several elements"
			 : !argument->fields[f].type     ? "a structure"
			 : argument->fields[f].is_vector ? "a vector"
							 : "one number");
		return fail_layout(kernel, index, type, error, what);
	}
	return fail_layout(kernel, index, type, error, "cannot be compared by this compiler");
}

int bench_opencl_check_layout(struct bench_device *device, const struct bench_kernel *kernel, size_t index,
			      const char *type, struct bench_error *error)
{
	const struct bench_kernel_argument *argument = &kernel->arguments[index];
	const size_t bytes = (1 + FACTS * argument->field_count) * sizeof(cl_ulong);
	BENCH_SCOPED_TEXT source = {0};
	if (!compiles(device, kernel, type, argument->fields, argument->field_count))
		return find_missing(device, kernel, index, type, error);
	cl_ulong *facts = calloc(1, bytes);
	write_probe(kernel, type, argument->fields, argument->field_count, &source);
	int result = facts ? ask(device, kernel, source.data, facts, bytes, error)
			   : bench_fail(error, BENCH_NO_MEMORY, "no host memory for a layout");
	if (result == 0)
		result = compare(kernel, index, type, facts, error);
	free(facts);
	return result;
}
