/* SPDX-License-Identifier: MIT */
/*
 * The library that is loaded into a captured program. blas.c defines the functions of BLAS and CLBlast that
 * the program calls; opencl.c is a layer of OpenCL's loader. Each call is passed on unchanged, and counted.
 * The library prints nothing and never ends the program, unless a function that the program calls does not
 * exist.
 */
#ifndef BENCH_CAPTURE_PRELOAD_H
#define BENCH_CAPTURE_PRELOAD_H

#include "capture/calls.h"

/* NULL: this process is not captured. */
extern struct bench_capture *preload_memory;

/* The product that this thread is in, whose launches are its time; NULL: none. */
extern __thread struct bench_capture_count *preload_product;

#endif
