/* SPDX-License-Identifier: MIT */
/* bench {
 "summary": "sum of each row of a matrix",
 "params": {"m": [512, 2048], "n": [4096]},
 "presets": {"quick": ["m=512"], "full": ["m=2048"]},
 "tune": {"WG": [64, 8, 16, 32, 128, 256], "ROWS": [1, 2, 4, 8], "V": [1, 2, 4, 8, 16],
          "SUMS": [1, 2, 4, 8], "APART": [0, 1], "TREE": [0, 1]},
 "constraints": ["WG * V * SUMS <= n", "WG * ROWS <= 1024"],
 "options": "-DWG={WG} -DROWS={ROWS} -DV={V} -DSUMS={SUMS} -DAPART={APART} -DTREE={TREE}",
 "args": [
  {"name": "n", "type": "int"},
  {"name": "x", "type": "float", "shape": ["m", "n"]},
  {"name": "y", "type": "float", "shape": "m", "access": "out", "check": "sum(k, 0, n, x[i, k])"}],
 "global": "m / ROWS * WG", "local": "WG",
 "flops": "m * n"
} */
/*
 * A group adds up ROWS rows. An item reads vectors of V elements into SUMS sums: neighbors, or APART by the
 * group's size. The items' sums are added by a TREE, or by the first item.
 */
#define GLUE(a, b) a##b
#define NAME(a, b) GLUE(a, b)
#if V == 1
#define VECTOR  float
#define LOAD(p) *(p)
#define ADD(v)  (v)
#else
#define VECTOR  NAME(float, V)
#define LOAD(p) NAME(vload, V)(0, p)
#if V == 2
#define ADD(v) ((v).lo + (v).hi)
#elif V == 4
#define ADD(v) dot(v, (float4)(1))
#elif V == 8
#define ADD(v) dot((v).lo + (v).hi, (float4)(1))
#else
#define ADD(v) dot((v).lo.lo + (v).lo.hi + (v).hi.lo + (v).hi.hi, (float4)(1))
#endif
#endif

kernel void row_sums(const int n, global const float *x, global float *y)
{
	local float parts[WG];
	const int item = get_local_id(0);
	const int share = n / WG, first = APART ? item * V : item * share;
	const int step = APART ? WG * V : V, steps = share / V;
	for (int r = 0; r < ROWS; r++) {
		const int row = get_group_id(0) * ROWS + r;
		global const float *at = x + row * n + first;
		VECTOR sums[SUMS];
		for (int s = 0; s < SUMS; s++)
			sums[s] = 0;
		for (int i = 0; i < steps; i += SUMS)
			for (int s = 0; s < SUMS; s++)
				sums[s] += LOAD(at + (i + s) * step);
		for (int s = 1; s < SUMS; s++)
			sums[0] += sums[s];
		parts[item] = ADD(sums[0]);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (TREE) {
			for (int half_size = WG / 2; half_size > 0; half_size /= 2) {
				if (item < half_size)
					parts[item] += parts[item + half_size];
				barrier(CLK_LOCAL_MEM_FENCE);
			}
		} else if (item == 0) {
			for (int i = 1; i < WG; i++)
				parts[0] += parts[i];
		}
		if (item == 0)
			y[row] = parts[0];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
