/* SPDX-License-Identifier: MIT */
/* The data of suite mnist: IDX files, right and hostile, and drawn digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "kit/rng.h"
#include "scratch.h"
#include "suites/mnist/data.h"
#include "suites/mnist/digits.h"
#include "suites/mnist/idx.h"

#define MNIST_FOLDER BENCH_SOURCE_DIR "/../shared/data/mnist"

enum { TRAIN = 5, TEST = 3, LIMIT = 1 << 20 };

static const char *path_of(const char *folder, const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_plain(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void write_gzip(const char *path, const void *bytes, size_t length)
{
	gzFile file = gzopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(gzwrite(file, bytes, (unsigned)length), length);
	assert_int_equal(gzclose(file), Z_OK);
}

/* An IDX file of `count` images, or labels where rank is 1, in `out`; its length. */
static size_t make_idx(uint8_t *out, unsigned rank, uint32_t count, uint32_t side)
{
	const uint32_t dimensions[] = {count, side, side};
	const uint8_t magic[] = {0, 0, 8, (uint8_t)rank};
	memcpy(out, magic, sizeof(magic));
	size_t length = sizeof(magic), elements = 1;
	for (unsigned d = 0; d < rank; d++) {
		for (int shift = 24; shift >= 0; shift -= 8)
			out[length++] = (uint8_t)(dimensions[d] >> shift);
		elements *= dimensions[d];
	}
	for (size_t i = 0; i < elements; i++)
		out[length++] = (uint8_t)(i % 10);
	return length;
}

static void expect_refused(const char *path, unsigned rank, const char *said)
{
	struct bench_idx idx;
	struct bench_error error = {0};
	assert_int_equal(bench_idx_read(path, rank, LIMIT, &idx, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_null(idx.data);
	if (!strstr(error.text, said) || !strstr(error.text, path))
		fail_msg("'%s' does not say '%s' of %s", error.text, said, path);
}

static void a_file_is_read_whole_plain_and_compressed(void **state)
{
	/* More than the reader takes at a time. */
	static uint8_t bytes[16 + 1300 * 784];
	size_t length = make_idx(bytes, 3, 1300, 28);
	const char *path = path_of(*state, "images");
	for (int compressed = 0; compressed < 2; compressed++) {
		struct bench_idx idx;
		struct bench_error error;
		(compressed ? write_gzip : write_plain)(path, bytes, length);
		if (bench_idx_read(path, 3, LIMIT, &idx, &error) != 0)
			fail_msg("%s", error.text);
		assert_int_equal(idx.dimensions[0], 1300);
		assert_int_equal(idx.dimensions[1], 28);
		assert_int_equal(idx.dimensions[2], 28);
		assert_int_equal(idx.bytes, 1300 * 784);
		assert_memory_equal(idx.data, bytes + 16, idx.bytes);
		assert_int_equal(idx.crc, crc32(0, bytes, (unsigned)length));
		bench_idx_free(&idx);
		assert_null(idx.data);
	}
}

static void a_header_that_lies_is_refused_with_the_byte_and_what_was_expected(void **state)
{
	static const struct {
		size_t at, length; /* bytes that are put there */
		const char *bytes, *said;
	} rows[] = {
		{0, 1, "\1", "byte 0 is 1 where 0 was expected"},
		{1, 1, "\xff", "byte 1 is 255 where 0"},
		{2, 1, "\x0d", "byte 2 is 13 where 8 was expected (8, for unsigned bytes)"},
		{3, 1, "\1", "byte 3 is 1 where 3 was expected"},
		{4, 4, "\0\0\0\0", "byte 4: dimension 1 is 0"},
		{4, 4, "\xff\xff\xff\xff", "byte 4: dimension 1 is 4294967295"},
		{8, 4, "\0\0\0\0", "byte 8: dimension 2 is 0"},
		{4, 12, "\0\1\0\0\0\1\0\0\0\0\0\1", "byte 8: dimension 2 is 65536"},
		{4, 12, "\x80\0\0\0\x80\0\0\0\x80\0\0\0", "byte 4"},
		{12, 4, "\0\0\0\x1d", NULL}, /* one more column than there are bytes for */
		{12, 4, "\0\0\0\x1b", NULL},
	};
	uint8_t good[16 + TRAIN * 784], bytes[sizeof(good)];
	size_t length = make_idx(good, 3, TRAIN, 28);
	const char *path = path_of(*state, "images");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(bytes, good, length);
		memcpy(bytes + rows[i].at, rows[i].bytes, rows[i].length);
		write_plain(path, bytes, length);
		expect_refused(path, 3,
			       rows[i].said ? rows[i].said : "it has 3936 bytes where its header says");
		write_gzip(path, bytes, length);
		bool more = rows[i].bytes[rows[i].length - 1] == 0x1d;
		expect_refused(path, 3,
			       rows[i].said ? rows[i].said
			       : more       ? "it ends at byte 3936 of its contents: its header says 4076"
					    : "it goes on after byte 3796");
	}
}

static void a_file_that_is_short_or_long_or_none_is_refused(void **state)
{
	uint8_t bytes[16 + TRAIN * 784 + 1] = {0};
	size_t length = make_idx(bytes, 3, TRAIN, 28);
	const char *path = path_of(*state, "images");
	expect_refused(path, 3, "No such file");
	for (size_t cut = 0; cut < 16; cut++) {
		write_plain(path, bytes, cut);
		expect_refused(path, 3, "it ends at byte");
		write_gzip(path, bytes, cut);
		expect_refused(path, 3, "it ends at byte");
	}
	write_plain(path, bytes, length - 1);
	expect_refused(path, 3, "it has 3935 bytes where its header says 3936");
	write_plain(path, bytes, length + 1);
	expect_refused(path, 3, "it has 3937 bytes where its header says 3936");
	write_gzip(path, bytes, length - 1);
	expect_refused(path, 3, "it ends at byte 3935");
	write_gzip(path, bytes, length + 1);
	expect_refused(path, 3, "it goes on after byte 3936");
	expect_refused(*state, 3, "no regular file");
	expect_refused("/dev/zero", 3, "no regular file");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refused(path, 3, "no regular file");
}

/* The whole of a small file in `out`; its length. */
static size_t read_back(const char *path, uint8_t *out, size_t size)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t length = fread(out, 1, size, file);
	fclose(file);
	assert_true(length < size);
	return length;
}

static void a_compressed_file_that_is_cut_or_damaged_is_refused(void **state)
{
	uint8_t bytes[16 + TRAIN * 784], packed[sizeof(bytes) + 100];
	size_t length = make_idx(bytes, 3, TRAIN, 28);
	const char *path = path_of(*state, "images");
	write_gzip(path, bytes, length);
	size_t packed_length = read_back(path, packed, sizeof(packed));
	for (size_t cut = 2; cut < packed_length; cut++) {
		write_plain(path, packed, cut);
		expect_refused(path, 3, "");
	}
	packed[packed_length - 6] ^= 1; /* of its checksum */
	write_plain(path, packed, packed_length);
	expect_refused(path, 3, "damaged after byte");
}

static void a_file_that_was_mutated_at_random_never_gives_more_than_it_holds(void **state)
{
	uint8_t good[16 + TRAIN * 784], bytes[sizeof(good) + 100];
	size_t plain_length = make_idx(good, 3, TRAIN, 28);
	const char *path = path_of(*state, "images");
	struct bench_rng rng;
	bench_rng_start(&rng, 11, 0);
	unsigned accepted = 0;
	for (int round = 0; round < 2000; round++) {
		size_t length = plain_length;
		memcpy(bytes, good, length);
		if (round % 2) {
			write_gzip(path, good, plain_length);
			length = read_back(path, bytes, sizeof(bytes));
		}
		/* Most of what can go wrong is in the first bytes. */
		for (uint64_t changes = bench_rng_below(&rng, 4); changes > 0; changes--) {
			size_t within = bench_rng_below(&rng, 3) ? 32 : length;
			bytes[bench_rng_below(&rng, within)] = (uint8_t)bench_rng_u32(&rng);
		}
		if (bench_rng_below(&rng, 4) == 0)
			length = bench_rng_below(&rng, length);
		write_plain(path, bytes, length);
		struct bench_idx idx;
		struct bench_error error = {0};
		if (bench_idx_read(path, 3, LIMIT, &idx, &error) != 0) {
			assert_non_null(strstr(error.text, path));
			continue;
		}
		accepted++;
		assert_int_equal(idx.bytes, idx.dimensions[0] * idx.dimensions[1] * idx.dimensions[2]);
		assert_int_equal(idx.bytes, TRAIN * 784);
		bench_idx_free(&idx);
	}
	assert_in_range(accepted, 100, 1500);
}

static const char *const names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
				    "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

/* A folder of TRAIN and TEST images. */
static void make_folder(const char *folder)
{
	for (size_t i = 0; i < 4; i++) {
		uint8_t bytes[16 + TRAIN * 784];
		size_t length = make_idx(bytes, i % 2 ? 1 : 3, i < 2 ? TRAIN : TEST, 28);
		write_plain(path_of(folder, names[i]), bytes, length);
	}
}

static void refuse_folder(const char *folder, const char *said)
{
	struct bench_mnist_data data;
	struct bench_error error = {0};
	assert_int_equal(bench_mnist_load(folder, TRAIN, TEST, &data, &error), -1);
	assert_null(data.train.images);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	if (!strstr(error.text, said))
		fail_msg("'%s' does not say '%s'", error.text, said);
}

static void a_folder_of_four_files_that_fit_is_loaded(void **state)
{
	struct bench_mnist_data data;
	struct bench_error error = {0};
	make_folder(*state);
	if (bench_mnist_load(*state, TRAIN, TEST, &data, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(data.train.count, TRAIN);
	assert_int_equal(data.test.count, TEST);
	assert_int_equal(data.test.images[3 * 784 - 1], (3 * 784 - 1) % 10);
	assert_int_equal(data.train.labels[TRAIN - 1], TRAIN - 1);
	assert_false(data.genuine);
	bench_mnist_free(&data);
}

/* With a dot for the second dash, compressed, and beside folders that archives were unpacked into. */
static void files_are_found_by_all_of_their_names(void **state)
{
	struct bench_mnist_data data;
	struct bench_error error = {0};
	for (int compressed = 0; compressed < 2; compressed++) {
		for (size_t i = 0; i < 4; i++) {
			uint8_t bytes[16 + TRAIN * 784];
			char name[64];
			size_t length = make_idx(bytes, i % 2 ? 1 : 3, i < 2 ? TRAIN : TEST, 28);
			snprintf(name, sizeof(name), "%s%s", names[i], compressed ? ".gz" : "");
			*strstr(name, "-idx") = '.';
			(compressed ? write_gzip : write_plain)(path_of(*state, name), bytes, length);
			if (!compressed)
				assert_int_equal(mkdir(path_of(*state, names[i]), 0700), 0);
		}
		if (bench_mnist_load(*state, TRAIN, TEST, &data, &error) != 0)
			fail_msg("%s", error.text);
		assert_int_equal(data.train.labels[TRAIN - 1], TRAIN - 1);
		bench_mnist_free(&data);
		for (size_t i = 0; i < 4; i++) {
			char name[64];
			snprintf(name, sizeof(name), "%s", names[i]);
			*strstr(name, "-idx") = '.';
			unlink(path_of(*state, name));
		}
	}
}

static void files_that_do_not_fit_each_other_are_refused_by_name(void **state)
{
	uint8_t bytes[16 + TRAIN * 784];
	refuse_folder(*state,
		      "has none of train-images-idx3-ubyte, train-images.idx3-ubyte and the same with .gz");
	make_folder(*state);
	unlink(path_of(*state, names[3]));
	refuse_folder(*state, "t10k-labels-idx1-ubyte");
	write_plain(path_of(*state, names[3]), bytes, make_idx(bytes, 1, TEST - 1, 1));
	refuse_folder(*state, "t10k-labels-idx1-ubyte: it holds 2 x 1 x 1, and 3 x 1 x 1 were expected");
	make_folder(*state);
	write_plain(path_of(*state, names[0]), bytes, make_idx(bytes, 3, TRAIN, 27));
	refuse_folder(*state, "it holds 5 x 27 x 27");
	make_folder(*state);
	write_plain(path_of(*state, names[0]), bytes, make_idx(bytes, 1, TRAIN, 1));
	refuse_folder(*state, "byte 3 is 1 where 3 was expected");
	make_folder(*state);
	size_t length = make_idx(bytes, 1, TRAIN, 1);
	bytes[length - 2] = 10;
	write_plain(path_of(*state, names[1]), bytes, length);
	refuse_folder(*state, "byte 11 of its contents: label 10, and 0 to 9 were expected");
}

static void mnist_itself_is_known(void **state)
{
	(void)state;
	struct bench_mnist_data data;
	struct bench_error error = {0};
	if (access(MNIST_FOLDER, R_OK) != 0) {
		print_message("skipped: there is no folder %s\n", MNIST_FOLDER);
		skip();
	}
	if (bench_mnist_load(MNIST_FOLDER, BENCH_MNIST_TRAIN, BENCH_MNIST_TEST, &data, &error) != 0)
		fail_msg("%s", error.text);
	assert_true(data.genuine);
	assert_int_equal(data.train.labels[0], 5);
	assert_int_equal(data.test.labels[0], 7);
	bench_mnist_free(&data);
}

static struct bench_value value_of(const char *given)
{
	static const struct bench_param param = {
		"data", BENCH_PARAM_PATH, "synthetic", "synthetic|mnist", 0, 0, "data"};
	struct bench_value value;
	struct bench_error error;
	assert_int_equal(bench_value_parse(&param, given, &value, &error), 0);
	return value;
}

/* Files of the right sizes that are not MNIST's, in a folder of that name and of another. */
static void a_folder_named_mnist_must_hold_it(void **state)
{
	static const struct {
		uint32_t rank, count;
	} shapes[] = {
		{3, BENCH_MNIST_TRAIN}, {1, BENCH_MNIST_TRAIN}, {3, BENCH_MNIST_TEST}, {1, BENCH_MNIST_TEST}};
	char folder[200], other[200];
	struct bench_mnist_data data;
	struct bench_error error = {0};
	uint8_t *bytes = malloc(16 + (size_t)BENCH_MNIST_TRAIN * BENCH_MNIST_PIXELS);
	assert_non_null(bytes);
	snprintf(folder, sizeof(folder), "%s/mnist", (const char *)*state);
	snprintf(other, sizeof(other), "%s/other", (const char *)*state);
	assert_int_equal(mkdir(folder, 0700), 0);
	for (size_t i = 0; i < 4; i++)
		write_plain(path_of(folder, names[i]), bytes,
			    make_idx(bytes, shapes[i].rank, shapes[i].count, BENCH_MNIST_SIDE));
	free(bytes);
	struct bench_value value = value_of(folder);
	assert_int_equal(bench_mnist_get(&value, 1, 300, 50, &data, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "are not MNIST's"));
	bench_mnist_free(&data);
	assert_int_equal(rename(folder, other), 0);
	value = value_of(other);
	if (bench_mnist_get(&value, 1, 300, 50, &data, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(data.train.count, 300);
	assert_int_equal(data.test.count, 50);
	assert_false(data.drawn || data.genuine);
	bench_mnist_free(&data);
}

static void drawn_digits_are_the_same_for_any_number_of_them(void **state)
{
	(void)state;
	const size_t pixels = BENCH_MNIST_PIXELS;
	struct bench_mnist_data few, many, other;
	struct bench_error error;
	assert_int_equal(bench_mnist_draw(1, 20, 5, &few, &error), 0);
	assert_int_equal(bench_mnist_draw(1, 50, 9, &many, &error), 0);
	assert_int_equal(bench_mnist_draw(2, 20, 5, &other, &error), 0);
	assert_memory_equal(few.train.images, many.train.images, 20 * pixels);
	assert_memory_equal(few.test.labels, many.test.labels, 5);
	assert_memory_not_equal(few.train.images, other.train.images, 20 * pixels);
	assert_memory_not_equal(few.train.images, few.test.images, 5 * pixels);
	bench_mnist_free(&few);
	bench_mnist_free(&many);
	bench_mnist_free(&other);
}

/*
 * Every digit is as frequent, has an empty margin, and is like its own kind: to the mean image of its
 * digit far more are nearest than by chance, and not so many that there is nothing to learn.
 */
static void drawn_digits_look_like_their_kind(void **state)
{
	(void)state;
	enum { COUNT = 4000 };
	struct bench_mnist_data data;
	struct bench_error error;
	static double means[BENCH_MNIST_CLASSES][BENCH_MNIST_PIXELS];
	size_t counts[BENCH_MNIST_CLASSES] = {0}, right = 0;
	assert_int_equal(bench_mnist_draw(3, COUNT, COUNT, &data, &error), 0);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t label = data.train.labels[i];
		counts[label]++;
		for (size_t p = 0; p < BENCH_MNIST_PIXELS; p++)
			means[label][p] += data.train.images[i * BENCH_MNIST_PIXELS + p];
	}
	for (size_t c = 0; c < BENCH_MNIST_CLASSES; c++) {
		assert_in_range(counts[c], COUNT / 10 - 100, COUNT / 10 + 100);
		for (size_t p = 0; p < BENCH_MNIST_PIXELS; p++)
			means[c][p] /= (double)counts[c];
		assert_true(means[c][0] < 20);
	}
	for (size_t i = 0; i < COUNT; i++) {
		size_t nearest = 0;
		double least = 1e300;
		for (size_t c = 0; c < BENCH_MNIST_CLASSES; c++) {
			double distance = 0;
			for (size_t p = 0; p < BENCH_MNIST_PIXELS; p++) {
				double d = data.test.images[i * BENCH_MNIST_PIXELS + p] - means[c][p];
				distance += d * d;
			}
			if (distance < least) {
				least = distance;
				nearest = c;
			}
		}
		right += nearest == data.test.labels[i];
	}
	assert_in_range(right, COUNT * 35 / 100, COUNT * 8 / 10);
	bench_mnist_free(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(a_file_is_read_whole_plain_and_compressed),
		in_scratch(a_header_that_lies_is_refused_with_the_byte_and_what_was_expected),
		in_scratch(a_file_that_is_short_or_long_or_none_is_refused),
		in_scratch(a_compressed_file_that_is_cut_or_damaged_is_refused),
		in_scratch(a_file_that_was_mutated_at_random_never_gives_more_than_it_holds),
		in_scratch(a_folder_of_four_files_that_fit_is_loaded),
		in_scratch(files_are_found_by_all_of_their_names),
		in_scratch(files_that_do_not_fit_each_other_are_refused_by_name),
		cmocka_unit_test(mnist_itself_is_known),
		in_scratch(a_folder_named_mnist_must_hold_it),
		cmocka_unit_test(drawn_digits_are_the_same_for_any_number_of_them),
		cmocka_unit_test(drawn_digits_look_like_their_kind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
