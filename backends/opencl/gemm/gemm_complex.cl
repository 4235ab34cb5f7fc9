/* SPDX-License-Identifier: MIT */
/*
 * C = alpha op(A) op(B) + beta C of complex numbers, as pairs of floats. A group computes a tile of
 * SIDE x SIDE elements, one per work-item, from tiles of A and B in local memory. Groups go through the
 * columns of C, then its rows, then the batch.
 */
#ifndef SIDE
#define SIDE 16
#endif

__kernel __attribute__((reqd_work_group_size(SIDE *SIDE, 1, 1))) void
gemm_complex(__global const float2 *a, ulong a_row, ulong a_step, ulong stride_a, __global const float2 *b,
	     ulong b_step, ulong b_column, ulong stride_b, __global float2 *c, ulong ldc, ulong stride_c, uint m,
	     uint n, uint k, float alpha, float beta)
{
	__local float2 tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
	const uint x = get_local_id(0) % SIDE, y = get_local_id(0) / SIDE;
	const uint across = (n + SIDE - 1) / SIDE, down = (m + SIDE - 1) / SIDE;
	const uint column = get_group_id(0) % across * SIDE + x;
	const uint row = get_group_id(0) / across % down * SIDE + y;
	const ulong product = get_group_id(0) / across / down;
	float2 sum = 0;
	a += product * stride_a;
	b += product * stride_b;
	c += product * stride_c;
	for (uint step = 0; step < k; step += SIDE) {
		tile_a[y][x] = row < m && step + x < k ? a[row * a_row + (step + x) * a_step] : (float2)0;
		tile_b[y][x] = step + y < k && column < n ? b[(step + y) * b_step + column * b_column]
							  : (float2)0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < SIDE; i++) {
			const float2 u = tile_a[y][i], v = tile_b[i][x];
			sum.x = fma(u.x, v.x, fma(-u.y, v.y, sum.x));
			sum.y = fma(u.x, v.y, fma(u.y, v.x, sum.y));
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (row < m && column < n) {
		__global float2 *to = c + row * ldc + column;
		*to = alpha * sum + (beta == 0 ? (float2)0 : beta * *to);
	}
}
