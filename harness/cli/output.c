#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/compare.h"
#include "cli/arguments.h"
#include "core/json.h"
#include "core/text.h"

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

int cli_verdict_options(const struct cli_args *args, struct bench_report_options *options,
			struct bench_error *error)
{
	*options = (struct bench_report_options){.format = BENCH_FORMAT_TABLE};
	const char *format = cli_value(args, "format", NULL);
	if (format && bench_format_parse(format, &options->format, error) != 0)
		return -1;
	const char *no_color = getenv("NO_COLOR");
	struct winsize size;
	if (isatty(STDOUT_FILENO)) {
		options->color = !no_color || !*no_color;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
			options->width = size.ws_col;
	}
	options->strict = cli_given(args, "strict");
	return 0;
}

int cli_report_options(const struct cli_args *args, struct bench_report_options *options,
		       struct bench_error *error)
{
	if (cli_verdict_options(args, options, error) != 0)
		return -1;
	if (options->format != BENCH_FORMAT_JUNIT && options->format != BENCH_FORMAT_GITHUB)
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "bench %s cannot give %s, which is for verdicts ('bench compare' and 'bench gate' "
			  "give it); it can give table, json, csv and markdown",
			  args->verb->name, cli_value(args, "format", ""));
}

static void print_grid_csv(const struct bench_grid *grid, struct bench_text *out)
{
	for (size_t c = 0; c < grid->column_count; c++)
		bench_text_add(out, "%s%s", c ? "," : "", grid->columns[c].title);
	bench_text_add(out, "\n");
	for (size_t r = 0; r < grid->row_count; r++) {
		for (size_t c = 0; c < grid->column_count; c++) {
			const char *text = grid->rows[r].cells[c].text;
			bench_text_add(out, c ? ",\"" : "\"");
			for (; text && *text; text++)
				bench_text_add(out, *text == '"' ? "\"\"" : "%c", *text);
			bench_text_add(out, "\"");
		}
		bench_text_add(out, "\n");
	}
}

static void print_grid_json(const struct bench_grid *grid, struct bench_text *out)
{
	cJSON *array = cJSON_CreateArray();
	for (size_t r = 0; r < grid->row_count; r++) {
		cJSON *row = cJSON_CreateObject();
		for (size_t c = 0; c < grid->column_count; c++) {
			const char *text = grid->rows[r].cells[c].text;
			cJSON_AddStringToObject(row, grid->columns[c].title, text ? text : "");
		}
		cJSON_AddItemToArray(array, row);
	}
	char *text = cJSON_Print(array);
	bench_text_add(out, "%s\n", text);
	free(text);
	cJSON_Delete(array);
}

void cli_print_grid(struct bench_grid *grid, const struct bench_report_options *options,
		    struct bench_text *out)
{
	switch (options->format) {
	case BENCH_FORMAT_JSON:
		print_grid_json(grid, out);
		break;
	case BENCH_FORMAT_CSV:
		print_grid_csv(grid, out);
		break;
	case BENCH_FORMAT_MARKDOWN:
		bench_grid_markdown(grid, out);
		break;
	default:
		bench_grid_render(grid, options->width, options->color, out);
	}
}

/* GitHub shows this file, which all steps of a job append to, on the page of the run. */
static void append_step_summary(const struct bench_comparison *comparison,
				const struct bench_report_options *options)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	if (!path || !*path)
		return;
	struct bench_report_options markdown = *options;
	struct bench_text text = {0};
	markdown.format = BENCH_FORMAT_MARKDOWN;
	bench_report_comparison(comparison, &markdown, &text);
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
	bench_report_comparison(comparison, options, &out);
	status = cli_print(&out, status);
	if (options->format == BENCH_FORMAT_GITHUB)
		append_step_summary(comparison, options);
	return status;
}

int cli_refuse(const struct cli_args *args, const struct bench_report_options *options,
	       const struct bench_error *error)
{
	struct bench_text out = {0};
	bench_report_refusal(args->verb->name, error->text, options, &out);
	return cli_print(&out, cli_fail(error));
}

void cli_keep_verdicts(const struct cli_args *args, const struct bench_comparison *comparison)
{
	struct bench_error error;
	/* A history that cannot be written to does not take the verdict away. */
	if (bench_app_keep_verdicts(cli_places(args).db, comparison, &error) != 0)
		fprintf(stderr, "bench: warning: the verdicts are not kept: %s\n", error.text);
}
