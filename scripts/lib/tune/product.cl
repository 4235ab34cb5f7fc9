/* SPDX-License-Identifier: MIT */
/* bench {
 "summary": "tiled product of matrices",
 "params": {"n": [256, 1024]},
 "presets": {"quick": ["n=256"], "full": ["n=1024"]},
 "tune": {"TX": [16, 4, 8, 32], "TY": [16, 4, 8, 32], "MX": [1, 2, 4], "MY": [1, 2, 4],
          "TK": [8, 4, 16], "V": [1, 2, 4], "APART": [0, 1]},
 "constraints": ["TX * TY >= 32", "TX * TY <= 256", "TX * MX <= 128", "TY * MY <= 128",
                 "(TX * MX + TY * MY) * TK <= 8192", "TX * MX % V == 0"],
 "options": "-DTX={TX} -DTY={TY} -DMX={MX} -DMY={MY} -DTK={TK} -DV={V} -DAPART={APART}",
 "args": [
  {"name": "n", "type": "int"},
  {"name": "a", "type": "float", "shape": ["n", "n"]},
  {"name": "b", "type": "float", "shape": ["n", "n"]},
  {"name": "c", "type": "float", "shape": ["n", "n"], "access": "out",
   "check": "sum(k, 0, n, a[i0, k] * b[k, i1])"}],
 "global": ["n / MX", "n / MY"], "local": ["TX", "TY"],
 "flops": "2 * n * n * n"
} */
/*
 * A group computes a tile of TY * MY rows and TX * MX columns, an item MY times MX elements of it: neighbors,
 * or APART by the group's size. Both factors go through local memory in slices of TK.
 */
#define ROWS    (TY * MY)
#define COLUMNS (TX * MX)
#if V == 4
#define COPY(to, from) vstore4(vload4(0, from), 0, to)
#elif V == 2
#define COPY(to, from) vstore2(vload2(0, from), 0, to)
#else
#define COPY(to, from) *(to) = *(from)
#endif
#define COLUMN(x) (APART ? lx + (x) * TX : lx * MX + (x))
#define ROW(y)    (APART ? ly + (y) * TY : ly * MY + (y))

kernel void product(const int n, global const float *a, global const float *b, global float *c)
{
	local float as[TK * ROWS], bs[TK * COLUMNS];
	const int lx = get_local_id(0), ly = get_local_id(1), item = ly * TX + lx;
	const int row = get_group_id(1) * ROWS, column = get_group_id(0) * COLUMNS;
	float sums[MY][MX];
	for (int y = 0; y < MY; y++)
		for (int x = 0; x < MX; x++)
			sums[y][x] = 0;
	for (int t = 0; t < n; t += TK) {
		for (int i = item; i < ROWS * TK; i += TX * TY)
			as[i % TK * ROWS + i / TK] = a[(row + i / TK) * n + t + i % TK];
		for (int i = item * V; i < TK * COLUMNS; i += TX * TY * V)
			COPY(bs + i, b + (t + i / COLUMNS) * n + column + i % COLUMNS);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TK; k++)
			for (int y = 0; y < MY; y++)
				for (int x = 0; x < MX; x++)
					sums[y][x] += as[k * ROWS + ROW(y)] * bs[k * COLUMNS + COLUMN(x)];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int y = 0; y < MY; y++)
		for (int x = 0; x < MX; x++)
			c[(row + ROW(y)) * n + column + COLUMN(x)] = sums[y][x];
}
