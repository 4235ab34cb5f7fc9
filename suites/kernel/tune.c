/* SPDX-License-Identifier: MIT */
#include "suites/kernel/tune.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/text.h"
#include "suites/kernel/reader.h"

enum { MOST_VALUES = 64, MOST_STEPS = 100000 };

/* "TX": [8, 16, 32], the first of which is the default. */
static int read_tunable(const struct bench_kernel_reader *reader, const cJSON *item)
{
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_tunable *tunable = &spec->tunables[spec->tunable_count];
	uint64_t *values = bench_arena_alloc(reader->arena, MOST_VALUES, sizeof(*values));
	const cJSON *value;
	if (!bench_kernel_reader_is_name(item->string))
		return FAIL_AT_NAME(
			reader, item,
			"'%s' is no name of a tunable: letters, digits and '_', at most 31, and no "
			"digit first",
			item->string);
	if (BENCH_FIND(bench_kernel_reader_indices, BENCH_KERNEL_INDICES, item->string))
		return FAIL_AT_NAME(reader, item, "'%s' is the number of an element", item->string);
	if (BENCH_FIND(spec->symbols, spec->param_count, item->string))
		return FAIL_AT_NAME(reader, item, "there is a '%s' already", item->string);
	if (spec->param_count == BENCH_KERNEL_PARAMS)
		return FAIL_AT_NAME(reader, item, "more than %d parameters and tunables",
				    BENCH_KERNEL_PARAMS);
	if (!cJSON_IsArray(item) || !item->child)
		return FAIL_AT(reader, item, "tunable %s: expected its values, such as [8, 16, 32]",
			       item->string);
	cJSON_ArrayForEach(value, item)
	{
		if (!cJSON_IsNumber(value) || value->valuedouble != floor(value->valuedouble) ||
		    !(value->valuedouble >= 0 && value->valuedouble <= 0x1p31))
			return FAIL_AT(reader, value,
				       "tunable %s: expected whole numbers from 0 to 2^31; for words, number "
				       "them and let the source choose (#if)",
				       item->string);
		if (tunable->value_count == MOST_VALUES)
			return FAIL_AT(reader, value, "tunable %s has more than %d values", item->string,
				       MOST_VALUES);
		values[tunable->value_count] = (uint64_t)value->valuedouble;
		for (size_t i = 0; i < tunable->value_count; i++)
			if (values[i] == values[tunable->value_count])
				return FAIL_AT(reader, value, "tunable %s has the value %" PRIu64 " twice",
					       item->string, values[i]);
		tunable->value_count++;
	}
	spec->symbols[spec->param_count++].name = bench_arena_string(reader->arena, item->string);
	tunable->name = bench_arena_format(reader->arena, "%s.%s", spec->suite.name, item->string);
	tunable->values = values;
	tunable->fallback = spec->tuned[spec->tunable_count++] = values[0];
	return 0;
}

static int read_constraints(const struct bench_kernel_reader *reader)
{
	const cJSON *constraints = bench_json_member(reader->root, "constraints"), *item;
	struct bench_kernel_spec *spec = reader->spec;
	if (constraints && (!cJSON_IsArray(constraints) || !constraints->child))
		return FAIL_AT(reader, constraints,
			       "'constraints' is a list of expressions: [\"TX * TY <= 256\"]");
	cJSON_ArrayForEach(item, constraints)
	{
		if (!cJSON_IsString(item))
			return FAIL_AT(reader, item, "a constraint is an expression in quotes");
		if (spec->constraint_count == BENCH_KERNEL_PARAMS)
			return FAIL_AT(reader, item, "more than %d constraints", BENCH_KERNEL_PARAMS);
		if (bench_kernel_reader_expr(reader, item, "constraints", spec->param_count, false,
					     &spec->constraints[spec->constraint_count]) != 0)
			return -1;
		spec->constraint_texts[spec->constraint_count++] =
			bench_arena_string(reader->arena, item->valuestring);
	}
	return 0;
}

int bench_kernel_reader_tune(const struct bench_kernel_reader *reader)
{
	const cJSON *tune = bench_json_member(reader->root, "tune"), *item;
	const cJSON *constraints = bench_json_member(reader->root, "constraints");
	struct bench_kernel_spec *spec = reader->spec;
	size_t count = 1;
	if (!tune)
		return constraints ? FAIL_AT_NAME(reader, constraints,
						  "'constraints' without 'tune': constraints of what?")
				   : 0;
	if (!cJSON_IsObject(tune) || !tune->child)
		return FAIL_AT(reader, tune, "'tune' is an object: {\"TX\": [8, 16, 32]}");
	if (bench_json_member(reader->root, "variants"))
		return FAIL_AT_NAME(reader, tune,
				    "'tune' beside 'variants': tune each variant by a specification of its "
				    "own (--spec)");
	cJSON_ArrayForEach(item, tune)
	{
		if (read_tunable(reader, item) != 0)
			return -1;
		count *= spec->tunables[spec->tunable_count - 1].value_count;
		if (count > BENCH_KERNEL_COMBINATIONS)
			return FAIL_AT_NAME(reader, item, "more than %d combinations of the tunables",
					    BENCH_KERNEL_COMBINATIONS);
	}
	uint64_t hash = bench_hash_bytes(BENCH_HASH_START, spec->source, strlen(spec->source) + 1);
	hash = bench_hash_bytes(hash, reader->text, strlen(reader->text));
	spec->identity = bench_arena_format(reader->arena, "%s@%016" PRIx64, spec->suite.name, hash);
	return read_constraints(reader);
}

size_t bench_kernel_tune_count(const struct bench_kernel_spec *spec)
{
	size_t count = 1;
	for (size_t t = 0; t < spec->tunable_count; t++)
		count *= spec->tunables[t].value_count;
	return count;
}

uint64_t bench_kernel_tune_value(const struct bench_kernel_spec *spec, size_t combination, size_t t)
{
	for (size_t behind = spec->tunable_count; behind-- > t + 1;)
		combination /= spec->tunables[behind].value_count;
	return spec->tunables[t].values[combination % spec->tunables[t].value_count];
}

void bench_kernel_tune_search(struct bench_kernel_spec *spec, struct bench_arena *arena)
{
	struct bench_param *params = (struct bench_param *)(uintptr_t)spec->suite.params;
	params[bench_kernel_spec_tunables(spec)] =
		(struct bench_param){.name = BENCH_KERNEL_CANDIDATE,
				     .fallback = "0",
				     .max = (int64_t)bench_kernel_tune_count(spec),
				     .help = "combination of the tunables, from 1 on; 0: in force"};
	spec->suite.name = bench_arena_format(arena, "%s_search", spec->suite.name);
	spec->suite.variants = BENCH_KERNEL_CANDIDATE;
	spec->searched = true;
}

int bench_kernel_tune_apply(const struct bench_case *bench_case, double *values, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = (const struct bench_kernel_spec *)bench_case->suite;
	const size_t first = bench_kernel_spec_tunables(spec);
	const int64_t candidate = spec->searched ? bench_case->values[first].integer : 0;
	for (size_t t = 0; t < spec->tunable_count; t++)
		values[first + t] =
			(double)(candidate > 0 ? bench_kernel_tune_value(spec, (size_t)candidate - 1, t)
					       : spec->tuned[t]);
	for (size_t i = 0; i < spec->constraint_count; i++) {
		struct bench_expr_context context = {.values = values, .most_steps = MOST_STEPS};
		const struct bench_kernel_expr *constraint = &spec->constraints[i];
		struct bench_expr_number holds;
		struct bench_error cause;
		if (bench_expr_evaluate(constraint->expr, &context, &holds, &cause) != 0)
			return bench_fail(error, BENCH_USAGE, "%s: %s", constraint->place, cause.text);
		if (isnan(holds.value))
			return bench_fail(error, BENCH_USAGE, "%s: it comes to no number, as 0 / 0 does",
					  constraint->place);
		if (holds.value != 0)
			continue;
		BENCH_SCOPED_TEXT text = {0};
		for (size_t t = 0; t < first + spec->tunable_count; t++)
			if (*spec->symbols[t].name)
				bench_text_add(&text, "%s%s=%.17g", text.length ? "," : "",
					       spec->symbols[t].name, values[t]);
		bench_fail(error, BENCH_USAGE, "%s: '%s' does not hold for %s", constraint->place,
			   spec->constraint_texts[i], text.data);
		return -1;
	}
	return 0;
}
