/* SPDX-License-Identifier: MIT */
#include "record/removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "record/event.h"
#include "record/folder.h"
#include "record/internal.h"

/* What a run writes, in the order in which it is removed: what says whose folder it is comes last. */
static const char *const files[] = {"run.log", "samples.jsonl", "metrics.json"};
#define FILES (sizeof(files) / sizeof(files[0]))

struct place {
	char path[PATH_MAX];
	int parent, folder; /* -1: it is not there */
	int samples;        /* open and locked against those who measure; -1: there is no such file */
};

static int stays(const struct place *place, const char *why, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT, "the folder '%s' stays: %s", place->path, why);
}

static void close_place(struct place *place)
{
	int *const all[] = {&place->samples, &place->folder, &place->parent};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static bool is_mount_point(const struct place *place)
{
	struct statx folder, parent;
	const int flags = AT_EMPTY_PATH | AT_NO_AUTOMOUNT;
	if (statx(place->folder, "", flags, STATX_BASIC_STATS, &folder) != 0 ||
	    statx(place->parent, "", flags, STATX_BASIC_STATS, &parent) != 0)
		return false;
	return (folder.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 ||
	       makedev(folder.stx_dev_major, folder.stx_dev_minor) !=
		       makedev(parent.stx_dev_major, parent.stx_dev_minor);
}

/* Where the folder is not there, place->folder is -1. An id that is no plain name is no folder's: the history
 * may come from elsewhere. */
static int open_place(struct place *place, const char *runs_dir, const char *id, struct bench_error *error)
{
	struct stat status;
	*place = (struct place){.parent = -1, .folder = -1, .samples = -1};
	if (!*id || *id == '.' || strchr(id, '/'))
		return 0;
	if (!bench_file_join(place->path, sizeof(place->path), runs_dir, id))
		return bench_fail(error, BENCH_ENVIRONMENT, "the path '%.200s...' is too long", runs_dir);
	place->parent = open(runs_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->parent >= 0 && fstatat(place->parent, id, &status, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!S_ISDIR(status.st_mode))
			return stays(place,
				     S_ISLNK(status.st_mode) ? "it is a symbolic link" : "it is not a folder",
				     error);
		place->folder = openat(place->parent, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (place->folder < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : stays(place, strerror(errno), error);
	if (is_mount_point(place))
		return stays(place, "it is a mount point", error);
	if (faccessat(place->parent, ".", W_OK | X_OK, AT_EACCESS) != 0 ||
	    faccessat(place->folder, ".", W_OK | X_OK, AT_EACCESS) != 0)
		return stays(place, strerror(errno), error);
	return 0;
}

/* A temporary file beside metrics.json, of a process that was killed? */
static bool is_temporary(const char *name)
{
	static const char start[] = ".metrics.json.bench-";
	return strncmp(name, start, sizeof(start) - 1) == 0 && strlen(name) == sizeof(start) - 1 + 6;
}

static bool is_of_a_run(const char *name)
{
	bool known = is_temporary(name);
	for (size_t i = 0; i < FILES; i++)
		known |= strcmp(name, files[i]) == 0;
	return known;
}

/* What is in the folder: its own alone, and temporary files, which are removed where that is asked. */
static int look_through(const struct place *place, bool remove_temporaries, struct bench_error *error)
{
	const int copy = openat(place->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	int result = 0;
	if (!entries) {
		result = stays(place, strerror(errno), error);
		if (copy >= 0)
			close(copy);
		return result;
	}
	for (const struct dirent *entry; result == 0 && (errno = 0, entry = readdir(entries));) {
		struct stat status;
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (fstatat(place->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
			result = errno == ENOENT ? 0 : stays(place, strerror(errno), error);
		else if (!is_of_a_run(name) || !S_ISREG(status.st_mode))
			result = bench_fail(
				error, BENCH_ENVIRONMENT,
				"the folder '%s' stays: '%s' in it is not the run's; move it away, or remove "
				"the run from the history alone with --keep-folders",
				place->path, name);
		else if (remove_temporaries && is_temporary(name) && unlinkat(place->folder, name, 0) != 0)
			result = stays(place, strerror(errno), error);
	}
	if (result == 0 && errno)
		result = stays(place, strerror(errno), error);
	closedir(entries);
	return result;
}

static int lock_out_measuring(struct place *place, struct bench_error *error)
{
	place->samples =
		openat(place->folder, "samples.jsonl", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (place->samples < 0)
		return errno == ENOENT ? 0 : stays(place, strerror(errno), error);
	if (bench_record_folder_is_live(place->path) ||
	    (flock(place->samples, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK))
		return stays(place, "it is being measured into", error);
	return 0;
}

/* Of what was known before measuring, that which stays as it was: labels change in the history. */
static bool is_same_start(const struct bench_run *stored, const struct bench_run *found)
{
	struct bench_run a = *stored, b = *found;
	a.finished = b.finished = 0;
	a.interrupted = b.interrupted = false;
	a.label_count = b.label_count = 0;
	a.device_count = b.device_count = 0; /* their ceilings are raised later */
	BENCH_SCOPED_MEMORY char *of_a = bench_record_event_run_line(&a),
				 *of_b = bench_record_event_run_line(&b);
	return strcmp(of_a, of_b) == 0;
}

static bool has(const struct place *place, const char *name)
{
	struct stat status;
	return fstatat(place->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Is every file of the record that is here a copy of the other folder's, to the byte? */
static bool is_copy(const struct place *place, const char *other)
{
	bool same = true;
	for (size_t i = 0; same && i < FILES; i++) {
		char a[PATH_MAX], b[PATH_MAX], *of_a = NULL, *of_b = NULL;
		size_t length_a, length_b;
		if (!has(place, files[i]))
			continue;
		same = bench_file_join(a, sizeof(a), place->path, files[i]) &&
		       bench_file_join(b, sizeof(b), other, files[i]) &&
		       bench_file_read(a, RECORD_SAMPLES_FILE_BYTES, &of_a, &length_a, NULL) == 0 &&
		       bench_file_read(b, RECORD_SAMPLES_FILE_BYTES, &of_b, &length_b, NULL) == 0 &&
		       length_a == length_b && memcmp(of_a, of_b, length_a) == 0;
		free(of_a);
		free(of_b);
	}
	return same;
}

/* Is it the folder that the history names, or one that was copied from it with the history? Where that one is
 * gone, or is named by a relative path, the record tells alone. */
static bool is_named_folder(const struct place *place, const char *recorded)
{
	struct stat named, found;
	return *recorded != '/' || stat(recorded, &named) != 0 || fstat(place->folder, &found) != 0 ||
	       (named.st_dev == found.st_dev && named.st_ino == found.st_ino) || is_copy(place, recorded);
}

/* Does the folder hold the same run as the history? */
static int check_record(const struct place *place, const struct bench_run *run, struct bench_error *error)
{
	BENCH_SCOPED_RUN *found = NULL;
	struct bench_error cause;
	if (!has(place, "samples.jsonl") && !has(place, "metrics.json") && !has(place, "run.log"))
		return 0; /* empty: an earlier removal was cut short */
	if (!is_named_folder(place, run->folder))
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "the folder '%s' stays: run %s of the history is in '%s'; --runs-dir names "
				  "the folder of that, --keep-folders removes it from the history alone",
				  place->path, run->id, run->folder);
	if (bench_record_load_folder(place->path, &found, &cause) != 0)
		return stays(place, cause.text, error);
	return is_same_start(run, found) ? 0
					 : stays(place,
						 "it holds another run than the history has under this id; "
						 "--keep-folders removes "
						 "that from the history alone",
						 error);
}

int bench_record_removal_check(const char *runs_dir, const struct bench_run *run, struct bench_error *error)
{
	struct place place;
	int result = open_place(&place, runs_dir, run->id, error);
	if (result == 0 && place.folder >= 0 &&
	    (look_through(&place, false, error) != 0 || lock_out_measuring(&place, error) != 0 ||
	     check_record(&place, run, error) != 0))
		result = -1;
	close_place(&place);
	return result;
}

static int remove_files(struct place *place, const char *id, struct bench_error *error)
{
	if (lock_out_measuring(place, error) != 0 || look_through(place, false, error) != 0 ||
	    look_through(place, true, error) != 0)
		return -1;
	for (size_t i = 0; i < FILES; i++)
		if (unlinkat(place->folder, files[i], 0) != 0 && errno != ENOENT)
			return stays(place, strerror(errno), error);
	if (unlinkat(place->parent, id, AT_REMOVEDIR) != 0 && errno != ENOENT)
		return stays(place, strerror(errno), error);
	return 0;
}

int bench_record_removal_do(const char *runs_dir, const char *id, struct bench_error *error)
{
	struct place place;
	int result = open_place(&place, runs_dir, id, error);
	if (result == 0 && place.folder >= 0)
		result = remove_files(&place, id, error);
	close_place(&place);
	return result;
}
