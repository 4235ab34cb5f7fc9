/* SPDX-License-Identifier: MIT */
/* What the files of the gate share. */
#ifndef BENCH_APP_GATE_INTERNAL_H
#define BENCH_APP_GATE_INTERNAL_H

#include "app/gate.h"

#define APP_GATE_FIRST_SHARE 0.6 /* of the budget is for the run, the rest for the second look */

/* Seconds since the gate began. */
double app_gate_seconds(const struct bench_app_gate *gate);
/* Notes what keeps the gate from judging all, after the words of `what`. The first trouble counts. */
void app_gate_trouble(struct bench_app_gate *gate, const char *what, const struct bench_error *error);

/* Is the other side an executable? */
bool app_gate_in_turns(const struct bench_app_gate *gate);
bool app_gate_is_rolling(const struct bench_app_gate *gate);
/* Both baselines, and whether they can be compared with at all, before time is spent. */
int app_gate_prepare_history(struct bench_app_gate *gate, struct bench_error *error);
int app_gate_compare(const struct bench_app_gate *gate, const struct bench_run *run,
		     struct bench_comparison **comparison, struct bench_error *error);

/* Asks both executables what they have, before time is spent. */
int app_gate_meet(struct bench_app_gate *gate, const char *base, struct bench_error *error);
/* Makes a run one of both executables. */
int app_gate_enter(struct bench_app_gate *gate, struct bench_app_measure *measure, struct bench_error *error);
/* The anchor, and what it has. One that cannot be started any more is replaced, as in the first night. */
int app_gate_prepare_anchor(struct bench_app_gate *gate, struct bench_error *error);

/* The second look; the verdicts are final then. */
void app_gate_confirm(struct bench_app_gate *gate);

/* Drift from the fixed baseline, if there is one. */
void app_gate_compare_with_reference(struct bench_app_gate *gate);
/* Level shifts of the nights together. */
void app_gate_look_back(struct bench_app_gate *gate);
/* Opens, follows and closes alarms. */
void app_gate_follow_alarms(struct bench_app_gate *gate);

#endif
