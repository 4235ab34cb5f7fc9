/* SPDX-License-Identifier: MIT */
/* A folder that a test may fill; cmocka's set-up and teardown. */
#ifndef BENCH_TESTS_SCRATCH_H
#define BENCH_TESTS_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static inline int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

/* *state: the path of an empty folder that is removed after the test. */
static inline int make_scratch(void **state)
{
	static char path[128];
	const char *base = getenv("TMPDIR");
	snprintf(path, sizeof(path), "%s/bench-test-XXXXXX", base && strlen(base) < 100 ? base : "/tmp");
	*state = mkdtemp(path);
	return *state ? 0 : -1;
}

static inline int remove_scratch(void **state)
{
	return nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#define in_scratch(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

#endif
