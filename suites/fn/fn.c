/* SPDX-License-Identifier: MIT */
#include "suites/fn/fn.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/clock.h"
#include "core/text.h"
#include "kit/rng.h"

#define MOST_PARAMS     16
#define VARIANTS        "variant"
#define ALIGNMENT       64
#define RANDOM_STREAM   0 /* of bench_fn_random; arrays have those from 1 on */
#define SHARE_OF_MEMORY 0.8
#define RENEWED_SECONDS 0.5 /* a setup that takes longer is not made twice */

struct fn_suite {
	struct bench_suite suite; /* first: a case has its address */
	const struct bench_fn *fn;
	struct bench_param params[MOST_PARAMS + 1];
	const char *sweeps[2];
};

struct bench_fn_case {
	const struct fn_suite *of;
	const struct bench_value *values;
	uint64_t seed, stream; /* of the array that was filled last */
	struct bench_rng rng;
	void *state;
	void **blocks;
	size_t block_count;
	double bytes;
	unsigned checks; /* so far */
	double setup_seconds;
	bool failed;
	struct bench_error failure;
};

/* Of the suites, which are never freed. */
static struct bench_arena arena;

void bench_fn_fail(struct bench_fn_case *fn, enum bench_code code, const char *format, ...)
{
	va_list arguments;
	if (fn->failed)
		return;
	fn->failed = true;
	fn->failure.code = code == BENCH_UNSUPPORTED || code == BENCH_USAGE || code == BENCH_NO_MEMORY
				   ? code
				   : BENCH_FAILED;
	va_start(arguments, format);
	vsnprintf(fn->failure.text, sizeof(fn->failure.text), format, arguments);
	va_end(arguments);
}

static int outcome(struct bench_fn_case *fn, struct bench_error *error)
{
	if (!fn->failed)
		return 0;
	fn->failed = false;
	return bench_fail(error, fn->failure.code, "%s: %s", fn->of->suite.name, fn->failure.text);
}

/* NULL where there is no such parameter. */
static const struct bench_value *find(struct bench_fn_case *fn, const char *name, enum bench_param_type *type)
{
	for (size_t i = 0; fn->of->params[i].name; i++)
		if (strcmp(fn->of->params[i].name, name) == 0) {
			*type = fn->of->params[i].type;
			return &fn->values[i];
		}
	bench_fn_fail(fn, BENCH_USAGE, "it asks for the parameter '%s', which its sweep '%s' does not have",
		      name, fn->of->fn->sweep);
	return NULL;
}

size_t bench_fn_size(struct bench_fn_case *fn, const char *name)
{
	enum bench_param_type type;
	const struct bench_value *value = find(fn, name, &type);
	if (value && type == BENCH_PARAM_INT && value->integer >= 0)
		return (size_t)value->integer;
	if (value)
		bench_fn_fail(fn, BENCH_USAGE, "it asks for %s as a size, and that is %s", name, value->text);
	return 0;
}

double bench_fn_real(struct bench_fn_case *fn, const char *name)
{
	enum bench_param_type type;
	const struct bench_value *value = find(fn, name, &type);
	if (value && type == BENCH_PARAM_CHOICE)
		bench_fn_fail(fn, BENCH_USAGE, "it asks for %s as a number, and that is '%s'", name,
			      value->text);
	return value ? value->real : 0;
}

const char *bench_fn_word(struct bench_fn_case *fn, const char *name)
{
	enum bench_param_type type;
	const struct bench_value *value = find(fn, name, &type);
	return value ? value->text : "";
}

/* Not zeroed. */
static void *take(struct bench_fn_case *fn, size_t count, size_t size)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	double bytes = (double)count * (double)size, most = SHARE_OF_MEMORY * (double)pages * (double)page;
	void *block = NULL;
	if (count == 0 || size == 0) {
		bench_fn_fail(fn, BENCH_USAGE, "it asks for memory of no bytes");
		return NULL;
	}
	if (pages > 0 && fn->bytes + bytes > most) {
		bench_fn_fail(fn, BENCH_NO_MEMORY,
			      "it asks for %.4g bytes of memory; a case may take four fifths of this "
			      "machine's, %.4g",
			      fn->bytes + bytes, most);
		return NULL;
	}
	void **blocks = realloc(fn->blocks, (fn->block_count + 1) * sizeof(*blocks));
	if (blocks)
		fn->blocks = blocks;
	if (!blocks || posix_memalign(&block, ALIGNMENT, count * size) != 0) {
		bench_fn_fail(fn, BENCH_NO_MEMORY, "no memory for %.4g bytes", bytes);
		return NULL;
	}
	fn->bytes += bytes;
	return fn->blocks[fn->block_count++] = block;
}

void *bench_fn_alloc(struct bench_fn_case *fn, size_t count, size_t size)
{
	void *block = take(fn, count, size);
	return block ? memset(block, 0, count * size) : NULL;
}

static void *fill(struct bench_fn_case *fn, enum bench_dtype dtype, size_t count)
{
	void *block = take(fn, count, bench_dtype_bytes(dtype));
	if (block)
		bench_rng_fill(fn->seed, ++fn->stream, dtype, block, count);
	return block;
}

float *bench_fn_floats(struct bench_fn_case *fn, size_t count)
{
	return fill(fn, BENCH_F32, count);
}

double *bench_fn_doubles(struct bench_fn_case *fn, size_t count)
{
	return fill(fn, BENCH_F64, count);
}

uint64_t bench_fn_random(struct bench_fn_case *fn)
{
	uint64_t high = bench_rng_u32(&fn->rng);
	return high << 32 | bench_rng_u32(&fn->rng);
}

static const struct fn_suite *suite_of(const struct bench_case *bench_case)
{
	return (const struct fn_suite *)(const void *)bench_case->suite;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_fn_case fn = {.of = suite_of(bench_case), .values = bench_case->values};
	if (fn.of->fn->work)
		fn.of->fn->work(&fn, work);
	return outcome(&fn, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_fn_case *fn = bench_case->state = calloc(1, sizeof(*fn));
	if (!fn)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for a case");
	fn->of = suite_of(bench_case);
	fn->values = bench_case->values;
	fn->seed = bench_case->seed;
	bench_rng_start(&fn->rng, fn->seed, RANDOM_STREAM);
	fn->state = fn->of->fn->make();
	if (!fn->state)
		return bench_fail(error, BENCH_NO_MEMORY, "%s: its state cannot be made", fn->of->suite.name);
	const uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
	fn->of->fn->setup(fn, fn->state);
	fn->setup_seconds = (double)(bench_clock_real.now_ns(bench_clock_real.context) - start) * 1e-9;
	return outcome(fn, error);
}

static void drop(struct bench_fn_case *fn)
{
	if (fn->state)
		fn->of->fn->drop(fn->state);
	for (size_t i = 0; i < fn->block_count; i++)
		free(fn->blocks[i]);
	free(fn->blocks);
	fn->state = NULL;
	fn->blocks = NULL;
	fn->block_count = 0;
	fn->bytes = 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_fn_case *fn = bench_case->state;
	fn->of->fn->prepare(fn, fn->state);
	return outcome(fn, error);
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct bench_fn_case *fn = bench_case->state;
	fn->of->fn->run(fn, fn->state, iterations);
	return outcome(fn, error);
}

/*
 * After the samples: one call on a fresh state, set up with other random numbers. It holds nothing from
 * earlier calls except what they hid elsewhere. If that state cannot be set up while the first one is open,
 * the function is not to blame.
 */
static int check_renewed(struct bench_fn_case *fn, struct bench_check *check, struct bench_error *error)
{
	drop(fn);
	fn->seed = ~fn->seed;
	fn->stream = 0;
	bench_rng_start(&fn->rng, fn->seed, RANDOM_STREAM);
	fn->state = fn->of->fn->make();
	if (!fn->state)
		return 0;
	fn->of->fn->setup(fn, fn->state);
	if (outcome(fn, NULL) != 0)
		return 0;
	if (fn->of->fn->prepare)
		fn->of->fn->prepare(fn, fn->state);
	fn->of->fn->run(fn, fn->state, 1);
	fn->of->fn->check(fn, fn->state, check);
	snprintf(check->method, sizeof(check->method), "BENCH_FN_CHECK of %s, after a call on new inputs",
		 fn->of->suite.name);
	return outcome(fn, error);
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations;
	struct bench_fn_case *fn = bench_case->state;
	*check = (struct bench_check){0};
	snprintf(check->method, sizeof(check->method), "BENCH_FN_CHECK of %s", fn->of->suite.name);
	fn->of->fn->check(fn, fn->state, check);
	if (outcome(fn, error) != 0)
		return -1;
	const bool last = ++fn->checks > 1, passed = check->error <= check->tolerance;
	return last && passed && fn->setup_seconds < RENEWED_SECONDS ? check_renewed(fn, check, error) : 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct bench_fn_case *fn = bench_case->state;
	if (!fn)
		return;
	drop(fn);
	free(fn);
	bench_case->state = NULL;
}

/* Are all of the values of this type, and is one of them negative? */
static bool are_all(enum bench_param_type type, const char *values, bool *negative)
{
	const struct bench_param any = {.name = "value", .type = type, .min = INT64_MIN, .max = INT64_MAX};
	BENCH_SCOPED_ARENA scratch = {0};
	char *rest = bench_arena_string(&scratch, values), *text;
	bool all = true;
	while (all && (text = bench_text_next(&rest, ','))) {
		struct bench_value value;
		all = bench_value_parse(&any, text, &value, NULL) == 0;
		*negative |= all && value.integer < 0;
	}
	return all;
}

/* The parameter of "key=v1,v2", in the arena. */
static int add_param(const struct bench_fn *fn, char *item, struct bench_param *param,
		     struct bench_error *error)
{
	char *values = strchr(item, '=');
	bool negative = false;
	if (!values || values == item || !values[1])
		return bench_fail(error, BENCH_USAGE,
				  "function %s (%s): sweep: '%s' is not NAME=VALUE,VALUE,...", fn->name,
				  fn->file, item);
	*values++ = '\0';
	*param = (struct bench_param){.name = item, .help = "a parameter of the function"};
	param->fallback = bench_arena_format(&arena, "%.*s", (int)strcspn(values, ","), values);
	if (are_all(BENCH_PARAM_INT, values, &negative)) {
		param->type = BENCH_PARAM_INT;
		param->min = negative ? INT64_MIN : 0;
		param->max = INT64_MAX;
	} else if (are_all(BENCH_PARAM_REAL, values, &negative)) {
		param->type = BENCH_PARAM_REAL;
	} else {
		param->type = BENCH_PARAM_CHOICE;
		char *choices = bench_arena_string(&arena, values);
		for (char *comma; (comma = strchr(choices, ','));)
			*comma = '|';
		param->choices = choices;
	}
	return 0;
}

static int add_params(struct fn_suite *made, struct bench_error *error)
{
	char *rest = bench_arena_string(&arena, made->fn->sweep), *item;
	size_t count = 0;
	while ((item = bench_text_next(&rest, ' '))) {
		if (!*item)
			continue;
		if (count == MOST_PARAMS)
			return bench_fail(error, BENCH_USAGE,
					  "function %s (%s): its sweep has more than %d parameters",
					  made->fn->name, made->fn->file, MOST_PARAMS);
		struct bench_param *param = &made->params[count++];
		if (add_param(made->fn, item, param, error) != 0)
			return -1;
		if (strcmp(param->name, VARIANTS) == 0 && param->type == BENCH_PARAM_CHOICE)
			made->suite.variants = param->name;
	}
	return 0;
}

int bench_fn_suite(const struct bench_fn *fn, const struct bench_suite **suite, struct bench_error *error)
{
	if (!fn->name || !fn->file || !fn->sweep || !fn->make || !fn->drop || !fn->setup || !fn->run ||
	    !fn->check)
		return bench_fail(error, BENCH_USAGE,
				  "a function '%s' lacks what is required: a name, a file, a sweep, make, "
				  "drop, setup, run and check",
				  fn->name ? fn->name : "");
	struct fn_suite *made = bench_arena_alloc(&arena, 1, sizeof(*made));
	const char *slash = strrchr(fn->file, '/');
	made->fn = fn;
	made->suite = (struct bench_suite){
		.abi = BENCH_SUITE_ABI,
		.name = bench_arena_string(&arena, fn->name),
		.summary = bench_arena_format(&arena, "a function of %s", slash ? slash + 1 : fn->file),
		.params = made->params,
		.sweeps = {made->sweeps, NULL, NULL},
		.host_only = true,
		.work = work,
		.setup = setup,
		.prepare = fn->prepare ? prepare : NULL,
		.run = run,
		.check = check,
		.teardown = teardown};
	if (add_params(made, error) != 0)
		return -1;
	made->sweeps[0] = bench_arena_string(&arena, fn->sweep);
	*suite = &made->suite;
	return 0;
}
