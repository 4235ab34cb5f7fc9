/* SPDX-License-Identifier: MIT */
/* What kernels begin with: the type of their elements, names made of parts, and double where there is it. */
#ifndef REAL
#define REAL float
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
