#include "app/retention.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "record/folder.h"

static bool of_a_kind(const struct bench_run_row *a, const struct bench_run_row *b)
{
	return strcmp(a->fingerprint, b->fingerprint) == 0 && strcmp(a->preset, b->preset) == 0 &&
	       strcmp(a->suites, b->suites) == 0 && strcmp(a->aside, b->aside) == 0;
}

int bench_app_old_runs(struct bench_store *store, const struct bench_app_prune *prune,
		       struct bench_arena *arena, struct bench_app_old_run **runs, size_t *count,
		       struct bench_error *error)
{
	struct bench_run_row *rows;
	size_t row_count;
	*runs = NULL;
	*count = 0;
	if (bench_store_runs(store, 0, arena, &rows, &row_count, error) != 0)
		return -1;
	for (size_t i = 0; i < row_count; i++) {
		size_t newer = 0;
		char *stays;
		for (size_t j = 0; j < i && newer < prune->newest; j++)
			newer += of_a_kind(&rows[i], &rows[j]);
		if (newer < prune->newest || rows[i].started >= prune->before)
			continue;
		if (bench_store_needs(store, rows[i].id, arena, &stays, error) != 0)
			return -1;
		*(struct bench_app_old_run *)bench_arena_push(arena, runs, count, sizeof(**runs)) =
			(struct bench_app_old_run){&rows[i], stays};
	}
	return 0;
}

/* The files in a folder, and the folder where there was nothing else in it. */
static int remove_files(const char *path)
{
	DIR *folder = bench_file_open_folder(path);
	const struct dirent *entry;
	if (!folder)
		return -1;
	while ((entry = readdir(folder))) {
		struct stat status;
		if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(status.st_mode))
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	closedir(folder);
	return rmdir(path);
}

/* The history may come from elsewhere: an id that is no plain name is no folder. */
static void remove_folder(const char *runs_dir, const char *id, const struct bench_app_host *host)
{
	char path[PATH_MAX], samples[PATH_MAX];
	struct stat status;
	if (id[0] == '.' || strchr(id, '/') || !bench_file_join(path, sizeof(path), runs_dir, id) ||
	    lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) ||
	    !bench_file_join(samples, sizeof(samples), path, "samples.jsonl") || access(samples, F_OK) != 0)
		return;
	if (bench_record_folder_is_live(path))
		bench_app_warn(host, "folder '%s' stays: it is being measured into", path);
	else if (remove_files(path) != 0)
		bench_app_warn(host, "folder '%s' stays: %s", path, strerror(errno));
}

int bench_app_remove_runs(struct bench_store *store, const char *runs_dir, const char *const *ids,
			  size_t count, const struct bench_app_host *host, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_error cause;
	int result = 0;
	for (size_t i = 0; result == 0 && i < count; i++) {
		char *why;
		result = bench_store_needs(store, ids[i], &arena, &why, error);
		if (result == 0 && *why)
			result = bench_fail(error, BENCH_USAGE,
					    "run %.64s is needed: %.300s; nothing was removed", ids[i], why);
	}
	bench_arena_free(&arena);
	if (result != 0 || bench_store_remove(store, ids, count, error) != 0)
		return -1;
	for (size_t i = 0; runs_dir && i < count; i++)
		remove_folder(runs_dir, ids[i], host);
	if (bench_store_compact(store, &cause) != 0)
		bench_app_warn(host, "the file keeps its size: %s", cause.text);
	return 0;
}

static void drop_label(struct bench_run *run, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < run->label_count; i++)
		if (strcmp(run->labels[i].name, name) != 0)
			run->labels[kept++] = run->labels[i];
	run->label_count = kept;
}

int bench_app_label_run(struct bench_store *store, const char *id, const char *name, const char *value,
			struct bench_error *error)
{
	struct bench_run *run;
	if (strcmp(name, "anchor") == 0)
		return bench_fail(error, BENCH_USAGE,
				  "the label anchor says what a run was measured in turns with: it stays");
	if (bench_store_load_head(store, id, &run, error) != 0)
		return -1;
	if (*value)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, name, value);
	else
		drop_label(run, name);
	int result = bench_store_relabel(store, run, error);
	bench_record_free(run);
	return result;
}
