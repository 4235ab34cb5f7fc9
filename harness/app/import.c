/* SPDX-License-Identifier: MIT */
#include "app/import.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/runs.h"
#include "core/file.h"
#include "core/hash.h"

#define FILES_MOST 20000
#define DEPTH_MOST 16 /* of folders */

struct files {
	struct bench_arena arena;
	struct bench_interchange_file *list;
	size_t count;
	uint64_t hash;  /* of all that they hold */
	int64_t newest; /* when the last of them was written */
};

static int add_file(struct files *files, const char *path, struct bench_error *error)
{
	struct stat status;
	char *data;
	size_t length;
	if (files->count == FILES_MOST)
		return bench_fail(error, BENCH_ENVIRONMENT, "more than %d files", FILES_MOST);
	const bool standard = strcmp(path, "-") == 0;
	if ((standard ? bench_file_read_input(BENCH_INTERCHANGE_BYTES, &data, &length, error)
		      : bench_file_read(path, BENCH_INTERCHANGE_BYTES, &data, &length, error)) != 0)
		return -1;
	const time_t written = standard ? time(NULL) : stat(path, &status) == 0 ? status.st_mtime : 0;
	if (written > files->newest)
		files->newest = written;
	files->hash = bench_hash_bytes(files->hash, data, length);
	BENCH_PUSH(&files->arena, files->list, files->count) = (struct bench_interchange_file){
		bench_arena_string(&files->arena, standard ? "standard input" : path), data, length};
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The files new/sample.json below a folder, in the order of their names. */
static int add_folder(struct files *files, const char *path, int depth, struct bench_error *error)
{
	struct dirent **entries;
	char below[PATH_MAX];
	int result = 0;
	if (bench_file_join(below, sizeof(below), path, "new/sample.json") && access(below, F_OK) == 0)
		result = add_file(files, below, error);
	const int count = scandir(path, &entries, NULL, by_name);
	if (count < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot list '%s': %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		struct stat status;
		if (result == 0 && depth < DEPTH_MOST && entries[i]->d_name[0] != '.' &&
		    bench_file_join(below, sizeof(below), path, entries[i]->d_name) &&
		    lstat(below, &status) == 0 && S_ISDIR(status.st_mode))
			result = add_folder(files, below, depth + 1, error);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int add_path(struct files *files, const char *path, struct bench_error *error)
{
	const size_t before = files->count;
	if (!bench_file_is_folder(path))
		return add_file(files, path, error);
	if (add_folder(files, path, 0, error) != 0)
		return -1;
	if (files->count == before)
		return bench_fail(error, BENCH_NOTHING, "'%s' contains no new/sample.json of Criterion",
				  path);
	return 0;
}

static void free_files(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free((void *)(uintptr_t)files->list[i].data);
	bench_arena_free(&files->arena);
}

/* By content, and by what options say of it: the same numbers of another commit are another run. */
static uint64_t identity(const struct bench_app_import *import, const struct files *files, size_t part)
{
	const char *const said[] = {import->options.commit, import->options.host, import->options.branch,
				    import->options.suite};
	uint64_t hash = files->hash;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (said[i]) {
			hash = bench_hash_bytes(hash, &i, sizeof(i));
			hash = bench_hash_bytes(hash, said[i], strlen(said[i]) + 1);
		}
	return part > 0 ? bench_hash_bytes(hash, &part, sizeof(part)) : hash;
}

/* `part`: which run of the files it is. */
static int add_labels(const struct bench_app_import *import, const struct files *files, size_t part,
		      struct bench_run *run, struct bench_error *error)
{
	const char *format = bench_record_label(run, BENCH_INTERCHANGE_LABEL);
	if (bench_app_add_labels(import->labels, import->label_count, run, error) != 0)
		return -1;
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, BENCH_INTERCHANGE_LABEL,
				   bench_arena_format(&run->arena, "%s %016llx", format,
						      (unsigned long long)identity(import, files, part)));
	return 0;
}

/* A run that is about to be written, and where those are that it may be one of. */
struct place {
	struct bench_store *store; /* NULL: do not write to the history */
	const char *runs_dir;
	struct bench_run *run;
	bool in_history, in_folder; /* what was read from the same files is there */
	bool begun; /* the run's folder is one that a process was killed in before it had a run */
};

static bool is_same(const struct bench_run *a, const struct bench_run *b)
{
	const char *of = bench_record_label(a, BENCH_INTERCHANGE_LABEL);
	return a->started == b->started && strcmp(of, bench_record_label(b, BENCH_INTERCHANGE_LABEL)) == 0;
}

static bool is_in_history(void *context, const char *id)
{
	const struct place *place = context;
	struct bench_error ignored;
	bool there = false;
	return place->store && bench_store_has(place->store, id, &there, &ignored) == 0 && there;
}

/* Looks at the run of that id; false: there is none. */
static bool look_at(struct place *place, const char *id)
{
	char path[PATH_MAX], absolute[PATH_MAX];
	struct bench_run *other;
	struct bench_error error;
	const bool stored = is_in_history(place, id);
	const bool kept =
		bench_file_join(path, sizeof(path), place->runs_dir, id) && bench_file_is_folder(path);
	const int loaded = stored ? bench_store_load_head(place->store, id, &other, &error)
			   : kept ? bench_record_load_folder(path, &other, &error)
				  : -1;
	if (loaded != 0)
		place->begun = !stored && kept && error.code == BENCH_NOTHING;
	const bool same = loaded == 0 && is_same(other, place->run);
	if (same || place->begun) {
		place->in_history = same && stored;
		place->in_folder = same && !stored;
		place->run->id = bench_arena_string(&place->run->arena, id);
		place->run->folder =
			bench_arena_string(&place->run->arena, realpath(path, absolute) ? absolute : path);
	}
	if (loaded == 0)
		bench_record_free(other);
	return stored || kept;
}

/*
 * Were the same files imported before, and if only into a folder, since the program was killed then? Ids of
 * one second follow each other.
 */
static void find_known(struct place *place)
{
	char stamp[32], id[48];
	struct tm local;
	const time_t started = (time_t)place->run->started;
	if (!localtime_r(&started, &local) || !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local))
		return;
	snprintf(id, sizeof(id), "%s", stamp);
	for (int i = 2; look_at(place, id) && !place->in_history && !place->in_folder && !place->begun; i++)
		snprintf(id, sizeof(id), "%s-%d", stamp, i);
}

/* The file that a folder is opened by is there, if the process that made the folder was killed before. */
static void begin_again(const char *folder)
{
	char samples[PATH_MAX];
	const int file = bench_file_join(samples, sizeof(samples), folder, "samples.jsonl")
				 ? open(samples, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)
				 : -1;
	if (file >= 0)
		close(file);
}

static int write_run(struct place *place, struct bench_error *error)
{
	const struct bench_folder_ids ids = {is_in_history, place};
	struct bench_folder folder;
	if (place->begun)
		begin_again(place->run->folder);
	if ((place->begun ? bench_record_folder_reopen(&folder, place->run->folder, error)
			  : bench_record_folder_create(&folder, place->runs_dir, place->run, NULL, &ids,
						       error)) != 0)
		return -1;
	bench_record_folder_log(&folder, "imported: %s", place->run->command);
	const int result = bench_record_folder_finish(&folder, place->run, error);
	bench_record_folder_close(&folder);
	return result;
}

static int keep(const struct bench_app_import *import, struct bench_store *store, struct bench_run *run,
		struct bench_app_imported *imported, struct bench_error *error)
{
	struct place place = {.store = store, .runs_dir = import->places.runs_dir, .run = run};
	enum bench_app_ingested what;
	int result = 0;
	find_known(&place);
	if (!place.in_history && !place.in_folder)
		result = write_run(&place, error);
	if (result == 0 && store && !place.in_history)
		result = bench_app_ingest(store, run->folder, &what, error);
	if (result != 0)
		return -1;
	if (place.in_history || (place.in_folder && !store))
		imported->known++;
	else
		imported->runs++;
	snprintf(imported->id, sizeof(imported->id), "%s", run->id);
	for (size_t i = 0; i < run->result_count; i++)
		imported->failed += run->results[i].status == BENCH_STATUS_FAILED;
	imported->results += run->result_count;
	snprintf(imported->from, sizeof(imported->from), "%s",
		 bench_record_label(run, BENCH_INTERCHANGE_LABEL));
	imported->from[strcspn(imported->from, " ")] = '\0';
	return 0;
}

static int keep_all(const struct bench_app_import *import, const struct files *files,
		    const struct bench_interchange_runs *runs, struct bench_app_imported *imported,
		    struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	int result =
		import->no_store ? 0 : bench_store_open(import->places.db, BENCH_STORE_WRITE, &store, error);
	for (size_t i = 0; i < runs->count && result == 0; i++) {
		result = add_labels(import, files, i, runs->list[i], error);
		if (result == 0)
			result = keep(import, store, runs->list[i], imported, error);
	}
	return result;
}

int bench_app_import(const struct bench_app_import *import, const char *const *paths, size_t count,
		     struct bench_interchange_notes *notes, struct bench_app_imported *imported,
		     struct bench_error *error)
{
	struct files files = {.hash = BENCH_HASH_START};
	struct bench_interchange_options options = import->options;
	struct bench_interchange_runs runs = {0};
	int result = 0;
	*imported = (struct bench_app_imported){0};
	for (size_t i = 0; i < count && result == 0; i++)
		result = add_path(&files, paths[i], error);
	options.started = files.newest;
	if (result == 0)
		result = bench_interchange_read(import->format, files.list, files.count, &options, notes,
						&runs, error);
	imported->lost = runs.lost;
	if (result == 0)
		result = keep_all(import, &files, &runs, imported, error);
	bench_interchange_free(&runs);
	free_files(&files);
	return result;
}
