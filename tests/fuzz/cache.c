/* SPDX-License-Identifier: MIT */
/* Entries of the program cache. What begins with "bench-program" is one; all else changes one that is right:
 * three bytes each, where (16 bits) and what is there then; a byte that is left over cuts it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/cache.h"
#include "core/file.h"
#include "fuzz.h"

static const char key[] = "source\noptions\nSome Device 1.0\n";
static const unsigned char program[] = "\x7f"
				       "ELF, or what stands for it: 0123456789";

static char entry_path[4096], *entry;
static size_t entry_size;

/* Whatever an entry looks like, and wherever it is: the only file in the folder once one was stored. */
static void make(void)
{
	struct dirent **entries;
	char folder[4096];
	fuzz_make_folder(fuzz_path("cache"));
	setenv("BENCH_CACHE_DIR", fuzz_path("cache"), 1);
	unsetenv("BENCH_PROGRAM_CACHE");
	bench_opencl_cache_store(key, program, sizeof(program));
	snprintf(folder, sizeof(folder), "%s", fuzz_path("cache/programs"));
	int count = scandir(folder, &entries, NULL, alphasort);
	FUZZ_CHECK(count == 3);
	FUZZ_CHECK(bench_file_join(entry_path, sizeof(entry_path), folder, entries[2]->d_name));
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	entry = fuzz_read(entry_path, &entry_size);
}

static void write_changed(const uint8_t *data, size_t size)
{
	char *changed = malloc(entry_size);
	bool cut = size > 0 && size % 3 == 1;
	FUZZ_CHECK(changed);
	memcpy(changed, entry, entry_size);
	for (; size >= 3; data += 3, size -= 3)
		changed[(size_t)(data[0] | data[1] << 8) % entry_size] = (char)data[2];
	fuzz_write(entry_path, changed, cut ? entry_size * data[0] / 256 : entry_size);
	free(changed);
}

void fuzz_cache(const uint8_t *data, size_t size)
{
	static const char begin[] = "bench-program";
	struct bench_opencl_cached found;
	if (!entry)
		make();
	bool whole = size >= sizeof(begin) - 1 && memcmp(data, begin, sizeof(begin) - 1) == 0;
	if (whole)
		fuzz_write(entry_path, data, size);
	else
		write_changed(data, size);
	if (!bench_opencl_cache_load(key, &found))
		return;
	/* A checksum that fits can be made on purpose alone. */
	FUZZ_CHECK(found.bytes > 0);
	FUZZ_CHECK(whole ||
		   (found.bytes == sizeof(program) && memcmp(found.binary, program, sizeof(program)) == 0));
	bench_opencl_cache_settle(&found, true);
}
