/* SPDX-License-Identifier: MIT */
#include "measure/session/duel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "measure/worker/segments.h"
#include "measure/worker/times.h"
#include "record/event.h"
#include "stats/stats.h"

#define SEGMENT_SECONDS  2e-3  /* at least: in a shorter segment, waking and waiting take most of the time */
#define PARTS            16    /* of a segment, timed by themselves; fewer if it has fewer iterations */
#define STRETCH          16    /* most times the iterations that an executable needs, to match the other */
#define PROBES           4     /* parts of a segment that finds out how long an iteration takes */
#define PROBE_SECONDS    2e-4  /* the least length of such a part */
#define PROFILE_SECONDS  0.06  /* of iterations to see their functions: a kernel's tick is 1 to 10 ms */
#define LONG_SECONDS     20e-3 /* a call that takes as long in both executables needs no second probe */
#define CALIBRATION_MAX  12
#define GROWTH_MAX       10
#define VISIT_QUADRUPLES 2    /* ABBA and BAAB before the next case: each executable takes every place */
#define MIN_QUADRUPLES   6    /* before the precision may end a case: fewer have no 95% interval */
#define MAX_SAMPLES      2000 /* of an executable, in a block */
#define GREETING_SECONDS 60.0 /* some device drivers take long to find their devices */
#define EXIT_SECONDS     10.0

enum { BASE, HEAD, EXECUTABLES };

struct duel_worker {
	const struct bench_session_program *program;
	struct bench_process process;
	bool started;
	int channel; /* our end of its socket; -1: none */
	int events;  /* where its events go: the head's to samples.jsonl, the base's to memory; -1: none */
};

/* A case, as both executables measure it. */
struct paired_case {
	size_t index; /* in the record */
	bool set_up[EXECUTABLES];
	size_t fixed; /* samples of each executable that the suite asks for; 0: as many as it takes */
	struct bench_segment_length *length; /* the caller's */
	struct bench_observed_functions *functions;
	bool failed;       /* in one of the workers, which reports it, or: */
	char refused[128]; /* what the driver has against its times; "": nothing */
	bool backwards;    /* the next quadruple is B A A B */
	size_t taken;      /* samples of each executable */
	double *ratios;    /* of quadruples, head over base: for the precision */
	size_t ratio_count;
	double *times[EXECUTABLES]; /* seconds of an iteration, in each part of all segments */
	size_t time_count[EXECUTABLES];
};

struct block {
	const struct bench_job *job;
	struct bench_folder *folder;
	const struct bench_block_options *options;
	struct bench_block_end *end;
	struct bench_error *error;
	struct bench_arena arena;
	struct duel_worker workers[EXECUTABLES];
	bool observed;
	struct paired_case *paired_cases; /* one for each case of the job */
	double start;
};

/* The result of a step of the block. ERROR: `error` is filled; OVER: `end` is filled. */
enum step { GOES_ON, OVER, ERROR };

/* The worker has ended: what the block's end says of it. */
static void take_end(struct block *block, int who, enum bench_process_end outcome)
{
	struct duel_worker *worker = &block->workers[who];
	struct bench_block_end *end = block->end;
	worker->started = false;
	end->outcome = outcome;
	end->by_base = who == BASE;
	end->current = worker->process.current;
	end->phase = worker->process.phase;
	end->unwritten = worker->process.unwritten;
}

/*
 * Ends the worker `who`, which has crashed, has been silent for so long (below 0: printed too much), or is to
 * be stopped: `outcome`, as far as is known.
 */
static enum step over(struct block *block, int who, enum bench_process_end outcome, double silent_seconds)
{
	struct duel_worker *worker = &block->workers[who];
	struct bench_block_end *end = block->end;
	const struct bench_process_limits limits = {.time_seconds = EXIT_SECONDS,
						    .stop = block->options->limits.stop};
	if (outcome != BENCH_CRASHED)
		kill(worker->process.pid, SIGKILL);
	enum bench_process_end ended =
		bench_session_process_wait(&worker->process, &limits, end->what, sizeof(end->what));
	take_end(block, who, ended == BENCH_STOPPED ? BENCH_STOPPED : outcome);
	const char *where = bench_worker_phase_words(end->phase);
	if (outcome == BENCH_HUNG && silent_seconds < 0)
		snprintf(end->what, sizeof(end->what), BENCH_SESSION_PRINTED " and was ended");
	else if (outcome == BENCH_HUNG)
		snprintf(end->what, sizeof(end->what),
			 "gave no sign of life for %.3g s%s%s and was ended (--time-limit)", silent_seconds,
			 *where ? " " : "", where);
	else if (ended == BENCH_HUNG)
		snprintf(end->what, sizeof(end->what), "closed its connection to this process%s%s",
			 *where ? " " : "", where);
	return OVER;
}

/* Waits for the next message of the worker `who`, while its heartbeat goes on. */
static enum step receive(struct block *block, int who, double limit_seconds,
			 char message[BENCH_SEGMENTS_MESSAGE])
{
	struct duel_worker *worker = &block->workers[who];
	struct bench_process_limits limits = block->options->limits;
	limits.time_seconds = limit_seconds;
	switch (bench_session_process_listen(&worker->process, worker->channel, &limits)) {
	case BENCH_NEWS_STOP:
		return over(block, who, BENCH_STOPPED, 0);
	case BENCH_NEWS_SILENT:
		return over(block, who, BENCH_HUNG, limit_seconds);
	case BENCH_NEWS_PRINTING:
		return over(block, who, BENCH_HUNG, -1);
	case BENCH_NEWS_READY:
		break;
	}
	return bench_worker_segments_receive(worker->channel, message) ? GOES_ON
								       : over(block, who, BENCH_CRASHED, 0);
}

/* The job of one worker, as JSON; malloc'd. */
static char *write_job(const struct block *block, int who)
{
	struct bench_job job = *block->job;
	job.paired = true;
	job.observed = block->observed;
	/* A version too old to wait for orders would sample at once: this keeps it short. */
	job.slice_seconds = 0;
	job.extensions = block->workers[who].program->extensions;
	job.extension_count = block->workers[who].program->extension_count;
	job.overrides = bench_session_program_overrides(block->workers[who].program, &block->job->overrides);
	return bench_worker_job_to_json(&job);
}

static int start_worker(struct block *block, int who)
{
	struct duel_worker *worker = &block->workers[who];
	int sockets[2];
	if (who == BASE)
		worker->events = memfd_create("bench-base-events", MFD_CLOEXEC);
	else
		worker->events = bench_session_process_duplicate(block->folder->events);
	if (worker->events < 0 || fcntl(worker->events, F_SETFL, O_APPEND) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
		return bench_fail(block->error, BENCH_ENVIRONMENT, "cannot connect to a worker: %s",
				  strerror(errno));
	struct bench_process_setup setup = {
		.environment = bench_session_program_environment(
			worker->program, block->workers[!who].program, &block->job->overrides, &block->arena),
		.channel = bench_session_process_duplicate(sockets[1]),
		.fixed_layout = true};
	worker->channel = sockets[0];
	if (setup.channel < 0)
		bench_fail(block->error, BENCH_ENVIRONMENT, "cannot connect to a worker: %s",
			   strerror(errno));
	close(sockets[1]);
	if (setup.channel < 0)
		return -1;
	char *input = write_job(block, who);
	int result = input ? bench_session_process_start(&worker->process, worker->program->executable,
							 block->options->arguments, &setup, input,
							 worker->events, block->folder->log, block->error)
			   : bench_fail(block->error, BENCH_NO_MEMORY, "no memory for a job");
	free(input);
	close(setup.channel);
	worker->started = result == 0;
	return result;
}

static const char *greeting_of(const struct block *block)
{
	return block->observed ? BENCH_SEGMENTS_OBSERVES : BENCH_SEGMENTS_GREETING;
}

/* A worker has not answered as the protocol says: an error, unless the run is being stopped. */
static enum step refuse(struct block *block, int who)
{
	const struct bench_session_program *program = block->workers[who].program;
	if (block->end->outcome == BENCH_STOPPED)
		return OVER;
	bench_fail(block->error, BENCH_NOTHING,
		   "'%s' (%s) does not take turns as a worker: it needs a version of bench whose duels speak "
		   "%s, or it ended early; %s/run.log may say more",
		   program->text, program->version ? program->version : "no version", greeting_of(block),
		   block->folder->path);
	return ERROR;
}

/* Starts both workers, which find their devices at the same time. */
static enum step start_both(struct block *block)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (int who = BASE; who < EXECUTABLES; who++)
		if (start_worker(block, who) != 0)
			return ERROR;
	for (int who = BASE; who < EXECUTABLES; who++) {
		enum step step = receive(block, who, GREETING_SECONDS, message);
		if (step == OVER && block->end->current >= 0)
			return OVER; /* it came to a case, so it is a worker */
		if (step != GOES_ON || strcmp(message, greeting_of(block)) != 0)
			return refuse(block, who);
	}
	return GOES_ON;
}

/* Waits until a worker reports that it has done its command. */
static enum step receive_done(struct block *block, int who, const char *done)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	enum step step = receive(block, who, block->options->limits.time_seconds, message);
	return step == GOES_ON && strcmp(message, done) != 0 ? refuse(block, who) : step;
}

/*
 * Both set up at the same time, but make their first calls one after the other: made at once, they would
 * disturb what a library measures in its first call, such as a convolution's choice of its algorithm.
 */
static enum step set_up_both(struct block *block)
{
	int first = block->job->invocation % 2 ? HEAD : BASE;
	enum step step = GOES_ON;
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].channel, "set up");
	for (int who = BASE; who < EXECUTABLES && step == GOES_ON; who++)
		step = receive_done(block, who, "set up");
	for (int i = 0; i < EXECUTABLES && step == GOES_ON; i++) {
		int who = i ? !first : first;
		bench_worker_segments_send(block->workers[who].channel, "call");
		step = receive_done(block, who, "called");
	}
	return step;
}

/* Receives which cases a worker has set up and found correct. */
static enum step receive_cases(struct block *block, int who)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (;;) {
		size_t index, fixed;
		enum step step = receive(block, who, block->options->limits.time_seconds, message);
		if (step != GOES_ON || strcmp(message, "ready") == 0)
			return step;
		if (sscanf(message, "case %zu %zu", &index, &fixed) != 2)
			return refuse(block, who);
		for (size_t i = 0; i < block->job->case_count; i++) {
			struct paired_case *paired_case = &block->paired_cases[i];
			if (paired_case->index != index)
				continue;
			paired_case->set_up[who] = true;
			paired_case->fixed = fixed;
		}
	}
}

/* Reads "took SECONDS ..." with the times of `parts` parts. */
static bool read_parts(const char *message, double *seconds, unsigned parts)
{
	const char *from = strncmp(message, "took", 4) == 0 ? message + 4 : "";
	for (unsigned i = 0; i < parts; i++) {
		char *end;
		seconds[i] = strtod(from, &end);
		if (end == from || !(seconds[i] >= 0) || !isfinite(seconds[i]))
			return false;
		from = end;
	}
	return *from == '\0';
}

/*
 * The worker measured an impossible time. It does not know that, so it learns at the end that the case has no
 * result to compare.
 */
static void refuse_times(struct paired_case *paired_case, int who, const char *message)
{
	if (strncmp(message, "failed", 6) == 0)
		return;
	snprintf(paired_case->refused, sizeof(paired_case->refused), "%s its times are none: '%.60s'",
		 who == BASE ? "in the base:" : "in the head:", message);
}

/* One segment of one executable: seconds of an iteration, for each part. A failure is the case's; the worker
 * reports the reason in its events. */
static enum step take(struct block *block, struct paired_case *paired_case, int who, double *seconds)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	const struct bench_segment_length *length = paired_case->length;
	/* That a worker has gone shows when its answer is awaited. */
	bench_worker_segments_send(block->workers[who].channel, "run %zu %u %" PRIu64, paired_case->index,
				   length->parts[who], length->iterations[who]);
	enum step step = receive(block, who, block->options->limits.time_seconds, message);
	if (step == GOES_ON && !read_parts(message, seconds, length->parts[who])) {
		paired_case->failed = true;
		refuse_times(paired_case, who, message);
	}
	return step;
}

/* Seconds of an iteration of one executable, from the fastest of a few parts: interruptions only add time. */
static enum step probe(struct block *block, struct paired_case *paired_case, int who, unsigned parts,
		       uint64_t iterations, double *each)
{
	double seconds[PROBES] = {0};
	paired_case->length->parts[who] = parts;
	paired_case->length->iterations[who] = iterations;
	enum step step = take(block, paired_case, who, seconds);
	*each = seconds[0];
	for (unsigned i = 1; i < parts && step == GOES_ON && !paired_case->failed; i++)
		*each = fmin(*each, seconds[i]);
	return step;
}

/* Estimates what an iteration takes in both executables. One call is enough where it is long in both. */
static enum step probe_both(struct block *block, struct paired_case *paired_case, double each[EXECUTABLES])
{
	uint64_t iterations = 1;
	for (int i = 0; i < CALIBRATION_MAX; i++) {
		for (int who = BASE; who < EXECUTABLES; who++) {
			enum step step =
				probe(block, paired_case, who, i ? PROBES : 1, iterations, &each[who]);
			if (step != GOES_ON || paired_case->failed)
				return step;
		}
		double seconds = fmin(each[BASE], each[HEAD]) * (double)iterations;
		if (seconds >= (i ? PROBE_SECONDS : LONG_SECONDS))
			break;
		double more = seconds > 0 ? 1.2 * PROBE_SECONDS / seconds : GROWTH_MAX;
		iterations = (uint64_t)ceil((double)iterations * fmin(fmax(more, 1), GROWTH_MAX));
	}
	return GOES_ON;
}

/* Iterations of a segment, if one takes `each` seconds. */
static uint64_t needed(double each)
{
	return each > 0 ? (uint64_t)fmax(ceil(SEGMENT_SECONDS / each), 1) : 1;
}

static uint64_t segment_iterations(const struct bench_segment_length *length, int who)
{
	return length->parts[who] * length->iterations[who];
}

/*
 * Finds the length of the case's segments, unless an earlier block has. Both executables make the same number
 * of iterations in all blocks of the duel: the larger of the two needs. If the machine has become faster or
 * slower since, segments are shorter or longer, but no worse.
 *
 * The numbers differ only if the executables seem to differ by more than STRETCH. Then each block calibrates
 * anew (discard_unequal_lengths): had a disturbance made the difference, and unequal segments stayed for all
 * blocks, their effect on the times would pass for a difference of the code.
 */
static enum step calibrate(struct block *block, struct paired_case *paired_case)
{
	struct bench_segment_length *length = paired_case->length;
	double each[EXECUTABLES];
	if (length->parts[BASE])
		return GOES_ON;
	if (paired_case->fixed) {
		for (int who = BASE; who < EXECUTABLES; who++)
			length->iterations[who] = length->parts[who] = 1;
		return GOES_ON;
	}
	enum step step = probe_both(block, paired_case, each);
	if (step != GOES_ON || paired_case->failed) {
		*length = (struct bench_segment_length){0};
		return step;
	}
	uint64_t most = needed(fmin(each[BASE], each[HEAD]));
	for (int who = BASE; who < EXECUTABLES; who++) {
		uint64_t stretched = STRETCH * needed(each[who]);
		uint64_t all = most < stretched ? most : stretched;
		length->iterations[who] = (all + PARTS - 1) / PARTS;
		length->parts[who] =
			(unsigned)((all + length->iterations[who] - 1) / length->iterations[who]);
	}
	return GOES_ON;
}

static enum step write_event(struct block *block, const struct bench_event *event)
{
	char *line = bench_record_event_line(event);
	int result = line ? bench_record_folder_event(block->folder, line, block->error)
			  : bench_fail(block->error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result == 0 ? GOES_ON : ERROR;
}

static enum step emit(struct block *block, const struct paired_case *paired_case, enum bench_sample_kind kind,
		      double value, uint64_t iterations)
{
	struct bench_event event = {.kind = BENCH_EVENT_SAMPLE,
				    .index = paired_case->index,
				    .invocation = (int)block->job->invocation,
				    .sample = {.metric = bench_record_sample_name(kind),
					       .value = value,
					       .iterations = iterations,
					       .at = bench_clock_seconds() - block->start}};
	if (kind == BENCH_SAMPLE_BASE_TIME) { /* no metric that the harness knows: its event describes it */
		event.sample.unit = "s";
		event.sample.better = bench_record_better_name(BENCH_BETTER_NONE);
	}
	return write_event(block, &event);
}

/* A sample of one executable, from one segment: the mean of the faster half of its parts. */
static enum step take_sample(struct block *block, struct paired_case *paired_case, int who, double *seconds)
{
	double parts[BENCH_SEGMENTS_PARTS] = {0};
	enum step step = take(block, paired_case, who, parts);
	if (step != GOES_ON || paired_case->failed)
		return step;
	unsigned count = paired_case->length->parts[who];
	*seconds = bench_stats_smaller_half(parts, count);
	if (!bench_worker_times_is_possible(*seconds)) {
		paired_case->failed = true;
		refuse_times(paired_case, who, "no time at all");
		return GOES_ON;
	}
	for (unsigned i = 0; i < count; i++)
		*(double *)bench_arena_push(&block->arena, &paired_case->times[who],
					    &paired_case->time_count[who], sizeof(parts[i])) = parts[i];
	return GOES_ON;
}

/* Segments A B B A, or if `backwards` B A A B; A B alone if only one more sample of each is due. */
static enum step take_quadruple(struct block *block, struct paired_case *paired_case)
{
	static const enum bench_sample_kind kinds[EXECUTABLES] = {BENCH_SAMPLE_BASE_TIME, BENCH_SAMPLE_TIME};
	size_t halves = paired_case->fixed && paired_case->fixed - paired_case->taken < 2 ? 1 : 2;
	double seconds[EXECUTABLES][2], sums[EXECUTABLES] = {0};
	int first = paired_case->backwards ? HEAD : BASE;
	for (size_t i = 0; i < 2 * halves; i++) {
		size_t half = i / 2;
		int who = (i + half) % 2 ? !first : first;
		enum step step = take_sample(block, paired_case, who, &seconds[who][half]);
		if (step != GOES_ON || paired_case->failed)
			return step;
		sums[who] += seconds[who][half];
	}
	paired_case->backwards = !paired_case->backwards;
	paired_case->taken += halves;
	for (size_t half = 0; half < halves; half++)
		for (int who = HEAD; who >= BASE; who--)
			if (emit(block, paired_case, kinds[who], seconds[who][half],
				 segment_iterations(paired_case->length, who)) != GOES_ON)
				return ERROR;
	/* There is no ratio of times below the clock's resolution. */
	if (sums[BASE] > 0 && sums[HEAD] > 0)
		*(double *)bench_arena_push(&block->arena, &paired_case->ratios, &paired_case->ratio_count,
					    sizeof(double)) = sums[HEAD] / sums[BASE];
	return GOES_ON;
}

/*
 * The block's result for a case: the mean of the faster half of all the head's parts over the base's. The
 * executables alternate, so the machine's fast and slow moments affect both alike. The fast ones contain the
 * least foreign time. The parts of all segments count together, so no single disturbed or lucky segment
 * decides.
 */
static enum step conclude(struct block *block, const struct paired_case *paired_case)
{
	double times[EXECUTABLES];
	uint64_t iterations = 0;
	for (int who = BASE; who < EXECUTABLES; who++) {
		times[who] = bench_stats_smaller_half(paired_case->times[who], paired_case->time_count[who]);
		iterations += paired_case->time_count[who] * paired_case->length->iterations[who];
	}
	return times[BASE] > 0 && times[HEAD] > 0 ? emit(block, paired_case, BENCH_SAMPLE_RELATIVE,
							 times[HEAD] / times[BASE], iterations)
						  : GOES_ON;
}

static bool is_live(const struct paired_case *paired_case)
{
	return paired_case->set_up[BASE] && paired_case->set_up[HEAD] && !paired_case->failed;
}

/* Writes what a message of an observing worker says. */
static enum step take_observed(struct block *block, const struct paired_case *paired_case, int who,
			       const char *message)
{
	struct bench_observed_message told;
	struct bench_event event = {.index = paired_case->index, .invocation = (int)block->job->invocation};
	enum step step = GOES_ON;
	if (!bench_session_observed_read(message, who == BASE, paired_case->functions, &told))
		return GOES_ON;
	if (told.is_sample) {
		event.kind = BENCH_EVENT_SAMPLE;
		event.sample = told.sample;
		event.sample.at = bench_clock_seconds() - block->start;
		step = write_event(block, &event);
	}
	if (told.is_note && step == GOES_ON) {
		event.kind = BENCH_EVENT_NOTE;
		event.note = told.note;
		step = write_event(block, &event);
	}
	return step;
}

/* Asks one worker what it has observed. A case of fixed samples is not run again for its functions. */
static enum step observe(struct block *block, struct paired_case *paired_case, int who)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	double each = bench_stats_smaller_half(paired_case->times[who], paired_case->time_count[who]);
	double iterations = paired_case->fixed || !(each > 0) ? 0 : ceil(PROFILE_SECONDS / each);
	bench_worker_segments_send(block->workers[who].channel, "observe %zu %" PRIu64, paired_case->index,
				   (uint64_t)fmin(iterations, 1e9));
	for (;;) {
		enum step step = receive(block, who, block->options->limits.time_seconds, message);
		if (step != GOES_ON || strcmp(message, "observed") == 0)
			return step;
		paired_case->failed = strncmp(message, "failed", 6) == 0;
		if (paired_case->failed)
			return GOES_ON;
		step = take_observed(block, paired_case, who, message);
		if (step != GOES_ON)
			return step;
	}
}

static enum step observe_all(struct block *block)
{
	for (size_t i = 0; i < block->job->case_count; i++)
		for (int who = BASE; who < EXECUTABLES; who++) {
			struct paired_case *paired_case = &block->paired_cases[i];
			enum step step = is_live(paired_case) && paired_case->time_count[who]
						 ? observe(block, paired_case, who)
						 : GOES_ON;
			if (step != GOES_ON)
				return step;
		}
	return GOES_ON;
}

/* See calibrate. */
static void discard_unequal_lengths(struct bench_segment_length *length)
{
	if (segment_iterations(length, BASE) != segment_iterations(length, HEAD))
		*length = (struct bench_segment_length){0};
}

static bool is_full(const struct paired_case *paired_case)
{
	return paired_case->fixed ? paired_case->taken >= paired_case->fixed
				  : paired_case->taken >= MAX_SAMPLES;
}

static bool is_precise(const struct paired_case *paired_case, double precision)
{
	if (paired_case->fixed || paired_case->ratio_count < MIN_QUADRUPLES)
		return false;
	struct bench_interval interval =
		bench_stats_median_interval(paired_case->ratios, paired_case->ratio_count, 0.95);
	return interval.hi - interval.lo <= 2 * precision * interval.estimate;
}

/* Visits all cases in turn, over and over. *precise: it ended because every ratio is known well enough. */
static enum step measure(struct block *block, bool *precise)
{
	const struct bench_job *job = block->job;
	double until = bench_clock_seconds() + job->slice_seconds;
	for (size_t i = 0; i < job->case_count; i++) {
		enum step step = is_live(&block->paired_cases[i]) ? calibrate(block, &block->paired_cases[i])
								  : GOES_ON;
		if (step != GOES_ON)
			return step;
	}
	for (bool some = true; some && !*precise;) {
		some = false;
		*precise = true;
		for (size_t i = 0; i < job->case_count; i++) {
			struct paired_case *paired_case = &block->paired_cases[i];
			bool least = paired_case->fixed ? is_full(paired_case) : paired_case->taken > 0;
			if (!is_live(paired_case) || is_full(paired_case) ||
			    (least && bench_clock_seconds() >= until))
				continue;
			some = true;
			for (int q = 0; q < VISIT_QUADRUPLES && is_live(paired_case) && !is_full(paired_case);
			     q++) {
				enum step step = take_quadruple(block, paired_case);
				if (step != GOES_ON)
					return step;
			}
			*precise &= is_precise(paired_case, job->precision);
		}
		*precise &= some;
	}
	for (size_t i = 0; i < job->case_count; i++)
		if (is_live(&block->paired_cases[i]) && conclude(block, &block->paired_cases[i]) != GOES_ON)
			return ERROR;
	return GOES_ON;
}

/* Waits for the end of a worker that has its command to leave. */
static enum step dismiss(struct block *block, int who)
{
	struct bench_block_end *end = block->end;
	enum bench_process_end outcome = bench_session_process_wait(
		&block->workers[who].process, &block->options->limits, end->what, sizeof(end->what));
	take_end(block, who, outcome);
	return outcome == BENCH_EXITED ? GOES_ON : OVER;
}

/* Likewise of the base, all of whose part is done: whatever it does now, the head's results hold. */
static void dismiss_base(struct block *block)
{
	const struct bench_block_end of_head = *block->end;
	if (dismiss(block, BASE) == OVER && block->end->outcome != BENCH_STOPPED)
		bench_record_folder_log(block->folder, "the base, after all was measured: %s",
					block->end->what);
	*block->end = of_head;
}

/* A case that the base failed has nothing to compare the head with. */
static void drop_where_base_failed(struct block *block, const char *line, size_t length)
{
	struct bench_event event;
	if (bench_record_event_read(line, length, "an event of the base", &event, NULL) != 0)
		return;
	if (event.kind == BENCH_EVENT_END && event.end.status != BENCH_STATUS_OK)
		bench_worker_segments_send(block->workers[HEAD].channel, "drop %zu in the base: %s: %s",
					   event.index, bench_record_status_name(event.end.status),
					   event.end.reason);
	bench_record_event_free(&event);
}

static int read_base(struct block *block)
{
	int fd = block->workers[BASE].events;
	off_t size = lseek(fd, 0, SEEK_END);
	char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
	ssize_t got = data ? pread(fd, data, (size_t)size, 0) : -1;
	if (got != size || !data) {
		free(data);
		return bench_fail(block->error, BENCH_ENVIRONMENT, "cannot read the base's events: %s",
				  got < 0 ? strerror(errno) : "there are fewer than there were");
	}
	for (char *line = data, *end; (end = memchr(line, '\n', (size_t)(data + got - line))); line = end + 1)
		drop_where_base_failed(block, line, (size_t)(end - line));
	free(data);
	return 0;
}

/* Both check their first calls, at the same time: nothing is being timed. */
static enum step check_first(struct block *block)
{
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].channel, "check");
	enum step step = receive_cases(block, BASE);
	return step == GOES_ON ? receive_cases(block, HEAD) : step;
}

/* Both check their cases once more, at the same time: nothing more is timed. */
static enum step check_both(struct block *block, bool precise)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].channel, "end %s",
					   precise ? "precision" : "budget");
	for (int who = BASE; who < EXECUTABLES; who++) {
		enum step step = receive(block, who, block->options->limits.time_seconds, message);
		if (step != GOES_ON)
			return step;
	}
	for (size_t i = 0; i < block->job->case_count; i++)
		if (*block->paired_cases[i].refused)
			bench_worker_segments_send(block->workers[HEAD].channel, "drop %zu %s",
						   block->paired_cases[i].index,
						   block->paired_cases[i].refused);
	return read_base(block) == 0 ? GOES_ON : ERROR;
}

static enum step measure_block(struct block *block)
{
	bool precise = false;
	enum step step = start_both(block);
	if (step == GOES_ON)
		step = set_up_both(block);
	if (step == GOES_ON)
		step = check_first(block);
	if (step == GOES_ON)
		step = measure(block, &precise);
	if (step == GOES_ON && block->observed)
		step = observe_all(block);
	if (step == GOES_ON)
		step = check_both(block, precise);
	if (step != GOES_ON)
		return step;
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->workers[who].channel, "leave");
	step = dismiss(block, HEAD);
	if (step == GOES_ON)
		dismiss_base(block);
	return step;
}

/* Kills the worker if it is still running, then closes its descriptors. The kill comes first: a worker whose
 * socket closes reports its cases as ended, and another block may yet measure them. */
static void leave(struct duel_worker *worker)
{
	const struct bench_process_limits limits = {.time_seconds = EXIT_SECONDS};
	char what[64];
	if (worker->started) {
		kill(worker->process.pid, SIGKILL);
		bench_session_process_wait(&worker->process, &limits, what, sizeof(what));
	}
	if (worker->channel >= 0)
		close(worker->channel);
	if (worker->events >= 0)
		close(worker->events);
}

int bench_session_measure_block(const struct bench_duel *duel, const struct bench_job *job,
				struct bench_folder *folder, const struct bench_block_options *options,
				struct bench_block_end *end, struct bench_error *error)
{
	struct block block = {.job = job,
			      .folder = folder,
			      .options = options,
			      .end = end,
			      .error = error,
			      .start = bench_clock_seconds(),
			      .observed = duel->observed,
			      .workers = {[BASE] = {.program = &duel->base, .channel = -1, .events = -1},
					  [HEAD] = {.program = &duel->head, .channel = -1, .events = -1}}};
	*end = (struct bench_block_end){.current = -1};
	block.paired_cases = bench_arena_alloc(&block.arena, job->case_count, sizeof(*block.paired_cases));
	for (size_t i = 0; i < job->case_count; i++) {
		block.paired_cases[i].index = job->cases[i].index;
		block.paired_cases[i].length = &options->lengths[job->cases[i].index];
		block.paired_cases[i].functions = &options->functions[job->cases[i].index];
	}
	enum step step = measure_block(&block);
	for (int who = BASE; who < EXECUTABLES; who++)
		leave(&block.workers[who]);
	for (size_t i = 0; i < job->case_count; i++)
		discard_unequal_lengths(block.paired_cases[i].length);
	bench_arena_free(&block.arena);
	return step == ERROR ? -1 : 0;
}
