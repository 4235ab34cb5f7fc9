/* SPDX-License-Identifier: MIT */
/* Tables of values as they are written become series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/text.h"
#include "core/unit.h"

#define NAMED_MOST 12 /* columns, in a note */
#define PLACES     3  /* of values that were left out, in a message */

size_t app_table_row(struct app_table *table, size_t outer, size_t place, const char *path)
{
	BENCH_PUSH(table->reader->arena, table->rows, table->row_count) =
		(struct app_row){outer, place, path};
	return table->row_count - 1;
}

size_t app_table_place(const struct app_table *table, size_t row)
{
	while (table->rows[row].outer != APP_NO_ROW)
		row = table->rows[row].outer;
	return table->rows[row].place;
}

static int too_many(const struct app_series_reader *reader, const char *what)
{
	return bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: more than %d %s: split the file",
			  reader->what, BENCH_APP_SERIES_MOST, what);
}

struct app_column *app_table_column(struct app_table *table, const char *name)
{
	struct app_series_reader *reader = table->reader;
	/* Rows mostly have their members in the same order. */
	for (size_t i = 0; i < table->column_count; i++) {
		const size_t at = (table->next + i) % table->column_count;
		if (strcmp(table->columns[at].name, name) == 0) {
			table->next = at + 1;
			return &table->columns[at];
		}
	}
	if (table->column_count >= BENCH_APP_SERIES_MOST) {
		too_many(reader, "columns");
		return NULL;
	}
	struct app_column *column =
		bench_arena_push(reader->arena, &table->columns, &table->column_count, sizeof(*column));
	column->name = bench_arena_string(reader->arena, name);
	table->next = table->column_count;
	return column;
}

int app_table_put(struct app_table *table, const char *name, size_t since, size_t row, const char *text,
		  double value)
{
	struct app_series_reader *reader = table->reader;
	struct app_column *column = app_table_column(table, name);
	if (!column)
		return -1;
	if (column->count > 0 && column->cells[column->count - 1].row >= since)
		return bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: %s %zu has two members '%.100s'",
				  reader->what, table->place_word, app_table_place(table, row), name);
	struct app_cell *cell =
		bench_arena_push(reader->arena, &column->cells, &column->count, sizeof(*cell));
	*cell = app_series_read_cell(reader->arena, text, value);
	cell->row = row;
	return 0;
}

/* What reads as a number that is missing: "", "nan", "n/a", "-inf" ... */
static bool is_missing(const char *text)
{
	static const char *const words[] = {
		"",  "nan", "inf", "infinity", "null",    "none",   "nil",     "na",       "n/a",   "#n/a",
		"-", "--",  "?",   "missing",  "#div/0!", "1.#inf", "1.#qnan", "nan(ind)", "1.#ind"};
	text += (*text == '+' || *text == '-') && text[1];
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

/* States the unit of a number; one that is known is SI's from then on. */
static void set_unit(struct bench_arena *arena, struct app_cell *cell, const char *text)
{
	struct bench_unit unit = {.times = 1, .over = 1};
	cell->unit = bench_unit_parse(text, &unit) ? bench_arena_string(arena, unit.si) : text;
	cell->value = cell->value * unit.times / unit.over;
}

struct app_cell app_series_read_cell(struct bench_arena *arena, const char *text, double value)
{
	struct app_cell cell = {.text = text, .unit = "", .value = value, .kind = APP_CELL_NUMBER};
	struct bench_unit unit;
	char number[64] = "";
	if (text ? bench_text_real(text, &cell.value) : isfinite(value))
		return cell;
	cell.value = NAN;
	cell.kind = text && is_missing(text) ? APP_CELL_MISSING : APP_CELL_ODD;
	size_t length = text ? strlen(text) : 0;
	while (length > 0 && !strchr("0123456789.", text[length - 1]))
		length--;
	if (length == 0 || length >= sizeof(number))
		return cell;
	const char *rest = text + length + strspn(text + length, " ");
	memcpy(number, text, length);
	if (bench_unit_parse(rest, &unit) && bench_text_real(number, &cell.value)) {
		cell.kind = APP_CELL_NUMBER;
		set_unit(arena, &cell, rest);
	}
	return cell;
}

/* "benches.unit" says which unit "benches.value" is in. */
static void take_units(struct app_table *table)
{
	for (size_t c = 0; c < table->column_count; c++) {
		struct app_place name;
		struct app_column *values = &table->columns[c], *units = table->columns;
		const char *dot = strrchr(values->name, '.');
		const size_t stem = dot ? (size_t)(dot + 1 - values->name) : 0;
		if (strcasecmp(values->name + stem, "value") != 0)
			continue;
		snprintf(name.path, sizeof(name.path), "%.*sunit", (int)stem, values->name);
		while (units < table->columns + table->column_count &&
		       strcasecmp(units->name, name.path) != 0)
			units++;
		if (units == table->columns + table->column_count)
			continue;
		units->role = APP_UNIT;
		for (size_t i = 0, u = 0; i < values->count; i++) {
			struct app_cell *cell = &values->cells[i];
			while (u < units->count && units->cells[u].row < cell->row)
				u++;
			if (u < units->count && units->cells[u].row == cell->row && !*cell->unit &&
			    units->cells[u].text && units->cells[u].kind != APP_CELL_MISSING)
				set_unit(table->reader->arena, cell, units->cells[u].text);
		}
	}
}

/* Rows of the same names. */
struct group {
	const char *name;
	size_t stem; /* the length of its name within the names of its columns */
	/* Of the column that is being added: */
	double last; /* the time that was known last */
	bool rises, falls;
};

struct builder {
	struct app_table *table;
	struct app_labels labels;
	const char **row_labels;   /* NULL: there are none */
	struct app_column **names; /* which name the rows */
	size_t name_count;
	size_t *row_groups;
	struct group *groups;
	size_t group_count;
	size_t turned, sorted; /* series that were not oldest first */
	struct bench_text unsearched;
	size_t unsearched_count;
};

/* What labels each row: "2026-01-01 c0ffee"; without a label, it takes that of its outer row. */
static void label_rows(struct builder *builder)
{
	const struct app_table *table = builder->table;
	struct bench_arena *arena = table->reader->arena;
	const struct app_column *const columns[] = {builder->labels.time, builder->labels.commit};
	if (!columns[0] && !columns[1])
		return;
	builder->row_labels = bench_arena_alloc(arena, table->row_count + 1, sizeof(*builder->row_labels));
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; columns[k] && i < columns[k]->count; i++) {
			const struct app_cell *cell = &columns[k]->cells[i];
			const char **label = &builder->row_labels[cell->row];
			const char *text =
				cell->text ? cell->text : bench_arena_format(arena, "%.15g", cell->value);
			*label = !*label || !**label ? text
				 : *text             ? bench_arena_format(arena, "%s %s", *label, text)
						     : *label;
		}
	for (size_t r = 0; r < table->row_count; r++)
		if (!builder->row_labels[r])
			builder->row_labels[r] = table->rows[r].outer == APP_NO_ROW
							 ? ""
							 : builder->row_labels[table->rows[r].outer];
}

/* `path` without the stem and the point behind it. */
static const char *behind(const char *path, size_t stem)
{
	return path + stem + (stem > 0 && path[stem] == '.');
}

/* Puts a row into the group of that name. */
static int group_row(struct builder *builder, size_t row, const char *name, size_t stem)
{
	const struct app_series_reader *reader = builder->table->reader;
	/* Rows mostly have their names in the same order. */
	const size_t next = row > 0 ? builder->row_groups[row - 1] + 1 : 0;
	for (size_t i = 0; i < builder->group_count; i++) {
		const size_t at = (next + i) % builder->group_count;
		if (builder->groups[at].stem == stem && strcmp(builder->groups[at].name, name) == 0) {
			builder->row_groups[row] = at;
			return 0;
		}
	}
	if (builder->group_count >= BENCH_APP_SERIES_MOST)
		return too_many(reader, "series");
	builder->row_groups[row] = builder->group_count;
	struct group *group =
		bench_arena_push(reader->arena, &builder->groups, &builder->group_count, sizeof(*group));
	*group = (struct group){.name = bench_arena_string(reader->arena, name), .stem = stem};
	return 0;
}

/* Behind the name of its outer row by its own, else by its number in a list whose items have no labels. */
static int name_row(struct builder *builder, size_t r)
{
	const struct app_table *table = builder->table;
	const struct app_row *row = &table->rows[r];
	struct group outer = {.name = ""};
	struct app_place name;
	size_t number = row->path ? row->place : 0;
	char index[24];
	if (row->outer != APP_NO_ROW) {
		outer = builder->groups[builder->row_groups[row->outer]];
		if (builder->row_labels && builder->row_labels[r] != builder->row_labels[row->outer])
			number = 0;
		else if (!row->path && !*outer.name && !builder->row_labels)
			number = table->rows[row->outer].place; /* nothing tells these lists apart */
	}
	if (app_series_join(table->reader, outer.name, row->path ? behind(row->path, outer.stem) : "",
			    &name) != 0)
		return -1;
	for (size_t n = 0; n < builder->name_count; n++) {
		struct app_column *names = builder->names[n];
		if (names->named == names->count || names->cells[names->named].row != r)
			continue;
		const char *own = names->cells[names->named++].text;
		number = own && *own ? 0 : number;
		if (app_series_join(table->reader, name.path, own ? own : "", &name) != 0)
			return -1;
	}
	snprintf(index, sizeof(index), "[%zu]", number - 1);
	if (number > 0 && app_series_join(table->reader, name.path, index, &name) != 0)
		return -1;
	return group_row(builder, r, name.path, row->path ? strlen(row->path) : outer.stem);
}

static int name_rows(struct builder *builder)
{
	const struct app_table *table = builder->table;
	builder->row_groups = bench_arena_alloc(table->reader->arena, table->row_count + 1, sizeof(size_t));
	for (size_t c = 0; c < table->column_count; c++) {
		struct app_column *column = &table->columns[c];
		if (column->role != APP_DATA || !column->is_text)
			continue;
		const struct app_row *row = &table->rows[column->cells[0].row];
		if (!app_series_is_name(behind(column->name, row->path ? strlen(row->path) : 0)))
			continue;
		column->role = APP_NAME;
		BENCH_PUSH(table->reader->arena, builder->names, builder->name_count) = column;
	}
	for (size_t r = 0; r < table->row_count; r++)
		if (name_row(builder, r) != 0)
			return -1;
	return 0;
}

/* A cell of a series, oldest first. */
struct value {
	struct app_cell *cell;
	size_t group;
	double time;
	size_t place;
};

static int by_group_and_time(const void *a, const void *b)
{
	const struct value *x = a, *y = b;
	return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
	       : x->time != y->time ? (x->time > y->time) - (x->time < y->time)
				    : (x->place > y->place) - (x->place < y->place);
}

/* The cells of a column by group, oldest first. One whose time is not known stays behind the one before it.
 */
static struct value *sort_cells(struct builder *builder, const struct app_column *column)
{
	struct value *values =
		bench_arena_alloc(builder->table->reader->arena, column->count + 1, sizeof(*values));
	for (size_t g = 0; g < builder->group_count; g++)
		builder->groups[g] = (struct group){builder->groups[g].name, builder->groups[g].stem,
						    -INFINITY, false, false};
	for (size_t i = 0; i < column->count; i++) {
		const size_t row = column->cells[i].row;
		struct group *group = &builder->groups[builder->row_groups[row]];
		const double time = builder->labels.times ? builder->labels.times[row] : NAN;
		group->rises = group->rises || (time > group->last && isfinite(group->last));
		group->falls = group->falls || time < group->last;
		group->last = isnan(time) ? group->last : time;
		values[i] = (struct value){&column->cells[i], builder->row_groups[row], group->last, i};
	}
	for (size_t i = 0; i < column->count; i++) {
		const struct group *group = &builder->groups[values[i].group];
		values[i].place = group->falls && !group->rises ? column->count - i : i;
	}
	qsort(values, column->count, sizeof(*values), by_group_and_time);
	return values;
}

/* The unit of most of the numbers: a majority vote. Cells of others are odd. NULL: most are not numbers. */
static const char *choose_unit(const struct value *values, size_t count)
{
	size_t votes = 0, numbers = 0, others = 0;
	const char *unit = "";
	for (size_t i = 0; i < count; i++)
		if (values[i].cell->kind == APP_CELL_NUMBER) {
			unit = votes == 0 ? values[i].cell->unit : unit;
			votes += strcmp(unit, values[i].cell->unit) == 0 ? 1 : (size_t)-1;
		}
	for (size_t i = 0; i < count; i++) {
		struct app_cell *cell = values[i].cell;
		const bool same = cell->kind == APP_CELL_NUMBER && strcmp(cell->unit, unit) == 0;
		if (!same && cell->kind != APP_CELL_MISSING)
			cell->kind = APP_CELL_ODD;
		numbers += same;
		others += cell->kind == APP_CELL_ODD;
	}
	return numbers > others ? unit : NULL;
}

static void add_lost(const struct app_table *table, const struct app_cell *cell, size_t lost,
		     struct bench_text *where)
{
	char number[32];
	if (lost > PLACES)
		return;
	bench_text_add(where, "%s%s %zu: ", lost > 1 ? ", " : "", table->place_word,
		       app_table_place(table, cell->row));
	snprintf(number, sizeof(number), "%.15g", cell->value);
	const char *text = cell->text ? cell->text : number;
	if (!cell->text && isnan(cell->value))
		bench_text_add(where, "a number larger than any can be");
	else if (*cell->unit && !strstr(text, cell->unit))
		bench_text_add(where, "'%.40s' in '%.40s'", text, cell->unit);
	else
		bench_text_add(where, "'%.60s'", text);
}

static int add_series(struct builder *builder, const struct app_column *column, const struct value *values,
		      size_t count, const char *unit)
{
	const struct group *group = &builder->groups[values->group];
	const struct app_table *table = builder->table;
	struct app_series_reader *reader = table->reader;
	struct bench_app_series_set *set = reader->set;
	struct app_place whole;
	struct bench_text where = {0};
	struct bench_unit stated;
	size_t stem;
	if (app_series_join(reader, table->path, group->name, &whole) != 0 ||
	    app_series_join(reader, whole.path, behind(column->name, group->stem), &whole) != 0)
		return -1;
	if (set->count >= BENCH_APP_SERIES_MOST)
		return too_many(reader, "series");
	if (count > BENCH_APP_SERIES_VALUES)
		return bench_fail(reader->error, BENCH_ENVIRONMENT,
				  "%s: series '%.100s' has more than %d values: cut it", reader->what,
				  whole.path, BENCH_APP_SERIES_VALUES);
	double *numbers = bench_arena_alloc(reader->arena, count + 1, sizeof(*numbers));
	const char **labels = bench_arena_alloc(reader->arena, count + 1, sizeof(*labels));
	double *times = bench_arena_alloc(reader->arena, count + 1, sizeof(*times));
	size_t lost = 0;
	for (size_t i = 0; i < count; i++) {
		const struct app_cell *cell = values[i].cell;
		numbers[i] = cell->kind == APP_CELL_NUMBER ? cell->value : NAN;
		times[i] = values[i].time;
		labels[i] = builder->row_labels ? builder->row_labels[cell->row] : "";
		if (cell->kind == APP_CELL_ODD)
			add_lost(table, cell, ++lost, &where);
	}
	builder->turned += group->falls && !group->rises;
	builder->sorted += group->falls && group->rises;
	const bool states =
		*unit ? bench_unit_parse(unit, &stated) : bench_unit_of_name(column->name, &stem, &stated);
	BENCH_PUSH(reader->arena, set->items, set->count) = (struct bench_app_series){
		.name = bench_arena_string(reader->arena, *whole.path ? whole.path : "values"),
		.values = numbers,
		.labels = builder->row_labels ? labels : NULL,
		.times = builder->labels.times ? times : NULL,
		.count = count,
		.unit = unit,
		.better = states ? stated.better : BENCH_BETTER_NONE,
		.lost = lost,
		.lost_where = bench_text_keep(&where, reader->arena)};
	return 0;
}

/* `text`: which it has, or NULL. */
static void add_unsearched(struct builder *builder, const struct app_column *column, const char *why,
			   const char *text)
{
	const char *quote = text ? "'" : "";
	if (++builder->unsearched_count <= NAMED_MOST)
		bench_text_add(&builder->unsearched, "%s'%.60s' (%s%s%.30s%s)",
			       builder->unsearched_count > 1 ? ", " : "", column->name, why, quote,
			       text ? text : "", quote);
}

/* One series, or one of each name among the rows. */
static int add_column(struct builder *builder, const struct app_column *column)
{
	const struct value *values = sort_cells(builder, column);
	const size_t before = builder->table->reader->set->count;
	const char *text = NULL;
	for (size_t i = column->count; i-- > 0;)
		text = column->cells[i].kind == APP_CELL_ODD && column->cells[i].text ? column->cells[i].text
										      : text;
	for (size_t i = 0, end; i < column->count; i = end) {
		for (end = i + 1; end < column->count && values[end].group == values[i].group;)
			end++;
		const char *unit = choose_unit(values + i, end - i);
		if (unit && add_series(builder, column, values + i, end - i, unit) != 0)
			return -1;
	}
	if (builder->table->reader->set->count == before)
		add_unsearched(builder, column, text ? "texts: " : "no values", text);
	return 0;
}

static void say_order(struct builder *builder, size_t count, const char *how)
{
	const char *time = builder->labels.time ? builder->labels.time->name : "";
	if (count > 0)
		app_series_note(builder->table->reader, "%zu series %s %s by '%.60s': searched oldest first",
				count, count == 1 ? "is" : "are", how, time);
}

static int build(struct builder *builder)
{
	struct app_table *table = builder->table;
	struct app_series_reader *reader = table->reader;
	const size_t before = reader->set->count;
	take_units(table);
	app_series_find_labels(table, &builder->labels);
	label_rows(builder);
	if (name_rows(builder) != 0)
		return -1;
	for (size_t c = 0; c < table->column_count; c++) {
		const struct app_column *column = &table->columns[c];
		if (column->role == APP_LABEL)
			add_unsearched(builder, column,
				       column == builder->labels.time || column == builder->labels.commit
					       ? "labels the values"
					       : "another label",
				       NULL);
		if (column->role == APP_DATA && column->count > 0 && add_column(builder, column) != 0)
			return -1;
	}
	if (reader->set->count == before)
		return 0;
	say_order(builder, builder->turned, "newest first");
	say_order(builder, builder->sorted, "in no order");
	if (builder->unsearched_count > NAMED_MOST)
		bench_text_add(&builder->unsearched, " and %zu more", builder->unsearched_count - NAMED_MOST);
	if (builder->unsearched_count > 0)
		app_series_note(reader, "not searched: %s", builder->unsearched.data);
	return 0;
}

int app_table_finish(struct app_table *table)
{
	struct builder builder = {.table = table};
	const int result = table->row_count > 0 && table->column_count > 0 ? build(&builder) : 0;
	bench_text_free(&builder.unsearched);
	return result;
}
