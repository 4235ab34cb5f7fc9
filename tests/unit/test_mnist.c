/* SPDX-License-Identifier: MIT */
/* Suite mnist: its hooks as the harness drives them, its gradient, and what its check must see. */
#include <stdlib.h>
#include <unistd.h>

#include "kit/rng.h"
#include "suite_fixture.h"
#include "suites/mnist/check.h"

#define MNIST_FOLDER BENCH_SOURCE_DIR "/../shared/data/mnist"

enum {
	PIXELS = BENCH_MNIST_PIXELS,
	HIDDEN = BENCH_MNIST_HIDDEN,
	CLASSES = BENCH_MNIST_CLASSES,
	BATCH = BENCH_MNIST_BATCH
};

/* The samples that report() gave, by metric. */
struct reported {
	const char *names[64];
	double values[64];
	size_t count;
};

static void take(void *context, const struct bench_metric_spec *metric, double value)
{
	struct reported *reported = context;
	assert_true(reported->count < 64);
	reported->names[reported->count] = metric->name;
	reported->values[reported->count++] = value;
}

/* The last sample of a metric; NaN where there is none. */
static double last_of(const struct reported *reported, const char *name)
{
	double value = (double)NAN;
	for (size_t i = 0; i < reported->count; i++)
		if (strcmp(reported->names[i], name) == 0)
			value = reported->values[i];
	return value;
}

/* False, which is said, where the backend has no device. */
static bool open_and_set_up(struct fixture *fixture, const struct bench_backend *backend,
			    const char *settings)
{
	struct bench_error error = {0};
	if (!open_fixture(fixture, &bench_suite_mnist, backend, settings, &error)) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return false;
	}
	must(bench_suite_mnist.setup(&fixture->bench_case, &error), fixture, "setup", &error);
	return true;
}

/* All that the harness does with a case; the last check, and what was reported. */
static struct bench_check drive(struct fixture *fixture, struct reported *reported)
{
	const struct bench_suite *suite = fixture->suite;
	struct bench_case *bench_case = &fixture->bench_case;
	struct bench_error error = {0};
	struct bench_work work = {0};
	struct bench_check check = once(fixture);
	if (!(check.error <= check.tolerance))
		fail_msg("first check: error %g of %g", check.error, check.tolerance);
	must(suite->work(bench_case, &work, &error), fixture, "work", &error);
	must(suite->prepare(bench_case, &error), fixture, "prepare", &error);
	for (uint64_t i = 1; i <= work.samples; i++) {
		must(suite->run(bench_case, 1, &error), fixture, "run", &error);
		finish(fixture);
		must(suite->observe(bench_case, i, &error), fixture, "observe", &error);
	}
	must(suite->check(bench_case, work.samples, &check, &error), fixture, "check", &error);
	*reported = (struct reported){0};
	must(suite->report(bench_case, &(struct bench_report){.context = reported, .value = take}, &error),
	     fixture, "report", &error);
	return check;
}

static void expect_learns_drawn_digits(const struct bench_backend *backend, const char *settings,
				       double accuracy)
{
	struct fixture fixture;
	struct reported reported;
	if (!open_and_set_up(&fixture, backend, settings))
		return;
	struct bench_check check = drive(&fixture, &reported);
	if (!(check.error <= check.tolerance))
		fail_msg("%s %s: error %g of %g", backend->name, settings, check.error, check.tolerance);
	assert_true(last_of(&reported, "initial_accuracy_test") < 0.3);
	assert_true(last_of(&reported, "accuracy_test") >= accuracy);
	assert_true(last_of(&reported, "accuracy_train") >= accuracy);
	assert_true(last_of(&reported, "accuracy_test") == last_of(&reported, "epoch_accuracy_test"));
	/* Nothing was loaded from files. */
	assert_true(isnan(last_of(&reported, "load_time_images")));
	assert_true(isnan(last_of(&reported, "time_to_97")) || accuracy > 0.9);
	close_fixture(&fixture);
}

static void it_learns_drawn_digits_on_every_backend(void **state)
{
	(void)state;
	expect_learns_drawn_digits(&bench_backend_reference, "samples=2560 epochs=2", 0.15);
	expect_learns_drawn_digits(&bench_backend_openblas, "samples=12800 epochs=4", 0.5);
	expect_learns_drawn_digits(&bench_backend_opencl, "samples=12800 epochs=4", 0.5);
}

/* The project's bar: after ten epochs 97.5% of the test images, and 98.4% of the training images. */
static void expect_learns_mnist(const struct bench_backend *backend)
{
	struct fixture fixture;
	struct reported reported;
	if (!open_and_set_up(&fixture, backend, "data=" MNIST_FOLDER))
		return;
	assert_string_equal(fixture.values[0].text, "mnist");
	struct bench_check check = drive(&fixture, &reported);
	if (!(check.error <= check.tolerance))
		fail_msg("%s: error %g of %g", backend->name, check.error, check.tolerance);
	assert_true(last_of(&reported, "accuracy_test") >= 0.975);
	assert_true(last_of(&reported, "accuracy_train") >= 0.984);
	assert_true(last_of(&reported, "time_to_97") > 0);
	assert_true(last_of(&reported, "load_time_images") > 0);
	close_fixture(&fixture);
}

static void it_learns_mnist_to_the_bar(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* Ten epochs take minutes; a build without it runs this, too, and what they run the drawn
		   digits run here. */
#endif
	if (access(MNIST_FOLDER, R_OK) != 0) {
		print_message("skipped: there is no folder %s\n", MNIST_FOLDER);
		skip();
	}
	expect_learns_mnist(&bench_backend_openblas);
	expect_learns_mnist(&bench_backend_opencl);
}

static void the_same_seed_trains_the_same(void **state)
{
	(void)state;
	struct reported first, second;
	for (int i = 0; i < 2; i++) {
		struct fixture fixture;
		if (!open_and_set_up(&fixture, &bench_backend_reference, "samples=512 epochs=1"))
			return;
		drive(&fixture, i ? &second : &first);
		close_fixture(&fixture);
	}
	assert_int_equal(first.count, second.count);
	assert_memory_equal(first.values, second.values, first.count * sizeof(double));
}

/* The mean cross-entropy of the minibatch: what the steps go down. */
static double loss(double *const weights[], const uint8_t *images, const uint8_t *labels)
{
	double sum = 0;
	for (size_t i = 0; i < BATCH; i++) {
		double hidden[HIDDEN], output[CLASSES], all = 0;
		for (size_t j = 0; j < HIDDEN; j++) {
			hidden[j] = weights[BENCH_MNIST_B1][j];
			for (size_t p = 0; p < PIXELS; p++)
				hidden[j] += images[i * PIXELS + p] / 255.0 *
					     weights[BENCH_MNIST_W1][p * HIDDEN + j];
			hidden[j] = fmax(hidden[j], 0);
		}
		for (size_t c = 0; c < CLASSES; c++) {
			output[c] = weights[BENCH_MNIST_B2][c];
			for (size_t j = 0; j < HIDDEN; j++)
				output[c] += hidden[j] * weights[BENCH_MNIST_W2][j * CLASSES + c];
			all += exp(output[c]);
		}
		sum += log(all) - output[labels[i]];
	}
	return sum / BATCH;
}

static void the_reference_step_goes_down_the_gradient_found_by_differences(void **state)
{
	(void)state;
	/* Weights of each tensor; of W1 such as belong to pixels in the middle. */
	static const size_t places[][2] = {{BENCH_MNIST_W1, (size_t)406 * HIDDEN + 5},
					   {BENCH_MNIST_W1, (size_t)350 * HIDDEN + 127},
					   {BENCH_MNIST_B1, 0},
					   {BENCH_MNIST_B1, 77},
					   {BENCH_MNIST_W2, 3},
					   {BENCH_MNIST_W2, (size_t)HIDDEN * CLASSES - 1},
					   {BENCH_MNIST_B2, 0},
					   {BENCH_MNIST_B2, 9}};
	const double delta = 1e-6;
	struct bench_error error;
	struct bench_mnist_data data;
	struct bench_mnist_weights start;
	struct bench_mnist_reference reference;
	double *weights[BENCH_MNIST_TENSORS];
	assert_int_equal(bench_mnist_draw(1, BATCH, 1, &data, &error), 0);
	assert_int_equal(bench_mnist_weights_make(&start, &error), 0);
	bench_mnist_weights_start(&start, 1);
	assert_int_equal(bench_mnist_reference_step(&start, data.train.images, data.train.labels, 1,
						    &reference, &error),
			 0);
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++) {
		weights[t] = calloc(bench_mnist_counts[t], sizeof(double));
		assert_non_null(weights[t]);
		for (size_t i = 0; i < bench_mnist_counts[t]; i++)
			weights[t][i] = (double)start.tensors[t][i];
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		double *weight = &weights[places[i][0]][places[i][1]], middle = *weight;
		double gradient = middle - reference.weights[places[i][0]][places[i][1]];
		*weight = middle + delta;
		double above = loss(weights, data.train.images, data.train.labels);
		*weight = middle - delta;
		double below = loss(weights, data.train.images, data.train.labels);
		*weight = middle;
		double difference = (above - below) / (2 * delta);
		if (fabs(difference - gradient) > 1e-6 + 1e-3 * fabs(gradient))
			fail_msg("tensor %zu, weight %zu: the gradient is %g, by differences %g",
				 places[i][0], places[i][1], gradient, difference);
	}
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		free(weights[t]);
	bench_mnist_reference_free(&reference);
	bench_mnist_weights_free(&start);
	bench_mnist_free(&data);
}

/* Backends that are openblas but for one fault. */

static int gemm_does_nothing(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	(void)device, (void)gemm, (void)error;
	return 0;
}

static int gemm_climbs(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.alpha = fabs(gemm->alpha);
	return bench_backend_openblas.gemm(device, &other, error);
}

static int gemm_drops_last_sample(struct bench_device *device, const struct bench_gemm *gemm,
				  struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.k -= gemm->trans_a ? 1 : 0;
	return bench_backend_openblas.gemm(device, &other, error);
}

static int gemm_forgets_the_weights(struct bench_device *device, const struct bench_gemm *gemm,
				    struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.beta = 0;
	return bench_backend_openblas.gemm(device, &other, error);
}

static int gather_does_nothing(struct bench_device *device, const struct bench_training_gather *gather,
			       struct bench_error *error)
{
	(void)device, (void)gather, (void)error;
	return 0;
}

static int gather_takes_the_first(struct bench_device *device, const struct bench_training_gather *gather,
				  struct bench_error *error)
{
	struct bench_training_gather other = *gather;
	other.first = 0;
	return bench_backend_openblas.training->gather(device, &other, error);
}

static int gather_drops_the_last(struct bench_device *device, const struct bench_training_gather *gather,
				 struct bench_error *error)
{
	struct bench_training_gather other = *gather;
	other.count -= gather->count > 1 ? 1 : 0;
	return bench_backend_openblas.training->gather(device, &other, error);
}

static int gather_shifts_labels(struct bench_device *device, const struct bench_training_gather *gather,
				struct bench_error *error)
{
	uint8_t labels[BATCH];
	const struct bench_backend *real = &bench_backend_openblas;
	if (real->training->gather(device, gather, error) != 0 ||
	    real->download(device, gather->x_labels, labels, gather->count, error) != 0)
		return -1;
	for (size_t i = 0; i < gather->count; i++)
		labels[i] = (uint8_t)((labels[i] + 1) % CLASSES);
	return real->upload(device, gather->x_labels, labels, gather->count, error);
}

static int relu_does_nothing(struct bench_device *device, const struct bench_training_relu *relu,
			     struct bench_error *error)
{
	(void)device, (void)relu, (void)error;
	return 0;
}

static int softmax_drops_the_last(struct bench_device *device, const struct bench_training_softmax *softmax,
				  struct bench_error *error)
{
	struct bench_training_softmax other = *softmax;
	other.rows--;
	return bench_backend_openblas.training->softmax(device, &other, error);
}

static int bias_does_nothing(struct bench_device *device, const struct bench_training_bias *bias,
			     struct bench_error *error)
{
	(void)device, (void)bias, (void)error;
	return 0;
}

static int bias_is_not_masked(struct bench_device *device, const struct bench_training_bias *bias,
			      struct bench_error *error)
{
	struct bench_training_bias other = *bias;
	other.activations = NULL;
	return bench_backend_openblas.training->bias(device, &other, error);
}

static int bias_drops_the_last_row(struct bench_device *device, const struct bench_training_bias *bias,
				   struct bench_error *error)
{
	struct bench_training_bias other = *bias;
	other.rows--;
	return bench_backend_openblas.training->bias(device, &other, error);
}

static int classify_does_nothing(struct bench_device *device, const struct bench_training_classify *classify,
				 struct bench_error *error)
{
	(void)device, (void)classify, (void)error;
	return 0;
}

static int classify_drops_the_last(struct bench_device *device,
				   const struct bench_training_classify *classify, struct bench_error *error)
{
	struct bench_training_classify other = *classify;
	other.rows -= classify->rows > 1 ? 1 : 0;
	return bench_backend_openblas.training->classify(device, &other, error);
}

static void every_fault_is_seen(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		int (*gemm)(struct bench_device *, const struct bench_gemm *, struct bench_error *);
		struct bench_training training;
	} faults[] = {
		{"a gemm that does nothing", gemm_does_nothing, {0}},
		{"the wrong sign of the rate", gemm_climbs, {0}},
		{"the last sample missing in the gradients", gemm_drops_last_sample, {0}},
		{"the old weights forgotten", gemm_forgets_the_weights, {0}},
		{"no gather", NULL, {.gather = gather_does_nothing}},
		{"the first minibatch every time", NULL, {.gather = gather_takes_the_first}},
		{"the last sample not gathered", NULL, {.gather = gather_drops_the_last}},
		{"labels shifted", NULL, {.gather = gather_shifts_labels}},
		{"no relu", NULL, {.relu = relu_does_nothing}},
		{"the last row without softmax", NULL, {.softmax = softmax_drops_the_last}},
		{"no gradient of the biases", NULL, {.bias = bias_does_nothing}},
		{"no relu on the way back", NULL, {.bias = bias_is_not_masked}},
		{"the last row missing in the biases", NULL, {.bias = bias_drops_the_last_row}},
		{"no classes", NULL, {.classify = classify_does_nothing}},
		{"the last class not written", NULL, {.classify = classify_drops_the_last}},
	};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct bench_backend wrong = bench_backend_openblas;
		struct bench_training training = *bench_backend_openblas.training;
		struct fixture fixture;
		const struct bench_training *fault = &faults[i].training;
		wrong.gemm = faults[i].gemm ? faults[i].gemm : wrong.gemm;
		training.gather = fault->gather ? fault->gather : training.gather;
		training.relu = fault->relu ? fault->relu : training.relu;
		training.softmax = fault->softmax ? fault->softmax : training.softmax;
		training.bias = fault->bias ? fault->bias : training.bias;
		training.classify = fault->classify ? fault->classify : training.classify;
		wrong.training = &training;
		if (!open_and_set_up(&fixture, &wrong, "samples=1024 epochs=2"))
			return;
		struct bench_check check = once(&fixture);
		if (check.error <= check.tolerance)
			fail_msg("not seen: %s (error %g of %g)", faults[i].fault, check.error,
				 check.tolerance);
		close_fixture(&fixture);
	}
}

/* A minibatch that is trained with once and then never again, which no single step shows. */
static void a_training_that_learns_nothing_is_incorrect(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_check check;
	if (!open_and_set_up(&fixture, &bench_backend_openblas, "samples=12800 epochs=1"))
		return;
	must(bench_suite_mnist.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	must(bench_suite_mnist.check(&fixture.bench_case, 1, &check, &error), &fixture, "check", &error);
	assert_false(check.error <= check.tolerance);
	close_fixture(&fixture);
}

static void data_that_would_make_a_key_lie_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *settings, *said;
	} rows[] = {{"data=/tmp/synthetic", "would pass for drawn digits"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture fixture;
		struct bench_work work = {0};
		struct bench_error error = {0};
		set_values(&bench_suite_mnist, rows[i].settings, fixture.values);
		struct bench_case bench_case = {.values = fixture.values};
		assert_int_equal(bench_suite_mnist.work(&bench_case, &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_non_null(strstr(error.text, rows[i].said));
	}
}

static void a_backend_that_cannot_train_is_unsupported(void **state)
{
	(void)state;
	struct bench_backend bare = bench_backend_openblas;
	struct fixture fixture;
	struct bench_error error = {0};
	bare.training = NULL;
	if (!open_fixture(&fixture, &bench_suite_mnist, &bare, "samples=512", &error))
		return;
	assert_int_equal(bench_suite_mnist.setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	close_fixture(&fixture);
}

static void the_work_is_that_of_whole_minibatches(void **state)
{
	(void)state;
	struct bench_value values[MAX_PARAMS];
	struct bench_work work = {0};
	struct bench_error error = {0};
	set_values(&bench_suite_mnist, "", values);
	struct bench_case bench_case = {.values = values};
	assert_int_equal(bench_suite_mnist.work(&bench_case, &work, &error), 0);
	assert_true(work.items == 59904);
	/* 2 m n k: 256 x 784 x 128 twice, 256 x 128 x 10 thrice; 234 minibatches. */
	assert_true(work.flops == 234 * (2 * 2.0 * 256 * 784 * 128 + 3 * 2.0 * 256 * 128 * 10));
	assert_int_equal(work.samples, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_is_that_of_whole_minibatches),
		cmocka_unit_test(the_reference_step_goes_down_the_gradient_found_by_differences),
		cmocka_unit_test(every_fault_is_seen),
		cmocka_unit_test(a_training_that_learns_nothing_is_incorrect),
		cmocka_unit_test(data_that_would_make_a_key_lie_is_refused),
		cmocka_unit_test(a_backend_that_cannot_train_is_unsupported),
		cmocka_unit_test(the_same_seed_trains_the_same),
		cmocka_unit_test(it_learns_drawn_digits_on_every_backend),
		cmocka_unit_test(it_learns_mnist_to_the_bar),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
