/* SPDX-License-Identifier: MIT */
/* The turn of this process to measure on this machine (machine/turn.h). */
#ifndef BENCH_APP_TURN_H
#define BENCH_APP_TURN_H

#include "app/host.h"

#define BENCH_APP_NO_TURN (-1.0) /* nothing is measured */

/*
 * Takes the turn, which this process then keeps; a second call does nothing. Waits for other
 * processes for at most `wait` seconds (INFINITY: as long as it takes), and tells the host for whom.
 * BENCH_ENVIRONMENT when they are over, or if the line cannot be used. `wait` 0: it does not wait, and only
 * warns of who measures beside. *waited: seconds.
 */
int bench_app_turn_take(double wait, const char *command, const struct bench_app_host *host, double *waited,
			struct bench_error *error);
/* Gives it back, if this process has it. */
void bench_app_turn_leave(void);

#endif
