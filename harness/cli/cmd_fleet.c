/* SPDX-License-Identifier: MIT */
/* bench fleet: runs of many machines: which node is odd, what a job says by class, what the project file asks
 * for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/fleet.h"
#include "app/project.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/hooks.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	{"nights", 0, "N", "jobs to look at; gate: earlier jobs to compare with"},
	{"branch", 0, "NAME|any", "gate: only earlier jobs of this branch, or of any"},
	CLI_OPTIONS_VERDICT,
	{"allow-env-change", 0, NULL, "gate: compare across drivers, thread counts or builds"},
	CLI_OPTION_ON_ALARM,
	CLI_OPTION_ALL,
	CLI_OPTION_DB,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	/*
	 * A gate finds one metric of hundreds only if the spread of nights is known well; and the median of a
	 * class moves less than that of one machine. The machines of one class are alike: nodes need fewer.
	 */
	{"nights", "nodes", "10", NULL},
	{"nights", "gate", "30", NULL},
	{"threshold", "nodes", "2%", NULL},
	{"threshold", "gate", "3%", NULL},
	{0},
};

/* What a word of `bench fleet` works on. */
struct work {
	struct cli_call *call;
	struct bench_compare_options comparing;
	struct bench_app_line_request request;
	struct bench_app_hooks hooks;
	struct bench_app_fleet fleet;
	uint64_t nights;
};

static bool is_exact(const struct cli_call *call)
{
	return call->report.format->exact;
}

static const char *change(struct cli_call *call, double ratio)
{
	return is_exact(call) || !isfinite(ratio) ? bench_render_words_number(call->args->arena, ratio)
						  : bench_render_words_change(call->args->arena, ratio);
}

static const char *count(struct cli_call *call, size_t value)
{
	return bench_arena_format(call->args->arena, "%zu", value);
}

/* The last digits tell classes apart; programs have all. */
static const char *class_of(struct cli_call *call, const struct bench_app_fleet_group *group)
{
	size_t length = strlen(group->class);
	return is_exact(call) || length < 8 ? group->class : group->class + length - 8;
}

static enum bench_tone tone_of(enum bench_verdict_kind kind)
{
	static const enum bench_tone tones[BENCH_VERDICT_KINDS] = {
		[BENCH_FASTER] = BENCH_TONE_GOOD,    [BENCH_SLOWER] = BENCH_TONE_BAD,
		[BENCH_UNCLEAR] = BENCH_TONE_DOUBT,  [BENCH_NEW] = BENCH_TONE_DOUBT,
		[BENCH_MISSING] = BENCH_TONE_STRONG, [BENCH_BROKEN] = BENCH_TONE_STRONG,
		[BENCH_SUSPECTED] = BENCH_TONE_DOUBT};
	return tones[kind];
}

static int load(struct work *work, struct bench_error *error)
{
	const struct cli_args *args = work->call->args;
	const struct bench_app_fleet *fleet = &work->fleet;
	const char *job = args->operand_count > 1 ? args->operands[1] : NULL;
	if (cli_open_store(work->call, error) != 0 ||
	    bench_app_fleet_load(work->call->store, &work->request, job, work->nights, &work->fleet, error) !=
		    0)
		return -1;
	const char *note = bench_app_line_note(&fleet->line, &fleet->tally, args->arena);
	if (note)
		cli_say("line of history: %s", note);
	if (fleet->cut_short > 0)
		cli_say("%zu run%s of job %s did not end, and say%s nothing", fleet->cut_short,
			bench_text_plural(fleet->cut_short), fleet->job, fleet->cut_short == 1 ? "s" : "");
	for (size_t g = 0; g < fleet->group_count; g++)
		for (size_t i = 0; i < fleet->groups[g].left_out_count; i++)
			cli_say("%s", fleet->groups[g].left_out[i]);
	return 0;
}

/* ---- nodes */

/* All that was found of one node. */
struct node {
	const struct bench_fleet_odd *metrics;
	size_t count;
};

static int by_node(const void *left, const void *right)
{
	const struct bench_fleet_odd *a = left, *b = right;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return strcmp(a->key, b->key);
}

static bool is_accused(const struct bench_fleet_odd *odd)
{
	return odd->kind == BENCH_SLOWER || odd->kind == BENCH_FASTER;
}

static double distance(const struct bench_fleet_odd *odd)
{
	return isfinite(odd->ratio) && odd->ratio > 0 ? fabs(log(odd->ratio)) : 0;
}

/* The metric that says most: accused before not, then the farthest off. */
static const struct bench_fleet_odd *worst_of(const struct node *node)
{
	const struct bench_fleet_odd *worst = &node->metrics[0];
	for (size_t i = 1; i < node->count; i++) {
		const struct bench_fleet_odd *odd = &node->metrics[i];
		if (is_accused(odd) != is_accused(worst) ? is_accused(odd) : distance(odd) > distance(worst))
			worst = odd;
	}
	return worst;
}

static int by_oddness(const void *left, const void *right)
{
	const struct bench_fleet_odd *a = worst_of(left), *b = worst_of(right);
	if (is_accused(a) != is_accused(b))
		return is_accused(a) ? -1 : 1;
	if (distance(a) != distance(b))
		return distance(a) > distance(b) ? -1 : 1;
	return by_node(a, b);
}

static double median_ratio(const struct node *node)
{
	BENCH_SCOPED_MEMORY double *ratios = bench_memory_alloc(node->count, sizeof(*ratios));
	size_t known = 0;

	for (size_t i = 0; i < node->count; i++)
		if (isfinite(node->metrics[i].ratio))
			ratios[known++] = node->metrics[i].ratio;
	return bench_stats_median(ratios, known);
}

/* A row a node; programs, and --all, have one a node and metric. */
static void add_odd(struct work *work, const struct node *node, const struct bench_fleet_odd *odd)
{
	struct cli_call *call = work->call;
	const struct bench_app_fleet_group *group = &work->fleet.groups[odd->group];
	const bool bounded = isfinite(odd->lo) && isfinite(odd->hi);
	const char *lo = bounded ? change(call, odd->lo) : "", *hi = bounded ? change(call, odd->hi) : "";
	size_t accused = 0;
	for (size_t i = 0; i < node->count; i++)
		accused += is_accused(&node->metrics[i]);
	if (bounded && !is_exact(call)) {
		lo = bench_arena_format(call->args->arena, "%s..%s", lo, hi);
		hi = "";
	}
	bench_render_grid_add_toned(
		&call->grid,
		(const char *[]){group->nodes[odd->node], bench_compare_verdict_name(odd->kind),
				 change(call, odd->ratio), lo, hi, odd->key, count(call, odd->values),
				 count(call, odd->others),
				 bench_arena_format(call->args->arena, "%zu of %zu", accused, node->count),
				 change(call, median_ratio(node)), class_of(call, group), group->about},
		1, tone_of(odd->kind));
}

static void add_nodes(struct work *work, struct bench_fleet_odd *odd, size_t odd_count)
{
	static const struct bench_grid_column columns[] = {
		{"node", false, 0},       {"verdict", false, 0}, {"ratio", true, 0},  {"interval", true, 1},
		{"interval_hi", true, 1}, {"metric", false, 0},  {"runs", true, 2},   {"others", true, 3},
		{"odd metrics", true, 2}, {"median", true, 4},   {"class", false, 2}, {"machine", false, 5}};
	struct cli_call *call = work->call;
	struct node *nodes = NULL;
	size_t node_count = 0;
	bool each = is_exact(call) || call->report.all;
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	if (odd_count > 1)
		qsort(odd, odd_count, sizeof(*odd), by_node);
	for (size_t i = 0; i < odd_count; i++) {
		if (i == 0 || odd[i].group != odd[i - 1].group || odd[i].node != odd[i - 1].node)
			BENCH_PUSH(call->args->arena, nodes, node_count) = (struct node){.metrics = &odd[i]};
		nodes[node_count - 1].count++;
	}
	if (node_count > 1)
		qsort(nodes, node_count, sizeof(*nodes), by_oddness);
	for (size_t n = 0; n < node_count; n++)
		for (size_t i = 0; i < nodes[n].count; i++) {
			const struct bench_fleet_odd *one = &nodes[n].metrics[i];
			if (each || one == worst_of(&nodes[n]))
				add_odd(work, &nodes[n], one);
		}
}

static int show_nodes(struct work *work, int *status, struct bench_error *error)
{
	struct bench_fleet_odd *odd;
	size_t odd_count, accused = 0;
	/* The job itself is one of the nights. */
	if (--work->nights, load(work, error) != 0)
		return -1;
	bench_app_fleet_odd(&work->fleet, &work->comparing, &odd, &odd_count);
	for (size_t i = 0; i < odd_count; i++)
		accused += is_accused(&odd[i]);
	if (odd_count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "nothing to compare: no class of job %s has two nodes with the same metric",
				  work->fleet.job);
	add_nodes(work, odd, odd_count);
	*status = accused ? CLI_SLOWER : CLI_OK;
	return 0;
}

/* ---- gate */

/* The texts of a change, its interval in one or two columns, p and threshold: for programs, or for people. */
static void describe(struct cli_call *call, const struct bench_verdict *verdict, const char *texts[5])
{
	struct bench_arena *arena = call->args->arena;
	const double values[5] = {verdict->ratio, verdict->lo, verdict->hi, verdict->p_adjusted,
				  verdict->threshold};
	const char *unit = bench_render_words_unit(verdict);
	for (size_t i = 0; i < 5; i++)
		texts[i] = bench_render_words_number(arena, values[i]);
	if (is_exact(call))
		return;
	texts[0] = bench_compare_has_size(verdict) ? bench_render_words_size(arena, verdict) : "";
	texts[1] = bench_render_words_bounds(arena, verdict->lo, verdict->hi, unit);
	texts[2] = "";
	texts[3] = bench_render_words_p(arena, verdict->p_adjusted);
	texts[4] = bench_render_words_amount(arena, verdict->threshold, unit);
}

static void add_verdict(struct cli_call *call, const struct bench_app_fleet_verdicts *verdicts,
			const struct bench_verdict *verdict)
{
	const char *texts[5], *alarm = "";
	describe(call, verdict, texts);
	if (verdict->alarm)
		alarm = bench_arena_format(call->args->arena, "%lld%s", (long long)verdict->alarm->id,
					   verdict->alarm->recovered ? " recovered" : "");
	bench_render_grid_add_toned(
		&call->grid,
		(const char *[]){bench_compare_verdict_name(verdict->kind), verdict->key, texts[0], texts[1],
				 texts[2], texts[3], texts[4], count(call, verdict->candidate_invocations),
				 count(call, verdict->base_invocations), alarm,
				 class_of(call, verdicts->group), verdict->owner, verdict->reason},
		0, tone_of(verdict->kind));
}

static const char *word_of(enum bench_outcome outcome)
{
	return outcome == BENCH_OUTCOME_GOOD      ? "PASS"
	       : outcome == BENCH_OUTCOME_BEGUN   ? "BEGUN"
	       : outcome == BENCH_OUTCOME_UNCLEAR ? "UNCLEAR"
						  : "FAIL";
}

/* "class 8f0c2a91 (AMD EPYC 9654, ...): FAIL: 1 slower; 41 same (8 runs on 8 nodes; 10 nights before)" */
static void sum_up(struct cli_call *call, const struct bench_app_fleet_verdicts *verdicts)
{
	const struct bench_app_fleet_group *group = verdicts->group;
	const char *said = verdicts->why.text;
	if (verdicts->comparison)
		said = bench_render_words_summary(call->args->arena, verdicts->comparison);
	cli_say("class %s (%s): %s: %s (%zu run%s on %zu node%s; nights before: %zu)", class_of(call, group),
		group->about, word_of(verdicts->outcome), said, group->tonight,
		bench_text_plural(group->tonight), group->node_count, bench_text_plural(group->node_count),
		verdicts->nights);
	if (verdicts->comparison && verdicts->outcome == BENCH_OUTCOME_NOT_KEPT)
		cli_say("class %s: %s", class_of(call, group), verdicts->why.text);
	if (group->is_past)
		cli_say("class %s: a later job has been measured: alarms stay as they are",
			class_of(call, group));
}

/* However many classes a commit hit, it is one line. */
static void say_causes(struct work *work, const struct bench_app_fleet_verdicts *verdicts)
{
	struct bench_arena *arena = work->call->args->arena;
	const size_t group_count = work->fleet.group_count;
	const struct bench_comparison **comparisons =
		bench_arena_alloc(arena, group_count + 1, sizeof(*comparisons));
	char **lines;
	size_t count;
	for (size_t g = 0; g < group_count; g++)
		comparisons[g] = verdicts[g].comparison;
	bench_render_alarms_causes(arena, comparisons, group_count, &lines, &count);
	for (size_t i = 0; i < count; i++)
		cli_say("%s", lines[i]);
}

static int gate(struct work *work, int *status, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"verdict", false, 0},    {"metric", false, 0}, {"change", true, 0},    {"interval", true, 1},
		{"interval_hi", true, 1}, {"p", true, 4},       {"threshold", true, 4}, {"runs", true, 2},
		{"runs before", true, 3}, {"alarm", false, 0},  {"class", false, 1},    {"owner", false, 2},
		{"reason", false, 1}};
	struct cli_call *call = work->call;
	const size_t group_count = work->fleet.group_count;
	struct bench_app_fleet_verdicts *verdicts;
	int result =
		bench_app_fleet_gate(&work->fleet, call->store, cli_places(call->args).db, work->nights,
				     work->hooks.count > 0, &work->comparing, cli_host(), &verdicts, error);
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t g = 0; result == 0 && g < group_count; g++) {
		const struct bench_comparison *comparison = verdicts[g].comparison;
		for (size_t i = 0; comparison && i < comparison->verdict_count; i++) {
			const struct bench_verdict *verdict = &comparison->verdicts[i];
			bool plain = !verdict->alarm &&
				     (verdict->kind == BENCH_SAME || verdict->kind == BENCH_UNCLEAR);
			if (!plain || call->report.all || is_exact(call))
				add_verdict(call, &verdicts[g], verdict);
		}
		sum_up(call, &verdicts[g]);
	}
	if (result == 0) {
		say_causes(work, verdicts);
		const enum bench_outcome outcome = bench_app_fleet_outcome(verdicts, group_count);
		cli_say_plain("gate: %s: job %s, %zu class%s", word_of(outcome), work->fleet.job, group_count,
			      group_count == 1 ? "" : "es");
		*status = cli_exit(outcome);
	}
	bench_app_fleet_gate_free(verdicts, group_count);
	return result;
}

/* Of the classes of this job; when all is said. */
static void run_hooks(struct work *work)
{
	struct cli_call *call = work->call;
	const struct bench_app_fleet *fleet = &work->fleet;
	struct bench_app_hooks_scope *scopes =
		bench_arena_alloc(call->args->arena, fleet->group_count + 1, sizeof(*scopes));
	for (size_t g = 0; g < fleet->group_count; g++)
		scopes[g] = (struct bench_app_hooks_scope){fleet->groups[g].class, fleet->groups[g].track};
	bench_store_close(call->store);
	call->store = NULL;
	cli_run_hooks(call->args, &work->hooks, scopes, fleet->group_count, 0);
}

static int read_options(struct work *work, struct bench_error *error)
{
	const struct cli_args *args = work->call->args;
	struct bench_compare_options *comparing = &work->comparing;
	const char *usual = cli_default(args, "threshold", NULL);
	if (cli_read_comparing(args, NULL, comparing, error) != 0 ||
	    cli_read_hooks(args, &work->hooks, error) != 0 ||
	    cli_read_whole(args, "nights", 1, 1000, &work->nights, error) != 0)
		return -1;
	/* The threshold of a project file is not about fleets. */
	if (!cli_said(args, "threshold") && usual)
		(void)bench_text_fraction(usual, &comparing->threshold);
	return 0;
}

/* ---- tasks */

static int tasks(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"partition", false, 0}, {"each", false, 0},   {"repeat", true, 0},  {"preset", false, 0},
		{"sbatch", false, 0},    {"folder", false, 0}, {"collect", false, 0}};
	const struct bench_project *project = call->args->project;
	struct work work = {.call = call};
	if (read_options(&work, error) != 0)
		return -1;
	if (!project || project->fleet.task_count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no project file here says what a fleet measures: its member 'fleet' "
				  "(docs/fleet.md)");
	const struct bench_project_fleet *fleet = &project->fleet;
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < fleet->task_count; i++) {
		const struct bench_project_task *task = &fleet->tasks[i];
		if (*task->preset && bench_app_project_check_preset(project, task->preset, error) != 0)
			return -1;
		bench_render_grid_add(&call->grid,
				      (const char *[]){task->partition, task->each, count(call, task->repeat),
						       task->preset, task->sbatch,
						       fleet->folder ? fleet->folder : "", fleet->collect});
	}
	return cli_print_rows(call, CLI_OK);
}

/* ---- the verb */

static int run_nodes(struct cli_call *call, struct bench_error *error)
{
	/* Nodes are set against others of the same job, whatever code that measured. */
	struct work work = {.call = call, .request.branch = BENCH_APP_LINE_ANY};
	int status = CLI_OK, result = read_options(&work, error);
	if (result == 0)
		result = show_nodes(&work, &status, error);
	bench_app_fleet_free(&work.fleet);
	return result == 0 ? cli_print_rows(call, status) : -1;
}

static int run_gate(struct cli_call *call, struct bench_error *error)
{
	struct work work = {.call = call, .request.branch = cli_value(call->args, "branch")};
	int status = CLI_OK, result = read_options(&work, error);
	if (result == 0)
		result = load(&work, error);
	if (result == 0)
		result = gate(&work, &status, error);
	if (result == 0) {
		result = cli_print_rows(call, status);
		run_hooks(&work);
	}
	bench_app_fleet_free(&work.fleet);
	return result;
}

static const struct cli_word words[] = {
	{"nodes", "at most one job", 1, 2, {0}, run_nodes},
	{"gate", "at most one job", 1, 2, {"allow-env-change", "branch", "on-alarm"}, run_gate},
	{"tasks", "no argument", 1, 1, {0}, tasks},
	{0},
};

const struct cli_verb cli_fleet = {
	.name = "fleet",
	.summary = "runs of many machines: find odd nodes, gate each class",
	.usage = "nodes [JOB] [--nights N]\ngate [JOB] [--nights N]\ntasks",
	.about = "JOB is the value of the label 'fleet' of its runs, NAME or NAME.STAMP; the default is the "
		 "last one.\n"
		 "nodes compares each node with the others of its class in the same jobs, metric by metric, "
		 "and lists those that differ by the threshold or more. gate judges each class as one "
		 "machine whose invocations are the runs of its nodes, against earlier jobs of that NAME; a "
		 "slowdown opens an alarm. Machines of different classes are never compared. tasks lists "
		 "what the project file tells scripts/slurm to submit.\n"
		 "Exit status: nodes 1 if a node is odd, else 0; gate as 'bench gate'; 3 if there is nothing "
		 "to compare. docs/fleet.md explains more.",
	.examples = "bench fleet nodes\n"
		    "bench fleet nodes nightly.20261123 --nights 30 --threshold 3%\n"
		    "bench fleet nodes --all --format csv >nodes.csv\n"
		    "bench fleet gate nightly.20261123\n"
		    "bench fleet tasks",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 2,
	.words = words,
};
