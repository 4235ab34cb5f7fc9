/* SPDX-License-Identifier: MIT */
#include "app/tune_duel.h"

#include <math.h>
#include <stdio.h>

#include "core/text.h"
#include "extend/extend.h"
#include "measure/worker/tuning.h"

/* What pairs can tell. */
#define THRESHOLD 0.01
#define ALPHA     0.01

/* What is measured, and the command that repeats it. */
static void make_request(struct bench_app_tune_duel *duel)
{
	struct bench_arena *arena = duel->arena;
	struct bench_app_request *request = &duel->request;
	char *rest = bench_arena_string(arena, duel->sets), *set;
	struct bench_text command = {0};
	*request = (struct bench_app_request){.cases = {.suites = &duel->suite,
							.suite_count = 1,
							.sets = duel->set_list,
							.preset = "quick"},
					      .places = duel->places,
					      .settings = {.pin = true},
					      .overrides = {.tuning = duel->base},
					      .budget_seconds = duel->budget,
					      .seed = 1,
					      .time_limit = BENCH_APP_TUNE_TIME_LIMIT};
	request->cases.backends =
		bench_arena_format(arena, "%s:%zu", duel->target->backend->name, duel->target->index);
	bench_text_add(&command, "bench duel");
	bench_extend_options(&command);
	bench_text_add_option(&command, "suite", duel->suite);
	bench_text_add_option(&command, "backend", request->cases.backends);
	bench_text_add_option(&command, "preset", request->cases.preset);
	bench_text_add_option(&command, "runs-dir", request->places.runs_dir);
	bench_text_add_option(&command, "db", bench_store_shown(request->places.db, arena));
	if (duel->budget > 0)
		bench_text_add_option(&command, "budget", bench_arena_format(arena, "%.3fs", duel->budget));
	while ((set = bench_text_next(&rest, ' '))) {
		if (!*set || request->cases.set_count == BENCH_APP_TUNE_MOST_SETS)
			continue;
		duel->set_list[request->cases.set_count++] = set;
		bench_text_add_option(&command, "set", set);
	}
	request->command = bench_text_keep(&command, arena);
}

/* Each side has its values before its name, and what brings the suite behind it. */
static int prepare(struct bench_app_tune_duel *duel, struct bench_error *error)
{
	struct bench_app_measure *measure = &duel->measure;
	struct bench_text extensions = {0};
	char *self;
	duel->duel.judging = (struct bench_duel_options){
		.threshold = THRESHOLD, .alpha = ALPHA, .floor = BENCH_COMPARE_FLOOR};
	make_request(duel);
	if (bench_app_duel_self(duel->arena, &self, error) != 0)
		return -1;
	bench_extend_options(&extensions);
	const char *bring = bench_text_keep(&extensions, duel->arena);
	const char *base =
		bench_arena_format(duel->arena, BENCH_TUNING_VARIABLE "=%s %s%s", duel->base, self, bring);
	const char *head =
		bench_arena_format(duel->arena, BENCH_TUNING_VARIABLE "=%s %s%s", duel->head, self, bring);
	if (bench_app_measure_plan(measure, &duel->request, duel->host, NULL, error) != 0 ||
	    bench_app_duel_meet(&duel->duel, &duel->request.cases, base, head, measure->plan, error) != 0 ||
	    bench_app_duel_enter(&duel->duel, "duel", measure, error) != 0)
		return -1;
	struct bench_run *run = measure->run;
	bench_app_duel_name_sides(&duel->duel, run);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside",
				   bench_arena_format(&run->arena, "tune %s", duel->what));
	measure->quiet = true;
	return bench_app_measure_open(measure, error);
}

static void say_outcome(const struct bench_app_tune_duel *duel)
{
	const struct bench_tune_ratio *all = &duel->outcome.all;
	char ratio[512] = "";
	if (duel->outcome.cases && !isnan(all->ratio))
		snprintf(ratio, sizeof(ratio),
			 "%.2f%% of the time of %s (%.2f%%..%.2f%%): ", 100 * all->ratio, duel->against,
			 100 * all->lo, 100 * all->hi);
	bench_app_note(duel->host, "%s: %s%s%s", duel->what, ratio,
		       duel->outcome.wins ? "chosen" : "not chosen: ", duel->outcome.reason);
}

static int judge(struct bench_app_tune_duel *duel, struct bench_error *error)
{
	const struct bench_run *run = duel->measure.run;
	const struct bench_plan *plan = duel->measure.plan;
	struct bench_error cause;
	size_t unsupported = 0;
	for (size_t i = 0; i < plan->case_count; i++)
		unsupported += plan->cases[i].unsupported != NULL;
	duel->outcome = (struct bench_tune_outcome){.all = {NAN, NAN, NAN}};
	if (bench_compare_duel(run, &duel->duel.judging, &duel->comparison, &cause) == 0) {
		bench_compare_tune_judge(run, duel->comparison, unsupported, &duel->outcome);
	} else if (cause.code == BENCH_NOTHING) {
		duel->outcome.reason = bench_arena_string(duel->arena, cause.text);
	} else {
		*error = cause;
		return -1;
	}
	say_outcome(duel);
	return 0;
}

int bench_app_tune_duel_measure(struct bench_app_tune_duel *duel, struct bench_error *error)
{
	struct bench_app_measure *measure = &duel->measure;
	int result = prepare(duel, error);
	if (result == 0) {
		bench_app_note(duel->host, "%s of %s:%s: against %s, %zu case%s, about %.0f s", duel->what,
			       duel->target->backend->name, duel->target->info.slug, duel->against,
			       measure->plan->case_count, bench_text_plural(measure->plan->case_count),
			       measure->run->budget_seconds);
		measure->bounded = false; /* what is left of the budget is shared anew after each */
		measure->insists = duel->least_pairs > 0;
		measure->least_invocations = duel->least_pairs;
		result = bench_app_measure_run(measure, error);
	}
	if (result == 0 && bench_app_measure_keep(measure) == BENCH_OUTCOME_NOT_KEPT)
		result = bench_fail(error, BENCH_ENVIRONMENT, "%s was measured, but could not be stored",
				    duel->what);
	/* A signal that came while the sides were asked has ended them, and not this. */
	duel->interrupted = *duel->host->stop || (result == 0 && measure->run->interrupted);
	if (duel->interrupted)
		return 0;
	return result == 0 ? judge(duel, error) : -1;
}

void bench_app_tune_duel_free(struct bench_app_tune_duel *duel)
{
	bench_compare_free(duel->comparison);
	bench_app_measure_free(&duel->measure);
	bench_app_duel_free(&duel->duel);
}
