/* SPDX-License-Identifier: MIT */
#include "suites/kernel/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/dense.h"

enum { STREAM_ELEMENTS = 1000 };              /* of the seed: which elements are looked at */
static const uint64_t MOST_STEPS = 50000000;  /* of all elements of an output: some seconds */
static const uint64_t MOST_TUNED = 2000000;   /* of a kernel with tunables, whose duels are short */
static const uint64_t MOST_SEARCHED = 200000; /* of a candidate, of which there are hundreds */
static const size_t FEWEST = 16;
static const double EXACT = 0x1p53; /* the whole numbers that an expression is exact for */

static const unsigned char *contents(const unsigned char *image)
{
	return image + BENCH_KERNEL_GUARD;
}

static int check_one_intact(const struct bench_kernel_results *results, size_t i, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *spec = &results->spec->arguments[i];
	const struct bench_kernel_point_argument *argument = &results->point->arguments[i];
	const struct bench_kernel_memory *memory = results->memory[i];
	const int64_t size = (int64_t)argument->size;
	int64_t place;
	if (bench_kernel_data_overrun(memory->image, memory->found, argument->bytes, &place))
		return bench_fail(error, BENCH_FAILED,
				  "%s wrote %s %s: at %s[%" PRId64 "], of %zu elements of type %s (%s)",
				  results->launch, place < 0 ? "in front of" : "past the end of", spec->name,
				  spec->name, place < 0 ? (place - size + 1) / size : place / size,
				  argument->count, argument->type, spec->place);
	if (spec->access != BENCH_KERNEL_IN ||
	    memcmp(contents(memory->image), contents(memory->found), argument->bytes) == 0)
		return 0;
	place = 0;
	while (contents(memory->image)[place] == contents(memory->found)[place])
		place++;
	return bench_fail(error, BENCH_FAILED,
			  "%s wrote to %s, at %s[%" PRId64
			  "]: its access is \"in\"; a kernel that writes there "
			  "has \"inout\"",
			  results->launch, spec->name, spec->name, place / size);
}

int bench_kernel_check_intact(const struct bench_kernel_results *results, struct bench_error *error)
{
	for (size_t i = 0; i < results->spec->argument_count; i++)
		if (results->memory[i] && results->memory[i]->watched &&
		    check_one_intact(results, i, error) != 0)
			return -1;
	return 0;
}

/* The spec's argument that has the column. */
static size_t argument_of(const struct bench_kernel_spec *spec, size_t column)
{
	size_t i = 0;
	while (column >= spec->arguments[i].column + spec->arguments[i].column_count)
		i++;
	return i;
}

/* An element of an input before the launch, or of an output after it. */
static bool element(const void *arrays, size_t symbol, const double *index, size_t indices, double *value)
{
	const struct bench_kernel_results *results = arrays;
	const size_t c = symbol - bench_kernel_spec_columns(results->spec);
	const struct bench_kernel_point_column *column = &results->point->columns[c];
	const size_t i = argument_of(results->spec, c);
	const unsigned char *data = contents(results->spec->arguments[i].access == BENCH_KERNEL_OUT
						     ? results->memory[results->places[i]]->found
						     : results->memory[i]->image);
	size_t place;
	if (!bench_kernel_point_find(column, index, indices, &place))
		return false;
	*value = (double)bench_kernel_data_get(column->type, data + place, 0);
	return true;
}

/* A column of an output, what is found of it, and what should be. */
struct output {
	const struct bench_kernel_spec_argument *argument;
	const struct bench_kernel_spec_column *spec;
	const struct bench_kernel_point_column *column;
	const unsigned char *image, *found, *expected;
	char name[64]; /* "y", or "y.field" */
};

static struct output output_of(const struct bench_kernel_results *results, size_t i, size_t c)
{
	const struct bench_kernel_spec_argument *argument = &results->spec->arguments[i];
	const struct bench_kernel_memory *memory = results->memory[results->places[i]];
	struct output output = {.argument = argument,
				.spec = &results->spec->columns[c],
				.column = &results->point->columns[c],
				.image = contents(memory->image),
				.found = contents(memory->found),
				.expected = results->memory[i]->expected};
	snprintf(output.name, sizeof(output.name), "%s%s%s", argument->name, output.spec->field ? "." : "",
		 output.spec->field ? output.spec->field->name : "");
	return output;
}

static long double get(const struct output *output, const unsigned char *data, size_t at)
{
	return bench_kernel_data_get(output->column->type,
				     data + bench_kernel_point_place(output->column, at), 0);
}

/* An element, as expressions name it: "y[3]", "y[0, 3]". */
enum { NAME = 96 }; /* three indices below 2^60 */
static const char *name_of(const struct output *output, size_t at, char text[NAME])
{
	double index[1 + BENCH_KERNEL_DIMENSIONS];
	int length = snprintf(text, NAME, "%.20s[", output->name);
	bench_kernel_point_index(output->column, at, index);
	for (size_t d = 0; d < output->column->dimensions; d++)
		length += snprintf(text + length, (size_t)(NAME - length), "%s%.0f", d ? ", " : "",
				   index[1 + d]);
	snprintf(text + length, (size_t)(NAME - length), "]");
	return text;
}

/* What is found of an output. */
struct found {
	double error;           /* the worst of its elements, */
	double operations;      /* the most roundings of one of them, */
	size_t worst;           /* where that is, */
	long double is, should; /* and its values */
	uint64_t steps;         /* of the last element's expression */
	double largest;         /* magnitude of an element's terms */
	size_t zero;            /* of those whose terms are all 0, the worst, */
	long double zero_is;    /* and what it is */
};

static void take_worse(struct found *found, size_t at, long double is, long double should, double error)
{
	if (!(error > found->error) && !isnan(error))
		return;
	if (isnan(found->error))
		return;
	found->error = error;
	found->worst = at;
	found->is = is;
	found->should = should;
}

/* Of a real type a part of the terms' magnitude. Integers have no rounding: how far one is off. */
static double error_of(const struct output *output, long double is, long double should, double magnitude)
{
	if (is == should)
		return 0;
	if (!output->column->type->real)
		return (double)fabsl(is - should);
	return isinf(should) ? INFINITY : bench_dense_error((double)is, (double)should, magnitude);
}

static int look_at(const struct bench_kernel_results *results, const struct output *output, size_t at,
		   double *values, struct found *found, struct bench_error *error)
{
	const struct bench_kernel_point_column *column = output->column;
	const size_t indices = bench_kernel_spec_indices(results->spec);
	struct bench_expr_context context = {
		.values = values, .element = element, .arrays = results, .most_steps = MOST_STEPS};
	struct bench_expr_number should;
	struct bench_error cause;
	char name[NAME];
	bench_kernel_point_index(column, at, &values[indices]);
	if (bench_expr_evaluate(output->spec->check.expr, &context, &should, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s of %s: %s", output->spec->check.place,
				  name_of(output, at, name), cause.text);
	if (isnan(should.value))
		return bench_fail(error, BENCH_USAGE, "%s of %s: it comes to no number, as 0 / 0 does",
				  output->spec->check.place, name_of(output, at, name));
	if (!column->type->real && fmax(fabs(should.value), should.scale) > EXACT)
		return bench_fail(
			error, BENCH_USAGE,
			"%s of %s: numbers of about %.3g: expressions are exact to 2^53; a file or a "
			"reference checks larger integers",
			output->spec->check.place, name_of(output, at, name),
			fmax(fabs(should.value), should.scale));
	const long double is = get(output, output->found, at);
	found->steps = context.steps;
	found->operations = fmax(found->operations, context.operations);
	found->largest = fmax(found->largest, isinf(should.scale) ? 0 : should.scale);
	/* Terms that are all 0 say nothing of rounding; whoever states a tolerance means that of the rest. */
	if (should.value == 0 && should.scale == 0 && output->argument->tolerance >= 0 && isfinite(is)) {
		if (fabsl(is) > fabsl(found->zero_is)) {
			found->zero = at;
			found->zero_is = is;
		}
		return 0;
	}
	take_worse(found, at, is, should.value, error_of(output, is, should.value, should.scale));
	return 0;
}

/* Every element, or where that would take too long the first, the last and random ones. */
static int look_at_all(const struct bench_kernel_results *results, const struct output *output,
		       struct found *found, size_t *looked, struct bench_error *error)
{
	const size_t count = output->column->count;
	double values[BENCH_KERNEL_SYMBOLS];
	struct bench_rng rng;
	memcpy(values, results->point->values, sizeof(values));
	if (look_at(results, output, 0, values, found, error) != 0 ||
	    look_at(results, output, count - 1, values, found, error) != 0)
		return -1;
	const uint64_t each = found->steps ? found->steps : 1;
	const uint64_t most = results->spec->searched        ? MOST_SEARCHED
			      : results->spec->tunable_count ? MOST_TUNED
							     : MOST_STEPS;
	const bool all = count <= FEWEST || each <= most / count;
	*looked = all ? count : (size_t)(most / each) > FEWEST ? (size_t)(most / each) : FEWEST;
	bench_rng_start(&rng, results->seed,
			STREAM_ELEMENTS + (uint64_t)(output->column - results->point->columns));
	for (size_t k = 2; k < *looked; k++)
		if (look_at(results, output, all ? k - 1 : bench_rng_below(&rng, count), values, found,
			    error) != 0)
			return -1;
	if (found->zero_is != 0)
		take_worse(found, found->zero, found->zero_is, 0,
			   error_of(output, found->zero_is, 0, found->largest));
	return 0;
}

/* Differences from the reference, as parts of its largest element. */
static void compare_all(const struct output *output, struct found *found)
{
	double largest = 0;
	for (size_t at = 0; at < output->column->count; at++)
		largest = fmax(largest, fabs((double)get(output, output->expected, at)));
	for (size_t at = 0; at < output->column->count; at++) {
		const long double is = get(output, output->found, at),
				  should = get(output, output->expected, at);
		take_worse(found, at, is, should, error_of(output, is, should, largest));
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
static bool never_written(const struct output *output, size_t at)
{
	const struct bench_kernel_type *type = output->column->type;
	const size_t place = bench_kernel_point_place(output->column, at);
	return type->real && output->argument->access == BENCH_KERNEL_OUT &&
	       memcmp(output->image + place, output->found + place, type->bytes) == 0;
}

static int check_output(const struct bench_kernel_results *results, const struct output *output,
			struct bench_check *check, struct bench_error *error)
{
	const bool by_expression = output->spec->check.expr;
	const struct bench_kernel_type *type = output->column->type;
	struct found found = {0};
	size_t looked = output->column->count;
	if (by_expression && look_at_all(results, output, &found, &looked, error) != 0)
		return -1;
	if (!by_expression)
		compare_all(output, &found);
	double tolerance = output->argument->tolerance;
	if (tolerance < 0 && !by_expression)
		tolerance = usual_tolerance(type);
	else if (tolerance < 0)
		tolerance = type->real
				    ? bench_dense_tolerance(type->dtype, (size_t)fmin(found.operations, 1e15))
				    : 0;
	const char *by = by_expression ? "expression" : output->argument->file.text ? "file" : "reference";
	/* Of several outputs, the one that is worst in terms of its tolerance. */
	const bool right = found.error <= tolerance, was_right = check->error <= check->tolerance;
	if (check->method[0] &&
	    (!was_right || (right && found.error * check->tolerance <= check->error * tolerance)))
		return 0;
	check->error = found.error;
	check->tolerance = tolerance;
	char name[NAME];
	if (!right && never_written(output, found.worst))
		snprintf(check->method, sizeof(check->method), "%s was never written",
			 name_of(output, found.worst, name));
	else if (!right && type->real)
		snprintf(check->method, sizeof(check->method), "%s is %.8Lg, not %.8Lg",
			 name_of(output, found.worst, name), found.is, found.should);
	else if (!right)
		snprintf(check->method, sizeof(check->method), "%s is %.20Lg, not %.20Lg",
			 name_of(output, found.worst, name), found.is, found.should);
	else if (looked < output->column->count)
		snprintf(check->method, sizeof(check->method), "%s of %.16s, %.8g of its %.8g elements", by,
			 output->name, (double)looked, (double)output->column->count);
	else
		snprintf(check->method, sizeof(check->method), "%s of %.20s, each element", by, output->name);
	return 0;
}

void bench_kernel_check_lacks(const struct bench_kernel_spec *spec, struct bench_text *words)
{
	for (size_t i = 0; i < spec->argument_count; i++)
		for (size_t c = 0; c < spec->arguments[i].column_count; c++) {
			const struct bench_kernel_spec_column *column =
				&spec->columns[spec->arguments[i].column + c];
			if (column->unchecked)
				bench_text_add(words, "%s%s%s%s",
					       words->length ? ", " : "nothing says what must be in ",
					       spec->arguments[i].name, column->field ? "." : "",
					       column->field ? column->field->name : "");
		}
}

int bench_kernel_check_outputs(const struct bench_kernel_results *results, struct bench_check *check,
			       struct bench_error *error)
{
	const struct bench_kernel_spec *spec = results->spec;
	*check = (struct bench_check){0};
	for (size_t i = 0; i < spec->argument_count; i++)
		for (size_t c = 0;
		     bench_kernel_spec_is_output(&spec->arguments[i]) && c < spec->arguments[i].column_count;
		     c++) {
			const struct output output = output_of(results, i, spec->arguments[i].column + c);
			if (!output.spec->unchecked && check_output(results, &output, check, error) != 0)
				return -1;
		}
	if (!check->method[0])
		snprintf(check->method, sizeof(check->method), "none: the specification checks no output");
	return 0;
}
