/* SPDX-License-Identifier: MIT */
/*
 * Whoever has a verb done: where progress and warnings go to, and what can stop it. The application prints
 * nothing itself.
 */
#ifndef BENCH_APP_HOST_H
#define BENCH_APP_HOST_H

#include "measure/session/session.h"

struct bench_app_host {
	void *context;                                 /* of the functions */
	void (*note)(void *context, const char *text); /* a line on what is done */
	void (*warn)(void *context, const char *text); /* a line on what is odd */
	void (*begin)(void *context);                  /* measuring begins: from now on signals set *stop */
	void (*progress)(void *context, const struct bench_session_progress *now);
	void (*end)(void *context); /* measuring is over */
	const volatile sig_atomic_t *stop;
	const char *turn; /* the file of the machine's waiting line; NULL: BENCH_TURN_FILE (machine/turn.h) */
	double tick_seconds; /* how often progress is to be told of while nothing happens; 0: never */
};

void bench_app_note(const struct bench_app_host *host, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bench_app_warn(const struct bench_app_host *host, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
