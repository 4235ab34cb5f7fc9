/* SPDX-License-Identifier: MIT */
/* skipped.jsonl of `bench backfill`: any line may be damaged, and only commits of the range are skipped. */
#include <stdlib.h>
#include <string.h>

#include "app/backfill.h"
#include "fuzz.h"

enum { COMMITS = 2 };

static char hashes[COMMITS][41] = {"0000000000000000000000000000000000000000",
				   "1111111111111111111111111111111111111111"};

void fuzz_backfill(const uint8_t *data, size_t size)
{
	const struct bench_app_backfill_request request = {.build = "make"};
	struct bench_app_backfill_commit commits[COMMITS] = {{.commit = {.hash = hashes[0]}},
							     {.commit = {.hash = hashes[1]}}};
	char makes[] = "build/bench", cases[] = "0123456789abcdef";
	struct bench_app_backfill backfill = {
		.request = &request, .makes = makes, .cases = cases, .commits = commits, .count = COMMITS};
	char *bytes = malloc(size ? size : 1);
	if (!bytes)
		fuzz_fail("no memory");
	if (size)
		memcpy(bytes, data, size);
	bench_app_backfill_read_skipped(&backfill, bytes, size);
	for (size_t i = 0; i < COMMITS; i++)
		FUZZ_CHECK(!commits[i].skipped || strlen(commits[i].skipped) <= size);
	bench_arena_free(&backfill.arena);
	free(bytes);
}
