/* SPDX-License-Identifier: MIT */
/* Reads what an entry is about from its text. */
#ifndef BENCH_REPORT_LOG_ITEM_H
#define BENCH_REPORT_LOG_ITEM_H

#include "report/log/log.h"
#include "report/log/reader.h"

/* `entry`: the text of the entry alone. All in `arena`. */
struct bench_log_item bench_log_item_of(const struct bench_log_place *place, const char *entry,
					struct bench_arena *arena);

/* The suites that the bold lines of Key Results name, each once, in `arena`. */
size_t bench_log_item_suites(const char *entry, struct bench_arena *arena, char ***suites);

#endif
