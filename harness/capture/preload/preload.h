/* SPDX-License-Identifier: MIT */
/*
 * What is loaded into a captured program: blas.c stands in front of the BLAS and CLBlast that the program is
 * linked to, opencl.c is a layer of OpenCL's loader. Each call is passed on as it came, and counted. Nothing
 * here prints, allocates by the call but for launches, or ends the program.
 */
#ifndef BENCH_CAPTURE_PRELOAD_H
#define BENCH_CAPTURE_PRELOAD_H

#include "capture/calls.h"

/* NULL: this process is not captured. */
extern struct bench_capture *preload_memory;

/* The product that this thread is in, whose launches are its time; NULL: none. */
extern __thread struct bench_capture_count *preload_product;

#endif
