/* SPDX-License-Identifier: MIT */
#include "report/render/next.h"

#include <math.h>
#include <string.h>

#include "compare/baseline.h"
#include "report/render/alarms.h"
#include "report/render/answer.h"
#include "report/render/comparison.h"
#include "report/render/words.h"

#define RESERVE 1.25 /* of the time that more invocations probably take */

/* The commands as they are collected. */
struct list {
	struct bench_arena *arena;
	const struct bench_next_source *source;
	const char *places;
	struct bench_next *items;
	size_t count;
};

static void add(struct list *list, const char *what, const char *command)
{
	BENCH_PUSH(list->arena, list->items, list->count) = (struct bench_next){what, command};
}

static char *quoted(struct bench_arena *arena, const char *word)
{
	struct bench_text text = {0};
	bench_text_add_shell(&text, word);
	return bench_text_keep(&text, arena);
}

char *bench_render_next_with(struct bench_arena *arena, const char *command, const char *option,
			     const char *value)
{
	struct bench_text text = {0};
	char *rest = bench_arena_string(arena, command), *word;
	const size_t length = strlen(option);
	bool open, skip = false;
	for (size_t at = 0; (word = bench_text_next_shell(&rest, &open)); at++) {
		bool is_it = strncmp(word, "--", 2) == 0 && strncmp(word + 2, option, length) == 0 &&
			     (!word[2 + length] || word[2 + length] == '=');
		if (!is_it && !skip) {
			bench_text_add(&text, "%s", at ? " " : "");
			bench_text_add_shell(&text, word);
		}
		skip = is_it && !word[2 + length];
		if (at == 1 && value) /* behind the verb, before operands */
			bench_text_add_option(&text, option, value);
	}
	return bench_text_keep(&text, arena);
}

static const struct bench_verdict *first_of(const struct bench_comparison *comparison,
					    enum bench_verdict_kind kind)
{
	const struct bench_verdict *first = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind == kind &&
		    (!first || bench_render_comparison_by_size(&verdict, &first) < 0))
			first = verdict;
	}
	return first;
}

static bool is_duel(const struct bench_run *run)
{
	return run && strcmp(bench_record_label(run, "aside"), "duel") == 0;
}

/* Does the command measure? An import or a comparison that is repeated is no further night. */
static bool is_night(const char *command)
{
	return strncmp(command, "bench run ", strlen("bench run ")) == 0 ||
	       strncmp(command, "bench gate", strlen("bench gate")) == 0;
}

/* The run that it was compared with, where it is one: also an anchor's; NULL: none or several. */
static const char *base_run(const struct bench_comparison *comparison)
{
	static const char anchor[] = "anchor ";
	if (comparison->baseline_count == 1)
		return comparison->baseline_ids[0];
	return strncmp(comparison->baseline_name, anchor, strlen(anchor)) == 0
		       ? comparison->baseline_name + strlen(anchor)
		       : NULL;
}

/* The options without which the same comparison would come out otherwise, or be refused. */
static char *judging(struct list *list)
{
	static const char *const names[] = {"threshold", "alpha", "floor", NULL};
	const struct bench_next_source *source = list->source;
	struct bench_text text = {0};
	char *rest = bench_arena_string(list->arena, source->command ? source->command : "");
	const char *option, *value;
	while ((option = bench_text_next_option(&rest, names, &value)))
		bench_text_add_option(&text, option, value);
	bench_text_add(&text, "%s", source->comparison->env_change_count ? " --allow-env-change" : "");
	return bench_text_keep(&text, list->arena);
}

/* "bench compare RUN --baseline NAME", which compares the same again. */
static char *compare_again(struct list *list)
{
	const struct bench_comparison *comparison = list->source->comparison;
	const char *name = comparison->baseline_name;
	if (bench_compare_baseline_kind(name, NULL) == BENCH_BASELINE_ANCHOR)
		name = "anchor";
	else if (comparison->baseline_count == 1)
		name = comparison->baseline_ids[0];
	struct bench_text text = {0};
	bench_text_add(&text, "bench compare ");
	bench_text_add_shell(&text, comparison->candidate_id);
	bench_text_add_option(&text, "baseline", name);
	bench_text_add(&text, "%s%s", judging(list), list->places);
	return bench_text_keep(&text, list->arena);
}

/* What stands behind the numbers of a verdict. */
static void add_look(struct list *list)
{
	const struct bench_comparison *comparison = list->source->comparison;
	bool again = comparison->baseline_count > 0 ||
		     bench_compare_baseline_kind(comparison->baseline_name, NULL) == BENCH_BASELINE_ANCHOR;
	if (again && !is_duel(list->source->candidate))
		add(list, "to see the statistics",
		    bench_arena_format(list->arena, "%s --explain", compare_again(list)));
	else
		add(list, "to see the times of both sides",
		    bench_arena_format(list->arena, "bench show %s%s",
				       quoted(list->arena, comparison->candidate_id), list->places));
}

/* Adds the options of the run's command that brought code along, of those named. */
static void add_code(struct list *list, const char *const *names, struct bench_text *command)
{
	const struct bench_run *run = list->source->candidate;
	char *rest = bench_arena_string(list->arena, run->command ? run->command : "");
	const char *option, *value;
	while ((option = bench_text_next_option(&rest, names, &value)))
		bench_text_add_option(command, option, value);
}

static void add_bisect(struct list *list, const struct bench_verdict *verdict)
{
	const struct bench_run *run = list->source->candidate;
	const char *good = list->source->comparison->baseline_commit, *bad = run ? run->git.commit : NULL;
	if (!good || !*good || !bad || !*bad || strcmp(good, bad) == 0)
		return;
	static const char *const code[] = {"kernel", "spec", "plugin", "exec", "exec-shell", NULL};
	struct bench_text command = {0};
	bench_text_add(&command, "bench bisect %.12s %.12s", good, bad);
	bench_text_add_option(
		&command, "suite",
		bench_arena_format(list->arena, "%.*s", (int)strcspn(verdict->key, "/"), verdict->key));
	add_code(list, code, &command);
	add(list, "to find the commit", bench_text_keep(&command, list->arena));
}

static void add_accept(struct list *list, const char *what, const struct bench_verdict *verdict)
{
	add(list, what,
	    bench_arena_format(list->arena, "bench baseline accept %s --why '...'%s",
			       quoted(list->arena, verdict->key), list->places));
}

/* An open alarm: look, find the commit, accept. */
static bool add_alarm(struct list *list)
{
	struct bench_alarm_group *groups;
	size_t count, open = 0;
	const struct bench_verdict_alarm *alarm = NULL;
	bench_render_alarms(list->arena, list->source->comparison, &groups, &count);
	for (size_t i = 0; i < count; i++) {
		if (groups[i].alarm.recovered || !groups[i].alarm.id)
			continue;
		alarm = alarm ? alarm : &groups[i].alarm;
		open++;
	}
	if (!alarm)
		return false;
	const long long id = (long long)alarm->id;
	add(list, bench_arena_format(list->arena, "to look at alarm %lld", id),
	    bench_arena_format(list->arena, "bench alarms show %lld%s", id, list->places));
	if (*alarm->good_commit && *alarm->bad_commit && strcmp(alarm->good_commit, alarm->bad_commit) != 0 &&
	    !*alarm->culprit)
		add(list, "to find the commit",
		    bench_arena_format(list->arena, "bench bisect --alarm %lld%s", id, list->places));
	if (bench_compare_baseline_kind(list->source->comparison->baseline_name, NULL) ==
		    BENCH_BASELINE_ANCHOR &&
	    !(alarm->cause && *alarm->cause))
		add(list, "to see why it is slower",
		    bench_arena_format(list->arena, "bench why --alarm %lld%s", id, list->places));
	add(list, bench_arena_format(list->arena, "if it is intended, to accept alarm %lld", id),
	    bench_arena_format(list->arena, "bench alarms accept %lld --why '...'%s", id, list->places));
	if (open > 1)
		add(list, bench_arena_format(list->arena, "to see all %zu alarms", open),
		    bench_arena_format(list->arena, "bench alarms%s", list->places));
	return true;
}

/* Behind the variables of the environment that the run was made with. */
static char *as_measured(struct list *list, const char *command)
{
	const struct bench_run *run = list->source->candidate;
	return run ? bench_record_command_with(run, command, list->arena)
		   : bench_arena_string(list->arena, command);
}

/* A duel's command as one of `bench why`, without the options about its verdicts; it has more tests, which
 * need more invocations. */
static char *why_of(struct list *list)
{
	static const char *const flags[] = {"--strict", "--all", "--explain"}, *const valued[] = {
										       "--only", "--format",
										       "--invocations"};
	char *rest = bench_arena_string(list->arena, list->source->command), *word;
	struct bench_text text = {0};
	bool open, skip = false;
	for (size_t at = 0; (word = bench_text_next_shell(&rest, &open)); at++) {
		bool left = skip;
		skip = false;
		left |= BENCH_FIND(flags, sizeof(flags) / sizeof(flags[0]), word) != NULL;
		for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++) {
			size_t length = strlen(valued[i]);
			bool is_it = strncmp(word, valued[i], length) == 0 &&
				     (!word[length] || word[length] == '=');
			left |= is_it;
			skip |= is_it && !word[length];
		}
		if (left)
			continue;
		bench_text_add(&text, "%s", at ? " " : "");
		bench_text_add_shell(&text, at == 1 ? "why" : word);
	}
	return bench_text_keep(&text, list->arena);
}

static void add_slower(struct list *list)
{
	const struct bench_verdict *slower = first_of(list->source->comparison, BENCH_SLOWER);
	if (add_alarm(list))
		return;
	add_look(list);
	if (slower && is_duel(list->source->candidate) && list->source->command &&
	    strncmp(list->source->command, "bench duel ", strlen("bench duel ")) == 0)
		add(list, "to see why", as_measured(list, why_of(list)));
	if (!slower || is_duel(list->source->candidate))
		return;
	add_bisect(list, slower);
	if (list->source->comparison->baseline_count > 0)
		add_accept(list, "if it is intended, to accept the slowdown", slower);
}

/*
 * The command of a case. A record has the text of commands, for use elsewhere: here, the run's own option
 * names them, or the project file does.
 */
static char *repeat(struct list *list, const struct bench_result *result)
{
	static const char *const commands[] = {"exec", "exec-shell", NULL};
	struct bench_text command = {0};
	bench_text_add(&command, "%s",
		       bench_render_next_with(list->arena, result->repeat, "extension", NULL));
	add_code(list, commands, &command);
	return bench_record_command_with(list->source->candidate, bench_text_keep(&command, list->arena),
					 list->arena);
}

static void add_broken(struct list *list)
{
	const struct bench_run *run = list->source->candidate;
	const struct bench_verdict *broken = first_of(list->source->comparison, BENCH_BROKEN);
	for (size_t i = 0; run && broken && i < run->result_count; i++)
		if (strcmp(run->results[i].key, broken->key) == 0 && run->results[i].repeat &&
		    *run->results[i].repeat) {
			add(list, "to see it fail again", repeat(list, &run->results[i]));
			return;
		}
	add(list, "to see the run",
	    bench_arena_format(list->arena, "bench show %s%s",
			       quoted(list->arena, list->source->comparison->candidate_id), list->places));
}

/*
 * What shows why a case is absent: the case alone, which names the reason, by its key
 * "gemm/opencl:cpu/m=8,n=8/time". Of commands and kernels that the run brought along, the key does not have
 * the options: there the run shows the reason.
 */
static void add_absent(struct list *list, const struct bench_verdict *missing, bool compared)
{
	const struct bench_run *run = list->source->candidate;
	const char *target = missing ? strchr(missing->key, '/') : NULL;
	const char *point = target ? strchr(target + 1, '/') : NULL,
		   *end = point ? strrchr(point, '/') : NULL;
	if (run && run->selection.extension_count == 0 && end > point + 1) {
		struct bench_arena *arena = list->arena;
		struct bench_text text = {0};
		bench_text_add(&text, "bench run --no-store");
		bench_text_add_option(
			&text, "suite",
			bench_arena_format(arena, "%.*s", (int)(target - missing->key), missing->key));
		bench_text_add_option(
			&text, "backend",
			bench_arena_format(arena, "%.*s", (int)(point - target - 1), target + 1));
		bench_text_add_option(&text, "set",
				      bench_arena_format(arena, "%.*s", (int)(end - point - 1), point + 1));
		add(list, "to see why it is absent",
		    bench_record_command_with(run, bench_text_keep(&text, arena), arena));
	} else if (!compared) {
		add(list, "to see what the run has",
		    bench_arena_format(list->arena, "bench show %s%s",
				       quoted(list->arena, list->source->comparison->candidate_id),
				       list->places));
	}
}

static void add_missing(struct list *list)
{
	const struct bench_comparison *comparison = list->source->comparison;
	const struct bench_verdict *missing = first_of(comparison, BENCH_MISSING);
	const char *base = base_run(comparison);
	if (base)
		add(list, "to see what differs",
		    bench_arena_format(list->arena, "bench diff %s %s%s", quoted(list->arena, base),
				       quoted(list->arena, comparison->candidate_id), list->places));
	add_absent(list, missing, base != NULL);
	if (missing && !is_duel(list->source->candidate))
		add_accept(list, "to accept that it is gone", missing);
}

/*
 * Invocations of a new run that would decide it; 0: none would. Where the baseline has fewer than it takes a
 * side, more make up for it, as the variance of a difference goes by 1/base + 1/new; up to twice as many.
 */
static size_t enough(const struct bench_verdict *verdict, bool of_pairs)
{
	const size_t base = verdict->base_invocations, needed = verdict->needed;
	if (of_pairs || base >= needed)
		return needed;
	return 3 * base >= 2 * needed ? (base * needed - 1) / (2 * base - needed) + 1 : 0;
}

/*
 * The unclear metric that takes the most invocations, of those that more of them would decide; NULL: none.
 * Where fewer than a quarter were quiet, more would be disturbed.
 */
static const struct bench_verdict *hardest(const struct bench_comparison *comparison, bool of_pairs)
{
	const struct bench_verdict *most = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		const size_t quiet = verdict->candidate_invocations;
		if (verdict->kind == BENCH_UNCLEAR && quiet > 0 &&
		    3 * quiet >= verdict->candidate_disturbed &&
		    enough(verdict, of_pairs) > (most ? enough(most, of_pairs) : quiet))
			most = verdict;
	}
	return most;
}

/* The same measurement with so many undisturbed invocations, and time for them. */
static char *longer(struct list *list, const char *command, const struct bench_verdict *verdict, size_t count)
{
	const struct bench_run *run = list->source->candidate;
	const struct bench_report_gate *gate = list->source->gate;
	double seconds = gate                   ? gate->seconds
			 : run && run->finished ? (double)(run->finished - run->started)
						: 0;
	double have = (double)(verdict->candidate_invocations + verdict->candidate_disturbed);
	/* Of those, as many will be disturbed again. */
	double wanted = ceil((double)count * have / (double)verdict->candidate_invocations);
	command = bench_render_next_with(list->arena, command, "invocations",
					 bench_arena_format(list->arena, "%.0f", wanted));
	if (seconds > 0 && run && run->budget_seconds > 0 && have > 0) {
		double budget = bench_render_words_budget(seconds * fmax(wanted / have, 1) * RESERVE);
		command = bench_render_next_with(list->arena, command, "budget",
						 bench_arena_format(list->arena, "%.0fs", budget));
	}
	return as_measured(list, command);
}

/* One command that would decide what is unclear. */
static void add_decide(struct list *list)
{
	const struct bench_next_source *source = list->source;
	const bool of_pairs = source->comparison->baseline_count == 0;
	const struct bench_verdict *verdict = hardest(source->comparison, of_pairs), *few;
	const size_t count = verdict ? enough(verdict, of_pairs) : 0;
	const char *run_command = source->candidate ? source->candidate->command : "";
	bool runs = run_command && strncmp(run_command, "bench run", strlen("bench run")) == 0;
	bool measures = source->gate || is_duel(source->candidate);
	/* More of the same would be disturbed again. */
	bool loaded = verdict && verdict->candidate_disturbed > verdict->candidate_invocations;
	const char *decide = loaded ? "then, to decide it" : "to decide it";
	if (loaded)
		add(list, "first, to find the load", "bench doctor");
	if (!verdict && source->gate && !source->gate->in_turns && source->command) {
		const char *command = bench_render_next_with(list->arena, source->command, "baseline", NULL);
		command = bench_render_next_with(list->arena, command, "reference", NULL);
		/* Commands alone are never judged by pairs. */
		if (strcmp(command, source->command) != 0)
			add(list, "to judge by pairs instead, from the next night on",
			    as_measured(list, command));
		else
			add(list, "to see what disturbs this machine", "bench doctor");
	} else if (!verdict && !source->gate && runs && (few = hardest(source->comparison, true))) {
		add(list, "the baseline has too few invocations; for one that can decide",
		    longer(list, run_command, few, few->needed));
	} else if (!verdict) {
		add(list, "to see what disturbs this machine", "bench doctor");
		if (measures && source->command)
			add(list, "then, to measure again", as_measured(list, source->command));
	} else if (measures && source->command) {
		add(list, decide, longer(list, source->command, verdict, count));
	} else if (runs) {
		const char *base = base_run(source->comparison);
		base = base ? base : source->comparison->baseline_name;
		add(list, decide,
		    bench_arena_format(list->arena, "%s && bench compare last --baseline %s%s%s",
				       longer(list, run_command, verdict, count), quoted(list->arena, base),
				       judging(list), list->places));
	} else if (run_command && strncmp(run_command, "bench gate", strlen("bench gate")) == 0) {
		add(list, decide, longer(list, run_command, verdict, count));
	} else {
		add(list, "to see the statistics",
		    bench_arena_format(list->arena, "%s --explain", compare_again(list)));
	}
}

size_t bench_render_next(struct bench_arena *arena, const struct bench_next_source *source,
			 struct bench_next **next)
{
	struct list list = {.arena = arena, .source = source, .places = source->places ? source->places : ""};
	const struct bench_answer answer =
		bench_render_answer(arena, source->comparison, source->gate, source->failing);
	const struct bench_comparison *comparison = source->comparison;
	if (comparison->counts[BENCH_BROKEN])
		add_broken(&list);
	if (comparison->counts[BENCH_MISSING])
		add_missing(&list);
	if (answer.is_slower || (answer.is_bad && comparison->counts[BENCH_SLOWER]))
		add_slower(&list);
	if (answer.is_open)
		add_decide(&list);
	const char *night = source->gate        ? source->command
			    : source->candidate ? source->candidate->command
						: "";
	if (answer.waits && night && is_night(night) && !is_duel(source->candidate))
		add(&list,
		    comparison->counts[BENCH_SUSPECTED] ? "the next night decides it"
							: "the next night, the same command",
		    as_measured(&list, night));
	*next = list.items;
	return list.count;
}

void bench_render_next_markdown(const struct bench_next *next, size_t count, struct bench_text *out)
{
	for (size_t i = 0; i < count; i++) {
		BENCH_SCOPED_TEXT line = {0};
		bench_text_add_line(&line, next[i].command);
		bench_text_add(out, "\n%s:\n\n    %s\n", next[i].what, line.data ? line.data : "");
	}
}
