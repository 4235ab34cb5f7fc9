/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/embedded.h"
#include "core/file.h"
#include "core/text.h"

#define SOURCE_LIMIT ((size_t)4 << 20)
#define DEPTH_LIMIT  4 /* of includes within includes */
#define INCLUDE      "#include \""

/* The embedded file of this name, in whichever folder; NULL: no such file. */
static const struct bench_embedded *find_embedded(const char *file)
{
	for (const struct bench_embedded *kernel = bench_kernels; kernel->name; kernel++)
		if (strcmp(strrchr(kernel->name, '/') + 1, file) == 0)
			return kernel;
	return NULL;
}

/* Reads FILE of the folder, or, where it has subfolders like the embedded ones, FOLDER/FILE. */
static int read_live(const char *folder, const char *file, char **text, struct bench_error *error)
{
	const struct bench_embedded *kernel = find_embedded(file);
	const char *const places[] = {file, kernel ? kernel->name : file};
	struct bench_error first, second;
	char path[PATH_MAX];
	size_t length;
	for (size_t i = 0; i < 2; i++) {
		if (!bench_file_join(path, sizeof(path), folder, places[i]))
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "BENCH_KERNELS: the path '%s' is too long", folder);
		if (bench_file_read(path, SOURCE_LIMIT, text, &length, i == 0 ? &first : &second) == 0)
			return 0;
	}
	return bench_fail(error, BENCH_ENVIRONMENT, "BENCH_KERNELS=%s: %s", folder, first.text);
}

/* The text of one file, malloc'd. */
static int read_file(const char *file, char **text, struct bench_error *error)
{
	const char *live = getenv("BENCH_KERNELS");
	if (live && *live)
		return read_live(live, file, text, error);
	const struct bench_embedded *kernel = find_embedded(file);
	if (!kernel)
		return bench_fail(error, BENCH_FAILED, "no kernel file '%s' was embedded", file);
	*text = strdup(kernel->text);
	return *text ? 0 : bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s", file);
}

static int add_file(struct bench_text *to, const char *file, unsigned depth, struct bench_error *error)
{
	char *text;
	int result = 0;
	if (depth > DEPTH_LIMIT)
		return bench_fail(
			error, BENCH_FAILED,
			"kernel file %s is included within more than %d others: does it include itself?",
			file, DEPTH_LIMIT);
	if (read_file(file, &text, error) != 0)
		return -1;
	bench_text_add(to, "#line 1 \"%s\"\n", file);
	size_t number = 1;
	for (char *line = text, *end; result == 0 && *line; line = end, number++) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (strncmp(line, INCLUDE, strlen(INCLUDE)) != 0) {
			bench_text_add_bytes(to, line, (size_t)(end - line));
			continue;
		}
		char name[64] = "";
		sscanf(line + strlen(INCLUDE), "%63[^\"\n]", name);
		result = add_file(to, name, depth + 1, error);
		bench_text_add(to, "#line %zu \"%s\"\n", number + 1, file);
	}
	free(text);
	return result;
}

int bench_opencl_source(const char *file, char **source, struct bench_error *error)
{
	BENCH_SCOPED_TEXT text = {0};
	int result = add_file(&text, file, 0, error);
	if (result == 0 && !(*source = strdup(text.data)))
		result = bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s", file);
	return result;
}
