/* SPDX-License-Identifier: MIT */
/*
 * The command line: each verb has a table of its options, from which parsing, checking and
 * --help come. "--name value" and "--name=value"; options and operands in any order; "--"
 * ends the options.
 */
#ifndef BENCH_CLI_OPTIONS_H
#define BENCH_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/text.h"
#include "report/format/format.h"

struct cli_option {
	const char *name;     /* without the dashes */
	char letter;          /* "-o"; 0: none */
	const char *argument; /* what to call its value in --help; NULL: it has none */
	const char *help;     /* NULL: it is --format, and says which there are */
};

/*
 * A default of an option: what is read where the option is not given, and what --help prints. An option may
 * have several; the last one whose `where` holds counts.
 */
struct cli_default {
	const char *option;
	const char *where; /* NULL: always; "--name": that option is given; else a first operand, or a case
			      that the verb tells (CLI_ANCHORED) */
	const char *value; /* NULL: nothing is read; `words` say what happens then */
	const char *words; /* what --help prints instead of the value; NULL: the value */
};

/* Cases that verbs tell. */
#define CLI_ANCHORED   "against an anchor"
#define CLI_HISTORICAL "against earlier runs"

struct cli_call;
struct cli_word;

struct cli_verb {
	const char *name;
	const char *summary;              /* one line */
	const char *usage;                /* what follows "bench <name>", a line each */
	const char *about;                /* a paragraph or two, NULL: nothing more to say */
	const char *examples;             /* lines, each a command or a comment */
	const struct cli_option *options; /* ends with a NULL name; --help is understood everywhere */
	size_t max_operands;
	enum bench_rendered rendered;       /* of verbs with --format: what is rendered */
	const struct cli_default *defaults; /* those of all verbs do not apply; ends with {0}; NULL: none */
	/* Returns the exit status; -1 with an error, which is then said. */
	int (*run)(struct cli_call *call, struct bench_error *error);
	const struct cli_word *words; /* in place of `run`: what the first operand chooses; ends with {0} */
	const char *more; /* behind the list of words, if none or a wrong one is given; NULL: nothing */
};

/* An option that all verbs have: the project file. */
#define CLI_PROJECT "project"

struct cli_args {
	struct bench_arena *arena; /* of the caller, for all that the command needs */
	const struct cli_verb *verb;
	struct bench_project *project; /* app/project.h; NULL: none was looked for */
	size_t project_count;       /* how many of the given options, from the first, come from the project */
	const char *project_preset; /* the preset of the project file that was asked for; NULL: none */
	size_t lenient_sets;        /* how many --set, from the first, are for suites that others replace
				     */
	const char *exec_folder;    /* where commands of the project file run; NULL: --exec has none of it */
	const char *hook_folder;    /* the same of the project file's hooks */
	const struct cli_option **given; /* with the value of each in `values`, in order */
	const char **values;
	size_t given_count;
	const char **operands;
	size_t operand_count;
	bool help;
};

/* Parses what follows the verb. BENCH_USAGE naming the option and the nearest that exists. */
int cli_parse(const struct cli_verb *verb, int argc, char **argv, struct bench_arena *arena,
	      struct cli_args *args, struct bench_error *error);
/*
 * Of options that take one value, the last one counts: the note on the first that was given more often, in
 * the arena; NULL: none was. Those that take several say "repeatable" in their help; --set of one parameter
 * adds values to it. Before cli_project.
 */
const char *cli_repeated(struct cli_args *args);

/* Is it one of the names, which end with NULL? */
bool cli_is_among(const char *name, const char *const *names);
/* The verb's option of that name; NULL: it has none. */
const struct cli_option *cli_option_of(const struct cli_verb *verb, const char *name);

/* The last value given for an option, else its default; NULL: neither. */
const char *cli_value(const struct cli_args *args, const char *name);
/* The default of an option in the case `where` (NULL: none); NULL: nothing is read. */
const char *cli_default(const struct cli_args *args, const char *name, const char *where);
/* All defaults of an option, one after the other; NULL: no more. */
const struct cli_default *cli_default_rows(const struct cli_verb *verb, const char *name);
const struct cli_default *cli_default_next(const struct cli_default *row);
/* Adds " (default: ...)", if there is one. */
void cli_default_text(const struct cli_verb *verb, const char *name, struct bench_text *out);
bool cli_given(const struct cli_args *args, const char *name);
/* Is it on the command line, not only in the project file? */
bool cli_said(const struct cli_args *args, const char *name);
/* All its values, NULL-terminated, in the arena. */
const char *const *cli_values(const struct cli_args *args, const char *name, size_t *count);

/* The verb's help, at the end of `out`: 80 columns wide, except for long words and examples. */
void cli_help(const struct cli_verb *verb, struct bench_text *out);

/* The options of a verb, one after the other: its own, and those that every verb understands; then NULL. */
const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t at);
/* What --help says of an option of the verb: its text, or the formats there are, and its defaults. In
 * `arena`.
 */
const char *cli_option_text(const struct cli_verb *verb, const struct cli_option *option,
			    struct bench_arena *arena);
/* The line, or lines, of an option. */
void cli_help_option(struct bench_text *out, const struct cli_option *option, const char *help);
/* Lines of `text`, each behind a margin. */
void cli_help_indented(struct bench_text *out, const char *text);
/* Takes the next line off *rest, with its length; NULL at the end. */
const char *cli_next_line(const char **rest, size_t *length);

#endif
