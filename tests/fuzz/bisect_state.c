/* SPDX-License-Identifier: MIT */
/* state.jsonl of `bench bisect`. Its first line is the search; corpus/bisect_state has the one of these
 * commits. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/bisect_state.h"
#include "fuzz.h"

enum { COMMITS = 4 };

static char hashes[COMMITS][41] = {
	"0000000000000000000000000000000000000000", "1111111111111111111111111111111111111111",
	"2222222222222222222222222222222222222222", "3333333333333333333333333333333333333333"};

/* Opens what is in the folder; *bisect can then be looked at. */
static int open_state(struct bench_app_bisect *bisect, struct bench_app_bisect_commit *commits, bool *skipped,
		      struct bench_error *error)
{
	static struct bench_app_bisect_request request = {
		.build = "make", .program = "build/bench", .threshold = 0.02};
	memset(commits, 0, COMMITS * sizeof(*commits));
	for (size_t i = 0; i < COMMITS; i++)
		commits[i].commit.hash = hashes[i];
	request.state = fuzz_path("bisect");
	*bisect = (struct bench_app_bisect){.request = &request,
					    .good = hashes[0],
					    .bad = hashes[COMMITS - 1],
					    .commits = commits,
					    .count = COMMITS,
					    .skipped = skipped,
					    .log = -1};
	int result = bench_app_bisect_open(bisect, "gemm", error);
	if (bisect->log >= 0)
		close(bisect->log);
	return result;
}

void fuzz_bisect_state(const uint8_t *data, size_t size)
{
	static bool made;
	struct bench_app_bisect_commit commits[COMMITS], again_commits[COMMITS];
	struct bench_app_bisect bisect, again;
	struct bench_error error = {0};
	bool skipped[COMMITS] = {0};
	if (!made)
		fuzz_make_folder(fuzz_path("bisect"));
	made = true;
	fuzz_write(fuzz_path("bisect/state.jsonl"), data, size);
	if (open_state(&bisect, commits, skipped, &error) == 0) {
		for (size_t i = 0; i < bisect.look_count; i++)
			FUZZ_CHECK(bisect.looks[i].base < bisect.looks[i].head &&
				   bisect.looks[i].head < COMMITS && bisect.looks[i].error > 0);
		for (size_t i = 0; i < bisect.case_count; i++)
			FUZZ_CHECK(bisect.cases[i].weight > 0 && bisect.cases[i].weight <= 1);
		FUZZ_CHECK(!skipped[0] && !skipped[COMMITS - 1]);
		/* What was left of it is read to the same. */
		if (open_state(&again, again_commits, skipped, &error) != 0)
			fuzz_fail("%s", error.text);
		FUZZ_CHECK(again.look_count == bisect.look_count && again.case_count == bisect.case_count);
		bench_arena_free(&again.arena);
	} else {
		FUZZ_CHECK(*error.text);
	}
	bench_arena_free(&bisect.arena);
}
