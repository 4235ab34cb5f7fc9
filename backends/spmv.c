#include "backends/spmv.h"

#include <stdint.h>

static int check_blocks(const char *backend, const struct bench_spmv *spmv, struct bench_error *error)
{
	size_t entries = spmv->block_entries;
	if (entries < 1 || entries > BENCH_SPMV_BLOCK_MAX || spmv->block_count < 1 ||
	    spmv->block_count > spmv->rows + spmv->entries / entries ||
	    spmv->split_count > spmv->entries / entries)
		return bench_fail(
			error, BENCH_USAGE,
			"%s: spmv: %zu blocks of up to %zu entries, with %zu rows in parts, are none "
			"of a matrix of %zu rows and %zu entries",
			backend, spmv->block_count, entries, spmv->split_count, spmv->rows, spmv->entries);
	return 0;
}

int bench_spmv_check(const char *backend, const struct bench_spmv *spmv, const struct bench_spmv_bytes *bytes,
		     struct bench_error *error)
{
	const size_t most = INT32_MAX, real = bench_dtype_bytes(spmv->dtype), word = sizeof(uint32_t);
	bool adaptive = spmv->kernel == BENCH_SPMV_ADAPTIVE;
	if (!bench_dtype_is_plain(spmv->dtype))
		return bench_fail(error, BENCH_UNSUPPORTED, "%s: no spmv in f16, bf16 or tf32", backend);
	if (spmv->rows < 1 || spmv->rows > most || spmv->cols < 1 || spmv->cols > most ||
	    spmv->entries > most)
		return bench_fail(error, BENCH_USAGE,
				  "%s: spmv: %zu rows, %zu columns and %zu entries: each is at most %zu, and "
				  "the first two "
				  "at least 1",
				  backend, spmv->rows, spmv->cols, spmv->entries, most);
	if (spmv->x == spmv->y)
		return bench_fail(error, BENCH_USAGE, "%s: spmv: x and y are one buffer", backend);
	if (adaptive && check_blocks(backend, spmv, error))
		return -1;
	const struct {
		const char *name;
		size_t need, have;
	} buffers[] = {
		{"offsets", (spmv->rows + 1) * word, bytes->offsets},
		{"columns", spmv->entries * word, bytes->columns},
		{"values", spmv->entries * real, bytes->values},
		{"x", spmv->cols * real, bytes->x},
		{"y", spmv->rows * real, bytes->y},
		{"blocks", adaptive ? (spmv->block_count + 1) * sizeof(struct bench_spmv_place) : 0,
		 bytes->blocks},
		{"splits", adaptive ? spmv->split_count * word : 0, bytes->splits},
	};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		if (buffers[i].need > buffers[i].have)
			return bench_fail(error, BENCH_USAGE,
					  "%s: spmv: %zu bytes do not fit %s, a buffer of %zu bytes", backend,
					  buffers[i].need, buffers[i].name, buffers[i].have);
	return 0;
}
