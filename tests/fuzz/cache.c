/* Entries of the program cache. What begins with "bench-program" is one; all else changes one that is right:
 * three bytes each, where (16 bits) and what is there then; a byte that is left over cuts it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/cache.h"
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
	fuzz_make_folder(fuzz_path("cache"));
	setenv("BENCH_CACHE_DIR", fuzz_path("cache"), 1);
	unsetenv("BENCH_PROGRAM_CACHE");
	bench_opencl_cache_store(key, program, sizeof(program));
	int count = scandir(fuzz_path("cache"), &entries, NULL, alphasort);
	FUZZ_CHECK(count == 3);
	snprintf(entry_path, sizeof(entry_path), "%s/%s", fuzz_path("cache"), entries[2]->d_name);
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
	unsigned char *binary = NULL;
	size_t bytes = 0;
	if (!entry)
		make();
	bool whole = size >= sizeof(begin) - 1 && memcmp(data, begin, sizeof(begin) - 1) == 0;
	if (whole)
		fuzz_write(entry_path, data, size);
	else
		write_changed(data, size);
	bool found = bench_opencl_cache_load(key, &binary, &bytes);
	/* A checksum that fits can be made on purpose alone. */
	FUZZ_CHECK(!found || bytes > 0);
	FUZZ_CHECK(!found || whole ||
		   (bytes == sizeof(program) && memcmp(binary, program, sizeof(program)) == 0));
	if (found)
		free(binary);
}
