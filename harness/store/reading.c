/* SPDX-License-Identifier: MIT */
/*
 * How to read a file and leave nothing behind in its folder. A read-only connection creates SQLite's log and
 * index if they are missing, and cannot remove them. Those of another user then lock the owner out.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "store/sqlite.h"

/* Times of files are those of the last tick of the kernel's clock. */
#define TICK_NS  INT64_C(20000000)
#define ATTEMPTS 100

struct beside {
	bool there;
	off_t bytes;
	char path[PATH_MAX + 16];
};

static struct beside look_beside(const char *path, const char *suffix)
{
	struct beside beside = {0};
	char real[PATH_MAX];
	struct stat status;
	snprintf(beside.path, sizeof(beside.path), "%s%s", realpath(path, real) ? real : path, suffix);
	beside.there = stat(beside.path, &status) == 0;
	beside.bytes = beside.there ? status.st_size : 0;
	return beside;
}

bool store_has_empty_log(const char *path)
{
	return look_beside(path, "-wal").bytes == 0 && !look_beside(path, "-journal").there;
}

/*
 * The file by SQLite's own hands: a descriptor of ours that is closed would take along the locks that other
 * connections of this process have. NULL where it cannot be opened; sqlite3_free it after xClose.
 */
static sqlite3_file *open_quietly(const char *path)
{
	char real[PATH_MAX];
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	const char *name = realpath(path, real) ? sqlite3_create_filename(real, "", "", 0, NULL) : NULL;
	sqlite3_file *file = name ? sqlite3_malloc(vfs->szOsFile) : NULL;
	if (file) {
		memset(file, 0, (size_t)vfs->szOsFile);
		if (vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL) !=
		    SQLITE_OK) {
			sqlite3_free(file);
			file = NULL;
		}
	}
	sqlite3_free_filename(name);
	return file;
}

static void close_quietly(sqlite3_file *file)
{
	if (file && file->pMethods)
		file->pMethods->xClose(file);
	sqlite3_free(file);
}

/* Is it in the format that has a log ("file format version numbers" of sqlite.org/fileformat2.html)? */
static bool has_log_format(const char *path)
{
	unsigned char header[20];
	sqlite3_file *file = open_quietly(path);
	const bool has = file && file->pMethods->xRead(file, header, sizeof(header), 0) == SQLITE_OK &&
			 header[18] == 2 && header[19] == 2;
	close_quietly(file);
	return has;
}

/* May this process write the file, and do new files in its folder belong to the owner (SQLite does that for
 * root)? */
static bool is_own(const char *path)
{
	char folder[PATH_MAX];
	struct stat status;
	if (!realpath(path, folder) || stat(folder, &status) != 0 || access(folder, W_OK) != 0)
		return false;
	*strrchr(folder, '/') = '\0';
	return (geteuid() == 0 || geteuid() == status.st_uid) && access(*folder ? folder : "/", W_OK) == 0;
}

static enum store_reading look(const char *path)
{
	const struct beside log = look_beside(path, "-wal"), index = look_beside(path, "-shm");
	const bool own = is_own(path);
	if (!has_log_format(path) || look_beside(path, "-journal").there)
		return STORE_READING_BESIDE;
	if (log.bytes == 0 && own && (!log.there || access(log.path, W_OK) == 0) &&
	    (!index.there || access(index.path, W_OK) == 0))
		return STORE_READING_OWN;
	if (own && log.bytes > 0)
		return STORE_READING_BESIDE;
	if (index.there && log.there)
		return STORE_READING_AS_IT_IS;
	return log.bytes == 0 ? STORE_READING_COPY : STORE_READING_NOT;
}

enum store_reading store_reading_of(const char *path, struct bench_error *error)
{
	enum store_reading way = look(path);
	/* A writer that ends removes the index first, and its log in the next moment. */
	for (int attempt = 0; way == STORE_READING_NOT && attempt < ATTEMPTS; attempt++) {
		nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL);
		way = look(path);
	}
	if (way == STORE_READING_NOT)
		bench_fail(error, BENCH_ENVIRONMENT,
			   "database '%s': a part of it is still in its log '%s-wal', which only its owner "
			   "can take in: any bench command of theirs, such as 'bench list runs', does",
			   path, path);
	return way;
}

static int (*open_as_usual)(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got);

static int open_without_log(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got)
{
	return open_as_usual(vfs, name, file, flags & SQLITE_OPEN_WAL ? flags & ~SQLITE_OPEN_CREATE : flags,
			     got);
}

const char *store_reading_vfs(void)
{
	static sqlite3_vfs vfs;
	if (!vfs.zName) {
		vfs = *sqlite3_vfs_find(NULL);
		open_as_usual = vfs.xOpen;
		vfs.pNext = NULL;
		vfs.xOpen = open_without_log;
		vfs.zName = "bench-reading";
		if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
			vfs.zName = NULL;
	}
	return vfs.zName;
}

static bool is_same_state(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Was it last changed so long ago that a change since would show in its time? */
static bool is_settled(const struct stat *status)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec - status->st_mtim.tv_sec) * INT64_C(1000000000) + now.tv_nsec -
		       status->st_mtim.tv_nsec >
	       TICK_NS;
}

static int copy_bytes(sqlite3_file *from, int to)
{
	char buffer[1 << 16];
	sqlite3_int64 size;
	if (ftruncate(to, 0) != 0)
		return -1;
	if (from->pMethods->xFileSize(from, &size) != SQLITE_OK)
		return errno = EIO, -1;
	for (sqlite3_int64 at = 0; at < size;) {
		const int count =
			size - at < (sqlite3_int64)sizeof(buffer) ? (int)(size - at) : (int)sizeof(buffer);
		const int code = from->pMethods->xRead(from, buffer, count, at);
		if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
			return errno = EIO, -1;
		for (int done = 0; done < count;) {
			const ssize_t n = pwrite(to, buffer + done, (size_t)(count - done), at + done);
			if (n < 0 && errno != EINTR)
				return -1;
			done += n > 0 ? (int)n : 0;
		}
		at += count;
	}
	return 0;
}

/*
 * What is in the file alone is whole as long as its log is empty, since writers write there first. So a copy
 * is whole if the log was empty behind it, and the file did not change meanwhile.
 */
static int copy_whole(const char *path, sqlite3_file *from, int to)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		struct stat before, after;
		if (stat(path, &before) != 0)
			return -1;
		if (is_settled(&before)) {
			if (copy_bytes(from, to) != 0)
				return -1;
			if (store_has_empty_log(path) && stat(path, &after) == 0 &&
			    is_same_state(&before, &after))
				return 0;
		}
		nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL);
	}
	errno = EBUSY;
	return -1;
}

int store_copy_file(const char *path, char *copy, size_t size, struct bench_error *error)
{
	const char *folder = getenv("TMPDIR");
	int to = -1, result = -1;
	if (!folder || !*folder)
		folder = "/tmp";
	sqlite3_file *from = open_quietly(path);
	if (!from)
		return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': it cannot be read", path);
	errno = ENAMETOOLONG;
	if (bench_file_join(copy, size, folder, "bench-XXXXXX"))
		to = mkostemp(copy, O_CLOEXEC);
	if (to >= 0)
		result = copy_whole(path, from, to);
	if (result != 0 && errno == EBUSY)
		bench_fail(error, BENCH_ENVIRONMENT,
			   "database '%s': another process is writing to it all the time: try again later",
			   path);
	else if (result != 0)
		bench_fail(error, BENCH_ENVIRONMENT,
			   "database '%s': it is another user's, or its folder cannot be written, so that a "
			   "copy in '%s' ($TMPDIR) is read; that cannot be made: %s",
			   path, folder, strerror(errno));
	if (to >= 0 && result != 0)
		unlink(copy);
	if (to >= 0)
		close(to);
	close_quietly(from);
	return result;
}

char *store_address(const char *path, const char *query)
{
	struct bench_text text = {0};
	bench_text_add(&text, "file:");
	for (const char *c = path; *c; c++) {
		if (strchr("?#%", *c))
			bench_text_add(&text, "%%%02X", (unsigned char)*c);
		else
			bench_text_add_bytes(&text, c, 1);
	}
	bench_text_add(&text, "?%s", query);
	return text.data;
}
