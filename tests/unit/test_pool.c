/* SPDX-License-Identifier: MIT */
/* The pool of buffers, and the suite that sets it against the backend's own allocation. */
#include <stdlib.h>

#include "suite_fixture.h"
#include "suites/pool/buffer_pool.h"

/* Below bench_backend_reference: counts, and can run out. */
static int allocations, releases, allocations_left;
static size_t last_bytes;

static int counting_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
			  struct bench_error *error)
{
	if (allocations_left <= 0)
		return bench_fail(error, BENCH_NO_MEMORY, "the device is full");
	allocations_left--;
	allocations++;
	last_bytes = bytes;
	return bench_backend_reference.alloc(device, bytes, buffer, error);
}

static void counting_release(struct bench_device *device, struct bench_buffer *buffer)
{
	releases += buffer != NULL;
	allocations_left += buffer != NULL;
	bench_backend_reference.release(device, buffer);
}

static struct bench_backend counting_backend(int capacity)
{
	struct bench_backend backend = bench_backend_reference;
	backend.alloc = counting_alloc;
	backend.release = counting_release;
	allocations = releases = 0;
	allocations_left = capacity;
	return backend;
}

static struct bench_pool *make_pool(const struct bench_backend *backend)
{
	struct bench_error error = {0};
	struct bench_pool *pool = NULL;
	if (bench_pool_make(backend, NULL, &pool, &error))
		fail_msg("%s", error.text);
	return pool;
}

static struct bench_pooled *take(struct bench_pool *pool, size_t bytes)
{
	struct bench_error error = {0};
	struct bench_pooled *pooled = NULL;
	if (bench_pool_acquire(pool, bytes, &pooled, &error))
		fail_msg("%s", error.text);
	assert_true(pooled->bytes >= bytes);
	return pooled;
}

static void give(struct bench_pool *pool, struct bench_pooled *pooled)
{
	struct bench_error error = {0};
	if (bench_pool_release(pool, pooled, &error))
		fail_msg("%s", error.text);
}

static struct bench_pool_stats stats_of(const struct bench_pool *pool)
{
	struct bench_pool_stats stats;
	bench_pool_stats(pool, &stats);
	assert_int_equal(stats.hits + stats.allocations, stats.acquired);
	assert_int_equal(stats.allocations, stats.freed + stats.kept + stats.live);
	assert_true(stats.bytes_live + stats.bytes_kept <= stats.bytes_high);
	return stats;
}

static void classes_are_four_to_a_doubling_and_waste_less_than_a_fifth(void **state)
{
	(void)state;
	static const struct {
		size_t bytes, class_bytes;
	} known[] = {{1, 256},
		     {64, 256},
		     {255, 256},
		     {256, 256},
		     {257, 320},
		     {320, 320},
		     {321, 384},
		     {384, 384},
		     {385, 448},
		     {448, 448},
		     {449, 512},
		     {512, 512},
		     {513, 640},
		     {1024, 1024},
		     {1025, 1280},
		     {(size_t)1 << 30, (size_t)1 << 30},
		     {((size_t)1 << 30) + 1, (size_t)5 << 28},
		     {BENCH_POOL_BYTES_MAX, BENCH_POOL_BYTES_MAX}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(bench_pool_class_bytes(known[i].bytes), known[i].class_bytes);
	size_t before = 0;
	for (size_t bytes = 1; bytes < 100000; bytes++) {
		size_t class_bytes = bench_pool_class_bytes(bytes);
		assert_true(class_bytes >= bytes && class_bytes >= before);
		assert_true(bytes <= 256 || 5 * (class_bytes - bytes) < class_bytes);
		assert_int_equal(bench_pool_class_bytes(class_bytes), class_bytes);
		before = class_bytes;
	}
}

static void what_was_given_back_is_given_out_again_to_its_class_alone(void **state)
{
	(void)state;
	struct bench_backend backend = counting_backend(100);
	struct bench_pool *pool = make_pool(&backend);
	struct bench_pooled *a = take(pool, 1000), *b = take(pool, 1000), *c = take(pool, 5000);
	assert_true(a->buffer != b->buffer && b->buffer != c->buffer && a->buffer != c->buffer);
	assert_int_equal(allocations, 3);
	assert_int_equal(last_bytes, 5120);
	struct bench_buffer *of_a = a->buffer, *of_b = b->buffer;
	give(pool, a);
	give(pool, b);
	assert_int_equal(stats_of(pool).kept, 2);
	assert_int_equal(stats_of(pool).bytes_kept, 2048);
	/* Another class finds nothing; the same class the last one first. */
	struct bench_pooled *d = take(pool, 300), *e = take(pool, 897), *f = take(pool, 1024);
	assert_int_equal(allocations, 4);
	assert_true(e->buffer == of_b && f->buffer == of_a);
	struct bench_pool_stats stats = stats_of(pool);
	assert_int_equal(stats.hits, 2);
	assert_int_equal(stats.acquired, 6);
	assert_int_equal(stats.live, 4);
	assert_int_equal(stats.kept, 0);
	assert_int_equal(stats.bytes_live, 5120 + 320 + 1024 + 1024);
	assert_int_equal(stats.bytes_asked, 1000 + 1000 + 5000 + 300 + 897 + 1024);
	assert_int_equal(stats.bytes_served, 4 * 1024 + 5120 + 320);
	give(pool, c);
	give(pool, d);
	give(pool, e);
	give(pool, f);
	assert_int_equal(releases, 0);
	bench_pool_free(pool);
	assert_int_equal(releases, allocations);
}

static void shrinking_frees_what_has_waited_longest_first(void **state)
{
	(void)state;
	struct bench_backend backend = counting_backend(100);
	struct bench_pool *pool = make_pool(&backend);
	struct bench_pooled *small = take(pool, 1024), *old = take(pool, 4096), *young = take(pool, 4096);
	struct bench_buffer *of_young = young->buffer;
	give(pool, old);
	give(pool, small);
	give(pool, young);
	assert_int_equal(bench_pool_shrink(pool, 100000), 0);
	assert_int_equal(bench_pool_shrink(pool, 9216), 0);
	assert_int_equal(bench_pool_shrink(pool, 9215), 4096);
	assert_int_equal(stats_of(pool).freed, 1);
	struct bench_pooled *again = take(pool, 4096);
	assert_true(again->buffer == of_young);
	give(pool, again);
	assert_int_equal(bench_pool_shrink(pool, 4096), 1024);
	assert_int_equal(bench_pool_shrink(pool, 0), 4096);
	assert_int_equal(stats_of(pool).bytes_kept, 0);
	assert_int_equal(stats_of(pool).bytes_high, 9216);
	assert_int_equal(releases, 3);
	bench_pool_free(pool);
	assert_int_equal(releases, 3);
}

static void a_full_device_gets_back_what_waits_and_is_asked_again(void **state)
{
	(void)state;
	struct bench_backend backend = counting_backend(2);
	struct bench_pool *pool = make_pool(&backend);
	struct bench_pooled *a = take(pool, 1000), *b = take(pool, 2000), *c = NULL;
	give(pool, a);
	c = take(pool, 3000);
	assert_int_equal(releases, 1);
	struct bench_error error = {0};
	struct bench_pooled *none = NULL;
	assert_int_equal(bench_pool_acquire(pool, 4000, &none, &error), -1);
	assert_int_equal(error.code, BENCH_NO_MEMORY);
	assert_string_equal(error.text, "the device is full");
	assert_null(none);
	assert_int_equal(bench_pool_acquire(pool, 4000, &none, NULL), -1);
	assert_int_equal(stats_of(pool).live, 2);
	give(pool, b);
	give(pool, c);
	bench_pool_free(pool);
	assert_int_equal(releases, allocations);
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	struct bench_backend backend = counting_backend(10);
	struct bench_pool *pool = make_pool(&backend);
	struct bench_error error = {0};
	struct bench_pooled *pooled = NULL;
	static const size_t sizes[] = {0, BENCH_POOL_BYTES_MAX + 1, SIZE_MAX};
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(bench_pool_acquire(pool, sizes[i], &pooled, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
	pooled = take(pool, 10);
	assert_int_equal(bench_pool_release(pool, NULL, &error), 0);
	give(pool, pooled);
	assert_int_equal(bench_pool_release(pool, pooled, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(stats_of(pool).kept, 1);
	bench_pool_free(pool);
	bench_pool_free(NULL);
}

static void a_pool_that_is_freed_takes_along_what_is_still_out(void **state)
{
	(void)state;
	struct bench_backend backend = counting_backend(10);
	struct bench_pool *pool = make_pool(&backend);
	struct bench_pooled *a = take(pool, 10);
	take(pool, 10000);
	take(pool, 10);
	give(pool, a);
	bench_pool_free(pool);
	assert_int_equal(allocations, 3);
	assert_int_equal(releases, 3);
}

/* The suite. */

static const char *const settings[] = {"pattern=steady variant=direct",  "pattern=mixed variant=direct",
				       "pattern=growing variant=direct", "pattern=steady variant=pool",
				       "pattern=mixed variant=pool",     "pattern=growing variant=pool"};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

/* A library on top of a backend has its buffers. */
static bool has_buffers_of_its_own(size_t backend)
{
	for (size_t i = 0; i < backend; i++)
		if (bench_backends[i]->alloc == bench_backends[backend]->alloc)
			return false;
	return true;
}

static void buffers_are_right_on_every_backend_in_every_pattern(void **state)
{
	(void)state;
	for (size_t b = 0; bench_backends[b]; b++)
		for (size_t i = 0; i < SETTINGS && has_buffers_of_its_own(b); i++) {
			struct fixture fixture;
			struct bench_error error = {0};
			if (!open_fixture(&fixture, &bench_suite_pool, bench_backends[b], settings[i],
					  &error)) {
				print_message("skipped: %s: %s\n", bench_backends[b]->name, error.text);
				break;
			}
			must(bench_suite_pool.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
			struct bench_check check = once(&fixture);
			assert_true(check.error == 0);
			check = prepare_run_check(&fixture, (const uint64_t[]){1, 2}, 2);
			assert_true(check.error == 0);
			/* The check ran on the timed pool: another one after it finds the counts in order. */
			must(bench_suite_pool.check(&fixture.bench_case, 3, &check, &error), &fixture,
			     "check", &error);
			assert_true(check.error == 0);
			close_fixture(&fixture);
		}
}

static void take_value(void *context, const struct bench_metric_spec *metric, double value)
{
	double *values = context;
	ptrdiff_t index = metric - bench_suite_pool.metrics;
	assert_in_range(index, 0, 4);
	assert_true(values[index] == -1); /* one sample each */
	values[index] = value;
}

enum { ALLOCATIONS, REUSE_RATE, BYTES_HELD, BYTES_WASTED, BYTES_SHRUNK, VALUES };

static void report_of(const char *setting, double *values)
{
	struct fixture fixture;
	struct bench_error error = {0};
	const struct bench_report report = {.context = values, .value = take_value};
	for (size_t i = 0; i < VALUES; i++)
		values[i] = -1;
	assert_true(open_fixture(&fixture, &bench_suite_pool, &bench_backend_reference, setting, &error));
	must(bench_suite_pool.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	assert_true(once(&fixture).error == 0);
	must(bench_suite_pool.report(&fixture.bench_case, &report, &error), &fixture, "report", &error);
	close_fixture(&fixture);
}

static void the_report_is_that_of_one_iteration_from_an_empty_pool(void **state)
{
	(void)state;
	double values[VALUES];
	/* Eight buffers at a time, of the same sizes in each turn: what the first turn took is enough. */
	report_of("pattern=steady variant=pool", values);
	assert_true(values[ALLOCATIONS] == 8);
	assert_true(values[REUSE_RATE] == 56.0 / 64);
	assert_true(values[BYTES_HELD] == 917504 + 458752 + 131072 + 131072 + 10240 + 10240 + 5120 + 512);
	assert_true(values[BYTES_WASTED] > 0.09 && values[BYTES_WASTED] < 0.12);
	assert_true(values[BYTES_SHRUNK] >= values[BYTES_HELD] / 2);
	report_of("pattern=steady variant=direct", values);
	assert_true(values[ALLOCATIONS] == 64);
	assert_true(values[BYTES_HELD] == 802816 + 401408 + 131072 + 131072 + 10240 + 10240 + 5120 + 512);
	assert_true(values[REUSE_RATE] == -1 && values[BYTES_WASTED] == -1 && values[BYTES_SHRUNK] == -1);
	/* Each larger than the one before: little is of use again, and much is held. */
	double direct[VALUES];
	report_of("pattern=growing variant=pool", values);
	report_of("pattern=growing variant=direct", direct);
	assert_true(values[REUSE_RATE] < 0.5);
	assert_true(values[BYTES_HELD] > direct[BYTES_HELD]);
	report_of("pattern=mixed variant=pool", values);
	assert_true(values[ALLOCATIONS] < 64 && values[REUSE_RATE] > 0 && values[REUSE_RATE] < 1);
	assert_true(values[BYTES_WASTED] > 0 && values[BYTES_WASTED] < 0.2);
}

static void work_holds_the_memory_that_the_pool_takes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++) {
		struct fixture fixture = {.suite = &bench_suite_pool};
		struct bench_work work = {0};
		struct bench_error error = {0};
		double values[VALUES];
		set_values(&bench_suite_pool, settings[i], fixture.values);
		fixture.bench_case.values = fixture.values;
		must(bench_suite_pool.work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
		report_of(settings[i], values);
		assert_true(work.items == 64);
		assert_true((double)work.device_bytes >= values[BYTES_HELD]);
		assert_true(work.largest_bytes <= (uint64_t)16 << 20);
		assert_true(work.host_bytes >= (uint64_t)16 << 20);
	}
}

static void a_device_that_fills_up_ends_the_case_and_loses_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++)
		for (int capacity = 0; capacity < 8; capacity += 3) {
			struct fixture fixture;
			struct bench_error error = {0};
			struct bench_backend backend = counting_backend(capacity);
			assert_true(open_fixture(&fixture, &bench_suite_pool, &backend, settings[i], &error));
			must(bench_suite_pool.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
			must(bench_suite_pool.prepare(&fixture.bench_case, &error), &fixture, "prepare",
			     &error);
			if (bench_suite_pool.run(&fixture.bench_case, 1, &error))
				assert_string_equal(error.text, "the device is full");
			close_fixture(&fixture);
			assert_int_equal(allocations, releases);
		}
}

/* Wrong backends and a wrong use of them. */

static struct bench_buffer *shared;
static int shared_users;

/* Two owners of one buffer: what no allocator may do. */
static int alloc_overlapping(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
			     struct bench_error *error)
{
	if (!shared && bench_backend_reference.alloc(device, (size_t)20 << 20, &shared, error))
		return -1;
	(void)bytes;
	shared_users++;
	*buffer = shared;
	return 0;
}

static void release_overlapping(struct bench_device *device, struct bench_buffer *buffer)
{
	if (!buffer || --shared_users > 0)
		return;
	bench_backend_reference.release(device, shared);
	shared = NULL;
}

static int upload_loses_last_byte(struct bench_device *device, struct bench_buffer *buffer, const void *host,
				  size_t bytes, struct bench_error *error)
{
	return bench_backend_reference.upload(device, buffer, host, bytes - 1, error);
}

static int upload_does_nothing(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			       size_t bytes, struct bench_error *error)
{
	(void)device;
	(void)buffer;
	(void)host;
	(void)bytes;
	(void)error;
	return 0;
}

static int alloc_zeroed(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
			struct bench_error *error)
{
	if (bench_backend_reference.alloc(device, bytes, buffer, error))
		return -1;
	void *zeros = calloc(1, bytes);
	int status = bench_backend_reference.upload(device, *buffer, zeros, bytes, error);
	free(zeros);
	return status;
}

static double fault_of(const struct bench_backend *wrong, const char *setting)
{
	struct fixture fixture;
	struct bench_error error = {0};
	assert_true(open_fixture(&fixture, &bench_suite_pool, wrong, setting, &error));
	must(bench_suite_pool.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	double fault = once(&fixture).error;
	close_fixture(&fixture);
	return fault;
}

static void buffers_that_overlap_or_lose_bytes_are_seen(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++) {
		struct bench_backend wrong = bench_backend_reference;
		wrong.alloc = alloc_overlapping;
		wrong.release = release_overlapping;
		assert_true(fault_of(&wrong, settings[i]) > 0);
		assert_null(shared);
		wrong = bench_backend_reference;
		wrong.alloc = alloc_zeroed;
		wrong.upload = upload_loses_last_byte;
		assert_true(fault_of(&wrong, settings[i]) > 0);
		wrong.upload = upload_does_nothing;
		assert_true(fault_of(&wrong, settings[i]) > 0);
	}
}

static void iterations_that_are_left_out_are_seen(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++) {
		struct fixture fixture;
		struct bench_error error = {0};
		struct bench_check check = {0};
		assert_true(open_fixture(&fixture, &bench_suite_pool, &bench_backend_reference, settings[i],
					 &error));
		must(bench_suite_pool.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		must(bench_suite_pool.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
		must(bench_suite_pool.run(&fixture.bench_case, 2, &error), &fixture, "run", &error);
		must(bench_suite_pool.check(&fixture.bench_case, 3, &check, &error), &fixture, "check",
		     &error);
		assert_true(check.error > check.tolerance);
		close_fixture(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_four_to_a_doubling_and_waste_less_than_a_fifth),
		cmocka_unit_test(what_was_given_back_is_given_out_again_to_its_class_alone),
		cmocka_unit_test(shrinking_frees_what_has_waited_longest_first),
		cmocka_unit_test(a_full_device_gets_back_what_waits_and_is_asked_again),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_pool_that_is_freed_takes_along_what_is_still_out),
		cmocka_unit_test(buffers_are_right_on_every_backend_in_every_pattern),
		cmocka_unit_test(the_report_is_that_of_one_iteration_from_an_empty_pool),
		cmocka_unit_test(work_holds_the_memory_that_the_pool_takes),
		cmocka_unit_test(a_device_that_fills_up_ends_the_case_and_loses_nothing),
		cmocka_unit_test(buffers_that_overlap_or_lose_bytes_are_seen),
		cmocka_unit_test(iterations_that_are_left_out_are_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
