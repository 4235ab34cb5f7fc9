/* SPDX-License-Identifier: MIT */
/* Folders that compiled code is loaded from: they must be this user's alone. */
#ifndef BENCH_OPENCL_FOLDER_H
#define BENCH_OPENCL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where this program keeps what can be made again: $BENCH_CACHE_DIR, else $XDG_CACHE_HOME/bench, else
 * $HOME/.cache/bench. False: none of them is set, or the path is too long.
 */
bool bench_opencl_folder_own(char *out, size_t size);

/*
 * Opens the folder, and first makes it where it is missing (mode 0700, with its parents). -1 where that
 * fails, or where it is a symbolic link, another user's, or others may write in it. What is in such a folder
 * this user has put there, whoever may write in the folders above it: they can replace the folder, but not by
 * one that passes. The caller closes the descriptor.
 */
int bench_opencl_folder_open(const char *path);

/*
 * Gives PoCL a folder for its own cache where its default one cannot be used: without one it has no device,
 * and what lies there it loads as code. Sets POCL_CACHE_DIR unless the user has: to "pocl" in our own folder,
 * else to $TMPDIR/bench-UID/pocl (/tmp where TMPDIR is not set). To be called before PoCL is loaded. Returns
 * what the user should know of it, in static storage; "": nothing. *found: there is a folder.
 */
const char *bench_opencl_folder_for_pocl(bool *found);

#endif
