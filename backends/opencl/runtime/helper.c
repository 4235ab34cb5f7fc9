/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/helper.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

/*
 * Turns of waiting, some 10 to 40 ns each, before it sleeps: longer than from one launch to the next, shorter
 * than what others would notice of a processor that is taken.
 */
#define TURNS 10000

/* Turns after which the caller, done with its own part, gives way to other threads at each. */
#define YIELDS_AFTER 1000

/* Times that it was asked for before its next trial. */
#define ASKED 8

/*
 * Nanoseconds from one such trial to the next, at least: twice as many each time that it slept again before
 * it was of use, up to the second number. A pause is also PAUSE_LOST times the time lost by it, at least: no
 * more than a hundredth of the time is lost.
 */
#define PAUSE      20000
#define PAUSE_MOST 2000000
#define PAUSE_LOST 100

/*
 * Is it of use? An exchange between two processors takes a few hundred nanoseconds if they share a cache, and
 * several thousand if not. On a virtual machine that changes by the minute. So each wake-up starts a trial,
 * and another follows after TRIAL_EACH launches with it. The caller launches both parts TRIAL_HALF times
 * alone, then as often with it; the first of each does not count. Two launches instead of one cost the caller
 * LAUNCH nanoseconds more.
 */
#define TRIAL_EACH 1000
#define TRIAL_HALF 5
#define LAUNCH     450

/*
 * Nanoseconds in which the caller was done with both parts before a helper that seemed awake took one, or
 * waited for one that was taken: it has no processor.
 */
#define LATE 200000

enum state { ASLEEP, READY, POSTED, TAKEN, ENDING };

struct bench_opencl_helper {
	struct bench_device *caller;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t woken;
	/*
	 * By the caller: ASLEEP to READY, READY to POSTED, ASLEEP or back to READY, ASLEEP or READY to
	 * ENDING. By the thread: READY to ASLEEP, POSTED to TAKEN, TAKEN to READY.
	 */
	_Atomic enum state state;
	cpu_set_t allowed;                   /* the processors that it may use; none: not known */
	int callers_processor;               /* when it was woken last */
	int avoided;                         /* by the thread alone: it may use all others; -1: all */
	cl_command_queue plain, profiling;   /* profiling: made at its first use, else NULL */
	unsigned asked;                      /* since it was woken last */
	bool useful;                         /* likewise: by its last trial */
	unsigned tried, served;              /* launches of a trial so far; with it since the last one */
	uint64_t alone, both;                /* ns of those that count */
	uint64_t pause, wake_at, late_since; /* ns; late_since 0: it is not late */
	/* What is posted, and its outcome. */
	struct bench_opencl_kernel *kernel;
	const struct bench_opencl_launch *launch;
	cl_command_queue queue;
	cl_event *event;
	struct bench_opencl_enqueued enqueued;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool change(struct bench_opencl_helper *helper, enum state from, enum state to)
{
	return atomic_compare_exchange_strong(&helper->state, &from, to);
}

static void run(struct bench_opencl_helper *helper)
{
	helper->enqueued = bench_opencl_enqueue(helper->caller, helper->kernel, helper->launch, helper->queue,
						helper->event);
	if (helper->enqueued.status != CL_SUCCESS)
		return;
	helper->enqueued.status = clFinish(helper->queue);
	helper->enqueued.call = "clFinish";
}

/* The scheduler may wake it on the processor of the caller, who does not give way, and leave it there. */
static void avoid(struct bench_opencl_helper *helper, int processor)
{
	cpu_set_t others = helper->allowed;
	if (processor == helper->avoided || processor < 0 || processor >= CPU_SETSIZE)
		return;
	CPU_CLR((size_t)processor, &others);
	helper->avoided = processor;
	if (CPU_COUNT(&others))
		sched_setaffinity(0, sizeof(others), &others);
}

static void sleep_until_woken(struct bench_opencl_helper *helper)
{
	pthread_mutex_lock(&helper->mutex);
	while (atomic_load(&helper->state) == ASLEEP)
		pthread_cond_wait(&helper->woken, &helper->mutex);
	const int callers = helper->callers_processor;
	pthread_mutex_unlock(&helper->mutex);
	avoid(helper, callers);
}

static void *help(void *data)
{
	struct bench_opencl_helper *helper = data;
	unsigned waited = 0;
	for (;;) {
		const enum state state = atomic_load_explicit(&helper->state, memory_order_acquire);
		if (state == ENDING)
			return NULL;
		if (state == POSTED && change(helper, POSTED, TAKEN)) {
			run(helper);
			atomic_store(&helper->state, READY);
			waited = 0;
		} else if (state == ASLEEP) {
			sleep_until_woken(helper);
			waited = 0;
		} else if (++waited > TURNS) {
			change(helper, READY, ASLEEP);
		} else {
			relax();
		}
	}
}

/* What it has but the thread. */
static void drop(struct bench_opencl_helper *helper)
{
	if (helper->profiling)
		clReleaseCommandQueue(helper->profiling);
	if (helper->plain)
		clReleaseCommandQueue(helper->plain);
	pthread_cond_destroy(&helper->woken);
	pthread_mutex_destroy(&helper->mutex);
	free(helper);
}

/* Signals are for the program's own threads. */
static int start(struct bench_opencl_helper *helper)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int status = pthread_create(&helper->thread, NULL, help, helper);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

int bench_opencl_helper_open(struct bench_device *caller, struct bench_error *error)
{
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		CPU_ZERO(&allowed);
	if (CPU_COUNT(&allowed) == 1)
		return 0;
	struct bench_opencl_helper *helper = calloc(1, sizeof(*helper));
	if (!helper)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a thread's record");
	helper->allowed = allowed;
	helper->avoided = -1;
	helper->caller = caller;
	helper->pause = PAUSE;
	helper->tried = 2 * TRIAL_HALF;
	pthread_mutex_init(&helper->mutex, NULL);
	pthread_cond_init(&helper->woken, NULL);
	if (bench_opencl_make_queue(caller, 0, "of the second thread", &helper->plain, error) != 0)
		goto failed;
	const int status = start(helper);
	if (status != 0) {
		bench_fail(error, BENCH_NO_MEMORY, "no second thread for short work of device %s: %s",
			   caller->info.slug, strerror(status));
		goto failed;
	}
	caller->helper = helper;
	return 0;
failed:
	drop(helper);
	return -1;
}

void bench_opencl_helper_close(struct bench_opencl_helper *helper)
{
	if (!helper)
		return;
	pthread_mutex_lock(&helper->mutex);
	atomic_store(&helper->state, ENDING);
	pthread_cond_signal(&helper->woken);
	pthread_mutex_unlock(&helper->mutex);
	pthread_join(helper->thread, NULL);
	drop(helper);
}

static void start_trial(struct bench_opencl_helper *helper)
{
	helper->tried = helper->served = 0;
	helper->alone = helper->both = 0;
}

bool bench_opencl_helper_ready(struct bench_opencl_helper *helper)
{
	if (!helper)
		return false;
	if (atomic_load_explicit(&helper->state, memory_order_relaxed) == READY || helper->tried < TRIAL_HALF)
		return true;
	if (++helper->asked < ASKED)
		return false;
	const uint64_t now = bench_clock_real.now_ns(NULL);
	if (now < helper->wake_at)
		return false;
	if (helper->useful || !helper->wake_at)
		helper->pause = PAUSE;
	else if (helper->pause < PAUSE_MOST)
		helper->pause *= 2;
	helper->wake_at = now + helper->pause;
	helper->asked = 0;
	helper->useful = false;
	start_trial(helper);
	helper->late_since = 0;
	return true;
}

void bench_opencl_helper_rest(struct bench_opencl_helper *helper)
{
	if (!helper)
		return;
	helper->tried = 2 * TRIAL_HALF;
	if (atomic_load_explicit(&helper->state, memory_order_relaxed) == READY)
		change(helper, READY, ASLEEP);
}

static cl_command_queue queue_of(struct bench_opencl_helper *helper, bool timing)
{
	if (!timing)
		return helper->plain;
	if (!helper->profiling)
		bench_opencl_make_queue(helper->caller, CL_QUEUE_PROFILING_ENABLE, "with profiling",
					&helper->profiling, NULL);
	return helper->profiling;
}

/* It is of no use for now: it cost the caller `lost` nanoseconds. */
static void give_up(struct bench_opencl_helper *helper, uint64_t lost)
{
	const uint64_t until = bench_clock_real.now_ns(NULL) + lost * PAUSE_LOST;
	helper->useful = false;
	helper->wake_at = until > helper->wake_at ? until : helper->wake_at;
	bench_opencl_helper_rest(helper);
}

static void note_late(struct bench_opencl_helper *helper)
{
	const uint64_t now = bench_clock_real.now_ns(NULL);
	if (!helper->late_since)
		helper->late_since = now;
	else if (now - helper->late_since > LATE)
		give_up(helper,
			(now - helper->late_since) / 2); /* at most: two threads would have been done */
}

/* A thread that has its part, and lost its processor, may need this one. */
static void wait_for(struct bench_opencl_helper *helper)
{
	uint64_t start = 0;
	for (unsigned waited = 0; atomic_load_explicit(&helper->state, memory_order_acquire) == TAKEN;
	     waited++)
		if (waited < YIELDS_AFTER) {
			relax();
		} else {
			start = start ? start : bench_clock_real.now_ns(NULL);
			sched_yield();
		}
	const uint64_t lost = start ? bench_clock_real.now_ns(NULL) - start : 0;
	if (lost > LATE)
		give_up(helper, lost);
}

static void wake(struct bench_opencl_helper *helper)
{
	pthread_mutex_lock(&helper->mutex);
	change(helper, ASLEEP, READY);
	helper->callers_processor = sched_getcpu();
	pthread_cond_signal(&helper->woken);
	pthread_mutex_unlock(&helper->mutex);
}

/* A launch of a trial took so long, which the last one decides. */
static void judge(struct bench_opencl_helper *helper, uint64_t took)
{
	if (helper->tried % TRIAL_HALF)
		*(helper->tried < TRIAL_HALF ? &helper->alone : &helper->both) += took;
	if (++helper->tried == TRIAL_HALF)
		wake(helper);
	if (helper->tried < 2 * TRIAL_HALF)
		return;
	const uint64_t both = helper->both + (uint64_t)(TRIAL_HALF - 1) * LAUNCH;
	helper->useful = both < helper->alone;
	if (!helper->useful)
		give_up(helper, both - helper->alone + (uint64_t)TRIAL_HALF * LAUNCH);
}

/*
 * PoCL 3.1 compiles a kernel again for each launch that is larger than those before, and counts the users of
 * each copy. Where two threads use two copies, it counts down the wrong one and fails an assertion. So both
 * parts have one size, and the caller alone makes a kernel's first launch.
 */
static bool may_run_together(const struct bench_opencl_helper *helper,
			     const struct bench_opencl_kernel *kernel, const struct bench_opencl_launch *mine)
{
	const struct bench_opencl_launch *other = helper->launch;
	return kernel->launched && helper->kernel && helper->queue &&
	       memcmp(mine->global, other->global, sizeof(mine->global)) == 0 &&
	       memcmp(mine->local, other->local, sizeof(mine->local)) == 0;
}

/* A part that the other thread did not take is the caller's as well. */
struct bench_opencl_enqueued bench_opencl_helper_run(struct bench_opencl_helper *helper,
						     struct bench_opencl_kernel *kernel,
						     const struct bench_opencl_launch *mine,
						     const struct bench_opencl_launch *other,
						     cl_command_queue queue, cl_event *events)
{
	const struct bench_device *caller = helper->caller;
	helper->kernel = bench_opencl_kernel_twin(kernel);
	helper->launch = other;
	helper->queue = queue_of(helper, events != NULL);
	helper->event = events ? &events[1] : NULL;
	if (helper->served == TRIAL_EACH)
		start_trial(helper);
	const bool trial = helper->tried < 2 * TRIAL_HALF, alone = helper->tried < TRIAL_HALF;
	const uint64_t start = trial ? bench_clock_real.now_ns(NULL) : 0;
	const bool posted = !alone && may_run_together(helper, kernel, mine) && change(helper, READY, POSTED);
	struct bench_opencl_enqueued done = bench_opencl_enqueue(caller, kernel, mine, queue, events);
	const bool taken = posted && !change(helper, POSTED, READY);
	if (!taken && done.status == CL_SUCCESS)
		done = bench_opencl_enqueue(caller, kernel, helper->launch, queue, helper->event);
	if (done.status == CL_SUCCESS) {
		done.status = clFinish(queue);
		done.call = "clFinish";
	}
	if (taken) {
		helper->late_since = 0;
		helper->served++;
		wait_for(helper);
		done = done.status == CL_SUCCESS ? helper->enqueued : done;
	} else if (posted) {
		note_late(helper);
	}
	if (trial && (alone || taken))
		judge(helper, bench_clock_real.now_ns(NULL) - start);
	return done;
}
