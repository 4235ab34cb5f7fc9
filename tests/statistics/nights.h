/*
 * Simulated nights of a gate: a metric's time is known, and so is all of the noise. Each night is measured,
 * judged, confirmed and remembered as the gate does it, by the same pure functions; only the measuring is
 * made up.
 */
#ifndef TESTS_STATISTICS_NIGHTS_H
#define TESTS_STATISTICS_NIGHTS_H

#include "compare/alarms.h"
#include "kit/rng.h"

enum { METRICS = 20, MOST_NIGHTS = 64 };

/* What one invocation's time is multiplied with; 2% between invocations in all of them. */
enum shape {
	SHAPE_LOGNORMAL,
	SHAPE_HEAVY, /* and one process in twenty is up to 87% slower */
	SHAPE_PEAKS, /* and each process has one of two times that are 8% apart */
	SHAPES
};
extern const char *const shape_names[SHAPES];

enum judge {
	JUDGE_ANCHOR,  /* measured in turns with the anchor: what a night does to both cancels */
	JUDGE_HISTORY, /* rolling:10 */
	JUDGES
};
extern const char *const judge_names[JUDGES];

struct setting {
	enum judge judge;
	enum shape shape;
	/* A night's level: normal, of this deviation, to one half (of its variance) common to all metrics. */
	double run_deviation;
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
	bool opened[MOST_NIGHTS];             /* an alarm of metric 0 */
	bool red[MOST_NIGHTS];                /* it is under one, or fails */
	bool others[MOST_NIGHTS];             /* an alarm of any other metric was opened */
	bool too_little[MOST_NIGHTS];         /* too little was decided to be green */
	size_t undecided;                     /* verdicts that are unclear, over all metrics and nights */
	bool looked_back[MOST_NIGHTS];        /* a change point in metric 0's history says slower */
	bool looked_back_others[MOST_NIGHTS]; /* or in that of another: a false one */
};

/* Plays one trial: nights of history that nobody judged, then those of the plot. */
void nights_play(const struct setting *setting, const struct plot *plot, bool look_back,
		 struct bench_rng *rng, struct seen *seen);

#endif
