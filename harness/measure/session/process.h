/* SPDX-License-Identifier: MIT */
/*
 * Worker processes: started, watched and ended. A worker shows which case it is at, and that it is alive, in
 * its heartbeat, a page of memory that it shares with its parent.
 */
#ifndef BENCH_MEASURE_SESSION_PROCESS_H
#define BENCH_MEASURE_SESSION_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "bench/error.h"
#include "measure/worker/worker.h"

struct bench_process_setup {
	char *const *environment; /* ends with NULL; NULL: that of this process */
	bool connected;           /* it gets a socket, BENCH_WORKER_CHANNEL */
	bool fixed_layout;        /* no address-space randomization, where the system allows that */
};

struct bench_process {
	pid_t pid;
	int pidfd; /* readable once the process has ended; -1: the system has no such thing */
	struct bench_heartbeat *heartbeat; /* mapped until the end */
	int heartbeat_fd;
	int input;       /* its standard input */
	int channel;     /* this end of its socket; -1: none */
	int log;         /* the caller's */
	off_t log_start; /* how long it was */
	bool stays;      /* after its job, to wait for another one */
	/* After bench_session_process_wait: */
	bool waits;             /* for another job; false: it has ended */
	long current;           /* the case that it was at; -1: none */
	enum bench_phase phase; /* and what it did with it */
	int unwritten;          /* errno of an event that it could not write; 0: it wrote all */
	int exit_status;        /* of a process that exited by itself, else -1 */
};

/* A worker, from its start to its end. {.events = -1} at first. */
struct bench_session_worker {
	struct bench_process process;
	bool started;
	int events;          /* where its events go, if that is its own to close; else -1 */
	unsigned invocation; /* of its jobs */
	bool reused;         /* the present one is not the first */
};

/* How long to wait for a process. */
struct bench_process_limits {
	double time_seconds;  /* without a sign of life */
	double leave_seconds; /* likewise, once all its cases have ended; 0: as long as the above */
	double tick_seconds;  /* how often tick(context) is called; 0: never */
	void (*tick)(void *context);
	void *context;
	const volatile sig_atomic_t *stop; /* NULL: nothing stops it */
	double until;                      /* by bench_clock_seconds: then it is stopped as well; 0: never */
};

enum bench_process_end {
	BENCH_EXITED,  /* with status 0 */
	BENCH_CRASHED, /* by a signal, or with another status */
	BENCH_HUNG,    /* gave no sign of life for its limit, or printed without end, and was killed */
	BENCH_STOPPED, /* killed because *stop was set, or at the time `until` */
};

/* A copy of a descriptor, above the numbers that a worker's descriptors get. -1: errno says why. */
int bench_session_process_duplicate(int fd);

/*
 * Starts `executable` with `input` on its standard input, and its standard output and
 * error going to `log`, which stays open until its end, and `events` as its descriptor for events. `setup`
 * NULL: with the environment of this process, no socket and an ordinary layout. BENCH_NOTHING where there is
 * no such program or it cannot be executed, BENCH_ENVIRONMENT where the system has no room for another
 * process, or for its descriptors.
 */
int bench_session_process_start(struct bench_process *process, const char *executable,
				const char *const *arguments, const struct bench_process_setup *setup,
				const char *input, int events, int log, struct bench_error *error);

enum bench_process_news { BENCH_NEWS_READY, BENCH_NEWS_SILENT, BENCH_NEWS_PRINTING, BENCH_NEWS_STOP };

/* The most that a process may print. Its output goes to the log of the run, and may fill a disk. */
#define BENCH_SESSION_PRINTED_MOST ((off_t)64 << 20)
#define BENCH_SESSION_PRINTED      "printed more than 64 MiB"

/*
 * Waits until `fd` can be read (negative: until the process has ended), the process has been silent for its
 * limit, has printed too much, or *stop is set or `until` over (BENCH_NEWS_STOP). What counts as silence is
 * the time that was waited, not what a clock says of it: while this process does not run itself (stopped, or
 * a virtual machine that was paused), and where a clock is set, nothing hangs.
 */
enum bench_process_news bench_session_process_listen(const struct bench_process *process, int fd,
						     const struct bench_process_limits *limits);

/*
 * Waits for its end, or until it has done its job and waits for another (BENCH_EXITED). Kills it if its
 * heartbeat stops for the limit or *stop is set. `what` (size bytes) says in words how it ended and at what,
 * if not well. At its end this frees all that start has made.
 */
enum bench_process_end bench_session_process_wait(struct bench_process *process,
						  const struct bench_process_limits *limits, char *what,
						  size_t size);

/* Does it wait for another job, and may this be the one? */
bool bench_session_worker_takes(const struct bench_session_worker *worker, const struct bench_job *job);
/* Starts a worker with its job, as above, or gives it to this one, which waits for it. */
int bench_session_worker_start(struct bench_session_worker *worker, const char *executable,
			       const char *const *arguments, const struct bench_process_setup *setup,
			       const struct bench_job *job, int events, int log, struct bench_error *error);
/* Lets a worker leave that waits for a job, or kills one that runs, without waiting for its end. */
void bench_session_worker_send_off(const struct bench_session_worker *worker);
/* Likewise, and waits for its end; BENCH_EXITED if there is none. {.events = -1} is left. */
enum bench_process_end bench_session_worker_end(struct bench_session_worker *worker,
						const struct bench_process_limits *limits, char *what,
						size_t size);

#endif
