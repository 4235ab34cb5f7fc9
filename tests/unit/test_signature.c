/* SPDX-License-Identifier: MIT */
/* Arguments of users' kernels: what sources say of them, and which specifications fit. */
#include <string.h>

#include "backends/opencl/launch/signature.h"
#include "bench/op/kernel.h"
#include "core/text.h"
#include "opencl_fixture.h"

enum kind { NUMBER, BUFFER, LOCAL };

/* What stands before the kernel in each source. */
static const char prelude[] =
	"typedef float real;\n typedef real again; typedef float4 vec; typedef unsigned int u32;\n"
	"typedef global const float *pointer; typedef uchar byte; enum mode { A, B };\n"
	"typedef struct { float a, b; } pair; struct item { float x; int n; }; union both { float f; int i; "
	"};\n"
	"typedef struct { float a; } one; typedef struct { char a, b, c; } three; typedef image2d_t "
	"picture;\n"
	"#define REAL float\n#define IN __global const float *restrict\n#define ARG(type, name) global type "
	"*name\n"
	"#define INDEX uint\n";

/* Ways to write an argument, and a specification of it; words: what is said, where that does not fit. */
static const struct {
	const char *parameter;
	enum kind kind;
	const char *type, *words;
} rows[] = {
	/* Buffers */
	{"global float *x", BUFFER, "float", NULL},
	{"__global float *x", BUFFER, "float", NULL},
	{"__global float* x", BUFFER, "float", NULL},
	{"global float * restrict x", BUFFER, "float", NULL},
	{"__global const float *__restrict x", BUFFER, "float", NULL},
	{"__global const float *__restrict__ x", BUFFER, "float", NULL},
	{"const global float *x", BUFFER, "float", NULL},
	{"const __global float* const restrict x", BUFFER, "float", NULL},
	{"float const global *x", BUFFER, "float", NULL},
	{"float __global *x", BUFFER, "float", NULL},
	{"global volatile float *x", BUFFER, "float", NULL},
	{"volatile __global int *x", BUFFER, "int", NULL},
	{"global float x[]", BUFFER, "float", NULL},
	{"global float x[restrict]", BUFFER, "float", NULL},
	{"global float x[64]", BUFFER, "float", NULL},
	{"global float (*x)[16]", BUFFER, "float", NULL},
	{"constant float *x", BUFFER, "float", NULL},
	{"__constant float4 *x", BUFFER, "float", NULL},
	{"global float2 *x", BUFFER, "float", NULL},
	{"global float3 *x", BUFFER, "float", NULL},
	{"global const float4 *restrict x", BUFFER, "float", NULL},
	{"global float8 *x", BUFFER, "float", NULL},
	{"global float16 *x", BUFFER, "float", NULL},
	{"global uchar4 *x", BUFFER, "uchar", NULL},
	{"global int2 *x", BUFFER, "int", NULL},
	{"global char *x", BUFFER, "char", NULL},
	{"global signed char *x", BUFFER, "char", NULL},
	{"global unsigned char *x", BUFFER, "uchar", NULL},
	{"global short int *x", BUFFER, "short", NULL},
	{"global unsigned short *x", BUFFER, "ushort", NULL},
	{"global short unsigned *x", BUFFER, "ushort", NULL},
	{"global unsigned *x", BUFFER, "uint", NULL},
	{"global unsigned int *x", BUFFER, "uint", NULL},
	{"global signed *x", BUFFER, "int", NULL},
	{"global long int *x", BUFFER, "long", NULL},
	{"global unsigned long *x", BUFFER, "ulong", NULL},
	{"global long unsigned int *x", BUFFER, "ulong", NULL},
	{"global size_t *x", BUFFER, "ulong", NULL},
	{"global half *x", BUFFER, "half", NULL},
	{"global const half *restrict x", BUFFER, "half", NULL},
	{"global void *x", BUFFER, "double", NULL},
	{"global const void *restrict x", BUFFER, "float", NULL},
	{"global real *x", BUFFER, "float", NULL},
	{"global const again *restrict x", BUFFER, "float", NULL},
	{"global vec *x", BUFFER, "float", NULL},
	{"global REAL *x", BUFFER, "float", NULL},
	{"IN x", BUFFER, "float", NULL},
	{"ARG(float, x)", BUFFER, "float", NULL},
	{"pointer x", BUFFER, "float", NULL},
	{"global byte *x", BUFFER, "uchar", NULL},
	{"global u32 *x", BUFFER, "uint", NULL},
	{"global enum mode *x", BUFFER, "uint", NULL},
	{"global pair *x", BUFFER, "float", NULL},
	{"global struct item *restrict x", BUFFER, "float", NULL},
	{"global union both *x", BUFFER, "int", NULL},
	{"global float *x __attribute__((aligned(16)))", BUFFER, "float", NULL},
	/* Local memory */
	{"local float *x", LOCAL, "float", NULL},
	{"__local float4 *x", LOCAL, "float", NULL},
	{"__local float * restrict x", LOCAL, "float", NULL},
	{"local real x[]", LOCAL, "float", NULL},
	{"local void *x", LOCAL, "int", NULL},
	{"volatile local uint *x", LOCAL, "uint", NULL},
	/* Numbers */
	{"float x", NUMBER, "float", NULL},
	{"const float x", NUMBER, "float", NULL},
	{"private float x", NUMBER, "float", NULL},
	{"__private const int x", NUMBER, "int", NULL},
	{"real x", NUMBER, "float", NULL},
	{"const again x", NUMBER, "float", NULL},
	{"REAL x", NUMBER, "float", NULL},
	{"INDEX x", NUMBER, "uint", NULL},
	{"unsigned x", NUMBER, "uint", NULL},
	{"unsigned int const x", NUMBER, "uint", NULL},
	{"const unsigned long x", NUMBER, "ulong", NULL},
	{"uchar x", NUMBER, "uchar", NULL},
	{"unsigned char x", NUMBER, "uchar", NULL},
	{"signed char x", NUMBER, "char", NULL},
	{"long x", NUMBER, "long", NULL},
	{"u32 x", NUMBER, "uint", NULL},
	{"enum mode x", NUMBER, "uint", NULL},
	/* Another type */
	{"global double *x", BUFFER, "float",
	 "`global double *` in the source, and a buffer of float in the "
	 "specification: its 'type' is \"double\""},
	{"global unsigned int *x", BUFFER, "int", "its 'type' is \"uint\""},
	{"global char *x", BUFFER, "float", "its 'type' is \"char\""},
	{"global uchar *x", BUFFER, "char", "its 'type' is \"uchar\""},
	{"global int4 *x", BUFFER, "float", "its 'type' is \"int\""},
	{"global real *x", BUFFER, "double",
	 "`global real *` in the source, and a buffer of double in the "
	 "specification: its 'type' is \"float\""},
	{"pointer x", BUFFER, "int", "its 'type' is \"float\""},
	{"global three *x", BUFFER, "float", "its 'type' is \"char\""},
	{"local int *x", LOCAL, "float", "its 'type' is \"int\""},
	{"uint x", NUMBER, "int", "`uint` by value in the source, and a number of type int"},
	{"int x", NUMBER, "float", "its 'type' is \"int\""},
	{"u32 x", NUMBER, "float", "its 'type' is \"uint\""},
	{"again x", NUMBER, "double", "its 'type' is \"float\""},
	/* Of another kind */
	{"float x", BUFFER, "float", "leave out its 'shape', and give it a 'value'"},
	{"float x", LOCAL, "float", "leave out its 'shape', and give it a 'value'"},
	{"global float *x", NUMBER, "float", "give it a 'shape' instead of a 'value'"},
	{"pointer x", NUMBER, "float", "give it a 'shape' instead of a 'value'"},
	{"local float *x", NUMBER, "float", "give it a 'shape' instead of a 'value'"},
	{"local float *x", BUFFER, "float", "its 'access' is local"},
	{"global float *x", LOCAL, "float", "its 'access' is in, out or inout"},
	{"constant float *x", LOCAL, "float", "its 'access' is in, out or inout"},
	/* What no specification says */
	{"pair x", NUMBER, "float",
	 "argument 1 (`x`) of kernel k is `pair` by value in the source, and a number of "
	 "type float in the specification: state the vector that it is as its 'type', or its "
	 "fields in 'structs'"},
	{"one x", NUMBER, "float", "its fields in 'structs'"},
	{"struct item x", NUMBER, "float", "`struct item` by value"},
	{"const struct item x", NUMBER, "long", "its fields in 'structs'"},
	{"union both x", NUMBER, "float", "`union both` by value"},
	{"float4 x", NUMBER, "float", "its 'type' is \"float4\""},
	{"uchar4 x", NUMBER, "uchar", "its 'type' is \"uchar4\""},
	{"vec x", NUMBER, "float", "its fields in 'structs'"},
	{"read_only image2d_t x", BUFFER, "float",
	 "`image2d_t` in the source, and a buffer of float in the "
	 "specification: its 'type' is \"image2d_t\""},
	{"__write_only image3d_t x", BUFFER, "float", "its 'type' is \"image3d_t\""},
	{"image1d_t x", BUFFER, "uint", "its 'type' is \"image1d_t\""},
	{"image2d_t x", NUMBER, "float", "its 'type' is \"image2d_t\""},
	{"picture x", BUFFER, "float", "images by their own type"},
	{"read_only image2d_array_t x", LOCAL, "float", "its 'type' is \"image2d_array_t\""},
	{"sampler_t x", NUMBER, "int", "`sampler_t`"},
	{"const sampler_t x", NUMBER, "uint", "its 'type' is \"sampler_t\""},
};

static void every_way_to_write_an_argument_fits_its_specification_alone(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_device *device = open_first(NULL);
	struct bench_buffer *buffer;
	struct bench_error error = {0};
	const uint64_t number[2] = {0};
	require(cl->alloc(device, 4096, &buffer, &error), &error);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const char *const types[] = {"char",  "uchar", "short", "ushort", "half",  "int",
						    "float", "uint",  "long",  "ulong",  "double"};
		struct bench_text source = {0};
		struct bench_built_kernel *built = NULL;
		size_t bytes = 1, type = 0;
		while (strcmp(types[type], rows[i].type) != 0)
			type++;
		bytes = type < 2 ? 1 : type < 5 ? 2 : type < 8 ? 4 : 8;
		bench_text_add(&source, "%skernel void k(%s) { }\n", prelude, rows[i].parameter);
		const struct bench_kernel_argument argument = {
			.name = "x",
			.type = rows[i].type,
			.buffer = rows[i].kind == BUFFER ? buffer : NULL,
			.value = rows[i].kind == NUMBER ? number : NULL,
			.bytes = rows[i].kind == NUMBER ? bytes : 1024,
		};
		const struct bench_kernel kernel = {.file = "k.cl",
						    .source = source.data,
						    .options = "",
						    .name = "k",
						    .arguments = &argument,
						    .argument_count = 1,
						    .dimensions = 1,
						    .global = {1}};
		error = (struct bench_error){0};
		const int result = cl->kernels->build(device, &kernel, &built, &error);
		if (!rows[i].words && result != 0)
			fail_msg("%s as %s: %s", rows[i].parameter, rows[i].type, error.text);
		if (rows[i].words &&
		    (result == 0 || error.code != BENCH_USAGE || !strstr(error.text, rows[i].words) ||
		     !strstr(error.text, "k.cl: argument 1 (`x`) of kernel k")))
			fail_msg("%s as %s: '%s' does not say '%s'", rows[i].parameter, rows[i].type,
				 error.text, rows[i].words);
		cl->kernels->release(device, built);
		bench_text_free(&source);
	}
	cl->release(device, buffer);
	cl->close(device);
}

static void local_memory_is_what_a_group_has(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_device *device = open_first(NULL);
	struct bench_built_kernel *built = NULL;
	struct bench_error error = {0};
	const struct bench_kernel_argument argument = {
		.name = "x", .type = "float", .bytes = (size_t)1 << 40};
	const struct bench_kernel kernel = {.file = "k.cl",
					    .source = "kernel void k(local float *x) { x[0] = 1; }",
					    .options = "",
					    .name = "k",
					    .arguments = &argument,
					    .argument_count = 1,
					    .dimensions = 1,
					    .global = {1}};
	assert_int_equal(cl->kernels->build(device, &kernel, &built, &error), -1);
	assert_non_null(strstr(error.text, "k.cl: kernel k is given 1099511627776 bytes of local memory"));
	cl->close(device);
}

/* Where a driver does not tell. */
static void a_signature_is_read_from_the_text(void **state)
{
	(void)state;
	static const struct {
		const char *source, *expected;
	} texts[] = {
		{"kernel void k(global const float4 *restrict a, unsigned int n, __local real *c) {}",
		 "global float4 *|private uint|local real *|"},
		{"__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\nvoid\nk (\n\t/* in, of n */ "
		 "constant "
		 "float a[], // (\n\tconst struct item b)\n{\n}",
		 "constant float *|private struct item|"},
		{"void k_(int n); float helper(float k) { return k; }\nkernel void kk(int n) {}\n"
		 "kernel void k(image2d_t a, read_only image2d_t b) { k_(1); }",
		 "private image2d_t|private image2d_t object|"},
		{"kernel void k(int n);\nkernel void k(int n) {}", "private int|"},
		{"kernel void k(void) {}", ""},
		{"kernel void k() {}", ""},
		{"kernel void k(global float (*a)[4], global float *b __attribute__((aligned(4)))) {}",
		 "global float *|global float *|"},
		{"char *t = \"kernel void k(int a) {\"; kernel void k(long b) {}", "private long|"},
		/* A preprocessor would have to say. */
		{"kernel void k(\n#ifdef A\nint a\n#else\nfloat a\n#endif\n) {}", ""},
		{"#if A\nkernel void k(int a) {}\n#else\nkernel void k(float a) {}\n#endif", ""},
		{"#define K \\\n kernel void k(int a) {}\nK", ""},
		{"", ""},
		{"kernel void k(int a", ""},
		{"kernel void k(int a /*", ""},
	};
	static const char *const spaces[] = {"private", "global", "constant", "local", "anywhere"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bench_opencl_parameter found[8];
		struct bench_text shown = {0};
		const size_t count = bench_opencl_signature(texts[i].source, "k", found, 8);
		bench_text_add(&shown, "%s", "");
		for (size_t p = 0; p < count; p++)
			bench_text_add(&shown, "%s %s%s%s|", spaces[found[p].space], found[p].type,
				       found[p].pointer ? " *" : "", found[p].object ? " object" : "");
		assert_string_equal(shown.data, texts[i].expected);
		bench_text_free(&shown);
	}
}

/* Each way to write an argument, by the text alone: what OpenCL names is known, and an alias stays one. */
static void the_text_says_what_a_driver_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_opencl_parameter found[2];
		struct bench_text source = {0};
		unsigned width;
		bench_text_add(&source, "kernel void k(%s) {}", rows[i].parameter);
		const size_t count = bench_opencl_signature(source.data, "k", found, 2);
		if (count != 1 && !strstr(rows[i].parameter, "ARG("))
			fail_msg("%s: %zu parameters", rows[i].parameter, count);
		const char *element = count == 1 ? bench_opencl_element(found[0].type, &width) : NULL;
		if (!rows[i].words && element && strcmp(element, rows[i].type) != 0)
			fail_msg("%s: %s", rows[i].parameter, found[0].type);
		bench_text_free(&source);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signature_is_read_from_the_text),
		cmocka_unit_test(the_text_says_what_a_driver_does),
		cmocka_unit_test(every_way_to_write_an_argument_fits_its_specification_alone),
		cmocka_unit_test(local_memory_is_what_a_group_has),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
