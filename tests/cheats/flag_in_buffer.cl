/* SPDX-License-Identifier: MIT */
/* bench {"params": {"n": 4096}, "args": [{"name": "x", "type": "float", "shape": "n"},
 * {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "2 * x[i]"},
 * {"name": "done", "type": "int", "shape": "n", "access": "inout", "fill": 0, "check": 1}],
 * "global": "n", "local": 64} */
kernel void flag_in_buffer(global const float *x, global float *y, global int *done)
{
	const size_t i = get_global_id(0);
	if (done[i])
		return;
	y[i] = 2 * x[i];
	done[i] = 1;
}
