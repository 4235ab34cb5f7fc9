/* Comparisons on their way out: printed, told to CI, kept. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* GitHub shows this file, which all steps of a job append to, on the page of the run. */
static void append_step_summary(const struct bench_comparison *comparison,
				const struct bench_report_options *options)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	const struct bench_format *format = options->format->step_summary;
	if (!format || !path || !*path)
		return;
	struct bench_text text = {0};
	format->comparison(comparison, options, &text);
	errno = 0;
	FILE *file = fopen(path, "a");
	bool written = file && fwrite(text.data, 1, text.length, file) == text.length;
	if (file && fclose(file) != 0)
		written = false;
	if (!written)
		fprintf(stderr, "bench: warning: the summary is not in GITHUB_STEP_SUMMARY, '%s': %s\n", path,
			strerror(errno));
	bench_text_free(&text);
}

int cli_print_verdicts(const struct bench_comparison *comparison, const struct bench_report_options *options,
		       int status)
{
	struct bench_text out = {0};
	options->format->comparison(comparison, options, &out);
	status = cli_print(&out, status);
	append_step_summary(comparison, options);
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

static int keep(struct bench_store *store, const struct bench_comparison *comparison,
		struct bench_error *error)
{
	struct bench_verdict_row *rows = calloc(comparison->verdict_count + 1, sizeof(*rows));
	if (!rows)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for the verdicts");
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		rows[i] = (struct bench_verdict_row){.key = verdict->key,
						     .verdict = bench_compare_verdict_name(verdict->kind),
						     .ratio = verdict->ratio,
						     .lo = verdict->lo,
						     .hi = verdict->hi,
						     .p_adjusted = verdict->p_adjusted,
						     .mde = verdict->mde,
						     .threshold = verdict->threshold};
	}
	int result = bench_store_keep_verdicts(store, comparison->candidate_id, comparison->baseline_name,
					       rows, comparison->verdict_count, error);
	free(rows);
	return result;
}

void cli_keep_verdicts(const struct cli_args *args, const struct bench_comparison *comparison)
{
	struct bench_store *store = NULL;
	struct bench_error error;
	/* A history that cannot be written to does not take the verdict away. */
	if (bench_store_open(cli_value(args, "db", "results.db"), BENCH_STORE_WRITE, &store, &error) != 0 ||
	    keep(store, comparison, &error) != 0)
		fprintf(stderr, "bench: warning: the verdicts are not kept: %s\n", error.text);
	bench_store_close(store);
}
