/* SPDX-License-Identifier: MIT */
/*
 * GEMM for CPU devices where C has few rows, or few columns. One operand is long, `length` by `steps`, and
 * memory or a cache bounds the time that it takes: it is read once, and where it is. The other one is thin,
 * `thin_rows` by `steps`. Rows and columns of C differ in their strides alone, since the transposed C is the
 * product of the transposed operands. Three kernels, by how the long operand is stored and how thin the other
 * one is:
 *
 *   thin_across  elements of one step are neighbors: lanes are of the length;
 *   thin_along   steps are neighbors: lanes are of the steps, and are added up at the end;
 *   thin_beside  steps are neighbors: lanes are of the thin side, one multiply-add for an element of the long operand.
 *
 * A work-item takes a range of the length, the same number of them for every product of a batch (dimension 1).
 */
#include "real.cl"
#ifndef WAY /* 0 thin_across, 1 thin_along, 2 thin_beside */
#define WAY 0
#endif
#ifndef ROWS /* of a tile: of the thin side (thin_across), or of the length */
#define ROWS 4
#endif
#ifndef COLUMNS /* of a tile: vectors of the length, thin rows, vectors of the thin side */
#define COLUMNS 1
#endif

#include "buffer.cl"
#include "gemm_vectors.cl"
#define END VECTOR
#define OWN_GELU 1
#include "gemm_end.cl"

#if BIAS
#define BIAS_AT(place) (bias + (place))
#define BIAS_STEP(step) (step)
#else
#define BIAS_AT(place) 0
#define BIAS_STEP(step) 0
#endif

#define UNROLL _Pragma("unroll") for

union lanes {
	VECTOR all;
	REAL lane[LANES];
};

/*
 * Lanes first.. (`end` exclusive) of alpha sum + beta C, ended, to every `step`th element from c on; of the bias
 * every `bias_step`th.
 */
static inline void put_lanes(__global STORED *restrict c, ulong step, VECTOR sum, REAL alpha, REAL beta,
			     __global const STORED *restrict bias, uint bias_step, uint first, uint end)
{
	if (step == 1 && first == 0 && end == LANES) {
		VECTOR value = alpha * sum, biases = 0;
		if (beta != 0)
			value += beta * GET_VECTOR(0, c);
#if BIAS
		if (bias_step)
			biases = GET_VECTOR(0, bias);
		else
			biases = GET(bias, 0);
#endif
		PUT_VECTOR(finish(value, biases), 0, c);
		return;
	}
	union lanes line; /* stored whole: what follows reads parts of it, and would wait for parts that are stored */
	VECTOR value = alpha * sum, biases = 0;
	if (beta != 0) {
		for (uint i = 0; i < LANES; i++)
			line.lane[i] = i >= first && i < end ? beta * GET(c, i * step) : 0;
		value += line.all;
	}
#if BIAS
	for (uint i = 0; i < LANES; i++)
		line.lane[i] = i >= first && i < end ? GET(bias, i * bias_step) : 0;
	biases = line.all;
#endif
	line.all = finish(value, biases);
	uint i = first;
	if (first == 0 && end == LANES)
		UNROLL (; i < LANES; i++)
			PUT(line.lane[i], c, i * step);
#if LANES > 4 && !HALF
	if (step == 1 && i + 8 <= end) {
		vstore8(vload8(0, line.lane + i), 0, c + i);
		i += 8;
	}
#endif
	for (; i < end; i++)
		PUT(line.lane[i], c, i * step);
}

/*
 * What a call is about, as struct problem of gemm_cpu_thin.c. `scratch` is of `scratch_size` elements for each of `parts`
 * ranges of the length of each product; the launch is of those from `part` on. The addresses are used with ADDRESSES alone.
 */
struct problem {
	ulong x_address, thin_address, c_address, scratch_address, bias_address;
	ulong x_step, stride_x, thin_row, thin_step, stride_thin, c_long, c_thin, stride_c, scratch_size;
	uint length, thin_rows, steps, block, part, parts, bias_long, bias_thin;
	REAL alpha, beta;
};

#if ADDRESSES
#define ARGUMENTS const struct problem p
#define POINTER(type, name) __global type *restrict name = (__global type *)p.name##_address
#elif BIAS
#define ARGUMENTS                                                                                               \
	const struct problem p, __global const STORED *x_given, __global const STORED *thin_given,               \
		__global STORED *c_given, __global REAL *scratch_given, __global const STORED *bias_given
#define POINTER(type, name) __global type *restrict name = name##_given
#else
#define ARGUMENTS                                                                                               \
	const struct problem p, __global const STORED *x_given, __global const STORED *thin_given,               \
		__global STORED *c_given, __global REAL *scratch_given
#define POINTER(type, name) __global type *restrict name = name##_given
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(1, 1, 1))) void

/* The pointers, moved to the product, and `first` and `end`: the work-item's range of `units` of the length. */
#define BEGIN(units)                                                                                            \
	const ulong part = p.part + get_global_id(0), product = get_global_id(1);                               \
	const uint first = (uint)((units)*part / p.parts), end = (uint)((units) * (part + 1) / p.parts);        \
	POINTER(const STORED, x);                                                                               \
	POINTER(const STORED, thin);                                                                            \
	POINTER(STORED, c);                                                                                     \
	POINTER(REAL, scratch);                                                                                 \
	x += product * p.stride_x;                                                                              \
	thin += product * p.stride_thin;                                                                        \
	c += product * p.stride_c;                                                                              \
	scratch += (product * p.parts + part) * p.scratch_size;                                                 \
	BEGIN_BIAS
#if BIAS
#define BEGIN_BIAS POINTER(const STORED, bias)
#else
#define BEGIN_BIAS
#endif

#if WAY == 0

/*
 * ROWS thin rows by `columns` vectors, `steps` steps: added to the sums in `kept`, unless it is the first block of steps,
 * and left there, unless it is the last one. The neighbors on the right, which come next, are fetched ahead.
 */
#define DEFINE_TILE(name, columns)									\
	static inline void name(__global const STORED *restrict x, ulong x_step,			\
				__global const STORED *restrict thin, ulong thin_row, ulong thin_step,	\
				uint steps, bool first, bool last, VECTOR out[COLUMNS][ROWS],		\
				__global REAL *restrict kept, ulong kept_step)				\
	{												\
		VECTOR sum[columns][ROWS];								\
		UNROLL (uint j = 0; j < columns; j++)							\
			UNROLL (uint i = 0; i < ROWS; i++)						\
				sum[j][i] = first ? (VECTOR)0 : FETCH(i, kept + j * kept_step);		\
		for (uint s = 0; s < steps; s++) {							\
			VECTOR xs[columns];								\
			UNROLL (uint j = 0; j < columns; j++) {						\
				xs[j] = GET_VECTOR(j, x);						\
				PREFETCH(x + (columns + j) * LANES);					\
			}										\
			UNROLL (uint i = 0; i < ROWS; i++) {						\
				const VECTOR t = GET(thin, i * thin_row);				\
				UNROLL (uint j = 0; j < columns; j++)					\
					sum[j][i] += t * xs[j];						\
			}										\
			x += x_step;									\
			thin += thin_step;								\
		}											\
		UNROLL (uint j = 0; j < columns; j++)							\
			UNROLL (uint i = 0; i < ROWS; i++)						\
				if (last)								\
					out[j][i] = sum[j][i];						\
				else									\
					KEEP(sum[j][i], i, kept + j * kept_step);			\
	}
DEFINE_TILE(multiply_tile, COLUMNS)
#define HALF_COLUMNS ((COLUMNS + 1) / 2)
DEFINE_TILE(multiply_half, HALF_COLUMNS)
DEFINE_TILE(multiply_last, 1)

/*
 * Steps go in blocks: of a block the rows of the long operand are read side by side from left to right, as many
 * as the processor follows and the first-level cache holds. The last vector moves in so that it is whole, and
 * so does the last tile of thin rows. Both have separate sums, and write only the elements that no other
 * writes.
 */
KERNEL thin_across(ARGUMENTS)
{
	const uint units = (p.length + LANES - 1) / LANES, tiles = (p.thin_rows + ROWS - 1) / ROWS;
	const ulong kept_step = (ulong)tiles * ROWS * LANES; /* sums of a vector of the p.length */
	BEGIN(units);
	for (uint s = 0; s < p.steps; s += p.block) {
		const uint count = min(p.block, p.steps - s);
		const bool last = s + count == p.steps;
		for (uint v = first, across; v < end; v += across) {
			const uint left = min(end, p.length / LANES) - min(v, p.length / LANES); /* whole ones */
			const uint own = v * LANES, column = min(own, p.length - LANES);
			across = left >= COLUMNS ? COLUMNS : left >= HALF_COLUMNS ? HALF_COLUMNS : 1;
			for (uint tile = 0; tile < tiles; tile++) {
				const uint own_row = tile * ROWS, row = min(own_row, p.thin_rows - ROWS);
				__global REAL *kept = scratch + (v - first) * kept_step + own_row * LANES;
				__global const STORED *from = x + s * p.x_step + column;
				__global const STORED *by = thin + s * p.thin_step + row * p.thin_row;
				/* Not the array that is summed in: a loop that writes it would keep it in memory. */
				VECTOR sum[COLUMNS][ROWS];
				if (across == COLUMNS)
					multiply_tile(from, p.x_step, by, p.thin_row, p.thin_step, count, s == 0, last,
						      sum, kept, kept_step);
				else if (across == HALF_COLUMNS)
					multiply_half(from, p.x_step, by, p.thin_row, p.thin_step, count, s == 0, last,
						      sum, kept, kept_step);
				else
					multiply_last(from, p.x_step, by, p.thin_row, p.thin_step, count, s == 0, last,
						      sum, kept, kept_step);
				for (uint j = 0; last && j < across; j++)
					for (uint i = 0; i < ROWS; i++)
						if (row + i >= own_row)
							put_lanes(c + (row + i) * p.c_thin +
									  (ulong)(column + j * LANES) * p.c_long,
								  p.c_long, sum[j][i], p.alpha, p.beta,
								  BIAS_AT((row + i) * p.bias_thin +
									  (column + j * LANES) * p.bias_long),
								  BIAS_STEP(p.bias_long), own - column, LANES);
			}
		}
	}
}

#elif WAY == 1

static inline REAL add_lanes(VECTOR v)
{
	union lanes line = {.all = v};
#pragma unroll
	for (uint distance = LANES / 2; distance > 0; distance /= 2)
#pragma unroll
		for (uint i = 0; i < distance; i++)
			line.lane[i] += line.lane[i + distance];
	return line.lane[0];
}

/*
 * ROWS of the length by COLUMNS thin rows, at least LANES steps. The thin operand is copied, so that its steps
 * are neighbors. The last steps of a row are a vector that moves in; its lanes that are already in the sum are
 * cleared.
 */
KERNEL thin_along(ARGUMENTS)
{
	const uint units = (p.length + ROWS - 1) / ROWS, vectors = (p.steps + LANES - 1) / LANES;
	const uint last = p.steps - LANES, done = (vectors - 1) * LANES - last;
	BEGIN(units);
	union lanes numbers;
	for (uint i = 0; i < LANES; i++)
		numbers.lane[i] = i;
	for (uint i = 0; i < p.thin_rows; i++) {
		__global REAL *to = scratch + (ulong)i * vectors * LANES;
		for (uint s = 0; s < last + done; s++)
			to[s] = GET(thin, i * p.thin_row + s * p.thin_step);
		for (uint s = 0; s < LANES; s++)
			to[last + done + s] = GET(thin, i * p.thin_row + (last + s) * p.thin_step);
	}
	for (uint unit = first; unit < end; unit++) {
		const uint own = unit * ROWS, place = min(own, p.length - ROWS);
		for (uint own_row = 0; own_row < p.thin_rows; own_row += COLUMNS) {
			const uint row = min(own_row, p.thin_rows - COLUMNS);
			__global const STORED *from = x + place * p.x_step;
			__global const REAL *by = scratch + (ulong)row * vectors * LANES;
			VECTOR sum[COLUMNS][ROWS];
			UNROLL (uint i = 0; i < COLUMNS; i++)
				UNROLL (uint j = 0; j < ROWS; j++)
					sum[i][j] = 0;
			for (uint v = 0; v < p.steps / LANES; v++, from += LANES, by += LANES)
				UNROLL (uint j = 0; j < ROWS; j++)
					UNROLL (uint i = 0; i < COLUMNS; i++)
						sum[i][j] += FETCH(i * vectors, by) * GET_VECTOR(0, from + j * p.x_step);
			if (done)
				UNROLL (uint j = 0; j < ROWS; j++) {
					VECTOR xs = GET_VECTOR(0, x + (place + j) * p.x_step + last);
					xs = isless(numbers.all, (VECTOR)done) ? (VECTOR)0 : xs;
					UNROLL (uint i = 0; i < COLUMNS; i++)
						sum[i][j] += FETCH(i * vectors, by) * xs;
				}
			union lanes line[COLUMNS];
			UNROLL (uint i = 0; i < COLUMNS; i++)
				UNROLL (uint j = 0; j < ROWS; j++)
					line[i].lane[j] = add_lanes(sum[i][j]);
			for (uint i = 0; i < COLUMNS; i++) {
				if (row + i >= own_row)
					put_lanes(c + (row + i) * p.c_thin + place * p.c_long, p.c_long, line[i].all,
						  p.alpha, p.beta, BIAS_AT((row + i) * p.bias_thin + place * p.bias_long),
						  BIAS_STEP(p.bias_long), own - place, ROWS);
			}
		}
	}
}

#else

/* Steps that share what it takes to know where the rows are. */
#define TOGETHER 4
#define ADD_STEP(step)											\
	UNROLL (uint row = 0; row < ROWS; row++) {							\
		const VECTOR xs = GET(from, row * p.x_step + (step));					\
		UNROLL (uint j = 0; j < COLUMNS; j++)							\
			sum[row][j] += xs * FETCH(j, scratch + (ulong)(step) * COLUMNS * LANES);	\
	}

/* ROWS of the length by COLUMNS vectors of the thin side, of which there is a copy, step by step and padded with zeros. */
KERNEL thin_beside(ARGUMENTS)
{
	const uint units = (p.length + ROWS - 1) / ROWS;
	BEGIN(units);
	for (uint s = 0; s < p.steps; s++) {
		__global REAL *to = scratch + (ulong)s * COLUMNS * LANES;
		UNROLL (uint j = 0; j < COLUMNS; j++)
			KEEP((VECTOR)0, j, to);
		for (uint i = 0; i < p.thin_rows; i++)
			to[i] = GET(thin, i * p.thin_row + s * p.thin_step);
	}
	for (uint unit = first; unit < end; unit++) {
		const uint own = unit * ROWS, place = min(own, p.length - ROWS);
		__global const STORED *from = x + place * p.x_step;
		VECTOR sum[ROWS][COLUMNS];
		UNROLL (uint i = 0; i < ROWS; i++)
			UNROLL (uint j = 0; j < COLUMNS; j++)
				sum[i][j] = 0;
		uint s = 0;
		for (; s + TOGETHER <= p.steps; s += TOGETHER)
			UNROLL (uint i = 0; i < TOGETHER; i++)
				ADD_STEP(s + i);
		for (; s < p.steps; s++)
			ADD_STEP(s);
		VECTOR out[ROWS][COLUMNS];
		UNROLL (uint i = 0; i < ROWS; i++)
			UNROLL (uint j = 0; j < COLUMNS; j++)
				out[i][j] = sum[i][j];
		for (uint i = (uint)(own - place); i < ROWS; i++)
			for (uint j = 0; j < COLUMNS; j++)
				put_lanes(c + (place + i) * p.c_long + j * LANES * p.c_thin, p.c_thin, out[i][j], p.alpha, p.beta,
					  BIAS_AT((place + i) * p.bias_long + j * LANES * p.bias_thin), BIAS_STEP(p.bias_thin),
					  0, min((uint)LANES, p.thin_rows - j * LANES));
	}
}

#endif
