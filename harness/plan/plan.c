/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "plan/filter.h"
#include "plan/groups.h"
#include "plan/range.h"
#include "plan/sets.h"
#include "suites/shapes.h"
#include "suites/shapes_file.h"

#define MAX_CASES  10000
#define MAX_PARAMS 32
#define MAX_VALUES 256
#define MAX_FIXED  100000 /* samples that a case may ask for */

/* The values that one sweep gives to one parameter. */
struct axis {
	struct bench_value *values;
	bool listed[MAX_VALUES]; /* by itself, and not as one of a range */
	size_t count;
};

struct expansion {
	struct bench_plan *plan;
	const struct bench_plan_options *options;
	struct bench_filter *filter; /* NULL: none */
	const struct bench_suite *suite;
	size_t param_count;
	const struct bench_shape *shape;  /* of a file, that is being added; NULL: none is */
	bool restricted;                  /* the user has given values for a parameter of this suite */
	struct axis axes[MAX_PARAMS + 1]; /* behind those of the suite's parameters that of threads */
	struct bench_param threads;
};

static size_t count_params(const struct bench_suite *suite)
{
	size_t n = 0;
	while (suite->params[n].name)
		n++;
	return n;
}

/* The parameter of an axis. */
static const struct bench_param *param_of(const struct expansion *expansion, int index)
{
	return (size_t)index == expansion->param_count ? &expansion->threads
						       : &expansion->suite->params[index];
}

/* The axis that a key of the user sets, or -1. */
static int find_axis(const struct expansion *expansion, const char *key)
{
	int index = bench_plan_find_param(expansion->suite, key);
	return index < 0 && strcmp(key, BENCH_PLAN_THREADS) == 0 ? (int)expansion->param_count : index;
}

/*
 * The value at `at` of the axis has the key of one that is added. Ranges may overlap with each other and with
 * listed values; a value that is listed twice is a mistake.
 */
static int meet(struct axis *axis, size_t at, const struct bench_param *param,
		const struct bench_value *value, const char *text, bool listed, struct bench_error *error)
{
	const struct bench_value *there = &axis->values[at];
	if (strcmp(there->path, value->path) != 0)
		return bench_fail(error, BENCH_USAGE,
				  "parameter %s: '%s' and '%s' have the same name in the history: rename one",
				  param->name, there->path, value->path);
	if (listed && axis->listed[at])
		return strcmp(text, value->text) == 0 || value->path[0]
			       ? bench_fail(error, BENCH_USAGE, "parameter %s is given '%s' twice",
					    param->name, text)
			       : bench_fail(error, BENCH_USAGE,
					    "parameter %s: '%s' is %s, which is given already", param->name,
					    text, value->text);
	axis->listed[at] |= listed;
	return 0;
}

/* One value more on the axis of a parameter. */
static int add_value(struct expansion *expansion, int index, const char *text, bool listed,
		     struct bench_error *error)
{
	struct axis *axis = &expansion->axes[index];
	const struct bench_param *param = param_of(expansion, index);
	struct bench_value value;
	if (axis->count == MAX_VALUES)
		return bench_fail(error, BENCH_USAGE, "parameter %s is given more than %d values",
				  param->name, MAX_VALUES);
	if (bench_value_parse(param, text, &value, error) != 0)
		return -1;
	for (size_t i = 0; i < axis->count; i++)
		if (strcmp(axis->values[i].text, value.text) == 0)
			return meet(axis, i, param, &value, text, listed, error);
	axis->listed[axis->count] = listed;
	BENCH_PUSH(&expansion->plan->arena, axis->values, axis->count) = value;
	return 0;
}

/* The values of a range, "64:4096:*2". */
static int add_range(struct expansion *expansion, int index, const char *text, struct bench_error *error)
{
	const struct bench_param *param = param_of(expansion, index);
	struct bench_range range;
	double value;
	char number[64];
	if (bench_plan_range_read(text, param, &range, error) != 0)
		return bench_fail(error, error->code, "parameter %s: %s", param->name, error->text);
	for (size_t i = 0; !isnan(value = bench_plan_range_value(&range, i)); i++) {
		bool whole = param->type == BENCH_PARAM_INT || (value == floor(value) && fabs(value) < 1e15);
		snprintf(number, sizeof(number), whole ? "%.0f" : "%.12g", value);
		if (add_value(expansion, index, number, false, error) != 0)
			return -1;
	}
	return 0;
}

/* Of text only a range with a step is one: without, it may as well be a time of day. */
static bool is_range(const struct bench_param *param, const char *text)
{
	struct bench_range range;
	if (param->type == BENCH_PARAM_TEXT)
		return bench_plan_range_is(text) && bench_plan_range_read(text, NULL, &range, NULL) == 0 &&
		       (range.step > 0 || range.factor > 0);
	return (param->type == BENCH_PARAM_INT || param->type == BENCH_PARAM_REAL) &&
	       bench_plan_range_is(text);
}

/* Reads "v1,v2,.." of a suite's sweep or of the user into the axis of parameter `index`, replacing its
 * values.
 */
static int set_axis(struct expansion *expansion, int index, char *list, bool sweep, struct bench_error *error)
{
	const struct bench_param *param = param_of(expansion, index);
	expansion->axes[index].count = 0;
	expansion->axes[index].values = NULL;
	char *text;
	while ((text = bench_text_next(&list, ','))) {
		bool range = is_range(param, text);
		if (sweep && param->type == BENCH_PARAM_TEXT)
			bench_text_decode_percent(text);
		if ((range ? add_range(expansion, index, text, error)
			   : add_value(expansion, index, text, true, error)) != 0)
			return -1;
	}
	return 0;
}

static int read_sweep(struct expansion *expansion, const char *sweep, struct bench_error *error)
{
	memset(expansion->axes, 0, sizeof(expansion->axes));
	char *rest = bench_arena_string(&expansion->plan->arena, sweep), *item;
	while ((item = bench_text_next(&rest, ' '))) {
		if (!*item)
			continue;
		char *list = bench_plan_set_split(item);
		int index = list ? bench_plan_find_param(expansion->suite, item) : -1;
		if (index < 0)
			return bench_fail(error, BENCH_USAGE,
					  "suite %s: its sweep '%s' names no parameter at '%s'",
					  expansion->suite->name, sweep, item);
		if (set_axis(expansion, index, list, true, error) != 0)
			return -1;
	}
	return 0;
}

static int apply_sets(struct expansion *expansion, struct bench_error *error)
{
	for (size_t i = 0; i < expansion->options->set_count; i++) {
		char *key = bench_arena_string(&expansion->plan->arena, expansion->options->sets[i]);
		char *list = bench_plan_set_split(key);
		int index = list ? find_axis(expansion, key) : -1;
		/* A key that this suite lacks belongs to another suite: bench_plan_sets_check has done that.
		 */
		if (index >= 0 && bench_plan_set_is_meant(expansion->options, expansion->suite, key, list) &&
		    set_axis(expansion, index, list, false, error) != 0)
			return -1;
	}
	return 0;
}

bool bench_plan_is_unsaid(const struct bench_suite *suite, const struct bench_value *values, size_t index)
{
	return suite->joined && (int)index >= bench_plan_find_param(suite, suite->joined) &&
	       strcmp(values[index].text, suite->params[index].fallback) == 0;
}

char *bench_plan_case_key(struct bench_arena *arena, const struct bench_suite *suite, const char *backend,
			  const char *device, const struct bench_value *values, size_t value_count,
			  unsigned threads)
{
	struct bench_text key = {0};
	bench_text_add(&key, "%s/%s:%s/", suite->name, backend, device);
	for (size_t i = 0; i < value_count; i++)
		if (!bench_plan_is_unsaid(suite, values, i))
			bench_text_add(&key, "%s%s=%s", i ? "," : "", suite->params[i].name, values[i].text);
	if (threads)
		bench_text_add(&key, "%s" BENCH_PLAN_THREADS "=%u", value_count ? "," : "", threads);
	return bench_text_keep(&key, arena);
}

/* Those that this process may use. */
static int processors(void)
{
	cpu_set_t allowed;
	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : CPU_SETSIZE;
}

static char *needs(struct bench_arena *arena, double need, const char *what, const char *whose, double have)
{
	char need_text[32], have_text[32];
	bench_text_quantity(need_text, sizeof(need_text), need, "B");
	bench_text_quantity(have_text, sizeof(have_text), have, "B");
	return bench_arena_format(arena, "needs %s %s; %s %s", need_text, what, whose, have_text);
}

/* Why the target cannot hold the case, or NULL. */
static char *too_large_for(struct bench_arena *arena, const struct bench_target *target,
			   const struct bench_work *work)
{
	const struct bench_device_info *info = &target->info;
	double device = (double)work->device_bytes, host = (double)work->host_bytes;
	if (info->kind == BENCH_DEVICE_CPU)
		host += device; /* the device's buffers are in the host's memory */
	if (host > bench_plan_host_bytes())
		return needs(arena, host, "of memory", "a run may take four fifths of this machine's,",
			     bench_plan_host_bytes());
	if (info->max_buffer_bytes && work->largest_bytes > info->max_buffer_bytes)
		return needs(arena, (double)work->largest_bytes, "in one buffer",
			     bench_arena_format(arena, "%s has", info->slug), (double)info->max_buffer_bytes);
	if (info->memory_bytes && work->device_bytes > info->memory_bytes)
		return needs(arena, device, "of device memory",
			     bench_arena_format(arena, "%s has", info->slug), (double)info->memory_bytes);
	return NULL;
}

static int add_case(struct expansion *expansion, const struct bench_planned *point, size_t target_index,
		    struct bench_error *error)
{
	struct bench_plan *plan = expansion->plan;
	const struct bench_target *target = &plan->targets[target_index];
	struct bench_planned planned = *point;
	planned.target = target_index;
	planned.uses = expansion->shape ? expansion->shape->uses : 0;
	planned.captured = expansion->shape ? expansion->shape->seconds : 0;
	planned.key =
		bench_plan_case_key(&plan->arena, planned.suite, target->backend->name, target->info.slug,
				    planned.values, planned.value_count, bench_plan_threads(&planned));
	for (size_t i = 0; i < plan->case_count; i++)
		if (strcmp(plan->cases[i].key, planned.key) == 0) {
			/* Two sweeps share this point. */
			plan->cases[i].uses += planned.uses;
			plan->cases[i].captured += planned.captured;
			return 0;
		}
	if (!bench_plan_filter_matches(expansion->filter, &planned, target))
		return 0;
	if (plan->case_count == MAX_CASES)
		return bench_fail(error, BENCH_USAGE,
				  "the plan has more than %d cases: narrow it with --set or --filter",
				  MAX_CASES);
	planned.unsupported = target->unavailable ? target->unavailable
						  : too_large_for(&plan->arena, target, &planned.work);
	BENCH_PUSH(&plan->arena, plan->cases, plan->case_count) = planned;
	return 0;
}

static bool is_amount(double value)
{
	return isfinite(value) && value >= 0;
}

/* One point of the parameters, on every target. Where threads are set, on those whose cases go by them (CPUs)
 * or, without `threads`, on the others. */
static int add_point(struct expansion *expansion, struct bench_value *values,
		     const struct bench_value *threads, struct bench_error *error)
{
	const bool split = expansion->axes[expansion->param_count].count > 0;
	struct bench_plan *plan = expansion->plan;
	struct bench_planned point = {.suite = expansion->suite,
				      .values = values,
				      .value_count = expansion->param_count,
				      .threads = threads};
	struct bench_case probe = {.values = values, .suite = expansion->suite};
	if (expansion->suite->work(&probe, &point.work, error) != 0)
		return bench_fail(error, error->code, "suite %s: %s", expansion->suite->name, error->text);
	if (!is_amount(point.work.flops) || !is_amount(point.work.bytes) || !is_amount(point.work.items))
		return bench_fail(error, BENCH_USAGE, "suite %s: its work is not a number, or is negative",
				  expansion->suite->name);
	if (point.work.samples > MAX_FIXED)
		return bench_fail(error, BENCH_USAGE, "suite %s: %llu samples are more than %d",
				  expansion->suite->name, (unsigned long long)point.work.samples, MAX_FIXED);
	point.group = bench_plan_group_find(plan, &point);
	size_t before = plan->case_count;
	for (size_t t = 0; t < plan->target_count; t++) {
		const struct bench_suite *suite = expansion->suite;
		bool host = plan->targets[t].backend->open == NULL;
		bool runs = !suite->runs_on || suite->runs_on(plan->targets[t].backend);
		bool threaded = !host && plan->targets[t].info.kind == BENCH_DEVICE_CPU;
		runs &= !split || threaded == (threads != NULL);
		if (host == suite->host_only && runs && add_case(expansion, &point, t, error) != 0)
			return -1;
	}
	/*
	 * A size given by the user that fits no target is an error, better reported now than by a run of
	 * nothing. A size of a preset, or of a list of shapes, that fits none is an unsupported case.
	 */
	size_t too_large = 0, unavailable = 0;
	for (size_t i = before; i < plan->case_count; i++) {
		bool available = !plan->targets[plan->cases[i].target].unavailable;
		unavailable += !available;
		too_large += available && plan->cases[i].unsupported;
	}
	if (expansion->restricted && too_large && too_large + unavailable == plan->case_count - before)
		return bench_fail(error, BENCH_USAGE, "%s %s", plan->cases[plan->case_count - 1].key,
				  plan->cases[plan->case_count - 1].unsupported);
	plan->group_count += plan->case_count > before && point.group == plan->group_count;
	return 0;
}

/* The value of parameter `i` if the sweep gives none: its default, which may be another parameter's value. */
static int fall_back(struct expansion *expansion, struct bench_value *values, size_t i,
		     struct bench_error *error)
{
	const struct bench_param *param = &expansion->suite->params[i];
	if (param->fallback[0] != '=')
		return bench_value_parse(param, param->fallback, &values[i], error);
	int other = bench_plan_find_param(expansion->suite, param->fallback + 1);
	if (other < 0)
		return bench_fail(error, BENCH_USAGE,
				  "suite %s: parameter %s follows '%s', which the suite lacks",
				  expansion->suite->name, param->name, param->fallback + 1);
	return bench_value_parse(param, bench_value_given(&values[other]), &values[i], error);
}

static int expand_axes(struct expansion *expansion, struct bench_error *error)
{
	size_t counter[MAX_PARAMS + 1] = {0};
	const struct axis *threads = &expansion->axes[expansion->param_count];
	for (;;) {
		struct bench_value *values = bench_arena_alloc(&expansion->plan->arena,
							       expansion->param_count + 1, sizeof(*values));
		/* Two passes: those that follow another parameter need its value first. */
		for (int pass = 0; pass < 2; pass++) {
			for (size_t i = 0; i < expansion->param_count; i++) {
				bool swept = expansion->axes[i].count > 0;
				bool follows = !swept && expansion->suite->params[i].fallback[0] == '=';
				if (follows != (pass == 1))
					continue;
				if (swept)
					values[i] = expansion->axes[i].values[counter[i]];
				else if (fall_back(expansion, values, i, error) != 0)
					return -1;
			}
		}
		size_t i = expansion->param_count, own = counter[i];
		if ((own == 0 && add_point(expansion, values, NULL, error) != 0) ||
		    (threads->count && add_point(expansion, values, &threads->values[own], error) != 0))
			return -1;
		i++;
		while (i > 0 && (expansion->axes[i - 1].count == 0 ||
				 ++counter[i - 1] == expansion->axes[i - 1].count))
			counter[--i] = 0;
		if (i == 0)
			return 0;
	}
}

/* Sweeps of a preset, of which what is set leaves the first, or of a list of shapes. */
static int expand_sweeps(struct expansion *expansion, const char *const *sweeps, bool all,
			 struct bench_error *error)
{
	for (size_t s = 0; sweeps[s] && (s == 0 || all); s++)
		if (read_sweep(expansion, sweeps[s], error) != 0 || apply_sets(expansion, error) != 0 ||
		    expand_axes(expansion, error) != 0)
			return -1;
	return 0;
}

/* The lists of "shapes=NAME,@FILE,..", or none: the last that is set counts, as for a parameter. */
static char *shapes_of(struct expansion *expansion)
{
	char *names = NULL;
	for (size_t i = 0; i < expansion->options->set_count; i++) {
		char *key = bench_arena_string(&expansion->plan->arena, expansion->options->sets[i]);
		char *list = bench_plan_set_split(key);
		if (list && bench_plan_set_takes_shapes(expansion->suite, key, list))
			names = list;
	}
	return names;
}

/* The shapes of a file, each with its use. */
static int expand_file(struct expansion *expansion, const char *path, struct bench_error *error)
{
	struct bench_plan *plan = expansion->plan;
	struct bench_shapes_file file;
	if (bench_shapes_file_read(path, expansion->suite, &plan->arena, &file, error) != 0)
		return bench_fail(error, BENCH_USAGE, "--set shapes=@%s: %s", path, error->text);
	if (file.left_out)
		plan->left_out =
			bench_arena_format(&plan->arena, "%s%s%s: %s", plan->left_out ? plan->left_out : "",
					   plan->left_out ? "; " : "", path, file.left_out);
	for (size_t i = 0; i < file.count; i++) {
		const char *const sweeps[] = {file.shapes[i].sweep, NULL};
		const size_t line = file.shapes[i].line;
		expansion->shape = &file.shapes[i];
		if (expand_sweeps(expansion, sweeps, true, error) != 0)
			return line ? bench_fail(error, error->code, "%s:%zu: %s", path, line, error->text)
				    : bench_fail(error, error->code, "%s: the shape %s: %s", path, sweeps[0],
						 error->text);
	}
	expansion->shape = NULL;
	return 0;
}

static int expand_suite(struct expansion *expansion, struct bench_error *error)
{
	const struct bench_suite *suite = expansion->suite;
	expansion->param_count = count_params(suite);
	if (expansion->param_count > MAX_PARAMS)
		return bench_fail(error, BENCH_USAGE, "suite %s has more than %d parameters", suite->name,
				  MAX_PARAMS);
	int preset = (int)expansion->options->preset;
	while (preset > 0 && !suite->sweeps[preset])
		preset--;
	const char *const *sweeps = suite->sweeps[preset];
	expansion->restricted = false;
	for (size_t i = 0; i < expansion->options->set_count; i++) {
		char key[256];
		snprintf(key, sizeof(key), "%s", expansion->options->sets[i]);
		/* The values of inputs do not change sizes. */
		expansion->restricted |= bench_plan_set_split(key) &&
					 bench_plan_find_param(suite, key) >= 0 &&
					 strcmp(key, BENCH_PLAN_DATA) != 0;
	}
	char *names = shapes_of(expansion), *name;
	if (!names)
		return expand_sweeps(expansion, sweeps, !expansion->restricted, error);
	expansion->restricted = false; /* the sizes are the list's */
	while ((name = bench_text_next(&names, ','))) {
		const struct bench_shapes *list = bench_shapes_find(suite->name, name);
		if (*name == '@' && expand_file(expansion, name + 1, error) != 0)
			return -1;
		/* One that this suite lacks is another suite's: bench_plan_sets_check has done that. */
		if (list && expand_sweeps(expansion, list->sweeps, true, error) != 0)
			return -1;
	}
	return 0;
}

/* Suites that measure the host alone run on this stand-in, which has no hooks. */
static const struct bench_backend host_backend = {.name = "host", .summary = "the host itself"};

static void add_host_target(struct bench_plan *plan)
{
	struct bench_target *host =
		bench_arena_push(&plan->arena, &plan->targets, &plan->target_count, sizeof(*host));
	host->backend = &host_backend;
	snprintf(host->info.slug, sizeof(host->info.slug), "cpu");
	snprintf(host->info.name, sizeof(host->info.name), "host");
}

static bool is_listed(const char *key, const char *const *keys)
{
	for (size_t i = 0; keys[i]; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

static int fail_empty(const struct bench_plan_options *options, struct bench_error *error)
{
	if (options->filter)
		return bench_fail(error, BENCH_NOTHING, "nothing to measure: no case matches the filter '%s'",
				  options->filter);
	BENCH_SCOPED_TEXT names = {0};
	for (size_t s = 0; options->suites[s]; s++)
		bench_text_add(&names, "%s%s (%s)", s ? ", " : "", options->suites[s]->name,
			       options->suites[s]->summary);
	bench_fail(error, BENCH_NOTHING, "nothing to measure: no backend of this run has cases of %s",
		   names.data);
	return -1;
}

/* Keeps whole groups: the cases that a case is measured beside are part of how it is measured. */
static void keep_groups_of(struct bench_plan *plan, const char *const *keys)
{
	bool *wanted = bench_arena_alloc(&plan->arena, plan->group_count, sizeof(*wanted));
	size_t *number = bench_arena_alloc(&plan->arena, plan->group_count, sizeof(*number));
	size_t kept = 0, groups = 0;
	for (size_t i = 0; i < plan->case_count; i++)
		wanted[plan->cases[i].group] |= is_listed(plan->cases[i].key, keys);
	for (size_t g = 0; g < plan->group_count; g++)
		number[g] = wanted[g] ? groups++ : 0;
	for (size_t i = 0; i < plan->case_count; i++) {
		size_t group = plan->cases[i].group;
		if (!wanted[group])
			continue;
		plan->cases[kept] = plan->cases[i];
		plan->cases[kept++].group = number[group];
	}
	plan->case_count = kept;
	plan->group_count = groups;
}

int bench_plan_make(const struct bench_plan_options *options, struct bench_plan **plan,
		    struct bench_error *error)
{
	struct bench_plan *made = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for the plan");
	struct expansion expansion = {.plan = made, .options = options};
	expansion.threads = (struct bench_param){.name = BENCH_PLAN_THREADS,
						 .type = BENCH_PARAM_INT,
						 .min = 1,
						 .max = processors(),
						 .help = "host threads, up to the processors that "
							 "this process may use"};
	if (bench_plan_sets_check(options, error) != 0 ||
	    bench_plan_filter_read(options->filter, options->suites, &expansion.filter, error) != 0)
		goto fail;
	bool host = false, device = false;
	for (size_t s = 0; options->suites[s]; s++)
		*(options->suites[s]->host_only ? &host : &device) = true;
	for (size_t t = 0; t < options->target_count; t++)
		BENCH_PUSH(&made->arena, made->targets, made->target_count) = options->targets[t];
	if ((device || options->backend_text) && !options->target_count &&
	    bench_plan_target_resolve(options->backends, options->backend_text, &made->arena, &made->targets,
				      &made->target_count, error) != 0)
		goto fail;
	if (host)
		add_host_target(made);
	for (size_t s = 0; options->suites[s]; s++) {
		expansion.suite = options->suites[s];
		if (expand_suite(&expansion, error) != 0)
			goto fail;
	}
	if (made->case_count == 0) {
		fail_empty(options, error);
		goto fail;
	}
	if (options->only)
		keep_groups_of(made, options->only);
	if (made->case_count == 0) {
		bench_fail(error, BENCH_NOTHING, "nothing to measure: the plan has no case '%s'",
			   options->only[0] ? options->only[0] : "");
		goto fail;
	}
	bench_plan_groups_refer(made);
	bench_plan_filter_free(expansion.filter);
	*plan = made;
	return 0;
fail:
	bench_plan_filter_free(expansion.filter);
	bench_plan_free(made);
	return -1;
}

void bench_plan_free(struct bench_plan *plan)
{
	if (!plan)
		return;
	bench_arena_free(&plan->arena);
	free(plan);
}
