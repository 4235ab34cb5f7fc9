/* SPDX-License-Identifier: MIT */
#include "core/metric.h"

#include <string.h>

#include "core/text.h"
#include "core/unit.h"

static const struct bench_metric_spec known[] = {
	{"time", "s", BENCH_BETTER_LOWER, "end to end, of one iteration"},
	{"relative_time", "ratio", BENCH_BETTER_LOWER,
	 "time over that of the base variant, pair by pair of samples taken in turn"},
	{"device_time", "s", BENCH_BETTER_LOWER, "of one iteration, by the device's own clock"},
	{"relative_device_time", "ratio", BENCH_BETTER_LOWER,
	 "device_time over that of the other executable, row by row of launches taken in turn"},
	{"device_time_within", "s", BENCH_BETTER_NONE, "how well device_time is known, either way"},
	{"latency", "s", BENCH_BETTER_NONE, "of one iteration alone, with nothing else in flight"},
	{"first_call", "s", BENCH_BETTER_NONE, "first iteration; programs were built already or cached"},
	{"first_call_compile", "s", BENCH_BETTER_NONE, "first iteration; compiled from source in it"},
	{"flop_rate", "FLOP/s", BENCH_BETTER_HIGHER, "floating-point operations a second"},
	{"bandwidth", "B/s", BENCH_BETTER_HIGHER, "bytes that must move, a second"},
	{"item_rate", "item/s", BENCH_BETTER_HIGHER, "items a second"},
	{"launch_overhead", "s", BENCH_BETTER_NONE, "latency less device_time"},
	{"peak_share", "ratio", BENCH_BETTER_HIGHER, "of what the device's ceilings allow"},
};

static const struct bench_metric_spec asked[] = {
	{"energy", "J", BENCH_BETTER_LOWER, "of one iteration, of the whole device, idle power included"},
	{"power", "W", BENCH_BETTER_NONE, "of the whole device while it iterates"},
	{"flop_per_joule", "FLOP/J", BENCH_BETTER_HIGHER, "floating-point operations for each joule"},
	{"bytes_per_joule", "B/J", BENCH_BETTER_HIGHER, "bytes that must move, for each joule"},
	{"dram_bytes", "B", BENCH_BETTER_NONE, "that one iteration moved between a GPU and its memory"},
	{"dram_activity", "share", BENCH_BETTER_NONE, "of the memory's bandwidth that was used"},
	{"sm_activity", "share", BENCH_BETTER_NONE, "of a GPU's multiprocessors that were busy"},
	{"occupancy", "share", BENCH_BETTER_NONE, "of the warps that a GPU could hold"},
	{"tensor_activity", "share", BENCH_BETTER_NONE, "of the time in which tensor cores were busy"},
	{"fp64_activity", "share", BENCH_BETTER_NONE, "likewise, the pipes for f64"},
	{"fp32_activity", "share", BENCH_BETTER_NONE, "likewise, the pipes for f32"},
	{"fp16_activity", "share", BENCH_BETTER_NONE, "likewise, the pipes for f16"},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct bench_metric_spec *bench_metric_known(const char *name)
{
	return BENCH_FIND(known, COUNT(known), name);
}

const struct bench_metric_spec *bench_metric_asked(const char *name)
{
	return BENCH_FIND(asked, COUNT(asked), name);
}

const struct bench_metric_spec *bench_metric_at(size_t at)
{
	return at < COUNT(known)                  ? &known[at]
	       : at - COUNT(known) < COUNT(asked) ? &asked[at - COUNT(known)]
						  : NULL;
}

bool bench_metric_has_column(const char *name)
{
	static const char *const names[] = {"energy", "power", "flop_per_joule", "dram_bytes", "occupancy"};
	if (BENCH_FIND(names, COUNT(names), name))
		return true;
	return !bench_metric_known(name) && !bench_metric_asked(name);
}

const struct bench_metric_pair bench_metric_pairs[BENCH_METRIC_PAIRS] = {
	{"time", "relative_time", "base_time"},
	{"device_time", "relative_device_time", "base_device_time"},
};

const struct bench_metric_pair *bench_metric_pair_of(const char *name)
{
	for (size_t i = 0; i < BENCH_METRIC_PAIRS; i++) {
		const struct bench_metric_pair *pair = &bench_metric_pairs[i];
		if (strcmp(pair->name, name) == 0 || strcmp(pair->ratio, name) == 0 ||
		    strcmp(pair->base, name) == 0)
			return pair;
	}
	return NULL;
}

bool bench_metric_unit_is_known(const char *text)
{
	struct bench_unit unit;
	return bench_unit_parse(text, &unit) && strcmp(unit.si, text) == 0;
}
