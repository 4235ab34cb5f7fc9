/* SPDX-License-Identifier: MIT */
/*
 * Products by CUDA graph. A product that repeats is captured, GRAPH_PRODUCTS of it one after the other, and
 * as many calls become one launch. The calls that are left over are enqueued one by one when the host waits.
 */
#include <string.h>

#include "device.h"

enum { GRAPH_PRODUCTS = 16 };

static int capture(struct bench_device *device, struct bench_error *error)
{
	cuda_recording recording = NULL;
	if (CUDA_CALL(cuStreamBeginCapture_v2, device->name, error, device->stream, CUDA_CAPTURE_RELAXED))
		return -1;
	int result = 0;
	for (unsigned i = 0; i < GRAPH_PRODUCTS && result == 0; i++)
		result = cuda_gemm_multiply(device, &device->graph.product, error);
	/* Also after a failure: the stream must leave its mode. */
	if (CUDA_CALL(cuStreamEndCapture, device->name, result ? NULL : error, device->stream, &recording))
		result = -1;
	if (result == 0)
		result = CUDA_CALL(cuGraphInstantiateWithFlags, device->name, error, &device->graph.exec,
				   recording, 0);
	if (recording)
		cuda.cuGraphDestroy(recording);
	return result;
}

static int launch(struct bench_device *device, struct bench_error *error)
{
	device->graph.pending = 0;
	if (cuda_clock_start(device, error) ||
	    CUDA_CALL(cuGraphLaunch, device->name, error, device->graph.exec, device->stream))
		return -1;
	return cuda_clock_stop(device, error);
}

int cuda_graph_gemm(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	struct cuda_graph *graph = &device->graph;
	/* Copied with what lies between its members; a difference there would only capture again. */
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	if (memcmp(&graph->product, gemm, sizeof(*gemm)) != 0) {
		if (cuda_graph_flush(device, error))
			return -1;
		cuda_graph_drop(device);
		memcpy(&graph->product, gemm, sizeof(*gemm));
		/* The library loads the kernel now: it could not while it is captured. */
		return cuda_gemm_enqueue(device, gemm, error);
	}
	if (!graph->exec && capture(device, error))
		return -1;
	return ++graph->pending == GRAPH_PRODUCTS ? launch(device, error) : 0;
}

int cuda_graph_flush(struct bench_device *device, struct bench_error *error)
{
	unsigned pending = device->graph.pending;
	device->graph.pending = 0;
	for (unsigned i = 0; i < pending; i++)
		if (cuda_gemm_enqueue(device, &device->graph.product, error))
			return -1;
	return 0;
}

void cuda_graph_drop(struct bench_device *device)
{
	if (device->graph.exec)
		cuda.cuGraphExecDestroy(device->graph.exec);
	device->graph.exec = NULL;
	memset(&device->graph.product, 0, sizeof(device->graph.product));
}
