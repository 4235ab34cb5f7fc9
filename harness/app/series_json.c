/* Series from JSON: the arrays of numbers in a document. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/json.h"

static bool is_value(const cJSON *item)
{
	return cJSON_IsNumber(item) || cJSON_IsNull(item);
}

/* What every item of an array is. */
enum items { ITEMS_NONE, ITEMS_NUMBERS, ITEMS_PAIRS, ITEMS_OBJECTS, ITEMS_ARRAYS, ITEMS_OTHERS };

static bool is_pair(const cJSON *item)
{
	return cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2 && !cJSON_IsArray(item->child) &&
	       !cJSON_IsObject(item->child) && is_value(item->child->next);
}

/* -1, with the error, where numbers stand among other things. */
static int sort_of(struct app_series_reader *reader, const cJSON *array, const char *path, enum items *items)
{
	size_t count = 0, values = 0, numbers = 0, pairs = 0, objects = 0, arrays = 0, odd = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, array)
	{
		if (is_value(item))
			values++;
		else if (odd == 0)
			odd = count + 1;
		numbers += cJSON_IsNumber(item) != 0;
		pairs += is_pair(item);
		objects += cJSON_IsObject(item) != 0;
		arrays += cJSON_IsArray(item) != 0;
		count++;
	}
	*items = numbers > 0 && values == count  ? ITEMS_NUMBERS
		 : count > 0 && pairs == count   ? ITEMS_PAIRS
		 : count > 0 && objects == count ? ITEMS_OBJECTS
		 : count > 0 && arrays == count  ? ITEMS_ARRAYS
		 : numbers > 0 && odd > 0        ? ITEMS_OTHERS
						 : ITEMS_NONE;
	if (*items == ITEMS_OTHERS)
		return bench_fail(reader->error, BENCH_ENVIRONMENT,
				  "%s: item %zu of '%.100s' is no number, and others are", reader->what, odd,
				  *path ? path : "the array");
	return 0;
}

static const char *label_text(struct app_series_reader *reader, const cJSON *item)
{
	if (cJSON_IsString(item))
		return bench_arena_string(reader->arena, item->valuestring);
	return cJSON_IsNumber(item) ? bench_arena_format(reader->arena, "%.15g", item->valuedouble) : "";
}

/* `name`: of the series, in messages. */
static int read_value(struct app_series_reader *reader, const cJSON *item, const char *name, double *value)
{
	*value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
	if (isinf(*value))
		return bench_fail(reader->error, BENCH_ENVIRONMENT,
				  "%s: a value of '%.100s' is larger than a number can be", reader->what,
				  name);
	return 0;
}

static int push(struct app_series_reader *reader, struct bench_app_series *series, const cJSON *item)
{
	double value;
	return read_value(reader, item, series->name, &value) != 0 ? -1
								   : app_series_push(reader, series, value);
}

/* Labels from arrays beside the series: a time, a commit, or both, of as many items; NULL: there are none. */
static const char *const *labels_beside(struct app_series_reader *reader, const cJSON *object, int count)
{
	const cJSON *columns[2] = {NULL, NULL}, *member;
	cJSON_ArrayForEach(member, object)
	{
		enum series_label label = member->string ? app_series_label(member->string) : SERIES_NO_LABEL;
		if (label != SERIES_NO_LABEL && cJSON_IsArray(member) && !columns[label == SERIES_COMMIT] &&
		    cJSON_GetArraySize(member) == count)
			columns[label == SERIES_COMMIT] = member;
	}
	if (!columns[0] && !columns[1])
		return NULL;
	const char **labels = bench_arena_alloc(reader->arena, (size_t)count, sizeof(*labels));
	const cJSON *time = columns[0] ? columns[0]->child : NULL;
	const cJSON *commit = columns[1] ? columns[1]->child : NULL;
	for (int i = 0; i < count; i++) {
		labels[i] = bench_arena_format(reader->arena, "%s%s%s", time ? label_text(reader, time) : "",
					       time && commit ? " " : "",
					       commit ? label_text(reader, commit) : "");
		time = time ? time->next : NULL;
		commit = commit ? commit->next : NULL;
	}
	return labels;
}

static const char *or_values(const char *path)
{
	return *path ? path : "values";
}

/* `beside`: the object that the array is a member of; NULL: it is none. */
static int add_numbers(struct app_series_reader *reader, const cJSON *array, const char *path,
		       const cJSON *beside)
{
	struct bench_app_series *series = app_series_add(reader, or_values(path));
	const cJSON *item;
	if (!series)
		return -1;
	cJSON_ArrayForEach(item, array) if (push(reader, series, item) != 0) return -1;
	series->labels = beside ? labels_beside(reader, beside, (int)series->count) : NULL;
	return 0;
}

static int add_pairs(struct app_series_reader *reader, const cJSON *array, const char *path)
{
	struct bench_app_series *series = app_series_add(reader, or_values(path));
	const char **labels = NULL;
	size_t count = 0;
	const cJSON *item;
	if (!series)
		return -1;
	cJSON_ArrayForEach(item, array)
	{
		if (push(reader, series, item->child->next) != 0)
			return -1;
		*(const char **)bench_arena_push(reader->arena, &labels, &count, sizeof(*labels)) =
			label_text(reader, item->child);
	}
	series->labels = labels;
	return 0;
}

/* Where in the document something is. Not in the arena: a short file has places for gigabytes. */
struct place {
	char path[402];
};

static struct place join(const char *path, const char *name)
{
	struct place place;
	snprintf(place.path, sizeof(place.path), "%.300s%s%.100s", path, *path && *name ? "." : "", name);
	return place;
}

static struct place item_of(const char *path, size_t index)
{
	struct place place;
	snprintf(place.path, sizeof(place.path), "%.300s[%zu]", path, index);
	return place;
}

/* What an object is called by its own members; "" where it has no name. */
static const char *name_of(const cJSON *object)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object) if (app_series_names(member->string) &&
					       cJSON_IsString(member)) return member->valuestring;
	return "";
}

/* The label of an object by its own members; "" where it has none. */
static const char *own_label(struct app_series_reader *reader, const cJSON *object)
{
	const cJSON *member;
	const char *parts[2] = {"", ""};
	cJSON_ArrayForEach(member, object)
	{
		enum series_label label = app_series_label(member->string);
		if (label != SERIES_NO_LABEL && !*parts[label == SERIES_COMMIT])
			parts[label == SERIES_COMMIT] = label_text(reader, member);
	}
	return bench_arena_format(reader->arena, "%s%s%s", parts[0], *parts[0] && *parts[1] ? " " : "",
				  parts[1]);
}

/* The numbers of an object, each to the series of its name. */
static int add_members(struct app_series_reader *reader, struct app_series_group *group, const cJSON *object,
		       const char *path, bool labelling)
{
	const char *label = own_label(reader, object);
	const struct place base = join(path, name_of(object));
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		if (!cJSON_IsNumber(member) || strncasecmp(member->string, "expected", 8) == 0 ||
		    (app_series_label(member->string) != SERIES_NO_LABEL) != labelling)
			continue;
		const struct place name = join(base.path, member->string);
		double value;
		if (read_value(reader, member, name.path, &value) != 0 ||
		    app_series_append(reader, group, name.path, value, label) != 0)
			return -1;
	}
	return 0;
}

static int walk(struct app_series_reader *reader, const cJSON *item, const char *path, const cJSON *beside);

/* The members that are numbers; where there are none, those that else label them. */
static int add_objects(struct app_series_reader *reader, const cJSON *array, const char *path)
{
	struct app_series_group group = {0};
	const cJSON *item;
	size_t index = 0;
	for (int labelling = 0; labelling < 2 && group.count == 0; labelling++)
		cJSON_ArrayForEach(item, array) if (add_members(reader, &group, item, path, labelling) !=
						    0) return -1;
	cJSON_ArrayForEach(item, array)
	{
		const char *name = name_of(item);
		const struct place inner = *name ? join(path, name) : item_of(path, index);
		index++;
		if (walk(reader, item, inner.path, NULL) != 0)
			return -1;
	}
	return 0;
}

static int walk_array(struct app_series_reader *reader, const cJSON *array, const char *path,
		      const cJSON *beside)
{
	enum items items;
	const cJSON *item;
	size_t index = 0;
	if (sort_of(reader, array, path, &items) != 0)
		return -1;
	switch (items) {
	case ITEMS_NUMBERS:
		return add_numbers(reader, array, path, beside);
	case ITEMS_PAIRS:
		return add_pairs(reader, array, path);
	case ITEMS_OBJECTS:
		return add_objects(reader, array, path);
	case ITEMS_ARRAYS:
		cJSON_ArrayForEach(item, array)
		{
			if (walk(reader, item, item_of(path, index++).path, NULL) != 0)
				return -1;
		}
		return 0;
	default:
		return 0;
	}
}

static int walk(struct app_series_reader *reader, const cJSON *item, const char *path, const cJSON *beside)
{
	const cJSON *member;
	if (cJSON_IsArray(item))
		return walk_array(reader, item, path, beside);
	if (!cJSON_IsObject(item))
		return 0;
	size_t before = reader->count;
	for (int labelling = 0; labelling < 2 && reader->count == before; labelling++)
		cJSON_ArrayForEach(member, item)
		{
			bool labels = app_series_label(member->string) != SERIES_NO_LABEL;
			if (labels != labelling || strncasecmp(member->string, "expected", 8) == 0 ||
			    (!cJSON_IsArray(member) && !cJSON_IsObject(member)))
				continue;
			if (walk(reader, member, join(path, member->string).path, item) != 0)
				return -1;
		}
	return 0;
}

int app_series_json(struct app_series_reader *reader, const char *data, size_t length)
{
	cJSON *document = bench_json_parse(data, length, reader->what, reader->error);
	if (!document)
		return -1;
	int result = walk(reader, document, "", NULL);
	cJSON_Delete(document);
	return result;
}
