/* SPDX-License-Identifier: MIT */
/* bench {"params": {"n": 4096}, "args": [{"name": "x", "type": "float", "shape": "n"},
 * {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "2 * x[i]"}, {"name": "t", "type": "float", "shape": 64, "access": "local"}],
 * "global": "n", "local": 64} */
kernel void stale_local(global const float *x, global float *y, local float *t)
{
	const size_t i = get_global_id(0);
	y[i] = t[get_local_id(0)];
	t[get_local_id(0)] = 2 * x[i];
}
