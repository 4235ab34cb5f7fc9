/* SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits: tells contents apart. An identifier, not a secret, and no proof against an attacker. */
#ifndef BENCH_CORE_HASH_H
#define BENCH_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define BENCH_HASH_START UINT64_C(14695981039346656037)

/* The hash of what went into `hash` before, followed by these bytes. */
static inline uint64_t bench_hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
	return hash;
}

#endif
