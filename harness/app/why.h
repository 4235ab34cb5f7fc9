/* SPDX-License-Identifier: MIT */
/* What differs between the two sides of a duel without being measured: facts for `bench why`. */
#ifndef BENCH_APP_WHY_H
#define BENCH_APP_WHY_H

#include "app/duel.h"
#include "compare/why.h"

/*
 * Adds to each case of the run: what differs in the compiled kernels; what differs in the kernels, commands
 * and plug-ins of the sides, in their environments and in their versions; and which share of the instructions
 * of the hottest function that explains is vector instructions, where both sides have it and objdump is
 * there.
 */
void bench_app_why_facts(struct bench_whys *whys, const struct bench_run *run,
			 const struct bench_duel *sides);

#endif
