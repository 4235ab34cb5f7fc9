/* SPDX-License-Identifier: MIT */
/*
 * Methods that others look for change points with, as their papers or programs describe them, for a table
 * beside our own. They judge values as they are given; `found` has room for as many changes as there are
 * values.
 */
#ifndef TESTS_STATISTICS_CHANGEPOINT_PEERS_H
#define TESTS_STATISTICS_CHANGEPOINT_PEERS_H

#include <stddef.h>

typedef size_t (*changepoint_method)(const double *values, size_t count, size_t *found);

/* Matteson & James (2014), with the t-test of Fleming et al., "Hunter" (ICPE 2023), p <= 0.01, for
 * significance. */
size_t changepoints_e_divisive(const double *values, size_t count, size_t *found);

/*
 * The partition that PELT finds (Killick, Fearnhead & Eckley, JASA 107 (2012)): squared errors, the deviation
 * from the median absolute difference of neighbors, and a penalty of 2 log n deviations squared.
 */
size_t changepoints_pelt(const double *values, size_t count, size_t *found);

/* Absolute errors, and the number of steps for which log(error) + steps * 4 log(n) / n is least: asv's
 * choice. */
size_t changepoints_potts(const double *values, size_t count, size_t *found);

/* Welch's t of the ten values before against the ten behind, p <= 0.01 / n, the largest within ten places. */
size_t changepoints_windowed_t(const double *values, size_t count, size_t *found);

#endif
