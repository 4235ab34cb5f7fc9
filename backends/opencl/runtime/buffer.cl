/* SPDX-License-Identifier: MIT */
/*
 * A kernel's buffer, as an argument or (ADDRESSES) as the number of its first byte: runtime/arguments.c says why.
 * TAKES stands among the parameters, OPEN at the start of the kernel.
 */
#ifndef ADDRESSES
#define ADDRESSES 0
#endif
#if ADDRESSES
#define TAKES(pointer, name) ulong name##_address
#define OPEN(pointer, name) __global pointer name = (__global pointer)name##_address
#else
#define TAKES(pointer, name) __global pointer name
#define OPEN(pointer, name)
#endif

#ifdef ADDRESS_OF
/* The number itself. */
__kernel void address_of(__global const void *buffer, __global ulong *address)
{
	address[0] = (ulong)buffer;
}
#endif
