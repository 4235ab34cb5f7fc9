/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's source says of its arguments: read from the driver's answers, or, where it gives none, from
 * the text. Pure functions.
 */
#ifndef BACKENDS_OPENCL_SIGNATURE_H
#define BACKENDS_OPENCL_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

enum bench_opencl_space {
	BENCH_OPENCL_PRIVATE, /* by value */
	BENCH_OPENCL_GLOBAL,
	BENCH_OPENCL_CONSTANT,
	BENCH_OPENCL_LOCAL,
	BENCH_OPENCL_ANYWHERE /* not known */
};

struct bench_opencl_parameter {
	char type[64]; /* of what it is, or points to: "float4", "uint", "struct item"; "": not known */
	bool pointer;  /* it has a '*' or a '['; an alias may hide one */
	bool object;   /* an image or a pipe */
	enum bench_opencl_space space;
};

/*
 * Reads one parameter: "global const unsigned int *restrict x", or without its name where it is not `named`.
 * Qualifiers are left out, and integers have OpenCL's short names.
 */
void bench_opencl_parameter_read(const char *text, size_t length, bool named,
				 struct bench_opencl_parameter *parameter);

/*
 * The parameters of `kernel`, up to `most` of them; gives how many there are. 0: there are none, or they
 * cannot be read without a preprocessor.
 */
size_t bench_opencl_signature(const char *source, const char *kernel,
			      struct bench_opencl_parameter *parameters, size_t most);

/* The types of numbers, in OpenCL C. */
enum { BENCH_OPENCL_ELEMENTS = 11 };
extern const char *const bench_opencl_elements[BENCH_OPENCL_ELEMENTS];

/* The element of the vector or number that `type` is, in OpenCL C ("float" of "float4"), and how many it has;
 * NULL: another type, or an alias. */
const char *bench_opencl_element(const char *type, unsigned *width);

/* Samplers, events, queues and images: what is neither memory nor a number. */
bool bench_opencl_is_object(const char *type);

#endif
