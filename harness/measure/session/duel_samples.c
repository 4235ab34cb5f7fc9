/* SPDX-License-Identifier: MIT */
/* The samples of a duel: how long a segment has to be, and segments and rows of both sides in the order A B B
 * A. */
#include "measure/session/duel_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "measure/worker/times.h"
#include "stats/stats.h"

#define SEGMENT_SECONDS  2e-3  /* at least: in a shorter segment, waking and waiting take most of the time */
#define PARTS            16    /* of a CPU's segment, timed apart; fewer if it has fewer iterations */
#define STRETCH          16    /* most times the iterations that an executable needs, to match the other */
#define PROBES           4     /* parts of a segment that finds out how long an iteration takes */
#define PROBE_SECONDS    2e-4  /* the least length of such a part */
#define LONG_SECONDS     20e-3 /* a call that takes as long needs no second probe, and none before it */
#define CALIBRATION_MAX  12
#define GROWTH_MAX       10
#define VISIT_QUADRUPLES 2    /* ABBA and BAAB before the next case: each executable takes every place */
#define MIN_QUADRUPLES   6    /* before the precision may end a case: fewer have no 95% interval */
#define MAX_SAMPLES      2000 /* of an executable, in a block */
#define ROW_RUNS         64 /* iterations of a row, at most, and the seconds that they may take: as in a run */
#define ROW_SECONDS      1e-3
#define GAPS_MAX         6 /* in sequence, of either side, before a case gets no more rows */

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
static void refuse_times(struct duel_case *paired_case, int who, const char *message)
{
	if (strncmp(message, "failed", 6) == 0)
		return;
	snprintf(paired_case->refused, sizeof(paired_case->refused), "%s its times are none: '%.60s'",
		 who == DUEL_BASE ? "in the base:" : "in the head:", message);
}

/* Parts of so many iterations of one executable: seconds of an iteration, for each part. A failure is the
 * case's; the worker reports the reason in its events. */
static enum duel_step run(struct duel_block *block, struct duel_case *paired_case, int who, unsigned parts,
			  uint64_t iterations, double *seconds)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	/* That a worker has gone shows when its answer is awaited. */
	bench_worker_segments_send(block->workers[who].process.channel, "run %zu %u %" PRIu64,
				   paired_case->index, parts, iterations);
	enum duel_step step = session_duel_receive(block, who, block->options->limits.time_seconds, message);
	if (step == DUEL_GOES_ON && !read_parts(message, seconds, parts)) {
		paired_case->failed = true;
		refuse_times(paired_case, who, message);
	}
	return step;
}

/* One row of one executable: seconds of an iteration. NaN: it had gaps. */
static enum duel_step take_row(struct duel_block *block, struct duel_case *paired_case, int who,
			       double *seconds)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	bench_worker_segments_send(block->workers[who].process.channel, "row %zu %" PRIu64,
				   paired_case->index, paired_case->row_iterations);
	enum duel_step step = session_duel_receive(block, who, block->options->limits.time_seconds, message);
	bool gaps = strcmp(message, "gaps") == 0;
	paired_case->gaps = gaps ? paired_case->gaps + 1 : 0;
	*seconds = NAN;
	if (step == DUEL_GOES_ON && !gaps && !read_parts(message, seconds, 1)) {
		paired_case->failed = true;
		refuse_times(paired_case, who, message);
	}
	return step;
}

/* Seconds of an iteration of one executable, from the fastest of a few parts: interruptions only add time. */
static enum duel_step probe(struct duel_block *block, struct duel_case *paired_case, int who, unsigned parts,
			    uint64_t iterations, double *each)
{
	double seconds[PROBES] = {0};
	enum duel_step step = run(block, paired_case, who, parts, iterations, seconds);
	*each = seconds[0];
	for (unsigned i = 1; i < parts && step == DUEL_GOES_ON && !paired_case->failed; i++)
		*each = fmin(*each, seconds[i]);
	return step;
}

/* Estimates what an iteration takes in both executables. One call is enough where it is long in both. */
static enum duel_step probe_both(struct duel_block *block, struct duel_case *paired_case,
				 double each[DUEL_EXECUTABLES])
{
	uint64_t iterations = 1;
	for (int i = 0; i < CALIBRATION_MAX; i++) {
		for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++) {
			enum duel_step step =
				probe(block, paired_case, who, i ? PROBES : 1, iterations, &each[who]);
			if (step != DUEL_GOES_ON || paired_case->failed)
				return step;
		}
		double seconds = fmin(each[DUEL_BASE], each[DUEL_HEAD]) * (double)iterations;
		if (seconds >= (i ? PROBE_SECONDS : LONG_SECONDS))
			break;
		double more = seconds > 0 ? 1.2 * PROBE_SECONDS / seconds : GROWTH_MAX;
		iterations = (uint64_t)ceil((double)iterations * fmin(fmax(more, 1), GROWTH_MAX));
	}
	return DUEL_GOES_ON;
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
 * A GPU's segment has one part, since each part ends with a wait of 10 to 20 us for the device. An untimed
 * iteration precedes it: a GPU takes a tenth of a millisecond to change from one process to another.
 *
 * The numbers differ only if the executables seem to differ by more than STRETCH. Then each block calibrates
 * anew (session_duel_discard_unequal_lengths): had a disturbance made the difference, and unequal segments
 * stayed for all blocks, their effect on the times would pass for a difference of the code.
 */
static enum duel_step calibrate(struct duel_block *block, struct duel_case *paired_case)
{
	struct bench_segment_length *length = paired_case->length;
	double each[DUEL_EXECUTABLES];
	if (length->parts[DUEL_BASE])
		return DUEL_GOES_ON;
	if (paired_case->fixed) {
		for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
			length->iterations[who] = length->parts[who] = 1;
		return DUEL_GOES_ON;
	}
	enum duel_step step = probe_both(block, paired_case, each);
	if (step != DUEL_GOES_ON || paired_case->failed)
		return step;
	const uint64_t most = needed(fmin(each[DUEL_BASE], each[DUEL_HEAD]));
	const unsigned parts = paired_case->on_gpu ? 1 : PARTS;
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++) {
		uint64_t stretched = STRETCH * needed(each[who]);
		uint64_t all = most < stretched ? most : stretched;
		length->wakes[who] = paired_case->on_gpu && each[who] < LONG_SECONDS;
		length->iterations[who] = (all + parts - 1) / parts;
		length->parts[who] =
			(unsigned)((all + length->iterations[who] - 1) / length->iterations[who]);
	}
	return DUEL_GOES_ON;
}

static enum duel_step emit(struct duel_block *block, const struct duel_case *paired_case,
			   enum bench_sample_kind kind, double value, uint64_t iterations)
{
	struct bench_event event = {.kind = BENCH_EVENT_SAMPLE,
				    .index = paired_case->index,
				    .invocation = (int)block->job->invocation,
				    .sample = {.metric = bench_record_sample_name(kind),
					       .value = value,
					       .iterations = iterations,
					       .at = bench_clock_seconds() - block->start}};
	/* No metric that the harness knows, or that older ones know: its event describes it. */
	if (kind == BENCH_SAMPLE_BASE_TIME || kind >= BENCH_SAMPLE_BASE_DEVICE_TIME) {
		bool ratio = kind == BENCH_SAMPLE_RELATIVE_DEVICE;
		event.sample.unit = ratio ? "ratio" : "s";
		event.sample.better =
			bench_record_better_name(ratio ? BENCH_BETTER_LOWER : BENCH_BETTER_NONE);
	}
	return session_duel_write_event(block, &event);
}

static void add_time(struct duel_block *block, struct duel_times *times, int who, double seconds)
{
	BENCH_PUSH(&block->arena, times->times[who], times->time_count[who]) = seconds;
}

/* A sample of one executable, from one segment: the mean of the faster half of its parts. */
static enum duel_step take_sample(struct duel_block *block, struct duel_case *paired_case, int who,
				  double *seconds)
{
	const struct bench_segment_length *length = paired_case->length;
	const unsigned count = length->parts[who];
	double parts[BENCH_SEGMENTS_PARTS] = {0};
	enum duel_step step = length->wakes[who] ? run(block, paired_case, who, 1, 1, parts) : DUEL_GOES_ON;
	if (step == DUEL_GOES_ON && !paired_case->failed)
		step = run(block, paired_case, who, count, length->iterations[who], parts);
	if (step != DUEL_GOES_ON || paired_case->failed)
		return step;
	*seconds = bench_stats_smaller_half(parts, count);
	if (!bench_worker_times_is_possible(*seconds)) {
		paired_case->failed = true;
		refuse_times(paired_case, who, "no time at all");
		return DUEL_GOES_ON;
	}
	for (unsigned i = 0; i < count; i++)
		add_time(block, &paired_case->host, who, parts[i]);
	return DUEL_GOES_ON;
}

/* There is no ratio of times below the clock's resolution. */
static void add_ratio(struct duel_block *block, struct duel_times *times, const double sums[DUEL_EXECUTABLES])
{
	if (sums[DUEL_BASE] > 0 && sums[DUEL_HEAD] > 0)
		BENCH_PUSH(&block->arena, times->ratios, times->ratio_count) =
			sums[DUEL_HEAD] / sums[DUEL_BASE];
}

/* Segments A B B A, or if `backwards` B A A B; A B alone if only one more sample of each is due. */
static enum duel_step take_quadruple(struct duel_block *block, struct duel_case *paired_case)
{
	static const enum bench_sample_kind kinds[DUEL_EXECUTABLES] = {BENCH_SAMPLE_BASE_TIME,
								       BENCH_SAMPLE_TIME};
	size_t halves = paired_case->fixed && paired_case->fixed - paired_case->taken < 2 ? 1 : 2;
	double seconds[DUEL_EXECUTABLES][2], sums[DUEL_EXECUTABLES] = {0};
	int first = paired_case->backwards ? DUEL_HEAD : DUEL_BASE;
	for (size_t i = 0; i < 2 * halves; i++) {
		size_t half = i / 2;
		int who = (i + half) % 2 ? !first : first;
		enum duel_step step = take_sample(block, paired_case, who, &seconds[who][half]);
		if (step != DUEL_GOES_ON || paired_case->failed)
			return step;
		sums[who] += seconds[who][half];
	}
	paired_case->backwards = !paired_case->backwards;
	paired_case->taken += halves;
	for (size_t half = 0; half < halves; half++)
		for (int who = DUEL_HEAD; who >= DUEL_BASE; who--)
			if (emit(block, paired_case, kinds[who], seconds[who][half],
				 segment_iterations(paired_case->length, who)) != DUEL_GOES_ON)
				return DUEL_ERROR;
	add_ratio(block, &paired_case->host, sums);
	return DUEL_GOES_ON;
}

/* Can both executables time this case in rows, as far as is known? */
static bool has_rows(const struct duel_case *paired_case)
{
	return paired_case->has_rows[DUEL_BASE] && paired_case->has_rows[DUEL_HEAD] &&
	       paired_case->gaps < GAPS_MAX;
}

/* Iterations of a row, the same for both: by the faster of them. */
static uint64_t row_iterations(const struct duel_times *host)
{
	double each = INFINITY;
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++)
		each = fmin(each, bench_stats_smaller_half(host->times[who], host->time_count[who]));
	return (uint64_t)fmax(fmin(ROW_SECONDS / each, ROW_RUNS), 1);
}

/* Rows in the same order as segments. Nothing is kept where one of them has gaps. */
static enum duel_step take_rows(struct duel_block *block, struct duel_case *paired_case)
{
	static const enum bench_sample_kind kinds[DUEL_EXECUTABLES] = {BENCH_SAMPLE_BASE_DEVICE_TIME,
								       BENCH_SAMPLE_DEVICE_TIME};
	double seconds[4], sums[DUEL_EXECUTABLES] = {0};
	int first = paired_case->backwards ? DUEL_HEAD : DUEL_BASE;
	const int order[4] = {first, !first, !first, first};
	if (!paired_case->row_iterations)
		paired_case->row_iterations = row_iterations(&paired_case->host);
	for (size_t i = 0; i < 4; i++) {
		enum duel_step step = take_row(block, paired_case, order[i], &seconds[i]);
		if (step != DUEL_GOES_ON || paired_case->failed || isnan(seconds[i]))
			return step;
	}
	for (size_t i = 0; i < 4; i++) {
		add_time(block, &paired_case->device, order[i], seconds[i]);
		sums[order[i]] += seconds[i];
		if (emit(block, paired_case, kinds[order[i]], seconds[i], paired_case->row_iterations) !=
		    DUEL_GOES_ON)
			return DUEL_ERROR;
	}
	add_ratio(block, &paired_case->device, sums);
	return DUEL_GOES_ON;
}

/*
 * The block's result for a case: the mean of the faster half of all the head's parts over the base's. The
 * executables alternate, so the machine's fast and slow moments affect both alike. The fast ones contain the
 * least foreign time. The parts of all segments count together, so no single disturbed or lucky segment
 * decides. Rows count likewise.
 */
static enum duel_step emit_relative(struct duel_block *block, const struct duel_case *paired_case,
				    enum bench_sample_kind kind, const struct duel_times *both,
				    const uint64_t lengths[DUEL_EXECUTABLES])
{
	double times[DUEL_EXECUTABLES];
	uint64_t iterations = 0;
	for (int who = DUEL_BASE; who < DUEL_EXECUTABLES; who++) {
		times[who] = bench_stats_smaller_half(both->times[who], both->time_count[who]);
		iterations += both->time_count[who] * lengths[who];
	}
	return times[DUEL_BASE] > 0 && times[DUEL_HEAD] > 0
		       ? emit(block, paired_case, kind, times[DUEL_HEAD] / times[DUEL_BASE], iterations)
		       : DUEL_GOES_ON;
}

/* Why a case that might have a device time of both executables has none. */
static enum duel_step note_no_rows(struct duel_block *block, const struct duel_case *paired_case)
{
	const bool *rows = paired_case->has_rows;
	if (!rows[DUEL_BASE] && !rows[DUEL_HEAD])
		return DUEL_GOES_ON;
	const struct bench_event event = {.kind = BENCH_EVENT_NOTE,
					  .index = paired_case->index,
					  .invocation = (int)block->job->invocation,
					  .note = {bench_record_sample_name(BENCH_SAMPLE_RELATIVE_DEVICE),
						   !rows[DUEL_BASE] ? "the base cannot time launches in a row"
						   : !rows[DUEL_HEAD]
							   ? "the head cannot time launches in a row"
							   : "launches left gaps in the row"}};
	return session_duel_write_event(block, &event);
}

static enum duel_step conclude(struct duel_block *block, const struct duel_case *paired_case)
{
	const struct duel_times *device = &paired_case->device;
	const uint64_t lengths[DUEL_EXECUTABLES] = {paired_case->row_iterations, paired_case->row_iterations};
	enum duel_step step = emit_relative(block, paired_case, BENCH_SAMPLE_RELATIVE, &paired_case->host,
					    paired_case->length->iterations);
	if (step != DUEL_GOES_ON)
		return step;
	return device->ratio_count
		       ? emit_relative(block, paired_case, BENCH_SAMPLE_RELATIVE_DEVICE, device, lengths)
		       : note_no_rows(block, paired_case);
}

/* See calibrate. */
void session_duel_discard_unequal_lengths(struct bench_segment_length *length)
{
	if (segment_iterations(length, DUEL_BASE) != segment_iterations(length, DUEL_HEAD))
		*length = (struct bench_segment_length){0};
}

static bool is_full(const struct duel_case *paired_case)
{
	return paired_case->fixed ? paired_case->taken >= paired_case->fixed
				  : paired_case->taken >= MAX_SAMPLES;
}

/* Has it what each case gets, even if the slice is over? */
static bool has_least(const struct duel_case *paired_case)
{
	if (paired_case->fixed)
		return is_full(paired_case);
	return paired_case->taken > 0 && (!has_rows(paired_case) || paired_case->device.ratio_count > 0);
}

static bool is_precise(const struct duel_times *times, double precision)
{
	if (times->ratio_count < MIN_QUADRUPLES)
		return false;
	struct bench_interval interval = bench_stats_median_interval(times->ratios, times->ratio_count, 0.95);
	return interval.hi - interval.lo <= 2 * precision * interval.estimate;
}

/* Takes segments, and rows where both sides have them. *precise becomes false unless the case is precise. */
static enum duel_step visit(struct duel_block *block, struct duel_case *paired_case, bool *precise)
{
	for (int q = 0; q < VISIT_QUADRUPLES && session_duel_is_live(paired_case) && !is_full(paired_case);
	     q++) {
		enum duel_step step = take_quadruple(block, paired_case);
		if (step != DUEL_GOES_ON)
			return step;
	}
	enum duel_step step = session_duel_is_live(paired_case) && has_rows(paired_case)
				      ? take_rows(block, paired_case)
				      : DUEL_GOES_ON;
	*precise &= !paired_case->fixed && is_precise(&paired_case->host, block->job->precision) &&
		    (!has_rows(paired_case) || is_precise(&paired_case->device, block->job->precision));
	return step;
}

/* Visits all cases in turn, over and over. *precise: it ended because every ratio is known well enough. */
enum duel_step session_duel_sample_all(struct duel_block *block, bool *precise)
{
	const struct bench_job *job = block->job;
	double until = bench_clock_seconds() + job->slice_seconds;
	for (size_t i = 0; i < job->case_count; i++) {
		enum duel_step step = session_duel_is_live(&block->paired_cases[i])
					      ? calibrate(block, &block->paired_cases[i])
					      : DUEL_GOES_ON;
		if (step != DUEL_GOES_ON)
			return step;
	}
	for (bool some = true; some && !*precise;) {
		some = false;
		*precise = true;
		for (size_t i = 0; i < job->case_count; i++) {
			struct duel_case *paired_case = &block->paired_cases[i];
			bool least = has_least(paired_case);
			if (!session_duel_is_live(paired_case) || is_full(paired_case) ||
			    (least && bench_clock_seconds() >= until))
				continue;
			some = true;
			enum duel_step step = visit(block, paired_case, precise);
			if (step != DUEL_GOES_ON)
				return step;
		}
		*precise &= some;
	}
	for (size_t i = 0; i < job->case_count; i++)
		if (session_duel_is_live(&block->paired_cases[i]) &&
		    conclude(block, &block->paired_cases[i]) != DUEL_GOES_ON)
			return DUEL_ERROR;
	return DUEL_GOES_ON;
}
