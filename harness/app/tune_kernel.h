/* SPDX-License-Identifier: MIT */
/*
 * The search of 'bench tune --kernel', in three parts. It measures batches of combinations of the tunables; a
 * batch is one run, beside the best one so far, and checks all results. Then it measures the best ones again,
 * longer, in smaller batches. At last a duel (tune_duel.h) compares the winner with what is in force. The
 * history keeps each combination as a candidate (bench_tuning_row) of the kernel's identity.
 */
#ifndef BENCH_APP_TUNE_KERNEL_H
#define BENCH_APP_TUNE_KERNEL_H

#include "app/tune.h"
#include "compare/tune_space.h"
#include "suites/kernel/tune.h"

/* A kernel on a device. */
struct bench_app_tune_kernel {
	const struct bench_kernel_spec *spec, *searched; /* and its twin (suites/kernel/tune.h) */
	const struct bench_target *target;
	struct bench_tune_space space;
	double *ratios;               /* the space's */
	bool *refuted;                /* by combination: its duel did not prove it */
	size_t tried;                 /* combinations with a result */
	size_t current;               /* in force: the default, or the proven winner */
	struct bench_tune_ratio gain; /* of that, over the default */
	const char *run;              /* the id of the run that proved it; "": none did */
};

/*
 * As bench_app_tune_find, for the kernel that was brought (app/kernel.h): fills in targets and kernels.
 * BENCH_USAGE where it has no tunables, or its defaults break a constraint.
 */
int bench_app_tune_kernel_find(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
			       const struct bench_app_host *host, struct bench_error *error);
/* Takes the results from the history. */
int bench_app_tune_kernel_recall(struct bench_app_tune *tune, struct bench_store *store,
				 struct bench_error *error);
/* Forgets what was measured of this source and specification on these devices. */
int bench_app_tune_kernel_restart(struct bench_app_tune *tune, struct bench_store *store,
				  struct bench_error *error);
/* As bench_app_tune_measure; budget 0: five minutes a device. */
int bench_app_tune_kernel_measure(struct bench_app_tune *tune, struct bench_store *store, double budget,
				  struct bench_error *error);

/* A combination as a list "NAME.TX=8,NAME.TY=1" of the tunables, in `arena`; of all, or as BENCH_TUNING has
 * it: of those that are not at their defaults. */
char *bench_app_tune_kernel_words(const struct bench_kernel_spec *spec, size_t combination, bool all,
				  struct bench_arena *arena);

#endif
