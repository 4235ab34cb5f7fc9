/* SPDX-License-Identifier: MIT */
#include "cli/program.h"

#include <string.h>

#include "backends/backends.h"
#include "cli/exit.h"
#include "core/text.h"
#include "machine/build_info.h"
#include "machine/environment.h"
#include "suites/suites.h"

const struct cli_variable cli_variables[] = {
	{"NO_COLOR", "if not empty: no colors"},
	{"CLICOLOR_FORCE", "if neither empty nor 0: colors, even if stdout is not a terminal"},
	{"TERM", "dumb: no colors, and one line per case instead of the bar"},
	{"BENCH_SLOWDOWN", "slows timed calls on purpose, e.g. 3% or gemm/*=3%: docs/power.md"},
	{"BENCH_TUNING", "values of tunables; empty: their defaults: docs/tune.md"},
	{"BENCH_KERNELS", "a folder with OpenCL kernels that replace the built-in ones"},
	{"BENCH_OPENCL_OPTIONS", "build options of OpenCL kernels"},
	{"BENCH_OPENCL_KIND", "cpu or gpu: the kernels that an OpenCL device gets"},
	{"BENCH_PROGRAM_CACHE", "no: do not cache compiled OpenCL programs: docs/opencl.md"},
	{"BENCH_CACHE_DIR", "the folder of that cache"},
	{"GITHUB_STEP_SUMMARY", "a file to which --format github appends the verdicts, as Markdown"},
	{0},
};

int cli_find_verb(const struct cli_program *program, const char *name, const struct cli_verb **verb,
		  struct bench_error *error)
{
	const char *names[64];
	size_t count = 0;
	for (; program->verbs[count] && count < sizeof(names) / sizeof(names[0]); count++) {
		*verb = program->verbs[count];
		names[count] = (*verb)->name;
		if (strcmp(name, (*verb)->name) == 0)
			return 0;
	}
	return bench_text_no_such("verb", name, names, count, "", error);
}

void cli_program_help(const struct cli_program *program, struct bench_text *out)
{
	bench_text_add(out, "bench: %s\n\nUsage:\n  bench VERB [OPTIONS]\n\nVerbs:\n", program->summary);
	for (size_t v = 0; program->verbs[v]; v++)
		bench_text_add(out, "  %-12s %s\n", program->verbs[v]->name, program->verbs[v]->summary);
	bench_text_add(out, "\n'bench VERB --help' and 'bench help VERB' describe a verb, with "
			    "examples.\n\nInstead of a verb:\n");
	for (const struct cli_option *option = program->own_options; option->name; option++)
		cli_help_option(out, option, option->help);
	bench_text_add(out, "\nTwo runs, and what changed between them:\n");
	cli_help_indented(out, program->examples);
	bench_text_add(out, "\nExit status:\n");
	for (const struct cli_status *status = cli_statuses; status->means; status++)
		bench_text_add(out, "  %3d  %s\n", status->status, status->means);
}

void cli_program_version(struct bench_text *out)
{
	struct bench_environment build = {0};
	bench_text_add(out, "bench %s (%s, %s)\n", BENCH_BUILD_VERSION,
		       *BENCH_BUILD_COMMIT ? BENCH_BUILD_COMMIT : "no commit", BENCH_BUILD_TYPE);
	bench_text_add(out, "built by:  %s%s%s\nlibraries:", BENCH_BUILD_COMPILER,
		       *BENCH_BUILD_FLAGS ? ", " : "", BENCH_BUILD_FLAGS);
	bench_machine_environment_build(&build);
	for (size_t i = 0; i < build.fact_count; i++)
		if (strncmp(build.facts[i].name, "lib.", 4) == 0)
			bench_text_add(out, " %s %s", build.facts[i].name + 4, build.facts[i].value);
	bench_machine_environment_free(&build);
	bench_text_add(out, "\nbackends: ");
	for (size_t b = 0; bench_backends[b]; b++)
		bench_text_add(out, " %s", bench_backends[b]->name);
#ifdef BENCH_WITHOUT
	bench_text_add(out, "\nleft out:  %s", BENCH_WITHOUT);
#endif
	bench_text_add(out, "\nsuites:   ");
	for (size_t s = 0; bench_suites[s]; s++)
		bench_text_add(out, " %s", bench_suites[s]->name);
	bench_text_add(out, "\nformats:   %s, %s; suite ABI %d, backend ABI %d\n", BENCH_METRICS_SCHEMA,
		       BENCH_SAMPLES_SCHEMA, BENCH_SUITE_ABI, BENCH_BACKEND_ABI);
}
