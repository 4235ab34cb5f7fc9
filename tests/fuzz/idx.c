/* SPDX-License-Identifier: MIT */
/* IDX files, plain and compressed. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "suites/mnist/idx.h"

#define LIMIT ((size_t)1 << 20) /* elements */

void fuzz_idx(const uint8_t *data, size_t size)
{
	bool compressed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
	const char *path = fuzz_file(data, size);
	for (unsigned rank = 1; rank <= BENCH_IDX_DIMENSIONS; rank++) {
		struct bench_idx idx;
		struct bench_error error = {0};
		if (bench_idx_read(path, rank, LIMIT, &idx, &error) != 0) {
			FUZZ_CHECK(error.code == BENCH_ENVIRONMENT && *error.text && !idx.data);
			continue;
		}
		size_t bytes = 1, header = 4 + 4 * (size_t)rank;
		for (size_t i = 0; i < BENCH_IDX_DIMENSIONS; i++)
			bytes *= idx.dimensions[i];
		FUZZ_CHECK(idx.bytes == bytes && bytes >= 1 && bytes <= LIMIT);
		FUZZ_CHECK(compressed || (size == header + bytes && data[3] == rank &&
					  memcmp(data + header, idx.data, bytes) == 0));
		bench_idx_free(&idx);
	}
}
