/* SPDX-License-Identifier: MIT */
/* nvbench: --json, with the samples of --jsonbin if they are in the same folder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "interchange/internal.h"

#define SAMPLES_TAG "nv/json/bin:nv/cold/sample_times"

static const struct {
	const char *tag;
	struct interchange_quantity quantity;
} times[] = {
	{"nv/cold/time/gpu/mean", INTERCHANGE_COST("device_time", "s")},
	{"nv/cold/time/cpu/mean", INTERCHANGE_COST("time", "s")},
	{"nv/cpu_only/time/cpu/mean", INTERCHANGE_COST("time", "s")},
	{"nv/batch/time/gpu/mean", INTERCHANGE_COST("batch_time", "s")},
};

static bool is_nvbench(const struct interchange_reader *in)
{
	return cJSON_IsArray(bench_json_member(in->root, "benchmarks")) &&
	       cJSON_IsArray(bench_json_member(in->root, "devices"));
}

/* The value of that name in a summary, or NULL. */
static const char *summary_value(const cJSON *summary, const char *name)
{
	const cJSON *value;
	cJSON_ArrayForEach(value, bench_json_member(summary, "data"))
	{
		if (strcmp(interchange_text(value, "name"), name) == 0)
			return bench_json_string_or(value, "value", NULL);
	}
	return NULL;
}

static const cJSON *find_summary(const cJSON *state, const char *tag)
{
	const cJSON *summary;
	cJSON_ArrayForEach(summary, bench_json_member(state, "summaries"))
	{
		if (strcmp(interchange_text(summary, "tag"), tag) == 0)
			return summary;
	}
	return NULL;
}

/* The number of a summary, or NaN. */
static double number_of(const cJSON *state, const char *tag)
{
	const char *text = summary_value(find_summary(state, tag), "value");
	double value;
	return text && bench_text_real(text, &value) ? value : NAN;
}

/* The slug of the device, which becomes one of the run's; NULL with the error. */
static const char *take_device(struct interchange_reader *in, const cJSON *state)
{
	const cJSON *id = bench_json_member(state, "device"), *device;
	struct bench_run *run = in->draft->run;
	const char *name = "gpu";
	char slug[64];
	cJSON_ArrayForEach(device, bench_json_member(in->root, "devices"))
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
 * GPU times of each launch, as 32-bit numbers in a file in the same folder; false without it. Refuses a name
 * that leads elsewhere.
 */
static bool read_samples(struct interchange_reader *in, const cJSON *state, struct interchange_case *to,
			 int *result)
{
	const char *name = summary_value(find_summary(state, SAMPLES_TAG), "filename");
	struct bench_error ignored;
	char *data;
	size_t length;
	if (!name || *name == '/' || strstr(name, ".."))
		return false;
	const char *path = interchange_beside(in, name);
	if (bench_file_read(path, BENCH_INTERCHANGE_BYTES, &data, &length, &ignored) != 0)
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
	cJSON_ArrayForEach(summary, bench_json_member(state, "summaries"))
	{
		const char *tag = bench_json_string_or(summary, "tag", "nv/");
		const char *text = summary_value(summary, "value");
		const struct interchange_quantity own = INTERCHANGE_CUSTOM(tag, "");
		double value;
		if (strncmp(tag, "nv/", 3) != 0 && text && bench_text_real(text, &value) &&
		    interchange_sample(in, to, &own, 0, value) != 0)
			return -1;
	}
	return 0;
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
		interchange_say_has(in, "states without samples (--jsonbin writes them): their means stand "
					"as one sample each");
	for (size_t i = sampled ? 1 : 0; result == 0 && i < sizeof(times) / sizeof(times[0]); i++) {
		const char *text = summary_value(find_summary(state, times[i].tag), "value");
		const double value = number_of(state, times[i].tag);
		if (text && isnan(value))
			result = interchange_fail(in, "'%.200s' has '%.20s' for its time", to->id, text);
		else if (text)
			result = interchange_sample(in, to, &times[i].quantity, 0, value);
	}
	return result == 0 ? read_own(in, state, to) : -1;
}

static int read_state(struct interchange_reader *in, const cJSON *state, const char *what)
{
	const char *benchmark = in->more;
	const cJSON *axis;
	const char *device = take_device(in, state);
	struct interchange_case fresh = interchange_case(in, benchmark, benchmark);
	fresh.device = device;
	cJSON_ArrayForEach(axis, bench_json_member(state, "axis_values"))
	{
		const char *axis_name, *value;
		if (bench_json_string(axis, "name", what, &axis_name, in->error) != 0 ||
		    bench_json_string(axis, "value", what, &value, in->error) != 0)
			return -1;
		interchange_param(in, &fresh, axis_name, value);
	}
	struct interchange_case *to = interchange_enter(in, fresh, false);
	if (!to)
		return -1;
	if (bench_json_bool_or(state, "is_skipped", false)) {
		interchange_end(
			to, BENCH_STATUS_SKIPPED,
			bench_arena_string(in->arena, bench_json_string_or(state, "skip_reason", "skipped")));
		return 0;
	}
	return read_summaries(in, state, to);
}

static int read_benchmark(struct interchange_reader *in, const cJSON *benchmark, const char *what)
{
	const char *name;
	if (bench_json_string(benchmark, "name", what, &name, in->error) != 0)
		return -1;
	in->more = bench_arena_string(in->arena, name);
	return interchange_each(in, bench_json_member(benchmark, "states"),
				bench_arena_format(in->arena, "%.100s states", name), read_state);
}

static int read_nvbench(struct interchange_reader *in)
{
	return interchange_each(in, bench_json_member(in->root, "benchmarks"), "benchmarks", read_benchmark);
}

INTERCHANGE_FORMAT(nvbench, is_nvbench, read_nvbench, NULL);
