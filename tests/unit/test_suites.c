/* SPDX-License-Identifier: MIT */
/* Every suite through its hooks on the backends that are there, and the check of the table. */
#include <stdlib.h>

#include "bench/plugin.h"
#include "suite_fixture.h"
#include "suites/gemm_check.h"

extern const struct bench_plugin bench_plugin; /* of examples/suite.c */

static void expect_right(const struct fixture *fixture, const char *settings, struct bench_check check)
{
	if (!(check.error <= check.tolerance))
		fail_msg("%s %s on %s: error %g is above tolerance %g (%s)", fixture->suite->name, settings,
			 fixture->bench_case.backend ? fixture->bench_case.backend->name : "host",
			 check.error, check.tolerance, check.method);
}

/* The whole sequence of bench/suite.h; gives the check after one iteration. */
static void run_sequence(struct fixture *fixture, const char *settings)
{
	struct bench_error error = {0};
	struct bench_work work = {0};
	must(fixture->suite->work(&fixture->bench_case, &work, &error), fixture, "work", &error);
	assert_true(work.flops > 0 || work.bytes > 0 || work.items > 0);
	must(fixture->suite->setup(&fixture->bench_case, &error), fixture, "setup", &error);
	must(fixture->suite->run(&fixture->bench_case, 1, &error), fixture, "run", &error);
	finish(fixture);
	expect_right(fixture, settings, once(fixture));
	expect_right(fixture, settings, prepare_run_check(fixture, (const uint64_t[]){1, 5, 2}, 3));
	expect_right(fixture, settings, prepare_run_check(fixture, (const uint64_t[]){300}, 1));
}

/* False where the backend has no device, which is said. */
static bool expect_suite_right_on(const struct bench_backend *backend, const struct bench_suite *suite,
				  const char *settings)
{
	struct fixture fixture;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, suite, backend, settings, &error)) {
		print_message("skipped: %s on %s: %s\n", suite->name, backend->name, error.text);
		return false;
	}
	if ((fixture.info.f64 || !strstr(settings, "f64")) &&
	    (fixture.info.pinned || !strstr(settings, "pinned")))
		run_sequence(&fixture, settings);
	close_fixture(&fixture);
	return true;
}

/* But for opencl+clblast, whose kernels PoCL takes long to compile: test_clblast.c has some cases of it. */
static void expect_right_on_all(const struct bench_suite *suite, const char *const *settings)
{
	for (size_t i = 0; bench_backends[i]; i++) {
		if (bench_backends[i] == &bench_backend_clblast)
			continue;
		for (size_t j = 0; settings[j]; j++)
			if (!expect_suite_right_on(bench_backends[i], suite, settings[j]))
				break;
	}
}

static void gemm_is_right_at_every_kind_of_size_and_factor(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"n=1",
		"n=4",
		"n=8 dtype=f64",
		"m=31 n=17 k=5 trans=NT",
		"m=3 n=40 k=65 trans=TN dtype=f64",
		"m=1 n=64 k=64 trans=TT",
		"m=64 n=1 k=33",
		"m=33 n=47 k=29 beta=0.5 alpha=-2",
		"n=16 beta=1",
		"n=16 beta=-1 dtype=f64",
		"n=16 beta=3",
		"n=16 beta=1e30 alpha=1e30",
		"n=16 beta=0.999 alpha=1e-30",
		"n=1 batch=3",
		"m=17 n=33 k=5 batch=4 trans=TT beta=0.5",
		"m=17 n=33 k=5 lda=8 ldb=40 ldc=34",
		"m=17 n=33 k=65 lda=32 ldb=65 ldc=100 trans=TT beta=0.5 batch=3",
		"m=1 n=64 k=64 lda=65 ldb=70 ldc=64 trans=NT dtype=f64",
		"m=64 n=1 k=33 ldb=2 ldc=3",
		"m=16 n=16 k=16 lda=32 ldb=32 ldc=32 beta=-1",
		"n=1 dtype=c32",
		"m=17 n=33 k=65 dtype=c32 trans=TN alpha=-2 beta=0.5",
		"m=33 n=5 k=16 dtype=c32 trans=NT batch=3 lda=17 ldb=20 ldc=8 data=normal",
		"m=16 n=48 k=32 dtype=c32 trans=TT",
		"m=17 n=33 k=65 beta=0.5 data=normal",
		"m=17 n=33 k=65 beta=0.5 data=integers",
		"m=17 n=33 k=65 beta=0.5 data=zeros",
		NULL,
	};
	static const char *const half[] = {"n=1 dtype=f16",
					   "m=31 n=17 k=600 dtype=f16",
					   "n=16 beta=0.5 dtype=f16",
					   "n=16 beta=3 alpha=0.1 dtype=f16",
					   "n=33 batch=2 dtype=f16",
					   "m=257 n=300 k=260 dtype=f16",
					   "m=257 n=300 k=260 beta=-0.5 dtype=f16",
					   "m=31 n=17 k=600 dtype=f16 beta=0.5 data=normal",
					   "m=31 n=17 k=600 dtype=f16 beta=0.5 data=integers",
					   "m=31 n=17 k=600 dtype=bf16 beta=0.5 data=normal",
					   "n=17 dtype=f16 beta=0.5 data=zeros",
					   "m=31 n=17 k=60 dtype=f16 lda=64 ldb=18 ldc=19 batch=2",
					   NULL};
	expect_right_on_all(&bench_suite_gemm, settings);
	for (size_t i = 0; half[i]; i++) {
		expect_suite_right_on(&bench_backend_opencl, &bench_suite_gemm, half[i]);
		if (!strstr(half[i], "k=260"))
			expect_suite_right_on(&bench_backend_reference, &bench_suite_gemm, half[i]);
	}
	/* Large enough for the residual, on the one that is quick. */
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm,
			      "m=300 n=257 k=260 trans=TN beta=0.5");
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm,
			      "m=300 n=257 k=260 beta=0.5 data=normal");
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm,
			      "m=300 n=257 k=260 dtype=c32 trans=TN beta=0.5");
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm,
			      "m=300 n=257 k=260 lda=300 ldb=261 ldc=300 trans=TT beta=0.5");
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm, "m=300 n=257 k=260 data=zeros");
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm, "m=2 n=70000 k=130 dtype=f64");
}

static void gemm_chain_is_right_at_every_length(void **state)
{
	(void)state;
	static const char *const settings[] = {"n=1 length=8", "n=7 length=3", "n=32 length=2",
					       "n=33 length=8 dtype=f64", NULL};
	expect_right_on_all(&bench_suite_gemm_chain, settings);
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_gemm_chain, "n=200 length=5");
}

static void elementwise_is_right_at_every_width_and_with_every_tail(void **state)
{
	(void)state;
	static const char *const settings[] = {"count=1",
					       "count=17",
					       "count=1000 op=mul",
					       "count=1023 dtype=f64",
					       "count=33 op=mul dtype=f64",
					       "count=65537",
					       "count=1000 op=mul data=normal",
					       "count=1000 data=integers",
					       "count=1000 data=zeros",
					       NULL};
	static const char *const wide[] = {"count=1 width=16",
					   "count=1023 width=2",
					   "count=1000 width=4 op=mul",
					   "count=65537 width=8 dtype=f64",
					   "count=31 width=16 op=mul",
					   "count=1023 width=0",
					   NULL};
	expect_right_on_all(&bench_suite_elementwise, settings);
	for (size_t i = 0; wide[i]; i++)
		if (!expect_suite_right_on(&bench_backend_opencl, &bench_suite_elementwise, wide[i]))
			break;
}

static void transfer_is_right_in_every_direction(void **state)
{
	(void)state;
	static const char *const settings[] = {"direction=upload bytes=1", "direction=download bytes=4099",
					       "direction=roundtrip bytes=64KiB",
					       "direction=roundtrip memory=pinned bytes=4099", NULL};
	expect_right_on_all(&bench_suite_transfer, settings);
}

static void view_gemm_is_right_in_every_layout(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"layout=contiguous n=33",
		"layout=transposed n=33",
		"layout=sliced n=33",
		"layout=copy_transposed n=1",
		"layout=copy_transposed n=67",
		"layout=copy_transposed n=67 dtype=f64",
		"layout=copy_sliced n=33",
		"layout=sliced n=65 dtype=f64",
		NULL,
	};
	expect_right_on_all(&bench_suite_view_gemm, settings);
	expect_suite_right_on(&bench_backend_openblas, &bench_suite_view_gemm, "layout=copy_sliced n=300");
}

static void every_operation_on_views_is_right_at_every_rank(void **state)
{
	(void)state;
	static const char *const ops[] = {"transpose", "is_contiguous", "is_transposed", "slice",
					  "reshape",   "permute",       "broadcast"};
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		for (int rank = 2; rank <= 8; rank += 3) {
			char settings[64];
			snprintf(settings, sizeof(settings), "op=%s rank=%d", ops[i], rank);
			expect_suite_right_on(NULL, &bench_suite_view, settings);
		}
}

static void host_suites_are_right(void **state)
{
	(void)state;
	expect_suite_right_on(NULL, &bench_suite_null, "spin=0");
	expect_suite_right_on(NULL, &bench_suite_null, "spin=3");
	expect_suite_right_on(NULL, bench_plugin.suites[0], "count=1000 scale=0.1");
}

static void expect_unsupported(const struct bench_suite *suite, const struct bench_backend *backend,
			       const char *settings, bool f64, const char *reason)
{
	struct fixture fixture;
	struct bench_error error = {0};
	assert_true(open_fixture(&fixture, suite, backend, settings, &error));
	fixture.info.f64 = f64;
	assert_int_equal(suite->setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	if (!strstr(error.text, reason))
		fail_msg("'%s' does not say '%s'", error.text, reason);
	close_fixture(&fixture);
}

static void what_a_backend_lacks_is_unsupported_with_the_reason(void **state)
{
	(void)state;
	struct bench_backend bare = bench_backend_openblas;
	bare.gemm = NULL;
	bare.elementwise = NULL;
	bare.host_alloc = NULL;
	bare.host_free = NULL;
	expect_unsupported(&bench_suite_gemm, &bare, "n=4", true, "no gemm");
	expect_unsupported(&bench_suite_gemm_chain, &bare, "n=4", true, "no gemm");
	expect_unsupported(&bench_suite_view_gemm, &bare, "n=4", true, "no gemm");
	expect_unsupported(&bench_suite_gemm, &bench_backend_openblas, "n=4 dtype=f64", false, "f64");
	expect_unsupported(&bench_suite_gemm, &bench_backend_openblas, "n=4 dtype=f16", true, "f16");
	expect_unsupported(&bench_suite_elementwise, &bare, "count=4", true, "no elementwise");
	expect_unsupported(&bench_suite_elementwise, &bench_backend_openblas, "count=4 dtype=f64", false,
			   "f64");
	expect_unsupported(&bench_suite_view_gemm, &bench_backend_openblas, "n=4 dtype=f64", false, "f64");
	expect_unsupported(&bench_suite_transfer, &bare, "memory=pinned", true, "page-locked");
	expect_unsupported(&bench_suite_transfer, &bench_backend_openblas, "memory=pinned", true,
			   "page-locked");
	expect_suite_right_on(&bare, &bench_suite_transfer, "bytes=100");
}

static void expect_refused_work(const struct bench_suite *suite, const char *settings, const char *name,
				int64_t value, const char *part)
{
	struct fixture fixture = {.suite = suite};
	struct bench_work work = {0};
	struct bench_error error = {0};
	set_values(suite, settings, fixture.values);
	if (name)
		fixture.values[param_index(suite, name)].integer = value;
	fixture.bench_case.values = fixture.values;
	assert_int_equal(suite->work(&fixture.bench_case, &work, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	if (!strstr(error.text, part))
		fail_msg("'%s' does not say '%s'", error.text, part);
}

static void sizes_that_overflow_and_factors_without_meaning_are_refused(void **state)
{
	(void)state;
	static const int64_t bad[] = {0, -1, INT64_MAX, INT64_MIN, (int64_t)1 << 58};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect_refused_work(&bench_suite_gemm, "n=8", "m", bad[i], "m=");
		expect_refused_work(&bench_suite_gemm, "n=8", "n", bad[i], "n=");
		expect_refused_work(&bench_suite_gemm, "n=8 dtype=f64", "k", bad[i], "k=");
		expect_refused_work(&bench_suite_gemm, "n=64", "batch", bad[i], "batch=");
		expect_refused_work(&bench_suite_gemm_chain, "", "n", bad[i], "n=");
		expect_refused_work(&bench_suite_elementwise, "dtype=f64", "count", bad[i], "count=");
		if (bad[i]) /* 0 is the backend's choice */
			expect_refused_work(&bench_suite_elementwise, "", "width", bad[i], "width=");
		expect_refused_work(&bench_suite_view_gemm, "layout=sliced", "n", bad[i], "n=");
	}
	expect_refused_work(&bench_suite_transfer, "", "bytes", INT64_MAX, "bytes=");
	expect_refused_work(&bench_suite_elementwise, "", "width", 3, "width=3");
	expect_refused_work(&bench_suite_gemm, "alpha=0", NULL, 0, "alpha=0");
	expect_refused_work(&bench_suite_gemm, "alpha=1e31", NULL, 0, "alpha=1e+31");
	expect_refused_work(&bench_suite_gemm, "alpha=100 dtype=f16", NULL, 0, "alpha=100");
	expect_refused_work(&bench_suite_gemm, "beta=1e-300", NULL, 0, "beta=1e-300");
}

static struct bench_work work_of(const struct bench_suite *suite, const char *settings)
{
	struct fixture fixture = {.suite = suite};
	struct bench_work work = {0};
	struct bench_error error = {0};
	set_values(suite, settings, fixture.values);
	fixture.bench_case.values = fixture.values;
	must(suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
	return work;
}

static void work_counts_flops_and_compulsory_bytes(void **state)
{
	(void)state;
	struct bench_work work = work_of(&bench_suite_gemm, "m=2 n=3 k=5");
	assert_true(work.flops == 60 && work.bytes == 4 * (10 + 15 + 6));
	assert_true(work.device_bytes == 4 * (10 + 15 + 6) && work.largest_bytes == 4 * 15);
	assert_true(work.host_bytes >= 4 * (10 + 15 + 6));
	work = work_of(&bench_suite_gemm, "m=2 n=3 k=5 beta=1 dtype=f64");
	assert_true(work.flops == 60 && work.bytes == 8 * (10 + 15 + 6 + 6));
	work = work_of(&bench_suite_gemm, "m=2 n=3 k=5 batch=7 dtype=f16");
	assert_true(work.flops == 420 && work.bytes == 7 * 2 * (10 + 15 + 6));
	assert_true(work.device_bytes == 7 * 2 * (10 + 15 + 6) && work.largest_bytes == 7 * 2 * 15);
	work = work_of(&bench_suite_gemm_chain, "n=10 length=3");
	assert_true(work.flops == 3 * 2000 && work.bytes == 5 * 400);
	work = work_of(&bench_suite_elementwise, "count=1000 dtype=f64");
	assert_true(work.flops == 1000 && work.bytes == 24000 && work.device_bytes == 24000);
	work = work_of(&bench_suite_transfer, "direction=upload bytes=4KiB");
	assert_true(work.flops == 0 && work.bytes == 4096);
	work = work_of(&bench_suite_transfer, "direction=roundtrip bytes=4KiB");
	assert_true(work.bytes == 8192);
	work = work_of(&bench_suite_view_gemm, "layout=copy_sliced n=10");
	assert_true(work.flops == 2000 && work.bytes == 3 * 400);
	assert_true(work.device_bytes == 7 * 400 && work.largest_bytes == 800);
	work = work_of(&bench_suite_view, "");
	assert_true(work.flops == 0 && work.bytes == 0 && work.items == 1);
}

static void growth_is_that_of_the_recurrence_until_it_says_nothing(void **state)
{
	(void)state;
	struct bench_gemm_growth growth;
	assert_true(bench_gemm_grow(2, 0, 1000000000000, &growth));
	assert_true(growth.product == 2 && growth.start == 0 && growth.product_error == 2);
	assert_true(bench_gemm_grow(1, 0.5, 3, &growth));
	assert_true(growth.product == 1.75 && growth.start == 0.125);
	assert_true(bench_gemm_grow(1, 0.5, UINT64_MAX, &growth));
	assert_true(fabs(growth.product - 2) < 1e-15 && growth.start == 0 && growth.product_error <= 4);
	assert_true(bench_gemm_grow(3, -1, 4, &growth));
	assert_true(growth.product == 0 && growth.start == 1 && growth.start_error == 4);
	assert_true(bench_gemm_grow(1, 1e30, 1, &growth));
	assert_false(bench_gemm_grow(1, 1e30, 2, &growth));
	assert_false(bench_gemm_grow(1, 1, UINT64_MAX, &growth));
}

static int allocations_left;

static int alloc_runs_out(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
			  struct bench_error *error)
{
	if (allocations_left-- <= 0)
		return bench_fail(error, BENCH_NO_MEMORY, "the device is full");
	return bench_backend_reference.alloc(device, bytes, buffer, error);
}

static void a_setup_that_runs_out_of_memory_says_so_and_is_torn_down(void **state)
{
	(void)state;
	static const struct bench_suite *const suites[] = {&bench_suite_gemm, &bench_suite_gemm_chain,
							   &bench_suite_elementwise, &bench_suite_transfer,
							   &bench_suite_view_gemm};
	struct bench_backend full = bench_backend_reference;
	full.alloc = alloc_runs_out;
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		int status = -1;
		for (int allowed = 0; status; allowed++) {
			struct fixture fixture;
			struct bench_error error = {0};
			allocations_left = allowed;
			assert_true(open_fixture(&fixture, suites[i], &full, "", &error));
			status = suites[i]->setup(&fixture.bench_case, &error);
			if (status)
				assert_string_equal(error.text, "the device is full");
			close_fixture(&fixture);
		}
	}
}

static void expect_bad_suite(struct bench_suite suite, const char *part)
{
	struct bench_error error = {0};
	assert_int_equal(bench_suite_check(&suite, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	if (!strstr(error.text, part) ||
	    !(strstr(error.text, "'null'") || suite.name != bench_suite_null.name ||
	      suite.abi != BENCH_SUITE_ABI))
		fail_msg("'%s' does not name the suite and '%s'", error.text, part);
}

static void a_suite_that_lacks_a_hook_is_refused_by_name(void **state)
{
	(void)state;
	struct bench_suite bad;
#define REFUSED_WITHOUT(hook)                                                                                \
	bad = bench_suite_null;                                                                              \
	bad.hook = NULL;                                                                                     \
	expect_bad_suite(bad, "'" #hook "'")
	REFUSED_WITHOUT(summary);
	REFUSED_WITHOUT(params);
	REFUSED_WITHOUT(work);
	REFUSED_WITHOUT(setup);
	REFUSED_WITHOUT(run);
	REFUSED_WITHOUT(check);
	REFUSED_WITHOUT(teardown);
#undef REFUSED_WITHOUT
	bad = bench_suite_null;
	bad.abi = 99;
	expect_bad_suite(bad, "ABI 99");
	bad = bench_suite_null;
	bad.name = NULL;
	expect_bad_suite(bad, "no name");
	bad.name = "Null-1";
	expect_bad_suite(bad, "'Null-1'");
	bad = bench_suite_null;
	bad.sweeps[BENCH_PRESET_QUICK] = NULL;
	expect_bad_suite(bad, "sweeps for quick");
}

static void a_suite_with_a_faulty_parameter_table_is_refused_by_name(void **state)
{
	(void)state;
	static const char *const none[] = {"", NULL};
	const struct {
		struct bench_param first, second;
		const char *part;
	} tables[] = {
		{{"N", BENCH_PARAM_INT, "1", NULL, 0, 9, "h"}, {0}, "'N'"},
		{{"a234567890123456789012345678901x", BENCH_PARAM_INT, "1", NULL, 0, 9, "h"},
		 {0},
		 "at most 31"},
		{{"n", BENCH_PARAM_INT, "1", NULL, 0, 9, "h"},
		 {"n", BENCH_PARAM_INT, "1", NULL, 0, 9, "h"},
		 "two parameters are named 'n'"},
		{{"n", BENCH_PARAM_INT, NULL, NULL, 0, 9, "h"}, {0}, "lacks 'fallback'"},
		{{"n", BENCH_PARAM_INT, "1", NULL, 0, 9, NULL}, {0}, "lacks 'help'"},
		{{"n", BENCH_PARAM_INT, "10", NULL, 0, 9, "h"}, {0}, "fallback of 'n'"},
		{{"n", BENCH_PARAM_INT, "1", NULL, 9, 0, "h"}, {0}, "min is above max"},
		{{"n", BENCH_PARAM_INT, "=k", NULL, 0, 9, "h"}, {0}, "'=k'"},
		{{"n", BENCH_PARAM_INT, "=n", NULL, 0, 9, "h"}, {0}, "'=n'"},
		{{"n", BENCH_PARAM_INT, "=k", NULL, 0, 9, "h"},
		 {"k", BENCH_PARAM_INT, "=n", NULL, 0, 9, "h"},
		 "'=k'"},
		{{"n", BENCH_PARAM_INT, "=k", NULL, 0, 9, "h"},
		 {"k", BENCH_PARAM_REAL, "1", NULL, 0, 0, "h"},
		 "'=k'"},
		{{"t", BENCH_PARAM_CHOICE, "a", NULL, 0, 0, "h"}, {0}, "'choices'"},
		{{"t", BENCH_PARAM_INT, "1", "a|b", 0, 9, "h"}, {0}, "'choices'"},
		{{"t", BENCH_PARAM_CHOICE, "c", "a|b", 0, 0, "h"}, {0}, "fallback of 't'"},
		{{"t", BENCH_PARAM_PATH, "./a b", "a|b", 0, 0, "h"}, {0}, "fallback of 't'"},
		{{"t", BENCH_PARAM_PATH, "a", NULL, 0, 0, "h"}, {0}, "'choices'"},
		{{"t", (enum bench_param_type)7, "1", NULL, 0, 0, "h"}, {0}, "fallback of 't'"},
	};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct bench_param params[] = {tables[i].first, tables[i].second, {.name = NULL}};
		struct bench_suite bad = bench_suite_null;
		bad.params = params;
		bad.sweeps[BENCH_PRESET_QUICK] = none;
		bad.sweeps[BENCH_PRESET_NIGHTLY] = NULL;
		expect_bad_suite(bad, tables[i].part);
	}
}

static void a_suite_with_a_sweep_that_cannot_be_is_refused_by_name(void **state)
{
	(void)state;
	char longest[600];
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	const char *const sweeps[][2] = {{"spin=-1", "-1"},
					 {"spun=1", "'spun'"},
					 {"spin", "'spin'"},
					 {"spin=", "'spin'"},
					 {"spin=1,,2", "''"},
					 {"spin=1 spin", "'spin'"},
					 {longest, "is no parameter with values"}};
	for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
		const char *const list[] = {"spin=1", sweeps[i][0], NULL};
		struct bench_suite bad = bench_suite_null;
		bad.sweeps[BENCH_PRESET_FULL] = list;
		expect_bad_suite(bad, sweeps[i][1]);
	}
}

static int report_nothing(struct bench_case *bench_case, const struct bench_report *report,
			  struct bench_error *error)
{
	(void)bench_case;
	(void)report;
	(void)error;
	return 0;
}

static void a_suite_with_faulty_metrics_is_refused_by_name(void **state)
{
	(void)state;
	const struct {
		struct bench_metric_spec first, second;
		const char *part;
	} tables[] = {
		{{"Loss", "count", BENCH_BETTER_LOWER, "h"}, {0}, "'Loss'"},
		{{"time", "s", BENCH_BETTER_LOWER, "h"}, {0}, "'time'"},
		{{"relative_time", "ratio", BENCH_BETTER_LOWER, "h"}, {0}, "'relative_time'"},
		{{"loss", "count", BENCH_BETTER_LOWER, "h"},
		 {"loss", "count", BENCH_BETTER_LOWER, "h"},
		 "two metrics are named 'loss'"},
		{{"loss", "ms", BENCH_BETTER_LOWER, "h"}, {0}, "'ms'"},
		{{"loss", NULL, BENCH_BETTER_LOWER, "h"}, {0}, "units are s, B"},
		{{"loss", "count", (enum bench_better)7, "h"}, {0}, "no direction"},
		{{"loss", "count", BENCH_BETTER_LOWER, NULL}, {0}, "lacks 'help'"},
	};
	struct bench_suite suite = bench_suite_null;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct bench_metric_spec metrics[] = {tables[i].first, tables[i].second, {0}};
		suite.metrics = metrics;
		suite.report = report_nothing;
		expect_bad_suite(suite, tables[i].part);
		suite.report = NULL;
		expect_bad_suite(suite, "has 'metrics' without 'report'");
	}
	const struct bench_metric_spec right[] = {{"loss", "count", BENCH_BETTER_LOWER, "h"}, {0}};
	struct bench_error error;
	suite.metrics = NULL;
	suite.report = report_nothing;
	expect_bad_suite(suite, "has 'report' without 'metrics'");
	suite.metrics = right;
	assert_int_equal(bench_suite_check(&suite, &error), 0);
}

static void what_joined_must_be_a_parameter(void **state)
{
	(void)state;
	struct bench_suite suite = bench_suite_null;
	suite.joined = "spun";
	expect_bad_suite(suite, "joined 'spun'");
}

static void variants_must_be_a_choice_that_there_is(void **state)
{
	(void)state;
	struct bench_suite suite = bench_suite_null;
	suite.variants = "spun";
	expect_bad_suite(suite, "'spun'");
	suite.variants = "spin"; /* numbers from 0 */
	assert_int_equal(bench_suite_check(&suite, NULL), 0);
	struct bench_param from_one[] = {suite.params[0], {0}};
	static const char *const sweeps[] = {"spin=1", NULL};
	from_one[0].min = 1;
	from_one[0].fallback = "1";
	for (size_t i = 0; i < BENCH_PRESETS; i++)
		suite.sweeps[i] = sweeps;
	suite.params = from_one;
	expect_bad_suite(suite, "CHOICE");
}

static void the_built_in_table_is_sound_and_a_name_twice_is_refused(void **state)
{
	(void)state;
	struct bench_error error = {0};
	if (bench_suites_check(bench_suites, &error) || bench_suite_check(bench_plugin.suites[0], &error))
		fail_msg("%s", error.text);
	const struct bench_suite *const twice[] = {&bench_suite_null, &bench_suite_gemm, &bench_suite_null,
						   NULL};
	assert_int_equal(bench_suites_check(twice, &error), -1);
	assert_non_null(strstr(error.text, "'null'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemm_is_right_at_every_kind_of_size_and_factor),
		cmocka_unit_test(gemm_chain_is_right_at_every_length),
		cmocka_unit_test(elementwise_is_right_at_every_width_and_with_every_tail),
		cmocka_unit_test(transfer_is_right_in_every_direction),
		cmocka_unit_test(view_gemm_is_right_in_every_layout),
		cmocka_unit_test(every_operation_on_views_is_right_at_every_rank),
		cmocka_unit_test(host_suites_are_right),
		cmocka_unit_test(what_a_backend_lacks_is_unsupported_with_the_reason),
		cmocka_unit_test(sizes_that_overflow_and_factors_without_meaning_are_refused),
		cmocka_unit_test(work_counts_flops_and_compulsory_bytes),
		cmocka_unit_test(growth_is_that_of_the_recurrence_until_it_says_nothing),
		cmocka_unit_test(a_setup_that_runs_out_of_memory_says_so_and_is_torn_down),
		cmocka_unit_test(a_suite_that_lacks_a_hook_is_refused_by_name),
		cmocka_unit_test(a_suite_with_a_faulty_parameter_table_is_refused_by_name),
		cmocka_unit_test(a_suite_with_a_sweep_that_cannot_be_is_refused_by_name),
		cmocka_unit_test(a_suite_with_faulty_metrics_is_refused_by_name),
		cmocka_unit_test(what_joined_must_be_a_parameter),
		cmocka_unit_test(variants_must_be_a_choice_that_there_is),
		cmocka_unit_test(the_built_in_table_is_sound_and_a_name_twice_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
