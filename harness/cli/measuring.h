/*
 * Measuring, as all verbs that do it do it: the options make a plan and a record that knows
 * everything but its results; then the run is measured into a folder of its own, and kept in
 * the history.
 */
#ifndef BENCH_CLI_MEASURING_H
#define BENCH_CLI_MEASURING_H

#include "cli/planning.h"
#include "machine/settings.h"
#include "measure/session/duel.h"
#include "measure/worker/slowdown.h"
#include "record/folder.h"

/* The options that cli_measuring_plan reads. */
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
		{"watch", 0, "yes|no",                                                                       \
		 "mark and measure again what others on the machine disturb (default: yes)"},                \
		{"label", 'l', "K=V", "kept with the run; may be repeated"}, CLI_OPTION_RUNS_DIR,            \
		CLI_OPTION_DB

#define CLI_TIME_LIMIT 120 /* seconds */

struct cli_measuring {
	const struct cli_args *args;
	const struct cli_preset *preset;
	struct bench_plan *plan;
	struct bench_store *store; /* NULL: not opened, or not to be kept */
	struct bench_run *run;
	struct bench_folder folder;
	struct bench_settings settings;
	const struct bench_duel *duel; /* NULL: a run; else who is measured. Set between plan and run */
	unsigned threads;              /* 0: all */
	double time_limit;
	double used_seconds;            /* of the budget, before a run that was cut short is taken up again */
	double preset_budget;           /* seconds that the preset gives to these suites; 0: no end */
	struct bench_slowdown slowdown; /* what BENCH_SLOWDOWN asks for */
	bool quiet;                     /* no lines of progress: the verb has its own */
};

/* Options that several verbs read. */
int cli_read_whole(const struct cli_args *args, const char *name, uint64_t fallback, uint64_t least,
		   uint64_t most, uint64_t *value, struct bench_error *error);
int cli_read_seconds(const struct cli_args *args, const char *name, double fallback, double *value,
		     struct bench_error *error);

/* One of two words, of which `first` is the default: *second says whether the other was given. */
int cli_read_choice(const struct cli_args *args, const char *name, const char *first, const char *other,
		    bool *second, struct bench_error *error);

/*
 * In order; -1 with the error, after which cli_measuring_free alone may follow.
 * plan: the cases, and the record's head: command, host, selection. `only` (keys of cases, or
 *   NULL: all) leaves the other cases of the plan out.
 * open: the runs' folder and, unless --no-store, the history are tried before time is spent;
 *   ceilings are remembered, and what 'bench tune' found is put in force (cli/tuning.h).
 * run: measures, shows progress on stderr, and finishes the folder. Ended by a signal, it is 0
 *   and run->interrupted.
 */
int cli_measuring_plan(const struct cli_args *args, const char *const *only, struct cli_measuring *measuring,
		       struct bench_error *error);
int cli_measuring_open(struct cli_measuring *measuring, struct bench_error *error);
int cli_measuring_run(struct cli_measuring *measuring, struct bench_error *error);
/* Has a signal ended a run of this process? Whatever is measured after it would end at once. */
bool cli_measuring_stopped(void);
/*
 * Takes the run into the history, where there is one. The exit status: of the run (what was
 * wrong is said on stderr), or CLI_ENVIRONMENT where it could not be kept.
 */
int cli_measuring_keep(struct cli_measuring *measuring);
void cli_measuring_free(struct cli_measuring *measuring);

#endif
