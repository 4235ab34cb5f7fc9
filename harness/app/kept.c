/* SPDX-License-Identifier: MIT */
#include "app/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "extend/extend.h"
#include "machine/program.h"
#include "store/store.h"

#define EXECUTABLE "bench"
#define KERNELS    "kernels"
#define EXTENSIONS "extensions"
#define ABOUT      "about.json"
#define NEW        ".new-" /* and the process that fills it */
#define ONE_DAY    86400
#define MOST_BYTES ((size_t)1 << 30) /* of a file that is copied */
#define MOST_ABOUT ((size_t)1 << 20)
#define MOST_OLD   8 /* that are kept beside those in use: the nights whose shifts may yet be accepted */

/* What is taken away from it, beside the variables that belong to a program. */
static const char *const foreign[] = {"BENCH_SLOWDOWN", "BENCH_KERNELS"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OWN          BENCH_MACHINE_PROGRAM_VARIABLES

static const char *own(size_t index)
{
	return bench_machine_program_variables[index];
}

/* "<db>.anchors/NAME/FILE"; both may be NULL. */
static char *path_of(struct bench_arena *arena, const char *db, const char *name, const char *file)
{
	return bench_arena_format(arena, "%s.anchors%s%s%s%s", bench_store_beside(db, arena), name ? "/" : "",
				  name ? name : "", file ? "/" : "", file ? file : "");
}

static int copy_file(const char *from, const char *to, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	if (bench_file_read(from, MOST_BYTES, &data, &length, error) != 0)
		return -1;
	return bench_file_write(to, data, length, error);
}

/* Into one folder: kernels have different names, whatever folder they are in. */
static int copy_kernels(const char *from, const char *to, struct bench_arena *arena,
			struct bench_error *error)
{
	char **names;
	size_t count;
	if (bench_machine_program_list_kernels(from, arena, &names, &count, error) != 0 ||
	    bench_file_make_folder(to, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(names[i], '/'), *name = slash ? slash + 1 : names[i];
		if (copy_file(bench_arena_format(arena, "%s/%s", from, names[i]),
			      bench_arena_format(arena, "%s/%s", to, name), error) != 0)
			return -1;
	}
	return 0;
}

/* The assignments that about.json asks for. */
static int read_own(const char *folder, struct bench_arena *arena, const char **values,
		    struct bench_error *error)
{
	char *path = bench_arena_format(arena, "%s/" ABOUT, folder), *data;
	size_t length;
	if (bench_file_read(path, MOST_ABOUT, &data, &length, error) != 0)
		return -1;
	BENCH_SCOPED_JSON *about = bench_json_parse(data, length, path, error);
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(about, "environment");
	for (size_t i = 0; about && i < OWN; i++) {
		const char *value = bench_json_string_or(environment, own(i), "");
		values[i] = *value ? bench_arena_string(arena, value) : NULL;
	}
	free(data);
	return about ? 0 : -1;
}

/* NULL: it has none of that name. */
static const char *folder_in(const char *folder, const char *name, struct bench_arena *arena)
{
	const char *path = bench_arena_format(arena, "%s/%s", folder, name);
	return bench_file_is_folder(path) ? path : NULL;
}

/* What the files of a kept folder come to: its name, unless they were changed. */
static int content_of(const char *folder, struct bench_arena *arena, char **content,
		      struct bench_error *error)
{
	const char *values[OWN];
	return read_own(folder, arena, values, error) != 0
		       ? -1
		       : bench_machine_program_identity(bench_arena_format(arena, "%s/" EXECUTABLE, folder),
							folder_in(folder, KERNELS, arena),
							folder_in(folder, EXTENSIONS, arena), values, arena,
							content, error);
}

static int write_about(const char *folder, const struct bench_run *run, struct bench_arena *arena,
		       struct bench_error *error)
{
	static const char *const facts[] = {"version", "build_commit", "build_type", "compiler", "flags"};
	cJSON *about = cJSON_CreateObject();
	cJSON *environment = cJSON_AddObjectToObject(about, "environment");
	for (size_t i = 0; i < COUNT(facts); i++)
		cJSON_AddStringToObject(about, facts[i], bench_record_fact(run, facts[i]));
	cJSON_AddStringToObject(about, "commit", run->git.present ? run->git.commit : "");
	cJSON_AddStringToObject(about, "command", run->command);
	bench_json_add_number(about, "kept", (double)run->started);
	for (size_t i = 0; i < OWN; i++) {
		const char *value = getenv(own(i));
		if (value && *value)
			cJSON_AddStringToObject(environment, own(i), value);
	}
	BENCH_SCOPED_MEMORY char *text = bench_json_print(about, true);
	int result =
		bench_file_write(bench_arena_format(arena, "%s/" ABOUT, folder), text, strlen(text), error);
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
	const char *kernels = bench_machine_program_kernels();
	if (bench_file_make_folder(folder, error) != 0)
		return -1;
	if (chmod(folder, 0755) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", folder, strerror(errno));
	if (copy_file("/proc/self/exe", executable, error) != 0 ||
	    (kernels &&
	     copy_kernels(kernels, bench_arena_format(arena, "%s/" KERNELS, folder), arena, error) != 0) ||
	    bench_extend_keep(bench_arena_format(arena, "%s/" EXTENSIONS, folder), error) != 0 ||
	    write_about(folder, run, arena, error) != 0)
		return -1;
	if (chmod(executable, 0755) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", executable, strerror(errno));
	return content_of(folder, arena, content, error);
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
	char *folder = path_of(arena, db, bench_arena_format(arena, NEW "%ld", (long)getpid()), NULL);
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

/* The options that bring what was brought. */
static int add_extensions(const char *folder, struct bench_arena *arena, struct bench_text *text,
			  struct bench_error *error)
{
	const char *extensions = folder_in(folder, EXTENSIONS, arena);
	char **names;
	size_t count;
	if (!extensions)
		return 0;
	if (bench_machine_program_list(extensions, arena, &names, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const char *option = bench_extend_kept_option(names[i]);
		if (option)
			bench_text_add_option(text, option,
					      bench_arena_format(arena, "%s/%s", extensions, names[i]));
	}
	return 0;
}

static void write_program(const char *folder, const char *const *values, struct bench_arena *arena,
			  struct bench_text *text)
{
	const char *kernels = folder_in(folder, KERNELS, arena);
	for (size_t i = 0; i < COUNT(foreign); i++)
		if (getenv(foreign[i]) && !(kernels && strcmp(foreign[i], "BENCH_KERNELS") == 0))
			add_assignment(text, arena, foreign[i], "");
	if (kernels)
		add_assignment(text, arena, "BENCH_KERNELS", kernels);
	for (size_t i = 0; i < OWN; i++)
		if (values[i] || getenv(own(i)))
			add_assignment(text, arena, own(i), values[i] ? values[i] : "");
	bench_text_add_shell(text, bench_arena_format(arena, "%s/" EXECUTABLE, folder));
}

int bench_app_kept_text(const char *db, const char *content, struct bench_arena *arena, char **text,
			struct bench_error *error)
{
	char *relative = path_of(arena, db, content, NULL), folder[PATH_MAX], *known;
	const char *values[OWN];
	struct bench_text written = {0};
	if (!realpath(relative, folder))
		return bench_fail(error, BENCH_NOTHING, "'%s' is not there: %s", relative, strerror(errno));
	if (check_owner(folder, error) != 0 ||
	    check_owner(bench_arena_format(arena, "%s/" EXECUTABLE, folder), error) != 0)
		return -1;
	if (content_of(folder, arena, &known, error) != 0 || read_own(folder, arena, values, error) != 0)
		return bench_fail(error, BENCH_NOTHING, "%s", error->text);
	if (strcmp(known, content) != 0)
		return bench_fail(error, BENCH_NOTHING, "'%s' was changed: its content is %s", folder, known);
	utimensat(AT_FDCWD, folder, NULL, 0);
	write_program(folder, values, arena, &written);
	int result = add_extensions(folder, arena, &written, error);
	*text = bench_text_keep(&written, arena);
	return result;
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

/* Folders that a process was killed over, a day ago or more: on a shared disk it may be one of another host.
 */
static void sweep(const char *folder)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_FOLDER *entries = opendir(folder);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		const char *path = bench_arena_format(&arena, "%s/%s", folder, entry->d_name);
		struct stat status;
		if (strncmp(entry->d_name, NEW, strlen(NEW)) == 0 && lstat(path, &status) == 0 &&
		    time(NULL) - status.st_mtime > ONE_DAY)
			remove_folder(path);
	}
}

void bench_app_kept_prune(const char *db, const char *const *used, size_t count)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_error ignored;
	struct old *olds = NULL;
	char **names;
	size_t name_count, old_count = 0;
	sweep(path_of(&arena, db, NULL, NULL));
	if (bench_machine_program_list(path_of(&arena, db, NULL, NULL), &arena, &names, &name_count,
				       &ignored) != 0)
		name_count = 0;
	for (size_t i = 0; i < name_count; i++) {
		struct stat status;
		if (BENCH_FIND(used, count, names[i]) ||
		    stat(path_of(&arena, db, names[i], NULL), &status) != 0)
			continue;
		BENCH_PUSH(&arena, olds, old_count) = (struct old){names[i], status.st_mtim};
	}
	if (old_count > 1)
		qsort(olds, old_count, sizeof(*olds), compare_newest);
	for (size_t i = MOST_OLD; i < old_count; i++)
		remove_folder(path_of(&arena, db, olds[i].name, NULL));
}
