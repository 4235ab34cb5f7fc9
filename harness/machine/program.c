#include "machine/program.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/hash.h"

#define MOST_BYTES   ((size_t)1 << 30) /* of an executable, or a plug-in */
#define MOST_KERNEL  ((size_t)4 << 20) /* of a kernel file */
#define MOST_KERNELS 1000

const char *const bench_machine_program_variables[BENCH_MACHINE_PROGRAM_VARIABLES + 1] = {
	"BENCH_OPENCL_OPTIONS", "BENCH_OPENCL_KIND", NULL};

const char *bench_machine_program_kernels(void)
{
	const char *live = getenv("BENCH_KERNELS");
	return live && *live ? live : NULL;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* By bytes: the order must not depend on the locale. */
static int compare_names(const struct dirent **left, const struct dirent **right)
{
	return strcmp((*left)->d_name, (*right)->d_name);
}

int bench_machine_program_list(const char *folder, struct bench_arena *arena, char ***names, size_t *count,
			       struct bench_error *error)
{
	struct dirent **entries;
	int found = scandir(folder, &entries, is_visible, compare_names);
	*names = NULL;
	*count = 0;
	if (found < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s': %s", folder, strerror(errno));
	for (int i = 0; i < found; i++) {
		*(char **)bench_arena_push(arena, names, count, sizeof(char *)) =
			bench_arena_string(arena, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return *count <= MOST_KERNELS
		       ? 0
		       : bench_fail(error, BENCH_ENVIRONMENT,
				    "'%s' has more than %d files: is it the folder of the kernels?", folder,
				    MOST_KERNELS);
}

static int take_file(const char *path, size_t most, uint64_t *hash, struct bench_error *error)
{
	char *data;
	size_t length;
	if (bench_file_read(path, most, &data, &length, error) != 0)
		return -1;
	*hash = bench_hash_bytes(*hash, data, length);
	free(data);
	return 0;
}

static void take_text(const char *text, uint64_t *hash)
{
	*hash = bench_hash_bytes(*hash, text, strlen(text) + 1);
}

static int take_folder(const char *folder, size_t most, struct bench_arena *arena, uint64_t *hash,
		       struct bench_error *error)
{
	char **names;
	size_t count;
	if (bench_machine_program_list(folder, arena, &names, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const char *path = bench_arena_format(arena, "%s/%s", folder, names[i]);
		struct stat status;
		if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
			continue;
		take_text(names[i], hash);
		if (take_file(path, most, hash, error) != 0)
			return -1;
	}
	return 0;
}

int bench_machine_program_identity(const char *executable, const char *kernels, const char *extensions,
				   const char *const *values, struct bench_arena *arena, char **identity,
				   struct bench_error *error)
{
	uint64_t hash = BENCH_HASH_START;
	if (take_file(executable, MOST_BYTES, &hash, error) != 0 ||
	    (kernels && take_folder(kernels, MOST_KERNEL, arena, &hash, error) != 0) ||
	    (extensions && take_folder(extensions, MOST_BYTES, arena, &hash, error) != 0))
		return -1;
	for (size_t i = 0; i < BENCH_MACHINE_PROGRAM_VARIABLES; i++)
		if (values[i] && *values[i]) {
			take_text(bench_machine_program_variables[i], &hash);
			take_text(values[i], &hash);
		}
	*identity = bench_arena_format(arena, "%016" PRIx64, hash);
	return 0;
}
