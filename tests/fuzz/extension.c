/* SPDX-License-Identifier: MIT */
/* The text of an extension, as a run's record or a worker's job brings it. */
#include <stdlib.h>
#include <string.h>

#include "extend/extend.h"
#include "fuzz.h"

void fuzz_extension(const uint8_t *data, size_t size)
{
	struct bench_error error = {0};
	size_t before, after;
	char *text = fuzz_string(data, size);
	bench_extend_texts(&before);
	(void)bench_extend_is_code(text);
	int result = bench_extend_add(text, &error);
	bench_extend_texts(&after);
	FUZZ_CHECK(result == 0 || (after == before && error.code != BENCH_OK && *error.text));
	FUZZ_CHECK(result != 0 || after - before <= 1);
	free(text);
}
