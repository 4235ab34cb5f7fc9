/* SPDX-License-Identifier: MIT */
#include "compare/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/text.h"
#include "stats/strata.h"

#define CLASS "class:"

char *bench_compare_fleet_class(const struct bench_run *run, struct bench_arena *arena, char **about)
{
	static const char *const facts[] = {"cpu",      "cores",    "hardware_threads",
					    "l1_bytes", "l2_bytes", "l3_bytes"};
	double gib = strtod(bench_record_fact(run, "memory_bytes"), NULL) / 0x1p30;
	bool described = *bench_record_fact(run, "cpu") && gib > 0;
	struct bench_text words = {0};
	BENCH_SCOPED_TEXT text = {0};
	uint64_t hash;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		bench_text_add(&text, "%s=%s\n", facts[i], bench_record_fact(run, facts[i]));
	bench_text_add(&text, "memory=%.0f\n", gib);
	if (described)
		bench_text_add(&words, "%s, %s cores, %.0f GiB", bench_record_fact(run, "cpu"),
			       bench_record_fact(run, "cores"), gib);
	else /* what nobody has described, as in imported runs, is like itself alone */
		bench_text_add(&words, "host %s", bench_record_fact(run, "name"));
	if (!described)
		bench_text_add(&text, "host=%s\n", bench_record_fact(run, "fingerprint"));
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_device_record *device = &run->devices[i];

		bench_text_add(&text, "%s:%s\n", device->backend, device->info.name);
		if (device->info.kind != BENCH_DEVICE_CPU)
			bench_text_add(&words, ", %s", device->info.name);
	}
	hash = bench_hash_bytes(BENCH_HASH_START, text.data, text.length);
	*about = bench_text_keep(&words, arena);
	return bench_arena_format(arena, CLASS "%016llx", (unsigned long long)hash);
}

bool bench_compare_fleet_is_class(const char *fingerprint)
{
	return strncmp(fingerprint, CLASS, strlen(CLASS)) == 0;
}

/* A case in one run of a group. Sorted by key, then as the runs stand. */
struct cell {
	const struct bench_result *result;
	const struct bench_fleet_run *run;
};

static int compare_cells(const void *left, const void *right)
{
	const struct cell *a = left, *b = right;
	int order = strcmp(a->result->key, b->result->key);

	return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

static struct cell *list_cells(const struct bench_fleet_group *group, size_t *count)
{
	struct cell *cells;

	*count = 0;
	for (size_t i = 0; i < group->count; i++)
		*count += group->runs[i].run->result_count;
	cells = bench_memory_alloc(*count, sizeof(*cells));
	*count = 0;
	for (size_t i = 0; i < group->count; i++)
		for (size_t r = 0; r < group->runs[i].run->result_count; r++)
			cells[(*count)++] = (struct cell){&group->runs[i].run->results[r], &group->runs[i]};
	if (*count > 1)
		qsort(cells, *count, sizeof(*cells), compare_cells);
	return cells;
}

/* How many cells are of the first one's case. */
static size_t count_same(const struct cell *cells, size_t count)
{
	size_t same = 1;

	while (same < count && strcmp(cells[same].result->key, cells[0].result->key) == 0)
		same++;
	return same;
}

/* One run's value of a metric. */
struct value {
	const struct bench_fleet_run *run;
	double log;
	bool disturbed; /* all its invocations were */
};

/* The metric of that name in a cell, where it means the same. */
static const struct bench_metric *metric_of(const struct cell *cell, const struct bench_metric *like)
{
	const struct bench_metric *metric = cell->result->status == BENCH_STATUS_OK
						    ? bench_record_metric(cell->result, like->name)
						    : NULL;

	return metric && metric->better == like->better && strcmp(metric->unit, like->unit) == 0 ? metric
												 : NULL;
}

/* The median of the undisturbed invocations' medians; of all, if all were disturbed. */
static bool read_value(const struct bench_metric *metric, struct value *value)
{
	BENCH_SCOPED_MEMORY double *medians = bench_memory_alloc(2 * metric->series_count, sizeof(*medians));
	double *all = medians + metric->series_count, median;
	size_t count = 0, all_count = 0;

	for (size_t i = 0; i < metric->series_count; i++) {
		bool disturbed;

		if (metric->series[i].count == 0)
			continue;
		all[all_count] = bench_record_series_median(&metric->series[i], &disturbed);
		if (!disturbed)
			medians[count++] = all[all_count];
		all_count++;
	}
	median = count ? bench_stats_median(medians, count) : bench_stats_median(all, all_count);
	value->log = log(median);
	value->disturbed = count == 0;
	return median > 0 && isfinite(median);
}

static int compare_values(const void *left, const void *right)
{
	const struct bench_fleet_run *a = ((const struct value *)left)->run,
				     *b = ((const struct value *)right)->run;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a > b) - (a < b);
}

/* The values of a metric in the cells of its case, by job, then node; `values` has room for one a cell. */
static size_t list_values(const struct cell *cells, size_t count, const struct bench_metric *like,
			  struct value *values)
{
	size_t listed = 0;

	for (size_t i = 0; i < count; i++) {
		const struct bench_metric *metric = metric_of(&cells[i], like);

		values[listed].run = cells[i].run;
		if (metric && read_value(metric, &values[listed]))
			listed++;
	}
	if (listed > 1)
		qsort(values, listed, sizeof(*values), compare_values);
	return listed;
}

/* The result that names the metrics of a case: its first that is ok. NULL: none is. */
static const struct bench_result *first_ok(const struct cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cells[i].result->status == BENCH_STATUS_OK)
			return cells[i].result;
	return NULL;
}

/* ---- odd nodes */

struct searching {
	const struct bench_fleet_group *group;
	const struct bench_compare_options *options;
	struct bench_arena *arena;
	struct bench_fleet_odd **odd;
	size_t *count, number; /* number: of the group */
	double level;          /* of an interval that accuses; 0: the tests are only counted */
	size_t tests;
};

/* One node's values of a metric, and the others', by job; both arrays have room for all. */
static size_t split(const struct searching *in, const struct value *values, size_t count, size_t node,
		    double *own, double *others, struct bench_stratum *strata)
{
	size_t own_count = 0, other_count = 0, at = 0;

	for (size_t job = 0; job < in->group->jobs; job++) {
		size_t own_first = own_count, other_first = other_count;

		for (; at < count && values[at].run->job == job; at++) {
			if (values[at].disturbed)
				continue;
			if (values[at].run->node == node)
				own[own_count++] = values[at].log;
			else
				others[other_count++] = values[at].log;
		}
		if (own_first == own_count || other_first == other_count) {
			own_count = own_first;
			other_count = other_first;
		}
		strata[job] = (struct bench_stratum){.a = others + other_first,
						     .a_count = other_count - other_first,
						     .b = own + own_first,
						     .b_count = own_count - own_first};
	}
	return own_count;
}

static enum bench_verdict_kind judge(const struct searching *in, const struct bench_stratum *strata,
				     const struct bench_metric *metric, const char *key,
				     struct bench_interval *shift)
{
	double edge = log1p(bench_compare_asked(in->options, key));
	struct bench_interval narrow = bench_stats_strata_shift(strata, in->group->jobs, 0.9);
	bool certain;

	*shift = bench_stats_strata_shift(strata, in->group->jobs, in->level);
	certain = shift->level >= in->level;
	if (certain && shift->lo > edge)
		return metric->better == BENCH_BETTER_LOWER ? BENCH_SLOWER : BENCH_FASTER;
	if (certain && shift->hi < -edge)
		return metric->better == BENCH_BETTER_LOWER ? BENCH_FASTER : BENCH_SLOWER;
	*shift = narrow;
	return narrow.level >= 0.9 && narrow.lo > -edge && narrow.hi < edge ? BENCH_SAME : BENCH_UNCLEAR;
}

static void search_metric(struct searching *in, const struct value *values, size_t count,
			  const struct bench_result *result, const struct bench_metric *metric)
{
	const char *key = bench_arena_format(in->arena, "%s/%s", result->key, metric->name);
	BENCH_SCOPED_MEMORY double *room = bench_memory_alloc(2 * count, sizeof(*room));
	BENCH_SCOPED_MEMORY struct bench_stratum *strata =
		bench_memory_alloc(in->group->jobs, sizeof(*strata));

	if (bench_compare_is_ignored(in->options, key))
		return;
	for (size_t node = 0; node < in->group->nodes; node++) {
		size_t own = split(in, values, count, node, room, room + count, strata);
		struct bench_fleet_odd *odd;
		struct bench_interval shift;

		in->tests += own > 0;
		if (own == 0 || in->level == 0)
			continue;
		odd = bench_arena_push(in->arena, in->odd, in->count, sizeof(*odd));
		*odd = (struct bench_fleet_odd){.group = in->number, .node = node, .key = key, .values = own};
		for (size_t job = 0; job < in->group->jobs; job++)
			odd->others += strata[job].b_count > 0 ? strata[job].a_count : 0;
		odd->kind = judge(in, strata, metric, key, &shift);
		odd->ratio = exp(shift.estimate);
		odd->lo = exp(shift.lo);
		odd->hi = exp(shift.hi);
	}
}

static void search_group(struct searching *in)
{
	size_t count;
	BENCH_SCOPED_MEMORY struct cell *cells = list_cells(in->group, &count);
	BENCH_SCOPED_MEMORY struct value *values =
		bench_memory_alloc(in->group->count + count, sizeof(*values));

	for (size_t first = 0, same; first < count; first += same) {
		const struct bench_result *result;

		same = count_same(cells + first, count - first);
		result = first_ok(cells + first, same);
		for (size_t m = 0; result && m < result->metric_count; m++)
			if (bench_compare_is_judged(&result->metrics[m]))
				search_metric(in, values,
					      list_values(cells + first, same, &result->metrics[m], values),
					      result, &result->metrics[m]);
	}
}

void bench_compare_fleet_odd(const struct bench_fleet_group *groups, size_t group_count,
			     const struct bench_compare_options *options, struct bench_arena *arena,
			     struct bench_fleet_odd **odd, size_t *count)
{
	struct searching in = {.options = options, .arena = arena, .odd = odd, .count = count};

	*odd = NULL;
	*count = 0;
	/* Once to count the tests, among which alpha is shared out (Bonferroni); once to make them. */
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t g = 0; g < group_count; g++) {
			in.group = &groups[g];
			in.number = g;
			search_group(&in);
		}
		in.level = 1 - options->alpha / (double)(in.tests ? in.tests : 1);
	}
}

/* ---- nights */

/* What nodes are off by: each job's deviations from the median of its values, one a node; NaN: none. */
struct levels {
	const struct bench_fleet_group *group;
	double *deviations; /* jobs x nodes */
	double *scratch;    /* the larger of jobs and of all values */
	bool known;         /* enough jobs to know them */
};

/* Of values of one job. */
static void learn_job(struct levels *levels, const struct value *values, size_t count, size_t job)
{
	double *row = levels->deviations + job * levels->group->nodes, median;
	size_t listed = 0;

	for (size_t node = 0; node < levels->group->nodes; node++)
		row[node] = NAN;
	for (size_t i = 0; i < count; i++)
		if (!values[i].disturbed)
			levels->scratch[listed++] = values[i].log;
	median = bench_stats_median(levels->scratch, listed);
	for (size_t first = 0, next; first < count; first = next) {
		listed = 0;
		for (next = first; next < count && values[next].run->node == values[first].run->node; next++)
			if (!values[next].disturbed)
				levels->scratch[listed++] = values[next].log - median;
		row[values[first].run->node] = bench_stats_median(levels->scratch, listed);
	}
}

/* Of the values of all jobs. */
static void learn(struct levels *levels, const struct value *values, size_t count)
{
	for (size_t job = 0, first = 0, next; job < levels->group->jobs; job++, first = next) {
		for (next = first; next < count && values[next].run->job == job; next++)
			;
		learn_job(levels, values + first, next - first, job);
	}
}

/* By how much a node is off in the other jobs; tonight's, which is judged, does not count. */
static double level_of(const struct levels *levels, size_t node, size_t job)
{
	size_t listed = 0;

	for (size_t other = 1; levels->known && other < levels->group->jobs; other++) {
		double deviation = levels->deviations[other * levels->group->nodes + node];

		if (other != job && !isnan(deviation))
			levels->scratch[listed++] = deviation;
	}
	return listed >= BENCH_FLEET_LEVELS - 1 ? bench_stats_median(levels->scratch, listed) : 0;
}

/* The cells of one job of a case as one result; NULL where it has none. */
static struct bench_result *add_case(const struct cell *cells, size_t count, size_t job,
				     struct bench_run *night)
{
	const struct cell *worst = NULL;
	struct bench_result *result;
	struct bench_error ignored;

	for (size_t i = 0; i < count; i++)
		if (cells[i].run->job == job && (!worst || cells[i].result->status > worst->result->status))
			worst = &cells[i];
	if (!worst)
		return NULL;
	/* The parts of the key come from a record, so they are legal in another. */
	result = bench_record_add_case(night, worst->result->suite, worst->result->backend,
				       worst->result->device, worst->result->params,
				       worst->result->param_count, &ignored);
	if (!result)
		return NULL;
	result->status = worst->result->status;
	if (result->status != BENCH_STATUS_OK)
		result->reason = bench_arena_format(&night->arena, "in run %s: %s", worst->run->run->id,
						    worst->result->reason ? worst->result->reason : "");
	return result;
}

static void add_metric(const struct levels *levels, const struct value *values, size_t count, size_t job,
		       const struct bench_metric *like, struct bench_run *night, struct bench_result *result)
{
	struct bench_metric *metric =
		bench_arena_push(&night->arena, &result->metrics, &result->metric_count, sizeof(*metric));

	*metric = (struct bench_metric){.name = bench_arena_string(&night->arena, like->name),
					.unit = bench_arena_string(&night->arena, like->unit),
					.better = like->better,
					.derived_from = bench_arena_string(&night->arena, "")};
	for (size_t i = 0; i < count; i++) {
		struct bench_series *series;

		if (values[i].run->job != job)
			continue;
		series = bench_arena_push(&night->arena, &metric->series, &metric->series_count,
					  sizeof(*series));
		*series = (struct bench_series){.invocation = (int)metric->series_count - 1,
						.values = bench_arena_alloc(&night->arena, 1, sizeof(double)),
						.count = 1};
		series->values[0] = exp(values[i].log - level_of(levels, values[i].run->node, job));
		if (values[i].disturbed) {
			series->disturbed = bench_arena_alloc(&night->arena, 1, sizeof(bool));
			series->disturbed[0] = true;
		}
	}
	bench_record_summarize(metric->series, metric->series_count, &metric->summary);
}

static void add_cells(struct levels *levels, const struct cell *cells, size_t count, struct value *values,
		      struct bench_run **nights)
{
	const struct bench_result *like = first_ok(cells, count);
	struct bench_result **results =
		bench_memory_alloc(levels->group->jobs, sizeof(struct bench_result *));

	for (size_t job = 0; job < levels->group->jobs; job++)
		results[job] = nights[job] ? add_case(cells, count, job, nights[job]) : NULL;
	for (size_t m = 0; like && m < like->metric_count; m++) {
		size_t value_count;

		if (!bench_compare_is_judged(&like->metrics[m]))
			continue;
		value_count = list_values(cells, count, &like->metrics[m], values);
		if (levels->known)
			learn(levels, values, value_count);
		for (size_t job = 0; job < levels->group->jobs; job++)
			if (results[job] && results[job]->status == BENCH_STATUS_OK)
				add_metric(levels, values, value_count, job, &like->metrics[m], nights[job],
					   results[job]);
	}
	free(results);
}

static char **copy_words(struct bench_arena *arena, char *const *words, size_t count)
{
	char **copy = bench_arena_alloc(arena, count + 1, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = bench_arena_string(arena, words[i]);
	return copy;
}

/* What the comparison asks of a record but its results: those of the job's first run, on the machine `class`.
 */
static struct bench_run *begin_night(const struct bench_run *like, const char *class)
{
	struct bench_run *night = bench_record_new();
	struct bench_arena *arena = &night->arena;
	const struct bench_selection *selection = &like->selection;

	night->id = bench_arena_string(arena, like->id);
	night->started = like->started;
	night->finished = like->finished;
	night->preset = bench_arena_string(arena, like->preset);
	night->command = bench_arena_string(arena, like->command);
	night->selection = (struct bench_selection){
		.suites = copy_words(arena, selection->suites, selection->suite_count),
		.suite_count = selection->suite_count,
		.targets = copy_words(arena, selection->targets, selection->target_count),
		.target_count = selection->target_count,
		.backends = bench_arena_string(arena, selection->backends ? selection->backends : ""),
		.filter = bench_arena_string(arena, selection->filter),
		.sets = copy_words(arena, selection->sets, selection->set_count),
		.set_count = selection->set_count};
	night->git = (struct bench_git){.present = like->git.present,
					.commit = bench_arena_string(arena, like->git.commit),
					.branch = bench_arena_string(arena, like->git.branch)};
	for (size_t i = 0; i < like->host_count; i++)
		bench_record_attribute_set(arena, &night->host, &night->host_count, like->host[i].name,
					   like->host[i].value);
	bench_record_attribute_set(arena, &night->host, &night->host_count, "fingerprint", class);
	night->devices = bench_arena_alloc(arena, like->device_count + 1, sizeof(*night->devices));
	for (size_t i = 0; i < like->device_count; i++) {
		night->devices[i] = like->devices[i];
		night->devices[i].backend = bench_arena_string(arena, like->devices[i].backend);
	}
	night->device_count = like->device_count;
	return night;
}

void bench_compare_fleet_nights(const struct bench_fleet_group *group, const char *class,
				struct bench_run **nights)
{
	size_t count, most = group->count > group->jobs ? group->count : group->jobs;
	BENCH_SCOPED_MEMORY struct cell *cells = list_cells(group, &count);
	BENCH_SCOPED_MEMORY struct value *values = bench_memory_alloc(group->count + count, sizeof(*values));
	struct levels levels = {.group = group, .known = group->jobs > BENCH_FLEET_LEVELS};

	levels.deviations = bench_memory_alloc(group->jobs * group->nodes, sizeof(double));
	levels.scratch = bench_memory_alloc(most + 1, sizeof(double));
	for (size_t job = 0; job < group->jobs; job++) {
		const struct bench_run *first = NULL;

		for (size_t i = 0; i < group->count; i++)
			if (group->runs[i].job == job &&
			    (!first || group->runs[i].run->started < first->started ||
			     (group->runs[i].run->started == first->started &&
			      strcmp(group->runs[i].run->id, first->id) < 0)))
				first = group->runs[i].run;
		nights[job] = first ? begin_night(first, class) : NULL;
	}
	for (size_t first = 0, same; first < count; first += same) {
		same = count_same(cells + first, count - first);
		add_cells(&levels, cells + first, same, values, nights);
	}
	free(levels.deviations);
	free(levels.scratch);
}
