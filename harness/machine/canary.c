/* SPDX-License-Identifier: MIT */
#include "machine/canary.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"

#define WALK_BYTES ((size_t)4 << 20)
#define LINE_WORDS 8 /* of a cache line of 64 bytes */
#define STEPS      30000
#define TRIES      3
#define FIRST_RUNS 20

/* Takes the result of the work, or the compiler would drop the work as unused. */
static volatile uint64_t result;

int bench_machine_canary_open(struct bench_canary *canary)
{
	canary->words = WALK_BYTES / sizeof(*canary->memory);
	canary->memory = malloc(WALK_BYTES);
	if (!canary->memory)
		return -1;
	/* Unwritten pages would all be the one page of zeros. */
	for (size_t i = 0; i < canary->words; i++)
		canary->memory[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	return 0;
}

void bench_machine_canary_close(struct bench_canary *canary)
{
	free(canary->memory);
	canary->memory = NULL;
}

uint64_t bench_machine_canary_work(const struct bench_canary *canary)
{
	/* xorshift64* (Vigna 2016): each step waits for the one before. */
	uint64_t state = UINT64_C(0x2545f4914f6cdd1d);
	for (int i = 0; i < STEPS; i++) {
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		state *= UINT64_C(0x2545f4914f6cdd1d);
	}
	uint64_t sum = state;
	for (size_t i = 0; i < canary->words; i += LINE_WORDS)
		sum += canary->memory[i];
	return sum;
}

static double timed(const struct bench_canary *canary)
{
	const struct bench_clock *clock = &bench_clock_real;
	uint64_t start = clock->now_ns(clock->context);
	result = bench_machine_canary_work(canary);
	return (double)(clock->now_ns(clock->context) - start) * 1e-9;
}

double bench_machine_canary_run(const struct bench_canary *canary)
{
	result = bench_machine_canary_work(canary);
	double least = timed(canary);
	for (int i = 1; i < TRIES; i++)
		least = fmin(least, timed(canary));
	return least;
}

double bench_machine_canary_fastest(void)
{
	struct bench_canary canary;
	double fastest = NAN;
	if (bench_machine_canary_open(&canary) != 0)
		return NAN;
	for (int i = 0; i < FIRST_RUNS; i++)
		fastest = fmin(fastest, bench_machine_canary_run(&canary));
	bench_machine_canary_close(&canary);
	return fastest;
}
