/* Checks of memory: how much there is, how it is paged and laid out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/fitness/parts.h"

/* "MemAvailable:  123 kB" of meminfo, in bytes; false where there is no such line. */
static bool meminfo_bytes(const char *meminfo, const char *name, double *bytes)
{
	const char *line = strstr(meminfo, name);
	if (!line)
		return false;
	*bytes = strtod(line + strlen(name), NULL) * 1024;
	return true;
}

static void check_memory(struct look *look)
{
	double free_bytes, need = look->options->memory_bytes;
	char has[32], needs[32];
	const char *meminfo = look_read(look, look->proc, "meminfo");
	if (!meminfo) {
		look_unknown(look, "/proc/meminfo");
		return;
	}
	if (!meminfo_bytes(meminfo, "MemAvailable:", &free_bytes)) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s/meminfo has no MemAvailable", look->proc);
		return;
	}
	bench_text_quantity(has, sizeof(has), free_bytes, "B");
	bench_text_quantity(needs, sizeof(needs), need, "B");
	if (need <= 0) {
		look_found(look, BENCH_GRADE_GOOD, "%s are free", has);
	} else if (need <= free_bytes * 0.8) {
		look_found(look, BENCH_GRADE_GOOD,
			   "%s are free; the largest case of the nightly preset takes %s", has, needs);
	} else {
		look_found(look, BENCH_GRADE_BAD,
			   "%s are free; the largest case of the nightly preset takes %s", has, needs);
		look_cost(look, "the machine swaps, or ends the measuring process for want of memory");
		look_change(look, "end what holds memory, or leave large cases out:");
		look_command(look, "ps -eo rss,pid,comm --sort -rss | head; bench run --filter 'n<=1024'");
	}
}

static void check_swap(struct look *look)
{
	double total, left;
	char used[32];
	const char *meminfo = look_read(look, look->proc, "meminfo");
	if (!meminfo) {
		look_unknown(look, "/proc/meminfo");
		return;
	}
	if (!meminfo_bytes(meminfo, "SwapTotal:", &total) || !meminfo_bytes(meminfo, "SwapFree:", &left)) {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s/meminfo has no SwapTotal or SwapFree", look->proc);
		return;
	}
	uint64_t pages = look->after.swap_pages > look->before.swap_pages
				 ? look->after.swap_pages - look->before.swap_pages
				 : 0;
	bench_text_quantity(used, sizeof(used), total - left, "B");
	if (total == 0) {
		look_found(look, BENCH_GRADE_GOOD, "there is none");
	} else if (look->before.swap_there && look->after.swap_there && pages > 0) {
		look_found(look, BENCH_GRADE_BAD, "%llu pages went to or came from swap in this second",
			   (unsigned long long)pages);
		look_cost(look,
			  "a page that comes from disk takes as long as thousands of accesses to memory");
		look_change(look, "end what holds memory:");
		look_command(look, "ps -eo rss,pid,comm --sort -rss | head");
	} else if (total - left > 0) {
		look_found(look, BENCH_GRADE_ADVICE, "%s are in use, and nothing moved in this second", used);
		look_cost(look,
			  "what lies there comes back when it is touched, in the middle of a sample too");
		look_change(look, "where memory is free again, bring it back:");
		look_command(look, "sudo swapoff -a && sudo swapon -a");
	} else {
		look_found(look, BENCH_GRADE_GOOD, "none of it is in use");
	}
}

static void check_huge_pages(struct look *look)
{
	static const char path[] = "kernel/mm/transparent_hugepage/enabled";
	const char *text = look_read(look, look->sys, path);
	if (!text && !*look->why) {
		look_found(look, BENCH_GRADE_GOOD, "this kernel has no transparent huge pages");
	} else if (!text) {
		look_unknown(look, path);
	} else if (strstr(text, "[madvise]")) {
		look_found(look, BENCH_GRADE_GOOD, "madvise: where a program asks for them");
	} else if (strstr(text, "[always]")) {
		look_found(look, BENCH_GRADE_ADVICE, "always");
		look_cost(look,
			  "whether a buffer gets them depends on how fragmented memory is, from process to "
			  "process; a kernel thread joins pages meanwhile");
		look_change(look, "until the next start of the machine:");
		look_command(look, "echo madvise | sudo tee /sys/%s", path);
	} else if (strstr(text, "[never]")) {
		look_found(look, BENCH_GRADE_ADVICE, "never");
		look_cost(look,
			  "large matrices miss the TLB more often than they would need to, always alike");
		look_change(look, "until the next start of the machine:");
		look_command(look, "echo madvise | sudo tee /sys/%s", path);
	} else {
		look_found(look, BENCH_GRADE_UNKNOWN, "%s/%s says '%.40s'", look->sys, path, text);
	}
}

static void check_layout(struct look *look)
{
	double value;
	if (!look_number(look, look->proc, "sys/kernel/randomize_va_space", &value)) {
		look_unknown(look, "/proc/sys/kernel/randomize_va_space");
	} else if (value > 0) {
		look_found(look, BENCH_GRADE_GOOD,
			   "random in every process: invocations average over it (--invocations)");
	} else {
		look_found(look, BENCH_GRADE_ADVICE, "the same in every process");
		look_cost(look,
			  "one layout, by chance a fast or a slow one, is taken for the speed of the code");
		look_change(look, "randomise addresses again:");
		look_command(look, "echo 2 | sudo tee /proc/sys/kernel/randomize_va_space");
	}
}

const struct look_check look_memory_checks[] = {
	{"memory", check_memory},
	{"swap", check_swap},
	{"huge-pages", check_huge_pages},
	{"layout", check_layout},
	{0},
};
