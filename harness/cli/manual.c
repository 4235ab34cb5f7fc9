/* SPDX-License-Identifier: MIT */
/* Pages in the macros of man(7). */
#include <string.h>

#include "cli/exit.h"
#include "cli/program.h"
#include "core/text.h"
#include "machine/build_info.h"

/* Text that roff takes for nothing else. */
static void add_roff(struct bench_text *out, const char *text, size_t length)
{
	static const char *const escapes[] = {['\\'] = "\\e",  ['-'] = "\\-",   ['~'] = "\\(ti",
					      ['^'] = "\\(ha", ['`'] = "\\(ga", ['\''] = "\\(aq"};
	if (length && text[0] == '.')
		bench_text_add(out, "\\&");
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c < sizeof(escapes) / sizeof(escapes[0]) && escapes[c])
			bench_text_add(out, "%s", escapes[c]);
		else
			bench_text_add_bytes(out, &text[i], 1);
	}
}

static void add_line(struct bench_text *out, const char *text)
{
	add_roff(out, text, strlen(text));
	bench_text_add(out, "\n");
}

/* An entry of a list: what it is in bold, and below it what it means. */
static void add_entry(struct bench_text *out, const char *name, const char *means)
{
	bench_text_add(out, ".TP\n\\fB");
	add_roff(out, name, strlen(name));
	bench_text_add(out, "\\fR\n");
	add_line(out, means);
}

static void add_option(struct bench_text *out, const struct cli_option *option, const char *help)
{
	bench_text_add(out, ".TP\n");
	if (option->letter)
		bench_text_add(out, "\\fB\\-%c\\fR, ", option->letter);
	bench_text_add(out, "\\fB\\-\\-");
	add_roff(out, option->name, strlen(option->name));
	bench_text_add(out, "\\fR");
	if (option->argument) {
		bench_text_add(out, " \\fI");
		add_roff(out, option->argument, strlen(option->argument));
		bench_text_add(out, "\\fR");
	}
	bench_text_add(out, "\n");
	add_line(out, help);
}

/* Sentences that begin a line of --help begin a paragraph. */
static void add_paragraphs(struct bench_text *out, const char *text)
{
	const char *line;
	size_t length;
	while ((line = cli_next_line(&text, &length))) {
		add_roff(out, line, length);
		bench_text_add(out, "%s", length && line[length - 1] == '.' && *text ? "\n.PP\n" : "\n");
	}
}

static void add_literally(struct bench_text *out, const char *text)
{
	const char *line;
	size_t length;
	bench_text_add(out, ".nf\n");
	while ((line = cli_next_line(&text, &length))) {
		add_roff(out, line, length);
		bench_text_add(out, "\n");
	}
	bench_text_add(out, ".fi\n");
}

static void add_synopsis(struct bench_text *out, const struct cli_verb *verb)
{
	const char *rest = verb->usage, *line;
	size_t length;
	for (bool first = true; (line = cli_next_line(&rest, &length)); first = false) {
		bench_text_add(out, "%s\\fBbench %s\\fR ", first ? "" : ".br\n", verb->name);
		add_roff(out, line, length);
		bench_text_add(out, "\n");
	}
}

static void add_title(struct bench_text *out, const char *name, const char *summary)
{
	bench_text_add(out, ".TH \"");
	for (const char *c = name; *c; c++)
		bench_text_add(out, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	bench_text_add(out, "\" \"1\" \"\" \"bench %s\" \"bench manual\"\n.SH NAME\n", BENCH_BUILD_VERSION);
	add_roff(out, name, strlen(name));
	bench_text_add(out, " \\- ");
	add_line(out, summary);
}

static void add_verb(const struct cli_verb *verb, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	add_title(out, bench_arena_format(&arena, "bench-%s", verb->name), verb->summary);
	bench_text_add(out, ".SH SYNOPSIS\n");
	add_synopsis(out, verb);
	if (verb->about) {
		bench_text_add(out, ".SH DESCRIPTION\n");
		add_paragraphs(out, verb->about);
	}
	bench_text_add(out, ".SH OPTIONS\n");
	const struct cli_option *option;
	for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
		add_option(out, option, cli_option_text(verb, option, &arena));
	bench_text_add(out, ".SH EXAMPLES\n");
	add_literally(out, verb->examples);
	bench_text_add(out, ".SH SEE ALSO\n\\fBbench\\fR(1), which lists exit statuses and variables\n");
}

static void add_program(const struct cli_program *program, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	add_title(out, "bench", program->summary);
	bench_text_add(out, ".SH SYNOPSIS\n\\fBbench\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH VERBS\n");
	for (size_t v = 0; program->verbs[v]; v++)
		add_entry(out, program->verbs[v]->name, program->verbs[v]->summary);
	bench_text_add(out, ".SH OPTIONS\nIn place of a verb:\n");
	for (const struct cli_option *option = program->own_options; option->name; option++)
		add_option(out, option, option->help);
	bench_text_add(out, ".SH EXAMPLES\n");
	add_literally(out, program->examples);
	bench_text_add(out, ".SH EXIT STATUS\n");
	for (const struct cli_status *status = cli_statuses; status->means; status++)
		add_entry(out, bench_arena_format(&arena, "%d", status->status), status->means);
	bench_text_add(out, ".SH ENVIRONMENT\n");
	for (const struct cli_variable *variable = cli_variables; variable->name; variable++)
		add_entry(out, variable->name, variable->means);
	bench_text_add(out, ".SH FILES\n");
	add_entry(out, "runs/", "a folder for each run, unless --runs-dir says otherwise");
	add_entry(out, "results.db", "the history, unless --db says otherwise");
	bench_text_add(out, ".SH SEE ALSO\n");
	for (size_t v = 0; program->verbs[v]; v++)
		bench_text_add(out, "%s\\fBbench\\-%s\\fR(1)", v ? ",\n" : "", program->verbs[v]->name);
	bench_text_add(out, "\n");
}

void cli_manual(const struct cli_program *program, const struct cli_verb *verb, struct bench_text *out)
{
	if (verb)
		add_verb(verb, out);
	else
		add_program(program, out);
}
