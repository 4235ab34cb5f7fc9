/* SPDX-License-Identifier: MIT */
#include "app/doctor.h"

#include "backends/backends.h"
#include "core/text.h"
#include "store/store.h"
#include "suites/suites.h"

/* What the largest case of the nightly preset takes in the machine's memory; 0: no plan. */
static double largest_case_bytes(void)
{
	struct bench_plan *plan;
	struct bench_error error;
	double most = 0;
	/* The reference needs no driver, and its buffers are those of every backend on the CPU. */
	const struct bench_plan_options plan_options = {.suites = bench_suites,
							.backends = bench_backends,
							.backend_text = "reference",
							.preset = BENCH_PRESET_NIGHTLY};
	if (bench_plan_make(&plan_options, &plan, &error) != 0)
		return 0;
	for (size_t i = 0; i < plan->case_count; i++) {
		const struct bench_work *work = &plan->cases[i].work;
		double bytes = (double)work->device_bytes + (double)work->host_bytes;
		if (!plan->cases[i].unsupported && bytes > most)
			most = bytes;
	}
	bench_plan_free(plan);
	return most;
}

/* The history is another room's than the machine's fitness: it is looked at from here. */
static void look_at_history(const char *path, struct bench_fitness *fitness)
{
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_error error;
	int64_t bytes;
	bool there = false;
	struct bench_arena *arena = &fitness->arena;
	const char *shown = bench_store_shown(path, arena);
	struct bench_finding finding = {.name = "history"};
	BENCH_SCOPED_TEXT word = {0};
	char size[32];
	const bool usable = bench_store_find(path, &there, &error) == 0;
	if (usable && bench_store_open(path, BENCH_STORE_READ, &store, &error) != 0 &&
	    error.code == BENCH_NOTHING) {
		finding.found = bench_arena_format(arena, "there is no '%s' yet", shown);
	} else if (!usable) {
		finding.grade = BENCH_GRADE_BAD;
		finding.found = error.text;
		finding.cost = bench_arena_string(arena, "there is no history to keep runs in");
		finding.change = bench_arena_string(arena, "name another one (--db)");
	} else if (!store || bench_store_check(store, &error) != 0 ||
		   bench_store_size(store, &bytes, &error) != 0) {
		finding.grade = BENCH_GRADE_BAD;
		finding.found = error.text;
		finding.cost = bench_arena_string(arena, "runs are measured and not kept in the history");
		bench_text_add_shell(&word, shown);
		finding.change = bench_arena_string(
			arena, bench_store_is_server(path)
				       ? "see what is wrong ('bench db check')"
				       : "see what is damaged ('bench db check'), and save the rest:");
		if (!bench_store_is_server(path))
			finding.command = bench_arena_format(arena, "bench db repair --db %s", word.data);
	} else {
		bench_text_quantity(size, sizeof(size), (double)bytes, "B");
		finding.found = bench_arena_format(arena, "'%s' is whole, %s", shown, size);
	}
	bench_fitness_add(fitness, &finding);
}

int bench_app_doctor(const struct bench_app_places *places, struct bench_fitness *fitness,
		     struct bench_error *error)
{
	const struct bench_fitness_options look = {
		.backends = bench_backends,
		.outputs = {.runs_dir = places->runs_dir, .db = places->db},
		.memory_bytes = largest_case_bytes()};
	if (bench_fitness_check(&look, fitness, error) != 0)
		return -1;
	look_at_history(places->db, fitness);
	return 0;
}
