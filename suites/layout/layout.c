/* SPDX-License-Identifier: MIT */
/*
 * Suite layout: the same records in memory, laid out in several ways, and what it costs to go
 * through them. docs/suites/layout.md says how to read it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/rng.h"
#include "suites/layout/records.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { FIELDS, COUNT, LAYOUT };

static const struct bench_param params[] = {
	[FIELDS] = BENCH_CHOICE("fields", "one", "one|all",
				"what is summed of each record: one of its fields, or all eight"),
	[COUNT] = BENCH_INT("count", "1000000", 1, (int64_t)1 << 30, "records"),
	/* In the order of enum bench_layout. */
	[LAYOUT] =
		BENCH_CHOICE("layout", "flat", "flat|arrays|nested|packed|aligned",
			     "structs; an array a field; structs of structs; without padding; 64 bytes each"),
	{.name = NULL},
};

static const char *const quick[] = {"fields=one count=100000 layout=flat,arrays,nested", NULL};
static const char *const nightly[] = {
	"fields=one,all count=100000,1000000 layout=flat,arrays,nested,packed,aligned", NULL};

struct state {
	struct bench_records records; /* the first: test_layout.c spoils it */
	uint64_t total;               /* of the sums since prepare */
};

/* Of the case's seed. */
enum { STREAM_FIELDS = 1 };

static enum bench_layout layout_of(const struct bench_case *bench_case)
{
	return (enum bench_layout)bench_case->values[LAYOUT].integer;
}

static bool is_all(const struct bench_case *bench_case)
{
	return strcmp(bench_case->values[FIELDS].text, "all") == 0;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)error;
	size_t count = (size_t)bench_case->values[COUNT].integer;
	work->items = (double)count;
	work->bytes =
		(double)count * (double)((is_all(bench_case) ? BENCH_RECORD_FIELDS : 1) * sizeof(uint32_t));
	work->host_bytes = bench_records_bytes(layout_of(bench_case), count) + sizeof(struct state);
	return 0;
}

static void draw(struct bench_rng *rng, uint32_t fields[BENCH_RECORD_FIELDS])
{
	for (size_t field = 0; field < BENCH_RECORD_FIELDS; field++)
		fields[field] = bench_rng_u32(rng);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_state_make(bench_case, sizeof(*state), "layout", error);
	if (!state)
		return -1;
	struct bench_records *records = &state->records;
	records->layout = layout_of(bench_case);
	records->count = (size_t)bench_case->values[COUNT].integer;
	size_t bytes = bench_records_bytes(records->layout, records->count);
	if (posix_memalign(&records->memory, 64, bytes)) {
		records->memory = NULL;
		return bench_fail(error, BENCH_NO_MEMORY, "layout: no host memory for records of %zu bytes",
				  bytes);
	}
	struct bench_rng rng;
	uint32_t fields[BENCH_RECORD_FIELDS];
	bench_rng_start(&rng, bench_case->seed, STREAM_FIELDS);
	for (size_t i = 0; i < records->count; i++) {
		draw(&rng, fields);
		bench_records_store(records, i, fields);
	}
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	state->total += bench_records_sum(&state->records, is_all(bench_case), iterations);
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	state->total = 0;
	return 0;
}

/* The sum from the seed, which knows no layout: random numbers of 32 bits leave no error unseen. */
static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)error;
	const struct state *state = bench_case->state;
	struct bench_rng rng;
	uint32_t fields[BENCH_RECORD_FIELDS], sum = 0;
	bench_rng_start(&rng, bench_case->seed, STREAM_FIELDS);
	for (size_t i = 0; i < state->records.count; i++) {
		draw(&rng, fields);
		for (size_t field = 0; field < BENCH_RECORD_FIELDS; field++)
			if (is_all(bench_case) || field == BENCH_RECORD_FIELD)
				sum += fields[field];
	}
	*check = (struct bench_check){.error = state->total == iterations * sum ? 0 : 1,
				      .method = "the sum of all iterations, exactly"};
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	free(state->records.memory);
	bench_state_free(bench_case);
}

const struct bench_suite bench_suite_layout = {
	.name = "layout",
	.summary = "records in memory: structs, arrays, nested, packed, aligned",
	.sweeps = {quick, nightly, NULL},
	.variants = "layout",
	.host_only = true,
	.prepare = prepare,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};
