/* SPDX-License-Identifier: MIT */
/* What why.c uses; not for others. */
#ifndef BENCH_APP_WHY_INTERNAL_H
#define BENCH_APP_WHY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/why.h"

/* The lines that differ, as a unified diff without context; in `arena`; "" where nothing does. */
char *app_why_diff(struct bench_arena *arena, const char *base, const char *head);

struct app_why_mix {
	size_t instructions, vector;
};

/* Counts the instructions of a function, by what objdump prints. False: it says nothing of it. */
bool app_why_mix(const char *file, const char *function, struct app_why_mix *mix);
/* The same of its output. */
bool app_why_read_mix(const char *text, struct app_why_mix *mix);

struct app_why_facts {
	struct bench_arena *arena;
	struct bench_why_fact *list;
	size_t count;
};

/* Adds a fact; its texts are the caller's. */
void app_why_add(struct app_why_facts *facts, int place, const char *what, const char *brief,
		 const char *detail);
/* What differs in the kernels that the two sides launched, by the notes of a result. NULL is allowed. */
void app_why_kernels(struct app_why_facts *facts, const struct bench_result *result);
/*
 * Where two lists of "NAME NUMBER" differ, the largest change first: "ld.global.v4 4 -> 0, ld.global 0 ->
 * 16". *telling: something else than "other" does. In `arena`; "" where nothing does.
 */
char *app_why_compare(struct bench_arena *arena, const char *base, const char *head, bool *telling);

#endif
