/* SPDX-License-Identifier: MIT */
/* The first project file, and what git is to leave alone. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/project_internal.h"
#include "app/worktree.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "suites/suites.h"

#define MOST_BYTES ((size_t)1 << 20)

#define PROGRAMS "bench-programs.json" /* each program a suite: they are no variants of one another */

/* In front of what is measured, and behind it. */
static const char head[] =
	"// What 'bench run', 'bench gate' and other commands measure here, and how. Options of the command "
	"line\n"
	"// override it. Paths are relative to this file. docs/projects.md describes every member.\n"
	"{\n";
static const char tail[] =
	"\t// For --preset NAME; \"like\" names quick, nightly, full, or another of these.\n"
	"\t\"presets\": {\n"
	"\t\t\"pr\": {\"like\": \"quick\", \"budget\": \"60s\"},\n"
	"\t\t\"night\": {\"like\": \"nightly\", \"budget\": \"10m\"}\n"
	"\t},\n"
	"\n"
	"\t// Thresholds and owners of metrics; the last entry that matches counts.\n"
	"\t\"metrics\": [\n"
	"\t\t// {\"match\": \"*\", \"threshold\": \"10%\", \"owner\": \"@us/performance\"}\n"
	"\t],\n"
	"\n"
	"\t\"runs\": \"runs\",\n"
	"\t\"history\": \"results.db\"\n"
	"}\n";

/* What init has found, and the texts that become of it. */
struct beginning {
	struct bench_arena *arena;
	const char *folder;
	struct project_item *items;
	size_t count;
	struct bench_text *project, *found;
};

static size_t count_of(const struct beginning *in, enum project_kind kind)
{
	size_t count = 0;
	for (size_t i = 0; i < in->count; i++)
		count += in->items[i].kind == kind;
	return count;
}

static void add_json(struct bench_text *text, const char *word)
{
	BENCH_SCOPED_MEMORY char *printed = bench_json_print(cJSON_CreateString(word), false);
	bench_text_add(text, "%s", printed);
}

/* A path as a command's program, quoted for a shell. */
static const char *command_of(struct beginning *in, const char *path)
{
	struct bench_text text = {0};
	bench_text_add_shell(&text, strchr(path, '/') ? path : bench_arena_format(in->arena, "./%s", path));
	return bench_text_keep(&text, in->arena);
}

/* The path's last part, as a suite may be called. */
static char *plain_name(struct beginning *in, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = bench_arena_string(in->arena, slash ? slash + 1 : path);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '_';
	return name;
}

/* A name for the suite of a program: no suite that there is, and no program's. */
static const char *suite_of(struct beginning *in, const struct project_item *item)
{
	char *name = plain_name(in, item->path);
	bool taken = false;
	for (size_t s = 0; bench_suites[s]; s++)
		taken |= strcmp(bench_suites[s]->name, name) == 0;
	for (const struct project_item *other = in->items; other < item; other++)
		taken |= other->kind != PROJECT_LEFT && strcmp(plain_name(in, other->path), name) == 0;
	return taken ? bench_arena_format(in->arena, "%s_%zu", name, (size_t)(item - in->items)) : name;
}

/* One benchmark is one case: its own time is what counts, and not that of the process. */
static void add_google(struct beginning *in, const struct project_item *item, cJSON *programs)
{
	static const char *const members[] = {"real_time", "match", "\"real_time\": *([0-9.e+-]+)", "unit",
					      "ns"};
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "suite", suite_of(in, item));
	cJSON_AddStringToObject(object, "command",
				bench_arena_format(in->arena,
						   "%s '--benchmark_filter=^{name}$' --benchmark_format=json",
						   command_of(in, item->path)));
	cJSON *names = cJSON_AddArrayToObject(cJSON_AddObjectToObject(object, "set"), "name");
	for (size_t i = 0; i < item->name_count; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(item->names[i]));
	cJSON *figure = cJSON_AddObjectToObject(cJSON_AddObjectToObject(object, "metrics"), members[0]);
	cJSON_AddStringToObject(figure, members[1], members[2]);
	cJSON_AddStringToObject(figure, members[3], members[4]);
	cJSON_AddItemToArray(programs, object);
}

/* BENCH_USAGE where the file is there: it is the user's. */
static int refuse_there(const char *path, struct bench_error *error)
{
	return access(path, F_OK) == 0
		       ? bench_fail(error, BENCH_USAGE,
				    "%s is there already: edit it, or remove it and repeat 'bench init'",
				    path)
		       : 0;
}

static int write_programs(struct beginning *in, struct bench_error *error)
{
	const char *path = bench_arena_format(in->arena, "%s/" PROGRAMS, in->folder);
	cJSON *programs = cJSON_CreateArray();
	for (size_t i = 0; i < in->count; i++) {
		const struct project_item *item = &in->items[i];
		if (item->kind == PROJECT_GOOGLE)
			add_google(in, item, programs);
		if (item->kind != PROJECT_PROGRAM)
			continue;
		cJSON *object = cJSON_CreateObject();
		cJSON_AddStringToObject(object, "suite", suite_of(in, item));
		cJSON_AddStringToObject(object, "command", command_of(in, item->path));
		cJSON_AddItemToArray(programs, object);
	}
	BENCH_SCOPED_MEMORY char *text = bench_json_print(programs, true);
	return refuse_there(path, error) != 0 ? -1 : bench_file_write(path, text, strlen(text), error);
}

/* "\"kernels\": [\"a.cl\", \"b.cl\"]," */
static void add_member(struct beginning *in, const char *name, enum project_kind kind)
{
	const char *before = "";
	if (!count_of(in, kind))
		return;
	bench_text_add(in->project, "\t\"%s\": [", name);
	for (size_t i = 0; i < in->count; i++) {
		if (in->items[i].kind != kind)
			continue;
		bench_text_add(in->project, "%s", before);
		add_json(in->project,
			 kind == PROJECT_PROGRAM ? command_of(in, in->items[i].path) : in->items[i].path);
		before = ", ";
	}
	bench_text_add(in->project, "],\n");
}

static const char *line_of(struct beginning *in, const char *text)
{
	struct bench_text line = {0};
	bench_text_add_line(&line, text);
	return bench_text_keep(&line, in->arena);
}

/* "  plug-ins: build/sum.so (sum, dot)" */
static void say(struct beginning *in, const char *what, enum project_kind kind)
{
	const char *before = bench_arena_format(in->arena, "  %s: ", what);
	for (size_t i = 0; i < in->count; i++) {
		const struct project_item *item = &in->items[i];
		if (item->kind != kind)
			continue;
		bench_text_add(in->found, "%s%s", before, line_of(in, item->path));
		before = ", ";
		for (size_t n = 0; n < item->name_count; n++)
			bench_text_add(in->found, "%s%s", n ? ", " : " (", line_of(in, item->names[n]));
		bench_text_add(in->found, "%s", item->name_count ? ")" : "");
	}
	if (count_of(in, kind))
		bench_text_add(in->found, "\n");
}

static void say_left(struct beginning *in)
{
	for (size_t i = 0; i < in->count; i++) {
		const struct project_item *item = &in->items[i];
		if (item->kind == PROJECT_LEFT)
			bench_text_add(in->found, "not measured: %s: %s\n", line_of(in, item->path),
				       line_of(in, item->note));
	}
}

/* The command that builds a commit, which runs at the top of the repository; NULL: there is no build file. */
static const char *build_of(struct beginning *in, const char **file)
{
	const char *build = bench_app_build_command(in->folder, file);
	char *top, here[PATH_MAX];
	struct bench_error ignored;
	struct bench_text text = {0};
	if (bench_app_repository_top(in->folder, in->arena, &top, &ignored) != 0)
		return build;
	if (!build)
		return bench_app_build_command(top, file);
	const size_t length = strlen(top);
	if (!realpath(in->folder, here) || strncmp(here, top, length) != 0 || here[length] != '/')
		return build;
	bench_text_add_command(&text, "cd %s", here + length + 1);
	bench_text_add(&text, " && %s", build);
	return bench_text_keep(&text, in->arena);
}

static int make(struct beginning *in, struct bench_error *error)
{
	const char *file, *build = build_of(in, &file);
	const bool some = in->count > count_of(in, PROJECT_LEFT);
	const bool own_file = count_of(in, PROJECT_GOOGLE) || count_of(in, PROJECT_PROGRAM) > 1;
	bench_text_add(in->project, "%s", head);
	add_member(in, "kernels", PROJECT_KERNEL);
	add_member(in, "plugins", PROJECT_PLUGIN);
	if (own_file)
		bench_text_add(in->project, "\t\"exec\": [\"" PROGRAMS "\"],\n");
	else
		add_member(in, "exec", PROJECT_PROGRAM);
	if (!some)
		bench_text_add(in->project,
			       "\t// Suites, or what this repository brings: \"kernels\": [\"saxpy.cl\"], "
			       "\"exec\": [\"./program {n}\"].\n\t\"suites\": [\"null\"],\n");
	if (build) {
		bench_text_add(in->project, "\n\t// How 'bench bisect' builds a commit.\n\t\"build\": ");
		add_json(in->project, build);
		bench_text_add(in->project, ",\n");
	}
	bench_text_add(in->project, "\n");
	if (count_of(in, PROJECT_GOOGLE)) {
		bench_text_add(in->project,
			       "\t// Metrics that are measured but not judged.\n\t\"ignore\": [");
		const char *before = "";
		for (size_t i = 0; i < in->count; i++)
			if (in->items[i].kind == PROJECT_GOOGLE) {
				const char *suite = suite_of(in, &in->items[i]);
				bench_text_add(in->project,
					       "%s\"%s/*/time\", \"%s/*/cpu_time\", \"%s/*/instructions\"",
					       before, suite, suite, suite);
				before = ", ";
			}
		bench_text_add(in->project, "],\n\n");
	}
	bench_text_add(in->project, "%s", tail);
	say(in, "kernels", PROJECT_KERNEL);
	say(in, "plug-ins", PROJECT_PLUGIN);
	say(in, "programs", PROJECT_PROGRAM);
	say(in, "Google Benchmark", PROJECT_GOOGLE);
	if (!some)
		bench_text_add(in->found, "  the suite null: no kernel, plug-in or program was found%s%s%s\n",
			       build ? "; build ('" : "", build ? build : "",
			       build ? "'), remove this file, and repeat 'bench init'" : "");
	say_left(in);
	if (build)
		bench_text_add(in->found, "build: %s (there is a %s)\n", build, file);
	return own_file ? write_programs(in, error) : 0;
}

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
	BENCH_SCOPED_TEXT text = {0};
	BENCH_SCOPED_MEMORY char *old = NULL;
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
	return text.length > before ? bench_file_update(path, text.data, text.length, error) : 0;
}

int bench_app_project_init(const char *folder, struct bench_text *found, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT project = {0};
	struct beginning in = {.arena = &arena, .folder = folder, .project = &project, .found = found};
	const char *path = bench_arena_format(&arena, "%s/" BENCH_APP_PROJECT, folder);

	if (!bench_file_is_folder(folder))
		return bench_fail(error, BENCH_USAGE, "'%s' is not a folder", folder);
	if (refuse_there(path, error) != 0)
		return -1;
	app_project_scan(folder, &arena, &in.items, &in.count);
	if (make(&in, error) != 0 || bench_file_write(path, project.data, project.length, error) != 0)
		return -1;
	return ignore_outputs(bench_arena_format(&arena, "%s/.gitignore", folder), error);
}
