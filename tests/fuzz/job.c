/* SPDX-License-Identifier: MIT */
/* The job that a worker reads on its standard input. */
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "fuzz.h"
#include "measure/worker/job.h"
#include "suites/suites.h"

static char *read_and_write(const char *data, size_t size, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_job job;
	char *written = NULL;
	if (bench_worker_job_from_json(data, size, bench_suites, bench_backends, NULL, &arena, &job, error) ==
	    0) {
		written = bench_worker_job_to_json(&job);
		FUZZ_CHECK(written);
	}
	bench_arena_free(&arena);
	return written;
}

void fuzz_job(const uint8_t *data, size_t size)
{
	struct bench_error error;
	char *written = read_and_write((const char *)data, size, &error);
	if (!written)
		return;
	char *again = read_and_write(written, strlen(written), &error);
	if (!again)
		fuzz_fail("%s\n%s", error.text, written);
	if (strcmp(again, written) != 0)
		fuzz_fail("written, read and written again:\n%s\n%s", written, again);
	free(again);
	free(written);
}
