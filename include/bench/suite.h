/* SPDX-License-Identifier: MIT */
/*
 * The suite interface: what is measured. A suite is one `const struct bench_suite`,
 * listed in suites/suites.h; examples/suite.c is a commented template. The table is
 * checked at start.
 *
 * The harness calls the hooks of one case in this order, in one process and thread:
 *
 *   work                          for every case, before anything is opened or allocated
 *   setup                         allocate and upload, from case->seed; untimed
 *   prepare, run(1), finish       timed as the first call
 *   check                         is it right? if not, nothing is published
 *   prepare, [run(n), finish,     the samples; observe after each
 *     observe]...
 *   check                         are the buffers that were timed still right?
 *   report                        metrics of the suite's own
 *   teardown                      always, also after a failed setup
 */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include "bench/backend.h"
#include "bench/case.h"
#include "bench/error.h"
#include "bench/metric.h"
#include "bench/param.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_SUITE_ABI 1

enum bench_preset { BENCH_PRESET_QUICK, BENCH_PRESET_NIGHTLY, BENCH_PRESET_FULL, BENCH_PRESETS };

struct bench_suite {
	int abi;                          /* required: BENCH_SUITE_ABI */
	const char *name;                 /* required: [a-z][a-z0-9_]*, unique */
	const char *summary;              /* required: one line */
	const struct bench_param *params; /* required: ends with an entry whose name is NULL */

	/*
	 * required. For each preset a NULL-terminated list of sweeps. A sweep is
	 * "key=v1,v2 key=v1 ...": the cross product of its values, the other parameters at
	 * their fallback. `--set` replaces keys of the first sweep and drops the rest. A NULL list for
	 * nightly or full means the list of the preset before it.
	 */
	const char *const *sweeps[BENCH_PRESETS];

	/*
	 * optional. The name of a parameter, a CHOICE or an INT from 0, whose values are variants of one
	 * work. The cases of a target that differ only in it are timed in one process, sample against sample
	 * in balanced order. Each value except the first yields `relative_time`: its time over the first
	 * one's, pair by pair. They are all set up at the same time, with one `device`, so none may count on
	 * having it to itself.
	 */
	const char *variants;

	/*
	 * optional. The first of the parameters that joined the suite when it had a history. Keys leave it
	 * and those after it out where they have their fallback, so that the history goes on.
	 */
	const char *joined;

	/* optional. The metrics that report() gives; ends with an entry whose name is NULL. */
	const struct bench_metric_spec *metrics;

	/* true: measures the host alone; runs once, on backend "host", with device NULL. */
	bool host_only;

	/* true: measures the harness, not work that anyone waits for; `bench gate` judges it only where
	 * --suite names it. */
	bool of_harness;

	/*
	 * required. The work of one iteration and the memory needed, from case->values alone.
	 * BENCH_USAGE where the values do not fit together or their sizes overflow.
	 */
	int (*work)(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error);

	/* required. Allocates and fills. BENCH_UNSUPPORTED where the backend lacks the operation. */
	int (*setup)(struct bench_case *bench_case, struct bench_error *error);

	/* required. Enqueues `iterations` >= 1 of the work; the harness finishes the device. */
	int (*run)(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error);

	/*
	 * optional. Puts back inputs that run() changes, and spoils the outputs (NaN), so that
	 * a run() that writes nothing is seen by check(). Needed wherever run() writes.
	 */
	int (*prepare)(struct bench_case *bench_case, struct bench_error *error);

	/*
	 * required. Compares what the last run() left with a reference. `iterations`: how many
	 * iterations ran since prepare(), over all calls (for work that accumulates).
	 */
	int (*check)(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		     struct bench_error *error);

	/*
	 * optional. Called after each sample of time, untimed; `iterations` as for check(). For what is
	 * looked at between the samples, such as an accuracy.
	 */
	int (*observe)(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error);

	/* optional, with `metrics`. Gives the case's own metrics, after the last check has passed. */
	int (*report)(struct bench_case *bench_case, const struct bench_report *report,
		      struct bench_error *error);

	/* required. Frees what setup made; case->state may be NULL or half made. A case is ok once this has
	 * returned. */
	void (*teardown)(struct bench_case *bench_case);

	/* optional. Are there cases on this backend? NULL: on every one. */
	bool (*runs_on)(const struct bench_backend *backend);
};

#ifdef __cplusplus
}
#endif
#endif
