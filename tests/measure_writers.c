/* SPDX-License-Identifier: MIT */
/*
 * How a history takes many writers: processes that ingest runs into it, all at once, as nodes of a cluster do
 * after a night.
 *
 *     measure_writers DATABASE METRICS WRITERS RUNS
 *
 * METRICS: timed cases of each run, of each of which two rates are derived. RUNS: of each writer. DATABASE is
 * a file that is not there, or the address of a server's schema that is empty. What is printed is a line of a
 * table in Markdown: the time for all, and of one ingest the median, the 99th percentile and the longest, as
 * its process sees it. Exit status 1 where a run is lost or the history is not whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "made_nights.h"
#include "stats/stats.h"
#include "store/store.h"

enum { MOST_WRITERS = 256, MOST_RUNS = 1000 };

static struct bench_error error;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int fail(void)
{
	fprintf(stderr, "measure_writers: %s\n", error.text);
	return 1;
}

/* Its runs are made before the first is taken in: the time is the history's. */
static int write_runs(const char *path, struct made_nights *nights, unsigned writer, unsigned count,
		      int ready, int start, double *seconds)
{
	struct bench_run *runs[MOST_RUNS];
	struct bench_store *store;
	bool added;
	char byte = 0;
	bench_rng_start(&nights->rng, 20261123, writer);
	for (unsigned i = 0; i < count; i++) {
		runs[i] = made_night(nights, i);
		runs[i]->id = bench_arena_format(&runs[i]->arena, "writer-%u-%u", writer, i);
	}
	/* All begin when the pipe is closed. */
	if (write(ready, &byte, 1) != 1 || read(start, &byte, 1) != 0 ||
	    bench_store_open(path, BENCH_STORE_WRITE, &store, &error) != 0)
		return fail();
	for (unsigned i = 0; i < count; i++) {
		const double before = now();
		if (bench_store_ingest(store, runs[i], &added, &error) != 0)
			return fail();
		seconds[i] = now() - before;
		bench_record_free(runs[i]);
	}
	bench_store_close(store);
	return 0;
}

static int check(const char *path, size_t expected)
{
	struct bench_store *store;
	struct bench_arena arena = {0};
	struct bench_store_finding *findings;
	char **ids;
	size_t count, known;
	if (bench_store_open(path, BENCH_STORE_READ, &store, &error) != 0 ||
	    bench_store_examine(store, &arena, &findings, &count, &error) != 0 ||
	    bench_store_known(store, &arena, &ids, &known, &error) != 0)
		return fail();
	bench_store_close(store);
	if (count > 0)
		fprintf(stderr, "measure_writers: %s: %s\n", findings[0].what, findings[0].problem);
	if (known != expected)
		fprintf(stderr, "measure_writers: %zu runs, not %zu\n", known, expected);
	bench_arena_free(&arena);
	return count > 0 || known != expected;
}

int main(int argc, char **argv)
{
	struct made_nights nights = {
		.invocations = 8, .least_samples = 10, .most_samples = 10, .nights = MOST_RUNS};
	const unsigned writers = argc == 5 ? (unsigned)strtoul(argv[3], NULL, 10) : 0,
		       runs = argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	const size_t count = (size_t)writers * runs;
	int ready[2], start[2], status, failed = 0;
	char byte;
	struct bench_store *store;
	if (writers == 0 || writers > MOST_WRITERS || runs == 0 || runs > MOST_RUNS) {
		fprintf(stderr, "usage: measure_writers DATABASE METRICS WRITERS RUNS\n");
		return 2;
	}
	nights.metrics = (unsigned)strtoul(argv[2], NULL, 10);
	double *seconds = mmap(NULL, count * sizeof(*seconds), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seconds == MAP_FAILED || pipe(start) != 0 || pipe(ready) != 0)
		return 1;
	if (bench_store_open(argv[1], BENCH_STORE_WRITE, &store, &error) != 0)
		return fail();
	bench_store_close(store);
	for (unsigned writer = 0; writer < writers; writer++)
		if (fork() == 0) {
			close(start[1]);
			_exit(write_runs(argv[1], &nights, writer, runs, ready[1], start[0],
					 seconds + (size_t)writer * runs));
		}
	for (unsigned writer = 0; writer < writers; writer++)
		failed |= read(ready[0], &byte, 1) != 1;
	const double before = now();
	close(start[1]);
	for (unsigned writer = 0; writer < writers; writer++)
		failed |= wait(&status) < 0 || status != 0;
	const double all = now() - before;
	printf("| %u writers, %u runs each, %u values | %.1f s | %.1f runs/s | %.0f ms | %.0f ms | %.0f ms "
	       "|\n",
	       writers, runs, 3 * nights.metrics, all, (double)count / all,
	       1e3 * bench_stats_quantile(seconds, count, 0.5),
	       1e3 * bench_stats_quantile(seconds, count, 0.99),
	       1e3 * bench_stats_quantile(seconds, count, 1));
	return failed || check(argv[1], count);
}
