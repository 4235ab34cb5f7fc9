/* SPDX-License-Identifier: MIT */
/*
 * The gate: measures, compares, measures again in fresh processes what looks slower, and says which of it is.
 * docs/gate.md has the steps and the reasons.
 */
#ifndef BENCH_APP_GATE_H
#define BENCH_APP_GATE_H

#include "app/anchor.h"
#include "app/changepoints.h"
#include "app/compare.h"
#include "app/duel.h"
#include "compare/gate.h"

#define BENCH_APP_GATE_AGAINST "rolling:10" /* where history counts and no baseline is named */

/* Nothing of it is owned. */
struct bench_app_gate_request {
	struct bench_app_request measure;
	const char *baseline;  /* NULL: BENCH_APP_GATE_AGAINST */
	const char *reference; /* a fixed baseline, against drift; NULL: "reference", if there is one */
	const char *base;      /* an executable that is measured beside this one instead; NULL: none */
	struct bench_compare_options options; /* of a base or an anchor, threshold and alpha alone */
	double undecided;                     /* share of the metrics that may be unclear */
	bool hooked;                          /* hooks are told of alarms */
};

/* What a gate compares with. */
enum bench_app_gate_against {
	BENCH_APP_GATE_ANCHOR,  /* a kept executable of an earlier night, interleaved with this one */
	BENCH_APP_GATE_BASE,    /* the same of one that was named */
	BENCH_APP_GATE_HISTORY, /* earlier runs: one was named, or nothing can be interleaved or kept */
};
enum bench_app_gate_against bench_app_gate_against(const struct bench_app_gate_request *request);

struct bench_app_gate {
	const struct bench_app_gate_request *request;
	double started;
	double budget; /* seconds, of both runs; 0: none */
	struct bench_app_measure first, confirmation;
	enum bench_app_gate_against against;
	struct bench_app_duel duel; /* with the anchor or the base */
	struct bench_app_line line; /* of history, of this run */
	struct bench_app_anchor anchor;
	struct bench_app_baseline baseline, fixed; /* no runs: there is none */
	struct bench_comparison *verdicts,
		*drift; /* of the first run; the verdicts are the gate's in the end */
	struct bench_comparison *confirmation_verdicts, *confirmation_drift; /* of the second */
	struct bench_comparison *pooled;                                     /* of both together */
	struct bench_gate_undecided undecided;                               /* of the final verdicts */
	struct bench_changes changes; /* level shifts in the history; none where there is no history */
	struct bench_arena arena;     /* of the changes */
	double machine; /* the anchor's own time relative to earlier nights; NaN: not known, or no anchor
			 */
	struct bench_error first_night; /* why there is nothing to compare with yet; BENCH_OK: there is */
	struct bench_error trouble;     /* what kept the gate from judging all; BENCH_OK: nothing did */
	enum bench_outcome measured;    /* of the first run */
	const char *reference;          /* the fixed one, as the user named it; NULL: there is none */
	const char *confirmation_id;    /* of the second run; NULL: there was none */
	double seconds;                 /* that all of it took */
};

/*
 * Runs the gate. 0 with verdicts; or without, where it was interrupted, or the first run of a history
 * was not kept: bench_app_gate_outcome says which. -1 without a verdict, also on a first night
 * (BENCH_NOTHING; first_night has the reason, `measured` the outcome). bench_app_gate_free in any case.
 */
int bench_app_gate(struct bench_app_gate *gate, const struct bench_app_gate_request *request,
		   const struct bench_app_host *host, struct bench_error *error);
/* BENCH_OUTCOME_BEGUN on a first night. Unclear where too little could be decided, or as `failing` says: bits
 * of enum bench_failing. */
enum bench_outcome bench_app_gate_outcome(const struct bench_app_gate *gate, unsigned failing);
/* Of final verdicts that accuse nothing. */
enum bench_outcome bench_app_gate_undecided(const struct bench_gate_undecided *undecided);
void bench_app_gate_free(struct bench_app_gate *gate);

#endif
