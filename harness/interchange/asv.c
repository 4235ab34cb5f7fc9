/* asv, airspeed velocity: a file of results/MACHINE/, with benchmarks.json beside the folder for units. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "interchange/internal.h"
#include "stats/stats.h"

#define PARAMS_MOST 16

static const char *const columns[] = {"result",     "params",        "version",       "started_at",
				      "duration",   "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
				      "stats_q_75", "stats_number",  "stats_repeat",  "samples"};
enum { RESULT, PARAMS, VERSION, NUMBER = 9, SAMPLES = 11, COLUMNS };

static bool is_asv(const struct interchange_reader *in)
{
	return cJSON_HasObjectItem(in->root, "result_columns") &&
	       cJSON_HasObjectItem(in->root, "commit_hash");
}

/* benchmarks.json, which has the units; NULL where it is not there. */
static cJSON *read_benchmarks(const struct interchange_reader *in)
{
	const char *slash = strrchr(in->file->path, '/');
	char *path = bench_arena_format(in->arena, "%.*s../benchmarks.json",
					slash ? (int)(slash + 1 - in->file->path) : 0, in->file->path);
	struct bench_error ignored;
	char *data;
	size_t length;
	if (bench_file_read(path, BENCH_INTERCHANGE_BYTES, &data, &length, &ignored) != 0)
		return NULL;
	cJSON *benchmarks = bench_json_parse(data, length, path, &ignored);
	free(data);
	return benchmarks;
}

/* By the unit that is declared, else by asv's own rule on names: what begins with time_ is seconds. */
static struct interchange_quantity quantity_of(const cJSON *benchmarks, const char *name)
{
	static const struct {
		const char *prefix;
		struct interchange_quantity quantity;
	} kinds[] = {{"timeraw_", {"time", "seconds", BENCH_BETTER_LOWER, false}},
		     {"time_", {"time", "seconds", BENCH_BETTER_LOWER, false}},
		     {"peakmem_", {"peak_memory", "bytes", BENCH_BETTER_LOWER, false}},
		     {"mem_", {"memory", "bytes", BENCH_BETTER_LOWER, false}}};
	const char *dot = strrchr(name, '.'), *method = dot ? dot + 1 : name;
	const cJSON *benchmark = cJSON_GetObjectItemCaseSensitive(benchmarks, name);
	const char *type = bench_json_string_or(benchmark, "type", "");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t length = strlen(kinds[i].prefix);
		if (strncmp(method, kinds[i].prefix, length) == 0 ||
		    (strlen(type) + 1 == length && strncmp(type, kinds[i].prefix, length - 1) == 0))
			return kinds[i].quantity;
	}
	return (struct interchange_quantity){"value", bench_json_string_or(benchmark, "unit", ""),
					     BENCH_BETTER_NONE, true};
}

/* The item of a column; NULL: the row ends before it. */
static const cJSON *cell(const struct interchange_reader *in, const cJSON *row, const char *column)
{
	const cJSON *name;
	int at = 0;
	cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(in->root, "result_columns"))
	{
		if (cJSON_IsString(name) && strcmp(name->valuestring, column) == 0)
			return cJSON_GetArrayItem(row, at);
		at++;
	}
	return NULL;
}

/* The parameters of the index-th combination: the last one changes fastest. */
static int add_params(const struct interchange_reader *in, const cJSON *params, const cJSON *names,
		      size_t index, struct interchange_case *to)
{
	const int count = cJSON_GetArraySize(params);
	if (count > PARAMS_MOST)
		return interchange_fail(in, "more than %d parameters", PARAMS_MOST);
	const char *values[PARAMS_MOST];
	for (int i = count; i > 0; i--) {
		const cJSON *list = cJSON_GetArrayItem(params, i - 1);
		const size_t size = (size_t)cJSON_GetArraySize(list);
		const cJSON *value = size ? cJSON_GetArrayItem(list, (int)(index % size)) : NULL;
		if (!value || !cJSON_IsString(value))
			return interchange_fail(in, "a list of parameters holds what is no text");
		values[i - 1] = value->valuestring;
		index /= size;
	}
	for (int i = 0; i < count; i++) {
		const cJSON *name = cJSON_GetArrayItem(names, i);
		interchange_param(in, to,
				  cJSON_IsString(name) ? name->valuestring
						       : bench_arena_format(in->arena, "arg%d", i),
				  values[i]);
	}
	return 0;
}

/* "bench.time_sort(10, 'x')", as asv itself lists it. */
static const char *title_of(const struct interchange_reader *in, const char *name,
			    const struct interchange_case *of)
{
	struct bench_text title = {0};
	bench_text_add(&title, "%s", name);
	for (size_t i = 1; i < of->param_count; i++) {
		char key[64];
		snprintf(key, sizeof(key), "value.%s", of->params[i].name);
		const char *value = bench_record_attribute_get(of->notes, of->note_count, key);
		bench_text_add(&title, "%s%s", i == 1 ? "(" : ", ", *value ? value : of->params[i].value);
	}
	bench_text_add(&title, "%s", of->param_count > 1 ? ")" : "");
	return bench_text_keep(&title, in->arena);
}

static int read_samples(struct interchange_reader *in, const cJSON *result, const cJSON *samples,
			const struct interchange_quantity *quantity, struct interchange_case *to)
{
	const cJSON *sample;
	if (!cJSON_IsNumber(result)) {
		/* NaN is what raised NotImplementedError. */
		interchange_end(to, cJSON_IsString(result) ? BENCH_STATUS_SKIPPED : BENCH_STATUS_FAILED,
				"asv has no result of it");
		return 0;
	}
	if (!cJSON_IsArray(samples) || !samples->child) {
		interchange_say(
			in->draft->notes,
			"%s has no samples of some benchmarks (asv run --record-samples): their median "
			"stands as one",
			in->file->path);
		return interchange_sample(in, to, quantity, 0, result->valuedouble);
	}
	cJSON_ArrayForEach(sample, samples)
	{
		if (!cJSON_IsNumber(sample))
			return interchange_fail(in, "'%.100s' has a sample that is no number", to->id);
		if (interchange_sample(in, to, quantity, 0, sample->valuedouble) != 0)
			return -1;
	}
	return 0;
}

static int read_combination(struct interchange_reader *in, const cJSON *row, const cJSON *benchmarks,
			    size_t index)
{
	const char *name = row->string;
	const struct interchange_quantity quantity = quantity_of(benchmarks, name);
	const cJSON *names = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(benchmarks, name), "param_names");
	const cJSON *number = cJSON_GetArrayItem(cell(in, row, columns[NUMBER]), (int)index);
	const cJSON *version = cell(in, row, columns[VERSION]);
	struct interchange_case fresh = interchange_case(in, name, name);
	if (add_params(in, cell(in, row, columns[PARAMS]), names, index, &fresh) != 0)
		return -1;
	interchange_note(in, &fresh, "name", title_of(in, name, &fresh));
	interchange_note(in, &fresh, "benchmark", name);
	if (cJSON_IsString(version))
		interchange_note(in, &fresh, "version", version->valuestring);
	if (cJSON_IsNumber(number) && number->valuedouble >= 1 && number->valuedouble < 1e15)
		fresh.iterations = (uint64_t)number->valuedouble;
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	return to ? read_samples(in, cJSON_GetArrayItem(cell(in, row, columns[RESULT]), (int)index),
				 cJSON_GetArrayItem(cell(in, row, columns[SAMPLES]), (int)index), &quantity,
				 to)
		  : -1;
}

/* As many combinations as the lists of parameters make; one, where there are none. */
static int read_row(struct interchange_reader *in, const cJSON *row, const cJSON *benchmarks)
{
	const cJSON *list;
	size_t combinations = 1;
	if (!cJSON_IsArray(row))
		return interchange_fail(in, "results.'%.100s' is no list", row->string);
	cJSON_ArrayForEach(list, cell(in, row, columns[PARAMS]))
	{
		const size_t size = (size_t)cJSON_GetArraySize(list);
		if (size == 0 || size > BENCH_INTERCHANGE_CASES || combinations > BENCH_INTERCHANGE_CASES)
			return interchange_fail(in, "'%.100s' has no values of a parameter, or more than %d",
						row->string, BENCH_INTERCHANGE_CASES);
		combinations *= size;
	}
	if (combinations > BENCH_INTERCHANGE_CASES)
		return interchange_fail(in, "'%.100s' has more than %d combinations of parameters",
					row->string, BENCH_INTERCHANGE_CASES);
	for (size_t i = 0; i < combinations; i++)
		if (read_combination(in, row, benchmarks, i) != 0)
			return -1;
	return 0;
}

static int read_facts(struct interchange_reader *in)
{
	const cJSON *params = cJSON_GetObjectItemCaseSensitive(in->root, "params"), *item;
	const cJSON *requirements = cJSON_GetObjectItemCaseSensitive(in->root, "requirements");
	const double date = bench_json_number_or(in->root, "date", 0);
	interchange_fact(in, "name", bench_json_string_or(params, "machine", ""));
	interchange_fact(in, "cpu", bench_json_string_or(params, "cpu", ""));
	interchange_fact(in, "processors", bench_json_string_or(params, "num_cpu", ""));
	interchange_fact(in, "os", bench_json_string_or(params, "os", ""));
	interchange_fact(in, "lib.python", bench_json_string_or(in->root, "python", ""));
	cJSON_ArrayForEach(item, requirements)
	{
		if (cJSON_IsString(item) && in->draft->run->host_count < 100)
			interchange_fact(in, bench_arena_format(in->arena, "lib.%.50s", item->string),
					 item->valuestring);
	}
	interchange_label(in, "environment", bench_json_string_or(in->root, "env_name", ""));
	if (date > 0 && date < 1e15)
		interchange_started(in, (int64_t)(date / 1000));
	return interchange_commit(in, bench_json_string_or(in->root, "commit_hash", ""), "", false);
}

static int read_asv(struct interchange_reader *in)
{
	const cJSON *results, *row;
	int result = 0;
	if (bench_json_object(in->root, "results", in->file->path, &results, in->error) != 0 ||
	    read_facts(in) != 0)
		return -1;
	cJSON *benchmarks = read_benchmarks(in);
	cJSON_ArrayForEach(row, results)
	{
		result = read_row(in, row, benchmarks);
		if (result != 0)
			break;
	}
	cJSON_Delete(benchmarks);
	return result;
}

/* Writing: a row has all combinations of a benchmark where these are a whole grid; else each has its own. */

struct row {
	const char *name;
	const struct bench_result **results;
	size_t count;
	struct bench_attribute **params; /* of each result */
	size_t param_count;
	bool uneven;  /* not all have as many */
	cJSON *lists; /* the values of each parameter */
};

static void write_facts(const struct bench_run *run, cJSON *root)
{
	static const char prefix[] = "lib.";
	const char *environment = bench_record_attribute_get(run->labels, run->label_count, "environment");
	cJSON_AddStringToObject(root, "commit_hash", run->git.commit);
	cJSON_AddStringToObject(root, "env_name", *environment ? environment : "bench");
	interchange_add_number(root, "date", (double)run->started * 1000);
	cJSON *params = cJSON_AddObjectToObject(root, "params");
	cJSON_AddStringToObject(params, "machine", interchange_host(run, "name"));
	cJSON_AddStringToObject(params, "cpu", interchange_host(run, "cpu"));
	cJSON_AddStringToObject(params, "num_cpu", interchange_host(run, "processors"));
	cJSON_AddStringToObject(params, "os", interchange_host(run, "os"));
	cJSON_AddStringToObject(root, "python", interchange_host(run, "lib.python"));
	cJSON *requirements = cJSON_AddObjectToObject(root, "requirements");
	for (size_t i = 0; i < run->host_count; i++)
		if (strncmp(run->host[i].name, prefix, sizeof(prefix) - 1) == 0 &&
		    strcmp(run->host[i].name, "lib.python") != 0)
			cJSON_AddStringToObject(requirements, run->host[i].name + sizeof(prefix) - 1,
						run->host[i].value);
	cJSON_AddObjectToObject(root, "env_vars");
	cJSON_AddItemToObject(root, "result_columns", cJSON_CreateStringArray(columns, COLUMNS));
}

/* The one metric that asv has of the result; NULL: none fits. */
static const struct bench_metric *metric_of(const struct bench_result *result)
{
	static const char *const names[] = {"time", "peak_memory", "memory", "value"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct bench_metric *metric = bench_record_metric(result, names[i]);
		if (metric && interchange_is_measured(metric))
			return metric;
	}
	return NULL;
}

static int position_in(const cJSON *list, const char *value)
{
	const cJSON *item;
	int at = 0;
	cJSON_ArrayForEach(item, list)
	{
		if (strcmp(item->valuestring, value) == 0)
			return at;
		at++;
	}
	return -1;
}

/* The lists of values, and true where the results are just their combinations, in order. */
static bool make_grid(struct row *row)
{
	size_t combinations = 1;
	row->lists = cJSON_CreateArray();
	if (row->uneven)
		return false;
	for (size_t p = 0; p < row->param_count; p++) {
		cJSON *list = cJSON_CreateArray();
		cJSON_AddItemToArray(row->lists, list);
		for (size_t i = 0; i < row->count; i++)
			if (position_in(list, row->params[i][p].value) < 0)
				cJSON_AddItemToArray(list, cJSON_CreateString(row->params[i][p].value));
		combinations *= (size_t)cJSON_GetArraySize(list);
		if (combinations > row->count)
			return false;
	}
	for (size_t i = 0; i < row->count; i++) {
		size_t at = 0;
		for (size_t p = 0; p < row->param_count; p++) {
			const cJSON *list = cJSON_GetArrayItem(row->lists, (int)p);
			at = at * (size_t)cJSON_GetArraySize(list) +
			     (size_t)position_in(list, row->params[i][p].value);
		}
		if (at != i)
			return false;
	}
	return combinations == row->count;
}

static void add_or_null(cJSON *list, double value)
{
	cJSON_AddItemToArray(list, interchange_number(value));
}

/* The columns from the confidence interval on, of one value each. */
static void write_stats(struct bench_arena *arena, cJSON *cells[COLUMNS], const struct bench_result *result)
{
	const struct bench_metric *metric = result->status == BENCH_STATUS_OK ? metric_of(result) : NULL;
	size_t count = 0;
	const double *values = metric ? interchange_values(arena, metric, &count) : NULL;
	const bool several = count > 1;
	const struct bench_interval interval =
		several ? bench_stats_median_interval(values, count, 0.99) : (struct bench_interval){0};
	add_or_null(cells[RESULT], count ? interchange_rounded(bench_stats_median(values, count)) : NAN);
	add_or_null(cells[5], several ? interval.lo : NAN);
	add_or_null(cells[6], several ? interval.hi : NAN);
	add_or_null(cells[7], several ? bench_stats_quantile(values, count, 0.25) : NAN);
	add_or_null(cells[8], several ? bench_stats_quantile(values, count, 0.75) : NAN);
	add_or_null(cells[NUMBER], several ? (double)(result->iterations ? result->iterations : 1) : NAN);
	add_or_null(cells[10], several ? (double)count : NAN);
	cJSON *samples = several ? cJSON_CreateArray() : cJSON_CreateNull();
	for (size_t i = 0; several && i < count; i++)
		add_or_null(samples, values[i]);
	cJSON_AddItemToArray(cells[SAMPLES], samples);
}

static void write_row(struct bench_arena *arena, const struct bench_run *run, cJSON *results,
		      const char *name, struct row *row)
{
	cJSON *cells[COLUMNS];
	for (int c = 0; c < COLUMNS; c++)
		cells[c] = cJSON_CreateArray();
	cJSON_Delete(cells[PARAMS]);
	cells[PARAMS] = row->lists;
	row->lists = NULL;
	for (size_t i = 0; i < row->count; i++)
		write_stats(arena, cells, row->results[i]);
	for (int c = VERSION; c < 5; c++)
		cJSON_Delete(cells[c]);
	cells[VERSION] = cJSON_CreateString(interchange_note_of(row->results[0], "version"));
	cells[3] = interchange_number((double)run->started * 1000);
	cells[4] = cJSON_CreateNull();
	cJSON *list = cJSON_AddArrayToObject(results, name);
	for (int c = 0; c < COLUMNS; c++)
		cJSON_AddItemToArray(list, cells[c]);
}

/* What stands behind the last dot tells asv the unit. */
static const char *without_dots(struct bench_arena *arena, const char *title)
{
	char *name = bench_arena_string(arena, title);
	const uint64_t hash = bench_hash_bytes(BENCH_HASH_START, title, strlen(title));
	if (!strchr(title, '.'))
		return name;
	for (char *at = name; *at; at++)
		if (*at == '.')
			*at = '_';
	return bench_arena_format(arena, "%s~%06x", name, (unsigned)(hash >> 40));
}

/* What asv calls the benchmark: its own name, or one from which it knows the unit. */
static const char *benchmark_of(struct bench_arena *arena, const struct bench_result *result, bool whole)
{
	const char *name = interchange_note_of(result, "benchmark"),
		   *title = interchange_title(arena, result, '=');
	const struct bench_metric *metric = metric_of(result);
	const char *kind = !metric || strcmp(metric->unit, "s") == 0 ? "time"
			   : strcmp(metric->unit, "B") == 0          ? "mem"
								     : "track";
	if (*name)
		return whole ? name : title;
	return bench_arena_format(arena, "%s.%s_%s", result->suite, kind, without_dots(arena, title));
}

static void write_rows(struct bench_arena *arena, const struct bench_run *run, cJSON *results,
		       struct row *row)
{
	if (make_grid(row)) {
		write_row(arena, run, results, row->name, row);
		return;
	}
	cJSON_Delete(row->lists);
	for (size_t i = 0; i < row->count; i++) {
		struct row single = {.results = &row->results[i], .count = 1, .lists = cJSON_CreateArray()};
		write_row(arena, run, results, benchmark_of(arena, row->results[i], false), &single);
	}
}

static void add_result(struct bench_arena *arena, const struct bench_result *result, struct row *row)
{
	size_t count = row->count, param_count;
	struct bench_attribute *params = interchange_params(arena, result, &param_count);
	/* Others' parameters are in the name. */
	if (!*interchange_note_of(result, "benchmark"))
		param_count = 0;
	*(const struct bench_result **)bench_arena_push(arena, &row->results, &count, sizeof(result)) =
		result;
	*(struct bench_attribute **)bench_arena_push(arena, &row->params, &row->count, sizeof(params)) =
		params;
	row->uneven |= row->count > 1 && param_count != row->param_count;
	row->param_count = param_count;
}

static void write_asv(const struct bench_run *run, struct bench_interchange_notes *notes,
		      struct bench_text *out)
{
	static const char what[] = "asv's JSON";
	struct bench_arena arena = {0};
	struct row row = {0};
	cJSON *root = cJSON_CreateObject();
	write_facts(run, root);
	cJSON *results = cJSON_AddObjectToObject(root, "results");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status == BENCH_STATUS_OK && !metric_of(result)) {
			interchange_say(notes, "%s has one metric a benchmark: '%s' has none that it knows",
					what, result->key);
			continue;
		}
		const char *name = benchmark_of(&arena, result, true);
		if (row.count > 0 && strcmp(name, row.name) != 0) {
			write_rows(&arena, run, results, &row);
			row = (struct row){0};
		}
		row.name = name;
		add_result(&arena, result, &row);
	}
	if (row.count > 0)
		write_rows(&arena, run, results, &row);
	cJSON_AddObjectToObject(root, "durations");
	interchange_add_number(root, "version", 2);
	interchange_say(notes, "%s has one metric a benchmark, and no branch", what);
	interchange_say_medians(run, what, notes);
	interchange_print(root, true, out);
	bench_arena_free(&arena);
}

const struct bench_interchange_format bench_interchange_asv = {
	.name = "asv",
	.is = is_asv,
	.read = read_asv,
	.write = write_asv,
};
