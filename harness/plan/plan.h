/* SPDX-License-Identifier: MIT */
/*
 * The plan: options expanded into the cases of a run, checked whole before anything is
 * opened or allocated on a device.
 *
 * Cases that share a suite and a point of its parameters, apart from the one that chooses between variants,
 * form a group: the same work on each target. One worker process measures a group, interleaved. Variants that
 * do not fit a device together are separate groups.
 */
#ifndef BENCH_PLAN_PLAN_H
#define BENCH_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "bench/suite.h"
#include "core/arena.h"
#include "plan/target.h"

struct bench_plan_options {
	const struct bench_suite *const *suites;     /* NULL-terminated: those to run */
	const struct bench_backend *const *backends; /* NULL-terminated: all that exist */
	const char *backend_text;           /* --backend; NULL: bench_plan_target_resolve's default */
	const struct bench_target *targets; /* what that was resolved to before, if target_count > 0 */
	size_t target_count;
	enum bench_preset preset;
	const char *const *sets; /* --set arguments, "key=v1,v2" */
	size_t set_count;
	const char *filter; /* --filter; NULL: none */
	/* Keys of cases, NULL-terminated: only their groups are kept, whole. NULL: all. */
	const char *const *only;
};

/*
 * What `--set threads=1,2,4` sets in every suite that has no parameter of the name: the host threads of the
 * cases on CPUs, which their keys name then. Cases elsewhere are measured once, without it.
 */
#define BENCH_PLAN_THREADS "threads"
/* The parameter of suites whose inputs have values to choose from: setting it keeps the preset's sizes. */
#define BENCH_PLAN_DATA "data"

#define BENCH_NO_REFERENCE SIZE_MAX

struct bench_planned {
	char *key; /* "suite/backend:device/k=v,k=v" */
	const struct bench_suite *suite;
	size_t target; /* index in plan->targets */
	struct bench_value *values;
	size_t value_count;
	const struct bench_value *threads; /* of the host; NULL: those of the run */
	struct bench_work work;
	size_t group;
	size_t reference; /* index of the case, in its group, that it is a variant of; BENCH_NO_REFERENCE */
	char *reference_lacks; /* NULL, or why a variant has no reference */
	const char *lacking;   /* NULL, or, in a duel, why not both executables can measure it */
	uint64_t uses;         /* in a file of shapes; 0: it is of none */
	double captured;       /* seconds that all of them took there; 0: not known */
	char *unsupported;     /* NULL, or why it cannot be measured here: known before anything runs */
};

/* The threads that a case names; 0: none. */
static inline unsigned bench_plan_threads(const struct bench_planned *planned)
{
	return planned->threads ? (unsigned)planned->threads->integer : 0;
}

struct bench_plan {
	struct bench_arena arena;
	struct bench_target *targets;
	size_t target_count;
	struct bench_planned *cases;
	size_t case_count;
	size_t group_count;
	const char *left_out; /* what of a file of shapes is not measured; NULL: nothing */
};

/*
 * The caller frees *plan. BENCH_USAGE for unknown keys and values, for values that do not fit together, and
 * for work that exceeds the machine's memory; the text names the value, the known ones and the nearest.
 * BENCH_NOTHING if a filter matches no case. A target whose device is too small or unavailable gives cases
 * that are `unsupported`, with the reason.
 */
int bench_plan_make(const struct bench_plan_options *options, struct bench_plan **plan,
		    struct bench_error *error);
void bench_plan_free(struct bench_plan *plan); /* NULL is allowed */

/* Do keys and records leave the value of parameter `index` out (bench_suite.joined)? */
bool bench_plan_is_unsaid(const struct bench_suite *suite, const struct bench_value *values, size_t index);

/* "suite/backend:device/k=v,k=v", in `arena`. `threads`: named last; 0: not named. */
char *bench_plan_case_key(struct bench_arena *arena, const struct bench_suite *suite, const char *backend,
			  const char *device, const struct bench_value *values, size_t value_count,
			  unsigned threads);

#endif
