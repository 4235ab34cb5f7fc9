/* SPDX-License-Identifier: MIT */
/* Specifications of users' kernels. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "fuzz.h"
#include "suites/kernel/point.h"
#include "suites/kernel/tune.h"

enum { MOST_PARAMS = BENCH_KERNEL_PARAMS + 1 };

/* A spec that was taken has sizes at its fallbacks, or says where they are wrong. */
static void make_point(const struct bench_kernel_spec *spec, int64_t candidate)
{
	struct bench_value values[MOST_PARAMS];
	struct bench_kernel_point point;
	struct bench_kernel_plan plan;
	struct bench_work work = {0};
	struct bench_error error = {0};
	size_t count = 0;
	for (const struct bench_param *param = spec->suite.params; param->name; param++, count++) {
		FUZZ_CHECK(count < MOST_PARAMS);
		if (bench_value_parse(param, param->fallback, &values[count], &error) != 0)
			return; /* the suite's check says so */
	}
	if (candidate)
		values[count - 1].integer = candidate;
	const struct bench_case bench_case = {.values = values, .suite = &spec->suite};
	if (bench_kernel_point_make(&bench_case, &point, &error) != 0 ||
	    bench_kernel_point_work(spec, &point, &work, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_USAGE && strncmp(error.text, "k.json:", 7) == 0);
		return;
	}
	FUZZ_CHECK(work.flops >= 0 && work.bytes >= 0);
	for (size_t i = 0; i < spec->argument_count; i++)
		FUZZ_CHECK(point.arguments[i].size >= 1 && point.arguments[i].count >= 1);
	/* Every element of a column lies in its argument. */
	for (size_t i = 0; i < spec->argument_count; i++)
		for (size_t c = 0; c < spec->arguments[i].column_count; c++) {
			const struct bench_kernel_point_column *column =
				&point.columns[spec->arguments[i].column + c];
			FUZZ_CHECK(bench_kernel_point_place(column, column->count - 1) +
					   column->type->bytes <=
				   point.arguments[i].bytes);
		}
	const struct bench_kernel_spec_program *programs[] = {point.program, &spec->reference};
	for (size_t p = 0; p < 2; p++) {
		if (bench_kernel_plan_make(&bench_case, &point, programs[p], &plan, &error) != 0) {
			FUZZ_CHECK(error.code == BENCH_USAGE && strncmp(error.text, "k.json:", 7) == 0);
			continue;
		}
		FUZZ_CHECK((plan.step_count > 0) == (programs[p]->ops.count > 0));
		for (size_t s = 0; s < plan.step_count; s++) {
			const struct bench_kernel_step *step = &plan.steps[s];
			FUZZ_CHECK(step->kind != BENCH_KERNEL_LAUNCH ||
				   (step->kernel < plan.kernel_count && step->global[0] >= 1));
			FUZZ_CHECK(step->kind != BENCH_KERNEL_UNTIL ||
				   (step->next > s && step->next <= plan.step_count));
		}
		bench_arena_free(&plan.arena);
	}
}

void fuzz_kernel(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct bench_arena arena = {0};
	struct bench_kernel_spec *spec;
	struct bench_error error = {0};
	cJSON *extension = cJSON_CreateObject();
	cJSON_AddStringToObject(extension, "file", "k.cl");
	cJSON_AddStringToObject(extension, "source", "kernel void k(global float *y) { y[0] = 1; }");
	cJSON_AddStringToObject(extension, "spec_file", "k.json");
	cJSON_AddStringToObject(extension, "spec", text);
	if (bench_kernel_spec_read(extension, &arena, &spec, &error) == 0) {
		make_point(spec, 0);
		if (spec->tunable_count) {
			const int64_t last = (int64_t)bench_kernel_tune_count(spec);
			FUZZ_CHECK(last >= 1 && last <= BENCH_KERNEL_COMBINATIONS);
			bench_kernel_tune_search(spec, &arena);
			make_point(spec, last);
		}
	} else {
		FUZZ_CHECK(error.code == BENCH_USAGE && strncmp(error.text, "k.json:", 7) == 0);
	}
	cJSON_Delete(extension);
	bench_arena_free(&arena);
	free(text);
}
