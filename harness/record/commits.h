/* SPDX-License-Identifier: MIT */
/* The changes between two commits, for people. */
#ifndef BENCH_RECORD_COMMITS_H
#define BENCH_RECORD_COMMITS_H

#include <stddef.h>

/* Texts are from outside. */
struct bench_commits {
	const char *base, *head; /* as records name them */
	const char *unknown;     /* why the rest is unknown; NULL: it is known */
	char **commits;          /* "4af884b1c2d3 Wider tiles", newest first: the first few */
	size_t commit_count, commits_in_all;
	size_t left_behind; /* commits of the base that the head does not have */
	char **files;       /* "kernels/gemm.cl +10 -3", the most changed first: the first few */
	size_t file_count, files_in_all;
};

#endif
