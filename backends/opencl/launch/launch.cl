/* SPDX-License-Identifier: MIT */
/*
 * What a launch and a compilation cost. With STAMP: a kernel that writes this number, so that each number makes
 * another program, which no cache has before the number was used. Without: a kernel that does
 * nothing. They are different programs, since some drivers compile all kernels of one.
 */
#ifndef BUFFERS /* that `empty` takes: 0, 1, 2, 4, 8 or 16 */
#define BUFFERS 0
#endif

#ifdef STAMP
__kernel void stamp(__global ulong *out)
{
	out[0] = STAMP;
}
#else
/* BUFFERS buffers as parameters, with different names. */
#define TAKE_0(name) void
#define TAKE_1(name) __global uchar *name
#define TAKE_2(name) TAKE_1(name##0), TAKE_1(name##1)
#define TAKE_4(name) TAKE_2(name##0), TAKE_2(name##1)
#define TAKE_8(name) TAKE_4(name##0), TAKE_4(name##1)
#define TAKE_16(name) TAKE_8(name##0), TAKE_8(name##1)
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

__kernel void empty(PASTE(TAKE_, BUFFERS)(buffer))
{
}
#endif
