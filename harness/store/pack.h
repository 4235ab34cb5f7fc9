/* SPDX-License-Identifier: MIT */
/*
 * Samples and what the watch saw as they are kept: packed, without losing a bit. docs/file-formats.md has the
 * format. Packed data comes from outside: what is wrong with it shows in `bad`, and what has been unpacked by
 * then is not to be used.
 */
#ifndef BENCH_STORE_PACK_H
#define BENCH_STORE_PACK_H

#include "record/record.h"

/* Bytes that grow; {0} is empty, and store_packed_free empties it. bad: there was no memory. */
struct store_packed {
	unsigned char *data;
	size_t length, room;
	bool bad;
};
void store_packed_free(struct store_packed *packed);

/* The series of one metric, without empty ones; `id` is its row in metric_key. */
void store_pack_metric(struct store_packed *to, int64_t id, const struct bench_series *series, size_t count);
void store_pack_watched(struct store_packed *to, const struct bench_watched *watched, size_t count);

/* How numbers stand in the packed data: what the numbers packed before them had is not told again. */
struct store_coding {
	unsigned form, low;
	uint64_t parameter, base;
};

/* What is left to unpack. */
struct store_unpacking {
	const unsigned char *at, *end;
	struct store_coding coding; /* of the numbers before */
	bool bad;
};

uint64_t store_unpack_count(struct store_unpacking *from);
/* Of the next metric: its row in metric_key, and how many series follow. */
void store_unpack_metric(struct store_unpacking *from, int64_t *id, size_t *count);
/* The invocation after `before` (-1: there is none), how many samples it has, and whether any is disturbed.
 */
struct store_series_head {
	int invocation;
	size_t count;
	bool has_flags, same_coding;
};
struct store_series_head store_unpack_series_head(struct store_unpacking *from, int before);
/* Its samples, and where it has flags, these: into arrays of head->count. */
void store_unpack_series(struct store_unpacking *from, const struct store_series_head *head, double *values,
			 bool *disturbed);
/* Their median instead, of a series without flags. */
double store_unpack_series_median(struct store_unpacking *from, const struct store_series_head *head);
/* All that is left: what the watch saw, or, unless `all`, of it the invocation, its disturbed share and its
 * canary. Arrays and texts are in `arena`. */
struct bench_watched *store_unpack_watched(struct store_unpacking *from, bool all, struct bench_arena *arena,
					   size_t *count);

#endif
