/* Kinds of devices, as files and people name them. */
#ifndef BENCH_CORE_DEVICE_H
#define BENCH_CORE_DEVICE_H

#include <stdbool.h>

#include "bench/backend.h"

#define BENCH_DEVICE_KINDS (BENCH_DEVICE_ACCELERATOR + 1)

extern const char *const bench_device_kind_names[BENCH_DEVICE_KINDS]; /* "cpu", "gpu", "accelerator" */

/* Upper case is taken too; false where it is none of them. */
bool bench_device_kind_parse(const char *name, enum bench_device_kind *kind);

#endif
