/*
 * The search of 'bench tune': which tunables there are on the devices that are selected, what the history
 * knows of them, and contests (cli/contest.h) of this executable with itself, one a candidate.
 */
#ifndef BENCH_CLI_TUNE_H
#define BENCH_CLI_TUNE_H

#include "cli/measuring.h"
#include "compare/tune.h"

/* A tunable of a device. */
struct cli_tune_item {
	const struct bench_target *target;
	const struct bench_tunable *tunable;
	bool selected;                /* by --only */
	uint64_t current;             /* the default, or the winner so far */
	struct bench_tune_ratio gain; /* of the current value, over the default */
	const char *run;              /* the id of the run that chose it; "": none did */
	struct bench_tune_tried *tried;
	size_t tried_count;
};

struct cli_tune {
	const struct cli_args *args;
	struct bench_arena arena;
	char *fingerprint; /* of this host */
	struct bench_target *targets;
	size_t target_count;
	struct cli_tune_item *items; /* by target, in table order */
	size_t item_count;
	size_t rows; /* that the history has of this host, of whatever device */
	bool interrupted;
};

/*
 * Fills in targets and items from --backend and --only. BENCH_USAGE for a pattern that no tunable matches;
 * BENCH_NOTHING where no device that is there has any of those that are selected. cli_tune_free in any case.
 */
int cli_tune_find(const struct cli_args *args, struct cli_tune *tune, struct bench_error *error);

/* What the history knows of the items. */
int cli_tune_recall(struct cli_tune *tune, struct bench_store *store, struct bench_error *error);

/* Forgets what was measured of the selected items, with the driver that is there. */
int cli_tune_restart(struct cli_tune *tune, struct bench_store *store, struct bench_error *error);

/*
 * Measures the selected items' candidates that are left, and keeps each in the history at once. budget:
 * seconds, for all; 0: as long as contests take by themselves. Where it is used up, or a signal came
 * (interrupted is set), the rest is left for the next call: 0, too.
 */
int cli_tune_measure(struct cli_tune *tune, struct bench_store *store, double budget,
		     struct bench_error *error);

/* How many candidates of an item are left to measure; *next: the first, where there is one. */
size_t cli_tune_item_left(const struct cli_tune_item *item, uint64_t *next);

void cli_tune_free(struct cli_tune *tune);

#endif
