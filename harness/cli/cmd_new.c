/* SPDX-License-Identifier: MIT */
/* bench new: writes a commented, runnable template. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "core/embedded.h"
#include "core/file.h"
#include "core/text.h"

enum { MOST_FILES = 4, MOST_NAME = 31 };

#define BUILD "cc -O2 -fPIC -shared $(pkg-config --cflags bench) @NAME@.c -o @NAME@.so -lm\n"

/* The templates. In their files `mark`, and in the commands that come next @NAME@, stands for the name. */
static const struct start {
	const char *what, *mark;
	struct bench_embedded files[MOST_FILES]; /* what follows the name, and the text */
	const char *next;                        /* commands, a line each */
} starts[] = {
	{"kernel", "@NAME@", {{".cl", bench_start_kernel_cl}}, "bench run --kernel @NAME@.cl\n"},
	{"function", "@NAME@", {{".c", bench_start_function_c}}, BUILD "bench run --plugin ./@NAME@.so\n"},
	{"suite", "example_suite", {{".c", bench_start_suite_c}}, BUILD "bench run --plugin ./@NAME@.so\n"},
	{"backend",
	 "example_backend",
	 {{".c", bench_start_backend_c}},
	 BUILD "bench run --plugin ./@NAME@.so --suite elementwise --backend @NAME@\n"},
};
enum { STARTS = sizeof(starts) / sizeof(starts[0]) };

static const struct cli_option options[] = {{0}};

static void add_named(struct bench_text *out, const char *text, const char *mark, const char *name)
{
	for (const char *at; (at = strstr(text, mark)); text = at + strlen(mark)) {
		bench_text_add_bytes(out, text, (size_t)(at - text));
		bench_text_add(out, "%s", name);
	}
	bench_text_add(out, "%s", text);
}

static int check_name(const char *name, struct bench_error *error)
{
	if (name[0] >= 'a' && name[0] <= 'z' && strlen(name) <= MOST_NAME &&
	    !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "bench new: '%s' is not a valid name: a lowercase letter, then lowercase letters, "
			  "digits and '_', at most %d in all",
			  name, MOST_NAME);
}

/* Nothing is written where one of the files is there already. */
static int check_absent(const struct start *start, const char *name, struct bench_error *error)
{
	char path[64];
	for (size_t i = 0; i < MOST_FILES && start->files[i].name; i++) {
		snprintf(path, sizeof(path), "%s%s", name, start->files[i].name);
		if (access(path, F_OK) == 0 || errno != ENOENT)
			return bench_fail(error, BENCH_USAGE,
					  "bench new: %s exists already: choose another name", path);
	}
	return 0;
}

static int write_files(const struct start *start, const char *name, struct bench_text *out,
		       struct bench_error *error)
{
	char path[64];
	int result = 0;
	for (size_t i = 0; result == 0 && i < MOST_FILES && start->files[i].name; i++) {
		BENCH_SCOPED_TEXT text = {0};
		snprintf(path, sizeof(path), "%s%s", name, start->files[i].name);
		add_named(&text, start->files[i].text, start->mark, name);
		result = bench_file_write(path, text.data, text.length, error);
		bench_text_add(out, "%s%s", i ? ", " : "wrote ", path);
	}
	bench_text_add(out, "; next:\n");
	add_named(out, start->next, "@NAME@", name);
	return result;
}

static int begin(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *name = args->operand_count > 1 ? args->operands[1] : "", *names[STARTS];
	const struct start *start = NULL;
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "bench new: give a kind and a name, such as 'bench new kernel saxpy'");
	for (size_t s = 0; s < STARTS; s++) {
		names[s] = starts[s].what;
		if (strcmp(args->operands[0], names[s]) == 0)
			start = &starts[s];
	}
	if (!start)
		return bench_text_no_such("start", args->operands[0], names, STARTS, "", error);
	if (check_name(name, error) != 0 || check_absent(start, name, error) != 0 ||
	    write_files(start, name, &call->out, error) != 0)
		return -1;
	return cli_print(&call->out, CLI_OK);
}

const struct cli_verb cli_new = {
	.name = "new",
	.summary = "write a commented, runnable template",
	.usage = "kernel|function|suite|backend NAME",
	.about = "Writes NAME.cl or NAME.c into this folder, and prints the next commands. kernel: an OpenCL "
		 "C kernel, with the specification of its arguments, cases and check. function: a C "
		 "function, with its inputs and check. suite, backend: those of a plug-in. Existing files "
		 "are not overwritten.",
	.examples = "bench new kernel saxpy\n"
		    "bench run --kernel saxpy.cl\n"
		    "bench new function sum",
	.options = options,
	.max_operands = 2,
	.run = begin,
};
