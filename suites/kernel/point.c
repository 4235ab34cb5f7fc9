/* SPDX-License-Identifier: MIT */
#include "suites/kernel/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suites/kernel/tune.h"

enum { MOST_STEPS = 1000000 }; /* of an expression of sizes */
static const double MOST_SIZE = 0x1p40;
static const uint64_t MOST_BYTES = UINT64_C(1) << 60;

static int evaluate(const struct bench_kernel_expr *expr, const double *values, double *number,
		    struct bench_error *error)
{
	struct bench_expr_context context = {.values = values, .most_steps = MOST_STEPS};
	struct bench_expr_number found;
	struct bench_error cause;
	if (bench_expr_evaluate(expr->expr, &context, &found, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s: %s", expr->place, cause.text);
	*number = found.value;
	return 0;
}

static int evaluate_shape(const struct bench_kernel_shape *shape, const double *values, size_t *extents,
			  struct bench_error *error)
{
	for (size_t d = 0; d < shape->count; d++) {
		double extent;
		if (evaluate(&shape->extents[d], values, &extent, error) != 0)
			return -1;
		if (!(extent >= 1 && extent <= MOST_SIZE) || extent != floor(extent))
			return bench_fail(error, BENCH_USAGE,
					  "%s: it comes to %.17g, which is no whole number from 1 to 2^40",
					  shape->extents[d].place, extent);
		extents[d] = (size_t)extent;
	}
	return 0;
}

/* Puts the values of parameters and tunables for their {NAME}s. `values`: by symbol. */
static int fill_in(const struct bench_case *bench_case, const double *values,
		   const struct bench_kernel_words *words, char *out, size_t size, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = (const struct bench_kernel_spec *)bench_case->suite;
	const size_t own = spec->param_count - spec->tunable_count;
	const struct bench_param *params = bench_case->suite->params;
	size_t length = 0;
	for (const char *at = words->text; *at;) {
		const size_t name = *at == '{' ? strcspn(at + 1, "}") : 0;
		const char *value = NULL;
		char letter[2] = {*at, '\0'}, number[32];
		for (size_t i = 0; name && at[name + 1] == '}' && params[i].name; i++)
			if (strlen(params[i].name) == name && strncmp(params[i].name, at + 1, name) == 0)
				value = bench_case->values[i].text;
		for (size_t i = own; name && at[name + 1] == '}' && i < spec->param_count; i++)
			if (strlen(spec->symbols[i].name) == name &&
			    strncmp(spec->symbols[i].name, at + 1, name) == 0) {
				snprintf(number, sizeof(number), "%.0f", values[i]);
				value = number;
			}
		if (name && at[name + 1] == '}' && !value)
			return bench_fail(error, BENCH_USAGE, "%s: there is no parameter '%.*s'",
					  words->place, (int)name, at + 1);
		at += value ? name + 2 : 1;
		value = value ? value : letter;
		if (length + strlen(value) >= size)
			return bench_fail(error, BENCH_USAGE, "%s: more than %zu characters", words->place,
					  size - 1);
		memcpy(out + length, value, strlen(value));
		length += strlen(value);
	}
	out[length] = '\0';
	return 0;
}

static int make_argument(const struct bench_case *bench_case, const struct bench_kernel_spec_argument *spec,
			 struct bench_kernel_point *point, struct bench_kernel_point_argument *argument,
			 double *value, struct bench_error *error)
{
	struct bench_error cause;
	char type[64];
	double number;
	if (fill_in(bench_case, point->values, &spec->type, type, sizeof(type), error) != 0)
		return -1;
	if (bench_kernel_type_find(type, &argument->type, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s: %s", spec->type.place, cause.text);
	argument->count = 1;
	argument->dimensions = spec->shape.count;
	if (evaluate_shape(&spec->shape, point->values, argument->extents, error) != 0)
		return -1;
	for (size_t d = 0; d < argument->dimensions; d++)
		if (__builtin_mul_overflow(argument->count, argument->extents[d], &argument->count))
			argument->count = SIZE_MAX;
	if (__builtin_mul_overflow(argument->count, argument->type->bytes, &argument->bytes) ||
	    argument->bytes >= MOST_BYTES)
		return bench_fail(error, BENCH_USAGE, "%s: the size of %s overflows",
				  spec->shape.extents[0].place, spec->name);
	if (spec->file.text && fill_in(bench_case, point->values, &spec->file, argument->file,
				       sizeof(argument->file), error) != 0)
		return -1;
	if (spec->access != BENCH_KERNEL_VALUE)
		return 0;
	if (evaluate(&spec->value, point->values, &number, error) != 0)
		return -1;
	if (!bench_kernel_data_set(argument->type, argument->number, 0, number))
		return bench_fail(error, BENCH_USAGE, "%s: %.17g does not fit %s, of type %s",
				  spec->value.place, number, spec->name, type);
	*value = bench_kernel_data_get(argument->type, argument->number, 0);
	return 0;
}

static int make_launch(const struct bench_case *bench_case, const struct bench_kernel_spec_launch *spec,
		       const struct bench_kernel_point *point, struct bench_kernel_point_launch *launch,
		       struct bench_error *error)
{
	launch->spec = spec;
	if (fill_in(bench_case, point->values, &spec->options, launch->options, sizeof(launch->options),
		    error) != 0 ||
	    evaluate_shape(&spec->global, point->values, launch->global, error) != 0 ||
	    evaluate_shape(&spec->local, point->values, launch->local, error) != 0)
		return -1;
	for (size_t d = 0; d < spec->local.count; d++)
		if (launch->global[d] % launch->local[d])
			return bench_fail(
				error, BENCH_USAGE,
				"%s: %zu work-items are no multiple of groups of %zu (OpenCL 1.2): round "
				"them "
				"up, such as ceil(n / %zu) * %zu, and let the kernel stop at the end",
				spec->global.extents[d].place, launch->global[d], launch->local[d],
				launch->local[d], launch->local[d]);
	return 0;
}

int bench_kernel_point_make(const struct bench_case *bench_case, struct bench_kernel_point *point,
			    struct bench_error *error)
{
	const struct bench_kernel_spec *spec = (const struct bench_kernel_spec *)bench_case->suite;
	const size_t own = spec->param_count - spec->tunable_count;
	size_t variant = 0;
	*point = (struct bench_kernel_point){0};
	for (size_t i = 0; i < own; i++)
		point->values[i] = bench_case->values[i].real;
	for (size_t t = 0; t < spec->tunable_count; t++)
		point->values[own + t] = (double)spec->tunables[t].fallback;
	/* Of all candidates one reference, which is built once. */
	if (spec->reference.kernel &&
	    make_launch(bench_case, &spec->reference, point, &point->reference, error) != 0)
		return -1;
	if (bench_kernel_tune_apply(bench_case, point->values, error) != 0)
		return -1;
	if (spec->suite.variants && !spec->tunable_count)
		variant = (size_t)bench_case->values[own].integer;
	for (size_t i = 0; i < spec->argument_count; i++)
		if (make_argument(bench_case, &spec->arguments[i], point, &point->arguments[i],
				  &point->values[bench_kernel_spec_arguments(spec) + i], error) != 0)
			return -1;
	return make_launch(bench_case, &spec->launches[variant], point, &point->launch, error);
}

static int evaluate_work(const struct bench_kernel_expr *expr, const double *values, double *work,
			 struct bench_error *error)
{
	if (!expr->expr)
		return 0;
	if (evaluate(expr, values, work, error) != 0)
		return -1;
	if (*work >= 0 && *work <= 0x1p80)
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s: it comes to %.17g, which is no amount of work",
			  expr->place, *work);
}

int bench_kernel_point_work(const struct bench_kernel_spec *spec, const struct bench_kernel_point *point,
			    struct bench_work *work, struct bench_error *error)
{
	for (size_t i = 0; i < spec->argument_count; i++) {
		const enum bench_kernel_access access = spec->arguments[i].access;
		const struct bench_kernel_point_argument *argument = &point->arguments[i];
		const uint64_t whole = argument->bytes + 2 * BENCH_KERNEL_GUARD;
		if (access == BENCH_KERNEL_VALUE || access == BENCH_KERNEL_LOCAL)
			continue;
		work->bytes += (double)argument->bytes * (access == BENCH_KERNEL_INOUT ? 2 : 1);
		work->largest_bytes = whole > work->largest_bytes ? whole : work->largest_bytes;
		/* What it holds, what is found in it, and what a reference leaves in it. */
		if (__builtin_add_overflow(work->device_bytes, whole, &work->device_bytes) ||
		    __builtin_add_overflow(work->host_bytes, 3 * whole, &work->host_bytes) ||
		    work->host_bytes >= MOST_BYTES)
			return bench_fail(error, BENCH_USAGE, "%s: the sizes of the buffers overflow",
					  spec->arguments[i].shape.extents[0].place);
	}
	return evaluate_work(&spec->flops, point->values, &work->flops, error) ||
			       evaluate_work(&spec->bytes, point->values, &work->bytes, error)
		       ? -1
		       : 0;
}
