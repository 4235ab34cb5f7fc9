/* Criterion.rs: cargo criterion --message-format=json, or a sample.json of target/criterion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "interchange/internal.h"
#include "stats/stats.h"

static bool is_criterion(const struct interchange_reader *in)
{
	return (!in->root && strstr(in->file->data, "\"benchmark-complete\"")) ||
	       (cJSON_HasObjectItem(in->root, "iters") && cJSON_HasObjectItem(in->root, "times"));
}

static int read_samples(struct interchange_reader *in, const char *unit, const cJSON *iterations,
			const cJSON *values, struct interchange_case *to)
{
	const struct interchange_quantity time = {strcmp(unit, "ns") == 0 ? "time" : "value", unit,
						  BENCH_BETTER_LOWER, false};
	const int count = cJSON_GetArraySize(values);
	if (count == 0 || cJSON_GetArraySize(iterations) != count)
		return interchange_fail(in, "'%.100s' has %d values of %d counts of iterations", to->id,
					count, cJSON_GetArraySize(iterations));
	const cJSON *of = iterations->child;
	for (const cJSON *value = values->child; value; value = value->next, of = of->next) {
		if (!cJSON_IsNumber(value) || !cJSON_IsNumber(of) || !(of->valuedouble >= 1))
			return interchange_fail(
				in, "'%.100s' has a value, or a count of iterations, that is none", to->id);
		to->iterations = of->valuedouble < 1e15 ? (uint64_t)of->valuedouble : 1;
		if (interchange_sample(in, to, &time, 0, value->valuedouble / of->valuedouble) != 0)
			return -1;
	}
	return 0;
}

static int read_message(struct interchange_reader *in, const cJSON *message, const char *what)
{
	const char *id, *unit;
	const cJSON *iterations, *values;
	if (strcmp(bench_json_string_or(message, "reason", ""), "benchmark-complete") != 0)
		return 0;
	if (bench_json_string(message, "id", what, &id, in->error) != 0 ||
	    bench_json_string(message, "unit", what, &unit, in->error) != 0 ||
	    bench_json_array(message, "iteration_count", what, &iterations, in->error) != 0 ||
	    bench_json_array(message, "measured_values", what, &values, in->error) != 0)
		return -1;
	const struct interchange_case fresh = interchange_split(in, id);
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	if (!to)
		return -1;
	const cJSON *rate = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(message, "throughput"), 0);
	const double work = bench_json_number_or(rate, "per_iteration", 0);
	if (isfinite(work) && work > 0)
		*(strcmp(bench_json_string_or(rate, "unit", ""), "bytes") == 0 ? &to->work.bytes
									       : &to->work.items) = work;
	return read_samples(in, unit, iterations, values, to);
}

static int read_lines(struct interchange_reader *in)
{
	size_t number = 0;
	for (const char *line = in->file->data; *line;) {
		const size_t length = strcspn(line, "\n");
		char what[400];
		snprintf(what, sizeof(what), "%.300s: line %zu", in->file->path, ++number);
		if (length > strspn(line, " \t\r")) {
			cJSON *message = bench_json_parse(line, length, what, in->error);
			const int result = message ? read_message(in, message, what) : -1;
			cJSON_Delete(message);
			if (result != 0)
				return -1;
		}
		line += length + (line[length] == '\n');
	}
	return 0;
}

/* new/sample.json, with new/benchmark.json beside it, which says what it is of. */
static int read_sample_file(struct interchange_reader *in)
{
	static const struct {
		const char *member;
		bool bytes;
	} rates[] = {{"Bytes", true}, {"BytesDecimal", true}, {"Elements", false}};
	const char *slash = strrchr(in->file->path, '/'), *id;
	char *path = bench_arena_format(in->arena, "%.*sbenchmark.json",
					slash ? (int)(slash + 1 - in->file->path) : 0, in->file->path);
	char *data = NULL;
	size_t length;
	int result = -1;
	if (bench_file_read(path, BENCH_INTERCHANGE_BYTES, &data, &length, in->error) != 0)
		return -1;
	cJSON *about = bench_json_parse(data, length, path, in->error);
	if (about && bench_json_string(about, "full_id", path, &id, in->error) == 0) {
		const struct interchange_case fresh = interchange_split(in, id);
		struct interchange_case *to = interchange_enter(in, &fresh, false);
		const cJSON *rate = cJSON_GetObjectItemCaseSensitive(about, "throughput");
		for (size_t i = 0; to && i < sizeof(rates) / sizeof(rates[0]); i++) {
			const double work = bench_json_number_or(rate, rates[i].member, 0);
			if (work > 0)
				*(rates[i].bytes ? &to->work.bytes : &to->work.items) = work;
		}
		if (to)
			result = read_samples(in, "ns", cJSON_GetObjectItemCaseSensitive(in->root, "iters"),
					      cJSON_GetObjectItemCaseSensitive(in->root, "times"), to);
	}
	cJSON_Delete(about);
	free(data);
	return result;
}

static int read_criterion(struct interchange_reader *in)
{
	return in->root ? read_sample_file(in) : read_lines(in);
}

static void write_estimate(cJSON *message, const char *member, double estimate, double low, double high)
{
	cJSON *object = cJSON_AddObjectToObject(message, member);
	interchange_add_number(object, "estimate", estimate);
	interchange_add_number(object, "lower_bound", low);
	interchange_add_number(object, "upper_bound", high);
	cJSON_AddStringToObject(object, "unit", "ns");
}

static void write_throughput(cJSON *message, const struct bench_work *work)
{
	const double amounts[] = {work->bytes, work->items};
	static const char *const units[] = {"bytes", "elements"};
	cJSON *list = cJSON_AddArrayToObject(message, "throughput");
	for (size_t i = 0; i < 2; i++) {
		if (!(amounts[i] > 0))
			continue;
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(list, item);
		interchange_add_number(item, "per_iteration", amounts[i]);
		cJSON_AddStringToObject(item, "unit", units[i]);
		return;
	}
}

static void write_message(struct bench_arena *arena, const struct bench_result *result,
			  const struct bench_metric *time, struct bench_text *out)
{
	size_t count;
	double *values = interchange_values(arena, time, &count);
	const double iterations = result->iterations ? (double)result->iterations : 1;
	cJSON *message = cJSON_CreateObject();
	cJSON_AddStringToObject(message, "reason", "benchmark-complete");
	cJSON_AddStringToObject(message, "id", interchange_title(arena, result, '='));
	cJSON_AddStringToObject(message, "report_directory", "");
	cJSON *counts = cJSON_AddArrayToObject(message, "iteration_count");
	cJSON *measured = cJSON_AddArrayToObject(message, "measured_values");
	for (size_t i = 0; i < count; i++) {
		const double all = interchange_rounded(values[i] * 1e9 * iterations);
		cJSON_AddItemToArray(counts, interchange_number(iterations));
		cJSON_AddItemToArray(measured, interchange_number(all));
		values[i] = all / iterations;
	}
	cJSON_AddStringToObject(message, "unit", "ns");
	write_throughput(message, &result->work);
	const struct bench_interval median = bench_stats_median_interval(values, count, 0.95);
	write_estimate(message, "typical", median.estimate, median.lo, median.hi);
	write_estimate(message, "median", median.estimate, median.lo, median.hi);
	interchange_print(message, false, out);
}

static void write_criterion(const struct bench_run *run, struct bench_interchange_notes *notes,
			    struct bench_text *out)
{
	static const char what[] = "Criterion's JSON";
	struct bench_arena arena = {0};
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *time = interchange_time_of(&run->results[i], what, notes);
		if (time)
			write_message(&arena, &run->results[i], time, out);
	}
	interchange_say(notes, "%s has no date, host or commit", what);
	interchange_say_medians(run, what, notes);
	bench_arena_free(&arena);
}

const struct bench_interchange_format bench_interchange_criterion = {
	.name = "criterion",
	.is = is_criterion,
	.read = read_criterion,
	.write = write_criterion,
};
