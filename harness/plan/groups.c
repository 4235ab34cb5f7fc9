/* SPDX-License-Identifier: MIT */
#include "plan/groups.h"

#include <string.h>
#include <unistd.h>

#include "plan/sets.h"

double bench_plan_host_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? 0.8 * (double)pages * (double)size : 0x1p62;
}

/* Do they agree in all parameters except the one that chooses between variants? */
static bool same_work(const struct bench_planned *a, const struct bench_planned *b)
{
	int variants = a->suite->variants ? bench_plan_find_param(a->suite, a->suite->variants) : -1;
	if (a->suite != b->suite || bench_plan_threads(a) != bench_plan_threads(b))
		return false;
	for (size_t i = 0; i < a->value_count; i++)
		if ((int)i != variants && strcmp(a->values[i].text, b->values[i].text) != 0)
			return false;
	return true;
}

/* Do the point and the cases of the group fit the memory of every target together? */
static bool fits_beside(const struct bench_plan *plan, size_t group, const struct bench_work *work)
{
	for (size_t t = 0; t < plan->target_count; t++) {
		double device = (double)work->device_bytes, host = (double)work->host_bytes;
		const struct bench_device_info *info = &plan->targets[t].info;
		for (size_t i = 0; i < plan->case_count; i++) {
			if (plan->cases[i].group != group || plan->cases[i].target != t)
				continue;
			device += (double)plan->cases[i].work.device_bytes;
			host += (double)plan->cases[i].work.host_bytes;
		}
		if ((info->memory_bytes && device > (double)info->memory_bytes) ||
		    host + (info->kind == BENCH_DEVICE_CPU ? device : 0) > bench_plan_host_bytes())
			return false;
	}
	return true;
}

size_t bench_plan_group_find(const struct bench_plan *plan, const struct bench_planned *point)
{
	for (size_t i = 0; point->suite->variants && i < plan->case_count; i++)
		if (same_work(&plan->cases[i], point) &&
		    fits_beside(plan, plan->cases[i].group, &point->work))
			return plan->cases[i].group;
	return plan->group_count;
}

void bench_plan_groups_refer(struct bench_plan *plan)
{
	for (size_t i = 0; i < plan->case_count; i++) {
		struct bench_planned *planned = &plan->cases[i];
		const struct bench_suite *suite = planned->suite;
		int variants = suite->variants ? bench_plan_find_param(suite, suite->variants) : -1;
		planned->reference = BENCH_NO_REFERENCE;
		if (variants < 0 || planned->values[variants].integer == 0)
			continue;
		bool elsewhere = false;
		for (size_t j = 0; j < plan->case_count; j++) {
			const struct bench_planned *other = &plan->cases[j];
			if (other->target != planned->target || !same_work(other, planned) ||
			    other->values[variants].integer != 0)
				continue;
			if (other->group == planned->group)
				planned->reference = j;
			else
				elsewhere = true;
		}
		if (planned->reference != BENCH_NO_REFERENCE && planned->work.samples) {
			planned->reference = BENCH_NO_REFERENCE;
			planned->reference_lacks =
				bench_arena_string(&plan->arena, "none: the number of its samples is fixed");
		} else if (planned->reference == BENCH_NO_REFERENCE) {
			const char *choices = suite->params[variants].choices;
			choices = choices ? choices : "0";
			planned->reference_lacks = bench_arena_format(
				&plan->arena, "none: %s=%.*s %s", suite->variants, (int)strcspn(choices, "|"),
				choices,
				elsewhere ? "does not fit the device beside it" : "is not in this run");
		}
	}
}
