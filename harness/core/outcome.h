/* SPDX-License-Identifier: MIT */
/* The outcome of a run or a comparison that ended without an error. The command line maps it to an exit
 * status.
 */
#ifndef BENCH_CORE_OUTCOME_H
#define BENCH_CORE_OUTCOME_H

enum bench_outcome {
	BENCH_OUTCOME_GOOD,
	BENCH_OUTCOME_SLOWER,      /* something is slower */
	BENCH_OUTCOME_NOTHING,     /* nothing was measured, or nothing could be judged */
	BENCH_OUTCOME_WRONG,       /* a case failed, gave a wrong result or is missing */
	BENCH_OUTCOME_USAGE,       /* all that failed could not be: a specification and its kernel disagree */
	BENCH_OUTCOME_NOT_KEPT,    /* it was measured, but could not be stored */
	BENCH_OUTCOME_UNCLEAR,     /* too little could be decided, or something is suspected */
	BENCH_OUTCOME_BEGUN,       /* the first night: there is nothing to compare with yet */
	BENCH_OUTCOME_INTERRUPTED, /* by a signal; what was measured is kept */
};

#endif
