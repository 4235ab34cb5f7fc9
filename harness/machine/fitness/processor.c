/* Checks of the processor: its clock, what changes it, and who shares a core. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/fitness/parts.h"

#define CPU "devices/system/cpu"

struct governors {
	unsigned policies, performance;
	char other[64];   /* one that is not performance */
	char *unreadable; /* why one could not be read */
};

static void visit_policy(struct look *look, const char *entry, void *context)
{
	struct governors *governors = context;
	char path[400];
	snprintf(path, sizeof(path), CPU "/cpufreq/%s/scaling_governor", entry);
	const char *name = look_read(look, look->sys, path);
	if (!name) {
		if (*look->why)
			governors->unreadable = bench_arena_string(look->arena, look->why);
		return;
	}
	governors->policies++;
	if (strcmp(name, "performance") == 0)
		governors->performance++;
	else
		snprintf(governors->other, sizeof(governors->other), "%s", name);
}

static void check_governor(struct look *look)
{
	struct governors governors = {0};
	look_each(look, look->sys, CPU "/cpufreq", "policy", visit_policy, &governors);
	if (governors.unreadable) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s", governors.unreadable);
	} else if (governors.policies == 0) {
		look_found(look, BENCH_GRADE_GOOD, "none: the system has no say in the frequency");
	} else if (governors.performance == governors.policies) {
		look_found(look, BENCH_GRADE_GOOD, "performance");
	} else {
		look_found(look, BENCH_GRADE_BAD, "%s (%u of %u frequency policies are not on performance)",
			   governors.other, governors.policies - governors.performance, governors.policies);
		look_cost(look,
			  "the frequency follows the load with a delay, so that a sample's time depends "
			  "on what ran before it");
		look_change(look, "until the next start of the machine:");
		look_command(look, "sudo cpupower frequency-set --governor performance");
	}
}

static void check_turbo(struct look *look)
{
	double value;
	bool intel = look_number(look, look->sys, CPU "/intel_pstate/no_turbo", &value);
	const char *failed = look->why;
	bool on = intel && value == 0;
	if (!intel && !*failed) {
		bool boost = look_number(look, look->sys, CPU "/cpufreq/boost", &value);
		failed = look->why;
		on = boost && value != 0;
		if (!boost && !*failed) {
			look_found(look, BENCH_GRADE_GOOD, "none that can be seen");
			return;
		}
	}
	if (*failed) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s", failed);
	} else if (!on) {
		look_found(look, BENCH_GRADE_GOOD, "off");
	} else {
		look_found(look, BENCH_GRADE_ADVICE, "on");
		look_cost(look, "the frequency depends on the temperature and on how many cores are busy");
		look_change(look, "for a steadier and lower speed, until the next start of the machine:");
		look_command(look, intel ? "echo 1 | sudo tee /sys/" CPU "/intel_pstate/no_turbo"
					 : "echo 0 | sudo tee /sys/" CPU "/cpufreq/boost");
	}
}

/* Cores that the allowed CPUs belong to, and the first CPU of each; 0: not to be read. */
static int count_cores(struct look *look, cpu_set_t *firsts)
{
	cpu_set_t siblings;
	CPU_ZERO(firsts);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[96];
		if (!CPU_ISSET(cpu, &look->allowed))
			continue;
		snprintf(path, sizeof(path), CPU "/cpu%zu/topology/thread_siblings_list", cpu);
		const char *text = look_read(look, look->sys, path);
		if (!text)
			return 0;
		look_parse_list(text, &siblings);
		CPU_AND(&siblings, &siblings, firsts);
		if (CPU_COUNT(&siblings) == 0)
			CPU_SET(cpu, firsts);
	}
	return CPU_COUNT(firsts);
}

static void check_smt(struct look *look)
{
	cpu_set_t firsts;
	int cpus = CPU_COUNT(&look->allowed), cores = count_cores(look, &firsts);
	if (cores == 0) {
		look_unknown(look, CPU "/cpu*/topology/thread_siblings_list");
	} else if (cpus == 1) {
		look_found(look, BENCH_GRADE_GOOD, "one CPU");
	} else if (cores == cpus) {
		look_found(look, BENCH_GRADE_GOOD, "no two of the %d CPUs share a core", cpus);
	} else if ((int)look->threads <= cores) {
		look_found(look, BENCH_GRADE_ADVICE,
			   "%d CPUs on %d cores; %u threads fit a core each, if the scheduler puts them so",
			   cpus, cores, look->threads);
		look_cost(look,
			  "two threads on one core slow each other, in some processes and not in others");
		look_change(look, "keep to one CPU a core:");
		look_command(look, "taskset -c %s bench run", look_list(look, &firsts));
	} else {
		look_found(look, BENCH_GRADE_ADVICE, "%d CPUs on %d cores, and %u threads share them", cpus,
			   cores, look->threads);
		if (look->siblings && look->selftest.both_there)
			look_cost(look, "a thread beside another on its core took %.2fx of its time here",
				  look->selftest.both);
		else
			look_cost(look, "two threads on one core share its units and caches");
		look_change(look, "keep to one CPU a core, or switch SMT off (echo off | sudo tee "
				  "/sys/" CPU "/smt/control):");
		look_command(look, "taskset -c %s bench run", look_list(look, &firsts));
	}
}

struct throttle {
	uint64_t count;
	bool there;
	char *unreadable;
};

static void visit_cpu(struct look *look, const char *entry, void *context)
{
	struct throttle *throttle = context;
	char path[400];
	double count;
	snprintf(path, sizeof(path), CPU "/%s/thermal_throttle/core_throttle_count", entry);
	if (look_number(look, look->sys, path, &count)) {
		throttle->there = true;
		throttle->count += count > 0 ? (uint64_t)count : 0;
	} else if (*look->why) {
		throttle->unreadable = bench_arena_string(look->arena, look->why);
	}
}

uint64_t look_throttle_count(struct look *look, bool *there)
{
	struct throttle throttle = {0};
	look_each(look, look->sys, CPU, "cpu", visit_cpu, &throttle);
	*there = throttle.there;
	look->why = throttle.unreadable ? throttle.unreadable : "";
	return throttle.count;
}

static void check_throttling(struct look *look)
{
	bool there;
	uint64_t count = look_throttle_count(look, &there);
	if (*look->why) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s", look->why);
	} else if (!there) {
		look_found(look, BENCH_GRADE_GOOD, "none that is counted here");
	} else if (count == 0) {
		look_found(look, BENCH_GRADE_GOOD, "never since the start of the machine");
	} else if (count == look->throttled_before) {
		look_found(look, BENCH_GRADE_ADVICE,
			   "%llu times since the start of the machine, none while looking",
			   (unsigned long long)count);
		look_cost(look, "a core that gets too hot lowers its frequency until it has cooled");
		look_change(look, "look to the cooling, and measure with pauses");
	} else {
		look_found(look, BENCH_GRADE_BAD, "%llu times in these three seconds",
			   (unsigned long long)(count - look->throttled_before));
		look_cost(look, "a core that gets too hot lowers its frequency until it has cooled");
		look_change(look, "let the machine cool, clean its fans, switch turbo off");
	}
}

struct supplies {
	bool mains, mains_online, battery, discharging;
	char *unreadable;
};

static void visit_supply(struct look *look, const char *entry, void *context)
{
	struct supplies *supplies = context;
	char path[400];
	double online;
	snprintf(path, sizeof(path), "class/power_supply/%s/type", entry);
	const char *type = look_read(look, look->sys, path);
	if (!type) {
		if (*look->why)
			supplies->unreadable = bench_arena_string(look->arena, look->why);
		return;
	}
	if (strcmp(type, "Mains") == 0) {
		snprintf(path, sizeof(path), "class/power_supply/%s/online", entry);
		supplies->mains = true;
		supplies->mains_online |= look_number(look, look->sys, path, &online) && online > 0;
	} else if (strcmp(type, "Battery") == 0) {
		snprintf(path, sizeof(path), "class/power_supply/%s/status", entry);
		const char *status = look_read(look, look->sys, path);
		supplies->battery = true;
		supplies->discharging |= status && strcmp(status, "Discharging") == 0;
	}
}

static void check_power(struct look *look)
{
	struct supplies supplies = {0};
	look_each(look, look->sys, "class/power_supply", "", visit_supply, &supplies);
	if (supplies.unreadable) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s", supplies.unreadable);
	} else if (supplies.battery && !supplies.mains_online && (supplies.mains || supplies.discharging)) {
		look_found(look, BENCH_GRADE_BAD, "on battery");
		look_cost(look, "the firmware limits the power, the more so the emptier the battery is");
		look_change(look, "plug the machine in");
	} else {
		look_found(look, BENCH_GRADE_GOOD,
			   supplies.battery ? "on mains, with a battery" : "no battery");
	}
}

/* How good a clock source is, by what reading it takes. */
static enum bench_grade grade_clock(struct look *look, const char *name)
{
	static const char *const bad[] = {"hpet", "acpi_pm", "refined-jiffies", "jiffies", "pit"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strcmp(name, bad[i]) == 0)
			return BENCH_GRADE_BAD;
	/* A sample is 1000 ticks and 2 ms at least: a reading or a tick of 1 us is 0.05% of it. */
	if (look->clock.cost_ns > 1000 || look->clock.tick_ns > 1000)
		return BENCH_GRADE_BAD;
	return look->clock.cost_ns > 200 ? BENCH_GRADE_ADVICE : BENCH_GRADE_GOOD;
}

static void check_clock(struct look *look)
{
	static const char folder[] = "devices/system/clocksource/clocksource0";
	char path[128];
	snprintf(path, sizeof(path), "%s/current_clocksource", folder);
	const char *name = look_read(look, look->sys, path);
	if (!name) {
		look_unknown(look, path);
		return;
	}
	enum bench_grade grade = grade_clock(look, name);
	look_found(look, grade, "%s: a reading takes %.0f ns, the smallest step is %.0f ns", name,
		   look->clock.cost_ns, look->clock.tick_ns);
	if (grade == BENCH_GRADE_GOOD)
		return;
	snprintf(path, sizeof(path), "%s/available_clocksource", folder);
	const char *available = look_read(look, look->sys, path);
	look_cost(look, "each sample carries a reading, and short ones are made longer to hide it");
	if (available && strstr(available, "tsc") && strcmp(name, "tsc") != 0) {
		look_change(look, "the processor's own counter is there:");
		look_command(look, "echo tsc | sudo tee /sys/%s/current_clocksource", folder);
	} else {
		look_change(look, "the kernel offers nothing better here, and says at its start why:");
		look_command(look, "sudo dmesg | grep -i -e tsc -e clocksource");
	}
}

const struct look_check look_processor_checks[] = {
	{"governor", check_governor},
	{"turbo", check_turbo},
	{"smt", check_smt},
	{"throttling", check_throttling},
	{"power", check_power},
	{"clock", check_clock},
	{0},
};
