/* SPDX-License-Identifier: MIT */
#include "measure/worker/copies.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"

#define ROW_SECONDS   0.5e-3 /* of all copies together: long against a flush's end and a row's stamps */
#define SETUP_SECONDS 0.5
#define MEMORY_PART   8

static double fitting(uint64_t memory, uint64_t each)
{
	return each ? floor((double)memory / MEMORY_PART / (double)each) : BENCH_COPIES_MOST;
}

size_t bench_worker_copies_wanted(const struct bench_work *work, uint64_t device_bytes, uint64_t host_bytes,
				  double seconds)
{
	double wanted = seconds > 0 ? ceil(ROW_SECONDS / seconds) - 1 : BENCH_COPIES_MOST;
	wanted = fmin(wanted, fitting(device_bytes, work->device_bytes));
	wanted = fmin(wanted, fitting(host_bytes, work->host_bytes));
	return (size_t)fmax(0, fmin(wanted, BENCH_COPIES_MOST));
}

void bench_worker_copies_make(struct bench_copies *copies, const struct bench_case *of, size_t count)
{
	const struct bench_suite *suite = of->suite;
	double start = bench_clock_seconds(), at = start, last = 0;
	struct bench_error full;
	*copies = (struct bench_copies){.cases = calloc(count, sizeof(*copies->cases))};
	while (copies->cases && copies->count < count && at + last < start + SETUP_SECONDS) {
		struct bench_case *copy = &copies->cases[copies->count];
		*copy = *of;
		copy->state = NULL;
		if (suite->setup(copy, &full) != 0 || (suite->prepare && suite->prepare(copy, &full) != 0)) {
			suite->teardown(copy);
			return;
		}
		copies->count++;
		last = bench_clock_seconds() - at;
		at += last;
	}
}

int bench_worker_copies_run(struct bench_copies *copies, struct bench_case *of, uint64_t iterations,
			    struct bench_error *error)
{
	const struct bench_suite *suite = of->suite;
	if (suite->run(of, 1, error) != 0)
		return -1;
	for (size_t i = 0; i + 1 < iterations; i++)
		if (suite->run(&copies->cases[i], 1, error) != 0)
			return -1;
	copies->first_ran += iterations > 1;
	return 0;
}

void bench_worker_copies_free(struct bench_copies *copies)
{
	while (copies->count > 0) {
		struct bench_case *copy = &copies->cases[--copies->count];
		copy->suite->teardown(copy);
	}
	free(copies->cases);
	*copies = (struct bench_copies){0};
}
