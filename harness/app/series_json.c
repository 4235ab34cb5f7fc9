/* Series from JSON and JSON Lines: the arrays of a document, as tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/date.h"
#include "core/json.h"
#include "core/text.h"

/* An object that is being read, and the one that it is in. */
struct frame {
	const cJSON *object;
	const struct frame *outer;
};

static int walk(struct app_series_reader *reader, const cJSON *item, const char *path,
		const struct frame *outer);

static bool is_scalar(const cJSON *item)
{
	return !cJSON_IsArray(item) && !cJSON_IsObject(item);
}

static bool is_expected(const cJSON *member)
{
	return strncasecmp(member->string, "expected", 8) == 0; /* what a test of such a method adds */
}

static void put(struct app_series_reader *reader, struct app_column *column, size_t row, const cJSON *item)
{
	const char *text = cJSON_IsNumber(item)   ? NULL
			   : cJSON_IsString(item) ? bench_arena_string(reader->arena, item->valuestring)
			   : cJSON_IsNull(item)   ? ""
			   : cJSON_IsTrue(item)   ? "true"
			   : cJSON_IsFalse(item)  ? "false"
			   : cJSON_IsArray(item)  ? "an array"
						  : "an object";
	app_table_put(reader, column, row, text, cJSON_IsNumber(item) ? item->valuedouble : NAN);
}

/* The line or the number of an item. */
static size_t place_of(const struct app_series_reader *reader, const cJSON *sequence, size_t index)
{
	return sequence == reader->document ? reader->lines[index] : index + 1;
}

static const char *place_word(const struct app_series_reader *reader, const cJSON *sequence)
{
	return sequence == reader->document ? "line" : "item";
}

static struct app_table new_table(const struct app_series_reader *reader, const cJSON *sequence,
				  const char *path)
{
	return (struct app_table){.path = path, .place_word = place_word(reader, sequence)};
}

static bool is_version(const char *text)
{
	text += *text == 'v' || *text == 'V';
	return strchr(text, '.') && strspn(text, "0123456789.") == strlen(text);
}

/* Are its members those of an array: "0", "1" ...? */
static bool is_numbered(const cJSON *object)
{
	size_t count = 0;
	const cJSON *member;
	if (!cJSON_IsObject(object))
		return false;
	cJSON_ArrayForEach(member, object)
	{
		char number[24];
		snprintf(number, sizeof(number), "%zu", count++);
		if (strcmp(member->string, number) != 0)
			return false;
	}
	return count > 1;
}

/* Is it an object that has a row under each date, commit, version, or number from 0 on? */
static bool is_keyed(const cJSON *object)
{
	int64_t seconds;
	size_t count = 0, dates = 0, commits = 0, versions = 0;
	bool letters = false;
	const cJSON *member;
	if (!cJSON_IsObject(object))
		return false;
	cJSON_ArrayForEach(member, object)
	{
		count++;
		dates += bench_date_parse(member->string, &seconds);
		commits += app_series_is_hash(member->string);
		letters = letters || strpbrk(member->string, "abcdefABCDEF");
		versions += is_version(member->string);
	}
	return (count > 0 && (dates == count || (commits == count && letters) || versions == count)) ||
	       is_numbered(object);
}

static bool is_sequence(const cJSON *item)
{
	return cJSON_IsArray(item) || is_keyed(item);
}

/* The row of a sequence's item; of a keyed one with its key for a label. */
static int add_row(struct app_series_reader *reader, struct app_table *table, const cJSON *sequence,
		   const cJSON *item, size_t index)
{
	const size_t row = app_table_row(reader, table, place_of(reader, sequence, index));
	if (!cJSON_IsObject(sequence))
		return 0;
	struct app_column *keys = app_table_column(reader, table, "");
	if (!keys)
		return -1;
	keys->is_label = true;
	app_table_put(reader, keys, row, bench_arena_string(reader->arena, item->string), NAN);
	return 0;
}

static void lose(struct app_series_reader *reader, const cJSON *sequence, const char *path, size_t index,
		 const char *why)
{
	reader->set->lost++;
	app_series_note(reader, "%s %zu of '%.100s' is no %s, as most are: left out",
			place_word(reader, sequence), place_of(reader, sequence, index),
			*path ? path : "the document", why);
}

/* What an object is called by its own members; "" where it has no name. */
static const char *name_of(const cJSON *object)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object) if (app_series_names(member->string) &&
					       cJSON_IsString(member)) return member->valuestring;
	return "";
}

/* Does the object say when or of which commit it is? */
static bool is_labelled(const cJSON *object, const char *path, int depth)
{
	int64_t seconds;
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		char name[200];
		snprintf(name, sizeof(name), "%.90s%s%.90s", path, *path ? "." : "", member->string);
		if (cJSON_IsString(member) ? app_series_is_label_name(name) ||
						     bench_date_parse(member->valuestring, &seconds)
					   : cJSON_IsNumber(member) && app_series_is_label_name(name) &&
						     member->valuedouble >= 946684800)
			return true;
		if (cJSON_IsObject(member) && depth < 4 && is_labelled(member, name, depth + 1))
			return true;
	}
	return false;
}

static bool has_labelled(const cJSON *array)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, array) if (cJSON_IsObject(item) && is_labelled(item, "", 0)) return true;
	return false;
}

/* Adds the items of an array, as a column of the rows 0, 1, ... */
static int add_column(struct app_series_reader *reader, struct app_table *table, const cJSON *array,
		      const char *name, bool is_label)
{
	struct app_column *column = app_table_column(reader, table, name);
	const cJSON *item;
	size_t row = 0;
	if (!column)
		return -1;
	if (column->count > 0)
		return bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: '%.100s' has two members '%.100s'",
				  reader->what, *table->path ? table->path : "the document", name);
	column->is_label = is_label;
	cJSON_ArrayForEach(item, array) put(reader, column, row++, item);
	return 0;
}

/* Is it an array of texts, numbers and an odd item, which may be a column beside others? */
static bool is_list(const cJSON *item)
{
	int scalars = 0, others = 0;
	const cJSON *inner;
	cJSON_ArrayForEach(inner, item)
	{
		scalars += is_scalar(inner);
		others += !is_scalar(inner);
	}
	return (cJSON_IsArray(item) || is_numbered(item)) && scalars > others;
}

/* Whether an array of an outer object may label the values of inner ones: it has texts or the name of a
 * label. */
static bool may_label(const cJSON *array)
{
	return cJSON_IsString(array->child) || app_series_is_label_name(array->string);
}

/* The arrays of an object that have as many items as `first`, which is the first such. */
static int add_lists(struct app_series_reader *reader, const cJSON *first, const char *path,
		     const struct frame *frame)
{
	struct app_table table = new_table(reader, first, path);
	const int count = cJSON_GetArraySize(first);
	const cJSON *member;
	for (int i = 0; i < count; i++)
		app_table_row(reader, &table, (size_t)i + 1);
	for (member = first; member; member = member->next)
		if (is_list(member) && !is_expected(member) && cJSON_GetArraySize(member) == count &&
		    add_column(reader, &table, member, member->string, false) != 0)
			return -1;
	for (const struct frame *outer = frame->outer; outer; outer = outer->outer)
		cJSON_ArrayForEach(member, outer->object)
		{
			struct app_place name;
			if (!is_list(member) || !may_label(member) || cJSON_GetArraySize(member) != count)
				continue;
			snprintf(name.path, sizeof(name.path), "%.400s", member->string);
			bool taken = false;
			for (size_t c = 0; c < table.column_count; c++)
				taken = taken || strcmp(table.columns[c].name, name.path) == 0;
			if (!taken && add_column(reader, &table, member, member->string, true) != 0)
				return -1;
		}
	return app_table_finish(reader, &table);
}

static bool is_first_list(const cJSON *object, const cJSON *list)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		if (member == list)
			return true;
		if (is_list(member) && !is_expected(member) &&
		    cJSON_GetArraySize(member) == cJSON_GetArraySize(list))
			return false;
	}
	return false;
}

/* Has the object an array of labels for its others? */
static bool has_label_list(const cJSON *object)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object) if (is_list(member) && may_label(member)) return true;
	return false;
}

/* Rows of a table, one an object. */
struct records {
	struct app_series_reader *reader;
	struct app_table table;
	const char *prefix; /* of the names of series that are tables of their own */
	bool labelled;
};

static int flatten(struct records *records, const cJSON *object, const char *path, size_t row,
		   const struct frame *outer, bool nested);

static int put_member(struct records *records, const cJSON *object, const cJSON *item, const char *path,
		      size_t row, bool nested)
{
	struct app_series_reader *reader = records->reader;
	struct app_column *column = app_table_column(reader, &records->table, path);
	if (!column)
		return -1;
	if (column->source == object ||
	    (!nested && column->count > 0 && column->cells[column->count - 1].row == row))
		return bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: item %zu has two members '%.100s'",
				  reader->what, records->table.places[row], path);
	column->source = object;
	put(reader, column, row, item);
	return 0;
}

/* "benches": [{"name": "a", "value": 1}, ...] of one row: members "benches.a.value". */
static int flatten_array(struct records *records, const cJSON *array, const char *path, size_t row,
			 const struct frame *frame)
{
	const cJSON *item;
	size_t index = 0;
	cJSON_ArrayForEach(item, array)
	{
		char number[24];
		struct app_place inner;
		const char *name = cJSON_IsObject(item) ? name_of(item) : "";
		snprintf(number, sizeof(number), "[%zu]", index);
		if (!cJSON_IsObject(item) && !cJSON_IsNull(item))
			lose(records->reader, array, path, index, "object");
		index++;
		if (!cJSON_IsObject(item))
			continue;
		if (app_series_join(records->reader, path, *name ? name : number, &inner) != 0 ||
		    flatten(records, item, inner.path, row, frame, true) != 0)
			return -1;
	}
	return 0;
}

/* Are most of the items objects? */
static bool is_of_objects(const cJSON *array)
{
	int objects = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, array) objects += cJSON_IsObject(item) ? 1 : -1;
	return objects > 0 && cJSON_IsArray(array);
}

/* An array in a row: members of the row, values of the row, or a table of its own. */
static int read_inner(struct records *records, const cJSON *array, const char *path, const char *member,
		      size_t row, const struct frame *frame)
{
	struct app_series_reader *reader = records->reader;
	struct app_place base, whole;
	const cJSON *item;
	if (is_of_objects(array) && !has_labelled(array))
		return flatten_array(records, array, member, row, frame);
	if (is_list(array) && records->labelled && !has_label_list(frame->object)) {
		struct app_column *column = app_table_column(reader, &records->table, member);
		cJSON_ArrayForEach(item, array) if (column) put(reader, column, row, item);
		return column ? 0 : -1;
	}
	if (app_series_join(reader, records->prefix, path, &base) != 0 ||
	    app_series_join(reader, records->prefix, member, &whole) != 0)
		return -1;
	if (!is_list(array))
		return walk(reader, array, whole.path, frame);
	return is_first_list(frame->object, array) ? add_lists(reader, array, base.path, frame) : 0;
}

/* `nested`: in an array of the row, whose texts say nothing of the row. */
static int flatten(struct records *records, const cJSON *object, const char *path, size_t row,
		   const struct frame *outer, bool nested)
{
	struct app_series_reader *reader = records->reader;
	const struct frame frame = {object, outer};
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		struct app_place place;
		int result;
		if (is_expected(member))
			continue;
		if (app_series_join(reader, path, member->string, &place) != 0)
			return -1;
		if (cJSON_IsObject(member))
			result = flatten(records, member, place.path, row, &frame, nested);
		else if (cJSON_IsArray(member))
			result = read_inner(records, member, path, place.path, row, &frame);
		else if (nested && cJSON_IsString(member) && strcasecmp(member->string, "value") != 0 &&
			 strncasecmp(member->string, "unit", 4) != 0 &&
			 !strpbrk(member->valuestring, "0123456789"))
			result = 0;
		else
			result = put_member(records, object, member, place.path, row, nested);
		if (result != 0)
			return -1;
	}
	return 0;
}

static int add_records(struct app_series_reader *reader, const cJSON *sequence, const char *path,
		       const struct frame *outer)
{
	struct records records = {reader, new_table(reader, sequence, path), path,
				  has_labelled(sequence) || cJSON_IsObject(sequence)};
	const cJSON *item;
	size_t index = 0;
	cJSON_ArrayForEach(item, sequence)
	{
		const char *name = cJSON_IsObject(item) ? name_of(item) : "";
		char number[24];
		struct app_place prefix;
		snprintf(number, sizeof(number), "[%zu]", index);
		if (!cJSON_IsObject(item) && !cJSON_IsNull(item))
			lose(reader, sequence, path, index, "object");
		if (app_series_join(reader, path, *name ? name : number, &prefix) != 0 ||
		    add_row(reader, &records.table, sequence, item, index) != 0)
			return -1;
		records.prefix = prefix.path;
		if (cJSON_IsObject(item) && flatten(&records, item, "", index, outer, false) != 0)
			return -1;
		index++;
	}
	return app_table_finish(reader, &records.table);
}

/* Numbers, or what is under each key: a number or an array of them. */
static int add_values(struct app_series_reader *reader, const cJSON *sequence, const char *path)
{
	struct app_table table = new_table(reader, sequence, "");
	const char *name = *path ? path : "values";
	const cJSON *item, *inner;
	size_t index = 0;
	cJSON_ArrayForEach(item, sequence)
	{
		if (add_row(reader, &table, sequence, item, index) != 0)
			return -1;
		struct app_column *column = app_table_column(reader, &table, name);
		if (!cJSON_IsArray(item) || cJSON_IsArray(sequence))
			put(reader, column, index, item);
		else
			cJSON_ArrayForEach(inner, item) put(reader, column, index, inner);
		index++;
	}
	return app_table_finish(reader, &table);
}

static bool is_pair(const cJSON *item)
{
	return cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2 && is_scalar(item->child) &&
	       is_scalar(item->child->next);
}

/* Pairs of a label and a number. */
static int add_pairs(struct app_series_reader *reader, const cJSON *array, const char *path)
{
	struct app_table table = new_table(reader, array, "");
	app_table_column(reader, &table, "");
	struct app_column *values = app_table_column(reader, &table, *path ? path : "values");
	struct app_column *labels = &table.columns[0];
	const cJSON *item;
	size_t index = 0;
	labels->is_label = true;
	cJSON_ArrayForEach(item, array)
	{
		const size_t row = app_table_row(reader, &table, place_of(reader, array, index));
		if (is_pair(item)) {
			put(reader, labels, row, item->child);
			put(reader, values, row, item->child->next);
		} else {
			lose(reader, array, path, index, "pair");
		}
		index++;
	}
	return app_table_finish(reader, &table);
}

/* The width of arrays of as many texts and numbers, of which some are texts; 0: they are others. */
static int width_of(const cJSON *arrays)
{
	const int width = cJSON_GetArraySize(arrays->child);
	bool texts = false;
	const cJSON *item, *field;
	cJSON_ArrayForEach(item, arrays)
	{
		if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != width)
			return 0;
		cJSON_ArrayForEach(field, item)
		{
			if (!is_scalar(field))
				return 0;
			texts = texts || cJSON_IsString(field);
		}
	}
	return texts && width > 1 ? width : 0;
}

static char *field_text(struct app_series_reader *reader, const cJSON *field)
{
	if (cJSON_IsNumber(field))
		return bench_arena_format(reader->arena, "%.17g", field->valuedouble);
	return bench_arena_string(reader->arena, cJSON_IsString(field) ? field->valuestring
						 : cJSON_IsNull(field) ? ""
						 : cJSON_IsTrue(field) ? "true"
								       : "false");
}

static void add_field_row(struct app_series_reader *reader, struct bench_csv *csv, const cJSON *item,
			  size_t place)
{
	struct bench_csv_row row = {.line = place};
	const cJSON *field;
	size_t count = 0;
	cJSON_ArrayForEach(field, item) *
		(char **)bench_arena_push(reader->arena, &row.fields, &count, sizeof(char *)) =
		field_text(reader, field);
	*(struct bench_csv_row *)bench_arena_push(reader->arena, &csv->rows, &csv->row_count, sizeof(row)) =
		row;
}

/* A table as arrays of texts and numbers; `header`: its names, or NULL, where they may be its first row. */
static int add_fields(struct app_series_reader *reader, const cJSON *arrays, const cJSON *header,
		      const char *path)
{
	struct bench_csv csv = {.column_count = (size_t)cJSON_GetArraySize(arrays->child)};
	const cJSON *item;
	size_t index = 0;
	if (header)
		add_field_row(reader, &csv, header, 0);
	cJSON_ArrayForEach(item, arrays) add_field_row(reader, &csv, item, place_of(reader, arrays, index++));
	return app_series_fields(reader, &csv, path, place_word(reader, arrays));
}

static int add_arrays(struct app_series_reader *reader, const cJSON *sequence, const char *path, size_t pairs,
		      const struct frame *outer)
{
	const int width = width_of(sequence);
	const cJSON *item, *first = sequence->child;
	size_t index = 0;
	const bool headed =
		is_pair(first) && cJSON_IsString(first->child) && cJSON_IsString(first->child->next);
	if (width > 2 || (width == 2 && headed))
		return add_fields(reader, sequence, NULL, path);
	if (2 * pairs > (size_t)cJSON_GetArraySize(sequence))
		return add_pairs(reader, sequence, path);
	cJSON_ArrayForEach(item, sequence)
	{
		char number[24];
		struct app_place place;
		if (is_scalar(item) && !cJSON_IsNull(item))
			lose(reader, sequence, path, index, "array");
		snprintf(number, sizeof(number), "[%zu]", index++);
		if (app_series_join(reader, path, number, &place) != 0 ||
		    walk(reader, item, place.path, outer) != 0)
			return -1;
	}
	return 0;
}

/* By what most of its items are. */
static int walk_sequence(struct app_series_reader *reader, const cJSON *sequence, const char *path,
			 const struct frame *outer)
{
	size_t count = 0, objects = 0, arrays = 0, pairs = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, sequence)
	{
		objects += cJSON_IsObject(item) != 0;
		arrays += cJSON_IsArray(item) != 0;
		pairs += is_pair(item);
		count += !cJSON_IsNull(item);
	}
	if (count == 0)
		return 0;
	if (2 * objects >= count && objects >= arrays)
		return add_records(reader, sequence, path, outer);
	if (2 * arrays >= count && cJSON_IsArray(sequence))
		return add_arrays(reader, sequence, path, pairs, outer);
	return add_values(reader, sequence, path);
}

static int walk(struct app_series_reader *reader, const cJSON *item, const char *path,
		const struct frame *outer)
{
	const struct frame frame = {item, outer};
	const cJSON *member, *columns = cJSON_GetObjectItemCaseSensitive(item, "columns"),
			     *data = cJSON_GetObjectItemCaseSensitive(item, "data");
	if (is_sequence(item))
		return walk_sequence(reader, item, path, outer);
	if (!cJSON_IsObject(item))
		return 0;
	if (columns && data && width_of(data) > 0 && width_of(data) == cJSON_GetArraySize(columns))
		return add_fields(reader, data, columns, path);
	cJSON_ArrayForEach(member, item)
	{
		struct app_place place;
		int result = 0;
		if (is_expected(member) || is_scalar(member))
			continue;
		if (!is_list(member))
			result = app_series_join(reader, path, member->string, &place) != 0
					 ? -1
					 : walk(reader, member, place.path, &frame);
		else if (is_first_list(item, member))
			result = add_lists(reader, member, path, &frame);
		if (result != 0)
			return -1;
	}
	return 0;
}

/* Python writes NaN and Infinity, which JSON lacks: they become texts, in place, that are missing values. */
static void replace_nan(char *data)
{
	static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN"};
	bool quoted = false;
	for (char *at = data; *at; at++) {
		if (quoted && *at == '\\' && at[1])
			at++;
		else if (*at == '"')
			quoted = !quoted;
		for (size_t i = 0; !quoted && i < sizeof(words) / sizeof(words[0]); i++) {
			const size_t length = strlen(words[i]);
			if (strncmp(at, words[i], length) != 0)
				continue;
			memset(at, ' ', length);
			at[0] = at[1] = '"';
			at += length - 1;
			break;
		}
	}
}

/* The values of the lines of a text as one array; NULL: most of its lines are no JSON. */
static cJSON *parse_lines(struct app_series_reader *reader, char *data)
{
	cJSON *array = cJSON_CreateArray();
	size_t *lines = NULL, count = 0, bad = 0, line = 0;
	struct bench_error ignored;
	struct bench_app_series_set *set = reader->set;
	const size_t notes = set->note_count, lost = set->lost;
	for (char *at = data, *next; *at; at = next) {
		const size_t length = strcspn(at, "\r\n");
		next = at + length + (at[length] == '\r' && at[length + 1] == '\n') + (at[length] != '\0');
		line++;
		if (strspn(at, " \t") >= length)
			continue;
		cJSON *value = bench_json_parse(at, length, "", &ignored);
		if (!value) {
			bad++;
			set->lost++;
			app_series_note(reader, "line %zu is not valid JSON: left out", line);
			continue;
		}
		cJSON_AddItemToArray(array, value);
		*(size_t *)bench_arena_push(reader->arena, &lines, &count, sizeof(line)) = line;
	}
	if (count > bad && count > 1) {
		reader->lines = lines;
		reader->document = array;
		return array;
	}
	set->note_count = notes;
	set->lost = lost;
	cJSON_Delete(array);
	return NULL;
}

int app_series_json(struct app_series_reader *reader, char *data, size_t length)
{
	data[length] = '\0';
	replace_nan(data);
	cJSON *document = bench_json_parse(data, length, reader->what, reader->error);
	if (!document)
		document = parse_lines(reader, data);
	if (!document)
		return -1;
	int result = walk(reader, document, "", NULL);
	cJSON_Delete(document);
	return result;
}
