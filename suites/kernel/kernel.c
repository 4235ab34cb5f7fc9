/* SPDX-License-Identifier: MIT */
/*
 * Suites of users' kernels: one suite for each specification, whose hooks are all here. docs/user-kernels.md
 * says how they are written and read.
 */
#include "suites/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "suites/kernel/check.h"
#include "suites/kernel/tune.h"
#include "suites/operands.h"
#include "suites/suites.h"

/* Bytes of what is not computed yet: NaN in every real type, the largest numbers; and ordinary numbers of
 * each. */
static const unsigned char spoils[] = {0xff, 0x3c};

/* Elements of all buffers together, of which more are not filled and checked a third time. */
static const size_t renewed_elements = (size_t)1 << 22;

struct state {
	size_t guard; /* bytes of guard zones on the device */
	struct bench_kernel_point point;
	struct bench_kernel_results results;
	struct bench_built_kernel *built, *reference; /* NULL until they are first launched */
	uint64_t seed;                                /* of what buffers are filled with */
	unsigned prepared, checks;                    /* so far */
};

static const struct bench_kernel_spec *spec_of(const struct bench_case *bench_case)
{
	return (const struct bench_kernel_spec *)bench_case->suite;
}

static bool is_buffer(const struct bench_kernel_spec_argument *argument)
{
	return argument->access != BENCH_KERNEL_VALUE && argument->access != BENCH_KERNEL_LOCAL;
}

static bool runs_on(const struct bench_backend *backend)
{
	return backend->kernels != NULL;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_kernel_point point;
	if (bench_kernel_point_make(bench_case, &point, error) != 0)
		return -1;
	return bench_kernel_point_work(spec_of(bench_case), &point, work, error);
}

static int check_supported(const struct bench_case *bench_case, const struct state *state,
			   struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	for (size_t i = 0; i < spec->argument_count; i++) {
		const struct bench_kernel_type *type = state->point.arguments[i].type;
		if (type->real && bench_operands_supported(bench_case, NULL, type->dtype, error) != 0)
			return -1;
	}
	return 0;
}

/* What a buffer holds before a launch: by default numbers in [-1, 1), or of an integer type below 100. */
static int fill(const struct bench_case *bench_case, size_t i, struct state *state, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	const struct bench_kernel_spec_argument *argument = &spec->arguments[i];
	const struct bench_kernel_point_argument *point = &state->point.arguments[i];
	unsigned char *data = state->results.memory[i].image + BENCH_KERNEL_GUARD;
	double *values = state->point.values;
	const size_t indices = bench_kernel_spec_indices(spec);
	struct bench_expr_number number;
	struct bench_error cause;
	struct bench_rng rng;
	bench_rng_start(&rng, state->seed, i + 1);
	struct bench_expr_context context = {.values = values, .rng = &rng};
	for (size_t at = 0; at < point->count; at++) {
		size_t rest = at;
		number.value =
			point->type->real ? 2 * bench_rng_uniform(&rng) - 1 : 100 * bench_rng_uniform(&rng);
		values[indices] = (double)at;
		for (size_t d = point->dimensions; d-- > 0; rest /= point->extents[d])
			values[indices + 1 + d] = (double)(rest % point->extents[d]);
		context.most_steps = context.steps + 1000000;
		if (argument->value.expr &&
		    bench_expr_evaluate(argument->value.expr, &context, &number, &cause) != 0)
			return bench_fail(error, BENCH_USAGE, "%s of %s[%zu]: %s", argument->value.place,
					  argument->name, at, cause.text);
		if (!bench_kernel_data_set(point->type, data, at, number.value))
			return bench_fail(error, BENCH_USAGE, "%s: %.17g does not fit %s[%zu], of type %s",
					  argument->value.place, number.value, argument->name, at,
					  point->type->name);
	}
	return 0;
}

/*
 * A simulator sees by itself what is read and written outside of a buffer, where another buffer does not lie
 * around it.
 */
static size_t guard_of(const struct bench_case *bench_case)
{
	return strstr(bench_case->info->platform, "Oclgrind") ? 0 : BENCH_KERNEL_GUARD;
}

static int upload(const struct bench_case *bench_case, const struct state *state, size_t i,
		  struct bench_error *error)
{
	const struct bench_kernel_memory *memory = &state->results.memory[i];
	return bench_case->backend->upload(bench_case->device, memory->buffer,
					   memory->image + BENCH_KERNEL_GUARD - state->guard,
					   state->point.arguments[i].bytes + 2 * state->guard, error);
}

/* What must come out, from a file of as many bytes. */
static int read_expected(size_t i, struct state *state, struct bench_error *error)
{
	const struct bench_kernel_spec_argument *argument = &state->results.spec->arguments[i];
	const struct bench_kernel_point_argument *point = &state->point.arguments[i];
	struct bench_error cause;
	char *data;
	size_t bytes;
	if (!point->file[0])
		return 0;
	if (bench_file_read(point->file, point->bytes, &data, &bytes, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s: %s", argument->file.place, cause.text);
	state->results.memory[i].expected = (unsigned char *)data;
	if (bytes == point->bytes)
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s: %s has %zu bytes, and %s %zu", argument->file.place,
			  point->file, bytes, argument->name, point->bytes);
}

static int make_buffer(const struct bench_case *bench_case, size_t i, struct state *state,
		       struct bench_error *error)
{
	const struct bench_kernel_spec_argument *argument = &spec_of(bench_case)->arguments[i];
	struct bench_kernel_memory *memory = &state->results.memory[i];
	const size_t bytes = state->point.arguments[i].bytes, whole = bytes + 2 * BENCH_KERNEL_GUARD;
	memory->image = malloc(whole);
	memory->found = malloc(whole);
	if (!memory->image || !memory->found)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s, of %zu bytes",
				  argument->name, bytes);
	if (read_expected(i, state, error) != 0)
		return -1;
	bench_kernel_data_guard(state->point.arguments[i].type, memory->image, bytes, i);
	memcpy(memory->found, memory->image, whole);
	memset(memory->image + BENCH_KERNEL_GUARD, spoils[0], bytes);
	if (argument->access != BENCH_KERNEL_OUT && fill(bench_case, i, state, error) != 0)
		return -1;
	return bench_case->backend->alloc(bench_case->device, bytes + 2 * state->guard, &memory->buffer,
					  error) == 0
		       ? upload(bench_case, state, i, error)
		       : -1;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_state_make(bench_case, sizeof(*state), spec->suite.name, error);
	if (!state || bench_kernel_point_make(bench_case, &state->point, error) != 0 ||
	    check_supported(bench_case, state, error) != 0)
		return -1;
	state->guard = guard_of(bench_case);
	state->results.spec = spec;
	state->results.point = &state->point;
	state->results.seed = state->seed = bench_case->seed;
	for (size_t i = 0; i < spec->argument_count; i++)
		if (is_buffer(&spec->arguments[i]) && make_buffer(bench_case, i, state, error) != 0)
			return -1;
	return 0;
}

/* What the kernel reads it finds as it was, and what it writes is spoiled, each time otherwise. */
static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_case->state;
	const int spoil = spoils[state->prepared++ % sizeof(spoils)];
	for (size_t i = 0; i < spec->argument_count; i++) {
		if (spec->arguments[i].access == BENCH_KERNEL_OUT)
			memset(state->results.memory[i].image + BENCH_KERNEL_GUARD, spoil,
			       state->point.arguments[i].bytes);
		if (is_buffer(&spec->arguments[i]) && upload(bench_case, state, i, error) != 0)
			return -1;
	}
	return 0;
}

static int build(const struct bench_case *bench_case, const struct bench_kernel_point_launch *launch,
		 struct bench_built_kernel **built, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	const struct state *state = bench_case->state;
	struct bench_kernel_argument arguments[BENCH_KERNEL_ARGUMENTS] = {0};
	struct bench_kernel kernel = {
		.file = spec->file,
		.source = spec->source,
		.options = launch->options,
		.name = launch->spec->kernel,
		.arguments = arguments,
		.argument_count = spec->argument_count,
		.dimensions = launch->spec->global.count,
		/* The yardstick beside a candidate is compared. */
		.known = spec->searched && launch == &state->point.launch &&
			 bench_case->values[spec->param_count - spec->tunable_count].integer > 0};
	memcpy(kernel.global, launch->global, sizeof(kernel.global));
	memcpy(kernel.local, launch->local, sizeof(kernel.local));
	for (size_t i = 0; i < spec->argument_count; i++) {
		const struct bench_kernel_point_argument *point = &state->point.arguments[i];
		arguments[i] = (struct bench_kernel_argument){.name = spec->arguments[i].name,
							      .type = point->type->name,
							      .buffer = state->results.memory[i].buffer,
							      .bytes = point->bytes};
		if (is_buffer(&spec->arguments[i]))
			arguments[i].offset = state->guard;
		else if (spec->arguments[i].access == BENCH_KERNEL_VALUE)
			arguments[i].value = point->number;
	}
	return bench_case->backend->kernels->build(bench_case->device, &kernel, built, error);
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	const struct bench_backend *backend = bench_case->backend;
	struct state *state = bench_case->state;
	if (!state->built && build(bench_case, &state->point.launch, &state->built, error) != 0)
		return -1;
	for (uint64_t i = 0; i < iterations; i++)
		if (backend->kernels->enqueue(bench_case->device, state->built, error) != 0)
			return -1;
	return 0;
}

static int download(const struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	const struct state *state = bench_case->state;
	for (size_t i = 0; i < spec->argument_count; i++)
		if (is_buffer(&spec->arguments[i]) &&
		    bench_case->backend->download(
			    bench_case->device, state->results.memory[i].buffer,
			    state->results.memory[i].found + BENCH_KERNEL_GUARD - state->guard,
			    state->point.arguments[i].bytes + 2 * state->guard, error) != 0)
			return -1;
	return 0;
}

/* One launch on fresh buffers, and what it leaves. */
static int launch_once(struct bench_case *bench_case, struct bench_built_kernel *built,
		       struct bench_error *error)
{
	const struct bench_backend *backend = bench_case->backend;
	return prepare(bench_case, error) || backend->kernels->enqueue(bench_case->device, built, error) ||
			       backend->finish(bench_case->device, error) || download(bench_case, error)
		       ? -1
		       : 0;
}

/* Lets the reference run once, in the kernel's buffers, and keeps what it leaves. */
static int make_expected(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_case->state;
	if (!state->reference && build(bench_case, &state->point.reference, &state->reference, error) != 0)
		return -1;
	if (launch_once(bench_case, state->reference, error) != 0)
		return -1;
	for (size_t i = 0; i < spec->argument_count; i++) {
		struct bench_kernel_memory *memory = &state->results.memory[i];
		const size_t bytes = state->point.arguments[i].bytes;
		if (!is_buffer(&spec->arguments[i]) || spec->arguments[i].file.text)
			continue;
		if (!memory->expected)
			memory->expected = malloc(bytes);
		if (!memory->expected)
			return bench_fail(error, BENCH_NO_MEMORY,
					  "no host memory for the reference, of %zu bytes", bytes);
		memcpy(memory->expected, memory->found + BENCH_KERNEL_GUARD, bytes);
	}
	return 0;
}

static bool accumulates(const struct bench_kernel_spec *spec)
{
	for (size_t i = 0; i < spec->argument_count; i++)
		if (spec->arguments[i].access == BENCH_KERNEL_INOUT)
			return true;
	return false;
}

/* Can the kernel be checked on other inputs? A file's expected values belong to the inputs that it was made
 * from. */
static bool is_renewable(const struct bench_kernel_spec *spec, const struct state *state)
{
	size_t elements = 0;
	if (spec->searched)
		return false;
	for (size_t i = 0; i < spec->argument_count; i++) {
		elements += is_buffer(&spec->arguments[i]) ? state->point.arguments[i].count : 0;
		if (spec->arguments[i].file.text)
			return false;
	}
	return elements <= renewed_elements;
}

/* After the samples: one launch on inputs of other random numbers, of which no earlier one can have kept
 * results. */
static int check_renewed(struct bench_case *bench_case, struct bench_check *check, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_case->state;
	state->seed = ~state->seed;
	for (size_t i = 0; i < spec->argument_count; i++)
		if (is_buffer(&spec->arguments[i]) && spec->arguments[i].access != BENCH_KERNEL_OUT &&
		    fill(bench_case, i, state, error) != 0)
			return -1;
	if (spec->reference.kernel && make_expected(bench_case, error) != 0)
		return -1;
	state->prepared = 1; /* ordinary numbers are next */
	if (launch_once(bench_case, state->built, error) != 0 ||
	    bench_kernel_check_intact(&state->results, error) != 0)
		return -1;
	return bench_kernel_check_outputs(&state->results, check, error);
}

/*
 * A kernel that writes over its inputs is checked after one launch: where there were more, they are looked at
 * for writes to where nothing belongs, and another one is made.
 */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	struct state *state = bench_case->state;
	const bool again = iterations != 1 && accumulates(spec_of(bench_case));
	const bool fresh = spec_of(bench_case)->reference.kernel && !state->reference;
	if (download(bench_case, error) != 0 || bench_kernel_check_intact(&state->results, error) != 0 ||
	    (fresh && make_expected(bench_case, error) != 0))
		return -1;
	if ((again || fresh) && (launch_once(bench_case, state->built, error) != 0 ||
				 bench_kernel_check_intact(&state->results, error) != 0))
		return -1;
	if (bench_kernel_check_outputs(&state->results, check, error) != 0)
		return -1;
	const bool last = ++state->checks > 1, passed = check->error <= check->tolerance;
	return last && passed && is_renewable(spec_of(bench_case), state)
		       ? check_renewed(bench_case, check, error)
		       : 0;
}

static void teardown(struct bench_case *bench_case)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_case->state;
	if (!state)
		return;
	if (state->built)
		bench_case->backend->kernels->release(bench_case->device, state->built);
	if (state->reference)
		bench_case->backend->kernels->release(bench_case->device, state->reference);
	for (size_t i = 0; i < spec->argument_count; i++) {
		struct bench_kernel_memory *memory = &state->results.memory[i];
		bench_case->backend->release(bench_case->device, memory->buffer);
		free(memory->image);
		free(memory->found);
		free(memory->expected);
	}
	bench_state_free(bench_case);
}

static struct bench_arena arena;
static struct bench_kernel_spec **tunables, **searched; /* specs with tunables, and their twins */
static size_t tunable_count, searched_count;

const struct bench_kernel_spec *bench_kernel_tune_spec(size_t index)
{
	return index < tunable_count ? tunables[index] : NULL;
}

const struct bench_kernel_spec *bench_kernel_tune_searched(size_t index)
{
	return index < searched_count ? searched[index] : NULL;
}

const struct bench_tunable *bench_kernel_tune_find(const char *name)
{
	for (size_t i = 0; i < tunable_count; i++)
		for (size_t t = 0; t < tunables[i]->tunable_count; t++)
			if (strcmp(tunables[i]->tunables[t].name, name) == 0)
				return &tunables[i]->tunables[t];
	return NULL;
}

void bench_kernel_tune_use(const struct bench_tuned *tuned)
{
	for (size_t i = 0; i < tunable_count + searched_count; i++) {
		struct bench_kernel_spec *spec =
			i < tunable_count ? tunables[i] : searched[i - tunable_count];
		for (size_t t = 0; t < spec->tunable_count; t++)
			if (strcmp(spec->tunables[t].name, tuned->name) == 0)
				spec->tuned[t] = tuned->value;
	}
}

static int add(const cJSON *extension, bool search, struct bench_error *error)
{
	struct bench_kernel_spec *spec;
	struct bench_error cause;
	const char *file;
	if (bench_kernel_spec_read(extension, &arena, &spec, error) != 0)
		return -1;
	if (search)
		bench_kernel_tune_search(spec, &arena);
	if (spec->tunable_count)
		*(struct bench_kernel_spec **)bench_arena_push(&arena, search ? &searched : &tunables,
							       search ? &searched_count : &tunable_count,
							       sizeof(spec)) = spec;
	spec->suite.abi = BENCH_SUITE_ABI;
	spec->suite.runs_on = runs_on;
	spec->suite.work = work;
	spec->suite.setup = setup;
	spec->suite.run = run;
	spec->suite.prepare = prepare;
	spec->suite.check = check;
	spec->suite.teardown = teardown;
	if (bench_suites_add(&spec->suite, &cause) == 0)
		return 0;
	return bench_json_string(extension, "spec_file", "kernel", &file, error) == 0
		       ? bench_fail(error, BENCH_USAGE, "%s: %s", file, cause.text)
		       : -1;
}

int bench_kernel_add(const cJSON *extension, struct bench_error *error)
{
	const bool search = cJSON_IsTrue(bench_json_member(extension, "search"));
	const size_t before = tunable_count;
	if (add(extension, false, error) != 0)
		return -1;
	return search && tunable_count > before ? add(extension, true, error) : 0;
}
