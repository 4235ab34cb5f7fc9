/* SPDX-License-Identifier: MIT */
/*
 * Interchange: the result files of other benchmark tools, read into run records and written from them.
 *
 * A format is one file and one line of the table below. Input is untrusted: bounded and checked, and an error
 * names the file and the line or the member. `notes` reports everything that a format, or a record, cannot
 * hold. Pure, except that it reads files next to the imported one (struct bench_interchange_file).
 * docs/interchange.md has the mapping of each format.
 */
#ifndef BENCH_INTERCHANGE_INTERCHANGE_H
#define BENCH_INTERCHANGE_INTERCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/text.h"
#include "record/record.h"

#define BENCH_INTERCHANGE_BYTES ((size_t)64 << 20) /* of a file */
#define BENCH_INTERCHANGE_CASES 20000              /* of a run */

/* Formats, in the order in which a file is tried. */
/* clang-format off */
#define BENCH_INTERCHANGE_FORMATS(FORMAT) \
	FORMAT(gbench)      \
	FORMAT(hyperfine)   \
	FORMAT(pytest)      \
	FORMAT(criterion)   \
	FORMAT(nvbench)     \
	FORMAT(asv)         \
	FORMAT(jmh)         \
	FORMAT(dotnet)      \
	FORMAT(pyperf)      \
	FORMAT(datajs)      \
	FORMAT(bmf)         \
	FORMAT(smaller)     \
	FORMAT(bigger)      \
	FORMAT(go)          \
	FORMAT(cargo)       \
	FORMAT(csv)         \
	FORMAT(openmetrics)
/* clang-format on */

/* What could not be held, a line each, none twice. {0} is empty. */
struct bench_interchange_notes {
	struct bench_arena arena;
	char **lines;
	size_t count;
};

struct bench_interchange_file {
	const char *path; /* for messages, and to find neighboring files */
	const char *data; /* NUL-terminated */
	size_t length;
};

/* What files do not say, or what is to count in place of what they say. Nothing of it is owned. */
struct bench_interchange_options {
	const char *suite;         /* of the keys; NULL: the format's name */
	const char *host;          /* NULL: what the files say */
	const char *commit;        /* the same */
	const char *branch;        /* the same */
	const char *const *better; /* "NAME=lower": of metrics that have no direction */
	size_t better_count;
	const char *const *columns; /* "NAME=param", "NAME=skip", "NAME=UNIT": what columns of CSV are */
	size_t column_count;
	int64_t started;     /* Unix seconds, where no file says it */
	const char *command; /* of the record */
};

/* What is read: final runs, without an id or a folder. {0} is empty. */
struct bench_interchange_runs {
	struct bench_arena arena;
	struct bench_run **list;
	size_t count;
	size_t lost; /* results of the files that could not be read: failed, or left out */
};

/* Frees the runs that are still in the list. */
void bench_interchange_free(struct bench_interchange_runs *runs);

struct interchange_reader; /* internal.h */

struct bench_interchange_format {
	const char *name;
	/* Is it a file of this format? NULL: that cannot be told. */
	bool (*is)(const struct interchange_reader *in);
	/* Adds what the file holds to the draft; NULL: this format is not read. */
	int (*read)(struct interchange_reader *in);
	/* Appends the whole run; NULL: this format is not written. */
	void (*write)(const struct bench_run *run, struct bench_interchange_notes *notes,
		      struct bench_text *out);
};

/* All of them; ends with NULL. */
extern const struct bench_interchange_format *const bench_interchange_formats[];

/* The format of that name, which can be written (or read). BENCH_USAGE with those that there are. */
int bench_interchange_find(const char *name, bool written, const struct bench_interchange_format **format,
			   struct bench_error *error);

/*
 * Reads files into one run, whose cases may be in several of them: another file's samples of a case are other
 * invocations. A file that is a history has many runs. `format` NULL: each file's format is found by its
 * content. Unreadable parts of a file are counted and reported in `notes`. BENCH_ENVIRONMENT where a file
 * cannot be understood, BENCH_USAGE where an option does not fit, BENCH_NOTHING where there are no results;
 * the caller frees the runs then, too.
 */
int bench_interchange_read(const struct bench_interchange_format *format,
			   const struct bench_interchange_file *files, size_t count,
			   const struct bench_interchange_options *options,
			   struct bench_interchange_notes *notes, struct bench_interchange_runs *runs,
			   struct bench_error *error);

/*
 * Appends every measured sample of the run as a row of CSV or of JSON Lines. All runs have the same columns,
 * and `_head` appends the line of CSV that names them.
 */
void bench_interchange_samples_head(struct bench_text *out);
void bench_interchange_samples(const struct bench_run *run, bool json, struct bench_text *out);

/* The label that says from which format a run was read (the last file's). */
#define BENCH_INTERCHANGE_LABEL "imported"

#endif
