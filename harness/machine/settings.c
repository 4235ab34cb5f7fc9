/* SPDX-License-Identifier: MIT */
#include "machine/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/own_variables.h"
#include "core/text.h"
#include "machine/pin.h"

/*
 * The environment variables that libraries and this program read and that may change a result; "*": all that
 * begin so. They are recorded as this process got them: what the user has not set, a backend may set for
 * itself.
 */
static const char *const variables[] = {
	"OMP_*",          "GOMP_*",         "KMP_*",         "OPENBLAS_*", "GOTO_*",
	"DNNL_*",         "ONEDNN_*",       "CLBLAST_*",     "POCL_*",     "OCL_*",
	"OPENCL_*",       "CUDA_*",         "NVIDIA_*",      "MALLOC_*",   "GLIBC_TUNABLES",
	"LD_*",           "BENCH_OPENCL_*", "BENCH_KERNELS", "CL_*",       "BENCH_PROGRAM_CACHE",
	"BENCH_DATA_DIR", "TBB_*",          "HSA_*",         "ROCR_*",     "ROC_*",
	"AMD_*",          "GPU_*",          "HIP_*",         "IGC_*",      "NEO*",
	"ZE_*",           "MESA_*",         "GALLIUM_*",     "LP_*",       "RUSTICL_*",
};

/* Some of them that are set below, or that a library cuts: they are recorded as this process has them. */
static const char *const own[] = {"OMP_PROC_BIND",           "OMP_PLACES",    "GOMP_SPINCOUNT",
				  "OPENBLAS_THREAD_TIMEOUT", "POCL_AFFINITY", "OCL_ICD_FILENAMES"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sets a variable that the user has not set, and says that it did. */
static void give(const char *name, const char *value)
{
	BENCH_SCOPED_TEXT list = {0};
	const char *before = getenv(BENCH_OWN_VARIABLES);
	if (getenv(name))
		return;
	bench_text_add(&list, "%s%s%s", before ? before : "", before ? " " : "", name);
	setenv(name, value, 1);
	setenv(BENCH_OWN_VARIABLES, list.data, 1);
}

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
		give("GOMP_SPINCOUNT", "2000");
	give("OPENBLAS_THREAD_TIMEOUT", "20");
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
		give("OMP_PROC_BIND", "true");
		give("OMP_PLACES", "threads");
	}
	/* The OpenCL backend has PoCL pin its threads. PoCL counts processors from 0, allowed or not. */
	if (!pin || !has_whole_machine())
		give("POCL_AFFINITY", "0");
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
	char fact[128], text[MOST + 64];
	size_t length = strlen(value);
	snprintf(fact, sizeof(fact), "env.%.100s", name);
	snprintf(text, sizeof(text), "%.*s", MOST, value);
	if (length > MOST)
		snprintf(text + MOST, sizeof(text) - MOST, "... (%zu bytes, hash %016llx)", length,
			 (unsigned long long)bench_hash_bytes(BENCH_HASH_START, value, length));
	bench_machine_environment_add(environment, fact, text);
}

static bool is_looked_at(const char *name)
{
	for (size_t i = 0; i < COUNT(variables); i++)
		if (bench_text_match(variables[i], name))
			return true;
	return false;
}

/* Those that this process was started with. */
static void describe_given(struct bench_environment *environment)
{
	BENCH_SCOPED_MEMORY char *entry = NULL;
	size_t room = 0;
	BENCH_SCOPED_FILE *file = fopen("/proc/self/environ", "re");
	if (!file)
		return;
	while (getdelim(&entry, &room, '\0', file) > 0) {
		char *value = strchr(entry, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (is_looked_at(entry) && !BENCH_FIND(own, COUNT(own), entry))
			add_variable(environment, entry, value);
	}
}

/* "env" names all that were looked at, so that one that was not set can be told from one that nobody read. */
static void describe_variables(struct bench_environment *environment)
{
	BENCH_SCOPED_TEXT names = {0};
	for (size_t i = 0; i < COUNT(own); i++) {
		const char *value = getenv(own[i]);
		if (value)
			add_variable(environment, own[i], value);
	}
	describe_given(environment);
	for (size_t i = 0; i < COUNT(variables); i++)
		bench_text_add(&names, "%s%s", i ? " " : "", variables[i]);
	bench_machine_environment_add(environment, "env", names.data);
}

/* How many processors this process may use, of all that the machine has. */
static void describe_processors(struct bench_environment *environment)
{
	cpu_set_t allowed[BENCH_PIN_SETS];
	char text[32];
	bench_machine_pin_allowed(allowed);
	snprintf(text, sizeof(text), "%d", CPU_COUNT_S(sizeof(allowed), allowed));
	bench_machine_environment_add(environment, "processors_allowed", text);
}

void bench_machine_settings_describe(const struct bench_settings *settings,
				     struct bench_environment *environment)
{
	bench_machine_environment_add(environment, "pin", settings->pin ? "yes" : "no");
	bench_machine_environment_add(environment, "cache", settings->cold ? "cold" : "hot");
	bench_machine_environment_add(environment, "shuffle", settings->in_order ? "no" : "yes");
	bench_machine_environment_add(environment, "watch", settings->unwatched ? "no" : "yes");
	if (settings->counters)
		bench_machine_environment_add(environment, "counters", "yes");
	if (settings->energy)
		bench_machine_environment_add(environment, "energy", "yes");
	describe_processors(environment);
	describe_variables(environment);
}

struct bench_settings bench_machine_settings_of(const struct bench_run *run)
{
	const char *pin = bench_record_fact(run, "pin"), *cache = bench_record_fact(run, "cache"),
		   *shuffle = bench_record_fact(run, "shuffle"), *watch = bench_record_fact(run, "watch"),
		   *counters = bench_record_fact(run, "counters"), *energy = bench_record_fact(run, "energy");
	return (struct bench_settings){.pin = strcmp(pin, "yes") == 0,
				       .cold = strcmp(cache, "cold") == 0,
				       .counters = strcmp(counters, "yes") == 0,
				       .energy = strcmp(energy, "yes") == 0,
				       .in_order = strcmp(shuffle, "no") == 0,
				       .unwatched = strcmp(watch, "no") == 0};
}
