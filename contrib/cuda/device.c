/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As much as NVIDIA recommends for its largest GPUs ("cuBLAS", cublasSetWorkspace). */
#define WORKSPACE_BYTES ((size_t)32 << 20)

/* Lower case, and a dash for what is neither letter nor digit: as the backend opencl names the same GPU. */
static void make_slug(char *out, size_t size, const char *name)
{
	size_t n = 0;
	for (; *name && n + 1 < size; name++) {
		unsigned char c = (unsigned char)*name;
		if (c < 128 && isalnum(c))
			out[n++] = (char)tolower(c);
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n && out[n - 1] == '-')
		n--;
	snprintf(out + n, size - n, "%s", n ? "" : "unnamed");
}

/* "580.95.05", from the kernel's module, which tells more than the version of CUDA that the driver is for. */
static void read_driver(char *out, size_t size)
{
	char line[256] = "", *word, *rest = line;
	FILE *file = fopen("/proc/driver/nvidia/version", "re");
	snprintf(out, size, "%.*s", (int)strcspn(cuda.versions, ","), cuda.versions);
	if (!file)
		return;
	if (fgets(line, sizeof(line), file))
		while ((word = strtok_r(rest, " \t\n", &rest)))
			if (isdigit((unsigned char)*word) && strchr(word, '.')) {
				snprintf(out, size, "%s", word);
				break;
			}
	fclose(file);
}

static int describe(int ordinal, struct bench_device_info *info, struct bench_error *error)
{
	static const enum cuda_attribute attributes[] = {CUDA_MULTIPROCESSORS, CUDA_CLOCK_KHZ,
							 CUDA_PCI_DOMAIN, CUDA_PCI_BUS, CUDA_PCI_DEVICE};
	int id, values[sizeof(attributes) / sizeof(*attributes)];
	size_t bytes;
	char where[16];
	snprintf(where, sizeof(where), "GPU %d", ordinal);
	*info = (struct bench_device_info){
		.kind = BENCH_DEVICE_GPU, .f64 = true, .f16 = true, .device_time = true, .pinned = true};
	if (CUDA_CALL(cuDeviceGet, where, error, &id, ordinal) ||
	    CUDA_CALL(cuDeviceGetName, where, error, info->name, (int)sizeof(info->name), id) ||
	    CUDA_CALL(cuDeviceTotalMem_v2, where, error, &bytes, id))
		return -1;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (CUDA_CALL(cuDeviceGetAttribute, where, error, &values[i], attributes[i], id))
			return -1;
	make_slug(info->slug, sizeof(info->slug), info->name);
	snprintf(info->platform, sizeof(info->platform), "%s", cuda.versions);
	read_driver(info->driver, sizeof(info->driver));
	snprintf(info->pci, sizeof(info->pci), "%04x:%02x:%02x.0", (unsigned)values[2] & 0xffff,
		 (unsigned)values[3] & 0xff, (unsigned)values[4] & 0x1f);
	info->compute_units = (unsigned)values[0];
	info->clock_mhz = (unsigned)values[1] / 1000;
	info->memory_bytes = bytes;
	info->max_buffer_bytes = bytes;
	return 0;
}

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	int found = 0;
	if (cuda_load(error) || CUDA_CALL(cuDeviceGetCount, NULL, error, &found))
		return -1;
	if (found < 1)
		return cuda_check(CUDA_NO_DEVICE, "cuDeviceGetCount", NULL, error);
	*count = (size_t)found;
	for (size_t i = 0; i < *count && i < capacity; i++)
		if (describe((int)i, &info[i], error))
			return -1;
	return 0;
}

int cuda_enter(struct bench_device *device, struct bench_error *error)
{
	return CUDA_CALL(cuCtxSetCurrent, device->name, error, device->context);
}

static int open_blas(struct bench_device *device, struct bench_error *error)
{
	const char *name = device->name;
	if (CUBLAS_CALL(cublasCreate_v2, name, error, &device->blas) ||
	    CUBLAS_CALL(cublasSetStream_v2, name, error, device->blas, device->stream) ||
	    CUDA_CALL(cuMemAlloc_v2, name, error, &device->workspace, WORKSPACE_BYTES) ||
	    CUBLAS_CALL(cublasSetWorkspace_v2, name, error, device->blas,
			(void *)(uintptr_t)device->workspace, WORKSPACE_BYTES) ||
	    /* Short types are summed in single precision, and rounded once (bench/dtype.h). */
	    CUBLAS_CALL(cublasSetMathMode, name, error, device->blas, CUBLAS_NO_REDUCED_PRECISION_REDUCTION))
		return -1;
	return 0;
}

static void close_device(struct bench_device *device)
{
	if (!device)
		return;
	if (device->context)
		cuda.cuCtxSetCurrent(device->context);
	cuda_clock_open_gate(device);
	cuda_graph_drop(device);
	if (device->stream)
		cuda.cuStreamSynchronize(device->stream);
	cuda_clock_close(device);
	if (device->blas)
		cuda.cublasDestroy_v2(device->blas);
	if (device->workspace)
		cuda.cuMemFree_v2(device->workspace);
	if (device->stream)
		cuda.cuStreamDestroy_v2(device->stream);
	if (device->context)
		cuda.cuDevicePrimaryCtxRelease_v2(device->id);
	free(device);
}

static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	char text[128];
	(void)options;
	if (cuda_load(error))
		return -1;
	struct bench_device *opened = calloc(1, sizeof(*opened));
	if (!opened)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a device");
	snprintf(opened->name, sizeof(opened->name), "GPU %zu", index);
	sem_init(&opened->clock.gate, 0, 0);
	if (CUDA_CALL(cuDeviceGet, opened->name, error, &opened->id, (int)index) == 0 &&
	    CUDA_CALL(cuDeviceGetName, opened->name, error, text, (int)sizeof(text), opened->id) == 0) {
		snprintf(opened->name, sizeof(opened->name), "GPU %zu (%s)", index, text);
		if (CUDA_CALL(cuDevicePrimaryCtxRetain, opened->name, error, &opened->context, opened->id) ==
			    0 &&
		    cuda_enter(opened, error) == 0 &&
		    CUDA_CALL(cuStreamCreate, opened->name, error, &opened->stream,
			      CUDA_STREAM_NON_BLOCKING) == 0 &&
		    open_blas(opened, error) == 0) {
			*device = opened;
			return 0;
		}
	}
	close_device(opened);
	return -1;
}

static int open_graph(size_t index, const struct bench_open_options *options, struct bench_device **device,
		      struct bench_error *error)
{
	if (open_device(index, options, device, error))
		return -1;
	(*device)->graph.on = true;
	return 0;
}

/* For a call that may wait for the stream: all that came before is on its way. */
static int settle(struct bench_device *device, struct bench_error *error)
{
	int result = cuda_enter(device, error);
	if (result == 0)
		result = cuda_graph_flush(device, error);
	cuda_clock_open_gate(device);
	return result;
}

int cuda_finish(struct bench_device *device, struct bench_error *error)
{
	if (settle(device, error))
		return -1;
	return CUDA_CALL(cuStreamSynchronize, device->name, error, device->stream);
}

static int alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		 struct bench_error *error)
{
	*buffer = calloc(1, sizeof(**buffer));
	if (!*buffer)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a buffer");
	if (settle(device, error) == 0 &&
	    CUDA_CALL(cuMemAlloc_v2, device->name, error, &(*buffer)->address, bytes) == 0)
		return 0;
	free(*buffer);
	*buffer = NULL;
	return -1;
}

static void release(struct bench_device *device, struct bench_buffer *buffer)
{
	if (!buffer)
		return;
	settle(device, NULL);
	/* It may be of the product. */
	cuda_graph_drop(device);
	cuda.cuMemFree_v2(buffer->address);
	free(buffer);
}

/* On the stream, so that it comes after what was enqueued; then waits for it. */
static int upload(struct bench_device *device, struct bench_buffer *buffer, const void *host, size_t bytes,
		  struct bench_error *error)
{
	if (settle(device, error) || CUDA_CALL(cuMemcpyHtoDAsync_v2, device->name, error, buffer->address,
					       host, bytes, device->stream))
		return -1;
	return cuda_finish(device, error);
}

static int download(struct bench_device *device, const struct bench_buffer *buffer, void *host, size_t bytes,
		    struct bench_error *error)
{
	if (settle(device, error) || CUDA_CALL(cuMemcpyDtoHAsync_v2, device->name, error, host,
					       buffer->address, bytes, device->stream))
		return -1;
	return cuda_finish(device, error);
}

static int host_alloc(struct bench_device *device, size_t bytes, enum bench_host_memory kind, void **host,
		      struct bench_error *error)
{
	if (kind == BENCH_HOST_STAGED)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "cuda: no staged copies: the driver has its own for pageable memory");
	if (posix_memalign(host, 4096, bytes) != 0) {
		*host = NULL;
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory of %zu bytes", bytes);
	}
	if (kind == BENCH_HOST_PAGEABLE ||
	    (cuda_enter(device, error) == 0 &&
	     CUDA_CALL(cuMemHostRegister_v2, device->name, error, *host, bytes, 0) == 0))
		return 0;
	free(*host);
	*host = NULL;
	return -1;
}

static void host_free(struct bench_device *device, void *host)
{
	if (!host)
		return;
	/* The driver refuses memory that is not page-locked. */
	cuda_enter(device, NULL);
	cuda.cuMemHostUnregister(host);
	free(host);
}

#define BACKEND                                                                                              \
	.abi = BENCH_BACKEND_ABI, .devices = devices, .close = close_device, .alloc = alloc,                 \
	.release = release, .upload = upload, .download = download, .finish = cuda_finish,                   \
	.host_alloc = host_alloc, .host_free = host_free, .time_begin = cuda_time_begin,                     \
	.time_end = cuda_time_end, .gemm = cuda_gemm

const struct bench_backend cuda_backend = {
	BACKEND,
	.name = "cuda",
	.summary = "matrix products by cuBLAS, and CUDA kernels of yours, on NVIDIA GPUs",
	.open = open_device,
	.kernels = &cuda_kernels,
};

const struct bench_backend cuda_graph_backend = {
	BACKEND,
	.name = "cuda+graph",
	.summary = "as cuda, but a product that repeats is launched as a CUDA graph",
	.open = open_graph,
};
