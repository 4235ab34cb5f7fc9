/* SPDX-License-Identifier: MIT */
#include "app/kernel.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "extend/extend.h"

#define MOST_BYTES ((size_t)256 << 10) /* of a file; escaped in JSON it may take twice as much */

/* A place in a text, as FILE:LINE:COLUMN. */
static int fail_at(const char *file, const char *text, const char *at, const char *what,
		   struct bench_error *error)
{
	size_t line = 1, column = 1;
	for (const char *c = text; c < at; c++) {
		column = *c == '\n' ? 1 : column + 1;
		line += *c == '\n';
	}
	return bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: %s", file, line, column, what);
}

/* A file of text, malloc'd. */
static int read_text(const char *file, char **text, struct bench_error *error)
{
	size_t length;
	uint32_t point;
	if (bench_file_read(file, MOST_BYTES, text, &length, error) != 0)
		return bench_fail(error, BENCH_USAGE, "%s", error->text);
	for (const char *at = *text; at < *text + length;) {
		size_t character = *at ? bench_text_utf8(at, &point) : 0;
		if (character == 0) {
			fail_at(file, *text, at, "this is no text in UTF-8", error);
			free(*text);
			*text = NULL;
			return -1;
		}
		at += character;
	}
	return 0;
}

/* Every file that the kernel needs would have to travel with it. */
static int check_includes(const char *file, const char *source, struct bench_error *error)
{
	for (const char *line = source; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + strspn(line, " \t");
		if (*at != '#')
			continue;
		at++;
		at += strspn(at, " \t");
		if (strncmp(at, "include", strlen("include")) == 0)
			return fail_at(
				file, source, line,
				"a kernel is one file: put in what it includes (cpp -P -nostdinc does)",
				error);
	}
	return 0;
}

/*
 * The specification in a comment of the source that begins with "bench {": the text up to its end, with
 * blanks for what is not of it, so that lines and columns are those of the file. malloc'd; NULL: there is
 * none.
 */
static char *spec_of_comment(const char *source)
{
	const char *start = source, *brace = NULL;
	for (; (start = strstr(start, "/*")); start += 2) {
		brace = start + 2 + strspn(start + 2, " \t\r\n*");
		if (strncmp(brace, "bench", strlen("bench")) != 0)
			continue;
		brace += strlen("bench");
		brace += strspn(brace, " \t\r\n*");
		if (*brace == '{')
			break;
	}
	const char *end = start ? strstr(brace, "*/") : NULL;
	char *spec = end ? strndup(source, (size_t)(end - source)) : NULL;
	if (!spec)
		return NULL;
	bool margin = false;
	for (char *c = spec; *c; c++) {
		margin = *c == '\n' || (margin && (*c == ' ' || *c == '\t' || *c == '*'));
		if ((c < spec + (brace - source) || (margin && *c == '*')) && *c != '\n')
			*c = ' ';
	}
	return spec;
}

int bench_app_kernel(const char *file, const char *spec_file, bool search, struct bench_error *error)
{
	char *source = NULL, *spec = NULL;
	int result = -1;
	if (read_text(file, &source, error) != 0)
		return -1;
	if (check_includes(file, source, error) != 0 ||
	    (spec_file && read_text(spec_file, &spec, error) != 0))
		goto out;
	if (!spec_file)
		spec = spec_of_comment(source);
	if (!spec) {
		bench_fail(error, BENCH_USAGE,
			   "%s has no specification: a comment /* bench {...} */ in it, or a file by --spec; "
			   "'bench new "
			   "kernel NAME' writes an example",
			   file);
		goto out;
	}
	cJSON *extension = cJSON_CreateObject();
	cJSON_AddStringToObject(extension, "kind", "kernel");
	cJSON_AddStringToObject(extension, "file", file);
	cJSON_AddStringToObject(extension, "source", source);
	cJSON_AddStringToObject(extension, "spec_file", spec_file ? spec_file : file);
	cJSON_AddStringToObject(extension, "spec", spec);
	if (search)
		cJSON_AddBoolToObject(extension, "search", true);
	char *text = bench_json_print(extension, false);
	result = bench_extend_add(text, error);
	free(text);
out:
	free(source);
	free(spec);
	return result;
}
