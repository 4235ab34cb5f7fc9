/* SPDX-License-Identifier: MIT */
/*
 * Units of measurement as people and tools write them: one grammar for imports, descriptions of commands and
 * series.
 *
 *     UNIT     = AMOUNT | AMOUNT PER AMOUNT | a rate's abbreviation ("GFLOPS", "Mbps", "fps")
 *     AMOUNT   = [PREFIX] BASE
 *     PER      = "/" | " per " | "_per_"
 *
 * "per" is followed by a duration (a rate), an operation (which is dropped: "ns/op" is a time), or anything
 * else that is counted ("ns/item"). Nothing is guessed: a text with two meanings, such as "mb" or "GFLOPs",
 * is unknown. Pure functions.
 */
#ifndef BENCH_CORE_UNIT_H
#define BENCH_CORE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/metric.h"

struct bench_unit {
	char si[48]; /* "s", "B", "B/s", "FLOP/s", "item/s", "bit/s", "J", "share", "ratio", "count" ... */
	double times, over;       /* a value in SI is value * times / over: exact for powers of ten */
	enum bench_better better; /* what the unit itself states: less of a duration, more work a second */
	/* What names the quantity where nothing else does, whatever its prefix: "time", "op_per_s", "B". */
	char name[48];
};

/* The unit that the text is; false: it is not known, and *unit is not changed. */
bool bench_unit_parse(const char *text, struct bench_unit *unit);

/*
 * The unit that the name of a column or a member states: "time [ms]" and "time (ms)" in brackets, "time_ms",
 * "timeMs", "tokens_per_s", "throughput_mb_s" at its end, "ops/s" as the whole. Outside of brackets letters
 * may be of any case, and "mb" is a megabyte. *stem: how much of the name is left to name the quantity (0:
 * nothing). false: none is stated, or it has two meanings ("reads_s": seconds, or a rate?).
 */
bool bench_unit_of_name(const char *name, size_t *stem, struct bench_unit *unit);

#endif
