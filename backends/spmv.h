/* What every backend looks at before it multiplies a sparse matrix. */
#ifndef BACKENDS_SPMV_H
#define BACKENDS_SPMV_H

#include "bench/backend.h"

/* The lengths of the buffers, which each backend knows of its own. */
struct bench_spmv_bytes {
	size_t offsets, columns, values, x, y, blocks, splits; /* 0 where there is none */
};

/*
 * Do the sizes hold to bench/spmv.h and fit the buffers? BENCH_USAGE with what does not;
 * BENCH_UNSUPPORTED for f16, bf16 and tf32. `backend` is the name that the text shows.
 */
int bench_spmv_check(const char *backend, const struct bench_spmv *spmv, const struct bench_spmv_bytes *bytes,
		     struct bench_error *error);

#endif
