/* SPDX-License-Identifier: MIT */
/*
 * Simulated bisections: 32 commits, one of which slows by 5%. How often is it named, and by how many duels?
 * A duel's logarithm is off by its stated standard error: normal, or with a heavy tail (one in ten off by
 * four times as much). One commit in ten cannot be built, the wanted one among them now and then: then the
 * range that it is named with counts. The first duel, of the good and the bad commit, is four times as long.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/bisect.h"
#include "statistics/simulate.h"

enum { COMMITS = 32, TRIALS = 2000, MOST_DUELS = 200 };

struct bisection {
	struct bench_rng rng;
	double levels[COMMITS + 1]; /* logarithms */
	bool broken[COMMITS + 1];
	double noise, tail;
	struct bench_bisect_look looks[MOST_DUELS];
	size_t duels;
};

struct tally {
	size_t right, wrong, undecided, duels, width;
};

static void look(struct bisection *in, size_t base, size_t head, double error)
{
	double off = error * bench_rng_normal(&in->rng);
	if (bench_rng_uniform(&in->rng) < in->tail)
		off *= 4;
	in->looks[in->duels++] =
		(struct bench_bisect_look){base, head, in->levels[head] - in->levels[base] + off, error};
}

/* Until it is over; what cannot be built turns out when it is asked for. */
static struct bench_bisect_state search(struct bisection *in)
{
	bool skipped[COMMITS + 1] = {0};
	struct bench_bisect_state state;
	in->duels = 0;
	look(in, 0, COMMITS, in->noise / 2);
	for (;;) {
		const struct bench_bisect_search known = {COMMITS, skipped, in->looks, in->duels, 0.01};
		struct bench_arena arena = {0};
		bench_compare_bisect(&known, &arena, &state);
		bench_arena_free(&arena);
		if (state.next == BENCH_BISECT_FOUND || state.next == BENCH_BISECT_UNDECIDED ||
		    in->duels == MOST_DUELS)
			return state;
		if (in->broken[state.base] || in->broken[state.head])
			skipped[in->broken[state.base] ? state.base : state.head] = true;
		else
			look(in, state.base, state.head, in->noise);
	}
}

static void plant(struct bisection *in, size_t at, double step)
{
	for (size_t k = 0; k <= COMMITS; k++) {
		in->levels[k] = k >= at ? step : 0;
		in->broken[k] = k > 0 && k < COMMITS && bench_rng_uniform(&in->rng) < 0.1;
	}
}

static int one_step(double noise, double tail, unsigned stream)
{
	struct bisection in = {.noise = noise, .tail = tail};
	struct tally tally = {0};
	char what[96];
	bench_rng_start(&in.rng, 20261123, stream);
	for (int i = 0; i < TRIALS; i++) {
		size_t at = 1 + (size_t)(COMMITS * bench_rng_uniform(&in.rng));
		plant(&in, at, log(1.05));
		const struct bench_bisect_state state = search(&in);
		bool found = state.next == BENCH_BISECT_FOUND, right = state.base < at && at <= state.head;
		tally.right += found && right;
		tally.wrong += found && !right;
		tally.undecided += !found;
		tally.duels += in.duels;
		tally.width += state.head - state.base;
	}
	snprintf(what, sizeof(what), "5%% in 32 commits, duels of %.0f%%%s: found", 100 * noise,
		 tail > 0 ? ", heavy tail" : "");
	printf("%.2f duels, %.2f commits named, %zu undecided\n", (double)tally.duels / TRIALS,
	       (double)tally.width / TRIALS, tally.undecided);
	return rate_at_least(what, tally.right, TRIALS, 0.95) +
	       rate_at_most("a wrong commit named", tally.wrong, TRIALS, 0.02);
}

/* Two steps, and no commit that cannot be built. */
static int two_steps(void)
{
	struct bisection in = {.noise = 0.005};
	size_t right = 0, larger = 0;
	bench_rng_start(&in.rng, 20261123, 9);
	for (int i = 0; i < TRIALS / 4; i++) {
		size_t first = 1 + (size_t)(COMMITS / 2 * bench_rng_uniform(&in.rng));
		size_t second = first + 1 + (size_t)((double)(COMMITS - first) * bench_rng_uniform(&in.rng));
		plant(&in, first, log(1.06));
		for (size_t k = second; k <= COMMITS; k++)
			in.levels[k] += log(1.04);
		memset(in.broken, 0, sizeof(in.broken));
		const struct bench_bisect_state state = search(&in);
		larger += state.next == BENCH_BISECT_FOUND && state.head == first;
		right += state.next == BENCH_BISECT_FOUND && (state.head == first || state.head == second);
	}
	return rate_at_least("6% and 4%, duels of 0.5%: one of them named", right, TRIALS / 4, 0.95) +
	       rate_at_least("6% and 4%: the larger named", larger, TRIALS / 4, 0.9);
}

int main(void)
{
	int failed = one_step(0.01, 0, 1) + one_step(0.02, 0, 2) + one_step(0.01, 0.1, 3) +
		     one_step(0.02, 0.1, 4) + two_steps();
	return failed ? 1 : 0;
}
