/* SPDX-License-Identifier: MIT */
#include "report/render/uses.h"

#include <math.h>

#include "core/text.h"
#include "report/render/block.h"
#include "report/render/words.h"

struct total {
	double uses, seconds, captured;
	double variance; /* of seconds, in half-widths of the interval: those of the cases are independent */
	size_t shapes, lacking;
	bool all_captured;
};

static double note_of(const struct bench_result *result, const char *name)
{
	double value;
	const char *text = bench_record_note(result, name);
	return *text && bench_text_real(text, &value) && value > 0 ? value : 0;
}

static void add(struct total *total, const struct bench_result *result)
{
	const struct bench_metric *time = bench_record_metric(result, "time");
	const double uses = note_of(result, BENCH_NOTE_USES), captured = note_of(result, BENCH_NOTE_CAPTURED);
	if (result->status != BENCH_STATUS_OK || !time) {
		total->lacking++;
		return;
	}
	const double half = uses * time->summary.median * bench_render_words_half(&time->summary);
	total->shapes++;
	total->uses += uses;
	total->seconds += uses * time->summary.median;
	total->variance += half * half;
	total->captured += captured;
	total->all_captured &= captured > 0;
}

/* Is a result before this one on the same target? Then it is in that one's total. */
static bool is_counted(const struct bench_run *run, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (note_of(&run->results[i], BENCH_NOTE_USES) > 0 &&
		    bench_render_block_same_target(&run->results[i], &run->results[at]))
			return true;
	return false;
}

char *bench_render_uses(struct bench_arena *arena, const struct bench_run *run, size_t *next)
{
	struct total total = {.all_captured = true};
	struct bench_text text = {0};
	char seconds[32], captured[32];
	while (*next < run->result_count &&
	       (!(note_of(&run->results[*next], BENCH_NOTE_USES) > 0) || is_counted(run, *next)))
		++*next;
	if (*next >= run->result_count)
		return NULL;
	const struct bench_result *first = &run->results[(*next)++];
	for (const struct bench_result *result = first; result < run->results + run->result_count; result++)
		if (note_of(result, BENCH_NOTE_USES) > 0 && bench_render_block_same_target(first, result))
			add(&total, result);
	bench_text_quantity(seconds, sizeof(seconds), total.seconds, "s");
	bench_text_quantity(captured, sizeof(captured), total.captured, "s");
	bench_text_add(&text, "%s: ", bench_render_block_target(arena, first));
	if (!total.shapes)
		bench_text_add(&text, "none of the shapes could be measured");
	else
		bench_text_add(&text, "%.0f use%s of %zu shape%s take%s %s", total.uses,
			       total.uses == 1 ? "" : "s", total.shapes, bench_text_plural(total.shapes),
			       total.uses == 1 ? "s" : "", seconds);
	if (total.shapes && isfinite(total.variance))
		bench_text_add(&text, " +/-%s",
			       bench_render_words_percent(arena, sqrt(total.variance) / total.seconds));
	if (total.shapes && total.all_captured)
		bench_text_add(&text, ", %.3g times the %s captured", total.seconds / total.captured,
			       captured);
	if (total.shapes && total.lacking)
		bench_text_add(&text, "; %zu more shape%s could not be measured", total.lacking,
			       bench_text_plural(total.lacking));
	return bench_text_keep(&text, arena);
}
