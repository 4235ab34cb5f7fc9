/* SPDX-License-Identifier: MIT */
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
		BENCH_PUSH(arena, *names, *count) = bench_arena_string(arena, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return *count <= MOST_KERNELS
		       ? 0
		       : bench_fail(error, BENCH_ENVIRONMENT,
				    "'%s' has more than %d files: is it the folder of the kernels?", folder,
				    MOST_KERNELS);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int compare_bases(const void *left, const void *right)
{
	return strcmp(base_of(*(char *const *)left), base_of(*(char *const *)right));
}

static bool is_kernel(const char *name)
{
	size_t length = strlen(name);
	return length > 3 && strcmp(name + length - 3, ".cl") == 0;
}

int bench_machine_program_list_kernels(const char *folder, struct bench_arena *arena, char ***names,
				       size_t *count, struct bench_error *error)
{
	char **found, **below;
	size_t found_count, below_count;
	*names = NULL;
	*count = 0;
	if (bench_machine_program_list(folder, arena, &found, &found_count, error) != 0)
		return -1;
	for (size_t i = 0; i < found_count; i++) {
		const char *path = bench_arena_format(arena, "%s/%s", folder, found[i]);
		struct stat status;
		if (stat(path, &status) != 0)
			continue;
		if (S_ISREG(status.st_mode))
			BENCH_PUSH(arena, *names, *count) = found[i];
		if (!S_ISDIR(status.st_mode))
			continue;
		if (bench_machine_program_list(path, arena, &below, &below_count, error) != 0)
			return -1;
		for (size_t j = 0; j < below_count; j++)
			if (is_kernel(below[j]))
				BENCH_PUSH(arena, *names, *count) =
					bench_arena_format(arena, "%s/%s", found[i], below[j]);
	}
	if (*count)
		qsort(*names, *count, sizeof(char *), compare_bases);
	return 0;
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

/* What `list` finds: each file's name, without its folder, and its content. */
static int take_folder(const char *folder, __typeof__(bench_machine_program_list) *list, size_t most,
		       struct bench_arena *arena, uint64_t *hash, struct bench_error *error)
{
	char **names;
	size_t count;
	if (list(folder, arena, &names, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const char *path = bench_arena_format(arena, "%s/%s", folder, names[i]);
		struct stat status;
		if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
			continue;
		take_text(base_of(names[i]), hash);
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
	    (kernels && take_folder(kernels, bench_machine_program_list_kernels, MOST_KERNEL, arena, &hash,
				    error) != 0) ||
	    (extensions &&
	     take_folder(extensions, bench_machine_program_list, MOST_BYTES, arena, &hash, error) != 0))
		return -1;
	for (size_t i = 0; i < BENCH_MACHINE_PROGRAM_VARIABLES; i++)
		if (values[i] && *values[i]) {
			take_text(bench_machine_program_variables[i], &hash);
			take_text(values[i], &hash);
		}
	*identity = bench_arena_format(arena, "%016" PRIx64, hash);
	return 0;
}
