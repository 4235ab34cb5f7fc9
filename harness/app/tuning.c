/* SPDX-License-Identifier: MIT */
#include "app/tuning.h"

#include <string.h>

#include "app/runs.h"
#include "suites/kernel/tune.h"

void bench_app_tuning_add(struct bench_text *list, const struct bench_tunable *tunable, uint64_t value)
{
	if (value != tunable->fallback)
		bench_text_add(list, "%s%s=%llu", list->length ? "," : "", tunable->name,
			       (unsigned long long)value);
}

const char *bench_app_tuning_slug(const struct bench_target *targets, size_t target)
{
	const struct bench_target *of = &targets[target];
	for (size_t i = 0; i < target; i++)
		if (targets[i].backend == of->backend && strcmp(targets[i].info.name, of->info.name) == 0 &&
		    strcmp(targets[i].info.driver, of->info.driver) == 0)
			return targets[i].info.slug;
	return of->info.slug;
}

/* What a device wants. `disputed`: another one wants something else, and one of them is not at its default.
 */
struct wish {
	const struct bench_tunable *tunable;
	uint64_t value;
	bool disputed;
};

struct wishes {
	struct bench_arena arena;
	struct wish *all;
	size_t count;
};

static bool is_tuned(const struct wish *wish)
{
	return wish->value != wish->tunable->fallback;
}

static void add_wish(struct wishes *wishes, const struct bench_tunable *tunable, uint64_t value)
{
	const struct wish wish = {tunable, value, false};
	for (size_t i = 0; i < wishes->count; i++) {
		struct wish *there = &wishes->all[i];
		if (strcmp(there->tunable->name, tunable->name) != 0)
			continue;
		there->disputed |= there->value != value && (is_tuned(there) || is_tuned(&wish));
		/* The tuned default must be named, since defaults differ between kinds of devices. */
		if (!is_tuned(there) && is_tuned(&wish)) {
			there->tunable = tunable;
			there->value = value;
		}
		return;
	}
	BENCH_PUSH(&wishes->arena, wishes->all, wishes->count) = wish;
}

/* What the history has for a kernel of the user's, of this source and specification. */
static int ask_kernel(struct wishes *wishes, struct bench_store *store, struct bench_tuning_query query,
		      const struct bench_kernel_spec *spec, struct bench_error *error)
{
	struct bench_tuning_row *rows;
	size_t count;
	query.name = spec->identity;
	if (bench_store_tuned(store, &query, &wishes->arena, &rows, &count, error) != 0)
		return -1;
	for (size_t t = 0; t < spec->tunable_count; t++)
		add_wish(wishes, &spec->tunables[t],
			 count && rows[0].value < bench_kernel_tune_count(spec)
				 ? bench_kernel_tune_value(spec, rows[0].value, t)
				 : spec->tunables[t].fallback);
	return 0;
}

static int ask(struct wishes *wishes, struct bench_store *store, const struct bench_app_measure *measure,
	       size_t index, struct bench_error *error)
{
	const struct bench_target *target = &measure->plan->targets[index];
	const struct bench_run *run = measure->run;
	struct bench_tuning_query query = {
		.fingerprint = bench_record_fact(run, "fingerprint"),
		.backend = target->backend->name,
		.device = bench_app_tuning_slug(measure->plan->targets, index),
		.driver = target->info.driver,
	};
	struct bench_tuning_row *rows;
	size_t count;
	if (bench_store_tuned(store, &query, &wishes->arena, &rows, &count, error) != 0)
		return -1;
	for (const struct bench_tunable *tunable = target->backend->tunables; tunable->name; tunable++) {
		uint64_t value = tunable->fallback;
		if (tunable->kind != target->info.kind)
			continue;
		for (size_t i = 0; i < count; i++)
			if (strcmp(rows[i].name, tunable->name) == 0 &&
			    bench_worker_tuning_has(tunable, rows[i].value))
				value = rows[i].value;
		add_wish(wishes, tunable, value);
	}
	const struct bench_kernel_spec *spec;
	for (size_t i = 0; (spec = bench_kernel_tune_spec(i)); i++)
		if (ask_kernel(wishes, store, query, spec, error) != 0)
			return -1;
	return 0;
}

static int ask_all(struct wishes *wishes, struct bench_store *store, const struct bench_app_measure *measure,
		   struct bench_error *error)
{
	const struct bench_plan *plan = measure->plan;
	for (size_t i = 0; i < plan->target_count; i++)
		if (!plan->targets[i].unavailable && plan->targets[i].backend->tunables &&
		    ask(wishes, store, measure, i, error) != 0)
			return -1;
	return 0;
}

static void put_in_force(const struct wishes *wishes, struct bench_app_measure *measure)
{
	struct bench_run *run = measure->run;
	BENCH_SCOPED_TEXT list = {0};
	for (size_t i = 0; i < wishes->count; i++) {
		const struct wish *one = &wishes->all[i];
		if (!one->disputed)
			bench_app_tuning_add(&list, one->tunable, one->value);
		else
			bench_app_warn(
				measure->host,
				"the devices of this run have different best values of %s: it stays at its "
				"default; 'bench tune --list' shows them, and --backend chooses a device",
				one->tunable->name);
	}
	if (list.length) {
		measure->overrides.tuning = bench_arena_string(&run->arena, list.data);
		bench_record_attribute_set(&run->arena, &run->host, &run->host_count, BENCH_APP_TUNING_FACT,
					   list.data);
	}
}

void bench_app_tuning_apply(struct bench_app_measure *measure)
{
	const char *path = measure->request->places.db;
	BENCH_SCOPED_STORE *own = NULL;
	struct bench_store *store = measure->store;
	struct wishes wishes = {0};
	struct bench_error error;
	int result = 0;
	if (measure->overrides.tuning)
		return;
	/* With --no-store the history is not written to, and still says what is best here. */
	if (!store) {
		result = bench_app_try_store(path, NULL, &own, &error);
		store = own;
	}
	if (result == 0 && store)
		result = ask_all(&wishes, store, measure, &error);
	if (result != 0)
		bench_app_warn(measure->host, "measured without the values of 'bench tune': %s", error.text);
	else
		put_in_force(&wishes, measure);
	bench_arena_free(&wishes.arena);
}

int bench_app_overrides_check(const struct bench_overrides *overrides, struct bench_slowdown *slowdown,
			      struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_tuned *tuned;
	size_t count;
	return bench_worker_tuning_parse(overrides->tuning, &arena, &tuned, &count, error) != 0
		       ? -1
		       : bench_worker_slowdown_read(overrides->slowdown, slowdown, error);
}

void bench_app_tuning_describe(const char *tuning, struct bench_environment *environment)
{
	if (tuning)
		bench_machine_environment_add(environment, BENCH_APP_TUNING_FACT, tuning);
}
