/* SPDX-License-Identifier: MIT */
#include "suites/kernel/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suites/kernel/tune.h"

enum { MOST_STEPS = 1000000 }; /* of an expression of sizes */
static const double MOST_SIZE = 0x1p40;
static const uint64_t MOST_BYTES = UINT64_C(1) << 60;

int bench_kernel_point_evaluate(const struct bench_kernel_expr *expr, const double *values, double *number,
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

int bench_kernel_point_shape(const struct bench_kernel_shape *shape, const double *values, size_t *extents,
			     struct bench_error *error)
{
	for (size_t d = 0; d < shape->count; d++) {
		double extent;
		if (bench_kernel_point_evaluate(&shape->extents[d], values, &extent, error) != 0)
			return -1;
		if (isnan(extent))
			return bench_fail(error, BENCH_USAGE, "%s: it comes to no number, as 0 / 0 does",
					  shape->extents[d].place);
		if (!(extent >= 1 && extent <= MOST_SIZE) || extent != floor(extent))
			return bench_fail(error, BENCH_USAGE,
					  "%s: it comes to %.17g, which is no whole number from 1 to 2^40",
					  shape->extents[d].place, extent);
		extents[d] = (size_t)extent;
	}
	return 0;
}

int bench_kernel_point_words(const struct bench_case *bench_case, const double *values,
			     const struct bench_kernel_words *words, char *out, size_t size,
			     struct bench_error *error)
{
	const struct bench_kernel_spec *spec = (const struct bench_kernel_spec *)bench_case->suite;
	const struct bench_param *params = bench_case->suite->params;
	size_t length = 0;
	for (const char *at = words->text; *at;) {
		const size_t name = *at == '{' ? strcspn(at + 1, "}") : 0;
		const char *value = NULL;
		char letter[2] = {*at, '\0'}, number[32];
		for (size_t i = 0; name && at[name + 1] == '}' && params[i].name; i++)
			if (strlen(params[i].name) == name && strncmp(params[i].name, at + 1, name) == 0)
				value = bench_case->values[i].text;
		for (size_t i = bench_kernel_spec_tunables(spec);
		     name && at[name + 1] == '}' && i < spec->param_count; i++)
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

/* A number's, vector's or structure's elements. */
static int make_number(const struct bench_kernel_spec_argument *spec, struct bench_kernel_point *point,
		       struct bench_kernel_point_argument *argument, struct bench_error *error)
{
	size_t given = 0;
	if (argument->size > sizeof(argument->number))
		return bench_fail(error, BENCH_USAGE, "%s: more than %d bytes by value",
				  spec->values[0].place, BENCH_KERNEL_MOST_NUMBER);
	for (size_t c = 0; c < spec->column_count; c++) {
		const struct bench_kernel_point_column *column = &point->columns[spec->column + c];
		for (size_t k = 0; k < column->each; k++, given++) {
			const struct bench_kernel_expr *value =
				&spec->values[spec->value_count == 1 ? 0 : given];
			double number;
			if (spec->value_count != 1 && given >= spec->value_count)
				return bench_fail(error, BENCH_USAGE, "%s: %s has more than %zu elements",
						  spec->values[0].place, spec->name, spec->value_count);
			if (bench_kernel_point_evaluate(value, point->values, &number, error) != 0)
				return -1;
			if (!bench_kernel_data_set(column->type,
						   argument->number + bench_kernel_point_place(column, k), 0,
						   number))
				return bench_fail(error, BENCH_USAGE,
						  "%s: %.17g does not fit %s, of type %s%s", value->place,
						  number, spec->name, column->type->name,
						  bench_kernel_data_why_not(number));
		}
	}
	if (spec->value_count != 1 && given != spec->value_count)
		return bench_fail(error, BENCH_USAGE, "%s: %zu values, and %s has %zu elements",
				  spec->values[0].place, spec->value_count, spec->name, given);
	return 0;
}

/* The columns of an argument whose extents are known. */
static int make_columns(const struct bench_kernel_spec *spec, const struct bench_kernel_spec_argument *of,
			const size_t *extents, struct bench_kernel_point *point,
			struct bench_kernel_point_argument *argument, struct bench_error *error)
{
	const bool number = of->access == BENCH_KERNEL_VALUE;
	struct bench_kernel_wide wide = of->image ? of->image->texel : (struct bench_kernel_wide){0};
	struct bench_error cause;
	argument->size = 1;
	if (of->sampler)
		return 0;
	if (!of->layout && !of->image &&
	    (number ? bench_kernel_type_wide(argument->type, &wide, &cause)
		    : bench_kernel_type_find(argument->type, &wide.type, &cause)) != 0)
		return bench_fail(error, BENCH_USAGE, "%s: %s", of->type.place, cause.text);
	if (!of->layout && !of->image && !number)
		wide = (struct bench_kernel_wide){wide.type, 1, wide.type->bytes, 0, false, false};
	argument->size = of->layout ? of->layout->bytes : wide.bytes;
	for (size_t c = 0; c < of->column_count; c++) {
		const struct bench_kernel_layout_field *field = spec->columns[of->column + c].field;
		struct bench_kernel_point_column *column = &point->columns[of->column + c];
		const struct bench_kernel_wide *type = field ? &field->type : &wide;
		*column = (struct bench_kernel_point_column){.type = type->type,
							     .offset = field ? field->offset : 0,
							     .stride = argument->size,
							     .each = type->count,
							     .run = field ? type->count / field->times
									  : type->count,
							     .hop = field ? field->stride : 0,
							     .dimensions = of->shape.count,
							     .count = argument->count * type->count};
		memcpy(column->extents, extents, sizeof(column->extents));
		if (type->count > 1 && !number)
			column->extents[column->dimensions++] = type->count;
	}
	return 0;
}

static int make_argument(const struct bench_case *bench_case, const struct bench_kernel_spec *spec, size_t i,
			 struct bench_kernel_point *point, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *of = &spec->arguments[i];
	struct bench_kernel_point_argument *argument = &point->arguments[i];
	size_t extents[BENCH_KERNEL_DIMENSIONS] = {0};
	if (bench_kernel_point_words(bench_case, point->values, &of->type, argument->type,
				     sizeof(argument->type), error) != 0 ||
	    bench_kernel_point_shape(&of->shape, point->values, extents, error) != 0)
		return -1;
	argument->count = 1;
	for (size_t d = 0; d < of->shape.count; d++)
		if (__builtin_mul_overflow(argument->count, extents[d], &argument->count))
			argument->count = SIZE_MAX;
	if (argument->count >= MOST_BYTES)
		return bench_fail(error, BENCH_USAGE, "%s: the size of %s overflows",
				  of->shape.extents[0].place, of->name);
	if (make_columns(spec, of, extents, point, argument, error) != 0)
		return -1;
	if (__builtin_mul_overflow(argument->count, argument->size, &argument->bytes) ||
	    argument->bytes >= MOST_BYTES)
		return bench_fail(error, BENCH_USAGE, "%s: the size of %s overflows",
				  of->shape.extents[0].place, of->name);
	for (size_t c = of->column; of->tolerance >= 1 && c < of->column + of->column_count; c++) {
		const struct bench_kernel_type *type = point->columns[c].type;
		if (type->real || of->tolerance >= type->most - type->least)
			return bench_fail(error, BENCH_USAGE,
					  "%s: a tolerance of %g accepts anything in %s: of type %s it is a "
					  "%s",
					  of->place, of->tolerance, of->name, type->name,
					  type->real ? "part of the magnitude, below 1"
						     : "difference, below that of any two numbers");
	}
	if (of->file.text && bench_kernel_point_words(bench_case, point->values, &of->file, argument->file,
						      sizeof(argument->file), error) != 0)
		return -1;
	if (of->access != BENCH_KERNEL_VALUE || of->sampler)
		return 0;
	if (make_number(of, point, argument, error) != 0)
		return -1;
	point->values[bench_kernel_spec_columns(spec) + of->column] =
		(double)bench_kernel_data_get(point->columns[of->column].type, argument->number, 0);
	return 0;
}

int bench_kernel_point_make(const struct bench_case *bench_case, struct bench_kernel_point *point,
			    struct bench_error *error)
{
	const struct bench_kernel_spec *spec = (const struct bench_kernel_spec *)bench_case->suite;
	size_t variant = 0;
	*point = (struct bench_kernel_point){0};
	for (size_t i = 0; i < bench_kernel_spec_tunables(spec); i++)
		point->values[i] = bench_case->values[i].real;
	if (bench_kernel_tune_apply(bench_case, point->values, error) != 0)
		return -1;
	if (spec->suite.variants && !spec->tunable_count)
		variant = (size_t)bench_case->values[spec->param_count].integer;
	point->program = &spec->programs[variant];
	for (size_t i = 0; i < spec->argument_count; i++)
		if (make_argument(bench_case, spec, i, point, error) != 0)
			return -1;
	return 0;
}

void bench_kernel_point_index(const struct bench_kernel_point_column *column, size_t at, double *values)
{
	values[0] = (double)at;
	for (size_t d = column->dimensions; d-- > 0; at /= column->extents[d])
		values[1 + d] = (double)(at % column->extents[d]);
}

bool bench_kernel_point_find(const struct bench_kernel_point_column *column, const double *index,
			     size_t indices, size_t *place)
{
	size_t at = 0;
	if (indices != 1 && indices != column->dimensions)
		return false;
	for (size_t d = 0; d < indices; d++) {
		const size_t extent = indices == 1 ? column->count : column->extents[d];
		if (!(index[d] >= 0 && index[d] < (double)extent) || index[d] != floor(index[d]))
			return false;
		at = at * extent + (size_t)index[d];
	}
	*place = bench_kernel_point_place(column, at);
	return true;
}

static int evaluate_work(const struct bench_kernel_expr *expr, const double *values, double *work,
			 struct bench_error *error)
{
	if (!expr->expr)
		return 0;
	if (bench_kernel_point_evaluate(expr, values, work, error) != 0)
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
		work->bytes += (double)argument->bytes *
			       (access == BENCH_KERNEL_INOUT || access == BENCH_KERNEL_SCRATCH ? 2 : 1);
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
