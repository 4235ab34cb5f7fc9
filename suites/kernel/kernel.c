/* SPDX-License-Identifier: MIT */
/*
 * Suites of users' kernels: one suite for each specification, whose hooks are all here. docs/user-kernels.md
 * says how they are written and read.
 */
#include "suites/kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/json.h"
#include "suites/kernel/buffers.h"
#include "suites/kernel/iteration.h"
#include "suites/kernel/tune.h"
#include "suites/operands.h"
#include "suites/suites.h"

/* Bytes of what is not computed yet: NaN in every real type, the largest numbers; and ordinary numbers of
 * each. */
static const unsigned char spoils[] = {BENCH_KERNEL_SPOIL, 0x3c};

/* Elements of all buffers together, of which more are not filled and checked a third time. */
static const size_t renewed_elements = (size_t)1 << 22;

/* The times of a chain's launches: as many passes as there are, in about this time. */
enum { PASSES = 5 };
static const double passes_seconds = 1;

struct state {
	struct bench_kernel_point point;
	struct bench_kernel_results results;
	struct bench_kernel_iteration iteration, reference;
	bool refills;              /* inputs that are written over are filled before each iteration */
	unsigned prepared, checks; /* so far */
};

static const struct bench_kernel_spec *spec_of(const struct bench_case *bench_case)
{
	return (const struct bench_kernel_spec *)bench_case->suite;
}

static bool runs_on(const struct bench_backend *backend)
{
	return backend->kernels != NULL;
}

/* A candidate of a search needs no memory that it shares with the one in force, candidate 0. */
static int take_off_shared(const struct bench_case *bench_case, const struct bench_kernel_point *point,
			   struct bench_work *work, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct bench_value values[BENCH_KERNEL_PARAMS + 1];
	struct bench_case in_force = *bench_case;
	struct bench_kernel_point base;
	const size_t candidate = bench_kernel_spec_tunables(spec);
	if (!spec->searched || bench_case->values[candidate].integer == 0)
		return 0;
	memcpy(values, bench_case->values, (candidate + 1) * sizeof(*values));
	values[candidate].integer = 0;
	in_force.values = values;
	if (bench_kernel_point_make(&in_force, &base, error) != 0)
		return -1;
	for (size_t i = 0; i < spec->argument_count; i++) {
		const uint64_t whole = point->arguments[i].bytes + 2 * BENCH_KERNEL_GUARD;
		if (!bench_kernel_spec_is_buffer(&spec->arguments[i]) ||
		    !bench_kernel_buffers_are_same(spec, i, point, &base))
			continue;
		work->device_bytes -= whole;
		work->host_bytes -= 3 * whole;
	}
	return 0;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct bench_kernel_point point;
	struct bench_kernel_plan plan;
	if (bench_kernel_point_make(bench_case, &point, error) != 0 ||
	    bench_kernel_plan_make(bench_case, &point, point.program, &plan, error) != 0)
		return -1;
	bench_arena_free(&plan.arena);
	return bench_kernel_point_work(spec, &point, work, error) ||
			       take_off_shared(bench_case, &point, work, error)
		       ? -1
		       : 0;
}

static int check_supported(const struct bench_case *bench_case, const struct state *state,
			   struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	for (size_t i = 0; i < spec->argument_count; i++)
		if ((spec->arguments[i].image || spec->arguments[i].sampler) &&
		    !bench_case->backend->kernels->image)
			return bench_fail(error, BENCH_UNSUPPORTED,
					  "backend %s has no images and samplers, such as %s",
					  bench_case->backend->name, spec->arguments[i].name);
	for (size_t c = 0; c < spec->column_count; c++) {
		const struct bench_kernel_type *type = state->point.columns[c].type;
		if (type->real && bench_operands_supported(bench_case, NULL, type->dtype, error) != 0)
			return -1;
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

static int fill_again(struct bench_case *bench_case, struct bench_error *error);

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_state_make(bench_case, sizeof(*state), spec->suite.name, error);
	if (!state || bench_kernel_point_make(bench_case, &state->point, error) != 0 ||
	    check_supported(bench_case, state, error) != 0)
		return -1;
	state->results.guard = guard_of(bench_case);
	state->results.spec = spec;
	state->results.point = &state->point;
	state->results.seed = bench_case->seed;
	for (size_t i = 0; i < spec->argument_count; i++) {
		if (bench_kernel_spec_is_buffer(&spec->arguments[i]) &&
		    bench_kernel_buffers_make(bench_case, &state->results, i, error) != 0)
			return -1;
		state->refills |=
			state->point.program->chain && spec->arguments[i].access == BENCH_KERNEL_INOUT;
	}
	bench_case->before_call = state->refills ? fill_again : NULL;
	bench_case->no_device_time = spec->searched; /* nobody asks for it */
	if (bench_kernel_iteration_make(bench_case, &state->results, state->point.program, &state->iteration,
					error) != 0)
		return -1;
	memcpy(state->results.places, state->iteration.plan.places, sizeof(state->results.places));
	return spec->reference.ops.count
		       ? bench_kernel_iteration_make(bench_case, &state->results, &spec->reference,
						     &state->reference, error)
		       : 0;
}

/* What the kernel reads it finds as it was, and what it writes is spoiled, each time otherwise. */
static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return bench_kernel_buffers_reset(bench_case, &state->results,
					  spoils[state->prepared++ % sizeof(spoils)], error);
}

/* Before each iteration of a chain, untimed: a second one finds the inputs of the first. */
static int fill_again(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	const struct state *state = bench_case->state;
	for (size_t i = 0; i < spec->argument_count; i++)
		if (spec->arguments[i].access == BENCH_KERNEL_INOUT &&
		    bench_kernel_buffers_upload(bench_case, &state->results, i, error) != 0)
			return -1;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	bench_kernel_buffers_note(&state->results);
	for (uint64_t i = 0; i < iterations; i++)
		if ((i > 0 && state->refills && fill_again(bench_case, error) != 0) ||
		    bench_kernel_iteration_run(bench_case, &state->iteration, NULL, error) != 0)
			return -1;
	return 0;
}

/* One iteration on fresh buffers, and what it leaves. */
static int launch_once(struct bench_case *bench_case, struct bench_kernel_iteration *iteration,
		       struct bench_error *error)
{
	const struct state *state = bench_case->state;
	return prepare(bench_case, error) || bench_kernel_iteration_run(bench_case, iteration, NULL, error) ||
			       bench_case->backend->finish(bench_case->device, error) ||
			       bench_kernel_buffers_download(bench_case, &state->results, error)
		       ? -1
		       : 0;
}

/* After a launch of a chain: has it written where nothing belongs? */
static int look_after(struct bench_case *bench_case, const struct bench_kernel_step *step, size_t launches,
		      void *context, struct bench_error *error)
{
	struct state *state = bench_case->state;
	(void)context;
	snprintf(state->results.launch, sizeof(state->results.launch), "launch %zu, kernel %.60s,", launches,
		 step->op->launch.kernel);
	return bench_case->backend->finish(bench_case->device, error) ||
			       bench_kernel_buffers_download(bench_case, &state->results, error) ||
			       bench_kernel_check_intact(&state->results, error)
		       ? -1
		       : 0;
}

/* What must not have changed. Of a chain the launch that did it is found by another iteration, in steps. */
static int check_intact(struct bench_case *bench_case, struct bench_error *error)
{
	static const struct bench_kernel_watch watch = {.after = look_after};
	struct state *state = bench_case->state;
	const bool chain = state->point.program->chain;
	struct bench_error found;
	snprintf(state->results.launch, sizeof(state->results.launch), "%s%.60s",
		 chain ? "a kernel of the chain" : "kernel ",
		 chain ? "" : state->point.program->ops.list[0].launch.kernel);
	if (bench_kernel_check_intact(&state->results, error) == 0)
		return 0;
	if (chain && prepare(bench_case, &found) == 0 &&
	    bench_kernel_iteration_run(bench_case, &state->iteration, &watch, &found) != 0 &&
	    found.code == BENCH_FAILED)
		*error = found;
	return -1;
}

/* Lets the reference run once, in the kernel's buffers, and keeps what it leaves. */
static int make_expected(struct bench_case *bench_case, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_case->state;
	/* Neither a candidate nor the reference may spoil what the other reads. */
	if (bench_kernel_buffers_look(bench_case, &state->results, error) != 0)
		return -1;
	bench_kernel_buffers_note(&state->results);
	if (launch_once(bench_case, &state->reference, error) != 0)
		return -1;
	for (size_t i = 0; i < spec->argument_count; i++) {
		struct bench_kernel_memory *memory = state->results.memory[i];
		const size_t bytes = state->point.arguments[i].bytes;
		if (!bench_kernel_spec_is_output(&spec->arguments[i]) || spec->arguments[i].file.text)
			continue;
		if (!memory->expected)
			memory->expected = malloc(bytes);
		if (!memory->expected)
			return bench_fail(error, BENCH_NO_MEMORY,
					  "no host memory for the reference, of %zu bytes", bytes);
		memcpy(memory->expected,
		       state->results.memory[state->reference.plan.places[i]]->found + BENCH_KERNEL_GUARD,
		       bytes);
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
	for (size_t i = 0; i < spec->argument_count; i++) {
		elements += bench_kernel_spec_is_buffer(&spec->arguments[i]) ? state->point.arguments[i].count
									     : 0;
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
	state->results.seed = ~state->results.seed;
	if (bench_kernel_buffers_fill(&state->results, error) != 0)
		return -1;
	if (spec->reference.ops.count && make_expected(bench_case, error) != 0)
		return -1;
	state->prepared = 1; /* ordinary numbers are next */
	if (launch_once(bench_case, &state->iteration, error) != 0 || check_intact(bench_case, error) != 0)
		return -1;
	return bench_kernel_check_outputs(&state->results, check, error);
}

/* Does an output lack the reference's result? */
static bool lacks_expected(const struct bench_kernel_spec *spec, const struct state *state)
{
	bool lacks = false;
	for (size_t i = 0; spec->reference.ops.count && i < spec->argument_count; i++)
		lacks |= bench_kernel_spec_is_output(&spec->arguments[i]) &&
			 !state->results.memory[i]->expected;
	return lacks;
}

/* In a search other candidates have written to the same memory: the check needs another launch. */
static int check_candidate(struct bench_case *bench_case, struct bench_check *check,
			   struct bench_error *error)
{
	struct state *state = bench_case->state;
	if ((lacks_expected(spec_of(bench_case), state) && make_expected(bench_case, error) != 0) ||
	    bench_kernel_buffers_look(bench_case, &state->results, error) != 0)
		return -1;
	state->prepared = state->checks++;
	if (launch_once(bench_case, &state->iteration, error) != 0 || check_intact(bench_case, error) != 0)
		return -1;
	return bench_kernel_check_outputs(&state->results, check, error);
}

/*
 * The check of a kernel that writes over its inputs needs a single launch. After more of them, it looks for
 * writes to where nothing belongs, and makes another launch.
 */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	struct state *state = bench_case->state;
	if (spec_of(bench_case)->searched)
		return check_candidate(bench_case, check, error);
	const bool again = iterations != 1 && accumulates(spec_of(bench_case)) && !state->refills;
	const bool fresh = lacks_expected(spec_of(bench_case), state);
	if (bench_kernel_buffers_download(bench_case, &state->results, error) != 0 ||
	    check_intact(bench_case, error) != 0 || (fresh && make_expected(bench_case, error) != 0))
		return -1;
	if ((again || fresh) &&
	    (launch_once(bench_case, &state->iteration, error) != 0 || check_intact(bench_case, error) != 0))
		return -1;
	if (bench_kernel_check_outputs(&state->results, check, error) != 0)
		return -1;
	const bool last = ++state->checks > 1, passed = check->error <= check->tolerance;
	return last && passed && is_renewable(spec_of(bench_case), state)
		       ? check_renewed(bench_case, check, error)
		       : 0;
}

static int time_launch(struct bench_case *bench_case, struct bench_error *error)
{
	return bench_case->backend->time_begin(bench_case->device, error);
}

static int take_time(struct bench_case *bench_case, const struct bench_kernel_step *step, size_t launches,
		     void *context, struct bench_error *error)
{
	double *times = context, seconds;
	(void)launches;
	if (bench_case->backend->time_end(bench_case->device, &seconds, error) != 0)
		return -1;
	times[step->op->launch.label] += seconds;
	return 0;
}

/* Outputs that nobody checks, and of a chain the device's times of each launch, by iterations that are timed
 * launch by launch. */
static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = spec_of(bench_case);
	struct state *state = bench_case->state;
	BENCH_SCOPED_TEXT lacks = {0};
	bench_kernel_check_lacks(spec, &lacks);
	if (lacks.length)
		report->note(report->context, BENCH_NOTE_UNCHECKED, lacks.data);
	const double start = bench_clock_seconds();
	bool timed = state->point.program->chain && spec->label_count && !spec->searched &&
		     bench_case->info->device_time && bench_case->backend->time_begin;
	for (int pass = 0; timed && pass < PASSES && bench_clock_seconds() - start < passes_seconds; pass++) {
		double times[BENCH_KERNEL_LABELS] = {0};
		const struct bench_kernel_watch watch = {time_launch, take_time, times};
		struct bench_error cause;
		if (prepare(bench_case, error) != 0)
			return -1;
		if (bench_kernel_iteration_run(bench_case, &state->iteration, &watch, &cause) != 0) {
			report->note(report->context, spec->labels[0].name, cause.text);
			break;
		}
		for (size_t l = 0; l < spec->label_count; l++)
			if (times[l] > 0)
				report->value(report->context, &spec->labels[l], times[l]);
	}
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_kernel_iteration_free(bench_case, &state->iteration);
	bench_kernel_iteration_free(bench_case, &state->reference);
	bench_kernel_buffers_free(bench_case, &state->results);
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

void bench_kernel_tune_use(const struct bench_tuned *tuned, size_t count)
{
	for (size_t i = 0; i < tunable_count + searched_count; i++) {
		struct bench_kernel_spec *spec =
			i < tunable_count ? tunables[i] : searched[i - tunable_count];
		for (size_t t = 0; t < spec->tunable_count; t++) {
			spec->tuned[t] = spec->tunables[t].fallback;
			for (size_t v = 0; v < count; v++)
				if (strcmp(spec->tunables[t].name, tuned[v].name) == 0)
					spec->tuned[t] = tuned[v].value;
		}
	}
}

static int add(const cJSON *extension, bool search, struct bench_error *error)
{
	struct bench_kernel_spec *spec;
	struct bench_error cause;
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
	spec->suite.report = report;
	spec->suite.teardown = teardown;
	if (bench_suites_add(&spec->suite, &cause) == 0)
		return 0;
	const bool of_param = strstr(cause.text, "fallback of") || strstr(cause.text, "': parameter '");
	return strstr(cause.text, "sweep:")
		       ? bench_fail(error, BENCH_USAGE, "%s: %s", spec->presets_place, cause.text)
	       : of_param ? bench_fail(error, BENCH_USAGE, "%s: %s", spec->params_place, cause.text)
			  : bench_fail(error, BENCH_USAGE, "%s: %s; 'name' gives the suite another one",
				       spec->name_place, cause.text);
}

int bench_kernel_add(const cJSON *extension, struct bench_error *error)
{
	const bool search = cJSON_IsTrue(bench_json_member(extension, "search"));
	const size_t before = tunable_count;
	if (add(extension, false, error) != 0)
		return -1;
	return search && tunable_count > before ? add(extension, true, error) : 0;
}
