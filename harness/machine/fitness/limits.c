/* Checks of what this process may use: CPUs, quota, nodes; and of what lies beneath. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/fitness/parts.h"

#define CPU "devices/system/cpu"

static void check_cpus(struct look *look)
{
	cpu_set_t online;
	int allowed = CPU_COUNT(&look->allowed);
	const char *text = look_read(look, look->sys, CPU "/online");
	if (!text || allowed == 0) {
		look_unknown(look, CPU "/online");
		return;
	}
	look_parse_list(text, &online);
	if ((int)look->threads > allowed) {
		look_found(look, BENCH_GRADE_BAD,
			   "%u threads on the %d CPUs that this process may use (%s of %s)", look->threads,
			   allowed, look_list(look, &look->allowed), text);
		look_cost(look,
			  "threads take turns on a CPU, and those that wait for each other wait for a turn");
		look_change(look, "allow it as many CPUs:");
		look_command(look, "taskset -c %s bench run", text);
	} else {
		look_found(look, BENCH_GRADE_GOOD, "this process may use %d of %d: %s", allowed,
			   CPU_COUNT(&online), look_list(look, &look->allowed));
	}
}

/* The tightest quota on the way from this process's control group to the root. */
struct quota {
	double cpus; /* 0: none */
	char *where; /* below the root of sysfs */
	char *unreadable;
};

static void consider(struct look *look, struct quota *quota, const char *folder, double cpus)
{
	if (cpus > 0 && (quota->cpus == 0 || cpus < quota->cpus)) {
		quota->cpus = cpus;
		quota->where = bench_arena_string(look->arena, folder);
	}
}

/* "max 100000" or "150000 100000" in a version 2 group, two files in one of version 1. */
static void read_quota(struct look *look, struct quota *quota, const char *folder, bool second_version)
{
	double limit = 0, period = 0;
	char *path = bench_arena_format(look->arena, "%s/%s", folder,
					second_version ? "cpu.max" : "cpu.cfs_quota_us");
	char *text = look_read(look, look->sys, path);
	if (!text) {
		if (*look->why)
			quota->unreadable = bench_arena_string(look->arena, look->why);
		return;
	}
	if (second_version) {
		if (sscanf(text, "%lf %lf", &limit, &period) != 2)
			return;
	} else {
		limit = strtod(text, NULL);
		path = bench_arena_format(look->arena, "%s/cpu.cfs_period_us", folder);
		if (!look_number(look, look->sys, path, &period))
			return;
	}
	if (period > 0)
		consider(look, quota, folder, limit / period);
}

/* `group`, "/a/b", is below `mount`: reads it and each of its parents. */
static void read_groups(struct look *look, struct quota *quota, const char *mount, char *group,
			bool second_version)
{
	/* A group of another namespace starts with "/..": what is mounted is its root. */
	if (strstr(group, ".."))
		*group = '\0';
	for (;;) {
		size_t length = strlen(group);
		while (length > 0 && group[length - 1] == '/')
			group[--length] = '\0';
		read_quota(look, quota, bench_arena_format(look->arena, "%s%s", mount, group),
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

static void find_quota(struct look *look, struct quota *quota, char *groups)
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
			read_groups(look, quota, "fs/cgroup", group, true);
		else if (has_word(names, "cpu"))
			read_groups(look, quota, bench_arena_format(look->arena, "fs/cgroup/%s", names),
				    group, false);
	}
}

/* "nr_throttled 12" of a group's cpu.stat; 0 where it is not there. */
static double count_throttled(struct look *look, const char *folder)
{
	static const char name[] = "nr_throttled ";
	const char *text = look_read(look, look->sys, bench_arena_format(look->arena, "%s/cpu.stat", folder));
	const char *line = text ? strstr(text, name) : NULL;
	return line ? strtod(line + sizeof(name) - 1, NULL) : 0;
}

static void check_quota(struct look *look)
{
	struct quota quota = {0};
	char *groups = look_read(look, look->proc, "self/cgroup");
	if (!groups && *look->why) {
		look_unknown(look, "/proc/self/cgroup");
		return;
	}
	if (groups)
		find_quota(look, &quota, groups);
	if (quota.unreadable && quota.cpus == 0) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s", quota.unreadable);
		return;
	}
	if (quota.cpus == 0) {
		look_found(look, BENCH_GRADE_GOOD, "none");
		return;
	}
	double throttled = count_throttled(look, quota.where);
	bool short_of = quota.cpus < (double)look->threads;
	look_found(look,
		   short_of        ? BENCH_GRADE_BAD
		   : throttled > 0 ? BENCH_GRADE_ADVICE
				   : BENCH_GRADE_GOOD,
		   "%.2f CPUs for %u threads, by %s/%s; stopped in %.0f periods so far", quota.cpus,
		   look->threads, look->sys, quota.where, throttled);
	if (!short_of && throttled <= 0)
		return;
	look_cost(look, "when the quota of a period is used up, all threads stop until the next one begins");
	if (short_of)
		look_change(look,
			    "raise the limit (docker run --cpus, resources.limits.cpu), or keep to as many "
			    "CPUs as it allows:");
	else
		look_change(look, "something used it up before; keep others out of the group:");
	if (short_of && quota.cpus >= 1)
		look_command(look, "taskset -c 0-%d bench run", (int)quota.cpus - 1);
	else
		look_command(look, "cat %s/%s/cpu.stat", look->sys, quota.where);
}

static void check_isolated(struct look *look)
{
	cpu_set_t isolated, inside;
	const char *text = look_read(look, look->sys, CPU "/isolated");
	if (!text && *look->why) {
		look_unknown(look, CPU "/isolated");
		return;
	}
	look_parse_list(text ? text : "", &isolated);
	CPU_AND(&inside, &isolated, &look->allowed);
	if (CPU_COUNT(&isolated) == 0) {
		look_found(look, BENCH_GRADE_GOOD, "none are set apart: the scheduler uses all alike");
	} else if (CPU_COUNT(&inside) == 0) {
		look_found(look, BENCH_GRADE_ADVICE, "%s are set apart, and not used by this process", text);
		look_cost(look, "others run where this process runs, while CPUs without others stand idle");
		look_change(look, "use them:");
		look_command(look, "taskset -c %s bench run", text);
	} else if (CPU_EQUAL(&inside, &look->allowed) && CPU_COUNT(&inside) > 1) {
		look_found(look, BENCH_GRADE_ADVICE, "all CPUs of this process (%s) are set apart", text);
		look_cost(look,
			  "the scheduler does not spread threads over isolated CPUs: all stay on the first, "
			  "unless they are bound one by one");
		look_change(look, "bind OpenMP's threads (PoCL's are bound already):");
		look_command(look, "OMP_PROC_BIND=true bench run");
	} else {
		look_found(look, BENCH_GRADE_GOOD, "%s are set apart", text);
	}
}

static void check_numa(struct look *look)
{
	cpu_set_t nodes;
	const char *text = look_read(look, look->sys, "devices/system/node/online");
	if (!text && *look->why) {
		look_unknown(look, "devices/system/node/online");
		return;
	}
	look_parse_list(text ? text : "0", &nodes);
	if (CPU_COUNT(&nodes) <= 1) {
		look_found(look, BENCH_GRADE_GOOD, "one node");
		return;
	}
	look_found(look, BENCH_GRADE_ADVICE, "%d nodes", CPU_COUNT(&nodes));
	look_cost(look,
		  "memory of another node is slower, and which node a buffer lies on differs from process "
		  "to process");
	look_change(look, "keep CPUs and memory together:");
	look_command(look, "numactl --cpunodebind=0 --membind=0 bench run");
}

static void check_virtual(struct look *look)
{
	const char *cpuinfo = look_read(look, look->proc, "cpuinfo");
	if (!cpuinfo) {
		look_unknown(look, "/proc/cpuinfo");
		return;
	}
	const char *vendor = look_read(look, look->sys, "class/dmi/id/sys_vendor");
	const char *product = vendor ? look_read(look, look->sys, "class/dmi/id/product_name") : NULL;
	const char *type = look_read(look, look->sys, "hypervisor/type");
	if (!strstr(cpuinfo, " hypervisor") && !type) {
		look_found(look, BENCH_GRADE_GOOD, "no hypervisor is seen");
		return;
	}
	look_found(look, BENCH_GRADE_ADVICE, "a virtual machine%s%s%s%s", vendor ? ": " : "",
		   vendor ? vendor : "", product ? " " : "", product ? product : "");
	look_cost(
		look,
		"neighbours on the host share its cores, caches and power, and cannot be seen from here but "
		"as steal; governor, turbo and SMT are the host's");
	look_change(look, "compare runs of several hours, or two builds at once:");
	look_command(look, "bench duel BASE HEAD");
}

const struct look_check look_limit_checks[] = {
	{"cpus", check_cpus}, {"quota", check_quota},     {"isolated", check_isolated},
	{"numa", check_numa}, {"virtual", check_virtual}, {0},
};
