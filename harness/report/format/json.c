/* SPDX-License-Identifier: MIT */
/* JSON: a run is metrics.json; schemas "bench-comparison/1" and "bench-columns/1" (docs/output.md) and
 * "bench-power/1" (docs/power.md). */
#include <string.h>

#include "compare/bounds.h"
#include "core/clock.h"
#include "core/json.h"
#include "core/memory.h"
#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report/render/answer.h"
#include "report/render/columns.h"
#include "report/render/power.h"

/* Prints a document and frees it. */
static void print(cJSON *document, struct bench_text *out)
{
	BENCH_SCOPED_MEMORY char *text = bench_json_print(document, true);
	bench_text_add_json(out, text);
	bench_text_add(out, "\n");
}

static void render_run(const struct bench_run *run, const struct bench_comparison *comparison,
		       const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_MEMORY char *json = bench_record_to_json(run);
	(void)comparison;
	(void)options;
	bench_text_add_json(out, json);
}

static cJSON *strings(char *const *texts, size_t count)
{
	cJSON *array = cJSON_CreateArray();
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
	return array;
}

static void add_interval(cJSON *object, double lo, double hi)
{
	cJSON *interval = cJSON_AddArrayToObject(object, "ci");
	cJSON_AddItemToArray(interval, bench_json_real(lo));
	cJSON_AddItemToArray(interval, bench_json_real(hi));
}

static cJSON *alarm_object(const struct bench_verdict_alarm *alarm)
{
	cJSON *object = cJSON_CreateObject();
	char since[40];
	bench_clock_iso(alarm->since, since, sizeof(since));
	bench_json_add_number(object, "id", (double)alarm->id);
	cJSON_AddStringToObject(object, "state", bench_render_alarms_state(alarm));
	cJSON_AddStringToObject(object, "since", since);
	bench_json_add_number(object, "nights", alarm->nights);
	bench_json_add_number(object, "ratio", alarm->ratio);
	add_interval(object, alarm->lo, alarm->hi);
	bench_json_add_number(object, "ci_level", alarm->ci_level);
	cJSON_AddStringToObject(object, "good_commit", alarm->good_commit);
	cJSON_AddStringToObject(object, "bad_commit", alarm->bad_commit);
	cJSON_AddStringToObject(object, "culprit", alarm->culprit);
	cJSON_AddStringToObject(object, "cause", alarm->cause ? alarm->cause : "");
	return object;
}

static void add_expected(cJSON *object, const struct bench_expected *expected)
{
	cJSON *item = cJSON_AddObjectToObject(object, "expected");
	cJSON_AddStringToObject(item, "until", expected->until);
	cJSON_AddStringToObject(item, "why", expected->why);
}

static cJSON *bound_object(const struct bench_bound_verdict *held)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "key", held->key);
	cJSON_AddStringToObject(object, "side", held->is_least ? "min" : "max");
	cJSON_AddStringToObject(object, "bound", held->bound->text);
	bench_json_add_number(object, "limit", held->bound->limit);
	cJSON_AddStringToObject(object, "unit", held->unit);
	cJSON_AddStringToObject(object, "state", bench_compare_bound_name(held->state));
	bench_json_add_number(object, "value", held->value);
	add_interval(object, held->lo, held->hi);
	bench_json_add_number(object, "ci_level", held->level);
	cJSON_AddStringToObject(object, "reason", held->reason);
	if (*held->owner)
		cJSON_AddStringToObject(object, "owner", held->owner);
	if (held->expected)
		add_expected(object, held->expected);
	return object;
}

static cJSON *expectation_object(const struct bench_expectation *expectation)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "match", expectation->pattern);
	cJSON_AddStringToObject(object, "until", expectation->expected->until);
	cJSON_AddStringToObject(object, "why", expectation->expected->why);
	cJSON_AddStringToObject(object, "state", bench_compare_expectation_name(expectation->state));
	bench_json_add_number(object, "failing", (double)expectation->failing);
	return object;
}

/* What the project file demands; nothing of a project that demands nothing. */
static void add_demands(cJSON *document, const struct bench_comparison *comparison)
{
	cJSON *array = comparison->bound_count ? cJSON_AddArrayToObject(document, "bounds") : NULL;
	for (size_t i = 0; i < comparison->bound_count; i++)
		cJSON_AddItemToArray(array, bound_object(&comparison->bounds[i]));
	array = comparison->expectation_count ? cJSON_AddArrayToObject(document, "expectations") : NULL;
	for (size_t i = 0; i < comparison->expectation_count; i++)
		cJSON_AddItemToArray(array, expectation_object(&comparison->expectations[i]));
}

static cJSON *verdict_object(const struct bench_verdict *verdict)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "key", verdict->key);
	cJSON_AddStringToObject(object, "metric", verdict->metric);
	cJSON_AddStringToObject(object, "verdict", bench_compare_verdict_name(verdict->kind));
	bench_json_add_number(object, "ratio", verdict->ratio);
	if (verdict->by_difference)
		bench_json_add_number(object, "difference", verdict->difference);
	add_interval(object, verdict->lo, verdict->hi);
	bench_json_add_number(object, "ci_level", verdict->level);
	bench_json_add_number(object, "p", verdict->p);
	bench_json_add_number(object, "p_adjusted", verdict->p_adjusted);
	bench_json_add_number(object, "threshold", verdict->threshold);
	bench_json_add_number(object, "learned_runs", (double)verdict->learned_runs);
	bench_json_add_number(object, "mde", verdict->mde);
	bench_json_add_number(object, "base_median", verdict->base_median);
	bench_json_add_number(object, "candidate_median", verdict->candidate_median);
	cJSON_AddStringToObject(object, "unit", verdict->unit);
	cJSON_AddStringToObject(object, "better", bench_record_better_name(verdict->better));
	bench_json_add_number(object, "base_invocations", (double)verdict->base_invocations);
	bench_json_add_number(object, "candidate_invocations", (double)verdict->candidate_invocations);
	bench_json_add_number(object, "base_disturbed", (double)verdict->base_disturbed);
	bench_json_add_number(object, "candidate_disturbed", (double)verdict->candidate_disturbed);
	cJSON_AddStringToObject(object, "reason", verdict->reason);
	if (verdict->why)
		cJSON_AddStringToObject(object, "why", verdict->why);
	if (verdict->needed)
		bench_json_add_number(object, "needed_invocations", (double)verdict->needed);
	if (verdict->owner && *verdict->owner)
		cJSON_AddStringToObject(object, "owner", verdict->owner);
	if (verdict->alarm)
		cJSON_AddItemToObject(object, "alarm", alarm_object(verdict->alarm));
	if (verdict->expected)
		add_expected(object, verdict->expected);
	return object;
}

static cJSON *group_object(const struct bench_alarm_group *group)
{
	cJSON *object = alarm_object(&group->alarm);
	bench_json_add_number(object, "metrics", (double)group->metrics);
	bench_json_add_number(object, "recovered", (double)group->recovered);
	return object;
}

/* The alarms that the verdicts are under, one object per alarm. */
static void add_alarms(cJSON *document, const struct bench_comparison *comparison)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_alarm_group *groups;
	size_t count;
	cJSON *alarms = cJSON_AddArrayToObject(document, "alarms");
	bench_render_alarms(&arena, comparison, &groups, &count);
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(alarms, group_object(&groups[i]));
}

/* The answer in a line, and the commands to run next. */
static void add_answer(cJSON *document, const struct bench_comparison *comparison,
		       const struct bench_report_options *options)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_next *next;
	size_t count = bench_format_next(&arena, comparison, options, &next);
	cJSON_AddStringToObject(
		document, "answer",
		bench_render_answer(&arena, comparison, options->gate, options->failing).line);
	cJSON *array = cJSON_AddArrayToObject(document, "next");
	for (size_t i = 0; i < count; i++) {
		cJSON *item = cJSON_CreateObject();
		cJSON_AddStringToObject(item, "what", next[i].what);
		cJSON_AddStringToObject(item, "command", next[i].command);
		cJSON_AddItemToArray(array, item);
	}
}

/* The gate's outcome. */
static void add_gate(cJSON *document, const struct bench_comparison *comparison,
		     const struct bench_report_options *options)
{
	BENCH_SCOPED_ARENA arena = {0};
	const struct bench_report_gate *gate = options->gate;
	cJSON *object = cJSON_AddObjectToObject(document, "gate");
	cJSON_AddBoolToObject(object, "passed", bench_render_gate_passed(comparison, gate, options->failing));
	cJSON_AddBoolToObject(object, "strict", (options->failing & BENCH_FAILING_UNCLEAR) != 0);
	cJSON_AddBoolToObject(object, "new_only", (options->failing & BENCH_FAILING_NEW_ONLY) != 0);
	cJSON_AddStringToObject(object, "summary",
				bench_render_gate_line(&arena, comparison, gate, options->failing));
	if (gate->reference)
		cJSON_AddStringToObject(object, "reference", gate->reference);
	if (gate->confirmation)
		cJSON_AddStringToObject(object, "measured_again", gate->confirmation);
	if (gate->trouble)
		cJSON_AddStringToObject(object, "trouble", gate->trouble);
	if (gate->machine > 0)
		bench_json_add_number(object, "machine", gate->machine);
	bench_json_add_number(object, "seconds", gate->seconds);
}

static cJSON *change_object(const struct bench_change *change)
{
	cJSON *object = cJSON_CreateObject();
	char started[40];
	bench_clock_iso(change->started, started, sizeof(started));
	cJSON_AddStringToObject(object, "key", change->key);
	cJSON_AddStringToObject(object, "run", change->first_run);
	cJSON_AddStringToObject(object, "started", started);
	cJSON_AddStringToObject(object, "commit", change->first_commit);
	cJSON_AddStringToObject(object, "last_run", change->last_run);
	cJSON_AddStringToObject(object, "last_commit", change->last_commit);
	bench_json_add_number(object, "before", change->before);
	bench_json_add_number(object, "after", change->after);
	cJSON_AddStringToObject(object, "unit", change->unit);
	cJSON_AddStringToObject(object, "better", bench_record_better_name(change->better));
	bench_json_add_number(object, "ratio", change->ratio.estimate);
	add_interval(object, change->ratio.lo, change->ratio.hi);
	bench_json_add_number(object, "ci_level", change->ratio.level);
	bench_json_add_number(object, "p", change->p);
	bench_json_add_number(object, "together", (double)change->together);
	cJSON_AddStringToObject(object, "cause", bench_compare_cause_name(change->cause));
	cJSON_AddStringToObject(object, "why", change->why);
	return object;
}

static void add_changes(cJSON *document, const struct bench_changes *changes)
{
	cJSON *object = cJSON_AddObjectToObject(document, "level_shifts");
	bench_json_add_number(object, "runs", (double)changes->runs);
	cJSON *array = cJSON_AddArrayToObject(object, "changes");
	for (size_t i = 0; i < changes->count; i++)
		cJSON_AddItemToArray(array, change_object(&changes->items[i]));
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	cJSON *document = cJSON_CreateObject();
	cJSON_AddStringToObject(document, "schema", "bench-comparison/1");
	cJSON_AddStringToObject(document, "candidate", comparison->candidate_id);
	cJSON *baseline = cJSON_AddObjectToObject(document, "baseline");
	cJSON_AddStringToObject(baseline, "name", comparison->baseline_name);
	cJSON_AddItemToObject(baseline, "runs",
			      strings(comparison->baseline_ids, comparison->baseline_count));
	if (comparison->line) {
		bench_json_add_number(baseline, "left_out", (double)comparison->left_out);
		cJSON_AddStringToObject(baseline, "line", comparison->line);
	}
	cJSON *chosen = cJSON_AddObjectToObject(document, "options");
	bench_json_add_number(chosen, "threshold", comparison->options.threshold);
	bench_json_add_number(chosen, "alpha", comparison->options.alpha);
	cJSON_AddBoolToObject(chosen, "allow_env_change", comparison->options.allow_env_change);
	cJSON *counts = cJSON_AddObjectToObject(document, "counts");
	for (size_t kind = 0; kind < BENCH_VERDICT_KINDS; kind++)
		bench_json_add_number(counts, bench_compare_verdict_name((enum bench_verdict_kind)kind),
				      (double)comparison->counts[kind]);
	bench_json_add_number(document, "not_selected", (double)comparison->not_selected);
	bench_json_add_number(document, "removed", (double)comparison->removed);
	if (comparison->ignored)
		bench_json_add_number(document, "ignored", (double)comparison->ignored);
	cJSON_AddItemToObject(document, "env_changes",
			      strings(comparison->env_changes, comparison->env_change_count));
	cJSON_AddItemToObject(document, "env_notes",
			      strings(comparison->env_notes, comparison->env_note_count));
	cJSON *verdicts = cJSON_AddArrayToObject(document, "verdicts");
	for (size_t i = 0; i < comparison->verdict_count; i++)
		cJSON_AddItemToArray(verdicts, verdict_object(&comparison->verdicts[i]));
	add_demands(document, comparison);
	add_alarms(document, comparison);
	add_answer(document, comparison, options);
	if (options->gate)
		add_gate(document, comparison, options);
	if (options->changes)
		add_changes(document, options->changes);
	print(document, out);
}

static cJSON *mean_object(const struct bench_verdict *verdict, const struct bench_columns_group *group)
{
	const char *metric = strrchr(group->key, '/');
	cJSON *object = verdict_object(verdict);
	BENCH_SCOPED_ARENA arena = {0};
	cJSON_AddStringToObject(object, "group",
				bench_arena_format(&arena, "%.*s", (int)(metric - group->key), group->key));
	bench_json_add_number(object, "cases", (double)group->cases);
	return object;
}

static cJSON *column_object(const struct bench_columns *columns, size_t at,
			    const struct bench_report_options *options)
{
	const struct bench_column *column = &columns->items[at];
	const struct bench_comparison *comparison = column->comparison;
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_columns_group *groups;
	size_t count = bench_render_columns_groups(&arena, columns, &groups);
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "name", column->name);
	cJSON_AddStringToObject(object, "about", column->about ? column->about : "");
	if (!comparison)
		return object;
	cJSON_AddBoolToObject(object, "paired", column->paired);
	cJSON_AddStringToObject(object, "answer",
				bench_render_answer(&arena, comparison, NULL, options->failing).line);
	cJSON_AddItemToObject(object, "env_changes",
			      strings(comparison->env_changes, comparison->env_change_count));
	cJSON_AddItemToObject(object, "env_notes",
			      strings(comparison->env_notes, comparison->env_note_count));
	cJSON *verdicts = cJSON_AddArrayToObject(object, "verdicts");
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (!options->only || options->only & 1U << comparison->verdicts[i].kind)
			cJSON_AddItemToArray(verdicts, verdict_object(&comparison->verdicts[i]));
	cJSON *means = columns->means ? cJSON_AddArrayToObject(object, "geomeans") : NULL;
	for (size_t i = 0; means && i < count; i++) {
		const struct bench_verdict *mean = bench_compare_find(comparison->means, groups[i].key);
		if (mean)
			cJSON_AddItemToArray(means, mean_object(mean, &groups[i]));
	}
	return object;
}

static void render_columns(const struct bench_columns *columns, const struct bench_report_options *options,
			   struct bench_text *out)
{
	cJSON *document = cJSON_CreateObject();
	const struct bench_compare_options *chosen = &columns->items[1].comparison->options;
	cJSON_AddStringToObject(document, "schema", "bench-columns/1");
	cJSON_AddItemToObject(document, "by",
			      columns->by ? cJSON_CreateString(columns->by) : cJSON_CreateNull());
	cJSON *object = cJSON_AddObjectToObject(document, "options");
	bench_json_add_number(object, "threshold", chosen->threshold);
	bench_json_add_number(object, "alpha", chosen->alpha);
	cJSON *array = cJSON_AddArrayToObject(document, "columns");
	for (size_t c = 0; c < columns->count; c++)
		cJSON_AddItemToArray(array, column_object(columns, c, options));
	if (columns->means) {
		cJSON *left = cJSON_AddArrayToObject(document, "not_in_geomeans");
		for (size_t i = 0; i < columns->left_out_count; i++) {
			cJSON *item = cJSON_CreateObject();
			cJSON_AddStringToObject(item, "key", columns->left_out[i].key);
			cJSON_AddStringToObject(item, "why", columns->left_out[i].why);
			cJSON_AddItemToArray(left, item);
		}
	}
	cJSON_AddItemToObject(document, "notes", strings(columns->notes, columns->note_count));
	print(document, out);
}

/* A right-aligned column holds numbers; an empty cell of one is null. */
static void add_cell(cJSON *row, const struct bench_grid_column *column, const char *text)
{
	double number;
	if (column->right && (!text || !*text))
		cJSON_AddNullToObject(row, column->title);
	else if (column->right && bench_text_real(text, &number))
		bench_json_add_number(row, column->title, number);
	else
		cJSON_AddStringToObject(row, column->title, text ? text : "");
}

static void render_grid(struct bench_grid *grid, const struct bench_report_options *options,
			struct bench_text *out)
{
	cJSON *array = cJSON_CreateArray();
	(void)options;
	for (size_t r = 0; r < grid->row_count; r++) {
		cJSON *row = cJSON_CreateObject();
		for (size_t c = 0; c < grid->column_count; c++)
			add_cell(row, &grid->columns[c], grid->rows[r].cells[c].text);
		cJSON_AddItemToArray(array, row);
	}
	print(array, out);
}

static void add_count(cJSON *object, const char *name, struct bench_power_count count)
{
	struct bench_interval rate = bench_render_power_rate(count);
	cJSON *item = cJSON_AddObjectToObject(object, name);
	bench_json_add_number(item, "hits", (double)count.hits);
	bench_json_add_number(item, "trials", (double)count.trials);
	bench_json_add_number(item, "rate", rate.estimate);
	add_interval(item, rate.lo, rate.hi);
}

static cJSON *case_object(const struct bench_power *power, const struct bench_power_case *one)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "case", one->key);
	bench_json_add_number(object, "mde", bench_compare_power_mde(one));
	bench_json_add_number(object, "found_80", bench_compare_power_smallest(power, one, 0.80));
	bench_json_add_number(object, "found_95", bench_compare_power_smallest(power, one, 0.95));
	cJSON *levels = cJSON_AddArrayToObject(object, "levels");
	for (size_t i = 0; i < power->level_count; i++) {
		cJSON *level = cJSON_CreateObject();
		bench_json_add_number(level, "slowdown", power->levels[i].slowdown);
		add_count(level, "slower", (struct bench_power_count){one->found[i], one->trials[i]});
		cJSON_AddItemToArray(levels, level);
	}
	return object;
}

static void render_power(const struct bench_power *power, const struct bench_report_options *options,
			 struct bench_text *out)
{
	(void)options;
	cJSON *document = cJSON_CreateObject();
	cJSON_AddStringToObject(document, "schema", "bench-power/1");
	bench_json_add_number(document, "threshold", power->options.threshold);
	bench_json_add_number(document, "alpha", power->options.alpha);
	bench_json_add_number(document, "invocations", power->invocations);
	bench_json_add_number(document, "least_invocations", (double)power->least_invocations);
	bench_json_add_number(document, "run_seconds", power->run_seconds);
	bench_json_add_number(document, "baseline_runs", (double)power->baseline_runs);
	bench_json_add_number(document, "ci_level", BENCH_POWER_RATE_LEVEL);
	cJSON *levels = cJSON_AddArrayToObject(document, "levels");
	for (size_t i = 0; i < power->level_count; i++) {
		cJSON *level = cJSON_CreateObject();
		bench_json_add_number(level, "slowdown", power->levels[i].slowdown);
		for (enum bench_power_counted what = 0; what < BENCH_POWER_COUNTS; what++)
			add_count(level, bench_render_power_count_names[what],
				  bench_render_power_count_of(&power->levels[i], what));
		bench_json_add_number(level, "missing", (double)power->levels[i].missing);
		cJSON_AddItemToArray(levels, level);
	}
	cJSON *cases = cJSON_AddArrayToObject(document, "cases");
	for (size_t i = 0; i < power->case_count; i++)
		cJSON_AddItemToArray(cases, case_object(power, &power->cases[i]));
	print(document, out);
}

const struct bench_format bench_format_json = {
	.name = "json",
	.exact = true,
	.run = render_run,
	.comparison = render_comparison,
	.columns = render_columns,
	.grid = render_grid,
	.power = render_power,
};
