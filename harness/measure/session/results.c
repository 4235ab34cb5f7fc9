/* SPDX-License-Identifier: MIT */
#include "measure/session/results.h"

#include <string.h>

#include "core/text.h"
#include "extend/extend.h"
#include "machine/settings.h"

static char *repeat_command(struct bench_run *run, const struct bench_plan *plan,
			    const struct bench_planned *planned, unsigned threads)
{
	const struct bench_target *target = &plan->targets[planned->target];
	struct bench_text text = {0};
	bench_text_add(&text, "bench run");
	bench_extend_options(&text);
	bench_text_add(&text, " --suite %s", planned->suite->name);
	if (!planned->suite->host_only)
		bench_text_add(&text, " --backend %s:%zu", target->backend->name, target->index);
	const struct bench_planned *reference =
		planned->reference == BENCH_NO_REFERENCE ? planned : &plan->cases[planned->reference];
	for (size_t i = 0; i < planned->value_count; i++) {
		const struct bench_value *value = &planned->values[i], *first = &reference->values[i];
		if (bench_plan_is_unsaid(planned->suite, planned->values, i))
			continue;
		bench_text_add(&text, " --set %s=", planned->suite->params[i].name);
		bench_text_add_shell(&text, bench_value_given(first));
		if (strcmp(value->text, first->text) != 0) {
			bench_text_add(&text, ",");
			bench_text_add_shell(&text, bench_value_given(value));
		}
	}
	bench_text_add(&text, " --seed %llu", (unsigned long long)run->seed);
	if (planned->threads)
		bench_text_add(&text, " --set " BENCH_PLAN_THREADS "=%s", planned->threads->text);
	else if (threads)
		bench_text_add(&text, " --threads %u", threads);
	struct bench_settings settings = bench_machine_settings_of(run);
	if (!settings.pin)
		bench_text_add(&text, " --pin no");
	if (settings.cold)
		bench_text_add(&text, " --cache cold");
	return bench_text_keep(&text, &run->arena);
}

static int add_result(struct bench_run *run, const struct bench_plan *plan,
		      const struct bench_planned *planned, unsigned threads, struct bench_error *error)
{
	struct bench_arena arena = {0};
	const struct bench_target *target = &plan->targets[planned->target];
	struct bench_attribute *params = NULL;
	size_t count = 0;
	for (size_t i = 0; i < planned->value_count; i++)
		if (!bench_plan_is_unsaid(planned->suite, planned->values, i))
			bench_record_attribute_set(&arena, &params, &count, planned->suite->params[i].name,
						   planned->values[i].text);
	if (planned->threads)
		bench_record_attribute_set(&arena, &params, &count, BENCH_PLAN_THREADS,
					   planned->threads->text);
	struct bench_result *result = bench_record_add_case(run, planned->suite->name, target->backend->name,
							    target->info.slug, params, count, error);
	bench_arena_free(&arena);
	if (!result)
		return -1;
	result->work = planned->work;
	if (planned->reference != BENCH_NO_REFERENCE)
		result->relative_to = bench_arena_string(&run->arena, plan->cases[planned->reference].key);
	if (planned->reference_lacks)
		bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "relative_time",
					   planned->reference_lacks);
	if (planned->uses)
		bench_record_attribute_set(
			&run->arena, &result->notes, &result->note_count, BENCH_NOTE_USES,
			bench_arena_format(&run->arena, "%llu", (unsigned long long)planned->uses));
	if (planned->captured > 0)
		bench_record_attribute_set(&run->arena, &result->notes, &result->note_count,
					   BENCH_NOTE_CAPTURED,
					   bench_arena_format(&run->arena, "%.9g", planned->captured));
	result->repeat = repeat_command(run, plan, planned, threads);
	return 0;
}

int bench_session_add_results(struct bench_run *run, const struct bench_plan *plan, unsigned threads,
			      struct bench_error *error)
{
	for (size_t i = 0; i < plan->case_count; i++)
		if (add_result(run, plan, &plan->cases[i], threads, error) != 0)
			return -1;
	return 0;
}
