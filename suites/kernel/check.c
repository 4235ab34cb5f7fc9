/* SPDX-License-Identifier: MIT */
#include "suites/kernel/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/dense.h"

enum { STREAM_ELEMENTS = 1000 };              /* of the seed: which elements are looked at */
static const uint64_t MOST_STEPS = 50000000;  /* of all elements of an output: some seconds */
static const uint64_t MOST_SEARCHED = 500000; /* of a candidate, of which there are hundreds */
static const size_t FEWEST = 16;

static bool is_buffer(const struct bench_kernel_spec_argument *argument)
{
	return argument->access != BENCH_KERNEL_VALUE && argument->access != BENCH_KERNEL_LOCAL;
}

static bool is_output(const struct bench_kernel_spec_argument *argument)
{
	return argument->access == BENCH_KERNEL_OUT || argument->access == BENCH_KERNEL_INOUT;
}

static const unsigned char *contents(const unsigned char *image)
{
	return image + BENCH_KERNEL_GUARD;
}

static int check_one_intact(const struct bench_kernel_results *results, size_t i, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *spec = &results->spec->arguments[i];
	const struct bench_kernel_point_argument *argument = &results->point->arguments[i];
	const struct bench_kernel_memory *memory = &results->memory[i];
	const char *kernel = results->point->launch.spec->kernel;
	const int64_t size = (int64_t)argument->type->bytes;
	int64_t place;
	if (bench_kernel_data_overrun(memory->image, memory->found, argument->bytes, &place))
		return bench_fail(error, BENCH_FAILED,
				  "kernel %s wrote %s %s: at %s[%" PRId64 "], of %zu elements of type %s",
				  kernel, place < 0 ? "in front of" : "past the end of", spec->name,
				  spec->name, place < 0 ? (place - size + 1) / size : place / size,
				  argument->count, argument->type->name);
	if (spec->access != BENCH_KERNEL_IN ||
	    memcmp(contents(memory->image), contents(memory->found), argument->bytes) == 0)
		return 0;
	place = 0;
	while (contents(memory->image)[place] == contents(memory->found)[place])
		place++;
	return bench_fail(error, BENCH_FAILED,
			  "kernel %s wrote to %s, at %s[%" PRId64
			  "]: its access is \"in\"; a kernel that writes there "
			  "has \"inout\"",
			  kernel, spec->name, spec->name, place / size);
}

int bench_kernel_check_intact(const struct bench_kernel_results *results, struct bench_error *error)
{
	for (size_t i = 0; i < results->spec->argument_count; i++)
		if (is_buffer(&results->spec->arguments[i]) && check_one_intact(results, i, error) != 0)
			return -1;
	return 0;
}

/* An element of an input, before the launch. */
static bool element(const void *arrays, size_t symbol, const double *index, size_t indices, double *value)
{
	const struct bench_kernel_results *results = arrays;
	const size_t i = symbol - bench_kernel_spec_arguments(results->spec);
	const struct bench_kernel_point_argument *argument = &results->point->arguments[i];
	size_t at = 0;
	if (indices != 1 && indices != argument->dimensions)
		return false;
	for (size_t d = 0; d < indices; d++) {
		const size_t extent = indices == 1 ? argument->count : argument->extents[d];
		if (!(index[d] >= 0 && index[d] < (double)extent) || index[d] != floor(index[d]))
			return false;
		at = at * extent + (size_t)index[d];
	}
	*value = bench_kernel_data_get(argument->type, contents(results->memory[i].image), at);
	return true;
}

/* What is found of an output. */
struct found {
	double error;      /* the worst of its elements, */
	double operations; /* the most roundings of one of them, */
	size_t worst;      /* where that is, */
	double is, should; /* and its values */
	uint64_t steps;    /* of the last element's expression */
};

static void take_worse(struct found *found, size_t at, double is, double should, double error)
{
	if (!(error > found->error) && !isnan(error))
		return;
	if (isnan(found->error))
		return;
	*found = (struct found){error, found->operations, at, is, should, found->steps};
}

static int look_at(const struct bench_kernel_results *results, size_t i, size_t at, double *values,
		   struct found *found, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *spec = &results->spec->arguments[i];
	const struct bench_kernel_point_argument *argument = &results->point->arguments[i];
	const size_t indices = bench_kernel_spec_indices(results->spec);
	struct bench_expr_context context = {
		.values = values, .element = element, .arrays = results, .most_steps = MOST_STEPS};
	struct bench_expr_number should;
	struct bench_error cause;
	size_t rest = at;
	values[indices] = (double)at;
	for (size_t d = argument->dimensions; d-- > 0; rest /= argument->extents[d])
		values[indices + 1 + d] = (double)(rest % argument->extents[d]);
	if (bench_expr_evaluate(spec->check.expr, &context, &should, &cause) != 0)
		return bench_fail(error, BENCH_FAILED, "%s of %s[%zu]: %s", spec->check.place, spec->name, at,
				  cause.text);
	const double is = bench_kernel_data_get(argument->type, contents(results->memory[i].found), at);
	found->steps = context.steps;
	found->operations = fmax(found->operations, context.operations);
	take_worse(found, at, is, should.value,
		   is == should.value ? 0 : bench_dense_error(is, should.value, should.scale));
	return 0;
}

/* Every element, or where that would take too long the first, the last and random ones. */
static int look_at_all(const struct bench_kernel_results *results, size_t i, struct found *found,
		       size_t *looked, struct bench_error *error)
{
	const size_t count = results->point->arguments[i].count;
	double values[BENCH_KERNEL_SYMBOLS];
	struct bench_rng rng;
	memcpy(values, results->point->values, sizeof(values));
	if (look_at(results, i, 0, values, found, error) != 0 ||
	    look_at(results, i, count - 1, values, found, error) != 0)
		return -1;
	const uint64_t each = found->steps ? found->steps : 1,
		       most = results->spec->searched ? MOST_SEARCHED : MOST_STEPS;
	const bool all = count <= FEWEST || each <= most / count;
	*looked = all ? count : (size_t)(most / each) > FEWEST ? (size_t)(most / each) : FEWEST;
	bench_rng_start(&rng, results->seed, STREAM_ELEMENTS + i);
	for (size_t k = 2; k < *looked; k++)
		if (look_at(results, i, all ? k - 1 : bench_rng_below(&rng, count), values, found, error) !=
		    0)
			return -1;
	return 0;
}

/* Differences from the reference, as parts of its largest element. */
static void compare_all(const struct bench_kernel_results *results, size_t i, struct found *found)
{
	const struct bench_kernel_point_argument *argument = &results->point->arguments[i];
	const unsigned char *expected = results->memory[i].expected;
	double largest = 0;
	for (size_t at = 0; at < argument->count; at++)
		largest = fmax(largest, fabs(bench_kernel_data_get(argument->type, expected, at)));
	for (size_t at = 0; at < argument->count; at++) {
		const double is = bench_kernel_data_get(argument->type, contents(results->memory[i].found),
							at),
			     should = bench_kernel_data_get(argument->type, expected, at);
		take_worse(found, at, is, should, is == should ? 0 : bench_dense_error(is, should, largest));
	}
}

/* Of a reference, by which computations may differ that are both right. */
static double usual_tolerance(const struct bench_kernel_type *type)
{
	if (!type->real)
		return 0;
	return type->bytes == 2 ? 1e-2 : type->bytes == 4 ? 1e-5 : 1e-13;
}

/* Does it still hold what it was filled with? Of a real type that is no number that a kernel writes often. */
static bool never_written(const struct bench_kernel_results *results, size_t i, size_t at)
{
	const struct bench_kernel_memory *memory = &results->memory[i];
	const struct bench_kernel_type *type = results->point->arguments[i].type;
	const size_t offset = at * type->bytes;
	return type->real && results->spec->arguments[i].access == BENCH_KERNEL_OUT &&
	       memcmp(contents(memory->image) + offset, contents(memory->found) + offset, type->bytes) == 0;
}

static int check_output(const struct bench_kernel_results *results, size_t i, struct bench_check *check,
			struct bench_error *error)
{
	const struct bench_kernel_spec_argument *spec = &results->spec->arguments[i];
	const struct bench_kernel_point_argument *argument = &results->point->arguments[i];
	struct found found = {0};
	size_t looked = argument->count;
	if (spec->check.expr && look_at_all(results, i, &found, &looked, error) != 0)
		return -1;
	if (!spec->check.expr)
		compare_all(results, i, &found);
	double tolerance = spec->tolerance;
	if (tolerance < 0 && !spec->check.expr)
		tolerance = usual_tolerance(argument->type);
	else if (tolerance < 0)
		tolerance = argument->type->real ? bench_dense_tolerance(argument->type->dtype,
									 (size_t)fmin(found.operations, 1e15))
						 : 0;
	const char *by = spec->check.expr ? "expression" : spec->file.text ? "file" : "reference";
	/* Of several outputs, the one that is worst in terms of its tolerance. */
	const bool right = found.error <= tolerance, was_right = check->error <= check->tolerance;
	if (check->method[0] &&
	    (!was_right || (right && found.error * check->tolerance <= check->error * tolerance)))
		return 0;
	check->error = found.error;
	check->tolerance = tolerance;
	if (!right && never_written(results, i, found.worst))
		snprintf(check->method, sizeof(check->method), "%.20s[%zu] was never written", spec->name,
			 found.worst);
	else if (!right)
		snprintf(check->method, sizeof(check->method), "%.20s[%zu] is %.8g, not %.8g", spec->name,
			 found.worst, found.is, found.should);
	else if (looked < argument->count)
		snprintf(check->method, sizeof(check->method), "%s of %.16s, %.8g of its %.8g elements", by,
			 spec->name, (double)looked, (double)argument->count);
	else
		snprintf(check->method, sizeof(check->method), "%s of %.20s, each element", by, spec->name);
	return 0;
}

int bench_kernel_check_outputs(const struct bench_kernel_results *results, struct bench_check *check,
			       struct bench_error *error)
{
	*check = (struct bench_check){0};
	for (size_t i = 0; i < results->spec->argument_count; i++)
		if (is_output(&results->spec->arguments[i]) && check_output(results, i, check, error) != 0)
			return -1;
	return 0;
}
