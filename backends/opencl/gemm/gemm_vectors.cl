/* SPDX-License-Identifier: MIT */
/*
 * Vectors of LANES elements in the global memory of a CPU: FETCH and KEEP are of what is computed with, GET_VECTOR and
 * PUT_VECTOR of what is stored (gemm_stored.cl).
 */
#ifndef LANES /* elements of a vector */
#define LANES 16
#endif
#include "gemm_stored.cl"

/*
 * Wherever they start. Not by vload, which PoCL puts together from four parts where it does not see that it need not.
 */
typedef VECTOR unaligned __attribute__((aligned(sizeof(REAL))));
#define FETCH(i, p) ((__global const unaligned *)(p))[i]
#define KEEP(value, i, p) ((__global unaligned *)(p))[i] = (value)

#include "prefetch.cl"

/* A vector as stored. */
#if HALF == 2
#define GET_VECTOR(i, p) WIDEN(LOAD(i, p))
#define PUT_VECTOR(value, i, p) STORE(round_all(value), i, p)
#elif HALF
#define GET_VECTOR(i, p) LOAD_HALVES(i, p)
#define PUT_VECTOR(value, i, p) PASTE(PASTE(vstore_half, LANES), _rte)(value, i, p)
#else
#define GET_VECTOR FETCH
#define PUT_VECTOR KEEP
#endif

/* Element j of v[i] and element i of v[j] change places: log2(LANES) times the two halves are interleaved. */
static inline void transpose(VECTOR v[LANES])
{
#pragma unroll
	for (uint distance = LANES; distance > 1; distance /= 2) {
		VECTOR mixed[LANES];
#pragma unroll
		for (uint i = 0; i < LANES / 2; i++) {
			mixed[2 * i].even = v[i].lo;
			mixed[2 * i].odd = v[i + LANES / 2].lo;
			mixed[2 * i + 1].even = v[i].hi;
			mixed[2 * i + 1].odd = v[i + LANES / 2].hi;
		}
#pragma unroll
		for (uint i = 0; i < LANES; i++)
			v[i] = mixed[i];
	}
}
