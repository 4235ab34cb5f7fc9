/* Files: read whole and bounded, written whole or not at all. */
#ifndef BENCH_CORE_FILE_H
#define BENCH_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

/*
 * Reads a whole regular file of at most `limit` bytes into malloc'd *data (NUL-terminated;
 * the caller frees it). BENCH_ENVIRONMENT with path and cause.
 */
int bench_file_read(const char *path, size_t limit, char **data, size_t *length, struct bench_error *error);

/*
 * Writes `data` to `path` whole: a temporary file beside it, fsync, rename, fsync of the
 * folder. After a failure or a kill `path` is what it was before.
 */
int bench_file_write(const char *path, const char *data, size_t length, struct bench_error *error);

/* Makes a folder and its parents (mode 0777 less the umask); an existing one is fine. */
int bench_file_make_folder(const char *path, struct bench_error *error);

/* Can files be made in `path`, which must be a folder? Tries with a temporary file. */
int bench_file_check_writable(const char *path, struct bench_error *error);

bool bench_file_is_folder(const char *path);

/* "folder/name" into out; false if it does not fit. */
bool bench_file_join(char *out, size_t size, const char *folder, const char *name);

#endif
