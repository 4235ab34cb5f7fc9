/* SPDX-License-Identifier: MIT */
/* bench why: a duel that is observed, and what of that explains its change. */

#include <string.h>

#include "app/anchor.h"
#include "app/bisect_alarm.h"
#include "app/duel.h"
#include "app/why.h"
#include "cli/arguments.h"
#include "cli/by_alarm.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "report/render/why.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	CLI_OPTION_NO_STORE,
	{"threshold", 0, "P", "the smallest change of the time that asks for a reason"},
	{"alpha", 0, "A", "probability of any false difference, over all that is observed"},
	{"all", 0, NULL, "also show what does not differ"},
	{"alarm", 0, "N", "take cases from this alarm, and tell it the answer"},
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	CLI_DEFAULTS_DUEL,
	{"threshold", NULL, "1%", NULL},
	{0},
};

struct why {
	struct cli_call *call;
	struct bench_app_request request;
	struct bench_app_measure measure;
	struct bench_app_duel sides;
	struct bench_alarm *alarm; /* that asks; NULL: none does */
};

/* The alarm, its cases in *only, and, where the command line has no sides, its anchor as the base. */
static int ask_alarm(struct why *why, const char **base, const char ***only, struct bench_error *error)
{
	struct cli_args *args = why->call->args;
	const char *db = cli_places(args).db;
	struct bench_error cause;
	uint64_t id;
	if (cli_read_whole(args, "alarm", 1, INT64_MAX, &id, error) != 0)
		return -1;
	if (id == 0)
		return 0;
	if (bench_app_bisect_alarm_find(db, (int64_t)id, why->call->args->arena, &why->alarm, error) != 0 ||
	    (!cli_is_chosen(args) && cli_choose_by_alarm(args, id, error) != 0))
		return -1;
	*only = bench_app_bisect_alarm_cases(why->alarm, why->call->args->arena);
	if (args->operand_count > 0)
		return 0;
	char *anchor;
	if (bench_app_anchor_of_alarm(db, why->alarm, why->call->args->arena, &anchor, &cause) == 0) {
		*base = anchor;
		return 0;
	}
	return bench_fail(error, BENCH_NOTHING,
			  "alarm %llu has no executable of the level before it (%s): 'bench bisect --alarm "
			  "%llu' builds both and prints the command; or name them: bench why BASE HEAD "
			  "--alarm %llu",
			  (unsigned long long)id, cause.text, (unsigned long long)id, (unsigned long long)id);
}

static int prepare(struct why *why, struct bench_error *error)
{
	const struct cli_args *args = why->call->args;
	struct bench_duel_options *judging = &why->sides.judging;
	const bool by_alarm = cli_given(args, "alarm") && args->operand_count == 0;
	const char *base = args->operand_count ? args->operands[0] : NULL;
	const char **only = NULL, *head = args->operand_count == 2 ? args->operands[1] : NULL;
	why->sides.across = true;
	if (args->operand_count < 2 && !by_alarm)
		return bench_fail(error, BENCH_USAGE,
				  "bench why needs two executables, as bench duel does: bench why BASE HEAD; "
				  "'bench why --help' has examples");
	if (ask_alarm(why, &base, &only, error) != 0 ||
	    cli_read_judging(args, NULL, &judging->threshold, &judging->alpha, error) != 0 ||
	    cli_read_request(args, &why->request, error) != 0 ||
	    bench_app_measure_plan(&why->measure, &why->request, cli_host(), only, error) != 0 ||
	    bench_app_duel_meet(&why->sides, &why->request.cases, base, head, why->measure.plan, error) != 0)
		return -1;
	why->sides.sides.observed = true;
	why->sides.tests_each = BENCH_WHY_TESTS;
	if (bench_app_duel_enter(&why->sides, args->verb->name, &why->measure, error) != 0)
		return -1;
	if (by_alarm)
		bench_app_duel_name_sides(&why->sides, why->measure.run);
	return bench_app_measure_open(&why->measure, error);
}

static void add_detail(struct bench_text *out, const char *title, const char *text)
{
	bench_text_add(out, "\n");
	bench_text_add_line(out, title);
	bench_text_add(out, ":\n");
	bench_text_add_lines(out, text);
	if (*text && text[strlen(text) - 1] != '\n')
		bench_text_add(out, "\n");
}

/* The answers first, then what was observed, the facts, and what could not be read. */
static void add_for_people(struct cli_call *call, const struct bench_whys *whys)
{
	struct bench_text *out = &call->out;
	struct bench_arena *arena = call->args->arena;

	for (size_t i = 0; i < whys->count; i++)
		bench_text_add(out, "%s: %s\n", bench_render_words_line(arena, whys->cases[i].key),
			       bench_render_words_line(
				       arena, bench_render_why_sentence(arena, whys, &whys->cases[i])));
	for (size_t i = 0; i < whys->count; i++) {
		const struct bench_why *one = &whys->cases[i];
		BENCH_SCOPED_GRID grid = {0};
		bench_render_why_grid(one, cli_given(call->args, "all"), &grid);
		bench_text_add(out, "\n");
		if (whys->count > 1)
			bench_text_add(out, "%s\n", bench_render_words_line(arena, one->key));
		call->report.format->grid(&grid, &call->report, out);
		for (size_t f = 0; f < one->fact_count && i == 0; f++)
			add_detail(out, one->facts[f].what,
				   one->facts[f].detail ? one->facts[f].detail : one->facts[f].brief);
	}
}

static bool is_told(const struct bench_whys *whys, size_t at, const char *text)
{
	for (size_t i = 0; i < at; i++)
		for (size_t u = 0; u < whys->cases[i].unread_count; u++)
			if (strcmp(whys->cases[i].unread[u], text) == 0)
				return true;
	return false;
}

static void say_unread(const struct bench_whys *whys)
{
	for (size_t i = 0; i < whys->count; i++)
		for (size_t u = 0; u < whys->cases[i].unread_count; u++)
			if (!is_told(whys, i, whys->cases[i].unread[u]))
				cli_say("not observed: %s", whys->cases[i].unread[u]);
}

/* The case of the alarm's largest change, if it was measured; else the first one. */
static const struct bench_why *of_alarm(const struct bench_whys *whys, const struct bench_alarm *alarm)
{
	const char *largest = bench_record_alarm_largest(alarm)->key;
	for (size_t i = 0; i < whys->count; i++) {
		size_t length = strlen(whys->cases[i].key);
		if (strncmp(largest, whys->cases[i].key, length) == 0 && largest[length] == '/')
			return &whys->cases[i];
	}
	return &whys->cases[0];
}

/* Only an answer is kept: what is unclear, or no slower on this day, may be so because of the day. */
static void tell_alarm(struct why *why, const struct bench_whys *whys)
{
	const long long id = (long long)why->alarm->id;
	const struct bench_why *told = of_alarm(whys, why->alarm);
	struct bench_error error;
	if (told->answer != BENCH_WHY_SLOWER)
		cli_say("alarm %lld is told nothing: %s is not slower here", id, told->key);
	else if (bench_app_bisect_alarm_explain(cli_places(why->call->args).db, why->alarm->id,
						bench_render_why_sentence(why->call->args->arena, whys, told),
						&error) != 0)
		cli_say("warning: alarm %lld is told nothing: %s", id, error.text);
	else
		cli_say("alarm %lld has the answer now ('bench alarms show %lld%s')", id, id,
			cli_same_places(why->call->args));
}

static int show(struct why *why, enum bench_outcome measured, struct bench_error *error)
{
	struct cli_call *call = why->call;
	struct bench_whys whys = {0};
	int status = cli_exit(measured);
	if (measured == BENCH_OUTCOME_INTERRUPTED)
		return status;
	if (bench_compare_why(why->measure.run, why->sides.judging.threshold, why->sides.judging.alpha, &whys,
			      error) != 0) {
		bench_compare_why_free(&whys);
		return -1;
	}
	bench_app_why_facts(&whys, why->measure.run, &why->sides.sides);
	if (call->report.format->terminal || strcmp(call->report.format->name, "markdown") == 0) {
		add_for_people(call, &whys);
	} else {
		bench_render_why_exact(&whys, &call->grid);
		cli_add_grid(call);
	}
	for (size_t i = 0; i < whys.count && status == CLI_OK; i++)
		if (whys.cases[i].answer == BENCH_WHY_SLOWER)
			status = CLI_SLOWER;
	status = cli_print(&call->out, status);
	if (call->report.format->terminal)
		say_unread(&whys);
	if (why->alarm && measured == BENCH_OUTCOME_GOOD)
		tell_alarm(why, &whys);
	bench_compare_why_free(&whys);
	return status;
}

static int why(struct cli_call *call, struct bench_error *error)
{
	struct why why = {.call = call};
	int status = -1;
	if (prepare(&why, error) == 0 && bench_app_measure_run(&why.measure, error) == 0)
		status = show(&why, bench_app_measure_keep(&why.measure), error);
	bench_app_measure_free(&why.measure);
	bench_app_duel_free(&why.sides);
	return status;
}

static const char about[] =
	"A duel (bench duel) whose workers are observed beside their times: processor time, page faults, "
	"context switches, counters of the processor, memory in huge pages, launches and copies of devices, "
	"builds of programs, and the functions in which the time is spent. The answer is one sentence, and a "
	"table of what differs, each with an interval. The probability that any of these differences is "
	"false "
	"is at most --alpha. What cannot be observed here is named, with the reason and the command that "
	"would "
	"enable it; no such command is run. With --alarm, the answer is kept with the alarm, and BASE and "
	"HEAD may be left out if its gate had an anchor: they are the anchor and this bench. docs/why.md "
	"explains what counts as a reason.\n"
	"Exit status: 1 if a case is slower; else 0. 2 usage; 3 if a side is not a bench that can be "
	"observed, or no case was measured on both; 130 if interrupted.";

const struct cli_verb cli_why = {
	.name = "why",
	.summary = "measure two executables interleaved, and show why one is slower",
	.usage = "BASE HEAD [--suite S,..] [--backend B[:DEV],..] [--set k=v1,v2] [options]\n"
		 "--alarm N [BASE HEAD] [options]",
	.about = about,
	.examples =
		"# why is the last commit slower?\n"
		"bench why /tmp/base/build/bench ./build/bench --suite gemm --set n=512 --backend openblas\n"
		"# why did alarm 12 ring?\n"
		"bench why --alarm 12\n"
		"# two versions of your own code\n"
		"bench why 'bench --plugin old/libmine.so' bench --plugin new/libmine.so\n"
		"# for programs: a list of what was observed, with the answer first\n"
		"bench why 'bench --kernel old.cl' bench --kernel new.cl --format json",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 2,
	.run = why,
};
