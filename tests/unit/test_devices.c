/* SPDX-License-Identifier: MIT */
/* Suite devices on a backend of three devices, each of which is the reference: right, and wrong, beside
 * others. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "suite_fixture.h"

enum { DEVICES = 3 };

static int three(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	struct bench_device_info one;
	if (bench_backend_reference.devices(&one, 1, count, error))
		return -1;
	*count = DEVICES;
	for (size_t i = 0; i < capacity && i < DEVICES; i++)
		info[i] = one;
	return 0;
}

/* The second one is of another kind. */
static int three_of_two_kinds(struct bench_device_info *info, size_t capacity, size_t *count,
			      struct bench_error *error)
{
	if (three(info, capacity, count, error))
		return -1;
	if (capacity > 1)
		info[1].kind = BENCH_DEVICE_GPU;
	return 0;
}

static atomic_bool opened[DEVICES]; /* by a station or a gang */

static int open_one(size_t index, const struct bench_open_options *options, struct bench_device **device,
		    struct bench_error *error)
{
	assert_in_range(index, 0, DEVICES - 1);
	opened[index] = true;
	return bench_backend_reference.open(0, options, device, error);
}

static int open_two(size_t index, const struct bench_open_options *options, struct bench_device **device,
		    struct bench_error *error)
{
	if (index == 2)
		return bench_fail(error, BENCH_UNSUPPORTED, "device 2 is away");
	return open_one(index, options, device, error);
}

/* A pair of devices that are memory. */
struct bench_peer {
	size_t bytes;
	unsigned char *ends[2];
};

static int open_peer(size_t source, size_t target, size_t bytes, struct bench_peer **peer,
		     struct bench_error *error)
{
	(void)error;
	assert_int_not_equal(target, source);
	opened[source] = opened[target] = true;
	*peer = malloc(sizeof(**peer));
	**peer = (struct bench_peer){bytes, {calloc(1, bytes), calloc(1, bytes)}};
	return 0;
}

static void close_peer(struct bench_peer *peer)
{
	free(peer->ends[0]);
	free(peer->ends[1]);
	free(peer);
}

static int write_end(struct bench_peer *peer, enum bench_peer_end end, const void *host,
		     struct bench_error *error)
{
	(void)error;
	memcpy(peer->ends[end], host, peer->bytes);
	return 0;
}

static int read_end(struct bench_peer *peer, enum bench_peer_end end, void *host, struct bench_error *error)
{
	(void)error;
	memcpy(host, peer->ends[end], peer->bytes);
	return 0;
}

static int copy_all(struct bench_peer *peer, struct bench_error *error)
{
	return write_end(peer, BENCH_PEER_TARGET, peer->ends[BENCH_PEER_SOURCE], error);
}

static int copy_all_but_a_byte(struct bench_peer *peer, struct bench_error *error)
{
	(void)error;
	memcpy(peer->ends[BENCH_PEER_TARGET], peer->ends[BENCH_PEER_SOURCE], peer->bytes - 1);
	return 0;
}

static int finish_peer(struct bench_peer *peer, struct bench_error *error)
{
	(void)peer;
	(void)error;
	return 0;
}

static const struct bench_peer_hooks peers = {.open = open_peer,
					      .close = close_peer,
					      .write = write_end,
					      .read = read_end,
					      .copy = copy_all,
					      .finish = finish_peer};

static struct bench_backend backend_of_three(void)
{
	struct bench_backend backend = bench_backend_reference;
	backend.devices = three;
	backend.open = open_one;
	backend.peer = &peers;
	return backend;
}

static int upload_is_wrong_at_the_end(struct bench_device *device, struct bench_buffer *buffer,
				      const void *host, size_t bytes, struct bench_error *error)
{
	unsigned char *copy = malloc(bytes);
	memcpy(copy, host, bytes);
	copy[bytes - 1] = 0x55; /* twice is as wrong as once */
	int result = bench_backend_reference.upload(device, buffer, copy, bytes, error);
	free(copy);
	return result;
}

static int gemm_does_nothing(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	(void)device;
	(void)gemm;
	(void)error;
	return 0;
}

static void open_on(struct fixture *fixture, const struct bench_backend *backend, const char *setting)
{
	struct bench_error error = {0};
	assert_true(open_fixture(fixture, &bench_suite_devices, backend, setting, &error));
	must(bench_suite_devices.setup(&fixture->bench_case, &error), fixture, setting, &error);
}

static const char *const works[] = {"work=gemm n=33", "work=upload n=17", "work=download n=16",
				    "work=exchange n=19", "work=peer n=18"};
enum { WORKS = sizeof(works) / sizeof(works[0]) };

static void each_work_is_right_alone_and_beside_others(void **state)
{
	static const char *const company[] = {"none", "alike", "all"};
	(void)state;
	const struct bench_backend backend = backend_of_three();
	for (size_t i = 0; i < WORKS; i++)
		for (size_t beside = 0; beside < 3; beside++) {
			struct fixture fixture;
			struct bench_check check;
			char setting[64];
			snprintf(setting, sizeof(setting), "%s beside=%s", works[i], company[beside]);
			open_on(&fixture, &backend, setting);
			check = once(&fixture);
			assert_true(check.error <= check.tolerance);
			check = prepare_run_check(&fixture, (const uint64_t[]){1, 40, 2}, 3);
			assert_true(check.error <= check.tolerance);
			close_fixture(&fixture);
		}
}

static void take_value(void *context, const struct bench_metric_spec *metric, double value)
{
	(void)metric;
	*(double *)context = value;
}

/* Devices that have no PCI address are placed nowhere, and that is said. */
static void take_note(void *context, const char *name, const char *text)
{
	(void)context;
	assert_string_equal(name, "placement");
	if (strncmp(text, "not placed: ", 12) != 0 || !strstr(text, "NUMA node"))
		fail_msg("%s: %s", name, text);
}

/* In iterations a second: those of this device, and what the others did meanwhile. */
static double all_rate_of(const struct bench_backend *backend, const char *setting, uint64_t iterations)
{
	struct fixture fixture;
	struct bench_error error = {0};
	double rate = 0;
	const struct bench_report report = {.context = &rate, .value = take_value, .note = take_note};
	open_on(&fixture, backend, setting);
	must(bench_suite_devices.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	must(bench_suite_devices.run(&fixture.bench_case, iterations, &error), &fixture, "run", &error);
	must(bench_suite_devices.observe(&fixture.bench_case, iterations, &error), &fixture, "observe",
	     &error);
	must(bench_suite_devices.report(&fixture.bench_case, &report, &error), &fixture, "report", &error);
	close_fixture(&fixture);
	return rate;
}

static double all_rate(const char *setting)
{
	const struct bench_backend backend = backend_of_three();
	return all_rate_of(&backend, setting, 100);
}

static pthread_t measured; /* the thread of the case's own device */

/* A fifth of a second on that device, thrice as long on the others. */
static int upload_slowly(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			 size_t bytes, struct bench_error *error)
{
	nanosleep(&(struct timespec){.tv_nsec =
					     pthread_equal(pthread_self(), measured) ? 200000000 : 600000000},
		  NULL);
	return bench_backend_reference.upload(device, buffer, host, bytes, error);
}

/* One iteration of this device, a third of one of each of the two others: 5/3. */
static void what_others_are_at_when_a_sample_ends_counts_by_its_part(void **state)
{
	(void)state;
	struct bench_backend backend = backend_of_three();
	measured = pthread_self();
	backend.upload = upload_slowly;
	double alone = all_rate_of(&backend, "work=upload n=16 beside=none", 1);
	double together = all_rate_of(&backend, "work=upload n=16 beside=all", 1);
	assert_true(together > 1.2 * alone && together < 2.5 * alone);
}

static void the_rate_of_all_is_reported(void **state)
{
	(void)state;
	assert_true(all_rate("work=gemm n=24 beside=none") > 0);
	assert_true(all_rate("work=gemm n=24 beside=all") > 0);
}

static void expect_wrong(const struct bench_backend *backend, const char *setting)
{
	struct fixture fixture;
	open_on(&fixture, backend, setting);
	struct bench_check check = once(&fixture);
	if (check.error <= check.tolerance)
		fail_msg("%s: error %g passed", setting, check.error);
	close_fixture(&fixture);
}

static void work_that_is_not_done_is_incorrect(void **state)
{
	(void)state;
	struct bench_backend wrong = backend_of_three();
	wrong.upload = upload_is_wrong_at_the_end;
	expect_wrong(&wrong, "work=upload n=17");
	expect_wrong(&wrong, "work=exchange n=17 beside=all");
	wrong = backend_of_three();
	wrong.gemm = gemm_does_nothing;
	expect_wrong(&wrong, "work=gemm n=17 beside=all");
	struct bench_peer_hooks short_by_one = peers;
	short_by_one.copy = copy_all_but_a_byte;
	wrong = backend_of_three();
	wrong.peer = &short_by_one;
	expect_wrong(&wrong, "work=peer n=17 beside=none");
	expect_wrong(&wrong, "work=peer n=17 beside=all");
}

/* Which devices a case of the first one uses beside it. */
static void expect_opened(const struct bench_backend *backend, const char *setting, bool second, bool third)
{
	struct fixture fixture;
	memset(opened, 0, sizeof(opened));
	open_on(&fixture, backend, setting);
	struct bench_check check = once(&fixture);
	assert_true(check.error <= check.tolerance);
	close_fixture(&fixture);
	if (opened[1] != second || opened[2] != third)
		fail_msg("%s: %d and %d were opened", setting, opened[1], opened[2]);
}

static void company_and_copies_are_of_the_same_kind_where_that_is_asked_for(void **state)
{
	(void)state;
	struct bench_backend backend = backend_of_three();
	expect_opened(&backend, "work=exchange n=16", true, false);
	expect_opened(&backend, "work=peer n=16", true, false);
	expect_opened(&backend, "work=upload n=16 beside=alike", true, true);
	backend.devices = three_of_two_kinds;
	expect_opened(&backend, "work=exchange n=16", false, true);
	expect_opened(&backend, "work=peer n=16", false, true);
	expect_opened(&backend, "work=upload n=16 beside=alike", false, true);
	expect_opened(&backend, "work=peer n=16 beside=alike", false, true);
	expect_opened(&backend, "work=upload n=16 beside=all", true, true);
}

static int three_and_the_first_is_odd(struct bench_device_info *info, size_t capacity, size_t *count,
				      struct bench_error *error)
{
	if (three(info, capacity, count, error))
		return -1;
	for (size_t i = 1; i < capacity && i < DEVICES; i++)
		info[i].kind = BENCH_DEVICE_GPU;
	return 0;
}

static void expect_refused(const struct bench_backend *backend, const char *setting, const char *reason)
{
	struct fixture fixture;
	struct bench_error error = {0};
	assert_true(open_fixture(&fixture, &bench_suite_devices, backend, setting, &error));
	assert_int_equal(bench_suite_devices.setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	if (!strstr(error.text, reason))
		fail_msg("'%s' does not say '%s'", error.text, reason);
	close_fixture(&fixture);
}

static void what_cannot_be_is_refused_with_the_reason(void **state)
{
	(void)state;
	struct bench_backend backend = backend_of_three();
	backend.open = open_two;
	expect_refused(&backend, "beside=all n=16", "device 2 is away");
	expect_refused(&bench_backend_reference, "n=16", "one device");
	expect_refused(&backend, "node=far n=16", "no node is farther than another: ");
	backend.devices = three_and_the_first_is_odd;
	expect_opened(&backend, "work=exchange n=16", true, false); /* alone of its kind: to the next one */
	expect_refused(&backend, "beside=alike n=16", "no other device of its kind (cpu)");
	backend = backend_of_three();
	backend.peer = NULL;
	expect_refused(&backend, "work=peer n=16", "no copies between devices");
	assert_false(bench_suite_devices.runs_on(&bench_backend_reference));
	assert_true(bench_suite_devices.runs_on(&backend));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_work_is_right_alone_and_beside_others),
		cmocka_unit_test(the_rate_of_all_is_reported),
		cmocka_unit_test(what_others_are_at_when_a_sample_ends_counts_by_its_part),
		cmocka_unit_test(work_that_is_not_done_is_incorrect),
		cmocka_unit_test(company_and_copies_are_of_the_same_kind_where_that_is_asked_for),
		cmocka_unit_test(what_cannot_be_is_refused_with_the_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
