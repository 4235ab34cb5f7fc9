/*
 * The OpenBLAS backend: the vendor-grade GEMM of the CPU. The kernel set that the library
 * uses stands in the device's platform and driver, where a change of it is seen.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "backends/backends.h"
#include "backends/cpu.h"
#include "backends/openblas/library.h"
#include "backends/openblas/operations.h"

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	const struct openblas *library = openblas_load(error);
	if (!library)
		return -1;
	*count = 1;
	if (capacity == 0)
		return 0;
	bench_cpu_describe(info);
	/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": its first two words. */
	const char *config = library->get_config();
	size_t word = strcspn(config, " ");
	if (config[word])
		word += 1 + strcspn(config + word + 1, " ");
	snprintf(info->platform, sizeof(info->platform), "%.*s, %s kernels%s", (int)word, config,
		 library->get_corename(),
		 library->core_chosen ? " (not its own choice: it does not know this CPU)" : "");
	snprintf(info->driver, sizeof(info->driver), "%s", config);
	return 0;
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	const struct openblas *library = openblas_load(error);
	if (!library)
		return -1;
	int threads = library->get_num_procs();
	if (options->threads)
		threads = options->threads < INT32_MAX ? (int)options->threads : INT32_MAX;
	library->set_num_threads(threads);
	if (library->get_num_threads() != threads)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "openblas: asked for %d threads, but this library gives %d (%s)", threads,
				  library->get_num_threads(), library->get_config());
	return bench_cpu_open(index, options, device, error);
}

const struct bench_backend bench_backend_openblas = {
	.name = "openblas",
	.summary = "OpenBLAS on the CPU",
	BENCH_CPU_HOOKS,
	BENCH_BACKEND_OPERATIONS(openblas),
	.devices = devices,
	.open = open_device,
	.training = &bench_openblas_training,
};
