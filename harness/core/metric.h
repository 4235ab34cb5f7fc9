/* SPDX-License-Identifier: MIT */
/* The metrics that the harness measures or derives itself, and the units that metrics are in. */
#ifndef BENCH_CORE_METRIC_H
#define BENCH_CORE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/metric.h"

/* The harness's own metric of that name, or NULL. */
const struct bench_metric_spec *bench_metric_known(const char *name);

/*
 * One that is measured or derived only where an option asks for it (--energy, --counters), or NULL. A suite,
 * a plug-in or another tool may have one of that name, with another unit.
 */
const struct bench_metric_spec *bench_metric_asked(const char *name);

/* All of both, one after the other; NULL: no more. */
const struct bench_metric_spec *bench_metric_at(size_t at);

/* Has the metric a column of its own where it was measured? A suite's has, and some of those above. */
bool bench_metric_has_column(const char *name);

/* What a duel compares: a metric of its head, the ratio to the base's, and the base's. */
struct bench_metric_pair {
	const char *name, *ratio, *base;
};
#define BENCH_METRIC_PAIRS 2
extern const struct bench_metric_pair bench_metric_pairs[BENCH_METRIC_PAIRS]; /* time, device_time */

/* The pair of which one metric has this name; NULL: there is none. */
const struct bench_metric_pair *bench_metric_pair_of(const char *name);

/* May a suite's metric have this unit? One of SI is; a multiple of it, such as "ms", is not. */
bool bench_metric_unit_is_known(const char *unit);
/* Those, for messages: "s, B, ..." */
#define BENCH_METRIC_UNITS "s, B, B/s, FLOP/s, item/s, ratio, share, count"

#endif
