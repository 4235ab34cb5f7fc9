/* SPDX-License-Identifier: MIT */
/*
 * How other tools judge a change: the tests that this project's gate is set beside. Values are times, of
 * which larger is worse; each says whether `candidate` is slower than `base`. Pure.
 */
#ifndef TESTS_STATISTICS_TEXTBOOK_H
#define TESTS_STATISTICS_TEXTBOOK_H

#include <stdbool.h>
#include <stddef.h>

struct textbook_sample {
	const double *values;
	size_t count;
};

/* The mean is more than 5% higher. */
bool textbook_fixed_threshold(struct textbook_sample base, struct textbook_sample candidate);
/* Wilcoxon-Mann-Whitney, two-sided p < 0.05, and the median is higher. */
bool textbook_rank_test(struct textbook_sample base, struct textbook_sample candidate);
/* Welch's t-test, two-sided p < 0.05, and the mean is higher. */
bool textbook_welch(struct textbook_sample base, struct textbook_sample candidate);

/* The two-sided p-value of Welch's test; two values a side or more. */
double textbook_welch_p(struct textbook_sample base, struct textbook_sample candidate);

/* Two-sided p-value of Student's t with `degrees` of freedom; exposed for its known answers. */
double textbook_student_p(double t, double degrees);

#endif
