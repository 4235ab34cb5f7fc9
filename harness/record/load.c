/* SPDX-License-Identifier: MIT */
/* A run directory, read back. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "record/internal.h"

/* One line of samples.jsonl; `what` names it. */
static int apply_line(struct bench_run *run, const char *line, size_t length, const char *what,
		      struct bench_error *error)
{
	if (bench_record_apply_line(run, line, length, what, error) != 0)
		return -1;
	if (!*run->id)
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: expected the event \"run\" first", what);
	return 0;
}

/*
 * Every line but the last, which a kill or a power cut may have torn, has to be right: passing
 * over a damaged one would lose samples in silence. *whole: the bytes of the lines that are.
 */
static int apply_lines(struct bench_run *run, const char *data, size_t length, const char *path,
		       size_t *whole, struct bench_error *error)
{
	const char *end = data + length;
	size_t number = 0;
	*whole = 0;
	for (const char *line = data; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t line_length = (size_t)((newline ? newline : end) - line);
		char what[PATH_MAX + 32];
		snprintf(what, sizeof(what), "%s: line %zu", path, ++number);
		bool last = line + line_length + 1 >= end;
		if (apply_line(run, line, line_length, what, error) == 0)
			*whole = (size_t)(line - data) + line_length + (newline ? 1 : 0);
		else if (!last || (newline && !*run->id))
			return -1;
		line += line_length + 1;
	}
	if (!*run->id)
		return bench_fail(error, BENCH_NOTHING,
				  "%s: the run was cut short before anything was written", path);
	return record_check_unique(run, path, error);
}

int record_count_whole(const char *data, size_t length, const char *path, size_t *whole,
		       struct bench_error *error)
{
	BENCH_SCOPED_RUN *draft = bench_record_new();
	return apply_lines(draft, data, length, path, whole, error);
}

/* Was the run that made the folder ended before it made a file? */
static bool is_empty(const char *folder)
{
	BENCH_SCOPED_FOLDER *entries = opendir(folder);
	size_t count = 0;
	while (entries && readdir(entries))
		count++;
	return count == 2; /* "." and ".." */
}

static int load_samples(const char *path, struct bench_run **run, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	if (bench_file_read(path, RECORD_SAMPLES_FILE_BYTES, &data, &length, error) != 0)
		return -1;
	struct bench_run *draft = bench_record_new();
	size_t whole;
	int status = apply_lines(draft, data, length, path, &whole, error);
	if (status != 0) {
		bench_record_free(draft);
		return -1;
	}
	bench_record_finalise(draft);
	*run = draft;
	return 0;
}

static int load_metrics(const char *path, struct bench_run **run, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	if (bench_file_read(path, RECORD_METRICS_FILE_BYTES, &data, &length, error) != 0)
		return -1;
	return bench_record_from_json(data, length, path, run, error);
}

int bench_record_load_folder(const char *folder, struct bench_run **run, struct bench_error *error)
{
	char metrics[PATH_MAX], samples[PATH_MAX];
	if (record_join(metrics, folder, "metrics.json", error) != 0 ||
	    record_join(samples, folder, "samples.jsonl", error) != 0)
		return -1;
	if (!bench_file_is_folder(folder))
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s' is not a folder", folder);
	int status;
	if (access(metrics, F_OK) == 0)
		status = load_metrics(metrics, run, error);
	else if (access(samples, F_OK) == 0)
		status = load_samples(samples, run, error);
	else if (is_empty(folder))
		status = bench_fail(error, BENCH_NOTHING,
				    "'%s': the run was cut short before anything was written", folder);
	else
		status = bench_fail(error, BENCH_ENVIRONMENT,
				    "'%s' is no run directory: it has neither metrics.json nor samples.jsonl",
				    folder);
	if (status == 0)
		(*run)->folder = bench_arena_string(&(*run)->arena, folder);
	return status;
}
