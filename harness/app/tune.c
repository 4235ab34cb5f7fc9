/* SPDX-License-Identifier: MIT */
#include "app/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/duel.h"
#include "app/runs.h"
#include "app/tuning.h"
#include "app/turn.h"
#include "backends/backends.h"
#include "core/clock.h"
#include "core/text.h"

/* Of the duels: what pairs can tell. */
#define THRESHOLD  0.01
#define ALPHA      0.01
#define TIME_LIMIT 120 /* seconds a case may hang */

#define MOST_SETS 24 /* of a tunable */

static int no_such_tunable(const char *pattern, const char *const *names, size_t count,
			   struct bench_error *error)
{
	struct bench_text list = {0};
	const char *nearest = bench_text_nearest(pattern, names, count);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&list, "%s%s", i ? ", " : "", names[i]);
	bench_fail(error, BENCH_USAGE, "--only '%s': no tunable matches: there are %s%s%s%s", pattern,
		   list.data, BENCH_DID_YOU_MEAN(nearest));
	bench_text_free(&list);
	return -1;
}

/* A pattern that is no name of any backend is a mistake, and not a device that lacks something. */
static int check_only(const char *only, struct bench_error *error)
{
	const char *names[64];
	size_t count = 0;
	bool found = false;
	for (size_t b = 0; bench_backends[b]; b++)
		for (const struct bench_tunable *t = bench_backends[b]->tunables; t && t->name; t++) {
			found |= bench_text_match(only, t->name);
			if (count < sizeof(names) / sizeof(names[0]))
				names[count++] = t->name;
		}
	return found || count == 0 ? 0 : no_such_tunable(only, names, count, error);
}

static void add_items(struct bench_app_tune *tune, const struct bench_target *target, const char *only,
		      size_t *selected)
{
	for (const struct bench_tunable *t = target->backend->tunables; t && t->name; t++) {
		if (t->kind != target->info.kind)
			continue;
		struct bench_app_tune_item *item =
			bench_arena_push(&tune->arena, &tune->items, &tune->item_count, sizeof(*item));
		*item = (struct bench_app_tune_item){.target = target,
						     .tunable = t,
						     .selected = bench_text_match(only, t->name),
						     .current = t->fallback,
						     .gain = {1, 1, 1},
						     .run = ""};
		*selected += item->selected;
	}
}

int bench_app_tune_find(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
			const struct bench_app_host *host, struct bench_error *error)
{
	static const struct bench_settings settings = {.pin = true};
	const char *only = request->only ? request->only : "*", *missing = NULL;
	size_t selected = 0;
	*tune = (struct bench_app_tune){.request = request, .host = host};
	/* A device's driver may say whether threads are pinned: as a run without further options has it. */
	bench_machine_settings_apply(&settings);
	if (check_only(only, error) != 0 ||
	    bench_plan_target_resolve(bench_backends, request->backends, &tune->arena, &tune->targets,
				      &tune->target_count, error) != 0)
		return -1;
	tune->fingerprint = bench_machine_environment_fingerprint(&tune->arena);
	for (size_t i = 0; i < tune->target_count; i++) {
		const struct bench_target *target = &tune->targets[i];
		if (target->unavailable)
			missing = missing ? missing : target->unavailable;
		/* What is found for one of two equal devices holds for the other. */
		else if (bench_app_tuning_slug(tune->targets, i) == target->info.slug)
			add_items(tune, target, only, &selected);
	}
	if (selected)
		return 0;
	return bench_fail(error, BENCH_NOTHING,
			  "nothing to tune: no device that is selected has a tunable%s%s%s%s%s",
			  request->only ? " that matches '" : "", request->only ? only : "",
			  request->only ? "'" : "", missing ? "; " : "", missing ? missing : "");
}

static struct bench_tuning_query query_of(const struct bench_app_tune *tune,
					  const struct bench_app_tune_item *item)
{
	return (struct bench_tuning_query){.fingerprint = tune->fingerprint,
					   .backend = item->target->backend->name,
					   .device = item->target->info.slug,
					   .driver = item->target->info.driver,
					   .name = item->tunable->name};
}

static void take_row(struct bench_app_tune *tune, struct bench_app_tune_item *item,
		     const struct bench_tuning_row *row)
{
	struct bench_tune_tried *tried =
		bench_arena_push(&tune->arena, &item->tried, &item->tried_count, sizeof(*tried));
	*tried = (struct bench_tune_tried){row->value, row->step};
	if (!row->chosen || !bench_worker_tuning_has(item->tunable, row->value))
		return;
	item->current = row->value;
	item->gain = (struct bench_tune_ratio){row->ratio, row->lo, row->hi};
	item->run = row->run;
}

int bench_app_tune_recall(struct bench_app_tune *tune, struct bench_store *store, struct bench_error *error)
{
	const struct bench_tuning_query all = {.fingerprint = tune->fingerprint};
	struct bench_tuning_row *rows;
	size_t count;
	if (bench_store_tuning(store, &all, &tune->arena, &rows, &tune->rows, error) != 0)
		return -1;
	for (size_t i = 0; i < tune->item_count; i++) {
		const struct bench_tuning_query query = query_of(tune, &tune->items[i]);
		if (bench_store_tuning(store, &query, &tune->arena, &rows, &count, error) != 0)
			return -1;
		for (size_t r = 0; r < count; r++)
			take_row(tune, &tune->items[i], &rows[r]);
	}
	return 0;
}

int bench_app_tune_restart(struct bench_app_tune *tune, struct bench_store *store, struct bench_error *error)
{
	size_t count;
	for (size_t i = 0; i < tune->item_count; i++) {
		const struct bench_tuning_query query = query_of(tune, &tune->items[i]);
		if (tune->items[i].selected && bench_store_tuning_forget(store, &query, &count, error) != 0)
			return -1;
	}
	return 0;
}

size_t bench_app_tune_item_left(const struct bench_app_tune_item *item, uint64_t *next)
{
	const struct bench_tune_search search = {
		item->tunable->values, item->tunable->value_count, item->tunable->fallback, item->current,
		item->tried,           item->tried_count};
	return bench_compare_tune_left(&search, next);
}

/* The values of all tunables of a device, with `value` for the item; NULL: its current one. */
static char *values_with(struct bench_app_tune *tune, const struct bench_app_tune_item *item,
			 const uint64_t *value)
{
	struct bench_text list = {0};
	for (size_t i = 0; i < tune->item_count; i++) {
		const struct bench_app_tune_item *other = &tune->items[i];
		if (other->target == item->target)
			bench_app_tuning_add(&list, other->tunable,
					     other == item && value ? *value : other->current);
	}
	return bench_text_keep(&list, &tune->arena);
}

/* One candidate against the current value. */
struct trial {
	struct bench_app_tune *tune;
	struct bench_app_tune_item *item;
	uint64_t value;
	double budget; /* in whole milliseconds; 0: a duel's own */
	const char *suite, *sets[MOST_SETS];
	struct bench_app_request request;
	struct bench_app_measure measure;
	struct bench_app_duel duel;
};

/* What is measured, and the command that repeats it. */
static void make_request(struct trial *trial, const char *current)
{
	struct bench_app_tune *tune = trial->tune;
	struct bench_arena *arena = &tune->arena;
	const struct bench_app_tune_item *item = trial->item;
	struct bench_app_request *request = &trial->request;
	char *rest = bench_arena_string(arena, item->tunable->sets), *set;
	struct bench_text command = {0};
	trial->suite = item->tunable->suite;
	*request = (struct bench_app_request){
		.cases = {.suites = &trial->suite, .suite_count = 1, .sets = trial->sets, .preset = "quick"},
		.places = tune->request->places,
		.settings = {.pin = true},
		.overrides = {.tuning = current},
		.budget_seconds = trial->budget,
		.seed = 1,
		.time_limit = TIME_LIMIT};
	request->cases.backends =
		bench_arena_format(arena, "%s:%zu", item->target->backend->name, item->target->index);
	bench_text_add(&command, "bench duel");
	bench_text_add_option(&command, "suite", trial->suite);
	bench_text_add_option(&command, "backend", request->cases.backends);
	bench_text_add_option(&command, "preset", request->cases.preset);
	bench_text_add_option(&command, "runs-dir", request->places.runs_dir);
	bench_text_add_option(&command, "db", bench_store_shown(request->places.db, arena));
	if (trial->budget > 0)
		bench_text_add_option(&command, "budget", bench_arena_format(arena, "%.3fs", trial->budget));
	while ((set = bench_text_next(&rest, ' '))) {
		if (!*set || request->cases.set_count == MOST_SETS)
			continue;
		trial->sets[request->cases.set_count++] = set;
		bench_text_add_option(&command, "set", set);
	}
	request->command = bench_text_keep(&command, arena);
}

/* A duel of this executable with itself; each side has its values before its name. */
static int prepare(struct trial *trial, struct bench_error *error)
{
	struct bench_app_tune *tune = trial->tune;
	struct bench_app_measure *measure = &trial->measure;
	const char *current = values_with(tune, trial->item, NULL);
	char *self;
	trial->duel.judging = (struct bench_duel_options){
		.threshold = THRESHOLD, .alpha = ALPHA, .floor = BENCH_COMPARE_FLOOR};
	make_request(trial, current);
	if (bench_app_duel_self(&tune->arena, &self, error) != 0)
		return -1;
	const char *base = bench_arena_format(&tune->arena, BENCH_TUNING_VARIABLE "=%s %s", current, self);
	const char *head = bench_arena_format(&tune->arena, BENCH_TUNING_VARIABLE "=%s %s",
					      values_with(tune, trial->item, &trial->value), self);
	if (bench_app_measure_plan(measure, &trial->request, tune->host, NULL, error) != 0 ||
	    bench_app_duel_meet(&trial->duel, &trial->request.cases, base, head, measure->plan, error) != 0 ||
	    bench_app_duel_enter(&trial->duel, "duel", measure, error) != 0)
		return -1;
	struct bench_run *run = measure->run;
	bench_app_duel_name_sides(&trial->duel, run);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside",
				   bench_arena_format(&run->arena, "tune %s=%llu", trial->item->tunable->name,
						      (unsigned long long)trial->value));
	measure->quiet = true;
	return bench_app_measure_open(measure, error);
}

static void say_outcome(const struct trial *trial, const struct bench_tune_outcome *outcome)
{
	const struct bench_tune_ratio *all = &outcome->all;
	char ratio[160] = "";
	if (outcome->cases && !isnan(all->ratio))
		snprintf(ratio, sizeof(ratio),
			 "%.2f%% of the time of %llu (%.2f%%..%.2f%%): ", 100 * all->ratio,
			 (unsigned long long)trial->item->current, 100 * all->lo, 100 * all->hi);
	bench_app_note(trial->tune->host, "%s=%llu: %s%s%s", trial->item->tunable->name,
		       (unsigned long long)trial->value, ratio,
		       outcome->wins ? "chosen" : "not chosen: ", outcome->reason);
}

static int keep(const struct trial *trial, struct bench_store *store,
		const struct bench_tune_outcome *outcome, struct bench_error *error)
{
	struct bench_app_tune_item *item = trial->item;
	const struct bench_tune_ratio *step = &outcome->all;
	const struct bench_tune_ratio total =
		isnan(step->ratio) ? *step : bench_compare_tune_chain(&item->gain, step);
	const struct bench_tuning_row row = {
		.fingerprint = trial->tune->fingerprint,
		.backend = item->target->backend->name,
		.device = item->target->info.slug,
		.driver = item->target->info.driver,
		.name = item->tunable->name,
		.value = trial->value,
		.base = item->current,
		.step = step->ratio,
		.step_lo = step->lo,
		.step_hi = step->hi,
		.ratio = total.ratio,
		.lo = total.lo,
		.hi = total.hi,
		.chosen = outcome->wins,
		.run = bench_arena_string(&trial->tune->arena, trial->measure.run->id),
	};
	if (bench_store_tuning_put(store, &row, error) != 0)
		return -1;
	take_row(trial->tune, item, &row);
	return 0;
}

static int judge(const struct trial *trial, struct bench_store *store, struct bench_error *error)
{
	const struct bench_run *run = trial->measure.run;
	const struct bench_plan *plan = trial->measure.plan;
	struct bench_comparison *comparison = NULL;
	struct bench_tune_outcome outcome = {.all = {NAN, NAN, NAN}};
	struct bench_error cause;
	size_t unsupported = 0;
	for (size_t i = 0; i < plan->case_count; i++)
		unsupported += plan->cases[i].unsupported != NULL;
	if (bench_compare_duel(run, &trial->duel.judging, &comparison, &cause) == 0) {
		bench_compare_tune_judge(run, comparison, unsupported, &outcome);
	} else if (cause.code == BENCH_NOTHING) {
		outcome.reason = cause.text;
	} else {
		*error = cause;
		return -1;
	}
	say_outcome(trial, &outcome);
	int result = keep(trial, store, &outcome, error);
	bench_compare_free(comparison);
	return result;
}

static int compete(struct trial *trial, struct bench_store *store, struct bench_error *error)
{
	struct bench_app_tune *tune = trial->tune;
	struct bench_app_measure *measure = &trial->measure;
	int result = prepare(trial, error);
	if (result == 0) {
		bench_app_note(tune->host, "%s of %s:%s: %llu against %llu, %zu case%s, about %.0f s",
			       trial->item->tunable->name, trial->item->target->backend->name,
			       trial->item->target->info.slug, (unsigned long long)trial->value,
			       (unsigned long long)trial->item->current, measure->plan->case_count,
			       bench_text_plural(measure->plan->case_count), measure->run->budget_seconds);
		measure->bounded = false; /* what is left of the budget is shared anew after each */
		result = bench_app_measure_run(measure, error);
	}
	if (result == 0 && bench_app_measure_keep(measure) == BENCH_OUTCOME_NOT_KEPT)
		result = bench_fail(error, BENCH_ENVIRONMENT, "%s=%llu was measured, but could not be stored",
				    trial->item->tunable->name, (unsigned long long)trial->value);
	/* A signal that came while the sides were asked has ended them, and not this. */
	tune->interrupted = *tune->host->stop || (result == 0 && measure->run->interrupted);
	if (tune->interrupted)
		result = 0;
	else if (result == 0)
		result = judge(trial, store, error);
	bench_app_measure_free(measure);
	bench_app_duel_free(&trial->duel);
	return result;
}

/* Candidates that are left, of all selected items. */
static size_t count_left(const struct bench_app_tune *tune)
{
	size_t left = 0;
	uint64_t next;
	for (size_t i = 0; i < tune->item_count; i++)
		left += tune->items[i].selected ? bench_app_tune_item_left(&tune->items[i], &next) : 0;
	return left;
}

int bench_app_tune_measure(struct bench_app_tune *tune, struct bench_store *store, double budget,
			   struct bench_error *error)
{
	double start, waited;
	size_t to_measure = count_left(tune);
	int result = to_measure ? bench_app_turn_take(tune->request->wait_seconds, "bench tune", tune->host,
						      &waited, error)
				: 0;
	start = bench_clock_seconds();
	if (result != 0)
		return -1;
	if (to_measure)
		bench_app_note(tune->host, "%zu candidate%s to measure, or fewer", to_measure,
			       bench_text_plural(to_measure));
	else
		bench_app_note(tune->host,
			       "all candidates were measured before; --restart measures them again");
	for (size_t i = 0; i < tune->item_count; i++) {
		struct trial trial = {.tune = tune, .item = &tune->items[i]};
		while (result == 0 && !tune->interrupted && trial.item->selected &&
		       bench_app_tune_item_left(trial.item, &trial.value)) {
			size_t left = count_left(tune);
			double share = (budget - (bench_clock_seconds() - start)) / (double)left;
			if (budget > 0 && !(share > 0)) {
				bench_app_note(tune->host,
					       "the budget is used up, with %zu candidate%s left: 'bench "
					       "tune' again goes on with them",
					       left, bench_text_plural(left));
				return 0;
			}
			trial.budget = budget > 0 ? fmax(round(1e3 * share), 1) / 1e3 : 0;
			result = compete(&trial, store, error);
			trial = (struct trial){.tune = tune, .item = &tune->items[i]};
		}
	}
	return result;
}

int bench_app_tune_forget(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
			  const struct bench_app_host *host, size_t *count, struct bench_error *error)
{
	const char *db = request->places.db;
	struct bench_store *store = NULL;
	struct bench_tuning_query query = {.name = request->only};
	size_t some = 0;
	int result = 0;
	*tune = (struct bench_app_tune){0};
	*count = 0;
	if (request->backends && bench_app_tune_find(tune, request, host, error) != 0)
		return -1;
	query.fingerprint = bench_machine_environment_fingerprint(&tune->arena);
	if (bench_app_change_store(db, &store, error) != 0)
		return -1;
	if (!request->backends)
		result = bench_store_tuning_forget(store, &query, count, error);
	for (size_t i = 0; i < tune->target_count && result == 0; i++) {
		query.backend = tune->targets[i].backend->name;
		query.device = tune->targets[i].info.slug;
		result = bench_store_tuning_forget(store, &query, &some, error);
		*count += some;
	}
	bench_store_close(store);
	if (result == 0 && *count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "nothing to forget: no such measurement of this host is stored");
	return result;
}

void bench_app_tune_free(struct bench_app_tune *tune)
{
	bench_arena_free(&tune->arena);
}
