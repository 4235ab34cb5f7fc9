/*
 * The index of an experiment log, between two marker lines: by month a line an entry, linked to its heading;
 * by suite the entries that have results of it. It stands where people put the markers, else above the first
 * entry.
 */
#ifndef BENCH_REPORT_LOG_INDEX_H
#define BENCH_REPORT_LOG_INDEX_H

#include "core/text.h"

/*
 * Adds `text`, the text of a log, with its index made anew. All that is outside of the markers stays as it
 * is; of what is between them, lines that are no entry's stay, above the list.
 */
void bench_log_add_indexed(const char *text, struct bench_text *out);

#endif
