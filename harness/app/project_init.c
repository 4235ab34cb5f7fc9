/* SPDX-License-Identifier: MIT */
/* The first project file, and what git is to leave alone. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/project.h"
#include "core/file.h"
#include "core/text.h"

#define MOST_BYTES ((size_t)1 << 20)

static const char start[] =
	"// What 'bench run', 'bench gate' and the others measure here, and how; the command line has the "
	"last\n"
	"// word. Paths begin at this file. docs/projects.md has every member.\n"
	"{\n"
	"\t// Suites, or what this repository brings: \"kernels\": [\"saxpy.cl\"], \"exec\": [\"./program "
	"{n}\"].\n"
	"\t\"suites\": [\"null\"],\n"
	"\n"
	"\t// By --preset NAME; \"like\" quick, nightly, full, or another of these.\n"
	"\t\"presets\": {\n"
	"\t\t\"pr\": {\"like\": \"quick\", \"budget\": \"60s\"}\n"
	"\t},\n"
	"\n"
	"\t// What a change must reach, and whom it concerns; the last entry that matches counts.\n"
	"\t\"metrics\": [\n"
	"\t\t// {\"match\": \"null/*\", \"threshold\": \"10%\", \"owner\": \"@us/timers\"}\n"
	"\t],\n"
	"\n"
	"\t// Metrics that are measured and not judged.\n"
	"\t\"ignore\": [],\n"
	"\n"
	"\t\"runs\": \"runs\",\n"
	"\t\"history\": \"results.db\"\n"
	"}\n";

static const char *const ignored[] = {"/runs/", "/results.db*"};

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);
	for (const char *at = text; (at = strstr(at, line)); at += length)
		if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

static int ignore_outputs(const char *path, struct bench_error *error)
{
	struct bench_text text = {0};
	char *old = NULL;
	size_t length = 0, before;
	if (access(path, F_OK) == 0 && bench_file_read(path, MOST_BYTES, &old, &length, error) != 0)
		return -1;
	bench_text_add_bytes(&text, old ? old : "", length);
	before = text.length;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (!has_line(old ? old : "", ignored[i]))
			bench_text_add(&text, "%s%s\n",
				       text.length && text.data[text.length - 1] != '\n' ? "\n" : "",
				       ignored[i]);
	int result = text.length > before ? bench_file_update(path, text.data, text.length, error) : 0;
	bench_text_free(&text);
	free(old);
	return result;
}

int bench_app_project_init(const char *folder, struct bench_error *error)
{
	struct bench_arena arena = {0};
	const char *path = bench_arena_format(&arena, "%s/" BENCH_APP_PROJECT, folder);
	int result;
	if (!bench_file_is_folder(folder))
		result = bench_fail(error, BENCH_USAGE, "'%s' is no folder", folder);
	else if (access(path, F_OK) == 0)
		result = bench_fail(error, BENCH_USAGE, "%s is there already", path);
	else
		result = bench_file_write(path, start, sizeof(start) - 1, error);
	if (result == 0)
		result = ignore_outputs(bench_arena_format(&arena, "%s/.gitignore", folder), error);
	bench_arena_free(&arena);
	return result;
}
