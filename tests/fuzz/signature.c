/* SPDX-License-Identifier: MIT */
/* The source of a kernel k, whose arguments are read from its text. */
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/launch/signature.h"
#include "fuzz.h"

void fuzz_signature(const uint8_t *data, size_t size)
{
	enum { MOST = 4 };
	struct bench_opencl_parameter parameters[MOST];
	char *source = fuzz_string(data, size);
	const size_t count = bench_opencl_signature(source, "k", parameters, MOST);
	FUZZ_CHECK(count <= MOST);
	for (size_t i = 0; i < count; i++) {
		unsigned width;
		const char *element = bench_opencl_element(parameters[i].type, &width);
		FUZZ_CHECK(*parameters[i].type && strlen(parameters[i].type) < sizeof(parameters[i].type));
		FUZZ_CHECK(parameters[i].space < BENCH_OPENCL_ANYWHERE);
		FUZZ_CHECK(!element || strncmp(parameters[i].type, element, strlen(element)) == 0);
	}
	free(source);
}
