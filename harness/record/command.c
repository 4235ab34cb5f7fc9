/* SPDX-License-Identifier: MIT */
/* The command line that repeats a run, behind the variables that change what it measures. */
#include <string.h>

#include "core/text.h"
#include "record/record.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Of the variables that a record has ("env.NAME", machine/settings.c) those that somebody set for the run,
 * and not those of the machine. docs/log.md lists them. */
static const char *const shown[] = {"BENCH_*",
				    "CLBLAST_*",
				    "DNNL_*",
				    "GOMP_*",
				    "GOTO_*",
				    "KMP_*",
				    "OCL_*",
				    "OMP_*",
				    "ONEDNN_*",
				    "OPENBLAS_*",
				    "OPENCL_*",
				    "POCL_*",
				    "TBB_*",
				    "LD_PRELOAD",
				    "GLIBC_TUNABLES",
				    "CUDA_VISIBLE_DEVICES",
				    "NVIDIA_TF32_OVERRIDE"};

/* What bench sets itself where the user has not; NULL: any value. The tuning has a line of its own. */
static const struct {
	const char *name, *value;
} own[] = {{"OMP_PROC_BIND", "true"}, {"OMP_PLACES", "threads"},   {"GOMP_SPINCOUNT", "2000"},
	   {"POCL_AFFINITY", "0"},    {"OCL_ICD_FILENAMES", NULL}, {"OPENBLAS_THREAD_TIMEOUT", "20"},
	   {"BENCH_TUNING", NULL}};

static bool is_shown(const char *name, const char *value)
{
	bool is = false;
	for (size_t i = 0; i < COUNT(shown) && !is; i++)
		is = bench_text_match(shown[i], name);
	for (size_t i = 0; i < COUNT(own) && is; i++)
		is = strcmp(own[i].name, name) != 0 || (own[i].value && strcmp(own[i].value, value) != 0);
	/* A long value is recorded cut, with its hash. */
	return is && !strstr(value, " bytes, hash ");
}

char *bench_record_command_with(const struct bench_run *run, const char *command, struct bench_arena *arena)
{
	static const char prefix[] = "env.";
	struct bench_text text = {0};
	for (size_t i = 0; i < run->host_count; i++) {
		const char *name = run->host[i].name, *value = run->host[i].value;
		if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
		    !is_shown(name + sizeof(prefix) - 1, value))
			continue;
		bench_text_add(&text, "%s=", name + sizeof(prefix) - 1);
		bench_text_add_shell(&text, value);
		bench_text_add(&text, " ");
	}
	bench_text_add(&text, "%s", command);
	return bench_text_keep(&text, arena);
}

char *bench_record_command_line(const struct bench_run *run, struct bench_arena *arena)
{
	return bench_record_command_with(run, run->command, arena);
}
