/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share. A target is a function fuzz_NAME in a file of this folder, and a line of
 * FUZZ_TARGETS: it hands bytes to one parser, and aborts where that breaks a promise. The bytes are malloc'd
 * with nothing behind them, so that AddressSanitizer sees the first one too many that is read.
 *
 * One program has all targets; docs/fuzzing.md says how it is run.
 */
#ifndef BENCH_TESTS_FUZZ_H
#define BENCH_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* clang-format off */
#define FUZZ_TARGETS(TARGET) \
	TARGET(arguments)     \
	TARGET(backfill)      \
	TARGET(bisect_state)  \
	TARGET(cache)         \
	TARGET(database)      \
	TARGET(exec)          \
	TARGET(expr)          \
	TARGET(extension)     \
	TARGET(idx)           \
	TARGET(interchange)   \
	TARGET(job)           \
	TARGET(journal)       \
	TARGET(kept)          \
	TARGET(kernel)        \
	TARGET(log)           \
	TARGET(matrix_market) \
	TARGET(metrics)       \
	TARGET(observed)      \
	TARGET(pack)          \
	TARGET(period)        \
	TARGET(project)       \
	TARGET(ptx)           \
	TARGET(report)        \
	TARGET(retarget)      \
	TARGET(samples)       \
	TARGET(series)        \
	TARGET(shapes)        \
	TARGET(signature)     \
	TARGET(slug)          \
	TARGET(source)        \
	TARGET(symbols)       \
	TARGET(sysfs)         \
	TARGET(text)          \
	TARGET(tuning)
/* clang-format on */

typedef void fuzz_function(const uint8_t *data, size_t size);
#define FUZZ_DECLARE(name) fuzz_function fuzz_##name;
FUZZ_TARGETS(FUZZ_DECLARE)

/* The target of that name; where there is none, the program ends and says which there are. */
fuzz_function *fuzz_find(const char *name);

/* Aborts with file and line. */
#define FUZZ_CHECK(condition)                                                                                \
	((condition) ? (void)0 : fuzz_fail("%s:%d: not so: %s", __FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The bytes as a string, malloc'd; what is behind a byte of 0 is in it, too. */
char *fuzz_string(const uint8_t *data, size_t size);
/* The path of a regular file with these bytes, which the next call replaces. */
const char *fuzz_file(const void *data, size_t size);

/*
 * A path in the scratch folder of this process, which lies in TMPDIR, else in memory: its name alone, or with
 * `name` behind it. Static, until the fourth call from now.
 */
const char *fuzz_path(const char *name);
void fuzz_make_folder(const char *path);
void fuzz_write(const char *path, const void *data, size_t size);
/* The file's bytes, malloc'd and NUL-terminated. */
char *fuzz_read(const char *path, size_t *size);

/* tests/fuzz/run.json, read. */
struct bench_run *fuzz_small_run(void);
/* A run that was accepted: its samples are finite, and it is written, read and written again to the same. */
void fuzz_check_run(const struct bench_run *run);

#endif
