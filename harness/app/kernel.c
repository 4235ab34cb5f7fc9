/* SPDX-License-Identifier: MIT */
#include "app/kernel.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/project.h"
#include "core/arena.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_place.h"
#include "core/memory.h"
#include "core/text.h"
#include "extend/extend.h"

/* Of a file, and of all of a source; escaped in JSON it may take twice as much. */
#define MOST_BYTES ((size_t)8 << 20)

enum { MOST_DEPTH = 16, MOST_ONCE = 64 };

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

/* A file of text, in the arena. Of a source, bytes that are no UTF-8 are taken as Latin-1, as old comments
 * are. */
static int read_text(const char *file, bool is_source, struct bench_arena *arena, char **text,
		     struct bench_error *error)
{
	BENCH_SCOPED_TEXT whole = {0};
	char *read;
	size_t length;
	uint32_t point;
	int result = 0;
	if (bench_file_read(file, MOST_BYTES, &read, &length, error) != 0)
		return bench_fail(error, BENCH_USAGE, "%s", error->text);
	const char *at = read;
	at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
	while (result == 0 && at < read + length) {
		const char *start = at;
		const unsigned byte = (unsigned char)*at;
		for (size_t character; *at && (character = bench_text_utf8(at, &point));)
			at += character;
		bench_text_add(&whole, "%.*s", (int)(at - start), start);
		if (at != start)
			continue;
		if (is_source && byte)
			bench_text_add(&whole, "%c%c", (int)(0xc0 | byte >> 6), (int)(0x80 | (byte & 0x3f)));
		else
			result = fail_at(file, read, at,
					 is_source ? "this is no text" : "this is no text in UTF-8", error);
		at++;
	}
	*text = bench_arena_string(arena, whole.data ? whole.data : "");
	free(read);
	return result;
}

/* The source, whole: every file that the kernel needs travels with it. */
struct source {
	const char *root; /* the folder that files must lie in */
	struct bench_text text;
	struct bench_arena *arena; /* of the files' texts */
	bool joined;               /* of several files: their lines are marked */
	size_t depth, conditions;  /* files within files, and #if within #if: here a part may be left out */
	char once[MOST_ONCE][PATH_MAX]; /* those that say #pragma once */
	size_t once_count;
};

/* The folder of the kernel's project, which its file, a real path, lies in; without one its own folder. */
static void find_root(const char *file, char root[PATH_MAX])
{
	static const char *const marks[] = {BENCH_APP_PROJECT, ".git"};
	char at[PATH_MAX], mark[PATH_MAX + 16];
	struct stat found;
	snprintf(at, sizeof(at), "%s", file);
	*strrchr(at, '/') = '\0';
	snprintf(root, PATH_MAX, "%s", at);
	for (;;) {
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
			snprintf(mark, sizeof(mark), "%s/%s", at, marks[i]);
			if (stat(mark, &found) == 0) {
				snprintf(root, PATH_MAX, "%s", at);
				return;
			}
		}
		char *slash = strrchr(at, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* Where `name`, in quotes in `file`, leads to: 0; 1: there is no such file. -1: outside of the project. */
static int find_included(const struct source *source, const char *file, const char *name,
			 char shown[PATH_MAX], char real[PATH_MAX])
{
	const char *slash = strrchr(file, '/');
	const int folder = slash && *name != '/' ? (int)(slash - file) + 1 : 0;
	const size_t length = strlen(source->root);
	if (snprintf(shown, PATH_MAX, "%.*s%s", folder, file, name) >= PATH_MAX || !realpath(shown, real))
		return 1;
	return strncmp(real, source->root, length) == 0 && (length == 0 || real[length] == '/') ? 0 : -1;
}

static int add_file(struct source *source, const char *shown, const char *real, struct bench_error *error);

/* The line `#include "name"` of `file`; `at` is behind the word. */
static int add_include(struct source *source, const char *file, const char *text, const char *line,
		       const char *at, struct bench_error *error)
{
	char name[PATH_MAX], shown[PATH_MAX], real[PATH_MAX];
	at += strspn(at, " \t");
	const size_t length = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
	if (length == 0 || length >= sizeof(name) || at[1 + length] != '"') {
		if (source->conditions == 0)
			return fail_at(file, text, line,
				       "a kernel includes files of its project: #include \"FILE\"", error);
		bench_text_add(&source->text,
			       "#error a kernel includes files of its project: #include \"FILE\"\n");
		return 0;
	}
	memcpy(name, at + 1, length);
	name[length] = '\0';
	const int found = find_included(source, file, name, shown, real);
	if (found < 0)
		return fail_at(file, text, line, "what a kernel includes lies in the folder of its project",
			       error);
	if (found > 0 && source->conditions == 0) {
		char what[PATH_MAX + 32];
		snprintf(what, sizeof(what), "there is no file \"%s\"", name);
		return fail_at(file, text, line, what, error);
	}
	/* In a part of the source that is left out it does not matter. */
	if (found > 0)
		bench_text_add(&source->text, "#error there is no file \"%s\"\n", name);
	if (found > 0)
		return 0;
	if (source->depth == MOST_DEPTH)
		return fail_at(file, text, line,
			       "includes within includes, too many: does a file include itself?", error);
	return add_file(source, shown, real, error);
}

/* A file's lines, and in the place of each #include those of the file that it names. */
static int add_lines(struct source *source, const char *file, const char *real, const char *text,
		     struct bench_error *error)
{
	size_t number = 1;
	for (const char *line = text; *line; number++) {
		const size_t length = strcspn(line, "\n");
		const char *at = line + strspn(line, " \t");
		if (*at == '#')
			at += 1 + strspn(at + 1, " \t");
		else
			at = "";
		if (strncmp(at, "if", 2) == 0)
			source->conditions++;
		else if (strncmp(at, "endif", 5) == 0 && source->conditions)
			source->conditions--;
		if (strncmp(at, "include", 7) == 0) {
			source->joined = true;
			if (add_include(source, file, text, line, at + 7, error) != 0)
				return -1;
			bench_text_add(&source->text, "#line %zu \"%s\"\n", number + 1, file);
		} else {
			/* Compilers warn of it in what is one file for them. */
			const bool once = strncmp(at, "pragma once", 11) == 0;
			if (once && source->once_count < MOST_ONCE)
				snprintf(source->once[source->once_count++], PATH_MAX, "%s", real);
			bench_text_add(&source->text, "%.*s%s", once ? 0 : (int)length, line,
				       line[length] ? "\n" : "");
			/* The marks of a part that was left out were, too. */
			if (source->joined && strncmp(at, "endif", 5) == 0 && line[length])
				bench_text_add(&source->text, "#line %zu \"%s\"\n", number + 1, file);
		}
		if (source->text.length > MOST_BYTES)
			return bench_fail(error, BENCH_USAGE,
					  "%s: with what it includes, more than %zu bytes", file, MOST_BYTES);
		line += length + (line[length] == '\n');
	}
	return 0;
}

static int add_file(struct source *source, const char *shown, const char *real, struct bench_error *error)
{
	char *text;
	for (size_t i = 0; i < source->once_count; i++)
		if (strcmp(source->once[i], real) == 0)
			return 0;
	if (read_text(shown, true, source->arena, &text, error) != 0)
		return -1;
	bench_text_add(&source->text, "#line 1 \"%s\"\n", shown);
	source->depth++;
	const int result = add_lines(source, shown, real, text, error);
	source->depth--;
	bench_text_add(&source->text, "\n");
	return result;
}

/* The files of the specification's "sources", which count from its folder, behind the kernel's own. */
static int add_sources(struct source *source, const char *spec_file, const char *spec,
		       struct bench_error *error)
{
	char shown[PATH_MAX], real[PATH_MAX];
	BENCH_SCOPED_JSON *root = bench_json_place_parse(spec, spec_file, error);
	const cJSON *list = bench_json_member(root, "sources"), *item;

	/* What is no list of texts is for the specification's reader. */
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			break;
		const int found = find_included(source, spec_file, item->valuestring, shown, real);
		source->joined = true;
		if (found)
			return bench_json_place_fail(spec, spec_file, root, item, false, 0, error,
						     found < 0 ? "'%s' is outside of the project's folder"
							       : "there is no file '%s'",
						     item->valuestring);
		if (add_file(source, shown, real, error) != 0)
			return -1;
	}
	return 0;
}

/* All of the source, in the arena; NULL with the error. */
static char *join(const char *file, const char *text, const char *spec_file, const char *spec,
		  struct bench_arena *arena, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY struct source *source = bench_memory_alloc(1, sizeof(*source));
	char root[PATH_MAX], real[PATH_MAX], *whole = NULL;

	if (!realpath(file, real)) {
		bench_fail(error, BENCH_USAGE, "%s: it cannot be opened any more", file);
		return NULL;
	}
	find_root(real, root);
	source->root = root;
	source->arena = arena;
	if (add_lines(source, file, real, text, error) == 0 &&
	    (bench_text_add(&source->text, "\n"), add_sources(source, spec_file, spec, error) == 0))
		whole = bench_arena_string(arena, source->joined ? source->text.data : text);
	bench_text_free(&source->text);
	return whole;
}

/*
 * The specification in a comment of the source that begins with "bench {": the text up to its end, with
 * blanks for what is not of it, so that lines and columns are those of the file. In the arena; NULL: there
 * is none.
 */
static char *spec_of_comment(const char *source, struct bench_arena *arena)
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
	char *spec = end ? bench_arena_format(arena, "%.*s", (int)(end - source), source) : NULL;
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
	BENCH_SCOPED_MEMORY char *text = NULL;
	BENCH_SCOPED_ARENA arena = {0};
	char *source, *spec_text = NULL;

	if (read_text(file, true, &arena, &source, error) != 0 ||
	    (spec_file && read_text(spec_file, false, &arena, &spec_text, error) != 0))
		return -1;
	const char *spec = spec_file ? spec_text : spec_of_comment(source, &arena);
	if (!spec)
		return bench_fail(error, BENCH_USAGE,
				  "%s has no specification: a comment /* bench {...} */ in it, or a file by "
				  "--spec; 'bench new kernel NAME' writes an example",
				  file);
	const char *whole = join(file, source, spec_file ? spec_file : file, spec, &arena, error);
	if (!whole)
		return -1;
	cJSON *extension = cJSON_CreateObject();
	cJSON_AddStringToObject(extension, "kind", "kernel");
	cJSON_AddStringToObject(extension, "file", file);
	cJSON_AddStringToObject(extension, "source", whole);
	cJSON_AddStringToObject(extension, "spec_file", spec_file ? spec_file : file);
	cJSON_AddStringToObject(extension, "spec", spec);
	if (search)
		cJSON_AddBoolToObject(extension, "search", true);
	text = bench_json_print(extension, false);
	return bench_extend_add(text, error);
}
