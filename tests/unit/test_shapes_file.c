/* SPDX-License-Identifier: MIT */
/* Files of shapes: every form that is read, what is left out and named, and how wrong ones are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "suites/shapes_file.h"
#include "suites/suites.h"

static struct bench_arena arena;
static struct bench_shapes_file file;
static struct bench_error error;

static int read_as(const struct bench_suite *suite, const char *text)
{
	memset(&error, 0, sizeof(error));
	return bench_shapes_file_parse(bench_arena_string(&arena, text), "f", suite, &arena, &file, &error);
}

/* It is read, as one shape. */
static void expect_one(const char *text, const char *sweep, uint64_t uses)
{
	if (read_as(&bench_suite_gemm, text) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(file.count, 1);
	assert_string_equal(file.shapes[0].sweep, sweep);
	assert_int_equal(file.shapes[0].uses, uses);
}

static void lines_of_parameters_are_shapes_and_the_same_line_again_is_another_use(void **state)
{
	(void)state;
	expect_one("m=5 n=6 k=7", "m=5 n=6 k=7", 1);
	expect_one("# sizes\n\n  m=5\tn=6 k=7  uses=40 # of a layer\r\nm=5 n=6 k=7\n", "m=5 n=6 k=7", 41);
	expect_one("\xef\xbb\xbfm=5", "m=5", 1);
	expect_one("dtype=f64 n=1K trans=NT", "dtype=f64 n=1000 trans=NT", 1);
	assert_int_equal(read_as(&bench_suite_gemm, "n=5\nn=6\nn=5 uses=2"), 0);
	assert_int_equal(file.count, 2);
	assert_int_equal(file.shapes[0].uses, 3);
	assert_int_equal(file.shapes[1].uses, 1);
	assert_null(file.left_out);
	assert_int_equal(read_as(&bench_suite_conv2d, "c=64 h=56 k=64 uses=3"), 0);
	assert_string_equal(file.shapes[0].sweep, "c=64 h=56 k=64");
}

/* An m x n product of rocBLAS has columns: as one of rows it is n x m, with B first. */
static void lines_of_rocblas_bench_are_products_in_rows(void **state)
{
	(void)state;
	expect_one("./rocblas-bench -f gemm -r f32_r --transposeA N --transposeB T -m 8 -n 4 -k 2 --alpha 1 "
		   "--lda 8 --ldb 4 "
		   "--beta 0 --ldc 8",
		   "dtype=f32 m=4 n=8 k=2 trans=TN", 1);
	expect_one("rocblas-bench -f gemm_strided_batched_ex --transposeA T --transposeB N -m 8 -n 4 -k 2 "
		   "--a_type f16_r "
		   "--beta 0.5 --batch_count 3 --compute_type f32_r",
		   "dtype=f16 m=4 n=8 k=2 trans=NT beta=1 batch=3", 1);
	assert_null(file.left_out);
	expect_one("rocblas-bench -f gemm -r f32_c -m 8 -n 4 -k 2", "dtype=c32 m=4 n=8 k=2 trans=NN", 1);
	expect_one("rocblas-bench -f gemm -r s -m 8 -n 4 -k 2 --lda 10 --ldb 3 --ldc 8",
		   "dtype=f32 m=4 n=8 k=2 trans=NN lda=3 ldb=10", 1);
	assert_null(file.left_out);
	expect_one("rocblas-bench -f gemm_strided_batched -r s -m 8 -n 4 -k 2 --lda 10 --ldb 3 --ldc 9 "
		   "--stride_a 20 --stride_b 12 --stride_c 36 --batch_count 5",
		   "dtype=f32 m=4 n=8 k=2 trans=NN batch=5 lda=3 ldb=10 ldc=9", 1);
	assert_null(file.left_out);
	expect_one("rocblas-bench -f gemm_strided_batched -r s -m 8 -n 4 -k 2 --stride_a 0 --batch_count 5",
		   "dtype=f32 m=4 n=8 k=2 trans=NN batch=5", 1);
	assert_non_null(strstr(file.left_out, "1 shape whose matrices do not follow each other"));
}

#define HEAD                                                                                                 \
	"{\"schema\": \"bench-capture/1\", \"command\": \"x\", \"lost\": 0, \"launches\": "                  \
	"[],\n\"products\": [\n"
#define PRODUCT(routine, type, trans, lda, count)                                                            \
	"{\"routine\":\"" routine "\",\"dtype\":\"" type "\",\"trans\":\"" trans                             \
	"\",\"m\":5,\"n\":6,\"k\":7,\"lda\":" lda ",\"ldb\":6,\"ldc\":6,\"beta\":0,\"count\":" count         \
	",\"seconds\":0.5}"

static void a_capture_is_its_products_and_names_what_is_left_out(void **state)
{
	(void)state;
	expect_one(HEAD PRODUCT("gemm", "f32", "NN", "7", "12") "]}", "dtype=f32 m=5 n=6 k=7 trans=NN", 12);
	assert_true(fabs(file.shapes[0].seconds - 0.5) < 1e-12);
	assert_null(file.left_out);
	/* With gaps between rows it is another shape. */
	assert_int_equal(
		read_as(&bench_suite_gemm,
			HEAD PRODUCT("gemm", "f32", "NN", "7", "12") "," PRODUCT(
				"gemm", "f32", "NN", "9",
				"3") "," PRODUCT("gemv", "f32", "NN", "7",
						 "8") "," PRODUCT("syrk", "f32", "NN", "7",
								  "1") "," PRODUCT("gemm", "q8", "NN", "7",
										   "1") "]}"),
		0);
	assert_int_equal(file.count, 2);
	assert_string_equal(file.shapes[1].sweep, "dtype=f32 m=5 n=6 k=7 trans=NN lda=9");
	assert_int_equal(file.shapes[1].uses, 3);
	assert_non_null(strstr(file.left_out, "10 uses, 1.500 s are left out"));
	assert_non_null(strstr(file.left_out, "gemv, syrk, q8"));
}

static void wrong_files_are_refused_by_line_and_word(void **state)
{
	(void)state;
	static const struct {
		const char *text, *said;
	} wrong[] = {
		{"m=5\nm=0 n=3", "f:2: 0 is out of range: parameter m"},
		{"m=5 q=3", "f:1: suite gemm has no parameter 'q'"},
		{"m=5 dtyp=f32", "did you mean 'dtype'?"},
		{"m=5,6", "f:1: '5,6' is no whole number"},
		{"m=5 m=6", "f:1: 'm' is there twice"},
		{"512 768", "f:1: '512': expected NAME=VALUE"},
		{"m=", "f:1: 'm=': expected NAME=VALUE"},
		{"uses=4", "f:1: this line has no parameter of suite gemm"},
		{"m=5 uses=0", "f:1: uses=0: expected a whole number, 1 or more"},
		{"m=5 uses=1e3", "f:1: uses=1e3"},
		{"trans=XY", "f:1: parameter trans has no value 'XY'"},
		{"# nothing\n\n", "f: it has no shape of suite gemm"},
		{"rocblas-bench -f gemm -r s -m 8 -n 4 -k 2 --lda 7",
		 "f:1: --lda '7': expected a number from 8"},
		{"rocblas-bench -f gemm -r s -m 8 -n 4 -k 2 --ldb 2x", "f:1: --ldb '2x': expected"},
		{"rocblas-bench -f gemm -r s -m 8 -n 4 -k 2 --ldc 99999999", "f:1: 99999999 is out of range"},
		{HEAD PRODUCT("gemm", "f32", "NN", "6", "1") "]}", "lda '6': expected a number from 7"},
		{"rocblas-bench -r f32_r", "f:1: rocblas-bench without -f FUNCTION"},
		{"rocblas-bench -f gemm -r f32_r -m 4 -n 4",
		 "f:1: rocblas-bench -f gemm without -m, -n and -k"},
		{"rocblas-bench -f gemm -m 4 -n 4 -k 4", "f:1: rocblas-bench -f gemm without -r TYPE"},
		{"rocblas-bench -f gemm -r s -m 4 -n 4 -k 4 --beta x", "f:1: --beta 'x' is no number"},
		{"rocblas-bench -f gemm -r s -m -4 -n 4 -k 4", "f:1: -m '-4': expected a whole number"},
		{"rocblas-bench -f gemm -r s -m 4 -n 4 -k 4 --transposeA Q",
		 "f:1: --transposeA 'Q': expected N, T or C"},
		{"m=4 n=4 k=4 uses=2 uses=3", "f:1: 'uses' is there twice"},
		{"rocblas-bench -f axpy -r s -n 4", "f: it has no shape of suite gemm: 1 uses are left out"},
		{"{", "f:1:2: not valid JSON"},
		{"{\"schema\": \"bench-capture/9\"}", "f:1:12: 'schema': expected \"bench-capture/1\""},
		{"{}", "f:1:1: 'schema': expected"},
		{"{\"schema\": \"bench-capture/1\"}", "f:1:1: 'products': expected a list"},
		{"{\"schema\": \"bench-capture/1\",\n\"product\": []}",
		 "f:2:1: a capture has no member 'product'"},
		{HEAD "5]}", "f:3:1: 'products': expected an object for each"},
		{HEAD PRODUCT("gemm", "f32", "NX", "7", "1") "]}", "'trans': expected NN, NT, TN or TT"},
		{HEAD PRODUCT("gemm", "f32", "NN", "7.5", "1") "]}", "'lda': expected a whole number"},
		{HEAD PRODUCT("gemm", "f32", "NN", "\"7\"", "1") "]}", "'lda': expected a whole number"},
		{HEAD PRODUCT("gemm", "f32", "NN", "7", "0") "]}", "'count': expected a whole number from 1"},
		{HEAD PRODUCT("gemm", "", "NN", "7", "1") "]}", "'dtype': expected a type"},
		{HEAD PRODUCT("gemx", "f32", "NN", "7", "1") "]}", "'routine': expected gemm, gemv or syrk"},
		{HEAD PRODUCT("gemm", "f\\u0000", "NN", "7", "1") "]}", "a text holds the character"},
		{HEAD PRODUCT("gemm", "f\377", "NN", "7", "1") "]}", "this is no text in UTF-8"},
		{"{\"schema\": \"bench-capture/1\", \"products\": [], \"launches\": 3}",
		 "f:1:59: 'launches': expected a list"},
		{HEAD "{\"routine\":\"gemm\"}]}", "f:3:1: 'dtype': expected a type"},
		{HEAD "{\"routin\":\"gemm\"}]}", "f:3:2: a product has no member 'routin'"},
		{HEAD PRODUCT("gemm", "f32", "NN", "7", "1") ",\n", "not valid JSON"},
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(read_as(&bench_suite_gemm, wrong[i].text), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		if (!strstr(error.text, wrong[i].said))
			fail_msg("%s\nis refused with: %s\nand not: %s", wrong[i].text, error.text,
				 wrong[i].said);
	}
	assert_int_equal(read_as(&bench_suite_conv2d, "rocblas-bench -f gemm -r s -m 4 -n 4 -k 4"), -1);
	assert_non_null(strstr(error.text, "a matrix product, which suite gemm measures, not suite conv2d"));
}

static int free_arena(void **state)
{
	(void)state;
	bench_arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_parameters_are_shapes_and_the_same_line_again_is_another_use),
		cmocka_unit_test(lines_of_rocblas_bench_are_products_in_rows),
		cmocka_unit_test(a_capture_is_its_products_and_names_what_is_left_out),
		cmocka_unit_test(wrong_files_are_refused_by_line_and_word),
	};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
