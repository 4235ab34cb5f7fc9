#include "cli/contest.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"

#define PLAN_OPTIONS 5

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

/* What a side makes of the options that make a plan. */
static int list_cases(struct cli_contest *contest, const struct cli_args *args, const struct bench_side *side,
		      const char ***keys, size_t *count, struct bench_error *error)
{
	static const char *const plan_options[PLAN_OPTIONS] = {"suite", "backend", "filter", "set", "preset"};
	const char **arguments =
		bench_arena_alloc(&contest->arena, args->given_count + 6, sizeof(*arguments));
	size_t given = 0;
	struct bench_text out = {0};
	arguments[given++] = "bench";
	arguments[given++] = "list";
	arguments[given++] = "cases";
	arguments[given++] = "--format=csv";
	for (size_t i = 0; i < args->given_count; i++)
		for (size_t o = 0; o < PLAN_OPTIONS; o++)
			if (strcmp(args->given[i]->name, plan_options[o]) == 0)
				arguments[given++] = bench_arena_format(&contest->arena, "--%s=%s",
									plan_options[o], args->values[i]);
	int result = bench_side_ask(side, arguments, &out, error);
	if (result == 0)
		read_keys(&contest->arena, bench_arena_string(&contest->arena, out.data ? out.data : ""),
			  keys, count);
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

static void miss(struct cli_contest *contest, const char *key, const char *why)
{
	struct bench_arena *arena = &contest->arena;
	size_t count = contest->judging.missing_count;
	*(const char **)bench_arena_push(arena, (void *)&contest->judging.missing, &count, sizeof(char *)) =
		key;
	*(const char **)bench_arena_push(arena, (void *)&contest->judging.missing_cause,
					 &contest->judging.missing_count, sizeof(char *)) = why;
}

static bool is_planned(const struct bench_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->case_count; i++)
		if (strcmp(plan->cases[i].key, key) == 0)
			return true;
	return false;
}

/* What the base has, and the head or this plan has not. */
static void note_missing(struct cli_contest *contest, const struct bench_plan *plan)
{
	for (size_t i = 0; i < contest->base_count; i++) {
		const char *key = contest->base_keys[i];
		if (!has(contest->head_keys, contest->head_count, key))
			miss(contest, key, "the base has this case, and the head has not");
		else if (!is_planned(plan, key))
			miss(contest, key,
			     "both sides have this case, and the bench that was started has not: start the "
			     "head's");
	}
}

int cli_contest_self(struct bench_arena *arena, char **text, struct bench_error *error)
{
	char path[PATH_MAX];
	struct bench_text quoted = {0};
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "/proc/self/exe: %s: which bench is this?",
				  strerror(errno));
	path[length] = '\0';
	bench_text_add_shell(&quoted, path);
	*text = bench_arena_string(arena, quoted.data);
	bench_text_free(&quoted);
	return 0;
}

int cli_contest_meet(struct cli_contest *contest, const struct cli_args *args, const char *base,
		     const char *head, const struct bench_plan *plan, struct bench_error *error)
{
	struct bench_duel *duel = &contest->duel;
	char *self;
	if (!head) {
		if (cli_contest_self(&contest->arena, &self, error) != 0)
			return -1;
		head = self;
	}
	if (bench_side_parse(base, &contest->arena, &duel->base, error) != 0 ||
	    bench_side_parse(head, &contest->arena, &duel->head, error) != 0 ||
	    bench_side_meet(&duel->base, &contest->arena, error) != 0 ||
	    bench_side_meet(&duel->head, &contest->arena, error) != 0 ||
	    list_cases(contest, args, &duel->base, &contest->base_keys, &contest->base_count, error) != 0 ||
	    list_cases(contest, args, &duel->head, &contest->head_keys, &contest->head_count, error) != 0)
		return -1;
	note_missing(contest, plan);
	contest->judging.base_name = duel->base.text;
	return 0;
}

/* Which cases can be measured on both sides; the others get a verdict without. */
static void match_cases(const struct cli_contest *contest, struct bench_plan *plan)
{
	for (size_t i = 0; i < plan->case_count; i++) {
		struct bench_planned *planned = &plan->cases[i];
		bool in_base = has(contest->base_keys, contest->base_count, planned->key);
		bool in_head = has(contest->head_keys, contest->head_count, planned->key);
		/* It is the two sides that are set against each other, not variants of one. */
		planned->base = BENCH_NO_BASE;
		planned->base_lacks = NULL;
		if (!in_base || !in_head)
			planned->lacking =
				in_head ? "the base has no such case" : "the head has no such case";
	}
}

/* What takes up to the most seconds, and as long as it takes for a handful of cases. */
static void choose_defaults(const struct cli_contest *contest, struct cli_measuring *measuring)
{
	const struct cli_args *args = measuring->args;
	struct bench_run *run = measuring->run;
	double seconds = CLI_CONTEST_CASE_SECONDS * (double)measuring->plan->case_count;
	if (!cli_given(args, "precision"))
		run->precision = CLI_CONTEST_PRECISION;
	if (!cli_given(args, "budget"))
		run->budget_seconds =
			fmin(fmax(seconds, CLI_CONTEST_LEAST_SECONDS), CLI_CONTEST_MOST_SECONDS);
	if (cli_given(args, "invocations"))
		return;
	double bouts = run->budget_seconds / CLI_CONTEST_BOUT_SECONDS / (double)measuring->plan->group_count;
	size_t least = CLI_CONTEST_SPARE +
		       bench_compare_duel_needed((double)measuring->plan->case_count, contest->judging.alpha);
	run->invocations = (unsigned)fmax(fmin(bouts, CLI_CONTEST_INVOCATIONS), (double)least);
}

static void label_side(struct bench_run *run, const char *label, const struct bench_side *side)
{
	struct bench_text text = {0};
	for (size_t i = 0; i < side->assignment_count; i++) {
		bench_text_add_shell(&text, side->assignments[i]);
		bench_text_add(&text, " ");
	}
	bench_text_add_shell(&text, side->executable);
	bench_text_add(&text, ": bench %s", side->version);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, label, text.data);
	bench_text_free(&text);
}

int cli_contest_enter(const struct cli_contest *contest, struct cli_measuring *measuring,
		      struct bench_error *error)
{
	struct bench_run *run = measuring->run;
	if (measuring->settings.cold)
		return bench_fail(
			error, BENCH_USAGE,
			"--cache cold: samples of two executables are taken in turns of milliseconds, and "
			"nothing is flushed; 'bench run --cache cold' does");
	match_cases(contest, measuring->plan);
	choose_defaults(contest, measuring);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, "aside", measuring->args->verb->name);
	label_side(run, "duel_base", &contest->duel.base);
	label_side(run, "duel_head", &contest->duel.head);
	measuring->duel = &contest->duel;
	return 0;
}

void cli_contest_name_sides(const struct cli_contest *contest, struct bench_run *run)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s ", run->command);
	bench_text_add_shell(&text, contest->duel.base.text);
	bench_text_add(&text, " ");
	bench_text_add_shell(&text, contest->duel.head.text);
	run->command = bench_arena_string(&run->arena, text.data);
	bench_text_free(&text);
}

void cli_contest_free(struct cli_contest *contest)
{
	bench_arena_free(&contest->arena);
}
