/* Which columns say when values were measured, and of what: by their names and by what they hold. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/date.h"
#include "core/text.h"

#define COUNTED 3 /* numbers that rise prove a counter from so many on */

/* What a name promises. The vague ones are as often those of measurements: their values decide. */
enum promise { PROMISES_NOTHING, VAGUE_TIME, TIME, VAGUE_COMMIT, COMMIT };

static const struct {
	const char *word;
	enum promise promise;
} promises[] = {{"time", VAGUE_TIME},
		{"date", TIME},
		{"datetime", TIME},
		{"timestamp", TIME},
		{"ts", TIME},
		{"when", TIME},
		{"epoch", TIME},
		{"day", TIME},
		{"at", TIME},
		{"started", TIME},
		{"created", TIME},
		{"finished", TIME},
		{"commit", COMMIT},
		{"revision", COMMIT},
		{"rev", COMMIT},
		{"sha", COMMIT},
		{"sha1", COMMIT},
		{"hash", COMMIT},
		{"changeset", COMMIT},
		{"version", VAGUE_COMMIT},
		{"build", VAGUE_COMMIT},
		{"run", VAGUE_COMMIT},
		{"index", VAGUE_COMMIT},
		{"id", VAGUE_COMMIT},
		{"number", VAGUE_COMMIT},
		{"tag", VAGUE_COMMIT},
		{"release", VAGUE_COMMIT},
		{"iteration", VAGUE_COMMIT},
		{"column 1", VAGUE_COMMIT}};

static bool is_word(const char *text, size_t length, const char *word)
{
	const size_t whole = strlen(word);
	return strncasecmp(text, word, whole) == 0 &&
	       (length == whole || (length == whole + 1 && tolower((unsigned char)text[whole]) == 's'));
}

static enum promise find_promise(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++)
		if (is_word(text, length, promises[i].word))
			return promises[i].promise;
	return PROMISES_NOTHING;
}

/* By the last word: "commit_date", "startedAt"; of "commit.id" by the one before it. */
static enum promise promise_of(const char *name)
{
	const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
	const size_t length = strlen(last);
	enum promise promise = find_promise(last, length);
	for (const char *at = last + length; promise == PROMISES_NOTHING && at > last; at--) {
		const bool breaks = strchr(" _-", at[-1]) != NULL;
		if (breaks || (isupper((unsigned char)*at) && islower((unsigned char)at[-1]))) {
			promise = find_promise(at, strlen(at));
			break;
		}
	}
	if (dot && strcasecmp(last, "id") == 0) {
		const char *from = dot;
		while (from > name && from[-1] != '.')
			from--;
		if (find_promise(from, (size_t)(dot - from)) == COMMIT)
			return COMMIT;
	}
	return promise;
}

bool app_series_is_label_name(const char *name)
{
	const enum promise promise = promise_of(name);
	return promise == TIME || promise == COMMIT;
}

/* Seconds since 1970 that a number of seconds, or of a thousandth, millionth or billionth of one, is; NaN
 * where it would be before 2000 or behind 2100. */
static double epoch_of(double value)
{
	static const double parts[] = {1, 1e3, 1e6, 1e9};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (value / parts[i] >= 946684800 && value / parts[i] < 4102444800)
			return value / parts[i];
	return NAN;
}

/* The time that a cell says; NaN: none. *dated: it is written as a date, not as a number. */
static double time_of(const struct app_cell *cell, bool *dated)
{
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
	return epoch_of(cell->value);
}

bool app_series_is_hash(const char *text)
{
	const size_t length = strlen(text);
	return length >= 6 && length <= 64 && strspn(text, "0123456789abcdefABCDEF") == length;
}

/* What a column holds. */
struct content {
	size_t values;         /* that are not missing */
	size_t numbers, texts; /* of them; a date is a text */
	size_t dates, epochs;  /* texts and numbers that are times */
	size_t whole;          /* numbers without a fraction */
	size_t hashes;
	bool has_letter, has_digit; /* among the hashes */
	bool rises, falls, stays;   /* the numbers, from one to the next */
	bool even;                  /* by the same step */
};

static void look_at_number(struct content *content, const struct app_cell *cell, double *last, double *step)
{
	content->numbers++;
	content->whole += cell->value == floor(cell->value) && !*cell->unit;
	const double rise = cell->value - *last;
	content->rises = content->rises || rise > 0;
	content->falls = content->falls || rise < 0;
	content->stays = content->stays || rise == 0;
	content->even = content->even && (isnan(rise) || isnan(*step) || rise == *step);
	*step = isnan(rise) ? *step : rise;
	*last = cell->value;
}

static struct content look(const struct app_column *column)
{
	struct content content = {.even = true};
	double last = NAN, step = NAN;
	for (size_t i = 0; i < column->count; i++) {
		const struct app_cell *cell = &column->cells[i];
		bool dated;
		if (cell->kind == APP_CELL_MISSING)
			continue;
		const bool timed = !isnan(time_of(cell, &dated));
		content.values++;
		content.texts += cell->kind == APP_CELL_ODD;
		content.dates += dated;
		content.epochs += timed && !dated;
		if (cell->kind == APP_CELL_NUMBER)
			look_at_number(&content, cell, &last, &step);
		if (cell->text && app_series_is_hash(cell->text)) {
			content.hashes++;
			content.has_letter = content.has_letter || strpbrk(cell->text, "abcdefABCDEF");
			content.has_digit = content.has_digit || strpbrk(cell->text, "0123456789");
		}
	}
	return content;
}

/* How good a label a column is; 0: it is none. From STRONG on, it is one whatever else is there. */
struct judgement {
	bool is_commit;
	bool has_order; /* its values are times, or most of them are dates */
	int rank;
};
#define STRONG 10

/* `named`: several rows may be of one run. */
static struct judgement judge(const struct app_column *column, bool named)
{
	const enum promise promise = column->is_label ? TIME : promise_of(column->name);
	const struct content content = look(column);
	const bool all_numbers = content.values > 0 && content.numbers == content.values;
	const bool one_way = content.rises != content.falls && (named || !content.stays);
	const bool counts = all_numbers && one_way && content.values >= COUNTED;
	const bool timed = content.values > 0 && content.dates + content.epochs == content.values;
	const bool texts = content.texts > 0 && content.texts >= content.numbers;
	const bool hashes = content.values > 0 && content.hashes == content.values && content.has_letter &&
			    content.has_digit;

	const bool times = promise == TIME || promise == VAGUE_TIME;
	if (content.dates > 0 && (timed || (times && 2 * content.dates > content.values)))
		return (struct judgement){false, true, times ? 40 : 20};
	if (timed && (promise == TIME || (promise == VAGUE_TIME && counts)))
		return (struct judgement){false, true, 30};
	if (hashes)
		return (struct judgement){true, false, promise == COMMIT ? 40 : 20};
	if (times) {
		if (texts || column->is_label)
			return (struct judgement){column->is_label, false, 12};
		if (counts && (promise == TIME || content.even))
			return (struct judgement){false, true, 5};
	}
	if (promise == COMMIT && texts)
		return (struct judgement){true, false, 30};
	if (promise == VAGUE_COMMIT && texts)
		return (struct judgement){true, false, 10};
	if ((promise == COMMIT || promise == VAGUE_COMMIT) && counts && content.whole == content.values)
		return (struct judgement){true, false, promise == COMMIT ? 8 : 5};
	return (struct judgement){0};
}

/* The times of the rows. Numbers that are no times since 1970 are times since something else. */
static const double *read_times(struct app_series_reader *reader, const struct app_table *table,
				const struct app_column *column)
{
	double *times = bench_arena_alloc(reader->arena, table->row_count + 1, sizeof(*times));
	for (size_t r = 0; r < table->row_count; r++)
		times[r] = NAN;
	for (size_t i = 0; i < column->count; i++) {
		const struct app_cell *cell = &column->cells[i];
		bool dated;
		const double time = time_of(cell, &dated);
		if (isnan(times[cell->row]))
			times[cell->row] = isnan(time) ? cell->value : time;
		if (cell->kind == APP_CELL_ODD && !dated)
			app_series_note(reader, "%s %zu: '%.60s' in '%.60s' is no date", table->place_word,
					table->places[cell->row], cell->text ? cell->text : "", column->name);
	}
	return times;
}

/* Is there a column of numbers that is no label? */
static bool has_data(const struct app_table *table)
{
	for (size_t c = 0; c < table->column_count; c++)
		for (size_t i = 0; table->columns[c].role == APP_DATA && i < table->columns[c].count; i++)
			if (table->columns[c].cells[i].kind == APP_CELL_NUMBER)
				return true;
	return false;
}

void app_series_find_labels(struct app_series_reader *reader, struct app_table *table,
			    struct app_labels *labels)
{
	struct judgement *judged = bench_arena_alloc(reader->arena, table->column_count + 1, sizeof(*judged));
	size_t best[2] = {SIZE_MAX, SIZE_MAX};
	bool named = false;
	for (size_t c = 0; c < table->column_count; c++)
		named = named || app_series_names(table->columns[c].name);
	for (size_t c = 0; c < table->column_count; c++) {
		judged[c] = judge(&table->columns[c], named);
		if (judged[c].rank > 0 && table->columns[c].role == APP_DATA)
			table->columns[c].role = APP_LABEL;
	}
	/* Where nothing else has numbers, those that may be no label are what was measured. */
	const bool alone = !has_data(table);
	for (size_t c = 0; c < table->column_count; c++) {
		const size_t of = judged[c].is_commit;
		if (table->columns[c].role == APP_LABEL && alone && judged[c].rank < STRONG)
			table->columns[c].role = APP_DATA;
		if (table->columns[c].role == APP_LABEL &&
		    (best[of] == SIZE_MAX || judged[c].rank > judged[best[of]].rank))
			best[of] = c;
	}
	*labels = (struct app_labels){best[0] == SIZE_MAX ? NULL : &table->columns[best[0]],
				      best[1] == SIZE_MAX ? NULL : &table->columns[best[1]], NULL};
	if (labels->time && judged[best[0]].has_order)
		labels->times = read_times(reader, table, labels->time);
	else if (labels->time)
		app_series_note(reader, "'%.60s' has values that are no dates: the order is that of the file",
				labels->time->name);
}
