/* SPDX-License-Identifier: MIT */
/*
 * The line of history of what is judged: which stored runs may be its baseline, its alarms and its change
 * points, and in which order they come.
 *
 * It is the first-parent line of the judged commit, as "git log --first-parent" walks it: a merged branch's
 * commits are ancestors, but what was measured on them is no level of the branch that it was merged into. A
 * run is on the line if its commit is, whether or not files had changed. Where git cannot tell, the recorded
 * branch decides: runs of the judged run's branch count. Git cannot tell without a repository, in a shallow
 * clone, of a run without a commit, and of a commit that the repository lacks or that no reference reaches.
 */
#ifndef BENCH_APP_LINE_H
#define BENCH_APP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

#define BENCH_APP_LINE_ANY "any" /* as a branch that is asked for: all runs count */

/* What decides. Nothing of it is owned. */
struct bench_app_line_request {
	const char *branch; /* runs whose recorded branch this is, or BENCH_APP_LINE_ANY; NULL: those on the
			       line */
	const char *source; /* a folder of the repository to ask, before the working directory; NULL: none */
};

struct bench_app_line_commit;
struct bench_app_line {
	struct bench_arena *arena;             /* the caller's */
	struct bench_app_line_commit *commits; /* of the history, with their branches; sorted by both */
	size_t count;
	bool all;           /* all runs count, whatever the history has */
	const char *asked;  /* the branch, or BENCH_APP_LINE_ANY; NULL: none was asked for */
	bool told;          /* git knows the judged commit */
	const char *commit; /* the judged one; "": none */
	const char *branch; /* whose runs count where their commit says nothing */
	const char *why;    /* git cannot tell of some commits, or of all; "": it can */
};

/*
 * The line of a run, which need not be stored; git is asked about all commits of the history at once. `store`
 * NULL: all runs count. In `arena`.
 */
int bench_app_line_of(struct bench_store *store, const struct bench_app_line_request *request,
		      const struct bench_git *judged, struct bench_arena *arena, struct bench_app_line *line,
		      struct bench_error *error);
/* The line of the commit that is checked out here; if no stored run is on it, the line of the newest run. */
int bench_app_line_here(struct bench_store *store, const struct bench_app_line_request *request,
			struct bench_arena *arena, struct bench_app_line *line, struct bench_error *error);

/* Is a run of this commit and branch on the line? Line NULL, here and below: all runs are. */
bool bench_app_line_has(const struct bench_app_line *line, const char *commit, const char *branch);

/* Is any run of this commit on the line? True also where the history has none of it. */
bool bench_app_line_has_commit(const struct bench_app_line *line, const char *commit);

/* How many runs were left out, and how many count by their branch alone though git was there to be asked. */
struct bench_app_line_tally {
	size_t left_out, guessed;
};
/* The same of one run, counted. */
bool bench_app_line_takes(const struct bench_app_line *line, const char *commit, const char *branch,
			  struct bench_app_line_tally *tally);

/* A run, or a point of one, that is on the line. */
struct bench_app_line_item {
	const char *commit, *branch;
	size_t index;        /* the caller's */
	size_t place, order; /* filled in */
};
/*
 * Puts items, which come oldest first, into the line's order: by commit, then as they came. So an old commit
 * that is measured late is not the newest. A run that counts by its branch alone stands with the newest
 * commit that had been measured before it.
 */
void bench_app_line_arrange(const struct bench_app_line *line, struct bench_app_line_item *items,
			    size_t count);

/*
 * Points as bench_store_history gives them: those on the line to the front, each metric's in the line's
 * order. A metric of a host with no point on the line (of another program, say) follows the branch of its
 * newest one. Returns how many points are left; *tally: of how many runs.
 */
size_t bench_app_line_points(const struct bench_app_line *line, struct bench_point *points, size_t count,
			     struct bench_app_line_tally *tally);

/* What a report says of that, in a line, in `arena`; NULL: there is nothing to say. */
char *bench_app_line_note(const struct bench_app_line *line, const struct bench_app_line_tally *tally,
			  struct bench_arena *arena);

#endif
