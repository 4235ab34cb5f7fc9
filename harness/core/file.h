/* SPDX-License-Identifier: MIT */
/* Files: read whole and bounded, written whole or not at all. */
#ifndef BENCH_CORE_FILE_H
#define BENCH_CORE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "bench/error.h"
#include "core/text.h"

/*
 * Reads a whole regular file of at most `limit` bytes into malloc'd *data (NUL-terminated;
 * the caller frees it). BENCH_ENVIRONMENT with path and cause.
 */
int bench_file_read(const char *path, size_t limit, char **data, size_t *length, struct bench_error *error);

/* The same of standard input, to its end. */
int bench_file_read_input(size_t limit, char **data, size_t *length, struct bench_error *error);

/*
 * Opens a file to be read, or a folder to be listed; NULL, with errno, where that cannot be done. Without
 * memory the process ends (memory.h): what is left out where a file is not there must not be left out for
 * that.
 */
FILE *bench_file_open(const char *path);
DIR *bench_file_open_folder(const char *path);

/* In place of `FILE` and `DIR`, for a local pointer that is closed wherever its block is left, as
 * BENCH_SCOPED_MEMORY (memory.h). What closing says is lost: only for what is read. */
#define BENCH_SCOPED_FILE   __attribute__((cleanup(bench_file_release))) FILE
#define BENCH_SCOPED_FOLDER __attribute__((cleanup(bench_file_release_folder))) DIR
static inline void bench_file_release(FILE *const *file)
{
	if (*file)
		fclose(*file);
}
static inline void bench_file_release_folder(DIR *const *folder)
{
	if (*folder)
		closedir(*folder);
}

/*
 * Writes `data` to `path` whole: a temporary file in the same folder, fsync, rename, fsync of the folder.
 * After a failure or a kill `path` is unchanged; the next writer removes the temporary file of a killed
 * process. Only for files that this program owns: a link of that name is replaced.
 */
int bench_file_write(const char *path, const char *data, size_t length, struct bench_error *error);
/* The same, with mode and owner of another file; NULL: those of a new one. -1 with errno. */
int bench_file_replace(const char *path, const char *data, size_t length, const struct stat *like);

/*
 * A new, empty file in the folder of `path`, to replace it by rename; its name goes into `temporary`. It is
 * locked while the returned descriptor is open. Removes such files of killed processes, with SQLite's files
 * for them. -1 with errno.
 */
int bench_file_open_temporary(const char *path, char *temporary, size_t size);
/* Removes a temporary file that replaces nothing, with SQLite's files for it. */
void bench_file_remove_temporary(const char *temporary);

/*
 * The same for a file that the user names, which stays what it is: a symbolic link stays one, and its target
 * is written; mode and owner stay. A file that has other names (hard links), or whose owner this process
 * cannot give away, is written in place, after room for it was made: a kill in that moment can leave it half
 * written. What is there and no regular file, or may not be written, is refused. BENCH_ENVIRONMENT.
 */
int bench_file_update(const char *path, const char *data, size_t length, struct bench_error *error);

/*
 * The lock of a file that the user names and several processes read, change and write back
 * (bench_file_update). Makes an empty file if there was none. Waits for other processes, half a minute at
 * most.
 */
struct bench_file_lock {
	int fd;
	bool made; /* the file */
};
int bench_file_lock(const char *path, struct bench_file_lock *lock, struct bench_error *error);
/* `keep` false: a file that the lock made, and that is empty still, is removed. */
void bench_file_unlock(const char *path, struct bench_file_lock *lock, bool keep);

/*
 * Appends to a file that is open with O_APPEND, all or nothing: on a full disk no part of a line is left for
 * the next one to be written behind. -1 with errno.
 */
int bench_file_append(int fd, const char *data, size_t length);

/*
 * A file in memory that a program can have as its input or output: nothing can block, whoever stops reading
 * or writing. It holds `data`, and is at its start; the caller closes it. -1 with errno.
 */
int bench_file_memory(const char *name, const char *data, size_t length);
/* Adds the first `most` bytes of such a file, or all if it has fewer, to the end of `out`. -1 with errno. */
int bench_file_memory_read(int fd, size_t most, struct bench_text *out);

/* Makes a folder and its parents (mode 0777 less the umask); an existing one is fine. */
int bench_file_make_folder(const char *path, struct bench_error *error);

/* Can files be made in `path`, which must be a folder? Tries with a temporary file. */
int bench_file_check_writable(const char *path, struct bench_error *error);

bool bench_file_is_folder(const char *path);

/* "folder/name" into out; false if it does not fit. */
bool bench_file_join(char *out, size_t size, const char *folder, const char *name);

#endif
