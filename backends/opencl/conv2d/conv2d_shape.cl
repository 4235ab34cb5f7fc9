/* SPDX-License-Identifier: MIT */
/*
 * The layout of a convolution's arrays and, for kernels that know them, its taps: what is taken apart by division is so
 * cheaply by constants alone, and with all of these every offset is one.
 */
#ifndef NHWC /* channels last, in all arrays that a kernel has as the problem does */
#define NHWC 0
#endif
#ifndef R /* rows and columns of the taps */
#define R 3
#endif
#ifndef S
#define S 3
#endif
#ifndef STRIDE /* how far windows are apart, and taps */
#define STRIDE 1
#endif
#ifndef DILATION
#define DILATION 1
#endif
