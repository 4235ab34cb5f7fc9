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
#include "record/event.h"
#include "stats/stats.h"

#define SAMPLE_SECONDS                                                                                       \
	2e-3                  /* a sample's least length: with less, waking and waiting is most of a segment \
			       */
#define PARTS            16   /* of a sample, timed by themselves; fewer where its iterations are fewer */
#define STRETCH          16   /* times as many iterations as a program needs, for the sake of the other */
#define PROBES           4    /* parts of a segment that finds out how long an iteration takes */
#define PROBE_SECONDS    2e-4 /* a part's least length then */
#define LONG_SECONDS     20e-3 /* of a call: of one that takes as long on both programs, a single one tells */
#define CALIBRATION_MAX  12
#define GROWTH_MAX       10
#define VISIT_QUADRUPLES 2    /* ABBA and BAAB before the next case: what a place in the row does falls out */
#define MIN_QUADRUPLES   6    /* before the precision may end it: fewer have no 95% interval */
#define MAX_SAMPLES      2000 /* of a program, in a block */
#define GREETING_SECONDS 60.0 /* some drivers take their time to find devices */
#define EXIT_SECONDS     10.0

enum { BASE, HEAD, EXECUTABLES };

struct duelist {
	const struct bench_session_program *program;
	struct bench_process process;
	bool started;
	int channel; /* our end of its socket; -1: none */
	int events;  /* where its events go */
};

/* A case that is set up on both programs. */
struct paired_case {
	size_t index; /* in the record */
	bool set_up[EXECUTABLES];
	size_t fixed; /* samples a program; 0: as it comes */
	struct bench_segment_length *length;
	bool failed; /* on one of the programs, which tells it by itself */
	bool backwards;
	size_t taken;   /* samples a program */
	double *ratios; /* of quadruples, for the precision */
	size_t ratio_count;
	double *times[EXECUTABLES]; /* of all parts, for an iteration */
	size_t time_count[EXECUTABLES];
};

struct block {
	const struct bench_job *job;
	struct bench_folder *folder;
	const struct bench_block_options *options;
	struct bench_block_end *end;
	struct bench_error *error;
	struct bench_arena arena;
	struct duelist duelists[EXECUTABLES];
	struct paired_case *paired_cases; /* one a case of the job */
	double start;
};

/* What a step comes to: ERROR has filled `error`, OVER has filled `end`. */
enum step { GOES_ON, OVER, ERROR };

/* The worker `who` has ended, hangs, or is to be stopped: `outcome` is what is known so far. */
static enum step over(struct block *block, int who, enum bench_process_end outcome)
{
	struct duelist *duelist = &block->duelists[who];
	struct bench_block_end *end = block->end;
	if (outcome != BENCH_CRASHED)
		kill(duelist->process.pid, SIGKILL);
	enum bench_process_end ended =
		bench_session_process_wait(&duelist->process, EXIT_SECONDS, 0, NULL, NULL,
					   block->options->stop, end->what, sizeof(end->what));
	duelist->started = false;
	end->outcome = ended == BENCH_STOPPED ? BENCH_STOPPED : outcome;
	end->by_base = who == BASE;
	end->current = duelist->process.current;
	end->exit_status = duelist->process.exit_status;
	if (outcome == BENCH_HUNG)
		snprintf(end->what, sizeof(end->what),
			 "gave no sign of life for %.0f s and was ended (--time-limit)",
			 block->options->time_limit_seconds);
	else if (ended == BENCH_EXITED)
		snprintf(end->what, sizeof(end->what),
			 "its process ended in the middle; run.log may say more");
	return OVER;
}

/* The next message of `who`, whose segment it is. */
static enum step receive(struct block *block, int who, double limit_seconds,
			 char message[BENCH_SEGMENTS_MESSAGE])
{
	const struct bench_block_options *options = block->options;
	struct duelist *duelist = &block->duelists[who];
	unsigned long beats = atomic_load(&duelist->process.heartbeat->beats);
	double alive = bench_clock_seconds();
	int pause_ms = (int)(1000 * (options->tick_seconds > 0 ? options->tick_seconds : 1.0));
	for (;;) {
		struct pollfd ready = {.fd = duelist->channel, .events = POLLIN};
		int got = poll(&ready, 1, pause_ms);
		if (options->stop && *options->stop)
			return over(block, who, BENCH_STOPPED);
		if (got > 0)
			return bench_worker_segments_receive(duelist->channel, message)
				       ? GOES_ON
				       : over(block, who, BENCH_CRASHED);
		unsigned long seen = atomic_load(&duelist->process.heartbeat->beats);
		if (seen != beats) {
			beats = seen;
			alive = bench_clock_seconds();
		} else if (bench_clock_seconds() - alive > limit_seconds) {
			return over(block, who, BENCH_HUNG);
		}
		if (options->tick && options->tick_seconds > 0)
			options->tick(options->context);
	}
}

/* What a program is told; malloc'd. */
static char *write_job(const struct block *block, int who)
{
	struct bench_job job = *block->job;
	job.paired = true;
	/* What an old version, which does not wait for its segments, takes before it is found out. */
	job.slice_seconds = 0;
	job.overrides = bench_session_program_overrides(block->duelists[who].program, &block->job->overrides);
	return bench_worker_job_to_json(&job);
}

static int start_worker(struct block *block, int who)
{
	struct duelist *duelist = &block->duelists[who];
	int sockets[2];
	if (who == BASE)
		duelist->events = memfd_create("bench-base-events", MFD_CLOEXEC);
	else
		duelist->events = fcntl(block->folder->events, F_DUPFD_CLOEXEC, 16);
	if (duelist->events < 0 || fcntl(duelist->events, F_SETFL, O_APPEND) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
		return bench_fail(block->error, BENCH_ENVIRONMENT, "cannot connect to a worker: %s",
				  strerror(errno));
	/* Out of the way of the numbers that the worker's descriptors get. */
	struct bench_process_setup setup = {.environment = bench_session_program_environment(
						    duelist->program, block->duelists[!who].program,
						    &block->job->overrides, &block->arena),
					    .channel = fcntl(sockets[1], F_DUPFD_CLOEXEC, 16),
					    .fixed_layout = true};
	duelist->channel = sockets[0];
	close(sockets[1]);
	char *input = write_job(block, who);
	int result = input ? bench_session_process_start(&duelist->process, duelist->program->executable,
							 block->options->arguments, &setup, input,
							 duelist->events, block->folder->log, block->error)
			   : bench_fail(block->error, BENCH_NO_MEMORY, "no memory for a job");
	free(input);
	close(setup.channel);
	duelist->started = result == 0;
	return result;
}

/* What a worker that does not greet is. */
static enum step refuse(struct block *block, int who)
{
	const struct bench_session_program *program = block->duelists[who].program;
	if (block->end->outcome == BENCH_STOPPED)
		return OVER;
	bench_fail(block->error, BENCH_NOTHING,
		   "'%s' (%s) does not take turns as a worker: it needs a version of bench whose duels speak "
		   "%s, or it ended early; %s/run.log may say more",
		   program->text, program->version ? program->version : "no version", BENCH_SEGMENTS_GREETING,
		   block->folder->path);
	return ERROR;
}

/* Starts both programs, which find their devices at the same time. */
static enum step start_both(struct block *block)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (int who = BASE; who < EXECUTABLES; who++)
		if (start_worker(block, who) != 0)
			return ERROR;
	for (int who = BASE; who < EXECUTABLES; who++)
		if (receive(block, who, GREETING_SECONDS, message) != GOES_ON ||
		    strcmp(message, BENCH_SEGMENTS_GREETING) != 0)
			return refuse(block, who);
	return GOES_ON;
}

/* Waits until one program has done what it was told to. */
static enum step receive_done(struct block *block, int who, const char *done)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	enum step step = receive(block, who, block->options->time_limit_seconds, message);
	return step == GOES_ON && strcmp(message, done) != 0 ? refuse(block, who) : step;
}

/*
 * Both set up at the same time, and make their first calls one after the other: program by program they would
 * spoil what is measured by the way, such as a convolution's choice of its algorithm.
 */
static enum step set_up_both(struct block *block)
{
	int first = block->job->invocation % 2 ? HEAD : BASE;
	enum step step = GOES_ON;
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->duelists[who].channel, "set up");
	for (int who = BASE; who < EXECUTABLES && step == GOES_ON; who++)
		step = receive_done(block, who, "set up");
	for (int i = 0; i < EXECUTABLES && step == GOES_ON; i++) {
		int who = i ? !first : first;
		bench_worker_segments_send(block->duelists[who].channel, "call");
		step = receive_done(block, who, "called");
	}
	return step;
}

/* Hears which cases one program has set up, and found right. */
static enum step receive_cases(struct block *block, int who)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (;;) {
		size_t index, fixed;
		enum step step = receive(block, who, block->options->time_limit_seconds, message);
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

/* Reads "took SECONDS ..." of so many parts. */
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

/* A segment of one program: seconds for an iteration, in each of its parts. A failure is the case's: the
 * worker tells why in its events. */
static enum step take(struct block *block, struct paired_case *paired_case, int who, double *seconds)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	const struct bench_segment_length *length = paired_case->length;
	/* One that is not there any more is found out by listening. */
	bench_worker_segments_send(block->duelists[who].channel, "run %zu %u %" PRIu64, paired_case->index,
				   length->parts[who], length->iterations[who]);
	enum step step = receive(block, who, block->options->time_limit_seconds, message);
	if (step == GOES_ON && !read_parts(message, seconds, length->parts[who]))
		paired_case->failed = true;
	return step;
}

/* Seconds for an iteration of one program, in the fastest of a few parts: what else ran in the others is not
 * its own. */
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

/* What an iteration takes on both programs, about. Of what is long on both, one call is enough. */
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

static uint64_t needed(double each)
{
	return each > 0 ? (uint64_t)fmax(ceil(SAMPLE_SECONDS / each), 1) : 1;
}

static uint64_t segment_iterations(const struct bench_segment_length *length, int who)
{
	return length->parts[who] * length->iterations[who];
}

/*
 * Both programs run as often as the one that needs it most, and both equally often in the whole duel: what a
 * block that found another machine takes is longer or shorter, and no worse. Unless they differ by far. Then
 * each block finds out anew: if it was not the programs that differed but the machine, then what their
 * segments' lengths do to their times must not be the same in every block, where it would pass for a
 * difference of their code.
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
	if (kind == BENCH_SAMPLE_BASE_TIME) { /* not one that every run may have */
		event.sample.unit = "s";
		event.sample.better = bench_record_better_name(BENCH_BETTER_NONE);
	}
	char *line = bench_record_event_line(&event);
	int result = line ? bench_record_folder_event(block->folder, line, block->error)
			  : bench_fail(block->error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result == 0 ? GOES_ON : ERROR;
}

/* A sample of one program, from one segment: an iteration in the faster half of its parts. */
static enum step take_sample(struct block *block, struct paired_case *paired_case, int who, double *seconds)
{
	double parts[BENCH_SEGMENTS_PARTS];
	enum step step = take(block, paired_case, who, parts);
	if (step != GOES_ON || paired_case->failed)
		return step;
	unsigned count = paired_case->length->parts[who];
	*seconds = bench_stats_smaller_half(parts, count);
	for (unsigned i = 0; i < count; i++)
		*(double *)bench_arena_push(&block->arena, &paired_case->times[who],
					    &paired_case->time_count[who], sizeof(parts[i])) = parts[i];
	return GOES_ON;
}

/* A B B A, or where it is `backwards` B A A B; A B alone where no more samples are due. */
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
	/* Below the clock's resolution there is no ratio. */
	if (sums[BASE] > 0 && sums[HEAD] > 0)
		*(double *)bench_arena_push(&block->arena, &paired_case->ratios, &paired_case->ratio_count,
					    sizeof(double)) = sums[HEAD] / sums[BASE];
	return GOES_ON;
}

/*
 * What the block says of a case. Each program's faster half of all its parts: the programs alternate, so that
 * the machine's fast and slow moments come to both of them alike, and in the fast ones there is least that is
 * not the case's own. From many segments at once, which neither one that was hit spoils nor one that was
 * lucky makes.
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

static void discard_unequal_lengths(struct bench_segment_length *length)
{
	if (segment_iterations(length, BASE) != segment_iterations(length, HEAD))
		*length = (struct bench_segment_length){0};
}

static bool is_live(const struct paired_case *paired_case)
{
	return paired_case->set_up[BASE] && paired_case->set_up[HEAD] && !paired_case->failed;
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

/* All cases in segment, again and again. *precise: it ended because every ratio is known well enough. */
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

/* Waits for a program that is on its way out. */
static enum step dismiss(struct block *block, int who)
{
	struct duelist *duelist = &block->duelists[who];
	struct bench_block_end *end = block->end;
	end->outcome = bench_session_process_wait(&duelist->process, block->options->time_limit_seconds,
						  block->options->tick_seconds, block->options->tick,
						  block->options->context, block->options->stop, end->what,
						  sizeof(end->what));
	duelist->started = false;
	end->by_base = who == BASE;
	end->current = duelist->process.current;
	end->exit_status = duelist->process.exit_status;
	return end->outcome == BENCH_EXITED ? GOES_ON : OVER;
}

/* Where the base failed a case there is nothing to set the head's against. */
static void drop_where_base_failed(struct block *block, const char *line, size_t length)
{
	struct bench_event event;
	if (bench_record_event_read(line, length, "an event of the base", &event, NULL) != 0)
		return;
	if (event.kind == BENCH_EVENT_END && event.end.status != BENCH_STATUS_OK)
		bench_worker_segments_send(block->duelists[HEAD].channel, "drop %zu in the base: %s: %s",
					   event.index, bench_record_status_name(event.end.status),
					   event.end.reason);
	bench_record_event_free(&event);
}

static int read_base(struct block *block)
{
	int fd = block->duelists[BASE].events;
	off_t size = lseek(fd, 0, SEEK_END);
	char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
	ssize_t got = data ? pread(fd, data, (size_t)size, 0) : -1;
	if (got < 0) {
		free(data);
		return bench_fail(block->error, BENCH_NO_MEMORY, "cannot read the base's events");
	}
	data[got] = '\0';
	for (char *line = data, *end; (end = strchr(line, '\n')); line = end + 1)
		drop_where_base_failed(block, line, (size_t)(end - line));
	free(data);
	return 0;
}

/* Both check their first calls, at the same time: these have been timed. */
static enum step check_first(struct block *block)
{
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->duelists[who].channel, "check");
	enum step step = receive_cases(block, BASE);
	return step == GOES_ON ? receive_cases(block, HEAD) : step;
}

/* Both check their cases once more, at the same time: nothing is timed any more. */
static enum step check_both(struct block *block, bool precise)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	for (int who = BASE; who < EXECUTABLES; who++)
		bench_worker_segments_send(block->duelists[who].channel, "end %s",
					   precise ? "precision" : "budget");
	for (int who = BASE; who < EXECUTABLES; who++) {
		enum step step = receive(block, who, block->options->time_limit_seconds, message);
		if (step != GOES_ON)
			return step;
	}
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
	if (step == GOES_ON)
		step = check_both(block, precise);
	for (int who = BASE; who < EXECUTABLES && step == GOES_ON; who++)
		bench_worker_segments_send(block->duelists[who].channel, "leave");
	for (int who = BASE; who < EXECUTABLES && step == GOES_ON; who++)
		step = dismiss(block, who);
	return step;
}

/* Nobody is left behind. Ended before it is left alone: it would end its cases, which another block may yet
 * measure. */
static void leave(struct duelist *duelist)
{
	char what[64];
	if (duelist->started) {
		kill(duelist->process.pid, SIGKILL);
		bench_session_process_wait(&duelist->process, EXIT_SECONDS, 0, NULL, NULL, NULL, what,
					   sizeof(what));
	}
	if (duelist->channel >= 0)
		close(duelist->channel);
	if (duelist->events >= 0)
		close(duelist->events);
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
			      .duelists = {[BASE] = {.program = &duel->base, .channel = -1, .events = -1},
					   [HEAD] = {.program = &duel->head, .channel = -1, .events = -1}}};
	*end = (struct bench_block_end){.current = -1, .exit_status = -1};
	block.paired_cases = bench_arena_alloc(&block.arena, job->case_count, sizeof(*block.paired_cases));
	for (size_t i = 0; i < job->case_count; i++) {
		block.paired_cases[i].index = job->cases[i].index;
		block.paired_cases[i].length = &options->lengths[job->cases[i].index];
	}
	enum step step = measure_block(&block);
	for (int who = BASE; who < EXECUTABLES; who++)
		leave(&block.duelists[who]);
	for (size_t i = 0; i < job->case_count; i++)
		discard_unequal_lengths(block.paired_cases[i].length);
	bench_arena_free(&block.arena);
	return step == ERROR ? -1 : 0;
}
