/* SPDX-License-Identifier: MIT */
/*
 * CSV by the names of its columns: a row a sample, or a row a case with a column a metric. A column whose
 * name does not say what it is is refused, and the user says it. Written, it holds all of a run's samples,
 * and reads back to the same.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/csv.h"
#include "interchange/internal.h"

#define ROWS_MOST    1000000
#define COLUMNS_MOST 200

/* What a column says. */
enum role {
	PARAMETER,
	NAME,
	SUITE,
	BACKEND,
	DEVICE,
	METRIC,
	UNIT,
	BETTER,
	VALUE,
	INVOCATION,
	DISTURBED,
	FLOPS,
	BYTES,
	ITEMS,
	ITERATIONS,
	STATUS,
	REASON,
	COMMIT,
	BRANCH,
	HOST,
	DATE,
	MEASURED, /* a metric by itself, whose unit its name states */
	SKIPPED,  /* the user says so */
	UNKNOWN,
	ROLES
};

static const struct {
	const char *column;
	enum role role;
} names[] = {
	{"name", NAME},
	{"benchmark", NAME},
	{"test", NAME},
	{"case", NAME},
	{"suite", SUITE},
	{"backend", BACKEND},
	{"device", DEVICE},
	{"metric", METRIC},
	{"unit", UNIT},
	{"better", BETTER},
	{"value", VALUE},
	{"sample", VALUE},
	{"invocation", INVOCATION},
	{"disturbed", DISTURBED},
	{"flops", FLOPS},
	{"bytes", BYTES},
	{"items", ITEMS},
	{"iterations", ITERATIONS},
	{"status", STATUS},
	{"reason", REASON},
	{"commit", COMMIT},
	{"revision", COMMIT},
	{"sha", COMMIT},
	{"branch", BRANCH},
	{"host", HOST},
	{"machine", HOST},
	{"date", DATE},
	{"started", DATE},
};

struct column {
	const char *name; /* of the parameter or the metric */
	enum role role;
	const char *unit; /* of a metric */
	struct bench_unit parsed;
	bool said; /* by the user */
};

struct table {
	struct interchange_reader *in;
	struct bench_csv csv;
	struct column *columns;
	size_t of[ROLES]; /* the column of each role; COLUMNS_MOST: there is none */
	bool doubtful;    /* a column may be a parameter or a result */
};

static bool is_csv(const struct interchange_reader *in)
{
	const char *data = in->file->data;
	const char *header = bench_arena_format(in->arena, "%.*s", (int)strcspn(data, "\r\n") % 4096, data);
	return !in->root && strpbrk(header, ",;\t") &&
	       (strcasestr(header, "name") || strcasestr(header, "benchmark") || strcasestr(header, "test") ||
		strcasestr(header, "suite"));
}

/* "FILE: line N: ..." */
#define FAIL_LINE(table, number, format, ...)                                                                \
	interchange_fail((table)->in, "line %zu: " format, number, __VA_ARGS__)

/* What the user says of the column (--column NAME=...); NULL: nothing. */
static const char *said_of(const struct table *table, const char *header)
{
	const struct bench_interchange_options *options = table->in->draft->options;
	const size_t length = strlen(header);
	for (size_t i = 0; i < options->column_count; i++)
		if (strncmp(options->columns[i], header, length) == 0 && options->columns[i][length] == '=')
			return options->columns[i] + length + 1;
	return NULL;
}

/* A metric whose name ends before the unit. Without a name it takes the unit's, as a rate of work does.
 */
static struct column measured(const struct table *table, const char *header, size_t stem,
			      const struct bench_unit *unit, const char *text)
{
	struct bench_arena *arena = table->in->arena;
	const bool counts = strcmp(unit->si, "item/s") == 0 && *unit->name;
	const char *name = stem == 0 ? bench_arena_string(arena, *unit->name ? unit->name : header)
				     : bench_arena_format(arena, "%.*s%s%s", (int)stem, header,
							  counts ? "_" : "", counts ? unit->name : "");
	return (struct column){.name = name, .role = MEASURED, .unit = text, .parsed = *unit};
}

static struct column said_column(const struct table *table, const char *header, const char *said)
{
	struct bench_unit unit = {.times = 1, .over = 1};
	size_t stem;
	if (strcmp(said, "param") == 0)
		return (struct column){.name = bench_arena_string(table->in->arena, header),
				       .role = PARAMETER};
	if (strcmp(said, "skip") == 0)
		return (struct column){.name = header, .role = SKIPPED};
	if (!bench_unit_of_name(header, &stem, &unit) || stem == 0)
		stem = strlen(header);
	bench_unit_parse(said, &unit);
	struct column column = measured(table, header, stem, &unit, said);
	column.said = true;
	return column;
}

static struct column column_of(const struct table *table, const char *header)
{
	static const char prefix[] = "param.";
	const char *name = bench_arena_string(table->in->arena, header), *said = said_of(table, header);
	struct bench_unit unit;
	size_t stem;
	if (said)
		return said_column(table, name, said);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(names[i].column, name) == 0)
			return (struct column){.name = names[i].column, .role = names[i].role};
	if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
		return (struct column){.name = name + sizeof(prefix) - 1, .role = PARAMETER};
	if (!bench_unit_of_name(name, &stem, &unit))
		return (struct column){.name = name, .role = UNKNOWN};
	/* In SI already, except for units that the grammar does not know, which keep their text. */
	struct column column =
		measured(table, name, stem, &unit, bench_arena_string(table->in->arena, unit.si));
	return column;
}

/* Columns that are one metric are told apart by their units, or contradict each other. */
static int tell_columns_apart(struct table *table, size_t line)
{
	struct column *columns = table->columns;
	for (size_t a = 0; a < table->csv.column_count; a++)
		for (size_t b = 0; b < a; b++) {
			if (columns[a].role != columns[b].role || columns[a].role != MEASURED ||
			    strcasecmp(columns[a].name, columns[b].name) != 0)
				continue;
			if (strcmp(columns[a].parsed.si, columns[b].parsed.si) == 0)
				return FAIL_LINE(table, line,
						 "columns '%.60s' and '%.60s' are one metric: "
						 "--column NAME=skip leaves one out",
						 table->csv.rows[0].fields[b], table->csv.rows[0].fields[a]);
			for (size_t i = 0; i < 2; i++) {
				struct column *column = &columns[i ? a : b];
				column->name = bench_arena_format(table->in->arena, "%s_%s", column->name,
								  column->parsed.name);
			}
		}
	return 0;
}

/* What is no result and no parameter by its name is not taken for one. */
static int refuse_unknown(struct table *table, size_t line)
{
	BENCH_SCOPED_TEXT list = {0};
	const char *first = NULL;
	for (size_t c = 0; c < table->csv.column_count; c++) {
		struct column *column = &table->columns[c];
		/* Beside a column of values there are no others. */
		if (column->role == MEASURED && !column->said && table->of[VALUE] != COLUMNS_MOST)
			column->role = UNKNOWN;
		if (column->role != UNKNOWN)
			continue;
		bench_text_add(&list, "%s'%.60s'", first ? ", " : "", table->csv.rows[0].fields[c]);
		first = first ? first : table->csv.rows[0].fields[c];
	}
	if (!first)
		return 0;
	FAIL_LINE(table, line,
		  "nothing says what %.300s holds: --column '%.40s=param' (a parameter), '%.40s=ms' "
		  "(a result in that unit) or '%.40s=skip'; or call it 'param.%.40s' or '%.40s [ms]'",
		  list.data, first, first, first, first, first);
	return -1;
}

static int read_header(struct table *table)
{
	const struct bench_csv_row *header = table->csv.rows;
	table->columns =
		bench_arena_alloc(table->in->arena, table->csv.column_count, sizeof(*table->columns));
	for (size_t role = 0; role < ROLES; role++)
		table->of[role] = COLUMNS_MOST;
	for (size_t c = 0; c < table->csv.column_count; c++) {
		const struct column column = column_of(table, header->fields[c]);
		const bool may_repeat = column.role == PARAMETER || column.role >= MEASURED;
		if (!may_repeat && table->of[column.role] != COLUMNS_MOST)
			return FAIL_LINE(table, header->line, "two columns are the %s", column.name);
		table->of[column.role] = c;
		table->columns[c] = column;
	}
	if (table->of[NAME] == COLUMNS_MOST && table->of[SUITE] == COLUMNS_MOST)
		return interchange_fail(table->in,
					"line %zu: no column is called name, benchmark, test or case",
					header->line);
	if (refuse_unknown(table, header->line) != 0 || tell_columns_apart(table, header->line) != 0)
		return -1;
	if (table->of[VALUE] == COLUMNS_MOST && table->of[MEASURED] == COLUMNS_MOST)
		return interchange_fail(
			table->in,
			"line %zu: no column is called value, and none has a unit, as in 'time [ms]'",
			header->line);
	return 0;
}

/* The field of that role, or "". */
static const char *field(const struct table *table, const struct bench_csv_row *row, enum role role)
{
	return table->of[role] == COLUMNS_MOST ? "" : row->fields[table->of[role]];
}

static int number(const struct table *table, const struct bench_csv_row *row, enum role role, double *value)
{
	const char *text = field(table, row, role);
	*value = 0;
	if (!*text || bench_text_real(text, value))
		return 0;
	return FAIL_LINE(table, row->line, "'%.60s' in column '%.60s' is no number", text,
			 table->columns[table->of[role]].name);
}

static int read_facts(struct table *table, const struct bench_csv_row *row)
{
	struct interchange_reader *in = table->in;
	const char *host = field(table, row, HOST), *date = field(table, row, DATE);
	const char *known = bench_record_fact(in->draft->run, "name");
	int64_t started;
	if (*host && *known && strcmp(host, known) != 0)
		return FAIL_LINE(table, row->line,
				 "is of host '%.60s', and lines before it of '%.60s': a run has one", host,
				 known);
	interchange_fact(in, "name", host);
	if (*date && !bench_date_parse(date, &started))
		return FAIL_LINE(table, row->line, "'%.60s' is no date (2026-11-20T23:15:03+01:00)", date);
	if (*date)
		interchange_started(in, started);
	return interchange_commit(in, field(table, row, COMMIT), field(table, row, BRANCH), false);
}

/* The case of the row, without its parameters. */
static struct interchange_case new_case(const struct table *table, const struct bench_csv_row *row,
					bool keyed)
{
	const struct interchange_reader *in = table->in;
	const char *name = field(table, row, NAME);
	const bool whole = keyed || table->of[PARAMETER] != COLUMNS_MOST;
	struct interchange_case fresh =
		whole ? interchange_case(in, name, name) : interchange_split(in, name);
	/* The key has the parameter name, too, where it has one. */
	if (keyed)
		fresh.param_count = 0;
	if (keyed && !*name)
		fresh.note_count = 0;
	if (*field(table, row, SUITE) && !in->draft->options->suite)
		fresh.suite = field(table, row, SUITE);
	if (*field(table, row, BACKEND))
		fresh.backend = field(table, row, BACKEND);
	if (*field(table, row, DEVICE))
		fresh.device = field(table, row, DEVICE);
	return fresh;
}

/* Columns that an export of bench has bring a case back under its own key. */
static bool is_keyed(const struct table *table)
{
	return table->of[SUITE] != COLUMNS_MOST && table->of[BACKEND] != COLUMNS_MOST &&
	       table->of[DEVICE] != COLUMNS_MOST;
}

static int read_status(struct table *table, const struct bench_csv_row *row, struct interchange_case *to)
{
	const char *text = field(table, row, STATUS);
	enum bench_status status;
	if (!*text)
		return 0;
	if (!bench_record_status_parse(text, &status))
		return FAIL_LINE(table, row->line, "'%.60s' is no status", text);
	interchange_end(to, status, bench_arena_string(table->in->arena, field(table, row, REASON)));
	return 0;
}

/* A number of the case, which all of its rows have alike. */
static int read_once(struct table *table, const struct bench_csv_row *row, enum role role, double *kept)
{
	double value;
	if (number(table, row, role, &value) != 0)
		return -1;
	if (value < 0 || (value > 0 && *kept > 0 && value != *kept))
		return FAIL_LINE(table, row->line, "%s is %g, and %s", table->columns[table->of[role]].name,
				 value, value < 0 ? "nothing is below 0" : "was another number before");
	*kept = value > 0 ? value : *kept;
	return 0;
}

static int read_work(struct table *table, const struct bench_csv_row *row, struct interchange_case *to)
{
	double iterations = 0;
	if (read_once(table, row, FLOPS, &to->work.flops) != 0 ||
	    read_once(table, row, BYTES, &to->work.bytes) != 0 ||
	    read_once(table, row, ITEMS, &to->work.items) != 0 ||
	    read_once(table, row, ITERATIONS, &iterations) != 0)
		return -1;
	if (iterations > 0)
		to->iterations = interchange_iterations(iterations);
	return 0;
}

static int read_flag(const struct table *table, const struct bench_csv_row *row, enum role role, bool *flag)
{
	static const char *const words[] = {"", "0", "false", "no", "1", "true", "yes"};
	const char *text = field(table, row, role);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i], text) == 0) {
			*flag = i > 3;
			return 0;
		}
	return FAIL_LINE(table, row->line, "'%.60s' in column '%.60s' is neither 1 nor 0", text,
			 table->columns[table->of[role]].name);
}

static int read_invocation(const struct table *table, const struct bench_csv_row *row, int *invocation)
{
	double value;
	if (number(table, row, INVOCATION, &value) != 0)
		return -1;
	if (!(value >= 0 && value < 10000) || value != floor(value))
		return FAIL_LINE(table, row->line, "invocation %g is no whole number below 10000", value);
	*invocation = (int)value;
	return 0;
}

/* A sample with what else the row says of it. */
static int add_sample(struct table *table, const struct bench_csv_row *row, struct interchange_case *to,
		      const struct interchange_quantity *quantity, double value)
{
	int invocation = 0;
	bool disturbed = false;
	if (read_invocation(table, row, &invocation) != 0 ||
	    read_flag(table, row, DISTURBED, &disturbed) != 0 ||
	    interchange_sample(table->in, to, quantity, invocation, value) != 0)
		return -1;
	to->last->disturbed = disturbed;
	return 0;
}

/* A value of the column VALUE, whose metric, unit and direction other columns say; or the metric's name does.
 */
static int read_value(struct table *table, const struct bench_csv_row *row, struct interchange_case *to)
{
	const char *metric = field(table, row, METRIC), *better = field(table, row, BETTER);
	const char *stated = field(table, row, UNIT);
	struct bench_unit unit;
	size_t stem;
	double value;
	if (!*stated && bench_unit_of_name(metric, &stem, &unit))
		stated = bench_arena_string(table->in->arena, unit.si);
	else
		unit = (struct bench_unit){.times = 1, .over = 1};
	struct interchange_quantity quantity = {*metric ? metric : "value", stated, BENCH_BETTER_NONE,
						*better ? INTERCHANGE_SAID : INTERCHANGE_BY_UNIT};
	if (!*field(table, row, VALUE))
		return 0;
	if (*better && !bench_record_better_parse(better, &quantity.better))
		return FAIL_LINE(table, row->line, "'%.60s' is none of lower, higher, none", better);
	return number(table, row, VALUE, &value) != 0
		       ? -1
		       : add_sample(table, row, to, &quantity, value * unit.times / unit.over);
}

/*
 * Rows of one name that differ in a column that has no direction: samples of a result, or cases of a
 * parameter? Only the user knows.
 */
static int refuse_doubtful(struct table *table, const struct bench_csv_row *row, size_t c,
			   const struct interchange_case *to, double value)
{
	const struct column *column = &table->columns[c];
	const char *name = interchange_identifier(table->in->arena, column->name, 48);
	const char *header = table->csv.rows[0].fields[c];
	for (size_t m = 0; m < to->metric_count && !column->said; m++) {
		const struct interchange_metric *metric = &to->metrics[m];
		if (strcmp(metric->name, name) != 0 || metric->better != BENCH_BETTER_NONE ||
		    metric->count == 0 || metric->values[metric->count - 1].value == value)
			continue;
		table->doubtful = true;
		return FAIL_LINE(table, row->line,
				 "'%.60s' differs between rows that are called the same: a "
				 "parameter (--column '%.60s=param'), or a result (--column '%.60s=%s')?",
				 header, header, header, column->unit);
	}
	return 0;
}

static int read_measured(struct table *table, const struct bench_csv_row *row, struct interchange_case *to)
{
	for (size_t c = 0; c < table->csv.column_count; c++) {
		const struct column *column = &table->columns[c];
		const struct interchange_quantity quantity = {column->name,
							      column->said ? column->unit : column->parsed.si,
							      BENCH_BETTER_NONE, INTERCHANGE_BY_UNIT};
		double value;
		if (column->role != MEASURED || !*row->fields[c])
			continue;
		if (!bench_text_real(row->fields[c], &value))
			return FAIL_LINE(table, row->line, "'%.60s' in column '%.60s' is no number",
					 row->fields[c], column->name);
		if (!column->said)
			value = value * column->parsed.times / column->parsed.over;
		if (refuse_doubtful(table, row, c, to, value) != 0 ||
		    add_sample(table, row, to, &quantity, value) != 0)
			return -1;
	}
	return 0;
}

static int read_row(struct table *table, const struct bench_csv_row *row)
{
	const bool keyed = is_keyed(table);
	struct interchange_case fresh = new_case(table, row, keyed);
	for (size_t c = 0; c < table->csv.column_count; c++)
		if (table->columns[c].role == PARAMETER)
			(keyed ? interchange_own_param : interchange_param)(
				table->in, &fresh, table->columns[c].name, row->fields[c]);
	struct interchange_case *to = interchange_enter(table->in, fresh, true);
	if (!to || read_status(table, row, to) != 0 || read_work(table, row, to) != 0)
		return -1;
	return table->of[VALUE] != COLUMNS_MOST ? read_value(table, row, to) : read_measured(table, row, to);
}

static int read_csv(struct interchange_reader *in)
{
	struct table table = {.in = in};
	char *data = bench_arena_string(in->arena, in->file->data);
	if (bench_csv_read(data, in->file->path, ROWS_MOST, COLUMNS_MOST - 1, in->arena, &table.csv,
			   in->error) != 0)
		return -1;
	if (table.csv.row_count == 0)
		return 0;
	if (read_header(&table) != 0)
		return -1;
	for (size_t r = 1; r < table.csv.row_count; r++) {
		if (read_facts(&table, &table.csv.rows[r]) != 0)
			return -1;
		const int result = read_row(&table, &table.csv.rows[r]);
		if (table.doubtful)
			return -1;
		interchange_settle(in, bench_arena_format(in->arena, "line %zu", table.csv.rows[r].line),
				   result);
	}
	return 0;
}

/* Writing. */

static void add_number(struct bench_text *out, double value)
{
	if (isfinite(value) && value != 0)
		bench_text_add(out, "%.17g", value);
}

/* The names of all parameters, in the order in which they come. */
static char **all_params(struct bench_arena *arena, const struct bench_run *run, size_t *count)
{
	char **list = NULL;
	*count = 0;
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t p = 0; p < run->results[i].param_count; p++)
			bench_text_find_or_add(arena, &list, count, sizeof(char *),
					       run->results[i].params[p].name);
	return list;
}

struct writer {
	const struct bench_run *run;
	char **params;
	size_t param_count;
	struct bench_text *out;
	char date[32];
};

/* What a row has before its metric, and behind its sample. */
static void add_case(const struct writer *writer, const struct bench_result *result)
{
	struct bench_text *out = writer->out;
	const char *const texts[] = {bench_record_note(result, "name"), result->suite, result->backend,
				     result->device};
	for (size_t i = 0; i < 4; i++) {
		interchange_add_field(out, texts[i]);
		bench_text_add(out, ",");
	}
	for (size_t p = 0; p < writer->param_count; p++) {
		interchange_add_field(out, bench_record_param(result, writer->params[p]));
		bench_text_add(out, ",");
	}
}

static void add_run(const struct writer *writer, const struct bench_result *result)
{
	const struct bench_run *run = writer->run;
	struct bench_text *out = writer->out;
	const double work[] = {result->work.flops, result->work.bytes, result->work.items,
			       (double)result->iterations};
	const bool ok = result->status == BENCH_STATUS_OK;
	const char *const texts[] = {ok ? "" : bench_record_status_name(result->status),
				     result->reason,
				     run->git.commit,
				     run->git.branch,
				     bench_record_fact(run, "name"),
				     writer->date};
	for (size_t i = 0; i < 4; i++) {
		bench_text_add(out, ",");
		add_number(out, work[i]);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		bench_text_add(out, ",");
		interchange_add_field(out, texts[i]);
	}
	bench_text_add(out, "\n");
}

static void add_samples(const struct writer *writer, const struct bench_result *result,
			const struct bench_metric *metric)
{
	for (size_t s = 0; s < metric->series_count; s++)
		for (size_t i = 0; i < metric->series[s].count; i++) {
			const struct bench_series *series = &metric->series[s];
			add_case(writer, result);
			bench_text_add(writer->out, "%s,", metric->name);
			interchange_add_field(writer->out, metric->unit);
			bench_text_add(writer->out, ",%s,%d,%s,%.17g",
				       bench_record_better_name(metric->better), series->invocation,
				       series->disturbed && series->disturbed[i] ? "1" : "",
				       series->values[i]);
			add_run(writer, result);
		}
}

static void write_csv(const struct bench_run *run, struct bench_interchange_notes *notes,
		      struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct writer writer = {.run = run, .out = out};
	writer.params = all_params(&arena, run, &writer.param_count);
	interchange_utc(run->started, writer.date);
	bench_text_add(out, "name,suite,backend,device,");
	for (size_t p = 0; p < writer.param_count; p++)
		bench_text_add(out, "param.%s,", writer.params[p]);
	bench_text_add(out, "metric,unit,better,invocation,disturbed,value,flops,bytes,items,iterations,"
			    "status,reason,commit,branch,host,date\n");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		for (size_t m = 0; m < result->metric_count; m++)
			if (interchange_is_measured(&result->metrics[m]))
				add_samples(&writer, result, &result->metrics[m]);
		if (result->metric_count == 0) {
			add_case(&writer, result);
			bench_text_add(out, ",,,,,");
			add_run(&writer, result);
		}
	}
	interchange_say(notes, "csv has no checks, notes, labels, devices or facts of the host but its name");
}

INTERCHANGE_FORMAT(csv, is_csv, read_csv, write_csv);
