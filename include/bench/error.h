/* SPDX-License-Identifier: MIT */
/*
 * Errors are values. A function that can fail returns 0 or -1 and, on -1, has
 * filled the caller's struct bench_error: what failed, where, the cause's own
 * text, and what to do about it. Nothing below harness/cli prints or exits.
 */
#ifndef BENCH_ERROR_H
#define BENCH_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum bench_code {
	BENCH_OK = 0,
	BENCH_USAGE,       /* the caller asked for something that does not exist or cannot be */
	BENCH_NOTHING,     /* nothing to compare with, nothing measured */
	BENCH_UNSUPPORTED, /* this device or backend cannot do it; the text is the reason */
	BENCH_FAILED,      /* an operation failed: API error, lost device, crash, time limit */
	BENCH_NO_MEMORY,   /* an allocation failed, on the host or on the device */
	BENCH_ENVIRONMENT, /* storage or environment: folder not writable, database damaged */
};

struct bench_error {
	enum bench_code code;
	char text[1024]; /* one line of UTF-8, no newline at its end */
};

/*
 * Fills `error` (which may be NULL) and returns -1, so that a failing function can
 * end with `return bench_fail(...)`. Too long a text loses its middle; error->text may be an argument.
 */
int bench_fail(struct bench_error *error, enum bench_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
