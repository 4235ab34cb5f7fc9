/* SPDX-License-Identifier: MIT */
/*
 * Dates as ISO 8601 and git write them, read exactly: any other form, or a day that the calendar lacks, is
 * refused.
 *
 *     2026-11-20, 2026-11-20T17:30, 2026-11-20 17:30:00.123, 20261120T173000 (a decimal comma, too)
 *     with Z, UTC, GMT, +05:30, +0530 or +05 behind a time; without: UTC
 *     Fri Nov 20 17:30:00 2026 +0530, Fri, 20 Nov 2026 17:30:00 +0530 (git's own and RFC 2822)
 *     1795174200, 1795174200 +0530 (seconds since 1970, git's unix and raw)
 *
 * Pure.
 */
#ifndef BENCH_CORE_DATE_H
#define BENCH_CORE_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970, UTC; parts of a second are cut off. false: it is no date from 1970 to 9999. */
bool bench_date_parse(const char *text, int64_t *seconds);

#endif
