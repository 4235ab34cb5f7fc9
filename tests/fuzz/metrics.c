/* SPDX-License-Identifier: MIT */
/* metrics.json. */
#include "fuzz.h"

void fuzz_metrics(const uint8_t *data, size_t size)
{
	struct bench_run *run;
	struct bench_error error = {0};
	if (bench_record_from_json((const char *)data, size, "metrics.json", &run, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_ENVIRONMENT && *error.text);
		return;
	}
	fuzz_check_run(run);
	bench_record_free(run);
}
