/* SPDX-License-Identifier: MIT */
#include "report/render/answer.h"

#include <math.h>
#include <string.h>

#include "compare/baseline.h"
#include "report/render/alarms.h"
#include "report/render/bounds.h"
#include "report/render/comparison.h"
#include "report/render/names.h"
#include "report/render/words.h"

#define COMMIT_DIGITS 8
#define ID_DIGITS     15 /* of "20261125-211323" */
/* Above this share of unclear metrics the answer is UNCLEAR, where no gate says what its share is. */
#define UNCLEAR_SHARE 0.1

/* In the order in which they are told. */
static const enum bench_verdict_kind order[BENCH_VERDICT_KINDS] = {
	BENCH_BROKEN, BENCH_MISSING, BENCH_SLOWER, BENCH_SUSPECTED,
	BENCH_FASTER, BENCH_UNCLEAR, BENCH_NEW,    BENCH_SAME};

const char *bench_render_answer_why(const struct bench_verdict *verdict)
{
	return verdict->why ? verdict->why : verdict->reason ? verdict->reason : "";
}

char *bench_render_answer_interval(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	return bench_render_words_interval(arena, verdict->lo, verdict->hi, verdict->level,
					   bench_render_words_unit(verdict));
}

/* "25 Nov 21:13" of "20261125-211323", with the year where it is not that of `beside`; NULL: not such an id.
 */
static char *day_of(struct bench_arena *arena, const char *id, const char *beside)
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	static const char form[] = "dddddddd-dddddd";
	for (size_t i = 0; i < ID_DIGITS; i++)
		if (form[i] == 'd' ? id[i] < '0' || id[i] > '9' : id[i] != form[i])
			return NULL;
	unsigned month = (unsigned)(10 * (id[4] - '0') + id[5] - '0');
	unsigned day = (unsigned)(10 * (id[6] - '0') + id[7] - '0');
	if (month < 1 || month > 12)
		return NULL;
	const bool other_year = strncmp(id, beside ? beside : "", 4) != 0;
	return bench_arena_format(arena, "%u %s%s%.*s %.2s:%.2s", day, months[month - 1],
				  other_year ? " " : "", other_year ? 4 : 0, id, id + 9, id + 11);
}

char *bench_render_answer_baseline(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	static const char anchor[] = "anchor ";
	const char *name = bench_render_words_line(arena, comparison->baseline_name);
	const char *beside = comparison->candidate_id;
	const char *first = comparison->baseline_count ? comparison->baseline_ids[0] : NULL;
	size_t runs;
	if (strncmp(name, anchor, strlen(anchor)) == 0) {
		const char *day = day_of(arena, name + strlen(anchor), beside);
		return bench_arena_format(arena, "the kept build of %s", day ? day : name + strlen(anchor));
	}
	if (!first)
		return bench_arena_string(arena, name);
	const char *day = day_of(arena, first, beside);
	day = day ? day : bench_render_words_line(arena, first);
	if (bench_compare_baseline_kind(name, &runs) == BENCH_BASELINE_ROLLING) {
		const size_t count = comparison->baseline_count;
		return count == 1 ? bench_arena_format(arena, "the run before (%s)", day)
				  : bench_arena_format(arena, "the %zu runs before (the newest of %s)", count,
						       day);
	}
	if (comparison->baseline_count > 1)
		return bench_arena_format(arena, "%s (%s and %zu more)", name, day,
					  comparison->baseline_count - 1);
	const char *commit = comparison->baseline_commit ? comparison->baseline_commit : "";
	commit = *commit ? bench_arena_format(arena, ", commit %.*s", COMMIT_DIGITS,
					      bench_render_words_line(arena, commit))
			 : "";
	if (strcmp(name, first) == 0)
		return bench_arena_format(arena, "the run of %s%s", day, commit);
	return bench_arena_format(arena, "%s, %s%s", name, day, commit);
}

char *bench_render_answer_context(struct bench_arena *arena, const struct bench_comparison *comparison,
				  const struct bench_report_gate *gate)
{
	struct bench_text text = {0};
	bench_text_add(&text, "run %s against %s", bench_render_words_line(arena, comparison->candidate_id),
		       bench_render_answer_baseline(arena, comparison));
	if (gate && gate->reference)
		bench_text_add(&text, " and reference %s", bench_render_words_line(arena, gate->reference));
	bench_text_add(&text, "; a change of %.3g%% or more counts", 100 * comparison->options.threshold);
	return bench_text_keep(&text, arena);
}

/* How many metrics there are, also where the caller shows only some of them. */
static size_t total_of(const struct bench_comparison *comparison)
{
	size_t total = 0;
	for (size_t kind = 0; kind < BENCH_VERDICT_KINDS; kind++)
		total += comparison->counts[kind];
	return total;
}

/* How many metrics fail as expected. */
static size_t expected_of(const struct bench_comparison *comparison)
{
	size_t expected = 0;
	for (size_t kind = 0; kind < BENCH_VERDICT_KINDS; kind++)
		expected += comparison->expected[kind];
	return expected;
}

/* The metric that the line names: of those of a kind, or under an open alarm, the one that moved most. */
static const struct bench_verdict *lead_of(const struct bench_comparison *comparison,
					   enum bench_verdict_kind kind, bool alarmed)
{
	const struct bench_verdict *lead = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		bool takes = alarmed ? verdict->alarm && !verdict->alarm->recovered : verdict->kind == kind;
		/* What fails unexpectedly comes first. */
		if (takes && lead && !lead->expected && verdict->expected)
			continue;
		if (takes && (!lead || (lead->expected && !verdict->expected) ||
			      bench_render_comparison_by_size(&verdict, &lead) < 0))
			lead = verdict;
	}
	return lead;
}

char *bench_render_answer_numbers(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	struct bench_text text = {0};
	const bool both = isfinite(verdict->base_median) && isfinite(verdict->candidate_median);
	const char *interval = bench_render_answer_interval(arena, verdict);
	const char *medians = bench_render_words_of_medians(
		arena, verdict->base_median, verdict->candidate_median, verdict->ratio, verdict->threshold);
	if (both)
		bench_text_add(&text, "%s -> %s",
			       bench_render_words_quantity(arena, verdict->base_median, verdict->unit),
			       bench_render_words_quantity(arena, verdict->candidate_median, verdict->unit));
	if (bench_compare_has_size(verdict))
		bench_text_add(&text, "%s%s%s%s%s%s%s", both ? " (" : "",
			       bench_render_words_size(arena, verdict), *interval ? ", " : "", interval,
			       *medians ? ", by medians " : "", medians, both ? ")" : "");
	return bench_text_keep(&text, arena);
}

/* "gemm 512 opencl: 599 us -> 1.115 ms (+86.1%, 95% +49.2..+133.0)", or with the reason where nothing was
 * compared. */
static char *tell_lead(struct bench_arena *arena, const struct bench_comparison *comparison,
		       const struct bench_verdict *lead)
{
	const char *name = bench_render_names(arena, comparison)[lead - comparison->verdicts];
	const char *told = bench_render_answer_numbers(arena, lead);
	if (!*told)
		told = bench_render_words_line(arena, bench_render_answer_why(lead));
	return bench_arena_format(arena, "%s%s%s", name, *told ? ": " : "", told);
}

/* ", 1 faster, 2 unclear": those of the other kinds, without `same`. */
static char *tell_others(struct bench_arena *arena, const struct bench_comparison *comparison,
			 enum bench_verdict_kind but)
{
	struct bench_text text = {0};
	for (size_t i = 0; i < BENCH_VERDICT_KINDS; i++)
		if (order[i] != but && order[i] != BENCH_SAME && comparison->counts[order[i]])
			bench_text_add(&text, ", %zu %s", comparison->counts[order[i]],
				       bench_compare_verdict_name(order[i]));
	if (expected_of(comparison))
		bench_text_add(&text, ", %zu expected", expected_of(comparison));
	if (bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT))
		bench_text_add(&text, ", %zu out of bounds",
			       bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT));
	return bench_text_keep(&text, arena);
}

/* "SLOWER: 2 of 14, 1 faster. gemm 512 ..." */
static char *tell_kind(struct bench_arena *arena, const struct bench_comparison *comparison, const char *word,
		       enum bench_verdict_kind kind)
{
	const size_t total = total_of(comparison);
	const struct bench_verdict *lead = lead_of(comparison, kind, false);
	const char *of = total == 1 && lead
				 ? ""
				 : bench_arena_format(arena, "%zu of %zu%s", comparison->counts[kind], total,
						      tell_others(arena, comparison, kind));
	return bench_arena_format(arena, "%s: %s%s%s", word, of, *of && lead ? ". " : "",
				  lead ? tell_lead(arena, comparison, lead) : "");
}

static char *tell_same(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	const size_t total = total_of(comparison), same = comparison->counts[BENCH_SAME];
	double seen = bench_render_comparison_seen(comparison);
	const char *others = tell_others(arena, comparison, BENCH_SAME);
	const char *limit = isfinite(seen)
				    ? bench_arena_format(arena, " (a change of %s would have been seen)",
							 bench_render_words_percent(arena, seen))
				    : "";
	if (total == 0)
		return bench_arena_string(arena, "SAME: nothing was compared");
	if (total == 1 && same == 1)
		return bench_arena_format(arena, "%s%s", tell_kind(arena, comparison, "SAME", BENCH_SAME),
					  limit);
	if (same == total)
		return bench_arena_format(arena, "SAME: all %zu%s", total, limit);
	return bench_arena_format(arena, "SAME: %zu of %zu%s%s", same, total, others, limit);
}

/* Nothing is slower now, and an alarm is open all the same. */
static char *tell_alarm(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	const struct bench_verdict *lead = lead_of(comparison, BENCH_SAME, true);
	size_t alarmed = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		alarmed += comparison->verdicts[i].alarm && !comparison->verdicts[i].alarm->recovered;
	return bench_arena_format(arena, "ALARM: %zu of %zu under alarm %lld, open since %s. %s", alarmed,
				  total_of(comparison), (long long)lead->alarm->id,
				  bench_render_alarms_day(arena, lead->alarm->since),
				  tell_lead(arena, comparison, lead));
}

/* The first night of what is measured, or one of the first few against a rolling baseline. */
static char *tell_first_night(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	const size_t total = total_of(comparison), unclear = comparison->counts[BENCH_UNCLEAR];
	if (comparison->counts[BENCH_NEW] == total)
		return bench_arena_format(arena,
					  "FIRST NIGHT: %s%zu %s new; the next run has something to compare "
					  "with",
					  total == 1 ? "" : "all ", total, total == 1 ? "is" : "are");
	return bench_arena_format(arena,
				  "FIRST NIGHTS: %zu of %zu unclear against %zu run%s; %d or more can decide",
				  unclear, total, comparison->baseline_count,
				  bench_text_plural(comparison->baseline_count), BENCH_COMPARE_ENOUGH_RUNS);
}

/* Does one of that kind fail? With --new-only, what an earlier run opened an alarm for does not. */
static bool fails(const struct bench_comparison *comparison, enum bench_verdict_kind kind, unsigned failing)
{
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (comparison->verdicts[i].kind == kind &&
		    bench_compare_fails(&comparison->verdicts[i], failing))
			return true;
	return comparison->counts[kind] > comparison->expected[kind] &&
	       comparison->verdict_count < total_of(comparison);
}

/* Too much is unclear to call the rest the answer. */
static bool is_unclear(const struct bench_comparison *comparison, const struct bench_report_gate *gate,
		       unsigned failing)
{
	const size_t unclear = comparison->counts[BENCH_UNCLEAR];
	if (unclear == 0)
		return false;
	if (gate && gate->undecided.too_many)
		return true;
	return fails(comparison, BENCH_UNCLEAR, failing) ||
	       (!gate && comparison->counts[BENCH_FASTER] == 0 &&
		(double)unclear > UNCLEAR_SHARE * (double)total_of(comparison));
}

/* Some fail, and a project file expects all of those: "EXPECTED: 1 of 14, until 2026-12-31 (why). gemm 512"
 */
static struct bench_answer expected_answer(struct bench_arena *arena,
					   const struct bench_comparison *comparison)
{
	const struct bench_verdict *lead = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (comparison->verdicts[i].expected &&
		    (!lead || comparison->verdicts[i].expected->end < lead->expected->end))
			lead = &comparison->verdicts[i];
	const size_t count = expected_of(comparison);
	const char *line = bench_arena_format(arena, "EXPECTED: %zu of %zu fail%s as expected", count,
					      total_of(comparison), count == 1 ? "s" : "");
	if (lead)
		line = bench_arena_format(arena, "%s, until %s (%s). %s", line, lead->expected->until,
					  bench_render_words_line(arena, lead->expected->why),
					  tell_lead(arena, comparison, lead));
	return (struct bench_answer){
		.tone = BENCH_TONE_DOUBT, .word = "EXPECTED", .line = bench_arena_string(arena, line)};
}

static struct bench_answer answer_of(struct bench_arena *arena, const struct bench_comparison *comparison,
				     enum bench_verdict_kind kind, const char *word, enum bench_tone tone)
{
	return (struct bench_answer){.tone = tone,
				     .word = word,
				     .line = tell_kind(arena, comparison, word, kind),
				     .is_bad = tone == BENCH_TONE_BAD,
				     .is_slower = tone == BENCH_TONE_BAD && kind == BENCH_SLOWER,
				     .is_open = kind == BENCH_UNCLEAR,
				     .waits = kind == BENCH_SUSPECTED};
}

struct bench_answer bench_render_answer(struct bench_arena *arena, const struct bench_comparison *comparison,
					const struct bench_report_gate *gate, unsigned failing)
{
	const enum bench_outcome outcome = bench_compare_outcome(comparison, failing);
	const size_t *counts = comparison->counts;
	if (counts[BENCH_BROKEN] > comparison->expected[BENCH_BROKEN])
		return answer_of(arena, comparison, BENCH_BROKEN, "BROKEN", BENCH_TONE_BAD);
	if (counts[BENCH_MISSING] > comparison->expected[BENCH_MISSING])
		return answer_of(arena, comparison, BENCH_MISSING, "MISSING", BENCH_TONE_BAD);
	if (counts[BENCH_SLOWER] && fails(comparison, BENCH_SLOWER, failing))
		return answer_of(arena, comparison, BENCH_SLOWER, "SLOWER", BENCH_TONE_BAD);
	if (bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT))
		return (struct bench_answer){.tone = BENCH_TONE_BAD,
					     .word = "OUT OF BOUNDS",
					     .line = bench_render_bounds_answer(
						     arena, comparison, "OUT OF BOUNDS", BENCH_BOUND_OUT),
					     .is_bad = true};
	if (outcome == BENCH_OUTCOME_SLOWER && lead_of(comparison, BENCH_SAME, true))
		return (struct bench_answer){.tone = BENCH_TONE_BAD,
					     .word = "ALARM",
					     .line = tell_alarm(arena, comparison),
					     .is_bad = true,
					     .is_slower = true};
	if (gate && gate->trouble)
		return (struct bench_answer){
			.tone = BENCH_TONE_BAD,
			.word = "NO VERDICT",
			.line = bench_arena_format(arena, "NO VERDICT: %s",
						   bench_render_words_line(arena, gate->trouble)),
			.is_bad = true};
	if (outcome == BENCH_OUTCOME_BEGUN || (gate && gate->undecided.begins))
		return (struct bench_answer){.tone = BENCH_TONE_DOUBT,
					     .word = "FIRST NIGHT",
					     .line = tell_first_night(arena, comparison),
					     .waits = true};
	if (counts[BENCH_SUSPECTED] > comparison->expected[BENCH_SUSPECTED])
		return answer_of(arena, comparison, BENCH_SUSPECTED, "SUSPECTED", BENCH_TONE_DOUBT);
	if (is_unclear(comparison, gate, failing))
		return answer_of(arena, comparison, BENCH_UNCLEAR, "UNCLEAR", BENCH_TONE_DOUBT);
	if ((failing & BENCH_FAILING_UNCLEAR) &&
	    bench_compare_out_of_bounds(comparison, BENCH_BOUND_UNDECIDED))
		return (struct bench_answer){.tone = BENCH_TONE_DOUBT,
					     .word = "UNCLEAR",
					     .line = bench_render_bounds_answer(arena, comparison,
										"UNCLEAR: bounds undecided",
										BENCH_BOUND_UNDECIDED),
					     .is_open = true};
	if (expected_of(comparison))
		return expected_answer(arena, comparison);
	if (counts[BENCH_SLOWER])
		return answer_of(arena, comparison, BENCH_SLOWER, "SLOWER, KNOWN", BENCH_TONE_DOUBT);
	if (counts[BENCH_FASTER])
		return answer_of(arena, comparison, BENCH_FASTER, "FASTER", BENCH_TONE_GOOD);
	return (struct bench_answer){
		.tone = BENCH_TONE_GOOD, .word = "SAME", .line = tell_same(arena, comparison)};
}
