/* SPDX-License-Identifier: MIT */
/* Checks of memory: how much there is, how it is paged and laid out. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/fitness/internal.h"

/* "MemAvailable:  123 kB" of meminfo, in bytes; false where there is no such line. */
static bool meminfo_bytes(const char *meminfo, const char *name, double *bytes)
{
	const char *line = strstr(meminfo, name);
	if (!line)
		return false;
	*bytes = strtod(line + strlen(name), NULL) * 1024;
	return true;
}

static void check_memory(struct probe *probe)
{
	double free_bytes, need = probe->options->memory_bytes;
	char has[32], needs[32];
	const char *meminfo = fitness_read(probe, probe->proc, "meminfo");
	if (!meminfo) {
		fitness_unknown(probe, "/proc/meminfo");
		return;
	}
	if (!meminfo_bytes(meminfo, "MemAvailable:", &free_bytes)) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s/meminfo has no MemAvailable", probe->proc);
		return;
	}
	bench_text_quantity(has, sizeof(has), free_bytes, "B");
	bench_text_quantity(needs, sizeof(needs), need, "B");
	if (need <= 0) {
		fitness_found(probe, BENCH_GRADE_GOOD, "%s are free", has);
	} else if (need <= free_bytes * 0.8) {
		fitness_found(probe, BENCH_GRADE_GOOD,
			      "%s are free; the largest case of the nightly preset takes %s", has, needs);
	} else {
		fitness_found(probe, BENCH_GRADE_BAD,
			      "%s are free; the largest case of the nightly preset takes %s", has, needs);
		fitness_cost(probe, "the machine swaps, or ends the measuring process for want of memory");
		fitness_change(probe, "end what holds memory, or leave large cases out:");
		fitness_command(probe,
				"ps -eo rss,pid,comm --sort -rss | head; bench run --filter 'n<=1024'");
	}
}

static void check_swap(struct probe *probe)
{
	double total, left;
	char used[32];
	const char *meminfo = fitness_read(probe, probe->proc, "meminfo");
	if (!meminfo) {
		fitness_unknown(probe, "/proc/meminfo");
		return;
	}
	if (!meminfo_bytes(meminfo, "SwapTotal:", &total) || !meminfo_bytes(meminfo, "SwapFree:", &left)) {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s/meminfo has no SwapTotal or SwapFree",
			      probe->proc);
		return;
	}
	uint64_t pages = probe->after.swap_pages > probe->before.swap_pages
				 ? probe->after.swap_pages - probe->before.swap_pages
				 : 0;
	bench_text_quantity(used, sizeof(used), total - left, "B");
	if (total == 0) {
		fitness_found(probe, BENCH_GRADE_GOOD, "there is none");
	} else if (probe->before.swap_there && probe->after.swap_there && pages > 0) {
		fitness_found(probe, BENCH_GRADE_BAD, "%llu pages went to or came from swap in this second",
			      (unsigned long long)pages);
		fitness_cost(probe,
			     "a page that comes from disk takes as long as thousands of accesses to memory");
		fitness_change(probe, "end what holds memory:");
		fitness_command(probe, "ps -eo rss,pid,comm --sort -rss | head");
	} else if (total - left > 0) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%s are in use, and nothing moved in this second",
			      used);
		fitness_cost(probe,
			     "what lies there comes back when it is touched, in the middle of a sample too");
		fitness_change(probe, "where memory is free again, bring it back:");
		fitness_command(probe, "sudo swapoff -a && sudo swapon -a");
	} else {
		fitness_found(probe, BENCH_GRADE_GOOD, "none of it is in use");
	}
}

static void check_huge_pages(struct probe *probe)
{
	static const char path[] = "kernel/mm/transparent_hugepage/enabled";
	const char *text = fitness_read(probe, probe->sys, path);
	if (!text && !*probe->why) {
		fitness_found(probe, BENCH_GRADE_GOOD, "this kernel has no transparent huge pages");
	} else if (!text) {
		fitness_unknown(probe, path);
	} else if (strstr(text, "[madvise]")) {
		fitness_found(probe, BENCH_GRADE_GOOD, "madvise: where a program asks for them");
	} else if (strstr(text, "[always]")) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "always");
		fitness_cost(probe, "whether a buffer gets them depends on how fragmented memory is, from "
				    "process to process; a kernel thread joins pages meanwhile");
		fitness_change(probe, "until the next start of the machine:");
		fitness_command(probe, "echo madvise | sudo tee /sys/%s", path);
	} else if (strstr(text, "[never]")) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "never");
		fitness_cost(probe,
			     "large matrices miss the TLB more often than they would need to, always alike");
		fitness_change(probe, "until the next start of the machine:");
		fitness_command(probe, "echo madvise | sudo tee /sys/%s", path);
	} else {
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s/%s says '%.40s'", probe->sys, path, text);
	}
}

static void check_layout(struct probe *probe)
{
	double value;
	if (!fitness_number(probe, probe->proc, "sys/kernel/randomize_va_space", &value)) {
		fitness_unknown(probe, "/proc/sys/kernel/randomize_va_space");
	} else if (value > 0) {
		fitness_found(probe, BENCH_GRADE_GOOD,
			      "random in every process: invocations average over it (--invocations)");
	} else {
		fitness_found(probe, BENCH_GRADE_ADVICE, "the same in every process");
		fitness_cost(
			probe,
			"one layout, by chance a fast or a slow one, is taken for the speed of the code");
		fitness_change(probe, "randomize addresses again:");
		fitness_command(probe, "echo 2 | sudo tee /proc/sys/kernel/randomize_va_space");
	}
}

const struct fitness_check fitness_memory_checks[] = {
	{"memory", check_memory},
	{"swap", check_swap},
	{"huge-pages", check_huge_pages},
	{"layout", check_layout},
	{0},
};
