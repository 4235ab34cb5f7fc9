/* SPDX-License-Identifier: MIT */
/* The Matrix Market reader: what it reads, what it refuses and how, files that exist, and damaged ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "kit/rng.h"
#include "scratch.h"
#include "suites/spmv/matrix_market.h"

static char folder[200], path[300];

static int make_folder(void **state)
{
	if (make_scratch(state))
		return -1;
	snprintf(folder, sizeof(folder), "%s", (const char *)*state);
	snprintf(path, sizeof(path), "%s/a.mtx", folder);
	return 0;
}

static void write_file(const void *text, size_t length)
{
	FILE *file = fopen(path, "wbe");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static int read_text(const char *text, struct bench_csr *csr, struct bench_error *error)
{
	write_file(text, strlen(text));
	return bench_matrix_market_read(path, csr, error);
}

/* What a matrix must be, whatever it was read from. */
static void expect_sound(const struct bench_csr *csr)
{
	assert_true(csr->rows >= 1 && csr->cols >= 1);
	assert_int_equal(csr->offsets[0], 0);
	assert_int_equal(csr->offsets[csr->rows], csr->entries);
	for (size_t row = 0; row < csr->rows; row++) {
		assert_true(csr->offsets[row] <= csr->offsets[row + 1]);
		for (uint32_t k = csr->offsets[row]; k < csr->offsets[row + 1]; k++) {
			assert_true(csr->columns[k] < csr->cols);
			assert_true(k == csr->offsets[row] || csr->columns[k - 1] < csr->columns[k]);
		}
	}
}

/* Rows separated by '|', "column:value" each. */
static void expect_matrix(const char *text, const char *expected)
{
	struct bench_csr csr;
	struct bench_error error = {0};
	char shown[512];
	size_t at = 0;
	if (read_text(text, &csr, &error))
		fail_msg("%s: %s", text, error.text);
	expect_sound(&csr);
	shown[0] = '\0';
	for (size_t row = 0; row < csr.rows; row++) {
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%s", row ? "|" : "");
		for (uint32_t k = csr.offsets[row]; k < csr.offsets[row + 1]; k++)
			at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%s%u:%g",
					       k > csr.offsets[row] ? " " : "", csr.columns[k],
					       csr.values[k]);
	}
	assert_string_equal(shown, expected);
	bench_csr_free(&csr);
}

static void every_format_field_and_symmetry_is_read(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"%%MatrixMarket matrix coordinate real general\n2 3 3\n2 1 -.5\n1 3 2e3\n1 1 +4.\n",
		 "0:4 2:2000|0:-0.5"},
		{"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 7\n2 1 -12\n", "1:7|0:-12"},
		{"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", "1:1|0:1"},
		{"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 2\n3 2 3\n",
		 "0:5 1:2|0:2 2:3|1:3"},
		{"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "1:1|0:1"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 3\n2 2 0\n",
		 "1:-3|0:3 1:0"},
		{"%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
		 "0:1 1:3 2:5|0:2 1:4 2:6"},
		{"%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", "0:1 1:2|0:2 1:3"},
		{"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
		 "1:-1 2:-2|0:1 2:-3|0:2 1:3"},
		{"%%MatrixMarket matrix array real skew-symmetric\n1 1\n", ""},
		{"%%MatrixMarket matrix coordinate real general\n3 2 0\n", "||"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_matrix(rows[i].text, rows[i].expected);
}

static void what_files_differ_in_makes_no_difference(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"%MatrixMarket matrix coordinate real general \n2 2 2\n1 1 1\n2 2 2\n",
		"%%matrixmarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1\n2 2 2\n",
		"%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1\r\n2 2 2\r\n",
		"%%MatrixMarket\tmatrix  coordinate real\tgeneral\t\n%\n%% c\n\n \t\n2\t2  2 \n\n% in "
		"between\n"
		"  1 1\t1\n\n2 2 2.0\n\n%end\n",
		"%%MatrixMarket matrix coordinate real general\n02 2 2\n01 1 1e0\n2 2 2",
		"%%MATRIXMARKET matrix coordinate double general\n \t% c\n2 2 2\n\t1 1 1.0D+00\n2 2 "
		"20.0d-1\n",
		"%%MatrixMarket matrix coordinate double general\n%\r\n2 2 3\r\n1 1 +1\r\n2 2 .2E1\r\n2 2 "
		"0\r\n%",
		"%%MatrixMarket matrix coordinate integer general\n2 2 2\n2 2 +2\n1 1 0001\n",
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_matrix(texts[i], "0:1|1:2");
}

static void zeros_are_kept_and_entries_of_one_place_summed(void **state)
{
	(void)state;
	expect_matrix("%%MatrixMarket matrix coordinate real general\n"
		      "2 3 6\n2 2 1\n1 2 0\n2 2 2\n2 1 -1\n1 2 0\n2 2 4\n",
		      "1:0|0:-1 1:7");
	expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n2 1 2\n", "1:3|0:3");
	/* More entries than there are places. */
	expect_matrix("%%MatrixMarket matrix coordinate real general\n1 1 3\n1 1 1\n1 1 2\n1 1 4\n", "0:7");
	expect_matrix("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 4\n2 1\n2 1\n1 1\n2 1\n",
		      "0:1 1:3|0:3");
}

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

static void what_is_no_matrix_is_refused_with_the_line_and_what_was_expected(void **state)
{
	(void)state;
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"", "line 1: no Matrix Market file"},
		{"hello\n", "line 1: no Matrix Market file"},
		{"%%MatrixMarket\n", "line 1: the object is ''"},
		{"%%MatrixMarket vector coordinate real general\n", "the object is 'vector'"},
		{"%%MatrixMarket matrix sparse real general\n", "coordinate or array"},
		{"%%MatrixMarket matrix coordinate float general\n", "real, integer or pattern"},
		{"%%MatrixMarket matrix coordinate real odd\n", "general, symmetric or skew-symmetric"},
		{"%%MatrixMarket matrix coordinate real general x\n", "'x' after"},
		{"%%MatrixMarket matrix array pattern general\n1 1\n", "cannot be an array"},
		{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", "cannot be skew"},
		{GENERAL, "line 2: the file ends where the line of sizes"},
		{GENERAL "%\n\n", "line 4: the file ends where the line of sizes"},
		{GENERAL "2 2\n", "line 2: '2 2' should be ROWS COLUMNS ENTRIES"},
		{GENERAL "2 2 1 1\n", "should be ROWS COLUMNS ENTRIES"},
		{GENERAL "0 2 0\n", "from 1 to 2147483647"},
		{GENERAL "-1 2 0\n", "from 1 to 2147483647"},
		{GENERAL "2147483648 2 0\n", "from 1 to 2147483647"},
		{GENERAL "99999999999999999999999 2 0\n", "from 1 to 2147483647"},
		{GENERAL "2 2 99999999999999999999999\n", "ROWS COLUMNS ENTRIES"},
		/* 2^64 + 3 */
		{GENERAL "2 2 18446744073709551619\n1 1 1\n1 2 1\n2 2 1\n", "ROWS COLUMNS ENTRIES"},
		{GENERAL "2 2 1e0\n", "ROWS COLUMNS ENTRIES"},
		{GENERAL "2 2 5\n1 1 1\n", "line 4: the file ends after 1 entries; its sizes promise 5"},
		{GENERAL "2000000 2000000 4000000000\n", "are the most there may be"},
		{GENERAL "2147483647 2147483647 1\n1 1 1\n", "taken for a mistake"},
		{GENERAL "2000000 2 1\n1 1 1\n", "taken for a mistake"},
		{"%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n", "are the most"},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "a symmetric matrix is square"},
		{"%%MatrixMarket matrix array real skew-symmetric\n2 3\n",
		 "a skew-symmetric matrix is square"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 2 1\n",
		 "a skew-symmetric matrix stores the lower half alone"},
		{GENERAL "2 2 2\n1 1 1\n", "line 4: the file ends after 1 entries; its sizes promise 2"},
		{GENERAL "2 2 1\n1 1 1\n2 2 2\n", "line 4: '2 2 2' after the last of 1"},
		{GENERAL "2 2 0\nx\n", "'x' after the last of 0"},
		{GENERAL "2 2 1\n3 1 1\n", "line 3: '3 1 1' should begin with a row from 1 to 2"},
		{GENERAL "2 2 1\n1 0 1\n", "a column from 1 to 2"},
		{GENERAL "2 2 1\n0 0 1\n",
		 "line 3: '0 0 1' should begin with a row from 1 to 2 and a column from 1 "
		 "to 2; the format counts from 1, not from 0"},
		{GENERAL "2 2 1\n1 1 1D\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1D0D0\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1D999\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1 % c\n", "has more than a row, a column and a value"},
		{GENERAL "2 2 1 % c\n1 1 1\n", "should be ROWS COLUMNS ENTRIES"},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1D0\n",
		 "a finite whole number"},
		{GENERAL "2 2 1\n1 -1 1\n", "a column from 1 to 2"},
		{GENERAL "2 2 1\n1.0 1 1\n", "a row from 1 to 2"},
		{GENERAL "2 2 1\n1 18446744073709551617 1\n", "a column from 1 to 2"},
		{GENERAL "2 2 1\n1 1\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 nan\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 -inf\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1e999\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 0x10\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1,5\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1.5.2\n", "a finite decimal number"},
		{GENERAL "2 2 1\n1 1 1 2\n", "has more than a row, a column and a value"},
		{GENERAL "2 2 1\n1 1 \x01\x02\n", "'1 1 ?"
						  "?'"},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
		 "a finite whole number"},
		{"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
		 "more than a row and a column"},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "above the diagonal"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "1 on the diagonal"},
		{"%%MatrixMarket matrix array real general\n2 1\n1\n2 3\n",
		 "line 4: '2 3' should be one finite decimal number: an array has a value a line, column "
		 "after"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_csr csr;
		struct bench_error error = {0};
		assert_int_equal(read_text(rows[i].text, &csr, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		if (!strstr(error.text, rows[i].said) || !strstr(error.text, "/a.mtx, line "))
			fail_msg("'%s' does not say '%s'", error.text, rows[i].said);
		bench_csr_free(&csr);
	}
}

static void complex_numbers_are_unsupported(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
		"%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n",
		"%%MatrixMarket matrix array real hermitian\n1 1\n1\n",
		"%%MatrixMarket matrix array Complex symmetric\n1 1\n1 0\n",
		"%%MatrixMarket matrix coordinate complex skew-symmetric\n1 1 0\n",
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bench_csr csr;
		struct bench_error error = {0};
		assert_int_equal(read_text(texts[i], &csr, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		bench_csr_free(&csr);
	}
}

static void expect_refused(const char *name, const char *said)
{
	struct bench_csr csr;
	struct bench_error error = {0};
	assert_int_equal(bench_matrix_market_read(name, &csr, &error), -1);
	if (!strstr(error.text, said) || !strstr(error.text, name))
		fail_msg("'%s' does not say '%s'", error.text, said);
	bench_csr_free(&csr);
}

static void what_is_no_text_file_is_refused(void **state)
{
	(void)state;
	char name[400];
	snprintf(name, sizeof(name), "%s/missing.mtx", folder);
	expect_refused(name, "No such file");
	expect_refused(folder, "no regular file");
	snprintf(name, sizeof(name), "%s/pipe.mtx", folder);
	assert_int_equal(mkfifo(name, 0600), 0);
	expect_refused(name, "no regular file");
	expect_refused("/dev/zero", "no regular file");

	char *line = malloc(BENCH_MATRIX_MARKET_LINE + 100);
	assert_non_null(line);
	memset(line, '%', BENCH_MATRIX_MARKET_LINE + 100);
	write_file(line, BENCH_MATRIX_MARKET_LINE + 100);
	expect_refused(path, "line 1: longer than 65536 characters");
	memset(line, 0, 16);
	write_file(line, 16);
	expect_refused(path, "a byte of value 0");
	free(line);
}

static void write_compressed(const char *text)
{
	gzFile file = gzopen(path, "wbe");
	assert_non_null(file);
	assert_int_equal(gzputs(file, text), strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

static void a_compressed_file_is_read_and_a_damaged_one_refused(void **state)
{
	(void)state;
	struct bench_csr csr;
	struct bench_error error = {0};
	char text[4096] = GENERAL "100 100 100\n", bytes[4096];
	for (int i = 1; i <= 100; i++) {
		char line[32];
		snprintf(line, sizeof(line), "%d %d %d.25\n", i, 101 - i, i * 7919 % 101);
		strcat(text, line);
	}
	write_compressed(text);
	if (bench_matrix_market_read(path, &csr, &error))
		fail_msg("%s", error.text);
	expect_sound(&csr);
	assert_int_equal(csr.entries, 100);
	bench_csr_free(&csr);

	FILE *file = fopen(path, "rbe");
	assert_non_null(file);
	size_t length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	write_file(bytes, length - 40);
	expect_refused(path, "line "); /* cut off */
	write_file(bytes, length - 4);
	expect_refused(path, "cut off");
	bytes[length / 2] ^= 0x55;
	write_file(bytes, length);
	expect_refused(path, "line ");
}

/* Files of the world, where they are there: $BENCH_TEST_DATA, or ../shared/data beside the project. */
static void matrices_of_the_world_are_read_whole(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t rows, cols, entries, longest;
	} rows[] = {
		{"ash219.mtx", 219, 85, 438, 2},
		{"Franz6_id1959_aug.mtx", 10592, 3016, 48472, 0},
		{"arrow.mtx.gz", 46500, 46500, 139498, 46500},
		{"bcsstk13.mtx", 2003, 2003, 83883, 95},
		{"bcsstk21.mtx", 3600, 3600, 26600, 0},
		{"ca-GrQc.mtx", 4158, 4158, 0, 0},
		{"cryg2500.mtx", 2500, 2500, 12349, 0},
		{"dnn-n1024-l1.mtx", 1024, 1024, 32768, 32},
		{"plskz362.mtx", 362, 362, 1760, 0},
		{"rajat19.mtx", 1157, 1157, 0, 0},
		{"web-spam.mtx", 4767, 4767, 74750, 0},
		{"west0479.mtx", 479, 479, 1910, 0},
	};
	const char *data = getenv("BENCH_TEST_DATA");
	char name[400];
	if (!data || !*data)
		data = BENCH_SOURCE_DIR "/../shared/data";
	snprintf(name, sizeof(name), "%s/mtx", data);
	if (access(name, R_OK) != 0) {
		print_message("skipped: no matrices in %s (BENCH_TEST_DATA says where they are)\n", name);
		skip();
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_csr csr;
		struct bench_error error = {0};
		snprintf(name, sizeof(name), "%s/mtx/%s", data, rows[i].name);
		if (bench_matrix_market_read(name, &csr, &error))
			fail_msg("%s", error.text);
		expect_sound(&csr);
		assert_int_equal(csr.rows, rows[i].rows);
		assert_int_equal(csr.cols, rows[i].cols);
		size_t longest = bench_csr_count_rows(&csr).longest;
		print_message("%s: %zu entries, longest row %zu\n", rows[i].name, csr.entries, longest);
		bench_csr_free(&csr);
	}
	snprintf(name, sizeof(name), "%s/mtx/young1c.mtx", data);
	expect_refused(name, "complex numbers are not supported");
}

/* A few bytes of `text` changed, inserted, removed or doubled; the same for one `round` always. */
static size_t mutate(struct bench_rng *rng, char *text, size_t length, size_t capacity)
{
	static const char spice[] = "0123456789 +-.eE%\n\r\t\0nixf\xff";
	for (uint64_t changes = 1 + bench_rng_below(rng, 4); changes > 0; changes--) {
		size_t at = (size_t)bench_rng_below(rng, length + 1);
		char byte = spice[bench_rng_below(rng, sizeof(spice))];
		size_t span = 1 + (size_t)bench_rng_below(rng, 12);
		switch (bench_rng_below(rng, 4)) {
		case 0: /* change */
			if (at < length)
				text[at] = byte;
			break;
		case 1: /* insert */
			if (length < capacity) {
				memmove(text + at + 1, text + at, length - at);
				text[at] = byte;
				length++;
			}
			break;
		case 2: /* remove */
			span = span < length - at ? span : length - at;
			memmove(text + at, text + at + span, length - at - span);
			length -= span;
			break;
		default: /* double */
			span = span < length - at ? span : length - at;
			span = span < capacity - length ? span : capacity - length;
			memmove(text + at + span, text + at, length - at);
			length += span;
		}
	}
	return length;
}

static void a_mutated_file_is_read_soundly_or_refused_with_a_reason(void **state)
{
	(void)state;
	static const char *const seeds[] = {
		GENERAL "%\n4 5 6\n1 1 1.5\n2 3 -2e1\n4 5 .25\n3 1 7\n3 2 8\n1 4 9\n",
		"%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 -2\n3 1 3\n3 3 4\n",
		"%%MatrixMarket matrix coordinate pattern general\r\n12 12 3\r\n1 1\r\n10 11\r\n12 12\r\n",
		"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1.5\n-2\n3\n",
		"%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n",
	};
	enum { ROUNDS = 6000, CAPACITY = 512 };
	char text[CAPACITY];
	struct bench_rng rng;
	size_t read = 0;
	bench_rng_start(&rng, 20, 1);
	for (size_t round = 0; round < ROUNDS; round++) {
		struct bench_csr csr;
		struct bench_error error = {0};
		const char *seed = seeds[round % (sizeof(seeds) / sizeof(seeds[0]))];
		size_t length = strlen(seed);
		memcpy(text, seed, length);
		length = mutate(&rng, text, length, sizeof(text));
		if (round % 3 == 0) { /* compressed, and sometimes damaged after it */
			char packed[2 * CAPACITY];
			z_stream stream = {0};
			assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY),
					 Z_OK);
			stream.next_in = (unsigned char *)text, stream.avail_in = (unsigned)length;
			stream.next_out = (unsigned char *)packed, stream.avail_out = sizeof(packed);
			assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
			size_t bytes = stream.total_out;
			deflateEnd(&stream);
			write_file(packed, round % 2 ? mutate(&rng, packed, bytes, sizeof(packed)) : bytes);
		} else {
			write_file(text, length);
		}
		if (bench_matrix_market_read(path, &csr, &error) == 0) {
			expect_sound(&csr);
			read++;
		} else {
			assert_true(error.code != BENCH_OK && error.text[0] && !strchr(error.text, '\n'));
		}
		bench_csr_free(&csr);
	}
	assert_in_range(read, ROUNDS / 100, ROUNDS / 2); /* neither all nor next to none */
}

/* A thousandth of it on disk. */
static void comments_without_an_end_are_refused(void **state)
{
	(void)state;
	const size_t size = (size_t)BENCH_MATRIX_MARKET_COMMENTS + (1 << 20);
	char *text = malloc(size + 1);
	assert_non_null(text);
	memset(text, '%', size);
	memcpy(text, GENERAL, sizeof(GENERAL) - 1);
	for (size_t i = 1000; i < size; i += 1000)
		text[i] = '\n';
	text[size] = '\0';
	write_compressed(text);
	expect_refused(path, "bytes of comments and blank lines");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_field_and_symmetry_is_read),
		cmocka_unit_test(what_files_differ_in_makes_no_difference),
		cmocka_unit_test(zeros_are_kept_and_entries_of_one_place_summed),
		cmocka_unit_test(what_is_no_matrix_is_refused_with_the_line_and_what_was_expected),
		cmocka_unit_test(complex_numbers_are_unsupported),
		cmocka_unit_test(what_is_no_text_file_is_refused),
		cmocka_unit_test(a_compressed_file_is_read_and_a_damaged_one_refused),
		cmocka_unit_test(matrices_of_the_world_are_read_whole),
		cmocka_unit_test(a_mutated_file_is_read_soundly_or_refused_with_a_reason),
		cmocka_unit_test(comments_without_an_end_are_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_scratch);
}
