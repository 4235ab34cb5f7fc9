/* SPDX-License-Identifier: MIT */
/* What the workers of a duel observed, on its way from their messages (measure/worker/segments.h) to events.
 */
#ifndef BENCH_MEASURE_SESSION_OBSERVED_H
#define BENCH_MEASURE_SESSION_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>

#include "record/event.h"

/* Functions of a case that become metrics: those that were seen first. */
#define BENCH_OBSERVED_FUNCTIONS 16

struct bench_observed_functions {
	char names[BENCH_OBSERVED_FUNCTIONS][48]; /* of their metrics, without BENCH_OBSERVED_HEAD */
	size_t count;
};

/* What a message says: a sample, a note, or both. */
struct bench_observed_message {
	bool is_sample, is_note;
	struct bench_event_sample sample;
	struct bench_event_note note;
	char metric[64], name[64], value[1024]; /* that these point to */
};

/*
 * Reads a message of the base's or the head's worker; `functions` are those of the case. False for one that
 * says nothing of this kind, or of a function for which there is no place.
 */
bool bench_session_observed_read(const char *message, bool of_base,
				 struct bench_observed_functions *functions,
				 struct bench_observed_message *to);

#endif
