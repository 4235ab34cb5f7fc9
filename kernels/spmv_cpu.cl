/*
 * Sparse matrix times vector on CPU devices: a work-item takes rows that follow each other,
 * one after another, as a thread would, so that the matrix is read from start to end.
 *
 * WIDTH rows that are equally long and short, as those of a stencil or a mesh are, are summed side by side, a
 * row to a lane. Their entries follow each other in memory: they are multiplied as they come, a vector at a
 * time, and the products then change places in registers. So the matrix is read by whole vectors, and what is
 * left of a row's cost is a few shuffles.
 *
 * Of the others, LANES == 1 sums a row term by term; more sum it in as many partial sums, which become the
 * lanes of a vector, and the rest term by term.
 */
#ifndef REAL
#define REAL float
#endif
#ifndef LANES /* 1, or a power of two */
#define LANES 1
#endif

#ifndef WIDTH /* elements of the device's vectors: 2, 4, 8 or 16 */
#define WIDTH 8
#endif
#ifndef INDEX /* an unsigned type as long as REAL */
#define INDEX uint
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define LONGEST 8 /* row that is summed in a lane: its products wait in as many registers */

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define VECTOR       PASTE(REAL, WIDTH)
#define LANE         PASTE(INDEX, WIDTH)
#define OFFSETS      PASTE(uint, WIDTH)
#if WIDTH == 16
#define LANE_NUMBERS (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#elif WIDTH == 8
#define LANE_NUMBERS (0, 1, 2, 3, 4, 5, 6, 7)
#elif WIDTH == 4
#define LANE_NUMBERS (0, 1, 2, 3)
#else
#define LANE_NUMBERS (0, 1)
#endif

/* Vectors in global memory, wherever they start. */
typedef VECTOR unaligned_vector __attribute__((aligned(sizeof(REAL))));
typedef OFFSETS unaligned_offsets __attribute__((aligned(sizeof(uint))));

static inline REAL sum_row(__global const uint *restrict columns, __global const REAL *restrict values,
			   __global const REAL *restrict x, uint k, uint end)
{
	REAL sum = 0;
#if LANES > 1
	if (end - k >= LANES) {
		REAL partial[LANES];
#pragma unroll
		for (uint lane = 0; lane < LANES; lane++)
			partial[lane] = 0;
		for (; end - k >= LANES; k += LANES)
#pragma unroll
			for (uint lane = 0; lane < LANES; lane++)
				partial[lane] += values[k + lane] * x[columns[k + lane]];
#pragma unroll
		for (uint lane = 0; lane < LANES; lane++)
			sum += partial[lane];
	}
#endif
	for (; k < end; k++)
		sum += values[k] * x[columns[k]];
	return sum;
}

/* Products of WIDTH entries. Columns are below 2^31, and as int they can be the indices of a gather. */
static inline VECTOR products(__global const uint *restrict columns, __global const REAL *restrict values,
			      __global const REAL *restrict x)
{
	union {
		VECTOR vector;
		REAL elements[WIDTH];
	} gathered;
#pragma unroll
	for (uint lane = 0; lane < WIDTH; lane++)
		gathered.elements[lane] = x[(int)columns[lane]];
	return *(__global const unaligned_vector *)values * gathered.vector;
}

/*
 * The sums of WIDTH rows of `length` entries each, which is known where this is called. Entry j of row i is
 * number i * length + j of them, and so in a known lane of a known product: every mask here is a constant.
 */
static inline __attribute__((always_inline)) VECTOR sum_even_rows(__global const uint *restrict columns,
								  __global const REAL *restrict values,
								  __global const REAL *restrict x,
								  const uint length)
{
	VECTOR product[LONGEST], sum = 0;
	const LANE lane = (LANE)LANE_NUMBERS;
#pragma unroll
	for (uint p = 0; p < length; p++)
		product[p] = products(columns + p * WIDTH, values + p * WIDTH, x);
#pragma unroll
	for (uint j = 0; j < length; j++) {
		const LANE number = lane * length + j, within = number % WIDTH;
		VECTOR own = shuffle(product[0], within);
#pragma unroll
		for (uint p = 1; p < length; p++)
			own = shuffle2(own, product[p], number / WIDTH == p ? within + WIDTH : lane);
		sum += own;
	}
	return sum;
}

#define EVEN_CASE(length)                                                                                    \
	case length:                                                                                         \
		sum = sum_even_rows(columns, values, x, length);                                             \
		break

/* WIDTH rows, if they are even and short enough; else nothing, and false. */
static inline bool multiply_even_rows(__global const uint *restrict offsets,
				      __global const uint *restrict columns,
				      __global const REAL *restrict values, __global const REAL *restrict x,
				      __global REAL *restrict y)
{
	const OFFSETS from = *(__global const unaligned_offsets *)offsets;
	const OFFSETS lengths = *(__global const unaligned_offsets *)(offsets + 1) - from;
	VECTOR sum;
	if (any(lengths != lengths.s0))
		return false;
	columns += from.s0;
	values += from.s0;
	switch (lengths.s0) {
		EVEN_CASE(1);
		EVEN_CASE(2);
		EVEN_CASE(3);
		EVEN_CASE(4);
		EVEN_CASE(5);
		EVEN_CASE(6);
		EVEN_CASE(7);
		EVEN_CASE(LONGEST);
	default:
		return false;
	}
	*(__global unaligned_vector *)y = sum;
	return true;
}

/* Rows are counted in size_t: in uint, PoCL 3.1 takes half as long again for some of the callers. */
static inline void multiply_rows(__global const uint *restrict offsets, __global const uint *restrict columns,
				 __global const REAL *restrict values, __global const REAL *restrict x,
				 __global REAL *restrict y, uint first, uint count)
{
	for (size_t row = first, end = (size_t)first + count; row < end;) {
		if (row + WIDTH <= end && multiply_even_rows(offsets + row, columns, values, x, y + row)) {
			row += WIDTH;
			continue;
		}
		/* Not one row and another look: where rows are uneven, looking must cost little. */
		for (size_t some = min(row + WIDTH, end); row < some; row++)
			y[row] = sum_row(columns, values, x, offsets[row], offsets[row + 1]);
	}
}

/* `span` rows to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_spans(__global const uint *restrict offsets, __global const uint *restrict columns,
	   __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	   uint rows, uint span)
{
	uint first = (uint)get_global_id(0) * span;
	multiply_rows(offsets, columns, values, x, y, first, min(span, rows - first));
}

/* A block to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_blocks(__global const uint *restrict offsets, __global const uint *restrict columns,
	    __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	    __global const uint *restrict blocks)
{
	uint block = (uint)get_global_id(0), first = blocks[block];
	multiply_rows(offsets, columns, values, x, y, first, blocks[block + 1] - first);
}
