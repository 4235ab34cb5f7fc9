/* SPDX-License-Identifier: MIT */
/* Suite spmv: right on every backend, and every wrong kernel is seen. */
#include <stdlib.h>

#include "scratch.h"
#include "suite_fixture.h"
#include "suites/spmv/check.h"
#include "suites/spmv/matrix.h"

/* The whole sequence of bench/suite.h. */
static void expect_suite_right(const struct bench_backend *backend, const char *settings)
{
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_work work = {0};
	if (!open_fixture(&fixture, &bench_suite_spmv, backend, settings, &error)) {
		print_message("skipped: spmv on %s: %s\n", backend->name, error.text);
		return;
	}
	if (fixture.info.f64 || !strstr(settings, "f64")) {
		must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
		assert_true(work.flops > 0 && work.bytes > work.flops && work.device_bytes > 0);
		must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		for (int i = 0; i < 2; i++) {
			struct bench_check check =
				prepare_run_check(&fixture, (const uint64_t[]){1, 3, 2}, 3);
			if (!(check.error <= check.tolerance))
				fail_msg("%s on %s: error %g is above tolerance %g (%s)", settings,
					 backend->name, check.error, check.tolerance, check.method);
		}
	}
	close_fixture(&fixture);
}

static char file_path[200]; /* of a matrix with an empty row, and no square one */

static void write_matrix(const char *folder, const char *text)
{
	snprintf(file_path, sizeof(file_path), "%s/m.mtx", folder);
	FILE *file = fopen(file_path, "we");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void the_suite_is_right_on_every_backend(void **state)
{
	static const char *const settings[] = {
		"n=3",
		"n=1000 repeat=2",
		"n=50000 repeat=7 dtype=f64",
		"n=3000 repeat=100 kernel=adaptive",
		"matrix=poisson2d n=10000",
		"matrix=poisson2d n=2500 repeat=20 kernel=group",
		"matrix=random n=20000 per_row=5 dtype=f64",
		"matrix=random n=2000 per_row=40",
		"matrix=powerlaw n=20000",
		"matrix=powerlaw n=20000 kernel=row repeat=3",
		"matrix=powerlaw n=20000 kernel=group dtype=f64",
		"matrix=banded n=3000 per_row=100",
		"matrix=banded n=3000 kernel=adaptive repeat=4",
	};
	char file[256];
	write_matrix(*state,
		     "%%MatrixMarket matrix coordinate real general\n5 4 4\n1 1 2\n2 4 -3\n5 1 1\n5 2 1\n");
	snprintf(file, sizeof(file), "matrix=%s", file_path);
	for (size_t b = 0; bench_backends[b]; b++) {
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
			expect_suite_right(bench_backends[b], settings[i]);
		expect_suite_right(bench_backends[b], file);
	}
}

static void expect_refused(const char *settings, const char *said)
{
	struct fixture fixture = {.suite = &bench_suite_spmv};
	struct bench_error error = {0};
	struct bench_work work = {0};
	set_values(&bench_suite_spmv, settings, fixture.values);
	fixture.bench_case = (struct bench_case){.values = fixture.values};
	assert_int_equal(bench_suite_spmv.work(&fixture.bench_case, &work, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	if (!strstr(error.text, said))
		fail_msg("'%s' does not say '%s'", error.text, said);
}

static void sizes_that_cannot_be_are_refused_before_anything_is_made(void **state)
{
	char settings[256];
	expect_refused("n=2", "3 to 2147483647");
	expect_refused("n=1000 per_row=3", "leave it at 0");
	expect_refused("matrix=poisson2d n=1000", "1024 is near");
	expect_refused("matrix=random n=10 per_row=11", "rows of 10");
	expect_refused("matrix=random n=2000000000 per_row=100", "smaller n or per_row");
	expect_refused("n=2000000000", "smaller n or per_row");
	expect_refused("n=100000000 repeat=100000", "smaller repeat");
	expect_refused("matrix=nowhere.mtx", "No such file");
	expect_refused("matrix=nowhere.txt", "FILE.mtx or FILE.mtx.gz");
	expect_refused("matrix=x.mtx n=5", "leave both at 0");
	write_matrix(*state, "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\n");
	snprintf(settings, sizeof(settings), "matrix=%s repeat=2", file_path);
	expect_refused(settings, "not square");
}

static void work_counts_two_operations_an_entry_and_each_array_once(void **state)
{
	(void)state;
	struct fixture fixture = {.suite = &bench_suite_spmv};
	struct bench_error error = {0};
	struct bench_work work = {0};
	set_values(&bench_suite_spmv, "n=1000 repeat=10", fixture.values);
	fixture.bench_case = (struct bench_case){.values = fixture.values};
	assert_int_equal(bench_suite_spmv.work(&fixture.bench_case, &work, &error), 0);
	assert_true(work.flops == 10 * 2 * 2000);
	assert_true(work.bytes == 10 * (2000 * 8 + 1001 * 4 + 2 * 1000 * 4));
}

static void a_value_too_large_for_the_type_and_a_vector_worn_out_are_refused(void **state)
{
	struct bench_csr csr;
	struct bench_error error = {0};
	write_matrix(*state, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e300\n");
	struct bench_spmv_source source = {.kind = BENCH_SPMV_FILE, .path = file_path, .f32 = true};
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), -1);
	assert_non_null(strstr(error.text, "dtype=f64"));
	bench_csr_free(&csr);
	source.f32 = false;
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
	bench_csr_free(&csr);

	/* x -> (x + y, x - y) / 2 shrinks by sqrt(1/2) each time. */
	write_matrix(*state, "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n-1\n");
	source.normalised = true;
	const double x[] = {0.5, -0.25};
	struct bench_spmv_expected expected;
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
	assert_int_equal(bench_spmv_expect(&csr, BENCH_F64, x, 4, &expected, &error), 0);
	assert_float_equal(expected.y[0], 0.5 / 4, 1e-15);
	assert_float_equal(expected.y[1], -0.25 / 4, 1e-15);
	bench_spmv_expected_free(&expected);
	assert_int_equal(bench_spmv_expect(&csr, BENCH_F64, x, 1000, &expected, &error), -1);
	assert_non_null(strstr(error.text, "smaller repeat"));
	bench_spmv_expected_free(&expected);
	bench_csr_free(&csr);
}

/*
 * Wrong kernels: openblas but for what `spoil` does to the arguments or to the result.
 */
static const struct bench_backend *const real = &bench_backend_openblas;

static int does_nothing(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error)
{
	(void)device;
	(void)spmv;
	(void)error;
	return 0;
}

static int drops_last_row(struct bench_device *device, const struct bench_spmv *spmv,
			  struct bench_error *error)
{
	struct bench_spmv less = *spmv;
	less.kernel = BENCH_SPMV_ROW; /* which goes by the number of rows */
	less.rows--;
	return real->spmv(device, &less, error);
}

static int is_wrong_about_one_column(struct bench_device *device, const struct bench_spmv *spmv,
				     struct bench_error *error)
{
	size_t bytes = spmv->entries * sizeof(uint32_t);
	uint32_t *columns = malloc(bytes);
	struct bench_buffer *copy = NULL;
	struct bench_spmv wrong = *spmv;
	assert_non_null(columns);
	int status = real->download(device, spmv->columns, columns, bytes, error);
	uint32_t *last = &columns[spmv->entries - 1];
	*last = *last ? *last - 1 : 1;
	status |=
		real->alloc(device, bytes, &copy, error) || real->upload(device, copy, columns, bytes, error);
	wrong.columns = copy;
	status |= real->spmv(device, &wrong, error);
	real->release(device, copy);
	free(columns);
	return status;
}

/* The product, after which `spoil` changes y, given the offsets. */
static int spmv_then(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error,
		     void (*spoil)(const uint32_t *offsets, size_t rows, float *y))
{
	size_t y_bytes = spmv->rows * sizeof(float), bytes = (spmv->rows + 1) * sizeof(uint32_t);
	float *y = malloc(y_bytes);
	uint32_t *offsets = malloc(bytes);
	assert_true(y && offsets);
	int status = real->spmv(device, spmv, error) || real->download(device, spmv->y, y, y_bytes, error) ||
		     real->download(device, spmv->offsets, offsets, bytes, error);
	spoil(offsets, spmv->rows, y);
	status |= real->upload(device, spmv->y, y, y_bytes, error);
	free(y);
	free(offsets);
	return status ? -1 : 0;
}

static void leave_empty_rows(const uint32_t *offsets, size_t rows, float *y)
{
	for (size_t row = 0; row < rows; row++)
		if (offsets[row] == offsets[row + 1])
			y[row] = NAN;
}

static int does_not_write_empty_rows(struct bench_device *device, const struct bench_spmv *spmv,
				     struct bench_error *error)
{
	return spmv_then(device, spmv, error, leave_empty_rows);
}

static void change_one(const uint32_t *offsets, size_t rows, float *y)
{
	(void)offsets;
	y[rows / 3] += 0.01F;
}

static int is_wrong_about_one_row(struct bench_device *device, const struct bench_spmv *spmv,
				  struct bench_error *error)
{
	return spmv_then(device, spmv, error, change_one);
}

/* The longest row without its last quarter: what a kernel with too few passes over it would give. */
static int drops_the_tail_of_the_longest_row(struct bench_device *device, const struct bench_spmv *spmv,
					     struct bench_error *error)
{
	size_t offset_bytes = (spmv->rows + 1) * sizeof(uint32_t), bytes = spmv->entries * sizeof(float);
	uint32_t *offsets = malloc(offset_bytes);
	float *values = malloc(bytes);
	struct bench_buffer *copy = NULL;
	struct bench_spmv wrong = *spmv;
	size_t longest = 0;
	assert_true(offsets && values);
	int status = real->download(device, spmv->offsets, offsets, offset_bytes, error) ||
		     real->download(device, spmv->values, values, bytes, error);
	for (size_t row = 1; row < spmv->rows; row++)
		if (offsets[row + 1] - offsets[row] > offsets[longest + 1] - offsets[longest])
			longest = row;
	uint32_t length = offsets[longest + 1] - offsets[longest];
	for (uint32_t k = offsets[longest] + length * 3 / 4; k < offsets[longest + 1]; k++)
		values[k] = 0;
	status |=
		real->alloc(device, bytes, &copy, error) || real->upload(device, copy, values, bytes, error);
	wrong.values = copy;
	status |= real->spmv(device, &wrong, error);
	real->release(device, copy);
	free(offsets);
	free(values);
	return status ? -1 : 0;
}

static void every_wrong_kernel_is_seen(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		int (*spmv)(struct bench_device *device, const struct bench_spmv *spmv,
			    struct bench_error *error);
	} wrong[] = {
		{"nothing", does_nothing},
		{"last row", drops_last_row},
		{"column", is_wrong_about_one_column},
		{"empty rows", does_not_write_empty_rows},
		{"one row", is_wrong_about_one_row},
		{"tail of the longest row", drops_the_tail_of_the_longest_row},
	};
	static const char *const settings[] = {"matrix=powerlaw n=2000", "matrix=powerlaw n=2000 repeat=3"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		for (size_t j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
			struct bench_backend backend = *real;
			struct fixture fixture;
			struct bench_error error = {0};
			backend.spmv = wrong[i].spmv;
			assert_true(open_fixture(&fixture, &bench_suite_spmv, &backend, settings[j], &error));
			must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
			struct bench_check check = once(&fixture);
			if (check.error <= check.tolerance)
				fail_msg("%s: not seen at %s: %g", wrong[i].what, settings[j], check.error);
			close_fixture(&fixture);
		}
}

/* One application too few, or too many: the operation itself is right. */
static unsigned applications;

static int forgets_an_application(struct bench_device *device, const struct bench_spmv *spmv,
				  struct bench_error *error)
{
	return applications++ == 2 ? 0 : real->spmv(device, spmv, error);
}

static void an_application_left_out_is_seen(void **state)
{
	(void)state;
	struct bench_backend backend = *real;
	struct fixture fixture;
	struct bench_error error = {0};
	backend.spmv = forgets_an_application;
	assert_true(open_fixture(&fixture, &bench_suite_spmv, &backend, "n=1000 repeat=10", &error));
	must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	applications = 0;
	struct bench_check check = once(&fixture);
	assert_false(check.error <= check.tolerance);
	close_fixture(&fixture);
}

static void add_value(void *context, const struct bench_metric_spec *metric, double value)
{
	struct bench_text *text = context;
	if (strcmp(metric->name, "analysis_time") == 0)
		assert_true(value >= 0 && value < 60);
	else
		bench_text_add(text, "%s=%g ", metric->name, value);
}

static void the_suite_reports_the_matrix_and_what_its_analysis_took(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_text text = {0};
	const struct bench_report report = {.context = &text, .value = add_value};
	assert_true(open_fixture(&fixture, &bench_suite_spmv, real, "matrix=poisson2d n=100", &error));
	must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	once(&fixture);
	must(fixture.suite->report(&fixture.bench_case, &report, &error), &fixture, "report", &error);
	assert_string_equal(text.data, "rows=100 entries=460 longest_row=5 ");
	bench_text_free(&text);
	close_fixture(&fixture);
}

static void a_backend_without_the_operation_is_unsupported(void **state)
{
	(void)state;
	struct bench_backend backend = *real;
	struct fixture fixture;
	struct bench_error error = {0};
	backend.spmv = NULL;
	assert_true(open_fixture(&fixture, &bench_suite_spmv, &backend, "n=10", &error));
	assert_int_equal(fixture.suite->setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(the_suite_is_right_on_every_backend),
		in_scratch(sizes_that_cannot_be_are_refused_before_anything_is_made),
		cmocka_unit_test(work_counts_two_operations_an_entry_and_each_array_once),
		in_scratch(a_value_too_large_for_the_type_and_a_vector_worn_out_are_refused),
		cmocka_unit_test(every_wrong_kernel_is_seen),
		cmocka_unit_test(an_application_left_out_is_seen),
		cmocka_unit_test(the_suite_reports_the_matrix_and_what_its_analysis_took),
		cmocka_unit_test(a_backend_without_the_operation_is_unsupported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
