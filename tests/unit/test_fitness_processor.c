/* SPDX-License-Identifier: MIT */
/* The doctor's checks of the processor and of limits, on made-up machines. */
#include "fitness_fixture.h"

#define CPU "sys/devices/system/cpu/"

static void the_governor_is_performance_or_none(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "governor", BENCH_GRADE_GOOD);
	put(&m, CPU "cpufreq/policy0/scaling_governor", "performance\n");
	put(&m, CPU "cpufreq/policy1/scaling_governor", "performance\n");
	assert_grade(&m, "governor", BENCH_GRADE_GOOD);
	put(&m, CPU "cpufreq/policy1/scaling_governor", "schedutil\n");
	assert_grade(&m, "governor", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "schedutil (1 of 2");
	assert_says(m.finding.command, "cpupower frequency-set --governor performance");
	put_unreadable(&m, CPU "cpufreq/policy0/scaling_governor");
	assert_grade(&m, "governor", BENCH_GRADE_UNKNOWN);
	assert_says(m.finding.found, "policy0/scaling_governor: Is a directory");
	end_machine(&m);
}

static void turbo_is_advice_of_either_driver(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "turbo", BENCH_GRADE_GOOD);
	put(&m, CPU "cpufreq/boost", "0\n");
	assert_grade(&m, "turbo", BENCH_GRADE_GOOD);
	put(&m, CPU "cpufreq/boost", "1\n");
	assert_grade(&m, "turbo", BENCH_GRADE_ADVICE);
	assert_says(m.finding.command, "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
	/* Intel's counts the other way round, and goes first. */
	put(&m, CPU "intel_pstate/no_turbo", "1\n");
	assert_grade(&m, "turbo", BENCH_GRADE_GOOD);
	put(&m, CPU "intel_pstate/no_turbo", "0\n");
	assert_grade(&m, "turbo", BENCH_GRADE_ADVICE);
	assert_says(m.finding.command, "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo");
	put(&m, CPU "intel_pstate/no_turbo", "nonsense\n");
	assert_grade(&m, "turbo", BENCH_GRADE_UNKNOWN);
	assert_says(m.finding.found, "holds no number: 'nonsense'");
	end_machine(&m);
}

static void siblings_that_share_a_core_are_counted(void **state)
{
	struct machine m;
	make_machine(&m, state, 4);
	assert_grade(&m, "smt", BENCH_GRADE_UNKNOWN);
	put(&m, CPU "cpu0/topology/thread_siblings_list", "0\n");
	put(&m, CPU "cpu1/topology/thread_siblings_list", "1\n");
	put(&m, CPU "cpu2/topology/thread_siblings_list", "2\n");
	put(&m, CPU "cpu3/topology/thread_siblings_list", "3\n");
	assert_grade(&m, "smt", BENCH_GRADE_GOOD);
	put(&m, CPU "cpu0/topology/thread_siblings_list", "0,2\n");
	put(&m, CPU "cpu2/topology/thread_siblings_list", "0,2\n");
	put(&m, CPU "cpu1/topology/thread_siblings_list", "1,3\n");
	put(&m, CPU "cpu3/topology/thread_siblings_list", "1,3\n");
	m.probe.siblings = true;
	m.probe.selftest = (struct bench_selftest){.both_there = true, .both = 1.87};
	assert_grade(&m, "smt", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "4 CPUs on 2 cores, and 4 threads share them");
	assert_says(m.finding.cost, "1.87 times");
	assert_string_equal(m.finding.command, "taskset -c 0-1 bench run");
	m.probe.threads = 2;
	assert_grade(&m, "smt", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "2 threads fit a core each");
	/* A process that is kept to one CPU of each core shares none. */
	CPU_CLR(2, &m.probe.allowed);
	CPU_CLR(3, &m.probe.allowed);
	assert_grade(&m, "smt", BENCH_GRADE_GOOD);
	end_machine(&m);
}

static void throttling_is_bad_while_it_goes_on(void **state)
{
	struct machine m;
	bool there;
	make_machine(&m, state, 2);
	assert_grade(&m, "throttling", BENCH_GRADE_GOOD);
	put(&m, CPU "cpu0/thermal_throttle/core_throttle_count", "0\n");
	put(&m, CPU "cpu1/thermal_throttle/core_throttle_count", "0\n");
	assert_grade(&m, "throttling", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "never");
	put(&m, CPU "cpu1/thermal_throttle/core_throttle_count", "7\n");
	m.probe.throttled_before = fitness_throttle_count(&m.probe, &there);
	assert_true(there);
	assert_int_equal(m.probe.throttled_before, 7);
	assert_grade(&m, "throttling", BENCH_GRADE_ADVICE);
	put(&m, CPU "cpu0/thermal_throttle/core_throttle_count", "3\n");
	assert_grade(&m, "throttling", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "3 times");
	put_unreadable(&m, CPU "cpu0/thermal_throttle/core_throttle_count");
	assert_grade(&m, "throttling", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void a_battery_that_feeds_the_machine_is_bad(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "power", BENCH_GRADE_GOOD);
	put(&m, "sys/class/power_supply/BAT0/type", "Battery\n");
	put(&m, "sys/class/power_supply/BAT0/status", "Full\n");
	put(&m, "sys/class/power_supply/AC/type", "Mains\n");
	put(&m, "sys/class/power_supply/AC/online", "1\n");
	assert_grade(&m, "power", BENCH_GRADE_GOOD);
	put(&m, "sys/class/power_supply/AC/online", "0\n");
	put(&m, "sys/class/power_supply/BAT0/status", "Discharging\n");
	assert_grade(&m, "power", BENCH_GRADE_BAD);
	put_unreadable(&m, "sys/class/power_supply/AC/type");
	assert_grade(&m, "power", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void a_clock_is_judged_by_its_name_and_its_cost(void **state)
{
	static const char *const bad[] = {"hpet", "acpi_pm", "refined-jiffies"};
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "clock", BENCH_GRADE_UNKNOWN);
	put(&m, "sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n");
	put(&m, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	assert_grade(&m, "clock", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "tsc: a reading takes 20 ns");
	for (size_t i = 0; i < 3; i++) {
		put(&m, "sys/devices/system/clocksource/clocksource0/current_clocksource", bad[i]);
		assert_grade(&m, "clock", BENCH_GRADE_BAD);
		assert_says(m.finding.command, "echo tsc | sudo tee");
	}
	put(&m, "sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet\n");
	assert_grade(&m, "clock", BENCH_GRADE_BAD);
	assert_says(m.finding.command, "dmesg");
	/* A clock of another name and another machine: what it costs counts. */
	put(&m, "sys/devices/system/clocksource/clocksource0/current_clocksource", "other\n");
	assert_grade(&m, "clock", BENCH_GRADE_GOOD);
	m.probe.clock.cost_ns = 300;
	assert_grade(&m, "clock", BENCH_GRADE_ADVICE);
	m.probe.clock.cost_ns = 3000;
	assert_grade(&m, "clock", BENCH_GRADE_BAD);
	end_machine(&m);
}

static void threads_that_have_no_cpu_are_bad(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "cpus", BENCH_GRADE_UNKNOWN);
	put(&m, CPU "online", "0-3,6\n");
	assert_grade(&m, "cpus", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "2 of 5 CPUs: 0-1");
	m.probe.threads = 4;
	assert_grade(&m, "cpus", BENCH_GRADE_BAD);
	assert_string_equal(m.finding.command, "taskset -c 0-3,6 bench run");
	end_machine(&m);
}

static void a_quota_below_the_threads_is_bad(void **state)
{
	struct machine m;
	make_machine(&m, state, 4);
	assert_grade(&m, "quota", BENCH_GRADE_GOOD);
	put(&m, "proc/self/cgroup", "0::/a/b\n");
	put(&m, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	put(&m, "sys/fs/cgroup/a/cpu.max", "800000 100000\n");
	put(&m, "sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 0\n");
	assert_grade(&m, "quota", BENCH_GRADE_GOOD);
	assert_says(m.finding.found, "8.00 CPUs for 4 threads");
	put(&m, "sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4\n");
	assert_grade(&m, "quota", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "4 periods");
	/* The tightest on the way up counts. */
	put(&m, "sys/fs/cgroup/cpu.max", "250000 100000\n");
	assert_grade(&m, "quota", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "2.50 CPUs for 4 threads");
	assert_string_equal(m.finding.command, "taskset -c 0-1 bench run");
	end_machine(&m);
}

static void a_quota_of_the_first_version_counts_too(void **state)
{
	struct machine m;
	make_machine(&m, state, 4);
	put(&m, "proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/x\n1:name=systemd:/\n");
	put(&m, "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
	put(&m, "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
	assert_grade(&m, "quota", BENCH_GRADE_GOOD);
	put(&m, "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n");
	assert_grade(&m, "quota", BENCH_GRADE_BAD);
	assert_says(m.finding.found, "0.50 CPUs");
	put_unreadable(&m, "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us");
	assert_grade(&m, "quota", BENCH_GRADE_UNKNOWN);
	put_unreadable(&m, "proc/self/cgroup");
	assert_grade(&m, "quota", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void isolated_cpus_want_to_be_used(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "isolated", BENCH_GRADE_GOOD);
	put(&m, CPU "isolated", "\n");
	assert_grade(&m, "isolated", BENCH_GRADE_GOOD);
	put(&m, CPU "isolated", "2-3\n");
	assert_grade(&m, "isolated", BENCH_GRADE_ADVICE);
	assert_string_equal(m.finding.command, "taskset -c 2-3 bench run");
	put(&m, CPU "isolated", "0-3\n");
	assert_grade(&m, "isolated", BENCH_GRADE_ADVICE);
	assert_says(m.finding.cost, "does not spread");
	put(&m, CPU "isolated", "1-3\n");
	assert_grade(&m, "isolated", BENCH_GRADE_GOOD);
	put_unreadable(&m, CPU "isolated");
	assert_grade(&m, "isolated", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void several_nodes_are_advice(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "numa", BENCH_GRADE_GOOD);
	put(&m, "sys/devices/system/node/online", "0-1\n");
	assert_grade(&m, "numa", BENCH_GRADE_ADVICE);
	assert_says(m.finding.command, "numactl");
	put_unreadable(&m, "sys/devices/system/node/online");
	assert_grade(&m, "numa", BENCH_GRADE_UNKNOWN);
	end_machine(&m);
}

static void a_virtual_machine_is_told(void **state)
{
	struct machine m;
	make_machine(&m, state, 2);
	assert_grade(&m, "virtual", BENCH_GRADE_UNKNOWN);
	put(&m, "proc/cpuinfo", "flags\t\t: fpu avx2\n");
	assert_grade(&m, "virtual", BENCH_GRADE_GOOD);
	put(&m, "proc/cpuinfo", "flags\t\t: fpu avx2 hypervisor lahf_lm\n");
	put(&m, "sys/class/dmi/id/sys_vendor", "QEMU\n");
	put(&m, "sys/class/dmi/id/product_name", "Standard PC\n");
	assert_grade(&m, "virtual", BENCH_GRADE_ADVICE);
	assert_says(m.finding.found, "QEMU Standard PC");
	end_machine(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(the_governor_is_performance_or_none),
		in_scratch(turbo_is_advice_of_either_driver),
		in_scratch(siblings_that_share_a_core_are_counted),
		in_scratch(throttling_is_bad_while_it_goes_on),
		in_scratch(a_battery_that_feeds_the_machine_is_bad),
		in_scratch(a_clock_is_judged_by_its_name_and_its_cost),
		in_scratch(threads_that_have_no_cpu_are_bad),
		in_scratch(a_quota_below_the_threads_is_bad),
		in_scratch(a_quota_of_the_first_version_counts_too),
		in_scratch(isolated_cpus_want_to_be_used),
		in_scratch(several_nodes_are_advice),
		in_scratch(a_virtual_machine_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
