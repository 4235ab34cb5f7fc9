/* SPDX-License-Identifier: MIT */
/* The watch's parts: what counts as disturbed, what the kernel and a driver tell, the canary. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/json.h"
#include "machine/nvml.h"
#include "measure/session/disturbance.h"
#include "measure/worker/flags.h"
#include "measure/worker/watch.h"
#include "scratch.h"

static void a_reading_is_disturbed_by_what_is_above_its_threshold(void **state)
{
	(void)state;
	static const struct {
		struct bench_watch_reading reading;
		const char *reason;
	} rows[] = {
		{{0, 0, 0, 2, 1, false, NAN}, ""},
		{{NAN, NAN, NAN, 2, NAN, false, NAN}, ""},
		{{0.25, 0.1, 0.05, 2, 1.25, false, NAN}, ""},
		{{0.26, 0, 0, 2, 1, false, NAN}, "other processes used 0.26 cores"},
		/* Where there are many processors, little of them is no matter. */
		{{2, 0, 0, 16, 1, false, NAN}, ""},
		{{2.1, 0, 0, 16, 1, false, NAN}, "other processes used 2.10 cores"},
		{{0, 0.11, 0, 2, 1, false, NAN}, "it waited for 0.11 cores"},
		{{0, 0, 0.06, 2, 1, false, NAN}, "the hypervisor took 0.06 cores"},
		{{0, 0, 0, 2, 1.9, false, NAN}, "canary 1.90x"},
		{{0, 0, 0, 2, 1, true, NAN}, "the device was throttled"},
		{{0, 0, 0, 2, 1, false, 0.05}, ""},
		{{0, 0, 0, 2, 1, false, 0.31}, "other processes used 31% of the GPU"},
		{{0.98, NAN, 0, 2, 1.9, false, NAN}, "other processes used 0.98 cores, canary 1.90x"},
		{{1, 1, 1, 2, 2, true, NAN},
		 "other processes used 1.00 cores, it waited for 1.00 cores, the hypervisor took 1.00 cores, "
		 "canary 2.00x, the device was throttled"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char reason[160];
		bool disturbed = bench_worker_watch_is_disturbed(&rows[i].reading, reason, sizeof(reason));
		assert_string_equal(reason, rows[i].reason);
		assert_int_equal(disturbed, *rows[i].reason != '\0');
	}
}

static const char *file_in(const char *folder, const char *name, const char *text)
{
	static char path[256];
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (bench_file_write(path, text, strlen(text), &error) != 0)
		fail_msg("%s", error.text);
	return path;
}

static const char two_processors[] = "cpu  30 2 8 100 10 4 6 5 1 1\n"
				     "cpu0 10 1 4 70 5 2 3 2 1 1\n"
				     "cpu1 20 1 4 30 5 2 3 3 0 0\n"
				     "intr 1 2 3\n"
				     "cpu9 1 1 1 1 1 1 1 1 1 1\n";

static void processors_are_read_as_the_kernel_counts_them(void **state)
{
	const char *path = file_in(*state, "stat", two_processors);
	struct bench_load load;
	bench_machine_load_read_stat(path, NULL, &load);
	assert_int_equal(load.processors, 2);
	assert_true(load.busy == 50 && load.steal == 5 && load.total == 165);
	/* Only those that this process may run on. */
	cpu_set_t allowed;
	CPU_ZERO(&allowed);
	CPU_SET(1, &allowed);
	bench_machine_load_read_stat(path, &allowed, &load);
	assert_int_equal(load.processors, 1);
	assert_true(load.busy == 30 && load.steal == 3 && load.total == 68);
	CPU_ZERO(&allowed);
	CPU_SET(7, &allowed);
	bench_machine_load_read_stat(path, &allowed, &load);
	assert_true(isnan(load.busy) && isnan(load.total));
}

static void what_cannot_be_read_is_not_known(void **state)
{
	static const char *const texts[] = {"",
					    "nothing\n",
					    "cpu  1 2 3\ncpu0 1 2 3\n",
					    "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n",
					    "cpu0 a b c d e f g h\n",
					    "cpux 1 2 3 4 5 6 7 8\n",
					    "cpu99999999 1 2 3 4 5 6 7 8\n",
					    "cpu-1 1 2 3 4 5 6 7 8\n"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bench_load load;
		bench_machine_load_read_stat(file_in(*state, "stat", texts[i]), NULL, &load);
		assert_true(isnan(load.busy) && isnan(load.steal) && isnan(load.total));
	}
	struct bench_load load;
	bench_machine_load_read_stat("/nowhere/stat", NULL, &load);
	assert_true(isnan(load.busy));
	bench_machine_load_read_threads("/nowhere", &load);
	assert_true(isnan(load.waited));
}

static void waiting_is_summed_over_the_threads(void **state)
{
	struct bench_load load;
	static const char *const threads[][2] = {{"11", "900 1500000000 3\n"}, {"12", "1 250000000 1\n"}};
	for (size_t i = 0; i < 2; i++) {
		char folder[200];
		struct bench_error error;
		snprintf(folder, sizeof(folder), "%s/%s", (char *)*state, threads[i][0]);
		assert_int_equal(bench_file_make_folder(folder, &error), 0);
		file_in(folder, "schedstat", threads[i][1]);
	}
	bench_machine_load_read_threads(*state, &load);
	assert_int_equal(load.threads, 2);
	assert_true(load.waited == 1.75);
	/* A kernel without them: known to be unknown, and no zero. */
	char gone[220];
	for (size_t i = 0; i < 2; i++) {
		snprintf(gone, sizeof(gone), "%s/%s/schedstat", (char *)*state, threads[i][0]);
		assert_int_equal(remove(gone), 0);
	}
	bench_machine_load_read_threads(*state, &load);
	assert_true(isnan(load.waited));
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void use_is_what_lies_between_two_moments(void **state)
{
	(void)state;
	const struct bench_load from = {10, 1000, 50, 5000, 2, 3.0, 1.0, 3};
	/* 0.5 s: 100 ticks of two processors, 75 at work, 5 stolen; 0.25 s of them our own. */
	struct bench_load to = {10.5, 1075, 55, 5100, 2, 3.25, 1.125, 3};
	struct bench_load_use use = bench_machine_load_between(&from, &to);
	assert_true(is_near(use.seconds, 0.5));
	assert_true(is_near(use.others, 1.0));
	/* One tick of the five may have begun before. */
	assert_true(is_near(use.steal, 0.08));
	assert_true(is_near(use.waited, 0.25));
	/* Windows end between ticks: 0.1 s more of a clock in which nothing else happened is no other
	 * process. */
	to = (struct bench_load){10.5, 1102, 50, 5102, 2, 4.0, 1.0, 3};
	assert_true(bench_machine_load_between(&from, &to).others < 1e-9);
	/* Threads that wait for each other wait for nobody else. */
	to = (struct bench_load){10.5, 1100, 50, 5100, 2, 4.0, 2.0, 3};
	assert_true(is_near(bench_machine_load_between(&from, &to).waited, 0));
	/* Too short for ticks: what is waited for is known where no thread lacks a processor. */
	to = (struct bench_load){10.0625, 1006, 50, 5012, 2, 3.0, 1.03125, 3};
	use = bench_machine_load_between(&from, &to);
	assert_true(isnan(use.others) && isnan(use.steal) && isnan(use.waited));
	to.threads = 2;
	assert_true(is_near(bench_machine_load_between(&from, &to).waited, 0.5));
	/* Ticks of something else than our processors: they do not even hold what we used. */
	to = (struct bench_load){10.5, 1001, 50, 5100, 2, 3.9, 1.0, 2};
	assert_true(isnan(bench_machine_load_between(&from, &to).others));
	/* Nothing readable. */
	to = (struct bench_load){10.5, NAN, NAN, NAN, 0, 3.9, NAN, 0};
	use = bench_machine_load_between(&to, &to);
	assert_true(isnan(use.others) && isnan(use.steal) && isnan(use.waited));
}

static void this_machine_can_be_read(void **state)
{
	(void)state;
	struct bench_load load;
	bench_machine_load_read(&load);
	assert_true(load.threads >= 1);
	assert_true(load.own >= 0);
	if (isnan(load.total))
		skip(); /* no /proc/stat of this machine's processors here */
	assert_true(load.processors >= 1 && load.total > 0 && load.busy <= load.total);
}

static void the_canary_is_the_same_work_every_time(void **state)
{
	(void)state;
	struct bench_canary one, two;
	assert_int_equal(bench_machine_canary_open(&one), 0);
	assert_int_equal(bench_machine_canary_open(&two), 0);
	assert_true(bench_machine_canary_work(&one) == bench_machine_canary_work(&one));
	assert_true(bench_machine_canary_work(&one) == bench_machine_canary_work(&two));
	/* It reads what it walks over, to the end. */
	uint64_t before = bench_machine_canary_work(&one);
	one.memory[one.words - 8] ^= 1;
	assert_true(bench_machine_canary_work(&one) != before);
	assert_true(one.words * sizeof(*one.memory) >= (size_t)4 << 20);
	assert_true(bench_machine_canary_run(&two) > 0);
	bench_machine_canary_close(&one);
	bench_machine_canary_close(&two);
	assert_true(bench_machine_canary_fastest() > 0);
}

static int users_of_the_fake(void)
{
	void *library = dlopen(FAKE_NVML, RTLD_NOW);
	assert_non_null(library);
	int (*users)(void);
	void *symbol = dlsym(library, "fake_nvml_users");
	assert_non_null(symbol);
	memcpy(&users, &symbol, sizeof(users));
	int count = users();
	dlclose(library);
	return count;
}

static void *symbol_of_the_fake(const char *name)
{
	/* Open for good: its state is asked for between opens. */
	void *symbol = dlsym(dlopen(FAKE_NVML, RTLD_NOW), name);
	assert_non_null(symbol);
	return symbol;
}

static void use_of_the_fake(const char *who, unsigned percent)
{
	void (*use)(const char *who, unsigned percent);
	void *symbol = symbol_of_the_fake("fake_nvml_use");
	memcpy(&use, &symbol, sizeof(use));
	use(who, percent);
}

static void fail_in_the_fake(const char *call)
{
	void (*fail_call)(const char *call);
	void *symbol = symbol_of_the_fake("fake_nvml_fail");
	memcpy(&fail_call, &symbol, sizeof(fail_call));
	fail_call(call);
}

static void a_driver_tells_clocks_and_throttling(void **state)
{
	(void)state;
	unsigned count;
	long throttle;
	int mhz;
	struct bench_error error = {0};
	struct bench_nvml_gpu gpu;
	if (bench_machine_nvml_open(FAKE_NVML, &count, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(count, 2);
	bench_machine_nvml_read_clock(0, &throttle, &mhz);
	assert_int_equal(mhz, 1980);
	assert_false(bench_machine_nvml_is_throttled(throttle));
	bench_machine_nvml_read_clock(1, &throttle, &mhz);
	assert_int_equal(mhz, 1200);
	assert_true(bench_machine_nvml_is_throttled(throttle));
	bench_machine_nvml_read_clock(2, &throttle, &mhz);
	assert_int_equal(mhz, -1);
	assert_int_equal(throttle, -1);
	assert_false(bench_machine_nvml_is_throttled(throttle));
	assert_int_equal(bench_machine_nvml_read(1, &gpu, &error), 0);
	assert_string_equal(gpu.name, "H");
	assert_int_equal(gpu.persistent, -1);
	assert_int_equal(gpu.throttle, 0x45);
	assert_int_equal(gpu.clock_mhz, 1200);
	assert_int_equal(gpu.most_mhz, 1980);
	assert_int_equal(gpu.processes, 3);
	assert_int_equal(gpu.busy_percent, 90);
	assert_int_equal(bench_machine_nvml_read(2, &gpu, &error), -1);
	assert_string_equal(error.text, "GPU 2: Invalid Argument");
	assert_int_equal(users_of_the_fake(), 1);
	bench_machine_nvml_close();
	assert_int_equal(users_of_the_fake(), 0);
}

static void a_machine_without_the_driver_is_watched_without(void **state)
{
	(void)state;
	struct bench_error error;
	unsigned count;
	assert_int_equal(bench_machine_nvml_open("libnothing-of-this-name.so.1", &count, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	/* A library that is there and is another one. */
	assert_int_equal(bench_machine_nvml_open("libm.so.6", &count, &error), -1);
	assert_non_null(strstr(error.text, "libm.so.6 has no function nvmlInit_v2"));
	struct bench_watch watch;
	struct bench_watched watched;
	/* No such library, no such GPU, none asked for. */
	static const struct {
		const char *library;
		long gpu;
	} rows[] = {{"libnothing-of-this-name.so.1", 0}, {FAKE_NVML, 2}, {FAKE_NVML, -1}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bench_worker_watch_start(&watch, NAN, rows[i].library, rows[i].gpu, false);
		bench_worker_watch_open(&watch);
		bench_worker_watch_visited(&watch, true);
		assert_null(strstr(watch.reason, "throttled"));
		bench_worker_watch_summarize(&watch, &watched);
		assert_string_equal(watched.device, "");
		bench_worker_watch_end(&watch);
		assert_int_equal(users_of_the_fake(), 0);
	}
}

static void what_throttles_from_outside_is_heat_and_brakes(void **state)
{
	(void)state;
	static const struct {
		long bits;
		bool throttled;
		const char *words;
	} rows[] = {{-1, false, ""},
		    {0, false, ""},
		    {0x1, false, ""},
		    {0x2, false, ""},
		    {0x4, false, "power limit"},
		    {0x8, true, "hardware slowdown"},
		    {0x10, false, ""},
		    {0x20, true, "heat"},
		    {0x40, true, "heat"},
		    {0x80, true, "power brake"},
		    {0x100, false, ""},
		    {0x107, false, "power limit"},
		    {0xcd, true, "power limit, hardware slowdown, heat, power brake"}};
	char words[128];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(bench_machine_nvml_is_throttled(rows[i].bits), rows[i].throttled);
		bench_machine_nvml_words(rows[i].bits, words, sizeof(words));
		assert_string_equal(words, rows[i].words);
	}
	bench_machine_nvml_words(0xcd, words, 8);
	assert_string_equal(words, "power l");
}

static void a_window_with_a_hot_device_is_disturbed(void **state)
{
	(void)state;
	struct bench_watch watch;
	struct bench_watched watched;
	bench_worker_watch_start(&watch, NAN, FAKE_NVML, 1, false);
	bench_worker_watch_open(&watch);
	assert_int_equal(bench_worker_watch_visited(&watch, true), BENCH_VISITS_DISTURBED);
	assert_non_null(strstr(watch.reason, "the device was throttled"));
	bench_worker_watch_summarize(&watch, &watched);
	assert_string_equal(watched.device, "lowest clock 1200 MHz, held back by: power limit, heat");
	assert_true(watched.canary > 0);
	bench_worker_watch_end(&watch);
	assert_int_equal(users_of_the_fake(), 0);
}

static void a_canary_slower_than_the_run_has_seen_is_disturbed(void **state)
{
	(void)state;
	struct bench_watch watch;
	struct bench_watched watched;
	/* No processor does the work in a nanosecond. */
	bench_worker_watch_start(&watch, 1e-9, NULL, -1, false);
	bench_worker_watch_open(&watch);
	assert_int_equal(bench_worker_watch_visited(&watch, true), BENCH_VISITS_DISTURBED);
	assert_non_null(strstr(watch.reason, "canary "));
	bench_worker_watch_summarize(&watch, &watched);
	assert_true(watched.canary_worst > 1.25);
	assert_true(watch.fastest == 1e-9);
	assert_string_equal(watched.device, "");
	bench_worker_watch_end(&watch);
}

/* What the fake says of the processes on its GPUs, and what is made of it. */
static void others_on_the_gpu_are_told_from_the_own_process(void **state)
{
	(void)state;
	struct bench_watch watch;
	struct bench_watched watched;
	/* Nobody else. */
	use_of_the_fake("own", 100);
	bench_worker_watch_start(&watch, NAN, FAKE_NVML, 0, true);
	assert_true(bench_machine_nvml_others(0, getpid()) == 0);
	/* Two others, of which only the GPU's own figures tell. */
	use_of_the_fake("others", 30);
	assert_true(is_near(bench_machine_nvml_others(0, getpid()), 0.6));
	assert_int_equal(bench_worker_watch_visited(&watch, true), BENCH_VISITS_DISTURBED);
	assert_non_null(strstr(watch.reason, "other processes used 60% of the GPU"));
	bench_worker_watch_summarize(&watch, &watched);
	assert_string_equal(watched.device, "others used up to 60% of the GPU, lowest clock 1980 MHz");
	assert_true(isnan(watched.canary));
	/* More than all of it cannot be. */
	use_of_the_fake("others", 80);
	assert_true(bench_machine_nvml_others(0, getpid()) == 1);
	use_of_the_fake("others", 4000000000U);
	assert_true(bench_machine_nvml_others(0, getpid()) == 0);
	/* Numbers of another namespace, no figures at all, and calls that fail: not known. */
	use_of_the_fake("foreign", 30);
	assert_true(isnan(bench_machine_nvml_others(0, getpid())));
	use_of_the_fake("none", 0);
	assert_true(bench_machine_nvml_others(0, getpid()) == 0);
	static const char *const calls[] = {"nvmlDeviceGetComputeRunningProcesses_v3",
					    "nvmlDeviceGetProcessUtilization", "nvmlDeviceGetHandleByIndex"};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		use_of_the_fake("others", 30);
		fail_in_the_fake(calls[i]);
		assert_true(isnan(bench_machine_nvml_others(0, getpid())));
		/* The host may be busy. */
		assert_int_not_equal(bench_worker_watch_visited(&watch, true), BENCH_VISITS_DISTURBED);
	}
	fail_in_the_fake("");
	bench_worker_watch_end(&watch);
	assert_int_equal(users_of_the_fake(), 0);
}

static void assert_flagged(struct bench_disturbance_flags *flags, bool disturbed, const char *expected)
{
	struct bench_event event = {.kind = BENCH_EVENT_DISTURBED, .disturbed.reason = "it"};
	enum bench_visits visits = disturbed ? BENCH_VISITS_DISTURBED : BENCH_VISITS_FINE;
	assert_int_equal(bench_worker_flags_judge(flags, visits, &event.disturbed), expected != NULL);
	char *line = bench_record_event_line(&event);
	if (expected)
		assert_string_equal(strstr(line, ",\"samples\""), expected);
	free(line);
}

static void a_window_marks_its_own_samples_and_visits(void **state)
{
	(void)state;
	struct bench_disturbance_flags flags = {0};
	flags.taken[BENCH_SAMPLE_TIME] = 3;
	bench_worker_flags_visited(&flags);
	assert_flagged(&flags, false, NULL);
	flags.taken[BENCH_SAMPLE_TIME] = 6;
	flags.taken[BENCH_SAMPLE_LATENCY] = 1;
	bench_worker_flags_visited(&flags);
	/* A visit of another case. */
	bench_worker_flags_visited(&flags);
	flags.taken[BENCH_SAMPLE_TIME] = 9;
	bench_worker_flags_visited(&flags);
	assert_flagged(&flags, true, ",\"samples\":{\"time\":[3,9],\"latency\":[0,1]}}");
	/* Nothing of this case is in the next. */
	bench_worker_flags_visited(&flags);
	assert_flagged(&flags, true, NULL);
	flags.taken[BENCH_SAMPLE_TIME] = 10;
	bench_worker_flags_visited(&flags);
	assert_flagged(&flags, true, ",\"samples\":{\"time\":[9,10]}}");
	assert_int_equal(flags.visits, 4);
	assert_int_equal(flags.disturbed, 3);
}

static void a_disturbed_host_leaves_device_times_alone(void **state)
{
	(void)state;
	struct bench_disturbance_flags flags = {
		.taken = {[BENCH_SAMPLE_TIME] = 3, [BENCH_SAMPLE_DEVICE_TIME] = 2}};
	struct bench_event event = {.kind = BENCH_EVENT_DISTURBED, .disturbed.reason = "it"};
	bench_worker_flags_visited(&flags);
	assert_true(bench_worker_flags_judge(&flags, BENCH_VISITS_HOST_DISTURBED, &event.disturbed));
	assert_int_equal(event.disturbed.range_count, 1);
	assert_string_equal(event.disturbed.ranges[0].metric, "time");
	flags.taken[BENCH_SAMPLE_TIME] = 4;
	flags.taken[BENCH_SAMPLE_DEVICE_TIME] = 3;
	assert_true(bench_worker_flags_judge(&flags, BENCH_VISITS_DISTURBED, &event.disturbed));
	assert_int_equal(event.disturbed.range_count, 2);
	assert_int_equal(event.disturbed.ranges[1].first, 2);
}

static void note_watched(struct bench_disturbance *disturbance, double share, double others,
			 double canary_worst, double canary_fastest)
{
	const struct bench_event event = {
		.kind = BENCH_EVENT_WATCHED,
		.watched = {
			{.disturbed = share, .others = others, .steal = NAN, .canary_worst = canary_worst},
			canary_fastest}};
	bench_session_disturbance_note(disturbance, &event);
}

static void note_disturbed(struct bench_disturbance *disturbance, const char *reason)
{
	const struct bench_event event = {.kind = BENCH_EVENT_DISTURBED, .disturbed.reason = reason};
	bench_session_disturbance_note(disturbance, &event);
}

static void a_run_says_how_much_of_it_was_disturbed(void **state)
{
	(void)state;
	struct bench_disturbance disturbance = {0};
	char words[256];
	note_watched(&disturbance, 0, 0.1, 9, 0.0003);
	assert_false(bench_session_disturbance_end_worker(&disturbance));
	assert_false(bench_session_disturbance_words(&disturbance, words, sizeof(words)));
	note_disturbed(&disturbance, "other processes used 0.98 cores");
	note_watched(&disturbance, 0.5, 0.98, 1.9, 0.0002);
	assert_true(bench_session_disturbance_end_worker(&disturbance));
	assert_string_equal(disturbance.reason, "other processes used 0.98 cores");
	note_watched(&disturbance, 0, NAN, NAN, 0.0004);
	assert_false(bench_session_disturbance_end_worker(&disturbance));
	assert_true(disturbance.fastest == 0.0002);
	assert_true(bench_session_disturbance_words(&disturbance, words, sizeof(words)));
	assert_string_equal(
		words,
		"1 of 3 invocations of groups were disturbed, 17% of the measurements: other programs used "
		"up to 1.0 cores, a fixed piece of work took up to 1.9 times as long");
	/* A worker that was killed before it could say how much, has said why. */
	struct bench_disturbance killed = {0};
	note_disturbed(&killed, "canary 2.00x");
	assert_true(bench_session_disturbance_end_worker(&killed));
	assert_true(bench_session_disturbance_words(&killed, words, sizeof(words)));
	assert_string_equal(
		words, "1 of 1 invocation of groups was disturbed, 0% of the measurements: canary 2.00x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reading_is_disturbed_by_what_is_above_its_threshold),
		in_scratch(processors_are_read_as_the_kernel_counts_them),
		in_scratch(what_cannot_be_read_is_not_known),
		in_scratch(waiting_is_summed_over_the_threads),
		cmocka_unit_test(use_is_what_lies_between_two_moments),
		cmocka_unit_test(this_machine_can_be_read),
		cmocka_unit_test(the_canary_is_the_same_work_every_time),
		cmocka_unit_test(a_driver_tells_clocks_and_throttling),
		cmocka_unit_test(a_machine_without_the_driver_is_watched_without),
		cmocka_unit_test(what_throttles_from_outside_is_heat_and_brakes),
		cmocka_unit_test(a_window_with_a_hot_device_is_disturbed),
		cmocka_unit_test(others_on_the_gpu_are_told_from_the_own_process),
		cmocka_unit_test(a_disturbed_host_leaves_device_times_alone),
		cmocka_unit_test(a_canary_slower_than_the_run_has_seen_is_disturbed),
		cmocka_unit_test(a_window_marks_its_own_samples_and_visits),
		cmocka_unit_test(a_run_says_how_much_of_it_was_disturbed),
	};
	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
