/* SPDX-License-Identifier: MIT */
#include "machine/fitness/selftest.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/memory.h"
#include "stats/stats.h"

/*
 * A piece of arithmetic takes some ten microseconds, and the clock is read after each. An interruption shows
 * as one piece that took far longer, and the median of the pieces is what the processor needs uninterrupted.
 * Pieces add up to samples of 2 ms, as long as those of a measurement.
 */
#define PIECE_NS   10000
#define SAMPLE_NS  2000000
#define ALONE_NS   UINT64_C(1000000000)
#define BOTH_NS    UINT64_C(500000000)
#define GAP_NS     1000000
#define MAX_PIECES 120000

struct part {
	uint64_t iterations, duration_ns;
	atomic_int *waiting; /* threads that are not ready yet; NULL: none to wait for */
	int cpu;             /* to run on; -1: any */
	double *pieces;      /* in ns */
	size_t count;
	double sum; /* keeps the compiler from leaving the arithmetic out */
};

static uint64_t now(void)
{
	return bench_clock_real.now_ns(bench_clock_real.context);
}

/* Independent chains, which fill the execution units that sibling threads share. */
static double arithmetic(uint64_t iterations)
{
	double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	for (uint64_t i = 0; i < iterations; i++)
		for (int k = 0; k < 8; k++)
			x[k] = x[k] * 0.999 + 0.5;
	double sum = 0;
	for (int k = 0; k < 8; k++)
		sum += x[k];
	return sum;
}

static void *run_part(void *argument)
{
	struct part *part = argument;
	if (part->cpu >= 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET((size_t)part->cpu, &set);
		/* If this is refused, the thread runs wherever the kernel puts it. */
		(void)sched_setaffinity(0, sizeof(set), &set);
	}
	if (part->waiting) {
		atomic_fetch_sub(part->waiting, 1);
		/* At most as long as the work would take: the other may not get a CPU for some time. */
		uint64_t limit = now() + part->duration_ns;
		while (atomic_load(part->waiting) > 0 && now() < limit)
			;
	}
	uint64_t start = now(), last = start;
	while (part->count < MAX_PIECES && last - start < part->duration_ns) {
		part->sum += arithmetic(part->iterations);
		uint64_t end = now();
		part->pieces[part->count++] = (double)(end - last);
		last = end;
	}
	return NULL;
}

/* Iterations of a piece, from the fastest of some tries, which nothing interrupted. */
static uint64_t calibrate(void)
{
	const uint64_t iterations = 2000;
	volatile double sink = 0;
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < 50; i++) {
		uint64_t start = now();
		sink = sink + arithmetic(iterations);
		uint64_t took = now() - start;
		if (took && took < best)
			best = took;
	}
	uint64_t result = iterations * PIECE_NS / best;
	return result ? result : 1;
}

void bench_fitness_selftest_describe(const double *pieces, size_t count, struct bench_selftest *result)
{
	double median = bench_stats_median(pieces, count), total = 0, lost = 0, sample = 0;
	double *samples = bench_memory_alloc(count, sizeof(*samples));
	size_t in_sample = 0, per_sample = SAMPLE_NS / PIECE_NS, gaps = 0;
	*result = (struct bench_selftest){0};
	for (size_t i = 0; i < count; i++) {
		double gap = pieces[i] - median;
		total += pieces[i];
		if (gap > GAP_NS) {
			gaps++;
			lost += gap;
			if (gap > result->largest_gap_seconds * 1e9)
				result->largest_gap_seconds = gap * 1e-9;
		}
		sample += pieces[i];
		if (++in_sample == per_sample) {
			samples[result->samples++] = sample;
			in_sample = 0;
			sample = 0;
		}
	}
	result->there = result->samples >= 20;
	if (result->there) {
		result->seconds = total * 1e-9;
		result->gaps_a_second = (double)gaps / result->seconds;
		result->lost = lost / total;
		result->spread = bench_stats_quantile(samples, result->samples, 0.95) /
				 bench_stats_median(samples, result->samples);
	}
	free(samples);
}

/* Runs the arithmetic on two threads, each on a different CPU; the pieces of both count. */
static void run_both(struct part *parts, const int cpus[2], struct bench_selftest *result)
{
	double alone = bench_stats_median(parts[0].pieces, parts[0].count);
	atomic_int waiting = 2;
	pthread_t threads[2];
	int started = 0;
	for (; started < 2; started++) {
		parts[started].count = 0;
		parts[started].duration_ns = BOTH_NS;
		parts[started].waiting = &waiting;
		parts[started].cpu = cpus[started];
		if (pthread_create(&threads[started], NULL, run_part, &parts[started]) != 0)
			break;
	}
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (started < 2 || parts[0].count < 100 || parts[1].count < 100)
		return;
	double first = bench_stats_median(parts[0].pieces, parts[0].count);
	double second = bench_stats_median(parts[1].pieces, parts[1].count);
	result->both_there = true;
	result->both = (first > second ? first : second) / alone;
}

void bench_fitness_selftest_run(int first_cpu, int second_cpu, struct bench_selftest *result)
{
	*result = (struct bench_selftest){0};
	struct part parts[2] = {{.cpu = -1}, {.cpu = -1}};
	const int cpus[2] = {first_cpu, second_cpu};
	for (int i = 0; i < 2; i++) {
		parts[i].pieces = bench_memory_alloc(MAX_PIECES, sizeof(double));
		parts[i].duration_ns = ALONE_NS;
	}
	parts[0].iterations = parts[1].iterations = calibrate();
	run_part(&parts[0]);
	bench_fitness_selftest_describe(parts[0].pieces, parts[0].count, result);
	if (result->there && first_cpu >= 0 && second_cpu >= 0)
		run_both(parts, cpus, result);
	free(parts[0].pieces);
	free(parts[1].pieces);
}
