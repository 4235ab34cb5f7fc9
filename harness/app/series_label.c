/* SPDX-License-Identifier: MIT */
/* Which columns say when values were measured, and of what: by their names and by what they hold. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/date.h"
#include "core/text.h"

#define COUNTED 3 /* the fewest rising numbers that prove a counter */

/* What a name promises. The vague ones are as often those of measurements: their values decide. */
enum promise { PROMISES_NOTHING, VAGUE_TIME, TIME, VAGUE_COMMIT, COMMIT, NAME };

static const char *const promises[][12] = {
	[VAGUE_TIME] = {"time"},
	[TIME] = {"date", "datetime", "timestamp", "ts", "when", "epoch", "day", "at", "started", "created",
		  "finished"},
	[VAGUE_COMMIT] = {"version", "build", "run", "index", "id", "number", "tag", "release", "iteration"},
	[COMMIT] = {"commit", "revision", "rev", "sha", "sha1", "hash", "changeset"},
	[NAME] = {"name", "metric", "benchmark", "bench", "test", "case", "command"},
};

/* Also of the plural. */
static enum promise find_promise(const char *word, size_t length)
{
	for (size_t p = VAGUE_TIME; p <= NAME; p++)
		for (size_t i = 0; promises[p][i]; i++) {
			const size_t whole = strlen(promises[p][i]);
			if (strncasecmp(word, promises[p][i], whole) == 0 &&
			    (length == whole || (length == whole + 1 && (word[whole] | 0x20) == 's')))
				return (enum promise)p;
		}
	return PROMISES_NOTHING;
}

/* Where the last word before `end` begins: "commit_date", "startedAt", "commit.id". */
static const char *last_word(const char *name, const char *end)
{
	while (end > name && !strchr(" _-.", end[-1]) &&
	       !(isupper((unsigned char)*end) && islower((unsigned char)end[-1])))
		end--;
	return end;
}

static enum promise promise_of(const char *name)
{
	const char *const end = name + strlen(name), *const word = last_word(name, end);
	const char *const before = word - (word > name && strchr(" _-.", word[-1]) != NULL);
	const char *const first = last_word(name, before);
	if (strcmp(name, "column 1") == 0)
		return VAGUE_COMMIT;
	/* "commit.id" */
	const bool is_id =
		strcasecmp(word, "id") == 0 && find_promise(first, (size_t)(before - first)) == COMMIT;
	return is_id ? COMMIT : find_promise(word, (size_t)(end - word));
}

bool app_series_is_label_name(const char *name)
{
	const enum promise promise = promise_of(name);
	return promise == TIME || promise == COMMIT;
}

bool app_series_is_name(const char *name)
{
	return find_promise(name, strlen(name)) == NAME;
}

static const char digits[] = "0123456789";

bool app_series_is_hash(const char *text)
{
	const size_t length = strlen(text);
	return length >= 6 && length <= 64 && strspn(text, "0123456789abcdefABCDEF") == length;
}

/* The time that a cell says, in seconds since 1970; NaN: none. *dated: it is written as a date. */
static double time_of(const struct app_cell *cell, bool *dated)
{
	static const double parts[] = {1, 1e3, 1e6, 1e9};
	int64_t seconds;
	char text[32];
	*dated = cell->kind == APP_CELL_ODD && cell->text && bench_date_parse(cell->text, &seconds);
	if (*dated)
		return (double)seconds;
	if (cell->kind != APP_CELL_NUMBER || *cell->unit)
		return NAN;
	snprintf(text, sizeof(text), "%.0f", cell->value);
	if (strlen(text) == 8 && bench_date_parse(text, &seconds)) /* 20261120 */
		return (double)seconds;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) /* from 2000 to 2100 */
		if (cell->value / parts[i] >= 946684800 && cell->value / parts[i] < 4102444800)
			return cell->value / parts[i];
	return NAN;
}

/* What a column holds: how many values that are not missing, and of which kinds. */
struct content {
	size_t values, numbers, texts; /* a date is a text */
	size_t dates, times;           /* dates are times */
	size_t whole;                  /* numbers without a fraction or unit */
	size_t hashes, letters;        /* hashes with a letter among their digits */
	size_t rises, falls, steps;    /* from one number to the next; steps: as large as the one before */
};

static struct content look(const struct app_column *column)
{
	struct content content = {0};
	double last = NAN, step = NAN;
	for (size_t i = 0; i < column->count; i++) {
		const struct app_cell *cell = &column->cells[i];
		const bool is_hash = cell->text && app_series_is_hash(cell->text);
		bool dated;
		if (cell->kind == APP_CELL_MISSING)
			continue;
		content.values++;
		content.texts += cell->kind == APP_CELL_ODD;
		content.times += isnan(time_of(cell, &dated)) ? 0 : 1;
		content.dates += dated;
		content.hashes += is_hash;
		content.letters +=
			is_hash && strpbrk(cell->text, "abcdefABCDEF") && strpbrk(cell->text, digits);
		if (cell->kind != APP_CELL_NUMBER)
			continue;
		const double rise = cell->value - last;
		content.numbers++;
		content.whole += cell->value == floor(cell->value) && !*cell->unit;
		content.rises += rise > 0;
		content.falls += rise < 0;
		content.steps += rise == step;
		step = rise;
		last = cell->value;
	}
	return content;
}

/* How good a label a column is, of as good ones that with more values; 0: not a label. From STRONG on, it is
 * one whatever else is there. */
struct judgement {
	bool is_commit;
	bool has_order; /* its values are times, or most of them are dates */
	int rank;
};
#define STRONG 10

/* `named`: several rows may be of one run. */
static struct judgement judge(const struct app_column *column, const struct content *content, bool named)
{
	const enum promise promise = promise_of(column->name);
	const bool of_time = promise == TIME || promise == VAGUE_TIME;
	const bool of_commit = promise == COMMIT || promise == VAGUE_COMMIT;
	const size_t values = content->values, moves = content->rises + content->falls;
	const bool one_way = (moves == content->rises || moves == content->falls) && moves > 0;
	const bool counts =
		content->numbers == values && values >= COUNTED && one_way && (named || moves == values - 1);
	const bool timed = values > 0 && content->times == values;

	if (content->dates > 0 && (timed || (of_time && 2 * content->dates > values)))
		return (struct judgement){false, true, of_time ? 40 : 20};
	if (timed && (promise == TIME || (promise == VAGUE_TIME && counts)))
		return (struct judgement){false, true, 30};
	if (content->hashes == values && content->letters > 0)
		return (struct judgement){true, false, promise == COMMIT ? 40 : 20};
	if (of_time && column->is_text)
		return (struct judgement){false, false, 12};
	if (of_time && counts && (promise == TIME || content->steps == values - 2))
		return (struct judgement){false, true, 5};
	if (of_commit && column->is_text)
		return (struct judgement){true, false, promise == COMMIT ? 30 : 10};
	if (of_commit && counts && content->whole == values)
		return (struct judgement){true, false, promise == COMMIT ? 8 : 5};
	return (struct judgement){0};
}

/* The times of the rows. Numbers that are no times since 1970 are times since something else. */
static const double *read_times(const struct app_table *table, const struct app_column *column)
{
	double *times = bench_arena_alloc(table->reader->arena, table->row_count + 1, sizeof(*times));
	for (size_t r = 0, i = 0; r < table->row_count; r++) {
		const struct app_cell *cell =
			i < column->count && column->cells[i].row == r ? &column->cells[i++] : NULL;
		bool dated = false;
		times[r] = cell ? time_of(cell, &dated) : NAN;
		if (cell && isnan(times[r]))
			times[r] = cell->value;
		if (isnan(times[r]) && table->rows[r].outer != APP_NO_ROW)
			times[r] = times[table->rows[r].outer];
		if (cell && cell->kind == APP_CELL_ODD && !dated)
			app_series_note(table->reader, "%s %zu: '%.60s' in '%.60s' is no date",
					table->place_word, app_table_place(table, r),
					cell->text ? cell->text : "", column->name);
	}
	return times;
}

void app_series_find_labels(struct app_table *table, struct app_labels *labels)
{
	struct bench_arena *arena = table->reader->arena;
	struct judgement *judged = bench_arena_alloc(arena, table->column_count + 1, sizeof(*judged));
	size_t best[2] = {SIZE_MAX, SIZE_MAX}; /* of times, of commits */
	bool named = false, has_data = false;
	for (size_t c = 0; c < table->column_count; c++)
		named = named || app_series_is_name(table->columns[c].name);
	for (size_t c = 0; c < table->column_count; c++) {
		struct app_column *column = &table->columns[c];
		const struct content content = look(column);
		column->is_text = content.texts > 0 && content.texts >= content.numbers;
		judged[c] = judge(column, &content, named);
		if (judged[c].rank > 0 && column->role == APP_DATA)
			column->role = APP_LABEL;
		has_data = has_data || (column->role == APP_DATA && content.numbers > 0);
	}
	for (size_t c = 0; c < table->column_count; c++) {
		struct app_column *column = &table->columns[c];
		size_t *than = &best[judged[c].is_commit];
		/* Where nothing else has numbers, those that may be no label are what was measured. */
		if (column->role == APP_LABEL && !has_data && judged[c].rank < STRONG)
			column->role = APP_DATA;
		if (column->role == APP_LABEL &&
		    (*than == SIZE_MAX || judged[c].rank > judged[*than].rank ||
		     (judged[c].rank == judged[*than].rank && column->count > table->columns[*than].count)))
			*than = c;
	}
	*labels = (struct app_labels){best[0] == SIZE_MAX ? NULL : &table->columns[best[0]],
				      best[1] == SIZE_MAX ? NULL : &table->columns[best[1]], NULL};
	if (labels->time && judged[best[0]].has_order)
		labels->times = read_times(table, labels->time);
	else if (labels->time)
		app_series_note(table->reader,
				"'%.60s' has values that are no dates: the order is that of the file",
				labels->time->name);
}
