/* SPDX-License-Identifier: MIT */
/* The job read from JSON, in the worker. job_write.c writes the same members. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "extend/extend.h"
#include "measure/worker/job.h"
#include "measure/worker/tuning.h"
#include "plan/plan.h"

static int read_values(const cJSON *array, const struct bench_suite *suite, struct bench_arena *arena,
		       struct bench_job_case *to, struct bench_error *error)
{
	const struct bench_param *params = suite->params;
	size_t count = (size_t)cJSON_GetArraySize(array), there = 0;
	while (params[there].name)
		there++;
	if (count != there)
		return bench_fail(error, BENCH_FAILED, "job: %zu values for the %zu parameters of suite %s",
				  count, there, suite->name);
	struct bench_value *values = bench_arena_alloc(arena, count + 1, sizeof(*values));
	size_t i = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, array)
	{
		const char *text = cJSON_IsString(item) ? item->valuestring : "";
		if (bench_value_parse(&params[i], text, &values[i], error) != 0)
			return -1;
		i++;
	}
	to->values = values;
	to->value_count = count;
	return 0;
}

static int read_case(const cJSON *item, const struct bench_job *job,
		     const struct bench_backend *const *backends, struct bench_arena *arena,
		     struct bench_job_case *to, struct bench_error *error)
{
	const char *backend, *slug;
	const cJSON *values;
	int64_t index, device, reference = -1;
	if (bench_json_integer(item, "index", "job", 0, 1 << 20, &index, error) != 0 ||
	    bench_json_integer(item, "device", "job", 0, 1 << 20, &device, error) != 0 ||
	    bench_json_string(item, "backend", "job", &backend, error) != 0 ||
	    bench_json_string(item, "slug", "job", &slug, error) != 0 ||
	    bench_json_array(item, "values", "job", &values, error) != 0 ||
	    read_values(values, job->suite, arena, to, error) != 0)
		return -1;
	if (bench_json_member(item, "base") &&
	    bench_json_integer(item, "base", "job", 0, 1 << 20, &reference, error) != 0)
		return -1;
	to->reference = reference < 0 ? BENCH_NO_REFERENCE : (size_t)reference;
	to->index = (size_t)index;
	to->device = (size_t)device;
	snprintf(to->slug, sizeof(to->slug), "%s", slug);
	for (size_t b = 0; backends[b]; b++)
		if (strcmp(backends[b]->name, backend) == 0)
			to->backend = backends[b];
	if (!to->backend && strcmp(backend, "host") != 0)
		return bench_fail(error, BENCH_FAILED, "job: there is no backend '%s'", backend);
	return 0;
}

static int read_cases(const cJSON *array, const struct bench_backend *const *backends,
		      struct bench_arena *arena, struct bench_job *job, struct bench_error *error)
{
	const cJSON *item;
	job->cases = bench_arena_alloc(arena, (size_t)cJSON_GetArraySize(array) + 1, sizeof(*job->cases));
	cJSON_ArrayForEach(item, array)
	{
		if (read_case(item, job, backends, arena, &job->cases[job->case_count++], error) != 0)
			return -1;
	}
	for (size_t i = 0; i < job->case_count; i++)
		if (job->cases[i].reference != BENCH_NO_REFERENCE &&
		    job->cases[i].reference >= job->case_count)
			return bench_fail(error, BENCH_FAILED, "job: case %zu has a base that is not there",
					  i);
	return 0;
}

static int read_overrides(const cJSON *root, const struct bench_overrides *unsaid, struct bench_arena *arena,
			  struct bench_job *job, struct bench_error *error)
{
	static const struct bench_overrides none;
	const struct bench_overrides *other = unsaid ? unsaid : &none;
	struct bench_overrides *to = &job->overrides;
	to->tuning = bench_arena_string(arena, bench_json_string_or(root, "tuning", other->tuning));
	to->slowdown = bench_arena_string(arena, bench_json_string_or(root, "slowdown", other->slowdown));
	return bench_worker_slowdown_read(to->slowdown, &job->slowdown, error) != 0
		       ? -1
		       : bench_worker_tuning_parse(to->tuning, arena, &job->tuned, &job->tuned_count, error);
}

int bench_worker_job_from_json(const char *data, size_t length, const struct bench_suite *const *suites,
			       const struct bench_backend *const *backends,
			       const struct bench_overrides *unsaid, struct bench_arena *arena,
			       struct bench_job *job, struct bench_error *error)
{
	BENCH_SCOPED_JSON *root = bench_json_parse(data, length, "job", error);
	const char *suite, *seed;
	const cJSON *cases;
	int64_t invocation, threads, least_samples = 0;
	*job = (struct bench_job){0};
	if (!root || bench_json_integer(root, "invocation", "job", 0, 1 << 20, &invocation, error) != 0 ||
	    bench_json_integer(root, "threads", "job", 0, 1 << 20, &threads, error) != 0 ||
	    bench_json_number(root, "precision", "job", &job->precision, error) != 0 ||
	    bench_json_number(root, "slice_seconds", "job", &job->slice_seconds, error) != 0 ||
	    bench_json_number(root, "canary_fastest", "job", &job->canary_fastest, error) != 0 ||
	    bench_json_string(root, "suite", "job", &suite, error) != 0 ||
	    bench_json_string(root, "seed", "job", &seed, error) != 0 ||
	    bench_json_array(root, "cases", "job", &cases, error) != 0)
		return -1;
	if ((bench_json_member(root, "least_samples") &&
	     bench_json_integer(root, "least_samples", "job", 0, 1 << 20, &least_samples, error) != 0) ||
	    (bench_json_member(root, "until_seconds") &&
	     bench_json_number(root, "until_seconds", "job", &job->until_seconds, error) != 0))
		return -1;
	job->least_samples = (unsigned)least_samples;
	job->cold = cJSON_IsTrue(bench_json_member(root, "cold"));
	job->in_order = cJSON_IsTrue(bench_json_member(root, "in_order"));
	job->invocation = (unsigned)invocation;
	job->threads = (unsigned)threads;
	job->names_threads = bench_json_bool_or(root, "names_threads", false);
	job->paired = bench_json_bool_or(root, "turns", false);
	job->observed = bench_json_bool_or(root, "observed", false);
	job->brief = bench_json_bool_or(root, "brief", false);
	job->counters = bench_json_bool_or(root, "counters", false);
	job->energy = bench_json_bool_or(root, "energy", false);
	job->unwatched = bench_json_bool_or(root, "unwatched", false);
	job->builds = bench_json_bool_or(root, "builds", false);
	job->stays = bench_json_bool_or(root, "stays", false);
	if (cJSON_IsString(bench_json_member(root, "folder")))
		job->folder = bench_arena_string(arena, bench_json_string_or(root, "folder", ""));
	job->seed = strtoull(seed, NULL, 10);
	for (size_t s = 0; suites[s]; s++)
		if (strcmp(suites[s]->name, suite) == 0)
			job->suite = suites[s];
	if (!job->suite)
		return bench_fail(error, BENCH_FAILED, "job: there is no suite '%s'", suite);
	return read_cases(cases, backends, arena, job, error) != 0
		       ? -1
		       : read_overrides(root, unsaid, arena, job, error);
}

int bench_worker_job_extend(const char *data, size_t length, struct bench_error *error)
{
	BENCH_SCOPED_JSON *root = bench_json_parse(data, length, "job", error);
	const cJSON *item;
	int result = root ? 0 : -1;
	cJSON_ArrayForEach(item, bench_json_member(root, "extensions"))
	{
		if (result == 0)
			result = bench_extend_add(cJSON_IsString(item) ? item->valuestring : "", error);
	}
	return result;
}
