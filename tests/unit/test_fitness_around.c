/* SPDX-License-Identifier: MIT */
/* The doctor's checks of libraries, GPUs and storage; and all checks together. */
#include <sys/wait.h>
#include <unistd.h>

#include "fitness_fixture.h"
#include "machine/child.h"
#include "machine/nvml.h"

static struct bench_device_info made_up[2];
static size_t made_up_count;

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	if (made_up_count == 0)
		return bench_fail(error, BENCH_UNSUPPORTED, "no made-up device");
	*count = made_up_count;
	for (size_t i = 0; i < capacity && i < made_up_count; i++)
		info[i] = made_up[i];
	return 0;
}

static const struct bench_backend openblas = {.name = "openblas", .devices = devices},
				  opencl = {.name = "opencl", .devices = devices};
static const struct bench_backend *const backends[] = {&openblas, &opencl, NULL};

static void set_platform(size_t index, const char *platform)
{
	snprintf(made_up[index].platform, sizeof(made_up[index].platform), "%s", platform);
	made_up_count = index + 1;
}

static void openblas_is_judged_by_its_kernels(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	unsetenv("OPENBLAS_CORETYPE");
	put(&m, "proc/cpuinfo", "flags : avx avx2 avx512f avx512dq\n");
	assert_grade(&m, "openblas", BENCH_GRADE_ADVICE);
	m.options.backends = backends;
	made_up_count = 0;
	assert_grade(&m, "openblas", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "no made-up device");
	set_platform(0, "OpenBLAS 0.3.29, SapphireRapids kernels");
	assert_grade(&m, "openblas", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "SapphireRapids kernels, 2 threads");
	set_platform(0, "OpenBLAS 0.3.21, SkylakeX kernels (not its own choice: it does not know this CPU)");
	assert_grade(&m, "openblas", BENCH_GRADE_ADVICE);
	set_platform(0, "OpenBLAS 0.3.21, Prescott kernels");
	assert_grade(&m, "openblas", BENCH_GRADE_BAD);
	assert_string_equal(m.finding.command, "OPENBLAS_CORETYPE=SkylakeX bench run");
	put(&m, "proc/cpuinfo", "flags : avx avx2\n");
	assert_grade(&m, "openblas", BENCH_GRADE_BAD);
	assert_string_equal(m.finding.command, "OPENBLAS_CORETYPE=Haswell bench run");
	setenv("OPENBLAS_CORETYPE", "Haswell", 1);
	set_platform(0, "OpenBLAS 0.3.21, Haswell kernels (below this CPU)");
	assert_grade(&m, "openblas", BENCH_GRADE_BAD);
	assert_string_equal(m.finding.command, "env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE bench run");
	unsetenv("OPENBLAS_CORETYPE");
	set_platform(0, "OpenBLAS 0.3.21, Prescott kernels");
	/* On a CPU that has no more than that, they are the right ones. */
	put(&m, "proc/cpuinfo", "flags : sse3\n");
	assert_grade(&m, "openblas", BENCH_GRADE_GOOD);
	end_machine(&m);
}

static void opencl_names_drivers_that_cannot_be_loaded(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	unsetenv("OCL_ICD_VENDORS");
	m.options.backends = backends;
	made_up_count = 0;
	assert_grade(&m, "opencl", BENCH_GRADE_ADVICE);
	assert_says(m.finding.command, "pocl-opencl-icd");
	set_platform(0, "One, OpenCL 3.0");
	set_platform(1, "One, OpenCL 3.0");
	assert_grade(&m, "opencl", BENCH_GRADE_GOOD);
	assert_string_equal(m.finding.found, "One, OpenCL 3.0; 2 devices");
	set_platform(1, "Two, OpenCL 1.2");
	put(&m, "etc/OpenCL/vendors/README", "no driver\n");
	put(&m, "etc/OpenCL/vendors/c.icd", "libc.so.6\n");
	assert_grade(&m, "opencl", BENCH_GRADE_GOOD);
	assert_string_equal(m.finding.found, "One, OpenCL 3.0; Two, OpenCL 1.2; 2 devices");
	put(&m, "etc/OpenCL/vendors/gone.icd", "libnowhere-to-be-found.so.1\n");
	assert_grade(&m, "opencl", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "gone.icd names 'libnowhere-to-be-found.so.1', which cannot be loaded");
	put_unreadable(&m, "etc/OpenCL/vendors/gone.icd");
	assert_grade(&m, "opencl", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "gone.icd: Is a directory");
	end_machine(&m);
}

static void look_at_gpu(struct machine *m, const struct bench_nvml_gpu *gpus, size_t count)
{
	m->finding = (struct bench_finding){0};
	m->probe.finding = &m->finding;
	fitness_gpus(&m->probe, gpus, count);
}

static void gpus_are_judged_by_what_holds_them_back(void **state)
{
	const struct bench_nvml_gpu idle = {
		.name = "H200", .persistent = 1, .throttle = 1, .clock_mhz = 375, .most_mhz = 1980};
	struct bench_nvml_gpu gpus[2] = {idle, idle};
	struct machine m;
	make_machine(&m, state, 2);
	look_at_gpu(&m, NULL, 0);
	assert_int_equal(m.finding.grade, BENCH_GRADE_GOOD);
	look_at_gpu(&m, gpus, 2);
	assert_int_equal(m.finding.grade, BENCH_GRADE_GOOD);
	assert_string_equal(m.finding.found, "0: H200, 375 of 1980 MHz; 1: H200, 375 of 1980 MHz");
	gpus[1].persistent = 0;
	look_at_gpu(&m, gpus, 2);
	assert_int_equal(m.finding.grade, BENCH_GRADE_ADVICE);
	assert_string_equal(m.finding.command, "sudo nvidia-smi -pm 1");
	gpus[1] = idle;
	gpus[1].throttle = 0x4;
	look_at_gpu(&m, gpus, 2);
	assert_int_equal(m.finding.grade, BENCH_GRADE_ADVICE);
	assert_says(m.finding.command, "--lock-gpu-clocks");
	gpus[1].throttle = 0x40;
	look_at_gpu(&m, gpus, 2);
	assert_int_equal(m.finding.grade, BENCH_GRADE_BAD);
	assert_says(m.finding.found, "1: H200, 375 of 1980 MHz, slowed down by heat");
	gpus[1] = idle;
	gpus[0].processes = 1;
	look_at_gpu(&m, gpus, 2);
	assert_int_equal(m.finding.grade, BENCH_GRADE_BAD);
	assert_says(m.finding.found, "0: H200, 375 of 1980 MHz, 1 other process;");
	gpus[0] = idle;
	gpus[0].busy_percent = 80;
	look_at_gpu(&m, gpus, 2);
	assert_int_equal(m.finding.grade, BENCH_GRADE_BAD);
	/* What the driver does not tell is no finding. */
	gpus[0] = (struct bench_nvml_gpu){.name = "A",
					  .persistent = -1,
					  .throttle = -1,
					  .clock_mhz = -1,
					  .most_mhz = -1,
					  .processes = -1,
					  .busy_percent = -1};
	look_at_gpu(&m, gpus, 1);
	assert_int_equal(m.finding.grade, BENCH_GRADE_GOOD);
	assert_string_equal(m.finding.found, "0: A");
	end_machine(&m);
}

/* Where there is no NVIDIA driver; where there is one, its GPUs stand before these. */
static void gpus_of_other_vendors_are_judged_too(void **state)
{
	struct machine m;
	unsigned count;
	struct bench_error error;
	make_machine(&m, state, 2);
	if (bench_machine_nvml_open(BENCH_NVML_LIBRARY, &count, &error) == 0) {
		bench_machine_nvml_close();
		end_machine(&m);
		skip();
	}
	assert_grade(&m, "gpu", BENCH_GRADE_GOOD);
	assert_string_equal(m.finding.found, "no NVIDIA driver is loaded");
	put(&m, "sys/class/drm/card0-DP-1/status", "connected\n");
	put(&m, "sys/class/drm/card1/device/tile0/gt0/freq0/act_freq", "1200\n");
	put(&m, "sys/class/drm/card1/device/tile0/gt0/freq0/rp0_freq", "2400\n");
	assert_grade(&m, "gpu", BENCH_GRADE_GOOD);
	assert_string_equal(m.finding.found, "0: xe, 1200 of 2400 MHz");
	put(&m, "sys/class/drm/card1/device/tile0/gt0/freq0/throttle/status", "1\n");
	put(&m, "sys/class/drm/card1/device/tile0/gt0/freq0/throttle/reason_thermal", "1\n");
	assert_grade(&m, "gpu", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "slowed down by heat");
	assert_says(m.finding.command, "hwmon*/temp*_input");
	assert_null(strstr(m.finding.command, "nvidia"));
	end_machine(&m);
}

static void runs_need_a_folder_that_can_be_written(void **state)
{
	char path[512];
	struct machine m;
	make_machine(&m, state, 2);
	path_of(&m, "not/there/yet", path, sizeof(path));
	m.options.outputs.runs_dir = path;
	look_at(&m, "disk");
	/* How full the disk is that tests run on is its own affair; that it is known is not. */
	assert_int_not_equal(m.finding.grade, BENCH_GRADE_UNKNOWN);
	assert_says(m.finding.found, "are free for");
	put(&m, "file", "x");
	path_of(&m, "file", path, sizeof(path));
	assert_grade(&m, "disk", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "is not a folder");
	assert_says(m.finding.command, ".old");
	m.options.outputs.runs_dir = "";
	assert_grade(&m, "disk", BENCH_GRADE_BAD);
	assert_null(m.finding.command);
	m.options.outputs.runs_dir = "/proc/runs";
	assert_grade(&m, "disk", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "/proc");
	end_machine(&m);
}

static void the_work_tree_is_told(void **state)
{
	char before[4096], command[1024];
	struct machine m;
	make_machine(&m, state, 2);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(m.root), 0);
	assert_grade(&m, "git", BENCH_GRADE_ADVICE);
	assert_string_equal(m.finding.found, "not in a work tree of git");
	snprintf(command, sizeof(command),
		 "(git init -q && echo 1 >a && git add a && git -c user.name=n -c user.email=e commit -qm m) "
		 "2>&1");
	if (system(command) != 0) {
		assert_int_equal(chdir(before), 0);
		end_machine(&m);
		skip();
	}
	assert_grade(&m, "git", BENCH_GRADE_GOOD);
	put(&m, "a", "2");
	assert_grade(&m, "git", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "with 1 changed file (a)");
	assert_int_equal(chdir(before), 0);
	end_machine(&m);
}

static void all_checks_are_made_once(void **state)
{
	struct bench_fitness fitness;
	struct bench_error error;
	const struct bench_fitness_options options = {.outputs = {.runs_dir = *state}};
	assert_int_equal(bench_fitness_check(&options, &fitness, &error), 0);
	assert_int_equal(fitness.count, 26);
	size_t counted = 0;
	for (size_t i = 0; i < fitness.count; i++) {
		const struct bench_finding *finding = &fitness.findings[i];
		assert_non_null(finding->found);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(finding->name, fitness.findings[j].name);
		if (finding->grade == BENCH_GRADE_BAD)
			assert_non_null(finding->change);
	}
	for (enum bench_grade grade = BENCH_GRADE_GOOD; grade <= BENCH_GRADE_UNKNOWN; grade++)
		counted += bench_fitness_count(&fitness, grade);
	assert_int_equal(counted, fitness.count);
	bench_fitness_free(&fitness);
}

static void without_proc_and_sys_there_is_nothing_to_look_at(void **state)
{
	struct bench_fitness fitness;
	struct bench_error error;
	const struct bench_fitness_options options = {.proc = *state, .sys = *state, .etc = *state};
	assert_int_equal(bench_fitness_check(&options, &fitness, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_says(error.text, "there is nothing to look at");
	bench_fitness_free(&fitness);
}

static void findings_of_others_are_added(void **state)
{
	(void)state;
	struct bench_fitness fitness = {0};
	char text[] = "found";
	bench_fitness_add(&fitness,
			  &(struct bench_finding){.name = "a", .grade = BENCH_GRADE_BAD, .found = text});
	text[0] = 'x';
	assert_int_equal(bench_fitness_count(&fitness, BENCH_GRADE_BAD), 1);
	assert_string_equal(fitness.findings[0].found, "found");
	assert_null(fitness.findings[0].command);
	bench_fitness_free(&fitness);
}

/* A Ctrl-Z that reaches a program on its way into its own group would stop it where no SIGCONT finds it. */
static void a_program_is_not_suspended(void **state)
{
	(void)state;
	int status;
	const char *const arguments[] = {"sh", "-c", "kill -TSTP $$; exit 3", NULL};
	const struct bench_child child = {
		.arguments = arguments, .out = STDOUT_FILENO, .err = STDERR_FILENO, .limit_seconds = 20};
	assert_int_equal(bench_machine_child_run(&child, &status), BENCH_CHILD_ENDED);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(openblas_is_judged_by_its_kernels),
		in_scratch(opencl_names_drivers_that_cannot_be_loaded),
		in_scratch(gpus_are_judged_by_what_holds_them_back),
		in_scratch(gpus_of_other_vendors_are_judged_too),
		in_scratch(runs_need_a_folder_that_can_be_written),
		in_scratch(the_work_tree_is_told),
		in_scratch(a_program_is_not_suspended),
		in_scratch(all_checks_are_made_once),
		in_scratch(without_proc_and_sys_there_is_nothing_to_look_at),
		cmocka_unit_test(findings_of_others_are_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
