/* SPDX-License-Identifier: MIT */
#include "suites/kernel/buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "suites/kernel/images.h"

/* Of this process, whose run has one seed: what cases use now. */
static struct shared {
	struct bench_kernel_memory memory; /* the first member, by which cases know it */
	const struct bench_kernel_spec *spec;
	const struct bench_device *device;
	size_t argument, users;
	bool made;                       /* in full */
	struct bench_kernel_point point; /* of the case that made it */
	struct shared *next;
} * all;

/* Has the argument the same elements before a launch, by the same values? */
static bool begins_same(const struct bench_kernel_spec *spec, size_t i, const struct bench_kernel_point *a,
			const struct bench_kernel_point *b)
{
	const struct bench_kernel_spec_argument *argument = &spec->arguments[i];
	const size_t tunables = bench_kernel_spec_tunables(spec);
	size_t values = tunables;
	for (size_t c = argument->column; c < argument->column + argument->column_count; c++)
		if (spec->columns[c].fill.expr &&
		    bench_expr_uses(spec->columns[c].fill.expr, tunables, spec->param_count))
			values = spec->param_count;
	return memcmp(a->values, b->values, values * sizeof(*a->values)) == 0 &&
	       memcmp(&a->arguments[i], &b->arguments[i], sizeof(a->arguments[i])) == 0 &&
	       memcmp(&a->columns[argument->column], &b->columns[argument->column],
		      argument->column_count * sizeof(*a->columns)) == 0;
}

bool bench_kernel_buffers_are_same(const struct bench_kernel_spec *spec, size_t i,
				   const struct bench_kernel_point *a, const struct bench_kernel_point *b)
{
	bool same = begins_same(spec, i, a, b);
	/* A reference's result is kept with the output, and follows from all inputs. */
	const bool follows = spec->reference.ops.count && bench_kernel_spec_is_output(&spec->arguments[i]);
	for (size_t j = 0; follows && same && j < spec->argument_count; j++)
		same = !bench_kernel_spec_is_buffer(&spec->arguments[j]) || begins_same(spec, j, a, b);
	return same;
}

/* What a column holds before a launch: by default numbers in [-1, 1), or of an integer type below 100. */
static int fill_column(const struct bench_kernel_results *results,
		       const struct bench_kernel_spec_argument *argument, size_t c, unsigned char *data,
		       struct bench_error *error)
{
	const struct bench_kernel_spec *spec = results->spec;
	const struct bench_kernel_spec_column *column = &spec->columns[c];
	const struct bench_kernel_point_column *point = &results->point->columns[c];
	const char *dot = column->field ? "." : "", *field = column->field ? column->field->name : "";
	double values[BENCH_KERNEL_SYMBOLS];
	struct bench_expr_number number;
	struct bench_error cause;
	struct bench_rng rng;
	memcpy(values, results->point->values, sizeof(values));
	bench_rng_start(&rng, results->seed, c + 1);
	struct bench_expr_context context = {.values = values, .rng = &rng};
	for (size_t at = 0; at < point->count; at++) {
		number.value =
			point->type->real ? 2 * bench_rng_uniform(&rng) - 1 : 100 * bench_rng_uniform(&rng);
		if (column->fill.expr)
			bench_kernel_point_index(point, at, &values[bench_kernel_spec_indices(spec)]);
		context.most_steps = context.steps + 1000000;
		if (column->fill.expr &&
		    bench_expr_evaluate(column->fill.expr, &context, &number, &cause) != 0)
			return bench_fail(error, BENCH_USAGE, "%s of %s%s%s[%zu]: %s", column->fill.place,
					  argument->name, dot, field, at, cause.text);
		if (!point->type->real)
			number.value = trunc(number.value);
		if (!bench_kernel_data_set(point->type, data + bench_kernel_point_place(point, at), 0,
					   number.value))
			return bench_fail(error, BENCH_USAGE,
					  "%s: %.15g does not fit %s%s%s[%zu], of type %s",
					  column->fill.place, number.value, argument->name, dot, field, at,
					  point->type->name);
	}
	return 0;
}

static int fill(const struct bench_kernel_results *results, size_t i, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *argument = &results->spec->arguments[i];
	unsigned char *data = results->memory[i]->image + BENCH_KERNEL_GUARD;
	for (size_t c = 0; c < argument->column_count; c++)
		if (fill_column(results, argument, argument->column + c, data, error) != 0)
			return -1;
	return 0;
}

int bench_kernel_buffers_fill(struct bench_kernel_results *results, struct bench_error *error)
{
	for (size_t i = 0; i < results->spec->argument_count; i++)
		if (results->memory[i] && bench_kernel_spec_is_input(&results->spec->arguments[i]) &&
		    fill(results, i, error) != 0)
			return -1;
	return 0;
}

int bench_kernel_buffers_upload(const struct bench_case *bench_case,
				const struct bench_kernel_results *results, size_t i,
				struct bench_error *error)
{
	const struct bench_kernel_memory *memory = results->memory[i];
	const size_t guard = bench_kernel_buffers_guard(results, i);
	return bench_case->backend->upload(bench_case->device, memory->buffer,
					   memory->image + BENCH_KERNEL_GUARD - guard,
					   results->point->arguments[i].bytes + 2 * guard, error);
}

static int download(const struct bench_case *bench_case, const struct bench_kernel_results *results, size_t i,
		    struct bench_error *error)
{
	const struct bench_kernel_memory *memory = results->memory[i];
	const size_t guard = bench_kernel_buffers_guard(results, i);
	return bench_case->backend->download(bench_case->device, memory->buffer,
					     memory->found + BENCH_KERNEL_GUARD - guard,
					     results->point->arguments[i].bytes + 2 * guard, error);
}

/* What must come out, from a file of as many bytes. */
static int read_expected(const struct bench_kernel_results *results, size_t i, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *argument = &results->spec->arguments[i];
	const struct bench_kernel_point_argument *point = &results->point->arguments[i];
	struct bench_error cause;
	char *data;
	size_t bytes;
	if (!point->file[0])
		return 0;
	if (bench_file_read(point->file, point->bytes, &data, &bytes, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s: %s", argument->file.place, cause.text);
	results->memory[i]->expected = (unsigned char *)data;
	if (bytes == point->bytes)
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s: %s has %zu bytes, and %s %zu", argument->file.place,
			  point->file, bytes, argument->name, point->bytes);
}

static int make(const struct bench_case *bench_case, const struct bench_kernel_results *results, size_t i,
		struct bench_error *error)
{
	const struct bench_kernel_spec_argument *argument = &results->spec->arguments[i];
	struct bench_kernel_memory *memory = results->memory[i];
	const size_t bytes = results->point->arguments[i].bytes, whole = bytes + 2 * BENCH_KERNEL_GUARD;
	memory->image = malloc(whole);
	memory->found = malloc(whole);
	if (!memory->image || !memory->found)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s, of %zu bytes",
				  argument->name, bytes);
	if (read_expected(results, i, error) != 0)
		return -1;
	bench_kernel_data_guard(results->point->columns[argument->column].type, memory->image, bytes, i);
	memcpy(memory->found, memory->image, whole);
	memset(memory->image + BENCH_KERNEL_GUARD, BENCH_KERNEL_SPOIL, bytes);
	if (bench_kernel_spec_is_input(argument) && fill(results, i, error) != 0)
		return -1;
	const int result =
		argument->image
			? bench_kernel_images_make(bench_case, results->point, i, &memory->buffer, error)
			: bench_case->backend->alloc(bench_case->device, bytes + 2 * results->guard,
						     &memory->buffer, error);
	return result == 0 ? bench_kernel_buffers_upload(bench_case, results, i, error) : -1;
}

int bench_kernel_buffers_make(const struct bench_case *bench_case, struct bench_kernel_results *results,
			      size_t i, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = results->spec;
	struct shared *shared = spec->searched ? all : NULL;
	while (shared && (!shared->made || shared->spec != spec || shared->device != bench_case->device ||
			  shared->argument != i ||
			  !bench_kernel_buffers_are_same(spec, i, results->point, &shared->point)))
		shared = shared->next;
	if (shared) {
		shared->users++;
		results->memory[i] = &shared->memory;
		return 0;
	}
	shared = calloc(1, sizeof(*shared));
	if (!shared)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s", spec->arguments[i].name);
	*shared = (struct shared){.spec = spec,
				  .device = bench_case->device,
				  .argument = i,
				  .users = 1,
				  .point = *results->point,
				  .next = all};
	all = shared;
	results->memory[i] = &shared->memory;
	shared->memory.watched = !spec->searched || spec->arguments[i].access != BENCH_KERNEL_IN;
	shared->made = make(bench_case, results, i, error) == 0;
	return shared->made ? 0 : -1;
}

void bench_kernel_buffers_free(const struct bench_case *bench_case, struct bench_kernel_results *results)
{
	for (struct shared **at = &all; *at;) {
		struct shared *shared = *at;
		struct bench_kernel_memory *memory = &shared->memory;
		if (results->memory[shared->argument] != memory || --shared->users > 0) {
			at = &shared->next;
			continue;
		}
		bench_case->backend->release(bench_case->device, memory->buffer);
		free(memory->image);
		free(memory->found);
		free(memory->expected);
		*at = shared->next;
		free(shared);
	}
}

int bench_kernel_buffers_reset(const struct bench_case *bench_case,
			       const struct bench_kernel_results *results, int spoil,
			       struct bench_error *error)
{
	for (size_t i = 0; i < results->spec->argument_count; i++) {
		const struct bench_kernel_memory *memory = results->memory[i];
		if (!memory || !memory->watched)
			continue;
		if (!bench_kernel_spec_is_input(&results->spec->arguments[i]))
			memset(memory->image + BENCH_KERNEL_GUARD, spoil, results->point->arguments[i].bytes);
		if (bench_kernel_buffers_upload(bench_case, results, i, error) != 0)
			return -1;
	}
	return 0;
}

int bench_kernel_buffers_download(const struct bench_case *bench_case,
				  const struct bench_kernel_results *results, struct bench_error *error)
{
	for (size_t i = 0; i < results->spec->argument_count; i++)
		if (results->memory[i] && results->memory[i]->watched &&
		    download(bench_case, results, i, error) != 0)
			return -1;
	return 0;
}

void bench_kernel_buffers_note(const struct bench_kernel_results *results)
{
	for (size_t i = 0; i < results->spec->argument_count; i++)
		if (results->memory[i])
			results->memory[i]->launched = true;
}

int bench_kernel_buffers_look(const struct bench_case *bench_case, const struct bench_kernel_results *results,
			      struct bench_error *error)
{
	for (size_t i = 0; i < results->spec->argument_count; i++) {
		struct bench_kernel_memory *memory = results->memory[i];
		if (!memory || memory->watched || !memory->launched)
			continue;
		if (download(bench_case, results, i, error) != 0)
			return -1;
		memory->launched = false;
		memory->watched = memcmp(memory->image, memory->found,
					 results->point->arguments[i].bytes + 2 * BENCH_KERNEL_GUARD) != 0;
	}
	return 0;
}
