/*
 * Compiled OpenCL programs on disk, so that a second process need not compile.
 *
 * Where:    $BENCH_CACHE_DIR, else $XDG_CACHE_HOME/bench, else $HOME/.cache/bench; none of
 *           them set, or BENCH_PROGRAM_CACHE=off: no cache.
 * Key:      a text with everything that the binary depends on (source, options, device,
 *           driver, platform, the format's number). The file's name is the key's 64-bit
 *           FNV-1a hash, "<16 hex digits>.clbin".
 * Layout:   a line "bench-program 1 <key bytes> <binary bytes> <hash of the binary>\n", the
 *           key's text, the binary. The whole key is compared at load, so that a collision
 *           of hashes, like any truncated or damaged entry, is a miss.
 * Sharing:  an entry is written to a temporary file and renamed; several processes may
 *           load and store the same one at once, and the last writer wins.
 * Failure:  a cache that cannot be read or written is no cache, never an error.
 */
#ifndef BENCH_OPENCL_CACHE_H
#define BENCH_OPENCL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a cache, by the environment? */
bool bench_opencl_cache_on(void);

/* Finds the binary stored under `key`: true, and a malloc'd *binary that the caller frees. */
bool bench_opencl_cache_load(const char *key, unsigned char **binary, size_t *bytes);

/* Stores it, over any entry that is there. */
void bench_opencl_cache_store(const char *key, const unsigned char *binary, size_t bytes);

#endif
