/* SPDX-License-Identifier: MIT */
/*
 * Files of shapes, for `--set shapes=@FILE`: what `bench capture` wrote, or a list with a shape a line.
 * Shapes that a file has several times are one, used as often. docs/how-to/capture.md has the forms.
 */
#ifndef SUITES_SHAPES_FILE_H
#define SUITES_SHAPES_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "bench/suite.h"
#include "core/arena.h"

struct bench_shape {
	const char *sweep; /* as in struct bench_suite, of one point; its values are valid */
	size_t line;       /* of the list, where it is first; 0: of a capture */
	uint64_t uses;     /* 1 or more */
	double seconds;    /* of all uses, as captured; 0: not known */
};

struct bench_shapes_file {
	struct bench_shape *shapes;
	size_t count;
	const char
		*left_out; /* what of the file is not measured, or otherwise than it was; NULL: nothing is */
};

/* All in `arena`. BENCH_USAGE naming the file, the line and the word or member; BENCH_ENVIRONMENT: no such
 * file. */
int bench_shapes_file_read(const char *path, const struct bench_suite *suite, struct bench_arena *arena,
			   struct bench_shapes_file *file, struct bench_error *error);

/* The same of a NUL-terminated text, which is changed; `name` is the file in messages. */
int bench_shapes_file_parse(char *text, const char *name, const struct bench_suite *suite,
			    struct bench_arena *arena, struct bench_shapes_file *file,
			    struct bench_error *error);

#endif
