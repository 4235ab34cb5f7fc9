#include "app/duel.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

/* Keys from the lines of 'list cases --format csv': "key","why it is unsupported". */
static void read_keys(struct bench_arena *arena, char *text, const char ***keys, size_t *count)
{
	char *line;
	while ((line = bench_text_next(&text, '\n'))) {
		char *end = line[0] == '"' ? strchr(line + 1, '"') : NULL;
		if (!end)
			continue;
		*end = '\0';
		*(const char **)bench_arena_push(arena, keys, count, sizeof(char *)) = line + 1;
	}
}

static void add_argument(struct bench_app_duel *duel, const char ***arguments, size_t *count,
			 const char *name, const char *value)
{
	if (value)
		*(const char **)bench_arena_push(&duel->arena, arguments, count, sizeof(char *)) =
			bench_arena_format(&duel->arena, "--%s=%s", name, value);
}

/* What a side makes of the options that make a plan. */
static int list_cases(struct bench_app_duel *duel, const struct bench_app_cases *cases,
		      const struct bench_session_program *side, const char ***keys, size_t *count,
		      struct bench_error *error)
{
	static const char *const first[] = {"bench", "list", "cases", "--format=csv"};
	struct bench_arena *arena = &duel->arena;
	const char **arguments = NULL;
	size_t given = 0;
	struct bench_text out = {0};
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		*(const char **)bench_arena_push(arena, &arguments, &given, sizeof(char *)) = first[i];
	for (size_t i = 0; i < cases->suite_count; i++)
		add_argument(duel, &arguments, &given, "suite", cases->suites[i]);
	add_argument(duel, &arguments, &given, "backend", cases->backends);
	add_argument(duel, &arguments, &given, "filter", cases->filter);
	for (size_t i = 0; i < cases->set_count; i++)
		add_argument(duel, &arguments, &given, "set", cases->sets[i]);
	add_argument(duel, &arguments, &given, "preset", cases->preset);
	bench_arena_push(arena, &arguments, &given, sizeof(char *)); /* ends with NULL */
	int result = bench_session_program_query(side, arguments, &out, error);
	if (result == 0)
		read_keys(arena, bench_arena_string(arena, out.data ? out.data : ""), keys, count);
	bench_text_free(&out);
	return result;
}

static bool has(const char *const *keys, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

static void miss(struct bench_app_duel *duel, const char *key, const char *why)
{
	struct bench_arena *arena = &duel->arena;
	size_t count = duel->judging.missing_count;
	*(const char **)bench_arena_push(arena, (void *)&duel->judging.missing, &count, sizeof(char *)) = key;
	*(const char **)bench_arena_push(arena, (void *)&duel->judging.missing_cause,
					 &duel->judging.missing_count, sizeof(char *)) = why;
}

static bool is_planned(const struct bench_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->case_count; i++)
		if (strcmp(plan->cases[i].key, key) == 0)
			return true;
	return false;
}

/* What the base has, and the head or this plan has not. */
static void note_missing(struct bench_app_duel *duel, const struct bench_plan *plan)
{
	for (size_t i = 0; i < duel->base_count; i++) {
		const char *key = duel->base_keys[i];
		if (!has(duel->head_keys, duel->head_count, key))
			miss(duel, key, "the base has this case, and the head has not");
		else if (!is_planned(plan, key))
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
	    list_cases(duel, cases, &sides->base, &duel->base_keys, &duel->base_count, error) != 0 ||
	    list_cases(duel, cases, &sides->head, &duel->head_keys, &duel->head_count, error) != 0)
		return -1;
	note_missing(duel, plan);
	duel->judging.base_name = sides->base.text;
	return 0;
}

/* Which cases can be measured on both sides; the others get a verdict without. */
static void match_cases(const struct bench_app_duel *duel, struct bench_plan *plan)
{
	for (size_t i = 0; i < plan->case_count; i++) {
		struct bench_planned *planned = &plan->cases[i];
		bool in_base = has(duel->base_keys, duel->base_count, planned->key);
		bool in_head = has(duel->head_keys, duel->head_count, planned->key);
		/* It is the two sides that are set against each other, not variants of one. */
		planned->reference = BENCH_NO_REFERENCE;
		planned->reference_lacks = NULL;
		if (!in_base || !in_head)
			planned->lacking =
				in_head ? "the base has no such case" : "the head has no such case";
	}
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
	double bouts = run->budget_seconds / BENCH_APP_DUEL_BOUT_SECONDS / (double)measure->plan->group_count;
	size_t least = BENCH_APP_DUEL_SPARE +
		       bench_compare_duel_needed((double)measure->plan->case_count,
						 duel->judging.alpha / (duel->judging.two_looks ? 2 : 1));
	run->invocations = (unsigned)fmax(fmin(bouts, BENCH_APP_DUEL_INVOCATIONS), (double)least);
}

static void label_side(struct bench_run *run, const char *label, const struct bench_session_program *side)
{
	struct bench_text text = {0};
	for (size_t i = 0; i < side->assignment_count; i++) {
		bench_text_add_shell(&text, side->assignments[i]);
		bench_text_add(&text, " ");
	}
	bench_text_add_shell(&text, side->executable);
	bench_text_add(&text, ": bench %s", side->version);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, label, text.data);
	bench_text_free(&text);
}

int bench_app_duel_enter(const struct bench_app_duel *duel, const char *aside,
			 struct bench_app_measure *measure, struct bench_error *error)
{
	struct bench_run *run = measure->run;
	if (measure->request->settings.cold)
		return bench_fail(error, BENCH_USAGE,
				  "--cache cold: samples of two executables are taken in turns of "
				  "milliseconds, and nothing is flushed; 'bench run --cache cold' does");
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
	bench_text_add(&text, "%s ", run->command);
	bench_text_add_shell(&text, duel->sides.base.text);
	bench_text_add(&text, " ");
	bench_text_add_shell(&text, duel->sides.head.text);
	run->command = bench_text_keep(&text, &run->arena);
}

void bench_app_duel_free(struct bench_app_duel *duel)
{
	bench_arena_free(&duel->arena);
}
