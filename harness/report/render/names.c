/* SPDX-License-Identifier: MIT */
#include "report/render/names.h"

#include <stdlib.h>
#include <string.h>

#include "report/render/words.h"

#define DIGITS    "0123456789"
#define SEPARATOR "\x1f" /* between the parts of a signature: no key has it */

struct pair {
	const char *name, *value;
};

/* A key in its parts. */
struct entry {
	const char *key;
	const char *suite, *backend, *device;
	const char *metric; /* "": of the time, or of the case as a whole, both of which go without saying */
	struct pair *params;
	size_t param_count;
	const char *told; /* what the name has so far, to be told apart by */
	const char *next; /* the value of what may come next */
};

/* The entries of one suite, and the parameters that its names have. */
struct group {
	struct entry **entries;
	size_t count;
	const char **shown;
	bool *named; /* of those shown: the value alone would not do */
	size_t shown_count;
	bool backends, devices, metrics; /* that these vary, and the names have them */
};

int bench_render_names_order(const char *a, const char *b)
{
	while (*a && *b) {
		size_t left = strspn(a, DIGITS), right = strspn(b, DIGITS);
		if (left && right) {
			size_t zeros_a = strspn(a, "0"), zeros_b = strspn(b, "0");
			size_t length_a = left - zeros_a, length_b = right - zeros_b;
			int order = length_a != length_b ? (length_a < length_b ? -1 : 1)
							 : strncmp(a + zeros_a, b + zeros_b, length_a);
			if (order)
				return order;
			a += left;
			b += right;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

static char *part(struct bench_arena *arena, const char *from, size_t length)
{
	return bench_arena_format(arena, "%.*s", (int)length, from);
}

static void split_params(struct bench_arena *arena, struct entry *entry, char *text)
{
	for (char *item; (item = bench_text_next(&text, ',')) && *item;) {
		char *equals = strchr(item, '=');
		struct pair *pair =
			bench_arena_push(arena, &entry->params, &entry->param_count, sizeof(*pair));
		if (equals)
			*equals = '\0';
		*pair = (struct pair){equals ? item : "", equals ? equals + 1 : item};
	}
}

/* "gemm/opencl:pocl/n=64/time"; a key of another form is its own name. */
static void split(struct bench_arena *arena, const struct bench_verdict *verdict, struct entry *entry)
{
	const char *target = strchr(verdict->key, '/'), *params = target ? strchr(target + 1, '/') : NULL;
	const char *end = verdict->key + strlen(verdict->key);
	*entry = (struct entry){.key = verdict->key, .suite = "", .told = "", .next = ""};
	if (!params)
		return;
	if (*verdict->metric && strrchr(params, '/') > params)
		end = strrchr(params, '/');
	const char *colon = memchr(target, ':', (size_t)(params - target));
	entry->suite = part(arena, verdict->key, (size_t)(target - verdict->key));
	entry->backend = part(arena, target + 1, (size_t)((colon ? colon : params) - target - 1));
	if (strcmp(entry->backend, "*") == 0) /* that of a column */
		entry->backend = "";
	entry->device = colon ? part(arena, colon + 1, (size_t)(params - colon - 1)) : "";
	entry->metric = *end && strcmp(end, "/time") != 0 ? end + 1 : "";
	split_params(arena, entry, part(arena, params + 1, (size_t)(end - params - 1)));
}

static const char *value_of(const struct entry *entry, const char *param)
{
	for (size_t i = 0; i < entry->param_count; i++)
		if (strcmp(entry->params[i].name, param) == 0)
			return entry->params[i].value;
	return "";
}

static int by_suite(const void *left, const void *right)
{
	return strcmp((*(struct entry *const *)left)->suite, (*(struct entry *const *)right)->suite);
}

static int by_signature(const void *left, const void *right)
{
	const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
	int order = strcmp(a->told, b->told);
	return order ? order : strcmp(a->next, b->next);
}

/* Do the entries vary in what is next, where the names are alike so far? Then the names have it from now on.
 */
static bool tells_apart(struct bench_arena *arena, const struct group *group)
{
	bool apart = false;
	qsort(group->entries, group->count, sizeof(*group->entries), by_signature);
	for (size_t i = 1; i < group->count && !apart; i++)
		apart = strcmp(group->entries[i - 1]->told, group->entries[i]->told) == 0 &&
			strcmp(group->entries[i - 1]->next, group->entries[i]->next) != 0;
	for (size_t i = 0; i < group->count && apart; i++)
		group->entries[i]->told = bench_arena_format(arena, "%s%s" SEPARATOR, group->entries[i]->told,
							     group->entries[i]->next);
	return apart;
}

/* Of all entries, in the order in which they first appear. */
static const char **param_names(struct bench_arena *arena, const struct group *group, size_t *count)
{
	const char **names = NULL;
	*count = 0;
	for (size_t i = 0; i < group->count; i++)
		for (size_t j = 0; j < group->entries[i]->param_count; j++)
			bench_text_find_or_add(arena, &names, count, sizeof(*names),
					       group->entries[i]->params[j].name);
	return names;
}

/* "f32" and "nn" speak for themselves; "1", "yes" and what some entries lack need the parameter's name. */
static bool needs_name(const struct group *group, const char *param)
{
	static const char *const vague[] = {"", "yes", "no", "true", "false", "on", "off", "none"};
	for (size_t i = 0; i < group->count && group->shown_count > 1; i++) {
		const char *value = value_of(group->entries[i], param);
		if (strspn(value, DIGITS ".+-") > 0 ||
		    BENCH_FIND(vague, sizeof(vague) / sizeof(vague[0]), value))
			return true;
	}
	return false;
}

static void choose(struct bench_arena *arena, struct group *group)
{
	size_t count;
	const char **names = param_names(arena, group, &count);
	for (size_t i = 0; i < group->count; i++)
		group->entries[i]->next = group->entries[i]->metric;
	group->metrics = tells_apart(arena, group);
	for (size_t p = 0; p < count; p++) {
		for (size_t i = 0; i < group->count; i++)
			group->entries[i]->next = value_of(group->entries[i], names[p]);
		if (tells_apart(arena, group))
			BENCH_PUSH(arena, group->shown, group->shown_count) = names[p];
	}
	/* Where none varies, what names the case by itself. */
	for (size_t p = 0; group->shown_count == 0 && p < count; p++)
		if (count == 1 || strcmp(names[p], "command") == 0 || strcmp(names[p], "name") == 0)
			BENCH_PUSH(arena, group->shown, group->shown_count) = names[p];
	for (size_t i = 0; i < group->count; i++) {
		group->entries[i]->next = group->entries[i]->device;
		group->backends |= strcmp(group->entries[i]->backend, group->entries[0]->backend) != 0;
	}
	for (size_t i = 0; i < group->count && group->backends; i++)
		group->entries[i]->told = bench_arena_format(arena, "%s%s" SEPARATOR, group->entries[i]->told,
							     group->entries[i]->backend);
	group->devices = tells_apart(arena, group);
	group->backends |= group->shown_count == 0;
	group->named = bench_arena_alloc(arena, group->shown_count + 1, sizeof(*group->named));
	for (size_t s = 0; s < group->shown_count; s++)
		group->named[s] = needs_name(group, group->shown[s]);
}

static char *name_of(struct bench_arena *arena, const struct group *group, const struct entry *entry)
{
	struct bench_text name = {0};
	bench_text_add(&name, "%s", entry->suite);
	for (size_t s = 0; s < group->shown_count; s++) {
		const char *value = value_of(entry, group->shown[s]);
		if (*value && group->named[s])
			bench_text_add(&name, " %s=%s", group->shown[s], value);
		else if (*value)
			bench_text_add(&name, " %s", value);
	}
	if (group->backends && *entry->backend)
		bench_text_add(&name, " %s", entry->backend);
	if (group->devices && *entry->device)
		bench_text_add(&name, " %s", entry->device);
	if (group->metrics && *entry->metric)
		bench_text_add(&name, " %s", entry->metric);
	return bench_render_words_keep(&name, arena);
}

const char *const *bench_render_names(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	const size_t count = comparison->verdict_count;
	BENCH_SCOPED_ARENA scratch = {0};
	struct entry *entries = bench_arena_alloc(&scratch, count + 1, sizeof(*entries));
	struct entry **sorted = bench_arena_alloc(&scratch, count + 1, sizeof(*sorted));
	const char **names = bench_arena_alloc(arena, count + 1, sizeof(*names));
	for (size_t i = 0; i < count; i++) {
		split(&scratch, &comparison->verdicts[i], &entries[i]);
		sorted[i] = &entries[i];
	}
	if (count > 1)
		qsort(sorted, count, sizeof(*sorted), by_suite);
	for (size_t first = 0, end; first < count; first = end) {
		struct group group = {.entries = &sorted[first]};
		for (end = first; end < count && strcmp(sorted[end]->suite, sorted[first]->suite) == 0; end++)
			group.count++;
		const bool odd = !*sorted[first]->suite;
		if (!odd)
			choose(&scratch, &group);
		for (size_t i = 0; i < group.count; i++)
			names[group.entries[i] - entries] =
				odd ? bench_render_words_line(arena, group.entries[i]->key)
				    : name_of(arena, &group, group.entries[i]);
	}
	return names;
}
