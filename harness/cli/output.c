/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/compare.h"
#include "cli/arguments.h"
#include "cli/say.h"
#include "core/file.h"
#include "core/metric.h"
#include "core/text.h"

int cli_print(struct bench_text *text, int status)
{
	errno = 0;
	if (text->length)
		fwrite(text->data, 1, text->length, stdout);
	bench_text_free(text);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		/* A reader such as head(1) that has seen enough. */
		if (errno == EPIPE)
			return CLI_BROKEN_PIPE;
		perror("bench: cannot write to standard output");
		return CLI_ENVIRONMENT;
	}
	return status;
}

bool cli_is_screen(int file)
{
	const char *term = getenv("TERM");
	return isatty(file) && !(term && strcmp(term, "dumb") == 0);
}

static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
	if (no && *no)
		return false;
	return (force && *force && strcmp(force, "0") != 0) || cli_is_screen(STDOUT_FILENO);
}

/* --only: bits of the verdicts that are shown. */
static int read_only(const struct cli_args *args, unsigned *only, struct bench_error *error)
{
	static const unsigned changed = ~(1U << BENCH_SAME | 1U << BENCH_UNCLEAR);
	const char *names[BENCH_VERDICT_KINDS + 1] = {[BENCH_VERDICT_KINDS] = "changed"};
	const char *text = cli_value(args, "only");
	char *rest = bench_arena_string(args->arena, text), *word;
	for (unsigned kind = 0; kind < BENCH_VERDICT_KINDS; kind++)
		names[kind] = bench_compare_verdict_name((enum bench_verdict_kind)kind);
	while (rest && (word = bench_text_next(&rest, ','))) {
		unsigned kind = 0;
		while (kind <= BENCH_VERDICT_KINDS && strcmp(word, names[kind]) != 0)
			kind++;
		if (kind > BENCH_VERDICT_KINDS)
			return bench_text_no_such("verdict", word, names, BENCH_VERDICT_KINDS + 1, "", error);
		*only |= kind < BENCH_VERDICT_KINDS ? 1U << kind : changed;
	}
	return 0;
}

unsigned cli_columns(void)
{
	struct winsize size;
	return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* --columns, NULL-terminated; NULL: not given. */
static const char *const *read_columns(const struct cli_args *args)
{
	char *rest = bench_arena_string(args->arena, cli_value(args, "columns")), *word;
	const char **names = NULL;
	size_t count = 0;
	if (!rest)
		return NULL;
	while ((word = bench_text_next(&rest, ',')))
		BENCH_PUSH(args->arena, names, count) = word;
	BENCH_PUSH(args->arena, names, count) = NULL;
	return names;
}

int cli_check_columns(const char *const *columns, const char *const *own, size_t own_count,
		      struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	const char **names = NULL;
	size_t count = 0;
	const struct bench_metric_spec *metric;
	for (size_t i = 0; (metric = bench_metric_at(i)); i++)
		BENCH_PUSH(&arena, names, count) = metric->name;
	for (size_t i = 0; i < own_count; i++)
		bench_text_find_or_add(&arena, &names, &count, sizeof(*names), own[i]);
	int result = 0;
	for (; result == 0 && columns && *columns; columns++)
		if (!BENCH_FIND(names, count, *columns))
			result = bench_text_no_such("metric", *columns, names, count, "", error);
	return result;
}

int cli_report_options(const struct cli_args *args, struct bench_report_options *options,
		       struct bench_error *error)
{
	*options = (struct bench_report_options){
		.color = wants_color(),
		.all = cli_given(args, "all"),
		.explain = cli_given(args, "explain"),
		.wide = cli_given(args, "wide"),
		.stats = cli_given(args, "stats"),
		.failing = (cli_given(args, "strict") ? BENCH_FAILING_UNCLEAR : 0) |
			   (cli_given(args, "new-only") ? BENCH_FAILING_NEW_ONLY : 0)};
	const char *format = cli_value(args, "format");
	if (bench_format_parse(format, args->verb->name, args->verb->rendered, &options->format, error) !=
		    0 ||
	    (args->verb->rendered == BENCH_RENDERED_COMPARISON &&
	     read_only(args, &options->only, error) != 0))
		return -1;
	options->columns = read_columns(args);
	options->width = cli_columns();
	if (args->verb->rendered == BENCH_RENDERED_COMPARISON) {
		options->command = cli_command(args);
		options->places = cli_same_places(args);
	}
	return 0;
}

/* GitHub shows this file, which all steps of a job append to, on the page of the run. */
static void append_step_summary(const struct bench_comparison *comparison,
				const struct bench_report_options *options)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	const struct bench_format *format = options->format->step_summary;
	if (!format || !path || !*path)
		return;
	BENCH_SCOPED_TEXT text = {0};
	format->comparison(comparison, options, &text);
	/* A pipe that nobody reads is no reason to wait. */
	int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
	if (file < 0 || bench_file_append(file, text.data, text.length) != 0)
		cli_say("warning: the summary is not in GITHUB_STEP_SUMMARY, '%s': %s", path,
			strerror(errno));
	if (file >= 0)
		close(file);
}

int cli_print_verdicts(const struct bench_comparison *comparison, const struct bench_report_options *options,
		       int status)
{
	struct bench_text out = {0};
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_comparison shown = *comparison;
	if (options->only) {
		shown.verdicts =
			bench_arena_alloc(&arena, comparison->verdict_count + 1, sizeof(shown.verdicts[0]));
		shown.verdict_count = 0;
		for (size_t i = 0; i < comparison->verdict_count; i++)
			if (options->only & 1U << comparison->verdicts[i].kind)
				shown.verdicts[shown.verdict_count++] = comparison->verdicts[i];
	}
	options->format->comparison(&shown, options, &out);
	status = cli_print(&out, status);
	append_step_summary(&shown, options);
	return status;
}

int cli_refuse(const struct cli_args *args, const struct bench_report_options *options,
	       const struct bench_error *error)
{
	struct bench_text out = {0};
	if (options->format && options->format->refusal)
		options->format->refusal(args->verb->name, error->text, &out);
	return cli_print(&out, cli_fail(error));
}

void cli_keep_verdicts(const struct cli_args *args, const struct bench_comparison *comparison)
{
	struct bench_error error;
	/* A history that cannot be written to does not take the verdict away. */
	if (bench_app_keep_verdicts(cli_places(args).db, comparison, &error) != 0)
		cli_say("warning: the verdicts are not kept: %s", error.text);
}
