/* SPDX-License-Identifier: MIT */
/*
 * Records in memory, laid out in five ways, and the sum of their fields: the work of suite
 * layout. A record is a byte and BENCH_RECORD_FIELDS fields of 32 bits.
 */
#ifndef SUITES_LAYOUT_RECORDS_H
#define SUITES_LAYOUT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BENCH_RECORD_FIELDS = 8,
	BENCH_RECORD_FIELD = 3, /* the one that a sum of one field takes */
};

enum bench_layout {
	BENCH_LAYOUT_FLAT,   /* structs with the compiler's padding: 36 bytes a record */
	BENCH_LAYOUT_ARRAYS, /* an array a field, each at a multiple of 64 bytes: 33 bytes */
	BENCH_LAYOUT_NESTED, /* structs of structs: 36 bytes */
	BENCH_LAYOUT_PACKED, /* structs without padding, whose fields lie at odd addresses: 33 bytes */
	BENCH_LAYOUT_ALIGNED /* a line of the cache, 64 bytes, to each struct */
};

struct bench_records {
	enum bench_layout layout;
	size_t count;
	void *memory; /* of bench_records_bytes, aligned to 64 bytes; not owned */
};

/* A multiple of 64. count < 2^48. */
size_t bench_records_bytes(enum bench_layout layout, size_t count);

/* Writes the fields of record `index`, and a byte of it too, whose value is nothing. */
void bench_records_store(const struct bench_records *records, size_t index,
			 const uint32_t fields[BENCH_RECORD_FIELDS]);

/*
 * Goes through all records `iterations` times and gives the total of the sums, each of which
 * is modulo 2^32: of one field, or of all fields. What is timed.
 */
uint64_t bench_records_sum(const struct bench_records *records, bool all, uint64_t iterations);

#endif
