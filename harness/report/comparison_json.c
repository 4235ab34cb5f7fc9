/* A comparison as JSON: schema "bench-comparison/1", described in docs/reports.md. */

#include "core/json.h"
#include "report/formats.h"

static cJSON *strings(char *const *texts, size_t count)
{
	cJSON *array = cJSON_CreateArray();
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
	return array;
}

static cJSON *verdict_object(const struct bench_verdict *verdict)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "key", verdict->key);
	cJSON_AddStringToObject(object, "metric", verdict->metric);
	cJSON_AddStringToObject(object, "verdict", bench_verdict_name(verdict->kind));
	bench_json_add_number(object, "ratio", verdict->ratio);
	cJSON *interval = cJSON_AddArrayToObject(object, "ci");
	cJSON_AddItemToArray(interval, bench_json_real(verdict->lo));
	cJSON_AddItemToArray(interval, bench_json_real(verdict->hi));
	bench_json_add_number(object, "ci_level", verdict->level);
	bench_json_add_number(object, "p", verdict->p);
	bench_json_add_number(object, "p_adjusted", verdict->p_adjusted);
	bench_json_add_number(object, "threshold", verdict->threshold);
	bench_json_add_number(object, "learned_runs", (double)verdict->learned_runs);
	bench_json_add_number(object, "mde", verdict->mde);
	bench_json_add_number(object, "base_median", verdict->base_median);
	bench_json_add_number(object, "candidate_median", verdict->candidate_median);
	cJSON_AddStringToObject(object, "unit", verdict->unit);
	cJSON_AddStringToObject(object, "better", bench_better_name(verdict->better));
	bench_json_add_number(object, "base_invocations", (double)verdict->base_invocations);
	bench_json_add_number(object, "candidate_invocations", (double)verdict->candidate_invocations);
	bench_json_add_number(object, "base_disturbed", (double)verdict->base_disturbed);
	bench_json_add_number(object, "candidate_disturbed", (double)verdict->candidate_disturbed);
	cJSON_AddStringToObject(object, "reason", verdict->reason);
	return object;
}

/* What the gate adds. */
static void add_gate(cJSON *document, const struct bench_comparison *comparison,
		     const struct bench_report_options *options)
{
	struct bench_arena arena = {0};
	const struct bench_report_gate *gate = options->gate;
	cJSON *object = cJSON_AddObjectToObject(document, "gate");
	cJSON_AddBoolToObject(object, "passed",
			      !gate->trouble && bench_comparison_outcome(comparison, options->strict) ==
							BENCH_OUTCOME_GOOD);
	cJSON_AddBoolToObject(object, "strict", options->strict);
	cJSON_AddStringToObject(object, "summary", bench_report_gate_line(&arena, comparison, options));
	if (gate->reference)
		cJSON_AddStringToObject(object, "reference", gate->reference);
	if (gate->again)
		cJSON_AddStringToObject(object, "measured_again", gate->again);
	if (gate->trouble)
		cJSON_AddStringToObject(object, "trouble", gate->trouble);
	bench_json_add_number(object, "seconds", gate->seconds);
	bench_arena_free(&arena);
}

void bench_json_comparison(const struct bench_comparison *comparison,
			   const struct bench_report_options *options, struct bench_text *out)
{
	cJSON *document = cJSON_CreateObject();
	cJSON_AddStringToObject(document, "schema", "bench-comparison/1");
	cJSON_AddStringToObject(document, "candidate", comparison->candidate_id);
	cJSON *baseline = cJSON_AddObjectToObject(document, "baseline");
	cJSON_AddStringToObject(baseline, "name", comparison->baseline_name);
	cJSON_AddItemToObject(baseline, "runs",
			      strings(comparison->baseline_ids, comparison->baseline_count));
	cJSON *chosen = cJSON_AddObjectToObject(document, "options");
	bench_json_add_number(chosen, "threshold", comparison->options.threshold);
	bench_json_add_number(chosen, "alpha", comparison->options.alpha);
	cJSON_AddBoolToObject(chosen, "allow_env_change", comparison->options.allow_env_change);
	cJSON *counts = cJSON_AddObjectToObject(document, "counts");
	for (size_t kind = 0; kind < BENCH_VERDICT_KINDS; kind++)
		bench_json_add_number(counts, bench_verdict_name((enum bench_verdict_kind)kind),
				      (double)comparison->counts[kind]);
	bench_json_add_number(document, "not_selected", (double)comparison->not_selected);
	cJSON_AddItemToObject(document, "env_changes",
			      strings(comparison->env_changes, comparison->env_change_count));
	cJSON *verdicts = cJSON_AddArrayToObject(document, "verdicts");
	for (size_t i = 0; i < comparison->verdict_count; i++)
		cJSON_AddItemToArray(verdicts, verdict_object(&comparison->verdicts[i]));
	if (options->gate)
		add_gate(document, comparison, options);
	char *text = cJSON_Print(document);
	bench_text_add(out, "%s\n", text ? text : "null");
	cJSON_free(text);
	cJSON_Delete(document);
}
