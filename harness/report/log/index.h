/* SPDX-License-Identifier: MIT */
/*
 * The index of an experiment log, between two marker lines: by month one line per entry, linked to its
 * heading; by suite the entries with results of that suite. People may move the markers; by default they
 * stand above the first entry.
 */
#ifndef BENCH_REPORT_LOG_INDEX_H
#define BENCH_REPORT_LOG_INDEX_H

#include "core/text.h"

/*
 * Adds `text`, the text of a log, with a new index. All text outside the markers stays. Between them, lines
 * that are not part of an index stay above the list.
 */
void bench_log_add_indexed(const char *text, struct bench_text *out);

#endif
