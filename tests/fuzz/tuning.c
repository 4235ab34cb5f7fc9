/* SPDX-License-Identifier: MIT */
/* BENCH_TUNING and, behind a line's end, BENCH_SLOWDOWN. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "measure/worker/slowdown.h"
#include "measure/worker/tuning.h"

void fuzz_tuning(const uint8_t *data, size_t size)
{
	struct bench_arena arena = {0};
	struct bench_tuned *tuned;
	struct bench_slowdown slowdown;
	struct bench_error error = {0};
	size_t count;
	char *text = fuzz_string(data, size), *second = strchr(text, '\n');
	if (second)
		*second++ = '\0';
	if (bench_worker_tuning_parse(text, &arena, &tuned, &count, &error) != 0)
		FUZZ_CHECK(error.code == BENCH_USAGE && *error.text);
	if (bench_worker_slowdown_read(second, &slowdown, &error) == 0)
		FUZZ_CHECK(slowdown.fraction >= 0 && slowdown.fraction <= 10);
	else
		FUZZ_CHECK(error.code == BENCH_USAGE && *error.text);
	bench_worker_slowdown_of(&slowdown, "gemm/openblas:cpu/n=1/time");
	bench_arena_free(&arena);
	free(text);
}
