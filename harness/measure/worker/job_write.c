/* SPDX-License-Identifier: MIT */
/* The job written as JSON: how the session tells a worker what to measure. job_read.c reads the same members.
 */
#include <stdio.h>

#include "core/json.h"
#include "measure/worker/job.h"
#include "plan/plan.h"

char *bench_worker_job_to_json(const struct bench_job *job)
{
	cJSON *root = cJSON_CreateObject();
	bench_json_add_number(root, "invocation", job->invocation);
	char seed[24];
	snprintf(seed, sizeof(seed), "%llu",
		 (unsigned long long)job->seed); /* 64 bits do not fit a JSON number */
	cJSON_AddStringToObject(root, "seed", seed);
	bench_json_add_number(root, "threads", job->threads);
	if (job->names_threads)
		cJSON_AddBoolToObject(root, "names_threads", true);
	bench_json_add_number(root, "precision", job->precision);
	bench_json_add_number(root, "slice_seconds", job->slice_seconds);
	bench_json_add_number(root, "canary_fastest", job->canary_fastest);
	if (job->until_seconds > 0)
		bench_json_add_number(root, "until_seconds", job->until_seconds);
	if (job->least_samples)
		bench_json_add_number(root, "least_samples", job->least_samples);
	cJSON_AddBoolToObject(root, "cold", job->cold);
	cJSON_AddBoolToObject(root, "in_order", job->in_order);
	if (job->paired)
		cJSON_AddBoolToObject(root, "turns", true);
	if (job->observed)
		cJSON_AddBoolToObject(root, "observed", true);
	if (job->brief)
		cJSON_AddBoolToObject(root, "brief", true);
	if (job->counters)
		cJSON_AddBoolToObject(root, "counters", true);
	if (job->energy)
		cJSON_AddBoolToObject(root, "energy", true);
	cJSON_AddBoolToObject(root, "unwatched", job->unwatched);
	if (job->builds)
		cJSON_AddBoolToObject(root, "builds", true);
	if (job->stays)
		cJSON_AddBoolToObject(root, "stays", true);
	if (job->folder)
		cJSON_AddStringToObject(root, "folder", job->folder);
	cJSON_AddStringToObject(root, "tuning", job->overrides.tuning ? job->overrides.tuning : "");
	cJSON_AddStringToObject(root, "slowdown", job->overrides.slowdown ? job->overrides.slowdown : "");
	cJSON *extensions = job->extension_count ? cJSON_AddArrayToObject(root, "extensions") : NULL;
	for (size_t i = 0; i < job->extension_count; i++)
		cJSON_AddItemToArray(extensions, cJSON_CreateString(job->extensions[i]));
	cJSON_AddStringToObject(root, "suite", job->suite->name);
	cJSON *cases = cJSON_AddArrayToObject(root, "cases");
	for (size_t i = 0; i < job->case_count; i++) {
		const struct bench_job_case *from = &job->cases[i];
		cJSON *item = cJSON_CreateObject();
		bench_json_add_number(item, "index", (double)from->index);
		cJSON_AddStringToObject(item, "backend", from->backend ? from->backend->name : "host");
		bench_json_add_number(item, "device", (double)from->device);
		cJSON_AddStringToObject(item, "slug", from->slug);
		if (from->reference != BENCH_NO_REFERENCE)
			bench_json_add_number(item, "base", (double)from->reference);
		cJSON *values = cJSON_AddArrayToObject(item, "values");
		for (size_t v = 0; v < from->value_count; v++)
			cJSON_AddItemToArray(values, cJSON_CreateString(bench_value_given(&from->values[v])));
		cJSON_AddItemToArray(cases, item);
	}
	return bench_json_print(root, false);
}
