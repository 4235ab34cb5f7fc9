/* SPDX-License-Identifier: MIT */
/* What the tests of comparisons share: pairs of made runs, and what is asserted of verdicts. */
#ifndef TESTS_UNIT_COMPARE_FIXTURE_H
#define TESTS_UNIT_COMPARE_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/compare.h"
#include "kit/rng.h"
#include "made_run.h"

static const struct bench_compare_options nightly = {.threshold = 0.05, .alpha = 0.01};
static const struct bench_compare_options lenient = {
	.threshold = 0.05, .alpha = 0.01, .allow_env_change = true};

/* Medians with 1% of normal noise. */
static inline const double *noisy(double center, size_t count, uint64_t seed)
{
	static double medians[1024];
	struct bench_rng rng;

	bench_rng_start(&rng, 7, seed);
	for (size_t i = 0; i < count; i++)
		medians[i] = center * exp(0.01 * bench_rng_normal(&rng));
	return medians;
}

/* A case with one time metric of `count` invocations about `center`. */
static inline struct bench_metric *add_time(struct bench_run *run, unsigned n, double center, size_t count,
					    uint64_t seed)
{
	return made_metric(run, made_case(run, n), "time", BENCH_BETTER_LOWER, noisy(center, count, seed),
			   count);
}

/* A pair of runs of `metrics` cases, n = 0, 1, ...; the candidate's case 0 is `ratio` times the baseline's.
 */
struct pair {
	struct bench_run *base, *candidate;
};

static inline struct pair make_pair(unsigned metrics, size_t invocations, double ratio)
{
	struct pair pair = {made_run("base"), made_run("candidate")};

	for (unsigned n = 0; n < metrics; n++) {
		add_time(pair.base, n, 1e-3, invocations, 2 * n);
		add_time(pair.candidate, n, 1e-3 * (n == 0 ? ratio : 1), invocations, 2 * n + 1);
	}
	return pair;
}

static inline struct bench_comparison *compare_with(struct pair pair,
						    const struct bench_compare_options *options)
{
	const struct bench_run *base[] = {pair.base};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;

	if (bench_compare_runs(base, 1, "nightly", pair.candidate, options, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
	return comparison;
}

static inline struct bench_comparison *compare(struct pair pair)
{
	return compare_with(pair, &nightly);
}

/* Compares what cannot be compared; the text must have each of `words` (separated by '|'). */
static inline void assert_refused(struct pair pair, const struct bench_compare_options *options,
				  enum bench_code code, const char *words)
{
	const struct bench_run *base[] = {pair.base};
	struct bench_comparison *comparison = NULL;
	struct bench_error error = {0};
	char list[256], *word, *rest = NULL;

	assert_int_equal(bench_compare_runs(base, 1, "nightly", pair.candidate, options, &comparison, &error),
			 -1);
	assert_null(comparison);
	assert_int_equal(error.code, code);
	snprintf(list, sizeof(list), "%s", words);
	for (word = strtok_r(list, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
		if (!strstr(error.text, word))
			fail_msg("'%s' is not in: %s", word, error.text);
	bench_record_free(pair.base);
	bench_record_free(pair.candidate);
}

static inline const struct bench_verdict *find(const struct bench_comparison *comparison, const char *key)
{
	const struct bench_verdict *verdict = bench_compare_find(comparison, key);

	if (!verdict)
		fail_msg("no verdict on %s", key);
	return verdict;
}

static inline void assert_kind(const struct bench_comparison *comparison, const char *key,
			       enum bench_verdict_kind kind)
{
	const struct bench_verdict *verdict = find(comparison, key);

	if (verdict->kind != kind)
		fail_msg("%s is %s, not %s (ratio %g, %g..%g, p %g; %s)", key,
			 bench_compare_verdict_name(verdict->kind), bench_compare_verdict_name(kind),
			 verdict->ratio, verdict->lo, verdict->hi, verdict->p_adjusted, verdict->reason);
}

static inline void assert_reason(const struct bench_verdict *verdict, const char *part)
{
	if (!strstr(verdict->reason, part))
		fail_msg("'%s' is not in: %s", part, verdict->reason);
}

#define CASE_0 "gemm/openblas:cpu/n=0"
#define TIME_0 CASE_0 "/time"

#endif
