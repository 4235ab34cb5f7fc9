/* SPDX-License-Identifier: MIT */
/* The results of other tools, taken in as runs. */
#ifndef BENCH_APP_IMPORT_H
#define BENCH_APP_IMPORT_H

#include "app/measure.h"
#include "interchange/interchange.h"

struct bench_app_import {
	const struct bench_interchange_format *format; /* NULL: each file's by its content */
	struct bench_interchange_options options;      /* except `started`, which the file gives */
	const char *const *labels;                     /* "key=value" */
	size_t label_count;
	struct bench_app_places places;
	bool no_store; /* do not write to the history */
};

struct bench_app_imported {
	char id[64];    /* of the last run */
	char from[32];  /* the format */
	size_t runs;    /* that were written */
	size_t known;   /* that had been imported before, from the same files: nothing was written */
	size_t results; /* of all of them */
	size_t failed;  /* of these: have failed */
	size_t lost;    /* could not be read: they have failed, or are left out */
};

/*
 * Reads files ("-": standard input) into one run, or into those of a history, writes their folders and takes
 * them into the history. A path that is a folder stands for the new/sample.json files of Criterion below it.
 * `notes` lists what the record or the files cannot hold. An error of a file leaves nothing behind; one
 * of the history leaves the run's folder, which `bench ingest` takes in.
 */
int bench_app_import(const struct bench_app_import *import, const char *const *paths, size_t count,
		     struct bench_interchange_notes *notes, struct bench_app_imported *imported,
		     struct bench_error *error);

#endif
