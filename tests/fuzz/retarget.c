/* SPDX-License-Identifier: MIT */
/* PTX that a driver gives, which becomes that of sm_90a. */
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/retarget.h"
#include "fuzz.h"

void fuzz_retarget(const uint8_t *data, size_t size)
{
	struct bench_error error = {0};
	size_t length = size;
	char *binary = malloc(size + 2);
	FUZZ_CHECK(binary);
	if (size)
		memcpy(binary, data, size);
	if (bench_opencl_retarget(binary, &length, &error) == 0) {
		FUZZ_CHECK(length <= size + 1 && strlen(binary) == length);
		FUZZ_CHECK(strstr(binary, ".target sm_90a") && !strstr(binary, BENCH_OPENCL_RETARGET_MARK));
	} else {
		FUZZ_CHECK(error.code == BENCH_UNSUPPORTED);
	}
	free(binary);
}
