/* Options that several verbs have, and what is read from them: the application's structs. */
#ifndef BENCH_CLI_ARGUMENTS_H
#define BENCH_CLI_ARGUMENTS_H

#include "app/compare.h"
#include "app/measure.h"
#include "cli/extensions.h"
#include "cli/options.h"

/* As initialisers of struct cli_option. */
#define CLI_OPTION(...)                                                                                      \
	{                                                                                                    \
		__VA_ARGS__                                                                                  \
	}
#define CLI_OPTION_DB                                                                                        \
	CLI_OPTION("db", 0, "FILE", "the history: a file, or postgresql://... (default: results.db)")
#define CLI_OPTION_RUNS_DIR CLI_OPTION("runs-dir", 0, "DIR", "where run folders are (default: runs)")
#define CLI_OPTION_BRANCH                                                                                    \
	CLI_OPTION("branch", 0, "NAME|any",                                                                  \
		   "earlier runs of that branch, or of all (default: of the commit's first-parent line)")
#define CLI_OPTION_NEW_ONLY                                                                                  \
	CLI_OPTION("new-only", 0, NULL, "what an earlier run gave the alarm for does not fail")
#define CLI_OPTION_ONLY                                                                                      \
	CLI_OPTION("only", 0, "VERDICT,..",                                                                  \
		   "show these alone: changed (neither same nor unclear), slower, ...")
#define CLI_OPTION_ALL CLI_OPTION("all", 0, NULL, "list every metric, also what is the same or unclear")
/* The help text is made from the formats that can render what the verb shows. */
#define CLI_OPTION_FORMAT CLI_OPTION("format", 0, "F", NULL)

/* What cli_read_cases reads. */
#define CLI_OPTIONS_PLAN                                                                                     \
	{"suite", 's', "S,..", "suites to run, or all (default: all)"},                                      \
		{"backend", 'b', "B[:DEV],..",                                                               \
		 "backends, and devices by index, kind or part of the name; openblas:/LIB.so: that "         \
		 "library"},                                                                                 \
		{"filter", 0, "EXPR",                                                                        \
		 "only cases for which all terms hold: n>=256,n=64:512:*2,dtype~^f,openblas; | is or"},      \
		{"set", 0, "K=V,..",                                                                         \
		 "values of a parameter, in place of the preset's; may be repeated; 'help' lists them"},     \
		{"preset", 'p', "P", "quick, nightly or full (default: nightly; of power: quick)"},          \
		CLI_OPTIONS_EXTEND

/* The options that cli_read_request reads. */
#define CLI_OPTIONS_MEASURING                                                                                \
	CLI_OPTIONS_PLAN,                                                                                    \
		{"budget", 0, "TIME", "how long to measure, in all: 90s, 5m (default: the preset's)"},       \
		{"precision", 0, "P", "stop early once the medians are known within this (default: 1%)"},    \
		{"invocations", 'k', "K", "fresh processes for each case (default: the preset's)"},          \
		{"threads", 't', "N", "host threads that backends may use (default: all)"},                  \
		{"time-limit", 0, "TIME", "end a case that hangs for so long (default: 120s)"},              \
		{"seed", 0, "N", "of input data and order (default: 1)"},                                    \
		{"pin", 0, "yes|no", "threads stay where they are put (default: yes)"},                      \
		{"cache", 0, "hot|cold",                                                                     \
		 "cold: flushed before each sample of one iteration (default: hot)"},                        \
		{"shuffle", 0, "yes|no", "no: measure in the order of the table (default: yes)"},            \
		{"counters", 0, NULL, "count instructions, cycles and cache misses of each case"},           \
		{"watch", 0, "yes|no",                                                                       \
		 "mark and measure again what others on the machine disturb (default: yes)"},                \
		{"label", 'l', "K=V", "kept with the run; may be repeated"},                                 \
		{"source", 0, "DIR",                                                                         \
		 "whose commit is recorded (default: what is measured: of this program, or brought)"},       \
		CLI_OPTION_RUNS_DIR, CLI_OPTION_DB

/* What cli_read_comparing reads, but for --floor and --allow-env-change. */
#define CLI_OPTIONS_VERDICT                                                                                  \
	{"threshold", 0, "P", "the change that matters (default: 5%)"},                                      \
		CLI_OPTION("alpha", 0, "A",                                                                  \
			   "chance of a false alarm, over all metrics together (default: 0.01)")

/* The same where shifts of a level are searched. */
#define CLI_OPTIONS_SHIFT                                                                                    \
	{"threshold", 0, "P", "the smallest shift that is shown (default: 2%)"},                             \
		CLI_OPTION("alpha", 0, "A",                                                                  \
			   "chance of a false one, over all series together (default: 0.01)")

/* The options of a comparison, of which --baseline says in `help` what it is for. */
#define CLI_OPTIONS_COMPARE_WITH(help)                                                                       \
	{"baseline", 0, "NAME|RUN|rolling:N", help}, CLI_OPTION_BRANCH, CLI_OPTIONS_VERDICT,                 \
		CLI_OPTION("floor", 0, "T",                                                                  \
			   "a change of a time by less is none, e.g. 10ns, 0 (default: 1ns; imported: 0)"),  \
		CLI_OPTION("allow-env-change", 0, NULL,                                                      \
			   "compare across hosts, devices, drivers, thread counts or builds")

/* --runs-dir, --db and --branch. */
struct bench_app_places cli_places(const struct cli_args *args);

/* What the user has in BENCH_TUNING and BENCH_SLOWDOWN: read here alone. */
struct bench_overrides cli_overrides(void);

int cli_read_cases(const struct cli_args *args, struct bench_app_cases *cases, struct bench_error *error);
/* All that CLI_OPTIONS_MEASURING has, --no-store, and the overrides. BENCH_USAGE. */
int cli_read_request(const struct cli_args *args, struct bench_app_request *request,
		     struct bench_error *error);

/* Values, checked; the fallback where they are not given. BENCH_USAGE. */
int cli_read_whole(const struct cli_args *args, const char *name, uint64_t fallback, uint64_t least,
		   uint64_t most, uint64_t *value, struct bench_error *error);
/* "5%" or "0.05". */
int cli_read_fraction(const struct cli_args *args, const char *name, double fallback, double least,
		      double most, double *value, struct bench_error *error);
int cli_read_seconds(const struct cli_args *args, const char *name, double fallback, double *value,
		     struct bench_error *error);

/* What the project file says of metrics, without thresholds where --threshold is given; none: NULL. */
const struct bench_metric_rule *cli_rules(const struct cli_args *args, size_t *count);

/* --threshold, with its fallback, and --alpha, as all verbs that judge read them. */
int cli_read_judging(const struct cli_args *args, double fallback, double *threshold, double *alpha,
		     struct bench_error *error);
/* --threshold, --alpha and --allow-env-change. BENCH_USAGE. */
/* The floor alone. */
int cli_read_floor(const struct cli_args *args, struct bench_compare_options *options,
		   struct bench_error *error);
int cli_read_comparing(const struct cli_args *args, struct bench_compare_options *options,
		       struct bench_error *error);
/* The run compared with what --baseline names, as the options of CLI_OPTIONS_COMPARE_WITH say. */
int cli_compare_run(const struct cli_args *args, struct bench_store *store, const struct bench_run *candidate,
		    struct bench_comparison **comparison, struct bench_error *error);

#endif
