/* SPDX-License-Identifier: MIT */
/* bench backfill: measures the commits of a range against one executable, and adds them to the history. */
#include <string.h>

#include "app/backfill.h"
#include "app/bisect.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "report/render/changes.h"

#define MOST_COMMITS  1000000
#define LEAST_SECONDS 1.0 /* of a commit's run */
#define SKIPPED_SHOWN 5

static const struct cli_option options[] = {
	{"every", 0, "N", "only every Nth commit, counted back from B"},
	{"steps", 0, "N", "at most N commits of the range"},
	{"missing", 0, NULL, "only commits for which the history has no run from this host"},
	{"build", 0, "CMD", "shell command that builds a commit; runs at the top of a work tree"},
	{"program", 0, "PATH", "the bench that it builds"},
	{"keep", 0, "PATH", "another build output that is needed; repeatable"},
	{"build-limit", 0, "TIME", "a build that takes longer has failed"},
	{"run-budget", 0, "TIME", "time to measure one commit"},
	{"anchor", 0, "COMMIT", "the commit that all others are measured against"},
	{"repo", 0, "DIR", "the repository"},
	{"state", 0, "DIR", "the folder of the anchor, the build logs and the skipped commits"},
	CLI_OPTIONS_MEASURING,
	CLI_OPTIONS_SHIFT,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"anchor", NULL, NULL, "that of earlier calls, else B"},
	{"budget", NULL, NULL, "no limit"},
	{"build", NULL, NULL, "by the build file: cmake, meson, cargo, make"},
	{"build-limit", NULL, "1h", NULL},
	{"every", NULL, "1", NULL},
	{"invocations", NULL, NULL, "two a second, 6 to 32"},
	{"precision", NULL, NULL, "0.1%"},
	{"program", NULL, NULL, BENCH_APP_BISECT_PROGRAM "; with your own code, this bench"},
	{"repo", NULL, ".", "that of this folder"},
	{"run-budget", NULL, NULL, "16s a case, 1m to 15m"},
	{"state", NULL, NULL, "RUNS-DIR/backfill"},
	{"steps", NULL, NULL, "all"},
	{"threshold", NULL, "2%", NULL},
	{0},
};

/* The options that bring code: this process has loaded that of the working tree, and commits have theirs. */
static void read_code(const struct cli_args *args, struct bench_app_bisect_code *code)
{
	struct bench_project_setting *found =
		bench_arena_alloc(args->arena, args->given_count + 1, sizeof(*found));
	for (size_t i = 0; i < args->given_count; i++)
		for (const char *const *name = bench_app_bisect_code_options; *name; name++)
			if (strcmp(args->given[i]->name, *name) == 0)
				found[code->count++] = (struct bench_project_setting){*name, args->values[i]};
	code->options = found;
	code->folder = args->exec_folder;
}

static int read_request(const struct cli_args *args, struct bench_app_backfill_request *request,
			struct bench_error *error)
{
	uint64_t every, steps;
	*request = (struct bench_app_backfill_request){.repository = cli_value(args, "repo"),
						       .program = cli_value(args, "program"),
						       .anchor = cli_value(args, "anchor"),
						       .state = cli_value(args, "state"),
						       .missing = cli_given(args, "missing")};
	request->keep = cli_values(args, "keep", &request->keep_count);
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "bench backfill needs a range of commits: bench backfill A..B --build CMD; "
				  "'bench backfill --help' has examples");
	request->range = args->operands[0];
	if (cli_read_whole(args, "every", 1, MOST_COMMITS, &every, error) != 0 ||
	    cli_read_whole(args, "steps", 1, MOST_COMMITS, &steps, error) != 0 ||
	    cli_read_seconds(args, "build-limit", &request->build_limit, error) != 0 ||
	    cli_read_seconds(args, "run-budget", &request->run_budget, error) != 0 ||
	    cli_read_judging(args, NULL, &request->threshold, &request->alpha, error) != 0 ||
	    cli_read_request(args, &request->measure, error) != 0)
		return -1;
	read_code(args, &request->code);
	if (cli_read_build(args, request->code.count > 0, &request->build, error) != 0)
		return -1;
	if (cli_given(args, "run-budget") && request->run_budget < LEAST_SECONDS)
		return bench_fail(error, BENCH_USAGE, "--run-budget %gs: a commit needs a second at least",
				  request->run_budget);
	if (!request->program && request->code.count == 0)
		request->program = BENCH_APP_BISECT_PROGRAM;
	request->every = (size_t)every;
	request->steps = (size_t)steps;
	return 0;
}

static void say_skipped(const struct bench_app_backfill *backfill, size_t skipped)
{
	size_t shown = 0;
	for (size_t i = 0; i < backfill->count && shown < SKIPPED_SHOWN; i++) {
		const struct bench_app_backfill_commit *commit = &backfill->commits[i];
		if (commit->skipped && ++shown)
			cli_say("skipped %.12s: %s", commit->commit.hash, commit->skipped);
	}
	if (skipped > shown)
		cli_say("skipped %zu more; %s/skipped.jsonl names them", skipped - shown, backfill->state);
}

/* What the table of changes does not say. */
static void say(const struct bench_app_backfill *backfill)
{
	size_t measured = 0, skipped = 0, left = 0;
	for (size_t i = 0; i < backfill->count; i++) {
		measured += backfill->commits[i].measured;
		skipped += backfill->commits[i].skipped != NULL;
		left += backfill->commits[i].wanted;
	}
	say_skipped(backfill, skipped);
	if (backfill->change_count == 0)
		cli_say("no change of %.3g%% or more in %zu commit%s", 100 * backfill->request->threshold,
			measured, bench_text_plural(measured));
	cli_say("measured %zu of %zu commits against %.12s; %zu skipped", measured, backfill->count,
		backfill->anchor, skipped);
	if (backfill->outcome == BENCH_OUTCOME_INTERRUPTED)
		cli_say("interrupted; the same command continues");
	else if (backfill->exhausted)
		cli_say("the budget is used up, with %zu commit%s left; the same command continues", left,
			bench_text_plural(left));
	if (measured > 0)
		cli_say("to see each commit: bench history '*/relative_time'");
}

static int show(struct cli_call *call, const struct bench_app_backfill *backfill)
{
	const bool terminal = call->report.format->terminal;
	if (terminal)
		bench_render_changes_terminal(backfill->changes, backfill->change_count, &call->grid);
	else
		bench_render_changes_grid(backfill->changes, backfill->change_count,
					  call->report.format->exact, &call->grid);
	int status = cli_print_rows(call, cli_exit(backfill->outcome));
	if (terminal)
		say(backfill);
	return status;
}

static int backfill(struct cli_call *call, struct bench_error *error)
{
	struct bench_app_backfill_request request;
	struct bench_app_backfill backfill = {0};
	int status = -1;
	if (read_request(call->args, &request, error) == 0 &&
	    bench_app_backfill(&backfill, &request, cli_host(), error) == 0)
		status = show(call, &backfill);
	bench_app_backfill_free(&backfill);
	return status;
}

const struct cli_verb cli_backfill = {
	.name = "backfill",
	.summary = "measure old commits against one build, for the history",
	.usage = "A..B --build CMD [--every N] [--steps N] [--missing] [--suite S,..] [options]\n"
		 "A..B [--build CMD] --plugin FILE.so | --kernel FILE.cl | --exec CMD [options]",
	.about = "Builds the first-parent commits of this folder's repository from A to B in a work tree "
		 "beside it. Each is measured interleaved with the same build, the anchor, so its time "
		 "relative to the anchor does not depend on what else the machine does, and stays comparable "
		 "for years. Each commit becomes a run with the commit's date. The first commits are spread "
		 "over the range; the next ones go where neighbors differ. Commits that do not build are "
		 "skipped, and remembered. The same command continues after an interruption, or when its "
		 "--budget has run out. docs/how-to/backfill.md has examples.\n"
		 "Exit status: 0 commits were measured; 2 usage; 3 no commit could be measured, or A is not "
		 "an ancestor of B; 5 the anchor cannot be built, or git or storage failed; 6 the budget "
		 "ended before the first commit; 130 if interrupted.",
	.examples = "# every tenth commit of a year, in a night\n"
		    "bench backfill v1.0..main --every 10 --budget 8h --suite gemm --preset quick \\\n"
		    "  --build 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build'\n"
		    "# your own plug-in; the current build of it says what there is to measure\n"
		    "bench backfill v1.0..main --build make --plugin build/kernels.so --run-budget 10s",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1,
	.run = backfill,
};
