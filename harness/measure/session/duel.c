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
#include "measure/worker/turns.h"
#include "record/event.h"
#include "stats/stats.h"

#define SAMPLE_SECONDS   2e-3  /* a sample's least length: with less, waking and waiting is most of a turn */
#define PARTS            16    /* of a sample, timed by themselves; fewer where its iterations are fewer */
#define STRETCH          16    /* times as many iterations as a side needs, for the sake of the other */
#define PROBES           4     /* parts of a turn that finds out how long an iteration takes */
#define PROBE_SECONDS    2e-4  /* a part's least length then */
#define LONG_SECONDS     20e-3 /* of a call: of one that takes as long on both sides, a single one tells */
#define CALIBRATION_MAX  12
#define GROWTH_MAX       10
#define VISIT_QUADRUPLES 2    /* ABBA and BAAB before the next case: what a place in the row does falls out */
#define MIN_QUADRUPLES   6    /* before the precision may end it: fewer have no 95% interval */
#define MAX_SAMPLES      2000 /* of a side, in a bout */
#define GREETING_SECONDS 60.0 /* some drivers take their time to find devices */
#define EXIT_SECONDS     10.0

enum { BASE, HEAD, SIDES };

struct fighter {
	const struct bench_side *side;
	struct bench_process process;
	bool started;
	int turns;  /* our end of its socket; -1: none */
	int events; /* where its events go */
};

/* A case that is set up on both sides. */
struct match {
	size_t index; /* in the record */
	bool set_up[SIDES];
	size_t fixed; /* samples a side; 0: as it comes */
	struct bench_turn_length *length;
	bool failed; /* on one of the sides, which tells it by itself */
	bool backwards;
	size_t taken;   /* samples a side */
	double *ratios; /* of quadruples, for the precision */
	size_t ratio_count;
	double *times[SIDES]; /* of all parts, for an iteration */
	size_t time_count[SIDES];
};

struct bout {
	const struct bench_job *job;
	struct bench_folder *folder;
	const struct bench_bout_options *options;
	struct bench_bout_end *end;
	struct bench_error *error;
	struct bench_arena arena;
	struct fighter fighters[SIDES];
	struct match *matches; /* one a case of the job */
	double start;
};

/* What a step comes to: ERROR has filled `error`, OVER has filled `end`. */
enum step { GOES_ON, OVER, ERROR };

/* The worker `who` has ended, hangs, or is to be stopped: `outcome` is what is known so far. */
static enum step over(struct bout *bout, int who, enum bench_process_end outcome)
{
	struct fighter *fighter = &bout->fighters[who];
	struct bench_bout_end *end = bout->end;
	if (outcome != BENCH_CRASHED)
		kill(fighter->process.pid, SIGKILL);
	enum bench_process_end ended = bench_process_wait(&fighter->process, EXIT_SECONDS, 0, NULL, NULL,
							  bout->options->stop, end->what, sizeof(end->what));
	fighter->started = false;
	end->outcome = ended == BENCH_STOPPED ? BENCH_STOPPED : outcome;
	end->by_base = who == BASE;
	end->current = fighter->process.current;
	end->exit_status = fighter->process.exit_status;
	if (outcome == BENCH_HUNG)
		snprintf(end->what, sizeof(end->what),
			 "gave no sign of life for %.0f s and was ended (--time-limit)",
			 bout->options->time_limit_seconds);
	else if (ended == BENCH_EXITED)
		snprintf(end->what, sizeof(end->what),
			 "its process ended in the middle; run.log may say more");
	return OVER;
}

/* The next message of `who`, whose turn it is. */
static enum step hear(struct bout *bout, int who, double limit_seconds, char message[BENCH_TURNS_MESSAGE])
{
	const struct bench_bout_options *options = bout->options;
	struct fighter *fighter = &bout->fighters[who];
	unsigned long beats = atomic_load(&fighter->process.pulse->beats);
	double alive = bench_clock_seconds();
	int pause_ms = (int)(1000 * (options->tick_seconds > 0 ? options->tick_seconds : 1.0));
	for (;;) {
		struct pollfd ready = {.fd = fighter->turns, .events = POLLIN};
		int got = poll(&ready, 1, pause_ms);
		if (options->stop && *options->stop)
			return over(bout, who, BENCH_STOPPED);
		if (got > 0)
			return bench_turns_receive(fighter->turns, message) ? GOES_ON
									    : over(bout, who, BENCH_CRASHED);
		unsigned long seen = atomic_load(&fighter->process.pulse->beats);
		if (seen != beats) {
			beats = seen;
			alive = bench_clock_seconds();
		} else if (bench_clock_seconds() - alive > limit_seconds) {
			return over(bout, who, BENCH_HUNG);
		}
		if (options->tick && options->tick_seconds > 0)
			options->tick(options->context);
	}
}

/* What a side is told; malloc'd. */
static char *write_job(const struct bout *bout, int who)
{
	struct bench_job job = *bout->job;
	job.turns = true;
	/* What an old version, which does not wait for its turns, takes before it is found out. */
	job.slice_seconds = 0;
	job.overrides = bench_side_overrides(bout->fighters[who].side, &bout->job->overrides);
	return bench_job_to_json(&job);
}

static int start_worker(struct bout *bout, int who)
{
	struct fighter *fighter = &bout->fighters[who];
	int sockets[2];
	if (who == BASE)
		fighter->events = memfd_create("bench-base-events", MFD_CLOEXEC);
	else
		fighter->events = fcntl(bout->folder->events, F_DUPFD_CLOEXEC, 16);
	if (fighter->events < 0 || fcntl(fighter->events, F_SETFL, O_APPEND) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
		return bench_fail(bout->error, BENCH_ENVIRONMENT, "cannot connect to a worker: %s",
				  strerror(errno));
	/* Out of the way of the numbers that the worker's descriptors get. */
	struct bench_process_setup setup = {
		.environment = bench_side_environment(fighter->side, bout->fighters[!who].side,
						      &bout->job->overrides, &bout->arena),
		.turns = fcntl(sockets[1], F_DUPFD_CLOEXEC, 16),
		.fixed_layout = true};
	fighter->turns = sockets[0];
	close(sockets[1]);
	char *input = write_job(bout, who);
	int result = input ? bench_process_start(&fighter->process, fighter->side->executable,
						 bout->options->arguments, &setup, input, fighter->events,
						 bout->folder->log, bout->error)
			   : bench_fail(bout->error, BENCH_NO_MEMORY, "no memory for a job");
	free(input);
	close(setup.turns);
	fighter->started = result == 0;
	return result;
}

/* What a worker that does not greet is. */
static enum step refuse(struct bout *bout, int who)
{
	const struct bench_side *side = bout->fighters[who].side;
	if (bout->end->outcome == BENCH_STOPPED)
		return OVER;
	bench_fail(bout->error, BENCH_NOTHING,
		   "'%s' (%s) does not take turns as a worker: it needs a version of bench whose duels speak "
		   "%s, or it ended early; %s/run.log may say more",
		   side->text, side->version ? side->version : "no version", BENCH_TURNS_GREETING,
		   bout->folder->path);
	return ERROR;
}

/* Starts both sides, which find their devices at the same time. */
static enum step start_both(struct bout *bout)
{
	char message[BENCH_TURNS_MESSAGE];
	for (int who = BASE; who < SIDES; who++)
		if (start_worker(bout, who) != 0)
			return ERROR;
	for (int who = BASE; who < SIDES; who++)
		if (hear(bout, who, GREETING_SECONDS, message) != GOES_ON ||
		    strcmp(message, BENCH_TURNS_GREETING) != 0)
			return refuse(bout, who);
	return GOES_ON;
}

/* Waits until one side has done what it was told to. */
static enum step hear_done(struct bout *bout, int who, const char *done)
{
	char message[BENCH_TURNS_MESSAGE];
	enum step step = hear(bout, who, bout->options->time_limit_seconds, message);
	return step == GOES_ON && strcmp(message, done) != 0 ? refuse(bout, who) : step;
}

/*
 * Both set up at the same time, and make their first calls one after the other: side by side they would spoil
 * what is measured by the way, such as a convolution's choice of its algorithm.
 */
static enum step bring_in(struct bout *bout)
{
	int first = bout->job->invocation % 2 ? HEAD : BASE;
	enum step step = GOES_ON;
	for (int who = BASE; who < SIDES; who++)
		bench_turns_send(bout->fighters[who].turns, "set up");
	for (int who = BASE; who < SIDES && step == GOES_ON; who++)
		step = hear_done(bout, who, "set up");
	for (int i = 0; i < SIDES && step == GOES_ON; i++) {
		int who = i ? !first : first;
		bench_turns_send(bout->fighters[who].turns, "call");
		step = hear_done(bout, who, "called");
	}
	return step;
}

/* Hears which cases one side has set up, and found right. */
static enum step hear_cases(struct bout *bout, int who)
{
	char message[BENCH_TURNS_MESSAGE];
	for (;;) {
		size_t index, fixed;
		enum step step = hear(bout, who, bout->options->time_limit_seconds, message);
		if (step != GOES_ON || strcmp(message, "ready") == 0)
			return step;
		if (sscanf(message, "case %zu %zu", &index, &fixed) != 2)
			return refuse(bout, who);
		for (size_t i = 0; i < bout->job->case_count; i++) {
			struct match *match = &bout->matches[i];
			if (match->index != index)
				continue;
			match->set_up[who] = true;
			match->fixed = fixed;
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

/* A turn of one side: seconds for an iteration, in each of its parts. A failure is the case's: the worker
 * tells why in its events. */
static enum step take(struct bout *bout, struct match *match, int who, double *seconds)
{
	char message[BENCH_TURNS_MESSAGE] = "";
	const struct bench_turn_length *length = match->length;
	/* One that is not there any more is found out by listening. */
	bench_turns_send(bout->fighters[who].turns, "run %zu %u %" PRIu64, match->index, length->parts[who],
			 length->iterations[who]);
	enum step step = hear(bout, who, bout->options->time_limit_seconds, message);
	if (step == GOES_ON && !read_parts(message, seconds, length->parts[who]))
		match->failed = true;
	return step;
}

/* Seconds for an iteration of one side, in the fastest of a few parts: what else ran in the others is not its
 * own. */
static enum step probe(struct bout *bout, struct match *match, int who, unsigned parts, uint64_t iterations,
		       double *each)
{
	double seconds[PROBES] = {0};
	match->length->parts[who] = parts;
	match->length->iterations[who] = iterations;
	enum step step = take(bout, match, who, seconds);
	*each = seconds[0];
	for (unsigned i = 1; i < parts && step == GOES_ON && !match->failed; i++)
		*each = fmin(*each, seconds[i]);
	return step;
}

/* What an iteration takes on both sides, about. Of what is long on both, one call is enough. */
static enum step probe_both(struct bout *bout, struct match *match, double each[SIDES])
{
	uint64_t iterations = 1;
	for (int i = 0; i < CALIBRATION_MAX; i++) {
		for (int who = BASE; who < SIDES; who++) {
			enum step step = probe(bout, match, who, i ? PROBES : 1, iterations, &each[who]);
			if (step != GOES_ON || match->failed)
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

static uint64_t turn_iterations(const struct bench_turn_length *length, int who)
{
	return length->parts[who] * length->iterations[who];
}

/*
 * Both sides run as often as the one that needs it most, and both equally often in the whole duel: what a
 * bout that found another machine takes is longer or shorter, and no worse. Unless they differ by far. Then
 * each bout finds out anew: if it was not the sides that differed but the machine, then what their turns'
 * lengths do to their times must not be the same in every bout, where it would pass for a difference of their
 * code.
 */
static enum step calibrate(struct bout *bout, struct match *match)
{
	struct bench_turn_length *length = match->length;
	double each[SIDES];
	if (length->parts[BASE])
		return GOES_ON;
	if (match->fixed) {
		for (int who = BASE; who < SIDES; who++)
			length->iterations[who] = length->parts[who] = 1;
		return GOES_ON;
	}
	enum step step = probe_both(bout, match, each);
	if (step != GOES_ON || match->failed) {
		*length = (struct bench_turn_length){0};
		return step;
	}
	uint64_t most = needed(fmin(each[BASE], each[HEAD]));
	for (int who = BASE; who < SIDES; who++) {
		uint64_t stretched = STRETCH * needed(each[who]);
		uint64_t all = most < stretched ? most : stretched;
		length->iterations[who] = (all + PARTS - 1) / PARTS;
		length->parts[who] =
			(unsigned)((all + length->iterations[who] - 1) / length->iterations[who]);
	}
	return GOES_ON;
}

static enum step emit(struct bout *bout, const struct match *match, enum bench_sample_kind kind, double value,
		      uint64_t iterations)
{
	struct bench_event event = {.kind = BENCH_EVENT_SAMPLE,
				    .index = match->index,
				    .invocation = (int)bout->job->invocation,
				    .sample = {.metric = bench_sample_name(kind),
					       .value = value,
					       .iterations = iterations,
					       .at = bench_clock_seconds() - bout->start}};
	if (kind == BENCH_SAMPLE_BASE_TIME) { /* not one that every run may have */
		event.sample.unit = "s";
		event.sample.better = bench_better_name(BENCH_BETTER_NONE);
	}
	char *line = bench_event_line(&event);
	int result = line ? bench_folder_event(bout->folder, line, bout->error)
			  : bench_fail(bout->error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result == 0 ? GOES_ON : ERROR;
}

/* A sample of one side, from one turn: an iteration in the faster half of its parts. */
static enum step take_sample(struct bout *bout, struct match *match, int who, double *seconds)
{
	double parts[BENCH_TURNS_PARTS];
	enum step step = take(bout, match, who, parts);
	if (step != GOES_ON || match->failed)
		return step;
	unsigned count = match->length->parts[who];
	*seconds = bench_stats_smaller_half(parts, count);
	for (unsigned i = 0; i < count; i++)
		*(double *)bench_arena_push(&bout->arena, &match->times[who], &match->time_count[who],
					    sizeof(parts[i])) = parts[i];
	return GOES_ON;
}

/* A B B A, or where it is `backwards` B A A B; A B alone where no more samples are due. */
static enum step take_quadruple(struct bout *bout, struct match *match)
{
	static const enum bench_sample_kind kinds[SIDES] = {BENCH_SAMPLE_BASE_TIME, BENCH_SAMPLE_TIME};
	size_t halves = match->fixed && match->fixed - match->taken < 2 ? 1 : 2;
	double seconds[SIDES][2], sums[SIDES] = {0};
	int first = match->backwards ? HEAD : BASE;
	for (size_t i = 0; i < 2 * halves; i++) {
		size_t half = i / 2;
		int who = (i + half) % 2 ? !first : first;
		enum step step = take_sample(bout, match, who, &seconds[who][half]);
		if (step != GOES_ON || match->failed)
			return step;
		sums[who] += seconds[who][half];
	}
	match->backwards = !match->backwards;
	match->taken += halves;
	for (size_t half = 0; half < halves; half++)
		for (int who = HEAD; who >= BASE; who--)
			if (emit(bout, match, kinds[who], seconds[who][half],
				 turn_iterations(match->length, who)) != GOES_ON)
				return ERROR;
	/* Below the clock's resolution there is no ratio. */
	if (sums[BASE] > 0 && sums[HEAD] > 0)
		*(double *)bench_arena_push(&bout->arena, &match->ratios, &match->ratio_count,
					    sizeof(double)) = sums[HEAD] / sums[BASE];
	return GOES_ON;
}

/*
 * What the bout says of a case. Each side's faster half of all its parts: the sides alternate, so that the
 * machine's fast and slow moments come to both of them alike, and in the fast ones there is least that is not
 * the case's own. From many turns at once, which neither one that was hit spoils nor one that was lucky
 * makes.
 */
static enum step conclude(struct bout *bout, const struct match *match)
{
	double times[SIDES];
	uint64_t iterations = 0;
	for (int who = BASE; who < SIDES; who++) {
		times[who] = bench_stats_smaller_half(match->times[who], match->time_count[who]);
		iterations += match->time_count[who] * match->length->iterations[who];
	}
	return times[BASE] > 0 && times[HEAD] > 0
		       ? emit(bout, match, BENCH_SAMPLE_RELATIVE, times[HEAD] / times[BASE], iterations)
		       : GOES_ON;
}

static void forget_unequal(struct bench_turn_length *length)
{
	if (turn_iterations(length, BASE) != turn_iterations(length, HEAD))
		*length = (struct bench_turn_length){0};
}

static bool is_live(const struct match *match)
{
	return match->set_up[BASE] && match->set_up[HEAD] && !match->failed;
}

static bool is_full(const struct match *match)
{
	return match->fixed ? match->taken >= match->fixed : match->taken >= MAX_SAMPLES;
}

static bool is_precise(const struct match *match, double precision)
{
	if (match->fixed || match->ratio_count < MIN_QUADRUPLES)
		return false;
	struct bench_interval interval = bench_stats_median_interval(match->ratios, match->ratio_count, 0.95);
	return interval.hi - interval.lo <= 2 * precision * interval.estimate;
}

/* All cases in turn, again and again. *precise: it ended because every ratio is known well enough. */
static enum step measure(struct bout *bout, bool *precise)
{
	const struct bench_job *job = bout->job;
	double until = bench_clock_seconds() + job->slice_seconds;
	for (size_t i = 0; i < job->case_count; i++) {
		enum step step = is_live(&bout->matches[i]) ? calibrate(bout, &bout->matches[i]) : GOES_ON;
		if (step != GOES_ON)
			return step;
	}
	for (bool some = true; some && !*precise;) {
		some = false;
		*precise = true;
		for (size_t i = 0; i < job->case_count; i++) {
			struct match *match = &bout->matches[i];
			bool least = match->fixed ? is_full(match) : match->taken > 0;
			if (!is_live(match) || is_full(match) || (least && bench_clock_seconds() >= until))
				continue;
			some = true;
			for (int q = 0; q < VISIT_QUADRUPLES && is_live(match) && !is_full(match); q++) {
				enum step step = take_quadruple(bout, match);
				if (step != GOES_ON)
					return step;
			}
			*precise &= is_precise(match, job->precision);
		}
		*precise &= some;
	}
	for (size_t i = 0; i < job->case_count; i++)
		if (is_live(&bout->matches[i]) && conclude(bout, &bout->matches[i]) != GOES_ON)
			return ERROR;
	return GOES_ON;
}

/* Waits for a side that is on its way out. */
static enum step see_off(struct bout *bout, int who)
{
	struct fighter *fighter = &bout->fighters[who];
	struct bench_bout_end *end = bout->end;
	end->outcome =
		bench_process_wait(&fighter->process, bout->options->time_limit_seconds,
				   bout->options->tick_seconds, bout->options->tick, bout->options->context,
				   bout->options->stop, end->what, sizeof(end->what));
	fighter->started = false;
	end->by_base = who == BASE;
	end->current = fighter->process.current;
	end->exit_status = fighter->process.exit_status;
	return end->outcome == BENCH_EXITED ? GOES_ON : OVER;
}

/* Where the base failed a case there is nothing to set the head's against. */
static void drop_where_base_failed(struct bout *bout, const char *line, size_t length)
{
	struct bench_event event;
	if (bench_event_read(line, length, "an event of the base", &event, NULL) != 0)
		return;
	if (event.kind == BENCH_EVENT_END && event.end.status != BENCH_STATUS_OK)
		bench_turns_send(bout->fighters[HEAD].turns, "drop %zu in the base: %s: %s", event.index,
				 bench_status_name(event.end.status), event.end.reason);
	bench_event_free(&event);
}

static int read_base(struct bout *bout)
{
	int fd = bout->fighters[BASE].events;
	off_t size = lseek(fd, 0, SEEK_END);
	char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
	ssize_t got = data ? pread(fd, data, (size_t)size, 0) : -1;
	if (got < 0) {
		free(data);
		return bench_fail(bout->error, BENCH_NO_MEMORY, "cannot read the base's events");
	}
	data[got] = '\0';
	for (char *line = data, *end; (end = strchr(line, '\n')); line = end + 1)
		drop_where_base_failed(bout, line, (size_t)(end - line));
	free(data);
	return 0;
}

/* Both check their first calls, at the same time: these have been timed. */
static enum step check_first(struct bout *bout)
{
	for (int who = BASE; who < SIDES; who++)
		bench_turns_send(bout->fighters[who].turns, "check");
	enum step step = hear_cases(bout, BASE);
	return step == GOES_ON ? hear_cases(bout, HEAD) : step;
}

/* Both check their cases once more, at the same time: nothing is timed any more. */
static enum step check_both(struct bout *bout, bool precise)
{
	char message[BENCH_TURNS_MESSAGE];
	for (int who = BASE; who < SIDES; who++)
		bench_turns_send(bout->fighters[who].turns, "end %s", precise ? "precision" : "budget");
	for (int who = BASE; who < SIDES; who++) {
		enum step step = hear(bout, who, bout->options->time_limit_seconds, message);
		if (step != GOES_ON)
			return step;
	}
	return read_base(bout) == 0 ? GOES_ON : ERROR;
}

static enum step fight(struct bout *bout)
{
	bool precise = false;
	enum step step = start_both(bout);
	if (step == GOES_ON)
		step = bring_in(bout);
	if (step == GOES_ON)
		step = check_first(bout);
	if (step == GOES_ON)
		step = measure(bout, &precise);
	if (step == GOES_ON)
		step = check_both(bout, precise);
	for (int who = BASE; who < SIDES && step == GOES_ON; who++)
		bench_turns_send(bout->fighters[who].turns, "leave");
	for (int who = BASE; who < SIDES && step == GOES_ON; who++)
		step = see_off(bout, who);
	return step;
}

/* Nobody is left behind. Ended before it is left alone: it would end its cases, which another bout may yet
 * measure. */
static void leave(struct fighter *fighter)
{
	char what[64];
	if (fighter->started) {
		kill(fighter->process.pid, SIGKILL);
		bench_process_wait(&fighter->process, EXIT_SECONDS, 0, NULL, NULL, NULL, what, sizeof(what));
	}
	if (fighter->turns >= 0)
		close(fighter->turns);
	if (fighter->events >= 0)
		close(fighter->events);
}

int bench_duel_bout(const struct bench_duel *duel, const struct bench_job *job, struct bench_folder *folder,
		    const struct bench_bout_options *options, struct bench_bout_end *end,
		    struct bench_error *error)
{
	struct bout bout = {.job = job,
			    .folder = folder,
			    .options = options,
			    .end = end,
			    .error = error,
			    .start = bench_clock_seconds(),
			    .fighters = {[BASE] = {.side = &duel->base, .turns = -1, .events = -1},
					 [HEAD] = {.side = &duel->head, .turns = -1, .events = -1}}};
	*end = (struct bench_bout_end){.current = -1, .exit_status = -1};
	bout.matches = bench_arena_alloc(&bout.arena, job->case_count, sizeof(*bout.matches));
	for (size_t i = 0; i < job->case_count; i++) {
		bout.matches[i].index = job->cases[i].index;
		bout.matches[i].length = &options->lengths[job->cases[i].index];
	}
	enum step step = fight(&bout);
	for (int who = BASE; who < SIDES; who++)
		leave(&bout.fighters[who]);
	for (size_t i = 0; i < job->case_count; i++)
		forget_unequal(bout.matches[i].length);
	bench_arena_free(&bout.arena);
	return step == ERROR ? -1 : 0;
}
