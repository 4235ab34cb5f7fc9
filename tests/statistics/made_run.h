/* Runs built by hand, for tests of what is made of them. */
#ifndef TESTS_STATISTICS_MADE_RUN_H
#define TESTS_STATISTICS_MADE_RUN_H

#include "record/record.h"

/*
 * A finished run of suite "gemm" on openblas:cpu with preset nightly, in a plausible
 * environment, without results. The caller frees it with bench_run_free.
 */
struct bench_run *made_run(const char *id);

void made_host(struct bench_run *run, const char *name, const char *value);
void made_word(struct bench_run *run, char ***words, size_t *count, const char *word);
/* A device, also among the selection's targets. Valid until the next one. */
struct bench_device_record *made_device(struct bench_run *run, const char *backend, const char *slug);

/* A case with parameter n. What is not ok has "some reason". Valid until the next one. */
struct bench_result *made_result(struct bench_run *run, const char *suite, const char *backend,
				 const char *device, unsigned n, enum bench_status status);
struct bench_result *made_case(struct bench_run *run, unsigned n); /* ok, of gemm on openblas:cpu */

/*
 * A metric with a series for each of `medians`: three samples of which that is the median
 * (values[1]). Unit s, or B/s where higher is better. Valid until the next one of the result.
 */
struct bench_metric *made_metric(struct bench_run *run, struct bench_result *result, const char *name,
				 enum bench_better better, const double *medians, size_t count);

#endif
