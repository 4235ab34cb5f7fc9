/* SPDX-License-Identifier: MIT */
/* Checks of what this process may use (CPUs, quota, nodes), and of the machine beneath. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/fitness/internal.h"

#define CPU "devices/system/cpu"

static void check_cpus(struct probe *probe)
{
	cpu_set_t online;
	int allowed = CPU_COUNT(&probe->allowed);
	const char *text = fitness_read(probe, probe->sys, CPU "/online");
	if (!text || allowed == 0) {
		fitness_unknown(probe, CPU "/online");
		return;
	}
	fitness_parse_list(text, &online);
	if ((int)probe->threads > allowed) {
		fitness_found(probe, BENCH_GRADE_BAD,
			      "%u threads on the %d CPUs that this process may use (%s of %s)",
			      probe->threads, allowed, fitness_list(probe, &probe->allowed), text);
		fitness_cost(
			probe,
			"threads take turns on a CPU, and those that wait for each other wait for a turn");
		fitness_change(probe, "allow it as many CPUs:");
		fitness_command(probe, "taskset -c %s bench run", text);
	} else {
		fitness_found(probe, BENCH_GRADE_GOOD, "this process may use %d of %d CPUs: %s", allowed,
			      CPU_COUNT(&online), fitness_list(probe, &probe->allowed));
	}
}

/* The tightest quota on the way from this process's control group to the root. */
struct quota {
	double cpus; /* 0: none */
	char *where; /* below the root of sysfs */
	char *unreadable;
};

static void consider(struct probe *probe, struct quota *quota, const char *folder, double cpus)
{
	if (cpus > 0 && (quota->cpus == 0 || cpus < quota->cpus)) {
		quota->cpus = cpus;
		quota->where = bench_arena_string(probe->arena, folder);
	}
}

/* "max 100000" or "150000 100000" in a version 2 group, two files in one of version 1. */
static void read_quota(struct probe *probe, struct quota *quota, const char *folder, bool second_version)
{
	double limit = 0, period = 0;
	char *path = bench_arena_format(probe->arena, "%s/%s", folder,
					second_version ? "cpu.max" : "cpu.cfs_quota_us");
	char *text = fitness_read(probe, probe->sys, path);
	if (!text) {
		if (*probe->why)
			quota->unreadable = bench_arena_string(probe->arena, probe->why);
		return;
	}
	if (second_version) {
		if (sscanf(text, "%lf %lf", &limit, &period) != 2)
			return;
	} else {
		limit = strtod(text, NULL);
		path = bench_arena_format(probe->arena, "%s/cpu.cfs_period_us", folder);
		if (!fitness_number(probe, probe->sys, path, &period))
			return;
	}
	if (period > 0)
		consider(probe, quota, folder, limit / period);
}

/* `group`, "/a/b", is below `mount`: reads it and each of its parents. */
static void read_groups(struct probe *probe, struct quota *quota, const char *mount, char *group,
			bool second_version)
{
	/* A group of another namespace starts with "/..": what is mounted is its root. */
	if (strstr(group, ".."))
		*group = '\0';
	for (;;) {
		size_t length = strlen(group);
		while (length > 0 && group[length - 1] == '/')
			group[--length] = '\0';
		read_quota(probe, quota, bench_arena_format(probe->arena, "%s%s", mount, group),
			   second_version);
		char *slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
			return true;
	return false;
}

static void find_quota(struct probe *probe, struct quota *quota, char *groups)
{
	char *line;
	/* "4:cpu,cpuacct:/a/b" of version 1; "0::/a/b" of version 2. */
	while ((line = bench_text_next(&groups, '\n'))) {
		char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		names++;
		if (!*names)
			read_groups(probe, quota, "fs/cgroup", group, true);
		else if (has_word(names, "cpu"))
			read_groups(probe, quota, bench_arena_format(probe->arena, "fs/cgroup/%s", names),
				    group, false);
	}
}

/* "nr_throttled 12" of a group's cpu.stat; 0 where it is not there. */
static double count_throttled(struct probe *probe, const char *folder)
{
	static const char name[] = "nr_throttled ";
	const char *text =
		fitness_read(probe, probe->sys, bench_arena_format(probe->arena, "%s/cpu.stat", folder));
	const char *line = text ? strstr(text, name) : NULL;
	return line ? strtod(line + sizeof(name) - 1, NULL) : 0;
}

static void check_quota(struct probe *probe)
{
	struct quota quota = {0};
	char *groups = fitness_read(probe, probe->proc, "self/cgroup");
	if (!groups && *probe->why) {
		fitness_unknown(probe, "/proc/self/cgroup");
		return;
	}
	if (groups)
		find_quota(probe, &quota, groups);
	if (quota.unreadable && quota.cpus == 0) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", quota.unreadable);
		return;
	}
	if (quota.cpus == 0) {
		fitness_found(probe, BENCH_GRADE_GOOD, "none");
		return;
	}
	double throttled = count_throttled(probe, quota.where);
	bool short_of = quota.cpus < (double)probe->threads;
	fitness_found(probe,
		      short_of        ? BENCH_GRADE_BAD
		      : throttled > 0 ? BENCH_GRADE_ADVICE
				      : BENCH_GRADE_GOOD,
		      "%.2f CPUs for %u threads, by %s/%s; stopped in %.0f periods so far", quota.cpus,
		      probe->threads, probe->sys, quota.where, throttled);
	if (!short_of && throttled <= 0)
		return;
	fitness_cost(probe,
		     "when the quota of a period is used up, all threads stop until the next one begins");
	if (short_of)
		fitness_change(probe, "raise the limit (docker run --cpus, resources.limits.cpu), or keep to "
				      "as many CPUs as it allows:");
	else
		fitness_change(probe, "something used it up before; keep others out of the group:");
	if (short_of && quota.cpus >= 1)
		fitness_command(probe, "taskset -c 0-%d bench run", (int)quota.cpus - 1);
	else
		fitness_command(probe, "cat %s/%s/cpu.stat", probe->sys, quota.where);
}

static void check_isolated(struct probe *probe)
{
	cpu_set_t isolated, inside;
	const char *text = fitness_read(probe, probe->sys, CPU "/isolated");
	if (!text && *probe->why) {
		fitness_unknown(probe, CPU "/isolated");
		return;
	}
	fitness_parse_list(text ? text : "", &isolated);
	CPU_AND(&inside, &isolated, &probe->allowed);
	if (CPU_COUNT(&isolated) == 0) {
		fitness_found(probe, BENCH_GRADE_GOOD, "none: the scheduler uses all CPUs");
	} else if (CPU_COUNT(&inside) == 0) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%s are set apart, and not used by this process",
			      text);
		fitness_cost(probe,
			     "others run where this process runs, while CPUs without others stand idle");
		fitness_change(probe, "use them:");
		fitness_command(probe, "taskset -c %s bench run", text);
	} else if (CPU_EQUAL(&inside, &probe->allowed) && CPU_COUNT(&inside) > 1) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "all CPUs of this process (%s) are set apart", text);
		fitness_cost(probe, "the scheduler does not spread threads over isolated CPUs: all stay on "
				    "the first, unless they are bound one by one");
		fitness_change(probe, "bind OpenMP's threads (PoCL's are bound already):");
		fitness_command(probe, "OMP_PROC_BIND=true bench run");
	} else {
		fitness_found(probe, BENCH_GRADE_GOOD, "%s are set apart", text);
	}
}

static void check_numa(struct probe *probe)
{
	cpu_set_t nodes;
	const char *text = fitness_read(probe, probe->sys, "devices/system/node/online");
	if (!text && *probe->why) {
		fitness_unknown(probe, "devices/system/node/online");
		return;
	}
	fitness_parse_list(text ? text : "0", &nodes);
	if (CPU_COUNT(&nodes) <= 1) {
		fitness_found(probe, BENCH_GRADE_GOOD, "one node");
		return;
	}
	fitness_found(probe, BENCH_GRADE_ADVICE, "%d nodes", CPU_COUNT(&nodes));
	fitness_cost(probe, "memory of another node is slower, and which node a buffer lies on differs from "
			    "process to process");
	fitness_change(probe, "keep CPUs and memory together:");
	fitness_command(probe, "numactl --cpunodebind=0 --membind=0 bench run");
}

static void check_virtual(struct probe *probe)
{
	const char *cpuinfo = fitness_read(probe, probe->proc, "cpuinfo");
	if (!cpuinfo) {
		fitness_unknown(probe, "/proc/cpuinfo");
		return;
	}
	const char *vendor = fitness_read(probe, probe->sys, "class/dmi/id/sys_vendor");
	const char *product = vendor ? fitness_read(probe, probe->sys, "class/dmi/id/product_name") : NULL;
	const char *type = fitness_read(probe, probe->sys, "hypervisor/type");
	if (!strstr(cpuinfo, " hypervisor") && !type) {
		fitness_found(probe, BENCH_GRADE_GOOD, "no hypervisor is seen");
		return;
	}
	fitness_found(probe, BENCH_GRADE_ADVICE, "a virtual machine%s%s%s%s", vendor ? ": " : "",
		      vendor ? vendor : "", product ? " " : "", product ? product : "");
	fitness_cost(probe, "neighbors on the host share its cores, caches and power, which is visible "
			    "here only as steal; governor, turbo and SMT are the host's");
	fitness_change(probe, "compare runs of several hours, or two builds at once:");
	fitness_command(probe, "bench duel BASE HEAD");
}

const struct fitness_check fitness_limit_checks[] = {
	{"cpus", check_cpus}, {"quota", check_quota},     {"isolated", check_isolated},
	{"numa", check_numa}, {"virtual", check_virtual}, {0},
};
