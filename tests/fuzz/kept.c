/* SPDX-License-Identifier: MIT */
/* about.json of a program that is kept beside the history. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/kept.h"
#include "core/text.h"
#include "fuzz.h"

/* Says which content the folder `name` has, by the refusal of another one. */
static bool find_content(const char *name, char content[17])
{
	struct bench_arena arena = {0};
	struct bench_error error = {0};
	char *text;
	FUZZ_CHECK(bench_app_kept_text(fuzz_path("db"), name, &arena, &text, &error) == -1);
	bench_arena_free(&arena);
	const char *last = strrchr(error.text, ' ');
	if (!strstr(error.text, "its content is") || !last || strlen(last + 1) != 16)
		return false;
	memcpy(content, last + 1, 17);
	return true;
}

/* The value that about.json gives to the variable that is a kept program's own; NULL: none. The caller frees
 * it. */
static char *own_value(const uint8_t *data, size_t size)
{
	cJSON *about = cJSON_ParseWithLength((const char *)data, size);
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(about, "environment");
	const char *value =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(environment, "BENCH_OPENCL_OPTIONS"));
	char *copy = value && *value ? strdup(value) : NULL;
	cJSON_Delete(about);
	return copy;
}

void fuzz_kept(const uint8_t *data, size_t size)
{
	static bool made;
	char content[17], folder[64];
	if (!made) {
		fuzz_make_folder(fuzz_path("db.anchors"));
		fuzz_make_folder(fuzz_path("db.anchors/new"));
		fuzz_write(fuzz_path("db.anchors/new/bench"), "program", 7);
	}
	made = true;
	fuzz_write(fuzz_path("db.anchors/new/about.json"), data, size);
	if (!find_content("new", content))
		return;
	snprintf(folder, sizeof(folder), "db.anchors/%s", content);
	FUZZ_CHECK(rename(fuzz_path("db.anchors/new"), fuzz_path(folder)) == 0);
	struct bench_arena arena = {0};
	struct bench_error error = {0};
	char *text, *word, *value = own_value(data, size);
	bool open = false, found = false;
	if (bench_app_kept_text(fuzz_path("db"), content, &arena, &text, &error) != 0)
		fuzz_fail("%s", error.text);
	/* Words as a shell splits them, with that value among them, and the program at the end. */
	for (char *last = NULL; (word = bench_text_next_shell(&text, &open)); last = word) {
		static const char name[] = "BENCH_OPENCL_OPTIONS=";
		FUZZ_CHECK(!open && (!last || strchr(last, '=')));
		found |= value && strncmp(word, name, sizeof(name) - 1) == 0 &&
			 strcmp(word + sizeof(name) - 1, value) == 0;
	}
	FUZZ_CHECK(found || !value);
	free(value);
	bench_arena_free(&arena);
	FUZZ_CHECK(rename(fuzz_path(folder), fuzz_path("db.anchors/new")) == 0);
}
