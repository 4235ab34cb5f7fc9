/* SPDX-License-Identifier: MIT */
/* What readers share: cases and samples, by whatever names they have where they come from. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/metric.h"
#include "interchange/internal.h"

#define NAME_MOST        2000 /* characters of what others call a case */
#define PARAM_MOST       31   /* of a parameter's name, as keys have it */
#define PARAMS_MOST      64
#define METRIC_MOST      48
#define INVOCATIONS_MOST 10000
#define NOTES_MOST       50    /* lines: a file may hold anything */
#define VALUE_MOST       1e200 /* so that units can be changed */

int interchange_fail(const struct interchange_reader *in, const char *format, ...)
{
	BENCH_SCOPED_ARENA arena = {0};
	va_list arguments;
	va_start(arguments, format);
	bench_fail(in->error, BENCH_ENVIRONMENT, "%.300s: %s", in->file->path,
		   bench_arena_vformat(&arena, format, arguments));
	va_end(arguments);
	return -1;
}

void interchange_say(struct bench_interchange_notes *notes, const char *format, ...)
{
	if (notes->count == NOTES_MOST)
		return;
	va_list arguments;
	va_start(arguments, format);
	char *line = notes->count == NOTES_MOST - 1
			     ? bench_arena_string(&notes->arena, "more could not be held, of the same kinds")
			     : bench_arena_vformat(&notes->arena, format, arguments);
	va_end(arguments);
	bench_text_find_or_add(&notes->arena, &notes->lines, &notes->count, sizeof(char *), line);
}

void interchange_say_has(const struct interchange_reader *in, const char *text)
{
	interchange_say(in->draft->notes, "%s has %s", in->file->path, text);
}

char *interchange_beside(const struct interchange_reader *in, const char *name)
{
	const char *path = in->file->path, *slash = strrchr(path, '/');
	return bench_arena_format(in->arena, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

cJSON *interchange_read_beside(const struct interchange_reader *in, const char *name,
			       struct bench_error *error)
{
	const char *path = interchange_beside(in, name);
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	if (bench_file_read(path, BENCH_INTERCHANGE_BYTES, &data, &length, error) != 0)
		return NULL;
	return bench_json_parse(data, length, path, error);
}

void interchange_settle(struct interchange_reader *in, const char *entry, int result)
{
	struct interchange_draft *draft = in->draft;
	const size_t path = strlen(in->file->path);
	const char *why = in->error->text;
	struct interchange_case *of = draft->entered;
	draft->entered = NULL;
	if (result == 0)
		return;
	if (strncmp(why, in->file->path, path) == 0 && strncmp(why + path, ": ", 2) == 0)
		why += path + 2;
	interchange_say(draft->notes, "%s: %s: %s", in->file->path, of ? "a result that failed" : "left out",
			strncmp(why, entry, strlen(entry)) == 0
				? why
				: bench_arena_format(in->arena, "%.200s: %s", entry, why));
	if (of)
		interchange_end(of, BENCH_STATUS_FAILED, bench_arena_string(in->arena, why));
	if (draft->lost++ == 0)
		draft->why = bench_arena_string(&draft->notes->arena, why);
	*in->error = (struct bench_error){0};
}

int interchange_each(struct interchange_reader *in, const cJSON *list, const char *name,
		     interchange_entry *read)
{
	struct bench_arena *arena = &in->draft->notes->arena; /* an entry may be the end of the run */
	const cJSON *item;
	size_t index = 0;
	if (!cJSON_IsArray(list))
		return interchange_fail(in, "'%s' is no array", name);
	cJSON_ArrayForEach(item, list)
	{
		const char *entry = bench_arena_format(arena, "%s[%zu]", name, index++);
		interchange_settle(
			in, entry,
			read(in, item, bench_arena_format(arena, "%.300s: %s", in->file->path, entry)));
	}
	return 0;
}

void interchange_note(const struct interchange_reader *in, struct interchange_case *to, const char *name,
		      const char *value)
{
	bench_record_attribute_set(in->arena, &to->notes, &to->note_count, name, value);
}

struct interchange_case interchange_case(const struct interchange_reader *in, const char *name,
					 const char *base)
{
	const char *suite = in->draft->options->suite;
	struct interchange_case fresh = {.suite = suite ? suite : in->format,
					 .backend = "imported",
					 .device = "host",
					 .status = BENCH_STATUS_OK,
					 .reason = ""};
	interchange_note(in, &fresh, "name", name);
	interchange_param(in, &fresh, "name", base);
	return fresh;
}

/* The name that a parameter gets: legal, and none that the case has. */
static char *new_param_name(const struct interchange_reader *in, const struct interchange_case *to,
			    const char *name)
{
	char *legal = interchange_identifier(in->arena, name, PARAM_MOST - 4);
	char *tried = legal;
	for (size_t i = 0, again = 2; i < to->param_count; i++)
		if (strcmp(to->params[i].name, tried) == 0) {
			tried = bench_arena_format(in->arena, "%s_%zu", legal, again++);
			i = (size_t)-1;
		}
	return tried;
}

/* "<f.Spec object at 0x7f11>" without the address, which is another one in each run; NULL: it has none. */
static char *without_addresses(struct bench_arena *arena, const char *value)
{
	struct bench_text out = {0};
	const char *kept = value;
	for (const char *at = value; (at = strstr(at, " at 0x"));) {
		const size_t digits = strspn(at + 6, "0123456789abcdefABCDEF");
		if (digits > 0) {
			bench_text_add_bytes(&out, kept, (size_t)(at - kept));
			kept = at + 6 + digits;
		}
		at += 6 + digits;
	}
	if (kept == value)
		return NULL;
	bench_text_add(&out, "%s", kept);
	return bench_text_keep(&out, arena);
}

void interchange_param(const struct interchange_reader *in, struct interchange_case *to, const char *name,
		       const char *value)
{
	if (!*value || to->param_count > PARAMS_MOST)
		return;
	const char *stable = without_addresses(in->arena, value);
	if (stable && to->numbered == 0)
		to->numbered = to->param_count;
	value = stable ? stable : value;
	char *legal = new_param_name(in, to, name);
	char *encoded = interchange_encode(in->arena, value);
	BENCH_PUSH(in->arena, to->params, to->param_count) = (struct bench_attribute){legal, encoded};
	if (to->param_count == 1)
		return;
	if (strcmp(name, legal) != 0)
		interchange_note(in, to, bench_arena_format(in->arena, "param.%s", legal), name);
	if (strcmp(value, encoded) != 0)
		interchange_note(in, to, bench_arena_format(in->arena, "value.%s", legal), value);
}

void interchange_params(const struct interchange_reader *in, struct interchange_case *to, const cJSON *object)
{
	const cJSON *value;
	cJSON_ArrayForEach(value, object) interchange_param(
		in, to, value->string,
		cJSON_IsString(value)   ? value->valuestring
		: cJSON_IsNumber(value) ? bench_arena_format(in->arena, "%.15g", value->valuedouble)
		: cJSON_IsTrue(value)   ? "True"
		: cJSON_IsFalse(value)  ? "False"
					: "");
}

void interchange_own_param(const struct interchange_reader *in, struct interchange_case *to, const char *name,
			   const char *value)
{
	if (!*value || to->param_count > PARAMS_MOST)
		return;
	BENCH_PUSH(in->arena, to->params, to->param_count) = (struct bench_attribute){
		bench_arena_string(in->arena, name), bench_arena_string(in->arena, value)};
}

/* Is the part "k=v" or "k:v"? Its name is ended in place, and *value what stands behind it. */
static bool take_named(char *part, char **value)
{
	const size_t length = strspn(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	if (length == 0 || strchr("0123456789", part[0]) || !part[length] || !strchr("=:", part[length]) ||
	    !part[length + 1] || part[length + 1] == part[length])
		return false;
	part[length] = '\0';
	*value = part + length + 1;
	return true;
}

struct interchange_case interchange_split(const struct interchange_reader *in, const char *name)
{
	/* A part that is empty has no place in a key. */
	const bool parted = *name != '/' && !strstr(name, "//") && (!*name || name[strlen(name) - 1] != '/');
	char *rest = bench_arena_string(in->arena, name), *part = strsep(&rest, "/");
	struct interchange_case fresh = interchange_case(in, name, parted ? part : name);
	for (size_t at = 0; parted && (part = strsep(&rest, "/"));) {
		char position[32], *value;
		snprintf(position, sizeof(position), "arg%zu", at);
		if (take_named(part, &value)) {
			interchange_param(in, &fresh, part, value);
		} else {
			interchange_param(in, &fresh, position, part);
			at++;
		}
	}
	return fresh;
}

static const char *id_of(struct bench_arena *arena, const struct interchange_case *of)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s/%s:%s/", of->suite, of->backend, of->device);
	for (size_t i = 0; i < of->param_count; i++)
		bench_text_add(&text, "%s%s=%s", i ? "," : "", of->params[i].name, of->params[i].value);
	return bench_text_keep(&text, arena);
}

static struct interchange_case *find_case(const struct interchange_draft *draft, const char *id)
{
	const uint64_t hash = bench_hash_bytes(BENCH_HASH_START, id, strlen(id));
	/* From the end: what follows each other in a file is of one case. */
	for (size_t i = draft->case_count; i > 0; i--)
		if (draft->cases[i - 1].hash == hash && strcmp(draft->cases[i - 1].id, id) == 0)
			return &draft->cases[i - 1];
	return NULL;
}

bool interchange_has(const struct interchange_reader *in, const struct interchange_case *fresh)
{
	const struct interchange_case *found = find_case(in->draft, id_of(in->arena, fresh));
	return found && found->file == in->draft->file;
}

int interchange_next_invocation(const struct interchange_case *of)
{
	int next = 0;
	for (size_t m = 0; m < of->metric_count; m++)
		for (size_t i = 0; i < of->metrics[m].count; i++)
			if (of->metrics[m].values[i].invocation >= next)
				next = of->metrics[m].values[i].invocation + 1;
	return next;
}

static int check_fresh(const struct interchange_reader *in, const struct interchange_case *fresh)
{
	const char *name = interchange_name_of(fresh);
	if (!*name && fresh->note_count > 0)
		return interchange_fail(in, "a result has no name");
	if (strlen(name) > NAME_MOST)
		return interchange_fail(in, "the name '%.60s...' is longer than %d characters", name,
					NAME_MOST);
	if (fresh->param_count > PARAMS_MOST)
		return interchange_fail(in, "'%.100s' has more than %d parameters", name, PARAMS_MOST);
	return 0;
}

/* What only addresses told apart is numbered, in the order of the file. */
static void number(const struct interchange_reader *in, struct interchange_case *fresh)
{
	const char *value = fresh->numbered ? fresh->params[fresh->numbered].value : NULL;
	for (int next = 2; value && interchange_has(in, fresh); next++)
		fresh->params[fresh->numbered].value =
			bench_arena_format(in->arena, "%.*s#%d", BENCH_VALUE_MAX - 8, value, next);
}

struct interchange_case *interchange_enter(struct interchange_reader *in, struct interchange_case fresh,
					   bool again)
{
	struct interchange_draft *draft = in->draft;
	if (check_fresh(in, &fresh) != 0)
		return NULL;
	if (!again)
		number(in, &fresh);
	const char *id = id_of(in->arena, &fresh);
	struct interchange_case *found = draft->entered = find_case(draft, id);
	if (found && found->file == draft->file && !again) {
		interchange_fail(in, "'%.200s' stands there twice", interchange_name_of(&fresh));
		return NULL;
	}
	if (found && found->file != draft->file) {
		found->file = draft->file;
		found->first = interchange_next_invocation(found);
	}
	if (found)
		return found;
	if (draft->case_count == BENCH_INTERCHANGE_CASES) {
		interchange_fail(in, "more than %d benchmarks", BENCH_INTERCHANGE_CASES);
		return NULL;
	}
	found = bench_arena_push(in->arena, &draft->cases, &draft->case_count, sizeof(*found));
	*found = fresh;
	found->id = id;
	found->hash = bench_hash_bytes(BENCH_HASH_START, id, strlen(id));
	found->file = draft->file;
	return draft->entered = found;
}

/* What the user says of a metric's direction; false: nothing. */
static bool said_direction(const struct bench_interchange_options *options, const char *name,
			   enum bench_better *better)
{
	const size_t length = strlen(name);
	for (size_t i = 0; i < options->better_count; i++)
		if (strncmp(options->better[i], name, length) == 0 && options->better[i][length] == '=')
			return bench_record_better_parse(options->better[i] + length + 1, better);
	return false;
}

/* The direction of a metric that is new: the file's, else the user's, else what the unit states. */
static enum bench_better direction_of(struct interchange_reader *in,
				      const struct interchange_quantity *quantity, const char *name,
				      const struct bench_unit *unit)
{
	enum bench_better better = quantity->better;
	if (quantity->direction == INTERCHANGE_SAID || said_direction(in->draft->options, name, &better))
		return better;
	if (quantity->direction == INTERCHANGE_BY_UNIT)
		better = unit->better;
	if (better == BENCH_BETTER_NONE)
		interchange_say(in->draft->notes,
				"metric '%s' has no direction in such files: it is kept and not judged "
				"(--better %s=lower says one)",
				name, name);
	return better;
}

/* Does the name mean something else here? */
static bool is_foreign(const struct interchange_quantity *quantity, const char *name,
		       const struct bench_unit *unit)
{
	const struct bench_metric_spec *known = bench_metric_known(name);
	const enum bench_better better =
		quantity->direction == INTERCHANGE_SAID ? quantity->better : unit->better;
	return known && (strcmp(known->unit, unit->si) != 0 ||
			 (better != known->better &&
			  (better != BENCH_BETTER_NONE || quantity->direction == INTERCHANGE_SAID)));
}

/* The metric of that quantity, new where the case has none. */
static struct interchange_metric *find_metric(struct interchange_reader *in, struct interchange_case *to,
					      const struct interchange_quantity *quantity,
					      const struct bench_unit *unit)
{
	char *name = interchange_identifier(in->arena, quantity->name, METRIC_MOST);
	if (is_foreign(quantity, name, unit))
		name = bench_arena_format(in->arena, "x_%s", name);
	for (size_t i = 0; i < to->metric_count; i++)
		if (strcmp(to->metrics[i].name, name) == 0) {
			if (strcmp(to->metrics[i].unit, unit->si) == 0)
				return &to->metrics[i];
			interchange_fail(in, "'%.100s' of '%.100s' is in %s and in %s", quantity->name,
					 to->id, to->metrics[i].unit, unit->si);
			return NULL;
		}
	if (to->metric_count == INTERCHANGE_METRICS) {
		interchange_fail(in, "'%.200s' has more than %d metrics", to->id, INTERCHANGE_METRICS);
		return NULL;
	}
	const struct bench_metric_spec *known = bench_metric_known(name);
	const enum bench_better better = known ? known->better : direction_of(in, quantity, name, unit);
	struct interchange_metric *metric =
		bench_arena_push(in->arena, &to->metrics, &to->metric_count, sizeof(*metric));
	metric->name = name;
	metric->unit = bench_arena_string(in->arena, unit->si);
	metric->better = better;
	if (strcmp(quantity->name, name) != 0)
		interchange_note(in, to, bench_arena_format(in->arena, "metric.%s", name), quantity->name);
	if (strcmp(quantity->unit, unit->si) != 0)
		interchange_note(in, to, bench_arena_format(in->arena, "unit.%s", name), quantity->unit);
	return metric;
}

int interchange_sample(struct interchange_reader *in, struct interchange_case *to,
		       const struct interchange_quantity *quantity, int invocation, double value)
{
	struct bench_unit unit = {.times = 1, .over = 1, .better = BENCH_BETTER_NONE};
	if (strlen(quantity->unit) >= sizeof(unit.si))
		return interchange_fail(in, "the unit '%.60s...' is too long", quantity->unit);
	if (!bench_unit_parse(quantity->unit, &unit))
		snprintf(unit.si, sizeof(unit.si), "%s", quantity->unit);
	struct interchange_metric *metric = find_metric(in, to, quantity, &unit);
	if (!metric)
		return -1;
	const double si = value * unit.times / unit.over;
	if (!(fabs(si) <= VALUE_MOST))
		return interchange_fail(in, "'%.100s' of '%.200s' is no number up to %g", quantity->name,
					to->id, VALUE_MOST);
	if (si <= 0 && (strcmp(metric->name, "time") == 0 || strcmp(metric->name, "device_time") == 0))
		return interchange_fail(in, "'%.200s' has a time of %g s, which nothing takes", to->id, si);
	if (to->first + invocation >= INVOCATIONS_MOST)
		return interchange_fail(in, "'%.200s' has more than %d invocations", to->id,
					INVOCATIONS_MOST);
	struct interchange_value *slot =
		bench_arena_push(in->arena, &metric->values, &metric->count, sizeof(*slot));
	*slot = (struct interchange_value){to->first + invocation, metric->count, si, false};
	to->last = slot;
	return 0;
}

int interchange_single(struct interchange_reader *in, struct interchange_case *to,
		       const struct interchange_quantity *quantity, const cJSON *object, const char *member,
		       const char *what, const char *why)
{
	double value;
	interchange_say_has(in, why);
	if (bench_json_number(object, member, what, &value, in->error) != 0)
		return -1;
	return interchange_sample(in, to, quantity, 0, value);
}

int interchange_samples(struct interchange_reader *in, struct interchange_case *to,
			const struct interchange_quantity *quantity, int invocation, const cJSON *list)
{
	const cJSON *value;
	cJSON_ArrayForEach(value, list)
	{
		if (!cJSON_IsNumber(value))
			return interchange_fail(in, "'%.100s': a value of '%.100s' is no number", to->id,
						quantity->name);
		if (interchange_sample(in, to, quantity, invocation, value->valuedouble) != 0)
			return -1;
	}
	return 0;
}

bool interchange_is_among(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list;
}

int interchange_figures(struct interchange_reader *in, struct interchange_case *to, const cJSON *object,
			const char *const *own)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		const struct interchange_quantity figure = INTERCHANGE_CUSTOM(member->string, "");
		if (cJSON_IsNumber(member) && !interchange_is_among(member->string, own) &&
		    interchange_sample(in, to, &figure, 0, member->valuedouble) != 0)
			return -1;
	}
	return 0;
}

void interchange_end(struct interchange_case *to, enum bench_status status, const char *reason)
{
	if (status <= to->status)
		return;
	to->status = status;
	to->reason = reason;
}

void interchange_fact(const struct interchange_reader *in, const char *name, const char *value)
{
	struct bench_run *run = in->draft->run;
	if (*value && !*bench_record_fact(run, name))
		bench_record_attribute_set(in->arena, &run->host, &run->host_count, name, value);
}

void interchange_processors(const struct interchange_reader *in, double count)
{
	if (count > 0)
		interchange_fact(in, "processors", bench_arena_format(in->arena, "%.15g", count));
}

void interchange_label(const struct interchange_reader *in, const char *name, const char *value)
{
	struct bench_run *run = in->draft->run;
	if (*value && *name && run->label_count < 100 && !*bench_record_label(run, name))
		bench_record_attribute_set(in->arena, &run->labels, &run->label_count, name, value);
}

bool interchange_is_commit(const char *text)
{
	const size_t length = strlen(text);
	return length >= 4 && length <= 64 && strspn(text, "0123456789abcdefABCDEF") == length;
}

int interchange_commit(struct interchange_reader *in, const char *commit, const char *branch, bool dirty)
{
	struct bench_git *git = &in->draft->run->git;
	if (in->draft->options->commit || !interchange_is_commit(commit))
		return 0;
	if (git->present && strcmp(git->commit, commit) != 0)
		return interchange_fail(in,
					"is of commit %.12s, and the files before it of %.12s: a run has one",
					commit, git->commit);
	if (!git->present) {
		git->commit = bench_arena_string(in->arena, commit);
		git->branch = bench_arena_string(in->arena, branch);
	}
	git->present = true;
	git->dirty |= dirty;
	return 0;
}

void interchange_started(const struct interchange_reader *in, int64_t started)
{
	struct bench_run *run = in->draft->run;
	const int64_t year_9999 = INT64_C(253402300799);
	if (started > 0 && started <= year_9999 && (run->started == 0 || started < run->started))
		run->started = started;
}

void interchange_dated(const struct interchange_reader *in, const char *date)
{
	int64_t started;
	if (bench_date_parse(date, &started))
		interchange_started(in, started);
}
