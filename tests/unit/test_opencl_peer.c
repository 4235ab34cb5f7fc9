/* SPDX-License-Identifier: MIT */
/* Copies from one OpenCL device to another: two devices of PoCL, where it is there and takes that. */
#include <string.h>

#include "opencl_fixture.h"

enum { BYTES = 100003, TIMES = 50 };

static const struct bench_peer_hooks *peers;

static void skip_without_two(void)
{
	struct bench_error error;
	struct bench_device_info info[2];
	size_t count;
	skip_without_device();
	require(cl->devices(info, 2, &count, &error), &error);
	if (count == 2 && strcmp(info[0].platform, info[1].platform) == 0)
		return;
	print_message("skipped: the OpenCL devices are not two of one platform\n");
	skip();
}

static unsigned char *made(unsigned seed)
{
	unsigned char *bytes = malloc(BYTES);
	assert_non_null(bytes);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (unsigned char)((i * 7 + seed * 31 + i / 251) & 0xff);
	return bytes;
}

static struct bench_peer *open_pair(size_t source, size_t target, size_t bytes)
{
	struct bench_error error;
	struct bench_peer *peer;
	require(peers->open(source, target, bytes, &peer, &error), &error);
	return peer;
}

/* What is at one end. */
static void expect_at(struct bench_peer *peer, enum bench_peer_end end, const unsigned char *expected)
{
	struct bench_error error;
	unsigned char *found = calloc(1, BYTES);
	assert_non_null(found);
	require(peers->read(peer, end, found, &error), &error);
	assert_memory_equal(found, expected, BYTES);
	free(found);
}

static void every_byte_arrives_and_each_copy_brings_what_the_source_has_then(void **state)
{
	(void)state;
	skip_without_two();
	struct bench_error error;
	unsigned char *first = made(1), *second = made(2), *nothing = made(3);
	for (size_t source = 0; source < 2; source++) {
		struct bench_peer *peer = open_pair(source, 1 - source, BYTES);
		require(peers->write(peer, BENCH_PEER_SOURCE, first, &error), &error);
		require(peers->write(peer, BENCH_PEER_TARGET, nothing, &error), &error);
		expect_at(peer, BENCH_PEER_TARGET, nothing);
		for (int i = 0; i < TIMES; i++)
			require(peers->copy(peer, &error), &error);
		require(peers->finish(peer, &error), &error);
		expect_at(peer, BENCH_PEER_TARGET, first);
		require(peers->write(peer, BENCH_PEER_SOURCE, second, &error), &error);
		expect_at(peer, BENCH_PEER_TARGET, first);
		require(peers->copy(peer, &error), &error);
		expect_at(peer, BENCH_PEER_TARGET, second);
		expect_at(peer, BENCH_PEER_SOURCE, second);
		/* Written over, the target gets it all again. */
		require(peers->write(peer, BENCH_PEER_TARGET, nothing, &error), &error);
		require(peers->copy(peer, &error), &error);
		expect_at(peer, BENCH_PEER_TARGET, second);
		peers->close(peer);
	}
	free(first);
	free(second);
	free(nothing);
}

static void one_byte_is_copied_and_a_copy_that_is_under_way_may_be_closed(void **state)
{
	(void)state;
	skip_without_two();
	struct bench_error error;
	struct bench_peer *peer = open_pair(0, 1, 1);
	unsigned char byte = 0x5a, found = 0;
	require(peers->write(peer, BENCH_PEER_SOURCE, &byte, &error), &error);
	require(peers->copy(peer, &error), &error);
	require(peers->read(peer, BENCH_PEER_TARGET, &found, &error), &error);
	assert_int_equal(found, byte);
	require(peers->copy(peer, &error), &error);
	peers->close(peer);
	peers->close(NULL);
}

static void devices_that_are_no_pair_are_refused(void **state)
{
	(void)state;
	skip_without_two();
	struct bench_error error;
	struct bench_peer *peer = NULL;
	assert_int_equal(peers->open(0, 0, 16, &peer, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(peers->open(0, 2, 16, &peer, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(peers->open(0, 1, SIZE_MAX / 2, &peer, &error), -1);
	assert_non_null(strstr(error.text, "clCreateBuffer"));
	assert_null(peer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_arrives_and_each_copy_brings_what_the_source_has_then),
		cmocka_unit_test(one_byte_is_copied_and_a_copy_that_is_under_way_may_be_closed),
		cmocka_unit_test(devices_that_are_no_pair_are_refused),
	};
	/* PoCL makes a device of each word. */
	setenv("POCL_DEVICES", "pthread pthread", 1);
	peers = cl->peer;
	return cmocka_run_group_tests_name("opencl_peer", tests, make_scratch, remove_scratch);
}
