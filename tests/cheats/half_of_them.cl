/* SPDX-License-Identifier: MIT */
/* bench {"params": {"n": 4096}, "args": [{"name": "x", "type": "float", "shape": "n"},
 * {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "2 * x[i]"}],
 * "global": "n", "local": 64} */
kernel void half_of_them(global const float *x, global float *y)
{
	const size_t i = get_global_id(0);
	if (i < get_global_size(0) / 2)
		y[i] = 2 * x[i];
}
