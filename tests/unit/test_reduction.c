/* SPDX-License-Identifier: MIT */
/* Reductions on every backend: exact at any tail and place, NaN, ties, refusals; and the suite, right and
 * wrong. */
#include <stdlib.h>

#include "suite_fixture.h"

static const struct bench_backend *const backends[] = {&bench_backend_opencl, &bench_backend_openblas,
						       &bench_backend_reference};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

/* The edges of vectors, groups of items and spans; the last has many groups. */
static const size_t counts[] = {1,  2,  3,  4,  7,   8,   15,  16,  17,   31,   32,
				33, 63, 64, 65, 127, 128, 129, 300, 4097, 65537};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]), MOST = 65537 };

static void require(int result, const struct bench_backend *backend, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s: %s", backend->name, error->text);
}

/* One device with two vectors of MOST doubles; `device` is NULL where the backend has none, which is said. */
struct place {
	const struct bench_backend *backend;
	struct bench_device_info info;
	struct bench_device *device;
	struct bench_buffer *a, *b, *to;
};

static bool open_place(struct place *place, const struct bench_backend *backend)
{
	struct bench_error error = {0};
	size_t count = 0;
	*place = (struct place){.backend = backend};
	/* Without the cache on disk, which would cost PoCL a second compilation of each kernel. */
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	if (backend->devices(&place->info, 1, &count, &error) != 0 || count == 0) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return false;
	}
	require(backend->open(0, &(struct bench_open_options){0}, &place->device, &error), backend, &error);
	require(backend->alloc(place->device, MOST * sizeof(double), &place->a, &error), backend, &error);
	require(backend->alloc(place->device, MOST * sizeof(double), &place->b, &error), backend, &error);
	require(backend->alloc(place->device, sizeof(double), &place->to, &error), backend, &error);
	return true;
}

static void close_place(struct place *place)
{
	place->backend->release(place->device, place->a);
	place->backend->release(place->device, place->b);
	place->backend->release(place->device, place->to);
	place->backend->close(place->device);
	unsetenv("BENCH_PROGRAM_CACHE");
}

static void put(const struct place *place, struct bench_buffer *buffer, enum bench_dtype dtype,
		const double *values, size_t count)
{
	static float narrow[MOST];
	struct bench_error error = {0};
	for (size_t i = 0; i < count; i++)
		narrow[i] = (float)values[i];
	const void *host = dtype == BENCH_F64 ? (const void *)values : (const void *)narrow;
	require(place->backend->upload(place->device, buffer, host, count * bench_dtype_bytes(dtype), &error),
		place->backend, &error);
}

/* The value, of argmax the index, as a double; `there`: by way of a buffer of the device. */
static double reduce(const struct place *place, enum bench_reduction_op op, enum bench_dtype dtype,
		     enum bench_reduction_stages stages, size_t count, bool there)
{
	struct bench_error error = {0};
	union {
		float narrow;
		double wide;
		uint64_t index;
	} result = {.index = UINT64_MAX};
	struct bench_reduction reduction = {.op = op,
					    .dtype = dtype,
					    .count = count,
					    .stages = stages,
					    .a = place->a,
					    .b = op == BENCH_REDUCTION_DOT ? place->b : NULL,
					    .result = there ? NULL : &result,
					    .to = there ? place->to : NULL};
	require(place->backend->reduction(place->device, &reduction, &error), place->backend, &error);
	if (there)
		require(place->backend->download(place->device, place->to, &result, sizeof(result), &error),
			place->backend, &error);
	if (op == BENCH_REDUCTION_ARGMAX)
		return (double)result.index;
	return dtype == BENCH_F64 ? result.wide : (double)result.narrow;
}

static void expect(const struct place *place, enum bench_reduction_op op, enum bench_dtype dtype,
		   size_t count, double expected)
{
	const struct {
		enum bench_reduction_stages stages;
		bool there, everywhere;
	} ways[] = {
		{BENCH_REDUCTION_ONE, true, true},    {BENCH_REDUCTION_TWO, true, false},
		{BENCH_REDUCTION_HOST, false, false}, {BENCH_REDUCTION_LAST, true, false},
		{BENCH_REDUCTION_AUTO, false, true},
	};
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!ways[i].everywhere && place->backend != &bench_backend_opencl)
			continue;
		double found = reduce(place, op, dtype, ways[i].stages, count, ways[i].there);
		if (found != expected && !(isnan(found) && isnan(expected)))
			fail_msg("%s: op %d of %zu elements of %zu bytes, stages %d%s: %.17g, not %.17g",
				 place->backend->name, (int)op, count, bench_dtype_bytes(dtype),
				 (int)ways[i].stages, ways[i].there ? ", on the device" : "", found,
				 expected);
	}
}

/* Calls `test` on every backend, for both types. */
static void on_all(void (*test)(const struct place *place, enum bench_dtype dtype))
{
	for (size_t i = 0; i < BACKENDS; i++) {
		struct place place;
		if (!open_place(&place, backends[i]))
			continue;
		test(&place, BENCH_F32);
		if (place.info.f64)
			test(&place, BENCH_F64);
		close_place(&place);
	}
}

static double values[MOST], others[MOST];

/* Small integers of both signs, whose sums are exact; what is left out or taken twice changes them. */
static void fill_with_integers(void)
{
	for (size_t i = 0; i < MOST; i++) {
		values[i] = (double)(i * 7919 % 31) - 16;
		others[i] = (double)(i * 104729 % 7) - 2;
	}
}

static void expect_exact_sums(const struct place *place, enum bench_dtype dtype)
{
	fill_with_integers();
	put(place, place->a, dtype, values, MOST);
	put(place, place->b, dtype, others, MOST);
	for (size_t i = 0; i < COUNTS; i++) {
		double sum = 0, dot = 0;
		for (size_t j = 0; j < counts[i]; j++) {
			sum += values[j];
			dot += values[j] * others[j];
		}
		expect(place, BENCH_REDUCTION_SUM, dtype, counts[i], sum);
		expect(place, BENCH_REDUCTION_DOT, dtype, counts[i], dot);
	}
}

static void sums_take_every_element_once_at_every_tail(void **state)
{
	(void)state;
	on_all(expect_exact_sums);
}

static void expect_largest(const struct place *place, enum bench_dtype dtype, size_t count, size_t at)
{
	put(place, place->a, dtype, values, count);
	expect(place, BENCH_REDUCTION_MAX, dtype, count, values[at]);
	expect(place, BENCH_REDUCTION_ARGMAX, dtype, count, (double)at);
}

/* All negative, so that a zero that came from nowhere would be the largest. */
static void expect_largest_anywhere(const struct place *place, enum bench_dtype dtype)
{
	for (size_t i = 0; i < COUNTS; i++) {
		size_t count = counts[i];
		const size_t places[] = {0, count - 1, count / 2, count - 1 - count % 16 / 2, count / 3};
		for (size_t j = 0; j < MOST; j++)
			values[j] = -2 - (double)(j % 100);
		for (size_t j = 0; j < sizeof(places) / sizeof(places[0]); j++) {
			double kept = values[places[j]];
			values[places[j]] = -1;
			expect_largest(place, dtype, count, places[j]);
			values[places[j]] = kept;
		}
	}
}

static void the_largest_is_found_first_last_and_in_the_tail(void **state)
{
	(void)state;
	on_all(expect_largest_anywhere);
}

static void fill_with(double value)
{
	for (size_t i = 0; i < MOST; i++)
		values[i] = value;
}

static void expect_lowest_of_equal(const struct place *place, enum bench_dtype dtype)
{
	for (size_t i = 0; i < COUNTS; i++) {
		size_t count = counts[i];
		fill_with(-3);
		expect_largest(place, dtype, count, 0);
		values[count - 1] = values[count / 2] = 4;
		expect_largest(place, dtype, count, count / 2);
		fill_with(-(double)INFINITY);
		expect_largest(place, dtype, count, 0);
		values[count - 1] = -0x1p100;
		expect_largest(place, dtype, count, count - 1);
		values[count / 2] = (double)INFINITY;
		expect_largest(place, dtype, count, count / 2);
	}
	/* Zeros of both signs are equal. */
	fill_with(-0.0);
	values[20] = 0.0;
	put(place, place->a, dtype, values, 300);
	expect(place, BENCH_REDUCTION_ARGMAX, dtype, 300, 0);
}

static void of_equal_ones_the_lowest_index_is_the_argmax(void **state)
{
	(void)state;
	on_all(expect_lowest_of_equal);
}

static void expect_nan_to_stay(const struct place *place, enum bench_dtype dtype)
{
	for (size_t i = 0; i < COUNTS; i++) {
		size_t count = counts[i];
		const size_t places[] = {0, count - 1, count / 2};
		for (size_t j = 0; j < sizeof(places) / sizeof(places[0]); j++) {
			fill_with(1);
			values[0] = (double)INFINITY;
			values[count - 1] = values[places[j]] = (double)NAN;
			expect_largest(place, dtype, count, places[j]);
			expect(place, BENCH_REDUCTION_SUM, dtype, count, (double)NAN);
		}
	}
}

static void a_nan_anywhere_is_the_result_and_its_first_place_the_argmax(void **state)
{
	(void)state;
	on_all(expect_nan_to_stay);
}

static void expect_refused(const struct place *place, struct bench_reduction reduction, enum bench_code code,
			   const char *part)
{
	struct bench_error error = {0};
	double result;
	reduction.a = place->a;
	reduction.b = place->b;
	reduction.result = &result;
	assert_int_equal(place->backend->reduction(place->device, &reduction, &error), -1);
	assert_int_equal(error.code, code);
	if (!strstr(error.text, part))
		fail_msg("'%s' does not say '%s'", error.text, part);
}

static void what_does_not_fit_or_is_not_there_is_refused_with_the_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < BACKENDS; i++) {
		struct place place;
		if (!open_place(&place, backends[i]))
			continue;
		expect_refused(&place, (struct bench_reduction){.count = 0}, BENCH_USAGE, "does not fit");
		expect_refused(&place, (struct bench_reduction){.count = 2 * MOST + 1}, BENCH_USAGE,
			       "does not fit");
		expect_refused(&place, (struct bench_reduction){.count = SIZE_MAX, .op = BENCH_REDUCTION_DOT},
			       BENCH_USAGE, "does not fit");
		expect_refused(&place, (struct bench_reduction){.count = 8, .dtype = BENCH_F16},
			       BENCH_UNSUPPORTED, "f16");
		if (backends[i] == &bench_backend_opencl)
			expect_refused(&place,
				       (struct bench_reduction){
					       .count = 8, .stages = BENCH_REDUCTION_HOST, .to = place.to},
				       BENCH_UNSUPPORTED, "leaves its value there");
		struct bench_error error = {0};
		struct bench_buffer *small = NULL;
		require(backends[i]->alloc(place.device, sizeof(float), &small, &error), backends[i], &error);
		expect_refused(
			&place,
			(struct bench_reduction){.count = 8, .op = BENCH_REDUCTION_ARGMAX, .to = small},
			BENCH_USAGE, "does not fit");
		backends[i]->release(place.device, small);
		if (backends[i] != &bench_backend_opencl)
			for (int stages = BENCH_REDUCTION_TWO; stages < BENCH_REDUCTION_AUTO; stages++)
				expect_refused(
					&place,
					(struct bench_reduction){
						.count = 8, .stages = (enum bench_reduction_stages)stages},
					BENCH_UNSUPPORTED, "stages=one only");
		close_place(&place);
	}
}

static void expect_suite_right(const struct bench_backend *backend, const char *settings)
{
	struct fixture fixture;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, &bench_suite_reduction, backend, settings, &error)) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return;
	}
	if (fixture.info.f64 || !strstr(settings, "f64")) {
		must(bench_suite_reduction.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		for (int i = 0; i < 2; i++) {
			struct bench_check check = prepare_run_check(&fixture, (const uint64_t[]){1, 3}, 2);
			if (!(check.error <= check.tolerance))
				fail_msg("%s on %s: error %g", settings, backend->name, check.error);
		}
	}
	close_fixture(&fixture);
}

static void the_suite_is_right_on_all_backends(void **state)
{
	(void)state;
	static const char *const settings[] = {"count=1",
					       "count=1000",
					       "count=1000003",
					       "op=dot count=1000003",
					       "op=dot count=17 dtype=f64",
					       "count=65537 dtype=f64",
					       "op=max count=2",
					       "op=max count=1023 dtype=f64",
					       "op=argmax count=1",
					       "op=argmax count=70001",
					       "count=65537 result=device",
					       "op=argmax count=70001 result=device"};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		for (size_t j = 0; j < BACKENDS; j++)
			expect_suite_right(backends[j], settings[i]);
	static const char *const staged[] = {"count=1000003 stages=two",
					     "count=1000003 stages=host",
					     "op=dot count=70001 stages=two dtype=f64",
					     "op=max count=1000 stages=host",
					     "op=argmax count=70001 stages=two",
					     "op=dot count=70001 stages=last dtype=f64",
					     "op=argmax count=70001 stages=last result=device"};
	for (size_t i = 0; i < sizeof(staged) / sizeof(staged[0]); i++)
		expect_suite_right(&bench_backend_opencl, staged[i]);
}

static int does_nothing(struct bench_device *device, const struct bench_reduction *reduction,
			struct bench_error *error)
{
	(void)device;
	(void)reduction;
	(void)error;
	return 0;
}

static int drops_last(struct bench_device *device, const struct bench_reduction *reduction,
		      struct bench_error *error)
{
	struct bench_reduction shorter = *reduction;
	shorter.count--;
	return bench_backend_openblas.reduction(device, &shorter, error);
}

static int drops_tail(struct bench_device *device, const struct bench_reduction *reduction,
		      struct bench_error *error)
{
	struct bench_reduction shorter = *reduction;
	shorter.count -= shorter.count % 16;
	return bench_backend_openblas.reduction(device, &shorter, error);
}

/* The sum for the dot and the other way round, the max for the sum of neighbors, the place for the value. */
static int takes_another_op(struct bench_device *device, const struct bench_reduction *reduction,
			    struct bench_error *error)
{
	static const enum bench_reduction_op instead[] = {
		[BENCH_REDUCTION_SUM] = BENCH_REDUCTION_MAX,
		[BENCH_REDUCTION_MAX] = BENCH_REDUCTION_SUM,
		[BENCH_REDUCTION_DOT] = BENCH_REDUCTION_SUM,
		[BENCH_REDUCTION_ARGMAX] = BENCH_REDUCTION_MAX,
	};
	struct bench_reduction other = *reduction;
	other.op = instead[reduction->op];
	return bench_backend_openblas.reduction(device, &other, error);
}

static int is_off_by_a_little(struct bench_device *device, const struct bench_reduction *reduction,
			      struct bench_error *error)
{
	float *result = reduction->result;
	if (bench_backend_openblas.reduction(device, reduction, error))
		return -1;
	if (reduction->op == BENCH_REDUCTION_ARGMAX)
		++*(uint64_t *)reduction->result;
	else
		*result = nextafterf(*result, INFINITY);
	return 0;
}

static void expect_incorrect(const char *settings, const char *fault,
			     int (*hook)(struct bench_device *device, const struct bench_reduction *reduction,
					 struct bench_error *error))
{
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_backend wrong = bench_backend_openblas;
	wrong.reduction = hook;
	assert_true(open_fixture(&fixture, &bench_suite_reduction, &wrong, settings, &error));
	must(bench_suite_reduction.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	struct bench_check check = once(&fixture);
	if (check.error <= check.tolerance)
		fail_msg("%s: the check did not see: %s", settings, fault);
	close_fixture(&fixture);
}

static void a_wrong_reduction_is_incorrect(void **state)
{
	(void)state;
	static const char *const ops[] = {"sum", "max", "argmax", "dot"};
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		char small[64], large[64];
		snprintf(small, sizeof(small), "op=%s count=23", ops[i]);
		snprintf(large, sizeof(large), "op=%s count=1000003", ops[i]);
		const char *const sizes[] = {small, large};
		for (size_t j = 0; j < 2; j++) {
			expect_incorrect(sizes[j], "a reduction that does nothing", does_nothing);
			expect_incorrect(sizes[j], "the last element dropped", drops_last);
			expect_incorrect(sizes[j], "the tail dropped", drops_tail);
			expect_incorrect(sizes[j], "another operation", takes_another_op);
			expect_incorrect(sizes[j], "the next number", is_off_by_a_little);
		}
	}
}

static void work_counts_what_is_read(void **state)
{
	(void)state;
	struct fixture fixture = {.suite = &bench_suite_reduction};
	struct bench_work work = {0};
	struct bench_error error = {0};
	set_values(fixture.suite, "op=dot count=1000 dtype=f64", fixture.values);
	fixture.bench_case.values = fixture.values;
	must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
	assert_true(work.flops == 2000 && work.bytes == 16000 && work.device_bytes == 16000);
	assert_true(work.largest_bytes == 8000 && work.host_bytes == 16000);
	static const int64_t bad[] = {0, -1, INT64_MAX, INT64_MIN, (int64_t)1 << 58};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fixture.values[param_index(fixture.suite, "count")].integer = bad[i];
		assert_int_equal(fixture.suite->work(&fixture.bench_case, &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
}

static void a_backend_without_reductions_is_unsupported(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_backend bare = bench_backend_reference;
	bare.reduction = NULL;
	assert_true(open_fixture(&fixture, &bench_suite_reduction, &bare, "", &error));
	assert_int_equal(bench_suite_reduction.setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "no reductions"));
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_take_every_element_once_at_every_tail),
		cmocka_unit_test(the_largest_is_found_first_last_and_in_the_tail),
		cmocka_unit_test(of_equal_ones_the_lowest_index_is_the_argmax),
		cmocka_unit_test(a_nan_anywhere_is_the_result_and_its_first_place_the_argmax),
		cmocka_unit_test(what_does_not_fit_or_is_not_there_is_refused_with_the_reason),
		cmocka_unit_test(the_suite_is_right_on_all_backends),
		cmocka_unit_test(a_wrong_reduction_is_incorrect),
		cmocka_unit_test(work_counts_what_is_read),
		cmocka_unit_test(a_backend_without_reductions_is_unsupported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
