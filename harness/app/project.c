#include "app/project_internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/plan.h"
#include "core/file.h"
#include "core/json_place.h"
#include "core/text.h"
#include "store/store.h"
#include "suites/suites.h"

#define MOST_BYTES   ((size_t)1 << 20)
#define MOST_FOLDERS 256
#define MOST_NAMES   256
#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))

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

int app_project_once(const struct project_reading *in, const cJSON *object, const cJSON *item)
{
	return cJSON_GetObjectItemCaseSensitive(object, item->string) == item
		       ? 0
		       : app_project_refuse(in, item, true, "'%s' is given twice", item->string);
}

static void add(struct project_reading *in, const char *option, const char *value)
{
	struct bench_project_setting *setting =
		bench_arena_push(&in->project->arena, &in->into->items, &in->into->count, sizeof(*setting));
	*setting = (struct bench_project_setting){option, value};
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

static int read_word(struct project_reading *in, const char *option, const cJSON *item)
{
	const char *text = text_of(in, item);
	if (!text || !*text)
		return app_project_refuse(in, item, false, "'%s': expected a text or a number", item->string);
	add(in, option, text);
	return 0;
}

static int read_time(struct project_reading *in, const char *option, const cJSON *item)
{
	const char *text = text_of(in, item);
	double seconds;
	if (!text || !bench_text_duration(text, &seconds))
		return app_project_refuse(in, item, false, "'%s': expected a time such as \"90s\" or \"5m\"",
					  item->string);
	add(in, option, text);
	return 0;
}

static int read_fraction(struct project_reading *in, const char *option, const cJSON *item)
{
	const char *text = text_of(in, item);
	double fraction;
	if (!text || !bench_text_fraction(text, &fraction))
		return app_project_refuse(in, item, false,
					  "'%s': expected a fraction such as \"5%%\" or 0.05", item->string);
	add(in, option, text);
	return 0;
}

static int read_whole(struct project_reading *in, const char *option, const cJSON *item)
{
	if (!cJSON_IsNumber(item) || item->valuedouble < 1 || item->valuedouble > 1e6 ||
	    item->valuedouble != floor(item->valuedouble))
		return app_project_refuse(in, item, false, "'%s': expected a whole number", item->string);
	add(in, option, bench_arena_format(&in->project->arena, "%.0f", item->valuedouble));
	return 0;
}

/* A list of texts, or one by itself: each is given to `read`, with `list` for the messages. */
static int read_each(struct project_reading *in, const char *option, const cJSON *list,
		     int (*read)(struct project_reading *in, const char *option, const cJSON *list,
				 const cJSON *item))
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
	add(in, option, bench_arena_string(&in->project->arena, item->valuestring));
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
		bool known = false;
		for (size_t i = 0; i < count; i++)
			known |= strcmp(names[i], word) == 0;
		if (!known)
			return refuse_unknown(in, item, false, "suite", word, names, count);
	}
	return add_word(in, option, list, item);
}

static int read_suites(struct project_reading *in, const char *option, const cJSON *item)
{
	return read_each(in, option, item, add_suites);
}

/* Does the path lead out of the folder that it begins in, by its text or by a link on its way? */
static bool leaves(const struct project_reading *in, const char *path)
{
	char inside[PATH_MAX], whole[PATH_MAX];
	const char *folder = *in->folder ? in->folder : ".";
	long depth = 0;
	if (*path == '/')
		return true;
	for (const char *at = path; *at; at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");
		bool up = length == 2 && strncmp(at, "..", 2) == 0;
		depth += up ? -1 : !(length == 1 && *at == '.');
		if (depth < 0)
			return true;
		at += length;
	}
	if (!realpath(bench_arena_format(&in->project->arena, "%s%s", in->folder, path), whole) ||
	    !realpath(folder, inside))
		return false; /* it is not there: whoever opens it says so */
	size_t length = strlen(inside);
	return length > 1 && (strncmp(whole, inside, length) != 0 || whole[length] != '/');
}

static int add_file(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	if (leaves(in, item->valuestring))
		return app_project_refuse(
			in, item, false,
			"'%s': '%s' lies outside of the project; on the command line, --%s takes it",
			list->string, item->valuestring, option);
	add(in, option, bench_arena_format(&in->project->arena, "%s%s", in->folder, item->valuestring));
	return 0;
}

static int read_files(struct project_reading *in, const char *option, const cJSON *item)
{
	return read_each(in, option, item, add_file);
}

/* Of commands: a file of them, or one that the command line splits. */
static int add_command(struct project_reading *in, const char *option, const cJSON *list, const cJSON *item)
{
	const char *text = item->valuestring, *dot = strrchr(text, '.');
	bool file = dot && strcmp(dot, ".json") == 0 && !strpbrk(text, " \t");
	return (file ? add_file : add_word)(in, option, list, item);
}

static int read_commands(struct project_reading *in, const char *option, const cJSON *item)
{
	return read_each(in, option, item, add_command);
}

/* Where bench writes: below the file, or wherever this user is at home. */
int app_project_place(struct project_reading *in, const char *option, const cJSON *item)
{
	static const char others[] = "/home/";
	struct bench_arena *arena = &in->project->arena;
	const char *path = cJSON_IsString(item) ? item->valuestring : "", *home = getenv("HOME");
	if (!*path)
		return app_project_refuse(in, item, false, "'%s': expected a path", item->string);
	if (strcmp(option, "db") == 0 && bench_store_is_server(path)) {
		if (strcmp(bench_store_shown(path, arena), path) != 0)
			return app_project_refuse(
				in, item, false,
				"'%s': a password has no place in a file that others read: PGPASSWORD "
				"or ~/.pgpass "
				"have it",
				item->string);
		add(in, option, bench_arena_string(arena, path));
		return 0;
	}
	if (strncmp(path, "~/", 2) == 0) {
		if (!home || *home != '/')
			return app_project_refuse(in, item, false, "'%s': there is no HOME for '~/'",
						  item->string);
		add(in, option, bench_arena_format(arena, "%s/%s", home, path + 2));
		return 0;
	}
	size_t length = home ? strlen(home) : 0;
	bool own = length && strncmp(path, home, length) == 0 && (path[length] == '/' || !path[length]);
	if (strncmp(path, others, sizeof(others) - 1) == 0 && !own)
		return app_project_refuse(in, item, false,
					  "'%s': '%s' is another user's; \"~/...\" is everyone's own home",
					  item->string, path);
	add(in, option,
	    *path == '/' ? bench_arena_string(arena, path)
			 : bench_arena_format(arena, "%s%s", in->folder, path));
	return 0;
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
		struct bench_text values = {0};
		const cJSON *first = cJSON_IsArray(set) ? set->child : set;
		for (item = first; item; item = cJSON_IsArray(set) ? item->next : NULL) {
			const char *text = text_of(in, item);
			if (!text || !*text) {
				bench_text_free(&values);
				return app_project_refuse(in, item, false, "'%s': expected values",
							  set->string);
			}
			if (item != set && strchr(text, ',')) {
				bench_text_free(&values);
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
		add(in, option, bench_arena_format(&in->project->arena, "%s=%s", set->string, values.data));
		bench_text_free(&values);
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
		add(in, option, bench_arena_format(&in->project->arena, "%s=%s", label->string, text));
	}
	return 0;
}

static struct bench_metric_rule *add_rule(struct project_reading *in, const char *pattern)
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
	add_rule(in, item->valuestring)->ignored = true;
	return 0;
}

static int read_ignored(struct project_reading *in, const char *option, const cJSON *item)
{
	return read_each(in, option, item, add_ignored);
}

int app_project_no_member(struct project_reading *in, const cJSON *member, const char *whose,
			  const char *const *names, size_t count)
{
	const char *nearest = bench_text_nearest(member->string, names, count);
	struct bench_text list = {0};
	for (size_t i = 0; i < count; i++)
		bench_text_add(&list, "%s%s", i ? ", " : "", names[i]);
	app_project_refuse(in, member, true, "%s has no member '%s': it may have %s%s%s%s", whose,
			   member->string, list.data, BENCH_DID_YOU_MEAN(nearest));
	bench_text_free(&list);
	return -1;
}

static int read_rule(struct project_reading *in, const cJSON *object)
{
	static const char *const names[] = {"match", "threshold", "owner"};
	const cJSON *match = cJSON_GetObjectItemCaseSensitive(object, names[0]), *member;
	if (!cJSON_IsString(match) || !*match->valuestring)
		return app_project_refuse(
			in, object, false,
			"'metrics': expected {\"match\": \"PATTERN\", \"threshold\": \"3%%\", "
			"\"owner\": \"NAME\"}");
	struct bench_metric_rule *rule = add_rule(in, match->valuestring);
	cJSON_ArrayForEach(member, object)
	{
		const char *text = text_of(in, member);
		if (app_project_once(in, object, member) != 0)
			return -1;
		if (strcmp(member->string, names[1]) == 0) {
			if (!text || !bench_text_fraction(text, &rule->threshold) || rule->threshold < 0.001)
				return app_project_refuse(
					in, member, false,
					"'threshold': expected a fraction such as \"3%%\", from 0.1%% on");
		} else if (strcmp(member->string, names[2]) == 0) {
			if (!text || !*text)
				return app_project_refuse(in, member, false, "'owner': expected a text");
			rule->owner = text;
		} else if (member != match) {
			return app_project_no_member(in, member, "an entry of 'metrics'", names,
						     COUNT(names));
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

static app_project_read read_presets;

/* A preset may have those that are not of the whole project. */
static const struct member {
	const char *name, *option;
	app_project_read *read;
	bool whole;
} members[] = {
	{"suites", "suite", read_suites, false},
	{"kernels", "kernel", read_files, true},
	{"specs", "spec", read_files, true},
	{"plugins", "plugin", read_files, true},
	{"exec", "exec", read_commands, true},
	{"exec-shell", "exec-shell", read_word, true},
	{"exec-output", "exec-output", read_word, true},
	{"backends", "backend", read_word, false},
	{"set", "set", read_sets, false},
	{"filter", "filter", read_word, false},
	{"preset", "preset", read_word, true},
	{"presets", NULL, read_presets, true},
	{"budget", "budget", read_time, false},
	{"invocations", "invocations", read_whole, false},
	{"precision", "precision", read_fraction, false},
	{"threads", "threads", read_whole, false},
	{"time-limit", "time-limit", read_time, false},
	{"pin", "pin", read_word, false},
	{"cache", "cache", read_word, false},
	{"threshold", "threshold", read_fraction, true},
	{"alpha", "alpha", read_fraction, true},
	{"metrics", NULL, read_rules, true},
	{"ignore", NULL, read_ignored, true},
	{"labels", "label", read_labels, true},
	{"runs", "runs-dir", app_project_place, true},
	{"history", "db", app_project_place, true},
	{"fleet", NULL, app_project_fleet, true},
};

static int read_members(struct project_reading *in, const cJSON *object, bool whole, const char *whose)
{
	const char *names[COUNT(members) + 1];
	const cJSON *item;
	size_t count = 0;
	for (size_t m = 0; m < COUNT(members); m++)
		if (whole || !members[m].whole)
			names[count++] = members[m].name;
	if (!whole)
		names[count++] = "like";
	cJSON_ArrayForEach(item, object)
	{
		const struct member *found = NULL;
		if (app_project_once(in, object, item) != 0)
			return -1;
		if (!whole && strcmp(item->string, "like") == 0)
			continue;
		for (size_t m = 0; m < COUNT(members); m++)
			if (strcmp(members[m].name, item->string) == 0 && (whole || !members[m].whole))
				found = &members[m];
		if (!found)
			return app_project_no_member(in, item, whose, names, count);
		if (found->read(in, found->option, item) != 0)
			return -1;
	}
	return 0;
}

static bool is_shipped(const char *name)
{
	const struct bench_app_preset *preset;
	struct bench_error none;
	return bench_app_preset(name, &preset, &none) == 0;
}

static int read_preset(struct project_reading *in, const cJSON *object)
{
	struct bench_project *project = in->project;
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(object, "like");
	if (!cJSON_IsObject(object))
		return app_project_refuse(in, object, false, "preset '%s': expected {..}", object->string);
	if (like && !cJSON_IsString(like))
		return app_project_refuse(in, like, false, "'like': expected the name of a preset");
	struct bench_project_preset *preset =
		bench_arena_push(&project->arena, &project->presets, &project->preset_count, sizeof(*preset));
	size_t at = project->preset_count - 1;
	preset->name = bench_arena_string(&project->arena, object->string);
	preset->like = like ? bench_arena_string(&project->arena, like->valuestring) : NULL;
	if (!like && is_shipped(preset->name))
		preset->like = preset->name;
	struct bench_project_settings settings = {0}, *outer = in->into;
	in->into = &settings;
	int result = read_members(in, object, false,
				  bench_arena_format(&project->arena, "preset '%s'", object->string));
	in->into = outer;
	project->presets[at].settings = settings;
	return result;
}

/* Each preset that one is like is there, and none is like itself by way of others. */
static int check_likes(struct project_reading *in, const cJSON *presets)
{
	const struct bench_project *project = in->project;
	const cJSON *object;
	cJSON_ArrayForEach(object, presets)
	{
		const struct bench_project_preset *preset = bench_app_project_preset(project, object->string);
		const cJSON *like = cJSON_GetObjectItemCaseSensitive(object, "like");
		struct bench_text chain = {0};
		size_t steps = 0;
		bench_text_add(&chain, "'%s'", preset->name);
		while (preset && preset->like && steps++ <= project->preset_count) {
			const char *next = preset->like;
			bool own = strcmp(next, preset->name) == 0;
			if (own && is_shipped(next))
				break;
			bench_text_add(&chain, " is like '%s'", next);
			preset = bench_app_project_preset(project, next);
			if (preset || is_shipped(next))
				continue;
			app_project_refuse(
				in, like, false,
				"there is no preset '%s': it is none of this file's, nor quick, nightly or "
				"full",
				next);
			bench_text_free(&chain);
			return -1;
		}
		bool circle = steps > project->preset_count;
		if (circle)
			app_project_refuse(in, like, false, "presets in a circle: %.200s", chain.data);
		bench_text_free(&chain);
		if (circle)
			return -1;
	}
	return 0;
}

static int read_presets(struct project_reading *in, const char *option, const cJSON *presets)
{
	const cJSON *preset;
	(void)option;
	if (!cJSON_IsObject(presets))
		return app_project_refuse(in, presets, false, "'presets': expected {\"NAME\": {..}, ..}");
	cJSON_ArrayForEach(preset, presets)
	{
		if (app_project_once(in, presets, preset) != 0)
			return -1;
		if (in->project->preset_count == BENCH_PROJECT_PRESETS)
			return app_project_refuse(in, preset, true, "more than %d presets",
						  BENCH_PROJECT_PRESETS);
		if (read_preset(in, preset) != 0)
			return -1;
	}
	return check_likes(in, presets);
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
	cJSON *root = bench_json_place_parse(copy, project->path, error);
	if (!root)
		return -1;
	struct project_reading in = {.project = project,
				     .text = copy,
				     .root = root,
				     .folder = slash ? project->folder : "",
				     .into = &project->settings,
				     .error = error};
	int result = cJSON_IsObject(root) ? read_members(&in, root, true, "a project")
					  : app_project_refuse(&in, root, false, "expected {..}");
	cJSON_Delete(root);
	return result;
}

int bench_app_project_read(const char *path, struct bench_project *project, struct bench_error *error)
{
	char *text;
	size_t length;
	if (bench_file_read(path, MOST_BYTES, &text, &length, error) != 0)
		return -1;
	int result = strlen(text) == length
			     ? bench_app_project_parse(path, text, project, error)
			     : bench_fail(error, BENCH_USAGE, "%s: it holds a zero byte: no text", path);
	free(text);
	return result;
}

/* Git asks the same of a repository (safe.directory); with sudo, the user's own files are one's own. */
static bool is_own(const struct stat *file)
{
	const char *sudo = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
	return file->st_uid == geteuid() || file->st_uid == 0 ||
	       (sudo && *sudo && strtoul(sudo, NULL, 10) == file->st_uid);
}

int bench_app_project_find(struct bench_project *project, struct bench_error *error)
{
	struct bench_text folder = {0};
	struct stat file, here, above;
	int result = 0;
	for (size_t i = 0; i < MOST_FOLDERS; i++) {
		const char *prefix = folder.data ? folder.data : "";
		const char *path = bench_arena_format(&project->arena, "%s" BENCH_APP_PROJECT, prefix);
		if (stat(path, &file) == 0) {
			if (!is_own(&file))
				result = bench_fail(error, BENCH_USAGE,
						    "%s belongs to another user (%lu), and says what is run: "
						    "--project %s trusts it, --project no goes without",
						    path, (unsigned long)file.st_uid, path);
			else if (file.st_mode & S_IWOTH)
				result = bench_fail(error, BENCH_USAGE,
						    "%s may be written by everybody, and says what is run: "
						    "'chmod o-w %s'",
						    path, path);
			else
				result = bench_app_project_read(path, project, error);
			break;
		}
		bool known = stat(*prefix ? prefix : ".", &here) == 0;
		bench_text_add(&folder, "../");
		if (!known || stat(folder.data, &above) != 0 ||
		    (here.st_ino == above.st_ino && here.st_dev == above.st_dev))
			break;
	}
	bench_text_free(&folder);
	return result;
}

const struct bench_project_preset *bench_app_project_preset(const struct bench_project *project,
							    const char *name)
{
	for (size_t i = 0; i < project->preset_count; i++)
		if (strcmp(project->presets[i].name, name) == 0)
			return &project->presets[i];
	return NULL;
}

int bench_app_project_check_preset(const struct bench_project *project, const char *name,
				   struct bench_error *error)
{
	const char *names[BENCH_PROJECT_PRESETS];
	struct bench_app_preset const *shipped;
	for (size_t i = 0; i < project->preset_count; i++)
		names[i] = project->presets[i].name;
	if (bench_app_project_preset(project, name) || bench_app_preset(name, &shipped, error) == 0)
		return 0;
	return project->preset_count == 0 ? -1
					  : bench_text_no_such("preset", name, names, project->preset_count,
							       ", and quick, nightly and full", error);
}

void bench_app_project_free(struct bench_project *project)
{
	bench_arena_free(&project->arena);
}
