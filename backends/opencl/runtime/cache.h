/*
 * Compiled OpenCL programs on disk, so that a second process need not compile.
 *
 * Where:    "programs" in $BENCH_CACHE_DIR, else in $XDG_CACHE_HOME/bench, else in
 *           $HOME/.cache/bench; none of them set, or BENCH_PROGRAM_CACHE=off: no cache.
 * Trust:    an entry is code. The folder and the entry must be this user's, nobody else may write
 *           them, and neither may be a symbolic link; else there is no cache, or no entry.
 * Key:      a text with everything that the binary depends on (source, options, device, driver,
 *           platform, the format's number). The file's name is the key's 64-bit FNV-1a hash,
 *           "<16 hex digits>.clbin".
 * Layout:   a line "bench-program 2 <key bytes> <binary bytes> <hash of both>\n", numbers of 16 hex
 *           digits; the key's text; the binary. All but the binary is compared with what it must be,
 *           so that a collision of names, like an entry that was cut or changed, is a miss.
 * Crashes:  a driver may crash on a binary that is whole and wrong. So an entry that is being tried is
 *           "<name>.trying", locked by who tries it, until the first work with it is done; one that
 *           nobody holds belonged to a process that ended before, and is removed.
 * Sharing:  an entry is written to a temporary file (mode 0600) and renamed; several processes may
 *           load and store the same one at once, and the last writer wins. What a process that was
 *           killed while writing left is removed an hour later.
 * Failure:  a cache that cannot be read or written is no cache, never an error.
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

/* Finds the binary stored under `key`. True: it is to be tried, and then settled. */
bool bench_opencl_cache_load(const char *key, struct bench_opencl_cached *entry);

/* Ends the trial: an entry that is `good` is back in use, another is removed. Frees the binary. */
void bench_opencl_cache_settle(struct bench_opencl_cached *entry, bool good);

/* Stores a binary, over any entry that is there. */
void bench_opencl_cache_store(const char *key, const unsigned char *binary, size_t bytes);

#endif
