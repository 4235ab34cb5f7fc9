/* SPDX-License-Identifier: MIT */
/* Options that several verbs have, and what is read from them: the application's structs. */
#ifndef BENCH_CLI_ARGUMENTS_H
#define BENCH_CLI_ARGUMENTS_H

#include "app/compare.h"
#include "app/measure.h"
#include "app/period.h"
#include "cli/extensions.h"
#include "cli/options.h"

/* As initializers of struct cli_option. */
#define CLI_OPTION(...)                                                                                      \
	{                                                                                                    \
		__VA_ARGS__                                                                                  \
	}
#define CLI_OPTION_DB       CLI_OPTION("db", 0, "FILE", "the history: a file, or postgresql://...")
#define CLI_OPTION_RUNS_DIR CLI_OPTION("runs-dir", 0, "DIR", "the folder with the run folders")
#define CLI_OPTION_BRANCH   CLI_OPTION("branch", 0, "NAME|any", "earlier runs of this branch only, or of any")
#define CLI_OPTION_NEW_ONLY                                                                                  \
	CLI_OPTION("new-only", 0, NULL, "do not fail for alarms that an earlier run raised")
#define CLI_OPTION_ONLY                                                                                      \
	CLI_OPTION("only", 0, "VERDICT,..",                                                                  \
		   "show only these: changed (neither same nor unclear), slower, ...")
#define CLI_OPTION_ALL CLI_OPTION("all", 0, NULL, "also list metrics that are the same")
#define CLI_OPTION_EXPLAIN                                                                                   \
	CLI_OPTION("explain", 0, NULL,                                                                       \
		   "with the statistics: p-values, the smallest visible change, full names and reasons")
#define CLI_OPTION_STRICT CLI_OPTION("strict", 0, NULL, "exit with status 6 if anything is unclear")
#define CLI_OPTION_NO_STORE                                                                                  \
	CLI_OPTION("no-store", 0, NULL, "do not write to the history; 'bench ingest' can add the runs later")
#define CLI_OPTION_LABEL CLI_OPTION("label", 'l', "K=V", "a label to keep with the run; repeatable")
#define CLI_OPTION_ALLOW_ENV_CHANGE                                                                          \
	CLI_OPTION("allow-env-change", 0, NULL,                                                              \
		   "compare across hosts, devices, drivers, thread counts or builds")
/* Where runs are listed or drawn: cli_read_period. */
#define CLI_OPTIONS_PERIOD                                                                                   \
	{"since", 0, "WHEN", "only runs from then on: a date, a time ago such as 7d or 12h, or a run"},      \
		CLI_OPTION("until", 0, "WHEN", "only runs up to then, included")
/* What the table of a run shows; cli_read_columns reads them. */
#define CLI_OPTIONS_TABLE                                                                                    \
	{"columns", 0, "NAME,..", "metrics to show in addition, e.g. first_call,device_time"},               \
		CLI_OPTION("wide", 0, NULL, "show every column and remark, however wide")
/* The help text is made from the formats that can render what the verb shows. */
#define CLI_OPTION_FORMAT CLI_OPTION("format", 0, "F", NULL)

/* What cli_read_cases reads. */
#define CLI_OPTIONS_PLAN                                                                                     \
	{"suite", 's', "S,..", "suites to run, or all; repeatable"},                                         \
		{"backend", 'b', "B[:DEV],..",                                                               \
		 "backends; DEV is an index, a kind or part of a device's name; openblas:/LIB.so uses that " \
		 "library"},                                                                                 \
		{"filter", 0, "EXPR",                                                                        \
		 "only cases that match every term, e.g. n>=256,n=64:512:*2,dtype~^f,openblas; | means or"}, \
		{"set", 0, "K=V,..",                                                                         \
		 "parameter values that replace the preset's; repeatable; '--set help' lists them"},         \
		{"data", 0, "uniform|normal|integers|zeros",                                                 \
		 "values of the inputs, on which time and power depend; each value of a list is measured"},  \
		{"preset", 'p', "P", "quick, nightly or full"}, CLI_OPTIONS_EXTEND

#define CLI_OPTION_WAIT                                                                                      \
	CLI_OPTION("wait", 0, "TIME|yes",                                                                    \
		   "wait up to TIME (yes: without limit) for others that measure on this machine")

/* The options that cli_read_request reads. */
#define CLI_OPTIONS_MEASURING                                                                                \
	CLI_OPTIONS_PLAN, {"budget", 0, "TIME", "time that the command may take, e.g. 90s or 5m"},           \
		{"precision", 0, "P", "stop early once each median is this precise"},                        \
		{"invocations", 'k', "K", "fresh processes for each case"},                                  \
		{"threads", 't', "N,..",                                                                     \
		 "host threads that backends may use; each case is measured with each number of a list"},    \
		{"time-limit", 0, "TIME", "end a case that hangs for this long"}, CLI_OPTION_WAIT,           \
		{"seed", 0, "N", "seed of the input data and the order of cases"},                           \
		{"pin", 0, "yes|no", "keep each thread on its core"},                                        \
		{"cache", 0, "hot|cold",                                                                     \
		 "cold: flush the caches before each sample, which is then one iteration (on a GPU up to "   \
		 "64)"},                                                                                     \
		{"shuffle", 0, "yes|no", "measure the cases in random order"},                               \
		{"counters", 0, NULL,                                                                        \
		 "count instructions, cycles and cache misses; on a GPU, read the GPU's counters"},          \
		{"energy", 0, NULL, "measure joules and watts of each case, after its samples"},             \
		{"watch", 0, "yes|no", "mark and repeat samples that other processes disturb"},              \
		CLI_OPTION_LABEL, {"source", 0, "DIR", "the folder whose commit is recorded"},               \
		CLI_OPTION_RUNS_DIR, CLI_OPTION_DB

/* Defaults of a verb that measures as a duel does (app/duel.h). */
#define CLI_DEFAULTS_DUEL                                                                                    \
	{"budget", NULL, NULL, "16s a case, 1m to 15m"}, {"invocations", NULL, NULL, "up to 32"},            \
	{                                                                                                    \
		"precision", NULL, NULL, "0.1%"                                                              \
	}

/* The options that cli_read_judging reads. */
#define CLI_OPTIONS_VERDICT                                                                                  \
	{"threshold", 0, "P", "the smallest change that matters"},                                           \
		CLI_OPTION("alpha", 0, "A", "probability of any false alarm, over all metrics together")

/* The same where shifts of a level are searched. */
#define CLI_OPTIONS_SHIFT                                                                                    \
	{"threshold", 0, "P", "the smallest shift to report"},                                               \
		CLI_OPTION("alpha", 0, "A", "probability of any false shift, over all series together")

/* The options of a comparison, of which --baseline says in `help` what it is for. */
#define CLI_OPTIONS_COMPARE_WITH(help)                                                                       \
	{"baseline", 0, "NAME|RUN|rolling:N", help}, CLI_OPTION_BRANCH, CLI_OPTIONS_VERDICT,                 \
		CLI_OPTION("floor", 0, "T",                                                                  \
			   "ignore differences of times that are smaller, e.g. 10ns; 0: none"),              \
		CLI_OPTION_ALLOW_ENV_CHANGE

/* --runs-dir, --db and --branch. */
struct bench_app_places cli_places(const struct cli_args *args);

/* This command, quoted for a shell: the verb, its options and those of the project file
 * without hooks, and its operands. */
char *cli_command(const struct cli_args *args);
/* The options of the command line, without those of the project file and the one of that name, each with a
 * blank before it. */
char *cli_said_options(const struct cli_args *args, const char *without);
/* The options for a command about the same history, " --db other.db"; "" where the defaults do. */
char *cli_same_places(const struct cli_args *args);

/* What the user has in BENCH_TUNING and BENCH_SLOWDOWN: read here alone. */
struct bench_overrides cli_overrides(void);

int cli_read_cases(const struct cli_args *args, struct bench_app_cases *cases, struct bench_error *error);
/* All that CLI_OPTIONS_MEASURING has, --no-store, and the overrides. BENCH_USAGE. */
int cli_read_request(const struct cli_args *args, struct bench_app_request *request,
		     struct bench_error *error);

/* Checked values; 0 without a value and a default. BENCH_USAGE. */
int cli_read_whole(const struct cli_args *args, const char *name, uint64_t least, uint64_t most,
		   uint64_t *value, struct bench_error *error);
/* "5%" or "0.05". */
int cli_read_fraction(const struct cli_args *args, const char *name, double least, double most, double *value,
		      struct bench_error *error);
/* --wait: INFINITY for "yes". */
int cli_read_wait(const struct cli_args *args, double *seconds, struct bench_error *error);
int cli_read_seconds(const struct cli_args *args, const char *name, double *value, struct bench_error *error);

/* --since and --until, as app/period.h has them; `store` NULL: there is no history. */
int cli_read_period(const struct cli_args *args, struct bench_store *store, struct bench_app_period *period,
		    struct bench_error *error);

/*
 * How the commits of --repo are built: by --build, or as its build file is usually built, which is said; by
 * "true" where there is neither, but `code` that needs no build. BENCH_USAGE.
 */
int cli_read_build(const struct cli_args *args, bool code, const char **build, struct bench_error *error);

/* The metric rules of the project file, without thresholds where --threshold is given; none: NULL. */
const struct bench_metric_rule *cli_rules(const struct cli_args *args, size_t *count);

/* --threshold and --alpha, as all verbs that judge read them; the defaults are those of the case `where`. */
int cli_read_judging(const struct cli_args *args, const char *where, double *threshold, double *alpha,
		     struct bench_error *error);
/* The same with --floor, --allow-env-change and the metric rules. */
int cli_read_comparing(const struct cli_args *args, const char *where, struct bench_compare_options *options,
		       struct bench_error *error);
/* The run compared with what --baseline names, as the options of CLI_OPTIONS_COMPARE_WITH say. */
int cli_compare_run(const struct cli_args *args, struct bench_store *store, const struct bench_run *candidate,
		    struct bench_comparison **comparison, struct bench_error *error);

#endif
