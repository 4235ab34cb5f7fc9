/* SPDX-License-Identifier: MIT */
/* The devices of a worker: listed once for all jobs, opened once for all cases of a job. */
#include <string.h>

#include "measure/worker/internal.h"
#include "plan/target.h"

/* Variants on one device share one handle, so that they use the same queues and do not run side by side. */
static struct bench_worker_device *find_device(const struct worker *worker, const struct bench_job_case *of)
{
	struct bench_worker_devices *devices = worker->devices;
	for (size_t i = 0; i < devices->count; i++)
		if (devices->all[i].backend == of->backend && devices->all[i].index == of->device)
			return &devices->all[i];
	struct bench_worker_device *added =
		bench_arena_push(&devices->arena, &devices->all, &devices->count, sizeof(*added));
	*added = (struct bench_worker_device){.backend = of->backend, .index = of->device};
	return added;
}

void bench_worker_devices_close(struct bench_worker_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		devices->all[i].backend->close(devices->all[i].device);
	bench_arena_free(&devices->arena);
	*devices = (struct bench_worker_devices){0};
}

/*
 * The job names devices by number. A process that finds other devices would take another one for it: in a
 * duel, each program has a separate environment.
 */
static int check_device(const struct bench_job_case *job_case, const struct bench_device_info *info,
			struct bench_error *error)
{
	if (!info->slug[0] ||
	    bench_plan_target_is(job_case->slug, info->slug)) /* no such device: opening it says why */
		return 0;
	return bench_fail(
		error, BENCH_FAILED,
		"device %zu of %s is %s in the worker, and %s where the run was planned: does a variable of "
		"the environment choose among drivers or devices (OCL_ICD_VENDORS, CUDA_VISIBLE_DEVICES)?",
		job_case->device, job_case->backend->name, info->slug, job_case->slug);
}

static const struct bench_worker_list *list_devices(const struct worker *worker,
						    const struct bench_backend *backend)
{
	struct bench_worker_devices *devices = worker->devices;
	for (size_t i = 0; i < devices->list_count; i++)
		if (devices->lists[i].backend == backend)
			return &devices->lists[i];
	struct bench_worker_list *added =
		bench_arena_push(&devices->arena, &devices->lists, &devices->list_count, sizeof(*added));
	*added = (struct bench_worker_list){.backend = backend};
	if (bench_plan_target_devices(backend, &devices->arena, &added->infos, &added->count, NULL) != 0)
		added->count = 0;
	return added;
}

const struct bench_device_info *worker_devices_info(const struct worker *worker,
						    const struct bench_job_case *job_case)
{
	static const struct bench_device_info none = {0};
	const struct bench_worker_list *list =
		job_case->backend ? list_devices(worker, job_case->backend) : NULL;
	return list && job_case->device < list->count ? &list->infos[job_case->device] : &none;
}

int worker_devices_open(struct worker *worker, struct worker_case *active, struct bench_error *error)
{
	const struct bench_job_case *job_case = active->job_case;
	const struct bench_device_info *info = worker_devices_info(worker, job_case);
	const struct bench_open_options options = {.threads = worker->job->threads,
						   .tuned = worker->job->tuned,
						   .tuned_count = worker->job->tuned_count};
	struct bench_worker_device *opened = find_device(worker, job_case);
	if (!opened->device &&
	    (check_device(job_case, info, error) != 0 ||
	     job_case->backend->open(job_case->device, &options, &opened->device, error) != 0))
		return -1;
	active->bench_case.device = opened->device;
	active->bench_case.backend = job_case->backend;
	active->bench_case.info = info;
	active->bench_case.index = job_case->device;
	return 0;
}

bool worker_devices_clear(const struct bench_worker_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		if (!devices->all[i].backend->clear)
			return false; /* a duel's other program may lack it */
	for (size_t i = 0; i < devices->count; i++)
		if (devices->all[i].device)
			devices->all[i].backend->clear(devices->all[i].device);
	return true;
}

long worker_devices_gpu(const struct worker *worker)
{
	const struct bench_job *job = worker->job;
	long gpu = -1;
	for (size_t i = 0; gpu < 0 && i < job->case_count; i++) {
		const struct bench_job_case *job_case = &job->cases[i];
		if (!strstr(worker_devices_info(worker, job_case)->platform, "NVIDIA"))
			continue;
		const struct bench_worker_list *list = list_devices(worker, job_case->backend);
		for (size_t d = 0; d <= job_case->device; d++)
			gpu += strstr(list->infos[d].platform, "NVIDIA") ? 1 : 0;
	}
	return gpu;
}
