/* SPDX-License-Identifier: MIT */
/* Where threads run: in this program, started again with libgomp told to bind; and what is recorded. */
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/pin.h"
#include "machine/settings.h"

#define BYTES (BENCH_PIN_SETS * sizeof(cpu_set_t))

static int processors(void)
{
	cpu_set_t mask[BENCH_PIN_SETS];
	memset(mask, 0, sizeof(mask));
	return sched_getaffinity(0, sizeof(mask), mask) == 0 ? CPU_COUNT_S(sizeof(mask), mask) : -1;
}

static void *count_processors(void *out)
{
	*(int *)out = processors();
	return NULL;
}

/* What a thread that is made now may use. */
static int processors_of_new_thread(void)
{
	pthread_t thread;
	int count = -1;
	if (pthread_create(&thread, NULL, count_processors, &count) == 0)
		pthread_join(thread, NULL);
	return count;
}

/* In a process that libgomp has bound: 0, or the number of the claim that does not hold. */
static int child(int all)
{
	struct bench_pin pin;
	cpu_set_t allowed[BENCH_PIN_SETS];
	int narrow = 0;
	if (processors() != 1 || processors_of_new_thread() != 1)
		return 1; /* it is as measure/pin.h says */
	bench_machine_pin_release(&pin);
	if (!pin.bound || processors() != all || processors_of_new_thread() != all)
		return 2;
#pragma omp parallel num_threads(all) reduction(+ : narrow)
	narrow += processors() == 1;
	if (narrow < all - 1)
		return 3; /* its own threads are bound all the same */
	bench_machine_pin_hold(&pin);
	if (processors() != 1)
		return 4;
	bench_machine_pin_allowed(allowed);
	return CPU_COUNT_S(sizeof(allowed), allowed) == all ? 0 : 5;
}

static int run_child(int all)
{
	char text[32];
	int status = -1;
	snprintf(text, sizeof(text), "%d", all);
	pid_t pid = fork();
	if (pid == 0) {
		setenv("OMP_PROC_BIND", "true", 1);
		setenv("OMP_PLACES", "threads", 1);
		execl("/proc/self/exe", "test_pin", text, (char *)NULL);
		_exit(99);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void threads_made_while_released_are_not_confined(void **state)
{
	(void)state;
	int all = processors();
	if (all < 2)
		skip(); /* with one processor nothing can be confined to less */
	if (getenv("OMP_THREAD_LIMIT"))
		skip(); /* there may be no pool of threads to look at, as under ThreadSanitizer */
	assert_int_equal(run_child(all), 0);
}

static void a_process_that_is_not_bound_is_left_alone(void **state)
{
	(void)state;
	struct bench_pin pin;
	int before = processors();
	if (omp_get_num_places() > 0)
		skip(); /* the tests themselves were started bound */
	bench_machine_pin_release(&pin);
	assert_false(pin.bound);
	assert_int_equal(processors(), before);
	bench_machine_pin_hold(&pin);
	assert_int_equal(processors(), before);
}

static const char *of(const struct bench_run *run, const char *name)
{
	return bench_record_attribute_get(run->host, run->host_count, name);
}

static const char *const names[] = {"OMP_PROC_BIND",           "OMP_PLACES",
				    "OMP_WAIT_POLICY",         "GOMP_SPINCOUNT",
				    "OPENBLAS_THREAD_TIMEOUT", "POCL_AFFINITY"};

static struct bench_run *apply(struct bench_settings settings)
{
	struct bench_environment environment = {0};
	struct bench_run *run = bench_record_new();
	bench_machine_settings_apply(&settings);
	bench_machine_settings_describe(&settings, &environment);
	bench_machine_environment_record(&environment, run);
	bench_machine_environment_free(&environment);
	return run;
}

static void unset_all(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static void settings_are_in_the_environment_and_in_the_record(void **state)
{
	(void)state;
	unset_all();
	struct bench_run *run = apply((struct bench_settings){.pin = true});
	assert_string_equal(of(run, "pin"), "yes");
	assert_string_equal(of(run, "cache"), "hot");
	assert_string_equal(of(run, "shuffle"), "yes");
	assert_string_equal(of(run, "env.OMP_PROC_BIND"), "true");
	assert_string_equal(of(run, "env.OMP_PLACES"), "threads");
	assert_string_equal(of(run, "env.OPENBLAS_THREAD_TIMEOUT"), "20");
	assert_string_equal(getenv("OMP_PROC_BIND"), "true");
	assert_string_equal(of(run, "env.OMP_NUM_THREADS"), "");
	assert_non_null(strstr(of(run, "env"), "OMP_* "));
	assert_non_null(strstr(of(run, "env"), " OPENBLAS_* "));
	assert_true(atoi(of(run, "processors_allowed")) > 0);
	struct bench_settings read = bench_machine_settings_of(run);
	assert_true(read.pin && !read.cold && !read.in_order);
	bench_record_free(run);

	unset_all();
	run = apply((struct bench_settings){.cold = true, .in_order = true, .energy = true});
	assert_string_equal(of(run, "pin"), "no");
	assert_string_equal(of(run, "cache"), "cold");
	assert_string_equal(of(run, "shuffle"), "no");
	assert_null(getenv("OMP_PROC_BIND"));
	assert_string_equal(getenv("POCL_AFFINITY"), "0");
	assert_string_equal(getenv("OPENBLAS_THREAD_TIMEOUT"), "20");
	read = bench_machine_settings_of(run);
	assert_true(!read.pin && read.cold && read.in_order && read.energy && !read.counters);
	bench_record_free(run);
	unset_all();
}

static void what_the_user_has_set_stays_and_is_recorded(void **state)
{
	(void)state;
	unset_all();
	setenv("OMP_PROC_BIND", "false", 1);
	setenv("OMP_WAIT_POLICY", "passive", 1);
	setenv("OPENBLAS_THREAD_TIMEOUT", "8", 1);
	setenv("POCL_AFFINITY", "1", 1);
	char long_value[600] = "";
	memset(long_value, 'x', sizeof(long_value) - 1);
	setenv("OMP_PLACES", long_value, 1);
	struct bench_run *run = apply((struct bench_settings){.pin = true});
	assert_string_equal(of(run, "env.OMP_PROC_BIND"), "false");
	assert_string_equal(of(run, "env.OPENBLAS_THREAD_TIMEOUT"), "8");
	assert_null(getenv("GOMP_SPINCOUNT"));
	assert_non_null(strstr(of(run, "env.OMP_PLACES"), "xxx... (599 bytes, hash "));
	bench_record_free(run);
	run = apply((struct bench_settings){0});
	assert_string_equal(of(run, "env.POCL_AFFINITY"), "1");
	bench_record_free(run);
	unset_all();
}

static void a_record_that_does_not_say_was_hot_shuffled_and_not_pinned(void **state)
{
	(void)state;
	struct bench_run *run = bench_record_new();
	struct bench_settings read = bench_machine_settings_of(run);
	assert_false(read.pin || read.cold || read.in_order);
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return child(atoi(argv[1]));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_made_while_released_are_not_confined),
		cmocka_unit_test(a_process_that_is_not_bound_is_left_alone),
		cmocka_unit_test(settings_are_in_the_environment_and_in_the_record),
		cmocka_unit_test(what_the_user_has_set_stays_and_is_recorded),
		cmocka_unit_test(a_record_that_does_not_say_was_hot_shuffled_and_not_pinned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
