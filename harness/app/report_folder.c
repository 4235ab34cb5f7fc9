/* SPDX-License-Identifier: MIT */
/*
 * The folder of a report, written beside its place and put there by rename. What is replaced must be a report
 * and nothing else: whatever the user has put into it would be lost.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/report.h"
#include "core/file.h"

#define MARKER "bench-report.txt"
#define MARKER_TEXT                                                                                          \
	"bench-report/1\nWritten by bench report, which replaces the whole folder when it writes it anew.\n"

/* The entries of a report besides its marker; a name with a '/' covers the files of a folder, by their
 * extension. */
static const char *const files[] = {"index.html", "runs.html", "devices.html"};
static const struct {
	const char *folder, *ending;
} folders[] = {{"assets", ""},    {"suites", ".html"},      {"metrics", ".html"},
	       {"runs", ".html"}, {"comparisons", ".html"}, {"devices", ".html"}};
enum { FILES = sizeof(files) / sizeof(files[0]), FOLDERS = sizeof(folders) / sizeof(folders[0]) };

static bool ends_with(const char *name, const char *ending)
{
	size_t length = strlen(name), tail = strlen(ending);
	return length >= tail && strcmp(name + length - tail, ending) == 0;
}

/* Is "name", or "folder/name", a file that a report has? */
static bool is_ours(const char *folder, const char *name)
{
	if (*folder) {
		for (size_t i = 0; i < FOLDERS; i++)
			if (strcmp(folder, folders[i].folder) == 0 && ends_with(name, folders[i].ending))
				return true;
		return false;
	}
	bool ours = strcmp(name, MARKER) == 0;
	ours |= BENCH_FIND(files, FILES, name) != NULL;
	return ours;
}

/* What is done with each file of a report, "path/below/name"; -1 ends it, with errno. */
typedef int visitor(const char *path, const char *below, const char *name, bool is_folder, void *context);

/* All entries of a folder and of the folders of a report in it. A folder comes after what is in it. -1 with
 * errno. */
static int visit(const char *path, const char *below, visitor *each, void *context)
{
	char full[PATH_MAX];
	struct stat status;
	int result = 0;
	if (snprintf(full, sizeof(full), "%s%s%s", path, *below ? "/" : "", below) >= (int)sizeof(full)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	DIR *entries = opendir(full);
	if (!entries)
		return -1;
	for (struct dirent *entry; result == 0 && (entry = readdir(entries));) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		bool folder = fstatat(dirfd(entries), name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			      S_ISDIR(status.st_mode);
		if (folder && !*below && BENCH_FIND(folders, FOLDERS, name))
			result = visit(path, name, each, context);
		if (result == 0)
			result = each(path, below, name, folder, context);
	}
	int cause = errno;
	closedir(entries);
	errno = cause;
	return result;
}

/* What is in a folder. */
struct found {
	size_t count;
	char foreign[NAME_MAX + 32]; /* the first that is not a report's; "": none */
};

static int look_at(const char *path, const char *below, const char *name, bool is_folder, void *context)
{
	struct found *found = context;
	(void)path;
	found->count++;
	if (is_folder ? !*below && BENCH_FIND(folders, FOLDERS, name) : is_ours(below, name))
		return 0;
	snprintf(found->foreign, sizeof(found->foreign), "%s%s%.200s", below, *below ? "/" : "", name);
	errno = EEXIST;
	return -1;
}

/* All but the marker. */
static int remove_each(const char *path, const char *below, const char *name, bool is_folder, void *context)
{
	char full[PATH_MAX];
	(void)context;
	if ((!*below && strcmp(name, MARKER) == 0) || snprintf(full, sizeof(full), "%s/%s%s%s", path, below,
							       *below ? "/" : "", name) >= (int)sizeof(full))
		return 0;
	(void)(is_folder ? rmdir(full) : unlink(full));
	return 0;
}

/*
 * Removes a report: what else came into the folder meanwhile stays, and the folder with it. The marker goes
 * last: what a kill leaves is still known for a report.
 */
static void remove_report(const char *path)
{
	char marker[PATH_MAX];
	(void)visit(path, "", remove_each, NULL);
	if (bench_file_join(marker, sizeof(marker), path, MARKER))
		(void)unlink(marker);
	(void)rmdir(path);
}

/* Is there nothing of that name, an empty folder, or a report and nothing else? */
static int check_place(const char *path, struct bench_error *error)
{
	struct found found = {0};
	char marker[PATH_MAX];
	struct stat status;
	if (lstat(path, &status) != 0)
		return errno == ENOENT ? 0
				       : bench_fail(error, BENCH_ENVIRONMENT, "cannot look at '%s': %s", path,
						    strerror(errno));
	if (!bench_file_is_folder(path))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' exists and is not a folder: choose another with --out", path);
	if (visit(path, "", look_at, &found) != 0 && !*found.foreign)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
	if (*found.foreign)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' has '%s', which is not part of a report: choose another folder with "
				  "--out, or move it",
				  path, found.foreign);
	if (found.count == 0)
		return 0;
	if (!bench_file_join(marker, sizeof(marker), path, MARKER) || access(marker, F_OK) != 0)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' was not written by bench report (it has no %s): choose another "
				  "folder with --out",
				  path, MARKER);
	return 0;
}

/* Removes what killed reports have left beside the place: those whose marker nobody holds. */
static void sweep(const char *path)
{
	char parent[PATH_MAX], prefix[NAME_MAX + 16], full[PATH_MAX], marker[PATH_MAX];
	const char *slash = strrchr(path, '/');
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
		 slash ? path : ".");
	snprintf(prefix, sizeof(prefix), ".%.200s.bench-", slash ? slash + 1 : path);
	BENCH_SCOPED_FOLDER *entries = opendir(parent);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    !bench_file_join(full, sizeof(full), parent, entry->d_name) ||
		    !bench_file_join(marker, sizeof(marker), full, MARKER))
			continue;
		int fd = open(marker, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			(void)rmdir(full);
		else if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_report(full);
		if (fd >= 0)
			close(fd);
	}
}

static int cannot(const struct bench_app_report_folder *folder, const char *what, struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot %s '%s': %s", what, folder->path,
			  strerror(errno));
}

/* The place itself, where it is reached by links; without slashes at its end. */
static int resolve(struct bench_app_report_folder *folder, const char *path, struct bench_error *error)
{
	char parent[PATH_MAX];
	if (snprintf(folder->path, sizeof(folder->path), "%s", path) >= (int)sizeof(folder->path) - 32 ||
	    !*path)
		return bench_fail(error, BENCH_USAGE, "--out: the path '%s' is %s", path,
				  *path ? "too long" : "empty");
	for (size_t end = strlen(folder->path); end > 1 && folder->path[end - 1] == '/'; end--)
		folder->path[end - 1] = '\0';
	char *real = realpath(folder->path, NULL);
	if (real && strlen(real) < sizeof(folder->path) - 32)
		memcpy(folder->path, real, strlen(real) + 1);
	free(real);
	const char *slash = strrchr(folder->path, '/');
	if (!slash || slash == folder->path)
		return 0;
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - folder->path), folder->path);
	return bench_file_make_folder(parent, error);
}

int bench_app_report_start(struct bench_app_report_folder *folder, const char *path,
			   struct bench_error *error)
{
	char marker[PATH_MAX];
	*folder = (struct bench_app_report_folder){.marker = -1};
	if (resolve(folder, path, error) != 0 || check_place(folder->path, error) != 0)
		return -1;
	sweep(folder->path);
	const char *slash = strrchr(folder->path, '/');
	size_t stem = slash ? (size_t)(slash - folder->path) + 1 : 0;
	if (snprintf(folder->temporary, sizeof(folder->temporary), "%.*s.%s.bench-XXXXXX", (int)stem,
		     folder->path, folder->path + stem) >= (int)sizeof(folder->temporary) ||
	    !mkdtemp(folder->temporary))
		return cannot(folder, "write beside", error);
	bench_file_join(marker, sizeof(marker), folder->temporary, MARKER);
	/* A report is read by others; mkdtemp's folder is not. */
	mode_t mask = umask(0);
	umask(mask);
	folder->marker = open(marker, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	if (folder->marker < 0 || flock(folder->marker, LOCK_EX | LOCK_NB) != 0 ||
	    bench_file_append(folder->marker, MARKER_TEXT, strlen(MARKER_TEXT)) != 0 ||
	    chmod(folder->temporary, 0777 & ~mask) != 0) {
		cannot(folder, "write beside", error);
		return bench_app_report_end(folder, -1, NULL);
	}
	return 0;
}

int bench_app_report_write(struct bench_app_report_folder *folder, const char *name, const char *data,
			   size_t length, struct bench_error *error)
{
	char path[PATH_MAX];
	if (!bench_file_join(path, sizeof(path), folder->temporary, name))
		return bench_fail(error, BENCH_ENVIRONMENT, "the path '%s...' is too long",
				  folder->temporary);
	char *slash = strrchr(path, '/');
	*slash = '\0';
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return cannot(folder, "write", error);
	*slash = '/';
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return cannot(folder, "write", error);
	int status = bench_file_append(fd, data, length), cause = errno;
	if (close(fd) != 0 && status == 0) {
		status = -1;
		cause = errno;
	}
	errno = cause;
	if (status != 0)
		return cannot(folder, "write", error);
	folder->files++;
	folder->bytes += length;
	return 0;
}

/* The new folder takes the place of the old one: in one step, where the file system can. */
static int exchange(const struct bench_app_report_folder *folder)
{
	char aside[PATH_MAX + 8];
	if (rename(folder->temporary, folder->path) == 0) /* there was none, or an empty one */
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -1;
	if (renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->path, RENAME_EXCHANGE) == 0) {
		remove_report(folder->temporary); /* the old one, now */
		return 0;
	}
	snprintf(aside, sizeof(aside), "%s.old", folder->temporary);
	if ((errno != EINVAL && errno != ENOSYS) || rename(folder->path, aside) != 0)
		return -1;
	int status = rename(folder->temporary, folder->path), cause = errno;
	if (status == 0)
		remove_report(aside);
	else
		(void)rename(aside, folder->path);
	errno = cause;
	return status;
}

int bench_app_report_end(struct bench_app_report_folder *folder, int status, struct bench_error *error)
{
	/* What came into the place meanwhile is not taken away. */
	if (status == 0)
		status = check_place(folder->path, error);
	if (status == 0 && exchange(folder) != 0)
		status = cannot(folder, "replace", error);
	if (status != 0)
		remove_report(folder->temporary);
	if (folder->marker >= 0)
		close(folder->marker);
	return status;
}
