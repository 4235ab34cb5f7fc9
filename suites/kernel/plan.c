/* SPDX-License-Identifier: MIT */
/* The plan of an iteration: loops are unrolled before anything is timed. */
#include <math.h>
#include <string.h>

#include "suites/kernel/images.h"

enum { MOST_STEPS = 65536 };

struct maker {
	const struct bench_case *bench_case;
	const struct bench_kernel_spec *spec;
	const struct bench_kernel_point *point;
	struct bench_kernel_plan *plan;
	double values[BENCH_KERNEL_SYMBOLS];
	size_t taken; /* ops so far: loops that launch nothing end, too */
	struct bench_error *error;
};

static struct bench_kernel_step *new_step(struct maker *maker, const struct bench_kernel_spec_op *op,
					  enum bench_kernel_op_kind kind)
{
	struct bench_kernel_plan *plan = maker->plan;
	struct bench_kernel_step *step =
		bench_arena_push(&plan->arena, &plan->steps, &plan->step_count, sizeof(*step));
	step->kind = kind;
	step->op = op;
	return step;
}

static size_t pass_count(const struct maker *maker, const struct bench_kernel_spec_launch *launch)
{
	return launch->passes ? launch->pass_count : maker->spec->argument_count;
}

/* The kernel of a launch with the memory that its arguments have now, which an earlier one may have, too. */
static int find_kernel(struct maker *maker, const struct bench_kernel_spec_launch *launch, size_t *index)
{
	struct bench_kernel_plan *plan = maker->plan;
	size_t memory[BENCH_KERNEL_ARGUMENTS] = {0};
	const size_t count = pass_count(maker, launch);
	for (size_t i = 0; i < count; i++) {
		const size_t argument = launch->passes ? launch->passes[i].argument : i;
		memory[i] = argument == SIZE_MAX ? SIZE_MAX : plan->places[argument];
	}
	for (*index = 0; *index < plan->kernel_count; ++*index)
		if (plan->kernels[*index].spec == launch &&
		    memcmp(plan->kernels[*index].memory, memory, sizeof(memory)) == 0)
			return 0;
	struct bench_kernel_point_kernel *kernel =
		bench_arena_push(&plan->arena, &plan->kernels, &plan->kernel_count, sizeof(*kernel));
	kernel->spec = launch;
	kernel->count = count;
	memcpy(kernel->memory, memory, sizeof(memory));
	for (size_t i = 0; i < count; i++) {
		char name[64];
		struct bench_error cause;
		if (memory[i] != SIZE_MAX)
			continue;
		if (bench_kernel_point_words(maker->bench_case, maker->values, &launch->passes[i].type, name,
					     sizeof(name), maker->error) != 0)
			return -1;
		if (bench_kernel_type_find(name, &kernel->types[i], &cause) != 0)
			return bench_fail(maker->error, BENCH_USAGE, "%s: %s", launch->passes[i].type.place,
					  cause.text);
	}
	return bench_kernel_point_words(maker->bench_case, maker->values, &launch->options, kernel->options,
					sizeof(kernel->options), maker->error);
}

/* A launch's own number, at the next place of the plan's. */
static int add_number(struct maker *maker, const struct bench_kernel_spec_pass *pass,
		      const struct bench_kernel_type *type)
{
	double value;
	unsigned char(*number)[8] = bench_arena_push(&maker->plan->arena, &maker->plan->numbers,
						     &maker->plan->number_count, sizeof(*number));
	if (bench_kernel_point_evaluate(&pass->value, maker->values, &value, maker->error) != 0)
		return -1;
	return bench_kernel_data_set(type, *number, 0, value)
		       ? 0
		       : bench_fail(maker->error, BENCH_USAGE, "%s: %.17g does not fit '%s'%s",
				    pass->value.place, value, pass->name, bench_kernel_data_why_not(value));
}

static int add_launch(struct maker *maker, const struct bench_kernel_spec_op *op)
{
	const struct bench_kernel_spec_launch *launch = &op->launch;
	struct bench_kernel_step *step = new_step(maker, op, BENCH_KERNEL_LAUNCH);
	if (bench_kernel_point_shape(&launch->global, maker->values, step->global, maker->error) != 0 ||
	    bench_kernel_point_shape(&launch->local, maker->values, step->local, maker->error) != 0)
		return -1;
	for (size_t d = 0; d < launch->local.count; d++)
		if (step->global[d] % step->local[d])
			return bench_fail(
				maker->error, BENCH_USAGE,
				"%s: %zu work-items are no multiple of groups of %zu (OpenCL 1.2): round "
				"them "
				"up, such as ceil(n / %zu) * %zu, and let the kernel stop at the end",
				launch->global.extents[d].place, step->global[d], step->local[d],
				step->local[d], step->local[d]);
	size_t items = 1;
	for (size_t d = 0; d < launch->global.count; d++)
		if (__builtin_mul_overflow(items, step->global[d], &items))
			return bench_fail(maker->error, BENCH_USAGE, "%s: more than 2^64 work-items",
					  launch->global.extents[d].place);
	step->numbers = maker->plan->number_count;
	if (find_kernel(maker, launch, &step->kernel) != 0)
		return -1;
	for (size_t i = 0; launch->passes && i < launch->pass_count; i++)
		if (launch->passes[i].argument == SIZE_MAX &&
		    add_number(maker, &launch->passes[i], maker->plan->kernels[step->kernel].types[i]) != 0)
			return -1;
	return 0;
}

static int add_set(struct maker *maker, const struct bench_kernel_spec_op *op)
{
	const size_t argument = op->arguments[0];
	const struct bench_kernel_type *type =
		maker->point->columns[maker->spec->arguments[argument].column].type;
	struct bench_kernel_step *step = new_step(maker, op, BENCH_KERNEL_SET);
	double value;
	if (bench_kernel_point_evaluate(&op->value, maker->values, &value, maker->error) != 0)
		return -1;
	step->memory = maker->plan->places[argument];
	return bench_kernel_data_set(type, step->pattern, 0, value)
		       ? 0
		       : bench_fail(maker->error, BENCH_USAGE, "%s: %.17g does not fit %s, of type %s%s",
				    op->value.place, value, maker->spec->arguments[argument].name, type->name,
				    bench_kernel_data_why_not(value));
}

static int swap(struct maker *maker, const struct bench_kernel_spec_op *op)
{
	const size_t a = op->arguments[0], b = op->arguments[1];
	const struct bench_kernel_point_argument *arguments = maker->point->arguments;
	size_t *places = maker->plan->places, kept = places[a];
	if (strcmp(arguments[a].type, arguments[b].type) != 0 || arguments[a].count != arguments[b].count ||
	    !bench_kernel_images_alike(maker->spec, maker->point, a, b))
		return bench_fail(maker->error, BENCH_USAGE,
				  "%s: %s and %s cannot be swapped: they differ in type or size", op->place,
				  maker->spec->arguments[a].name, maker->spec->arguments[b].name);
	places[a] = places[b];
	places[b] = kept;
	return 0;
}

static int add_ops(struct maker *maker, const struct bench_kernel_spec_ops *ops);

static int add_loop(struct maker *maker, const struct bench_kernel_spec_op *op)
{
	struct bench_kernel_plan *plan = maker->plan;
	const size_t first = plan->step_count;
	size_t places[BENCH_KERNEL_ARGUMENTS];
	double from = 0, to;
	if ((op->from.expr &&
	     bench_kernel_point_evaluate(&op->from, maker->values, &from, maker->error) != 0) ||
	    bench_kernel_point_evaluate(&op->to, maker->values, &to, maker->error) != 0)
		return -1;
	if (!(to - from >= 1 && to - from <= MOST_STEPS) || from != floor(from) || to != floor(to))
		return bench_fail(maker->error, BENCH_USAGE,
				  "%s: from %.17g to %.17g are no rounds, at least 1 and at most %d",
				  op->to.place, from, to, MOST_STEPS);
	const size_t rounds = (size_t)(to - from);
	for (size_t round = 0; round < rounds; round++) {
		memcpy(places, plan->places, sizeof(places));
		maker->values[op->symbol] = from + (double)round;
		if (add_ops(maker, &op->body) != 0)
			return -1;
		if (!op->until.expr)
			continue;
		/* Wherever it stops, names must stand for the same memory. */
		if (memcmp(places, plan->places, sizeof(places)) != 0)
			return bench_fail(
				maker->error, BENCH_USAGE,
				"%s: a round swaps buffers an odd number of times, and 'until' may end "
				"the loop after any: make two launches of it instead",
				op->place);
		new_step(maker, op, BENCH_KERNEL_UNTIL)->last = round + 1 == rounds;
	}
	for (size_t i = first; i < plan->step_count; i++)
		if (plan->steps[i].kind == BENCH_KERNEL_UNTIL && plan->steps[i].op == op &&
		    !plan->steps[i].next)
			plan->steps[i].next = plan->step_count;
	return 0;
}

static int add_ops(struct maker *maker, const struct bench_kernel_spec_ops *ops)
{
	static int (*const adds[])(struct maker * maker, const struct bench_kernel_spec_op *op) = {
		[BENCH_KERNEL_LAUNCH] = add_launch,
		[BENCH_KERNEL_LOOP] = add_loop,
		[BENCH_KERNEL_SET] = add_set,
		[BENCH_KERNEL_SWAP] = swap};
	for (size_t i = 0; i < ops->count; i++) {
		if (maker->taken++ == MOST_STEPS)
			return bench_fail(maker->error, BENCH_USAGE, "%s: more than %d launches an iteration",
					  ops->list[i].place, MOST_STEPS);
		if (adds[ops->list[i].kind](maker, &ops->list[i]) != 0)
			return -1;
	}
	return 0;
}

int bench_kernel_plan_make(const struct bench_case *bench_case, const struct bench_kernel_point *point,
			   const struct bench_kernel_spec_program *program, struct bench_kernel_plan *plan,
			   struct bench_error *error)
{
	struct maker maker = {.bench_case = bench_case,
			      .spec = (const struct bench_kernel_spec *)bench_case->suite,
			      .point = point,
			      .plan = plan,
			      .error = error};
	memcpy(maker.values, point->values, sizeof(maker.values));
	/* Of all candidates one reference, which is built once. */
	for (size_t t = 0; program == &maker.spec->reference && t < maker.spec->tunable_count; t++)
		maker.values[bench_kernel_spec_tunables(maker.spec) + t] =
			(double)maker.spec->tunables[t].fallback;
	*plan = (struct bench_kernel_plan){0};
	for (size_t i = 0; i < BENCH_KERNEL_ARGUMENTS; i++)
		plan->places[i] = i;
	if (add_ops(&maker, &program->ops) == 0)
		return 0;
	bench_arena_free(&plan->arena);
	return -1;
}
