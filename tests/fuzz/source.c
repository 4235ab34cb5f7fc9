/* SPDX-License-Identifier: MIT */
/* Kernel files with their includes: a.cl, and b.cl behind a byte of 0. */
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/source.h"
#include "fuzz.h"

void fuzz_source(const uint8_t *data, size_t size)
{
	static bool made;
	char *source;
	struct bench_error error = {0};
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t length = end ? (size_t)(end - data) : size;
	if (!made) {
		fuzz_make_folder(fuzz_path("kernels"));
		setenv("BENCH_KERNELS", fuzz_path("kernels"), 1);
	}
	made = true;
	fuzz_write(fuzz_path("kernels/a.cl"), data, length);
	fuzz_write(fuzz_path("kernels/b.cl"), end ? end + 1 : data, end ? size - length - 1 : 0);
	if (bench_opencl_source("a.cl", &source, &error) == 0) {
		FUZZ_CHECK(strncmp(source, "#line 1 \"a.cl\"\n", 15) == 0);
		FUZZ_CHECK(!strstr(source, "\n#include \""));
		free(source);
	} else {
		FUZZ_CHECK(*error.text);
	}
}
