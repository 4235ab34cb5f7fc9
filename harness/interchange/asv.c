/* SPDX-License-Identifier: MIT */
/* asv, airspeed velocity: a file of results/MACHINE/, with benchmarks.json beside the folder for units. */
#include <string.h>

#include "interchange/internal.h"

#define PARAMS_MOST 16

static bool is_asv(const struct interchange_reader *in)
{
	return cJSON_HasObjectItem(in->root, "commit_hash") && cJSON_HasObjectItem(in->root, "results") &&
	       (cJSON_HasObjectItem(in->root, "result_columns") || cJSON_HasObjectItem(in->root, "version"));
}

/* By the unit that is declared, else by asv's own rule on names: what begins with time_ is seconds. */
static struct interchange_quantity quantity_of(const cJSON *benchmarks, const char *name)
{
	static const struct {
		const char *prefix;
		struct interchange_quantity quantity;
	} kinds[] = {{"timeraw_", INTERCHANGE_COST("time", "seconds")},
		     {"time_", INTERCHANGE_COST("time", "seconds")},
		     {"peakmem_", INTERCHANGE_COST("peak_memory", "bytes")},
		     {"mem_", INTERCHANGE_COST("memory", "bytes")}};
	const char *dot = strrchr(name, '.'), *method = dot ? dot + 1 : name;
	const cJSON *benchmark = bench_json_member(benchmarks, name);
	const char *type = interchange_text(benchmark, "type");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t length = strlen(kinds[i].prefix);
		if (strncmp(method, kinds[i].prefix, length) == 0 ||
		    (strlen(type) + 1 == length && strncmp(type, kinds[i].prefix, length - 1) == 0))
			return kinds[i].quantity;
	}
	return (struct interchange_quantity)INTERCHANGE_CUSTOM("value", interchange_text(benchmark, "unit"));
}

/* What a row has under that name; NULL: nothing. Rows were objects, or results alone, before they had
 * columns. */
static const cJSON *cell(const struct interchange_reader *in, const cJSON *row, const char *column)
{
	const cJSON *name;
	int at = 0;
	if (cJSON_IsObject(row))
		return bench_json_member(row, column);
	if (!cJSON_IsArray(row))
		return strcmp(column, "result") == 0 ? row : NULL;
	cJSON_ArrayForEach(name, bench_json_member(in->root, "result_columns"))
	{
		if (cJSON_IsString(name) && strcmp(name->valuestring, column) == 0)
			return cJSON_GetArrayItem(row, at);
		at++;
	}
	return NULL;
}

/* The cell of one combination, if the column has a list. */
static const cJSON *cell_at(const struct interchange_reader *in, const cJSON *row, const char *column,
			    size_t index)
{
	const cJSON *all = cell(in, row, column);
	return cJSON_IsArray(all) ? cJSON_GetArrayItem(all, (int)index) : index == 0 ? all : NULL;
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

static int read_samples(struct interchange_reader *in, const cJSON *result, const cJSON *samples,
			const struct interchange_quantity *quantity, struct interchange_case *to)
{
	if (!cJSON_IsNumber(result)) {
		/* NaN is what raised NotImplementedError. */
		interchange_end(to, cJSON_IsString(result) ? BENCH_STATUS_SKIPPED : BENCH_STATUS_FAILED,
				"asv has no result of it");
		return 0;
	}
	if (!cJSON_IsArray(samples) || !samples->child) {
		interchange_say_has(in, "no samples of some benchmarks (asv run --record-samples): their "
					"median stands as one");
		return interchange_sample(in, to, quantity, 0, result->valuedouble);
	}
	return interchange_samples(in, to, quantity, 0, samples);
}

static int read_combination(struct interchange_reader *in, const cJSON *row, const cJSON *benchmarks,
			    size_t index)
{
	const char *name = row->string;
	const struct interchange_quantity quantity = quantity_of(benchmarks, name);
	const cJSON *names = bench_json_member(bench_json_member(benchmarks, name), "param_names");
	const cJSON *number = cell_at(in, row, "stats_number", index);
	struct interchange_case fresh = interchange_case(in, name, name);
	if (add_params(in, cell(in, row, "params"), names, index, &fresh) != 0)
		return -1;
	if (cJSON_IsNumber(number) && number->valuedouble >= 1 && number->valuedouble < 1e15)
		fresh.iterations = (uint64_t)number->valuedouble;
	struct interchange_case *to = interchange_enter(in, fresh, false);
	return to ? read_samples(in, cell_at(in, row, "result", index), cell_at(in, row, "samples", index),
				 &quantity, to)
		  : -1;
}

/* All combinations of the lists of parameters; one without parameters. */
static int read_row(struct interchange_reader *in, const cJSON *row, const cJSON *benchmarks)
{
	const cJSON *list;
	size_t combinations = 1;
	cJSON_ArrayForEach(list, cell(in, row, "params"))
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
		interchange_settle(in, row->string, read_combination(in, row, benchmarks, i));
	return 0;
}

static int read_facts(struct interchange_reader *in)
{
	const cJSON *params = bench_json_member(in->root, "params"), *item;
	const cJSON *requirements = bench_json_member(in->root, "requirements");
	const double date = bench_json_number_or(in->root, "date", 0);
	interchange_fact(in, "name", interchange_text(params, "machine"));
	interchange_fact(in, "cpu", interchange_text(params, "cpu"));
	interchange_fact(in, "processors", interchange_text(params, "num_cpu"));
	interchange_fact(in, "os", interchange_text(params, "os"));
	interchange_fact(in, "lib.python", interchange_text(in->root, "python"));
	cJSON_ArrayForEach(item, requirements)
	{
		if (cJSON_IsString(item) && in->draft->run->host_count < 100)
			interchange_fact(in, bench_arena_format(in->arena, "lib.%s", item->string),
					 item->valuestring);
	}
	interchange_label(in, "environment", interchange_text(in->root, "env_name"));
	if (date > 0 && date < 1e15)
		interchange_started(in, (int64_t)(date / 1000));
	return interchange_commit(in, interchange_text(in->root, "commit_hash"), "", false);
}

static int read_asv(struct interchange_reader *in)
{
	const cJSON *results, *row;
	struct bench_error ignored;
	if (bench_json_object(in->root, "results", in->file->path, &results, in->error) != 0 ||
	    read_facts(in) != 0)
		return -1;
	/* NULL where it is not there: the units stay unknown. */
	BENCH_SCOPED_JSON *benchmarks = interchange_read_beside(in, "../benchmarks.json", &ignored);
	cJSON_ArrayForEach(row, results)
	{
		interchange_settle(in, row->string, read_row(in, row, benchmarks));
	}
	return 0;
}

INTERCHANGE_FORMAT(asv, is_asv, read_asv, NULL);
