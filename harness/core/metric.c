/* SPDX-License-Identifier: MIT */
#include "core/metric.h"

#include <stddef.h>
#include <string.h>

#include "core/unit.h"

static const struct bench_metric_spec known[] = {
	{"time", "s", BENCH_BETTER_LOWER, "end to end, of one iteration"},
	{"relative_time", "ratio", BENCH_BETTER_LOWER,
	 "time over that of the base variant, pair by pair of samples taken in turn"},
	{"device_time", "s", BENCH_BETTER_LOWER, "of one iteration, by the device's own clock"},
	{"latency", "s", BENCH_BETTER_NONE, "of one iteration alone, with nothing else in flight"},
	{"first_call", "s", BENCH_BETTER_NONE, "first iteration; programs were built already or cached"},
	{"first_call_compile", "s", BENCH_BETTER_NONE, "first iteration; compiled from source in it"},
	{"flop_rate", "FLOP/s", BENCH_BETTER_HIGHER, "floating-point operations a second"},
	{"bandwidth", "B/s", BENCH_BETTER_HIGHER, "bytes that must move, a second"},
	{"item_rate", "item/s", BENCH_BETTER_HIGHER, "items a second"},
	{"launch_overhead", "s", BENCH_BETTER_NONE, "latency less device_time"},
	{"peak_share", "ratio", BENCH_BETTER_HIGHER, "of what the device's ceilings allow"},
};

const struct bench_metric_spec *bench_metric_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

bool bench_metric_unit_is_known(const char *text)
{
	struct bench_unit unit;
	return bench_unit_parse(text, &unit) && strcmp(unit.si, text) == 0;
}
