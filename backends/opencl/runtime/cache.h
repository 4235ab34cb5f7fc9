/* SPDX-License-Identifier: MIT */
/*
 * Compiled OpenCL programs on disk, so that a second process need not compile.
 *
 * Where:    "programs" in $BENCH_CACHE_DIR, else in $XDG_CACHE_HOME/bench, else in
 *           $HOME/.cache/bench; none of them set, or BENCH_PROGRAM_CACHE=off: no cache.
 * Trust:    an entry is code. The folder and the entry must be this user's, writable by nobody else, and no
 *           symbolic links. A folder or an entry that fails this is not used.
 * Key:      a text with everything that the binary depends on (source, options, device, driver,
 *           platform, the format's number). The file's name is the key's 64-bit FNV-1a hash,
 *           "<16 hex digits>.clbin".
 * Layout:   a line "bench-program 2 <key bytes> <binary bytes> <hash of both>\n", numbers of 16 hex
 *           digits; the key's text; the binary. The line and the key must match. So a collision of names is
 *           a miss, and so is an entry that was cut or changed.
 * Crashes:  a driver may crash on a binary that is whole and wrong. So an entry on trial is named
 *           "<name>.trying" and locked by its process until the first work with it is done. An entry on trial
 *           without a lock belonged to a process that has ended, and is removed.
 * Sharing:  an entry is written to a temporary file (mode 0600) and renamed. Several processes may
 *           load and store the same one at once, and the last writer wins. A temporary file that a killed
 *           process left is removed after an hour.
 * Failure:  a cache that cannot be read or written is ignored, never an error.
 */
#ifndef BENCH_OPENCL_CACHE_H
#define BENCH_OPENCL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a cache, by the environment? */
bool bench_opencl_cache_on(void);

/* An entry that is being tried. */
struct bench_opencl_cached {
	unsigned char *binary;
	size_t bytes;
	int folder, file; /* held until bench_opencl_cache_settle */
	char name[24];
};

/* Finds the binary stored under `key`. True: the caller tries it, and then settles it. */
bool bench_opencl_cache_load(const char *key, struct bench_opencl_cached *entry);

/* Ends the trial: an entry that is `good` is back in use, another is removed. Frees the binary. */
void bench_opencl_cache_settle(struct bench_opencl_cached *entry, bool good);

/* Stores a binary, over an existing entry. */
void bench_opencl_cache_store(const char *key, const unsigned char *binary, size_t bytes);

#endif
