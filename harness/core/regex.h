/* SPDX-License-Identifier: MIT */
/* Regular expressions that people give: POSIX's extended ones, of a size that is known before they are
 * compiled. Pure functions. */
#ifndef BENCH_CORE_REGEX_H
#define BENCH_CORE_REGEX_H

#include <regex.h>
#include <stddef.h>

/*
 * regcomp with REG_EXTENDED and `flags`. glibc writes repetitions out, x+ as xx* and x{9} as nine x, and
 * those of repetitions multiply: a few dozen characters take all memory. So an expression of more than
 * BENCH_REGEX_MOST elements, written out, is refused, as is one with very deep groups. 0, or -1 with the
 * reason in `why`; `out` is the caller's, for regfree, where it is 0.
 */
#define BENCH_REGEX_MOST 2000
int bench_regex_compile(regex_t *out, const char *text, int flags, char *why, size_t size);

#endif
