/* SPDX-License-Identifier: MIT */
/* A run of two suites on two backends with every status, and a comparison: built by hand, for test_report.c.
 */
#ifndef BENCH_TEST_REPORT_FIXTURE_H
#define BENCH_TEST_REPORT_FIXTURE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "core/text.h"
#include "record/record.h"

static inline struct bench_metric *fixture_metric(struct bench_run *run, struct bench_result *result,
						  const char *name, const char *unit,
						  const char *derived_from, double median, double half)
{
	struct bench_metric *metric =
		bench_arena_push(&run->arena, &result->metrics, &result->metric_count, sizeof(*metric));
	metric->name = bench_arena_string(&run->arena, name);
	metric->unit = bench_arena_string(&run->arena, unit);
	metric->derived_from = bench_arena_string(&run->arena, derived_from);
	bool judged = strcmp(name, "first_call") != 0 && strcmp(name, "launch_overhead") != 0;
	metric->better = !judged                  ? BENCH_BETTER_NONE
			 : strcmp(unit, "s") == 0 ? BENCH_BETTER_LOWER
						  : BENCH_BETTER_HIGHER;
	metric->summary = (struct bench_summary){.median = median,
						 .ci_lo = median * (1 - half),
						 .ci_hi = median * (1 + half),
						 .ci_level = 0.95,
						 .min = median * 0.9,
						 .mean = median,
						 .stddev = median * 0.05,
						 .p05 = median * 0.92,
						 .p95 = median * 1.1,
						 .count = 5};
	metric->series = bench_arena_push(&run->arena, &metric->series, &metric->series_count,
					  sizeof(*metric->series));
	metric->series->count = 5;
	metric->series->values = bench_arena_alloc(&run->arena, 5, sizeof(double));
	for (size_t i = 0; i < 5; i++)
		metric->series->values[i] = median * (1 + half * ((double)i - 2) / 2);
	return metric;
}

/* params: "m=64,n=64" */
static inline struct bench_result *fixture_result(struct bench_run *run, const char *suite,
						  const char *backend, const char *device, const char *params,
						  enum bench_status status, const char *reason)
{
	struct bench_result *result =
		bench_arena_push(&run->arena, &run->results, &run->result_count, sizeof(*result));
	result->suite = bench_arena_string(&run->arena, suite);
	result->backend = bench_arena_string(&run->arena, backend);
	result->device = bench_arena_string(&run->arena, device);
	result->key = bench_arena_format(&run->arena, "%s/%s:%s/%s", suite, backend, device, params);
	result->status = status;
	result->reason = bench_arena_string(&run->arena, reason);
	result->relative_to = bench_arena_string(&run->arena, "");
	result->stopped = bench_arena_string(&run->arena, status == BENCH_STATUS_OK ? "precision" : "");
	result->repeat = bench_arena_format(&run->arena, "bench run --suite %s --backend %s:%s --set %s",
					    suite, backend, device, params);
	char *rest = bench_arena_string(&run->arena, params);
	for (char *item; (item = bench_text_next(&rest, ',')) && *item;) {
		struct bench_attribute *pair =
			bench_arena_push(&run->arena, &result->params, &result->param_count, sizeof(*pair));
		pair->value = strchr(item, '=') + 1;
		pair->value[-1] = '\0';
		pair->name = item;
	}
	return result;
}

#define POCL "pocl-skylake-avx512"
#define BLAS "skylakex"

static inline void fixture_gemm(struct bench_run *run, int n, const char *backend, double time)
{
	char params[96];
	bool opencl = strcmp(backend, "opencl") == 0;
	snprintf(params, sizeof(params), "dtype=f32,m=%d,n=%d,k=%d,trans=nn", n, n, n);
	struct bench_result *result =
		fixture_result(run, "gemm", backend, opencl ? POCL : BLAS, params, BENCH_STATUS_OK, "");
	result->checked = true;
	result->check = (struct bench_check){1e-7, 1e-5, "elementwise against reference in double"};
	fixture_metric(run, result, "time", "s", "", time, 0.004);
	if (opencl) {
		fixture_metric(run, result, "device_time", "s", "", time * 0.8, 0.003);
		fixture_metric(run, result, "launch_overhead", "s", "time", time * 0.2, 0.02);
	}
	fixture_metric(run, result, "first_call", "s", "", time * 10, 0);
	fixture_metric(run, result, "flop_rate", "FLOP/s", "time", 2.0 * n * n * n / time, 0.004);
}

static inline void fixture_device(struct bench_run *run, const char *backend, const char *slug,
				  const char *name, const char *driver)
{
	struct bench_device_record *device =
		bench_arena_push(&run->arena, &run->devices, &run->device_count, sizeof(*device));
	device->backend = bench_arena_string(&run->arena, backend);
	snprintf(device->info.slug, sizeof(device->info.slug), "%s", slug);
	snprintf(device->info.name, sizeof(device->info.name), "%s", name);
	snprintf(device->info.driver, sizeof(device->info.driver), "%s", driver);
}

/* Started 2026-11-20 23:15:03 UTC; no results yet. */
static inline struct bench_run *fixture_empty(const char *id)
{
	struct bench_run *run = bench_record_new();
	run->id = bench_arena_string(&run->arena, id);
	run->started = 1795216503;
	run->finished = run->started + 60;
	run->command = bench_arena_string(&run->arena, "bench run --suite gemm,transfer --preset quick");
	run->preset = bench_arena_string(&run->arena, "quick");
	run->folder = bench_arena_format(&run->arena, "runs/%s", id);
	run->precision = 0.01;
	run->invocations = 3;
	run->git.present = true;
	run->git.commit = bench_arena_string(&run->arena, "4af884b1c2d35e6f7081920a3b4c5d6e7f809182");
	run->git.branch = bench_arena_string(&run->arena, "main");
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "name", "buildbox");
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "cpu",
				   "Intel(R) Xeon(R) Platinum 8481C");
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "cores", "2");
	return run;
}

static inline struct bench_run *fixture_run(void)
{
	struct bench_run *run = fixture_empty("20261120-231503");
	run->git.dirty = true;
	char **file =
		bench_arena_push(&run->arena, &run->git.dirty_files, &run->git.dirty_count, sizeof(*file));
	*file = bench_arena_string(&run->arena, "kernels/gemm.cl");
	fixture_device(run, "opencl", POCL, "pthread-skylake-avx512", "3.1+debian");
	fixture_device(run, "openblas", BLAS, "SkylakeX", "0.3.21");
	fixture_gemm(run, 64, "opencl", 14.2e-6);
	fixture_gemm(run, 256, "opencl", 132.4e-6);
	fixture_gemm(run, 1024, "opencl", 7.161e-3);
	fixture_gemm(run, 64, "openblas", 3.105e-6);
	fixture_gemm(run, 256, "openblas", 96.17e-6);
	fixture_gemm(run, 1024, "openblas", 5.368e-3);
	fixture_result(
		run, "gemm", "opencl", POCL, "dtype=f32,m=7,n=7,k=7,trans=nn", BENCH_STATUS_INCORRECT,
		"error 0.031 is above the tolerance of 1e-05 (elementwise against reference in double)");
	fixture_result(run, "gemm", "openblas", BLAS, "dtype=f32,m=8192,n=8192,k=8192,trans=nn",
		       BENCH_STATUS_FAILED, "stopped at the time limit of 60 s");
	fixture_result(run, "gemm", "opencl", POCL, "dtype=f32,m=8192,n=8192,k=8192,trans=nn",
		       BENCH_STATUS_SKIPPED, "needs 768 MiB, the device has 512 MiB");
	for (int bytes = 4096; bytes <= 1 << 20; bytes <<= 4) {
		char params[64];
		snprintf(params, sizeof(params), "direction=upload,bytes=%d,memory=pageable", bytes);
		struct bench_result *result =
			fixture_result(run, "transfer", "opencl", POCL, params, BENCH_STATUS_OK, "");
		fixture_metric(run, result, "time", "s", "", 2e-6 + bytes / 12e9, 0.013);
		fixture_metric(run, result, "bandwidth", "B/s", "time", bytes / (2e-6 + bytes / 12e9), 0.013);
		result->stopped = bench_arena_string(&run->arena, "budget");
		snprintf(params, sizeof(params), "direction=upload,bytes=%d,memory=pinned", bytes);
		fixture_result(run, "transfer", "opencl", POCL, params, BENCH_STATUS_UNSUPPORTED,
			       "the device has no page-locked host memory");
	}
	return run;
}

static inline struct bench_verdict *fixture_verdict(struct bench_comparison *comparison,
						    enum bench_verdict_kind kind, const char *key,
						    double ratio, const char *reason)
{
	struct bench_arena *arena = &comparison->arena;
	struct bench_verdict *verdict =
		bench_arena_push(arena, &comparison->verdicts, &comparison->verdict_count, sizeof(*verdict));
	const char *last = strrchr(key, '/');
	*verdict = (struct bench_verdict){
		.key = bench_arena_string(arena, key),
		.metric = bench_arena_string(arena, kind == BENCH_BROKEN || !last ? "" : last + 1),
		.kind = kind,
		.ratio = ratio,
		.lo = ratio * 0.98,
		.hi = ratio * 1.03,
		.level = 0.95,
		.p = isnan(ratio) ? NAN : 0.0004,
		.p_adjusted = isnan(ratio) ? NAN : 0.0032,
		.threshold = comparison->options.threshold,
		.mde = isnan(ratio) ? NAN : 0.031,
		.base_median = isnan(ratio) ? NAN : 0.004091,
		.candidate_median = isnan(ratio) ? NAN : 0.004091 * ratio,
		.base_invocations = 5,
		.candidate_invocations = 3,
		.unit = "s",
		.better = BENCH_BETTER_LOWER,
		.reason = bench_arena_string(arena, reason)};
	comparison->counts[kind]++;
	return verdict;
}

#define GEMM(backend, n) "gemm/" backend "/dtype=f32,m=" #n ",n=" #n ",k=" #n ",trans=nn"

static inline void fixture_comparison(struct bench_comparison *comparison)
{
	struct bench_arena *arena = &comparison->arena;
	comparison->options = (struct bench_compare_options){.threshold = 0.05, .alpha = 0.01};
	comparison->baseline_name = bench_arena_string(arena, "main");
	comparison->candidate_id = bench_arena_string(arena, "20261120-231503");
	char **id =
		bench_arena_push(arena, &comparison->baseline_ids, &comparison->baseline_count, sizeof(*id));
	*id = bench_arena_string(arena, "20261119-231503");
	fixture_verdict(comparison, BENCH_BROKEN, GEMM("opencl:" POCL, 7), NAN,
			"was ok in the baseline, now incorrect");
	fixture_verdict(comparison, BENCH_MISSING, GEMM("opencl:" POCL, 512) "/time", NAN,
			"the baseline has it; this run was asked for it and has not got it");
	struct bench_verdict *slower =
		fixture_verdict(comparison, BENCH_SLOWER, GEMM("openblas:" BLAS, 1024) "/time", 1.312, "");
	slower->threshold = 0.123;
	slower->learned_runs = 9;
	slower->candidate_disturbed = 1;
	fixture_verdict(comparison, BENCH_UNCLEAR, GEMM("opencl:" POCL, 256) "/device_time", 1.041,
			"the interval reaches over the threshold; 9 invocations would tell");
	fixture_verdict(comparison, BENCH_UNCLEAR, GEMM("opencl:" POCL, 256) "/time", 1.043,
			"the interval reaches over the threshold; 9 invocations would tell");
	fixture_verdict(comparison, BENCH_NEW,
			"transfer/opencl:" POCL "/direction=upload,bytes=4096,memory=pageable/time", NAN, "");
	fixture_verdict(comparison, BENCH_FASTER, GEMM("opencl:" POCL, 1024) "/time", 0.874, "");
	struct bench_verdict *same =
		fixture_verdict(comparison, BENCH_SAME, GEMM("openblas:" BLAS, 256) "/time", 1.001, "");

	same->threshold = 0.08;
	same->learned_runs = 9;
	fixture_verdict(comparison, BENCH_SAME, GEMM("openblas:" BLAS, 64) "/time", 0.998, "")->mde = 0.042;
	comparison->not_selected = 12;
	comparison->removed = 3;
	char **change = bench_arena_push(arena, &comparison->env_changes, &comparison->env_change_count,
					 sizeof(*change));
	*change = bench_arena_string(arena, "threads: 4 in the baseline, 2 now");
	change =
		bench_arena_push(arena, &comparison->env_notes, &comparison->env_note_count, sizeof(*change));
	*change = bench_arena_string(arena, "governor: performance in the baseline, powersave now");
}

#endif
