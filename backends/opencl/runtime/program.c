/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/cache.h"
#include "backends/opencl/runtime/devices.h"
#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/retarget.h"
#include "backends/opencl/runtime/source.h"
#include "core/clock.h"
#include "core/hash.h"
#include "core/text.h"

#define LOG_LINES    12                  /* of a failed build that an error shows */
#define LOG_LIMIT    ((size_t)1 << 20)   /* bytes of a longer one: nothing */
#define BINARY_LIMIT ((size_t)256 << 20) /* no program is near that large */

struct bench_opencl_program {
	char *name;    /* what tells programs of one device apart: file and options */
	char *unsaved; /* compiled here: the cache's key, to store it under later; else NULL */
	bool trying;   /* loaded from the cache, and no work with it is done yet: */
	struct bench_opencl_cached cached;
	cl_program handle;
	struct bench_opencl_kernel *kernels;
	struct bench_opencl_program *next;
};

/* Everything that a binary depends on; see cache.h. */
static void add_cache_key(struct bench_text *key, const struct bench_device *device, const char *file,
			  const char *options, const char *source)
{
	bench_text_add(key,
		       "bench: " BENCH_VERSION "\nfile: %s\noptions: %s\ndevice: %s\ndriver: %s\nplatform: "
		       "%s\nsource:\n%s",
		       file, options, device->info.name, device->info.driver, device->info.platform, source);
}

char *bench_opencl_program_log(const struct bench_device *device, cl_program program)
{
	size_t bytes = 0;
	if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS ||
	    bytes > LOG_LIMIT)
		return NULL;
	char *log = calloc(bytes + 1, 1);
	if (log)
		clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
	return log;
}

/* Where a program comes from. */
struct origin {
	const char *file;
	const char *source; /* NULL: the embedded file of that name */
	const char *options;
};

/* Does a line of the source say that what follows it is of the file of that name? */
static bool names_file(const char *source, const char *name, size_t length)
{
	for (const char *at = source; (at = strstr(at, "#line ")); at += 6) {
		const char *quoted = at + 6 + strspn(at + 6, "0123456789");
		if (strncmp(quoted, " \"", 2) == 0 && strncmp(quoted + 2, name, length) == 0 &&
		    quoted[2 + length] == '"')
			return true;
	}
	return false;
}

/* A line of a compiler, which does not know how the user's file is called: "/tmp/x.cl:3:5: words" is one of
 * it, unless its source says which. */
static void add_users_line(struct bench_text *lines, const struct origin *origin, const char *line)
{
	unsigned row, column;
	int length = 0;
	for (const char *word = line; *word; word += strspn(word, " ")) {
		const size_t end = strcspn(word, " :");
		if (word[end] == ':' && sscanf(word + end, ":%u:%u:%n", &row, &column, &length) == 2 &&
		    length) {
			const bool own = names_file(origin->source, word, end);
			bench_text_add(lines, "%.*s:%u:%u: %.*s%s",
				       own ? (int)end : (int)strlen(origin->file), own ? word : origin->file,
				       row, column, (int)(word - line), line,
				       word + end + (size_t)length + (word[end + (size_t)length] == ' '));
			return;
		}
		word += strcspn(word, " ");
	}
	bench_text_add(lines, "%s", line);
}

static int fail_build(struct bench_error *error, const struct bench_device *device, cl_program program,
		      cl_int status, const struct origin *origin)
{
	BENCH_SCOPED_TEXT lines = {0};
	const char *name = bench_opencl_error_name(status),
		   *live = origin->source ? NULL : getenv("BENCH_KERNELS"),
		   *extra = getenv("BENCH_OPENCL_OPTIONS");
	char *log = bench_opencl_program_log(device, program), *rest = log, *line;
	for (size_t count = 0; rest && count < LOG_LINES && (line = bench_text_next(&rest, '\n'));) {
		bench_opencl_clean(line);
		if (!*line)
			continue;
		bench_text_add(&lines, "%s", count++ ? " | " : "");
		if (origin->source)
			add_users_line(&lines, origin, line);
		else
			bench_text_add(&lines, "%s", line);
	}
	bench_fail(error, status == CL_INVALID_BUILD_OPTIONS && origin->source ? BENCH_USAGE : BENCH_FAILED,
		   "%s in clBuildProgram, kernel file %s%s%s, device %s, options '%s'%s%s: %s",
		   name ? name : "unknown error", origin->file, live && *live ? " in " : "",
		   live && *live ? live : "", device->info.slug, origin->options,
		   extra && *extra ? " with BENCH_OPENCL_OPTIONS=" : "", extra ? extra : "",
		   lines.data ? lines.data : "(there is no build log)");
	free(log);
	return -1;
}

cl_program bench_opencl_program_load(struct bench_device *device, const unsigned char *binary, size_t bytes,
				     const char *options)
{
	cl_int status = CL_SUCCESS, loaded = CL_SUCCESS;
	cl_program program =
		clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, &binary, &loaded, &status);
	if (bench_opencl_made(program, status) != CL_SUCCESS)
		return NULL;
	if (loaded == CL_SUCCESS &&
	    clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
		return program;
	clReleaseProgram(program);
	return NULL;
}

unsigned char *bench_opencl_program_binary(cl_program program, size_t *bytes)
{
	size_t sizes[2] = {0}, listed = 0;
	unsigned char *binaries[2] = {NULL};
	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, &listed) != CL_SUCCESS ||
	    listed > sizeof(sizes))
		return NULL;
	const int at = sizes[0] == 0;
	*bytes = sizes[at];
	binaries[at] = *bytes && *bytes <= BINARY_LIMIT ? malloc(*bytes + 2) : NULL;
	if (binaries[at] &&
	    clGetProgramInfo(program, CL_PROGRAM_BINARIES, listed / sizeof(*sizes) * sizeof(*binaries),
			     binaries, NULL) == CL_SUCCESS)
		return binaries[at];
	free(binaries[at]);
	return NULL;
}

/* Builds the program once more, from its own PTX with the instructions that were hidden in it (retarget.h).
 */
static int uncover(struct bench_device *device, const char *file, const char *options, cl_program *program,
		   struct bench_error *error)
{
	size_t bytes;
	unsigned char *binary = bench_opencl_program_binary(*program, &bytes);
	int result =
		binary ? bench_opencl_retarget((char *)binary, &bytes, error)
		       : bench_fail(error, BENCH_UNSUPPORTED, "%s: the driver gives no binary of it", file);
	cl_program uncovered = result == 0 ? bench_opencl_program_load(device, binary, bytes, options) : NULL;
	if (result == 0 && !uncovered)
		result = bench_fail(error, BENCH_UNSUPPORTED,
				    "%s: device %s does not build its own PTX with the target sm_90a", file,
				    device->info.slug);
	free(binary);
	clReleaseProgram(*program);
	*program = uncovered;
	return result;
}

static int compile(struct bench_device *device, const struct origin *origin, const char *source,
		   cl_program *program, struct bench_error *error)
{
	const char *file = origin->file, *options = origin->options;
	cl_int status = CL_SUCCESS;
	cl_program built = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
	status = bench_opencl_made(built, status);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clCreateProgramWithSource", file);
	status = clBuildProgram(built, 1, &device->id, options, NULL, NULL);
	if (status != CL_SUCCESS) {
		fail_build(error, device, built, status, origin);
		clReleaseProgram(built);
		return -1;
	}
	*program = built;
	return !origin->source && strstr(source, BENCH_OPENCL_RETARGET_MARK)
		       ? uncover(device, file, options, program, error)
		       : 0;
}

/*
 * Stores a program if it was compiled here. At the end of a group of cases rather than after the build: PoCL
 * compiles a kernel at its first launch. Asked for a program's binary, it compiles the kernels that were not
 * launched, for seconds.
 */
static void store_binary(struct bench_opencl_program *program)
{
	size_t bytes;
	unsigned char *binary =
		program->unsaved ? bench_opencl_program_binary(program->handle, &bytes) : NULL;
	if (binary)
		bench_opencl_cache_store(program->unsaved, binary, bytes);
	free(binary);
	free(program->unsaved);
	program->unsaved = NULL;
}

static double seconds_since(uint64_t start_ns)
{
	return (double)(bench_clock_real.now_ns(NULL) - start_ns) * 1e-9;
}

/* A binary with which work was done is one to load again. */
static void settle(struct bench_opencl_program *program, bool good)
{
	if (program->trying)
		bench_opencl_cache_settle(&program->cached, good);
	program->trying = false;
}

static bool has_launched(const struct bench_opencl_program *program)
{
	for (const struct bench_opencl_kernel *kernel = program->kernels; kernel; kernel = kernel->next)
		if (kernel->launched)
			return true;
	return false;
}

void bench_opencl_programs_settle(struct bench_device *device, bool good)
{
	device->trying = false;
	for (struct bench_opencl_program *program = device->programs; program; program = program->next) {
		if (has_launched(program))
			settle(program, good);
		device->trying |= program->trying;
	}
}

/* Loads the program from the cache, else compiles it. */
static int build(struct bench_device *device, const struct origin *origin,
		 struct bench_opencl_program *program, struct bench_error *error)
{
	const char *file = origin->file, *options = origin->options;
	const char *source = origin->source;
	char *embedded = NULL;
	struct bench_text key = {0};
	int result = -1;
	uint64_t start = bench_clock_real.now_ns(NULL);
	if (!source && bench_opencl_source(file, &embedded, error) != 0)
		goto out;
	source = source ? source : embedded;
	add_cache_key(&key, device, file, options, source);
	program->trying = bench_opencl_cache_load(key.data, &program->cached);
	if (program->trying)
		program->handle = bench_opencl_program_load(device, program->cached.binary,
							    program->cached.bytes, options);
	if (program->handle) {
		device->trying = true;
		device->stats.cached++;
		device->stats.load_seconds += seconds_since(start);
		result = 0;
		goto out;
	}
	settle(program, false);
	if (compile(device, origin, source, &program->handle, error) != 0)
		goto out;
	if (bench_opencl_cache_on()) {
		program->unsaved = key.data;
		key.data = NULL;
	}
	device->stats.compiled++;
	device->stats.compile_seconds += seconds_since(start);
	result = 0;
out:
	bench_text_free(&key);
	free(embedded);
	return result;
}

/* The program, built if this is its first use. */
static int find_program(struct bench_device *device, const struct origin *origin,
			struct bench_opencl_program **found, struct bench_error *error)
{
	const char *file = origin->file;
	const char *extra = getenv("BENCH_OPENCL_OPTIONS");
	BENCH_SCOPED_TEXT all = {0};
	struct bench_opencl_program *program;
	char *name = NULL;
	int result = -1;
	bench_text_add(&all, "%s%s%s", origin->options, extra && *extra ? " " : "", extra ? extra : "");
	const struct origin complete = {file, origin->source, all.data};
	/* A file of the user's may be named like one of ours, or like another of theirs. */
	const uint64_t hash =
		origin->source ? bench_hash_bytes(BENCH_HASH_START, origin->source, strlen(origin->source))
			       : 0;
	if (asprintf(&name, "%s %" PRIx64 " %s", file, hash, all.data) < 0) {
		name = NULL;
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for the options of %s", file);
		goto out;
	}
	for (program = device->programs; program; program = program->next)
		if (strcmp(program->name, name) == 0) {
			*found = program;
			result = 0;
			goto out;
		}
	program = calloc(1, sizeof(*program));
	if (!program) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for the program %s", file);
		goto out;
	}
	if (build(device, &complete, program, error) != 0) {
		free(program);
		goto out;
	}
	program->name = name;
	name = NULL;
	program->next = device->programs;
	device->programs = program;
	*found = program;
	result = 0;
out:
	free(name);
	return result;
}

/* NULL: it was not asked for yet. */
static struct bench_opencl_kernel *find_kernel(const struct bench_opencl_program *program, const char *name)
{
	struct bench_opencl_kernel *kernel = program->kernels;
	while (kernel && strcmp(kernel->name, name) != 0)
		kernel = kernel->next;
	return kernel;
}

static void free_kernel(struct bench_opencl_kernel *kernel)
{
	if (kernel->twin)
		free_kernel(kernel->twin);
	clReleaseKernel(kernel->handle);
	free(kernel);
}

static void free_program(struct bench_opencl_program *program, bool store)
{
	settle(program, false);
	while (program->kernels) {
		struct bench_opencl_kernel *kernel = program->kernels;
		program->kernels = kernel->next;
		free_kernel(kernel);
	}
	if (store)
		store_binary(program);
	clReleaseProgram(program->handle);
	free(program->unsaved);
	free(program->name);
	free(program);
}

/* Takes a program off the device. */
static void drop(struct bench_device *device, struct bench_opencl_program *program, bool store)
{
	struct bench_opencl_program **link = &device->programs;
	while (*link != program)
		link = &(*link)->next;
	*link = program->next;
	free_program(program, store);
}

/* -1, with the names of the kernels that there are; 0: the driver does not say them. */
static int fail_name(const struct bench_opencl_program *program, const struct origin *origin,
		     const char *name, struct bench_error *error)
{
	char names[512] = "";
	size_t bytes = 0;
	if (clGetProgramInfo(program->handle, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes) != CL_SUCCESS ||
	    bytes > sizeof(names) ||
	    clGetProgramInfo(program->handle, CL_PROGRAM_KERNEL_NAMES, bytes, names, NULL) != CL_SUCCESS)
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s, once compiled, has no kernel '%s'%s%s", origin->file, name,
			  *names ? ": it has " : "", names);
}

/* The kernel of that name; `own`: another one than those that were given out before. */
static int get_kernel(struct bench_device *device, const struct origin *origin, const char *name, bool own,
		      struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	struct bench_opencl_program *program;
	char what[96];
	if (find_program(device, origin, &program, error) != 0)
		return -1;
	struct bench_opencl_kernel *made = own ? NULL : find_kernel(program, name);
	if (made) {
		*kernel = made;
		return 0;
	}
	made = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the kernel %s", name);
	cl_int status = CL_SUCCESS;
	snprintf(made->name, sizeof(made->name), "%s", name);
	made->handle = clCreateKernel(program->handle, name, &status);
	status = bench_opencl_made(made->handle, status);
	if (status != CL_SUCCESS) {
		free(made);
		if (program->trying && !program->kernels) {
			/* The driver took a binary that is not this program's: to be compiled after all. */
			drop(device, program, false);
			return get_kernel(device, origin, name, own, kernel, error);
		}
		if (status == CL_INVALID_KERNEL_NAME && fail_name(program, origin, name, error) != 0)
			return -1;
		snprintf(what, sizeof(what), "kernel %s of %s", name, origin->file);
		return bench_opencl_fail(error, device, status, "clCreateKernel", what);
	}
	made->next = program->kernels;
	program->kernels = made;
	*kernel = made;
	return 0;
}

int bench_opencl_kernel(struct bench_device *device, const char *file, const char *options, const char *name,
			struct bench_opencl_kernel **kernel, struct bench_error *error)
{
	return get_kernel(device, &(struct origin){file, NULL, options}, name, false, kernel, error);
}

int bench_opencl_kernel_of(struct bench_device *device, const char *file, const char *source,
			   const char *options, const char *name, struct bench_opencl_kernel **kernel,
			   struct bench_error *error)
{
	return get_kernel(device, &(struct origin){file, source, options}, name, true, kernel, error);
}

bool bench_opencl_compiles(struct bench_device *device, const char *source, const char *options)
{
	const struct origin origin = {"", source, options};
	cl_program program = NULL;
	struct bench_error error;
	if (compile(device, &origin, source, &program, &error) != 0)
		return false;
	clReleaseProgram(program);
	return true;
}

struct bench_opencl_kernel *bench_opencl_kernel_twin(struct bench_opencl_kernel *kernel)
{
	cl_program program;
	cl_int status = CL_SUCCESS;
	if (kernel->twin || clGetKernelInfo(kernel->handle, CL_KERNEL_PROGRAM, sizeof(program),
					    (void *)&program, NULL) != CL_SUCCESS)
		return kernel->twin;
	struct bench_opencl_kernel *twin = calloc(1, sizeof(*twin));
	if (!twin)
		return NULL;
	memcpy(twin->name, kernel->name, sizeof(twin->name));
	twin->handle = clCreateKernel(program, kernel->name, &status);
	if (bench_opencl_made(twin->handle, status) != CL_SUCCESS) {
		free(twin);
		return NULL;
	}
	return kernel->twin = twin;
}

int bench_opencl_group_size(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
			    size_t at_most, size_t *group, struct bench_error *error)
{
	size_t limit = 0;
	cl_int status = clGetKernelWorkGroupInfo(kernel->handle, device->id, CL_KERNEL_WORK_GROUP_SIZE,
						 sizeof(limit), &limit, NULL);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetKernelWorkGroupInfo", kernel->name);
	if (limit == 0)
		return bench_fail(error, BENCH_FAILED,
				  "device %s says that it runs kernel %s in groups of 0 "
				  "(clGetKernelWorkGroupInfo)",
				  device->info.slug, kernel->name);
	*group = limit < at_most ? limit : at_most;
	return 0;
}

void bench_opencl_program_drop(struct bench_device *device, const struct bench_opencl_kernel *kernel,
			       bool store)
{
	struct bench_opencl_program *program = device->programs;
	while (program && find_kernel(program, kernel->name) != kernel)
		program = program->next;
	if (program)
		drop(device, program, store);
}

void bench_opencl_programs_store(const struct bench_device *device)
{
	for (struct bench_opencl_program *program = device->programs; program; program = program->next)
		store_binary(program);
}

void bench_opencl_programs_each(struct bench_device *device,
				void (*visit)(struct bench_device *device, cl_program program,
					      struct bench_opencl_kernel *kernels, void *context),
				void *context)
{
	for (struct bench_opencl_program *program = device->programs; program; program = program->next)
		visit(device, program->handle, program->kernels, context);
}

void bench_opencl_programs_free(struct bench_device *device)
{
	while (device->programs)
		drop(device, device->programs, true);
}
