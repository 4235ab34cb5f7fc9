/*
 * github-action-benchmark: customSmallerIsBetter and customBiggerIsBetter, [{"name", "unit", "value",
 * "range", "extra"}]. The file does not say which of both it is: read by itself, it is smaller.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "interchange/internal.h"

static const char *const kept[] = {"range", "extra"};

static bool is_smaller(const struct interchange_reader *in)
{
	const cJSON *first = cJSON_IsArray(in->root) ? in->root->child : NULL;
	return cJSON_HasObjectItem(first, "name") && cJSON_HasObjectItem(first, "unit") &&
	       cJSON_HasObjectItem(first, "value");
}

static int read_item(struct interchange_reader *in, const cJSON *item, const char *what,
		     enum bench_better better)
{
	const char *name, *unit;
	double value, times, over;
	if (bench_json_string(item, "name", what, &name, in->error) != 0 ||
	    bench_json_string(item, "unit", what, &unit, in->error) != 0 ||
	    bench_json_number(item, "value", what, &value, in->error) != 0)
		return -1;
	const struct interchange_case fresh = interchange_split(in, name);
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	const char *si = interchange_si(unit, &times, &over);
	const bool is_time = better == BENCH_BETTER_LOWER && si && strcmp(si, "s") == 0;
	const struct interchange_quantity quantity = {is_time ? "time" : "value", unit, better, false};
	for (size_t i = 0; to && i < 2; i++) {
		const char *text = bench_json_string_or(item, kept[i], "");
		if (*text)
			interchange_note(in, to, kept[i], bench_arena_format(in->arena, "%.2000s", text));
	}
	return to ? interchange_sample(in, to, &quantity, 0, value) : -1;
}

static int read_list(struct interchange_reader *in, enum bench_better better)
{
	const cJSON *item;
	size_t index = 0;
	if (!cJSON_IsArray(in->root))
		return interchange_fail(in, "expected an array of results");
	cJSON_ArrayForEach(item, in->root)
	{
		char what[400];
		snprintf(what, sizeof(what), "%.300s: [%zu]", in->file->path, index++);
		if (read_item(in, item, what, better) != 0)
			return -1;
	}
	interchange_say(in->draft->notes, "%s has one value a name, and no date, host or commit",
			in->file->path);
	return 0;
}

static int read_smaller(struct interchange_reader *in)
{
	if (!in->told)
		return interchange_fail(in, "does not say whether smaller or larger values are better: "
					    "--from smaller, or --from bigger");
	return read_list(in, BENCH_BETTER_LOWER);
}

static int read_bigger(struct interchange_reader *in)
{
	return read_list(in, BENCH_BETTER_HIGHER);
}

static void write_range(struct bench_arena *arena, cJSON *item, const struct bench_result *result,
			const struct bench_metric *metric, double times, double over)
{
	const struct bench_summary *summary = &metric->summary;
	const double half = (summary->ci_hi - summary->ci_lo) / 2 / times * over;
	const char *range = summary->count > 1 ? bench_arena_format(arena, "\xc2\xb1 %.4g", half)
					       : interchange_note_of(result, "range");
	if (*range)
		cJSON_AddStringToObject(item, "range", range);
	if (*interchange_note_of(result, "extra"))
		cJSON_AddStringToObject(item, "extra", interchange_note_of(result, "extra"));
}

/* A metric that is not the case's first one has its name behind the case's. */
static void write_metric(struct bench_arena *arena, cJSON *list, const struct bench_result *result,
			 const struct bench_metric *metric)
{
	const char *title = interchange_title(arena, result, ':');
	const bool alone = strcmp(metric->name, "time") == 0 || strcmp(metric->name, "value") == 0;
	double times, over;
	const char *unit = interchange_unit(result, metric, &times, &over);
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	cJSON_AddStringToObject(
		item, "name",
		alone ? title
		      : bench_arena_format(arena, "%s/%s", title, interchange_metric_name(result, metric)));
	cJSON_AddStringToObject(item, "unit", unit);
	interchange_add_number(item, "value", interchange_rounded(metric->summary.median) / times * over);
	write_range(arena, item, result, metric, times, over);
}

static void write_list(const struct bench_run *run, enum bench_better better,
		       struct bench_interchange_notes *notes, struct bench_text *out)
{
	static const char what[] = "github-action-benchmark's JSON";
	struct bench_arena arena = {0};
	cJSON *root = cJSON_CreateArray();
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status != BENCH_STATUS_OK)
			interchange_say(notes, "%s has no failures: cases that are not ok are left out",
					what);
		for (size_t m = 0; m < result->metric_count; m++) {
			const struct bench_metric *metric = &result->metrics[m];
			if (!interchange_is_measured(metric))
				continue;
			if (metric->better == better)
				write_metric(&arena, root, result, metric);
			else
				interchange_say(notes,
						"%s has one direction: metrics that have another, or none, "
						"are left out",
						what);
		}
	}
	interchange_say(notes, "%s has one value a name, and no date, host or commit", what);
	interchange_print(root, true, out);
	bench_arena_free(&arena);
}

static void write_smaller(const struct bench_run *run, struct bench_interchange_notes *notes,
			  struct bench_text *out)
{
	write_list(run, BENCH_BETTER_LOWER, notes, out);
}

static void write_bigger(const struct bench_run *run, struct bench_interchange_notes *notes,
			 struct bench_text *out)
{
	write_list(run, BENCH_BETTER_HIGHER, notes, out);
}

const struct bench_interchange_format bench_interchange_smaller = {
	.name = "smaller",
	.is = is_smaller,
	.read = read_smaller,
	.write = write_smaller,
};

const struct bench_interchange_format bench_interchange_bigger = {
	.name = "bigger",
	.read = read_bigger,
	.write = write_bigger,
};
