/* SPDX-License-Identifier: MIT */
/* Is this machine fit to measure, and is the history? */
#ifndef BENCH_APP_DOCTOR_H
#define BENCH_APP_DOCTOR_H

#include "app/measure.h"
#include "machine/fitness/fitness.h"

/* Looks at everything; *fitness is the caller's. -1 where there was nothing to look at. */
int bench_app_doctor(const struct bench_app_places *places, struct bench_fitness *fitness,
		     struct bench_error *error);

#endif
