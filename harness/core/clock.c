/* SPDX-License-Identifier: MIT */
#include "core/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t real_now_ns(void *context)
{
	(void)context;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const struct bench_clock bench_clock_real = {real_now_ns, NULL};

double bench_clock_seconds(void)
{
	return (double)real_now_ns(NULL) * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

void bench_clock_calibrate(const struct bench_clock *clock, struct bench_clock_quality *quality)
{
	enum { BATCHES = 101, READS = 100, STEPS = 1000 };
	const size_t middle = BATCHES / 2;
	/* Cost: the median of batches, each long against the clock's own resolution. */
	uint64_t batch[BATCHES];
	for (int i = 0; i < BATCHES; i++) {
		uint64_t start = clock->now_ns(clock->context);
		for (int r = 0; r < READS - 1; r++)
			clock->now_ns(clock->context);
		batch[i] = clock->now_ns(clock->context) - start;
	}
	qsort(batch, BATCHES, sizeof(batch[0]), by_value);
	quality->cost_ns = (double)batch[middle] / READS;

	/* Tick: the smallest step between readings that differ. */
	uint64_t tick = UINT64_MAX, last = clock->now_ns(clock->context);
	for (int i = 0; i < STEPS; i++) {
		uint64_t now = clock->now_ns(clock->context);
		if (now > last && now - last < tick)
			tick = now - last;
		last = now;
	}
	quality->tick_ns = tick == UINT64_MAX ? 1.0 : (double)tick;
}

void bench_clock_iso(int64_t unix_seconds, char *out, size_t size)
{
	time_t seconds = (time_t)unix_seconds;
	struct tm local;
	char text[32] = "";
	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S%z", &local);
	/* strftime writes the zone as +0100; ISO 8601's extended form has a colon in it. */
	size_t length = strlen(text);
	if (length >= 5 && length + 1 < sizeof(text)) {
		memmove(text + length - 1, text + length - 2, 3);
		text[length - 2] = ':';
	}
	if (size) {
		strncpy(out, text, size - 1);
		out[size - 1] = '\0';
	}
}

void bench_clock_minute(int64_t unix_seconds, char *out, size_t size)
{
	char iso[32];
	bench_clock_iso(unix_seconds, iso, sizeof(iso));
	snprintf(out, size, "%.10s %.5s", iso, strlen(iso) > 11 ? iso + 11 : "");
}
