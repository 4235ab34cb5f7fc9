/* Tables of values as they are written become series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/text.h"

#define NAMED_MOST 12 /* columns, in a note */
#define PLACES     3  /* of values that were left out, in a message */

size_t app_table_row(struct app_series_reader *reader, struct app_table *table, size_t place)
{
	*(size_t *)bench_arena_push(reader->arena, &table->places, &table->row_count, sizeof(place)) = place;
	return table->row_count - 1;
}

struct app_column *app_table_column(struct app_series_reader *reader, struct app_table *table,
				    const char *name)
{
	/* Rows mostly have their members in the same order. */
	for (size_t i = 0; i < table->column_count; i++) {
		const size_t at = (table->next + i) % table->column_count;
		if (strcmp(table->columns[at].name, name) == 0) {
			table->next = at + 1;
			return &table->columns[at];
		}
	}
	if (table->column_count >= BENCH_APP_SERIES_MOST) {
		bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: more than %d columns: split the file",
			   reader->what, BENCH_APP_SERIES_MOST);
		return NULL;
	}
	struct app_column *column =
		bench_arena_push(reader->arena, &table->columns, &table->column_count, sizeof(*column));
	column->name = bench_arena_string(reader->arena, name);
	table->next = table->column_count;
	return column;
}

void app_table_put(struct app_series_reader *reader, struct app_column *column, size_t row, const char *text,
		   double value)
{
	struct app_cell *cell =
		bench_arena_push(reader->arena, &column->cells, &column->count, sizeof(*cell));
	*cell = (struct app_cell){.row = row, .text = text, .unit = "", .value = value};
	app_series_read_cell(reader->arena, cell);
}

bool app_series_is_missing(const char *text)
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

void app_series_read_cell(struct bench_arena *arena, struct app_cell *cell)
{
	static const char digits[] = "0123456789.";
	char number[64];
	struct bench_unit unit;
	cell->kind = APP_CELL_NUMBER;
	if (!cell->text && isfinite(cell->value))
		return;
	if (cell->text && bench_text_real(cell->text, &cell->value))
		return;
	cell->kind = cell->text && app_series_is_missing(cell->text) ? APP_CELL_MISSING : APP_CELL_ODD;
	cell->value = NAN;
	if (!cell->text || cell->kind == APP_CELL_MISSING)
		return;
	size_t length = strlen(cell->text);
	while (length > 0 && !strchr(digits, cell->text[length - 1]))
		length--;
	const char *rest = cell->text + length + strspn(cell->text + length, " ");
	snprintf(number, sizeof(number), "%.*s", length < sizeof(number) ? (int)length : 0, cell->text);
	if (!*rest || !bench_unit_parse(rest, &unit) || !bench_text_real(number, &cell->value))
		return;
	cell->kind = APP_CELL_NUMBER;
	cell->unit = bench_arena_string(arena, rest);
}

bool app_series_names(const char *name)
{
	static const char *const names[] = {"name", "metric", "benchmark", "bench",
					    "test", "case",   "command"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Are most of its values texts? */
static bool is_text(const struct app_column *column)
{
	size_t numbers = 0, texts = 0;
	for (size_t i = 0; i < column->count; i++) {
		numbers += column->cells[i].kind == APP_CELL_NUMBER;
		texts += column->cells[i].kind == APP_CELL_ODD;
	}
	return texts > 0 && texts >= numbers;
}

/* "benches.sort.unit" says which unit "benches.sort.value" is in. */
static void take_units(struct app_table *table)
{
	static const char value[] = "value";
	for (size_t v = 0; v < table->column_count; v++) {
		struct app_column *values = &table->columns[v], *units = NULL;
		const size_t length = strlen(values->name), stem = length - (length < 5 ? length : 5);
		if (strcasecmp(values->name + stem, value) != 0 ||
		    (stem > 0 && values->name[stem - 1] != '.'))
			continue;
		for (size_t u = 0; u < table->column_count && !units; u++)
			if (strncmp(table->columns[u].name, values->name, stem) == 0 &&
			    (strcasecmp(table->columns[u].name + stem, "unit") == 0 ||
			     strcasecmp(table->columns[u].name + stem, "units") == 0))
				units = &table->columns[u];
		if (!units)
			continue;
		units->role = APP_USED;
		for (size_t i = 0, u = 0; i < values->count; i++) {
			struct app_cell *cell = &values->cells[i];
			while (u < units->count && units->cells[u].row < cell->row)
				u++;
			if (u >= units->count || units->cells[u].row != cell->row)
				continue;
			const char *text = units->cells[u].text;
			cell->unit = !text || *cell->unit || app_series_is_missing(text) ? cell->unit : text;
			u += u + 1 < units->count && units->cells[u + 1].row == cell->row;
		}
	}
}

/* The values of one series: cells of a column. */
struct slice {
	struct app_cell **cells;
	size_t count;
};

/* What the unit of a cell is, whatever its prefix. *unit: so much of SI, where it is known. */
static const char *kind_of_unit(const struct app_cell *cell, struct bench_unit *unit)
{
	*unit = (struct bench_unit){.times = 1, .over = 1};
	return *cell->unit && bench_unit_parse(cell->unit, unit) ? unit->si : cell->unit;
}

/* The unit of most of the numbers: a majority vote. Cells of others are odd. False: most are no numbers. */
static bool choose_unit(const struct slice *slice, struct bench_unit *chosen, const char **kind)
{
	size_t votes = 0, numbers = 0, others = 0;
	struct bench_unit unit;
	char leading[sizeof(unit.si)] = "";
	*kind = "";
	for (size_t i = 0; i < slice->count; i++) {
		const struct app_cell *cell = slice->cells[i];
		if (cell->kind != APP_CELL_NUMBER)
			continue;
		const char *of = kind_of_unit(cell, &unit);
		if (votes == 0)
			snprintf(leading, sizeof(leading), "%s", of);
		votes = strcmp(leading, of) == 0 ? votes + 1 : votes - 1;
	}
	for (size_t i = 0; i < slice->count; i++) {
		struct app_cell *cell = slice->cells[i];
		const char *of = kind_of_unit(cell, &unit);
		if (cell->kind == APP_CELL_NUMBER && strcmp(of, leading) == 0) {
			numbers++;
			*chosen = unit;
			*kind = of == unit.si ? chosen->si : cell->unit;
		} else if (cell->kind != APP_CELL_MISSING) {
			cell->kind = APP_CELL_ODD;
			others++;
		}
	}
	return numbers > others;
}

static void add_lost(const struct app_table *table, const struct app_cell *cell, size_t lost,
		     struct bench_text *where)
{
	if (lost > PLACES)
		return;
	bench_text_add(where, "%s%s %zu: ", lost > 1 ? ", " : "", table->place_word,
		       table->places[cell->row]);
	if (cell->text && *cell->unit && !strstr(cell->text, cell->unit))
		bench_text_add(where, "'%.40s' in '%.40s'", cell->text, cell->unit);
	else if (cell->text)
		bench_text_add(where, "'%.60s'", cell->text);
	else if (isfinite(cell->value))
		bench_text_add(where, "'%.15g%s%.40s'", cell->value, *cell->unit ? " " : "", cell->unit);
	else
		bench_text_add(where, "a number larger than any can be");
}

/* How a series lies in the file. */
enum order { ORDER_KEPT, ORDER_TURNED, ORDER_SORTED };

struct timed {
	struct app_cell *cell;
	double time;
	size_t place;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
				  : (x->place > y->place) - (x->place < y->place);
}

/* Oldest first. A value whose time is not known stays behind the one before it. */
static enum order put_in_order(struct bench_arena *arena, const struct slice *slice, const double *times)
{
	struct timed *timed = bench_arena_alloc(arena, slice->count + 1, sizeof(*timed));
	bool rises = false, falls = false;
	double last = NAN;
	for (size_t i = 0; i < slice->count; i++) {
		const double time = times[slice->cells[i]->row];
		rises = rises || time > last;
		falls = falls || time < last;
		last = isnan(time) ? last : time;
		timed[i] = (struct timed){slice->cells[i], isnan(last) ? -INFINITY : last, i};
	}
	if (!falls)
		return ORDER_KEPT;
	if (rises)
		qsort(timed, slice->count, sizeof(*timed), by_time);
	for (size_t i = 0; i < slice->count; i++)
		slice->cells[i] = timed[rises ? i : slice->count - 1 - i].cell;
	return rises ? ORDER_SORTED : ORDER_TURNED;
}

struct builder {
	struct app_series_reader *reader;
	struct app_table *table;
	struct app_labels labels;
	const char **row_labels; /* NULL: there are none */
	size_t *row_names;       /* which of the names */
	const char **names;
	size_t name_count;
	size_t turned, sorted;
	struct bench_text unsearched;
	size_t unsearched_count;
};

static void add_unsearched(struct builder *builder, const struct app_column *column, const char *why)
{
	if (++builder->unsearched_count <= NAMED_MOST)
		bench_text_add(&builder->unsearched, "%s'%.60s' (%s)",
			       builder->unsearched_count > 1 ? ", " : "", column->name, why);
}

/* Which direction is better, by the unit of the cells or the one that the name states. */
static void state_direction(struct bench_app_series *series, const struct app_column *column,
			    const struct bench_unit *unit, const char *kind)
{
	struct bench_unit named;
	size_t stem;
	if (*kind)
		series->better = unit->better;
	else if (bench_unit_of_name(column->name, &stem, &named))
		series->better = named.better;
}

static int add_series(struct builder *builder, const struct app_column *column, const char *name,
		      const struct slice *slice, const struct bench_unit *unit, const char *kind)
{
	struct app_series_reader *reader = builder->reader;
	struct app_place named, whole;
	if (app_series_join(reader, builder->table->path, name, &named) != 0 ||
	    app_series_join(reader, named.path, column->name, &whole) != 0)
		return -1;
	struct bench_app_series *series =
		app_series_add(reader, *whole.path ? whole.path : "values", slice->count);
	if (!series)
		return -1;
	struct bench_text where = {0};
	const char **labels = bench_arena_alloc(reader->arena, slice->count + 1, sizeof(*labels));
	for (size_t i = 0; i < slice->count; i++) {
		const struct app_cell *cell = slice->cells[i];
		struct bench_unit own;
		series->values[i] = NAN;
		labels[i] = builder->row_labels ? builder->row_labels[cell->row] : "";
		if (cell->kind == APP_CELL_ODD)
			add_lost(builder->table, cell, ++series->lost, &where);
		if (cell->kind != APP_CELL_NUMBER)
			continue;
		kind_of_unit(cell, &own);
		series->values[i] = cell->value * own.times / own.over;
	}
	series->labels = builder->row_labels ? labels : NULL;
	series->unit = bench_arena_string(reader->arena, kind);
	series->lost_where = bench_text_keep(&where, reader->arena);
	state_direction(series, column, unit, kind);
	return 0;
}

static const char *why_not(struct builder *builder, const struct app_column *column)
{
	for (size_t i = 0; i < column->count; i++)
		if (column->cells[i].kind == APP_CELL_ODD && column->cells[i].text)
			return bench_arena_format(builder->reader->arena, "texts: '%.30s'",
						  column->cells[i].text);
	return "no values";
}

/* The cells of each name, in their order. */
static void divide(struct builder *builder, const struct app_column *column, struct slice *slices)
{
	struct bench_arena *arena = builder->reader->arena;
	for (size_t i = 0; i < column->count; i++)
		slices[builder->row_names[column->cells[i].row]].count++;
	for (size_t n = 0; n < builder->name_count; n++) {
		slices[n].cells = bench_arena_alloc(arena, slices[n].count + 1, sizeof(*slices[n].cells));
		slices[n].count = 0;
	}
	for (size_t i = 0; i < column->count; i++) {
		struct slice *slice = &slices[builder->row_names[column->cells[i].row]];
		slice->cells[slice->count++] = &column->cells[i];
	}
}

/* One series, or one of each name among the rows. */
static int add_column(struct builder *builder, const struct app_column *column)
{
	struct slice *slices =
		bench_arena_alloc(builder->reader->arena, builder->name_count, sizeof(*slices));
	const char *why = why_not(builder, column);
	size_t added = 0;
	divide(builder, column, slices);
	for (size_t n = 0; n < builder->name_count; n++) {
		struct bench_unit unit;
		const char *kind;
		if (!choose_unit(&slices[n], &unit, &kind))
			continue;
		if (builder->labels.times) {
			const enum order order =
				put_in_order(builder->reader->arena, &slices[n], builder->labels.times);
			builder->turned += order == ORDER_TURNED;
			builder->sorted += order == ORDER_SORTED;
		}
		if (add_series(builder, column, builder->names[n], &slices[n], &unit, kind) != 0)
			return -1;
		added++;
	}
	if (added == 0)
		add_unsearched(builder, column, why);
	return 0;
}

/* What the first cell of a row in the column says. */
static void label_rows(struct builder *builder, const struct app_column *column)
{
	struct bench_arena *arena = builder->reader->arena;
	size_t last = SIZE_MAX;
	for (size_t i = 0; column && i < column->count; i++) {
		const struct app_cell *cell = &column->cells[i];
		const char **label = &builder->row_labels[cell->row];
		if (cell->row == last)
			continue;
		last = cell->row;
		const char *text = cell->text ? cell->text : bench_arena_format(arena, "%.15g", cell->value);
		*label = bench_arena_format(arena, "%s%s%s", *label, **label && *text ? " " : "", text);
	}
}

/* Gives each row the name that its columns of names have: "sort.time". */
static int name_rows(struct builder *builder)
{
	struct app_series_reader *reader = builder->reader;
	struct app_table *table = builder->table;
	const char **of_rows = bench_arena_alloc(reader->arena, table->row_count + 1, sizeof(*of_rows));
	builder->row_names = bench_arena_alloc(reader->arena, table->row_count + 1, sizeof(size_t));
	for (size_t c = 0; c < table->column_count; c++) {
		struct app_column *column = &table->columns[c];
		if (column->role != APP_DATA || !app_series_names(column->name) || !is_text(column))
			continue;
		column->role = APP_NAME;
		for (size_t i = 0; i < column->count; i++) {
			const char **name = &of_rows[column->cells[i].row], *text = column->cells[i].text;
			struct app_place joined;
			if (app_series_join(reader, *name ? *name : "", text ? text : "", &joined) != 0)
				return -1;
			*name = bench_arena_string(reader->arena, joined.path);
		}
	}
	for (size_t r = 0, n = 0; r < table->row_count; r++) {
		const char *name = of_rows[r] ? of_rows[r] : "";
		for (size_t i = 0; i < builder->name_count; i++, n++)
			if (strcmp(builder->names[n % builder->name_count], name) == 0)
				break;
		if (builder->name_count == 0 || strcmp(builder->names[n % builder->name_count], name) != 0) {
			n = builder->name_count;
			*(const char **)bench_arena_push(reader->arena, &builder->names, &builder->name_count,
							 sizeof(name)) = name;
		}
		n %= builder->name_count;
		builder->row_names[r] = n++;
	}
	return 0;
}

static void say(struct builder *builder)
{
	struct app_series_reader *reader = builder->reader;
	const struct app_labels *labels = &builder->labels;
	const char *time = labels->time && *labels->time->name ? labels->time->name : "its label";
	for (size_t i = 0; i < 2; i++) {
		const size_t count = i == 0 ? builder->turned : builder->sorted;
		if (count > 0)
			app_series_note(reader, "%zu series %s by '%.60s': searched oldest first", count,
					i == 0       ? count == 1 ? "is newest first" : "are newest first"
					: count == 1 ? "is in no order"
						     : "are in no order",
					time);
	}
	if (builder->unsearched_count > NAMED_MOST)
		bench_text_add(&builder->unsearched, " and %zu more", builder->unsearched_count - NAMED_MOST);
	if (builder->unsearched_count > 0)
		app_series_note(reader, "not searched: %s", builder->unsearched.data);
}

static const char *why_label(const struct app_labels *labels, const struct app_column *column)
{
	return column == labels->time || column == labels->commit ? "labels the values" : "another label";
}

static int build(struct builder *builder)
{
	struct app_table *table = builder->table;
	struct app_series_reader *reader = builder->reader;
	const size_t before = reader->set->count;
	take_units(table);
	app_series_find_labels(reader, table, &builder->labels);
	if (builder->labels.time || builder->labels.commit) {
		builder->row_labels =
			bench_arena_alloc(reader->arena, table->row_count + 1, sizeof(*builder->row_labels));
		for (size_t r = 0; r < table->row_count; r++)
			builder->row_labels[r] = "";
		label_rows(builder, builder->labels.time);
		label_rows(builder, builder->labels.commit);
	}
	if (name_rows(builder) != 0)
		return -1;
	for (size_t c = 0; c < table->column_count; c++) {
		const struct app_column *column = &table->columns[c];
		if (column->role == APP_LABEL && !column->is_label)
			add_unsearched(builder, column, why_label(&builder->labels, column));
		if (column->role == APP_DATA && add_column(builder, column) != 0)
			return -1;
	}
	if (reader->set->count > before)
		say(builder);
	return 0;
}

int app_table_finish(struct app_series_reader *reader, struct app_table *table)
{
	struct builder builder = {.reader = reader, .table = table};
	const int result = table->row_count > 0 && table->column_count > 0 ? build(&builder) : 0;
	bench_text_free(&builder.unsearched);
	return result;
}
