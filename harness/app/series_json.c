/* SPDX-License-Identifier: MIT */
/* Series from JSON and JSON Lines: the arrays of a document, as tables. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/json.h"

enum kind { OBJECTS, PAIRS, ARRAYS, SCALARS };

static enum kind kind_of(const cJSON *item)
{
	if (!cJSON_IsArray(item))
		return cJSON_IsObject(item) ? OBJECTS : SCALARS;
	return cJSON_GetArraySize(item) == 2 && kind_of(item->child) == SCALARS &&
			       kind_of(item->child->next) == SCALARS
		       ? PAIRS
		       : ARRAYS;
}

/* What most of its items are. */
static enum kind kind_of_items(const cJSON *array)
{
	size_t counts[] = {0, 0, 0, 0};
	const cJSON *item;
	cJSON_ArrayForEach(item, array) counts[kind_of(item)] += cJSON_IsNull(item) ? 0 : 1;
	const size_t arrays = counts[PAIRS] + counts[ARRAYS];
	if (counts[SCALARS] > counts[OBJECTS] && counts[SCALARS] > arrays)
		return SCALARS;
	return counts[OBJECTS] >= arrays ? OBJECTS : counts[PAIRS] > counts[ARRAYS] ? PAIRS : ARRAYS;
}

/* An array of numbers or texts: a column beside others. */
static bool is_list(const cJSON *item)
{
	return cJSON_IsArray(item) && kind_of_items(item) == SCALARS;
}

/* What a test of such a method adds. */
static bool is_expected(const cJSON *member)
{
	return strncasecmp(member->string, "expected", 8) == 0;
}

static int put(struct app_table *table, const char *name, size_t since, size_t row, const cJSON *item)
{
	const char *text = cJSON_IsNumber(item) ? NULL
			   : cJSON_IsNull(item) ? ""
			   : cJSON_IsBool(item) ? cJSON_IsTrue(item) ? "true" : "false"
			   : cJSON_IsString(item)
				   ? bench_arena_string(table->reader->arena, item->valuestring)
			   : cJSON_IsArray(item) ? "an array"
						 : "an object";
	return app_table_put(table, name, since, row, text, cJSON_IsNumber(item) ? item->valuedouble : NAN);
}

/* What a pair says when it was, and its value. */
static int put_pair(struct app_table *table, const char *path, size_t row, const cJSON *pair)
{
	struct app_place place;
	return app_series_join(table->reader, path, "timestamp", &place) != 0 ||
			       put(table, place.path, row, row, pair->child) != 0
		       ? -1
		       : put(table, path, row, row, pair->child->next);
}

/* `first` and the lists behind it that have as many items are columns of the same rows. */
static int read_lists(struct app_table *table, const cJSON *first, const char *path, size_t outer)
{
	const int count = cJSON_GetArraySize(first);
	const size_t start = table->row_count, since = outer == APP_NO_ROW ? start : outer;
	const cJSON *item;
	for (int i = 0; i < count; i++)
		app_table_row(table, outer, (size_t)i + 1, NULL);
	for (const cJSON *list = first; list; list = list->next) {
		size_t row = start;
		struct app_place place;
		if (is_expected(list) || !is_list(list) || cJSON_GetArraySize(list) != count)
			continue;
		if (app_series_join(table->reader, path, list->string, &place) != 0)
			return -1;
		cJSON_ArrayForEach(item, list)
		{
			if (put(table, place.path, row == start ? since : row, row, item) != 0)
				return -1;
			row++;
		}
	}
	return 0;
}

/* Is it the first list of the object with as many items? */
static bool is_first_list(const cJSON *object, const cJSON *list)
{
	const cJSON *member = object->child;
	while (member != list && (is_expected(member) || !is_list(member) ||
				  cJSON_GetArraySize(member) != cJSON_GetArraySize(list)))
		member = member->next;
	return member == list;
}

static int read_array(struct app_table *table, const cJSON *array, const char *path, size_t outer,
		      const size_t *lines);

/* The members of an object, and of those in it, as cells of a row. */
static int read_object(struct app_table *table, const cJSON *object, const char *path, size_t row)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		struct app_place place;
		struct app_column *column;
		int result = 0;
		if (is_expected(member))
			continue;
		if (app_series_join(table->reader, path, member->string, &place) != 0)
			return -1;
		if (is_list(member)) {
			if (is_first_list(object, member))
				result = read_lists(table, member, path, row);
		} else if (cJSON_IsArray(member)) {
			column = app_table_column(table, place.path); /* which keeps the path */
			result = column ? read_array(table, member, column->name, row, NULL) : -1;
		} else if (cJSON_IsObject(member)) {
			result = read_object(table, member, place.path, row);
		} else {
			result = put(table, place.path, row, row, member);
		}
		if (result != 0)
			return -1;
	}
	return 0;
}

/* Each item that is of the kind of most as a row; `path`: kept. `lines`: of the items, or NULL. */
static int read_array(struct app_table *table, const cJSON *array, const char *path, size_t outer,
		      const size_t *lines)
{
	static const char *const names[] = {"object", "pair", "array"};
	const enum kind kind = kind_of_items(array);
	const bool outermost = outer == APP_NO_ROW;
	const bool apart = kind == ARRAYS || (kind == OBJECTS && !outermost);
	const char *whole = *path ? path : *table->path ? table->path : "the document";
	const cJSON *item;
	size_t index = 0;
	cJSON_ArrayForEach(item, array)
	{
		const size_t place = lines ? lines[index] : index + 1;
		const bool fits =
			kind == SCALARS || kind_of(item) == kind || (kind == ARRAYS && cJSON_IsArray(item));
		int result = 0;
		index++;
		if (!fits && !cJSON_IsNull(item)) {
			table->reader->set->lost++;
			app_series_note(table->reader, "%s %zu of '%.100s' is no %s, as most are: left out",
					outermost ? table->place_word : "item", place, whole, names[kind]);
		} else if (fits && (kind == SCALARS || item->child)) {
			const size_t row = app_table_row(table, outer, place, apart ? path : NULL);
			result = kind == OBJECTS  ? read_object(table, item, path, row)
				 : kind == PAIRS  ? put_pair(table, path, row, item)
				 : kind == ARRAYS ? read_array(table, item, path, row, NULL)
						  : put(table, path, row, row, item);
		}
		if (result != 0)
			return -1;
	}
	return 0;
}

/* The tables of a document. `lines`: of the items of JSON Lines, or NULL. */
static int walk(struct app_series_reader *reader, const cJSON *item, const char *path, const size_t *lines)
{
	const cJSON *member;
	const struct app_table empty = {
		.reader = reader, .path = path, .place_word = lines ? "line" : "item"};
	struct app_table table = empty;
	if (cJSON_IsArray(item))
		return read_array(&table, item, "", APP_NO_ROW, lines) != 0 ? -1 : app_table_finish(&table);
	cJSON_ArrayForEach(member, item)
	{
		struct app_place place;
		if (is_expected(member) || kind_of(member) == SCALARS)
			continue;
		table = empty;
		if (is_list(member)) {
			if (is_first_list(item, member) && (read_lists(&table, member, "", APP_NO_ROW) != 0 ||
							    app_table_finish(&table) != 0))
				return -1;
		} else if (app_series_join(reader, path, member->string, &place) != 0 ||
			   walk(reader, member, place.path, NULL) != 0) {
			return -1;
		}
	}
	return 0;
}

/* The values of the lines of a text as one array; NULL: most of its lines are not JSON. */
static cJSON *parse_lines(struct app_series_reader *reader, char *data, size_t **lines)
{
	cJSON *array = cJSON_CreateArray();
	size_t count = 0, bad = 0, line = 0;
	struct bench_error ignored;
	const struct bench_app_series_set before = *reader->set;
	for (char *at = data, *next; *at; at = next) {
		const size_t length = strcspn(at, "\r\n");
		next = at + length + (at[length] == '\r' && at[length + 1] == '\n') + (at[length] != '\0');
		line++;
		if (strspn(at, " \t") >= length)
			continue;
		cJSON *value = bench_json_parse(at, length, "", &ignored);
		if (value) {
			cJSON_AddItemToArray(array, value);
			BENCH_PUSH(reader->arena, *lines, count) = line;
		} else {
			bad++;
			reader->set->lost++;
			app_series_note(reader, "line %zu is not valid JSON: left out", line);
		}
	}
	if (count > bad && count > 1)
		return array;
	reader->set->note_count = before.note_count;
	reader->set->lost = before.lost;
	cJSON_Delete(array);
	return NULL;
}

int app_series_json(struct app_series_reader *reader, char *data, size_t length)
{
	size_t *lines = NULL;
	data[length] = '\0';
	BENCH_SCOPED_JSON *document = bench_json_parse(data, length, reader->what, reader->error);
	if (!document)
		document = parse_lines(reader, data, &lines);
	if (!document)
		return -1;
	return walk(reader, document, "", lines);
}
