/* SPDX-License-Identifier: MIT */
/* Samples, and what the watch saw, as results.db keeps them; the first byte says which of the two. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "store/pack.h"

/* The next metric; NULL where it cannot be unpacked. */
static struct bench_series *unpack_metric(struct store_unpacking *from, struct bench_arena *arena,
					  size_t *count)
{
	int64_t id;
	int before = -1;
	store_unpack_metric(from, &id, count);
	struct bench_series *series = bench_arena_alloc(arena, *count + 1, sizeof(*series));
	for (size_t i = 0; i < *count && !from->bad; i++) {
		const struct store_series_head head = store_unpack_series_head(from, before);
		if (from->bad)
			break;
		series[i] = (struct bench_series){.invocation = head.invocation, .count = head.count};
		series[i].values = bench_arena_alloc(arena, head.count, sizeof(double));
		if (head.has_flags)
			series[i].disturbed = bench_arena_alloc(arena, head.count, sizeof(bool));
		store_unpack_series(from, &head, series[i].values, series[i].disturbed);
		before = head.invocation;
	}
	return from->bad ? NULL : series;
}

/* Packed and unpacked again, they are the same, bit for bit. */
static void check_again(const struct bench_series *series, size_t count)
{
	struct bench_arena arena = {0};
	struct store_packed packed = {0};
	size_t again_count;
	store_pack_metric(&packed, 1, series, count);
	FUZZ_CHECK(!packed.bad);
	struct store_unpacking from = {.at = packed.data, .end = packed.data + packed.length};
	const struct bench_series *again = unpack_metric(&from, &arena, &again_count);
	FUZZ_CHECK(again && again_count == count && from.at == from.end);
	for (size_t i = 0; i < count; i++) {
		const bool *flags = series[i].disturbed, *other = again[i].disturbed;
		FUZZ_CHECK(again[i].invocation == series[i].invocation && again[i].count == series[i].count);
		FUZZ_CHECK(memcmp(again[i].values, series[i].values, series[i].count * sizeof(double)) == 0);
		for (size_t j = 0; j < series[i].count; j++)
			FUZZ_CHECK((flags && flags[j]) == (other && other[j]));
	}
	store_packed_free(&packed);
	bench_arena_free(&arena);
}

static void check_samples(const uint8_t *data, size_t size)
{
	struct store_unpacking from = {.at = data, .end = data + size};
	while (!from.bad && from.at < from.end) {
		struct bench_arena arena = {0};
		size_t count;
		const struct bench_series *series = unpack_metric(&from, &arena, &count);
		if (series)
			check_again(series, count);
		bench_arena_free(&arena);
	}
}

static void check_watched(const uint8_t *data, size_t size)
{
	struct store_unpacking from = {.at = data, .end = data + size};
	struct bench_arena arena = {0};
	size_t count = 0;
	const struct bench_watched *watched = store_unpack_watched(&from, true, &arena, &count);
	for (size_t i = 0; i < count; i++)
		FUZZ_CHECK(watched[i].device);
	bench_arena_free(&arena);
}

void fuzz_pack(const uint8_t *data, size_t size)
{
	if (size == 0)
		return;
	if (data[0] % 2)
		check_watched(data + 1, size - 1);
	else
		check_samples(data + 1, size - 1);
}
