/* SPDX-License-Identifier: MIT */
/* The program: finds the verb, parses its options, runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/project.h"
#include "backends/backends.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/project.h"
#include "cli/say.h"
#include "cli/set_help.h"
#include "core/memory.h"
#include "core/text.h"
#include "measure/worker/worker.h"
#include "store/store.h"
#include "suites/suites.h"

/* The verbs, one a line, in the order of --help: each is cmd_<verb>.c, and the struct in it cli_<verb>. */
/* clang-format off */
#define VERBS(VERB)        \
	VERB(run)          \
	VERB(gate)         \
	VERB(compare)      \
	VERB(duel)         \
	VERB(why)          \
	VERB(bisect)       \
	VERB(backfill)     \
	VERB(baseline)     \
	VERB(alarms)       \
	VERB(list)         \
	VERB(show)         \
	VERB(diff)         \
	VERB(history)      \
	VERB(changepoints) \
	VERB(plot)         \
	VERB(report)       \
	VERB(log)          \
	VERB(ingest)       \
	VERB(import)       \
	VERB(export)       \
	VERB(runs)         \
	VERB(prune)        \
	VERB(init)         \
	VERB(db)           \
	VERB(fleet)        \
	VERB(power)        \
	VERB(tune)         \
	VERB(capture)      \
	VERB(new)          \
	VERB(doctor)
/* clang-format on */

#define DECLARE(name) extern const struct cli_verb cli_##name;
#define ENTER(name)   &cli_##name,

VERBS(DECLARE)
static const struct cli_verb *const verbs[] = {VERBS(ENTER) NULL};

/* In place of a verb. */
static const struct cli_option own_options[] = {
	{"help", 'h', "[VERB]", "show this help, or the help of a verb"},
	{"version", 0, NULL, "show version, build, suites and backends"},
	{"man", 0, "[VERB]", "print the manual page for man(1)"},
	{"completion", 0, "SHELL", "print completions for bash, zsh or fish"},
	{0},
};

static const struct cli_program program = {
	.summary = "measures compute kernels, keeps every measurement, and reports what got slower.",
	.verbs = verbs,
	.own_options = own_options,
	.examples = "bench run --suite gemm\nbench run --suite gemm\nbench compare",
};

/* In each: NULL where no word follows. */
static int help(const char *name, struct bench_text *out, struct bench_error *error)
{
	const struct cli_verb *verb = NULL;
	if (name && cli_find_verb(&program, name, &verb, error) != 0)
		return -1;
	if (verb)
		cli_help(verb, out);
	else
		cli_program_help(&program, out);
	return 0;
}

static int manual(const char *name, struct bench_text *out, struct bench_error *error)
{
	const struct cli_verb *verb = NULL;
	if (name && cli_find_verb(&program, name, &verb, error) != 0)
		return -1;
	cli_manual(&program, verb, out);
	return 0;
}

static int version(const char *none, struct bench_text *out, struct bench_error *error)
{
	(void)none;
	(void)error;
	cli_program_version(out);
	return 0;
}

static int completion(const char *shell, struct bench_text *out, struct bench_error *error)
{
	return cli_completion(&program, shell, out, error);
}

/* What can stand in place of a verb. */
static const struct word {
	const char *name, *takes;
	int least, most; /* words that follow */
	int (*run)(const char *operand, struct bench_text *out, struct bench_error *error);
} words[] = {
	{"--help", "one verb at most", 0, 1, help},
	{"-h", "one verb at most", 0, 1, help},
	{"help", "one verb at most", 0, 1, help},
	{"--version", "nothing", 0, 0, version},
	{"--man", "one verb at most", 0, 1, manual},
	{"--completion", "a shell: bash, zsh or fish", 1, 1, completion},
};

static int run_word(const struct word *word, int argc, char **argv)
{
	struct bench_text out = {0};
	struct bench_error error;
	int result = -1;
	if (argc < word->least || argc > word->most)
		bench_fail(&error, BENCH_USAGE, "bench %s takes %s", word->name, word->takes);
	else
		result = word->run(argc ? argv[0] : NULL, &out, &error);
	return cli_print(&out, result == 0 ? CLI_OK : cli_fail(&error));
}

static int print_verb_help(const struct cli_verb *verb)
{
	struct bench_text out = {0};
	cli_help(verb, &out);
	return cli_print(&out, CLI_OK);
}

static int run_verb(const struct cli_verb *verb, int argc, char **argv)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct cli_args args;
	struct bench_error error;
	int status = cli_parse(verb, argc, argv, &arena, &args, &error);
	const char *repeated = status == 0 ? cli_repeated(&args) : NULL;
	if (repeated)
		cli_say("%s", repeated);
	if (status != 0 || (!args.help && cli_project(&args, &error) != 0))
		status = cli_fail(&error);
	else if (args.help)
		status = print_verb_help(verb);
	else if (cli_wants_set_help(&args))
		status = cli_set_help(&args);
	else
		status = cli_call(&args);
	if (args.project)
		bench_app_project_free(args.project);
	return status;
}

static void end_worker_without_memory(const char *text)
{
	fprintf(stderr, "bench: %s\n", text);
	_Exit(BENCH_WORKER_NO_MEMORY);
}

static void end_without_memory(const char *text)
{
	fprintf(stderr, "bench: %s\n", text);
	_Exit(CLI_ENVIRONMENT);
}

static void say_migration(const char *text)
{
	cli_say("%s", text);
}

/* An older bench that drives a duel with this one passes the overrides in the environment, not in the job. */
static int serve(void)
{
	const struct bench_overrides unsaid = cli_overrides();
	struct bench_error error;
	bench_memory_on_exhausted(end_worker_without_memory);
	if (bench_worker_serve(bench_suites, bench_backends, &unsaid, &error) == 0)
		return CLI_OK;
	int status = cli_fail(&error);
	return error.code == BENCH_NO_MEMORY ? BENCH_WORKER_NO_MEMORY : status;
}

/*
 * Where the caller has closed one of the first three descriptors, a file that is opened later would get its
 * number, and what is printed would end up in samples.jsonl. What is opened here in its place fails when it
 * is used.
 */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void on_failed_write(int number)
{
	(void)number;
}

/*
 * A reader that has gone, or a file that may not grow, is a failed write, which is reported, and no end of a
 * run. A handler, since what is ignored would be so in programs that are started from here, too.
 */
static void outlive_failed_writes(void)
{
	const struct sigaction action = {.sa_handler = on_failed_write, .sa_flags = SA_RESTART};
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
	const struct cli_verb *verb;
	struct bench_error error;
	hold_standard_descriptors();
	outlive_failed_writes();
	bench_memory_on_exhausted(end_without_memory);
	bench_store_on_migration(say_migration);
	if (argc < 2) {
		cli_say("no verb given; 'bench --help' lists them");
		return CLI_USAGE;
	}
	if (bench_suites_check(bench_suites, &error) != 0 ||
	    bench_backends_check(bench_backends, &error) != 0)
		return cli_fail(&error);
	/* What 'bench run' starts for each group of cases; of no use by hand. */
	if (strcmp(argv[1], "worker") == 0 && argc == 2)
		return serve();
	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
		if (strcmp(argv[1], words[w].name) == 0)
			return run_word(&words[w], argc - 2, argv + 2);
	if (cli_find_verb(&program, argv[1], &verb, &error) != 0)
		return cli_fail(&error);
	return run_verb(verb, argc - 2, argv + 2);
}
