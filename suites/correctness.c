/* SPDX-License-Identifier: MIT */
/*
 * Suite correctness: every operation at the sizes where kernels go wrong, and at random ones, each checked by
 * the suite that measures it. A case is one such suite on one device; docs/suites/correctness.md
 * says how to read it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "kit/rng.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { SUITE, DTYPE, SHAPES };

/* Around the sizes of vectors, work-groups and tiles. */
#define EDGES "1,2,3,4,7,8,15,16,17,31,32,33,63,64,65,127,128,129"
#define SMALL "1,2,3,4,7,8,15,16,17,31,32,33"
/* `?` is a random size from 1 to LARGEST; this many points of a sweep with one. */
#define LARGEST 200
#define DRAWS   12
#define TRANS   "trans=NN,NT,TN,TT"

#define ALL_CONVOLUTIONS " layout=nchw,nhwc algorithm=direct,im2col,winograd"
#define ALL_KERNELS      " kernel=row,group,adaptive"

enum { MAX_SWEEPS = 5 };

/*
 * A suite to check, and its points: sweeps as in struct bench_suite, which `?` makes random.
 * SUITES has their names, which are the words of the parameter `suite`, in any order.
 */
struct subject {
	const struct bench_suite *suite;
	const char *edges[MAX_SWEEPS], *random[MAX_SWEEPS], *small[MAX_SWEEPS]; /* NULL: no more */
};
static const struct subject subjects[] = {
	{&bench_suite_gemm,
	 {"n=" EDGES " " TRANS, "n=17,64 alpha=0.5 beta=2 " TRANS, "m=1,129 n=1,65 k=1,33 " TRANS,
	  "n=7,33,128 batch=3"},
	 {"m=? n=? k=? " TRANS, "m=? n=? k=? alpha=-1.5 beta=0.5", "m=? n=? k=? batch=2"},
	 {"n=" SMALL, "m=7 n=33 k=17 beta=2 " TRANS, "n=9 batch=3"}},
	{&bench_suite_elementwise,
	 {"count=" EDGES " op=add,mul width=0,1,2,4,8,16"},
	 {"count=? op=add,mul width=0,1,2,4,8,16"},
	 {"count=" SMALL " op=add,mul width=0,1,2,4,8,16"}},
	{&bench_suite_gemm_chain, {"n=" EDGES}, {"n=?"}, {"n=" SMALL}},
	{&bench_suite_view_gemm,
	 {"n=" EDGES " layout=contiguous,transposed,sliced,copy_transposed,copy_sliced"},
	 {"n=? layout=transposed,sliced"},
	 {"n=17 layout=contiguous,transposed,sliced,copy_transposed,copy_sliced"}},
	{&bench_suite_activation,
	 {"count=" EDGES " function=relu,gelu,gelu_tanh width=1,2,4,8,16"},
	 {"count=? function=relu,gelu,gelu_tanh width=0,1,4,16"},
	 {"count=1,15,33 function=relu,gelu,gelu_tanh width=1,4"}},
	{&bench_suite_fused,
	 {"n=" EDGES " chain=add_relu,mul_relu,affine width=1,4,16 variant=unfused,fused",
	  "n=" EDGES " chain=gemm_bias_relu,gemm_bias_gelu variant=unfused,fused"},
	 {"n=? chain=add_relu,mul_relu,affine,gemm_bias_relu,gemm_bias_gelu variant=unfused,fused"},
	 {"n=1,15,33 chain=add_relu,mul_relu,affine,gemm_bias_relu variant=unfused,fused"}},
	{&bench_suite_reduction,
	 {"count=" EDGES " op=sum,max,argmax,dot stages=one,two,host,last"},
	 {"count=? op=sum,max,argmax,dot stages=one,two,host,last"},
	 {"count=1,15,33 op=sum,max,argmax,dot stages=one,two,host,last"}},
	{&bench_suite_random,
	 {"count=" EDGES " distribution=bits,uniform,normal"},
	 {"count=? distribution=bits,uniform,normal"},
	 {"count=1,15,33 distribution=bits,uniform,normal"}},
	{&bench_suite_spmv,
	 {"matrix=random,powerlaw,banded per_row=3 n=3,4,7,8,15,16,17,31,32,33" ALL_KERNELS,
	  "matrix=cycle,random,powerlaw,banded n=63,64,65,127,128,129" ALL_KERNELS,
	  "matrix=poisson2d n=4,9,16,64,121" ALL_KERNELS,
	  "matrix=cycle n=3,4,7,33,1000 repeat=3" ALL_KERNELS},
	 {"matrix=random,powerlaw n=1000 per_row=?" ALL_KERNELS},
	 {"matrix=powerlaw,banded per_row=5 n=33" ALL_KERNELS, "matrix=cycle n=33" ALL_KERNELS}},
	{&bench_suite_conv2d,
	 {"c=1,3,4 h=1,2,7,8,15,17,33 k=1,5,16,17" ALL_CONVOLUTIONS,
	  "c=4 h=17 k=5 r=1,2,3 stride=1,2,3 pad=0,1,2" ALL_CONVOLUTIONS,
	  "c=8 h=16 k=8 groups=1,2,4,8 dilation=1,2" ALL_CONVOLUTIONS,
	  "n=3 c=2 h=9 w=12 k=3" ALL_CONVOLUTIONS, "n=5 c=20 h=9 w=12 k=136 r=1,3" ALL_CONVOLUTIONS},
	 {"c=? h=17 w=9 k=3" ALL_CONVOLUTIONS, "c=3 h=5 w=? k=4" ALL_CONVOLUTIONS},
	 {"c=3 h=7 k=5" ALL_CONVOLUTIONS, "c=4 h=8 k=4 groups=2 stride=2" ALL_CONVOLUTIONS}},
};
#define SUITES(between)                                                                                      \
	"gemm" between "elementwise" between "gemm_chain" between "view_gemm" between "activation" between   \
	"fused" between "reduction" between "random" between "spmv" between "conv2d"

static const struct bench_param params[] = {
	[SUITE] = BENCH_CHOICE("suite", "gemm", SUITES("|"), "whose operations are checked"),
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64|f16|bf16|tf32",
			       "type of the elements, where the suite has several"),
	[SHAPES] =
		BENCH_CHOICE("shapes", "edges", "edges|random|small",
			     "the sizes around those of vectors and tiles, random ones, or those up to 33"),
	{.name = NULL},
};

#define ALL "suite=" SUITES(",")
static const char *const quick[] = {ALL " shapes=small", NULL};
static const char *const nightly[] = {ALL " dtype=f32,f64 shapes=edges,random",
				      "dtype=f16,bf16,tf32 shapes=edges,random", NULL};

/* A suite that is checked has no more. */
enum { MAX_PARAMS = 24, MAX_VALUES = 32 };

/* One sweep, taken apart. */
struct sweep {
	char text[512];
	const struct bench_suite *suite;
	size_t count; /* of keys */
	struct {
		size_t param;
		const char *values[MAX_VALUES];
		size_t count;
	} keys[MAX_PARAMS];
	bool random;
	size_t points;
};

struct state {
	const struct subject *subject;
	double worst; /* error over tolerance; NaN: some point had NaN, or none was checked */
	size_t checked;
	size_t left_out;                /* points that this device cannot do */
	char where[128];                /* the worst point */
	struct bench_error unsupported; /* why the first of those */
};

/* NULL where a word of SUITES has no row, which work() refuses. */
static const struct subject *subject_of(const struct bench_case *bench_case)
{
	const char *name = bench_value_given(&bench_case->values[SUITE]);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (strcmp(subjects[i].suite->name, name) == 0)
			return &subjects[i];
	return NULL;
}

static const char *const *sweeps_of(const struct bench_case *bench_case)
{
	const struct subject *subject = subject_of(bench_case);
	const char *const *const sweeps[] = {subject->edges, subject->random, subject->small};
	return sweeps[bench_case->values[SHAPES].integer];
}

static size_t param_count(const struct bench_suite *suite)
{
	size_t count = 0;
	while (suite->params[count].name)
		count++;
	return count;
}

/* params[count] if no parameter has that name. */
static size_t param_index(const struct bench_suite *suite, const char *name)
{
	size_t i = 0;
	while (suite->params[i].name && strcmp(suite->params[i].name, name) != 0)
		i++;
	return i;
}

static int take_apart(const struct bench_suite *suite, const char *text, struct sweep *sweep,
		      struct bench_error *error)
{
	*sweep = (struct sweep){.suite = suite, .points = 1};
	snprintf(sweep->text, sizeof(sweep->text), "%s", text);
	char *rest = sweep->text;
	for (char *setting; (setting = bench_text_next(&rest, ' '));) {
		char *values = strchr(setting, '=');
		if (!values || sweep->count == MAX_PARAMS)
			return bench_fail(error, BENCH_USAGE, "correctness: sweep '%s' is wrong", text);
		*values++ = '\0';
		size_t key = sweep->count++;
		sweep->keys[key].param = param_index(suite, setting);
		if (!suite->params[sweep->keys[key].param].name)
			return bench_fail(error, BENCH_USAGE, "correctness: suite %s has no parameter '%s'",
					  suite->name, setting);
		for (char *value; (value = bench_text_next(&values, ','));) {
			size_t *count = &sweep->keys[key].count;
			if (*count == MAX_VALUES)
				return bench_fail(error, BENCH_USAGE, "correctness: too many values: '%s'",
						  text);
			sweep->keys[key].values[(*count)++] = value;
			sweep->random |= strcmp(value, "?") == 0;
		}
		sweep->points *= sweep->keys[key].count;
	}
	if (sweep->random)
		sweep->points *= DRAWS;
	return 0;
}

/* The values of point `index`; `rng` gives the random ones. */
static int point_values(const struct sweep *sweep, size_t index, const char *dtype, struct bench_rng *rng,
			struct bench_value *values, struct bench_error *error)
{
	const struct bench_param *table = sweep->suite->params;
	const char *texts[MAX_PARAMS] = {0};
	char drawn[MAX_PARAMS][24];
	size_t count = param_count(sweep->suite), own = param_index(sweep->suite, "dtype");
	if (count > MAX_PARAMS)
		return bench_fail(error, BENCH_USAGE, "correctness: suite %s has more than %d parameters",
				  sweep->suite->name, MAX_PARAMS);
	if (own < count)
		texts[own] = dtype;
	for (size_t k = 0; k < sweep->count; k++) {
		size_t choice = index % sweep->keys[k].count;
		index /= sweep->keys[k].count;
		texts[sweep->keys[k].param] = sweep->keys[k].values[choice];
		if (strcmp(sweep->keys[k].values[choice], "?") == 0) {
			snprintf(drawn[k], sizeof(drawn[k]), "%u",
				 1 + (unsigned)bench_rng_below(rng, LARGEST));
			texts[sweep->keys[k].param] = drawn[k];
		}
	}
	for (size_t i = 0; i < count; i++) {
		size_t source = i;
		if (!texts[i] && table[i].fallback[0] == '=')
			source = param_index(sweep->suite, table[i].fallback + 1);
		const char *text = texts[source] ? texts[source] : table[source].fallback;
		if (bench_value_parse(&table[i], text, &values[i], error) != 0)
			return -1;
	}
	return 0;
}

/* Calls `visit` for every point of the case; it ends where one fails. */
static int each_point(const struct bench_case *bench_case, void *context,
		      int (*visit)(void *context, const struct bench_suite *suite,
				   const struct bench_value *values, struct bench_error *error),
		      struct bench_error *error)
{
	const char *const *sweeps = sweeps_of(bench_case);
	struct bench_rng rng;
	bench_rng_start(&rng, bench_case->seed, 1);
	for (size_t s = 0; s < MAX_SWEEPS && sweeps[s]; s++) {
		struct sweep sweep;
		struct bench_value values[MAX_PARAMS];
		if (take_apart(subject_of(bench_case)->suite, sweeps[s], &sweep, error) != 0)
			return -1;
		for (size_t i = 0; i < sweep.points; i++)
			if (point_values(&sweep, i, bench_case->values[DTYPE].text, &rng, values, error) !=
				    0 ||
			    visit(context, sweep.suite, values, error) != 0)
				return -1;
	}
	return 0;
}

static int add_work(void *context, const struct bench_suite *suite, const struct bench_value *values,
		    struct bench_error *error)
{
	struct bench_work *total = context, one = {0};
	const struct bench_case bench_case = {.values = values};
	if (suite->work(&bench_case, &one, error) != 0)
		return -1;
	total->items++;
	total->device_bytes = one.device_bytes > total->device_bytes ? one.device_bytes : total->device_bytes;
	total->largest_bytes =
		one.largest_bytes > total->largest_bytes ? one.largest_bytes : total->largest_bytes;
	total->host_bytes = one.host_bytes > total->host_bytes ? one.host_bytes : total->host_bytes;
	return 0;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	work->samples = 1;
	if (!subject_of(bench_case))
		return bench_fail(error, BENCH_USAGE, "suite=%s has no row of subjects",
				  bench_value_given(&bench_case->values[SUITE]));
	return each_point(bench_case, work, add_work, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_state_make(bench_case, sizeof(*state), "correctness", error);
	if (!state)
		return -1;
	state->subject = subject_of(bench_case);
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	*state = (struct state){.subject = state->subject, .worst = NAN};
	return 0;
}

/* "m=3,n=5": what the point has other than the fallbacks. */
static void name_point(const struct bench_suite *suite, const struct bench_value *values, char *out,
		       size_t size)
{
	size_t length = 0;
	*out = '\0';
	for (size_t i = 0; suite->params[i].name && length < size; i++) {
		if (strcmp(values[i].text, suite->params[i].fallback) == 0)
			continue;
		int added = snprintf(out + length, size - length, "%s%s=%s", length ? "," : "",
				     suite->params[i].name, values[i].text);
		length += added > 0 ? (size_t)added : 0;
	}
}

/* setup to check of one point. */
static int check_point(struct bench_case *point, const struct bench_suite *suite, struct bench_check *check,
		       struct bench_error *error)
{
	if (suite->setup(point, error) != 0 || (suite->prepare && suite->prepare(point, error) != 0) ||
	    suite->run(point, 1, error) != 0 || point->backend->finish(point->device, error) != 0)
		return -1;
	return suite->check(point, 1, check, error);
}

struct visitor {
	const struct bench_case *bench_case;
	struct state *state;
};

static int visit_point(void *context, const struct bench_suite *suite, const struct bench_value *values,
		       struct bench_error *error)
{
	const struct visitor *visitor = context;
	struct state *state = visitor->state;
	struct bench_case point = *visitor->bench_case;
	struct bench_check check = {.error = NAN};
	struct bench_error cause;
	char name[128];
	point.values = values;
	point.state = NULL;
	name_point(suite, values, name, sizeof(name));
	int status = check_point(&point, suite, &check, &cause);
	suite->teardown(&point);
	if (status != 0 && cause.code == BENCH_UNSUPPORTED) {
		if (state->left_out++ == 0)
			state->unsupported = cause;
		return 0;
	}
	if (status != 0)
		return bench_fail(error, cause.code, "%s at %s: %s", suite->name, name, cause.text);
	double excess = check.tolerance > 0 ? check.error / check.tolerance
			: check.error > 0   ? INFINITY
					    : check.error;
	/* NaN is the worst; the first point is worse than none. */
	if (state->checked++ == 0 || isnan(excess) || excess > state->worst) {
		if (state->checked > 1 && isnan(state->worst))
			return 0;
		state->worst = excess;
		snprintf(state->where, sizeof(state->where), "%s", name);
	}
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct visitor visitor = {bench_case, bench_case->state};
	for (uint64_t i = 0; i < iterations; i++)
		if (each_point(bench_case, &visitor, visit_point, error) != 0)
			return -1;
	if (visitor.state->checked == 0) {
		*error = visitor.state->unsupported;
		return -1;
	}
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	const struct state *state = bench_case->state;
	(void)iterations;
	(void)error;
	*check = (struct bench_check){.error = state->worst, .tolerance = 1};
	snprintf(check->method, sizeof(check->method), "%zu points, of tolerance; worst: %.40s",
		 state->checked, state->where);
	return 0;
}

static const struct bench_metric_spec metrics[] = {
	{"points", "count", BENCH_BETTER_NONE, "points that were checked"},
	{"points_left_out", "count", BENCH_BETTER_NONE, "points that this device cannot do"},
	{"worst_error", "ratio", BENCH_BETTER_NONE, "the largest error, over its tolerance"},
	{.name = NULL},
};

static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	(void)error;
	report->value(report->context, &metrics[0], (double)state->checked);
	report->value(report->context, &metrics[1], (double)state->left_out);
	report->value(report->context, &metrics[2], state->worst);
	return 0;
}

const struct bench_suite bench_suite_correctness = {
	.name = "correctness",
	.summary = "every operation at awkward and random sizes, checked",
	.sweeps = {quick, nightly},
	.metrics = metrics,
	.prepare = prepare,
	.report = report,
	.teardown = bench_state_free,
	BENCH_SUITE_HOOKS,
};
