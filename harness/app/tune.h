/* SPDX-License-Identifier: MIT */
/*
 * The search of 'bench tune': which tunables there are on the devices that are selected, their values in the
 * history, and duels (duel.h) of this executable with itself, one a candidate.
 */
#ifndef BENCH_APP_TUNE_H
#define BENCH_APP_TUNE_H

#include "app/measure.h"
#include "compare/tune.h"

/* Nothing of it is owned. */
struct bench_app_tune_request {
	const char *backends; /* NULL: all */
	const char *only;     /* a pattern of names; NULL: all */
	bool kernel;          /* the kernel that was brought is searched (tune_kernel.h), and no backend */
	uint64_t seed;        /* of its search */
	struct bench_app_places places;
	double wait_seconds; /* as in app/turn.h */
};

/* A tunable of a device. */
struct bench_app_tune_item {
	const struct bench_target *target;
	const struct bench_tunable *tunable;
	bool selected;                /* by --only */
	uint64_t current;             /* the default, or the winner so far */
	struct bench_tune_ratio gain; /* of the current value, over the default */
	const char *run;              /* the id of the run that chose it; "": none did */
	struct bench_tune_tried *tried;
	size_t tried_count;
};

struct bench_app_tune_kernel;

struct bench_app_tune {
	const struct bench_app_tune_request *request;
	const struct bench_app_host *host;
	struct bench_arena arena;
	char *fingerprint; /* of this host */
	struct bench_target *targets;
	size_t target_count;
	struct bench_app_tune_item *items; /* by target, in table order */
	size_t item_count;
	struct bench_app_tune_kernel *kernels; /* by target, of a search of a kernel */
	size_t kernel_count;
	size_t rows; /* that the history has of this host, of whatever device */
	bool interrupted;
};

/*
 * Fills in targets and items. BENCH_USAGE for a pattern that no tunable matches;
 * BENCH_NOTHING where no device that is there has any of those that are selected. bench_app_tune_free in any
 * case.
 */
int bench_app_tune_find(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
			const struct bench_app_host *host, struct bench_error *error);

/* Takes the items' results from the history. */
int bench_app_tune_recall(struct bench_app_tune *tune, struct bench_store *store, struct bench_error *error);

/* Forgets the measurements of the selected items with the present driver. */
int bench_app_tune_restart(struct bench_app_tune *tune, struct bench_store *store, struct bench_error *error);

/*
 * Measures the selected items' candidates that are left, and keeps each in the history at once. budget:
 * seconds, for all; 0: as long as duels take by themselves. Where it is used up, or a signal came
 * (interrupted is set), the rest is left for the next call: 0, too.
 */
int bench_app_tune_measure(struct bench_app_tune *tune, struct bench_store *store, double budget,
			   struct bench_error *error);

/*
 * Forgets what was measured on this host of the tunables that are selected: of the devices that `backends`
 * names, whatever their driver was; without it, of all that this host ever had. *count: how many
 * measurements. BENCH_NOTHING if nothing matches. In place of all the others.
 */
int bench_app_tune_forget(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
			  const struct bench_app_host *host, size_t *count, struct bench_error *error);

/* How many candidates of an item are left to measure; *next: the first, if any. */
size_t bench_app_tune_item_left(const struct bench_app_tune_item *item, uint64_t *next);

void bench_app_tune_free(struct bench_app_tune *tune);

#endif
