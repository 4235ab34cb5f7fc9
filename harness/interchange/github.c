/* SPDX-License-Identifier: MIT */
/*
 * github-action-benchmark: customSmallerIsBetter and customBiggerIsBetter, [{"name", "unit", "value",
 * "range", "extra"}], which do not say which of both they are, and data.js, the history that the action
 * keeps:
 * {"entries": {GROUP: [{"commit", "date", "tool", "benches": [...]}]}}. There, each entry is a run.
 */
#include <string.h>

#include "interchange/internal.h"

/* What all results of a list share. */
struct list {
	enum bench_better better;
	enum interchange_direction direction;
	const char *group; /* NULL: none */
	bool repeats;      /* what has the same name is measured again */
};

static bool is_smaller(const struct interchange_reader *in)
{
	const cJSON *first = cJSON_IsArray(in->root) ? in->root->child : NULL;
	return cJSON_HasObjectItem(first, "name") && cJSON_HasObjectItem(first, "unit") &&
	       cJSON_HasObjectItem(first, "value");
}

static int read_item(struct interchange_reader *in, const cJSON *item, const char *what)
{
	const struct list *list = in->more;
	const char *name, *unit;
	const cJSON *text = bench_json_member(item, "value");
	double value;
	struct bench_unit parsed;
	if (bench_json_string(item, "name", what, &name, in->error) != 0 ||
	    bench_json_string(item, "unit", what, &unit, in->error) != 0)
		return -1;
	unit = bench_arena_format(in->arena, "%.*s", (int)strcspn(unit, "\t"),
				  unit); /* Go's others behind it */
	struct interchange_case fresh = interchange_split(in, name);
	if (list->group)
		interchange_param(in, &fresh, "group", list->group);
	struct interchange_case *to = interchange_enter(in, fresh, list->repeats);
	/* Shell scripts write numbers as texts. */
	if (!to || (!(cJSON_IsString(text) && bench_text_real(text->valuestring, &value)) &&
		    bench_json_number(item, "value", what, &value, in->error) != 0))
		return -1;
	const bool is_time = list->better != BENCH_BETTER_HIGHER && bench_unit_parse(unit, &parsed) &&
			     strcmp(parsed.si, "s") == 0;
	const struct interchange_quantity quantity = {is_time ? "time" : "value", unit, list->better,
						      list->direction};
	return interchange_sample(in, to, &quantity, 0, value);
}

static int read_list(struct interchange_reader *in, enum bench_better better)
{
	struct list list = {better, INTERCHANGE_SAID, NULL, false};
	in->more = &list;
	interchange_say_has(in, "one value a name, and no date, host or commit");
	return interchange_each(in, in->root, "", read_item);
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

static bool is_datajs(const struct interchange_reader *in)
{
	const cJSON *group = bench_json_member(in->root, "entries");
	return cJSON_IsObject(group) && (!group->child || cJSON_IsArray(group->child)) &&
	       (!group->child || !group->child->child || cJSON_HasObjectItem(group->child->child, "benches"));
}

static int read_run(struct interchange_reader *in, const cJSON *item, const char *what)
{
	struct list *list = in->more;
	const cJSON *commit = bench_json_member(item, "commit"), *benches;
	const char *tool = interchange_text(item, "tool");
	int64_t started = (int64_t)(bench_json_number_or(item, "date", 0) / 1000);
	if (started <= 0 && !bench_date_parse(interchange_text(commit, "timestamp"), &started))
		started = 0;
	list->repeats = strcmp(tool, "go") == 0 || strcmp(tool, "googlecpp") == 0;
	list->direction = strncmp(tool, "custom", 6) == 0 ? INTERCHANGE_SAID : INTERCHANGE_BY_UNIT;
	list->better = strcmp(tool, "customBiggerIsBetter") == 0    ? BENCH_BETTER_HIGHER
		       : strcmp(tool, "customSmallerIsBetter") == 0 ? BENCH_BETTER_LOWER
								    : BENCH_BETTER_NONE;
	if (bench_json_array(item, "benches", what, &benches, in->error) != 0 ||
	    interchange_commit(in, interchange_text(commit, "id"), "", false) != 0)
		return -1;
	interchange_started(in, started);
	interchange_label(in, "tool", tool);
	return interchange_each(in, benches, "benches", read_item) != 0 ? -1 : interchange_finish(in);
}

static int read_datajs(struct interchange_reader *in)
{
	struct list list = {BENCH_BETTER_NONE, INTERCHANGE_BY_UNIT, NULL, false};
	const cJSON *group;
	in->more = &list;
	cJSON_ArrayForEach(group, bench_json_member(in->root, "entries"))
	{
		list.group = group->string;
		if (interchange_each(in, group, group->string, read_run) != 0)
			return -1;
	}
	return 0;
}

INTERCHANGE_FORMAT(smaller, is_smaller, read_smaller, NULL);
INTERCHANGE_FORMAT(bigger, NULL, read_bigger, NULL);
INTERCHANGE_FORMAT(datajs, is_datajs, read_datajs, NULL);
