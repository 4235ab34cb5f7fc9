/* SPDX-License-Identifier: MIT */
/*
 * GEMM in f16, bf16 and tf32 on NVIDIA's tensor cores (compute capability 8.0 and later), sums in float, and in f64
 * (9.0): the instructions mma.sync, ldmatrix and cp.async of PTX, written into OpenCL C.
 *
 * A group computes a tile of C of TILE_M x TILE_N. Each of its warps computes WARP_M x WARP_N, in fragments of
 * 16 x 8 that stay in registers. With WARPS_K that many warps compute the same part, each of other steps, and
 * add up their sums at the end: small products have few tiles, and are done sooner so. The operands come
 * TILE_K steps at a time into a ring of STAGES buffers in local memory, by copies that run while earlier
 * stages are multiplied. They are copied as stored; ldmatrix transposes where needed. It cannot do that for
 * tf32, and knows no f64, whose elements are then read one by one. Local memory has lines of chunks of 16
 * bytes. A chunk is at its index XOR the number of its line, so that the eight lines of one ldmatrix are in
 * different banks. What is read by elements takes XOR twice that number: a warp reads eight neighbors from
 * each of four lines (f64: half a warp four), which are then in different banks.
 *
 * Where strides are no multiples of 16 bytes, elements are copied one by one. No copy of 2 bytes runs beside
 * other work: the chunks that hold 16 bytes of short elements (chunk.cl) come in to registers while a round is
 * multiplied, and go to local memory at its end. Elements outside of the matrices are read as zero.
 * gemm_tiles.cl has the order of tiles, and how several groups share one.
 *
 * Sources: NVIDIA, PTX ISA, "Matrix multiply-accumulate operation using mma instruction", "ldmatrix" and
 * "cp.async"; for the order of copies and barriers, and for warps that share out k, the same firm's CUTLASS
 * documentation.
 */
#include "gemm_warps.cl"
#ifndef TILE_K /* a multiple of 64 bytes */
#define TILE_K 32
#endif
#ifndef ALIGNED /* rows lie at multiples of 16 bytes */
#define ALIGNED 1
#endif
#include "buffer.cl"
#include "gemm_end.cl"
#include "gemm_tensor.cl"
#include "gemm_write.cl"
#include "gemm_tiles.cl"

#include "mma.cl"
/* By elements, what ldmatrix cannot turn. */
#define SINGLY_A (TYPE == 4 || (TRANS_A && TYPE == 3))
#define SINGLY_B (TYPE == 4 || (!TRANS_B && TYPE == 3))
#define HELD (!ALIGNED && BYTES == 2) /* on the way to local memory, in registers */
#define UNIT (ALIGNED || HELD ? 16 : BYTES) /* bytes that are copied at once */
#define BLOCKS_M (WARP_M / 16) /* fragments of a warp */
#define BLOCKS_N (WARP_N / 8)

/* Lines of an operand in local memory, and chunks in one. */
#if TRANS_A
#define LINES_A TILE_K
#define ACROSS_A (TILE_M / CHUNK)
#else
#define LINES_A TILE_M
#define ACROSS_A (TILE_K / CHUNK)
#endif
#if TRANS_B
#define LINES_B TILE_N
#define ACROSS_B (TILE_K / CHUNK)
#else
#define LINES_B TILE_K
#define ACROSS_B (TILE_N / CHUNK)
#endif
#define BYTES_A (TILE_M * TILE_K * BYTES)
#define BYTES_B (TILE_N * TILE_K * BYTES)
#define STAGE (BYTES_A + BYTES_B)

/* A work-item's units of an operand: all in one column of units, at a distance of APART lines. */
#define UNITS_A (ACROSS_A * 16 / UNIT)
#define UNITS_B (ACROSS_B * 16 / UNIT)
#define APART_A (ITEMS / UNITS_A)
#define APART_B (ITEMS / UNITS_B)
#define COPIES_A (LINES_A / APART_A)
#define COPIES_B (LINES_B / APART_B)
/*
 * Is C written by way of local memory? Small tiles are few, and done sooner without, and in f64 two neighbors are 16
 * bytes anyway.
 */
#define BY_LOCAL (!ALIGNED || (TYPE < 4 && TILE_M > 32))
#define SLICE (TILE_K / STEPS / WARPS_K) /* instructions of a warp in a round, for each of its fragments */
#if SLICE < 2 || SLICE % 2
#error "the two sets of fragments take an even number of steps a round"
#endif

/* The XOR of a line. Lines of four chunks lie two to a row of banks. */
static inline uint turn_of(uint line, uint across, bool singly)
{
	return singly ? 2 * line & 6 : across >= 8 ? line & 7 : (line >> 1) & 3;
}
/* Where an element stands, in bytes; at: its place in the line. */
static inline uint place(uint line, uint at, uint across, bool singly)
{
	return (line * across + (at / CHUNK ^ turn_of(line, across, singly))) * 16 + at % CHUNK * BYTES;
}
#define PLACE_A(line, at) place(line, at, ACROSS_A, SINGLY_A)
#define PLACE_B(line, at) place(line, at, ACROSS_B, SINGLY_B)
/*
 * Of copy v of a work-item, whose first one goes to `to`. It is v * apart lines on. These bits are 0 in the
 * number of its first line, so that the XOR of both lines is that of `to` XOR that of the distance.
 */
static inline uint place_on(uint to, uint lines_on, uint across, bool singly)
{
	return (to ^ turn_of(lines_on, across, singly) * 16) + lines_on * across * 16;
}

#if HELD
#include "chunk.cl"
static inline void put_unit(uint to, uint4 unit)
{
	__asm__ volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(unit.x), "r"(unit.y), "r"(unit.z),
			 "r"(unit.w)
			 : "memory");
}
#elif ALIGNED
/* Here and below: `elements` of a unit, 0 or less: none; zeros for the others. */
static inline void copy_unit(uint to, __global const ELEMENT *from, int elements)
{
	copy_chunk(to, from, elements < 0 ? 0 : min(CHUNK, elements));
}
#else
static inline void copy_unit(uint to, __global const ELEMENT *from, int elements)
{
	__asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES),
			 "r"(elements > 0 ? BYTES : 0));
}
#endif

static inline void load_turned(uint r[4], uint from)
{
	__asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
			 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
			 : "r"(from));
}

#if TYPE == 4
#define LOAD_ELEMENT "ld.shared.f64"
#else
#define LOAD_ELEMENT "ld.shared.b32"
#endif
static inline FRAGMENT load_element(uint from)
{
	FRAGMENT value;
	__asm__ volatile(LOAD_ELEMENT " %0, [%1];" : "=" IN_REGISTER(value) : "r"(from));
	return value;
}

/* A fragment of 16 rows and STEPS steps of op(A): row and step are its first, in the tile. */
static inline void load_a(FRAGMENT r[4], uint tile, uint row, uint step, uint lane)
{
#if SINGLY_A
#pragma unroll
	for (uint e = 0; e < 4; e++) {
		const uint i = row + lane / 4 + e % 2 * 8, s = step + lane % 4 + e / 2 * 4;
		r[e] = load_element(tile + (TRANS_A ? PLACE_A(s, i) : PLACE_A(i, s)));
	}
#elif TRANS_A
	load_turned(r, tile + PLACE_A(step + (lane & 7) + (lane >> 4) * 8, row + (lane >> 3 & 1) * CHUNK));
#else
	load_fragments(r, tile + PLACE_A(row + (lane & 15), step + (lane >> 4) * CHUNK));
#endif
}

/* Two fragments of STEPS steps and 8 columns of op(B), side by side. */
static inline void load_b(FRAGMENT r[4], uint tile, uint column, uint step, uint lane)
{
#if SINGLY_B
#pragma unroll
	for (uint e = 0; e < 4; e++) {
		const uint j = column + lane / 4 + e / 2 * 8, s = step + lane % 4 + e % 2 * 4;
		r[e] = load_element(tile + (TRANS_B ? PLACE_B(j, s) : PLACE_B(s, j)));
	}
#elif TRANS_B
	load_fragments(r, tile + PLACE_B(column + (lane & 7) + (lane >> 4) * 8, step + (lane >> 3 & 1) * CHUNK));
#else
	load_turned(r, tile + PLACE_B(step + (lane & 15), column + (lane >> 4) * CHUNK));
#endif
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_mma(OPERANDS(ELEMENT))
{
	OPEN_OPERANDS(ELEMENT);
	__local uchar stages[STAGES * STAGE] __attribute__((aligned(128)));
	const uint first = (uint)(ulong)stages;
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint warp = item / 32 % (WARPS_M * WARPS_N), slice = item / SUM_ITEMS;
	const uint my_row = warp / WARPS_N * WARP_M, my_column = warp % WARPS_N * WARP_N;

	FIND_PART();

	/* This item's units: where they come from, and their place in a stage. */
	const uint line_a = item / UNITS_A, unit_a = item % UNITS_A * (UNIT / BYTES);
	const uint line_b = item / UNITS_B, unit_b = item % UNITS_B * (UNIT / BYTES);
	const uint to_a = first + PLACE_A(line_a, unit_a);
	const uint to_b = first + BYTES_A + PLACE_B(line_b, unit_b);
#if TRANS_A
	const ulong step_a = TILE_K * lda;
	__global const ELEMENT *from_a = a + line_a * lda + row + unit_a;
#else
	const ulong step_a = TILE_K;
	__global const ELEMENT *from_a = a + (row + line_a) * lda + unit_a;
#endif
#if TRANS_B
	const ulong step_b = TILE_K;
	__global const ELEMENT *from_b = b + (column + line_b) * ldb + unit_b;
#else
	const ulong step_b = TILE_K * ldb;
	__global const ELEMENT *from_b = b + line_b * ldb + column + unit_b;
#endif

	REAL sum[BLOCKS_M][BLOCKS_N][4];
#pragma unroll
	for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
		for (uint j = 0; j < BLOCKS_N; j++)
#pragma unroll
			for (uint e = 0; e < 4; e++)
				sum[i][j][e] = 0;

	/* For each unit of a work-item: the copy, which can ask how many `elements` there are. */
#define EACH(v, count, apart, lines, columns, copy)                                                                  \
	_Pragma("unroll") for (uint v = 0; v < (count); v++)                                                         \
	{                                                                                                            \
		const int elements = EXACT ? UNIT / BYTES : (int)(v * (apart)) < (lines) ? (columns) : 0;            \
		copy;                                                                                                \
	}
#define EACH_UNIT(round, copy_a, copy_b)                                                                             \
	{                                                                                                            \
		const int left = (int)(k - (round) * TILE_K);                                                        \
		const int lines_a = (TRANS_A ? left : (int)(m - row)) - (int)line_a;                                 \
		const int columns_a = (TRANS_A ? (int)(m - row) : left) - (int)unit_a;                               \
		const int lines_b = (TRANS_B ? (int)(n - column) : left) - (int)line_b;                              \
		const int columns_b = (TRANS_B ? left : (int)(n - column)) - (int)unit_b;                            \
		EACH(v, COPIES_A, APART_A, lines_a, columns_a, copy_a)                                               \
		EACH(v, COPIES_B, APART_B, lines_b, columns_b, copy_b)                                               \
	}
#if HELD
	/* Of all units of an item, and in all rounds: they are multiples of 16 bytes apart. */
	const uint skip_a = (uint)(ulong)from_a & 15, skip_b = (uint)(ulong)from_b & 15;
	struct chunks held_a[COPIES_A], held_b[COPIES_B];
#define BRING_A(stage)                                                                                               \
	held_a[v] = read_chunks((__global const uint4 *)((ulong)(from_a + v * APART_A * lda) - skip_a), skip_a,      \
				BYTES * elements)
#define BRING_B(stage)                                                                                               \
	held_b[v] = read_chunks((__global const uint4 *)((ulong)(from_b + v * APART_B * ldb) - skip_b), skip_b,      \
				BYTES * elements)
#define LEAVE_A(stage)                                                                                               \
	put_unit(place_on(to_a + (stage) * STAGE, v * APART_A, ACROSS_A, SINGLY_A),                                  \
		 join_chunks(held_a[v], skip_a, BYTES * elements))
#define LEAVE_B(stage)                                                                                               \
	put_unit(place_on(to_b + (stage) * STAGE, v * APART_B, ACROSS_B, SINGLY_B),                                  \
		 join_chunks(held_b[v], skip_b, BYTES * elements))
	/* What was brought of a round, into its stage. */
#define LEAVE(round, stage)                                                                                          \
	do {                                                                                                         \
		if ((round) < rounds)                                                                                \
			EACH_UNIT(round, LEAVE_A(stage), LEAVE_B(stage))                                             \
	} while (0)
#else
#define BRING_A(stage)                                                                                               \
	copy_unit(place_on(to_a + (stage) * STAGE, v * APART_A, ACROSS_A, SINGLY_A),                                 \
		  elements > 0 ? from_a + v * APART_A * lda : a, elements)
#define BRING_B(stage)                                                                                               \
	copy_unit(place_on(to_b + (stage) * STAGE, v * APART_B, ACROSS_B, SINGLY_B),                                 \
		  elements > 0 ? from_b + v * APART_B * ldb : b, elements)
#define LEAVE(round, stage)
#endif

	/* Brings a round's operands into a stage, if there is such a round; a group of copies in any case. */
#define BRING(round, stage)                                                                                          \
	do {                                                                                                         \
		if ((round) < rounds) {                                                                              \
			EACH_UNIT(round, BRING_A(stage), BRING_B(stage))                                             \
			from_a += step_a;                                                                            \
			from_b += step_b;                                                                            \
		}                                                                                                    \
		if (!HELD)                                                                                           \
			__asm__ volatile("cp.async.commit_group;");                                                  \
	} while (0)

	/* Until the oldest of the copies in flight is there, for all warps. */
#define WAIT()                                                                                                       \
	do {                                                                                                         \
		if (!HELD)                                                                                           \
			__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");                    \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
	} while (0)

	/* Fragments of STEPS steps, in two sets: one comes in while the other is multiplied. */
	FRAGMENT x[2][BLOCKS_M][4], y[2][BLOCKS_N / 2][4];
#define LOAD_FRAGMENTS(set, stage, number)                                                                           \
	do {                                                                                                         \
		const uint step = (slice * SLICE + (number)) * STEPS;                                                \
		_Pragma("unroll") for (uint i = 0; i < BLOCKS_M; i++)                                                \
			load_a(x[set][i], first + (stage) * STAGE, my_row + i * 16, step, lane);                     \
		_Pragma("unroll") for (uint j = 0; j < BLOCKS_N / 2; j++)                                            \
			load_b(y[set][j], first + (stage) * STAGE + BYTES_A, my_column + j * 16, step, lane);        \
	} while (0)

	for (uint round = 0; round < STAGES - 1; round++) {
		BRING(round, round);
		LEAVE(round, round);
	}
	WAIT();
	uint reading = 0, writing = STAGES - 1;
	LOAD_FRAGMENTS(0, 0, 0);
	for (uint round = 0; round < rounds; round++) {
#pragma unroll
		for (uint s = 0; s < SLICE; s++) {
			if (s == SLICE - 1) {
				LEAVE(round + STAGES - 1, writing);
				writing = writing == STAGES - 1 ? 0 : writing + 1;
				WAIT();
				reading = reading == STAGES - 1 ? 0 : reading + 1;
			}
			/* Those of the next STEPS steps; after the last round, of what nobody uses. */
			LOAD_FRAGMENTS((s + 1) % 2, reading, (s + 1) % SLICE);
			/* Into the stage that all warps have left, as they came to the barrier. */
			if (s == 0)
				BRING(round + STAGES - 1, writing);
#pragma unroll
			for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
				for (uint j = 0; j < BLOCKS_N; j++)
					multiply(sum[i][j], x[s % 2][i], y[s % 2][j / 2][j % 2 * 2],
						 y[s % 2][j / 2][j % 2 * 2 + 1]);
		}
	}

#if WARPS_K == 1 && BY_LOCAL
	barrier(CLK_LOCAL_MEM_FENCE); /* where the operands were, sums go through */
#elif WARPS_K > 1
	ADD_SLICES(sum, BLOCKS_M * BLOCKS_N * 4, stages, slice, item, SUM_ITEMS);
#endif

#if SPLIT
	__local uint last;
	__global FOUR *own = (__global FOUR *)parts + (ulong)get_group_id(0) * PART_FOURS + item;
	if (slice == 0)
		LEAVE_SUMS(own, sum, BLOCKS_M * BLOCKS_N * 4, SUM_ITEMS);
	LAST_GOES_ON(arrived + number, splits, item, last);
	if (slice > 0)
		return;
	JOIN_SUMS(own, part, sum, BLOCKS_M * BLOCKS_N * 4, SUM_ITEMS);
#else
	if (slice > 0)
		return;
#endif

#if !BY_LOCAL
#pragma unroll
	for (uint j = 0; j < BLOCKS_N; j++) {
		const uint to_column = column + my_column + j * 8 + lane % 4 * 2;
		const TWO ends = BIAS_AT(to_column);
#pragma unroll
		for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
			for (uint e = 0; e < 4; e += 2) {
				const uint to_row = row + my_row + i * 16 + e * 4 + lane / 4;
				if (EXACT || to_row < m)
					write(c + to_row * ldc, sum[i][j][e], sum[i][j][e + 1], alpha, beta, ends,
					      to_column, n);
			}
	}
#else
	/* As many rows of a warp at a time as there is room for, behind the sums of other slices. */
#define PITCH (WARP_N + 8)
#define ROOM (STAGES * STAGE / (int)sizeof(REAL) - (WARPS_K - 1) * TILE_M * TILE_N)
#define TOGETHER (ROOM / (WARPS_M * WARPS_N) >= WARP_M * PITCH ? WARP_M / 8 : 1)
	__local REAL *space = (__local REAL *)stages + (WARPS_K - 1) * TILE_M * TILE_N + warp * (TOGETHER * 8 * PITCH);
#pragma unroll
	for (uint first_i = 0; first_i < WARP_M / 8; first_i += TOGETHER) {
#pragma unroll
		for (uint i = first_i; i < first_i + TOGETHER; i++)
#pragma unroll
			for (uint j = 0; j < BLOCKS_N; j++)
				*(__local TWO *)(space + ((i - first_i) * 8 + lane / 4) * PITCH + j * 8 + lane % 4 * 2) =
					(TWO)(sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]);
		__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#pragma unroll
		for (uint i = first_i; i < first_i + TOGETHER; i++)
			write_sums(c, ldc, space + (i - first_i) * 8 * PITCH, PITCH, WARP_N, lane, row + my_row + i * 8, 1, m,
				   column + my_column, n, alpha, beta, BIAS_OF);
		__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	}
#endif
}
