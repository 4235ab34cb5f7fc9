/* SPDX-License-Identifier: MIT */
/* An anchor: a program that is kept, and interleaved with later runs. */
#ifndef BENCH_RECORD_ANCHOR_H
#define BENCH_RECORD_ANCHOR_H

/*
 * How far the anchor is from the level that a metric is judged against. A metric without one is judged
 * against the anchor itself.
 */
struct bench_anchor_level {
	const char *key; /* of the metric: its full name */
	double shift;    /* logarithm of the anchor's value over the level */
	double error;    /* its standard error */
	double chain;    /* logarithm of the anchor's value over the first anchor's: for the history */
};

#endif
