/* What a run or a comparison came to, where it was not an error. The command line makes exit statuses of it.
 */
#ifndef BENCH_CORE_OUTCOME_H
#define BENCH_CORE_OUTCOME_H

enum bench_outcome {
	BENCH_OUTCOME_GOOD,
	BENCH_OUTCOME_SLOWER,      /* something is */
	BENCH_OUTCOME_NOTHING,     /* nothing was measured, or could be judged */
	BENCH_OUTCOME_WRONG,       /* a case failed, gave a wrong result or is missing */
	BENCH_OUTCOME_NOT_KEPT,    /* it was measured, and could not be stored */
	BENCH_OUTCOME_UNCLEAR,     /* something is, and that was asked to count */
	BENCH_OUTCOME_INTERRUPTED, /* by a signal; what was measured is kept */
};

#endif
