/* SPDX-License-Identifier: MIT */
#include "bench/plugin.h"

#include "device.h"

static const struct bench_backend *const backends[] = {&cuda_backend, NULL};
BENCH_PLUGIN(NULL, backends);
