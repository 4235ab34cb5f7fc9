/*
 * What the verbs share: exit statuses, messages, the database and run that an argument
 * names, output. One cmd_<verb>.c a verb: it parses, calls the rooms below, and prints.
 */
#ifndef BENCH_CLI_CLI_H
#define BENCH_CLI_CLI_H

#include "bench/error.h"
#include "bench/suite.h"
#include "cli/options.h"
#include "record/record.h"
#include "report/format/format.h"
#include "store/store.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_SLOWER = 1,
	CLI_USAGE = 2,
	CLI_NOTHING = 3,
	CLI_WRONG = 4,
	CLI_ENVIRONMENT = 5,
	CLI_INTERRUPTED = 130,
};

extern const struct cli_verb cli_run, cli_gate, cli_compare, cli_duel, cli_baseline, cli_list, cli_show,
	cli_history, cli_plot, cli_log, cli_ingest, cli_power, cli_tune, cli_doctor;
extern const struct cli_verb *const cli_verbs[]; /* NULL-terminated */

/* "bench: <text>" on stderr; returns the exit status for the error's code. */
int cli_fail(const struct bench_error *error);

/* What identifies this host, as records have it; in `arena`. */
char *cli_host_fingerprint(struct bench_arena *arena);

/* Prints a buffer on stdout and frees it; CLI_ENVIRONMENT where stdout cannot be written, else `status`. */
int cli_print(struct bench_text *text, int status);

/*
 * --format, of those that can render what the verb shows, and --strict; colours (unless NO_COLOR says no) and
 * the width, where stdout is a terminal.
 */
int cli_report_options(const struct cli_args *args, struct bench_report_options *options,
		       struct bench_error *error);

/*
 * Prints a comparison on stdout; with format github also, as Markdown, at the end of the file that
 * GITHUB_STEP_SUMMARY names. Returns `status`, or CLI_ENVIRONMENT where stdout cannot be written.
 */
int cli_print_verdicts(const struct bench_comparison *comparison, const struct bench_report_options *options,
		       int status);
/* cli_fail for a comparison that cannot be made: CI is told in its format, too. */
int cli_refuse(const struct cli_args *args, const struct bench_report_options *options,
	       const struct bench_error *error);
/* Keeps the verdicts in the history, for the year after; a warning on stderr where it cannot be written. */
void cli_keep_verdicts(const struct cli_args *args, const struct bench_comparison *comparison);

/* Options that several verbs have, as initialisers of struct cli_option. */
#define CLI_OPTION_DB                                                                                        \
	{                                                                                                    \
		"db", 0, "FILE", "the history (default: results.db)"                                         \
	}
#define CLI_OPTION_RUNS_DIR                                                                                  \
	{                                                                                                    \
		"runs-dir", 0, "DIR", "where run folders are (default: runs)"                                \
	}
#define CLI_OPTION_FORMAT                                                                                    \
	{                                                                                                    \
		"format", 0, "F", NULL                                                                       \
	}

/*
 * Opens the history that --db names, for reading. BENCH_NOTHING where there is none yet.
 */
int cli_open_store(const struct cli_args *args, struct bench_store **store, struct bench_error *error);

/*
 * Loads the run that `text` names: "last", "last~N", a run's id, a run directory, or a
 * baseline of one run. `store` may be NULL: then directories only. BENCH_NOTHING.
 */
int cli_load_run(const struct cli_args *args, struct bench_store *store, const char *text,
		 struct bench_run **run, struct bench_error *error);

/* A fraction such as 5%, within [least, most]; the fallback where it is not given. BENCH_USAGE. */
int cli_read_fraction(const struct cli_args *args, const char *name, double fallback, double least,
		      double most, double *value, struct bench_error *error);
/* --threshold, with its fallback, and --alpha, as all verbs that judge read them. */
int cli_read_judging(const struct cli_args *args, double fallback, double *threshold, double *alpha,
		     struct bench_error *error);

/* What cli_read_comparing reads, but for --allow-env-change. */
#define CLI_OPTIONS_VERDICT                                                                                  \
	{"threshold", 0, "P", "the change that matters (default: 5%)"},                                      \
	{                                                                                                    \
		"alpha", 0, "A", "chance of a false alarm, over all metrics together (default: 0.01)"        \
	}

/* --threshold, --alpha and --allow-env-change. BENCH_USAGE. */
int cli_read_comparing(const struct cli_args *args, struct bench_compare_options *options,
		       struct bench_error *error);

/* The options of a comparison, of which --baseline says in `help` what it is for. */
#define CLI_OPTIONS_COMPARE_WITH(help)                                                                       \
	{"baseline", 0, "NAME|RUN|rolling:N", help}, CLI_OPTIONS_VERDICT,                                    \
	{                                                                                                    \
		"allow-env-change", 0, NULL,                                                                 \
			"compare across hosts, devices, drivers, thread counts or builds"                    \
	}

/* What --baseline names (without it, the run before `candidate`) and how to compare with it. */
struct cli_baseline {
	const char *name;
	struct bench_run **runs;
	size_t count;
	struct bench_run **earlier; /* the options' history */
	size_t earlier_count;
	struct bench_compare_options options;
	struct bench_arena arena; /* of the options' accepted shifts */
};

/*
 * Reads the options and loads the runs. `candidate` may be a run that is yet to be measured:
 * host, preset and selection suffice. BENCH_USAGE, or BENCH_NOTHING where there is no such run.
 */
int cli_prepare_comparison(const struct cli_args *args, struct bench_store *store,
			   const struct bench_run *candidate, struct cli_baseline *baseline,
			   struct bench_error *error);
/* The same, of the baseline that `text` names. */
int cli_prepare_against(const struct cli_args *args, struct bench_store *store,
			const struct bench_run *candidate, const char *text, struct cli_baseline *baseline,
			struct bench_error *error);
/* Is there a baseline of that name? */
bool cli_has_baseline(struct bench_store *store, const char *name);
int cli_compare_with(const struct cli_baseline *baseline, const struct bench_run *candidate,
		     struct bench_comparison **comparison, struct bench_error *error);
void cli_baseline_free(struct cli_baseline *baseline);

/* All of the above at once. */
int cli_compare_runs(const struct cli_args *args, struct bench_store *store,
		     const struct bench_run *candidate, struct bench_comparison **comparison,
		     struct bench_error *error);

/*
 * The suites that --suite names (all where it is not given), NULL-terminated, in the
 * arena. BENCH_USAGE with the nearest.
 */
int cli_suites(const struct cli_args *args, const struct bench_suite *const **suites, size_t *count,
	       struct bench_error *error);

#endif
