/* SPDX-License-Identifier: MIT */
/* The bytes that a case was seen to move, against those that it must move at least. */
#include <math.h>
#include <string.h>

#include "record/internal.h"

#define NOTE "traffic"
#define FAR  1.5 /* times the model: reads that are repeated, or not coalesced, and no matter of rounding */

double bench_record_traffic(const struct bench_result *result)
{
	const struct bench_metric *moved = bench_record_metric(result, "dram_bytes");
	double times =
		moved && strcmp(moved->unit, "B") == 0 ? moved->summary.median / result->work.bytes : 0;
	return result->work.bytes > 0 && isfinite(times) ? times : 0;
}

/*
 * The lower end of the interval, in bytes; 0: none that could be claimed. Of few invocations the interval is
 * wide or weak. Their samples are of many milliseconds each, and that all of at least four lie above has a
 * probability of 1/16 where the median does not.
 */
static double least_moved(const struct bench_summary *moved)
{
	const size_t few = 4;
	if (moved->ci_level >= BENCH_LEVEL_95 && !moved->over_samples)
		return moved->ci_lo;
	return moved->count >= few ? moved->min : 0;
}

void record_mark_traffic(struct bench_run *run, struct bench_result *result)
{
	const struct bench_metric *moved = bench_record_metric(result, "dram_bytes");
	double times = bench_record_traffic(result);
	double least = times > 0 ? least_moved(&moved->summary) / result->work.bytes : 0;
	if (result->status != BENCH_STATUS_OK || !(least > FAR)) {
		record_drop_note(result, NOTE);
		return;
	}
	bench_record_attribute_set(
		&run->arena, &result->notes, &result->note_count, NOTE,
		bench_arena_format(&run->arena, "%.3g times the bytes that its model says, at least %.3g",
				   times, least));
}
