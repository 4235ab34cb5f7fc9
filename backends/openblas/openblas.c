/* SPDX-License-Identifier: MIT */
/*
 * The OpenBLAS backend: the vendor-grade GEMM of the CPU. The device's platform and driver name the kernel
 * set that the library uses, so that a change shows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "backends/cpu.h"
#include "backends/openblas/by_path.h"
#include "backends/openblas/library.h"
#include "backends/openblas/operations.h"

/* What a kernel set below the CPU costs, and what the user can do about it. */
static void warn_of_core(const struct openblas *library, struct bench_device_info *info)
{
	const char *asked = getenv("OPENBLAS_CORETYPE"), *size = getenv("OPENBLAS_L2_SIZE");
	unsigned bits = openblas_core_bits(library->core), most = bench_cpu_vector_bits();
	if (bits && bits < most)
		snprintf(info->note, sizeof(info->note),
			 "%s has %s kernels, with vectors of %u bits where this CPU has %u: a rival with a "
			 "handicap; %s%s",
			 library->version, library->core, bits, most,
			 asked ? "unset OPENBLAS_CORETYPE, which is " : "install a newer release",
			 asked ? asked : "");
	else if (size && library->get_procs)
		snprintf(info->note, sizeof(info->note),
			 "%s has blocks for a second-level cache of %s KiB, by OPENBLAS_L2_SIZE: unset it, "
			 "unless that is what is measured",
			 library->version, size);
}

static int describe(const struct openblas *library, struct bench_device_info *info, size_t capacity,
		    size_t *count)
{
	*count = 1;
	if (capacity == 0)
		return 0;
	bench_cpu_describe(info);
	unsigned bits = openblas_core_bits(library->core);
	snprintf(info->platform, sizeof(info->platform), "%.36s%s%.16s%s%.48s%.17s", library->version,
		 *library->core ? ", " : "", library->core, *library->core ? " kernels" : "",
		 library->core_chosen ? " (not its own choice: it does not know this CPU)" : "",
		 bits && bits < bench_cpu_vector_bits() ? " (below this CPU)" : "");
	snprintf(info->driver, sizeof(info->driver), "%s", library->config);
	warn_of_core(library, info);
	return 0;
}

static int open_with(const struct openblas *library, size_t index, const struct bench_open_options *options,
		     struct bench_device **device, struct bench_error *error)
{
	int threads = library->get_procs ? library->get_procs() : 0;
	if (options->threads)
		threads = options->threads < INT32_MAX ? (int)options->threads : INT32_MAX;
	if (threads)
		openblas_set_threads(library, threads);
	if (threads && openblas_threads(library) != threads)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "openblas: asked for %d threads, but this library gives %d (%s)", threads,
				  openblas_threads(library), library->config);
	if (bench_cpu_open(index, options, device, error) != 0)
		return -1;
	(*device)->library = library;
	return 0;
}

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	const struct openblas *library = openblas_load(error);
	return library ? describe(library, info, capacity, count) : -1;
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	const struct openblas *library = openblas_load(error);
	return library ? open_with(library, index, options, device, error) : -1;
}

const struct bench_backend bench_backend_openblas = {
	.name = "openblas",
	.summary = "OpenBLAS on the CPU",
	BENCH_CPU_HOOKS,
	BENCH_OPENBLAS_OPERATIONS,
	.devices = devices,
	.open = open_device,
};

/* Libraries by path: hooks do not say which backend they are called of, so each place has its own. */
static struct place {
	char name[48], summary[320], path[256];
	struct openblas library;
	bool loaded;
	struct bench_backend backend;
} places[BENCH_OPENBLAS_PATHS];
static size_t placed;

static int load_place(size_t number, struct bench_error *error)
{
	struct place *place = &places[number];
	if (!place->loaded && openblas_load_path(place->path, &place->library, error) != 0)
		return -1;
	place->loaded = true;
	return 0;
}

#define PLACES(DO) DO(0) DO(1) DO(2) DO(3)
#define DEFINE_HOOKS(number)                                                                                 \
	static int devices_##number(struct bench_device_info *info, size_t capacity, size_t *count,          \
				    struct bench_error *error)                                               \
	{                                                                                                    \
		return load_place(number, error) == 0                                                        \
			       ? describe(&places[number].library, info, capacity, count)                    \
			       : -1;                                                                         \
	}                                                                                                    \
	static int open_##number(size_t index, const struct bench_open_options *options,                     \
				 struct bench_device **device, struct bench_error *error)                    \
	{                                                                                                    \
		return load_place(number, error) == 0                                                        \
			       ? open_with(&places[number].library, index, options, device, error)           \
			       : -1;                                                                         \
	}
#define HOOKS(number) {devices_##number, open_##number},
PLACES(DEFINE_HOOKS)

int bench_openblas_add_path(const char *name, const char *path, struct bench_error *error)
{
	static const struct {
		__typeof__(devices) *devices;
		__typeof__(open_device) *open;
	} hooks[BENCH_OPENBLAS_PATHS] = {PLACES(HOOKS)};
	if (placed == BENCH_OPENBLAS_PATHS)
		return bench_fail(error, BENCH_USAGE, "more than %d libraries by path", BENCH_OPENBLAS_PATHS);
	struct place *place = &places[placed];
	if (strlen(name) >= sizeof(place->name) || strlen(path) >= sizeof(place->path))
		return bench_fail(error, BENCH_USAGE, "a library's path has at most %zu characters: '%s'",
				  sizeof(place->path) - 1, path);
	snprintf(place->name, sizeof(place->name), "%s", name);
	snprintf(place->path, sizeof(place->path), "%s", path);
	snprintf(place->summary, sizeof(place->summary), "as openblas, but by the library %s", path);
	place->backend = bench_backend_openblas;
	place->backend.name = place->name;
	place->backend.summary = place->summary;
	place->backend.devices = hooks[placed].devices;
	place->backend.open = hooks[placed].open;
	if (bench_backends_add(&place->backend, error) != 0)
		return -1;
	placed++;
	return 0;
}
