/* SPDX-License-Identifier: MIT */
/* The gate of a fleet: each class is judged as one machine. */
#include "app/alarms.h"
#include "app/compare.h"
#include "app/fleet.h"
#include "app/gate.h"

struct gating {
	struct bench_store *store;
	const char *db;
	size_t nights;
	bool hooked;
	const struct bench_app_line *line;
	const struct bench_compare_options *options;
	const struct bench_app_host *host;
};

static int compare(const struct gating *in, const struct bench_run *tonight,
		   struct bench_app_baseline *baseline, struct bench_app_fleet_verdicts *verdicts)
{
	bench_app_baseline_end_at_change(baseline, tonight, in->host);
	baseline->options.newest = in->nights;
	if (baseline->count < BENCH_COMPARE_ENOUGH_RUNS) {
		baseline->options.history = (const struct bench_run *const *)(uintptr_t)baseline->runs;
		baseline->options.history_count = baseline->count;
	}
	verdicts->nights = baseline->count;
	if (bench_app_baseline_compare(baseline, tonight, &verdicts->comparison, &verdicts->why) != 0)
		return -1;
	verdicts->undecided = bench_compare_gate_undecided(verdicts->comparison, 0.1,
							   baseline->count < BENCH_COMPARE_ENOUGH_RUNS);
	if (verdicts->group->is_past)
		return bench_app_alarms_tell(in->store, tonight, in->line, verdicts->comparison,
					     &verdicts->why);
	return bench_app_alarms_update(in->db, tonight, in->line, baseline->runs[0], NULL, in->hooked,
				       verdicts->comparison, &verdicts->why);
}

/* A group's night against those before it. */
static int judge(const struct gating *in, struct bench_run **nights,
		 struct bench_app_fleet_verdicts *verdicts, struct bench_error *error)
{
	struct bench_app_baseline baseline;
	if (bench_app_baseline_begin(in->store, in->line, nights[0], "the nights before", in->options,
				     &baseline, error) != 0)
		return -1;
	baseline.runs =
		bench_arena_alloc(&baseline.arena, verdicts->group->job_count, sizeof(*baseline.runs));
	for (size_t job = 1; job < verdicts->group->job_count; job++)
		if (nights[job]) {
			baseline.runs[baseline.count++] = nights[job];
			nights[job] = NULL;
		}
	if (baseline.count == 0) {
		bench_fail(&verdicts->why, BENCH_NOTHING, "this is the first night");
		verdicts->outcome = BENCH_OUTCOME_BEGUN;
	} else if (compare(in, nights[0], &baseline, verdicts) == 0) {
		verdicts->outcome = bench_compare_outcome(verdicts->comparison, 0);
		if (verdicts->outcome == BENCH_OUTCOME_GOOD)
			verdicts->outcome = bench_app_gate_undecided(&verdicts->undecided);
	} else {
		verdicts->outcome =
			verdicts->why.code == BENCH_NOTHING ? BENCH_OUTCOME_NOTHING : BENCH_OUTCOME_NOT_KEPT;
	}
	bench_app_baseline_free(&baseline);
	return 0;
}

static int judge_group(const struct gating *in, struct bench_app_fleet_verdicts *verdicts,
		       struct bench_error *error)
{
	const struct bench_app_fleet_group *group = verdicts->group;
	const struct bench_fleet_group runs = bench_app_fleet_runs(group);
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_run **nights = bench_arena_alloc(&arena, group->job_count, sizeof(*nights));
	int result = 0;
	if (group->tonight > 0) {
		bench_compare_fleet_nights(&runs, group->class, nights);
		result = judge(in, nights, verdicts, error);
	} else {
		bench_fail(&verdicts->why, BENCH_FAILED,
			   "the previous job had runs of this class; this one has none");
		verdicts->outcome = BENCH_OUTCOME_WRONG;
	}
	for (size_t job = 0; job < group->job_count; job++)
		bench_record_free(nights[job]);
	return result;
}

int bench_app_fleet_gate(struct bench_app_fleet *fleet, struct bench_store *store, const char *db,
			 size_t nights, bool hooked, const struct bench_compare_options *options,
			 const struct bench_app_host *host, struct bench_app_fleet_verdicts **verdicts,
			 struct bench_error *error)
{
	struct bench_compare_options shared = *options;
	const struct gating in = {.store = store,
				  .db = db,
				  .nights = nights,
				  .hooked = hooked,
				  .line = &fleet->line,
				  .options = &shared,
				  .host = host};
	shared.alpha /= (double)(fleet->group_count ? fleet->group_count : 1);
	*verdicts = bench_arena_alloc(&fleet->arena, fleet->group_count + 1, sizeof(**verdicts));
	for (size_t g = 0; g < fleet->group_count; g++) {
		(*verdicts)[g].group = &fleet->groups[g];
		if (judge_group(&in, &(*verdicts)[g], error) != 0)
			return -1;
	}
	return 0;
}

enum bench_outcome bench_app_fleet_outcome(const struct bench_app_fleet_verdicts *verdicts, size_t count)
{
	static const enum bench_outcome worst_first[] = {BENCH_OUTCOME_NOT_KEPT, BENCH_OUTCOME_WRONG,
							 BENCH_OUTCOME_SLOWER,   BENCH_OUTCOME_NOTHING,
							 BENCH_OUTCOME_UNCLEAR,  BENCH_OUTCOME_BEGUN};
	for (size_t o = 0; o < sizeof(worst_first) / sizeof(worst_first[0]); o++)
		for (size_t i = 0; i < count; i++)
			if (verdicts[i].outcome == worst_first[o])
				return worst_first[o];
	return BENCH_OUTCOME_GOOD;
}

void bench_app_fleet_gate_free(struct bench_app_fleet_verdicts *verdicts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bench_compare_free(verdicts[i].comparison);
}
