/* SPDX-License-Identifier: MIT */
/* bench bisect: the first slower commit between two, by duels. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "app/bisect.h"
#include "cli/arguments.h"
#include "cli/by_alarm.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"

#define LEAST_SHOWN 0.005 /* probability of a commit that is listed where several are left */
#define MOST_SHARE  0.8   /* of the change: with less there is another commit to look for */

static const struct cli_option options[] = {
	{"build", 0, "CMD", "shell command that builds a commit; runs at the top of a work tree"},
	{"program", 0, "PATH", "the executable that it builds"},
	{"keep", 0, "PATH", "another build output that the executable needs; repeatable"},
	{"build-limit", 0, "TIME", "a build that takes longer has failed"},
	{"repo", 0, "DIR", "the repository"},
	{"state", 0, "DIR", "the folder that keeps the progress"},
	{"alarm", 0, "N", "take commits and cases from this alarm, and tell it the commit"},
	{"error", 0, "P", "probability of naming a wrong commit"},
	{"faster", 0, NULL, "look for the commit that made it faster"},
	CLI_OPTIONS_MEASURING,
	CLI_OPTION_NO_STORE,
	{"threshold", 0, "P", "the smallest change between GOOD and BAD to look for"},
	{"alpha", 0, "A", "probability of searching for a change that does not exist"},
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"budget", NULL, NULL, "no limit"},
	{"build-limit", NULL, "1h", NULL},
	{"error", NULL, "1%", NULL},
	{"invocations", NULL, NULL, "as many as a step needs"},
	{"precision", NULL, NULL, "0.1%"},
	{"build", NULL, NULL, "by the build file: cmake, meson, cargo, make"},
	{"program", NULL, NULL, BENCH_APP_BISECT_PROGRAM "; with your own code, this bench"},
	{"repo", NULL, ".", "that of this folder"},
	{"state", NULL, NULL, "RUNS-DIR/bisect/GOOD-BAD-SEARCH"},
	{"threshold", NULL, "2%", NULL},
	{0},
};

static bool brings_code(const char *name)
{
	return cli_is_among(name, bench_app_bisect_code_options);
}

/* `args` is changed: code is brought by the commits. */
static int read_request(struct cli_args *args, struct bench_app_bisect_request *request,
			struct bench_error *error)
{
	*request = (struct bench_app_bisect_request){.repository = cli_value(args, "repo"),
						     .program = cli_value(args, "program"),
						     .state = cli_value(args, "state"),
						     .faster = cli_given(args, "faster")};
	uint64_t alarm;
	request->keep = cli_values(args, "keep", &request->keep_count);
	if (cli_read_whole(args, "alarm", 1, INT64_MAX, &alarm, error) != 0)
		return -1;
	request->alarm = (int64_t)alarm;
	request->alarm_cases = alarm && !cli_is_chosen(args);
	if (args->operand_count < 2 && !(alarm && args->operand_count == 0))
		return bench_fail(error, BENCH_USAGE,
				  "bench bisect needs two commits: bench bisect GOOD BAD; 'bench bisect "
				  "--help' has examples");
	if (request->alarm_cases && cli_choose_by_alarm(args, alarm, error) != 0)
		return -1;
	request->code.folder = args->exec_folder;
	cli_part(args, brings_code, &request->code);
	if (cli_read_build(args, request->code.count > 0, &request->build, error) != 0)
		return -1;
	if (!request->program && !request->code.count)
		request->program = BENCH_APP_BISECT_PROGRAM;
	request->good = args->operand_count ? args->operands[0] : NULL;
	request->bad = args->operand_count ? args->operands[1] : NULL;
	if (cli_read_judging(args, NULL, &request->threshold, &request->alpha, error) != 0 ||
	    cli_read_seconds(args, "build-limit", &request->build_limit, error) != 0 ||
	    cli_read_fraction(args, "error", 1e-6, 0.4, &request->error, error) != 0)
		return -1;
	return cli_read_request(args, &request->measure, error);
}

/* The ratio that a look found, with the ends of its interval. */
static void find_ratio(const struct bench_app_bisect *bisect, const struct bench_bisect_look *look,
		       double ratio[3])
{
	double sign = bisect->request->faster ? -1 : 1, reach = BENCH_APP_BISECT_INTERVAL * look->error;
	ratio[0] = exp(sign * look->shift);
	ratio[1] = exp(sign * look->shift - reach);
	ratio[2] = exp(sign * look->shift + reach);
}

/* "" of NaN. */
static const char *shown(struct bench_grid *grid, const char *format, double value)
{
	char text[64];
	snprintf(text, sizeof(text), format, value);
	return isnan(value) ? "" : bench_arena_string(&grid->arena, text);
}

static double share_of(const struct bench_app_bisect *bisect)
{
	return bisect->step.shift / bisect->whole.shift;
}

/* How much the step changes, in up to four columns; of the whole range where no duel of the two next to each
 * other was made. */
static void tell_ratio(struct bench_grid *grid, const struct bench_app_bisect *bisect, bool exact,
		       const char *texts[4])
{
	double ratio[3];
	find_ratio(bisect, &bisect->step, ratio);
	if (exact) {
		for (size_t i = 0; i < 3; i++)
			texts[i] = shown(grid, "%.6g", ratio[i]);
		texts[3] = shown(grid, "%.4g", share_of(bisect));
	} else if (!isnan(ratio[0])) {
		texts[0] = shown(grid, "%+.2f%%", 100 * (ratio[0] - 1));
		texts[1] = bench_arena_format(&grid->arena, "%+.2f%%..%+.2f%%", 100 * (ratio[1] - 1),
					      100 * (ratio[2] - 1));
		texts[2] = shown(grid, "%.0f%%", 100 * share_of(bisect));
	}
}

static size_t count_duels(const struct bench_app_bisect *bisect, size_t position)
{
	size_t count = 0;
	for (size_t i = 0; i < bisect->look_count; i++)
		count += bisect->looks[i].base == position || bisect->looks[i].head == position;
	return count;
}

/* What a row is: the answer, or what is left of it. */
static const char *name_of(const struct bench_app_bisect *bisect)
{
	const struct bench_bisect_state *found = &bisect->found;
	if (bisect->outcome != BENCH_OUTCOME_GOOD)
		return "possible";
	if (found->head - found->base > 1)
		return "one of these";
	return bisect->request->faster ? "first faster" : "first slower";
}

static void add_row(struct bench_grid *grid, const struct bench_app_bisect *bisect, size_t position,
		    bool exact)
{
	const struct bench_app_bisect_commit *commit = &bisect->commits[position];
	const double probability = bisect->found.posterior[position];
	const char *hash = commit->commit.hash, *change[4] = {"", "", "", ""};
	if (bisect->outcome == BENCH_OUTCOME_GOOD)
		tell_ratio(grid, bisect, exact, change);
	bench_render_grid_add(
		grid,
		(const char *[]){
			name_of(bisect), exact ? hash : bench_arena_format(&grid->arena, "%.12s", hash),
			exact ? shown(grid, "%.6g", probability) : shown(grid, "%.1f%%", 100 * probability),
			change[0], change[1], change[2], change[3],
			shown(grid, "%.0f", (double)count_duels(bisect, position)), commit->commit.date,
			commit->commit.subject, commit->skipped ? commit->skipped : ""});
}

static void add_columns(struct bench_grid *grid, bool exact)
{
	static const char *const changes[][4] = {{"change", "interval", "share", ""},
						 {"ratio", "lo", "hi", "share"}};
	const char *const *change = changes[exact];
	const struct bench_grid_column columns[] = {
		{"result", false, 0}, {"commit", false, 0},  {"probability", true, 0}, {change[0], true, 1},
		{change[1], true, 1}, {change[2], true, 1},  {change[3], true, 1},     {"duels", true, 4},
		{"date", false, 3},   {"subject", false, 0}, {"skipped", false, 2}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
}

/* "+9.1% (+8.2% to +10.0%)" */
static const char *change_text(struct bench_arena *arena, const struct bench_app_bisect *bisect,
			       const struct bench_bisect_look *look)
{
	double ratio[3];
	find_ratio(bisect, look, ratio);
	return bench_arena_format(arena, "%+.2f%% (%+.2f%% to %+.2f%%)", 100 * (ratio[0] - 1),
				  100 * (ratio[1] - 1), 100 * (ratio[2] - 1));
}

/* The commits that are left at the chance of error that was asked for, as places behind GOOD. */
static void find_left(const struct bench_app_bisect *bisect, size_t *first, size_t *last)
{
	const double *posterior = bisect->found.posterior;
	double tail = bisect->request->error / 2, before = 0, behind = 0;
	*first = 1;
	*last = bisect->count - 1;
	while (*first < *last && before + posterior[*first] < tail)
		before += posterior[(*first)++];
	while (*last > *first && behind + posterior[*last] < tail)
		behind += posterior[(*last)--];
}

/* The first line: "FOUND: 4af884b1c2d3 is slower, with a probability of 99.4%: Unroll the loop". */
static const char *answer(struct bench_arena *arena, const struct bench_app_bisect *bisect)
{
	const struct bench_bisect_state *found = &bisect->found;
	const char *word = bisect->request->faster ? "faster" : "slower";
	size_t first, last;
	if (!found->posterior)
		return "UNDECIDED: no duel has told yet whether GOOD and BAD differ";
	if (bisect->outcome == BENCH_OUTCOME_GOOD && found->head - found->base > 1)
		return bench_arena_format(
			arena, "FOUND: one of %zu commits made it %s, with a probability of %.2f%%",
			found->head - found->base, word, 100 * found->probability);
	if (bisect->outcome == BENCH_OUTCOME_GOOD)
		return bench_arena_format(arena, "FOUND: %.12s made it %s, with a probability of %.2f%%",
					  bisect->commits[found->head].commit.hash, word,
					  100 * found->probability);
	find_left(bisect, &first, &last);
	return bench_arena_format(arena, "%s: %zu commit%s left, after %.12s up to %.12s",
				  bisect->outcome == BENCH_OUTCOME_INTERRUPTED ? "INTERRUPTED" : "UNDECIDED",
				  last - first + 1, last == first ? " is" : "s are",
				  bisect->commits[first - 1].commit.hash, bisect->commits[last].commit.hash);
}

/* How much there was to explain, and what it took. */
static void add_measured(struct bench_arena *arena, const struct bench_app_bisect *bisect,
			 struct bench_text *out)
{
	size_t skipped = 0;
	for (size_t k = 0; k < bisect->count; k++)
		skipped += bisect->skipped[k];
	bench_text_add(out, "BAD over GOOD: %s in %zu case%s; %zu duel%s; %zu of %zu commit%s skipped\n",
		       change_text(arena, bisect, &bisect->whole), bisect->case_count,
		       bench_text_plural(bisect->case_count), bisect->look_count,
		       bench_text_plural(bisect->look_count), skipped, bisect->count - 1,
		       bench_text_plural(bisect->count - 1));
}

static void add_command(struct bench_text *out, const char *what, const char *command)
{
	bench_text_add(out, "\n%s:\n  %s\n", what, command);
}

/* The options of the command line, as the printed commands repeat them. */
struct said {
	const char *all, *without_state; /* the state is that of one search */
	const char *places;              /* of those, where the history is */
};

/* The search that was asked for, again. */
static const char *same_command(struct bench_arena *arena, const struct bench_app_bisect *bisect,
				const struct said *said)
{
	struct bench_text text = {0};
	bench_text_add(&text, "bench bisect");
	if (bisect->request->good)
		bench_text_add_command(&text, " %s %s", bisect->request->good, bisect->request->bad);
	bench_text_add(&text, "%s", said->all);
	return bench_text_keep(&text, arena);
}

/* Searches before and behind what was found, which explains less than the whole change. */
static void add_rest(struct bench_arena *arena, const struct bench_app_bisect *bisect,
		     const struct said *said, struct bench_text *out)
{
	const struct bench_bisect_state *found = &bisect->found;
	const size_t ends[][2] = {{0, found->base}, {found->head, bisect->count - 1}};
	const char *what = "to find the rest of the change";
	for (size_t i = 0; i < 2; i++) {
		if (ends[i][0] == ends[i][1])
			continue;
		add_command(out, what,
			    bench_arena_format(arena, "bench bisect %.12s %.12s%s",
					       bisect->commits[ends[i][0]].commit.hash,
					       bisect->commits[ends[i][1]].commit.hash, said->without_state));
		what = "or, behind that commit";
	}
}

/* What to do next, as commands. */
static void add_next(struct bench_arena *arena, const struct bench_app_bisect *bisect,
		     const struct said *said, struct bench_text *out)
{
	const struct bench_bisect_state *found = &bisect->found;
	const char *command = same_command(arena, bisect, said);
	const long long told = bisect->told, around = bisect->alarm;
	const bool is_found = bisect->outcome == BENCH_OUTCOME_GOOD;
	if (!is_found && (bisect->exhausted || bisect->outcome == BENCH_OUTCOME_INTERRUPTED)) {
		add_command(out, "to continue, from where it stopped", command);
		return;
	}
	if (!is_found)
		return;
	const char *hash = bisect->commits[found->head].commit.hash;
	add_command(out, "to see the commit", bench_arena_format(arena, "git show %.12s", hash));
	if (bisect->why)
		add_command(out, "to see why, on the builds that were kept",
			    bench_arena_format(arena, "%s%s", bisect->why, said->places));
	if (share_of(bisect) < MOST_SHARE)
		add_rest(arena, bisect, said, out);
	if (told)
		add_command(out,
			    bench_arena_format(arena, "alarm %lld names the commit now; to see it", told),
			    bench_arena_format(arena, "bench alarms show %lld%s", told, said->places));
	if (around)
		add_command(out,
			    bench_arena_format(arena,
					       "alarm %lld is about these commits; to name the commit in it",
					       around),
			    bench_arena_format(arena, "%s --alarm %lld", command, around));
}

/* The answer first, at a terminal; then the rows, what was measured, and the next commands. */
static int show(struct cli_call *call, const struct bench_app_bisect *bisect, const struct said *said)
{
	const struct bench_bisect_state *found = &bisect->found;
	struct bench_arena *arena = call->args->arena;
	bool over = bisect->outcome == BENCH_OUTCOME_GOOD, exact = call->report.format->exact;
	if (call->report.format->terminal)
		bench_text_add(&call->out, "%s\n%s", answer(arena, bisect), found->posterior ? "\n" : "");
	if (found->posterior) {
		add_columns(&call->grid, exact);
		for (size_t k = 1; k < bisect->count; k++)
			if (over ? k > found->base && k <= found->head : found->posterior[k] >= LEAST_SHOWN)
				add_row(&call->grid, bisect, k, exact);
		cli_add_grid(call);
	}
	if (call->report.format->terminal) {
		if (found->posterior)
			add_measured(arena, bisect, &call->out);
		if (bisect->outcome == BENCH_OUTCOME_UNCLEAR)
			bench_text_add(&call->out, bisect->exhausted ? "the budget is used up\n"
								     : "more duels would not decide it\n");
		add_next(arena, bisect, said, &call->out);
	}
	return cli_print(&call->out, cli_exit(bisect->outcome));
}

static int bisect(struct cli_call *call, struct bench_error *error)
{
	struct bench_app_bisect_request request;
	struct bench_app_bisect bisect = {0};
	int status = -1;
	/* Before the request takes the code's options out. */
	const struct said said = {cli_said_options(call->args, ""), cli_said_options(call->args, "state"),
				  cli_same_places(call->args)};
	if (read_request(call->args, &request, error) == 0 &&
	    bench_app_bisect(&bisect, &request, cli_host(), error) == 0)
		status = show(call, &bisect, &said);
	bench_app_bisect_free(&bisect);
	return status;
}

const struct cli_verb cli_bisect = {
	.name = "bisect",
	.summary = "find the commit that made something slower",
	.usage = "GOOD BAD [--build CMD] [--plugin F.so] [--kernel F.cl] [--exec CMD] [options]\n--alarm N "
		 "[options]",
	.about = "GOOD and BAD are commits of this folder's repository. What is measured are the kernels, "
		 "plug-ins and commands of each commit; without any, the bench that the commit builds. A "
		 "duel of the two ('bench duel "
		 "--help') shows which cases are slower, and by how much. bisect then builds commits between "
		 "them, in a work tree beside the repository, and measures each against GOOD. Each "
		 "step picks the commit that halves the probability of being guilty, until one commit has "
		 "99% (1 - --error) and a duel with its predecessor agrees. It skips commits that do not "
		 "build or give wrong "
		 "results. Progress is kept: the same command continues after an interruption, or when its "
		 "--budget has run out. docs/bisect.md explains the method and its error rate.\n"
		 "Exit status: 0 found; 2 usage; 3 GOOD and BAD do not differ; 5 one of them cannot be "
		 "built, or git or storage failed; 6 not decided; 130 if interrupted.",
	.examples = "# what an alarm of the gate is about\n"
		    "bench bisect --alarm 3\n"
		    "# a function\n"
		    "bench bisect v1.2 HEAD --plugin build/function.so --build 'make -j8'\n"
		    "# a bench\n"
		    "bench bisect v1.2 HEAD --suite gemm --set n=512 --backend openblas \\\n"
		    "  --build 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build'\n"
		    "# another repository, half an hour at most\n"
		    "bench bisect 1a2b3c4 main --repo ../other --build 'make -j8 bench' --program bench "
		    "--suite spmv --budget 30m",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 2,
	.run = bisect,
};
