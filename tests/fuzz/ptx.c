/* SPDX-License-Identifier: MIT */
/* A kernel's name, a line; then what a driver gives: a build log, or PTX. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/ptx.h"
#include "fuzz.h"

void fuzz_ptx(const uint8_t *data, size_t size)
{
	struct bench_opencl_ptxas found;
	char mix[BENCH_OPENCL_MIX], *text = fuzz_string(data, size), *rest = text;
	const char *name = strsep(&rest, "\n");
	const char *body = rest ? rest : "";
	FUZZ_CHECK(bench_opencl_ptxas_read(body, name, &found) == (found.registers >= 0));
	FUZZ_CHECK(isnan(found.spilled) || (found.spilled >= 0 && found.spilled < 1e13));
	double share = bench_opencl_occupancy(9, 0, found.registers, 256, found.shared);
	FUZZ_CHECK(isnan(share) || (share > 0 && share <= 1));
	FUZZ_CHECK(bench_opencl_ptx_mix(body, name, mix) || !*mix);
	FUZZ_CHECK(memchr(mix, '\0', sizeof(mix)));
	free(text);
}
