/* SPDX-License-Identifier: MIT */
/* A device's ceilings: peak.cl, which says how they are reached. */
#include "backends/check.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/operations.h"
#include "backends/opencl/runtime/queue.h"
#include "backends/opencl/runtime/variants.h"

#define SOURCE "peak.cl"
#define GROUP  256
enum { WGMMA_LANES = 128, MMA_LANES = 32 }; /* sums of a work-item of peak_wgmma.cl and peak_tensor.cl */

/* Lanes of a vector, and vectors of a work-item; lanes * chains divides 256. */
struct shape {
	unsigned lanes, chains;
};

/*
 * A CPU's own vector width; a GPU's work-item is scalar in arithmetic and reads 16 bytes at a time. Sixteen
 * chains are twice what two units of a latency of four need, and fit 32 registers. A GPU hides latencies by
 * other work-items, and is left idle least at the end where groups are short.
 */
static struct shape choose_shape(const struct bench_device *device, const struct bench_peak *peak)
{
	size_t real = bench_dtype_bytes(peak->dtype);
	if (device->info.kind != BENCH_DEVICE_CPU)
		return (struct shape){.lanes = peak->what == BENCH_PEAK_FMA ? 1 : (unsigned)(16 / real),
				      .chains = 2};
	size_t bits = device->native_width[peak->dtype == BENCH_F64] * real * 8;
	bits = bits >= 512 ? 512 : bits >= 256 ? 256 : 128;
	return (struct shape){.lanes = (unsigned)(bits / 8 / real), .chains = bits == 512 ? 16 : 8};
}

static int check(const struct bench_device *device, const struct bench_peak *peak, struct bench_error *error)
{
	if (peak->what == BENCH_PEAK_TENSOR && !bench_opencl_has_tensor_cores(device, peak->dtype))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "peak: no tensor cores for this type on device %s", device->info.slug);
	if (peak->what != BENCH_PEAK_TENSOR && !bench_dtype_is_plain(peak->dtype))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "peak: no f16, bf16 or tf32: arithmetic is done in f32 and f64");
	if (bench_opencl_check_f64(device, peak->dtype, error) != 0)
		return -1;
	return bench_peak_check("opencl", peak, bench_opencl_bytes, error);
}

static int tensor_peak(struct bench_device *device, const struct bench_peak *peak, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	const bool wgmma = device->nvidia_capability == 9 && !device->no_wgmma && peak->dtype != BENCH_F64;
	const struct bench_opencl_variant variant = {
		wgmma ? "peak_wgmma.cl" : "peak_tensor.cl", "tensor_peak", {peak->dtype}, GROUP};
	if (bench_opencl_variant(device, &variant, &kernel, error, "-DREAL=%s -DTYPE=%d",
				 bench_opencl_real(peak->dtype),
				 bench_opencl_tensor_type(peak->dtype)) != 0) {
		/* A driver that does not build wgmma has the other instruction, which any driver builds. */
		if (!wgmma || error->code != BENCH_UNSUPPORTED)
			return -1;
		device->no_wgmma = true;
		return tensor_peak(device, peak, error);
	}
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, peak->out);
	BENCH_OPENCL_UINTS(&list, peak->rounds);
	return bench_opencl_launch_groups(
		device, kernel, &list, peak->count / GROUP / (wgmma ? WGMMA_LANES : MMA_LANES), GROUP, error);
}

int bench_opencl_peak(struct bench_device *device, const struct bench_peak *peak, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	bool reading = peak->what == BENCH_PEAK_READ;
	if (check(device, peak, error) != 0)
		return -1;
	if (peak->what == BENCH_PEAK_TENSOR)
		return tensor_peak(device, peak, error);
	struct shape shape = choose_shape(device, peak);
	bool held = reading && peak->held;
	const struct bench_opencl_variant variant = {
		SOURCE, reading ? "read_peak" : "fma_peak", {peak->dtype, held}, 0};
	if (bench_opencl_variant(device, &variant, &kernel, error,
				 "-DREAL=%s -DWIDTH=%u -DCHAINS=%u -DCONTIGUOUS=%d -DHELD=%d",
				 bench_opencl_real(peak->dtype), shape.lanes, shape.chains,
				 bench_opencl_is_cpu(device), held) != 0)
		return -1;
	cl_ulong vectors = peak->count / BENCH_PEAK_PARTS / shape.lanes;
	cl_ulong mask = bench_peak_elements(peak) / shape.lanes - 1;
	cl_uint rounds = peak->rounds;
	const struct bench_opencl_argument fma_arguments[] = {
		{sizeof(cl_mem), &peak->out->memory},
		{sizeof(rounds), &rounds},
	};
	const struct bench_opencl_argument read_arguments[] = {
		{sizeof(cl_mem), reading ? &peak->a->memory : NULL},
		{sizeof(cl_mem), &peak->out->memory},
		{sizeof(vectors), &vectors},
		{sizeof(mask), &mask},
	};
	size_t items = reading ? BENCH_PEAK_PARTS : peak->count / shape.lanes / shape.chains;
	const struct bench_opencl_launch launch = {
		.arguments = reading ? read_arguments : fma_arguments,
		.count = held      ? 4
			 : reading ? 3
				   : 2,
		.dimensions = 1,
		.global = {items},
		.local = {items % GROUP == 0 ? GROUP : 1},
	};
	return bench_opencl_launch(device, kernel, &launch, error);
}
