/* SPDX-License-Identifier: MIT */
/*
 * Workflow commands of GitHub Actions: "::error title=TITLE::TEXT", which the runner reads off
 * stdout and shows as annotations. Escaped as its toolkit does (actions/toolkit, packages/core,
 * command.ts): % and line ends in the text; in properties ':' and ',' too.
 */
#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report/render/answer.h"
#include "report/render/bounds.h"
#include "report/render/changes.h"
#include "report/render/words.h"

#define CHANGES_TOLD 5

static void add_escaped(struct bench_text *out, const char *text, bool property)
{
	for (; *text; text++) {
		if (*text == '%' || *text == '\r' || *text == '\n' ||
		    (property && (*text == ':' || *text == ',')))
			bench_text_add(out, "%%%02X", (unsigned)*text);
		else
			bench_text_add_bytes(out, text, 1);
	}
}

static void add_command(struct bench_text *out, const char *command, const char *title, const char *text)
{
	bench_text_add(out, "::%s title=", command);
	add_escaped(out, title, true);
	bench_text_add(out, "::");
	add_escaped(out, text, false);
	bench_text_add(out, "\n");
}

static void add_verdict(struct bench_text *out, struct bench_arena *arena,
			const struct bench_verdict *verdict, const char *command)
{
	const char *key = bench_render_words_line(arena, verdict->key);
	char *title = bench_arena_format(arena, "%s: %s", bench_compare_verdict_name(verdict->kind), key);
	const char *told = bench_render_words_told(arena, verdict);
	add_command(out, command, title, bench_arena_format(arena, "%s: %s", key, told));
}

/* Known regressions appear only here: one line per alarm, not one per metric. */
static void add_alarms(struct bench_text *out, struct bench_arena *arena,
		       const struct bench_comparison *comparison, unsigned failing)
{
	struct bench_alarm_group *groups;
	size_t count;
	bench_render_alarms(arena, comparison, &groups, &count);
	for (size_t i = 0; i < count; i++) {
		const struct bench_verdict_alarm *alarm = &groups[i].alarm;
		bool let_pass = !alarm->is_new && (failing & BENCH_FAILING_NEW_ONLY);
		add_command(out,
			    alarm->recovered ? "notice"
			    : let_pass       ? "warning"
					     : "error",
			    "alarm", bench_render_alarms_line(arena, &groups[i]));
	}
}

static void add_bounds(struct bench_text *out, struct bench_arena *arena,
		       const struct bench_comparison *comparison)
{
	for (size_t i = 0; i < comparison->bound_count; i++) {
		const struct bench_bound_verdict *held = &comparison->bounds[i];
		if (held->state != BENCH_BOUND_KEPT)
			add_command(out,
				    held->expected                   ? "notice"
				    : held->state == BENCH_BOUND_OUT ? "error"
								     : "warning",
				    held->state == BENCH_BOUND_OUT ? "out of bounds" : "bound undecided",
				    bench_render_bounds_told(arena, held));
	}
	for (size_t i = 0; i < comparison->expectation_count; i++)
		add_command(out, "notice", "expected failures",
			    bench_render_bounds_expectation(arena, &comparison->expectations[i]));
}

/* The first few, as notices: shifts on other nights must not bury tonight's. */
static void add_changes(struct bench_text *out, struct bench_arena *arena,
			const struct bench_changes *changes)
{
	for (size_t i = 0; i < changes->count && i < CHANGES_TOLD; i++) {
		const char *key = bench_render_words_line(arena, changes->items[i].key);
		add_command(out, "notice", bench_arena_format(arena, "level shift: %s", key),
			    bench_arena_format(arena, "%s: %s", key,
					       bench_render_changes_told(arena, &changes->items[i])));
	}
	if (changes->count > CHANGES_TOLD)
		add_command(out, "notice", "level shifts",
			    bench_arena_format(arena,
					       "%zu more metrics' levels shifted: 'bench history "
					       "--changepoints' lists them",
					       changes->count - CHANGES_TOLD));
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	bool failed = options->gate
			      ? !bench_render_gate_passed(comparison, options->gate, options->failing)
			      : bench_compare_outcome(comparison, options->failing) != BENCH_OUTCOME_GOOD;
	const struct bench_answer answer =
		bench_render_answer(&arena, comparison, options->gate, options->failing);
	add_command(out, failed ? "error" : "notice", options->gate ? "bench gate" : "bench compare",
		    answer.line);
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		bool suspected = verdict->kind == BENCH_SUSPECTED;
		if ((suspected || bench_compare_fails(verdict, options->failing)) &&
		    !bench_render_alarms_known(verdict))
			add_verdict(out, &arena, verdict,
				    suspected || verdict->kind == BENCH_UNCLEAR ? "warning" : "error");
	}
	add_bounds(out, &arena, comparison);
	add_alarms(out, &arena, comparison, options->failing);
	for (size_t i = 0; i < comparison->env_change_count; i++)
		add_command(out, "warning", "environment changed, as allowed",
			    bench_render_words_line(&arena, comparison->env_changes[i]));
	if (options->changes)
		add_changes(out, &arena, options->changes);
	if (comparison->removed)
		add_command(out, "notice", "removed, as accepted",
			    bench_arena_format(&arena, "%zu", comparison->removed));
	if (comparison->line)
		add_command(out, "notice", "line of history",
			    bench_render_words_line(&arena, comparison->line));
	for (size_t i = 0; i < comparison->env_note_count; i++)
		add_command(out, "notice", "environment differs",
			    bench_render_words_line(&arena, comparison->env_notes[i]));
	struct bench_next *next;
	size_t count = bench_format_next(&arena, comparison, options, &next);
	for (size_t i = 0; i < count; i++)
		add_command(out, "notice", next[i].what, bench_render_words_line(&arena, next[i].command));
}

static void render_refusal(const char *verb, const char *why, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	add_command(out, "error", bench_arena_format(&arena, "bench %s", verb),
		    bench_render_words_line(&arena, why));
}

const struct bench_format bench_format_github = {
	.name = "github",
	.step_summary = &bench_format_markdown,
	.comparison = render_comparison,
	.refusal = render_refusal,
};
