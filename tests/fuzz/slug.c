/* SPDX-License-Identifier: MIT */
/* Names of OpenCL devices: the platform's, the device's and the processor's, a line each. */
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/slug.h"
#include "fuzz.h"

void fuzz_slug(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), *rest = text, slug[64];
	const char *lines[3];
	for (size_t i = 0; i < 3; i++) {
		char *line = strsep(&rest, "\n");
		lines[i] = line ? line : "";
	}
	bench_opencl_slug(slug, sizeof(slug), lines[0], lines[1], lines[2]);
	size_t length = strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789-");
	FUZZ_CHECK(length > 0 && !slug[length] && slug[0] != '-' && slug[length - 1] != '-');
	free(text);
}
