/* SPDX-License-Identifier: MIT */
/*
 * Simulated nights of a gate: a metric's time is known, and so is all of the noise. Each night is measured,
 * judged, confirmed and remembered as the gate does it, by the same pure functions; only the measuring is
 * made up.
 */
#ifndef TESTS_STATISTICS_NIGHTS_H
#define TESTS_STATISTICS_NIGHTS_H

#include "compare/alarms.h"
#include "kit/rng.h"

enum { METRICS = 20, MOST_NIGHTS = 100 };

/* What one invocation's time is multiplied with; 2% between invocations in all of them. */
enum shape {
	SHAPE_LOGNORMAL,
	SHAPE_HEAVY,     /* and one process in twenty is up to 87% slower */
	SHAPE_PEAKS,     /* and each process has one of two times that are 8% apart */
	SHAPE_FOLLOWING, /* each invocation resembles the one before it: autoregressive, 0.8 */
	SHAPE_QUANTISED, /* and times are read in steps of 2% of the first level */
	SHAPE_COARSE,    /* in steps of 10% */
	SHAPES
};
extern const char *const shape_names[SHAPES];

/* What a night's level is, for each metric, beside what happens to it. Deviations are of logarithms. */
enum sky {
	SKY_NORMAL,     /* normal, of run_deviation; one half of its variance is common to all metrics, as in
			   the next three */
	SKY_SKEWED,     /* exponential, of run_deviation */
	SKY_FOLLOWING,  /* each night resembles the one before it: autoregressive, 0.5 */
	SKY_LASTING,    /* the same, 0.8 */
	SKY_CHANGING,   /* the deviation changes by night, e-fold either way */
	SKY_SPIKES,     /* normal; three nights of a hundred are 10% to 50% slower, each metric by itself */
	SKY_WEEKEND,    /* normal; two nights of seven are 4% slower */
	SKY_LEVELS,     /* normal; three nights of ten are 6% slower, all metrics together */
	SKY_OWN_LEVELS, /* the same, each metric by itself */
	SKY_MISSING,    /* normal; three nights of ten are not measured */
	SKIES
};
extern const char *const sky_names[SKIES];

enum judge {
	JUDGE_ANCHOR,  /* measured in turns with the anchor: what a night does to both cancels */
	JUDGE_HISTORY, /* rolling:10 */
	JUDGES
};
extern const char *const judge_names[JUDGES];

struct setting {
	enum judge judge;
	enum shape shape;
	enum sky sky;
	double run_deviation;
	bool forgets;    /* alarms are not kept from night to night */
	double residual; /* share of it that is left in a ratio of a build and its anchor */
	double threshold;
	size_t invocations, again; /* of the first look, and of the second */
};

/* What happens to metric 0; the others stay as they are. */
struct plot {
	size_t nights;
	double ratio[MOST_NIGHTS];  /* over its level on the first night; 0: 1 */
	double spike[MOST_NIGHTS];  /* of the machine, on that night alone; 0: 1 */
	bool accepted[MOST_NIGHTS]; /* in the morning after that night */
};

/* What became of it, night by night. */
struct seen {
	bool opened[MOST_NIGHTS];     /* an alarm of metric 0 */
	bool red[MOST_NIGHTS];        /* it is under one, or fails */
	bool others[MOST_NIGHTS];     /* an alarm of any other metric was opened */
	bool too_little[MOST_NIGHTS]; /* too little was decided to be green */
	size_t undecided;             /* verdicts that are unclear, over all metrics and nights */
	bool suspected[MOST_NIGHTS];  /* any metric is */
	size_t alarms[MOST_NIGHTS];   /* that were opened for metric 0 so far */
};

/* Plays one trial: nights of history that nobody judged, then those of the plot. */
void nights_play(const struct setting *setting, const struct plot *plot, struct bench_rng *rng,
		 struct seen *seen);

/* An alarm of a metric; nights are counted from 0. */
struct nights_event {
	size_t alarm, metric;
	size_t first_bad, opened, closed; /* closed 0: it has not recovered */
};

/*
 * Walks over published nights, values[metric][night] (NaN: none), of one value each, which nobody can measure
 * again, as a gate against rolling:10 does; nobody accepts anything. The first ten nights are not judged.
 * Returns how many alarms of a metric it opened, in the order of their nights; `most`: what `events` can
 * hold.
 */
size_t nights_walk(const double *const *values, size_t metrics, size_t nights, struct nights_event *events,
		   size_t most);

#endif
