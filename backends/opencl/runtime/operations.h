/* The operations' hooks, each defined in the folder of its operation. */
#ifndef BENCH_OPENCL_OPERATIONS_H
#define BENCH_OPENCL_OPERATIONS_H

#include "bench/backend.h"

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, opencl)

#endif
