/* SPDX-License-Identifier: MIT */
#include "app/tune.h"

#include <math.h>

#include "app/runs.h"
#include "app/tune_duel.h"
#include "app/tune_kernel.h"
#include "app/tuning.h"
#include "app/turn.h"
#include "backends/backends.h"
#include "core/clock.h"
#include "core/text.h"
#include "suites/kernel/tune.h"

static int no_such_tunable(const char *pattern, const char *const *names, size_t count,
			   struct bench_error *error)
{
	BENCH_SCOPED_TEXT list = {0};
	const char *nearest = bench_text_nearest(pattern, names, count);

	for (size_t i = 0; i < count; i++)
		bench_text_add(&list, "%s%s", i ? ", " : "", names[i]);
	return bench_fail(error, BENCH_USAGE, "--only '%s': no tunable matches: there are %s%s%s%s", pattern,
			  list.data, BENCH_DID_YOU_MEAN(nearest));
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
	BENCH_PUSH(&tune->arena, item->tried, item->tried_count) =
		(struct bench_tune_tried){row->value, row->step};
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
	struct bench_app_tune_duel duel;
};

static int keep(const struct trial *trial, struct bench_store *store, struct bench_error *error)
{
	const struct bench_tune_outcome *outcome = &trial->duel.outcome;
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
		.run = bench_arena_string(&trial->tune->arena, trial->duel.measure.run->id),
	};
	if (bench_store_tuning_put(store, &row, 1, error) != 0)
		return -1;
	take_row(trial->tune, item, &row);
	return 0;
}

static int compete(struct trial *trial, struct bench_store *store, struct bench_error *error)
{
	struct bench_app_tune *tune = trial->tune;
	const struct bench_app_tune_item *item = trial->item;
	struct bench_app_tune_duel *duel = &trial->duel;
	*duel = (struct bench_app_tune_duel){
		.host = tune->host,
		.places = tune->request->places,
		.arena = &tune->arena,
		.suite = item->tunable->suite,
		.sets = item->tunable->sets,
		.target = item->target,
		.base = values_with(tune, item, NULL),
		.head = values_with(tune, item, &trial->value),
		.budget = trial->budget,
		.what = bench_arena_format(&tune->arena, "%s=%llu", item->tunable->name,
					   (unsigned long long)trial->value),
		.against = bench_arena_format(&tune->arena, "%llu", (unsigned long long)item->current)};
	int result = bench_app_tune_duel_measure(duel, error);
	tune->interrupted = duel->interrupted;
	if (result == 0 && !tune->interrupted)
		result = keep(trial, store, error);
	bench_app_tune_duel_free(duel);
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
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_tuning_query query = {.name = request->only};
	size_t some = 0;
	*tune = (struct bench_app_tune){0};
	*count = 0;
	if (request->backends && (request->kernel ? bench_app_tune_kernel_find
						  : bench_app_tune_find)(tune, request, host, error) != 0)
		return -1;
	if (request->kernel)
		query.name = bench_arena_format(&tune->arena, "%s@*", bench_kernel_tune_spec(0)->suite.name);
	query.fingerprint = bench_machine_environment_fingerprint(&tune->arena);
	if (bench_app_change_store(request->places.db, &store, error) != 0 ||
	    (!request->backends && bench_store_tuning_forget(store, &query, count, error) != 0))
		return -1;
	for (size_t i = 0; i < tune->target_count; i++) {
		query.backend = tune->targets[i].backend->name;
		query.device = tune->targets[i].info.slug;
		if (bench_store_tuning_forget(store, &query, &some, error) != 0)
			return -1;
		*count += some;
	}
	return *count > 0 ? 0
			  : bench_fail(error, BENCH_NOTHING,
				       "nothing to forget: no such measurement of this host is stored");
}

void bench_app_tune_free(struct bench_app_tune *tune)
{
	bench_arena_free(&tune->arena);
}
