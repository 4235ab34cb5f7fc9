#include "cache.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"

#define ENTRY_LIMIT ((size_t)256 << 20) /* no program is near that large */

static uint64_t hash(const void *data, size_t bytes)
{
	return bench_hash_bytes(BENCH_HASH_START, data, bytes);
}

/* The cache's folder; false: there is no cache. */
static bool folder(char *out, size_t size)
{
	const char *on = getenv("BENCH_PROGRAM_CACHE"), *own = getenv("BENCH_CACHE_DIR");
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (on && strcmp(on, "off") == 0)
		return false;
	if (own && *own)
		return snprintf(out, size, "%s", own) < (int)size;
	/* The XDG specification: a relative path is invalid and to be ignored. */
	if (xdg && *xdg == '/')
		return bench_file_join(out, size, xdg, "bench");
	return home && *home && bench_file_join(out, size, home, ".cache/bench");
}

bool bench_opencl_cache_on(void)
{
	char directory[PATH_MAX];
	return folder(directory, sizeof(directory));
}

static bool entry_path(const char *key, char *out, size_t size)
{
	char directory[PATH_MAX], name[32];
	snprintf(name, sizeof(name), "%016" PRIx64 ".clbin", hash(key, strlen(key)));
	return folder(directory, sizeof(directory)) && bench_file_join(out, size, directory, name);
}

/* Takes an entry apart; false unless it is whole and stored under `key`. */
static bool parse(const char *entry, size_t length, const char *key, const unsigned char **binary,
		  size_t *bytes)
{
	size_t key_bytes = 0, binary_bytes = 0;
	uint64_t sum = 0;
	int header = 0;
	if (sscanf(entry, "bench-program 1 %zu %zu %" SCNx64 "%n", &key_bytes, &binary_bytes, &sum,
		   &header) != 3 ||
	    entry[header] != '\n')
		return false;
	size_t left = length - (size_t)header - 1;
	if (key_bytes != strlen(key) || key_bytes > left || binary_bytes != left - key_bytes ||
	    binary_bytes == 0)
		return false;
	const char *stored_key = entry + header + 1;
	*binary = (const unsigned char *)stored_key + key_bytes;
	*bytes = binary_bytes;
	return memcmp(stored_key, key, key_bytes) == 0 && hash(*binary, binary_bytes) == sum;
}

bool bench_opencl_cache_load(const char *key, unsigned char **binary, size_t *bytes)
{
	char path[PATH_MAX], *entry;
	const unsigned char *found;
	size_t length;
	if (!entry_path(key, path, sizeof(path)) ||
	    bench_file_read(path, ENTRY_LIMIT, &entry, &length, NULL) != 0)
		return false;
	bool whole = parse(entry, length, key, &found, bytes);
	*binary = whole ? malloc(*bytes) : NULL;
	if (*binary)
		memcpy(*binary, found, *bytes);
	free(entry);
	return *binary != NULL;
}

void bench_opencl_cache_store(const char *key, const unsigned char *binary, size_t bytes)
{
	char path[PATH_MAX], directory[PATH_MAX];
	struct bench_text entry = {0};
	if (!folder(directory, sizeof(directory)) || !entry_path(key, path, sizeof(path)) ||
	    bench_file_make_folder(directory, NULL) != 0)
		return;
	bench_text_add(&entry, "bench-program 1 %zu %zu %016" PRIx64 "\n", strlen(key), bytes,
		       hash(binary, bytes));
	bench_text_add_bytes(&entry, key, strlen(key));
	bench_text_add_bytes(&entry, (const char *)binary, bytes);
	bench_file_write(path, entry.data, entry.length, NULL);
	bench_text_free(&entry);
}
