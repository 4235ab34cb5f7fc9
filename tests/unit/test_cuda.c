/* SPDX-License-Identifier: MIT */
/* The backend of contrib/cuda, on libraries and a GPU that are made up. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "contrib/cuda/device.h"
#include "suite_fixture.h"

static int (*live)(void), (*failed)(void);

static void use_folder(const char *folder)
{
	setenv(CUDA_PATH, folder, 1);
}

/* These come first: what is loaded once stays. */
static void an_old_library_is_refused_by_the_function_that_it_lacks(void **state)
{
	struct bench_error error;
	size_t count;
	(void)state;
	use_folder(OLD_CUDA);
	assert_int_equal(cuda_backend.devices(NULL, 0, &count, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "libcuda.so.1 has no function cuLaunchHostFunc"));
	use_folder(FAKE_CUDA);
}

static void an_old_driver_is_refused_with_its_version(void **state)
{
	struct bench_error error;
	size_t count;
	(void)state;
	setenv("FAKE_CUDA_VERSION", "10020", 1);
	assert_int_equal(cuda_backend.devices(NULL, 0, &count, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "this driver (CUDA 10.2)"));
	unsetenv("FAKE_CUDA_VERSION");
}

static void a_failure_while_loading_is_named_and_no_later_call_suffers(void **state)
{
	static const char *const calls[] = {"cuInit", "cuDriverGetVersion", "cublasGetProperty"};
	struct bench_error error;
	size_t count;
	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		char what[64];
		snprintf(what, sizeof(what), "%s:0", calls[i]);
		setenv("FAKE_CUDA_FAIL", what, 1);
		assert_int_equal(cuda_backend.devices(NULL, 0, &count, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, calls[i]));
		unsetenv("FAKE_CUDA_FAIL");
		failed();
	}
	assert_int_equal(cuda_backend.devices(NULL, 0, &count, &error), 0);
	assert_int_equal(count, 1);
}

static void a_machine_without_a_gpu_says_so(void **state)
{
	struct bench_error error;
	size_t count;
	(void)state;
	setenv("FAKE_CUDA_EMPTY", "1", 1);
	assert_int_equal(cuda_backend.devices(NULL, 0, &count, &error), -1);
	unsetenv("FAKE_CUDA_EMPTY");
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "CUDA_ERROR_NO_DEVICE"));
	assert_non_null(strstr(error.text, "CUDA_VISIBLE_DEVICES"));
}

static void the_device_has_the_slug_of_opencl_and_its_pci_address(void **state)
{
	struct bench_device_info info;
	struct bench_error error;
	size_t count;
	(void)state;
	assert_int_equal(cuda_backend.devices(&info, 1, &count, &error), 0);
	assert_string_equal(info.slug, "nvidia-fake-80gb");
	assert_string_equal(info.pci, "0000:3b:00.0");
	assert_string_equal(info.platform, "CUDA 13.0, cuBLAS 13.1.2");
	assert_int_equal(info.compute_units, 132);
	assert_int_equal(info.clock_mhz, 1980);
}

static void products_of_all_types_and_transposes_are_right(void **state)
{
	static const char *const types[] = {"f32", "f64", "f16", "bf16", "tf32"};
	static const char *const transposes[] = {"NN", "NT", "TN", "TT"};
	static const char *const rest[] = {"", " alpha=-2 beta=0.5", " batch=3", " batch=3 beta=0.5"};
	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		for (size_t j = 0; j < sizeof(transposes) / sizeof(*transposes); j++)
			for (size_t r = 0; r < sizeof(rest) / sizeof(*rest); r++) {
				char settings[96];
				struct bench_check check;
				snprintf(settings, sizeof(settings), "m=7 n=5 k=9 dtype=%s trans=%s%s",
					 types[i], transposes[j], rest[r]);
				assert_true(check_suite(&bench_suite_gemm, &cuda_backend, settings, &check));
				if (!(check.error <= check.tolerance))
					fail_msg("%s: error %g is above tolerance %g", settings, check.error,
						 check.tolerance);
			}
	assert_int_equal(live(), 0);
}

/* 1 + 100 calls: the first, six graphs, and four one by one. */
static void products_by_graph_are_right_however_many(void **state)
{
	static const char *const settings[] = {"m=7 n=5 k=9", "m=7 n=5 k=9 beta=0.5 dtype=f64",
					       "m=7 n=5 k=9 batch=2 dtype=f16 trans=TN"};
	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct fixture fixture;
		struct bench_error error = {0};
		assert_true(
			open_fixture(&fixture, &bench_suite_gemm, &cuda_graph_backend, settings[i], &error));
		must(bench_suite_gemm.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		struct bench_check check =
			prepare_run_check(&fixture, (const uint64_t[]){1, 100, 3, 16, 17}, 5);
		if (!(check.error <= check.tolerance))
			fail_msg("%s: error %g is above tolerance %g", settings[i], check.error,
				 check.tolerance);
		assert_non_null(fixture.bench_case.device->graph.exec);
		close_fixture(&fixture);
	}
	assert_int_equal(live(), 0);
}

static void the_device_time_is_within_that_of_the_calls(void **state)
{
	struct fixture fixture;
	struct bench_error error = {0};
	struct timespec from, to;
	double seconds = 0;
	(void)state;
	assert_true(open_fixture(&fixture, &bench_suite_gemm, &cuda_backend, "n=16", &error));
	must(bench_suite_gemm.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	struct bench_device *device = fixture.bench_case.device;
	for (uint64_t iterations = 1; iterations < 100; iterations += 33) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		assert_int_equal(cuda_backend.time_begin(device, &error), 0);
		must(bench_suite_gemm.run(&fixture.bench_case, iterations, &error), &fixture, "run", &error);
		assert_int_equal(cuda_backend.time_end(device, &seconds, &error), 0);
		clock_gettime(CLOCK_MONOTONIC, &to);
		assert_true(seconds > 0);
		assert_true(seconds <=
			    (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
		assert_int_equal(device->clock.count, 2 * iterations);
	}
	close_fixture(&fixture);
	assert_int_equal(live(), 0);
}

static void what_the_library_does_not_do_is_refused_with_the_reason(void **state)
{
	struct bench_device *device;
	struct bench_error error;
	void *host;
	(void)state;
	assert_int_equal(cuda_backend.open(0, &(struct bench_open_options){0}, &device, &error), 0);
	struct bench_gemm gemm = {.m = 1, .n = 1, .k = 1, .activation = BENCH_ACTIVATION_GELU};
	assert_int_equal(cuda_backend.gemm(device, &gemm, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "an activation"));
	gemm = (struct bench_gemm){.m = (size_t)1 << 31, .n = 1, .k = 1};
	assert_int_equal(cuda_backend.gemm(device, &gemm, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "2147483648"));
	assert_int_equal(cuda_backend.host_alloc(device, 1, BENCH_HOST_STAGED, &host, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	cuda_backend.close(device);
}

static int fill_and_read(const struct bench_backend *backend, struct bench_device *device,
			 struct bench_buffer *buffer, struct bench_error *error)
{
	static const unsigned char pattern[] = {1, 2, 3, 4, 5, 6, 7, 8};
	unsigned char found[12], kept[16];
	/* In the middle, so that what lies around it is seen, and kept. */
	int result = backend->download(device, buffer, kept, sizeof(kept), error);
	for (size_t bytes = 1; bytes <= 8 && !result; bytes *= 2) {
		result = backend->kernels->fill(device, buffer, 4, 8, pattern, bytes, error) ||
			 backend->kernels->read(device, buffer, 4, sizeof(found), found, error);
		for (size_t i = 0; i < 8 && !result; i++)
			assert_int_equal(found[i], pattern[i % bytes]);
		if (!result)
			assert_memory_equal(found + 8, kept + 12, 4);
	}
	return result || backend->upload(device, buffer, kept, sizeof(kept), error);
}

/* y = 2 x + y in the second buffer, and back again; there are no images. */
static int run_kernel(const struct bench_backend *backend, struct bench_device *device,
		      struct bench_buffer *const *buffers, struct bench_error *error)
{
	static const char source[] = "extern \"C\" __global__ void saxpy(...)";
	const unsigned n = 4;
	float a = 2;
	const struct bench_kernel_argument arguments[] = {
		{.name = "n", .value = &n, .bytes = sizeof(n)},
		{.name = "a", .value = &a, .bytes = sizeof(a)},
		{.name = "x", .buffer = buffers[0], .bytes = 16},
		{.name = "y", .buffer = buffers[1], .bytes = 16},
	};
	const struct bench_kernel kernel = {.file = "k.cu",
					    .source = source,
					    .options = "-DA=1 -DB",
					    .name = "saxpy",
					    .arguments = arguments,
					    .argument_count = 4,
					    .dimensions = 1,
					    .global = {8},
					    .local = {4}};
	struct bench_built_kernel *built = NULL;
	int result = backend->kernels->build(device, &kernel, &built, error) ||
		     backend->kernels->enqueue(device, built, error);
	a = -2;
	result = result || backend->kernels->change(device, built, &kernel, error) ||
		 backend->kernels->enqueue(device, built, error) || backend->finish(device, error) ||
		 fill_and_read(backend, device, buffers[1], error);
	backend->kernels->release(device, built);
	assert_null(backend->kernels->image);
	return result;
}

/* All that a case does, in 2 x 2 elements; the first failure ends it. What it has computed is right. */
static int do_all(const struct bench_backend *backend, struct bench_error *error)
{
	const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, want[] = {19, 22, 43, 50};
	float c[4] = {0};
	double seconds;
	struct bench_device_info info;
	struct bench_device *device = NULL;
	struct bench_buffer *buffers[3] = {NULL};
	void *pinned = NULL;
	size_t count;
	int result = backend->devices(&info, 1, &count, error) ||
		     backend->open(0, &(struct bench_open_options){0}, &device, error);
	for (size_t i = 0; i < 3 && !result; i++)
		result = backend->alloc(device, sizeof(a), &buffers[i], error);
	result = result || backend->host_alloc(device, 4096, BENCH_HOST_PINNED, &pinned, error) ||
		 backend->upload(device, buffers[0], a, sizeof(a), error) ||
		 backend->upload(device, buffers[1], b, sizeof(b), error);
	struct bench_gemm gemm = {.m = 2,
				  .n = 2,
				  .k = 2,
				  .alpha = 1,
				  .a = buffers[0],
				  .b = buffers[1],
				  .c = buffers[2],
				  .lda = 2,
				  .ldb = 2,
				  .ldc = 2,
				  .stride_c = 4};
	if (!result && !(result = backend->time_begin(device, error))) {
		for (size_t i = 0; i < 20 && !result; i++)
			result = backend->gemm(device, &gemm, error);
		if (backend->time_end(device, &seconds, result ? NULL : error))
			result = -1;
	}
	if (!result && backend->kernels)
		result = run_kernel(backend, device, buffers, error);
	gemm.batch = 2; /* of one matrix: the second begins where the first ends */
	gemm.m = 1;
	gemm.stride_a = gemm.stride_c = 2;
	result = result || backend->gemm(device, &gemm, error) || backend->finish(device, error) ||
		 backend->download(device, buffers[2], c, sizeof(c), error);
	if (!result)
		assert_memory_equal(c, want, sizeof(want));
	if (device) {
		backend->host_free(device, pinned);
		for (size_t i = 0; i < 3; i++)
			backend->release(device, buffers[i]);
	}
	backend->close(device);
	return result;
}

static void each_call_that_fails_is_named_and_leaves_nothing_behind(void **state)
{
	/* They clean up, when there is nobody to tell. */
	static const char silent[] =
		"cuDevicePrimaryCtxRelease_v2 cuMemFree_v2 cuMemHostUnregister cuStreamDestroy_v2 "
		"cuEventDestroy_v2 cuModuleUnload nvrtcDestroyProgram cuGraphDestroy cuGraphExecDestroy "
		"cublasDestroy_v2";
#define NAME(type, name, arguments) #name,
	static const char *const calls[] = {CUDA_FUNCTIONS(NAME) CUBLAS_FUNCTIONS(NAME)
						    CUDA_KERNEL_FUNCTIONS(NAME) NVRTC_FUNCTIONS(NAME)};
	size_t met = 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (int after = 0;; after++) {
			char what[64];
			struct bench_error error = {0};
			snprintf(what, sizeof(what), "%s:%d", calls[i], after);
			setenv("FAKE_CUDA_FAIL", what, 1);
			int result = do_all(*state, &error);
			unsetenv("FAKE_CUDA_FAIL");
			bool did = failed();
			if (live() != 0)
				fail_msg("%s: %d objects are left", what, live());
			if (result && !strstr(error.text, calls[i]))
				fail_msg("%s: %s", what, error.text);
			if (result && error.code == BENCH_FAILED && !strstr(error.text, "GPU 0"))
				fail_msg("%s names no device: %s", what, error.text);
			/* The context of a thread is also set on the way out. */
			if (did && !result && !strstr(silent, calls[i]) &&
			    strcmp(calls[i], "cuCtxSetCurrent") != 0 &&
			    strcmp(calls[i], "cuStreamSynchronize") != 0)
				fail_msg("%s goes unnoticed", what);
			met += did;
			if (!did)
				break;
		}
	assert_true(met > 40);
	assert_int_equal(do_all(*state, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_library_is_refused_by_the_function_that_it_lacks),
		cmocka_unit_test(an_old_driver_is_refused_with_its_version),
		cmocka_unit_test(a_failure_while_loading_is_named_and_no_later_call_suffers),
		cmocka_unit_test(a_machine_without_a_gpu_says_so),
		cmocka_unit_test(the_device_has_the_slug_of_opencl_and_its_pci_address),
		cmocka_unit_test(products_of_all_types_and_transposes_are_right),
		cmocka_unit_test(products_by_graph_are_right_however_many),
		cmocka_unit_test(the_device_time_is_within_that_of_the_calls),
		cmocka_unit_test(what_the_library_does_not_do_is_refused_with_the_reason),
		cmocka_unit_test_prestate(each_call_that_fails_is_named_and_leaves_nothing_behind,
					  (void *)&cuda_backend),
		cmocka_unit_test_prestate(each_call_that_fails_is_named_and_leaves_nothing_behind,
					  (void *)&cuda_graph_backend),
	};
	/* The handle under which the backend loads it, too. */
	void *fake = dlopen(FAKE_CUDA "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!fake) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&live = dlsym(fake, "fake_cuda_live");
	*(void **)&failed = dlsym(fake, "fake_cuda_failed");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
