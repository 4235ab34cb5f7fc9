/* SPDX-License-Identifier: MIT */
#include "app/project_internal.h"

#include <math.h>
#include <string.h>

#include "app/hooks.h"
#include "core/file.h"
#include "core/json_place.h"
#include "core/memory.h"
#include "core/text.h"
#include "suites/suites.h"

#define MOST_BYTES ((size_t)1 << 20)
#define MOST_NAMES 256

int app_project_refuse(const struct project_reading *in, const cJSON *item, bool name, const char *format,
		       ...)
{
	va_list arguments;
	va_start(arguments, format);
	const char *words = bench_arena_vformat(&in->project->arena, format, arguments);
	va_end(arguments);
	return bench_json_place_fail(in->text, in->project->path, in->root, item, name, 0, in->error, "%s",
				     words);
}

int app_project_members(const struct project_reading *in, const cJSON *object, const char *whose,
			const char *const *names, size_t count)
{
	BENCH_SCOPED_TEXT words = {0};
	const cJSON *stray = bench_json_place_stray(object, whose, names, count, &words);
	if (stray)
		app_project_refuse(in, stray, true, "%s", words.data);
	return stray ? -1 : 0;
}

int app_project_once(const struct project_reading *in, const cJSON *object, const cJSON *item)
{
	return cJSON_GetObjectItemCaseSensitive(object, item->string) == item
		       ? 0
		       : app_project_refuse(in, item, true, "'%s' is given twice", item->string);
}

void app_project_add(struct project_reading *in, const char *option, const char *value)
{
	BENCH_PUSH(&in->project->arena, in->into->items, in->into->count) =
		(struct bench_project_setting){option, value};
}

/* A text, or a number as it is written; NULL: neither. */
static const char *text_of(struct project_reading *in, const cJSON *item)
{
	return cJSON_IsString(item) || cJSON_IsNumber(item)
		       ? bench_arena_string(&in->project->arena, item->valuestring)
		       : NULL;
}

/* What a project brings may have suites and parameters of any name. */
static bool brings(const struct project_reading *in)
{
	static const char *const bringing[] = {"kernels", "plugins", "exec"};
	for (size_t i = 0; i < COUNT(bringing); i++)
		if (cJSON_GetObjectItemCaseSensitive(in->root, bringing[i]))
			return true;
	return false;
}

static int refuse_unknown(const struct project_reading *in, const cJSON *item, bool name, const char *what,
			  const char *word, const char *const *names, size_t count)
{
	const char *nearest = bench_text_nearest(word, names, count);
	return app_project_refuse(in, item, name, "there is no %s '%s'%s%s%s", what, word,
				  BENCH_DID_YOU_MEAN(nearest));
}

/* Adds the setting where the text is legal. */
static int add_legal(struct project_reading *in, const char *option, const cJSON *item, const char *text,
		     bool legal, const char *expected)
{
	if (!legal)
		return app_project_refuse(in, item, false, "'%s': expected %s", item->string, expected);
	app_project_add(in, option, text);
	return 0;
}

static int read_word(struct project_reading *in, const char *option, const cJSON *item)
{
	const char *text = text_of(in, item);

	return add_legal(in, option, item, text, text && *text, "a text or a number");
}

static int read_time(struct project_reading *in, const char *option, const cJSON *item)
{
	const char *text = text_of(in, item);
	double seconds;

	return add_legal(in, option, item, text, text && bench_text_duration(text, &seconds),
			 "a time such as \"90s\" or \"5m\"");
}

static int read_fraction(struct project_reading *in, const char *option, const cJSON *item)
{
	const char *text = text_of(in, item);
	double fraction;

	return add_legal(in, option, item, text, text && bench_text_fraction(text, &fraction),
			 "a fraction such as \"5%\" or 0.05");
}

static int read_whole(struct project_reading *in, const char *option, const cJSON *item)
{
	const double value = cJSON_IsNumber(item) ? item->valuedouble : 0;

	return add_legal(in, option, item, bench_arena_format(&in->project->arena, "%.0f", value),
			 value >= 1 && value <= 1e6 && value == floor(value), "a whole number");
}

/* A text of a list, which is for messages; a text by itself is its own list. */
typedef int read_text(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item);

/* A list of texts, or one by itself. */
static int read_each(struct project_reading *in, const char *option, const cJSON *list, read_text *read)
{
	const cJSON *item;
	if (cJSON_IsString(list) && *list->valuestring)
		return read(in, option, list, list);
	if (!cJSON_IsArray(list))
		return app_project_refuse(in, list, false, "'%s': expected a list of texts", list->string);
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item) || !*item->valuestring)
			return app_project_refuse(in, item, false, "'%s': expected texts", list->string);
		if (read(in, option, list, item) != 0)
			return -1;
	}
	return 0;
}

static int add_word(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	(void)list;
	app_project_add(in, option, bench_arena_string(&in->project->arena, item->valuestring));
	return 0;
}

static int add_suites(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	const char *names[MOST_NAMES] = {"all"};
	char *rest = bench_arena_string(&in->project->arena, item->valuestring), *word;
	size_t count = 1;
	for (size_t s = 0; bench_suites[s] && count < COUNT(names); s++)
		names[count++] = bench_suites[s]->name;
	while (!brings(in) && (word = bench_text_next(&rest, ','))) {
		bool known = BENCH_FIND(names, count, word) != NULL;
		if (!known)
			return refuse_unknown(in, item, false, "suite", word, names, count);
	}
	return add_word(in, option, list, item);
}

static int add_file(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	if (app_project_leaves(in, item->valuestring))
		return app_project_refuse(
			in, item, false,
			"'%s': '%s' lies outside of the project; on the command line, --%s takes it",
			list->string, item->valuestring, option);
	app_project_add(in, option,
			bench_arena_format(&in->project->arena, "%s%s", in->folder, item->valuestring));
	return 0;
}

/* Of commands: a file of them, or one that the command line splits. */
static int add_command(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	const char *text = item->valuestring, *dot = strrchr(text, '.');
	bool file = dot && strcmp(dot, ".json") == 0 && !strpbrk(text, " \t");
	return (file ? add_file : add_word)(in, option, list, item);
}

static int check_param(const struct project_reading *in, const cJSON *set)
{
	const char *names[MOST_NAMES];
	size_t count = 0;
	for (size_t s = 0; bench_suites[s]; s++)
		for (const struct bench_param *param = bench_suites[s]->params; param->name; param++) {
			if (strcmp(param->name, set->string) == 0)
				return 0;
			if (count < COUNT(names))
				names[count++] = param->name;
		}
	return brings(in) ? 0 : refuse_unknown(in, set, true, "parameter", set->string, names, count);
}

/* {"n": [64, 128], "trans": "NN"} gives n=64,128 and trans=NN. */
static int read_sets(struct project_reading *in, const char *option, const cJSON *sets)
{
	const cJSON *set, *item;
	if (!cJSON_IsObject(sets))
		return app_project_refuse(in, sets, false, "'set': expected {\"PARAMETER\": VALUES, ..}");
	cJSON_ArrayForEach(set, sets)
	{
		if (app_project_once(in, sets, set) != 0 || check_param(in, set) != 0)
			return -1;
		BENCH_SCOPED_TEXT values = {0};
		const cJSON *first = cJSON_IsArray(set) ? set->child : set;
		for (item = first; item; item = cJSON_IsArray(set) ? item->next : NULL) {
			const char *text = text_of(in, item);
			if (!text || !*text) {
				return app_project_refuse(in, item, false, "'%s': expected values",
							  set->string);
			}
			if (item != set && strchr(text, ',')) {
				return app_project_refuse(
					in, item, false,
					"'%s': a comma separates values, and '%s' has one: a file of "
					"commands may give it",
					set->string, text);
			}
			bench_text_add(&values, "%s%s", values.length ? "," : "", text);
		}
		if (!values.length)
			return app_project_refuse(in, set, false, "'%s' has no value", set->string);
		app_project_add(in, option,
				bench_arena_format(&in->project->arena, "%s=%s", set->string, values.data));
	}
	return 0;
}

static int read_labels(struct project_reading *in, const char *option, const cJSON *labels)
{
	const cJSON *label;
	if (!cJSON_IsObject(labels))
		return app_project_refuse(in, labels, false, "'labels': expected {\"NAME\": \"TEXT\", ..}");
	cJSON_ArrayForEach(label, labels)
	{
		const char *text = text_of(in, label);
		if (app_project_once(in, labels, label) != 0)
			return -1;
		if (!text || !*label->string || strchr(label->string, '='))
			return app_project_refuse(in, label, true, "label '%s': expected a name and a text",
						  label->string);
		app_project_add(in, option,
				bench_arena_format(&in->project->arena, "%s=%s", label->string, text));
	}
	return 0;
}

struct bench_metric_rule *app_project_add_rule(struct project_reading *in, const char *pattern)
{
	struct bench_project *project = in->project;
	struct bench_metric_rule *rule =
		bench_arena_push(&project->arena, &project->rules, &project->rule_count, sizeof(*rule));
	*rule = (struct bench_metric_rule){.pattern = bench_arena_string(&project->arena, pattern)};
	return rule;
}

static int add_ignored(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	(void)option;
	(void)list;
	app_project_add_rule(in, item->valuestring)->ignored = true;
	return 0;
}

static int read_rule(struct project_reading *in, const cJSON *object)
{
	static const char *const names[] = {"match", "threshold", "owner", "max", "min"};
	const cJSON *match = cJSON_GetObjectItemCaseSensitive(object, names[0]), *member;
	if (!cJSON_IsString(match) || !*match->valuestring)
		return app_project_refuse(
			in, object, false,
			"'metrics': expected {\"match\": \"PATTERN\", \"threshold\": \"3%%\", "
			"\"owner\": \"NAME\"}");
	if (app_project_members(in, object, "an entry of 'metrics'", names, COUNT(names)) != 0)
		return -1;
	struct bench_metric_rule *rule = app_project_add_rule(in, match->valuestring);
	cJSON_ArrayForEach(member, object)
	{
		const char *text = text_of(in, member);
		if (strcmp(member->string, names[1]) == 0) {
			if (!text || !bench_text_fraction(text, &rule->threshold) || rule->threshold < 0.001)
				return app_project_refuse(
					in, member, false,
					"'threshold': expected a fraction such as \"3%%\", from 0.1%% on");
		} else if (strcmp(member->string, names[2]) == 0) {
			if (!text || !*text)
				return app_project_refuse(in, member, false, "'owner': expected a text");
			rule->owner = text;
		} else if (strcmp(member->string, names[0]) != 0 &&
			   app_project_bound(in, member, strcmp(member->string, names[4]) == 0, rule) != 0) {
			return -1;
		}
	}
	return 0;
}

static int read_rules(struct project_reading *in, const char *option, const cJSON *list)
{
	const cJSON *item;
	(void)option;
	if (!cJSON_IsArray(list))
		return app_project_refuse(in, list, false, "'metrics': expected a list");
	cJSON_ArrayForEach(item, list) if (read_rule(in, item) != 0) return -1;
	return 0;
}

/* {"opened": COMMANDS, "all": COMMANDS} gives opened=COMMAND and COMMAND. */
static int add_hook(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	struct bench_arena *arena = &in->project->arena;
	struct bench_app_hooks unused = {0};
	struct bench_error cause;
	const char *hook = strcmp(list->string, "all") == 0
				   ? bench_arena_string(arena, item->valuestring)
				   : bench_arena_format(arena, "%s=%s", list->string, item->valuestring);
	if (bench_app_hooks_add(&unused, hook, arena, &cause) != 0)
		return app_project_refuse(in, item, false, "%s", cause.text);
	app_project_add(in, option, hook);
	return 0;
}

static int read_hooks(struct project_reading *in, const char *option, const cJSON *hooks)
{
	const char *names[BENCH_ALARM_EVENTS + 1] = {"all"};
	const cJSON *commands;
	for (int event = 0; event < BENCH_ALARM_EVENTS; event++)
		names[event + 1] = bench_record_alarm_event_name((enum bench_alarm_event)event);
	if (!cJSON_IsObject(hooks))
		return app_project_refuse(in, hooks, false, "'hooks': expected {\"EVENT\": COMMANDS, ..}");
	if (app_project_members(in, hooks, "'hooks'", names, COUNT(names)) != 0)
		return -1;
	cJSON_ArrayForEach(commands, hooks) if (read_each(in, option, commands, add_hook) != 0) return -1;
	return 0;
}

/* A preset may have those that are not of the whole project. Those with `each` are lists. */
static const struct member {
	const char *name, *option;
	bool whole;
	app_project_read *read;
	read_text *each;
} members[] = {
	{"suites", "suite", false, .each = add_suites},
	{"kernels", "kernel", true, .each = add_file},
	{"specs", "spec", true, .each = add_file},
	{"plugins", "plugin", true, .each = add_file},
	{"exec", "exec", true, .each = add_command},
	{"exec-shell", "exec-shell", true, .read = read_word},
	{"exec-output", "exec-output", true, .read = read_word},
	{"build", "build", true, .read = read_word},
	{"program", "program", true, .read = read_word},
	{"keep", "keep", true, .each = add_word},
	{"backends", "backend", false, .read = read_word},
	{"set", "set", false, .read = read_sets},
	{"filter", "filter", false, .read = read_word},
	{"preset", "preset", true, .read = read_word},
	{"presets", NULL, true, .read = app_project_presets},
	{"budget", "budget", false, .read = read_time},
	{"invocations", "invocations", false, .read = read_whole},
	{"precision", "precision", false, .read = read_fraction},
	{"threads", "threads", false, .read = read_whole},
	{"time-limit", "time-limit", false, .read = read_time},
	{"pin", "pin", false, .read = read_word},
	{"cache", "cache", false, .read = read_word},
	{"threshold", "threshold", true, .read = read_fraction},
	{"alpha", "alpha", true, .read = read_fraction},
	{"metrics", NULL, true, .read = read_rules},
	{"ignore", NULL, true, .each = add_ignored},
	{"expect", NULL, true, .read = app_project_expect},
	{"labels", "label", true, .read = read_labels},
	{"runs", "runs-dir", true, .read = app_project_place},
	{"history", "db", true, .read = app_project_place},
	{"fleet", NULL, true, .read = app_project_fleet},
	{"hooks", "on-alarm", true, .read = read_hooks},
};

int app_project_read_members(struct project_reading *in, const cJSON *object, bool whole, const char *whose)
{
	const char *names[COUNT(members) + 1];
	const cJSON *item;
	size_t count = 0;
	for (size_t m = 0; m < COUNT(members); m++)
		if (whole || !members[m].whole)
			names[count++] = members[m].name;
	if (!whole)
		names[count++] = "like";
	if (app_project_members(in, object, whose, names, count) != 0)
		return -1;
	cJSON_ArrayForEach(item, object)
	{
		for (size_t m = 0; m < COUNT(members); m++)
			if (strcmp(members[m].name, item->string) == 0 &&
			    (members[m].each ? read_each(in, members[m].option, item, members[m].each)
					     : members[m].read(in, members[m].option, item)) != 0)
				return -1;
	}
	return 0;
}

/* JSON has none: in their place stand blanks, so that lines and columns stay. */
static void blank_comments(char *text)
{
	bool quoted = false;
	for (char *at = text; *at; at++) {
		if (quoted && *at == '\\' && at[1])
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (!quoted && at[0] == '/' && at[1] == '/')
			while (*at && *at != '\n')
				*at++ = ' ';
		if (!*at)
			break;
	}
}

int bench_app_project_parse(const char *path, const char *text, struct bench_project *project,
			    struct bench_error *error)
{
	struct bench_arena *arena = &project->arena;
	const char *slash = strrchr(path, '/');
	char *copy = bench_arena_string(arena, text);
	blank_comments(copy);
	project->path = bench_arena_string(arena, path);
	project->folder = slash ? bench_arena_format(arena, "%.*s", (int)(slash - path + 1), path) : ".";
	BENCH_SCOPED_JSON *root = bench_json_place_parse(copy, project->path, error);
	if (!root)
		return -1;
	struct project_reading in = {.project = project,
				     .text = copy,
				     .root = root,
				     .folder = slash ? project->folder : "",
				     .into = &project->settings,
				     .error = error};
	return cJSON_IsObject(root) ? app_project_read_members(&in, root, true, "a project")
				    : app_project_refuse(&in, root, false, "expected {..}");
}

int bench_app_project_read(const char *path, struct bench_project *project, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *text = NULL;
	size_t length;
	if (bench_file_read(path, MOST_BYTES, &text, &length, error) != 0)
		return -1;
	return strlen(text) == length
		       ? bench_app_project_parse(path, text, project, error)
		       : bench_fail(error, BENCH_USAGE, "%s: it holds a zero byte: no text", path);
}

void bench_app_project_free(struct bench_project *project)
{
	bench_arena_free(&project->arena);
}
