/* SPDX-License-Identifier: MIT */
#include "app/duel.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "backends/backends.h"
#include "core/json.h"
#include "core/text.h"
#include "extend/extend.h"
#include "suites/suites.h"

/* Keys from the lines of 'list cases --format csv': "key","why it is unsupported". */
static void read_keys(struct bench_arena *arena, char *text, const char ***keys, size_t *count)
{
	char *line;
	while ((line = bench_text_next(&text, '\n'))) {
		char *end = line[0] == '"' ? strchr(line + 1, '"') : NULL;
		if (!end)
			continue;
		*end = '\0';
		BENCH_PUSH(arena, *keys, *count) = line + 1;
	}
}

static void add_argument(struct bench_app_duel *duel, const char ***arguments, size_t *count,
			 const char *name, const char *value)
{
	if (value)
		BENCH_PUSH(&duel->arena, *arguments, *count) =
			bench_arena_format(&duel->arena, "--%s=%s", name, value);
}

/* What a side prints when it is asked to list something; "" where it fails. */
static int ask(struct bench_arena *arena, const struct bench_session_program *side, const char *what,
	       const char *format, const char *const *options, size_t option_count, char **answer,
	       struct bench_error *error)
{
	const char **arguments = bench_arena_alloc(arena, option_count + 6, sizeof(*arguments));
	BENCH_SCOPED_TEXT out = {0};
	size_t count = 0;
	arguments[count++] = "bench";
	arguments[count++] = "list";
	arguments[count++] = what;
	arguments[count++] = "--format";
	arguments[count++] = format;
	for (size_t i = 0; i < option_count; i++)
		arguments[count++] = options[i];
	int result = bench_session_program_query(side, arguments, &out, error);
	*answer = bench_arena_string(arena, result == 0 && out.data ? out.data : "");
	return result;
}

/* The cases that a side makes of the options that make a plan, with these suites and sets. */
static int list_cases(struct bench_app_duel *duel, const struct bench_app_cases *cases,
		      const struct bench_session_program *side, const char ***keys, size_t *count,
		      struct bench_error *error)
{
	const char **options = NULL;
	char *answer;
	size_t given = 0;
	for (size_t i = 0; i < side->extension_count; i++)
		add_argument(duel, &options, &given, "extension", side->extensions[i]);
	for (size_t i = 0; i < cases->suite_count; i++)
		add_argument(duel, &options, &given, "suite", cases->suites[i]);
	add_argument(duel, &options, &given, "backend", cases->backends);
	add_argument(duel, &options, &given, "filter", cases->filter);
	for (size_t i = 0; i < cases->set_count; i++)
		add_argument(duel, &options, &given, "set", cases->sets[i]);
	add_argument(duel, &options, &given, "preset", cases->preset);
	int result = ask(&duel->arena, side, "cases", "csv", options, given, &answer, error);
	if (result == 0)
		read_keys(&duel->arena, answer, keys, count);
	return result;
}

/* Are all suites meant? */
static bool means_all(const struct bench_app_cases *cases)
{
	bool all = cases->suite_count == 0;
	for (size_t i = 0; i < cases->suite_count; i++) {
		BENCH_SCOPED_ARENA arena = {0};
		char *list = bench_arena_string(&arena, cases->suites[i]), *name;
		while ((name = bench_text_next(&list, ',')))
			all |= strcmp(name, "all") == 0;
	}
	return all;
}

static bool is_among(const struct bench_suite *const *suites, const char *name)
{
	for (size_t i = 0; suites[i]; i++)
		if (strcmp(suites[i]->name, name) == 0)
			return true;
	return false;
}

/* Is it a suite that is measured? One that this bench does not know is, where all are. */
static bool is_meant(const struct bench_app_cases *cases, const struct bench_suite *const *chosen,
		     const char *name)
{
	return is_among(chosen, name) || (means_all(cases) && !is_among(bench_suites, name));
}

/* Those of the sets that are for this suite: a side refuses a set of which it knows no parameter. */
static const char *const *sets_of(struct bench_app_duel *duel, const struct bench_app_cases *cases,
				  const char *name, size_t *count)
{
	const char **sets = bench_arena_alloc(&duel->arena, cases->set_count + 1, sizeof(*sets));
	*count = 0;
	for (size_t i = 0; i < cases->set_count; i++) {
		size_t length = strcspn(cases->sets[i], "=");
		bool takes = false;
		for (size_t s = 0; bench_suites[s]; s++)
			for (const struct bench_param *param = bench_suites[s]->params;
			     param->name && strcmp(bench_suites[s]->name, name) == 0; param++)
				takes |= strlen(param->name) == length &&
					 strncmp(param->name, cases->sets[i], length) == 0;
		if (takes)
			sets[(*count)++] = cases->sets[i];
	}
	return sets;
}

/*
 * The cases of a side that does not know all that is asked for: a suite, a parameter, a preset. Each of its
 * suites that is measured is asked for by itself. It lacks the options that it refuses.
 */
static int list_known_cases(struct bench_app_duel *duel, const struct bench_app_cases *cases,
			    const struct bench_suite *const *chosen, const struct bench_session_program *side,
			    const char ***keys, size_t *count, struct bench_error *error)
{
	char *answer;
	const char **names = NULL;
	size_t name_count = 0;
	if (ask(&duel->arena, side, "suites", "csv", (const char *const *)side->options, side->option_count,
		&answer, error) != 0)
		return -1;
	read_keys(&duel->arena, answer, &names, &name_count);
	for (size_t i = 0; i < name_count; i++) {
		struct bench_app_cases one = *cases;
		struct bench_error refusal;
		if (!is_meant(cases, chosen, names[i]))
			continue;
		one.suites = &names[i];
		one.suite_count = 1;
		one.sets = sets_of(duel, cases, names[i], &one.set_count);
		if (list_cases(duel, &one, side, keys, count, &refusal) != 0 &&
		    refusal.code != BENCH_UNSUPPORTED) {
			*error = refusal;
			return -1;
		}
	}
	return 0;
}

/* Drops the cases of suites that are not measured: what `all` means to a side may be more. */
static size_t keep_meant(struct bench_app_duel *duel, const struct bench_app_cases *cases,
			 const struct bench_suite *const *chosen, const char **keys, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		char *name = bench_arena_format(&duel->arena, "%.*s", (int)strcspn(keys[i], "/"), keys[i]);
		if (is_meant(cases, chosen, name))
			keys[kept++] = keys[i];
	}
	return kept;
}

static int list_side(struct bench_app_duel *duel, const struct bench_app_cases *cases,
		     const struct bench_suite *const *chosen, const struct bench_session_program *side,
		     bool may_lack, const char ***keys, size_t *count, struct bench_error *error)
{
	int result = list_cases(duel, cases, side, keys, count, error);
	return result != 0 && may_lack && error->code == BENCH_UNSUPPORTED
		       ? list_known_cases(duel, cases, chosen, side, keys, count, error)
		       : result;
}

/* Asks both sides for their cases. */
static int list_both(struct bench_app_duel *duel, const struct bench_app_cases *cases,
		     struct bench_error *error)
{
	const struct bench_suite *const *chosen;
	struct bench_app_cases of_base = *cases;
	if (duel->sides.base.backend)
		of_base.backends = duel->sides.base.backend;
	if (bench_app_suites(cases, &duel->arena, &chosen, error) != 0)
		return -1;
	if (list_side(duel, &of_base, chosen, &duel->sides.base, true, &duel->base_keys, &duel->base_count,
		      error) != 0 ||
	    list_side(duel, cases, chosen, &duel->sides.head, duel->head_may_lack, &duel->head_keys,
		      &duel->head_count, error) != 0)
		return -1;
	duel->base_count = keep_meant(duel, cases, chosen, duel->base_keys, duel->base_count);
	duel->head_count = keep_meant(duel, cases, chosen, duel->head_keys, duel->head_count);
	return 0;
}

static void miss(struct bench_app_duel *duel, const char *key, const char *why)
{
	struct bench_arena *arena = &duel->arena;
	size_t count = duel->judging.missing_count;
	*(const char **)bench_arena_push(arena, (void *)&duel->judging.missing, &count, sizeof(char *)) = key;
	*(const char **)bench_arena_push(arena, (void *)&duel->judging.missing_cause,
					 &duel->judging.missing_count, sizeof(char *)) = why;
}

/* How many cases of the plan the head alone has. */
static size_t count_unknown(const struct bench_app_duel *duel, const struct bench_plan *plan)
{
	size_t count = 0;
	for (size_t i = 0; i < plan->case_count; i++)
		count += BENCH_FIND(duel->head_keys, duel->head_count, plan->cases[i].key) &&
			 !BENCH_FIND(duel->base_keys, duel->base_count, plan->cases[i].key);
	return count;
}

/* What the base has, and the head or this plan has not. */
static void note_missing(struct bench_app_duel *duel, const struct bench_plan *plan)
{
	for (size_t i = 0; i < duel->base_count; i++) {
		const char *key = duel->base_keys[i];
		if (!BENCH_FIND(duel->head_keys, duel->head_count, key))
			miss(duel, key, "the base has this case, and the head has not");
		else if (!BENCH_FIND(plan->cases, plan->case_count, key))
			miss(duel, key,
			     "both sides have this case, and the bench that was started has not: start the "
			     "head's");
	}
}

int bench_app_duel_self(struct bench_arena *arena, char **text, struct bench_error *error)
{
	char path[PATH_MAX];
	struct bench_text quoted = {0};
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "/proc/self/exe: %s: which bench is this?",
				  strerror(errno));
	path[length] = '\0';
	bench_text_add_shell(&quoted, path);
	*text = bench_text_keep(&quoted, arena);
	return 0;
}

static int ask_extensions(struct bench_session_program *side, struct bench_arena *arena,
			  struct bench_error *error)
{
	const char **texts = NULL;
	char *answer;
	const cJSON *item;
	if (ask(arena, side, "extensions", "json", (const char *const *)side->options, side->option_count,
		&answer, error) != 0)
		return -1;
	cJSON *listed = bench_json_parse(answer, strlen(answer), "the extensions of a side", error);
	side->extension_count = 0;
	cJSON_ArrayForEach(item, listed)
	{
		BENCH_PUSH(arena, texts, side->extension_count) =
			bench_arena_string(arena, bench_json_string_or(item, "extension", ""));
	}
	cJSON_Delete(listed);
	side->extensions = texts;
	return listed ? 0 : -1;
}

static int refuse_backend(const struct bench_session_program *side, struct bench_error *error)
{
	if (!side->backend)
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "'%s': only the base of 'bench duel' and 'bench why' may name a backend; elsewhere "
			  "--backend is an option of the verb",
			  side->text);
}

int bench_app_duel_identify(const char *text, struct bench_arena *arena, struct bench_session_program *side,
			    struct bench_error *error)
{
	return bench_session_program_parse(text, arena, side, error) != 0 ||
			       refuse_backend(side, error) != 0 ||
			       bench_session_program_identify(side, arena, error) != 0 ||
			       (side->option_count && ask_extensions(side, arena, error) != 0)
		       ? -1
		       : 0;
}

/* Those of this process plan the duel, and are the head's unless its text has others; the base's are in its
 * text. */
static int find_extensions(struct bench_app_duel *duel, struct bench_error *error)
{
	struct bench_session_program *base = &duel->sides.base, *head = &duel->sides.head;
	head->extensions = bench_extend_texts(&head->extension_count);
	if (head->option_count > 0 && head->extension_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "'%s': name the head's extensions too (--plugin NEW.so), and the base's "
				  "after its executable: 'bench --plugin OLD.so'",
				  head->text);
	if ((base->option_count > 0 && ask_extensions(base, &duel->arena, error) != 0) ||
	    (head->option_count > 0 && ask_extensions(head, &duel->arena, error) != 0))
		return -1;
	if (head->extension_count > 0 && base->extension_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' would measure nothing of the head's extensions: name the base's, as "
				  "in 'bench --plugin OLD.so'",
				  base->text);
	return 0;
}

/* The device of a base with a separate backend. */
static int find_target(struct bench_app_duel *duel, const struct bench_plan *plan, struct bench_error *error)
{
	struct bench_session_program *base = &duel->sides.base;
	struct bench_target *targets;
	size_t count, of_head = 0;
	if (refuse_backend(&duel->sides.head, error) != 0 ||
	    (!duel->across && refuse_backend(base, error) != 0))
		return -1;
	if (!base->backend)
		return 0;
	if (bench_plan_target_resolve(bench_backends, base->backend, &duel->arena, &targets, &count, error) !=
	    0)
		return -1;
	for (size_t i = 0; i < plan->target_count; i++) /* the host has no devices */
		of_head += plan->targets[i].backend->open != NULL;
	if (count != 1 || of_head != 1)
		return bench_fail(error, BENCH_USAGE,
				  "'%s': with a backend of the base, each side has one device; the base has "
				  "%zu, the head (--backend) %zu",
				  base->text, count, of_head);
	if (targets->unavailable)
		return bench_fail(error, BENCH_NOTHING, "'%s': %s", base->text, targets->unavailable);
	base->target = targets;
	return 0;
}

/* Names the cases of a base with a separate backend as the plan does: the keys differ in the device alone. */
static void rename_base(struct bench_app_duel *duel, const struct bench_plan *plan)
{
	const struct bench_target *to = plan->targets;
	while (duel->sides.base.target && !to->backend->open)
		to++;
	for (size_t i = 0; i < duel->base_count && duel->sides.base.target; i++) {
		const char *key = duel->base_keys[i], *device = key + strcspn(key, "/") + 1;
		const char *rest = device + strcspn(device, "/");
		if (strncmp(device, "host:", 5) != 0)
			duel->base_keys[i] =
				bench_arena_format(&duel->arena, "%.*s%s:%s%s", (int)(device - key), key,
						   to->backend->name, to->info.slug, rest);
	}
}

int bench_app_duel_meet(struct bench_app_duel *duel, const struct bench_app_cases *cases, const char *base,
			const char *head, const struct bench_plan *plan, struct bench_error *error)
{
	struct bench_duel *sides = &duel->sides;
	char *self;
	if (!head) {
		if (bench_app_duel_self(&duel->arena, &self, error) != 0)
			return -1;
		head = self;
	}
	if (bench_session_program_parse(base, &duel->arena, &sides->base, error) != 0 ||
	    bench_session_program_parse(head, &duel->arena, &sides->head, error) != 0 ||
	    bench_session_program_identify(&sides->base, &duel->arena, error) != 0 ||
	    bench_session_program_identify(&sides->head, &duel->arena, error) != 0 ||
	    find_extensions(duel, error) != 0 || find_target(duel, plan, error) != 0 ||
	    list_both(duel, cases, error) != 0)
		return -1;
	rename_base(duel, plan);
	note_missing(duel, plan);
	duel->judging.unknown = count_unknown(duel, plan);
	duel->judging.base_name = sides->base.text;
	return 0;
}

/* Which cases can be measured on both sides; the others get a verdict without. */
static void match_cases(const struct bench_app_duel *duel, struct bench_plan *plan)
{
	for (size_t i = 0; i < plan->case_count; i++) {
		struct bench_planned *planned = &plan->cases[i];
		bool in_base = BENCH_FIND(duel->base_keys, duel->base_count, planned->key) != NULL;
		bool in_head = BENCH_FIND(duel->head_keys, duel->head_count, planned->key) != NULL;
		/* It is the two sides that are set against each other, not variants of one. */
		planned->reference = BENCH_NO_REFERENCE;
		planned->reference_lacks = NULL;
		if (!in_base || !in_head)
			planned->lacking =
				in_head ? "the base has no such case" : "the head has no such case";
	}
}

/* The cases that both sides measure. *rows: those that may have a device time as well. */
static size_t count_paired(const struct bench_plan *plan, size_t *rows)
{
	size_t count = 0;
	*rows = 0;
	for (size_t i = 0; i < plan->case_count; i++) {
		const struct bench_target *target = &plan->targets[plan->cases[i].target];
		if (plan->cases[i].lacking || plan->cases[i].unsupported)
			continue;
		count++;
		*rows += target->backend->row_begin && target->info.kind == BENCH_DEVICE_GPU;
	}
	return count;
}

/* What takes up to the most seconds, and as long as it takes for a handful of cases. */
static void choose_defaults(const struct bench_app_duel *duel, struct bench_app_measure *measure)
{
	const struct bench_app_request *request = measure->request;
	struct bench_run *run = measure->run;
	double seconds = BENCH_APP_DUEL_CASE_SECONDS * (double)measure->plan->case_count;
	if (!(request->precision > 0))
		run->precision = BENCH_APP_DUEL_PRECISION;
	if (!(request->budget_seconds > 0))
		run->budget_seconds =
			fmin(fmax(seconds, BENCH_APP_DUEL_LEAST_SECONDS), BENCH_APP_DUEL_MOST_SECONDS);
	if (request->invocations)
		return;
	double share = duel->share > 0 ? duel->share : 1;
	double bouts = share * run->budget_seconds / BENCH_APP_DUEL_BOUT_SECONDS /
		       (double)measure->plan->group_count;
	size_t rows, cases = count_paired(measure->plan, &rows);
	size_t tests = cases * (duel->tests_each ? duel->tests_each : 1) + rows;
	size_t needed = bench_compare_duel_needed((double)tests,
						  duel->judging.alpha / (duel->judging.two_looks ? 2 : 1));
	run->invocations = (unsigned)fmax(fmin(bouts, BENCH_APP_DUEL_INVOCATIONS),
					  (double)(BENCH_APP_DUEL_SPARE + needed));
	measure->least_invocations = (unsigned)needed;
	measure->purpose = bench_arena_format(&run->arena, "decide %zu case%s at %g%%", cases,
					      bench_text_plural(cases), 100 * duel->judging.alpha);
}

static void label_side(struct bench_run *run, const char *label, const struct bench_session_program *side)
{
	BENCH_SCOPED_TEXT text = {0};
	for (size_t i = 0; i < side->assignment_count; i++)
		bench_text_add_command(&text, "%s ", side->assignments[i]);
	bench_text_add_shell(&text, side->executable);
	for (size_t i = 0; i < side->option_count; i++)
		bench_text_add_command(&text, " %s", side->options[i]);
	if (side->backend)
		bench_text_add_option(&text, "backend", side->backend);
	bench_text_add(&text, ": bench %s", side->version);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, label, text.data);
}

int bench_app_duel_check(const struct bench_settings *settings, struct bench_error *error)
{
	if (settings->counters)
		return bench_fail(error, BENCH_USAGE,
				  "--counters: a duel alternates every few milliseconds, and cannot count; "
				  "'bench run --counters' does");
	if (settings->energy)
		return bench_fail(
			error, BENCH_USAGE,
			"--energy: a duel alternates every few milliseconds, and counters of energy "
			"need seconds; 'bench run --energy' takes them");
	if (settings->cold)
		return bench_fail(error, BENCH_USAGE,
				  "--cache cold: a duel alternates every few milliseconds, and cannot flush "
				  "caches; 'bench run --cache cold' does");
	return 0;
}

int bench_app_duel_enter(const struct bench_app_duel *duel, const char *aside,
			 struct bench_app_measure *measure, struct bench_error *error)
{
	struct bench_run *run = measure->run;
	if (bench_app_duel_check(&measure->request->settings, error) != 0)
		return -1;
	match_cases(duel, measure->plan);
	choose_defaults(duel, measure);
	if (aside)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside", aside);
	label_side(run, "duel_base", &duel->sides.base);
	label_side(run, "duel_head", &duel->sides.head);
	measure->duel = &duel->sides;
	return 0;
}

void bench_app_duel_name_sides(const struct bench_app_duel *duel, struct bench_run *run)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", run->command);
	bench_text_add_command(&text, " %s %s", duel->sides.base.text, duel->sides.head.text);
	run->command = bench_text_keep(&text, &run->arena);
}

void bench_app_duel_free(struct bench_app_duel *duel)
{
	bench_arena_free(&duel->arena);
}
