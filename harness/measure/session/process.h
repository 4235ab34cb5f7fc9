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

/* What differs between the two workers of a duel. */
struct bench_process_setup {
	char *const *environment; /* ends with NULL */
	int channel;              /* the worker's end of the socket; -1: none */
	bool fixed_layout;        /* no address-space randomisation, where the system allows that */
};

struct bench_process {
	pid_t pid;
	int pidfd;                         /* readable once the process has ended */
	struct bench_heartbeat *heartbeat; /* mapped until the end */
	int heartbeat_fd;
	long current;    /* after bench_session_process_wait: the case that it was at */
	int exit_status; /* after bench_session_process_wait: of a process that exited by itself, else -1 */
};

enum bench_process_end {
	BENCH_EXITED,  /* with status 0 */
	BENCH_CRASHED, /* by a signal, or with another status */
	BENCH_HUNG,    /* gave no sign of life for the time limit, and was killed */
	BENCH_STOPPED, /* killed because *stop was set */
};

/*
 * Starts `executable` with `input` on its standard input, and its standard output and
 * error going to `log`, and `events` as its descriptor for events. `setup` NULL: with the environment of this
 * process, no channel and an ordinary layout.
 */
int bench_session_process_start(struct bench_process *process, const char *executable,
				const char *const *arguments, const struct bench_process_setup *setup,
				const char *input, int events, int log, struct bench_error *error);

/*
 * Waits for its end; calls tick(context) every tick_seconds (0: never). Kills it if its heartbeat stops for
 * the time limit or *stop is set. `what` (size bytes) says in words how it ended, if not well. Frees all
 * that start has made.
 */
enum bench_process_end bench_session_process_wait(struct bench_process *process, double time_limit_seconds,
						  double tick_seconds, void (*tick)(void *context),
						  void *context, const volatile sig_atomic_t *stop,
						  char *what, size_t size);

#endif
