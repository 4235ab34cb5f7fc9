/* SPDX-License-Identifier: MIT */
/* The outcome of a worker and its cases: whose fault it is that one died. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "measure/session/session_internal.h"

#define NO_CASE             BENCH_NO_REFERENCE
#define FALSE_STARTS        3 /* workers in a row that end before their first case: no other would do better */
#define LEAVE_AGAIN_SECONDS 1.0 /* for closing devices, after some have hung */

/* Ends a case in this invocation, for its worker. It is ended even if the record should not take that. */
static int end_case(struct session *session, size_t index, unsigned invocation, enum bench_status status,
		    const char *reason, struct bench_error *error)
{
	if (bench_session_journal_end(&session->journal, index, invocation, status, reason, error) != 0 ||
	    bench_session_journal_catch_up(&session->journal, error) != 0)
		return -1;
	session->ended[index] = true;
	session->dropped[index] = true;
	return 0;
}

static int note_case(struct session *session, size_t index, unsigned invocation, const char *name,
		     const char *value, struct bench_error *error)
{
	const struct bench_event event = {.kind = BENCH_EVENT_NOTE,
					  .index = index,
					  .invocation = (int)invocation,
					  .note = {name, value}};
	return bench_session_journal_event(&session->journal, &event, error);
}

/*
 * A process that several cases share died while it ran this case. Any of them may have caused it. From now on
 * this case has a separate process, which will show whether it is to blame.
 */
static int set_apart(struct session *session, size_t index, unsigned invocation, const char *what,
		     struct bench_error *error)
{
	const struct bench_plan *plan = session->plan;
	const char *key = plan->cases[index].key;
	struct bench_arena *arena = &session->worker_arena;
	session->apart[index] = true;
	char *note = bench_arena_format(arena, "measured by itself from invocation %u on; beside others: %s",
					invocation, what);
	session_warn(session, bench_arena_format(arena, "%s: %s", key, note));
	if (note_case(session, index, invocation, SESSION_APART, note, error) != 0)
		return -1;
	char *why = bench_arena_format(arena, "none from invocation %u on: %s is measured by itself",
				       invocation, key);
	for (size_t i = 0; i < plan->case_count; i++)
		if ((plan->cases[i].reference == index ||
		     (i == index && plan->cases[i].reference != BENCH_NO_REFERENCE)) &&
		    note_case(session, i, invocation, "relative_time", why, error) != 0)
			return -1;
	return bench_session_journal_catch_up(&session->journal, error);
}

/* The case of the job that the worker was at, if it has not ended; else NO_CASE. */
static size_t find_suspect(const struct session *session, const struct bench_job *job,
			   const struct bench_block_end *end)
{
	for (size_t i = 0; i < job->case_count; i++)
		if (end->current == (long)job->cases[i].index && !session->ended[job->cases[i].index])
			return job->cases[i].index;
	return NO_CASE;
}

void session_leave_badly(struct session *session, const char *of, const struct bench_block_end *end)
{
	char text[400];
	if (end->outcome == BENCH_HUNG)
		session->leave_seconds = fmin(session->leave_seconds, LEAVE_AGAIN_SECONDS);
	snprintf(text, sizeof(text), "%s: the worker %s; what it measured is kept", of, end->what);
	if (session->left_badly)
		bench_record_folder_log(session->folder, "warning: %s", text);
	else
		session_warn(session, text);
	session->left_badly = true;
}

/*
 * A worker has ended before all of its cases have. Each such end makes progress: a case fails, or gets a
 * separate process.
 *
 * - Where a case had the process to itself, it is that case's end: it has failed, or, if it was a duel's
 * base, is skipped.
 * - A hang is blamed on the case that it was running: a second try would cost the time limit twice.
 * - With other cases in the process, now or before, any of them may have caused a crash: the case that was
 * running is tried alone. If no case was running, all are.
 */
static int blame(struct session *session, const struct bench_job *job, const struct bench_block_end *end,
		 struct bench_error *error)
{
	char reason[400];
	size_t suspect = find_suspect(session, job, end);
	const bool alone = job->case_count == 1 && !end->reused;
	if (alone)
		suspect = job->cases[0].index;
	snprintf(reason, sizeof(reason), "%s%s%s", end->by_base ? "in the base: " : "", end->what,
		 session->journal.refused ? " (some events were not understood)" : "");
	if (suspect != NO_CASE && (alone || end->outcome == BENCH_HUNG))
		return end_case(session, suspect, job->invocation,
				end->by_base ? BENCH_STATUS_SKIPPED : BENCH_STATUS_FAILED, reason, error);
	for (size_t i = 0; i < job->case_count; i++) {
		size_t index = job->cases[i].index;
		if (!session->ended[index] && (suspect == NO_CASE || suspect == index) &&
		    set_apart(session, index, job->invocation, reason, error) != 0)
			return -1;
	}
	return 0;
}

static size_t count_left(const struct session *session, const struct bench_job *job)
{
	size_t count = 0;
	for (size_t i = 0; i < job->case_count; i++)
		count += session_is_left(session, job->cases[i].index);
	return count;
}

/* Has the worker died before it came to any case? Once that may be chance. */
static int check_start(struct session *session, const struct bench_block_end *end, bool *again,
		       struct bench_error *error)
{
	*again = end->current < 0 && end->phase == BENCH_PHASE_STARTING;
	session->false_starts = *again ? session->false_starts + 1 : 0;
	if (!*again)
		return 0;
	bench_record_folder_log(session->folder, "warning: %s: before its first case the worker %s",
				session->current, end->what);
	if (session->false_starts < FALSE_STARTS)
		return 0;
	return bench_fail(
		error, BENCH_ENVIRONMENT,
		"%u workers in a row have ended before their first case; the last one %s. 'bench run "
		"--resume %s' can go on",
		session->false_starts, end->what, session->run->id);
}

/* A worker that cannot write stops the run: where a case has closed its file, it is that case's end. */
static int check_written(const struct session *session, const struct bench_block_end *end,
			 struct bench_error *error)
{
	if (end->by_base || !end->unwritten || end->unwritten == EBADF)
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT, "a worker cannot write '%s/samples.jsonl': %s",
			  session->folder->path, strerror(end->unwritten));
}

int session_settle_worker(struct session *session, const struct bench_job *job, struct bench_block_end *end,
			  double seconds, struct bench_error *error)
{
	bool again = false;
	if (check_written(session, end, error) != 0)
		return -1;
	session->refused += session->journal.refused;
	if (bench_session_disturbance_end_worker(&session->disturbance))
		bench_record_folder_log(session->folder, "disturbed: %s, invocation %u: %s", session->current,
					job->invocation, session->disturbance.reason);
	if (end->outcome == BENCH_STOPPED || session_stopped(session))
		return 0;
	if (!count_left(session, job)) {
		if (end->outcome != BENCH_EXITED)
			session_leave_badly(session, session->current, end);
		session->false_starts = 0;
		return 0;
	}
	session->lost_seconds += seconds;
	if (end->unwritten == EBADF)
		snprintf(end->what, sizeof(end->what), "closed the file of its process's events");
	if (check_start(session, end, &again, error) != 0)
		return -1;
	return again ? 0 : blame(session, job, end, error);
}
