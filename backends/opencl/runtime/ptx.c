/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/ptx.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

#define MOST_NUMBER 1e12 /* of a log: no kernel has more of anything */
#define CLASSES     40

/* The number in front of `words`, as in "32 bytes spill stores"; `before` where there is none. */
static double number_before(const char *line, const char *words, double before)
{
	const char *at = strstr(line, words), *digits = at;
	while (digits && digits > line && isdigit((unsigned char)digits[-1]))
		digits--;
	double value = at && digits < at ? strtod(digits, NULL) : INFINITY;
	return value <= MOST_NUMBER ? value : before;
}

/* Does the line begin what is said of a kernel: "entry function 'NAME' for", "Function properties for NAME"?
 */
static bool names_kernel(const char *line, const char *kernel, bool *is_it)
{
	static const char *const words[] = {"entry function '", "Function properties for "};
	for (size_t i = 0; i < 2; i++) {
		const char *name = strstr(line, words[i]);
		if (!name)
			continue;
		name += strlen(words[i]);
		name += *name == '\'';
		size_t length = strcspn(name, "' \r");
		*is_it = length == strlen(kernel) && strncmp(name, kernel, length) == 0;
		return true;
	}
	return false;
}

bool bench_opencl_ptxas_read(const char *log, const char *kernel, struct bench_opencl_ptxas *found)
{
	char *copy = strdup(log), *rest = copy, *line;
	bool is_it = false;
	double stores = NAN, loads = NAN;
	*found = (struct bench_opencl_ptxas){NAN, NAN, NAN};
	while (rest && (line = bench_text_next(&rest, '\n'))) {
		if (names_kernel(line, kernel, &is_it) || !is_it)
			continue;
		found->registers = number_before(line, " registers", found->registers);
		found->shared = number_before(line, " bytes smem", found->shared);
		stores = number_before(line, " bytes spill stores", stores);
		loads = number_before(line, " bytes spill loads", loads);
	}
	free(copy);
	found->spilled = stores + loads;
	if (isfinite(found->registers) && isnan(found->shared))
		found->shared = 0; /* ptxas leaves out what is none */
	return isfinite(found->registers);
}

struct classes {
	struct {
		char name[24];
		unsigned long count;
	} list[CLASSES];
	size_t count;
};

static void count_class(struct classes *classes, const char *name)
{
	size_t i = 0;
	while (i < classes->count && strcmp(classes->list[i].name, name) != 0)
		i++;
	if (i == CLASSES)
		return;
	if (i == classes->count)
		snprintf(classes->list[classes->count++].name, sizeof(classes->list[0].name), "%s", name);
	classes->list[i].count++;
}

static bool is_one_of(const char *part, size_t length, const char *const *list)
{
	while (*list && (strlen(*list) != length || strncmp(*list, part, length) != 0))
		list++;
	return *list;
}

/* Appends ".PART" for each part of "OPERATION.PART.PART" that is in the list. */
static void keep_parts(char name[24], const char *code, size_t length, const char *const *list)
{
	for (size_t at = strcspn(code, "."), end; at < length; at = end) {
		end = at + 1 + strcspn(code + at + 1, ". \t");
		end = end < length ? end : length;
		size_t used = strlen(name);
		if (is_one_of(code + at + 1, end - at - 1, list))
			snprintf(name + used, 24 - used, "%.*s", (int)(end - at), code + at);
	}
}

/* An instruction by its code, "ld.global.nc.v4.f32". */
static void count_code(struct classes *classes, const char *code, size_t length)
{
	static const char *const memory[] = {"ld", "ldu", "st", "atom", "red", "cp", NULL};
	static const char *const places[] = {"global", "shared", "local", "const", "v2", "v4", "v8", NULL};
	static const char *const matrix[] = {"mma", "wmma",    "wgmma", "ldmatrix",
					     "bar", "barrier", "bra",   NULL};
	static const char *const moves[] = {"mov", "cvt", "setp", "selp", "set", "slct", "testp", NULL};
	static const char *const reals[] = {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64", NULL};
	char name[24];
	size_t operation = strcspn(code, ". \t");
	operation = operation < length ? operation : length;
	if (strncmp(code, "ld.param", 8) == 0 || strncmp(code, "st.param", 8) == 0 ||
	    (length == 3 && strncmp(code, "ret", 3) == 0))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(operation < 16 ? operation : 16), code);
	size_t bare = strlen(name);
	bool is_memory = is_one_of(code, operation, memory), is_matrix = is_one_of(code, operation, matrix);
	if (is_memory)
		keep_parts(name, code, length, places);
	else if (!is_matrix && !is_one_of(code, operation, moves))
		keep_parts(name, code, length, reals);
	count_class(classes, is_memory || is_matrix || strlen(name) > bare ? name : "other");
}

/* One statement; before its code stand labels and a predicate. */
static void count_statement(struct classes *classes, const char *text, size_t length)
{
	const char *end = text + length;
	for (;;) {
		while (text < end && (isspace((unsigned char)*text) || *text == '{' || *text == '}'))
			text++;
		size_t word = 0;
		while (text + word < end && !isspace((unsigned char)text[word]))
			word++;
		if (word && (text[word - 1] == ':' || text[0] == '@')) {
			text += word;
			continue;
		}
		if (word && islower((unsigned char)text[0]))
			count_code(classes, text, word);
		return;
	}
}

/* Where the body of a kernel begins, behind its brace; NULL: there is none. */
static char *find_body(char *ptx, const char *kernel)
{
	size_t length = strlen(kernel);
	for (char *at = ptx; (at = strstr(at, ".entry")); at += 6) {
		char *name = at + 6 + strspn(at + 6, " \t");
		char *brace = strchr(name, '{');
		if (length && strncmp(name, kernel, length) == 0 && strchr("( \t\r\n", name[length]) && brace)
			return brace + 1;
	}
	return NULL;
}

/* Blanks out comments. */
static void strip(char *text)
{
	for (char *at = text; (at = strchr(at, '/')); at++) {
		size_t length = at[1] == '/' ? strcspn(at, "\n") : 0;
		if (at[1] == '*') {
			const char *end = strstr(at + 2, "*/");
			length = end ? (size_t)(end - at) + 2 : strlen(at);
		}
		if (length)
			memset(at, ' ', length);
	}
}

bool bench_opencl_ptx_mix(const char *ptx, const char *kernel, char mix[BENCH_OPENCL_MIX])
{
	struct classes classes = {0};
	char *copy = strdup(ptx);
	mix[0] = '\0';
	if (copy)
		strip(copy);
	char *body = copy ? find_body(copy, kernel) : NULL, *end = body;
	for (int depth = 1; end && *end; end++) {
		depth += (*end == '{') - (*end == '}');
		if (depth == 0)
			break;
	}
	for (char *at = body; at && at < end;) {
		size_t length = strcspn(at, ";");
		length = length < (size_t)(end - at) ? length : (size_t)(end - at);
		count_statement(&classes, at, length);
		at += length + 1;
	}
	for (size_t i = 0, used = 0; i < classes.count; i++) {
		int more = snprintf(mix + used, BENCH_OPENCL_MIX - used, "%s%s %lu", i ? ", " : "",
				    classes.list[i].name, classes.list[i].count);
		if (used + (size_t)more >= BENCH_OPENCL_MIX) {
			mix[used] = '\0';
			break;
		}
		used += (size_t)more;
	}
	free(copy);
	return body != NULL;
}

/*
 * Of a multiprocessor, from "Technical Specifications per Compute Capability" in the appendix on compute
 * capabilities of NVIDIA's CUDA C++ Programming Guide: warps, groups, and KiB of shared memory.
 */
static const struct limits {
	unsigned major, minor, warps, groups, shared_kib;
} limits[] = {
	{6, 0, 64, 32, 64},   {6, 1, 64, 32, 96},  {6, 2, 64, 32, 64},  {7, 0, 64, 32, 96},
	{7, 2, 64, 32, 96},   {7, 5, 32, 16, 64},  {8, 0, 64, 32, 164}, {8, 6, 48, 16, 100},
	{8, 7, 48, 16, 164},  {8, 9, 48, 24, 100}, {9, 0, 64, 32, 228}, {10, 0, 64, 32, 228},
	{12, 0, 48, 24, 100},
};

/* Of all since 6.0: the registers of a warp come in 256, out of one part of the multiprocessor's. */
#define REGISTERS     65536.0
#define REGISTER_UNIT 256.0

static double round_up(double value, double unit)
{
	return ceil(value / unit) * unit;
}

double bench_opencl_occupancy(unsigned major, unsigned minor, double registers, double group, double local)
{
	const struct limits *of = limits, *end = limits + sizeof(limits) / sizeof(limits[0]);
	while (of < end && (of->major != major || of->minor != minor))
		of++;
	if (of == end || !(registers > 0) || !(group > 0) || !(local >= 0))
		return NAN;
	double warps = ceil(group / 32);
	const unsigned parts = major == 6 && minor == 0 ? 2 : 4;
	double by_registers = parts * floor(REGISTERS / parts / round_up(32 * registers, REGISTER_UNIT));
	/* Since 8.0 a group takes 1 KiB more than it asks for. */
	double shared = major >= 8 ? round_up(local, 128) + 1024 : round_up(local, 256);
	double groups = fmin(of->groups, fmin(floor(of->warps / warps), floor(by_registers / warps)));
	if (shared > 0)
		groups = fmin(groups, floor(1024.0 * of->shared_kib / shared));
	return groups > 0 ? groups * warps / of->warps : NAN;
}
