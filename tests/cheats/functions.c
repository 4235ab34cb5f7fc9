/* SPDX-License-Identifier: MIT */
/*
 * Functions that are fast and do not do their work, or only where someone looks. The table of
 * docs/notes/measuring-methods.md says which of them are found; tests/cli/cheats.sh holds both together.
 */
#include <bench/fn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#define CHEAT(name)                                                                                          \
	struct name {                                                                                        \
		size_t n;                                                                                    \
		double *x, found;                                                                            \
	};                                                                                                   \
	BENCH_FN(name, "n=1000");                                                                            \
	BENCH_FN_SETUP(name)                                                                                 \
	{                                                                                                    \
		s->n = bench_fn_size(fn, "n");                                                               \
		s->x = bench_fn_doubles(fn, s->n);                                                           \
	}                                                                                                    \
	BENCH_FN_CHECK(name, 1e-9)                                                                           \
	{                                                                                                    \
		return bench_fn_off(s->found, sum(s->x, s->n));                                              \
	}                                                                                                    \
	BENCH_FN_RUN(name)

static double sum(const double *x, size_t n)
{
	double found = 0;
	for (size_t i = 0; i < n; i++)
		found += x[i];
	return found;
}

CHEAT(partial_work)
{
	s->found = sum(s->x, s->n / 2);
}

CHEAT(dead_code)
{
	double found = sum(s->x, s->n);
	(void)found;
}

CHEAT(accumulates)
{
	s->found += sum(s->x, s->n);
}

CHEAT(gives_nan)
{
	s->found = NAN;
}

CHEAT(first_call_only)
{
	static bool done;
	if (!done)
		s->found = sum(s->x, s->n);
	done = true;
}

CHEAT(now_and_then)
{
	static unsigned calls;
	if (calls++ % 100000 == 0)
		s->found = sum(s->x, s->n);
}

CHEAT(first_moments)
{
	static double first;
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	const double now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
	first = first > 0 ? first : now;
	if (now - first < 0.001)
		s->found = sum(s->x, s->n);
}

/* Keeps the result with the inputs that it is of. */
CHEAT(by_content)
{
	static double key, kept;
	if (key != s->x[0] + s->x[1]) {
		volatile double found = 0;
		for (int i = 0; i < 20000; i++)
			found = sum(s->x, s->n);
		kept = found;
	}
	key = s->x[0] + s->x[1];
	s->found = kept;
}

static void *add_later(void *x)
{
	const struct timespec wait = {.tv_nsec = 50000000};
	double *at = x;
	nanosleep(&wait, NULL);
	at[1000] = sum(at, 1000);
	return NULL;
}

struct returns_early {
	double *x; /* and the result */
	pthread_t thread;
	bool runs;
};
BENCH_FN(returns_early, "n=1000");
BENCH_FN_SETUP(returns_early)
{
	s->x = bench_fn_doubles(fn, bench_fn_size(fn, "n") + 1);
}
BENCH_FN_RUN(returns_early)
{
	if (s->runs)
		pthread_join(s->thread, NULL);
	s->runs = pthread_create(&s->thread, NULL, add_later, s->x) == 0;
}
BENCH_FN_CHECK(returns_early, 1e-9)
{
	const double found = s->x[1000];
	if (s->runs)
		pthread_join(s->thread, NULL);
	s->runs = false;
	return bench_fn_off(found, sum(s->x, 1000));
}

struct one_element {
	double *x, *y;
};
BENCH_FN(one_element, "n=1000");
BENCH_FN_SETUP(one_element)
{
	s->x = bench_fn_doubles(fn, 1000);
	s->y = (double *)bench_fn_alloc(fn, 1000, sizeof(*s->y));
}
BENCH_FN_RUN(one_element)
{
	s->y[0] = 2 * s->x[0];
}
BENCH_FN_CHECK(one_element, 0)
{
	double off = 0;
	for (size_t i = 0; i < 1000; i++)
		off = fmax(off, bench_fn_off(s->y[i], 2 * s->x[i]));
	return off;
}

/* The work is done before the time begins. */
struct setup_does_it {
	double *x, found;
};
BENCH_FN(setup_does_it, "n=1000");
BENCH_FN_SETUP(setup_does_it)
{
	s->x = bench_fn_doubles(fn, 1000);
	s->found = sum(s->x, 1000);
}
BENCH_FN_RUN(setup_does_it)
{
}
BENCH_FN_CHECK(setup_does_it, 1e-9)
{
	return bench_fn_off(s->found, sum(s->x, 1000));
}

/* The same with its output spoiled. */
struct setup_spoiled {
	double *x, found;
};
BENCH_FN(setup_spoiled, "n=1000");
BENCH_FN_SETUP(setup_spoiled)
{
	s->x = bench_fn_doubles(fn, 1000);
	s->found = sum(s->x, 1000);
}
BENCH_FN_PREPARE(setup_spoiled)
{
	s->found = NAN;
}
BENCH_FN_RUN(setup_spoiled)
{
}
BENCH_FN_CHECK(setup_spoiled, 1e-9)
{
	return bench_fn_off(s->found, sum(s->x, 1000));
}

/* Has the right result at hand, and gives it. */
struct reads_expected {
	double *x, expected, found;
};
BENCH_FN(reads_expected, "n=1000");
BENCH_FN_SETUP(reads_expected)
{
	s->x = bench_fn_doubles(fn, 1000);
	s->expected = sum(s->x, 1000);
}
BENCH_FN_PREPARE(reads_expected)
{
	s->found = NAN;
}
BENCH_FN_RUN(reads_expected)
{
	s->found = s->expected;
}
BENCH_FN_CHECK(reads_expected, 1e-9)
{
	return bench_fn_off(s->found, s->expected);
}

/* Inputs of zeros, for which there is nothing to do. */
struct zero_inputs {
	double *x, found;
};
BENCH_FN(zero_inputs, "n=1000");
BENCH_FN_SETUP(zero_inputs)
{
	s->x = (double *)bench_fn_alloc(fn, 1000, sizeof(*s->x));
}
BENCH_FN_PREPARE(zero_inputs)
{
	s->found = NAN;
}
BENCH_FN_RUN(zero_inputs)
{
	s->found = s->x[0] == 0 ? 0 : sum(s->x, 1000);
}
BENCH_FN_CHECK(zero_inputs, 1e-9)
{
	return bench_fn_off(s->found, sum(s->x, 1000));
}
