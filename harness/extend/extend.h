/* SPDX-License-Identifier: MIT */
/*
 * Extensions: what is measured beyond the suites and backends that this program ships. Each is a text, a JSON
 * object whose member "kind" says how it is read, and which is whole: a run records it, and a worker, or who
 * resumes or reads the run a year later, has what the user gave.
 */
#ifndef BENCH_EXTEND_EXTEND_H
#define BENCH_EXTEND_EXTEND_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "bench/error.h"
#include "core/text.h"

/* The most characters of an extension, and the most extensions of a process. */
#define BENCH_EXTENSION_MOST_TEXT ((size_t)32 << 20)
#define BENCH_EXTENSIONS_MOST     64

/*
 * Adds its suites and backends to the tables of this process (suites/suites.h, backends/backends.h), where
 * they stay; before there are threads. The same text again adds nothing. BENCH_USAGE, with the reason, if it
 * is not an extension.
 */
int bench_extend_add(const char *text, struct bench_error *error);

/* The texts of those that were added, in that order. */
const char *const *bench_extend_texts(size_t *count);

/* The options of the command line that bring them again, each with a blank before it. */
void bench_extend_options(struct bench_text *out);

/*
 * What of each decides what is measured, in that order: the text, or of a plug-in its content, wherever it
 * lies.
 */
const char *const *bench_extend_identities(size_t *count);

/* Is it code that runs in processes of bench, as a plug-in is? And is such an extension among those added? */
bool bench_extend_is_code(const char *text);
bool bench_extend_has_code(void);

/*
 * Are the extensions that were added, as far as they decide what is measured, their texts, or one file each?
 * Of a command that is its program: whether it needs more is not looked at here (app/kept.h).
 */
bool bench_extend_can_be_kept(void);
/*
 * Where they are: writes them into `folder`, which is made if there are any, under names that are in their
 * order. bench_extend_kept_option: the option that takes such a file back; NULL: another file names it.
 */
int bench_extend_keep(const char *folder, struct bench_error *error);
const char *bench_extend_kept_option(const char *name);
/* Programs that a kept text names lie beside it: they get the paths that they have beside `file`. 1: it has
 * some; 0: none. */
int bench_extend_place(cJSON *extension, const char *file);

/*
 * Runs task(context) in a separate process, for user code: 0 or its error, if it returns. BENCH_USAGE, with
 * what `what` did, if it crashes, ends the process, exceeds the limit, or writes to standard output.
 * BENCH_ENVIRONMENT if no process can be started. This process does not change.
 */
int bench_extend_try(const char *what, double limit_seconds,
		     int (*task)(void *context, struct bench_error *error), void *context,
		     struct bench_error *error);

#endif
