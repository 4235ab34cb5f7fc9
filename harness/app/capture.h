/* SPDX-License-Identifier: MIT */
/* Which products and kernels a program computes: it is run with a library that counts its calls. */
#ifndef BENCH_APP_CAPTURE_H
#define BENCH_APP_CAPTURE_H

#include <stdint.h>

#include "bench/error.h"

#define BENCH_CAPTURE_SCHEMA "bench-capture/1"

struct bench_app_captured {
	uint64_t shapes, calls; /* of products, or kernels with their sizes and launches */
	double seconds;
};

struct bench_app_capture {
	char *const *command; /* the program, found by PATH, and its arguments; NULL-terminated */
	const char *output;   /* path of the file to write */
	/* What came of it. */
	int status; /* of the program, as from waitpid */
	struct bench_app_captured products, launches;
	uint64_t lost; /* calls for which there was no room */
};

/*
 * Runs the program to its end, with this process's input and output, and passes signals on to it. Then writes
 * what it and its child processes called, unless they called nothing (docs/file-formats.md).
 * BENCH_ENVIRONMENT: nothing was run, or the file could not be written, and an earlier one is as it was.
 */
int bench_app_capture(struct bench_app_capture *capture, struct bench_error *error);

#endif
