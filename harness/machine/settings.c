#include "machine/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/text.h"
#include "machine/pin.h"

/* Environment variables that decide what threads do, some of which are set below: they are recorded. */
static const char *const of_threads[] = {"OMP_PROC_BIND",
					 "OMP_PLACES",
					 "OMP_WAIT_POLICY",
					 "GOMP_SPINCOUNT",
					 "OPENBLAS_THREAD_TIMEOUT",
					 "POCL_AFFINITY",
					 "OMP_NUM_THREADS",
					 "OMP_DYNAMIC",
					 "OMP_SCHEDULE",
					 "GOMP_CPU_AFFINITY",
					 "OPENBLAS_NUM_THREADS",
					 "GOTO_NUM_THREADS",
					 "POCL_MAX_PTHREAD_COUNT"};

/*
 * Those that choose a library's kernels, or the library. They are recorded as this process got them: what the
 * user has not set, a backend may set for itself.
 */
static const char *const of_libraries[] = {"OPENBLAS_CORETYPE",
					   "OPENBLAS_L2_SIZE",
					   "ONEDNN_MAX_CPU_ISA",
					   "DNNL_MAX_CPU_ISA",
					   "ONEDNN_DEFAULT_FPMATH_MODE",
					   "DNNL_DEFAULT_FPMATH_MODE",
					   "POCL_WORK_GROUP_METHOD",
					   "BENCH_OPENCL_OPTIONS",
					   "NVIDIA_TF32_OVERRIDE",
					   "CUDA_VISIBLE_DEVICES",
					   "OCL_ICD_VENDORS",
					   "GLIBC_TUNABLES",
					   "LD_LIBRARY_PATH",
					   "LD_PRELOAD"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* A long value, such as a search path, is cut, and known by its hash. */
static void add_variable(struct bench_environment *environment, const char *name, const char *value)
{
	enum { MOST = 400 };
	char fact[64], text[MOST + 64];
	size_t length = strlen(value);
	snprintf(fact, sizeof(fact), "env.%s", name);
	snprintf(text, sizeof(text), "%.*s", MOST, value);
	if (length > MOST)
		snprintf(text + MOST, sizeof(text) - MOST, "... (%zu bytes, hash %016llx)", length,
			 (unsigned long long)bench_hash_bytes(BENCH_HASH_START, value, length));
	bench_machine_environment_add(environment, fact, text);
}

/* Those of libraries, from the environment that this process was started with. */
static void describe_given(struct bench_environment *environment)
{
	char *entry = NULL;
	size_t room = 0;
	FILE *file = fopen("/proc/self/environ", "re");
	if (!file)
		return;
	while (getdelim(&entry, &room, '\0', file) > 0) {
		char *value = strchr(entry, '=');
		if (!value)
			continue;
		*value++ = '\0';
		for (size_t i = 0; i < COUNT(of_libraries); i++)
			if (strcmp(entry, of_libraries[i]) == 0)
				add_variable(environment, entry, value);
	}
	free(entry);
	fclose(file);
}

/* "env" names all that were looked at, so that one that was not set can be told from one that nobody read. */
static void describe_variables(struct bench_environment *environment)
{
	struct bench_text names = {0};
	for (size_t i = 0; i < COUNT(of_threads); i++) {
		const char *value = getenv(of_threads[i]);
		bench_text_add(&names, "%s ", of_threads[i]);
		if (value)
			add_variable(environment, of_threads[i], value);
	}
	describe_given(environment);
	for (size_t i = 0; i < COUNT(of_libraries); i++)
		bench_text_add(&names, "%s%s", of_libraries[i], i + 1 < COUNT(of_libraries) ? " " : "");
	bench_machine_environment_add(environment, "env", names.data);
	bench_text_free(&names);
}

void bench_machine_settings_describe(const struct bench_settings *settings,
				     struct bench_environment *environment)
{
	bench_machine_environment_add(environment, "pin", settings->pin ? "yes" : "no");
	bench_machine_environment_add(environment, "cache", settings->cold ? "cold" : "hot");
	bench_machine_environment_add(environment, "shuffle", settings->in_order ? "no" : "yes");
	bench_machine_environment_add(environment, "watch", settings->unwatched ? "no" : "yes");
	describe_variables(environment);
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
