/* SPDX-License-Identifier: MIT */
/* bench {"params": {"n": 4096}, "args": [{"name": "x", "type": "float", "shape": "n"},
 * {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "2 * x[i]"}],
 * "global": "n", "local": 64} */
kernel void writes_outside(global const float *x, global float *y)
{
	const size_t i = get_global_id(0);
	y[i] = 2 * x[i];
	y[i + 16] = 2 * x[i];
}
