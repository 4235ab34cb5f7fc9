/* SPDX-License-Identifier: MIT */
/* The bytes that a case was seen to move, against those that it must move at least. */
#include <math.h>

#include "record/internal.h"

#define NOTE "traffic"
#define FAR  1.5 /* times the model: reads that are repeated, or not coalesced, and no matter of rounding */

double bench_record_traffic(const struct bench_result *result)
{
	const struct bench_metric *moved = bench_record_metric(result, "dram_bytes");
	double times = moved ? moved->summary.median / result->work.bytes : 0;
	return result->work.bytes > 0 && isfinite(times) ? times : 0;
}

/* Of one value there is no interval, and so nothing that could be claimed. */
static bool is_far(const struct bench_result *result)
{
	const struct bench_metric *moved = bench_record_metric(result, "dram_bytes");
	return bench_record_traffic(result) > FAR && moved->summary.ci_level > 0 &&
	       moved->summary.ci_lo > FAR * result->work.bytes;
}

void record_mark_traffic(struct bench_run *run, struct bench_result *result)
{
	if (result->status != BENCH_STATUS_OK || !is_far(result)) {
		record_drop_note(result, NOTE);
		return;
	}
	const struct bench_summary *moved = &bench_record_metric(result, "dram_bytes")->summary;
	bench_record_attribute_set(
		&run->arena, &result->notes, &result->note_count, NOTE,
		bench_arena_format(
			&run->arena,
			"%.3g times the bytes that its model says, with an interval of %.3g to %.3g",
			bench_record_traffic(result), moved->ci_lo / result->work.bytes,
			moved->ci_hi / result->work.bytes));
}
