/* SPDX-License-Identifier: MIT */
#include "machine/git.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/file.h"
#include "machine/child.h"

#define MOST_ANSWER ((size_t)64 << 20)
#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))

struct setting {
	const char *name, *value;
};

/* Settings by which a command of ours would run something; they hold for its children, too. */
static const char *const settings[] = {
	"core.hooksPath=/dev/null", "core.fsmonitor=",         "gc.auto=0",
	"maintenance.auto=false",   "submodule.recurse=false", "log.showSignature=false"};

/* Settings of any name that run something: which there are is asked, and each of them is overridden. */
static const struct {
	const char *section, *variable;
	const char *instead[3]; /* of the same name */
} families[] = {
	{"filter.", ".clean", {".clean=", ".required=false"}},
	{"filter.", ".smudge", {".smudge=", ".required=false"}},
	{"filter.", ".process", {".process=", ".required=false"}},
	{"hook.", ".command", {".enabled=false"}},
};

/* Variables to the same end. GIT_NO_LAZY_FETCH is of git 2.45; before, no protocol is left to fetch by. */
static const char *const variables[] = {"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
					"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"};

/* Variables that say which repository is meant (a hook has them), and those that are set here. */
static const char *const dropped[] = {"GIT_DIR",
				      "GIT_WORK_TREE",
				      "GIT_IMPLICIT_WORK_TREE",
				      "GIT_INDEX_FILE",
				      "GIT_OBJECT_DIRECTORY",
				      "GIT_ALTERNATE_OBJECT_DIRECTORIES",
				      "GIT_COMMON_DIR",
				      "GIT_NAMESPACE",
				      "GIT_PREFIX",
				      "GIT_GRAFT_FILE",
				      "GIT_SHALLOW_FILE",
				      "GIT_INTERNAL_SUPER_PREFIX",
				      "GIT_ALLOW_PROTOCOL",
				      "GIT_NO_LAZY_FETCH",
				      "GIT_OPTIONAL_LOCKS",
				      "GIT_TERMINAL_PROMPT"};

/* A list of texts, such as arguments; it ends with NULL once it is closed. */
struct list {
	char **items;
	size_t count;
};

/* Git's options before the command. */
struct shelter {
	struct bench_arena arena;
	struct list environment;
	struct list overrides; /* "-c", "NAME=VALUE" */
};

static void add(struct shelter *shelter, struct list *list, const char *text)
{
	BENCH_PUSH(&shelter->arena, list->items, list->count) = bench_arena_string(&shelter->arena, text);
}

static void add_setting(struct shelter *shelter, const char *setting)
{
	add(shelter, &shelter->overrides, "-c");
	add(shelter, &shelter->overrides, setting);
}

static bool is_dropped(const char *entry)
{
	for (size_t i = 0; i < COUNT(dropped); i++) {
		size_t length = strlen(dropped[i]);
		if (strncmp(entry, dropped[i], length) == 0 && entry[length] == '=')
			return true;
	}
	return false;
}

static void build_shelter(struct shelter *shelter)
{
	for (char **entry = environ; *entry; entry++)
		if (!is_dropped(*entry))
			add(shelter, &shelter->environment, *entry);
	for (size_t i = 0; i < COUNT(variables); i++)
		add(shelter, &shelter->environment, variables[i]);
	add(shelter, &shelter->environment, NULL);
	for (size_t i = 0; i < COUNT(settings); i++)
		add_setting(shelter, settings[i]);
}

/* Overrides what a setting of this name would run. */
static int override(struct shelter *shelter, const char *name, struct bench_error *error)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < COUNT(families); i++) {
		size_t head = strlen(families[i].section), tail = strlen(families[i].variable);
		if (length < head + tail || strncmp(name, families[i].section, head) != 0 ||
		    strcmp(name + length - tail, families[i].variable) != 0)
			continue;
		/* "-c" takes a name up to its first '='. */
		if (strchr(name, '='))
			return bench_fail(
				error, BENCH_ENVIRONMENT,
				"the setting '%s' of git cannot be switched off: its name holds a '='", name);
		for (const char *const *instead = families[i].instead; *instead; instead++)
			add_setting(shelter, bench_arena_format(&shelter->arena, "%.*s%s",
								(int)(length - tail), name, *instead));
	}
	return 0;
}

static int run(struct shelter *shelter, const char *folder, const char *const *words, double limit_seconds,
	       struct bench_text *out, struct bench_error *error)
{
	static const char *const first[] = {"git", "--no-pager", "-C"};
	struct list arguments = {0};
	BENCH_SCOPED_TEXT said = {0};
	int status, result = -1;
	for (size_t i = 0; i < COUNT(first); i++)
		add(shelter, &arguments, first[i]);
	add(shelter, &arguments, folder);
	for (size_t i = 0; i < shelter->overrides.count; i++)
		add(shelter, &arguments, shelter->overrides.items[i]);
	for (const char *const *word = words; *word; word++)
		add(shelter, &arguments, *word);
	add(shelter, &arguments, NULL);
	const struct bench_child child = {.arguments = (const char *const *)arguments.items,
					  .environment = shelter->environment.items,
					  .out = bench_file_memory("bench-git", "", 0),
					  .err = bench_file_memory("bench-git-error", "", 0),
					  .limit_seconds = limit_seconds};
	if (child.out < 0 || child.err < 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "git %s: its answer has no place: %s", words[0],
			   strerror(errno));
		goto out;
	}
	enum bench_child_end end = bench_machine_child_run(&child, &status);
	if (end == BENCH_CHILD_ENDED && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		result = 0;
		if (out)
			bench_file_memory_read(child.out, MOST_ANSWER, out);
		goto out;
	}
	bench_file_memory_read(child.err, MOST_ANSWER, &said);
	if (end == BENCH_CHILD_NOT_STARTED)
		bench_fail(error, BENCH_ENVIRONMENT, "git cannot be started: %s", strerror(status));
	else if (end == BENCH_CHILD_TIMED_OUT)
		bench_fail(error, BENCH_ENVIRONMENT, "git %s in '%s' did not end within %.0f s", words[0],
			   folder, limit_seconds);
	else
		bench_fail(error, BENCH_ENVIRONMENT, "git %s in '%s': %.*s", words[0], folder,
			   said.data ? (int)strcspn(said.data, "\n") : 0, said.data ? said.data : "");
out:
	if (child.out >= 0)
		close(child.out);
	if (child.err >= 0)
		close(child.err);
	return result;
}

int bench_machine_git(const char *folder, const char *const *words, double limit_seconds,
		      struct bench_text *out, struct bench_error *error)
{
	static const char *const list[] = {"config", "--list", "--name-only", "-z", NULL};
	struct shelter shelter = {0};
	BENCH_SCOPED_TEXT names = {0};
	build_shelter(&shelter);
	int result = run(&shelter, folder, list, limit_seconds, &names, error);
	for (size_t at = 0; result == 0 && at < names.length; at += strlen(names.data + at) + 1)
		result = override(&shelter, names.data + at, error);
	if (result == 0)
		result = run(&shelter, folder, words, limit_seconds, out, error);
	bench_arena_free(&shelter.arena);
	return result;
}
