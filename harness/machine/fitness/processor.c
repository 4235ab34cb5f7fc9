/* SPDX-License-Identifier: MIT */
/* Checks of the processor: its clock, what changes it, and who shares a core. */
#include <stdio.h>
#include <string.h>

#include "machine/fitness/internal.h"

#define CPU "devices/system/cpu"

struct governors {
	unsigned policies, performance;
	char other[64];   /* one that is not performance */
	char *unreadable; /* why one could not be read */
};

static void visit_policy(struct probe *probe, const char *entry, void *context)
{
	struct governors *governors = context;
	char path[400];
	snprintf(path, sizeof(path), CPU "/cpufreq/%s/scaling_governor", entry);
	const char *name = fitness_read(probe, probe->sys, path);
	if (!name) {
		if (*probe->why)
			governors->unreadable = bench_arena_string(probe->arena, probe->why);
		return;
	}
	governors->policies++;
	if (strcmp(name, "performance") == 0)
		governors->performance++;
	else
		snprintf(governors->other, sizeof(governors->other), "%s", name);
}

static void check_governor(struct probe *probe)
{
	struct governors governors = {0};
	fitness_each(probe, probe->sys, CPU "/cpufreq", "policy", visit_policy, &governors);
	if (governors.unreadable) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", governors.unreadable);
	} else if (governors.policies == 0) {
		fitness_found(probe, BENCH_GRADE_GOOD,
			      "none: the operating system does not set the frequency");
	} else if (governors.performance == governors.policies) {
		fitness_found(probe, BENCH_GRADE_GOOD, "performance");
	} else {
		fitness_found(probe, BENCH_GRADE_BAD,
			      "%s (%u of %u frequency policies are not on performance)", governors.other,
			      governors.policies - governors.performance, governors.policies);
		fitness_cost(probe, "the frequency follows the load with a delay, so that a sample's time "
				    "depends on what ran before it");
		fitness_change(probe, "until the next start of the machine:");
		fitness_command(probe, "sudo cpupower frequency-set --governor performance");
	}
}

static void check_turbo(struct probe *probe)
{
	double value;
	bool intel = fitness_number(probe, probe->sys, CPU "/intel_pstate/no_turbo", &value);
	const char *failed = probe->why;
	bool on = intel && value == 0;
	if (!intel && !*failed) {
		bool boost = fitness_number(probe, probe->sys, CPU "/cpufreq/boost", &value);
		failed = probe->why;
		on = boost && value != 0;
		if (!boost && !*failed) {
			fitness_found(probe, BENCH_GRADE_GOOD, "none visible");
			return;
		}
	}
	if (*failed) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", failed);
	} else if (!on) {
		fitness_found(probe, BENCH_GRADE_GOOD, "off");
	} else {
		fitness_found(probe, BENCH_GRADE_ADVICE, "on");
		fitness_cost(probe,
			     "the frequency depends on the temperature and on how many cores are busy");
		fitness_change(probe, "for a steadier and lower speed, until the next start of the machine:");
		fitness_command(probe, intel ? "echo 1 | sudo tee /sys/" CPU "/intel_pstate/no_turbo"
					     : "echo 0 | sudo tee /sys/" CPU "/cpufreq/boost");
	}
}

/* Counts the cores that the allowed CPUs belong to, and finds the first CPU of each; 0: cannot be read. */
static int count_cores(struct probe *probe, cpu_set_t *firsts)
{
	cpu_set_t siblings;
	CPU_ZERO(firsts);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[96];
		if (!CPU_ISSET(cpu, &probe->allowed))
			continue;
		snprintf(path, sizeof(path), CPU "/cpu%zu/topology/thread_siblings_list", cpu);
		const char *text = fitness_read(probe, probe->sys, path);
		if (!text)
			return 0;
		fitness_parse_list(text, &siblings);
		CPU_AND(&siblings, &siblings, firsts);
		if (CPU_COUNT(&siblings) == 0)
			CPU_SET(cpu, firsts);
	}
	return CPU_COUNT(firsts);
}

static void check_smt(struct probe *probe)
{
	cpu_set_t firsts;
	int cpus = CPU_COUNT(&probe->allowed), cores = count_cores(probe, &firsts);
	if (cores == 0) {
		fitness_unknown(probe, CPU "/cpu*/topology/thread_siblings_list");
	} else if (cpus == 1) {
		fitness_found(probe, BENCH_GRADE_GOOD, "one CPU");
	} else if (cores == cpus) {
		fitness_found(probe, BENCH_GRADE_GOOD, "each of the %d CPUs has its own core", cpus);
	} else if ((int)probe->threads <= cores) {
		fitness_found(
			probe, BENCH_GRADE_ADVICE,
			"%d CPUs on %d cores; %u threads fit a core each, if the scheduler puts them so",
			cpus, cores, probe->threads);
		fitness_cost(probe,
			     "two threads on one core slow each other, in some processes and not in others");
		fitness_change(probe, "keep to one CPU a core:");
		fitness_command(probe, "taskset -c %s bench run", fitness_list(probe, &firsts));
	} else {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%d CPUs on %d cores, and %u threads share them",
			      cpus, cores, probe->threads);
		if (probe->siblings && probe->selftest.both_there)
			fitness_cost(probe, "a thread that shared its core took %.2f times as long here",
				     probe->selftest.both);
		else
			fitness_cost(probe, "two threads on one core share its units and caches");
		fitness_change(probe,
			       "keep to one CPU a core, or switch SMT off (echo off | sudo tee /sys/" CPU
			       "/smt/control):");
		fitness_command(probe, "taskset -c %s bench run", fitness_list(probe, &firsts));
	}
}

struct throttle {
	uint64_t count;
	bool there;
	char *unreadable;
};

static void visit_cpu(struct probe *probe, const char *entry, void *context)
{
	struct throttle *throttle = context;
	char path[400];
	double count;
	snprintf(path, sizeof(path), CPU "/%s/thermal_throttle/core_throttle_count", entry);
	if (fitness_number(probe, probe->sys, path, &count)) {
		throttle->there = true;
		throttle->count += count > 0 ? (uint64_t)count : 0;
	} else if (*probe->why) {
		throttle->unreadable = bench_arena_string(probe->arena, probe->why);
	}
}

uint64_t fitness_throttle_count(struct probe *probe, bool *there)
{
	struct throttle throttle = {0};
	fitness_each(probe, probe->sys, CPU, "cpu", visit_cpu, &throttle);
	*there = throttle.there;
	probe->why = throttle.unreadable ? throttle.unreadable : "";
	return throttle.count;
}

static void check_throttling(struct probe *probe)
{
	bool there;
	uint64_t count = fitness_throttle_count(probe, &there);
	if (*probe->why) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", probe->why);
	} else if (!there) {
		fitness_found(probe, BENCH_GRADE_GOOD, "this machine does not count it");
	} else if (count == 0) {
		fitness_found(probe, BENCH_GRADE_GOOD, "never since the start of the machine");
	} else if (count == probe->throttled_before) {
		fitness_found(probe, BENCH_GRADE_ADVICE,
			      "%llu times since the start of the machine, none while looking",
			      (unsigned long long)count);
		fitness_cost(probe, "a core that gets too hot lowers its frequency until it has cooled");
		fitness_change(probe, "improve the cooling, or measure with pauses");
	} else {
		fitness_found(probe, BENCH_GRADE_BAD, "%llu times in these three seconds",
			      (unsigned long long)(count - probe->throttled_before));
		fitness_cost(probe, "a core that gets too hot lowers its frequency until it has cooled");
		fitness_change(probe, "let the machine cool, clean its fans, switch turbo off");
	}
}

struct supplies {
	bool mains, mains_online, battery, discharging;
	char *unreadable;
};

static void visit_supply(struct probe *probe, const char *entry, void *context)
{
	struct supplies *supplies = context;
	char path[400];
	double online;
	snprintf(path, sizeof(path), "class/power_supply/%s/type", entry);
	const char *type = fitness_read(probe, probe->sys, path);
	if (!type) {
		if (*probe->why)
			supplies->unreadable = bench_arena_string(probe->arena, probe->why);
		return;
	}
	if (strcmp(type, "Mains") == 0) {
		snprintf(path, sizeof(path), "class/power_supply/%s/online", entry);
		supplies->mains = true;
		supplies->mains_online |= fitness_number(probe, probe->sys, path, &online) && online > 0;
	} else if (strcmp(type, "Battery") == 0) {
		snprintf(path, sizeof(path), "class/power_supply/%s/status", entry);
		const char *status = fitness_read(probe, probe->sys, path);
		supplies->battery = true;
		supplies->discharging |= status && strcmp(status, "Discharging") == 0;
	}
}

static void check_power(struct probe *probe)
{
	struct supplies supplies = {0};
	fitness_each(probe, probe->sys, "class/power_supply", "", visit_supply, &supplies);
	if (supplies.unreadable) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", supplies.unreadable);
	} else if (supplies.battery && !supplies.mains_online && (supplies.mains || supplies.discharging)) {
		fitness_found(probe, BENCH_GRADE_BAD, "on battery");
		fitness_cost(probe, "the firmware limits the power, and more so as the battery runs down");
		fitness_change(probe, "plug the machine in");
	} else {
		fitness_found(probe, BENCH_GRADE_GOOD,
			      supplies.battery ? "on mains, with a battery" : "no battery");
	}
}

/* Grades a clock source by the time that a reading takes. */
static enum bench_grade grade_clock(struct probe *probe, const char *name)
{
	static const char *const bad[] = {"hpet", "acpi_pm", "refined-jiffies", "jiffies", "pit"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strcmp(name, bad[i]) == 0)
			return BENCH_GRADE_BAD;
	/* A sample is 1000 ticks and 2 ms at least: a reading or a tick of 1 us is 0.05% of it. */
	if (probe->clock.cost_ns > 1000 || probe->clock.tick_ns > 1000)
		return BENCH_GRADE_BAD;
	return probe->clock.cost_ns > 200 ? BENCH_GRADE_ADVICE : BENCH_GRADE_GOOD;
}

static void check_clock(struct probe *probe)
{
	static const char folder[] = "devices/system/clocksource/clocksource0";
	char path[128];
	snprintf(path, sizeof(path), "%s/current_clocksource", folder);
	const char *name = fitness_read(probe, probe->sys, path);
	if (!name) {
		fitness_unknown(probe, path);
		return;
	}
	enum bench_grade grade = grade_clock(probe, name);
	fitness_found(probe, grade, "%s: a reading takes %.0f ns, the smallest step is %.0f ns", name,
		      probe->clock.cost_ns, probe->clock.tick_ns);
	if (grade == BENCH_GRADE_GOOD)
		return;
	snprintf(path, sizeof(path), "%s/available_clocksource", folder);
	const char *available = fitness_read(probe, probe->sys, path);
	fitness_cost(probe, "each sample carries a reading, and short ones are made longer to hide it");
	if (available && strstr(available, "tsc") && strcmp(name, "tsc") != 0) {
		fitness_change(probe, "the processor's own counter is there:");
		fitness_command(probe, "echo tsc | sudo tee /sys/%s/current_clocksource", folder);
	} else {
		fitness_change(probe, "the kernel offers nothing better here, and says at its start why:");
		fitness_command(probe, "sudo dmesg | grep -i -e tsc -e clocksource");
	}
}

const struct fitness_check fitness_processor_checks[] = {
	{"governor", check_governor},
	{"turbo", check_turbo},
	{"smt", check_smt},
	{"throttling", check_throttling},
	{"power", check_power},
	{"clock", check_clock},
	{0},
};
