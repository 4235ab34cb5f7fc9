/* Copies between two devices of a platform. */
#ifndef BENCH_OPENCL_PEER_H
#define BENCH_OPENCL_PEER_H

#include "bench/backend.h"

extern const struct bench_peer_hooks bench_opencl_peer;

#endif
