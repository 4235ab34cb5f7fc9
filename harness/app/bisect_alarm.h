/* SPDX-License-Identifier: MIT */
/* One alarm, as bisect and why ask it: it gives them their commits and cases, and keeps their answers. */
#ifndef BENCH_APP_BISECT_ALARM_H
#define BENCH_APP_BISECT_ALARM_H

#include "store/store.h"

/* BENCH_USAGE lists the open alarms if the number is unknown; BENCH_NOTHING without a history.
 */
int bench_app_bisect_alarm_find(const char *db, int64_t id, struct bench_arena *arena,
				struct bench_alarm **alarm, struct bench_error *error);

/* The keys of the cases that it is about, ending with NULL. */
const char **bench_app_bisect_alarm_cases(const struct bench_alarm *alarm, struct bench_arena *arena);

/*
 * The command of the run that opened it, in `arena`; "": the history does not have that run. As
 * bench_app_bisect_alarm_find.
 */
int bench_app_bisect_alarm_command(const char *db, int64_t id, struct bench_arena *arena, char **command,
				   struct bench_error *error);

/* Tells it the commit. It is read again first: somebody may have accepted it meanwhile. */
int bench_app_bisect_alarm_tell(const char *db, int64_t id, const char *commit, struct bench_error *error);

/* Keeps what `bench why` said of its largest change. */
int bench_app_bisect_alarm_explain(const char *db, int64_t id, const char *cause, struct bench_error *error);

/* The open alarm without a culprit between whose commits this one is; *id 0: there is none. */
int bench_app_bisect_alarm_around(const char *db, const char *repository, const char *commit, int64_t *id,
				  struct bench_error *error);

#endif
