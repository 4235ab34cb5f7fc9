/* SPDX-License-Identifier: MIT */
/*
 * GEMM in f16, bf16 and tf32 on the tensor cores of NVIDIA's Hopper, sums in float: wgmma, fed by the tensor memory
 * accelerator (TMA), in PTX written into OpenCL C.
 *
 * A group stays on its compute unit and computes one tile of C after another. One of its warpgroups of 128
 * work-items only copies. A single work-item of it asks the TMA for boxes of A and B, 128 bytes of k at a time,
 * or of the other dimension for a transposed operand. The boxes go into a ring of STAGES buffers in local
 * memory. The copies run ahead into the next tile while this one ends. WARPGROUPS others multiply. Together
 * they compute TILE_M x TILE_N; with PINGPONG each computes another tile, and one multiplies while the other
 * writes. Barriers in local memory (mbarrier) say which buffers are full and which are empty. The copying
 * warpgroup gives registers up, which the others take.
 *
 * A buffer is in the layout that wgmma calls swizzle by 128 bytes: blocks of lines of 128 bytes, in which chunk c of
 * 16 bytes of line l stands at c XOR (l mod 8). A line is 64 steps of a row or column, or, of what is stored
 * transposed, 64 rows or columns of a step. Of tf32 a line is 32 steps: wgmma takes nothing else, and what is stored
 * otherwise must be turned before (gemm_copy.cl).
 *
 * A, B and C have maps (gemm_map.cl), which know their edges: zeros are read beyond them. Where the rows of C
 * are multiples of 16 bytes, the result passes through local memory, 16 rows of 128 bytes per warp at a time,
 * and the map cuts it off at the edges. Elsewhere it is written from registers.
 *
 * Lines marked //sm_90a: runtime/retarget.h. The order of tiles, and sharing one: gemm_tiles.cl.
 *
 * Sources: NVIDIA, PTX ISA, "Asynchronous warpgroup level matrix instructions" (layouts, descriptors, and the
 * registers of D), "mbarrier", "cp.async.bulk.tensor", "setmaxnreg"; for the division of work, the same firm's CUTLASS
 * documentation, "Efficient GEMM in CUDA" (warp specialization, persistent and ping-pong kernels).
 */
#ifndef STAGES
#define STAGES 4
#endif
#ifndef TILE_M /* a multiple of 64 for each of the warpgroups that share a tile */
#define TILE_M 128
#endif
#ifndef TILE_N /* 64, 128 or 256 */
#define TILE_N 256
#endif
#ifndef PINGPONG /* 1: tiles are not shared by warpgroups, of which there are two */
#define PINGPONG 0
#endif
#ifndef WARPGROUPS /* that multiply */
#define WARPGROUPS 2
#endif
#ifndef FIT /* 2: the rows of C are whole 16 bytes; else they lie anywhere */
#define FIT 2
#endif
#define ITEMS (128 * (1 + WARPGROUPS))
#include "buffer.cl"
#include "gemm_end.cl"
#include "gemm_tensor.cl"
#include "gemm_tiles.cl"

/* Registers of a work-item at first, and then of those that copy and that multiply. */
#ifndef REGISTERS
#define REGISTERS 168
#endif
#ifndef REGISTERS_COPY
#define REGISTERS_COPY 40
#endif
#ifndef REGISTERS_MULTIPLY
#define REGISTERS_MULTIPLY 232
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#define LINE 128 /* bytes */
#define LINE_ELEMENTS (LINE / BYTES)
#define TILE_K LINE_ELEMENTS
#define BYTES_A (TILE_M * LINE)
#define BYTES_B (TILE_N * LINE)
#define STAGE (BYTES_A + BYTES_B)
#define BLOCK (TILE_K * LINE) /* 64 rows or columns of all steps, stored by steps */
#define SHARE (PINGPONG ? 1 : WARPGROUPS) /* warpgroups on a tile */
#define BLOCKS (TILE_M / 64 / SHARE) /* of 64 rows, of a warpgroup */
#define APART_A (TRANS_A ? BLOCK : 64 * LINE) /* from one of these to the next */
#define OUT (16 * LINE)   /* what a warp writes at a time */
#define OUTS 2            /* such buffers of a warp */
#define OUT_SUMS (SUMS * LINE / (TILE_N * BYTES)) /* of a work-item, in one of them */
#define MAP_BYTES 128
#include "wgmma.cl"

/* A barrier in local memory, for `count` arrivals. */
INLINE void make_gate(uint gate, uint count)
{
	__asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gate), "r"(count) : "memory");
}

/* Arrives if `who` is not 0, without a branch: wgmma wants all of a warp together. */
INLINE void arrive(uint gate, uint who)
{
	__asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
			 "@p mbarrier.arrive.shared::cta.b64 _, [%0];\n}" ::"r"(gate),
			 "r"(who)
			 : "memory");
}

/* Until the barrier's phase of this parity is over; that before the first, of parity 1, is. */
INLINE void await(uint gate, uint parity)
{
	__asm__ volatile("{ .reg .pred over;\nagain:\n"
			 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
			 "@!over bra again;\n}" ::"r"(gate),
			 "r"(parity)
			 : "memory");
}

/* Copies a box that begins at x, y of matrix z into local memory; the barrier counts its bytes. */
INLINE void fetch(uint to, __global const uchar *map, uint x, uint y, uint z, uint gate)
{
	__asm__ volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
			 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
			 "l"(map), "r"(x), "r"(y), "r"(z), "r"(gate)
			 : "memory");
}

/* And one out of it. */
INLINE void send(__global const uchar *map, uint x, uint y, uint z, uint from)
{
	__asm__ volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
			 "r"(x), "r"(y), "r"(z), "r"(from)
			 : "memory");
	__asm__ volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* A kernel wrote the map: what is known of an earlier one there does not hold. */
INLINE void read_map(__global const uchar *map)
{
	__asm__ volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/* The same number in all of a warp, and known to be. */
INLINE uint uniform(uint x)
{
	uint y;
	__asm__ volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=r"(y) : "r"(x));
	return y;
}

INLINE void join_warp(void)
{
	__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

/* The work-items of the warpgroups on a tile. */
INLINE void join_team(uint team)
{
	__asm__ volatile("bar.sync %0, %1;" ::"r"(1 + team), "n"(128 * SHARE) : "memory");
}

/* A place in the ring, and the parity of its phase. */
struct place {
	uint stage, parity;
};

INLINE struct place next_place(struct place place)
{
	const struct place next = {place.stage == STAGES - 1 ? 0 : place.stage + 1,
				   place.parity ^ (place.stage == STAGES - 1)};
	return next;
}

/*
 * What C is to hold, in place of the sums: alpha sum + beta C, and the end of it. c: the matrix; row, column: of the
 * first sum.
 */
INLINE void end_sums(float sum[SUMS], __global const ELEMENT *restrict c, ulong ldc, uint row, uint column, uint m,
			    uint n, float alpha, float beta, __global const ELEMENT *restrict bias)
{
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		sum[i] *= alpha;
	if (beta != 0) {
#pragma unroll
		for (uint i = 0; i < SUMS; i++) {
			const uint at_row = row + i % 4 / 2 * 8, at_column = column + i / 4 * 8 + i % 2;
			if (at_row < m && at_column < n)
				sum[i] += beta * GET(c, at_row * ldc + at_column);
		}
	}
#if BIAS || ACTIVATION
#pragma unroll
	for (uint i = 0; i < SUMS; i += 2) {
		const float2 ends = BIAS_AT(column + i / 4 * 8);
		sum[i] = finish(sum[i], ends.x);
		sum[i + 1] = finish(sum[i + 1], ends.y);
	}
#endif
}

#if TYPE == 3
/* Puts 16 rows of 128 bytes in local memory, swizzled: two neighbors of a row at a time. */
INLINE void put_rows(uint to, const float sum[OUT_SUMS], uint lane)
{
#pragma unroll
	for (uint i = 0; i < OUT_SUMS; i += 4) {
		const uint line = lane / 4, chunk = i / 2 + lane % 4 / 2;
		const uint at = to + line * LINE + (chunk ^ line) * 16 + lane % 2 * 8;
		__asm__ volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(sum[i]), "f"(sum[i + 1]) : "memory");
		__asm__ volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at + 8 * LINE), "f"(sum[i + 2]), "f"(sum[i + 3])
				 : "memory");
	}
}
#else
INLINE uint pack(float x, float y)
{
	uint both;
#if TYPE == 2
	__asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
#else
	__asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
#endif
	return both;
}

/* Puts 16 rows of 128 bytes in local memory, swizzled: 8 x 8 elements at a time, four times. */
INLINE void put_rows(uint to, const float sum[OUT_SUMS], uint lane)
{
#pragma unroll
	for (uint i = 0; i < OUT_SUMS; i += 8) {
		const uint line = lane % 16, chunk = i / 4 + lane / 16;
		__asm__ volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
					 to + line * LINE + (chunk ^ line % 8) * 16),
				 "r"(pack(sum[i], sum[i + 1])), "r"(pack(sum[i + 2], sum[i + 3])),
				 "r"(pack(sum[i + 4], sum[i + 5])), "r"(pack(sum[i + 6], sum[i + 7]))
				 : "memory");
	}
}
#endif

#if FIT != 2
#include "chunk.cl"
#if BYTES == 4
#define WORD uint
#else
#define WORD ushort
#endif

INLINE uint4 get_chunk(uint from, uint line, uint chunk)
{
	uint4 value;
	__asm__ volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
			 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
			 : "r"(from + line * LINE + (chunk ^ line % 8) * 16));
	return value;
}

/*
 * Writes what put_rows has put: chunks that start at multiples of 16 bytes in C, and by elements what is before the first
 * and after the last of these in a row. As the sums lie, two of each of 8 rows, they would be parts of as many sectors.
 * c: the first element; rows, columns: of the matrix from there on.
 */
INLINE void write_rows(__global ELEMENT *restrict c, ulong ldc, uint from, int rows, int columns, uint lane)
{
	const uint end = BYTES * (uint)clamp(columns, 0, LINE_ELEMENTS);
#pragma unroll
	for (uint v = 0; v < 4; v++) {
		const uint line = v * 4 + lane / 8, chunk = lane % 8;
		__global uchar *to = (__global uchar *)(c + line * ldc);
		const uint skip = -(uint)(ulong)to & 15, at = skip + chunk * 16;
		const struct chunks chunks = {get_chunk(from, line, chunk), get_chunk(from, line, (chunk + 1) % 8)};
		if ((int)line < rows && at + 16 <= end)
			*(__global uint4 *)(to + at) = join_chunks(chunks, skip, 16);
	}
	/* Around the chunks of a full row are 16 bytes, and up to 30 around those of one that the matrix cuts off. */
	const uint around = end < LINE ? 32 : 16;
	for (uint v = lane; v < 16 * (around / BYTES); v += 32) {
		const uint line = v % 16, e = v / 16 * BYTES;
		__global uchar *to = (__global uchar *)(c + line * ldc);
		const uint skip = -(uint)(ulong)to & 15, whole = end > skip ? (end - skip) & ~15u : 0;
		const uint at = e < skip ? e : whole + e, place = from + line * LINE + (at / 16 ^ line % 8) * 16 + at % 16;
		uint both;
		if ((int)line >= rows || at >= end)
			continue;
		__asm__ volatile("ld.shared.b32 %0, [%1];" : "=r"(both) : "r"(place & ~3u));
		*(__global WORD *)(to + at) = (WORD)(place & 2 ? both >> 16 : both);
	}
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_tma(TAKES(const uchar *restrict, maps), uint number_a, uint number_b, uint number_c,
	 TAKES(const ELEMENT *restrict, a), TAKES(const ELEMENT *restrict, b), TAKES(ELEMENT *restrict, c), ulong ldc,
	 ulong stride_c, uint batch, uint batch_a, uint batch_b, uint m, uint n, uint k, float alpha, float beta TAKES_PARTS TAKES_BIAS(ELEMENT))
{
	OPEN(const uchar *restrict, maps);
	OPEN(const ELEMENT *restrict, a);
	OPEN(const ELEMENT *restrict, b);
	OPEN(ELEMENT *restrict, c);
	OPEN_PARTS;
	OPEN_BIAS(ELEMENT);
	__local uchar stages[STAGES * STAGE + 4 * WARPGROUPS * OUTS * OUT] __attribute__((aligned(1024)));
	__local ulong gates[2 * STAGES + 2];
	const uint first = (uint)(ulong)stages;
	const uint full = (uint)(ulong)gates, empty = full + 8 * STAGES, turns = empty + 8 * STAGES;
	__global const uchar *map_a = maps + number_a * MAP_BYTES, *map_b = maps + number_b * MAP_BYTES;
	const uint item = (uint)get_local_id(0), lane = item % 32, warp = uniform(item / 32);
	const uint tiles = (m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N) * batch;
	const uint rounds_of_k = (k + TILE_K - 1) / TILE_K;
	const uint start = (uint)get_group_id(0), step = (uint)get_num_groups(0);
#if SPLIT
	__local uint last[SHARE == 1 ? WARPGROUPS : 1];
#endif

	__asm__ volatile("//sm_90a entry .maxnreg " TEXT(REGISTERS) "\n");
	if (item == 0) {
		for (uint s = 0; s < STAGES; s++) {
			make_gate(full + 8 * s, 1);
			make_gate(empty + 8 * s, 4 * SHARE);
		}
		make_gate(turns, 4);
		make_gate(turns + 8, 4);
		__asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		__asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	if (warp < 4) {
		__asm__ volatile("//sm_90a setmaxnreg.dec.sync.aligned.u32 " TEXT(REGISTERS_COPY) ";");
		if (item == 0) {
			struct place place = {0, 1};
			read_map(map_a);
			read_map(map_b);
#pragma unroll 1
			for (uint unit = start; unit < tiles * PARTS; unit += step) {
				const struct tile tile = find_tile(unit / PARTS, m, n);
				const uint of_a = min(tile.product, batch_a - 1), of_b = min(tile.product, batch_b - 1);
				const uint begin = FIRST_ROUND(unit % PARTS), end = begin + ROUNDS(unit % PARTS, rounds_of_k);
#pragma unroll 1
				for (uint round = begin; round < end; round++) {
					const uint gate = full + 8 * place.stage, s = round * TILE_K;
					const uint to_a = first + place.stage * STAGE, to_b = to_a + BYTES_A;
					await(empty + 8 * place.stage, place.parity);
					__asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gate),
							 "n"(STAGE)
							 : "memory");
#if TRANS_A
#pragma unroll
					for (uint i = 0; i < BYTES_A / BLOCK; i++)
						fetch(to_a + i * BLOCK, map_a, tile.row + i * LINE_ELEMENTS, s, of_a, gate);
#else
					fetch(to_a, map_a, s, tile.row, of_a, gate);
#endif
#if TRANS_B
					fetch(to_b, map_b, s, tile.column, of_b, gate);
#else
#pragma unroll
					for (uint i = 0; i < BYTES_B / BLOCK; i++)
						fetch(to_b + i * BLOCK, map_b, tile.column + i * LINE_ELEMENTS, s, of_b, gate);
#endif
					place = next_place(place);
				}
			}
		}
	} else {
		__asm__ volatile("//sm_90a setmaxnreg.inc.sync.aligned.u32 " TEXT(REGISTERS_MULTIPLY) ";");
		const uint warpgroup = warp / 4 - 1;                /* of those that multiply */
		const uint part_of_tile = PINGPONG ? 0 : warpgroup; /* which rows of the tile */
		const uint team = PINGPONG ? warpgroup : 0;
		struct place place = {0, 0};
		const uint outs = first + STAGES * STAGE + (warp - 4) * OUTS * OUT;
		uint out = 0;
#if FIT == 2
		__global const uchar *map_c = maps + number_c * MAP_BYTES;
		if (lane == 0)
			read_map(map_c);
#endif
#if PINGPONG
		uint before = 0; /* rounds of the tiles before, and how many these were */
		uint number = 0;
#endif
#pragma unroll 1
		for (uint unit = start; unit < tiles * PARTS; unit += step) {
			const uint rounds = ROUNDS(unit % PARTS, rounds_of_k);
#if PINGPONG
			const uint mine = number++ % 2 == warpgroup, at = before;
			before += rounds;
			if (!mine)
				continue;
			place.stage = at % STAGES;
			place.parity = at / STAGES & 1;
			/* The other warpgroup has nothing more to give to the tensor cores. */
			if (number > 1)
				await(turns + 8 * warpgroup, (number - 2) / 2 & 1);
#endif
			const struct tile tile = find_tile(unit / PARTS, m, n);
			const uint row = tile.row + part_of_tile * BLOCKS * 64 + warp % 4 * 16;
			float sum[BLOCKS][SUMS];
#pragma unroll
			for (uint i = 0; i < BLOCKS; i++)
#pragma unroll
				for (uint j = 0; j < SUMS; j++)
					sum[i][j] = 0;
			uint read = place.stage; /* the stage of the round before */
			uint round = 0;
			join_warp();
			/*
			 * There is one round at least, and rounds are not unrolled: with a way around the loop on which the sums are
			 * zeros, wgmma would be waited for in every round.
			 */
#pragma unroll 1
			do {
				const uint from_a = first + place.stage * STAGE + part_of_tile * BLOCKS * APART_A;
				const uint from_b = first + place.stage * STAGE + BYTES_A;
				await(full + 8 * place.stage, place.parity);
#pragma unroll
				for (uint i = 0; i < BLOCKS; i++)
					touch(sum[i]);
				__asm__ volatile("//sm_90a wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
				for (uint s = 0; s < TILE_K; s += STEPS)
#pragma unroll
					for (uint i = 0; i < BLOCKS; i++)
						multiply(sum[i], describe(from_a + i * APART_A + (TRANS_A ? s * LINE : s * BYTES)),
							 describe(from_b + (TRANS_B ? s * BYTES : s * LINE)));
				__asm__ volatile("//sm_90a wgmma.commit_group.sync.aligned;" ::: "memory");
				__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 1;" ::: "memory");
				arrive(empty + 8 * read, round > 0 && lane == 0);
				read = place.stage;
				place = next_place(place);
			} while (++round < rounds);
#if PINGPONG
			arrive(turns + 8 * (1 - warpgroup), lane == 0);
#endif
			__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
			for (uint i = 0; i < BLOCKS; i++)
				touch(sum[i]);
			arrive(empty + 8 * read, lane == 0);

#if SPLIT
			const uint member = item - 128 - team * 128, apart = 128 * SHARE;
			__global FOUR *own = (__global FOUR *)parts + (ulong)unit * PART_FOURS + member;
			LEAVE_SUMS(own, sum, BLOCKS * SUMS, apart);
			DEVICE_FENCE();
			join_team(team);
			if (member == 0)
				last[team] = atomic_inc(arrived + unit / PARTS) == splits - 1;
			join_team(team);
			if (!*(volatile __local uint *)(last + team))
				continue;
			DEVICE_FENCE();
			if (member == 0)
				arrived[unit / PARTS] = 0;
			JOIN_SUMS(own, unit % PARTS, sum, BLOCKS * SUMS, apart);
#endif

			__global ELEMENT *to = c + tile.product * stride_c;
#pragma unroll
			for (uint i = 0; i < BLOCKS; i++) {
				const uint my_row = row + i * 64 + lane / 4, my_column = tile.column + lane % 4 * 2;
				end_sums(sum[i], to, ldc, my_row, my_column, m, n, alpha, beta, BIAS_OF);
#pragma unroll
				for (uint j = 0; j < SUMS / OUT_SUMS; j++) {
					const uint from = outs + out * OUT, at_row = row + i * 64, at_column = tile.column + j * LINE_ELEMENTS;
					out = out == OUTS - 1 ? 0 : out + 1;
#if FIT == 2
					/* What was sent from this buffer before was read by now. */
					if (lane == 0)
						__asm__ volatile("cp.async.bulk.wait_group.read %0;" ::"n"(OUTS - 1) : "memory");
					join_warp();
					put_rows(from, sum[i] + j * OUT_SUMS, lane);
					__asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
					join_warp();
					if (lane == 0)
						send(map_c, at_column, at_row, tile.product, from);
#else
					/* All have read this buffer: they have come together at the other one since. */
					put_rows(from, sum[i] + j * OUT_SUMS, lane);
					join_warp();
					write_rows(to + at_row * ldc + at_column, ldc, from, (int)(m - at_row),
						   (int)(n - at_column), lane);
#endif
				}
			}
		}
#if FIT == 2
		if (lane == 0)
			__asm__ volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
	}
}
