/* SPDX-License-Identifier: MIT */
/*
 * The variable of the environment that names, separated by blanks, those that this program has set for
 * libraries (machine/settings.h) and not found set: who starts a program of the user's leaves them out.
 */
#ifndef BENCH_CORE_OWN_VARIABLES_H
#define BENCH_CORE_OWN_VARIABLES_H

#define BENCH_OWN_VARIABLES "BENCH_OWN_VARIABLES"

#endif
