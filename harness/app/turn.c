/* SPDX-License-Identifier: MIT */
#include "app/turn.h"

#include <stdio.h>
#include <time.h>

#include "core/clock.h"
#include "machine/turn.h"

#define POLL_NS      200000000L
#define TELL_SECONDS 60.0

static struct bench_turn turn = {.fd = -1};

/* "'bench gate' (pid 1234), which has measured for 65 s, and 2 more" */
static char *who(struct bench_arena *arena, const struct bench_turn_ahead *ahead)
{
	const int64_t seconds = (int64_t)time(NULL) - ahead->since;
	char more[48] = "";
	if (ahead->count > 1)
		snprintf(more, sizeof(more), ", and %zu more", ahead->count - 1);
	if (!ahead->pid)
		return bench_arena_format(arena, "a process that does not give its name%s", more);
	return bench_arena_format(arena, "'%s' (pid %ld), which has %s for %lld s%s", ahead->command,
				  (long)ahead->pid, ahead->measures ? "measured" : "waited",
				  (long long)(seconds > 0 ? seconds : 0), more);
}

static int wait_for_turn(double wait, const struct bench_app_host *host, double *waited,
			 struct bench_error *error)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	const double start = bench_clock_seconds();
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_turn_ahead ahead, told = {0};
	double told_at = 0;
	int result;
	while ((result = bench_machine_turn_try(&turn, wait == 0, &ahead, error)) == 0) {
		*waited = bench_clock_seconds() - start;
		if (*waited >= wait) {
			result = bench_fail(
				error, BENCH_ENVIRONMENT,
				"waited %.3g s, and the machine is not free: %s; nothing was measured",
				*waited, who(&arena, &ahead));
			break;
		}
		if (ahead.count != told.count || ahead.pid != told.pid || *waited - told_at >= TELL_SECONDS) {
			bench_app_note(host, "waiting for %s", who(&arena, &ahead));
			told = ahead;
			told_at = *waited;
		}
		nanosleep(&pause, NULL);
	}
	*waited = bench_clock_seconds() - start;
	if (result > 0 && told.count)
		bench_app_note(host, "the machine is free after %.0f s", *waited);
	else if (result > 0 && ahead.count)
		bench_app_warn(host, "another bench measures on this machine: %s; --wait yes waits for it",
			       who(&arena, &ahead));
	return result < 0 ? -1 : 0;
}

int bench_app_turn_take(double wait, const char *command, const struct bench_app_host *host, double *waited,
			struct bench_error *error)
{
	const char *file = host->turn && *host->turn ? host->turn : BENCH_TURN_FILE;
	struct bench_error cause;
	*waited = 0;
	if (turn.fd >= 0 || wait == BENCH_APP_NO_TURN)
		return 0;
	if (bench_machine_turn_join(file, command, &turn, &cause) == 0 &&
	    wait_for_turn(wait, host, waited, &cause) == 0)
		return 0;
	bench_machine_turn_leave(&turn);
	/* Who does not wait measures as before. */
	if (wait > 0)
		*error = cause;
	return wait > 0 ? -1 : 0;
}

void bench_app_turn_leave(void)
{
	bench_machine_turn_leave(&turn);
}
