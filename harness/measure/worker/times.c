/* SPDX-License-Identifier: MIT */
#include "measure/worker/times.h"

#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

double bench_worker_times_witness(void)
{
	struct timespec now = {0};
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int bench_worker_times_between(uint64_t start_ns, uint64_t end_ns, double witnessed_seconds, double *seconds,
			       struct bench_error *error)
{
	*seconds = 0;
	if (end_ns < start_ns)
		return bench_fail(
			error, BENCH_FAILED,
			"the clock went back by %.3g s during a call: CLOCK_MONOTONIC_RAW is set by "
			"something on this machine",
			(double)(start_ns - end_ns) * 1e-9);
	*seconds = (double)(end_ns - start_ns) * 1e-9;
	if (*seconds > (1 + BENCH_TIMES_SLEW) * witnessed_seconds + BENCH_TIMES_LEAST_SECONDS)
		return bench_fail(error, BENCH_FAILED,
				  "the clock leapt: CLOCK_MONOTONIC_RAW says that a call took %.3g s, and "
				  "CLOCK_MONOTONIC %.3g s at most",
				  *seconds, witnessed_seconds);
	return 0;
}

bool bench_worker_times_is_possible(double seconds)
{
	return isfinite(seconds) && seconds > 0;
}

bool bench_worker_times_is_within(double device_seconds, double seconds)
{
	return bench_worker_times_is_possible(device_seconds) &&
	       device_seconds <= seconds * (1 + BENCH_TIMES_DRIFT) + BENCH_TIMES_DEVICE_TICK_SECONDS;
}
