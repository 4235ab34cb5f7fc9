/* SPDX-License-Identifier: MIT */
/*
 * Completions. What can follow an option is read off the tables: formats, suites, backends and presets are
 * known, an argument such as yes|no lists its values, and FILE and DIR are paths. Words that can follow a
 * verb are those that its usage begins with.
 */
#include <string.h>

#include "app/plan.h"
#include "backends/backends.h"
#include "cli/program.h"
#include "core/text.h"
#include "suites/shapes.h"
#include "suites/suites.h"

enum kind { FREE, WORD, LIST, PATH }; /* LIST: words with commas between them */

struct values {
	enum kind kind;
	const char *words; /* of WORD and LIST, with blanks between them; "" */
};

static const char *const shells[] = {"bash", "zsh", "fish"};
#define SHELLS (sizeof(shells) / sizeof(shells[0]))

static void add_word(struct bench_text *words, const char *word, size_t length)
{
	bench_text_add(words, "%s%.*s", words->length ? " " : "", (int)length, word);
}

/* "yes|no" and "suites|backends [...]": words, in lower case, with bars between them, up to a blank. */
static void add_alternatives(struct bench_text *words, const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-|");
	if (text[0] == '-' || (text[length] && text[length] != ' '))
		return;
	while (length) {
		size_t word = strcspn(text, "|");
		if (word > length)
			word = length;
		add_word(words, text, word);
		text += word;
		length -= word;
		text += length > 0;
		length -= length > 0;
	}
}

static void add_formats(const struct cli_verb *verb, struct bench_text *words)
{
	for (size_t f = 0; bench_formats[f]; f++) {
		const struct bench_format *format;
		struct bench_error error;
		const char *name = bench_formats[f]->name;
		if (bench_format_parse(name, verb->name, verb->rendered, &format, &error) == 0)
			add_word(words, name, strlen(name));
	}
}

/* The named lists of shapes, each once: two suites may have one of the same name. */
static void add_shapes(struct bench_text *words, const char *before)
{
	const struct bench_shapes *list = NULL, *other;
	while ((list = bench_shapes_next(NULL, list))) {
		for (other = NULL; (other = bench_shapes_next(NULL, other)) != list;)
			if (strcmp(other->name, list->name) == 0)
				break;
		if (other == list)
			bench_text_add(words, "%s%s%s", words->length ? " " : "", before, list->name);
	}
}

/* FILE, DIR, F.json, FILE|no ... */
static bool is_path(const char *argument)
{
	static const char *const marks[] = {"FILE", "DIR", "PATH", "BENCH", "F."};
	bool found = false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		found |= strstr(argument, marks[i]) != NULL;
	return found;
}

static struct values read_values(const struct cli_verb *verb, const struct cli_option *option,
				 struct bench_arena *arena)
{
	struct bench_text words = {0};
	enum kind kind = WORD;

	if (!option->argument)
		return (struct values){FREE, ""};
	if (!option->help) {
		add_formats(verb, &words);
	} else if (strcmp(option->name, "suite") == 0) {
		kind = LIST;
		for (size_t s = 0; bench_suites[s]; s++)
			add_word(&words, bench_suites[s]->name, strlen(bench_suites[s]->name));
		add_word(&words, "all", 3);
	} else if (strcmp(option->name, "backend") == 0) {
		kind = LIST;
		for (size_t b = 0; bench_backends[b]; b++)
			add_word(&words, bench_backends[b]->name, strlen(bench_backends[b]->name));
	} else if (strcmp(option->name, "preset") == 0) {
		for (size_t p = 0; bench_app_presets[p].name; p++)
			add_word(&words, bench_app_presets[p].name, strlen(bench_app_presets[p].name));
	} else if (strcmp(option->name, "set") == 0) {
		add_word(&words, "help", 4);
		add_shapes(&words, "shapes=");
	} else if (is_path(option->argument)) {
		kind = PATH;
	} else {
		add_alternatives(&words, option->argument);
		kind = words.length ? WORD : FREE;
	}
	return (struct values){kind, bench_text_keep(&words, arena)};
}

static const char *operands(const struct cli_verb *verb, struct bench_arena *arena)
{
	struct bench_text words = {0};
	const char *rest = verb->usage, *line;
	size_t length;
	while ((line = cli_next_line(&rest, &length))) {
		char first[128];
		size_t word = 0;
		/* An optional operand is in brackets. */
		for (size_t i = line[0] == '['; i < length && line[i] != ' ' && word + 1 < sizeof(first); i++)
			first[word++] = line[i];
		if (word && line[0] == '[') {
			if (first[word - 1] != ']')
				continue;
			word--;
		}
		first[word] = '\0';
		add_alternatives(&words, first);
	}
	return bench_text_keep(&words, arena);
}

/* Text in single quotes. */
static void add_quoted(struct bench_text *out, const char *text, const char *quote)
{
	bench_text_add(out, "'");
	for (; *text; text++)
		if (*text == '\'')
			bench_text_add(out, "%s", quote);
		else
			bench_text_add_bytes(out, text, 1);
	bench_text_add(out, "'");
}

static void add_verbs(const struct cli_program *program, struct bench_text *out)
{
	for (size_t v = 0; program->verbs[v]; v++)
		bench_text_add(out, "%s%s", v ? " " : "", program->verbs[v]->name);
}

static const char bash_head[] =
	"# Completion of bench in bash, made by 'bench --completion bash'.\n"
	"\n"
	"# Words that begin with $cur, or with what follows its last comma.\n"
	"_bench_words()\n{\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n}\n"
	"_bench_list()\n{\n"
	"\tlocal before=\n"
	"\t[[ $cur != @* ]] || { mapfile -t COMPREPLY < <(compgen -P @ -f -- \"${cur#@}\"); return; }\n"
	"\t[[ $cur != *,* ]] || before=${cur%,*},\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n}\n"
	"\n"
	"_bench()\n{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}\n"
	"\tCOMPREPLY=()\n"
	"\t# --name=value is three words.\n"
	"\tif [[ $cur == = ]]; then\n\t\tcur=\n"
	"\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n";

static void bash_option(const struct cli_verb *verb, const struct cli_option *option, struct bench_text *out)
{
	static const char *const actions[] = {
		[FREE] = "return", [WORD] = "_bench_words", [LIST] = "_bench_list", [PATH] = "return"};
	BENCH_SCOPED_ARENA arena = {0};
	const struct values values = read_values(verb, option, &arena);

	bench_text_add(out, "\t'%s --%s'", verb->name, option->name);
	if (option->letter)
		bench_text_add(out, " | '%s -%c'", verb->name, option->letter);
	bench_text_add(out, ") %s", actions[values.kind]);
	if (*values.words)
		bench_text_add(out, " '%s'; return", values.words);
	bench_text_add(out, " ;;\n");
	if (strcmp(option->name, "set") == 0) {
		BENCH_SCOPED_TEXT names = {0};
		add_shapes(&names, "");
		bench_text_add(out, "\t'%s shapes') _bench_list '%s'; return ;;\n", verb->name,
			       names.data ? names.data : "");
	}
}

static void bash(const struct cli_program *program, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	bench_text_add(out, "%s\tif ((COMP_CWORD == 1)); then\n\t\t_bench_words '", bash_head);
	add_verbs(program, out);
	bench_text_add(out, " help");
	for (const struct cli_option *option = program->own_options; option->name; option++)
		bench_text_add(out, " --%s", option->name);
	bench_text_add(out, "'\n\t\treturn\n\tfi\n\tcase \"$verb $prev\" in\n\t'help help' | '--man --man') "
			    "_bench_words '");
	add_verbs(program, out);
	bench_text_add(
		out,
		"'; return ;;\n\t'--completion --completion') _bench_words 'bash zsh fish'; return ;;\n");
	for (size_t v = 0; program->verbs[v]; v++)
		for (size_t i = 0; cli_option_at(program->verbs[v], i); i++)
			if (cli_option_at(program->verbs[v], i)->argument)
				bash_option(program->verbs[v], cli_option_at(program->verbs[v], i), out);
	bench_text_add(out, "\tesac\n\tcase $verb in\n");
	for (size_t v = 0; program->verbs[v]; v++) {
		const struct cli_verb *verb = program->verbs[v];
		const char *words = operands(verb, &arena);
		bench_text_add(out, "\t%s)\n\t\tif [[ $cur == -* ]]; then\n\t\t\t_bench_words '", verb->name);
		const struct cli_option *option;
		for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
			bench_text_add(out, "%s--%s", i ? " " : "", option->name);
		bench_text_add(out, "'\n");
		if (*words)
			bench_text_add(out, "\t\telif ((COMP_CWORD == 2)); then\n\t\t\t_bench_words '%s'\n",
				       words);
		bench_text_add(out, "\t\tfi\n\t\t;;\n");
	}
	bench_text_add(out, "\tesac\n}\ncomplete -o default -F _bench bench\n");
}

/* Text in the brackets of a specification of _arguments. */
static void zsh_add_text(struct bench_text *out, const char *text)
{
	for (; *text; text++)
		bench_text_add(out, "%s%.*s", strchr("[]:\\", *text) ? "\\" : "", *text == '\'' ? 4 : 1,
			       *text == '\'' ? "'\\''" : text);
}

static void zsh_option(const struct cli_verb *verb, const struct cli_option *option, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	const struct values values = read_values(verb, option, &arena);

	bench_text_add(out, " \\\n\t\t\t");
	if (option->letter)
		bench_text_add(out, "'*'{-%c,--%s}'", option->letter, option->name);
	else
		bench_text_add(out, "'*--%s", option->name);
	bench_text_add(out, "[");
	zsh_add_text(out, cli_option_text(verb, option, &arena));
	bench_text_add(out, "]");
	if (option->argument) {
		bench_text_add(out, ":");
		zsh_add_text(out, option->argument);
		if (values.kind == LIST)
			bench_text_add(out, ":_values -s , value %s", values.words);
		else if (values.kind == WORD)
			bench_text_add(out, ":(%s)", values.words);
		else
			bench_text_add(out, ":%s", values.kind == PATH ? "_files" : " ");
	}
	bench_text_add(out, "'");
}

static void zsh(const struct cli_program *program, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	bench_text_add(out,
		       "#compdef bench\n# Completion of bench in zsh, made by 'bench --completion zsh'.\n\n"
		       "_bench()\n{\n\tlocal -a verbs own\n\tverbs=(\n");
	for (size_t v = 0; program->verbs[v]; v++) {
		bench_text_add(out, "\t\t'%s:", program->verbs[v]->name);
		zsh_add_text(out, program->verbs[v]->summary);
		bench_text_add(out, "'\n");
	}
	bench_text_add(out, "\t\t'help:say what a verb does'\n\t)\n\town=(\n");
	for (const struct cli_option *option = program->own_options; option->name; option++) {
		bench_text_add(out, "\t\t'--%s:", option->name);
		zsh_add_text(out, option->help);
		bench_text_add(out, "'\n");
	}
	bench_text_add(out, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe verb verbs\n"
			    "\t\t_describe option own\n\t\treturn\n\tfi\n\tshift words\n\t((CURRENT--))\n"
			    "\tcase $words[1] in\n\thelp | --man) _describe verb verbs ;;\n"
			    "\t--completion) _values shell bash zsh fish ;;\n");
	for (size_t v = 0; program->verbs[v]; v++) {
		const struct cli_verb *verb = program->verbs[v];
		const char *words = operands(verb, &arena);
		bench_text_add(out, "\t%s)\n\t\t_arguments -s", verb->name);
		const struct cli_option *option;
		for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
			zsh_option(verb, option, out);
		if (*words)
			bench_text_add(out, " \\\n\t\t\t'1:what:(%s)'", words);
		bench_text_add(out, " \\\n\t\t\t'*:argument:_files'\n\t\t;;\n");
	}
	bench_text_add(out, "\tesac\n}\n\n_bench \"$@\"\n");
}

static void fish_option(const struct cli_verb *verb, const struct cli_option *option, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	const struct values values = read_values(verb, option, &arena);

	bench_text_add(out, "complete -c bench -n '__bench_verb %s' -l %s", verb->name, option->name);
	if (option->letter)
		bench_text_add(out, " -s %c", option->letter);
	if (option->argument)
		bench_text_add(out, values.kind == PATH ? " -r -F" : " -x");
	if (values.kind == WORD)
		bench_text_add(out, " -a '%s'", values.words);
	else if (values.kind == LIST)
		bench_text_add(out, " -a '(__fish_append , %s)'", values.words);
	bench_text_add(out, " -d ");
	add_quoted(out, cli_option_text(verb, option, &arena), "\\'");
	bench_text_add(out, "\n");
}

static void fish(const struct cli_program *program, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	bench_text_add(out, "# Completion of bench in fish, made by 'bench --completion fish'.\n\n"
			    "function __bench_verb\n\tset -l words (commandline -opc)\n"
			    "\ttest (count $words) -gt 1; and test \"$words[2]\" = $argv[1]\nend\n"
			    "function __bench_nth\n\ttest (count (commandline -opc)) = $argv[1]\nend\n\n");
	for (const struct cli_option *option = program->own_options; option->name; option++) {
		bench_text_add(out, "complete -c bench -n '__bench_nth 1' -l %s -d ", option->name);
		add_quoted(out, option->help, "\\'");
		bench_text_add(out, "\n");
	}
	bench_text_add(out, "complete -c bench -n '__bench_verb --completion' -f -a 'bash zsh fish'\n"
			    "complete -c bench -n '__bench_verb help; or __bench_verb --man' -f -a '");
	add_verbs(program, out);
	bench_text_add(out, "'\ncomplete -c bench -n '__bench_nth 1' -f -a help -d 'say what a verb does'\n");
	for (size_t v = 0; program->verbs[v]; v++) {
		const struct cli_verb *verb = program->verbs[v];
		const char *words = operands(verb, &arena);
		bench_text_add(out, "\ncomplete -c bench -n '__bench_nth 1' -f -a %s -d ", verb->name);
		add_quoted(out, verb->summary, "\\'");
		bench_text_add(out, "\n");
		if (*words)
			bench_text_add(
				out, "complete -c bench -n '__bench_verb %s; and __bench_nth 2' -f -a '%s'\n",
				verb->name, words);
		const struct cli_option *option;
		for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
			fish_option(verb, option, out);
	}
}

int cli_completion(const struct cli_program *program, const char *shell, struct bench_text *out,
		   struct bench_error *error)
{
	static void (*const completions[SHELLS])(const struct cli_program *program,
						 struct bench_text *out) = {bash, zsh, fish};
	for (size_t i = 0; i < SHELLS; i++) {
		if (strcmp(shell, shells[i]) != 0)
			continue;
		completions[i](program, out);
		return 0;
	}
	return bench_text_no_such("completion for the shell", shell, shells, SHELLS, "", error);
}
