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
	.abi = BENCH_BACKEND_ABI,
	.name = "openblas",
	.summary = "OpenBLAS on the CPU",
	.devices = devices,
	.open = open_device,
	.close = bench_cpu_close,
	.alloc = bench_cpu_alloc,
	.release = bench_cpu_release,
	.upload = bench_cpu_upload,
	.download = bench_cpu_download,
	.finish = bench_cpu_finish,
	.host_alloc = bench_cpu_host_alloc,
	.host_free = bench_cpu_host_free,
	.gemm = bench_openblas_gemm,
	.elementwise = bench_openblas_elementwise,
	.activate = bench_openblas_activate,
	.fused = bench_openblas_fused,
	.bias_add = bench_openblas_bias_add,
	.conv2d = bench_openblas_conv2d,
	.spmv = bench_openblas_spmv,
	.reduction = bench_openblas_reduction,
	.random = bench_openblas_random,
	.peak = bench_openblas_peak,
	.training = &bench_openblas_training,
};
