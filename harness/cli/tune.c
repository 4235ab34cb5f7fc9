#include "cli/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "cli/contest.h"
#include "cli/tuning.h"
#include "core/clock.h"

/* Of the contests: what pairs can tell. */
#define THRESHOLD 0.01
#define ALPHA     0.01

#define MOST_ARGUMENTS 32

/* A contest is planned as a duel is, and its record says the command that repeats it. */
static const struct cli_option contest_options[] = {CLI_OPTIONS_MEASURING, {0}};
static const struct cli_verb contest_verb = {.name = "duel", .options = contest_options};

static double now(void)
{
	return (double)bench_clock_real.now_ns(bench_clock_real.context) * 1e-9;
}

static int no_such_tunable(const char *pattern, const char *const *names, size_t count,
			   struct bench_error *error)
{
	struct bench_text list = {0};
	const char *nearest = bench_text_nearest(pattern, names, count);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&list, "%s%s", i ? ", " : "", names[i]);
	bench_fail(error, BENCH_USAGE, "--only '%s': no tunable matches: there are %.600s%s%s%s", pattern,
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

static void add_items(struct cli_tune *tune, const struct bench_target *target, const char *only,
		      size_t *selected)
{
	for (const struct bench_tunable *t = target->backend->tunables; t && t->name; t++) {
		if (t->kind != target->info.kind)
			continue;
		struct cli_tune_item *item =
			bench_arena_push(&tune->arena, &tune->items, &tune->item_count, sizeof(*item));
		*item = (struct cli_tune_item){.target = target,
					       .tunable = t,
					       .selected = bench_text_match(only, t->name),
					       .current = t->fallback,
					       .gain = {1, 1, 1},
					       .run = ""};
		*selected += item->selected;
	}
}

/* A device's driver may say whether threads are pinned: as a run without further options has it. */
static void apply_settings(void)
{
	const struct bench_settings settings = {.pin = true};
	struct bench_run *unused = bench_run_new();
	bench_settings_apply(&settings, unused);
	bench_run_free(unused);
}

int cli_tune_find(const struct cli_args *args, struct cli_tune *tune, struct bench_error *error)
{
	const char *only = cli_value(args, "only", "*"), *missing = NULL;
	size_t selected = 0;
	*tune = (struct cli_tune){.args = args};
	apply_settings();
	if (check_only(only, error) != 0 ||
	    bench_target_resolve(bench_backends, cli_value(args, "backend", NULL), &tune->arena,
				 &tune->targets, &tune->target_count, error) != 0)
		return -1;
	tune->fingerprint = cli_host_fingerprint(&tune->arena);
	for (size_t i = 0; i < tune->target_count; i++) {
		const struct bench_target *target = &tune->targets[i];
		if (target->unavailable)
			missing = missing ? missing : target->unavailable;
		/* What is found for one of two equal devices holds for the other. */
		else if (cli_tuning_slug(tune->targets, i) == target->info.slug)
			add_items(tune, target, only, &selected);
	}
	if (selected)
		return 0;
	return bench_fail(error, BENCH_NOTHING,
			  "nothing to tune: no device that is selected has a tunable%s%s%s%s%.400s",
			  cli_given(args, "only") ? " that matches '" : "",
			  cli_given(args, "only") ? only : "", cli_given(args, "only") ? "'" : "",
			  missing ? "; " : "", missing ? missing : "");
}

static struct bench_tuning_query query_of(const struct cli_tune *tune, const struct cli_tune_item *item)
{
	return (struct bench_tuning_query){.fingerprint = tune->fingerprint,
					   .backend = item->target->backend->name,
					   .device = item->target->info.slug,
					   .driver = item->target->info.driver,
					   .name = item->tunable->name};
}

static void take_row(struct cli_tune *tune, struct cli_tune_item *item, const struct bench_tuning_row *row)
{
	struct bench_tune_tried *tried =
		bench_arena_push(&tune->arena, &item->tried, &item->tried_count, sizeof(*tried));
	*tried = (struct bench_tune_tried){row->value, row->step};
	if (!row->chosen || !bench_tuning_has(item->tunable, row->value))
		return;
	item->current = row->value;
	item->gain = (struct bench_tune_ratio){row->ratio, row->lo, row->hi};
	item->run = row->run;
}

int cli_tune_recall(struct cli_tune *tune, struct bench_store *store, struct bench_error *error)
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

int cli_tune_restart(struct cli_tune *tune, struct bench_store *store, struct bench_error *error)
{
	size_t count;
	for (size_t i = 0; i < tune->item_count; i++) {
		const struct bench_tuning_query query = query_of(tune, &tune->items[i]);
		if (tune->items[i].selected && bench_store_tuning_forget(store, &query, &count, error) != 0)
			return -1;
	}
	return 0;
}

size_t cli_tune_item_left(const struct cli_tune_item *item, uint64_t *next)
{
	const struct bench_tune_search search = {
		item->tunable->values, item->tunable->value_count, item->tunable->fallback, item->current,
		item->tried,           item->tried_count};
	return bench_compare_tune_left(&search, next);
}

/* The values of all of a device's tunables, with `value` for that of the item; NULL: its current one. */
static char *values_with(struct cli_tune *tune, const struct cli_tune_item *item, const uint64_t *value)
{
	struct bench_text list = {0};
	for (size_t i = 0; i < tune->item_count; i++) {
		const struct cli_tune_item *other = &tune->items[i];
		if (other->target == item->target)
			cli_tuning_add(&list, other->tunable,
				       other == item && value ? *value : other->current);
	}
	char *text = bench_arena_string(&tune->arena, list.data ? list.data : "");
	bench_text_free(&list);
	return text;
}

/* One candidate against the current value. */
struct trial {
	struct cli_tune *tune;
	struct cli_tune_item *item;
	uint64_t value;
	double budget; /* seconds; 0: a contest's own */
	struct cli_args args;
	struct cli_measuring measuring;
	struct cli_contest contest;
};

static int parse_arguments(struct trial *trial, struct bench_error *error)
{
	struct bench_arena *arena = &trial->tune->arena;
	const struct cli_args *args = trial->tune->args;
	const struct cli_tune_item *item = trial->item;
	char *given[MOST_ARGUMENTS], *rest = bench_arena_string(arena, item->tunable->sets), *set;
	int count = 0;
	given[count++] = bench_arena_format(arena, "--suite=%s", item->tunable->suite);
	given[count++] = bench_arena_format(arena, "--backend=%s:%zu", item->target->backend->name,
					    item->target->index);
	given[count++] = bench_arena_string(arena, "--preset=quick");
	given[count++] = bench_arena_format(arena, "--runs-dir=%s", cli_value(args, "runs-dir", "runs"));
	given[count++] = bench_arena_format(arena, "--db=%s", cli_value(args, "db", "results.db"));
	if (trial->budget > 0)
		given[count++] = bench_arena_format(arena, "--budget=%.3fs", trial->budget);
	while ((set = bench_text_next(&rest, ' ')))
		if (*set && count < MOST_ARGUMENTS)
			given[count++] = bench_arena_format(arena, "--set=%s", set);
	return cli_parse(&contest_verb, count, given, &trial->args, error);
}

/* Both sides inherit the environment, in which the current values are; each has its own before its name. */
static int prepare(struct trial *trial, struct bench_error *error)
{
	struct cli_tune *tune = trial->tune;
	struct cli_measuring *measuring = &trial->measuring;
	const char *current = values_with(tune, trial->item, NULL);
	char *self;
	trial->contest.judging = (struct bench_duel_options){.threshold = THRESHOLD, .alpha = ALPHA};
	setenv(BENCH_TUNING_VARIABLE, current, 1);
	if (cli_contest_self(&tune->arena, &self, error) != 0)
		return -1;
	const char *base = bench_arena_format(&tune->arena, BENCH_TUNING_VARIABLE "=%s %s", current, self);
	const char *head = bench_arena_format(&tune->arena, BENCH_TUNING_VARIABLE "=%s %s",
					      values_with(tune, trial->item, &trial->value), self);
	if (parse_arguments(trial, error) != 0 ||
	    cli_measuring_plan(&trial->args, NULL, measuring, error) != 0 ||
	    cli_contest_meet(&trial->contest, &trial->args, base, head, measuring->plan, error) != 0 ||
	    cli_contest_enter(&trial->contest, measuring, error) != 0)
		return -1;
	struct bench_run *run = measuring->run;
	cli_contest_name_sides(&trial->contest, run);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, "aside",
		       bench_arena_format(&run->arena, "tune %s=%llu", trial->item->tunable->name,
					  (unsigned long long)trial->value));
	measuring->quiet = true;
	return cli_measuring_open(measuring, error);
}

static void say_outcome(const struct trial *trial, const struct bench_tune_outcome *outcome)
{
	const struct bench_tune_ratio *all = &outcome->all;
	fprintf(stderr, "bench: %s=%llu: ", trial->item->tunable->name, (unsigned long long)trial->value);
	if (outcome->cases && !isnan(all->ratio))
		fprintf(stderr, "%.2f%% of the time of %llu (%.2f%%..%.2f%%): ", 100 * all->ratio,
			(unsigned long long)trial->item->current, 100 * all->lo, 100 * all->hi);
	fprintf(stderr, "%s%s\n", outcome->wins ? "chosen" : "not chosen: ", outcome->reason);
}

static int keep(const struct trial *trial, struct bench_store *store,
		const struct bench_tune_outcome *outcome, struct bench_error *error)
{
	struct cli_tune_item *item = trial->item;
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
		.run = bench_arena_string(&trial->tune->arena, trial->measuring.run->id),
	};
	if (bench_store_tuning_put(store, &row, error) != 0)
		return -1;
	take_row(trial->tune, item, &row);
	return 0;
}

static int judge(const struct trial *trial, struct bench_store *store, struct bench_error *error)
{
	const struct bench_run *run = trial->measuring.run;
	const struct bench_plan *plan = trial->measuring.plan;
	struct bench_comparison *comparison = NULL;
	struct bench_tune_outcome outcome = {.all = {NAN, NAN, NAN}};
	struct bench_error cause;
	size_t unsupported = 0;
	for (size_t i = 0; i < plan->case_count; i++)
		unsupported += plan->cases[i].unsupported != NULL;
	if (bench_compare_duel(run, &trial->contest.judging, &comparison, &cause) == 0) {
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
	struct cli_tune *tune = trial->tune;
	struct cli_measuring *measuring = &trial->measuring;
	int result = prepare(trial, error);
	if (result == 0) {
		fprintf(stderr, "bench: %s of %s:%s: %llu against %llu, %zu case%s, about %.0f s\n",
			trial->item->tunable->name, trial->item->target->backend->name,
			trial->item->target->info.slug, (unsigned long long)trial->value,
			(unsigned long long)trial->item->current, measuring->plan->case_count,
			measuring->plan->case_count == 1 ? "" : "s", measuring->run->budget_seconds);
		result = cli_measuring_run(measuring, error);
	}
	if (result == 0 && cli_measuring_keep(measuring) == CLI_ENVIRONMENT)
		result = bench_fail(error, BENCH_ENVIRONMENT, "%s=%llu was measured, and not kept",
				    trial->item->tunable->name, (unsigned long long)trial->value);
	/* A signal that came while the sides were asked has ended them, and not this. */
	tune->interrupted = cli_measuring_stopped() || (result == 0 && measuring->run->interrupted);
	if (tune->interrupted)
		result = 0;
	else if (result == 0)
		result = judge(trial, store, error);
	cli_measuring_free(measuring);
	cli_contest_free(&trial->contest);
	cli_args_free(&trial->args);
	return result;
}

/* Candidates that are left, of all selected items. */
static size_t count_left(const struct cli_tune *tune)
{
	size_t left = 0;
	uint64_t next;
	for (size_t i = 0; i < tune->item_count; i++)
		left += tune->items[i].selected ? cli_tune_item_left(&tune->items[i], &next) : 0;
	return left;
}

int cli_tune_measure(struct cli_tune *tune, struct bench_store *store, double budget,
		     struct bench_error *error)
{
	double start = now();
	size_t to_measure = count_left(tune);
	int result = 0;
	if (to_measure)
		fprintf(stderr, "bench: %zu candidate%s to measure, or fewer\n", to_measure,
			to_measure == 1 ? "" : "s");
	else
		fprintf(stderr, "bench: all candidates were measured before; --restart measures them anew\n");
	for (size_t i = 0; i < tune->item_count; i++) {
		struct trial trial = {.tune = tune, .item = &tune->items[i]};
		while (result == 0 && !tune->interrupted && trial.item->selected &&
		       cli_tune_item_left(trial.item, &trial.value)) {
			size_t left = count_left(tune);
			trial.budget = (budget - (now() - start)) / (double)left;
			if (budget > 0 && !(trial.budget > 0)) {
				fprintf(stderr,
					"bench: the budget is used up, with %zu candidate%s left: 'bench "
					"tune' again goes on with them\n",
					left, left == 1 ? "" : "s");
				return 0;
			}
			result = compete(&trial, store, error);
			trial = (struct trial){.tune = tune, .item = &tune->items[i]};
		}
	}
	return result;
}

void cli_tune_free(struct cli_tune *tune)
{
	bench_arena_free(&tune->arena);
}
