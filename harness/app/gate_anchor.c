/* SPDX-License-Identifier: MIT */
/* A gate against an executable: an anchor, or a base that was named. Both are measured interleaved. */

#include "app/gate_internal.h"
#include "core/text.h"

/* An executable instead of a baseline: both are asked what they have, before time is spent. */
int app_gate_meet(struct bench_app_gate *gate, const char *base, struct bench_error *error)
{
	const struct bench_app_gate_request *request = gate->request;
	bench_app_duel_free(&gate->duel);
	gate->duel = (struct bench_app_duel){.share = APP_GATE_FIRST_SHARE,
					     .judging = {.threshold = request->options.threshold,
							 .floor = request->options.floor,
							 .alpha = request->options.alpha,
							 .rules = request->options.rules,
							 .rule_count = request->options.rule_count,
							 .two_looks = true}};
	return bench_app_duel_meet(&gate->duel, &request->measure.cases, base, NULL, gate->first.plan, error);
}

/* An interleaved run of the gate. A night with its anchor is part of the history; a run with a base is not.
 */
int app_gate_enter(struct bench_app_gate *gate, struct bench_app_measure *measure, struct bench_error *error)
{
	struct bench_run *run = measure->run;
	bool anchored = gate->against == BENCH_APP_GATE_ANCHOR;
	if (bench_app_duel_enter(&gate->duel, anchored ? NULL : "gate", measure, error) != 0)
		return -1;
	if (anchored)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "anchor",
					   gate->anchor.row.run);
	return 0;
}

/* What the anchor has, and this executable lacks since a shift of it was accepted, was removed on purpose. */
static int forget_removed(struct bench_app_gate *gate, struct bench_error *error)
{
	struct bench_duel_options *judging = &gate->duel.judging;
	struct bench_accepted_row *rows;
	struct bench_arena *arena = &gate->anchor.arena;
	size_t count, kept = 0;
	if (judging->missing_count == 0)
		return 0;
	if (bench_store_accepted(gate->first.store, gate->anchor.fingerprint, arena, &rows, &count, error) !=
	    0)
		return -1;
	const char **missing = bench_arena_alloc(arena, judging->missing_count, sizeof(*missing));
	const char **causes = bench_arena_alloc(arena, judging->missing_count, sizeof(*causes));
	for (size_t i = 0; i < judging->missing_count; i++) {
		char *key = bench_arena_format(arena, "%s/time", judging->missing[i]);
		bool removed = false;
		for (size_t j = 0; j < count; j++)
			removed |= rows[j].created >= gate->anchor.row.created &&
				   bench_text_match(rows[j].pattern, key);
		if (!removed) {
			missing[kept] = judging->missing[i];
			causes[kept++] = judging->missing_cause[i];
		}
	}
	judging->missing = missing;
	judging->missing_cause = causes;
	judging->removed += judging->missing_count - kept;
	judging->missing_count = kept;
	return 0;
}

/* The anchor, and what it has. One that cannot be started any more is replaced, as in the first night. */
int app_gate_prepare_anchor(struct bench_app_gate *gate, struct bench_error *error)
{
	struct bench_app_anchor *anchor = &gate->anchor;
	struct bench_error cause;
	char *lost;
	size_t others;
	if (bench_app_anchor_find(anchor, &gate->first, &gate->line, &lost, &others, error) != 0)
		return -1;
	if (lost)
		bench_fail(&gate->first_night, BENCH_NOTHING, "the anchor is lost: %s", lost);
	else if (anchor->first && others > 0)
		bench_fail(&gate->first_night, BENCH_NOTHING,
			   "no gate of this command has an anchor on this line of history, and other lines "
			   "have %zu (--branch any takes the newest)",
			   others);
	else if (anchor->first)
		bench_fail(&gate->first_night, BENCH_NOTHING,
			   "no gate of this command has run on this host before");
	if (app_gate_meet(gate, anchor->program, &cause) != 0) {
		if (anchor->first && cause.code == BENCH_NOTHING)
			return bench_fail(error, BENCH_NOTHING,
					  "%s ('bench gate --baseline rolling:10' needs no anchor)",
					  cause.text);
		if (anchor->first || cause.code != BENCH_NOTHING) {
			*error = cause;
			return -1;
		}
		bench_fail(&gate->first_night, BENCH_NOTHING, "the anchor cannot be measured any more: %s",
			   cause.text);
		if (bench_app_anchor_drop(anchor, error) != 0 ||
		    app_gate_meet(gate, anchor->program, error) != 0)
			return -1;
	}
	gate->duel.judging.base_name = anchor->name;
	gate->duel.judging.levels = anchor->row.levels;
	gate->duel.judging.level_count = anchor->row.level_count;
	if (!anchor->first && forget_removed(gate, error) != 0)
		return -1;
	return app_gate_enter(gate, &gate->first, error);
}
