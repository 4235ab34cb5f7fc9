/* nvbench: --json, with the samples of --jsonbin where they stand beside it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "interchange/internal.h"
#include "stats/stats.h"

#define SAMPLES_TAG   "nv/json/bin:nv/cold/sample_times"
#define SAMPLES_BYTES ((size_t)64 << 20)

static const struct {
	const char *tag;
	struct interchange_quantity quantity;
} times[] = {
	{"nv/cold/time/gpu/mean", {"device_time", "s", BENCH_BETTER_LOWER, false}},
	{"nv/cold/time/cpu/mean", {"time", "s", BENCH_BETTER_LOWER, false}},
	{"nv/cpu_only/time/cpu/mean", {"time", "s", BENCH_BETTER_LOWER, false}},
	{"nv/batch/time/gpu/mean", {"batch_time", "s", BENCH_BETTER_LOWER, false}},
};

static bool is_nvbench(const struct interchange_reader *in)
{
	return cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(in->root, "benchmarks")) &&
	       cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(in->root, "devices"));
}

/* The value of that name among those of a summary; NULL: there is none. */
static const char *summary_value(const cJSON *summary, const char *name)
{
	const cJSON *value;
	cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(summary, "data"))
	{
		if (strcmp(bench_json_string_or(value, "name", ""), name) == 0)
			return bench_json_string_or(value, "value", NULL);
	}
	return NULL;
}

static const cJSON *find_summary(const cJSON *state, const char *tag)
{
	const cJSON *summary;
	cJSON_ArrayForEach(summary, cJSON_GetObjectItemCaseSensitive(state, "summaries"))
	{
		if (strcmp(bench_json_string_or(summary, "tag", ""), tag) == 0)
			return summary;
	}
	return NULL;
}

/* The number of a summary; NaN: there is none. */
static double number_of(const cJSON *state, const char *tag)
{
	const char *text = summary_value(find_summary(state, tag), "value");
	double value;
	return text && bench_text_real(text, &value) ? value : NAN;
}

/* The slug of the device, which becomes one of the run's; NULL with the error. */
static const char *take_device(struct interchange_reader *in, const cJSON *state)
{
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(state, "device"), *device;
	struct bench_run *run = in->draft->run;
	const char *name = "gpu";
	char slug[64];
	cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(in->root, "devices"))
	{
		if (cJSON_IsNumber(id) && bench_json_number_or(device, "id", -1) == id->valuedouble)
			name = bench_json_string_or(device, "name", name);
	}
	if (!cJSON_IsNumber(id))
		return "host";
	bench_text_slug(slug, sizeof(slug), name);
	const char *kept = bench_arena_string(in->arena, *slug ? slug : "gpu");
	for (size_t i = 0; i < run->device_count; i++)
		if (strcmp(run->devices[i].info.slug, kept) == 0)
			return kept;
	struct bench_device_record *to =
		bench_arena_push(in->arena, &run->devices, &run->device_count, sizeof(*to));
	to->backend = bench_arena_string(in->arena, "imported");
	snprintf(to->info.slug, sizeof(to->info.slug), "%s", kept);
	snprintf(to->info.name, sizeof(to->info.name), "%s", name);
	to->info.kind = BENCH_DEVICE_GPU;
	return kept;
}

/*
 * GPU times of each launch, as 32-bit numbers in a file that stands beside: false where it is not there. A
 * name that leads elsewhere is none.
 */
static bool read_samples(struct interchange_reader *in, const cJSON *state, struct interchange_case *to,
			 int *result)
{
	const char *name = summary_value(find_summary(state, SAMPLES_TAG), "filename");
	const char *slash = strrchr(in->file->path, '/');
	struct bench_error ignored;
	char *data;
	size_t length;
	if (!name || *name == '/' || strstr(name, ".."))
		return false;
	char *path = bench_arena_format(in->arena, "%.*s%s", slash ? (int)(slash + 1 - in->file->path) : 0,
					in->file->path, name);
	if (bench_file_read(path, SAMPLES_BYTES, &data, &length, &ignored) != 0)
		return false;
	*result = length >= sizeof(float) && length % sizeof(float) == 0
			  ? 0
			  : interchange_fail(in, "'%.200s' holds no samples of 4 bytes", path);
	for (size_t at = 0; *result == 0 && at < length; at += sizeof(float)) {
		float value;
		memcpy(&value, data + at, sizeof(value));
		*result = interchange_sample(in, to, &times[0].quantity, 0, (double)value);
	}
	free(data);
	return true;
}

/* Figures that the user's own code has added. */
static int read_own(struct interchange_reader *in, const cJSON *state, struct interchange_case *to)
{
	const cJSON *summary;
	cJSON_ArrayForEach(summary, cJSON_GetObjectItemCaseSensitive(state, "summaries"))
	{
		const char *tag = bench_json_string_or(summary, "tag", "nv/");
		const char *text = summary_value(summary, "value");
		const struct interchange_quantity own = {tag, "", BENCH_BETTER_NONE, true};
		double value;
		if (strncmp(tag, "nv/", 3) != 0 && text && bench_text_real(text, &value) &&
		    interchange_sample(in, to, &own, 0, value) != 0)
			return -1;
	}
	return 0;
}

/* What of the summaries cannot become samples, for whoever writes them again. */
static void keep_summaries(const struct interchange_reader *in, const cJSON *state,
			   struct interchange_case *to)
{
	static const char *const tags[][2] = {{"sample_size", "nv/cold/sample_size"},
					      {"noise", "nv/cold/time/gpu/stdev/relative"}};
	for (size_t i = 0; i < 2; i++) {
		const double value = number_of(state, tags[i][1]);
		if (!isnan(value))
			interchange_note(in, to, tags[i][0], bench_arena_format(in->arena, "%.15g", value));
	}
}

static int read_summaries(struct interchange_reader *in, const cJSON *state, struct interchange_case *to)
{
	const double gpu = number_of(state, times[0].tag);
	const double bytes = number_of(state, "nv/cold/bw/global/bytes_per_second") * gpu;
	const double items = number_of(state, "nv/cold/bw/item_rate") * gpu;
	int result = 0;
	to->work.bytes = bytes > 0 && isfinite(bytes) ? round(bytes) : 0;
	to->work.items = items > 0 && isfinite(items) ? round(items) : 0;
	const bool sampled = read_samples(in, state, to, &result);
	if (!sampled)
		interchange_say(in->draft->notes,
				"%s has states without samples (--jsonbin writes them): their means stand as "
				"one sample each",
				in->file->path);
	for (size_t i = sampled ? 1 : 0; result == 0 && i < sizeof(times) / sizeof(times[0]); i++) {
		const double value = number_of(state, times[i].tag);
		if (!isnan(value))
			result = interchange_sample(in, to, &times[i].quantity, 0, value);
	}
	if (!sampled)
		keep_summaries(in, state, to);
	return result == 0 ? read_own(in, state, to) : -1;
}

static int read_state(struct interchange_reader *in, const cJSON *state, const char *benchmark,
		      const char *what)
{
	struct bench_text name = {0};
	const cJSON *axis;
	const char *device = take_device(in, state);
	bench_text_add(&name, "%s", benchmark);
	cJSON_ArrayForEach(axis, cJSON_GetObjectItemCaseSensitive(state, "axis_values"))
		bench_text_add(&name, "/%s=%s", bench_json_string_or(axis, "name", ""),
			       bench_json_string_or(axis, "value", ""));
	if (strcmp(device, "host") != 0)
		bench_text_add(&name, "/device=%s", device);
	struct interchange_case fresh = interchange_case(in, bench_text_keep(&name, in->arena), benchmark);
	fresh.device = device;
	interchange_note(in, &fresh, "benchmark", benchmark);
	cJSON_ArrayForEach(axis, cJSON_GetObjectItemCaseSensitive(state, "axis_values"))
	{
		const char *axis_name, *value;
		if (bench_json_string(axis, "name", what, &axis_name, in->error) != 0 ||
		    bench_json_string(axis, "value", what, &value, in->error) != 0)
			return -1;
		interchange_param(in, &fresh, axis_name, value);
	}
	struct interchange_case *to = interchange_enter(in, &fresh, false);
	if (!to)
		return -1;
	if (bench_json_bool_or(state, "is_skipped", false)) {
		interchange_end(to, BENCH_STATUS_SKIPPED,
				bench_arena_format(in->arena, "%.1000s",
						   bench_json_string_or(state, "skip_reason", "skipped")));
		return 0;
	}
	return read_summaries(in, state, to);
}

static int read_nvbench(struct interchange_reader *in)
{
	const cJSON *list, *benchmark, *states, *state;
	size_t index = 0;
	if (bench_json_array(in->root, "benchmarks", in->file->path, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(benchmark, list)
	{
		char what[400];
		const char *name;
		snprintf(what, sizeof(what), "%.300s: benchmarks[%zu]", in->file->path, index++);
		if (bench_json_string(benchmark, "name", what, &name, in->error) != 0 ||
		    bench_json_array(benchmark, "states", what, &states, in->error) != 0)
			return -1;
		cJSON_ArrayForEach(state, states) if (read_state(in, state, name, what) != 0) return -1;
	}
	return 0;
}

/* Writing. */

static void write_value(cJSON *list, const char *name, const char *type, const char *value)
{
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddStringToObject(item, "type", type);
	cJSON_AddStringToObject(item, "value", value);
}

static void write_summary(cJSON *list, const char *tag, const char *name, const char *hint, double value)
{
	char text[32];
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(list, item);
	cJSON_AddStringToObject(item, "tag", tag);
	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddStringToObject(item, "hint", hint);
	const bool whole = strcmp(hint, "sample_size") == 0;
	snprintf(text, sizeof(text), whole ? "%.0f" : "%.15g", value);
	write_value(cJSON_AddArrayToObject(item, "data"), "value", whole ? "int64" : "float64", text);
}

/* From what stands there, or, of one value, from what came with it. */
static void write_spread(cJSON *list, const struct bench_result *result, const double *values, size_t count)
{
	double size = (double)count, noise = NAN;
	if (count > 1) {
		noise = bench_stats_stddev(values, count) / bench_stats_mean(values, count);
	} else {
		bench_text_real(interchange_note_of(result, "sample_size"), &size);
		bench_text_real(interchange_note_of(result, "noise"), &noise);
	}
	write_summary(list, "nv/cold/sample_size", "Samples", "sample_size", size);
	if (isfinite(noise))
		write_summary(list, "nv/cold/time/gpu/stdev/relative", "Noise", "percentage", noise);
}

static void write_times(struct bench_arena *arena, cJSON *list, const struct bench_result *result)
{
	const bool on_device = bench_record_metric(result, "device_time") != NULL;
	static const char *const titles[] = {"GPU Time", "CPU Time", "CPU Time", "Batch GPU"};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const struct bench_metric *metric = bench_record_metric(result, times[i].quantity.name);
		size_t count;
		/* A time is of the host alone where the device has none. */
		if (!metric || !interchange_is_measured(metric) || (i == 1 && !on_device) ||
		    (i == 2 && on_device))
			continue;
		const double *values = interchange_values(arena, metric, &count);
		const double mean = interchange_rounded(bench_stats_mean(values, count));
		write_summary(list, times[i].tag, titles[i], "duration", mean);
		if (i != 0)
			continue;
		write_spread(list, result, values, count);
		if (result->work.bytes > 0)
			write_summary(list, "nv/cold/bw/global/bytes_per_second", "GlobalMem BW", "byte_rate",
				      result->work.bytes / mean);
		if (result->work.items > 0)
			write_summary(list, "nv/cold/bw/item_rate", "Elem/s", "item_rate",
				      result->work.items / mean);
	}
}

static void write_own(struct bench_arena *arena, cJSON *list, const struct bench_result *result)
{
	for (size_t m = 0; m < result->metric_count; m++) {
		const struct bench_metric *metric = &result->metrics[m];
		bool written = !interchange_is_measured(metric);
		size_t count;
		for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
			written |= strcmp(metric->name, times[i].quantity.name) == 0;
		if (written)
			continue;
		const double *values = interchange_values(arena, metric, &count);
		const char *name = interchange_metric_name(result, metric);
		write_summary(list, name, name, "", interchange_rounded(bench_stats_median(values, count)));
	}
}

/* The item of a list whose member has that text; NULL: there is none. */
static cJSON *find_item(cJSON *list, const char *member, const char *text)
{
	cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		if (strcmp(bench_json_string_or(item, member, ""), text) == 0)
			return item;
	}
	return NULL;
}

/* The axis of the benchmark has this value. All are texts: what they were is not known of other formats. */
static void write_axis(cJSON *benchmark, const char *name, const char *value)
{
	cJSON *axes = cJSON_GetObjectItemCaseSensitive(benchmark, "axes");
	cJSON *axis = find_item(axes, "name", name);
	if (!axis) {
		axis = cJSON_CreateObject();
		cJSON_AddItemToArray(axes, axis);
		cJSON_AddStringToObject(axis, "name", name);
		cJSON_AddStringToObject(axis, "type", "string");
		cJSON_AddStringToObject(axis, "flags", "");
		cJSON_AddArrayToObject(axis, "values");
	}
	cJSON *values = cJSON_GetObjectItemCaseSensitive(axis, "values");
	if (find_item(values, "input_string", value))
		return;
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(values, item);
	cJSON_AddStringToObject(item, "input_string", value);
	cJSON_AddStringToObject(item, "description", "");
	cJSON_AddStringToObject(item, "value", value);
}

static void write_device(cJSON *benchmark, size_t device)
{
	cJSON *devices = cJSON_GetObjectItemCaseSensitive(benchmark, "devices"), *item;
	cJSON_ArrayForEach(item, devices)
	{
		if (strtoul(item->valuestring, NULL, 10) == device)
			return;
	}
	cJSON_AddItemToArray(devices, interchange_number((double)device));
}

/* The axes: the parameters, and the backend of a case that was measured here. */
static struct bench_attribute *axes_of(struct bench_arena *arena, const struct bench_result *result,
				       size_t *count)
{
	struct bench_attribute *axes = interchange_params(arena, result, count);
	if (*interchange_note_of(result, "name"))
		return axes;
	struct bench_attribute *backend = bench_arena_push(arena, &axes, count, sizeof(*backend));
	*backend = (struct bench_attribute){bench_arena_string(arena, "backend"), result->backend};
	return axes;
}

static void write_state(struct bench_arena *arena, cJSON *benchmark, const struct bench_result *result,
			size_t device, bool on_host)
{
	struct bench_text name = {0};
	size_t count;
	const struct bench_attribute *params = axes_of(arena, result, &count);
	cJSON *state = cJSON_CreateObject();
	cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(benchmark, "states"), state);
	for (size_t i = 0; i < count; i++)
		write_axis(benchmark, params[i].name, params[i].value);
	if (!on_host)
		write_device(benchmark, device);
	if (!on_host)
		bench_text_add(&name, "Device=%zu", device);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&name, "%s%s=%s", name.length ? " " : "", params[i].name, params[i].value);
	cJSON_AddStringToObject(state, "name", bench_text_keep(&name, arena));
	cJSON_AddItemToObject(state, "device",
			      on_host ? cJSON_CreateNull() : interchange_number((double)device));
	cJSON *axes = cJSON_AddArrayToObject(state, "axis_values");
	for (size_t i = 0; i < count; i++)
		write_value(axes, params[i].name, "string", params[i].value);
	cJSON *summaries = cJSON_AddArrayToObject(state, "summaries");
	if (result->status == BENCH_STATUS_OK) {
		write_times(arena, summaries, result);
		write_own(arena, summaries, result);
	}
	cJSON_AddBoolToObject(state, "is_skipped", result->status != BENCH_STATUS_OK);
	if (result->status != BENCH_STATUS_OK)
		cJSON_AddStringToObject(state, "skip_reason", result->reason);
}

/* The device's number in the list, to which it is added where it is new. */
static size_t device_number(const struct bench_run *run, const struct bench_result *result, cJSON *devices)
{
	const char *name = result->device;
	size_t number = 0;
	const cJSON *device;
	for (size_t i = 0; i < run->device_count; i++)
		if (strcmp(run->devices[i].backend, result->backend) == 0 &&
		    strcmp(run->devices[i].info.slug, result->device) == 0)
			name = run->devices[i].info.name;
	cJSON_ArrayForEach(device, devices)
	{
		if (strcmp(bench_json_string_or(device, "name", ""), name) == 0)
			return number;
		number++;
	}
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToArray(devices, item);
	interchange_add_number(item, "id", (double)number);
	cJSON_AddStringToObject(item, "name", name);
	return number;
}

static const char *benchmark_of(const struct bench_result *result)
{
	const char *name = interchange_note_of(result, "benchmark");
	if (!*name && *interchange_note_of(result, "name"))
		name = bench_record_attribute_get(result->params, result->param_count, "name");
	return *name ? name : result->suite;
}

/* The benchmark of that name, added where it is new. */
static cJSON *find_benchmark(cJSON *benchmarks, const char *name)
{
	cJSON *benchmark = find_item(benchmarks, "name", name);
	if (benchmark)
		return benchmark;
	benchmark = cJSON_CreateObject();
	cJSON_AddStringToObject(benchmark, "name", name);
	interchange_add_number(benchmark, "index", cJSON_GetArraySize(benchmarks));
	cJSON_AddItemToArray(benchmarks, benchmark);
	cJSON_AddArrayToObject(benchmark, "devices");
	cJSON_AddArrayToObject(benchmark, "axes");
	cJSON_AddArrayToObject(benchmark, "states");
	return benchmark;
}

static void write_nvbench(const struct bench_run *run, struct bench_interchange_notes *notes,
			  struct bench_text *out)
{
	static const char what[] = "nvbench's JSON";
	struct bench_arena arena = {0};
	cJSON *root = cJSON_CreateObject();
	cJSON *meta = cJSON_AddObjectToObject(root, "meta");
	cJSON_AddArrayToObject(meta, "argv");
	cJSON *version = cJSON_AddObjectToObject(cJSON_AddObjectToObject(meta, "version"), "json");
	static const char *const parts[] = {"major", "minor", "patch"};
	for (size_t i = 0; i < 3; i++)
		interchange_add_number(version, parts[i], i == 0);
	cJSON_AddStringToObject(version, "string", "1.0.0");
	cJSON *devices = cJSON_AddArrayToObject(root, "devices");
	cJSON *benchmarks = cJSON_AddArrayToObject(root, "benchmarks");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const bool on_host = strcmp(result->device, "host") == 0;
		const size_t device = on_host ? 0 : device_number(run, result, devices);
		write_state(&arena, find_benchmark(benchmarks, benchmark_of(result)), result, device,
			    on_host);
	}
	interchange_say(notes, "%s has no date, host or commit; samples are one mean", what);
	interchange_print(root, true, out);
	bench_arena_free(&arena);
}

const struct bench_interchange_format bench_interchange_nvbench = {
	.name = "nvbench",
	.is = is_nvbench,
	.read = read_nvbench,
	.write = write_nvbench,
};
