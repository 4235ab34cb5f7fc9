#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "report/formats.h"

static const char *const names[BENCH_FORMATS] = {
	[BENCH_FORMAT_TABLE] = "table", [BENCH_FORMAT_JSON] = "json",
	[BENCH_FORMAT_CSV] = "csv",     [BENCH_FORMAT_MARKDOWN] = "markdown",
	[BENCH_FORMAT_JUNIT] = "junit", [BENCH_FORMAT_GITHUB] = "github"};

int bench_format_parse(const char *text, enum bench_format *format, struct bench_error *error)
{
	for (size_t i = 0; i < BENCH_FORMATS; i++) {
		if (strcmp(text, names[i]) == 0) {
			*format = (enum bench_format)i;
			return 0;
		}
	}
	const char *nearest = bench_text_nearest(text, names, BENCH_FORMATS);
	return bench_fail(error, BENCH_USAGE,
			  "there is no format '%.40s'; the formats are table, json, csv, markdown, junit and "
			  "github%s%s%s",
			  text, nearest ? " (did you mean '" : "", nearest ? nearest : "",
			  nearest ? "'?)" : "");
}

static void json_run(const struct bench_run *run, struct bench_text *out)
{
	char *json = bench_record_to_json(run);
	bench_text_add(out, "%s", json);
	free(json);
}

void bench_report_run(const struct bench_run *run, const struct bench_comparison *comparison,
		      const struct bench_report_options *options, struct bench_text *out)
{
	switch (options->format) {
	case BENCH_FORMAT_JSON:
		json_run(run, out);
		break;
	case BENCH_FORMAT_CSV:
		bench_csv_run(run, comparison, out);
		break;
	case BENCH_FORMAT_MARKDOWN:
		bench_markdown_run(run, comparison, out);
		break;
	default:
		bench_table_run(run, comparison, options, out);
	}
}

void bench_report_comparison(const struct bench_comparison *comparison,
			     const struct bench_report_options *options, struct bench_text *out)
{
	switch (options->format) {
	case BENCH_FORMAT_JSON:
		bench_json_comparison(comparison, options, out);
		break;
	case BENCH_FORMAT_CSV:
		bench_csv_comparison(comparison, out);
		break;
	case BENCH_FORMAT_MARKDOWN:
		bench_markdown_comparison(comparison, options, out);
		break;
	case BENCH_FORMAT_JUNIT:
		bench_junit_comparison(comparison, options, out);
		break;
	case BENCH_FORMAT_GITHUB:
		bench_github_comparison(comparison, options, out);
		break;
	default:
		bench_table_comparison(comparison, options, out);
	}
}

void bench_report_refusal(const char *verb, const char *why, const struct bench_report_options *options,
			  struct bench_text *out)
{
	if (options->format == BENCH_FORMAT_JUNIT)
		bench_junit_refusal(verb, why, out);
	else if (options->format == BENCH_FORMAT_GITHUB)
		bench_github_refusal(verb, why, out);
}
