#include "app/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/text.h"

#define EXECUTABLE   "bench"
#define KERNELS      "kernels"
#define ABOUT        "about.json"
#define MOST_BYTES   ((size_t)1 << 30) /* of an executable */
#define MOST_KERNEL  ((size_t)4 << 20) /* of a kernel file */
#define MOST_ABOUT   ((size_t)1 << 20)
#define MOST_KERNELS 1000
#define MOST_OLD     8 /* that are kept beside those in use: the nights whose shifts may yet be accepted */

/* What of the environment decides what a program measures, and so belongs to it and not to the machine. */
static const char *const own[] = {"BENCH_OPENCL_OPTIONS"};
/* What is taken away from it. */
static const char *const foreign[] = {"BENCH_SLOWDOWN", "BENCH_KERNELS", "BENCH_OPENCL_OPTIONS"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *live_kernels(void)
{
	const char *live = getenv("BENCH_KERNELS");
	return live && *live ? live : NULL;
}

/* "<db>.anchors/NAME/FILE"; both may be NULL. */
static char *path_of(struct bench_arena *arena, const char *db, const char *name, const char *file)
{
	return bench_arena_format(arena, "%s.anchors%s%s%s%s", db, name ? "/" : "", name ? name : "",
				  file ? "/" : "", file ? file : "");
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The names of the files in a folder, sorted, in `arena`. */
static int list_files(const char *folder, struct bench_arena *arena, char ***names, size_t *count,
		      struct bench_error *error)
{
	struct dirent **entries;
	int found = scandir(folder, &entries, is_visible, alphasort);
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

/* Copies a file, unless `to` is NULL, and adds what it holds to the hash. */
static int take_file(const char *from, const char *to, size_t most, uint64_t *hash, struct bench_error *error)
{
	char *data;
	size_t length;
	if (bench_file_read(from, most, &data, &length, error) != 0)
		return -1;
	*hash = bench_hash_bytes(*hash, data, length);
	int result = to ? bench_file_write(to, data, length, error) : 0;
	free(data);
	return result;
}

/* The same for the files of a folder of kernels, by name. */
static int take_kernels(const char *from, const char *to, struct bench_arena *arena, uint64_t *hash,
			struct bench_error *error)
{
	char **names;
	size_t count;
	if (list_files(from, arena, &names, &count, error) != 0 ||
	    (to && bench_file_make_folder(to, error) != 0))
		return -1;
	for (size_t i = 0; i < count; i++) {
		char *source = bench_arena_format(arena, "%s/%s", from, names[i]);
		struct stat status;
		if (stat(source, &status) != 0 || !S_ISREG(status.st_mode))
			continue;
		*hash = bench_hash_bytes(*hash, names[i], strlen(names[i]) + 1);
		if (take_file(source, to ? bench_arena_format(arena, "%s/%s", to, names[i]) : NULL,
			      MOST_KERNEL, hash, error) != 0)
			return -1;
	}
	return 0;
}

static char *name_of(struct bench_arena *arena, uint64_t hash)
{
	return bench_arena_format(arena, "%016" PRIx64, hash);
}

/* The assignments that about.json asks for. */
static int read_own(const char *folder, struct bench_arena *arena, const char **values,
		    struct bench_error *error)
{
	char *path = bench_arena_format(arena, "%s/" ABOUT, folder), *data;
	size_t length;
	if (bench_file_read(path, MOST_ABOUT, &data, &length, error) != 0)
		return -1;
	cJSON *about = bench_json_parse(data, length, path, error);
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(about, "environment");
	for (size_t i = 0; about && i < COUNT(own); i++) {
		const char *value = bench_json_string_or(environment, own[i], "");
		values[i] = *value ? bench_arena_string(arena, value) : NULL;
	}
	cJSON_Delete(about);
	free(data);
	return about ? 0 : -1;
}

/* What belongs to it of the environment is part of the content. */
static void take_own(const char *const *values, uint64_t *hash)
{
	for (size_t i = 0; i < COUNT(own); i++)
		if (values[i] && *values[i]) {
			*hash = bench_hash_bytes(*hash, own[i], strlen(own[i]) + 1);
			*hash = bench_hash_bytes(*hash, values[i], strlen(values[i]) + 1);
		}
}

/* What the files of a kept folder come to: its name, unless they were changed. */
static int content_of(const char *folder, struct bench_arena *arena, char **content,
		      struct bench_error *error)
{
	char *kernels = bench_arena_format(arena, "%s/" KERNELS, folder);
	const char *values[COUNT(own)];
	uint64_t hash = BENCH_HASH_START;
	if (take_file(bench_arena_format(arena, "%s/" EXECUTABLE, folder), NULL, MOST_BYTES, &hash, error) !=
		    0 ||
	    (bench_file_is_folder(kernels) && take_kernels(kernels, NULL, arena, &hash, error) != 0) ||
	    read_own(folder, arena, values, error) != 0)
		return -1;
	take_own(values, &hash);
	*content = name_of(arena, hash);
	return 0;
}

static int write_about(const char *folder, const struct bench_run *run, struct bench_arena *arena,
		       struct bench_error *error)
{
	static const char *const facts[] = {"version", "build_commit", "build_type", "compiler", "flags"};
	cJSON *about = cJSON_CreateObject();
	cJSON *environment = cJSON_AddObjectToObject(about, "environment");
	for (size_t i = 0; i < COUNT(facts); i++)
		cJSON_AddStringToObject(about, facts[i],
					bench_record_attribute_get(run->host, run->host_count, facts[i]));
	cJSON_AddStringToObject(about, "commit", run->git.present ? run->git.commit : "");
	cJSON_AddStringToObject(about, "command", run->command);
	bench_json_add_number(about, "kept", (double)run->started);
	for (size_t i = 0; i < COUNT(own); i++) {
		const char *value = getenv(own[i]);
		if (value && *value)
			cJSON_AddStringToObject(environment, own[i], value);
	}
	char *text = cJSON_Print(about);
	int result =
		text ? bench_file_write(bench_arena_format(arena, "%s/" ABOUT, folder), text, strlen(text),
					error)
		     : bench_fail(error, BENCH_NO_MEMORY, "no memory for what is said of a kept program");
	free(text);
	cJSON_Delete(about);
	return result;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_folder(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Fills a folder that nobody else knows yet. */
static int fill(const char *folder, const struct bench_run *run, struct bench_arena *arena, char **content,
		struct bench_error *error)
{
	char *executable = bench_arena_format(arena, "%s/" EXECUTABLE, folder);
	const char *values[COUNT(own)];
	uint64_t hash = BENCH_HASH_START;
	for (size_t i = 0; i < COUNT(own); i++)
		values[i] = getenv(own[i]);
	if (bench_file_make_folder(folder, error) != 0)
		return -1;
	if (chmod(folder, 0755) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", folder, strerror(errno));
	if (take_file("/proc/self/exe", executable, MOST_BYTES, &hash, error) != 0 ||
	    (live_kernels() && take_kernels(live_kernels(), bench_arena_format(arena, "%s/" KERNELS, folder),
					    arena, &hash, error) != 0) ||
	    write_about(folder, run, arena, error) != 0)
		return -1;
	if (chmod(executable, 0755) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", executable, strerror(errno));
	take_own(values, &hash);
	*content = name_of(arena, hash);
	return 0;
}

/* Is it ours, and may nobody else write it? */
static int check_owner(const char *path, struct bench_error *error)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return bench_fail(error, BENCH_NOTHING, "'%s': %s", path, strerror(errno));
	if (status.st_uid != geteuid())
		return bench_fail(error, BENCH_NOTHING, "'%s' belongs to another user", path);
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return bench_fail(error, BENCH_NOTHING, "'%s' may be written by others", path);
	return 0;
}

int bench_app_kept_add(const char *db, const struct bench_run *run, struct bench_arena *arena, char **content,
		       struct bench_error *error)
{
	char *folder = path_of(arena, db, bench_arena_format(arena, ".new-%ld", (long)getpid()), NULL);
	char *known;
	struct bench_error ignored;
	int result = fill(folder, run, arena, content, error);
	if (result == 0) {
		char *place = path_of(arena, db, *content, NULL);
		if (check_owner(place, &ignored) == 0 &&
		    check_owner(bench_arena_format(arena, "%s/" EXECUTABLE, place), &ignored) == 0 &&
		    content_of(place, arena, &known, &ignored) == 0 && strcmp(known, *content) == 0) {
			utimensat(AT_FDCWD, place, NULL, 0);
		} else {
			remove_folder(place);
			/* Another process may have been faster, with the same. */
			if (rename(folder, place) != 0 && errno != EEXIST && errno != ENOTEMPTY)
				result = bench_fail(error, BENCH_ENVIRONMENT, "cannot make '%s': %s", place,
						    strerror(errno));
		}
	}
	remove_folder(folder);
	return result;
}

static void add_assignment(struct bench_text *text, struct bench_arena *arena, const char *name,
			   const char *value)
{
	bench_text_add_shell(text, bench_arena_format(arena, "%s=%s", name, value));
	bench_text_add(text, " ");
}

static void write_text(const char *folder, const char *const *values, struct bench_arena *arena,
		       struct bench_text *text)
{
	char *kernels = bench_arena_format(arena, "%s/" KERNELS, folder);
	bool live = bench_file_is_folder(kernels);
	for (size_t i = 0; i < COUNT(foreign); i++) {
		bool set = live && strcmp(foreign[i], "BENCH_KERNELS") == 0;
		for (size_t j = 0; j < COUNT(own); j++)
			set |= values[j] && strcmp(foreign[i], own[j]) == 0;
		if (!set && getenv(foreign[i]))
			add_assignment(text, arena, foreign[i], "");
	}
	if (live)
		add_assignment(text, arena, "BENCH_KERNELS", kernels);
	for (size_t i = 0; i < COUNT(own); i++)
		if (values[i])
			add_assignment(text, arena, own[i], values[i]);
	bench_text_add_shell(text, bench_arena_format(arena, "%s/" EXECUTABLE, folder));
}

int bench_app_kept_text(const char *db, const char *content, struct bench_arena *arena, char **text,
			struct bench_error *error)
{
	char *relative = path_of(arena, db, content, NULL), folder[PATH_MAX], *known;
	const char *values[COUNT(own)];
	struct bench_text written = {0};
	struct bench_error cause;
	if (!realpath(relative, folder))
		return bench_fail(error, BENCH_NOTHING, "'%s' is not there: %s", relative, strerror(errno));
	if (check_owner(folder, error) != 0 ||
	    check_owner(bench_arena_format(arena, "%s/" EXECUTABLE, folder), error) != 0)
		return -1;
	if (content_of(folder, arena, &known, &cause) != 0 || read_own(folder, arena, values, &cause) != 0)
		return bench_fail(error, BENCH_NOTHING, "%s", cause.text);
	if (strcmp(known, content) != 0)
		return bench_fail(error, BENCH_NOTHING, "'%s' was changed: its content is %s", folder, known);
	utimensat(AT_FDCWD, folder, NULL, 0);
	write_text(folder, values, arena, &written);
	*text = bench_text_keep(&written, arena);
	return 0;
}

/* What is kept, and when it was last used. */
struct old {
	const char *name;
	struct timespec used;
};

static int compare_newest(const void *left, const void *right)
{
	const struct timespec *a = &((const struct old *)left)->used, *b = &((const struct old *)right)->used;
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? 1 : -1;
	return (a->tv_nsec < b->tv_nsec) - (a->tv_nsec > b->tv_nsec);
}

void bench_app_kept_prune(const char *db, const char *const *used, size_t count)
{
	struct bench_arena arena = {0};
	struct bench_error ignored;
	struct old *olds = NULL;
	char **names;
	size_t name_count, old_count = 0;
	if (list_files(path_of(&arena, db, NULL, NULL), &arena, &names, &name_count, &ignored) != 0)
		name_count = 0;
	for (size_t i = 0; i < name_count; i++) {
		bool in_use = false;
		struct stat status;
		for (size_t j = 0; j < count; j++)
			in_use |= strcmp(names[i], used[j]) == 0;
		if (in_use || stat(path_of(&arena, db, names[i], NULL), &status) != 0)
			continue;
		*(struct old *)bench_arena_push(&arena, &olds, &old_count, sizeof(*olds)) =
			(struct old){names[i], status.st_mtim};
	}
	if (old_count > 1)
		qsort(olds, old_count, sizeof(*olds), compare_newest);
	for (size_t i = MOST_OLD; i < old_count; i++)
		remove_folder(path_of(&arena, db, olds[i].name, NULL));
	bench_arena_free(&arena);
}
