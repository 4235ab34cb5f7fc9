/* SPDX-License-Identifier: MIT */
/* Criterion.rs: cargo criterion --message-format=json, or a sample.json of target/criterion. */
#include <math.h>
#include <string.h>

#include "interchange/internal.h"

/* Old samples: [[iterations ...], [times ...]]. */
static bool is_pair(const cJSON *root)
{
	const cJSON *iterations = cJSON_GetArrayItem(root, 0), *values = cJSON_GetArrayItem(root, 1);
	return cJSON_IsArray(iterations) && cJSON_IsArray(values) && cJSON_IsNumber(iterations->child);
}

static bool is_criterion(const struct interchange_reader *in)
{
	return (!in->root && strstr(in->file->data, "\"benchmark-complete\"")) ||
	       (cJSON_HasObjectItem(in->root, "iters") && cJSON_HasObjectItem(in->root, "times")) ||
	       is_pair(in->root);
}

static int read_samples(struct interchange_reader *in, const char *unit, const cJSON *iterations,
			const cJSON *values, struct interchange_case *to)
{
	const struct interchange_quantity time = {strcmp(unit, "ns") == 0 ? "time" : "value", unit,
						  BENCH_BETTER_LOWER, INTERCHANGE_SAID};
	const int count = cJSON_GetArraySize(values);
	if (count == 0 || cJSON_GetArraySize(iterations) != count)
		return interchange_fail(in, "'%.100s' has %d values of %d counts of iterations", to->id,
					count, cJSON_GetArraySize(iterations));
	const cJSON *of = iterations->child;
	for (const cJSON *value = values->child; value; value = value->next, of = of->next) {
		if (!cJSON_IsNumber(value) || !cJSON_IsNumber(of) || !(of->valuedouble >= 1))
			return interchange_fail(
				in, "'%.100s' has a value, or a count of iterations, that is none", to->id);
		to->iterations = interchange_iterations(of->valuedouble);
		if (interchange_sample(in, to, &time, 0, value->valuedouble / of->valuedouble) != 0)
			return -1;
	}
	return 0;
}

static int read_message(struct interchange_reader *in, const cJSON *message, const char *what)
{
	const char *id, *unit;
	const cJSON *iterations, *values;
	if (strcmp(interchange_text(message, "reason"), "benchmark-complete") != 0)
		return 0;
	if (bench_json_string(message, "id", what, &id, in->error) != 0 ||
	    bench_json_string(message, "unit", what, &unit, in->error) != 0 ||
	    bench_json_array(message, "iteration_count", what, &iterations, in->error) != 0 ||
	    bench_json_array(message, "measured_values", what, &values, in->error) != 0)
		return -1;
	struct interchange_case *to = interchange_enter(in, interchange_split(in, id), false);
	if (!to)
		return -1;
	const cJSON *rate = cJSON_GetArrayItem(bench_json_member(message, "throughput"), 0);
	const double work = bench_json_number_or(rate, "per_iteration", 0);
	if (isfinite(work) && work > 0)
		*(strcmp(interchange_text(rate, "unit"), "bytes") == 0 ? &to->work.bytes : &to->work.items) =
			work;
	return read_samples(in, unit, iterations, values, to);
}

static int read_lines(struct interchange_reader *in)
{
	size_t number = 0;
	for (const char *line = in->file->data; *line;) {
		const size_t length = strcspn(line, "\n");
		char *what = bench_arena_format(in->arena, "%.300s: line %zu", in->file->path, ++number);
		if (length > strspn(line, " \t\r")) {
			BENCH_SCOPED_JSON *message = bench_json_parse(line, length, what, in->error);
			interchange_settle(in, what, message ? read_message(in, message, what) : -1);
		}
		line += length + (line[length] == '\n');
	}
	return 0;
}

/* new/sample.json; new/benchmark.json, in the same folder, names the benchmark. */
static int read_sample_file(struct interchange_reader *in)
{
	static const struct {
		const char *member;
		bool bytes;
	} rates[] = {{"Bytes", true}, {"BytesDecimal", true}, {"Elements", false}};
	const char *path = interchange_beside(in, "benchmark.json"), *id;
	int result = -1;
	BENCH_SCOPED_JSON *about = interchange_read_beside(in, "benchmark.json", in->error);
	if (about && bench_json_string(about, "full_id", path, &id, in->error) == 0) {
		struct interchange_case *to = interchange_enter(in, interchange_split(in, id), false);
		const cJSON *rate = bench_json_member(about, "throughput");
		for (size_t i = 0; to && i < sizeof(rates) / sizeof(rates[0]); i++) {
			const double work = bench_json_number_or(rate, rates[i].member, 0);
			if (work > 0)
				*(rates[i].bytes ? &to->work.bytes : &to->work.items) = work;
		}
		const bool old = is_pair(in->root);
		if (to)
			result = read_samples(
				in, "ns", old ? in->root->child : bench_json_member(in->root, "iters"),
				old ? in->root->child->next : bench_json_member(in->root, "times"), to);
	}
	return result;
}

static int read_criterion(struct interchange_reader *in)
{
	return in->root ? read_sample_file(in) : read_lines(in);
}

INTERCHANGE_FORMAT(criterion, is_criterion, read_criterion, NULL);
