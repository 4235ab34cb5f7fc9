/* SPDX-License-Identifier: MIT */
/* Lines of words, broken where a terminal ends. */
#ifndef BENCH_REPORT_RENDER_WRAP_H
#define BENCH_REPORT_RENDER_WRAP_H

#include <stddef.h>

#include "core/text.h"

/*
 * Adds a line, and a newline behind it. Between words it is broken so that no line has more than `width`
 * columns (0: not limited), where its words allow: they are never cut. Further lines begin with `indent`
 * blanks.
 */
void bench_render_wrap(struct bench_text *out, const char *line, size_t width, size_t indent);

#endif
