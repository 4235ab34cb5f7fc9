/* SPDX-License-Identifier: MIT */
#include "machine/profile.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "machine/symbols.h"

#define MOST_SAMPLES     4096
#define MOST_FUNCTIONS   512
#define INTERVAL_SECONDS 1e-3 /* at most: the kernel's tick is longer */

static uintptr_t places[MOST_SAMPLES];
static atomic_size_t taken;

#if defined __x86_64__
#define PLACE(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RIP])
#elif defined __aarch64__
#define PLACE(context) ((uintptr_t)(context)->uc_mcontext.pc)
#endif

#ifdef PLACE
static void on_tick(int number, siginfo_t *info, void *context)
{
	size_t at = atomic_fetch_add(&taken, 1);
	(void)number;
	(void)info;
	if (at < MOST_SAMPLES)
		places[at] = PLACE((const ucontext_t *)context);
}

bool bench_machine_profile_start(void)
{
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
	const struct itimerval every = {.it_interval.tv_usec = (long)(1e6 * INTERVAL_SECONDS),
					.it_value.tv_usec = (long)(1e6 * INTERVAL_SECONDS)};
	atomic_store(&taken, 0);
	if (sigaction(SIGPROF, NULL, &before) != 0 ||
	    (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && before.sa_sigaction != on_tick))
		return false;
	return sigaction(SIGPROF, &action, NULL) == 0 && setitimer(ITIMER_PROF, &every, NULL) == 0;
}
#else
bool bench_machine_profile_start(void)
{
	return false;
}
#endif

/* The handler stays: a signal may still be on its way. */
void bench_machine_profile_stop(void)
{
	const struct itimerval none = {0};
	setitimer(ITIMER_PROF, &none, NULL);
}

static int by_address(const void *left, const void *right)
{
	uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
	return a < b ? -1 : a > b;
}

static int by_count(const void *left, const void *right)
{
	const struct bench_profile_function *a = left, *b = right;
	return a->count > b->count ? -1 : a->count < b->count ? 1 : strcmp(a->name, b->name);
}

static void add(struct bench_profile_function *all, size_t *count, const struct bench_profile_function *one)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(all[i].name, one->name) == 0 && strcmp(all[i].file, one->file) == 0) {
			all[i].count += one->count;
			return;
		}
	if (*count < MOST_FUNCTIONS)
		all[(*count)++] = *one;
}

size_t bench_machine_profile_read(struct bench_profile_function *functions, size_t most, size_t *samples)
{
	struct bench_profile_function *all = calloc(MOST_FUNCTIONS, sizeof(*all));
	size_t count = 0, stored = atomic_load(&taken);
	*samples = stored = stored < MOST_SAMPLES ? stored : MOST_SAMPLES;
	if (!all)
		return 0;
	qsort(places, stored, sizeof(places[0]), by_address);
	for (size_t i = 0, next; i < stored; i = next) {
		struct bench_profile_function one = {0};
		for (next = i + 1; next < stored && places[next] == places[i]; next++)
			;
		one.count = next - i;
		bench_machine_symbols_name(places[i], one.name, sizeof(one.name), one.file, sizeof(one.file));
		add(all, &count, &one);
	}
	qsort(all, count, sizeof(*all), by_count);
	count = count < most ? count : most;
	memcpy(functions, all, count * sizeof(*all));
	free(all);
	return count;
}
