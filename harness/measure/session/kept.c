/* SPDX-License-Identifier: MIT */
#include "measure/session/kept.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "core/clock.h"
#include "measure/session/session_internal.h"

#define PROCESS_BYTES      ((uint64_t)512 << 20) /* that a process takes on a device, beside its buffers */
#define AFTER_HANG_SECONDS 1.0
#define MEMORY_SHARE       0.5 /* of the device, which all builders together may take */

/* As many as the memory of device and host holds, each with the buffers of a part of the job. */
static size_t builders_of(const struct session *session, const struct bench_job *job, size_t variants)
{
	const struct bench_plan *plan = session->plan;
	const struct bench_planned *first = &plan->cases[job->cases[0].index];
	const uint64_t memory = plan->targets[first->target].info.memory_bytes; /* 0: not known */
	uint64_t most = 0, whole = 0;
	for (size_t i = 0; i < job->case_count; i++) {
		const struct bench_work *work = &plan->cases[job->cases[i].index].work;
		const uint64_t bytes = work->device_bytes + work->host_bytes;
		most = bytes > most ? bytes : most;
		whole += bytes;
	}
	size_t count = session->options->kept->builds;
	count = count < variants ? count : variants;
	while (memory && count > 0 &&
	       (double)whole + (double)(count * (most + PROCESS_BYTES)) > MEMORY_SHARE * (double)memory)
		count--;
	return count;
}

void session_build_ahead(struct session *session, const struct bench_job *job)
{
	struct bench_session_kept *kept = session->options->kept;
	const struct bench_process_setup setup = {.connected = true};
	const double start = bench_clock_seconds();
	size_t variants = 0;
	char what[256];
	for (size_t i = 0; i < job->case_count; i++)
		variants += job->cases[i].reference != BENCH_NO_REFERENCE;
	const size_t count = builders_of(session, job, variants);
	const int nowhere = count > 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
	for (size_t b = 0; b < count && nowhere >= 0; b++) {
		struct bench_job part = *job;
		part.builds = part.stays = true;
		part.folder = NULL;
		part.cases = NULL;
		part.case_count = 0;
		for (size_t i = 0, v = 0; i < job->case_count; i++)
			if (job->cases[i].reference != BENCH_NO_REFERENCE && v++ % count == b) {
				struct bench_job_case one = job->cases[i];
				one.reference = BENCH_NO_REFERENCE;
				BENCH_PUSH(&session->worker_arena, part.cases, part.case_count) = one;
			}
		if (!kept->builders[b].started)
			kept->builders[b].events = -1;
		/* What does not start, or ends badly, leaves its part to the worker that measures. */
		bench_session_worker_start(&kept->builders[b], session->options->executable,
					   session->options->arguments, &setup, &part, nowhere, nowhere,
					   NULL);
	}
	struct bench_process_limits limits = session_limits(session);
	for (size_t b = 0; b < count; b++)
		if (kept->builders[b].started) {
			/* While one of them was waited for, the others had as much time. */
			if (bench_session_process_wait(&kept->builders[b].process, &limits, what,
						       sizeof(what)) == BENCH_HUNG)
				limits.time_seconds = fmin(limits.time_seconds, AFTER_HANG_SECONDS);
			kept->builders[b].started = kept->builders[b].process.waits;
		}
	if (nowhere >= 0)
		close(nowhere);
	kept->build_seconds += bench_clock_seconds() - start;
}

void bench_session_end_kept(struct bench_session_kept *kept)
{
	const struct bench_process_limits limits = {.time_seconds = SESSION_LEAVE_SECONDS};
	char what[256];
	for (size_t b = 0; b < BENCH_SESSION_BUILDERS; b++)
		bench_session_worker_send_off(&kept->builders[b]);
	bench_session_worker_end(&kept->worker, &limits, what, sizeof(what));
	for (size_t b = 0; b < BENCH_SESSION_BUILDERS; b++)
		if (kept->builders[b].started)
			bench_session_worker_end(&kept->builders[b], &limits, what, sizeof(what));
}
