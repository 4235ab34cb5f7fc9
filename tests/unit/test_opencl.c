/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL backend: devices, memory, errors, device time, the program cache. Without a
 * device most tests are skipped, and say why.
 */
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/device.h"
#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/slug.h"
#include "opencl_fixture.h"

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	assert_true(bench_file_join(path, sizeof(path), folder, name));
	assert_int_equal(bench_file_write(path, text, strlen(text), NULL), 0);
}

#define LIBRARIES "libno-such-driver.so.1:libno-such-driver.so.2"

static void every_device_has_a_legal_slug_and_memory(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device_info info[16];
	size_t count;
	const char *drivers = getenv("POCL_DEVICES");
	require(cl->devices(info, 16, &count, &error), &error);
	assert_true(count >= 1);
	/* What PoCL is told is not left for programs that are started later, and what the loader reads is. */
	assert_true(getenv("POCL_DEVICES") == drivers);
	assert_string_equal(getenv("OCL_ICD_FILENAMES"), LIBRARIES);
	for (size_t i = 0; i < count && i < 16; i++) {
		assert_true(*info[i].slug && strspn(info[i].slug, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
						     strlen(info[i].slug));
		assert_true(*info[i].name && *info[i].platform && *info[i].driver);
		assert_true(info[i].compute_units >= 1);
		assert_true(info[i].max_buffer_bytes > 0 && info[i].max_buffer_bytes <= info[i].memory_bytes);
	}
	struct bench_device *device;
	assert_int_equal(cl->open(count, &(struct bench_open_options){0}, &device, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
}

static void slugs_name_the_kind_of_device(void **state)
{
	(void)state;
	static const struct {
		const char *platform, *device, *cpu, *slug;
	} cases[] = {
		{"NVIDIA CUDA", "NVIDIA H200", "Intel(R) Xeon(R) Processor", "nvidia-h200"},
		{"Portable Computing Language", "pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
		 "Intel(R) Xeon(R) Processor", "pocl-skylake-avx512"},
		{"Portable Computing Language", "cpu-skylake-avx512-Intel(R) Xeon(R) Processor",
		 "Intel(R) Xeon(R) Processor", "pocl-skylake-avx512"},
		{"Portable Computing Language", "cpu-haswell-AMD EPYC 7763 64-Core Processor", "",
		 "pocl-haswell-amd-epyc-7763-64-core-processor"},
		{"Portable Computing Language", "NVIDIA H200", "AMD EPYC", "pocl-nvidia-h200"},
		{"Intel(R) OpenCL", "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "x",
		 "intel-core-i7-8700-cpu-3-20ghz"},
		{"Odd", "\xff(R)\n", "", "unnamed"},
		{"Odd", "", "", "unnamed"},
		{"Odd", "<None>", "", "unnamed"},
	};
	char slug[64];
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bench_opencl_slug(slug, sizeof(slug), cases[i].platform, cases[i].device, cases[i].cpu);
		assert_string_equal(slug, cases[i].slug);
	}
	char name[1000];
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	bench_opencl_slug(slug, sizeof(slug), "Odd", name, "");
	assert_int_equal(strlen(slug), sizeof(slug) - 1);
}

static void an_error_names_the_status_the_call_the_thing_and_the_device(void **state)
{
	(void)state;
	struct bench_error error;
	const struct bench_device device = {.info = {.slug = "nvidia-h200"}};
	assert_int_equal(bench_opencl_fail(&error, &device, CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel",
					   "kernel gemm_tile"),
			 -1);
	assert_string_equal(
		error.text,
		"CL_OUT_OF_RESOURCES in clEnqueueNDRangeKernel, kernel gemm_tile, device nvidia-h200");
	assert_int_equal(error.code, BENCH_FAILED);
	bench_opencl_fail(&error, &device, CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer", NULL);
	assert_int_equal(error.code, BENCH_NO_MEMORY);
	bench_opencl_fail(&error, NULL, -9999, "clFinish", NULL);
	assert_string_equal(error.text, "OpenCL error -9999 in clFinish");
}

static void a_list_of_too_many_arguments_is_not_launched(void **state)
{
	(void)state;
	struct bench_error error;
	const struct bench_device device = {.info = {.slug = "nvidia-h200"}};
	struct bench_opencl_kernel kernel = {.name = "gemm_tile"};
	struct {
		struct bench_opencl_list list;
		unsigned char after[64];
	} given = {.list = {.count = 0}};
	for (size_t i = 0; i < BENCH_OPENCL_LIST; i++)
		BENCH_OPENCL_UINTS(&given.list, i);
	assert_non_null(bench_opencl_list_launch(&given.list, 1, (size_t[]){1}, (size_t[]){1}).arguments);
	BENCH_OPENCL_ULONGS(&given.list, UINT64_MAX, UINT64_MAX);
	BENCH_OPENCL_UINTS(&given.list, 1, 2);
	BENCH_OPENCL_MEMORIES(&given.list, &(struct bench_buffer){.memory = NULL});
	for (size_t i = 0; i < sizeof(given.after); i++)
		assert_int_equal(given.after[i], 0);
	const struct bench_opencl_launch launch =
		bench_opencl_list_launch(&given.list, 1, (size_t[]){1}, (size_t[]){1});
	const struct bench_opencl_enqueued enqueued =
		bench_opencl_enqueue(&device, &kernel, &launch, NULL, NULL);
	bench_opencl_fail_enqueue(&error, &device, &kernel, &enqueued);
	assert_string_equal(
		error.text,
		"CL_INVALID_ARG_INDEX in bench_opencl_list_add, kernel gemm_tile, device nvidia-h200");
}

static void copies_bring_back_what_was_sent(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device = open_first(NULL);
	const enum bench_host_memory kinds[] = {BENCH_HOST_PAGEABLE, BENCH_HOST_PINNED, BENCH_HOST_STAGED};
	const size_t bytes = 1000003;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		void *out, *back;
		struct bench_buffer *buffer;
		int result = cl->host_alloc(device, bytes, kinds[i], &out, &error);
		if (kinds[i] != BENCH_HOST_PAGEABLE && !first_info().pinned) {
			assert_int_equal(result, -1);
			assert_int_equal(error.code, BENCH_UNSUPPORTED);
			assert_non_null(strstr(error.text, first_info().slug));
			continue;
		}
		require(result, &error);
		require(cl->host_alloc(device, bytes, kinds[i], &back, &error), &error);
		assert_int_equal((uintptr_t)out % 4096, 0);
		require(cl->alloc(device, bytes, &buffer, &error), &error);
		for (size_t j = 0; j < bytes; j++)
			((unsigned char *)out)[j] = (unsigned char)(j * 2654435761u >> 13);
		memset(back, 0, bytes);
		require(cl->upload(device, buffer, out, bytes, &error), &error);
		require(cl->download(device, buffer, back, bytes, &error), &error);
		assert_memory_equal(out, back, bytes);
		assert_int_equal(cl->download(device, buffer, back, bytes + 1, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		cl->release(device, buffer);
		cl->host_free(device, out); /* close() takes the other */
	}
	cl->host_free(device, NULL);
	cl->release(device, NULL);
	cl->close(device);
	cl->close(NULL);
}

/* Less than a piece, some of them, more than there are slots, and what is left over; also while times are
 * taken. */
static void staged_copies_arrive_whole(void **state)
{
	(void)state;
	skip_without_device();
	static const size_t sizes[] = {1, 4096, 262144, 262145, 1000003, 2097152, 50000001};
	struct bench_error error;
	struct bench_device *device = open_first("gpu");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t bytes = sizes[i];
		void *out, *back;
		double seconds = 0;
		struct bench_buffer *buffer;
		require(cl->host_alloc(device, bytes, BENCH_HOST_STAGED, &out, &error), &error);
		require(cl->host_alloc(device, bytes, BENCH_HOST_STAGED, &back, &error), &error);
		require(cl->alloc(device, bytes, &buffer, &error), &error);
		for (size_t j = 0; j < bytes; j++)
			((unsigned char *)out)[j] = (unsigned char)(j * 2654435761u >> 13);
		for (int timed = 0; timed < 2; timed++) {
			memset(back, 0, bytes);
			if (timed)
				require(cl->time_begin(device, &error), &error);
			require(cl->upload(device, buffer, out, bytes, &error), &error);
			require(cl->download(device, buffer, back, bytes, &error), &error);
			if (timed)
				require(cl->time_end(device, &seconds, &error), &error);
			assert_memory_equal(out, back, bytes);
		}
		assert_true(seconds > 0);
		assert_int_equal(cl->upload(device, buffer, out, bytes + 1, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		cl->release(device, buffer);
		cl->host_free(device, out);
		cl->host_free(device, back);
	}
	cl->close(device);
}

static void a_buffer_larger_than_the_device_is_out_of_memory_not_a_crash(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device = open_first(NULL);
	struct bench_buffer *buffer;
	void *host;
	assert_int_equal(cl->alloc(device, SIZE_MAX, &buffer, &error), -1);
	assert_int_equal(error.code, BENCH_NO_MEMORY);
	assert_int_equal(cl->host_alloc(device, SIZE_MAX, BENCH_HOST_PAGEABLE, &host, &error), -1);
	assert_int_equal(error.code, BENCH_NO_MEMORY);
	cl->close(device);
}

/* Runs a small product, so that a program is built. */
static int run_small(struct bench_device *device, float *result, struct bench_error *error)
{
	const float ones[64 * 64] = {1};
	float out[64 * 64];
	struct bench_buffer *a, *c;
	require(cl->alloc(device, sizeof(ones), &a, error), error);
	require(cl->alloc(device, sizeof(ones), &c, error), error);
	require(cl->upload(device, a, ones, sizeof(ones), error), error);
	const struct bench_fused twice = {
		.op = BENCH_FUSED_ADD_RELU, .count = (size_t)64 * 64, .a = a, .b = a, .d = c};
	int status = cl->fused(device, &twice, error);
	if (status == 0) {
		require(cl->finish(device, error), error);
		require(cl->download(device, c, out, sizeof(out), error), error);
		*result = out[0];
	}
	cl->release(device, a);
	cl->release(device, c);
	return status;
}

static void device_time_is_that_of_the_work_between_begin_and_end(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device = open_first(NULL);
	float value;
	double seconds = -1, idle = -1;
	assert_int_equal(cl->time_end(device, &seconds, &error), -1);
	if (!first_info().device_time) {
		print_message("skipped: the device does not profile\n");
		cl->close(device);
		skip();
	}
	for (int i = 0; i < 2; i++) {
		require(cl->time_begin(device, &error), &error);
		require(run_small(device, &value, &error), &error);
		require(cl->time_end(device, &seconds, &error), &error);
		assert_true(seconds > 0 && seconds < 60);
		require(run_small(device, &value, &error), &error);
	}
	require(cl->time_begin(device, &error), &error);
	require(cl->time_end(device, &idle, &error), &error);
	assert_true(idle == 0);
	cl->close(device);
}

/* Rows are for GPUs; a processor's queue serves as well, if it is called one. */
static void work_in_a_row_is_timed_unless_it_waits_for_the_device(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device = open_first("cpu");
	struct bench_device_row row;
	float value;
	assert_int_equal(cl->row_begin(device, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_int_equal(cl->row_end(device, &row, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	device->info.kind = BENCH_DEVICE_GPU;
	struct bench_device *caller = device->caller;
	device->caller = NULL; /* it would do the work at once, in this thread */
	require(run_small(device, &value, &error), &error);
	if (cl->row_begin(device, &error) != 0) { /* a processor that always works at once */
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		print_message("skipped: %s\n", error.text);
		device->caller = caller;
		cl->close(device);
		skip();
	}
	require(cl->row_end(device, &row, &error), &error);
	assert_true(row.within == 0 && row.stamp > 0);
	/* A busy machine may enqueue too slowly; the next hold is longer. */
	bool timed = false;
	for (int i = 0; i < 50 && !timed; i++) {
		require(cl->row_begin(device, &error), &error);
		for (int j = 0; j < 5; j++)
			require(cl->empty(device, 0, &error), &error);
		require(cl->row_end(device, &row, &error), &error);
		timed = !isnan(row.seconds);
		assert_true(row.within > 0);
	}
	assert_true(timed);
	/* One that waits in between is none, and what comes after it is as before. */
	require(cl->row_begin(device, &error), &error);
	require(run_small(device, &value, &error), &error);
	require(cl->row_end(device, &row, &error), &error);
	assert_true(isnan(row.seconds));
	assert_true(value == 2);
	double seconds = -1;
	require(cl->time_begin(device, &error), &error);
	require(run_small(device, &value, &error), &error);
	require(cl->time_end(device, &seconds, &error), &error);
	assert_true(seconds > 0);
	device->caller = caller;
	cl->close(device);
}

/* Opens, computes, closes; gives how the program was come by. */
static struct bench_device_stats use_program(void)
{
	struct bench_error error;
	struct bench_device_stats stats;
	struct bench_device *device = open_first("cpu");
	float value = 0;
	require(run_small(device, &value, &error), &error);
	assert_true(value == 2);
	cl->device_stats(device, &stats);
	cl->close(device);
	return stats;
}

/* The sum of so many ones, which takes scratch memory of the device. */
static float sum_of_ones(struct bench_device *device, size_t count)
{
	struct bench_error error;
	struct bench_buffer *a;
	float sum = 0, *ones = malloc(count * sizeof(*ones));
	assert_non_null(ones);
	for (size_t i = 0; i < count; i++)
		ones[i] = 1;
	require(cl->alloc(device, count * sizeof(*ones), &a, &error), &error);
	require(cl->upload(device, a, ones, count * sizeof(*ones), &error), &error);
	const struct bench_reduction reduction = {.op = BENCH_REDUCTION_SUM,
						  .dtype = BENCH_F32,
						  .count = count,
						  .stages = BENCH_REDUCTION_TWO,
						  .a = a,
						  .result = &sum};
	require(cl->reduction(device, &reduction, &error), &error);
	require(cl->finish(device, &error), &error);
	cl->release(device, a);
	free(ones);
	return sum;
}

static void a_cleared_device_has_its_programs_and_computes_as_before(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	static const char *const kinds[] = {"gpu", "cpu"};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct bench_device *device = open_first(kinds[i]);
		struct bench_device_stats before, after;
		float value = 0;
		require(run_small(device, &value, &error), &error);
		assert_true(sum_of_ones(device, 100000) == 100000);
		cl->device_stats(device, &before);
		for (size_t times = 1; times < 4; times++) {
			cl->clear(device);
			cl->clear(device);
			require(run_small(device, &value, &error), &error);
			assert_true(value == 2);
			assert_true(sum_of_ones(device, 100000 * times) == (float)(100000 * times));
		}
		cl->device_stats(device, &after);
		assert_int_equal(after.compiled, before.compiled);
		assert_int_equal(after.cached, before.cached);
		cl->close(device);
	}
}

static void assert_compiled(void)
{
	struct bench_device_stats stats = use_program();
	assert_int_equal(stats.compiled, 1);
	assert_int_equal(stats.cached, 0);
	assert_true(stats.compile_seconds > 0);
}

static void assert_cached(void)
{
	struct bench_device_stats stats = use_program();
	assert_int_equal(stats.compiled, 0);
	assert_int_equal(stats.cached, 1);
	assert_true(stats.load_seconds > 0);
}

/* The one entry of a cache folder. */
static void entry_of(const char *folder, char *path)
{
	char command[PATH_MAX + 32];
	snprintf(command, sizeof(command), "ls -d '%s'/programs/*.clbin", folder);
	FILE *list = popen(command, "r");
	assert_non_null(list);
	assert_non_null(fgets(path, PATH_MAX, list));
	path[strcspn(path, "\n")] = '\0';
	pclose(list);
}

static void a_program_is_compiled_once_and_then_cached(void **state)
{
	(void)state;
	skip_without_device();
	char folder[PATH_MAX];
	in_scratch(folder, "cache-once");
	setenv("BENCH_CACHE_DIR", folder, 1);
	assert_compiled();
	assert_cached();
	setenv("BENCH_OPENCL_OPTIONS", "-DANOTHER_OPTION=1", 1);
	assert_compiled();
	assert_cached();
	unsetenv("BENCH_OPENCL_OPTIONS");
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	assert_compiled();
	unsetenv("BENCH_PROGRAM_CACHE");
	assert_cached();
}

static void a_damaged_cache_entry_is_rebuilt(void **state)
{
	(void)state;
	skip_without_device();
	char folder[PATH_MAX], path[PATH_MAX], *data;
	size_t length;
	in_scratch(folder, "cache-damaged");
	setenv("BENCH_CACHE_DIR", folder, 1);
	assert_compiled();
	entry_of(folder, path);
	assert_int_equal(bench_file_read(path, 1 << 28, &data, &length, NULL), 0);
	size_t header = (size_t)(strchr(data, '\n') - data);

	const size_t cuts[] = {0, 5, header, header + 1, length / 2, length - 1};
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		assert_int_equal(bench_file_write(path, data, cuts[i], NULL), 0);
		assert_compiled();
	}
	/* A byte of the header, the key and the binary. */
	const size_t spots[] = {3, header - 2, header + 20, length - 100};
	for (size_t i = 0; i < sizeof(spots) / sizeof(*spots); i++) {
		data[spots[i]] ^= 1;
		assert_int_equal(bench_file_write(path, data, length, NULL), 0);
		data[spots[i]] ^= 1;
		assert_compiled();
	}
	assert_cached();
	const char lie[] = "bench-program 1 18446744073709551615 18446744073709551615 0\nx";
	assert_int_equal(bench_file_write(path, lie, sizeof(lie), NULL), 0);
	assert_compiled();
	assert_cached();
	free(data);
}

static void a_cache_that_cannot_be_written_is_no_error(void **state)
{
	(void)state;
	skip_without_device();
	setenv("BENCH_CACHE_DIR", "/proc/no/such/folder", 1);
	assert_compiled();
	assert_compiled();
}

static void kernels_are_read_live_from_a_folder(void **state)
{
	(void)state;
	skip_without_device();
	char folder[PATH_MAX];
	struct bench_error error;
	float value = 0;
	in_scratch(folder, "live");
	assert_int_equal(bench_file_make_folder(folder, NULL), 0);
	write_text(folder, "fused.cl",
		   "__kernel void fused(__global const float *a, __global const float *b, __global "
		   "float *c,\n"
		   "ulong count) { c[0] = 42; }\n");
	setenv("BENCH_KERNELS", folder, 1);
	struct bench_device *device = open_first("cpu");
	int result = run_small(device, &value, &error);
	cl->close(device);
	unsetenv("BENCH_KERNELS");
	require(result, &error);
	assert_true(value == 42);
}

static void a_kernel_that_does_not_compile_gives_file_device_and_log(void **state)
{
	(void)state;
	skip_without_device();
	char folder[PATH_MAX];
	struct bench_error error;
	float value;
	in_scratch(folder, "broken");
	assert_int_equal(bench_file_make_folder(folder, NULL), 0);
	write_text(folder, "fused.cl", "__kernel void fused(void) { no_such_thing_here = 1; }\n");
	setenv("BENCH_KERNELS", folder, 1);
	struct bench_device *device = open_first("cpu");
	assert_int_equal(run_small(device, &value, &error), -1);
	assert_int_equal(error.code, BENCH_FAILED);
	assert_non_null(strstr(error.text, folder));
	assert_non_null(strstr(error.text, "fused.cl"));
	assert_non_null(strstr(error.text, first_info().slug));
	assert_non_null(strstr(error.text, "no_such_thing_here"));
	cl->close(device);

	/* In a file that is included, too. NVIDIA's compiler heeds no #line. */
	write_text(folder, "fused.cl", "#include \"other.cl\"\n__kernel void fused(void) { fine_here(); }\n");
	write_text(folder, "other.cl", "void fine_here(void) {}\n\nint x = no_such_thing_there;\n");
	device = open_first("cpu");
	assert_int_equal(run_small(device, &value, &error), -1);
	if (strncmp(first_info().slug, "pocl", 4) == 0)
		assert_non_null(strstr(error.text, "other.cl:3"));
	assert_non_null(strstr(error.text, "no_such_thing_there"));
	cl->close(device);
	write_text(folder, "other.cl", "#include \"other.cl\"\n");
	device = open_first("cpu");
	assert_int_equal(run_small(device, &value, &error), -1);
	assert_non_null(strstr(error.text, "does it include itself"));
	cl->close(device);

	setenv("BENCH_KERNELS", "/no/such/folder", 1);
	device = open_first("cpu");
	assert_int_equal(run_small(device, &value, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "/no/such/folder/fused.cl"));
	cl->close(device);
	unsetenv("BENCH_KERNELS");
}

static void an_unknown_scheme_is_refused_by_name(void **state)
{
	(void)state;
	skip_without_device();
	struct bench_error error;
	struct bench_device *device;
	setenv("BENCH_OPENCL_KIND", "tpu", 1);
	assert_int_equal(cl->open(0, &(struct bench_open_options){0}, &device, &error), -1);
	unsetenv("BENCH_OPENCL_KIND");
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "tpu"));
}

/*
 * devices() in a child, whose ICD loader looks in `vendors`. The loader reads its
 * folder once a process, so this runs before anything else has called OpenCL.
 */
static int devices_with_vendors(const char *vendors, struct bench_error *error)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		size_t count;
		memset(error, 0, sizeof(*error));
		setenv("OCL_ICD_VENDORS", vendors, 1);
		int result = cl->devices(NULL, 0, &count, error);
		ssize_t written = write(ends[1], error, sizeof(*error));
		_exit(written != sizeof(*error) ? 2 : result == 0 ? 0 : 1);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], error, sizeof(*error));
	close(ends[0]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(got, sizeof(*error));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void without_a_platform_the_reason_says_what_to_install(void **state)
{
	(void)state;
	char folder[PATH_MAX];
	struct bench_error error;
	in_scratch(folder, "no-vendors");
	assert_int_equal(bench_file_make_folder(folder, NULL), 0);
	/* Some loaders, or settings such as OCL_ICD_FILENAMES, find drivers elsewhere too. */
	if (devices_with_vendors(folder, &error) == 0) {
		print_message("skipped: this machine's OpenCL loader finds drivers beside OCL_ICD_VENDORS\n");
		skip();
	}
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_non_null(strstr(error.text, "no OpenCL platform"));
	assert_non_null(strstr(error.text, "pocl-opencl-icd"));
}

static void a_broken_platform_does_not_hide_the_others(void **state)
{
	(void)state;
	char folder[PATH_MAX], command[2 * PATH_MAX];
	struct bench_error error;
	in_scratch(folder, "vendors");
	assert_int_equal(bench_file_make_folder(folder, NULL), 0);
	write_text(folder, "00-broken.icd", "libno-such-opencl-driver.so\n");
	snprintf(command, sizeof(command), "cp /etc/OpenCL/vendors/*.icd '%s' 2>/dev/null", folder);
	if (system(command) != 0) {
		print_message("skipped: no drivers in /etc/OpenCL/vendors\n");
		skip();
	}
	assert_int_equal(devices_with_vendors(folder, &error), 0);
}

static int make_scratch_with_cache(void **state)
{
	return make_scratch(state) || unsetenv("BENCH_PROGRAM_CACHE");
}

int main(void)
{
	setenv("OCL_ICD_FILENAMES", LIBRARIES, 1); /* read once a process */
	const struct CMUnitTest tests[] = {
		/* These two first: see devices_with_vendors. */
		cmocka_unit_test(without_a_platform_the_reason_says_what_to_install),
		cmocka_unit_test(a_broken_platform_does_not_hide_the_others),
		cmocka_unit_test(slugs_name_the_kind_of_device),
		cmocka_unit_test(an_error_names_the_status_the_call_the_thing_and_the_device),
		cmocka_unit_test(every_device_has_a_legal_slug_and_memory),
		cmocka_unit_test(a_list_of_too_many_arguments_is_not_launched),
		cmocka_unit_test(copies_bring_back_what_was_sent),
		cmocka_unit_test(staged_copies_arrive_whole),
		cmocka_unit_test(a_buffer_larger_than_the_device_is_out_of_memory_not_a_crash),
		cmocka_unit_test(device_time_is_that_of_the_work_between_begin_and_end),
		cmocka_unit_test(work_in_a_row_is_timed_unless_it_waits_for_the_device),
		cmocka_unit_test(a_program_is_compiled_once_and_then_cached),
		cmocka_unit_test(a_cleared_device_has_its_programs_and_computes_as_before),
		cmocka_unit_test(a_damaged_cache_entry_is_rebuilt),
		cmocka_unit_test(a_cache_that_cannot_be_written_is_no_error),
		cmocka_unit_test(kernels_are_read_live_from_a_folder),
		cmocka_unit_test(a_kernel_that_does_not_compile_gives_file_device_and_log),
		cmocka_unit_test(an_unknown_scheme_is_refused_by_name),
	};
	return cmocka_run_group_tests(tests, make_scratch_with_cache, remove_scratch);
}
