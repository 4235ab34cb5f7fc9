/* SPDX-License-Identifier: MIT */
#include "compare/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/text.h"

#define FEWEST_LEVEL 0.87 /* of the interval of a second run: that of four invocations is 0.875 */

/* What is known of one metric. */
struct evidence {
	const struct bench_verdict *reference; /* of the first run; NULL: none */
	const struct bench_verdict *confirmation, *reference_confirmation;
	const struct bench_verdict *pooled;  /* of both runs */
	const struct bench_result *measured; /* its case in the second run; NULL: it has none */
};

struct gate {
	struct bench_comparison *comparison;
	const struct bench_comparison *reference;
	const struct bench_compare_confirmation *confirmation;
};

static bool is_slower(const struct bench_verdict *verdict)
{
	return verdict && (verdict->kind == BENCH_SLOWER || verdict->kind == BENCH_SUSPECTED);
}

/*
 * Is the whole interval beyond the threshold, for the worse? That is a one-sided test at 5%, or at 6.25% with
 * four invocations, whose range is the interval; three or fewer show nothing.
 */
static bool is_worse_throughout(const struct bench_verdict *verdict)
{
	bool lower = verdict->better == BENCH_BETTER_LOWER;
	double least = lower ? verdict->lo : verdict->hi;

	if (verdict->by_difference)
		return verdict->level >= FEWEST_LEVEL && (lower ? least : -least) > verdict->threshold;
	return verdict->level >= FEWEST_LEVEL && (lower ? least : 1 / least) > 1 + verdict->threshold;
}

/*
 * Does the second run confirm by itself that a metric is slower? If both runs together say so, it need not
 * be significant in both directions: which one is known by now.
 */
static bool confirms(const struct bench_verdict *second, const struct bench_verdict *pooled)
{
	return is_slower(second) ||
	       (second && second->kind == BENCH_UNCLEAR && is_slower(pooled) && is_worse_throughout(second));
}

/* The length of the case's key in the key of a verdict. */
static size_t case_length(const struct bench_verdict *verdict)
{
	size_t length = strlen(verdict->key);

	return *verdict->metric ? length - strlen(verdict->metric) - 1 : length;
}

static size_t add_suspects(const struct bench_comparison *comparison, struct bench_arena *arena,
			   const char **keys, size_t count)
{
	for (size_t i = 0; comparison && i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];

		if (is_slower(verdict) || verdict->kind == BENCH_BROKEN ||
		    (verdict->kind == BENCH_UNCLEAR && !isnan(verdict->p)))
			keys[count++] =
				bench_arena_format(arena, "%.*s", (int)case_length(verdict), verdict->key);
	}
	return count;
}

const char *const *bench_compare_gate_suspects(const struct bench_comparison *comparison,
					       const struct bench_comparison *reference,
					       struct bench_arena *arena, size_t *count)
{
	size_t most = comparison->verdict_count + (reference ? reference->verdict_count : 0), kept = 0;
	const char **keys = bench_arena_alloc(arena, most + 1, sizeof(*keys));
	size_t found = add_suspects(comparison, arena, keys, 0);

	found = add_suspects(reference, arena, keys, found);
	if (found > 1)
		qsort(keys, found, sizeof(*keys), bench_text_order);
	for (size_t i = 0; i < found; i++)
		if (kept == 0 || strcmp(keys[kept - 1], keys[i]) != 0)
			keys[kept++] = keys[i];
	keys[kept] = NULL;
	*count = kept;
	return keys;
}

static const struct bench_result *find_case(const struct bench_run *run, const struct bench_verdict *verdict)
{
	size_t length = case_length(verdict);

	for (size_t i = 0; run && i < run->result_count; i++)
		if (strncmp(run->results[i].key, verdict->key, length) == 0 && !run->results[i].key[length])
			return &run->results[i];
	return NULL;
}

/* Does the second run's verdict decide anything? */
static bool answers(const struct bench_verdict *verdict)
{
	return verdict && (is_slower(verdict) || verdict->kind == BENCH_SAME ||
			   verdict->kind == BENCH_FASTER || verdict->kind == BENCH_UNCLEAR);
}

/* Why the second run has no answer for a metric. */
static const char *silence(const struct gate *gate, const struct evidence *evidence)
{
	struct bench_arena *arena = &gate->comparison->arena;
	const struct bench_result *measured = evidence->measured;

	if (!gate->confirmation)
		return "it was not measured again";
	if (gate->confirmation->failure)
		return gate->confirmation->failure;
	if (!measured || measured->status == BENCH_STATUS_PENDING)
		return "the second run was cut short before it";
	if (measured->status == BENCH_STATUS_OK)
		return "the second run has no such metric";
	return bench_arena_format(arena, "%s when measured again: %s",
				  bench_record_status_name(measured->status), measured->reason);
}

/* Takes kind and numbers of another verdict on the same metric. */
static void take(struct bench_arena *arena, struct bench_verdict *verdict, const struct bench_verdict *from)
{
	char *key = verdict->key, *metric = verdict->metric;
	const char *owner = verdict->owner;

	*verdict = *from;
	verdict->key = key;
	verdict->metric = metric;
	verdict->owner = owner;
	verdict->unit = bench_arena_string(arena, from->unit);
	verdict->reason = bench_arena_string(arena, from->reason);
	verdict->why = bench_arena_string(arena, from->why);
	verdict->decided = from->decided ? bench_arena_string(arena, from->decided) : NULL;
	if (!from->first)
		return;
	struct bench_first_night *first = bench_arena_alloc(arena, 1, sizeof(*first));
	*first = (struct bench_first_night){
		bench_arena_string(arena, from->first->run), bench_arena_string(arena, from->first->commit),
		from->first->started, bench_arena_string(arena, from->first->last_run),
		bench_arena_string(arena, from->first->last_commit)};
	verdict->first = first;
}

/* ": <why the second run could not tell>", or nothing. */
static const char *open_reason(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	const char *why = verdict->why ? verdict->why : verdict->reason;

	return verdict->kind == BENCH_UNCLEAR && *why ? bench_arena_format(arena, ": %s", why) : "";
}

/* The verdict on what was measured twice: slower or unclear at first. */
static void judge_twice(const struct gate *gate, struct bench_verdict *verdict,
			const struct evidence *evidence)
{
	struct bench_arena *arena = &gate->comparison->arena;
	const struct bench_verdict *second = evidence->confirmation, *pooled = evidence->pooled;
	bool was_slower = is_slower(verdict), confirmed = confirms(second, pooled);
	char *first = bench_compare_size_text(arena, verdict);

	if (!answers(second)) {
		if (was_slower)
			verdict->reason = bench_arena_format(arena, "not confirmed, nor refuted: %s",
							     silence(gate, evidence));
		return;
	}
	if (answers(pooled) && !(was_slower && confirmed))
		take(arena, verdict, pooled);
	if (was_slower && confirmed) {
		if (is_slower(pooled))
			take(arena, verdict, pooled);
		verdict->reason = bench_arena_format(arena, "confirmed in fresh processes (%s)",
						     bench_compare_size_text(arena, second));
	} else if (is_slower(verdict) && confirmed) {
		verdict->reason =
			bench_arena_format(arena, "unclear at first (%s), slower in fresh processes (%s)",
					   first, bench_compare_size_text(arena, second));
	} else if (is_slower(verdict) || was_slower) {
		verdict->kind = is_slower(verdict) ? BENCH_UNCLEAR : verdict->kind;
		verdict->why = NULL;
		verdict->reason = bench_arena_format(
			arena, "%s at first (%s), not confirmed in fresh processes (%s)%s",
			was_slower ? "slower" : "unclear", first, bench_compare_size_text(arena, second),
			open_reason(arena, second));
	}
}

/* "20261001-021500", or "reference" if that has several runs. */
static const char *reference_id(const struct gate *gate)
{
	return gate->reference->baseline_count == 1 ? gate->reference->baseline_ids[0]
						    : gate->reference->baseline_name;
}

/* The verdict on what is slower than the reference, and not than the baseline. */
static void judge_drift(const struct gate *gate, struct bench_verdict *verdict,
			const struct evidence *evidence)
{
	struct bench_arena *arena = &gate->comparison->arena;
	const struct bench_verdict *drift = evidence->reference;
	bool answered = answers(evidence->reference_confirmation);
	char *change = bench_arena_format(arena, "%s against reference %s",
					  bench_compare_size_text(arena, drift), reference_id(gate));

	if (answered && !is_slower(evidence->reference_confirmation)) {
		if (!*verdict->reason)
			verdict->reason = bench_arena_format(
				arena, "%s at first, not confirmed in fresh processes (%s)", change,
				bench_compare_size_text(arena, evidence->reference_confirmation));
		return;
	}
	char *before =
		verdict->kind == BENCH_NEW
			? bench_arena_format(arena, "not in %s", gate->comparison->baseline_name)
			: bench_arena_format(arena, "%s against %s", bench_compare_size_text(arena, verdict),
					     gate->comparison->baseline_name);

	take(arena, verdict, drift);
	verdict->reason = bench_arena_format(
		arena, "drift: %s; %s%s%s", change, before,
		answered ? "" : "; not confirmed, nor refuted: ", answered ? "" : silence(gate, evidence));
}

/* A broken case stays broken, whatever it is the second time. */
static void judge_broken(const struct gate *gate, struct bench_verdict *verdict,
			 const struct evidence *evidence)
{
	struct bench_arena *arena = &gate->comparison->arena;
	const struct bench_result *measured = evidence->measured;

	if (!measured)
		return;
	if (measured->status == BENCH_STATUS_OK && measured->metric_count > 0)
		verdict->reason = bench_arena_format(arena, "%s; flaky: it was ok when measured again",
						     verdict->reason);
	else if (measured->status != BENCH_STATUS_PENDING)
		verdict->reason =
			bench_arena_format(arena, "%s; %s again in fresh processes", verdict->reason,
					   bench_record_status_name(measured->status));
}

/* So large that no slow hour explains it: twice as much, and many times what `slower` needs. */
static bool is_beyond_doubt(const struct bench_verdict *verdict)
{
	double share = expm1(fabs(bench_compare_size(verdict)));
	double moved = verdict->by_difference ? fabs(verdict->difference) : share;

	return share >= 1 && moved >= BENCH_GATE_BEYOND_DOUBT * verdict->threshold;
}

static void judge(const struct gate *gate, struct bench_verdict *verdict)
{
	struct evidence evidence = {
		.reference = bench_compare_find(gate->reference, verdict->key),
		.confirmation = gate->confirmation
					? bench_compare_find(gate->confirmation->comparison, verdict->key)
					: NULL,
		.pooled = gate->confirmation ? bench_compare_find(gate->confirmation->pooled, verdict->key)
					     : NULL,
		.reference_confirmation =
			gate->confirmation ? bench_compare_find(gate->confirmation->reference, verdict->key)
					   : NULL,
		.measured = gate->confirmation ? find_case(gate->confirmation->run, verdict) : NULL,
	};

	if (verdict->kind == BENCH_BROKEN)
		judge_broken(gate, verdict, &evidence);
	else if (is_slower(verdict) || verdict->kind == BENCH_UNCLEAR)
		judge_twice(gate, verdict, &evidence);
	if (verdict->kind == BENCH_SLOWER && gate->comparison->options.newest > 0 && !verdict->first &&
	    !(answers(evidence.confirmation) && is_beyond_doubt(verdict)))
		bench_compare_suspect(gate->comparison, verdict);
	if (!is_slower(verdict) && verdict->kind != BENCH_BROKEN && verdict->kind != BENCH_MISSING &&
	    gate->reference && is_slower(evidence.reference))
		judge_drift(gate, verdict, &evidence);
}

/* Adds a verdict for what the reference baseline has and the run lost before the baseline's first run. */
static void remember(const struct gate *gate, const struct bench_verdict *lost)
{
	struct bench_comparison *comparison = gate->comparison;
	struct bench_arena *arena = &comparison->arena;
	struct bench_verdict *verdict =
		bench_arena_push(arena, &comparison->verdicts, &comparison->verdict_count, sizeof(*verdict));

	*verdict = *lost;
	verdict->key = bench_arena_string(arena, lost->key);
	verdict->metric = bench_arena_string(arena, lost->metric);
	verdict->unit = bench_arena_string(arena, lost->unit);
	verdict->reason = bench_arena_format(arena, "in reference %s and not in %s: %s", reference_id(gate),
					     comparison->baseline_name, lost->reason);
}

void bench_compare_gate_ease(struct bench_compare_options *options, struct bench_arena *arena)
{
	struct bench_metric_rule *rules = bench_arena_alloc(arena, options->rule_count + 1, sizeof(*rules));

	for (size_t i = 0; i < options->rule_count; i++) {
		rules[i] = options->rules[i];
		rules[i].threshold *= BENCH_GATE_CONFIRM_SHARE;
	}
	options->rules = rules;
	options->alpha = BENCH_GATE_CONFIRM_ALPHA;
	options->each_alone = true;
	options->threshold *= BENCH_GATE_CONFIRM_SHARE;
}

void bench_compare_gate_conclude(struct bench_comparison *comparison,
				 const struct bench_comparison *reference,
				 const struct bench_compare_confirmation *confirmation)
{
	struct gate gate = {comparison, reference, confirmation};
	size_t count = comparison->verdict_count, lost = 0;
	const struct bench_verdict **losses = NULL;

	/* Looked up before the verdicts lose their order. */
	if (reference)
		losses = bench_arena_alloc(&comparison->arena, reference->verdict_count + 1, sizeof(*losses));
	for (size_t i = 0; reference && i < reference->verdict_count; i++) {
		const struct bench_verdict *verdict = &reference->verdicts[i];

		if ((verdict->kind == BENCH_MISSING || verdict->kind == BENCH_BROKEN) &&
		    !bench_compare_find(comparison, verdict->key))
			losses[lost++] = verdict;
	}
	for (size_t i = 0; i < count; i++)
		judge(&gate, &comparison->verdicts[i]);
	for (size_t i = 0; i < lost; i++)
		remember(&gate, losses[i]);
	bench_compare_sort(comparison);
}

/* By how much a verdict is worse, as a size; negative if it is better. */
static double worse_by(const struct bench_verdict *verdict)
{
	double shift = bench_compare_size(verdict);

	return verdict->better == BENCH_BETTER_LOWER ? shift : -shift;
}

struct bench_gate_undecided bench_compare_gate_undecided(const struct bench_comparison *comparison,
							 double share, bool young)
{
	struct bench_gate_undecided undecided = {0};
	double worst = BENCH_GATE_FAR * log1p(comparison->options.threshold);

	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];

		/* What is under an open alarm is known, whether tonight tells or not. */
		if (!answers(verdict) || (verdict->alarm && !verdict->alarm->recovered))
			continue;
		undecided.judged++;
		undecided.unclear += verdict->kind == BENCH_UNCLEAR;
		if (verdict->kind == BENCH_UNCLEAR && worse_by(verdict) >= worst) {
			worst = worse_by(verdict);
			undecided.worst = verdict;
		}
	}
	undecided.too_many = undecided.worst || (double)undecided.unclear > share * (double)undecided.judged;
	undecided.begins = undecided.too_many && young && !undecided.worst;
	return undecided;
}
