/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

extern const char fuzz_run_json[];

static const struct {
	const char *name;
	fuzz_function *function;
} targets[] = {
#define ENTER(name) {#name, fuzz_##name},
	FUZZ_TARGETS(ENTER)};

fuzz_function *fuzz_find(const char *name)
{
	const size_t count = sizeof(targets) / sizeof(targets[0]);
	for (size_t i = 0; i < count; i++)
		if (strcmp(targets[i].name, name) == 0)
			return targets[i].function;
	fprintf(stderr, "there is no target '%s'; there are:", name);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " %s", targets[i].name);
	fprintf(stderr, "\n");
	exit(2);
}

void fuzz_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
	abort();
}

char *fuzz_string(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

const char *fuzz_file(const void *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static char scratch[PATH_MAX - 256];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_scratch(void)
{
	nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_path(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];
	if (!*scratch) {
		const char *set = getenv("TMPDIR");
		const char *in = set && *set ? set : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
		snprintf(scratch, sizeof(scratch), "%s/bench-fuzz-XXXXXX", in);
		FUZZ_CHECK(mkdtemp(scratch));
		atexit(remove_scratch);
	}
	snprintf(path, PATH_MAX, "%s%s%s", scratch, name ? "/" : "", name ? name : "");
	return path;
}

void fuzz_make_folder(const char *path)
{
	FUZZ_CHECK(mkdir(path, 0700) == 0 || errno == EEXIST);
}

void fuzz_write(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

char *fuzz_read(const char *path, size_t *size)
{
	char *data;
	struct bench_error error;
	if (bench_file_read(path, SIZE_MAX, &data, size, &error) != 0)
		fuzz_fail("%s", error.text);
	return data;
}

struct bench_run *fuzz_small_run(void)
{
	struct bench_run *run;
	struct bench_error error;
	if (bench_record_from_json(fuzz_run_json, strlen(fuzz_run_json), "run.json", &run, &error) != 0)
		fuzz_fail("%s", error.text);
	return run;
}

static void check_samples(const struct bench_result *result)
{
	for (size_t m = 0; m < result->metric_count; m++) {
		const struct bench_metric *metric = &result->metrics[m];
		for (size_t s = 0; s < metric->series_count; s++)
			for (size_t i = 0; i < metric->series[s].count; i++)
				FUZZ_CHECK(isfinite(metric->series[s].values[i]));
	}
}

void fuzz_check_run(const struct bench_run *run)
{
	struct bench_run *again;
	struct bench_error error;
	for (size_t i = 0; i < run->result_count; i++)
		check_samples(&run->results[i]);
	char *text = bench_record_to_json(run);
	FUZZ_CHECK(text);
	if (bench_record_from_json(text, strlen(text), "what was written", &again, &error) != 0)
		fuzz_fail("%s\n%s", error.text, text);
	char *same = bench_record_to_json(again);
	FUZZ_CHECK(same);
	if (strcmp(text, same) != 0)
		fuzz_fail("written, read and written again:\n%s\n%s", text, same);
	bench_record_free(again);
	free(same);
	free(text);
}
