/* SPDX-License-Identifier: MIT */
#include "bench/plugin.h"

#include "device.h"

static const struct bench_backend *const backends[] = {&cuda_backend, &cuda_graph_backend, NULL};
BENCH_PLUGIN(NULL, backends);
