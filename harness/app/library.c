/* SPDX-License-Identifier: MIT */
#include "app/library.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "extend/extend.h"
#include "extend/plugin.h"

#define NAME_MOST 24 /* characters of a file's name in a backend's */

/* Is it the name of a backend? */
static bool is_taken(const char *name)
{
	for (size_t i = 0; bench_backends[i]; i++)
		if (strcmp(bench_backends[i]->name, name) == 0)
			return true;
	return false;
}

/* "openblas+blis" for /path/libblis.so.4; the second of that name has a number. */
static const char *choose_name(const char *path, struct bench_arena *arena)
{
	const char *file = strrchr(path, '/') + 1;
	if (strncmp(file, "lib", 3) == 0)
		file += 3;
	const char *end = strstr(file, ".so");
	size_t length = end && end > file ? (size_t)(end - file) : strlen(file);
	char *stem = bench_arena_format(arena, "openblas+%.*s",
					(int)(length < NAME_MOST ? length : NAME_MOST), file);
	for (char *c = stem + strlen("openblas+"); *c; c++)
		*c = isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? (char)tolower((unsigned char)*c)
									   : '_';
	const char *name = stem;
	for (unsigned number = 2; is_taken(name); number++)
		name = bench_arena_format(arena, "%s_%u", stem, number);
	return name;
}

/* The name that this library, with this content, has been given already; NULL: none. */
static const char *find_added(const char *path, const char *hash, struct bench_arena *arena)
{
	size_t count;
	const char *const *texts = bench_extend_texts(&count), *name = NULL;
	for (size_t i = 0; i < count && !name; i++) {
		cJSON *extension = bench_json_parse(texts[i], strlen(texts[i]), "extension", NULL);
		if (strcmp(bench_json_string_or(extension, "kind", ""), "library") == 0 &&
		    strcmp(bench_json_string_or(extension, "path", ""), path) == 0 &&
		    strcmp(bench_json_string_or(extension, "hash", ""), hash) == 0)
			name = bench_arena_string(arena, bench_json_string_or(extension, "name", ""));
		cJSON_Delete(extension);
	}
	return name;
}

/* Adds the library; the backend's name. */
static const char *add(const char *path, struct bench_arena *arena, struct bench_error *error)
{
	char real[PATH_MAX], hash[BENCH_EXTEND_HASH_SIZE];
	if (!realpath(path, real)) {
		bench_fail(error, BENCH_USAGE, "--backend openblas:%s: %s", path, strerror(errno));
		return NULL;
	}
	if (bench_extend_plugin_hash(real, hash, error) != 0) {
		bench_fail(error, BENCH_USAGE, "--backend openblas:%s", error->text);
		return NULL;
	}
	const char *name = find_added(real, hash, arena);
	if (name)
		return name;
	/* What the user calls it, and not what a link of that name leads to, which has the version in it. */
	name = choose_name(path, arena);
	cJSON *extension = cJSON_CreateObject();
	cJSON_AddStringToObject(extension, "kind", "library");
	cJSON_AddStringToObject(extension, "name", name);
	cJSON_AddStringToObject(extension, "path", real);
	cJSON_AddStringToObject(extension, "hash", hash);
	BENCH_SCOPED_MEMORY char *text = bench_json_print(extension, false);
	return bench_extend_add(text, error) == 0 ? name : NULL;
}

const char *bench_app_libraries(const char *backends, struct bench_arena *arena, struct bench_error *error)
{
	char *rest = bench_arena_string(arena, backends), *item;
	const char *list = "";
	while ((item = bench_text_next(&rest, ','))) {
		const char *word = strchr(item, ':'), *name = item;
		if (word && strchr(word, '/')) {
			if (strncmp(item, "openblas:", strlen("openblas:")) != 0) {
				bench_fail(error, BENCH_USAGE,
					   "--backend %s: only openblas takes the path of a library: "
					   "openblas:/path/lib.so",
					   item);
				return NULL;
			}
			name = add(word + 1, arena, error);
			if (!name)
				return NULL;
		}
		list = bench_arena_format(arena, "%s%s%s", list, *list ? "," : "", name);
	}
	return list;
}
