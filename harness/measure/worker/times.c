#include "measure/worker/times.h"

#include <math.h>

int bench_worker_times_between(uint64_t start_ns, uint64_t end_ns, double *seconds, struct bench_error *error)
{
	*seconds = 0;
	if (end_ns < start_ns)
		return bench_fail(error, BENCH_FAILED,
				  "the clock went back by %.3g s during a call (CLOCK_MONOTONIC_RAW, which "
				  "never should): its times are worth nothing",
				  (double)(start_ns - end_ns) * 1e-9);
	*seconds = (double)(end_ns - start_ns) * 1e-9;
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
