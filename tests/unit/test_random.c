/* SPDX-License-Identifier: MIT */
/* Random numbers on every backend: known answers, every tail, refusals; and the suite, right and wrong. */
#include <stdlib.h>

#include "kit/rng.h"
#include "suite_fixture.h"

static const struct bench_backend *const backends[] = {&bench_backend_opencl, &bench_backend_openblas,
						       &bench_backend_reference};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]), GUARD = 64 };

static void require(int result, const struct bench_backend *backend, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s: %s", backend->name, error->text);
}

/* The first device of a backend, NULL where there is none, which is said. */
static struct bench_device *open_first(const struct bench_backend *backend, struct bench_device_info *info)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	size_t count = 0;
	/* Without the cache on disk, which would cost PoCL a second compilation of each kernel. */
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	if (backend->devices(info, 1, &count, &error) != 0 || count == 0) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return NULL;
	}
	require(backend->open(0, &(struct bench_open_options){0}, &device, &error), backend, &error);
	return device;
}

/* Fills `bytes` of `out`, which are all ones before. */
static void fill(const struct bench_backend *backend, struct bench_device *device, struct bench_random random,
		 void *out, size_t bytes)
{
	struct bench_error error = {0};
	memset(out, 0xff, bytes);
	require(backend->alloc(device, bytes, &random.out, &error), backend, &error);
	require(backend->upload(device, random.out, out, bytes, &error), backend, &error);
	require(backend->random(device, &random, &error), backend, &error);
	require(backend->finish(device, &error), backend, &error);
	require(backend->download(device, random.out, out, bytes, &error), backend, &error);
	backend->release(device, random.out);
}

/* From the file kat_vectors of Random123: counter and key, and what philox4x32 of 10 rounds makes of them. */
static const struct {
	uint64_t position, stream, seed;
	uint32_t block[4];
} known[] = {
	{0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
	{UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	{0x85a308d3243f6a88,
	 0x0370734413198a2e,
	 0x299f31d0a4093822,
	 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void known_answers_are_those_of_random123(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint32_t block[4];
		bench_rng_block(known[i].seed, known[i].stream, known[i].position, block);
		assert_memory_equal(block, known[i].block, sizeof(block));
	}
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		for (size_t j = 0; device && j < sizeof(known) / sizeof(known[0]); j++) {
			uint32_t block[4];
			fill(backends[i], device,
			     (struct bench_random){.count = 4,
						   .seed = known[j].seed,
						   .stream = known[j].stream,
						   .position = known[j].position},
			     block, sizeof(block));
			assert_memory_equal(block, known[j].block, sizeof(block));
		}
		if (device)
			backends[i]->close(device);
	}
}

static void the_host_draws_the_same_stream(void **state)
{
	(void)state;
	uint32_t numbers[12];
	uint64_t wide[6];
	double uniform[6];
	struct bench_rng rng;
	struct bench_device_info info;
	struct bench_device *device = open_first(&bench_backend_reference, &info);
	struct bench_random random = {.count = 12, .seed = 7, .stream = 3};
	fill(&bench_backend_reference, device, random, numbers, sizeof(numbers));
	random.dtype = BENCH_F64;
	random.count = 6;
	fill(&bench_backend_reference, device, random, wide, sizeof(wide));
	random.distribution = BENCH_RANDOM_UNIFORM;
	fill(&bench_backend_reference, device, random, uniform, sizeof(uniform));
	bench_rng_start(&rng, 7, 3);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(numbers[i], bench_rng_u32(&rng));
	assert_memory_equal(numbers, wide, sizeof(wide));
	bench_rng_start(&rng, 7, 3);
	for (size_t i = 0; i < 6; i++)
		assert_true(uniform[i] == bench_rng_uniform(&rng));
	bench_backend_reference.close(device);
}

static double value_at(const struct bench_random *random, const void *values, size_t i)
{
	return random->dtype == BENCH_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Bits and uniform numbers to the last bit, normal ones within 20 epsilon; the largest radius is below 9. */
static bool are_close(const struct bench_random *random, const void *found, const void *expected)
{
	if (random->distribution != BENCH_RANDOM_NORMAL)
		return memcmp(found, expected, random->count * bench_dtype_bytes(random->dtype)) == 0;
	double slack = 20 * 9 * (random->dtype == BENCH_F64 ? 0x1p-52 : 0x1p-23);
	for (size_t i = 0; i < random->count; i++)
		if (!(fabs(value_at(random, found, i) - value_at(random, expected, i)) <= slack))
			return false;
	return true;
}

static void expect_as_reference(const struct bench_backend *backend, struct bench_device *device,
				struct bench_random random)
{
	struct bench_device_info info;
	struct bench_device *reference = open_first(&bench_backend_reference, &info);
	size_t bytes = random.count * bench_dtype_bytes(random.dtype);
	char *found = malloc(bytes + GUARD), *expected = malloc(bytes + GUARD), guard[GUARD];
	assert_true(found && expected);
	memset(guard, 0xff, sizeof(guard));
	fill(backend, device, random, found, bytes + GUARD);
	fill(&bench_backend_reference, reference, random, expected, bytes + GUARD);
	if (!are_close(&random, found, expected))
		fail_msg("%s: distribution %d, %zu elements of %zu bytes differ", backend->name,
			 (int)random.distribution, random.count, bench_dtype_bytes(random.dtype));
	assert_memory_equal(found + bytes, guard, GUARD);
	bench_backend_reference.close(reference);
	free(found);
	free(expected);
}

static void every_tail_is_written_and_nothing_beyond(void **state)
{
	(void)state;
	static const size_t counts[] = {1,  2,  3,  4,  5,  7,   8,   15,  16,   17,   31,
					32, 33, 63, 64, 65, 127, 128, 129, 1023, 65537};
	for (size_t i = 0; i < 2; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		for (unsigned variant = 0; device && variant < 6; variant++) {
			struct bench_random random = {
				.distribution = (enum bench_random_distribution)(variant / 2),
				.dtype = variant & 1 ? BENCH_F64 : BENCH_F32,
				.seed = 0x123456789abcdef0,
				.stream = 5,
				.position = UINT32_MAX - 3, /* the low word overflows within a work-item */
			};
			for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
				random.count = counts[j];
				if (random.dtype == BENCH_F32 || info.f64)
					expect_as_reference(backends[i], device, random);
			}
		}
		if (device)
			backends[i]->close(device);
	}
}

static void what_does_not_fit_or_is_not_there_is_refused_with_the_reason(void **state)
{
	(void)state;
	static const struct {
		struct bench_random random;
		enum bench_code code;
		const char *part;
	} wrong[] = {
		{{.count = 0}, BENCH_USAGE, "do not fit"},
		{{.count = 65}, BENCH_USAGE, "do not fit"},
		{{.count = 33, .dtype = BENCH_F64}, BENCH_USAGE, "do not fit"},
		{{.count = SIZE_MAX}, BENCH_USAGE, "do not fit"},
		{{.count = 8, .dtype = BENCH_F16}, BENCH_UNSUPPORTED, "f16"},
	};
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		for (size_t j = 0; device && j < sizeof(wrong) / sizeof(wrong[0]); j++) {
			struct bench_random random = wrong[j].random;
			struct bench_error error = {0};
			if (random.dtype == BENCH_F64 && !info.f64)
				continue;
			require(backends[i]->alloc(device, 64 * sizeof(float), &random.out, &error),
				backends[i], &error);
			assert_int_equal(backends[i]->random(device, &random, &error), -1);
			assert_int_equal(error.code, wrong[j].code);
			assert_non_null(strstr(error.text, wrong[j].part));
			backends[i]->release(device, random.out);
		}
		if (device)
			backends[i]->close(device);
	}
}

static void the_suite_is_right_on_all_backends(void **state)
{
	(void)state;
	static const char *const settings[] = {"count=1",
					       "distribution=bits count=1000",
					       "distribution=bits count=100003 dtype=f64",
					       "count=100003",
					       "count=70001 dtype=f64",
					       "distribution=normal count=2",
					       "distribution=normal count=200003",
					       "distribution=normal count=70001 dtype=f64"};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		for (size_t j = 0; j < BACKENDS; j++) {
			struct fixture fixture;
			struct bench_error error = {0};
			if (!open_fixture(&fixture, &bench_suite_random, backends[j], settings[i], &error)) {
				print_message("skipped: %s: %s\n", backends[j]->name, error.text);
				continue;
			}
			if (fixture.info.f64 || !strstr(settings[i], "f64")) {
				must(bench_suite_random.setup(&fixture.bench_case, &error), &fixture, "setup",
				     &error);
				struct bench_check check =
					prepare_run_check(&fixture, (const uint64_t[]){1, 3}, 2);
				if (!(check.error <= check.tolerance))
					fail_msg("%s on %s: error %g", settings[i], backends[j]->name,
						 check.error);
			}
			close_fixture(&fixture);
		}
}

static const struct bench_backend *const right = &bench_backend_openblas;

static int does_nothing(struct bench_device *device, const struct bench_random *random,
			struct bench_error *error)
{
	(void)device;
	(void)random;
	(void)error;
	return 0;
}

static int drops_last(struct bench_device *device, const struct bench_random *random,
		      struct bench_error *error)
{
	struct bench_random shorter = *random;
	shorter.count--;
	return shorter.count ? right->random(device, &shorter, error) : 0;
}

static int takes_another_stream(struct bench_device *device, const struct bench_random *random,
				struct bench_error *error)
{
	struct bench_random other = *random;
	other.stream++;
	return right->random(device, &other, error);
}

static int starts_a_block_late(struct bench_device *device, const struct bench_random *random,
			       struct bench_error *error)
{
	struct bench_random other = *random;
	other.position++;
	return right->random(device, &other, error);
}

static int takes_another_distribution(struct bench_device *device, const struct bench_random *random,
				      struct bench_error *error)
{
	struct bench_random other = *random;
	other.distribution =
		random->distribution == BENCH_RANDOM_UNIFORM ? BENCH_RANDOM_NORMAL : BENCH_RANDOM_UNIFORM;
	return right->random(device, &other, error);
}

/* The element in the middle has another lowest bit, or, of normal ones (f32), one in the middle of its
 * digits. */
static int is_off_by_a_little(struct bench_device *device, const struct bench_random *random,
			      struct bench_error *error)
{
	size_t bytes = random->count * bench_dtype_bytes(random->dtype);
	char *out = malloc(bytes);
	int status = right->random(device, random, error) ||
		     right->download(device, random->out, out, bytes, error);
	char *middle = out + random->count / 2 * bench_dtype_bytes(random->dtype);
	if (random->distribution == BENCH_RANDOM_NORMAL)
		middle[1] ^= 16;
	else
		middle[0] ^= 1;
	status = status || right->upload(device, random->out, out, bytes, error);
	free(out);
	return status ? -1 : 0;
}

static void wrong_random_numbers_are_incorrect(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		int (*random)(struct bench_device *device, const struct bench_random *random,
			      struct bench_error *error);
	} wrongs[] = {
		{"an operation that does nothing", does_nothing},
		{"the last element dropped", drops_last},
		{"another stream", takes_another_stream},
		{"the first block left out", starts_a_block_late},
		{"another distribution", takes_another_distribution},
		{"one element a little off", is_off_by_a_little},
	};
	static const char *const settings[] = {"distribution=bits count=23",
					       "distribution=bits count=1003 dtype=f64", "count=23",
					       "count=1003 dtype=f64", "distribution=normal count=1003"};
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		for (size_t j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
			struct fixture fixture;
			struct bench_error error = {0};
			struct bench_backend wrong = *right;
			wrong.random = wrongs[i].random;
			assert_true(open_fixture(&fixture, &bench_suite_random, &wrong, settings[j], &error));
			must(bench_suite_random.setup(&fixture.bench_case, &error), &fixture, "setup",
			     &error);
			struct bench_check check = once(&fixture);
			if (check.error <= check.tolerance)
				fail_msg("%s: the check did not see: %s", settings[j], wrongs[i].fault);
			close_fixture(&fixture);
		}
}

static void work_counts_what_is_written(void **state)
{
	(void)state;
	struct fixture fixture = {.suite = &bench_suite_random};
	struct bench_work work = {0};
	struct bench_error error = {0};
	set_values(fixture.suite, "count=1000 dtype=f64", fixture.values);
	fixture.bench_case.values = fixture.values;
	must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
	assert_true(work.flops == 0 && work.items == 1000 && work.bytes == 8000);
	assert_true(work.device_bytes == 8000 && work.largest_bytes == 8000 && work.host_bytes == 8000);
	static const int64_t bad[] = {0, -1, INT64_MAX, INT64_MIN, (int64_t)1 << 58};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fixture.values[param_index(fixture.suite, "count")].integer = bad[i];
		assert_int_equal(fixture.suite->work(&fixture.bench_case, &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
}

static void a_backend_without_random_numbers_is_unsupported(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_backend bare = bench_backend_reference;
	bare.random = NULL;
	assert_true(open_fixture(&fixture, &bench_suite_random, &bare, "", &error));
	assert_int_equal(bench_suite_random.setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "no random numbers"));
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers_are_those_of_random123),
		cmocka_unit_test(the_host_draws_the_same_stream),
		cmocka_unit_test(every_tail_is_written_and_nothing_beyond),
		cmocka_unit_test(what_does_not_fit_or_is_not_there_is_refused_with_the_reason),
		cmocka_unit_test(the_suite_is_right_on_all_backends),
		cmocka_unit_test(wrong_random_numbers_are_incorrect),
		cmocka_unit_test(work_counts_what_is_written),
		cmocka_unit_test(a_backend_without_random_numbers_is_unsupported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
