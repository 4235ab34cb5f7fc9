/* The program: finds the verb, parses its options, runs it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "cli/arguments.h"
#include "cli/exit.h"
#include "cli/say.h"
#include "core/memory.h"
#include "core/text.h"
#include "machine/build_info.h"
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
	VERB(bisect)       \
	VERB(baseline)     \
	VERB(alarms)       \
	VERB(list)         \
	VERB(show)         \
	VERB(history)      \
	VERB(changepoints) \
	VERB(plot)         \
	VERB(log)          \
	VERB(ingest)       \
	VERB(db)           \
	VERB(power)        \
	VERB(tune)         \
	VERB(doctor)
/* clang-format on */

#define DECLARE(name) extern const struct cli_verb cli_##name;
#define ENTER(name)   &cli_##name,

VERBS(DECLARE)
static const struct cli_verb *const verbs[] = {VERBS(ENTER) NULL};

static void print_help(void)
{
	printf("bench: measures compute kernels, remembers every measurement, and says what got slower.\n\n"
	       "Usage:\n  bench VERB [OPTIONS]\n\nVerbs:\n");
	for (size_t v = 0; verbs[v]; v++)
		printf("  %-12s %s\n", verbs[v]->name, verbs[v]->summary);
	printf("\n'bench VERB --help' says more, with examples.\n\n"
	       "A first run, a second, and what changed between them:\n"
	       "  bench run --suite gemm\n  bench run --suite gemm\n  bench compare\n\n"
	       "Exit status: 0 nothing got slower; 1 something did (doctor: not fit); 2 usage; 3 nothing\n"
	       "to compare with or to measure; 4 a case failed or gave a wrong result; 5 storage or\n"
	       "environment failed; 6 unclear under --strict; 130 interrupted, and what was measured\n"
	       "is kept.\n");
}

static int unknown_verb(const char *word)
{
	const char *names[sizeof(verbs) / sizeof(verbs[0])];
	struct bench_error error;
	size_t count = 0;
	for (; verbs[count]; count++)
		names[count] = verbs[count]->name;
	bench_text_no_such("verb", word, names, count, "", &error);
	return cli_fail(&error);
}

static int run_verb(const struct cli_verb *verb, int argc, char **argv)
{
	struct cli_args args;
	struct bench_error error;
	int status = CLI_OK;
	if (cli_parse(verb, argc, argv, &args, &error) != 0)
		status = cli_fail(&error);
	else if (args.help)
		cli_help(verb);
	else
		status = verb->run(&args);
	cli_args_free(&args);
	return status;
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
	return bench_worker_serve(bench_suites, bench_backends, &unsaid, &error) == 0 ? CLI_OK
										      : cli_fail(&error);
}

int main(int argc, char **argv)
{
	struct bench_error error;
	bench_memory_on_exhausted(end_without_memory);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow further is an error of write(): told, and
				     cleaned up after */
	bench_store_on_migration(say_migration);
	if (argc < 2) {
		cli_say("no verb given; 'bench --help' lists them");
		return CLI_USAGE;
	}
	if (bench_suites_check(bench_suites, &error) != 0 ||
	    bench_backends_check(bench_backends, &error) != 0)
		return cli_fail(&error);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		print_help();
		return CLI_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("bench %s (%s, %s)\n", BENCH_BUILD_VERSION, BENCH_BUILD_COMMIT, BENCH_BUILD_TYPE);
		return CLI_OK;
	}
	/* What 'bench run' starts for each group of cases; of no use by hand. */
	if (strcmp(argv[1], "worker") == 0 && argc == 2)
		return serve();
	for (size_t v = 0; verbs[v]; v++)
		if (strcmp(argv[1], verbs[v]->name) == 0)
			return run_verb(verbs[v], argc - 2, argv + 2);
	return unknown_verb(argv[1]);
}
