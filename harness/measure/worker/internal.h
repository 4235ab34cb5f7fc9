/* SPDX-License-Identifier: MIT */
/* What the files of the worker share (worker.c, worker_events.c, worker_sampling.c, devices.c); not for
 * others. */
#ifndef BENCH_MEASURE_WORKER_INTERNAL_H
#define BENCH_MEASURE_WORKER_INTERNAL_H

#include "kit/counters.h"
#include "machine/observe.h"
#include "measure/worker/copies.h"
#include "measure/worker/flags.h"
#include "measure/worker/flush.h"
#include "measure/worker/sampler.h"
#include "measure/worker/watch.h"
#include "measure/worker/worker.h"
#include "record/event.h"

/* Observations of a case (observe.c). */
struct worker_observed {
	double before[BENCH_OBSERVED_KINDS], sums[BENCH_OBSERVED_KINDS];
	double began, seconds; /* of the segment; of all of them */
	uint64_t iterations;
};

struct worker_item {
	struct worker *worker;
	struct worker_case *active;
};

struct worker_case {
	const struct bench_job_case *job_case;
	struct bench_case bench_case;
	struct bench_event_sample
		*relatives; /* kept back until the first variant has passed its last check */
	size_t relative_count;
	struct bench_disturbance_flags flags;
	struct bench_copies copies; /* with cold caches on a GPU */
	struct bench_work work;
	double fastest;                     /* device time of an iteration, seconds; 0: none */
	uint64_t ran;                       /* iterations since prepare() */
	size_t fixed;                       /* samples that the suite asks for; 0: as many as it takes */
	double counted[BENCH_COUNTERS_CPU]; /* in an iteration of the last call, where there are counters */
	double first_seconds;               /* of the first call */
	unsigned builds;                    /* programs compiled to set it up, and in that call */
	struct worker_observed observed;
	double stamp;      /* seconds that time stamps add to a launch; 0: not known */
	bool told_within;  /* how well its device time is known */
	double first_call; /* seconds; 0: something was compiled or loaded in it */
	double slowdown;   /* by which each timed call is prolonged, a fraction; 0: none */
	bool live;         /* set up, and nothing has gone wrong */
	bool torn_down;
};

struct worker {
	const struct bench_job *job;
	struct bench_worker_devices *devices;
	int events;
	struct bench_heartbeat *heartbeat;
	double start;
	struct bench_error write_error; /* text empty: all events are written */
	struct bench_arena arena;
	struct worker_case *active; /* one for each case of the job */
	size_t *sampled;            /* the case behind each sampler item */
	size_t *indices;            /* its index in the record */
	struct bench_counters counters;
	struct bench_observe observe; /* where the job is observed */
	char uncounted[1100];         /* why there are none, though they were asked for; or "" */
	struct bench_flush *flush;    /* NULL: caches stay hot */
	struct bench_watch watch;
	size_t validated; /* bytes of the validator's log that have been read */
};

/*
 * worker_events.c. Shows the session which case is at work, and at what, before it is: whatever happens from
 * here on is that case's. NULL: no case.
 */
void worker_enter(struct worker *worker, const struct worker_case *active, enum bench_phase phase);
/* Seconds since the worker started. */
double worker_at(const struct worker *worker);
/* An event of the case, to be filled and written. */
struct bench_event worker_event(struct worker *worker, const struct worker_case *active,
				enum bench_event_kind kind);
/* Keeps a failure in worker->write_error, and writes nothing after it. */
void worker_write(struct worker *worker, const struct bench_event *event);
void worker_begin(struct worker *worker, const struct worker_case *active);
void worker_sample(struct worker *worker, const struct worker_case *active,
		   const struct bench_event_sample *sample);
void worker_note(struct worker *worker, const struct worker_case *active, const char *name,
		 const char *value);
/* Ends the case: with a status, or with the one that an error's code stands for. */
void worker_end(struct worker *worker, struct worker_case *active, enum bench_status status,
		const char *reason, enum bench_stop stopped);
void worker_end_with_error(struct worker *worker, struct worker_case *active,
			   const struct bench_error *error);

/* devices.c. The description of the case's device; all zeros for a case without one. */
const struct bench_device_info *worker_devices_info(const struct worker *worker,
						    const struct bench_job_case *job_case);
/* The case's device, opened if it is not yet. Variants on one device share one handle. */
int worker_devices_open(struct worker *worker, struct worker_case *active, struct bench_error *error);
/* As they were opened, for the next job. False: a backend cannot, and nothing was done. */
bool worker_devices_clear(const struct bench_worker_devices *devices);
/*
 * The first NVIDIA device that the job uses, or -1. NVML counts NVIDIA's devices alone, in the order that
 * their other interfaces use.
 */
long worker_devices_gpu(const struct worker *worker);

/* worker.c. */
bool worker_is_on_gpu(const struct worker_case *active);
/* Lets the suite put back its inputs and spoil its outputs, untimed. */
int worker_prepare(struct worker *worker, struct worker_case *active, struct bench_error *error);

/* Where counters are found. */
struct worker_window_places {
	const char *sys;     /* NULL: "/sys" */
	const char *library; /* NVML's */
};
/*
 * worker_window.c. Measures energy and a GPU's counters, where the job asks for them, until that moment. An
 * item whose work fails then has failed.
 */
void worker_window_all(struct worker *worker, struct bench_sampler_item *items, size_t count, double until,
		       const struct worker_window_places *places);
/* Seconds of a slice that this will take: 0 where nothing was asked for, or nothing can be read. */
double worker_window_reserve(struct worker *worker, struct bench_sampler_item *items, size_t count,
			     double slice, const struct worker_window_places *places);

/*
 * The same for `bench why`, of one case that is iterated back to back for less than half a second: values of
 * core/observed.h from BENCH_OBSERVED_OF_GPU on, NaN for one that is not known. `unread` has the reason where
 * none is; else its text is empty. -1: the work failed.
 */
int worker_window_observe(struct worker_item *item, const struct worker_window_places *places,
			  double values[BENCH_OBSERVED_KINDS], struct bench_error *unread,
			  struct bench_error *error);

/* worker_sampling.c. Calls the suite's run; of a case with copies, once on it and then on each of them. */
int worker_enqueue(struct worker_case *active, const struct bench_suite *suite, uint64_t iterations,
		   struct bench_error *error);
/* The same, and waits until the device is done. */
int worker_call(struct worker_case *active, const struct bench_suite *suite, uint64_t iterations,
		struct bench_error *error);
/* worker.c. Counts of what the device compiled and launched; zeros for a backend that does not count. */
struct bench_device_stats worker_device_stats(const struct worker_case *active);

/* observe.c. Its context is a struct worker_item. */
extern const struct bench_segments_observer worker_observer;
/* worker_sampling.c. An iteration as it is timed. */
int worker_item_run(void *context, uint64_t iterations, struct bench_error *error);

/*
 * Samples the live cases, or follows a duel's orders. `items` has room for all cases of the job; returns how
 * many were sampled, worker->sampled[i] being the case behind items[i].
 */
size_t worker_sample_all(struct worker *worker, struct bench_sampler_item *items);

#endif
