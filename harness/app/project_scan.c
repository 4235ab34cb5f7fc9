/* SPDX-License-Identifier: MIT */
/* What a folder has that can be measured: kernels, plug-ins, programs and binaries of Google Benchmark. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/kernel.h"
#include "app/plugin.h"
#include "app/project_internal.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "extend/extend.h"
#include "machine/child.h"
#include "suites/suites.h"

#define DEEPEST      6
#define MOST_ENTRIES 20000
#define MOST_FILE    ((size_t)256 << 20)
#define MOST_ANSWER  ((size_t)64 << 10)
#define ASK_SECONDS  10
#define MOST_SHOWN   4 /* functions of a library */

struct scan {
	struct bench_arena *arena;
	const char *folder;
	struct project_item *items;
	size_t count, entries;
	size_t measured; /* items that are not PROJECT_LEFT */
};

static struct project_item *add(struct scan *scan, enum project_kind kind, const char *path, const char *note)
{
	struct project_item *item = bench_arena_push(scan->arena, &scan->items, &scan->count, sizeof(*item));
	*item = (struct project_item){kind, path, note, NULL, 0};
	scan->measured += kind != PROJECT_LEFT;
	return item;
}

static bool contains(const char *data, size_t length, const char *text)
{
	return memmem(data, length, text, strlen(text)) != NULL;
}

/* What a program prints, in the arena; "" where it fails. */
static char *ask(struct scan *scan, const char *const *arguments)
{
	struct bench_text answer = {0};
	int status;
	if (bench_machine_child_ask(arguments, ASK_SECONDS, MOST_ANSWER, &answer, &status) !=
		    BENCH_CHILD_ENDED ||
	    status != 0)
		bench_text_free(&answer);
	return bench_text_keep(&answer, scan->arena);
}

static void add_name(struct scan *scan, struct project_item *item, const char *name)
{
	BENCH_PUSH(scan->arena, item->names, item->name_count) = name;
}

/* The functions that a library exports, as nm lists them: "ADDRESS T NAME". */
static void add_library(struct scan *scan, const char *path, const char *whole)
{
	const char *arguments[] = {"nm", "-D", "--defined-only", "--", whole, NULL};
	char *rest = ask(scan, arguments), *line;
	BENCH_SCOPED_TEXT names = {0};
	const char *first = NULL;
	size_t count = 0;
	while ((line = bench_text_next(&rest, '\n'))) {
		char *name = strstr(line, " T ");
		if (!name || name[3] == '_')
			continue;
		name += 3;
		first = first ? first : name;
		if (count++ < MOST_SHOWN)
			bench_text_add(&names, "%s%s", names.length ? ", " : "", name);
	}
	if (first)
		add(scan, PROJECT_LEFT, path,
		    bench_arena_format(
			    scan->arena, "function%s %s%s: 'bench new function %s' writes a benchmark for it",
			    bench_text_plural(count), names.data, count > MOST_SHOWN ? ", ..." : "", first));
}

static size_t count_suites(void)
{
	size_t count = 0;
	while (bench_suites[count])
		count++;
	return count;
}

/* Of a kernel or a plug-in that was loaded, as every run loads it; `before`: suites until then. */
static void add_loaded(struct scan *scan, enum project_kind kind, const char *path, int result, size_t before,
		       const struct bench_error *error)
{
	if (result != 0) {
		add(scan, PROJECT_LEFT, path, bench_arena_string(scan->arena, error->text));
		return;
	}
	struct project_item *item = add(scan, kind, path, NULL);
	for (; kind == PROJECT_PLUGIN && bench_suites[before]; before++)
		add_name(scan, item, bench_suites[before]->name);
}

static void add_kernel(struct scan *scan, const char *path, const char *whole)
{
	struct bench_error error;
	const size_t before = count_suites();
	const int result = bench_app_kernel(whole, NULL, false, &error);
	add_loaded(scan, PROJECT_KERNEL, path, result, before, &error);
}

static void add_plugin(struct scan *scan, const char *path, const char *whole)
{
	struct bench_error error;
	const size_t before = count_suites();
	const char *text = bench_app_plugin(whole, scan->arena, &error);
	const int result = text ? bench_app_extend(text, &error) : -1;
	add_loaded(scan, PROJECT_PLUGIN, path, result, before, &error);
}

static void add_google(struct scan *scan, const char *path, const char *whole)
{
	const char *arguments[] = {whole, "--benchmark_list_tests", NULL};
	char *rest = ask(scan, arguments), *line;
	struct project_item found = {0};
	while ((line = bench_text_next(&rest, '\n')))
		if (*line && !strpbrk(line, " ,"))
			add_name(scan, &found, line);
	if (!found.name_count) {
		add(scan, PROJECT_LEFT, path,
		    "a binary of Google Benchmark that does not list its benchmarks");
		return;
	}
	struct project_item *item = add(scan, PROJECT_GOOGLE, path, NULL);
	item->names = found.names;
	item->name_count = found.name_count;
}

/* NAME.so, or NAME.so.1.2 */
static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/'), *end = slash ? slash + 1 : path;
	while ((end = strstr(end, ".so")) && end[3] && !(end[3] == '.' && isdigit((unsigned char)end[4])))
		end += 3;
	return end != NULL;
}

static void look_at(struct scan *scan, const char *path, const struct stat *status)
{
	const char *whole = bench_arena_format(scan->arena, "%s/%s", scan->folder, path);
	const char *dot = strrchr(path, '.');
	bool kernel = dot && strcmp(dot, ".cl") == 0, library = is_library(path);
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	if (!kernel && !library && !(status->st_mode & S_IXUSR))
		return;
	if (bench_file_read(whole, MOST_FILE, &data, &length, NULL) != 0)
		return;
	bool elf = length > 4 && memcmp(data, "\177ELF", 4) == 0;
	if ((kernel || elf) && scan->measured == BENCH_EXTENSIONS_MOST)
		add(scan, PROJECT_LEFT, path,
		    bench_arena_format(scan->arena, "%d others are measured, and a project has no more",
				       BENCH_EXTENSIONS_MOST));
	else if (kernel)
		add_kernel(scan, path, whole);
	else if (elf && library && contains(data, length, "bench_plugin"))
		add_plugin(scan, path, whole);
	else if (elf && library)
		add_library(scan, path, whole);
	else if (elf && contains(data, length, "bench-bisect/1"))
		add(scan, PROJECT_LEFT, path, "a bench itself");
	else if (elf && contains(data, length, "benchmark_list_tests"))
		add_google(scan, path, whole);
	else if (elf)
		add(scan, PROJECT_PROGRAM, path, NULL);
}

/* What builds leave, and bench itself: its runs, and beside the history the executables that it keeps. */
static bool is_passed_over(const char *name)
{
	static const char *const names[] = {"CMakeFiles", "_deps", "node_modules", "runs"};
	bool passed = *name == '.' || strncmp(name, "results.db", strlen("results.db")) == 0;
	passed |= BENCH_FIND(names, COUNT(names), name) != NULL;
	return passed;
}

/* `below`: the folder's path below the first, "" or with a '/' at its end. */
static void scan_folder(struct scan *scan, const char *below, unsigned depth)
{
	struct dirent **entries;
	const char *folder = bench_arena_format(scan->arena, "%s/%s", scan->folder, below);
	int count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *path = bench_arena_format(scan->arena, "%s%s", below, entries[i]->d_name);
		const char *whole = bench_arena_format(scan->arena, "%s/%s", scan->folder, path);
		struct stat status;
		bool seen = !is_passed_over(entries[i]->d_name) && ++scan->entries <= MOST_ENTRIES &&
			    lstat(whole, &status) == 0;
		if (seen && S_ISDIR(status.st_mode) && depth < DEEPEST)
			scan_folder(scan, bench_arena_format(scan->arena, "%s/", path), depth + 1);
		else if (seen && S_ISREG(status.st_mode))
			look_at(scan, path, &status);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

void app_project_scan(const char *folder, struct bench_arena *arena, struct project_item **items,
		      size_t *count)
{
	struct scan scan = {.arena = arena, .folder = folder};
	scan_folder(&scan, "", 0);
	if (scan.entries > MOST_ENTRIES)
		add(&scan, PROJECT_LEFT, folder,
		    bench_arena_format(arena, "it has more than %d files: begin in a folder below",
				       MOST_ENTRIES));
	*items = scan.items;
	*count = scan.count;
}
