/* SPDX-License-Identifier: MIT */
/* bench alarms: what became slower and has neither recovered nor been accepted. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "app/alarms.h"
#include "app/baseline.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/hooks.h"
#include "cli/output.h"
#include "cli/say.h"
#include "compare/alarm_stats.h"
#include "core/clock.h"
#include "core/text.h"
#include "report/render/alarm_list.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	{"all", 0, NULL, "list: include closed alarms"},
	{"stats", 0, NULL, "list: what became of all alarms, by suite and owner"},
	{"why", 0, "TEXT", "accept: why the new level is right"},
	{"since", 0, "RUN", "accept: the first run of the new level"},
	CLI_OPTION_ON_ALARM,
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"since", NULL, NULL, "the last run of the alarm's host"},
	{0},
};

static bool is_exact(const struct cli_call *call)
{
	return call->report.format->exact;
}

/* For programs. */
static const char *change(struct cli_call *call, double ratio)
{
	return bench_render_words_number(call->args->arena, ratio);
}

static const char *interval(struct cli_call *call, double lo, double hi)
{
	if (!isfinite(lo) || !isfinite(hi))
		return "";
	return bench_arena_format(call->args->arena, "%s..%s", change(call, lo), change(call, hi));
}

static const char *count(struct cli_call *call, size_t value)
{
	return bench_arena_format(call->args->arena, "%zu", value);
}

static const char *time_of(struct cli_call *call, int64_t seconds)
{
	char iso[40];
	if (!is_exact(call))
		return bench_render_alarms_day(call->args->arena, seconds);
	bench_clock_iso(seconds, iso, sizeof(iso));
	return bench_arena_string(call->args->arena, iso);
}

/* For programs: a column for each number. */
static void list_exactly(struct cli_call *call, const struct bench_alarm *alarms, size_t alarm_count)
{
	static const struct bench_grid_column columns[] = {
		{"alarm", true, 0},      {"since", false, 0},     {"nights", true, 0},
		{"metrics", true, 0},    {"open", true, 0},       {"worst", true, 0},
		{"interval", true, 1},   {"commits", false, 0},   {"culprit", false, 1},
		{"first bad", false, 2}, {"last good", false, 3}, {"host", false, 4},
		{"track", false, 5},     {"ci_level", true, 0},   {"cause", false, 6}};
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < alarm_count; i++) {
		const struct bench_alarm *alarm = &alarms[i];
		const struct bench_alarm_metric *worst = bench_record_alarm_largest(alarm);
		const struct bench_alarm_whole whole = bench_record_alarm_whole(alarm);
		bench_render_grid_add(
			&call->grid,
			(const char *[]){count(call, (size_t)alarm->id), time_of(call, alarm->since),
					 count(call, whole.nights), count(call, alarm->metric_count),
					 count(call, whole.open), change(call, worst->ratio),
					 interval(call, worst->lo, worst->hi),
					 bench_render_alarms_commits(call->args->arena, alarm->good_commit,
								     alarm->bad_commit),
					 alarm->culprit, alarm->first_bad, alarm->last_good,
					 alarm->fingerprint, alarm->track,
					 bench_render_words_number(call->args->arena, worst->ci_level),
					 alarm->cause});
	}
}

static void list_for_people(struct cli_call *call, const struct bench_alarm *alarms, size_t alarm_count)
{
	struct bench_alarm_origin *origins =
		bench_arena_alloc(call->args->arena, alarm_count + 1, sizeof(*origins));
	for (size_t i = 0; i < alarm_count; i++)
		origins[i] = bench_app_alarms_origin(call->store, &alarms[i], call->args->arena);
	bench_render_alarm_list(alarms, origins, alarm_count, call->report.format->terminal, &call->grid);
}

/* The events that no hook has taken yet, though one is to. */
static void add_not_taken(struct cli_call *call, const struct bench_alarm *alarm)
{
	enum bench_alarm_event due[BENCH_ALARM_MOST_DUE];
	const size_t count = bench_record_alarm_due(alarm, time(NULL), due);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&call->out,
			       "alarm %lld: not all hooks have taken '%s' yet; the next gate runs them\n",
			       (long long)alarm->id, bench_record_alarm_event_name(due[i]));
}

/* "2 alarms are open", and how to look at the newest. */
static void list_at_terminal(struct cli_call *call, const struct bench_alarm *alarms, size_t alarm_count)
{
	const char *places = cli_same_places(call->args);
	const struct bench_alarm *newest = NULL;
	size_t open = 0;
	for (size_t i = 0; i < alarm_count; i++) {
		if (!bench_record_alarm_is_open(&alarms[i]))
			continue;
		newest = &alarms[i];
		open++;
	}
	if (open == 0)
		bench_text_add(&call->out, "no alarm is open\n");
	else
		bench_text_add(&call->out, "%zu alarm%s open\n", open, open == 1 ? " is" : "s are");
	if (alarm_count == 0)
		return;
	bench_text_add(&call->out, "\n");
	cli_add_grid(call);
	for (size_t i = 0; i < alarm_count; i++)
		add_not_taken(call, &alarms[i]);
	if (newest)
		bench_text_add(&call->out, "\nto look at it:\n  bench alarms show %lld%s\n",
			       (long long)newest->id, places);
}

/* "12 alarms: 3 accepted, 8 recovered, 1 still open", and the rows. */
static void show_stats(struct cli_call *call, const struct bench_alarm_stats *rows, size_t row_count)
{
	static const struct bench_grid_column columns[] = {
		{"by", false, 0},         {"name", false, 0},       {"opened", true, 0},
		{"accepted", true, 0},    {"recovered", true, 0},   {"open", true, 0},
		{"median days", true, 0}, {"longest days", true, 0}};
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < row_count; i++) {
		const struct bench_alarm_stats *row = &rows[i];
		const double days[] = {row->days_median, row->days_longest};
		const char *texts[2];
		for (size_t d = 0; d < 2; d++)
			texts[d] = is_exact(call)   ? change(call, days[d])
				   : isnan(days[d]) ? ""
						    : bench_arena_format(call->args->arena, "%.1f", days[d]);
		bench_render_grid_add(
			&call->grid, (const char *[]){row->by, row->name, count(call, row->opened),
						      count(call, row->accepted), count(call, row->recovered),
						      count(call, row->open), texts[0], texts[1]});
	}
	if (call->report.format->terminal)
		bench_text_add(&call->out, "%zu alarm%s: %zu accepted, %zu recovered, %zu still open\n\n",
			       rows->opened, bench_text_plural(rows->opened), rows->accepted, rows->recovered,
			       rows->open);
	cli_add_grid(call);
}

static int stats(struct cli_call *call, struct bench_error *error)
{
	struct bench_compare_options owners = {0};
	struct bench_alarm_stats *rows;
	struct bench_alarm *alarms;
	size_t alarm_count, row_count;
	if (bench_store_alarms(call->store, NULL, NULL, false, call->args->arena, &alarms, &alarm_count,
			       error) != 0)
		return -1;
	owners.rules = cli_rules(call->args, &owners.rule_count);
	bench_compare_alarm_stats(alarms, alarm_count, &owners, time(NULL), call->args->arena, &rows,
				  &row_count);
	show_stats(call, rows, row_count);
	return cli_print(&call->out, CLI_OK);
}

static int list(struct cli_call *call, struct bench_error *error)
{
	struct bench_alarm *alarms;
	size_t alarm_count;
	if (cli_open_store(call, error) != 0)
		return -1;
	if (cli_given(call->args, "stats"))
		return stats(call, error);
	if (bench_store_alarms(call->store, NULL, NULL, !cli_given(call->args, "all"), call->args->arena,
			       &alarms, &alarm_count, error) != 0)
		return -1;
	if (is_exact(call))
		list_exactly(call, alarms, alarm_count);
	else
		list_for_people(call, alarms, alarm_count);
	if (call->report.format->terminal)
		list_at_terminal(call, alarms, alarm_count);
	else
		cli_add_grid(call);
	return cli_print(&call->out, CLI_OK);
}

static void add_metric(struct cli_call *call, const struct bench_alarm *alarm,
		       const struct bench_alarm_metric *metric)
{
	bench_render_grid_add(
		&call->grid,
		(const char *[]){count(call, (size_t)alarm->id), metric->key,
				 bench_record_alarm_state_name(metric->state), change(call, metric->level),
				 change(call, metric->ratio), interval(call, metric->lo, metric->hi),
				 change(call, metric->last_ratio),
				 interval(call, metric->last_lo, metric->last_hi),
				 count(call, metric->nights), metric->last_run, metric->closed_run,
				 metric->why, bench_render_words_number(call->args->arena, metric->ci_level),
				 bench_render_words_number(call->args->arena, metric->last_ci_level)});
}

/* What can be done about an open alarm. */
static void add_advice(struct cli_call *call, const struct bench_alarm *alarm)
{
	const char *good = alarm->good_commit, *bad = alarm->bad_commit;
	const char *places = cli_same_places(call->args);
	const long long id = (long long)alarm->id;
	if (bench_record_alarm_whole(alarm).open == 0)
		return;
	bench_text_add(&call->out, "\n");
	if (*good && *bad && strcmp(good, bad) != 0 && !*alarm->culprit)
		bench_text_add(&call->out, "to find the commit:\n  bench bisect --alarm %lld%s\n", id,
			       places);
	bench_text_add(&call->out, "to accept it:\n  bench alarms accept %lld --why '...'%s\n", id, places);
}

/* "alarm 12: open since 2026-11-03, first bad run 20261103-021500, commits a1b2..c3d4" */
static void add_head(struct cli_call *call, const struct bench_alarm *alarm)
{
	const char *commits =
		bench_render_alarms_commits(call->args->arena, alarm->good_commit, alarm->bad_commit);
	bench_text_add(&call->out, "alarm %lld: %s since %s, first bad run %s%s%s%s%s\n",
		       (long long)alarm->id,
		       bench_record_alarm_whole(alarm).open ? "open" : "closed, was open",
		       bench_render_alarms_day(call->args->arena, alarm->since),
		       bench_render_words_line(call->args->arena, alarm->first_bad),
		       *commits ? ", commits " : "", commits, *alarm->culprit ? ", bisected to " : "",
		       bench_render_words_line(call->args->arena, alarm->culprit));
	const struct bench_alarm_origin origin =
		bench_app_alarms_origin(call->store, alarm, call->args->arena);
	bench_text_add(&call->out, "on %s, by: %s\n", bench_render_words_line(call->args->arena, origin.host),
		       bench_render_words_line(call->args->arena, origin.command));
	if (*alarm->cause)
		bench_text_add(&call->out, "why: %s\n",
			       bench_render_words_line(call->args->arena, alarm->cause));
	add_not_taken(call, alarm);
}

static int show(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"alarm", true, 0},     {"metric", false, 0},       {"state", false, 0},
		{"before", true, 0},    {"change", true, 0},        {"interval", true, 1},
		{"last", true, 0},      {"last interval", true, 1}, {"nights", true, 0},
		{"last run", false, 3}, {"closed with", false, 2},  {"why", false, 0},
		{"ci_level", true, 0},  {"last_ci_level", true, 0}};
	struct bench_alarm *alarms;
	size_t alarm_count;
	bool terminal = call->report.format->terminal;
	if (cli_open_store(call, error) != 0 ||
	    bench_app_alarms_find(call->store, call->args->operands[1], false, call->args->arena, &alarms,
				  &alarm_count, error) != 0)
		return -1;
	for (size_t i = 0; i < alarm_count && terminal; i++)
		add_head(call, &alarms[i]);
	if (is_exact(call)) {
		bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
		for (size_t i = 0; i < alarm_count; i++)
			for (size_t m = 0; m < alarms[i].metric_count; m++)
				add_metric(call, &alarms[i], &alarms[i].metrics[m]);
	} else {
		bench_render_alarm_metrics(alarms, alarm_count, terminal, &call->grid);
	}
	cli_add_grid(call);
	for (size_t i = 0; i < alarm_count && terminal; i++)
		add_advice(call, &alarms[i]);
	return cli_print(&call->out, CLI_OK);
}

/* Where the open alarms that are to be accepted come from: each host and track once, in the arena. */
static int find_scopes(struct cli_call *call, struct bench_app_hooks_scope **scopes, size_t *count,
		       struct bench_error *error)
{
	struct bench_alarm *alarms;
	size_t alarm_count;
	*scopes = NULL;
	*count = 0;
	if (bench_app_alarms_find(call->store, call->args->operands[1], true, call->args->arena, &alarms,
				  &alarm_count, error) != 0)
		return -1;
	for (size_t i = 0; i < alarm_count; i++) {
		const struct bench_app_hooks_scope scope = {alarms[i].fingerprint, alarms[i].track};
		bool known = false;
		for (size_t s = 0; s < *count; s++)
			known |= strcmp((*scopes)[s].fingerprint, scope.fingerprint) == 0 &&
				 strcmp((*scopes)[s].track, scope.track) == 0;
		if (!known)
			BENCH_PUSH(call->args->arena, *scopes, *count) = scope;
	}
	return 0;
}

static int accept(struct cli_call *call, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(call->args);
	struct bench_app_accepted accepted;
	struct bench_app_hooks_scope *scopes;
	struct bench_app_hooks hooks;
	size_t scope_count;
	const char *why = cli_value(call->args, "why");
	if (!why)
		return bench_fail(error, BENCH_USAGE,
				  "bench alarms accept needs --why TEXT, the reason to accept it");
	if (cli_change_store(call, error) != 0 || cli_read_hooks(call->args, &hooks, error) != 0 ||
	    find_scopes(call, &scopes, &scope_count, error) != 0 ||
	    bench_app_accept_alarms(call->store, &places, call->args->operands[1], why,
				    cli_value(call->args, "since"), call->args->arena, &accepted, error) != 0)
		return -1;
	cli_say("%zu metric%s accepted: runs before %s are no baseline for %s any more", accepted.metrics,
		accepted.metrics == 1 ? " is" : "s are", accepted.run, accepted.metrics == 1 ? "it" : "them");
	cli_run_hooks(call->args, &hooks, scopes, scope_count, INFINITY);
	return CLI_OK;
}

static const struct cli_word words[] = {
	{"list", "no argument", 0, 1, {"all", "stats"}, list},
	{"show", "the id of an alarm, or a pattern of metrics", 2, 2, {0}, show},
	{"accept", "the id of an alarm, or a pattern of metrics", 2, 2, {"why", "since", "on-alarm"}, accept},
	{0},
};

const struct cli_verb cli_alarms = {
	.name = "alarms",
	.summary = "list slowdowns that neither recovered nor were accepted",
	.usage = "[list] [--all | --stats]\nshow ALARM|METRIC-PATTERN\naccept ALARM|METRIC-PATTERN --why "
		 "TEXT [--since RUN]",
	.about = "A slowdown that a gate finds opens an alarm: one for each commit, with all metrics that "
		 "moved. Until it recovers or is accepted, every gate judges these metrics against the level "
		 "before it, and fails. ALARM is an id; METRIC-PATTERN (*, ?, [...]) is matched against full "
		 "metric names. accept declares the new level right, metric by metric, as 'bench baseline "
		 "accept' does. docs/alarms.md explains the rules.",
	.examples = "bench alarms\n"
		    "bench alarms list --all --format csv\n"
		    "bench alarms --stats\n"
		    "bench alarms show 12\n"
		    "bench alarms accept 12 --why 'the price of the bounds check'\n"
		    "bench alarms accept 'gemm/openblas:*' --why 'OpenBLAS 0.3.27 packs twice'",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 2,
	.words = words,
};
