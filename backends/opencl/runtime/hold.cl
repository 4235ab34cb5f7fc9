/* SPDX-License-Identifier: MIT */
/*
 * Keeps a device busy for `turns` multiplications, each of which waits for the one before. With 0 turns it is
 * a kernel that does nothing. It writes only if the compiler or the device cannot count: x approaches 2.
 */
__kernel void hold(__global float *out, uint turns)
{
	float x = 0.0f;
	for (uint i = 0; i < turns; i++)
		x = fma(x, 0.5f, 1.0f);
	if (x > 3.0f)
		out[0] = x;
}
