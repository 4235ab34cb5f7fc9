/* SPDX-License-Identifier: MIT */
#include "report/render/gate.h"

#include <math.h>

#include "compare/bounds.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

/* "2 slower, 1 missing" of those that fail, or of the others; nothing if none do. */
static void add_counts(struct bench_text *line, const struct bench_comparison *comparison, unsigned failing,
		       bool fails)
{
	static const enum bench_verdict_kind order[BENCH_VERDICT_KINDS] = {
		BENCH_BROKEN, BENCH_MISSING, BENCH_SLOWER,  BENCH_SUSPECTED,
		BENCH_SAME,   BENCH_FASTER,  BENCH_UNCLEAR, BENCH_NEW};
	size_t counts[BENCH_VERDICT_KINDS] = {0};
	const char *separator = "";
	for (size_t i = 0; i < comparison->verdict_count; i++)
		counts[comparison->verdicts[i].kind] +=
			bench_compare_fails(&comparison->verdicts[i], failing) == fails;
	for (size_t i = 0; i < BENCH_VERDICT_KINDS; i++) {
		if (counts[order[i]] == 0)
			continue;
		bench_text_add(line, "%s%zu %s", separator, counts[order[i]],
			       bench_compare_verdict_name(order[i]));
		separator = ", ";
	}
}

/* A pass is worth as much as its thresholds are low: "thresholds of 5.0% to 57.0%". */
static void add_thresholds(struct bench_text *line, struct bench_arena *arena,
			   const struct bench_comparison *comparison)
{
	double asked = comparison->options.threshold, most = asked;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		most = fmax(most, comparison->verdicts[i].threshold);
	if (most > asked)
		bench_text_add(line, "thresholds of %s to %s; ", bench_render_words_percent(arena, asked),
			       bench_render_words_percent(arena, most));
}

bool bench_render_gate_passed(const struct bench_comparison *comparison, const struct bench_report_gate *gate,
			      unsigned failing)
{
	return !gate->trouble && !gate->undecided.too_many &&
	       bench_compare_outcome(comparison, failing) == BENCH_OUTCOME_GOOD;
}

char *bench_render_gate_line(struct bench_arena *arena, const struct bench_comparison *comparison,
			     const struct bench_report_gate *gate, unsigned failing)
{
	BENCH_SCOPED_TEXT bad = {0}, rest = {0}, line = {0};
	add_counts(&bad, comparison, failing, true);
	add_counts(&rest, comparison, failing, false);
	const size_t out_of_bounds = bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT);
	if (out_of_bounds)
		bench_text_add(&bad, "%s%zu out of bounds", bad.length ? ", " : "", out_of_bounds);
	const bool begun = bench_compare_outcome(comparison, failing) == BENCH_OUTCOME_BEGUN;
	bench_text_add(&line, "gate: %s",
		       bad.length || gate->trouble       ? "FAIL"
		       : begun || gate->undecided.begins ? "BEGUN"
		       : comparison->counts[BENCH_SUSPECTED] > comparison->expected[BENCH_SUSPECTED]
			       ? "SUSPECTED"
		       : !bench_render_gate_passed(comparison, gate, failing) ? "UNCLEAR"
									      : "PASS");
	if (gate->trouble)
		bench_text_add(&line, ": %s", bench_render_words_line(arena, gate->trouble));
	if (bad.length)
		bench_text_add(&line, ": %s", bad.data);
	if (rest.length)
		bench_text_add(&line, "%s %s", bad.length || gate->trouble ? ";" : ":", rest.data);
	if (comparison->unchecked)
		bench_text_add(&line, "; %zu case%s unchecked", comparison->unchecked,
			       bench_text_plural(comparison->unchecked));
	const char *alarms = bench_render_alarms_summary(arena, comparison);
	bench_text_add(&line, "%s%s", *alarms ? "; " : "", alarms);
	const char *baseline = bench_render_words_line(arena, comparison->baseline_name);
	if (gate->in_turns)
		bench_text_add(&line, " (interleaved with %s; ", baseline);
	else
		bench_text_add(&line, " (baseline %s, %zu run%s; ", baseline, comparison->baseline_count,
			       bench_text_plural(comparison->baseline_count));
	if (gate->reference)
		bench_text_add(&line, "reference %s; ", bench_render_words_line(arena, gate->reference));
	add_thresholds(&line, arena, comparison);
	if (gate->machine > 0 && fabs(gate->machine - 1) >= comparison->options.threshold)
		bench_text_add(&line, "the machine %+.1f%% by the anchor's own times; ",
			       100 * (gate->machine - 1));
	bench_text_add(&line, "%.0f s)", gate->seconds);
	return bench_arena_string(arena, line.data);
}

void bench_render_gate_add_remarks(struct bench_arena *arena, const struct bench_comparison *comparison,
				   const struct bench_report_gate *gate, const char *prefix,
				   struct bench_text *out)
{
	if (gate->trouble) {
		bench_text_add(out, "%snot judged: ", prefix);
		bench_render_words_add_behind(arena, gate->trouble, prefix, out);
		bench_text_add(out, "\n");
	}
	if (gate->machine > 0 && fabs(gate->machine - 1) >= comparison->options.threshold)
		bench_text_add(
			out,
			"%sthe machine is %s %s than on earlier nights, by the kept build's own times; the "
			"changes above leave that out\n",
			prefix, bench_render_words_percent(arena, fabs(gate->machine - 1)),
			gate->machine > 1 ? "slower" : "faster");
	if (gate->exit)
		bench_text_add(out, "%s%s\n", prefix, gate->exit);
}
