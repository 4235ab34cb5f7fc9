/* SPDX-License-Identifier: MIT */
/*
 * Processes that are left behind: what a worker or a command has started, and that goes on when that has
 * ended, comes to be a child of the nearest ancestor that asked for it.
 */
#ifndef BENCH_CORE_CHILDREN_H
#define BENCH_CORE_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Asks for them. Not where this process has children already: those that whoever started it has left to it
 * are not ours to end, nor are theirs. */
void bench_children_adopt(void);

/* Kills and reaps every child but `known`, and those that come to be children by that. Does nothing unless
 * bench_children_adopt has asked for them. */
void bench_children_end(const pid_t *known, size_t count);

#endif
