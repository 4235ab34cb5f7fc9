/* SPDX-License-Identifier: MIT */
/*
 * What counts energy, and what a GPU counts: made-up trees of the kernel's files, and a library in NVML's
 * place, each of whose calls fails once.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "machine/energy.h"
#include "machine/nvml.h"
#include "machine/nvml_gpm.h"
#include "machine/sysfs.h"
#include "scratch.h"

#define RAPL  "class/powercap/intel-rapl:"
#define GPU   "bus/pci/devices/0000:03:00.0/hwmon/hwmon4/"
#define HWMON "class/hwmon/hwmon"

static void put(const char *root, const char *name, const char *text)
{
	char path[512];
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/%s", root, name);
	*strrchr(path, '/') = '\0';
	assert_int_equal(bench_file_make_folder(path, &error), 0);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A file that nobody can read, not even root: a folder. */
static void put_unreadable(const char *root, const char *name)
{
	char path[512];
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/%s", root, name);
	remove(path);
	assert_int_equal(bench_file_make_folder(path, &error), 0);
}

static int open_processor(struct bench_energy *energy, const char *root, struct bench_error *error)
{
	const struct bench_energy_place place = {.sys = root, .pci = "", .gpu = -1, .processor = true};
	return bench_machine_energy_open(energy, &place, error);
}

static int open_gpu(struct bench_energy *energy, const char *root, const char *pci, struct bench_error *error)
{
	const struct bench_energy_place place = {.sys = root, .pci = pci, .gpu = -1};
	return bench_machine_energy_open(energy, &place, error);
}

static void assert_says(const struct bench_error *error, const char *text)
{
	if (!strstr(error->text, text))
		fail_msg("'%s' does not say '%s'", error->text, text);
}

/* As a machine with two sockets has them, the second way to the same packages included. */
static void put_rapl(const char *root)
{
	static const char *const zones[][3] = {{"0", "package-0", "1000000"}, {"0:0", "core", "500000"},
					       {"0:1", "dram", "200000"},     {"1", "package-1", "3000000"},
					       {"1:0", "uncore", "90000000"}, {"2", "psys", "70000000"}};
	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
		char name[96];
		snprintf(name, sizeof(name), RAPL "%s/name", zones[i][0]);
		put(root, name, zones[i][1]);
		snprintf(name, sizeof(name), RAPL "%s/energy_uj", zones[i][0]);
		put(root, name, zones[i][2]);
		snprintf(name, sizeof(name), RAPL "%s/max_energy_range_uj", zones[i][0]);
		put(root, name, "10000000\n");
	}
	put(root, "class/powercap/intel-rapl-mmio:0/name", "package-0");
	put(root, "class/powercap/intel-rapl-mmio:0/energy_uj", "5");
}

static void packages_and_memory_are_added_up(void **state)
{
	struct bench_energy energy;
	struct bench_error error;
	double joules;
	put_rapl(*state);
	if (open_processor(&energy, *state, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(energy.count, 3);
	assert_false(energy.is_power);
	assert_string_equal(energy.what, "RAPL, 3 zones");
	put(*state, RAPL "0/energy_uj", "1500000\n");
	put(*state, RAPL "0:1/energy_uj", "300000\n");
	put(*state, RAPL "0:0/energy_uj", "9900000\n");
	assert_int_equal(bench_machine_energy_read(&energy, &joules, &error), 0);
	assert_true(fabs(joules - 0.6) < 1e-12);
	/* Nothing more yet. */
	assert_int_equal(bench_machine_energy_read(&energy, &joules, &error), 0);
	assert_true(fabs(joules - 0.6) < 1e-12);
}

static void a_counter_that_starts_again_goes_on(void **state)
{
	struct bench_energy energy;
	struct bench_error error;
	double joules;
	put_rapl(*state);
	put(*state, RAPL "1/energy_uj", "9900000\n");
	assert_int_equal(open_processor(&energy, *state, &error), 0);
	put(*state, RAPL "1/energy_uj", "150000\n");
	assert_int_equal(bench_machine_energy_read(&energy, &joules, &error), 0);
	assert_true(fabs(joules - 0.25) < 1e-12);
	/* Set back is something else, and so is a step back of a counter without a known end. */
	put(*state, RAPL "1/energy_uj", "140000\n");
	assert_int_equal(bench_machine_energy_read(&energy, &joules, &error), -1);
	assert_says(&error, "intel-rapl:1/energy_uj went back from 150000 to 140000");
	put_unreadable(*state, RAPL "0/max_energy_range_uj");
	assert_int_equal(open_processor(&energy, *state, &error), 0);
	put(*state, RAPL "0/energy_uj", "10\n");
	assert_int_equal(bench_machine_energy_read(&energy, &joules, &error), -1);
	assert_says(&error, "went back");
}

static void what_may_not_be_read_names_the_command(void **state)
{
	struct bench_energy energy;
	struct bench_error error;
	put_rapl(*state);
	put_unreadable(*state, RAPL "1/energy_uj");
	assert_int_equal(open_processor(&energy, *state, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_says(&error, "intel-rapl:1/energy_uj: Is a directory; 'sudo chmod a+r");
}

static void a_file_without_a_number_is_no_energy(void **state)
{
	static const char *const texts[] = {"", "\n", "x", "-5\n", "12 34\n", "1e400", "nan", "0x10", "inf"};
	struct bench_energy energy;
	struct bench_error error;
	double joules;
	put_rapl(*state);
	assert_int_equal(open_processor(&energy, *state, &error), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(*state, RAPL "0/energy_uj", texts[i]);
		assert_int_equal(bench_machine_energy_read(&energy, &joules, &error), -1);
		assert_says(&error, "energy_uj holds no number");
		assert_null(strstr(error.text, "chmod"));
	}
}

static void a_machine_without_counters_says_so(void **state)
{
	struct bench_energy energy;
	struct bench_error error;
	assert_int_equal(open_processor(&energy, *state, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_says(&error, "sudo modprobe intel_rapl_msr");
	put(*state, "class/powercap/intel-rapl/enabled", "1");
	assert_int_equal(open_processor(&energy, *state, &error), -1);
	assert_says(&error, "counts no package");
	assert_int_equal(open_gpu(&energy, *state, "", &error), -1);
	assert_says(&error, "does not tell its PCI address");
	assert_int_equal(open_gpu(&energy, *state, "0000:03:00.0", &error), -1);
	assert_says(&error, "0000:03:00.0/hwmon has neither energy nor power");
}

static void sensors_of_processors_stand_in_for_rapl(void **state)
{
	struct bench_energy energy;
	struct bench_error error;
	double value;
	put(*state, HWMON "0/name", "coretemp\n");
	put(*state, HWMON "0/energy1_input", "7\n");
	put(*state, HWMON "3/name", "power_meter\n");
	put(*state, HWMON "3/power1_average", "250500000\n");
	assert_int_equal(open_processor(&energy, *state, &error), 0);
	assert_true(energy.is_power);
	assert_string_equal(energy.what, "power1_average of power_meter");
	assert_int_equal(bench_machine_energy_read(&energy, &value, &error), 0);
	assert_true(fabs(value - 250.5) < 1e-9);
	put(*state, HWMON "2/name", "amd_energy\n");
	put(*state, HWMON "2/energy1_label", "Ecore000\n");
	put(*state, HWMON "2/energy1_input", "5\n");
	put(*state, HWMON "2/energy2_label", "Esocket0\n");
	put(*state, HWMON "2/energy2_input", "1000000\n");
	put(*state, HWMON "2/energy3_label", "Esocket1\n");
	put(*state, HWMON "2/energy3_input", "1000000\n");
	assert_int_equal(open_processor(&energy, *state, &error), 0);
	assert_int_equal(energy.count, 2);
	put(*state, HWMON "2/energy3_input", "3000000\n");
	assert_int_equal(bench_machine_energy_read(&energy, &value, &error), 0);
	assert_true(fabs(value - 2) < 1e-12);
}

/* As Linux 6.8 has them for xe, 6.1 for amdgpu. */
static void a_gpu_has_a_counter_or_a_meter(void **state)
{
	struct bench_energy energy;
	struct bench_error error;
	double value;
	put(*state, GPU "name", "amdgpu\n");
	put(*state, GPU "power1_input", "31000000\n");
	assert_int_equal(open_gpu(&energy, *state, "0000:03:00.0", &error), 0);
	assert_string_equal(energy.what, "power1_input of amdgpu");
	put(*state, GPU "power1_average", "30000000\n");
	assert_int_equal(open_gpu(&energy, *state, "0000:03:00.0", &error), 0);
	assert_true(energy.is_power);
	assert_int_equal(bench_machine_energy_read(&energy, &value, &error), 0);
	assert_true(fabs(value - 30) < 1e-9);
	put(*state, GPU "name", "xe\n");
	put(*state, GPU "energy1_input", "123000000\n");
	assert_int_equal(open_gpu(&energy, *state, "0000:03:00.0", &error), 0);
	assert_false(energy.is_power);
	assert_string_equal(energy.what, "energy1_input of xe");
	put(*state, GPU "energy1_input", "124500000\n");
	assert_int_equal(bench_machine_energy_read(&energy, &value, &error), 0);
	assert_true(fabs(value - 1.5) < 1e-9);
	put_unreadable(*state, GPU "energy1_input");
	assert_int_equal(open_gpu(&energy, *state, "0000:03:00.0", &error), -1);
	assert_says(&error, "energy1_input: Is a directory");
}

static struct {
	void *library;
	void (*refuse)(const char *call);
	int (*users)(void), (*samples)(void);
} fake;

static void find(const char *name, void *function)
{
	void *symbol = dlsym(fake.library, name);
	assert_non_null(symbol);
	memcpy(function, &symbol, sizeof(symbol));
}

static int open_fake(void **state)
{
	(void)state;
	fake.library = dlopen(FAKE_NVML, RTLD_NOW);
	assert_non_null(fake.library);
	find("fake_nvml_fail", &fake.refuse);
	find("fake_nvml_users", &fake.users);
	find("fake_nvml_samples", &fake.samples);
	fake.refuse("");
	return 0;
}

static int close_fake(void **state)
{
	(void)state;
	fake.refuse("");
	assert_int_equal(fake.users(), 0);
	assert_int_equal(fake.samples(), 0);
	dlclose(fake.library);
	return 0;
}

static void open_nvml(void)
{
	unsigned count;
	struct bench_error error;
	if (bench_machine_nvml_open(FAKE_NVML, &count, &error) != 0)
		fail_msg("%s", error.text);
}

static void nvml_counts_joules(void **state)
{
	(void)state;
	const struct bench_energy_place place = {.pci = "0000:3b:00.0", .gpu = 1};
	struct bench_energy energy;
	struct bench_error error;
	double before, after;
	unsigned index = 7;
	open_nvml();
	assert_int_equal(bench_machine_nvml_find("0000:3b:00.0", &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(bench_machine_nvml_find("0000:99:00.0", &index), -1);
	assert_int_equal(bench_machine_energy_open(&energy, &place, &error), 0);
	assert_string_equal(energy.what, "NVML");
	assert_true(energy.step_seconds == 0.1);
	assert_int_equal(bench_machine_energy_read(&energy, &before, &error), 0);
	do
		assert_int_equal(bench_machine_energy_read(&energy, &after, &error), 0);
	while (after == before);
	assert_true(fabs(after - before - 20) < 1e-9);
	assert_int_equal(bench_machine_nvml_energy(0, &before, &error), -1);
	assert_string_equal(error.text, "nvmlDeviceGetTotalEnergyConsumption: Unknown Error");
	bench_machine_nvml_close();
}

static void an_hbm3_stack_has_its_bandwidth(void **state)
{
	(void)state;
	struct bench_error error;
	double bandwidth;
	open_nvml();
	assert_int_equal(bench_machine_nvml_bandwidth(1, &bandwidth, &error), 0);
	assert_true(fabs(bandwidth - 3.35232e12) < 1); /* NVIDIA's data sheet: 3.35 TB/s */
	bench_machine_nvml_close();
}

static void take_marks(struct bench_nvml_gpm *gpm, unsigned marks)
{
	struct bench_error error;
	for (unsigned i = 0; i < marks; i++)
		assert_int_equal(bench_machine_nvml_gpm_mark(gpm, &error), 0);
}

static void gpm_gives_shares_between_marks(void **state)
{
	(void)state;
	struct bench_nvml_gpm gpm;
	struct bench_error error;
	double shares[BENCH_GPMS];
	open_nvml();
	if (bench_machine_nvml_gpm_open(&gpm, 1, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(fake.samples(), 2);
	assert_int_equal(bench_machine_nvml_gpm_read(&gpm, shares, &error), -1);
	take_marks(&gpm, 1);
	assert_int_equal(bench_machine_nvml_gpm_read(&gpm, shares, &error), -1);
	assert_true(isnan(shares[0]));
	for (unsigned marks = 0; marks < 3; marks++) {
		take_marks(&gpm, 1);
		assert_int_equal(bench_machine_nvml_gpm_read(&gpm, shares, &error), 0);
		assert_true(fabs(shares[BENCH_GPM_SM] - 0.2) < 1e-12);
		assert_true(fabs(shares[BENCH_GPM_OCCUPANCY] - 0.3) < 1e-12);
		assert_true(fabs(shares[BENCH_GPM_TENSOR] - 0.5) < 1e-12);
		assert_true(fabs(shares[BENCH_GPM_DRAM] - 1) < 1e-12);
		/* Not counted, more than all, and no number. */
		assert_true(isnan(shares[BENCH_GPM_F16]));
		assert_true(isnan(shares[BENCH_GPM_F32]));
		assert_true(isnan(shares[BENCH_GPM_F64]));
	}
	bench_machine_nvml_gpm_close(&gpm);
	bench_machine_nvml_gpm_close(&gpm);
	assert_int_equal(bench_machine_nvml_gpm_open(&gpm, 0, &error), -1);
	assert_says(&error, "Hopper and newer");
	bench_machine_nvml_close();
}

/* Does all that is done with a GPU; the first call that fails, in words, or "". */
static void use_all(char *why, size_t size)
{
	struct bench_error error = {0};
	struct bench_nvml_gpm gpm = {0};
	struct bench_energy energy;
	const struct bench_energy_place place = {.pci = "", .gpu = 1};
	double value, shares[BENCH_GPMS];
	unsigned count, index;
	why[0] = '\0';
	if (bench_machine_nvml_open(FAKE_NVML, &count, &error) != 0) {
		snprintf(why, size, "%s", error.text);
		return;
	}
	if (bench_machine_nvml_find("0000:3b:00.0", &index) != 0)
		snprintf(error.text, sizeof(error.text), "not found");
	else if (bench_machine_energy_open(&energy, &place, &error) == 0 &&
		 bench_machine_nvml_bandwidth(1, &value, &error) == 0 &&
		 bench_machine_nvml_gpm_open(&gpm, 1, &error) == 0 &&
		 bench_machine_nvml_gpm_mark(&gpm, &error) == 0 &&
		 bench_machine_nvml_gpm_mark(&gpm, &error) == 0 &&
		 bench_machine_nvml_gpm_read(&gpm, shares, &error) == 0)
		error.text[0] = '\0';
	snprintf(why, size, "%s", error.text);
	bench_machine_nvml_gpm_close(&gpm);
	bench_machine_nvml_close();
}

static void each_call_that_fails_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *call, *why;
	} rows[] = {
		{"", ""},
		{"nvmlInit", "nvmlInit: Unknown Error"},
		{"nvmlDeviceGetCount", "nvmlDeviceGetCount: Unknown Error"},
		{"nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex: Unknown Error"},
		{"nvmlDeviceGetHandleByPciBusId", "not found"},
		{"nvmlDeviceGetIndex", "not found"},
		{"nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetTotalEnergyConsumption: Unknown Error"},
		{"memory clock", "nvmlDeviceGetClockInfo of the memory: Unknown Error"},
		{"nvmlDeviceGetMemoryBusWidth", "nvmlDeviceGetMemoryBusWidth: Unknown Error"},
		{"no bits", "the driver says 2619 MHz and 0 bits of the memory"},
		{"nvmlGpmQueryDeviceSupport", "nvmlGpmQueryDeviceSupport: Unknown Error"},
		{"nvmlGpmSampleAlloc", "nvmlGpmSampleAlloc: Unknown Error"},
		{"second nvmlGpmSampleAlloc", "nvmlGpmSampleAlloc: Unknown Error"},
		{"nvmlGpmSampleGet", "nvmlGpmSampleGet: Unknown Error"},
		{"nvmlGpmMetricsGet", "nvmlGpmMetricsGet: Unknown Error"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char why[256];
		fake.refuse(rows[i].call);
		use_all(why, sizeof(why));
		assert_string_equal(why, rows[i].why);
		assert_int_equal(fake.users(), 0);
		assert_int_equal(fake.samples(), 0);
	}
}

/* A driver from before these functions: the older ones are enough to watch a GPU. */
static void an_older_library_lacks_functions(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_nvml_gpm gpm;
	unsigned count, index;
	double value;
	if (bench_machine_nvml_open(OLD_NVML, &count, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_machine_nvml_energy(1, &value, &error), -1);
	assert_says(&error, "this driver has no nvmlDeviceGetTotalEnergyConsumption");
	assert_int_equal(bench_machine_nvml_bandwidth(1, &value, &error), -1);
	assert_says(&error, "this driver has no nvmlDeviceGetMemoryBusWidth");
	assert_int_equal(bench_machine_nvml_gpm_open(&gpm, 1, &error), -1);
	assert_says(&error, "this driver has no nvmlGpmQueryDeviceSupport");
	bench_machine_nvml_gpm_close(&gpm);
	assert_int_equal(bench_machine_nvml_find("0000:3b:00.0", &index), -1);
	bench_machine_nvml_close();
}

static void files_hold_one_number(void **state)
{
	char path[256], names[4][BENCH_SYSFS_NAME], text[8];
	double value;
	struct bench_error error;
	put(*state, "a/card10", " 42.5 \n");
	snprintf(path, sizeof(path), "%s/a/card10", (char *)*state);
	assert_int_equal(bench_machine_sysfs_number(path, &value, &error), -1); /* a blank before it */
	put(*state, "a/card10", "42.5 \n");
	assert_int_equal(bench_machine_sysfs_number(path, &value, &error), 0);
	assert_true(value == 42.5);
	put(*state, "a/card9", "longer than there is room for");
	put(*state, "a/other", "1");
	snprintf(path, sizeof(path), "%s/a/card9", (char *)*state);
	assert_int_equal(bench_machine_sysfs_text(path, text, sizeof(text), &error), 0);
	assert_string_equal(text, "longer");
	snprintf(path, sizeof(path), "%s/a", (char *)*state);
	assert_int_equal(bench_machine_sysfs_names(path, "card", names, 4), 2);
	assert_string_equal(names[0], "card9");
	assert_string_equal(names[1], "card10");
	assert_int_equal(bench_machine_sysfs_names(path, "card", names, 1), 1);
	assert_int_equal(bench_machine_sysfs_number("/nowhere/at/all", &value, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_int_equal(bench_machine_sysfs_names("/nowhere", "", names, 4), 0);
}

#define with_fake(test) cmocka_unit_test_setup_teardown(test, open_fake, close_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(packages_and_memory_are_added_up),
		in_scratch(a_counter_that_starts_again_goes_on),
		in_scratch(what_may_not_be_read_names_the_command),
		in_scratch(a_file_without_a_number_is_no_energy),
		in_scratch(a_machine_without_counters_says_so),
		in_scratch(sensors_of_processors_stand_in_for_rapl),
		in_scratch(a_gpu_has_a_counter_or_a_meter),
		in_scratch(files_hold_one_number),
		with_fake(nvml_counts_joules),
		with_fake(an_hbm3_stack_has_its_bandwidth),
		with_fake(gpm_gives_shares_between_marks),
		with_fake(each_call_that_fails_is_named),
		cmocka_unit_test(an_older_library_lacks_functions),
	};
	return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
