/* What a gate would see, as bench_power has counted it: rendered, and drawn. */
#ifndef BENCH_REPORT_POWER_H
#define BENCH_REPORT_POWER_H

#include "compare/power.h"
#include "report/report.h"

/* A row a slowdown, then a row a case. JSON is "bench-power/1", described in docs/power.md. */
void bench_report_power(const struct bench_power *power, const struct bench_report_options *options,
			struct bench_text *out);

/*
 * Draws how many of the cases are found over the slowdown, with the interval; beside it a line a case, where
 * they are few enough. BENCH_NOTHING where nothing was compared.
 */
int bench_plot_power(const struct bench_power *power, const char *output, struct bench_error *error);

#endif
