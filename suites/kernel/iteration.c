/* SPDX-License-Identifier: MIT */
#include "suites/kernel/iteration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites/kernel/buffers.h"

/* Of an `until`: elements of a buffer that are read one by one, bytes of a buffer that is copied instead at
 * once, which takes as long, and steps of its expression. */
enum { MOST_READS = 8, SMALL = 1 << 14, MOST_STEPS = 1 << 24 };

/* A kernel as it is launched: its arguments, and what the backend has made of it. */
struct bench_kernel_built {
	struct bench_kernel kernel;
	struct bench_kernel_argument arguments[BENCH_KERNEL_ARGUMENTS];
	struct bench_built_kernel *handle;   /* NULL until it is first launched */
	const struct bench_kernel_step *set; /* whose numbers and sizes it has */
};

/* An argument of a kernel; its own numbers are those of a step. */
static void make_argument(const struct bench_kernel_results *results,
			  const struct bench_kernel_point_kernel *kernel, size_t a,
			  struct bench_kernel_argument *argument)
{
	const size_t m = kernel->memory[a];
	const struct bench_kernel_spec_launch *launch = kernel->spec;
	if (m == SIZE_MAX) {
		*argument = (struct bench_kernel_argument){.name = launch->passes[a].name,
							   .type = kernel->types[a]->name,
							   .bytes = kernel->types[a]->bytes};
		return;
	}
	const struct bench_kernel_spec_argument *spec = &results->spec->arguments[m];
	const struct bench_kernel_point_argument *point = &results->point->arguments[m];
	const struct bench_kernel_memory *memory = results->memory[m];
	*argument =
		(struct bench_kernel_argument){.name = launch->passes ? launch->passes[a].name : spec->name,
					       .type = spec->declared ? spec->declared : point->type,
					       .buffer = memory ? memory->buffer : NULL,
					       .is_image = spec->image,
					       .sampler = spec->sampler,
					       .bytes = point->bytes};
	/* Bytes in the source have no fields to compare. */
	if (spec->layout && !spec->declared) {
		argument->fields = spec->layout->bare;
		argument->field_count = spec->layout->bare_count;
		argument->size = spec->layout->bytes;
	}
	if (bench_kernel_spec_is_buffer(spec))
		argument->offset = bench_kernel_buffers_guard(results, m);
	else if (spec->access == BENCH_KERNEL_VALUE && !spec->sampler)
		argument->value = point->number;
}

/* Has an earlier run compared the arguments with the source? A search begins with the defaults, which are. */
static bool is_compared(const struct bench_case *bench_case, const struct bench_kernel_spec *spec)
{
	bool defaults = true;
	for (size_t t = 0; t < spec->tunable_count; t++)
		defaults &= spec->tuned[t] == spec->tunables[t].fallback;
	return spec->searched &&
	       (!defaults || bench_case->values[bench_kernel_spec_tunables(spec)].integer > 0);
}

/* The kernels of a plan, with their arguments. */
int bench_kernel_iteration_make(const struct bench_case *bench_case,
				const struct bench_kernel_results *results,
				const struct bench_kernel_spec_program *from,
				struct bench_kernel_iteration *iteration, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = results->spec;
	const bool known = from != &spec->reference && is_compared(bench_case, spec);
	if (bench_kernel_plan_make(bench_case, results->point, from, &iteration->plan, error) != 0)
		return -1;
	iteration->results = results;
	iteration->built = bench_arena_alloc(&iteration->plan.arena, iteration->plan.kernel_count,
					     sizeof(*iteration->built));
	for (size_t k = 0; k < iteration->plan.kernel_count; k++) {
		const struct bench_kernel_point_kernel *point = &iteration->plan.kernels[k];
		struct bench_kernel_built *built = &iteration->built[k];
		built->kernel = (struct bench_kernel){.file = spec->file,
						      .source = spec->source,
						      .options = point->options,
						      .name = point->spec->kernel,
						      .arguments = built->arguments,
						      .argument_count = point->count,
						      .dimensions = point->spec->global.count,
						      .known = known};
		for (size_t a = 0; a < point->count; a++)
			make_argument(results, point, a, &built->arguments[a]);
	}
	return 0;
}

/* The specification and its kernel disagree: where is that in the specification? */
static int add_place(const struct bench_kernel_spec *spec, const struct bench_kernel_step *step,
		     const struct bench_kernel_point_kernel *kernel, struct bench_error *error)
{
	const struct bench_kernel_spec_launch *launch = &step->op->launch;
	const char *place = step->op->place;
	const struct bench_error cause = *error;
	if (cause.code != BENCH_USAGE && cause.code != BENCH_UNSUPPORTED)
		return -1;
	if (strstr(cause.text, "'local'") && launch->local.count)
		place = launch->local.extents[0].place;
	if (strstr(cause.text, "BUILD_OPTIONS") && launch->options.place)
		place = launch->options.place;
	for (size_t a = 0; a < kernel->count; a++) {
		const size_t m = kernel->memory[a];
		char named[80];
		snprintf(named, sizeof(named), "argument %zu (`%s`) ", a + 1,
			 launch->passes ? launch->passes[a].name : spec->arguments[m].name);
		if (strstr(cause.text, named))
			place = launch->passes && m == SIZE_MAX ? launch->passes[a].value.place
								: spec->arguments[m].place;
	}
	return bench_fail(error, cause.code, "%s: %s", place, cause.text);
}

/* The kernel has the numbers and sizes of the step. */
static int set_step(const struct bench_case *bench_case, struct bench_kernel_iteration *iteration,
		    const struct bench_kernel_step *step, struct bench_kernel_built *built,
		    struct bench_error *error)
{
	const struct bench_kernel_hooks *hooks = bench_case->backend->kernels;
	const struct bench_kernel_point_kernel *point = &iteration->plan.kernels[step->kernel];
	unsigned char(*number)[8] = iteration->plan.numbers + step->numbers;
	memcpy(built->kernel.global, step->global, sizeof(step->global));
	memcpy(built->kernel.local, step->local, sizeof(step->local));
	for (size_t a = 0; a < point->count; a++)
		if (point->memory[a] == SIZE_MAX)
			built->arguments[a].value = *number++;
	if (built->handle ? hooks->change(bench_case->device, built->handle, &built->kernel, error)
			  : hooks->build(bench_case->device, &built->kernel, &built->handle, error))
		return add_place(iteration->results->spec, step, point, error);
	built->set = step;
	return 0;
}

static int launch(const struct bench_case *bench_case, struct bench_kernel_iteration *iteration,
		  const struct bench_kernel_step *step, struct bench_error *error)
{
	struct bench_kernel_built *built = &iteration->built[step->kernel];
	if (built->set != step && set_step(bench_case, iteration, step, built, error) != 0)
		return -1;
	return bench_case->backend->kernels->enqueue(bench_case->device, built->handle, error);
}

/* What an `until` sees of the buffers as they are now: single elements, or where it asks for many a copy. */
struct look {
	const struct bench_case *bench_case;
	const struct bench_kernel_results *results;
	size_t reads[BENCH_KERNEL_ARGUMENTS];
	unsigned char *copies[BENCH_KERNEL_ARGUMENTS];
};

static bool read_now(struct look *look, size_t i, size_t place, size_t bytes, unsigned char *data)
{
	const struct bench_case *bench_case = look->bench_case;
	const struct bench_kernel_results *results = look->results;
	const struct bench_buffer *buffer = results->memory[i]->buffer;
	const size_t whole = results->point->arguments[i].bytes, guard = results->guard;
	if (whole > SMALL && look->reads[i]++ < MOST_READS)
		return bench_case->backend->kernels->read(bench_case->device, buffer, guard + place, bytes,
							  data, NULL) == 0;
	if (!look->copies[i]) {
		look->copies[i] = malloc(whole);
		if (!look->copies[i] || bench_case->backend->kernels->read(bench_case->device, buffer, guard,
									   whole, look->copies[i], NULL) != 0)
			return false;
	}
	memcpy(data, look->copies[i] + place, bytes);
	return true;
}

static bool element_now(const void *arrays, size_t symbol, const double *index, size_t indices, double *value)
{
	struct look *look = *(struct look *const *)arrays;
	const struct bench_kernel_spec *spec = look->results->spec;
	const size_t c = symbol - bench_kernel_spec_columns(spec);
	const struct bench_kernel_point_column *column = &look->results->point->columns[c];
	unsigned char data[8];
	size_t i = 0, place;
	while (c >= spec->arguments[i].column + spec->arguments[i].column_count)
		i++;
	if (!bench_kernel_point_find(column, index, indices, &place) ||
	    !read_now(look, i, place, column->type->bytes, data))
		return false;
	*value = (double)bench_kernel_data_get(column->type, data, 0);
	return true;
}

/* Is the loop to end? Where it must and does not, that is an error. */
static int look_until(const struct bench_case *bench_case, const struct bench_kernel_results *results,
		      const struct bench_kernel_step *step, bool *end, struct bench_error *error)
{
	const struct bench_kernel_expr *until = &step->op->until;
	struct look look = {.bench_case = bench_case, .results = results}, *looks = &look;
	struct bench_expr_context context = {.values = results->point->values,
					     .element = element_now,
					     .arrays = &looks,
					     .most_steps = MOST_STEPS};
	struct bench_expr_number number;
	struct bench_error cause;
	const int result = bench_expr_evaluate(until->expr, &context, &number, &cause);
	for (size_t i = 0; i < BENCH_KERNEL_ARGUMENTS; i++)
		free(look.copies[i]);
	if (result != 0)
		return bench_fail(error, BENCH_USAGE, "%s: %s", until->place, cause.text);
	if (isnan(number.value))
		return bench_fail(error, BENCH_USAGE, "%s: it comes to no number, as 0 / 0 does",
				  until->place);
	*end = number.value != 0;
	return *end || !step->last
		       ? 0
		       : bench_fail(error, BENCH_FAILED, "%s: it never held: the loop reached its bound 'to'",
				    until->place);
}

int bench_kernel_iteration_run(struct bench_case *bench_case, struct bench_kernel_iteration *iteration,
			       const struct bench_kernel_watch *watch, struct bench_error *error)
{
	const struct bench_kernel_hooks *hooks = bench_case->backend->kernels;
	const struct bench_kernel_results *results = iteration->results;
	const struct bench_kernel_step *steps = iteration->plan.steps;
	size_t launches = 0;
	for (size_t s = 0; s < iteration->plan.step_count; s++) {
		const struct bench_kernel_step *step = &steps[s];
		const size_t m = step->memory;
		bool end = false;
		int result;
		if (step->kind == BENCH_KERNEL_UNTIL)
			result = look_until(bench_case, results, step, &end, error);
		else if (step->kind == BENCH_KERNEL_SET)
			result = hooks->fill(bench_case->device, results->memory[m]->buffer, results->guard,
					     results->point->arguments[m].bytes, step->pattern,
					     results->point->arguments[m].size, error);
		else
			result = (watch && watch->before && watch->before(bench_case, error) != 0) ||
						 launch(bench_case, iteration, step, error) != 0 ||
						 (watch && watch->after(bench_case, step, ++launches,
									watch->context, error) != 0)
					 ? -1
					 : 0;
		if (result != 0)
			return -1;
		if (end)
			s = step->next - 1;
	}
	return 0;
}

void bench_kernel_iteration_free(const struct bench_case *bench_case,
				 struct bench_kernel_iteration *iteration)
{
	for (size_t k = 0; iteration->built && k < iteration->plan.kernel_count; k++)
		bench_case->backend->kernels->release(bench_case->device, iteration->built[k].handle);
	bench_arena_free(&iteration->plan.arena);
}
