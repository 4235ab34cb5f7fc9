/* SPDX-License-Identifier: MIT */
/* Which cases of a plan are measured together, and which of them is the reference of others. */
#ifndef BENCH_PLAN_GROUPS_H
#define BENCH_PLAN_GROUPS_H

#include "plan/plan.h"

/* Bytes of the host's memory that cases may take: four fifths, so that the machine does not begin to swap. */
double bench_plan_host_bytes(void);
/* The group of the point's other variants that fits every target's memory with it, or a new one. */
size_t bench_plan_group_find(const struct bench_plan *plan, const struct bench_planned *point);
/* Finds the reference of each variant: the first choice of the suite's parameter, or its 0. */
void bench_plan_groups_refer(struct bench_plan *plan);

#endif
