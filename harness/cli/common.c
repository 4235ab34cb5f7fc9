/* What the verbs share: exit statuses, output, the suites that are named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/text.h"
#include "machine/environment.h"
#include "suites/suites.h"

int cli_fail(const struct bench_error *error)
{
	static const int statuses[] = {
		[BENCH_OK] = CLI_OK,
		[BENCH_USAGE] = CLI_USAGE,
		[BENCH_NOTHING] = CLI_NOTHING,
		[BENCH_UNSUPPORTED] = CLI_NOTHING,
		[BENCH_FAILED] = CLI_WRONG,
		[BENCH_NO_MEMORY] = CLI_ENVIRONMENT,
		[BENCH_ENVIRONMENT] = CLI_ENVIRONMENT,
	};
	fprintf(stderr, "bench: %s\n", error->text);
	return statuses[error->code];
}

char *cli_host_fingerprint(struct bench_arena *arena)
{
	struct bench_run *run = bench_run_new();
	bench_environment_host(run, 0);
	char *fingerprint =
		bench_arena_string(arena, bench_pair_get(run->host, run->host_count, "fingerprint"));
	bench_run_free(run);
	return fingerprint;
}

int cli_print(struct bench_text *text, int status)
{
	if (text->length)
		fwrite(text->data, 1, text->length, stdout);
	bench_text_free(text);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("bench: cannot write to standard output");
		return CLI_ENVIRONMENT;
	}
	return status;
}

int cli_report_options(const struct cli_args *args, struct bench_report_options *options,
		       struct bench_error *error)
{
	*options = (struct bench_report_options){.strict = cli_given(args, "strict")};
	const char *format = cli_value(args, "format", bench_formats[0]->name);
	if (bench_format_parse(format, args->verb->name, args->verb->rendered, &options->format, error) != 0)
		return -1;
	const char *no_color = getenv("NO_COLOR");
	struct winsize size;
	if (isatty(STDOUT_FILENO)) {
		options->color = !no_color || !*no_color;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
			options->width = size.ws_col;
	}
	return 0;
}

static int no_such_suite(const char *name, struct bench_error *error)
{
	const char *names[128];
	size_t count = 0;
	struct bench_text list = {0};
	for (; bench_suites[count] && count < 128; count++) {
		names[count] = bench_suites[count]->name;
		bench_text_add(&list, "%s%s", count ? ", " : "", names[count]);
	}
	const char *nearest = bench_text_nearest(name, names, count);
	bench_fail(error, BENCH_USAGE, "there is no suite '%s': there are %s and all%s%s%s", name, list.data,
		   BENCH_DID_YOU_MEAN(nearest));
	bench_text_free(&list);
	return -1;
}

/* Adds the suites of one --suite value; each suite once, in the order first named. */
static int add_suites(char *list, const struct bench_suite **chosen, size_t *count, struct bench_error *error)
{
	char *name;
	while ((name = bench_text_next(&list, ','))) {
		bool all = strcmp(name, "all") == 0, found = false;
		for (size_t s = 0; bench_suites[s]; s++) {
			if (!all && strcmp(bench_suites[s]->name, name) != 0)
				continue;
			found = true;
			bool twice = false;
			for (size_t i = 0; i < *count; i++)
				twice |= chosen[i] == bench_suites[s];
			if (!twice)
				chosen[(*count)++] = bench_suites[s];
		}
		if (!found)
			return no_such_suite(name, error);
	}
	return 0;
}

int cli_suites(const struct cli_args *args, const struct bench_suite *const **suites, size_t *count,
	       struct bench_error *error)
{
	struct bench_arena *arena = (struct bench_arena *)(uintptr_t)&args->arena;
	size_t there = 0, values;
	while (bench_suites[there])
		there++;
	const struct bench_suite **chosen = bench_arena_alloc(arena, there + 1, sizeof(*chosen));
	const char *const *given = cli_values(args, "suite", &values);
	*count = 0;
	if (values == 0 && add_suites(bench_arena_string(arena, "all"), chosen, count, error) != 0)
		return -1;
	for (size_t v = 0; v < values; v++)
		if (add_suites(bench_arena_string(arena, given[v]), chosen, count, error) != 0)
			return -1;
	*suites = chosen;
	return 0;
}

int cli_read_fraction(const struct cli_args *args, const char *name, double fallback, double least,
		      double most, double *value, struct bench_error *error)
{
	const char *text = cli_value(args, name, NULL);
	*value = fallback;
	if (text && (!bench_text_fraction(text, value) || *value < least || *value > most))
		return bench_fail(error, BENCH_USAGE,
				  "--%s '%s': expected a fraction such as %g%%, from %g to %g", name, text,
				  100 * fallback, least, most);
	return 0;
}

int cli_read_judging(const struct cli_args *args, double fallback, double *threshold, double *alpha,
		     struct bench_error *error)
{
	if (cli_read_fraction(args, "threshold", fallback, 0.001, 10, threshold, error) != 0)
		return -1;
	return cli_read_fraction(args, "alpha", 0.01, 1e-6, 0.5, alpha, error);
}
