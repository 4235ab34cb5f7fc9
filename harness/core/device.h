/* Kinds of devices, as files and people name them. */
#ifndef BENCH_CORE_DEVICE_H
#define BENCH_CORE_DEVICE_H

#include <stdbool.h>

#include "bench/backend.h"

/* "cpu", "gpu" or "accelerator". */
const char *bench_device_kind_name(enum bench_device_kind kind);
/* Upper case is taken too; false where it is none of them. */
bool bench_device_kind_parse(const char *name, enum bench_device_kind *kind);

#endif
