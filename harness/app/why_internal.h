/* SPDX-License-Identifier: MIT */
/* What why.c uses; not for others. */
#ifndef BENCH_APP_WHY_INTERNAL_H
#define BENCH_APP_WHY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"

/* The lines that differ, as a unified diff without context; in `arena`; "" where nothing does. */
char *app_why_diff(struct bench_arena *arena, const char *base, const char *head);

struct app_why_mix {
	size_t instructions, vector;
};

/* Counts the instructions of a function, by what objdump prints. False: it says nothing of it. */
bool app_why_mix(const char *file, const char *function, struct app_why_mix *mix);
/* The same of its output. */
bool app_why_read_mix(const char *text, struct app_why_mix *mix);

#endif
