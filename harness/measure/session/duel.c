/* SPDX-License-Identifier: MIT */
#include "measure/session/duel_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "stats/stats.h"

#define PROFILE_SECONDS 0.06 /* of iterations to see their functions: a kernel's tick is 1 to 10 ms */

enum duel_step session_duel_write_event(struct duel_block *block, const struct bench_event *event)
{
	char *line = bench_record_event_line(event);
	int result = line ? bench_record_folder_event(block->folder, line, block->error)
			  : bench_fail(block->error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result == 0 ? DUEL_GOES_ON : DUEL_ERROR;
}

bool session_duel_is_live(const struct duel_case *paired_case)
{
	return paired_case->set_up[DUEL_BASE] && paired_case->set_up[DUEL_HEAD] && !paired_case->failed;
}

/* Writes what a message of an observing worker says. */
static enum duel_step take_observed(struct duel_block *block, const struct duel_case *paired_case, int who,
				    const char *message)
{
	struct bench_observed_message told;
	struct bench_event event = {.index = paired_case->index, .invocation = (int)block->job->invocation};
	enum duel_step step = DUEL_GOES_ON;
	if (!bench_session_observed_read(message, who == DUEL_BASE, paired_case->functions, &told))
		return DUEL_GOES_ON;
	if (told.is_sample) {
		event.kind = BENCH_EVENT_SAMPLE;
		event.sample = told.sample;
		event.sample.at = bench_clock_seconds() - block->start;
		step = session_duel_write_event(block, &event);
	}
	if (told.is_note && step == DUEL_GOES_ON) {
		event.kind = BENCH_EVENT_NOTE;
		event.note = told.note;
		step = session_duel_write_event(block, &event);
	}
	return step;
}

/* Asks one worker what it has observed. A case of fixed samples is not run again for its functions. */
static enum duel_step observe(struct duel_block *block, struct duel_case *paired_case, int who)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	double each =
		bench_stats_smaller_half(paired_case->host.times[who], paired_case->host.time_count[who]);
	double iterations = paired_case->fixed || !(each > 0) ? 0 : ceil(PROFILE_SECONDS / each);
	bench_worker_segments_send(block->workers[who].process.channel, "observe %zu %" PRIu64,
				   paired_case->index, (uint64_t)fmin(iterations, 1e9));
	for (;;) {
		enum duel_step step =
			session_duel_receive(block, who, block->options->limits.time_seconds, message);
		if (step != DUEL_GOES_ON || strcmp(message, "observed") == 0)
			return step;
		paired_case->failed = strncmp(message, "failed", 6) == 0;
		if (paired_case->failed)
			return DUEL_GOES_ON;
		step = take_observed(block, paired_case, who, message);
		if (step != DUEL_GOES_ON)
			return step;
	}
}

static enum duel_step observe_all(struct duel_block *block)
{
	for (size_t i = 0; i < block->job->case_count; i++)
		for (int turn = 0; turn < DUEL_EXECUTABLES; turn++) {
			/* A device is warmer, and its clock may be lower, for the one that comes second. */
			int who = turn ^ (int)(block->job->invocation % 2);
			struct duel_case *paired_case = &block->paired_cases[i];
			enum duel_step step =
				session_duel_is_live(paired_case) && paired_case->host.time_count[who]
					? observe(block, paired_case, who)
					: DUEL_GOES_ON;
			if (step != DUEL_GOES_ON)
				return step;
		}
	return DUEL_GOES_ON;
}

static enum duel_step measure_block(struct duel_block *block)
{
	bool precise = false;
	enum duel_step step = session_duel_start_both(block);
	if (step == DUEL_GOES_ON) {
		block->options->started(block->options->context);
		step = session_duel_set_up_both(block);
	}
	if (step == DUEL_GOES_ON)
		step = session_duel_check_first(block);
	if (step == DUEL_GOES_ON)
		step = session_duel_sample_all(block, &precise);
	if (step == DUEL_GOES_ON && block->observed)
		step = observe_all(block);
	if (step == DUEL_GOES_ON)
		step = session_duel_check_both(block, precise);
	return step == DUEL_GOES_ON ? session_duel_dismiss_both(block) : step;
}

static bool is_on_gpu(const struct bench_session_program *program, const struct bench_job_case *job_case)
{
	return job_case->backend &&
	       (program->target ? program->target->info.kind == BENCH_DEVICE_GPU : job_case->on_gpu);
}

int bench_session_measure_block(const struct bench_duel *duel, const struct bench_job *job,
				struct bench_folder *folder, const struct bench_block_options *options,
				struct bench_block_end *end, struct bench_error *error)
{
	struct duel_block block = {.job = job,
				   .folder = folder,
				   .options = options,
				   .end = end,
				   .error = error,
				   .start = bench_clock_seconds(),
				   .observed = duel->observed,
				   .programs = {[DUEL_BASE] = &duel->base, [DUEL_HEAD] = &duel->head},
				   .workers = options->workers};
	char what[64];
	*end = (struct bench_block_end){.current = -1};
	block.paired_cases = bench_arena_alloc(&block.arena, job->case_count, sizeof(*block.paired_cases));
	for (size_t i = 0; i < job->case_count; i++) {
		block.paired_cases[i].index = job->cases[i].index;
		block.paired_cases[i].on_gpu =
			is_on_gpu(&duel->base, &job->cases[i]) || is_on_gpu(&duel->head, &job->cases[i]);
		block.paired_cases[i].length = &options->lengths[job->cases[i].index];
		block.paired_cases[i].functions = &options->functions[job->cases[i].index];
	}
	enum duel_step step = measure_block(&block);
	const bool stay =
		step == DUEL_GOES_ON && block.workers[DUEL_BASE].started && block.workers[DUEL_HEAD].started;
	/* Both leave at the same time: closing a GPU takes each a tenth of a second. */
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES && !stay; who++)
		bench_session_worker_send_off(&block.workers[who]);
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES && !stay; who++)
		bench_session_worker_end(&block.workers[who], &options->limits, what, sizeof(what));
	for (size_t i = 0; i < job->case_count; i++)
		session_duel_discard_unequal_lengths(block.paired_cases[i].length);
	bench_arena_free(&block.arena);
	return step == DUEL_ERROR ? -1 : 0;
}
