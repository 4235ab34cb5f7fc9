/* SPDX-License-Identifier: MIT */
/*
 * The comparison: two sets of samples in, verdicts out. Pure: it reads records, and does no measuring, file
 * access or printing.
 *
 * The unit of replication is the invocation. For each judged metric (better is not none, not derived), it
 * compares the logarithms of the invocations' medians: the baseline's (all runs of a pooled baseline
 * together) against the candidate's.
 */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/outcome.h"
#include "record/record.h"

enum bench_verdict_kind {
	BENCH_SAME,      /* no change of options.threshold (or a rule's, or the floor) or more, at the stated
			    confidence */
	BENCH_FASTER,    /* better by the threshold or more */
	BENCH_SLOWER,    /* worse by the threshold or more */
	BENCH_UNCLEAR,   /* the data do not decide; the reason says what would */
	BENCH_NEW,       /* the baseline has no such metric */
	BENCH_MISSING,   /* the baseline has it; the candidate was asked for it and lacks it */
	BENCH_BROKEN,    /* it was ok in the baseline and now is not; or it failed and has no baseline */
	BENCH_SUSPECTED, /* slower than a history on one night, or by one value: the next night tells */
};
#define BENCH_VERDICT_KINDS 8

const char *bench_compare_verdict_name(enum bench_verdict_kind kind); /* "same", "faster", ... */
/* The alarm under which a metric is (alarms.h), as a report shows it. */
struct bench_verdict_alarm {
	int64_t id;           /* 0: it was not stored */
	bool is_new;          /* this run is the first bad one of the metric */
	bool recovered;       /* closed by this run: the old level is back */
	int64_t since;        /* Unix seconds: start of the first bad run */
	unsigned nights;      /* runs judged under it, without the run of the recovery */
	double ratio, lo, hi; /* of the metric when it was opened, over the level before; ratio NaN: lo and
				 hi are of the difference */
	double ci_level;      /* the confidence of that interval; NaN: not known */
	const char *unit;     /* of its values */
	/* The same of the metric that gives the alarm its number (bench_record_alarm_largest), and of that
	 * metric in this run, over the same level; NaN: it is not compared. */
	struct {
		const char *key, *unit;
		double ratio, lo, hi, ci_level;
		double now_ratio, now_lo, now_hi, now_ci_level;
	} largest;
	const char *good_commit, *bad_commit; /* "": not known */
	const char *culprit;                  /* the commit that a bisection found; "": none yet */
	const char *cause; /* of its largest change, as `bench why` said it; NULL or "": nobody has asked */
	const struct bench_verdict_alarm
		*older; /* another one that the metric is under; NULL: there is none */
};

/* The first of several nights on which a metric was slower than a rolling baseline (second_night.c). */
struct bench_first_night {
	const char *run, *commit;
	int64_t started;
	const char *last_run, *last_commit; /* of the newest run before it */
};

struct bench_verdict {
	char *key; /* full metric name, "suite/backend:device/k=v/metric"; for a broken case, the case's key
		    */
	char *metric; /* the last part of key; "" for a broken case */
	enum bench_verdict_kind kind;
	/*
	 * Candidate over baseline as a ratio of values (time 1.30: 30% more time), with the interval that the
	 * verdict rests on: simultaneous over all metrics for slower and faster, of 90% for same and unclear;
	 * `level` is its actual level. NaN if there is no ratio or no interval.
	 */
	double ratio, lo, hi, level;
	/*
	 * Where a value is zero or below there is no ratio: the verdict rests on the difference, candidate
	 * less baseline, in `unit`, and lo, hi, threshold and mde are such differences as well. `difference`
	 * is NaN without an estimate. `magnitude` is the median of the baseline's values without their signs,
	 * of which `asked` is the share that matters.
	 */
	bool by_difference;
	double difference, magnitude;
	double p, p_adjusted; /* NaN: no test was made */
	/*
	 * What `slower` and `faster` need at least: options.threshold, or more where runs of the same code
	 * differ by more (learned, or allowed for), or where the floor is more. Never what `same` means: that
	 * is options.threshold, or the floor.
	 */
	double threshold;
	double asked;        /* the least change that matters: options.threshold, or a rule's */
	const char *owner;   /* whom a change concerns, as a rule says; "": none does */
	size_t learned_runs; /* from which its spread between runs was learned, which threshold and interval
				allow for; 0: it is not known, and options.assumed_spread allowed for */
	/*
	 * The smallest slowdown that this comparison finds with probability 95%, e.g. 0.08: time
	 * 1.08 times, or a rate 1/1.08 times what it was. NaN: none.
	 */
	double mde;
	double base_median, candidate_median;
	size_t base_invocations, candidate_invocations; /* undisturbed: those that are judged */
	size_t base_disturbed, candidate_disturbed;     /* left out, because the machine was disturbed */
	const char *unit;
	enum bench_better better;
	char *reason; /* one line in plain words; "" for faster, slower, and for same unless by the floor */
	/* Of unclear: the reason in a few words, without its arithmetic; NULL: the reason is short. */
	char *why;
	size_t needed; /* of unclear: invocations a side that would probably decide it; 0: not known */
	char *decided; /* of one that is suspected: its reason as if it were slower at once; else NULL */
	const struct bench_verdict_alarm *alarm; /* the newest that is open, else recovered; in the
						    comparison's arena; NULL: none */
	/* An earlier night that was as slow, and is therefore not part of the baseline, or NULL. */
	const struct bench_first_night *first;
	/* Of one that fails: why that is expected today (bounds.h). NULL: it is not. */
	const struct bench_expected *expected;
};

/* What fails a gate beside the usual, and what does not: bits. */
enum bench_failing {
	BENCH_FAILING_UNCLEAR = 1,  /* what is unclear fails, too */
	BENCH_FAILING_NEW_ONLY = 2, /* what is under an alarm that an earlier run opened does not */
};

/*
 * How far the value moved, so that changes of any kind can be compared: the logarithm of the ratio; of a
 * difference that of its share of the magnitude, with its sign, infinite where that is zero. 0 where nothing
 * is known.
 */
double bench_compare_size(const struct bench_verdict *verdict);
/* Is there a ratio or a difference? */
bool bench_compare_has_size(const struct bench_verdict *verdict);
/* That as text: "+31.2%", "+5 allocs/op", or "-" without one. */
char *bench_compare_size_text(struct bench_arena *arena, const struct bench_verdict *verdict);

/*
 * Does the verdict fail a gate? Broken, missing and slower do, and whatever is under an open alarm: it was
 * slower, and nothing says yet that it has recovered. One that is expected does not. `failing`: bits of enum
 * bench_failing.
 */
bool bench_compare_fails(const struct bench_verdict *verdict, unsigned failing);

/* Runs that started from `since` on and before `until` are excluded from one metric's level: an alarm was
 * open.
 */
struct bench_excluded {
	const char *key; /* full metric name */
	int64_t since, until;
	bool teaches_spread; /* but they count for the spread between nights */
};

/*
 * An accepted shift: for the metrics whose full name matches the pattern, what was measured before `since` is
 * no longer a baseline.
 */
struct bench_accepted {
	const char *pattern; /* as bench_text_match reads it */
	int64_t since;       /* Unix seconds: runs that started then or later count */
	const char *why;
	bool removal; /* they are gone since then, and rightly so: nobody misses them */
};

/* What a user says of the metrics whose full name matches the pattern; of several rules the last that says it
 * counts. */
struct bench_metric_rule {
	const char *pattern;                    /* as bench_text_match reads it */
	double threshold;                       /* in place of options.threshold; 0: it says none */
	const char *owner;                      /* whom a change concerns; NULL: it says none */
	bool ignored;                           /* neither judged nor missed */
	const struct bench_bound *most, *least; /* bounds.h; NULL: it sets none */
	const struct bench_expected *expected;  /* that it fails; NULL: nothing is expected */
};

/* The fewest runs of a baseline from which the spread between runs is learned; with fewer, from earlier runs.
 */
#define BENCH_COMPARE_ENOUGH_RUNS 5
/* The deviation between runs of the same code that the command line allows for where fewer are known. */
#define BENCH_COMPARE_ASSUMED_SPREAD 0.05
/* With this many runs or more, they judge a run that has too few invocations for the rank test, even one.
 * Fewer runs may all show the same one of two peaks. */
#define BENCH_COMPARE_PREDICTING_RUNS 10
/* Seconds an iteration: the floor that the command line gives. */
#define BENCH_COMPARE_FLOOR 1e-9

struct bench_compare_options {
	/* The least relative change that matters, e.g. 0.05: `same` means less. A metric that varies more
	 * from run to run needs more for `slower`, as learned from the runs of the baseline if they are
	 * enough, else from `history`. */
	double threshold;
	/*
	 * The deviation between runs of the same code that is allowed for where too few runs are known to
	 * learn it from: BENCH_COMPARE_ASSUMED_SPREAD. 0: runs differ by their invocations alone, which
	 * somebody must know: else the promise on false alarms does not hold for baselines of fewer than five
	 * runs.
	 */
	double assumed_spread;
	/* A smaller change of a time (unit s), in seconds, does not count; 0: no floor. For an imported run
	 * only with floor_of_imports. */
	double floor;
	bool floor_of_imports;
	double alpha;    /* family-wise false-alarm rate of the whole comparison, e.g. 0.01 */
	bool each_alone; /* alpha holds for each metric by itself: for those that another comparison accused
			  */
	bool allow_env_change;
	const struct bench_accepted *accepted; /* not owned */
	size_t accepted_count;
	/*
	 * Earlier runs of the same command, not owned; the baseline's may be among them. The spread between
	 * runs of the same code is learned from executables that were measured twice or more in the
	 * candidate's environment; other runs, and the candidate, are ignored. With a rolling baseline that
	 * has enough runs, the other runs of its environment are the nights before, and count as well.
	 */
	const struct bench_run *const *history;
	size_t history_count;
	const struct bench_excluded *excluded; /* not owned; sorted by key */
	size_t excluded_count;
	size_t newest; /* a metric's baseline is at most this many of the baseline's runs, the first that
			  count for it; 0: all of them */
	const struct bench_metric_rule *rules; /* not owned: they outlive the comparison */
	size_t rule_count;
	/* A second run of some of the candidate's cases: where both are ok, its invocations are pooled with
	 * the candidate's. In neither baseline nor history. NULL: none. Not owned. */
	const struct bench_run *again;
	/* Full metric names whose geometric means are judged as well (means.c); NULL: none. Not owned. */
	const char *const *mean_of;
	size_t mean_count;
};

struct bench_comparison {
	struct bench_arena arena;
	struct bench_compare_options options;
	char *baseline_name; /* as the user named it */
	char **baseline_ids;
	size_t baseline_count;
	char *baseline_commit; /* of its newest run; NULL: not known */
	char *candidate_id;
	struct bench_verdict *verdicts; /* sorted: worst first (broken, missing, slower, unclear, new, faster,
					   same), then key */
	size_t verdict_count;
	size_t counts[BENCH_VERDICT_KINDS];
	size_t not_selected; /* baseline metrics that the candidate's command did not ask for */
	size_t ignored;      /* metrics and cases that a rule leaves out */
	/* Of a duel: cases that have a device time, or rows on one side, which is not judged; and why, of
	 * the first. */
	size_t no_device_time;
	char *no_device_time_why;
	size_t removed; /* baseline metrics (of a duel: cases) whose removal was accepted */
	/* What bench_compare_hold found (bounds.h); none before. */
	struct bench_bound_verdict *bounds; /* worst first, then by key */
	size_t bound_count;
	struct bench_expectation *expectations; /* those that something decides */
	size_t expectation_count;
	size_t expected[BENCH_VERDICT_KINDS]; /* of the counts, those that fail and are expected to */
	const char *line;   /* of history: what of the baseline was left out, and why; NULL: nothing to say */
	size_t left_out;    /* runs that were left out for that */
	const char *branch; /* whose runs were asked for; NULL: none was */
	size_t unchecked;   /* ok cases of the candidate with results that nobody checks */
	char **env_changes; /* "threads: 2 in the baseline, 1 now" */
	size_t env_change_count;
	char **env_notes; /* differences that are said and not refused: of the governor, ... */
	size_t env_note_count;
	/*
	 * The geometric means of options.mean_of, as verdicts of the same rule: a key is GROUP/METRIC, and
	 * "all/METRIC" is over all groups (bench_compare_group). Its ratio is close to the geometric mean of
	 * the verdicts' ratios (means.c). NULL: nobody asked, or they cannot be judged.
	 */
	struct bench_comparison *means;
};

/*
 * Compares. BENCH_NOTHING if the two sides have no judged metric in common and nothing is broken or missing.
 * Also if baseline_count is 0, or a run is on both sides or twice in the baseline. Also if the environments
 * differ and options->allow_env_change is false: the text names the differences with both values. The
 * environment is: host fingerprint, threads, cache state, tuned values, build type, compiler and flags,
 * variables that choose kernels, and name, platform and driver of each device. BENCH_USAGE for options out of
 * range. Otherwise 0, and the caller frees *comparison.
 */
int bench_compare_runs(const struct bench_run *const *baseline, size_t baseline_count,
		       const char *baseline_name, const struct bench_run *candidate,
		       const struct bench_compare_options *options, struct bench_comparison **comparison,
		       struct bench_error *error);
/*
 * Checks what bench_compare_runs would refuse and can be known before anything is measured: options, runs,
 * environment. The candidate has host, devices and selection, but no results yet.
 */
int bench_compare_check(const struct bench_run *const *baseline, size_t baseline_count,
			const char *baseline_name, const struct bench_run *candidate,
			const struct bench_compare_options *options, struct bench_error *error);
void bench_compare_free(struct bench_comparison *comparison);
/* In place of `struct bench_comparison`, for a local pointer, as BENCH_SCOPED_MEMORY (core/memory.h). */
#define BENCH_SCOPED_COMPARISON __attribute__((cleanup(bench_compare_release))) struct bench_comparison
static inline void bench_compare_release(struct bench_comparison *const *comparison)
{
	bench_compare_free(*comparison);
}

/*
 * Are the metrics of `before` that match the pattern gone in `after`? There are some that its command asked
 * for, it was not cut short, and lacks all of these; none of their cases went wrong.
 */
bool bench_compare_is_removed(const struct bench_run *before, const struct bench_run *after,
			      const char *pattern);

/* Were both runs asked to cover the same suites and sets (in any order), filter and backends? */
bool bench_compare_same_selection(const struct bench_run *a, const struct bench_run *b);

/* The outcome, by the first that applies: wrong if something is broken or missing; slower if something is
 * slower, under an alarm or out of bounds; begun if all is new; unclear if something fails. Otherwise good.
 * What is expected counts for none of them. */
enum bench_outcome bench_compare_outcome(const struct bench_comparison *comparison, unsigned failing);

/* Was the run interleaved with another executable? */
bool bench_compare_in_turns(const struct bench_run *run);

/* Whom a change of the metric concerns, as the last rule that says it; "": none does. */
const char *bench_compare_owner(const struct bench_compare_options *options, const char *key);

/*
 * What a run was asked for, and how it measures (preset, suites, sets, filter, backends, threads, cache,
 * pin), as one text: runs of one host with the same track are nights of one gate.
 */
char *bench_compare_track(const struct bench_run *run, struct bench_arena *arena);

/* The group of a metric (by full name): its suite, with the parameter `op` where there is one. In `arena`. */
char *bench_compare_group(struct bench_arena *arena, const char *key);

/* The verdict on a metric (by full name), or NULL; also if `comparison` is NULL. */
const struct bench_verdict *bench_compare_find(const struct bench_comparison *comparison, const char *key);

#endif
