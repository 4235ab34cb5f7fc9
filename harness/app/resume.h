/* SPDX-License-Identifier: MIT */
/* bench run --resume: a run that was cut short is measured to its end. */
#ifndef BENCH_APP_RESUME_H
#define BENCH_APP_RESUME_H

#include "app/measure.h"

/*
 * In place of bench_app_measure_plan, for the run that `text` names, its id or its folder: the plan that its
 * record asks for, on the machine that measured it and by the program that did. Of the request only places,
 * no_store, overrides, time_limit and budget_seconds (what is still to be spent) are read. BENCH_NOTHING
 * where there is no such run, or nothing of it left to measure; BENCH_ENVIRONMENT naming what is not as it
 * was.
 */
int bench_app_resume_plan(struct bench_app_measure *measure, const struct bench_app_request *request,
			  const struct bench_app_host *host, const char *text, struct bench_error *error);

/* In place of bench_app_measure_open: the history, which must not have the run, and the run's folder. */
int bench_app_resume_open(struct bench_app_measure *measure, struct bench_error *error);

#endif
