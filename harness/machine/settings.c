#include "machine/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/pin.h"

/* Environment variables that decide what threads do: they are recorded. */
static const char *const variables[] = {"OMP_PROC_BIND",           "OMP_PLACES",
					"OMP_WAIT_POLICY",         "GOMP_SPINCOUNT",
					"OPENBLAS_THREAD_TIMEOUT", "POCL_AFFINITY"};

/*
 * GCC's OpenMP threads spin for milliseconds between parallel loops, on the cores that OpenBLAS's threads
 * need for a product in between: a layer of both took 4 ms instead of 0.2. With a few microseconds of
 * spinning, loops in a row are as fast as before. OpenBLAS's threads spin for 2^26 cycles after a call, and
 * what comes next waits for them; 2^20 cycles are half a millisecond. Libraries read both variables when they
 * are loaded, so they must be set before a worker starts.
 */
static void limit_spinning(void)
{
	if (!getenv("OMP_WAIT_POLICY"))
		setenv("GOMP_SPINCOUNT", "2000", 0);
	setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
}

/* May this process use all processors of the machine? */
static bool has_whole_machine(void)
{
	cpu_set_t allowed[BENCH_PIN_SETS];
	bench_machine_pin_allowed(allowed);
	return CPU_COUNT_S(sizeof(allowed), allowed) >= sysconf(_SC_NPROCESSORS_ONLN);
}

static void pin_threads(bool pin)
{
	if (pin) {
		setenv("OMP_PROC_BIND", "true", 0);
		setenv("OMP_PLACES", "threads", 0);
	}
	/* The OpenCL backend has PoCL pin its threads. PoCL counts processors from 0, allowed or not. */
	if (!pin || !has_whole_machine())
		setenv("POCL_AFFINITY", "0", 0);
}

void bench_machine_settings_apply(const struct bench_settings *settings)
{
	struct bench_pin pin;
	limit_spinning();
	/* Where the user has set OMP_PROC_BIND, this thread is bound, and workers would inherit that. */
	bench_machine_pin_release(&pin);
	pin_threads(settings->pin);
}

void bench_machine_settings_describe(const struct bench_settings *settings,
				     struct bench_environment *environment)
{
	bench_machine_environment_add(environment, "pin", settings->pin ? "yes" : "no");
	bench_machine_environment_add(environment, "cache", settings->cold ? "cold" : "hot");
	bench_machine_environment_add(environment, "shuffle", settings->in_order ? "no" : "yes");
	bench_machine_environment_add(environment, "watch", settings->unwatched ? "no" : "yes");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		char name[64];
		const char *value = getenv(variables[i]);
		snprintf(name, sizeof(name), "env.%s", variables[i]);
		if (value)
			bench_machine_environment_add(environment, name, value);
	}
}

struct bench_settings bench_machine_settings_of(const struct bench_run *run)
{
	const char *pin = bench_record_attribute_get(run->host, run->host_count, "pin"),
		   *cache = bench_record_attribute_get(run->host, run->host_count, "cache"),
		   *shuffle = bench_record_attribute_get(run->host, run->host_count, "shuffle"),
		   *watch = bench_record_attribute_get(run->host, run->host_count, "watch");
	return (struct bench_settings){.pin = strcmp(pin, "yes") == 0,
				       .cold = strcmp(cache, "cold") == 0,
				       .in_order = strcmp(shuffle, "no") == 0,
				       .unwatched = strcmp(watch, "no") == 0};
}
