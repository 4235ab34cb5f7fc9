/* SPDX-License-Identifier: MIT */
/* bench {
 "summary": "convolution of an image with 7 x 7 weights",
 "params": {"n": [512, 2048]},
 "presets": {"quick": ["n=512"], "full": ["n=2048"]},
 "tune": {"TX": [16, 8, 32, 64], "TY": [8, 1, 2, 4, 16], "PX": [1, 2, 4], "PY": [1, 2, 4],
          "CACHED": [0, 1], "UNROLL": [1, 7], "APART": [0, 1]},
 "constraints": ["TX * TY >= 16", "TX * TY <= 256", "TX * PX <= 128", "TY * PY <= 64",
                 "!CACHED || (TX * PX + 6) * (TY * PY + 6) <= 8192"],
 "options": "-DTX={TX} -DTY={TY} -DPX={PX} -DPY={PY} -DCACHED={CACHED} -DUNROLL={UNROLL} -DAPART={APART}",
 "args": [
  {"name": "n", "type": "int"},
  {"name": "x", "type": "float", "shape": ["n + 6", "n + 6"]},
  {"name": "w", "type": "float", "shape": ["7", "7"]},
  {"name": "y", "type": "float", "shape": ["n", "n"], "access": "out",
   "check": "sum(i, 0, 7, sum(j, 0, 7, w[i, j] * x[i0 + i, i1 + j]))"}],
 "global": ["n / PX", "n / PY"], "local": ["TX", "TY"],
 "flops": "98 * n * n"
} */
/*
 * A group computes a tile of TY * PY rows and TX * PX columns, an item PY times PX pixels of it: neighbors,
 * or APART by the group's size. The tile's input is CACHED in local memory, or read from global memory.
 */
#define WIDTH     (TX * PX + 6)
#define HEIGHT    (TY * PY + 6)
#define COLUMN(p) (APART ? lx + (p) * TX : lx * PX + (p))
#define ROW(p)    (APART ? ly + (p) * TY : ly * PY + (p))

kernel void convolution(const int n, global const float *x, constant float *w, global float *y)
{
	const int lx = get_local_id(0), ly = get_local_id(1);
	const int left = get_group_id(0) * TX * PX, top = get_group_id(1) * TY * PY;
#if CACHED
	local float tile[HEIGHT * WIDTH];
	for (int i = ly * TX + lx; i < HEIGHT * WIDTH; i += TX * TY)
		tile[i] = x[(top + i / WIDTH) * (n + 6) + left + i % WIDTH];
	barrier(CLK_LOCAL_MEM_FENCE);
#define INPUT(row, column) tile[(row)*WIDTH + (column)]
#else
#define INPUT(row, column) x[(top + (row)) * (n + 6) + left + (column)]
#endif
	float sums[PY][PX];
	for (int q = 0; q < PY; q++)
		for (int p = 0; p < PX; p++)
			sums[q][p] = 0;
	for (int i = 0; i < 7; i++)
#pragma unroll UNROLL
		for (int j = 0; j < 7; j++)
			for (int q = 0; q < PY; q++)
				for (int p = 0; p < PX; p++)
					sums[q][p] += w[i * 7 + j] * INPUT(ROW(q) + i, COLUMN(p) + j);
	for (int q = 0; q < PY; q++)
		for (int p = 0; p < PX; p++)
			y[(top + ROW(q)) * n + left + COLUMN(p)] = sums[q][p];
}
