/* SPDX-License-Identifier: MIT */
/* Runs a program with a library that counts its matrix products and kernels. */
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
	/* The outcome. */
	int status; /* of the program, as from waitpid */
	struct bench_app_captured products, launches;
	uint64_t lost; /* calls for which there was no room */
};

/*
 * Runs the program to its end, with this process's input and output, and passes signals on to it. Then writes
 * what the program and its child processes called (docs/file-formats.md); without calls it writes nothing.
 * BENCH_ENVIRONMENT: the program could not be started, or the file not be written; an earlier file stays.
 */
int bench_app_capture(struct bench_app_capture *capture, struct bench_error *error);

#endif
